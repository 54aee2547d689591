/*
 * cuBLAS's factorisations of many small matrices: a block for each, without panels. Pivots and reflections are LAPACK's, so
 * that results agree with it up to roundings.
 */
#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum { THREADS = 128, WARP = 32, MOST_INVERTED = 32 };

template <class T> struct array_of {
	T *const *array;
	int64_t ld;

	__device__ T *matrix() const
	{
		return array[blockIdx.x];
	}
};

/* The row of the largest element of a column, from row k on: the first one, as in BLAS. For all threads. */
template <class T> __device__ int find_pivot(int n, int k, const T *column)
{
	__shared__ real_of<T> values[THREADS];
	__shared__ int rows[THREADS];
	real_of<T> best = -1;
	int row = k;
	for (int i = k + threadIdx.x; i < n; i += THREADS)
		if (abs1(column[i]) > best) {
			best = abs1(column[i]);
			row = i;
		}
	values[threadIdx.x] = best;
	rows[threadIdx.x] = row;
	for (unsigned step = THREADS / 2; step; step /= 2) {
		__syncthreads();
		if (threadIdx.x < step) {
			real_of<T> other = values[threadIdx.x + step];
			if (other > values[threadIdx.x] ||
			    (other == values[threadIdx.x] && rows[threadIdx.x + step] < rows[threadIdx.x])) {
				values[threadIdx.x] = other;
				rows[threadIdx.x] = rows[threadIdx.x + step];
			}
		}
	}
	__syncthreads();
	row = rows[0];
	__syncthreads();
	return row;
}

/* P A = L U in place; no exchanges without `pivots`. Returns the first column, from one, whose pivot is zero, or 0. */
template <class T> __device__ int factorise(int n, T *a, int64_t ld, int *pivots)
{
	int info = 0;
	for (int k = 0; k < n; k++) {
		if (pivots) {
			int row = find_pivot(n, k, a + k * ld);
			if (threadIdx.x == 0)
				pivots[k] = row + 1;
			for (int j = threadIdx.x; j < n && row != k; j += THREADS) {
				T value = a[k + j * ld];
				a[k + j * ld] = a[row + j * ld];
				a[row + j * ld] = value;
			}
			__syncthreads();
		}
		T pivot = a[k + k * ld];
		if (is_zero(pivot)) {
			info = info ? info : k + 1;
			__syncthreads();
			continue;
		}
		int left = n - k - 1;
		for (int i = k + 1 + threadIdx.x; i < n; i += THREADS)
			a[i + k * ld] = a[i + k * ld] / pivot;
		__syncthreads();
		for (int e = threadIdx.x; e < left * left; e += THREADS) {
			int i = k + 1 + e % left, j = k + 1 + e / left;
			a[i + j * ld] = multiply_add(-a[i + k * ld], a[k + j * ld], a[i + j * ld]);
		}
		__syncthreads();
	}
	return info;
}

/* op(A) X = B in place of B for a triangle of A. */
template <class T>
__device__ void solve(int n, const T *a, int64_t lda, bool upper, bool unit, bool transposed, bool conjugate, T *b, int64_t ldb,
		      int columns)
{
	bool forward = upper == transposed;
	for (int step = 0; step < n; step++) {
		int k = forward ? step : n - 1 - step, left = n - 1 - step, first = forward ? k + 1 : 0;
		if (!unit) {
			T diagonal = conj_if(conjugate, a[k + k * lda]);
			for (int j = threadIdx.x; j < columns; j += THREADS)
				b[k + j * ldb] = b[k + j * ldb] / diagonal;
			__syncthreads();
		}
		for (int e = threadIdx.x; e < left * columns; e += THREADS) {
			int i = first + e % left, j = e / left;
			T by = conj_if(conjugate, transposed ? a[k + i * lda] : a[i + k * lda]);
			b[i + j * ldb] = multiply_add(-by, b[k + j * ldb], b[i + j * ldb]);
		}
		__syncthreads();
	}
}

/* Exchanges rows as a factorisation did, or back. */
template <class T> __device__ void exchange(int n, const int *pivots, bool back, T *b, int64_t ldb, int columns)
{
	for (int j = threadIdx.x; j < columns && pivots; j += THREADS)
		for (int step = 0; step < n; step++) {
			int k = back ? n - 1 - step : step, row = pivots[k] - 1;
			T value = b[k + j * ldb];
			b[k + j * ldb] = b[row + j * ldb];
			b[row + j * ldb] = value;
		}
	__syncthreads();
}

