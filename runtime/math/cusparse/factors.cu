/*
 * cuSPARSE's incomplete factors without fill-in: A = L U where A has elements (csrilu02), A = L L' (csric02). A warp has a row
 * and waits for the rows before it whose numbers it has in columns left of the diagonal; they are those of warps before it.
 * For L U, it subtracts multiples of these rows, one after the other, at the columns that it has itself. For L L', it
 * subtracts from each of its numbers the product of what is left of it in both rows; numbers right of the diagonal are
 * neither read nor written. So the order of roundings is fixed. Columns of a row are to be sorted. Time is that of the
 * longest chain of rows.
 *
 * The program's buffer: for each row where its diagonal element stands, plus one, once the row is done. The first row
 * without a pivot is asked for later, when the program may have freed its buffer: that word is the info's own.
 */
#include <climits>
#include <new>

#include "runtime/math/cusparse/sparse.cuh"

struct factor_info {
	int *pivot = nullptr; /* on the device: the first row of the last call without one, or INT_MAX */
	int base = 0;	      /* of that call's matrix */
	bool used = false;    /* there was a call, of a matrix with rows */
};

struct csric02Info : factor_info {};

struct csrilu02Info : factor_info {
	bool boosts = false;
	const double *tolerance = nullptr;
	const void *boost = nullptr;
};

namespace hd_sparse {

template <class T> struct factored {
	int rows, base;
	const int *starts, *columns;
	T *values;
	int *pivot, *done;
	bool boosts;
	double tolerance;
	T boost;

	/* Where a row has a column, among its numbers from `low` on; -1. */
	__device__ int find(int low, int high, int column) const
	{
		int end = high;
		while (low < high) {
			int middle = (low + high) / 2;
			if (columns[middle] < column)
				low = middle + 1;
			else
				high = middle;
		}
		return low < end && columns[low] == column ? low : -1;
	}
};

__global__ void __launch_bounds__(THREADS) reset(int *pivot, int *done, int rows)
{
	int step = gridDim.x * THREADS, first = blockIdx.x * THREADS + threadIdx.x;
	if (!first)
		*pivot = INT_MAX;
	for (int i = first; i < rows; i += step)
		done[i] = 0;
}

/* In double precision, where no square of a float is lost. */
static __device__ double size_of_number(float a)
{
	return fabs((double)a);
}

static __device__ double size_of_number(double a)
{
	return fabs(a);
}

template <class T> static __device__ double size_of_number(const T &a)
{
	return hypot((double)a.x, (double)a.y);
}

/* Rows without an element on the diagonal. */
template <class T> __global__ void __launch_bounds__(THREADS) find_missing(factored<T> a)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < a.rows && a.find(a.starts[i] - a.base, a.starts[i + 1] - a.base, i + a.base) < 0)
		atomicMin(a.pivot, i);
}

