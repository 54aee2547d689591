/*
 * Functions of float that NVIDIA's library computes in float alone, on the hardware's 2^x, log2, reciprocal and roots:
 * libclc's take two to twelve times as many instructions, some of them in double. Each stays within CUDA's bound
 * (test/ulp). Polynomials come from single.def.
 *
 * Where two ranges have a polynomial each, both are computed or their coefficients are selected: lanes of a warp that
 * differ take no other path, as in NVIDIA's library.
 *
 * The flushing forms of approximations stand where no denormal can come, or where its loss does not change the rounded
 * result. A comparison with NaN is false throughout, so that NaN goes the way of small arguments, or through.
 */
#include "device.h"

#define HD_FIT(type, name, centre, count, ...) static const type name##_table[count] = {__VA_ARGS__};
#include "single.def"
#define POLY(name, x) chainf(name##_table, COUNT(name##_table), x)

#define fma(a, b, c) __builtin_fmaf(a, b, c)
#define fabs(a) __builtin_fabsf(a)
#define copysign(a, b) __builtin_copysignf(a, b)
#define ex2(a) __nvvm_ex2_approx_ftz_f(a)
#define rcp(a) __nvvm_rcp_approx_ftz_f(a)
#define root(a) __nvvm_sqrt_approx_ftz_f(a)
#define INFINITE __builtin_inff()
#define NOT_A_NUMBER __builtin_nanf("")
#define LOG2_E 1.44269504f
#define LN_2 0.693147181f

/* The result where it is a number beyond zero, or the argument itself: zeros, infinities. */
HD_INLINE_DEVICE static inline float unless_fixed(float a, float result)
{
	return a + a == a ? a : result;
}

/* e^(a + rest) = 2^t times the result. t is clamped to `least` to `most`, and the result takes what is beyond. */
HD_INLINE_DEVICE static inline float exponential(float a, float rest, float least, float most, float *t)
{
	*t = __builtin_fminf(__builtin_fmaxf(__builtin_rintf(a * LOG2_E), least), most);
	float r = fma(*t, -0.693145752f, a); /* ln 2, 16 bits: exact */
	r = fma(*t, -1.42860677e-6f, r) + rest;
	return ex2(r * LOG2_E);
}

/* ---- hyperbolic functions ---- */

HD_DEVICE float __nv_tanhf(float a)
{
	float size = fabs(a), square = a * a;
	float near = fma(POLY(tanh_restf, square) * square, size, size);
	float far = fma(rcp(ex2(size * (2 * LOG2_E)) + 1), -2.0f, 1.0f);
	return copysign(size >= 0.55f ? far : near, a);
}

/* e^|a| / 4, which is in range as far as the functions are */
HD_INLINE_DEVICE static inline float quarter_exponential(float size)
{
	float t, power = exponential(size, 0, 0, 129, &t);
	return power * ex2(t - 2);
}
HD_DEVICE float __nv_coshf(float a)
{
	float quarter = quarter_exponential(fabs(a));
	return fma(quarter, 2.0f, 0.125f * rcp(quarter));
}
HD_DEVICE float __nv_sinhf(float a)
{
	float size = fabs(a), square = a * a, quarter = quarter_exponential(size);
	float near = fma(POLY(sinh_restf, square) * square, size, size);
	float far = fma(quarter, 2.0f, -0.125f * rcp(quarter));
	return copysign(size >= 1 ? far : near, a);
}

/* ---- trigonometric functions ---- */

/* libclc's, for arguments whose multiple of pi / 2 three words do not hold. */
extern float clc_sinf(float) HD_CLC(3, sin, "f");
extern float clc_cosf(float) HD_CLC(3, cos, "f");
extern float clc_tanf(float) HD_CLC(3, tan, "f");
extern float clc_sincosf(float, float *) __asm__("_Z6sincosfPf");
#define FEW_TURNS 105615.0f

/* |a| = quarters * pi / 2 + the result, which is at most pi / 4 in size. The first product leaves no rest. */
HD_INLINE_DEVICE static inline float reduced(float a, int *quarters)
{
	float size = fabs(a), turns = __builtin_rintf(size * 0.636619747f);
	*quarters = (int)turns;
	float r = fma(turns, -1.57079637f, size);
	r = fma(turns, 4.37113883e-8f, r);
	return fma(turns, 1.71512451e-15f, r);
}

/* a with the sign changed where bit 31 of `sign` is set */
HD_INLINE_DEVICE static inline float turned(float a, unsigned sign)
{
	return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a) ^ (sign & 0x80000000u));
}

