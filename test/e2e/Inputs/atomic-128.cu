#include <cstdio>
typedef unsigned long long word;
struct pair {
    word low, high;
};
#define SWAP(space)                                                                                                             \
    __device__ pair swap_##space(word at, pair want, pair put)                                                                  \
    {                                                                                                                           \
        pair old;                                                                                                               \
        asm volatile("{ .reg .b128 w, p, o; mov.b128 w, {%3, %4}; mov.b128 p, {%5, %6};"                                        \
                     " atom." #space ".relaxed.gpu.cas.b128 o, [%2], w, p; mov.b128 {%0, %1}, o; }"                             \
                     : "=l"(old.low), "=l"(old.high)                                                                            \
                     : "l"(at), "l"(want.low), "l"(want.high), "l"(put.low), "l"(put.high)                                      \
                     : "memory");                                                                                               \
        return old;                                                                                                             \
    }
SWAP(global)
SWAP(shared)
__device__ pair exchange(void *at, pair put)  // generic
{
    pair old;
    asm volatile("{ .reg .b128 p, o; mov.b128 p, {%3, %4}; atom.exch.b128 o, [%2], p; mov.b128 {%0, %1}, o; }"
                 : "=l"(old.low), "=l"(old.high)
                 : "l"(at), "l"(put.low), "l"(put.high)
                 : "memory");
    return old;
}
// Each thread adds one to the lower half and three to the upper one, both at once.
__global__ void add(pair *sum, pair *sums)
{
    __shared__ __align__(16) pair here;
    if (threadIdx.x == 0)
        here = {~0ull, 5};
    __syncthreads();
    word at = (word)__cvta_generic_to_shared(&here);
    for (pair old = {0, 0}, was;; old = was) {
        was = swap_shared(at, old, {old.low + 1, old.high + 3});
        if (was.low == old.low && was.high == old.high)
            break;
    }
    for (pair old = {0, 1}, was;; old = was) {
        was = swap_global((word)sum, old, {old.low + 1, old.high + 3});
        if (was.low == old.low && was.high == old.high)
            break;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        sums[blockIdx.x] = here;
}
// Each thread leaves a value and takes another's.
__global__ void hand_on(pair *place, pair *got)
{
    word me = blockIdx.x * blockDim.x + threadIdx.x;
    got[me] = exchange(place, {me + 1, ~me});
}
int main()
{
    enum { BLOCKS = 3, THREADS = 40, ALL = BLOCKS * THREADS };
    pair *data, *got;
    int bad = 0, seen[ALL + 1] = {};
    cudaMallocManaged(&data, 16 * sizeof(pair));
    cudaMallocManaged(&got, ALL * sizeof(pair));
    data[0] = {0, ~0ull - 100};
    add<<<BLOCKS, THREADS>>>(data, data + 1);
    cudaDeviceSynchronize();
    bad += data[0].low != ALL || data[0].high != ~0ull - 100 + 3 * ALL;
    for (int b = 1; b <= BLOCKS; b++)
        bad += data[b].low != ~0ull + THREADS || data[b].high != 5 + 3 * THREADS;
    data[8] = {0, 0};
    hand_on<<<BLOCKS, THREADS>>>(data + 8, got);
    cudaDeviceSynchronize();
    for (int i = 0; i <= ALL; i++) {
        pair p = i < ALL ? got[i] : data[8];
        bad += p.low > ALL || (p.low ? p.high != ~(p.low - 1) : p.high != 0);
        seen[p.low <= ALL ? p.low : 0]++;
    }
    for (int i = 0; i <= ALL; i++)
        bad += seen[i] != 1;
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
