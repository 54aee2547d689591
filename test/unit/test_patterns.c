/*
 * LINK: passes
 * patterns: values of hand-made functions; random straight code against all threads of some blocks, random control flow
 * against warps that run it.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/patterns.h"
#include "reconverge.h"
#include "sample.h"
#include "simt_model.h"

static struct hd_arena arena;
static struct hd_flow flow;
static struct hd_liveness liveness;
static struct hd_function function;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static void compute(struct code *code, const struct hd_bitset *uniform)
{
	function = code_finish(code, "kernel", true, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, uniform, NULL, NULL, &arena);
}

static struct hd_bitset all_uniform(uint32_t count)
{
	struct hd_bitset set = hd_bitset_new(&arena, count);
	for (uint32_t i = 0; i < count; i++)
		hd_bitset_add(&set, i);
	return set;
}

static struct hd_value values[HD_MAX_REGS];

static void look_at(struct hd_pattern_cursor *cursor, uint32_t inst)
{
	hd_pattern_cursor_seek(cursor, inst);
	for (uint32_t r = 0; r < HD_MAX_REGS; r++)
		values[r] = hd_pattern_cursor_value(cursor, r);
}

static void look(uint32_t inst)
{
	struct hd_patterns patterns;
	struct hd_pattern_cursor cursor;
	hd_patterns_compute(&patterns, &liveness, &arena);
	hd_pattern_cursor_init(&cursor, &patterns, &arena);
	look_at(&cursor, inst);
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
	code_last(&code, HD_OP_VOTE)->dst = 11;
	code_exit(&code);
	compute(&code, NULL);
	look(12);
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
	check_strided(11, 0, 0); /* the same in a warp, another in the next */
}
END_TEST

/* A write while other lanes wait is random, in a loop's counter too; what nobody who waits needs is not waited for. */
START_TEST(divergent_writes)
{
	struct code code = {0};
	code_special(&code, 0, HD_SR_TID_X); /* 0 */
	code_compare(&code, 0, 0, 1);	     /* 1 */
	code_branch(&code, 0, 10, HD_NO_PC); /* 2 early exit */
	code_set(&code, 2, 5);		     /* 3 */
	code_branch(&code, 0, 6, 6);	     /* 4 */
	code_set(&code, 3, 7);		     /* 5 others wait with R3 */
	code_add(&code, 4, 2, 3);	     /* 6 */
	code_store(&code, 4, 2);	     /* 7 */
	code_add(&code, 5, 0, 0);	     /* 8 */
	code_store(&code, 5, 4);	     /* 9 */
	code_exit(&code);		     /* 10 */
	compute(&code, NULL);
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
	code_set(&code, 2, 1);		       /* 4 */
	code_set(&code, 3, 1);		       /* 5 */
	code_branch(&code, 0, 8, 8);	       /* 6 */
	code_set(&code, 2, 2);		       /* 7 */
	code_branch(&code, 1, 10, 10);	       /* 8 */
	code_set(&code, 3, 2);		       /* 9 */
	code_store(&code, 2, 3);	       /* 10 */
	code_exit(&code);
	struct hd_bitset uniform = all_uniform(12);
	compute(&code, &uniform);
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
		case HD_OP_S2R:
			regs[inst->dst] = run_special((enum hd_sr)hd_mod_get(inst->mods, HD_MOD_SR), tid);
			break;
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
		if (value->x.known ? step != (uint32_t)value->x.value
				   : step != results[first + 1][reg] - results[first][reg])
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
		for (uint32_t r = 0; r < REGS; r++)
			code_set(&code, r, r);
		for (unsigned i = 0; i < 10; i++)
			random_inst(&code, &seed);
		code_exit(&code);
		compute(&code, NULL);
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

/* ---- random control flow, run by a warp that is one group; thread indices are lane numbers */

static uint32_t lanes[MODEL_LANES][256];
static uint8_t preds[MODEL_LANES];

static bool holds(uint32_t lane, uint32_t pred)
{
	bool is = (pred & 7) == HD_PT || preds[lane] >> (pred & 7) & 1;
	return is != ((pred & HD_PRED_NOT) != 0);
}

static void run_lane(const struct hd_inst *inst, uint32_t lane)
{
	uint32_t *regs = lanes[lane];
	switch (inst->op) {
	case HD_OP_MOV: regs[inst->dst] = inst->x; break;
	case HD_OP_S2R: regs[inst->dst] = lane; break;
	case HD_OP_IADD3: regs[inst->dst] = regs[inst->a] + regs[inst->b]; break;
	case HD_OP_ISETP:
		preds[lane] &= (uint8_t)~(1u << inst->pdst);
		preds[lane] |= (uint8_t)((regs[inst->a] < regs[inst->b]) << inst->pdst);
		break;
	default: break;
	}
}

static uint32_t execute(const struct hd_inst *inst, uint32_t mask)
{
	uint32_t through = 0;
	for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
		if (!(mask >> lane & 1) || !holds(lane, inst->guard))
			continue;
		through |= 1u << lane;
		run_lane(inst, lane);
	}
	return through;
}

