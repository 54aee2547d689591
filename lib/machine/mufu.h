/*
 * The functions of MUFU: one text for the simulator, which computes them, and for the compiler, which knows them of
 * constants. Each is computed in double precision from additions, multiplications, divisions and square roots alone,
 * which IEEE 754 fixes, and rounded once to single precision: the same bits on every host, and within the error that
 * CUDA documents for the hardware's own (2^-20.5 to 1 ulp).
 *
 * Macros over vectors of any length, since a function of such a vector would have a calling convention that depends on
 * the instruction set. The file that uses them names the vectors: hd_u32s, hd_s32s, hd_u64s, hd_s64s, hd_f32s and
 * hd_f64s. No state.
 */
#ifndef HD_LIB_MACHINE_MUFU_H
#define HD_LIB_MACHINE_MUFU_H

#include <stdint.h>

#define HD_MUFU_NAN 0x7fffffffu
#define HD_MUFU_SIGN 0x80000000u
#define HD_MUFU_SPLAT(value) ((hd_f64s)(double)(value))
#define HD_MUFU_TO_INTEGER 6755399441055744.0 /* 1.5 * 2^52: adding it leaves the nearest integer in the low bits */

/* .FTZ: bits of a number, a denormal replaced by the zero of its sign. */
#define HD_MUFU_FLUSHED(bits) (((bits) & 0x7f800000u) == 0 ? (bits) & HD_MUFU_SIGN : (bits))

/* Defines `bits` as those of the rounded value. */
#define HD_MUFU_ROUND(bits, value, ftz)                                                                       \
	hd_u32s bits;                                                                                         \
	do {                                                                                                  \
		hd_f32s rounded_ = __builtin_convertvector((value), hd_f32s);                                 \
		bits = rounded_ != rounded_ ? (hd_u32s)(uint32_t)HD_MUFU_NAN : (hd_u32s)rounded_;             \
		if (ftz)                                                                                      \
			bits = HD_MUFU_FLUSHED(bits);                                                         \
	} while (0)

/* sum of k[i] * x^i, highest first. */
#define HD_MUFU_POLYNOMIAL(result, x, ...)                                                                            \
	hd_f64s result;                                                                                               \
	do {                                                                                                          \
		static const double hd_k_[] = {__VA_ARGS__};                                                          \
		result = HD_MUFU_SPLAT(hd_k_[0]);                                                                     \
		_Pragma("clang loop unroll(full)") for (unsigned hd_i_ = 1; hd_i_ < sizeof(hd_k_) / sizeof(hd_k_[0]); \
							hd_i_++) result = result * (x) + hd_k_[hd_i_];                \
	} while (0)

/* 2^x for |x| < 1000: 2^n * e^(f ln 2) with |f| <= 1/2, Taylor to 2^-52. */
#define HD_MUFU_POWER(result, x)                                                                                      \
	hd_f64s result;                                                                                               \
	do {                                                                                                          \
		hd_f64s shifted_ = (x) + HD_MUFU_TO_INTEGER;                                                          \
		hd_f64s f_ = ((x) - (shifted_ - HD_MUFU_TO_INTEGER)) * 0.69314718055994530942;                        \
		HD_MUFU_POLYNOMIAL(p_, f_, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,          \
				   1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6,    \
				   0.5, 1.0, 1.0);                                                                    \
		hd_u64s scale_ = ((hd_u64s)shifted_ + 1023) << 52;                                                    \
		result = p_ * (hd_f64s)scale_;                                                                        \
	} while (0)

/* The low 12 bits of the shifted integer survive the shift above; single precision needs |x| <= 150. */
#define HD_MUFU_CLAMP(x, limit)                    \
	x = x > (limit) ? HD_MUFU_SPLAT(limit) : x; \
	x = x < -(limit) ? HD_MUFU_SPLAT(-(limit)) : x

#define HD_MUFU_EX2_OF(result, x)                                                           \
	hd_f64s result;                                                                     \
	do {                                                                                \
		hd_f64s clamped_ = (x);                                                     \
		HD_MUFU_CLAMP(clamped_, 300.0); /* overflows and underflows all the same */ \
		HD_MUFU_POWER(power_, clamped_);                                            \
		result = (x) != (x) ? (x) : power_;                                         \
	} while (0)

