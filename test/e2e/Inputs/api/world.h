/*
 * Objects that the calls of cases.inc are made with: of each kind one that lives and one that was destroyed, memory of
 * each kind, and descriptions that are right. Made anew for each call, as far as the function needs it.
 */
#ifndef API_WORLD_H
#define API_WORLD_H

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS_GRAPH 1
#define NEEDS_ARRAY 2
#define NEEDS_POOL 4
#define NEEDS_LIBRARY 8
#define NEEDS_CONTEXT 16
#define NEEDS_CAPTURE 32
#define NEEDS_REGISTERED 64
#define NEEDS_MANAGED 128
#define NEEDS_LINK 512
#define ENDS_CAPTURE 256 /* the call leaves one */
#define NEEDS_VIRTUAL 1024
#define MEMORY_BYTES 65536
#define GRANULE (2 << 20)

struct handles {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaArray_t array;
    cudaMipmappedArray_t mipmap;
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaMemPool_t pool;
    CUlibrary library;
    CUmodule module;
    CUcontext context;
    cudaUserObject_t object;
    CUlinkState link;
    CUmemGenericAllocationHandle physical;
};

struct world : handles {
    handles dead;
    int needs;
    const char *failed; /* the call that made no object */
    cudaError_t failure;

    cudaEvent_t event2;
    cudaGraph_t child, clone, memory_graph;
    struct {
        cudaGraphNode_t kernel, memcpy, to_symbol, from_symbol, memset, host, child, empty, record, wait, alloc, free, tail;
    } nodes;
    void *graph_memory; /* which its graph does not free */
    cudaArray_t array2;
    CUcontext own_context;
    CUfunction function;
    CUkernel kernel;
    CUtexref texref;

    char *memory, *dead_memory, *managed, *pinned, *page, *registered, *ordered, *host;
    char *mapped, *spare; /* addresses of two granules, the first of them mapped, and of one */
    void *exported;       /* a file descriptor of memory */
    const void *func, *symbol, *image;
    const char *image_file, *kernel_name;
    char bus_id[64];
    void *never, *nevers[1];
    cudaHostFn_t host_fn;
    cudaStreamCallback_t callback;
    CUstreamCallback cu_callback;

    int *kernel_out;
    void *args[1], *datas[4];
    size_t dataSizes[4];
    int attributes[4];
    void *batch_to[1], *batch_from[1], *batch_managed[1];
    size_t batch_sizes[1], batch_starts[1];
    unsigned batch_operations[1];
    cudaMemcpyAttributes batch_attributes;
    cudaMemcpy3DBatchOp batch_op;
    CUlaunchConfig cu_launch;
    cudaMemLocation zero_location, ones_location;
    CUmemLocation cu_location, zero_cu_location, ones_cu_location;
    dim3 one, zero_one, ones_one;
    cudaExtent extent, zero_extent, ones_extent;
    cudaPitchedPtr pitched, zero_pitched, ones_pitched;
    cudaIpcMemHandle_t ipc_mem, zero_ipc_mem, ones_ipc_mem;
    cudaIpcEventHandle_t ipc_event, zero_ipc_event, ones_ipc_event;

    cudaMemcpy3DParms copy3d;
    cudaMemcpy3DPeerParms copy_peer;
    CUDA_MEMCPY3D cu_copy3d;
    CUDA_MEMCPY2D cu_copy2d;
    cudaChannelFormatDesc channel;
    cudaKernelNodeParams kernel_params;
    CUDA_KERNEL_NODE_PARAMS cu_kernel_params;
    cudaMemsetParams memset_params;
    CUDA_MEMSET_NODE_PARAMS cu_memset_params;
    cudaHostNodeParams host_params;
    CUDA_HOST_NODE_PARAMS cu_host_params;
    cudaGraphNodeParams node_params;
    cudaMemAllocNodeParams alloc_params;
    cudaGraphInstantiateParams instantiate_params;
    cudaLaunchConfig_t launch;
    CUDA_ARRAY_DESCRIPTOR cu_array_desc;
    CUDA_ARRAY3D_DESCRIPTOR cu_array3d_desc;
    cudaResourceDesc resource;
    cudaTextureDesc texture_desc;
    CUDA_RESOURCE_DESC cu_resource;
    CUDA_TEXTURE_DESC cu_texture_desc;
    cudaMemPoolProps pool_props;
    CUmemAllocationProp virtual_prop;
    cudaMemAccessDesc access;
    cudaMemLocation location;
    cudaStreamAttrValue stream_attr;
    cudaDeviceProp prop;
    char uuid[16];

    char room[10][8192]; /* for results */
    char zeros[8192], ones[8192];
};

