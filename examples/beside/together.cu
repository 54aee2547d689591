/*
 * together: kernels that stress different parts of the memory run beside each other, each in a stream of its own.
 * `gather` and `sweep` find their data in L2 and fill the network to it, `triad` and `field` read and write more than L2
 * holds, `path` and `count` have little to ask and wait for it: a row of dynamic programming in shared memory, and a
 * histogram there. Each is what it would be alone.
 */
#include "../grids/grids.h"

#include <string.h>

#define BLOCK 256
#define LINE 32		 /* floats that a warp reads together */
#define TABLE (1 << 17)	 /* floats, half a megabyte: in L2, and in no L1 */
#define TURNS 64
#define BINS 6144	 /* 24 KB: few blocks of it fit on an SM */
#define ROUNDS 8
#define MOST 4 /* kernels at a time */

BOTH unsigned hash(unsigned x)
{
	x = (x ^ (x >> 16)) * 0x45d9f3bu;
	x = (x ^ (x >> 16)) * 0x45d9f3bu;
	return x ^ (x >> 16);
}

/* Lines anywhere in the table. */
__global__ void gather(const float *table, float *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % LINE, at = thread / LINE;
	float sum = 0;
	for (int i = 0; i < TURNS; i++) {
		at = hash(at + i);
		sum += table[at % (TABLE / LINE) * LINE + lane];
	}
	to[thread] = sum;
}

/* The whole table one line after the other, each block from another place on. */
__global__ void sweep(const float *table, float *to)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned at = blockIdx.x * 40503u * LINE + threadIdx.x;
	float sum = 0;
	for (int i = 0; i < TURNS; i++)
		sum = fmaf(0.5f, sum, table[(at + i * BLOCK) % TABLE]);
	to[thread] = sum;
}

__global__ void triad(const float *a, const float *b, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = fmaf(0.375f, b[i], a[i]);
}

/* What is between the neighbours, of two fields; the neighbours are in L1. */
__global__ void field(const float *a, const float *b, float *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float around = i && i < n - 1 ? a[i - 1] + a[i + 1] : 0;
		to[i] = fmaf(0.5f, around, b[i] - a[i]);
	}
}

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

/* ---- one of them with its data */

struct Work {
	const char *name;
	int blocks, n;
	cudaStream_t stream;
	float *a, *b, *to;	/* of the host: what comes out */
	float *da, *db, *dto;	/* of the device */
	unsigned *values, *dvalues, *bins, *dbins;
	int *costs, *dcosts, *ways, *dways;
};

static const char *const names[] = {"gather", "sweep", "triad", "field", "path", "count"};
enum { GATHER, SWEEP, TRIAD, FIELD, PATH, COUNT, NAMES };

static int index_of(const char *name)
{
	for (int i = 0; i < NAMES; i++)
		if (!strcmp(name, names[i]))
			return i;
	return NAMES;
}

static void prepare(Work *work, int blocks, int n)
{
	int threads = blocks * BLOCK;
	*work = {work->name, blocks, n};
	CHECK(cudaStreamCreateWithFlags(&work->stream, cudaStreamNonBlocking));
	switch (index_of(work->name)) {
	case GATHER:
	case SWEEP:
		work->a = random_floats(TABLE, 1);
		work->da = device_copy(work->a, TABLE);
		work->to = host_array<float>(threads);
		work->dto = device_array<float>(threads);
		break;
	case TRIAD:
	case FIELD:
		work->a = random_floats(n, 2);
		work->b = random_floats(n, 3);
		work->da = device_copy(work->a, n);
		work->db = device_copy(work->b, n);
		work->to = host_array<float>(n);
		work->dto = device_array<float>(n);
		break;
	case PATH:
		work->costs = host_array<int>(TURNS / 16 * threads);
		for (int i = 0; i < TURNS / 16 * threads; i++)
			work->costs[i] = hash(i) % 100;
		work->dcosts = device_copy(work->costs, TURNS / 16 * threads);
		work->ways = host_array<int>(threads);
		work->dways = device_array<int>(threads);
		break;
	case COUNT:
		work->values = host_array<unsigned>(n);
		for (int i = 0; i < n; i++)
			work->values[i] = hash(i);
		work->dvalues = device_copy(work->values, n);
		work->bins = host_array<unsigned>(BINS);
		work->dbins = device_array<unsigned>(BINS);
		break;
	}
}

static void start(Work *work)
{
	switch (index_of(work->name)) {
	case GATHER: gather<<<work->blocks, BLOCK, 0, work->stream>>>(work->da, work->dto); break;
	case SWEEP: sweep<<<work->blocks, BLOCK, 0, work->stream>>>(work->da, work->dto); break;
	case TRIAD: triad<<<work->blocks, BLOCK, 0, work->stream>>>(work->da, work->db, work->dto, work->n); break;
	case FIELD: field<<<work->blocks, BLOCK, 0, work->stream>>>(work->da, work->db, work->dto, work->n); break;
	case PATH: path<<<work->blocks, BLOCK, 0, work->stream>>>(work->dcosts, work->dways); break;
	case COUNT: count<<<work->blocks, BLOCK, 0, work->stream>>>(work->dvalues, work->dbins, work->n); break;
	}
	CHECK(cudaGetLastError());
}

