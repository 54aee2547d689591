/*
 * Selection: NVVM arithmetic and conversions, whose names spell the rounding (.rn .rz .rm .rp),
 * denormals as zero (.ftz) and the type (.f .d): llvm.nvvm.fma.rn.ftz.f, llvm.nvvm.d2i.rz, ...
 */
#include <math.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "passes/select/select.h"

static bool has_part(const char *name, const char *part)
{
	size_t length = strlen(part);
	for (const char *at = name; (at = strstr(at, part)); at += length)
		if (at > name && at[-1] == '.' && (at[length] == '.' || !at[length]))
			return true;
	return false;
}

static uint16_t rounding(const char *name)
{
	return HD_MOD(RND, has_part(name, "rz")	  ? HD_RND_RZ
			   : has_part(name, "rm") ? HD_RM
			   : has_part(name, "rp") ? HD_RP
						  : HD_RN);
}

static LLVMTypeKind checked_kind(struct hd_select *sel)
{
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(sel->inst));
	if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
		hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
	return kind;
}

static uint16_t fp_mods(struct hd_select *sel, LLVMTypeKind kind)
{
	return HD_MOD(FTZ, kind == LLVMFloatTypeKind && has_part(hd_sel_nvvm_name(sel), "ftz"));
}

static void arithmetic(struct hd_select *sel, unsigned op)
{
	LLVMTypeKind kind = checked_kind(sel);
	LLVMValueRef args[3] = {NULL, NULL, NULL};
	if (sel->failed)
		return;
	for (unsigned i = 0; i < (op == HD_FP_FMA ? 3 : 2); i++)
		args[i] = LLVMGetOperand(sel->inst, i);
	hd_sel_define1(sel, hd_sel_fp_op(sel, op, kind,
					 fp_mods(sel, kind) | rounding(hd_sel_nvvm_name(sel)) |
						 HD_MOD(SAT, kind == LLVMFloatTypeKind &&
								     has_part(hd_sel_nvvm_name(sel), "sat")),
					 args));
}

static void minmax(struct hd_select *sel, unsigned max)
{
	LLVMTypeKind kind = checked_kind(sel);
	if (sel->failed)
		return;
	if (has_part(hd_sel_nvvm_name(sel), "xorsign")) {
		hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	LLVMValueRef args[2];
	args[0] = LLVMGetOperand(sel->inst, 0);
	args[1] = LLVMGetOperand(sel->inst, 1);
	hd_sel_define1(sel, hd_sel_fp_op(sel, HD_FP_MINMAX, kind,
					 fp_mods(sel, kind) | HD_MOD(MINMAX, max) |
						 HD_MOD(NAN, has_part(hd_sel_nvvm_name(sel), "nan")),
					 args));
}

static void absolute(struct hd_select *sel, unsigned arg)
{
	LLVMTypeKind kind = checked_kind(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	(void)arg;
	if (fp_mods(sel, kind)) { /* an addition flushes the denormals */
		struct hd_opnd x = hd_sel_word(sel, &value, 0);

		x = hd_reg(hd_sel_opnd_reg(sel, x, 1));
		x.abs = true;
		hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_FADD, HD_MOD(FTZ, 1), x, hd_imm(0x80000000u), hd_none()));
		return;
	}
	hd_sel_define1(sel, hd_sel_sign(sel, value, kind, HD_LUT_A & HD_LUT_B, 0x7fffffff));
}

static void integral(struct hd_select *sel, unsigned mode)
{
	LLVMTypeKind kind = checked_kind(sel);
	unsigned type = hd_float_type(kind);
	hd_sel_define1(sel, hd_sel_convert(sel, HD_OP_FRND, type, type, HD_MOD(RND, mode) | fp_mods(sel, kind),
					   hd_sel_arg(sel, 0)));
}

static void saturate(struct hd_select *sel, unsigned arg)
{
	LLVMTypeKind kind = checked_kind(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	(void)arg;
	if (kind == LLVMDoubleTypeKind) {
		hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_FADD, HD_MOD(SAT, 1) | fp_mods(sel, kind),
					  hd_sel_word(sel, &value, 0), hd_imm(0x80000000u), hd_none()));
}

/* ------------------------------------------------------------------ special functions */

static void special_function(struct hd_select *sel, unsigned function)
{
	LLVMTypeKind kind = checked_kind(sel);
	struct hd_leaf value = hd_sel_arg(sel, 0);
	if (kind == LLVMDoubleTypeKind) {
		/* The high word alone, denormals as zero: a seed for the iterations of the caller. */
		unsigned wide = function == HD_MUFU_RCP ? HD_MUFU_RCP64H : HD_MUFU_RSQ64H;

		if (function != HD_MUFU_RCP && function != HD_MUFU_RSQ) {
			hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
			return;
		}
		struct hd_leaf high = hd_sel_mufu(sel, wide, hd_sel_word(sel, &value, 1), false);
		hd_sel_define_reg(sel, hd_sel_pair(sel, hd_rz(), hd_sel_word(sel, &high, 0)));
		return;
	}
	struct hd_opnd operand = hd_sel_float(sel, LLVMGetOperand(sel->inst, 0), HD_SM_NEG | HD_SM_ABS);
	bool ftz = has_part(hd_sel_nvvm_name(sel), "ftz");
	hd_sel_define1(sel, hd_sel_mufu(sel, function, operand, ftz));
}

