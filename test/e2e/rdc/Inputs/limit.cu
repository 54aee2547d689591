// Enough values alive at once that a cap on registers shows. NAME tells two objects of it apart.
__global__ void NAME(float *x)
{
    float v[24];
    for (int i = 0; i < 24; i++)
        v[i] = x[i * 32 + threadIdx.x];
    for (int i = 0; i < 24; i++)
        x[i * 32 + threadIdx.x] = v[i] * v[(i + 7) % 24] + v[23 - i];
}
