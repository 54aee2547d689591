/*
 * cuBLAS's types, and its functions under the names that its library has (runtime/math/cublas, libheddle-cublas.so). The
 * numbers are NVIDIA's. cublas_v2.h has the names that programs write.
 */
#ifndef CUBLAS_API_H_
#define CUBLAS_API_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cuComplex.h"
#include "cuda_runtime_api.h"
#include "driver_types.h"
#include "library_types.h"
#if defined(__CUDACC__)
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#elif defined(__cplusplus)
struct __half;
struct __nv_bfloat16;
#else
typedef struct __half __half;
typedef struct __nv_bfloat16 __nv_bfloat16;
#endif

#ifndef CUBLASWINAPI
#define CUBLASWINAPI
#endif
#ifndef CUBLASAPI
#define CUBLASAPI
#endif

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 3
#define CUBLAS_VER_PATCH 4
#define CUBLAS_VER_BUILD 1
#define CUBLAS_VERSION (CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	CUBLAS_STATUS_SUCCESS = 0,
	CUBLAS_STATUS_NOT_INITIALIZED = 1,
	CUBLAS_STATUS_ALLOC_FAILED = 3,
	CUBLAS_STATUS_INVALID_VALUE = 7,
	CUBLAS_STATUS_ARCH_MISMATCH = 8,
	CUBLAS_STATUS_MAPPING_ERROR = 11,
	CUBLAS_STATUS_EXECUTION_FAILED = 13,
	CUBLAS_STATUS_INTERNAL_ERROR = 14,
	CUBLAS_STATUS_NOT_SUPPORTED = 15,
	CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1, CUBLAS_FILL_MODE_FULL = 2 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum {
	CUBLAS_OP_N = 0,
	CUBLAS_OP_T = 1,
	CUBLAS_OP_C = 2,
	CUBLAS_OP_HERMITAN = 2,
	CUBLAS_OP_CONJG = 3
} cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;

/* Which kernel runs is chosen by types and shapes, whatever a program names. */
typedef enum {
	CUBLAS_GEMM_DFALT = -1,
	CUBLAS_GEMM_DEFAULT = -1,
	CUBLAS_GEMM_ALGO0 = 0,
	CUBLAS_GEMM_ALGO1 = 1,
	CUBLAS_GEMM_ALGO2 = 2,
	CUBLAS_GEMM_ALGO3 = 3,
	CUBLAS_GEMM_ALGO4 = 4,
	CUBLAS_GEMM_ALGO5 = 5,
	CUBLAS_GEMM_ALGO6 = 6,
	CUBLAS_GEMM_ALGO7 = 7,
	CUBLAS_GEMM_ALGO8 = 8,
	CUBLAS_GEMM_ALGO9 = 9,
	CUBLAS_GEMM_ALGO10 = 10,
	CUBLAS_GEMM_ALGO11 = 11,
	CUBLAS_GEMM_ALGO12 = 12,
	CUBLAS_GEMM_ALGO13 = 13,
	CUBLAS_GEMM_ALGO14 = 14,
	CUBLAS_GEMM_ALGO15 = 15,
	CUBLAS_GEMM_ALGO16 = 16,
	CUBLAS_GEMM_ALGO17 = 17,
	CUBLAS_GEMM_ALGO18 = 18,
	CUBLAS_GEMM_ALGO19 = 19,
	CUBLAS_GEMM_ALGO20 = 20,
	CUBLAS_GEMM_ALGO21 = 21,
	CUBLAS_GEMM_ALGO22 = 22,
	CUBLAS_GEMM_ALGO23 = 23,
	CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
	CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
	CUBLAS_GEMM_ALGO0_TENSOR_OP = 100,
	CUBLAS_GEMM_ALGO1_TENSOR_OP = 101,
	CUBLAS_GEMM_ALGO2_TENSOR_OP = 102,
	CUBLAS_GEMM_ALGO3_TENSOR_OP = 103,
	CUBLAS_GEMM_ALGO4_TENSOR_OP = 104,
	CUBLAS_GEMM_ALGO5_TENSOR_OP = 105,
	CUBLAS_GEMM_ALGO6_TENSOR_OP = 106,
	CUBLAS_GEMM_ALGO7_TENSOR_OP = 107,
	CUBLAS_GEMM_ALGO8_TENSOR_OP = 108,
	CUBLAS_GEMM_ALGO9_TENSOR_OP = 109,
	CUBLAS_GEMM_ALGO10_TENSOR_OP = 110,
	CUBLAS_GEMM_ALGO11_TENSOR_OP = 111,
	CUBLAS_GEMM_ALGO12_TENSOR_OP = 112,
	CUBLAS_GEMM_ALGO13_TENSOR_OP = 113,
	CUBLAS_GEMM_ALGO14_TENSOR_OP = 114,
	CUBLAS_GEMM_ALGO15_TENSOR_OP = 115
} cublasGemmAlgo_t;

