// How much stack calls of unknown depth have: stack-limit BYTES-TO-USE [LIMIT].
#include <cstdio>
#include <cstdlib>

__device__ __noinline__ int down(int depth)
{
    volatile int kept[64]; // 256 bytes a call, and more for the frame
    kept[depth % 64] = depth;
    return depth ? down(depth - 1) + kept[depth % 64] : 0;
}
__global__ void go(int *out, int depth)
{
    *out = down(depth);
}

int main(int argc, char **argv)
{
    int depth = atoi(argv[1]) / 256, *out, sum = 0;
    size_t limit = 0;
    cudaDeviceGetLimit(&limit, cudaLimitStackSize);
    printf("limit %zu, ", limit);
    if (argc > 2)
        cudaDeviceSetLimit(cudaLimitStackSize, atoi(argv[2]));
    cudaDeviceGetLimit(&limit, cudaLimitStackSize);
    cudaMalloc(&out, sizeof *out);
    go<<<1, 1>>>(out, depth);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    printf("then %zu: %s\n", limit,
           cudaGetLastError() ? "failed" : sum == depth * (depth + 1) / 2 ? "right" : "wrong");
}
