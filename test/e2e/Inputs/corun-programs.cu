// A program whose device work is recorded and done again: launches with the host's changes of memory between them by
// copies, memsets, symbols and managed memory, allocations that come and go, functions as data, a kernel that prints.
// Arguments: elements, turns.
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef float (*function)(float);
__device__ float scale = 2;
__device__ int sums; // zero at first, in each pass
__device__ float twice(float x) { return x * scale; }
__device__ float half(float x) { return x / scale; }
__device__ function table[2] = {twice, half};

__global__ void step(float *to, const float *from, int n, function f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = f(from[i]) + table[i & 1](1);
}

__global__ void sum(const float *x, int n, float *out) {
    extern __shared__ float part[];
    float own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        own += x[i];
    part[threadIdx.x] = own;
    __syncthreads();
    for (int k = blockDim.x / 2; k; k /= 2) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    if (!threadIdx.x)
        *out = part[0] + ++sums;
    if (!threadIdx.x)
        printf("sum\n");
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]), turns = atoi(argv[2]);
    float *a, *b, *out, *managed, total = 0, some;
    std::vector<float> host(n);
    function functions[2];
    cudaStream_t streams[2];
    cudaEvent_t event;
    cudaMalloc(&a, n * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&out, sizeof *out);
    cudaMallocManaged(&managed, 100 * sizeof *managed);
    cudaEventCreate(&event);
    for (auto &each : streams)
        cudaStreamCreate(&each);
    for (int i = 0; i < n; i++)
        host[i] = i % 17;
    cudaMemcpy(a, host.data(), n * sizeof *a, cudaMemcpyHostToDevice);
    cudaMemcpyFromSymbol(functions, table, sizeof functions);
    for (int turn = 0; turn < turns; turn++) {
        float factor = turn + 1, *passing;
        cudaMemcpyToSymbol(scale, &factor, sizeof factor);
        step<<<(n + 255) / 256, 256, 0, streams[0]>>>(b, a, n, functions[turn & 1]);
        cudaEventRecord(event, streams[0]);
        cudaStreamWaitEvent(streams[1], event, 0);
        sum<<<1, 256, 1024, streams[1]>>>(b, n, out);
        cudaMemcpy(&some, out, sizeof some, cudaMemcpyDeviceToHost);
        cudaMemset(a, 0, 64);
        cudaMemcpy(a + 100, b, n * 2, cudaMemcpyDeviceToDevice);
        for (int i = 0; i < 100; i++)
            managed[i] = some;
        step<<<1, 64>>>(managed, managed, 64, functions[0]);
        cudaDeviceSynchronize();
        total += some + managed[3];
        cudaMalloc(&passing, 1000);
        cudaFree(b);
        cudaMalloc(&b, n * sizeof *b);
        if (turn & 1)
            cudaFree(passing);
    }
    printf("total %.3f, %s\n", total, cudaGetErrorString(cudaGetLastError()));
}
