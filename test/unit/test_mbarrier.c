/* Barriers in shared memory (mbarrier) in time, and what else copies are waited for at. */
#include "bulk_bench.h"
#include "harness.h"
#include "heddle/opcodes.h"

/*
 * A wait of cycle 1 has its answer in 1 + 30, where what needs it is issued, and then the look at the clock. A second
 * one of cycle 2 is taken 4 cycles behind the first, in cycle 5.
 */
START_TEST(answers_take_the_time_of_a_wake)
{
	for (uint32_t second = 0; second < 2; second++) {
		struct simbench bench;
		bulk_begin(&bench);
		bulk_barrier(&bench);
		simbench_chain(&bench, 20);
		bulk_look(&bench, 0);
		bulk_wait(&bench, false, PARITY)->pdst = 1;
		if (second)
			bulk_wait(&bench, false, PARITY)->pdst = 2;
		bulk_need(&bench, second ? 2 : 1);
		bulk_look(&bench, 1);
		bulk_run(&bench);
		ck_assert_uint_eq(bulk_cycles(&bench, 1), (second ? 1 + BUSY : 1) + WAKE + 1);
		ck_assert_uint_eq(bulk_counters(&bench)->mbarrier_waits, 1 + second);
		ck_assert_uint_eq(bulk_counters(&bench)->mbarrier_wait_cycles, 0); /* nobody was suspended */
		simbench_release(&bench);
	}
}
END_TEST

/* Cycle in which is issued what reads the word before of the last of so many arrivals. */
static uint32_t word_of_arrival(uint32_t count, uint32_t latency)
{
	struct simbench bench;
	bulk_begin(&bench);
	bench.config.mbarrier_arrive = latency;
	bulk_barrier(&bench);
	simbench_mov(&bench, COUNT, 9);
	bulk_operation(&bench, HD_SYNCS_INIT, COUNT);
	simbench_mov(&bench, COUNT, 1);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	for (uint32_t i = 0; i < count; i++)
		bulk_operation(&bench, HD_SYNCS_ARRIVE, COUNT)->dst = (uint8_t)(20 + 2 * i);
	simbench_ffma(&bench, 30, (uint8_t)(18 + 2 * count), HD_RZ, HD_RZ);
	bulk_look(&bench, 1);
	bulk_run(&bench);
	uint32_t at = bulk_cycles(&bench, 1) - 1;
	simbench_release(&bench);
	return at;
}

/* The first is issued in cycle 1, and its word is there 9 cycles later. An SM takes an operation every 4 cycles. */
START_TEST(operations_stand_in_line)
{
	uint32_t first = word_of_arrival(1, ARRIVE);
	ck_assert_uint_eq(first, 1 + ARRIVE);
	ck_assert_uint_eq(word_of_arrival(2, ARRIVE), first + BUSY);
	ck_assert_uint_eq(word_of_arrival(4, ARRIVE), first + 3 * BUSY);
	ck_assert_uint_eq(word_of_arrival(1, 3 * ARRIVE), first + 2 * ARRIVE);
}
END_TEST

/*
 * The second warp arrives behind a look at the clock, in cycle c; that counts in c + 9, and the first one goes on in
 * c + 9 + 30 with the answer. It is suspended from its wait on.
 */
START_TEST(who_waits_goes_on_when_the_phase_is_over)
{
	struct simbench bench;
	bulk_begin(&bench);
	bulk_barrier(&bench);
	simbench_mov(&bench, COUNT, 32);
	bulk_operation(&bench, HD_SYNCS_INIT, COUNT);
	simbench_mov(&bench, COUNT, 1);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	simbench_s2r(&bench, 32, HD_SR_WARPID);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0, test->a = 32, test->xkind = HD_X_IMM_B, test->x = 0;
	test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = 0, branch->xkind = HD_X_OTHER, branch->x = branch->reconv = bench.code.len + 103;
	simbench_chain(&bench, 100);
	bulk_look(&bench, 0);
	bulk_operation(&bench, HD_SYNCS_ARRIVE, COUNT);
	simbench_emit(&bench, HD_OP_EXIT);
	bulk_look(&bench, 1);
	bulk_wait(&bench, true, PARITY);
	bulk_need(&bench, 1);
	bulk_look(&bench, 2);
	bulk_run_threads(&bench, 64);
	uint32_t arrival = bulk_clock(&bench, 1, 0) + 1;
	ck_assert_uint_eq(bulk_clock(&bench, 0, 2), arrival + ARRIVE + WAKE + 1);
	ck_assert_uint_eq(simbench_register(&bench, 0, 30, 0), 1); /* it is over */
	ck_assert_uint_eq(bulk_counters(&bench)->mbarrier_wait_cycles,
			  arrival + ARRIVE + WAKE - (bulk_clock(&bench, 0, 1) + 1));
	simbench_release(&bench);
}
END_TEST

