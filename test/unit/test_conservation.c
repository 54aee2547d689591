/* --verify of the simulator's own accounts: each is seen when it does not balance. */
#include "harness.h"

#include "runtime/sim/sim_private.h"
#include "runtime/sm/hooks.h"
#include "runtime/verify/conservation.h"
#include "simbench.h"

static struct simbench bench;
static struct hd_stats since;
static struct hd_power power;

/* A run that balances. */
static void run_well(void)
{
	simbench_init(&bench);
	bench.config.sm_count = 2;
	simbench_chain(&bench, 40);
	ck_assert_int_eq(simbench_start(&bench), 0);
	bench.sim->gpu.options.verify = true;
	ck_assert_int_eq(simbench_run(&bench, 5, 64), 0);
	ck_assert_int_eq(simbench_run(&bench, 3, 64), 0);
	since = bench.sim->now;
	hd_stats_subtract(&since, &bench.sim->before);
	power = bench.sim->power;
	ck_assert_uint_gt(since.counters.bank_reads, 0);
	ck_assert_uint_gt(bench.sim->gpu.sms[0]->issue.begun, 0);
}

static void expect(const char *text)
{
	struct hd_gpu *gpu = &bench.sim->gpu;
	int error = hd_verify_conservation(gpu, &since, &power);
	if (!text) {
		ck_assert_int_eq(error, 0);
		return;
	}
	ck_assert_int_eq(error, HD_SIM_VERIFY);
	ck_assert_msg(strstr(gpu->error_text, text), "%s", gpu->error_text);
}

/* The value is wrong by one, seen, and right again. */
#define EXPECT_SEEN(value, text)     \
	do {                         \
		(value)++;           \
		expect(text);        \
		(value)--;           \
		expect(NULL);        \
	} while (0)

START_TEST(what_does_not_balance_is_seen)
{
	run_well();
	struct hd_sm *sm = bench.sim->gpu.sms[1];
	expect(NULL);
	EXPECT_SEEN(sm->issue.begun, "results on SM 1: ");
	EXPECT_SEEN(sm->issue.written, "results on SM 1: ");
	EXPECT_SEEN(sm->inflight.asked, "memory requests on SM 1: 1 sent, answered 0");
	EXPECT_SEEN(sm->inflight.answered, "memory requests on SM 1: 0 sent, answered 1");
	EXPECT_SEEN(sm->resident_warps, "warps that are left on SM 1: 1");
	EXPECT_SEEN(since.stalls[HD_STALL_idle], "issue slots: ");
	EXPECT_SEEN(since.counters.cycles, "issue slots: ");
	EXPECT_SEEN(since.counters.warp_instructions, "instructions: ");
	EXPECT_SEEN(since.counters.bank_reads, "registers that instructions read: ");
	EXPECT_SEEN(since.counters.bank_writes, "registers that instructions write: ");
	EXPECT_SEEN(power.joules[HD_POWER_issue], "energy: issue: ");
	EXPECT_SEEN(power.joules[HD_POWER_static], "energy: static: ");
	EXPECT_SEEN(power.joules[HD_POWER_constant], "energy: constant: ");
	EXPECT_SEEN(since.counters.active_sm_cycles, "energy: static: ");
	simbench_release(&bench);
}
END_TEST

START_TEST(what_was_not_given_back_is_seen)
{
	run_well();
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	uint64_t *const masks[] = {sm->places.free_slots, sm->dispatch.free_warps, sm->places.free_rows};
	static const char *const texts[] = {"warp slots on SM 0: ", "warps on SM 0: ", "places of registers on SM 0: "};
	for (int i = 0; i < 3; i++) {
		*masks[i] ^= 2;
		expect(texts[i]);
		*masks[i] ^= 2;
		expect(NULL);
	}
	sm->ctas[1].used = true;
	expect("block with shared memory that is left on SM 0: 1 of ");
	sm->ctas[1].used = false;
	simbench_release(&bench);
}
END_TEST

/* In a run: a hook that takes something away before the end. */
static void lose_result(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)self;
	gpu->sms[0]->issue.written--;
	(void)grid;
}

static void leave_block(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)self;
	gpu->sms[1]->grids[grid->slot].resident = 1;
}

static void run_with(const struct hd_policy_hooks *hooks, bool verify, const char *text)
{
	const struct hd_policy policy = {.name = "losing", .hooks = hooks};
	simbench_init(&bench);
	bench.config.sm_count = 2;
	simbench_chain(&bench, 40);
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &policy, "");
	hd_policy_place(&bench.sim->gpu);
	bench.sim->gpu.options.verify = verify;
	ck_assert_int_eq(simbench_run(&bench, 2, 64), text ? HD_SIM_VERIFY : 0);
	if (text)
		ck_assert_msg(strstr(bench.sim->gpu.error_text, text), "%s", bench.sim->gpu.error_text);
	simbench_release(&bench);
}

START_TEST(a_launch_that_does_not_balance_fails_under_verify)
{
	static const struct hd_policy_hooks loses = {.grid_end = lose_result}, leaves = {.grid_end = leave_block};
	run_with(&loses, false, NULL);
	run_with(&loses, true, "--verify: conservation: results on SM 0: ");
	run_with(&leaves, true, "--verify: conservation: blocks of a grid that has ended on SM 1: 1 of 0");
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("conservation", (const TTest *const[]){
						   what_does_not_balance_is_seen,
						   what_was_not_given_back_is_seen,
						   a_launch_that_does_not_balance_fails_under_verify,
						   NULL,
					   });
}
