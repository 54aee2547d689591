// Pointers that lead into another memory in each lane: lists through local, shared, global and constant memory, atomics
// and copies on generic pointers, pointers in shared memory, large parameters by value, frames of ten thousand bytes.
#include "common.h"

struct Cell {
	Cell *next;
	int value;
	short tag;
};
struct Large {
	int head;
	double table[120];
	unsigned char bytes[1001];
	int tail;
};
__device__ Cell stock[64];
__device__ int totals[4];
__constant__ int fixed[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__device__ int *slots[8];
__device__ int *const entries[] = {&totals[1], &stock[3].value, totals};

__device__ __noinline__ int sum_list(const Cell *c)
{
	int sum = 0, place = 1;
	for (; c; c = c->next)
		sum += c->value * place++ + c->tag;
	return sum;
}
__device__ __noinline__ Cell *reversed(Cell *list)
{
	Cell *out = nullptr;
	while (list) {
		Cell *next = list->next;
		list->next = out;
		out = list;
		list = next;
	}
	return out;
}
__device__ __noinline__ void copy_any(void *to, const void *from, int bytes)
{
	memcpy(to, from, bytes);
}

// Lane t's list goes through the memories in an order of its own.
__global__ void lists(int *out)
{
	__shared__ Cell tile[64];
	__shared__ Cell *heads[64];
	__shared__ int counts[4];
	int t = threadIdx.x;
	Cell own[2] = {{nullptr, t, 1}, {nullptr, 2 * t, 2}};
	tile[t] = {nullptr, 100 + t, 3};
	stock[t] = {nullptr, 1000 + t, 4};
	if (t < 4)
		counts[t] = 0;
	Cell *order[4] = {&own[0], &tile[t], &stock[t], &own[1]};
	for (int i = 3; i > 0; i--) { /* a permutation from the lane's number */
		int j = (t >> i) % (i + 1);
		Cell *c = order[i];
		order[i] = order[j];
		order[j] = c;
	}
	for (int i = 0; i < 3; i++)
		order[i]->next = order[i + 1];
	heads[t] = order[0];
	__syncthreads();
	Cell *list = heads[t];
	int sum = sum_list(list);
	list = reversed(list);
	/* the first of the list counts, wherever it lies: by twos into shared or global memory */
	int *where = t & 1 ? &counts[t & 3] : &totals[t & 3];
	atomicAdd(where, list->tag);
	int old = atomicMax(&list->value, 60 + (t & 7));
	__syncthreads();
	out[3 * t] = sum * 10 + (list == &own[0]) + 2 * (list == &tile[t]) + 4 * (list == &stock[t]);
	out[3 * t + 1] = sum_list(list) + old;
	out[3 * t + 2] = t & 1 ? counts[t & 3] : totals[t & 3];
}

__global__ void copies(const Large big, unsigned char *out, int n)
{
	__shared__ __align__(16) unsigned char tile[32][40], given[32][40];
	int t = threadIdx.x;
	unsigned char local[48];
	for (int i = 0; i < 48; i++)
		local[i] = (unsigned char)(i * t);
	for (int i = 0; i < 40; i++)
		tile[t][i] = given[t][i] = (unsigned char)(t + i * 3);
	__syncthreads();
	const unsigned char *sources[4] = {local + t % 7, &given[(t + 1) % 32][t % 5],
					   (const unsigned char *)fixed + t % 3, big.bytes + t * 20};
	void *targets[3] = {local + 20, &tile[t][t & 3], out + n * t + 64};
	copy_any(targets[t % 3], sources[t % 4], 9 + t % 8);
	__syncthreads();
	for (int i = 0; i < 24; i++) {
		out[n * t + i] = local[(i + 20) % 48];
		out[n * t + 24 + i] = tile[t][i];
	}
	out[n * t + 48] =
		(unsigned char)((int)(big.table[t * 3] * 2) + big.head + big.tail + big.bytes[(t * 37) % 1001]);
}

// A frame too large to be anything but memory; the parameter is written, too.
__device__ __noinline__ int deep(Large big, int level)
{
	int scratch[600];
	for (int i = 0; i < 600; i++)
		scratch[i] = big.bytes[(i * 7 + level) % 1001] + i;
	big.bytes[level] += 5;
	big.table[level] = scratch[level * 50];
	int below = level ? deep(big, level - 1) : 0;
	return below + scratch[(below + level * 31) % 600] + (int)big.table[level] + big.bytes[level];
}
__global__ void frames(Large big, int *out)
{
	int t = threadIdx.x;
	big.bytes[t] ^= 3;
	out[t] = deep(big, t % 3);
	slots[t % 8] = t % 8 == 3 ? entries[1] : nullptr;
}

static int host_deep(Large big, int level)
{
	int scratch[600];
	for (int i = 0; i < 600; i++)
		scratch[i] = big.bytes[(i * 7 + level) % 1001] + i;
	big.bytes[level] += 5;
	big.table[level] = scratch[level * 50];
	int below = level ? host_deep(big, level - 1) : 0;
	return below + scratch[(below + level * 31) % 600] + (int)big.table[level] + big.bytes[level];
}

int main()
{
	int *out = shared_array<int>(3 * 64), totals_want[4] = {}, counts_want[4] = {};
	lists<<<1, 64>>>(out);
	finish_kernel();
	int first[64], sums[64], last[64];
	for (int t = 0; t < 64; t++) {
		int values[4] = {t, 100 + t, 1000 + t, 2 * t}, tags[4] = {1, 3, 4, 2}, order[4] = {0, 1, 2, 3};
		for (int i = 3; i > 0; i--) {
			int j = (t >> i) % (i + 1), c = order[i];
			order[i] = order[j];
			order[j] = c;
		}
		int sum = 0;
		for (int i = 0; i < 4; i++)
			sum += values[order[i]] * (i + 1) + tags[order[i]];
		int head = order[3], old = values[head];
		(t & 1 ? counts_want : totals_want)[t & 3] += tags[head];
		values[head] = old > 60 + (t & 7) ? old : 60 + (t & 7);
		first[t] = sum * 10 + (head == 0 ? 1 : head == 1 ? 2 : head == 2 ? 4 : 0);
		sums[t] = old;
		for (int i = 0; i < 4; i++)
			sums[t] += values[order[3 - i]] * (i + 1) + tags[order[3 - i]];
		last[t] = t & 3;
	}
	for (int t = 0; t < 64; t++) {
		expect(out[3 * t] == first[t] && out[3 * t + 1] == sums[t], "lists", t);
		expect(out[3 * t + 2] == (t & 1 ? counts_want : totals_want)[last[t]], "counts", t);
	}

	const int n = 96;
	Large big = {7, {}, {}, -9};
	for (int i = 0; i < 120; i++)
		big.table[i] = i * 0.5;
	for (int i = 0; i < 1001; i++)
		big.bytes[i] = (unsigned char)(i * i / 3);
	unsigned char *bytes = shared_array<unsigned char>(32 * n), tile[32][40];
	static const int fixed_here[8] = {2, 3, 5, 7, 11, 13, 17, 19};
	copies<<<1, 32>>>(big, bytes, n);
	finish_kernel();
	for (int t = 0; t < 32; t++)
		for (int i = 0; i < 40; i++)
			tile[t][i] = (unsigned char)(t + i * 3);
	for (int t = 0; t < 32; t++) {
		unsigned char local[48], mine[40], want[96] = {};
		for (int i = 0; i < 48; i++)
			local[i] = (unsigned char)(i * t);
		memcpy(mine, tile[t], 40);
		const unsigned char *sources[4] = {local + t % 7, &tile[(t + 1) % 32][t % 5],
						   (const unsigned char *)fixed_here + t % 3, big.bytes + t * 20};
		unsigned char *targets[3] = {local + 20, mine + (t & 3), want + 64};
		memcpy(targets[t % 3], sources[t % 4], 9 + t % 8);
		for (int i = 0; i < 24; i++)
			want[i] = local[(i + 20) % 48], want[24 + i] = mine[i];
		want[48] =
			(unsigned char)((int)(big.table[t * 3] * 2) + big.head + big.tail + big.bytes[(t * 37) % 1001]);
		expect(!memcmp(want, bytes + n * t, n), "copies", t);
	}

	frames<<<1, 32>>>(big, out);
	finish_kernel();
	for (int t = 0; t < 32; t++) {
		Large mine = big;
		mine.bytes[t] ^= 3;
		expect(out[t] == host_deep(mine, t % 3), "frames", t);
	}
	int *places[8], *stock_here;
	OK(cudaMemcpyFromSymbol(places, slots, sizeof places));
	OK(cudaGetSymbolAddress((void **)&stock_here, stock));
	expect((char *)places[3] == (char *)stock_here + 3 * sizeof(Cell) + offsetof(Cell, value) && !places[0],
	       "places", 3);
	puts("PASSED");
}
