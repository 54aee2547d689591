/* Sampling: how alike launches are, what is made of samples, and how wrong that may be. */
#include "harness.h"

#include <math.h>

#include "heddle/opcodes.h"
#include "runtime/sampling/estimate.h"
#include "runtime/sampling/private.h"
#include "simbench.h"

static struct hd_arena arena;

static void setup(void)
{
	hd_arena_init(&arena);
}

static void teardown(void)
{
	hd_arena_release(&arena);
}

static const struct hd_mix a_mix = {.work = 1000, .lanes = 32, .blocks = 8, .shares = {0.5, 0.25}};

START_TEST(launches_are_apart_by_what_they_differ_in_most)
{
	struct hd_mix other = a_mix;
	ck_assert_double_eq(hd_mix_distance(&a_mix, &other), 0);
	other.work = 1100;
	ck_assert_double_eq_tol(hd_mix_distance(&a_mix, &other), log(1.1), 1e-12);
	ck_assert_double_eq_tol(hd_mix_distance(&other, &a_mix), log(1.1), 1e-12);
	other.blocks = 4;
	ck_assert_double_eq_tol(hd_mix_distance(&a_mix, &other), log(2), 1e-12);
	other.lanes = 8;
	ck_assert_double_eq_tol(hd_mix_distance(&a_mix, &other), log(4), 1e-12);
}
END_TEST

START_TEST(kinds_of_instructions_add_up)
{
	struct hd_mix other = a_mix;
	other.shares[0] -= 0.1;
	other.shares[HD_MIX_SHARES - 1] += 0.05;
	ck_assert_double_eq_tol(hd_mix_distance(&a_mix, &other), 0.15, 1e-12);
}
END_TEST

/* The published table, where the values are tabulated and beyond. */
START_TEST(quantiles_are_students)
{
	ck_assert(isinf(hd_t_quantile(0)));
	ck_assert_double_eq_tol(hd_t_quantile(1), 12.706, 1e-3);
	ck_assert_double_eq_tol(hd_t_quantile(10), 2.228, 1e-3);
	ck_assert_double_eq_tol(hd_t_quantile(30), 2.042, 1e-3);
	ck_assert_double_eq_tol(hd_t_quantile(40), 2.021, 2e-3);
	ck_assert_double_eq_tol(hd_t_quantile(120), 1.980, 1e-3);
}
END_TEST

static struct hd_estimator of_samples(const double *cycles, const double *work, uint32_t count)
{
	struct hd_estimator estimator;
	hd_estimator_init(&estimator, 2, &arena);
	for (uint32_t i = 0; i < count; i++) {
		double figures[2] = {cycles[i], 7};
		hd_estimator_sample(&estimator, figures, NULL, work[i]);
	}
	return estimator;
}

START_TEST(figures_are_in_proportion_to_work)
{
	struct hd_estimator estimator = of_samples((double[]){200, 240}, (double[]){100, 120}, 2);
	double figures[2];
	hd_estimator_guess(&estimator, 55, 0, figures);
	ck_assert_double_eq_tol(figures[0], 110, 1e-9);
	ck_assert_double_eq_tol(estimator.work, 110, 1e-9);
	/* No spread; but a cost that does not depend on work would be 2 * 110. */
	ck_assert_double_eq_tol(hd_estimator_error_of(&estimator, 0, 55, 0), 110 + 1.1, 1e-9);
	/* What is the same in all samples still is theirs: a hundredth. */
	ck_assert_double_eq_tol(hd_estimator_error_of(&estimator, 0, 110, 0), 2.2, 1e-9);
}
END_TEST

/* Ratios 1.9, 2.0, 2.1: standard deviation 0.1, t of two degrees of freedom 4.303. */
START_TEST(errors_are_those_of_the_mean_and_of_each_part)
{
	struct hd_estimator estimator = of_samples((double[]){190, 200, 210}, (double[]){100, 100, 100}, 3);
	double figures[2];
	ck_assert_double_eq_tol(hd_estimator_error_of(&estimator, 0, 100, 0), 4.303 * 10 * sqrt(1 / 3.0 + 1) + 2, 1e-3);
	for (uint32_t i = 0; i < 9; i++)
		hd_estimator_guess(&estimator, 100, 0, figures);
	struct hd_error error = hd_estimator_error(&estimator, 0);
	ck_assert_double_eq_tol(error.chance, 4.303 * 10 * sqrt(81 / 3.0 + 9), 1e-3);
	ck_assert_double_eq_tol(error.bias, 18, 1e-9);
}
END_TEST

