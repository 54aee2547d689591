/* A launch: what it is refused for, at each limit; what its blocks find in constant bank 0; stacks; launch options. */
#include <math.h>

#include "harness.h"
#include "heddle/inst.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

static struct simbench bench;
static struct hd_grid *grid;

static void set_up(void)
{
	simbench_init(&bench);
	simbench_chain(&bench, 2);
	bench.config.sm_count = 3;
	grid = NULL;
}

static void tear_down(void)
{
	if (grid)
		hd_grid_free(grid);
	simbench_release(&bench);
}

static void start(void)
{
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
}

static struct hd_launch launch_of(uint32_t x, uint32_t y, uint32_t z, uint32_t bx, uint32_t by, uint32_t bz)
{
	return (struct hd_launch){.kernel = bench.kernel, .grid = {x, y, z}, .block = {bx, by, bz}};
}

static int make(struct hd_launch launch)
{
	if (grid)
		hd_grid_free(grid);
	grid = NULL;
	return hd_grid_new(&bench.sim->gpu, &launch, &grid);
}

static void expect(struct hd_launch launch, int error)
{
	int found = make(launch);
	ck_assert_msg(found == error, "(%u,%u,%u) x (%u,%u,%u): %d", launch.grid[0], launch.grid[1], launch.grid[2],
		      launch.block[0], launch.block[1], launch.block[2], found);
	ck_assert(!error == (grid != NULL));
}

/* CUDA's limits, each met and passed by one. */
START_TEST(shapes)
{
	bench.config.max_threads_per_cta = 256;
	start();
	expect(launch_of(2147483647, 1, 1, 1, 1, 1), 0);
	expect(launch_of(2147483648u, 1, 1, 1, 1, 1), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 65535, 65535, 1, 1, 1), 0);
	expect(launch_of(1, 65536, 1, 1, 1, 1), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 65536, 1, 1, 1), HD_SIM_BAD_LAUNCH);
	expect(launch_of(65537, 65535, 1, 1, 1, 1), 0); /* 2^32 - 1 */
	expect(launch_of(65538, 65535, 1, 1, 1, 1), HD_SIM_BAD_LAUNCH);
	expect(launch_of(21845, 65537 - 2, 3, 1, 1, 1), 0);
	for (uint32_t i = 0; i < 6; i++) {
		struct hd_launch launch = launch_of(1, 1, 1, 1, 1, 1);
		*(i < 3 ? &launch.grid[i] : &launch.block[i - 3]) = 0;
		expect(launch, HD_SIM_BAD_LAUNCH);
	}
	expect(launch_of(1, 1, 1, 256, 1, 1), 0);
	expect(launch_of(1, 1, 1, 1, 256, 1), 0);
	expect(launch_of(1, 1, 1, 1, 4, 64), 0);
	expect(launch_of(1, 1, 1, 1, 1, 65), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 1, 257, 1, 1), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 1, 8, 8, 4), 0);
	expect(launch_of(1, 1, 1, 8, 8, 5), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 1, 43, 3, 2), HD_SIM_BAD_LAUNCH); /* 258 */
}
END_TEST

START_TEST(bounds_of_the_kernel)
{
	bench.meta.max_threads = 96;
	bench.meta.param_bytes = 12;
	start();
	struct hd_launch launch = launch_of(1, 1, 1, 96, 1, 1);
	uint8_t params[HD_CB_BYTES] = {0};
	launch.params = params;
	launch.param_bytes = 12;
	expect(launch, 0);
	launch.block[0] = 97;
	expect(launch, HD_SIM_BAD_LAUNCH);
	launch.block[0] = 96;
	launch.param_bytes = 11;
	expect(launch, HD_SIM_BAD_LAUNCH);
	launch.param_bytes = HD_CB_BYTES - HD_CB_PARAMS;
	expect(launch, 0);
	launch.param_bytes++;
	expect(launch, HD_SIM_BAD_LAUNCH);
}
END_TEST

START_TEST(required_shape)
{
	bench.meta.reqntid[0] = 8, bench.meta.reqntid[1] = 4, bench.meta.reqntid[2] = 2;
	start();
	expect(launch_of(1, 1, 1, 8, 4, 2), 0);
	expect(launch_of(1, 1, 1, 4, 8, 2), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 1, 8, 2, 4), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 1, 8, 4, 1), HD_SIM_BAD_LAUNCH);
	expect(launch_of(1, 1, 1, 7, 4, 2), HD_SIM_BAD_LAUNCH);
}
END_TEST

