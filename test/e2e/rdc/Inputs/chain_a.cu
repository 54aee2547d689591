#include "chain.h"
#include <cstdio>

static __device__ int bias = 10;       // chain_b.cu has one, too
static __constant__ int offsets[2];

static __device__ __noinline__ int local(int x) { return x * 2 + bias; }

static __global__ void run(int *data)  // chain_b.cu has one, too
{
    int i = threadIdx.x;
    data[i] = mid(i) + local(i) + offsets[i & 1];
    atomicAdd(&counter, 1);
}

__global__ void pointers(int *data)
{
    int i = threadIdx.x;
    data[i] = operations[i & 1](i) + table[i & 3];
}

__global__ void shapes(float *data)
{
    int i = threadIdx.x;
    Shape plain(2.0f);
    Circle circle(3.0f);
    const Shape *shape = i & 1 ? &circle : &plain;
    data[i] = measure(shape, (float)i);
}

static int check(const char *what, int got, int expected)
{
    if (got != expected)
        printf("chain: %s: %d instead of %d\n", what, got, expected);
    return got != expected;
}

int main()
{
    const int n = 64;
    int host[n], errors = 0, value = 0, bias_value = 100, offset[2] = {1000, 2000}, row[4] = {7, 8, 9, 10};
    float area[n], *areas;
    int *data;
    cudaMalloc(&data, sizeof host);
    cudaMalloc(&areas, sizeof area);
    cudaMemcpyToSymbol(bias, &bias_value, sizeof bias_value);
    cudaMemcpyToSymbol(offsets, offset, sizeof offset);
    cudaMemcpyToSymbol(table, row, sizeof row);
    cudaMemcpyToSymbol(counter, &value, sizeof value);

    run<<<1, n>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        errors += check("run", host[i], (i + 1) * 3 + 5 + i * 2 + 100 + offset[i & 1]);
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    errors += check("counter", value, n);

    pointers<<<1, n>>>(data);
    cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        errors += check("pointers", host[i], (i & 1 ? i * i : -i) + row[i & 3]);

    shapes<<<1, n>>>(areas);
    cudaMemcpy(area, areas, sizeof area, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        errors += check("shapes", (int)area[i], i & 1 ? 3 * i * i : 2 * i);

    errors += check("other", launch_other(data), 5 + 42);
    errors += check("launch", cudaGetLastError(), cudaSuccess);
    printf("chain: %s\n", errors ? "FAILED" : "PASSED");
    return errors != 0;
}
