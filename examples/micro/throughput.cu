/*
 * throughput: operations a cycle of one full SM, for the classes of arithmetic (each lane's result counts one), bytes a
 * cycle of shared memory and L1 by width, cycles a warp's access takes in conflict and uncoalesced. One block of as
 * many threads as an SM takes in one; four independent chains a thread.
 */
#include "micro.h"

#define STEPS 64
#define CHAINS 4

MICRO_STEP(Xor, unsigned, "r", "xor.b32 %0, %0, %1;")
MICRO_STEP(Mad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;")
MICRO_STEP(Ffma, float, "f", "fma.rn.f32 %0, %0, %1, %2;")
MICRO_STEP(Hfma2, unsigned, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
MICRO_STEP(Dfma, double, "d", "fma.rn.f64 %0, %0, %1, %2;")
MICRO_STEP(Rsqrt, float, "f", "rsqrt.approx.ftz.f32 %0, %0;")

struct Span {
	long long start, stop;
};

/* The first start and the last stop of a block's warps. */
static __device__ void note_span(Span *span, long long start, long long stop)
{
	atomicMin(&span->start, start);
	atomicMax(&span->stop, stop);
}

template <typename Op>
__global__ void arithmetic(Span *spans, typename Op::Value *values)
{
	typename Op::Value x[CHAINS], y = values[0], z = values[1], sum;
	for (int i = 0; i < CHAINS; i++)
		x[i] = values[2 + i] + threadIdx.x;
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		__syncthreads();
		long long start = clock64();
#pragma unroll
		for (int step = 0; step < STEPS; step++)
#pragma unroll
			for (int i = 0; i < CHAINS; i++)
				Op::step(x[i], y, z);
		note_span(&spans[warm], start, clock64());
	}
	sum = x[0] + x[1] + x[2] + x[3];
	values[2 + CHAINS + threadIdx.x] = sum;
}

static double cycles_of(Span *spans)
{
	Span host[2];
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(host, spans, sizeof host, cudaMemcpyDeviceToHost));
	return (double)(host[1].stop - host[1].start);
}

static Span *new_spans()
{
	Span host[2] = {{0x7fffffffffffffffll, 0}, {0x7fffffffffffffffll, 0}};
	Span *spans = micro_device_array<Span>(2);
	CHECK(cudaMemcpy(spans, host, sizeof host, cudaMemcpyHostToDevice));
	return spans;
}

template <typename Op>
static void operations(const char *name, int each)
{
	if (!micro_wanted(name))
		return;
	int threads = micro_most_threads(arithmetic<Op>);
	Span *spans = new_spans();
	typename Op::Value *values = micro_device_array<typename Op::Value>(2 + CHAINS + threads);
	arithmetic<Op><<<1, threads>>>(spans, values);
	micro_row(name, (double)threads * STEPS * CHAINS * each / cycles_of(spans), "operations/cycle");
	CHECK(cudaFree(spans));
	CHECK(cudaFree(values));
}

/* ---- shared memory and L1 ---- */

#define LOADS 32   /* of a round */
#define ROUNDS 16  /* so that how a measurement begins and ends does not count */
#define GROUP 4    /* loads from one address */
#define SHARING 8  /* lanes of each word of these */
#define WORDS 8192 /* of the buffer in shared memory, and of that in L1: 32 KB */

/* One load of 1, 2 or 4 words; the sum of what it read, so that none is left out. */
template <int WIDTH, bool SHARED>
static __device__ unsigned load(const unsigned *words)
{
	unsigned a, b, c, d;
	if (SHARED) {
		unsigned at = (unsigned)__cvta_generic_to_shared(words);
		if (WIDTH == 1)
			asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
		else if (WIDTH == 2)
			asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(at));
		else
			asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
				     : "r"(at));
	} else {
		if (WIDTH == 1)
			asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(words));
		else if (WIDTH == 2)
			asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(words));
		else
			asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
				     : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
				     : "l"(words));
	}
	if (WIDTH == 1)
		return a;
	return WIDTH == 2 ? a ^ b : a ^ b ^ c ^ d;
}

/* Each lane of a warp reads `stride` words behind the lane before it; a warp's loads go through the buffer, whose end
 * the last ones of a round do not reach. */
template <int WIDTH, bool SHARED>
__global__ void __launch_bounds__(1024) loads(Span *spans, const unsigned *global, unsigned stride, unsigned *out)
{
	__shared__ __align__(16) unsigned shared[SHARED ? WORDS : 4];
	if (SHARED)
		for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
			shared[i] = global[i];
	const unsigned *words = SHARED ? shared : global;
	unsigned sum = 0, first = threadIdx.x % 32 * stride + threadIdx.x / 32 * 32;
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		__syncthreads();
		long long start = clock64();
#pragma unroll 1
		for (int round = 0; round < ROUNDS; round++)
#pragma unroll
			for (int i = 0; i < LOADS; i++)
				sum ^= load<WIDTH, SHARED>(words + first + i * 32 * WIDTH);
		__syncthreads();
		note_span(&spans[warm], start, clock64());
	}
	out[threadIdx.x] = sum;
}

template <int WIDTH, bool SHARED>
static double cycles_of_loads(unsigned stride, int threads)
{
	Span *spans = new_spans();
	unsigned *words = micro_device_array<unsigned>(WORDS), *out = micro_device_array<unsigned>(threads);
	loads<WIDTH, SHARED><<<1, threads>>>(spans, words, stride, out);
	double cycles = cycles_of(spans);
	CHECK(cudaFree(spans));
	CHECK(cudaFree(words));
	CHECK(cudaFree(out));
	return cycles;
}

