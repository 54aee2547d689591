/*
 * The functional executor: a table of hand-derived results for every opcode and modifier, edge
 * values included; then that all
 * builds of an operation agree bit for bit and masks hold.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <math.h>
#undef NAN /* a modifier here */

#include "lab.h"

/* ---- tables: dst R0, a R4, b R8, c R12, P0 and P1 in, P2 out */

struct op_case {
	enum hd_op op;
	uint16_t mods;
	uint8_t srcmods;
	uint64_t a, b, c;
	unsigned preds; /* bit 0: P0 (psrc), bit 1: P1 (psrc2) */
	uint64_t want;
	int pwant; /* -1: no predicate result */
};

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

static void check_case(const struct op_case *test, unsigned row, int level, uint32_t mask)
{
	static struct lab *lab;
	if (!lab)
		lab = lab_bare();
	struct hd_inst inst = case_inst(test);
	char text[128];
	hd_inst_format(&inst, text, sizeof(text));
	lab_set(lab, 0, UINT64_C(0x5555555555555555));
	lab_set(lab, 4, test->a);
	lab_set(lab, 8, test->b);
	lab_set(lab, 12, test->c);
	lab->warp.preds[0] = test->preds & 1 ? HD_FULL : 0;
	lab->warp.preds[1] = test->preds & 2 ? HD_FULL : 0;
	lab->warp.preds[2] = 0;
	lab_execute(lab, &inst, level, mask);
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
		{OP(PRMT), 0, 0, 0x000080ff, 0x89a9, 0, 0, 0xffff00ff,
		 -1}, /* from the low end: the signs of bytes 1, 2, 1, 0 */
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
		{OP(IADD3), 0, HD_NEG_B, 5, 7, 0, 0, 0xfffffffe, 0}, /* borrow */
		{OP(IADD3), 0, HD_NEG_B, 7, 5, 0, 0, 2, 1},	     /* no borrow */
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
		{OP(IMAD_WIDE), M(SIGN, HD_UNSIGNED), 0, 0xffffffff, 0xffffffff, 1, 0, UINT64_C(0xfffffffe00000002),
		 -1},
		{OP(IMAD_WIDE), M(SIGN, HD_SIGNED), 0, 0xffffffff, 0xffffffff, 1, 0, 2, -1},
		{OP(IMAD_WIDE), M(SIGN, HD_SIGNED), 0, 0xfffffffe, 4, UINT64_C(0x100000000), 0, UINT64_C(0xfffffff8),
		 -1},
		{OP(IMAD_HI), M(SIGN, HD_UNSIGNED), 0, 0xffffffff, 0xffffffff, 1, 0, 0xffffffff, -1},
		{OP(IMAD_HI), M(SIGN, HD_SIGNED), 0, 0xffffffff, 5, 0, 0, 0xffffffff, -1},
		{OP(IDP4A), M(SIGN, HD_SIGNED) | M(SIGNB, HD_SIGNED), 0, 0xff020304, 0x02ff0101, 10, 0, 13, -1},
		{OP(IDP4A), M(SIGN, HD_UNSIGNED) | M(SIGNB, HD_UNSIGNED), 0, 0xff000000, 0x02000000, 0, 0, 510, -1},
		{OP(IDP4A), M(SIGN, HD_UNSIGNED) | M(SIGNB, HD_SIGNED), 0, 0xff000000, 0xff000000, 0, 0, 0xffffff01,
		 -1},
		{OP(IABS), 0, 0, 0, 0xfffffffb, 0, 0, 5, -1},
		{OP(IABS), 0, 0, 0, 0x80000000, 0, 0, 0x80000000, -1},
		/* 1; 65520 is half way to 65536; just below it; 2^-25 is half of the least, 1.5 * 2^-24 a tie */
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0x3f800000, 0x477ff000, 0, 0, 0x3c007c00, -1},
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0x477fefff, 0x33000000, 0, 0, 0x7bff0000, -1},
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0x33000001, 0x33c00000, 0, 0, 0x00010002, -1},
		/* around 2^-14; ties of 1 + 2^-11 and 1 + 3 * 2^-11; NaN, infinities, zero */
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0x387fffff, 0xb8800000, 0, 0, 0x04008400, -1},
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0x3f801000, 0xbf803000, 0, 0, 0x3c00bc02, -1},
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0xffc00001, 0xff800000, 0, 0, 0x7ffffc00, -1},
		{OP(F2FP), M(DTYPE, HD_F16), 0, 0x80000000, 0x7f800000, 0, 0, 0x80007c00, -1},
		{OP(F2FP), M(DTYPE, HD_F16) | M(RND, HD_RND_RZ), 0, 0x3f803000, 0x49742400, 0, 0, 0x3c017bff, -1},
		{OP(F2FP), M(DTYPE, HD_F16) | M(RND, HD_RND_RZ), 0, 0xb3ffffff, 0x7fc00000, 0, 0, 0x80017fff, -1},
		{OP(F2FP), M(DTYPE, HD_BF16), 0, 0x3f808000, 0xbf818000, 0, 0, 0x3f80bf82, -1},
		{OP(F2FP), M(DTYPE, HD_BF16), 0, 0x7f7fffff, 0x7f800001, 0, 0, 0x7f807fff, -1},
		{OP(F2FP), M(DTYPE, HD_BF16), 0, 0xff800000, 0x00008001, 0, 0, 0xff800001, -1},
		{OP(F2FP), M(DTYPE, HD_BF16) | M(RND, HD_RND_RZ), 0, 0x3f81ffff, 0xffffffff, 0, 0, 0x3f817fff, -1},
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
		{OP(SHF_L), M(SHIFTED, 1), 0, 0x12345678, 8, 0x9abcdef0, 0, 0xbcdef012, -1},
		{OP(SHF_L), M(SHIFTED, 1), 0, 0x12345678, 32, 0x9abcdef0, 0, 0x12345678, -1},
		{OP(SHF_L), M(SHIFTED, 1), 0, 0x12345678, 40, 0x9abcdef0, 0, 0x34567800, -1},
		{OP(SHF_L), M(SHIFTED, 1), 0, 0x12345678, 64, 0x9abcdef0, 0, 0, -1},
		{OP(SHF_R), M(SHIFTED, 1), 0, 0x12345678, 40, 0x9abcdef0, 0, 0x009abcde, -1},
		{OP(SHF_R), M(SHIFTED, 2), 0, 0x12345678, 40, 0x9abcdef0, 0, 0xff9abcde, -1},
		{OP(SHF_R), M(SHIFTED, 2), 0, 0x12345678, 32, 0x9abcdef0, 0, 0x9abcdef0, -1},
		{OP(SHF_R), M(SHIFTED, 2), 0, 0x12345678, 70, 0x9abcdef0, 0, 0xffffffff, -1},
		{OP(SHF_R), M(SHIFTED, 1), 0, 0x12345678, 70, 0x9abcdef0, 0, 0, -1},
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

