// Copies in bulk that cannot be.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

__global__ void wrong(const __grid_constant__ CUtensorMap map, const CUtensorMap *none, char *p, int which)
{
	__shared__ alignas(128) char tile[1024];
	__shared__ unsigned long long bar;
	unsigned to = at(tile), b = at(&bar);
	const CUtensorMap *of = which == 1 ? none : &map;
	unsigned bytes = which == 3 ? 8 : which == 6 ? 8192 : which == 7 ? 4096 : 16;
	if (which != 8)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(b) : "memory");
	if (which <= 2)
		asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(to), "l"(of), "r"(0), "r"(b) : "memory");
	else if (which == 10)
		asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2, %2, %2, %2}], [%3];" ::"r"(to), "l"(of), "r"(300), "r"(b) : "memory");
	else if (which == 11)
		asm volatile("cp.async.bulk.prefetch.tensor.5d.L2.global.tile [%0, {%1, %1, %1, %1, %1}];" ::"l"(of), "r"(300) : "memory");
	else if (which == 5)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 16, [%2], %3;" ::"r"(to), "l"(p), "r"(b), "h"((short)2) : "memory");
	else
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(p + (which == 4)), "r"(bytes), "r"(b) : "memory");
	if (which == 9) { // twice as many bytes as come
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 32;" ::"r"(b) : "memory");
		asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra again;\n}" ::"r"(b) : "memory");
	}
	if (which == 8)
		asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" ::"r"(b) : "memory");
}

int main(int, char **argv)
{
	CUtensorMap map, *none;
	char *p;
	cudaMalloc(&p, 4096);
	cudaMallocManaged(&none, sizeof *none);
	int which = atoi(argv[1]), rank = which < 10 ? 1 : 5;
	cuuint64_t size[] = {4096, 256, 256, 256, 256}, stride[] = {4096, 1 << 16, 1 << 24, 1ull << 32};
	cuuint32_t box[] = {which < 10 ? 64u : 256u, 256, 256, 256, 256}, step[] = {1, 1, 1, 1, 1};
	cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, rank, p, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	wrong<<<1, 1>>>(map, none, p, which);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
