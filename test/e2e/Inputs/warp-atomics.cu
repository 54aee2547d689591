/* Atomic operations of lanes that have one address, in divergent code: what memory holds and what each lane gets. */
#include <algorithm>
#include <cstdio>
#include <vector>

typedef unsigned u32;
typedef unsigned long long u64;

static const u32 N = 192; /* threads of a block: six warps */
static const u32 BLOCKS = 3;

__device__ bool takes_part(const u32 *masks)
{
	return masks[threadIdx.x / 32] >> threadIdx.x % 32 & 1;
}

/* Old values of sums: of a number, of a parameter, of what differs; 32 and 64 bits. */
__global__ void olds(const u32 *masks, u32 step, u32 *sums, u64 *wide, u32 *old, u64 *old_wide)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
	if (!takes_part(masks))
		return;
	old[i] = atomicAdd(sums, 1);
	old[i + all] = atomicAdd(sums + 1, 7);
	old[i + 2 * all] = atomicAdd(sums + 2, step);
	old[i + 3 * all] = atomicAdd(sums + 3, i % 5);
	old[i + 4 * all] = atomicSub(sums + 4, 2);
	old[i + 5 * all] = atomicAdd(sums + 5 + blockIdx.x, 1);
	old_wide[i] = atomicAdd(wide, 1ull);
	old_wide[i + all] = atomicAdd(wide + 1, 0x100000003ull);
	old_wide[i + 2 * all] = atomicAdd(wide + 2, (u64)step << 30);
	old_wide[i + 3 * all] = atomicAdd(wide + 3, (u64)i << 31);
}

/* Results that nobody reads: every operation, of a number and of what differs. */
__global__ void totals(const u32 *masks, const u32 *in, u32 *out, u64 *wide)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (takes_part(masks)) {
		atomicAdd(out, in[i]);
		atomicMin(out + 1, in[i]);
		atomicMax(out + 2, in[i]);
		atomicMin((int *)out + 3, (int)in[i]);
		atomicMax((int *)out + 4, (int)in[i]);
		atomicAnd(out + 5, in[i]);
		atomicOr(out + 6, in[i]);
		atomicXor(out + 7, in[i]);
		atomicAdd(out + 8, 3);
		atomicMin(out + 9, 5);
		atomicMax(out + 10, 6);
		atomicAnd(out + 11, 0xff00ff);
		atomicOr(out + 12, 0x11);
		atomicXor(out + 13, 0x101);
		atomicAdd(wide, 0x80000001ull);
		atomicAdd(wide + 1, (u64)in[i]);
		atomicMax(wide + 2, (u64)in[i] << 8);
	}
}

__global__ void shared(const u32 *masks, const u32 *in, u32 *out, u32 *old)
{
	__shared__ u32 word[8];
	u32 i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
	if (threadIdx.x < 8)
		word[threadIdx.x] = 0;
	__syncthreads();
	if (takes_part(masks)) {
		atomicAdd(word, 1);
		atomicAdd(word + 1, 3);
		atomicAdd(word + 2, in[i]);
		atomicMax(word + 3, in[i]);
		atomicOr(word + 4, in[i]);
		old[i] = atomicAdd(word + 5, 1);
		old[i + all] = atomicAdd(word + 6, in[i] & 7);
	}
	__syncthreads();
	if (threadIdx.x < 8)
		out[blockIdx.x * 8 + threadIdx.x] = word[threadIdx.x];
}

/* Lanes leave the loop at different times; addresses by a counter, and loaded. */
__global__ void loops(const u32 *turns, u32 *const *where, u32 *counts, u32 *tail, u32 *list)
{
	u32 i = threadIdx.x;
	for (u32 k = 0; k < turns[i]; k++) {
		atomicAdd(counts + k, 1);
		atomicAdd(where[k], 2);
		if ((k ^ i) & 1)
			list[atomicAdd(tail, 1)] = i * 32 + k;
	}
}