/* The inverse of what is factorised. */
template <class T> __device__ void invert(int n, const T *a, int64_t lda, const int *pivots, T *c, int64_t ldc)
{
	for (int e = threadIdx.x; e < n * n; e += THREADS)
		c[e % n + e / n * ldc] = make<T>(e % n == e / n);
	__syncthreads();
	exchange(n, pivots, false, c, ldc, n);
	solve(n, a, lda, false, true, false, false, c, ldc, n);
	solve(n, a, lda, true, false, false, false, c, ldc, n);
}

template <class T>
__global__ void __launch_bounds__(THREADS) getrf_kernel(int n, array_of<T> a, int *pivots, int *infos)
{
	int info = factorise(n, a.matrix(), a.ld, pivots ? pivots + (int64_t)blockIdx.x * n : nullptr);
	if (threadIdx.x == 0)
		infos[blockIdx.x] = info;
}

template <class T>
__global__ void __launch_bounds__(THREADS)
	getrs_kernel(int n, int columns, array_of<const T> a, const int *pivots, array_of<T> b, bool transposed, bool conjugate)
{
	const T *from = a.matrix();
	T *to = b.matrix();
	if (pivots)
		pivots += (int64_t)blockIdx.x * n;
	if (!transposed)
		exchange(n, pivots, false, to, b.ld, columns);
	solve(n, from, a.ld, transposed, transposed ? false : true, transposed, conjugate, to, b.ld, columns);
	solve(n, from, a.ld, !transposed, transposed, transposed, conjugate, to, b.ld, columns);
	if (transposed)
		exchange(n, pivots, true, to, b.ld, columns);
}

template <class T>
__global__ void __launch_bounds__(THREADS)
	getri_kernel(int n, array_of<const T> a, const int *pivots, array_of<T> c, int *infos)
{
	const T *from = a.matrix();
	int info = 0;
	for (int k = 0; k < n && !info; k++)
		info = is_zero(from[k + k * a.ld]) ? k + 1 : 0;
	if (threadIdx.x == 0)
		infos[blockIdx.x] = info;
	if (!info)
		invert(n, from, a.ld, pivots ? pivots + (int64_t)blockIdx.x * n : nullptr, c.matrix(), c.ld);
}

template <class T>
__global__ void __launch_bounds__(THREADS) matinv_kernel(int n, array_of<const T> a, array_of<T> c, int *infos)
{
	__shared__ T copy[MOST_INVERTED * MOST_INVERTED];
	__shared__ int pivots[MOST_INVERTED];
	const T *from = a.matrix();
	for (int e = threadIdx.x; e < n * n; e += THREADS)
		copy[e] = from[e % n + e / n * a.ld];
	__syncthreads();
	int info = factorise(n, copy, n, pivots);
	if (threadIdx.x == 0)
		infos[blockIdx.x] = info;
	if (!info)
		invert(n, copy, n, pivots, c.matrix(), c.ld);
}

/* H^H times columns of a matrix, H = I - tau v v^H and v's first element one, which is not stored: a warp for a column. */
template <class T> __device__ void reflect(int rows, const T *v, T tau, T *a, int64_t ld, int columns)
{
	int lane = threadIdx.x % WARP;
	for (int j = threadIdx.x / WARP; j < columns; j += THREADS / WARP) {
		T *column = a + j * ld, sum = lane == 0 ? column[0] : T{};
		for (int i = 1 + lane; i < rows; i += WARP)
			sum = multiply_add(conj(v[i]), column[i], sum);
		T by = -(conj(tau) * sum_of_warp(sum));
		for (int i = 1 + lane; i < rows; i += WARP)
			column[i] = multiply_add(by, v[i], column[i]);
		if (lane == 0)
			column[0] = column[0] + by;
	}
	__syncthreads();
}

/* The reflection that leaves of a column its first element alone, by the block's first warp; for all threads. */
template <class T> __device__ T make_reflection(int rows, T *v)
{
	__shared__ T found;
	int lane = threadIdx.x;
	if (threadIdx.x < WARP) {
		T first = v[0], tau{};
		real_of<T> largest = 0, sum = 0;
		for (int i = 1 + lane; i < rows; i += WARP)
			largest = fmax(largest, fmax(fabs(real(v[i])), fabs(imag(v[i]))));
		for (int offset = WARP / 2; offset; offset /= 2)
			largest = fmax(largest, __shfl_xor_sync(0xffffffff, largest, offset));
		largest = fmax(largest, fmax(fabs(real(first)), fabs(imag(first))));
		/* Scaled, so that no square overflows. */
		for (int i = 1 + lane; i < rows && largest > 0; i += WARP)
			sum += abs_squared(v[i] / largest);
		sum = sum_of_warp(sum);
		if (sum > 0 || imag(first) != 0) {
			real_of<T> norm = largest * sqrt(sum + abs_squared(first / largest));
			real_of<T> beta = -copysign(norm, real(first));
			tau = make<T>((beta - real(first)) / beta, -imag(first) / beta);
			__syncwarp();
			/* The reciprocal of a small number would overflow. */
			for (int i = 1 + lane; i < rows; i += WARP)
				v[i] = v[i] / (first - make<T>(beta));
			if (lane == 0)
				v[0] = make<T>(beta);
		}
		if (lane == 0)
			found = tau;
	}
	__syncthreads();
	T tau = found;
	__syncthreads();
	return tau;
}

