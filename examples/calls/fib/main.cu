/*
 * fib: recursion, which no static analysis can bound. Each thread computes a number of a Fibonacci sequence of its own,
 * 128 bits wide, and the two Hofstadter sequences of its own n, so that the lanes of a warp are at different depths of the call stack.
 *
 * The check is exact: integers.
 */
#include "fib.h"

#define BLOCK 256
#define LAUNCHES 2 /* a second one begins with what the first has shown of allocations */

struct Result {
	Wide fib;
	int female, male;
};

/* The first two numbers of thread i: a sequence of its own. */
__host__ __device__ static Wide first_number(int i, int k)
{
	return ((Wide)(i + 1) << 70) + k;
}

__global__ void recurse(Result *results, int threads, int largest)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= threads)
		return;
	int n = largest - i % 3 % (largest + 1);
	results[i].fib = fib(n, first_number(i, 0), first_number(i, 1));
	results[i].female = female(n);
	results[i].male = male(n);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "fib [threads [largest n]]   (default 8192 threads, n up to 8)"};
	int threads = size_argument(arguments, 1, 8192, 1 << 24);
	int largest = size_argument(arguments, 2, 8, 24);
	Result *results = device_array<Result>(threads), *got = host_array<Result>(threads);

	for (int i = 0; i < LAUNCHES; i++)
		recurse<<<blocks_for(threads, BLOCK), BLOCK>>>(results, threads, largest);
	CHECK_LAUNCH();
	copy_back(got, results, threads);

	Verdict verdict = {"fib"};
	for (int i = 0; i < threads; i++) {
		int n = largest - i % 3 % (largest + 1);
		Result want = {fib(n, first_number(i, 0), first_number(i, 1)), female(n), male(n)};
		if (got[i].fib != want.fib || got[i].female != want.female || got[i].male != want.male)
			differs(&verdict, "thread %d, n = %d: fib %llx female %d male %d, not %llx %d %d", i, n,
				(unsigned long long)(got[i].fib >> 64), got[i].female, got[i].male,
				(unsigned long long)(want.fib >> 64), want.female, want.male);
	}
	CHECK(cudaFree(results));
	free(got);
	return conclude(verdict, "%d threads, n up to %d", threads, largest);
}
