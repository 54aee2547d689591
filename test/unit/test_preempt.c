/*
 * LINK: passes
 * preempt: places of points, masks, drain distances and value patterns of hand-made functions; random ones against
 * enumeration and against threads that run them.
 */
#include "harness.h"

#include "machine_code.h"
#include "passes/analysis/preempt.h"
#include "sample.h"

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
	hd_flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, uniform, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, every, NULL, &arena);
}

static struct hd_bitset all_uniform(uint32_t count)
{
	struct hd_bitset set = hd_bitset_new(&arena, count);
	for (uint32_t i = 0; i < count; i++)
		hd_bitset_add(&set, i);
	return set;
}

#define CHECK_POINT(index, at, what, low)                                          \
	do {                                                                       \
		ck_assert_uint_lt(index, preempt.point_count);                     \
		ck_assert_uint_eq(preempt.points[index].inst, at);                 \
		ck_assert_uint_eq(preempt.points[index].kind, what);               \
		ck_assert_uint_eq(preempt.points[index].live.regs[0], low);        \
	} while (0)

/* do { R3 = R1 + R1; R4 = R3 + R2; store R0, R4; R2++ } while (R2 < R1): before the first or after the store, R0 R1 R2 */
START_TEST(fewest_live)
{
	struct code code = {0};
	code_add(&code, 5, 1, 1);          /* 0 */
	code_add(&code, 3, 5, 1);          /* 1 header */
	code_add(&code, 4, 3, 2);          /* 2 */
	code_store(&code, 0, 4);           /* 3 */
	code_move(&code, 5, 2);            /* 4: R5 is dead before it */
	code_compare(&code, 0, 2, 1);      /* 5 */
	code_branch(&code, 0, 1, 7);       /* 6 */
	code_exit(&code);                  /* 7 */
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
	code_add(&code, 3, 1, 2);          /* 0 header: R0 R1 R2 */
	code_barrier(&code);               /* 1: and R3 */
	code_add(&code, 4, 3, 3);          /* 2 */
	code_add(&code, 5, 3, 4);          /* 3 */
	code_barrier(&code);               /* 4: R0 R1 R2 R4 R5 */
	code_add(&code, 4, 4, 5);          /* 5 */
	code_store(&code, 0, 4);           /* 6 */
	code_branch(&code, 0, 0, 8);       /* 7 */
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

/* A conditional part has fewer live registers, but iterations may go round it. */
START_TEST(on_every_way)
{
	struct code code = {0};
	code_add(&code, 3, 1, 2);          /* 0 header: R0 R1 R2 */
	code_branch(&code, 1, 4, 4);       /* 1: and R3 */
	code_set(&code, 3, 0);             /* 2: R0 R1 R2 */
	code_set(&code, 2, 0);             /* 3: R0 R1 R3 */
	code_store(&code, 0, 3);           /* 4 */
	code_branch(&code, 0, 0, 6);       /* 5: R0 R1 R2 */
	code_exit(&code);
	struct hd_bitset uniform = all_uniform(7);
	compute(&code, 1000, &uniform);
	ck_assert_uint_eq(preempt.point_count, 1);
	CHECK_POINT(0, 0, HD_PREEMPT_PP, 0x7);
	ck_assert(preempt.drain.bounded);
	ck_assert_int_eq(preempt.drain.worst, 6);
}
END_TEST

/* Only the innermost of nested loops has one; a way of the outer loop that leaves it out has no bound. */
START_TEST(nested_loops)
{
	struct code code = {0};
	code_branch(&code, 1, 3, 3);       /* 0 outer header: may skip the inner loop */
	code_add(&code, 0, 0, 1);          /* 1 inner */
	code_branch(&code, 0, 1, 3);       /* 2 */
	code_add(&code, 2, 2, 1);          /* 3 */
	code_branch(&code, 2, 0, 5);       /* 4 */
	code_exit(&code);
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert_uint_eq(preempt.points[0].inst, 1);
	ck_assert_uint_eq(flow.loops.loops[preempt.points[0].loop].depth, 2);
	ck_assert(!preempt.drain.bounded);
}
END_TEST

/* A cycle with two ways in: its header cuts it. */
START_TEST(irreducible)
{
	struct code code = {0};
	code_branch(&code, 0, 3, 5);       /* 0 */
	code_add(&code, 1, 1, 1);          /* 1 */
	code_branch(&code, 1, 5, 5);       /* 2 */
	code_add(&code, 2, 2, 2);          /* 3 */
	code_jump(&code, 1);               /* 4 */
	code_exit(&code);                  /* 5 */
	compute(&code, 1000, NULL);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert(preempt.drain.bounded);
	ck_assert(flow.loops.loops[0].irreducible);
}
END_TEST

/* Outside loops one every ten, at the fewest live registers of the ten; a barrier comes first. */
START_TEST(every_ten)
{
	struct code code = {0};
	for (uint8_t i = 0; i < 8; i++)
		code_set(&code, (uint8_t)(2 + i), i); /* 0..7 */
	for (uint8_t i = 0; i < 8; i++)
		code_store(&code, 0, (uint8_t)(2 + i)); /* 8..15 */
	code_set(&code, 2, 0);                  /* 16 */
	code_barrier(&code);                    /* 17 */
	for (uint8_t i = 0; i < 8; i++)
		code_store(&code, 0, 2);        /* 18..25 */
	code_exit(&code);                       /* 26 */
	compute(&code, 10, NULL);
	ck_assert_uint_eq(preempt.point_count, 3);
	CHECK_POINT(0, 0, HD_PREEMPT_PP, 0x1);
	CHECK_POINT(1, 1, HD_PREEMPT_PP, 0x5);
	ck_assert_uint_eq(preempt.points[2].kind, HD_PREEMPT_BAR);
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

/* A function with a barrier has a point for its callers' loops. */
START_TEST(barriers_of_functions)
{
	struct code code = {0};
	code_barrier(&code);
	code_op(&code, HD_OP_RET);
	function = code_finish(&code, "waits", false, &arena);
	hd_flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, 1000, NULL, &arena);
	ck_assert_uint_eq(preempt.point_count, 1);
	ck_assert_uint_eq(preempt.points[0].kind, HD_PREEMPT_BAR);
	ck_assert_int_eq(preempt.drain.from_point, 2);
	ck_assert_int_eq(preempt.drain.through, -1);
	function.kernel = true;
	hd_flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, NULL, NULL, &arena);
	hd_preempt_compute(&preempt, &liveness, 1000, NULL, &arena);
	ck_assert_uint_eq(preempt.point_count, 0);
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
		hd_flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
		hd_liveness_compute(&liveness, &flow, NULL, NULL, &arena);
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
		for (uint32_t l = 0; l < flow.loops.count; l++) { /* innermost loops are cut */
			uint32_t points = 0;
			for (uint32_t p = 0; p < preempt.point_count; p++)
				points += preempt.points[p].loop == l;
			bool innermost = true;
			for (uint32_t k = 0; k < flow.loops.count; k++)
				innermost &= flow.loops.loops[k].parent != l;
			ck_assert_uint_eq(points, innermost);
		}
	}
	ck_assert_uint_gt(bounded, 100);
}
END_TEST

