// Hash tables: open addressing with 64-bit compare-and-swap, tombstones and 16-bit counters; chains of nodes from a
// pool, pushed by exchange; a set of strings under locks of one bit. The host's maps say what is expected.
#include "common.h"
#include <map>
#include <set>
#include <string>
#include <vector>

typedef unsigned long long Entry; /* key in the upper half */
enum : unsigned { EMPTY = 0xffffffff, DELETED = 0xfffffffe };

__host__ __device__ inline unsigned mixed(unsigned h)
{
	h ^= h >> 16;
	h *= 0x85ebca6b;
	h ^= h >> 13;
	h *= 0xc2b2ae35;
	return h ^ h >> 16;
}

struct Table {
	Entry *entries;
	unsigned short *hits;
	unsigned mask, full, steps;

	// Adds to the key's sum; the place, or -1 when the table is full.
	__device__ int add(unsigned key, int value)
	{
		unsigned at = mixed(key) & mask;
		for (unsigned probe = 0; probe <= mask; probe++, at = (at + probe) & mask) {
			volatile Entry *where = entries + at;
			Entry old = *where;
			while ((unsigned)(old >> 32) == key || (unsigned)(old >> 32) == EMPTY) {
				int sum = (unsigned)(old >> 32) == key ? (int)(unsigned)old + value : value;
				Entry next = (Entry)key << 32 | (unsigned)sum,
				      seen = atomicCAS(entries + at, old, next);
				if (seen == old)
					return (int)at;
				old = seen;
			}
		}
		atomicAdd(&full, 1);
		return -1;
	}

	__device__ int find(unsigned key)
	{
		unsigned at = mixed(key) & mask;
		for (unsigned probe = 0; probe <= mask; probe++, at = (at + probe) & mask) {
			unsigned there = (unsigned)(entries[at] >> 32);
			if (there == key)
				return (int)at;
			if (there == EMPTY)
				break;
		}
		return -1;
	}
};

// Counts in 16 bits, two in a word, neighbours left alone.
__device__ void count(unsigned short *counter)
{
	unsigned short seen = *counter, old;
	do {
		old = seen;
		seen = atomicCAS(counter, old, (unsigned short)(old + 1));
	} while (seen != old);
}

__global__ void build(Table *table, const unsigned *keys, const int *values, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		int at = table->add(keys[i], values[i]);
		if (at >= 0)
			count(table->hits + at);
	}
}

__global__ void remove_some(Table *table, unsigned divisor)
{
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i <= table->mask; i += gridDim.x * blockDim.x) {
		unsigned key = (unsigned)(table->entries[i] >> 32);
		if (key < DELETED && key % divisor == 0)
			atomicExch(table->entries + i, (Entry)DELETED << 32);
	}
}

__global__ void look(Table *table, const unsigned *keys, int n, int *sums, int *hits)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int at = table->find(keys[i]);
	sums[i] = at < 0 ? -12345 : (int)(unsigned)table->entries[at];
	hits[i] = at < 0 ? 0 : table->hits[at];
}

struct Node {
	Node *next;
	unsigned key;
	int index;
};
struct Chains {
	Node *heads[16], pool[1024];
	int used;
};

__global__ void push(Chains *chains, const unsigned *keys, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	Node *node = &chains->pool[atomicAdd(&chains->used, 1)];
	node->key = keys[i];
	node->index = i;
	__threadfence();
	node->next = (Node *)atomicExch((unsigned long long *)&chains->heads[mixed(keys[i]) >> 28],
					(unsigned long long)node);
}

__global__ void measure(const Chains *chains, const unsigned *keys, int n, int *same, int *least)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, equal = 0, first = 1 << 30;
	if (i >= n)
		return;
	for (const Node *node = chains->heads[mixed(keys[i]) >> 28]; node; node = node->next)
		if (node->key == keys[i])
			equal++, first = min(first, node->index);
	same[i] = equal;
	least[i] = first;
}

