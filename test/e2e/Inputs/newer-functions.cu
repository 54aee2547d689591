/*
 * Functions newer than CUDA 12.3: batches of copies, prefetches and discards, pools by location, user objects of graphs,
 * edges with data, attributes of nodes, launches of the driver API with attributes. Results are worked out here.
 */
#include <cstdio>
#include <cstring>
#include <cuda.h>

/* Structures that cupti.h and programs name, of the sizes that CUDA 13's have. */
static_assert(sizeof(CUDA_EXTERNAL_MEMORY_HANDLE_DESC) == 104 && sizeof(CUDA_EXTERNAL_MEMORY_BUFFER_DESC) == 88 &&
                  sizeof(CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) == 120 && sizeof(CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) == 96 &&
                  sizeof(CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) == 144 && sizeof(CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) == 144 &&
                  sizeof(CUDA_LAUNCH_PARAMS) == 56,
              "as CUDA has them");

static int bad;
static int destroyed;

#define EXPECT(condition)                                              \
    do {                                                               \
        if (!(condition)) {                                            \
            printf("line %d: not %s\n", __LINE__, #condition);         \
            bad = 1;                                                   \
        }                                                              \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)
#define CU(call) EXPECT((call) == CUDA_SUCCESS)

static void destroy(void *count)
{
    destroyed += *(int *)count;
}

__global__ void add(int *values, int value)
{
    values[threadIdx.x] += value;
}

enum { COUNT = 64, BYTES = COUNT * sizeof(int) };
/* As C programs call them that were compiled with CUDA 12.8's headers. */
extern "C" cudaError_t copy_batch_of_12_8(void **to, const void **from, size_t *sizes, size_t count, cudaMemcpyAttributes *attributes, size_t *starts,
                                          size_t attribute_count, size_t *fail, cudaStream_t stream) __asm__("cudaMemcpyBatchAsync");
extern "C" CUresult copy_batch_of_driver_12_8(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count, CUmemcpyAttributes *attributes,
                                              size_t *starts, size_t attribute_count, size_t *fail, CUstream stream) __asm__("cuMemcpyBatchAsync");
extern "C" cudaError_t copy_boxes_of_12_8(size_t count, cudaMemcpy3DBatchOp *ops, size_t *fail, unsigned long long flags,
                                          cudaStream_t stream) __asm__("cudaMemcpy3DBatchAsync");

static const cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};