/* What earlier parts got is not what they would get now. */
START_TEST(later_samples_tell_of_earlier_guesses)
{
	struct hd_estimator estimator = of_samples((double[]){200, 200}, (double[]){100, 100}, 2);
	double figures[2], later[2] = {260, 7};
	hd_estimator_guess(&estimator, 100, 0, figures);
	ck_assert_double_eq_tol(hd_estimator_error(&estimator, 0).bias, 2, 1e-9);
	hd_estimator_sample(&estimator, later, NULL, 100);
	ck_assert_double_eq_tol(hd_estimator_error(&estimator, 0).bias, 20 + 2.2, 1e-9);
}
END_TEST

/* Four times the work, so between one and four times the cost. */
START_TEST(what_is_unlike_costs_something_between)
{
	struct hd_estimator estimator = of_samples((double[]){190, 210}, (double[]){100, 100}, 2);
	double figures[2];
	hd_estimator_guess(&estimator, 400, 1.4, figures);
	ck_assert_double_eq_tol(figures[0], 400, 1e-9);
	ck_assert_double_eq_tol(hd_estimator_error_of(&estimator, 0, 400, 1.4), 560, 1e-9);
	struct hd_error error = hd_estimator_error(&estimator, 0);
	ck_assert_double_eq(error.chance, 0);
	ck_assert_double_eq_tol(error.bias, 560, 1e-9);
}
END_TEST

/* Samples of which each may be off by 20 in 200 and 10 in 100. */
START_TEST(samples_may_be_estimates)
{
	struct hd_estimator estimator;
	double figures[1] = {200}, errors[1] = {20}, guess[1];
	hd_estimator_init(&estimator, 1, &arena);
	hd_estimator_sample(&estimator, figures, errors, 100);
	figures[0] = 100;
	errors[0] = 10;
	hd_estimator_sample(&estimator, figures, errors, 50);
	ck_assert_double_eq_tol(hd_estimator_error_of(&estimator, 0, 75, 0), 15 + 1.5, 1e-9);
	hd_estimator_guess(&estimator, 75, 0, guess);
	ck_assert_double_eq_tol(hd_estimator_error(&estimator, 0).bias, 15 + 1.5, 1e-9);
	hd_estimator_forget(&estimator);
	ck_assert_double_eq(estimator.doubt[0], 0);
}
END_TEST

START_TEST(one_sample_tells_no_error)
{
	struct hd_estimator estimator = of_samples((double[]){200}, (double[]){100}, 1);
	double figures[2];
	ck_assert(!hd_estimator_settled(&estimator, 0, 0.5));
	ck_assert(isinf(hd_estimator_error_of(&estimator, 0, 100, 0)));
	hd_estimator_guess(&estimator, 100, 0, figures);
	ck_assert(isinf(hd_estimator_error(&estimator, 0).chance));
	hd_estimator_forget(&estimator);
	ck_assert_uint_eq(estimator.samples, 0);
	ck_assert_double_eq(estimator.mean[0], 0);
}
END_TEST

/* Two of 199 and 201: 12.706 * sqrt(2) / sqrt(2) of 200, 6.4 %. Two more of 200: 3.182 * 0.816 / 2, 0.65 %. */
START_TEST(more_samples_settle_the_mean)
{
	double cycles[] = {199, 201, 200, 200}, work[] = {100, 100, 100, 100};
	struct hd_estimator two = of_samples(cycles, work, 2), four = of_samples(cycles, work, 4);
	ck_assert(!hd_estimator_settled(&two, 0, 0.06));
	ck_assert(hd_estimator_settled(&two, 0, 0.07));
	ck_assert(!hd_estimator_settled(&four, 0, 0.006));
	ck_assert(hd_estimator_settled(&four, 0, 0.007));
}
END_TEST

/* The same two; and two of 150 and 250. Shares of the means: squares of 0.005 and 0.25, twice each, in two degrees of
 * freedom, so that the deviation is 0.25005. 4.303 times that and by sqrt(2) is 76.1 %. */
