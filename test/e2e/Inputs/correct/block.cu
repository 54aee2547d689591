// Threads of a block, and lanes of a warp, that hand data to each other.
#include "correct.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
enum { THREADS = 64 };

// One atomic operation for all lanes that want a place.
__global__ void aggregated(const int *in, int *out, int *count) {
    int value = in[threadIdx.x];
    if (value % 3 == 0) {
        unsigned active = __activemask();
        int lane = threadIdx.x % 32, leader = __ffs(active) - 1, at = 0;
        if (lane == leader)
            at = atomicAdd(count, __popc(active));
        at = __shfl_sync(active, at, leader) + __popc(active & ((1u << lane) - 1));
        out[at] = value;
    }
}
static bool aggregated_passes() {
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++)
        numbers[i] = i;
    device<int> in(numbers, THREADS), out(THREADS, false), count(1);
    aggregated<<<1, THREADS>>>(in, out, count);
    return count.at(0) == 22;
}

// Tiles of two matrices, the next ones loaded while these are multiplied.
__global__ void double_buffered(const float *a, const float *b, float *c, int n) {
    __shared__ float left[2][8][8], right[2][8][8];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    left[0][y][x] = a[y * n + x];
    right[0][y][x] = b[y * n + x];
    __syncthreads();
    for (int tile = 0; tile < n / 8; tile++) {
        int now = tile & 1, next = now ^ 1;
        if (tile + 1 < n / 8) {
            left[next][y][x] = a[y * n + (tile + 1) * 8 + x];
            right[next][y][x] = b[((tile + 1) * 8 + y) * n + x];
        }
        for (int k = 0; k < 8; k++)
            sum += left[now][y][k] * right[now][k][x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
static bool double_buffered_passes() {
    float a[32 * 32], b[32 * 32];
    for (int i = 0; i < 32 * 32; i++) {
        a[i] = i % 5;
        b[i] = i % 7;
    }
    device<float> da(a, 32 * 32), db(b, 32 * 32), dc(32 * 32, false);
    double_buffered<<<1, dim3(8, 8)>>>(da, db, dc, 32);
    float want = 0;
    for (int k = 0; k < 32; k++)
        want += a[2 * 32 + k] * b[k * 32 + 3];
    return dc.at(2 * 32 + 3) == want;
}

// A reduction whose last steps are one warp's.
__global__ void warp_synchronous(const int *in, int *out) {
    __shared__ int sums[THREADS];
    int t = threadIdx.x;
    sums[t] = in[t];
    __syncthreads();
    if (t < 32) {
        int sum = sums[t] + sums[t + 32];
        for (int by = 16; by; by /= 2) {
            sums[t] = sum;
            __syncwarp();
            sum += sums[(t + by) % 32];
            __syncwarp();
        }
        if (t == 0)
            *out = sum;
    }
}
static bool warp_synchronous_passes() {
    int numbers[THREADS], want = 0;
    for (int i = 0; i < THREADS; i++)
        want += numbers[i] = i * i;
    device<int> in(numbers, THREADS), out(1, false);
    warp_synchronous<<<1, THREADS>>>(in, out);
    return out.at(0) == want;
}

// Counts in shared memory, then in global memory.
__global__ void histogram(const unsigned char *in, int count, unsigned *bins) {
    __shared__ unsigned mine[64];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[in[i] % 64], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
static bool histogram_passes() {
    unsigned char bytes[512];
    for (int i = 0; i < 512; i++)
        bytes[i] = i * i % 64;
    device<unsigned char> in(bytes, 512);
    device<unsigned> bins(64);
    histogram<<<2, 64>>>(in, 512, bins);
    unsigned want = 0;
    for (int i = 0; i < 512; i++)
        want += bytes[i] == 4;
    return bins.at(4) == want;
}

// Several stages of asynchronous copies.
__global__ void copy_stages(const int4 *in, int *out, int tiles) {
    __shared__ int4 stage[3][THREADS];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 2; i++) {
        __pipeline_memcpy_async(&stage[i][t], &in[i * THREADS + t], sizeof(int4));
        __pipeline_commit();
    }
    for (int i = 0; i < tiles; i++) {
        if (i + 2 < tiles)
            __pipeline_memcpy_async(&stage[(i + 2) % 3][t], &in[(i + 2) * THREADS + t], sizeof(int4));
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += stage[i % 3][(t + 1) % THREADS].y;
        __syncthreads();
    }
    out[t] = sum;
}
static bool copy_stages_passes() {
    static int numbers[6 * THREADS * 4];
    for (int i = 0; i < 6 * THREADS * 4; i++)
        numbers[i] = i;
    device<int> in(numbers, 6 * THREADS * 4), out(THREADS, false);
    copy_stages<<<1, THREADS>>>((const int4 *)(int *)in, out, 6);
    int want = 0;
    for (int i = 0; i < 6; i++)
        want += numbers[i * THREADS * 4 + 4 * 6 + 1];
    return out.at(5) == want;
}

__global__ void pipeline_of_block(const int *in, int *out, int tiles) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ alignas(16) int stage[2][THREADS];
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int i = 0, ahead = 0; i < tiles; i++) {
        for (; ahead < tiles && ahead < i + 2; ahead++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[ahead % 2], in + ahead * THREADS, sizeof stage[0], pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += stage[i % 2][THREADS - 1 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}
static bool pipeline_of_block_passes() {
    int numbers[4 * THREADS];
    for (int i = 0; i < 4 * THREADS; i++)
        numbers[i] = i;
    device<int> in(numbers, 4 * THREADS), out(THREADS, false);
    pipeline_of_block<<<1, THREADS>>>(in, out, 4);
    return out.at(0) == 4 * (THREADS - 1) + THREADS * 6;
}

// A warp produces, another consumes: two barriers, of which each has one side that only arrives.
__global__ void specialised(const int *in, int *out, int turns) {
    __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
    __shared__ int box[32];
    if (threadIdx.x == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    __syncthreads();
    int lane = threadIdx.x % 32, sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        if (threadIdx.x < 32) {
            box[lane] = in[turn * 32 + lane];
            (void)full.arrive();
            empty.arrive_and_wait();
        } else {
            full.arrive_and_wait();
            sum += box[31 - lane];
            (void)empty.arrive();
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}
static bool specialised_passes() {
    int numbers[96];
    for (int i = 0; i < 96; i++)
        numbers[i] = i;
    device<int> in(numbers, 96), out(32, false);
    specialised<<<1, 64>>>(in, out, 3);
    return out.at(31) == 0 + 32 + 64;
}

// The same with named barriers (CudaDMA).
__global__ void named(const int *in, int *out, int turns) {
    __shared__ int box[32];
    int lane = threadIdx.x % 32, sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        if (threadIdx.x < 32) {
            asm volatile("bar.sync 2, 64;" ::: "memory");
            box[lane] = in[turn * 32 + lane];
            asm volatile("bar.arrive 1, 64;" ::: "memory");
        } else {
            asm volatile("bar.arrive 2, 64;" ::: "memory");
            asm volatile("bar.sync 1, 64;" ::: "memory");
            sum += box[31 - lane];
        }
    }
    if (threadIdx.x >= 32)
        out[lane] = sum;
}
static bool named_passes() {
    int numbers[96];
    for (int i = 0; i < 96; i++)
        numbers[i] = i;
    device<int> in(numbers, 96), out(32, false);
    named<<<1, 64>>>(in, out, 3);
    return out.at(31) == 0 + 32 + 64;
}

// Padding that nobody writes, and nobody reads.
__global__ void transpose(const int *in, int *out) {
    __shared__ int tile[16][17];
    for (int y = threadIdx.y; y < 16; y += blockDim.y)
        tile[y][threadIdx.x] = in[y * 16 + threadIdx.x];
    __syncthreads();
    for (int y = threadIdx.y; y < 16; y += blockDim.y)
        out[y * 16 + threadIdx.x] = tile[threadIdx.x][y];
}
static bool transpose_passes() {
    int numbers[256];
    for (int i = 0; i < 256; i++)
        numbers[i] = i;
    device<int> in(numbers, 256), out(256, false);
    transpose<<<1, dim3(16, 4)>>>(in, out);
    return out.at(3 * 16 + 7) == 7 * 16 + 3;
}

__global__ void stencil(const int *in, int *out, int count) {
    __shared__ int line[THREADS + 4];
    int at = blockIdx.x * THREADS + threadIdx.x, t = threadIdx.x + 2;
    line[t] = in[at];
    if (threadIdx.x < 2) {
        line[t - 2] = at >= 2 ? in[at - 2] : 0;
        line[t + THREADS] = at + THREADS < count ? in[at + THREADS] : 0;
    }
    __syncthreads();
    out[at] = line[t - 2] + line[t - 1] + line[t] + line[t + 1] + line[t + 2];
}
static bool stencil_passes() {
    int numbers[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; i++)
        numbers[i] = i;
    device<int> in(numbers, 2 * THREADS), out(2 * THREADS, false);
    stencil<<<2, THREADS>>>(in, out, 2 * THREADS);
    return out.at(THREADS) == 5 * THREADS && out.at(0) == 3;
}

__global__ void bitonic_sort(int *data) {
    __shared__ int keys[THREADS];
    int t = threadIdx.x;
    keys[t] = data[t];
    __syncthreads();
    for (int size = 2; size <= THREADS; size *= 2)
        for (int by = size / 2; by; by /= 2) {
            int other = t ^ by;
            if (other > t) {
                bool up = (t & size) == 0;
                int a = keys[t], b = keys[other];
                if ((a > b) == up) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();
        }
    data[t] = keys[t];
}
static bool bitonic_sort_passes() {
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++)
        numbers[i] = i * 37 % THREADS;
    device<int> data(numbers, THREADS);
    bitonic_sort<<<1, THREADS>>>(data);
    return data.at(0) == 0 && data.at(17) == 17 && data.at(THREADS - 1) == THREADS - 1;
}

// Scan from one buffer into the other (Hillis and Steele), and of a warp by shuffles whose upper lanes are not asked.
__global__ void scans(const int *in, int *out) {
    __shared__ int sums[2][THREADS];
    int t = threadIdx.x, now = 0;
    sums[0][t] = in[t];
    __syncthreads();
    for (int by = 1; by < THREADS; by *= 2, now ^= 1) {
        sums[now ^ 1][t] = sums[now][t] + (t >= by ? sums[now][t - by] : 0);
        __syncthreads();
    }
    int sum = in[t];
    for (int by = 1; by < 32; by *= 2) {
        int left = __shfl_up_sync(~0u, sum, by);
        if (t % 32 >= by)
            sum += left;
    }
    out[t] = t < 32 ? sums[now][t] - sum : 0;
}
static bool scans_passes() {
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++)
        numbers[i] = i % 11;
    device<int> in(numbers, THREADS), out(THREADS, false);
    scans<<<1, THREADS>>>(in, out);
    return out.at(0) == 0 && out.at(31) == 0;
}

// Threads that have nothing to do leave before the barriers; a vote of those that are there.
__global__ void leave_early(const int *in, int *out, int count) {
    __shared__ int box[THREADS];
    int t = threadIdx.x;
    if (t >= count)
        return;
    box[t] = in[t];
    int odd = __syncthreads_count(in[t] & 1);
    out[t] = box[count - 1 - t] + odd;
}
static bool leave_early_passes() {
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++)
        numbers[i] = i;
    device<int> in(numbers, THREADS), out(THREADS);
    leave_early<<<1, THREADS>>>(in, out, 40);
    return out.at(0) == 39 + 20 && out.at(40) == 0;
}

// Lanes that have ended are not waited for, whatever they did before; nor are those of the other side that only end.
__global__ void leave_with_a_store(int *out) {
    int t = threadIdx.x;
    if (t >= 20) {
        out[t] = 5;
        return;
    }
    int next = __shfl_down_sync(~0u, t, 1);
    out[t] = t < 19 ? next : 0;
    if (t & 1) {
        unsigned odd = __ballot_sync(~0u, t > 5);
        out[32 + t] = odd;
    } else {
        out[32 + t] = 9;
    }
}
static bool leave_with_a_store_passes() {
    device<int> out(64);
    leave_with_a_store<<<1, 32>>>(out);
    return out.at(3) == 4 && out.at(25) == 5 && out.at(32 + 4) == 9;
}

// Lanes with the same key elect one of them.
__global__ void match_any(const int *keys, int *counts) {
    int key = keys[threadIdx.x];
    unsigned same = __match_any_sync(~0u, key);
    if (threadIdx.x % 32 == __ffs(same) - 1)
        atomicAdd(&counts[key], __popc(same));
}
static bool match_any_passes() {
    int keys[THREADS];
    for (int i = 0; i < THREADS; i++)
        keys[i] = i * i % 5;
    device<int> in(keys, THREADS), counts(5);
    match_any<<<1, THREADS>>>(in, counts);
    return counts.at(0) + counts.at(1) + counts.at(4) == THREADS && counts.at(2) == 0;
}

// Groups of a tile, of those that are there, and a reduction of a group.
__global__ void groups(int *out) {
    __shared__ int box[THREADS];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int rank = tile.thread_rank(), first = threadIdx.x - rank;
    box[threadIdx.x] = rank;
    tile.sync();
    int other = box[first + 7 - rank];
    tile.sync();
    box[threadIdx.x] = other + cg::reduce(tile, other, cg::plus<int>());
    tile.sync();
    if (rank == 0)
        out[first / 8] = box[first + 7];
    block.sync();
    if (threadIdx.x % 4 == 1) {
        auto few = cg::coalesced_threads();
        int got = few.shfl((int)threadIdx.x, 0);
        if (few.thread_rank() == 1)
            out[8 + threadIdx.x / 32] = got;
    }
}
static bool groups_passes() {
    device<int> out(10, false);
    groups<<<1, THREADS>>>(out);
    return out.at(3) == 28 && out.at(8) == 1 && out.at(9) == 33;
}

// Lanes of one branch shuffle with those of the other.
__global__ void branches(int *out) {
    int value = threadIdx.x, got;
    if (threadIdx.x & 1)
        got = __shfl_xor_sync(~0u, value, 1) + 100;
    else
        got = __shfl_xor_sync(~0u, value, 1);
    __syncwarp();
    if (threadIdx.x < 16)
        got += __reduce_add_sync(0xffffu, 1);
    out[threadIdx.x] = got;
}
static bool branches_passes() {
    device<int> out(32, false);
    branches<<<1, 32>>>(out);
    return out.at(0) == 1 + 16 && out.at(1) == 100 + 16 && out.at(30) == 31;
}

// A flag and a lock in shared memory.
__global__ void shared_flags(int *out) {
    __shared__ int data, lock, count;
    __shared__ volatile int ready;
    if (threadIdx.x == 0) {
        ready = 0;
        lock = 0;
        count = 0;
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        data = 17;
        __threadfence_block();
        ready = 1;
    } else if (threadIdx.x == 0) {
        while (!ready)
            ;
        __threadfence_block();
        out[0] = data;
    }
    bool done = false;
    while (!done)
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence_block();
            count += 1;
            __threadfence_block();
            atomicExch(&lock, 0);
            done = true;
        }
    __syncthreads();
    if (threadIdx.x == 0)
        out[1] = count;
}
static bool shared_flags_passes() {
    device<int> out(2, false);
    shared_flags<<<1, THREADS>>>(out);
    return out.at(0) == 17 && out.at(1) == THREADS;
}

// Blocks of one array, cut out of dynamic shared memory; a neighbour begins where another ends.
__global__ void carved(int *out, int ints) {
    extern __shared__ int room[];
    int *first = room;
    float *second = (float *)(room + ints);
    first[threadIdx.x] = threadIdx.x;
    second[threadIdx.x] = threadIdx.x / 2.f;
    __syncthreads();
    int *end = first + ints;
    for (int *at = first; at != end; at++)
        if (threadIdx.x == 0)
            out[at - first] = *at + (int)(2 * second[at - first]);
}
static bool carved_passes() {
    device<int> out(THREADS, false);
    carved<<<1, THREADS, 2 * THREADS * 4>>>(out, THREADS);
    return out.at(9) == 18;
}

using namespace nvcuda;
__global__ void wmma_then_lanes(const half *a, float *c) {
    __shared__ float tile[256];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, a, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int i = threadIdx.x; i < 256; i += 32)
        c[i] = tile[i] * 2;
}
static bool wmma_then_lanes_passes() {
    half numbers[256];
    for (int i = 0; i < 256; i++)
        numbers[i] = __float2half(i % 3);
    device<half> a(numbers, 256);
    device<float> c(256, false);
    wmma_then_lanes<<<1, 32>>>(a, c);
    float want = 0;
    for (int k = 0; k < 16; k++)
        want += (16 + k) % 3 * ((32 + k) % 3) * 2;
    return c.at(18) == want;
}

// Lane 0 tells lane 1, and that one lane 2; all write the same byte, one of them as part of a word.
__global__ void handed_on(int *out) {
    __shared__ int words[2];
    int lane = threadIdx.x;
    if (lane == 0)
        words[0] = 41;
    if (lane < 2)
        __syncwarp(3);
    if (lane == 1 || lane == 2)
        __syncwarp(6);
    if (lane == 2)
        out[0] = words[0] + 1;
    if (lane == 3)
        words[1] = 0x01010105;
    if (lane == 4)
        *(char *)&words[1] = 5;
}
static bool handed_on_passes() {
    device<int> out(1, false);
    handed_on<<<1, 32>>>(out);
    return out.at(0) == 42;
}

// A warp leaves before the barrier that the other one waits at.
__global__ void leaves_early(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    if (threadIdx.x >= 32)
        return;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
static bool leaves_early_passes() {
    device<int> out(32, false);
    leaves_early<<<1, 64>>>(out);
    return out.at(3) == 60;
}

// The halves of a warp meet at one __syncwarp or the other.
__global__ void two_syncwarps(int *out) {
    __shared__ int words[32];
    int lane = threadIdx.x;
    if (lane < 16) {
        words[lane] = lane * lane;
        __syncwarp();
        out[lane] = words[lane + 16];
    } else {
        words[lane] = lane + 7;
        __syncwarp();
        out[lane] = words[lane - 16];
    }
}
static bool two_syncwarps_passes() {
    device<int> out(32, false);
    two_syncwarps<<<1, 32>>>(out);
    return out.at(3) == 26 && out.at(20) == 16;
}

int main(int argc, char **argv) {
    static const one_case cases[] = {
        CASE(leaves_early), CASE(handed_on),        CASE(two_syncwarps),
        CASE(aggregated),  CASE(double_buffered),   CASE(warp_synchronous), CASE(histogram),
        CASE(copy_stages), CASE(pipeline_of_block), CASE(specialised),      CASE(named),
        CASE(transpose),   CASE(stencil),           CASE(bitonic_sort),     CASE(scans),
        CASE(leave_early), CASE(match_any),         CASE(groups),           CASE(branches),
        CASE(shared_flags), CASE(carved),           CASE(wmma_then_lanes), CASE(leave_with_a_store),
    };
    return run_cases(cases, argc, argv);
}
