/*
 * bulk: copies in bulk (compute capability 9.0).
 * bulk.chase: core cycles of a link of a chain in L2, of 16 bytes, by copies to shared memory with a barrier; bulk.chase.ld:
 * by loads. bulk.gap: core cycles from one copy of 16 bytes that a thread issues to the next.
 * mbarrier.arrive-wait: core cycles of an arrival that expects no bytes, and a wait for it; mbarrier.limit: of a wait that nobody
 * ends and that has no limit of its own.
 * bulk.stream.BYTES.BLOCKS: GB/s of copies of so many bytes from memory, one after the other in each of BLOCKS blocks an SM;
 * bulk.box.XxY.BLOCKS: the same of boxes of floats of a tensor.
 * bulk.pair.l2, bulk.pair.memory: core cycles of two copies of 16 KB and the wait for both, in each of 128 blocks.
 * bulk.l2: GB/s of copies of 8 KB from L2, sixteen of them in flight in one block of each SM.
 * bulk.multicast: core cycles that a copy of 4 KB to all eight blocks of a cluster takes longer than one to its own block.
 * bulk.ring.N: bytes a cycle that N blocks of a cluster together copy, each from its shared memory to the next one's.
 * Other devices have no such rows.
 */
#include "micro.h"

#include <cuda.h>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define BULK 1
#endif

#define LINKS 1024 /* of a chain, 128 bytes apart */
#define APART 16   /* 8 bytes each */
#define TENSOR_X 2048

static __device__ __forceinline__ unsigned at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ __forceinline__ void init(unsigned long long *bar)
{
#if BULK
	asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(at(bar)) : "memory");
#endif
}

static __device__ __forceinline__ void inval(unsigned long long *bar)
{
#if BULK
	asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at(bar)) : "memory");
#endif
}

static __device__ __forceinline__ void expect(unsigned long long *bar, unsigned bytes)
{
#if BULK
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "r"(bytes) : "memory");
#endif
}

static __device__ __forceinline__ void wait(unsigned long long *bar, unsigned parity)
{
#if BULK
	asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(at(bar)),
		     "r"(parity)
		     : "memory");
#endif
}

static __device__ __forceinline__ void copy(void *to, const void *from, unsigned bytes, unsigned long long *bar)
{
#if BULK
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)),
		     "l"(from), "r"(bytes), "r"(at(bar))
		     : "memory");
#endif
}

static __device__ __forceinline__ void copy_box(void *to, const CUtensorMap *map, int x, int y, unsigned long long *bar)
{
#if BULK
	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(to)),
		     "l"(map), "r"(x), "r"(y), "r"(at(bar))
		     : "memory");
#endif
}

__global__ void chase(const unsigned long long *words, int links, bool copies, long long *cycles, unsigned *out)
{
	__shared__ alignas(16) unsigned long long word[2];
	__shared__ unsigned long long bar;
	const unsigned long long *p = words;
	unsigned parity = 0;
	init(&bar);
	for (int i = 0; i < LINKS; i++) /* into L2 */
		p = (const unsigned long long *)__ldcg(p);
	long long start = clock64();
	for (int i = 0; i < links; i++) {
		if (!copies) {
			p = (const unsigned long long *)__ldcg(p);
			continue;
		}
		expect(&bar, 16);
		copy(word, p, 16, &bar);
		wait(&bar, parity);
		parity ^= 1;
		p = (const unsigned long long *)*(volatile unsigned long long *)word;
	}
	*cycles = clock64() - start;
	*out = (unsigned)(size_t)p;
}

__global__ void gap(const unsigned long long *words, int copies, long long *cycles)
{
	__shared__ alignas(16) unsigned long long word[2];
	__shared__ unsigned long long bar;
	init(&bar);
	expect(&bar, 16 * (unsigned)copies);
	long long start = clock64();
	for (int i = 0; i < copies; i++)
		copy(word, words, 16, &bar);
	wait(&bar, 0);
	*cycles = clock64() - start;
}

static __device__ __forceinline__ void try_once(unsigned long long *bar)
{
#if BULK
	asm volatile("{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n}" ::"r"(at(bar)) : "memory");
#endif
}

