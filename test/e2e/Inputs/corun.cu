// Kernels of different streams for co-runs: one that computes, one that reads memory, one of a single block behind the
// first. Each computes the same whatever the number of times it runs.
#include <cstdio>
#include <vector>

__global__ void compute(float *to, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    for (int k = 0; k < turns; k++)
        x = x * 0.5f + 1;
    to[i] = x;
}

__global__ void stream(float *to, const float *from, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = from[i] + 1;
}

int main() {
    const int count = 1 << 15, threads = 128;
    float *a, *b, *c;
    cudaStream_t streams[2];
    std::vector<float> back(count);
    cudaMalloc(&a, 64 * threads * sizeof *a);
    cudaMalloc(&b, count * sizeof *b);
    cudaMalloc(&c, count * sizeof *c);
    cudaMemset(b, 0, count * sizeof *b);
    for (auto &each : streams)
        cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking);
    compute<<<64, threads, 0, streams[0]>>>(a, 100);
    stream<<<8, threads, 0, streams[1]>>>(c, b, count);
    compute<<<1, threads, 0, streams[0]>>>(a, 10);
    cudaDeviceSynchronize();
    cudaMemcpy(back.data(), c, count * sizeof *c, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (float each : back)
        wrong += each != 1;
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