/* The sine of r, or of an odd number of quarters the cosine; of two and three the negative. `sign`: as in turned(). */
HD_INLINE_DEVICE static inline float sine_of(float r, int quarters, unsigned sign)
{
	int odd = quarters & 1;
	float square = r * r, first = odd ? 1 : r, sum = 0;
	_Pragma("unroll") for (int i = COUNT(cos_restf_table) - 1; i >= 0; i--)
	{
		float sine = i < COUNT(sin_restf_table) ? sin_restf_table[i < COUNT(sin_restf_table) ? i : 0] : 0;
		sum = fma(sum, square, odd ? cos_restf_table[i] : sine);
	}
	return turned(fma(sum, square * first, first), (unsigned)quarters << 30 ^ sign);
}
HD_DEVICE float __nv_sinf(float a)
{
	if (!(fabs(a) < FEW_TURNS))
		return clc_sinf(a);
	int quarters;
	float r = reduced(a, &quarters);
	return sine_of(r, quarters, __builtin_bit_cast(unsigned, a));
}
HD_DEVICE float __nv_cosf(float a)
{
	if (!(fabs(a) < FEW_TURNS))
		return clc_cosf(a);
	int quarters;
	float r = reduced(a, &quarters);
	return sine_of(r, quarters + 1, 0);
}
HD_DEVICE void __nv_sincosf(float a, float *s, float *c)
{
	if (!(fabs(a) < FEW_TURNS)) {
		*s = clc_sincosf(a, c);
		return;
	}
	int quarters;
	float r = reduced(a, &quarters);
	*s = sine_of(r, quarters, __builtin_bit_cast(unsigned, a));
	*c = sine_of(r, quarters + 1, 0);
}
HD_DEVICE float __nv_tanf(float a)
{
	if (!(fabs(a) < FEW_TURNS))
		return clc_tanf(a);
	int quarters;
	float r = reduced(a, &quarters), square = r * r, tangent = fma(POLY(tan_restf, square) * square, r, r);
	return turned(quarters & 1 ? -rcp(tangent) : tangent, __builtin_bit_cast(unsigned, a));
}

/* ---- inverse trigonometric functions ---- */

HD_DEVICE float __nv_atanf(float a)
{
	float size = fabs(a), inverse = rcp(size), x = size > 1 ? inverse : size, square = x * x;
	float angle = fma(POLY(atan_restf, square) * square, x, x);
	return copysign(size > 1 ? 1.57079637f - angle : angle, a);
}

/* asin of x, or of the root of (1 - x) / 2 where x is large: half of what it lacks of pi / 2. */
HD_INLINE_DEVICE static inline float part_of_asin(float size, int large)
{
	float half = fma(size, -0.5f, 0.5f), square = large ? half : size * size, x = large ? root(half) : size;
	return fma(POLY(asin_restf, square) * square, x, x);
}
HD_DEVICE float __nv_asinf(float a)
{
	float size = fabs(a);
	int large = size > 0.5625f;
	float angle = part_of_asin(size, large);
	return copysign(large ? fma(angle, -2.0f, 1.57079637f) : angle, a);
}
HD_DEVICE float __nv_acosf(float a)
{
	float size = fabs(a);
	int large = size > 0.5625f;
	float angle = part_of_asin(size, large), signed_angle = copysign(angle, a);
	float above = a > 0 ? angle + angle : fma(angle, -2.0f, 3.14159274f);
	return large ? above : 1.57079637f - (signed_angle + 4.37113883e-8f);
}

/* ---- roots ---- */

/* One step of Newton from 2^(log2|a| / 3). */
HD_DEVICE float __nv_cbrtf(float a)
{
	float y = copysign(ex2(__nvvm_lg2_approx_f(fabs(a)) * 0.333333333f), a), inverse = rcp(y * y);
	return unless_fixed(a, fma(fma(a, inverse, -y), 0.333333333f, y));
}
HD_DEVICE float __nv_rcbrtf(float a)
{
	float y = copysign(ex2(__nvvm_lg2_approx_f(fabs(a)) * -0.333333333f), a), lacks = fma(a * y, -(y * y), 1.0f);
	return unless_fixed(y, fma(y * lacks, 0.333333333f, y));
}

/* ---- logarithms ---- */

/*
 * What follows a logarithm: its values outside of (0, infinity). The bits of those, as an unsigned number, are above
 * all others'.
 */
HD_INLINE_DEVICE static inline float with_ends(float a, float result)
{
	if (__builtin_bit_cast(unsigned, a) >= 0x7f800000u)
		result = fma(a, INFINITE, INFINITE);
	return a == 0 ? -INFINITE : result;
}