/* ---- patterns */

static struct hd_value values[HD_MAX_REGS + HD_MAX_PREDS];

static void look(uint32_t inst)
{
	struct hd_patterns patterns;
	hd_patterns_compute(&patterns, &liveness, &arena);
	hd_patterns_before(&patterns, inst, values);
}

static void check_strided(uint32_t reg, int32_t stride, uint32_t dimensions)
{
	ck_assert_uint_eq(values[reg].kind, HD_VALUE_AFFINE);
	ck_assert(values[reg].x.known);
	ck_assert_int_eq(values[reg].x.value, stride);
	ck_assert_uint_eq(hd_value_dimensions(&values[reg]), dimensions);
}

static struct hd_inst *code_last(struct code *code, enum hd_op op)
{
	code_op(code, op);
	return &hd_vec_last(&code->insts);
}

static void code_multiply(struct code *code, uint8_t dst, uint8_t a, uint8_t xkind, uint32_t x, uint8_t c)
{
	struct hd_inst *inst = code_last(code, HD_OP_IMAD);
	inst->dst = dst;
	inst->a = a;
	inst->xkind = xkind;
	inst->x = x;
	inst->c = c;
}

/* The paper's BP: ty is local uniform, tx local strided, ty * ntid.x + tx global strided. */
START_TEST(thread_indices)
{
	struct code code = {0};
	code_special(&code, 0, HD_SR_TID_X);
	code_special(&code, 1, HD_SR_TID_Y);
	code_special(&code, 2, HD_SR_CTAID_X);
	code_multiply(&code, 3, 1, HD_X_CONST_B, HD_CONST_X(0, HD_CB_NTID_X), 0);
	code_multiply(&code, 4, 3, HD_X_IMM_B, 4, 2);
	code_multiply(&code, 5, 1, HD_X_IMM_B, 16, 0);
	code_multiply(&code, 6, 0, HD_X_CONST_B, HD_CONST_X(0, HD_CB_PARAMS), HD_RZ);
	code_add(&code, 7, 2, 2);
	code_load(&code, 8, 1);
	code_load(&code, 9, 0);
	code_special(&code, 10, HD_SR_TID_Z);
	code_exit(&code);
	compute(&code, 1000, NULL);
	look(11);
	check_strided(0, 1, 1);
	check_strided(1, 0, 1);
	check_strided(2, 0, 3);
	check_strided(3, 1, 2);
	check_strided(4, 4, 2);
	check_strided(5, 1, 1);
	ck_assert(values[6].kind == HD_VALUE_AFFINE && !values[6].x.known && hd_value_dimensions(&values[6]) == 1);
	check_strided(7, 0, 3);
	check_strided(8, 0, 0);
	ck_assert_uint_eq(values[9].kind, HD_VALUE_RANDOM);
	check_strided(10, 0, 2);
}
END_TEST