START_TEST(kin_say_how_samples_spread)
{
	double work[] = {100, 100}, figures[2];
	struct hd_estimator close = of_samples((double[]){199, 201}, work, 2);
	struct hd_estimator far = of_samples((double[]){150, 250}, work, 2), third = of_samples(NULL, NULL, 0);
	hd_estimator_join(&far, &close);
	hd_estimator_join(&third, &close); /* without samples: nothing changes */
	ck_assert(!hd_estimator_settled(&close, 0, 0.755));
	ck_assert(hd_estimator_settled(&close, 0, 0.765));
	hd_estimator_guess(&close, 100, 0, figures);
	ck_assert_double_eq_tol(hd_estimator_error(&close, 0).chance, 4.303 * 0.25005 * 200 * sqrt(0.5 + 1), 0.1);
	/* Its own deviation, 0.35, with one degree of freedom says more. */
	ck_assert_double_eq_tol(hd_estimator_error_of(&far, 0, 100, 0), 12.706 * 70.711 * sqrt(0.5 + 1) + 2, 0.1);
}
END_TEST

/* ---- runs */

enum { LAUNCHES = 40 };

static void start(struct simbench *bench, double sampling, const char *policy)
{
	simbench_init(bench);
	bench->config.sm_count = 2;
	bench->config.max_ctas = 4;
	bench->options.sampling = sampling;
	bench->options.policy = policy;
	simbench_chain(bench, 50);
	simbench_mov(bench, 8, 1);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
}

/*
 * Launches that are alike, on the baseline and under a policy that counts and takes energy of its own. The first one
 * may find cold caches and does not count when there is another; two more that take the same cycles tell the mean
 * without any error, so that the fourth is the first without time. From the sixteenth on one is simulated again
 * whenever their number has doubled. Every figure of every launch is that of a run in which all have time.
 */
START_TEST(launches_that_are_alike_cost_the_same)
{
	const char *policy = _i ? "rfc" : "baseline";
	struct simbench whole, sampled;
	start(&whole, 0, policy);
	start(&sampled, 0.015, policy);
	for (uint32_t i = 1; i <= LAUNCHES; i++) {
		ck_assert_int_eq(simbench_run(&whole, 5, 64), 0);
		ck_assert_int_eq(simbench_run(&sampled, 5, 64), 0);
		bool timed = i <= 3 || i == 16 || i == 32;
		ck_assert_int_eq(sampled.sim->gpu.sampling->kind, timed ? HD_SAMPLED_DETAILED : HD_SAMPLED_FUNCTIONAL);
		const struct hd_stats *a = simbench_stats(&whole), *b = simbench_stats(&sampled);
		for (uint32_t c = 0; c < hd_counter_count; c++) {
			uint64_t x = *(const uint64_t *)((const char *)&a->counters + hd_counter_info[c].offset);
			uint64_t y = *(const uint64_t *)((const char *)&b->counters + hd_counter_info[c].offset);
			if (strncmp(hd_counter_info[c].name, "l1i_", 4)) /* the first launch alone misses */
				ck_assert_msg(x == y, "launch %u, %s: %lu and %lu", i, hd_counter_info[c].name, x, y);
		}
		uint64_t slots = 0;
		for (uint32_t r = 0; r < HD_STALL_COUNT; r++) {
			int64_t off = (int64_t)(a->stalls[r] - b->stalls[r]); /* shares of all slots, rounded */
			ck_assert_msg(off >= -1 && off <= 1, "launch %u, %s: %lu and %lu", i, hd_stall_name[r],
				      a->stalls[r], b->stalls[r]);
			slots += b->stalls[r];
		}
		ck_assert_uint_eq(slots, b->counters.cycles * 2);
		for (uint32_t row = 0; row < whole.sim->gpu.energy_count; row++)
			ck_assert_uint_eq(sampled.sim->launches.data[i - 1]->spent[row],
					  whole.sim->launches.data[i - 1]->spent[row]);
	}
	/* Launches 16 and 32 had time behind some without: a hundredth of each. */
	const struct hd_counters *last = &simbench_stats(&whole)->counters;
	const struct hd_sampling *sampling = sampled.sim->gpu.sampling;
	double each = (double)(last->cycles - last->launch_cycles);
	ck_assert_double_eq_tol(sampling->behind[sampling->cycles], 2 * 0.01 * each, 1e-6);
	ck_assert_uint_eq(hd_sim_cycles(whole.sim), hd_sim_cycles(sampled.sim));
	ck_assert_double_eq_tol(hd_power_total(&whole.sim->power) / hd_power_total(&sampled.sim->power), 1, 1e-9);
	simbench_release(&whole);
	simbench_release(&sampled);
}
END_TEST

