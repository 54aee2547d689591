/*
 * cuSPARSE's generic functions and conversions, of which Heddle has an implementation of its own (-lcusparse,
 * docs/math.md): CSR, CSC and COO with 32-bit or 64-bit indices, and float, double and complex values.
 */
#ifndef CUSPARSE_H_
#define CUSPARSE_H_

#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUSPARSE_VER_MAJOR 12
#define CUSPARSE_VER_MINOR 2
#define CUSPARSE_VER_PATCH 0
#define CUSPARSE_VERSION (CUSPARSE_VER_MAJOR * 1000 + CUSPARSE_VER_MINOR * 100 + CUSPARSE_VER_PATCH)
#define CUSPARSEAPI

typedef enum {
	CUSPARSE_STATUS_SUCCESS = 0,
	CUSPARSE_STATUS_NOT_INITIALIZED = 1,
	CUSPARSE_STATUS_ALLOC_FAILED = 2,
	CUSPARSE_STATUS_INVALID_VALUE = 3,
	CUSPARSE_STATUS_ARCH_MISMATCH = 4,
	CUSPARSE_STATUS_MAPPING_ERROR = 5,
	CUSPARSE_STATUS_EXECUTION_FAILED = 6,
	CUSPARSE_STATUS_INTERNAL_ERROR = 7,
	CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
	CUSPARSE_STATUS_ZERO_PIVOT = 9,
	CUSPARSE_STATUS_NOT_SUPPORTED = 10,
	CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;

typedef enum { CUSPARSE_POINTER_MODE_HOST = 0, CUSPARSE_POINTER_MODE_DEVICE = 1 } cusparsePointerMode_t;
typedef enum { CUSPARSE_ACTION_SYMBOLIC = 0, CUSPARSE_ACTION_NUMERIC = 1 } cusparseAction_t;
typedef enum {
	CUSPARSE_MATRIX_TYPE_GENERAL = 0,
	CUSPARSE_MATRIX_TYPE_SYMMETRIC = 1,
	CUSPARSE_MATRIX_TYPE_HERMITIAN = 2,
	CUSPARSE_MATRIX_TYPE_TRIANGULAR = 3
} cusparseMatrixType_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER = 0, CUSPARSE_FILL_MODE_UPPER = 1 } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT = 0, CUSPARSE_DIAG_TYPE_UNIT = 1 } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO = 0, CUSPARSE_INDEX_BASE_ONE = 1 } cusparseIndexBase_t;
typedef enum {
	CUSPARSE_OPERATION_NON_TRANSPOSE = 0,
	CUSPARSE_OPERATION_TRANSPOSE = 1,
	CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
} cusparseOperation_t;
typedef enum { CUSPARSE_DIRECTION_ROW = 0, CUSPARSE_DIRECTION_COLUMN = 1 } cusparseDirection_t;
typedef enum {
	CUSPARSE_FORMAT_CSR = 1,
	CUSPARSE_FORMAT_CSC = 2,
	CUSPARSE_FORMAT_COO = 3,
	CUSPARSE_FORMAT_BLOCKED_ELL = 5,
	CUSPARSE_FORMAT_BSR = 6,
	CUSPARSE_FORMAT_SLICED_ELLPACK = 7
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_INDEX_16U = 1, CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum {
	CUSPARSE_SPMV_ALG_DEFAULT = 0,
	CUSPARSE_SPMV_COO_ALG1 = 1,
	CUSPARSE_SPMV_CSR_ALG1 = 2,
	CUSPARSE_SPMV_CSR_ALG2 = 3,
	CUSPARSE_SPMV_COO_ALG2 = 4,
	CUSPARSE_SPMV_SELL_ALG1 = 5
} cusparseSpMVAlg_t;
#define CUSPARSE_MV_ALG_DEFAULT CUSPARSE_SPMV_ALG_DEFAULT
typedef enum {
	CUSPARSE_SPMM_ALG_DEFAULT = 0,
	CUSPARSE_SPMM_COO_ALG1 = 1,
	CUSPARSE_SPMM_COO_ALG2 = 2,
	CUSPARSE_SPMM_COO_ALG3 = 3,
	CUSPARSE_SPMM_CSR_ALG1 = 4,
	CUSPARSE_SPMM_COO_ALG4 = 5,
	CUSPARSE_SPMM_CSR_ALG2 = 6,
	CUSPARSE_SPMM_CSR_ALG3 = 12,
	CUSPARSE_SPMM_BLOCKED_ELL_ALG1 = 13
} cusparseSpMMAlg_t;
typedef enum { CUSPARSE_SDDMM_ALG_DEFAULT = 0 } cusparseSDDMMAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT = 0 } cusparseSparseToDenseAlg_t;
typedef enum { CUSPARSE_DENSETOSPARSE_ALG_DEFAULT = 0 } cusparseDenseToSparseAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT = 0 } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPSM_ALG_DEFAULT = 0 } cusparseSpSMAlg_t;
typedef enum {
	CUSPARSE_SPGEMM_DEFAULT = 0,
	CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
	CUSPARSE_SPGEMM_CSR_ALG_DETERMINISTIC = 1,
	CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
	CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINISTIC = 2,
	CUSPARSE_SPGEMM_ALG1 = 3,
	CUSPARSE_SPGEMM_ALG2 = 4,
	CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE = 0, CUSPARSE_SPMAT_DIAG_TYPE = 1 } cusparseSpMatAttribute_t;
