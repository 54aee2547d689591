/* Memory operations of streams: writes in their order, waits for a kernel, for another stream and for the host. With an
 * argument, a wait that nothing fulfils. */
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <thread>
#include <unistd.h>
#define EXPECT(condition)                                                                       \
    do {                                                                                        \
        if (!(condition))                                                                       \
            printf("values: FAILED at line %d: %s\n", __LINE__, #condition), fflush(stdout), _exit(1); \
    } while (0)
#define OK(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void raise_flag(volatile unsigned *flag, unsigned value, unsigned *out)
{
    for (int i = 0; i < 200; i++)
        out[2] = i;
    *flag = value;
}
__global__ void take(const unsigned *flag, unsigned *out) { out[0] = *flag, out[1]++; }

static CUstream a, b;
static unsigned *flag, *out, h[4];

/* Whether a wait for `value` with `how` holds when the word has `word`. */
static bool holds(unsigned long long word, unsigned long long value, unsigned how, bool wide)
{
    CUdeviceptr at = (CUdeviceptr)flag;
    OK(wide ? cuStreamWriteValue64(a, at, word, 0) : cuStreamWriteValue32(a, at, (unsigned)word, 0));
    OK(wide ? cuStreamWaitValue64(a, at, value, how) : cuStreamWaitValue32(a, at, (unsigned)value, how));
    CUresult asked = cuStreamQuery(a);
    EXPECT(asked == CUDA_SUCCESS || asked == CUDA_ERROR_NOT_READY);
    /* Another stream lets it go on. */
    unsigned long long right = how == CU_STREAM_WAIT_VALUE_NOR ? 0 : value;
    OK(wide ? cuStreamWriteValue64(b, at, right, 1) : cuStreamWriteValue32(b, at, (unsigned)right, 1));
    OK(cuStreamSynchronize(b));
    OK(cuStreamSynchronize(a));
    return asked == CUDA_SUCCESS;
}

int main(int argc, char **)
{
    int can;
    EXPECT(cudaMalloc(&flag, 64) == cudaSuccess && cudaMalloc(&out, 64) == cudaSuccess);
    EXPECT(cudaMemset(flag, 0, 64) == cudaSuccess && cudaMemset(out, 0, 64) == cudaSuccess);
    OK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    CUdeviceptr at = (CUdeviceptr)flag;
    if (argc > 1) {
        OK(cuStreamWaitValue32(a, at, 7, CU_STREAM_WAIT_VALUE_EQ));
        printf("never: %d\n", cuStreamSynchronize(a));
        return 0;
    }
    OK(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
    EXPECT(can);
    /* comparisons, cyclic where they order */
    EXPECT(holds(5, 5, CU_STREAM_WAIT_VALUE_GEQ, false) && holds(6, 5, CU_STREAM_WAIT_VALUE_GEQ, false));
    EXPECT(!holds(4, 5, CU_STREAM_WAIT_VALUE_GEQ, false) && holds(3, 0xfffffff0u, CU_STREAM_WAIT_VALUE_GEQ, false));
    EXPECT(!holds(5, 1ull << 32 | 5, CU_STREAM_WAIT_VALUE_EQ, true) && holds(1ull << 40, 1ull << 40, CU_STREAM_WAIT_VALUE_EQ, true));
    EXPECT(holds(6, 2, CU_STREAM_WAIT_VALUE_AND, false) && !holds(5, 2, CU_STREAM_WAIT_VALUE_AND, false));
    EXPECT(holds(0, 0x7fffffff, CU_STREAM_WAIT_VALUE_NOR, false) && !holds(0x80000000u, 0x7fffffff, CU_STREAM_WAIT_VALUE_NOR, false));
    /* a kernel raises the flag while it runs; what comes after the wait sees it */
    EXPECT(cudaMemset(flag, 0, 64) == cudaSuccess);
    OK(cuStreamWaitValue32(a, at, 41, CU_STREAM_WAIT_VALUE_GEQ));
    take<<<1, 1, 0, a>>>(flag, out);
    EXPECT(cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    raise_flag<<<1, 1, 0, b>>>(flag, 42, out);
    OK(cuStreamSynchronize(a));
    EXPECT(cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost) == cudaSuccess && h[0] == 42 && h[1] == 1);
    /* a batch, in its order */
    CUstreamBatchMemOpParams ops[4] = {};
    ops[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64, ops[0].writeValue.address = at + 8;
    ops[0].writeValue.value64 = 0x1234567890ull;
    ops[1].operation = CU_STREAM_MEM_OP_BARRIER;
    ops[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32, ops[2].waitValue.address = at + 12;
    ops[2].waitValue.value = 0x12, ops[2].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
    ops[3].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32, ops[3].writeValue.address = at + 12, ops[3].writeValue.value = 9;
    OK(cuStreamBatchMemOp(a, 4, ops, 0));
    OK(cuStreamSynchronize(a));
    EXPECT(cudaMemcpy(h, (char *)flag + 8, 8, cudaMemcpyDeviceToHost) == cudaSuccess && h[0] == 0x34567890u && h[1] == 9);
    /* the host writes mapped memory, in this thread and in another one */
    volatile unsigned *mapped;
    EXPECT(cudaHostAlloc((void **)&mapped, 64, cudaHostAllocMapped) == cudaSuccess);
    *mapped = 0;
    OK(cuStreamWaitValue32(a, (CUdeviceptr)mapped, 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWaitValue32(a, (CUdeviceptr)mapped, 2, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWriteValue32(a, (CUdeviceptr)mapped + 4, 3, 0));
    EXPECT(cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    *mapped = 1;
    EXPECT(cuStreamQuery(a) == CUDA_ERROR_NOT_READY);
    std::thread other([=] { usleep(20000), *mapped = 2; });
    OK(cuStreamSynchronize(a));
    other.join();
    EXPECT(mapped[1] == 3);
    /* the legacy stream does it at once; a captured one at each launch */
    OK(cuStreamWriteValue32(0, (CUdeviceptr)mapped, 5, 0));
    OK(cuStreamWaitValue32(0, (CUdeviceptr)mapped, 5, CU_STREAM_WAIT_VALUE_EQ));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cuStreamBeginCapture(a, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuStreamWaitValue32(a, (CUdeviceptr)mapped, 5, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuStreamWriteValue32(a, (CUdeviceptr)mapped, 6, 0));
    OK(cuStreamEndCapture(a, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        *mapped = 5;
        OK(cuGraphLaunch(exec, i ? b : 0));
        OK(cuStreamSynchronize(b));
        EXPECT(*mapped == 6);
    }
    /* what is wrong */
    EXPECT(cuStreamWaitValue32(a, at + 2, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWaitValue64(a, at + 4, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32(a, (CUdeviceptr)h, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32(a, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWriteValue32(a, at, 0, 2) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWaitValue32(a, at, 0, 4) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuStreamWaitValue32(a, at, 0, CU_STREAM_WAIT_VALUE_FLUSH) == CUDA_ERROR_NOT_SUPPORTED);
    EXPECT(cuStreamBatchMemOp(a, 256, ops, 0) == CUDA_ERROR_INVALID_VALUE && cuStreamBatchMemOp(a, 4, ops, 1) == CUDA_ERROR_INVALID_VALUE);
    printf("values: PASSED\n");
}
