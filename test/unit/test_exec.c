/*
 * The functional executor: a table of hand-derived results for every opcode and modifier, edge
 * values included; then that all builds of an operation agree bit for bit, that masks hold,
 * and memory accesses of every kind with their faults.
 */
#include "harness.h"

#include <math.h>
#undef NAN /* a modifier here */
#include <stdio.h>
#include <unistd.h>

#include "lab.h"

/* ---- tables: dst R0, a R4, b R8, c R12, P0 and P1 in, P2 out */

struct op_case {
	enum hd_op op;
	uint16_t mods;
	uint8_t srcmods;
	uint64_t a, b, c;
	unsigned preds; /* bit 0: P0 (psrc), bit 1: P1 (psrc2) */
	uint64_t want;
	int pwant;      /* -1: no predicate result */
};

static struct lab *bare_lab(void)
{
	const struct hd_inst code[] = {lab_op(HD_OP_EXIT)};
	return lab_kernel(code, 1, 32);
}

static struct hd_inst case_inst(const struct op_case *test)
{
	const struct hd_opinfo *info = &hd_opinfo[test->op];
	struct hd_inst inst = hd_inst_new(test->op);
	inst.mods = test->mods;
	inst.srcmods = test->srcmods;
	if (info->dst)
		inst.dst = 0;
	if (info->a)
		inst.a = 4;
	if (info->b)
		inst.b = 8;
	if (info->c)
		inst.c = 12;
	if (info->pdst)
		inst.pdst = 2;
	if (info->psrc > 0)
		inst.psrc = 0;
	if (info->psrc > 1)
		inst.psrc2 = 1;
	return inst;
}

static void set_row(struct lab *lab, unsigned reg, uint64_t value)
{
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		hd_set_pair(&lab->warp, reg, lane, value);
}

static void run_at(struct lab *lab, const struct hd_inst *inst, int level, uint32_t mask)
{
	struct hd_dinst decoded = {.inst = *inst, .effects = hd_opinfo[inst->op].effects,
				   .access_bytes = (uint8_t)hd_op_access_bytes((enum hd_op)inst->op, inst->mods)};
	hd_exec_fn run = hd_exec_resolve(inst, level);
	ck_assert_msg(run != NULL, "%s", hd_opinfo[inst->op].name);
	lab->exec.warp = &lab->warp;
	lab->exec.mask = mask;
	lab->exec.effect = &lab->effect;
	lab->exec.fault = false;
	lab->effect.event = HD_EVENT_NONE;
	run(&lab->exec, &decoded);
}

static void check_case(const struct op_case *test, unsigned row, int level, uint32_t mask)
{
	static struct lab *lab;
	if (!lab)
		lab = bare_lab();
	struct hd_inst inst = case_inst(test);
	char text[128];
	hd_inst_format(&inst, text, sizeof(text));
	set_row(lab, 0, UINT64_C(0x5555555555555555));
	set_row(lab, 4, test->a);
	set_row(lab, 8, test->b);
	set_row(lab, 12, test->c);
	lab->warp.preds[0] = test->preds & 1 ? HD_FULL : 0;
	lab->warp.preds[1] = test->preds & 2 ? HD_FULL : 0;
	lab->warp.preds[2] = 0;
	run_at(lab, &inst, level, mask);
	bool wide = hd_op_width(test->op, test->mods, HD_SLOT_DST) == 2;
	bool writes = hd_opinfo[test->op].dst != HD_W__;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
		uint64_t got = wide ? hd_lane_pair(&lab->warp, 0, lane) : lab->warp.regs[0][lane];
		uint64_t old = wide ? UINT64_C(0x5555555555555555) : 0x55555555;
		uint64_t want = writes && (mask >> lane & 1) ? test->want : old;
		if (got != want)
			ck_abort_msg("row %u, level %d, %s: lane %u: got 0x%llx, want 0x%llx", row, level, text, lane,
				     (unsigned long long)got, (unsigned long long)want);
	}
	if (test->pwant >= 0)
		ck_assert_msg(lab->warp.preds[2] == (test->pwant ? mask : 0), "row %u, %s: predicate 0x%x", row, text,
			      lab->warp.preds[2]);
}

static void check_table(const struct op_case *table, unsigned count)
{
	for (unsigned row = 0; row < count; row++)
		for (int level = 0; level <= hd_exec_level(); level++) {
			check_case(&table[row], row, level, HD_FULL);
			check_case(&table[row], row, level, 0x80010005);
		}
}
#define CHECK(table) check_table(table, sizeof(table) / sizeof(table[0]))
#define M(kind, value) HD_MOD(kind, value)
#define OP(name) HD_OP_##name

START_TEST(moves_and_logic)
{
	static const struct op_case table[] = {
		{OP(MOV), 0, 0, 1, 0xdeadbeef, 3, 0, 0xdeadbeef, -1},
		{OP(SEL), 0, 0, 1, 2, 3, 1, 1, -1},
		{OP(SEL), 0, 0, 1, 2, 3, 0, 2, -1},
		{OP(PRMT), 0, 0, 0x33221100, 0x3210, 0x77665544, 0, 0x33221100, -1},
		{OP(PRMT), 0, 0, 0x33221100, 0x7654, 0x77665544, 0, 0x77665544, -1},
		{OP(PRMT), 0, 0, 0x33221100, 0x0426, 0x77665544, 0, 0x00442266, -1},
		{OP(PRMT), 0, 0, 0x000080ff, 0x89a9, 0, 0, 0xffff00ff, -1}, /* from the low end: the signs of bytes 1, 2, 1, 0 */
		{OP(LOP3), M(LUT, 0xc0), 0, 0xff00ff00, 0x0ff00ff0, 0, 0, 0x0f000f00, 1},
		{OP(LOP3), M(LUT, 0xfc), 0, 0xff00ff00, 0x0ff00ff0, 0, 0, 0xfff0fff0, 1},
		{OP(LOP3), M(LUT, 0x3c), 0, 0xff00ff00, 0x0ff00ff0, 0, 0, 0xf0f0f0f0, 1},
		{OP(LOP3), M(LUT, 0x96), 0, 0xff00ff00, 0x0ff00ff0, 0xffffffff, 0, 0x0f0f0f0f, 1},
		{OP(LOP3), M(LUT, 0xe8), 0, 0xf0, 0xcc, 0xaa, 0, 0xe8, 1},
		{OP(LOP3), M(LUT, 0x1d), 0, 0xf0, 0xcc, 0xaa, 0, 0xffffff1d, 1},
		{OP(LOP3), M(LUT, 0x00), 0, 1, 2, 3, 0, 0, 0},
		{OP(LOP3), M(LUT, 0xff), 0, 1, 2, 3, 0, 0xffffffff, 1},
		{OP(P2R), 0, 0, 0, 0, 0, 3, 3, -1},
		{OP(PLOP), M(BOOL, HD_BOOL_AND), 0, 0, 0, 0, 1, 0, 0},
		{OP(PLOP), M(BOOL, HD_BOOL_OR), 0, 0, 0, 0, 1, 0, 1},
		{OP(PLOP), M(BOOL, HD_BOOL_XOR), 0, 0, 0, 0, 3, 0, 0},
	};
	CHECK(table);
}
END_TEST

