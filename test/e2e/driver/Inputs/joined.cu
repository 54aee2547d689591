// Three device sources and the program that links them while it runs.
#ifdef USES
extern __device__ int twice(int), plus(int);
__device__ int bias = 5;
__global__ void joined(int *out)
{
    out[threadIdx.x] = plus(twice((int)threadIdx.x)) + bias;
}
#endif
#ifdef GIVES
__device__ int twice(int x)
{
    return 2 * x;
}
#endif
#ifdef ADDS
__device__ int plus(int x)
{
    return x + 100;
}
#endif
#ifdef HOST
#include <cuda.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/wait.h>

#define EXPECT(condition)                                                    \
    do {                                                                     \
        if (!(condition)) {                                                  \
            printf("joined: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)
#define OK(call) EXPECT((call) == CUDA_SUCCESS)

static std::string contents(const char *path)
{
    std::string bytes;
    FILE *file = fopen(path, "rb");
    EXPECT(file);
    for (int c; (c = getc(file)) != EOF;)
        bytes.push_back((char)c);
    fclose(file);
    return bytes;
}

static void run(void *image)
{
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr out, bias;
    size_t size;
    int values[32], seven = 7;
    OK(cuModuleLoadData(&module, image));
    OK(cuModuleGetFunction(&kernel, module, "_Z6joinedPi"));
    OK(cuModuleGetGlobal(&bias, &size, module, "bias"));
    EXPECT(size == 4);
    OK(cuMemcpyHtoD(bias, &seven, 4));
    OK(cuMemAlloc(&out, sizeof values));
    void *args[] = {&out};
    OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
    OK(cuMemcpyDtoH(values, out, sizeof values));
    for (int i = 0; i < 32; i++)
        EXPECT(values[i] == 2 * i + 107);
}

int main()
{
    CUdevice device;
    CUcontext context;
    CUlinkState link, broken;
    char said[400] = "before", few[5];
    void *image = nullptr;
    size_t size = 0;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER,
                              CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {said, (void *)sizeof said, nullptr, few, (void *)sizeof few};
    OK(cuInit(0));
    EXPECT(cuLinkCreate(0, 0, 0, &link) == CUDA_ERROR_INVALID_CONTEXT);
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate(&context, 0, device));

    // from files and from memory, whatever type is named
    std::string uses = contents("uses.cubin"), gives = contents("gives.o");
    OK(cuLinkCreate(5, options, values, &link));
    EXPECT(!*said && (size_t)values[1] == sizeof said);
    EXPECT(wait(nullptr) < 0 && errno == ECHILD); // nothing of an open link is a child of the program's
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, &uses[0], uses.size(), "some name", 0, 0, 0));
    EXPECT(!values[1] && !values[4]);
    OK(cuLinkAddData(link, CU_JIT_INPUT_OBJECT, &gives[0], gives.size(), nullptr, 0, 0, 0));
    OK(cuLinkAddFile(link, CU_JIT_INPUT_LIBRARY, "adds.a", 0, 0, 0));
    OK(cuLinkComplete(link, &image, &size));
    float time;
    memcpy(&time, &values[2], sizeof time);
    EXPECT(time > 1 && size > 64 && !*said);
    run(image);
    EXPECT(cuLinkComplete(link, &image, &size) == CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkDestroy(link));
    EXPECT(cuLinkDestroy(link) == CUDA_ERROR_INVALID_HANDLE);

    // what is missing
    values[1] = (void *)sizeof said;
    OK(cuLinkCreate(2, options, values, &broken));
    EXPECT(cuLinkComplete(broken, &image, &size) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLinkAddFile(broken, CU_JIT_INPUT_CUBIN, "nowhere.cubin", 0, 0, 0) == CUDA_ERROR_FILE_NOT_FOUND);
    EXPECT(cuLinkAddFile(broken, CU_JIT_INPUT_PTX, "text.ptx", 0, 0, 0) == CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
    EXPECT(cuLinkAddData(broken, CU_JIT_INPUT_CUBIN, &uses[0], uses.size() - 1, "half", 0, 0, 0) == CUDA_ERROR_INVALID_IMAGE);
    EXPECT(cuLinkAddData(broken, (CUjitInputType)9, &uses[0], uses.size(), "x", 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    OK(cuLinkAddFile(broken, CU_JIT_INPUT_CUBIN, "uses.cubin", 0, 0, 0));
    EXPECT(cuLinkComplete(broken, &image, &size) == CUDA_ERROR_UNKNOWN);
    EXPECT((size_t)values[1] == strlen(said));
    puts(said);

    // a buffer of five bytes; it stays open
    options[0] = CU_JIT_ERROR_LOG_BUFFER;
    void *small[] = {few, (void *)sizeof few};
    OK(cuLinkCreate(2, options, small, &broken));
    OK(cuLinkAddFile(broken, CU_JIT_INPUT_OBJECT, "uses.cubin", 0, 0, 0));
    EXPECT(cuLinkComplete(broken, &image, &size) == CUDA_ERROR_UNKNOWN && strlen(few) == 4 && (size_t)small[1] == 4);
    puts("joined: PASSED");
}
#endif
