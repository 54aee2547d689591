/*
 * QR by Householder reflections in LAPACK's form: a panel of columns by one block, then the product of its reflections,
 * Q = I - V T V^H, applied to the rest by products of matrices. V is copied with its ones and zeros.
 *
 * Work, in elements: V (a panel), T and V^H V (PANEL x PANEL each), and V^H C and T V^H C (a panel each).
 */
#pragma once

#include "runtime/math/cusolver/solver.cuh"

namespace hd_solver {

/* The reflection that makes a column's elements below the first zero (LAPACK's larfg). */
template <class T> __device__ void reflect(T *x, int n, T *tau)
{
	using R = real_of<T>;
	R largest = 0;
	__shared__ R size;
	for (int i = 1 + threadIdx.x; i < n; i += THREADS)
		largest = fmax(largest, fmax(fabs(real(x[i])), fabs(imag(x[i]))));
	/* Scaled, so that squares neither overflow nor vanish. */
	R scale = most_of_block(largest), own = 0;
	for (int i = 1 + threadIdx.x; i < n && scale > 0; i += THREADS)
		own += abs_squared(x[i] / scale);
	R norm = scale * sqrt(sum_of_block(own));
	T alpha = x[0];
	if (norm == 0 && imag(alpha) == 0) {
		if (threadIdx.x == 0)
			*tau = T{};
		return;
	}
	if (threadIdx.x == 0) {
		R whole = traits<T>::complex ? hypot(hypot(real(alpha), imag(alpha)), norm) : hypot(real(alpha), norm);
		size = real(alpha) >= 0 ? -whole : whole;
	}
	__syncthreads();
	R beta = size;
	/* The reciprocal of a small number would overflow. */
	for (int i = 1 + threadIdx.x; i < n; i += THREADS)
		x[i] = x[i] / (alpha - make<T>(beta));
	__syncthreads();
	if (threadIdx.x == 0) {
		*tau = make<T>((beta - real(alpha)) / beta, -imag(alpha) / beta);
		x[0] = make<T>(beta);
	}
}

template <class T> __global__ void __launch_bounds__(THREADS) qr_kernel(int m, int n, T *A, int lda, T *taus)
{
	__shared__ T tau;
	for (int j = 0; j < n && j < m; j++) {
		T *column = A + j + (int64_t)j * lda;
		__syncthreads();
		reflect(column, m - j, &tau);
		__syncthreads();
		if (threadIdx.x == 0)
			taus[j] = tau;
		for (int k = j + 1; k < n; k++) {
			T *to = A + j + (int64_t)k * lda, sum{};
			for (int i = threadIdx.x; i < m - j; i += THREADS)
				sum = multiply_add(i ? conj(column[i]) : make<T>(1), to[i], sum);
			sum = conj(tau) * sum_of_block(sum);
			for (int i = threadIdx.x; i < m - j; i += THREADS)
				to[i] = multiply_add(-sum, i ? column[i] : make<T>(1), to[i]);
		}
		__syncthreads();
	}
}

/* V from what the factorisation left below the diagonal. */
template <class T> __global__ void __launch_bounds__(THREADS) reflections_kernel(int m, int n, const T *A, int lda, T *V)
{
	int64_t all = (int64_t)m * n, step = (int64_t)gridDim.x * THREADS;
	for (int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x; e < all; e += step) {
		int i = (int)(e % m), j = (int)(e / m);
		V[e] = i > j ? A[i + (int64_t)j * lda] : make<T>(i == j);
	}
}

/* T of n reflections by V^H V (LAPACK's larft): one warp, a lane has a row. */
template <class T> __global__ void __launch_bounds__(PANEL) triangle_kernel(int n, const T *square, const T *taus, T *triangle)
{
	__shared__ T t[PANEL][PANEL + 1];
	int i = threadIdx.x;
	for (int j = 0; j < n; j++) {
		T tau = taus[j], sum{};
		for (int k = i; k < j; k++)
			sum = multiply_add(t[i][k], square[k + j * PANEL], sum);
		t[i][j] = i < j ? -tau * sum : i == j ? tau : T{};
		__syncwarp();
	}
	for (int j = 0; j < n; j++)
		triangle[i + j * PANEL] = t[i][j];
}

/* Where a panel's work lies. `wide`: columns (or rows) of what the panel is applied to. */
template <class T> struct qr_work {
	T *v, *square, *triangle, *first, *second;

	qr_work(T *work, int64_t m, int64_t wide)
		: v(work), square(v + m * PANEL), triangle(square + PANEL * PANEL), first(triangle + PANEL * PANEL),
		  second(first + wide * PANEL)
	{
	}
	static int64_t elements(int64_t m, int64_t wide)
	{
		return m * PANEL + 2 * PANEL * PANEL + 2 * wide * PANEL;
	}
};

/* V and T of the reflections in columns of A, which begins at their first diagonal element. */
template <class T>
cublasStatus_t gather(cusolverDnHandle_t handle, const qr_work<T> &work, int m, int n, const T *A, int lda, const T *taus)
{
	reflections_kernel<<<blocks_for((int64_t)m * n, THREADS), THREADS, 0, handle->stream>>>(m, n, A, lda, work.v);
	cublasStatus_t status = gemm(handle->blas, adjoint<T>, CUBLAS_OP_N, n, n, m, make<T>(1), work.v, m, work.v, m, T{},
				     work.square, PANEL);
	triangle_kernel<<<1, PANEL, 0, handle->stream>>>(n, work.square, taus, work.triangle);
	return status;
}

/* C = (I - V T V^H) C, with T^H where `adjoint_of_q`; from the right: C (I - V T V^H). */
template <class T>
cublasStatus_t apply(cusolverDnHandle_t handle, const qr_work<T> &work, bool left, bool adjoint_of_q, int m, int n, int k,
		     T *C, int ldc)
{
	T one = make<T>(1), minus = make<T>(-1);
	cublasOperation_t triangle = adjoint_of_q ? adjoint<T> : CUBLAS_OP_N;
	cublasStatus_t status;
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (left) {
		status = gemm(handle->blas, adjoint<T>, CUBLAS_OP_N, k, n, m, one, work.v, m, C, ldc, T{}, work.first, PANEL);
		if (status == CUBLAS_STATUS_SUCCESS)
			status = gemm(handle->blas, triangle, CUBLAS_OP_N, k, n, k, one, work.triangle, PANEL, work.first,
				      PANEL, T{}, work.second, PANEL);
		return status != CUBLAS_STATUS_SUCCESS ? status
						       : gemm(handle->blas, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, minus, work.v, m,
							      work.second, PANEL, one, C, ldc);
	}
	status = gemm(handle->blas, CUBLAS_OP_N, CUBLAS_OP_N, m, k, n, one, C, ldc, work.v, n, T{}, work.first, m);
	if (status == CUBLAS_STATUS_SUCCESS)
		status = gemm(handle->blas, CUBLAS_OP_N, triangle, m, k, k, one, work.first, m, work.triangle, PANEL, T{},
			      work.second, m);
	return status != CUBLAS_STATUS_SUCCESS ? status
					       : gemm(handle->blas, CUBLAS_OP_N, adjoint<T>, m, n, k, minus, work.second, m,
						      work.v, n, one, C, ldc);
}

template <class T> cusolverStatus_t geqrf_buffer(cusolverDnHandle_t handle, int m, int n, int lda, int *size)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_matrix(m, n, lda) && size);
	return tell_size(qr_work<T>::elements(m, n), size);
}

