/*
 * Co-runs, and counters over time, by hand. A kernel is a chain of 20 FFMAs, each 5 cycles after the one before, and
 * EXIT, which waits for nothing: of a launch in cycle T they issue in T + 10 + 5 k, since a launch takes 10, and in T +
 * 106, and it ends with the last one's result, 5 cycles after it issued in T + 105, and one for the end itself.
 */
#include <jansson.h>

#include "harness.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { LAUNCH = 10, APART = 5, LENGTH = 20, TAKES = LAUNCH + APART * LENGTH + 1, WINDOW = 400 };

static struct simbench bench;
static json_t *document;

static void set_up(void)
{
	simbench_init(&bench);
	simbench_chain(&bench, LENGTH);
	bench.config.sm_count = 2;
	document = NULL;
}

static void tear_down(void)
{
	json_decref(document);
	simbench_release(&bench);
}

static void start(void)
{
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
}

static void submit(uint64_t stream)
{
	uint64_t ticket;
	struct hd_launch launch = {.kernel = bench.kernel, .grid = {1, 1, 1}, .block = {32, 1, 1}, .stream = stream};
	ck_assert_msg(!hd_sim_submit(bench.sim, &launch, &ticket), "%s", hd_sim_error_text(bench.sim));
}

static void finish(void)
{
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s", hd_sim_error_text(bench.sim));
	char *text = hd_sim_stats_json(bench.sim);
	document = json_loads(text, 0, NULL);
	free(text);
}

/* Instructions of launches in a row from cycle 0 of a window on, until another cycle of it. */
static uint64_t issued_until(uint64_t end)
{
	uint64_t count = 0;
	for (uint64_t launched = 0; launched < end; launched += TAKES) {
		for (uint32_t k = 0; k < LENGTH; k++)
			count += launched + LAUNCH + APART * k < end;
		count += launched + LAUNCH + APART * (LENGTH - 1) + 1 < end;
	}
	return count;
}

static json_int_t number(const json_t *object, const char *key)
{
	ck_assert_msg(json_is_integer(json_object_get(object, key)), "no %s", key);
	return json_integer_value(json_object_get(object, key));
}

static json_t *corun(uint32_t index)
{
	return json_array_get(json_object_get(document, "coruns"), index);
}

/* One kernel of a co-run, or of a kernel in a stream. */
static void expect(uint32_t which, uint32_t index, uint64_t stream, uint64_t came, uint64_t launches, uint64_t cycles,
		   uint64_t instructions)
{
	const json_t *grid = json_array_get(json_object_get(corun(which), "grids"), index);
	ck_assert_str_eq(json_string_value(json_object_get(grid, "kernel")), "kernel");
	ck_assert_int_eq(number(grid, "stream"), (json_int_t)stream);
	ck_assert_int_eq(number(grid, "came"), (json_int_t)came);
	ck_assert_int_eq(number(grid, "launches"), (json_int_t)launches);
	ck_assert_int_eq(number(grid, "cycles"), (json_int_t)cycles);
	ck_assert_int_eq(number(grid, "warp_instructions"), (json_int_t)instructions);
	ck_assert_int_eq(number(json_object_get(grid, "stalls"), "issued"), (json_int_t)instructions);
}

static void expect_corun(uint32_t which, uint64_t begins, uint32_t grids)
{
	ck_assert_ptr_nonnull(corun(which));
	ck_assert_int_eq(number(corun(which), "start_cycle"), (json_int_t)begins);
	ck_assert_int_eq(number(corun(which), "cycles"), WINDOW);
	ck_assert_uint_eq(json_array_size(json_object_get(corun(which), "grids")), grids);
}

/* Three launches of each end in the window, and 12 instructions of the fourth are in it; it runs to its end, 444. What
 * comes behind in the streams makes another co-run. */
START_TEST(kernels_run_again)
{
	ck_assert_uint_eq(issued_until(WINDOW), 3 * 21 + 12);
	bench.options.corun_cycles = WINDOW;
	start();
	submit(1), submit(2), submit(1), submit(2);
	ck_assert(!hd_sim_corun_over(bench.sim));
	finish();
	ck_assert(hd_sim_corun_over(bench.sim));
	ck_assert_uint_eq(json_array_size(json_object_get(document, "coruns")), 2);
	for (uint32_t which = 0; which < 2; which++) {
		expect_corun(which, which * 4 * TAKES, 2);
		expect(which, 0, 1, 0, 3, WINDOW, 75);
		expect(which, 1, 2, 0, 3, WINDOW, 75);
	}
	ck_assert_uint_eq(hd_sim_cycles(bench.sim), 2 * 4 * TAKES);
}
END_TEST

