/*
 * A kernel that does something to each element of a matrix, of each of several: a functor is called with its row, its
 * column and the matrix's number. The lanes of a warp are neighbouring rows.
 */
#pragma once

#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum { EACH_ROWS = 32, EACH_COLUMNS = 8 };

template <class F>
__global__ void __launch_bounds__(EACH_ROWS *EACH_COLUMNS) each_kernel(int64_t m, int64_t n, unsigned count, F functor)
{
	int64_t i = (int64_t)blockIdx.x * EACH_ROWS + threadIdx.x % EACH_ROWS;
	if (i >= m)
		return;
	for (unsigned number = blockIdx.z; number < count; number += gridDim.z)
		for (int64_t j = (int64_t)blockIdx.y * EACH_COLUMNS + threadIdx.x / EACH_ROWS; j < n;
		     j += (int64_t)gridDim.y * EACH_COLUMNS)
			functor(i, j, number);
}

template <class F>
inline cublasStatus_t each_element(const context *context, int64_t m, int64_t n, unsigned count, const F &functor)
{
	if (m <= 0 || n <= 0 || count == 0)
		return CUBLAS_STATUS_SUCCESS;
	dim3 grid((unsigned)divide_up(m, EACH_ROWS), blocks_for(n, EACH_COLUMNS), count < 65535 ? count : 65535);
	each_kernel<<<grid, EACH_ROWS * EACH_COLUMNS, 0, context->stream>>>(m, n, count, functor);
	return launched();
}

template <class T> struct clear_element {
	result<T> to;
	__device__ void operator()(int64_t i, int64_t j, unsigned number) const
	{
		to.of(number)[i * to.rows + j * to.columns] = T{};
	}
};

template <class T> struct copy_element {
	operand<T> from;
	result<T> to;
	__device__ void operator()(int64_t i, int64_t j, unsigned number) const
	{
		to.of(number)[i * to.rows + j * to.columns] = from.of(number)[i * from.rows + j * from.columns];
	}
};

} // namespace hd_blas
