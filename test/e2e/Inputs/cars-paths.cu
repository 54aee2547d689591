// Two halves of a warp wait for each other in different functions, each of which keeps registers across the shuffle.
#include <cstdio>

#define KEEP(x) asm volatile("" : "+r"(x))

__device__ __noinline__ unsigned inner(unsigned v)
{
    return __shfl_xor_sync(0xffffffffu, v, 16);
}

__device__ __noinline__ unsigned left(unsigned v)
{
    unsigned a = v * 3, b = v * 5;
    KEEP(a);
    KEEP(b);
    v = inner(v);
    return v + a + b;
}

__device__ __noinline__ unsigned right(unsigned v)
{
    unsigned a = v * 3, b = v * 5, c = v * 7, d = v * 9;
    KEEP(a);
    KEEP(b);
    KEEP(c);
    KEEP(d);
    v = inner(v);
    return v + a + b + c + d;
}

__global__ void both(unsigned *out)
{
    unsigned lane = threadIdx.x % 32, v = lane * 100 + 1;
    out[threadIdx.x] = lane < 16 ? left(v) : right(v);
}

int main()
{
    unsigned *out, host[32], wrong = 0;
    cudaMalloc(&out, sizeof host);
    both<<<1, 32>>>(out);
    if (cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned v = lane * 100 + 1, other = (lane ^ 16) * 100 + 1;
        wrong += host[lane] != other + (lane < 16 ? 8 : 24) * v;
    }
    printf("paths: %u wrong\n", wrong);
    return wrong != 0;
}