/* ---- the same on the host */

static void expect_lines(Work *work, bool anywhere)
{
	for (int thread = 0; thread < work->blocks * BLOCK; thread++) {
		unsigned lane = thread % LINE, at = anywhere ? thread / LINE : thread / BLOCK * 40503u * LINE + thread % BLOCK;
		float sum = 0;
		for (int i = 0; i < TURNS; i++) {
			if (anywhere) {
				at = hash(at + i);
				sum += work->a[at % (TABLE / LINE) * LINE + lane];
			} else {
				sum = fmaf(0.5f, sum, work->a[(at + i * BLOCK) % TABLE]);
			}
		}
		work->to[thread] = sum;
	}
}

static void expect_field(Work *work)
{
	const float *a = work->a;
	for (int i = 0; i < work->n; i++) {
		float around = i && i < work->n - 1 ? a[i - 1] + a[i + 1] : 0;
		work->to[i] = fmaf(0.5f, around, work->b[i] - a[i]);
	}
}

static void expect_ways(Work *work)
{
	int row[2][BLOCK + 2], threads = work->blocks * BLOCK;
	for (int block = 0; block < work->blocks; block++) {
		for (int x = 0; x < BLOCK + 2; x++)
			row[0][x] = row[1][x] = x && x <= BLOCK ? 0 : 1 << 20;
		for (int i = 0; i < TURNS; i++)
			for (int x = 1; x <= BLOCK; x++) {
				const int *from = row[i % 2];
				int least = from[x] < from[x - 1] ? from[x] : from[x - 1], column = block * BLOCK + x - 1;
				int cost = i % 16 ? i : work->costs[column + i / 16 * threads];
				row[(i + 1) % 2][x] = cost + (least < from[x + 1] ? least : from[x + 1]);
			}
		memcpy(work->ways + block * BLOCK, row[TURNS % 2] + 1, BLOCK * sizeof(int));
	}
}

static void check(Work *work, Verdict *verdict)
{
	int which = index_of(work->name), threads = work->blocks * BLOCK;
	switch (which) {
	case GATHER:
	case SWEEP:
		expect_lines(work, which == GATHER);
		compare(verdict, work->name, work->dto, work->to, threads);
		break;
	case TRIAD:
		for (int i = 0; i < work->n; i++)
			work->to[i] = fmaf(0.375f, work->b[i], work->a[i]);
		compare(verdict, work->name, work->dto, work->to, work->n);
		break;
	case FIELD:
		expect_field(work);
		compare(verdict, work->name, work->dto, work->to, work->n);
		break;
	case PATH:
		expect_ways(work);
		compare(verdict, work->name, work->dways, work->ways, threads);
		break;
	case COUNT:
		/* As often as the kernel has run, which is once unless a simulator runs it for a time. */
		unsigned first = 0, got[BINS];
		for (int i = 0; i < work->n; i++)
			work->bins[bin_of(work->values[i])]++;
		copy_back(got, work->dbins, BINS);
		for (int i = 0; i < BINS; i++)
			if (work->bins[i] && !first)
				first = got[i] / work->bins[i];
		for (int i = 0; i < BINS; i++)
			work->bins[i] *= first;
		if (!first)
			differs(verdict, "nothing was counted");
		compare(verdict, work->name, work->dbins, work->bins, BINS);
		break;
	}
}

int main(int argc, char **argv)
{
	const char *usage = "together [blocks [numbers in 1024s [KERNEL...]]]   (default 128 blocks, 256; gather triad path)\n"
			    "KERNEL, up to four of them: gather sweep triad field path count";
	Arguments arguments = {argc < 3 ? argc : 3, argv, usage};
	int blocks = size_argument(arguments, 1, 128, 65535), n = 1024 * size_argument(arguments, 2, 256, 1 << 14);
	const char *standard[] = {"gather", "triad", "path"}, **chosen = argc > 3 ? (const char **)argv + 3 : standard;
	int works = argc > 3 ? argc - 3 : 3;
	Work work[MOST];
	Verdict verdict = {"together", 0};
	for (int i = 0; i < works; i++) {
		if (works > MOST || index_of(chosen[i]) == NAMES) {
			fprintf(stderr, "usage: %s\n", usage);
			return 2;
		}
		work[i].name = chosen[i];
		prepare(&work[i], blocks, n);
	}
	for (int i = 0; i < works; i++)
		start(&work[i]);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < works; i++)
		check(&work[i], &verdict);
	return conclude(verdict, "%d kernels, %d blocks, %d numbers", works, blocks, n);
}
