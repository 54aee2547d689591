/*
 * fft: many Fourier transforms of 512 complex numbers, radix 8: a thread has eight numbers in registers, three times
 * transforms them and twice exchanges them with the other 63 through shared memory. A block has one transform, or, with
 * persistent threads, there are as many blocks as fit the GPU and each takes the next transform when it is done.
 */
#include "../grids/grids.h"

#define POINTS 512
#define RADIX 8
#define BLOCK (POINTS / RADIX)
#define RESIDENT 15 /* blocks of an SM that 64 KB of shared memory have room for: registers are to have it, too */

BOTH float2 plus(float2 a, float2 b)
{
	return {a.x + b.x, a.y + b.y};
}
BOTH float2 minus(float2 a, float2 b)
{
	return {a.x - b.x, a.y - b.y};
}
BOTH float2 times(float2 a, float2 b)
{
	return {fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x)};
}

/* Two numbers `step` apart: sum, and difference turned by a root of unity. */
BOTH void butterfly(float2 *v, int step, float2 root)
{
	float2 a = v[0], b = v[step];
	v[0] = plus(a, b);
	v[step] = times(minus(a, b), root);
}

/* Eight numbers at once; the results stand in the order of reversed bits. */
BOTH void transform_8(float2 v[RADIX])
{
	const float h = 0.70710678f;
	const float2 roots[4] = {{1, 0}, {h, -h}, {0, -1}, {-h, -h}};
#pragma unroll
	for (int i = 0; i < 4; i++)
		butterfly(v + i, 4, roots[i]);
#pragma unroll
	for (int i = 0; i < 8; i += 4)
		for (int j = 0; j < 2; j++)
			butterfly(v + i + j, 2, roots[2 * j]);
#pragma unroll
	for (int i = 0; i < 8; i += 2)
		butterfly(v + i, 1, roots[0]);
}

BOTH int reversed(int i)
{
	return (i & 1) << 2 | (i & 2) | i >> 2;
}

/* Turns the j-th result by the twiddle factor of index j * k in a circle of POINTS / scale. */
BOTH void twiddle(float2 v[RADIX], const float2 *roots, int k, int scale)
{
#pragma unroll
	for (int j = 1; j < RADIX; j++)
		v[reversed(j)] = times(v[reversed(j)], roots[j * k * scale]);
}

__device__ __forceinline__ void transform(const float2 *from, float2 *to, const float2 *roots, float2 *shared)
{
	int thread = threadIdx.x;
	float2 v[RADIX];
#pragma unroll
	for (int i = 0; i < RADIX; i++)
		v[i] = from[i * BLOCK + thread];
	transform_8(v);
	twiddle(v, roots, thread, 1);
	/* The eight parts of 64, one for each residue of the result's index, one behind the other. */
#pragma unroll
	for (int j = 0; j < RADIX; j++)
		shared[j * BLOCK + thread] = v[reversed(j)];
	__syncthreads();
	int part = thread / RADIX, k = thread % RADIX;
#pragma unroll
	for (int i = 0; i < RADIX; i++)
		v[i] = shared[part * BLOCK + i * RADIX + k];
	transform_8(v);
	twiddle(v, roots, k, RADIX);
	__syncthreads();
#pragma unroll
	for (int j = 0; j < RADIX; j++)
		shared[part * BLOCK + j * RADIX + k] = v[reversed(j)];
	__syncthreads();
	/* Here a thread has residue `part` of the first and `k` of the second step. */
#pragma unroll
	for (int i = 0; i < RADIX; i++)
		v[i] = shared[part * BLOCK + k * RADIX + i];
	transform_8(v);
#pragma unroll
	for (int j = 0; j < RADIX; j++)
		to[part + RADIX * k + BLOCK * j] = v[reversed(j)];
	__syncthreads();
}

__global__ void __launch_bounds__(BLOCK) fft(const float2 *from, float2 *to, const float2 *roots)
{
	__shared__ float2 shared[POINTS];
	transform(from + (size_t)blockIdx.x * POINTS, to + (size_t)blockIdx.x * POINTS, roots, shared);
}

__global__ void __launch_bounds__(BLOCK, RESIDENT)
	fft_persistent(const float2 *from, float2 *to, const float2 *roots, int *taken, int n)
{
	__shared__ float2 shared[POINTS];
	__shared__ int own;
	for (;;) {
		if (threadIdx.x == 0)
			own = atomicAdd(taken, 1);
		__syncthreads();
		int mine = own;
		if (mine >= n)
			break;
		transform(from + (size_t)mine * POINTS, to + (size_t)mine * POINTS, roots, shared);
	}
}

/* By the definition, in double precision. */
static void on_host(const float2 *from, float2 *to, const double *cosines, const double *sines)
{
	for (int k = 0; k < POINTS; k++) {
		double x = 0, y = 0;
		for (int i = 0; i < POINTS; i++) {
			int turn = i * k % POINTS;
			x += from[i].x * cosines[turn] + from[i].y * sines[turn];
			y += from[i].y * cosines[turn] - from[i].x * sines[turn];
		}
		to[k] = {(float)x, (float)y};
	}
}

static int resident_blocks()
{
	int device, multiprocessors, blocks;
	CHECK(cudaGetDevice(&device));
	CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fft_persistent, BLOCK, 0));
	return multiprocessors * blocks;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv,
			       "fft [transforms [1: as they come, 2: persistent threads]]   (default 2048, 1)"};
	int n = size_argument(arguments, 1, 2048, 1 << 16), way = size_argument(arguments, 2, 1, 2);
	size_t all = (size_t)n * POINTS;
	float2 *from = (float2 *)random_floats(2 * all, 1), *to = host_array<float2>(all),
	       *roots = host_array<float2>(POINTS);
	double cosines[POINTS], sines[POINTS];
	for (int i = 0; i < POINTS; i++) {
		cosines[i] = cos(2 * M_PI * i / POINTS);
		sines[i] = sin(2 * M_PI * i / POINTS);
		roots[i] = {(float)cosines[i], (float)-sines[i]};
	}
	float2 *dfrom = device_copy(from, all), *dto = device_array<float2>(all), *droots = device_copy(roots, POINTS);

	if (way == 1)
		fft<<<n, BLOCK>>>(dfrom, dto, droots);
	else
		fft_persistent<<<resident_blocks(), BLOCK>>>(dfrom, dto, droots, device_array<int>(1), n);
	CHECK_LAUNCH();

	for (int i = 0; i < n; i++)
		on_host(from + (size_t)i * POINTS, to + (size_t)i * POINTS, cosines, sines);
	Verdict verdict = {"fft", 0};
	compare_near(&verdict, "coefficient", (float *)dto, (float *)to, 2 * all, 1e-4f);
	return conclude(verdict, "%d transforms of %d points%s", n, POINTS, way == 2 ? ", persistent threads" : "");
}
