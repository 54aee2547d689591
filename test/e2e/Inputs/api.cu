// Symbols, streams, events, pitched and managed memory, attributes, nested launches in arguments, device printf.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("api: FAILED at line %d: %s\n", __LINE__, #condition);     \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

__constant__ float scale[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ float table[64];
struct Pair {
    char a;
    double b;
    short c;
};

__global__ void fill(Pair pair, short s, float *out, long long big, unsigned char byte)
{
    extern __shared__ float staged[];
    staged[threadIdx.x] = scale[threadIdx.x & 3] * (float)pair.b + pair.a + pair.c + s + byte;
    __syncthreads();
    out[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x] + (float)(big >> 32);
    table[threadIdx.x] = out[threadIdx.x];
    if (threadIdx.x == 0)
        atomicAdd(&counter, 37);
}
__global__ void rows(char *p, size_t pitch, int width) { p[blockIdx.x * pitch + threadIdx.x % width] = 'a' + blockIdx.x; }
__global__ void doubled(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2;
}
/* 150 values that live until all are there: a block of 1024 threads has not so many registers. */
__global__ void many_registers(float *p)
{
    float values[150];
#pragma unroll
    for (int i = 0; i < 150; i++)
        values[i] = p[i * 32 + threadIdx.x % 32];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 150; i++)
        p[(i * 7 % 150) * 32 + threadIdx.x % 32] = values[i];
}
__global__ void __launch_bounds__(128, 2) hello(int x) { printf("hello %d %s %5.2f %llx\n", x, "text", 2.5, 1ull << 40); }

/* Stream-ordered memory, and boxes of pitched memory. */
static void pools_and_boxes()
{
    cudaMemPool_t pool, own;
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    void *owned;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMallocFromPoolAsync(&owned, 256, own, 0));
    OK(cudaFreeAsync(owned, 0));
    OK(cudaMemPoolDestroy(own));
    props.location.id = 1;
    EXPECT(cudaMemPoolCreate(&own, &props) == cudaErrorInvalidDevice);
    cudaIpcMemHandle_t handle;
    EXPECT(cudaIpcGetMemHandle(&handle, &pool) == cudaErrorNotSupported);
    size_t most;
    int blocks;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&most, doubled, 3, 64));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, doubled, 64, most));
    EXPECT(blocks == 3 && most > 30000);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, doubled, 64, most + 1));
    EXPECT(blocks == 2);
    cudaGetLastError();
    unsigned long long threshold = 1 << 20, got = 0, used = 0;
    int *memory;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    OK(cudaMallocAsync(&memory, 4096, 0));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EXPECT(got == threshold && used >= 4096);
    OK(cudaMemsetAsync(memory, 1, 4096));
    OK(cudaFreeAsync(memory, 0));

    unsigned char box[3][5][10], back[2][3][4];
    for (int i = 0; i < 150; i++)
        (&box[0][0][0])[i] = (unsigned char)i;
    cudaPitchedPtr pitched;
    OK(cudaMalloc3D(&pitched, make_cudaExtent(10, 5, 3)));
    EXPECT(pitched.pitch >= 10 && pitched.xsize == 10 && pitched.ysize == 5);
    OK(cudaMemset3D(pitched, 0xee, make_cudaExtent(10, 5, 3)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(box, 10, 10, 5);
    copy.dstPtr = pitched;
    copy.extent = make_cudaExtent(10, 4, 3);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    copy.srcPtr = pitched;
    copy.srcPos = make_cudaPos(3, 2, 1);
    copy.dstPtr = make_cudaPitchedPtr(back, 4, 4, 3);
    copy.extent = make_cudaExtent(4, 3, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3DAsync(&copy));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 4; x++)
                EXPECT(back[z][y][x] == (y < 2 ? box[z + 1][y + 2][x + 3] : 0xee));
    copy.srcPtr.ptr = NULL;
    EXPECT(cudaMemcpy3D(&copy) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    OK(cudaFree(pitched.ptr));
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusActive;
    OK(cudaStreamIsCapturing(0, &capture));
    EXPECT(capture == cudaStreamCaptureStatusNone);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorInvalidDevice && cudaDeviceEnablePeerAccess(0, 0) == cudaErrorPeerAccessUnsupported);
    EXPECT(cudaDeviceEnablePeerAccess(0, 1) == cudaErrorInvalidValue);
    cudaResourceDesc of_nothing = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    of_nothing.resType = (cudaResourceType)9;
    EXPECT(cudaCreateTextureObject(&texture, &of_nothing, &how, NULL) == cudaErrorInvalidValue);
    cudaGetLastError();
}

