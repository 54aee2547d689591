/* cuBLAS, level 3: checks arguments as BLAS does, and makes products of each routine (product.cuh). */
#include "runtime/math/cublas/each.cuh"
#include "runtime/math/cublas/gemm.cuh"

namespace hd_blas {

static bool is_side(cublasSideMode_t side)
{
	return side == CUBLAS_SIDE_LEFT || side == CUBLAS_SIDE_RIGHT;
}

/* Whether a matrix that is rows x columns with its operation may be stored with this leading dimension. */
static bool holds(int64_t ld, cublasOperation_t operation, int64_t rows, int64_t columns)
{
	return is_leading(ld, is_transposed(operation) ? columns : rows);
}

/* Single precision may be multiplied as tf32 where the program says so. */
template <class T> static cublasStatus_t multiply_as_allowed(cublasHandle_t handle, const product<T> &p)
{
	return multiply(handle, p);
}

static typed_matrix typed(const operand<float> &from)
{
	typed_matrix matrix;
	matrix.data = const_cast<float *>(from.data);
	matrix.array = reinterpret_cast<void *const *>(const_cast<float *const *>(from.array));
	matrix.batch = from.batch;
	matrix.rows = from.rows;
	matrix.columns = from.columns;
	return matrix;
}

template <> cublasStatus_t multiply_as_allowed(cublasHandle_t handle, const product<float> &p)
{
	if (handle->capability < 80 || (handle->math_mode & 15) != CUBLAS_TF32_TENSOR_OP_MATH)
		return multiply(handle, p);
	gemm_problem g;
	g.m = p.m;
	g.n = p.n;
	g.k = p.k;
	g.count = p.count;
	g.a = typed(p.a);
	g.b = typed(p.b);
	g.c = g.d = typed(as_operand(p.c));
	g.alpha = typed_scalar{p.alpha.value, p.alpha.place, CUDA_R_32F};
	g.beta = typed_scalar{p.beta.value, p.beta.place, CUDA_R_32F};
	g.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
	return gemm_run(handle, g);
}

template <class T>
static product<T> product_of(cublasHandle_t handle, int64_t m, int64_t n, int64_t k, const T *alpha, const operand<T> &a,
			     const operand<T> &b, const T *beta, const result<T> &c)
{
	product<T> p;
	p.m = m;
	p.n = n;
	p.k = k;
	p.alpha = factor(handle, alpha);
	p.beta = factor(handle, beta);
	p.a = a;
	p.b = b;
	p.c = c;
	return p;
}

static bool is_gemm(cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n, int64_t k, int64_t lda,
		    int64_t ldb, int64_t ldc)
{
	return is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 && k >= 0 && holds(lda, transa, m, k) &&
	       holds(ldb, transb, k, n) && is_leading(ldc, m);
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
		    int64_t k, const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, const T *beta, T *C,
		    int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_gemm(transa, transb, m, n, k, lda, ldb, ldc));
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	return multiply_as_allowed(handle, product_of(handle, m, n, k, alpha, matrix(A, lda, transa), matrix(B, ldb, transb),
						      beta, target(C, ldc)));
}

template <class T>
cublasStatus_t gemm_batched(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
			    int64_t k, const T *alpha, const T *const A[], int64_t lda, const T *const B[], int64_t ldb,
			    const T *beta, T *const C[], int64_t ldc, int64_t count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_gemm(transa, transb, m, n, k, lda, ldb, ldc) && count >= 0);
	if (m == 0 || n == 0 || count == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	product<T> p = product_of(handle, m, n, k, alpha, matrices(A, lda, transa), matrices(B, ldb, transb), beta,
				  targets(C, ldc));
	p.count = (unsigned)count;
	return multiply_as_allowed(handle, p);
}