static void approximate_division(struct hd_select *sel, unsigned full)
{
	struct hd_opnd top = hd_sel_float(sel, LLVMGetOperand(sel->inst, 0), HD_SM_NEG);
	struct hd_opnd bottom = hd_sel_float(sel, LLVMGetOperand(sel->inst, 1), HD_SM_NEG);
	hd_sel_define_reg(sel, hd_sel_quotient(sel, top, bottom, full, has_part(hd_sel_nvvm_name(sel), "ftz")));
}

/* ------------------------------------------------------------------ conversions */

#define CONVERSION(op, to, from) ((unsigned)(op) << 16 | (unsigned)(to) << 8 | (unsigned)(from))

static void conversion(struct hd_select *sel, unsigned arg)
{
	unsigned op = arg >> 16, to = arg >> 8 & 0xff, from = arg & 0xff;
	bool ftz = has_part(hd_sel_nvvm_name(sel), "ftz") && op != HD_OP_I2F;
	if (has_part(hd_sel_nvvm_name(sel), "relu")) {
		hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	hd_sel_define1(sel, hd_sel_convert(sel, op, to, from, rounding(hd_sel_nvvm_name(sel)) | HD_MOD(FTZ, ftz),
					   hd_sel_arg(sel, 0)));
}

const struct hd_intrinsic hd_nvvm_fp_intrinsics[] = {
	{"nvvm.fma", arithmetic, HD_FP_FMA},
	{"nvvm.add", arithmetic, HD_FP_ADD},
	{"nvvm.mul", arithmetic, HD_FP_MUL},
	{"nvvm.fmin", minmax, HD_MIN},
	{"nvvm.fmax", minmax, HD_MAX},
	{"nvvm.fabs", absolute, 0},
	{"nvvm.floor", integral, HD_RM},
	{"nvvm.ceil", integral, HD_RP},
	{"nvvm.trunc", integral, HD_RND_RZ},
	{"nvvm.round", integral, HD_RN},
	{"nvvm.saturate", saturate, 0},
	{"nvvm.rcp.approx", special_function, HD_MUFU_RCP},
	{"nvvm.rsqrt.approx", special_function, HD_MUFU_RSQ},
	{"nvvm.sqrt.approx", special_function, HD_MUFU_SQRT},
	{"nvvm.sin.approx", special_function, HD_MUFU_SIN},
	{"nvvm.cos.approx", special_function, HD_MUFU_COS},
	{"nvvm.ex2.approx", special_function, HD_MUFU_EX2},
	{"nvvm.lg2.approx", special_function, HD_MUFU_LG2},
	{"nvvm.tanh.approx", special_function, HD_MUFU_TANH},
	{"nvvm.div.approx", approximate_division, 0},
	{"nvvm.div.full", approximate_division, 1},
	{"nvvm.d2f", conversion, CONVERSION(HD_OP_F2F, HD_F32, HD_F64)},
	{"nvvm.f2h", conversion, CONVERSION(HD_OP_F2F, HD_F16, HD_F32)},
	{"nvvm.f2bf16", conversion, CONVERSION(HD_OP_F2F, HD_BF16, HD_F32)},
	{"nvvm.f2i", conversion, CONVERSION(HD_OP_F2I, HD_S32, HD_F32)},
	{"nvvm.f2ui", conversion, CONVERSION(HD_OP_F2I, HD_U32, HD_F32)},
	{"nvvm.f2ll", conversion, CONVERSION(HD_OP_F2I, HD_S64, HD_F32)},
	{"nvvm.f2ull", conversion, CONVERSION(HD_OP_F2I, HD_U64, HD_F32)},
	{"nvvm.d2i", conversion, CONVERSION(HD_OP_F2I, HD_S32, HD_F64)},
	{"nvvm.d2ui", conversion, CONVERSION(HD_OP_F2I, HD_U32, HD_F64)},
	{"nvvm.d2ll", conversion, CONVERSION(HD_OP_F2I, HD_S64, HD_F64)},
	{"nvvm.d2ull", conversion, CONVERSION(HD_OP_F2I, HD_U64, HD_F64)},
	{"nvvm.i2f", conversion, CONVERSION(HD_OP_I2F, HD_F32, HD_S32)},
	{"nvvm.ui2f", conversion, CONVERSION(HD_OP_I2F, HD_F32, HD_U32)},
	{"nvvm.ll2f", conversion, CONVERSION(HD_OP_I2F, HD_F32, HD_S64)},
	{"nvvm.ull2f", conversion, CONVERSION(HD_OP_I2F, HD_F32, HD_U64)},
	{"nvvm.i2d", conversion, CONVERSION(HD_OP_I2F, HD_F64, HD_S32)},
	{"nvvm.ui2d", conversion, CONVERSION(HD_OP_I2F, HD_F64, HD_U32)},
	{"nvvm.ll2d", conversion, CONVERSION(HD_OP_I2F, HD_F64, HD_S64)},
	{"nvvm.ull2d", conversion, CONVERSION(HD_OP_I2F, HD_F64, HD_U64)},
	{NULL, NULL, 0},
};