/* log2 m * 2^e = e + 2/ln 2 * artanh((m-1)/(m+1)) with m between sqrt 1/2 and sqrt 2. */
#define HD_MUFU_LG2_OF(result, x)                                                                                     \
	hd_f64s result;                                                                                               \
	do {                                                                                                          \
		hd_u64s bits_ = (hd_u64s)(x);                                                                         \
		hd_u64s offset_ = bits_ - UINT64_C(0x3fe6a09e667f3bcd); /* sqrt 1/2 */                                \
		hd_s64s exponent_ = (hd_s64s)offset_ >> 52;                                                           \
		hd_f64s m_ = (hd_f64s)(bits_ - ((hd_u64s)exponent_ << 52));                                           \
		hd_f64s s_ = (m_ - 1.0) / (m_ + 1.0), s2_ = s_ * s_;                                                  \
		HD_MUFU_POLYNOMIAL(series_, s2_, 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,          \
				   1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0);                                \
		hd_f64s e_ = __builtin_convertvector(__builtin_convertvector(exponent_, hd_s32s), hd_f64s);           \
		hd_u64s infinity_ = (hd_u64s)UINT64_C(0x7ff0000000000000);                                            \
		result = e_ + s_ * series_ * 2.8853900817779268147;                                                   \
		result = (x) == (hd_f64s)infinity_ ? (x) : result;                                                    \
		result = (x) == 0.0 ? -(hd_f64s)infinity_ : result;                                                   \
		result = (x) < 0.0 ? HD_MUFU_SPLAT(__builtin_nan("")) : result;                                       \
		result = (x) != (x) ? (x) : result;                                                                   \
	} while (0)

/*
 * sin or cos of 2 pi x: turns = x, reduced to [-1/2, 1/2], then to [-1/4, 1/4] by symmetry; Taylor of
 * the sine. Beyond 2^52 turns nothing is left of the argument and the sine is 0, as precision ends there on
 * the hardware much earlier.
 */
#define HD_MUFU_TAYLOR_SINE(result, turns)                                                                        \
	hd_f64s result;                                                                                           \
	do {                                                                                                      \
		hd_f64s t_ = (turns);                                                                             \
		t_ = t_ > 0.25 ? 0.5 - t_ : t_;                                                                   \
		t_ = t_ < -0.25 ? -0.5 - t_ : t_;                                                                 \
		hd_f64s y_ = t_ * 6.28318530717958647692, y2_ = y_ * y_;                                          \
		HD_MUFU_POLYNOMIAL(p_, y2_, 1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0,  \
				   -1.0 / 39916800, 1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1.0);         \
		result = y_ * p_;                                                                                 \
	} while (0)

#define HD_MUFU_REDUCED(turns, x)                                                                      \
	hd_f64s turns = (x);                                                                           \
	hd_f64s turns##_abs = __builtin_elementwise_abs(turns);                                        \
	turns = turns##_abs < 2251799813685248.0                                                       \
			? turns - (turns + HD_MUFU_TO_INTEGER - HD_MUFU_TO_INTEGER)                    \
			: HD_MUFU_SPLAT(0.0);                                                          \
	turns = turns##_abs <= 1e300 ? turns : HD_MUFU_SPLAT(__builtin_nan(""))

#define HD_MUFU_SIN_OF(result, x)                      \
	hd_f64s result;                                \
	do {                                           \
		HD_MUFU_REDUCED(turns_, (x));          \
		HD_MUFU_TAYLOR_SINE(sine_, turns_);    \
		result = (x) == 0.0 ? (x) : sine_;     \
	} while (0)

#define HD_MUFU_COS_OF(result, x)                                      \
	hd_f64s result;                                                \
	do {                                                           \
		HD_MUFU_REDUCED(turns_, (x));                          \
		turns_ = 0.25 - __builtin_elementwise_abs(turns_);     \
		HD_MUFU_TAYLOR_SINE(cosine_, turns_);                  \
		result = cosine_;                                      \
	} while (0)

#define HD_MUFU_RCP_OF(result, x) hd_f64s result = 1.0 / (x)
#define HD_MUFU_RSQ_OF(result, x) hd_f64s result = 1.0 / __builtin_elementwise_sqrt(x)
#define HD_MUFU_SQRT_OF(result, x) hd_f64s result = __builtin_elementwise_sqrt(x)

#endif