__device__ int symbol[1024];

extern "C" __global__ void probe(int *out)
{
    if (out)
        *out = 1;
}

static void host_fn(void *)
{
}
static void CUDART_CB stream_callback(cudaStream_t, cudaError_t, void *)
{
}
static void CUDA_CB cu_stream_callback(CUstream, CUresult, void *)
{
}

/* The first call that fails ends the making of a world. */
#define MAKE(...)                                            \
    do {                                                     \
        w->failure = (cudaError_t)(__VA_ARGS__);             \
        if (w->failure != cudaSuccess) {                     \
            w->failed = #__VA_ARGS__;                        \
            return false;                                    \
        }                                                    \
    } while (0)

static void describe(struct world *w)
{
    w->func = (const void *)probe;
    w->symbol = (const void *)&symbol;
    w->kernel_name = "probe";
    w->never = w->room[9];
    w->nevers[0] = w->never;
    w->host_fn = host_fn;
    w->callback = stream_callback;
    w->cu_callback = cu_stream_callback;
    w->args[0] = &w->kernel_out;
    w->datas[0] = w->room[8];
    w->dataSizes[0] = 4;
    w->attributes[0] = 1;
    w->batch_to[0] = w->memory;
    w->batch_from[0] = w->memory + 4096;
    w->batch_managed[0] = w->managed;
    w->batch_sizes[0] = 64;
    w->batch_attributes.srcAccessOrder = w->batch_op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    w->batch_op.src.type = w->batch_op.dst.type = cudaMemcpyOperandTypePointer;
    w->batch_op.src.op.ptr.ptr = w->memory;
    w->batch_op.dst.op.ptr.ptr = w->memory + 8192;
    w->batch_op.extent = make_cudaExtent(16, 4, 2);
    w->cu_launch.gridDimX = w->cu_launch.gridDimY = w->cu_launch.gridDimZ = 1;
    w->cu_launch.blockDimX = w->cu_launch.blockDimY = w->cu_launch.blockDimZ = 1;
    w->cu_location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    memset(&w->ones_location, 0xff, sizeof w->ones_location);
    memset(&w->ones_cu_location, 0xff, sizeof w->ones_cu_location);
    w->one = dim3(1, 1, 1);
    w->zero_one = dim3(0, 0, 0);
    w->ones_one = dim3(~0u, ~0u, ~0u);
    w->extent = make_cudaExtent(16, 4, 2);
    memset(w->ones, 0xff, sizeof w->ones);
    memset(&w->ones_extent, 0xff, sizeof w->ones_extent);
    memset(&w->ones_pitched, 0xff, sizeof w->ones_pitched);
    memset(&w->ones_ipc_mem, 0xff, sizeof w->ones_ipc_mem);
    memset(&w->ones_ipc_event, 0xff, sizeof w->ones_ipc_event);
    w->pitched = make_cudaPitchedPtr(w->memory, 256, 64, 4);
    w->channel = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    w->copy3d.srcPtr = make_cudaPitchedPtr(w->memory, 256, 64, 4);
    w->copy3d.dstPtr = make_cudaPitchedPtr(w->memory + 8192, 256, 64, 4);
    w->copy3d.extent = make_cudaExtent(16, 4, 2);
    w->copy3d.kind = cudaMemcpyDeviceToDevice;
    w->copy_peer.srcPtr = w->copy3d.srcPtr;
    w->copy_peer.dstPtr = w->copy3d.dstPtr;
    w->copy_peer.extent = w->copy3d.extent;
    w->cu_copy3d.srcMemoryType = w->cu_copy3d.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    w->cu_copy3d.srcDevice = (CUdeviceptr)(uintptr_t)w->memory;
    w->cu_copy3d.dstDevice = (CUdeviceptr)(uintptr_t)w->memory + 8192;
    w->cu_copy3d.srcPitch = w->cu_copy3d.dstPitch = 256;
    w->cu_copy3d.srcHeight = w->cu_copy3d.dstHeight = 4;
    w->cu_copy3d.WidthInBytes = 16;
    w->cu_copy3d.Height = 4;
    w->cu_copy3d.Depth = 2;
    w->cu_copy2d.srcMemoryType = w->cu_copy2d.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    w->cu_copy2d.srcDevice = w->cu_copy3d.srcDevice;
    w->cu_copy2d.dstDevice = w->cu_copy3d.dstDevice;
    w->cu_copy2d.srcPitch = w->cu_copy2d.dstPitch = 256;
    w->cu_copy2d.WidthInBytes = 16;
    w->cu_copy2d.Height = 4;
    w->kernel_params.func = (void *)probe;
    w->kernel_params.gridDim = w->kernel_params.blockDim = dim3(1, 1, 1);
    w->kernel_params.kernelParams = w->args;
    w->cu_kernel_params.func = w->function;
    w->cu_kernel_params.gridDimX = w->cu_kernel_params.gridDimY = w->cu_kernel_params.gridDimZ = 1;
    w->cu_kernel_params.blockDimX = w->cu_kernel_params.blockDimY = w->cu_kernel_params.blockDimZ = 1;
    w->cu_kernel_params.kernelParams = w->args;
    w->memset_params.dst = w->memory;
    w->memset_params.elementSize = 4;
    w->memset_params.width = 16;
    w->memset_params.height = 1;
    w->cu_memset_params.dst = (CUdeviceptr)(uintptr_t)w->memory;
    w->cu_memset_params.elementSize = 4;
    w->cu_memset_params.width = 16;
    w->cu_memset_params.height = 1;
    w->host_params.fn = host_fn;
    w->cu_host_params.fn = host_fn;
    w->node_params.type = cudaGraphNodeTypeHost;
    w->node_params.host.fn = host_fn;
    w->pool_props.allocType = cudaMemAllocationTypePinned;
    w->pool_props.location.type = cudaMemLocationTypeDevice;
    w->alloc_params.poolProps = w->pool_props;
    w->virtual_prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    w->virtual_prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    w->virtual_prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    w->alloc_params.bytesize = 1024;
    w->access.location = w->location = w->pool_props.location;
    w->access.flags = cudaMemAccessFlagsProtReadWrite;
    w->launch.gridDim = w->launch.blockDim = dim3(1, 1, 1);
    w->cu_array_desc.Width = 64;
    w->cu_array_desc.Height = 32;
    w->cu_array_desc.Format = CU_AD_FORMAT_FLOAT;
    w->cu_array_desc.NumChannels = 1;
    w->cu_array3d_desc.Width = w->cu_array3d_desc.Height = w->cu_array3d_desc.Depth = 16;
    w->cu_array3d_desc.Format = CU_AD_FORMAT_FLOAT;
    w->cu_array3d_desc.NumChannels = 1;
    w->resource.resType = cudaResourceTypeArray;
    w->resource.res.array.array = w->array;
    w->texture_desc.readMode = cudaReadModeElementType;
    w->cu_resource.resType = CU_RESOURCE_TYPE_ARRAY;
    w->cu_resource.res.array.hArray = (CUarray)w->array;
}

