/*
 * LINK: passes
 * preempt: places of points, masks and drain distances of hand-made functions; random ones against enumeration.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/preempt.h"
#include "random_graph.h"

static struct hd_arena arena;
static struct hd_flow flow;
static struct hd_liveness liveness;
static struct hd_preempt preempt;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static struct hd_function function;

static void compute(struct code *code, uint32_t every, const struct hd_bitset *uniform)
{
	function = code_finish(code, "kernel", true, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, uniform, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, every, NULL, &arena);
}

static struct hd_bitset all_uniform(uint32_t count)
{
	struct hd_bitset set = hd_bitset_new(&arena, count);
	for (uint32_t i = 0; i < count; i++)
		hd_bitset_add(&set, i);
	return set;
}

#define CHECK_POINT(index, at, what, low)                                   \
	do {                                                                \
		ck_assert_uint_lt(index, preempt.point_count);              \
		ck_assert_uint_eq(preempt.points[index].inst, at);          \
		ck_assert_uint_eq(preempt.points[index].kind, what);        \
		ck_assert_uint_eq(preempt.points[index].live.regs[0], low); \
	} while (0)

/* do { R3 = R1 + R1; R4 = R3 + R2; store R0, R4; R2++ } while (R2 < R1): before the first or after the store, R0 R1 R2
 */
START_TEST(fewest_live)
{
	struct code code = {0};
	code_add(&code, 5, 1, 1);     /* 0 */
	code_add(&code, 3, 5, 1);     /* 1 header */
	code_add(&code, 4, 3, 2);     /* 2 */
	code_store(&code, 0, 4);      /* 3 */
	code_move(&code, 5, 2);	      /* 4: R5 is dead before it */
	code_compare(&code, 0, 2, 1); /* 5 */
	code_branch(&code, 0, 1, 7);  /* 6 */
	code_exit(&code);	      /* 7 */
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 1);
	CHECK_POINT(0, 4, HD_PREEMPT_PP, 0x7);
	ck_assert(preempt.drain.bounded);
	/* From the point round to itself are six; from the entry to it four; from it to the end four. */
	ck_assert_int_eq(preempt.drain.worst, 6);
	ck_assert_int_eq(preempt.drain.to_point, 4);
	ck_assert_int_eq(preempt.drain.through, -1);
}
END_TEST

/* The barrier with fewer live registers, though another place has fewer still. */
START_TEST(barriers_first)
{
	struct code code = {0};
	code_add(&code, 3, 1, 2);    /* 0 header: R0 R1 R2 */
	code_barrier(&code);	     /* 1: and R3 */
	code_add(&code, 4, 3, 3);    /* 2 */
	code_add(&code, 5, 3, 4);    /* 3 */
	code_barrier(&code);	     /* 4: R0 R1 R2 R4 R5 */
	code_add(&code, 4, 4, 5);    /* 5 */
	code_store(&code, 0, 4);     /* 6 */
	code_branch(&code, 0, 0, 8); /* 7 */
	code_exit(&code);
	struct hd_bitset uniform = all_uniform(9);
	compute(&code, 1000, &uniform);
	ck_assert_uint_eq(preempt.point_count, 1);
	CHECK_POINT(0, 1, HD_PREEMPT_BAR, 0xf);
	ck_assert(hd_regset_equal(&preempt.points[0].live, &preempt.points[0].live_divergent));
	ck_assert_uint_eq(preempt.barrier_count, 2);
	ck_assert_int_eq(preempt.drain.worst, 8);
}
END_TEST

/* BAR.ARV does not wait. */
START_TEST(arrivals_are_no_barriers)
{
	struct code code = {0};
	uint32_t arrive = code_barrier(&code);
	code.insts.data[arrive].mods = HD_MOD(BARMODE, HD_BAR_ARV);
	code.insts.data[arrive].c = 1;
	code_branch(&code, 0, 0, 2);
	code_exit(&code);
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.barrier_count, 0);
	ck_assert_uint_eq(preempt.points[0].kind, HD_PREEMPT_PP);
}
END_TEST

/* for (...) { if (P1) do ... while (P2); } while (P0): a point in each, for iterations that leave the inner loop out.
 */
