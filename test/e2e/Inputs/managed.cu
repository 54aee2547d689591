// Managed variables, registered host memory, and what pointers are said to be.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(condition)                                                     \
    do {                                                                      \
        if (!(condition)) {                                                   \
            printf("managed: FAILED at line %d: %s\n", __LINE__, #condition); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)
#define OK(call) EXPECT((call) == cudaSuccess)

__device__ __managed__ int counter = 5;
__managed__ float table[1000] = {1, 2, 3};
static __managed__ struct {
    int *next;
    double value;
} link;
__managed__ int only_host = 77;
extern __managed__ int elsewhere;
__device__ int *address_of_counter = &counter;

__global__ void step(int n)
{
    if (threadIdx.x == 0) {
        atomicAdd(&counter, 10);
        *address_of_counter += 100;
        if (link.next)
            link.value += *link.next;
        elsewhere *= 2;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        table[i] = table[i] * 2 + i;
}
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

static cudaMemoryType type_of(const void *p)
{
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, p));
    return attributes.type;
}

int main()
{
    /* before any call of the runtime */
    EXPECT(counter == 5 && table[1] == 2 && table[999] == 0 && link.next == NULL && only_host == 77);
    EXPECT(elsewhere == 21);
    counter = 6;
    table[999] = 0.5f;
    only_host++;
    step<<<1, 64>>>(1000);
    OK(cudaDeviceSynchronize());
    EXPECT(counter == 116 && table[1] == 5 && table[2] == 8 && table[999] == 1000 && elsewhere == 42);

    /* addresses are the same on both sides */
    int *shared;
    OK(cudaMallocManaged(&shared, 64));
    *shared = 4;
    link.next = shared;
    link.value = 0.25;
    step<<<1, 64>>>(0);
    OK(cudaDeviceSynchronize());
    EXPECT(link.value == 4.25 && counter == 226);
    link.next = &counter;
    step<<<1, 64>>>(0);
    OK(cudaDeviceSynchronize());
    EXPECT(link.value == 4.25 + 336 && counter == 336);
    void *address;
    OK(cudaGetSymbolAddress(&address, counter));
    EXPECT(address == &counter);
    int value = 1000;
    OK(cudaMemcpyToSymbol(counter, &value, sizeof value));
    EXPECT(counter == 1000 && only_host == 78);
    OK(cudaMemcpy(&value, &table[2], sizeof(float), cudaMemcpyDefault));
    EXPECT(type_of(&counter) == cudaMemoryTypeManaged && type_of(&table[500]) == cudaMemoryTypeManaged);

    /* registered */
    int *host = (int *)malloc(100000), *device, *plain;
    for (int i = 0; i < 25000; i++)
        host[i] = i;
    EXPECT(type_of(host) == cudaMemoryTypeUnregistered);
    OK(cudaHostRegister(host, 100000, cudaHostRegisterMapped));
    EXPECT(cudaHostRegister(host + 10, 100, cudaHostRegisterDefault) == cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&device, host, 0));
    EXPECT(type_of(host + 20000) == cudaMemoryTypeHost);
    twice<<<1, 128>>>(device + 1000);
    OK(cudaDeviceSynchronize());
    EXPECT(host[1127] == 2254 && host[1128] == 1128 && host[999] == 999);
    OK(cudaMalloc(&plain, 400));
    OK(cudaMemcpyAsync(plain, host + 1000, 400, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(host, plain, 400, cudaMemcpyDefault));
    EXPECT(host[1] == 2002 && type_of(plain) == cudaMemoryTypeDevice);
    EXPECT(cudaFree(host) == cudaErrorInvalidValue);
    OK(cudaHostUnregister(host));
    EXPECT(cudaHostUnregister(host) == cudaErrorHostMemoryNotRegistered);
    EXPECT(type_of(host) == cudaMemoryTypeUnregistered);
    host[5] = 5;
    free(host);
    OK(cudaHostAlloc(&host, 400, cudaHostAllocMapped));
    EXPECT(type_of(host) == cudaMemoryTypeHost && type_of(shared) == cudaMemoryTypeManaged);
    OK(cudaFreeHost(host));
    OK(cudaFree(shared));
    cudaGetLastError();
    puts("managed: PASSED");
}
