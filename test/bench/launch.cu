// Launches of one warp: what a launch costs beside its kernel. `launch N` makes N of them.
#include <cstdio>
#include <cstdlib>

__global__ void step(int *out)
{
	out[threadIdx.x]++;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5000, sums[32], *out;
	if (n <= 0 || cudaMalloc(&out, sizeof sums) || cudaMemset(out, 0, sizeof sums))
		return fputs("usage: launch [launches]\n", stderr), 2;
	for (int i = 0; i < n; i++)
		step<<<1, 32>>>(out);
	if (cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost))
		return fprintf(stderr, "launch: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
	int wrong = 0;
	for (int thread = 0; thread < 32; thread++)
		wrong += sums[thread] != n;
	printf("launch: %s (%d launches)\n", wrong ? "FAILED" : "PASSED", n);
	return wrong != 0;
}
