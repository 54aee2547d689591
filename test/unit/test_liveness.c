/*
 * LINK: passes
 * liveness: Figure 2.5's shape, nested branches and loops with breaks by hand; random functions against the
 * definition and against warps that run them on a SIMT stack.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/liveness.h"
#include "reconverge.h"
#include "sample.h"
#include "simt_model.h"

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static struct hd_flow flow;
static struct hd_liveness liveness;

static void compute(const struct hd_function *function, const struct hd_bitset *uniform)
{
	flow_compute(&flow, function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, uniform, NULL, NULL, &arena);
}

static struct hd_regset diverged(uint32_t inst)
{
	struct hd_regset live = hd_liveness_before(&liveness, inst);
	return hd_liveness_diverged(&liveness, flow.block_of[inst], &live);
}

#define CHECK_POINT(inst, low, predicates, diverged_low, diverged_predicates)                        \
	do {                                                                                         \
		struct hd_regset live_ = hd_liveness_before(&liveness, inst), all_ = diverged(inst); \
		ck_assert_uint_eq(live_.regs[0], low);                                               \
		ck_assert_uint_eq(live_.preds, predicates);                                          \
		ck_assert_uint_eq(all_.regs[0], diverged_low);                                       \
		ck_assert_uint_eq(all_.preds, diverged_predicates);                                  \
	} while (0)

/*
 * Figure 2.5. A branches to B or C, which meet in D; the preemption point is in C. B needs R2, C needs R3, D needs R4
 * and the R5 that both set: T1 may wait with R2 at the end of A, or with R5 at the start of D.
 */
static struct hd_function figure_2_5(void)
{
	struct code code = {0};
	code_compare(&code, 0, 0, 1); /* 0 A */
	code_branch(&code, 0, 4, 6);  /* 1   */
	code_add(&code, 5, 2, 2);     /* 2 B */
	code_jump(&code, 6);	      /* 3   */
	code_add(&code, 6, 3, 3);     /* 4 C */
	code_add(&code, 5, 6, 6);     /* 5   */
	code_store(&code, 4, 5);      /* 6 D */
	code_exit(&code);	      /* 7   */
	return code_finish(&code, "figure_2_5", true, &arena);
}

START_TEST(figure)
{
	struct hd_function function = figure_2_5();
	compute(&function, NULL);
	ck_assert(liveness.divergent[0]);
	CHECK_POINT(0, 0x1f, 0, 0x1f, 0);
	CHECK_POINT(1, 0x1c, 1, 0x1c, 1);
	CHECK_POINT(4, 0x18, 0, 0x3c, 0); /* R3 R4; with R2 of B and R5 of D */
	CHECK_POINT(5, 0x50, 0, 0x7c, 0); /* R4 R6; with R2 R3 live after A, R5 */
	CHECK_POINT(6, 0x30, 0, 0x30, 0);
	ck_assert_uint_eq(liveness.most.inst, 0);
	ck_assert_uint_eq(liveness.most.live, 5);
	ck_assert_uint_eq(liveness.most_divergent.live, 5);
}
END_TEST

START_TEST(uniform_branches_add_nothing)
{
	struct hd_function function = figure_2_5();
	struct hd_bitset uniform = hd_bitset_new(&arena, function.inst_count);
	hd_bitset_add(&uniform, 1);
	compute(&function, &uniform);
	ck_assert(!liveness.divergent[0]);
	ck_assert_uint_eq(liveness.uniform_branches, 1);
	CHECK_POINT(4, 0x18, 0, 0x18, 0);
	CHECK_POINT(5, 0x50, 0, 0x50, 0);
}
END_TEST

/* Reads: R6 dies at once. R3 dies in C for its thread and, since A's other way has no use for it, only waits there by
 * A's end. */
START_TEST(dead_reads)
{
	struct hd_function function = figure_2_5();
	compute(&function, NULL);
	ck_assert_uint_eq(liveness.dead[0], HD_DEAD_A | HD_DEAD_B);
	ck_assert_uint_eq(liveness.dead_in_warp[0], HD_DEAD_A | HD_DEAD_B);
	ck_assert_uint_eq(liveness.dead[1], HD_DEAD_GUARD);
	ck_assert_uint_eq(liveness.dead[4], HD_DEAD_A | HD_DEAD_B);
	ck_assert_uint_eq(liveness.dead_in_warp[4], 0);
	ck_assert_uint_eq(liveness.dead_in_warp[5], HD_DEAD_A | HD_DEAD_B);
	ck_assert_uint_eq(liveness.reads, 10);
	ck_assert_uint_eq(liveness.dead_reads, 10);
	ck_assert_uint_eq(liveness.dead_in_warp_reads, 6);
}
END_TEST

