// Arrays, textures, surfaces, libraries, graphs and look-up of the driver API. Argument: the module's file.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("objects: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == CUDA_SUCCESS)

enum { W = 6, H = 4, N = W * H };
static float in[N], out[N];
static CUdeviceptr memory, freed_last; /* the second is what the reference `line` reads */

static void launch(CUfunction f, void **args)
{
    memset(out, 0, sizeof out);
    OK(cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
    OK(cuMemcpyDtoH(out, memory, sizeof out));
}

/* Rows of the host with two floats between them, into an array and back. */
static CUarray filled(unsigned flags)
{
    CUarray array;
    CUDA_ARRAY3D_DESCRIPTOR desc = {}, told;
    CUDA_ARRAY_DESCRIPTOR flat;
    desc.Width = W;
    desc.Height = H;
    desc.Format = CU_AD_FORMAT_FLOAT;
    desc.NumChannels = 1;
    desc.Flags = flags;
    OK(cuArray3DCreate(&array, &desc));
    OK(cuArray3DGetDescriptor(&told, array));
    EXPECT(told.Width == W && told.Height == H && told.Depth == 0 && told.Format == CU_AD_FORMAT_FLOAT &&
           told.NumChannels == 1 && told.Flags == flags);
    OK(cuArrayGetDescriptor(&flat, array));
    EXPECT(flat.Width == W && flat.Height == H && flat.NumChannels == 1);
    float rows[H][W + 2], back[H][W] = {};
    for (int i = 0; i < N; i++)
        rows[i / W][i % W] = in[i];
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = rows;
    copy.srcPitch = sizeof rows[0];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = W * sizeof(float);
    copy.Height = H;
    OK(cuMemcpy2D(&copy));
    CUDA_MEMCPY3D box = {};
    box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    box.srcArray = array;
    box.srcXInBytes = 4;
    box.srcY = 1;
    box.dstMemoryType = CU_MEMORYTYPE_HOST;
    box.dstHost = back;
    box.dstPitch = sizeof back[0];
    box.WidthInBytes = 3 * sizeof(float);
    box.Height = 2;
    box.Depth = 1;
    OK(cuMemcpy3D(&box));
    EXPECT(back[0][0] == in[W + 1] && back[1][2] == in[2 * W + 3] && back[0][3] == 0);
    box.srcXInBytes = 2; /* within an element */
    EXPECT(cuMemcpy3D(&box) == CUDA_ERROR_INVALID_VALUE);
    return array;
}

static void objects(CUmodule module)
{
    CUarray array = filled(0), written = filled(CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC resource = {}, told;
    CUDA_TEXTURE_DESC how = {}, how_told;
    CUtexObject texture;
    CUsurfObject surface;
    CUfunction kernel;
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    how.addressMode[0] = CU_TR_ADDRESS_MODE_BORDER;
    how.flags = CU_TRSF_READ_AS_INTEGER;
    OK(cuTexObjectCreate(&texture, &resource, &how, 0));
    OK(cuTexObjectGetResourceDesc(&told, texture));
    OK(cuTexObjectGetTextureDesc(&how_told, texture));
    EXPECT(told.resType == CU_RESOURCE_TYPE_ARRAY && told.res.array.hArray == array);
    EXPECT(how_told.addressMode[0] == CU_TR_ADDRESS_MODE_BORDER && how_told.flags == CU_TRSF_READ_AS_INTEGER);
    EXPECT(cuSurfObjectCreate(&surface, &resource) == CUDA_ERROR_INVALID_VALUE); /* not made for it */
    resource.res.array.hArray = written;
    OK(cuSurfObjectCreate(&surface, &resource));
    OK(cuModuleGetFunction(&kernel, module, "by_object"));
    int w = W, h = H;
    void *args[] = {&texture, &surface, &memory, &w, &h};
    launch(kernel, args);
    for (int i = 0; i < N; i++)
        EXPECT(out[i] == in[i] + 5);
    OK(cuMemcpyAtoH(out, written, 4, 2 * sizeof(float)));
    EXPECT(out[0] == 2 * in[1] && out[1] == 2 * in[2]);
    OK(cuMemcpyAtoA(written, 0, array, 0, W * sizeof(float)));
    OK(cuMemcpyAtoD(memory, written, 0, W * sizeof(float)));
    OK(cuMemcpyDtoH(out, memory, W * sizeof(float)));
    EXPECT(out[W - 1] == in[W - 1]);
    OK(cuTexObjectDestroy(texture));
    OK(cuSurfObjectDestroy(surface));
    EXPECT(cuTexObjectGetTextureDesc(&how_told, texture) == CUDA_ERROR_INVALID_VALUE);
    OK(cuArrayDestroy(written));
    OK(cuArrayDestroy(array));
}

static void references(CUmodule module)
{
    CUtexref reference, line;
    CUfunction kernel;
    CUarray array = filled(0), bound;
    int w = W, h = H, channels;
    CUarray_format format;
    EXPECT(cuModuleGetTexRef(&reference, module, "none") == CUDA_ERROR_NOT_FOUND);
    OK(cuModuleGetTexRef(&reference, module, "picture"));
    OK(cuTexRefSetFilterMode(reference, CU_TR_FILTER_MODE_POINT));
    OK(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
    OK(cuTexRefGetArray(&bound, reference));
    EXPECT(bound == array);
    OK(cuModuleGetFunction(&kernel, module, "by_reference"));
    void *args[] = {&memory, &w, &h};
    launch(kernel, args);
    for (int i = 0; i < N; i++)
        EXPECT(out[i] == in[i]);
    /* What is set later counts, too. */
    OK(cuTexRefSetFlags(reference, CU_TRSF_NORMALIZED_COORDINATES));
    OK(cuTexRefSetAddressMode(reference, 0, CU_TR_ADDRESS_MODE_WRAP));
    OK(cuTexRefSetAddressMode(reference, 1, CU_TR_ADDRESS_MODE_WRAP));
    launch(kernel, args);
    for (int i = 0; i < N; i++)
        EXPECT(out[i] == in[H / 2 * W + W / 2]); /* half an element of one that is the whole array */
    unsigned char bytes[8] = {0, 51, 102, 153, 204, 255, 1, 2};
    CUdeviceptr linear;
    int n = 8;
    OK(cuMemAlloc(&linear, sizeof bytes));
    OK(cuMemcpyHtoD(linear, bytes, sizeof bytes));
    OK(cuModuleGetTexRef(&line, module, "line"));
    OK(cuTexRefSetFormat(line, CU_AD_FORMAT_UNSIGNED_INT8, 1));
    OK(cuTexRefGetFormat(&format, &channels, line));
    EXPECT(format == CU_AD_FORMAT_UNSIGNED_INT8 && channels == 1);
    OK(cuTexRefSetAddress(0, line, linear, sizeof bytes));
    OK(cuModuleGetFunction(&kernel, module, "by_line"));
    void *of_line[] = {&memory, &n};
    launch(kernel, of_line);
    for (int i = 0; i < 6; i++)
        EXPECT(out[i] == i * 51 / 255.0f);
    freed_last = linear;
}

static void libraries(const char *path)
{
    CUlibrary library;
    CUkernel kernel, kernels[4], found;
    CUfunction function;
    CUmodule module;
    CUdeviceptr address;
    unsigned count;
    size_t size, offset;
    const char *name;
    int value;
    OK(cuLibraryLoadFromFile(&library, path, 0, 0, 0, 0, 0, 0));
    OK(cuLibraryGetKernelCount(&count, library));
    EXPECT(count == 3);
    OK(cuLibraryEnumerateKernels(kernels, 4, library));
    OK(cuLibraryGetKernel(&kernel, library, "by_line"));
    EXPECT(kernel == kernels[0] || kernel == kernels[1] || kernel == kernels[2]);
    EXPECT(cuLibraryGetKernel(&found, library, "none") == CUDA_ERROR_NOT_FOUND);
    OK(cuKernelGetName(&name, kernel));
    EXPECT(!strcmp(name, "by_line"));
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    EXPECT(value > 0);
    OK(cuKernelGetParamInfo(kernel, 1, &offset, &size));
    EXPECT(offset == 8 && size == 4);
    EXPECT(cuKernelGetParamInfo(kernel, 2, &offset, &size) == CUDA_ERROR_INVALID_VALUE);
    OK(cuLibraryGetModule(&module, library));
    OK(cuLibraryGetGlobal(&address, &size, library, "shift"));
    EXPECT(size == 4 && cuLibraryGetGlobal(&address, &size, library, "none") == CUDA_ERROR_NOT_FOUND);
    OK(cuLibraryUnload(library));
    EXPECT(cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE);

    cudaLibrary_t same;
    cudaKernel_t runtime_kernel;
    EXPECT(cudaLibraryLoadFromFile(&same, path, 0, 0, 0, 0, 0, 0) == cudaSuccess);
    EXPECT(cudaLibraryGetKernel(&runtime_kernel, same, "by_line") == cudaSuccess);
    int none = 0;
    void *args[] = {&memory, &none};
    EXPECT(cudaLaunchKernel((const void *)runtime_kernel, dim3{1, 1, 1}, dim3{32, 1, 1}, args, 0, 0) == cudaSuccess);
    EXPECT(cudaFuncGetName(&name, (const void *)runtime_kernel) == cudaSuccess && !strcmp(name, "by_line"));
    EXPECT(cudaLibraryGetKernel(&runtime_kernel, same, "none") == cudaErrorSymbolNotFound);
    EXPECT(cudaLibraryUnload(same) == cudaSuccess && cudaGetLastError() == cudaErrorSymbolNotFound);
}

static void count_up(void *data)
{
    ++*(int *)data;
}

static void graphs(CUmodule module)
{
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode set, kernel, host, nodes[3];
    CUfunction function;
    CUDA_MEMSET_NODE_PARAMS zero = {memory, 0, 0, 4, N, 1}, told;
    CUDA_KERNEL_NODE_PARAMS run = {}, run_told;
    CUDA_HOST_NODE_PARAMS after = {};
    int n = 4, calls = 0;
    size_t count = 3;
    OK(cuModuleGetFunction(&function, module, "by_line"));
    void *args[] = {&memory, &n};
    run.func = function;
    run.gridDimX = run.gridDimY = run.gridDimZ = run.blockDimY = run.blockDimZ = 1;
    run.blockDimX = 32;
    run.kernelParams = args;
    after.fn = count_up;
    after.userData = &calls;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphAddMemsetNode(&set, graph, 0, 0, &zero, 0));
    OK(cuGraphAddKernelNode(&kernel, graph, &set, 1, &run));
    OK(cuGraphAddHostNode(&host, graph, &kernel, 1, &after));
    OK(cuGraphGetNodes(graph, nodes, &count));
    EXPECT(count == 3);
    OK(cuGraphMemsetNodeGetParams(set, &told));
    EXPECT(told.dst == memory && told.width == N && told.elementSize == 4);
    OK(cuGraphKernelNodeGetParams(kernel, &run_told));
    EXPECT(run_told.func == function && run_told.blockDimX == 32 && run_told.gridDimZ == 1);
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuGraphLaunch(exec, 0));
    n = 2;
    OK(cuGraphExecKernelNodeSetParams(exec, kernel, &run));
    OK(cuGraphLaunch(exec, 0));
    OK(cuCtxSynchronize());
    OK(cuMemcpyDtoH(out, memory, sizeof out));
    EXPECT(calls == 2 && out[1] == 51 / 255.0f && out[2] == 0);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

static void lookup(void)
{
    void *function;
    CUdriverProcAddressQueryResult status;
    OK(cuGetProcAddress("cuTexObjectCreate", &function, 12000, 0, &status));
    EXPECT(function == (void *)cuTexObjectCreate && status == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress("cuNothing", &function, 12000, 0, &status));
    EXPECT(!function && status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress("cudaMalloc", &function, 12000, 0, 0));
    EXPECT(!function);
    cudaDriverEntryPointQueryResult found;
    EXPECT(cudaGetDriverEntryPoint("cuCtxGetCurrent", &function, cudaEnableDefault, &found) == cudaSuccess);
    CUcontext context = 0;
    EXPECT(found == cudaDriverEntryPointSuccess && ((CUresult(*)(CUcontext *))function)(&context) == CUDA_SUCCESS && context);
    CUuuid id = {};
    const void *table = "";
    EXPECT(cuGetExportTable(&table, &id) == CUDA_ERROR_NOT_SUPPORTED && !table);
    /* Under the names that a toolkit's header gives them, too. */
    CUdeviceptr more;
    auto allocate = (CUresult(*)(CUdeviceptr *, size_t))dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
    auto release = (CUresult(*)(CUdeviceptr))dlsym(RTLD_DEFAULT, "cuMemFree_v2");
    EXPECT(allocate && release);
    OK(allocate(&more, 100));
    OK(release(more));
    EXPECT(release(more) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuMulticastAddDevice(0, 0) == CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cudaDestroyExternalMemory(0) == cudaErrorNotSupported);
}

int main(int argc, char **argv)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    EXPECT(argc == 2);
    for (int i = 0; i < N; i++)
        in[i] = i * 1.5f - 3;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    /* CUDA 13's form: without a part of the device it is an ordinary context */
    CUctxCreateParams parameters = {};
    parameters.numExecAffinityParams = 1;
    EXPECT(cuCtxCreate(&context, &parameters, 0, device) == CUDA_ERROR_NOT_SUPPORTED);
    parameters.numExecAffinityParams = 0;
    OK(cuCtxCreate(&context, &parameters, 0, device));
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuMemAlloc(&memory, sizeof out));
    objects(module);
    references(module);
    libraries(argv[1]);
    graphs(module);
    lookup();
    OK(cuMemFree(freed_last));
    OK(cuMemFree(memory));
    puts("objects: PASSED");
}