static CUresult make_context(CUcontext *context)
{
#if CUDA_VERSION >= 13000
    return cuCtxCreate(context, NULL, 0, 0);
#else
    return cuCtxCreate(context, 0, 0);
#endif
}

/* Beside the current one, which stays so. */
static bool make_contexts(struct world *w)
{
    CUcontext popped;
    MAKE(make_context(&w->own_context));
    MAKE(cuCtxPopCurrent(&popped));
    MAKE(make_context(&w->dead.context));
    MAKE(cuCtxPopCurrent(&popped));
    MAKE(cuCtxDestroy(w->dead.context));
    return true;
}

static bool make_graph(struct world *w)
{
    cudaGraphNode_t node;
    MAKE(cudaGraphCreate(&w->child, 0));
    MAKE(cudaGraphAddEmptyNode(&node, w->child, NULL, 0));
    MAKE(cudaGraphCreate(&w->graph, 0));
    MAKE(cudaGraphAddKernelNode(&w->nodes.kernel, w->graph, NULL, 0, &w->kernel_params));
    MAKE(cudaGraphAddMemcpyNode(&w->nodes.memcpy, w->graph, NULL, 0, &w->copy3d));
    MAKE(cudaGraphAddMemcpyNodeToSymbol(&w->nodes.to_symbol, w->graph, NULL, 0, w->symbol, w->memory, 64, 0,
                                        cudaMemcpyDeviceToDevice));
    MAKE(cudaGraphAddMemcpyNodeFromSymbol(&w->nodes.from_symbol, w->graph, NULL, 0, w->memory, w->symbol, 64, 0,
                                          cudaMemcpyDeviceToDevice));
    MAKE(cudaGraphAddMemsetNode(&w->nodes.memset, w->graph, NULL, 0, &w->memset_params));
    MAKE(cudaGraphAddHostNode(&w->nodes.host, w->graph, NULL, 0, &w->host_params));
    MAKE(cudaGraphAddChildGraphNode(&w->nodes.child, w->graph, NULL, 0, w->child));
    MAKE(cudaGraphAddEmptyNode(&w->nodes.empty, w->graph, NULL, 0));
    MAKE(cudaGraphAddEmptyNode(&w->nodes.tail, w->graph, &w->nodes.host, 1));
    MAKE(cudaGraphAddEventRecordNode(&w->nodes.record, w->graph, NULL, 0, w->event));
    MAKE(cudaGraphAddEventWaitNode(&w->nodes.wait, w->graph, NULL, 0, w->event));
    MAKE(cudaGraphInstantiate(&w->exec, w->graph, 0));
    MAKE(cudaGraphClone(&w->clone, w->graph));
    cudaMemAllocNodeParams alloc = w->alloc_params;
    MAKE(cudaGraphCreate(&w->memory_graph, 0));
    MAKE(cudaGraphAddMemAllocNode(&w->nodes.alloc, w->memory_graph, NULL, 0, &alloc));
    MAKE(cudaGraphAddMemFreeNode(&w->nodes.free, w->memory_graph, &w->nodes.alloc, 1, alloc.dptr));
    cudaGraphNode_t kept;
    alloc = w->alloc_params;
    MAKE(cudaGraphAddMemAllocNode(&kept, w->memory_graph, NULL, 0, &alloc));
    w->graph_memory = alloc.dptr;
    MAKE(cudaUserObjectCreate(&w->object, NULL, host_fn, 2, cudaUserObjectNoDestructorSync));
    MAKE(cudaUserObjectCreate(&w->dead.object, NULL, host_fn, 1, cudaUserObjectNoDestructorSync));
    MAKE(cudaUserObjectRelease(w->dead.object, 1));
    MAKE(cudaGraphRetainUserObject(w->graph, w->object, 1, 0));
    MAKE(cudaGraphCreate(&w->dead.graph, 0));
    MAKE(cudaGraphAddEmptyNode(&w->dead.node, w->dead.graph, NULL, 0));
    MAKE(cudaGraphInstantiate(&w->dead.exec, w->dead.graph, 0));
    MAKE(cudaGraphExecDestroy(w->dead.exec));
    MAKE(cudaGraphDestroy(w->dead.graph));
    return true;
}

