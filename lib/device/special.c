/*
 * The special functions that libclc has no counterpart of: inverse error functions, Bessel functions of the first and
 * second kind and modified ones; and logarithm, reciprocal roots, norms, gamma, erfcx and functions of pi a where
 * libclc's or the obvious composition is further off than CUDA's bound. Float's logarithm, reciprocal cube root and
 * erfcx are in single.c.
 *
 * Polynomials come from special.def. What both types have is one text, special.inc. Where a function has zeros, it is
 * (x - zero) P(x - zero) around each of them, with the zero in two words, so that the relative error stays small; from
 * 8 on Hankel's asymptotic expansion has a small absolute error, which is all that CUDA promises there, too.
 */
#include "device.h"

#define HD_FIT(type, name, centre, count, ...)    \
	static const type name##_centre = centre; \
	static const type name##_table[count] = {__VA_ARGS__};
#define HD_NUMBER(type, name, high, low) static const type name[2] = {high, low};
#include "special.def"

#define POLY(name, x) F(chain)(PART(name, _table), COUNT(PART(name, _table)), (x)-PART(name, _centre))
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
extern double __nv_pow(double, double), __nv_erfc(double);
extern double __nv_exp(double), __nv_sin(double), __nv_cos(double), __nv_log1p(double), __nv_cbrt(double);
extern float __nv_expf(float), __nv_sinf(float), __nv_cosf(float), __nv_log1pf(float);

/*
 * Inverse error functions are x times a polynomial in w = -log(1 - x^2), whose slope forgives an absolute error, and in
 * sqrt(w) further out. The root's own rounding is worth an ulp of the result: what it loses goes into the distance.
 */
HD_INLINE_DEVICE static inline double minus_log(double a)
{
	return -__nv_log(a);
}
#define INVERSE(chain, name, x) chain(name##_table, COUNT(name##_table), x)
static double inverse_tail(double w)
{
	if (w < 6.25)
		return INVERSE(chain, erfinv_centre, w - erfinv_centre_centre);
	double root = __builtin_sqrt(w), rest = __builtin_fma(-root, root, w) / (root + root);
	if (root < 4)
		return INVERSE(chain, erfinv_near, root - erfinv_near_centre + rest);
	if (root < 7)
		return INVERSE(chain, erfinv_far, root - erfinv_far_centre + rest);
	if (root < 14)
		return INVERSE(chain, erfinv_farther, root - erfinv_farther_centre + rest);
	return INVERSE(chain, erfinv_farthest, root - erfinv_farthest_centre + rest);
}

/* The same in logarithms to base 2, which the hardware has; so it has the root. */
HD_INLINE_DEVICE static inline float minus_logf(float a)
{
	return -__nvvm_lg2_approx_f(a);
}
static float inverse_tailf(float t)
{
	if (t < 7.25f)
		return INVERSE(chainf, erfinv_centref, t - erfinv_centref_centre);
	float inverse = __nvvm_rsqrt_approx_ftz_f(t), root = t * inverse;
	float rest = __builtin_fmaf(-root, root, t) * (0.5f * inverse);
	if (root < 5)
		return INVERSE(chainf, erfinv_nearf, root - erfinv_nearf_centre + rest);
	return INVERSE(chainf, erfinv_farf, root - erfinv_farf_centre + rest);
}
#undef INVERSE

#define T double
#define SUFFIX
#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")
#define C(x) x
#define LOW_BITS(x) (int)(long long)(x)
#define ALL_EVEN 0x1p53 /* from here on all numbers are even integers */
#include "special.inc"
#undef T
#undef SUFFIX
#undef INFINITE
#undef NOT_A_NUMBER
#undef C
#undef LOW_BITS
#undef ALL_EVEN

#define T float
#define SUFFIX f
#define INFINITE __builtin_inff()
#define NOT_A_NUMBER __builtin_nanf("")
#define C(x) x##f
#define LOW_BITS(x) (int)(x)
#define ALL_EVEN 0x1p24f
#include "special.inc"
#undef T
#undef SUFFIX
#define T double
#define SUFFIX

