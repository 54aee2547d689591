/* L2 slice between mock SMs (the crossbars' far ends) and a real channel. */
#include "harness.h"

#include <string.h>

#include "memory_rig.h"
#include "runtime/memory/l2.h"
#include "runtime/memory/l2_lines.h"

static struct hd_arena arena;
static struct hd_config config;
static struct hd_address_map map;
static struct hd_counters counters;
static struct hd_crossbar up, down;
static struct hd_l2_slice slice;
static struct hd_packet_pool low;
static struct hd_dram dram;
static uint64_t flits, now;

enum { ICNT = 4, L2 = 50, DRAM = 10 };

/* Two SMs, one slice, one channel, one clock. */
static void set_up(void)
{
	hd_arena_init(&arena);
	hd_config_defaults(&config);
	memset(&counters, 0, sizeof(counters));
	config.core_mhz = config.icnt_mhz = config.l2_mhz = config.dram_mhz = 1000;
	config.l2_slices = config.dram_channels = 1;
	config.l2_latency = L2;
	config.dram_latency = DRAM;
	now = 100;
}

static void build(uint32_t sets, uint32_t ways)
{
	struct hd_crossbar_shape shape = {"up",	  2,	 1,	true, false, ICNT, 64, 64, hd_clock_of(1, 1),
					  &flits, false, false, false};
	config.l2_ways = ways;
	config.l2_slice_bytes = (uint64_t)sets * ways * 128;
	hd_address_map_init(&map, &config);
	hd_crossbar_init(&up, &shape, &arena);
	shape = (struct hd_crossbar_shape){"down", 1,	  2,	 false, false, ICNT, 64, 64, hd_clock_of(1, 1),
					   &flits, false, false, false};
	hd_crossbar_init(&down, &shape, &arena);
	hd_dram_init(&dram, &config, &map, &counters, &arena);
	hd_packet_pool_init(&low, (uint32_t)(config.transfer_lines * config.sm_count), &arena);
	hd_l2_init(&slice, 0, &config, &map, &low, &counters, &arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static void send(uint32_t sm, uint8_t kind, uint64_t line, uint8_t sectors, uint8_t full, uint32_t tag)
{
	struct hd_packet packet = {.line = line, .tag = tag, .sm = (uint16_t)sm, .kind = kind, .sectors = sectors};
	packet.full = full;
	packet.service = 1;
	packet.flits = hd_packet_flits(kind == HD_PACKET_READ ? 0 : (uint32_t)__builtin_popcount(sectors) * 32,
				       (struct hd_flits){32, 32});
	hd_crossbar_push(&up, sm, &packet, now);
}

static void cycle(void)
{
	struct hd_dram_fill fill;
	now++;
	hd_dram_tick(&dram, now);
	while (hd_dram_fill(&dram, &fill))
		hd_l2_fill(&slice, &fill);
	if (dram.freed)
		slice.stalled = false;
	dram.freed = false;
	hd_crossbar_tick(&up, now);
	hd_l2_tick(&slice, now, &up, &down, &dram);
	hd_crossbar_tick(&down, now);
}

/* The next reply to an SM; `now` is then its cycle. */
static struct hd_packet receive(uint32_t sm)
{
	for (;;) {
		const struct hd_packet *front = hd_crossbar_front(&down, sm, now);
		if (front && front->ready <= now) {
			struct hd_packet packet = *front;
			hd_crossbar_pop(&down, sm, now);
			return packet;
		}
		cycle();
		ck_assert_uint_lt(now, 100000);
	}
}

static void drain(void)
{
	while (!hd_l2_idle(&slice) || !hd_crossbar_idle(&up) || !hd_dram_idle(&dram)) {
		cycle();
		ck_assert_uint_lt(now, 100000);
	}
}

/* Cycles from pushing a read to the arrival of its data. */
static uint64_t read_latency(uint64_t line, uint8_t sectors)
{
	uint64_t start = now;
	send(0, HD_PACKET_READ, line, sectors, 0, 5);
	struct hd_packet reply = receive(0);
	ck_assert_uint_eq(reply.kind, HD_PACKET_DATA);
	ck_assert_uint_eq(reply.tag, 5);
	ck_assert_uint_eq(reply.sectors, sectors);
	return now - start;
}

/* Packets keep their order while the places that are used become more, also where these begin in the middle. */
START_TEST(wide_queues_keep_their_order)
{
	struct hd_packets queue;
	uint32_t pushed = 0, taken = 0;
	hd_packets_init(&queue, 100, &arena);
	hd_packets_narrow(&queue);
	for (uint32_t round = 0; round < 100; round++) {
		for (uint32_t i = 0; i < 13 && hd_packets_room(&queue); i++)
			*hd_packets_add_wide(&queue) = (struct hd_packet){.tag = pushed++};
		for (uint32_t i = 0; i < (round < 12 ? 5 : 13) && hd_packets_count(&queue); i++) {
			ck_assert_uint_eq(hd_packets_front(&queue)->tag, taken++);
			hd_packets_pop(&queue);
		}
	}
	ck_assert_uint_gt(taken, 1000);
	ck_assert_uint_eq(hd_packets_count(&queue), pushed - taken);
	ck_assert_uint_eq(queue.mask, 127);
}
END_TEST

START_TEST(misses_and_hits_have_their_latencies)
{
	build(4, 4);
	/* There, DRAM (seen a cycle later, tRCD 12, tCL 12, 1 of data), L2, back with two flits. */
	ck_assert_uint_eq(read_latency(1, 0x1), ICNT + 1 + 12 + 12 + 1 + DRAM + L2 + ICNT + 1);
	ck_assert_uint_eq(read_latency(1, 0x1), ICNT + L2 + ICNT + 1);
	ck_assert_uint_eq(read_latency(1, 0x2), ICNT + 1 + 12 + 1 + DRAM + L2 + ICNT + 1); /* open row */
	ck_assert_uint_eq(read_latency(1, 0x3), ICNT + L2 + ICNT + 2);
	ck_assert_uint_eq(counters.l2_accesses, 5);
	ck_assert_uint_eq(counters.l2_hits, 3);
	ck_assert_uint_eq(counters.l2_misses, 2);
}
END_TEST

START_TEST(a_sector_is_served_a_cycle)
{
	build(4, 4);
	read_latency(1, 0xf);
	drain();
	uint64_t start = now;
	/* Four sectors for one SM, served in cycles 0 to 3 after the arrival; a cycle later one for the other. */
	send(0, HD_PACKET_READ, 1, 0xf, 0, 1);
	cycle();
	send(1, HD_PACKET_READ, 1, 0x1, 0, 2);
	receive(0);
	ck_assert_uint_eq(now - start, ICNT + L2 + ICNT + 4);
	receive(1);
	/* Served in cycle 4, but five flits of the first, granted in cycle 1 after L2, leave the slice before it. */
	ck_assert_uint_eq(now - start, ICNT + L2 + 1 + 5 + ICNT);
}
END_TEST

START_TEST(reads_of_a_sector_in_flight_merge)
{
	build(4, 4);
	send(0, HD_PACKET_READ, 1, 0x1, 0, 1);
	send(1, HD_PACKET_READ, 1, 0x1, 0, 2);
	ck_assert_uint_eq(receive(0).tag, 1);
	ck_assert_uint_eq(receive(1).tag, 2);
	ck_assert_uint_eq(counters.dram_reads, 1);
}
END_TEST

START_TEST(merges_and_mshrs_are_bounded)
{
	config.l2_mshr_merges = 1;
	config.l2_mshrs = 1;
	build(4, 4);
	for (uint32_t i = 0; i < 4; i++)
		send(i % 2, HD_PACKET_READ, 1 + i / 2, 0x1, 0, i);
	for (uint32_t i = 0; i < 10 + ICNT; i++)
		cycle();
	ck_assert(slice.stalled);
	ck_assert_uint_eq(slice.mshrs_used, 1);
	ck_assert_uint_eq(hd_packets_count(&slice.in), 3);
	ck_assert_uint_eq(receive(0).tag, 0);
	ck_assert_uint_eq(receive(1).tag, 1); /* hits after the fill */
	ck_assert_uint_eq(receive(0).tag, 2);
	ck_assert_uint_eq(receive(1).tag, 3);
	ck_assert_uint_eq(counters.dram_reads, 2);
}
END_TEST

/* Of three reads of a sector as many wait for its fill as merge with it; the others find it there. */
START_TEST(so_many_reads_wait_for_a_fill)
{
	for (uint32_t merges = 1; merges <= 3; merges++) {
		config.l2_mshr_merges = merges;
		build(4, 4);
		for (uint32_t i = 0; i < 3; i++)
			send(0, HD_PACKET_READ, 1, 0x2, 0, i);
		for (uint32_t i = 0; i < 3; i++) {
			struct hd_packet reply = receive(0);
			ck_assert_uint_eq(reply.tag, i);
			ck_assert_uint_eq((reply.flags & HD_PACKET_MISSED) != 0, i < merges);
		}
		drain();
	}
}
END_TEST

/* The neighbour comes with a missing sector, in the same read of DRAM, unless it is there or in flight; one that has
 * been written is left alone. */
START_TEST(a_miss_fetches_its_aligned_block)
{
	config.l2_fetch = 64;
	build(4, 4);
	/* As without, and two clocks (tCCDL) to the column of the other sector. */
	ck_assert_uint_eq(read_latency(1, 0x2), ICNT + 1 + 12 + 12 + 2 + 1 + DRAM + L2 + ICNT + 1);
	ck_assert_uint_eq(read_latency(1, 0x1), ICNT + L2 + ICNT + 1);
	ck_assert_uint_eq(counters.dram_reads, 2);
	ck_assert_uint_eq(counters.l2_accesses, 2);
	ck_assert_uint_eq(counters.l2_hits, 1);
	ck_assert_uint_eq(counters.l2_misses, 1);
	send(0, HD_PACKET_READ, 1, 0x4, 0, 1);
	send(1, HD_PACKET_READ, 1, 0x8, 0, 2); /* merges */
	ck_assert_uint_eq(receive(0).tag, 1);
	ck_assert_uint_eq(receive(1).tag, 2);
	ck_assert_uint_eq(counters.dram_reads, 4);
	send(0, HD_PACKET_WRITE, 2, 0x1, 0x1, 3);
	receive(0);
	read_latency(2, 0x2);
	ck_assert_uint_eq(counters.dram_reads, 5);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 2)].valid, 0x3);
	config.l2_fetch = 128; /* the line */
	build(4, 4);
	read_latency(1, 0x4);
	ck_assert_uint_eq(counters.dram_reads, 9);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 1)].valid, 0xf);
	drain();
}
END_TEST

