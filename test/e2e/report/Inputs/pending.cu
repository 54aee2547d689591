/*
 * Waits that name no register. A line with NAME: in its comment starts something; a line with `awaits A B` loses its slots to
 * just those that the lines A and B start. pending.py reads the comments.
 */
#include <cstdint>
#include <cstdio>

__device__ unsigned place(const void *at) { return (unsigned)__cvta_generic_to_shared(at); }
#define COPY(to, from) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(to)), "l"(from) : "memory")
#define END() asm volatile("cp.async.commit_group;" ::: "memory")
#define LEAVE(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define INIT(bar, n) asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(bar)), "r"(n) : "memory")
#define ARRIVE(bar) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(bar)) : "memory")
#define EXPECT(bar, n) asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(place(bar)), "r"(n) : "memory")
#define AWAIT(bar, parity) asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(place(bar)), "r"(parity) : "memory")
#define BULK(to, from, bar) asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(place(to)), "l"(from), "r"(place(bar)) : "memory")
#define STORE(to, from) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(to), "r"(place(from)) : "memory")
#define PRODUCT() asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(f))

/* Groups: the youngest one is left under way. */
__global__ void groups(const float4 *in, float4 *out)
{
	__shared__ float4 s[4][32];
	COPY(&s[0][threadIdx.x], in + threadIdx.x); /* G0: */
	END();
	COPY(&s[1][threadIdx.x], in + 32 + threadIdx.x); /* G1: */
	COPY(&s[2][threadIdx.x], in + 64 + threadIdx.x); /* G2: */
	END();
	LEAVE(1); /* awaits G0 */
	out[threadIdx.x] = s[0][threadIdx.x];
	COPY(&s[3][threadIdx.x], in + 96 + threadIdx.x + (int)s[0][0].x); /* G3: */
	END();
	LEAVE(0); /* awaits G1 G2 G3 */
	out[32 + threadIdx.x] = s[3][threadIdx.x];
}

/* A ring of two stages: a turn waits for the copy before the loop, or for that of the turn before. */
__global__ void ring(const float4 *in, float4 *out, int turns)
{
	__shared__ float4 s[2][32];
	float4 last;
	COPY(&s[0][threadIdx.x], in + threadIdx.x); /* R0: */
	END();
#pragma unroll 1
	for (int i = 1; i < turns; i++) {
		COPY(&s[i & 1][threadIdx.x], in + 32 * i + threadIdx.x); /* R1: */
		END();
		LEAVE(1); /* awaits R0 R1 */
		last = s[i & 1 ^ 1][threadIdx.x];
	}
	out[threadIdx.x] = last;
}

/* A producer and a consumer; either waits at its own barrier of a ring. */
__global__ void phases(const float4 *in, float4 *out, int turns, int stages)
{
	__shared__ alignas(128) float4 s[4][32];
	__shared__ uint64_t full[4], empty[4];
	if (threadIdx.x == 0)
		for (int i = 0; i < stages; i++) {
			INIT(&full[i], 1);
			INIT(&empty[i], 32);
		}
	__syncthreads();
	if (threadIdx.x == 32) {
#pragma unroll 1
		for (int i = 0; i < turns; i++) {
			int at = i % stages;
			AWAIT(&empty[at], (i / stages & 1) ^ 1); /* awaits P1 */
			EXPECT(&full[at], 512);
			BULK(s[at], in + 32 * i, &full[at]); /* P0: */
		}
	} else if (threadIdx.x < 32) {
#pragma unroll 1
		for (int i = 0; i < turns; i++) {
			int at = i % stages;
			AWAIT(&full[at], i / stages & 1); /* awaits P0 */
			out[32 * i + threadIdx.x] = s[at][threadIdx.x];
			ARRIVE(&empty[at]); /* P1: */
		}
	}
}

/* An arrival behind copies: the first one's are those before it alone. */
__global__ void behind(const float4 *in, float4 *out)
{
	__shared__ float4 s[2][32];
	__shared__ uint64_t bar[2];
	if (threadIdx.x == 0) {
		INIT(&bar[0], 32);
		INIT(&bar[1], 32);
	}
	__syncwarp();
	COPY(&s[0][threadIdx.x], in + threadIdx.x); /* B0: */
	asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(place(&bar[0])) : "memory");
	AWAIT(&bar[0], 0); /* awaits B0 */
	COPY(&s[1][threadIdx.x], in + 32 + threadIdx.x + (int)s[0][0].x); /* B1: */
	asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(place(&bar[1])) : "memory");
	AWAIT(&bar[1], 0); /* awaits B1 */
	out[threadIdx.x] = s[1][threadIdx.x];
}

/* Copies in bulk to global memory. */
__global__ void stores(float4 *out)
{
	__shared__ alignas(128) float4 s[32];
	s[threadIdx.x] = float4{1, 2, 3, 4};
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncwarp();
	if (threadIdx.x == 0) {
		STORE(out, s); /* S0: */
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		STORE(out + 32, s); /* S1: */
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group 1;" ::: "memory"); /* awaits S0 */
		STORE(out + 64, s); /* S2: */
		asm volatile("cp.async.bulk.commit_group;" ::: "memory");
		asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); /* awaits S1 S2 */
	}
}

/* Products of a warpgroup. */
__global__ void __launch_bounds__(128) products(float *out, uint64_t f)
{
	__shared__ alignas(1024) uint16_t s[4096];
	float d[4] = {};
	for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
		s[i] = 0x3c00;
	asm volatile("fence.proxy.async.shared::cta;");
	__syncthreads();
	f |= place(s) >> 4;
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	PRODUCT(); /* W0: */
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	PRODUCT(); /* W1: awaits W0 */
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); /* awaits W0 */
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory"); /* awaits W1 */
	out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

/* A fence waits for the stores behind the one before it, and a warp's end for the rest. */
__global__ void fences(float *out)
{
	out[threadIdx.x] = 1; /* F0: */
	__threadfence(); /* awaits F0 */
	out[32 + threadIdx.x] = 2; /* F1: */
	__threadfence(); /* awaits F1 */
}

int main()
{
	float4 *in, *out;
	if (cudaMalloc(&in, 65536) || cudaMalloc(&out, 65536) || cudaMemset(in, 0, 65536))
		return 1;
	groups<<<1, 32>>>(in, out);
	ring<<<1, 32>>>(in, out, 20);
	phases<<<1, 64>>>(in, out, 20, 2);
	behind<<<1, 32>>>(in, out);
	stores<<<1, 32>>>(out);
	products<<<1, 128>>>((float *)out, (uint64_t)1 << 16 | (uint64_t)8 << 32);
	fences<<<1, 32>>>((float *)out);
	puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