template <int WIDTH, bool SHARED>
static void bytes(const char *name)
{
	int threads = micro_most_threads(loads<WIDTH, SHARED>);
	if (micro_wanted(name))
		micro_row(name,
			  4.0 * WIDTH * LOADS * ROUNDS * threads / cycles_of_loads<WIDTH, SHARED>(WIDTH, threads),
			  "bytes/cycle");
}

/* Four words, each from a line of its own, and a sum of each. */
static __device__ void add_group(float sum[GROUP], const unsigned *at)
{
	asm volatile("{ .reg .f32 a<4>;\n\t"
		     "ld.global.ca.f32 a0, [%4];\n\t"
		     "ld.global.ca.f32 a1, [%4+128];\n\t"
		     "ld.global.ca.f32 a2, [%4+256];\n\t"
		     "ld.global.ca.f32 a3, [%4+384];\n\t"
		     "add.f32 %0, a0, %0;\n\t"
		     "add.f32 %1, a1, %1;\n\t"
		     "add.f32 %2, a2, %2;\n\t"
		     "add.f32 %3, a3, %3; }"
		     : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
		     : "l"(at)
		     : "memory");
}

/* Rounds of four words a thread from L1, each with a sum; where a round begins is computed from its number. The form in
 * which Accel-Sim's microbenchmark measures loads of 32 bits: the instructions around the loads are part of it, and so
 * is that eight lanes read each word, for its index is (thread + 128 * round) % 131072 / 8: the size of its buffer is a
 * macro, L1_SIZE / 8, without parentheses. Those of wider loads have them. */
__global__ void __launch_bounds__(1024) l1_rounds(Span *spans, const unsigned *global, float *out)
{
	float sum[GROUP] = {};
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		__syncthreads();
		long long start = clock64();
#pragma unroll 4
		for (unsigned round = 0; round < ROUNDS * LOADS / GROUP; round++) {
			add_group(sum, global + (threadIdx.x + round * 32 * GROUP) % (WORDS * SHARING) / SHARING);
		}
		__syncthreads();
		note_span(&spans[warm], start, clock64());
	}
	out[threadIdx.x] = sum[0] + sum[1] + sum[2] + sum[3];
}

static void rounds(const char *name)
{
	if (!micro_wanted(name))
		return;
	int threads = micro_most_threads(l1_rounds);
	Span *spans = new_spans();
	unsigned *words = micro_device_array<unsigned>(WORDS + 32 * GROUP);
	float *out = micro_device_array<float>(threads);
	l1_rounds<<<1, threads>>>(spans, words, out);
	micro_row(name, 4.0 * LOADS * ROUNDS * threads / cycles_of(spans), "bytes/cycle");
	CHECK(cudaFree(spans));
	CHECK(cudaFree(words));
	CHECK(cudaFree(out));
}

/* Each thread goes along a chain of its own: what it reads is the address of the next. The form in which Accel-Sim's
 * microbenchmark measures shared memory: no warp can run ahead of the others. */
__global__ void __launch_bounds__(1024) shared_chains(Span *spans, unsigned *out)
{
	__shared__ unsigned shared[WORDS];
	unsigned begin = (unsigned)__cvta_generic_to_shared(shared), at = begin + threadIdx.x * 4;
	for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x)
		shared[i] = begin + (i + blockDim.x) % WORDS * 4;
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		__syncthreads();
		long long start = clock64();
#pragma unroll 1
		for (int round = 0; round < ROUNDS; round++)
#pragma unroll
			for (int i = 0; i < LOADS; i++)
				asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
		__syncthreads();
		note_span(&spans[warm], start, clock64());
	}
	out[threadIdx.x] = at;
}

static void chains(const char *name)
{
	if (!micro_wanted(name))
		return;
	int threads = micro_most_threads(shared_chains);
	Span *spans = new_spans();
	unsigned *out = micro_device_array<unsigned>(threads);
	shared_chains<<<1, threads>>>(spans, out);
	micro_row(name, 4.0 * LOADS * ROUNDS * threads / cycles_of(spans), "bytes/cycle");
	CHECK(cudaFree(spans));
	CHECK(cudaFree(out));
}

/* Cycles that a warp's access takes when many warps make theirs. */
template <bool SHARED>
static void strides(const char *prefix)
{
	int threads = micro_most_threads(loads<1, SHARED>);
	for (unsigned stride = 1; stride <= 32; stride *= 2) {
		char name[64];
		snprintf(name, sizeof name, "%s.%u", prefix, stride);
		if (micro_wanted(name))
			micro_row(name, cycles_of_loads<1, SHARED>(stride, threads) / (LOADS * ROUNDS * threads / 32),
				  "cycles/access");
	}
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: throughput [--list] [PREFIX]...   rows whose names begin so (default: all)");
	operations<Xor>("rate.xor", 1);
	operations<Mad>("rate.imad", 1);
	operations<Ffma>("rate.ffma", 1);
	operations<Hfma2>("rate.hfma2", 2);
	operations<Dfma>("rate.dfma", 1);
	operations<Rsqrt>("rate.rsqrt", 1);
	chains("shared.bytes.32");
	bytes<2, true>("shared.bytes.64");
	bytes<4, true>("shared.bytes.128");
	bytes<1, false>("l1.bytes.32");
	rounds("l1.words.32");
	bytes<2, false>("l1.bytes.64");
	bytes<4, false>("l1.bytes.128");
	strides<true>("shared.stride");
	strides<false>("l1.stride");
	return 0;
}
