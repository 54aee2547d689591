#include "image.h"
__global__ void sum(int *out) { atomicAdd(out, (int)threadIdx.x); }
int plain_sum(int n)
{
    int *out, result = 0;
    cudaMalloc(&out, sizeof(int));
    cudaMemset(out, 0, sizeof(int));
    sum<<<1, n>>>(out);
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(out);
    return result;
}
