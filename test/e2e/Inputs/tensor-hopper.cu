// 1 and 16 products of 2^-25, by mma.sync: each card has its own number of bits behind the 1.
#include <cstdio>

__global__ void add(float *out)
{
	unsigned a = 0x0c000c00, b = 0x08000800; /* 2^-12, 2^-13 */
	float c = 1, d[4];
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%5, %5}, {%6, %6, %6, %6};"
		     : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
		     : "r"(a), "r"(b), "f"(c));
	if (threadIdx.x == 0)
		*out = d[0];
}

int main()
{
	float *out;
	cudaMallocManaged(&out, sizeof *out);
	add<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	printf("1 + %a\n", *out - 1);
}
