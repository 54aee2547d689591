/*
 * The device math library: the functions that clang's CUDA headers call __nv_NAME, which NVIDIA ships as libdevice.
 *
 * The large ones are libclc's OpenCL functions (math.def), the small ones are LLVM intrinsics or a few operations.
 * Functions that NVIDIA hardware approximates (reciprocal square root, 2^x, the __fast forms) use the same
 * approximation instructions here, so that instruction counts stay comparable. intrinsics.c has those that are one
 * machine instruction.
 *
 * special.c has what libclc has no counterpart of, and what it does less well.
 */
#include "device.h"

/* Map to libclc under its mangled names. */
#define HD_UNARY_FLOAT(length, name)                                 \
	extern float clc_##name##f(float) HD_CLC(length, name, "f"); \
	HD_DEVICE float __nv_##name##f(float a)                      \
	{                                                            \
		return clc_##name##f(a);                             \
	}
#define HD_UNARY_DOUBLE(length, name)                               \
	extern double clc_##name(double) HD_CLC(length, name, "d"); \
	HD_DEVICE double __nv_##name(double a)                      \
	{                                                           \
		return clc_##name(a);                               \
	}
#define HD_UNARY(length, name)       \
	HD_UNARY_FLOAT(length, name) \
	HD_UNARY_DOUBLE(length, name)
#define HD_BINARY(length, name)                                              \
	extern float clc_##name##f(float, float) HD_CLC(length, name, "ff"); \
	extern double clc_##name(double, double) HD_CLC(length, name, "dd"); \
	HD_DEVICE float __nv_##name##f(float a, float b)                     \
	{                                                                    \
		return clc_##name##f(a, b);                                  \
	}                                                                    \
	HD_DEVICE double __nv_##name(double a, double b)                     \
	{                                                                    \
		return clc_##name(a, b);                                     \
	}
#define HD_EXPONENT(length, name)                                  \
	extern int clc_##name##f(float) HD_CLC(length, name, "f"); \
	extern int clc_##name(double) HD_CLC(length, name, "d");   \
	HD_DEVICE int __nv_##name##f(float a)                      \
	{                                                          \
		return clc_##name##f(a);                           \
	}                                                          \
	HD_DEVICE int __nv_##name(double a)                        \
	{                                                          \
		return clc_##name(a);                              \
	}
#include "math.def"

/*
 * libclc's hyperbolic functions index a table before they sort out large and undefined arguments; OpenCL forgives the
 * load, bounds-checked memory does not. Beyond the limits the result is the argument's infinity or NaN.
 */
extern float clc_sinhf(float) HD_CLC(4, sinh, "f");
extern float clc_coshf(float) HD_CLC(4, cosh, "f");
extern double clc_sinh(double) HD_CLC(4, sinh, "d");
extern double clc_cosh(double) HD_CLC(4, cosh, "d");
HD_DEVICE float __nv_sinhf(float a)
{
	return __builtin_fabsf(a) < 90.0f ? clc_sinhf(a) : a * __builtin_inff();
}
HD_DEVICE float __nv_coshf(float a)
{
	return __builtin_fabsf(a) < 90.0f ? clc_coshf(a) : __builtin_fabsf(a) * __builtin_inff();
}
HD_DEVICE double __nv_sinh(double a)
{
	return __builtin_fabs(a) < 711.0 ? clc_sinh(a) : a * __builtin_inf();
}
HD_DEVICE double __nv_cosh(double a)
{
	return __builtin_fabs(a) < 711.0 ? clc_cosh(a) : __builtin_fabs(a) * __builtin_inf();
}

/* libclc's float erfc loses the small results; double's are good. */
extern float clc_erfcf(float) HD_CLC(4, erfc, "f");
extern double clc_erfc(double) HD_CLC(4, erfc, "d");
HD_DEVICE float __nv_erfcf(float a)
{
	return a > 1 ? (float)clc_erfc((double)a) : clc_erfcf(a);
}
HD_DEVICE double __nv_erfc(double a)
{
	return clc_erfc(a);
}