typedef enum {
	CUBLAS_DEFAULT_MATH = 0,
	CUBLAS_TENSOR_OP_MATH = 1,
	CUBLAS_PEDANTIC_MATH = 2,
	CUBLAS_TF32_TENSOR_OP_MATH = 3,
	CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;

typedef enum {
	CUBLAS_COMPUTE_16F = 64,
	CUBLAS_COMPUTE_16F_PEDANTIC = 65,
	CUBLAS_COMPUTE_32F = 68,
	CUBLAS_COMPUTE_32F_PEDANTIC = 69,
	CUBLAS_COMPUTE_32F_FAST_16F = 74,
	CUBLAS_COMPUTE_32F_FAST_16BF = 75,
	CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
	CUBLAS_COMPUTE_64F = 70,
	CUBLAS_COMPUTE_64F_PEDANTIC = 71,
	CUBLAS_COMPUTE_32I = 72,
	CUBLAS_COMPUTE_32I_PEDANTIC = 73
} cublasComputeType_t;

typedef cudaDataType cublasDataType_t;
typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *msg);

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t workspaceSizeInBytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
/* How many SMs kernels are to be chosen for; 0: all. */
cublasStatus_t cublasGetSmCountTarget(cublasHandle_t handle, int *smCountTarget);
cublasStatus_t cublasSetSmCountTarget(cublasHandle_t handle, int smCountTarget);
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
/* Nothing is logged. */
cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback);

/* Copies between host and device, of vectors with increments and matrices with leading dimensions. */
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *devicePtr, int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *_A, int lda, void *_B, int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *_A, int lda, void *_B, int ldb);
cublasStatus_t cublasSetVectorAsync(int n, int elemSize, const void *hostPtr, int incx, void *devicePtr, int incy,
				    cudaStream_t stream);
cublasStatus_t cublasGetVectorAsync(int n, int elemSize, const void *devicePtr, int incx, void *hostPtr, int incy,
				    cudaStream_t stream);
cublasStatus_t cublasSetMatrixAsync(int rows, int cols, int elemSize, const void *_A, int lda, void *_B, int ldb,
				    cudaStream_t stream);
cublasStatus_t cublasGetMatrixAsync(int rows, int cols, int elemSize, const void *_A, int lda, void *_B, int ldb,
				    cudaStream_t stream);
cublasStatus_t cublasSetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *devicePtr,
				  int64_t incy);
cublasStatus_t cublasGetVector_64(int64_t n, int64_t elemSize, const void *x, int64_t incx, void *y, int64_t incy);
cublasStatus_t cublasSetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *_A, int64_t lda, void *_B,
				  int64_t ldb);
cublasStatus_t cublasGetMatrix_64(int64_t rows, int64_t cols, int64_t elemSize, const void *_A, int64_t lda, void *_B,
				  int64_t ldb);

#define HD_CUBLAS(name, suffix, routine, parameters, arguments) cublasStatus_t cublas##name##suffix parameters;
#define HD_INT int
#include "heddle_cublas_level1.def"
#include "heddle_cublas_level2.def"
#include "heddle_cublas_level3.def"
#include "heddle_cublas_typed.def"
#include "heddle_cublas_level1_typed.def"
#undef HD_INT
#undef HD_CUBLAS

#define HD_CUBLAS(name, suffix, routine, parameters, arguments) cublasStatus_t cublas##name##suffix##_64 parameters;
#define HD_INT int64_t
#include "heddle_cublas_level1.def"
#include "heddle_cublas_level2.def"
#include "heddle_cublas_level3.def"
#include "heddle_cublas_typed.def"
#include "heddle_cublas_level1_typed.def"
#undef HD_INT
#undef HD_CUBLAS

