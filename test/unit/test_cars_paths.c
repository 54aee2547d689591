/*
 * CARS's paths of a warp in different calls (runtime/policy/cars/paths.c): whose frames are on the stack, what is
 * stored and loaded when another path runs, and what is known of frames in memory. Lanes 0 to 15 are in call 1, whose
 * frame has three rows; lanes 16 to 31 are outside of it, then in call 2, whose frame has two.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/cars/cars.h"
#include "simbench.h"

enum { LOW = 0xffff, ROWS_1 = 3, ROWS_2 = 2, NOW = 10 };
#define HIGH 0xffff0000u

struct scene {
	struct simbench bench;
	struct hd_sm *sm;
	struct hd_warp *warp;
	struct hd_policy_handle *self;
	struct cars_warp *mine;
	struct cars_counts *counts;
	struct hd_simt entries[3];
};

/* The warp opens a call with a frame of so many rows, the caller's pointer among them. */
static void open_call(struct scene *scene, uint32_t call, uint32_t rows, uint32_t mask)
{
	struct hd_warp *warp = scene->warp;
	warp->stack.data[warp->stack.len++] =
		(struct hd_simt){.mask = mask, .call_return = 100 + call, .call = call, .reconv = HD_PC_NONE};
	cars_stack_call(&scene->mine->stack, rows, mask, true, &scene->bench.arena);
	hd_vec_last(&scene->mine->stack.frames).call = call;
	cars_stack_push(&scene->mine->stack, CARS_FIRST_SAVED, rows - 1);
}

static void scene_init(struct scene *scene)
{
	simbench_init(&scene->bench);
	scene->bench.options.policy = "cars";
	simbench_mov(&scene->bench, 8, 1);
	ck_assert_msg(!simbench_start(&scene->bench), "%s", scene->bench.message);
	scene->sm = scene->bench.sim->gpu.sms[0];
	scene->self = &scene->bench.sim->gpu.policies[0];
	scene->warp = &scene->sm->warps[0];
	scene->warp->cta = &scene->sm->ctas[0];
	scene->warp->live = ~0u;
	scene->warp->active = LOW;
	scene->sm->ctas[0].sm = scene->sm;
	scene->sm->ctas[0].exec = scene->sm->exec;
	scene->sm->ctas[0].grid = (struct hd_grid *)hd_arena_alloc(&scene->bench.arena, sizeof(struct hd_grid));
	scene->mine = cars_warp_of(scene->self, scene->warp);
	scene->counts = &cars_sm_of(scene->self, scene->sm)->counts;
	scene->entries[0] = (struct hd_simt){.mask = ~0u, .call_return = HD_PC_NONE};
	scene->warp->stack.data = scene->entries;
	scene->warp->stack.len = 1;
	cars_stack_reset(&scene->mine->stack, 20, 16);
	open_call(scene, 1, ROWS_1, LOW);
}

static void scene_release(struct scene *scene)
{
	scene->warp->stack.data = NULL;
	scene->warp->stack.len = 0;
	simbench_release(&scene->bench);
}

/* The path of these lanes runs: traps taken for it, and their cycles. */
static void expect_path(struct scene *scene, uint32_t active, bool returned, uint32_t traps)
{
	uint64_t before = scene->counts->traps;
	scene->warp->active = active;
	scene->warp->injection.count = 0;
	ck_assert_uint_eq(cars_follow_path(scene->self, scene->warp, returned), traps * cars_trap_cycles(scene->sm));
	ck_assert_uint_eq(scene->counts->traps - before, traps);
}

/* The one frame on the stack, all of it in registers. */
static void expect_frame(const struct scene *scene, uint32_t call, uint32_t rows, uint32_t mask)
{
	const struct cars_stack *stack = &scene->mine->stack;
	ck_assert_uint_eq(stack->frames.len, 1);
	ck_assert_uint_eq(stack->frames.data[0].call, call);
	ck_assert_uint_eq(stack->frames.data[0].mask, mask);
	ck_assert(stack->frames.data[0].renamed);
	ck_assert_uint_eq(cars_stack_rows(stack, 0), rows);
	ck_assert_uint_eq(stack->bottom, 0);
	ck_assert_uint_eq(stack->rfp, 1);
}