enum { ARRIVE_WAIT, LIMIT };
/* Without a loop around them. The first time brings the code into the caches. */
template <int what, int times>
__global__ void barriers(long long *cycles)
{
	__shared__ unsigned long long bar;
	for (int round = 0; round < 2; round++) {
		init(&bar);
		long long start = clock64();
#pragma unroll
		for (int i = 0; i < times; i++) {
			if (what == LIMIT) {
				try_once(&bar);
				continue;
			}
			expect(&bar, 0);
			wait(&bar, i & 1);
		}
		*cycles = clock64() - start;
		inval(&bar);
	}
}

/* Each block takes every gridDim.x-th piece. */
__global__ void stream(const char *from, unsigned bytes, int pieces)
{
	extern __shared__ __align__(128) char buffer[];
	__shared__ unsigned long long bar;
	init(&bar);
	for (int i = 0; i < pieces; i++) {
		expect(&bar, bytes);
		copy(buffer, from + ((size_t)i * gridDim.x + blockIdx.x) * bytes, bytes, &bar);
		wait(&bar, i & 1);
	}
}

__global__ void boxes(const __grid_constant__ CUtensorMap map, int x, int y, int pieces)
{
	extern __shared__ __align__(128) char buffer[];
	__shared__ unsigned long long bar;
	init(&bar);
	for (int i = 0; i < pieces; i++) {
		int piece = i * gridDim.x + blockIdx.x;
		expect(&bar, 4 * x * y);
		copy_box(buffer, &map, piece % (TENSOR_X / x) * x, piece / (TENSOR_X / x) * y, &bar);
		wait(&bar, i & 1);
	}
}

#define STAGES 16
#define STAGE 8192

/* Each block reads the same 128 KB again and again. */
__global__ void from_l2(const char *from, int turns)
{
	extern __shared__ __align__(128) char buffer[];
	__shared__ unsigned long long bars[STAGES];
	for (int s = 0; s < STAGES; s++)
		init(&bars[s]);
	for (int i = 0; i < (turns + 1) * STAGES; i++) {
		int s = i % STAGES, turn = i / STAGES;
		if (turn)
			wait(&bars[s], (turn - 1) & 1);
		if (turn == turns)
			continue;
		expect(&bars[s], STAGE);
		copy(buffer + s * STAGE, from + ((size_t)blockIdx.x * STAGES + s) * STAGE, STAGE, &bars[s]);
	}
}

#define PAIR 32768 /* bytes */
#define PAIRS 128  /* blocks */

/* From the same place again and again, or from one that is new. */
__global__ void pairs(const char *from, int turns, bool again)
{
	extern __shared__ __align__(128) char buffer[];
	__shared__ unsigned long long bar;
	init(&bar);
	for (int i = 0; i < turns; i++) {
		const char *piece = from + ((size_t)(again ? 0 : i) * gridDim.x + blockIdx.x) * PAIR;
		expect(&bar, PAIR);
		copy(buffer, piece, PAIR / 2, &bar);
		copy(buffer + PAIR / 2, piece + PAIR / 2, PAIR / 2, &bar);
		wait(&bar, i & 1);
	}
}

static __device__ __forceinline__ void meet()
{
#if BULK
	asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#endif
}

static __device__ __forceinline__ void copy_to_all(void *to, const void *from, unsigned bytes, unsigned long long *bar, unsigned blocks)
{
#if BULK
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(at(to)),
		     "l"(from), "r"(bytes), "r"(at(bar)), "h"((unsigned short)blocks)
		     : "memory");
#endif
}

/* The second of two copies of the same bytes, which are in L2 then. */
__global__ void multicast(const char *from, bool all, long long *cycles)
{
	__shared__ __align__(128) char buffer[4096];
	__shared__ unsigned long long bar;
	init(&bar);
	meet();
	for (int i = 0; i < 2; i++) {
		long long start = clock64();
		if (all || blockIdx.x == 0)
			expect(&bar, sizeof buffer);
		if (blockIdx.x == 0) {
			if (all)
				copy_to_all(buffer, from, sizeof buffer, &bar, 0xff);
			else
				copy(buffer, from, sizeof buffer, &bar);
		}
		if (all || blockIdx.x == 0)
			wait(&bar, i & 1);
		if (blockIdx.x == 0)
			*cycles = clock64() - start;
		meet();
	}
}