static void outer_code(struct code *code, bool barrier)
{
	code_add(code, 3, 1, 2);    /* 0 outer header */
	code_branch(code, 1, 5, 5); /* 1 */
	code_add(code, 2, 2, 1);    /* 2 inner header */
	if (barrier)
		code_barrier(code); /* 3 */
	else
		code_store(code, 0, 2);
	code_branch(code, 2, 2, 5); /* 4 */
	code_store(code, 0, 3);	    /* 5 */
	code_branch(code, 0, 0, 7); /* 6 */
	code_exit(code);	    /* 7 */
}

START_TEST(outer_loops_that_go_round)
{
	struct code code = {0};
	outer_code(&code, false);
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 2);
	CHECK_POINT(0, 0, HD_PREEMPT_PP, 0x7);
	CHECK_POINT(1, 2, HD_PREEMPT_PP, 0xf);
	ck_assert(preempt.drain.bounded);
	ck_assert_int_eq(preempt.drain.worst, 6); /* 2 to 7 */
}
END_TEST

/* The barrier inside is a point: warps stop there too. */
START_TEST(outer_loops_with_barriers)
{
	struct code code = {0};
	outer_code(&code, true);
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 2);
	CHECK_POINT(0, 0, HD_PREEMPT_PP, 0x7);
	CHECK_POINT(1, 3, HD_PREEMPT_BAR, 0xf);
	ck_assert(preempt.drain.bounded);
}
END_TEST

/* Two barriers inside, one of them a point: another one beside the loop could wait for warps at the other. */
START_TEST(outer_loops_beside_a_waiting_barrier)
{
	struct code code = {0};
	code_add(&code, 3, 1, 2);    /* 0 outer header */
	code_branch(&code, 1, 5, 5); /* 1 */
	code_barrier(&code);	     /* 2 inner header */
	code_barrier(&code);	     /* 3 */
	code_branch(&code, 2, 2, 5); /* 4 */
	code_branch(&code, 0, 0, 6); /* 5 */
	code_exit(&code);	     /* 6 */
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 1);
	CHECK_POINT(0, 2, HD_PREEMPT_BAR, 0x6);
	ck_assert(!preempt.drain.bounded);
}
END_TEST

/* A conditional part has fewer live registers, but iterations may go round it. */
START_TEST(on_every_way)
{
	struct code code = {0};
	code_add(&code, 3, 1, 2);    /* 0 header: R0 R1 R2 */
	code_branch(&code, 1, 4, 4); /* 1: and R3 */
	code_set(&code, 3, 0);	     /* 2: R0 R1 R2 */
	code_set(&code, 2, 0);	     /* 3: R0 R1 R3 */
	code_store(&code, 0, 3);     /* 4 */
	code_branch(&code, 0, 0, 6); /* 5: R0 R1 R2 */
	code_exit(&code);
	struct hd_bitset uniform = all_uniform(7);
	compute(&code, 1000, &uniform);
	ck_assert_uint_eq(preempt.point_count, 1);
	CHECK_POINT(0, 0, HD_PREEMPT_PP, 0x7);
	ck_assert(preempt.drain.bounded);
	ck_assert_int_eq(preempt.drain.worst, 7);
}
END_TEST

/* One in the innermost loop, and one for the way of the outer loop that leaves it out. */
START_TEST(nested_loops)
{
	struct code code = {0};
	code_branch(&code, 1, 3, 3); /* 0 outer header: may skip the inner loop */
	code_add(&code, 0, 0, 1);    /* 1 inner */
	code_branch(&code, 0, 1, 3); /* 2 */
	code_add(&code, 2, 2, 1);    /* 3 */
	code_branch(&code, 2, 0, 5); /* 4 */
	code_exit(&code);
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 2);
	ck_assert_uint_eq(preempt.points[0].inst, 0);
	ck_assert_uint_eq(flow.loops.loops[preempt.points[0].loop].depth, 1);
	ck_assert_uint_eq(preempt.points[1].inst, 1);
	ck_assert_uint_eq(flow.loops.loops[preempt.points[1].loop].depth, 2);
	ck_assert(preempt.drain.bounded);
}
END_TEST