/* A = Q R; `c`, if there is one, becomes Q^H C, and the solution of R X = Q^H C. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	geqrf_kernel(int m, int n, array_of<T> a, T *const *taus, array_of<T> c, int columns, int *infos)
{
	T *matrix = a.matrix();
	int least = m < n ? m : n, info = 0;
	for (int k = 0; k < least; k++) {
		T *v = matrix + k + k * a.ld, tau = make_reflection(m - k, v);
		if (taus && threadIdx.x == 0)
			taus[blockIdx.x][k] = tau;
		reflect(m - k, v, tau, v + a.ld, a.ld, n - k - 1);
		if (c.array)
			reflect(m - k, v, tau, c.matrix() + k, c.ld, columns);
		info = !info && is_zero(v[0]) ? k + 1 : info;
	}
	if (!c.array)
		return;
	if (infos && threadIdx.x == 0)
		infos[blockIdx.x] = info;
	if (!info)
		solve(n, matrix, a.ld, true, false, false, false, c.matrix(), c.ld, columns);
}

/* A number of LAPACK's in `info`, which is the host's: which argument is wrong; 0: none. */
static cublasStatus_t judge(int *info, int wrong)
{
	if (info)
		*info = -wrong;
	return wrong || !info ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
}

/* Of matrices without elements: nothing is wrong with any, and no array is read. */
static cublasStatus_t clear(cublasHandle_t handle, int *infos, int count)
{
	cudaMemsetAsync(infos, 0, count * sizeof *infos, handle->stream);
	return launched();
}

template <class T>
static cublasStatus_t getrf(cublasHandle_t handle, int n, T *const A[], int lda, int *P, int *info, int count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(n >= 0 && count >= 0 && is_leading(lda, n));
	if (!count)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(info && (A || !n));
	if (!n)
		return clear(handle, info, count);
	getrf_kernel<T><<<count, THREADS, 0, handle->stream>>>(n, array_of<T>{A, lda}, P, info);
	return launched();
}

template <class T>
static cublasStatus_t getrs(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T *const A[], int lda,
			    const int *P, T *const B[], int ldb, int *info, int count)
{
	HD_BLAS_HANDLE(handle);
	bool work = n && nrhs && count;
	cublasStatus_t status = judge(info, !is_operation(trans)     ? 1
					    : n < 0		     ? 2
					    : nrhs < 0		     ? 3
					    : work && !A	     ? 4
					    : !is_leading(lda, n)    ? 5
					    : work && !B	     ? 7
					    : !is_leading(ldb, n)    ? 8
					    : count < 0		     ? 10
								     : 0);
	if (status != CUBLAS_STATUS_SUCCESS || !work)
		return status;
	getrs_kernel<T><<<count, THREADS, 0, handle->stream>>>(n, nrhs, array_of<const T>{A, lda}, P, array_of<T>{B, ldb},
							       is_transposed(trans), is_conjugated(trans));
	return launched();
}

template <class T>
static cublasStatus_t getri(cublasHandle_t handle, int n, const T *const A[], int lda, const int *P, T *const C[], int ldc,
			    int *info, int count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(n >= 0 && count >= 0 && is_leading(lda, n) && is_leading(ldc, n));
	if (!count)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(info && ((A && C) || !n));
	if (!n)
		return clear(handle, info, count);
	getri_kernel<T><<<count, THREADS, 0, handle->stream>>>(n, array_of<const T>{A, lda}, P, array_of<T>{C, ldc}, info);
	return launched();
}

template <class T>
static cublasStatus_t matinv(cublasHandle_t handle, int n, const T *const A[], int lda, T *const C[], int ldc, int *info,
			     int count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(n >= 0 && n <= MOST_INVERTED && count >= 0 && is_leading(lda, n) && is_leading(ldc, n));
	if (!count)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(info && ((A && C) || !n));
	if (!n)
		return clear(handle, info, count);
	matinv_kernel<T><<<count, THREADS, 0, handle->stream>>>(n, array_of<const T>{A, lda}, array_of<T>{C, ldc}, info);
	return launched();
}