typedef enum { CUSPARSE_CSR2CSC_ALG_DEFAULT = 1, CUSPARSE_CSR2CSC_ALG1 = 1 } cusparseCsr2CscAlg_t;

typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseMatDescr *cusparseMatDescr_t;
typedef struct cusparseSpVecDescr *cusparseSpVecDescr_t;
typedef struct cusparseSpVecDescr const *cusparseConstSpVecDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseDnVecDescr const *cusparseConstDnVecDescr_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseSpMatDescr const *cusparseConstSpMatDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef struct cusparseDnMatDescr const *cusparseConstDnMatDescr_t;
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;
typedef struct cusparseSpSMDescr *cusparseSpSMDescr_t;
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle);
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle);
cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version);
cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value);
const char *cusparseGetErrorName(cusparseStatus_t status);
const char *cusparseGetErrorString(cusparseStatus_t status);
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t streamId);
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *streamId);
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode);
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode);

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descrA);
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descrA, cusparseMatrixType_t type);
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descrA, cusparseFillMode_t fillMode);
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descrA, cusparseDiagType_t diagType);
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t descrA);
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descrA, cusparseIndexBase_t base);
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t descrA);

/* Vectors and matrices. A description keeps the pointers; the arrays are the program's. */
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz, void *indices,
				     void *values, cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
				     cudaDataType valueType);
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz,
					  const void *indices, const void *values, cusparseIndexType_t idxType,
					  cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr);
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t spVecDescr, cusparseIndexBase_t *idxBase);
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t spVecDescr, void **values);
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t spVecDescr, void *values);
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *dnVecDescr, int64_t size, void *values,
				     cudaDataType valueType);
cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *dnVecDescr, int64_t size, const void *values,
					  cudaDataType valueType);
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr);
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t dnVecDescr, int64_t *size, void **values,
				  cudaDataType *valueType);
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t dnVecDescr, void **values);
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t dnVecDescr, void *values);
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
				     void *values, cudaDataType valueType, cusparseOrder_t order);
cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
					  const void *values, cudaDataType valueType, cusparseOrder_t order);
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr);
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t dnMatDescr, void **values);
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t dnMatDescr, void *values);
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount, int64_t batchStride);
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int *batchCount,
					      int64_t *batchStride);
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
				   void *csrRowOffsets, void *csrColInd, void *csrValues,
				   cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
				   cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
					const void *csrRowOffsets, const void *csrColInd, const void *csrValues,
					cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
					cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
				   void *cscColOffsets, void *cscRowInd, void *cscValues,
				   cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
				   cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
				   void *cooRowInd, void *cooColInd, void *cooValues, cusparseIndexType_t cooIdxType,
				   cusparseIndexBase_t idxBase, cudaDataType valueType);
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr);
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr, cusparseFormat_t *format);
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t spMatDescr, cusparseIndexBase_t *idxBase);
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t spMatDescr, void **values);
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t spMatDescr, void *values);
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz);
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void *csrRowOffsets, void *csrColInd,
					void *csrValues);
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void *cscColOffsets, void *cscRowInd,
					void *cscValues);
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void *cooRows, void *cooColumns,
					void *cooValues);
