// The driver API, from a C++ file that no CUDA compiler sees. Arguments: the module, and files that are none.
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("driver: FAILED at line %d: %s\n", __LINE__, #condition);  \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == CUDA_SUCCESS)

static void errors()
{
    const char *text;
    OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT(!strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY"));
    OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT(!strcmp(text, "out of memory"));
    EXPECT(cuGetErrorString((CUresult)4711, &text) == CUDA_ERROR_INVALID_VALUE && !text);
    /* each has a text of its own, none is "unrecognized" */
#define HD_CU_RESULT(name, value)                                             \
    OK(cuGetErrorString(name, &text));                                        \
    EXPECT(*text && strncmp(text, "unrecognized", 12) && (int)name == value);
#include <heddle_cu_results.def>
#undef HD_CU_RESULT
}

static std::vector<char> contents(const char *path)
{
    FILE *file = fopen(path, "rb");
    EXPECT(file);
    std::vector<char> bytes;
    for (int c; (c = getc(file)) != EOF;)
        bytes.push_back((char)c);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context, other, current;
    CUmodule module, second;
    CUfunction axpy, mangled, none;
    int count, value, major, minor;
    char name[64];
    size_t total, free_bytes;
    EXPECT(argc == 5);
    EXPECT(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED);
    EXPECT(cuInit(1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuInit(0));
    errors();
    OK(cuDeviceGetCount(&count));
    EXPECT(count == 1 && cuDeviceGet(&device, 1) == CUDA_ERROR_INVALID_DEVICE);
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetName(name, sizeof name, device));
    EXPECT(strstr(name, "V100"));
    OK(cuDeviceTotalMem(&total, device));
    OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    OK(cuDeviceComputeCapability(&value, &minor, device));
    EXPECT(major == 7 && value == 7 && minor == 0 && total == (size_t)16 << 30);

    /* contexts: none, one, two on the stack */
    CUdeviceptr x, y, d;
    OK(cuCtxGetCurrent(&current));
    EXPECT(!current && cuMemAlloc(&x, 64) == CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxCreate(&context, CU_CTX_SCHED_SPIN, device));
    OK(cuDevicePrimaryCtxRetain(&other, device));
    OK(cuCtxPushCurrent(other));
    OK(cuCtxGetCurrent(&current));
    EXPECT(current == other && other != context);
    OK(cuCtxPopCurrent(&current));
    unsigned flags;
    OK(cuCtxGetFlags(&flags));
    EXPECT(current == other && flags == CU_CTX_SCHED_SPIN);

    /* modules, and what is none */
    OK(cuModuleLoad(&module, argv[1]));
    EXPECT(cuModuleLoad(&second, "/nonexistent/module") == CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT(cuModuleLoad(&second, argv[2]) == CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    EXPECT(cuModuleLoad(&second, argv[3]) == CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT(cuModuleLoad(&second, argv[4]) == CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuModuleLoadData(&second, ".version 8.0\n.target sm_70\n") == CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    std::vector<char> image = contents(argv[1]);
    char log[100] = "x";
    CUjit_option option = CU_JIT_INFO_LOG_BUFFER;
    void *value_of = log;
    OK(cuModuleLoadDataEx(&second, image.data(), 1, &option, &value_of));
    EXPECT(!*log);
    OK(cuModuleGetFunction(&axpy, module, "axpy"));
    OK(cuModuleGetFunction(&mangled, module, "_ZN5space7mangledEsdPd"));
    EXPECT(cuModuleGetFunction(&none, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, mangled));
    EXPECT(value == 256);

    /* memory */
    const int n = 1000;
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = (float)i;
    OK(cuMemGetInfo(&free_bytes, &total));
    OK(cuMemAlloc(&x, n * sizeof(float)));
    OK(cuMemAlloc(&y, n * sizeof(float)));
    size_t less;
    OK(cuMemGetInfo(&less, &total));
    EXPECT(less < free_bytes && free_bytes < total);
    EXPECT(cuMemAlloc(&d, 0) == CUDA_ERROR_INVALID_VALUE && cuMemAlloc(&d, (size_t)1 << 40) == CUDA_ERROR_OUT_OF_MEMORY);
    CUdeviceptr base;
    size_t size;
    OK(cuMemGetAddressRange(&base, &size, y + 12));
    EXPECT(base == y && size == n * sizeof(float));
    OK(cuMemcpyHtoD(x, in.data(), n * sizeof(float)));
    OK(cuMemsetD32(y, 0x3f800000, n));
    CUdeviceptr symbol;
    OK(cuModuleGetGlobal(&symbol, &size, module, "factor"));
    float factor = 3;
    EXPECT(size == sizeof factor);
    OK(cuMemcpyHtoD(symbol, &factor, size));
    EXPECT(cuModuleGetGlobal(&d, NULL, module, "nothing") == CUDA_ERROR_NOT_FOUND);
    CUmemorytype kind;
    OK(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x));
    EXPECT(kind == CU_MEMORYTYPE_DEVICE);

    /* launches: arguments one by one, and packed in a buffer */
    CUstream stream;
    CUevent start, stop;
    float a = 2, ms = -1;
    int number = n;
    void *args[] = {&a, &x, &y, &number};
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    OK(cuEventRecord(start, stream));
    OK(cuLaunchKernel(axpy, 8, 1, 1, 128, 1, 1, 128 * sizeof(float), stream, args, NULL));
    OK(cuEventRecord(stop, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuEventElapsedTime(&ms, start, stop));
    EXPECT(ms > 0);
    OK(cuMemcpyDtoHAsync(out.data(), y, n * sizeof(float), stream));
    for (int i = 0; i < n; i++)
        EXPECT(out[i] == 2 * in[i] * 3 + 1);
    OK(cuModuleGetGlobal(&symbol, &size, module, "counters"));
    int counters[16];
    EXPECT(size == sizeof counters);
    OK(cuMemcpyDtoH(counters, symbol, size));
    EXPECT(counters[0] == 7 && counters[1] == 8);
    OK(cuModuleGetGlobal(&symbol, &size, second, "counters")); /* has memory of its own */
    OK(cuMemcpyDtoH(counters, symbol, size));
    EXPECT(counters[0] == 7 && counters[1] == 0);
    struct {
        short s;
        double d;
        CUdeviceptr out;
    } packed = {3, 0.25, x};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(mangled, 1, 1, 1, 1, 1, 1, 0, 0, NULL, extra));
    double result;
    OK(cuMemcpyDtoH(&result, x, sizeof result));
    EXPECT(result == 3.25);
    EXPECT(cuLaunchKernel(mangled, 1, 1, 1, 257, 1, 1, 0, 0, NULL, extra) == CUDA_ERROR_INVALID_VALUE);
    int blocks;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, axpy, 128, 512));
    EXPECT(blocks == 16);

    /* rows, patterns */
    OK(cuMemsetD2D16(y, 16, 0xabcd, 2, 3));
    CUDA_MEMCPY2D rows = {};
    unsigned short got[2][2];
    rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    rows.srcDevice = y;
    rows.srcPitch = 16;
    rows.srcY = 1;
    rows.dstMemoryType = CU_MEMORYTYPE_HOST;
    rows.dstHost = got;
    rows.WidthInBytes = 4;
    rows.Height = 2;
    OK(cuMemcpy2D(&rows));
    EXPECT(got[0][0] == 0xabcd && got[0][1] == 0xabcd && got[1][0] == 0xabcd && got[1][1] == 0xabcd);

    OK(cuModuleUnload(second));
    EXPECT(cuModuleUnload(second) == CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(start));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(x));
    OK(cuCtxSynchronize());
    OK(cuCtxDestroy(context));
    puts("driver: PASSED");
}