/* A launch with more blocks, or more work in each, is another one: it is simulated. */
START_TEST(launches_of_other_shapes_are_simulated)
{
	struct simbench bench;
	start(&bench, 0.015, "baseline");
	for (uint32_t i = 0; i < 5; i++)
		ck_assert_int_eq(simbench_run(&bench, 5, 64), 0);
	ck_assert_int_eq(bench.sim->gpu.sampling->kind, HD_SAMPLED_FUNCTIONAL);
	ck_assert_int_eq(simbench_run(&bench, 6, 64), 0);
	ck_assert_int_eq(bench.sim->gpu.sampling->kind, HD_SAMPLED_DETAILED);
	ck_assert_int_eq(simbench_run(&bench, 5, 96), 0);
	ck_assert_int_eq(bench.sim->gpu.sampling->kind, HD_SAMPLED_DETAILED);
	simbench_release(&bench);
}
END_TEST

/*
 * A grid of 100 waves of four blocks an SM, of which each takes the same time: it is estimated from the waves that were
 * simulated, and what is counted of instructions is exact.
 */
START_TEST(later_blocks_of_a_grid_are_like_the_first)
{
	struct hd_stats stats[2];
	for (uint32_t sampled = 0; sampled < 2; sampled++) {
		struct simbench bench;
		start(&bench, sampled ? 0.015 : 0, "baseline");
		ck_assert_int_eq(simbench_run(&bench, 800, 64), 0);
		if (sampled)
			ck_assert_int_eq(bench.sim->gpu.sampling->kind, HD_SAMPLED_PARTLY);
		stats[sampled] = *simbench_stats(&bench);
		simbench_release(&bench);
	}
	const struct hd_counters *whole = &stats[0].counters, *part = &stats[1].counters;
	ck_assert_uint_eq(part->ctas, 800);
	ck_assert_uint_eq(part->warp_instructions, whole->warp_instructions);
	ck_assert_uint_eq(part->thread_instructions, whole->thread_instructions);
	ck_assert_uint_eq(part->fp32_instructions, whole->fp32_instructions);
	ck_assert_double_eq_tol((double)part->cycles / (double)whole->cycles, 1, 0.015);
	ck_assert_double_eq_tol((double)part->bank_reads / (double)whole->bank_reads, 1, 0.015);
	ck_assert_double_eq_tol((double)part->active_sm_cycles / (double)whole->active_sm_cycles, 1, 0.015);
}
END_TEST

/* A chain of six in a loop of so many turns, and something behind it. */
static void start_loop(struct simbench *bench, double sampling, uint32_t turns)
{
	simbench_init(bench);
	bench->config.sm_count = 2;
	bench->options.sampling = sampling;
	simbench_mov(bench, 8, 0);
	simbench_chain(bench, 6);
	struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
	add->dst = add->a = 8;
	add->b = add->c = HD_RZ;
	add->xkind = HD_X_IMM_B;
	add->x = 1;
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 8;
	test->xkind = HD_X_IMM_B;
	test->x = turns;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
	struct hd_inst *back = simbench_emit(bench, HD_OP_BRA);
	back->guard = 0;
	back->xkind = HD_X_OTHER;
	back->x = 1;
	simbench_mov(bench, 9, 1);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
}

/*
 * Two warps of one wave in a loop of 5,000 turns, each of at least 6 * 4 cycles. The first window of 2,048 cycles is no
 * sample, the next four are alike and tell the pace, and the warps go on without time for 8 * 4 windows' instructions:
 * of 37 windows five have time.
 */
