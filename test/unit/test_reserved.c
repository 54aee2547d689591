/*
 * memory = reserved: calendars of slots and the wheel; latencies of L2, DRAM banks and ports worked out by hand; and
 * that queues, MSHRs and merges hold up what comes as in the exact mode.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/machine.h"
#include "memory_rig.h"
#include "runtime/memory/dram_reserved.h"
#include "runtime/memory/l2_reserved.h"
#include "runtime/memory/slots.h"
#include "runtime/memory/system.h"
#include "runtime/memory/wheel.h"

static struct rig rig;
static struct hd_dram dram;
static struct hd_address_map map;
static struct hd_counters counters;

static void set_up(void)
{
	rig_init(&rig, 1 << 12);
	rig.config.memory = HD_MEMORY_RESERVED;
}

static void tear_down(void)
{
	rig_release(&rig);
}

/* ---- slots */

START_TEST(slots_give_the_first_gap)
{
	static struct hd_slots a, b;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	hd_slots_take(&a, 10, 5); /* 10 to 14 */
	hd_slots_take(&b, 17, 2); /* 17 and 18 */
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, 3), 3);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, 12), 15);
	ck_assert_uint_eq(hd_slots_find(&a, 7, &a, 7, 3), 3);
	ck_assert_uint_eq(hd_slots_find(&a, 8, &a, 8, 3), 15);
	ck_assert_uint_eq(hd_slots_find(&a, 2, &b, 2, 9), 15);
	ck_assert_uint_eq(hd_slots_find(&a, 3, &b, 3, 9), 19);
	ck_assert_uint_eq(hd_slots_find(&a, 3, &b, 1, 9), 15); /* b is taken from 17 on: one cycle is enough */
}
END_TEST

START_TEST(slots_cross_words)
{
	static struct hd_slots a;
	memset(&a, 0, sizeof(a));
	hd_slots_take(&a, 62, 4); /* 62 to 65 */
	ck_assert_uint_eq(hd_slots_find(&a, 2, &a, 2, 61), 66);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, 61), 61);
	hd_slots_take(&a, 100, 100); /* more than a word */
	ck_assert_uint_eq(hd_slots_find(&a, 35, &a, 35, 60), 200);
	ck_assert_uint_eq(hd_slots_find(&a, 34, &a, 34, 60), 66);
	ck_assert_uint_eq(hd_slots_find(&a, 130, &a, 130, 0), 200);
	hd_slots_close(&a, 210, 400);
	ck_assert_uint_eq(hd_slots_find(&a, 11, &a, 11, 60), 66);
	ck_assert_uint_eq(hd_slots_find(&a, 11, &a, 11, 201), 400);
}
END_TEST

/* What lies past the window is kept when the window comes to it, and what is past is free for cycles to come. */
START_TEST(windows_of_slots_move)
{
	static struct hd_slots a;
	uint64_t window = HD_SLOTS_WORDS * 64;
	memset(&a, 0, sizeof(a));
	hd_slots_take(&a, 5, 1);
	hd_slots_take(&a, window + 70, 10);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, window + 3), window + 80);
	hd_slots_move(&a, 64);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, 5), 64); /* its first cycle */
	hd_slots_move(&a, 3 * 64);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, window + 75), window + 80);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, window - 1), window - 1);
	hd_slots_move(&a, 10 * window);
	ck_assert_uint_eq(hd_slots_find(&a, 1, &a, 1, 10 * window + 5), 10 * window + 5);
}
END_TEST

/* As hd_slots_find and hd_slots_take, in words and across them, within the window and past it. */
START_TEST(reserving_finds_and_takes)
{
	static struct hd_slots a, b, c, d;
	uint64_t now = 0;
	uint32_t seed = 1;
	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	c = a, d = b;
	for (uint32_t i = 0; i < 2000; i++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t length = 1 + (seed >> 28), b_length = 1 + (seed >> 8 & 3);
		length += seed >> 20 & 31 ? 0 : 60; /* more than a word, at times */
		now += seed >> 4 & 15;
		uint64_t from = now + (seed >> 12 & 0xfff), want;
		hd_slots_move(&a, now), hd_slots_move(&b, now), hd_slots_move(&c, now), hd_slots_move(&d, now);
		want = hd_slots_find(&c, length, &d, b_length, from);
		hd_slots_take(&c, want, length);
		hd_slots_take(&d, want, b_length);
		ck_assert_uint_eq(hd_slots_reserve(&a, length, &b, b_length, from), want);
		ck_assert(!memcmp(&a, &c, sizeof(a)) && !memcmp(&b, &d, sizeof(b)));
	}
}
END_TEST

/* ---- the wheel */

