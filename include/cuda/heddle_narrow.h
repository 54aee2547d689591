/*
 * Conversions between numbers that cuda_fp16.h and cuda_bf16.h share: integers to a double that rounds to 16 bits as the
 * integer would, floats without a fraction to integers, and one step of a 16-bit pattern up or down.
 */
#ifndef HEDDLE_NARROW_H
#define HEDDLE_NARROW_H

#ifndef __CUDA__ /* C++ of the host, where only what works there is declared */
#include <math.h>

#include "host_defines.h"
#include "vector_functions.h"
#include "vector_types.h"
#endif

#define HD_BOTH __host__ __device__ static inline

struct __half;
struct __nv_bfloat16;

/* 40 bits of the integer, the lowest set when any below it is: enough for any rounding to 11 bits. */
HD_BOTH double __hd_of_unsigned(unsigned long long v)
{
	int shift = v >> 40 ? 24 - __builtin_clzll(v) : 0;
	unsigned long long top = v >> shift, rest = v ^ top << shift;
	return (double)(top | (rest != 0)) * (double)(1ull << shift);
}
HD_BOTH double __hd_of_signed(long long v)
{
	return v < 0 ? -__hd_of_unsigned(0ull - (unsigned long long)v) : __hd_of_unsigned((unsigned long long)v);
}

/* A whole float as an integer between two bounds; NaN becomes 0. */
template <typename _T> HD_BOTH _T __hd_to_integer(float x, _T least, _T most)
{
	if (x != x)
		return 0;
	if (x >= (float)most)
		return most;
	return x <= (float)least ? least : (_T)x;
}

/* The neighbours of a number whose format is sign and magnitude. */
HD_BOTH unsigned short __hd_step_down(unsigned short bits)
{
	return bits == 0 || bits == 0x8000 ? 0x8001 : bits & 0x8000 ? bits + 1 : bits - 1;
}
HD_BOTH unsigned short __hd_step_up(unsigned short bits)
{
	return bits == 0 || bits == 0x8000 ? 1 : bits & 0x8000 ? bits - 1 : bits + 1;
}

/* `nearest`, whose value is `got`, as `exact` rounds towards zero (z), down (d) or up (u). */
HD_BOTH unsigned short __hd_directed(unsigned short nearest, double got, double exact, char mode)
{
	if (mode == 'z')
		mode = exact < 0 ? 'u' : 'd';
	if (mode == 'd' && got > exact)
		return __hd_step_down(nearest);
	if (mode == 'u' && got < exact)
		return __hd_step_up(nearest);
	return nearest;
}

#undef HD_BOTH
#endif