START_TEST(additions_and_carries)
{
	static const struct op_case table[] = {
		{OP(IADD3), 0, 0, 1, 2, 3, 0, 6, 0},
		{OP(IADD3), 0, 0, 0xffffffff, 1, 0, 0, 0, 1},
		{OP(IADD3), 0, 0, 0xffffffff, 0, 0, 0, 0xffffffff, 0},
		{OP(IADD3), 0, HD_NEG_B, 5, 7, 0, 0, 0xfffffffe, 0},  /* borrow */
		{OP(IADD3), 0, HD_NEG_B, 7, 5, 0, 0, 2, 1},           /* no borrow */
		{OP(IADD3), 0, HD_NEG_B, 7, 7, 0, 0, 0, 1},
		{OP(IADD3), 0, HD_NEG_B, 7, 0, 0, 0, 7, 1},
		{OP(IADD3), 0, HD_NEG_A, 5, 7, 0, 0, 2, 1},
		{OP(IADD3), 0, HD_NEG_A | HD_NEG_B, 1, 1, 0, 0, 0xfffffffe, 1},
		{OP(IADD3), 0, HD_NEG_C, 10, 20, 5, 0, 25, -1},
		{OP(IADD3), M(EX, 1), 0, 1, 2, 0, 1, 4, 0},
		{OP(IADD3), M(EX, 1), 0, 0xffffffff, 0, 0, 1, 0, 1},
		{OP(IADD3), M(EX, 1), HD_NEG_B, 5, 3, 0, 1, 2, 1}, /* a - b without borrow in */
		{OP(IADD3), M(EX, 1), HD_NEG_B, 5, 3, 0, 0, 1, 1}, /* with */
		{OP(IADD3), M(EX, 1), HD_NEG_B, 3, 3, 0, 0, 0xffffffff, 0},
		{OP(LEA), M(SHAMT, 2), 0, 3, 100, 0, 0, 112, 0},
		{OP(LEA), M(SHAMT, 31), 0, 3, 0x80000000, 0, 0, 0, 1},
		{OP(LEA), M(SHAMT, 2), HD_NEG_B, 3, 4, 0, 0, 8, 1},
		{OP(LEA), M(SHAMT, 2), HD_NEG_A, 3, 20, 0, 0, 8, 1},
		{OP(LEA_HI), M(SHAMT, 0), 0, 0xffffffff, 5, 7, 0, 12, -1},
		{OP(LEA_HI), M(SHAMT, 4), 0, 0xf0000000, 1, 0x2, 0, 0x2f + 1, -1},
		{OP(LEA_HI), M(SHAMT, 4) | M(EX, 1), 0, 0xf0000000, 1, 0x2, 1, 0x2f + 2, -1},
		{OP(IMAD), 0, 0, 0x10001, 0x10001, 7, 0, 0x00020008, -1},
		{OP(IMAD), 0, HD_NEG_A, 3, 5, 1, 0, 0xfffffff2, -1},
		{OP(IMAD), 0, HD_NEG_C, 3, 5, 1, 0, 14, -1},
		{OP(IMAD_WIDE), M(SIGN, HD_UNSIGNED), 0, 0xffffffff, 0xffffffff, 1, 0, UINT64_C(0xfffffffe00000002), -1},
		{OP(IMAD_WIDE), M(SIGN, HD_SIGNED), 0, 0xffffffff, 0xffffffff, 1, 0, 2, -1},
		{OP(IMAD_WIDE), M(SIGN, HD_SIGNED), 0, 0xfffffffe, 4, UINT64_C(0x100000000), 0, UINT64_C(0xfffffff8), -1},
		{OP(IMAD_HI), M(SIGN, HD_UNSIGNED), 0, 0xffffffff, 0xffffffff, 1, 0, 0xffffffff, -1},
		{OP(IMAD_HI), M(SIGN, HD_SIGNED), 0, 0xffffffff, 5, 0, 0, 0xffffffff, -1},
		{OP(IDP4A), M(SIGN, HD_SIGNED) | M(SIGNB, HD_SIGNED), 0, 0xff020304, 0x02ff0101, 10, 0, 13, -1},
		{OP(IDP4A), M(SIGN, HD_UNSIGNED) | M(SIGNB, HD_UNSIGNED), 0, 0xff000000, 0x02000000, 0, 0, 510, -1},
		{OP(IDP4A), M(SIGN, HD_UNSIGNED) | M(SIGNB, HD_SIGNED), 0, 0xff000000, 0xff000000, 0, 0, 0xffffff01, -1},
		{OP(IABS), 0, 0, 0, 0xfffffffb, 0, 0, 5, -1},
		{OP(IABS), 0, 0, 0, 0x80000000, 0, 0, 0x80000000, -1},
		{OP(IMNMX), M(MINMAX, HD_MIN) | M(SIGN, HD_SIGNED), 0, 0xffffffff, 1, 0, 0, 0xffffffff, -1},
		{OP(IMNMX), M(MINMAX, HD_MIN) | M(SIGN, HD_UNSIGNED), 0, 0xffffffff, 1, 0, 0, 1, -1},
		{OP(IMNMX), M(MINMAX, HD_MAX) | M(SIGN, HD_SIGNED), 0, 0xffffffff, 1, 0, 0, 1, -1},
		{OP(IMNMX), M(MINMAX, HD_MAX) | M(SIGN, HD_UNSIGNED), 0, 0xffffffff, 1, 0, 0, 0xffffffff, -1},
	};
	CHECK(table);
}
END_TEST

START_TEST(shifts_and_bits)
{
	static const struct op_case table[] = {
		{OP(SHL), 0, 0, 1, 31, 0, 0, 0x80000000, -1},
		{OP(SHL), 0, 0, 1, 32, 0, 0, 0, -1},
		{OP(SHL), 0, 0, 1, 0xffffffff, 0, 0, 0, -1},
		{OP(SHL), M(WRAP, 1), 0, 1, 33, 0, 0, 2, -1},
		{OP(SHR), M(SIGN, HD_UNSIGNED), 0, 0x80000000, 31, 0, 0, 1, -1},
		{OP(SHR), M(SIGN, HD_UNSIGNED), 0, 0x80000000, 32, 0, 0, 0, -1},
		{OP(SHR), M(SIGN, HD_SIGNED), 0, 0x80000000, 32, 0, 0, 0xffffffff, -1},
		{OP(SHR), M(SIGN, HD_SIGNED), 0, 0x80000000, 4, 0, 0, 0xf8000000, -1},
		{OP(SHR), M(SIGN, HD_SIGNED) | M(WRAP, 1), 0, 0x80000000, 36, 0, 0, 0xf8000000, -1},
		{OP(SHR), M(SIGN, HD_UNSIGNED) | M(WRAP, 1), 0, 0x80000000, 36, 0, 0, 0x08000000, -1},
		{OP(SHF_L), 0, 0, 0xf0000000, 4, 1, 0, 0x1f, -1},
		{OP(SHF_L), 0, 0, 0x12345678, 0, 0x9abcdef0, 0, 0x9abcdef0, -1},
		{OP(SHF_L), 0, 0, 0x12345678, 32, 0x9abcdef0, 0, 0x12345678, -1},
		{OP(SHF_L), 0, 0, 0x12345678, 77, 0x9abcdef0, 0, 0x12345678, -1},
		{OP(SHF_L), M(WRAP, 1), 0, 0x12345678, 36, 0x9abcdef0, 0, 0xabcdef01, -1},
		{OP(SHF_R), 0, 0, 0x12345678, 8, 0x9abcdef0, 0, 0xf0123456, -1},
		{OP(SHF_R), 0, 0, 0x12345678, 0, 0x9abcdef0, 0, 0x12345678, -1},
		{OP(SHF_R), 0, 0, 0x12345678, 40, 0x9abcdef0, 0, 0x9abcdef0, -1},
		{OP(SHF_R), M(WRAP, 1), 0, 0x12345678, 40, 0x9abcdef0, 0, 0xf0123456, -1},
		{OP(SGXT), M(SIGN, HD_SIGNED), 0, 0x80, 8, 0, 0, 0xffffff80, -1},
		{OP(SGXT), M(SIGN, HD_UNSIGNED), 0, 0xff80, 8, 0, 0, 0x80, -1},
		{OP(SGXT), M(SIGN, HD_SIGNED), 0, 0x80, 0, 0, 0, 0, -1},
		{OP(SGXT), M(SIGN, HD_SIGNED), 0, 0x12345678, 32, 0, 0, 0x12345678, -1},
		{OP(SGXT), M(SIGN, HD_SIGNED), 0, 1, 1, 0, 0, 0xffffffff, -1},
		{OP(POPC), 0, 0, 0, 0xffffffff, 0, 0, 32, -1},
		{OP(POPC), 0, 0, 0, 0x80000101, 0, 0, 3, -1},
		{OP(BREV), 0, 0, 0, 1, 0, 0, 0x80000000, -1},
		{OP(BREV), 0, 0, 0, 0x12345678, 0, 0, 0x1e6a2c48, -1},
		{OP(FLO), M(SIGN, HD_UNSIGNED), 0, 0, 0, 0, 0, 0xffffffff, -1},
		{OP(FLO), M(SIGN, HD_UNSIGNED), 0, 0, 1, 0, 0, 0, -1},
		{OP(FLO), M(SIGN, HD_UNSIGNED), 0, 0, 0x80000001, 0, 0, 31, -1},
		{OP(FLO), M(SIGN, HD_UNSIGNED) | M(SH, 1), 0, 0, 0x00010000, 0, 0, 15, -1},
		{OP(FLO), M(SIGN, HD_SIGNED), 0, 0, 0xffffffff, 0, 0, 0xffffffff, -1},
		{OP(FLO), M(SIGN, HD_SIGNED), 0, 0, 0xfffffffe, 0, 0, 0, -1},
		{OP(FLO), M(SIGN, HD_SIGNED) | M(SH, 1), 0, 0, 0, 0, 0, 0xffffffff, -1},
	};
	CHECK(table);
}
END_TEST