/* a = 2^exponent (1 + f), f in [-1/3, 1/3) */
HD_INLINE_DEVICE static inline float split(float a, float *exponent)
{
	int small = a < 0x1p-126f;
	float scaled = small ? a * 0x1p23f : a;
	unsigned bits = __builtin_bit_cast(unsigned, scaled), e = (bits - 0x3f2aaaab) & 0xff800000;
	*exponent = fma((float)(int)e, 0x1p-23f, small ? -23.0f : 0.0f);
	return __builtin_bit_cast(float, bits - e) - 1.0f;
}
HD_DEVICE float __nv_logf(float a)
{
	float exponent, f = split(a, &exponent);
	return with_ends(a, fma(exponent, LN_2, fma(f * f, POLY(log_restf, f), f)));
}
HD_DEVICE float __nv_log2f(float a)
{
	float exponent, f = split(a, &exponent), square = f * f;
	float low = fma(square, POLY(log2_restf, f), f * 1.92596304e-8f); /* 1 / ln 2 in two words */
	return with_ends(a, exponent + fma(f, 1.44269502f, low));
}
HD_DEVICE float __nv_log10f(float a)
{
	float exponent, f = split(a, &exponent), square = f * f;
	float low = fma(square, POLY(log10_restf, f), f * 5.16922144e-9f); /* 1 / ln 10 in two words */
	low = fma(exponent, -1.43209888e-8f, low);			   /* and log10 2 */
	return with_ends(a, fma(exponent, 0.301029996f, fma(f, 0.434294477f, low)));
}

/*
 * a^b = 2^(b log2|a|), the logarithm and the product in two words. With q = 2f / (2 + f), log(1 + f) is q + q^3 / 12 +
 * q^5 P(q^2), and `low` has what q's rounding, its product with 1 / ln 2 and the sum with the exponent lose.
 */
HD_INLINE_DEVICE static inline float power_of(float size, float b)
{
	float exponent, f = split(size, &exponent), inverse = rcp(f + 2), q = (f + f) * inverse, square = q * q;
	float low = fma(-q, f, 2 * (f - q)) * inverse;
	low = fma(low, square * 0.25f, low); /* q^3 / 12 of q and low together */
	float cube = square * 0.0833333358f, more = fma(square, 0.0833333358f, -cube);
	more = fma(square, fma(square, POLY(pow_restf, square), -2.48352705e-9f), more); /* 1 / 12 in two words */
	more = fma(fma(q, q, -square), 0.0833333358f, more);
	low = fma(q, cube, fma(q, more, low));
	float high = q * LOG2_E;
	low = fma(low, LOG2_E, fma(q, LOG2_E, -high) + q * 1.92596304e-8f); /* 1 / ln 2 in two words */
	float sum = exponent + high, product = b * sum;
	low = fma(b, low + (high - (sum - exponent)), fma(b, sum, -product));
	low = fabs(product) < 200 ? low : 0; /* else out of range as it is */
	product = __builtin_fminf(__builtin_fmaxf(product, -200), 200);
	float t = __builtin_fminf(__builtin_fmaxf(__builtin_rintf(product), -126), 127);
	return ex2(product - t + low) * ex2(t);
}
HD_DEVICE float __nv_powf(float a, float b)
{
	float size = fabs(a), half = b * 0.5f, result = power_of(size, b);
	int whole = __builtin_truncf(b) == b, odd = whole && __builtin_truncf(half) != half;
	if (a + a == a) { /* 0 or infinite: itself or its reciprocal */
		int bits = __builtin_bit_cast(int, size);
		result = __builtin_bit_cast(float, b < 0 ? bits ^ 0x7f800000 : bits);
	}
	result = odd ? copysign(result, a) : result;
	if (a < 0 && !whole && size < INFINITE)
		result = NOT_A_NUMBER;
	if (a == -1 && fabs(b) == INFINITE)
		result = 1;
	result = a != a || b != b ? a + b : result;
	return a == 1 || b == 0 ? 1 : result;
}

/*
 * log(1 + a), with 1 + a = 2^e (1 + f), f in [-1/4, 1/2): f is 2^-e a + (2^-e - 1), rounded once, so that no digit of a
 * small a is lost.
 */
HD_INLINE_DEVICE static inline float log1p_within(float a)
{
	unsigned bits = __builtin_bit_cast(unsigned, a + 1), e = (bits - 0x3f400000) & 0xff800000;
	float four = __builtin_bit_cast(float, 0x40800000 - e); /* 4 * 2^-e: 2^-128 is no normal number */
	float f = __builtin_bit_cast(float, __builtin_bit_cast(unsigned, a) - e) + fma(four, 0.25f, -1.0f);
	float result = fma(f * f, POLY(log1p_restf, f), f);
	return fma((float)(int)e * 0x1p-23f, LN_2, result);
}
HD_INLINE_DEVICE static inline float log1p_of(float a)
{
	float result = log1p_within(a);
	if (__builtin_bit_cast(unsigned, a) >= 0x7f800000u) { /* below -0 as well */
		result = a > -1 && a < INFINITE ? result : a == -1 ? -INFINITE : fma(a, INFINITE, INFINITE);
		result = a == 0 ? a : result;
	}
	return result;
}
HD_DEVICE float __nv_log1pf(float a)
{
	return log1p_of(a);
}

