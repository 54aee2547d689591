// What --check finds: one mistake a run, chosen by name. Lines that messages name are marked.
#include <stdio.h>
#include <string.h>

__global__ void race(int *out, const int *in)
{
    __shared__ int pad[64], tile[256];
    pad[threadIdx.x % 64] = 0;
    tile[threadIdx.x] = in[threadIdx.x]; // race: written
    out[threadIdx.x] = tile[255 - threadIdx.x] + pad[threadIdx.x % 64]; // race: read
}

// The lanes of a warp run together here, but nothing says that they do.
__global__ void warp(int *out, const int *in)
{
    __shared__ int tile[32];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = tile[31 - threadIdx.x]; // warp: read
}

__global__ void late(int *out, const int *in)
{
    __shared__ int tile[256];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int value = tile[(threadIdx.x + 32) % 256]; // late: read
    tile[threadIdx.x] = value + 1;              // late: written
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void same(int *out)
{
    __shared__ unsigned char which[4];
    which[threadIdx.x / 16 % 4] = (unsigned char)threadIdx.x; // same: written
    __syncthreads();
    out[threadIdx.x] = which[0];
}

// A flag without fences: it comes, what it announces need not.
__global__ void flag(int *out)
{
    __shared__ volatile int ready;
    __shared__ int data;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42; // flag: written
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (!ready) {
        }
        *out = data; // flag: read
    }
}

__global__ void fresh(int *out, const int *in)
{
    out[threadIdx.x] = in[threadIdx.x] * 3; // fresh: read
}

__global__ void shared_fresh(int *out)
{
    __shared__ int sums[64];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = 1;
    __syncthreads();
    int sum = sums[threadIdx.x]; // shared: read
    if (sum > 10)                // shared: decides
        out[threadIdx.x] = 1;
}

__device__ unsigned counters[32];
__global__ void count(unsigned *counts)
{
    atomicAdd(&counters[threadIdx.x], 1);
    atomicAdd(&counts[threadIdx.x], 1); // count: counted
}

__global__ void shuffle(int *out)
{
    int value = threadIdx.x;
    if (threadIdx.x < 8)
        value += __shfl_down_sync(0xff, value, 4); // shuffle: taken
    out[threadIdx.x] = value;                      // shuffle: stored
}

__global__ void diverged(int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x % 32 < 16)
        __syncthreads(); // diverged: barrier
    else
        out[threadIdx.x] = 7; // diverged: elsewhere
    __syncthreads();
    out[threadIdx.x] += tile[63 - threadIdx.x];
}

__global__ void missing(int *out)
{
    if (threadIdx.x < 16) {
        __syncwarp(); // missing: called
        out[threadIdx.x] = 1;
    }
    __syncthreads();
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *out, *in;
    cudaMalloc(&out, 1024);
    cudaMalloc(&in, 1024);
    cudaMemset(out, 0, 1024);
    if (strcmp(what, "fresh") && strcmp(what, "count"))
        cudaMemset(in, 0, 1024);
    if (!strcmp(what, "race"))
        race<<<1, 256>>>(out, in);
    else if (!strcmp(what, "warp"))
        warp<<<1, 32>>>(out, in);
    else if (!strcmp(what, "late"))
        late<<<1, 256>>>(out, in);
    else if (!strcmp(what, "same"))
        same<<<1, 64>>>(out);
    else if (!strcmp(what, "flag"))
        flag<<<1, 64>>>(out);
    else if (!strcmp(what, "fresh"))
        fresh<<<1, 256>>>(out, in);
    else if (!strcmp(what, "shared"))
        shared_fresh<<<1, 64>>>(out);
    else if (!strcmp(what, "count"))
        count<<<1, 32>>>((unsigned *)in);
    else if (!strcmp(what, "shuffle"))
        shuffle<<<1, 64>>>(out);
    else if (!strcmp(what, "diverged"))
        diverged<<<1, 64>>>(out);
    else if (!strcmp(what, "missing"))
        missing<<<1, 64>>>(out);
    else
        return 1;
    printf("program saw: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
