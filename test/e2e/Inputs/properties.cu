// What a program is told of the device: properties and attributes of the card that is modelled. Expects the compute
// capability, the greatest grid in x, the widest two-dimensional texture and the priorities as arguments.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                        \
    do {                                                                         \
        if (!(condition)) {                                                      \
            printf("properties: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

__global__ void nothing() {}

static int attribute(cudaDeviceAttr attr)
{
    int value = -77;
    OK(cudaDeviceGetAttribute(&value, attr, 0));
    return value;
}

int main(int argc, char **argv)
{
    cudaDeviceProp p;
    int least = 7, greatest = 7, device = 5, value;
    char bus[32];
    size_t limit;
    EXPECT(argc == 6);
    nothing<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    memset(&p, 0x55, sizeof p);
    OK(cudaGetDeviceProperties(&p, 0));
    /* the card's own */
    EXPECT(p.major * 10 + p.minor == atoi(argv[1]));
    EXPECT(p.maxGridSize[0] == atoi(argv[2]) && p.maxGridSize[1] == 65535 && p.maxThreadsDim[2] == 64);
    EXPECT(p.maxTexture2D[0] == atoi(argv[3]) && p.maxTexture2D[1] == 65536);
    EXPECT(p.streamPrioritiesSupported == (atoi(argv[4]) != 0));
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(least == 0 && greatest == atoi(argv[4]));
    EXPECT(p.accessPolicyMaxWindowSize == atoi(argv[5]) && (p.persistingL2CacheMaxSize > 0) == (atoi(argv[5]) > 0));
    /* what every card has, and programs go by */
    EXPECT(p.deviceOverlap == 1 && p.concurrentKernels == 1 && p.asyncEngineCount > 0 && p.canMapHostMemory == 1);
    EXPECT(p.managedMemory == 1 && p.unifiedAddressing == 1 && p.cooperativeLaunch == 1 && p.memoryPoolsSupported == 1);
    EXPECT(p.hostRegisterSupported == 1 && p.textureAlignment == 512 && p.texturePitchAlignment == 32);
    EXPECT(p.warpSize == 32 && p.totalConstMem == 65536 && p.regsPerBlock > 0 && p.l2CacheSize > 0);
    EXPECT(p.memoryBusWidth > 0 && p.memoryClockRate > 0 && p.clockRate > 0 && p.multiProcessorCount > 0);
    EXPECT(p.singleToDoublePrecisionPerfRatio >= 1 && p.maxTexture3D[2] > 0 && p.maxSurface2D[1] > 0);
    EXPECT(p.maxTexture1DLinear >= 134217728 && p.surfaceAlignment == 512);
    /* what is not there, and not left as it was */
    EXPECT(p.integrated == 0 && p.kernelExecTimeoutEnabled == 0 && p.computeMode == cudaComputeModeDefault);
    EXPECT(p.ECCEnabled == 0 && p.clusterLaunch == (p.major >= 9) && p.isMultiGpuBoard == 0 && p.ipcEventSupported == 0);
    /* attributes: the same, and one of each number that CUDA 12.3 has */
    EXPECT(attribute(cudaDevAttrGpuOverlap) == p.deviceOverlap && attribute(cudaDevAttrL2CacheSize) == p.l2CacheSize);
    EXPECT(attribute(cudaDevAttrMaxTexture2DWidth) == p.maxTexture2D[0]);
    EXPECT(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) == (int)p.sharedMemPerBlockOptin);
    EXPECT(attribute(cudaDevAttrMaxSurface2DLayeredLayers) == p.maxSurface2DLayered[2]);
    EXPECT(attribute(cudaDevAttrMaxGridDimX) == p.maxGridSize[0] && attribute(cudaDevAttrMaxBlockDimZ) == 64);
    for (int number = -1; number <= 134; number++)
        EXPECT(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)number, 0) ==
               (number < 1 ? cudaErrorInvalidValue : cudaSuccess));
    /* as an H100 80GB tells them (driver 580, CUDA 13.0) */
    EXPECT(p.major != 9 || (p.singleToDoublePrecisionPerfRatio == 2 && p.persistingL2CacheMaxSize == 32768000 &&
                            p.asyncEngineCount == 3 && attribute(cudaDevAttrMemSyncDomainCount) == 4));
    cudaGetLastError();
    EXPECT(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 1) == cudaErrorInvalidDevice);
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cudaDeviceGetByPCIBusId(&device, bus));
    EXPECT(device == 0);
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit == 8 << 20);
    OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    OK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit == 16 << 20);
    puts("properties: PASSED");
}
