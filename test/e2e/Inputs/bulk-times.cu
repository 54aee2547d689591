// Cycles of copies in bulk from L2 and to another block, by hand in bulk-times.test: what each takes with its barrier's wait.
#include <cstdio>
#include <cuda.h>

__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void expect(unsigned bar, unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory"); }
__device__ void wait(unsigned bar, unsigned parity)
{
	asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void load(unsigned to, const void *from, unsigned bytes, unsigned bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}

__global__ void __cluster_dims__(2, 1, 1) times(const __grid_constant__ CUtensorMap map, const char *from, unsigned *out)
{
	__shared__ alignas(128) char tile[4096];
	__shared__ unsigned long long word;
	unsigned to = at(tile), bar = at(&word), rank, parity = 0;
	asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(bar) : "memory");
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
	if (rank == 0)
		for (int round = 0; round < 2; round++) { // the second has all of it in L2
			for (int what = 0; what < 5; what++) {
				unsigned bytes = what == 0 ? 16 : what == 2 ? 32 : 1024, begin, end;
				expect(bar, bytes);
				asm volatile("mov.u32 %0, %%clock;" : "=r"(begin) :: "memory");
				if (what < 2)
					load(to, from, bytes, bar);
				if (what == 2) {
					load(to, from, 16, bar);
					load(to + 16, from, 16, bar);
				}
				if (what == 3) // 16 rows of 64 bytes
					asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(to), "l"(&map), "r"(0), "r"(bar) : "memory");
				if (what == 4)
					asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 1024, [%2], %3;" ::"r"(to), "l"(from), "r"(bar), "h"((short)1) : "memory");
				wait(bar, parity);
				asm volatile("mov.u32 %0, %%clock;" : "=r"(end) :: "memory");
				parity ^= 1;
				out[what] = end - begin;
			}
		}
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
	if (rank == 1) {
		unsigned peer, there;
		asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(peer) : "r"(to));
		asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(bar));
		asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 4096, [%2];" ::"r"(peer), "r"(to), "r"(there) : "memory");
	} else {
		unsigned begin, end;
		expect(bar, 4096);
		asm volatile("mov.u32 %0, %%clock;" : "=r"(begin) :: "memory");
		wait(bar, parity);
		asm volatile("mov.u32 %0, %%clock;" : "=r"(end) :: "memory");
		out[5] = end - begin;
	}
	asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

int main()
{
	CUtensorMap map;
	char *from;
	unsigned *out;
	cudaMalloc(&from, 8192);
	cudaMallocManaged(&out, 6 * sizeof *out);
	cuuint64_t size[] = {128, 64}, stride[] = {128};
	cuuint32_t box[] = {64, 16}, step[] = {1, 1};
	cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, from, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	times<<<2, 1>>>(map, from, out);
	cudaError_t error = cudaDeviceSynchronize();
	printf("16 %u 1024 %u pair %u box %u cast %u sent %u %s\n", out[0], out[1], out[2], out[3], out[4], out[5], cudaGetErrorString(error));
}
