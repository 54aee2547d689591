/*
 * The built-in vector types and dim3, with the sizes and alignments of the CUDA ABI: two and four components are
 * aligned to their whole size (at most 16 bytes), one and three to their component.
 */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define HD_VECTOR1(name, T) \
	struct name##1      \
	{                   \
		T x;        \
	};
#define HD_VECTOR2(name, T, align)                     \
	struct __attribute__((aligned(align))) name##2 \
	{                                              \
		T x, y;                                \
	};
#define HD_VECTOR3(name, T) \
	struct name##3      \
	{                   \
		T x, y, z;  \
	};
#define HD_VECTOR4(name, T, align)                     \
	struct __attribute__((aligned(align))) name##4 \
	{                                              \
		T x, y, z, w;                          \
	};
#define HD_VECTORS(name, T, align2, align4) \
	HD_VECTOR1(name, T)                 \
	HD_VECTOR2(name, T, align2)         \
	HD_VECTOR3(name, T)                 \
	HD_VECTOR4(name, T, align4)         \
	typedef struct name##1 name##1;     \
	typedef struct name##2 name##2;     \
	typedef struct name##3 name##3;     \
	typedef struct name##4 name##4;

HD_VECTORS(char, signed char, 2, 4)
HD_VECTORS(uchar, unsigned char, 2, 4)
HD_VECTORS(short, short, 4, 8)
HD_VECTORS(ushort, unsigned short, 4, 8)
HD_VECTORS(int, int, 8, 16)
HD_VECTORS(uint, unsigned int, 8, 16)
HD_VECTORS(long, long, 16, 16)
HD_VECTORS(ulong, unsigned long, 16, 16)
HD_VECTORS(longlong, long long, 16, 16)
HD_VECTORS(ulonglong, unsigned long long, 16, 16)
HD_VECTORS(float, float, 8, 16)
HD_VECTORS(double, double, 16, 16)

/* Four components of 64 bits by their alignment, as CUDA 13 names them. */
#define HD_ALIGNED4(name, T, align)                                      \
	struct __attribute__((aligned(align))) name##4_##align##a        \
	{                                                                \
		T x, y, z, w;                                            \
	};                                                               \
	typedef struct name##4_##align##a name##4_##align##a;
HD_ALIGNED4(long, long, 16)
HD_ALIGNED4(long, long, 32)
HD_ALIGNED4(ulong, unsigned long, 16)
HD_ALIGNED4(ulong, unsigned long, 32)
HD_ALIGNED4(longlong, long long, 16)
HD_ALIGNED4(longlong, long long, 32)
HD_ALIGNED4(ulonglong, unsigned long long, 16)
HD_ALIGNED4(ulonglong, unsigned long long, 32)
HD_ALIGNED4(double, double, 16)
HD_ALIGNED4(double, double, 32)

#undef HD_ALIGNED4
#undef HD_VECTORS
#undef HD_VECTOR1
#undef HD_VECTOR2
#undef HD_VECTOR3
#undef HD_VECTOR4

/* Launch dimensions. Components that are not given are 1. */
struct dim3 {
	unsigned int x, y, z;
#if defined(__cplusplus) && __cplusplus >= 201103L
	__host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
	    : x(vx), y(vy), z(vz)
	{
	}
	__host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
	{
	}
	__host__ __device__ constexpr operator uint3() const
	{
		return uint3{x, y, z};
	}
#elif defined(__cplusplus)
	__host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz)
	{
	}
	__host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
	{
	}
	__host__ __device__ operator uint3() const
	{
		uint3 t = {x, y, z};
		return t;
	}
#endif
};
typedef struct dim3 dim3;

#endif
