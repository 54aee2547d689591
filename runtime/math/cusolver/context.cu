/* cuSOLVER's handles and versions. */
#include <new>

#include "runtime/math/cusolver/solver.cuh"

extern "C" {

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t *handle)
{
	HD_SOLVER_VALID(handle);
	*handle = new (std::nothrow) cusolverDnContext;
	HD_SOLVER_CHECK(*handle, CUSOLVER_STATUS_ALLOC_FAILED);
	if (cublasCreate(&(*handle)->blas) == CUBLAS_STATUS_SUCCESS)
		return CUSOLVER_STATUS_SUCCESS;
	delete *handle;
	*handle = nullptr;
	return CUSOLVER_STATUS_NOT_INITIALIZED;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle)
{
	HD_SOLVER_HANDLE(handle);
	cublasDestroy(handle->blas);
	delete handle;
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t streamId)
{
	HD_SOLVER_HANDLE(handle);
	handle->stream = streamId;
	cublasSetStream(handle->blas, streamId);
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnGetStream(cusolverDnHandle_t handle, cudaStream_t *streamId)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(streamId);
	*streamId = handle->stream;
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetVersion(int *version)
{
	HD_SOLVER_VALID(version);
	*version = CUSOLVER_VERSION;
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CUSOLVER_VER_MAJOR, CUSOLVER_VER_MINOR, CUSOLVER_VER_PATCH};
	HD_SOLVER_VALID(value && type >= MAJOR_VERSION && type <= PATCH_LEVEL);
	*value = parts[type];
	return CUSOLVER_STATUS_SUCCESS;
}
}