#define ISETP(cmp, sign, a, b, want) \
	{OP(ISETP), M(CMP, HD_CMP_##cmp) | M(SIGN, sign), 0, a, b, 0, 1, 0, want}
/* BOOL AND with P0 true passes the comparison on. */
START_TEST(integer_comparisons)
{
	static const struct op_case table[] = {
		ISETP(LT, 1, 0xffffffff, 0, 1), ISETP(LT, 0, 0xffffffff, 0, 0), ISETP(LE, 1, 5, 5, 1),
		ISETP(EQ, 1, 5, 5, 1), ISETP(NE, 1, 5, 5, 0), ISETP(GT, 0, 0xffffffff, 0, 1), ISETP(GT, 1, 0xffffffff, 0, 0),
		ISETP(GE, 1, 5, 5, 1), ISETP(GE, 1, 4, 5, 0), ISETP(T, 1, 4, 5, 1), ISETP(F, 1, 4, 5, 0),
		{OP(ISETP), M(CMP, HD_CMP_LT) | M(SIGN, 1), 0, 1, 2, 0, 0, 0, 0},
		{OP(ISETP), M(CMP, HD_CMP_LT) | M(BOOL, HD_BOOL_OR), 0, 3, 2, 0, 1, 0, 1},
		{OP(ISETP), M(CMP, HD_CMP_LT) | M(BOOL, HD_BOOL_XOR), 0, 1, 2, 0, 1, 0, 0},
		/* high words of 64-bit comparisons: equal ones leave it to P1 */
		{OP(ISETP), M(CMP, HD_CMP_LT) | M(EX, 1), 0, 7, 7, 0, 3, 0, 1},
		{OP(ISETP), M(CMP, HD_CMP_LT) | M(EX, 1), 0, 7, 7, 0, 1, 0, 0},
		{OP(ISETP), M(CMP, HD_CMP_LT) | M(EX, 1), 0, 6, 7, 0, 1, 0, 1},
		{OP(ISETP), M(CMP, HD_CMP_LE) | M(EX, 1), 0, 8, 7, 0, 3, 0, 0},
		{OP(ISETP), M(CMP, HD_CMP_NE) | M(EX, 1), 0, 7, 7, 0, 3, 0, 1},
		{OP(ISETP), M(CMP, HD_CMP_EQ) | M(EX, 1), 0, 7, 7, 0, 1, 0, 0},
	};
	CHECK(table);
}
END_TEST

#define INF32 0x7f800000
#define NAN_F 0x7fffffff
#define ONE 0x3f800000
#define F(op, mods, srcmods, a, b, c, want) {OP(op), mods, srcmods, a, b, c, 0, want, -1}
START_TEST(single_precision)
{
	static const struct op_case table[] = {
		F(FADD, 0, 0, ONE, 0x40000000, 0, 0x40400000),
		F(FADD, 0, HD_NEG_B, ONE, ONE, 0, 0),
		F(FADD, M(RND, HD_RM), HD_NEG_B, ONE, ONE, 0, 0x80000000),
		F(FADD, 0, HD_ABS_B | HD_NEG_B, ONE, 0xc0000000, 0, 0xbf800000),
		F(FADD, 0, HD_NEG_B, INF32, INF32, 0, NAN_F),
		F(FADD, 0, 0, 0x7f800001, ONE, 0, NAN_F),
		/* 1 + 2^-24: a tie to even; 1 + 2^-25 below it */
		F(FADD, 0, 0, ONE, 0x33800000, 0, ONE),
		F(FADD, M(RND, HD_RP), 0, ONE, 0x33800000, 0, 0x3f800001),
		F(FADD, M(RND, HD_RM), 0, ONE, 0x33800000, 0, ONE),
		F(FADD, M(RND, HD_RND_RZ), 0, ONE, 0x33800000, 0, ONE),
		F(FADD, M(RND, HD_RM), 0, 0xbf800000, 0xb3800000, 0, 0xbf800001),
		F(FADD, M(RND, HD_RND_RZ), 0, 0x7f7fffff, 0x7f7fffff, 0, 0x7f7fffff),
		F(FADD, 0, 0, 0x7f7fffff, 0x7f7fffff, 0, INF32),
		F(FADD, 0, 0, 1, 1, 0, 2),
		F(FADD, M(FTZ, 1), 0, 1, 1, 0, 0),
		F(FADD, M(FTZ, 1), 0, 0x80000001, 0x80000001, 0, 0x80000000),
		F(FADD, M(FTZ, 1), HD_NEG_B, 0x00800001, 0x00800000, 0, 0),
		F(FADD, M(SAT, 1), 0, ONE, ONE, 0, ONE),
		F(FADD, M(SAT, 1), 0, 0xbf800000, 0, 0, 0),
		F(FADD, M(SAT, 1), 0, NAN_F, 0, 0, 0),
		F(FADD, M(SAT, 1), 0, 0x3e800000, 0x3e800000, 0, 0x3f000000),
		F(FMUL, 0, 0, 0x40400000, 0x40000000, 0, 0x40c00000),
		F(FMUL, 0, 0, 0, INF32, 0, NAN_F),
		F(FMUL, 0, 0, 0x00800000, 0x3f000000, 0, 0x00400000),
		F(FMUL, M(FTZ, 1), 0, 0x00800000, 0xbf000000, 0, 0x80000000),
		F(FMUL, M(RND, HD_RP), 0, 0x3f800001, 0x3f800001, 0, 0x3f800003),
		F(FMUL, 0, 0, 0x3f800001, 0x3f800001, 0, 0x3f800002),
		/* fused: (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46 */
		F(FFMA, 0, HD_NEG_C, 0x3f800001, 0x3f800001, 0x3f800002, 0x28800000),
		F(FFMA, 0, 0, 0x40000000, 0x40400000, ONE, 0x40e00000),
		F(FFMA, 0, HD_NEG_A, 0x40000000, 0x40400000, ONE, 0xc0a00000),
		F(FFMA, M(RND, HD_RP), 0, 0x3f800001, 0x3f800001, 0, 0x3f800003),
		F(FFMA, M(SAT, 1), 0, 0x40000000, 0x40400000, ONE, ONE),
		F(FFMA, M(FTZ, 1), 0, 1, ONE, 0, 0),
		F(FFMA, 0, 0, INF32, 0, ONE, NAN_F),
		F(FMNMX, M(MINMAX, HD_MIN), 0, 0x80000000, 0, 0, 0x80000000),
		F(FMNMX, M(MINMAX, HD_MAX), 0, 0x80000000, 0, 0, 0),
		F(FMNMX, M(MINMAX, HD_MIN), 0, 0xc0000000, 0xbf800000, 0, 0xc0000000),
		F(FMNMX, M(MINMAX, HD_MAX), 0, NAN_F, ONE, 0, ONE),
		F(FMNMX, M(MINMAX, HD_MIN), 0, ONE, 0xffc00000, 0, ONE),
		F(FMNMX, M(MINMAX, HD_MIN) | M(NAN, 1), 0, ONE, 0xffc00000, 0, NAN_F),
		F(FMNMX, M(MINMAX, HD_MIN), 0, 0xffc00000, 0xffc00000, 0, NAN_F),
		F(FMNMX, M(MINMAX, HD_MAX) | M(FTZ, 1), 0, 1, 0x80000000, 0, 0),
	};
	CHECK(table);
}
END_TEST

#define FSETP(cmp, a, b, want) {OP(FSETP), M(CMP, HD_CMP_##cmp), 0, a, b, 0, 1, 0, want}
START_TEST(single_precision_comparisons)
{
	static const struct op_case table[] = {
		FSETP(LT, ONE, 0x40000000, 1), FSETP(LT, NAN_F, ONE, 0), FSETP(LTU, NAN_F, ONE, 1), FSETP(EQ, 0, 0x80000000, 1),
		FSETP(NE, NAN_F, NAN_F, 0), FSETP(NEU, NAN_F, NAN_F, 1), FSETP(NE, ONE, 0, 1), FSETP(NUM, ONE, 0, 1),
		FSETP(NUM, ONE, NAN_F, 0), FSETP(NAN, ONE, NAN_F, 1), FSETP(GE, ONE, ONE, 1), FSETP(GT, ONE, ONE, 0),
		FSETP(GTU, ONE, ONE, 0), FSETP(GEU, NAN_F, ONE, 1), FSETP(EQU, NAN_F, ONE, 1), FSETP(LEU, 0, ONE, 1),
		FSETP(T, NAN_F, NAN_F, 1), FSETP(F, 0, 0, 0),
		{OP(FSETP), M(CMP, HD_CMP_EQ) | M(FTZ, 1), 0, 1, 2, 0, 1, 0, 1},
		{OP(FSETP), M(CMP, HD_CMP_LT), HD_ABS_A, 0xc0000000, ONE, 0, 1, 0, 0},
	};
	CHECK(table);
}
END_TEST

#define D1 UINT64_C(0x3ff0000000000000)
#define D2 UINT64_C(0x4000000000000000)
#define D3 UINT64_C(0x4008000000000000)
#define DINF UINT64_C(0x7ff0000000000000)
START_TEST(double_precision)
{
	static const struct op_case table[] = {
		F(DADD, 0, 0, D1, D2, 0, D3),
		F(DADD, 0, HD_NEG_B, DINF, DINF, 0, UINT64_C(0xfff8000000000000)),
		F(DADD, 0, 0, UINT64_C(0x7ff0000000000123), D1, 0, UINT64_C(0x7ff8000000000123)),
		F(DADD, 0, 0, D1, UINT64_C(0x7ff8000000000456), 0, UINT64_C(0x7ff8000000000456)),
		F(DADD, 0, 0, UINT64_C(0x7ff8000000000123), UINT64_C(0x7ff8000000000456), 0, UINT64_C(0x7ff8000000000123)),
		F(DADD, M(RND, HD_RP), 0, D1, UINT64_C(0x3c00000000000000), 0, D1 + 1),
		F(DADD, M(RND, HD_RM), 0, D1, UINT64_C(0xbc00000000000000), 0, D1 - 1),
		F(DADD, M(RND, HD_RND_RZ), 0, D1, UINT64_C(0x3c00000000000000), 0, D1),
		F(DMUL, 0, HD_NEG_A, D2, D3, 0, UINT64_C(0xc018000000000000)),
		F(DMUL, 0, 0, 1, D2, 0, 2),
		F(DMUL, M(RND, HD_RP), 0, D1 + 1, D1 + 1, 0, D1 + 3),
		F(DFMA, 0, 0, D2, D3, D1, UINT64_C(0x401c000000000000)),
		F(DFMA, 0, HD_NEG_C, D1 + 1, D1 + 1, D1 + 2, UINT64_C(0x3970000000000000)), /* 2^-104 */
		{OP(DSETP), M(CMP, HD_CMP_LT), 0, D1, D2, 0, 1, 0, 1},
		{OP(DSETP), M(CMP, HD_CMP_GEU), 0, D1, UINT64_C(0x7ff8000000000000), 0, 1, 0, 1},
		{OP(DSETP), M(CMP, HD_CMP_GE), 0, D1, UINT64_C(0x7ff8000000000000), 0, 1, 0, 0},
		{OP(DSETP), M(CMP, HD_CMP_EQ), HD_NEG_B, D1, D1, 0, 1, 0, 0},
	};
	CHECK(table);
}
END_TEST

#define U(fn, b, want) F(MUFU, M(MUFUFN, HD_MUFU_##fn), 0, 0, b, 0, want)
START_TEST(special_functions)
{
	static const struct op_case table[] = {
		U(RCP, 0x40000000, 0x3f000000), U(RCP, 0, INF32), U(RCP, 0x80000000, 0xff800000), U(RCP, INF32, 0),
		U(RCP, 0xff800000, 0x80000000), U(RCP, 0x7f800001, NAN_F), U(RCP, 1, INF32), U(RCP, 0x40400000, 0x3eaaaaab),
		U(RSQ, 0x40800000, 0x3f000000), U(RSQ, 0, INF32), U(RSQ, 0x80000000, 0xff800000), U(RSQ, 0xbf800000, NAN_F),
		U(RSQ, INF32, 0), U(SQRT, 0x40800000, 0x40000000), U(SQRT, 0x80000000, 0x80000000), U(SQRT, 0xbf800000, NAN_F),
		U(SQRT, INF32, INF32), U(EX2, 0, ONE), U(EX2, 0x40400000, 0x41000000), U(EX2, 0x3f000000, 0x3fb504f3),
		U(EX2, 0xff800000, 0), U(EX2, INF32, INF32), U(EX2, 0xc3150000 /* -149 */, 1), U(EX2, 0xc3160000 /* -150 */, 0),
		U(EX2, 0x43000000 /* 128 */, INF32), U(EX2, NAN_F, NAN_F), U(LG2, 0x41000000, 0x40400000), U(LG2, ONE, 0),
		U(LG2, 0x3f000000, 0xbf800000), U(LG2, 0, 0xff800000), U(LG2, 0x80000000, 0xff800000), U(LG2, 0xbf800000, NAN_F),
		U(LG2, INF32, INF32), U(LG2, 1, 0xc3150000), U(SIN, 0, 0), U(SIN, 0x80000000, 0x80000000), U(SIN, INF32, NAN_F),
		U(SIN, 0x3fc90fdb, ONE), U(SIN, 0x40490fdb, 0xb3bbbd2e), U(COS, 0, ONE), U(COS, 0x40490fdb, 0xbf800000),
		U(COS, NAN_F, NAN_F), U(COS, 0xff800000, NAN_F), U(TANH, 0, 0), U(TANH, INF32, ONE), U(TANH, 0xff800000, 0xbf800000),
		U(TANH, ONE, 0x3f42f7d6), U(TANH, 0x80000001, 0x80000001), U(TANH, NAN_F, NAN_F),
		F(MUFU, M(MUFUFN, HD_MUFU_RCP) | M(FTZ, 1), 0, 0, 1, 0, INF32),
		F(MUFU, M(MUFUFN, HD_MUFU_RCP) | M(FTZ, 1), 0, 0, 0x7f000000, 0, 0),
		F(MUFU, M(MUFUFN, HD_MUFU_SQRT), HD_ABS_B, 0, 0xc0800000, 0, 0x40000000),
		F(MUFU, M(MUFUFN, HD_MUFU_RCP), HD_NEG_B, 0, 0x40000000, 0, 0xbf000000),
		U(RCP64H, 0x40080000, 0x3fd55555), U(RCP64H, 0, 0x7ff00000), U(RCP64H, 0x80000000, 0xfff00000),
		U(RCP64H, 0x7ff00000, 0), U(RCP64H, 0x7ff80000, 0x7fffffff), U(RSQ64H, 0x40100000, 0x3fe00000),
		U(RSQ64H, 0xbff00000, 0x7fffffff), U(RSQ64H, 0x40080000, 0x3fe279a7),
	};
	CHECK(table);
}
END_TEST

static float float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, 4);
	return value;
}