START_TEST(whole_sectors_are_written_without_fetching)
{
	build(4, 4);
	uint64_t start = now;
	send(0, HD_PACKET_WRITE, 1, 0xf, 0xf, 9);
	struct hd_packet reply = receive(0);
	ck_assert_uint_eq(reply.kind, HD_PACKET_ACK);
	ck_assert_uint_eq(reply.tag, 9);
	ck_assert_uint_eq(now - start, ICNT + 4 + L2 + ICNT); /* five flits there, one back */
	drain();
	ck_assert_uint_eq(counters.dram_reads + counters.dram_writes, 0);
	ck_assert_uint_eq(read_latency(1, 0xf), ICNT + L2 + ICNT + 4);
}
END_TEST

/* Sector 0 was read: a write of it hits, one of sector 1 misses, and hits the second time; a line that is not there
 * misses with each sector. */
START_TEST(written_sectors_hit_or_miss)
{
	static const struct {
		uint64_t line;
		uint8_t sectors, hits;
	} writes[] = {{1, 0x3, 1}, {1, 0x3, 2}, {1, 0x7, 2}, {2, 0x3, 0}, {2, 0xf, 2}};
	build(4, 4);
	read_latency(1, 0x1);
	uint64_t accesses = counters.l2_accesses, hits = 0, misses = counters.l2_misses;
	ck_assert_uint_eq(counters.l2_hits, hits);
	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
		uint32_t sectors = (uint32_t)__builtin_popcount(writes[i].sectors);
		send(0, HD_PACKET_WRITE, writes[i].line, writes[i].sectors, writes[i].sectors, 9);
		receive(0);
		hits += writes[i].hits;
		misses += sectors - writes[i].hits;
		accesses += sectors;
		ck_assert_uint_eq(counters.l2_hits, hits);
		ck_assert_uint_eq(counters.l2_misses, misses);
		ck_assert_uint_eq(counters.l2_accesses, accesses);
	}
}
END_TEST