START_TEST(entries_come_in_their_cycles)
{
	static struct hd_wheel wheel;
	static const uint64_t cycles[] = {5003, 40, 12, 40, 13, 9000};
	static const uint32_t order[] = {2, 4, 1, 3, 0, 5};
	struct hd_arena arena;
	struct hd_packet packet = {0};
	hd_arena_init(&arena);
	memset(&wheel, 0, sizeof(wheel));
	hd_wheel_init(&wheel, 6, &arena);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert(hd_wheel_has_room(&wheel, 1));
		hd_wheel_add(&wheel, 10, cycles[i], i, &packet);
	}
	ck_assert(!hd_wheel_has_room(&wheel, 1));
	uint64_t now = 10;
	for (uint32_t taken = 0; taken < 6;) {
		uint64_t next = hd_wheel_next(&wheel, now);
		ck_assert_uint_gt(next, now);
		ck_assert_uint_ne(next, HD_NEVER);
		now = next;
		for (uint32_t number; (number = hd_wheel_take(&wheel, now)); taken++) {
			ck_assert_uint_eq(wheel.entries[number].what, order[taken]);
			ck_assert_uint_eq(now, cycles[order[taken]]);
			hd_wheel_give(&wheel, number);
		}
	}
	ck_assert_uint_eq(hd_wheel_next(&wheel, now), HD_NEVER);
	hd_arena_release(&arena);
}
END_TEST

/* ---- L2 and ports: clocks are equal; a request is a flit, an answer with a sector is two (icnt_header = 0) */

/* Past L1. */
static struct hd_mem_request load_of(uint32_t token, uint64_t address)
{
	struct hd_mem_request request = rig_load(token, address, 0, 4);
	request.cache = HD_CACHE_CG;
	return request;
}

static void bring(uint64_t address)
{
	struct hd_mem_request request = load_of(0, address);
	rig_latency(&rig, &request);
}

/* Issued in one cycle by SMs 0 to count - 1, with their tokens from 1 on. Returns the cycle of their accesses. */
static uint64_t load_together(const uint64_t *address, uint32_t count)
{
	uint64_t start = rig.now + 1;
	for (uint32_t sm = 0; sm < count; sm++) {
		struct hd_mem_request request = load_of(1 + sm, address[sm]);
		rig_issue(&rig, sm, &request);
	}
	rig_run(&rig);
	return start;
}

static uint64_t idle_hit(void)
{
	const struct hd_config *c = &rig.config;
	return c->l1_latency + 2 * c->icnt_latency + c->l2_latency + 1;
}

START_TEST(an_idle_hit_crosses_twice)
{
	rig_build(&rig);
	bring(0);
	struct hd_mem_request request = load_of(1, 0);
	ck_assert_uint_eq(rig_latency(&rig, &request), idle_hit());
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l2_hits, 1);
	ck_assert_uint_eq(total.counters.l2_misses, 1);
	ck_assert_uint_eq(total.counters.icnt_flits_up, 2);
	ck_assert_uint_eq(total.counters.icnt_flits_down, 4);
	ck_assert_uint_eq(total.counters.l2_hit_latency, 2 * rig.config.icnt_latency + rig.config.l2_latency + 1);
}
END_TEST

/* Two SMs want one slice: the second request is a cycle behind at the slice's port, and its answer, of two flits behind
 * two, two cycles at the slice's port back. Other slices do not hold up each other. */
START_TEST(two_sms_share_the_ports_of_a_slice)
{
	rig_build(&rig);
	bring(0);
	bring(32);
	bring(128);
	uint64_t start = load_together((const uint64_t[]){0, 32}, 2);
	ck_assert_uint_eq(rig.done[1] + rig.done[2], 2 * (start + idle_hit()) + 2);
	start = load_together((const uint64_t[]){0, 128}, 2);
	ck_assert_uint_eq(rig.done[1], start + idle_hit());
	ck_assert_uint_eq(rig.done[2], start + idle_hit());
}
END_TEST

/* A line of one SM's slice that another slice has, or the next sector. */
static uint64_t line_of_slice(uint32_t slice, uint64_t from)
{
	while (hd_address_slice(&rig.memory->map, from) != slice)
		from++;
	return from;
}

/* SM 0 sends to a slice whose port SM 1 has taken for an 8-flit write, then to another slice. With one queue per input
 * the second packet waits for the first, with one per output it does not. */
