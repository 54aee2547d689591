/*
 * What the programs of one file share, beside calls/common.h. Contraction is off and multiply-adds are written
 * out, so that host and device round alike and results can be compared bit by bit (nvcc: -fmad=false).
 */
#ifndef GRIDS_H
#define GRIDS_H

#include "../calls/common.h"

#pragma STDC FP_CONTRACT OFF

#define BOTH __host__ __device__ inline

/* Numbers in [-1, 1), the same on every machine. */
static inline float *random_floats(size_t n, unsigned seed)
{
	float *array = host_array<float>(n);
	for (size_t i = 0; i < n; i++)
		array[i] = 2 * next_unit(&seed) - 1;
	return array;
}

/* Compares a device array with what the host computed. */
template <typename T> static void compare(Verdict *verdict, const char *what, const T *device, const T *expected, size_t n)
{
	T *got = host_array<T>(n);
	copy_back(got, device, n);
	for (size_t i = 0; i < n; i++)
		if (got[i] != expected[i])
			differs(verdict, "%s[%zu] = %.9g, not %.9g", what, i, (double)got[i], (double)expected[i]);
	free(got);
}

/* The same where functions round differently on both sides: differences up to `most`. */
static inline void compare_near(Verdict *verdict, const char *what, const float *device, const float *expected, size_t n, float most)
{
	float *got = host_array<float>(n);
	copy_back(got, device, n);
	for (size_t i = 0; i < n; i++)
		if (!(fabsf(got[i] - expected[i]) <= most))
			differs(verdict, "%s[%zu] = %.9g, not %.9g", what, i, (double)got[i], (double)expected[i]);
	free(got);
}

#endif
