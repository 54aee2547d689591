/*
 * cuSPARSE's product of two sparse matrices in CSR. Each row's products are written one behind the other, with keys of
 * their column and their place, and sorted by them: equal columns stand together then, in the order of A's row, so
 * that sums do not depend on the run. Memory is that of all products, rounded up to a power of two for each row.
 *
 *   workEstimation   how many products each row has
 *   compute          products and sorted keys; how many columns each row of C has
 *   copy             sums to C's arrays
 *
 * With SpGEMMreuse the keys stay for several computations with other values:
 *
 *   workEstimation   as above
 *   nnz              sorted keys; how many columns each row of C has
 *   copy             C's columns
 *   compute          products; sums to C's values
 */
#include <new>

#include "runtime/math/cusparse/sparse.cuh"

struct cusparseSpGEMMDescr {
	int64_t products = -1; /* with each row's rounding; -1: not yet counted */
	int64_t *starts = nullptr; /* the first buffer: each row's first product; then its first number in C */
	void *sorted = nullptr;	   /* the second one: keys, then products */
	/* SpGEMMreuse's fourth buffer: starts as above, first numbers in C, keys; and its fifth: products. */
	int64_t *kept = nullptr;
	void *products_room = nullptr;
};

namespace hd_sparse {

struct csr {
	indices offsets, columns;
};

/* Room for so many products. */
__device__ inline int64_t rounded(int64_t count)
{
	int64_t size = 1;
	while (size < count)
		size *= 2;
	return count ? size : 0;
}

__global__ void __launch_bounds__(THREADS) count_products(csr a, csr b, int64_t rows, int64_t *counts)
{
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < rows; i += step) {
		int64_t count = 0;
		for (int64_t k = a.offsets[i]; k < a.offsets[i + 1]; k++) {
			int64_t inner = a.columns[k];
			count += b.offsets[inner + 1] - b.offsets[inner];
		}
		counts[i] = rounded(count);
	}
}

/* A block for a row: products, and with `counts` their keys, which are sorted; then how many columns there are. Products
 * may be null: only keys. */
template <class T>
__global__ void __launch_bounds__(THREADS) multiply_rows(csr a, csr b, const T *a_values, const T *b_values, int64_t rows,
							 const int64_t *starts, uint64_t *all_keys, T *all_products,
							 int64_t *counts)
{
	__shared__ int distinct;
	for (int64_t i = blockIdx.x; i < rows; i += gridDim.x) {
		uint64_t *keys = all_keys + starts[i];
		T *products = all_products + starts[i];
		int64_t size = starts[i + 1] - starts[i], place = 0;
		for (int64_t k = a.offsets[i]; k < a.offsets[i + 1]; k++) {
			int64_t inner = a.columns[k], first = b.offsets[inner], length = b.offsets[inner + 1] - first;
			for (int64_t l = threadIdx.x; l < length; l += THREADS) {
				if (counts)
					keys[place + l] = (uint64_t)b.columns[first + l] << 32 | (uint64_t)(place + l);
				if (all_products)
					products[place + l] = a_values[k] * b_values[first + l];
			}
			place += length;
		}
		if (!counts)
			continue;
		for (int64_t l = place + threadIdx.x; l < size; l += THREADS)
			keys[l] = ~0ull;
		for (int64_t k = 2; k <= size; k *= 2)
			for (int64_t distance = k / 2; distance; distance /= 2) {
				__syncthreads();
				for (int64_t t = threadIdx.x; t < size / 2; t += THREADS) {
					int64_t l = 2 * t - (t & (distance - 1));
					uint64_t x = keys[l], y = keys[l + distance];
					if ((x > y) == ((l & k) == 0)) {
						keys[l] = y;
						keys[l + distance] = x;
					}
				}
			}
		if (threadIdx.x == 0)
			distinct = 0;
		__syncthreads();
		int own = 0;
		for (int64_t l = threadIdx.x; l < size; l += THREADS)
			own += keys[l] != ~0ull && (l == 0 || keys[l] >> 32 != keys[l - 1] >> 32);
		atomicAdd(&distinct, own);
		__syncthreads();
		if (threadIdx.x == 0)
			counts[i] = distinct;
		__syncthreads();
	}
}