START_TEST(heads_block_with_single_queues_only)
{
	for (uint32_t by_output = 0; by_output < 2; by_output++) {
		tear_down();
		set_up();
		rig.config.icnt_inputs = by_output;
		rig.config.sm_count = 2;
		rig_build(&rig);
		struct hd_crossbar *up = &rig.memory->up;
		uint64_t woken[1] = {0}, lines[2] = {line_of_slice(3, 0), line_of_slice(4, 0)};
		struct hd_packet packet = {.line = lines[0], .slice = 3, .sm = 1, .kind = HD_PACKET_WRITE};
		packet.sectors = packet.full = 15;
		packet.flits = 8;
		rig.now -= rig.now % 2 ? 0 : 1; /* SM 1 is looked at first in the next cycle, which is even */
		hd_crossbar_push(up, 1, &packet, rig.now - 2);
		struct hd_packet read = {
			.line = lines[0], .slice = 3, .kind = HD_PACKET_READ, .sectors = 1, .flits = 1};
		hd_crossbar_push(up, 0, &read, rig.now);
		read.line = lines[1];
		read.slice = 4;
		hd_crossbar_push(up, 0, &read, rig.now);
		hd_memory_tick(rig.memory, rig.now + 1, woken);
		/* The write has slice 3's port from rig.now - 1 to + 6; the reads come at + 1. */
		ck_assert_uint_eq(rig.memory->up.packets, by_output ? 0 : 1);
		hd_memory_tick(rig.memory, rig.now + 7, woken);
		ck_assert_uint_eq(rig.memory->up.packets, by_output ? 0 : 1);
		hd_memory_tick(rig.memory, rig.now + 8, woken);
		ck_assert_uint_eq(rig.memory->up.packets, 0);
	}
}
END_TEST

/* Where the flits of the last request of a slice have left the crossbar's queue, with a request of one flit: the cycle
 * after the one in which it came. */
static uint64_t came_at(uint32_t slice)
{
	const struct hd_crossbar *up = &rig.memory->up;
	return hd_l2_reserved_room(&rig.memory->slices[slice], up->out[slice].capacity, 0) - 1;
}

/* Two packets of an SM are there in one cycle, to slice 3 and behind it to slice 5. With a queue for each output slice
 * 3 comes first in the cycle that is its turn, and slice 5 in the next one, in which the turn is slice 4's. With one
 * queue they go as they came. */
START_TEST(of_several_heads_the_next_output_has_its_turn)
{
	for (uint32_t trial = 0; trial < 4; trial++) {
		uint32_t by_output = trial % 2, turn = 3 + trial / 2;
		bool swapped = by_output && turn == 4;
		tear_down();
		set_up();
		rig.config.icnt_inputs = by_output;
		rig_build(&rig);
		struct hd_crossbar *up = &rig.memory->up;
		uint64_t woken[2] = {0};
		rig.now += up->outputs - rig.now % up->outputs + turn - 1; /* they go in the next cycle */
		for (uint32_t slice = 3; slice <= 5; slice += 2) {
			struct hd_packet packet = {.line = line_of_slice(slice, 0), .slice = (uint16_t)slice};
			packet.kind = HD_PACKET_READ;
			packet.sectors = packet.flits = 1;
			hd_crossbar_push(up, 0, &packet, rig.now);
		}
		for (uint64_t now = rig.now; now <= rig.now + 2; now++)
			hd_memory_tick(rig.memory, now, woken);
		uint64_t first = rig.now + rig.config.icnt_latency;
		ck_assert_uint_eq(came_at(3), first + swapped);
		ck_assert_uint_eq(came_at(5), first + !swapped);
	}
}
END_TEST

/* ---- DRAM; a channel alone, in its clocks: tRCD 12, tCL 12, tRP 12, one clock of data, seen a clock after the push */

static void build_channel(void)
{
	struct hd_config *c = &rig.config;
	rig_release(&rig);
	hd_arena_init(&rig.arena);
	c->core_mhz = c->dram_mhz = 1000;
	c->l2_slices = c->dram_channels = 1;
	c->dram_latency = 0;
	memset(&counters, 0, sizeof(counters));
	hd_address_map_init(&map, c);
	hd_dram_init(&dram, c, &map, &counters, &rig.arena);
}

static uint64_t line_at(uint32_t bank, uint32_t row, uint32_t column)
{
	for (uint64_t line = 0;; line++) {
		struct hd_dram_place place = hd_address_dram(&map, 0, line);
		if (place.bank == bank && place.row == row && line / map.groups % map.row_lines == column)
			return line;
		ck_assert_uint_lt(line, 1u << 20);
	}
}

static uint64_t read_at(uint64_t now, uint32_t bank, uint32_t row, uint32_t column)
{
	return hd_dram_reserved_read(&dram, now, 0, line_at(bank, row, column), 1, 0);
}

static void write_at(uint64_t now, uint32_t bank, uint32_t row, uint32_t column)
{
	hd_dram_push(&dram, now, HD_DRAM_WRITE, 0, line_at(bank, row, column), 1, 0, 0);
}

