/* cuSOLVER's dense routines (runtime/math/cusolver, libheddle-cusolver.so). */
#ifndef CUSOLVERDN_H_
#define CUSOLVERDN_H_

#include "cusolver_common.h"
#include "driver_types.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cusolverDnContext *cusolverDnHandle_t;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle);
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle);
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId);
cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId);

/* How Jacobi's rotations end, and how they ended. */
typedef struct syevjInfo *syevjInfo_t;
typedef struct gesvdjInfo *gesvdjInfo_t;
#define HD_CUSOLVER_INFO(Name, name)                                                                                   \
	cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t *info);                                             \
	cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info);                                             \
	cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double tolerance);                         \
	cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int max_sweeps);                           \
	cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int sort_eig);                               \
	cusolverStatus_t cusolverDnX##name##GetResidual(cusolverDnHandle_t handle, name##Info_t info,                  \
							double *residual);                                             \
	cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle, name##Info_t info,                    \
						      int *executed_sweeps);
HD_CUSOLVER_INFO(Syevj, syevj)
HD_CUSOLVER_INFO(Gesvdj, gesvdj)
#undef HD_CUSOLVER_INFO

/* With types as arguments, and sizes of 64 bits */
typedef struct cusolverDnParams *cusolverDnParams_t;
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params);
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params);
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function,
					 cusolverAlgMode_t algo);
cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo,
					     int64_t n, cudaDataType dataTypeA, const void *_A, int64_t lda,
					     cudaDataType computeType, size_t *workspaceInBytesOnDevice,
					     size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n,
				  cudaDataType dataTypeA, void *_A, int64_t lda, cudaDataType computeType,
				  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost,
				  size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasFillMode_t uplo, int64_t n,
				  int64_t nrhs, cudaDataType dataTypeA, const void *_A, int64_t lda,
				  cudaDataType dataTypeB, void *_B, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
					     cudaDataType dataTypeA, const void *_A, int64_t lda,
					     cudaDataType computeType, size_t *workspaceInBytesOnDevice,
					     size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
				  cudaDataType dataTypeA, void *_A, int64_t lda, int64_t *ipiv, cudaDataType computeType,
				  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost,
				  size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t params, cublasOperation_t trans,
				  int64_t n, int64_t nrhs, cudaDataType dataTypeA, const void *_A, int64_t lda,
				  const int64_t *ipiv, cudaDataType dataTypeB, void *_B, int64_t ldb, int *info);
cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
					     cudaDataType dataTypeA, const void *_A, int64_t lda,
					     cudaDataType dataTypeTau, const void *tau, cudaDataType computeType,
					     size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t params, int64_t m, int64_t n,
				  cudaDataType dataTypeA, void *_A, int64_t lda, cudaDataType dataTypeTau, void *tau,
				  cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice,
				  void *bufferOnHost, size_t workspaceInBytesOnHost, int *info);
cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params,
					     cusolverEigMode_t jobz, cublasFillMode_t uplo, int64_t n,
					     cudaDataType dataTypeA, const void *_A, int64_t lda, cudaDataType dataTypeW,
					     const void *_W, cudaDataType computeType, size_t *workspaceInBytesOnDevice,
					     size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t params, cusolverEigMode_t jobz,
				  cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *_A, int64_t lda,
				  cudaDataType dataTypeW, void *_W, cudaDataType computeType, void *bufferOnDevice,
				  size_t workspaceInBytesOnDevice, void *bufferOnHost, size_t workspaceInBytesOnHost,
				  int *info);
cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
					     signed char jobvt, int64_t m, int64_t n, cudaDataType dataTypeA,
					     const void *_A, int64_t lda, cudaDataType dataTypeS, const void *_S,
					     cudaDataType dataTypeU, const void *_U, int64_t ldu,
					     cudaDataType dataTypeVT, const void *_VT, int64_t ldvt,
					     cudaDataType computeType, size_t *workspaceInBytesOnDevice,
					     size_t *workspaceInBytesOnHost);
cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t params, signed char jobu,
				  signed char jobvt, int64_t m, int64_t n, cudaDataType dataTypeA, void *_A, int64_t lda,
				  cudaDataType dataTypeS, void *_S, cudaDataType dataTypeU, void *_U, int64_t ldu,
				  cudaDataType dataTypeVT, void *_VT, int64_t ldvt, cudaDataType computeType,
				  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *bufferOnHost,
				  size_t workspaceInBytesOnHost, int *info);

#define HD_CUSOLVER(name, routine, parameters, arguments) cusolverStatus_t cusolverDn##name parameters;
#include "heddle_cusolver.def"
#undef HD_CUSOLVER

#ifdef __cplusplus
}
#endif
#endif