static __device__ __forceinline__ void copy_on(void *to, const void *from, unsigned bytes, unsigned long long *bar, unsigned rank)
{
#if BULK
	asm volatile("{\n.reg .u32 there, done;\nmapa.shared::cluster.u32 there, %0, %4;\nmapa.shared::cluster.u32 done, %3, %4;\n"
		     "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [there], [%1], %2, [done];\n}" ::"r"(at(to)),
		     "r"(at(from)), "r"(bytes), "r"(at(bar)), "r"(rank)
		     : "memory");
#endif
}

__global__ void ring(int copies, long long *cycles)
{
	__shared__ __align__(128) char from[STAGE], to[STAGE];
	__shared__ unsigned long long bar;
	init(&bar);
	expect(&bar, STAGE * copies);
	meet();
	long long start = clock64();
	for (int i = 0; i < copies; i++)
		copy_on(to, from, STAGE, &bar, (blockIdx.x + 1) % gridDim.x);
	wait(&bar, 0);
	if (blockIdx.x == 0)
		*cycles = clock64() - start;
	meet();
}

template <typename... T> static double cycles_of(long long *cycles, void (*kernel)(T...), unsigned blocks, T... args)
{
	micro_launch_cluster(kernel, blocks, 1, args...);
	return (double)micro_read(cycles);
}