START_TEST(a_loop_at_a_steady_pace_gets_no_time)
{
	enum { TURNS = 5000, WORK = 2 * (1 + TURNS * 9 + 2) };
	struct simbench whole, sampled;
	start_loop(&whole, 0, TURNS);
	start_loop(&sampled, 0.015, TURNS);
	ck_assert_int_eq(simbench_run(&whole, 1, 64), 0);
	ck_assert_int_eq(simbench_run(&sampled, 1, 64), 0);
	const struct hd_counters *all = &simbench_stats(&whole)->counters, *some = &simbench_stats(&sampled)->counters;
	const struct hd_sampling *sampling = sampled.sim->gpu.sampling;
	ck_assert_int_eq(sampling->kind, HD_SAMPLED_PARTLY);
	ck_assert_double_eq(sampling->work, WORK);
	ck_assert_double_lt(sampling->detailed_work, WORK * 0.2);
	ck_assert_uint_eq(some->warp_instructions, WORK);
	ck_assert_uint_eq(all->warp_instructions, WORK);
	ck_assert_uint_eq(some->fp32_instructions, all->fp32_instructions);
	ck_assert_double_eq_tol((double)some->cycles / (double)all->cycles, 1, 0.015);
	ck_assert_uint_eq(simbench_register(&sampled, 0, 8, 0), TURNS);
	ck_assert_uint_eq(simbench_register(&sampled, 0, 9, 0), 1);
	simbench_release(&whole);
	simbench_release(&sampled);
}
END_TEST

/* Launches of 5 and of 8 blocks in turns: what follows what is known, so that each of the two has its own figures. */
START_TEST(launches_follow_each_other_as_before)
{
	struct simbench whole, sampled;
	start(&whole, 0, "baseline");
	start(&sampled, 0.015, "baseline");
	for (uint32_t i = 1; i <= 14; i++) {
		uint32_t blocks = i % 2 ? 5 : 8;
		ck_assert_int_eq(simbench_run(&whole, blocks, 64), 0);
		ck_assert_int_eq(simbench_run(&sampled, blocks, 64), 0);
		/* Three of each, as where there is one kind alone. */
		ck_assert_int_eq(sampled.sim->gpu.sampling->kind, i <= 6 ? HD_SAMPLED_DETAILED : HD_SAMPLED_FUNCTIONAL);
		ck_assert_uint_eq(simbench_stats(&sampled)->counters.cycles, simbench_stats(&whole)->counters.cycles);
	}
	ck_assert_uint_eq(sampled.sim->gpu.sampling->clusters.len, 2);
	ck_assert_uint_eq(sampled.sim->gpu.sampling->launches[HD_SAMPLED_DETAILED], 6);
	ck_assert_uint_eq(sampled.sim->gpu.sampling->launches[HD_SAMPLED_FUNCTIONAL], 8);
	/* 52 instructions of 2 warps a block: 7 x 5 and 7 x 8 blocks, of which 3 of each had time. */
	ck_assert_double_eq(sampled.sim->gpu.sampling->work, 52 * 2 * 7 * 13);
	ck_assert_double_eq(sampled.sim->gpu.sampling->detailed_work, 52 * 2 * 3 * 13);
	simbench_release(&whole);
	simbench_release(&sampled);
}
END_TEST

/* Dynamic shared memory makes another launch of it; so does company, which makes it nobody's sample. */
START_TEST(launches_beside_others_are_no_samples)
{
	struct simbench bench;
	start(&bench, 0.015, "baseline");
	struct hd_launch launch = {.kernel = bench.kernel, .grid = {5, 1, 1}, .block = {64, 1, 1}};
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	const struct hd_sampling *sampling = bench.sim->gpu.sampling;
	ck_assert_int_eq(sampling->kind, HD_SAMPLED_FUNCTIONAL);
	launch.dynamic_shared = 4;
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	ck_assert_int_eq(sampling->kind, HD_SAMPLED_DETAILED);
	launch.dynamic_shared = 0;
	uint32_t clusters = sampling->clusters.len;
	double work = sampling->work, timed = sampling->detailed_work;
	for (uint64_t stream = 1; stream <= 2; stream++) {
		uint64_t ticket;
		launch.stream = stream;
		ck_assert_int_eq(hd_sim_submit(bench.sim, &launch, &ticket), 0);
	}
	ck_assert_int_eq(hd_sim_wait_all(bench.sim), 0);
	ck_assert_uint_ge(sampling->launches[HD_SAMPLED_BESIDE], 1);
	ck_assert_uint_eq(sampling->clusters.len, clusters);
	/* Each saw its own work, an equal part of the five launches' before, and of the other's what was done
	 * meanwhile. */
	ck_assert_double_ge(sampling->work - work, 2 * work / 5);
	ck_assert_double_le(sampling->work - work, 4 * work / 5);
	ck_assert_double_eq(sampling->detailed_work - timed, sampling->work - work);
	simbench_release(&bench);
}
END_TEST

