/*
 * Functional execution: MUFU. The functions are those of lib/machine/mufu.h.
 *
 * SIN and COS take turns: sin(2 pi x), as on cards since Volta. Special cases are PTX's. Without
 * .FTZ denormals are honoured. RCP64H and RSQ64H map the high word of a double to the high word of its
 * reciprocal or reciprocal root, rounded to those 20 fraction bits, denormals flushed.
 */
#include "heddle/opcodes.h"
#include "lib/machine/mufu.h"
#include "runtime/exec/exec.h"

/* Operand with modifiers as `a` (words) and `x` (doubles). */
#define DEFINE_OPERAND(a, x)               \
	HD_DEFINE_B(a);                    \
	if (inst->inst.srcmods & HD_ABS_B) \
		a &= ~HD_MUFU_SIGN;        \
	if (inst->inst.srcmods & HD_NEG_B) \
		a ^= HD_MUFU_SIGN;         \
	if (HD_MODIFIER(FTZ))              \
		a = HD_MUFU_FLUSHED(a);    \
	hd_f64s x = __builtin_convertvector((hd_f32s)a, hd_f64s)

#define FINISH(value)                                               \
	do {                                                        \
		HD_MUFU_ROUND(finished_, (value), HD_MODIFIER(FTZ)); \
		HD_STORE(finished_);                                \
	} while (0)

#define DEFINE_OPERATION(name, FUNCTION) \
	HD_EXEC(name)                    \
	{                                \
		DEFINE_OPERAND(a, x);    \
		FUNCTION(value, x);      \
		FINISH(value);           \
	}

DEFINE_OPERATION(op_rcp, HD_MUFU_RCP_OF)
DEFINE_OPERATION(op_rsq, HD_MUFU_RSQ_OF)
DEFINE_OPERATION(op_sqrt, HD_MUFU_SQRT_OF)
DEFINE_OPERATION(op_ex2, HD_MUFU_EX2_OF)
DEFINE_OPERATION(op_lg2, HD_MUFU_LG2_OF)
DEFINE_OPERATION(op_sin, HD_MUFU_SIN_OF)
DEFINE_OPERATION(op_cos, HD_MUFU_COS_OF)

/* 1 - 2 / (e^2x + 1); near zero its series, where the difference would cancel. */
HD_EXEC(op_tanh)
{
	DEFINE_OPERAND(a, x);
	hd_f64s original = x;
	HD_MUFU_CLAMP(x, 40.0);
	hd_f64s doubled = x * 2.8853900817779268147;
	HD_MUFU_POWER(power, doubled);
	hd_f64s result = 1.0 - 2.0 / (power + 1.0);
	hd_f64s near = x - x * x * x * (1.0 / 3) + x * x * x * x * x * (2.0 / 15);
	result = __builtin_elementwise_abs(x) < 0.0009765625 ? near : result;
	FINISH(original != original ? original : x == 0.0 ? original : result);
}

/* High word of the result: rounded to nearest, a denormal result flushed. */
#define FINISH_HIGH(x, value)                                                                        \
	do {                                                                                         \
		hd_f64s value_ = (value);                                                            \
		hd_u64s bits_ = (hd_u64s)value_;                                                     \
		hd_u64s magnitude_ = bits_ & UINT64_C(0x7fffffffffffffff);                           \
		hd_u64s rounded_ = (bits_ + 0x80000000u) >> 32;                                      \
		rounded_ = magnitude_ >= UINT64_C(0x7fe0000000000000) ? bits_ >> 32 : rounded_;      \
		rounded_ = magnitude_ < UINT64_C(0x0010000000000000) ? bits_ >> 63 << 31 : rounded_; \
		rounded_ = value_ != value_ ? (hd_u64s)UINT64_C(0x7fffffff) : rounded_;              \
		HD_STORE(__builtin_convertvector(rounded_, hd_u32s));                                \
	} while (0)

#define DEFINE_HIGH(x)                                                           \
	HD_DEFINE_B(x##_word);                                                   \
	if (inst->inst.srcmods & HD_ABS_B)                                       \
		x##_word &= ~HD_MUFU_SIGN;                                             \
	if (inst->inst.srcmods & HD_NEG_B)                                       \
		x##_word ^= HD_MUFU_SIGN;                                              \
	x##_word = (x##_word & 0x7ff00000u) == 0 ? x##_word & HD_MUFU_SIGN : x##_word; \
	hd_f64s x = (hd_f64s)(__builtin_convertvector(x##_word, hd_u64s) << 32)

HD_EXEC(op_rcp64h)
{
	DEFINE_HIGH(x);
	FINISH_HIGH(x, 1.0 / x);
}

HD_EXEC(op_rsq64h)
{
	DEFINE_HIGH(x);
	FINISH_HIGH(x, 1.0 / __builtin_elementwise_sqrt(x));
}

const struct hd_exec_clones *hd_exec_mufu_find(const struct hd_inst *inst)
{
	static const struct hd_exec_clones *const functions[16] = {
		[HD_MUFU_RCP] = &op_rcp,       [HD_MUFU_RSQ] = &op_rsq,	  [HD_MUFU_SQRT] = &op_sqrt,
		[HD_MUFU_SIN] = &op_sin,       [HD_MUFU_COS] = &op_cos,	  [HD_MUFU_EX2] = &op_ex2,
		[HD_MUFU_LG2] = &op_lg2,       [HD_MUFU_TANH] = &op_tanh, [HD_MUFU_RCP64H] = &op_rcp64h,
		[HD_MUFU_RSQ64H] = &op_rsq64h,
	};
	return inst->op == HD_OP_MUFU ? functions[hd_mod_get(inst->mods, HD_MOD_MUFUFN)] : NULL;
}
