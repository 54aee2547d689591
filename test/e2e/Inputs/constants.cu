// Loads of __constant__ arrays: one address a warp, one a lane, wide ones, through generic pointers and after writes by
// the host; with an argument, far outside of every array.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ int table[64];
__constant__ int4 wide[32];
__constant__ struct {
	char tag;
	double value[4];
} mixed;

__global__ void uniform(int *out, int count)
{
	int sum = 0;
	for (int i = 0; i < count; i++)
		sum += table[i];
	out[threadIdx.x] = sum;
}

__global__ void divergent(int *out, int by)
{
	unsigned lane = threadIdx.x;
	out[lane] = table[lane * by % 64];
	if (lane % 2)
		out[lane] += wide[lane].z + (int)mixed.value[lane % 4] + mixed.tag;
}

__global__ void anywhere(const int *of_host, int *out, int far)
{
	__shared__ int own[32];
	own[threadIdx.x] = -1;
	__syncthreads();
	const int *from = threadIdx.x % 2 ? own : table;
	out[threadIdx.x] = from[threadIdx.x] + of_host[threadIdx.x + 32];
	if (far)
		out[0] = table[far];
}

static int failures;

static void expect(const char *what, const int *got, int (*want)(int))
{
	for (int i = 0; i < 32; i++)
		if (got[i] != want(i))
			failures += printf("%s: lane %d has %d, not %d\n", what, i, got[i], want(i)) > 0;
}

int main(int argc, char **argv)
{
	static int host[64];
	static int4 four[32];
	struct {
		char tag;
		double value[4];
	} both = {7, {10, 20, 30, 40}};
	int *out;
	const int *address;
	cudaMallocManaged(&out, 32 * sizeof *out);
	for (int i = 0; i < 64; i++)
		host[i] = i * i;
	for (int i = 0; i < 32; i++)
		four[i] = {i, 2 * i, 3 * i, 4 * i};
	cudaMemcpyToSymbol(table, host, sizeof host);
	cudaMemcpyToSymbol(wide, four, sizeof four);
	cudaMemcpyToSymbol(mixed, &both, sizeof both);
	cudaGetSymbolAddress((void **)&address, table);

	uniform<<<1, 32>>>(out, 40);
	cudaDeviceSynchronize();
	expect("uniform", out, [](int) { return 39 * 40 * 79 / 6; });
	divergent<<<1, 32>>>(out, 3);
	cudaDeviceSynchronize();
	expect("divergent", out, [](int i) {
		int at = i * 3 % 64;
		return at * at + (i % 2 ? 3 * i + 10 * (i % 4 + 1) + 7 : 0);
	});
	host[1] = 1000;
	cudaMemcpyToSymbol(table, host + 1, sizeof *host, sizeof *host);
	anywhere<<<1, 32>>>(address, out, argc > 1 ? atoi(argv[1]) : 0);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 3;
	expect("anywhere", out, [](int i) { return (i % 2 ? -1 : i * i) + (i + 32) * (i + 32); });
	uniform<<<1, 32>>>(out, 2);
	cudaDeviceSynchronize();
	expect("written", out, [](int) { return 1000; });
	if (!failures)
		printf("constants ok\n");
	return failures != 0;
}