/* Against the host's library in double precision: at most 2 units in the last place. */
START_TEST(special_functions_are_accurate)
{
	struct lab *lab = bare_lab();
	static double (*const reference[])(double) = {[HD_MUFU_SIN] = sin, [HD_MUFU_COS] = cos, [HD_MUFU_EX2] = exp2,
						      [HD_MUFU_LG2] = log2, [HD_MUFU_TANH] = tanh};
	double worst = 0;
	for (unsigned fn = HD_MUFU_SIN; fn <= HD_MUFU_TANH; fn++)
		for (uint32_t i = 0; i < 20000; i++) {
			float x = fn == HD_MUFU_LG2 ? (float)(i + 1) * 0.01f : ((float)i - 10000.0f) * 0.0011f;
			uint32_t bits;
			memcpy(&bits, &x, 4);
			struct hd_inst inst = lab_imm(HD_OP_MUFU, 0, HD_RZ, bits);
			inst.mods = M(MUFUFN, fn);
			run_at(lab, &inst, HD_LEVEL_BASE, HD_FULL);
			float got = float_of(lab->warp.regs[0][0]);
			double want = reference[fn](x), ulp = ldexp(1, ilogb(fabs(want) + 1e-3) - 23);
			double error = fabs(got - want) / ulp;
			worst = error > worst ? error : worst;
		}
	ck_assert_msg(worst < 2, "%f ulp", worst);
	lab_free(lab);
}
END_TEST

