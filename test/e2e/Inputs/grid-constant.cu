// __grid_constant__: the address of a parameter is one of the bank, in device functions too, and nothing is copied to
// local memory; the other parameters are as always.
#include <cstdio>

struct Table {
	int values[24];
	__device__ int at(int i) const;
};
struct alignas(64) Opaque {
	unsigned long long words[16];
};

__device__ __noinline__ int Table::at(int i) const
{
	return values[i];
}

__device__ __noinline__ int chosen(const int *a, const int *b, bool first)
{
	return *(first ? a : b);
}

__global__ void look(const __grid_constant__ Table table, int between, const __grid_constant__ int scalar,
		     const __grid_constant__ Opaque opaque, const Table plain, int *out)
{
	int i = threadIdx.x;
	unsigned word;
	asm volatile("ld.u32 %0, [%1];" : "=r"(word) : "l"((const char *)&opaque + 4 * i));
	out[4 * i] = table.at(i % 24) + between;
	out[4 * i + 1] = chosen(&scalar, table.values + i % 24, i & 1);
	out[4 * i + 2] = (int)word;
	out[4 * i + 3] = (int)(__isGridConstant(&table) + 2 * __isGridConstant(&scalar) + 4 * __isGridConstant(&opaque) +
			       8 * __isGridConstant(out) + 16 * __isGridConstant(&plain) +
			       32 * ((unsigned long long)&opaque % 64 == 0));
}

int main()
{
	Table table, plain = {};
	Opaque opaque;
	int *out, wrong = 0;
	for (int i = 0; i < 24; i++)
		table.values[i] = 100 + i * i;
	for (int i = 0; i < 16; i++)
		opaque.words[i] = (2 * i + 1ull) << 32 | 2 * i;
	cudaMallocManaged(&out, 4 * 32 * sizeof *out);
	look<<<1, 32>>>(table, 7, 5000, opaque, plain, out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++)
		wrong += (out[4 * i] != 107 + (i % 24) * (i % 24)) +
			 (out[4 * i + 1] != (i & 1 ? 5000 : 100 + (i % 24) * (i % 24))) + (out[4 * i + 2] != i) +
			 (out[4 * i + 3] != 39);
	printf("%d wrong\n", wrong);
	return wrong != 0;
}
