// Copies in bulk of bytes side by side: to shared memory and back, reductions, to other blocks of a cluster; their groups.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

typedef unsigned long long barrier_t;
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(barrier_t *bar, unsigned count)
{
	asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(bar)), "r"(count) : "memory");
	asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ void expect(barrier_t *bar, unsigned bytes)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
}
__device__ void wait(barrier_t *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}
__device__ void load(void *to, const void *from, unsigned bytes, barrier_t *bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), "r"(bytes), "r"(at(bar)) : "memory");
}
__device__ void store(void *to, const void *from, unsigned bytes)
{
	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory");
}
#define COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_GROUP(n) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")

// Each block doubles its kilobyte through shared memory; what a thread reads before it waits is what was there before.
__global__ void doubled(int *out, const int *in, int *early)
{
	__shared__ alignas(128) int tile[256];
	__shared__ barrier_t bar;
	in += 256 * blockIdx.x;
	tile[threadIdx.x] = -1;
	if (threadIdx.x == 0)
		init(&bar, 1);
	__syncthreads();
	if (threadIdx.x == 0) {
		PROXY_FENCE();
		expect(&bar, sizeof tile);
		load(tile, in, sizeof tile, &bar);
		early[blockIdx.x] = *(volatile int *)&tile[7];
	}
	wait(&bar, 0);
	tile[threadIdx.x] *= 2;
	PROXY_FENCE();
	__syncthreads();
	if (threadIdx.x == 0) {
		store(out + 256 * blockIdx.x, tile, sizeof tile);
		COMMIT();
		WAIT_GROUP(0);
	}
}

// Sources may be overwritten when they have been read: groups A, B and C of one source that changes.
__global__ void groups(int *out)
{
	__shared__ alignas(128) int tile[3][64];
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < 3; k++)
			tile[k][i] = 100 * k + i;
	PROXY_FENCE();
	for (int k = 0; k < 3; k++) {
		store(out + 64 * k, tile[k], sizeof tile[k]);
		COMMIT();
	}
	WAIT_READ(1);
	for (int i = 0; i < 128; i++)
		tile[0][i] = -1;
	WAIT_GROUP(0);
	out[192] = out[191] + out[0]; // 263
}

// 64 threads that each reduce 16 bytes: sums, largest, bits.
__global__ void reduced(float *sum, int *most, unsigned *bits, __half *halves, unsigned long long *wide)
{
	__shared__ alignas(16) float f[64][4];
	__shared__ alignas(16) int s[64][4];
	__shared__ alignas(16) unsigned u[64][4];
	__shared__ alignas(16) __half h[64][8];
	__shared__ alignas(16) unsigned long long d[64][2];
	unsigned i = threadIdx.x;
	for (int k = 0; k < 4; k++) {
		f[i][k] = i;
		s[i][k] = k % 2 ? (int)i : -(int)i;
		u[i][k] = 1u << (i % 32);
	}
	for (int k = 0; k < 8; k++)
		h[i][k] = __float2half(0.5f);
	d[i][0] = d[i][1] = 1ull << 33;
	PROXY_FENCE();
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 16;" ::"l"(sum), "r"(at(f[i])) : "memory");
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.s32 [%0], [%1], 16;" ::"l"(most), "r"(at(s[i])) : "memory");
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], 16;" ::"l"(bits), "r"(at(u[i])) : "memory");
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], 16;" ::"l"(halves), "r"(at(h[i])) : "memory");
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u64 [%0], [%1], 16;" ::"l"(wide), "r"(at(d[i])) : "memory");
	COMMIT();
	WAIT_GROUP(0);
}

