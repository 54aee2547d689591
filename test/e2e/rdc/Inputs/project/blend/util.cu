#include "image.h"
static __device__ float weight = 0.5f;
static __global__ void prepare(Pixel *p) { p[threadIdx.x] = {1, 2, (float)threadIdx.x}; }
__device__ Pixel mix(Pixel a, Pixel b)
{
    Pixel d = darken(b);
    return {a.r + weight * d.r, a.g + weight * d.g, a.b + weight * d.b};
}
void fill(Pixel *pixels, int n) { prepare<<<1, n>>>(pixels); }
