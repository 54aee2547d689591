// Small kernels with one right output, each worked out by hand: where swizzles put pieces of 16 bytes, counters of a copy to
// several blocks and of atomics in another one, groups of stores, st.async, elect.sync, and what is launched before the end
// of the kernel that it depends on. hopper-examples NAME [WRONG]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>

typedef unsigned long long barrier_t;
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ unsigned mapped(const void *p, unsigned rank)
{
	unsigned there;
	asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(at(p)), "r"(rank));
	return there;
}
__device__ void init(barrier_t *bar) { asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;" ::"r"(at(bar)) : "memory"); }
__device__ void expect(barrier_t *bar, unsigned bytes) { asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory"); }
__device__ void wait(barrier_t *bar) { asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], 0;\n@!over bra again;\n}" ::"r"(at(bar)) : "memory"); }
__device__ unsigned is_over(barrier_t *bar)
{
	unsigned is;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "r"(at(bar)) : "memory");
	return is;
}
__device__ void meet() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__device__ void store(void *to, const void *from, unsigned bytes) { asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\ncp.async.bulk.commit_group;" ::"l"(to), "r"(at(from)), "r"(bytes) : "memory"); }

// The box, from `base` on in memory that is aligned to 1024.
__global__ void tile(const __grid_constant__ CUtensorMap map, unsigned base, unsigned bytes, unsigned *out)
{
	extern __shared__ __align__(1024) unsigned char memory[];
	__shared__ barrier_t bar;
	init(&bar);
	expect(&bar, bytes);
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(at(memory + base)), "l"(&map), "r"(0), "r"(at(&bar)) : "memory");
	wait(&bar);
	for (unsigned i = 0; i < 4096 / 4; i++)
		out[i] = ((unsigned *)memory)[i];
}

// Rank 1 loads a kilobyte for ranks 0, 1 and 3.
__global__ void __cluster_dims__(4) multicast(const char *in, unsigned *out)
{
	__shared__ alignas(128) unsigned words[256];
	__shared__ barrier_t bar;
	words[255] = 0;
	init(&bar);
	if (blockIdx.x != 2)
		expect(&bar, 1024);
	meet();
	if (blockIdx.x == 1)
		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 1024, [%2], %3;" ::"r"(at(words)), "l"(in), "r"(at(&bar)), "h"((short)0xb) : "memory");
	if (blockIdx.x != 2)
		wait(&bar);
	meet();
	out[2 * blockIdx.x] = is_over(&bar);
	out[2 * blockIdx.x + 1] = words[255];
}

// Eight bins, four in each of two blocks; 1: nothing is between their zeros and another block's values.
__global__ void __cluster_dims__(2) histogram(int *out, int wrong)
{
	__shared__ int bins[4];
	if (threadIdx.x < 4)
		bins[threadIdx.x] = 0;
	if (wrong)
		__syncthreads();
	else
		meet();
	unsigned bin = (blockIdx.x * 8 + threadIdx.x) % 8;
	asm volatile("red.shared::cluster.add.s32 [%0], 1;" ::"r"(mapped(&bins[bin % 4], bin / 4)) : "memory");
	meet();
	if (threadIdx.x < 4)
		out[4 * blockIdx.x + threadIdx.x] = bins[threadIdx.x];
}

// Groups A, B and C; of which the first `written` sources are written again when at most one group still reads.
__global__ void groups(int *out, int written)
{
	__shared__ alignas(128) int from[3][64];
	for (int i = 0; i < 192; i++)
		from[i / 64][i % 64] = i;
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	for (int k = 0; k < 3; k++)
		store(out + 64 * k, from[k], 256);
	asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
	for (int i = 0; i < 64 * written; i++)
		from[0][i] = -1;
	asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
	for (int k = 0; k < 3; k++)
		out[192 + k] = out[64 * k + 63];
}

