/*
 * histogram: how often each byte value occurs, twice over. One kernel counts in shared memory and adds each block's
 * counts to the global ones at the end; the other counts in global memory at once. The bytes are skewed, as those of
 * texts and pictures are, so that many lanes of a warp meet on one counter.
 *
 * The check is exact: counts are integers, and the order of additions does not matter.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS 256
#define BLOCK 256

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "histogram.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: histogram [bytes [blocks]]   (default 2500000 bytes, 320 blocks)\n";

/* The i-th argument as a number from 1 to `most`, or `fallback` where it is left out. */
static int size_argument(int argc, char **argv, int i, int fallback, long most)
{
	if (argc <= i)
		return fallback;
	char *end;
	long value = strtol(argv[i], &end, 10);
	if (*argv[i] != '\0' && *end == '\0' && value >= 1 && value <= most)
		return (int)value;
	bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	fputs(usage, help ? stdout : stderr);
	exit(help ? 0 : 2);
}

__global__ void histogram_shared(const unsigned char *data, int n, unsigned int *bins)
{
	__shared__ unsigned int local[BINS];
	for (int i = threadIdx.x; i < BINS; i += BLOCK)
		local[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		atomicAdd(&local[data[i]], 1u);
	__syncthreads();
	for (int i = threadIdx.x; i < BINS; i += BLOCK)
		if (local[i])
			atomicAdd(&bins[i], local[i]);
}

__global__ void histogram_global(const unsigned char *data, int n, unsigned int *bins)
{
	for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
		atomicAdd(&bins[data[i]], 1u);
}

static int differences(const char *name, const unsigned int *got, const unsigned int *want)
{
	int wrong = 0;
	for (int i = 0; i < BINS; i++)
		if (got[i] != want[i] && wrong++ == 0)
			printf("%s: bin %d has %u, not %u\n", name, i, got[i], want[i]);
	return wrong;
}

int main(int argc, char **argv)
{
	int n = size_argument(argc, argv, 1, 2500000, 1 << 30);
	int blocks = size_argument(argc, argv, 2, 320, 65535);
	unsigned char *data = (unsigned char *)malloc(n);
	if (!data)
		return fputs("histogram: out of memory\n", stderr), 1;
	unsigned int want[BINS] = {0}, got[BINS], seed = 7;
	for (int i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		data[i] =
			(unsigned char)((seed >> 24) & (seed >> 16)); /* zero bits are three times as likely as ones */
		want[data[i]]++;
	}

	unsigned char *ddata;
	unsigned int *dbins;
	CHECK(cudaMalloc(&ddata, n));
	CHECK(cudaMalloc(&dbins, sizeof got));
	CHECK(cudaMemcpy(ddata, data, n, cudaMemcpyHostToDevice));

	CHECK(cudaMemset(dbins, 0, sizeof got));
	histogram_shared<<<blocks, BLOCK>>>(ddata, n, dbins);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got, dbins, sizeof got, cudaMemcpyDeviceToHost));
	int wrong = differences("histogram_shared", got, want);

	CHECK(cudaMemset(dbins, 0, sizeof got));
	histogram_global<<<blocks, BLOCK>>>(ddata, n, dbins);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got, dbins, sizeof got, cudaMemcpyDeviceToHost));
	wrong += differences("histogram_global", got, want);

	printf("histogram: %s (%d bytes, %d blocks, %d bins wrong)\n", wrong ? "FAILED" : "PASSED", n, blocks, wrong);
	CHECK(cudaFree(ddata));
	CHECK(cudaFree(dbins));
	free(data);
	return wrong != 0;
}
