// The device's heap, and arrays beside each other.
#include "faulty.h"
__global__ void heap_past_end(int *o) {
    int *volatile p = (int *)malloc(16);
    p[4] = 7;
    o[0] = 1;
    free(p);
}
__global__ void heap_before(int *o) {
    char *volatile p = (char *)malloc(24);
    o[0] = p[-1];
    free(p);
}
__global__ void heap_after_free(int *o) {
    int *volatile p = (int *)malloc(16);
    p[0] = 1;
    free(p);
    o[0] = p[0];
}
__global__ void heap_unwritten(int *o) {
    int *volatile p = (int *)malloc(16);
    p[0] = 1;
    o[0] = p[1] + 1;
    free(p);
}
__global__ void heap_leak(int *o) {
    int *volatile p = (int *)malloc(40 + threadIdx.x);
    p[0] = 1;
    o[threadIdx.x] = p[0];
}
__global__ void heap_new_leak(int *o) {
    int *volatile p = new int[5];
    p[0] = 1;
    o[threadIdx.x] = p[0];
}
__global__ void heap_twice(int *o) {
    int *volatile p = (int *)malloc(16);
    free(p);
    free(p);
    o[0] = 1;
}
__global__ void heap_inside(int *o) {
    int *volatile p = (int *)malloc(16);
    free(p + 1);
    o[0] = 1;
}
__global__ void heap_of_nobody(int *o) {
    int *volatile p = o + 1;
    free(p);
    o[0] = 1;
}
__global__ void heap_freed_elsewhere(int **box, int *o, int turn) {
    if (turn == 0)
        *box = (int *)malloc(100);
    else if (turn == 1)
        free(*box);
    else
        o[0] = (*box)[9];
}
__global__ void shared_neighbour(int *o) {
    __shared__ int s[64];
    __shared__ int z[64];
    s[threadIdx.x + 1] = 1;
    z[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x] + z[63 - threadIdx.x];
}
__global__ void shared_read_neighbour(int *o, int k) {
    __shared__ int s[64];
    __shared__ char z[32];
    s[threadIdx.x] = o[threadIdx.x];
    z[threadIdx.x & 31] = 1;
    __syncthreads();
    o[threadIdx.x] = z[(threadIdx.x & 31) + k] + s[threadIdx.x ^ k];
}
__global__ void shared_static_then_dynamic(int *o, int k) {
    __shared__ int s[32];
    extern __shared__ int d[];
    d[threadIdx.x] = 2;
    s[threadIdx.x & 31] = 1;
    __syncthreads();
    o[threadIdx.x] = s[(threadIdx.x & 31) + k] + d[threadIdx.x];
}
__global__ void shared_past_all(int *o) {
    extern __shared__ int d[];
    d[threadIdx.x + 1] = 1;
    __syncthreads();
    o[threadIdx.x] = d[threadIdx.x];
}
__global__ void shared_over_end(int *o) {
    __shared__ alignas(8) int s[3];
    __shared__ int z[5];
    if (threadIdx.x < 3)
        s[threadIdx.x] = z[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x] = (int)*(const volatile long long *)&s[2] + z[threadIdx.x % 3];
}
__global__ void local_neighbour(int *o, int k) {
    int a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    for (int i = 0; i <= k; i++)
        a[i] = i * k;
    o[threadIdx.x] = a[k & 3] + b[k & 3] + b[(k + 1) & 3];
}
// What an optimiser sees all of: every call is there.
__global__ void heap_seen_leak(int *o) {
    int *p = (int *)malloc(44);
    p[0] = 1;
    o[threadIdx.x] = p[0];
}
__global__ void heap_seen_past_end(int *o) {
    int *p = (int *)malloc(16);
    p[4] = 7;
    o[0] = p[4];
    free(p);
}
// clang-format off
BEGIN()
    RUN(heap_past_end, 1, 1, memory)
    RUN(heap_before, 1, 1, memory)
    RUN(heap_after_free, 1, 1, memory)
    RUN(heap_unwritten, 1, 1, memory)
    RUN(heap_leak, 1, 2, memory)
    RUN(heap_new_leak, 1, 2, memory)
    RUN(heap_seen_leak, 1, 2, memory)
    RUN(heap_seen_past_end, 1, 1, memory)
    RUN(heap_twice, 1, 1, memory)
    RUN(heap_inside, 1, 1, memory)
    RUN(heap_of_nobody, 1, 1, memory)
    if (wants(argc, argv, "heap_freed_elsewhere"))
        for (int turn = 0; turn < 3; turn++)
            heap_freed_elsewhere<<<1, 1>>>((int **)(memory + 64), memory, turn);
    RUN(shared_neighbour, 1, 64, memory)
    RUN(shared_read_neighbour, 1, 64, memory, 1)
    RUN(shared_over_end, 1, 32, memory)
    if (wants(argc, argv, "shared_static_then_dynamic"))
        shared_static_then_dynamic<<<1, 64, 256>>>(memory, 1);
    if (wants(argc, argv, "shared_past_all"))
        shared_past_all<<<1, 64, 256>>>(memory);
    RUN(local_neighbour, 1, 32, memory, 4)
END()