/* A write while other lanes wait is random, in a loop's counter too; what nobody who waits needs is not waited for. */
START_TEST(divergent_writes)
{
	struct code code = {0};
	code_special(&code, 0, HD_SR_TID_X);  /* 0 */
	code_compare(&code, 0, 0, 1);         /* 1 */
	code_branch(&code, 0, 10, HD_NO_PC);  /* 2 early exit */
	code_set(&code, 2, 5);                /* 3 */
	code_branch(&code, 0, 6, 6);          /* 4 */
	code_set(&code, 3, 7);                /* 5 others wait with R3 */
	code_add(&code, 4, 2, 3);             /* 6 */
	code_store(&code, 4, 2);              /* 7 */
	code_add(&code, 5, 0, 0);             /* 8 */
	code_store(&code, 5, 4);              /* 9 */
	code_exit(&code);                     /* 10 */
	compute(&code, 1000, NULL);
	look(9);
	check_strided(2, 0, 3);
	ck_assert_uint_eq(values[3].kind, HD_VALUE_RANDOM);
	ck_assert_uint_eq(values[4].kind, HD_VALUE_RANDOM);
	check_strided(5, 2, 1);
}
END_TEST

/* Under a branch that whole warps take or not, writes are local; under one by a CTA index they stay global. */
START_TEST(uniform_branches)
{
	struct code code = {0};
	code_special(&code, 0, HD_SR_CTAID_X); /* 0 */
	code_special(&code, 1, HD_SR_WARPID);  /* 1 */
	code_compare(&code, 0, 0, HD_RZ);      /* 2 */
	code_compare(&code, 1, 1, HD_RZ);      /* 3 */
	code_set(&code, 2, 1);                 /* 4 */
	code_set(&code, 3, 1);                 /* 5 */
	code_branch(&code, 0, 8, 8);           /* 6 */
	code_set(&code, 2, 2);                 /* 7 */
	code_branch(&code, 1, 10, 10);         /* 8 */
	code_set(&code, 3, 2);                 /* 9 */
	code_store(&code, 2, 3);               /* 10 */
	code_exit(&code);
	struct hd_bitset uniform = all_uniform(12);
	compute(&code, 1000, &uniform);
	look(10);
	check_strided(2, 0, 3);
	check_strided(3, 0, 0);
	ck_assert(!values[2].base.known);
}
END_TEST

/* ---- random straight code and diamonds, run for every thread of some blocks */

enum { REGS = 6 };

static void random_inst(struct code *code, uint64_t *seed)
{
	static const enum hd_sr specials[] = {HD_SR_TID_X, HD_SR_TID_Y, HD_SR_TID_Z, HD_SR_CTAID_X};
	uint8_t d = (uint8_t)(sample_random(seed) >> 9) % REGS, a = (uint8_t)(sample_random(seed) >> 9) % REGS;
	uint8_t b = (uint8_t)(sample_random(seed) >> 9) % REGS;
	switch ((sample_random(seed) >> 11) % 8) {
	case 0: code_special(code, d, specials[(sample_random(seed) >> 9) % 4]); break;
	case 1: code_multiply(code, d, a, HD_X_CONST_B, HD_CONST_X(0, HD_CB_NTID_X), b); break;
	case 2: code_multiply(code, d, a, HD_X_IMM_B, (uint32_t)(sample_random(seed) >> 9) % 5, b); break;
	case 3: code_set(code, d, (uint32_t)(sample_random(seed) >> 9) % 9); break;
	case 4:
		code_add(code, d, a, b);
		hd_vec_last(&code->insts).srcmods = HD_NEG_B;
		break;
	case 5: {
		struct hd_inst *inst = code_last(code, HD_OP_IMAD);
		inst->dst = d;
		inst->a = a;
		inst->b = b;
		break;
	}
	case 6: {
		struct hd_inst *inst = code_last(code, HD_OP_SHL);
		inst->dst = d;
		inst->a = a;
		inst->xkind = HD_X_IMM_B;
		inst->x = (uint32_t)(sample_random(seed) >> 9) % 35;
		break;
	}
	default: {
		struct hd_inst *inst = code_last(code, HD_OP_LEA);
		inst->dst = d;
		inst->a = a;
		inst->b = b;
		inst->mods = HD_MOD(SHAMT, 3);
		break;
	}
	}
}