/*
 * log a = e ln 2 + log m for m in [sqrt(1/2), sqrt(2)) and s = f/(2 + f): log m = 2s + s^3 P(s^2) = f - (f^2/2 - s
 * (f^2/2 + s^2 P)), whose largest term is exact. ln 2 comes in two words, of which the first has zeros for e's bits.
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

/* One step of Newton from the rounded quotient; a y^3, which is near 1, in two words. */
HD_DEVICE double __nv_rcbrt(double a)
{
	double y = 1 / __nv_cbrt(a), size = __builtin_fabs(y);
	if (!(size > 0 && size < __builtin_inf()))
		return y;
	double square = y * y, square_low = __builtin_fma(y, y, -square);
	double product = a * y, product_low = __builtin_fma(a, y, -product);
	double cube = square * product, cube_low = __builtin_fma(square, product, -cube);
	cube_low += __builtin_fma(square, product_low, square_low * product);
	return __builtin_fma(y * 0.333333333333333333, (1 - cube) - cube_low, y);
}

/*
 * Gamma for a >= 10 by Stirling's series in the exponent, eight terms of Bernoulli numbers. a^(a - 1/2) is taken in two
 * halves, whose exponent a/2 - 1/4 is exact: the whole leaves the range before the result does.
 */
static double stirling(double a)
{
	double power = __nv_pow(a, 0.5 * a - 0.25), r = 1 / a, s = r * r, series;
	series = __builtin_fma(s, -3617.0 / 122400, 1.0 / 156);
	series = __builtin_fma(s, series, -691.0 / 360360);
	series = __builtin_fma(s, series, 1.0 / 1188);
	series = __builtin_fma(s, series, -1.0 / 1680);
	series = __builtin_fma(s, series, 1.0 / 1260);
	series = __builtin_fma(s, series, -1.0 / 360);
	series = __builtin_fma(s, series, 1.0 / 12);
	return power * __nv_exp(-a) * (2.5066282746310005 * __nv_exp(r * series)) * power;
}

/*
 * Near zero: a is n + x with |x| <= 1/2, and gamma(1 + x), whose reciprocal is a polynomial, times or over the factors
 * between, each of which is exact. Their product comes in two words.
 */
static double gamma_small(double a)
{
	double turn = __builtin_rint(a), x = a - turn, inverse = POLY(gamma_inverse, x), high = 1, low = 0;
	int count = turn > 0 ? (int)turn - 1 : 1 - (int)turn;
	for (int i = 0; i < count; i++) {
		double factor = turn > 0 ? a - (count - i) : a + i, product = high * factor;
		low = __builtin_fma(low, factor, __builtin_fma(high, factor, -product));
		high = product;
	}
	if (turn > 0) {
		inverse = 1 / inverse;
		return __builtin_fma(high, inverse, low * inverse);
	}
	double whole = high * inverse, rest = __builtin_fma(low, inverse, __builtin_fma(high, inverse, -whole));
	double result = 1 / whole;
	return __builtin_fma(-result * rest, result, result);
}

/* Beyond that by reflection; where gamma(-a) is near the end of the range, the quotient is not. */
static double gamma_reflected(double a)
{
	double sine = __nv_sinpi(a), above = stirling(-a);
	if (a < -160)
		return -3.14159265358979324 / above / (a * sine);
	return -3.14159265358979324 / (a * sine * above);
}

HD_DEVICE double __nv_tgamma(double a)
{
	if (a == 0)
		return __builtin_copysign(__builtin_inf(), a);
	if (a < 0 && a == __builtin_floor(a))
		return __builtin_nan("");
	if (a < -182) /* underflow, with a sign that alternates between the integers */
		return __builtin_floor(a) * 0.5 == __builtin_floor(__builtin_floor(a) * 0.5) ? 0.0 : -0.0;
	if (a < 0x1p-54 && a > -0x1p-54)
		return 1 / a;
	if (__builtin_fabs(a) < 12)
		return gamma_small(a);
	if (a > 0)
		return a > 172 ? __builtin_inf() : stirling(a);
	return a == a ? gamma_reflected(a) : a;
}
HD_DEVICE float __nv_tgammaf(float a)
{
	return (float)__nv_tgamma((double)a);
}

/* exp(a^2) erfc(a): as such below zero, with what a^2 loses put back; then polynomials, from 4 on over a. */
HD_DEVICE double __nv_erfcx(double a)
{
	double square = a * a;
	if (a < -27)
		return __builtin_inf();
	if (a < 0)
		return __nv_exp(square) * (1 + __builtin_fma(a, a, -square)) * __nv_erfc(a);
	if (a < 1.5)
		return POLY(erfcx_near, a);
	if (a < 4)
		return POLY(erfcx_middle, a);
	return POLY(erfcx_rest, 1 / square) / a;
}