START_TEST(partly_written_sectors_are_fetched)
{
	build(4, 4);
	send(0, HD_PACKET_WRITE, 1, 0x3, 0x1, 9);
	receive(0);
	drain();
	ck_assert_uint_eq(counters.dram_reads, 1);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 1)].dirty, 0x3);
}
END_TEST

START_TEST(partly_written_sectors_can_be_kept)
{
	config.l2_partial_writes = HD_PARTIAL_KEPT;
	build(4, 4);
	send(0, HD_PACKET_WRITE, 1, 0x3, 0x1, 9);
	receive(0);
	drain();
	ck_assert_uint_eq(counters.dram_reads, 0);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 1)].valid, 0x3);
	ck_assert_uint_eq(read_latency(1, 0x3), ICNT + L2 + ICNT + 2);
	/* One that a read has asked for is there when DRAM has sent it. */
	send(0, HD_PACKET_READ, 2, 0x1, 0, 1);
	while (hd_tags_find(&slice.tags, 2) == HD_NONE)
		cycle();
	send(0, HD_PACKET_WRITE, 2, 0x1, 0, 2);
	for (uint32_t i = 0; i < ICNT + 4; i++)
		cycle();
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 2)].valid, 0);
	drain();
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 2)].valid, 0x1);
	ck_assert_uint_eq(counters.dram_reads, 1);
	config.l2_partial_writes = HD_PARTIAL_FETCHED;
}
END_TEST

