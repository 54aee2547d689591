// A producer and a consumer, whose period follows from the latencies of a copy and of products. A stage is 8 KB of a factor, from
// L2, and four products of 64 x 256 x 16 of it, 512 cycles. hopper-pipeline: for STAGES and WAITS (groups left at the end of a
// stage) the mean of the later half of the stages.
#include <cstdint>
#include <cstdio>

enum { BYTES = 8192, B_BYTES = 32768, TURNS = 48 };
__device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void init(unsigned long long *bar, unsigned n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1; fence.proxy.async.shared::cta;" ::"r"(at(bar)), "r"(n) : "memory"); }
__device__ void wait(unsigned long long *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred over;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n@!over bra again;\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}
#define EIGHT(v, i) "+f"(v[i]), "+f"(v[i + 1]), "+f"(v[i + 2]), "+f"(v[i + 3]), "+f"(v[i + 4]), "+f"(v[i + 5]), "+f"(v[i + 6]), "+f"(v[i + 7])
__device__ __forceinline__ void product(float (&d)[128], uint64_t a, uint64_t b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
		     "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
		     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
		     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
		     "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
		     "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
		     "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
		     "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, %128, %129, 1, 1, 1, 0, 0;"
		     : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56),
		       EIGHT(d, 64), EIGHT(d, 72), EIGHT(d, 80), EIGHT(d, 88), EIGHT(d, 96), EIGHT(d, 104), EIGHT(d, 112), EIGHT(d, 120)
		     : "l"(a), "l"(b));
}
__device__ uint64_t factor(const void *p) { return at(p) >> 4 | (uint64_t)(1024 >> 4) << 32 | 1ull << 62; }

template <int STAGES, int WAITS> __global__ __launch_bounds__(256, 1) void pipeline(const char *from, unsigned *cycles, float *out)
{
	extern __shared__ __align__(1024) char memory[];
	__shared__ unsigned long long full[STAGES], room[STAGES];
	char *b = memory + STAGES * BYTES;
	for (unsigned i = threadIdx.x; i < B_BYTES / 4; i += blockDim.x)
		((unsigned *)b)[i] = 0;
	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES; s++) {
			init(&full[s], 1);
			init(&room[s], 128);
		}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x >= 128) {
		if (threadIdx.x == 128)
#pragma unroll 1
			for (int i = 0, s = 0, phase = 0; i < TURNS; i++) {
				wait(&room[s], phase ^ 1);
				asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(&full[s])), "n"(BYTES) : "memory");
				asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(memory + s * BYTES)), "l"(from), "n"(BYTES), "r"(at(&full[s])) : "memory");
				if (++s == STAGES)
					s = 0, phase ^= 1;
			}
		return;
	}
	float d[128] = {};
	uint64_t fb = factor(b);
	unsigned half = 0;
#pragma unroll 1
	for (int round = 0; round < TURNS / STAGES; round++) {
		if (round == TURNS / STAGES / 2)
			half = clock();
#pragma unroll
		for (int s = 0; s < STAGES; s++) {
			wait(&full[s], round & 1);
			asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
			for (int k = 0; k < 4; k++)
				product(d, factor(memory + s * BYTES) + 2 * k, fb + 2 * k);
			asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
			asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(WAITS) : "memory");
			// What is no longer read: this stage, or the one before.
			if (!WAITS || s || round)
				asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(&room[(s + STAGES - WAITS) % STAGES])) : "memory");
		}
	}
	unsigned end = clock();
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	float sum = 0;
#pragma unroll
	for (int i = 0; i < 128; i++)
		sum += d[i];
	out[threadIdx.x] = sum;
	if (threadIdx.x == 0)
		*cycles = (end - half) / (TURNS / 2);
}

template <int STAGES, int WAITS> static void run(const char *from, unsigned *cycles, float *out)
{
	int bytes = STAGES * BYTES + B_BYTES;
	cudaFuncSetAttribute((const void *)pipeline<STAGES, WAITS>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	pipeline<STAGES, WAITS><<<1, 256, bytes>>>(from, cycles, out);
	cudaError_t error = cudaDeviceSynchronize();
	printf("%d stages, %d left: %u cycles a stage, %s\n", STAGES, WAITS, *cycles, cudaGetErrorString(error));
}

int main(int argc, char **)
{
	char *from;
	unsigned *cycles;
	float *out;
	cudaMalloc(&from, BYTES);
	cudaMemset(from, 0, BYTES);
	cudaMallocManaged(&cycles, sizeof *cycles);
	cudaMallocManaged(&out, 128 * sizeof *out);
	if (argc > 1) { // nobody says that there is room
		run<1, 1>(from, cycles, out);
		return cudaGetLastError() != cudaSuccess;
	}
	run<1, 0>(from, cycles, out);
	run<2, 1>(from, cycles, out);
	run<3, 1>(from, cycles, out);
	run<4, 1>(from, cycles, out);
	run<3, 0>(from, cycles, out);
}