/* The second one comes 150 cycles later, and the third 300: two launches and four instructions, none and 18. */
START_TEST(kernels_come_apart)
{
	bench.options.corun_cycles = WINDOW;
	bench.options.corun_apart = 150;
	bench.config.sm_count = 3;
	start();
	submit(1), submit(2), submit(3);
	finish();
	expect_corun(0, 0, 3);
	expect(0, 0, 1, 0, 3, WINDOW, 75);
	expect(0, 1, 2, 150, 2, WINDOW - 150, 2 * 21 + 4);
	expect(0, 2, 3, 300, 0, WINDOW - 300, 18);
	ck_assert_ptr_null(corun(1));
	/* What runs when the window is over runs to its end: 4 x 111, 150 + 3 x 111, 300 + 111. */
	ck_assert_uint_eq(hd_sim_cycles(bench.sim), 150 + 3 * TAKES);
}
END_TEST

/* Whoever submits the launches: four in one stream, one in another; and then there is no other co-run. */
START_TEST(streams_run_as_they_are)
{
	bench.options.corun_cycles = WINDOW;
	bench.options.corun_apart = 150; /* says nothing here */
	bench.options.corun_streams = true;
	start();
	for (uint32_t i = 0; i < 5; i++)
		submit(1);
	submit(2);
	finish();
	expect_corun(0, 0, 2);
	expect(0, 0, 1, 0, 3, WINDOW, 75);
	expect(0, 1, 2, 0, 1, TAKES, 21);
	ck_assert_ptr_null(corun(1));
	ck_assert_uint_eq(hd_sim_cycles(bench.sim), 5 * TAKES);
}
END_TEST

/* A window that is not over when all is done is none; and without one nothing is launched again. */
START_TEST(no_window)
{
	for (uint32_t streams = 0; streams < 2; streams++) {
		if (streams) {
			tear_down();
			set_up();
			bench.options.corun_streams = true;
			bench.options.corun_cycles = WINDOW;
		}
		start();
		submit(1), submit(2);
		finish();
		ck_assert_uint_eq(json_array_size(json_object_get(document, "coruns")), 0);
		ck_assert_uint_eq(hd_sim_cycles(bench.sim), TAKES);
		ck_assert(!hd_sim_corun_over(bench.sim));
	}
}
END_TEST

/* ---- counters over time */

static json_t *samples_of(uint32_t launch)
{
	return json_object_get(json_array_get(json_object_get(document, "launches"), launch), "samples");
}

static double value(uint32_t launch, const char *key, uint32_t index)
{
	const json_t *found = json_array_get(json_object_get(samples_of(launch), key), index);
	ck_assert_msg(found != NULL, "%s: no %u", key, index);
	return json_number_value(found);
}

/* What of [from, to) lies in an interval. */
static uint64_t overlap(uint64_t from, uint64_t to, uint64_t begin, uint64_t end)
{
	uint64_t first = from > begin ? from : begin, last = to < end ? to : end;
	return first < last ? last - first : 0;
}

