/*
 * cuBLAS, products whose types are arguments: cublasGemmEx and its like, and those of halves. Where all elements are of one
 * of level 3's types they are level 3's products, else those of gemm.cuh.
 */
#include "runtime/math/cublas/gemm.cuh"

namespace hd_blas {

static cublasComputeType_t default_compute(cublasHandle_t handle)
{
	return (handle && (handle->math_mode & 15) == CUBLAS_TF32_TENSOR_OP_MATH) ? CUBLAS_COMPUTE_32F_FAST_TF32
										  : CUBLAS_COMPUTE_32F;
}

/* The type of alpha and beta; false: there are no products of this arithmetic with these elements. */
static bool scale_type(cublasComputeType_t compute, cudaDataType c, cudaDataType *type)
{
	bool complex = c == CUDA_C_32F || c == CUDA_C_64F;
	switch (compute) {
	case CUBLAS_COMPUTE_16F:
	case CUBLAS_COMPUTE_16F_PEDANTIC:
		*type = CUDA_R_16F;
		return c == CUDA_R_16F;
	case CUBLAS_COMPUTE_32I:
	case CUBLAS_COMPUTE_32I_PEDANTIC:
		*type = CUDA_R_32I;
		return c == CUDA_R_32I;
	case CUBLAS_COMPUTE_64F:
	case CUBLAS_COMPUTE_64F_PEDANTIC:
		*type = complex ? CUDA_C_64F : CUDA_R_64F;
		return c == CUDA_R_64F || c == CUDA_C_64F;
	default:
		*type = complex ? CUDA_C_32F : CUDA_R_32F;
		return c != CUDA_R_64F && c != CUDA_C_64F && c != CUDA_R_32I;
	}
}

static typed_scalar scalar_at(cublasHandle_t handle, const void *place, cudaDataType type)
{
	typed_scalar scalar;
	scalar.type = type;
	if (handle->pointer_mode == CUBLAS_POINTER_MODE_DEVICE)
		scalar.place = place;
	else if (type == CUDA_R_16F)
		scalar.value = __half2float(*static_cast<const __half *>(place));
	else if (type == CUDA_R_32I)
		scalar.value = *static_cast<const int *>(place);
	else
		scalar.value = *static_cast<const float *>(place);
	return scalar;
}

static typed_matrix typed(const void *data, const void *const *array, cudaDataType type, int64_t ld, int64_t stride,
			  cublasOperation_t operation)
{
	typed_matrix matrix;
	matrix.data = const_cast<void *>(data);
	matrix.array = const_cast<void *const *>(array);
	matrix.batch = stride;
	matrix.rows = is_transposed(operation) ? ld : 1;
	matrix.columns = is_transposed(operation) ? 1 : ld;
	matrix.type = type;
	return matrix;
}

/* A product of elements T, given without their type. */
template <class T>
static cublasStatus_t run_product(cublasHandle_t handle, const gemm_problem &g, cublasOperation_t transa,
				  cublasOperation_t transb, const void *alpha, const void *beta)
{
	product<T> p;
	p.m = g.m;
	p.n = g.n;
	p.k = g.k;
	p.count = g.count;
	p.a = matrix(static_cast<const T *>(g.a.data), g.a.rows * g.a.columns, transa, g.a.batch);
	p.b = matrix(static_cast<const T *>(g.b.data), g.b.rows * g.b.columns, transb, g.b.batch);
	p.c = target(static_cast<T *>(g.c.data), g.c.columns, g.c.batch);
	p.a.array = reinterpret_cast<const T *const *>(g.a.array);
	p.b.array = reinterpret_cast<const T *const *>(g.b.array);
	p.c.array = reinterpret_cast<T *const *>(g.c.array);
	p.alpha = factor(handle, static_cast<const T *>(alpha));
	p.beta = factor(handle, static_cast<const T *>(beta));
	return multiply(handle, p);
}

struct shape_of {
	cublasOperation_t transa, transb;
	int64_t m, n, k, lda, ldb, ldc, count;
};

static bool is_valid(const shape_of &s)
{
	return is_operation(s.transa) && is_operation(s.transb) && s.m >= 0 && s.n >= 0 && s.k >= 0 && s.count >= 0 &&
	       is_leading(s.lda, is_transposed(s.transa) ? s.k : s.m) &&
	       is_leading(s.ldb, is_transposed(s.transb) ? s.n : s.k) && is_leading(s.ldc, s.m);
}

static cublasStatus_t run(cublasHandle_t handle, const shape_of &s, const void *alpha, const typed_matrix &a,
			  const typed_matrix &b, const void *beta, const typed_matrix &c, cublasComputeType_t compute)
{
	cudaDataType scale;
	HD_BLAS_CHECK(scale_type(compute, c.type, &scale), CUBLAS_STATUS_NOT_SUPPORTED);
	if (s.m == 0 || s.n == 0 || s.count == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	gemm_problem p;
	p.m = s.m;
	p.n = s.n;
	p.k = s.k;
	p.count = (unsigned)s.count;
	p.a = a;
	p.b = b;
	p.c = p.d = c;
	p.compute = compute == CUBLAS_COMPUTE_32F ? default_compute(handle) : compute;
	bool same = a.type == c.type && b.type == c.type;
	if (same && c.type == CUDA_R_64F)
		return run_product<double>(handle, p, s.transa, s.transb, alpha, beta);
	if (same && c.type == CUDA_C_32F)
		return run_product<float2>(handle, p, s.transa, s.transb, alpha, beta);
	if (same && c.type == CUDA_C_64F)
		return run_product<double2>(handle, p, s.transa, s.transb, alpha, beta);
	p.alpha = scalar_at(handle, alpha, scale);
	p.beta = scalar_at(handle, beta, scale);
	return gemm_run(handle, p);
}

static cublasStatus_t gemm_ex(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
			      int64_t n, int64_t k, const void *alpha, const void *A, cudaDataType a, int64_t lda,
			      int64_t stride_a, const void *B, cudaDataType b, int64_t ldb, int64_t stride_b,
			      const void *beta, void *C, cudaDataType c, int64_t ldc, int64_t stride_c, int64_t count,
			      cublasComputeType_t compute)
{
	HD_BLAS_HANDLE(handle);
	shape_of shape{transa, transb, m, n, k, lda, ldb, ldc, count};
	HD_BLAS_VALID(is_valid(shape));
	return run(handle, shape, alpha, typed(A, nullptr, a, lda, stride_a, transa),
		   typed(B, nullptr, b, ldb, stride_b, transb), beta, typed(C, nullptr, c, ldc, stride_c, CUBLAS_OP_N),
		   compute);
}

static cublasStatus_t gemm_ex_batched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
				      int64_t n, int64_t k, const void *alpha, const void *const A[], cudaDataType a,
				      int64_t lda, const void *const B[], cudaDataType b, int64_t ldb, const void *beta,
				      void *const C[], cudaDataType c, int64_t ldc, int64_t count,
				      cublasComputeType_t compute)
{
	HD_BLAS_HANDLE(handle);
	shape_of shape{transa, transb, m, n, k, lda, ldb, ldc, count};
	HD_BLAS_VALID(is_valid(shape));
	return run(handle, shape, alpha, typed(nullptr, A, a, lda, 0, transa), typed(nullptr, B, b, ldb, 0, transb), beta,
		   typed(nullptr, C, c, ldc, 0, CUBLAS_OP_N), compute);
}

static cublasStatus_t hgemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
			    int64_t k, const __half *alpha, const __half *A, int64_t lda, int64_t stride_a,
			    const __half *B, int64_t ldb, int64_t stride_b, const __half *beta, __half *C, int64_t ldc,
			    int64_t stride_c, int64_t count)
{
	return gemm_ex(handle, transa, transb, m, n, k, alpha, A, CUDA_R_16F, lda, stride_a, B, CUDA_R_16F, ldb, stride_b,
		       beta, C, CUDA_R_16F, ldc, stride_c, count, CUBLAS_COMPUTE_16F);
}

static cublasStatus_t hgemm_batched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m,
				    int64_t n, int64_t k, const __half *alpha, const __half *const A[], int64_t lda,
				    const __half *const B[], int64_t ldb, const __half *beta, __half *const C[],
				    int64_t ldc, int64_t count)
{
	return gemm_ex_batched(handle, transa, transb, m, n, k, alpha, reinterpret_cast<const void *const *>(A), CUDA_R_16F,
			       lda, reinterpret_cast<const void *const *>(B), CUDA_R_16F, ldb, beta,
			       reinterpret_cast<void *const *>(C), CUDA_R_16F, ldc, count, CUBLAS_COMPUTE_16F);
}

} // namespace hd_blas

#define HD_CUBLAS_TABLE <heddle_cublas_typed.def>
#include "runtime/math/cublas/define.cuh"
