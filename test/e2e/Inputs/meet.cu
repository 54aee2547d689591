// Lanes of a mask meet at operations of the same kind, wherever these stand: in the other branch, in another branch, in
// another turn of a loop, in another function, by tiles. What each thread finds out is worked out on the host.
#include <cstdio>

__device__ int lock_, count_;

__global__ void swap_halves(int *out)
{
    int lane = threadIdx.x & 31, v;
    if (lane < 16) {
        v = 1000 + __shfl_xor_sync(0xffffffffu, lane * 3 + 1, 16);
    } else {
        int mine = lane * 5 + 2;
        mine ^= 0x40;
        v = 2000 + __shfl_xor_sync(0xffffffffu, mine, 16);
    }
    out[threadIdx.x] = v;
}

static int swapped(int t)
{
    int lane = t & 31, other = lane ^ 16;
    return lane < 16 ? 1000 + ((other * 5 + 2) ^ 0x40) : 2000 + other * 3 + 1;
}

// Two lanes, in two ifs behind one another; the others have ended.
__global__ void two_ifs(int *out)
{
    int lane = threadIdx.x & 31, v = 0;
    if (lane > 1)
        return;
    if (lane == 0)
        v = __shfl_sync(3u, 42, 1);
    if (lane == 1)
        v = __shfl_sync(3u, 123, 0);
    out[threadIdx.x] = v;
}

static int exchanged(int t)
{
    return (t & 31) == 0 ? 123 : (t & 31) == 1 ? 42 : 0;
}

// A lane that holds a lock needs nobody.
__global__ void own_shuffle(int *out)
{
    int lane = threadIdx.x & 31;
    while (atomicCAS(&lock_, 0, 1) != 0)
        ;
    *(volatile int *)&count_ = *(volatile int *)&count_ + __shfl_sync(1u << lane, 1, lane);
    __threadfence();
    atomicExch(&lock_, 0);
    out[threadIdx.x] = 1;
}

static int one(int)
{
    return 1;
}

// Lane n comes to its ballots in the turns n % 4, n % 4 + 4, ...; the k-th of each is one.
__global__ void turns(int *out)
{
    int lane = threadIdx.x & 31, sum = 0, k = 0;
    for (int turn = 0; turn < 12; turn++)
        if (turn % 4 == lane % 4)
            sum += __popc(__ballot_sync(0xffffffffu, (lane * 7 + k++) & 4)) << 6 * (turn / 4);
    out[threadIdx.x] = sum;
}

static int of_turns(int)
{
    int sum = 0;
    for (int k = 0; k < 3; k++)
        for (int lane = 0; lane < 32; lane++)
            sum += ((lane * 7 + k) & 4 ? 1 : 0) << 6 * k;
    return sum;
}

__device__ __noinline__ int in_function(int x)
{
    return __match_any_sync(0xffffffffu, x);
}

// In a function and outside; a maximum over the tile of eight that is split, a mask of what was active there.
__global__ void functions(int *out)
{
    int lane = threadIdx.x & 31, v;
    if (lane % 2)
        v = in_function(lane / 8);
    else
        v = __match_any_sync(0xffffffffu, lane / 8);
    if (lane % 4 < 3) {
        unsigned here = __activemask(), rank = __popc(here & ((1u << lane) - 1));
        v += __shfl_sync(here, (int)rank, 31 - __clz(here));
    }
    out[threadIdx.x] = v;
}

static int of_functions(int t)
{
    int lane = t & 31;
    return (0xff << lane / 8 * 8) + (lane % 4 < 3 ? 23 : 0);
}

// Masks of eight lanes; every other group has its second half elsewhere, and a lane that has ended.
__global__ void tiles(int *out)
{
    int lane = threadIdx.x & 31, v;
    unsigned mask = 0xffu << (lane & 24);
    if (lane % 8 == 7)
        return;
    if (lane < 16 && lane % 8 >= 4) {
        v = __all_sync(mask, lane != 6) + 10;
        __syncwarp(mask);
    } else {
        v = __all_sync(mask, lane != 3) + 20;
        __syncwarp(mask);
    }
    for (int i = 1; i < 8; i *= 2) {
        int w = __shfl_down_sync(mask, v, i, 8);
        v += lane % 8 + i < 7 ? w & 1 : 0;
    }
    out[threadIdx.x] = v & 0xfe;
}

static int of_tiles(int t)
{
    int lane = t & 31, v[32], w[32];
    if (lane % 8 == 7)
        return 0;
    for (int l = 0; l < 32; l++)
        v[l] = (l >= 8) + (l < 16 && l % 8 >= 4 ? 10 : 20);
    for (int i = 1; i < 8; i *= 2) {
        for (int l = 0; l < 32; l++)
            w[l] = v[l] + (l % 8 + i < 7 ? v[l + i] & 1 : 0);
        for (int l = 0; l < 32; l++)
            v[l] = w[l];
    }
    return v[lane] & 0xfe;
}

// The width is a variable; one side's is a number. 64 bits, and a predicate of the other side.
__global__ void widths(long long *out, int width)
{
    int lane = threadIdx.x & 31;
    long long v;
    unsigned mask = 0xffffffffu >> (width == 8 ? 0 : 1);
    if (lane & 1)
        v = __shfl_sync(mask, (long long)lane << 33, 3, width);
    else
        v = __shfl_sync(mask, (long long)lane << 33, 3, 8);
    v += lane & 2 ? __any_sync(mask, lane == 2) : __any_sync(mask, 0);
    out[threadIdx.x] = v;
}

template <typename F> static int run(const char *name, void (*kernel)(int *), F want)
{
    int *out, host[128], bad = 0;
    cudaMalloc(&out, sizeof host);
    cudaMemset(out, 0, sizeof host);
    kernel<<<2, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++)
        if (host[t] != want(t) && bad++ < 2)
            printf("%s, thread %d: %d, not %d\n", name, t, host[t], want(t));
    cudaFree(out);
    return bad;
}

int main()
{
    int bad = run("swap_halves", swap_halves, swapped) + run("two_ifs", two_ifs, exchanged) +
              run("own_shuffle", own_shuffle, one) + run("turns", turns, of_turns) +
              run("functions", functions, of_functions) + run("tiles", tiles, of_tiles), count;
    long long *out, host[64];
    cudaMemcpyFromSymbol(&count, count_, sizeof count);
    cudaMalloc(&out, sizeof host);
    widths<<<1, 64>>>(out, 8);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++)
        bad += host[t] != ((long long)(t % 32 / 8 * 8 + 3) << 33) + 1;
    bad += count != 128;
    printf("meet: %s\n", bad || cudaDeviceSynchronize() ? "FAILED" : "PASSED");
    return bad != 0;
}
