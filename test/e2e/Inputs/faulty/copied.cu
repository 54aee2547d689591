/*
 * Memory that nothing has written, copied by kernels: `copied NAME`. Those of main's first table hand it to the host,
 * those of the second are right: padding of structures, what the host does not copy, what was written since.
 */
#include <cstdio>
#include <cstring>

struct padded { double d; int i; };
struct alignas(16) triple { float x, y, z; };
struct mixed { char c; int i; double d; short s; };

template <typename T> __global__ void copy(T *to, const T *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i];
}
__global__ void by_shared(int *to, const int *from)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void ones(int *to, int count)
{
    if (threadIdx.x < count)
        to[threadIdx.x] = 1;
}
__global__ void structures(padded *p, triple *t, mixed *m)
{
    int i = threadIdx.x;
    p[i].d = p[i].i = 1;
    t[i].x = t[i].y = t[i].z = 2;
    m[i].c = m[i].i = m[i].d = m[i].s = 3;
}

enum { BYTES = 8192 };
static char *a, *b, host[BYTES];

static void to_host(int bytes)
{
    cudaMemcpy(host, b, bytes, cudaMemcpyDeviceToHost);
}

static bool wrong(const char *name)
{
    if (!strcmp(name, "ints"))
        copy<<<1, 64>>>((int *)b, (int *)a, 64);
    else if (!strcmp(name, "chars"))
        copy<<<1, 64>>>(b, a, 64);
    else if (!strcmp(name, "vectors"))
        copy<<<1, 64>>>((float4 *)b, (float4 *)a, 64);
    else if (!strcmp(name, "structures"))
        copy<<<1, 64>>>((padded *)b, (padded *)a, 64);
    else if (!strcmp(name, "shared"))
        by_shared<<<1, 64>>>((int *)b, (int *)a);
    else if (!strcmp(name, "tail")) {
        ones<<<1, 64>>>((int *)a, 62);
        copy<<<1, 64>>>((int *)b, (int *)a, 64);
    } else if (!strcmp(name, "again")) {
        copy<<<1, 64>>>((int *)b + 64, (int *)a, 64);
        cudaMemcpy(b, b + 256, 256, cudaMemcpyDeviceToDevice);
        copy<<<1, 64>>>((int *)a, (int *)b, 64);
        copy<<<1, 64>>>((int *)b, (int *)a, 64);
    } else
        return false;
    to_host(256);
    return true;
}

static void right(const char *name)
{
    int bytes = 256;
    structures<<<1, 64>>>((padded *)a, (triple *)(a + 2048), (mixed *)(a + 4096));
    if (!strcmp(name, "padded"))
        copy<<<1, 64>>>((padded *)b, (padded *)a, 64);
    else if (!strcmp(name, "triples"))
        copy<<<1, 64>>>((triple *)b, (triple *)(a + 2048), 64);
    else if (!strcmp(name, "mixed"))
        copy<<<1, 64>>>((mixed *)b, (mixed *)(a + 4096), 64);
    else if (!strcmp(name, "words")) /* of structures */
        copy<<<4, 64>>>((int *)b, (int *)a, 256);
    else if (!strcmp(name, "bytes"))
        copy<<<16, 64>>>(b, a, 1024);
    else if (!strcmp(name, "never_copied")) /* by a kernel */
        bytes = BYTES;
    else if (!strcmp(name, "not_all")) {
        copy<<<1, 64>>>((int *)b, (int *)(a + 8000), 48);
        bytes = 0;
    } else if (!strcmp(name, "written_since")) {
        copy<<<1, 48>>>((int *)b, (int *)(a + 8000), 48);
        cudaMemset(b, 0, BYTES);
    } else if (!strcmp(name, "new_memory")) {
        copy<<<1, 48>>>((int *)b, (int *)(a + 8000), 48);
        cudaFree(b);
        cudaMalloc(&b, BYTES);
    }
    to_host(bytes);
}

int main(int count, char **names)
{
    cudaMalloc(&a, BYTES);
    cudaMalloc(&b, BYTES);
    for (int i = 1; i < count; i++)
        if (!wrong(names[i]))
            right(names[i]);
    return 0;
}
