/* Programmatic launches: a grid begins when the blocks of the one before it allow that, and waits for its end
 * (griddepcontrol). */
#include "harness.h"
#include "heddle/opcodes.h"

#include "runtime/sim/sim_private.h"
#include "simbench.h"

enum { THREADS = 32, LATENCY = 5, LAUNCH = 10, WAIT = 190 };

struct shape {
	uint32_t before, after;	    /* dependent instructions before the wait, and behind it */
	uint32_t sms, ctas, places; /* places: of blocks on an SM; 0: as many as there are */
	const char *policy;
	bool programmatic, every_cycle, fires, free; /* free: no wait for the grid before */
	uint64_t wait;
};

static const struct shape usual = {.before = 300,
				   .after = 100,
				   .sms = 2,
				   .ctas = 1,
				   .policy = "baseline",
				   .programmatic = true,
				   .fires = true,
				   .wait = WAIT};

static void start(struct simbench *bench, const struct shape *shape)
{
	simbench_init(bench);
	bench->config.compute_major = 9;
	bench->config.sm_count = shape->sms;
	bench->config.launch_latency = LAUNCH;
	bench->config.dependence_latency = shape->wait;
	if (shape->places)
		bench->config.max_ctas = shape->places;
	bench->options.policy = shape->policy;
	if (shape->fires)
		simbench_emit(bench, HD_OP_PREEXIT);
	simbench_chain(bench, shape->before);
	if (!shape->free)
		simbench_emit(bench, HD_OP_ACQBULK);
	simbench_chain(bench, shape->after);
	ck_assert_int_eq(simbench_start(bench), 0);
	bench->sim->gpu.every_cycle = shape->every_cycle;
	for (uint32_t i = 0; i < shape->sms; i++)
		bench->sim->gpu.sms[i]->every_cycle = shape->every_cycle;
}

static uint64_t submit(struct simbench *bench, const struct shape *shape, bool programmatic)
{
	uint64_t ticket;
	struct hd_launch launch = {.kernel = bench->kernel,
				   .grid = {shape->ctas, 1, 1},
				   .block = {THREADS, 1, 1},
				   .stream = 1,
				   .programmatic = programmatic};
	ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", hd_sim_error_text(bench->sim));
	return ticket;
}

/* Cycles until so many grids of one stream have ended. */
static uint64_t cycles_of(const struct shape *shape, uint32_t grids)
{
	struct simbench bench;
	uint64_t tickets[8];
	start(&bench, shape);
	for (uint32_t i = 0; i < grids; i++)
		tickets[i] = submit(&bench, shape, i && shape->programmatic);
	for (uint32_t i = 0; i < grids; i++) { /* in this order */
		ck_assert_int_eq(hd_sim_wait(bench.sim, tickets[i]), 0);
		for (uint32_t k = 0; k < i; k++)
			ck_assert(hd_sim_finished(bench.sim, tickets[k]));
	}
	uint64_t cycles = hd_sim_cycles(bench.sim);
	simbench_release(&bench);
	return cycles;
}

/*
 * On its own a grid takes T cycles: PREEXIT issues LAUNCH cycles after its turn, the chain behind it, each one LATENCY
 * cycles after the one before; the first of `after` issues in cycle F = LAUNCH + 1 + 300 * LATENCY, since the wait is
 * none and issues in between. The second grid comes to its wait while the first one is in `after`, and goes on WAIT
 * cycles after T with what takes the first one from F to T. So both take T + WAIT + (T - F).
 */
START_TEST(a_grid_begins_early_and_waits)
{
	uint64_t alone = cycles_of(&usual, 1), first = LAUNCH + 1 + (uint64_t)usual.before * LATENCY;
	struct shape ordinary = usual;
	ordinary.programmatic = false;
	ck_assert_uint_eq(cycles_of(&ordinary, 2), 2 * alone);
	ck_assert_uint_eq(cycles_of(&usual, 2), alone + WAIT + (alone - first));
	ck_assert_uint_eq(cycles_of(&usual, 4), alone + 3 * (WAIT + (alone - first)));
}
END_TEST

/* Each instruction of `before` is hidden in the second grid, those of `after` and the latency of the wait are not. */
START_TEST(what_comes_before_the_wait_is_hidden)
{
	uint64_t cycles = cycles_of(&usual, 2);
	struct shape other = usual;
	other.before += 50;
	ck_assert_uint_eq(cycles_of(&other, 2), cycles + 50 * LATENCY);
	other = usual;
	other.after += 50;
	ck_assert_uint_eq(cycles_of(&other, 2), cycles + 2 * 50 * LATENCY);
	other = usual;
	other.wait += 33;
	ck_assert_uint_eq(cycles_of(&other, 2), cycles + 33);
}
END_TEST

