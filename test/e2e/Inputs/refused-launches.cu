/* Launches that a card refuses, each with the code that the API reference names ("Execution Control",
 * cudaLaunchKernel and cudaFuncSetAttribute; "Error handling", cudaErrorLaunchOutOfResources and its neighbours), and
 * their neighbours that it takes. */
#include <cstdio>

static int wrong;
#define IS(call, code)                                                                             \
    do {                                                                                           \
        cudaError_t got_ = (call);                                                                 \
        cudaGetLastError();                                                                        \
        if (got_ != (code) && ++wrong)                                                             \
            printf("line %d: %s is %s, not %s\n", __LINE__, #call, cudaGetErrorName(got_), #code); \
    } while (0)
#define LAUNCHED(code, ...)             \
    do {                                \
        __VA_ARGS__;                    \
        IS(cudaGetLastError(), code);   \
        IS(cudaDeviceSynchronize(), cudaSuccess); \
    } while (0)

extern __shared__ int room[];

__global__ void last_word(int *out, int bytes)
{
    room[bytes / 4 - 1] = bytes;
    *out = room[bytes / 4 - 1];
}

__global__ void with_static(int *out)
{
    __shared__ int own[2048];
    own[threadIdx.x] = room[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = own[0] + room[0];
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
    *out = 1;
}

__global__ void many_registers(float *out)
{
    float kept[120];
#pragma unroll
    for (int i = 0; i < 120; i++)
        kept[i] = out[i * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 120; i++)
        sum = sum * kept[119 - i] + kept[i];
    out[threadIdx.x] = sum;
}

static void shared_memory(int *out, cudaStream_t stream)
{
    int most, value;
    cudaFuncAttributes attributes;
    IS(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
    IS(cudaFuncGetAttributes(&attributes, (const void *)with_static), cudaSuccess);
    if (attributes.maxDynamicSharedSizeBytes != 49152 - 8192 && ++wrong)
        printf("with static memory: %d bytes\n", attributes.maxDynamicSharedSizeBytes);
    LAUNCHED(cudaSuccess, last_word<<<1, 1, 49152>>>(out, 49152));
    LAUNCHED(cudaErrorInvalidValue, last_word<<<1, 1, 49156>>>(out, 49156));
    LAUNCHED(cudaErrorInvalidValue, last_word<<<1, 1, 49156, stream>>>(out, 49156));
    LAUNCHED(cudaErrorInvalidValue, last_word<<<1, 1, (size_t)1 << 32>>>(out, 16));
    LAUNCHED(cudaErrorInvalidValue, last_word<<<1, 1, ~(size_t)0, stream>>>(out, 16));
    LAUNCHED(cudaSuccess, with_static<<<1, 32, 49152 - 8192>>>(out));
    LAUNCHED(cudaErrorInvalidValue, with_static<<<1, 32, 49152 - 8192 + 4>>>(out));
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 1), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributeMaxDynamicSharedMemorySize, -1), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(with_static, cudaFuncAttributeMaxDynamicSharedMemorySize, most - 8191),
       cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributeMaxDynamicSharedMemorySize, most), cudaSuccess);
    LAUNCHED(cudaSuccess, last_word<<<1, 1, most>>>(out, most));
    LAUNCHED(cudaSuccess, last_word<<<1, 1, most, stream>>>(out, most));
    LAUNCHED(cudaErrorInvalidValue, last_word<<<1, 1, most + 4>>>(out, most + 4));
    IS(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDefault), cudaSuccess);
    wrong += value != most;
    /* What was said last counts, also when it is less. */
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024), cudaSuccess);
    LAUNCHED(cudaErrorInvalidValue, last_word<<<1, 1, 2048>>>(out, 2048));
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributePreferredSharedMemoryCarveout, 101), cudaErrorInvalidValue);
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributePreferredSharedMemoryCarveout, -1), cudaSuccess);
    IS(cudaFuncSetAttribute(last_word, cudaFuncAttributeMax, 0), cudaErrorInvalidValue);
}

static void shapes(int *out)
{
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<1, 0>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<0, 1>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<dim3(1, 65536), 1>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<dim3(1, 1, 65536), 1>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<0x80000000u, 1>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<1, dim3(1, 1, 65)>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, bounded<<<1, 65>>>(out));
    LAUNCHED(cudaErrorInvalidConfiguration, last_word<<<1, dim3(32, 33), 16>>>(out, 16));
    LAUNCHED(cudaSuccess, bounded<<<1, 64>>>(out));
}

static void registers(int *out)
{
    cudaFuncAttributes attributes;
    IS(cudaFuncGetAttributes(&attributes, (const void *)many_registers), cudaSuccess);
    if (attributes.numRegs <= 64 && ++wrong)
        printf("only %d registers\n", attributes.numRegs);
    LAUNCHED(cudaErrorLaunchOutOfResources, many_registers<<<1, 1024>>>((float *)out));
    LAUNCHED(cudaSuccess, many_registers<<<1, attributes.maxThreadsPerBlock>>>((float *)out));
}

static void cooperative_and_clusters(int *out)
{
    int sms, blocks, major;
    void *args[] = {&out};
    IS(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
    IS(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
    IS(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 64, 0), cudaSuccess);
    IS(cudaLaunchCooperativeKernel((const void *)bounded, sms * blocks, 64, args, 0, 0), cudaSuccess);
    IS(cudaLaunchCooperativeKernel((const void *)bounded, sms * blocks + 1, 64, args, 0, 0),
       cudaErrorCooperativeLaunchTooLarge);
    IS(cudaLaunchKernel((const void *)bounded, 1, 64, NULL, 0, 0), cudaErrorInvalidValue);
    IS(cudaLaunchKernel((const void *)&wrong, 1, 64, args, 0, 0), cudaErrorInvalidResourceHandle);
    IS(cudaLaunchKernel(NULL, 1, 64, args, 0, 0), cudaErrorInvalidDeviceFunction);
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 3;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 64;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaError_t shape = major >= 9 ? cudaErrorInvalidClusterSize : cudaErrorNotSupported;
    IS(cudaLaunchKernelExC(&config, (const void *)bounded, args), shape);
    config.gridDim = 32;
    attribute.val.clusterDim.x = 16;
    IS(cudaLaunchKernelExC(&config, (const void *)bounded, args), shape);
    attribute.val.clusterDim.x = 0;
    IS(cudaLaunchKernelExC(&config, (const void *)bounded, args), cudaErrorInvalidClusterSize);
    attribute.val.clusterDim.x = 1;
    IS(cudaLaunchKernelExC(&config, (const void *)bounded, args), cudaSuccess);
    config.attrs = NULL;
    IS(cudaLaunchKernelExC(&config, (const void *)bounded, args), cudaErrorInvalidValue);
    IS(cudaLaunchKernelExC(NULL, (const void *)bounded, args), cudaErrorInvalidValue);
}

int main()
{
    int *out;
    cudaStream_t stream;
    IS(cudaMalloc(&out, 65536), cudaSuccess);
    IS(cudaMemset(out, 0, 65536), cudaSuccess);
    IS(cudaStreamCreate(&stream), cudaSuccess);
    shared_memory(out, stream);
    shapes(out);
    registers(out);
    cooperative_and_clusters(out);
    IS(cudaStreamDestroy(stream), cudaSuccess);
    IS(cudaFree(out), cudaSuccess);
    printf("launches: %s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
