/*
 * cuSPARSE's conversions. What has to be sorted is sorted as pairs of an index and a position in one word, so that equal
 * indices keep their order.
 */
#include <algorithm>

#include "runtime/math/cusparse/sparse.cuh"

namespace hd_sparse {

enum { SORTED = 1024 }; /* pairs that a block sorts in shared memory */

__device__ inline void order(uint64_t &a, uint64_t &b, bool up)
{
	if ((a > b) == up) {
		uint64_t other = a;
		a = b;
		b = other;
	}
}

/* The steps of a bitonic sort whose distances fit into a block: all up to `size`, or the last ones of the step `size`. */
__global__ void __launch_bounds__(SORTED / 2) sort_near(uint64_t *pairs, unsigned size, bool all)
{
	__shared__ uint64_t shared[SORTED];
	unsigned first = blockIdx.x * SORTED, t = threadIdx.x;
	shared[t] = pairs[first + t];
	shared[t + SORTED / 2] = pairs[first + t + SORTED / 2];
	for (unsigned k = all ? 2 : size; k <= size; k *= 2)
		for (unsigned distance = k / 2 < SORTED / 2 ? k / 2 : SORTED / 2; distance; distance /= 2) {
			unsigned i = 2 * t - (t & (distance - 1));
			__syncthreads();
			order(shared[i], shared[i + distance], ((first + i) & k) == 0);
		}
	__syncthreads();
	pairs[first + t] = shared[t];
	pairs[first + t + SORTED / 2] = shared[t + SORTED / 2];
}

__global__ void __launch_bounds__(THREADS) sort_far(uint64_t *pairs, unsigned size, unsigned distance, unsigned half)
{
	unsigned t = blockIdx.x * THREADS + threadIdx.x, i = 2 * t - (t & (distance - 1));
	if (t < half)
		order(pairs[i], pairs[i + distance], (i & size) == 0);
}

static unsigned padded(int count)
{
	unsigned size = SORTED;
	while (size < (unsigned)count)
		size *= 2;
	return size;
}

static void sort(uint64_t *pairs, unsigned count, cudaStream_t stream)
{
	unsigned blocks = count / SORTED;
	sort_near<<<blocks, SORTED / 2, 0, stream>>>(pairs, SORTED, true);
	for (unsigned size = 2 * SORTED; size && size <= count; size *= 2) {
		for (unsigned distance = size / 2; distance >= SORTED; distance /= 2)
			sort_far<<<(count / 2 + THREADS - 1) / THREADS, THREADS, 0, stream>>>(pairs, size, distance,
											     count / 2);
		sort_near<<<blocks, SORTED / 2, 0, stream>>>(pairs, size, false);
	}
}

/* Signed indices in their order; behind them, what fills the sort's size up. */
__global__ void __launch_bounds__(THREADS) make_pairs(const int *index, int count, uint64_t *pairs, unsigned size)
{
	unsigned i = blockIdx.x * THREADS + threadIdx.x;
	if (i < size)
		pairs[i] = (int)i < count ? (uint64_t)((unsigned)index[i] ^ 0x80000000u) << 32 | i : ~0ull;
}

__device__ inline int index_of(uint64_t pair)
{
	return (int)((unsigned)(pair >> 32) ^ 0x80000000u);
}

/* ------------------------------------------------------------ offsets */

/* to[i]: how many of the sorted indices are below i. */
template <class Index>
__global__ void __launch_bounds__(THREADS) offsets(Index index, int count, int lines, int base, int *to)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i > lines)
		return;
	int low = 0, high = count;
	while (low < high) {
		int middle = low + (high - low) / 2;
		if (index(middle) - base < i)
			low = middle + 1;
		else
			high = middle;
	}
	to[i] = low + base;
}

struct plain_index {
	const int *data;
	__device__ int operator()(int i) const
	{
		return data[i];
	}
};

struct paired_index {
	const uint64_t *data;
	__device__ int operator()(int i) const
	{
		return index_of(data[i]);
	}
};

__global__ void __launch_bounds__(THREADS) expand(const int *offsets, int lines, int count, int base, int *to)
{
	int step = gridDim.x * THREADS;
	for (int k = blockIdx.x * THREADS + threadIdx.x; k < count; k += step)
		to[k] = (int)row_of(indices{offsets, false, base}, lines, k) + base;
}

__global__ void __launch_bounds__(THREADS) identity(int *p, int n)
{
	int step = gridDim.x * THREADS;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += step)
		p[i] = i;
}

/* ------------------------------------------------------------ sorting */