/* A lock that lanes of one warp wait for: who has it adds to what others wait beside. */
__global__ void locked(int *lock, u32 *sum, u32 *seen)
{
	bool done = false;
	while (!done)
		if (atomicCAS(lock, 0, 1) == 0) {
			seen[threadIdx.x] = atomicAdd(sum, 1);
			atomicAdd(sum + 1, threadIdx.x);
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
}

static bool ok = true;

static void expect(bool right, const char *what, u32 which, u32 mask)
{
	if (!right)
		printf("%s %u of masks %u: wrong\n", what, which, mask);
	ok &= right;
}

template <class T> static T *device(const std::vector<T> &from)
{
	T *to;
	cudaMalloc(&to, from.size() * sizeof(T));
	cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
	return to;
}

template <class T> static std::vector<T> host(T *from, size_t count)
{
	std::vector<T> to(count);
	cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
	return to;
}

struct range {
	u64 old, step;
	bool operator<(const range &other) const
	{
		return old != other.old ? old < other.old : step < other.step;
	}
};

/* Each old value is what those before it add up to. */
static bool is_chain(std::vector<range> ranges, u64 sum)
{
	u64 at = 0;
	std::sort(ranges.begin(), ranges.end());
	for (const range &r : ranges) {
		if (r.old != at)
			return false;
		at += r.step;
	}
	return at == sum;
}

static u32 value(u32 i)
{
	return (i * 2654435761u ^ i << 7) | 1;
}

int main()
{
	static const u32 rows[][6] = {
		{~0u, ~0u, ~0u, ~0u, ~0u, ~0u},
		{1, 0x80000000, 0, 0xaaaaaaaa, 0x7fffffff, 0xfffffffe},
		{0x00010000, ~0u, 0x12345678, 0xffff0000, 0xffff, 0},
	};
	const u32 all = N * BLOCKS, step = 9;
	std::vector<u32> in(all);
	for (u32 i = 0; i < all; i++)
		in[i] = value(i);
	u32 *d_in = device(in);
	for (u32 row = 0; row < 3; row++) {
		std::vector<u32> mask(rows[row], rows[row] + 6), part;
		for (u32 i = 0; i < all; i++)
			if (mask[i % N / 32] >> i % 32 & 1)
				part.push_back(i);
		u32 *d_mask = device(mask), *sums = device(std::vector<u32>(16)), *old = device(std::vector<u32>(6 * all));
		u64 *wide = device(std::vector<u64>(4)), *old_wide = device(std::vector<u64>(4 * all));
		olds<<<BLOCKS, N>>>(d_mask, step, sums, wide, old, old_wide);
		std::vector<u32> s = host(sums, 16), o = host(old, 6 * all);
		std::vector<u64> w = host(wide, 4), ow = host(old_wide, 4 * all);
		for (u32 k = 0; k < 4; k++) {
			std::vector<range> narrow, both;
			for (u32 i : part) {
				const u64 by[] = {1, 7, step, i % 5}, by_wide[] = {1, 0x100000003, (u64)step << 30, (u64)i << 31};
				narrow.push_back({o[i + k * all], by[k]});
				both.push_back({ow[i + k * all], by_wide[k]});
			}
			expect(is_chain(narrow, s[k]), "sum", k, row);
			expect(is_chain(both, w[k]), "wide sum", k, row);
		}
		std::vector<range> down;
		for (u32 i : part)
			down.push_back({(u32)-o[i + 4 * all], 2});
		expect(is_chain(down, (u32)-s[4]), "difference", 0, row);
		for (u32 b = 0; b < BLOCKS; b++) {
			std::vector<range> own;
			for (u32 i : part)
				if (i / N == b)
					own.push_back({o[i + 5 * all], 1});
			expect(is_chain(own, s[5 + b]), "block's sum", b, row);
		}

		std::vector<u32> start(14), want;
		start[1] = start[5] = start[9] = start[11] = ~0u;
		start[3] = 0x7fffffff;
		start[4] = 0x80000000;
		want = start;
		std::vector<u64> want_wide(3);
		for (u32 i : part) {
			u32 x = in[i];
			want[0] += x;
			want[1] = std::min(want[1], x);
			want[2] = std::max(want[2], x);
			want[3] = (u32)std::min((int)want[3], (int)x);
			want[4] = (u32)std::max((int)want[4], (int)x);
			want[5] &= x;
			want[6] |= x;
			want[7] ^= x;
			want[8] += 3;
			want[9] = std::min(want[9], 5u);
			want[10] = std::max(want[10], 6u);
			want[11] &= 0xff00ff;
			want[12] |= 0x11;
			want[13] ^= 0x101;
			want_wide[0] += 0x80000001;
			want_wide[1] += x;
			want_wide[2] = std::max(want_wide[2], (u64)x << 8);
		}
		u32 *out = device(start);
		u64 *out_wide = device(std::vector<u64>(3));
		totals<<<BLOCKS, N>>>(d_mask, d_in, out, out_wide);
		std::vector<u32> got = host(out, 14);
		std::vector<u64> got_wide = host(out_wide, 3);
		for (u32 k = 0; k < 14; k++)
			expect(got[k] == want[k], "total", k, row);
		for (u32 k = 0; k < 3; k++)
			expect(got_wide[k] == want_wide[k], "wide total", k, row);

		u32 *words = device(std::vector<u32>(8 * BLOCKS)), *old_shared = device(std::vector<u32>(2 * all));
		shared<<<BLOCKS, N>>>(d_mask, d_in, words, old_shared);
		std::vector<u32> word = host(words, 8 * BLOCKS), os = host(old_shared, 2 * all);
		for (u32 b = 0; b < BLOCKS; b++) {
			u32 sum[5] = {};
			std::vector<range> ones, some;
			for (u32 i : part)
				if (i / N == b) {
					sum[0]++;
					sum[1] += 3;
					sum[2] += in[i];
					sum[3] = std::max(sum[3], in[i]);
					sum[4] |= in[i];
					ones.push_back({os[i], 1});
					some.push_back({os[i + all], in[i] & 7});
				}
			for (u32 k = 0; k < 5; k++)
				expect(word[8 * b + k] == sum[k], "shared", k, row);
			expect(is_chain(ones, word[8 * b + 5]), "shared sum", 0, row);
			expect(is_chain(some, word[8 * b + 6]), "shared sum", 1, row);
		}
	}

	std::vector<u32> turns(N), counts(16), list;
	u32 *d_counts = device(counts), *d_where = device(counts);
	std::vector<u32 *> where;
	for (u32 i = 0; i < N; i++)
		turns[i] = i * 5 % 17;
	for (u32 k = 0; k < 16; k++)
		where.push_back(d_where + (k & 3));
	std::vector<u32> want_where(16);
	for (u32 i = 0; i < N; i++)
		for (u32 k = 0; k < turns[i]; k++) {
			counts[k]++;
			want_where[k & 3] += 2;
			if ((k ^ i) & 1)
				list.push_back(i * 32 + k);
		}
	u32 *tail = device(std::vector<u32>(1)), *d_list = device(std::vector<u32>(N * 16));
	loops<<<1, N>>>(device(turns), device(where), d_counts, tail, d_list);
	std::vector<u32> found = host(d_list, host(tail, 1)[0]);
	std::sort(found.begin(), found.end());
	std::sort(list.begin(), list.end());
	expect(host(d_counts, 16) == counts && host(d_where, 16) == want_where, "loop", 0, 0);
	expect(found == list, "list", 0, 0);

	int *lock = device(std::vector<int>(1));
	u32 *sum = device(std::vector<u32>(2)), *seen = device(std::vector<u32>(64));
	locked<<<1, 64>>>(lock, sum, seen);
	std::vector<u32> order = host(seen, 64), sums = host(sum, 2);
	std::sort(order.begin(), order.end());
	for (u32 i = 0; i < 64; i++)
		expect(order[i] == i, "locked", i, 0);
	expect(sums[0] == 64 && sums[1] == 64 * 63 / 2, "locked sum", 0, 0);
	printf("%s\n", ok ? "right" : "wrong");
	return !ok;
}
