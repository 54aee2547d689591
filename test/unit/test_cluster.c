/* Clusters of blocks: their barrier, in time. */
#include "harness.h"
#include "heddle/opcodes.h"

#include "simbench.h"

enum { LATENCY = 150, CHAIN = 100, CLOCKS = 40 };

/* Two blocks of a warp, on an SM each; the second one runs a chain first. */
static void begin(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.compute_major = 9;
	bench->config.sm_count = 2;
	bench->config.cluster_barrier_latency = LATENCY;
	bench->meta.registers = 64;
	simbench_s2r(bench, 32, HD_SR_CTAID_X);
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0, test->a = 32, test->xkind = HD_X_IMM_B, test->x = 0;
	test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = bench->code.len + CHAIN;
	simbench_chain(bench, CHAIN);
}

static void look_at_clock(struct simbench *bench, uint32_t number)
{
	simbench_s2r(bench, (uint8_t)(CLOCKS + number), HD_SR_CLOCK_LO);
}

static void run(struct simbench *bench)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	struct hd_launch launch = {.kernel = bench->kernel,
				   .grid = {2, 1, 1},
				   .block = {32, 1, 1},
				   .cluster = {2, 1, 1}};
	int error = hd_sim_launch(bench->sim, &launch);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static uint32_t clock_at(const struct simbench *bench, uint32_t sm, uint32_t number)
{
	return bench->sim->gpu.sms[sm]->warps[0].regs[CLOCKS + number][0];
}

/* The second block arrives in the cycle behind its look at the clock: both go on 150 cycles later. */
START_TEST(a_barrier_is_over_behind_the_last_arrival)
{
	struct simbench bench;
	begin(&bench);
	look_at_clock(&bench, 0);
	simbench_emit(&bench, HD_OP_CGABAR_ARV);
	simbench_emit(&bench, HD_OP_CGABAR_WAIT);
	look_at_clock(&bench, 1);
	run(&bench);
	uint32_t first = clock_at(&bench, 0, 0), last = clock_at(&bench, 1, 0), over = last + 1 + LATENCY;
	ck_assert_uint_gt(last, first + CHAIN);
	ck_assert_uint_eq(clock_at(&bench, 0, 1), over);
	ck_assert_uint_eq(clock_at(&bench, 1, 1), over);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.barriers, 2);
	/* The wait is issued behind the arrival, and slots are lost from then on. */
	ck_assert_uint_eq(simbench_stats(&bench)->stalls[HD_STALL_barrier], over - (first + 3) + over - (last + 3));
	simbench_release(&bench);
}
END_TEST

/* Instructions between arrival and wait are hidden, and the wait at a barrier that is over takes a cycle. */
static void hide(uint32_t length)
{
	struct simbench bench;
	begin(&bench);
	look_at_clock(&bench, 0);
	simbench_emit(&bench, HD_OP_CGABAR_ARV);
	simbench_chain(&bench, length);
	look_at_clock(&bench, 1);
	simbench_emit(&bench, HD_OP_CGABAR_WAIT);
	look_at_clock(&bench, 2);
	run(&bench);
	uint32_t over = clock_at(&bench, 1, 0) + 1 + LATENCY;
	for (uint32_t sm = 0; sm < 2; sm++) {
		uint32_t at = clock_at(&bench, sm, 1) + 2;
		ck_assert_uint_eq(clock_at(&bench, sm, 2), at > over ? at : over);
	}
	simbench_release(&bench);
}

START_TEST(work_between_arrival_and_wait_is_hidden)
{
	hide(20);  /* both wait */
	hide(50);  /* the second comes behind the end */
	hide(200); /* both do */
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("cluster", (const TTest *const[]){
					      a_barrier_is_over_behind_the_last_arrival,
					      work_between_arrival_and_wait_is_hidden,
					      NULL,
				      });
}
