/* Copies in bulk in time: of bytes side by side, prefetches, and groups of stores. */
#include "bulk_bench.h"
#include "harness.h"
#include "heddle/opcodes.h"

/*
 * A copy is issued in cycle 1, the first request 40 cycles later. The way to L2 and back is what is left of a line's
 * cycles: the copy is there 30 cycles, a wake, before the warp goes on.
 */
static uint32_t way(uint32_t cycles)
{
	return cycles - 1 - LATENCY - WAKE;
}

START_TEST(copies_take_the_time_of_the_unit)
{
	struct bulk_copies one = {.bytes = 16, .count = 1}, late = {.bytes = 16, .count = 1, .latency = LATENCY + 100};
	struct hd_config config;
	hd_config_defaults(&config);
	uint32_t cycles = bulk_load(&one), there = (uint32_t)(2 * config.icnt_latency + config.l2_latency + 1);
	/* A request leaves a cycle behind the unit's latency; its answer is two flits, and takes shared memory a cycle.
	 */
	ck_assert_uint_eq(cycles, 1 + LATENCY + 1 + there + 1 + WAKE);
	ck_assert_uint_eq(bulk_load(&late), cycles + 100);
	struct bulk_copies two = {.bytes = 16, .count = 2}, apart = {.bytes = 16, .count = 2, .issue = 77};
	ck_assert_uint_eq(bulk_load(&two), cycles + ISSUE);
	ck_assert_uint_eq(two.behind, 3); /* the warp goes on at once */
	ck_assert_uint_eq(bulk_load(&apart), cycles + 77);
	/* Room for one: the second is issued when the first one's request has been made, in cycle 1 + 40, and is taken
	 * then; the warp waits for 40 cycles each time. */
	struct bulk_copies narrow = {.bytes = 16, .count = 2, .queue = 1};
	ck_assert_uint_eq(bulk_load(&narrow), cycles + LATENCY);
	ck_assert_uint_eq(narrow.behind, 1 + 2 * LATENCY);
	ck_assert_uint_eq(narrow.counters.tma_wait_cycles, 2 * LATENCY);
	struct bulk_copies three = {.bytes = 16, .count = 3, .queue = 3}; /* room for all but the last one's issue */
	ck_assert_uint_eq(bulk_load(&three), cycles + 2 * ISSUE);
	ck_assert_uint_eq(three.behind, 1 + LATENCY);
	ck_assert_uint_eq(three.counters.tma_wait_cycles, LATENCY - 2);
}
END_TEST

/* Eight lines, one every 5, 15 or 15.3 cycles: the last one is 7 times as far behind the first. */
START_TEST(requests_are_rows_apart)
{
	struct bulk_copies line = {.bytes = 128, .count = 1}, rows = {.bytes = 1024, .count = 1};
	uint32_t cycles = bulk_load(&line);
	ck_assert_uint_eq(line.counters.tma_requests, 1);
	ck_assert_uint_eq(bulk_load(&rows), cycles + 7 * 5);
	ck_assert_uint_eq(rows.counters.tma_requests, 8);
	ck_assert_uint_eq(rows.counters.tma_bytes, 1024);
	ck_assert_uint_eq(rows.counters.tma_loads, 1);
	ck_assert_uint_eq(rows.counters.tma_barriers, 1);
	struct bulk_copies three = {.bytes = 128, .count = 3};
	bulk_load(&three);
	ck_assert_uint_eq(three.counters.tma_barriers, 1); /* each is counted once */
	ck_assert_uint_eq(rows.counters.tma_shared_cycles, 8);
	/* A flit asks for a line; the answer has one for each of four sectors, and one before them. */
	ck_assert_uint_eq(rows.counters.icnt_flits_up, 8);
	ck_assert_uint_eq(rows.counters.icnt_flits_down, 8 * 5);
	rows.row = 15;
	ck_assert_uint_eq(bulk_load(&rows), cycles + 7 * 15);
	rows.row = 15.3;
	ck_assert_uint_eq(bulk_load(&rows), cycles + 107);
	/* One in flight: each waits for the answer to the one before. Two: the eighth is the fourth pair's second. */
	rows.requests = 1;
	rows.row = 5;
	ck_assert_uint_eq(bulk_load(&rows), cycles + 7 * way(cycles));
	rows.requests = 2;
	ck_assert_uint_eq(bulk_load(&rows), cycles + 3 * way(cycles) + 5);
}
END_TEST

