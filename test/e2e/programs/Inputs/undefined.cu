// Values that only some lanes have, and that all lanes hand on: work queues, warp-aggregated atomics, broadcasts,
// votes, cooperative groups and inline PTX. What the other lanes bring is never looked at. Checks its own results.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "common.h"

namespace cg = cooperative_groups;

enum { BLOCKS = 2, THREADS = 64, N = BLOCKS * THREADS, WARPS = N / 32 };
static const unsigned ALL = ~0u;

__device__ int lane()
{
	return (int)(threadIdx.x & 31);
}

__device__ int thread()
{
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

/* ------------------------------------------------------------ queues */

// One fetch of 32 items for each warp, until there are none.
__global__ void take_items(int *head, int *taken, int items)
{
	for (;;) {
		int first;
		if (lane() == 0)
			first = atomicAdd(head, 32);
		first = __shfl_sync(ALL, first, 0);
		if (first >= items)
			break;
		if (first + lane() < items)
			atomicAdd(&taken[first + lane()], 1);
	}
}

__global__ void take_once(int *head, int *taken)
{
	int first;
	if (lane() == 0)
		first = atomicAdd(head, 32);
	first = __shfl_sync(ALL, first, 0);
	taken[first + lane()]++;
}

// The same by inline PTX, and through shared memory.
__global__ void take_by_ptx(int *head, int *taken)
{
	int first, all;
	if (lane() == 31)
		first = atomicAdd(head, 32);
	asm volatile("shfl.sync.idx.b32 %0, %1, 31, 0x1f, 0xffffffff;" : "=r"(all) : "r"(first));
	taken[all + lane()]++;
}

__global__ void take_by_block(int *head, int *taken)
{
	__shared__ int first;
	int mine;
	if (threadIdx.x == 0)
		mine = atomicAdd(head, (int)blockDim.x);
	if (threadIdx.x == 0)
		first = mine;
	__syncthreads();
	taken[first + (int)threadIdx.x]++;
}

// A leader for the lanes that have something, as compilers' manuals show it.
__device__ int aggregated_add(int *counter)
{
	unsigned active = __activemask();
	int leader = __ffs(active) - 1, base;
	if (lane() == leader)
		base = atomicAdd(counter, __popc(active));
	base = __shfl_sync(active, base, leader);
	return base + __popc(active & ((1u << lane()) - 1));
}

__device__ __noinline__ unsigned long long aggregated_far(unsigned long long *counter, unsigned active)
{
	int leader = __ffs(active) - 1;
	unsigned long long base;
	if (lane() == leader)
		base = atomicAdd(counter, (unsigned long long)__popc(active));
	return __shfl_sync(active, base, leader) + (unsigned)__popc(active & ((1u << lane()) - 1));
}

__device__ int aggregated_group(int *counter)
{
	cg::coalesced_group active = cg::coalesced_threads();
	int base;
	if (active.thread_rank() == 0)
		base = atomicAdd(counter, (int)active.size());
	return active.shfl(base, 0) + (int)active.thread_rank();
}

__global__ void compact(const int *in, int *counters, unsigned long long *far, int *near_out, int *far_out,
			int *group_out)
{
	int value = in[thread()];
	if (value % 3 == 0)
		near_out[aggregated_add(&counters[0])] = value;
	unsigned picked = __ballot_sync(ALL, value % 5 == 0);
	if (value % 5 == 0)
		far_out[aggregated_far(far, picked)] = value;
	if (value % 7 < 4)
		group_out[aggregated_group(&counters[1])] = value;
}

/* ------------------------------------------------------------ shuffles of every type and form */

// One lane makes the value, with an effect that must happen once; the others have none.
template <typename T> __device__ void one_lane(T &value, int who, int *effects)
{
	if (lane() == who)
		value = (T)(100 + atomicAdd(effects, 1) * 0 + who);
}

template <typename T> __global__ void shuffles(int *effects, T *out)
{
	T a, b, c, d, e;
	T *mine = out + thread() * 5;
	one_lane(a, 3, effects);
	mine[0] = __shfl_sync(ALL, a, 3);
	one_lane(b, 7, effects);
	b = __shfl_up_sync(ALL, b, 4);
	mine[1] = lane() == 11 ? b : (T)1;
	one_lane(c, 20, effects);
	c = __shfl_down_sync(ALL, c, 15);
	mine[2] = lane() == 5 ? c : (T)2;
	one_lane(d, 9, effects);
	d = __shfl_xor_sync(ALL, d, 16);
	mine[3] = lane() == 25 ? d : (T)3;
	one_lane(e, 16, effects);
	e = __shfl_sync(ALL, e, 0, 16);
	mine[4] = lane() >= 16 ? e : (T)4;
}

template <typename T> void check_shuffles(const char *name, int *effects)
{
	T *out = shared_array<T>(N * 5);
	*effects = 0;
	shuffles<T><<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	expect(*effects == 5 * WARPS, name, *effects);
	for (int i = 0; i < N; i++) {
		int l = i & 31;
		const int want[] = {103, l == 11 ? 107 : 1, l == 5 ? 120 : 2, l == 25 ? 109 : 3, l >= 16 ? 116 : 4};
		for (int k = 0; k < 5; k++)
			expect(out[i * 5 + k] == (T)want[k], name, i * 5 + k);
	}
}

/* ------------------------------------------------------------ votes, matches, barriers */

__global__ void votes(int *effects, unsigned *out)
{
	unsigned *mine = out + thread() * 16;
	int half = lane() < 16, seen;
	unsigned low = 0xffff;

	// Known for half of the warp, which is all that the vote's result is looked at for.
	if (half)
		seen = atomicAdd(&effects[0], 1) >= 0;
	mine[0] = __ballot_sync(ALL, seen) & low;
	mine[1] = half ? (unsigned)__any_sync(low, seen) : 1;
	mine[2] = half ? (unsigned)__all_sync(low, seen) : 1;
	unsigned key;
	if (half)
		key = (unsigned)atomicAdd(&effects[1], 1) * 0 + 7;
	unsigned met = __match_any_sync(ALL, key);
	mine[3] = half ? met & low : low;
	unsigned long long wide;
	if (half)
		wide = (unsigned)atomicAdd(&effects[2], 1) * 0 + (7ull << 40);
	met = __match_any_sync(ALL, wide);
	mine[4] = half ? met & low : low;
	int same = 0;
	mine[5] = half ? __match_all_sync(low, key, &same) : low;
	// One lane's yes decides, whatever the others say.
	int found;
	if (lane() == 6)
		found = atomicAdd(&effects[3], 1) >= 0;
	mine[6] = __any_sync(ALL, found) != 0;
	bool stop;
	if (lane() == 9)
		stop = atomicAdd(&effects[4], 1) < 0;
	mine[7] = __all_sync(ALL, stop) == 0;
	mine[8] = (__ballot_sync(ALL, stop) >> 9 & 1) == 0;
}

__global__ void barriers(int *effects, unsigned *out)
{
	unsigned *mine = out + thread() * 4;
	int yes, no;
	bool counted;

	if (threadIdx.x == 40)
		yes = atomicAdd(&effects[0], 1) >= 0;
	mine[0] = __syncthreads_or(yes) != 0;
	if (threadIdx.x == 41)
		no = atomicAdd(&effects[1], 1) < 0;
	mine[1] = __syncthreads_and(no) == 0;
	if (threadIdx.x >= 32)
		counted = atomicAdd(&effects[2], 1) >= 0;
	mine[2] = __syncthreads_count(counted) >= 32;
}

__global__ void reductions(int *effects, int *out)
{
	int value;
	if (lane() < 16)
		value = 5 + atomicAdd(effects, 1) * 0;
	// The others name no lane of the mask and come to none of it.
	int sum = 0, most = 0;
	if (lane() < 16) {
#if __CUDA_ARCH__ >= 800
		sum = (int)__reduce_add_sync(0xffff, (unsigned)value);
		most = __reduce_max_sync(0xffff, value);
#else
		sum = 16 * value;
		most = value;
#endif
	}
	out[thread() * 2] = lane() < 16 ? sum : 80;
	out[thread() * 2 + 1] = lane() < 16 ? most : 5;
}

/* ------------------------------------------------------------ cooperative groups */

struct record {
	double weight;
	int id;
	short small;
	char tag;
};

__global__ void groups(int *effects, int *out)
{
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	auto quad = cg::tiled_partition<4>(cg::this_thread_block());
	int *mine = out + thread() * 8;
	int a, b, found;
	record best;

	if (warp.thread_rank() == 5)
		a = 50 + atomicAdd(&effects[0], 1) * 0;
	mine[0] = warp.shfl(a, 5);
	if (quad.thread_rank() == 3)
		b = 60 + atomicAdd(&effects[1], 1) * 0;
	mine[1] = quad.shfl(b, 3);
	if (quad.thread_rank() == 2)
		found = atomicAdd(&effects[2], 1) >= 0;
	mine[2] = quad.any(found);
	mine[3] = (quad.ballot(found) >> 2 & 1);
	if (warp.thread_rank() == 17) {
		best.weight = 2.5;
		best.id = 11 + atomicAdd(&effects[3], 1) * 0;
		best.tag = 'x';
	}
	record got = warp.shfl(best, 17);
	mine[4] = got.weight == 2.5;
	mine[5] = got.id;
	mine[6] = got.tag;
	int high;
	if (warp.thread_rank() < 16)
		high = 70 + atomicAdd(&effects[4], 1) * 0;
	high = warp.shfl_up(high, 16);
	mine[7] = warp.thread_rank() >= 16 ? high : 70;
}

/* ------------------------------------------------------------ inline PTX */

__global__ void by_ptx(int *effects, unsigned *out)
{
	unsigned *mine = out + thread() * 4;
	unsigned word, got, yes, votes;
	float f, g;

	if (lane() == 4)
		word = 400 + (unsigned)atomicAdd(&effects[0], 1) * 0;
	asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(got) : "r"(word));
	mine[0] = lane() == 5 ? got : 400;
	if (lane() == 2)
		f = 1.5f + (float)(atomicAdd(&effects[1], 1) * 0);
	asm("shfl.sync.idx.b32 %0, %1, 2, 0x1f, 0xffffffff;" : "=f"(g) : "f"(f));
	mine[1] = g == 1.5f;
	if (lane() == 8)
		yes = (unsigned)(atomicAdd(&effects[2], 1) >= 0);
	asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
		     : "=r"(votes)
		     : "r"(yes));
	mine[2] = votes >> 8 & 1;
}

