/* What launches with clusters a card takes, and how many clusters it has room for. Arguments: clusters of 1, 2, 4, 8 and 16. */
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>

extern __shared__ int room[];
__global__ void any(int *out)
{
    if (out == NULL)
        room[0] = 1;
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}
__global__ void __cluster_dims__(2, 1, 1) pairs(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}
__global__ void __cluster_dims__(4, 4, 1) sixteen(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}

__global__ void __launch_bounds__(32, 1, 4) few(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}

enum { LARGE = 120 * 1024 };
static int wrong, *out;
static cudaLaunchAttribute attribute;
static cudaLaunchConfig_t config;

static cudaLaunchConfig_t *with(unsigned grid, unsigned x, size_t shared = 0)
{
    config = {};
    config.gridDim = grid;
    config.blockDim = 32;
    config.dynamicSmemBytes = shared;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = x ? 1 : 0;
    return &config;
}

static void expect(const char *what, bool good)
{
    if (!good)
        printf("%s: wrong\n", what);
    wrong += !good;
}

/* A launch that runs does so with as many blocks as it has. */
template <typename Kernel> static void launch(const char *what, Kernel kernel, unsigned grid, unsigned x, cudaError_t code)
{
    *out = 0;
    cudaError_t got = cudaLaunchKernelEx(with(grid, x), kernel, out);
    cudaError_t after = cudaDeviceSynchronize();
    if (got != code)
        printf("%s: %s\n", what, cudaGetErrorName(got));
    expect(what, got == code && after == cudaSuccess && *out == (code ? 0 : (int)grid));
    cudaGetLastError();
}

int main(int argc, char **argv)
{
    int clusters = -1, size = -1;
    cudaMallocManaged(&out, sizeof *out);
    launch("pairs", any, 6, 2, cudaSuccess);
    launch("not a divisor", any, 6, 4, cudaErrorInvalidClusterSize);
    launch("behind one that was refused", any, 6, 3, cudaSuccess);
    launch("sixteen, not allowed", any, 16, 16, cudaErrorInvalidClusterSize);
    launch("the kernel's own", pairs, 8, 0, cudaSuccess);
    launch("the same", pairs, 8, 2, cudaSuccess);
    launch("another one", pairs, 8, 4, cudaErrorInvalidClusterSize);
    launch("as many as launch bounds allow", few, 8, 4, cudaSuccess);
    launch("more than launch bounds allow", few, 8, 8, cudaErrorInvalidClusterSize);
    launch("the kernel's own, not a divisor", pairs, 7, 0, cudaErrorInvalidClusterSize);
    cudaLaunchKernelEx(with(16, 0), sixteen, out);
    expect("sixteen by the kernel", cudaGetLastError() == cudaErrorInvalidClusterSize);
    cudaFuncSetAttribute(any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch("sixteen, allowed", any, 16, 16, cudaSuccess);
    launch("thirty-two", any, 32, 32, cudaErrorInvalidClusterSize);

    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, pairs);
    expect("attributes", attributes.clusterDimMustBeSet == 1 && attributes.requiredClusterWidth == 2 &&
                             attributes.requiredClusterHeight == 1 && !attributes.nonPortableClusterSizeAllowed);
    cudaFuncSetAttribute(any, cudaFuncAttributeMaxDynamicSharedMemorySize, LARGE);
    for (int i = 0; i < 5 && i + 1 < argc; i++) {
        expect("code", cudaOccupancyMaxActiveClusters(&clusters, any, with(1u << i, 1u << i, LARGE)) == cudaSuccess);
        if (clusters != atoi(argv[i + 1]))
            printf("%d clusters of %d\n", clusters, 1 << i);
        expect("clusters", clusters == atoi(argv[i + 1]));
    }
    cudaOccupancyMaxActiveClusters(&clusters, any, with(32, 32, LARGE));
    expect("none of 32", clusters == 0);
    expect("code", !cudaOccupancyMaxPotentialClusterSize(&size, any, with(1, 1, LARGE)) && size == 16);
    expect("code", !cudaOccupancyMaxPotentialClusterSize(&size, pairs, with(1, 0)) && size == 2);
    expect("code", !cudaOccupancyMaxPotentialClusterSize(&size, few, with(1, 1)) && size == 4);
    CUfunction function;
    CUlaunchAttribute same = {};
    CUlaunchConfig driver = {};
    cudaGetFuncBySymbol(&function, (const void *)any);
    same.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    same.value.clusterDim.x = 8;
    same.value.clusterDim.y = same.value.clusterDim.z = 1;
    driver.gridDimX = 16;
    driver.gridDimY = driver.gridDimZ = driver.blockDimY = driver.blockDimZ = 1;
    driver.blockDimX = 32;
    driver.sharedMemBytes = LARGE;
    driver.attrs = &same;
    driver.numAttrs = 1;
    expect("driver", !cuOccupancyMaxActiveClusters(&clusters, function, &driver) && clusters == atoi(argv[4]));
    void *args[] = {&out};
    *out = 0;
    expect("driver", !cuLaunchKernelEx(&driver, function, args, NULL) && !cudaDeviceSynchronize() && *out == 16);
    printf("launches: %d wrong\n", wrong);
    return wrong != 0;
}
