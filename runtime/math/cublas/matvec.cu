/*
 * cuBLAS, level 2: products of a matrix and a vector, and triangular solutions, for all ways of storing (stored.cuh).
 *
 * A block of the product's kernel has some rows, and for each row several threads, each of which adds every so many
 * columns. Where a column's elements lie side by side, the lanes of a warp are rows, else columns. The solution's kernel is
 * one block: it takes rows in groups of 32, subtracts what is known with all threads, and solves the group with one warp.
 */
#include "runtime/math/cublas/stored.cuh"

namespace hd_blas {

enum { THREADS = 256, LANES = 32 };

/* y = alpha op(A) x + beta y; rows and columns are those of op(A). Batches as in product.cuh. */
template <class T> struct times_vector {
	stored<T> a;
	operand<T> matrix, x; /* of x: `rows` is the increment */
	result<T> y;
	int64_t rows, columns;
	scalar<T> alpha, beta;
	bool lanes_are_rows;
	unsigned count = 1;
};

/* The row (0 to rows of a block) and the first column of a thread. */
struct share {
	int row, first, step;

	__device__ explicit share(bool lanes_are_rows)
	{
		int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
		row = lanes_are_rows ? lane : warp;
		first = lanes_are_rows ? warp : lane;
		step = lanes_are_rows ? THREADS / LANES : LANES;
	}
};

/* The sum over the threads of a row, which its first thread gets. */
template <class T> __device__ T sum_of_row(T own, const share &share, bool lanes_are_rows)
{
	__shared__ T sums[THREADS];
	__syncthreads();
	sums[threadIdx.x] = own;
	__syncthreads();
	if (share.first != 0)
		return T{};
	T sum = own;
	for (int other = 1; other < share.step; other++)
		sum += sums[threadIdx.x + other * (lanes_are_rows ? LANES : 1)];
	return sum;
}

template <class T> __global__ void __launch_bounds__(THREADS) times_vector_kernel(const times_vector<T> p)
{
	share share(p.lanes_are_rows);
	int64_t i = (int64_t)blockIdx.x * (p.lanes_are_rows ? LANES : THREADS / LANES) + share.row;
	T alpha = p.alpha.get(), beta = p.beta.get();
	for (unsigned number = blockIdx.y; number < p.count; number += gridDim.y) {
		const T *matrix = p.matrix.of(number), *x = p.x.of(number);
		T sum{};
		if (i < p.rows && !is_zero(alpha))
			for (int64_t j = p.a.first_column(i) + share.first; j < p.a.end_column(i, p.columns);
			     j += share.step)
				sum = multiply_add(p.a.element(matrix, i, j), x[j * p.x.rows], sum);
		sum = sum_of_row(sum, share, p.lanes_are_rows);
		if (share.first != 0 || i >= p.rows)
			continue;
		T *y = p.y.of(number) + i * p.y.rows, value = alpha * sum;
		*y = is_zero(beta) ? value : multiply_add(beta, *y, value);
	}
}

template <class T> static cublasStatus_t run(cublasHandle_t handle, times_vector<T> &p)
{
	p.lanes_are_rows = !p.a.transposed;
	unsigned rows = p.lanes_are_rows ? LANES : THREADS / LANES;
	dim3 grid((unsigned)divide_up(p.rows, rows), p.count < 65535 ? p.count : 65535);
	if (p.rows > 0 && p.count > 0)
		times_vector_kernel<<<grid, THREADS, 0, handle->stream>>>(p);
	return launched();
}

/* x = op(A)^-1 x */
template <class T>
__global__ void __launch_bounds__(THREADS) solve_vector_kernel(stored<T> a, const T *matrix, int64_t n, T *x, int64_t incx)
{
	__shared__ T group[LANES], block[LANES][LANES + 1];
	bool backward = a.left == 0, lanes_are_rows = !a.transposed;
	int rounds = lanes_are_rows ? 1 : LANES / (THREADS / LANES);
	share share(lanes_are_rows);
	for (int64_t done = 0; done < n; done += LANES) {
		int size = n - done < LANES ? (int)(n - done) : LANES;
		int64_t first = backward ? n - done - size : done;
		for (int round = 0; round < rounds; round++) {
			int row = share.row + round * (THREADS / LANES);
			int64_t i = first + row;
			T sum{};
			if (row < size) {
				int64_t from = backward ? first + size : a.first_column(i);
				int64_t to = backward ? a.end_column(i, n) : first;
				for (int64_t j = from + share.first; j < to; j += share.step)
					sum = multiply_add(a.element(matrix, i, j), x[j * incx], sum);
			}
			sum = sum_of_row(sum, share, lanes_are_rows);
			if (share.first == 0 && row < size)
				group[row] = x[i * incx] - sum;
		}
		for (int e = threadIdx.x; e < size * size; e += THREADS) {
			int64_t i = first + e % size, j = first + e / size;
			bool there = j >= a.first_column(i) && j < a.end_column(i, n);
			block[e % size][e / size] = there ? a.element(matrix, i, j) : T{};
		}
		__syncthreads();
		if (threadIdx.x < LANES) {
			int row = threadIdx.x;
			for (int s = 0; s < size; s++) {
				int pivot = backward ? size - 1 - s : s;
				if (row == pivot && a.kind != UNIT_TRIANGULAR)
					group[pivot] = group[pivot] / block[pivot][pivot];
				__syncwarp();
				if (row < size && (backward ? row < pivot : row > pivot))
					group[row] -= block[row][pivot] * group[pivot];
				__syncwarp();
			}
			if (row < size)
				x[(first + row) * incx] = group[row];
		}
		__syncthreads();
	}
}

/* y = alpha op(A) x + beta y, A in any form; rows and columns are those of op(A). */
template <class T>
static cublasStatus_t times(cublasHandle_t handle, const stored<T> &a, int64_t rows, int64_t columns, const T *alpha,
			    const T *A, const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
	if (rows == 0 || columns == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	times_vector<T> p;
	p.a = a;
	p.matrix.data = A;
	p.x.data = first_element(x, columns, incx);
	p.x.rows = incx;
	p.y.data = first_element(y, rows, incy);
	p.y.rows = incy;
	p.rows = rows;
	p.columns = columns;
	p.alpha = factor(handle, alpha);
	p.beta = factor(handle, beta);
	return run(handle, p);
}

template <class T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T *alpha, const T *A,
		    int64_t lda, const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_operation(trans) && m >= 0 && n >= 0 && is_leading(lda, m) && incx && incy);
	bool transposed = is_transposed(trans);
	return times(handle, whole<T>(lda, trans), transposed ? n : m, transposed ? m : n, alpha, A, x, incx, beta, y,
		     incy);
}

