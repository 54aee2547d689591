/*
 * What cuSPARSE's routines share: handles, descriptions, and how a matrix is read whatever its format and indices.
 */
#pragma once

#pragma GCC visibility push(default)
#include <cusparse.h>
#pragma GCC visibility pop

#include <cstring>

#include "runtime/math/common/launch.cuh"
#include "runtime/math/common/scalar.cuh"

struct cusparseContext : hd_math::context {
	cusparsePointerMode_t pointer_mode = CUSPARSE_POINTER_MODE_HOST;
};

struct cusparseSpVecDescr {
	int64_t size, count;
	void *indices, *values;
	cusparseIndexType_t index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
};

struct cusparseDnVecDescr {
	int64_t size;
	void *values;
	cudaDataType type;
};

struct cusparseDnMatDescr {
	int64_t rows, columns, ld;
	void *values;
	cudaDataType type;
	cusparseOrder_t order;
	/* Of a batch: the number of matrices, and the distance of their values. */
	int batches = 1;
	int64_t stride = 0;
};

/* `outer`: the offsets of CSR and CSC, the rows of COO; `inner`: the other index. */
struct cusparseSpMatDescr {
	cusparseFormat_t format;
	int64_t rows, columns, count;
	void *outer, *inner, *values;
	cusparseIndexType_t outer_type, inner_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	/* Attributes, which solvers read. */
	cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
	cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
	/* Of a batch: the number of matrices, and the distances of what `outer` has, and of the other two arrays. */
	int batches = 1;
	int64_t outer_stride = 0, stride = 0;
};

namespace hd_sparse {

using namespace hd_math;

enum { THREADS = 256, WARP = 32 };

#define HD_SPARSE_CHECK(condition, status)                                                                             \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			return status;                                                                                 \
	} while (0)
#define HD_SPARSE_HANDLE(handle) HD_SPARSE_CHECK(hd_math::begin_call() && handle, CUSPARSE_STATUS_NOT_INITIALIZED)
#define HD_SPARSE_VALID(condition) HD_SPARSE_CHECK(condition, CUSPARSE_STATUS_INVALID_VALUE)
#define HD_SPARSE_HAS(condition) HD_SPARSE_CHECK(condition, CUSPARSE_STATUS_NOT_SUPPORTED)

inline cusparseStatus_t launched()
{
	return hd_math::error_of_call() == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

/* A result's way to the host, which waits for it unless the stream is being captured. */
inline cusparseStatus_t to_host(cusparseHandle_t handle, void *to, const void *from, size_t bytes)
{
	cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
	bool good = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, handle->stream) == cudaSuccess &&
		    cudaStreamIsCapturing(handle->stream, &captured) == cudaSuccess &&
		    (captured != cudaStreamCaptureStatusNone || cudaStreamSynchronize(handle->stream) == cudaSuccess);
	return good ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

inline bool is_operation(cusparseOperation_t operation)
{
	return operation >= CUSPARSE_OPERATION_NON_TRANSPOSE && operation <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
}

inline size_t size_of(cudaDataType type)
{
	return type == CUDA_R_32F ? 4 : type == CUDA_C_64F ? 16 : 8;
}

/* Calls `routine` with a value of the element type; another type is not supported. */
template <class Routine> cusparseStatus_t with_type(cudaDataType type, Routine routine)
{
	switch (type) {
	case CUDA_R_32F: return routine(float());
	case CUDA_R_64F: return routine(double());
	case CUDA_C_32F: return routine(float2());
	case CUDA_C_64F: return routine(double2());
	default: return CUSPARSE_STATUS_NOT_SUPPORTED;
	}
}

/* An array of indices of either width, from which the base is taken away. */
struct indices {
	const void *data;
	bool wide;
	int base;

	__device__ int64_t operator[](int64_t i) const
	{
		return (wide ? static_cast<const int64_t *>(data)[i] : static_cast<const int *>(data)[i]) - base;
	}
	__device__ void set(int64_t i, int64_t value) const
	{
		if (wide)
			static_cast<int64_t *>(const_cast<void *>(data))[i] = value + base;
		else
			static_cast<int *>(const_cast<void *>(data))[i] = (int)value + base;
	}
};

inline indices indices_of(const void *data, cusparseIndexType_t type, cusparseIndexBase_t base)
{
	return indices{data, type == CUSPARSE_INDEX_64I, base == CUSPARSE_INDEX_BASE_ONE};
}

inline bool is_index(cusparseIndexType_t type)
{
	return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

/*
 * starts[i]: the sum of the counts of the lines before i, and starts[lines] of all; so in `to`, unless its data is null.
 * Launches a kernel.
 */
void sum_counts(const int64_t *counts, int64_t lines, int64_t *starts, const indices &to, cudaStream_t stream);

/* The last i < count with offsets[i] <= k: the row that number k of a matrix belongs to. */
__device__ inline int64_t row_of(const indices &offsets, int64_t count, int64_t k)
{
	int64_t low = 0, high = count;
	while (high - low > 1) {
		int64_t middle = (low + high) / 2;
		if (offsets[middle] <= k)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* A dense matrix: the distances of neighbours in a row and in a column. */
template <class T> struct dense {
	T *data;
	int64_t rows, columns;

	__device__ T &at(int64_t i, int64_t j) const
	{
		return data[i * rows + j * columns];
	}
};

template <class T> dense<T> dense_of(const cusparseDnMatDescr *matrix, bool transposed = false)
{
	bool by_rows = (matrix->order == CUSPARSE_ORDER_ROW) != transposed;
	return dense<T>{static_cast<T *>(matrix->values), by_rows ? matrix->ld : 1, by_rows ? 1 : matrix->ld};
}

template <class T> scalar<T> factor(cusparseHandle_t handle, const void *place)
{
	scalar<T> factor = {T{}, nullptr};
	if (handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE)
		factor.place = static_cast<const T *>(place);
	else
		memcpy(&factor.value, place, sizeof(T)); /* a std::complex may lie less aligned than a double2 */
	return factor;
}

/* atomicAdd, part by part of a complex number. */
template <class T> __device__ inline void add_to(T *place, T value)
{
	if constexpr (traits<T>::complex) {
		atomicAdd(&place->x, value.x);
		atomicAdd(&place->y, value.y);
	} else {
		atomicAdd(place, value);
	}
}

/* beta y, without reading y where beta is zero: it may be no number. */
template <class T> __device__ inline T scaled(T beta, const T &y)
{
	return is_zero(beta) ? T{} : beta * y;
}

} // namespace hd_sparse
