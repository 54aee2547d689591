/*
 * cuSPARSE's products: SpMV and SpMM (one kernel for both, a vector is a matrix of one column), SDDMM, and those with
 * sparse vectors. Where op(A) is compressed along the rows of the result, a warp sums one of them up; otherwise the
 * result is scaled, and each number of A is added to its place with atomics, in no order.
 */
#include <algorithm>

#include "runtime/math/cusparse/sparse.cuh"

namespace hd_sparse {

/* op(A) as an n-fold product sees it. */
template <class T> struct product {
	indices outer, inner;
	const T *values;
	int64_t outer_count, count; /* compressed lines; numbers */
	bool conjugate, swapped;    /* COO: outer is the column of op(A) */
	dense<const T> b;
	dense<T> c;
	int64_t rows, columns; /* of C */
	scalar<T> alpha, beta;
};

template <class T> __global__ void __launch_bounds__(THREADS) sum_rows(const product<T> p)
{
	int lane = threadIdx.x % WARP;
	int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
	T alpha = p.alpha.get(), beta = p.beta.get();
	for (int64_t i = blockIdx.x * (int64_t)(THREADS / WARP) + threadIdx.x / WARP; i < p.rows; i += step) {
		int64_t begin = p.outer[i], end = p.outer[i + 1];
		for (int64_t j = blockIdx.y; j < p.columns; j += gridDim.y) {
			T sum = T{};
			for (int64_t k = begin + lane; k < end; k += WARP)
				sum = multiply_add(conj_if(p.conjugate, p.values[k]), p.b.at(p.inner[k], j), sum);
			sum = sum_of_warp(sum);
			if (lane == 0) {
				T &c = p.c.at(i, j);
				c = alpha * sum + scaled(beta, c);
			}
		}
	}
}

template <class T>
__global__ void __launch_bounds__(THREADS) scale(dense<T> c, int64_t rows, int64_t columns, scalar<T> factor)
{
	T beta = factor.get();
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < rows * columns; i += step) {
		T &at = c.at(i % rows, i / rows);
		at = scaled(beta, at);
	}
}

template <class T, bool COMPRESSED> __global__ void __launch_bounds__(THREADS) add_numbers(const product<T> p)
{
	T alpha = p.alpha.get();
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t k = blockIdx.x * (int64_t)THREADS + threadIdx.x; k < p.count; k += step) {
		int64_t outer = COMPRESSED ? row_of(p.outer, p.outer_count, k) : p.outer[k], inner = p.inner[k];
		int64_t row = p.swapped ? inner : outer, column = p.swapped ? outer : inner;
		T value = alpha * conj_if(p.conjugate, p.values[k]);
		for (int64_t j = blockIdx.y; j < p.columns; j += gridDim.y)
			add_to(&p.c.at(row, j), value * p.b.at(column, j));
	}
}

template <class T>
static cusparseStatus_t multiply(cusparseHandle_t handle, cusparseOperation_t operation, const cusparseSpMatDescr *a,
				 dense<const T> b, dense<T> c, int64_t columns, const void *alpha, const void *beta)
{
	bool transposed = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
	product<T> p;
	p.outer = indices_of(a->outer, a->outer_type, a->base);
	p.inner = indices_of(a->inner, a->inner_type, a->base);
	p.values = static_cast<const T *>(a->values);
	p.count = a->count;
	p.outer_count = a->format == CUSPARSE_FORMAT_CSC ? a->columns : a->rows;
	p.conjugate = operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	p.swapped = (a->format == CUSPARSE_FORMAT_CSC) != transposed;
	p.b = b;
	p.c = c;
	p.rows = transposed ? a->columns : a->rows;
	p.columns = columns;
	p.alpha = factor<T>(handle, alpha);
	p.beta = factor<T>(handle, beta);
	if (!p.rows || !columns)
		return CUSPARSE_STATUS_SUCCESS;
	unsigned across = (unsigned)std::min<int64_t>(columns, 1024);
	if (a->format != CUSPARSE_FORMAT_COO && !p.swapped) {
		dim3 blocks(blocks_for(p.rows, THREADS / WARP, 4096), across);
		sum_rows<T><<<blocks, THREADS, 0, handle->stream>>>(p);
		return launched();
	}
	scale<T><<<blocks_for(p.rows * columns, THREADS), THREADS, 0, handle->stream>>>(c, p.rows, columns, p.beta);
	dim3 blocks(blocks_for(p.count, THREADS), across);
	if (p.count && a->format == CUSPARSE_FORMAT_COO)
		add_numbers<T, false><<<blocks, THREADS, 0, handle->stream>>>(p);
	else if (p.count)
		add_numbers<T, true><<<blocks, THREADS, 0, handle->stream>>>(p);
	return launched();
}