__global__ void __launch_bounds__(THREADS) copy(const int *from, int *to, int count)
{
	int step = gridDim.x * THREADS;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
		to[i] = from[i];
}

/* Sorted keys; the others by the same permutation, out of copies. */
__global__ void __launch_bounds__(THREADS)
	permute(const uint64_t *pairs, int count, int *keys, const int *other_before, int *other, const int *p_before, int *p)
{
	int step = gridDim.x * THREADS;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
		unsigned from = (unsigned)pairs[i];
		keys[i] = index_of(pairs[i]);
		other[i] = other_before[from];
		if (p)
			p[i] = p_before[from];
	}
}

static cusparseStatus_t sort_coordinates(cusparseHandle_t handle, int count, int *keys, int *other, int *p, void *buffer)
{
	unsigned size = padded(count), blocks = blocks_for(count, THREADS);
	uint64_t *pairs = static_cast<uint64_t *>(buffer);
	int *other_before = reinterpret_cast<int *>(pairs + size), *p_before = other_before + count;
	if (!count)
		return CUSPARSE_STATUS_SUCCESS;
	make_pairs<<<size / THREADS, THREADS, 0, handle->stream>>>(keys, count, pairs, size);
	sort(pairs, size, handle->stream);
	copy<<<blocks, THREADS, 0, handle->stream>>>(other, other_before, count);
	if (p)
		copy<<<blocks, THREADS, 0, handle->stream>>>(p, p_before, count);
	permute<<<blocks, THREADS, 0, handle->stream>>>(pairs, count, keys, other_before, other, p_before, p);
	return launched();
}

/* By `keys`, equal ones by `other`: the second sort keeps the order of the first. */
static cusparseStatus_t sort_by_both(cusparseHandle_t handle, int count, int *keys, int *other, int *p, void *buffer)
{
	cusparseStatus_t status = sort_coordinates(handle, count, other, keys, p, buffer);
	return status == CUSPARSE_STATUS_SUCCESS ? sort_coordinates(handle, count, keys, other, p, buffer) : status;
}

template <class T>
__global__ void __launch_bounds__(THREADS)
	turn(const uint64_t *pairs, int count, const int *row_offsets, int rows, int base, const T *values, int *row_of_number,
	     T *turned)
{
	int step = gridDim.x * THREADS;
	for (int i = blockIdx.x * THREADS + threadIdx.x; i < count; i += step) {
		unsigned from = (unsigned)pairs[i];
		row_of_number[i] = (int)row_of(indices{row_offsets, false, base}, rows, from) + base;
		if (turned)
			turned[i] = values[from];
	}
}

/* ------------------------------------------------------------ dense matrices */

template <class T>
__global__ void __launch_bounds__(THREADS) clear(dense<T> matrix, int64_t rows, int64_t columns)
{
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < rows * columns; i += step)
		matrix.at(i % rows, i / rows) = T{};
}

template <class T>
__global__ void __launch_bounds__(THREADS)
	spread(indices outer, indices inner, cusparseFormat_t format, int64_t lines, const T *values, int64_t count,
	       dense<T> to)
{
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t k = blockIdx.x * (int64_t)THREADS + threadIdx.x; k < count; k += step) {
		int64_t i = format == CUSPARSE_FORMAT_COO ? outer[k] : row_of(outer, lines, k), j = inner[k];
		(format == CUSPARSE_FORMAT_CSC ? to.at(j, i) : to.at(i, j)) = values[k];
	}
}

/* Numbers that are not zero in each line: its offsets' next. */
template <class T, class Count>
__global__ void __launch_bounds__(THREADS) count_line(dense<const T> from, int64_t lines, int64_t length, Count *to)
{
	int lane = threadIdx.x % WARP;
	int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
	for (int64_t i = blockIdx.x * (int64_t)(THREADS / WARP) + threadIdx.x / WARP; i < lines; i += step) {
		Count count = 0;
		for (int64_t first = 0; first < length; first += WARP) {
			bool some = first + lane < length && !is_zero(from.at(i, first + lane));
			count += __popc(__ballot_sync(0xffffffff, some));
		}
		if (lane == 0)
			to[i] = count;
	}
}

