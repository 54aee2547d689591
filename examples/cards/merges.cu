/*
 * merges: keys with values, sorted in parts of 1024 by merging in shared memory: each of 512 threads places one key of either run by
 * a search in the other, in ten rounds.
 */
#include "../calls/common.h"

#define PART 1024
#define THREADS (PART / 2)

/* How many of `count` rising numbers are below `key`, or, with `equal`, not above it. */
template <bool equal> __device__ inline unsigned rank_of(unsigned key, const unsigned *data, unsigned count)
{
	unsigned place = 0;
	for (unsigned step = count; step > 0; step >>= 1) {
		unsigned next = min(place + step, count);
		if (equal ? data[next - 1] <= key : data[next - 1] < key)
			place = next;
	}
	return place;
}

__global__ void sort_parts(unsigned *keys_to, unsigned *values_to, const unsigned *keys_from, const unsigned *values_from)
{
	__shared__ unsigned keys[PART], values[PART];
	int at = threadIdx.x;
	size_t base = (size_t)blockIdx.x * PART;
	for (int i = at; i < PART; i += THREADS)
		keys[i] = keys_from[base + i], values[i] = values_from[base + i];
	for (unsigned run = 1; run < PART; run <<= 1) {
		unsigned place = at & (run - 1);
		unsigned *key = keys + 2 * (at - place), *value = values + 2 * (at - place);
		__syncthreads();
		unsigned key_a = key[place], value_a = value[place], key_b = key[place + run], value_b = value[place + run];
		unsigned to_a = rank_of<false>(key_a, key + run, run) + place, to_b = rank_of<true>(key_b, key, run) + place;
		__syncthreads();
		key[to_a] = key_a, value[to_a] = value_a;
		key[to_b] = key_b, value[to_b] = value_b;
	}
	__syncthreads();
	for (int i = at; i < PART; i += THREADS)
		keys_to[base + i] = keys[i], values_to[base + i] = values[i];
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "merges [keys]   (rounded up to 1024; default 8192)"};
	int parts = blocks_for(size_argument(arguments, 1, 8192, 1 << 26), PART);
	size_t count = (size_t)parts * PART;
	unsigned *keys = host_array<unsigned>(count), *values = host_array<unsigned>(count), seed = 1;
	unsigned *got = host_array<unsigned>(count), *got_values = host_array<unsigned>(count);
	for (size_t i = 0; i < count; i++)
		keys[i] = next_random(&seed) >> 14, values[i] = (unsigned)i;
	unsigned *from = device_copy(keys, count), *from_values = device_copy(values, count);
	unsigned *to = device_array<unsigned>(count), *to_values = device_array<unsigned>(count);
	sort_parts<<<parts, THREADS>>>(to, to_values, from, from_values);
	CHECK_LAUNCH();

	Verdict verdict = {"merges", 0};
	copy_back(got, to, count);
	copy_back(got_values, to_values, count);
	for (size_t i = 0; i < count; i++) { /* rising, equal keys in their old order, and each value still with its key */
		bool first = i % PART == 0, ordered = first || got[i - 1] < got[i] || (got[i - 1] == got[i] && got_values[i - 1] < got_values[i]);
		if (!ordered || got_values[i] / PART != i / PART || keys[got_values[i]] != got[i])
			differs(&verdict, "place %zu has %u with %u", i, got[i], got_values[i]);
	}
	return conclude(verdict, "%zu keys", count);
}