/* ------------------------------------------------------------ batches */

/* How many products a call has: a single factor takes part in each, a result has as many matrices. 0: they do not fit. */
static int batches_of(int a, int b, int result)
{
	bool fit = (a == 1 || a == result) && (b == 1 || b == result);
	return fit ? result : 0;
}

static void *moved(void *data, int64_t elements, size_t size)
{
	return data ? static_cast<char *>(data) + elements * (int64_t)size : nullptr;
}

/* Matrix number i of a batch; the only one, if there is no other. */
static cusparseDnMatDescr matrix_of(const cusparseDnMatDescr *batch, int i)
{
	cusparseDnMatDescr one = *batch;
	if (batch->batches > 1)
		one.values = moved(one.values, i * batch->stride, size_of(one.type));
	return one;
}

static cusparseSpMatDescr matrix_of(const cusparseSpMatDescr *batch, int i)
{
	cusparseSpMatDescr one = *batch;
	if (batch->batches > 1) {
		one.outer = moved(one.outer, i * batch->outer_stride, one.outer_type == CUSPARSE_INDEX_64I ? 8 : 4);
		one.inner = moved(one.inner, i * batch->stride, one.inner_type == CUSPARSE_INDEX_64I ? 8 : 4);
		one.values = moved(one.values, i * batch->stride, size_of(one.type));
	}
	return one;
}

/* ------------------------------------------------------------ SDDMM */

/* C = (alpha A B) where C has numbers, + beta C: a warp for each number. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	sample_product(dense<const T> a, dense<const T> b, bool conjugate_a, bool conjugate_b, int64_t k, indices outer,
		       indices inner, cusparseFormat_t format, int64_t outer_count, T *values, int64_t count,
		       scalar<T> alpha_factor, scalar<T> beta_factor)
{
	int lane = threadIdx.x % WARP;
	int64_t step = (int64_t)gridDim.x * (THREADS / WARP);
	T alpha = alpha_factor.get(), beta = beta_factor.get();
	for (int64_t n = blockIdx.x * (int64_t)(THREADS / WARP) + threadIdx.x / WARP; n < count; n += step) {
		int64_t first = format == CUSPARSE_FORMAT_COO ? outer[n] : row_of(outer, outer_count, n);
		int64_t row = format == CUSPARSE_FORMAT_CSC ? inner[n] : first;
		int64_t column = format == CUSPARSE_FORMAT_CSC ? first : inner[n];
		T sum = T{};
		for (int64_t i = lane; i < k; i += WARP)
			sum = multiply_add(conj_if(conjugate_a, a.at(row, i)), conj_if(conjugate_b, b.at(i, column)), sum);
		sum = sum_of_warp(sum);
		if (lane == 0)
			values[n] = alpha * sum + scaled(beta, values[n]);
	}
}

/* ------------------------------------------------------------ sparse vectors */

template <class T>
__global__ void __launch_bounds__(THREADS) scatter(indices at, const T *x, int64_t count, T *y)
{
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < count; i += step)
		y[at[i]] = x[i];
}

template <class T>
__global__ void __launch_bounds__(THREADS) gather(indices at, T *x, int64_t count, const T *y)
{
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < count; i += step)
		x[i] = y[at[i]];
}

template <class T>
__global__ void __launch_bounds__(THREADS)
	add_vector(indices at, const T *x, int64_t count, T *y, scalar<T> alpha_factor)
{
	T alpha = alpha_factor.get();
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < count; i += step)
		y[at[i]] = multiply_add(alpha, x[i], y[at[i]]);
}