/* A warp for a row: the first product of each column sums up those behind it. Without values, only columns are written. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	sum_products(int64_t rows, const int64_t *starts, const uint64_t *all_keys, const T *all_products,
		     const int64_t *result_starts, indices columns, T *values, scalar<T> alpha, scalar<T> beta)
{
	int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
	int lane = threadIdx.x % WARP;
	T by = alpha.get(), old = beta.get();
	for (int64_t i = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP; i < rows; i += step) {
		const uint64_t *keys = all_keys + starts[i];
		const T *products = all_products + starts[i];
		int64_t size = starts[i + 1] - starts[i], to = result_starts[i];
		for (int64_t first = 0; first < size; first += WARP) {
			int64_t l = first + lane;
			uint64_t key = l < size ? keys[l] : ~0ull;
			bool head = key != ~0ull && (l == 0 || key >> 32 != keys[l - 1] >> 32);
			unsigned heads = __ballot_sync(0xffffffff, head);
			if (head) {
				int64_t at = to + __popc(heads & ((1u << lane) - 1));
				columns.set(at, (int64_t)(key >> 32));
				T sum = values ? products[(unsigned)key] : T();
				for (int64_t k = l + 1; values && k < size && keys[k] >> 32 == key >> 32; k++)
					sum = sum + products[(unsigned)keys[k]];
				if (values)
					values[at] = by * sum + scaled(old, values[at]);
			}
			to += __popc(heads);
		}
	}
}

__global__ void __launch_bounds__(THREADS) copy_starts(const int64_t *starts, int64_t count, indices to)
{
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += step)
		to.set(i, starts[i]);
}

static csr csr_of(cusparseConstSpMatDescr_t matrix)
{
	return csr{indices_of(matrix->outer, matrix->outer_type, matrix->base),
		   indices_of(matrix->inner, matrix->inner_type, matrix->base)};
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t a_operation, cusparseOperation_t b_operation,
			      const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta,
			      cusparseConstSpMatDescr_t c, cudaDataType type, cusparseSpGEMMDescr_t descriptor)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(alpha && beta && a && b && c && descriptor && is_operation(a_operation) &&
			is_operation(b_operation));
	HD_SPARSE_HAS(a_operation == CUSPARSE_OPERATION_NON_TRANSPOSE && b_operation == CUSPARSE_OPERATION_NON_TRANSPOSE);
	HD_SPARSE_HAS(a->format == CUSPARSE_FORMAT_CSR && b->format == CUSPARSE_FORMAT_CSR &&
		      c->format == CUSPARSE_FORMAT_CSR && b->columns < INT32_MAX);
	HD_SPARSE_HAS(a->type == type && b->type == type && c->type == type);
	HD_SPARSE_VALID(a->columns == b->rows && c->rows == a->rows && c->columns == b->columns);
	return CUSPARSE_STATUS_SUCCESS;
}

/* One of the device's numbers. */
static cusparseStatus_t fetch(cusparseHandle_t handle, const int64_t *from, int64_t *to)
{
	if (cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDeviceToHost, handle->stream) != cudaSuccess ||
	    cudaStreamSynchronize(handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	return launched();
}

/* The buffer: starts of products, counts, starts in C. */
static cusparseStatus_t estimate(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
				 cusparseSpGEMMDescr_t descriptor, size_t *bytes, void *buffer)
{
	HD_SPARSE_VALID(bytes);
	int64_t rows = a->rows, *starts = static_cast<int64_t *>(buffer), *counts = starts + rows + 1;
	*bytes = 3 * (rows + 1) * sizeof(int64_t);
	if (!buffer)
		return CUSPARSE_STATUS_SUCCESS;
	if (rows)
		count_products<<<blocks_for(rows, THREADS), THREADS, 0, handle->stream>>>(csr_of(a), csr_of(b), rows, counts);
	sum_counts(counts, rows, starts, indices{nullptr, true, 0}, handle->stream);
	descriptor->starts = starts;
	return fetch(handle, starts + rows, &descriptor->products);
}

static unsigned blocks_of_rows(int64_t rows)
{
	return (unsigned)(rows < 65535 ? rows : 65535);
}

/* What is kept of a pattern: where each row's products begin, where its numbers begin in C, and sorted keys. */
struct pattern {
	int64_t *starts, *result_starts;
	uint64_t *keys;
};

static pattern pattern_of(int64_t *kept, int64_t rows)
{
	return pattern{kept, kept + rows + 1, reinterpret_cast<uint64_t *>(kept + 2 * (rows + 1))};
}

} // namespace hd_sparse

