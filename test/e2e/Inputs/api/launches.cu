/*
 * Launches that cards take and refuse, row by row of what the guide and the API reference say about them. Each row tells
 * the code of the launch and that of cudaDeviceSynchronize behind it; with -DCLUSTERS rows of clusters that run, too.
 */
#include "rows.h"

extern __shared__ int room[];
__device__ int variable[16];

/* Each row has a kernel of its own: what a row sets of it no other finds. */
template <int Row> __global__ void probe(int *out)
{
    if (out)
        *out = Row;
}
__global__ void nothing()
{
}
__global__ void two(int *out, int n)
{
    if (out)
        *out = n;
}
__global__ void __launch_bounds__(64) bounded(int *out)
{
    if (out)
        *out = 1;
}
template <int Row> __global__ void with_static(int *out)
{
    __shared__ int own[2048];
    own[threadIdx.x] = room[0] = threadIdx.x;
    __syncthreads();
    if (out)
        *out = own[0];
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
__global__ void store_to_null(int *out)
{
    *(volatile int *)(out ? NULL : (int *)8) = 1;
}
__global__ void misaligned(int *out)
{
    *(volatile int *)((char *)out + 1) = 1;
}
__global__ void traps(int *)
{
    asm volatile("trap;");
}

static int *out;
static void *args[] = {&out};
static cudaStream_t gone, stream;
static char never[4096];

static void begin()
{
    cudaMalloc((void **)&out, 65536);
    cudaMemset(out, 0, 65536);
    cudaStreamCreate(&stream);
    cudaStreamCreate(&gone);
    cudaStreamDestroy(gone);
    cudaDeviceSynchronize();
    if (cudaGetLastError() != cudaSuccess)
        printf(" no world");
}
static int attribute(cudaDeviceAttr which)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, which, 0);
    return value;
}
static void after(cudaError_t error)
{
    cudaError_t last = cudaGetLastError();
    say_error(error);
    if (last != error)
        printf(" last"), say_error(last);
    printf(" then"), say_error(cudaDeviceSynchronize());
}
static void after_driver(CUresult result)
{
    say_result(result);
    printf(" then"), say_error(cudaDeviceSynchronize());
}
static void launch(const void *kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t in = 0, void **with = args)
{
    begin();
    after(cudaLaunchKernel(kernel, grid, block, with, shared, in));
}
static void cooperative(const void *kernel, dim3 grid, dim3 block, size_t shared = 0, cudaStream_t in = 0,
                        void **with = args)
{
    begin();
    after(cudaLaunchCooperativeKernel(kernel, grid, block, with, shared, in));
}
static int opt_in()
{
    return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}
static cudaError_t set(const void *kernel, int which, int value)
{
    return cudaFuncSetAttribute(kernel, (cudaFuncAttribute)which, value);
}

