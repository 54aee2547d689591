// One warp copies pieces of 1024 bytes and computes on each: `serial` has a piece brought when it is done with the one before,
// `ahead` while it computes. `open` expects as many bytes as it is told. `kept` leaves a group of stores in flight at its wait.
#include "bulk-pieces.h"
#include <cstdio>

enum { PIECES = 6, BYTES = 1024 };
__device__ float work(float x)
{
	for (int i = 0; i < 400; i++)
		x = x * 0.5f + 1;
	return x;
}

template <int STAGES> __device__ void pieces(const float *in, float *out)
{
	__shared__ alignas(128) float tile[STAGES][BYTES / 4];
	__shared__ unsigned long long bar[STAGES];
	float sum = 0;
	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES; s++)
			init(&bar[s]);
	__syncwarp();
	for (int i = 1 - STAGES; i < PIECES; i++) {
		int next = i + STAGES - 1;
		if (next < PIECES && threadIdx.x == 0)
			load(tile[next % STAGES], in + next * (BYTES / 4), BYTES, &bar[next % STAGES]);
		if (i < 0)
			continue;
		wait(&bar[i % STAGES], i / STAGES & 1);
		sum += work(tile[i % STAGES][threadIdx.x]);
		__syncwarp();
	}
	out[threadIdx.x] = sum;
}
__global__ void serial(const float *in, float *out) { pieces<1>(in, out); }
__global__ void ahead(const float *in, float *out) { pieces<2>(in, out); }

__global__ void open(const float *in, float *out, unsigned bytes)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	init(&bar);
	load(tile, in, bytes, &bar);
	wait(&bar, 0);
	*out = *tile;
}

__global__ void kept(float *out)
{
	__shared__ alignas(128) float tile[2][64];
	for (int i = 0; i < 2; i++) {
		tile[i][0] = 1;
		asm volatile("fence.proxy.async.shared::cta; cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256; cp.async.bulk.commit_group;" ::"l"(out + 64 * i), "r"(at(tile[i])) : "memory");
		asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
	}
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
	float *in, *out;
	cudaMallocManaged(&in, 2 * PIECES * BYTES);
	cudaMallocManaged(&out, BYTES);
	serial<<<2, 32>>>(in, out);
	ahead<<<2, 32>>>(in + PIECES * BYTES / 4, out);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
