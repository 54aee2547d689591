/* Clusters of blocks: places, special registers, the cluster's barrier, and shared memory of other blocks. */
#include <cstdio>
#include <cuda_runtime.h>

#define REGISTER(name, text)                                       \
    static __device__ unsigned name()                              \
    {                                                              \
        unsigned value;                                            \
        asm volatile("mov.u32 %0, %%" text ";" : "=r"(value));     \
        return value;                                              \
    }
REGISTER(rank, "cluster_ctarank")
REGISTER(ranks, "cluster_nctarank")
REGISTER(id_x, "clusterid.x")
REGISTER(id_y, "clusterid.y")
REGISTER(id_z, "clusterid.z")
REGISTER(ids_x, "nclusterid.x")
REGISTER(ids_y, "nclusterid.y")
REGISTER(ids_z, "nclusterid.z")
REGISTER(in_x, "cluster_ctaid.x")
REGISTER(in_y, "cluster_ctaid.y")
REGISTER(in_z, "cluster_ctaid.z")
REGISTER(of_x, "cluster_nctaid.x")
REGISTER(of_y, "cluster_nctaid.y")
REGISTER(sm, "smid")

static __device__ void sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

static __device__ unsigned mapped(const void *p, unsigned of)
{
    unsigned a = (unsigned)__cvta_generic_to_shared(p), b;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(b) : "r"(a), "r"(of));
    return b;
}

/* What registers and addresses say of a block's place. */
__global__ void registers(unsigned *out)
{
    unsigned *o = out + 16 * (blockIdx.x + gridDim.x * blockIdx.y), a = 0x400, b, c, d;
    asm("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(d));
    asm("mapa.shared::cluster.u32 %0, %1, 2;" : "=r"(b) : "r"(a));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(c) : "r"(b));
    unsigned values[] = {id_x(), id_y(), id_z(), ids_x(), ids_y(), ids_z(), in_x(), in_y(),
                         in_z(), of_x(), of_y(), rank(),  ranks(), b,       c,      d};
    for (int i = 0; i < 16; i++)
        o[i] = values[i];
}

/* Eight bins, half of them in each of two blocks. */
__global__ void __cluster_dims__(2) histogram(int *out)
{
    __shared__ int bins[4];
    if (threadIdx.x < 4)
        bins[threadIdx.x] = 0;
    sync();
    unsigned bin = (blockIdx.x * 8 + threadIdx.x) % 8;
    unsigned at = mapped(&bins[bin % 4], bin / 4);
    asm volatile("red.shared::cluster.add.s32 [%0], 1;" ::"r"(at) : "memory");
    sync();
    if (threadIdx.x < 4)
        out[4 * blockIdx.x + threadIdx.x] = bins[threadIdx.x];
}

