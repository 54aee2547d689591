// Lanes that never come to an operation of the warp, and one that comes without being named.
#include <cstdio>
#include <cstring>

__global__ void other_kind(int *out)
{
    int v;
    if (threadIdx.x < 16)
        v = __shfl_xor_sync(0xffffffffu, 1, 16); // kind: shuffle
    else
        v = __ballot_sync(0xffffffffu, 1); // kind: vote
    out[threadIdx.x] = v;
}

__global__ void at_barrier(int *out)
{
    if (threadIdx.x % 32 < 16)
        out[threadIdx.x] = __any_sync(0xffffffffu, 1); // barrier: vote
    __syncthreads();                                   // barrier: there
}

__global__ void stranger(int *out)
{
    out[threadIdx.x] = __shfl_sync(0x7fffffffu, 1, 0); // stranger: here
}

// They have ended: nobody is missing.
__global__ void ended(int *out)
{
    if (threadIdx.x % 32 < 16)
        out[threadIdx.x] = __popc(__ballot_sync(0xffffffffu, 1));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *out, host[64];
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    if (!strcmp(what, "kind"))
        other_kind<<<1, 32>>>(out);
    else if (!strcmp(what, "barrier"))
        at_barrier<<<1, 64>>>(out);
    else if (!strcmp(what, "stranger"))
        stranger<<<1, 64>>>(out);
    else
        ended<<<1, 64>>>(out);
    cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("program saw: %s, %d\n", cudaGetErrorName(error), error ? 0 : host[0]);
    return 0;
}
