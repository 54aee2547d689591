// Memory that nodes of graphs allocate: when it is there, who may free it, and when a graph may be launched again.
// "after": a kernel uses it when it was freed, which is an error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            printf("graph memory: FAILED at line %d: %s\n", __LINE__, #condition);  \
            exit(1);                                                                \
        }                                                                           \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)
#define REFUSED(call, code)               \
    do {                                  \
        EXPECT((call) == (code));         \
        EXPECT(cudaGetLastError() == (code)); \
    } while (0)

__global__ void fill(int *memory, int value) { memory[threadIdx.x] = value + threadIdx.x; }
__global__ void add(int *memory, int *out) { out[threadIdx.x] += memory[threadIdx.x]; }

static uint64_t attribute(cudaGraphMemAttributeType which)
{
    uint64_t value;
    OK(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

static int first_of(int *out)
{
    int value;
    OK(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* A graph that allocates, fills and adds to `out`, and frees if it is to; made by calls, or captured. */
static cudaGraph_t make(bool captured, cudaStream_t stream, int **memory, int *out, bool frees)
{
    cudaGraph_t graph;
    int value = 5;
    if (captured) {
        OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        OK(cudaMallocAsync(memory, 4096, stream));
        fill<<<1, 32, 0, stream>>>(*memory, value);
        add<<<1, 32, 0, stream>>>(*memory, out);
        OK(cudaMemsetAsync(*memory + 1, 0, 4, stream)); /* known by their addresses, before they are there */
        OK(cudaMemcpyAsync(*memory + 1, *memory, 4, cudaMemcpyDefault, stream));
        if (frees)
            OK(cudaFreeAsync(*memory, stream));
        OK(cudaStreamEndCapture(stream, &graph));
        return graph;
    }
    cudaGraphNode_t allocates, fills, adds, gone;
    cudaMemAllocNodeParams wanted = {};
    wanted.poolProps.allocType = cudaMemAllocationTypePinned;
    wanted.poolProps.location.type = cudaMemLocationTypeDevice;
    wanted.bytesize = 4096;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&allocates, graph, NULL, 0, &wanted));
    *memory = (int *)wanted.dptr;
    void *fill_args[] = {memory, &value}, *add_args[] = {memory, &out};
    cudaKernelNodeParams kernel = {(void *)fill, dim3(1), dim3(32), 0, fill_args, NULL};
    OK(cudaGraphAddKernelNode(&fills, graph, &allocates, 1, &kernel));
    kernel.func = (void *)add;
    kernel.kernelParams = add_args;
    OK(cudaGraphAddKernelNode(&adds, graph, &fills, 1, &kernel));
    if (frees)
        OK(cudaGraphAddMemFreeNode(&gone, graph, &adds, 1, *memory));
    cudaGraph_t clone;
    REFUSED(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    REFUSED(cudaGraphDestroyNode(adds), cudaErrorNotSupported);
    OK(cudaGraphCreate(&clone, 0));
    REFUSED(cudaGraphAddChildGraphNode(&gone, clone, NULL, 0, graph), cudaErrorNotSupported);
    OK(cudaGraphDestroy(clone));
    return graph;
}

static void launches(bool captured, cudaStream_t stream, int *out)
{
    int *memory, host[32];
    cudaGraphExec_t exec, other;
    OK(cudaMemset(out, 0, 128));

    /* freed inside: any number of launches */
    cudaGraph_t graph = make(captured, stream, &memory, out, true);
    REFUSED(cudaMemcpy(host, memory, 128, cudaMemcpyDeviceToHost), cudaErrorInvalidValue); /* not there yet */
    REFUSED(cudaFree(memory), cudaErrorInvalidValue);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    REFUSED(cudaGraphInstantiate(&other, graph, 0), cudaErrorNotSupported);
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(first_of(out) == 15 && attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
    EXPECT(attribute(cudaGraphMemAttrReservedMemCurrent) == 4096 && attribute(cudaGraphMemAttrUsedMemHigh) >= 4096);
    REFUSED(cudaFree(memory), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiate(&exec, graph, 0)); /* now there may be one again */
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    EXPECT(attribute(cudaGraphMemAttrReservedMemCurrent) == 0);

    /* freed outside, by the stream or by the host, before the next launch */
    graph = make(captured, stream, &memory, out, false);
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 4; i++) {
        OK(cudaGraphLaunch(exec, stream));
        REFUSED(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue); /* it was not freed */
        OK(cudaMemcpyAsync(host, memory, 128, cudaMemcpyDeviceToHost, stream));
        OK(cudaStreamSynchronize(stream));
        EXPECT(host[31] == 5 + 31 && attribute(cudaGraphMemAttrUsedMemCurrent) == 4096);
        if (i % 2)
            OK(cudaFree(memory));
        else
            OK(cudaFreeAsync(memory, stream));
        REFUSED(cudaFree(memory), cudaErrorInvalidValue);
    }
    EXPECT(first_of(out) == 35);

    /* freed by another graph */
    cudaGraph_t frees;
    cudaGraphNode_t node;
    OK(cudaGraphCreate(&frees, 0));
    OK(cudaGraphAddMemFreeNode(&node, frees, NULL, 0, memory));
    OK(cudaGraphInstantiate(&other, frees, 0));
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaGraphLaunch(other, stream));
    }
    OK(cudaStreamSynchronize(stream));
    EXPECT(first_of(out) == 45 && attribute(cudaGraphMemAttrUsedMemCurrent) == 0);
    OK(cudaGraphExecDestroy(other));
    OK(cudaGraphDestroy(frees));

    /* what is allocated when the graph goes is the program's */
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaMemcpy(host, memory, 128, cudaMemcpyDeviceToHost));
    EXPECT(host[0] == 5);
    OK(cudaFree(memory));

    /* freed by the launch itself */
    graph = make(captured, stream, &memory, out, false);
    OK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 3; i++)
        OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    EXPECT(first_of(out) == 65);
    OK(cudaFree(memory));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    uint64_t zero = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    EXPECT(attribute(cudaGraphMemAttrUsedMemHigh) == 0 && attribute(cudaGraphMemAttrReservedMemCurrent) == 0);
}

int main(int argc, char **)
{
    int *out, *memory, *ordinary;
    cudaStream_t stream;
    cudaGraph_t graph;
    OK(cudaMalloc(&out, 128));
    OK(cudaMalloc(&ordinary, 128));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int captured = 0; captured < 2; captured++) {
        launches(captured, stream, out);
        if (!captured)
            launches(false, 0, out);
    }
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    REFUSED(cudaFreeAsync(ordinary, stream), cudaErrorInvalidValue); /* of no graph */
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphDestroy(graph));
    if (argc > 1) {
        cudaGraphExec_t exec;
        graph = make(true, stream, &memory, out, true);
        OK(cudaGraphInstantiate(&exec, graph, 0));
        OK(cudaGraphLaunch(exec, stream));
        add<<<1, 32, 0, stream>>>(memory, out);
        EXPECT(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
    }
    puts("graph memory: PASSED");
}