static bool make_arrays(struct world *w)
{
    cudaExtent size = make_cudaExtent(16, 16, 0);
    MAKE(cudaMallocArray(&w->array, &w->channel, 64, 32, cudaArraySurfaceLoadStore));
    MAKE(cudaMallocArray(&w->array2, &w->channel, 64, 32));
    MAKE(cudaMallocArray(&w->dead.array, &w->channel, 64, 32));
    MAKE(cudaMallocMipmappedArray(&w->mipmap, &w->channel, size, 2));
    MAKE(cudaMallocMipmappedArray(&w->dead.mipmap, &w->channel, size, 2));
    describe(w);
    MAKE(cudaCreateTextureObject(&w->texture, &w->resource, &w->texture_desc, NULL));
    MAKE(cudaCreateTextureObject(&w->dead.texture, &w->resource, &w->texture_desc, NULL));
    MAKE(cudaCreateSurfaceObject(&w->surface, &w->resource));
    MAKE(cudaCreateSurfaceObject(&w->dead.surface, &w->resource));
    MAKE(cudaDestroyTextureObject(w->dead.texture));
    MAKE(cudaDestroySurfaceObject(w->dead.surface));
    MAKE(cudaFreeArray(w->dead.array));
    MAKE(cudaFreeMipmappedArray(w->dead.mipmap));
    return true;
}

static bool make_library(struct world *w)
{
    w->image_file = getenv("API_IMAGE");
    if (!w->image_file)
        w->image_file = "/no/such/image";
    FILE *file = fopen(w->image_file, "rb");
    if (file) {
        static char bytes[1 << 20];
        if (fread(bytes, 1, sizeof bytes, file) > 0)
            w->image = bytes;
        fclose(file);
        MAKE(cuLibraryLoadData(&w->library, w->image, NULL, NULL, 0, NULL, NULL, 0));
        MAKE(cuLibraryLoadData(&w->dead.library, w->image, NULL, NULL, 0, NULL, NULL, 0));
        MAKE(cuLibraryUnload(w->dead.library));
        MAKE(cuLibraryGetKernel(&w->kernel, w->library, "probe"));
        MAKE(cuModuleLoadData(&w->module, w->image));
        MAKE(cuModuleLoadData(&w->dead.module, w->image));
        MAKE(cuModuleUnload(w->dead.module));
    }
    return true;
}

