// cuRAND on the device: the generators' sequences do not depend on how far a thread skips ahead, and their means fit.
#include <curand_kernel.h>
#include <math.h>
#include <stdio.h>

enum { THREADS = 32, EACH = 64 };

template <class State> __device__ void draw(float *out, int from, int count)
{
    State state;
    curand_init(42, threadIdx.x, from, &state);
    for (int i = from; i < from + count; i++)
        out[i * THREADS + threadIdx.x] = curand_uniform(&state);
}
__global__ void generate(float *xorwow, float *philox, float *mrg)
{
    draw<curandState>(xorwow, 0, EACH / 2);
    draw<curandState>(xorwow, EACH / 2, EACH / 2);
    draw<curandStatePhilox4_32_10_t>(philox, 0, EACH);
    draw<curandStateMRG32k3a>(mrg, 0, EACH);
}
__global__ void whole(float *xorwow)
{
    draw<curandState>(xorwow, 0, EACH);
}

int main()
{
    float *numbers[4];
    for (float *&array : numbers)
        cudaMallocManaged(&array, THREADS * EACH * sizeof(float));
    generate<<<1, THREADS>>>(numbers[0], numbers[1], numbers[2]);
    whole<<<1, THREADS>>>(numbers[3]);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (float *array : numbers) {
        double mean = 0;
        for (int i = 0; i < THREADS * EACH; i++) {
            right &= array[i] > 0 && array[i] <= 1;
            mean += array[i] / (THREADS * EACH);
        }
        right &= fabs(mean - 0.5) < 0.05;
    }
    for (int i = 0; i < THREADS * EACH; i++)
        right &= numbers[0][i] == numbers[3][i];
    printf("toolkit: %s\n", right ? "PASSED" : "FAILED");
    return !right;
}
