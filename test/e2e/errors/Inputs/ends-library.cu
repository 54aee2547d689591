__global__ void in_library(int *to) { to[threadIdx.x] += 3; }

extern "C" int run()
{
    int *to;
    cudaMalloc(&to, 32 * sizeof *to);
    in_library<<<1, 32>>>(to);
    return cudaDeviceSynchronize() != cudaSuccess;
}
