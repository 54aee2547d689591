// Groups of lanes that form while the program runs, and text from the device: every conversion of printf, one line a
// thread; tiles, coalesced groups, scans; a last line from the host. The host writes the same lines, sorted by thread.
#include "common.h"
#include <algorithm>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <string>
#include <vector>

namespace cg = cooperative_groups;
enum { THREADS = 64 };

struct Line {
	int rank, size, leader, sum, before, tile, any;
	unsigned ballot;
	double mean;
};

__global__ void collect(const int *in, Line *lines, int *counters, int *places)
{
	cg::thread_block block = cg::this_thread_block();
	int t = block.thread_rank(), kind = in[t] % 5;
	auto tile = cg::tiled_partition<8>(block);
	int sum = cg::reduce(tile, in[t], cg::plus<int>());
	Line line = {};
	line.tile = sum;
	line.before = 0;
	for (int d = 0; d < (int)tile.size(); d++) {
		int other = tile.shfl(in[t], d);
		line.before += d < (int)tile.thread_rank() ? other : 0;
	}
	line.any = tile.any(in[t] == 77) + 2 * tile.all(in[t] >= 0);
	line.ballot = tile.ballot(in[t] & 1);
	if (kind != 3) { /* the lanes of a kind add up as one */
		cg::coalesced_group here = cg::coalesced_threads();
		unsigned peers = __match_any_sync(__activemask(), kind);
		int leader = __ffs(peers) - 1, lane = t & 31;
		line.size = here.size();
		line.rank = __popc(peers & ((1u << lane) - 1));
		line.leader = leader;
		int base = 0;
		if (lane == leader)
			base = atomicAdd(&counters[kind], __popc(peers));
		base = __shfl_sync(peers, base, leader);
		places[t] = base + line.rank;
		line.sum = here.shfl(in[t], 0);
	} else {
		cg::coalesced_group here = cg::coalesced_threads();
		line.size = -(int)here.size();
		line.rank = here.thread_rank();
		for (int i = 0; i < (int)here.size(); i++)
			line.sum += here.shfl(in[t], i);
		places[t] = -1;
	}
	line.mean = (double)sum / tile.size();
	lines[t] = line;
}

#define FORMAT "%04d|%d %5d %-5d|%+i %u %o %x %#X|%c%s|%8.3f %e %g %.0f|%ld %lld %llu %hd %hhu|%% %*d %.*f\n"
#define ARGUMENTS(t)                                                                                           \
	t, -t, t * 37, t, t - 32, (unsigned)t * 0x1234567u, t * 8, 255 - t, t * 4096, (char)('a' + t % 26),    \
		words[t % 4], t / 7.0, t * 1e-3, t * 1e10, t + 0.5, -(long)t << 33, (long long)t * 1000000007, \
		~0ull - (unsigned)t, (short)(t * 3000), (unsigned char)(t * 9), t % 10, t, t % 5, t / 3.0

__global__ void print()
{
	static const char *const words[] = {"zero", "", "two words", "3"};
	int t = threadIdx.x;
	printf(FORMAT, ARGUMENTS(t));
	if (t == 5)
		printf("no arguments\n");
	int written = printf("");
	if (written)
		printf("printf gave %d\n", written);
}

int main()
{
	int *in = shared_array<int>(THREADS), *counters = shared_array<int>(5), *places = shared_array<int>(THREADS);
	Line *lines = shared_array<Line>(THREADS);
	for (int i = 0; i < THREADS; i++)
		in[i] = (i * 29 + 11) % 97;
	collect<<<1, THREADS>>>(in, lines, counters, places);
	finish_kernel();
	int seen[5] = {};
	std::vector<bool> taken[5];
	for (int k = 0; k < 5; k++) {
		for (int i = 0; i < THREADS; i++)
			seen[k] += in[i] % 5 == k;
		taken[k].resize(seen[k]);
		expect(counters[k] == (k == 3 ? 0 : seen[k]), "counter", k);
	}
	for (int i = 0; i < THREADS; i++) {
		int kind = in[i] % 5, group = i / 8 * 8, sum = 0, before = 0, any = 0, all = 1, ones = 0, same = 0,
		    others = 0, first = -1, threes = 0, rank = 0, third = 0;
		for (int k = 0; k < 8; k++) {
			sum += in[group + k];
			before += group + k < i ? in[group + k] : 0;
			any |= in[group + k] == 77;
			all &= in[group + k] >= 0;
			ones |= (in[group + k] & 1) << k;
		}
		for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
			same += in[k] % 5 == kind && k < i;
			others += in[k] % 5 != 3;
			if (first < 0 && in[k] % 5 == kind)
				first = k % 32;
			if (in[k] % 5 == 3)
				threes += in[k], rank += k < i, third++;
		}
		const Line &line = lines[i];
		expect(line.tile == sum && line.before == before && line.any == any + 2 * all &&
			       line.ballot == (unsigned)ones,
		       "tile", i);
		expect(line.mean == sum / 8.0, "mean", i);
		if (kind != 3) {
			expect(line.size == others && line.rank == same && line.leader == first, "group", i);
			expect(places[i] >= 0 && places[i] < seen[kind] && !taken[kind][places[i]], "place", i);
			taken[kind][places[i]] = true;
		} else {
			expect(line.size == -third && line.rank == rank && line.sum == threes, "threes", i);
		}
	}
	fflush(stdout);
	print<<<1, THREADS>>>();
	finish_kernel();
	static const char *const words[] = {"zero", "", "two words", "3"};
	for (int t = 0; t < THREADS; t++)
		printf("host " FORMAT, ARGUMENTS(t));
	puts("PASSED");
}