static void expect_samples(uint32_t interval)
{
	double joules[2] = {0};
	uint32_t count = (TAKES + interval - 1) / interval;
	ck_assert_int_eq(number(samples_of(0), "interval"), interval);
	ck_assert_uint_eq(json_array_size(json_object_get(samples_of(0), "warp_instructions")), count);
	ck_assert_ptr_null(json_object_get(samples_of(0), "cycles"));
	ck_assert_ptr_null(json_object_get(samples_of(0), "dram_reads")); /* all 0 */
	const json_t *watts = json_object_get(samples_of(0), "watts");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t begin = (uint64_t)i * interval, end = i + 1 < count ? begin + interval : TAKES;
		double seconds = (double)(end - begin) / (bench.config.core_mhz * 1e6);
		ck_assert_double_eq(value(0, "warp_instructions", i),
				    (double)(issued_until(end) - issued_until(begin)));
		/* An SM has its warp from the cycle of its first instruction until that of its last one. */
		ck_assert_double_eq(value(0, "active_sm_cycles", i), (double)overlap(LAUNCH, TAKES - 1, begin, end));
		ck_assert_double_eq(value(0, "resident_warp_cycles", i), value(0, "active_sm_cycles", i));
		joules[0] += seconds * json_number_value(json_array_get(json_object_get(watts, "dynamic"), i));
		joules[1] += seconds * json_number_value(json_array_get(json_object_get(watts, "total"), i));
		double parts = 0;
		const char *key;
		json_t *values;
		json_object_foreach((json_t *)watts, key, values) if (strcmp(key, "total")) parts +=
			json_number_value(json_array_get(values, i));
		ck_assert_double_eq_tol(parts, json_number_value(json_array_get(json_object_get(watts, "total"), i)),
					1e-9 * parts);
	}
	const json_t *launch = json_array_get(json_object_get(document, "launches"), 0);
	ck_assert_double_eq_tol(joules[0], json_number_value(json_object_get(launch, "dynamic_joules")), 1e-15);
	ck_assert_double_eq_tol(joules[1], json_number_value(json_object_get(launch, "energy_joules")), 1e-12);
}

/* Intervals with several instructions; and of 2 cycles, with one instruction or none, in which an SM is active, too. */
START_TEST(samples)
{
	static const uint32_t intervals[] = {32, 2, 111, 200};
	for (uint32_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
		if (i) {
			tear_down();
			set_up();
		}
		bench.options.sample = intervals[i];
		start();
		submit(1);
		finish();
		expect_samples(intervals[i]);
	}
}
END_TEST

/* Instructions so far, and their negative. */
static void sample_issued(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values)
{
	(void)self;
	uint64_t count = 0;
	for (uint32_t i = 0; i < gpu->config->sm_count; i++)
		count += gpu->sms[i]->counted[0].warp_instructions;
	values[0] = (double)count;
	values[1] = -(double)count;
}

static void sample_one(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values)
{
	(void)self, (void)gpu;
	values[0] = 1;
}

static double series_value(const char *policy, const char *key, uint32_t index)
{
	return json_number_value(json_array_get(json_object_get(json_object_get(samples_of(0), policy), key), index));
}

/* Policies' own figures, at the end of each interval, the last one of which is not whole; one has none. */
START_TEST(series)
{
	static const char *const two_series[] = {"issued", "minus", NULL}, *const one_series[] = {"one", NULL};
	static const struct hd_policy_hooks none_hooks = {.several_grids = true},
					    two_hooks = {.observation.series = two_series,
							 .observation.sample = sample_issued},
					    one_hooks = {.observation.series = one_series,
							 .observation.sample = sample_one};
	static const struct hd_policy none = {.name = "none", .hooks = &none_hooks},
				      two = {.name = "two", .hooks = &two_hooks},
				      one = {.name = "one", .hooks = &one_hooks};
	static const uint32_t intervals[] = {37, 2};
	for (uint32_t i = 0; i < 2; i++) {
		if (i) {
			tear_down();
			set_up();
		}
		uint32_t interval = intervals[i], count = (TAKES + interval - 1) / interval;
		bench.options.sample = interval;
		start();
		hd_policy_add(&bench.sim->gpu, &none, "");
		hd_policy_add(&bench.sim->gpu, &two, "");
		hd_policy_add(&bench.sim->gpu, &one, "");
		hd_policy_place(&bench.sim->gpu);
		submit(1);
		finish();
		ck_assert_ptr_null(json_object_get(samples_of(0), "none"));
		const json_t *own = json_object_get(samples_of(0), "two");
		ck_assert_uint_eq(json_array_size(json_object_get(own, "issued")), count);
		ck_assert_uint_eq(json_array_size(json_object_get(own, "minus")), count);
		for (uint32_t at = 0; at < count; at++) {
			uint64_t end = (uint64_t)(at + 1) * interval;
			double issued = (double)issued_until(end < TAKES ? end : TAKES);
			ck_assert_double_eq(series_value("two", "issued", at), issued);
			ck_assert_double_eq(series_value("two", "minus", at), -issued);
			ck_assert_double_eq(series_value("one", "one", at), 1);
		}
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("corun",
			     (const TTest *const[]){
				     kernels_run_again,
				     kernels_come_apart,
				     streams_run_as_they_are,
				     no_window,
				     samples,
				     series,
				     NULL,
			     },
			     set_up, tear_down);
}
