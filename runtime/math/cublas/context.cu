/* cuBLAS's handles: creation, stream, modes, versions, and the names of statuses. */
#include <new>

#include "runtime/math/cublas/blas.cuh"

/* Partial sums and copies of vectors, a part for each stream; NVIDIA's handles take 4 MiB, too. */
static const size_t scratch_bytes = 4 << 20;

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
	HD_BLAS_VALID(handle);
	*handle = new (std::nothrow) cublasContext;
	HD_BLAS_CHECK(*handle, CUBLAS_STATUS_ALLOC_FAILED);
	if ((*handle)->init(scratch_bytes) == cudaSuccess)
		return CUBLAS_STATUS_SUCCESS;
	cublasDestroy_v2(*handle);
	*handle = nullptr;
	return CUBLAS_STATUS_NOT_INITIALIZED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
	HD_BLAS_HANDLE(handle);
	delete handle;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(version);
	*version = CUBLAS_VERSION;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};
	HD_BLAS_VALID(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
	*value = parts[type];
	return CUBLAS_STATUS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
	return CUDART_VERSION;
}

/* Taken as given and not used: the handle's own memory is enough for its routines. */
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(workspace || !bytes);
	HD_BLAS_VALID(reinterpret_cast<uintptr_t>(workspace) % 256 == 0);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream)
{
	HD_BLAS_HANDLE(handle);
	handle->set_stream(stream);
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t *stream)
{
	HD_BLAS_HANDLE(handle);
	HD_BLAS_VALID(stream);
	*stream = handle->stream;
	return CUBLAS_STATUS_SUCCESS;
}

#define HD_BLAS_MODE(get, set, type, field, valid)                                                                     \
	cublasStatus_t get(cublasHandle_t handle, type *mode)                                                          \
	{                                                                                                              \
		HD_BLAS_HANDLE(handle);                                                                                \
		HD_BLAS_VALID(mode);                                                                                   \
		*mode = handle->field;                                                                                 \
		return CUBLAS_STATUS_SUCCESS;                                                                          \
	}                                                                                                              \
	cublasStatus_t set(cublasHandle_t handle, type mode)                                                           \
	{                                                                                                              \
		HD_BLAS_HANDLE(handle);                                                                                \
		HD_BLAS_VALID(valid);                                                                                  \
		handle->field = mode;                                                                                  \
		return CUBLAS_STATUS_SUCCESS;                                                                          \
	}
HD_BLAS_MODE(cublasGetPointerMode_v2, cublasSetPointerMode_v2, cublasPointerMode_t, pointer_mode,
	     mode == CUBLAS_POINTER_MODE_HOST || mode == CUBLAS_POINTER_MODE_DEVICE)
HD_BLAS_MODE(cublasGetAtomicsMode, cublasSetAtomicsMode, cublasAtomicsMode_t, atomics_mode,
	     mode == CUBLAS_ATOMICS_NOT_ALLOWED || mode == CUBLAS_ATOMICS_ALLOWED)
HD_BLAS_MODE(cublasGetMathMode, cublasSetMathMode, cublasMath_t, math_mode,
	     (mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) >= CUBLAS_DEFAULT_MATH &&
		     (mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) <= CUBLAS_TF32_TENSOR_OP_MATH)
HD_BLAS_MODE(cublasGetSmCountTarget, cublasSetSmCountTarget, int, sm_count_target,
	     mode >= 0 && mode <= handle->sm_count)

struct status_name {
	cublasStatus_t status;
	const char *name, *text;
};
static const struct status_name status_names[] = {
	{CUBLAS_STATUS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
	{CUBLAS_STATUS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
	{CUBLAS_STATUS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
	{CUBLAS_STATUS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE",
	 "an unsupported value or parameter was passed to the function"},
	{CUBLAS_STATUS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH",
	 "the function requires an architectural feature absent from the architecture of the device"},
	{CUBLAS_STATUS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
	{CUBLAS_STATUS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
	{CUBLAS_STATUS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
	{CUBLAS_STATUS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED",
	 "the functionality requested is not supported"},
	{CUBLAS_STATUS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR",
	 "the functionality requested requires some license"},
};

const char *cublasGetStatusName(cublasStatus_t status)
{
	for (const struct status_name &row : status_names)
		if (row.status == status)
			return row.name;
	return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
	for (const struct status_name &row : status_names)
		if (row.status == status)
			return row.text;
	return "unknown error";
}

cublasStatus_t cublasLoggerConfigure(int logIsOn, int logToStdOut, int logToStdErr, const char *logFileName)
{
	return CUBLAS_STATUS_SUCCESS;
}

static cublasLogCallback logger;

cublasStatus_t cublasSetLoggerCallback(cublasLogCallback userCallback)
{
	logger = userCallback;
	return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *userCallback)
{
	HD_BLAS_VALID(userCallback);
	*userCallback = logger;
	return CUBLAS_STATUS_SUCCESS;
}
}
