// Streams: what runs together and what one after the other, by results and by simulated time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                      \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("streams: FAILED at line %d: %s\n", __LINE__, #condition);  \
            exit(1);                                                           \
        }                                                                      \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

/* One dependent chain: as long as `count` says, in one block of one SM. */
__global__ void chain(float *out, int count)
{
    float x = out[threadIdx.x];
    for (int i = 0; i < count; i++)
        x = x * 0.5f + 1.0f;
    out[threadIdx.x] = x;
}
/* v becomes v * factor + addend: the result tells the order of several. */
__global__ void step(int *v, int factor, int addend) { v[threadIdx.x] = v[threadIdx.x] * factor + addend; }
__global__ void fails(int *v) { *(volatile int *)0 = *v; }

enum { LANES = 32, COUNT = 30000, STREAMS = 4 };

static float *floats;
static int *ints;

/* Milliseconds of a chain in each of `count` streams, which may be the same. */
static float time_of(cudaStream_t *streams, int count)
{
    cudaEvent_t before, after;
    float ms;
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    OK(cudaEventRecord(before));
    for (int i = 0; i < count; i++)
        chain<<<1, LANES, 0, streams[i]>>>(floats + LANES * i, COUNT);
    OK(cudaEventRecord(after));
    OK(cudaEventSynchronize(after));
    OK(cudaEventElapsedTime(&ms, before, after));
    OK(cudaEventDestroy(before));
    OK(cudaEventDestroy(after));
    return ms;
}

static void together_and_in_order(void)
{
    cudaStream_t streams[STREAMS], same[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        OK(cudaStreamCreate(&streams[i]));
        same[i] = streams[0];
    }
    float one = time_of(streams, 1), all = time_of(streams, STREAMS), ordered = time_of(same, STREAMS);
    EXPECT(all < 1.2f * one);
    EXPECT(ordered > 3.5f * one && ordered < 4.5f * one);
    for (int i = 0; i < STREAMS; i++)
        OK(cudaStreamDestroy(streams[i]));
}

static void order_in_a_stream(void)
{
    cudaStream_t stream;
    int *pinned, pageable[LANES], result[LANES];
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocHost(&pinned, LANES * sizeof(int)));
    for (int i = 0; i < LANES; i++)
        pageable[i] = pinned[i] = i;
    OK(cudaMemcpyAsync(ints, pageable, sizeof pageable, cudaMemcpyHostToDevice, stream));
    memset(pageable, 0, sizeof pageable); /* has been read */
    step<<<1, LANES, 0, stream>>>(ints, 3, 1);
    step<<<1, LANES, 0, stream>>>(ints, 5, 2);
    OK(cudaMemcpyAsync(pinned, ints, sizeof pageable, cudaMemcpyDeviceToHost, stream));
    OK(cudaMemsetAsync(ints, 0, sizeof pageable, stream));
    step<<<1, LANES, 0, stream>>>(ints, 1, 7);
    OK(cudaMemcpyAsync(result, ints, sizeof result, cudaMemcpyDeviceToHost, stream));
    OK(cudaStreamSynchronize(stream));
    for (int i = 0; i < LANES; i++)
        EXPECT(pinned[i] == (i * 3 + 1) * 5 + 2 && result[i] == 7);
    OK(cudaFreeHost(pinned));
    OK(cudaStreamDestroy(stream));
}

static int calls[4], call_count;
static void CUDART_CB note_call(void *data) { calls[call_count++] = *(int *)data; }

