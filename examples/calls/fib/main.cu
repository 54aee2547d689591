/*
 * fib: recursion, which no static analysis can bound. Each thread computes a Fibonacci number and the two Hofstadter
 * sequences of its own n, so that the lanes of a warp are at different depths of the call stack.
 *
 * The check is exact: integers.
 */
#include "fib.h"

#define BLOCK 256

struct Result {
	int fib, female, male;
};

__global__ void recurse(Result *results, int threads, int largest)
{
	int i = blockIdx.x * BLOCK + threadIdx.x;
	if (i >= threads)
		return;
	int n = largest - i % 3 % (largest + 1);
	results[i].fib = fib(n);
	results[i].female = female(n);
	results[i].male = male(n);
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "fib [threads [largest n]]   (default 8192 threads, n up to 8)"};
	int threads = size_argument(arguments, 1, 8192, 1 << 24);
	int largest = size_argument(arguments, 2, 8, 24);
	Result *results = device_array<Result>(threads), *got = host_array<Result>(threads);

	recurse<<<blocks_for(threads, BLOCK), BLOCK>>>(results, threads, largest);
	CHECK_LAUNCH();
	copy_back(got, results, threads);

	Verdict verdict = {"fib"};
	for (int i = 0; i < threads; i++) {
		int n = largest - i % 3 % (largest + 1);
		Result want = {fib(n), female(n), male(n)};
		if (got[i].fib != want.fib || got[i].female != want.female || got[i].male != want.male)
			differs(&verdict, "thread %d, n = %d: fib %d female %d male %d, not %d %d %d", i, n, got[i].fib,
				got[i].female, got[i].male, want.fib, want.female, want.male);
	}
	CHECK(cudaFree(results));
	free(got);
	return conclude(verdict, "%d threads, n up to %d", threads, largest);
}
