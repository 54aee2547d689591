/* Handles that were destroyed, destroyed twice or never made, null out-pointers and flags that are none: the code that
 * the API reference names for each, and no crash. What was made afterwards still works. */
#include <cstdio>

static int wrong;
#define IS(code, ...)                                                                                    \
    do {                                                                                                 \
        cudaError_t got_ = (__VA_ARGS__);                                                                \
        cudaGetLastError();                                                                              \
        if (got_ != (code) && ++wrong)                                                                   \
            printf("line %d: %s is %s, not %s\n", __LINE__, #__VA_ARGS__, cudaGetErrorName(got_), #code); \
    } while (0)
#define OK(...) IS(cudaSuccess, __VA_ARGS__)
#define VALUE(...) IS(cudaErrorInvalidValue, __VA_ARGS__)
#define HANDLE(...) IS(cudaErrorInvalidResourceHandle, __VA_ARGS__)

__global__ void one(int *out)
{
    *out = 1;
}

static void refuses_stream(cudaStream_t stream, int *out)
{
    int priority;
    unsigned flags;
    void *args[] = {&out};
    cudaStreamCaptureStatus status;
    HANDLE(cudaStreamDestroy(stream));
    HANDLE(cudaStreamSynchronize(stream));
    HANDLE(cudaStreamQuery(stream));
    HANDLE(cudaStreamGetPriority(stream, &priority));
    HANDLE(cudaStreamGetFlags(stream, &flags));
    HANDLE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    HANDLE(cudaStreamIsCapturing(stream, &status));
    HANDLE(cudaMemcpyAsync(out, out + 1, 4, cudaMemcpyDeviceToDevice, stream));
    HANDLE(cudaMemsetAsync(out, 0, 4, stream));
    HANDLE(cudaMallocAsync((void **)&out, (size_t)4, stream));
    HANDLE(cudaLaunchKernel((const void *)one, 1, 1, args, 0, stream));
    HANDLE((one<<<1, 1, 0, stream>>>(out), cudaGetLastError()));
}

static void refuses_event(cudaEvent_t event, cudaEvent_t good)
{
    float ms;
    HANDLE(cudaEventDestroy(event));
    HANDLE(cudaEventRecord(event, 0));
    HANDLE(cudaEventQuery(event));
    HANDLE(cudaEventSynchronize(event));
    HANDLE(cudaStreamWaitEvent(0, event, 0));
    HANDLE(cudaEventElapsedTime(&ms, good, event));
}

static void refuses_graph(cudaGraph_t graph, cudaGraphNode_t node, cudaGraphExec_t exec, cudaGraph_t good)
{
    size_t count;
    cudaGraph_t clone;
    cudaGraphExec_t made;
    cudaGraphNode_t added;
    cudaGraphNodeType type;
    VALUE(cudaGraphDestroy(graph));
    VALUE(cudaGraphClone(&clone, graph));
    VALUE(cudaGraphInstantiate(&made, graph, 0));
    VALUE(cudaGraphGetNodes(graph, NULL, &count));
    VALUE(cudaGraphAddEmptyNode(&added, graph, NULL, 0));
    VALUE(cudaGraphAddEmptyNode(&added, good, &node, 1));
    VALUE(cudaGraphAddEmptyNode(&added, good, NULL, 1));
    VALUE(cudaGraphAddChildGraphNode(&added, good, NULL, 0, graph));
    VALUE(cudaGraphNodeGetType(node, &type));
    VALUE(cudaGraphDestroyNode(node));
    VALUE(cudaGraphLaunch(exec, 0));
    VALUE(cudaGraphUpload(exec, 0));
    VALUE(cudaGraphExecDestroy(exec));
}

static void null_pointers_and_flags()
{
    int value;
    size_t bytes;
    cudaStream_t stream;
    cudaEvent_t event;
    VALUE(cudaFuncGetAttributes(NULL, (const void *)one));
    VALUE(cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    VALUE(cudaDeviceCanAccessPeer(NULL, 0, 0));
    VALUE(cudaGetDeviceFlags(NULL));
    VALUE(cudaDeviceGetCacheConfig(NULL));
    VALUE(cudaDeviceGetSharedMemConfig(NULL));
    VALUE(cudaDriverGetVersion(NULL));
    VALUE(cudaRuntimeGetVersion(NULL));
    VALUE(cudaDeviceGetPCIBusId(NULL, 16, 0));
    VALUE(cudaSetValidDevices(NULL, 1));
    VALUE(cudaStreamGetPriority(0, NULL));
    VALUE(cudaStreamGetFlags(0, NULL));
    VALUE(cudaStreamCreateWithFlags(&stream, 2));
    VALUE(cudaEventCreateWithFlags(&event, 8));
    VALUE(cudaHostAlloc((void **)&stream, 16, 8));
    VALUE(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&value, (const void *)one, 32, 0, 2));
    VALUE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (const void *)one, 0, 0));
    VALUE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, (const void *)one, 32, ~(size_t)0));
    VALUE(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, (const void *)one, -1, 32));
    IS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&value, 1, 0));
}

int main()
{
    int *out;
    size_t count;
    cudaStream_t stream;
    cudaEvent_t event, good_event;
    cudaGraph_t graph, good;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    OK(cudaMalloc(&out, 64));
    OK(cudaGraphCreate(&good, 0));
    OK(cudaEventCreate(&good_event));
    OK(cudaEventRecord(good_event, 0));
    refuses_stream((cudaStream_t)0x999, out);
    refuses_stream((cudaStream_t)out, out);
    refuses_event((cudaEvent_t)0x999, good_event);
    refuses_event((cudaEvent_t)good, good_event);
    refuses_graph((cudaGraph_t)0x999, (cudaGraphNode_t)0x999, (cudaGraphExec_t)0x999, good);
    refuses_graph((cudaGraph_t)good_event, NULL, (cudaGraphExec_t)good, good);
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamDestroy(stream));
    refuses_stream(stream, out);
    OK(cudaEventCreate(&event));
    OK(cudaEventDestroy(event));
    refuses_event(event, good_event);
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    refuses_graph(graph, node, exec, good);
    OK(cudaGraphGetNodes(good, NULL, &count));
    wrong += count != 0;
    /* One, two or four channels of one width: 8, 16 or 32 bits, floats of 16 or 32. */
    const cudaChannelFormatDesc formats[] = {{32, 32, 32, 0, cudaChannelFormatKindFloat}, {8, 8, 8, 0, cudaChannelFormatKindUnsigned},
                                             {32, 0, 32, 0, cudaChannelFormatKindFloat},  {8, 16, 0, 0, cudaChannelFormatKindSigned},
                                             {12, 0, 0, 0, cudaChannelFormatKindSigned},  {64, 0, 0, 0, cudaChannelFormatKindSigned},
                                             {8, 0, 0, 0, cudaChannelFormatKindFloat},    {32, 0, 0, 0, cudaChannelFormatKindNone}};
    for (const cudaChannelFormatDesc &format : formats)
        IS(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&array, &format, 16, 16));
    OK(cudaMallocArray(&array, &desc, 16, 16));
    OK(cudaFreeArray(array));
    VALUE(cudaFreeArray(array));
    VALUE(cudaGetChannelDesc(&desc, array));
    OK(cudaFreeArray(NULL));
    null_pointers_and_flags();
    OK(cudaStreamCreate(&stream));
    one<<<1, 1, 0, stream>>>(out);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    OK(cudaGraphDestroy(good));
    OK(cudaEventDestroy(good_event));
    printf("arguments: %s\n", wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
