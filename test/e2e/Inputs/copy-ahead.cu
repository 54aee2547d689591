// Pipelines of copies in bulk whose waits test/e2e/copy-ahead.test judges. Nothing runs them.
#include "bulk-pieces.h"

enum { BYTES = 1024 };
// Each piece is asked for STAGES - 1 pieces ahead.
template <int STAGES> __device__ void pieces(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[STAGES][BYTES / 4];
	__shared__ unsigned long long bar[STAGES];
	float sum = 0;
	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES; s++)
			init(&bar[s]);
	__syncthreads();
	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES - 1; s++)
			load(tile[s], in + s * BYTES / 4, BYTES, &bar[s]);
	for (int i = 0; i < n; i++) {
		int next = i + STAGES - 1;
		if (threadIdx.x == 0 && next < n)
			load(tile[next % STAGES], in + next * BYTES / 4, BYTES, &bar[next % STAGES]);
		wait(&bar[i % STAGES], i / STAGES & 1);
		sum += tile[i % STAGES][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
__global__ void serial(const float *in, float *out, int n) { pieces<1>(in, out, n); }
__global__ void two(const float *in, float *out, int n) { pieces<2>(in, out, n); }
__global__ void three(const float *in, float *out, int n) { pieces<3>(in, out, n); }
// One warp brings the pieces, and waits until there is room; another one reads them (copy-roles.cu has more of these).
template <int STAGES> __device__ void parts(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[STAGES][BYTES / 4];
	__shared__ unsigned long long bar[2][STAGES];
	int s = 0, phase = 0;
	if (threadIdx.x == 0)
		for (int i = 0; i < STAGES; i++) {
			init(&bar[0][i]);
			init(&bar[1][i]);
		}
	__syncthreads();
	if (threadIdx.x < 32) {
		if (threadIdx.x == 0)
			for (int i = 0; i < n; i++) {
				wait(&bar[1][s], phase ^ 1);
				load(tile[s], in + i * BYTES / 4, BYTES, &bar[0][s]);
				if (++s == STAGES)
					s = 0, phase ^= 1;
			}
	} else {
		float sum = 0;
		for (int i = 0; i < n; i++) {
			wait(&bar[0][s], phase);
			sum += tile[s][threadIdx.x - 32];
			asm volatile("bar.sync 1, 32;" ::: "memory");
			if (threadIdx.x == 32)
				asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&bar[1][s])) : "memory");
			if (++s == STAGES)
				s = 0, phase ^= 1;
		}
		out[threadIdx.x - 32] = sum;
	}
}
__global__ void roles(const float *in, float *out, int n) { parts<4>(in, out, n); }
__global__ void one_slot(const float *in, float *out, int n) { parts<1>(in, out, n); }
// The next piece is asked for behind the wait, before the work.
__global__ void behind(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	if (threadIdx.x == 0) {
		init(&bar[0]);
		init(&bar[1]);
		load(tile[0], in, BYTES, &bar[0]);
	}
	__syncthreads();
	for (int i = 0; i < n; i++) {
		wait(&bar[i & 1], i >> 1 & 1);
		if (threadIdx.x == 0)
			load(tile[~i & 1], in + (i + 1) * BYTES / 4, BYTES, &bar[~i & 1]);
		sum += tile[i & 1][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Two barriers of a turn are waited for before any work. The next turn starts copies when all threads have worked.
__global__ void pair(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		load(tile[0], in + i * BYTES / 2, BYTES, &bar[0]);
		load(tile[1], in + i * BYTES / 2 + BYTES / 4, BYTES, &bar[1]);
		wait(&bar[0], i & 1);
		wait(&bar[1], i & 1);
		sum += tile[0][i & 31] * tile[1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
		__syncthreads();
	}
	*out = sum;
}
// The same, with work on the first one before the wait for the second one: each of the two waits is on its own.
__global__ void halves(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		load(tile[0], in + i * BYTES / 2, BYTES, &bar[0]);
		load(tile[1], in + i * BYTES / 2 + BYTES / 4, BYTES, &bar[1]);
		wait(&bar[0], i & 1);
		sum += tile[0][i & 31];
		wait(&bar[1], i & 1);
		sum *= tile[1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
		__syncthreads();
	}
	*out = sum;
}
// A barrier is told of bytes twice in one of its phases: no copy is in flight behind the wait.
__global__ void shared_barrier(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;" ::"r"(at(&bar)) : "memory");
		load(tile[0], in + i * BYTES / 2, BYTES, &bar);
		wait(&bar, i & 1);
		sum += tile[0][i & 31] * tile[1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
		__syncthreads();
	}
	*out = sum;
}
// Which barrier is told and which one is waited for stands in memory.
__global__ void anywhere(const float *in, float *out, const int *slot, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		int told = slot[2 * i] & 1, awaited = slot[2 * i + 1] & 1;
		load(tile[i & 1], in + i * BYTES / 4, BYTES, &bar[told]);
		wait(&bar[awaited], i & 1);
		sum += tile[i & 1][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// Nothing is brought behind the only wait: there is nothing to judge.
__global__ void once(const float *in, float *out)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	init(&bar);
	load(tile, in, BYTES, &bar);
	wait(&bar, 0);
	*out = *tile;
}
// Work stands between the copy and the wait for it. Behind the wait it comes in the next turn only: not proven.
__global__ void beside(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		load(tile, in + i * BYTES / 4, BYTES, &bar);
		out[i] = sum;
		wait(&bar, i & 1);
		sum += tile[i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
}
// A function that is called may start and wait for anything.
__device__ __noinline__ float elsewhere(float x) { return asinf(x) * x; }
__global__ void called(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		load(tile, in + i * BYTES / 4, BYTES, &bar);
		wait(&bar, i & 1);
		sum += elsewhere(tile[i & 31]);
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// The same work without a barrier of the block: another thread may start the next copy before.
__global__ void no_sync(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		load(tile, in + i * BYTES / 4, BYTES, &bar);
		wait(&bar, i & 1);
		sum += tile[i & 31];
		asm volatile("" ::"f"(sum) : "memory");
	}
	*out = sum;
}
// The wait is for a barrier at which threads arrive that may have waited for the copy.
__global__ void handed_on(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0)
			load(tile[0], in + i * BYTES / 4, BYTES, &bar[0]);
		else if (threadIdx.x == 32) {
			wait(&bar[0], i & 1);
			asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&bar[1])) : "memory");
		}
		wait(&bar[1], i & 1);
		sum += tile[0][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// The same, told by a copy of its own.
__global__ void relayed(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0)
			load(tile[0], in + i * BYTES / 4, BYTES, &bar[0]);
		else if (threadIdx.x == 32) {
			wait(&bar[0], i & 1);
			load(tile[1], in, BYTES, &bar[1]);
		}
		wait(&bar[1], i & 1);
		sum += tile[0][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Half of the warps work while another one starts a copy.
__global__ void beside_others(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[BYTES / 4];
	__shared__ unsigned long long bar;
	float sum = 0;
	init(&bar);
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0)
			load(tile, in + i * BYTES / 4, BYTES, &bar);
		else if (threadIdx.x >= 32)
			out[i * 1024 + threadIdx.x] = sum;
		wait(&bar, i & 1);
		sum += tile[threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Copies are started in the first turn alone, and in every hundredth.
__global__ void seldom(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0; i < n; i++) {
		load(tile[0], in + i * BYTES / 4, BYTES, &bar[0]);
		if (i < 1)
			load(tile[1], in, BYTES, &bar[1]);
		wait(&bar[0], i & 1);
		sum += tile[0][i & 31];
		asm volatile("" ::"f"(sum) : "memory");
		if (i % 100 == 0)
			load(tile[1], in, BYTES, &bar[1]);
		out[i] = sum;
		__syncthreads();
	}
	*out = sum;
}
// Two warps bring pieces of their own: each may work while the other one's copy is in flight.
__global__ void each_warp(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	int warp = threadIdx.x >> 5 & 1;
	init(&bar[warp]);
	for (int i = 0; i < n; i++) {
		if ((threadIdx.x & 31) == 0)
			load(tile[warp], in + i * BYTES / 4, BYTES, &bar[warp]);
		wait(&bar[warp], i & 1);
		sum += tile[warp][threadIdx.x & 31];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// The pieces ahead end long before the loop does.
__global__ void strides(const float *in, float *out, int n)
{
	__shared__ alignas(128) float tile[2][BYTES / 4];
	__shared__ unsigned long long bar[2];
	float sum = 0;
	init(&bar[0]);
	init(&bar[1]);
	for (int i = 0, j = 0; i < n; i++, j += 100) {
		if (j < n)
			load(tile[1], in + j, BYTES, &bar[1]);
		load(tile[0], in + i * BYTES / 4, BYTES, &bar[0]);
		wait(&bar[0], i & 1);
		sum += tile[0][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Below, of each kernel no more is said than what is true.
__device__ bool test(unsigned long long *bar, unsigned parity)
{
	unsigned r;
	asm volatile("{\n.reg .pred done;\nmbarrier.test_wait.parity.shared::cta.b64 done, [%1], %2;\nselp.u32 %0,1,0,done;\n}" :"=r"(r): "r"(at(bar)), "r"(parity) : "memory");
	return r;
}
#define HEAD __shared__ alignas(128) float tile[8][BYTES / 4]; __shared__ unsigned long long bar[64]; __shared__ unsigned long long room[64]; float sum = 0; if (threadIdx.x==0) for (int s=0;s<64;s++) { init(&bar[s]); init(&room[s]); } __syncthreads();
// Serial. Each turn of a loop of waits waits for another barrier.
__global__ void rolled(const float *in, float *out, int n)
{
	HEAD
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0) {
			load(tile[0], in + i * 1024, BYTES, &bar[0]);
			load(tile[1], in + i * 1024 + 256, BYTES, &bar[1]);
			load(tile[2], in + i * 1024 + 512, BYTES, &bar[2]);
			load(tile[3], in + i * 1024 + 768, BYTES, &bar[3]);
		}
#pragma unroll 1
		for (int s = 0; s < 4; s++) wait(&bar[s], i & 1);
		sum += tile[0][threadIdx.x] * tile[1][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Serial. Each piece has a barrier of its own, and is waited for in the next turn.
__global__ void fresh(const float *in, float *out, int n)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		if (i) { wait(&bar[i - 1], 0); sum += tile[0][threadIdx.x]; __syncthreads(); }
		if (threadIdx.x == 0) load(tile[0], in + i * 256, BYTES, &bar[i]);
	}
	out[threadIdx.x] = sum;
}
// Serial. The warp that brings pieces waits until the piece that it has just brought is read.
__global__ void lockstep(const float *in, float *out, int n)
{
	HEAD
	if (threadIdx.x < 32) {
		if (threadIdx.x == 0)
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				load(tile[i & 3], in + i * 256, BYTES, &bar[i & 3]);
				wait(&room[i & 3], i >> 2 & 1);
			}
	} else {
#pragma unroll 1
		for (int i = 0; i < n; i++) {
			wait(&bar[i & 3], i >> 2 & 1);
			sum += tile[i & 3][threadIdx.x - 32];
			asm volatile("bar.sync 1, 32;" ::: "memory");
			if (threadIdx.x == 32) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&room[i & 3])) : "memory");
		}
		out[threadIdx.x - 32] = sum;
	}
}
__device__ __noinline__ float consume(float *tile, unsigned long long *bar, unsigned p) { wait(bar, p); return tile[threadIdx.x] * 3; }
// Serial. A function that is called waits for the copy.
__global__ void callee(const float *in, float *out, int n)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		wait(&room[i & 3], (i >> 2 & 1) ^ 1);
		if (threadIdx.x == 0) load(tile[i & 3], in + i * 256, BYTES, &bar[i & 3]);
		sum += consume(tile[i & 3], &bar[i & 3], i >> 2 & 1);
		asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&room[i & 3])) : "memory");
	}
	out[threadIdx.x] = sum;
}
__device__ __noinline__ void bring(void *to, const void *from, unsigned long long *bar) { load(to, from, BYTES, bar); }
// Serial. A function that is called starts the copy.
__global__ void starts_in_callee(const float *in, float *out, int n)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0) bring(tile[0], in + i * 256, &bar[0]);
		wait(&bar[0], i & 1);
		sum += tile[0][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Work while a wait is tried again: not proven.
__global__ void poll(const float *in, float *out, int n)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0) load(tile[0], in + i * 256, BYTES, &bar[0]);
		while (!test(&bar[0], i & 1)) { sum = sum * 1.5f + 2; asm volatile("" : "+f"(sum)); }
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// The first barrier is waited for twice while the second copy is in flight.
__global__ void twice(const float *in, float *out, int n)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		load(tile[0], in + i * 512, BYTES, &bar[0]);
		load(tile[1], in + i * 512 + 256, BYTES, &bar[1]);
		wait(&bar[0], i & 1);
		wait(&bar[0], i & 1);
		sum += tile[0][i & 31];
		asm volatile("" : "+f"(sum)::"memory");
		wait(&bar[1], i & 1);
	}
	out[threadIdx.x] = sum;
}
// Serial. One barrier is told in the outer and the inner loop.
__global__ void nested(const float *in, float *out, int n, int m)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;" ::"r"(at(&bar[0])) : "memory");
		int k = 0;
