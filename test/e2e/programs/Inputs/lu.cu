// Batches of LU factorisations with row pivoting in shared memory, and their solutions: a block of two dimensions a
// matrix, the pivot found by shuffles of value and place together. The host does the same steps in the same order.
#include "common.h"
#include <cmath>

template <typename T>
struct Place {
	T size;
	int row;
};

template <typename T>
__device__ Place<T> larger(Place<T> a, Place<T> b)
{
	return b.size > a.size || (b.size == a.size && b.row < a.row) ? b : a;
}

template <typename T>
__device__ Place<T> warp_largest(Place<T> mine)
{
#pragma unroll
	for (int d = 16; d; d /= 2)
		mine = larger(mine,
			      {__shfl_xor_sync(0xffffffff, mine.size, d), __shfl_xor_sync(0xffffffff, mine.row, d)});
	return mine;
}

__device__ float fused(float a, float b, float c)
{
	return __fmaf_rn(a, b, c);
}
__device__ double fused(double a, double b, double c)
{
	return __fma_rn(a, b, c);
}

// N x N, N <= 32; blocks of 32 x 4 threads. Singular matrices leave ok[] false and their column in x[0].
template <typename T, int N>
__global__ void __launch_bounds__(128) solve(const T *matrices, const T *sides, T *x, int *order, bool *ok)
{
	__shared__ T a[N][N + 1], b[N];
	__shared__ int rows[N];
	__shared__ Place<T> pivot;
	int tx = threadIdx.x, ty = threadIdx.y, m = blockIdx.x;

	for (int i = ty; i < N; i += 4)
		if (tx < N)
			a[i][tx] = matrices[(m * N + i) * N + tx];
	if (ty == 0 && tx < N)
		b[tx] = sides[m * N + tx], rows[tx] = tx;
	__syncthreads();
	for (int k = 0; k < N; k++) {
		if (ty == 0) {
			Place<T> mine = {tx >= k && tx < N ? (T)fabs(a[tx][k]) : T(-1), tx};
			mine = warp_largest(mine);
			if (tx == 0)
				pivot = mine;
		}
		__syncthreads();
		int from = pivot.row;
		if (pivot.size == T(0)) {
			if (tx == 0 && ty == 0)
				ok[m] = false, x[m * N] = T(k);
			return;
		}
		if (from != k && ty == 1 && tx < N) {
			T t = a[k][tx];
			a[k][tx] = a[from][tx];
			a[from][tx] = t;
			if (tx == 0) {
				t = b[k], b[k] = b[from], b[from] = t;
				int r = rows[k];
				rows[k] = rows[from], rows[from] = r;
			}
		}
		__syncthreads();
		for (int i = k + 1 + ty; i < N; i += 4) {
			T factor = a[i][k] / a[k][k];
			if (tx > k && tx < N)
				a[i][tx] = fused(-factor, a[k][tx], a[i][tx]);
			else if (tx == k)
				b[i] = fused(-factor, b[k], b[i]);
		}
		__syncthreads();
	}
	if (ty == 0)
		for (int k = N - 1; k >= 0; k--) {
			if (tx == k)
				b[k] /= a[k][k];
			__syncwarp();
			if (tx < k)
				b[tx] = fused(-b[k], a[tx][k], b[tx]);
			__syncwarp();
		}
	__syncthreads();
	if (ty == 3 && tx < N)
		x[m * N + tx] = b[tx], order[m * N + tx] = rows[tx];
	ok[m] = true;
}

template <typename T, int N>
static bool reference(const T *matrix, const T *side, T *x, int *order)
{
	T a[N][N], b[N];
	memcpy(a, matrix, sizeof a);
	memcpy(b, side, sizeof b);
	for (int i = 0; i < N; i++)
		order[i] = i;
	for (int k = 0; k < N; k++) {
		int from = k;
		for (int i = k; i < N; i++)
			if (fabs(a[i][k]) > fabs(a[from][k]))
				from = i;
		if (a[from][k] == 0)
			return x[0] = T(k), false;
		for (int j = 0; j < N; j++) {
			T t = a[k][j];
			a[k][j] = a[from][j], a[from][j] = t;
		}
		T t = b[k];
		b[k] = b[from], b[from] = t;
		int r = order[k];
		order[k] = order[from], order[from] = r;
		for (int i = k + 1; i < N; i++) {
			T factor = a[i][k] / a[k][k];
			for (int j = k + 1; j < N; j++)
				a[i][j] = std::fma(-factor, a[k][j], a[i][j]);
			b[i] = std::fma(-factor, b[k], b[i]);
		}
	}
	for (int k = N - 1; k >= 0; k--) {
		b[k] /= a[k][k];
		for (int i = 0; i < k; i++)
			b[i] = std::fma(-b[k], a[i][k], b[i]);
	}
	memcpy(x, b, sizeof b);
	return true;
}

template <typename T, int N>
static void batch(int count, const char *what)
{
	T *a = shared_array<T>(count * N * N), *b = shared_array<T>(count * N), *x = shared_array<T>(count * N),
	  want[N];
	int *order = shared_array<int>(count * N), rows[N];
	bool *ok = shared_array<bool>(count);
	unsigned seed = 5;
	for (int i = 0; i < count * N * N; i++)
		a[i] = T((int)((seed = seed * 1664525 + 1013904223) >> 20) - 2048) / 256;
	for (int i = 0; i < count * N; i++)
		b[i] = T(i % 23 - 11);
	for (int j = 0; j < N; j++) /* the second matrix lacks a column */
		a[N * N + j * N + N / 2] = 0;
	solve<T, N><<<count, dim3(32, 4)>>>(a, b, x, order, ok);
	finish_kernel();
	for (int m = 0; m < count; m++) {
		bool fine = reference<T, N>(a + m * N * N, b + m * N, want, rows);
		expect(fine == ok[m], what, m);
		expect_same(x + m * N, want, fine ? N : 1, what);
		if (fine)
			expect_same(order + m * N, rows, N, what);
	}
}

int main()
{
	batch<float, 17>(3, "float 17");
	batch<double, 32>(3, "double 32");
	batch<double, 5>(4, "double 5");
	puts("PASSED");
}