/* The outer branch's waiting lanes count inside the inner one, the inner one's end with it. */
START_TEST(nested)
{
	struct code code = {0};
	code_branch(&code, 0, 7, 8); /* 0 outer: else to 7, meets at 8 */
	code_branch(&code, 1, 4, 5); /* 1 inner: else to 4, meets at 5 */
	code_store(&code, 0, 1);     /* 2 inner then */
	code_jump(&code, 5);	     /* 3 */
	code_store(&code, 0, 2);     /* 4 inner else */
	code_store(&code, 0, 3);     /* 5 inner meets */
	code_jump(&code, 8);	     /* 6 */
	code_store(&code, 0, 4);     /* 7 outer else */
	code_store(&code, 0, 5);     /* 8 outer meets */
	code_exit(&code);
	struct hd_function function = code_finish(&code, "nested", true, &arena);
	compute(&function, NULL);
	CHECK_POINT(1, 0x2f, 2, 0x3f, 2); /* R4 is the outer else's */
	CHECK_POINT(2, 0x2b, 0, 0x3f, 2); /* and R2 the inner else's; P1 is live where the outer branch's lanes wait */
	CHECK_POINT(5, 0x29, 0, 0x3f, 2); /* they may wait before the inner branch too, as far as the union goes */
	CHECK_POINT(7, 0x31, 0, 0x3f, 2);
	CHECK_POINT(8, 0x21, 0, 0x21, 0);
}
END_TEST

/* while (..) { if (P1) { use R2; break; } use R3 } use R4: lanes that left wait with R4 or R2, and again in the next
 * turn. */
START_TEST(loop_with_break)
{
	struct code code = {0};
	code_branch(&code, 0, 6, 6); /* 0 header: leave */
	code_branch(&code, 1, 4, 6); /* 1 break */
	code_store(&code, 0, 3);     /* 2 */
	code_jump(&code, 0);	     /* 3 */
	code_store(&code, 0, 2);     /* 4 on the way out */
	code_jump(&code, 6);	     /* 5 */
	code_store(&code, 0, 4);     /* 6 */
	code_exit(&code);
	struct hd_function function = code_finish(&code, "break", true, &arena);
	compute(&function, NULL);
	CHECK_POINT(2, 0x1d, 3, 0x1d, 3);
	CHECK_POINT(4, 0x15, 0, 0x1d, 3); /* R3, P0, P1: the lanes that stay in the loop */
	CHECK_POINT(6, 0x11, 0, 0x11, 0);
}
END_TEST

/* Without divergence in it, a loop that lanes leave one by one still has lanes waiting behind it. */
START_TEST(divergent_exit)
{
	struct code code = {0};
	code_set(&code, 2, 0);	      /* 0 */
	code_add(&code, 2, 2, 1);     /* 1 body */
	code_compare(&code, 0, 2, 1); /* 2 */
	code_branch(&code, 0, 1, 4);  /* 3 back, meets at 4 */
	code_store(&code, 0, 3);      /* 4 */
	code_exit(&code);
	struct hd_function function = code_finish(&code, "exit", true, &arena);
	compute(&function, NULL);
	CHECK_POINT(0, 0x0b, 0, 0x0b, 0);
	CHECK_POINT(1, 0x0f, 0, 0x0f, 0);
	CHECK_POINT(3, 0x0f, 1, 0x0f, 1);
	CHECK_POINT(4, 0x09, 0, 0x09, 0);
}
END_TEST