START_TEST(rows_are_opened_hit_and_closed)
{
	build_channel();
	ck_assert_uint_eq(read_at(100, 0, 0, 0), 101 + 12 + 12 + 1);
	ck_assert_uint_eq(read_at(200, 0, 0, 1), 201 + 12 + 1);		  /* a hit */
	ck_assert_uint_eq(read_at(300, 0, 1, 0), 301 + 12 + 12 + 12 + 1); /* a precharge, too */
	ck_assert_uint_eq(counters.dram_activations, 2);
	ck_assert_uint_eq(counters.dram_row_hits, 1);
	ck_assert_uint_eq(counters.dram_reads, 3);
}
END_TEST

/* Activated at 101, read at 113. Precharge at max(101 + tRAS 28, 113 + tRTPL 3) = 129, activation at max(129 + tRP 12,
 * 101 + tRC 40) = 141. A hit of the first row that comes at 120, before that is closed, still finds it; at 130 not: the
 * second row is closed at 141 + tRAS 28 = 169, and the first is open again from 181 + 12 on. */
START_TEST(banks_conflict)
{
	build_channel();
	ck_assert_uint_eq(read_at(100, 0, 0, 0), 113 + 12 + 1);
	ck_assert_uint_eq(read_at(100, 0, 1, 0), 141 + 12 + 12 + 1);
	ck_assert_uint_eq(read_at(119, 0, 0, 1), 120 + 12 + 1);
	ck_assert_uint_eq(read_at(129, 0, 0, 2), 169 + 12 + 12 + 12 + 1);
	ck_assert_uint_eq(counters.dram_activations, 3);
}
END_TEST

/* tCCD_L 2 in a group, tCCD 1 on the bus, tRRD 3. A later request takes the gap between two of another group. */
START_TEST(commands_keep_their_distances)
{
	build_channel();
	ck_assert_uint_eq(read_at(100, 0, 0, 0), 126);
	ck_assert_uint_eq(read_at(100, 1, 0, 0), 129); /* the activation 3 later */
	ck_assert_uint_eq(read_at(200, 0, 0, 1), 201 + 13);
	ck_assert_uint_eq(read_at(200, 0, 0, 2), 203 + 13);
	ck_assert_uint_eq(read_at(200, 1, 0, 1), 202 + 13);
}
END_TEST

/* Four activations in each piece of 30 clocks: at 101, 104, 107 and 110 in the one that ends at 120. */
START_TEST(four_activations_share_a_piece)
{
	rig.config.t_faw = 30;
	build_channel();
	for (uint32_t bank = 0; bank < 4; bank++)
		ck_assert_uint_eq(read_at(100, bank, 0, 0), 126 + 3 * bank);
	ck_assert_uint_eq(read_at(100, 4, 0, 0), 120 + 12 + 12 + 1);
}
END_TEST

/* Due at 1000: rows are closed, tRP 12, and banks busy for 200 clocks. */
START_TEST(refreshes_close_rows_and_take_their_time)
{
	for (uint32_t by_bank = 0; by_bank < 2; by_bank++) {
		rig_release(&rig);
		rig_init(&rig, 1);
		rig.config.memory = HD_MEMORY_RESERVED;
		rig.config.t_refi = by_bank ? 16000 : 1000; /* every 1000 clocks a refresh: of bank 1, 2, ... */
		rig.config.dram_refresh = by_bank;
		rig.config.t_rfc = 200;
		build_channel();
		ck_assert_uint_eq(read_at(100, 1, 0, 0), 126);
		ck_assert_uint_eq(read_at(990, 1, 0, 1), 991 + 12 + 1);
		ck_assert_uint_eq(read_at(1010, 1, 0, 2), 1000 + 12 + 200 + 12 + 12 + 1);
		/* Bank 2 was closed: it is busy for 200 clocks, or its turn is a thousand later. */
		ck_assert_uint_eq(read_at(1300, 2, 0, 0), 1301 + 12 + 12 + 1);
		ck_assert_uint_eq(read_at(2010, 2, 0, 1), 2000 + 12 + 200 + 12 + 12 + 1);
		ck_assert_uint_eq(read_at(2015, 1, 0, 3), by_bank ? 2016 + 12 + 1 : 2000 + 12 + 200 + 3 + 12 + 12 + 1);
	}
}
END_TEST

/* A row is opened at 985. What wants another one of its bank at 987 could close it at 985 + tRAS 28 = 1013, behind the
 * refresh that is due at 1000: that closes it then, tRP 12, and takes 200 clocks. */
START_TEST(refreshes_go_before_rows_behind_them)
{
	rig.config.t_refi = 1000;
	rig.config.t_rfc = 200;
	build_channel();
	ck_assert_uint_eq(read_at(984, 0, 0, 0), 985 + 12 + 12 + 1);
	ck_assert_uint_eq(read_at(986, 0, 1, 0), 1013 + 12 + 200 + 12 + 12 + 1);
}
END_TEST