/* From the look at the clock in front of a wait for a phase that does not end to the one behind it. */
static uint32_t patience(uint32_t mhz, uint32_t given)
{
	struct simbench bench;
	bulk_begin(&bench);
	bench.config.core_mhz = mhz;
	bulk_barrier(&bench);
	simbench_mov(&bench, 31, given);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	struct hd_inst *wait = bulk_wait(&bench, true, PARITY);
	if (given) {
		wait->c = 31;
		wait->mods |= HD_MOD(TIMED, 1);
	}
	bulk_need(&bench, 1);
	bulk_look(&bench, 1);
	bulk_run(&bench);
	uint32_t cycles = bulk_cycles(&bench, 1);
	ck_assert_uint_eq(bulk_counters(&bench)->mbarrier_wait_cycles, cycles - 2);
	simbench_release(&bench);
	return cycles;
}

/* The wait is issued in cycle 1, is over as many nanoseconds later, and its answer is there in the next cycle, with the
 * look at the clock behind what needs it; with less than an answer takes, it is over when that is there. */
START_TEST(a_wait_has_a_limit)
{
	ck_assert_uint_eq(patience(1000, 0), 1 + LIMIT + 2);
	ck_assert_uint_eq(patience(2000, 0), 1 + 2 * LIMIT + 2);
	ck_assert_uint_eq(patience(500, 700), 1 + 350 + 2);
	ck_assert_uint_eq(patience(1000, 1024), 1 + 1024 + 2);
	ck_assert_uint_eq(patience(1000, 1025), 1 + 1025 + 2);
	ck_assert_uint_eq(patience(1000, 12), 1 + WAKE + 2);
}
END_TEST

/* A copy of a word, then what waits for it: its group, or a barrier at which it arrives. */
static uint32_t copy_word(bool arrives, uint32_t arrive, uint32_t wake)
{
	struct simbench bench;
	bulk_begin(&bench);
	bench.config.mbarrier_arrive = arrive;
	bench.config.mbarrier_wake = wake;
	bulk_barrier(&bench);
	simbench_param(&bench, COPY);
	simbench_mov(&bench, COPY + 2, PLACE);
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDGSTS);
	inst->a = COPY, inst->b = COPY + 2, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	if (arrives) {
		inst = simbench_emit(&bench, HD_OP_ARRIVES);
		inst->a = BARRIER, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(NOINC, 1);
		bulk_wait(&bench, true, PARITY);
	} else {
		simbench_emit(&bench, HD_OP_LDGDEPBAR);
		inst = simbench_emit(&bench, HD_OP_DEPBAR);
		inst->xkind = HD_X_OTHER, inst->x = 0;
	}
	bulk_look(&bench, 1);
	bulk_run(&bench);
	uint32_t cycles = bulk_cycles(&bench, 1);
	simbench_release(&bench);
	return cycles;
}

/* Who waits for its group goes on in the cycle behind the copy's end. An arrival counts 9 cycles after that end, and
 * the warp goes on 30 cycles later. */
START_TEST(copies_arrive_when_they_are_done)
{
	uint32_t done = copy_word(false, ARRIVE, WAKE) - 1;
	ck_assert_uint_eq(copy_word(true, ARRIVE, WAKE), done + ARRIVE + WAKE);
	ck_assert_uint_eq(copy_word(true, 50, 60), done + 50 + 60);
}
END_TEST

/*
 * Two warps, the second behind a chain. The first copies a word that is in DRAM alone, the second one that it has in
 * L1: it arrives first, at a barrier of its own, with an arrival that was made later. Its copy is issued in the cycle
 * behind its look at the clock, is at L1 a cycle later, and takes a cycle of shared memory.
 */