/* Functions that few programs call. */
static void odds_and_ends()
{
    unsigned flags = 99;
    int value = 7, *pinned, *managed, registered[4];
    OK(cudaHostAlloc(&pinned, 400, cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostGetFlags(&flags, pinned + 99));
    EXPECT(flags == (cudaHostAllocMapped | cudaHostAllocPortable));
    OK(cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped));
    EXPECT(cudaHostGetFlags(&flags, registered) == cudaErrorInvalidValue);
    EXPECT(cudaHostGetFlags(&flags, &value) == cudaErrorInvalidValue);
    OK(cudaHostUnregister(registered));
    OK(cudaFreeHost(pinned));

    size_t limit = 0;
    cudaFuncCache cache = cudaFuncCachePreferL1;
    OK(cudaThreadSetLimit(cudaLimitPrintfFifoSize, 1 << 22));
    OK(cudaThreadGetLimit(&limit, cudaLimitPrintfFifoSize));
    EXPECT(limit == 1 << 22);
    OK(cudaThreadSetCacheConfig(cudaFuncCachePreferShared));
    OK(cudaThreadGetCacheConfig(&cache));
    EXPECT(cache != cudaFuncCachePreferL1);
    OK(cudaThreadSynchronize());
    EXPECT(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0) == cudaErrorInvalidDevice);
    EXPECT(cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                              cudaFlushGPUDirectRDMAWritesToOwner) == cudaErrorNotSupported);

    /* Rows of 3 to rows of 5, then a box back. */
    cudaArray_t narrow, wide;
    cudaChannelFormatDesc ints = cudaCreateChannelDesc<int>();
    int from[12], to[15] = {};
    for (int i = 0; i < 12; i++)
        from[i] = i + 1;
    OK(cudaMallocArray(&narrow, &ints, 3, 4));
    OK(cudaMallocArray(&wide, &ints, 5, 3));
    OK(cudaMemcpyToArray(narrow, 0, 0, from, sizeof from, cudaMemcpyHostToDevice));
    OK(cudaMemcpyToArray(wide, 0, 0, to, sizeof to, cudaMemcpyHostToDevice));
    OK(cudaMemcpyArrayToArray(wide, 3 * sizeof(int), 0, narrow, sizeof(int), 0, 11 * sizeof(int)));
    OK(cudaMemcpyFromArray(to, wide, 0, 0, sizeof to, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 15; i++)
        EXPECT(to[i] == (i < 3 || i > 13 ? 0 : i - 1));
    EXPECT(cudaMemcpyArrayToArray(wide, 0, 0, narrow, 4, 0, sizeof from) == cudaErrorInvalidValue);
    OK(cudaMemcpy2DArrayToArray(narrow, sizeof(int), 2, wide, 3 * sizeof(int), 1, 2 * sizeof(int), 2));
    OK(cudaMemcpyFromArray(from, narrow, 0, 0, sizeof from, cudaMemcpyDeviceToHost));
    EXPECT(from[5] == 6 && from[6] == 7 && from[7] == 7 && from[8] == 8 && from[9] == 10 && from[10] == 12);
    EXPECT(from[11] == 0);
    EXPECT(cudaMemcpy2DArrayToArray(narrow, 8, 0, wide, 0, 0, 8, 1) == cudaErrorInvalidValue);
    EXPECT(cudaMemcpy2DArrayToArray(narrow, 0, 0, wide, 0, 0, 8, 1, cudaMemcpyHostToDevice) ==
           cudaErrorInvalidMemcpyDirection);
    OK(cudaFreeArray(narrow));
    OK(cudaFreeArray(wide));

    /* What was said of four pages, and of two of them. */
    OK(cudaMallocManaged(&managed, 4 * 4096));
    char *pages = (char *)managed;
    int where[3], mostly;
    OK(cudaMemAdvise(pages, 4 * 4096, cudaMemAdviseSetReadMostly, 0));
    OK(cudaMemAdvise(pages, 4096, cudaMemAdviseUnsetReadMostly, 0));
    OK(cudaMemAdvise(pages, 4 * 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    OK(cudaMemAdvise(pages, 4 * 4096, cudaMemAdviseSetAccessedBy, 0));
    OK(cudaMemPrefetchAsync(pages, 4096, 0));
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, pages, 4 * 4096));
    EXPECT(value == 0);
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, pages + 4096, 3 * 4096));
    EXPECT(value == 1);
    OK(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, pages, 8192));
    EXPECT(value == cudaInvalidDeviceId);
    void *data[] = {where, &value, &mostly};
    size_t sizes[] = {sizeof where, 4, 4};
    cudaMemRangeAttribute which[] = {cudaMemRangeAttributeAccessedBy, cudaMemRangeAttributePreferredLocation,
                                     cudaMemRangeAttributeLastPrefetchLocation};
    OK(cudaMemRangeGetAttributes(data, sizes, which, 3, pages, 4096));
    EXPECT(where[0] == 0 && where[1] == cudaInvalidDeviceId && where[2] == cudaInvalidDeviceId);
    EXPECT(value == cudaCpuDeviceId && mostly == 0);
    EXPECT(cudaMemRangeGetAttribute(&value, 8, cudaMemRangeAttributeReadMostly, pages, 4) == cudaErrorInvalidValue);
    EXPECT(cudaMemAdvise(pages, 4096, cudaMemAdviseSetAccessedBy, 5) == cudaErrorInvalidDevice);
    EXPECT(cudaMemPrefetchAsync(pages, 5 * 4096, 0) == cudaErrorInvalidValue);
    OK(cudaFree(managed));
    OK(cudaMalloc(&managed, 4096));
    EXPECT(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 4) == cudaErrorInvalidValue);
    OK(cudaFree(managed));
    cudaGetLastError();
}

