#include <cstdio>
__device__ int other(int x);
__global__ void kernel(int *x) { x[threadIdx.x] = other(threadIdx.x); }
int main()
{
    int *x, host[32], errors = 0;
    cudaMalloc(&x, sizeof host);
    kernel<<<1, 32>>>(x);
    cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        errors += host[i] != i * i + 7;
    printf("pair: %s\n", errors ? "FAILED" : "PASSED");
    return errors != 0;
}
