/*
 * make_<type><n>(x, ...): the constructors of the built-in vector types, on both sides.
 */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define HD_MAKE(name, T)                                                             \
	__host__ __device__ static inline name##1 make_##name##1(T x)                \
	{                                                                            \
		name##1 v = {x};                                                     \
		return v;                                                            \
	}                                                                            \
	__host__ __device__ static inline name##2 make_##name##2(T x, T y)           \
	{                                                                            \
		name##2 v = {x, y};                                                  \
		return v;                                                            \
	}                                                                            \
	__host__ __device__ static inline name##3 make_##name##3(T x, T y, T z)      \
	{                                                                            \
		name##3 v = {x, y, z};                                               \
		return v;                                                            \
	}                                                                            \
	__host__ __device__ static inline name##4 make_##name##4(T x, T y, T z, T w) \
	{                                                                            \
		name##4 v = {x, y, z, w};                                            \
		return v;                                                            \
	}

HD_MAKE(char, signed char)
HD_MAKE(uchar, unsigned char)
HD_MAKE(short, short)
HD_MAKE(ushort, unsigned short)
HD_MAKE(int, int)
HD_MAKE(uint, unsigned int)
HD_MAKE(long, long)
HD_MAKE(ulong, unsigned long)
HD_MAKE(longlong, long long)
HD_MAKE(ulonglong, unsigned long long)
HD_MAKE(float, float)
HD_MAKE(double, double)

#undef HD_MAKE

#define HD_MAKE4(name, T)                                             \
	__host__ __device__ static inline name make_##name(T x, T y, T z, T w) \
	{                                                             \
		name v = {x, y, z, w};                                \
		return v;                                             \
	}
#define HD_MAKE4_ALIGNED(name, T) HD_MAKE4(name##4_16a, T) HD_MAKE4(name##4_32a, T)
HD_MAKE4_ALIGNED(long, long)
HD_MAKE4_ALIGNED(ulong, unsigned long)
HD_MAKE4_ALIGNED(longlong, long long)
HD_MAKE4_ALIGNED(ulonglong, unsigned long long)
HD_MAKE4_ALIGNED(double, double)
#undef HD_MAKE4_ALIGNED
#undef HD_MAKE4

#endif