template <class T>
static cublasStatus_t geqrf(cublasHandle_t handle, int m, int n, T *const A[], int lda, T *const taus[], int *info, int count)
{
	HD_BLAS_HANDLE(handle);
	bool work = m && n && count;
	cublasStatus_t status = judge(info, m < 0		     ? 1
					    : n < 0		     ? 2
					    : work && !A	     ? 3
					    : !is_leading(lda, m)    ? 4
					    : work && !taus	     ? 5
					    : count < 0		     ? 7
								     : 0);
	if (status != CUBLAS_STATUS_SUCCESS || !work)
		return status;
	geqrf_kernel<T><<<count, THREADS, 0, handle->stream>>>(m, n, array_of<T>{A, lda}, taus, array_of<T>{nullptr, 0}, 0,
							       nullptr);
	return launched();
}

/* As NVIDIA's: without a transpose, and of as many rows as columns at least. */
template <class T>
static cublasStatus_t gels(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs, T *const A[], int lda,
			   T *const C[], int ldc, int *info, int *infos, int count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_CHECK(!is_operation(trans) || (trans == CUBLAS_OP_N && m >= n), CUBLAS_STATUS_NOT_SUPPORTED);
	bool work = n && nrhs && count;
	cublasStatus_t status = judge(info, !is_operation(trans)     ? 1
					    : m < 0		     ? 2
					    : n < 0		     ? 3
					    : nrhs < 0		     ? 4
					    : work && !A	     ? 5
					    : !is_leading(lda, m)    ? 6
					    : work && !C	     ? 7
					    : !is_leading(ldc, m)    ? 8
					    : count < 0		     ? 11
								     : 0);
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	if (!work)
		return infos && count ? clear(handle, infos, count) : status;
	geqrf_kernel<T><<<count, THREADS, 0, handle->stream>>>(m, n, array_of<T>{A, lda}, nullptr, array_of<T>{C, ldc}, nrhs,
							       infos);
	return launched();
}

} // namespace hd_blas

#define HD_CUBLAS_BATCHED(L, T)                                                                                        \
	cublasStatus_t cublas##L##getrfBatched(cublasHandle_t handle, int n, T *const A[], int lda, int *P, int *info,  \
					       int batchSize)                                                          \
	{                                                                                                              \
		return hd_blas::getrf(handle, n, A, lda, P, info, batchSize);                                          \
	}                                                                                                              \
	cublasStatus_t cublas##L##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,        \
					       const T *const Aarray[], int lda, const int *devIpiv,                   \
					       T *const Barray[], int ldb, int *info, int batchSize)                   \
	{                                                                                                              \
		return hd_blas::getrs(handle, trans, n, nrhs, Aarray, lda, devIpiv, Barray, ldb, info, batchSize);     \
	}                                                                                                              \
	cublasStatus_t cublas##L##getriBatched(cublasHandle_t handle, int n, const T *const A[], int lda,              \
					       const int *P, T *const C[], int ldc, int *info, int batchSize)          \
	{                                                                                                              \
		return hd_blas::getri(handle, n, A, lda, P, C, ldc, info, batchSize);                                  \
	}                                                                                                              \
	cublasStatus_t cublas##L##matinvBatched(cublasHandle_t handle, int n, const T *const A[], int lda,             \
						T *const Ainv[], int lda_inv, int *info, int batchSize)                \
	{                                                                                                              \
		return hd_blas::matinv(handle, n, A, lda, Ainv, lda_inv, info, batchSize);                             \
	}                                                                                                              \
	cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t handle, int m, int n, T *const Aarray[], int lda,        \
					       T *const TauArray[], int *info, int batchSize)                          \
	{                                                                                                              \
		return hd_blas::geqrf(handle, m, n, Aarray, lda, TauArray, info, batchSize);                           \
	}                                                                                                              \
	cublasStatus_t cublas##L##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,  \
					      T *const Aarray[], int lda, T *const Carray[], int ldc, int *info,       \
					      int *devInfoArray, int batchSize)                                        \
	{                                                                                                              \
		return hd_blas::gels(handle, trans, m, n, nrhs, Aarray, lda, Carray, ldc, info, devInfoArray, batchSize); \
	}
extern "C" {
HD_CUBLAS_BATCHED(S, float)
HD_CUBLAS_BATCHED(D, double)
HD_CUBLAS_BATCHED(C, cuComplex)
HD_CUBLAS_BATCHED(Z, cuDoubleComplex)
}
