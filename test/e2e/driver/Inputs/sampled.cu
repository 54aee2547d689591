// The module of objects.cpp: a texture reference, objects, and a variable.
texture<float, 2> picture;
texture<unsigned char, 1, cudaReadModeNormalizedFloat> line;
__device__ int shift = 5;

extern "C" __global__ void by_reference(float *out, int w, int h)
{
    int i = threadIdx.x;
    if (i < w * h)
        out[i] = tex2D(picture, i % w + 0.5f, i / w + 0.5f);
}
extern "C" __global__ void by_line(float *out, int n)
{
    if ((int)threadIdx.x < n)
        out[threadIdx.x] = tex1Dfetch(line, threadIdx.x);
}
extern "C" __global__ void by_object(cudaTextureObject_t object, cudaSurfaceObject_t surface, float *out, int w, int h)
{
    int i = threadIdx.x;
    if (i >= w * h)
        return;
    float value = tex2D<float>(object, i % w + 0.5f, i / w + 0.5f);
    out[i] = value + shift;
    surf2Dwrite(value * 2, surface, i % w * 4, i / w);
}