/* A read in clock 985 knows the refreshes of the next 1024 clocks. Its column, tRCD 1030 behind the activation, is at
 * 2015: a refresh due at 2009 puts it off until tRP 12 and 200 clocks are over. One due at 2010 is not known: what is
 * reserved stays. */
START_TEST(refreshes_are_known_for_1024_clocks)
{
	for (uint32_t later = 0; later < 2; later++) {
		tear_down();
		set_up();
		rig.config.t_refi = 2009 + later;
		rig.config.t_rfc = 200;
		rig.config.t_rcd = 1030;
		build_channel();
		ck_assert_uint_eq(read_at(984, 0, 0, 0), (later ? 2015 : 2009 + 12 + 200) + 12 + 1);
	}
}
END_TEST

/* A queue of 32 writes is drained from 28 to 16. The twelve, of one row, begin at 201 with an activation and have
 * columns at 213, 215, ... 235. Reads then wait until tWL 2, a clock of data and tCDLR 3 are over: the bus is free from
 * 241. A closed row is opened for them in the clock after the last write, 236. */
START_TEST(writes_are_drained_at_their_mark)
{
	rig.config.dram_write_early = false;
	rig.config.dram_queue = 64;
	build_channel();
	ck_assert_uint_eq(read_at(100, 1, 0, 0), 126);
	for (uint32_t i = 0; i < 27; i++)
		write_at(150, 0, i / 14, i % 14);
	ck_assert_uint_eq(counters.dram_writes, 0);
	write_at(200, 0, 2, 0);
	ck_assert_uint_eq(counters.dram_writes, 12);
	ck_assert_uint_eq(read_at(205, 1, 0, 1), 241 + 12 + 1);
	ck_assert_uint_eq(read_at(206, 2, 0, 0), 236 + 12 + 12 + 1);
	ck_assert_uint_eq(hd_dram_reserved_due(&dram), HD_NEVER);
	/* Twelve more in the clock of the last command go on: two of the open row at 237 and 239, behind which reads of
	 * other banks lie. The row is closed at 239 + tWL 2 + 1 + tWR 10 and another one opened for ten columns. */
	for (uint32_t i = 0; i < 12; i++)
		write_at(234, 0, 3, i);
	ck_assert_uint_eq(counters.dram_writes, 24);
	ck_assert_uint_eq(read_at(280, 1, 0, 2), 252 + 12 + 12 + 2 * 9 + 6 + 12 + 1);
}
END_TEST

/* With dram_write_early a write goes at once where no read is in flight, or when the last one's command has been. */
START_TEST(writes_go_early_where_no_read_waits)
{
	build_channel();
	write_at(100, 0, 0, 0);
	ck_assert_uint_eq(counters.dram_writes, 1);
	read_at(300, 1, 0, 0); /* the column at 313 */
	write_at(305, 0, 0, 1);
	ck_assert_uint_eq(counters.dram_writes, 1);
	ck_assert_uint_eq(hd_dram_reserved_due(&dram), 314);
	hd_dram_reserved_tick(&dram, 314);
	ck_assert_uint_eq(counters.dram_writes, 2);
	ck_assert_uint_eq(hd_dram_reserved_due(&dram), HD_NEVER);
}
END_TEST

/*
 * The read's column is at 313. Behind it a write waits for tCL 12, a clock of data and two in which the bus turns
 * round, less tWL 2: its column is at 314 + 13 in the clock behind the read's, and one that comes then goes at once. A
 * clock before, it waits. Reads then have the bus tWL 2, a clock of data and tCDLR 3 behind the write.
 */
START_TEST(the_bus_turns_round_for_writes)
{
	static const struct {
		uint64_t write, column;
	} rows[] = {{313, 314 + 13}, {320, 314 + 13}, {325, 314 + 13}, {326, 327}, {327, 328}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		rig_release(&rig);
		rig_init(&rig, 1);
		rig.config.memory = HD_MEMORY_RESERVED;
		build_channel();
		read_at(100, 0, 0, 0);
		read_at(300, 1, 0, 0);
		write_at(rows[i].write, 0, 0, 1);
		ck_assert_uint_eq(counters.dram_writes, 1);
		ck_assert_uint_eq(read_at(rows[i].write, 1, 0, 1), rows[i].column + 6 + 12 + 1);
	}
}
END_TEST

/* The queue holds two reads until their columns, at 113 and 115. */
START_TEST(reads_fill_the_queue)
{
	rig.config.dram_queue = 2;
	build_channel();
	ck_assert_uint_eq(hd_dram_reserved_room(&dram, HD_DRAM_READ, 100), 100);
	read_at(100, 0, 0, 0);
	ck_assert_uint_eq(hd_dram_reserved_room(&dram, HD_DRAM_READ, 100), 100);
	read_at(100, 0, 0, 1);
	ck_assert_uint_eq(hd_dram_reserved_room(&dram, HD_DRAM_READ, 100), 113);
	ck_assert_uint_eq(hd_dram_reserved_room(&dram, HD_DRAM_READ, 114), 114);
}
END_TEST