/* libclc leaves out the gamma functions' values at zero, minus infinity and the negative integers. */
extern float clc_lgammaf(float) HD_CLC(6, lgamma, "f");
extern double clc_lgamma(double) HD_CLC(6, lgamma, "d");
HD_DEVICE float __nv_lgammaf(float a)
{
	return a == -__builtin_inff() ? __builtin_inff() : clc_lgammaf(a);
}
HD_DEVICE double __nv_lgamma(double a)
{
	return a == -__builtin_inf() ? __builtin_inf() : clc_lgamma(a);
}
/*
 * Gamma for a >= 10 by Stirling's series in the exponent, eight terms of Bernoulli numbers. a^(a - 1/2) is taken in two
 * halves, whose exponent a/2 - 1/4 is exact: the whole leaves the range before the result does.
 */
static double stirling(double a)
{
	double power = clc_pow(a, 0.5 * a - 0.25), r = 1 / a, s = r * r, series;
	series = __builtin_fma(s, -3617.0 / 122400, 1.0 / 156);
	series = __builtin_fma(s, series, -691.0 / 360360);
	series = __builtin_fma(s, series, 1.0 / 1188);
	series = __builtin_fma(s, series, -1.0 / 1680);
	series = __builtin_fma(s, series, 1.0 / 1260);
	series = __builtin_fma(s, series, -1.0 / 360);
	series = __builtin_fma(s, series, 1.0 / 12);
	return power * clc_exp(-a) * (2.5066282746310005 * clc_exp(r * series)) * power;
}

/* Below 10 by the recurrence from a + n; what a + n loses of a is put back to first order, log(a + n) for psi. */
extern double __nv_log(double);
static double gamma_positive(double a)
{
	double product = 1, moved = a, lost = 0;
	if (a < 10) {
		int n = 10 - (int)a;
		for (int i = 0; i < n; i++)
			product *= a + i;
		moved = a + n;
		lost = a - (moved - n);
	}
	double gamma = stirling(moved);
	return __builtin_fma(gamma, lost * (__nv_log(moved) - 0.5 / moved), gamma) / product;
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
	if (a > 0)
		return a > 172 ? __builtin_inf() : gamma_positive(a);
	if (a < -160) /* gamma(-a) a is near the end of the range; the quotient is not */
		return -3.14159265358979324 / gamma_positive(-a) / (a * clc_sinpi(a));
	return a == a ? -3.14159265358979324 / (a * clc_sinpi(a) * gamma_positive(-a)) : a;
}
HD_DEVICE float __nv_tgammaf(float a)
{
	return (float)__nv_tgamma((double)a);
}

/* libclc's with other names or results through pointers */
extern float clc_frexpf(float, int *) __asm__("_Z5frexpfPi");
extern double clc_frexp(double, int *) __asm__("_Z5frexpdPi");
extern float clc_modff(float, float *) __asm__("_Z4modffPf");
extern double clc_modf(double, double *) __asm__("_Z4modfdPd");
extern float clc_remquof(float, float, int *) __asm__("_Z6remquoffPi");
extern double clc_remquo(double, double, int *) __asm__("_Z6remquoddPi");
extern float clc_sincosf(float, float *) __asm__("_Z6sincosfPf");
extern double clc_sincos(double, double *) __asm__("_Z6sincosdPd");
extern float clc_pownf(float, int) __asm__("_Z4pownfi");
extern double clc_pown(double, int) __asm__("_Z4powndi");

HD_DEVICE float __nv_frexpf(float a, int *e)
{
	return clc_frexpf(a, e);
}
HD_DEVICE double __nv_frexp(double a, int *e)
{
	return clc_frexp(a, e);
}
HD_DEVICE float __nv_modff(float a, float *i)
{
	return clc_modff(a, i);
}
HD_DEVICE double __nv_modf(double a, double *i)
{
	return clc_modf(a, i);
}
HD_DEVICE float __nv_remquof(float a, float b, int *q)
{
	return clc_remquof(a, b, q);
}
HD_DEVICE double __nv_remquo(double a, double b, int *q)
{
	return clc_remquo(a, b, q);
}
HD_DEVICE void __nv_sincosf(float a, float *s, float *c)
{
	*s = clc_sincosf(a, c);
}
HD_DEVICE void __nv_sincos(double a, double *s, double *c)
{
	*s = clc_sincos(a, c);
}
HD_DEVICE float __nv_powif(float a, int b)
{
	return clc_pownf(a, b);
}
HD_DEVICE double __nv_powi(double a, int b)
{
	return clc_pown(a, b);
}
/* libclc's takes denormal results for zero. */
HD_DEVICE float __nv_ldexpf(float a, int b)
{
	return __builtin_ldexpf(a, b);
}
HD_DEVICE double __nv_ldexp(double a, int b)
{
	return __builtin_ldexp(a, b);
}
HD_DEVICE float __nv_scalbnf(float a, int b)
{
	return __builtin_ldexpf(a, b);
}
HD_DEVICE double __nv_scalbn(double a, int b)
{
	return __builtin_ldexp(a, b);
}
HD_DEVICE void __nv_sincospi(double a, double *s, double *c)
{
	*s = clc_sinpi(a);
	*c = clc_cospi(a);
}