/* ------------------------------------------------------------ the host */

static void check_counted(const int *effects, const int *want, int count, const char *what)
{
	for (int i = 0; i < count; i++)
		expect(effects[i] == want[i], what, i);
}

static void check_all(const unsigned *out, int stride, const unsigned *want, int count, const char *what)
{
	for (int i = 0; i < N; i++)
		for (int k = 0; k < count; k++)
			expect(out[i * stride + k] == want[k], what, i * 100 + k);
}

static void check_queues(int *counters, int *taken)
{
	const int items = 20 * 32 + 5;
	int *many = shared_array<int>(items);
	counters[0] = 0;
	take_items<<<BLOCKS, THREADS>>>(counters, many, items);
	finish_kernel();
	expect(counters[0] == (21 + WARPS) * 32, "items asked for", counters[0]);
	for (int i = 0; i < items; i++)
		expect(many[i] == 1, "item taken once", i);
	void (*const takers[])(int *, int *) = {take_once, take_by_ptx, take_by_block};
	for (auto taker : takers) {
		counters[0] = 0;
		memset(taken, 0, N * sizeof *taken);
		taker<<<BLOCKS, THREADS>>>(counters, taken);
		finish_kernel();
		expect(counters[0] == N, "taken", counters[0]);
		for (int i = 0; i < N; i++)
			expect(taken[i] == 1, "taken once", i);
	}
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void check_compact(int *counters)
{
	int *in = shared_array<int>(N), *out[3], count[3] = {0};
	unsigned long long *far = shared_array<unsigned long long>(1);
	for (int k = 0; k < 3; k++)
		out[k] = shared_array<int>(N);
	for (int i = 0; i < N; i++)
		in[i] = i;
	counters[0] = counters[1] = 0;
	compact<<<BLOCKS, THREADS>>>(in, counters, far, out[0], out[1], out[2]);
	finish_kernel();
	for (int i = 0; i < N; i++) {
		count[0] += i % 3 == 0;
		count[1] += i % 5 == 0;
		count[2] += i % 7 < 4;
	}
	expect(counters[0] == count[0] && *far == (unsigned long long)count[1] && counters[1] == count[2], "counts", 0);
	for (int k = 0; k < 3; k++) {
		qsort(out[k], (size_t)count[k], sizeof(int), compare_ints);
		for (int i = 0, at = 0; i < N; i++)
			if (k == 0 ? i % 3 == 0 : k == 1 ? i % 5 == 0 : i % 7 < 4)
				expect(out[k][at++] == i, "compacted", k * 1000 + i);
	}
}

int main()
{
	int *effects = shared_array<int>(8), *taken = shared_array<int>(N);
	unsigned *out = shared_array<unsigned>(N * 16);

	check_queues(effects, taken);
	check_compact(effects);
	check_shuffles<int>("int", effects);
	check_shuffles<unsigned>("unsigned", effects);
	check_shuffles<long>("long", effects);
	check_shuffles<unsigned long>("unsigned long", effects);
	check_shuffles<long long>("long long", effects);
	check_shuffles<unsigned long long>("unsigned long long", effects);
	check_shuffles<float>("float", effects);
	check_shuffles<double>("double", effects);

	memset(effects, 0, 8 * sizeof *effects);
	votes<<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	check_counted(effects, (const int[]){N / 2, N / 2, N / 2, WARPS, WARPS}, 5, "effects before votes");
	check_all(out, 16, (const unsigned[]){0xffff, 1, 1, 0xffff, 0xffff, 0xffff, 1, 1, 1}, 9, "votes");

	memset(effects, 0, 8 * sizeof *effects);
	barriers<<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	check_counted(effects, (const int[]){BLOCKS, BLOCKS, N / 2}, 3, "effects before barriers");
	check_all(out, 4, (const unsigned[]){1, 1, 1}, 3, "barriers");

	memset(effects, 0, 8 * sizeof *effects);
	reductions<<<BLOCKS, THREADS>>>(effects, (int *)out);
	finish_kernel();
	check_counted(effects, (const int[]){N / 2}, 1, "effects before reductions");
	check_all(out, 2, (const unsigned[]){80, 5}, 2, "reductions");

	memset(effects, 0, 8 * sizeof *effects);
	groups<<<BLOCKS, THREADS>>>(effects, (int *)out);
	finish_kernel();
	check_counted(effects, (const int[]){WARPS, N / 4, N / 4, WARPS, N / 2}, 5, "effects before groups");
	check_all(out, 8, (const unsigned[]){50, 60, 1, 1, 1, 11, 'x', 70}, 8, "groups");

	memset(effects, 0, 8 * sizeof *effects);
	by_ptx<<<BLOCKS, THREADS>>>(effects, out);
	finish_kernel();
	check_counted(effects, (const int[]){WARPS, WARPS, WARPS}, 3, "effects before PTX");
	check_all(out, 4, (const unsigned[]){400, 1, 1}, 3, "PTX");
	puts("PASSED");
}
