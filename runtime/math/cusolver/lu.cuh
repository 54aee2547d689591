/*
 * LU with partial pivoting, blocked and looking right: a panel by one block, exchanges of rows beside it by another kernel,
 * the row of blocks by trsm, the rest by gemm.
 */
#pragma once

#include "runtime/math/cusolver/solver.cuh"

namespace hd_solver {

template <class R> struct pivot {
	R size;
	int row;
};

/* The first of the largest elements in a column's rows from `first` on, for all threads. A NaN is larger than all. */
template <class T> __device__ int find_pivot(const T *column, int first, int m)
{
	__shared__ pivot<real_of<T>> best[THREADS];
	pivot<real_of<T>> own{-1, first};
	for (int i = first + threadIdx.x; i < m; i += THREADS) {
		real_of<T> size = abs1(column[i]);
		if (!(size <= own.size))
			own = pivot<real_of<T>>{size, i};
	}
	__syncthreads();
	best[threadIdx.x] = own;
	for (unsigned step = THREADS / 2; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step) {
			pivot<real_of<T>> a = best[threadIdx.x], b = best[threadIdx.x + step];
			if (b.size > a.size || (b.size == a.size && b.row < a.row))
				best[threadIdx.x] = b;
		}
	}
	__syncthreads();
	return best[0].row;
}

/* A panel of n columns whose first element is row and column `first` of the matrix. */
template <class T>
__global__ void __launch_bounds__(THREADS) lu_kernel(int m, int n, T *A, int lda, int first, int *pivots, int *info)
{
	for (int j = 0; j < n && j < m; j++) {
		T *column = A + (int64_t)j * lda;
		int row = pivots ? find_pivot(column, j, m) : j;
		if (pivots && threadIdx.x == 0)
			pivots[j] = first + row + 1;
		__syncthreads();
		if (row != j && (int)threadIdx.x < n) {
			T *a = A + j + (int64_t)threadIdx.x * lda, *b = A + row + (int64_t)threadIdx.x * lda;
			T kept = *a;
			*a = *b;
			*b = kept;
		}
		__syncthreads();
		T by = column[j];
		if (is_zero(by)) {
			if (threadIdx.x == 0 && *info == 0)
				*info = first + j + 1;
			__syncthreads();
			continue;
		}
		for (int i = j + 1 + threadIdx.x; i < m; i += THREADS) {
			T factor = column[i] / by;
			column[i] = factor;
			for (int k = j + 1; k < n; k++) {
				T *to = A + i + (int64_t)k * lda;
				*to = multiply_add(-factor, A[j + (int64_t)k * lda], *to);
			}
		}
		__syncthreads();
	}
}

/* Exchanges rows first to end - 1 of n columns with their pivots, one after the other; backward: the last first. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	exchange_kernel(int n, T *A, int lda, const int *pivots, int first, int end, bool backward)
{
	int column = blockIdx.x * THREADS + threadIdx.x;
	if (column >= n)
		return;
	T *a = A + (int64_t)column * lda;
	for (int step = 0; step < end - first; step++) {
		int i = backward ? end - 1 - step : first + step, row = pivots[i] - 1;
		T kept = a[i];
		a[i] = a[row];
		a[row] = kept;
	}
}

template <class T>
void exchange_rows(cusolverDnHandle_t handle, int n, T *A, int lda, const int *pivots, int first, int end, bool backward)
{
	if (pivots && n > 0 && end > first)
		exchange_kernel<<<(unsigned)divide_up(n, THREADS), THREADS, 0, handle->stream>>>(n, A, lda, pivots, first,
												 end, backward);
}

template <class T> cusolverStatus_t getrf_buffer(cusolverDnHandle_t handle, int m, int n, int lda, int *size)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_matrix(m, n, lda) && size);
	*size = 1;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t getrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *pivots, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_matrix(m, n, lda) && info);
	int least = m < n ? m : n;
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	for (int first = 0; first < least && status == CUBLAS_STATUS_SUCCESS; first += PANEL) {
		int size = least - first < PANEL ? least - first : PANEL, next = first + size;
		int below = m - next, right = n - next;
		T *diagonal = A + first + (int64_t)first * lda, *row = A + first + (int64_t)next * lda;
		T *column = A + next + (int64_t)first * lda, *rest = A + next + (int64_t)next * lda;
		lu_kernel<<<1, THREADS, 0, handle->stream>>>(m - first, size, diagonal, lda, first,
							     pivots ? pivots + first : nullptr, info);
		exchange_rows(handle, first, A, lda, pivots, first, next, false);
		exchange_rows(handle, right, A + (int64_t)next * lda, lda, pivots, first, next, false);
		if (right == 0)
			continue;
		status = trsm(handle->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, size,
			      right, diagonal, lda, row, lda);
		if (status == CUBLAS_STATUS_SUCCESS && below > 0)
			status = gemm(handle->blas, CUBLAS_OP_N, CUBLAS_OP_N, below, right, size, make<T>(-1), column, lda,
				      row, lda, make<T>(1), rest, lda);
	}
	return finished(status);
}

template <class T>
cusolverStatus_t getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T *A, int lda,
		       const int *pivots, T *B, int ldb, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(trans >= CUBLAS_OP_N && trans <= CUBLAS_OP_C && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) &&
			info);
	bool plain = trans == CUBLAS_OP_N;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	if (plain)
		exchange_rows(handle, nrhs, B, ldb, pivots, 0, n, false);
	cublasStatus_t status = trsm(handle->blas, CUBLAS_SIDE_LEFT, plain ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER,
				     trans, plain ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT, n, nrhs, A, lda, B, ldb);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = trsm(handle->blas, CUBLAS_SIDE_LEFT, plain ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, trans,
			      plain ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT, n, nrhs, A, lda, B, ldb);
	if (!plain)
		exchange_rows(handle, nrhs, B, ldb, pivots, 0, n, true);
	return finished(status);
}

} // namespace hd_solver
