/*
 * The product of matrices that all of level 3 is made of: D = alpha A B + beta C, in which a factor may be stored as a
 * part of itself (symmetric, Hermitian, triangular), and of D a triangle alone may be written. Operands are given by the
 * distance of neighbours in a row and in a column, so that a transpose is a swap of two numbers.
 */
#pragma once

#include "runtime/math/cublas/blas.cuh"

namespace hd_blas {

/* What is stored of a factor: all of it, or a triangle, and what the other one is. */
enum shape : uint8_t { GENERAL, SYMMETRIC, HERMITIAN, TRIANGULAR, UNIT_TRIANGULAR };

/* Numbers of batches: one after the other `batch` elements apart, or each at the place that `array` holds for it. */
template <class T> struct operand {
	const T *data = nullptr;
	const T *const *array = nullptr;
	int64_t batch = 0, offset = 0;
	int64_t rows = 1, columns = 1; /* distance of (i, j) from (i + 1, j), (i, j + 1) */
	shape kind = GENERAL;
	bool upper = false; /* which triangle is stored */
	bool conjugate = false;

	__device__ const T *of(unsigned number) const
	{
		return (array ? array[number] : data + number * batch) + offset;
	}
};

template <class T> struct result {
	T *data = nullptr;
	T *const *array = nullptr;
	int64_t batch = 0, offset = 0;
	int64_t rows = 1, columns = 1;

	__device__ T *of(unsigned number) const
	{
		return (array ? array[number] : data + number * batch) + offset;
	}
};

/* The largest y of a grid: a launch for each so many batches. */
enum : unsigned { MOST_BATCHES = 65535 };

/* Of the result: everything, or one triangle with the diagonal, which is made real in a Hermitian one. */
enum part : uint8_t { WHOLE, UPPER_PART, LOWER_PART };

template <class T> struct product {
	int64_t m = 0, n = 0, k = 0;
	operand<T> a, b;
	result<T> c;
	scalar<T> alpha, beta;
	part written = WHOLE;
	bool real_diagonal = false;
	unsigned count = 1; /* of batches */
};

/* A column-major matrix with an operation. */
template <class T> inline operand<T> matrix(const T *data, int64_t ld, cublasOperation_t operation, int64_t batch = 0)
{
	operand<T> operand;
	operand.data = data;
	operand.batch = batch;
	operand.rows = is_transposed(operation) ? ld : 1;
	operand.columns = is_transposed(operation) ? 1 : ld;
	operand.conjugate = is_conjugated(operation) && traits<T>::complex;
	return operand;
}

template <class T>
inline operand<T> matrices(const T *const *array, int64_t ld, cublasOperation_t operation)
{
	operand<T> operand = matrix<T>(nullptr, ld, operation);
	operand.array = array;
	return operand;
}

template <class T> inline result<T> target(T *data, int64_t ld, int64_t batch = 0)
{
	result<T> result;
	result.data = data;
	result.columns = ld;
	result.batch = batch;
	return result;
}

template <class T> inline result<T> targets(T *const *array, int64_t ld)
{
	result<T> result = target<T>(nullptr, ld);
	result.array = array;
	return result;
}

/* Of a result that is a factor of the next step. */
template <class T> inline operand<T> as_operand(const result<T> &result)
{
	operand<T> operand;
	operand.data = result.data;
	operand.array = result.array;
	operand.batch = result.batch;
	operand.offset = result.offset;
	operand.rows = result.rows;
	operand.columns = result.columns;
	return operand;
}

template <class T> inline operand<T> transposed(operand<T> operand)
{
	int64_t rows = operand.rows;
	operand.rows = operand.columns;
	operand.columns = rows;
	operand.upper = !operand.upper;
	return operand;
}

template <class T> inline result<T> transposed(result<T> result)
{
	int64_t rows = result.rows;
	result.rows = result.columns;
	result.columns = rows;
	return result;
}

/* The part that begins at (i, j). A triangle's part on the diagonal is a triangle, others are GENERAL. */
template <class M> inline M part_at(M matrix, int64_t i, int64_t j)
{
	matrix.offset += i * matrix.rows + j * matrix.columns;
	return matrix;
}

template <class T> inline operand<T> off_diagonal(operand<T> matrix, int64_t i, int64_t j)
{
	matrix.kind = GENERAL;
	return part_at(matrix, i, j);
}

/*
 * Solves op(A) X = alpha B in place of B (m x n): A is a triangle, `a` its operand with the operation. Halves A until blocks
 * of 32 are left; products do the rest. For X op(A) = alpha B, give the transposes of all.
 */
template <class T>
cublasStatus_t solve_triangle(const context *context, const operand<T> &a, const result<T> &b, int64_t m, int64_t n,
			      const scalar<T> &alpha, unsigned count);

/* Launches the kernel; nothing where the result has no elements. T: float, double, cuComplex, cuDoubleComplex. */
template <class T> cublasStatus_t multiply(const context *context, const product<T> &product);

} // namespace hd_blas