#pragma unroll 1
		do { load(tile[k & 7], in + i * 512, BYTES, &bar[0]); } while (++k < m);
		wait(&bar[0], i & 1);
		sum += tile[0][i & 31];
		asm volatile("" : "+f"(sum)::"memory");
	}
	out[threadIdx.x] = sum;
}
// Serial where there is one stage.
__global__ void depth(const float *in, float *out, int n, int stages)
{
	HEAD
	if (threadIdx.x < 32) {
		if (threadIdx.x == 0) {
			int s = 0, ph = 0;
#pragma unroll 1
			for (int i = 0; i < n; i++) {
				wait(&room[s], ph ^ 1);
				load(tile[s], in + i * 256, BYTES, &bar[s]);
				if (++s == stages) s = 0, ph ^= 1;
			}
		}
	} else out[threadIdx.x]=1;
}
// Serial where the numbers are small.
__global__ void rare(const float *in, float *out, int n)
{
	HEAD
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		if (in[i] > 1e30f) load(tile[1], in, BYTES, &bar[1]);
		load(tile[0], in + i * 256, BYTES, &bar[0]);
		wait(&bar[0], i & 1);
		sum += tile[0][i & 31];
		asm volatile("" : "+f"(sum)::"memory");
	}
	out[threadIdx.x] = sum;
}
// The thread that starts copies leaves the loop early.
__global__ void exits(const float *in, float *out, int n)
{
	HEAD
	if (threadIdx.x == 0) load(tile[0], in, BYTES, &bar[0]);
#pragma unroll 1
	for (int i = 0; i < n; i++) {
		if (threadIdx.x == 0) { if (in[i] < 0) break; load(tile[~i & 1], in + i * 256, BYTES, &bar[~i & 1]); }
		wait(&bar[i & 1], i >> 1 & 1);
		sum += tile[i & 1][threadIdx.x];
		__syncthreads();
	}
	out[threadIdx.x] = sum;
}
// Rings of two whose turns begin at `s`, and whose next piece is brought where `more`: a bound only if the loop ends there.
#define TURN(more)                                                                                                  \
	if (threadIdx.x == 0 && (more)) load(tile[(i + 1) & 1], in + (i + 1) * 256, BYTES, &bar[(i + 1) & 1]);     \
	wait(&bar[i & 1], i >> 1 & 1);                                                                              \
	sum += tile[i & 1][threadIdx.x];                                                                            \
	__syncthreads();
__global__ void past_bound(const float *in, float *out, int n, int s)
{
	HEAD
#pragma unroll 1
	for (unsigned i = s; i >= (unsigned)n; i++) {
		TURN((int)(i + 1) < n)
	}
	out[threadIdx.x] = sum;
}
__global__ void other_exit(const float *in, float *out, unsigned n, unsigned s)
{
	HEAD
	unsigned i = s;
#pragma unroll 1
	do {
		TURN(i + 1 < n)
		i++;
	} while (i != n && i >= n);
	out[threadIdx.x] = sum;
}
__global__ void up_to(const float *in, float *out, unsigned n, unsigned s)
{
	HEAD
	unsigned i = s;
#pragma unroll 1
	do {
		TURN(i + 1 < n)
		i++;
	} while (i != n);
	out[threadIdx.x] = sum;
}