/* Sums up to each line, by one block. */
__global__ void __launch_bounds__(THREADS) sum_up(const int64_t *counts, int64_t lines, int64_t *starts, indices to)
{
	__shared__ int64_t sums[THREADS];
	int64_t before = 0;
	for (int64_t first = 0; first < lines; first += THREADS) {
		int64_t i = first + threadIdx.x, own = i < lines ? counts[i] : 0, sum = own;
		for (int distance = 1; distance < THREADS; distance *= 2) {
			sums[threadIdx.x] = sum;
			__syncthreads();
			if ((int)threadIdx.x >= distance)
				sum += sums[threadIdx.x - distance];
			__syncthreads();
		}
		sums[threadIdx.x] = sum;
		__syncthreads();
		if (i < lines) {
			starts[i] = before + sum - own;
			if (to.data)
				to.set(i, before + sum - own);
		}
		before += sums[THREADS - 1];
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		starts[lines] = before;
		if (to.data)
			to.set(lines, before);
	}
}

void sum_counts(const int64_t *counts, int64_t lines, int64_t *starts, const indices &to, cudaStream_t stream)
{
	sum_up<<<1, THREADS, 0, stream>>>(counts, lines, starts, to);
}

/* The sum of all counts, in `total`. */
__global__ void __launch_bounds__(THREADS) sum_all(const int *counts, int lines, int *total)
{
	__shared__ int sum;
	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	int own = 0;
	for (int i = threadIdx.x; i < lines; i += THREADS)
		own += counts[i];
	atomicAdd(&sum, own);
	__syncthreads();
	if (threadIdx.x == 0)
		*total = sum;
}

/* Counts of numbers that are not zero, in each row or column of a dense matrix. */
template <class T>
static cusparseStatus_t count_numbers(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,
				      const cusparseMatDescr_t descriptor, const T *a, int lda, int *counts, int *total)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && n >= 0 && descriptor && lda >= std::max(1, m) && total);
	HD_SPARSE_VALID(direction == CUSPARSE_DIRECTION_ROW || direction == CUSPARSE_DIRECTION_COLUMN);
	bool by_rows = direction == CUSPARSE_DIRECTION_ROW, on_device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
	int lines = by_rows ? m : n;
	HD_SPARSE_VALID((!lines || counts) && (!m || !n || a));
	if (lines)
		count_line<T, int><<<blocks_for(lines, THREADS / WARP), THREADS, 0, handle->stream>>>(
			by_rows ? dense<const T>{a, 1, lda} : dense<const T>{a, lda, 1}, lines, by_rows ? n : m, counts);
	if (on_device) {
		sum_all<<<1, THREADS, 0, handle->stream>>>(counts, lines, total);
		return launched();
	}
	scratch place(handle, sizeof(int));
	HD_SPARSE_CHECK(place.data, CUSPARSE_STATUS_ALLOC_FAILED);
	sum_all<<<1, THREADS, 0, handle->stream>>>(counts, lines, place.as<int>());
	cusparseStatus_t status = to_host(handle, total, place.data, sizeof(int));
	return status == CUSPARSE_STATUS_SUCCESS ? launched() : status;
}

template <class T>
__global__ void __launch_bounds__(THREADS)
	compress(dense<const T> from, int64_t lines, int64_t length, const int64_t *starts, indices coordinates,
		 indices inner, T *values)
{
	int lane = threadIdx.x % WARP;
	int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
	for (int64_t i = blockIdx.x * (int64_t)(THREADS / WARP) + threadIdx.x / WARP; i < lines; i += step) {
		int64_t at = starts[i];
		for (int64_t first = 0; first < length; first += WARP) {
			int64_t j = first + lane;
			T value = j < length ? from.at(i, j) : T{};
			unsigned mask = __ballot_sync(0xffffffff, !is_zero(value));
			if (mask >> lane & 1) {
				int64_t k = at + __popc(mask & ((1u << lane) - 1));
				inner.set(k, j);
				values[k] = value;
				if (coordinates.data)
					coordinates.set(k, i);
			}
			at += __popc(mask);
		}
	}
}

/* Lines are rows, of CSC columns. */
static int64_t lines_of(const cusparseDnMatDescr *dense, const cusparseSpMatDescr *sparse)
{
	return sparse->format == CUSPARSE_FORMAT_CSC ? dense->columns : dense->rows;
}

static bool are_alike(const cusparseDnMatDescr *dense, const cusparseSpMatDescr *sparse)
{
	return dense && sparse && dense->rows == sparse->rows && dense->columns == sparse->columns;
}

} // namespace hd_sparse

using namespace hd_sparse;

