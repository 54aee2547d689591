/*
 * The special functions that libclc has no counterpart of: inverse error functions, Bessel functions of the first and
 * second kind and modified ones; and logarithm, reciprocal roots and norms where libclc's or the obvious composition
 * is further off than CUDA's bound.
 *
 * Polynomials come from special.def. Both types are the same text, special.inc. Where a function has zeros, it is
 * (x - zero) P(x - zero) around each of them, with the zero in two words, so that the relative error stays small; from
 * 8 on Hankel's asymptotic expansion has a small absolute error, which is all that CUDA promises there, too.
 */
#include "device.h"

#define HD_FIT(type, name, center, count, ...)    \
	static const type name##_center = center; \
	static const type name##_table[count] = {__VA_ARGS__};
#define HD_NUMBER(type, name, high, low) static const type name[2] = {high, low};
#include "special.def"

/* Horner's scheme; counts are constants, so that loops become chains of fused multiply-adds. */
#define HD_CHAIN(T, fma, name)                                                                      \
	HD_INLINE_DEVICE static inline T name(const T *table, int count, T x)                       \
	{                                                                                           \
		T sum = table[count - 1];                                                           \
		_Pragma("unroll") for (int i = count - 2; i >= 0; i--) sum = fma(sum, x, table[i]); \
		return sum;                                                                         \
	}
HD_CHAIN(double, __builtin_fma, chain)
HD_CHAIN(float, __builtin_fmaf, chainf)
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define POLY(name, x) F(chain)(PART(name, _table), COUNT(PART(name, _table)), (x)-PART(name, _center))
/* name and name##part with SUFFIX after the name */
#define F(name) F2(name, SUFFIX)
#define F2(name, suffix) F3(name, suffix)
#define F3(name, suffix) name##suffix
#define PART(name, part) PART2(name, SUFFIX, part)
#define PART2(name, suffix, part) PART3(name, suffix, part)
#define PART3(name, suffix, part) name##suffix##part
/* The same with the distance from a two-word centre already there. */
#define AROUND(name, d) ((d)*F(chain)(PART(name, _table), COUNT(PART(name, _table)), d))
#define FROM(number, x) (((x)-F(number)[0]) - F(number)[1])

#define NV(name) F(__nv_##name)
extern double __nv_log(double), __nv_rsqrt(double);
extern float __nv_logf(float), __nv_rsqrtf(float);
extern double __nv_exp(double), __nv_sin(double), __nv_cos(double), __nv_log1p(double), __nv_cbrt(double);
extern float __nv_expf(float), __nv_sinf(float), __nv_cosf(float), __nv_log1pf(float), __nv_cbrtf(float);

/* -log a for the inverse error functions, whose slope forgives an absolute error. */
HD_INLINE_DEVICE static inline double minus_log(double a)
{
	return -__nv_log(a);
}
HD_INLINE_DEVICE static inline float minus_logf(float a)
{
	return __nvvm_lg2_approx_f(a) * -0.693147181f;
}

#define T double
#define SUFFIX
#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")
#define C(x) x
#include "special.inc"
#undef T
#undef SUFFIX
#undef INFINITE
#undef NOT_A_NUMBER
#undef C

#define T float
#define SUFFIX f
#define INFINITE __builtin_inff()
#define NOT_A_NUMBER __builtin_nanf("")
#define C(x) x##f
#include "special.inc"

/*
 * log a = e ln 2 + log m with m in [2/3, 4/3): f = m - 1 is exact, and log(1 + f) is f - f^2/2 + f^3 P(f).
 */
HD_DEVICE float __nv_logf(float a)
{
	float scaled = a < 0x1p-126f ? a * 0x1p23f : a;
	int bits = __builtin_bit_cast(int, scaled), e = (bits - 0x3f2aaaab) & (int)0xff800000;
	float f = __builtin_bit_cast(float, bits - e) - 1.0f;
	float exponent = (float)(e >> 23) - (a < 0x1p-126f ? 23.0f : 0.0f);
	float square = f * f, rest = chainf(log_restf_table, COUNT(log_restf_table), f);
	float result = __builtin_fmaf(square, __builtin_fmaf(f, rest, -0.5f), f);
	result = __builtin_fmaf(exponent, 0.693147181f, result);
	if (!(a > 0 && a < __builtin_inff()))
		result = a > 0 || a != a ? a : a == 0 ? -__builtin_inff() : __builtin_nanf("");
	return result;
}

/*
 * The same for m in [sqrt(1/2), sqrt(2)) and s = f/(2 + f): log m = 2s + s^3 P(s^2) = f - (f^2/2 - s (f^2/2 + s^2 P)),
 * whose largest term is exact. ln 2 comes in two words, of which the first has zeros for e's bits.
 */
HD_DEVICE double __nv_log(double a)
{
	double scaled = a < 0x1p-1022 ? a * 0x1p54 : a;
	long long bits = __builtin_bit_cast(long long, scaled);
	long long e = (bits - 0x3fe6a09e667f3bcd) & (long long)0xfff0000000000000;
	double f = __builtin_bit_cast(double, bits - e) - 1.0, half = 0.5 * f * f, s = f / (2.0 + f), z = s * s;
	double exponent = (double)(int)(e >> 52) - (a < 0x1p-1022 ? 54.0 : 0.0);
	double rest = z * chain(log_ratio_table, COUNT(log_ratio_table), z);
	double low = __builtin_fma(exponent, 1.90821492927058770e-10, s * (half + rest));
	double result = __builtin_fma(exponent, 6.93147180369123816e-01, f - (half - low));
	if (!(a > 0 && a < __builtin_inf()))
		result = a > 0 || a != a ? a : a == 0 ? -__builtin_inf() : __builtin_nan("");
	return result;
}

/* sin(pi a) and cos(pi a): a - n/2 is exact, and n chooses the polynomial and the sign. */
static inline float quarter_turns(float a, int *n)
{
	float turns = __builtin_rintf(a + a);
	*n = (int)turns;
	return __builtin_fmaf(turns, -0.5f, a);
}
static inline float sinpi_kernel(float r)
{
	float z = r * r, rest = chainf(sinpi_restf_table, COUNT(sinpi_restf_table), z) * z;
	return __builtin_fmaf(r, 3.14159274f, r * (rest - 8.74227766e-8f));
}
static inline float cospi_kernel(float r)
{
	float z = r * r;
	return __builtin_fmaf(chainf(cospi_restf_table, COUNT(cospi_restf_table), z), z, 1.0f);
}
/* Beyond 2^24 all floats are even integers; infinities become NaNs. */
HD_DEVICE float __nv_sinpif(float a)
{
	int n;
	float r = quarter_turns(__builtin_fabsf(a) < 0x1p24f ? a : a * 0.0f, &n);
	float value = n & 1 ? cospi_kernel(r) : sinpi_kernel(r);
	value = n & 2 ? -value : value;
	return a == __builtin_truncf(a) ? a * 0.0f : value;
}
HD_DEVICE float __nv_cospif(float a)
{
	int n;
	float r = quarter_turns(__builtin_fabsf(a) < 0x1p24f ? a : a * 0.0f, &n);
	float value = n & 1 ? sinpi_kernel(r) : cospi_kernel(r);
	return (n + 1) & 2 ? 0.0f - value : 0.0f + value;
}
HD_DEVICE void __nv_sincospif(float a, float *s, float *c)
{
	*s = __nv_sinpif(a);
	*c = __nv_cospif(a);
}
