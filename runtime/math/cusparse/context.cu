/* cuSPARSE's handles and descriptions. */
#include <new>

#include "runtime/math/cusparse/sparse.cuh"

using namespace hd_sparse;

struct cusparseMatDescr {
	cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
	cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
	cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
	cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

static bool is_type(cudaDataType type)
{
	return type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F || type == CUDA_C_64F;
}

template <class D> static cusparseStatus_t create(D const **to, const D &value)
{
	HD_SPARSE_VALID(to);
	HD_SPARSE_HAS(is_type(value.type));
	*to = new (std::nothrow) D(value);
	return *to ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

template <class D> static cusparseStatus_t create(D **to, const D &value)
{
	return create(const_cast<D const **>(to), value);
}

template <class D> static cusparseStatus_t destroy(D *descriptor)
{
	HD_SPARSE_VALID(descriptor);
	delete descriptor;
	return CUSPARSE_STATUS_SUCCESS;
}

/* Arrays may be missing where there is nothing in them. */
static bool is_sparse_matrix(int64_t rows, int64_t columns, int64_t count, cusparseIndexType_t outer,
			     cusparseIndexType_t inner)
{
	return rows >= 0 && columns >= 0 && count >= 0 && is_index(outer) && is_index(inner);
}

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
	HD_SPARSE_VALID(handle);
	*handle = new (std::nothrow) cusparseContext;
	HD_SPARSE_CHECK(*handle, CUSPARSE_STATUS_ALLOC_FAILED);
	if (context_init(*handle) == cudaSuccess)
		return CUSPARSE_STATUS_SUCCESS;
	delete *handle;
	*handle = nullptr;
	return CUSPARSE_STATUS_NOT_INITIALIZED;
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
	HD_SPARSE_HANDLE(handle);
	delete handle;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(version);
	*version = CUSPARSE_VERSION;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH};
	HD_SPARSE_VALID(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
	*value = parts[type];
	return CUSPARSE_STATUS_SUCCESS;
}

static const struct {
	const char *name, *text;
} statuses[] = {
	{"CUSPARSE_STATUS_SUCCESS", "success"},
	{"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
	{"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
	{"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
	{"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
	{"CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"},
	{"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
	{"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
	{"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
	{"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
	{"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
	{"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};

static bool is_status(cusparseStatus_t status)
{
	return status >= 0 && (size_t)status < sizeof statuses / sizeof *statuses;
}

const char *cusparseGetErrorName(cusparseStatus_t status)
{
	return is_status(status) ? statuses[status].name : "unrecognized error code";
}

const char *cusparseGetErrorString(cusparseStatus_t status)
{
	return is_status(status) ? statuses[status].text : "unrecognized error code";
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t streamId)
{
	HD_SPARSE_HANDLE(handle);
	handle->stream = streamId;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *streamId)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(streamId);
	*streamId = handle->stream;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(mode == CUSPARSE_POINTER_MODE_HOST || mode == CUSPARSE_POINTER_MODE_DEVICE);
	handle->pointer_mode = mode;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
	HD_SPARSE_HANDLE(handle);
	HD_SPARSE_VALID(mode);
	*mode = handle->pointer_mode;
	return CUSPARSE_STATUS_SUCCESS;
}

/* ------------------------------------------------------------ descriptions of legacy functions */

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *descrA)
{
	HD_SPARSE_VALID(descrA);
	*descrA = new (std::nothrow) cusparseMatDescr;
	return *descrA ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descrA)
{
	return destroy(descrA);
}

#define HD_SPARSE_PROPERTY(name, type_t, field, last)                                                                  \
	cusparseStatus_t cusparseSet##name(cusparseMatDescr_t descrA, type_t value)                                    \
	{                                                                                                              \
		HD_SPARSE_VALID(descrA && value >= 0 && value <= last);                                                \
		descrA->field = value;                                                                                 \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	type_t cusparseGet##name(const cusparseMatDescr_t descrA)                                                      \
	{                                                                                                              \
		return descrA->field;                                                                                  \
	}
HD_SPARSE_PROPERTY(MatType, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
HD_SPARSE_PROPERTY(MatFillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
HD_SPARSE_PROPERTY(MatDiagType, cusparseDiagType_t, diagonal, CUSPARSE_DIAG_TYPE_UNIT)
HD_SPARSE_PROPERTY(MatIndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)

/* ------------------------------------------------------------ vectors and dense matrices */

cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz,
					  const void *indices, const void *values, cusparseIndexType_t idxType,
					  cusparseIndexBase_t idxBase, cudaDataType valueType)
{
	HD_SPARSE_VALID(size >= 0 && nnz >= 0 && nnz <= size && is_index(idxType));
	return create(spVecDescr, cusparseSpVecDescr{size, nnz, const_cast<void *>(indices), const_cast<void *>(values),
						     idxType, idxBase, valueType});
}

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *spVecDescr, int64_t size, int64_t nnz, void *indices,
				     void *values, cusparseIndexType_t idxType, cusparseIndexBase_t idxBase,
				     cudaDataType valueType)
{
	return cusparseCreateConstSpVec(const_cast<cusparseConstSpVecDescr_t *>(spVecDescr), size, nnz, indices, values,
					idxType, idxBase, valueType);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t spVecDescr)
{
	return destroy(spVecDescr);
}

cusparseStatus_t cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *dnVecDescr, int64_t size, const void *values,
					  cudaDataType valueType)
{
	HD_SPARSE_VALID(size >= 0);
	return create(dnVecDescr, cusparseDnVecDescr{size, const_cast<void *>(values), valueType});
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *dnVecDescr, int64_t size, void *values,
				     cudaDataType valueType)
{
	return cusparseCreateConstDnVec(const_cast<cusparseConstDnVecDescr_t *>(dnVecDescr), size, values, valueType);
}

cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t dnVecDescr)
{
	return destroy(dnVecDescr);
}

cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t dnVecDescr, int64_t *size, void **values,
				  cudaDataType *valueType)
{
	HD_SPARSE_VALID(dnVecDescr && size && values && valueType);
	*size = dnVecDescr->size;
	*values = dnVecDescr->values;
	*valueType = dnVecDescr->type;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
					  const void *values, cudaDataType valueType, cusparseOrder_t order)
{
	HD_SPARSE_VALID(rows >= 0 && cols >= 0 && (order == CUSPARSE_ORDER_ROW || order == CUSPARSE_ORDER_COL));
	HD_SPARSE_VALID(ld >= (order == CUSPARSE_ORDER_ROW ? cols : rows));
	return create(dnMatDescr, cusparseDnMatDescr{rows, cols, ld, const_cast<void *>(values), valueType, order});
}

cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *dnMatDescr, int64_t rows, int64_t cols, int64_t ld,
				     void *values, cudaDataType valueType, cusparseOrder_t order)
{
	return cusparseCreateConstDnMat(const_cast<cusparseConstDnMatDescr_t *>(dnMatDescr), rows, cols, ld, values,
					valueType, order);
}

cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t dnMatDescr)
{
	return destroy(dnMatDescr);
}

cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t dnMatDescr, int batchCount, int64_t batchStride)
{
	HD_SPARSE_VALID(dnMatDescr && batchCount > 0 && batchStride >= 0);
	dnMatDescr->batches = batchCount;
	dnMatDescr->stride = batchStride;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t dnMatDescr, int *batchCount,
					      int64_t *batchStride)
{
	HD_SPARSE_VALID(dnMatDescr && batchCount && batchStride);
	*batchCount = dnMatDescr->batches;
	*batchStride = dnMatDescr->stride;
	return CUSPARSE_STATUS_SUCCESS;
}

#define HD_SPARSE_VALUES(name, descriptor_t)                                                                           \
	cusparseStatus_t cusparse##name##GetValues(descriptor_t descriptor, void **values)                             \
	{                                                                                                              \
		HD_SPARSE_VALID(descriptor && values);                                                                 \
		*values = descriptor->values;                                                                          \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	cusparseStatus_t cusparse##name##SetValues(descriptor_t descriptor, void *values)                              \
	{                                                                                                              \
		HD_SPARSE_VALID(descriptor);                                                                           \
		descriptor->values = values;                                                                           \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}
HD_SPARSE_VALUES(SpVec, cusparseSpVecDescr_t)
HD_SPARSE_VALUES(DnVec, cusparseDnVecDescr_t)
HD_SPARSE_VALUES(DnMat, cusparseDnMatDescr_t)
HD_SPARSE_VALUES(SpMat, cusparseSpMatDescr_t)

/* ------------------------------------------------------------ sparse matrices */

cusparseStatus_t cusparseCreateConstCsr(cusparseConstSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
					const void *csrRowOffsets, const void *csrColInd, const void *csrValues,
					cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
					cusparseIndexBase_t idxBase, cudaDataType valueType)
{
	HD_SPARSE_VALID(is_sparse_matrix(rows, cols, nnz, csrRowOffsetsType, csrColIndType));
	return create(spMatDescr,
		      cusparseSpMatDescr{CUSPARSE_FORMAT_CSR, rows, cols, nnz, const_cast<void *>(csrRowOffsets),
					 const_cast<void *>(csrColInd), const_cast<void *>(csrValues), csrRowOffsetsType,
					 csrColIndType, idxBase, valueType});
}

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
				   void *csrRowOffsets, void *csrColInd, void *csrValues,
				   cusparseIndexType_t csrRowOffsetsType, cusparseIndexType_t csrColIndType,
				   cusparseIndexBase_t idxBase, cudaDataType valueType)
{
	return cusparseCreateConstCsr(const_cast<cusparseConstSpMatDescr_t *>(spMatDescr), rows, cols, nnz,
				      csrRowOffsets, csrColInd, csrValues, csrRowOffsetsType, csrColIndType, idxBase,
				      valueType);
}

cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
				   void *cscColOffsets, void *cscRowInd, void *cscValues,
				   cusparseIndexType_t cscColOffsetsType, cusparseIndexType_t cscRowIndType,
				   cusparseIndexBase_t idxBase, cudaDataType valueType)
{
	HD_SPARSE_VALID(is_sparse_matrix(rows, cols, nnz, cscColOffsetsType, cscRowIndType));
	return create(spMatDescr, cusparseSpMatDescr{CUSPARSE_FORMAT_CSC, rows, cols, nnz, cscColOffsets, cscRowInd,
						     cscValues, cscColOffsetsType, cscRowIndType, idxBase, valueType});
}

cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *spMatDescr, int64_t rows, int64_t cols, int64_t nnz,
				   void *cooRowInd, void *cooColInd, void *cooValues, cusparseIndexType_t cooIdxType,
				   cusparseIndexBase_t idxBase, cudaDataType valueType)
{
	HD_SPARSE_VALID(is_sparse_matrix(rows, cols, nnz, cooIdxType, cooIdxType));
	return create(spMatDescr, cusparseSpMatDescr{CUSPARSE_FORMAT_COO, rows, cols, nnz, cooRowInd, cooColInd,
						     cooValues, cooIdxType, cooIdxType, idxBase, valueType});
}

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr)
{
	return destroy(spMatDescr);
}

cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t spMatDescr, cusparseFormat_t *format)
{
	HD_SPARSE_VALID(spMatDescr && format);
	*format = spMatDescr->format;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t spMatDescr, cusparseIndexBase_t *idxBase)
{
	HD_SPARSE_VALID(spMatDescr && idxBase);
	*idxBase = spMatDescr->base;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t spMatDescr, int64_t *rows, int64_t *cols, int64_t *nnz)
{
	HD_SPARSE_VALID(spMatDescr && rows && cols && nnz);
	*rows = spMatDescr->rows;
	*cols = spMatDescr->columns;
	*nnz = spMatDescr->count;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
					   void *data, size_t dataSize)
{
	HD_SPARSE_VALID(spMatDescr && data);
	bool fill = attribute == CUSPARSE_SPMAT_FILL_MODE;
	HD_SPARSE_VALID((fill || attribute == CUSPARSE_SPMAT_DIAG_TYPE) &&
			dataSize == (fill ? sizeof spMatDescr->fill : sizeof spMatDescr->diagonal));
	if (fill)
		memcpy(data, &spMatDescr->fill, dataSize);
	else
		memcpy(data, &spMatDescr->diagonal, dataSize);
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t spMatDescr, cusparseSpMatAttribute_t attribute,
					   const void *data, size_t dataSize)
{
	HD_SPARSE_VALID(spMatDescr && data);
	bool fill = attribute == CUSPARSE_SPMAT_FILL_MODE;
	HD_SPARSE_VALID((fill || attribute == CUSPARSE_SPMAT_DIAG_TYPE) &&
			dataSize == (fill ? sizeof spMatDescr->fill : sizeof spMatDescr->diagonal));
	int value; /* either enumeration's, which may be none of its enumerators */
	static_assert(sizeof value == sizeof spMatDescr->fill && sizeof value == sizeof spMatDescr->diagonal);
	memcpy(&value, data, sizeof value);
	if (fill) {
		HD_SPARSE_VALID(value == CUSPARSE_FILL_MODE_LOWER || value == CUSPARSE_FILL_MODE_UPPER);
		spMatDescr->fill = (cusparseFillMode_t)value;
	} else {
		HD_SPARSE_VALID(value == CUSPARSE_DIAG_TYPE_NON_UNIT || value == CUSPARSE_DIAG_TYPE_UNIT);
		spMatDescr->diagonal = (cusparseDiagType_t)value;
	}
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t matrix, cusparseFormat_t format, void *outer, void *inner,
				     void *values)
{
	HD_SPARSE_VALID(matrix && matrix->format == format);
	matrix->outer = outer;
	matrix->inner = inner;
	matrix->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t spMatDescr, void *csrRowOffsets, void *csrColInd,
					void *csrValues)
{
	return set_pointers(spMatDescr, CUSPARSE_FORMAT_CSR, csrRowOffsets, csrColInd, csrValues);
}

cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t spMatDescr, void *cscColOffsets, void *cscRowInd,
					void *cscValues)
{
	return set_pointers(spMatDescr, CUSPARSE_FORMAT_CSC, cscColOffsets, cscRowInd, cscValues);
}

cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t spMatDescr, void *cooRows, void *cooColumns,
					void *cooValues)
{
	return set_pointers(spMatDescr, CUSPARSE_FORMAT_COO, cooRows, cooColumns, cooValues);
}

static cusparseStatus_t set_batch(cusparseSpMatDescr_t matrix, cusparseFormat_t format, int count, int64_t outer_stride,
				  int64_t stride)
{
	HD_SPARSE_VALID(matrix && matrix->format == format && count > 0 && outer_stride >= 0 && stride >= 0);
	matrix->batches = count;
	matrix->outer_stride = outer_stride;
	matrix->stride = stride;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t offsetsBatchStride,
					    int64_t columnsValuesBatchStride)
{
	return set_batch(spMatDescr, CUSPARSE_FORMAT_CSR, batchCount, offsetsBatchStride, columnsValuesBatchStride);
}

cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t spMatDescr, int batchCount, int64_t batchStride)
{
	return set_batch(spMatDescr, CUSPARSE_FORMAT_COO, batchCount, batchStride, batchStride);
}

cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t spMatDescr, int *batchCount)
{
	HD_SPARSE_VALID(spMatDescr && batchCount);
	*batchCount = spMatDescr->batches;
	return CUSPARSE_STATUS_SUCCESS;
}

/* ------------------------------------------------------------ what a description has */