#define ISETP(cmp, sign, a, b, want) {OP(ISETP), M(CMP, HD_CMP_##cmp) | M(SIGN, sign), 0, a, b, 0, 1, 0, want}
/* BOOL AND with P0 true passes the comparison on. */
START_TEST(integer_comparisons)
{
	static const struct op_case table[] = {
		ISETP(LT, 1, 0xffffffff, 0, 1),
		ISETP(LT, 0, 0xffffffff, 0, 0),
		ISETP(LE, 1, 5, 5, 1),
		ISETP(EQ, 1, 5, 5, 1),
		ISETP(NE, 1, 5, 5, 0),
		ISETP(GT, 0, 0xffffffff, 0, 1),
		ISETP(GT, 1, 0xffffffff, 0, 0),
		ISETP(GE, 1, 5, 5, 1),
		ISETP(GE, 1, 4, 5, 0),
		ISETP(T, 1, 4, 5, 1),
		ISETP(F, 1, 4, 5, 0),
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
		FSETP(LT, ONE, 0x40000000, 1),
		FSETP(LT, NAN_F, ONE, 0),
		FSETP(LTU, NAN_F, ONE, 1),
		FSETP(EQ, 0, 0x80000000, 1),
		FSETP(NE, NAN_F, NAN_F, 0),
		FSETP(NEU, NAN_F, NAN_F, 1),
		FSETP(NE, ONE, 0, 1),
		FSETP(NUM, ONE, 0, 1),
		FSETP(NUM, ONE, NAN_F, 0),
		FSETP(NAN, ONE, NAN_F, 1),
		FSETP(GE, ONE, ONE, 1),
		FSETP(GT, ONE, ONE, 0),
		FSETP(GTU, ONE, ONE, 0),
		FSETP(GEU, NAN_F, ONE, 1),
		FSETP(EQU, NAN_F, ONE, 1),
		FSETP(LEU, 0, ONE, 1),
		FSETP(T, NAN_F, NAN_F, 1),
		FSETP(F, 0, 0, 0),
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
		F(DADD, 0, 0, UINT64_C(0x7ff8000000000123), UINT64_C(0x7ff8000000000456), 0,
		  UINT64_C(0x7ff8000000000123)),
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
		U(RCP, 0x40000000, 0x3f000000),
		U(RCP, 0, INF32),
		U(RCP, 0x80000000, 0xff800000),
		U(RCP, INF32, 0),
		U(RCP, 0xff800000, 0x80000000),
		U(RCP, 0x7f800001, NAN_F),
		U(RCP, 1, INF32),
		U(RCP, 0x40400000, 0x3eaaaaab),
		U(RSQ, 0x40800000, 0x3f000000),
		U(RSQ, 0, INF32),
		U(RSQ, 0x80000000, 0xff800000),
		U(RSQ, 0xbf800000, NAN_F),
		U(RSQ, INF32, 0),
		U(SQRT, 0x40800000, 0x40000000),
		U(SQRT, 0x80000000, 0x80000000),
		U(SQRT, 0xbf800000, NAN_F),
		U(SQRT, INF32, INF32),
		U(EX2, 0, ONE),
		U(EX2, 0x40400000, 0x41000000),
		U(EX2, 0x3f000000, 0x3fb504f3),
		U(EX2, 0xff800000, 0),
		U(EX2, INF32, INF32),
		U(EX2, 0xc3150000 /* -149 */, 1),
		U(EX2, 0xc3160000 /* -150 */, 0),
		U(EX2, 0x43000000 /* 128 */, INF32),
		U(EX2, NAN_F, NAN_F),
		U(LG2, 0x41000000, 0x40400000),
		U(LG2, ONE, 0),
		U(LG2, 0x3f000000, 0xbf800000),
		U(LG2, 0, 0xff800000),
		U(LG2, 0x80000000, 0xff800000),
		U(LG2, 0xbf800000, NAN_F),
		U(LG2, INF32, INF32),
		U(LG2, 1, 0xc3150000),
		U(SIN, 0, 0),
		U(SIN, 0x80000000, 0x80000000),
		U(SIN, INF32, NAN_F),
		U(SIN, 0x3e800000, ONE),
		U(SIN, 0x3f000000, 0),
		U(COS, 0, ONE),
		U(COS, 0x3f000000, 0xbf800000),
		U(COS, NAN_F, NAN_F),
		U(COS, 0xff800000, NAN_F),
		U(TANH, 0, 0),
		U(TANH, INF32, ONE),
		U(TANH, 0xff800000, 0xbf800000),
		U(TANH, ONE, 0x3f42f7d6),
		U(TANH, 0x80000001, 0x80000001),
		U(TANH, NAN_F, NAN_F),
		F(MUFU, M(MUFUFN, HD_MUFU_RCP) | M(FTZ, 1), 0, 0, 1, 0, INF32),
		F(MUFU, M(MUFUFN, HD_MUFU_RCP) | M(FTZ, 1), 0, 0, 0x7f000000, 0, 0),
		F(MUFU, M(MUFUFN, HD_MUFU_SQRT), HD_ABS_B, 0, 0xc0800000, 0, 0x40000000),
		F(MUFU, M(MUFUFN, HD_MUFU_RCP), HD_NEG_B, 0, 0x40000000, 0, 0xbf000000),
		U(RCP64H, 0x40080000, 0x3fd55555),
		U(RCP64H, 0, 0x7ff00000),
		U(RCP64H, 0x80000000, 0xfff00000),
		U(RCP64H, 0x7ff00000, 0),
		U(RCP64H, 0x7ff80000, 0x7fffffff),
		U(RSQ64H, 0x40100000, 0x3fe00000),
		U(RSQ64H, 0xbff00000, 0x7fffffff),
		U(RSQ64H, 0x40080000, 0x3fe279a7),
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

static double sine_of_turns(double x)
{
	return sin(6.283185307179586 * x);
}

static double cosine_of_turns(double x)
{
	return cos(6.283185307179586 * x);
}

/* Against the host's library in double precision: at most 2 units in the last place. */
START_TEST(special_functions_are_accurate)
{
	struct lab *lab = lab_bare();
	static double (*const reference[])(double) = {[HD_MUFU_SIN] = sine_of_turns,
						      [HD_MUFU_COS] = cosine_of_turns,
						      [HD_MUFU_EX2] = exp2,
						      [HD_MUFU_LG2] = log2,
						      [HD_MUFU_TANH] = tanh};
	double worst = 0;
	for (unsigned fn = HD_MUFU_SIN; fn <= HD_MUFU_TANH; fn++)
		for (uint32_t i = 0; i < 20000; i++) {
			float x = fn == HD_MUFU_LG2 ? (float)(i + 1) * 0.01f : ((float)i - 10000.0f) * 0.0011f;
			uint32_t bits;
			memcpy(&bits, &x, 4);
			struct hd_inst inst = lab_imm(HD_OP_MUFU, 0, HD_RZ, bits);
			inst.mods = M(MUFUFN, fn);
			lab_execute(lab, &inst, HD_LEVEL_BASE, HD_FULL);
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
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0xbfc00000, 0xffffffff),
		CVT(F2I, S32, F32, M(RND, HD_RM), 0xbfc00000, 0xfffffffe),
		CVT(F2I, S32, F32, M(RND, HD_RP), 0x3fa00000, 2),
		CVT(F2I, S32, F32, M(RND, HD_RN), 0x3fc00000, 2),
		CVT(F2I, S32, F32, M(RND, HD_RN), 0x40200000, 2),
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0x4f000000, 0x7fffffff),
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0xcf000000, 0x80000000),
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), 0xff800000, 0x80000000),
		CVT(F2I, S32, F32, M(RND, HD_RND_RZ), NAN_F, 0),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0xbf800000, 0),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x4f7fffff, 0xffffff00),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x4f800000, 0xffffffff),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x4f000000, 0x80000000),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), NAN_F, 0),
		CVT(F2I, U32, F32, M(RND, HD_RND_RZ), 0x3ff33333, 1),
		CVT(F2I, S8, F32, M(RND, HD_RND_RZ), 0x43480000, 127),
		CVT(F2I, S8, F32, M(RND, HD_RND_RZ), 0xc3480000, 0xffffff80),
		CVT(F2I, U8, F32, M(RND, HD_RND_RZ), 0x43c80000, 255),
		CVT(F2I, U16, F32, M(RND, HD_RND_RZ), 0x47c35000, 65535),
		CVT(F2I, S16, F32, M(RND, HD_RND_RZ), 0xc7c35000, 0xffff8000),
		CVT(F2I, S64, F32, M(RND, HD_RND_RZ), 0xd0000000, UINT64_C(0xfffffffe00000000)),
		CVT(F2I, U64, F32, M(RND, HD_RND_RZ), INF32, UINT64_MAX),
		CVT(F2I, S64, F64, M(RND, HD_RN), UINT64_C(0x4004000000000000), 2),
		CVT(F2I, S64, F64, M(RND, HD_RND_RZ), UINT64_C(0xc3e0000000000000), UINT64_C(0x8000000000000000)),
		CVT(F2I, S64, F64, M(RND, HD_RND_RZ), UINT64_C(0x43e0000000000000), INT64_MAX),
		CVT(F2I, S64, F32, M(RND, HD_RND_RZ), NAN_F, UINT64_C(0x8000000000000000)),
		CVT(F2I, U64, F16, M(RND, HD_RND_RZ), 0x7e00, UINT64_C(0x8000000000000000)),
		CVT(F2I, S32, F64, M(RND, HD_RND_RZ), UINT64_C(0x7ff8000000000000), 0x80000000),
		CVT(F2I, S32, F16, M(RND, HD_RND_RZ), 0x4200, 3),
		CVT(F2I, S32, F32, M(RND, HD_RP) | M(FTZ, 1), 1, 0),
		CVT(F2I, S32, F32, M(RND, HD_RP), 1, 1),
		CVT(F2I, S32, F64, M(RND, HD_RND_RZ), UINT64_C(0xc1dfffffffc00000), 0x80000001),
		CVT(I2F, F32, S32, 0, 0xffffffff, 0xbf800000),
		CVT(I2F, F32, U32, 0, 0xffffffff, 0x4f800000),
		CVT(I2F, F32, U32, M(RND, HD_RND_RZ), 0xffffffff, 0x4f7fffff),
		CVT(I2F, F32, S32, M(RND, HD_RP), 16777217, 0x4b800001),
		CVT(I2F, F32, S32, 0, 16777217, 0x4b800000),
		CVT(I2F, F32, S8, 0, 0x1ff, 0xbf800000),
		CVT(I2F, F32, U8, 0, 0x1ff, 0x437f0000),
		CVT(I2F, F32, S16, 0, 0x18000, 0xc7000000),
		CVT(I2F, F64, S32, 0, 0x80000000, UINT64_C(0xc1e0000000000000)),
		CVT(I2F, F64, U32, 0, 0x80000000, UINT64_C(0x41e0000000000000)),
		CVT(I2F, F64, U64, 0, UINT64_MAX, UINT64_C(0x43f0000000000000)),
		CVT(I2F, F64, U64, M(RND, HD_RND_RZ), UINT64_MAX, UINT64_C(0x43efffffffffffff)),
		CVT(I2F, F32, S64, 0, UINT64_MAX, 0xbf800000),
		CVT(I2F, F16, S32, 0, 65519, 0x7bff),
		CVT(I2F, F16, S32, 0, 65520, 0x7c00),
		CVT(I2F, F16, U32, 0, 3, 0x4200),
		CVT(I2F, F32, S64, 0, UINT64_C(0x8000000000000000), 0xdf000000),
		CVT(I2F, BF16, S32, 0, 257, 0x4380),
		CVT(F2F, F64, F32, 0, 0x3f800000, D1),
		CVT(F2F, F64, F32, 0, 1, UINT64_C(0x36a0000000000000)),
		CVT(F2F, F64, F32, 0, 0x7f800001, UINT64_C(0x7ff8000020000000)),
		CVT(F2F, F32, F64, 0, D1, ONE),
		CVT(F2F, F32, F64, 0, UINT64_C(0x3ff0000010000000), ONE),
		CVT(F2F, F32, F64, 0, UINT64_C(0x3ff0000030000000), 0x3f800002),
		CVT(F2F, F32, F64, M(RND, HD_RP), UINT64_C(0x3ff0000000000001), 0x3f800001),
		CVT(F2F, F32, F64, M(RND, HD_RND_RZ), UINT64_C(0x7fe0000000000000), 0x7f7fffff),
		CVT(F2F, F32, F64, 0, UINT64_C(0x7fe0000000000000), INF32),
		CVT(F2F, F32, F64, 0, UINT64_C(0xfff0000000000001), 0xffc00000),
		/* NaNs as an H100 converts them */
		CVT(F2F, F32, F64, M(RND, HD_RM), UINT64_C(0x7ff8000020000000), 0x7fc00001),
		CVT(F2F, F16, F64, 0, UINT64_C(0xfff8000020000000), 0xfe00),
		CVT(F2F, BF16, F64, 0, UINT64_C(0xfff8000020000000), 0xffc0),
		CVT(F2F, F32, BF16, 0, 0x7fdf, 0x7fdf0000),
		CVT(F2F, F64, BF16, 0, 0x7fdf, UINT64_C(0x7ffbe00000000000)),
		CVT(F2F, F16, BF16, 0, 0x7fdf, 0x7fff),
		CVT(FRND, F64, F64, 0, UINT64_C(0xfff8000020000000), UINT64_C(0xfff8000020000000)),
		CVT(F2I, S8, F64, 0, UINT64_C(0x7ff8000000000000), 0xffffff80),
		CVT(F2I, U8, F64, 0, UINT64_C(0x7ff8000000000000), 0x80),
		CVT(F2F, F32, F64, 0, UINT64_C(0x36a0000000000000), 1),
		CVT(F2F, F32, F64, M(FTZ, 1), UINT64_C(0x36a0000000000000), 0),
		CVT(F2F, F32, F64, 0, UINT64_C(0x3690000000000000), 0),
		CVT(F2F, F32, F64, 0, UINT64_C(0x3690000000000001), 1),
		CVT(F2F, F16, F32, 0, ONE, 0x3c00),
		CVT(F2F, F16, F32, 0, 0x477fe000, 0x7bff),
		CVT(F2F, F16, F32, 0, 0x477ff000, 0x7c00),
		CVT(F2F, F16, F32, 0, 0x33800000, 1),
		CVT(F2F, F16, F32, 0, 0x33000000, 0),
		CVT(F2F, F16, F32, 0, 0x33000001, 1),
		CVT(F2F, F16, F32, 0, NAN_F, 0x7fff),
		CVT(F2F, F16, F32, 0, 0xff800000, 0xfc00),
		CVT(F2F, F32, F16, 0, 0x8001, 0xb3800000),
		CVT(F2F, F32, F16, 0, 0x7bff, 0x477fe000),
		CVT(F2F, F32, BF16, 0, 0x3fc0, 0x3fc00000),
		CVT(F2F, BF16, F32, 0, 0x3f808000, 0x3f80),
		CVT(F2F, BF16, F32, 0, 0x3f818000, 0x3f82),
		CVT(F2F, F32, F32, M(SAT, 1), 0x40000000, ONE),
		CVT(F2F, F32, F32, M(SAT, 1), 0xbf800000, 0),
		CVT(F2F, F32, F32, M(SAT, 1), NAN_F, 0),
		CVT(F2F, F32, F32, M(SAT, 1), 0x3f000000, 0x3f000000),
		CVT(F2F, F16, F64, 0, D1, 0x3c00),
		CVT(F2F, F64, F16, 0, 0x3c00, D1),
		CVT(F2F, F32, F32, M(FTZ, 1), 0x80000001, 0x80000000),
		CVT(FRND, F32, F32, M(RND, HD_RN), 0x40200000, 0x40000000),
		CVT(FRND, F32, F32, M(RND, HD_RN), 0x3fc00000, 0x40000000),
		CVT(FRND, F32, F32, M(RND, HD_RM), 0xbf000000, 0xbf800000),
		CVT(FRND, F32, F32, M(RND, HD_RP), 0xbf000000, 0x80000000),
		CVT(FRND, F32, F32, M(RND, HD_RND_RZ), 0xbfc00000, 0xbf800000),
		CVT(FRND, F32, F32, M(RND, HD_RP), 1, ONE),
		CVT(FRND, F32, F32, M(RND, HD_RP) | M(FTZ, 1), 1, 0),
		CVT(FRND, F32, F32, 0, 0x4b000001, 0x4b000001),
		CVT(FRND, F32, F32, 0, 0x4affffff, 0x4b000000),
		CVT(FRND, F32, F32, 0, INF32, INF32),
		CVT(FRND, F32, F32, 0, 0xff800001, NAN_F),
		CVT(FRND, F64, F64, M(RND, HD_RM), UINT64_C(0xbfe0000000000000), UINT64_C(0xbff0000000000000)),
		CVT(FRND, F64, F64, M(RND, HD_RN), UINT64_C(0x4004000000000000), D2),
		CVT(FRND, F64, F64, M(RND, HD_RND_RZ), UINT64_C(0x3fefffffffffffff), 0),
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
	static const uint32_t edge[] = {0,	    1,		0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000,
					0xff800000, 0x7f800001, 0x00800000, 0x007fffff, 0x3f800000, 0x7ff00000,
					0x7ff80000, 0x4b000000, 31,	    32};
	uint32_t value = next_random();
	return value & 0x100 ? edge[value % 16] : next_random();
}