/* Lanes for which the register is live where they are. */
static uint32_t who_needs(const struct model *model, uint32_t reg)
{
	uint32_t later = 0, need = 0;
	for (uint32_t i = model->depth; i-- > 0;) {
		struct hd_regset live = hd_liveness_before(&liveness, model->stack[i].pc);
		if (hd_regset_has(&live, reg))
			need |= model->stack[i].mask & ~later;
		later |= model->stack[i].mask;
	}
	return need;
}

static void check_pattern(uint32_t reg, uint32_t mask, const struct hd_value *value)
{
	uint32_t first = (uint32_t)__builtin_ctz(mask), second = HD_WARP_LANES;
	for (uint32_t lane = first + 1; lane < MODEL_LANES; lane++) {
		if (!(mask >> lane & 1))
			continue;
		uint32_t step = lanes[lane][reg] - lanes[first][reg];
		if (value->x.known)
			ck_assert_uint_eq(step, (uint32_t)value->x.value * (lane - first));
		second = second == HD_WARP_LANES ? lane : second;
		ck_assert_uint_eq(step * (second - first), (lanes[second][reg] - lanes[first][reg]) * (lane - first));
	}
}

static unsigned run_warp(const struct hd_patterns *patterns, uint64_t *seed)
{
	struct model model;
	struct hd_pattern_cursor cursor;
	unsigned checked = 0;
	hd_pattern_cursor_init(&cursor, patterns, &arena);
	for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
		for (uint32_t r = 0; r < 256; r++)
			lanes[lane][r] = (uint32_t)(sample_random(seed) >> 30) % 8;
		preds[lane] = (uint8_t)(sample_random(seed) >> 30);
	}
	model_start(&model);
	for (unsigned i = 0; i < 60 && model.depth && model_has_room(&model); i++) {
		uint32_t pc = model_top(&model)->pc;
		look_at(&cursor, pc);
		for (uint32_t r = 0; r < patterns->registers; r++)
			if (values[r].kind == HD_VALUE_AFFINE && who_needs(&model, r)) {
				check_pattern(r, who_needs(&model, r), &values[r]);
				checked++;
			}
		uint32_t through = execute(&function.insts[pc], model_top(&model)->mask);
		model_step(&model, &function.insts[pc], through);
	}
	return checked;
}

START_TEST(patterns_hold_under_divergence)
{
	uint64_t seed = 12;
	unsigned checked = 0;
	for (unsigned trial = 0; trial < 600; trial++) {
		struct hd_patterns patterns;
		function = code_random(&seed, 2 + trial % 8, 6, 5, &arena);
		flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
		reconverge(&function, &flow, &arena);
		flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
		hd_liveness_compute(&liveness, &flow, NULL, NULL, NULL, &arena);
		hd_patterns_compute(&patterns, &liveness, &arena);
		for (unsigned run = 0; run < 4; run++)
			checked += run_warp(&patterns, &seed);
	}
	ck_assert_uint_gt(checked, 5000);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {thread_indices,
				      divergent_writes,
				      uniform_branches,
				      patterns_hold,
				      patterns_hold_under_divergence,
				      NULL};
	Suite *suite = suite_create("patterns");
	TCase *tcase = tcase_create("patterns");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_set_timeout(tcase, 60);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