/* Without PREEXIT a block allows it by its end. The launch is prepared meanwhile: the second grid's block begins in the
 * cycle behind, and nothing is left to wait for. Its own LAUNCH is hidden, and nothing else. */
START_TEST(an_ended_block_allows_it)
{
	struct shape silent = usual;
	silent.fires = false;
	uint64_t alone = cycles_of(&silent, 1);
	ck_assert_uint_eq(cycles_of(&silent, 2), 2 * alone - LAUNCH);
}
END_TEST

/* Three blocks one after the other on the only place: the last one begins when two have ended, and only then may the
 * second grid; its three blocks get the place when the third has left it, so that nothing but the launch is hidden. */
START_TEST(all_blocks_must_allow_it)
{
	struct shape narrow = usual;
	narrow.sms = narrow.places = 1;
	narrow.ctas = 3;
	uint64_t alone = cycles_of(&narrow, 1);
	ck_assert_uint_eq(cycles_of(&narrow, 2), 2 * alone - LAUNCH);
}
END_TEST

/*
 * Without a wait all run beside each other, on an SM each. The first one's block begins in cycle LAUNCH and allows the
 * second, which has its turn in the cycle behind: it has been prepared since cycle 0, its block begins at once, and
 * allows the third. That one has been prepared only since the second began, and its block begins LAUNCH cycles behind
 * the second's; the fourth is prepared meanwhile.
 */
START_TEST(a_launch_is_prepared_beside_the_one_before)
{
	struct shape alone = usual;
	alone.sms = 4;
	alone.free = true;
	uint64_t cycles = cycles_of(&alone, 1);
	ck_assert_uint_eq(cycles_of(&alone, 2), cycles + 1);
	ck_assert_uint_eq(cycles_of(&alone, 3), cycles + 1 + LAUNCH);
	ck_assert_uint_eq(cycles_of(&alone, 4), cycles + 1 + LAUNCH + 1);
}
END_TEST

START_TEST(windows_change_nothing)
{
	static const struct {
		uint32_t sms, ctas, places;
		bool fires;
	} shapes[] = {{2, 1, 0, true}, {2, 7, 2, true}, {3, 9, 1, false}, {1, 2, 0, true}};
	struct shape skips = usual, visits = usual;
	skips.sms = visits.sms = shapes[_i].sms;
	skips.ctas = visits.ctas = shapes[_i].ctas;
	skips.places = visits.places = shapes[_i].places;
	skips.fires = visits.fires = shapes[_i].fires;
	visits.every_cycle = true;
	ck_assert_uint_eq(cycles_of(&skips, 4), cycles_of(&visits, 4));
}
END_TEST

/* Policies know of no such grid: they run it behind the one before it. */
START_TEST(policies_run_one_after_the_other)
{
	static const char *const policies[] = {"swl:8", "rfc"}; /* one grid at a time, and several */
	for (uint32_t i = 0; i < 2; i++) {
		struct shape held = usual, ordinary;
		held.policy = policies[i];
		ordinary = held;
		ordinary.programmatic = false;
		ck_assert_uint_eq(cycles_of(&held, 2), cycles_of(&ordinary, 2));
	}
}
END_TEST

/* A grid that does not wait is not over before the one that it follows, and neither is who follows it. */
START_TEST(grids_end_in_order)
{
	struct simbench bench;
	struct shape shape = usual;
	shape.ctas = 2;
	start(&bench, &shape);
	uint64_t first = submit(&bench, &shape, false), second = submit(&bench, &shape, true);
	uint64_t third = submit(&bench, &shape, false);
	ck_assert_int_eq(hd_sim_wait(bench.sim, second), 0);
	ck_assert(hd_sim_finished(bench.sim, first) && !hd_sim_finished(bench.sim, third));
	ck_assert_int_eq(hd_sim_wait(bench.sim, third), 0);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = hd_suite_of("dependence", (const TTest *const[]){
							 a_grid_begins_early_and_waits,
							 what_comes_before_the_wait_is_hidden,
							 an_ended_block_allows_it,
							 all_blocks_must_allow_it,
							 a_launch_is_prepared_beside_the_one_before,
							 policies_run_one_after_the_other,
							 grids_end_in_order,
							 NULL,
						 });
	TCase *loops = tcase_create("loops");
	tcase_add_loop_test(loops, windows_change_nothing, 0, 4);
	suite_add_tcase(suite, loops);
	return suite;
}