START_TEST(resources)
{
	bench.config.shared_per_cta = 1000;
	bench.config.max_regs_per_thread = 40;
	bench.config.registers = 40 * 64;
	bench.config.warp_unit = 1;
	bench.meta.shared_bytes = 600;
	bench.meta.registers = 40;
	start();
	struct hd_launch launch = launch_of(5, 1, 1, 64, 1, 1);
	launch.dynamic_shared = 400;
	expect(launch, 0);
	ck_assert_uint_eq(grid->registers, 40);
	ck_assert_uint_eq(grid->fit.ctas, 1);
	ck_assert_uint_eq(grid->cta_share, 2); /* of three SMs */
	ck_assert_uint_eq(grid->block_warps, 2);
	launch.dynamic_shared = 401;
	expect(launch, HD_SIM_TOO_MUCH_SHARED);
	launch.dynamic_shared = 201; /* whole words */
	expect(launch, 0);
	ck_assert_uint_eq(grid->shared_bytes, 804);
	launch.shared_limited = true;
	launch.most_dynamic_shared = 201;
	expect(launch, 0);
	launch.most_dynamic_shared = 200;
	expect(launch, HD_SIM_TOO_MUCH_SHARED);
	launch.shared_limited = false;
	launch.block[0] = 65; /* three warps */
	expect(launch, HD_SIM_TOO_MANY_REGISTERS);
	launch.block[0] = 64;
	launch.cooperative = true;
	expect(launch, HD_SIM_TOO_LARGE); /* five blocks, three SMs */
	launch.grid[0] = 3;
	expect(launch, 0);
	uint32_t ctas;
	ck_assert_int_eq(hd_sim_occupancy(bench.sim, bench.kernel, 64, 400, &ctas), 0);
	ck_assert_uint_eq(ctas, 1);
	ck_assert_int_eq(hd_sim_occupancy(bench.sim, bench.kernel, 64, 401, &ctas), 0);
	ck_assert_uint_eq(ctas, 0);
	ck_assert_int_eq(hd_sim_occupancy(bench.sim, bench.kernel, 32, 0, &ctas), 0);
	ck_assert_uint_eq(ctas, 2);
}
END_TEST

START_TEST(more_registers_than_a_thread_may_have)
{
	bench.config.max_regs_per_thread = 39;
	bench.meta.registers = 40;
	start();
	expect(launch_of(1, 1, 1, 32, 1, 1), HD_SIM_TOO_MANY_REGISTERS);
}
END_TEST

static uint64_t constant(uint32_t at, uint32_t bytes)
{
	uint64_t value = 0;
	memcpy(&value, grid->constants + at, bytes);
	return value;
}

static void expect_constants(void)
{
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(constant(HD_CB_NTID_X + 4 * i, 4), 8u >> i);
		ck_assert_uint_eq(constant(HD_CB_NCTAID_X + 4 * i, 4), 5 + i);
	}
	ck_assert_uint_eq(constant(HD_CB_SHARED_WINDOW, 8), HD_SHARED_WINDOW);
	ck_assert_uint_eq(constant(HD_CB_LOCAL_WINDOW, 8), HD_LOCAL_WINDOW);
	ck_assert_uint_eq(constant(HD_CB_STACK_TOP, 4), 112); /* 100, of 16 bytes each */
	ck_assert_uint_eq(constant(HD_CB_DYN_SHARED, 4), 100);
	ck_assert_uint_eq(constant(HD_CB_DYN_BYTES, 4), 300);
	ck_assert_uint_eq(constant(HD_CB_SHARED_BYTES, 4), 512); /* 400, of 256 each */
	ck_assert_uint_eq(constant(HD_CB_PARAMS, 8), 0x1122334455667788);
	ck_assert_uint_eq(constant(HD_CB_PARAMS + 8, 8), 0);
	ck_assert_uint_eq(grid->local_bytes, 112);
	ck_assert_uint_eq(grid->cta_total, 5 * 6 * 7);
	ck_assert_uint_eq(grid->cta_share, 70);
	ck_assert_uint_eq(grid->block_threads, 8 * 4 * 2);
	ck_assert_uint_eq(grid->stream, 9);
	ck_assert_int_eq(grid->priority, -3);
	ck_assert_uint_eq(grid->dynamic_shared, 300);
}

/* And of the same launch once more, which has the same ticket and another number. */
START_TEST(constants)
{
	uint64_t param = 0x1122334455667788;
	bench.meta.shared_bytes = 100;
	bench.meta.max_stack_bytes = 100;
	bench.meta.param_bytes = 8;
	start();
	struct hd_launch launch = launch_of(5, 6, 7, 8, 4, 2);
	launch.dynamic_shared = 300;
	launch.stream = 9, launch.priority = -3;
	launch.params = &param, launch.param_bytes = 8;
	expect(launch, 0);
	expect_constants();
	uint64_t ticket = grid->ticket, id = grid->id;
	struct hd_grid *again, *first = grid;
	ck_assert_int_eq(hd_grid_again(&bench.sim->gpu, first, &again), 0);
	grid = again;
	expect_constants();
	ck_assert_uint_eq(grid->ticket, ticket);
	ck_assert_uint_eq(grid->id, id + 1);
	hd_grid_free(first);
}
END_TEST