#define CVT(op, to, from, more, b, want) F(op, M(DTYPE, HD_##to) | M(STYPE, HD_##from) | (more), 0, 0, b, 0, want)
START_TEST(conversions)
{
	static const struct op_case table[] = {
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0xbfc00000, 0xffffffff), CVT(F2I, S32, F32, M(RND, HD_RM), 0xbfc00000, 0xfffffffe),
		CVT(F2I, S32, F32, M(RND, HD_RP), 0x3fa00000, 2), CVT(F2I, S32, F32, M(RND, HD_RN), 0x3fc00000, 2),
		CVT(F2I, S32, F32, M(RND, HD_RN), 0x40200000, 2), CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0x4f000000, 0x7fffffff),
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0xcf000000, 0x80000000), CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0xff800000, 0x80000000),
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), NAN_F, 0), CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0xbf800000, 0),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x4f7fffff, 0xffffff00), CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x4f800000, 0xffffffff),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x4f000000, 0x80000000), CVT(F2I, U32, F32, M(RND, HD_RND_RZ), NAN_F, 0),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x3ff33333, 1), CVT(F2I, S8, F32, M(RND, HD_RND_RZ), 0x43480000, 127),
		CVT(F2I, S8, F32, M(RND, HD_RND_RZ), 0xc3480000, 0xffffff80), CVT(F2I, U8, F32, M(RND, HD_RND_RZ), 0x43c80000, 255),
		CVT(F2I, U16, F32, M(RND, HD_RND_RZ), 0x47c35000, 65535), CVT(F2I, S16, F32, M(RND, HD_RND_RZ), 0xc7c35000, 0xffff8000),
		CVT(F2I, S64, F32, M(RND, HD_RND_RZ), 0xd0000000, UINT64_C(0xfffffffe00000000)),
		CVT(F2I, U64, F32, M(RND, HD_RND_RZ), INF32, UINT64_MAX), CVT(F2I, S64, F64, M(RND, HD_RN), UINT64_C(0x4004000000000000), 2),
		CVT(F2I, S64, F64, M(RND, HD_RND_RZ), UINT64_C(0xc3e0000000000000), UINT64_C(0x8000000000000000)),
		CVT(F2I, S64, F64, M(RND, HD_RND_RZ), UINT64_C(0x43e0000000000000), INT64_MAX), CVT(F2I, S32, F16, M(RND, HD_RND_RZ), 0x4200, 3),
		CVT(F2I, S32, F32, M(RND, HD_RP) | M(FTZ, 1), 1, 0), CVT(F2I, S32, F32, M(RND, HD_RP), 1, 1),
		CVT(F2I, S32, F64, M(RND, HD_RND_RZ), UINT64_C(0xc1dfffffffc00000), 0x80000001),
		CVT(I2F, F32, S32, 0, 0xffffffff, 0xbf800000), CVT(I2F, F32, U32, 0, 0xffffffff, 0x4f800000),
		CVT(I2F, F32, U32, M(RND, HD_RND_RZ), 0xffffffff, 0x4f7fffff), CVT(I2F, F32, S32, M(RND, HD_RP), 16777217, 0x4b800001),
		CVT(I2F, F32, S32, 0, 16777217, 0x4b800000), CVT(I2F, F32, S8, 0, 0x1ff, 0xbf800000), CVT(I2F, F32, U8, 0, 0x1ff, 0x437f0000),
		CVT(I2F, F32, S16, 0, 0x18000, 0xc7000000), CVT(I2F, F64, S32, 0, 0x80000000, UINT64_C(0xc1e0000000000000)),
		CVT(I2F, F64, U32, 0, 0x80000000, UINT64_C(0x41e0000000000000)), CVT(I2F, F64, U64, 0, UINT64_MAX, UINT64_C(0x43f0000000000000)),
		CVT(I2F, F64, U64, M(RND, HD_RND_RZ), UINT64_MAX, UINT64_C(0x43efffffffffffff)), CVT(I2F, F32, S64, 0, UINT64_MAX, 0xbf800000),
		CVT(I2F, F16, S32, 0, 65519, 0x7bff), CVT(I2F, F16, S32, 0, 65520, 0x7c00), CVT(I2F, F16, U32, 0, 3, 0x4200),
		CVT(I2F, F32, S64, 0, UINT64_C(0x8000000000000000), 0xdf000000), CVT(I2F, BF16, S32, 0, 257, 0x4380),
		CVT(F2F, F64, F32, 0, 0x3f800000, D1), CVT(F2F, F64, F32, 0, 1, UINT64_C(0x36a0000000000000)),
		CVT(F2F, F64, F32, 0, 0x7f800001, UINT64_C(0x7ff8000020000000)), CVT(F2F, F32, F64, 0, D1, ONE),
		CVT(F2F, F32, F64, 0, UINT64_C(0x3ff0000010000000), ONE), CVT(F2F, F32, F64, 0, UINT64_C(0x3ff0000030000000), 0x3f800002),
		CVT(F2F, F32, F64, M(RND, HD_RP), UINT64_C(0x3ff0000000000001), 0x3f800001), CVT(F2F, F32, F64, M(RND, HD_RND_RZ), UINT64_C(0x7fe0000000000000), 0x7f7fffff),
		CVT(F2F, F32, F64, 0, UINT64_C(0x7fe0000000000000), INF32), CVT(F2F, F32, F64, 0, UINT64_C(0xfff0000000000001), NAN_F),
		CVT(F2F, F32, F64, 0, UINT64_C(0x36a0000000000000), 1), CVT(F2F, F32, F64, M(FTZ, 1), UINT64_C(0x36a0000000000000), 0),
		CVT(F2F, F32, F64, 0, UINT64_C(0x3690000000000000), 0), CVT(F2F, F32, F64, 0, UINT64_C(0x3690000000000001), 1),
		CVT(F2F, F16, F32, 0, ONE, 0x3c00), CVT(F2F, F16, F32, 0, 0x477fe000, 0x7bff), CVT(F2F, F16, F32, 0, 0x477ff000, 0x7c00),
		CVT(F2F, F16, F32, 0, 0x33800000, 1), CVT(F2F, F16, F32, 0, 0x33000000, 0), CVT(F2F, F16, F32, 0, 0x33000001, 1),
		CVT(F2F, F16, F32, 0, NAN_F, 0x7fff), CVT(F2F, F16, F32, 0, 0xff800000, 0xfc00), CVT(F2F, F32, F16, 0, 0x8001, 0xb3800000),
		CVT(F2F, F32, F16, 0, 0x7bff, 0x477fe000), CVT(F2F, F32, BF16, 0, 0x3fc0, 0x3fc00000), CVT(F2F, BF16, F32, 0, 0x3f808000, 0x3f80),
		CVT(F2F, BF16, F32, 0, 0x3f818000, 0x3f82), CVT(F2F, F32, F32, M(SAT, 1), 0x40000000, ONE), CVT(F2F, F32, F32, M(SAT, 1), 0xbf800000, 0),
		CVT(F2F, F32, F32, M(SAT, 1), NAN_F, 0), CVT(F2F, F32, F32, M(SAT, 1), 0x3f000000, 0x3f000000), CVT(F2F, F16, F64, 0, D1, 0x3c00),
		CVT(F2F, F64, F16, 0, 0x3c00, D1), CVT(F2F, F32, F32, M(FTZ, 1), 0x80000001, 0x80000000),
		CVT(FRND, F32, F32, M(RND, HD_RN), 0x40200000, 0x40000000), CVT(FRND, F32, F32, M(RND, HD_RN), 0x3fc00000, 0x40000000),
		CVT(FRND, F32, F32, M(RND, HD_RM), 0xbf000000, 0xbf800000), CVT(FRND, F32, F32, M(RND, HD_RP), 0xbf000000, 0x80000000),
		CVT(FRND, F32, F32, M(RND, HD_RND_RZ), 0xbfc00000, 0xbf800000), CVT(FRND, F32, F32, M(RND, HD_RP), 1, ONE),
		CVT(FRND, F32, F32, M(RND, HD_RP) | M(FTZ, 1), 1, 0), CVT(FRND, F32, F32, 0, 0x4b000001, 0x4b000001),
		CVT(FRND, F32, F32, 0, 0x4affffff, 0x4b000000), CVT(FRND, F32, F32, 0, INF32, INF32), CVT(FRND, F32, F32, 0, 0xff800001, NAN_F),
		CVT(FRND, F64, F64, M(RND, HD_RM), UINT64_C(0xbfe0000000000000), UINT64_C(0xbff0000000000000)),
		CVT(FRND, F64, F64, M(RND, HD_RN), UINT64_C(0x4004000000000000), D2), CVT(FRND, F64, F64, M(RND, HD_RND_RZ), UINT64_C(0x3fefffffffffffff), 0),
		CVT(FRND, F16, F16, M(RND, HD_RP), 0x3e00, 0x4000),
	};
	CHECK(table);
}
END_TEST

/* ---- every build of every operation gives the same bits */

static uint32_t seed = 12345;
static uint32_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	return seed ^= seed << 5;
}
static uint32_t interesting(void)
{
	static const uint32_t edge[] = {0, 1, 0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000, 0xff800000, 0x7f800001,
					0x00800000, 0x007fffff, 0x3f800000, 0x7ff00000, 0x7ff80000, 0x4b000000, 31, 32};
	uint32_t value = next_random();
	return value & 0x100 ? edge[value % 16] : next_random();
}

START_TEST(all_builds_agree)
{
	struct lab *lab = bare_lab();
	static uint32_t before[16][32], after[16][32];
	uint32_t preds[8], tried = 0;
	for (int round = 0; round < 60000; round++) {
		enum hd_op op = (enum hd_op)(next_random() % HD_OP_COUNT);
		const struct hd_opinfo *info = &hd_opinfo[op];
		struct op_case test = {.op = op, .mods = (uint16_t)next_random()};
		uint16_t allowed = 0;
		for (unsigned kind = 0; kind < HD_MOD_COUNT; kind++)
			if (info->mods >> kind & 1)
				for (unsigned value = 0; value < 16; value++)
					for (unsigned bit = 0; bit < 16; bit++)
						if (hd_mod_get((uint16_t)(1u << bit), (enum hd_mod_kind)kind))
							allowed |= (uint16_t)(1u << bit);
		test.mods &= allowed;
		struct hd_inst inst = case_inst(&test);
		if (info->srcmods & HD_SM_NEG)
			inst.srcmods = (uint8_t)(next_random() & 3);
		if (info->effects & (HD_FX_LOAD | HD_FX_STORE) || !hd_exec_resolve(&inst, 0) || hd_inst_check(&inst))
			continue;
		for (unsigned reg = 0; reg < 16; reg++)
			for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
				before[reg][lane] = interesting();
		for (unsigned i = 0; i < 7; i++)
			preds[i] = next_random();
		preds[7] = HD_FULL;
		uint32_t mask = next_random() & 1 ? HD_FULL : next_random() | 1, predicate = 0;
		tried++;
		for (int level = 0; level <= hd_exec_level(); level++) {
			memcpy(lab->warp.regs, before, sizeof(before));
			memcpy(lab->warp.preds, preds, sizeof(preds));
			run_at(lab, &inst, level, mask);
			char text[128];
			hd_inst_format(&inst, text, sizeof(text));
			if (level == 0) {
				memcpy(after, lab->warp.regs, sizeof(after));
				predicate = lab->warp.preds[2];
			}
			ck_assert_msg(memcmp(after, lab->warp.regs, sizeof(after)) == 0, "%s differs at level %d", text, level);
			ck_assert_msg(predicate == lab->warp.preds[2], "%s predicate differs at level %d", text, level);
		}
	}
	ck_assert_uint_gt(tried, 5000);
	lab_free(lab);
}
END_TEST

/* ---- across lanes */

