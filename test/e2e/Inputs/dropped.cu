// Values that a design drops because nobody reads them again, and what looks like a read of them all the same: a
// prologue that saves the register, and an instruction whose guard holds in no lane. And results of runtime services,
// which no instruction of the program writes.
#include <cstdio>

/* Has no need of registers that it would have to save. */
__device__ __noinline__ unsigned leaf(unsigned a, unsigned b)
{
	return (a ^ b) * 3 + (a >> 3);
}

__device__ __noinline__ unsigned *get(unsigned words)
{
	unsigned *block = (unsigned *)malloc(words * 4);
	block[0] = words;
	return block;
}

/* Saves what it keeps across its calls. */
__device__ __noinline__ unsigned mix(unsigned a, unsigned b, unsigned c)
{
	unsigned p = a * 3, q = b * 5, r = c * 7, s = a ^ b, t = b ^ c;
	unsigned *block = get(a % 4 + 1);
	unsigned sum = block[0] + p + (q ^ r) + s * t;
	free(block);
	return sum;
}

__global__ void drop(const unsigned *table, unsigned *out, int turns)
{
	unsigned x = threadIdx.x + 1, sum = 0;
	for (int i = 0; i < turns; i++) {
		// Live across the first call, dead at the third; the second is there for them to leave.
		unsigned a = table[i % 4] * x, b = a ^ 5, c = b * 3, d = c + a;
		unsigned e = leaf(a, sum);
		sum += (a ^ e) * (b + e) - (c ^ e) * (d + e);
		sum = leaf(sum, x);
		sum += mix(sum, x, i);
		if (i % 4 == 3)
			sum += table[(i >> 1) * 2 + 1] * 3;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main()
{
	enum { BLOCK = 64, TURNS = 8 };
	unsigned host[BLOCK], numbers[TURNS + 4], *table, *out, all = 0;
	for (int i = 0; i < TURNS + 4; i++)
		numbers[i] = 11 * i + 3;
	cudaMalloc(&table, sizeof numbers);
	cudaMalloc(&out, sizeof host);
	cudaMemcpy(table, numbers, sizeof numbers, cudaMemcpyHostToDevice);
	drop<<<1, BLOCK>>>(table, out, TURNS);
	cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	for (unsigned word : host)
		all = all * 31 + word;
	printf("%u, %s\n", all, cudaGetErrorString(cudaGetLastError()));
}