int main()
{
    int count = 0, value = 0;
    cudaDeviceProp prop;
    OK(cudaGetDeviceCount(&count));
    EXPECT(count == 1);
    OK(cudaGetDeviceProperties(&prop, 0));
    EXPECT(prop.warpSize == 32 && prop.major == 7 && strstr(prop.name, "V100"));
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == prop.multiProcessorCount);
    EXPECT(cudaSetDevice(3) == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaSuccess);

    float *out, host[64], symbols[64];
    OK(cudaMalloc(&out, sizeof host));
    float scales[4] = {1, 2, 3, 10};
    OK(cudaMemcpyToSymbol(scale, scales, sizeof scales));
    cudaStream_t stream;
    cudaEvent_t start, stop;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    OK(cudaEventRecord(start, stream));
    Pair pair = {1, 2.0, 3};
    fill<<<1, 64, 64 * sizeof(float), stream>>>(pair, -7, out, 5ll << 32, 200);
    OK(cudaGetLastError());
    fill<<<1, 64, 1 << 20, stream>>>(pair, -7, out, 5ll << 32, 200);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    fill<<<0, 64, 0, stream>>>(pair, -7, out, 5ll << 32, 200);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    OK(cudaEventRecord(stop, stream));
    OK(cudaEventSynchronize(stop));
    float ms = -1;
    OK(cudaEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0 && ms < 1);
    OK(cudaMemcpyAsync(host, out, sizeof host, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 64; i++)
        EXPECT(host[i] == scales[(63 - i) & 3] * 2 + 1 + 3 - 7 + 200 + 5);
    OK(cudaMemcpyFromSymbol(symbols, table, sizeof symbols));
    EXPECT(memcmp(symbols, host, sizeof host) == 0);
    OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    EXPECT(value == 42);
    void *address;
    size_t size;
    OK(cudaGetSymbolAddress(&address, table));
    OK(cudaGetSymbolSize(&size, table));
    EXPECT(size == sizeof table);
    OK(cudaMemset(address, 0, size));
    OK(cudaMemcpyFromSymbol(symbols, table, 8, 16));
    EXPECT(symbols[0] == 0 && symbols[1] == 0);
    EXPECT(cudaMemcpyToSymbol(scale, scales, 100) == cudaErrorInvalidValue);
    cudaGetLastError();

    char *pitched, text[3][20];
    size_t pitch;
    OK(cudaMallocPitch(&pitched, &pitch, 20, 3));
    EXPECT(pitch >= 20);
    rows<<<3, 32>>>(pitched, pitch, 20);
    OK(cudaMemcpy2D(text, 20, pitched, pitch, 20, 3, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 60; i++)
        EXPECT(text[i / 20][i % 20] == 'a' + i / 20);

    int *managed;
    OK(cudaMallocManaged(&managed, 100 * sizeof(int)));
    for (int i = 0; i < 100; i++)
        managed[i] = i;
    doubled<<<4, 32>>>(managed, 100);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 100; i++)
        EXPECT(managed[i] == 2 * i);

    cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, fill));
    EXPECT(attributes.numRegs > 0 && attributes.maxThreadsPerBlock == 1024);
    OK(cudaFuncGetAttributes(&attributes, hello));
    EXPECT(attributes.maxThreadsPerBlock == 128);
    OK(cudaFuncGetAttributes(&attributes, many_registers));
    EXPECT(attributes.numRegs >= 150 && attributes.maxThreadsPerBlock < 1024);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, many_registers, attributes.maxThreadsPerBlock, 0));
    EXPECT(count == 1);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, many_registers, attributes.maxThreadsPerBlock + 32, 0));
    EXPECT(count == 0);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, doubled, 256, 0));
    EXPECT(count == 8);

    pools_and_boxes();
    odds_and_ends();
    hello<<<1, 1>>>(9);
    OK(cudaDeviceSynchronize());
    EXPECT(cudaFree((void *)12345) == cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaFree(out));
    OK(cudaFree(managed));
    OK(cudaFree(pitched));
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceReset());
    printf("api: PASSED\n");
    return 0;
}