START_TEST(shuffles)
{
	struct lab *lab = bare_lab();
	struct hd_inst inst = hd_inst_new(HD_OP_SHFL);
	inst.dst = 0, inst.a = 4, inst.pdst = 2;
	inst.xkind = HD_X_OTHER;
	for (uint32_t lane = 0; lane < 32; lane++)
		lab->warp.regs[4][lane] = 100 + lane;
	/* mode, b, c, lane, value, predicate */
	static const uint32_t cases[][6] = {
		{HD_SHFL_IDX, 5, 0x1f, 31, 105, 1},      {HD_SHFL_UP, 1, 0, 0, 100, 0},        {HD_SHFL_UP, 1, 0, 7, 106, 1},
		{HD_SHFL_DOWN, 4, 0x1f, 27, 131, 1},     {HD_SHFL_DOWN, 4, 0x1f, 28, 128, 0},  {HD_SHFL_BFLY, 16, 0x1f, 3, 119, 1},
		{HD_SHFL_IDX, 5, 0x181f, 17, 121, 1},    {HD_SHFL_IDX, 9, 0x181f, 17, 117, 1}, /* segments of 8: 9 & 7 = 1, lane 17 */
		{HD_SHFL_UP, 1, 0x1800, 8, 108, 0},      {HD_SHFL_DOWN, 1, 0x181f, 7, 107, 0}, {HD_SHFL_BFLY, 4, 0x181f, 9, 113, 1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		inst.mods = (uint16_t)(M(SHFLMODE, cases[i][0]) | M(BIMM, 1) | M(CIMM, 1));
		inst.x = cases[i][1] | cases[i][2] << 8;
		run_at(lab, &inst, 0, HD_FULL);
		ck_assert_msg(lab->warp.regs[0][cases[i][3]] == cases[i][4], "case %zu: %u", i, lab->warp.regs[0][cases[i][3]]);
		ck_assert_uint_eq(lab->warp.preds[2] >> cases[i][3] & 1, cases[i][5]);
	}
	/* a source lane that does not take part; dst may be a */
	inst.mods = (uint16_t)(M(SHFLMODE, HD_SHFL_BFLY) | M(BIMM, 1) | M(CIMM, 1));
	inst.x = 1 | 0x1f << 8;
	inst.dst = 4;
	run_at(lab, &inst, 0, 0x7);
	ck_assert_uint_eq(lab->warp.regs[4][0], 101);
	ck_assert_uint_eq(lab->warp.regs[4][1], 100);
	ck_assert_uint_eq(lab->warp.regs[4][2], 102);
	ck_assert_uint_eq(lab->warp.regs[4][3], 103);
	lab_free(lab);
}
END_TEST

START_TEST(votes_and_matches)
{
	struct lab *lab = bare_lab();
	struct hd_inst vote = hd_inst_new(HD_OP_VOTE);
	vote.dst = 0, vote.pdst = 2, vote.psrc = 0;
	lab->warp.preds[0] = 0x0f;
	static const uint32_t cases[][3] = {{HD_VOTE_ALL, 0x0f, 1}, {HD_VOTE_ALL, 0x1f, 0}, {HD_VOTE_ANY, 0x1f, 1},
					    {HD_VOTE_ANY, 0xf0, 0}, {HD_VOTE_EQ, 0xf0, 1},  {HD_VOTE_EQ, 0xf8, 0}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		vote.mods = (uint16_t)M(VOTEMODE, cases[i][0]);
		lab->warp.preds[2] = 0;
		run_at(lab, &vote, hd_exec_level(), cases[i][1]);
		ck_assert_uint_eq(lab->warp.preds[2], cases[i][2] ? cases[i][1] : 0);
		ck_assert_uint_eq(lab->warp.regs[0][__builtin_ctz(cases[i][1])], 0x0f & cases[i][1]);
	}
	struct hd_inst match = hd_inst_new(HD_OP_MATCH);
	match.dst = 0, match.a = 4, match.pdst = 2;
	match.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_ANY) | M(STYPE, HD_U32));
	for (uint32_t lane = 0; lane < 32; lane++)
		lab->warp.regs[4][lane] = lane % 2;
	run_at(lab, &match, 0, 0xff);
	ck_assert_uint_eq(lab->warp.regs[0][3], 0xaa);
	match.mods = (uint16_t)(M(VOTEMODE, HD_VOTE_ALL) | M(STYPE, HD_U32));
	run_at(lab, &match, 0, 0xff);
	ck_assert_uint_eq(lab->warp.regs[0][3], 0);
	ck_assert_uint_eq(lab->warp.preds[2] & 0xff, 0);
	run_at(lab, &match, 0, 0x55);
	ck_assert_uint_eq(lab->warp.regs[0][2], 0x55);
	ck_assert_uint_eq(lab->warp.preds[2] & 0x55, 0x55);
	lab_free(lab);
}
END_TEST

START_TEST(special_registers_and_predicate_moves)
{
	struct lab *lab = bare_lab();
	lab->cta.index[1] = 9;
	lab->exec.now = UINT64_C(0x500000007);
	lab->gpu.config.core_mhz = 1000;
	static const struct {
		enum hd_sr sr;
		uint32_t lane, want;
	} cases[] = {{HD_SR_LANEID, 31, 31}, {HD_SR_TID_X, 30, 30}, {HD_SR_TID_Y, 30, 0}, {HD_SR_CTAID_Y, 0, 9},
		     {HD_SR_LANEMASK_LT, 3, 7}, {HD_SR_LANEMASK_LE, 3, 15}, {HD_SR_LANEMASK_EQ, 31, 0x80000000},
		     {HD_SR_LANEMASK_GT, 31, 0}, {HD_SR_LANEMASK_GE, 31, 0x80000000}, {HD_SR_CLOCK_LO, 1, 7},
		     {HD_SR_CLOCK_HI, 1, 5}, {HD_SR_GLOBALTIMER_LO, 1, 7}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hd_inst inst = lab_s2r(0, cases[i].sr);
		run_at(lab, &inst, hd_exec_level(), HD_FULL);
		ck_assert_msg(lab->warp.regs[0][cases[i].lane] == cases[i].want, "%s", hd_sr_name(cases[i].sr));
	}
	struct hd_inst clock = hd_inst_new(HD_OP_CS2R);
	clock.dst = 0;
	clock.mods = M(SR, HD_SR_CLOCK64);
	run_at(lab, &clock, 0, HD_FULL);
	ck_assert_uint_eq(hd_lane_pair(&lab->warp, 0, 3), UINT64_C(0x500000007));
	struct hd_inst r2p = hd_inst_new(HD_OP_R2P);
	r2p.a = 4, r2p.b = 8;
	set_row(lab, 4, 0x55);
	set_row(lab, 8, 0x0f);
	memset(lab->warp.preds, 0, 7 * 4);
	lab->warp.preds[6] = 0x77;
	run_at(lab, &r2p, 0, 0xff);
	ck_assert_uint_eq(lab->warp.preds[0], 0xff);
	ck_assert_uint_eq(lab->warp.preds[1], 0);
	ck_assert_uint_eq(lab->warp.preds[2], 0xff);
	ck_assert_uint_eq(lab->warp.preds[6], 0x77);
	lab_free(lab);
}
END_TEST

START_TEST(barrier_results)
{
	struct lab *lab = bare_lab();
	struct hd_dinst bar = {.inst = hd_inst_new(HD_OP_BAR)};
	bar.inst.dst = 0, bar.inst.pdst = 2;
	bar.inst.mods = M(BARMODE, HD_BAR_RED_POPC);
	hd_warp_barrier_result(&lab->warp, &bar, 0xf, 5, 64);
	ck_assert_uint_eq(lab->warp.regs[0][3], 5);
	ck_assert_uint_eq(lab->warp.regs[0][4], 0);
	bar.inst.mods = M(BARMODE, HD_BAR_RED_AND);
	hd_warp_barrier_result(&lab->warp, &bar, 0xf, 64, 64);
	ck_assert_uint_eq(lab->warp.preds[2], 0xf);
	bar.inst.mods = M(BARMODE, HD_BAR_RED_OR);
	hd_warp_barrier_result(&lab->warp, &bar, 0xf, 0, 64);
	ck_assert_uint_eq(lab->warp.preds[2], 0);
	lab_free(lab);
}
END_TEST

/* ---- operands and the zero register */

START_TEST(immediates_constants_and_rz)
{
	struct lab *lab = bare_lab();
	uint32_t word = 77;
	uint64_t pair = D3;
	memcpy(lab->constants + HD_CB_PARAMS, &word, 4);
	memcpy(lab->constants + HD_CB_PARAMS + 8, &pair, 8);
	set_row(lab, 4, 5);
	struct hd_inst add = lab_imm(HD_OP_IADD3, 0, 4, HD_CONST_X(0, HD_CB_PARAMS));
	add.xkind = HD_X_CONST_B;
	run_at(lab, &add, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][9], 82);
	struct hd_inst ffma = hd_inst_new(HD_OP_IMAD);
	ffma.dst = 0, ffma.a = 4, ffma.b = 4, ffma.xkind = HD_X_IMM_C, ffma.x = 1000;
	run_at(lab, &ffma, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][9], 1025);
	struct hd_inst dadd = hd_inst_new(HD_OP_DADD);
	dadd.dst = 0, dadd.a = 8, dadd.xkind = HD_X_CONST_B, dadd.x = HD_CONST_X(0, HD_CB_PARAMS + 8);
	set_row(lab, 8, D1);
	run_at(lab, &dadd, 0, HD_FULL);
	ck_assert_uint_eq(hd_lane_pair(&lab->warp, 0, 9), UINT64_C(0x4010000000000000));
	dadd.xkind = HD_X_IMM_B, dadd.x = 0x40000000;
	run_at(lab, &dadd, 0, HD_FULL);
	ck_assert_uint_eq(hd_lane_pair(&lab->warp, 0, 9), D3);
	struct hd_inst sink = lab_imm(HD_OP_IADD3, HD_RZ, 4, 3), from = lab_imm(HD_OP_IADD3, 0, HD_RZ, 3);
	run_at(lab, &sink, 0, HD_FULL);
	run_at(lab, &from, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][0], 3);
	struct hd_inst wide = hd_inst_new(HD_OP_IMAD_WIDE);
	wide.a = 4, wide.b = 4;
	run_at(lab, &wide, 0, HD_FULL);
	run_at(lab, &from, 0, HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][0], 3);
	lab_free(lab);
}
END_TEST

/* ---- memory */

static struct hd_inst memory_inst(enum hd_op op, uint16_t mods, uint32_t displacement)
{
	struct hd_inst inst = hd_inst_new(op);
	inst.mods = mods;
	inst.xkind = HD_X_OTHER;
	inst.x = displacement;
	inst.a = 4;
	if (hd_opinfo[op].c)
		inst.c = 12;
	if (hd_opinfo[op].b)
		inst.b = 8;
	if (hd_opinfo[op].dst)
		inst.dst = 0;
	return inst;
}