// A cluster of four: rank 1 loads a kilobyte for ranks 0, 1 and 3 at once; then rank 3 sends its first 512 bytes to rank 2, and
// adds them to the second 512 there.
__global__ void __cluster_dims__(4, 1, 1) spread(const int *in, int *out, unsigned *phases)
{
	__shared__ alignas(128) int tile[256];
	__shared__ barrier_t bar, sent;
	namespace cg = cooperative_groups;
	cg::cluster_group cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), over;
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
		tile[i] = -1;
	if (threadIdx.x == 0) {
		init(&bar, 1);
		init(&sent, 1);
		if (rank != 2)
			expect(&bar, 1024);
		else
			expect(&sent, 1024);
	}
	PROXY_FENCE();
	cluster.sync();
	if (rank == 1 && threadIdx.x == 0)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(at(tile)), "l"(in), "r"(1024), "r"(at(&bar)), "h"((short)0xb) : "memory");
	if (rank != 2)
		wait(&bar, 0);
	if (rank == 3 && threadIdx.x == 0) {
		unsigned to, there;
		asm("mapa.shared::cluster.u32 %0, %1, 2;" : "=r"(to) : "r"(at(tile)));
		asm("mapa.shared::cluster.u32 %0, %1, 2;" : "=r"(there) : "r"(at(&sent)));
		asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "r"(at(tile)), "r"(512), "r"(there) : "memory");
		asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%0], [%1], %2, [%3];" ::"r"(to + 512), "r"(at(tile)), "r"(512), "r"(there) : "memory");
	}
	if (rank == 2)
		wait(&sent, 0);
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(at(&bar)) : "memory");
	if (threadIdx.x == 0)
		phases[rank] = over;
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
		out[256 * rank + i] = tile[i];
	cluster.sync();
}

__global__ void prefetched(const int *in)
{
	asm volatile("cp.async.bulk.prefetch.L2.global [%0], 4096;" ::"l"(in) : "memory");
}

// The second block has been waiting for the first one for long when its bytes come.
__global__ void __cluster_dims__(2, 1, 1) idle(const int *in, int *out)
{
	__shared__ alignas(128) int tile[256];
	__shared__ barrier_t bar;
	namespace cg = cooperative_groups;
	cg::cluster_group cluster = cg::this_cluster();
	if (threadIdx.x == 0) {
		init(&bar, 1);
		expect(&bar, 1024);
	}
	cluster.sync();
	if (cluster.block_rank() == 0) {
		for (unsigned from = clock(); clock() - from < 2000;)
			;
		if (threadIdx.x == 0)
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(at(tile)), "l"(in), "r"(1024), "r"(at(&bar)), "h"((short)3) : "memory");
		wait(&bar, 0);
	}
	cluster.sync();
	wait(&bar, 0);
	for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
		out[256 * cluster.block_rank() + i] = tile[i];
}

int main(int argc, char **argv)
{
	bool timed = argc > 1;
	int wrong = 0, *in, *out;
	unsigned *phases;
	cudaMallocManaged(&in, 4096 * sizeof *in);
	cudaMallocManaged(&out, 4096 * sizeof *out);
	cudaMallocManaged(&phases, 4 * sizeof *phases);
	for (int i = 0; i < 4096; i++)
		in[i] = 3 * i + 1;
	doubled<<<8, 256>>>(out, in, out + 2048);
	cudaDeviceSynchronize();
	for (int i = 0; i < 2048; i++)
		wrong += out[i] != 2 * in[i];
	for (int i = 0; i < 8; i++)
		wrong += timed && out[2048 + i] != -1;
	printf("doubled: %d wrong\n", wrong);
	groups<<<1, 1>>>(out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 192; i++)
		wrong += out[i] != i / 64 * 100 + i % 64;
	wrong += out[192] != 263;
	printf("groups: %d wrong\n", wrong);
	memset(out, 0, 4096 * sizeof *out);
	reduced<<<1, 64>>>((float *)out, out + 4, (unsigned *)out + 8, (__half *)(out + 12), (unsigned long long *)(out + 16));
	cudaDeviceSynchronize();
	for (int k = 0; k < 4; k++)
		wrong += ((float *)out)[k] != 2016 || out[4 + k] != (k % 2 ? 63 : 0) || out[8 + k] != -1;
	for (int k = 0; k < 8; k++)
		wrong += __half2float(((__half *)(out + 12))[k]) != 32;
	wrong += ((unsigned long long *)(out + 16))[0] != 1ull << 39 || ((unsigned long long *)(out + 16))[1] != 1ull << 39;
	printf("reduced: %d wrong\n", wrong);
	spread<<<4, 64>>>(in, out, phases);
	cudaDeviceSynchronize();
	for (int rank = 0; rank < 4; rank++)
		for (int i = 0; i < 256; i++)
			wrong += out[256 * rank + i] != (rank != 2 ? in[i] : i < 128 ? in[i] : in[i - 128] - 1);
	wrong += phases[0] != 1 || phases[1] != 1 || phases[2] != 0 || phases[3] != 1;
	prefetched<<<1, 1>>>(in);
	cudaDeviceSynchronize();
	memset(out, 0, 2048);
	idle<<<2, 64>>>(in, out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 512; i++)
		wrong += out[i] != in[i % 256];
	printf("bulk: %d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
	return wrong != 0;
}
