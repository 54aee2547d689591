/*
 * Fourteen kernels that stress different parts of the memory, and what each computes, on the host. Four find their data
 * in L2 and fill the network to it (gather, sweep, columns, follow), four stream through more than L2 holds (triad,
 * field, scale, pair), six have little to ask and wait for it (path, count, product, roots, sums; walk most of all).
 */
#ifndef BESIDE_KERNELS_H
#define BESIDE_KERNELS_H

#include "../grids/grids.h"

#include <string.h>

#define BLOCK 256
#define LINE 32		/* floats that a warp reads together */
#define TABLE (1 << 17) /* floats, half a megabyte: in L2, and in no L1 */
#define TURNS 64
#define BINS 6144 /* 24 KB: few blocks of it fit on an SM */
#define ROUNDS 8
#define EDGE 16 /* of a tile */
#define NODE 8	/* words, a sector */
#define NODES (1 << 18) /* 8 MB: more than L2 holds */

BOTH unsigned hash(unsigned x)
{
	x = (x ^ (x >> 16)) * 0x45d9f3bu;
	x = (x ^ (x >> 16)) * 0x45d9f3bu;
	return x ^ (x >> 16);
}

/* A kernel with its data; what comes out are `outs` words. */
struct Work {
	int blocks, n;
	cudaStream_t stream;
	float *a, *b, *da, *db;
	unsigned *to, *dto;
	size_t outs;
};

static float *floats_of(const Work *work)
{
	return (float *)work->to;
}

static void make_place(Work *work, size_t outs)
{
	work->outs = outs;
	work->to = host_array<unsigned>(outs);
	work->dto = device_array<unsigned>(outs);
}

/* One or two arrays of so many numbers. */
static void make_inputs(Work *work, size_t numbers, bool two)
{
	work->a = random_floats(numbers, 2);
	work->da = device_copy(work->a, numbers);
	work->b = two ? random_floats(numbers, 3) : NULL;
	work->db = two ? device_copy(work->b, numbers) : NULL;
}

static void prepare_table(Work *work)
{
	make_inputs(work, TABLE, false);
	make_place(work, (size_t)work->blocks * BLOCK);
}

static void prepare_stream(Work *work)
{
	make_inputs(work, work->n, true);
	make_place(work, work->n);
}

/* ---- in L2, intensive in the network */

/* Lines anywhere in the table. */
BOTH float gathered(const float *table, unsigned thread)
{
	unsigned lane = thread % LINE, at = thread / LINE;
	float sum = 0;
	for (int i = 0; i < TURNS; i++) {
		at = hash(at + i);
		sum += table[at % (TABLE / LINE) * LINE + lane];
	}
	return sum;
}

__global__ void gather(const float *table, float *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	to[thread] = gathered(table, thread);
}

/* The whole table one line after the other, each block from another place on. */
BOTH float swept(const float *table, unsigned block, unsigned thread)
{
	unsigned at = block * 40503u * LINE + thread;
	float sum = 0;
	for (int i = 0; i < TURNS; i++)
		sum = fmaf(0.5f, sum, table[(at + i * BLOCK) % TABLE]);
	return sum;
}

__global__ void sweep(const float *table, float *to)
{
	to[blockIdx.x * blockDim.x + threadIdx.x] = swept(table, blockIdx.x, threadIdx.x);
}

/* Down the columns of the table: each lane another line. */
BOTH float column_sum(const float *table, unsigned thread)
{
	unsigned row = thread * 7u, column = thread / (TABLE / LINE);
	float sum = 0;
	for (int i = 0; i < TURNS / 8; i++)
		sum += table[(row + i * 1237u) % (TABLE / LINE) * LINE + (column + i) % LINE];
	return sum;
}

__global__ void columns(const float *table, float *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	to[thread] = column_sum(table, thread);
}

/* Each lane goes where the number that it has found says. */
BOTH float followed(const float *table, unsigned thread)
{
	unsigned at = hash(thread);
	float sum = 0;
	for (int i = 0; i < TURNS / 16; i++) {
		float here = table[at % TABLE];
		sum += here;
		at = hash(at + (unsigned)(int)(here * 65536));
	}
	return sum;
}

__global__ void follow(const float *table, float *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	to[thread] = followed(table, thread);
}

#define EXPECT_THREADS(name, value)                                                  \
	static void name(Work *work)                                                 \
	{                                                                            \
		for (int thread = 0; thread < work->blocks * BLOCK; thread++)        \
			floats_of(work)[thread] = (value);                           \
	}
EXPECT_THREADS(expect_gather, gathered(work->a, thread))
EXPECT_THREADS(expect_sweep, swept(work->a, thread / BLOCK, thread % BLOCK))
EXPECT_THREADS(expect_columns, column_sum(work->a, thread))
EXPECT_THREADS(expect_follow, followed(work->a, thread))

/* ---- intensive in DRAM */

BOTH float triad_at(const float *a, const float *b, int i)
{
	return fmaf(0.375f, b[i], a[i]);
}