template <class T>
cublasStatus_t gemm_strided(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
			    int64_t k, const T *alpha, const T *A, int64_t lda, int64_t stride_a, const T *B, int64_t ldb,
			    int64_t stride_b, const T *beta, T *C, int64_t ldc, int64_t stride_c, int64_t count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_gemm(transa, transb, m, n, k, lda, ldb, ldc) && count >= 0);
	if (m == 0 || n == 0 || count == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	product<T> p = product_of(handle, m, n, k, alpha, matrix(A, lda, transa, stride_a),
				  matrix(B, ldb, transb, stride_b), beta, target(C, ldc, stride_c));
	p.count = (unsigned)count;
	return multiply_as_allowed(handle, p);
}

template <bool CONJUGATE, class T>
cublasStatus_t symm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n, const T *alpha,
		    const T *A, int64_t lda, const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	bool left = side == CUBLAS_SIDE_LEFT;
	HD_BLAS_VALID(is_side(side) && is_fill(uplo) && m >= 0 && n >= 0 && is_leading(lda, left ? m : n) &&
		      is_leading(ldb, m) && is_leading(ldc, m));
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	operand<T> a = matrix(A, lda, CUBLAS_OP_N), b = matrix(B, ldb, CUBLAS_OP_N);
	a.kind = CONJUGATE ? HERMITIAN : SYMMETRIC;
	a.upper = uplo == CUBLAS_FILL_MODE_UPPER;
	return multiply(handle, product_of(handle, m, n, left ? m : n, alpha, left ? a : b, left ? b : a, beta,
					   target(C, ldc)));
}

/* op(A) op(B)^T or op(A) op(B)^H, of which a triangle is written. */
template <class T>
static product<T> rank_k(cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k, const T *A, int64_t lda,
			 const T *B, int64_t ldb, T *C, int64_t ldc, bool hermitian)
{
	product<T> p;
	p.m = p.n = n;
	p.k = k;
	p.a = matrix(A, lda, trans);
	p.b = transposed(matrix(B, ldb, trans));
	/* Symmetric routines take a conjugate transpose for a transpose (of real elements it is one). */
	p.a.conjugate = hermitian && trans == CUBLAS_OP_C;
	p.b.conjugate = hermitian && trans == CUBLAS_OP_N;
	p.c = target(C, ldc);
	p.written = uplo == CUBLAS_FILL_MODE_UPPER ? UPPER_PART : LOWER_PART;
	p.real_diagonal = hermitian;
	return p;
}

static bool is_rank_k(cublasFillMode_t uplo, cublasOperation_t trans, bool hermitian, int64_t n, int64_t k, int64_t lda,
		      int64_t ldb, int64_t ldc)
{
	return is_fill(uplo) && (hermitian ? trans == CUBLAS_OP_N || trans == CUBLAS_OP_C : is_operation(trans)) &&
	       n >= 0 && k >= 0 && holds(lda, trans, n, k) && holds(ldb, trans, n, k) && is_leading(ldc, n);
}

template <class T>
cublasStatus_t syrkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
		     const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_rank_k(uplo, trans, false, n, k, lda, ldb, ldc));
	HD_BLAS_VALID(n == 0 || (alpha && beta));
	product<T> p = rank_k(uplo, trans, n, k, A, lda, B, ldb, C, ldc, false);
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	p.alpha = factor(handle, alpha);
	p.beta = factor(handle, beta);
	return multiply(handle, p);
}

template <class T>
cublasStatus_t syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
		    const T *alpha, const T *A, int64_t lda, const T *beta, T *C, int64_t ldc)
{
	return syrkx(handle, uplo, trans, n, k, alpha, A, lda, A, lda, beta, C, ldc);
}