using namespace hd_sparse;

extern "C" {

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr)
{
	HD_SPARSE_VALID(descr);
	*descr = new (std::nothrow) cusparseSpGEMMDescr;
	return *descr ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr)
{
	HD_SPARSE_VALID(descr);
	delete descr;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					       const void *alpha, cusparseConstSpMatDescr_t matA,
					       cusparseConstSpMatDescr_t matB, const void *beta,
					       cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSpGEMMAlg_t,
					       cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize1,
					       void *externalBuffer1)
{
	cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	return estimate(handle, matA, matB, spgemmDescr, bufferSize1, externalBuffer1);
}

cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					const void *alpha, cusparseConstSpMatDescr_t matA,
					cusparseConstSpMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
					cudaDataType computeType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr,
					size_t *bufferSize2, void *externalBuffer2)
{
	cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	int64_t rows = matA->rows, products = spgemmDescr->products;
	HD_SPARSE_VALID(bufferSize2 && products >= 0);
	/* Products stand first, as they may want 16 bytes; keys want 8. */
	*bufferSize2 = (products + 2) * (sizeof(uint64_t) + size_of(computeType));
	if (!externalBuffer2)
		return CUSPARSE_STATUS_SUCCESS;
	int64_t *starts = spgemmDescr->starts, *counts = starts + rows + 1, *result_starts = counts + rows + 1;
	spgemmDescr->sorted = externalBuffer2;
	status = with_type(computeType, [&](auto type) {
		using T = decltype(type);
		T *all = static_cast<T *>(externalBuffer2);
		if (rows)
			multiply_rows<T><<<blocks_of_rows(rows), THREADS, 0, handle->stream>>>(
				csr_of(matA), csr_of(matB), static_cast<const T *>(matA->values),
				static_cast<const T *>(matB->values), rows, starts,
				reinterpret_cast<uint64_t *>(all + products + products % 2), all, counts);
		return launched();
	});
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	sum_counts(counts, rows, result_starts, indices{nullptr, true, 0}, handle->stream);
	return fetch(handle, result_starts + rows, &matC->count);
}

cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
				     const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
				     const void *beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
				     cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr)
{
	cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	HD_SPARSE_VALID(spgemmDescr->sorted && matC->outer && (!matC->count || (matC->inner && matC->values)));
	int64_t rows = matA->rows, products = spgemmDescr->products;
	const int64_t *starts = spgemmDescr->starts, *counts = starts + rows + 1;
	int64_t *result_starts = const_cast<int64_t *>(counts) + rows + 1;
	/* Once more, into C's own array. */
	sum_counts(counts, rows, result_starts, indices_of(matC->outer, matC->outer_type, matC->base), handle->stream);
	if (!matC->count)
		return launched();
	return with_type(computeType, [&](auto type) {
		using T = decltype(type);
		const T *all = static_cast<const T *>(spgemmDescr->sorted);
		sum_products<T><<<blocks_for(rows, THREADS / WARP), THREADS, 0, handle->stream>>>(
			rows, starts, reinterpret_cast<const uint64_t *>(all + products + products % 2), all, result_starts,
			indices_of(matC->inner, matC->inner_type, matC->base), static_cast<T *>(matC->values),
			factor<T>(handle, alpha), factor<T>(handle, beta));
		return launched();
	});
}

/* ------------------------------------------------------------ with a pattern that stays */

static cusparseStatus_t check_pattern(cusparseHandle_t handle, cusparseOperation_t a_operation,
				      cusparseOperation_t b_operation, cusparseConstSpMatDescr_t a,
				      cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
				      cusparseSpGEMMDescr_t descriptor)
{
	float unused = 0;
	HD_SPARSE_VALID(a);
	return check(handle, a_operation, b_operation, &unused, a, b, &unused, c, a->type, descriptor);
}

cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
						    cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
						    cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
						    cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr,
						    size_t *bufferSize1, void *externalBuffer1)
{
	cusparseStatus_t status = check_pattern(handle, opA, opB, matA, matB, matC, spgemmDescr);
	return status != CUSPARSE_STATUS_SUCCESS ? status
						 : estimate(handle, matA, matB, spgemmDescr, bufferSize1, externalBuffer1);
}

