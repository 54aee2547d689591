/* CARS by itself: the paper's arithmetic, the circular stack against one without end, allocations, storage. */
#include "harness.h"
#include "heddle/config.h"
#include "runtime/exec/exec.h"
#include "runtime/policy/cars/cars.h"

/* ---- the stack (cars-hpca24 III-A, Figure 3; IV-A, Figure 6) */

struct stack_bench {
	struct cars_stack stack;
	struct hd_arena arena;
};

static void stack_init(struct stack_bench *bench, uint32_t base, uint32_t size)
{
	memset(bench, 0, sizeof *bench);
	hd_arena_init(&bench->arena);
	cars_stack_reset(&bench->stack, base, size);
}

static struct cars_move enter(struct stack_bench *bench, uint32_t pushes)
{
	struct cars_move move = cars_stack_call(&bench->stack, pushes + 1, HD_FULL, true, &bench->arena);
	struct cars_move more = cars_stack_push(&bench->stack, 16, pushes);
	ck_assert_uint_eq(more.rows, 0); /* the call made room for them */
	return move;
}

static struct cars_move leave(struct stack_bench *bench)
{
	return cars_stack_return(&bench->stack, bench->stack.frames.len - 1);
}

START_TEST(figure_3_renames_three_saved_registers)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 8);
	enter(&bench, 3);
	/* The caller's RFP, then R16..R18. */
	ck_assert_uint_eq(bench.stack.rfp, 1);
	ck_assert_uint_eq(bench.stack.rsp, 4);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 15), 15);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 16), 20 + 1);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 18), 20 + 3);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 19), 19);
	leave(&bench);
	ck_assert_uint_eq(bench.stack.rfp, 0);
	ck_assert_uint_eq(bench.stack.rsp, 0);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 16), 16);
	hd_arena_release(&bench.arena);
}
END_TEST

START_TEST(registers_are_renamed_one_push_at_a_time)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 8);
	cars_stack_call(&bench.stack, 4, HD_FULL, true, &bench.arena);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 16), 16);
	cars_stack_push(&bench.stack, 16, 1);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 16), 21);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 17), 17);
	cars_stack_push(&bench.stack, 16, 1); /* on another path */
	ck_assert_uint_eq(bench.stack.rsp, 2);
	hd_arena_release(&bench.arena);
}
END_TEST

START_TEST(trap_spills_whole_frames_from_the_bottom)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 10);
	ck_assert_uint_eq(enter(&bench, 3).rows, 0); /* 0..3 */
	ck_assert_uint_eq(enter(&bench, 4).rows, 0); /* 4..8 */
	struct cars_move move = enter(&bench, 2);    /* 9..11: one row is missing */
	ck_assert_uint_eq(move.from, 0);
	ck_assert_uint_eq(move.rows, 4);
	ck_assert_uint_eq(bench.stack.bottom, 4);
	/* R16 is position 10, the first slot of the circle. */
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 16), 20 + 0);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 17), 20 + 1);
	ck_assert_uint_eq(leave(&bench).rows, 0); /* the caller is in registers */
	move = leave(&bench);			  /* its caller is not */
	ck_assert_uint_eq(move.from, 0);
	ck_assert_uint_eq(move.rows, 4);
	ck_assert_uint_eq(leave(&bench).rows, 0); /* the kernel has no frame */
	ck_assert_uint_eq(bench.stack.bottom, 0);
	hd_arena_release(&bench.arena);
}
END_TEST

START_TEST(trap_spills_as_many_frames_as_it_takes)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 9);
	for (int i = 0; i < 4; i++)
		enter(&bench, 1);
	struct cars_move move = enter(&bench, 6); /* 7 rows: three of the four frames go */
	ck_assert_uint_eq(move.rows, 6);
	move = leave(&bench);
	ck_assert_uint_eq(move.rows, 0);
	move = leave(&bench); /* whole frames, one at a time */
	ck_assert_uint_eq(move.from, 4);
	ck_assert_uint_eq(move.rows, 2);
	hd_arena_release(&bench.arena);
}
END_TEST