/* A cycle with two ways in: its header cuts it. */
START_TEST(irreducible)
{
	struct code code = {0};
	code_branch(&code, 0, 3, 5); /* 0 */
	code_add(&code, 1, 1, 1);    /* 1 */
	code_branch(&code, 1, 5, 5); /* 2 */
	code_add(&code, 2, 2, 2);    /* 3 */
	code_jump(&code, 1);	     /* 4 */
	code_exit(&code);	     /* 5 */
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert(preempt.drain.bounded);
	ck_assert(flow.loops.loops[0].irreducible);
}
END_TEST

/* Outside loops one every ten, at the fewest live registers of the latter five; a barrier of the ten comes first. */
START_TEST(every_ten)
{
	struct code code = {0};
	for (uint8_t i = 0; i < 8; i++)
		code_set(&code, (uint8_t)(2 + i), i); /* 0..7 */
	for (uint8_t i = 0; i < 8; i++)
		code_store(&code, 0, (uint8_t)(2 + i)); /* 8..15: 9 live before 8, 2 before 15 */
	code_set(&code, 2, 0);				/* 16 */
	code_barrier(&code);				/* 17 */
	for (uint8_t i = 0; i < 8; i++)
		code_store(&code, 0, 2); /* 18..25 */
	code_exit(&code);		 /* 26 */
	compute(&code, 10, NULL);
	ck_assert_uint_eq(preempt.point_count, 3);
	CHECK_POINT(0, 5, HD_PREEMPT_PP, 0x7d);
	CHECK_POINT(1, 15, HD_PREEMPT_PP, 0x201);
	CHECK_POINT(2, 17, HD_PREEMPT_BAR, 0x5);
	ck_assert_int_eq(preempt.drain.worst, 10);
}
END_TEST

/* An outer loop of 49 instructions, an inner loop, and 30 more on the way back: with a point in the inner loop alone 80
 * would go by. */
START_TEST(round_outer_loops)
{
	struct code code = {0};
	for (unsigned i = 0; i < 49; i++)
		code_set(&code, 2, i); /* 0 outer header */
	code_add(&code, 3, 3, 2);      /* 49 inner header */
	code_branch(&code, 1, 49, 51); /* 50 */
	for (unsigned i = 0; i < 29; i++)
		code_set(&code, 2, i); /* 51 */
	code_branch(&code, 0, 0, 81);  /* 80 */
	code_exit(&code);	       /* 81 */
	compute(&code, 60, NULL);
	ck_assert(preempt.drain.bounded);
	ck_assert_int_le(preempt.drain.worst, 60);
}
END_TEST

START_TEST(masks)
{
	struct hd_regset set = {0};
	ck_assert_uint_eq(hd_preempt_mask(&set), 0);
	hd_regset_add(&set, 0);
	hd_regset_add(&set, 52);
	ck_assert_uint_eq(hd_preempt_mask(&set), UINT64_C(1) << 52 | 1);
	hd_regset_add(&set, 53);
	ck_assert_uint_eq(hd_preempt_mask(&set), UINT64_C(3) << 52 | 1);
	set = (struct hd_regset){0};
	hd_regset_add(&set, 254);
	ck_assert_uint_eq(hd_preempt_mask(&set), UINT64_C(1) << 53);
}
END_TEST

/* ---- calls */

/* A loop that calls a function with a barrier has no point of its own; the way through the callee is counted. */
START_TEST(calls)
{
	struct code code = {0};
	uint32_t callee = 0;
	bool waits = true;
	struct hd_drain drain = {.worst = 40, .through = -1, .to_point = 30, .from_point = 7, .bounded = true};
	struct hd_call_site site = {.inst = 1, .callees = &callee, .callee_count = 1};
	struct hd_preempt_callees callees = {&site, 1, &drain, &waits};
	code_set(&code, 16, 0);
	code_call(&code);
	code_branch(&code, 0, 1, 3);
	code_exit(&code);
	compute(&code, 1000, NULL);
	ck_assert(!preempt.drain.bounded || preempt.point_count);
	hd_preempt_compute(&preempt, &liveness, 1000, &callees, &arena);
	ck_assert_uint_eq(preempt.point_count, 0);
	ck_assert(preempt.drain.bounded);
	ck_assert_int_eq(preempt.drain.to_point, 1 + 1 + 30);
	ck_assert_int_eq(preempt.drain.worst, 40); /* 7 + branch + call + 30 is less */
	drain.worst = 38;
	waits = false;
	hd_preempt_compute(&preempt, &liveness, 1000, &callees, &arena);
	ck_assert_uint_eq(preempt.point_count, 1);
	drain.through = 5;
	hd_preempt_compute(&preempt, &liveness, 1000, &callees, &arena);
	ck_assert_int_eq(preempt.drain.through, -1);
	ck_assert(preempt.drain.bounded);
}
END_TEST

