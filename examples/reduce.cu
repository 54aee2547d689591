/*
 * reduce: the sum and the maximum of an array. Each thread folds a stride of the array, each warp folds its lanes with
 * shuffles, the warps of a block meet in shared memory behind a barrier, and a second launch folds the blocks' results.
 *
 * The check is exact: unsigned addition wraps the same way in any order, and a maximum is one of its operands.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256
#define WARP 32
#define ALL_LANES 0xffffffffu

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "reduce.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: reduce [elements [blocks]]   (default 4000000 elements, 640 blocks)\n";

/* The i-th argument as a number from 1 to `most`, or `fallback` where it is left out. */
static int size_argument(int argc, char **argv, int i, int fallback, long most)
{
	if (argc <= i)
		return fallback;
	char *end;
	long value = strtol(argv[i], &end, 10);
	if (*argv[i] != '\0' && *end == '\0' && value >= 1 && value <= most)
		return (int)value;
	bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	fputs(usage, help ? stdout : stderr);
	exit(help ? 0 : 2);
}

struct Sum {
	typedef unsigned int type;
	static __host__ __device__ type identity()
	{
		return 0;
	}
	static __host__ __device__ type fold(type a, type b)
	{
		return a + b;
	}
};

struct Maximum {
	typedef float type;
	static __host__ __device__ type identity()
	{
		return -3.0e38f;
	}
	static __host__ __device__ type fold(type a, type b)
	{
		return a < b ? b : a;
	}
};

template <class Op>
__device__ typename Op::type reduce_warp(typename Op::type value)
{
	for (int distance = WARP / 2; distance > 0; distance /= 2)
		value = Op::fold(value, __shfl_down_sync(ALL_LANES, value, distance));
	return value;
}

template <class Op>
__global__ void reduce(const typename Op::type *in, int n, typename Op::type *out)
{
	__shared__ typename Op::type partial[BLOCK / WARP];
	int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
	typename Op::type value = Op::identity();

	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		value = Op::fold(value, in[i]);
	value = reduce_warp<Op>(value);
	if (lane == 0)
		partial[warp] = value;
	__syncthreads();
	if (warp != 0)
		return;
	value = reduce_warp<Op>(lane < BLOCK / WARP ? partial[lane] : Op::identity());
	if (lane == 0)
		out[blockIdx.x] = value;
}

template <class Op>
static typename Op::type reduce_on_device(const typename Op::type *in, int n, int blocks)
{
	typedef typename Op::type T;
	T *din, *dout, result;
	CHECK(cudaMalloc(&din, n * sizeof(T)));
	CHECK(cudaMalloc(&dout, (blocks + 1) * sizeof(T)));
	CHECK(cudaMemcpy(din, in, n * sizeof(T), cudaMemcpyHostToDevice));
	reduce<Op><<<blocks, BLOCK>>>(din, n, dout);
	CHECK(cudaGetLastError());
	reduce<Op><<<1, BLOCK>>>(dout, blocks, dout + blocks);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(&result, dout + blocks, sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(cudaFree(din));
	CHECK(cudaFree(dout));
	return result;
}

int main(int argc, char **argv)
{
	int n = size_argument(argc, argv, 1, 4000000, 1 << 28);
	int blocks = size_argument(argc, argv, 2, 640, 65535);
	unsigned int *numbers = (unsigned int *)malloc(n * sizeof *numbers), seed = 1;
	float *heights = (float *)malloc(n * sizeof *heights);
	if (!numbers || !heights)
		return fputs("reduce: out of memory\n", stderr), 1;

	unsigned int sum = Sum::identity();
	float maximum = Maximum::identity();
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		numbers[i] = seed;
		heights[i] = (float)(int)seed;
		sum = Sum::fold(sum, numbers[i]);
		maximum = Maximum::fold(maximum, heights[i]);
	}
	unsigned int device_sum = reduce_on_device<Sum>(numbers, n, blocks);
	float device_maximum = reduce_on_device<Maximum>(heights, n, blocks);

	bool right = device_sum == sum && device_maximum == maximum;
	if (device_sum != sum)
		printf("the sum is %u, not %u\n", device_sum, sum);
	if (device_maximum != maximum)
		printf("the maximum is %.9g, not %.9g\n", device_maximum, maximum);
	printf("reduce: %s (%d elements, %d blocks)\n", right ? "PASSED" : "FAILED", n, blocks);
	free(numbers);
	free(heights);
	return !right;
}