template <class T> __global__ void __launch_bounds__(THREADS) factor_rows(factored<T> a)
{
	int i = (blockIdx.x * THREADS + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
	volatile int *done = a.done;
	if (i >= a.rows)
		return;
	int first = a.starts[i] - a.base, end = a.starts[i + 1] - a.base;
	for (int k = first; k < end && a.columns[k] - a.base < i; k++) {
		int other = a.columns[k] - a.base, place;
		while (!(place = done[other]))
			;
		__syncwarp();
		__threadfence();
		if (place == INT_MAX) /* that row has no pivot */
			continue;
		T factor = a.values[k] / a.values[place - 1];
		__syncwarp();
		if (lane == 0)
			a.values[k] = factor;
		int last = a.starts[other + 1] - a.base;
		for (int l = place + lane; l < last; l += WARP) {
			int at = a.find(k + 1, end, a.columns[l]);
			if (at >= 0)
				a.values[at] = a.values[at] - factor * a.values[l];
		}
		__syncwarp();
	}
	if (lane)
		return;
	int diagonal = a.find(first, end, i + a.base);
	if (diagonal >= 0 && a.boosts && size_of_number(a.values[diagonal]) <= a.tolerance)
		a.values[diagonal] = a.boost;
	if (diagonal < 0 || is_zero(a.values[diagonal]))
		atomicMin(a.pivot, i);
	__threadfence();
	done[i] = diagonal < 0 ? INT_MAX : diagonal + 1;
}

/* The sum of what row i has and row k's conjugate has, of columns left of k; all lanes have it. */
template <class T> __device__ T product_of_rows(const factored<T> &a, int first, int end, int other_first, int other_end)
{
	T sum = T{};
	for (int l = other_first + (int)threadIdx.x % WARP; l < other_end; l += WARP) {
		int at = a.find(first, end, a.columns[l]);
		if (at >= 0)
			sum = multiply_add(a.values[at], conj(a.values[l]), sum);
	}
	return sum_of_warp(sum);
}

template <class T> __global__ void __launch_bounds__(THREADS) factor_symmetric(factored<T> a)
{
	int i = (blockIdx.x * THREADS + threadIdx.x) / WARP, lane = threadIdx.x % WARP;
	volatile int *done = a.done;
	if (i >= a.rows)
		return;
	int first = a.starts[i] - a.base, end = a.starts[i + 1] - a.base, k = first;
	for (; k < end && a.columns[k] - a.base < i; k++) {
		int other = a.columns[k] - a.base, place;
		while (!(place = done[other]))
			;
		__syncwarp();
		__threadfence();
		if (place == INT_MAX)
			continue;
		T sum = product_of_rows(a, first, k, a.starts[other] - a.base, place - 1);
		if (lane == 0)
			a.values[k] = (a.values[k] - sum) / a.values[place - 1];
		__syncwarp();
	}
	bool missing = k == end || a.columns[k] - a.base != i;
	real_of<T> square = 0;
	for (int l = first + lane; l < k; l += WARP)
		square += real(a.values[l] * conj(a.values[l]));
	square = sum_of_warp(square);
	if (lane)
		return;
	if (!missing) {
		square = real(a.values[k]) - square;
		a.values[k] = make<T>(sqrt(square));
	}
	if (missing || !(square > 0))
		atomicMin(a.pivot, i);
	__threadfence();
	done[i] = missing ? INT_MAX : k + 1;
}

enum action { ANALYSE, FACTOR, FACTOR_SYMMETRIC };

template <class T>
static cusparseStatus_t run(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descriptor, T *values,
			    const int *starts, const int *columns, factor_info *info, void *buffer, action action,
			    const csrilu02Info *boost = nullptr)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && nnz >= 0 && descriptor && info);
	HD_SPARSE_VALID(!m || (starts && buffer && (!nnz || (values && columns))));
	info->base = cusparseGetMatIndexBase(descriptor);
	info->used = m > 0;
	if (!m)
		return CUSPARSE_STATUS_SUCCESS;
	factored<T> a = {m, info->base, starts, columns, values, info->pivot, static_cast<int *>(buffer), false, 0, T{}};
	if (boost && boost->boosts) {
		bool device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
		if (device && cudaStreamSynchronize(handle->stream) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
		a.boosts = true;
		if (cudaMemcpy(&a.tolerance, boost->tolerance, sizeof a.tolerance, cudaMemcpyDefault) != cudaSuccess ||
		    cudaMemcpy(&a.boost, boost->boost, sizeof a.boost, cudaMemcpyDefault) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
	}
	reset<<<blocks_for(m, THREADS), THREADS, 0, handle->stream>>>(a.pivot, a.done, m);
	unsigned warps = (unsigned)((m + THREADS / WARP - 1) / (THREADS / WARP));
	if (action == FACTOR)
		factor_rows<T><<<warps, THREADS, 0, handle->stream>>>(a);
	else if (action == FACTOR_SYMMETRIC)
		factor_symmetric<T><<<warps, THREADS, 0, handle->stream>>>(a);
	else
		find_missing<T><<<(unsigned)((m + THREADS - 1) / THREADS), THREADS, 0, handle->stream>>>(a);
	return launched();
}

template <class Info> static cusparseStatus_t create(Info **info)
{
	HD_SPARSE_VALID(info);
	Info *made = new (std::nothrow) Info;
	if (!made || cudaMalloc((void **)&made->pivot, sizeof *made->pivot) != cudaSuccess) {
		delete made;
		return CUSPARSE_STATUS_ALLOC_FAILED;
	}
	*info = made;
	return CUSPARSE_STATUS_SUCCESS;
}

template <class Info> static cusparseStatus_t destroy(Info *info)
{
	HD_SPARSE_VALID(info);
	cudaFree(info->pivot);
	delete info;
	return CUSPARSE_STATUS_SUCCESS;
}

/* The first row without a pivot, counted from 0 or 1 as the matrix is; -1: none. */
static cusparseStatus_t zero_pivot(cusparseHandle_t handle, const factor_info *info, int *position)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(info && position);
	int found = INT_MAX;
	if (cudaStreamSynchronize(handle->stream) != cudaSuccess ||
	    (info->used && cudaMemcpy(&found, info->pivot, sizeof found, cudaMemcpyDeviceToHost) != cudaSuccess))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	bool none = found == INT_MAX;
	found = none ? -1 : found + info->base;
	if (cudaMemcpy(position, &found, sizeof found, cudaMemcpyDefault) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	return none ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

/* Of more rows the bytes are no int. */
static cusparseStatus_t tell_size(int m, int *bytes)
{
	HD_SPARSE_VALID(bytes && m < INT_MAX / (int)sizeof(int));
	*bytes = (m + 1) * (int)sizeof(int);
	return CUSPARSE_STATUS_SUCCESS;
}

} // namespace hd_sparse

using namespace hd_sparse;

extern "C" {

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
	return create(info);
}

cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
	return destroy(info);
}

cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position)
{
	return zero_pivot(handle, info, position);
}

cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info)
{
	return create(info);
}

cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info)
{
	return destroy(info);
}

cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position)
{
	return zero_pivot(handle, info, position);
}

#define NUMERIC_BOOST(letter, T)                                                                                       \
	cusparseStatus_t cusparse##letter##csrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info,         \
								 int enable_boost, double *tol, T *boost_val)          \
	{                                                                                                              \
		HD_SPARSE_HANDLE(handle);                                                                              \
		HD_SPARSE_VALID(info && (!enable_boost || (tol && boost_val)));                                        \
		info->boosts = enable_boost != 0;                                                                      \
		info->tolerance = tol;                                                                                 \
		info->boost = boost_val;                                                                               \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}
NUMERIC_BOOST(S, float)
NUMERIC_BOOST(D, double)
NUMERIC_BOOST(C, cuComplex)
NUMERIC_BOOST(Z, cuDoubleComplex)

#define FACTORS(routine, letter, T, action, boost)                                                                     \
	cusparseStatus_t cusparse##letter##routine##_bufferSize(cusparseHandle_t handle, int m, int nnz,               \
								const cusparseMatDescr_t descrA, T *, const int *,     \
								const int *, routine##Info_t info,                     \
								int *pBufferSizeInBytes)                               \
	{                                                                                                              \
		HD_SPARSE_HANDLE(handle);                                                                              \
		HD_SPARSE_VALID(m >= 0 && nnz >= 0 && descrA && info);                                                 \
		return tell_size(m, pBufferSizeInBytes);                                                               \
	}                                                                                                              \
	cusparseStatus_t cusparse##letter##routine##_analysis(                                                         \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrSortedValA,      \
		const int *csrSortedRowPtrA, const int *csrSortedColIndA, routine##Info_t info, cusparseSolvePolicy_t, \
		void *pBuffer)                                                                                         \
	{                                                                                                              \
		return run(handle, m, nnz, descrA, const_cast<T *>(csrSortedValA), csrSortedRowPtrA, csrSortedColIndA, \
			   info, pBuffer, ANALYSE);                                                                    \
	}                                                                                                              \
	cusparseStatus_t cusparse##letter##routine(cusparseHandle_t handle, int m, int nnz,                            \
						   const cusparseMatDescr_t descrA, T *csrSortedValA_valM,             \
						   const int *csrSortedRowPtrA, const int *csrSortedColIndA,           \
						   routine##Info_t info, cusparseSolvePolicy_t, void *pBuffer)         \
	{                                                                                                              \
		return run(handle, m, nnz, descrA, csrSortedValA_valM, csrSortedRowPtrA, csrSortedColIndA, info,       \
			   pBuffer, action, boost);                                                                    \
	}
FACTORS(csrilu02, S, float, FACTOR, info)
FACTORS(csrilu02, D, double, FACTOR, info)
FACTORS(csrilu02, C, cuComplex, FACTOR, info)
FACTORS(csrilu02, Z, cuDoubleComplex, FACTOR, info)
FACTORS(csric02, S, float, FACTOR_SYMMETRIC, nullptr)
FACTORS(csric02, D, double, FACTOR_SYMMETRIC, nullptr)
FACTORS(csric02, C, cuComplex, FACTOR_SYMMETRIC, nullptr)
FACTORS(csric02, Z, cuDoubleComplex, FACTOR_SYMMETRIC, nullptr)

} // extern "C"