/* MOV, the call, MOV, RET, with the callees' parts in each place where they come in. */
static struct hd_drain drain_of_caller(struct code *code, const struct hd_drain *drains, struct hd_call_site site)
{
	static const uint32_t both[] = {0, 1};
	static const bool waits[] = {true, true};
	site.inst = 1;
	site.callees = (uint32_t *)both;
	code_set(code, 16, 0);
	code_call(code);
	code_set(code, 16, 0);
	code_op(code, HD_OP_RET);
	function = code_finish(code, "caller", false, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, 1000, &(struct hd_preempt_callees){&site, 1, drains, waits}, &arena);
	ck_assert_uint_eq(preempt.point_count, 0);
	return preempt.drain;
}

#define CHECK_DRAIN(drain, whole, way, to, from)         \
	do {                                             \
		ck_assert_int_eq((drain).worst, whole);  \
		ck_assert_int_eq((drain).through, way);  \
		ck_assert_int_eq((drain).to_point, to);  \
		ck_assert_int_eq((drain).from_point, from); \
	} while (0)

START_TEST(callees_count_in_each_distance)
{
	struct code code = {0};
	struct hd_drain drains[] = {{.worst = 3, .through = 5, .to_point = 4, .from_point = 7, .bounded = true},
				    {.worst = 2, .through = -1, .to_point = 20, .from_point = 30, .bounded = true}};
	/* The callee's way in is MOV and CALL, its way out MOV and RET; without a point, all four and the callee. */
	struct hd_drain drain = drain_of_caller(&code, drains, (struct hd_call_site){.callee_count = 1});
	CHECK_DRAIN(drain, 9, 4 + 5, 4 + 5, 7 + 2);
	/* Of two possible callees the longer counts, each time. */
	drain = drain_of_caller(&code, drains, (struct hd_call_site){.callee_count = 2});
	CHECK_DRAIN(drain, 30 + 2, 4 + 5, 2 + 20, 30 + 2);
	ck_assert(drain.bounded);
	/* Between two of its own points. */
	drains[1].worst = 50;
	drain = drain_of_caller(&code, drains, (struct hd_call_site){.callee_count = 2});
	CHECK_DRAIN(drain, 50, 4 + 5, 2 + 20, 30 + 2);
	/* A callee without an end counts no further than its points. */
	drains[0] = (struct hd_drain){.worst = 8, .through = -1, .to_point = 8, .from_point = -1, .bounded = false};
	drain = drain_of_caller(&code, drains, (struct hd_call_site){.callee_count = 1});
	CHECK_DRAIN(drain, 10, -1, 2 + 8, -1);
	ck_assert(!drain.bounded);
	/* What is not known is one instruction, and no bound. */
	const struct hd_call_site unknown[] = {{.unknown = true}, {.recursive = true}, {.callee_count = 0}};
	for (uint32_t i = 0; i < 3; i++) {
		drain = drain_of_caller(&code, drains, unknown[i]);
		CHECK_DRAIN(drain, 4, 4, 4, -1);
		ck_assert(!drain.bounded);
	}
}
END_TEST

/* A function with a barrier has a point for its callers' loops. */
START_TEST(barriers_of_functions)
{
	struct code code = {0};
	code_barrier(&code);
	code_op(&code, HD_OP_RET);
	function = code_finish(&code, "waits", false, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, 1000, NULL, &arena);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert_uint_eq(preempt.points[0].kind, HD_PREEMPT_BAR);
	ck_assert_int_eq(preempt.drain.from_point, 2);
	ck_assert_int_eq(preempt.drain.through, -1);
	function.kernel = true;
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, 1000, NULL, &arena);
	ck_assert_uint_eq(preempt.point_count, 0);
}
END_TEST