extern "C" {

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrSortedRowPtr, int nnz, int m, int *cooRowInd,
				  cusparseIndexBase_t idxBase)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(nnz >= 0 && m >= 0);
	if (!nnz || !m)
		return CUSPARSE_STATUS_SUCCESS;
	HD_SPARSE_VALID(csrSortedRowPtr && cooRowInd);
	expand<<<blocks_for(nnz, THREADS), THREADS, 0, handle->stream>>>(csrSortedRowPtr, m, nnz, idxBase, cooRowInd);
	return launched();
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrSortedRowPtr,
				  cusparseIndexBase_t idxBase)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(nnz >= 0 && m >= 0 && csrSortedRowPtr && (cooRowInd || !nnz));
	offsets<<<m / THREADS + 1, THREADS, 0, handle->stream>>>(plain_index{cooRowInd}, nnz, m, idxBase,
								 csrSortedRowPtr);
	return launched();
}

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(n >= 0 && (p || !n));
	if (n)
		identity<<<blocks_for(n, THREADS), THREADS, 0, handle->stream>>>(p, n);
	return launched();
}

cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *, const int *,
						size_t *pBufferSizeInBytes)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && n >= 0 && nnz >= 0 && pBufferSizeInBytes);
	*pBufferSizeInBytes = padded(nnz) * sizeof(uint64_t) + 2 * (size_t)nnz * sizeof(int);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA, int *cooColsA,
				       int *P, void *pBuffer)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && n >= 0 && nnz >= 0 && (!nnz || (cooRowsA && cooColsA && pBuffer)));
	return sort_by_both(handle, nnz, cooRowsA, cooColsA, P, pBuffer);
}

cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA, int *cooColsA,
					  int *P, void *pBuffer)
{
	return cusparseXcoosortByRow(handle, n, m, nnz, cooColsA, cooRowsA, P, pBuffer);
}

/* What a coordinate's sort needs, and the rows. */
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *, const int *,
						size_t *pBufferSizeInBytes)
{
	cusparseStatus_t status = cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, nullptr, nullptr, pBufferSizeInBytes);
	if (status == CUSPARSE_STATUS_SUCCESS)
		*pBufferSizeInBytes += nnz * sizeof(int);
	return status;
}

cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
				  const int *csrRowPtrA, int *csrColIndA, int *P, void *pBuffer)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && n >= 0 && nnz >= 0 && descrA);
	if (!nnz)
		return CUSPARSE_STATUS_SUCCESS;
	HD_SPARSE_VALID(m && csrRowPtrA && csrColIndA && pBuffer);
	size_t bytes = 0;
	cusparseXcoosort_bufferSizeExt(handle, m, n, nnz, nullptr, nullptr, &bytes);
	int *rows = reinterpret_cast<int *>(static_cast<char *>(pBuffer) + bytes);
	expand<<<blocks_for(nnz, THREADS), THREADS, 0, handle->stream>>>(csrRowPtrA, m, nnz,
									 cusparseGetMatIndexBase(descrA), rows);
	return sort_by_both(handle, nnz, rows, csrColIndA, P, pBuffer);
}

cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cscColPtrA,
						const int *cscRowIndA, size_t *pBufferSizeInBytes)
{
	return cusparseXcsrsort_bufferSizeExt(handle, n, m, nnz, cscColPtrA, cscRowIndA, pBufferSizeInBytes);
}

cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
				  const int *cscColPtrA, int *cscRowIndA, int *P, void *pBuffer)
{
	return cusparseXcsrsort(handle, n, m, nnz, descrA, cscColPtrA, cscRowIndA, P, pBuffer);
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *, const int *,
					       const int *, void *, int *, int *, cudaDataType, cusparseAction_t,
					       cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t *bufferSize)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(m >= 0 && n >= 0 && nnz >= 0 && bufferSize);
	*bufferSize = padded(nnz) * sizeof(uint64_t);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
				    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
				    int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
				    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t, void *buffer)
{
	HD_SPARSE_HANDLE(handle);
	bool numeric = copyValues == CUSPARSE_ACTION_NUMERIC;
	HD_SPARSE_VALID(m >= 0 && n >= 0 && nnz >= 0 && cscColPtr && buffer);
	HD_SPARSE_VALID(!nnz || (csrRowPtr && csrColInd && cscRowInd && (!numeric || (csrVal && cscVal))));
	unsigned size = padded(nnz);
	uint64_t *pairs = static_cast<uint64_t *>(buffer);
	return with_type(valType, [&](auto type) {
		using T = decltype(type);
		make_pairs<<<size / THREADS, THREADS, 0, handle->stream>>>(csrColInd, nnz, pairs, size);
		sort(pairs, size, handle->stream);
		offsets<<<n / THREADS + 1, THREADS, 0, handle->stream>>>(paired_index{pairs}, nnz, n, idxBase, cscColPtr);
		if (nnz)
			turn<T><<<blocks_for(nnz, THREADS), THREADS, 0, handle->stream>>>(
				pairs, nnz, csrRowPtr, m, idxBase, static_cast<const T *>(csrVal), cscRowInd,
				numeric ? static_cast<T *>(cscVal) : nullptr);
		return launched();
	});
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
						  cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t,
						  size_t *bufferSize)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(are_alike(matB, matA) && bufferSize);
	*bufferSize = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
				       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t, void *)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(are_alike(matB, matA));
	HD_SPARSE_HAS(matA->type == matB->type);
	if (!matB->rows || !matB->columns)
		return CUSPARSE_STATUS_SUCCESS;
	return with_type(matA->type, [&](auto type) {
		using T = decltype(type);
		clear<T><<<blocks_for(matB->rows * matB->columns, THREADS), THREADS, 0, handle->stream>>>(
			dense_of<T>(matB), matB->rows, matB->columns);
		if (matA->count)
			spread<T><<<blocks_for(matA->count, THREADS), THREADS, 0, handle->stream>>>(
				indices_of(matA->outer, matA->outer_type, matA->base),
				indices_of(matA->inner, matA->inner_type, matA->base), matA->format,
				lines_of(matB, matA), static_cast<const T *>(matA->values), matA->count,
				dense_of<T>(matB));
		return launched();
	});
}