/* ---- L2 misses */

/* Sectors of a line that four SMs want: the first is fetched for all; with two merges the third waits for the fill and
 * is a hit. */
START_TEST(merges_are_limited)
{
	for (uint32_t merges = 2; merges <= 4; merges += 2) {
		tear_down();
		set_up();
		rig.config.l2_mshr_merges = merges;
		rig_build(&rig);
		load_together((const uint64_t[]){0, 0, 0, 0}, 4);
		struct hd_stats total = rig_total(&rig);
		ck_assert_uint_eq(total.counters.dram_reads, 1);
		ck_assert_uint_eq(total.counters.l2_misses, merges);
		ck_assert_uint_eq(total.counters.l2_hits, 4 - merges);
		ck_assert_uint_eq(total.counters.l2_miss_replies, merges);
	}
}
END_TEST

/* A sector that comes with a neighbour has no request yet: two merge, and only the third waits. */
START_TEST(only_requests_count_as_merged)
{
	rig.config.l2_fetch = 64;
	rig.config.l2_mshr_merges = 2;
	rig_build(&rig);
	load_together((const uint64_t[]){0, 32, 32}, 3);
	ck_assert_uint_eq(rig_total(&rig).counters.l2_misses, 3);
	load_together((const uint64_t[]){256, 288, 288, 288}, 4);
	ck_assert_uint_eq(rig_total(&rig).counters.l2_misses, 3 + 3);
}
END_TEST

/* Two sectors of different rows, and one MSHR: the second is asked for when the first is there. */
START_TEST(mshrs_are_limited)
{
	uint64_t last[2];
	for (uint32_t i = 0; i < 2; i++) {
		tear_down();
		set_up();
		rig.config.l2_mshrs = i ? 8 : 1;
		rig_build(&rig);
		uint64_t start = load_together((const uint64_t[]){0, 32}, 2);
		last[i] = (rig.done[1] > rig.done[2] ? rig.done[1] : rig.done[2]) - start;
		ck_assert_uint_eq(rig_total(&rig).counters.dram_reads, 2);
	}
	/* The row is open: the second's own way from L2 to the data and back is at least a column's. */
	ck_assert_uint_ge(last[0], last[1] + rig.config.dram_latency);
}
END_TEST

/* With a missing sector its neighbour comes, in one read of DRAM, and is a hit then; of a line's other half nothing. */
START_TEST(a_miss_fetches_its_aligned_block)
{
	rig.config.l2_fetch = 64;
	rig_build(&rig);
	bring(32);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_reads, 2);
	bring(0);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.dram_reads, 2);
	ck_assert_uint_eq(total.counters.l2_misses, 1);
	ck_assert_uint_eq(total.counters.l2_hits, 1);
	bring(64);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_reads, 4);
}
END_TEST

/* A line of four sectors, and a slice whose queue has two places. */
static struct hd_l2_slice *bring_line(void)
{
	rig.config.l2_queue = 2;
	rig_build(&rig);
	for (uint32_t sector = 0; sector < 4; sector++)
		bring(32 * sector);
	return &rig.memory->slices[hd_address_slice(&rig.memory->map, 0)];
}

static void serve_line(struct hd_l2_slice *slice, uint64_t now, uint32_t loads)
{
	for (uint32_t i = 0; i < loads; i++) {
		struct hd_packet load = {.kind = HD_PACKET_READ, .sectors = 15, .flits = 1};
		ck_assert(hd_l2_reserved_serve(slice, &load, now, rig.memory->channels)); /* which nothing goes to */
		ck_assert_uint_eq(load.ready, now + 4 * i + rig.config.l2_latency);
	}
}

/*
 * A line of four sectors is there, and loads of one flit that want all of it come in one cycle: each keeps the slice
 * for four. Its queue has two places: the first two are taken from the crossbar's at once, the third and fourth when
 * the first and second are served, and so on. In the next cycle they have left it, so that of seven the last five leave
 * it 1, 5, 9, 13 and 17 cycles later. As many flits as it holds have room when the last has left.
 */
START_TEST(places_of_a_slice_are_those_of_requests_before)
{
	struct hd_l2_slice *slice = bring_line();
	uint64_t now = rig.now + 100;
	serve_line(slice, now, 7);
	uint32_t room = rig.memory->up.out[slice->index].capacity;
	for (uint32_t left = 0; left < 7; left++) /* the last `left` loads may still be there */
		ck_assert_uint_eq(hd_l2_reserved_room(slice, room - left, now),
				  left < 5 ? now + 17 - 4 * left : now + 1);
}
END_TEST