/* A launch with attributes: words of the value, from its first byte. */
struct setting {
    int id;
    int words[4];
};
static cudaLaunchAttribute attrs[4];
static cudaLaunchConfig_t config;
static void prepare(dim3 grid, dim3 block, int count, const setting *settings)
{
    memset(&config, 0, sizeof config);
    memset(attrs, 0, sizeof attrs);
    for (int i = 0; i < count; i++) {
        attrs[i].id = (cudaLaunchAttributeID)settings[i].id;
        memcpy(&attrs[i].val, settings[i].words, sizeof settings[i].words);
    }
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = attrs;
    config.numAttrs = (unsigned)count;
}
static void with(const void *kernel, dim3 grid, dim3 block, setting first)
{
    begin();
    prepare(grid, block, 1, &first);
    after(cudaLaunchKernelExC(&config, kernel, args));
}
static void with_both(const void *kernel, dim3 grid, dim3 block, setting first, setting second)
{
    setting both[] = {first, second};
    begin();
    prepare(grid, block, 2, both);
    after(cudaLaunchKernelExC(&config, kernel, args));
}
static CUfunction function_of(const void *kernel)
{
    cudaFunction_t function = NULL;
    cudaGetFuncBySymbol(&function, kernel);
    return (CUfunction)function;
}
static void driver(const void *kernel, dim3 g, dim3 b, unsigned shared, CUstream in, void **params, void **extra)
{
    begin();
    after_driver(cuLaunchKernel(kernel ? function_of(kernel) : NULL, g.x, g.y, g.z, b.x, b.y, b.z, shared, in, params, extra));
}
static void buffer(const void *kernel, size_t size)
{
    static int bytes[64];
    static size_t bytes_size;
    bytes_size = size;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, bytes, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes_size, CU_LAUNCH_PARAM_END};
    driver(kernel, 1, 1, 0, 0, NULL, extra);
}
static void occupancy(const void *kernel, int block, size_t shared, unsigned flags = 0)
{
    int blocks = -77;
    begin();
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, block, shared, flags);
    after(error);
    if (error == cudaSuccess)
        printf(" %d", blocks);
}
static void available(const void *kernel, int blocks, int block)
{
    size_t bytes = 77;
    begin();
    cudaError_t error = cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel, blocks, block);
    after(error);
    if (error == cudaSuccess)
        printf(" %zu", bytes);
}
static void sets(const void *kernel, int which, int value)
{
    begin();
    after(set(kernel, which, value));
}
/* After a kernel's fault: what calls say that touch the device, and what those that do not. */
static void fault(const void *kernel)
{
    void *memory = NULL, *host = NULL;
    int value = 0;
    size_t bytes, total;
    cudaEvent_t event;
    cudaFuncAttributes attributes;
    cudaDeviceProp *prop = (cudaDeviceProp *)calloc(1, sizeof *prop);
    cudaPointerAttributes pointer;
    begin();
    say_error(cudaLaunchKernel(kernel, 1, 1, args, 0, 0));
    printf(" sync"), say_error(cudaDeviceSynchronize());
    printf(" get"), say_error(cudaGetLastError());
    printf(" get"), say_error(cudaGetLastError());
    printf(" peek"), say_error(cudaPeekAtLastError());
    printf(" malloc"), say_error(cudaMalloc(&memory, 64));
    printf(" free"), say_error(cudaFree(out));
    printf(" hostalloc"), say_error(cudaMallocHost(&host, 64));
    printf(" launch"), say_error(cudaLaunchKernel((const void *)nothing, 1, 1, NULL, 0, 0));
    printf(" query"), say_error(cudaStreamQuery(stream));
    printf(" streamcreate"), say_error(cudaStreamCreate(&gone));
    printf(" streamdestroy"), say_error(cudaStreamDestroy(stream));
    printf(" event"), say_error(cudaEventCreate(&event));
    printf(" meminfo"), say_error(cudaMemGetInfo(&bytes, &total));
    printf(" attributes"), say_error(cudaFuncGetAttributes(&attributes, (const void *)nothing));
    printf(" pointer"), say_error(cudaPointerGetAttributes(&pointer, out));
    printf(" device"), say_error(cudaGetDevice(&value));
    printf(" setdevice"), say_error(cudaSetDevice(0));
    printf(" count"), say_error(cudaGetDeviceCount(&value));
    printf(" properties"), say_error(cudaGetDeviceProperties(prop, 0));
    printf(" attribute"), say_error(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    printf(" version"), say_error(cudaDriverGetVersion(&value));
    printf(" null"), say_error(cudaGetDevice(NULL));
    printf(" limit"), say_error(cudaDeviceGetLimit(&bytes, cudaLimitStackSize));
    printf(" occupancy"), say_error(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, nothing, 32, 0));
    printf(" cu"), say_result(cuMemAlloc((CUdeviceptr *)&memory, 64));
    printf(" cusync"), say_result(cuCtxSynchronize());
    printf(" reset"), say_error(cudaDeviceReset());
    printf(" malloc"), say_error(cudaMalloc(&memory, 64));
}

#define ROW(name, ...)          \
    static void name()          \
    {                           \
        __VA_ARGS__;            \
    }
#define STATIC ((const void *)with_static<__LINE__>)
#define KERNEL (probe<__LINE__>)
#define PROBE ((const void *)KERNEL)
#include "launches.def"
#undef ROW

static const struct row rows[] = {
#define ROW(name, ...) {#name, name},
#include "launches.def"
#undef ROW
};

int main(int argc, char **argv)
{
    return run_rows(rows, sizeof rows / sizeof *rows, argc, argv);
}