/* SET, a call, SET, a call, SET, EXIT: the calls have the instructions 1 and 3. */
static void compute_calls(const struct hd_drain *drain, uint32_t every, uint32_t sets, uint32_t behind)
{
	static uint32_t callee[] = {0, 1};
	static const bool waits[] = {false, false};
	struct code code = {0};
	struct hd_call_site sites[] = {{.callees = callee, .callee_count = 1}, {.callees = callee, .callee_count = 1}};
	for (uint32_t i = 0; i < sets; i++)
		code_set(&code, 16, i);
	sites[0].inst = code_call(&code);
	for (uint32_t i = 0; i < behind; i++)
		code_set(&code, 16, i);
	sites[1].inst = code_call(&code);
	code_set(&code, 16, 0);
	code_exit(&code);
	function = code_finish(&code, "kernel", true, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, every, &(struct hd_preempt_callees){sites, 2, drain, waits}, &arena);
}

/* A helper of 60 instructions: SET and CALL are 62, the second CALL would make 124 of 100. Behind the first one are a
 * SET and the CALL itself, as many live registers at both: the first of them. From there 1 + 61 + 2. */
START_TEST(calls_count_what_they_execute)
{
	struct hd_drain drain = {.worst = 60, .through = 60, .to_point = 60, .from_point = -1, .bounded = true};
	compute_calls(&drain, 100, 1, 1);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert_uint_eq(preempt.points[0].inst, 2);
	ck_assert_int_eq(preempt.drain.worst, 64);
	/* 1 + 61 + 1 + 61 are 124, the SET the 125th: no point up to 125, but one for EXIT with K = 125. */
	compute_calls(&drain, 126, 1, 1);
	ck_assert_uint_eq(preempt.point_count, 0);
	ck_assert_int_eq(preempt.drain.worst, 126);
	compute_calls(&drain, 125, 1, 1);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert_int_le(preempt.drain.worst, 125);
}
END_TEST

/* Of 1,000 instructions each, with K = 100: a point right before each but where nothing has gone by. */
START_TEST(points_before_long_calls)
{
	struct hd_drain drain = {.worst = 1000, .through = 1000, .to_point = 1000, .from_point = -1, .bounded = true};
	compute_calls(&drain, 100, 1, 0);
	ck_assert_uint_eq(preempt.point_count, 3); /* 1, 2, and behind both 3 */
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(preempt.points[i].inst, 1 + i);
	ck_assert_int_eq(preempt.drain.worst, 1001);
	compute_calls(&drain, 100, 0, 0);
	ck_assert_uint_eq(preempt.point_count, 2);
	ck_assert_uint_eq(preempt.points[0].inst, 1);
}
END_TEST

/* A callee with points, four instructions behind its entry and six before its end; K is 10. Up to its first one 3 + 1 +
 * 4 go by. Behind it are six, and the fifth SET would be the eleventh: a point before one of the five last ones, all
 * with the same registers. */
START_TEST(points_in_callees_count)
{
	struct hd_drain drain = {.worst = 9, .through = -1, .to_point = 4, .from_point = 6, .bounded = true};
	compute_calls(&drain, 10, 3, 6);
	ck_assert_uint_eq(preempt.points[0].inst, 4);
	ck_assert_int_le(preempt.drain.worst, 10);
	/* Eight behind its entry: 3 + 1 + 8 are too many, the last SET, CALL and 8 are ten. So are those of the second
	 * call. */
	drain.to_point = 8;
	compute_calls(&drain, 10, 3, 1);
	ck_assert_uint_eq(preempt.points[0].inst, 2);
	ck_assert_uint_eq(preempt.points[1].inst, 4);
	ck_assert_uint_eq(preempt.point_count, 2);
	ck_assert_int_eq(preempt.drain.worst, 10);
}
END_TEST

/* Straight code with calls of helpers, none longer than K: never more than K go by. */
START_TEST(calls_keep_within_k)
{
	static uint32_t callee[] = {0, 1, 2, 3};
	static const bool waits[4];
	const struct hd_drain drains[] = {{.through = 2, .to_point = 2, .from_point = -1, .bounded = true},
					  {.through = 7, .to_point = 7, .from_point = -1, .bounded = true},
					  {.through = 19, .to_point = 19, .from_point = -1, .bounded = true},
					  {.through = -1, .to_point = 5, .from_point = 11, .bounded = true}};
	uint64_t seed = 5;
	uint32_t points = 0;
	for (uint32_t trial = 0; trial < 40; trial++) {
		struct code code = {0};
		struct hd_call_site sites[60];
		uint32_t count = 0, every = 20 + trial;
		for (uint32_t i = 0; i < 60; i++) {
			uint32_t draw = random_below(&seed, 12);
			if (draw < 4)
				sites[count++] = (struct hd_call_site){.inst = code_call(&code),
								       .callees = &callee[draw],
								       .callee_count = 1};
			else
				code_set(&code, (uint8_t)(16 + draw), i);
		}
		code_exit(&code);
		function = code_finish(&code, "kernel", true, &arena);
		flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
		hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
		hd_preempt_compute(&preempt, &liveness, every,
				   &(struct hd_preempt_callees){sites, count, drains, waits}, &arena);
		ck_assert_int_le(preempt.drain.worst, every);
		points += preempt.point_count;
	}
	ck_assert_uint_gt(points, 40);
}
END_TEST

