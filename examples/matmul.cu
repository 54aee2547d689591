/*
 * matmul: C = A B with shared-memory tiles. A block computes one 16 x 16 tile of C and walks the tiles of A's row and
 * B's column, so that each element of A and B is read from global memory once a block and 16 times from shared memory.
 *
 * The check is exact: the host adds the products in the same order with the same fused multiply-add, and the zeros
 * that pad the last tiles change no sum.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TILE 16

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "matmul.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: matmul [m [k [n]]]   C (m x n) = A (m x k) B (k x n)   (default 272 each)\n";

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

__global__ void matmul(const float *a, const float *b, float *c, int m, int k, int n)
{
	__shared__ float tile_a[TILE][TILE];
	__shared__ float tile_b[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
	float sum = 0;

	for (int t = 0; t < k; t += TILE) {
		tile_a[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
		tile_b[y][x] = t + y < k && column < n ? b[(t + y) * n + column] : 0;
		__syncthreads();
		for (int i = 0; i < TILE; i++)
			sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
		__syncthreads();
	}
	if (row < m && column < n)
		c[row * n + column] = sum;
}

static void fill(float *matrix, int elements, unsigned int seed)
{
	for (int i = 0; i < elements; i++) {
		seed = seed * 1664525u + 1013904223u;
		matrix[i] = (float)(seed >> 8) / (1 << 23) - 1.0f; /* -1 to 1 */
	}
}

int main(int argc, char **argv)
{
	int m = size_argument(argc, argv, 1, 272, 8192);
	int k = size_argument(argc, argv, 2, m, 8192);
	int n = size_argument(argc, argv, 3, m, 8192);
	size_t bytes_a = sizeof(float) * m * k, bytes_b = sizeof(float) * k * n, bytes_c = sizeof(float) * m * n;
	float *a = (float *)malloc(bytes_a), *b = (float *)malloc(bytes_b), *c = (float *)malloc(bytes_c);
	if (!a || !b || !c)
		return fputs("matmul: out of memory\n", stderr), 1;
	fill(a, m * k, 1);
	fill(b, k * n, 2);

	float *da, *db, *dc;
	CHECK(cudaMalloc(&da, bytes_a));
	CHECK(cudaMalloc(&db, bytes_b));
	CHECK(cudaMalloc(&dc, bytes_c));
	CHECK(cudaMemcpy(da, a, bytes_a, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b, bytes_b, cudaMemcpyHostToDevice));
	dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), block(TILE, TILE);
	matmul<<<grid, block>>>(da, db, dc, m, k, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c, dc, bytes_c, cudaMemcpyDeviceToHost));

	int wrong = 0;
	for (int i = 0; i < m; i++) {
		for (int j = 0; j < n; j++) {
			float sum = 0;
			for (int l = 0; l < k; l++)
				sum = fmaf(a[i * k + l], b[l * n + j], sum);
			if (c[i * n + j] == sum)
				continue;
			if (wrong++ == 0)
				printf("C[%d][%d] = %.9g, not %.9g\n", i, j, c[i * n + j], sum);
		}
	}
	printf("matmul: %s (%d x %d x %d, %d wrong)\n", wrong ? "FAILED" : "PASSED", m, k, n, wrong);

	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	free(a);
	free(b);
	free(c);
	return wrong != 0;
}