template <class T>
cublasStatus_t gbmv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, int64_t kl, int64_t ku,
		    const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_operation(trans) && m >= 0 && n >= 0 && kl >= 0 && ku >= 0 && is_leading(lda, kl + ku + 1) &&
		      incx && incy);
	bool transposed = is_transposed(trans);
	return times(handle, banded<T>(lda, kl, ku, trans), transposed ? n : m, transposed ? m : n, alpha, A, x, incx,
		     beta, y, incy);
}

template <bool HERMITIAN, class T>
cublasStatus_t symv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha, const T *A, int64_t lda,
		    const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && is_leading(lda, n) && incx && incy);
	return times(handle, symmetric(whole<T>(lda, CUBLAS_OP_N), uplo, HERMITIAN), n, n, alpha, A, x, incx, beta, y,
		     incy);
}

template <class T> static stored<T> band_of_triangle(int64_t lda, cublasFillMode_t uplo, int64_t k, cublasOperation_t trans)
{
	bool upper = uplo == CUBLAS_FILL_MODE_UPPER;
	return banded<T>(lda, upper ? 0 : k, upper ? k : 0, trans);
}

template <bool HERMITIAN, class T>
cublasStatus_t sbmv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k, const T *alpha, const T *A,
		    int64_t lda, const T *x, int64_t incx, const T *beta, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && k >= 0 && is_leading(lda, k + 1) && incx && incy);
	return times(handle, symmetric(band_of_triangle<T>(lda, uplo, k, CUBLAS_OP_N), uplo, HERMITIAN), n, n, alpha, A,
		     x, incx, beta, y, incy);
}

template <bool HERMITIAN, class T>
cublasStatus_t spmv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha, const T *AP, const T *x,
		    int64_t incx, const T *beta, T *y, int64_t incy)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && n >= 0 && incx && incy);
	return times(handle, symmetric(packed<T>(n), uplo, HERMITIAN), n, n, alpha, AP, x, incx, beta, y, incy);
}

