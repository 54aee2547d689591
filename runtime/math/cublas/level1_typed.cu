/*
 * cuBLAS, level 1 with types as arguments. Vectors of halves and of bfloat16 are computed in single precision here; all
 * others are those of the routines without Ex. A vector's type is also that of the other vector and of the result.
 */
#include "runtime/math/cublas/gemm.cuh"
#include "runtime/math/cublas/reduce.cuh"
#include "runtime/math/cublas/vector.cuh"

namespace hd_blas {

static bool is_half(cudaDataType type)
{
	return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/* A routine of each type whose numbers need no conversion. */
#define HD_BLAS_EACH_TYPE(type, call)                                                                                  \
	switch (type) {                                                                                                \
	case CUDA_R_32F:                                                                                               \
		return call(S, float);                                                                                 \
	case CUDA_R_64F:                                                                                               \
		return call(D, double);                                                                                \
	case CUDA_C_32F:                                                                                               \
		return call(C, cuComplex);                                                                             \
	case CUDA_C_64F:                                                                                               \
		return call(Z, cuDoubleComplex);                                                                       \
	default:                                                                                                       \
		return CUBLAS_STATUS_NOT_SUPPORTED;                                                                    \
	}

template <class Routine> static cublasStatus_t with_half(cudaDataType type, Routine routine)
{
	return type == CUDA_R_16F ? routine(__half()) : routine(__nv_bfloat16());
}

template <class E> struct axpy_of_halves {
	scalar<float> alpha;
	strided<const E> x;
	strided<E> y;
	float factor = 0;
	__device__ void begin()
	{
		factor = alpha.get();
	}
	__device__ void operator()(int64_t i) const
	{
		y[i] = E(fmaf(factor, float(x[i]), float(y[i])));
	}
};

static cublasStatus_t axpy_ex(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alpha_type, const void *x,
			      cudaDataType type, int64_t incx, void *y, cudaDataType y_type, int64_t incy,
			      cudaDataType execution)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_CHECK(y_type == type && alpha_type == execution && execution == (is_half(type) ? CUDA_R_32F : type),
		      CUBLAS_STATUS_NOT_SUPPORTED);
#define HD_BLAS_CALL(L, T)                                                                                             \
	cublas##L##axpy_v2_64(handle, n, static_cast<const T *>(alpha), static_cast<const T *>(x), incx,               \
			      static_cast<T *>(y), incy)
	if (!is_half(type))
		HD_BLAS_EACH_TYPE(type, HD_BLAS_CALL)
#undef HD_BLAS_CALL
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	return with_half(type, [&](auto element) {
		using E = decltype(element);
		return change(handle, n,
			      axpy_of_halves<E>{factor(handle, static_cast<const float *>(alpha)),
						{static_cast<const E *>(x), n, incx},
						{static_cast<E *>(y), n, incy}});
	});
}

template <class E> struct scal_of_halves {
	scalar<float> alpha;
	strided<E> x;
	float factor = 0;
	__device__ void begin()
	{
		factor = alpha.get();
	}
	__device__ void operator()(int64_t i) const
	{
		x[i] = E(factor * float(x[i]));
	}
};

static cublasStatus_t scal_ex(cublasHandle_t handle, int64_t n, const void *alpha, cudaDataType alpha_type, void *x,
			      cudaDataType type, int64_t incx, cudaDataType execution)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_CHECK(alpha_type == execution && execution == (is_half(type) ? CUDA_R_32F : type),
		      CUBLAS_STATUS_NOT_SUPPORTED);
#define HD_BLAS_CALL(L, T)                                                                                             \
	cublas##L##scal_v2_64(handle, n, static_cast<const T *>(alpha), static_cast<T *>(x), incx)
	if (!is_half(type))
		HD_BLAS_EACH_TYPE(type, HD_BLAS_CALL)
#undef HD_BLAS_CALL
	if (n <= 0 || incx <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	return with_half(type, [&](auto element) {
		using E = decltype(element);
		return change(handle, n,
			      scal_of_halves<E>{factor(handle, static_cast<const float *>(alpha)),
						{static_cast<E *>(x), n, incx}});
	});
}

template <class E> struct dot_of_halves {
	using state = float;
	using result = E;
	const E *x, *y;
	int64_t incx, incy;
	__device__ float none() const
	{
		return 0;
	}
	__device__ float add(float sum, int64_t i) const
	{
		return fmaf(float(x[i * incx]), float(y[i * incy]), sum);
	}
	__device__ float join(float a, float b) const
	{
		return a + b;
	}
	__device__ E finish(float sum) const
	{
		return E(sum);
	}
};

static cublasStatus_t dot_ex(cublasHandle_t handle, bool conjugate, int64_t n, const void *x, cudaDataType type, int64_t incx,
			     const void *y, cudaDataType y_type, int64_t incy, void *result, cudaDataType result_type,
			     cudaDataType execution)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_CHECK(y_type == type && result_type == type && execution == (is_half(type) ? CUDA_R_32F : type),
		      CUBLAS_STATUS_NOT_SUPPORTED);
#define HD_BLAS_ARGUMENTS(T)                                                                                           \
	(handle, n, static_cast<const T *>(x), incx, static_cast<const T *>(y), incy, static_cast<T *>(result))
	switch (type) {
	case CUDA_R_32F:
		return cublasSdot_v2_64 HD_BLAS_ARGUMENTS(float);
	case CUDA_R_64F:
		return cublasDdot_v2_64 HD_BLAS_ARGUMENTS(double);
	case CUDA_C_32F:
		return (conjugate ? cublasCdotc_v2_64 : cublasCdotu_v2_64) HD_BLAS_ARGUMENTS(cuComplex);
	case CUDA_C_64F:
		return (conjugate ? cublasZdotc_v2_64 : cublasZdotu_v2_64) HD_BLAS_ARGUMENTS(cuDoubleComplex);
	default:
		HD_BLAS_CHECK(is_half(type), CUBLAS_STATUS_NOT_SUPPORTED);
	}
