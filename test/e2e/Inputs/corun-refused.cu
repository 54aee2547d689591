// Programs that cannot be recorded: `heap` allocates in a kernel, `registered` has the device reach the host's own
// memory, `managed` has a variable there, `fault` ends in one, `nothing` launches nothing.
#include <cstdlib>
#include <cstring>

#ifdef MANAGED
__managed__ int shared_with_host;
#else
__device__ int shared_with_host;
#endif
__device__ int *last;

__global__ void touch(int *at) { *at = ++shared_with_host; }
__global__ void allocate() { last = static_cast<int *>(malloc(16)); }

int main(int argc, char **argv) {
    int *memory = static_cast<int *>(aligned_alloc(4096, 4096)), *device = nullptr;
    cudaMalloc(&device, 4);
    if (!strcmp(argv[1], "heap"))
        allocate<<<1, 1>>>();
    if (!strcmp(argv[1], "registered"))
        cudaHostRegister(memory, 4096, cudaHostRegisterMapped);
    if (strcmp(argv[1], "nothing"))
        touch<<<1, 1>>>(strcmp(argv[1], "fault") ? device : nullptr);
    cudaDeviceSynchronize();
}