/* Counts and starts of the lines. */
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
						  cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
						  size_t *bufferSize)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(are_alike(matA, matB) && bufferSize);
	*bufferSize = (2 * (size_t)lines_of(matA, matB) + 1) * sizeof(int64_t);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
						cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
						void *externalBuffer)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(are_alike(matA, matB) && externalBuffer);
	HD_SPARSE_HAS(matA->type == matB->type);
	bool by_columns = matB->format == CUSPARSE_FORMAT_CSC;
	int64_t lines = lines_of(matA, matB), length = by_columns ? matA->rows : matA->columns;
	int64_t *starts = static_cast<int64_t *>(externalBuffer), *counts = starts + lines + 1;
	return with_type(matA->type, [&](auto type) {
		using T = decltype(type);
		if (lines)
			count_line<T, int64_t><<<blocks_for(lines, THREADS / WARP), THREADS, 0, handle->stream>>>(
				dense_of<const T>(matA, by_columns), lines, length, counts);
		indices offsets = indices_of(matB->outer, matB->outer_type, matB->base);
		if (matB->format == CUSPARSE_FORMAT_COO)
			offsets.data = nullptr;
		sum_counts(counts, lines, starts, offsets, handle->stream);
		int64_t count;
		if (cudaMemcpyAsync(&count, starts + lines, sizeof count, cudaMemcpyDeviceToHost, handle->stream) ||
		    cudaStreamSynchronize(handle->stream))
			return CUSPARSE_STATUS_EXECUTION_FAILED;
		matB->count = count;
		return launched();
	});
}

cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
					       cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
					       void *externalBuffer)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(are_alike(matA, matB) && externalBuffer);
	HD_SPARSE_HAS(matA->type == matB->type);
	bool by_columns = matB->format == CUSPARSE_FORMAT_CSC;
	int64_t lines = lines_of(matA, matB), length = by_columns ? matA->rows : matA->columns;
	if (!matB->count)
		return CUSPARSE_STATUS_SUCCESS;
	return with_type(matA->type, [&](auto type) {
		using T = decltype(type);
		indices coordinates = indices_of(matB->outer, matB->outer_type, matB->base);
		if (matB->format != CUSPARSE_FORMAT_COO)
			coordinates.data = nullptr;
		compress<T><<<blocks_for(lines, THREADS / WARP), THREADS, 0, handle->stream>>>(
			dense_of<const T>(matA, by_columns), lines, length, static_cast<const int64_t *>(externalBuffer),
			coordinates, indices_of(matB->inner, matB->inner_type, matB->base),
			static_cast<T *>(matB->values));
		return launched();
	});
}

#define HD_SPARSE_NNZ(letter, T)                                                                                       \
	cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,        \
					       const cusparseMatDescr_t descrA, const T *A, int lda,                   \
					       int *nnzPerRowCol, int *nnzTotalDevHostPtr)                             \
	{                                                                                                              \
		return count_numbers(handle, dirA, m, n, descrA, A, lda, nnzPerRowCol, nnzTotalDevHostPtr);            \
	}
HD_SPARSE_NNZ(S, float)
HD_SPARSE_NNZ(D, double)
HD_SPARSE_NNZ(C, cuComplex)
HD_SPARSE_NNZ(Z, cuDoubleComplex)

} // extern "C"
