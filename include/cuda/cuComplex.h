/*
 * Complex numbers of CUDA's C API (cuComplex.h): float2 and double2 with the usual operations, on host and device.
 * Quotients are scaled by the divisor's larger part, so that they overflow only where the result does.
 */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "host_defines.h"
#include "vector_types.h"

#ifdef __CUDACC__
#define HD_COMPLEX __host__ __device__ static inline
#else
#define HD_COMPLEX static inline
#endif

/* F: the names' suffix; T: the type; R: of its parts. */
#define HD_COMPLEX_TYPE(F, T, R)                                                           \
	HD_COMPLEX R cuCreal##F(T z)                                                       \
	{                                                                                  \
		return z.x;                                                                \
	}                                                                                  \
	HD_COMPLEX R cuCimag##F(T z)                                                       \
	{                                                                                  \
		return z.y;                                                                \
	}                                                                                  \
	HD_COMPLEX T make_##T(R real, R imaginary)                                         \
	{                                                                                  \
		T z;                                                                       \
		z.x = real;                                                                \
		z.y = imaginary;                                                           \
		return z;                                                                  \
	}                                                                                  \
	HD_COMPLEX T cuConj##F(T z)                                                        \
	{                                                                                  \
		return make_##T(z.x, -z.y);                                                \
	}                                                                                  \
	HD_COMPLEX T cuCadd##F(T a, T b)                                                   \
	{                                                                                  \
		return make_##T(a.x + b.x, a.y + b.y);                                     \
	}                                                                                  \
	HD_COMPLEX T cuCsub##F(T a, T b)                                                   \
	{                                                                                  \
		return make_##T(a.x - b.x, a.y - b.y);                                     \
	}                                                                                  \
	HD_COMPLEX T cuCmul##F(T a, T b)                                                   \
	{                                                                                  \
		return make_##T(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);             \
	}                                                                                  \
	HD_COMPLEX T cuCfma##F(T a, T b, T c)                                              \
	{                                                                                  \
		return make_##T(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x); \
	}                                                                                  \
	HD_COMPLEX T cuCdiv##F(T a, T b)                                                   \
	{                                                                                  \
		R size = fabs##F(b.x) > fabs##F(b.y) ? fabs##F(b.x) : fabs##F(b.y);        \
		R x = b.x / size, y = b.y / size, square = x * x + y * y;                  \
		return make_##T((a.x / size * x + a.y / size * y) / square,                \
				(a.y / size * x - a.x / size * y) / square);               \
	}                                                                                  \
	HD_COMPLEX R cuCabs##F(T z)                                                        \
	{                                                                                  \
		return hypot##F(z.x, z.y);                                                 \
	}

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

HD_COMPLEX_TYPE(f, cuFloatComplex, float)
HD_COMPLEX_TYPE(, cuDoubleComplex, double)
#undef HD_COMPLEX_TYPE

HD_COMPLEX cuComplex make_cuComplex(float real, float imaginary)
{
	return make_cuFloatComplex(real, imaginary);
}
HD_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
	return make_cuFloatComplex((float)z.x, (float)z.y);
}
HD_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
	return make_cuDoubleComplex(z.x, z.y);
}
#undef HD_COMPLEX

#endif
