// Macros of attributes behind CUDA's words, in several forms of declarators; and what only looks like them.
#include "attributes.h"
#include <cstdio>

typedef float REAL;
struct ALIGN16 Pair {
	float a, b;
};
__device__ ALIGN16 char first = 1;
__device__ ALIGN16 char second[3] = {1, 2, 3};
__constant__ Quiet ALIGN16 char third = 4;
__device__ Pair make(REAL a);
__device__ Pair make(REAL a)
{
	return Pair{a, a};
}

struct BUILT {
	int value;
	__device__ BUILT() { value = 9; }
};

template <class T, class ROW>
__global__ void places(size_t *to)
{
	__shared__ char odd;
	__shared__ ALIGN16 char x, y[3], *z;
	__shared__ Aligned(32) T a;
	static __shared__ Aligned(alignof(Pair) * 4) ALIGN16 REAL b[2][2];
	__shared__ volatile ALIGN16 char c;
	__shared__ ALIGN16 char (*d)[4];
	SMEM ALIGN16 char e;
	SMEM alignas(128) char f[2];
	extern __shared__ ALIGN16 unsigned char rest[];
	TILE(char, g, 3);
	__shared__ REAL plain; __shared__ ROW row;
	__shared__ Aligned(64) unsigned long long h;
	__shared__ Pair pair;
	__shared__ BUILT built; __shared__ ALIGN16 BUILT aligned;
	built.value = aligned.value = 0;
	pair = make(1);
	odd = 1; plain = 2; row = 3; x = y[0] = 1; z = &x; a = 1; b[0][0] = 1; c = 1; d = (char (*)[4])&f; e = f[0] = g[0] = 1; h = 1; rest[0] = 1;
	size_t i = 0;
	to[i++] = (size_t)&x % 16 + (size_t)y % 16 + (size_t)&z % 16;
	to[i++] = (size_t)&a % 32;
	to[i++] = (size_t)b % 64;
	to[i++] = (size_t)&c % 16 + (size_t)&d % 16;
	to[i++] = (size_t)&e % 16;
	to[i++] = (size_t)f % 128;
	to[i++] = (size_t)rest % 16 + (size_t)g % 16;
	to[i++] = (size_t)&h % 64 + (size_t)&aligned % 16 + built.value;
	to[i++] = (size_t)&first % 16 + (size_t)second % 16 + (size_t)&third % 16;
	to[i++] = odd + plain + row + first + second[2] + third + pair.b + *z + (*d)[0] - 17;
}

int main()
{
	size_t *to, got[10], sum = 0;
	cudaMalloc(&to, sizeof got);
	places<char, float><<<1, 1, 64>>>(to);
	cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost);
	for (size_t each : got)
		sum += each;
	if (sum)
		for (size_t each : got)
			printf("%zu\n", each);
	printf("attributes: %s\n", sum ? "FAILED" : "PASSED");
}
