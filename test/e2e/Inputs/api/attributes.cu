/* Every attribute of the device that CUDA has a number for, and the properties beside them. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>

int main()
{
    static cudaDeviceProp p;
    cudaFree(0);
    for (int i = -1; i < 160; i++) {
        int value = -77, driver = -77;
        cudaError_t error = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0);
        CUresult result = cuDeviceGetAttribute(&driver, (CUdevice_attribute)i, 0);
        printf("attribute %d: %d %d %d %d\n", i, (int)error, value, (int)result, driver);
    }
    for (int i = 0; i < 12; i++) {
        size_t value = 77;
        cudaError_t error = cudaDeviceGetLimit(&value, (cudaLimit)i);
        printf("limit %d: %d %zu\n", i, (int)error, value);
    }
    int least = 77, greatest = 77;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    printf("priorities %d %d\n", least, greatest);
    printf("properties: %d\n", (int)cudaGetDeviceProperties(&p, 0));
    printf("name %s\nmemory %zu\nsharedMemPerBlock %zu\nconst %zu\npitch %zu\nL2 %d\npersisting %d\nwindow %d\nmulti %d\n"
           "sharedMemPerMultiprocessor %zu\nreserved %zu\noptin %zu\nblocks %d\nregs %d %d\n",
           p.name, p.totalGlobalMem, p.sharedMemPerBlock, p.totalConstMem, p.memPitch, p.l2CacheSize,
           p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize, p.multiProcessorCount, p.sharedMemPerMultiprocessor,
           p.reservedSharedMemPerBlock, p.sharedMemPerBlockOptin, p.maxBlocksPerMultiProcessor, p.regsPerBlock,
           p.regsPerMultiprocessor);
    return 0;
}