// A word to the other block, whose barrier expects four bytes; and the lane that is elected of lanes 4 to 7.
__global__ void __cluster_dims__(2) small(unsigned *out)
{
	__shared__ unsigned word;
	__shared__ barrier_t bar;
	unsigned lane = threadIdx.x, peer = blockIdx.x ^ 1;
	if (!lane) {
		init(&bar);
		expect(&bar, 4);
	}
	meet();
	if (!lane)
		asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(mapped(&word, peer)), "r"(100 + blockIdx.x), "r"(mapped(&bar, peer)) : "memory");
	wait(&bar);
	if (!lane) {
		out[4 * blockIdx.x] = word;
		out[4 * blockIdx.x + 1] = is_over(&bar);
	}
	if (lane >= 4 && lane < 8) {
		unsigned first, is;
		asm volatile("{ .reg .pred p; elect.sync %0|p, 0xf0; selp.u32 %1, 1, 0, p; }" : "=r"(first), "=r"(is));
		if (is)
			out[4 * blockIdx.x + 2] = 10 * lane + first;
	}
	meet();
}

// Four matrices to shared memory and back: the same registers.
__global__ void matrices(unsigned *out)
{
	__shared__ alignas(16) unsigned words[32][4];
	unsigned lane = threadIdx.x, v[4], got[4];
	for (int i = 0; i < 4; i++)
		v[i] = 1000 * i + lane;
	asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at(words[lane])), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(got[0]), "=r"(got[1]), "=r"(got[2]), "=r"(got[3]) : "r"(at(words[lane])) : "memory");
	unsigned wrong = 0;
	for (int i = 0; i < 4; i++)
		wrong += got[i] != v[i];
	// Row r of matrix m is where lane 8 m + r said; lane l has words of row l / 4, column l % 4.
	for (int i = 0; i < 4; i++)
		wrong += words[8 * i + lane / 4][lane % 4] != v[i];
	out[lane] = wrong;
}

// The last block says that what depends on it may begin, and goes on for long.
__device__ unsigned long long now()
{
	unsigned long long ns;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
	return ns;
}
__global__ void first(volatile int *value, unsigned long long *end)
{
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
	if (blockIdx.x + 1 < gridDim.x)
		return;
	for (unsigned from = clock(); clock() - from < 20000;)
		;
	*value = 77;
	*end = now();
}
__global__ void second(const volatile int *value, unsigned long long *begin, int *seen)
{
	*begin = now();
	asm volatile("griddepcontrol.wait;" ::: "memory");
	*seen = *value;
}

static int wrong;
static void check(const char *what, bool good)
{
	if (!good)
		printf("%s: wrong\n", what);
	wrong += !good;
}

