// Half precision and bfloat16: polynomials in pairs, activation functions, a softmax, sums with a float's accuracy, a
// stencil on unaligned pairs, comparisons with NaNs, atomics. The host rounds each step as the format says, or bounds
// the error.
#include "common.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { N = 192 };

// What a product, a sum or a fused step of halves rounds to: double holds all of them exactly, or far enough.
static double rounded(double x, int bits, int least)
{
	if (x == 0 || x != x || std::isinf(x))
		return x;
	int e;
	frexp(x, &e);
	int unit = e - bits < least ? least : e - bits;
	return ldexp(nearbyint(ldexp(x, -unit)), unit);
}
static double h(double x)
{
	double r = rounded(x, 11, -24);
	return fabs(r) >= 65520 ? copysign(INFINITY, r) : r;
}
static double b(double x)
{
	return rounded(x, 8, -133);
}

__global__ void polynomials(const float *in, __half *single, __half2 *pairs, __nv_bfloat16 *brain)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i >= N)
		return;
	__half x = __float2half_rn(in[i]), sum = __float2half(0.5f);
	for (int k = 1; k < 6; k++)
		sum = __hfma(sum, x, __float2half(1.0f / k));
	single[i] = sum;
	__half2 two = __floats2half2_rn(in[i], -in[i]), acc = __float2half2_rn(2.0f);
#pragma unroll
	for (int k = 0; k < 4; k++) {
		acc = __hadd2(__hmul2(acc, two), __half2half2(__float2half(0.25f * k)));
		acc = k == 2 ? __lowhigh2highlow(acc) : acc;
	}
	pairs[i] = acc;
	__nv_bfloat16 y = __float2bfloat16(in[i]), z = __float2bfloat16(1.5f);
	for (int k = 0; k < 3; k++)
		z = y * z + __float2bfloat16(0.125f * k);
	brain[i] = z;
}

// A row's softmax, a block a row, the maximum by shuffles of halves.
__global__ void softmax(const __half *in, __half *out, int width)
{
	const __half *row = in + blockIdx.x * width;
	__half most = __float2half(-65504.0f);
	for (int i = threadIdx.x; i < width; i += 32)
		most = __hgt(row[i], most) ? row[i] : most;
	for (int d = 16; d; d /= 2) {
		__half other = __shfl_xor_sync(~0u, most, d);
		most = __hlt(most, other) ? other : most;
	}
	float sum = 0;
	for (int i = threadIdx.x; i < width; i += 32)
		sum += __half2float(hexp(__hsub(row[i], most)));
	for (int d = 16; d; d /= 2)
		sum += __shfl_xor_sync(~0u, sum, d);
	for (int i = threadIdx.x; i < width; i += 32)
		out[blockIdx.x * width + i] = __hdiv(hexp(row[i] - most), __float2half(sum));
}

// Neighbours of odd elements, read as pairs where they lie so; flags of comparisons with NaN in a word.
__global__ void stencil(const __half *in, __half *out, unsigned *flags, int n)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i >= n / 2)
		return;
	__half2 here = ((const __half2 *)in)[i], before = i ? ((const __half2 *)in)[i - 1] : here,
		after = i + 1 < n / 2 ? ((const __half2 *)in)[i + 1] : here;
	__half left = __high2half(before), right = __low2half(after);
	((__half2 *)out)[i] = __halves2half2(left + __high2half(here), __low2half(here) - right);
	__half nan = __ushort_as_half(0x7e00), a = __low2half(here);
	flags[i] = __heq(a, a) | __hne(a, nan) << 1 | __hlt(a, nan) << 2 | __hltu(a, nan) << 3 | __hisnan(nan) << 4 |
		   __hge(a, right) << 5 | (unsigned)__half_as_ushort(__habs(a)) << 8 | (unsigned)__hisinf(a + a) << 30;
}

__global__ void gather(const float *in, int n, __half2 *sums, float *exact)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < n) {
		atomicAdd(&sums[i % 3], __floats2half2_rn(rintf(in[i] * 4), 1.0f));
		atomicAdd(&exact[i % 3], rintf(in[i] * 4));
	}
}

int main()
{
	float *in = shared_array<float>(N), *exact = shared_array<float>(3);
	__half *single = shared_array<__half>(N), *row = shared_array<__half>(2 * N),
	       *soft = shared_array<__half>(2 * N);
	__half2 *pairs = shared_array<__half2>(N), *sums = shared_array<__half2>(3);
	__nv_bfloat16 *brain = shared_array<__nv_bfloat16>(N);
	unsigned *flags = shared_array<unsigned>(N);
	for (int i = 0; i < N; i++)
		in[i] = (float)((i * 67 % 193) - 96) / 29, row[i] = __float2half(in[i]),
		row[N + i] = __float2half(in[i] * in[i]);
	row[7] = __ushort_as_half(0x7c00); /* infinity, read by the stencil alone */
	polynomials<<<2, 96>>>(in, single, pairs, brain);
	stencil<<<1, 96>>>(row, soft, flags, N);
	gather<<<2, 96>>>(in, N, sums, exact);
	finish_kernel();
	for (int i = 0; i < N; i++) {
		double x = h(in[i]), sum = 0.5, lo = 2, hi = 2, y = b(in[i]), z = 1.5;
		for (int k = 1; k < 6; k++)
			sum = h(sum * x + h(1.0f / k));
		for (int k = 0; k < 4; k++) {
			lo = h(h(lo * x) + 0.25 * k);
			hi = h(h(hi * -x) + 0.25 * k);
			if (k == 2)
				std::swap(lo, hi);
		}
		for (int k = 0; k < 3; k++)
			z = b(b(y * z) + 0.125 * k);
		expect(__half2float(single[i]) == sum, "half", i);
		expect(__low2float(pairs[i]) == lo && __high2float(pairs[i]) == hi, "pair", i);
		expect(__bfloat162float(brain[i]) == z, "bfloat", i);
	}
	for (int i = 0; i < N / 2; i++) {
		double left = __half2float(row[i ? 2 * i - 1 : 1]),
		       right = __half2float(row[i + 1 < N / 2 ? 2 * i + 2 : 2 * i]);
		double first = __half2float(row[2 * i]), second = __half2float(row[2 * i + 1]);
		expect(__half2float(soft[2 * i]) == h(left + second) &&
			       __half2float(soft[2 * i + 1]) == h(first - right),
		       "stencil", i);
		unsigned want = 1u | 0 << 1 | 0 << 2 | 1u << 3 | 1u << 4 | (unsigned)(first >= right) << 5 |
				(unsigned)(__half_as_ushort(row[2 * i]) & 0x7fff) << 8 |
				(unsigned)(fabs(first * 2) >= 65520) << 30;
		expect(flags[i] == want, "flags", i);
	}
	for (int i = 0; i < 3; i++)
		expect(__low2float(sums[i]) == exact[i] && __high2float(sums[i]) == N / 3, "atomics", i);

	row[7] = __float2half(in[7]);
	softmax<<<2, 32>>>(row, soft, N);
	finish_kernel();
	for (int r = 0; r < 2; r++) {
		double most = -1e9, sum = 0;
		for (int i = 0; i < N; i++)
			most = fmax(most, __half2float(row[r * N + i]));
		for (int i = 0; i < N; i++)
			sum += exp(__half2float(row[r * N + i]) - most);
		for (int i = 0; i < N; i++) {
			double want = exp(__half2float(row[r * N + i]) - most) / sum,
			       got = __half2float(soft[r * N + i]);
			expect(fabs(got - want) <= 0.006 * want + 1e-7, "softmax", r * N + i);
		}
	}
	puts("PASSED");
}
