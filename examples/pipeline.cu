/*
 * pipeline: C = A B with tiles that are copied to shared memory while others are multiplied (cuda_pipeline.h). A block
 * computes a tile of 64 x 64, a thread 4 x 4 of it. Shared memory has room for 1 to 4 pairs of tiles, the stages: with
 * one the block waits for each pair; with more the next ones are under way meanwhile, from sm_80 on without a register.
 *
 * The check is exact: the host adds the products in the same order with the same fused multiply-add.
 */
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 64	   /* rows and columns of C */
#define DEPTH 16   /* of a pair of tiles */
#define OWN 4	   /* rows and columns of a thread, and elements of a copy */
#define THREADS 16 /* in each direction */

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "pipeline.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: pipeline [stages [n]]   C = A B of n x n, a multiple of 64   (default 2 128)\n";

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

struct tiles {
	float a[TILE][DEPTH];
	float b[DEPTH][TILE];
};

/* Each thread copies four elements of either tile. */
static __device__ void copy_tiles(struct tiles *to, const float *a, const float *b, int n, int row, int column, int k)
{
	int thread = threadIdx.y * THREADS + threadIdx.x;
	int ay = thread / (DEPTH / OWN), ax = thread % (DEPTH / OWN) * OWN;
	int by = thread / (TILE / OWN), bx = thread % (TILE / OWN) * OWN;
	__pipeline_memcpy_async(&to->a[ay][ax], &a[(size_t)(row + ay) * n + k + ax], OWN * sizeof(float));
	__pipeline_memcpy_async(&to->b[by][bx], &b[(size_t)(k + by) * n + column + bx], OWN * sizeof(float));
}

static __device__ void multiply_tiles(const struct tiles *tiles, float sum[OWN][OWN])
{
	for (int k = 0; k < DEPTH; k++) {
		float a[OWN], b[OWN];
		for (int i = 0; i < OWN; i++) {
			a[i] = tiles->a[threadIdx.y + i * THREADS][k];
			b[i] = tiles->b[k][threadIdx.x + i * THREADS];
		}
		for (int i = 0; i < OWN; i++)
			for (int j = 0; j < OWN; j++)
				sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
	}
}

template <int STAGES>
__global__ void __launch_bounds__(THREADS *THREADS) multiply(const float *a, const float *b, float *c, int n)
{
	__shared__ __align__(16) struct tiles tiles[STAGES];
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE, steps = n / DEPTH;
	float sum[OWN][OWN] = {};

	for (int s = 0; s < STAGES - 1; s++) {
		if (s < steps)
			copy_tiles(&tiles[s], a, b, n, row, column, s * DEPTH);
		__pipeline_commit();
	}
	for (int s = 0; s < steps; s++) {
		int ahead = s + STAGES - 1;
		if (ahead < steps)
			copy_tiles(&tiles[ahead % STAGES], a, b, n, row, column, ahead * DEPTH);
		__pipeline_commit();
		__pipeline_wait_prior(STAGES - 1);
		__syncthreads();
		multiply_tiles(&tiles[s % STAGES], sum);
		__syncthreads();
	}
	for (int i = 0; i < OWN; i++)
		for (int j = 0; j < OWN; j++)
			c[(size_t)(row + threadIdx.y + i * THREADS) * n + column + threadIdx.x + j * THREADS] =
				sum[i][j];
}

static void fill(float *matrix, int elements, unsigned int seed)
{
	for (int i = 0; i < elements; i++) {
		seed = seed * 1664525u + 1013904223u;
		matrix[i] = (float)(seed >> 8) / (1 << 23) - 1.0f; /* -1 to 1 */
	}
}

static int count_wrong(const float *a, const float *b, const float *c, int n)
{
	int wrong = 0;
	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++) {
			float sum = 0;
			for (int k = 0; k < n; k++)
				sum = fmaf(a[row * n + k], b[k * n + column], sum);
			wrong += sum != c[row * n + column];
		}
	return wrong;
}

int main(int argc, char **argv)
{
	int stages = size_argument(argc, argv, 1, 2, 4), n = size_argument(argc, argv, 2, 128, 4096);
	if (n % TILE) {
		fputs(usage, stderr);
		return 2;
	}
	size_t bytes = (size_t)n * n * sizeof(float);
	float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes), *device;
	fill(a, n * n, 1);
	fill(b, n * n, 2);
	CHECK(cudaMalloc(&device, 3 * bytes));
	CHECK(cudaMemcpy(device, a, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device + n * n, b, bytes, cudaMemcpyHostToDevice));
	void (*const kernels[])(const float *, const float *, float *, int) = {multiply<1>, multiply<2>, multiply<3>,
									       multiply<4>};
	dim3 grid(n / TILE, n / TILE), block(THREADS, THREADS);
	kernels[stages - 1]<<<grid, block>>>(device, device + n * n, device + 2 * n * n, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c, device + 2 * n * n, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(device));

	int wrong = count_wrong(a, b, c, n);
	printf("pipeline: %d stages, %d x %d: %s\n", stages, n, n, wrong ? "FAILED" : "PASSED");
	free(a);
	free(b);
	free(c);
	return wrong != 0;
}