__global__ void triad(const float *a, const float *b, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = triad_at(a, b, i);
}

/* What is between the neighbours, of two fields; the neighbours are in L1. */
BOTH float field_at(const float *a, const float *b, int i, int n)
{
	float around = i && i < n - 1 ? a[i - 1] + a[i + 1] : 0;
	return fmaf(0.5f, around, b[i] - a[i]);
}

__global__ void field(const float *a, const float *b, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = field_at(a, b, i, n);
}

__global__ void scale(const float *a, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = 1.5f * a[i];
}

/* Products of numbers that stand side by side, from both arrays. */
BOTH float pair_at(const float *a, const float *b, int i, int n)
{
	return fmaf(a[2 * i % n], a[(2 * i + 1) % n], b[i]);
}

__global__ void pair(const float *a, const float *b, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = pair_at(a, b, i, n);
}

#define EXPECT_NUMBERS(name, value)                  \
	static void name(Work *work)                 \
	{                                            \
		for (int i = 0; i < work->n; i++)    \
			floats_of(work)[i] = (value); \
	}
EXPECT_NUMBERS(expect_triad, triad_at(work->a, work->b, i))
EXPECT_NUMBERS(expect_field, field_at(work->a, work->b, i, work->n))
EXPECT_NUMBERS(expect_scale, 1.5f * work->a[i])
EXPECT_NUMBERS(expect_pair, pair_at(work->a, work->b, i, work->n))

/* ---- sensitive to latency */

/* The cheapest way down TURNS rows; a block has columns of its own, with walls. */
__global__ void path(const int *costs, int *to)
{
	__shared__ int row[2][BLOCK + 2];
	int x = threadIdx.x + 1, column = blockIdx.x * BLOCK + threadIdx.x;
	for (int i = threadIdx.x; i < 2 * (BLOCK + 2); i += BLOCK)
		row[0][i] = 1 << 20;
	__syncthreads();
	row[0][x] = 0;
	__syncthreads();
	for (int i = 0; i < TURNS; i++) {
		const int *from = row[i % 2];
		int cost = i % 16 ? i : costs[column + i / 16 * gridDim.x * BLOCK];
		row[(i + 1) % 2][x] = cost + min(from[x], min(from[x - 1], from[x + 1]));
		__syncthreads();
	}
	to[column] = row[TURNS % 2][x];
}

static void prepare_path(Work *work)
{
	int numbers = TURNS / 16 * work->blocks * BLOCK, *costs = host_array<int>(numbers);
	for (int i = 0; i < numbers; i++)
		costs[i] = hash(i) % 100;
	work->a = (float *)costs;
	work->da = (float *)device_copy(costs, numbers);
	make_place(work, (size_t)work->blocks * BLOCK);
}

static void expect_path(Work *work)
{
	int row[2][BLOCK + 2], threads = work->blocks * BLOCK;
	const int *costs = (const int *)work->a;
	for (int block = 0; block < work->blocks; block++) {
		for (int x = 0; x < BLOCK + 2; x++)
			row[0][x] = row[1][x] = x && x <= BLOCK ? 0 : 1 << 20;
		for (int i = 0; i < TURNS; i++)
			for (int x = 1; x <= BLOCK; x++) {
				const int *from = row[i % 2];
				int least = from[x] < from[x - 1] ? from[x] : from[x - 1], column = block * BLOCK + x - 1;
				int cost = i % 16 ? i : costs[column + i / 16 * threads];
				row[(i + 1) % 2][x] = cost + (least < from[x + 1] ? least : from[x + 1]);
			}
		memcpy(work->to + block * BLOCK, row[TURNS % 2] + 1, BLOCK * sizeof(int));
	}
}

BOTH unsigned bin_of(unsigned value)
{
	for (int i = 0; i < ROUNDS; i++)
		value = hash(value + i);
	return value % BINS;
}

/* How often values occur; a block has bins of its own. */
__global__ void count(const unsigned *values, unsigned *bins, int n)
{
	__shared__ unsigned mine[BINS];
	for (int i = threadIdx.x; i < BINS; i += BLOCK)
		mine[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(&mine[bin_of(values[i])], 1);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += BLOCK)
		atomicAdd(&bins[i], mine[i]);
}

static void prepare_count(Work *work)
{
	unsigned *values = host_array<unsigned>(work->n);
	for (int i = 0; i < work->n; i++)
		values[i] = hash(i);
	work->a = (float *)values;
	work->da = (float *)device_copy(values, work->n);
	make_place(work, BINS);
}

/* As often as the kernel has run, which is once unless a simulator runs it for a time. */
static void expect_count(Work *work)
{
	unsigned got[BINS], times = 0;
	for (int i = 0; i < work->n; i++)
		work->to[bin_of(((const unsigned *)work->a)[i])]++;
	copy_back(got, work->dto, BINS);
	for (int i = 0; i < BINS && !times; i++)
		times = work->to[i] ? got[i] / work->to[i] : 0;
	for (int i = 0; i < BINS; i++)
		work->to[i] *= times ? times : 1;
}

