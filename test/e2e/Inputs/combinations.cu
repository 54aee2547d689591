/* Linear combinations: seventeen of them, which are one more than there are linear registers, and one in all three
 * coordinates of a block and a grid. */
#include <cstdio>

#define SUM(n) at[(n + 1) * tx + (3 * n + 1) * bx]
__global__ void seventeen(const int *at, int *out)
{
	int tx = threadIdx.x, bx = blockIdx.x;
	out[bx * blockDim.x + tx] = SUM(0) + 2 * SUM(1) + 3 * SUM(2) + 4 * SUM(3) + 5 * SUM(4) + 6 * SUM(5) + 7 * SUM(6) +
				    8 * SUM(7) + 9 * SUM(8) + 10 * SUM(9) + 11 * SUM(10) + 12 * SUM(11) + 13 * SUM(12) +
				    14 * SUM(13) + 15 * SUM(14) + 16 * SUM(15);
}

__global__ void third(int *out, int pitch)
{
	int x = 4 * blockIdx.x + threadIdx.x, y = 4 * blockIdx.y + threadIdx.y, z = 4 * blockIdx.z + threadIdx.z;
	out[(z * pitch + y) * pitch + x] += 100 * threadIdx.z + 10 * threadIdx.y + threadIdx.x + 1000 * blockIdx.z;
}

int main()
{
	const int threads = 64, blocks = 8, words = 4096, pitch = 8;
	int *at, *out, wrong = 0;
	cudaMallocManaged(&at, words * sizeof *at);
	cudaMallocManaged(&out, words * sizeof *out);
	for (int i = 0; i < words; i++)
		at[i] = i * i % 1009;
	seventeen<<<blocks, threads>>>(at, out);
	cudaDeviceSynchronize();
	for (int i = 0; i < blocks * threads; i++) {
		int sum = 0;
		for (int n = 0; n < 16; n++)
			sum += (n + 1) * at[(n + 1) * (i % threads) + (3 * n + 1) * (i / threads)];
		wrong += out[i] != sum;
	}
	for (int i = 0; i < words; i++)
		out[i] = i;
	third<<<dim3(2, 2, 2), dim3(4, 4, 4)>>>(out, pitch);
	cudaDeviceSynchronize();
	for (int i = 0; i < pitch * pitch * pitch; i++) {
		int x = i % pitch, y = i / pitch % pitch, z = i / pitch / pitch;
		wrong += out[i] != i + 100 * (z % 4) + 10 * (y % 4) + x % 4 + 1000 * (z / 4);
	}
	printf("%s: %d wrong\n", wrong ? "FAILED" : "PASSED", wrong);
	return wrong != 0;
}