/* ---- random functions: the drain distance by following every point-free path */

static int64_t longest(uint32_t inst, bool *on_path, bool *cyclic)
{
	uint32_t next[2];
	int64_t best = 0;
	if (on_path[inst]) {
		*cyclic = true;
		return 0;
	}
	on_path[inst] = true;
	uint32_t count = hd_inst_successors(&function, inst, next, 2);
	for (uint32_t i = 0; i < count; i++) {
		bool point = false;
		for (uint32_t p = 0; p < preempt.point_count; p++)
			point |= preempt.points[p].inst == next[i];
		int64_t length = point ? 0 : longest(next[i], on_path, cyclic);
		best = length > best ? length : best;
	}
	on_path[inst] = false;
	return best + 1;
}

static bool is_point(uint32_t inst)
{
	for (uint32_t p = 0; p < preempt.point_count; p++)
		if (preempt.points[p].inst == inst)
			return true;
	return false;
}

START_TEST(drains_match_all_paths)
{
	uint64_t seed = 9;
	unsigned bounded = 0;
	for (unsigned trial = 0; trial < 400; trial++) {
		uint32_t every = trial % 3 ? 3 + trial % 7 : 1000;
		function = code_random(&seed, 2 + trial % 8, 3, 5, &arena);
		flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
		hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
		hd_preempt_compute(&preempt, &liveness, every, NULL, &arena);
		bool *on_path = HD_ARENA_NEW(&arena, bool, function.inst_count), cyclic = false;
		int64_t worst = is_point(0) ? 0 : longest(0, on_path, &cyclic);
		for (uint32_t p = 0; p < preempt.point_count; p++)
			if (flow.position[flow.block_of[preempt.points[p].inst]] != HD_NO_NODE) {
				int64_t length = longest(preempt.points[p].inst, on_path, &cyclic);
				worst = length > worst ? length : worst;
			}
		ck_assert_int_eq(preempt.drain.bounded, !cyclic);
		if (!cyclic)
			ck_assert_int_eq(preempt.drain.worst, worst);
		bounded += !cyclic;
		bool reducible = true;
		for (uint32_t l = 0; l < flow.loops.count;
		     l++) { /* innermost loops are cut, outer ones where need be */
			uint32_t points = 0;
			for (uint32_t p = 0; p < preempt.point_count; p++)
				points += preempt.points[p].loop == l;
			bool innermost = true;
			for (uint32_t k = 0; k < flow.loops.count; k++)
				innermost &= flow.loops.loops[k].parent != l;
			ck_assert_uint_ge(points, innermost);
			ck_assert_uint_le(points, 1);
			reducible &= !flow.loops.loops[l].irreducible;
		}
		ck_assert(!reducible || !cyclic);
	}
	ck_assert_uint_gt(bounded, 100);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {fewest_live,
				      barriers_first,
				      arrivals_are_no_barriers,
				      outer_loops_that_go_round,
				      outer_loops_with_barriers,
				      outer_loops_beside_a_waiting_barrier,
				      on_every_way,
				      nested_loops,
				      irreducible,
				      every_ten,
				      round_outer_loops,
				      masks,
				      calls,
				      callees_count_in_each_distance,
				      calls_count_what_they_execute,
				      points_before_long_calls,
				      points_in_callees_count,
				      calls_keep_within_k,
				      barriers_of_functions,
				      drains_match_all_paths,
				      NULL};
	Suite *suite = suite_create("preempt");
	TCase *tcase = tcase_create("preempt");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_set_timeout(tcase, 60);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