/* A packet that needs all of the queue is there in the cycle of these loads. It goes when the last of them has left, in
 * 17 cycles. The cycle in which it goes is the first of its latency, so that its first flit comes icnt_latency - 1
 * cycles later. The last flit comes flits - 1 cycles after the first. */
START_TEST(packets_go_when_their_slice_has_room)
{
	for (uint32_t by_output = 0; by_output < 2; by_output++) {
		tear_down();
		set_up();
		rig.config.icnt_inputs = by_output;
		struct hd_l2_slice *slice = bring_line();
		uint64_t now = ++rig.now, woken[2] = {0};
		serve_line(slice, now, 7);
		uint32_t flits = rig.memory->up.out[slice->index].capacity;
		struct hd_packet packet = {.kind = HD_PACKET_READ, .slice = (uint16_t)slice->index, .sectors = 15};
		packet.flits = (uint8_t)flits;
		hd_crossbar_push(&rig.memory->up, 0, &packet, now - 1);
		hd_memory_tick(rig.memory, now, woken);
		ck_assert_uint_eq(came_at(slice->index), now + 17 + rig.config.icnt_latency + flits - 2);
	}
}
END_TEST

/* A sector that a store writes is there beside those that were: nothing of them is read again. */
START_TEST(stores_leave_other_sectors_there)
{
	rig_build(&rig);
	bring(0);
	struct hd_mem_request store = rig_load(1, 32, 4, 4);
	store.kind = HD_MEM_STORE;
	store.mask = 0xff;
	rig_latency(&rig, &store);
	bring(0);
	bring(32);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.dram_reads, 1);
	ck_assert_uint_eq(total.counters.l2_misses, 1 + 1); /* the first load, and the store */
	ck_assert_uint_eq(total.counters.l2_hits, 2);
}
END_TEST

/* A partial write fetches; nobody waits for that, but it is work until it is there. */
START_TEST(fetches_for_writes_are_work)
{
	rig_build(&rig);
	struct hd_mem_request store = rig_load(1, 0, 0, 4);
	store.kind = HD_MEM_STORE;
	store.mask = 1;
	ck_assert_uint_eq(rig_latency(&rig, &store),
			  rig.config.l1_latency + 2 * rig.config.icnt_latency + rig.config.l2_latency + 1);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.dram_reads, 1);
	ck_assert_uint_eq(total.counters.l2_misses, 1);
}
END_TEST

/* An address of the slice and the set of address 0, behind `line`, or of another set. */
static uint64_t address_of_slice(bool same_set, uint64_t line)
{
	const struct hd_address_map *addresses = &rig.memory->map;
	const struct hd_l2_slice *slice = &rig.memory->slices[hd_address_slice(addresses, 0)];
	do
		line++;
	while (hd_address_slice(addresses, line) != slice->index ||
	       (hd_tags_set(&slice->tags, hd_address_in_slice(addresses, line)) == hd_tags_set(&slice->tags, 0)) !=
		       same_set);
	return line * 128;
}

/* A line is written back while a read is under way, whose command goes first: the write waits for that, and goes though
 * nothing else comes. */
START_TEST(writes_go_when_reads_have_gone)
{
	rig.config.l2_ways = 1;
	rig.config.l2_slice_bytes = 4096;
	rig_build(&rig);
	struct hd_mem_request store = rig_load(1, 0, 4, 4);
	store.kind = HD_MEM_STORE;
	rig_latency(&rig, &store);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_reads, 0);
	struct hd_mem_request read = load_of(2, address_of_slice(false, 0)),
			      other = load_of(3, address_of_slice(true, 0));
	rig_issue(&rig, 0, &read);
	rig_issue(&rig, 0, &other);
	rig_run(&rig);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_reads, 2);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_writes, 4);
}
END_TEST

static void access_line(enum hd_mem_kind kind, uint64_t address, uint32_t mask)
{
	struct hd_mem_request request = rig_load(1, address, 4, 4);
	request.kind = kind;
	request.mask = mask;
	request.cache = HD_CACHE_CG;
	rig_latency(&rig, &request);
}

/* One way of a set may be dirty. An atomic makes a line dirty, too: the line that was stored before is written to DRAM.
 * A store then has the atomic's one sector written. A load makes no line dirty and has none written. */