/* log(a + root(a^2 +- 1)); where a's square is beyond the range of float, log 2a. */
#define LARGE 0x1p40f
HD_DEVICE float __nv_asinhf(float a)
{
	float size = fabs(a), square = size * size, sum = fma(square, rcp(1 + root(square + 1)), size);
	int large = size > LARGE;
	float result = log1p_within(large ? size : sum) + (large ? LN_2 : 0.0f);
	return copysign(size < INFINITE ? result : size, a);
}
HD_DEVICE float __nv_acoshf(float a)
{
	float x = a - 1;
	int large = x > LARGE;
	float sum = x + root(fma(x, x, x + x)), result = log1p_within(large ? x : sum) + (large ? LN_2 : 0.0f);
	return a >= 1 && a < INFINITE ? result : a >= 1 ? a : NOT_A_NUMBER;
}
HD_DEVICE float __nv_atanhf(float a)
{
	float size = fabs(a);
	float result = 0.5f * log1p_of((size + size) * rcp(1 - size));
	return size <= 1 ? copysign(result, a) : NOT_A_NUMBER;
}

/* ---- error functions ---- */

HD_DEVICE float __nv_erff(float a)
{
	float size = fabs(a), sum = 0;
	int far = size >= 1;
	float x = far ? __builtin_fminf(size, 4) : a * a;
	_Pragma("unroll") for (int i = COUNT(erf_farf_table) - 1; i >= 0; i--)
	{
		float near = i < COUNT(erf_nearf_table) ? erf_nearf_table[i < COUNT(erf_nearf_table) ? i : 0] : 0;
		sum = fma(sum, x, far ? erf_farf_table[i] : near);
	}
	return far ? copysign(1 - ex2(sum * x), a) : fma(sum, a, a);
}

/* (1 + 2a) exp(a^2) erfc(a) - 1, for a from 0 to 2^40 */
HD_INLINE_DEVICE static inline float erfcx_part(float a)
{
	float inverse = rcp(a + 3), q = (a - 3) * inverse;
	q = fma(fma(q + 1, -3.0f, fma(-q, a, a)), inverse, q); /* the quotient's own rounding */
	return POLY(erfcx_partf, q);
}

/* erfc(a + rest), a >= 0; from 10.1 on it is less than the least float. */
HD_INLINE_DEVICE static inline float complement(float a, float rest)
{
	a = a > 10.1f ? 10.1f : a;
	float part = erfcx_part(a), divisor = fma(a, 2.0f, 1.0f), inverse = rcp(divisor);
	float value = fma(part, inverse, inverse);
	value = fma(fma(-value, divisor, 1.0f) + part, inverse, value);
	float square = a * a, low = fma(rest, -2 * a, fma(-a, a, square)), t;
	float power = exponential(-square, low, -126, 0, &t);
	return value * power * ex2(t);
}
HD_DEVICE float __nv_erfcf(float a)
{
	float value = complement(fabs(a), 0);
	return a < 0 ? 2 - value : value;
}

/* erfc(-a / root 2) / 2, whose argument comes in two words. */
HD_DEVICE float __nv_normcdff(float a)
{
	float x = fabs(a) > 14.5f ? copysign(14.5f, a) : a;
	float z = x * -0.707106769f, rest = fma(x, -0.707106769f, -z);
	rest = fma(x, -1.21016164e-8f, rest);
	float value = 0.5f * complement(fabs(z), z < 0 ? -rest : rest);
	return z < 0 ? 1 - value : value;
}

/* Below zero 2 e^(a^2) - erfcx(-a): infinite from about -9.38 on. */
HD_DEVICE float __nv_erfcxf(float a)
{
	float size = fabs(a), part = erfcx_part(size > 0x1p40f ? 0x1p40f : size);
	/* an eighth of 2a + 1 and of the result, since the reciprocal of a large number is denormal */
	float inverse = rcp(fma(size, 0.25f, 0.125f)), value = fma(part, inverse, inverse) * 0.125f;
	if (a < 0) {
		float x = __builtin_fminf(size, 10), square = x * x, t;
		float power = exponential(square, fma(x, x, -square), 0, 127, &t);
		value = fma(power * 2, ex2(t), -value);
	}
	return value;
}
