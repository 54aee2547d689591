// Barriers and operations among lanes that some do not come to, whatever follows.
#include "faulty.h"
__global__ void half_then_end(int *o) {
    if (threadIdx.x & 1)
        __syncthreads();
    o[threadIdx.x] = 1;
}
__global__ void half_then_work(int *o) {
    if (threadIdx.x & 1)
        __syncthreads();
    for (int i = 0; i < o[70 + threadIdx.x] + 3; i++)
        o[threadIdx.x] += i * o[i];
    __threadfence();
    o[threadIdx.x + 1] = clock();
}
__global__ void in_a_loop(int *o) {
    for (int i = 0; i < threadIdx.x % 4; i++) {
        o[threadIdx.x] += i;
        __syncthreads();
    }
}
__global__ void one_warp_of_two(int *o) {
    if (threadIdx.x < 32) {
        o[threadIdx.x] = 3;
        __syncthreads();
    } else {
        o[threadIdx.x] = 5;
    }
}
__global__ void two_barriers(int *o) {
    if (threadIdx.x < 48) {
        o[threadIdx.x] = 3;
        __syncthreads();
        o[threadIdx.x] = o[47 - threadIdx.x];
    } else {
        o[threadIdx.x] = 5;
        __syncthreads();
        o[threadIdx.x] += 2;
    }
}
__global__ void half_at_syncwarp(int *o) {
    if (threadIdx.x < 16)
        __syncwarp();
    o[threadIdx.x] = 2;
}
__global__ void half_at_ballot(int *o) {
    if (threadIdx.x < 16)
        o[5] = __ballot_sync(~0u, threadIdx.x > 4);
    for (int i = 0; i < o[70 + threadIdx.x] + 3; i++)
        o[threadIdx.x] += i * o[i];
    o[threadIdx.x + 1] = clock();
}
__global__ void half_at_shuffle(int *o) {
    int v = threadIdx.x;
    if (threadIdx.x < 20)
        v = __shfl_down_sync(~0u, v, 1);
    o[threadIdx.x] = v;
}
__global__ void half_then_barrier(int *o) {
    if (threadIdx.x < 16)
        __syncwarp();
    o[threadIdx.x] = 2;
    __syncthreads();
    o[threadIdx.x] += 2;
}
__global__ void stranger(int *o) {
    int v = threadIdx.x;
    v = __shfl_sync(0xffffu, v, 0);
    o[threadIdx.x] = v;
}
__global__ void count_in_a_branch(int *o) {
    if (threadIdx.x % 32 < 24)
        o[threadIdx.x] = __syncthreads_count(1);
    o[threadIdx.x + 64] = 1;
}
__device__ __noinline__ void barrier_of_callee(int *o) {
    o[threadIdx.x] = 2;
    __syncthreads();
}
__global__ void in_a_function(int *o) {
    if (threadIdx.x > 4)
        barrier_of_callee(o);
    for (int i = 0; i < o[70 + threadIdx.x] + 3; i++)
        o[threadIdx.x] += i * o[i];
}
// Two masks in one shuffle, one of which names lanes that do not come.
__global__ void half_of_a_mask(int *o) {
    int v = 0;
    if (threadIdx.x < 12)
        v = __shfl_sync(threadIdx.x < 8 ? 0xff : 0xff00, threadIdx.x, 0);
    o[threadIdx.x] = v;
}
// The other half of the warp comes to the same __syncwarp, with a mask of its own: --check=race.
__global__ void other_tile(int *o) {
    __shared__ int tile[32];
    tile[threadIdx.x] = o[threadIdx.x];
    __syncwarp(threadIdx.x < 16 ? 0xffff : 0xffff0000);
    o[threadIdx.x] = tile[threadIdx.x ^ 16];
}
// clang-format off
BEGIN()
    RUN(half_of_a_mask, 1, 32, memory)
    RUN(other_tile, 1, 32, memory)
    RUN(half_then_end, 1, 64, memory)
    RUN(half_then_work, 1, 64, memory)
    RUN(in_a_loop, 1, 64, memory)
    RUN(one_warp_of_two, 1, 64, memory)
    RUN(two_barriers, 1, 64, memory)
    RUN(half_at_syncwarp, 1, 64, memory)
    RUN(half_at_ballot, 1, 64, memory)
    RUN(half_at_shuffle, 1, 32, memory)
    RUN(half_then_barrier, 1, 64, memory)
    RUN(stranger, 1, 32, memory)
    RUN(count_in_a_branch, 1, 64, memory)
    RUN(in_a_function, 1, 32, memory)
END()