static uint32_t run_special(enum hd_sr which, const uint32_t tid[3])
{
	return which == HD_SR_TID_X ? tid[0] : which == HD_SR_TID_Y ? tid[1] : which == HD_SR_TID_Z ? tid[2] : 77;
}

static void run_thread(const uint32_t tid[3], const uint32_t block[3], uint32_t regs[256])
{
	for (uint32_t i = 0; i + 1 < function.inst_count; i++) {
		const struct hd_inst *inst = &function.insts[i];
		uint32_t a = regs[inst->a], b = regs[inst->b], c = regs[inst->c];
		if (inst->xkind == HD_X_IMM_B)
			b = inst->x;
		if (inst->xkind == HD_X_CONST_B)
			b = block[0];
		switch (inst->op) {
		case HD_OP_S2R: regs[inst->dst] = run_special((enum hd_sr)hd_mod_get(inst->mods, HD_MOD_SR), tid); break;
		case HD_OP_MOV: regs[inst->dst] = b; break;
		case HD_OP_IADD3: regs[inst->dst] = a + (inst->srcmods & HD_NEG_B ? -b : b) + c; break;
		case HD_OP_IMAD: regs[inst->dst] = a * b + c; break;
		case HD_OP_SHL: regs[inst->dst] = b < 32 ? a << b : 0; break;
		default: regs[inst->dst] = (a << 3) + b; break;
		}
	}
}

static uint32_t results[1024][REGS];

static void run_block(const uint32_t block[3])
{
	for (uint32_t t = 0; t < block[0] * block[1] * block[2]; t++) {
		uint32_t regs[256] = {0}, tid[3] = {t % block[0], t / block[0] % block[1], t / block[0] / block[1]};
		run_thread(tid, block, regs);
		memcpy(results[t], regs, sizeof(results[t]));
	}
}

/* `count` threads from `first` on step by one stride. */
static bool is_strided(uint32_t reg, uint32_t first, uint32_t count, const struct hd_value *value)
{
	for (uint32_t t = first + 1; t < first + count; t++) {
		uint32_t step = results[t][reg] - results[t - 1][reg];
		if (value->x.known ? step != (uint32_t)value->x.value : step != results[first + 1][reg] - results[first][reg])
			return false;
	}
	return true;
}

START_TEST(patterns_hold)
{
	static const uint32_t blocks[][3] = {{64, 1, 1}, {32, 4, 1}, {16, 16, 1}, {8, 4, 4}, {1, 7, 1}, {32, 2, 3}};
	uint64_t seed = 31;
	unsigned proven = 0;
	for (unsigned trial = 0; trial < 400; trial++) {
		struct code code = {0};
		for (uint8_t r = 0; r < REGS; r++)
			code_set(&code, r, r);
		for (unsigned i = 0; i < 10; i++)
			random_inst(&code, &seed);
		code_exit(&code);
		compute(&code, 1000, NULL);
		look(function.inst_count - 1);
		for (unsigned k = 0; k < sizeof(blocks) / sizeof(blocks[0]); k++) {
			const uint32_t *block = blocks[k], threads = block[0] * block[1] * block[2];
			uint32_t group = block[0] < 32 ? block[0] : 32;
			uint32_t dimensions = block[2] > 1 ? 3 : block[1] > 1 ? 2 : 1;
			run_block(block);
			for (uint32_t r = 0; r < REGS; r++) {
				if (values[r].kind != HD_VALUE_AFFINE)
					continue;
				proven++;
				for (uint32_t t = 0; t < threads; t += group)
					ck_assert(is_strided(r, t, group, &values[r]));
				if (hd_value_dimensions(&values[r]) >= dimensions)
					ck_assert(is_strided(r, 0, threads, &values[r]));
			}
		}
	}
	ck_assert_uint_gt(proven, 5000);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {fewest_live, barriers_first, arrivals_are_no_barriers, on_every_way, nested_loops,
				      irreducible, every_ten, masks, calls, barriers_of_functions, drains_match_all_paths,
				      thread_indices, divergent_writes, uniform_branches, patterns_hold, NULL};
	Suite *suite = suite_create("preempt");
	TCase *tcase = tcase_create("preempt");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_set_timeout(tcase, 60);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