/* In a function, lanes that return early wait behind the call with the results. Those of a kernel are gone. */
START_TEST(early_returns)
{
	struct code code = {0};
	struct hd_flow_facts facts = {.registers = 18};
	hd_regset_add(&facts.results, 4);
	code_branch(&code, 0, 3, HD_NO_PC); /* 0 */
	code_set(&code, 4, 1);		    /* 1 */
	code_op(&code, HD_OP_RET);	    /* 2 */
	code_set(&code, 4, 2);		    /* 3 */
	code_op(&code, HD_OP_RET);	    /* 4 */
	struct hd_function function = code_finish(&code, "early", false, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, &facts, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
	CHECK_POINT(3, 0x30002, 0, 0x30012, 0);
	function.kernel = true;
	compute(&function, NULL);
	CHECK_POINT(3, 0, 0, 0, 0);
}
END_TEST

/* ---- random functions */

/* In the arena, since the flow goes on reading it. */
static struct hd_function *random_function(uint64_t *seed, uint32_t blocks)
{
	struct hd_function *function = HD_ARENA_NEW(&arena, struct hd_function, 1);
	*function = code_random(seed, blocks, 3, 7, &arena);
	flow_compute(&flow, function, &hd_abi_cars, NULL, &arena);
	reconverge(function, &flow, &arena);
	compute(function, NULL);
	return function;
}

/* The block in which lanes meet behind this one; HD_NO_NODE: they do not. */
static uint32_t meeting_block(uint32_t block)
{
	uint32_t reconv = flow.function->insts[hd_flow_last(&flow, block)].reconv;
	return reconv == HD_NO_PC ? HD_NO_NODE : flow.block_of[reconv];
}

/* Blocks that `from` reaches without passing `meets`. */
static void reach(uint32_t from, uint32_t meets, bool *seen)
{
	for (uint32_t e = flow.graph.succ_start[from]; e < flow.graph.succ_start[from + 1]; e++) {
		uint32_t to = flow.graph.succ[e];
		if (to == meets || seen[to])
			continue;
		seen[to] = true;
		reach(to, meets, seen);
	}
}

START_TEST(unions_match_the_definition)
{
	uint64_t seed = 5;
	for (unsigned trial = 0; trial < 400; trial++) {
		random_function(&seed, 2 + trial % 10);
		struct hd_regset *around = HD_ARENA_NEW(&arena, struct hd_regset, flow.block_count);
		bool *seen = HD_ARENA_NEW(&arena, bool, flow.block_count);
		for (uint32_t b = 0; b < flow.block_count; b++) {
			if (flow.graph.succ_start[b + 1] - flow.graph.succ_start[b] < 2)
				continue;
			struct hd_regset set = flow.live_out[b];
			uint32_t meets = meeting_block(b);
			if (meets != HD_NO_NODE)
				hd_regset_union(&set, &flow.live_in[meets]);
			memset(seen, 0, flow.block_count);
			reach(b, meets, seen);
			for (uint32_t x = 0; x < flow.block_count; x++)
				if (seen[x])
					hd_regset_union(&around[x], &set);
		}
		for (uint32_t x = 0; x < flow.block_count; x++)
			ck_assert(hd_regset_equal(&around[x], &liveness.around[x]));
	}
}
END_TEST

/* ---- a warp of a few lanes that decide at random, on the SIMT stack of the machine */

enum { STEPS = 200 };

/* Every lane that waits finds what it needs in the union at the point where the others run. */
static void check_waiting(const struct model *model)
{
	uint32_t later = model->stack[model->depth - 1].mask, pc = model->stack[model->depth - 1].pc;
	struct hd_regset all = diverged(pc);
	for (uint32_t i = model->depth - 1; i-- > 0;) {
		if (model->stack[i].mask & ~later) {
			struct hd_regset live = hd_liveness_before(&liveness, model->stack[i].pc);
			ck_assert(hd_regset_within(&live, &all));
		}
		later |= model->stack[i].mask;
	}
}

START_TEST(waiting_lanes_lose_nothing)
{
	uint64_t seed = 6;
	for (unsigned trial = 0; trial < 300; trial++) {
		const struct hd_function *function = random_function(&seed, 2 + trial % 12);
		struct model model;
		model_start(&model);
		for (unsigned i = 0; i < STEPS && model.depth && model_has_room(&model); i++) {
			const struct hd_inst *inst = &function->insts[model_top(&model)->pc];
			uint32_t guard = inst->guard == HD_PT ? UINT32_MAX : (uint32_t)(sample_random(&seed) >> 24);
			check_waiting(&model);
			model_step(&model, inst, model_top(&model)->mask & guard);
		}
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {figure,
				      uniform_branches_add_nothing,
				      dead_reads,
				      nested,
				      loop_with_break,
				      divergent_exit,
				      early_returns,
				      unions_match_the_definition,
				      waiting_lanes_lose_nothing,
				      NULL};
	Suite *suite = suite_create("liveness");
	TCase *tcase = tcase_create("liveness");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