START_TEST(partly_written_sectors_take_longer)
{
	config.l2_partial_busy = 3;
	build(4, 4);
	read_latency(1, 0xf);
	drain();
	uint64_t start = now;
	/* Served for 1 + 3 cycles from its arrival on, with three flits there; the read behind it waits. */
	send(0, HD_PACKET_WRITE, 1, 0x3, 0x1, 9);
	cycle();
	cycle();
	cycle();
	send(1, HD_PACKET_READ, 1, 0x1, 0, 2);
	receive(1);
	ck_assert_uint_eq(now - start, ICNT + 2 + 4 + L2 + ICNT + 1);
	config.l2_partial_busy = 1;
}
END_TEST

START_TEST(dirty_victims_go_to_dram)
{
	build(1, 2);
	send(0, HD_PACKET_WRITEBACK, 1, 0x7, 0x7, 0); /* not acknowledged */
	drain();
	ck_assert_ptr_null(hd_crossbar_front(&down, 0, now));
	read_latency(2, 0x1);
	read_latency(3, 0x1);
	drain();
	ck_assert_uint_eq(counters.l2_writebacks, 3);
	ck_assert_uint_eq(counters.dram_writes, 3);
}
END_TEST

/* The line that was written first goes to DRAM, and is read again without it; one that is dirty may be written. */
START_TEST(few_lines_of_a_set_are_dirty)
{
	config.l2_dirty_ways = 2;
	build(1, 4);
	for (uint64_t line = 1; line <= 2; line++)
		send(0, HD_PACKET_WRITEBACK, line, 0xf, 0xf, 0);
	send(0, HD_PACKET_WRITEBACK, 1, 0x1, 0x1, 0);
	drain();
	ck_assert_uint_eq(counters.l2_writebacks, 0);
	send(0, HD_PACKET_WRITEBACK, 3, 0x3, 0x3, 0);
	drain();
	ck_assert_uint_eq(counters.l2_writebacks, 4); /* line 2 */
	uint64_t hits = counters.l2_hits;
	read_latency(2, 0xf);
	ck_assert_uint_eq(counters.l2_hits, hits + 4);
	send(0, HD_PACKET_REDUCTION, 4, 0x1, 0, 0);
	drain();
	ck_assert_uint_eq(counters.l2_writebacks, 8); /* line 1 */
}
END_TEST