static uint64_t reads_of(struct simbench *bench, uint32_t blocks, uint64_t address)
{
	struct hd_launch launch = simbench_launch(bench, blocks, 32, &address);
	ck_assert_msg(!hd_sim_launch(bench->sim, &launch), "%s", hd_sim_error_text(bench->sim));
	return simbench_stats(bench)->counters.dram_reads;
}

/* Each launch reads 32 other sectors of 32 bytes in lines of their own. L2 has room for those of four launches, whether
 * these had time or not. A launch of several blocks has time, as the first of its kind, and finds the last ones there,
 * and those before the last four gone. */
START_TEST(caches_follow_launches_without_time)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.sampling = 0.5;
	bench.config.l2_slices = bench.config.dram_channels = 1;
	bench.config.l2_slice_bytes = 4 * 32 * 128;
	bench.config.l2_ways = 8;
	simbench_param(&bench, 2);
	simbench_s2r(&bench, 8, HD_SR_LANEID);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 128;
	inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 9, inst->a = 4, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	uint64_t address, guessed = 0;
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 16 * 4096, &address), 0);
	for (uint32_t i = 0; i < 14; i++) {
		ck_assert_uint_eq(reads_of(&bench, 1, address + i * 4096), 32);
		guessed += bench.sim->gpu.sampling->kind == HD_SAMPLED_FUNCTIONAL;
	}
	ck_assert_uint_eq(guessed, 14 - 3);
	ck_assert_uint_eq(reads_of(&bench, 2, address + 13 * 4096), 0);
	ck_assert_uint_eq(reads_of(&bench, 4, address + 10 * 4096), 0);
	ck_assert_uint_eq(reads_of(&bench, 8, address + 9 * 4096), 32);
	ck_assert_int_eq(bench.sim->gpu.sampling->kind, HD_SAMPLED_DETAILED);
	simbench_release(&bench);
}
END_TEST

/* ---- launches that grow */

static struct hd_mix sized(double work)
{
	struct hd_mix mix = a_mix;
	mix.work = work;
	mix.blocks = work / 10;
	return mix;
}

static void add_launch(struct hd_trend *trend, double work, double cycles)
{
	struct hd_mix mix = sized(work);
	hd_trend_add(trend, &mix, (double[]){5, cycles});
}

/* Cycles are 100 and 2 for each unit of work. The first launch does not count when there is another, and a line has two
 * points: the fourth launch is the first that could have been guessed, and four such ones are wanted. */
START_TEST(launches_that_grow_lie_on_a_line)
{
	struct hd_trend trend;
	double figures[2];
	hd_trend_init(&trend, 2, 1, 0.01, &arena);
	for (uint32_t i = 0; i < 7; i++) {
		ck_assert(!hd_trend_tells(&trend, 10 + i));
		add_launch(&trend, 100 + 10 * i, i ? 300 + 20 * i : 9999);
	}
	ck_assert_uint_eq(trend.tries, 4);
	ck_assert(hd_trend_tells(&trend, 17));
	ck_assert(!hd_trend_tells(&trend, 19)); /* more than an eighth beyond 16, in logarithms */
	struct hd_mix mix = sized(170);
	ck_assert(hd_trend_guess(&trend, &mix, figures));
	ck_assert_double_eq_tol(figures[1], 440, 1e-9);
	ck_assert_double_eq_tol(figures[0], 5, 1e-9);
	/* No try was off: caches alone are not as they would be, a hundredth. */
	ck_assert_double_eq_tol(hd_trend_error_of(&trend, 1, 440), 4.4, 1e-6);
	mix = sized(135);
	ck_assert(hd_trend_guess(&trend, &mix, figures));
	ck_assert_double_eq_tol(figures[1], 370, 1e-9);
	ck_assert_double_eq_tol(hd_trend_error(&trend, 1).bias, 0.01 * (440 + 370), 1e-6);
	mix.shares[0] -= 0.2;
	ck_assert(!hd_trend_guess(&trend, &mix, figures));
	mix = sized(300);
	ck_assert(!hd_trend_guess(&trend, &mix, figures));
}
END_TEST