START_TEST(all_builds_agree)
{
	struct lab *lab = lab_bare();
	static uint32_t before[16][32], after[16][32];
	uint32_t preds[8], tried = 0;
	for (int round = 0; round < 60000; round++) {
		enum hd_op op = (next_random() % HD_OP_COUNT);
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
		if (info->effects & (HD_FX_LOAD | HD_FX_STORE) || hd_inst_check(&inst) || !hd_exec_resolve(&inst, 0))
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
			lab_execute(lab, &inst, level, mask);
			char text[128];
			hd_inst_format(&inst, text, sizeof(text));
			if (level == 0) {
				memcpy(after, lab->warp.regs, sizeof(after));
				predicate = lab->warp.preds[2];
			}
			ck_assert_msg(memcmp(after, lab->warp.regs, sizeof(after)) == 0, "%s differs at level %d", text,
				      level);
			ck_assert_msg(predicate == lab->warp.preds[2], "%s predicate differs at level %d", text, level);
		}
	}
	ck_assert_uint_gt(tried, 5000);
	lab_free(lab);
}
END_TEST

/* ---- sources that change places */

static bool is_nan64(uint32_t low, uint32_t high)
{
	return ((uint64_t)(high & 0x7fffffff) << 32 | low) > UINT64_C(0x7ff0000000000000);
}

