/*
 * The overloads of min, max and of CUDA's extra math functions that clang's resource headers leave out: min and max of
 * every arithmetic type on both sides; what CUDA adds to the C library on the host is in heddle_host_math.h.
 */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#define HD_MINMAX_INT(side, T, A, B)              \
	side static inline T min(A a, B b)        \
	{                                         \
		return (T)b < (T)a ? (T)b : (T)a; \
	}                                         \
	side static inline T max(A a, B b)        \
	{                                         \
		return (T)a < (T)b ? (T)b : (T)a; \
	}
#define HD_MINMAX_SAME(side, T) HD_MINMAX_INT(side, T, T, T)
#define HD_MINMAX_MIXED(side, T, S)  \
	HD_MINMAX_INT(side, T, T, T) \
	HD_MINMAX_INT(side, T, T, S) \
	HD_MINMAX_INT(side, T, S, T)

/* A NaN operand loses, as in fmin and fmax. */
#define HD_MINMAX_FLOAT(side)                             \
	side static inline float min(float a, float b)    \
	{                                                 \
		return fminf(a, b);                       \
	}                                                 \
	side static inline float max(float a, float b)    \
	{                                                 \
		return fmaxf(a, b);                       \
	}                                                 \
	side static inline double min(double a, double b) \
	{                                                 \
		return fmin(a, b);                        \
	}                                                 \
	side static inline double max(double a, double b) \
	{                                                 \
		return fmax(a, b);                        \
	}                                                 \
	side static inline double min(float a, double b)  \
	{                                                 \
		return fmin((double)a, b);                \
	}                                                 \
	side static inline double max(float a, double b)  \
	{                                                 \
		return fmax((double)a, b);                \
	}                                                 \
	side static inline double min(double a, float b)  \
	{                                                 \
		return fmin(a, (double)b);                \
	}                                                 \
	side static inline double max(double a, float b)  \
	{                                                 \
		return fmax(a, (double)b);                \
	}

#define HD_MINMAX(side)                                      \
	HD_MINMAX_MIXED(side, unsigned int, int)             \
	HD_MINMAX_SAME(side, long)                           \
	HD_MINMAX_MIXED(side, unsigned long, long)           \
	HD_MINMAX_SAME(side, long long)                      \
	HD_MINMAX_MIXED(side, unsigned long long, long long) \
	HD_MINMAX_FLOAT(side)

HD_MINMAX(__device__)
HD_MINMAX(__host__)
HD_MINMAX_SAME(__host__, int) /* clang's header has the device's */

#undef HD_MINMAX
#undef HD_MINMAX_FLOAT
#undef HD_MINMAX_MIXED
#undef HD_MINMAX_SAME
#undef HD_MINMAX_INT

/*
 * float overloads of the C library's names that clang's headers declare for device code and leave to this one to define
 */
#define HD_OVERLOAD_1(type, name)                   \
	__device__ static inline type name(float a) \
	{                                           \
		return name##f(a);                  \
	}
#define HD_OVERLOAD_2(name)                                   \
	__device__ static inline float name(float a, float b) \
	{                                                     \
		return name##f(a, b);                         \
	}
HD_OVERLOAD_1(float, acosh)
HD_OVERLOAD_1(float, asinh)
HD_OVERLOAD_1(float, atanh)
HD_OVERLOAD_1(float, cbrt)
HD_OVERLOAD_1(float, erf)
HD_OVERLOAD_1(float, erfc)
HD_OVERLOAD_1(float, exp2)
HD_OVERLOAD_1(float, expm1)
HD_OVERLOAD_1(float, lgamma)
HD_OVERLOAD_1(float, log1p)
HD_OVERLOAD_1(float, log2)
HD_OVERLOAD_1(float, logb)
HD_OVERLOAD_1(float, nearbyint)
HD_OVERLOAD_1(float, rint)
HD_OVERLOAD_1(float, round)
HD_OVERLOAD_1(float, tgamma)
HD_OVERLOAD_1(float, trunc)
HD_OVERLOAD_1(int, ilogb)
HD_OVERLOAD_1(long, lrint)
HD_OVERLOAD_1(long, lround)
HD_OVERLOAD_1(long long, llrint)
HD_OVERLOAD_1(long long, llround)
HD_OVERLOAD_2(copysign)
HD_OVERLOAD_2(fdim)
HD_OVERLOAD_2(fmax)
HD_OVERLOAD_2(fmin)
HD_OVERLOAD_2(hypot)
HD_OVERLOAD_2(nextafter)
HD_OVERLOAD_2(remainder)
#undef HD_OVERLOAD_2
__device__ static inline float fma(float a, float b, float c)
{
	return fmaf(a, b, c);
}
__device__ static inline float remquo(float a, float b, int *quotient)
{
	return remquof(a, b, quotient);
}
__device__ static inline float scalbn(float a, int exponent)
{
	return scalbnf(a, exponent);
}
__device__ static inline float scalbln(float a, long exponent)
{
	return scalblnf(a, exponent);
}
/* By squaring in clang's header; nvcc takes pow of doubles, also for a float. enable_if: the better one of two alike. */
__device__ static inline double pow(float a, int b) __attribute__((enable_if(true, "")))
{
	return ::pow((double)a, (double)b);
}
__device__ static inline double pow(double a, int b) __attribute__((enable_if(true, "")))
{
	return ::pow(a, (double)b);
}
namespace std
{
using ::pow;
}
__device__ static inline double nan(const char *tag)
{
	return __nv_nan((const signed char *)tag);
}

/* The same of names that the C library does not have. */
HD_OVERLOAD_1(float, rsqrt)
HD_OVERLOAD_1(float, rcbrt)
HD_OVERLOAD_1(float, sinpi)
HD_OVERLOAD_1(float, cospi)
HD_OVERLOAD_1(float, exp10)
HD_OVERLOAD_1(float, erfinv)
HD_OVERLOAD_1(float, erfcinv)
HD_OVERLOAD_1(float, erfcx)
HD_OVERLOAD_1(float, normcdf)
HD_OVERLOAD_1(float, normcdfinv)
#undef HD_OVERLOAD_1
__device__ static inline void sincos(float a, float *s, float *c)
{
	sincosf(a, s, c);
}
__device__ static inline void sincospi(float a, float *s, float *c)
{
	sincospif(a, s, c);
}

#include "heddle_host_math.h"

#endif
