// Cooperative groups: what each thread finds out through them, held against the same worked out on the host.
namespace cooperative_groups {
namespace __v1 { // as CCCL declares it, before the header
class thread_block;
}
using namespace __v1;
} // namespace cooperative_groups
template <typename T> constexpr bool is_block = false;
template <> constexpr bool is_block<cooperative_groups::thread_block> = true;
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;
static_assert(is_block<cg::thread_block>, "");

enum { X = 25, Y = 3, THREADS = X * Y, BLOCKS = 2, VALUES = 28 };

struct Wide {
    double a;
    int b[3];
};

template <typename G> __device__ int sum(const G &group, int *scratch, int value)
{
    int rank = group.thread_rank();
    for (int step = group.size() / 2; step > 0; step /= 2) {
        scratch[rank] = value;
        group.sync();
        if (rank < step)
            value += scratch[rank + step];
        group.sync();
    }
    return value;
}

__device__ int dynamic_sum(cg::thread_group group, int value, int *scratch)
{
    return sum(group, scratch, value);
}

__global__ void ask(const int *in, int *out)
{
    __shared__ int copy[THREADS + 1], scratch[THREADS];
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(block);
    int me = block.thread_rank(), value = in[grid.thread_rank()], n = 0;
    int *own = out + grid.thread_rank() * VALUES;
    cg::memcpy_async(block, copy, in + grid.block_rank() * THREADS, sizeof(int) * THREADS);
    cg::wait(block);
    own[n++] = copy[(me + 1) % THREADS];
    own[n++] = block.size() + 1000 * tile.meta_group_rank() + 100000 * tile.thread_rank();
    own[n++] = grid.size() * 10 + block.group_index().x;
    own[n++] = tile.shfl(value, 3);
    own[n++] = tile.shfl_up(value, 2);
    own[n++] = tile.shfl_down(value, 3);
    own[n++] = me < 64 ? tile.shfl_xor(value, 5) : 0;
    own[n++] = tile.ballot(value & 1);
    own[n++] = tile.any(value > 90) + 2 * tile.all(value > 5);
    own[n++] = tile.match_any(value & 3);
    own[n++] = cg::reduce(tile, value, cg::plus<int>());
    own[n++] = cg::reduce(warp, value, cg::greater<int>());
    own[n++] = cg::inclusive_scan(tile, value);
    own[n++] = cg::exclusive_scan(tile, value, cg::bit_xor<int>());
    Wide wide = {value * 0.5, {me, value, me ^ value}}, other = tile.shfl(wide, 1);
    own[n++] = (int)(other.a * 2) + other.b[0] * 3 + other.b[1] * 5 + other.b[2] * 7;
    if (value % 3 != 1) {
        cg::coalesced_group some = cg::coalesced_threads();
        own[n++] = some.size() * 100 + some.thread_rank();
        own[n++] = some.shfl(value, some.size() - 1);
        own[n++] = cg::reduce(some, value, cg::plus<int>());
        own[n++] = some.ballot(value & 2);
        own[n++] = cg::exclusive_scan(some, 1);
        auto part = cg::labeled_partition(some, value % 4);
        own[n++] = part.size() + 100 * part.thread_rank() + 10000 * part.meta_group_rank();
    } else {
        n += 6;
    }
    block.sync();
    own[n++] = me < 64 ? dynamic_sum(cg::tiled_partition(block, 16), value, scratch + (me & ~15)) : 0;
    block.sync();
    own[n++] = cg::thread_rank(cg::tiled_partition(cg::tiled_partition(block, 32), 4)) + 10 * cg::group_size(cg::this_thread());
    own[n++] = block.thread_index().y * 100 + block.dim_threads().x;
    block.sync();
    auto sixteen = cg::tiled_partition<16>(block);
    cg::thread_block_tile<4> four = cg::tiled_partition<4>(sixteen);
    own[n++] = me < 64 ? dynamic_sum(sixteen, value, scratch + (me & ~15)) : 0;
    own[n++] = four.meta_group_rank() + 10 * four.meta_group_size();
    own[n++] = me < 64 ? cg::labeled_partition(sixteen, value & 1).size() + 100 * cg::binary_partition(sixteen, value & 1).thread_rank() : 0;
    if (me < 64 && value % 3 != 1) {
        cg::coalesced_group some = cg::coalesced_threads(), two = cg::tiled_partition(some, 2);
        own[n++] = two.size() + 10 * two.thread_rank() + 100 * two.meta_group_rank() + 10000 * two.meta_group_size();
    }
}

static int in[BLOCKS * THREADS], out[BLOCKS * THREADS * VALUES], bad;

static void expect(int block, int me, int which, long got, long want)
{
    if (got != want && bad++ < 10)
        printf("block %d thread %d value %d: %ld instead of %ld\n", block, me, which, got, want);
}