/* Which triangle solvers take, and whether its diagonal is of ones. */
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t offsetsBatchStride,
					    int64_t columnsValuesBatchStride);
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t batchStride);
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t spMatDescr, int *batchCount);
#define HD_CUSPARSE_GETTERS(prefix, VOID)                                                                              \
	cusparseStatus_t cusparse##prefix##SpVecGet(                                                                   \
		cusparse##prefix##SpVecDescr_t spVecDescr, int64_t *size, int64_t *nnz, VOID **indices, VOID **values, \
		cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase, cudaDataType *valueType);                  \
	cusparseStatus_t cusparse##prefix##DnMatGet(cusparse##prefix##DnMatDescr_t dnMatDescr, int64_t *rows,          \
						    int64_t *cols, int64_t *ld, VOID **values, cudaDataType *type,     \
						    cusparseOrder_t *order);                                           \
	cusparseStatus_t cusparse##prefix##CsrGet(                                                                     \
		cusparse##prefix##SpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,                 \
		VOID **csrRowOffsets, VOID **csrColInd, VOID **csrValues, cusparseIndexType_t *csrRowOffsetsType,      \
		cusparseIndexType_t *csrColIndType, cusparseIndexBase_t *idxBase, cudaDataType *valueType);            \
	cusparseStatus_t cusparse##prefix##CscGet(                                                                     \
		cusparse##prefix##SpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,                 \
		VOID **cscColOffsets, VOID **cscRowInd, VOID **cscValues, cusparseIndexType_t *cscColOffsetsType,      \
		cusparseIndexType_t *cscRowIndType, cusparseIndexBase_t *idxBase, cudaDataType *valueType);            \
	cusparseStatus_t cusparse##prefix##CooGet(                                                                     \
		cusparse##prefix##SpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz,                 \
		VOID **cooRowInd, VOID **cooColInd, VOID **cooValues, cusparseIndexType_t *idxType,                    \
		cusparseIndexBase_t *idxBase, cudaDataType *valueType);
HD_CUSPARSE_GETTERS(, void)
HD_CUSPARSE_GETTERS(Const, const void)
#undef HD_CUSPARSE_GETTERS
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
					   void *data, size_t dataSize);
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
					   const void *data, size_t dataSize);

/* Sparse and dense vectors. */
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t vecX,
			       const void *beta, cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void *c_coeff, const void *s_coeff, cusparseSpVecDescr_t vecX,
			     cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vecY, cusparseSpVecDescr_t vecX);
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vecX, cusparseDnVecDescr_t vecY);
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opX,
					 cusparseConstSpVecDescr_t vecX, cusparseConstDnVecDescr_t vecY,
					 const void *result, cudaDataType computeType, size_t *bufferSize);
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t opX, cusparseConstSpVecDescr_t vecX,
			      cusparseConstDnVecDescr_t vecY, void *result, cudaDataType computeType,
			      void *externalBuffer);

/* Products with sparse matrices. */
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
					 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
					 const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
					 cusparseSpMVAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
					 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
					 const void *beta, cusparseDnVecDescr_t vecY, cudaDataType computeType,
					 cusparseSpMVAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
			      cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void *beta,
			      cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg,
			      void *externalBuffer);
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					 const void *alpha, cusparseConstSpMatDescr_t matA,
					 cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,
					 cudaDataType computeType, cusparseSpMMAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					 const void *alpha, cusparseConstSpMatDescr_t matA,
					 cusparseConstDnMatDescr_t matB, const void *beta, cusparseDnMatDescr_t matC,
					 cudaDataType computeType, cusparseSpMMAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
			      const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
			      const void *beta, cusparseDnMatDescr_t matC, cudaDataType computeType,
			      cusparseSpMMAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					  const void *alpha, cusparseConstDnMatDescr_t matA,
					  cusparseConstDnMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
					  cudaDataType computeType, cusparseSDDMMAlg_t alg, size_t *bufferSize);
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					  const void *alpha, cusparseConstDnMatDescr_t matA,
					  cusparseConstDnMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
					  cudaDataType computeType, cusparseSDDMMAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
			       const void *alpha, cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB,
			       const void *beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
			       cusparseSDDMMAlg_t alg, void *externalBuffer);