START_TEST(trap_keeps_the_lanes_of_the_bottom_frame)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 4);
	cars_stack_call(&bench.stack, 2, 0xff, true, &bench.arena);
	cars_stack_push(&bench.stack, 16, 1);
	struct cars_move move = cars_stack_call(&bench.stack, 4, 0xf, true, &bench.arena);
	ck_assert_uint_eq(move.rows, 2);
	ck_assert_uint_eq(move.mask, 0xff);
	move = leave(&bench);
	ck_assert_uint_eq(move.mask, 0xff);
	hd_arena_release(&bench.arena);
}
END_TEST

/* The site's FRU is that of its worst callee (III-C); each callee takes what it pushes. */
START_TEST(indirect_site_makes_room_for_its_worst_callee)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 14);
	enter(&bench, 5); /* 0..5 */
	/* 11 for the worst: the caller's six go, though this callee pushes two and eight were free. */
	struct cars_move move = cars_stack_call(&bench.stack, 11, 0xff, true, &bench.arena);
	ck_assert_uint_eq(move.rows, 6);
	ck_assert_uint_eq(cars_stack_push(&bench.stack, 16, 2).rows, 0);
	ck_assert_uint_eq(bench.stack.rsp, 6 + 1 + 2);
	move = leave(&bench); /* the others of the warp wait in the caller: it comes back */
	ck_assert_uint_eq(move.rows, 6);
	/* The rest of the warp goes to the worst itself, which pushes ten. */
	move = cars_stack_call(&bench.stack, 11, ~0xffu, true, &bench.arena);
	ck_assert_uint_eq(move.rows, 6);
	ck_assert_uint_eq(cars_stack_push(&bench.stack, 16, 10).rows, 0);
	ck_assert_uint_eq(bench.stack.rsp, 6 + 1 + 10);
	ck_assert_uint_eq(leave(&bench).rows, 6);
	leave(&bench);
	ck_assert_uint_eq(bench.stack.rsp, 0);
	hd_arena_release(&bench.arena);
}
END_TEST

/* A callee larger than the stack, or without a run from R16, leaves renaming as it is. */
START_TEST(frameless_call_keeps_the_callers_names)
{
	struct stack_bench bench;
	stack_init(&bench, 20, 6);
	enter(&bench, 2);
	struct cars_move move = cars_stack_call(&bench.stack, 7, HD_FULL, true, &bench.arena);
	ck_assert_uint_eq(move.rows, 0);
	ck_assert_uint_eq(bench.stack.rfp, 1);
	ck_assert_uint_eq(cars_stack_place(&bench.stack, 17), 20 + 2);
	ck_assert_uint_eq(enter(&bench, 4).rows, 3); /* a frame above it */
	ck_assert_uint_eq(leave(&bench).rows, 3);
	leave(&bench);
	leave(&bench);
	ck_assert_uint_eq(bench.stack.rsp, 0);
	hd_arena_release(&bench.arena);
}
END_TEST

/* Random calls and returns: what a push wrote is there when its frame is in control, as with a stack without end. */
START_TEST(circular_stack_is_a_stack_without_end)
{
	enum { DEPTH = 60, SIZE = 17, POSITIONS = DEPTH * 16 };
	uint32_t seed = 5, depth = 0, slot[SIZE] = {0}, memory[POSITIONS] = {0}, endless[POSITIONS] = {0}, next = 1;
	struct stack_bench bench;
	stack_init(&bench, 0, SIZE);
	for (uint32_t step = 0; step < 20000; step++) {
		seed = seed * 1664525 + 1013904223;
		bool call = depth < DEPTH && (!depth || seed >> 30);
		struct cars_move move =
			call ? cars_stack_call(&bench.stack, 2 + (seed >> 8) % 15, HD_FULL, true, &bench.arena)
			     : leave(&bench);
		depth += call ? 1 : UINT32_MAX;
		for (uint32_t p = move.from; p < move.from + move.rows; p++) {
			uint32_t *from = call ? &slot[p % SIZE] : &memory[p], *to = call ? &memory[p] : &slot[p % SIZE];
			*to = *from;
			*from = 0;
		}
		if (call) {
			uint32_t first = bench.stack.rsp;
			cars_stack_push(&bench.stack, 16, 1 + (seed >> 8) % 15);
			for (uint32_t p = first; p < bench.stack.rsp; p++)
				slot[p % SIZE] = endless[p] = next++;
		}
		ck_assert_uint_le(bench.stack.rsp - bench.stack.bottom, SIZE);
		for (uint32_t p = bench.stack.rfp; p < bench.stack.rsp; p++)
			ck_assert_uint_eq(slot[cars_stack_place(&bench.stack, 16 + p - bench.stack.rfp)], endless[p]);
	}
	hd_arena_release(&bench.arena);
}
END_TEST