/* Factorisations of matrices in batches, which have int sizes alone. */
#define HD_CUBLAS_BATCHED(L, T)                                                                                        \
	cublasStatus_t cublas##L##getrfBatched(cublasHandle_t handle, int n, T *const _A[], int lda, int *_P, int *info, \
					       int batchSize);                                                         \
	cublasStatus_t cublas##L##getrsBatched(cublasHandle_t handle, cublasOperation_t trans, int n, int nrhs,        \
					       const T *const _Aarray[], int lda, const int *devIpiv,                  \
					       T *const _Barray[], int ldb, int *info, int batchSize);                 \
	cublasStatus_t cublas##L##getriBatched(cublasHandle_t handle, int n, const T *const _A[], int lda,             \
					       const int *_P, T *const _C[], int ldc, int *info, int batchSize);       \
	cublasStatus_t cublas##L##matinvBatched(cublasHandle_t handle, int n, const T *const _A[], int lda,            \
						T *const _Ainv[], int lda_inv, int *info, int batchSize);              \
	cublasStatus_t cublas##L##geqrfBatched(cublasHandle_t handle, int m, int n, T *const _Aarray[], int lda,       \
					       T *const _TauArray[], int *info, int batchSize);                        \
	cublasStatus_t cublas##L##gelsBatched(cublasHandle_t handle, cublasOperation_t trans, int m, int n, int nrhs,  \
					      T *const _Aarray[], int lda, T *const _Carray[], int ldc, int *info,     \
					      int *devInfoArray, int batchSize);
HD_CUBLAS_BATCHED(S, float)
HD_CUBLAS_BATCHED(D, double)
HD_CUBLAS_BATCHED(C, cuComplex)
HD_CUBLAS_BATCHED(Z, cuDoubleComplex)
#undef HD_CUBLAS_BATCHED

#ifdef __cplusplus
}

/* With the arithmetic named by a type, as before CUDA 11. */
static inline cublasComputeType_t __hd_cublas_compute(cudaDataType type)
{
	switch (type) {
	case CUDA_R_16F:
		return CUBLAS_COMPUTE_16F;
	case CUDA_R_64F:
	case CUDA_C_64F:
		return CUBLAS_COMPUTE_64F;
	case CUDA_R_32I:
		return CUBLAS_COMPUTE_32I;
	default:
		return CUBLAS_COMPUTE_32F;
	}
}
static inline cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m,
					  int n, int k, const void *alpha, const void *_A, cudaDataType _Atype, int lda,
					  const void *_B, cudaDataType _Btype, int ldb, const void *beta, void *_C,
					  cudaDataType _Ctype, int ldc, cudaDataType computeType, cublasGemmAlgo_t algo)
{
	return cublasGemmEx(handle, transa, transb, m, n, k, alpha, _A, _Atype, lda, _B, _Btype, ldb, beta, _C, _Ctype,
			    ldc, __hd_cublas_compute(computeType), algo);
}
static inline cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
						 int m, int n, int k, const void *alpha, const void *const _Aarray[],
						 cudaDataType _Atype, int lda, const void *const _Barray[],
						 cudaDataType _Btype, int ldb, const void *beta, void *const _Carray[],
						 cudaDataType _Ctype, int ldc, int batchCount, cudaDataType computeType,
						 cublasGemmAlgo_t algo)
{
	return cublasGemmBatchedEx(handle, transa, transb, m, n, k, alpha, _Aarray, _Atype, lda, _Barray, _Btype, ldb,
				   beta, _Carray, _Ctype, ldc, batchCount, __hd_cublas_compute(computeType), algo);
}
static inline cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
							cublasOperation_t transb, int m, int n, int k,
							const void *alpha, const void *_A, cudaDataType _Atype, int lda,
							long long int strideA, const void *_B, cudaDataType _Btype,
							int ldb, long long int strideB, const void *beta, void *_C,
							cudaDataType _Ctype, int ldc, long long int strideC,
							int batchCount, cudaDataType computeType, cublasGemmAlgo_t algo)
{
	return cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, _A, _Atype, lda, strideA, _B, _Btype,
					  ldb, strideB, beta, _C, _Ctype, ldc, strideC, batchCount,
					  __hd_cublas_compute(computeType), algo);
}
#endif
#endif
