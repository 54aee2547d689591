/* The line about launches that take long: when it comes, what it says, and that it goes. */
#include "harness.h"

#include "runtime/gpu/run.h"
#include "simbench.h"

static double seconds; /* of the host, by the test's clock: each look takes a quarter of one */

static double slow_clock(void)
{
	seconds += 0.25;
	return seconds;
}

static double fast_clock(void)
{
	return 0;
}

/* What a grid of `ctas` blocks writes; the text is the caller's. */
static char *run_with(double (*clock)(void), uint32_t ctas, uint32_t streams)
{
	struct simbench bench;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	simbench_init(&bench);
	bench.options.progress = out;
	bench.config.max_ctas = 2;
	simbench_chain(&bench, 2000);
	ck_assert_int_eq(simbench_start(&bench), 0);
	bench.sim->gpu.run->progress.clock = clock;
	seconds = 0;
	for (uint32_t i = 0; i < streams; i++) {
		struct hd_launch launch = {.kernel = bench.kernel,
					   .grid = {ctas, 1, 1},
					   .block = {32, 1, 1},
					   .stream = i};
		uint64_t ticket;
		ck_assert_int_eq(hd_sim_submit(bench.sim, &launch, &ticket), 0);
	}
	ck_assert_int_eq(hd_sim_wait_all(bench.sim), 0);
	simbench_release(&bench);
	fclose(out);
	return text;
}

START_TEST(a_short_launch_says_nothing)
{
	char *text = run_with(fast_clock, 40, 1);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

START_TEST(a_long_launch_says_how_far_it_is)
{
	char *text = run_with(slow_clock, 40, 1);
	/* From the eighth look on, every second one: the first blocks have ended by then. */
	char *first = strstr(text, "\r\033[Kkernel: ");
	ck_assert_ptr_eq(first, text);
	unsigned done, total;
	double cycles;
	ck_assert_int_eq(sscanf(first, "\r\033[Kkernel: %u of %u blocks, %lf k cycles", &done, &total, &cycles), 3);
	ck_assert_uint_eq(total, 40);
	ck_assert(done > 0 && done < 40 && cycles > 30 && cycles < 70);
	ck_assert_ptr_nonnull(strstr(first, " instructions/s, "));
	ck_assert_ptr_nonnull(strstr(first, " s left"));
	char *second = strstr(first + 1, "\r\033[Kkernel: ");
	unsigned later;
	ck_assert_ptr_nonnull(second);
	ck_assert_int_eq(sscanf(second, "\r\033[Kkernel: %u of", &later), 1);
	ck_assert_uint_gt(later, done);
	/* Nothing of it is left. */
	ck_assert_str_eq(text + strlen(text) - 4, "\r\033[K");
	free(text);
}
END_TEST

START_TEST(several_grids_are_one_line)
{
	char *text = run_with(slow_clock, 20, 2);
	ck_assert_ptr_nonnull(strstr(text, "\r\033[Kkernel and 1 more: "));
	ck_assert_ptr_nonnull(strstr(text, " of 40 blocks, "));
	free(text);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("progress", (const TTest *const[]){
					       a_short_launch_says_nothing,
					       a_long_launch_says_how_far_it_is,
					       several_grids_are_one_line,
					       NULL,
				       });
}