START_TEST(copies_of_another_warp_arrive_before)
{
	struct simbench bench;
	uint64_t address;
	bulk_begin(&bench);
	bench.config.dram_latency = 2000;
	bulk_barrier(&bench);
	simbench_param(&bench, COPY);
	simbench_s2r(&bench, 32, HD_SR_WARPID);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_SHL); /* a barrier for each */
	inst->dst = BARRIER, inst->a = 32, inst->xkind = HD_X_IMM_B, inst->x = 3;
	simbench_mov(&bench, COUNT, 32);
	bulk_operation(&bench, HD_SYNCS_INIT, COUNT);
	simbench_mov(&bench, COPY + 2, PLACE);
	inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 32, inst->xkind = HD_X_IMM_B, inst->x = 0;
	inst->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 30, inst->a = COPY, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_ffma(&bench, 31, 30, 30, 30);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = 0, branch->xkind = HD_X_OTHER, branch->x = branch->reconv = bench.code.len + 20;
	simbench_chain(&bench, 20);
	bulk_look(&bench, 0);
	for (uint32_t first = 0; first < 2; first++) {
		inst = simbench_emit(&bench, HD_OP_LDGSTS);
		inst->a = COPY, inst->b = COPY + 2, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		inst->guard = first ? 0 : HD_PRED_NOT | 0;
		inst->x = first ? 32768 : 0;
	}
	inst = simbench_emit(&bench, HD_OP_ARRIVES);
	inst->a = BARRIER, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(NOINC, 1);
	bulk_wait(&bench, true, PARITY);
	bulk_need(&bench, 1);
	bulk_look(&bench, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 65536, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 64, &address);
	int error = hd_sim_launch(bench.sim, &launch);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	ck_assert_uint_eq(bulk_clock(&bench, 1, 1) - bulk_clock(&bench, 1, 0),
			  1 + 1 + bench.config.l1_latency + bench.config.copy_latency + 1 + ARRIVE + WAKE + 1);
	ck_assert_uint_gt(bulk_clock(&bench, 0, 1), bulk_clock(&bench, 0, 0) + 2000);
	for (uint32_t warp = 0; warp < 2; warp++) /* neither waited until its limit */
		ck_assert_uint_lt(bulk_clock(&bench, warp, 1), bulk_clock(&bench, warp, 0) + LIMIT);
	simbench_release(&bench);
}
END_TEST

/* From the look at the clock in front of a load to that behind the fence which waits for it. */
static uint32_t fence(bool behind)
{
	struct simbench bench;
	bulk_begin(&bench);
	bulk_barrier(&bench);
	simbench_param(&bench, COPY);
	simbench_mov(&bench, COPY + 2, PLACE);
	simbench_mov(&bench, COPY + 3, 0);
	simbench_mov(&bench, BYTES, 16);
	simbench_mov(&bench, BYTES + 1, 0);
	bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, BYTES);
	if (behind) {
		struct hd_inst *copy = simbench_emit(&bench, HD_OP_UBLKCP);
		copy->a = COPY, copy->c = BYTES, copy->mods = HD_MOD(BULK, HD_BULK_G2S);
		bulk_wait(&bench, true, PARITY);
	}
	simbench_chain(&bench, 300);
	bulk_look(&bench, 0);
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDG);
	load->dst = 30, load->a = COPY, load->xkind = HD_X_OTHER, load->x = 32768,
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(&bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_CTA);
	bulk_look(&bench, 1);
	bulk_run(&bench);
	uint32_t cycles = bulk_cycles(&bench, 1);
	simbench_release(&bench);
	return cycles;
}

/* Copies in bulk are waited for at their barriers, and those that have ended change nothing. */
START_TEST(fences_wait_for_loads_behind_copies)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_gt(fence(false), config.l1_latency);
	ck_assert_uint_eq(fence(true), fence(false));
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("mbarrier", (const TTest *const[]){
					       answers_take_the_time_of_a_wake,
					       operations_stand_in_line,
					       who_waits_goes_on_when_the_phase_is_over,
					       a_wait_has_a_limit,
					       copies_arrive_when_they_are_done,
					       copies_of_another_warp_arrive_before,
					       fences_wait_for_loads_behind_copies,
					       NULL,
				       });
}