// 16 bytes as four words of one number: 256 row + chunk.
static unsigned *numbered;
static void swizzles(unsigned *out)
{
	static const struct { CUtensorMapSwizzle swizzle; unsigned row, base, y, count, at[8]; } all[] = {
		{CU_TENSOR_MAP_SWIZZLE_128B, 128, 0, 1, 8, {0x90, 0x80, 0xb0, 0xa0, 0xd0, 0xc0, 0xf0, 0xe0}},
		{CU_TENSOR_MAP_SWIZZLE_64B, 64, 0, 2, 4, {0x90, 0x80, 0xb0, 0xa0}},
		{CU_TENSOR_MAP_SWIZZLE_64B, 64, 0, 4, 4, {0x120, 0x130, 0x100, 0x110}},
		{CU_TENSOR_MAP_SWIZZLE_32B, 32, 0, 4, 2, {0x90, 0x80}},
		{CU_TENSOR_MAP_SWIZZLE_128B, 128, 0x480, 0, 1, {0x490}},
		{CU_TENSOR_MAP_SWIZZLE_128B, 128, 0x480, 1, 1, {0x520}},
		{CU_TENSOR_MAP_SWIZZLE_128B, 128, 0x480, 2, 1, {0x5b0}},
		{CU_TENSOR_MAP_SWIZZLE_128B, 128, 0x480, 3, 1, {0x640}},
	};
	for (const auto &one : all) {
		CUtensorMap map;
		cuuint64_t size[] = {one.row / 4, 16}, stride[] = {one.row};
		cuuint32_t box[] = {one.row / 4, 16}, step[] = {1, 1};
		for (unsigned i = 0; i < 16 * one.row / 4; i++)
			numbered[i] = i * 4 / one.row * 256 + i * 4 % one.row / 16;
		check("map", cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, numbered, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, one.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
		tile<<<1, 1, 4096>>>(map, one.base, 16 * one.row, out);
		cudaDeviceSynchronize();
		for (unsigned c = 0; c < one.count; c++)
			check("swizzle", out[one.at[c] / 4] == 256 * one.y + c && out[one.at[c] / 4 + 3] == 256 * one.y + c);
	}
	// Interleaved layouts are refused.
	CUtensorMap map;
	cuuint64_t size[] = {16, 16, 16}, stride[] = {64, 1024};
	cuuint32_t box[] = {4, 4, 4}, step[] = {1, 1, 1};
	check("interleaved", cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, numbered, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_16B, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS);
}

static void dependent(int *value, bool early)
{
	unsigned long long *times;
	cudaMallocManaged(&times, 16);
	*value = 0;
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = early;
	cudaLaunchConfig_t config = {};
	config.gridDim = config.blockDim = 1;
	config.attrs = &attribute;
	config.numAttrs = 1;
	cudaStreamCreate(&config.stream);
	first<<<2, 1, 0, config.stream>>>(value, times);
	cudaLaunchKernelEx(&config, second, (const volatile int *)value, times + 1, value + 1);
	cudaDeviceSynchronize();
	check("value", value[1] == 77);
	check("order", (times[1] < times[0]) == early);
}

int main(int, char **argv)
{
	const char *name = argv[1];
	int which = argv[2] ? atoi(argv[2]) : 0;
	unsigned *out;
	cudaMallocManaged(&out, 4096);
	cudaMallocManaged(&numbered, 4096);
	int *values = (int *)out;
	if (!strcmp(name, "swizzles"))
		swizzles(out);
	if (!strcmp(name, "multicast")) {
		for (int i = 0; i < 256; i++)
			numbered[i] = 7 * i;
		multicast<<<4, 1>>>((const char *)numbered, out);
		cudaDeviceSynchronize();
		for (int rank = 0; rank < 4; rank++)
			check("multicast", out[2 * rank] == (rank != 2) && out[2 * rank + 1] == (rank != 2 ? 7 * 255 : 0));
	}
	if (!strcmp(name, "histogram")) {
		histogram<<<2, 8>>>(values, which);
		cudaDeviceSynchronize();
		for (int i = 0; i < 8; i++)
			check("histogram", which || values[i] == 2);
	}
	if (!strcmp(name, "groups")) {
		groups<<<1, 1>>>(values, which);
		cudaDeviceSynchronize();
		for (int i = 0; i < 64 * 3; i++)
			check("groups", values[i] == i || (which > 2 && i >= 128));
		check("seen", values[192] == 63 && values[193] == 127 && (which > 2 || values[194] == 191));
	}
	if (!strcmp(name, "small")) {
		small<<<2, 32>>>(out);
		matrices<<<1, 32>>>(out + 8);
		cudaDeviceSynchronize();
		for (unsigned rank = 0; rank < 2; rank++)
			check("small", out[4 * rank] == 100 + (rank ^ 1) && out[4 * rank + 1] == 1 && out[4 * rank + 2] == 44);
		for (int lane = 0; lane < 32; lane++)
			check("matrices", out[8 + lane] == 0);
	}
	if (!strcmp(name, "dependent"))
		dependent(values, which);
	printf("%s: %d wrong, %s\n", name, wrong, cudaGetErrorString(cudaGetLastError()));
	return wrong != 0;
}
