// Masks of those that were active, in loops that lanes leave one by one; tiles and labelled partitions of cooperative
// groups whose lanes, or others of the warp, are elsewhere meanwhile. Whom a group names is asked by a vote; what it
// adds up is worked out from that by each lane itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;
enum { THREADS = 96, BLOCKS = 12 };

__device__ int weight(int lane, int turn)
{
    return (lane * 37 + turn * 11) % 101;
}

__device__ int weight_of(unsigned lanes, int turn)
{
    int sum = 0;
    for (; lanes; lanes &= lanes - 1)
        sum += weight(__ffs(lanes) - 1, turn);
    return sum;
}

__device__ int sum_by_shuffles(unsigned lanes, int value)
{
    int sum = 0;
    for (unsigned left = lanes; left; left &= left - 1)
        sum += __shfl_sync(lanes, value, __ffs(left) - 1);
    return sum;
}

// Lane n goes round n % 7 + 1 times; those of the turn ask each other, while others are behind the loop.
__global__ void loops(int *bad)
{
    int lane = threadIdx.x & 31, wrong = 0;
    for (int turn = 0; turn <= lane % 7; turn++) {
        unsigned here = __activemask();
        wrong += !(here >> lane & 1) || __ballot_sync(here, 1) != here;
        wrong += sum_by_shuffles(here, weight(lane, turn)) != weight_of(here, turn);
        if (lane & 1) {
            unsigned odd = __activemask();
            wrong += (odd & ~here) != 0 || __reduce_add_sync(odd, weight(lane, turn)) != weight_of(odd, turn);
        }
    }
    unsigned rest = __activemask();
    wrong += sum_by_shuffles(rest, weight(lane, 9)) != weight_of(rest, 9);
    if (wrong)
        atomicAdd(bad, wrong);
}

// Groups of four: each counts its own turns, and its halves come to the same operation from two branches.
__global__ void tiles(int *bad)
{
    auto tile = cg::tiled_partition<4>(cg::this_thread_block());
    int lane = threadIdx.x & 31, group = lane / 4, wrong = 0, first = group * 4;
    for (int turn = 0; turn <= group; turn++) {
        int value = weight(lane, turn), sum, above;
        if (lane & 2) {
            sum = cg::reduce(tile, value, cg::plus<int>());
            tile.sync();
            above = tile.shfl_xor(value, 3);
        } else {
            sum = cg::reduce(tile, value, cg::plus<int>());
            tile.sync();
            above = tile.shfl_xor(value, 3);
        }
        wrong += sum != weight_of(15u << first, turn) || above != weight(lane ^ 3, turn);
        wrong += tile.ballot(turn == group) != (turn == group ? 15u : 0u);
    }
    if (wrong)
        atomicAdd(bad, wrong);
}

// Those of one label, of the lanes that are in the branch; in turns, by labels that change.
__global__ void labels(int *bad)
{
    int lane = threadIdx.x & 31, wrong = 0;
    for (int turn = 0; turn < 5; turn++) {
        if ((lane + turn) % 5 == 0)
            continue;
        cg::coalesced_group some = cg::coalesced_threads();
        auto part = cg::labeled_partition(some, (lane * 3 + turn) % 4);
        unsigned inside = 0;
        for (int other = 0; other < 32; other++)
            if ((other + turn) % 5 && (other * 3 + turn) % 4 == (lane * 3 + turn) % 4)
                inside |= 1u << other;
        wrong += part.size() != __popc(inside);
        if (part.thread_rank() & 1) {
            wrong += part.any(lane == 40) || !part.all(1);
            wrong += cg::reduce(part, weight(lane, turn), cg::plus<int>()) != weight_of(inside, turn);
        } else {
            wrong += part.any(0) || !part.all(lane < 32);
            wrong += cg::reduce(part, weight(lane, turn), cg::plus<int>()) != weight_of(inside, turn);
        }
    }
    if (wrong)
        atomicAdd(bad, wrong);
}

int main()
{
    int *bad, count;
    cudaMalloc(&bad, sizeof *bad);
    cudaMemset(bad, 0, sizeof *bad);
    loops<<<BLOCKS, THREADS>>>(bad);
    tiles<<<BLOCKS, THREADS>>>(bad);
    labels<<<BLOCKS, THREADS>>>(bad);
    cudaMemcpy(&count, bad, sizeof count, cudaMemcpyDeviceToHost);
    printf("masks: %s, %d wrong\n", count || cudaGetLastError() ? "FAILED" : "PASSED", count);
    return count != 0;
}