static void expect_parked(const struct scene *scene, uint32_t index, uint32_t call, uint32_t rows, uint32_t mask)
{
	ck_assert_uint_lt(index, scene->mine->parked.len);
	const struct cars_parked *parked = &scene->mine->parked.data[index];
	ck_assert_uint_eq(parked->call, call);
	ck_assert_uint_eq(parked->rows, rows);
	ck_assert_uint_eq(parked->mask, mask);
	ck_assert(parked->renamed);
}

START_TEST(frames_are_exchanged)
{
	struct scene scene;
	scene_init(&scene);
	expect_path(&scene, LOW, false, 0);
	ck_assert(!scene.mine->apart);
	/* The others are in no call: three rows are stored, nothing is loaded. */
	expect_path(&scene, HIGH, false, 1);
	ck_assert(scene.mine->apart);
	ck_assert_uint_eq(scene.mine->stack.frames.len, 0);
	expect_parked(&scene, 0, 1, ROWS_1, LOW);
	const uint64_t row = 16 * 4; /* of sixteen lanes */
	ck_assert_uint_eq(scene.counts->spilled_bytes, ROWS_1 * row);
	expect_path(&scene, HIGH, false, 0);
	/* In call 2 of their own; back to call 1: two rows are stored, three loaded. */
	open_call(&scene, 2, ROWS_2, HIGH);
	expect_path(&scene, LOW, false, 2);
	ck_assert_uint_eq(scene.counts->spilled_bytes, (ROWS_1 + ROWS_2) * row);
	ck_assert_uint_eq(scene.counts->filled_bytes, ROWS_1 * row);
	expect_frame(&scene, 1, ROWS_1, LOW);
	ck_assert_uint_eq(scene.mine->parked.len, 2);
	expect_parked(&scene, 1, 2, ROWS_2, HIGH);
	scene_release(&scene);
}
END_TEST

/* What a call that goes on has changed replaces what was parked of it, and a call that is over is parked no more. */
START_TEST(calls_that_end_are_forgotten)
{
	struct scene scene;
	scene_init(&scene);
	expect_path(&scene, HIGH, false, 1);
	open_call(&scene, 2, ROWS_2, HIGH);
	expect_path(&scene, LOW, false, 2);
	cars_stack_push(&scene.mine->stack, CARS_FIRST_SAVED, ROWS_1); /* a fourth row */
	expect_path(&scene, HIGH, false, 2);
	ck_assert_uint_eq(scene.mine->parked.len, 2);
	expect_parked(&scene, 0, 1, ROWS_1 + 1, LOW);
	expect_frame(&scene, 2, ROWS_2, HIGH);
	expect_path(&scene, LOW, false, 2);
	expect_frame(&scene, 1, ROWS_1 + 1, LOW);
	/* Call 1 returns: its frame goes without a trap. Then call 2's is loaded, and nothing is known of call 1. */
	scene.entries[1] = scene.entries[2];
	scene.warp->stack.len = 2;
	expect_path(&scene, LOW, true, 0);
	ck_assert_uint_eq(scene.mine->stack.frames.len, 0);
	expect_path(&scene, HIGH, false, 1);
	expect_frame(&scene, 2, ROWS_2, HIGH);
	ck_assert_uint_eq(scene.mine->parked.len, 1);
	expect_parked(&scene, 0, 2, ROWS_2, HIGH);
	scene_release(&scene);
}
END_TEST

/* Only a reordered path may be in another call, and calls and returns are told by hooks of their own. */
START_TEST(switches_that_concern_no_call)
{
	static const struct {
		bool reordered, returned, call;
		uint32_t traps;
	} rows[] = {{false, false, false, 0}, {true, true, false, 0}, {true, false, true, 0}, {true, false, false, 1}};
	struct scene scene;
	scene_init(&scene);
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		scene.warp->active = HIGH;
		scene.warp->reordered = rows[i].reordered;
		scene.sm->effect.all_returned = rows[i].returned;
		scene.sm->effect.event = rows[i].call ? HD_EVENT_CALL : HD_EVENT_NONE;
		cars_path_switch(scene.self, scene.warp, HD_PATH_SWITCHED, NOW);
		ck_assert_uint_eq(scene.counts->traps, rows[i].traps);
	}
	scene_release(&scene);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("cars_paths", (const TTest *const[]){
						 frames_are_exchanged,
						 calls_that_end_are_forgotten,
						 switches_that_concern_no_call,
						 NULL,
					 });
}
