// Groups of copies in loops that --sampling leaves partly without time: stores in bulk, and copies to shared memory. Each is committed
// in its turn, and a wait leaves some under way (test/e2e/copy-sampling.test).
#include <cstdio>
#include <cuda_runtime.h>
enum { TURNS = 3000, BLOCKS = 12, TILES = 32 };
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__global__ void stores(unsigned *out)
{
	__shared__ alignas(128) unsigned tile[2][32];
	unsigned sum = threadIdx.x;
#pragma unroll 1
	for (int i = 0; i < TURNS; i++) {
		sum = sum * 5 + i;
		tile[i & 1][threadIdx.x] = sum;
		asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
		__syncwarp();
		if (threadIdx.x == 0)
			asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out + (blockIdx.x * 8 + i % 8) * 32), "r"(at(tile[i & 1])) : "memory");
		if (threadIdx.x == 0) {
			asm volatile("cp.async.bulk.commit_group;" ::: "memory");
			asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
		}
		__syncwarp();
	}
	if (threadIdx.x == 0)
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void loads(const unsigned *in, unsigned *out)
{
	__shared__ alignas(128) unsigned tile[4][32];
	unsigned sum = 0;
#pragma unroll 1
	for (int i = 0; i < TURNS; i++) {
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(&tile[i & 3][threadIdx.x])), "l"(in + (i % TILES) * 32 + threadIdx.x) : "memory");
		asm volatile("cp.async.commit_group;" ::: "memory");
		if (i >= 3) {
			asm volatile("cp.async.wait_group 3;" ::: "memory");
			sum = sum * 3 + tile[(i - 3) & 3][threadIdx.x];
		}
	}
	asm volatile("cp.async.wait_group 0;" ::: "memory");
	for (int i = TURNS - 3; i < TURNS; i++)
		sum = sum * 3 + tile[i & 3][threadIdx.x];
	out[blockIdx.x * 32 + threadIdx.x] = sum;
}
int main()
{
	unsigned *out, *in, wrong = 0;
	cudaMallocManaged(&out, BLOCKS * 8 * 32 * 4);
	cudaMallocManaged(&in, TILES * 32 * 4);
	for (unsigned i = 0; i < TILES * 32; i++)
		in[i] = i * 2654435761u;
	stores<<<BLOCKS, 32>>>(out);
	cudaDeviceSynchronize();
	for (unsigned b = 0; b < BLOCKS; b++)
		for (unsigned t = 0; t < 32; t++) {
			unsigned sum = t;
			for (int i = 0; i < TURNS; i++) {
				sum = sum * 5 + i;
				if (i >= TURNS - 8)
					wrong += out[(b * 8 + i % 8) * 32 + t] != sum;
			}
		}
	printf("stores: %u wrong\n", wrong);
	wrong = 0;
	loads<<<BLOCKS, 32>>>(in, out);
	cudaDeviceSynchronize();
	for (unsigned b = 0; b < BLOCKS; b++)
		for (unsigned t = 0; t < 32; t++) {
			unsigned sum = 0;
			for (int i = 0; i < TURNS; i++)
				sum = sum * 3 + in[(i % TILES) * 32 + t];
			wrong += out[b * 32 + t] != sum;
		}
	printf("loads: %u wrong\n", wrong);
}
