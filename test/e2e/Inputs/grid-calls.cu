// Grids whose blocks wait for each other at the bottom of deep stacks, as many blocks as are resident: in a cooperative
// launch, where everything must work under any policy, and in an ordinary one with a barrier of its own.
#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                        \
    do {                                                                         \
        if (!(condition)) {                                                      \
            printf("grid-calls: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

namespace cg = cooperative_groups;

__device__ unsigned arrived;
__device__ volatile unsigned opened;

// As many programs have it: a counter, and a thread of each block that spins.
__device__ __noinline__ void own_barrier()
{
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned barrier = opened;
        __threadfence();
        if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
            arrived = 0;
            __threadfence();
            opened = barrier + 1;
        } else {
            while (opened == barrier) // OWN-SPIN
                ;
        }
        __threadfence();
    }
    __syncthreads();
}

struct Own {
    static __device__ void sync() { own_barrier(); }
};
struct Cooperative {
    static __device__ void sync() { cg::this_grid().sync(); }
};

// Each level keeps values across the call, so that the stack of a warp grows by them.
template <class Barrier, int Level> struct Chain {
    static __device__ __noinline__ int down(const int *from, int index, int n)
    {
        int a = from[index % n], b = from[(index + Level) % n], c = from[(index * 3 + Level) % n];
        int below = Chain<Barrier, Level - 1>::down(from, index + a, n);
        return below + 3 * a - b + (c ^ Level);
    }
};
template <class Barrier> struct Chain<Barrier, 0> {
    static __device__ __noinline__ int down(const int *from, int index, int n)
    {
        int mine = from[index % n];
        Barrier::sync(); // all that was read is read before anybody writes
        return mine;
    }
};

__device__ __noinline__ int recurse(const int *from, int index, int n, int depth)
{
    int a = from[index % n];
    if (depth == 0)
        return a;
    int below = recurse(from, index + a % 5 + 1, n, depth - 1);
    return below * 3 + a;
}

template <class Barrier> __global__ void rounds(int *data, int n, int count)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    for (int round = 0; round < count; round++) {
        int value = Chain<Barrier, 8>::down(data, index, n) & 1023; // a barrier at the bottom
        data[index] = value;
        Barrier::sync(); // and one outside of calls
        value += recurse(data, index, n, 6) & 1023;
        Barrier::sync();
        data[index] = value & 1023;
        Barrier::sync();
    }
}

static int chain(const int *from, int level, int index, int n)
{
    if (level == 0)
        return from[index % n];
    int a = from[index % n], b = from[(index + level) % n], c = from[(index * 3 + level) % n];
    return chain(from, level - 1, index + a, n) + 3 * a - b + (c ^ level);
}

static int host_recurse(const int *from, int index, int n, int depth)
{
    int a = from[index % n];
    return depth == 0 ? a : host_recurse(from, index + a % 5 + 1, n, depth - 1) * 3 + a;
}

static void host_rounds(int *data, int n, int count)
{
    int *next = (int *)malloc(n * sizeof *next);
    for (int round = 0; round < count; round++) {
        for (int i = 0; i < n; i++)
            next[i] = chain(data, 8, i, n) & 1023;
        memcpy(data, next, n * sizeof *next);
        for (int i = 0; i < n; i++)
            next[i] = ((data[i] + (host_recurse(data, i, n, 6) & 1023)) & 1023);
        memcpy(data, next, n * sizeof *next);
    }
    free(next);
}

int main(int argc, char **argv)
{
    bool own = argc > 1 && !strcmp(argv[1], "own");
    int threads = argc > 2 ? atoi(argv[2]) : 128, count = 1, blocks = 0, sms = 0, *device;
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    if (own)
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds<Own>, threads, 0));
    else
        OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds<Cooperative>, threads, 0));
    EXPECT(blocks > 0);
    blocks *= sms;
    int n = blocks * threads;
    int *expected = (int *)malloc(n * sizeof(int)), *got = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        expected[i] = i * 7 % 13;
    OK(cudaMalloc(&device, n * sizeof(int)));
    OK(cudaMemcpy(device, expected, n * sizeof(int), cudaMemcpyHostToDevice));
    void *arguments[] = {&device, &n, &count};
    if (own)
        rounds<Own><<<blocks, threads>>>(device, n, count);
    else
        OK(cudaLaunchCooperativeKernel(rounds<Cooperative>, dim3(blocks), dim3(threads), arguments));
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("program saw: %s\n", cudaGetErrorString(error));
        return 0;
    }
    OK(cudaMemcpy(got, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    host_rounds(expected, n, count);
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == expected[i]);
    if (!own) {
        EXPECT(cudaLaunchCooperativeKernel(rounds<Cooperative>, dim3(blocks + 1), dim3(threads), arguments) ==
               cudaErrorCooperativeLaunchTooLarge);
    }
    puts("grid-calls: PASSED");
}
