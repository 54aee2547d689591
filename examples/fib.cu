/*
 * fib: recursion on the device. Each thread computes a Fibonacci number and the two Hofstadter sequences of its own n,
 * so that the lanes of a warp are at different depths of the call stack. fib calls itself; female and male call each
 * other.
 *
 * The check is exact: integers.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "fib.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: fib [threads [largest n]]   (default 8192 threads, n up to 12)\n";

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

__host__ __device__ __noinline__ int fib(int n)
{
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

__host__ __device__ int male(int n);

__host__ __device__ __noinline__ int female(int n)
{
	return n == 0 ? 1 : n - male(female(n - 1));
}

__host__ __device__ __noinline__ int male(int n)
{
	return n == 0 ? 0 : n - female(male(n - 1));
}

struct Result {
	int fib, female, male;
};

__global__ void recurse(Result *results, int threads, int largest)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= threads)
		return;
	int n = i % (largest + 1);
	results[i].fib = fib(n);
	results[i].female = female(n);
	results[i].male = male(n);
}

int main(int argc, char **argv)
{
	int threads = size_argument(argc, argv, 1, 8192, 1 << 20);
	int largest = size_argument(argc, argv, 2, 12, 20);
	Result *got = (Result *)malloc(threads * sizeof *got), *device;
	if (!got)
		return fputs("fib: out of memory\n", stderr), 1;

	CHECK(cudaMalloc(&device, threads * sizeof *got));
	recurse<<<(threads + BLOCK - 1) / BLOCK, BLOCK>>>(device, threads, largest);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(got, device, threads * sizeof *got, cudaMemcpyDeviceToHost));

	int wrong = 0;
	for (int i = 0; i < threads; i++) {
		int n = i % (largest + 1);
		Result want = {fib(n), female(n), male(n)};
		if (got[i].fib == want.fib && got[i].female == want.female && got[i].male == want.male)
			continue;
		if (wrong++ == 0)
			printf("thread %d, n = %d: fib %d female %d male %d, not %d %d %d\n", i, n, got[i].fib,
			       got[i].female, got[i].male, want.fib, want.female, want.male);
	}
	printf("fib: %s (%d threads, n up to %d, %d wrong)\n", wrong ? "FAILED" : "PASSED", threads, largest, wrong);
	CHECK(cudaFree(device));
	free(got);
	return wrong != 0;
}