START_TEST(atomics_take_their_service_time)
{
	build(4, 4);
	read_latency(1, 0x1);
	drain();
	struct hd_packet packet = {.line = 1, .tag = 4, .sm = 0, .kind = HD_PACKET_ATOMIC, .sectors = 1, .service = 32};
	packet.flits = 2;
	uint64_t start = now;
	hd_crossbar_push(&up, 0, &packet, now);
	cycle();
	send(1, HD_PACKET_READ, 1, 0x1, 0, 6);
	ck_assert_uint_eq(receive(0).kind, HD_PACKET_DATA);
	/* Two flits there; 32 cycles in the unit, the first of which is its arrival's. */
	ck_assert_uint_eq(now - start, ICNT + 1 + 31 + L2 + ICNT + 1);
	receive(1);
	/* Waits for the unit, and a cycle for the first reply's second flit. */
	ck_assert_uint_eq(now - start, ICNT + 1 + 32 + L2 + 1 + ICNT + 1);
	ck_assert_uint_ne(slice.tags.tags[hd_tags_find(&slice.tags, 1)].dirty, 0);
}
END_TEST

/*
 * A slice with room for one request, which is looked at when it asks for that. Of three atomics of 32 cycles the second
 * waits in the slice and the third in front of it; when the second is served the third comes in, and is served as soon
 * as the unit is free, although nothing leaves by then.
 */
START_TEST(who_waits_in_front_comes_in_when_there_is_room)
{
	uint64_t due = 0, at[3], start;
	config.l2_queue = 1;
	build(4, 4);
	read_latency(1, 0x1);
	drain();
	start = now;
	for (uint32_t i = 0; i < 3; i++) {
		struct hd_packet packet = {.line = 1,
					   .tag = i,
					   .sm = 0,
					   .kind = HD_PACKET_ATOMIC,
					   .sectors = 1,
					   .service = 32,
					   .flits = 2};
		hd_crossbar_push(&up, 0, &packet, now);
	}
	for (uint32_t got = 0; got < 3;) {
		now++;
		ck_assert_uint_lt(now, start + 1000);
		hd_dram_tick(&dram, now);
		hd_crossbar_tick(&up, now);
		if (now < start + 20 || now >= due) /* all have come by then */
			due = hd_l2_tick(&slice, now, &up, &down, &dram);
		hd_crossbar_tick(&down, now);
		const struct hd_packet *front = hd_crossbar_front(&down, 0, now);
		if (front && front->ready <= now) {
			at[got++] = now;
			hd_crossbar_pop(&down, 0, now);
		}
	}
	ck_assert_uint_eq(at[0] - start, ICNT + 1 + 31 + L2 + ICNT + 1);
	ck_assert_uint_eq(at[1] - at[0], 32);
	ck_assert_uint_eq(at[2] - at[1], 32);
	config.l2_queue = 32;
}
END_TEST

START_TEST(reductions_of_absent_sectors_fetch_and_are_acknowledged)
{
	build(4, 4);
	send(0, HD_PACKET_REDUCTION, 1, 0x1, 0, 3);
	ck_assert_uint_eq(receive(0).kind, HD_PACKET_ACK);
	ck_assert_uint_eq(counters.dram_reads, 1);
}
END_TEST

START_TEST(slow_l2_clocks_serve_less_often)
{
	config.l2_mhz = 250;
	build(4, 4);
	read_latency(1, 0x1);
	read_latency(1, 0x1);
	drain();
	uint64_t first, start = now;
	for (uint32_t i = 0; i < 8; i++)
		send(0, HD_PACKET_READ, 1, 0x1, 0, i);
	receive(0);
	first = now;
	for (uint32_t i = 1; i < 8; i++)
		receive(0);
	ck_assert_uint_eq(now - first, 7 * 4);
	ck_assert_uint_ge(first - start, ICNT + L2 + ICNT + 1);
}
END_TEST

