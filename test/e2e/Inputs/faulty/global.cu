// Races in global memory.
#include "faulty.h"
__global__ void between_blocks(int *o) {
    o[0] = o[0] + blockIdx.x;
}
__global__ void within_a_block(int *o) {
    o[threadIdx.x] = threadIdx.x;
    o[128 + threadIdx.x] = o[63 - threadIdx.x];
}
__global__ void within_a_warp(int *o) {
    o[threadIdx.x] = threadIdx.x;
    o[64 + threadIdx.x] = o[31 - threadIdx.x];
}
__global__ void no_fence(int *data, volatile int *flag, int *o) {
    if (blockIdx.x == 0) {
        *data = 5;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        *o = *data;
    }
}
__global__ void plain_flag(int *data, int *o) {
    if (blockIdx.x == 0) {
        *data = 5;
        __threadfence();
        data[1] = 1;
    } else {
        *o = data[1] ? *data : 0;
    }
}
__device__ unsigned arrived;
__global__ void last_block_without_fence(int *sums, int *o) {
    sums[blockIdx.x] = blockIdx.x;
    if (atomicAdd(&arrived, 1) == gridDim.x - 1)
        for (int i = 0; i < gridDim.x; i++)
            *o += sums[i];
}
__global__ void block_fence_alone(int *data, volatile int *flag, int *o) {
    if (blockIdx.x == 0) {
        *data = 5;
        __threadfence_block();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence_block();
        *o = *data;
    }
}
__global__ void barrier_of_one_block(int *o) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    o[at] = at;
    __syncthreads();
    o[512 + at] = o[(at + 64) % 128];
}
__global__ void lock_without_fence(int *lock, int *count) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        *count += 1;
        atomicExch(lock, 0);
    }
}
__global__ void atomic_and_plain(int *o) {
    if (blockIdx.x == 0)
        atomicAdd(o, 2);
    else
        o[1] = o[0];
}
__global__ void bytes_beside(char *o) {
    o[threadIdx.x] = threadIdx.x;
    ((int *)o)[16 + threadIdx.x] = ((int *)o)[threadIdx.x / 4 % 16];
}
__global__ void lost_update(int *o) {
    o[threadIdx.x % 8] += threadIdx.x;
}
__global__ void release_to_block(int *data, int *flag, int *o) {
    if (blockIdx.x == 0) {
        *data = 5;
        asm volatile("st.release.cta.global.s32 [%0], 1;" ::"l"(flag) : "memory");
    } else {
        while (*(volatile int *)flag == 0)
            ;
        *o = *data;
    }
}
// Block 1 comes after block 0, and nothing orders what it does.
__device__ bool comes_later(volatile int *flag) {
    if (blockIdx.x == 0) {
        __syncthreads();
        *flag = 1;
    }
    while (*flag == 0)
        ;
    return blockIdx.x;
}
__global__ void behind_an_atomic(int *o, int *flag) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *o = 5;
    if (blockIdx.x == 0)
        __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 32)
        atomicAdd(o, 1);
    if (comes_later(flag) && threadIdx.x == 0)
        atomicAdd(o, 2);
}
__global__ void behind_a_byte(int *o, int *flag) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        o[8] = *o;
    if (blockIdx.x == 0)
        __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        o[9] = ((char *)o)[3];
    if (comes_later(flag) && threadIdx.x == 0)
        ((char *)o)[0] = 7;
}
__global__ void one_of_many_readers(int *o) {
    o[8 + threadIdx.x] = *o;
    if (threadIdx.x >= 32)
        asm volatile("bar.sync 1, 480;" ::: "memory");
    if (threadIdx.x == 511)
        *o = 3;
}
// The same word, written by one thread as a whole and then in part.
__global__ void word_then_byte(int *o) {
    if (threadIdx.x == 0) {
        *o = 0x01020304;
        *(char *)o = *(volatile int *)(o + 1) + 7;
    }
    o[8 + threadIdx.x] = ((volatile char *)o)[2];
}
// Two places that write, one that reads.
__global__ void two_writers(int *o) {
    int t = threadIdx.x;
    if (t < 32)
        o[t] = t;
    else
        asm volatile("st.global.u32 [%0], %1;" ::"l"(o + t), "r"(t * 3) : "memory");
    o[64 + t] = o[t ^ 33];
}
// The same value, plain and volatile.
__global__ void volatile_and_plain(int *o) {
    if (threadIdx.x == 0)
        *(volatile int *)o = 1;
    if (threadIdx.x == 32)
        *o = 1;
}
// Four instructions of one place.
__global__ void unrolled(int *o) {
    if (threadIdx.x % 32 == 0)
#pragma unroll
        for (int i = 0; i < 4; i++)
            o[5 * i] = threadIdx.x;
}
#include <cuda_pipeline.h>
// What an asynchronous copy reads, and what two of them write.
__global__ void copied_while_written(int *o) {
    __shared__ int s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &o[t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    o[t ^ 32] = t + 100;
    __syncthreads();
    o[64 + t] = s[t];
}
__global__ void copied_to_one_place(int *o, const int *from) {
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x % 32], &from[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x % 32];
}
static const int *numbers() {
    for (int i = 0; i < 64; i++)
        cudaMemcpy(memory + 256 + i, &i, sizeof i, cudaMemcpyHostToDevice);
    return memory + 256;
}
// clang-format off
BEGIN()
    RUN(between_blocks, 4, 1, memory)
    RUN(within_a_block, 1, 64, memory)
    RUN(within_a_warp, 1, 32, memory)
    RUN(no_fence, 2, 1, memory, memory + 1, memory + 2)
    RUN(plain_flag, 2, 1, memory, memory + 2)
    RUN(last_block_without_fence, 4, 1, memory, memory + 64)
    RUN(block_fence_alone, 2, 1, memory, memory + 1, memory + 2)
    RUN(barrier_of_one_block, 2, 64, memory)
    RUN(lock_without_fence, 4, 1, memory, memory + 1)
    RUN(atomic_and_plain, 2, 1, memory)
    RUN(bytes_beside, 1, 64, (char *)memory)
    RUN(lost_update, 1, 32, memory)
    RUN(release_to_block, 2, 1, memory, memory + 1, memory + 2)
    RUN(behind_an_atomic, 2, 64, memory, memory + 64)
    RUN(behind_a_byte, 2, 64, memory, memory + 64)
    RUN(one_of_many_readers, 1, 512, memory)
    RUN(word_then_byte, 1, 32, memory)
    RUN(two_writers, 1, 64, memory)
    RUN(volatile_and_plain, 1, 64, memory)
    RUN(unrolled, 1, 64, memory)
    RUN(copied_while_written, 1, 64, memory)
    RUN(copied_to_one_place, 1, 64, memory, numbers())
END()