/* Whether a translation without misses that take time, by which the unit makes each request in its own cycle, changes
 * anything: where requests are made early or not, cycles and counters are the same, also those of loads beside
 * them. */
static void check_early(struct bulk_copies copies)
{
	copies.loads = 8;
	struct bulk_copies translated = copies;
	translated.translates = true;
	ck_assert_uint_eq(bulk_load(&translated), bulk_load(&copies));
	ck_assert_uint_eq(translated.behind, copies.behind);
	ck_assert_uint_eq(translated.loaded, copies.loaded);
	ck_assert_uint_gt(translated.counters.tlb_misses, 0);
	translated.counters.tlb_misses = 0;
	ck_assert_mem_eq(&translated.counters, &copies.counters, sizeof copies.counters);
}

/* 40 lines are more than the load/store unit's queue of 16 has room for, half of it for early ones: with a request a
 * cycle, and with a way to L2 that takes an answer's flits, it fills. Few in flight; a copy behind the other, with an
 * end in the midst of a row; a row that takes parts of a cycle. */
START_TEST(early_requests_change_no_cycle)
{
	static const uint32_t most[] = {0, 1, 8, 31};
	static const double rows[] = {0.25, 1.7, 15.3};
	for (uint32_t i = 0; i < sizeof most / sizeof *most; i++)
		for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
			check_early(
				(struct bulk_copies){.bytes = 5120, .count = 1, .requests = most[i], .row = rows[k]});
			check_early((struct bulk_copies){
				.bytes = 1040, .count = 3, .issue = 3, .requests = most[i], .row = rows[k]});
		}
	check_early((struct bulk_copies){.bytes = 16, .count = 4, .issue = 1});
	check_early((struct bulk_copies){.bytes = 2048, .count = 3, .queue = 1, .row = 1});
}
END_TEST

/*
 * Issue slots while copies are in flight: from the issue in cycle 1 on. Those of the copies, of a look at the clock, of
 * instructions in between and of the wait are hidden, those behind are lost to the wait.
 */
START_TEST(slots_beside_copies_are_counted)
{
	for (uint32_t more = 0; more < 6; more += 5) {
		struct bulk_copies one = {.bytes = 16, .count = 1, .more = more};
		uint32_t flight = bulk_load(&one) - WAKE - 1;
		ck_assert_uint_eq(one.counters.tma_flight_cycles, flight);
		ck_assert_uint_eq(one.counters.tma_busy_cycles, flight);
		ck_assert_uint_eq(one.counters.tma_busy_slots, flight);
		ck_assert_uint_eq(one.counters.tma_hidden_slots, 3 + more);
		/* Who waits at a barrier or a fence hides nothing but their issue. */
		struct bulk_copies waits = {.bytes = 16, .count = 1, .more = more, .barriers = 2, .fences = 1};
		ck_assert_uint_eq(bulk_load(&waits), flight + WAKE + 1);
		ck_assert_uint_eq(waits.counters.tma_hidden_slots, 6 + more);
		/* The second is issued one cycle behind the first, and is there 32 behind it. */
		struct bulk_copies two = {.bytes = 16, .count = 2, .more = more};
		bulk_load(&two);
		ck_assert_uint_eq(two.counters.tma_flight_cycles, 2 * flight + ISSUE - 1);
		ck_assert_uint_eq(two.counters.tma_busy_cycles, flight + ISSUE);
		ck_assert_uint_eq(two.counters.tma_hidden_slots, 4 + more);
	}
}
END_TEST

/* Bytes that a prefetch has brought into L2 a long time ago are copied as those that a copy has. Others come from DRAM,
 * which sees the request a clock later, opens a row, and reads four sectors of one bank group, the last in a clock. */