START_TEST(low_requests_wait_for_others)
{
	enum { LOW = 20 };
	build(8, 8);
	for (uint32_t line = 0; line <= LOW; line++) {
		send(0, HD_PACKET_WRITEBACK, line, 0xf, 0xf, 0);
		drain();
	}
	uint64_t alone = read_latency(LOW, 0xf);
	/* Each takes the slice for four cycles: most wait there when the other one comes. */
	for (uint32_t line = 0; line < LOW; line++) {
		struct hd_packet packet = {.line = line, .kind = HD_PACKET_READ, .sectors = 0xf, .flits = 1};
		packet.flags = HD_PACKET_LOW;
		hd_crossbar_push(&up, 0, &packet, now);
	}
	for (uint32_t i = 0; i < LOW + 5; i++)
		cycle();
	uint64_t start = now;
	send(1, HD_PACKET_READ, LOW, 0xf, 0, 7);
	ck_assert_uint_eq(receive(1).tag, 7);
	/* The one that is served, and the replies before it. */
	ck_assert_uint_le(now - start, alone + 4 + 10);
	for (uint32_t line = 0; line < LOW; line++)
		ck_assert(receive(0).flags & HD_PACKET_LOW);
	drain();
}
END_TEST

/* Of two lines of a set the one that was not read, or not written, goes. */
START_TEST(the_least_recently_used_line_goes)
{
	static const uint8_t kinds[] = {HD_PACKET_READ, HD_PACKET_WRITE, HD_PACKET_WRITEBACK, HD_PACKET_ATOMIC};
	build(1, 2);
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t line = 10 * i;
		read_latency(line + 1, 0xf);
		read_latency(line + 2, 0xf);
		send(0, kinds[i], line + 1, 0xf, 0xf, 0);
		drain();
		if (kinds[i] != HD_PACKET_WRITEBACK)
			receive(0);
		read_latency(line + 3, 0xf);
		uint64_t hits = counters.l2_hits;
		read_latency(line + 1, 0xf);
		ck_assert_uint_eq(counters.l2_hits, hits + 4);
	}
}
END_TEST

/* Lines that are kept without time, as what goes on beside sampled waves would leave them: the two written last are
 * dirty, and no write of the third goes anywhere. A line that was used again lately stays when a fifth one comes. */
START_TEST(lines_are_kept_without_time)
{
	config.l2_dirty_ways = 2;
	build(1, 4);
	for (uint64_t line = 0; line < 3; line++)
		hd_l2_keep_dirty(&slice, line, 0x3);
	ck_assert_uint_eq(slice.dirty[0], 2);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 0)].dirty, 0);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 1)].dirty, 0x3);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 2)].dirty, 0x3);
	hd_l2_keep_dirty(&slice, 2, 0x4); /* it is one of the two */
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 1)].dirty, 0x3);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 2)].dirty, 0x7);
	hd_l2_keep(&slice, 3, 0x8);
	hd_l2_keep(&slice, 0, 0x8);
	ck_assert_uint_eq(slice.tags.tags[hd_tags_find(&slice.tags, 0)].valid, 0xb);
	hd_l2_keep(&slice, 4, 0x1); /* in place of the first that was written and not used since */
	ck_assert_uint_eq(hd_tags_find(&slice.tags, 1), HD_NONE);
	ck_assert_uint_eq(slice.dirty[0], 1);
	for (uint64_t line = 2; line < 5; line++)
		ck_assert_uint_ne(hd_tags_find(&slice.tags, line), HD_NONE);
	ck_assert_uint_ne(hd_tags_find(&slice.tags, 0), HD_NONE);
	ck_assert_uint_eq(counters.dram_writes, 0);
}
END_TEST

/* Nothing is there any more, and nothing is dirty: the next access misses, and no line is written for it. */
START_TEST(a_slice_forgets)
{
	build(1, 2);
	send(0, HD_PACKET_WRITEBACK, 1, 0xf, 0xf, 0);
	send(0, HD_PACKET_WRITEBACK, 2, 0xf, 0xf, 0);
	drain();
	hd_l2_forget(&slice);
	uint64_t hits = counters.l2_hits;
	for (uint32_t line = 1; line <= 4; line++)
		read_latency(line, 0xf);
	ck_assert_uint_eq(counters.l2_hits, hits);
	ck_assert_uint_eq(counters.l2_writebacks, 0);
	ck_assert_uint_eq(slice.dirty[0], 0);
}
END_TEST

