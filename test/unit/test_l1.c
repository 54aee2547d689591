/* L1 against a mock memory: the test takes packets from its out queue and gives the replies. */
#include "harness.h"

#include <string.h>

#include "heddle/machine.h"
#include "memory_rig.h"
#include "runtime/memory/l1.h"
#include "sample.h"

static struct hd_arena arena;
static struct hd_config config;
static struct hd_stats stats;
static struct hd_l1 l1;

static void set_up(void)
{
	hd_arena_init(&arena);
	hd_config_defaults(&config);
	memset(&stats, 0, sizeof(stats));
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

/* A cache of so many sets and ways. */
static void build(uint32_t sets, uint32_t ways)
{
	config.l1_ways = ways;
	config.l1_bytes = (uint64_t)sets * ways * 128;
	hd_l1_init(&l1, 3, &config, &stats.counters, &arena);
}

static enum hd_l1_result access_as(uint32_t ticket, uint64_t line, uint8_t sectors, uint8_t full, uint8_t space,
				   uint8_t kind, uint8_t cache)
{
	struct hd_access access = {.line = line, .sectors = sectors, .full = full};
	struct hd_l1_request request = {ticket, space, kind, HD_CLASS_OTHER_LOCAL, cache, 0, false};
	return hd_l1_access(&l1, 100, &request, &access);
}

static enum hd_l1_result load(uint32_t ticket, uint64_t line, uint8_t sectors)
{
	return access_as(ticket, line, sectors, 0, HD_MEM_GLOBAL, HD_MEM_LOAD, HD_CACHE_DEFAULT);
}

static enum hd_l1_result store(uint64_t line, uint8_t sectors, uint8_t full, uint8_t space)
{
	return access_as(77, line, sectors, full, space, HD_MEM_STORE, HD_CACHE_DEFAULT);
}

/* Takes the next packet to the memory, which is of this kind. */
static struct hd_packet sent(uint8_t kind)
{
	const struct hd_packet *front = hd_packets_front(&l1.out[0]);
	ck_assert_ptr_nonnull(front);
	struct hd_packet packet = *front;
	hd_l1_sent(&l1, 0);
	ck_assert_uint_eq(packet.kind, kind);
	ck_assert_uint_eq(packet.sm, 3);
	return packet;
}

static uint32_t reply(struct hd_packet packet, uint8_t kind)
{
	packet.kind = kind;
	return hd_l1_reply(&l1, &packet);
}

static void expect_finished(uint32_t ticket)
{
	uint32_t got;
	ck_assert(hd_l1_finished(&l1, &got));
	ck_assert_uint_eq(got, ticket);
}

static void expect_none_finished(void)
{
	uint32_t got;
	ck_assert(!hd_l1_finished(&l1, &got));
}

START_TEST(a_miss_fetches_then_hits)
{
	build(4, 4);
	ck_assert_int_eq(load(1, 9, 0x5), HD_L1_WAIT);
	struct hd_packet packet = sent(HD_PACKET_READ);
	ck_assert_uint_eq(packet.line, 9);
	ck_assert_uint_eq(packet.sectors, 0x5);
	ck_assert_uint_eq(packet.flits, 1);
	ck_assert_uint_eq(packet.ready, 100 + config.l1_latency);
	expect_none_finished();
	reply(packet, HD_PACKET_DATA);
	expect_finished(1);
	expect_none_finished();
	ck_assert_int_eq(load(2, 9, 0x1), HD_L1_DONE);
	ck_assert_int_eq(load(3, 9, 0x2), HD_L1_WAIT); /* another sector of the line */
	ck_assert_uint_eq(sent(HD_PACKET_READ).sectors, 0x2);
	ck_assert_uint_eq(stats.counters.l1d_accesses, 3);
	ck_assert_uint_eq(stats.counters.l1d_hits, 1);
	ck_assert_uint_eq(stats.counters.l1d_misses, 2);
	ck_assert_uint_eq(stats.counters.l1d_sectors, 4);
	ck_assert_uint_eq(stats.counters.l1d_global, 3);
}
END_TEST

START_TEST(loads_of_a_sector_in_flight_merge)
{
	build(4, 4);
	load(1, 9, 0x3);
	struct hd_packet packet = sent(HD_PACKET_READ);
	ck_assert_int_eq(load(2, 9, 0x1), HD_L1_WAIT);
	ck_assert_int_eq(load(3, 9, 0x6), HD_L1_WAIT); /* merges one sector, fetches another */
	struct hd_packet second = sent(HD_PACKET_READ);
	ck_assert_uint_eq(second.sectors, 0x4);
	ck_assert_ptr_null(hd_packets_front(&l1.out[0]));
	ck_assert_uint_eq(stats.counters.l1d_pending_hits, 1);
	reply(packet, HD_PACKET_DATA);
	expect_finished(1);
	expect_finished(2);
	expect_none_finished();
	reply(second, HD_PACKET_DATA);
	expect_finished(3);
	ck_assert(hd_l1_idle(&l1));
}
END_TEST

START_TEST(merges_are_bounded)
{
	config.l1_mshr_merges = 2;
	build(4, 4);
	ck_assert_int_eq(load(1, 9, 0x1), HD_L1_WAIT);
	ck_assert_int_eq(load(2, 9, 0x1), HD_L1_WAIT);
	struct hd_counters before = stats.counters;
	ck_assert_int_eq(load(3, 9, 0x1), HD_L1_STALL);
	ck_assert_int_eq(memcmp(&before, &stats.counters, sizeof(before)), 0);
	ck_assert_int_eq(load(3, 9, 0x2), HD_L1_WAIT);
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	ck_assert_int_eq(load(4, 9, 0x1), HD_L1_DONE);
}
END_TEST

START_TEST(mshrs_are_bounded_by_sectors)
{
	config.l1_mshrs = 5;
	build(4, 4);
	ck_assert_int_eq(load(1, 1, 0xf), HD_L1_WAIT);
	ck_assert_int_eq(load(2, 2, 0x3), HD_L1_STALL);
	ck_assert_int_eq(load(2, 2, 0x1), HD_L1_WAIT);
	ck_assert_int_eq(load(3, 3, 0x1), HD_L1_STALL);
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	ck_assert_int_eq(load(3, 3, 0xf), HD_L1_WAIT);
}
END_TEST

START_TEST(a_line_larger_than_the_mshrs_goes_alone)
{
	config.l1_mshrs = 2;
	build(4, 4);
	ck_assert_int_eq(load(1, 1, 0xf), HD_L1_WAIT);
	ck_assert_int_eq(load(2, 2, 0x1), HD_L1_STALL);
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	ck_assert_int_eq(load(2, 2, 0x1), HD_L1_WAIT);
}
END_TEST

START_TEST(a_full_out_queue_stalls)
{
	build(64, 64);
	uint32_t line = 0;
	while (load(line, line, 0x1) == HD_L1_WAIT)
		line++;
	ck_assert_uint_ge(line, config.l1_latency);
	ck_assert_uint_lt(line, config.l1_mshrs);
	ck_assert_uint_eq(hd_l1_room(&l1, 0), 1); /* a miss may send a victim, too */
	sent(HD_PACKET_READ);
	ck_assert_int_eq(load(line, line, 0x1), HD_L1_WAIT);
}
END_TEST

/* Pages of 32 lines: the first access to one asks for it, the others wait for the same answer. */
START_TEST(packets_wait_for_their_page)
{
	config.tlb_entries = 2;
	config.tlb_page = 4096;
	config.tlb_miss = 70;
	build(64, 4);
	uint64_t plain = 100 + config.l1_latency;
	for (uint32_t line = 0; line < 64; line++) {
		load(line, line, 0x1);
		ck_assert_uint_eq(sent(HD_PACKET_READ).ready, plain + 70);
		ck_assert_uint_eq(stats.counters.tlb_misses, 1 + line / 32);
	}
	/* Local memory's place is known. */
	access_as(99, HD_LOCAL_PHYSICAL / 128, 0x1, 0, HD_MEM_LOCAL, HD_MEM_LOAD, HD_CACHE_DEFAULT);
	ck_assert_uint_eq(sent(HD_PACKET_READ).ready, plain);
	ck_assert_uint_eq(stats.counters.tlb_misses, 2);
}
END_TEST

START_TEST(the_least_recently_used_line_goes)
{
	build(1, 3);
	for (uint32_t line = 0; line < 3; line++) {
		load(line, line, 0x1);
		reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
		expect_finished(line);
	}
	ck_assert_int_eq(load(4, 0, 0x1), HD_L1_DONE); /* 1 is now the oldest */
	load(5, 3, 0x1);
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	expect_finished(5);
	ck_assert_int_eq(load(6, 0, 0x1), HD_L1_DONE);
	ck_assert_int_eq(load(6, 2, 0x1), HD_L1_DONE);
	ck_assert_int_eq(load(6, 3, 0x1), HD_L1_DONE);
	ck_assert_int_eq(load(6, 1, 0x1), HD_L1_WAIT);
}
END_TEST

START_TEST(ways_under_way_are_not_replaced)
{
	build(1, 2);
	load(1, 1, 0x1);
	load(2, 2, 0x1);
	ck_assert_int_eq(load(3, 3, 0x1), HD_L1_STALL);
	struct hd_packet first = sent(HD_PACKET_READ);
	reply(first, HD_PACKET_DATA);
	ck_assert_int_eq(load(3, 3, 0x1), HD_L1_WAIT); /* in the way of line 1 */
	ck_assert_int_eq(load(4, 2, 0x1), HD_L1_WAIT);
}
END_TEST

START_TEST(global_stores_write_through)
{
	build(4, 4);
	ck_assert_int_eq(store(9, 0x3, 0x1, HD_MEM_GLOBAL), HD_L1_WAIT);
	struct hd_packet packet = sent(HD_PACKET_WRITE);
	ck_assert_uint_eq(packet.sectors, 0x3);
	ck_assert_uint_eq(packet.full, 0x1);
	ck_assert_uint_eq(packet.flits, 3); /* header and two sectors */
	ck_assert_uint_eq(reply(packet, HD_PACKET_ACK), 77);
	ck_assert_int_eq(load(1, 9, 0x1), HD_L1_WAIT); /* it did not allocate */
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	store(9, 0x1, 0x1, HD_MEM_GLOBAL);
	sent(HD_PACKET_WRITE);
	ck_assert_uint_eq(stats.counters.l1d_hits, 1);
	ck_assert_int_eq(load(2, 9, 0x1), HD_L1_DONE); /* it updated */
}
END_TEST

/* An entry is taken until L2 has acknowledged the store; loads and local stores need none. */
START_TEST(stores_written_through_take_entries_of_the_store_buffer)
{
	config.l1_store_buffer = 2;
	build(1, 4);
	ck_assert_int_eq(store(1, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_WAIT);
	ck_assert_int_eq(store(2, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_WAIT);
	ck_assert_int_eq(store(3, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_STALL);
	ck_assert_int_eq(store(3, 0xf, 0xf, HD_MEM_LOCAL), HD_L1_DONE);
	ck_assert_int_eq(load(5, 4, 0x1), HD_L1_WAIT);
	struct hd_packet packet = sent(HD_PACKET_WRITE);
	ck_assert_int_eq(store(3, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_STALL);
	ck_assert_uint_eq(reply(packet, HD_PACKET_ACK), 77);
	ck_assert_int_eq(store(3, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_WAIT);
	ck_assert_int_eq(store(5, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_STALL);
}
END_TEST

START_TEST(local_stores_write_back)
{
	build(1, 2);
	ck_assert_int_eq(store(1, 0xf, 0xf, HD_MEM_LOCAL), HD_L1_DONE);
	ck_assert_ptr_null(hd_packets_front(&l1.out[0])); /* whole sectors are not fetched */
	ck_assert_int_eq(access_as(1, 1, 0x3, 0, HD_MEM_LOCAL, HD_MEM_LOAD, HD_CACHE_CG), HD_L1_DONE);
	load(2, 2, 0x1);
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	load(3, 3, 0x1); /* puts out line 1 */
	struct hd_packet victim = sent(HD_PACKET_WRITEBACK);
	ck_assert_uint_eq(victim.line, 1);
	ck_assert_uint_eq(victim.sectors, 0xf);
	ck_assert_uint_eq(victim.full, 0xf);
	ck_assert_uint_eq(victim.flits, 5);
	sent(HD_PACKET_READ);
	ck_assert_uint_eq(stats.counters.l1d_writebacks, 4);
	ck_assert_uint_eq(stats.counters.l1d_other_local, 2);
}
END_TEST

START_TEST(partly_written_local_sectors_are_fetched)
{
	build(1, 2);
	ck_assert_int_eq(store(1, 0x3, 0x1, HD_MEM_LOCAL), HD_L1_DONE);
	struct hd_packet packet = sent(HD_PACKET_READ);
	ck_assert_uint_eq(packet.sectors, 0x2);
	ck_assert_int_eq(store(1, 0x2, 0, HD_MEM_LOCAL), HD_L1_DONE);
	ck_assert_ptr_null(hd_packets_front(&l1.out[0]));
	ck_assert(!hd_l1_idle(&l1));
	reply(packet, HD_PACKET_DATA);
	expect_none_finished();
	ck_assert(hd_l1_idle(&l1));
	hd_l1_flush(&l1);
	ck_assert_uint_eq(stats.counters.l1d_writebacks, 2);
	ck_assert_int_eq(load(1, 1, 0x1), HD_L1_WAIT);
}
END_TEST

START_TEST(write_back_applies_to_global_when_configured)
{
	config.l1_write = HD_L1_WRITE_BACK;
	build(1, 2);
	ck_assert_int_eq(store(1, 0xf, 0xf, HD_MEM_GLOBAL), HD_L1_DONE);
	ck_assert_ptr_null(hd_packets_front(&l1.out[0]));
	/* An atomic must see it at L2, and what L1 holds is stale after. */
	ck_assert_int_eq(access_as(5, 1, 0x1, 0, HD_MEM_GLOBAL, HD_MEM_ATOMIC, 0), HD_L1_WAIT);
	ck_assert_uint_eq(sent(HD_PACKET_WRITEBACK).sectors, 0x1);
	ck_assert_uint_eq(stats.counters.l1d_writebacks, 1);
	sent(HD_PACKET_ATOMIC);
	ck_assert_int_eq(load(6, 1, 0x2), HD_L1_DONE);
	ck_assert_int_eq(load(6, 1, 0x1), HD_L1_WAIT);
	hd_l1_flush(&l1); /* the other three sectors */
	ck_assert_uint_eq(stats.counters.l1d_writebacks, 4);
}
END_TEST

/* Local and global alike. Sector 1 is written in part: L2 has it, L1 fetches it when it is read. */
START_TEST(stores_go_through_and_stay_when_configured)
{
	config.l1_write = HD_L1_WRITE_ALLOCATE;
	const uint8_t spaces[2] = {HD_MEM_LOCAL, HD_MEM_GLOBAL};
	for (int i = 0; i < 2; i++) {
		build(1, 2);
		uint8_t space = spaces[i];
		ck_assert_int_eq(store(1, 0x3, 0x1, space), HD_L1_WAIT);
		struct hd_packet packet = sent(HD_PACKET_WRITE);
		ck_assert_uint_eq(packet.sectors, 0x3);
		ck_assert_uint_eq(packet.flits, 3); /* header and two sectors */
		ck_assert_ptr_null(hd_packets_front(&l1.out[0]));
		ck_assert_uint_eq(reply(packet, HD_PACKET_ACK), 77);
		ck_assert_int_eq(access_as(1, 1, 0x1, 0, space, HD_MEM_LOAD, 0), HD_L1_DONE);
		ck_assert_int_eq(access_as(2, 1, 0x2, 0, space, HD_MEM_LOAD, 0), HD_L1_WAIT);
		packet = sent(HD_PACKET_READ);
		ck_assert_uint_eq(packet.sectors, 0x2);
		/* The set's other way is free; while it loads, too, a third line has no way. */
		ck_assert_int_eq(load(3, 2, 0x1), HD_L1_WAIT);
		ck_assert_int_eq(store(3, 0xf, 0xf, space), HD_L1_STALL);
		reply(packet, HD_PACKET_DATA);
		ck_assert_int_eq(store(3, 0xf, 0xf, space), HD_L1_WAIT);
		sent(HD_PACKET_READ);
		sent(HD_PACKET_WRITE); /* line 1 was clean, nothing is written back for it */
		ck_assert_ptr_null(hd_packets_front(&l1.out[0]));
		hd_l1_flush(&l1);
		ck_assert_uint_eq(stats.counters.l1d_writebacks, 0);
	}
}
END_TEST

START_TEST(uncached_loads_and_atomics_pass)
{
	static const struct {
		uint8_t kind, cache, packet, reply, flits;
	} cases[] = {
		{HD_MEM_LOAD, HD_CACHE_CG, HD_PACKET_READ, HD_PACKET_DATA, 1},
		{HD_MEM_LOAD, HD_CACHE_CV, HD_PACKET_READ, HD_PACKET_DATA, 1},
		{HD_MEM_ATOMIC, HD_CACHE_DEFAULT, HD_PACKET_ATOMIC, HD_PACKET_DATA, 2},
		{HD_MEM_REDUCTION, HD_CACHE_DEFAULT, HD_PACKET_REDUCTION, HD_PACKET_ACK, 2},
	};
	build(4, 4);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t twice = 0; twice < 2; twice++) {
			ck_assert_int_eq(access_as(i, 5, 0x2, 0, HD_MEM_GLOBAL, cases[i].kind, cases[i].cache),
					 HD_L1_WAIT);
			struct hd_packet packet = sent(cases[i].packet);
			ck_assert_uint_eq(packet.flits, cases[i].flits);
			ck_assert(!hd_l1_idle(&l1));
			ck_assert_uint_eq(reply(packet, cases[i].reply), HD_NONE);
			expect_finished(i);
		}
	}
	ck_assert(hd_l1_idle(&l1));
	ck_assert_uint_eq(stats.counters.l1d_misses, 8);
}
END_TEST

START_TEST(no_cache_passes_everything)
{
	config.l1_bytes = 0;
	hd_l1_init(&l1, 3, &config, &stats.counters, &arena);
	ck_assert_int_eq(load(1, 1, 0x1), HD_L1_WAIT);
	reply(sent(HD_PACKET_READ), HD_PACKET_DATA);
	expect_finished(1);
	ck_assert_int_eq(load(1, 1, 0x1), HD_L1_WAIT);
	ck_assert_int_eq(store(2, 0x1, 0x1, HD_MEM_LOCAL), HD_L1_WAIT);
}
END_TEST

START_TEST(fewer_ways_hold_less)
{
	build(1, 8);
	for (uint32_t line = 0; line < 8; line++)
		store(line, 0x1, 0x1, HD_MEM_LOCAL);
	hd_l1_set_ways(&l1, 2);
	ck_assert_uint_eq(stats.counters.l1d_writebacks, 6);
	ck_assert_int_eq(load(1, 5, 0x1), HD_L1_WAIT);
	ck_assert_uint_eq(sent(HD_PACKET_WRITEBACK).line, 6);
	ck_assert_int_eq(load(1, 7, 0x1), HD_L1_DONE);
	hd_l1_set_ways(&l1, 8);
	for (uint32_t line = 10; line < 16; line++)
		ck_assert_int_eq(store(line, 0x1, 0x1, HD_MEM_LOCAL), HD_L1_DONE);
	ck_assert_int_eq(load(1, 7, 0x1), HD_L1_DONE);
}
END_TEST

/* Random accesses with replies in random order: each ticket comes back once, and the counters add up. */
START_TEST(random_accesses_all_finish)
{
	enum { TICKETS = 4000 };
	static uint8_t state_of[TICKETS]; /* 1: waits, 2: finished */
	static struct hd_packet under_way[8192];
	uint32_t flying = 0, ticket = 0, got;
	uint64_t random = 5 + (uint64_t)_i;
	config.l1_mshrs = 16 << _i;
	config.l1_mshr_merges = 1 + (uint64_t)_i;
	build(2, 4);
	memset(state_of, 0, sizeof(state_of));
	for (uint32_t step = 0; ticket < TICKETS || flying || !hd_l1_idle(&l1); step++) {
		uint64_t r = sample_random(&random) >> 8;
		uint8_t sectors = (uint8_t)(1 + r % 15), kind = (uint8_t)(r >> 8 & 3), space = (uint8_t)(r >> 10 & 1);
		if (space == HD_MEM_LOCAL && kind > HD_MEM_STORE)
			kind = HD_MEM_LOAD;
		if (ticket < TICKETS) {
			enum hd_l1_result result =
				access_as(ticket, r >> 12 & 15, sectors, kind == HD_MEM_STORE ? sectors & 5 : 0, space,
					  kind, (uint8_t)(r >> 17 & 7));
			if (kind == HD_MEM_STORE && result == HD_L1_WAIT)
				state_of[ticket] = 1;
			else if (result != HD_L1_STALL)
				state_of[ticket] = result == HD_L1_WAIT ? 1 : 2;
			ticket += result != HD_L1_STALL;
		}
		const struct hd_packet *front = hd_packets_front(&l1.out[0]);
		if (front && r >> 20 & 1) {
			if (front->kind != HD_PACKET_WRITEBACK)
				under_way[flying++] = *front;
			hd_l1_sent(&l1, 0);
		}
		if (flying && r >> 21 & 1) {
			uint32_t which = (uint32_t)(r >> 24) % flying;
			struct hd_packet packet = under_way[which];
			under_way[which] = under_way[--flying];
			bool data = packet.kind == HD_PACKET_READ || packet.kind == HD_PACKET_ATOMIC;
			uint32_t acked = reply(packet, data ? HD_PACKET_DATA : HD_PACKET_ACK);
			if (acked != HD_NONE) {
				ck_assert_uint_eq(state_of[acked], 1);
				state_of[acked] = 2;
			}
		}
		while (hd_l1_finished(&l1, &got)) {
			ck_assert_uint_eq(state_of[got], 1);
			state_of[got] = 2;
		}
		ck_assert_uint_lt(step, 200000);
	}
	for (uint32_t i = 0; i < TICKETS; i++)
		ck_assert_uint_eq(state_of[i], 2);
	struct hd_counters *c = &stats.counters;
	ck_assert_uint_eq(c->l1d_accesses, TICKETS);
	ck_assert_uint_eq(c->l1d_hits + c->l1d_pending_hits + c->l1d_misses, TICKETS);
	ck_assert_uint_eq(c->l1d_global + c->l1d_other_local + c->l1d_spill_fill, TICKETS);
}
END_TEST

/* ---- the tag array against a plain model of LRU */

/* Lines from 10 to below 12 leave, which have two dirty sectors and three. */
START_TEST(ranges_of_lines_leave)
{
	build(4, 4);
	for (uint32_t line = 9; line <= 12; line++)
		store(line, (uint8_t)(0xf >> (12 - line)), 0xf, HD_MEM_LOCAL);
	ck_assert_uint_eq(hd_tags_flush_range(&l1.tags, 10, 12), 2 + 3);
	for (uint32_t line = 9; line <= 12; line++)
		ck_assert_int_eq(hd_tags_find(&l1.tags, line) == HD_NONE, line == 10 || line == 11);
	ck_assert_uint_eq(l1.tags.used, 2);
}
END_TEST

START_TEST(tags_agree_with_a_model)
{
	enum { SETS = 4, LINES = 200 };
	uint32_t ways = 1 + (uint32_t)_i * 9;
	uint64_t random = 3 + (uint64_t)_i, used_at[LINES] = {0};
	struct hd_tags tags;
	hd_tags_init(&tags, SETS, ways, &arena);
	for (uint64_t time = 1; time < 20000; time++) {
		uint64_t line = (sample_random(&random) >> 9) % LINES;
		uint32_t index = hd_tags_find(&tags, line), victim = hd_tags_victim(&tags, line);
		ck_assert(index == HD_NONE || tags.tags[index].line == line);
		ck_assert_int_eq(index != HD_NONE, used_at[line] != 0);
		if (index != HD_NONE) {
			hd_tags_touch(&tags, index);
		} else {
			/* A used victim is the oldest of its set. */
			for (uint64_t other = 0; tags.tags[victim].used && other < LINES; other++) {
				uint32_t at = hd_tags_find(&tags, other);
				if (at != HD_NONE && at / ways == victim / ways)
					ck_assert_uint_ge(used_at[other], used_at[tags.tags[victim].line]);
			}
			if (tags.tags[victim].used)
				used_at[tags.tags[victim].line] = 0;
			hd_tags_replace(&tags, victim, line);
		}
		used_at[line] = time;
	}
	ck_assert_uint_le(tags.used, SETS * ways);
	ck_assert_uint_eq(hd_tags_flush(&tags), 0);
	ck_assert_uint_eq(tags.used, 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("l1");
	TCase *cases = tcase_create("cases");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_set_timeout(cases, 60);
	tcase_add_test(cases, a_miss_fetches_then_hits);
	tcase_add_test(cases, loads_of_a_sector_in_flight_merge);
	tcase_add_test(cases, merges_are_bounded);
	tcase_add_test(cases, mshrs_are_bounded_by_sectors);
	tcase_add_test(cases, a_line_larger_than_the_mshrs_goes_alone);
	tcase_add_test(cases, a_full_out_queue_stalls);
	tcase_add_test(cases, packets_wait_for_their_page);
	tcase_add_test(cases, ranges_of_lines_leave);
	tcase_add_test(cases, the_least_recently_used_line_goes);
	tcase_add_test(cases, ways_under_way_are_not_replaced);
	tcase_add_test(cases, global_stores_write_through);
	tcase_add_test(cases, stores_written_through_take_entries_of_the_store_buffer);
	tcase_add_test(cases, local_stores_write_back);
	tcase_add_test(cases, partly_written_local_sectors_are_fetched);
	tcase_add_test(cases, write_back_applies_to_global_when_configured);
	tcase_add_test(cases, stores_go_through_and_stay_when_configured);
	tcase_add_test(cases, uncached_loads_and_atomics_pass);
	tcase_add_test(cases, no_cache_passes_everything);
	tcase_add_test(cases, fewer_ways_hold_less);
	tcase_add_loop_test(cases, random_accesses_all_finish, 0, 6);
	tcase_add_loop_test(cases, tags_agree_with_a_model, 0, 6);
	suite_add_tcase(suite, cases);
	return suite;
}
