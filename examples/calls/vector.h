/*
 * Vectors of three floats for the call-heavy workloads. Contraction is off and multiply-adds are written out where they
 * matter, so that host and device round alike and results can be compared bit by bit (nvcc: -fmad=false).
 */
#ifndef CALLS_VECTOR_H
#define CALLS_VECTOR_H

#include "common.h"

#pragma STDC FP_CONTRACT OFF

#define INLINE __host__ __device__ inline

INLINE float3 operator+(float3 a, float3 b)
{
	return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

INLINE float3 operator-(float3 a, float3 b)
{
	return make_float3(a.x - b.x, a.y - b.y, a.z - b.z);
}

INLINE float3 operator*(float3 a, float3 b)
{
	return make_float3(a.x * b.x, a.y * b.y, a.z * b.z);
}

INLINE float3 operator*(float3 a, float scale)
{
	return make_float3(a.x * scale, a.y * scale, a.z * scale);
}

/* a + b * scale */
INLINE float3 along(float3 a, float3 b, float scale)
{
	return make_float3(fmaf(b.x, scale, a.x), fmaf(b.y, scale, a.y), fmaf(b.z, scale, a.z));
}

INLINE float dot(float3 a, float3 b)
{
	return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

INLINE float length(float3 a)
{
	return sqrtf(dot(a, a));
}

INLINE float3 normalized(float3 a)
{
	return a * (1.0f / length(a));
}

INLINE bool same(float3 a, float3 b)
{
	return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* In [-1, 1) each. */
INLINE float3 random_vector(unsigned *seed)
{
	float x = 2 * next_unit(seed) - 1, y = 2 * next_unit(seed) - 1, z = 2 * next_unit(seed) - 1;
	return make_float3(x, y, z);
}

#endif
