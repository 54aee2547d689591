// Parts of a GPU, for contexts that have these alone: the types are complete, and the functions say that there are none.
#include <cstdio>
#include <cuda.h>

static CUdevResource parts_of(CUdevice device, CUdevResourceType type, CUresult *result)
{
	CUdevResource resource{};
	*result = cuDeviceGetDevResource(device, &resource, type);
	return resource;
}

int main()
{
	static_assert(sizeof(CUdevResource) == 144, "");
	static_assert(CU_GREEN_CTX_DEFAULT_STREAM == 1, "");
	CUresult result;
	cuInit(0);
	CUdevResource parts = parts_of(0, CU_DEV_RESOURCE_TYPE_SM, &result);
	CUcontext context = NULL;
	CUgreenCtx green = NULL;
	CUresult of_stream = cuStreamGetCtx_v2(NULL, &context, &green);
	printf("%d %d %u SMs\n", result == CUDA_ERROR_NOT_SUPPORTED, of_stream == CUDA_ERROR_NOT_SUPPORTED, parts.sm.smCount);
}
