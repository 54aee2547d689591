/*
 * Constants of the host that device code reads are there; those that it does not read take no constant memory, which a table of
 * the host exceeds. A program's own constant memory is there in any case.
 */
#include <cstdio>

struct row {
	int degree;
	unsigned factors[18];
};
extern const row table[];
const row table[1000] = {{1, {2}}, {3, {4, 5}}};

namespace numbers
{
const int few[3] = {1, 2, 3};
extern const int one;
const int one = 5;
const float alone = 2.5f;
} // namespace numbers
extern "C" {
extern const int both[2];
const int both[2] = {7, 8};
}
extern __constant__ int own[2];
__constant__ int own[2] = {9, 10};

__global__ void sum(int *out, int i)
{
	*out = numbers::few[i] + numbers::one + both[i] + (int)numbers::alone; /* 2 + 5 + 8 + 2 */
}

int main()
{
	int *out, host[2];
	cudaMallocManaged(&out, sizeof *out);
	sum<<<1, 1>>>(out, 1);
	cudaDeviceSynchronize();
	cudaMemcpyFromSymbol(host, own, sizeof host);
	printf("%d %d %u\n", *out, host[1], table[1].factors[1]);
}
