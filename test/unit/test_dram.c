/* DRAM channel: command timings worked out by hand, bandwidth, scheduling, the address map. */
#include "harness.h"

#include <string.h>

#include "memory_rig.h"
#include "runtime/memory/dram.h"

static struct hd_arena arena;
static struct hd_config config;
static struct hd_address_map map;
static struct hd_counters counters;
static struct hd_dram dram;

enum { FIXED = 100 };

/* One slice on one channel, core and DRAM on one clock, no fixed latency: cycles are DRAM clocks. */
static void set_up(void)
{
	hd_arena_init(&arena);
	hd_config_defaults(&config);
	memset(&counters, 0, sizeof(counters));
	config.core_mhz = config.dram_mhz = 1000;
	config.l2_slices = config.dram_channels = 1;
	config.dram_latency = 0;
}

static void build(void)
{
	hd_address_map_init(&map, &config);
	hd_dram_init(&dram, &config, &map, &counters, &arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

/* The channel's line that is number `column` in a row of a bank. */
static uint64_t line_at(uint32_t bank, uint32_t row, uint32_t column)
{
	for (uint64_t line = 0;; line++) {
		struct hd_dram_place place = hd_address_dram(&map, 0, line);
		if (place.bank == bank && place.row == row && line / map.groups % map.row_lines == column)
			return line;
		ck_assert_uint_lt(line, 1u << 20);
	}
}

/* Runs until the next fill and returns its cycle. */
static uint64_t next_fill(uint32_t *tag)
{
	struct hd_dram_fill fill;
	while (!hd_dram_fill(&dram, &fill)) {
		ck_assert_uint_ne(dram.next, HD_NEVER);
		hd_dram_tick(&dram, dram.next);
	}
	if (tag)
		*tag = fill.tag;
	return fill.ready;
}

static void run_out(void)
{
	struct hd_dram_fill fill;
	while (dram.next != HD_NEVER) {
		hd_dram_tick(&dram, dram.next);
		while (hd_dram_fill(&dram, &fill))
			;
	}
}

static void read_sector(uint64_t now, uint64_t line, uint32_t tag)
{
	hd_dram_push(&dram, now, HD_DRAM_READ, 0, line, 1, tag, 0);
}

/* Half as many writes as reads, or as many as is said, but two at least; they are drained from seven eighths on to a
 * half. Reads and writes of one queue take two places at least. */
START_TEST(queues_have_room)
{
	static const struct {
		uint32_t queue, write_queue, mixed, reads, writes, high, low;
	} rows[] = {
		{64, 0, 0, 64, 32, 28, 16}, {1, 0, 0, 1, 2, 2, 1}, {3, 0, 0, 3, 2, 2, 1},    {4, 0, 0, 4, 2, 2, 1},
		{6, 0, 0, 6, 3, 3, 1},	    {4, 1, 0, 4, 2, 2, 1}, {4, 2, 0, 4, 2, 2, 1},    {4, 3, 0, 4, 3, 3, 1},
		{4, 16, 0, 4, 16, 14, 8},   {1, 0, 1, 2, 2, 2, 1}, {2, 16, 1, 2, 16, 14, 8},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		config.dram_queue = rows[i].queue;
		config.dram_write_queue = rows[i].write_queue;
		config.dram_writes = rows[i].mixed ? HD_DRAM_WRITES_MIXED : HD_DRAM_WRITES_APART;
		build();
		ck_assert_uint_eq(dram.limit[HD_DRAM_READ], rows[i].reads);
		ck_assert_uint_eq(dram.limit[HD_DRAM_WRITE], rows[i].writes);
		ck_assert_uint_eq(dram.drain_high, rows[i].high);
		ck_assert_uint_eq(dram.drain_low, rows[i].low);
	}
}
END_TEST

/* With the defaults: tRCD 12, tCL 12, one clock of data. A request pushed at t is seen at t + 1. */
START_TEST(a_closed_bank_costs_an_activation)
{
	build();
	read_sector(100, line_at(0, 0, 0), 7);
	uint32_t tag;
	ck_assert_uint_eq(next_fill(&tag), 101 + 12 + 12 + 1);
	ck_assert_uint_eq(tag, 7);
	ck_assert_uint_eq(counters.dram_activations, 1);
	ck_assert_uint_eq(counters.dram_reads, 1);
	ck_assert_uint_eq(counters.dram_row_hits, 0);
}
END_TEST

START_TEST(an_open_row_does_not)
{
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	read_sector(200, line_at(0, 0, 1), 0);
	ck_assert_uint_eq(next_fill(NULL), 201 + 12 + 1);
	ck_assert_uint_eq(counters.dram_row_hits, 1);
}
END_TEST

START_TEST(another_row_costs_a_precharge_too)
{
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	read_sector(200, line_at(0, 1, 0), 0); /* long after tRAS and tRC */
	ck_assert_uint_eq(next_fill(NULL), 201 + 12 + 12 + 12 + 1);
	ck_assert_uint_eq(counters.dram_activations, 2);
}
END_TEST

START_TEST(rows_stay_open_for_their_time)
{
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	read_sector(100, line_at(0, 1, 0), 1);
	ck_assert_uint_eq(next_fill(NULL), 126);
	/* Activated at 101, read at 113. Precharge at max(101 + tRAS 28, 113 + tRTPL 3) = 129, activation at
	 * max(129 + tRP 12, 101 + tRC 40) = 141. */
	ck_assert_uint_eq(next_fill(NULL), 141 + 12 + 12 + 1);
}
END_TEST

START_TEST(columns_of_a_group_keep_their_distance)
{
	build();
	for (uint32_t i = 0; i < 3; i++)
		read_sector(100, line_at(0, 0, i), i);
	ck_assert_uint_eq(next_fill(NULL), 126);
	ck_assert_uint_eq(next_fill(NULL), 128); /* tCCD_L 2 */
	ck_assert_uint_eq(next_fill(NULL), 130);
}
END_TEST

START_TEST(columns_of_other_groups_follow_at_once)
{
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	read_sector(100, line_at(1, 0, 0), 1);
	next_fill(NULL);
	next_fill(NULL);
	read_sector(200, line_at(0, 0, 1), 0);
	read_sector(200, line_at(1, 0, 1), 1);
	ck_assert_uint_eq(next_fill(NULL), 201 + 12 + 1);
	ck_assert_uint_eq(next_fill(NULL), 202 + 12 + 1); /* tCCD 1 */
}
END_TEST

START_TEST(activations_keep_their_distance)
{
	build();
	for (uint32_t bank = 0; bank < 3; bank++)
		read_sector(100, line_at(bank, 0, 0), bank);
	for (uint32_t bank = 0; bank < 3; bank++)
		ck_assert_uint_eq(next_fill(NULL), 126 + 3 * bank); /* tRRD 3 */
}
END_TEST

/* The fifth of five is 30 clocks after the first, the sixth after the second. */
START_TEST(four_activations_share_a_window)
{
	config.t_faw = 30;
	build();
	for (uint32_t bank = 0; bank < 6; bank++)
		read_sector(100, line_at(bank, 0, 0), bank);
	for (uint32_t bank = 0; bank < 4; bank++)
		ck_assert_uint_eq(next_fill(NULL), 126 + 3 * bank);
	ck_assert_uint_eq(next_fill(NULL), 126 + 30);
	ck_assert_uint_eq(next_fill(NULL), 126 + 3 + 30);
}
END_TEST

/* A read that is seen in the clock before the refresh has its column then; in the very clock it comes behind it. */
START_TEST(a_refresh_goes_first_in_its_clock)
{
	for (uint32_t late = 0; late < 2; late++) {
		config.t_refi = 1000;
		config.t_rfc = 200;
		memset(&counters, 0, sizeof counters);
		build();
		read_sector(100, line_at(0, 0, 0), 0);
		ck_assert_uint_eq(next_fill(NULL), 126);
		read_sector(998 + late, line_at(0, 0, 1), 0);
		ck_assert_uint_eq(next_fill(NULL), late ? 1000 + 12 + 200 + 12 + 12 + 1 : 999 + 12 + 1);
	}
}
END_TEST

/* Due at 1000: the rows are closed then, tRP 12, and busy for 200 clocks; a read that comes meanwhile waits for that.
 */
START_TEST(a_refresh_closes_rows_and_takes_its_time)
{
	config.t_refi = 1000;
	config.t_rfc = 200;
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	ck_assert_uint_eq(next_fill(NULL), 126);
	read_sector(990, line_at(0, 0, 1), 0);
	ck_assert_uint_eq(next_fill(NULL), 991 + 12 + 1);
	read_sector(1010, line_at(0, 0, 2), 0);
	ck_assert_uint_eq(next_fill(NULL), 1000 + 12 + 200 + 12 + 12 + 1);
	read_sector(1010, line_at(1, 0, 0), 0);
	ck_assert_uint_gt(next_fill(NULL), 1212);
	ck_assert_uint_eq(counters.dram_activations, 3);
	read_sector(1500, line_at(0, 0, 3), 0); /* that row is still open */
	ck_assert_uint_eq(next_fill(NULL), 1501 + 12 + 1);
}
END_TEST

/* After idle clocks only the last refresh can matter: it is over, or what is left of it has to be waited for. */
START_TEST(refreshes_of_idle_clocks_are_made_up_for)
{
	config.t_refi = 1000;
	config.t_rfc = 200;
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	read_sector(7500, line_at(0, 0, 1), 0);
	ck_assert_uint_eq(next_fill(NULL), 7501 + 12 + 12 + 1);
	read_sector(20150, line_at(0, 0, 2), 0);
	ck_assert_uint_eq(next_fill(NULL), 20012 + 200 + 12 + 12 + 1); /* its row was open until 20000 */
	run_out();
	ck_assert_uint_eq(dram.next, HD_NEVER);
}
END_TEST

/* 16 banks, one each 100 clocks: bank 3 at 300 and 1900, while the row of bank 4, due at 400, stays open. */
START_TEST(banks_are_refreshed_one_after_the_other)
{
	config.t_refi = 1600;
	config.t_rfc = 200;
	config.dram_refresh = HD_DRAM_REFRESH_BANK;
	build();
	read_sector(100, line_at(3, 0, 0), 0);
	next_fill(NULL);
	read_sector(130, line_at(4, 0, 0), 0);
	next_fill(NULL);
	read_sector(350, line_at(3, 0, 1), 3);
	read_sector(350, line_at(4, 0, 1), 4);
	uint32_t tag;
	ck_assert_uint_eq(next_fill(&tag), 351 + 12 + 1);
	ck_assert_uint_eq(tag, 4);
	ck_assert_uint_eq(next_fill(&tag), 300 + 12 + 200 + 12 + 12 + 1);
	ck_assert_uint_eq(tag, 3);
	read_sector(1950, line_at(3, 0, 2), 3);
	ck_assert_uint_eq(next_fill(&tag), 1900 + 12 + 200 + 12 + 12 + 1);
}
END_TEST

START_TEST(a_read_waits_after_a_write)
{
	build();
	hd_dram_push(&dram, 100, HD_DRAM_WRITE, 0, line_at(0, 0, 0), 1, 0, 0);
	while (!counters.dram_writes)
		hd_dram_tick(&dram, dram.next);
	/* Activated at 101, written at 113, data 115 to 116 (tWL 2), read command at 116 + tCDLR 3. */
	read_sector(113, line_at(0, 0, 1), 0);
	ck_assert_uint_eq(next_fill(NULL), 119 + 12 + 1);
}
END_TEST

START_TEST(a_precharge_waits_for_the_written_data)
{
	build();
	hd_dram_push(&dram, 100, HD_DRAM_WRITE, 0, line_at(0, 0, 0), 1, 0, 0);
	while (!counters.dram_writes)
		hd_dram_tick(&dram, dram.next);
	read_sector(113, line_at(0, 1, 0), 0);
	/* Precharge at max(101 + 28, 116 + tWR 10) = 129. */
	ck_assert_uint_eq(next_fill(NULL), 129 + 12 + 12 + 12 + 1);
}
END_TEST

/* Runs through the clocks before `cycle`, then through that one: writes that have been issued by then, each. */
static void writes_around(uint64_t cycle, uint64_t *before, uint64_t *after)
{
	hd_dram_tick(&dram, cycle - 1);
	*before = counters.dram_writes;
	hd_dram_tick(&dram, cycle);
	*after = counters.dram_writes;
}

/*
 * The row is open; a read command at 201 has its data from 213 (tCL 12) to 214. Data of a write may follow two clocks
 * behind, at 216, for which the command (tWL 2) is at 214; the write itself, which waits until no reads are left, could
 * have gone at 203 (tCCD_L 2).
 */
START_TEST(a_write_waits_until_the_bus_has_turned_round)
{
	uint64_t before, after;
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	read_sector(200, line_at(0, 0, 1), 0);
	hd_dram_push(&dram, 200, HD_DRAM_WRITE, 0, line_at(0, 0, 2), 1, 0, 0);
	writes_around(214, &before, &after);
	ck_assert_uint_eq(before, 0);
	ck_assert_uint_eq(after, 1);
}
END_TEST

/*
 * A write to a row that has long been open: command at 201, data 203 (tWL 2) to 204. The row of the bank may be closed
 * tWR 10 after that, at 214; tRP 12 later the other is opened, tRCD 12 later it is read.
 */
START_TEST(write_recovery_begins_behind_the_data)
{
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	hd_dram_push(&dram, 200, HD_DRAM_WRITE, 0, line_at(0, 0, 1), 1, 0, 0);
	hd_dram_tick(&dram, 201);
	ck_assert_uint_eq(counters.dram_writes, 1);
	read_sector(201, line_at(0, 1, 0), 0);
	ck_assert_uint_eq(next_fill(NULL), 214 + 12 + 12 + 12 + 1);
}
END_TEST

/* A read from a row that has long been open, at 201: it may be closed tRTPL 3 later. */
START_TEST(a_row_is_closed_some_time_after_a_read)
{
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	read_sector(200, line_at(0, 0, 1), 0);
	ck_assert_uint_eq(next_fill(NULL), 201 + 12 + 1);
	read_sector(201, line_at(0, 1, 0), 0);
	ck_assert_uint_eq(next_fill(NULL), 204 + 12 + 12 + 12 + 1);
}
END_TEST

/* Of banks whose rows wait to be opened that of the oldest request is first, whatever its number. */
START_TEST(rows_are_opened_in_the_order_of_requests)
{
	static const uint32_t orders[][3] = {{2, 0, 1}, {0, 1, 2}, {1, 2, 0}, {2, 1, 0}};
	build();
	for (uint32_t round = 0; round < 4; round++) {
		uint64_t now = 1000 * (round + 1);
		uint32_t tag;
		for (uint32_t i = 0; i < 3; i++)
			read_sector(now, line_at(orders[round][i], round, 0), i);
		for (uint32_t i = 0; i < 3; i++) {
			/* From the second round on a precharge comes first, one in a clock: tRP 12 later, tRRD 3 apart.
			 */
			ck_assert_uint_eq(next_fill(&tag), now + 1 + (round ? 12 : 0) + 12 + 12 + 1 + 3 * i);
			ck_assert_uint_eq(tag, i);
		}
	}
}
END_TEST

/*
 * One row command in a clock: whose request is older goes first, be it to close a row (bank 0) or to open one (bank 1).
 * Closed first at 1001, the row of bank 0 is opened at 1013, bank 1's at 1002; else bank 1's at 1001 and bank 0's,
 * which is closed at 1002, at 1014. tRCD 12, tCL 12, one clock of data.
 */
START_TEST(the_oldest_has_the_row_command)
{
	for (uint32_t first = 0; first < 2; first++) {
		uint32_t tag;
		build();
		read_sector(100, line_at(0, 0, 0), 0);
		next_fill(NULL);
		for (uint32_t i = 0; i < 2; i++)
			read_sector(1000, line_at(first ^ i, 1, 0), first ^ i);
		ck_assert_uint_eq(next_fill(&tag), (first ? 1001 : 1002) + 12 + 12 + 1);
		ck_assert_uint_eq(tag, 1);
		ck_assert_uint_eq(next_fill(&tag), (first ? 1014 : 1013) + 12 + 12 + 1);
		ck_assert_uint_eq(tag, 0);
	}
}
END_TEST

START_TEST(bursts_occupy_the_data_bus)
{
	config.dram_bus = 2; /* GDDR6: 16 beats at 4 a clock, 4 clocks for 32 bytes */
	config.dram_burst = 16;
	config.dram_ratio = 4;
	build();
	hd_dram_push(&dram, 100, HD_DRAM_READ, 0, line_at(0, 0, 0), 0xf, 0, 0);
	ck_assert_uint_eq(next_fill(NULL), 101 + 12 + 12 + 4 * 4);
	ck_assert_uint_eq(counters.dram_row_hits, 3);
}
END_TEST

START_TEST(the_fixed_latency_and_the_clocks_are_added)
{
	config.core_mhz = 2000; /* DRAM clock k at core cycle 2k */
	config.dram_latency = FIXED;
	build();
	read_sector(100, line_at(0, 0, 0), 0); /* seen in clock 51, data until clock 76 */
	ck_assert_uint_eq(next_fill(NULL), 2 * 76 + FIXED);
}
END_TEST

START_TEST(row_hits_go_first_then_the_oldest)
{
	uint32_t tag;
	build();
	read_sector(100, line_at(0, 0, 0), 0);
	next_fill(NULL);
	read_sector(200, line_at(0, 1, 0), 1);
	read_sector(200, line_at(0, 0, 5), 2); /* younger, but its row is open */
	next_fill(&tag);
	ck_assert_uint_eq(tag, 2);
	next_fill(&tag);
	ck_assert_uint_eq(tag, 1);
}
END_TEST

START_TEST(nobody_starves)
{
	uint32_t tag = 0;
	build();
	read_sector(100, line_at(0, 1, 0), 1);
	uint64_t hits = line_at(0, 0, 0), now = 100;
	read_sector(100, hits, 0);
	for (uint32_t i = 0; i < 3; i++)
		read_sector(100, hits + 4 * i, 0);
	/* Row 1 was first; now keep row 1 busy for ever and ask for row 0. */
	for (now = 101; tag != 9 && now < 20000; now++) {
		struct hd_dram_fill fill;
		if (now == 300)
			read_sector(now, line_at(0, 2, 0), 9);
		if (hd_dram_room(&dram, HD_DRAM_READ) && dram.count[HD_DRAM_READ] < 8)
			read_sector(now, line_at(0, 1, 3), 1);
		hd_dram_tick(&dram, now);
		while (hd_dram_fill(&dram, &fill))
			tag = fill.tag;
	}
	ck_assert_uint_eq(tag, 9);
	ck_assert_uint_gt(now, 1000);
	run_out();
}
END_TEST

/*
 * 4096 clocks after a request has arrived, seen the clock after its push, reads of the open row still go first; from
 * the next on it does. They are two clocks apart (tCCD_L), so of two pushes that are one apart, one is met in that
 * clock.
 */
START_TEST(an_open_row_is_closed_after_4096_clocks)
{
	for (uint32_t odd = 0; odd < 2; odd++) {
		uint64_t last = 0, pushed = 300 + odd;
		uint32_t tag = 0;
		build();
		uint64_t hit = line_at(0, 0, 0), other = line_at(0, 1, 0);
		for (uint64_t now = 100; tag != 9; now++) {
			struct hd_dram_fill fill;
			ck_assert_uint_lt(now, 10000);
			if (now == pushed)
				read_sector(now, other, 9);
			if (dram.count[HD_DRAM_READ] < 8)
				read_sector(now, hit, 1);
			hd_dram_tick(&dram, now);
			while (tag != 9 && hd_dram_fill(&dram, &fill)) {
				tag = fill.tag;
				last = tag == 9 ? last : fill.ready - 12 - 1; /* tCL and the data */
			}
		}
		ck_assert_uint_gt(last, pushed + 1 + 4096);
		ck_assert_uint_le(last, pushed + 1 + 4096 + 2);
	}
}
END_TEST

/* Keeps reads coming; writes drain only from 7/8 of their queue, down to a half. It is half as long as that of the
 * reads, 32, or as configured. */
START_TEST(writes_wait_until_their_queue_fills)
{
	uint32_t writes = 0, places = _i ? 64 : 32;
	config.dram_write_queue = _i ? 64 : 0;
	build();
	for (uint64_t now = 100; now < 4000; now++) {
		struct hd_dram_fill fill;
		if (dram.count[HD_DRAM_READ] < 4)
			read_sector(now, line_at(0, 0, 0) + 4 * (now % 16), 0);
		if (now % 8 == 0 && hd_dram_room(&dram, HD_DRAM_WRITE)) {
			hd_dram_push(&dram, now, HD_DRAM_WRITE, 0, line_at(1, 0, (uint32_t)(writes % 16)), 1, 0, 0);
			if (++writes < places * 7 / 8)
				ck_assert_uint_eq(counters.dram_writes, 0);
		}
		hd_dram_tick(&dram, now);
		while (hd_dram_fill(&dram, &fill))
			;
	}
	ck_assert_uint_gt(counters.dram_writes, 100);
	ck_assert_uint_le(writes - counters.dram_writes, places);
	run_out();
	ck_assert_uint_eq(counters.dram_writes, writes);
}
END_TEST

/* Without dram_write_early writes are at rest below 7/8 of their queue though nothing else is there; the one that
 * reaches the mark has all down to a half written before a read that comes meanwhile, and the rest is nobody's after
 * its grid. */
START_TEST(late_writes_go_together_and_before_reads)
{
	static struct hd_counters of[HD_MEM_GRIDS + 1];
	uint32_t tag = 0;
	memset(of, 0, sizeof of);
	config.dram_write_queue = 64;
	config.dram_write_early = 0;
	build();
	dram.counters = of;
	for (uint32_t i = 0; i < 55; i++)
		hd_dram_push(&dram, 100, HD_DRAM_WRITE, 0, line_at(1, i / 16, i % 16), 1, 0, 3);
	run_out();
	ck_assert_uint_eq(of[3].dram_writes, 0);
	ck_assert(hd_dram_idle(&dram));
	hd_dram_push(&dram, 5000, HD_DRAM_WRITE, 0, line_at(1, 3, 7), 1, 0, 3);
	ck_assert(!hd_dram_idle(&dram));
	hd_dram_tick(&dram, 5001);
	read_sector(5001, line_at(0, 0, 0), 7);
	next_fill(&tag);
	ck_assert_uint_eq(tag, 7);
	ck_assert_uint_eq(of[3].dram_writes, 24);
	run_out();
	ck_assert(hd_dram_idle(&dram));
	ck_assert_uint_eq(dram.count[HD_DRAM_WRITE], 32);
	hd_dram_disown(&dram, 3);
	for (uint32_t i = 0; i < 24; i++)
		hd_dram_push(&dram, 9000, HD_DRAM_WRITE, 0, line_at(1, i / 16, i % 16), 1, 0, 3);
	run_out();
	ck_assert_uint_eq(of[3].dram_writes + of[HD_MEM_NOBODY].dram_writes, 48);
	ck_assert_uint_gt(of[HD_MEM_NOBODY].dram_writes, 0);
}
END_TEST

/*
 * Four reads of rows of their own in one bank: the first has an activation and a read, the others a precharge, too. The
 * channel is called for each of these commands and for nothing else.
 */
START_TEST(it_wakes_for_commands_alone)
{
	struct hd_dram_fill fill;
	uint32_t ticks = 0, fills = 0;
	config.t_refi = 0;
	build();
	for (uint32_t row = 0; row < 4; row++)
		read_sector(100, line_at(0, row, 0), row);
	for (; dram.next != HD_NEVER; ticks++) {
		hd_dram_tick(&dram, dram.next);
		while (hd_dram_fill(&dram, &fill))
			fills++;
	}
	ck_assert_uint_eq(fills, 4);
	ck_assert_uint_eq(ticks, 2 + 3 * 3);
}
END_TEST

/*
 * With the defaults: a write's data begin tWL 2 after its command, so that a read of another bank may follow 1 + 2 +
 * tCDLR 3 clocks after the write's. Apart, the write waits until no reads are left; mixed, it is served in its turn.
 */
START_TEST(writes_among_the_reads_are_served_in_their_turn)
{
	for (uint32_t mixed = 0; mixed < 2; mixed++) {
		struct hd_dram_fill fill;
		config.dram_writes = mixed;
		build();
		uint64_t written_at = 0;
		hd_dram_push(&dram, 100, HD_DRAM_WRITE, 0, line_at(0, 0, 0), 1, 0, 0);
		for (uint64_t now = 100; now < 2000; now++) {
			if (dram.count[HD_DRAM_READ] < 8)
				read_sector(now, line_at(0, 0, 1), 0);
			hd_dram_tick(&dram, now);
			while (hd_dram_fill(&dram, &fill))
				;
			written_at = !written_at && counters.dram_writes ? now : written_at;
		}
		if (mixed)
			ck_assert_uint_eq(written_at, 101 + 12);
		else
			ck_assert_uint_eq(written_at, 0);
		run_out();
		memset(&counters, 0, sizeof counters);
	}
}
END_TEST

/* The bus turns round all the same, and a victim beside a miss finds room. */
START_TEST(writes_among_the_reads_turn_the_bus_round)
{
	config.dram_writes = HD_DRAM_WRITES_MIXED;
	config.dram_queue = 8;
	build();
	hd_dram_push(&dram, 100, HD_DRAM_WRITE, 0, line_at(0, 0, 0), 1, 0, 0);
	read_sector(100, line_at(0, 0, 1), 0);
	ck_assert_uint_eq(next_fill(NULL), 101 + 12 + (2 + 1 + 3) + 12 + 1);
	run_out();
	uint32_t pushed = 0;
	for (; hd_dram_room(&dram, HD_DRAM_READ) && hd_dram_room(&dram, HD_DRAM_WRITE); pushed += 2) {
		read_sector(300, line_at(0, 0, pushed % 16), 0);
		hd_dram_push(&dram, 300, HD_DRAM_WRITE, 0, line_at(1, 0, pushed % 16), 1, 0, 0);
	}
	ck_assert_uint_eq(pushed, 8);
	run_out();
	ck_assert(hd_dram_idle(&dram));
	ck_assert_uint_eq(counters.dram_writes, 5);
}
END_TEST

/* Lines of a row follow each other, then those of the next bank of the group; a group is a quarter of the banks. With
 * bursts of one clock, tCCD 1 and tCCD_L 2 a stream within a group has half of the bus, and one of all groups all. */
START_TEST(rows_first_keeps_a_stream_in_a_bank_group)
{
	for (uint32_t rows = 0; rows < 2; rows++) {
		config.dram_map = rows;
		build();
		struct hd_dram_place last = hd_address_dram(&map, 0, 15), next = hd_address_dram(&map, 0, 16);
		ck_assert_uint_eq(last.bank, rows ? 0 : 3);
		ck_assert_uint_eq(next.bank, rows ? 1 : 0);
		for (uint32_t line = 0; line < 32; line++)
			read_sector(100, line, 0);
		uint64_t end = 0;
		for (uint32_t line = 0; line < 32; line++)
			end = next_fill(NULL);
		if (rows)
			ck_assert_uint_ge(end, 101 + 12 + 12 + 2 * 31);
		else
			ck_assert_uint_le(end, 101 + 12 + 12 + 3 * 3 + 32 + 2);
	}
}
END_TEST

/* There bank 4 is the first of the second group, and bank 3 the last of the first. */
START_TEST(a_group_is_a_quarter_of_the_banks)
{
	for (uint32_t bank = 3; bank <= 4; bank++) {
		uint64_t end = 0;
		config.dram_map = HD_DRAM_MAP_ROWS;
		build();
		for (uint32_t i = 0; i < 32; i++)
			read_sector(100, i / 2 + i % 2 * bank * 16, 0);
		for (uint32_t i = 0; i < 32; i++)
			end = next_fill(NULL);
		if (bank == 3)
			ck_assert_uint_ge(end, 101 + 12 + 12 + 2 * 31);
		else
			ck_assert_uint_le(end, 101 + 12 + 12 + 3 + 32 + 2);
	}
}
END_TEST

/* ---- bandwidth */

static const struct {
	const char *name;
	double core_mhz, dram_mhz;
	uint32_t bus, burst, ratio, ccd, ccdl, rrd, rcd, ras, rp, rc, cl, wl, rtpl;
} cards[] = {
	{"V100", 1132, 850, 16, 2, 2, 1, 2, 3, 12, 28, 12, 40, 12, 2, 3},
	{"GTX480", 700, 924, 8, 8, 4, 2, 3, 6, 12, 28, 12, 40, 12, 4, 2},
	{"RTX3070", 1132, 3500.5, 2, 16, 4, 4, 6, 12, 24, 55, 24, 78, 24, 8, 4},
};

static void use_card(uint32_t card)
{
	config.core_mhz = cards[card].core_mhz;
	config.dram_mhz = cards[card].dram_mhz;
	config.dram_bus = cards[card].bus;
	config.dram_burst = cards[card].burst;
	config.dram_ratio = cards[card].ratio;
	config.t_ccd = cards[card].ccd;
	config.t_ccdl = cards[card].ccdl;
	config.t_rrd = cards[card].rrd;
	config.t_rcd = cards[card].rcd;
	config.t_ras = cards[card].ras;
	config.t_rp = cards[card].rp;
	config.t_rc = cards[card].rc;
	config.t_cl = cards[card].cl;
	config.t_wl = cards[card].wl;
	config.t_rtpl = cards[card].rtpl;
}

/* Bytes a second over the peak of bus * ratio * clock, for sectors of lines `step` apart, kept coming. */
static double share_of_peak(uint64_t step, uint8_t sectors, uint32_t write_every)
{
	uint64_t now = 1, line = 0, cycles = 20000;
	for (; now < cycles; now++) {
		struct hd_dram_fill fill;
		for (;;) {
			enum hd_dram_mode mode = write_every && line % write_every == 0 ? HD_DRAM_WRITE : HD_DRAM_READ;
			if (!hd_dram_room(&dram, mode))
				break;
			hd_dram_push(&dram, now, mode, 0, line++ * step, sectors, 0, 0);
		}
		hd_dram_tick(&dram, now);
		while (hd_dram_fill(&dram, &fill))
			;
	}
	double bytes = (double)(counters.dram_reads + counters.dram_writes) * 32;
	double peak = (double)(config.dram_bus * config.dram_ratio) * config.dram_mhz / config.core_mhz;
	return bytes / (peak * (double)cycles);
}

START_TEST(streams_reach_the_peak)
{
	use_card((uint32_t)_i);
	build();
	double share = share_of_peak(1, 0xf, 0);
	ck_assert_msg(share >= 0.85 && share <= 1, "%s: %f of the peak", cards[_i].name, share);
}
END_TEST

START_TEST(turnarounds_cost_bandwidth)
{
	use_card((uint32_t)_i);
	build();
	double share = share_of_peak(1, 0xf, 2);
	ck_assert_msg(share >= 0.5 && share < 0.97, "%s: %f of the peak", cards[_i].name, share);
}
END_TEST

START_TEST(row_misses_cost_bandwidth)
{
	build();
	/* A sector of each row: one activation in tRRD 3 clocks, each for one clock of data. */
	double share = share_of_peak((uint64_t)map.banks * map.row_lines, 0x1, 0);
	double bound = 1.0 / 3 * config.core_mhz / config.dram_mhz;
	ck_assert_msg(share <= bound && share >= 0.85 * bound, "%f of the peak", share);
}
END_TEST

/* ---- the map */

START_TEST(the_map_is_one_to_one)
{
	static const uint32_t slices[] = {1, 12, 16, 48, 64};
	enum { LINES = 1 << 14 };
	static uint8_t seen[64][LINES / 64 * 64];
	config.l2_slices = slices[_i];
	hd_address_map_init(&map, &config);
	memset(seen, 0, sizeof(seen));
	for (uint64_t line = 0; line < LINES; line++) {
		uint32_t slice = hd_address_slice(&map, line);
		uint64_t place = hd_address_in_slice(&map, line);
		ck_assert_uint_lt(slice, slices[_i]);
		ck_assert_uint_eq(seen[slice][place], 0);
		seen[slice][place] = 1;
	}
}
END_TEST

START_TEST(strides_of_powers_of_two_do_not_camp)
{
	static const uint32_t slices[] = {12, 16, 48, 64};
	config.l2_slices = slices[_i / 12];
	hd_address_map_init(&map, &config);
	uint32_t count[64] = {0}, most = 0, lines = 64 * (uint32_t)config.l2_slices;
	for (uint64_t i = 0; i < lines; i++) {
		uint32_t slice = hd_address_slice(&map, i << _i % 12);
		if (++count[slice] > most)
			most = count[slice];
	}
	ck_assert_msg(most <= 2 * 64, "%u of %u lines in one of %u slices at stride %u", most, lines,
		      (uint32_t)config.l2_slices, 1u << _i % 12);
}
END_TEST

/* ---- low priority */

static void push_low(uint64_t now, uint64_t line, uint32_t tag)
{
	hd_dram_push_low(&dram, now, HD_DRAM_READ, 0, line, 1, tag, 0);
}

START_TEST(others_go_before_low_ones)
{
	uint32_t tag;
	build();
	/* Low ones of an open row, and one of that bank and one of another that are not low and came last. */
	for (uint32_t i = 0; i < 8; i++)
		push_low(100, line_at(0, 0, i), i);
	next_fill(&tag);
	ck_assert_uint_eq(tag, 0);
	hd_dram_push(&dram, dram.cycle, HD_DRAM_READ, 0, line_at(0, 1, 0), 1, 100, 0);
	hd_dram_push(&dram, dram.cycle, HD_DRAM_READ, 0, line_at(0, 1, 1), 1, 101, 0);
	uint32_t before = 0;
	while (next_fill(&tag), tag < 100)
		before++;
	/* What was in its burst, not the row's other seven. */
	ck_assert_uint_le(before, 1);
	ck_assert_uint_eq(tag, 100);
	next_fill(&tag);
	ck_assert_uint_eq(tag, 101);
	for (uint32_t i = before + 1; i < 8; i++) {
		next_fill(&tag);
		ck_assert_uint_eq(tag, i);
	}
	ck_assert(hd_dram_idle(&dram));
}
END_TEST

START_TEST(low_ones_alone_are_served_as_others)
{
	uint64_t done[2];
	for (uint32_t low = 0; low < 2; low++) {
		build();
		for (uint32_t i = 0; i < 30; i++) {
			if (low)
				push_low(100, line_at(i % 3, i % 2, i / 6), i);
			else
				hd_dram_push(&dram, 100, HD_DRAM_READ, 0, line_at(i % 3, i % 2, i / 6), 1, i, 0);
		}
		for (uint32_t i = 0; i < 30; i++)
			done[low] = next_fill(NULL);
	}
	ck_assert_uint_eq(done[0], done[1]);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("dram");
	TCase *cases = tcase_create("cases");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, queues_have_room);
	tcase_add_test(cases, a_closed_bank_costs_an_activation);
	tcase_add_test(cases, an_open_row_does_not);
	tcase_add_test(cases, another_row_costs_a_precharge_too);
	tcase_add_test(cases, rows_stay_open_for_their_time);
	tcase_add_test(cases, columns_of_a_group_keep_their_distance);
	tcase_add_test(cases, columns_of_other_groups_follow_at_once);
	tcase_add_test(cases, activations_keep_their_distance);
	tcase_add_test(cases, four_activations_share_a_window);
	tcase_add_test(cases, a_refresh_closes_rows_and_takes_its_time);
	tcase_add_test(cases, a_refresh_goes_first_in_its_clock);
	tcase_add_test(cases, refreshes_of_idle_clocks_are_made_up_for);
	tcase_add_test(cases, banks_are_refreshed_one_after_the_other);
	tcase_add_test(cases, a_read_waits_after_a_write);
	tcase_add_test(cases, a_precharge_waits_for_the_written_data);
	tcase_add_test(cases, a_write_waits_until_the_bus_has_turned_round);
	tcase_add_test(cases, write_recovery_begins_behind_the_data);
	tcase_add_test(cases, a_row_is_closed_some_time_after_a_read);
	tcase_add_test(cases, rows_are_opened_in_the_order_of_requests);
	tcase_add_test(cases, the_oldest_has_the_row_command);
	tcase_add_test(cases, bursts_occupy_the_data_bus);
	tcase_add_test(cases, the_fixed_latency_and_the_clocks_are_added);
	tcase_add_test(cases, row_hits_go_first_then_the_oldest);
	tcase_add_test(cases, nobody_starves);
	tcase_add_test(cases, others_go_before_low_ones);
	tcase_add_test(cases, low_ones_alone_are_served_as_others);
	tcase_add_test(cases, an_open_row_is_closed_after_4096_clocks);
	tcase_add_loop_test(cases, writes_wait_until_their_queue_fills, 0, 2);
	tcase_add_test(cases, late_writes_go_together_and_before_reads);
	tcase_add_test(cases, it_wakes_for_commands_alone);
	tcase_add_test(cases, writes_among_the_reads_are_served_in_their_turn);
	tcase_add_test(cases, writes_among_the_reads_turn_the_bus_round);
	tcase_add_test(cases, rows_first_keeps_a_stream_in_a_bank_group);
	tcase_add_test(cases, a_group_is_a_quarter_of_the_banks);
	tcase_add_loop_test(cases, streams_reach_the_peak, 0, 3);
	tcase_add_loop_test(cases, turnarounds_cost_bandwidth, 0, 3);
	tcase_add_test(cases, row_misses_cost_bandwidth);
	tcase_add_loop_test(cases, the_map_is_one_to_one, 0, 5);
	tcase_add_loop_test(cases, strides_of_powers_of_two_do_not_camp, 0, 48);
	suite_add_tcase(suite, cases);
	return suite;
}
