/* sizes WHAT [N [each]]: goes to a limit of docs/limits.md, Sizes. `each`: waits for each launch. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void one(int *out)
{
	if (threadIdx.x == 0 && blockIdx.x == 0 && out)
		*out = 7;
}

__device__ __noinline__ int down(int n)
{
	volatile int pad[16];
	pad[n & 15] = n;
	return n ? down(n - 1) + pad[n & 15] : 0;
}

__device__ int ends;

/* Without a frame: its depth is bounded by the SIMT stack alone. */
__device__ __noinline__ void fall(int n)
{
	if (n)
		fall(n - 1);
	ends++;
}

__global__ void nested(int n)
{
	fall(n);
}

__global__ void deep(int *out, int n)
{
	*out = down(n);
}

int main(int argc, char **argv)
{
	const char *what = argv[1];
	long n = argc > 2 ? atol(argv[2]) : 0;
	size_t free_bytes, all;
	void *more;
	int *out;
	cudaMalloc(&out, 4);
	cudaMemGetInfo(&free_bytes, &all);
	if (!strcmp(what, "gridx"))
		one<<<n, 1>>>(0);
	if (!strcmp(what, "gridy"))
		one<<<dim3(1, n), 1>>>(0);
	if (!strcmp(what, "gridz"))
		one<<<dim3(1, 1, n), 1>>>(0);
	if (!strcmp(what, "blocks"))
		one<<<dim3(65536, 65536 / 2, n), 1>>>(0);
	if (!strcmp(what, "block"))
		one<<<1, n>>>(0);
	if (!strcmp(what, "shared"))
		one<<<1, 1, n>>>(0);
	if (!strcmp(what, "deep"))
		deep<<<1, 1>>>(out, n);
	if (!strcmp(what, "nested"))
		nested<<<1, 1>>>(n);
	if (!strcmp(what, "memory"))
		cudaMalloc(&more, all - n);
	for (long i = 0; !strcmp(what, "launches") && i < n; i++) {
		one<<<1, 32>>>(out);
		if (argc > 3)
			cudaDeviceSynchronize();
	}
	cudaError_t end = cudaDeviceSynchronize(), error = cudaGetLastError();
	printf("%s %ld: %s\n", what, n, cudaGetErrorName(error != cudaSuccess ? error : end));
}
