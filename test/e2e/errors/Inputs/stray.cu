// Accesses to memory that is not the accessor's, one a run, chosen by name; prints what the program sees of it.
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1000 };
static int ours[32];

__global__ void store(int *p) { p[threadIdx.x] = 1; }
__global__ void load(int *to, const int *from, int at) { to[threadIdx.x] = from[at + (int)threadIdx.x]; }
__device__ __noinline__ void stop(const int *p)
{
    if (*p != 7)
        __trap(); // trap
}
__global__ void traps(const int *p) { stop(p); }
__global__ void asserts(const int *p)
{
    assert(*p == 7); // assert
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int *device, *other, *managed, *pinned, *large, local[32] = {0}, first[3];
    cudaMalloc(&device, COUNT * sizeof(int));
    cudaMalloc(&other, COUNT * sizeof(int));
    cudaMemset(device, 0, COUNT * sizeof(int));
    cudaMallocManaged(&managed, 100);
    cudaMallocHost(&pinned, 100);
    cudaMallocManaged(&large, 20000);
    managed[3] = pinned[3] = 5;
    if (!strcmp(what, "null"))
        store<<<1, 32>>>(nullptr);
    else if (!strcmp(what, "freed"))
        cudaFree(other), store<<<1, 32>>>(other + 10);
    else if (!strcmp(what, "stack"))
        store<<<1, 32>>>(local);
    else if (!strcmp(what, "heap"))
        store<<<1, 32>>>(new int[32]);
    else if (!strcmp(what, "static"))
        store<<<1, 32>>>(ours);
    else if (!strcmp(what, "behind"))
        load<<<1, 32>>>(device, device, COUNT - 10);
    else if (!strcmp(what, "before"))
        load<<<1, 32>>>(other, device, -3);
    else if (!strcmp(what, "written"))
        store<<<1, 32>>>(device + COUNT - 10);
    else if (!strcmp(what, "far"))
        load<<<1, 32>>>(device, device, 10000000);
    else if (!strcmp(what, "trap"))
        traps<<<1, 32>>>(device);
    else if (!strcmp(what, "assert"))
        asserts<<<1, 32>>>(device);
    else if (!strcmp(what, "host-reads"))
        printf("%d\n", device[3]);
    else if (!strcmp(what, "host-writes"))
        device[3] = 1;
    else if (!strcmp(what, "host-late"))
        cudaFree(large), large[2500] = 1; // on a page of its own
    else if (!strcmp(what, "host-may")) {
        // Freeing a neighbour on the same page takes nothing from those that stay.
        cudaFree(managed);
        cudaMallocManaged(&managed, 100);
        cudaFreeHost(pinned);
        store<<<1, 25>>>(managed);
        cudaDeviceSynchronize();
        managed[24] += 2;
        printf("host sees %d\n", managed[0] + managed[24]);
        // Unified addresses: what the host cannot reach is the device's.
        cudaMemcpy(device, managed, 100, cudaMemcpyHostToDevice);
        cudaMemcpy(other, device, 100, cudaMemcpyHostToDevice);
        cudaMemcpy(first, other, sizeof first, cudaMemcpyDeviceToHost);
        printf("copied %d\n", first[2]);
    }
    printf("program saw: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
