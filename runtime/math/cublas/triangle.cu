/*
 * hd_blas::solve_triangle. A block of the kernel solves a triangle of at most 32 rows for some columns, which lie in shared
 * memory: a thread has one column, and substitutes row after row.
 */
#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum { SIDE = 32, COLUMNS = 32 };

template <class T>
__global__ void __launch_bounds__(COLUMNS)
	solve_kernel(operand<T> a, result<T> b, int m, int64_t n, scalar<T> alpha, unsigned count)
{
	__shared__ T triangle[SIDE][SIDE + 1], columns[SIDE][COLUMNS + 1];
	T factor = alpha.get();
	int64_t first = (int64_t)blockIdx.x * COLUMNS;
	int width = n - first < COLUMNS ? (int)(n - first) : COLUMNS;
	bool rows_first = b.rows < b.columns;
	for (unsigned number = blockIdx.y; number < count; number += gridDim.y) {
		const T *from = a.of(number);
		T *to = b.of(number) + first * b.columns;
		__syncthreads();
		for (int e = threadIdx.x; e < m * m; e += COLUMNS) {
			int i = e % m, j = e / m;
			triangle[i][j] = conj_if(a.conjugate, from[i * a.rows + j * a.columns]);
		}
		for (int e = threadIdx.x; e < m * width; e += COLUMNS) {
			int i = rows_first ? e % m : e / width, j = rows_first ? e / m : e % width;
			T value = to[i * b.rows + j * b.columns];
			columns[i][j] = is_zero(factor) ? T{} : factor * value;
		}
		__syncthreads();
		for (int step = 0; step < m && (int)threadIdx.x < width; step++) {
			int i = a.upper ? m - 1 - step : step;
			T sum = columns[i][threadIdx.x];
			for (int other = 0; other < step; other++) {
				int j = a.upper ? m - 1 - other : other;
				sum = multiply_add(-triangle[i][j], columns[j][threadIdx.x], sum);
			}
			columns[i][threadIdx.x] = a.kind == UNIT_TRIANGULAR ? sum : sum / triangle[i][i];
		}
		__syncthreads();
		for (int e = threadIdx.x; e < m * width; e += COLUMNS) {
			int i = rows_first ? e % m : e / width, j = rows_first ? e / m : e % width;
			to[i * b.rows + j * b.columns] = columns[i][j];
		}
	}
}

template <class T>
cublasStatus_t solve_triangle(const context *context, const operand<T> &a, const result<T> &b, int64_t m, int64_t n,
			      const scalar<T> &alpha, unsigned count)
{
	if (m <= 0 || n <= 0 || count == 0)
		return CUBLAS_STATUS_SUCCESS;
	if (m <= SIDE) {
		dim3 grid((unsigned)divide_up(n, COLUMNS), count < 65535 ? count : 65535);
		solve_kernel<<<grid, COLUMNS, 0, context->stream>>>(a, b, (int)m, n, alpha, count);
		return launched();
	}
	int64_t half = divide_up(divide_up(m, SIDE), 2) * SIDE;
	int64_t first = a.upper ? half : 0, other = a.upper ? 0 : half;
	int64_t size = a.upper ? m - half : half;
	cublasStatus_t status =
		solve_triangle(context, part_at(a, first, first), part_at(b, first, 0), size, n, alpha, count);
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	product<T> p;
	p.m = m - size;
	p.n = n;
	p.k = size;
	p.a = off_diagonal(a, other, first);
	p.b = as_operand(part_at(b, first, 0));
	p.c = part_at(b, other, 0);
	p.alpha = value_of(make<T>(-1));
	p.beta = alpha;
	p.count = count;
	status = multiply(context, p);
	if (status != CUBLAS_STATUS_SUCCESS)
		return status;
	return solve_triangle(context, part_at(a, other, other), part_at(b, other, 0), m - size, n, value_of(make<T>(1)),
			      count);
}

#define HD_BLAS_SOLVE(T)                                                                                               \
	template cublasStatus_t solve_triangle(const context *, const operand<T> &, const result<T> &, int64_t,        \
					       int64_t, const scalar<T> &, unsigned);
HD_BLAS_SOLVE(float)
HD_BLAS_SOLVE(double)
HD_BLAS_SOLVE(float2)
HD_BLAS_SOLVE(double2)

} // namespace hd_blas
