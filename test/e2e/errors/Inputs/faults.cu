// One mistake a run, chosen by name; prints what the program sees of it.
#include <assert.h>
#include <stdio.h>
#include <string.h>

__global__ void bounds(int *p) { p[threadIdx.x * 1000] = 1; }
__global__ void null(int *p) { *(int *)((char *)p - (size_t)p + threadIdx.x * 4) = 1; }
__global__ void misaligned(int *p) { *(int *)((char *)p + threadIdx.x) = 1; }
__global__ void forever(volatile int *p)
{
    while (*p == 0) {
    }
}
__global__ void trap(int *p)
{
    if (*p == 0)
        __trap();
}
__global__ void asserts(int *p) { assert(p[threadIdx.x] == 7); }
__global__ void touch(int *p)
{
    extern __shared__ int s[];
    s[threadIdx.x] = p[0];
    p[0] = s[0];
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *p;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    if (!strcmp(what, "bounds"))
        bounds<<<1, 32>>>(p);
    else if (!strcmp(what, "null"))
        null<<<1, 32>>>(p);
    else if (!strcmp(what, "misaligned"))
        misaligned<<<1, 32>>>(p);
    else if (!strcmp(what, "forever"))
        forever<<<1, 32>>>(p);
    else if (!strcmp(what, "trap"))
        trap<<<1, 32>>>(p);
    else if (!strcmp(what, "assert"))
        asserts<<<1, 32>>>(p);
    else if (!strcmp(what, "threads"))
        touch<<<1, 2000, 128>>>(p);
    else if (!strcmp(what, "shared"))
        touch<<<1, 32, 1000000>>>(p);
    cudaError_t launch = cudaGetLastError();
    cudaError_t error = launch != cudaSuccess ? launch : cudaDeviceSynchronize();
    printf("program saw: %s\n", cudaGetErrorString(error));
    return 0;
}
