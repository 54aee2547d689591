/*
 * cuSPARSE's triangular systems (SpSV, SpSM). A warp has a line of the matrix, in the order in which lines are solved, and
 * waits for the lines that it depends on: they are those of warps before it, so that one that waits is never in the way of
 * what it waits for. Where lines are rows of op(A), a warp gathers what is solved; where they are columns, it adds its part
 * to the rows behind, with atomics, in no fixed order. Each column of a right side has flags of its own.
 */
#include <new>

#include "runtime/math/cusparse/sparse.cuh"

/* The analysis's buffer: a word for each row and right side, `words` of them. */
struct cusparseSpSVDescr {
	int *flags = nullptr;
	int64_t words = 0;
};
struct cusparseSpSMDescr {
	int *flags = nullptr;
	int64_t words = 0;
};

namespace hd_sparse {

template <class T> struct triangle {
	indices outer, inner;
	const T *values;
	int64_t n, count;
	bool coordinates; /* COO: `outer` has each number's line */
	bool lower;	  /* of op(A) */
	bool by_rows;	  /* whether its rows are lines */
	bool unit, conjugate;
	dense<const T> b;
	dense<T> x;
	scalar<T> alpha;
	int *flags;

	/* The first number of line i, sorted by lines. */
	__device__ int64_t first_of(int64_t i) const
	{
		if (!coordinates)
			return outer[i];
		int64_t low = 0, high = count;
		while (low < high) {
			int64_t middle = (low + high) / 2;
			if (outer[middle] < i)
				low = middle + 1;
			else
				high = middle;
		}
		return low;
	}
	/* Whether an element beside the diagonal is in the triangle. */
	__device__ bool has(int64_t row, int64_t column) const
	{
		return lower ? column < row : column > row;
	}
};

/* How many elements a row has beside the diagonal, and its right side. */
template <class T> __global__ void __launch_bounds__(THREADS) prepare_columns(triangle<T> a)
{
	int64_t line = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP;
	int *pending = a.flags + blockIdx.y * a.n;
	if (line >= a.n)
		return;
	if (threadIdx.x % WARP == 0)
		a.x.at(line, blockIdx.y) = a.alpha.get() * a.b.at(line, blockIdx.y);
	int64_t end = a.first_of(line + 1);
	for (int64_t k = a.first_of(line) + threadIdx.x % WARP; k < end; k += WARP)
		if (a.has(a.inner[k], line))
			atomicAdd(&pending[a.inner[k]], 1);
}

template <class T> __global__ void __launch_bounds__(THREADS) solve_triangle(triangle<T> a)
{
	int64_t warp = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP;
	int lane = threadIdx.x % WARP;
	volatile int *flags = a.flags + blockIdx.y * a.n;
	if (warp >= a.n)
		return;
	int64_t line = a.lower ? warp : a.n - 1 - warp, first = a.first_of(line), end = a.first_of(line + 1);
	T diagonal{}, sum{};
	if (!a.by_rows && lane == 0)
		while (flags[line])
			;
	__syncwarp();
	for (int64_t k = first + lane; k < end; k += WARP) {
		int64_t other = a.inner[k];
		T value = conj_if(a.conjugate, a.values[k]);
		if (other == line)
			diagonal = diagonal + value;
		if (!a.by_rows || !a.has(line, other))
			continue;
		while (!flags[other])
			;
		__threadfence();
		sum = multiply_add(value, a.x.at(other, blockIdx.y), sum);
	}
	diagonal = a.unit ? make<T>(1) : sum_of_warp(diagonal);
	T &to = a.x.at(line, blockIdx.y);
	if (a.by_rows) {
		sum = sum_of_warp(sum);
		if (lane == 0) {
			to = (a.alpha.get() * a.b.at(line, blockIdx.y) - sum) / diagonal;
			__threadfence();
			flags[line] = 1;
		}
		return;
	}
	__threadfence();
	T solved = to / diagonal;
	__syncwarp();
	if (lane == 0)
		to = solved;
	for (int64_t k = first + lane; k < end; k += WARP) {
		int64_t row = a.inner[k];
		if (!a.has(row, line))
			continue;
		add_to(&a.x.at(row, blockIdx.y), -(conj_if(a.conjugate, a.values[k]) * solved));
		__threadfence();
		atomicSub(const_cast<int *>(&flags[row]), 1);
	}
}

static bool is_solvable(cusparseConstSpMatDescr_t a)
{
	return a->rows == a->columns;
}

template <class T>
static cusparseStatus_t solve(cusparseHandle_t handle, cusparseOperation_t operation, const void *alpha,
			      cusparseConstSpMatDescr_t from, dense<const T> b, dense<T> x, int64_t columns, int *flags)
{
	bool turned = operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
	triangle<T> a = {};
	a.outer = indices_of(from->outer, from->outer_type, from->base);
	a.inner = indices_of(from->inner, from->inner_type, from->base);
	a.values = static_cast<const T *>(from->values);
	a.n = from->rows;
	a.count = from->count;
	a.coordinates = from->format == CUSPARSE_FORMAT_COO;
	a.lower = (from->fill == CUSPARSE_FILL_MODE_LOWER) != turned;
	a.by_rows = (from->format != CUSPARSE_FORMAT_CSC) != turned;
	a.unit = from->diagonal == CUSPARSE_DIAG_TYPE_UNIT;
	a.conjugate = operation == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	a.b = b;
	a.x = x;
	a.alpha = factor<T>(handle, alpha);
	a.flags = flags;
	if (cudaMemsetAsync(flags, 0, a.n * columns * sizeof *flags, handle->stream) != cudaSuccess)
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	dim3 blocks((unsigned)divide_up(a.n, THREADS / WARP), (unsigned)columns);
	if (!a.by_rows)
		prepare_columns<<<blocks, THREADS, 0, handle->stream>>>(a);
	solve_triangle<<<blocks, THREADS, 0, handle->stream>>>(a);
	return launched();
}

template <class D> static cusparseStatus_t create(D **descriptor)
{
	HD_SPARSE_VALID(descriptor);
	*descriptor = new (std::nothrow) D;
	return *descriptor ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

template <class D> static cusparseStatus_t destroy(D *descriptor)
{
	HD_SPARSE_VALID(descriptor);
	delete descriptor;
	return CUSPARSE_STATUS_SUCCESS;
}

/* A right side's column as a matrix of one, which SpSM's checks take. */
static cusparseDnMatDescr as_matrix(cusparseConstDnVecDescr_t vector)
{
	return cusparseDnMatDescr{vector->size, 1, vector->size ? vector->size : 1, vector->values, vector->type,
				  CUSPARSE_ORDER_COL};
}

static cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t a_operation, cusparseOperation_t b_operation,
			      const void *alpha, cusparseConstSpMatDescr_t a, const cusparseDnMatDescr &b,
			      const cusparseDnMatDescr &x, cudaDataType type)
{
	bool turned = b_operation != CUSPARSE_OPERATION_NON_TRANSPOSE;
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(alpha && a && is_operation(a_operation) && is_operation(b_operation) && is_solvable(a));
	HD_SPARSE_VALID(x.rows == a->rows && (turned ? b.columns : b.rows) == x.rows &&
			(turned ? b.rows : b.columns) == x.columns);
	HD_SPARSE_HAS(a->type == type && b.type == type && x.type == type &&
		      b_operation != CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && x.columns <= 65535);
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t buffer_size(const cusparseDnMatDescr &x, size_t *bytes)
{
	HD_SPARSE_VALID(bytes);
	*bytes = (x.rows * x.columns + 1) * sizeof(int);
	return CUSPARSE_STATUS_SUCCESS;
}

template <class D> static cusparseStatus_t analyse(D *descriptor, const cusparseDnMatDescr &x, void *buffer)
{
	HD_SPARSE_VALID(buffer);
	descriptor->flags = static_cast<int *>(buffer);
	descriptor->words = x.rows * x.columns;
	return CUSPARSE_STATUS_SUCCESS;
}

template <class D>
static cusparseStatus_t run(cusparseHandle_t handle, cusparseOperation_t a_operation, cusparseOperation_t b_operation,
			    const void *alpha, cusparseConstSpMatDescr_t a, const cusparseDnMatDescr &b,
			    const cusparseDnMatDescr &x, D *descriptor)
{
	HD_SPARSE_VALID(descriptor->flags && x.rows * x.columns <= descriptor->words);
	if (!x.rows || !x.columns)
		return CUSPARSE_STATUS_SUCCESS;
	return with_type(x.type, [&](auto type) {
		using T = decltype(type);
		return solve<T>(handle, a_operation, alpha, a,
				dense_of<const T>(&b, b_operation != CUSPARSE_OPERATION_NON_TRANSPOSE), dense_of<T>(&x),
				x.columns, descriptor->flags);
	});
}

} // namespace hd_sparse

using namespace hd_sparse;

/* Checks, and then does what is left. */
#define HD_SPARSE_SOLVER(b_operation, b, x, rest)                                                                      \
	cusparseStatus_t status = check(handle, opA, b_operation, alpha, matA, b, x, computeType);                     \
	return status == CUSPARSE_STATUS_SUCCESS ? rest : status

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr)
{
	return create(descr);
}

cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr)
{
	return destroy(descr);
}

cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
					 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
					 cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
					 cusparseSpSVDescr_t spsvDescr, size_t *bufferSize)
{
	HD_SPARSE_VALID(vecX && vecY && spsvDescr);
	HD_SPARSE_SOLVER(CUSPARSE_OPERATION_NON_TRANSPOSE, as_matrix(vecX), as_matrix(vecY),
			 buffer_size(as_matrix(vecY), bufferSize));
}

cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
				       cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
				       cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
				       cusparseSpSVDescr_t spsvDescr, void *externalBuffer)
{
	HD_SPARSE_VALID(vecX && vecY && spsvDescr);
	HD_SPARSE_SOLVER(CUSPARSE_OPERATION_NON_TRANSPOSE, as_matrix(vecX), as_matrix(vecY),
			 analyse(spsvDescr, as_matrix(vecY), externalBuffer));
}

cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
				    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
				    cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t,
				    cusparseSpSVDescr_t spsvDescr)
{
	HD_SPARSE_VALID(vecX && vecY && spsvDescr);
	HD_SPARSE_SOLVER(CUSPARSE_OPERATION_NON_TRANSPOSE, as_matrix(vecX), as_matrix(vecY),
			 run(handle, opA, CUSPARSE_OPERATION_NON_TRANSPOSE, alpha, matA, as_matrix(vecX), as_matrix(vecY),
			     spsvDescr));
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr)
{
	return create(descr);
}

cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr)
{
	return destroy(descr);
}

cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					 const void *alpha, cusparseConstSpMatDescr_t matA,
					 cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
					 cudaDataType computeType, cusparseSpSMAlg_t, cusparseSpSMDescr_t spsmDescr,
					 size_t *bufferSize)
{
	HD_SPARSE_VALID(matB && matC && spsmDescr);
	HD_SPARSE_SOLVER(opB, *matB, *matC, buffer_size(*matC, bufferSize));
}

cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
				       const void *alpha, cusparseConstSpMatDescr_t matA,
				       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
				       cudaDataType computeType, cusparseSpSMAlg_t, cusparseSpSMDescr_t spsmDescr,
				       void *externalBuffer)
{
	HD_SPARSE_VALID(matB && matC && spsmDescr);
	HD_SPARSE_SOLVER(opB, *matB, *matC, analyse(spsmDescr, *matC, externalBuffer));
}

cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
				    const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
				    cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t,
				    cusparseSpSMDescr_t spsmDescr)
{
	HD_SPARSE_VALID(matB && matC && spsmDescr);
	HD_SPARSE_SOLVER(opB, *matB, *matC, run(handle, opA, opB, alpha, matA, *matB, *matC, spsmDescr));
}

} // extern "C"
