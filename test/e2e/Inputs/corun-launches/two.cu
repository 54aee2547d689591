// Two kernels of one object that `heddle corun` runs beside each other: one that computes, one that reads memory.
extern "C" __global__ void compute(float *to, int turns) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = i;
    for (int k = 0; k < turns; k++)
        x = x * 0.5f + 1;
    to[i] = x;
}
extern "C" __global__ void stream(float *to, const float *from, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        to[i] = from[i] + 1;
}