static void check(int b, int me)
{
    const int *v = in + b * THREADS, *o = out + (b * THREADS + me) * VALUES;
    int first = me & ~7, last = first + 8 < THREADS ? first + 8 : THREADS, rank = me - first, n = 0;
    int warp = me & ~31, warp_end = warp + 32 < THREADS ? warp + 32 : THREADS;
    int sum = 0, most = 0, ballot = 0, any = 0, all = 1, match = 0, running = 0, before = 0;
    for (int i = first; i < last; i++) {
        sum += v[i];
        ballot |= (v[i] & 1) << (i - first);
        any |= v[i] > 90;
        all &= v[i] > 5;
        match |= ((v[i] & 3) == (v[me] & 3)) << (i - first);
        running += i <= me ? v[i] : 0;
        before ^= i < me ? v[i] : 0;
    }
    for (int i = warp; i < warp_end; i++)
        most = v[i] > most ? v[i] : most;
    int one = first + 1;
    long wants[15] = {v[(me + 1) % THREADS], THREADS + 1000 * (me / 8) + 100000 * rank, BLOCKS * THREADS * 10 + b,
                      first + 3 < THREADS ? v[first + 3] : o[3], v[rank >= 2 ? me - 2 : me], me + 3 < last ? v[me + 3] : o[5],
                      me < 64 ? v[first + (rank ^ 5)] : 0, ballot, any + 2 * all, match, sum, most, running, before,
                      v[one] + one * 3 + v[one] * 5 + (one ^ v[one]) * 7};
    if (last - first < 8) // beyond the block's end there is nothing to read
        wants[5] = rank + 3 < 8 ? o[5] : v[me];
    for (; n < 15; n++)
        expect(b, me, n, o[n], wants[n]);
    if (v[me] % 3 != 1) {
        int size = 0, mine = 0, tail = 0, total = 0, votes = 0, part = 0, place = 0, labels = 0, seen = 0;
        for (int i = warp; i < warp_end; i++) {
            if (v[i] % 3 == 1)
                continue;
            mine += i < me;
            votes |= (v[i] >> 1 & 1) << size++;
            total += v[i];
            tail = v[i];
            part += v[i] % 4 == v[me] % 4;
            place += v[i] % 4 == v[me] % 4 && i < me;
        }
        for (int i = warp; i < warp_end && v[i] % 4 != v[me] % 4; i++)
            if (v[i] % 3 != 1 && !(seen >> v[i] % 4 & 1)) {
                seen |= 1 << v[i] % 4;
                labels++;
            }
        // The first of this label may be one that is not in the group.
        labels = seen = 0;
        for (int i = warp; i < warp_end; i++) {
            if (v[i] % 3 == 1)
                continue;
            if (v[i] % 4 == v[me] % 4)
                break;
            labels += !(seen >> v[i] % 4 & 1);
            seen |= 1 << v[i] % 4;
        }
        long more[6] = {size * 100 + mine, tail, total, votes, mine, part + 100 * place + 10000 * labels};
        for (int i = 0; i < 6; i++)
            expect(b, me, n + i, o[n + i], more[i]);
    }
    n += 6;
    if (me < 64 && me % 16 == 0) {
        int tile = 0;
        for (int i = me; i < me + 16; i++)
            tile += v[i];
        expect(b, me, n, o[n], tile);
    }
    expect(b, me, n + 1, o[n + 1], me % 4 + 10);
    expect(b, me, n + 2, o[n + 2], me / X * 100 + X);
    expect(b, me, n + 4, o[n + 4], me % 16 / 4 + 40);
    if (me >= 64)
        return;
    int start = me & ~15, whole = 0, same = 0, place = 0, size = 0, mine = 0;
    for (int i = start; i < start + 16; i++) {
        whole += v[i];
        same += (v[i] & 1) == (v[me] & 1);
        place += (v[i] & 1) == (v[me] & 1) && i < me;
    }
    if (me == start)
        expect(b, me, n + 3, o[n + 3], whole);
    expect(b, me, n + 5, o[n + 5], same + 100 * place);
    for (int i = warp; i < warp_end; i++) {
        size += v[i] % 3 != 1;
        mine += v[i] % 3 != 1 && i < me;
    }
    if (v[me] % 3 != 1)
        expect(b, me, n + 6, o[n + 6], (mine / 2 * 2 + 1 < size ? 2 : 1) + 10 * (mine % 2) + 100 * (mine / 2) + 10000 * ((size + 1) / 2));
}

int main()
{
    int *device_in, *device_out;
    unsigned seed = 1;
    for (int &value : in)
        value = (seed = seed * 1664525u + 1013904223u) >> 25;
    cudaMalloc(&device_in, sizeof in);
    cudaMalloc(&device_out, sizeof out);
    cudaMemcpy(device_in, in, sizeof in, cudaMemcpyHostToDevice);
    ask<<<BLOCKS, dim3(X, Y)>>>(device_in, device_out);
    if (cudaMemcpy(out, device_out, sizeof out, cudaMemcpyDeviceToHost))
        bad++;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        check(i / THREADS, i % THREADS);
    printf("groups: %s\n", bad ? "FAILED" : "PASSED");
    return bad != 0;
}