/* ---- allocations (III-B) */

static struct cars_demand figure_4(uint32_t warps)
{
	/* 20 registers of the kernel, the largest function 10, the bold chain 56. */
	return (struct cars_demand){
		.base = 20, .max_fru = 10, .high = 56, .file_rows = 2048, .unit = 1, .warps = warps};
}

START_TEST(figure_4_watermarks)
{
	struct cars_levels levels;
	struct cars_demand demand = figure_4(64);
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.low, 30);
	ck_assert_uint_eq(levels.rows[0], 32); /* Low, and what is left over: 2048 / 64 */
	ck_assert_uint_eq(levels.rows[1], 40); /* 2 x Low */
	ck_assert_uint_eq(levels.rows[2], 50);
	ck_assert_uint_eq(levels.rows[3], 56); /* High */
	ck_assert_uint_eq(levels.count, 4);
	ck_assert_uint_eq(levels.multiple[0], 1);
	ck_assert_uint_eq(levels.multiple[3], 0);
}
END_TEST

/* "Limited by shared memory to 8 warps a core, the space available to each warp is 1/8 of the register file." */
START_TEST(high_everywhere_where_it_costs_nothing)
{
	struct cars_levels levels;
	struct cars_demand demand = figure_4(8);
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.count, 1);
	ck_assert_uint_eq(levels.rows[0], 256);
	demand = figure_4(36); /* 56.9 */
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.count, 1);
	ck_assert_uint_eq(levels.rows[0], 56);
	demand = figure_4(37); /* 55.4 */
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.rows[0], 55);
	ck_assert_uint_eq(levels.count, 2);
}
END_TEST

START_TEST(allocations_are_rounded_and_bounded)
{
	struct cars_levels levels;
	struct cars_demand demand = figure_4(64);
	demand.unit = 8;
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.rows[0], 32);
	ck_assert_uint_eq(levels.rows[levels.count - 1], 56);
	for (uint32_t i = 0; i < levels.count; i++)
		ck_assert_uint_eq(levels.rows[i] % 8, 0);
	demand.high = 5000;
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.rows[levels.count - 1], 2048);
	ck_assert_uint_le(levels.count, CARS_MAX_LEVELS);
	demand = (struct cars_demand){.base = 64, .file_rows = 2048, .unit = 8, .warps = 64}; /* no calls */
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.count, 1);
	ck_assert_uint_eq(levels.rows[0], 64);
}
END_TEST

START_TEST(parameter_forces_an_allocation)
{
	const struct {
		const char *parameter;
		uint32_t rows;
	} cases[] = {{"low", 32}, {"high", 56}, {"1", 30}, {"2", 40}, {"3", 50}, {"9", 110}, {"1000", 2048}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cars_levels levels;
		struct cars_demand demand = figure_4(64);
		cars_levels_make(&levels, &demand);
		cars_levels_force(&levels, &demand, cases[i].parameter);
		ck_assert_uint_eq(levels.count, 1);
		ck_assert_uint_eq(levels.rows[0], cases[i].rows);
	}
}
END_TEST