/* SM 0 takes no reply, so that those of low priority fill their queue. What SM 1 misses comes all the same. */
START_TEST(fills_wait_only_for_room_that_they_need)
{
	build(8, 8);
	for (uint32_t line = 0; line < 4; line++) {
		send(0, HD_PACKET_WRITEBACK, line, 0xf, 0xf, 0);
		drain();
	}
	for (uint32_t i = 0; i < 800; i++, cycle()) {
		struct hd_packet packet = {.line = i % 4, .kind = HD_PACKET_READ, .sectors = 0xf, .flits = 1};
		packet.flags = HD_PACKET_LOW;
		if (hd_crossbar_low_room(&up, 0, 1, now))
			hd_crossbar_push(&up, 0, &packet, now);
	}
	ck_assert_uint_eq(hd_packets_room(&slice.low_out), 0);
	send(1, HD_PACKET_READ, 9, 0x3, 0, 7);
	struct hd_packet reply = receive(1);
	ck_assert(reply.kind == HD_PACKET_DATA && reply.tag == 7);
}
END_TEST

/* What a read of low priority missed is there while the replies of others fill the queue: it waits for a place. */
START_TEST(fills_wait_for_room)
{
	config.dram_latency = 1000;
	build(8, 8);
	for (uint32_t line = 0; line < 4; line++) {
		send(0, HD_PACKET_WRITEBACK, line, 0xf, 0xf, 0);
		drain();
	}
	for (uint32_t i = 0; i < 1500; i++, cycle()) {
		struct hd_packet packet = {.line = i ? i % 4 : 9, .kind = HD_PACKET_READ, .sectors = 0xf, .flits = 1};
		packet.flags = HD_PACKET_LOW;
		if (hd_crossbar_low_room(&up, 0, 1, now))
			hd_crossbar_push(&up, 0, &packet, now);
	}
	ck_assert_uint_eq(hd_packets_room(&slice.low_out), 0);
	ck_assert_uint_eq(slice.mshrs_used, 4);
	receive(0);
	for (uint32_t i = 0; i < 100; i++)
		cycle();
	ck_assert_uint_eq(slice.mshrs_used, 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("l2");
	TCase *cases = tcase_create("cases");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, wide_queues_keep_their_order);
	tcase_add_test(cases, misses_and_hits_have_their_latencies);
	tcase_add_test(cases, a_sector_is_served_a_cycle);
	tcase_add_test(cases, reads_of_a_sector_in_flight_merge);
	tcase_add_test(cases, merges_and_mshrs_are_bounded);
	tcase_add_test(cases, so_many_reads_wait_for_a_fill);
	tcase_add_test(cases, a_miss_fetches_its_aligned_block);
	tcase_add_test(cases, whole_sectors_are_written_without_fetching);
	tcase_add_test(cases, written_sectors_hit_or_miss);
	tcase_add_test(cases, partly_written_sectors_are_fetched);
	tcase_add_test(cases, partly_written_sectors_can_be_kept);
	tcase_add_test(cases, partly_written_sectors_take_longer);
	tcase_add_test(cases, dirty_victims_go_to_dram);
	tcase_add_test(cases, few_lines_of_a_set_are_dirty);
	tcase_add_test(cases, lines_are_kept_without_time);
	tcase_add_test(cases, low_requests_wait_for_others);
	tcase_add_test(cases, fills_wait_only_for_room_that_they_need);
	tcase_add_test(cases, fills_wait_for_room);
	tcase_add_test(cases, a_slice_forgets);
	tcase_add_test(cases, the_least_recently_used_line_goes);
	tcase_add_test(cases, atomics_take_their_service_time);
	tcase_add_test(cases, who_waits_in_front_comes_in_when_there_is_room);
	tcase_add_test(cases, reductions_of_absent_sectors_fetch_and_are_acknowledged);
	tcase_add_test(cases, slow_l2_clocks_serve_less_often);
	suite_add_tcase(suite, cases);
	return suite;
}