/* Stacks whose depth is not known have the launch's, else the simulator's, else 16 KB beside what is known. */
START_TEST(stacks)
{
	for (uint32_t how = 0; how < 8; how++) {
		if (how) {
			tear_down();
			set_up();
		}
		bench.meta.max_stack_bytes = 48;
		bench.meta.recursive = how & 1;
		bench.options.stack_bytes = how & 2 ? 1000 : 0;
		start();
		struct hd_launch launch = launch_of(1, 1, 1, 32, 1, 1);
		launch.stack_bytes = how & 4 ? 2000 : 0;
		expect(launch, 0);
		uint32_t extra = how & 4 ? 2000 : how & 2 ? 1008 : 16384;
		ck_assert_uint_eq(grid->local_bytes, 48 + (how & 1 ? extra : 0));
		ck_assert_uint_eq(grid->stack_bytes, launch.stack_bytes);
	}
}
END_TEST

/* ---- options */

START_TEST(numbers_of_threads)
{
	uint32_t threads;
	ck_assert_int_eq(hd_sim_threads_parse("1", &threads, &bench.diag), 0);
	ck_assert_uint_eq(threads, 1);
	ck_assert_int_eq(hd_sim_threads_parse("255", &threads, &bench.diag), 0);
	ck_assert_uint_eq(threads, 255);
	ck_assert_int_eq(hd_sim_threads_parse("1000", &threads, &bench.diag), 0);
	ck_assert_uint_eq(threads, 256);
	ck_assert_int_eq(hd_sim_threads_parse("", &threads, &bench.diag), 0);
	ck_assert_uint_ge(threads, 1);
	ck_assert_int_eq(hd_sim_threads_parse(NULL, &threads, &bench.diag), 0);
	ck_assert_uint_ge(threads, 1);
	static const char *const wrong[] = {"0", "-1", "2x", "x", "-"};
	for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_int_ne(hd_sim_threads_parse(wrong[i], &threads, &bench.diag), 0);
}
END_TEST

/* None without the option; 1.5 per cent with it alone. */
START_TEST(sampling_errors)
{
	double sampling;
	ck_assert_int_eq(hd_sim_sampling_parse(NULL, &sampling, &bench.diag), 0);
	ck_assert_double_eq(sampling, 0);
	ck_assert_int_eq(hd_sim_sampling_parse("", &sampling, &bench.diag), 0);
	ck_assert_double_eq(sampling, 0.015);
	ck_assert_int_eq(hd_sim_sampling_parse("2", &sampling, &bench.diag), 0);
	ck_assert_double_eq(sampling, 0.02);
	ck_assert_int_eq(hd_sim_sampling_parse("0.01", &sampling, &bench.diag), 0);
	ck_assert_double_eq(sampling, 0.0001);
	ck_assert_int_eq(hd_sim_sampling_parse("50", &sampling, &bench.diag), 0);
	ck_assert_double_eq(sampling, 0.5);
	static const char *const wrong[] = {"0.009", "50.1", "2%", "x", "nan", "-1"};
	for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_int_ne(hd_sim_sampling_parse(wrong[i], &sampling, &bench.diag), 0);
}
END_TEST

START_TEST(names_of_checks)
{
	uint32_t race, leak, checks;
	ck_assert_int_eq(hd_sim_check_parse("race", &race, &bench.diag), 0);
	ck_assert_uint_eq(race, 1);
	ck_assert_int_eq(hd_sim_check_parse("leak", &leak, &bench.diag), 0);
	ck_assert_uint_eq(leak, 16);
	ck_assert_int_eq(hd_sim_check_parse("leak,race-global,race", &checks, &bench.diag), 0);
	ck_assert_uint_eq(checks, 16 | 32 | 1);
	ck_assert_int_ne(hd_sim_check_parse("race,lake", &checks, &bench.diag), 0);
	ck_assert_msg(strstr(bench.message, "lake") != NULL, "%s", bench.message);
	start();
	ck_assert_uint_eq(hd_sim_check_places(bench.sim), 0);
	char text[16] = "text";
	hd_sim_check_end(bench.sim);
	hd_sim_check_summary(bench.sim, text, sizeof text);
	ck_assert_str_eq(text, "");
}
END_TEST