/* x = op(A) x, by a copy of x, or x = op(A)^-1 x. */
template <bool SOLVE, class T>
static cublasStatus_t times_triangle(cublasHandle_t handle, const stored<T> &a, int64_t n, const T *A, T *x, int64_t incx)
{
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	if constexpr (SOLVE) {
		solve_vector_kernel<<<1, THREADS, 0, handle->stream>>>(a, A, n, first_element(x, n, incx), incx);
		return launched();
	} else {
		scratch memory(handle, n * sizeof(T));
		HD_BLAS_CHECK(memory.data, CUBLAS_STATUS_ALLOC_FAILED);
		times_vector<T> p;
		p.a.left = p.a.right = 0; /* the unit matrix: it copies x */
		p.a.kind = UNIT_TRIANGULAR;
		p.x.data = first_element(x, n, incx);
		p.x.rows = incx;
		p.y.data = memory.as<T>();
		p.rows = p.columns = n;
		p.alpha = value_of(make<T>(1));
		p.beta = value_of(T{});
		cublasStatus_t status = run(handle, p);
		p.a = a;
		p.matrix.data = A;
		p.x = as_operand(p.y);
		p.y.data = first_element(x, n, incx);
		p.y.rows = incx;
		return status == CUBLAS_STATUS_SUCCESS ? run(handle, p) : status;
	}
}

template <bool SOLVE, class T>
cublasStatus_t trmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n,
		    const T *A, int64_t lda, T *x, int64_t incx)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && is_operation(trans) && is_diag(diag) && n >= 0 && is_leading(lda, n) && incx);
	return times_triangle<SOLVE>(handle, triangular(whole<T>(lda, trans), uplo, diag), n, A, x, incx);
}

template <bool SOLVE, class T>
cublasStatus_t tbmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n,
		    int64_t k, const T *A, int64_t lda, T *x, int64_t incx)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && is_operation(trans) && is_diag(diag) && n >= 0 && k >= 0 &&
		      is_leading(lda, k + 1) && incx);
	return times_triangle<SOLVE>(handle, triangular(band_of_triangle<T>(lda, uplo, k, trans), uplo, diag), n, A, x,
				     incx);
}

template <bool SOLVE, class T>
cublasStatus_t tpmv(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag, int64_t n,
		    const T *AP, T *x, int64_t incx)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_fill(uplo) && is_operation(trans) && is_diag(diag) && n >= 0 && incx);
	return times_triangle<SOLVE>(handle, triangular(packed<T>(n, trans), uplo, diag), n, AP, x, incx);
}

/* Vectors of batches with a negative increment begin at their other ends, too, which an array of places cannot say. */
template <class T>
cublasStatus_t gemv_batched(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T *alpha,
			    const T *const Aarray[], int64_t lda, const T *const xarray[], int64_t incx, const T *beta,
			    T *const yarray[], int64_t incy, int64_t count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_operation(trans) && m >= 0 && n >= 0 && is_leading(lda, m) && incx > 0 && incy > 0 && count >= 0);
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	times_vector<T> p;
	p.a = whole<T>(lda, trans);
	p.matrix.array = Aarray;
	p.x.array = xarray;
	p.x.rows = incx;
	p.y.array = yarray;
	p.y.rows = incy;
	p.rows = p.a.transposed ? n : m;
	p.columns = p.a.transposed ? m : n;
	p.alpha = factor(handle, alpha);
	p.beta = factor(handle, beta);
	p.count = (unsigned)count;
	return run(handle, p);
}

template <class T>
cublasStatus_t gemv_strided(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n, const T *alpha, const T *A,
			    int64_t lda, int64_t stride_a, const T *x, int64_t incx, int64_t stride_x, const T *beta, T *y,
			    int64_t incy, int64_t stride_y, int64_t count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_operation(trans) && m >= 0 && n >= 0 && is_leading(lda, m) && incx && incy && count >= 0);
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	times_vector<T> p;
	p.a = whole<T>(lda, trans);
	p.rows = p.a.transposed ? n : m;
	p.columns = p.a.transposed ? m : n;
	p.matrix.data = A;
	p.matrix.batch = stride_a;
	p.x.data = first_element(x, p.columns, incx);
	p.x.rows = incx;
	p.x.batch = stride_x;
	p.y.data = first_element(y, p.rows, incy);
	p.y.rows = incy;
	p.y.batch = stride_y;
	p.alpha = factor(handle, alpha);
	p.beta = factor(handle, beta);
	p.count = (unsigned)count;
	return run(handle, p);
}

} // namespace hd_blas

#define HD_CUBLAS_NO_UPDATES
#define HD_CUBLAS_TABLE <heddle_cublas_level2.def>
#include "runtime/math/cublas/define.cuh"