#define HD_SPARSE_GETTERS(prefix, VOID)                                                                                \
	cusparseStatus_t cusparse##prefix##SpVecGet(cusparse##prefix##SpVecDescr_t vector, int64_t *size, int64_t *nnz, \
						    VOID **indices, VOID **values, cusparseIndexType_t *idxType,       \
						    cusparseIndexBase_t *idxBase, cudaDataType *valueType)             \
	{                                                                                                              \
		HD_SPARSE_VALID(vector && size && nnz && indices && values && idxType && idxBase && valueType);        \
		*size = vector->size;                                                                                  \
		*nnz = vector->count;                                                                                  \
		*indices = vector->indices;                                                                            \
		*values = vector->values;                                                                              \
		*idxType = vector->index_type;                                                                         \
		*idxBase = vector->base;                                                                               \
		*valueType = vector->type;                                                                             \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	cusparseStatus_t cusparse##prefix##DnMatGet(cusparse##prefix##DnMatDescr_t matrix, int64_t *rows,              \
						    int64_t *cols, int64_t *ld, VOID **values, cudaDataType *type,     \
						    cusparseOrder_t *order)                                            \
	{                                                                                                              \
		HD_SPARSE_VALID(matrix && rows && cols && ld && values && type && order);                              \
		*rows = matrix->rows;                                                                                  \
		*cols = matrix->columns;                                                                               \
		*ld = matrix->ld;                                                                                      \
		*values = matrix->values;                                                                              \
		*type = matrix->type;                                                                                  \
		*order = matrix->order;                                                                                \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	static cusparseStatus_t get_matrix(cusparse##prefix##SpMatDescr_t matrix, cusparseFormat_t format,             \
					   int64_t *rows, int64_t *cols, int64_t *nnz, VOID **outer, VOID **inner,     \
					   VOID **values, cusparseIndexType_t *outer_type,                             \
					   cusparseIndexType_t *inner_type, cusparseIndexBase_t *base,                 \
					   cudaDataType *type)                                                         \
	{                                                                                                              \
		HD_SPARSE_VALID(matrix && matrix->format == format && rows && cols && nnz && outer && inner);          \
		HD_SPARSE_VALID(values && outer_type && inner_type && base && type);                                   \
		*rows = matrix->rows;                                                                                  \
		*cols = matrix->columns;                                                                               \
		*nnz = matrix->count;                                                                                  \
		*outer = matrix->outer;                                                                                \
		*inner = matrix->inner;                                                                                \
		*values = matrix->values;                                                                              \
		*outer_type = matrix->outer_type;                                                                      \
		*inner_type = matrix->inner_type;                                                                      \
		*base = matrix->base;                                                                                  \
		*type = matrix->type;                                                                                  \
		return CUSPARSE_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	cusparseStatus_t cusparse##prefix##CsrGet(cusparse##prefix##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, \
						  int64_t *nnz, VOID **csrRowOffsets, VOID **csrColInd,                \
						  VOID **csrValues, cusparseIndexType_t *csrRowOffsetsType,            \
						  cusparseIndexType_t *csrColIndType, cusparseIndexBase_t *idxBase,    \
						  cudaDataType *valueType)                                             \
	{                                                                                                              \
		return get_matrix(matrix, CUSPARSE_FORMAT_CSR, rows, cols, nnz, csrRowOffsets, csrColInd, csrValues,   \
				  csrRowOffsetsType, csrColIndType, idxBase, valueType);                               \
	}                                                                                                              \
	cusparseStatus_t cusparse##prefix##CscGet(cusparse##prefix##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, \
						  int64_t *nnz, VOID **cscColOffsets, VOID **cscRowInd,                \
						  VOID **cscValues, cusparseIndexType_t *cscColOffsetsType,            \
						  cusparseIndexType_t *cscRowIndType, cusparseIndexBase_t *idxBase,    \
						  cudaDataType *valueType)                                             \
	{                                                                                                              \
		return get_matrix(matrix, CUSPARSE_FORMAT_CSC, rows, cols, nnz, cscColOffsets, cscRowInd, cscValues,   \
				  cscColOffsetsType, cscRowIndType, idxBase, valueType);                               \
	}                                                                                                              \
	cusparseStatus_t cusparse##prefix##CooGet(cusparse##prefix##SpMatDescr_t matrix, int64_t *rows, int64_t *cols, \
						  int64_t *nnz, VOID **cooRowInd, VOID **cooColInd, VOID **cooValues,  \
						  cusparseIndexType_t *idxType, cusparseIndexBase_t *idxBase,          \
						  cudaDataType *valueType)                                             \
	{                                                                                                              \
		return get_matrix(matrix, CUSPARSE_FORMAT_COO, rows, cols, nnz, cooRowInd, cooColInd, cooValues,       \
				  idxType, idxType, idxBase, valueType);                                               \
	}
HD_SPARSE_GETTERS(, void)
HD_SPARSE_GETTERS(Const, const void)

cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t spVecDescr, cusparseIndexBase_t *idxBase)
{
	HD_SPARSE_VALID(spVecDescr && idxBase);
	*idxBase = spVecDescr->base;
	return CUSPARSE_STATUS_SUCCESS;
}

} // extern "C"
