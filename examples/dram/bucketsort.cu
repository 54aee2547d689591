/*
 * bucketsort: sorts numbers by putting them into buckets and each bucket in order. A block finds the buckets of its
 * part, where each number goes if the part is sorted by buckets, and takes room in the buckets. When it is known where
 * these begin, a second pass sorts the parts in shared memory and moves them, each piece of a bucket as a whole. A
 * bitonic network of each block sorts a bucket. Pivots come from a sample.
 */
#include "../grids/grids.h"

#define BLOCK 256
#define PER_THREAD 8
#define CHUNK (BLOCK * PER_THREAD) /* numbers of a block: a part */
#define BUCKET 2048		   /* most numbers of a bucket that is sorted; a quarter of it on average */
#ifndef MOST_BUCKETS
#define MOST_BUCKETS 128
#endif

/* How many pivots are not above x: the number of its bucket. */
__device__ int bucket_of(const float *pivots, int buckets, float x)
{
	int low = 0, high = buckets - 1;
	while (low < high) {
		int middle = (low + high) / 2;
		if (pivots[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Exclusive sums of n counts by the whole block; `sums` is as long as the block. The total. */
__device__ int add_up(const int *counts, int *starts, int n, int *sums)
{
	int before = 0;
	for (int base = 0; base < n; base += BLOCK) {
		int i = base + threadIdx.x, own = i < n ? counts[i] : 0;
		sums[threadIdx.x] = own;
		__syncthreads();
		for (int step = 1; step < BLOCK; step *= 2) {
			int other = (int)threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
			__syncthreads();
			sums[threadIdx.x] += other;
			__syncthreads();
		}
		if (i < n)
			starts[i] = before + sums[threadIdx.x] - own;
		before += sums[BLOCK - 1];
		__syncthreads();
	}
	return before;
}

/*
 * Of each number its bucket, in the upper half, and its place in the sorted part; of each part and bucket, what to add
 * to a place for that within the bucket.
 */
__global__ void classify(const float *numbers, const float *pivots, unsigned *places, int *shifts, int *counts, int n,
			 int buckets)
{
	__shared__ float own_pivots[MOST_BUCKETS];
	__shared__ int own[MOST_BUCKETS], starts[MOST_BUCKETS], sums[BLOCK];
	unsigned bucket[PER_THREAD], rank[PER_THREAD];
	for (int i = threadIdx.x; i < buckets; i += BLOCK) {
		own_pivots[i] = pivots[i];
		own[i] = 0;
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < PER_THREAD; k++) {
		int i = blockIdx.x * CHUNK + k * BLOCK + threadIdx.x;
		if (i < n) {
			bucket[k] = bucket_of(own_pivots, buckets, numbers[i]);
			rank[k] = atomicAdd(&own[bucket[k]], 1);
		}
	}
	__syncthreads();
	add_up(own, starts, buckets, sums);
	for (int i = threadIdx.x; i < buckets; i += BLOCK)
		shifts[blockIdx.x * buckets + i] = (own[i] ? atomicAdd(&counts[i], own[i]) : 0) - starts[i];
#pragma unroll
	for (int k = 0; k < PER_THREAD; k++) {
		int i = blockIdx.x * CHUNK + k * BLOCK + threadIdx.x;
		if (i < n)
			places[i] = bucket[k] << 16 | (starts[bucket[k]] + rank[k]);
	}
}

/* Where each bucket begins: by one block. */
__global__ void begin(const int *counts, int *starts, int buckets)
{
	__shared__ int sums[BLOCK];
	int total = add_up(counts, starts, buckets, sums);
	if (threadIdx.x == 0)
		starts[buckets] = total;
}

__global__ void move(const float *numbers, const unsigned *places, const int *shifts, const int *starts, float *to,
		     int n, int buckets)
{
	__shared__ float sorted[CHUNK];
	__shared__ unsigned short bucket[CHUNK];
	__shared__ int target[MOST_BUCKETS];
	int first = blockIdx.x * CHUNK, own = min(n - first, CHUNK);
	for (int i = threadIdx.x; i < buckets; i += BLOCK)
		target[i] = starts[i] + shifts[blockIdx.x * buckets + i];
	for (int i = threadIdx.x; i < own; i += BLOCK) {
		unsigned place = places[first + i];
		sorted[place & 0xffff] = numbers[first + i];
		bucket[place & 0xffff] = place >> 16;
	}
	__syncthreads();
	for (int i = threadIdx.x; i < own; i += BLOCK)
		to[target[bucket[i]] + i] = sorted[i];
}

__global__ void sort_buckets(float *numbers, const int *starts)
{
	__shared__ float own[BUCKET];
	int start = starts[blockIdx.x], size = starts[blockIdx.x + 1] - start, padded = 1;
	while (padded < size)
		padded *= 2;
	for (int i = threadIdx.x; i < padded; i += BLOCK)
		own[i] = i < size ? numbers[start + i] : INFINITY;
	__syncthreads();
	for (int run = 2; run <= padded; run *= 2)
		for (int step = run / 2; step; step /= 2) {
			for (int i = threadIdx.x; i < padded / 2; i += BLOCK) {
				int low = i / step * 2 * step + i % step;
				float a = own[low], b = own[low + step];
				if ((a > b) == ((low & run) == 0)) {
					own[low] = b;
					own[low + step] = a;
				}
			}
			__syncthreads();
		}
	for (int i = threadIdx.x; i < size; i += BLOCK)
		numbers[start + i] = own[i];
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* Every sixteenth number of a sorted sample. */
static float *pivots_of(const float *numbers, int n, int buckets)
{
	float *sample = host_array<float>(16 * buckets), *pivots = host_array<float>(buckets);
	unsigned seed = 17;
	for (int i = 0; i < 16 * buckets; i++)
		sample[i] = numbers[(next_random(&seed) >> 4) % n];
	qsort(sample, 16 * buckets, sizeof *sample, by_value);
	for (int i = 0; i < buckets; i++)
		pivots[i] = sample[16 * i + 15];
	free(sample);
	return pivots;
}

/* Each bucket sorted: the numbers in order, if all are where they belong. */
static void sort_on_host(const float *device, const int *sizes, float *numbers, int n, int buckets)
{
	copy_back(numbers, device, n);
	for (int i = 0, start = 0; i < buckets; start += sizes[i++])
		qsort(numbers + start, sizes[i], sizeof *numbers, by_value);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "bucketsort [numbers [1: into buckets, 2: sorted]]   (default 60000, 2)"};
	int way = size_argument(arguments, 2, 2, 2),
	    n = size_argument(arguments, 1, 60000, way == 2 ? MOST_BUCKETS * BUCKET / 4 : 1 << 24);
	int buckets = blocks_for(n, BUCKET / 4) < MOST_BUCKETS ? blocks_for(n, BUCKET / 4) : MOST_BUCKETS;
	float *numbers = random_floats(n, 1), *got = host_array<float>(n), *pivots = pivots_of(numbers, n, buckets);
	float *dnumbers = device_copy(numbers, n), *dpivots = device_copy(pivots, buckets),
	      *sorted = device_array<float>(n);
	int parts = blocks_for(n, CHUNK), *shifts = device_array<int>((size_t)parts * buckets),
	    *counts = device_array<int>(buckets);
	int *starts = device_array<int>(buckets + 1), *sizes = host_array<int>(buckets);
	unsigned *places = device_array<unsigned>(n);

	classify<<<parts, BLOCK>>>(dnumbers, dpivots, places, shifts, counts, n, buckets);
	begin<<<1, BLOCK>>>(counts, starts, buckets);
	move<<<parts, BLOCK>>>(dnumbers, places, shifts, starts, sorted, n, buckets);
	CHECK_LAUNCH();
	copy_back(sizes, counts, buckets);
	for (int i = 0; way == 2 && i < buckets; i++)
		if (sizes[i] > BUCKET) {
			fprintf(stderr, "bucketsort: bucket %d has %d numbers, more than %d\n", i, sizes[i], BUCKET);
			return 1;
		}
	if (way == 2)
		sort_buckets<<<buckets, BLOCK>>>(sorted, starts);
	CHECK_LAUNCH();

	Verdict verdict = {"bucketsort", 0};
	qsort(numbers, n, sizeof *numbers, by_value);
	if (way == 1) {
		sort_on_host(sorted, sizes, got, n, buckets);
		for (int i = 0; i < n; i++)
			if (got[i] != numbers[i])
				differs(&verdict, "number[%d] = %.9g, not %.9g", i, (double)got[i], (double)numbers[i]);
	} else {
		compare(&verdict, "number", sorted, numbers, n);
	}
	return conclude(verdict, "%d numbers, %d buckets", n, buckets);
}
