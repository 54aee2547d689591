/*
 * Inline PTX: floating point. A pair of 16-bit floats is one instruction, as one alone is.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

LLVMTypeKind hd_ptx_kind(struct hd_ptx_type type)
{
	return type.class == 'h'   ? LLVMHalfTypeKind
	       : type.class == 'g' ? LLVMBFloatTypeKind
	       : type.bits == 64   ? LLVMDoubleTypeKind
				   : LLVMFloatTypeKind;
}

struct hd_leaf hd_ptx_float_minmax(struct hd_ptx *ptx, struct hd_ptx_type type, bool max)
{
	struct hd_select *sel = ptx->sel;
	uint16_t mods = HD_MOD(MINMAX, max) | HD_MOD(FTZ, hd_ptx_has(ptx, "ftz")) | HD_MOD(NAN, hd_ptx_has(ptx, "NaN"));
	LLVMTypeKind kind = type.class == 'g' ? LLVMBFloatTypeKind : LLVMHalfTypeKind;
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits), b = hd_ptx_in(ptx, 2, type.bits);
	if (type.bits == 64)
		return hd_sel_double_minmax(sel, mods & ~HD_MOD(FTZ, 1), hd_reg(hd_sel_reg(sel, a)),
					    hd_reg(hd_sel_reg(sel, b)));
	if (type.class != 'f') {
		a = hd_sel_to_f32(sel, a, kind);
		b = hd_sel_to_f32(sel, b, kind);
	}
	a = hd_leaf_reg(
		hd_sel_alu(sel, HD_OP_FMNMX, mods, hd_sel_word(sel, &a, 0), hd_sel_word(sel, &b, 0), hd_none()));
	return type.class == 'f' ? a : hd_sel_from_f32(sel, a, kind);
}

/* op: enum hd_fp_op, | 0x10 for a subtraction. */
void hd_ptx_float_op(struct hd_ptx *ptx, unsigned op)
{
	static const uint16_t opcodes[][2] = {
		[HD_FP_ADD] = {HD_OP_FADD, HD_OP_DADD},
		[HD_FP_MUL] = {HD_OP_FMUL, HD_OP_DMUL},
		[HD_FP_FMA] = {HD_OP_FFMA, HD_OP_DFMA},
	};
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	struct hd_select *sel = ptx->sel;
	unsigned count = (op & 0xf) == HD_FP_FMA ? 3 : 2;
	uint16_t mods = hd_ptx_rounding(ptx);
	uint16_t of_half = HD_MOD(FTZ, hd_ptx_has(ptx, "ftz")) | HD_MOD(SAT, hd_ptx_has(ptx, "sat"));
	struct hd_opnd o[3] = {hd_none(), hd_none(), hd_none()};
	struct hd_leaf in[3];
	for (unsigned i = 0; i < count; i++)
		in[i] = hd_ptx_in(ptx, i + 1, type.bits);
	if (ptx->failed)
		return;
	for (unsigned i = 0; i < count; i++)
		o[i] = type.bits == 64 ? hd_reg(hd_sel_reg(sel, in[i])) : hd_sel_word(sel, &in[i], 0);
	if (op & 0x10)
		o[1] = hd_neg(o[1]);
	if (type.class != 'f')
		in[0] = hd_leaf_reg(hd_sel_half_op(sel, op & 0xf, hd_ptx_kind(type), of_half, o));
	else if (type.bits == 64)
		in[0] = hd_leaf_reg(hd_sel_alu_wide(sel, opcodes[op & 0xf][1], mods, o[0], o[1], o[2]));
	else
		in[0] = hd_leaf_reg(hd_sel_alu(sel, opcodes[op & 0xf][0], mods | of_half, o[0], o[1], o[2]));
	hd_ptx_out(ptx, 0, in[0], type.bits);
}

static void special_function(struct hd_ptx *ptx, unsigned function)
{
	struct hd_select *sel = ptx->sel;
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	if (!hd_ptx_has(ptx, "approx") || (type.bits == 64 && function > HD_MUFU_RSQ)) {
		hd_ptx_error(ptx, "only the approximation is supported");
		return;
	}
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits);
	if (type.bits == 64) {
		struct hd_leaf high = hd_sel_mufu(sel, function == HD_MUFU_RCP ? HD_MUFU_RCP64H : HD_MUFU_RSQ64H,
						  hd_sel_word(sel, &a, 1), false);
		hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_pair(sel, hd_rz(), hd_sel_word(sel, &high, 0))), 64);
		return;
	}
	hd_ptx_out(ptx, 0, hd_sel_mufu(sel, function, hd_sel_word(sel, &a, 0), hd_ptx_has(ptx, "ftz")), 32);
}

static void divide(struct hd_ptx *ptx, unsigned arg)
{
	bool ftz = hd_ptx_has(ptx, "ftz");
	(void)arg;
	if (!hd_ptx_has(ptx, "approx") && !hd_ptx_has(ptx, "full")) {
		hd_ptx_error(ptx, "only .approx and .full are supported");
		return;
	}
	hd_ptx_out(ptx, 0,
		   hd_leaf_reg(hd_sel_quotient(ptx->sel, hd_ptx_word(ptx, 1), hd_ptx_word(ptx, 2),
					       hd_ptx_has(ptx, "full"), ftz)),
		   32);
}

/* copysign d, a, b: the sign of a on b. */
static void copy_sign(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_select *sel = ptx->sel;
	unsigned width = hd_ptx_type(ptx, 0).bits;
	struct hd_leaf sign = hd_ptx_in(ptx, 1, width), value = hd_ptx_in(ptx, 2, width);
	unsigned top = width == 64;
	struct hd_opnd high =
		hd_reg(hd_sel_logic(sel, (HD_LUT_A & ~HD_LUT_B) | (HD_LUT_C & HD_LUT_B),
				    hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &value, top), 1)), hd_imm(0x80000000u),
				    hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &sign, top), 1))));
	(void)arg;
	hd_ptx_out(ptx, 0, hd_leaf_reg(top ? hd_sel_pair(sel, hd_sel_word(sel, &value, 0), high) : high.reg), width);
}

#define FLOATS " rn rz rm rp ftz sat approx full NaN f16 bf16 f16x2 bf16x2 f32 f64 "

const struct hd_ptx_row hd_ptx_float[] = {
	{"rcp", FLOATS, 2, special_function, HD_MUFU_RCP, false},
	{"rsqrt", FLOATS, 2, special_function, HD_MUFU_RSQ, false},
	{"sqrt", FLOATS, 2, special_function, HD_MUFU_SQRT, false},
	{"sin", FLOATS, 2, special_function, HD_MUFU_SIN, false},
	{"cos", FLOATS, 2, special_function, HD_MUFU_COS, false},
	{"ex2", FLOATS, 2, special_function, HD_MUFU_EX2, false},
	{"lg2", FLOATS, 2, special_function, HD_MUFU_LG2, false},
	{"tanh", FLOATS, 2, special_function, HD_MUFU_TANH, false},
	{"div", FLOATS, 3, divide, 0, false},
	{"copysign", " f32 f64 ", 3, copy_sign, 0, false},
	{NULL, NULL, 0, NULL, 0, false},
};