/* Rows of a by columns of b, tile by tile in shared memory; each block makes a tile of one row of tiles. */
__global__ void product(const float *a, const float *b, float *to)
{
	__shared__ float left[EDGE][EDGE], right[EDGE][EDGE];
	int x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
	float sum = 0;
	for (int tile = 0; tile < TURNS / 2; tile++) {
		left[y][x] = a[(tile * EDGE + y) % 64 * EDGE + x];
		right[y][x] = b[(tile * EDGE + x) % 64 * EDGE + y];
		__syncthreads();
		for (int k = 0; k < EDGE; k++)
			sum = fmaf(left[y][k], right[k][x], sum);
		__syncthreads();
	}
	to[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

static void prepare_product(Work *work)
{
	make_inputs(work, 64 * EDGE, true);
	make_place(work, (size_t)work->blocks * BLOCK);
}

static void expect_product(Work *work)
{
	for (int thread = 0; thread < BLOCK; thread++) {
		int x = thread % EDGE, y = thread / EDGE;
		float sum = 0;
		for (int tile = 0; tile < TURNS / 2; tile++)
			for (int k = 0; k < EDGE; k++)
				sum = fmaf(work->a[(tile * EDGE + y) % 64 * EDGE + k], work->b[(tile * EDGE + x) % 64 * EDGE + k], sum);
		for (int block = 0; block < work->blocks; block++)
			floats_of(work)[block * BLOCK + thread] = sum;
	}
}

/* A root of a cubic by Newton's steps; divisions are multiplications by a power of two near enough. */
BOTH float root_of(float c)
{
	float x = 1;
	for (int i = 0; i < 4 * TURNS; i++)
		x = fmaf(-0.125f, fmaf(fmaf(x, x, 1.0f), x, c), x);
	return x;
}

__global__ void roots(const float *a, float *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	to[thread] = root_of(a[thread]);
}

static void prepare_roots(Work *work)
{
	make_inputs(work, (size_t)work->blocks * BLOCK, false);
	make_place(work, (size_t)work->blocks * BLOCK);
}

EXPECT_THREADS(expect_roots, root_of(work->a[thread]))

/* Sums of all numbers up to each, in a block, of what the round before has left. */
__global__ void sums(const unsigned *values, unsigned *to)
{
	__shared__ unsigned row[2][BLOCK];
	unsigned x = threadIdx.x, at = 0;
	row[0][x] = values[blockIdx.x * BLOCK + x];
	__syncthreads();
	for (int round = 0; round < ROUNDS; round++)
		for (unsigned step = 1; step < BLOCK; step *= 2, at ^= 1) {
			row[at ^ 1][x] = row[at][x] + (x >= step ? row[at][x - step] : 0);
			__syncthreads();
		}
	to[blockIdx.x * BLOCK + x] = row[at][x];
}

static void prepare_sums(Work *work)
{
	int numbers = work->blocks * BLOCK;
	unsigned *values = host_array<unsigned>(numbers);
	for (int i = 0; i < numbers; i++)
		values[i] = hash(i);
	work->a = (float *)values;
	work->da = (float *)device_copy(values, numbers);
	make_place(work, numbers);
}

static void expect_sums(Work *work)
{
	memcpy(work->to, work->a, work->outs * sizeof(unsigned));
	for (int block = 0; block < work->blocks; block++)
		for (int round = 0; round < ROUNDS; round++)
			for (int x = 1; x < BLOCK; x++)
				work->to[block * BLOCK + x] += work->to[block * BLOCK + x - 1];
}

/* From node to node of what no cache holds, each of which says where the next one is. One warp of four has something to do, as in
 * the first levels of a search. */
BOTH unsigned walked(const unsigned *nodes, unsigned thread)
{
	unsigned at = hash(thread / LINE), sum = 0;
	for (int i = 0; i < TURNS && thread / LINE % 4 == 0; i++) {
		unsigned word = nodes[at % NODES * NODE + thread % NODE];
		sum += word;
		at = word / NODE + i;
	}
	return sum;
}

__global__ void walk(const unsigned *nodes, unsigned *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	to[thread] = walked(nodes, thread);
}

/* The words of a node agree but for their place in it. */
static void prepare_walk(Work *work)
{
	unsigned *nodes = host_array<unsigned>((size_t)NODES * NODE);
	for (unsigned i = 0; i < NODES * NODE; i++)
		nodes[i] = hash(i / NODE) / NODE * NODE + i % NODE;
	work->a = (float *)nodes;
	work->da = (float *)device_copy(nodes, (size_t)NODES * NODE);
	make_place(work, (size_t)work->blocks * BLOCK);
}

static void expect_walk(Work *work)
{
	for (int thread = 0; thread < work->blocks * BLOCK; thread++)
		work->to[thread] = walked((const unsigned *)work->a, thread);
}

#endif