static uint64_t device_array(struct lab *lab, uint64_t bytes)
{
	uint64_t address = 0;
	ck_assert_int_eq(hd_devmem_alloc(lab->gpu.devmem, bytes, 256, &address), 0);
	uint8_t *host = hd_devmem_at(lab->gpu.devmem, address, bytes);
	for (uint64_t i = 0; i < bytes; i++)
		host[i] = (uint8_t)(i * 7 + 0x80);
	return address;
}

static void set_addresses(struct lab *lab, uint64_t base, uint64_t stride)
{
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		hd_set_pair(&lab->warp, 4, lane, base + stride * lane);
}

START_TEST(global_loads_and_stores_of_every_size)
{
	struct lab *lab = bare_lab();
	uint64_t array = device_array(lab, 4096);
	const uint8_t *host = hd_devmem_at(lab->gpu.devmem, array, 4096);
	static const struct {
		unsigned size, bytes;
	} sizes[] = {{HD_SIZE_U8, 1}, {HD_SIZE_S8, 1}, {HD_SIZE_U16, 2}, {HD_SIZE_S16, 2}, {HD_SIZE_32, 4}, {HD_SIZE_64, 8},
		     {HD_SIZE_128, 16}};
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (unsigned stride = sizes[i].bytes; stride <= 64; stride *= 4) {
			struct hd_inst load = memory_inst(HD_OP_LDG, (uint16_t)M(SIZE, sizes[i].size), 16);
			struct hd_inst store = memory_inst(HD_OP_STG, (uint16_t)M(SIZE, sizes[i].size), (uint32_t)-16);
			set_addresses(lab, array, stride);
			run_at(lab, &load, hd_exec_level(), HD_FULL);
			ck_assert_int_eq(lab->effect.event, HD_EVENT_MEMORY);
			ck_assert_int_eq(lab->effect.space, HD_MEM_GLOBAL);
			ck_assert_uint_eq(lab->effect.address[3], array + 16 + 3 * stride);
			for (uint32_t lane = 0; lane < 32; lane += 5) {
				const uint8_t *from = host + 16 + lane * stride;
				int32_t want = sizes[i].size == HD_SIZE_U8    ? from[0]
					       : sizes[i].size == HD_SIZE_S8  ? (int8_t)from[0]
					       : sizes[i].size == HD_SIZE_U16 ? from[0] | from[1] << 8
					       : sizes[i].size == HD_SIZE_S16
						       ? (int16_t)(from[0] | from[1] << 8)
						       : 0;
				if (sizes[i].bytes < 4)
					ck_assert_int_eq((int32_t)lab->warp.regs[0][lane], want);
				for (unsigned word = 0; word < sizes[i].bytes / 4; word++)
					ck_assert_mem_eq(&lab->warp.regs[word][lane], from + 4 * word, 4);
			}
			set_addresses(lab, array + 16 + 2048, stride);
			memcpy(lab->warp.regs[12], lab->warp.regs[0], 4 * sizeof(lab->warp.regs[0]));
			run_at(lab, &store, hd_exec_level(), HD_FULL);
			ck_assert(!lab->exec.fault);
			for (uint32_t lane = 0; lane < 32; lane++)
				ck_assert_mem_eq(host + 2048 + lane * stride, host + 16 + lane * stride, sizes[i].bytes);
			memset(lab->warp.regs[0], 0, 4 * sizeof(lab->warp.regs[0]));
		}
	lab_free(lab);
}
END_TEST

static void expect_fault(struct lab *lab, int error, const char *words)
{
	ck_assert(lab->exec.fault);
	ck_assert_int_eq(lab->gpu.error, error);
	ck_assert_msg(strstr(lab->gpu.error_text, words) != NULL, "%s", lab->gpu.error_text);
	lab->gpu.error = 0;
}

START_TEST(global_faults_name_the_place)
{
	struct lab *lab = bare_lab();
	uint64_t array = device_array(lab, 128);
	struct hd_inst load = memory_inst(HD_OP_LDG, M(SIZE, HD_SIZE_32), 0);
	set_addresses(lab, array + 4, 4);
	run_at(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "thread (31,0,0)");
	run_at(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "kernel kernel, kernel+0x0, block (0,0,0)");
	run_at(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "4-byte load");
	run_at(lab, &load, 0, 0x7fffffff); /* the lane outside does not execute */
	ck_assert(!lab->exec.fault);
	set_addresses(lab, 0, 0);
	run_at(lab, &load, 0, 2);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "address 0x0 ");
	set_addresses(lab, array + 2, 0);
	run_at(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_MISALIGNED, "misaligned");
	lab_free(lab);
}
END_TEST

/* Lanes in different allocations, and an allocation that goes away between two executions of one instruction. */
START_TEST(several_allocations_and_stale_ranges)
{
	struct lab *lab = bare_lab();
	uint64_t first = device_array(lab, 128), second = device_array(lab, 128);
	struct hd_inst load = memory_inst(HD_OP_LDG, M(SIZE, HD_SIZE_32), 0);
	for (uint32_t lane = 0; lane < 32; lane++)
		hd_set_pair(&lab->warp, 4, lane, (lane & 1 ? first : second) + 4 * lane);
	run_at(lab, &load, hd_exec_level(), HD_FULL);
	ck_assert(!lab->exec.fault);
	ck_assert_mem_eq(&lab->warp.regs[0][5], hd_devmem_at(lab->gpu.devmem, first + 20, 4), 4);
	set_addresses(lab, first, 4);
	run_at(lab, &load, 0, HD_FULL);
	ck_assert(!lab->exec.fault);
	ck_assert_int_eq(hd_devmem_release(lab->gpu.devmem, first), 0);
	run_at(lab, &load, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "outside every allocation");
	lab_free(lab);
}
END_TEST

START_TEST(shared_local_and_generic_accesses)
{
	struct lab *lab = bare_lab();
	struct hd_inst sts = memory_inst(HD_OP_STS, M(SIZE, HD_SIZE_32), 8), lds = memory_inst(HD_OP_LDS, M(SIZE, HD_SIZE_32), 8);
	set_addresses(lab, 0, 4);
	for (uint32_t lane = 0; lane < 32; lane++)
		lab->warp.regs[12][lane] = 1000 + lane;
	run_at(lab, &sts, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_SHARED);
	ck_assert_uint_eq(lab->effect.address[2], 256 + 8 + 8);
	run_at(lab, &lds, hd_exec_level(), 0xf);
	ck_assert_uint_eq(lab->warp.regs[0][3], 1003);
	lds.x = LAB_SHARED_BYTES - 4;
	run_at(lab, &lds, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "1024 bytes of shared memory");
	struct hd_inst stl = memory_inst(HD_OP_STL, M(SIZE, HD_SIZE_64), (uint32_t)-16), ldl = memory_inst(HD_OP_LDL, M(SIZE, HD_SIZE_64), (uint32_t)-16);
	set_addresses(lab, LAB_LOCAL_BYTES, 0);
	run_at(lab, &stl, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_LOCAL);
	ck_assert_uint_eq(lab->effect.address[3], hd_local_address(0x1000, 3, LAB_LOCAL_BYTES - 16));
	run_at(lab, &ldl, hd_exec_level(), HD_FULL);
	ck_assert_uint_eq(lab->warp.regs[0][7], 1007);
	set_addresses(lab, 8, 0);
	run_at(lab, &stl, 0, HD_FULL);
	expect_fault(lab, HD_SIM_STACK_OVERFLOW, "stack overflow");
	set_addresses(lab, LAB_LOCAL_BYTES + 16, 0);
	run_at(lab, &ldl, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "512 bytes of local memory");
	/* generic: shared, local, global by lane */
	uint64_t array = device_array(lab, 256);
	struct hd_inst ld = memory_inst(HD_OP_LD, M(SIZE, HD_SIZE_32), 0);
	set_addresses(lab, HD_SHARED_WINDOW + 8, 4);
	run_at(lab, &ld, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_SHARED);
	ck_assert_uint_eq(lab->warp.regs[0][9], 1009);
	hd_set_pair(&lab->warp, 4, 0, array);
	hd_set_pair(&lab->warp, 4, 1, HD_LOCAL_WINDOW + LAB_LOCAL_BYTES - 16);
	lab->effect.mask = HD_FULL;
	run_at(lab, &ld, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.space, HD_MEM_GLOBAL);
	ck_assert_uint_eq(lab->effect.mask, 1);
	ck_assert_uint_eq(lab->warp.regs[0][1], 1001);
	ck_assert_uint_eq(lab->warp.regs[0][2], 1002);
	struct hd_inst ldc = memory_inst(HD_OP_LDC, M(SIZE, HD_SIZE_32), HD_CB_STACK_TOP);
	set_addresses(lab, 0, 0);
	run_at(lab, &ldc, hd_exec_level(), HD_FULL);
	ck_assert_int_eq(lab->effect.event, HD_EVENT_NONE);
	ck_assert_uint_eq(lab->warp.regs[0][1], LAB_LOCAL_BYTES);
	ldc.x = HD_CB_BYTES;
	run_at(lab, &ldc, 0, HD_FULL);
	expect_fault(lab, HD_SIM_BAD_ADDRESS, "constant bank");
	lab_free(lab);
}
END_TEST

/* op, type, old, b, c, stored */
struct atomic_case {
	unsigned op, type;
	uint64_t old, b, c, stored;
};

