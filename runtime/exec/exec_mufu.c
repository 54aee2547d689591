/*
 * Functional execution: MUFU. Each function is computed in double precision from additions,
 * multiplications, divisions and square roots alone, which IEEE 754 fixes, and rounded once to
 * single precision: the same bits on every host, and within the error that CUDA documents for
 * the hardware's own (2^-20.5 to 1 ulp).
 *
 * SIN and COS take turns: sin(2 pi x), as on cards since Volta. Special cases are PTX's. Without
 * .FTZ denormals are honoured. RCP64H and RSQ64H map the high word of a double to the high word of its
 * reciprocal or reciprocal root, rounded to those 20 fraction bits, denormals flushed.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

#define NAN32 0x7fffffffu
#define SIGN32 0x80000000u
#define FLUSH32(v) ((v) & 0x7f800000u) == 0 ? (v) & SIGN32 : (v)
#define SPLATD(value) ((hd_f64s)(double)(value))
#define ROUND_TO_INTEGER 6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */

/* Operand with modifiers as `a` (words) and `x` (doubles). */
#define DEFINE_OPERAND(a, x)               \
	HD_DEFINE_B(a);                    \
	if (inst->inst.srcmods & HD_ABS_B) \
		a &= ~SIGN32;              \
	if (inst->inst.srcmods & HD_NEG_B) \
		a ^= SIGN32;               \
	if (HD_MODIFIER(FTZ))              \
		a = FLUSH32(a);            \
	hd_f64s x = __builtin_convertvector((hd_f32s)a, hd_f64s)

#define FINISH(value)                                                                                    \
	do {                                                                                             \
		hd_f32s finished_f_ = __builtin_convertvector((value), hd_f32s);                         \
		hd_u32s finished_ = finished_f_ != finished_f_ ? HD_SPLAT(NAN32) : (hd_u32s)finished_f_; \
		if (HD_MODIFIER(FTZ))                                                                    \
			finished_ = FLUSH32(finished_);                                                  \
		HD_STORE(finished_);                                                                     \
	} while (0)

HD_EXEC(op_rcp)
{
	DEFINE_OPERAND(a, x);
	FINISH(1.0 / x);
}

HD_EXEC(op_rsq)
{
	DEFINE_OPERAND(a, x);
	FINISH(1.0 / __builtin_elementwise_sqrt(x));
}

HD_EXEC(op_sqrt)
{
	DEFINE_OPERAND(a, x);
	FINISH(__builtin_elementwise_sqrt(x));
}

/* sum of k[i] * x^i, highest first. */
#define POLYNOMIAL(result, x, ...)                                                                                    \
	hd_f64s result;                                                                                               \
	do {                                                                                                          \
		static const double hd_k_[] = {__VA_ARGS__};                                                          \
		result = SPLATD(hd_k_[0]);                                                                            \
		_Pragma("clang loop unroll(full)") for (unsigned hd_i_ = 1; hd_i_ < sizeof(hd_k_) / sizeof(hd_k_[0]); \
							hd_i_++) result = result * (x) + hd_k_[hd_i_];                \
	} while (0)

/* 2^x for |x| < 1000: 2^n * e^(f ln 2) with |f| <= 1/2, Taylor to 2^-52. */
#define EXP2(result, x)                                                                                            \
	hd_f64s result;                                                                                            \
	do {                                                                                                       \
		hd_f64s shifted_ = (x) + ROUND_TO_INTEGER;                                                         \
		hd_f64s f_ = ((x) - (shifted_ - ROUND_TO_INTEGER)) * 0.69314718055994530942;                       \
		POLYNOMIAL(p_, f_, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, \
			   1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0);       \
		hd_u64s scale_ = ((hd_u64s)shifted_ + 1023) << 52;                                                 \
		result = p_ * (hd_f64s)scale_;                                                                     \
	} while (0)

/* The low 12 bits of the shifted integer survive the shift above; single precision needs |x| <= 150. */
#define CLAMP(x, limit)                      \
	x = x > (limit) ? SPLATD(limit) : x; \
	x = x < -(limit) ? SPLATD(-(limit)) : x