/* Executes the instruction, and itself with a and `with` exchanged. In how many lanes the results are different. */
static uint32_t count_differences(struct lab *lab, const struct hd_inst *inst, const struct hd_inst *swapped)
{
	bool wide = hd_opinfo[inst->op].number == HD_N_D;
	uint32_t differ = 0, predicate;
	uint32_t result[2][HD_WARP_LANES];
	for (unsigned reg = 4; reg < 16; reg++)
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			lab->warp.regs[reg][lane] = interesting();
	for (unsigned i = 0; i < 2; i++)
		lab->warp.preds[i] = next_random();
	lab->warp.preds[2] = 0;
	lab_execute(lab, inst, 0, HD_FULL);
	memcpy(result, lab->warp.regs[0], sizeof(result));
	predicate = lab->warp.preds[2];
	lab->warp.preds[2] = 0;
	lab_execute(lab, swapped, 0, HD_FULL);
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
		/* Any NaN is passed on by a double. */
		bool nans = wide && is_nan64(lab->warp.regs[0][lane], lab->warp.regs[1][lane]) &&
			    is_nan64(result[0][lane], result[1][lane]);
		bool same = result[0][lane] == lab->warp.regs[0][lane] && result[1][lane] == lab->warp.regs[1][lane];
		differ += (!same && !nans) || (predicate ^ lab->warp.preds[2]) >> lane & 1;
	}
	return differ;
}