/* Rows come in units of 8: 100 of them are 96, and 20 + 10 are 32. */
START_TEST(forced_allocations_are_whole_units)
{
	const struct {
		const char *parameter;
		uint32_t rows;
	} cases[] = {{"1", 32}, {"2", 40}, {"3", 56}, {"7", 96}, {"8", 96}, {"1000", 96}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cars_levels levels;
		struct cars_demand demand = figure_4(64);
		demand.file_rows = 100;
		demand.unit = 8;
		cars_levels_make(&levels, &demand);
		cars_levels_force(&levels, &demand, cases[i].parameter);
		ck_assert_uint_eq(levels.rows[0], cases[i].rows);
	}
}
END_TEST

/* A cooperative grid: 64 warps share 2048 rows, 32 each, and none may wait. */
START_TEST(a_bounded_allocation_is_what_all_warps_can_have)
{
	const struct {
		const char *parameter;
		uint32_t warps, rows, multiple;
	} cases[] = {
		{"", 64, 32, 1},
		{"low", 64, 32, 1},
		{"2", 64, 32, 1},
		{"high", 64, 32, 1}, /* High is 56 */
		{"", 36, 56, 0},
		{"low", 36, 56, 0},
		{"2", 36, 40, 2},
		{"high", 36, 56, 0},
		{"9", 36, 56, 3},
		{"low", 40, 51, 1},
		{"high", 40, 51, 3},
		{"", 80, 25, CARS_BELOW_LOW},
		{"high", 80, 25, CARS_BELOW_LOW}, /* Low is 30 */
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cars_levels levels;
		struct cars_demand demand = figure_4(cases[i].warps);
		demand.all_run = true;
		cars_levels_make(&levels, &demand);
		if (*cases[i].parameter)
			cars_levels_force(&levels, &demand, cases[i].parameter);
		cars_levels_bound(&levels, &demand);
		ck_assert_uint_eq(levels.count, 1);
		ck_assert_uint_eq(levels.rows[0], cases[i].rows);
		ck_assert_uint_eq(levels.multiple[0], cases[i].multiple);
		ck_assert_uint_le(levels.low, levels.rows[0]);
	}
	struct cars_levels levels, before;
	struct cars_demand demand = figure_4(64); /* other grids keep what they have */
	cars_levels_make(&levels, &demand);
	before = levels;
	cars_levels_bound(&levels, &demand);
	ck_assert_mem_eq(&levels, &before, sizeof levels);
}
END_TEST

static void block_took(struct cars_levels *levels, uint32_t level, uint64_t cycles)
{
	levels->cycles[level] += cycles;
	levels->blocks[level]++;
}

START_TEST(figure_5_moves_towards_the_best)
{
	struct cars_levels levels;
	struct cars_demand demand = figure_4(64);
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(cars_level_next(&levels, 0), 0); /* nothing is known */
	ck_assert_uint_eq(cars_level_next(&levels, 3), 3);
	block_took(&levels, 0, 1000);
	ck_assert_uint_eq(cars_level_next(&levels, 0), 0); /* High has not ended a block */
	ck_assert_uint_eq(cars_level_next(&levels, 3), 3);
	block_took(&levels, 3, 800);
	ck_assert_uint_eq(cars_level_next(&levels, 0), 1); /* High is better: Low goes to 2 x Low */
	ck_assert_uint_eq(cars_level_next(&levels, 1), 1); /* not measured yet */
	ck_assert_uint_eq(cars_level_next(&levels, 3), 3);
	block_took(&levels, 1, 700);
	ck_assert_uint_eq(cars_level_next(&levels, 1), 1);
	ck_assert_uint_eq(cars_level_next(&levels, 3), 2); /* and High comes down */
	block_took(&levels, 1, 1500);			   /* a mean of 1100 */
	ck_assert_uint_eq(cars_level_next(&levels, 1), 2);
	ck_assert_uint_eq(cars_level_next(&levels, 0), 1);
	ck_assert_uint_eq(cars_level_best(&levels, 0), 3);
}
END_TEST

START_TEST(means_of_an_earlier_launch_are_remembered)
{
	struct cars_levels levels;
	struct cars_demand demand = figure_4(64);
	cars_levels_make(&levels, &demand);
	levels.remembered[1] = 500;
	levels.remembered[3] = 900;
	ck_assert_uint_eq(cars_level_best(&levels, 0), 1);
	block_took(&levels, 1, 1000); /* this launch's own mean counts */
	ck_assert_uint_eq(cars_level_best(&levels, 0), 3);
	ck_assert_uint_eq(cars_level_next(&levels, 1), 2);
}
END_TEST

