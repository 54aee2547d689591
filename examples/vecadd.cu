/*
 * vecadd: c = a + b, one element a thread. The check is exact: one IEEE addition has one correctly rounded result.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 256

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "vecadd.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: vecadd [elements]   (default 4000000)\n";

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

__global__ void vecadd(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
	int n = size_argument(argc, argv, 1, 4000000, 1 << 28);
	size_t bytes = n * sizeof(float);
	float *a = (float *)malloc(bytes), *b = (float *)malloc(bytes), *c = (float *)malloc(bytes);
	if (!a || !b || !c)
		return fputs("vecadd: out of memory\n", stderr), 1;
	for (int i = 0; i < n; i++) {
		a[i] = 0.1f * (i % 1001);
		b[i] = 1.0f / (1 + i % 997);
	}

	float *da, *db, *dc;
	CHECK(cudaMalloc(&da, bytes));
	CHECK(cudaMalloc(&db, bytes));
	CHECK(cudaMalloc(&dc, bytes));
	CHECK(cudaMemcpy(da, a, bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(db, b, bytes, cudaMemcpyHostToDevice));
	vecadd<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(da, db, dc, n);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(c, dc, bytes, cudaMemcpyDeviceToHost));

	int wrong = 0, first = -1;
	for (int i = 0; i < n; i++)
		if (c[i] != a[i] + b[i] && wrong++ == 0)
			first = i;
	if (wrong)
		printf("c[%d] = %.9g, not %.9g\n", first, c[first], a[first] + b[first]);
	printf("vecadd: %s (%d elements, %d wrong)\n", wrong ? "FAILED" : "PASSED", n, wrong);

	CHECK(cudaFree(da));
	CHECK(cudaFree(db));
	CHECK(cudaFree(dc));
	free(a);
	free(b);
	free(c);
	return wrong != 0;
}