START_TEST(prefetches_bring_lines_into_l2)
{
	struct bulk_copies line = {.bytes = 128, .count = 1};
	uint32_t warm = bulk_load(&line);
	for (uint32_t fetched = 0; fetched < 2; fetched++) {
		struct simbench bench;
		uint64_t address;
		bulk_begin(&bench);
		bench.config.dram_mhz = bench.config.core_mhz;
		bulk_barrier(&bench);
		bulk_place(&bench, 128);
		bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, BYTES);
		if (fetched)
			bulk_copy(&bench, HD_BULK_PF);
		simbench_chain(&bench, 300);
		bulk_look(&bench, 0);
		bulk_copy(&bench, HD_BULK_G2S);
		bulk_wait(&bench, true, PARITY);
		bulk_look(&bench, 1);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(hd_sim_malloc(bench.sim, 65536, &address), 0);
		struct hd_launch launch = simbench_launch(&bench, 1, 1, &address);
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		const struct hd_config *c = &bench.config;
		int64_t dram = c->dram_latency + 1 + c->t_rcd + c->t_cl + 3 * c->t_ccdl + 1;
		ck_assert_uint_eq(bulk_cycles(&bench, 1), warm + (fetched ? 0 : (uint32_t)dram));
		ck_assert_uint_eq(bulk_counters(&bench)->tma_loads, 1 + fetched);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_requests, 1 + fetched);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_shared_cycles, 1);
		ck_assert_uint_eq(bulk_counters(&bench)->dram_reads, 4);
		simbench_release(&bench);
	}
}
END_TEST

/* A fault ends a launch whose copy is in flight: the next one's are counted from its own copy's issue on. */
START_TEST(a_fault_forgets_copies)
{
	struct bulk_copies word = {.bytes = 16, .count = 1};
	uint32_t warm = bulk_load(&word);
	struct simbench bench;
	uint64_t address, end = 0;
	bulk_begin(&bench);
	bulk_barrier(&bench);
	bulk_place(&bench, 16);
	simbench_mov(&bench, 31, 16);
	bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	bulk_copy(&bench, HD_BULK_G2S);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 30, inst->a = COPY, inst->xkind = HD_X_OTHER, inst->x = 16, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	bulk_wait(&bench, true, PARITY);
	bulk_look(&bench, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 65536, &address), 0);
	struct hd_launch good = simbench_launch(&bench, 1, 1, &address), bad = simbench_launch(&bench, 1, 1, &end);
	end = address + 65536 - 16; /* behind which the load is */
	ck_assert_int_eq(hd_sim_launch(bench.sim, &good), 0);
	uint32_t cold = bulk_cycles(&bench, 1);
	ck_assert_uint_eq(bulk_counters(&bench)->tma_busy_cycles, cold - WAKE - 1);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &bad), HD_SIM_BAD_ADDRESS);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &good), 0);
	uint32_t cycles = bulk_cycles(&bench, 1);
	ck_assert_uint_eq(cycles, warm); /* the load is over long before the copy */
	ck_assert_uint_eq(bulk_counters(&bench)->tma_flight_cycles, cycles - WAKE - 1);
	ck_assert_uint_eq(bulk_counters(&bench)->tma_busy_cycles, cycles - WAKE - 1);
	ck_assert_uint_eq(bulk_counters(&bench)->tma_hidden_slots, 3); /* the copy, the load, the wait */
	simbench_release(&bench);
}
END_TEST

/* ---- groups of stores */

static void group(struct simbench *bench)
{
	simbench_emit(bench, HD_OP_UTMACMDFLUSH);
}

static void wait_group(struct simbench *bench, bool reads, uint32_t left)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_UTMAWAIT);
	inst->xkind = HD_X_OTHER, inst->x = left, inst->mods = HD_MOD(READS, reads);
}