START_TEST(atomics)
{
	static const struct atomic_case cases[] = {
		{HD_ATOM_ADD, HD_U32, 5, 7, 0, 12}, {HD_ATOM_ADD, HD_U64, UINT64_C(0xffffffff), 1, 0, UINT64_C(0x100000000)},
		{HD_ATOM_ADD, HD_F32, ONE, ONE, 0, 0x40000000}, {HD_ATOM_ADD, HD_F64, D1, D2, 0, D3},
		{HD_ATOM_ADD, HD_F16, 0x3c00, 0x3c00, 0, 0x4000}, {HD_ATOM_MIN, HD_S32, 5, 0xffffffff, 0, 0xffffffff},
		{HD_ATOM_MIN, HD_U32, 5, 0xffffffff, 0, 5}, {HD_ATOM_MAX, HD_S64, 5, UINT64_MAX, 0, 5},
		{HD_ATOM_MAX, HD_U64, 5, UINT64_MAX, 0, UINT64_MAX}, {HD_ATOM_INC, HD_U32, 5, 5, 0, 0}, {HD_ATOM_INC, HD_U32, 4, 5, 0, 5},
		{HD_ATOM_DEC, HD_U32, 0, 9, 0, 9}, {HD_ATOM_DEC, HD_U32, 10, 9, 0, 9}, {HD_ATOM_DEC, HD_U32, 9, 9, 0, 8},
		{HD_ATOM_AND, HD_U32, 6, 3, 0, 2}, {HD_ATOM_OR, HD_U32, 6, 3, 0, 7}, {HD_ATOM_XOR, HD_U32, 6, 3, 0, 5},
		{HD_ATOM_EXCH, HD_U32, 6, 3, 0, 3}, {HD_ATOM_CAS, HD_U32, 6, 6, 9, 9}, {HD_ATOM_CAS, HD_U32, 6, 5, 9, 6},
		{HD_ATOM_CAS, HD_U64, UINT64_C(0x600000000), UINT64_C(0x600000000), 9, 9},
	};
	struct lab *lab = bare_lab();
	uint64_t array = device_array(lab, 64);
	uint8_t *host = hd_devmem_at(lab->gpu.devmem, array, 64);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hd_inst inst = memory_inst(HD_OP_ATOMG, (uint16_t)(M(ATOMOP, cases[i].op) | M(DTYPE, cases[i].type)), 8);
		unsigned bytes = hd_op_access_bytes(HD_OP_ATOMG, inst.mods);
		uint64_t stored = 0, before = cases[i].old;
		memcpy(host + 8, &before, 8);
		set_addresses(lab, array, 0);
		set_row(lab, 8, cases[i].b);
		set_row(lab, 12, cases[i].c);
		run_at(lab, &inst, 0, 4);
		memcpy(&stored, host + 8, bytes);
		ck_assert_msg(stored == cases[i].stored, "case %zu: 0x%llx", i, (unsigned long long)stored);
		ck_assert_uint_eq(lab->warp.regs[0][2], (uint32_t)cases[i].old);
	}
	/* 32 lanes on one word, in lane order */
	struct hd_inst add = memory_inst(HD_OP_ATOMS, M(ATOMOP, HD_ATOM_ADD) | M(DTYPE, HD_U32), 0);
	set_addresses(lab, 0, 0);
	set_row(lab, 8, 2);
	run_at(lab, &add, 0, HD_FULL);
	ck_assert_uint_eq(lab->shared[0], 64);
	ck_assert_uint_eq(lab->warp.regs[0][31], 62);
	ck_assert_int_eq(lab->effect.space, HD_MEM_SHARED);
	lab_free(lab);
}
END_TEST

/* ---- services */

static uint64_t device_string(struct lab *lab, const char *text)
{
	uint64_t address = 0;
	ck_assert_int_eq(hd_devmem_alloc(lab->gpu.devmem, strlen(text) + 1, 256, &address), 0);
	memcpy(hd_devmem_at(lab->gpu.devmem, address, strlen(text) + 1), text, strlen(text) + 1);
	return address;
}

static struct lab *service_lab(enum hd_syscall service)
{
	struct hd_inst inst = hd_inst_new(HD_OP_SYSCALL);
	inst.xkind = HD_X_OTHER;
	inst.x = service;
	const struct hd_inst code[] = {inst, lab_op(HD_OP_EXIT)};
	return lab_kernel(code, 2, 2);
}

START_TEST(device_printf)
{
	struct lab *lab = service_lab(HD_SYS_VPRINTF);
	uint64_t format = device_string(lab, "%d|%-5u|%05x|%.2f|%s|%c|%lld|%p|%%|%*d|%lf\n"), text = device_string(lab, "hi");
	uint64_t arguments = device_array(lab, 128);
	uint8_t *host = hd_devmem_at(lab->gpu.devmem, arguments, 128);
	int32_t number = -7, width = 4, padded = 3;
	uint32_t unsigned_number = 42, hexadecimal = 0xbeef, letter = 'Z';
	double real = 2.5;
	int64_t wide = INT64_C(-5000000000);
	memcpy(host, &number, 4), memcpy(host + 4, &unsigned_number, 4), memcpy(host + 8, &hexadecimal, 4);
	memcpy(host + 16, &real, 8), memcpy(host + 24, &text, 8), memcpy(host + 32, &letter, 4);
	memcpy(host + 40, &wide, 8), memcpy(host + 48, &wide, 8), memcpy(host + 56, &width, 4), memcpy(host + 60, &padded, 4);
	memcpy(host + 64, &real, 8);
	for (uint32_t lane = 0; lane < 2; lane++) {
		hd_set_pair(&lab->warp, 4, lane, format);
		hd_set_pair(&lab->warp, 6, lane, arguments);
	}
	char name[] = "/tmp/heddle-printf-XXXXXX";
	int file = mkstemp(name), saved = dup(1);
	fflush(stdout);
	dup2(file, 1);
	int status = lab_run(lab, 5);
	fflush(stdout);
	dup2(saved, 1);
	char got[512] = "";
	ssize_t length = pread(file, got, sizeof(got) - 1, 0);
	close(file);
	unlink(name);
	ck_assert_int_eq(status, 0);
	ck_assert_int_gt(length, 0);
	const char *line = "-7|42   |0beef|2.50|hi|Z|-5000000000|0xfffffffed5fa0e00|%|   3|2.500000\n";
	ck_assert_uint_eq(strlen(got), 2 * strlen(line));
	ck_assert_mem_eq(got, line, strlen(line));
	ck_assert_uint_eq(lab->warp.regs[4][1], 11);
	lab_free(lab);
}
END_TEST

START_TEST(device_assert)
{
	struct lab *lab = service_lab(HD_SYS_ASSERTFAIL);
	uint64_t texts[] = {device_string(lab, "n > 0"), device_string(lab, "a.cu"), device_string(lab, "f")};
	for (uint32_t lane = 0; lane < 2; lane++) {
		hd_set_pair(&lab->warp, 4, lane, texts[0]);
		hd_set_pair(&lab->warp, 6, lane, texts[1]);
		lab->warp.regs[8][lane] = 12;
		hd_set_pair(&lab->warp, 10, lane, texts[2]);
	}
	ck_assert_int_eq(lab_run(lab, 5), HD_SIM_ASSERT);
	ck_assert_ptr_nonnull(strstr(lab->gpu.error_text,
				     "a.cu:12: f: block: [0,0,0], thread: [0,0,0] Assertion `n > 0` failed."));
	lab_free(lab);
}
END_TEST

START_TEST(device_malloc)
{
	struct lab *lab = service_lab(HD_SYS_MALLOC);
	for (uint32_t lane = 0; lane < 2; lane++)
		hd_set_pair(&lab->warp, 4, lane, 100);
	ck_assert_int_eq(lab_run(lab, 5), 0);
	uint64_t a = hd_lane_pair(&lab->warp, 4, 0), b = hd_lane_pair(&lab->warp, 4, 1);
	ck_assert(a && b && b >= a + 100);
	ck_assert_ptr_nonnull(hd_devmem_at(lab->gpu.devmem, a, 100));
	lab_free(lab);
}
END_TEST

START_TEST(a_trap_stops_the_kernel)
{
	const struct hd_inst code[] = {lab_guarded(0, lab_op(HD_OP_TRAP)), lab_op(HD_OP_TRAP), lab_op(HD_OP_EXIT)};
	struct lab *lab = lab_kernel(code, 3, 32);
	ck_assert_int_eq(lab_run(lab, 1), 1); /* P0 is false */
	ck_assert_int_eq(lab_run(lab, 5), HD_SIM_TRAP);
	ck_assert_uint_eq(lab->warp.pc, 1);
	lab_free(lab);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("exec", (const TTest *const[]){
					   moves_and_logic,
					   additions_and_carries,
					   shifts_and_bits,
					   integer_comparisons,
					   single_precision,
					   single_precision_comparisons,
					   double_precision,
					   special_functions,
					   special_functions_are_accurate,
					   conversions,
					   all_builds_agree,
					   shuffles,
					   votes_and_matches,
					   special_registers_and_predicate_moves,
					   barrier_results,
					   immediates_constants_and_rz,
					   global_loads_and_stores_of_every_size,
					   global_faults_name_the_place,
					   several_allocations_and_stale_ranges,
					   shared_local_and_generic_accesses,
					   atomics,
					   device_printf,
					   device_assert,
					   device_malloc,
					   a_trap_stops_the_kernel,
					   NULL,
				   });
}
