// Barriers across the grid: a prefix sum in rounds, each of which reads what other blocks wrote in the one before; by a
// cooperative launch and by a launch with attributes. Grids that do not fit are refused.
#include <cooperative_groups.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                         \
    do {                                                                          \
        if (!(condition)) {                                                       \
            printf("cooperative: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                              \
        }                                                                         \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

namespace cg = cooperative_groups;

__global__ void scan(int *a, int *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int distance = 1; distance < n; distance *= 2) {
        for (int i = (int)grid.thread_rank(); i < n; i += (int)grid.size())
            b[i] = a[i] + (i >= distance ? a[i - distance] : 0);
        grid.sync();
        int *swap = a;
        a = b;
        b = swap;
    }
}

static void check(int *device[2], int *host, int n)
{
    int rounds = 0, sum = 0;
    for (int distance = 1; distance < n; distance *= 2)
        rounds++;
    OK(cudaMemcpy(host, device[rounds % 2], n * sizeof *host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        sum += i % 7;
        EXPECT(host[i] == sum);
    }
}

int main()
{
    int n = 5000, blocks = 0, sms = 0, cooperative = 0, *device[2], *host = (int *)malloc(n * sizeof(int));
    OK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scan, 128, 0));
    EXPECT(cooperative == 1 && blocks > 0);
    for (int k = 0; k < 2; k++)
        OK(cudaMalloc(&device[k], n * sizeof(int)));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < n; i++)
            host[i] = i % 7;
        OK(cudaMemcpy(device[0], host, n * sizeof *host, cudaMemcpyHostToDevice));
        void *arguments[] = {&device[0], &device[1], &n};
        if (round == 0) {
            OK(cudaLaunchCooperativeKernel(scan, dim3(20), dim3(128), arguments));
        } else {
            cudaLaunchAttribute attribute = {};
            attribute.id = cudaLaunchAttributeCooperative;
            attribute.val.cooperative = 1;
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3(4, 3);
            config.blockDim = dim3(32, 4);
            config.attrs = &attribute;
            config.numAttrs = 1;
            OK(cudaLaunchKernelEx(&config, scan, device[0], device[1], n));
        }
        OK(cudaDeviceSynchronize());
        check(device, host, n);
    }
    void *arguments[] = {&device[0], &device[1], &n};
    EXPECT(cudaLaunchCooperativeKernel(scan, dim3(blocks * sms + 1), dim3(128), arguments) == cudaErrorCooperativeLaunchTooLarge);
    EXPECT(cudaGetLastError() == cudaErrorCooperativeLaunchTooLarge);
    puts("cooperative: PASSED");
}