/* The product of two sparse matrices. After cusparseSpGEMM_compute, cusparseSpMatGetSize says how large C is. */
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *descr);
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t descr);
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					       const void *alpha, cusparseConstSpMatDescr_t matA,
					       cusparseConstSpMatDescr_t matB, const void *beta,
					       cusparseSpMatDescr_t matC, cudaDataType computeType,
					       cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr,
					       size_t *bufferSize1, void *externalBuffer1);
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					const void *alpha, cusparseConstSpMatDescr_t matA,
					cusparseConstSpMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
					cudaDataType computeType, cusparseSpGEMMAlg_t alg,
					cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize2, void *externalBuffer2);
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
				     const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
				     const void *beta, cusparseSpMatDescr_t matC, cudaDataType computeType,
				     cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr);

/*
 * The same for several products of one pattern. The first buffer is needed until cusparseSpGEMMreuse_nnz has returned, the
 * fourth and the fifth as long as cusparseSpGEMMreuse_compute is called; the second and the third are not used.
 */
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opA,
						    cusparseOperation_t opB, cusparseConstSpMatDescr_t matA,
						    cusparseConstSpMatDescr_t matB, cusparseSpMatDescr_t matC,
						    cusparseSpGEMMAlg_t alg, cusparseSpGEMMDescr_t spgemmDescr,
						    size_t *bufferSize1, void *externalBuffer1);
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					 cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
					 cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t alg,
					 cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize2, void *externalBuffer2,
					 size_t *bufferSize3, void *externalBuffer3, size_t *bufferSize4,
					 void *externalBuffer4);
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					  cusparseConstSpMatDescr_t matA, cusparseConstSpMatDescr_t matB,
					  cusparseSpMatDescr_t matC, cusparseSpGEMMAlg_t alg,
					  cusparseSpGEMMDescr_t spgemmDescr, size_t *bufferSize5, void *externalBuffer5);
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					     const void *alpha, cusparseConstSpMatDescr_t matA,
					     cusparseConstSpMatDescr_t matB, const void *beta, cusparseSpMatDescr_t matC,
					     cudaDataType computeType, cusparseSpGEMMAlg_t alg,
					     cusparseSpGEMMDescr_t spgemmDescr);

/* Triangular systems. The buffer of the analysis is the solver's, too. */
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *descr);
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descr);
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
					 cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
					 cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
					 cusparseSpSVDescr_t spsvDescr, size_t *bufferSize);
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
				       cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
				       cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
				       cusparseSpSVDescr_t spsvDescr, void *externalBuffer);
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,
				    cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX,
				    cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpSVAlg_t alg,
				    cusparseSpSVDescr_t spsvDescr);
cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *descr);
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descr);
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
					 const void *alpha, cusparseConstSpMatDescr_t matA,
					 cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
					 cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr,
					 size_t *bufferSize);
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
				       const void *alpha, cusparseConstSpMatDescr_t matA,
				       cusparseConstDnMatDescr_t matB, cusparseDnMatDescr_t matC,
				       cudaDataType computeType, cusparseSpSMAlg_t alg, cusparseSpSMDescr_t spsmDescr,
				       void *externalBuffer);
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB,
				    const void *alpha, cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB,
				    cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpSMAlg_t alg,
				    cusparseSpSMDescr_t spsmDescr);

