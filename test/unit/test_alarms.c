/* When policies are called apart from what warps do: alarms of an SM, ticks of the GPU. */
#include "harness.h"

#include "runtime/sim/sim_private.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { CALLS = 64, CHAIN = 400 };

struct call {
	uint32_t sm;
	uint64_t arg, cycle;
};
static struct call calls[CALLS];
static uint32_t call_count;
static uint64_t ticks[CALLS];
static uint32_t tick_count;

static void note(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	(void)self;
	ck_assert_uint_eq(sm->now, now);
	if (call_count < CALLS)
		calls[call_count++] = (struct call){hd_sm_id(sm), arg, now};
}

static uint64_t launched;

/* Out of order, two for one cycle, one that is past. */
static void set_some(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	launched = sm->now;
	hd_policy_at(self, sm, launched + 500, 1);
	hd_policy_at(self, sm, launched + 20, 2);
	hd_policy_at(self, sm, launched + 20, 3);
	hd_policy_at(self, sm, 0, 4);
	hd_policy_at(self, sm, launched + 19, 5);
	hd_policy_at(self, sm, launched + 1000000, 6);
}

static uint64_t cycles_with(const struct hd_policy_hooks *hooks, uint32_t ctas)
{
	const struct hd_policy policy = {.name = "called", .hooks = hooks};
	struct simbench bench;
	simbench_init(&bench);
	bench.config.sm_count = 2;
	simbench_chain(&bench, CHAIN);
	ck_assert_int_eq(simbench_start(&bench), 0);
	if (hooks) {
		hd_policy_add(&bench.sim->gpu, &policy, "");
		hd_policy_place(&bench.sim->gpu);
	}
	call_count = tick_count = 0;
	ck_assert_int_eq(simbench_run(&bench, ctas, 64), 0);
	uint64_t cycles = simbench_stats(&bench)->counters.cycles;
	ck_assert_int_eq(simbench_run(&bench, ctas, 64), 0);
	simbench_release(&bench);
	return cycles;
}

START_TEST(alarms_go_off_in_their_cycle_and_order)
{
	static const struct hd_policy_hooks hooks = {.allocation.cta_launch = set_some, .alarm = note};
	ck_assert_uint_eq(cycles_with(&hooks, 1), cycles_with(NULL, 1));
	cycles_with(&hooks, 1);
	static const struct call expected[] = {{0, 4, 1}, {0, 5, 19}, {0, 2, 20}, {0, 3, 20}, {0, 1, 500}};
	/* Two launches; what had not gone off when the first one ended is forgotten. */
	ck_assert_uint_eq(call_count, 10);
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(calls[5 + i].arg, expected[i].arg);
		ck_assert_uint_eq(calls[5 + i].cycle - launched, expected[i].cycle);
		ck_assert_uint_eq(calls[i].arg, expected[i].arg);
	}
}
END_TEST

/* All cycles of a span, each once: 37 is prime to 64. */
static void set_many(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	launched = sm->now;
	for (uint32_t i = 0; i < CALLS; i++)
		hd_policy_at(self, sm, launched + 2 + i * 37 % CALLS, i);
}

START_TEST(many_alarms_go_off_in_order)
{
	static const struct hd_policy_hooks hooks = {.allocation.cta_launch = set_many, .alarm = note};
	cycles_with(&hooks, 1);
	ck_assert_uint_eq(call_count, CALLS);
	for (uint32_t i = 0; i < CALLS; i++)
		ck_assert_uint_eq(calls[i].arg * 37 % CALLS, i);
}
END_TEST

static void set_again(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	note(self, sm, arg, now);
	hd_policy_at(self, sm, now + 7, arg + 1);
}

static void set_first(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid)
{
	(void)grid;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		hd_policy_at(self, gpu->sms[i], gpu->now + 100, 0);
}

START_TEST(alarms_of_an_sm_without_warps_keep_nobody_waiting)
{
	static const struct hd_policy_hooks hooks = {.grid_begin = set_first, .alarm = set_again};
	ck_assert_uint_eq(cycles_with(&hooks, 1), cycles_with(NULL, 1));
	cycles_with(&hooks, 1);
	ck_assert_uint_eq(call_count, CALLS);
	uint32_t seen[2] = {0};
	for (uint32_t i = 0; i < CALLS; i++) { /* an SM goes through some cycles before the other one does */
		uint32_t count = seen[calls[i].sm % 2]++;
		ck_assert_uint_eq(calls[i].arg, count);
		ck_assert_uint_eq(calls[i].cycle, calls[0].cycle + count * 7);
	}
	ck_assert_uint_ge(seen[0], CALLS / 2 - 2);
	ck_assert_uint_ge(seen[1], CALLS / 2 - 2);
}
END_TEST

static void gpu_tick(const struct hd_policy_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	if (tick_count < CALLS)
		ticks[tick_count++] = now;
	hd_policy_at(self, gpu->sms[1], now + 3, now);
}

START_TEST(the_gpu_ticks_while_a_grid_runs)
{
	static const struct hd_policy_hooks hooks = {.gpu_tick_interval = 100, .gpu_tick = gpu_tick, .alarm = note};
	uint64_t cycles = cycles_with(NULL, 3);
	ck_assert_uint_eq(cycles_with(&hooks, 3), cycles);
	ck_assert_uint_gt(tick_count, 2 * (uint32_t)(cycles / 100) - 2);
	ck_assert_uint_eq(ticks[0], 0);
	for (uint32_t i = 1; i < cycles / 100; i++)
		ck_assert_uint_eq(ticks[i], 100 * i);
	/* And an alarm that a tick sets for another SM. */
	for (uint32_t i = 0; i < 10; i++) {
		ck_assert_uint_eq(calls[i].cycle, calls[i].arg + 3);
		ck_assert_uint_eq(calls[i].sm, 1);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("alarms", (const TTest *const[]){
					     alarms_go_off_in_their_cycle_and_order,
					     many_alarms_go_off_in_order,
					     alarms_of_an_sm_without_warps_keep_nobody_waiting,
					     the_gpu_ticks_while_a_grid_runs,
					     NULL,
				     });
}
