// Types of the driver's functions (cudaTypedefs.h), what an address belongs to, and descriptions of tensors.
#include <cstdio>
#include <cudaTypedefs.h>

static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 64, "the hardware's");
static_assert(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == 9 && CU_TENSOR_MAP_SWIZZLE_128B == 3, "CUDA's numbers");

static int failures;
#define EXPECT(condition) \
	((condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition)))

template <class Function>
static Function find(const char *name)
{
	void *found = nullptr;
	cudaDriverEntryPointQueryResult result;
	EXPECT(cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result) == cudaSuccess && found);
	return (Function)found;
}

__global__ void constant(const __grid_constant__ int x, int *out)
{
	*out = (int)__isGridConstant(&x);
}

int main()
{
	PFN_cuPointerGetAttribute_v4000 attribute = find<PFN_cuPointerGetAttribute>("cuPointerGetAttribute");
	char *x;
	cudaMalloc(&x, 3000);
	CUdeviceptr low = 0;
	size_t size = 0;
	int mapped = 0, access = 0, shared = 7;
	EXPECT(attribute(&low, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, (CUdeviceptr)(x + 2000)) == CUDA_SUCCESS);
	EXPECT(attribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)(x + 2000)) == CUDA_SUCCESS);
	EXPECT(low == (CUdeviceptr)x && size == 3000);
	EXPECT(attribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, (CUdeviceptr)x) == CUDA_SUCCESS && mapped == 1);
	EXPECT(attribute(&access, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, (CUdeviceptr)x) == CUDA_SUCCESS && access == 3);
	EXPECT(attribute(&shared, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, (CUdeviceptr)x) == CUDA_SUCCESS);
	EXPECT(shared == 0);
	cudaFree(x);
	EXPECT(attribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)x) == CUDA_ERROR_INVALID_VALUE);
	// A card of this capability has no copies of tensors.
	PFN_cuTensorMapEncodeTiled_v12000 encode = find<PFN_cuTensorMapEncodeTiled>("cuTensorMapEncodeTiled");
	CUtensorMap map;
	cuuint64_t dims[] = {64}, strides[] = {128};
	cuuint32_t box[] = {64}, steps[] = {1};
	EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 1, x, dims, strides, box, steps,
		      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
		      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_NOT_SUPPORTED);
	// The kernel was compiled for sm_75.
	cudaFuncAttributes attributes;
	int card = 0, minor = 0;
	EXPECT(cudaFuncGetAttributes(&attributes, constant) == cudaSuccess);
	cudaDeviceGetAttribute(&card, cudaDevAttrComputeCapabilityMajor, 0);
	cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
	EXPECT(attributes.ptxVersion == 75 && attributes.binaryVersion == (card > 7 ? card * 10 + minor : 75));
	int *out;
	cudaMallocManaged(&out, sizeof *out);
	constant<<<1, 1>>>(1, out);
	EXPECT(cudaDeviceSynchronize() == cudaSuccess && *out == 0);
	printf("typedefs: %s\n", failures ? "FAILED" : "PASSED");
}