/* All widths, through 32 bits and generic addresses; each block reads its neighbour's. */
__global__ void widths(unsigned long long *out, unsigned *where)
{
    __shared__ alignas(16) unsigned long long words[64];
    unsigned next = (rank() + 1) % ranks(), t = threadIdx.x;
    words[2 * t] = words[2 * t + 1] = 0;
    sync();
    unsigned at = mapped(&words[2 * t], next);
    unsigned long long value = 1000 * (blockIdx.x + 1) + t, got;
    asm volatile("st.shared::cluster.v2.u64 [%0], {%1, %2};" ::"r"(at), "l"(value), "l"(value * 2) : "memory");
    sync();
    unsigned long long generic, mine = (unsigned long long)&words[2 * t], sum = words[2 * t] + words[2 * t + 1];
    asm("mapa.u64 %0, %1, %2;" : "=l"(generic) : "l"(mine), "r"(next));
    got = ((unsigned long long *)generic)[1] + *(unsigned short *)generic;
    unsigned old;
    sync();
    asm volatile("atom.shared::cluster.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(at), "r"(t + 7) : "memory");
    sync();
    int is_own, is_any;
    asm("{ .reg .pred p; isspacep.shared::cta p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(is_own) : "l"(generic));
    asm("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(is_any) : "l"(generic));
    unsigned *o = where + blockIdx.x * 32 + t;
    *o = old == (unsigned)value && is_any && is_own == (next == rank()) && (unsigned)words[2 * t] == t + 7;
    out[blockIdx.x * 64 + 2 * t] = sum;
    out[blockIdx.x * 64 + 2 * t + 1] = got;
    if (t == 0)
        where[gridDim.x * 32 + blockIdx.x] = sm();
    sync();
}

/* Warps come to the barrier at different times, and some have ended. */
__global__ void __cluster_dims__(4, 1, 1) ends(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0)
        count = 0;
    sync();
    if (threadIdx.x / 32 == rank() % 4)
        return;
    unsigned at = mapped(&count, 0);
    asm volatile("red.shared::cluster.add.s32 [%0], 1;" ::"r"(at) : "memory");
    if (threadIdx.x % 2) {
        asm volatile("barrier.cluster.arrive;" ::: "memory");
        asm volatile("barrier.cluster.wait;" ::: "memory");
    } else {
        asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
    }
    if (rank() == 0 && threadIdx.x == 32)
        out[blockIdx.x / 4] = count;
}

/* Without clusters it is a barrier of the block. */
__global__ void alone(int *out)
{
    __shared__ int last;
    if (threadIdx.x == 96)
        last = 5;
    sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = last + (int)(10 * rank() + 100 * ranks() + 1000 * id_x());
}

template <typename... T> static cudaError_t launch(void (*kernel)(T...), dim3 grid, dim3 block, dim3 cluster, T... args)
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    config.gridDim = grid;
    config.blockDim = block;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, args...);
}

static int wrong;
static void check(const char *what, bool good)
{
    if (!good)
        printf("%s: wrong\n", what);
    wrong += !good;
}

int main()
{
    unsigned *u;
    unsigned long long *l;
    int *n;
    cudaMallocManaged(&u, 1 << 16);
    cudaMallocManaged(&l, 1 << 16);
    n = (int *)l;

    check("launch", !launch(registers, dim3(8, 4, 1), dim3(1), dim3(2, 2, 1), u) && !cudaDeviceSynchronize());
    const unsigned expected[16] = {2, 1, 0, 4, 2, 1, 1, 1, 0, 2, 2, 3, 4, 0x2000400, 2, 1};
    for (int i = 0; i < 16; i++)
        check("registers", u[16 * (5 + 8 * 3) + i] == expected[i]);

    histogram<<<2, 8>>>(n);
    cudaDeviceSynchronize();
    for (int i = 0; i < 8; i++)
        check("histogram", n[i] == 2);

    check("16 not allowed", launch(widths, dim3(32), dim3(32), dim3(16), l, u) == cudaErrorInvalidClusterSize);
    cudaFuncSetAttribute(widths, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (int size = 1; size <= 16; size *= 2) {
        check("launch", !launch(widths, dim3(32), dim3(32), dim3(size), l, u) && !cudaDeviceSynchronize());
        for (int b = 0; b < 32; b++)
            for (int t = 0; t < 32; t++) {
                unsigned before = b / size * size + (b + size - 1) % size, v = 1000 * (before + 1) + t;
                unsigned own = 1000 * (b + 1) + t;
                check("stored", l[b * 64 + 2 * t] == 3ull * v);
                check("loaded", l[b * 64 + 2 * t + 1] == 2ull * own + own % 65536);
                check("words", u[b * 32 + t] == 1);
            }
        for (int b = 0; b < 32 && size <= 16; b++)
            for (int c = b / size * size; c < b; c++)
                check("on SMs of their own", u[32 * 32 + b] != u[32 * 32 + c]);
    }

    ends<<<8, 128>>>(n);
    cudaDeviceSynchronize();
    check("ends", n[0] == 4 * 96 && n[1] == 4 * 96);

    alone<<<3, 128>>>(n);
    cudaDeviceSynchronize();
    for (int i = 0; i < 3; i++)
        check("alone", n[i] == 105 + 1000 * i);
    printf("clusters: %d wrong\n", wrong);
    return wrong != 0;
}