/* Conversions. */
cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
						  cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg,
						  size_t *bufferSize);
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
				       cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t alg, void *externalBuffer);
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
						  cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
						  size_t *bufferSize);
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
						cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
						void *externalBuffer);
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
					       cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t alg,
					       void *externalBuffer);
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrSortedRowPtr, int nnz, int m, int *cooRowInd,
				  cusparseIndexBase_t idxBase);
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd, int nnz, int m, int *csrSortedRowPtr,
				  cusparseIndexBase_t idxBase);
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int *p);
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cooRowsA,
						const int *cooColsA, size_t *pBufferSizeInBytes);
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA, int *cooColsA,
				       int *_P, void *pBuffer);
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nnz, int *cooRowsA, int *cooColsA,
					  int *_P, void *pBuffer);
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *csrRowPtrA,
						const int *csrColIndA, size_t *pBufferSizeInBytes);
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
				  const int *csrRowPtrA, int *csrColIndA, int *_P, void *pBuffer);
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nnz, const int *cscColPtrA,
						const int *cscRowIndA, size_t *pBufferSizeInBytes);
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
				  const int *cscColPtrA, int *cscRowIndA, int *_P, void *pBuffer);
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
					       const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
					       int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
					       cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg,
					       size_t *bufferSize);
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal,
				    const int *csrRowPtr, const int *csrColInd, void *cscVal, int *cscColPtr,
				    int *cscRowInd, cudaDataType valType, cusparseAction_t copyValues,
				    cusparseIndexBase_t idxBase, cusparseCsr2CscAlg_t alg, void *buffer);

/* Numbers that are not zero in each row or column of a dense matrix, and in all of it */
#define HD_CUSPARSE_NNZ(letter, T)                                                                                     \
	cusparseStatus_t cusparse##letter##nnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,        \
					       const cusparseMatDescr_t descrA, const T *_A, int lda,                  \
					       int *nnzPerRowCol, int *nnzTotalDevHostPtr);
HD_CUSPARSE_NNZ(S, float)
HD_CUSPARSE_NNZ(D, double)
HD_CUSPARSE_NNZ(C, cuComplex)
HD_CUSPARSE_NNZ(Z, cuDoubleComplex)
#undef HD_CUSPARSE_NNZ

/* Incomplete factors without fill-in, in place */
typedef struct csrilu02Info *csrilu02Info_t;
typedef struct csric02Info *csric02Info_t;
typedef enum { CUSPARSE_SOLVE_POLICY_NO_LEVEL = 0, CUSPARSE_SOLVE_POLICY_USE_LEVEL = 1 } cusparseSolvePolicy_t;
cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info);
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info);
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int *position);
cusparseStatus_t cusparseScsrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost,
						double *tol, float *boost_val);
cusparseStatus_t cusparseDcsrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost,
						double *tol, double *boost_val);
cusparseStatus_t cusparseCcsrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost,
						double *tol, cuComplex *boost_val);
cusparseStatus_t cusparseZcsrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost,
						double *tol, cuDoubleComplex *boost_val);
cusparseStatus_t cusparseCreateCsric02Info(csric02Info_t *info);
cusparseStatus_t cusparseDestroyCsric02Info(csric02Info_t info);
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int *position);
#define HD_CUSPARSE_FACTORS(routine, letter, T)                                                                        \
	cusparseStatus_t cusparse##letter##routine##_bufferSize(                                                       \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrSortedValA,            \
		const int *csrSortedRowPtrA, const int *csrSortedColIndA, routine##Info_t info,                        \
		int *pBufferSizeInBytes);                                                                              \
	cusparseStatus_t cusparse##letter##routine##_analysis(                                                         \
		cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *csrSortedValA,      \
		const int *csrSortedRowPtrA, const int *csrSortedColIndA, routine##Info_t info,                        \
		cusparseSolvePolicy_t policy, void *pBuffer);                                                          \
	cusparseStatus_t cusparse##letter##routine(cusparseHandle_t handle, int m, int nnz,                            \
						   const cusparseMatDescr_t descrA, T *csrSortedValA_valM,             \
						   const int *csrSortedRowPtrA, const int *csrSortedColIndA,           \
						   routine##Info_t info, cusparseSolvePolicy_t policy, void *pBuffer);
HD_CUSPARSE_FACTORS(csrilu02, S, float)
HD_CUSPARSE_FACTORS(csrilu02, D, double)
HD_CUSPARSE_FACTORS(csrilu02, C, cuComplex)
HD_CUSPARSE_FACTORS(csrilu02, Z, cuDoubleComplex)
HD_CUSPARSE_FACTORS(csric02, S, float)
HD_CUSPARSE_FACTORS(csric02, D, double)
HD_CUSPARSE_FACTORS(csric02, C, cuComplex)
HD_CUSPARSE_FACTORS(csric02, Z, cuDoubleComplex)
#undef HD_CUSPARSE_FACTORS

#ifdef __cplusplus
}
#endif

#endif
