// A program of two modules.
__device__ float twice(float value);
__global__ void doubled(float *data) { data[threadIdx.x] = twice(data[threadIdx.x]); }
int main() { float *data; cudaMalloc(&data, 128); doubled<<<1, 32>>>(data); return cudaDeviceSynchronize(); }