// Words into a set of fixed places, each place locked by one bit while it is written; a leader a warp at a time.
struct Words {
	char text[64][12];
	unsigned locks[2], taken[2];
};
__device__ bool equal(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (!*a)
			return true;
	return false;
}
__global__ void gather(Words *words, const char (*texts)[12], int n, int *places)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool pending = i < n;
	while (unsigned waiting = __ballot_sync(~0u, pending)) {
		if ((int)(threadIdx.x & 31) == __ffs(waiting) - 1) {
			unsigned h = 5381;
			for (const char *c = texts[i]; *c; c++)
				h = h * 33 ^ *c;
			for (unsigned at = h % 64;; at = (at + 1) % 64) {
				unsigned bit = 1u << at % 32;
				while (atomicOr(&words->locks[at / 32], bit) & bit)
					__nanosleep(20);
				bool done = false;
				if (!(atomicOr(&words->taken[at / 32], 0) & bit)) {
					for (int k = 0; k < 12; k++)
						words->text[at][k] = texts[i][k];
					__threadfence();
					atomicOr(&words->taken[at / 32], bit);
					done = true;
				} else {
					done = equal(words->text[at], texts[i]);
				}
				__threadfence();
				atomicAnd(&words->locks[at / 32], ~bit);
				if (done) {
					places[i] = (int)at;
					break;
				}
			}
			pending = false;
		}
		__syncwarp();
	}
}

int main()
{
	const int n = 600, size = 1024;
	unsigned *keys = shared_array<unsigned>(n);
	int *values = shared_array<int>(n), *sums = shared_array<int>(n), *hits = shared_array<int>(n);
	Table *table = shared_array<Table>(1);
	std::map<unsigned, int> sum, times, first;
	table->entries = shared_array<Entry>(size);
	table->hits = shared_array<unsigned short>(size);
	table->mask = size - 1;
	memset(table->entries, 0xff, size * sizeof(Entry));
	for (int i = 0; i < n; i++) {
		keys[i] = mixed(i * i % 293 + 7) & 0x7fffffff;
		values[i] = i % 50 - 25;
		sum[keys[i]] += values[i];
		times[keys[i]]++;
		first.insert({keys[i], i});
	}
	build<<<3, 64>>>(table, keys, values, n);
	look<<<5, 128>>>(table, keys, n, sums, hits);
	finish_kernel();
	expect(table->full == 0, "full", table->full);
	for (int i = 0; i < n; i++)
		expect(sums[i] == sum[keys[i]] && hits[i] == times[keys[i]], "table", i);
	remove_some<<<2, 96>>>(table, 3);
	look<<<5, 128>>>(table, keys, n, sums, hits);
	finish_kernel();
	for (int i = 0; i < n; i++)
		expect(keys[i] % 3 ? sums[i] == sum[keys[i]] : sums[i] == -12345, "after removal", i);

	Chains *chains = shared_array<Chains>(1);
	push<<<10, 64>>>(chains, keys, n);
	measure<<<10, 64>>>(chains, keys, n, sums, hits);
	finish_kernel();
	for (int i = 0; i < n; i++)
		expect(sums[i] == times[keys[i]] && hits[i] == first[keys[i]], "chains", i);

	Words *words = shared_array<Words>(1);
	char(*texts)[12] = shared_array<char[12]>(80);
	std::set<std::string> all;
	for (int i = 0; i < 80; i++) {
		snprintf(texts[i], 12, "w%d-%x", i % 17, i % 17 * 7919);
		all.insert(texts[i]);
	}
	gather<<<2, 64>>>(words, texts, 80, sums);
	finish_kernel();
	std::set<int> places(sums, sums + 80);
	expect(places.size() == all.size(), "words", (long long)places.size());
	for (int i = 0; i < 80; i++)
		expect(!strcmp(words->text[sums[i]], texts[i]), "word", i);
	puts("PASSED");
}
