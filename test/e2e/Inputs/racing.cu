// Blocks that write what others read, in words of all sizes, by atomics and by asynchronous copies: what each reads depends
// on the cycle, and how long it runs on what it reads.
#include <cstdio>
#include <cstdlib>
#include <cuda_pipeline.h>

constexpr unsigned WORDS = 4096;

__device__ unsigned next(unsigned &state)
{
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

__global__ void race(unsigned *words, unsigned turns)
{
    __shared__ uint4 staged[64];
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (unsigned turn = 0; turn < turns; turn++) {
        unsigned at = next(state) % WORDS, what = next(state) % 8;
        if (what == 0)
            ((volatile unsigned char *)words)[4 * at + (sum & 3)] = (unsigned char)sum;
        else if (what == 1)
            ((volatile unsigned short *)words)[2 * at + (sum & 1)] = (unsigned short)sum;
        else if (what == 2)
            reinterpret_cast<uint4 *>(words)[at / 4] = make_uint4(sum, state, at, turn);
        else if (what == 3)
            sum += atomicAdd(&words[at], state);
        else if (what == 4)
            sum ^= ((volatile unsigned char *)words)[at];
        else if (what == 5) {
            volatile unsigned *v = words + (at & ~1u);
            sum += v[0] * 3 + v[1];
        } else {
            __pipeline_memcpy_async(&staged[threadIdx.x], &reinterpret_cast<uint4 *>(words)[at / 4], 16);
            __pipeline_commit();
            __pipeline_wait_prior(0);
            sum += staged[threadIdx.x].x ^ staged[threadIdx.x].w;
        }
        for (unsigned i = 0; i < sum % 5; i++)
            *(volatile unsigned *)&words[at] = sum + i;
    }
    atomicXor(&words[WORDS], sum);
}

int main(int argc, char **argv)
{
    unsigned *words, host[WORDS + 1], sum = 0;
    cudaMalloc(&words, sizeof host);
    cudaMemset(words, 0, sizeof host);
    race<<<40, 64>>>(words, argc > 1 ? atoi(argv[1]) : 16);
    if (cudaMemcpy(host, words, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (unsigned word : host)
        sum = sum * 31 + word;
    printf("racing: %08x\n", sum);
    return 0;
}