/* x = c x + s y, y = c y - s x, where x has numbers. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	rotate(indices at, T *x, int64_t count, T *y, scalar<T> c_factor, scalar<T> s_factor)
{
	T c = c_factor.get(), s = s_factor.get();
	int64_t step = (int64_t)gridDim.x * THREADS;
	for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < count; i += step) {
		T own = x[i], other = y[at[i]];
		x[i] = c * own + s * other;
		y[at[i]] = c * other - s * own;
	}
}

/* One block, so that the sum has one order. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	dot(indices at, const T *x, int64_t count, const T *y, bool conjugate, T *result)
{
	__shared__ T sums[THREADS / WARP];
	T sum = T{};
	for (int64_t i = threadIdx.x; i < count; i += THREADS)
		sum = multiply_add(conj_if(conjugate, x[i]), y[at[i]], sum);
	sum = sum_of_warp(sum);
	if (threadIdx.x % WARP == 0)
		sums[threadIdx.x / WARP] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int i = 1; i < THREADS / WARP; i++)
			sum = sum + sums[i];
		*result = sum;
	}
}

} // namespace hd_sparse

using namespace hd_sparse;

static cusparseStatus_t no_buffer(const void *handle, size_t *size)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(size);
	*size = 0;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" {

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void *,
					 cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void *,
					 cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t *bufferSize)
{
	return no_buffer(handle, bufferSize);
}

cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t, const void *,
					 cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t, const void *,
					 cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void *)
{
	HD_SPARSE_HANDLE(handle);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
			      cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void *beta,
			      cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t, void *)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(alpha && beta && matA && vecX && vecY && is_operation(opA));
	bool transposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE;
	HD_SPARSE_VALID(vecX->size == (transposed ? matA->rows : matA->columns) &&
			vecY->size == (transposed ? matA->columns : matA->rows));
	HD_SPARSE_HAS(matA->type == computeType && vecX->type == computeType && vecY->type == computeType);
	return with_type(computeType, [&](auto type) {
		using T = decltype(type);
		return multiply<T>(handle, opA, matA, dense<const T>{static_cast<const T *>(vecX->values), 1, 0},
				   dense<T>{static_cast<T *>(vecY->values), 1, 0}, 1, alpha, beta);
	});
}

cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void *,
					 cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *,
					 cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t *bufferSize)
{
	return no_buffer(handle, bufferSize);
}

cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t, const void *,
					 cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *,
					 cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void *)
{
	HD_SPARSE_HANDLE(handle);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
			      const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
			      const void *beta, cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t,
			      void *)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(alpha && beta && matA && matB && matC && is_operation(opA) && is_operation(opB));
	bool transposed = opA != CUSPARSE_OPERATION_NON_TRANSPOSE, b_transposed = opB != CUSPARSE_OPERATION_NON_TRANSPOSE;
	int64_t inner = b_transposed ? matB->columns : matB->rows, columns = b_transposed ? matB->rows : matB->columns;
	HD_SPARSE_VALID(inner == (transposed ? matA->rows : matA->columns) && columns == matC->columns &&
			matC->rows == (transposed ? matA->columns : matA->rows));
	HD_SPARSE_HAS(matA->type == computeType && matB->type == computeType && matC->type == computeType);
	int batches = batches_of(matA->batches, matB->batches, matC->batches);
	HD_SPARSE_VALID(batches);
	/* B is used as it lies: of complex numbers no conjugate of it can be had. */
	HD_SPARSE_HAS(opB != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE || computeType == CUDA_R_32F ||
		      computeType == CUDA_R_64F);
	return with_type(computeType, [&](auto type) {
		using T = decltype(type);
		cusparseStatus_t status = CUSPARSE_STATUS_SUCCESS;
		for (int i = 0; i < batches && status == CUSPARSE_STATUS_SUCCESS; i++) {
			cusparseSpMatDescr a = matrix_of(matA, i);
			cusparseDnMatDescr b = matrix_of(matB, i), c = matrix_of(matC, i);
			status = multiply<T>(handle, opA, &a, dense_of<const T>(&b, b_transposed), dense_of<T>(&c), columns,
					     alpha, beta);
		}
		return status;
	});
}

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
					  const void *, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
					  const void *, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t,
					  size_t *bufferSize)
{
	return no_buffer(handle, bufferSize);
}

cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t, cusparseOperation_t,
					  const void *, cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t,
					  const void *, cusparseSpMatDescr_t, cudaDataType, cusparseSDDMMAlg_t, void *)
{
	HD_SPARSE_HANDLE(handle);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
			       const void *alpha, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
			       const void *beta, cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t,
			       void *)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(alpha && beta && matA && matB && matC && is_operation(opA) && is_operation(opB));
	bool a_turned = opA != CUSPARSE_OPERATION_NON_TRANSPOSE, b_turned = opB != CUSPARSE_OPERATION_NON_TRANSPOSE;
	int64_t inner = a_turned ? matA->rows : matA->columns;
	HD_SPARSE_VALID(inner == (b_turned ? matB->columns : matB->rows) &&
			matC->rows == (a_turned ? matA->columns : matA->rows) &&
			matC->columns == (b_turned ? matB->rows : matB->columns));
	HD_SPARSE_HAS(matA->type == computeType && matB->type == computeType && matC->type == computeType);
	int batches = batches_of(matA->batches, matB->batches, matC->batches);
	HD_SPARSE_VALID(batches);
	if (!matC->count)
		return CUSPARSE_STATUS_SUCCESS;
	return with_type(computeType, [&](auto type) {
		using T = decltype(type);
		for (int i = 0; i < batches; i++) {
			cusparseDnMatDescr a = matrix_of(matA, i), b = matrix_of(matB, i);
			cusparseSpMatDescr c = matrix_of(matC, i);
			sample_product<T><<<blocks_for(c.count, THREADS / WARP, 65535), THREADS, 0, handle->stream>>>(
				dense_of<const T>(&a, a_turned), dense_of<const T>(&b, b_turned),
				opA == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, opB == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
				inner, indices_of(c.outer, c.outer_type, c.base), indices_of(c.inner, c.inner_type, c.base),
				c.format, c.format == CUSPARSE_FORMAT_CSC ? c.columns : c.rows, static_cast<T *>(c.values),
				c.count, factor<T>(handle, alpha), factor<T>(handle, beta));
		}
		return launched();
	});
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t vecX,
			       const void *beta, cusparseDnVecDescr_t vecY)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(alpha && beta && vecX && vecY && vecX->size == vecY->size);
	HD_SPARSE_HAS(vecX->type == vecY->type);
	return with_type(vecX->type, [&](auto type) {
		using T = decltype(type);
		T *y = static_cast<T *>(vecY->values);
		if (vecY->size)
			scale<T><<<blocks_for(vecY->size, THREADS), THREADS, 0, handle->stream>>>(
				dense<T>{y, 1, 0}, vecY->size, 1, factor<T>(handle, beta));
		if (vecX->count)
			add_vector<T><<<blocks_for(vecX->count, THREADS), THREADS, 0, handle->stream>>>(
				indices_of(vecX->indices, vecX->index_type, vecX->base),
				static_cast<const T *>(vecX->values), vecX->count, y, factor<T>(handle, alpha));
		return launched();
	});
}

cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY, cusparseSpVecDescr_t vecX)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(vecX && vecY && vecX->size == vecY->size);
	HD_SPARSE_HAS(vecX->type == vecY->type);
	return with_type(vecX->type, [&](auto type) {
		using T = decltype(type);
		if (vecX->count)
			gather<T><<<blocks_for(vecX->count, THREADS), THREADS, 0, handle->stream>>>(
				indices_of(vecX->indices, vecX->index_type, vecX->base), static_cast<T *>(vecX->values),
				vecX->count, static_cast<const T *>(vecY->values));
		return launched();
	});
}

cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX, cusparseDnVecDescr_t vecY)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(vecX && vecY && vecX->size == vecY->size);
	HD_SPARSE_HAS(vecX->type == vecY->type);
	return with_type(vecX->type, [&](auto type) {
		using T = decltype(type);
		if (vecX->count)
			scatter<T><<<blocks_for(vecX->count, THREADS), THREADS, 0, handle->stream>>>(
				indices_of(vecX->indices, vecX->index_type, vecX->base),
				static_cast<const T *>(vecX->values), vecX->count, static_cast<T *>(vecY->values));
		return launched();
	});
}

cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c_coeff, const void *s_coeff, cusparseSpVecDescr_t vecX,
			     cusparseDnVecDescr_t vecY)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(c_coeff && s_coeff && vecX && vecY && vecX->size == vecY->size);
	HD_SPARSE_HAS(vecX->type == vecY->type);
	return with_type(vecX->type, [&](auto type) {
		using T = decltype(type);
		if (vecX->count)
			rotate<T><<<blocks_for(vecX->count, THREADS), THREADS, 0, handle->stream>>>(
				indices_of(vecX->indices, vecX->index_type, vecX->base), static_cast<T *>(vecX->values),
				vecX->count, static_cast<T *>(vecY->values), factor<T>(handle, c_coeff),
				factor<T>(handle, s_coeff));
		return launched();
	});
}

/* The result's place on the way to the host. */
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, cusparseConstSpVecDescr_t,
					 cusparseConstDnVecDescr_t, const void *, cudaDataType, size_t *bufferSize)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(bufferSize);
	*bufferSize = sizeof(double2);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
			      cusparseConstDnVecDescr_t vecY, void *result, cudaDataType computeType,
			      void *externalBuffer)
{
	HD_SPARSE_HANDLE(handle);
	bool on_device = handle->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
	HD_SPARSE_VALID(vecX && vecY && result && vecX->size == vecY->size && is_operation(opX));
	HD_SPARSE_VALID(on_device || externalBuffer);
	HD_SPARSE_HAS(vecX->type == computeType && vecY->type == computeType);
	return with_type(computeType, [&](auto type) {
		using T = decltype(type);
		T *to = static_cast<T *>(on_device ? result : externalBuffer);
		dot<T><<<1, THREADS, 0, handle->stream>>>(indices_of(vecX->indices, vecX->index_type, vecX->base),
							  static_cast<const T *>(vecX->values), vecX->count,
							  static_cast<const T *>(vecY->values),
							  opX == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, to);
		cusparseStatus_t status = on_device ? CUSPARSE_STATUS_SUCCESS : to_host(handle, result, to, sizeof(T));
		return status == CUSPARSE_STATUS_SUCCESS ? launched() : status;
	});
}

} // extern "C"
