// What a program may and may not do with an accumulator before it has waited. RULE 0: a loop as it should be; 1: adds to the
// accumulator between two products; 2: in a block that is no whole warpgroup; 3: a matrix outside of shared memory;
// 4: the first block's last warp waits when others' have ended, and those of later blocks are in their places.
// 5: waits only where there may be products, and few lanes read the accumulator; two kinds of products into one that is never read.
// 6: the last warp ends before it has multiplied.
// 7: factors and accumulators in flight while registers are short; accumulators that count or do not, by a constant.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#ifndef RULE
#define RULE 0
#endif

__global__ void __launch_bounds__(128) products(float *out, uint64_t f, int rounds)
{
	extern __shared__ __align__(1024) uint16_t shared[];
	float d[4] = {};
	for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
		shared[i] = 0x3c00;
	asm volatile("fence.proxy.async.shared::cta;");
	__syncthreads();
	if (RULE == 4 && blockIdx.x)
		rounds = 1;
	if (RULE == 6 && threadIdx.x >= 96)
		return;
	for (int i = 0; i < rounds; i++) {
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		for (int k = 0; k < 2; k++) {
			asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
				     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(f + 2 * k));
			if (RULE == 1 && k == 0)
				d[0] += 1;
		}
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
	}
	if (RULE == 4 && blockIdx.x == 0 && threadIdx.x / 32 == 3)
		for (unsigned from = clock(); clock() - from < 20000;)
			;
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	if (RULE == 4 && blockIdx.x)
		return;
	out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

#if RULE == 5
#define PRODUCT(type, signs)                                                                                                       \
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32." type "." type " {%0, %1, %2, %3}, %4, %4, 1, " signs ", 0, 0;"   \
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(f))
__global__ void __launch_bounds__(128) sometimes(float *out, uint64_t f, int rounds)
{
	extern __shared__ __align__(1024) uint16_t shared[];
	float d[4] = {1, 2, 3, 4};
	for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x)
		shared[i] = 0x3c00;
	asm volatile("fence.proxy.async.shared::cta;");
	__syncthreads();
	if (rounds > 2) {
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		PRODUCT("f16", "1, 1");
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
	}
	__syncthreads();
	if (rounds > 2)
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	__syncthreads();
	if (threadIdx.x % 32 < 4)
		out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

__global__ void __launch_bounds__(128) unread(float *out, uint64_t f)
{
	float d[4] = {1, 2, 3, 4};
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	PRODUCT("bf16", "1, 1");
	PRODUCT("f16", "-1, 1");
	out[threadIdx.x] = threadIdx.x;
}
#define products sometimes
#endif

#if RULE == 7
__global__ void __launch_bounds__(1024, 1) crowded(float *out, uint64_t f)
{
	float d[4][4], x[40];
	unsigned a[4][4];
	for (int i = 0; i < 16; i++)
		a[i / 4][i % 4] = __float_as_uint(out[i]), d[i / 4][i % 4] = 1;
	for (int i = 0; i < 40; i++)
		x[i] = out[i * 33];
	asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
	for (int i = 0; i < 4; i++)
		asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %9, 0;\n"
			     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, 1, 0;\n}"
			     : "+f"(d[i][0]), "+f"(d[i][1]), "+f"(d[i][2]), "+f"(d[i][3])
			     : "r"(a[i][0]), "r"(a[i][1]), "r"(a[i][2]), "r"(a[i][3]), "l"(f + i), "r"(i & 1));
	asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#pragma unroll
	for (int i = 0; i < 120; i++)
		x[i % 40] = x[i % 40] * x[(i * 7 + 1) % 40] + x[(i + 11) % 40];
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	float sum = 0;
	for (int i = 0; i < 40; i++)
		sum += x[i] * i;
	for (int i = 0; i < 16; i++)
		out[threadIdx.x * 16 + i] = d[i / 4][i % 4] + sum;
}
#endif

int main(int argc, char **argv)
{
	float *out;
	uint64_t f = (uint64_t)(1024 >> 4) << 32 | 1ull << 62;
	cudaMallocManaged(&out, 128 * sizeof *out);
	if (RULE == 3)
		f |= 0x3000;
	if (RULE == 4)
		cudaFuncSetAttribute((const void *)products, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
	products<<<RULE == 4 ? 5 : 1, RULE == 2 ? 96 : 128, RULE == 4 ? 100000 : 8192>>>(out, f, argc > 1 ? atoi(argv[1]) : 3);
	cudaError_t error = cudaGetLastError();
	error = error ? error : cudaDeviceSynchronize();
	printf("%g %s\n", error ? 0 : out[0], cudaGetErrorName(error)); /* four columns, 3 rounds of 2 products of 16 ones */
	return error != cudaSuccess;
}
