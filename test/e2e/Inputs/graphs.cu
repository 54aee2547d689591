// CUDA graphs: captured from streams and built by calls, questions about them, changes to executable ones, and order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("graphs: FAILED at line %d: %s\n", __LINE__, #condition);  \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

/* v becomes v * factor + addend: the result tells the order of several. */
__global__ void step(int *v, int factor, int addend) { v[threadIdx.x] = v[threadIdx.x] * factor + addend; }
__global__ void sum(const int *a, const int *b, int *out) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }
__device__ int symbol[32];

static int host_calls;
static void CUDART_CB count_call(void *data)
{
    host_calls += *(int *)data;
    int device;
    OK(cudaGetDevice(&device)); /* may call the runtime */
}
static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void *data) { *(int *)data += status == cudaSuccess; }

/* Fork into a second stream and join again. */
static void captured(int *a, int *b, int *out)
{
    cudaStream_t one, two;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    static int in[32], result[32], called = 1, seen = 0;
    for (int i = 0; i < 32; i++)
        in[i] = i;
    OK(cudaStreamCreate(&one));
    OK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    OK(cudaEventCreate(&forked));
    OK(cudaEventCreate(&joined));
    OK(cudaMemset(a, 0x7f, 128));
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    OK(cudaMemcpyAsync(a, in, 128, cudaMemcpyHostToDevice, one));
    OK(cudaEventRecord(forked, one));
    OK(cudaStreamWaitEvent(two, forked));
    OK(cudaMemsetAsync(b, 0, 128, two));
    step<<<1, 32, 0, two>>>(b, 1, 1000);
    step<<<1, 32, 0, one>>>(a, 10, 3);
    OK(cudaEventRecord(joined, two));
    OK(cudaStreamWaitEvent(one, joined));
    sum<<<1, 32, 0, one>>>(a, b, out);
    OK(cudaLaunchHostFunc(one, count_call, &called));
    OK(cudaStreamAddCallback(one, on_stream, &seen, 0));
    OK(cudaMemcpyAsync(result, out, 128, cudaMemcpyDeviceToHost, one));
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(two, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(one, &graph));
    OK(cudaStreamIsCapturing(two, &status));
    EXPECT(status == cudaStreamCaptureStatusNone);
    OK(cudaGetLastError());
    EXPECT(host_calls == 0 && seen == 0 && result[5] == 0); /* nothing has run */

    size_t nodes = 0, edges = 0, roots = 0;
    OK(cudaGraphGetNodes(graph, NULL, &nodes));
    OK(cudaGraphGetEdges(graph, NULL, NULL, &edges));
    OK(cudaGraphGetRootNodes(graph, NULL, &roots));
    EXPECT(nodes == 8 && edges == 8 && roots == 1);
    OK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    OK(cudaGraphDestroy(graph)); /* the executable one lives on */
    for (int launch = 1; launch <= 3; launch++) {
        memset(result, 0, sizeof result);
        in[5] = 5 + launch;
        OK(cudaGraphLaunch(exec, one));
        OK(cudaStreamSynchronize(one));
        EXPECT(host_calls == launch && seen == launch);
        EXPECT(result[4] == 4 * 10 + 3 + 1000 && result[5] == (5 + launch) * 10 + 3 + 1000);
    }

    /* another capture of the same form brings it up to date; of another form, it cannot */
    for (int again = 0; again < 2; again++) {
        cudaGraphExecUpdateResultInfo info;
        OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed));
        OK(cudaMemcpyAsync(a, in, 128, cudaMemcpyHostToDevice, one));
        OK(cudaGraphLaunch(exec, one)); /* becomes a child */
        if (again)
            step<<<1, 32, 0, one>>>(a, 2, 0);
        OK(cudaStreamEndCapture(one, &graph));
        cudaGraphExec_t other;
        OK(cudaGraphInstantiateWithFlags(&other, graph, 0));
        EXPECT(cudaGraphExecUpdate(exec, graph, &info) == cudaErrorGraphExecUpdateFailure);
        EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
        cudaGetLastError();
        OK(cudaGraphExecUpdate(other, graph, &info));
        EXPECT(info.result == cudaGraphExecUpdateSuccess);
        in[6] = 60 + again;
        OK(cudaGraphLaunch(other, 0));
        EXPECT(result[6] == (60 + again) * 10 + 3 + 1000);
        OK(cudaGraphExecDestroy(other));
        OK(cudaGraphDestroy(graph));
    }
    OK(cudaGraphExecDestroy(exec));

    /* a stream that goes before the capture ends leaves what it had */
    for (int joins = 1; joins >= 0; joins--) {
        cudaStream_t brief;
        OK(cudaStreamCreateWithFlags(&brief, cudaStreamNonBlocking));
        OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
        OK(cudaEventRecord(forked, one));
        OK(cudaStreamWaitEvent(brief, forked));
        step<<<1, 32, 0, brief>>>(a, 0, 55);
        OK(cudaEventRecord(joined, brief));
        if (joins)
            OK(cudaStreamWaitEvent(one, joined));
        OK(cudaStreamDestroy(brief));
        EXPECT(cudaStreamEndCapture(one, &graph) == (joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
        cudaGetLastError();
        if (!joins)
            continue;
        OK(cudaGraphInstantiate(&exec, graph));
        OK(cudaGraphLaunch(exec, one));
        OK(cudaStreamSynchronize(one));
        OK(cudaMemcpy(result, a, 128, cudaMemcpyDeviceToHost));
        EXPECT(result[0] == 55);
        OK(cudaGraphExecDestroy(exec));
        OK(cudaGraphDestroy(graph));
    }

    /* what a capture does not allow */
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    EXPECT(cudaStreamSynchronize(one) == cudaErrorStreamCaptureUnsupported);
    step<<<1, 32, 0, one>>>(a, 2, 0);
    EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated && !graph);
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    OK(cudaEventRecord(forked, one));
    OK(cudaStreamWaitEvent(two, forked));
    step<<<1, 32, 0, two>>>(a, 2, 0);
    EXPECT(cudaStreamEndCapture(two, &graph) == cudaErrorStreamCaptureUnmatched);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureUnjoined);
    OK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    EXPECT(cudaMemset(a, 0, 4) == cudaErrorStreamCaptureImplicit);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorStreamCaptureInvalidated);
    EXPECT(cudaStreamEndCapture(one, &graph) == cudaErrorIllegalState);
    EXPECT(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    step<<<1, 32, 0, one>>>(a, 0, 77); /* and the stream works as before */
    OK(cudaStreamSynchronize(one));
    OK(cudaMemcpy(result, a, 128, cudaMemcpyDeviceToHost));
    EXPECT(result[0] == 77);
    OK(cudaEventDestroy(forked));
    OK(cudaEventDestroy(joined));
    OK(cudaStreamDestroy(two));
    OK(cudaStreamDestroy(one));
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaGraphNode_t *needs, size_t count, int *v, int factor, int addend)
{
    void *args[] = {&v, &factor, &addend}; /* gone when this function is left */
    cudaKernelNodeParams params = {};
    cudaGraphNode_t node;
    params.func = (void *)step;
    params.gridDim = dim3(1);
    params.blockDim = dim3(32);
    params.kernelParams = args;
    OK(cudaGraphAddKernelNode(&node, graph, needs, count, &params));
    return node;
}