template <class T>
cublasStatus_t syr2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
		     const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, const T *beta, T *C, int64_t ldc)
{
	cublasStatus_t status = syrkx(handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
	if (status != CUBLAS_STATUS_SUCCESS || n == 0)
		return status;
	product<T> p = rank_k(uplo, trans, n, k, B, ldb, A, lda, C, ldc, false);
	p.alpha = factor(handle, alpha);
	p.beta = value_of(make<T>(1));
	return multiply(handle, p);
}

template <class T>
static cublasStatus_t hermitian_rank_k(cublasHandle_t handle, product<T> p, const scalar<T> &alpha, const scalar<T> &beta)
{
	p.alpha = alpha;
	p.beta = beta;
	return multiply(handle, p);
}

template <class T>
cublasStatus_t herk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
		    const real_of<T> *alpha, const T *A, int64_t lda, const real_of<T> *beta, T *C, int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_rank_k(uplo, trans, true, n, k, lda, lda, ldc));
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	return hermitian_rank_k(handle, rank_k(uplo, trans, n, k, A, lda, A, lda, C, ldc, true),
				real_factor<T>(handle, alpha), real_factor<T>(handle, beta));
}

template <class T>
cublasStatus_t herkx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
		     const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, const real_of<T> *beta, T *C,
		     int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_rank_k(uplo, trans, true, n, k, lda, ldb, ldc));
	if (n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	return hermitian_rank_k(handle, rank_k(uplo, trans, n, k, A, lda, B, ldb, C, ldc, true), factor(handle, alpha),
				real_factor<T>(handle, beta));
}

template <class T>
cublasStatus_t her2k(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int64_t n, int64_t k,
		     const T *alpha, const T *A, int64_t lda, const T *B, int64_t ldb, const real_of<T> *beta, T *C,
		     int64_t ldc)
{
	cublasStatus_t status = herkx(handle, uplo, trans, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
	if (status != CUBLAS_STATUS_SUCCESS || n == 0)
		return status;
	return hermitian_rank_k(handle, rank_k(uplo, trans, n, k, B, ldb, A, lda, C, ldc, true),
				conjugate_of(factor(handle, alpha)), value_of(make<T>(1)));
}

/* The triangle of A with its operation. */
template <class T>
static operand<T> triangle(operand<T> a, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag)
{
	a.kind = diag == CUBLAS_DIAG_UNIT ? UNIT_TRIANGULAR : TRIANGULAR;
	a.upper = (uplo == CUBLAS_FILL_MODE_UPPER) != is_transposed(trans);
	return a;
}

static bool is_triangular(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag,
			  int64_t m, int64_t n, int64_t lda, int64_t ldb)
{
	return is_side(side) && is_fill(uplo) && is_operation(trans) && is_diag(diag) && m >= 0 && n >= 0 &&
	       is_leading(lda, side == CUBLAS_SIDE_LEFT ? m : n) && is_leading(ldb, m);
}

template <class T>
cublasStatus_t trmm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
		    cublasDiagType_t diag, int64_t m, int64_t n, const T *alpha, const T *A, int64_t lda, const T *B,
		    int64_t ldb, T *C, int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_triangular(side, uplo, trans, diag, m, n, lda, ldb) && is_leading(ldc, m));
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	bool left = side == CUBLAS_SIDE_LEFT, in_place = B == C;
	/* In place, the factor is a copy. */
	scratch memory(handle, in_place ? m * n * sizeof(T) : 0);
	HD_BLAS_CHECK(memory.data, CUBLAS_STATUS_ALLOC_FAILED);
	operand<T> a = triangle(matrix(A, lda, trans), uplo, trans, diag), b = matrix(B, ldb, CUBLAS_OP_N);
	if (in_place) {
		HD_BLAS_VALID(ldb == ldc);
		result<T> copied = target(memory.as<T>(), m);
		each_element(handle, m, n, 1, copy_element<T>{b, copied});
		b = as_operand(copied);
	}
	product<T> p;
	p.m = m;
	p.n = n;
	p.k = left ? m : n;
	p.a = left ? a : b;
	p.b = left ? b : a;
	p.c = target(C, ldc);
	p.alpha = factor(handle, alpha);
	p.beta = value_of(T{});
	return multiply(handle, p);
}