static bool make_virtual(struct world *w)
{
    CUmemAccessDesc access;
    CUdeviceptr at;
    int file;
    memset(&access, 0, sizeof access);
    access.location = w->virtual_prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    MAKE(cuMemCreate(&w->physical, GRANULE, &w->virtual_prop, 0));
    MAKE(cuMemCreate(&w->dead.physical, GRANULE, &w->virtual_prop, 0));
    MAKE(cuMemRelease(w->dead.physical));
    MAKE(cuMemAddressReserve(&at, GRANULE, 0, 0, 0));
    w->spare = (char *)at;
    MAKE(cuMemAddressReserve(&at, 2 * GRANULE, 0, 0, 0));
    w->mapped = (char *)at;
    MAKE(cuMemMap(at, GRANULE, 0, w->physical, 0));
    MAKE(cuMemSetAccess(at, GRANULE, &access, 1));
    MAKE(cuMemExportToShareableHandle(&file, w->physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    w->exported = (void *)(size_t)file;
    return true;
}

static bool make_world(struct world *w, int needs)
{
    memset((void *)w, 0, sizeof *w);
    w->needs = needs;
    MAKE(cuInit(0));
    MAKE(cudaFree(0));
    MAKE(cudaMalloc((void **)&w->memory, MEMORY_BYTES));
    MAKE(cudaMemset(w->memory, 0, MEMORY_BYTES));
    MAKE(cudaMallocHost((void **)&w->pinned, 4096));
    w->host = (char *)calloc(1, 8192);
    if (posix_memalign((void **)&w->page, 4096, 8192))
        return false;
    cudaFunction_t function;
    MAKE(cudaGetFuncBySymbol(&function, (const void *)probe));
    w->function = (CUfunction)function;
    MAKE(cudaDeviceGetPCIBusId(w->bus_id, sizeof w->bus_id, 0));
    MAKE(cudaStreamCreate(&w->stream));
    MAKE(cudaStreamCreate(&w->dead.stream));
    MAKE(cudaStreamDestroy(w->dead.stream));
    MAKE(cudaEventCreate(&w->event));
    MAKE(cudaEventCreate(&w->event2));
    MAKE(cudaEventCreate(&w->dead.event));
    MAKE(cudaEventDestroy(w->dead.event));
    MAKE(cudaEventRecord(w->event, 0));
    MAKE(cudaEventRecord(w->event2, 0));
    MAKE(cudaDeviceSynchronize());
    MAKE(cuCtxGetCurrent(&w->context));
    describe(w);
    if (needs & NEEDS_MANAGED) {
        MAKE(cudaMallocManaged((void **)&w->managed, 4096));
        describe(w);
    }
    if (needs & NEEDS_REGISTERED) {
        w->registered = (char *)w->page;
        MAKE(cudaHostRegister(w->registered, 4096, 0));
    }
    if (needs & NEEDS_POOL) {
        MAKE(cudaMallocAsync((void **)&w->ordered, 4096, 0));
        MAKE(cudaMemPoolCreate(&w->pool, &w->pool_props));
        MAKE(cudaMemPoolCreate(&w->dead.pool, &w->pool_props));
        MAKE(cudaMemPoolDestroy(w->dead.pool));
    }
    if ((needs & NEEDS_CONTEXT) && !make_contexts(w))
        return false;
    if ((needs & NEEDS_ARRAY) && !make_arrays(w))
        return false;
    if ((needs & NEEDS_LIBRARY) && !make_library(w))
        return false;
    if (needs & NEEDS_LINK) {
        MAKE(cuLinkCreate(0, NULL, NULL, &w->link));
        MAKE(cuLinkCreate(0, NULL, NULL, &w->dead.link));
        MAKE(cuLinkDestroy(w->dead.link));
    }
    if ((needs & NEEDS_GRAPH) && !make_graph(w))
        return false;
    if ((needs & NEEDS_VIRTUAL) && !make_virtual(w))
        return false;
    /* Last, so that nothing takes its place; and large, so that a card gives it back. */
    MAKE(cudaMalloc((void **)&w->dead_memory, 4 << 20));
    MAKE(cudaFree(w->dead_memory));
    if (needs & NEEDS_CAPTURE)
        MAKE(cudaStreamBeginCapture(w->stream, cudaStreamCaptureModeRelaxed));
    return true;
}

/* Room and descriptions as they were, for another call in the same world. */
static void reset_world(struct world *w)
{
    memset((void *)w->room, 0, sizeof w->room);
    memset((void *)w->zeros, 0, sizeof w->zeros);
    if (!(w->needs & NEEDS_ARRAY) || w->array)
        describe(w);
}

/* Objects stay: which of them the call has ended nobody knows. */
static void leave_world(struct world *w)
{
    free(w->host);
    w->host = NULL;
}

#endif
