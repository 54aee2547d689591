// What --check must not take for mistakes: threads that order their accesses by each of the means that there are, and
// values that are copied or thrown away. Each kernel's results are checked.
#include <stdio.h>

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

enum { THREADS = 256 };

struct padded {
    char letter;
    int number;
    short half;
};

// Warps hand on what others wait for, by barriers of some of the block's warps.
__global__ void named(int *out, const int *in)
{
    __shared__ int box[64];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int round = 0; round < 3; round++) {
        if (warp == 0) {
            box[lane] = in[lane] + round;
            asm volatile("bar.arrive 1, 64;" ::: "memory");
            asm volatile("bar.sync 2, 64;" ::: "memory");
        } else if (warp == 1) {
            asm volatile("bar.sync 1, 64;" ::: "memory");
            out[lane] = box[31 - lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory");
        }
    }
}

// A reduction as it is taught: barriers among warps, __syncwarp among lanes.
__global__ void reduce(int *out, const int *in)
{
    __shared__ int sums[THREADS];
    unsigned i = threadIdx.x;
    sums[i] = in[i];
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 32; half /= 2) {
        if (i < half)
            sums[i] += sums[i + half];
        __syncthreads();
    }
    if (i < 32) {
        int sum = sums[i] + sums[i + 32];
        __syncwarp();
        for (unsigned half = 16; half; half /= 2) {
            sums[i] = sum;
            __syncwarp();
            sum += sums[i ^ half];
            __syncwarp();
        }
        if (i == 0)
            *out = sum;
    }
}

// The same with shuffles, whose last lanes take values that nobody asks for.
__global__ void shuffles(int *out, const int *in)
{
    __shared__ int sums[THREADS / 32];
    int sum = in[threadIdx.x];
    for (int half = 16; half; half /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, half);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < THREADS / 32) {
        sum = sums[threadIdx.x];
        for (int half = THREADS / 64; half; half /= 2)
            sum += __shfl_down_sync(0xff, sum, half);
        if (threadIdx.x == 0)
            *out = sum;
    }
}

// Counters: atomics among themselves, and a barrier before they are read.
__global__ void counters(int *out, const int *in)
{
    __shared__ int counts[8];
    if (threadIdx.x < 8)
        counts[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&counts[in[threadIdx.x] & 7], 1);
    __syncthreads();
    if (threadIdx.x < 8)
        out[threadIdx.x] = counts[threadIdx.x];
}

// A lock that guards a plain variable.
__global__ void lock(int *out)
{
    __shared__ int taken, sum;
    if (threadIdx.x == 0)
        taken = sum = 0;
    __syncthreads();
    for (bool done = false; !done;)
        if (atomicCAS(&taken, 0, 1) == 0) {
            __threadfence_block();
            sum += threadIdx.x;
            __threadfence_block();
            atomicExch(&taken, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        *out = sum;
}

// A volatile flag with fences.
__global__ void flag(int *out)
{
    __shared__ volatile int ready;
    __shared__ int data;
    if (threadIdx.x == 0)
        ready = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42;
        __threadfence_block();
        ready = 1;
    }
    if (threadIdx.x == 32) {
        while (!ready) {
        }
        __threadfence_block();
        *out = data;
    }
}

// All write the same; bytes of a word belong to different threads.
__global__ void small(int *out)
{
    __shared__ int any;
    __shared__ unsigned char letters[THREADS];
    if (threadIdx.x == 0)
        any = 0;
    __syncthreads();
    if (threadIdx.x % 3 == 0)
        any = 1;
    letters[threadIdx.x] = (unsigned char)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = any + letters[255 - threadIdx.x];
}

__global__ void groups(int *out, const int *in)
{
    __shared__ int tile[THREADS];
    auto block = cg::this_thread_block();
    auto four = cg::tiled_partition<4>(block);
    tile[block.thread_rank()] = in[block.thread_rank()];
    four.sync();
    int sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum += tile[block.thread_rank() / 4 * 4 + i];
    block.sync();
    tile[block.thread_rank()] = sum;
    block.sync();
    if (threadIdx.x % 3 == 0) {
        auto active = cg::coalesced_threads();
        active.sync();
    }
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

// Early ends, a barrier after them, and both sides of a branch with a __syncwarp of their own.
__global__ void ends(int *out)
{
    __shared__ int tile[THREADS];
    if (threadIdx.x >= 200)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int value = tile[199 - threadIdx.x];
    if (threadIdx.x % 2)
        __syncwarp();
    else
        __syncwarp();
    out[threadIdx.x] = value;
}

// Copies of memory that is not all written: padding, and what lies behind a count.
__global__ void copies(padded *to, const padded *from, int count)
{
    __shared__ padded box[64];
    box[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = box[63 - threadIdx.x];
    if ((int)threadIdx.x < count)
        to[threadIdx.x].number = box[threadIdx.x].number + 1;
}
__global__ void fill(padded *to, int count)
{
    if ((int)threadIdx.x < count) {
        to[threadIdx.x].letter = 'a';
        to[threadIdx.x].number = threadIdx.x;
    }
}

static int failed;
static void expect(const char *name, const int *device, int index, int value)
{
    int host;
    cudaMemcpy(&host, device + index, sizeof host, cudaMemcpyDeviceToHost);
    if (host != value)
        printf("%s: %d, not %d\n", name, host, value), failed = 1;
}

int main()
{
    int *out, *in, values[THREADS];
    padded *a, *b;
    for (int i = 0; i < THREADS; i++)
        values[i] = i;
    cudaMalloc(&out, sizeof values);
    cudaMalloc(&in, sizeof values);
    cudaMalloc(&a, 64 * sizeof *a);
    cudaMalloc(&b, 64 * sizeof *b);
    cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
    named<<<1, 64>>>(out, in);
    expect("named", out, 0, 33);
    reduce<<<1, THREADS>>>(out, in);
    expect("reduce", out, 0, 32640);
    shuffles<<<1, THREADS>>>(out, in);
    expect("shuffles", out, 0, 32640);
    counters<<<1, THREADS>>>(out, in);
    expect("counters", out, 3, 32);
    lock<<<1, 64>>>(out);
    expect("lock", out, 0, 2016);
    flag<<<1, 64>>>(out);
    expect("flag", out, 0, 42);
    small<<<1, THREADS>>>(out);
    expect("small", out, 0, 256);
    groups<<<1, THREADS>>>(out, in);
    expect("groups", out, 0, 252 + 253 + 254 + 255);
    ends<<<1, THREADS>>>(out);
    expect("ends", out, 1, 198);
    fill<<<1, 64>>>(a, 10);
    copies<<<1, 64>>>(b, a, 0);
    fill<<<1, 64>>>(a, 64);
    copies<<<1, 64>>>(b, a, 64);
    expect("copies", (int *)b, 1, 1);
    if (!failed)
        printf("idioms: PASSED\n");
    return failed;
}
