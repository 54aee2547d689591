/*
 * Cholesky's factorisation, blocked and looking right: the triangle on the diagonal by one warp in shared memory, the panel
 * beside it by trsm, the rest by herk.
 */
#pragma once

#include "runtime/math/cusolver/solver.cuh"

namespace hd_solver {

/* A triangle of n <= PANEL rows; rows and columns are distances, by which an upper one is the adjoint of a lower one. */
template <class T>
__global__ void __launch_bounds__(PANEL)
	cholesky_kernel(int n, T *A, int64_t rows, int64_t columns, bool conjugate, int first, int *info)
{
	__shared__ T a[PANEL][PANEL + 1];
	int i = threadIdx.x;
	if (*info)
		return;
	for (int j = 0; j <= i && i < n; j++)
		a[i][j] = conj_if(conjugate, A[i * rows + j * columns]);
	__syncwarp();
	for (int j = 0; j < n; j++) {
		real_of<T> pivot = real(a[j][j]);
		/* Written so that a NaN is not positive, either. */
		if (!(pivot > 0)) {
			if (i == 0)
				*info = first + j + 1;
			return;
		}
		__syncwarp();
		pivot = sqrt(pivot);
		if (i == j)
			a[j][j] = make<T>(pivot);
		else if (i > j && i < n)
			a[i][j] = a[i][j] / pivot;
		__syncwarp();
		for (int k = j + 1; k <= i && i < n; k++)
			a[i][k] = a[i][k] - a[i][j] * conj(a[k][j]);
		__syncwarp();
	}
	for (int j = 0; j <= i && i < n; j++)
		A[i * rows + j * columns] = conj_if(conjugate, a[i][j]);
}

template <class T>
cusolverStatus_t potrf_buffer(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int lda, int *size)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_fill(uplo) && is_matrix(n, n, lda) && size);
	*size = 1;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_fill(uplo) && is_matrix(n, n, lda) && info);
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	for (int first = 0; first < n && status == CUBLAS_STATUS_SUCCESS; first += PANEL) {
		int size = n - first < PANEL ? n - first : PANEL, next = first + size, rest = n - next;
		T *diagonal = A + first + (int64_t)first * lda;
		T *panel = upper ? A + first + (int64_t)next * lda : A + next + (int64_t)first * lda;
		cholesky_kernel<<<1, PANEL, 0, handle->stream>>>(size, diagonal, upper ? lda : 1, upper ? 1 : lda, upper,
								 first, info);
		if (rest == 0)
			break;
		status = upper ? trsm(handle->blas, CUBLAS_SIDE_LEFT, uplo, adjoint<T>, CUBLAS_DIAG_NON_UNIT, size, rest,
				      diagonal, lda, panel, lda)
			       : trsm(handle->blas, CUBLAS_SIDE_RIGHT, uplo, adjoint<T>, CUBLAS_DIAG_NON_UNIT, rest, size,
				      diagonal, lda, panel, lda);
		if (status == CUBLAS_STATUS_SUCCESS)
			status = subtract_square(handle->blas, uplo, upper ? adjoint<T> : CUBLAS_OP_N, rest, size, panel, lda,
						 A + next + (int64_t)next * lda, lda);
	}
	return finished(status);
}

template <class T>
cusolverStatus_t potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T *A, int lda, T *B, int ldb,
		       int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && info);
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	cublasStatus_t status = trsm(handle->blas, CUBLAS_SIDE_LEFT, uplo, upper ? adjoint<T> : CUBLAS_OP_N,
				     CUBLAS_DIAG_NON_UNIT, n, nrhs, A, lda, B, ldb);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = trsm(handle->blas, CUBLAS_SIDE_LEFT, uplo, upper ? CUBLAS_OP_N : adjoint<T>, CUBLAS_DIAG_NON_UNIT,
			      n, nrhs, A, lda, B, ldb);
	return finished(status);
}

/* A block for each matrix, whose lower triangle `A` is, or the adjoint of an upper one. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	cholesky_batch_kernel(int n, T *const *matrices, int64_t rows, int64_t columns, bool conjugate, int *infos)
{
	laid_out<T> A{matrices[blockIdx.x], rows, columns, 0, conjugate};
	int info = 0;
	for (int j = 0; j < n; j++) {
		__syncthreads();
		real_of<T> pivot = real(A.get(j, j));
		if (!(pivot > 0)) {
			info = j + 1;
			break;
		}
		__syncthreads();
		pivot = sqrt(pivot);
		for (int i = j + threadIdx.x; i < n; i += THREADS)
			A.set(i, j, i == j ? make<T>(pivot) : A.get(i, j) / pivot);
		__syncthreads();
		int rest = n - j - 1;
		for (int64_t e = threadIdx.x; e < (int64_t)rest * rest; e += THREADS) {
			int i = j + 1 + (int)(e % rest), k = j + 1 + (int)(e / rest);
			if (i >= k)
				A.set(i, k, A.get(i, k) - A.get(i, j) * conj(A.get(k, j)));
		}
	}
	if (threadIdx.x == 0)
		infos[blockIdx.x] = info;
}

template <class T>
cusolverStatus_t potrf_batch(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *const *A, int lda, int *infos,
			     int batch)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_fill(uplo) && is_matrix(n, n, lda) && batch >= 0 && (!batch || (A && infos)));
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
	if (batch)
		cholesky_batch_kernel<<<(unsigned)batch, THREADS, 0, handle->stream>>>(n, A, upper ? lda : 1, upper ? 1 : lda,
										       upper, infos);
	return finished(CUBLAS_STATUS_SUCCESS);
}

/* L y = b, then L' x = y, column by column. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	cholesky_solve_kernel(int n, T *const *matrices, int64_t rows, int64_t columns, bool conjugate, T *const *sides)
{
	laid_out<T> A{matrices[blockIdx.x], rows, columns, 0, conjugate};
	T *b = sides[blockIdx.x];
	for (int step = 0; step < 2 * n; step++) {
		bool forward = step < n;
		int j = forward ? step : 2 * n - 1 - step;
		__syncthreads();
		T x = b[j] / real(A.get(j, j));
		__syncthreads();
		for (int i = threadIdx.x; i < n; i += THREADS)
			if (i == j)
				b[i] = x;
			else if (forward ? i > j : i < j)
				b[i] = b[i] - (forward ? A.get(i, j) : conj(A.get(j, i))) * x;
	}
}

template <class T>
cusolverStatus_t potrs_batch(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T *const *A, int lda,
			     T *const *B, int ldb, int *info, int batch)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_fill(uplo) && is_matrix(n, n, lda) && is_matrix(n, nrhs, ldb) && info && batch >= 0);
	/* As NVIDIA's. */
	HD_SOLVER_CHECK(nrhs == 1, CUSOLVER_STATUS_NOT_SUPPORTED);
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	if (batch && n)
		cholesky_solve_kernel<<<(unsigned)batch, THREADS, 0, handle->stream>>>(n, A, upper ? lda : 1, upper ? 1 : lda,
										       upper, B);
	return finished(CUBLAS_STATUS_SUCCESS);
}

} // namespace hd_solver
