/*
 * sgemm: C = A B in tiles of 64 x 64 with 4 x 4 elements a thread, as libraries do it: of the instructions of the inner
 * loop eight in nine are fused multiply-adds on registers. For make bench-sim.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TILE 64
#define DEPTH 16
#define EACH 4
#define THREADS (TILE / EACH * TILE / EACH)

__global__ void __launch_bounds__(THREADS) sgemm(const float *a, const float *b, float *c, int n)
{
	__shared__ float tile_a[DEPTH][TILE];
	__shared__ float tile_b[DEPTH][TILE];
	int thread = threadIdx.x, x = thread % (TILE / EACH) * EACH, y = thread / (TILE / EACH) * EACH;
	const float *rows = a + blockIdx.y * TILE * n, *columns = b + blockIdx.x * TILE;
	float sum[EACH][EACH] = {};

	for (int t = 0; t < n; t += DEPTH) {
		for (int i = thread; i < TILE * DEPTH; i += THREADS) {
			tile_a[i % DEPTH][i / DEPTH] = rows[i / DEPTH * n + t + i % DEPTH];
			tile_b[i / TILE][i % TILE] = columns[(t + i / TILE) * n + i % TILE];
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DEPTH; k++) {
			float4 left = *(const float4 *)&tile_a[k][y], right = *(const float4 *)&tile_b[k][x];
			float of_a[EACH] = {left.x, left.y, left.z, left.w};
			float of_b[EACH] = {right.x, right.y, right.z, right.w};
#pragma unroll
			for (int i = 0; i < EACH; i++)
#pragma unroll
				for (int j = 0; j < EACH; j++)
					sum[i][j] = fmaf(of_a[i], of_b[j], sum[i][j]);
		}
		__syncthreads();
	}
	for (int i = 0; i < EACH; i++)
		for (int j = 0; j < EACH; j++)
			c[(blockIdx.y * TILE + y + i) * n + blockIdx.x * TILE + x + j] = sum[i][j];
}

int main(int argc, char **argv)
{
	int n = (argc > 1 ? atoi(argv[1]) : 256) / TILE * TILE;
	size_t count = (size_t)n * n;
	float *a, *b, *c;
	if (n <= 0 || cudaMallocManaged(&a, count * sizeof(float)) || cudaMallocManaged(&b, count * sizeof(float)) ||
	    cudaMallocManaged(&c, count * sizeof(float)))
		return fputs("usage: sgemm [n]   C = A B, n x n\n", stderr), 2;
	for (size_t i = 0; i < count; i++) {
		a[i] = (float)(i * 7 % 31) / 16 - 1;
		b[i] = (float)(i * 5 % 29) / 16 - 1;
	}
	sgemm<<<dim3(n / TILE, n / TILE), THREADS>>>(a, b, c, n);
	if (cudaDeviceSynchronize())
		return fprintf(stderr, "sgemm: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
	int wrong = 0;
	for (size_t i = 0; i < count; i += 97) {
		float sum = 0;
		for (int k = 0; k < n; k++)
			sum = fmaf(a[i / n * n + k], b[(size_t)k * n + i % n], sum);
		wrong += c[i] != sum;
	}
	printf("sgemm: %s (%d x %d)\n", wrong ? "FAILED" : "PASSED", n, n);
	return wrong != 0;
}