static void copies(cudaStream_t stream, int *a, int *b)
{
    int in[COUNT], out[COUNT] = {}, other[COUNT] = {};
    for (int i = 0; i < COUNT; i++)
        in[i] = i * i;
    void *to[] = {a, b}, *back[] = {out, other};
    int *from_device[] = {a, b};
    const void *from[] = {in, in + COUNT / 2};
    size_t sizes[] = {BYTES, BYTES / 2}, starts[] = {0, 1}, fail = 7;
    cudaMemcpyAttributes attributes[2] = {};
    attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    OK(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, starts, 2, stream));
    add<<<1, COUNT, 0, stream>>>(a, 1);
    OK(cudaMemcpyBatchAsync(back, from_device, sizes, 2, attributes[0], stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < COUNT; i++)
        EXPECT(out[i] == i * i + 1 && (i >= COUNT / 2 || other[i] == in[i + COUNT / 2]));

    /* Nothing of a wrong batch is done. */
    EXPECT(cudaMemcpyBatchAsync(back, from, sizes, 2, attributes, starts, 2, (cudaStream_t)0) == cudaErrorInvalidValue);
    starts[1] = 2;
    EXPECT(cudaMemcpyBatchAsync(back, from, sizes, 2, attributes, starts, 2, stream) == cudaErrorInvalidValue);
    starts[1] = 0;
    EXPECT(cudaMemcpyBatchAsync(back, from, sizes, 2, attributes, starts, 2, stream) == cudaErrorInvalidValue);
    starts[1] = 1;
    attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    EXPECT(cudaMemcpyBatchAsync(back, from, sizes, 2, attributes, starts, 2, stream) == cudaErrorInvalidValue);
    from[1] = NULL;
    EXPECT(cudaMemcpyBatchAsync(back, from, sizes, 2, attributes, starts, 1, stream) == cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(stream));
    EXPECT(out[3] == 10);
    /* CUDA 12.8's form */
    from[1] = in;
    OK(cudaMemcpyBatchAsync(back, (void **)from, sizes, 2, attributes, starts, 1, &fail, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(out[3] == 9 && fail == 7);
    from[0] = in + 1;
    OK(copy_batch_of_12_8(back, from, sizes, 1, attributes, starts, 1, &fail, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(out[3] == 16 && fail == 7);
    from[0] = in + 2;
    EXPECT(copy_batch_of_driver_12_8((CUdeviceptr *)back, (CUdeviceptr *)from, sizes, 1, (CUmemcpyAttributes *)attributes, starts, 1, &fail,
                                     stream) == CUDA_SUCCESS);
    OK(cudaStreamSynchronize(stream));
    EXPECT(out[3] == 25 && fail == 7);
    EXPECT(copy_batch_of_12_8(back, from, sizes, 0, attributes, starts, 1, &fail, stream) == cudaErrorInvalidValue && fail == ~(size_t)0);
}

static void boxes(cudaStream_t stream, int *a, int *b)
{
    int in[COUNT], out[COUNT], left[COUNT];
    for (int i = 0; i < COUNT; i++)
        in[i] = 3 * i;
    OK(cudaMemcpy(a, in, BYTES, cudaMemcpyHostToDevice));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    OK(cudaMallocArray(&array, &format, 8, 8));
    cudaMemcpy3DBatchOp ops[2] = {};
    ops[0].src.type = ops[1].src.type = ops[1].dst.type = cudaMemcpyOperandTypePointer;
    ops[0].dst.type = cudaMemcpyOperandTypeArray;
    ops[0].srcAccessOrder = ops[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    ops[0].src.op.ptr.ptr = in;
    ops[0].dst.op.array.array = array;
    ops[0].extent = make_cudaExtent(8, 8, 1); /* of the array's elements */
    ops[1].src.op.ptr.ptr = a;
    ops[1].src.op.ptr.rowLength = 16;
    ops[1].dst.op.ptr.ptr = b;
    ops[1].extent = make_cudaExtent(8, 4, 1); /* bytes */
    size_t fail = 7;
    OK(copy_boxes_of_12_8(2, ops, &fail, 0, stream));
    EXPECT(fail == 7 && copy_boxes_of_12_8(0, ops, &fail, 0, stream) == cudaErrorInvalidValue && fail == ~(size_t)0);
    OK(cudaMemcpy3DBatchAsync(2, ops, 0, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy2DFromArray(out, 32, array, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    EXPECT(!memcmp(in, out, BYTES));
    OK(cudaMemcpy(left, b, 32, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        EXPECT(left[2 * i] == in[4 * i] && left[2 * i + 1] == in[4 * i + 1]);
    ops[1].extent.depth = 0;
    EXPECT(cudaMemcpy3DBatchAsync(2, ops, 0, stream) == cudaErrorInvalidValue);
    ops[1].extent.depth = 1;
    ops[1].src.op.ptr.rowLength = 4;
    EXPECT(cudaMemcpy3DBatchAsync(2, ops, 0, stream) == cudaErrorInvalidValue);

    /* An object of an array that is gone */
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    OK(cudaFreeArray(array));
    EXPECT(cudaCreateSurfaceObject(&surface, &resource) != cudaSuccess);
    ops[1].src.op.ptr.rowLength = 0;
    EXPECT(cudaMemcpy3DBatchAsync(2, ops, 0, stream) == cudaErrorInvalidValue);
}

static int place_of(const int *memory, size_t bytes)
{
    int place = -7;
    OK(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributeLastPrefetchLocation, memory, bytes));
    return place;
}

static void managed(cudaStream_t stream, int *plain)
{
    enum { HALF = 16384 };
    int *memory;
    OK(cudaMallocManaged(&memory, 2 * HALF));
    int *ranges[] = {memory, memory + HALF / sizeof(int)};
    size_t sizes[] = {HALF, HALF}, starts[] = {0, 1};
    cudaMemLocation places[] = {device, host};
    OK(cudaMemPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, stream));
    EXPECT(place_of(ranges[0], HALF) == 0 && place_of(ranges[1], HALF) == cudaCpuDeviceId);
    OK(cudaMemDiscardAndPrefetchBatchAsync(ranges, sizes, 2, device, 0, stream));
    EXPECT(place_of(ranges[1], HALF) == 0);
    OK(cudaMemDiscardBatchAsync(ranges, sizes, 2, 0, stream));
    OK(cudaMemPrefetchAsync(memory, HALF, host, 0, stream));
    EXPECT(place_of(memory, HALF) == cudaCpuDeviceId);
    OK(cudaMemPrefetchAsync(memory, HALF, 0, stream));
    OK(cudaMemAdvise(memory, HALF, cudaMemAdviseSetPreferredLocation, host));
    ranges[1] = plain; /* no managed memory */
    EXPECT(cudaMemPrefetchBatchAsync(ranges, sizes, 2, places, starts, 2, 0, stream) == cudaErrorInvalidValue);
    EXPECT(cudaMemDiscardBatchAsync(ranges, sizes, 2, 0, stream) == cudaErrorInvalidValue);
}

static void pools()
{
    cudaMemPool_t first, pool, now;
    cudaMemPoolProps props = {};
    cudaMemLocation here = device, there = host;
    props.allocType = cudaMemAllocationTypePinned;
    props.location = device;
    OK(cudaMemGetDefaultMemPool(&first, &here, cudaMemAllocationTypePinned));
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, pool));
    OK(cudaDeviceGetMemPool(&now, 0));
    EXPECT(now == pool);
    OK(cudaMemPoolDestroy(pool));
    OK(cudaMemGetMemPool(&now, &here, cudaMemAllocationTypePinned));
    EXPECT(now == first);
    EXPECT(cudaMemGetMemPool(&now, &there, cudaMemAllocationTypePinned) == cudaErrorNotSupported);
}

static void graphs(cudaStream_t stream, int *a)
{
    int one = 1;
    cudaUserObject_t object;
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaUserObjectCreate(&object, &one, destroy, 1, cudaUserObjectNoDestructorSync));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    cudaKernelNodeParams params = {};
    int value = 5;
    void *args[] = {&a, &value};
    params.func = (void *)add;
    params.gridDim = dim3(1);
    params.blockDim = dim3(COUNT);
    params.kernelParams = args;
    cudaGraphNode_t first, second, from[2], to[2];
    OK(cudaGraphAddKernelNode(&first, graph, NULL, 0, &params));
    OK(cudaGraphAddKernelNode(&second, graph, NULL, 0, &params));
    cudaGraphEdgeData edges[2] = {};
    OK(cudaGraphAddDependencies(graph, &first, &second, edges, 1));
    size_t count = 2;
    memset(edges, 1, sizeof edges);
    OK(cudaGraphGetEdges(graph, from, to, edges, &count));
    EXPECT(count == 1 && from[0] == first && to[0] == second && !edges[0].type && edges[1].type == 1);
    EXPECT(cudaGraphAddDependencies(graph, &first, &second, edges + 1, 1) == cudaErrorNotSupported);

    cudaKernelNodeAttrValue attribute = {};
    attribute.priority = -1;
    OK(cudaGraphKernelNodeSetAttribute(first, cudaLaunchAttributePriority, &attribute));
    OK(cudaGraphKernelNodeCopyAttributes(second, first));
    attribute.priority = 0;
    OK(cudaGraphKernelNodeGetAttribute(second, cudaLaunchAttributePriority, &attribute));
    EXPECT(attribute.priority == -1);

    /* The object lives as long as any graph that was made from its own. */
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphExecDestroy(exec));
    EXPECT(!destroyed);
    OK(cudaGraphReleaseUserObject(clone, object));
    OK(cudaStreamSynchronize(stream));
    EXPECT(destroyed == 1);
    EXPECT(cudaGraphReleaseUserObject(clone, object) == cudaErrorInvalidValue);
    OK(cudaUserObjectCreate(&object, &one, destroy, 2, cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRetain(object));
    OK(cudaUserObjectRelease(object, 2));
    EXPECT(destroyed == 1);
    OK(cudaUserObjectRelease(object));
    EXPECT(destroyed == 2 && cudaUserObjectRelease(object) == cudaErrorInvalidValue);
}

static void driver(cudaStream_t stream, int *a, int *b)
{
    CUcontext context;
    CUdevice number = 9;
    unsigned long long id = 0;
    CU(cuInit(0));
    CU(cuDevicePrimaryCtxRetain(&context, 0));
    CU(cuCtxSetCurrent(context));
    CU(cuCtxGetId(context, &id));
    CU(cuStreamGetDevice(stream, &number));
    EXPECT(id && number == 0);
    CUdeviceptr to[] = {(CUdeviceptr)a}, from[] = {(CUdeviceptr)b};
    size_t sizes[] = {BYTES}, start = 0;
    CUmemcpyAttributes attributes = {};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    CU(cuMemsetD32Async(from[0], 11, COUNT, stream));
    CU(cuMemcpyBatchAsync(to, from, sizes, 1, &attributes, &start, 1, stream));

    cudaFunction_t function;
    CUfunctionLoadingState state = CU_FUNCTION_LOADING_STATE_UNLOADED;
    OK(cudaGetFuncBySymbol(&function, (const void *)add));
    CU(cuFuncIsLoaded(&state, function));
    EXPECT(state == CU_FUNCTION_LOADING_STATE_LOADED);
    CUlaunchConfig config = {};
    CUlaunchAttribute cluster = {};
    int value = 2, out[COUNT];
    void *args[] = {&a, &value};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.blockDimX = COUNT;
    config.hStream = stream;
    CU(cuLaunchKernelEx(&config, function, args, NULL));
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = 2;
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    EXPECT(cuLaunchKernelEx(&config, function, args, NULL) != CUDA_SUCCESS);
    CU(cuCtxSynchronize_v2(context));
    OK(cudaMemcpy(out, a, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        EXPECT(out[i] == 13);
    EXPECT(cuGreenCtxDestroy(NULL) == CUDA_ERROR_NOT_SUPPORTED);
}

int main()
{
    cudaStream_t stream;
    int *a, *b;
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc(&a, BYTES));
    OK(cudaMalloc(&b, BYTES));
    copies(stream, a, b);
    boxes(stream, a, b);
    managed(stream, a);
    pools();
    graphs(stream, a);
    cudaAtomicOperation operation = cudaAtomicOperationIntegerAdd;
    unsigned capabilities = 9;
    OK(cudaDeviceGetHostAtomicCapabilities(&capabilities, &operation, 1, 0));
    EXPECT(!capabilities && cudaDeviceGetP2PAtomicCapabilities(&capabilities, &operation, 1, 0, 0) == cudaErrorInvalidDevice);
    driver(stream, a, b);
    printf("newer functions: %s\n", bad ? "FAILED" : "PASSED");
    return bad;
}