/*
 * Float exponentials: e^a = 2^t 2^r with t an integer, for which the hardware's 2^x is exact. The remainder is taken
 * with a two-word constant. t is clamped to normal powers of two, so that r takes what is beyond, up to infinities.
 */
static inline float power_of_two(float t, float r)
{
	return __nvvm_ex2_approx_f(r) * __nvvm_ex2_approx_f(t);
}
static inline float exponent(float a)
{
	return __builtin_fminf(__builtin_fmaxf(__builtin_rintf(a), -126.0f), 127.0f);
}
HD_DEVICE float __nv_expf(float a)
{
	float t = exponent(a * 1.44269504f);
	float r = __builtin_fmaf(t, -0.693145752f, a); /* ln 2, 16 bits: exact */
	r = __builtin_fmaf(t, -1.42860677e-6f, r);     /* and the rest of it */
	return power_of_two(t, r * 1.44269504f);
}
HD_DEVICE float __nv_exp10f(float a)
{
	float t = exponent(a * 3.32192809f);
	float r = __builtin_fmaf(t, -0.301025391f, a); /* log10 2, 12 bits */
	r = __builtin_fmaf(t, -4.60503893e-6f, r);
	return power_of_two(t, r * 3.32192809f);
}
HD_DEVICE float __nv_exp2f(float a)
{
	return __nvvm_ex2_approx_f(a);
}

/* The reciprocal square root: for double lowering adds Newton steps. */
HD_DEVICE float __nv_rsqrtf(float a)
{
	return __nvvm_rsqrt_approx_f(a);
}
HD_DEVICE double __nv_rsqrt(double a)
{
	return __nvvm_rsqrt_approx_d(a);
}
HD_DEVICE float __nv_frsqrt_rn(float a)
{
	return (float)__nv_rsqrt((double)a); /* double's error is far below half a float ulp */
}

/* Compositions */
HD_DEVICE float __nv_normcdff(float a)
{
	return (float)(0.5 * clc_erfc((double)a * -0.70710678118654752));
}
/* The argument's rounding error, times erfc's slope. */
HD_DEVICE double __nv_normcdf(double a)
{
	double x = a * -0.70710678118654752, rest = __builtin_fma(a, -0.70710678118654752, -x);
	rest = __builtin_fma(a, 4.8336466567264567e-17, rest); /* what 1/sqrt(2) has beyond a double */
	double half = 0.5 * clc_erfc(x);
	return __builtin_fabs(x) < 40 ? __builtin_fma(-0.56418958354775629 * rest, clc_exp(-x * x), half) : half;
}

/* exp(a^2) erfc(a); from 26 up, where the factors leave the range, six terms of the asymptotic series are enough. */
HD_DEVICE double __nv_erfcx(double a)
{
	double square = a * a, s = 1 / square;
	if (a < -27)
		return __builtin_inf();
	if (a < 26)
		return clc_exp(square) * (1 + __builtin_fma(a, a, -square)) * clc_erfc(a);
	double sum = 1 - 4.5 * s * (1 - 5.5 * s);
	sum = 1 - 1.5 * s * (1 - 2.5 * s * (1 - 3.5 * s * sum));
	return 0.56418958354775629 / a * (1 - 0.5 * s * sum);
}
HD_DEVICE float __nv_erfcxf(float a)
{
	return (float)__nv_erfcx((double)a);
}
