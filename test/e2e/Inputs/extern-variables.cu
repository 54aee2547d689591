// Variables that a program of one source only declares: nvcc defines them.
#include <cstdio>

extern "C" __device__ int counts[16];
extern __constant__ int offset;
namespace apart {
extern __device__ float factor;
}
extern __device__ int later;
#ifdef WITHOUT_SIZE
extern __device__ int open[];
#else
__device__ int open[4];
#endif

__global__ void count(int *out)
{
    counts[threadIdx.x] += threadIdx.x + later;
    out[threadIdx.x] = counts[threadIdx.x] + offset + (int)apart::factor + open[0];
}
__device__ int later = 5;

int main()
{
    int *device, host[16], wrong = 0;
    cudaMalloc(&device, sizeof host);
    count<<<1, 16>>>(device);
    count<<<1, 16>>>(device);
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++)
        wrong += host[i] != 2 * (i + 5);
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong;
}
