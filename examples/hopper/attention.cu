/*
 * Attention, softmax(Q K^T / sqrt(DIM)) V, of halves, in the manner of FlashAttention-3 (Shah et al., arXiv 2407.08608). A block has
 * 128 rows of Q. One warpgroup copies tiles of K and V into shared memory (TMA), two have 64 rows each. A warpgroup's products of a
 * tile with K run beside those of the tile before with V, whose left factor, the softmax, is in registers; while one warpgroup
 * computes its softmax the other one has the tensor cores (barriers of both in turns).
 * attention [LENGTH [DIM [CAUSAL [HEADS]]]]: a multiple of 128; 64, 128 or 256; 1: row i sees columns up to i.
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <vector>

#include "bulk.cuh"

enum { ROWS = 128, GROUP_ROWS = 64, CONSUMERS = 2, THREADS = 128 * (1 + CONSUMERS) };
#ifndef STAGES
#define STAGES 2 /* tiles of K that have room, and as many of V */
#endif

/* Operands of products: as many registers of sums as columns / 2. */
#define NAMES_32 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
	"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
	"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_128 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
	"%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
	"%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
	"%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
	"%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
	"%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
	"%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
	"%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define FOUR(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define SIXTEEN(d, i) FOUR(d, i), FOUR(d, i + 4), FOUR(d, i + 8), FOUR(d, i + 12)
#define SUMS_32(d) SIXTEEN(d, 0), SIXTEEN(d, 16)
#define SUMS_64(d) SUMS_32(d), SIXTEEN(d, 32), SIXTEEN(d, 48)
#define SUMS_128(d) SUMS_64(d), SIXTEEN(d, 64), SIXTEEN(d, 80), SIXTEEN(d, 96), SIXTEEN(d, 112)
/* Both factors in shared memory, columns of the left one and rows of the right one side by side there; with the left one in
 * registers and the right one's columns side by side. */
#define PRODUCTS(columns, sums, a, b, adds, r0, r1, r2, r3, rb, radds)                                                      \
	static __device__ __forceinline__ void multiply(float (&d)[sums], uint64_t left, uint64_t right, int plus)          \
	{                                                                                                                   \
		asm volatile("{ .reg .pred p; setp.ne.b32 p, " adds ", 0;\n"                                                \
			     "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" NAMES_##sums "}, " a ", " b   \
			     ", p, 1, 1, 0, 0; }"                                                                           \
			     : SUMS_##sums(d)                                                                               \
			     : "l"(left), "l"(right), "r"(plus));                                                           \
	}                                                                                                                   \
	static __device__ __forceinline__ void multiply(float (&d)[sums], const uint32_t *left, uint64_t right, int plus)   \
	{                                                                                                                   \
		asm volatile("{ .reg .pred p; setp.ne.b32 p, " radds ", 0;\n"                                               \
			     "wgmma.mma_async.sync.aligned.m64n" #columns "k16.f32.f16.f16 {" NAMES_##sums "}, {" r0 ", " r1 \
			     ", " r2 ", " r3 "}, " rb ", p, 1, 1, 1; }"                                                     \
			     : SUMS_##sums(d)                                                                               \
			     : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(plus));              \
	}
PRODUCTS(64, 32, "%32", "%33", "%34", "%32", "%33", "%34", "%35", "%36", "%37")
PRODUCTS(128, 64, "%64", "%65", "%66", "%64", "%65", "%66", "%67", "%68", "%69")
PRODUCTS(256, 128, "%128", "%129", "%130", "%128", "%129", "%130", "%131", "%132", "%133")

