/*
 * What the routines of cuBLAS share: the handle, and how arguments are checked. A routine is a template hd_blas::NAME,
 * which the rows of include/cuda/heddle_cublas_*.def turn into functions of the library: HD_CUBLAS_DEFINE makes them.
 */
#pragma once

#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include "runtime/math/common/launch.cuh"
#include "runtime/math/common/scalar.cuh"

struct cublasContext : hd_math::sliced_context {
	cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
	cublasAtomicsMode_t atomics_mode = CUBLAS_ATOMICS_NOT_ALLOWED;
	cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
	int sm_count_target = 0;
};

namespace hd_blas {

using namespace hd_math;

#define HD_BLAS_CHECK(condition, status)                                                                               \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			return status;                                                                                 \
	} while (0)
#define HD_BLAS_HANDLE(handle) HD_BLAS_CHECK(hd_math::begin_call() && handle, CUBLAS_STATUS_NOT_INITIALIZED)
#define HD_BLAS_VALID(condition) HD_BLAS_CHECK(condition, CUBLAS_STATUS_INVALID_VALUE)

/* After the launches of a call. */
inline cublasStatus_t launched()
{
	return error_of_call() == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

template <class T> inline scalar<T> factor(cublasHandle_t handle, const T *place)
{
	if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
		return scalar<T>{T{}, place, PLAIN};
	return value_of(host_value<T>(place));
}

/* A real factor of elements T. */
template <class T> inline scalar<T> real_factor(cublasHandle_t handle, const real_of<T> *place)
{
	if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
		return scalar<T>{T{}, place, REAL};
	return value_of(make<T>(*place));
}

/* Whether the factor is known to be zero or one here; one in device memory is known to kernels only. */
template <class T> inline bool known_zero(const scalar<T> &factor)
{
	return !factor.place && is_zero(factor.value);
}

template <class T> inline bool known_one(const scalar<T> &factor)
{
	return !factor.place && is_one(factor.value);
}

/* BLAS's vectors of a negative increment begin at their other end. */
template <class T> inline T *first_element(T *x, int64_t n, int64_t increment)
{
	return increment < 0 ? x - (n - 1) * increment : x;
}

inline bool is_fill(cublasFillMode_t uplo)
{
	return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

inline bool is_diag(cublasDiagType_t diag)
{
	return diag == CUBLAS_DIAG_NON_UNIT || diag == CUBLAS_DIAG_UNIT;
}

/* Whether columns of so many rows may lie `ld` apart. */
inline bool is_leading(int64_t ld, int64_t rows)
{
	return ld >= rows && ld >= 1;
}

inline bool is_operation(cublasOperation_t operation)
{
	return operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_CONJG;
}

inline bool is_transposed(cublasOperation_t operation)
{
	return operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
}

inline bool is_conjugated(cublasOperation_t operation)
{
	return operation == CUBLAS_OP_C || operation == CUBLAS_OP_CONJG;
}

} // namespace hd_blas

/* Functions with int and with int64_t sizes: include a table of rows after the first, and again after the second. */
#define HD_CUBLAS_DEFINE_(name, routine, parameters, arguments)                                                        \
	extern "C" cublasStatus_t name parameters                                                                      \
	{                                                                                                              \
		return hd_blas::routine arguments;                                                                     \
	}
#define HD_CUBLAS_DEFINE(name, suffix, routine, parameters, arguments)                                                 \
	HD_CUBLAS_DEFINE_(cublas##name##suffix, routine, parameters, arguments)
#define HD_CUBLAS_DEFINE_64(name, suffix, routine, parameters, arguments)                                              \
	HD_CUBLAS_DEFINE_(cublas##name##suffix##_64, routine, parameters, arguments)
