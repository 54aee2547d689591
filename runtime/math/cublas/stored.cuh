/*
 * Matrices of level 2 as they are stored: full, banded or packed, whole or as a triangle. A kernel asks for an element by
 * its row and column and for the columns of a row that may be other than zero.
 */
#pragma once

#include "runtime/math/cublas/product.cuh"

namespace hd_blas {

enum layout : uint8_t { FULL, BANDED, PACKED };

template <class T> struct stored {
	int64_t ld = 0, n = 0;	   /* n: columns, of a packed matrix */
	int64_t above = 0;	   /* diagonals above the main one, of a banded matrix */
	int64_t left = 0, right = 0; /* how far from the diagonal elements of a row are, with the operation */
	layout layout = FULL;
	shape kind = GENERAL;
	bool upper = false;
	bool transposed = false, conjugate = false; /* the operation */

	__device__ int64_t place(int64_t i, int64_t j) const
	{
		if (layout == BANDED)
			return above + i - j + j * ld;
		if (layout == PACKED)
			return upper ? i + j * (j + 1) / 2 : i + (2 * n - j - 1) * j / 2;
		return i + j * ld;
	}
	/* Of op(A), where j is in first_column(i) to last_column(i). */
	__device__ T element(const T *data, int64_t i, int64_t j) const
	{
		int64_t row = transposed ? j : i, column = transposed ? i : j;
		if (kind == GENERAL)
			return conj_if(conjugate, data[place(row, column)]);
		if (kind == UNIT_TRIANGULAR && i == j)
			return make<T>(1);
		bool mirrored = kind < TRIANGULAR && (upper ? row > column : row < column);
		T value = mirrored ? data[place(column, row)] : data[place(row, column)];
		if (kind == HERMITIAN)
			value = i == j ? make<T>(real(value)) : conj_if(mirrored, value);
		return conj_if(conjugate, value);
	}
	__device__ int64_t first_column(int64_t i) const
	{
		return i > left ? i - left : 0;
	}
	/* And one more. */
	__device__ int64_t end_column(int64_t i, int64_t columns) const
	{
		return right < columns - 1 - i ? i + right + 1 : columns;
	}
};

enum : int64_t { EVERYWHERE = INT64_MAX / 4 };

template <class T> inline void set_operation(stored<T> *a, cublasOperation_t operation)
{
	a->transposed = is_transposed(operation);
	a->conjugate = is_conjugated(operation) && traits<T>::complex;
}

/* A whole matrix, or a banded one of `below` and `above` diagonals. */
template <class T> inline stored<T> whole(int64_t ld, cublasOperation_t operation)
{
	stored<T> a;
	a.ld = ld;
	a.left = a.right = EVERYWHERE;
	set_operation(&a, operation);
	return a;
}

template <class T>
inline stored<T> banded(int64_t ld, int64_t below, int64_t above, cublasOperation_t operation = CUBLAS_OP_N)
{
	stored<T> a = whole<T>(ld, operation);
	a.layout = BANDED;
	a.above = above;
	a.left = a.transposed ? above : below;
	a.right = a.transposed ? below : above;
	return a;
}

template <class T> inline stored<T> packed(int64_t n, cublasOperation_t operation = CUBLAS_OP_N)
{
	stored<T> a = whole<T>(0, operation);
	a.layout = PACKED;
	a.n = n;
	return a;
}

/* Only a triangle of it is stored; of a banded one, `k` diagonals beside the main one. */
template <class T> inline stored<T> symmetric(stored<T> a, cublasFillMode_t uplo, bool hermitian)
{
	a.kind = hermitian ? HERMITIAN : SYMMETRIC;
	a.upper = uplo == CUBLAS_FILL_MODE_UPPER;
	if (a.layout == BANDED)
		a.left = a.right = a.left > a.right ? a.left : a.right;
	return a;
}

template <class T> inline stored<T> triangular(stored<T> a, cublasFillMode_t uplo, cublasDiagType_t diag)
{
	a.kind = diag == CUBLAS_DIAG_UNIT ? UNIT_TRIANGULAR : TRIANGULAR;
	a.upper = uplo == CUBLAS_FILL_MODE_UPPER;
	/* Of op(A), the triangle is the other one. */
	bool above = a.upper != a.transposed;
	a.left = above ? 0 : a.left;
	a.right = above ? a.right : 0;
	return a;
}

} // namespace hd_blas
