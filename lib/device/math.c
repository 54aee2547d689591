/*
 * The device math library: the functions that clang's CUDA headers call __nv_NAME, which NVIDIA ships as libdevice.
 *
 * The large ones are libclc's OpenCL functions (math.def), the small ones are LLVM intrinsics or a few operations.
 * Functions that NVIDIA hardware approximates (reciprocal square root, 2^x, the __fast forms) use the same
 * approximation instructions here, so that instruction counts stay comparable. intrinsics.c has those that are one
 * machine instruction.
 *
 * special.c has what libclc has no counterpart of, and what it does less well; single.c has functions of float that
 * libclc computes with many more instructions than NVIDIA's library.
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
#define HD_BINARY_FLOAT(length, name)                                       \
	extern float clc_##name##f(float, float) HD_CLC(length, name, "ff"); \
	HD_DEVICE float __nv_##name##f(float a, float b)                     \
	{                                                                    \
		return clc_##name##f(a, b);                                  \
	}
#define HD_BINARY_DOUBLE(length, name)                                      \
	extern double clc_##name(double, double) HD_CLC(length, name, "dd"); \
	HD_DEVICE double __nv_##name(double a, double b)                     \
	{                                                                    \
		return clc_##name(a, b);                                     \
	}
#define HD_BINARY(length, name)       \
	HD_BINARY_FLOAT(length, name) \
	HD_BINARY_DOUBLE(length, name)
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
extern double clc_sinh(double) HD_CLC(4, sinh, "d");
extern double clc_cosh(double) HD_CLC(4, cosh, "d");
HD_DEVICE double __nv_sinh(double a)
{
	return __builtin_fabs(a) < 711.0 ? clc_sinh(a) : a * __builtin_inf();
}
HD_DEVICE double __nv_cosh(double a)
{
	return __builtin_fabs(a) < 711.0 ? clc_cosh(a) : __builtin_fabs(a) * __builtin_inf();
}

extern double clc_erfc(double) HD_CLC(4, erfc, "d");
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
/* libclc's with other names or results through pointers */
extern float clc_frexpf(float, int *) __asm__("_Z5frexpfPi");
extern double clc_frexp(double, int *) __asm__("_Z5frexpdPi");
extern float clc_modff(float, float *) __asm__("_Z4modffPf");
extern double clc_modf(double, double *) __asm__("_Z4modfdPd");
extern float clc_remquof(float, float, int *) __asm__("_Z6remquoffPi");
extern double clc_remquo(double, double, int *) __asm__("_Z6remquoddPi");
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

/*
 * Float exponentials: e^a = 2^t 2^r with t an integer, for which the hardware's 2^x is exact. The remainder is taken
 * with a two-word constant. t is clamped to normal powers of two, so that r takes what is beyond, up to infinities:
 * where 2^r is denormal the product is 0, so that both powers may flush.
 */
static inline float power_of_two(float t, float r)
{
	return __nvvm_ex2_approx_ftz_f(r) * __nvvm_ex2_approx_ftz_f(t);
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
/* The argument's rounding error, times erfc's slope. */
HD_DEVICE double __nv_normcdf(double a)
{
	double x = a * -0.70710678118654752, rest = __builtin_fma(a, -0.70710678118654752, -x);
	rest = __builtin_fma(a, 4.8336466567264567e-17, rest); /* what 1/sqrt(2) has beyond a double */
	double half = 0.5 * clc_erfc(x);
	return __builtin_fabs(x) < 40 ? __builtin_fma(-0.56418958354775629 * rest, clc_exp(-x * x), half) : half;
}
