// Eight warps spin on a flag in shared memory that the ninth sets: where eight may be active, one of them makes way.
#include <cstdio>

__global__ void wait_near(int *sum)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x / 32 == blockDim.x / 32 - 1)
        flag = 1;
    while (!flag)
        ;
    atomicAdd(sum, 1);
}

int main()
{
    int *sum, result = 0;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    wait_near<<<2, 9 * 32>>>(sum);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    printf("%s\n", result == 2 * 9 * 32 ? "PASSED" : "FAILED");
    return result != 2 * 9 * 32;
}
