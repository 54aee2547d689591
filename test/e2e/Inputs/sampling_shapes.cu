// Grids that sampling finds no two of, and a grid of one wave: tiles along diagonals, and sums over long columns.
#include <cstdio>
#include <cstdlib>

enum { T = 32, COLUMNS = 512, BLOCK = 64 };

// A tile needs those above it and to its left.
__global__ void tiles(int *score, int n, int first, int diagonal)
{
	__shared__ int left[T];
	int bx = first + blockIdx.x, by = diagonal - bx, t = threadIdx.x;
	int above = score[by * T * n + bx * T + t + 1];
	left[t] = score[(by * T + t + 1) * n + bx * T];
	__syncthreads();
	for (int y = 0; y < T; y++) {
		above = max(above, left[y]) + (y * 7 + t * 3) % 5 - 1;
		score[(by * T + y + 1) * n + bx * T + t + 1] = above;
	}
}

__global__ void columns(const float *a, const float *x, float *y, int rows)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0;
	for (int j = 0; j < rows; j++)
		sum += a[j % 64 * COLUMNS + i] * x[j % 64];
	y[i] = sum;
}

int main(int argc, char **argv)
{
	int blocks = argc > 1 ? atoi(argv[1]) : 24, rows = argc > 2 ? atoi(argv[2]) : 4000, n = blocks * T + 1;
	int *score, *got = new int[n * n], sum = 0;
	float *a, *x, *y, host[COLUMNS], *values = new float[64 * COLUMNS];
	for (int i = 0; i < 64 * COLUMNS; i++)
		values[i] = i * 37 % 101 / 64.0f;
	cudaMalloc(&score, n * n * sizeof *score);
	cudaMemset(score, 0, n * n * sizeof *score);
	cudaMalloc(&a, 64 * COLUMNS * sizeof *a);
	cudaMalloc(&x, 64 * sizeof *x);
	cudaMalloc(&y, COLUMNS * sizeof *y);
	cudaMemcpy(a, values, 64 * COLUMNS * sizeof *a, cudaMemcpyHostToDevice);
	cudaMemcpy(x, values, 64 * sizeof *x, cudaMemcpyHostToDevice);
	for (int d = 0; d < 2 * blocks - 1; d++) {
		int first = d < blocks ? 0 : d - blocks + 1, last = d < blocks ? d : blocks - 1;
		tiles<<<last - first + 1, T>>>(score, n, first, d);
	}
	if (rows)
		columns<<<COLUMNS / BLOCK, BLOCK>>>(a, x, y, rows);
	cudaMemcpy(got, score, n * n * sizeof *score, cudaMemcpyDeviceToHost);
	cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
	for (int i = 0; i < n * n; i++)
		sum = sum * 31 + got[i];
	float total = 0;
	for (int i = 0; i < COLUMNS && rows; i++)
		total += host[i];
	printf("%d %.9g\n", sum, total);
	return cudaGetLastError() != cudaSuccess;
}