/* Launches with as many blocks, of which the later one costs ten times as much: the next one is taken for its like.
 * Tries with a standard deviation of a tenth, t 3.182, known to a twentieth: 1,000 cycles more may be off by 356 by
 * chance and by 10 otherwise, of which 2 % of 3,000 are allowed; 100 by 35.6 and 1, with 2 % of 2,100 allowed. */
START_TEST(next_is_as_the_latest_of_as_many_blocks)
{
	struct hd_trend trend;
	hd_trend_init(&trend, 2, 1, 0.01, &arena);
	trend.tries = 4;
	trend.spread[1] = 3 * 0.01;
	trend.timed = 2000;
	trend.allowed = 1;
	trend.count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		trend.points[i].mix.blocks = 256;
		trend.points[i].number = i + 1;
		trend.points[i].figures[1] = i ? 1000 : 100;
	}
	ck_assert(!hd_trend_tells(&trend, 256));
	trend.points[0].number = 3;
	ck_assert(hd_trend_tells(&trend, 256));
}
END_TEST

/* Four tries with a standard deviation of a tenth: t of three degrees of freedom is 3.182. Two segments got 100 each,
 * the open one 100; and the mean of the tries is known to a twentieth. */
START_TEST(errors_of_segments_add_up_as_squares)
{
	struct hd_trend trend;
	hd_trend_init(&trend, 2, 1, 0.01, &arena);
	trend.tries = 4;
	trend.spread[1] = 3 * 0.01;
	trend.squares[1] = 2 * 100 * 100;
	trend.open[1] = 100;
	trend.given[1] = 300;
	struct hd_error error = hd_trend_error(&trend, 1);
	ck_assert_double_eq_tol(error.chance, 3.182 * 0.1 * sqrt(3 * 100 * 100 + 300 * 300 / 4.0), 1e-6);
	ck_assert_double_eq_tol(error.bias, 3, 1e-9);
	ck_assert_double_eq(hd_trend_error(&trend, 0).chance, 0);
}
END_TEST

START_TEST(what_it_does_not_go_with)
{
	for (uint32_t which = 0; which < 13; which++) {
		struct simbench bench;
		simbench_init(&bench);
		simbench_chain(&bench, 2);
		bench.options.sampling = 0.02;
		bench.options.functional = which == 1;
		bench.options.verify = which == 2;
		bench.options.check = which == 3;
		bench.options.ideal = which == 4;
		bench.options.blame = which == 5;
		bench.options.max_cycles = which == 6;
		bench.options.sample = which == 7;
		bench.options.corun_cycles = which == 8;
		bench.options.rehearsal = which == 9 ? "file" : NULL;
		bench.options.trace = which == 10 ? "issue" : "";
		bench.options.policy = which == 11 ? "r2d2" : which == 12 ? "ccbp" : which ? "baseline" : "cars";
		int error = simbench_start(&bench);
		ck_assert_msg(!error == !which, "%u: %s", which, bench.message);
		ck_assert_msg(!which || strstr(bench.message, "--sampling"), "%u: %s", which, bench.message);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *list[] = {launches_are_apart_by_what_they_differ_in_most,
			       kinds_of_instructions_add_up,
			       quantiles_are_students,
			       figures_are_in_proportion_to_work,
			       errors_are_those_of_the_mean_and_of_each_part,
			       later_samples_tell_of_earlier_guesses,
			       what_is_unlike_costs_something_between,
			       samples_may_be_estimates,
			       one_sample_tells_no_error,
			       more_samples_settle_the_mean,
			       kin_say_how_samples_spread,
			       launches_of_other_shapes_are_simulated,
			       later_blocks_of_a_grid_are_like_the_first,
			       a_loop_at_a_steady_pace_gets_no_time,
			       launches_follow_each_other_as_before,
			       launches_beside_others_are_no_samples,
			       caches_follow_launches_without_time,
			       launches_that_grow_lie_on_a_line,
			       next_is_as_the_latest_of_as_many_blocks,
			       errors_of_segments_add_up_as_squares,
			       what_it_does_not_go_with,
			       NULL};
	Suite *suite = hd_suite_with("sampling", list, setup, teardown);
	TCase *cases = tcase_create("launches_that_are_alike_cost_the_same");
	tcase_add_loop_test(cases, launches_that_are_alike_cost_the_same, 0, 2);
	suite_add_tcase(suite, cases);
	return suite;
}