/* Beside a policy that moves warps: High, and then the best known as soon as all beside it are known. */
START_TEST(a_launch_has_one_allocation)
{
	static const uint32_t took[4] = {1000, 600, 700, 800}, expected[] = {3, 2, 1, 0, 1, 1};
	struct cars_memory memory = {{0}};
	struct cars_levels levels;
	struct cars_demand demand = figure_4(64);
	for (uint32_t launch = 0; launch < sizeof(expected) / sizeof(*expected); launch++) {
		cars_levels_make(&levels, &demand);
		ck_assert_uint_eq(levels.count, 4);
		cars_levels_recall(&levels, &memory);
		uint32_t level = cars_level_of_launch(&levels);
		ck_assert_uint_eq(level, expected[launch]);
		block_took(&levels, level, took[level]);
		cars_levels_keep(&levels, &memory);
	}
}
END_TEST

/* Left-over rows are not given out where no call can use them. */
START_TEST(rows_beyond_the_deepest_call_stay_free)
{
	struct cars_levels levels;
	struct cars_demand demand = figure_4(4);
	cars_levels_make(&levels, &demand);
	ck_assert_uint_eq(levels.count, 1);
	uint32_t share = levels.rows[0];
	ck_assert_uint_gt(share, 2 * demand.high);
	demand.open = true;
	cars_levels_trim(&levels, &demand);
	ck_assert_uint_eq(levels.rows[0], share);
	demand.open = false;
	cars_levels_trim(&levels, &demand);
	ck_assert_uint_ge(levels.rows[0], demand.high);
	ck_assert_uint_lt(levels.rows[0], demand.high + demand.unit);
}
END_TEST

/* By N x Low and High, not by rows; and a launch without a choice compares nothing. */
START_TEST(memory_is_kept_by_allocation)
{
	struct cars_memory memory = {{0}};
	struct cars_levels levels;
	struct cars_demand many = figure_4(64), few = figure_4(40), one = figure_4(1);
	cars_levels_make(&levels, &many);
	block_took(&levels, 0, 1000);
	block_took(&levels, levels.count - 1, 700);
	cars_levels_keep(&levels, &memory);
	cars_levels_make(&levels, &few);
	ck_assert_uint_gt(levels.rows[0], 32);
	cars_levels_recall(&levels, &memory);
	ck_assert_double_eq(levels.remembered[0], 1000);
	ck_assert_double_eq(levels.remembered[levels.count - 1], 700);
	cars_levels_make(&levels, &one);
	ck_assert_uint_eq(levels.count, 1);
	block_took(&levels, 0, 10);
	cars_levels_keep(&levels, &memory);
	ck_assert_double_eq(memory.mean[0], 700);
}
END_TEST

START_TEST(storage_is_264_bytes)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(cars_storage_bits(&config), 264 * 8);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("cars stack", (const TTest *const[]){
						 figure_3_renames_three_saved_registers,
						 registers_are_renamed_one_push_at_a_time,
						 trap_spills_whole_frames_from_the_bottom,
						 trap_spills_as_many_frames_as_it_takes,
						 trap_keeps_the_lanes_of_the_bottom_frame,
						 indirect_site_makes_room_for_its_worst_callee,
						 frameless_call_keeps_the_callers_names,
						 circular_stack_is_a_stack_without_end,
						 figure_4_watermarks,
						 high_everywhere_where_it_costs_nothing,
						 allocations_are_rounded_and_bounded,
						 parameter_forces_an_allocation,
						 forced_allocations_are_whole_units,
						 a_bounded_allocation_is_what_all_warps_can_have,
						 figure_5_moves_towards_the_best,
						 means_of_an_earlier_launch_are_remembered,
						 memory_is_kept_by_allocation,
						 a_launch_has_one_allocation,
						 rows_beyond_the_deepest_call_stay_free,
						 storage_is_264_bytes,
						 NULL,
					 });
}
