/*
 * cuSPARSE's incomplete factors without fill-in (csrilu02): A = L U where A has elements. A warp has a row and waits for the
 * rows before it whose numbers it has in columns left of the diagonal; they are those of warps before it. It subtracts
 * multiples of these rows, one after the other, at the columns that it has itself: so the order of roundings is fixed.
 * Columns of a row are to be sorted. Time is that of the longest chain of rows.
 *
 * The program's buffer: the first row without a pivot, then for each row where its diagonal element stands, plus one, once
 * the row is done.
 */
#include <climits>
#include <new>

#include "runtime/math/cusparse/sparse.cuh"

struct csrilu02Info {
	int *buffer = nullptr; /* of the last call */
	int base = 0;	       /* and its matrix's */
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

__global__ void __launch_bounds__(THREADS) reset(int *words, int rows)
{
	int step = gridDim.x * THREADS;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i <= rows; i += step)
		words[i] = i ? 0 : INT_MAX;
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
	if (diagonal >= 0 && a.boosts && abs_squared(a.values[diagonal]) <= a.tolerance * a.tolerance)
		a.values[diagonal] = a.boost;
	if (diagonal < 0 || is_zero(a.values[diagonal]))
		atomicMin(a.pivot, i);
	__threadfence();
	done[i] = diagonal < 0 ? INT_MAX : diagonal + 1;
}

template <class T>
static cusparseStatus_t run(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descriptor, T *values,
			    const int *starts, const int *columns, csrilu02Info_t info, void *buffer, bool factors)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && nnz >= 0 && descriptor && info);
	if (!m)
		return CUSPARSE_STATUS_SUCCESS;
	HD_SPARSE_VALID(starts && buffer && (!nnz || (values && columns)));
	int base = cusparseGetMatIndexBase(descriptor), *pivot = static_cast<int *>(buffer);
	factored<T> a = {m, base, starts, columns, values, pivot, pivot + 1, false, 0, T{}};
	info->buffer = a.pivot;
	info->base = a.base;
	if (info->boosts) {
		bool device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
		if (device && cudaStreamSynchronize(handle->stream) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
		a.boosts = true;
		if (cudaMemcpy(&a.tolerance, info->tolerance, sizeof a.tolerance, cudaMemcpyDefault) != cudaSuccess ||
		    cudaMemcpy(&a.boost, info->boost, sizeof a.boost, cudaMemcpyDefault) != cudaSuccess)
			return CUSPARSE_STATUS_EXECUTION_FAILED;
	}
	reset<<<blocks_for(m + 1, THREADS), THREADS, 0, handle->stream>>>(a.pivot, m);
	if (factors)
		factor_rows<T><<<(unsigned)((m + THREADS / WARP - 1) / (THREADS / WARP)), THREADS, 0, handle->stream>>>(a);
	else
		find_missing<T><<<(unsigned)((m + THREADS - 1) / THREADS), THREADS, 0, handle->stream>>>(a);
	return launched();
}

} // namespace hd_sparse

using namespace hd_sparse;

extern "C" {

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info)
{
	HD_SPARSE_VALID(info);
	*info = new (std::nothrow) csrilu02Info;
	return *info ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info)
{
	HD_SPARSE_VALID(info);
	delete info;
	return CUSPARSE_STATUS_SUCCESS;
}

/* The first row without a pivot, counted from 0 or 1 as the matrix is; -1: none. */
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(info && position);
	int found = INT_MAX;
	if (cudaStreamSynchronize(handle->stream) != cudaSuccess ||
	    (info->buffer && cudaMemcpy(&found, info->buffer, sizeof found, cudaMemcpyDeviceToHost) != cudaSuccess))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	bool none = found == INT_MAX;
	found = none ? -1 : found + info->base;
	if (cudaMemcpy(position, &found, sizeof found, cudaMemcpyDefault) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	return none ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

#define FACTORS(letter, T)                                                                                                 \
	cusparseStatus_t cusparse##letter##csrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info,             \
								 int enable_boost, double *tol, T *boost_val)              \
	{                                                                                                                  \
		HD_SPARSE_HANDLE(handle);                                                                                  \
		HD_SPARSE_VALID(info && (!enable_boost || (tol && boost_val)));                                            \
		info->boosts = enable_boost != 0;                                                                          \
		info->tolerance = tol;                                                                                     \
		info->boost = boost_val;                                                                                   \
		return CUSPARSE_STATUS_SUCCESS;                                                                            \
	}                                                                                                                  \
	cusparseStatus_t cusparse##letter##csrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz,                    \
							       const cusparseMatDescr_t descrA, T *, const int *,          \
							       const int *, csrilu02Info_t info, int *pBufferSizeInBytes)  \
	{                                                                                                                  \
		HD_SPARSE_HANDLE(handle);                                                                                  \
		HD_SPARSE_VALID(m >= 0 && nnz >= 0 && descrA && info && pBufferSizeInBytes);                               \
		*pBufferSizeInBytes = (m + 1) * (int)sizeof(int);                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                                            \
	}                                                                                                                  \
	cusparseStatus_t cusparse##letter##csrilu02_analysis(                                                              \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrSortedValA,          \
		const int *csrSortedRowPtrA, const int *csrSortedColIndA, csrilu02Info_t info, cusparseSolvePolicy_t,      \
		void *pBuffer)                                                                                             \
	{                                                                                                                  \
		return run(handle, m, nnz, descrA, const_cast<T *>(csrSortedValA), csrSortedRowPtrA, csrSortedColIndA,     \
			   info, pBuffer, false);                                                                          \
	}                                                                                                                  \
	cusparseStatus_t cusparse##letter##csrilu02(cusparseHandle_t handle, int m, int nnz,                               \
						    const cusparseMatDescr_t descrA, T *csrSortedValA_valM,                \
						    const int *csrSortedRowPtrA, const int *csrSortedColIndA,              \
						    csrilu02Info_t info, cusparseSolvePolicy_t, void *pBuffer)             \
	{                                                                                                                  \
		return run(handle, m, nnz, descrA, csrSortedValA_valM, csrSortedRowPtrA, csrSortedColIndA, info, pBuffer,  \
			   true);                                                                                          \
	}
FACTORS(S, float)
FACTORS(D, double)
FACTORS(C, cuComplex)
FACTORS(Z, cuDoubleComplex)

} // extern "C"