static void built(int *a, int *b)
{
    cudaGraph_t graph, child, clone;
    cudaGraphExec_t exec;
    cudaGraphNode_t set, times, plus, back, inner, host, empty, record, to_symbol, found;
    cudaEvent_t event;
    static int result[32], ones[32], called = 100;
    for (int i = 0; i < 32; i++)
        ones[i] = 1;
    host_calls = 0;
    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&child, 0));
    kernel_node(child, NULL, 0, a, 3, 0);

    /* made in the reverse of their order: ((2 * 5) + 7) * 3 */
    back = NULL;
    OK(cudaGraphAddMemcpyNode1D(&back, graph, NULL, 0, result, a, 128, cudaMemcpyDeviceToHost));
    OK(cudaGraphAddChildGraphNode(&inner, graph, NULL, 0, child));
    plus = kernel_node(graph, NULL, 0, a, 1, 7);
    times = kernel_node(graph, NULL, 0, a, 5, 0);
    cudaMemsetParams two = {};
    two.dst = a;
    two.elementSize = 4;
    two.value = 2;
    two.width = 32;
    two.height = 1;
    OK(cudaGraphAddMemsetNode(&set, graph, NULL, 0, &two));
    cudaGraphNode_t from[] = {set, times, plus, inner}, to[] = {times, plus, inner, back};
    OK(cudaGraphAddDependencies(graph, from, to, 4));
    EXPECT(cudaGraphAddDependencies(graph, &back, &set, 1) == cudaErrorInvalidValue); /* a circle */
    cudaHostNodeParams host_params = {count_call, &called};
    OK(cudaGraphAddHostNode(&host, graph, &back, 1, &host_params));
    OK(cudaGraphAddEmptyNode(&empty, graph, &host, 1));
    OK(cudaGraphAddEventRecordNode(&record, graph, &empty, 1, event));
    OK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, graph, &record, 1, symbol, ones, 64, 64, cudaMemcpyHostToDevice));

    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(inner, &type));
    EXPECT(type == cudaGraphNodeTypeGraph);
    cudaGraphNode_t dependents[4];
    size_t count = 4;
    OK(cudaGraphNodeGetDependentNodes(times, dependents, &count));
    EXPECT(count == 1 && dependents[0] == plus && dependents[1] == NULL);
    count = 4;
    OK(cudaGraphNodeGetDependencies(back, dependents, &count));
    EXPECT(count == 1 && dependents[0] == inner);
    cudaKernelNodeParams got;
    OK(cudaGraphKernelNodeGetParams(plus, &got));
    EXPECT(got.func == (void *)step && got.blockDim.x == 32 && *(int *)got.kernelParams[2] == 7);
    EXPECT(cudaGraphMemsetNodeGetParams(plus, &two) == cudaErrorInvalidValue);
    cudaGetLastError();

    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, cudaStreamPerThread));
    EXPECT(result[31] == (2 * 5 + 7) * 3 && host_calls == 100);
    int symbols[32];
    OK(cudaMemcpyFromSymbol(symbols, symbol, 128));
    EXPECT(symbols[15] == 0 && symbols[16] == 1 && symbols[31] == 1);
    OK(cudaEventSynchronize(event));

    /* the executable graph changes, the graph does not */
    int factor = 4, addend = 1;
    void *args[] = {&a, &factor, &addend};
    got.kernelParams = args;
    OK(cudaGraphExecKernelNodeSetParams(exec, times, &got));
    OK(cudaGraphNodeSetEnabled(exec, plus, 0));
    OK(cudaGraphLaunch(exec, 0));
    EXPECT(result[0] == (2 * 4 + 1) * 3);
    OK(cudaGraphExecUpdate(exec, graph, NULL, NULL));
    OK(cudaGraphNodeSetEnabled(exec, plus, 1));
    OK(cudaGraphLaunch(exec, 0));
    EXPECT(result[0] == (2 * 5 + 7) * 3);

    /* a clone has nodes of its own */
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, plus, clone));
    EXPECT(found && found != plus);
    OK(cudaGraphDestroyNode(found));
    OK(cudaGraphNodeFindInClone(&found, times, clone));
    cudaGraphNode_t inner_clone;
    OK(cudaGraphNodeFindInClone(&inner_clone, inner, clone));
    OK(cudaGraphAddDependencies(clone, &found, &inner_clone, 1));
    cudaGraphExec_t second;
    OK(cudaGraphInstantiate(&second, clone, 0));
    OK(cudaGraphLaunch(second, 0));
    EXPECT(result[0] == 2 * 5 * 3);
    OK(cudaGraphLaunch(exec, 0));
    EXPECT(result[0] == (2 * 5 + 7) * 3);

    /* boxes of rows */
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(a, 16, 4, 8);
    box.dstPtr = make_cudaPitchedPtr(b, 8, 8, 8);
    box.extent = make_cudaExtent(8, 8, 1);
    box.kind = cudaMemcpyDeviceToDevice;
    cudaGraph_t third;
    OK(cudaGraphCreate(&third, 0));
    OK(cudaGraphAddMemcpyNode(&back, third, NULL, 0, &box));
    cudaGraphExec_t rows;
    OK(cudaGraphInstantiate(&rows, third, 0));
    for (int i = 0; i < 32; i++)
        ones[i] = i;
    OK(cudaMemcpy(a, ones, 128, cudaMemcpyHostToDevice));
    OK(cudaGraphLaunch(rows, 0));
    OK(cudaMemcpy(result, b, 64, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++)
        EXPECT(result[i] == i / 2 * 4 + i % 2);
    OK(cudaGraphExecDestroy(rows));
    OK(cudaGraphExecDestroy(second));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(third));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(child));
    OK(cudaGraphDestroy(graph));
}

int main()
{
    int *a, *b, *out;
    OK(cudaMalloc(&a, 128));
    OK(cudaMalloc(&b, 128));
    OK(cudaMalloc(&out, 128));
    captured(a, b, out);
    built(a, b);
    puts("graphs: PASSED");
}