template <class T>
cusolverStatus_t geqrf(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *taus, T *memory, int size, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_matrix(m, n, lda) && info && size >= qr_work<T>::elements(m, n));
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	for (int first = 0; first < m && first < n && status == CUBLAS_STATUS_SUCCESS; first += PANEL) {
		int columns = n - first < PANEL ? n - first : PANEL, rows = m - first, right = n - first - columns;
		int count = columns < rows ? columns : rows;
		T *panel = A + first + (int64_t)first * lda;
		qr_kernel<<<1, THREADS, 0, handle->stream>>>(rows, columns, panel, lda, taus + first);
		if (right == 0)
			break;
		qr_work<T> work(memory, rows, right);
		status = gather(handle, work, rows, count, panel, lda, taus + first);
		if (status == CUBLAS_STATUS_SUCCESS)
			status = apply(handle, work, true, true, rows, right, count, panel + (int64_t)columns * lda, lda);
	}
	return finished(status);
}

/* By Q or by its adjoint. */
template <class T> inline bool is_product(cublasOperation_t trans)
{
	return trans == CUBLAS_OP_N || trans == adjoint<T>;
}

template <class T>
cusolverStatus_t ormqr_buffer(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,
			      int lda, int ldc, int *size)
{
	HD_SOLVER_HANDLE(handle);
	bool left = side == CUBLAS_SIDE_LEFT;
	HD_SOLVER_VALID(is_side(side) && is_product<T>(trans) && is_matrix(m, n, ldc) && k >= 0 && k <= (left ? m : n) && size);
	return tell_size(qr_work<T>::elements(left ? m : n, left ? n : m), size);
}