static uint16_t random_mods(const struct hd_opinfo *info)
{
	uint16_t mods = 0;
	for (unsigned kind = 0; kind < HD_MOD_COUNT; kind++)
		for (unsigned bit = 0; bit < 16; bit++)
			if (info->mods >> kind & 1 && hd_mod_get((uint16_t)(1u << bit), (enum hd_mod_kind)kind))
				mods |= (uint16_t)(next_random() & 1u << bit);
	return mods;
}

/* Lanes that an exchange of a and b, or of a and c, changes in random executions; UINT32_MAX: there is none to make. */
static uint32_t differences_of(struct lab *lab, enum hd_op op, enum hd_slot with, bool *claimed)
{
	const struct hd_opinfo *info = &hd_opinfo[op];
	uint32_t differ = 0, tried = 0;
	if (!info->a || info->a != (with == HD_SLOT_B ? info->b : info->c) || info->effects)
		return UINT32_MAX;
	*claimed = hd_op_swap(op, with, &(uint16_t){0});
	for (int round = 0; round < 4000; round++) {
		struct op_case test = {.op = op, .mods = random_mods(info)};
		uint8_t allowed = (uint8_t)((info->srcmods & HD_SM_NEG ? HD_NEG_A | HD_NEG_B : 0) |
					    (info->srcmods & HD_SM_ABS ? HD_ABS_A | HD_ABS_B : 0) |
					    (info->srcmods & HD_SM_NEG && info->c ? HD_NEG_C : 0));
		test.srcmods = (uint8_t)(next_random() & allowed);
		struct hd_inst inst = case_inst(&test);
		/* Carries and the like go with some modifiers only. */
		if (next_random() & 64)
			inst.pdst = HD_PT;
		if (next_random() & 64)
			inst.psrc = inst.psrc2 = HD_PT;
		if (with == HD_SLOT_B && next_random() & 64)
			inst.c = HD_RZ;
		if (hd_inst_check(&inst) || !hd_exec_resolve(&inst, 0))
			continue;
		struct hd_inst other = inst;
		hd_op_swap(op, with, &other.mods);
		ck_assert_ptr_null(hd_inst_check(&other));
		other.a = with == HD_SLOT_B ? inst.b : inst.c;
		*(with == HD_SLOT_B ? &other.b : &other.c) = inst.a;
		uint8_t c =
			(uint8_t)((inst.srcmods & ~(HD_NEG_A | HD_NEG_C)) | (inst.srcmods & HD_NEG_A ? HD_NEG_C : 0) |
				  (inst.srcmods & HD_NEG_C ? HD_NEG_A : 0));
		other.srcmods = with == HD_SLOT_B ? hd_srcmods_swap(inst.srcmods) : c;
		differ += count_differences(lab, &inst, &other);
		tried++;
	}
	ck_assert_msg(tried > 100, "%s: %u tried", info->name, tried);
	return differ;
}

/* The table's column is what execution shows: of every opcode, in both directions. */
START_TEST(sources_change_places_as_the_table_says)
{
	struct lab *lab = lab_bare();
	uint32_t claims = 0;
	for (unsigned op = 0; op < HD_OP_COUNT; op++)
		for (unsigned with = HD_SLOT_B; with <= HD_SLOT_C; with++) {
			bool claimed = false;
			uint32_t differ = differences_of(lab, op, (enum hd_slot)with, &claimed);
			claims += claimed;
			ck_assert_msg(differ == UINT32_MAX || claimed == !differ,
				      "%s, a and %s: the table says %d, %u lanes differ", hd_opinfo[op].name,
				      with == HD_SLOT_B ? "b" : "c", claimed, differ);
		}
	ck_assert_uint_gt(claims, 15);
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
					   sources_change_places_as_the_table_says,
					   NULL,
				   });
}