HD_EXEC(op_ex2)
{
	DEFINE_OPERAND(a, x);
	CLAMP(x, 300.0); /* overflows and underflows single precision all the same; a NaN passes */
	EXP2(power, x);
	FINISH(x != x ? x : power);
}

/* log2 m * 2^e = e + 2/ln 2 * artanh((m-1)/(m+1)) with m between sqrt 1/2 and sqrt 2. */
HD_EXEC(op_lg2)
{
	DEFINE_OPERAND(a, x);
	hd_u64s bits = (hd_u64s)x;
	hd_u64s offset = bits - UINT64_C(0x3fe6a09e667f3bcd); /* sqrt 1/2 */
	hd_s64s exponent = (hd_s64s)offset >> 52;
	hd_f64s m = (hd_f64s)(bits - ((hd_u64s)exponent << 52));
	hd_f64s s = (m - 1.0) / (m + 1.0), s2 = s * s;
	POLYNOMIAL(series, s2, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7,
		   1.0 / 5, 1.0 / 3, 1.0);
	hd_f64s e = __builtin_convertvector(__builtin_convertvector(exponent, hd_s32s), hd_f64s);
	hd_f64s result = e + s * series * 2.8853900817779268147;
	hd_u64s infinity = (hd_u64s)UINT64_C(0x7ff0000000000000);
	result = x == (hd_f64s)infinity ? x : result;
	result = x == 0.0 ? -(hd_f64s)infinity : result;
	result = x < 0.0 ? SPLATD(__builtin_nan("")) : result;
	FINISH(x != x ? x : result);
}

/*
 * sin or cos of 2 pi x: turns = x, reduced to [-1/2, 1/2], then to [-1/4, 1/4] by symmetry; Taylor of
 * the sine. Beyond 2^52 turns nothing is left of the argument and the sine is 0, as precision ends there on
 * the hardware much earlier.
 */
#define TAYLOR_SINE(result, turns)                                                                       \
	hd_f64s result;                                                                                  \
	do {                                                                                             \
		hd_f64s t_ = (turns);                                                                    \
		t_ = t_ > 0.25 ? 0.5 - t_ : t_;                                                          \
		t_ = t_ < -0.25 ? -0.5 - t_ : t_;                                                        \
		hd_f64s y_ = t_ * 6.28318530717958647692, y2_ = y_ * y_;                                 \
		POLYNOMIAL(p_, y2_, 1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0, \
			   -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0);        \
		result = y_ * p_;                                                                        \
	} while (0)

#define REDUCED_TURNS(turns, x)                                                                          \
	hd_f64s turns = (x);                                                                              \
	hd_f64s turns##_abs = __builtin_elementwise_abs(turns);                                          \
	turns = turns##_abs < 2251799813685248.0 ? turns - (turns + ROUND_TO_INTEGER - ROUND_TO_INTEGER) \
						 : SPLATD(0.0);                                          \
	turns = turns##_abs <= 1e300 ? turns : SPLATD(__builtin_nan(""))

HD_EXEC(op_sin)
{
	DEFINE_OPERAND(a, x);
	REDUCED_TURNS(turns, x);
	TAYLOR_SINE(sine, turns);
	FINISH(x == 0.0 ? x : sine);
}

HD_EXEC(op_cos)
{
	DEFINE_OPERAND(a, x);
	REDUCED_TURNS(turns, x);
	turns = 0.25 - __builtin_elementwise_abs(turns);
	TAYLOR_SINE(cosine, turns);
	FINISH(cosine);
}

/* 1 - 2 / (e^2x + 1); near zero its series, where the difference would cancel. */
HD_EXEC(op_tanh)
{
	DEFINE_OPERAND(a, x);
	hd_f64s original = x;
	CLAMP(x, 40.0);
	hd_f64s doubled = x * 2.8853900817779268147;
	EXP2(power, doubled);
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
		x##_word &= ~SIGN32;                                             \
	if (inst->inst.srcmods & HD_NEG_B)                                       \
		x##_word ^= SIGN32;                                              \
	x##_word = (x##_word & 0x7ff00000u) == 0 ? x##_word & SIGN32 : x##_word; \
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