/* Questions about launches leave nothing to be done, and take no number of a launch. */
START_TEST(questions_launch_nothing)
{
	uint32_t clusters = 7;
	uint64_t first, second;
	bench.config.compute_major = 9;
	bench.config.max_ctas = 2;
	start();
	struct hd_launch good = launch_of(6, 1, 1, 32, 1, 1), bad = launch_of(6, 1, 1, 1025, 1, 1);
	ck_assert_int_eq(hd_sim_submit(bench.sim, &good, &first), 0);
	ck_assert_int_eq(hd_sim_wait_all(bench.sim), 0);
	ck_assert_int_eq(hd_sim_step(bench.sim), 0); /* nothing is to be done */
	ck_assert_int_eq(hd_sim_check(bench.sim, &good), 0);
	ck_assert_int_eq(hd_sim_check(bench.sim, &bad), HD_SIM_BAD_LAUNCH);
	ck_assert(!hd_sim_working(bench.sim));
	/* Three SMs with two places each: three clusters of two, two of three, one of six. */
	static const uint32_t fits[][2] = {{2, 3}, {3, 2}, {6, 1}};
	bad.cluster[0] = 2;
	bad.cluster[1] = bad.cluster[2] = 1;
	uint64_t launched = bench.sim->gpu.grids_launched;
	for (uint32_t i = 0; i < 3; i++) {
		good.cluster[0] = fits[i][0];
		good.cluster[1] = good.cluster[2] = 1;
		ck_assert_int_eq(hd_sim_clusters(bench.sim, &good, &clusters), 0);
		ck_assert_uint_eq(clusters, fits[i][1]);
	}
	ck_assert_uint_eq(bench.sim->gpu.grids_launched, launched);
	ck_assert_int_ne(hd_sim_clusters(bench.sim, &bad, &clusters), 0);
	ck_assert_uint_eq(clusters, 0);
	ck_assert_uint_eq(bench.sim->gpu.grids_launched, launched);
	memset(good.cluster, 0, sizeof good.cluster);
	ck_assert_int_eq(hd_sim_submit(bench.sim, &good, &second), 0);
	ck_assert(!hd_sim_finished(bench.sim, second) && hd_sim_finished(bench.sim, first));
	ck_assert_int_eq(hd_sim_wait(bench.sim, second), 0);
	ck_assert_uint_eq(hd_sim_launch_count(bench.sim), 2);
}
END_TEST

/* Interrupts the run, as a signal does, at each instruction that is issued from cycle 30 on. */
static void stop_here(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)warp, (void)inst, (void)effect;
	if (now >= 30)
		hd_sim_interrupt(bench.sim, 2);
}

/* It ends there, and says where it was. */
START_TEST(runs_are_interrupted)
{
	static const struct hd_policy_hooks hooks = {.issue.issued = stop_here};
	static const struct hd_policy stopper = {.name = "stopper", .hooks = &hooks};
	char text[4096];
	simbench_chain(&bench, 2000);
	bench.beside = &stopper;
	start();
	int error = simbench_capture(&bench, 1, 32, text, sizeof text);
	ck_assert_int_ne(error, 0);
	ck_assert_int_eq(hd_sim_interrupted(bench.sim), 2);
	ck_assert_uint_lt(hd_sim_cycles(bench.sim), 1000);
	ck_assert_msg(strstr(hd_sim_error_text(bench.sim), "stopped by signal 2 (Interrupt)") != NULL, "%s",
		      hd_sim_error_text(bench.sim));
}
END_TEST

/* Only what runs can be interrupted. */
START_TEST(interrupts)
{
	ck_assert(!hd_sim_interrupt(NULL, 2));
	start();
	ck_assert(!hd_sim_interrupt(bench.sim, 2));
	ck_assert_int_eq(hd_sim_interrupted(bench.sim), 0);
	bench.sim->gpu.running = 1;
	ck_assert(hd_sim_interrupt(bench.sim, 2));
	ck_assert(!hd_sim_interrupt(bench.sim, 15));
	ck_assert_int_eq(hd_sim_interrupted(bench.sim), 2);
	bench.sim->gpu.running = 0;
	bench.sim->gpu.interrupted = 0;
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("launch",
			     (const TTest *const[]){
				     shapes,
				     bounds_of_the_kernel,
				     required_shape,
				     resources,
				     more_registers_than_a_thread_may_have,
				     constants,
				     stacks,
				     numbers_of_threads,
				     sampling_errors,
				     names_of_checks,
				     questions_launch_nothing,
				     runs_are_interrupted,
				     interrupts,
				     NULL,
			     },
			     set_up, tear_down);
}