static __device__ __forceinline__ void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Left> static __device__ __forceinline__ void wait_products()
{
	asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

/* Tiles lie in boxes of 64 columns, whose rows have 128 bytes, chunks of 16 permuted over 128; blocks of eight rows are 1024 bytes
 * apart. `next`: bytes to the next box, where columns are the product's. */
static __device__ __forceinline__ uint64_t descriptor(uint32_t address, uint32_t next)
{
	return (uint64_t)(address >> 4) | (uint64_t)(next >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
}

/* Keeps the compiler from making all that depends on it in front of a loop, where it would stay in registers. */
static __device__ __forceinline__ uint32_t made_here(uint32_t x)
{
	asm volatile("" : "+r"(x));
	return x;
}

/* Of what lies so many bytes behind it. The lower word has the address alone that changes, so one addition makes it. */
static __device__ __forceinline__ uint64_t behind(uint64_t descriptor, uint32_t bytes)
{
	return (descriptor & 0xffffffff00000000) | (uint32_t)((uint32_t)descriptor + (bytes >> 4));
}

/* Turns: a warpgroup waits for its own, and gives the other one its. */
static __device__ __forceinline__ void wait_turn(unsigned group) { asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory"); }
static __device__ __forceinline__ void give_turn(unsigned group) { asm volatile("bar.arrive %0, 256;" ::"r"(1 + group) : "memory"); }

static __device__ __forceinline__ void meet(unsigned barrier, unsigned threads)
{
	asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

static __device__ __forceinline__ float power_of_two(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

static __device__ __forceinline__ uint32_t pack(float low, float high)
{
	__half2 both = __floats2half2_rn(low, high);
	return *(uint32_t *)&both;
}

template <int Dim> struct sizes {
	enum { KEYS = Dim == 256 ? 64 : 128, BOXES = Dim / 64, SUMS = Dim / 2, SCORES = KEYS / 2, DIAGONAL = ROWS / KEYS };
	enum { Q_BOX = GROUP_ROWS * 128, KEY_BOX = KEYS * 128, Q_BYTES = CONSUMERS * BOXES * Q_BOX, TILE_BYTES = BOXES * KEY_BOX };
};

/* Results leave from where V was, as many bytes as Q has. Rows to compute are handed on in a ring of two. */
template <int Dim> struct memory {
	static_assert(STAGES * sizes<Dim>::TILE_BYTES >= sizes<Dim>::Q_BYTES, "STAGES is too small: results leave from V's tiles, which have no room for them");
	uint8_t q[sizes<Dim>::Q_BYTES], k[STAGES][sizes<Dim>::TILE_BYTES], v[STAGES][sizes<Dim>::TILE_BYTES];
	barrier q_full, q_empty, k_full[STAGES], k_empty[STAGES], v_full[STAGES], v_empty[STAGES], results_out, next_full[2], next_empty[2];
	int next[2];
};

/* 128 rows of a head; of causal ones the last rows, which have most keys, come first. */
template <int Dim, bool Causal> struct item {
	int head, first_row, tiles;
	__device__ __forceinline__ item(int number, int length)
	{
		int blocks = length / ROWS;
		head = number / blocks;
		first_row = (Causal ? blocks - 1 - number % blocks : number % blocks) * ROWS;
		tiles = (Causal ? first_row + ROWS : length) / sizes<Dim>::KEYS;
	}
};

/* A place in a ring, and the parity of its turn. */
struct place {
	int slot, phase;
	__device__ __forceinline__ void next()
	{
		slot = slot + 1 == STAGES ? 0 : slot + 1;
		phase ^= slot == 0;
	}
};

template <int Dim> static __device__ __forceinline__ void load_tile(uint8_t *to, const CUtensorMap &map, int key, barrier &full)
{
	using s = sizes<Dim>;
	full.expect(s::TILE_BYTES);
#pragma unroll 1 /* its thread has few registers */
	for (int i = 0; i < s::BOXES; i++)
		load_box(to + i * s::KEY_BOX, map, i * 64, key, full);
}

/* One thread. Tiles of keys come from the last to the first, in the order in which they are multiplied: of K, with the one of V before it. */
template <int Dim, bool Causal>
static __device__ void produce(memory<Dim> *m, const CUtensorMap &q, const CUtensorMap &k, const CUtensorMap &v, int length, int items, int *counter)
{
	using s = sizes<Dim>;
	int number = blockIdx.x;
	place of_k{0, 1}, of_v{0, 1};
	for (int round = 0;; round++) {
		m->next_empty[round % 2].wait(round / 2 & 1 ^ 1);
		m->next[round % 2] = number;
		m->next_full[round % 2].arrive();
		if (number >= items)
			return;
		item<Dim, Causal> own(number, length);
		int row = own.head * length;
		for (int tile = 0; tile <= own.tiles; tile++) {
			if (tile < own.tiles) {
				m->k_empty[of_k.slot].wait(of_k.phase);
				load_tile<Dim>(m->k[of_k.slot], k, row + (own.tiles - 1 - tile) * s::KEYS, m->k_full[of_k.slot]);
				of_k.next();
			}
			if (tile == 0) {
				m->q_empty.wait(round & 1 ^ 1);
				m->q_full.expect(s::Q_BYTES);
#pragma unroll 1
				for (int i = 0; i < CONSUMERS * s::BOXES; i++)
					load_box(m->q + i * s::Q_BOX, q, i % s::BOXES * 64, row + own.first_row + i / s::BOXES * GROUP_ROWS, m->q_full);
			} else {
				if (tile == 1)
					m->results_out.wait(round & 1 ^ 1);
				m->v_empty[of_v.slot].wait(of_v.phase);
				load_tile<Dim>(m->v[of_v.slot], v, row + (own.tiles - tile) * s::KEYS, m->v_full[of_v.slot]);
				of_v.next();
			}
		}
		number = Causal ? gridDim.x + atomicAdd(counter, 1) : number + gridDim.x;
	}
}

/* Of a thread: two rows, eight apart. */
template <int Dim> struct softmax {
	float most[2], sum[2], less[2]; /* less: by what sums so far count less */
	__device__ __forceinline__ softmax() : most{-INFINITY, -INFINITY}, sum{0, 0}, less{0, 0} {}
	template <bool Masked> __device__ __forceinline__ void step(float (&score)[sizes<Dim>::SCORES], float scale)
	{
		constexpr int COUNT = sizes<Dim>::SCORES;
#pragma unroll
		for (int half = 0; half < 2; half++) {
			float now = most[half], added = 0;
#pragma unroll
			for (int j = 0; j < COUNT; j++)
				if (j / 2 % 2 == half)
					now = fmaxf(now, score[j]);
			now = fmaxf(now, __shfl_xor_sync(0xffffffff, now, 1));
			now = fmaxf(now, __shfl_xor_sync(0xffffffff, now, 2));
			float base = Masked && now == -INFINITY ? 0 : now * scale;
			less[half] = power_of_two(most[half] * scale - base);
			most[half] = now;
#pragma unroll
			for (int j = 0; j < COUNT; j++)
				if (j / 2 % 2 == half) {
					score[j] = power_of_two(score[j] * scale - base);
					added += score[j];
				}
			sum[half] = sum[half] * less[half] + added;
		}
	}
};

template <int Dim, bool Causal>
static __device__ void consume(memory<Dim> *m, const CUtensorMap &out, int length, int items)
{
	using s = sizes<Dim>;
	unsigned group = threadIdx.x / 128 - 1, lane = threadIdx.x % 128;
	uint64_t q = descriptor((uint32_t)__cvta_generic_to_shared(m->q) + group * s::BOXES * s::Q_BOX, 0);
	uint64_t k = descriptor((uint32_t)__cvta_generic_to_shared(m->k), 0);
	uint64_t v = descriptor((uint32_t)__cvta_generic_to_shared(m->v), s::KEY_BOX);
	int own_row = lane / 32 * 16 + lane % 32 / 4; /* of the group's */
	float score[s::SCORES], sum[s::SUMS];
	uint32_t weight[s::SCORES / 2];
	const float scale = 1.4426950408889634f / sqrtf(Dim);
	place here{0, 0}; /* of K's tile, and of V's where that is the same one */

	auto multiply_keys = [&] {
		uint64_t tile = behind(k, here.slot * s::TILE_BYTES), rows = behind(q, Dim == 256 ? made_here(0) : 0);
#pragma unroll
		for (int i = 0; i < Dim / 16; i++)
			multiply(score, behind(rows, i / 4 * s::Q_BOX + i % 4 * 32), behind(tile, i / 4 * s::KEY_BOX + i % 4 * 32), i);
		end_products();
	};
	auto multiply_values = [&](int before, bool adds) {
		uint64_t tile = behind(v, before * s::TILE_BYTES);
#pragma unroll
		for (int i = 0; i < s::KEYS / 16; i++)
			multiply(sum, weight + 4 * i, behind(tile, i * 2048), i || adds);
		end_products();
	};
	auto pack_weights = [&] {
#pragma unroll
		for (int j = 0; j < s::SCORES; j += 2)
			weight[j / 2] = pack(score[j], score[j + 1]);
	};

	for (int round = 0;; round++) {
		m->next_full[round % 2].wait(round / 2 & 1);
		int number = m->next[round % 2];
		if (number >= items)
			break;
		item<Dim, Causal> own(number, length);
		softmax<Dim> soft;
		auto hide = [&](int tile) {
			int past = own.first_row + (int)group * GROUP_ROWS + own_row - (own.tiles - 1 - tile) * s::KEYS - (int)lane % 4 * 2;
#pragma unroll
			for (int j = 0; j < s::SCORES; j++)
				if (j / 4 * 8 + j % 2 - j / 2 % 2 * 8 > past)
					score[j] = -INFINITY;
		};
		m->q_full.wait(round & 1);
		m->k_full[here.slot].wait(here.phase);
		begin_products();
		multiply_keys();
		if (group == 1 && own.tiles > 1)
			give_turn(0);
		wait_products<0>();
		if (lane == 0) {
			m->k_empty[here.slot].arrive();
			if (own.tiles == 1)
				m->q_empty.arrive();
		}
		if (Causal)
			hide(0);
		soft.template step<Causal>(score, scale);
		pack_weights();
		for (int tile = 1; tile < own.tiles; tile++) {
			place before = here;
			here.next();
			m->k_full[here.slot].wait(here.phase);
			wait_turn(group);
			begin_products();
			multiply_keys();
			m->v_full[before.slot].wait(before.phase);
			multiply_values(before.slot, tile > 1);
			if (group == 0 || tile + 1 < own.tiles)
				give_turn(group ^ 1);
			wait_products<1>();
			if (lane == 0) {
				m->k_empty[here.slot].arrive();
				if (tile + 1 == own.tiles)
					m->q_empty.arrive();
			}
			if (Causal && tile < s::DIAGONAL)
				hide(tile);
			soft.template step<(Causal && s::DIAGONAL > 1)>(score, scale);
			wait_products<0>();
			if (lane == 0)
				m->v_empty[before.slot].arrive();
#pragma unroll
			for (int i = 0; i < s::SUMS; i++)
				sum[i] *= soft.less[i / 2 % 2];
			pack_weights();
		}
		m->v_full[here.slot].wait(here.phase);
		begin_products();
		multiply_values(here.slot, own.tiles > 1);
#pragma unroll
		for (int half = 0; half < 2; half++) {
			soft.sum[half] += __shfl_xor_sync(0xffffffff, soft.sum[half], 1);
			soft.sum[half] += __shfl_xor_sync(0xffffffff, soft.sum[half], 2);
			soft.sum[half] = 1 / soft.sum[half];
		}
		wait_products<0>();
		if (lane == 0)
			m->v_empty[here.slot].arrive();
		here.next();
		meet(3, 128 * CONSUMERS); /* nobody reads V any more */
		uint8_t *boxes = m->v[0] + (Dim == 256 ? made_here(group) : group) * s::BOXES * s::Q_BOX;
#pragma unroll
		for (int i = 0; i < s::SUMS; i += 2) {
			unsigned byte = (own_row + i / 2 % 2 * 8) * 128 + (i / 4 * 8 + lane % 4 * 2) % 64 * 2;
			*(uint32_t *)(boxes + i / 32 * s::Q_BOX + swizzled(byte)) =
				pack(sum[i] * soft.sum[i / 2 % 2], sum[i + 1] * soft.sum[i / 2 % 2]);
		}
		publish_stores();
		meet(4 + group, 128);
		if (lane == 0) {
			m->next_empty[round % 2].arrive();
			for (int i = 0; i < s::BOXES; i++)
				store_box(out, i * 64, own.head * length + own.first_row + group * GROUP_ROWS, boxes + i * s::Q_BOX);
			end_group();
			wait_read<0>();
			m->results_out.arrive();
		}
	}
	if (lane == 0)
		wait_stores();
}

extern __shared__ __align__(1024) uint8_t shared[];

template <int Dim, bool Causal>
__global__ void __launch_bounds__(THREADS, 1)
	attend(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
	       const __grid_constant__ CUtensorMap out, int length, int items, int *counter)
{
	memory<Dim> *m = (memory<Dim> *)shared;
	if (threadIdx.x == 0) {
		m->q_full.init(1);
		m->q_empty.init(CONSUMERS);
		m->results_out.init(CONSUMERS);
		for (int i = 0; i < 2; i++) {
			m->next_full[i].init(1);
			m->next_empty[i].init(CONSUMERS);
		}
		for (int i = 0; i < STAGES; i++) {
			m->k_full[i].init(1);
			m->v_full[i].init(1);
			m->k_empty[i].init(CONSUMERS);
			m->v_empty[i].init(CONSUMERS);
		}
		publish_barriers();
	}
	__syncthreads();
	if (threadIdx.x < 128) {
		asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
		if (threadIdx.x == 0)
			produce<Dim, Causal>(m, q, k, v, length, items, counter);
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
		consume<Dim, Causal>(m, out, length, items);
	}
}

static CUtensorMap map_of(__half *matrix, size_t rows, int columns, int height)
{
	return factor_map(matrix, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, rows, columns, height);
}

template <int Dim, bool Causal> static cudaError_t launch(__half *q, __half *k, __half *v, __half *out, int length, int heads)
{
	size_t rows = (size_t)heads * length;
	int items = length / ROWS * heads, sms, *counter;
	auto kernel = attend<Dim, Causal>;
	cudaError_t error = cudaMalloc(&counter, sizeof *counter);
	if (error)
		return error;
	error = cudaMemset(counter, 0, sizeof *counter);
	error = error ? error : cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
	error = error ? error : cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(memory<Dim>));
	if (error) {
		cudaFree(counter);
		return error;
	}
	kernel<<<items < sms ? items : sms, THREADS, sizeof(memory<Dim>)>>>(map_of(q, rows, Dim, GROUP_ROWS), map_of(k, rows, Dim, sizes<Dim>::KEYS),
									    map_of(v, rows, Dim, sizes<Dim>::KEYS), map_of(out, rows, Dim, GROUP_ROWS),
									    length, items, counter);
	error = cudaGetLastError();
	cudaError_t end = cudaDeviceSynchronize();
	cudaFree(counter);
	return error ? error : end;
}

/* Compiled with -DDIM=64, 128 or 256 there is one of them, which takes a third of the time. */
static cudaError_t start(int dim, bool causal, __half *const *of, int length, int heads)
{
#if !defined(DIM) || DIM == 64
	if (dim == 64)
		return (causal ? launch<64, true> : launch<64, false>)(of[0], of[1], of[2], of[3], length, heads);
#endif
#if !defined(DIM) || DIM == 128
	if (dim == 128)
		return (causal ? launch<128, true> : launch<128, false>)(of[0], of[1], of[2], of[3], length, heads);
#endif
#if !defined(DIM) || DIM == 256
	if (dim == 256)
		return (causal ? launch<256, true> : launch<256, false>)(of[0], of[1], of[2], of[3], length, heads);
#endif
	return cudaErrorInvalidValue;
}

/* Largest error of a row, beside a result in double precision. */
static double error_of(const __half *q, const __half *k, const __half *v, const __half *out, int row, int length, int dim, bool causal)
{
	std::vector<double> weight(length), result(dim);
	double most = -INFINITY, sum = 0, error = 0;
	int keys = causal ? row + 1 : length;
	for (int key = 0; key < keys; key++) {
		weight[key] = 0;
		for (int i = 0; i < dim; i++)
			weight[key] += (double)__half2float(q[(size_t)row * dim + i]) * __half2float(k[(size_t)key * dim + i]);
		weight[key] /= sqrt(dim);
		most = fmax(most, weight[key]);
	}
	for (int key = 0; key < keys; key++) {
		double one = exp(weight[key] - most);
		sum += one;
		for (int i = 0; i < dim; i++)
			result[i] += one * __half2float(v[(size_t)key * dim + i]);
	}
	for (int i = 0; i < dim; i++)
		error = fmax(error, fabs(result[i] / sum - __half2float(out[(size_t)row * dim + i])));
	return error;
}

int main(int argc, char **argv)
{
	int length = argc > 1 ? atoi(argv[1]) : 512, dim = argc > 2 ? atoi(argv[2]) : 128, causal = argc > 3 && atoi(argv[3]);
	int heads = argc > 4 ? atoi(argv[4]) : 2;
	if (length <= 0 || length % ROWS || (dim != 64 && dim != 128 && dim != 256) || heads <= 0) {
		fprintf(stderr, "attention [LENGTH [DIM [CAUSAL [HEADS]]]]: a multiple of %d; 64, 128 or 256\n", ROWS);
		return 2;
	}
	size_t count = (size_t)heads * length * dim, bytes = count * sizeof(__half);
	std::vector<__half> data[4];
	__half *device[4];
	unsigned x = 1;
	for (int i = 0; i < 4; i++) {
		data[i].resize(count);
		for (size_t j = 0; j < count; j++) {
			x = x * 1664525 + 1013904223;
			data[i][j] = __float2half((float)(int)(x >> 8) / (1 << 23) - 1);
		}
		cudaMalloc(&device[i], bytes);
		cudaMemcpy(device[i], data[i].data(), bytes, cudaMemcpyHostToDevice);
	}
	cudaError_t error = start(dim, causal, device, length, heads);
	cudaMemcpy(data[3].data(), device[3], bytes, cudaMemcpyDeviceToHost);
	double worst = 0;
	for (int head = 0; head < heads; head++)
		for (int row = head; row < length; row += 37) {
			size_t at = (size_t)head * length * dim;
			double here = error_of(&data[0][at], &data[1][at], &data[2][at], &data[3][at], row, length, dim, causal);
			worst = here <= worst ? worst : here;
		}
	/* Weights are rounded to halves, so that a result below 1 in magnitude is 2^-11 off at most, and rounded once more. */
	bool good = worst < 1e-3;
	printf("attention: %d heads, length %d, dimension %d%s: largest error %.1e (%s), %s\n", heads, length, dim, causal ? ", causal" : "", worst,
	       good ? "good" : "too large", cudaGetErrorName(error));
	return !good || error;
}