/* Two groups of a store each: cycles behind waits for what is read, or written, of the first and of both. */
static void store(uint32_t bytes, uint32_t clock[5], struct hd_counters *counted)
{
	struct simbench bench;
	bulk_begin(&bench);
	bulk_place(&bench, bytes);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	bulk_copy(&bench, HD_BULK_S2G);
	group(&bench);
	bulk_copy(&bench, HD_BULK_S2G);
	group(&bench);
	wait_group(&bench, true, 1);
	bulk_look(&bench, 1);
	wait_group(&bench, true, 0);
	bulk_look(&bench, 2);
	wait_group(&bench, false, 1);
	bulk_look(&bench, 3);
	wait_group(&bench, false, 0);
	bulk_look(&bench, 4);
	bulk_run(&bench);
	for (uint32_t i = 0; i < 5; i++)
		clock[i] = bulk_cycles(&bench, i);
	*counted = *bulk_counters(&bench);
	simbench_release(&bench);
}

/*
 * The stores are issued in cycles 1 and 3 and taken in 1 and 33. Shared memory has been read when the last request is
 * made: 40 cycles later, and with eight lines 35 more, or for the second store behind those of the first.
 */
START_TEST(waits_are_for_groups)
{
	uint32_t clock[5], large[5];
	struct hd_counters counted;
	store(16, clock, &counted);
	ck_assert_uint_eq(clock[1], 1 + LATENCY);
	ck_assert_uint_eq(clock[2], 1 + ISSUE + LATENCY);
	ck_assert_uint_gt(clock[3], clock[2]);
	ck_assert_uint_eq(clock[4], clock[3] + ISSUE);
	ck_assert_uint_eq(counted.tma_stores, 2);
	ck_assert_uint_eq(counted.tma_bytes, 32);
	ck_assert_uint_eq(counted.tma_shared_cycles, 2);
	/* Waits of cycles 5 and those behind the looks at the clock. */
	ck_assert_uint_eq(counted.tma_wait_cycles,
			  clock[1] - 5 + clock[2] - clock[1] - 1 + clock[3] - clock[2] - 1 + clock[4] - clock[3] - 1);
	ck_assert_uint_eq(counted.tma_busy_cycles, 0); /* copies to shared memory alone */
	store(1024, large, &counted);
	ck_assert_uint_eq(counted.icnt_flits_up, 16 * 5);
	ck_assert_uint_eq(counted.icnt_flits_down, 16);
	ck_assert_uint_eq(large[1], 1 + LATENCY + 7 * 5);
	ck_assert_uint_eq(large[2], 1 + LATENCY + 15 * 5);
}
END_TEST

/* Cycles until a warp has ended so many groups of a store each. */
static uint32_t end_groups(uint32_t count)
{
	struct simbench bench;
	bulk_begin(&bench);
	bench.config.tma_queue = 1024;
	bulk_place(&bench, 16);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	for (uint32_t i = 0; i < count; i++) {
		bulk_copy(&bench, HD_BULK_S2G);
		group(&bench);
	}
	bulk_look(&bench, 1);
	bulk_run(&bench);
	uint32_t cycles = bulk_cycles(&bench, 1);
	simbench_release(&bench);
	return cycles;
}

/* The flush of a group waits while 63 are in flight: that of the 64th until the first has been written, where
 * waits_are_for_groups has it, and each further one 32 cycles longer. */
START_TEST(so_many_groups_are_in_flight)
{
	uint32_t clock[5];
	struct hd_counters counted;
	store(16, clock, &counted);
	ck_assert_uint_eq(end_groups(62), 1 + 2 * 62);
	ck_assert_uint_eq(end_groups(63), 1 + 2 * 63);
	ck_assert_uint_eq(end_groups(64), clock[3]);
	ck_assert_uint_eq(end_groups(66), clock[3] + 2 * ISSUE);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("bulk", (const TTest *const[]){
					   copies_take_the_time_of_the_unit,
					   requests_are_rows_apart,
					   early_requests_change_no_cycle,
					   slots_beside_copies_are_counted,
					   prefetches_bring_lines_into_l2,
					   a_fault_forgets_copies,
					   waits_are_for_groups,
					   so_many_groups_are_in_flight,
					   NULL,
				   });
}
