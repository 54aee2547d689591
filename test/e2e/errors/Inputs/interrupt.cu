// One kernel that ends, and one that says that it runs and then waits for ever.
#include <stdio.h>

__global__ void ends(int *p) { p[threadIdx.x] = 1; }
__device__ __noinline__ void wait_for(const volatile int *flag)
{
    while (*flag != 7) {
    }
}
__global__ void waits(const volatile int *p)
{
    for (int i = 0; i < 300 && threadIdx.x < 32 && blockIdx.x == 0; i++) // the others are at the barrier long before
        if (p[1] == 7)
            return;
    if (threadIdx.x == 0 && blockIdx.x == 0)
        printf("running\n");
    if (threadIdx.x < 32)
        wait_for(p);
    __syncthreads();
}

int main()
{
    int *p;
    setvbuf(stdout, nullptr, _IONBF, 0);
    cudaMalloc(&p, 128);
    ends<<<1, 32>>>(p);
    waits<<<2, 64>>>(p);
    cudaDeviceSynchronize();
    printf("not reached\n");
}