static CUtensorMap map_of(void *p, size_t bytes, unsigned x, unsigned y)
{
	CUtensorMap map;
	cuuint64_t size[] = {TENSOR_X, bytes / TENSOR_X / 4}, stride[] = {TENSOR_X * 4};
	cuuint32_t box[] = {x, y}, step[] = {1, 1};
	if (cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, p, size, stride, box, step,
				   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
				   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
		fprintf(stderr, "the tensor's map was refused\n");
	return map;
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "bulk [PREFIX...]: copies in bulk");
	if (!micro_listing && micro_device().major < 9)
		return 0;
	const size_t room = (size_t)1 << 30;
	long long *cycles = micro_listing ? NULL : micro_device_array<long long>(1);
	unsigned *out = micro_listing ? NULL : micro_device_array<unsigned>(1);
	char *memory = micro_listing ? NULL : micro_device_array<char>(room);
	const unsigned long long *chain = (const unsigned long long *)memory;
	if (!micro_listing) {
		unsigned long long *words = (unsigned long long *)calloc(LINKS * APART, 8);
		for (int i = 0; i < LINKS; i++)
			words[i * APART] = (unsigned long long)(chain + (i + 1) % LINKS * APART);
		CHECK(cudaMemcpy(memory, words, LINKS * APART * 8, cudaMemcpyHostToDevice));
		free(words);
	}
	for (int copies = 1; copies >= 0; copies--) {
		const char *name = copies ? "bulk.chase" : "bulk.chase.ld";
		double took[2];
		if (!micro_wanted(name))
			continue;
		for (int i = 0; i < 2 && !micro_listing; i++) {
			chase<<<1, 1>>>(chain, 64 << i, copies, cycles, out);
			took[i] = (double)micro_read(cycles);
		}
		micro_row(name, (took[1] - took[0]) / 64, "cycles");
	}
	if (micro_wanted("bulk.gap")) {
		double took[2];
		for (int i = 0; i < 2 && !micro_listing; i++) {
			gap<<<1, 1>>>(chain, 32 << i, cycles);
			took[i] = (double)micro_read(cycles);
		}
		micro_row("bulk.gap", (took[1] - took[0]) / 32, "cycles");
	}
	void (*const waits[][2])(long long *) = {{barriers<ARRIVE_WAIT, 8>, barriers<ARRIVE_WAIT, 16>},
						 {barriers<LIMIT, 8>, barriers<LIMIT, 16>}};
	static const char *const wait_names[] = {"mbarrier.arrive-wait", "mbarrier.limit"};
	for (int what = ARRIVE_WAIT; what <= LIMIT; what++) {
		double took[2];
		if (!micro_wanted(wait_names[what]))
			continue;
		for (int i = 0; i < 2; i++) {
			waits[what][i]<<<1, 1>>>(cycles);
			took[i] = (double)micro_read(cycles);
		}
		micro_row(wait_names[what], (took[1] - took[0]) / 8, "cycles");
	}
	if (micro_wanted("bulk.multicast"))
		micro_row("bulk.multicast",
			  cycles_of(cycles, multicast, 8, (const char *)memory, true, cycles) -
				  cycles_of(cycles, multicast, 8, (const char *)memory, false, cycles),
			  "cycles");
	char name[48];
	for (unsigned blocks = 2; blocks <= 16; blocks *= 2) {
		snprintf(name, sizeof name, "bulk.ring.%u", blocks);
		if (micro_wanted(name))
			micro_row(name, 8.0 * STAGE * blocks / (cycles_of(cycles, ring, blocks, 16, cycles) - cycles_of(cycles, ring, blocks, 8, cycles)),
				  "bytes/cycle");
	}
	int sms = micro_listing ? 1 : micro_device().multiProcessorCount;
	if (micro_wanted("bulk.l2")) {
		CHECK(cudaFuncSetAttribute((const void *)from_l2, cudaFuncAttributeMaxDynamicSharedMemorySize, STAGES * STAGE));
		double took[2];
		for (int i = 0; i < 2; i++)
			took[i] = micro_cycles([&] { from_l2<<<sms, 1, STAGES * STAGE>>>(memory, 2 + 2 * i); });
		micro_row("bulk.l2", 2.0 * STAGES * STAGE * sms / ((took[1] - took[0]) / micro_core_mhz()) / 1e3, "GB/s");
	}
	const size_t first = (size_t)sms * STAGES * STAGE; /* behind bulk.l2's memory, which is in L2 */
	size_t used = first; /* each launch has memory of its own, until all is used up */
	size_t far = room / 2; /* memory that the streams below do not come to */
	for (int again = 1; again >= 0; again--) {
		const char *pair = again ? "bulk.pair.l2" : "bulk.pair.memory";
		double took[2] = {0, 0};
		if (!micro_wanted(pair))
			continue;
		for (int i = 0; i < 2 && !micro_listing; i++) {
			took[i] = micro_cycles([&] {
				pairs<<<PAIRS, 1, PAIR>>>(memory + far, 6 << i, again);
				far += again ? 0 : (size_t)(6 << i) * PAIRS * PAIR;
			});
		}
		micro_row(pair, (took[1] - took[0]) / 6, "cycles");
	}
	const unsigned side[] = {16, 32, 64};
	for (unsigned box = 0; box < 2; box++)
		for (unsigned k = 0; k < (box ? 3u : 5u); k++)
			for (int blocks = 1; blocks <= 2; blocks++) {
				unsigned bytes = box ? side[k] * side[k] * 4 : 1024u << k;
				if (box)
					snprintf(name, sizeof name, "bulk.box.%ux%u.%d", side[k], side[k], blocks);
				else
					snprintf(name, sizeof name, "bulk.stream.%u.%d", bytes, blocks);
				if (!micro_wanted(name))
					continue;
				const int pieces = bytes < 4096 ? 16 : 8;
				double took[2] = {0, 0};
				for (int i = 0; i < 2 && !micro_listing; i++)
					took[i] = micro_cycles([&] {
						int n = pieces << i;
						size_t all = (size_t)n * bytes * sms * blocks;
						size_t begin = used + all > room ? first : used;
						used = (begin + all + (1u << 20) - 1) / (1u << 20) * (1u << 20);
						if (box)
							boxes<<<sms * blocks, 1, bytes>>>(map_of(memory + begin, room - begin, side[k], side[k]), side[k], side[k], n);
						else
							stream<<<sms * blocks, 1, bytes>>>(memory + begin, bytes, n);
					});
				double moved = (double)bytes * sms * blocks * pieces;
				micro_row(name, moved / ((took[1] - took[0]) / micro_core_mhz()) / 1e3, "GB/s");
			}
	return 0;
}