template <class T>
cusolverStatus_t ormqr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k,
		       const T *A, int lda, const T *taus, T *C, int ldc, T *memory, int size, int *info)
{
	HD_SOLVER_HANDLE(handle);
	bool left = side == CUBLAS_SIDE_LEFT, plain = trans == CUBLAS_OP_N;
	int order = left ? m : n, wide = left ? n : m;
	HD_SOLVER_VALID(is_side(side) && is_product<T>(trans) && is_matrix(m, n, ldc) && is_matrix(order, k, lda) &&
			k <= order && info && size >= qr_work<T>::elements(order, wide));
	cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	int panels = (int)divide_up(k, PANEL);
	for (int p = 0; p < panels && status == CUBLAS_STATUS_SUCCESS; p++) {
		/* Q is the product of the panels in their order. */
		int first = (left == plain ? panels - 1 - p : p) * PANEL;
		int count = k - first < PANEL ? k - first : PANEL, rows = order - first;
		qr_work<T> work(memory, rows, wide);
		T *to = left ? C + first : C + (int64_t)first * ldc;
		status = gather(handle, work, rows, count, A + first + (int64_t)first * lda, lda, taus + first);
		if (status == CUBLAS_STATUS_SUCCESS)
			status = apply(handle, work, left, !plain, left ? rows : m, left ? n : rows, count, to, ldc);
	}
	return finished(status);
}

/* Q's columns: the reflections, applied to a unit matrix. */
template <class T>
__global__ void __launch_bounds__(THREADS) unit_kernel(int m, int n, T *A, int lda, T *kept, int k)
{
	int64_t all = (int64_t)m * n, step = (int64_t)gridDim.x * THREADS;
	for (int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x; e < all; e += step) {
		int i = (int)(e % m), j = (int)(e / m);
		if (j < k)
			kept[e] = A[i + (int64_t)j * lda];
		A[i + (int64_t)j * lda] = make<T>(i == j);
	}
}

template <class T> cusolverStatus_t orgqr_buffer(cusolverDnHandle_t handle, int m, int n, int k, int lda, int *size)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n && size);
	return tell_size((int64_t)m * k + qr_work<T>::elements(m, n), size);
}

template <class T>
cusolverStatus_t orgqr(cusolverDnHandle_t handle, int m, int n, int k, T *A, int lda, const T *taus, T *memory, int size,
		       int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_matrix(m, n, lda) && n <= m && k >= 0 && k <= n && info &&
			size >= (int64_t)m * k + qr_work<T>::elements(m, n));
	if (m > 0 && n > 0)
		unit_kernel<<<blocks_for((int64_t)m * n, THREADS), THREADS, 0, handle->stream>>>(m, n, A, lda, memory, k);
	return ormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, m, n, k, memory, m > 1 ? m : 1, taus, A, lda,
		     memory + (int64_t)m * k, size - m * k, info);
}

} // namespace hd_solver
