/*
 * A program whose host's half goes by what its kernels found: `checkpoint ROUNDS [OTHER]`. OTHER: `launch`, `data`, `kernel`
 * and `less` do something else from the third round on, and `print` prints something else.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#define THREADS 128
#define BLOCKS 6

__managed__ unsigned managed[4];
static unsigned registered[64];

__device__ __noinline__ unsigned depth(unsigned value) {
    return value < 2 ? value : depth(value - 1) + depth(value - 2);
}

/* Barriers in a loop, shared memory, divergence, recursion with a stack, atomics of global memory. */
__global__ void work(unsigned *data, unsigned *sum, unsigned round) {
    __shared__ unsigned tile[THREADS];
    unsigned index = blockIdx.x * THREADS + threadIdx.x, own = data[index] + round;
    for (unsigned step = 1; step < 6; step++) {
        tile[threadIdx.x] = own;
        __syncthreads();
        unsigned other = tile[(threadIdx.x * 5 + step) % THREADS];
        if (other % 3 == 0)
            own += depth(other % 6);
        else if (other & 1)
            own ^= other >> 1;
        __syncthreads();
    }
    data[index] = own;
    atomicAdd(sum, own & 0xff);
}

__global__ void mark(unsigned *to) {
    if (threadIdx.x == 0)
        *to = 0x5eed5eed;
    managed[threadIdx.x % 4] += threadIdx.x;
}

__global__ void tell(const unsigned *sum, unsigned round) {
    if (threadIdx.x % 16 == 0)
        printf("kernel: round %u, thread %u, sum %u\n", round, threadIdx.x, *sum);
}

/* What no kernel reads of it is another in each process. */
struct Padded {
    char first;
    long long second;
    int third[16];
};

__global__ void pad(Padded padded, unsigned *to) {
    if (padded.second == 7)
        *to += padded.first;
}

__global__ void other(unsigned *to) {
    *to = 1;
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 3;
    const char *wish = argc > 2 ? argv[2] : "";
    unsigned *data, *sum, *mapped = registered, marked = 0;
    unsigned start[THREADS * BLOCKS];
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    for (unsigned i = 0; i < THREADS * BLOCKS; i++)
        start[i] = i * 2654435761u >> 16;
    cudaMalloc(&data, sizeof start);
    cudaMalloc(&sum, sizeof *sum);
    cudaMallocHost(&mapped, 64);
    cudaHostRegister(registered, sizeof registered, cudaHostRegisterMapped);
    cudaMemcpy(data, start, sizeof start, cudaMemcpyHostToDevice);
    for (unsigned i = 0; i < 2; i++)
        cudaStreamCreate(&streams[i]), cudaEventCreate(&events[i]);
    Padded padded;
    memset(&padded, getpid(), sizeof padded);
    padded.first = 0;
    padded.second = 7;
    mark<<<1, 32>>>(sum);
    pad<<<1, 1>>>(padded, sum);
    cudaMemcpy(&marked, sum, sizeof marked, cudaMemcpyDeviceToHost);
    printf("marked %x\n", marked);
    for (unsigned round = 0; round < rounds; round++) {
        bool differs = round == 2;
        unsigned found = 0, more = differs && !strcmp(wish, "launch");
        cudaMemset(sum, differs && !strcmp(wish, "data"), sizeof *sum);
        if (differs && !strcmp(wish, "less"))
            return 0;
        if (differs && !strcmp(wish, "kernel"))
            other<<<1, 1>>>(sum);
        cudaEventRecord(events[0]);
        work<<<BLOCKS, THREADS>>>(data, sum, round + more);
        cudaEventRecord(events[1]);
        cudaMemcpy(&found, sum, sizeof found, cudaMemcpyDeviceToHost);
        tell<<<1, 32>>>(sum, round);
        /* what comes next depends on what was found */
        for (unsigned i = 0; i < 1 + found % 2; i++) {
            mark<<<1, 32, 0, streams[0]>>>(mapped);
            work<<<2, THREADS, 0, streams[1]>>>(data, registered, found);
        }
        cudaDeviceSynchronize();
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, events[0], events[1]);
        printf("round %u: %u %x %u %u, %f ms%s\n", round, found, mapped[0], registered[0], managed[3], milliseconds,
               strcmp(wish, "print") ? "" : ", printed");
    }
    printf("%s\n", cudaGetLastError() == cudaSuccess ? "PASSED" : "FAILED");
    return 0;
}