START_TEST(few_lines_of_a_set_are_dirty)
{
	rig.config.l2_dirty_ways = 1;
	rig_build(&rig);
	uint64_t second = address_of_slice(true, 0), third = address_of_slice(true, second / 128);
	access_line(HD_MEM_STORE, 0, 0xffffffff);
	access_line(HD_MEM_LOAD, second, 1);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_writes, 0);
	access_line(HD_MEM_ATOMIC, second, 1);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_writes, 4);
	access_line(HD_MEM_LOAD, third, 1);
	access_line(HD_MEM_LOAD, 0, 1);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_writes, 4);
	access_line(HD_MEM_STORE, third, 0xff);
	ck_assert_uint_eq(rig_total(&rig).counters.dram_writes, 5);
}
END_TEST

/* What the host copies into L2 is there, though sectors of the line whose place it takes were in flight. */
START_TEST(copies_are_there_at_once)
{
	rig.config.l2_ways = 1;
	rig.config.l2_slice_bytes = 4096;
	rig_build(&rig);
	uint64_t other = address_of_slice(true, 0);
	struct hd_mem_request request = load_of(1, 0);
	rig_issue(&rig, 0, &request);
	for (uint32_t i = 1; i <= 60; i++) {
		uint64_t woken[2] = {0};
		hd_memory_tick(rig.memory, ++rig.now, woken);
		hd_lsu_tick(rig.lsus[0], rig.now);
	}
	ck_assert_uint_eq(rig_total(&rig).counters.dram_reads, 1);
	hd_memory_copied(rig.memory, other, 128);
	request = load_of(2, other);
	rig_issue(&rig, 1, &request);
	rig_run(&rig);
	struct hd_stats total = rig_total(&rig);
	ck_assert_uint_eq(total.counters.l2_hits, 1);
	ck_assert_uint_eq(total.counters.l2_miss_replies, 1);
	ck_assert_uint_lt(rig.done[2], rig.done[1]);
}
END_TEST

START_TEST(dumps_show_what_is_reserved)
{
	char *text = NULL;
	size_t size = 0;
	rig_build(&rig);
	struct hd_mem_request request = rig_load(1, 0, 128, 4);
	rig_issue(&rig, 0, &request);
	for (uint32_t i = 1; i <= 60; i++) {
		uint64_t woken[2] = {0};
		hd_memory_tick(rig.memory, rig.now + i, woken);
		hd_lsu_tick(rig.lsus[0], rig.now + i);
	}
	ck_assert(!hd_memory_idle(rig.memory));
	FILE *out = open_memstream(&text, &size);
	hd_memory_dump(rig.memory, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "memory, reserved: "));
	ck_assert_ptr_nonnull(strstr(text, "l2 slice"));
	ck_assert_ptr_nonnull(strstr(text, "dram channel"));
	free(text);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("reserved");
	TCase *cases = tcase_create("cases");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, slots_give_the_first_gap);
	tcase_add_test(cases, slots_cross_words);
	tcase_add_test(cases, windows_of_slots_move);
	tcase_add_test(cases, reserving_finds_and_takes);
	tcase_add_test(cases, entries_come_in_their_cycles);
	tcase_add_test(cases, an_idle_hit_crosses_twice);
	tcase_add_test(cases, two_sms_share_the_ports_of_a_slice);
	tcase_add_test(cases, heads_block_with_single_queues_only);
	tcase_add_test(cases, of_several_heads_the_next_output_has_its_turn);
	tcase_add_test(cases, rows_are_opened_hit_and_closed);
	tcase_add_test(cases, banks_conflict);
	tcase_add_test(cases, commands_keep_their_distances);
	tcase_add_test(cases, four_activations_share_a_piece);
	tcase_add_test(cases, refreshes_are_known_for_1024_clocks);
	tcase_add_test(cases, refreshes_close_rows_and_take_their_time);
	tcase_add_test(cases, refreshes_go_before_rows_behind_them);
	tcase_add_test(cases, writes_are_drained_at_their_mark);
	tcase_add_test(cases, writes_go_early_where_no_read_waits);
	tcase_add_test(cases, the_bus_turns_round_for_writes);
	tcase_add_test(cases, reads_fill_the_queue);
	tcase_add_test(cases, merges_are_limited);
	tcase_add_test(cases, only_requests_count_as_merged);
	tcase_add_test(cases, mshrs_are_limited);
	tcase_add_test(cases, a_miss_fetches_its_aligned_block);
	tcase_add_test(cases, places_of_a_slice_are_those_of_requests_before);
	tcase_add_test(cases, packets_go_when_their_slice_has_room);
	tcase_add_test(cases, stores_leave_other_sectors_there);
	tcase_add_test(cases, fetches_for_writes_are_work);
	tcase_add_test(cases, writes_go_when_reads_have_gone);
	tcase_add_test(cases, few_lines_of_a_set_are_dirty);
	tcase_add_test(cases, copies_are_there_at_once);
	tcase_add_test(cases, dumps_show_what_is_reserved);
	suite_add_tcase(suite, cases);
	return suite;
}
