// What changes of one kernel file cost: each is a macro.
#ifndef BLOCK
#define BLOCK 256
#endif
#ifdef DOUBLE
#define SHARE 0.3
#else
#define SHARE 0.3f
#endif

__device__ __noinline__ float share_of(float x)
{
    return SHARE * x;
}

#ifdef MORE
__global__ void blend(const float *in, float *out, int n, float weight)
#else
__global__ void blend(const float *in, float *out, int n)
#endif
{
#ifndef MORE
    const float weight = 2.0f;
#endif
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = weight * share_of(in[i]);
}

__global__ void pick(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef ARRAY
    float part[16];
    for (int k = 0; k < 16; k++)
        part[k] = in[i] * k;
    out[i] = part[(int)in[i + 1] & 15];
#else
    out[i] = in[i] * (int)(in[i + 1]);
#endif
#ifdef DIVIDE
    out[i] += (float)((long long)in[i + 2] / n);
#endif
}

#ifdef GAIN
#define TILE 64 /* half the shared memory, and a division more */
#else
#define TILE 128
#endif
__global__ void shift(const long long *in, long long *out, int n)
{
    __shared__ long long tile[TILE];
    tile[threadIdx.x % TILE] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[(threadIdx.x + 1) % TILE];
#ifdef GAIN
    out[threadIdx.x] /= n;
#endif
}

int main()
{
#ifdef MORE
    blend<<<16, BLOCK>>>(nullptr, nullptr, 0, 2.0f);
#else
    blend<<<16, BLOCK>>>(nullptr, nullptr, 0);
#endif
    pick<<<16, 256>>>(nullptr, nullptr, 0);
    shift<<<16, 64>>>(nullptr, nullptr, 1);
}