/* The fourth buffer has all; the second and the third are not used, but a program allocates them. */
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					 cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
					 cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr,
					 size_t *bufferSize2, void *, size_t *bufferSize3, void *, size_t *bufferSize4,
					 void *externalBuffer4)
{
	cusparseStatus_t status = check_pattern(handle, opA, opB, matA, matB, matC, spgemmDescr);
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	int64_t rows = matA->rows, products = spgemmDescr->products;
	HD_SPARSE_VALID(bufferSize2 && bufferSize3 && bufferSize4 && products >= 0);
	*bufferSize2 = *bufferSize3 = sizeof(int64_t);
	*bufferSize4 = (2 * (rows + 1) + products) * sizeof(int64_t);
	if (!externalBuffer4)
		return CUSPARSE_STATUS_SUCCESS;
	spgemmDescr->kept = static_cast<int64_t *>(externalBuffer4);
	pattern to = pattern_of(spgemmDescr->kept, rows);
	int64_t *counts = spgemmDescr->starts + rows + 1;
	if (cudaMemcpyAsync(to.starts, spgemmDescr->starts, (rows + 1) * sizeof(int64_t), cudaMemcpyDeviceToDevice,
			    handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	if (rows)
		multiply_rows<float><<<blocks_of_rows(rows), THREADS, 0, handle->stream>>>(
			csr_of(matA), csr_of(matB), nullptr, nullptr, rows, to.starts, to.keys, nullptr, counts);
	sum_counts(counts, rows, to.result_starts, indices{nullptr, true, 0}, handle->stream);
	return fetch(handle, to.result_starts + rows, &matC->count);
}

cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					  cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
					  cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t spgemmDescr,
					  size_t *bufferSize5, void *externalBuffer5)
{
	cusparseStatus_t status = check_pattern(handle, opA, opB, matA, matB, matC, spgemmDescr);
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	HD_SPARSE_VALID(bufferSize5 && spgemmDescr->kept);
	int64_t rows = matA->rows;
	*bufferSize5 = (spgemmDescr->products + 1) * size_of(matA->type);
	if (!externalBuffer5)
		return CUSPARSE_STATUS_SUCCESS;
	HD_SPARSE_VALID(matC->outer && (!matC->count || matC->inner));
	spgemmDescr->products_room = externalBuffer5;
	pattern from = pattern_of(spgemmDescr->kept, rows);
	copy_starts<<<blocks_for(rows + 1, THREADS), THREADS, 0, handle->stream>>>(
		from.result_starts, rows + 1, indices_of(matC->outer, matC->outer_type, matC->base));
	if (matC->count)
		sum_products<float><<<blocks_for(rows, THREADS / WARP), THREADS, 0, handle->stream>>>(
			rows, from.starts, from.keys, nullptr, from.result_starts,
			indices_of(matC->inner, matC->inner_type, matC->base), nullptr, scalar<float>{}, scalar<float>{});
	return launched();
}

cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					     const void *alpha, cusparseConstSpMatDescr_t matA,
					     cusparseConstSpMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
					     cudaDataType computeType, cusparseSpGEMMAlg_t,
					     cusparseSpGEMMDescr_t spgemmDescr)
{
	cusparseStatus_t status = check(handle, opA, opB, alpha, matA, matB, beta, matC, computeType, spgemmDescr);
	if (status != CUSPARSE_STATUS_SUCCESS)
		return status;
	HD_SPARSE_VALID(spgemmDescr->kept && spgemmDescr->products_room && (!matC->count || (matC->inner && matC->values)));
	int64_t rows = matA->rows;
	pattern from = pattern_of(spgemmDescr->kept, rows);
	if (!matC->count)
		return launched();
	return with_type(computeType, [&](auto type) {
		using T = decltype(type);
		T *products = static_cast<T *>(spgemmDescr->products_room);
		multiply_rows<T><<<blocks_of_rows(rows), THREADS, 0, handle->stream>>>(
			csr_of(matA), csr_of(matB), static_cast<const T *>(matA->values),
			static_cast<const T *>(matB->values), rows, from.starts, nullptr, products, nullptr);
		sum_products<T><<<blocks_for(rows, THREADS / WARP), THREADS, 0, handle->stream>>>(
			rows, from.starts, from.keys, products, from.result_starts,
			indices_of(matC->inner, matC->inner_type, matC->base), static_cast<T *>(matC->values),
			factor<T>(handle, alpha), factor<T>(handle, beta));
		return launched();
	});
}

} // extern "C"
