// A child that comes by fork has no context; one that ends later than its parent leaves the parent's figures alone.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void once(int *p) { p[threadIdx.x] = 1; }

int main()
{
    int *p, *other, status = 1;
    cudaMalloc(&p, 128);
    once<<<1, 32>>>(p);
    fflush(stdout);
    if (fork() == 0) {
        printf("child saw: %s\n", cudaGetErrorString(cudaMalloc(&other, 128)));
        return 0;
    }
    wait(&status);
    once<<<1, 32>>>(p);
    printf("parent saw: %s, child %d\n", cudaGetErrorString(cudaDeviceSynchronize()), status);
}