static void events_and_functions(void)
{
    cudaStream_t first, second;
    cudaEvent_t done, unused;
    int value, numbers[] = {1, 2, 3};
    call_count = 0;
    OK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    OK(cudaEventCreate(&unused));
    OK(cudaMemset(ints, 0, sizeof(int)));
    chain<<<1, LANES, 0, first>>>(floats, COUNT);
    step<<<1, 1, 0, first>>>(ints, 1, 10);
    OK(cudaLaunchHostFunc(first, note_call, &numbers[0]));
    OK(cudaEventRecord(done, first));
    OK(cudaStreamWaitEvent(second, unused)); /* never recorded: nothing to wait for */
    OK(cudaLaunchHostFunc(second, note_call, &numbers[1]));
    OK(cudaStreamWaitEvent(second, done));
    step<<<1, 1, 0, second>>>(ints, 3, 0);
    OK(cudaLaunchHostFunc(second, note_call, &numbers[2]));
    OK(cudaStreamSynchronize(second));
    EXPECT(call_count == 3 && calls[0] == 2 && calls[1] == 1 && calls[2] == 3);
    OK(cudaMemcpy(&value, ints, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 30);
    OK(cudaEventDestroy(done));
    OK(cudaEventDestroy(unused));
    OK(cudaStreamDestroy(first));
    OK(cudaStreamDestroy(second));
}

/* The legacy stream waits for blocking streams, they for it. */
static void legacy_stream(void)
{
    cudaStream_t blocking;
    int value;
    OK(cudaStreamCreate(&blocking));
    OK(cudaMemset(ints, 0, sizeof(int)));
    step<<<1, 1, 0, blocking>>>(ints, 1, 4);
    step<<<1, 1>>>(ints, 3, 0);
    step<<<1, 1, 0, blocking>>>(ints, 1, 5);
    OK(cudaMemcpy(&value, ints, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 17);
    OK(cudaStreamDestroy(blocking));
}

/* Four chains that need nothing of each other between a first and a last node. */
static void branches_of_a_graph(void)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t first, branches[STREAMS], last;
    cudaStream_t stream;
    cudaEvent_t before, after;
    int count = COUNT, factor = 1, addend = 1, more = 2, value;
    float ms, one;
    OK(cudaStreamCreate(&stream));
    one = time_of(&stream, 1);
    OK(cudaGraphCreate(&graph, 0));
    void *first_args[] = {&ints, &factor, &addend}, *last_args[] = {&ints, &more, &addend};
    cudaKernelNodeParams params = {(void *)step, 1, 1, 0, first_args, NULL};
    OK(cudaMemset(ints, 0, sizeof(int)));
    OK(cudaGraphAddKernelNode(&first, graph, NULL, 0, &params));
    for (int i = 0; i < STREAMS; i++) {
        float *out = floats + i * LANES;
        void *args[] = {&out, &count};
        cudaKernelNodeParams branch = {(void *)chain, 1, LANES, 0, args, NULL};
        OK(cudaGraphAddKernelNode(&branches[i], graph, &first, 1, &branch));
    }
    params.kernelParams = last_args;
    OK(cudaGraphAddKernelNode(&last, graph, branches, STREAMS, &params));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&after));
    OK(cudaEventRecord(before, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaEventRecord(after, stream));
    OK(cudaGraphExecDestroy(exec)); /* what was launched stays */
    OK(cudaGraphDestroy(graph));
    OK(cudaEventSynchronize(after));
    OK(cudaEventElapsedTime(&ms, before, after));
    EXPECT(ms > 2 * one && ms < 4 * one);
    OK(cudaMemcpy(&value, ints, sizeof value, cudaMemcpyDeviceToHost));
    EXPECT(value == 9); /* ((0 + 1) * 2 + 1 + 1) * 2 + 1 */
    OK(cudaEventDestroy(before));
    OK(cudaEventDestroy(after));
    OK(cudaStreamDestroy(stream));
}

/* A launch that cannot be is refused at once, a fault is told by who waits. */
static void errors(void)
{
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    step<<<1, 2048, 0, stream>>>(ints, 1, 1);
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    step<<<1, 1, 0, stream>>>(ints, 1, 1);
    OK(cudaStreamSynchronize(stream));
    fails<<<1, 1, 0, stream>>>(ints);
    OK(cudaGetLastError());
    EXPECT(cudaStreamSynchronize(stream) == cudaErrorIllegalAddress);
    EXPECT(cudaMemset(ints, 0, 4) == cudaErrorIllegalAddress);
}

int main(int argc, char **)
{
    OK(cudaMalloc(&floats, STREAMS * LANES * sizeof(float)));
    OK(cudaMalloc(&ints, LANES * sizeof(int)));
    OK(cudaMemset(floats, 0, STREAMS * LANES * sizeof(float)));
    if (argc == 1)
        together_and_in_order();
    order_in_a_stream();
    events_and_functions();
    legacy_stream();
    if (argc == 1)
        branches_of_a_graph();
    errors();
    printf("streams: PASSED\n");
    return 0;
}