#undef HD_BLAS_ARGUMENTS
	HD_BLAS_VALID(result);
	return with_half(type, [&](auto element) {
		using E = decltype(element);
		E *to = static_cast<E *>(result);
		if (n <= 0)
			return nothing(handle, to);
		return reduce(handle, n,
			      dot_of_halves<E>{first_element(static_cast<const E *>(x), n, incx),
					       first_element(static_cast<const E *>(y), n, incy), incx, incy},
			      to);
	});
}

template <class E> struct nrm2_of_halves : nrm2_of<float> {
	using result = E;
	const E *values;

	nrm2_of_halves(const E *x, int64_t incx) : nrm2_of<float>{nullptr, incx}, values(x)
	{
	}
	__device__ state add(state sum, int64_t i) const
	{
		return join(sum, state{fabsf(float(values[i * incx])), 1});
	}
	__device__ E finish(state all) const
	{
		return E(nrm2_of<float>::finish(all));
	}
};

static cublasStatus_t nrm2_ex(cublasHandle_t handle, int64_t n, const void *x, cudaDataType type, int64_t incx, void *result,
			      cudaDataType result_type, cudaDataType execution)
{
	HD_BLAS_HANDLE(handle);
	cudaDataType real = type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
	HD_BLAS_CHECK(result_type == real && (execution == (is_half(type) ? CUDA_R_32F : real) ||
					      (execution == type && !is_half(type))),
		      CUBLAS_STATUS_NOT_SUPPORTED);
	switch (type) {
	case CUDA_R_32F:
		return cublasSnrm2_v2_64(handle, n, static_cast<const float *>(x), incx, static_cast<float *>(result));
	case CUDA_R_64F:
		return cublasDnrm2_v2_64(handle, n, static_cast<const double *>(x), incx, static_cast<double *>(result));
	case CUDA_C_32F:
		return cublasScnrm2_v2_64(handle, n, static_cast<const cuComplex *>(x), incx,
					  static_cast<float *>(result));
	case CUDA_C_64F:
		return cublasDznrm2_v2_64(handle, n, static_cast<const cuDoubleComplex *>(x), incx,
					  static_cast<double *>(result));
	default:
		HD_BLAS_CHECK(is_half(type), CUBLAS_STATUS_NOT_SUPPORTED);
	}
	HD_BLAS_VALID(result);
	return with_half(type, [&](auto element) {
		using E = decltype(element);
		E *to = static_cast<E *>(result);
		if (n <= 0 || incx <= 0)
			return nothing(handle, to);
		return reduce(handle, n, nrm2_of_halves<E>(static_cast<const E *>(x), incx), to);
	});
}

template <class E> struct rot_of_halves {
	strided<E> x, y;
	E cosine, sine;
	const E *cosine_place, *sine_place; /* null: the values before are meant */
	float c = 0, s = 0;
	__device__ void begin()
	{
		c = float(cosine_place ? *cosine_place : cosine);
		s = float(sine_place ? *sine_place : sine);
	}
	__device__ void operator()(int64_t i) const
	{
		float a = float(x[i]), b = float(y[i]);
		x[i] = E(c * a + s * b);
		y[i] = E(c * b - s * a);
	}
};

/* Of complex vectors by a real cosine and a real sine. */
static cublasStatus_t rot_ex(cublasHandle_t handle, int64_t n, void *x, cudaDataType type, int64_t incx, void *y,
			     cudaDataType y_type, int64_t incy, const void *c, const void *s, cudaDataType angle_type,
			     cudaDataType execution)
{
	HD_BLAS_HANDLE(handle);
	cudaDataType real = type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
	HD_BLAS_CHECK(y_type == type && angle_type == real && execution == (is_half(type) ? CUDA_R_32F : type),
		      CUBLAS_STATUS_NOT_SUPPORTED);
#define HD_BLAS_ARGUMENTS(T, R)                                                                                        \
	(handle, n, static_cast<T *>(x), incx, static_cast<T *>(y), incy, static_cast<const R *>(c),                   \
	 static_cast<const R *>(s))
	switch (type) {
	case CUDA_R_32F:
		return cublasSrot_v2_64 HD_BLAS_ARGUMENTS(float, float);
	case CUDA_R_64F:
		return cublasDrot_v2_64 HD_BLAS_ARGUMENTS(double, double);
	case CUDA_C_32F:
		return cublasCsrot_v2_64 HD_BLAS_ARGUMENTS(cuComplex, float);
	case CUDA_C_64F:
		return cublasZdrot_v2_64 HD_BLAS_ARGUMENTS(cuDoubleComplex, double);
	default:
		HD_BLAS_CHECK(is_half(type), CUBLAS_STATUS_NOT_SUPPORTED);
	}
#undef HD_BLAS_ARGUMENTS
	if (n <= 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(c && s);
	return with_half(type, [&](auto element) {
		using E = decltype(element);
		rot_of_halves<E> functor = {{static_cast<E *>(x), n, incx}, {static_cast<E *>(y), n, incy},
					    E(0.0f),			    E(0.0f),
					    nullptr,			    nullptr};
		if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE) {
			functor.cosine_place = static_cast<const E *>(c);
			functor.sine_place = static_cast<const E *>(s);
		} else {
			functor.cosine = host_value<E>(c);
			functor.sine = host_value<E>(s);
		}
		return change(handle, n, functor);
	});
}

} // namespace hd_blas

#define HD_CUBLAS_TABLE <heddle_cublas_level1_typed.def>
#include "runtime/math/cublas/define.cuh"