template <class T>
static cublasStatus_t solve(cublasHandle_t handle, cublasSideMode_t side, const operand<T> &a, const result<T> &b, int64_t m,
			    int64_t n, const T *alpha, int64_t count)
{
	if (m == 0 || n == 0 || count == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha);
	bool left = side == CUBLAS_SIDE_LEFT;
	/* Without a look at A, which may be unset then. */
	if (known_zero(factor(handle, alpha)))
		return each_element(handle, m, n, (unsigned)count, clear_element<T>{b});
	return solve_triangle(handle, left ? a : transposed(a), left ? b : transposed(b), left ? m : n, left ? n : m,
			      factor(handle, alpha), (unsigned)count);
}

template <class T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
		    cublasDiagType_t diag, int64_t m, int64_t n, const T *alpha, const T *A, int64_t lda, T *B, int64_t ldb)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_triangular(side, uplo, trans, diag, m, n, lda, ldb));
	return solve(handle, side, triangle(matrix(A, lda, trans), uplo, trans, diag), target(B, ldb), m, n, alpha, 1);
}

template <class T>
cublasStatus_t trsm_batched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
			    cublasDiagType_t diag, int64_t m, int64_t n, const T *alpha, const T *const A[], int64_t lda,
			    T *const B[], int64_t ldb, int64_t count)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_triangular(side, uplo, trans, diag, m, n, lda, ldb) && count >= 0);
	return solve(handle, side, triangle(matrices(A, lda, trans), uplo, trans, diag), targets(B, ldb), m, n, alpha,
		     count);
}

template <class T> struct geam_of {
	operand<T> a, b;
	result<T> c;
	scalar<T> alpha, beta;
	__device__ void operator()(int64_t i, int64_t j, unsigned number) const
	{
		T by_a = alpha.get(), by_b = beta.get(), sum{};
		if (!is_zero(by_a))
			sum = by_a * conj_if(a.conjugate, a.of(number)[i * a.rows + j * a.columns]);
		if (!is_zero(by_b))
			sum = multiply_add(by_b, conj_if(b.conjugate, b.of(number)[i * b.rows + j * b.columns]), sum);
		c.of(number)[i * c.rows + j * c.columns] = sum;
	}
};

template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int64_t m, int64_t n,
		    const T *alpha, const T *A, int64_t lda, const T *beta, const T *B, int64_t ldb, T *C, int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(is_operation(transa) && is_operation(transb) && m >= 0 && n >= 0 && holds(lda, transa, m, n) &&
		      holds(ldb, transb, m, n) && is_leading(ldc, m));
	/* In place, an operand has the result's form. */
	HD_BLAS_VALID(C != A || (lda == ldc && !is_transposed(transa)));
	HD_BLAS_VALID(C != B || (ldb == ldc && !is_transposed(transb)));
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	HD_BLAS_VALID(alpha && beta);
	return each_element(handle, m, n, 1,
			    geam_of<T>{matrix(A, lda, transa), matrix(B, ldb, transb), target(C, ldc),
				       factor(handle, alpha), factor(handle, beta)});
}

template <class T> struct dgmm_of {
	const T *a, *x;
	T *c;
	int64_t lda, incx, ldc;
	bool left;
	__device__ void operator()(int64_t i, int64_t j, unsigned) const
	{
		c[i + j * ldc] = a[i + j * lda] * x[(left ? i : j) * incx];
	}
};

template <class T>
cublasStatus_t dgmm(cublasHandle_t handle, cublasSideMode_t mode, int64_t m, int64_t n, const T *A, int64_t lda, const T *x,
		    int64_t incx, T *C, int64_t ldc)
{
	HD_BLAS_HANDLE(handle);
	bool left = mode == CUBLAS_SIDE_LEFT;
	HD_BLAS_VALID(is_side(mode) && m >= 0 && n >= 0 && is_leading(lda, m) && is_leading(ldc, m));
	if (m == 0 || n == 0)
		return CUBLAS_STATUS_SUCCESS;
	return each_element(handle, m, n, 1, dgmm_of<T>{A, first_element(x, left ? m : n, incx), C, lda, incx, ldc, left});
}

} // namespace hd_blas

#define HD_CUBLAS_TABLE <heddle_cublas_level3.def>
#include "runtime/math/cublas/define.cuh"
