// Cycles from the issue of products of warpgroups until they are there. The factors are zeros: any descriptor does.
#include <cstdio>
#include <cstdint>

#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT() asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory")

static __device__ uint64_t factor()
{
	extern __shared__ __align__(1024) uint8_t shared[];
	for (unsigned i = threadIdx.x * 16; i < 49152; i += blockDim.x * 16)
		*(uint4 *)(shared + i) = uint4{};
	asm volatile("fence.proxy.async.shared::cta;");
	__syncthreads();
	uint64_t descriptor = (uint64_t)(1024 >> 4) << 32 | 1ull << 62; /* swizzle of 128 bytes, blocks of eight rows 1024 bytes apart */
	return descriptor + clock() / 0x80000000u; /* in a register */
}

static __device__ __forceinline__ void n8(float (&d)[4], uint64_t f)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(f));
}
static __device__ __forceinline__ void n8_registers(float (&d)[4], uint64_t f)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, {%5, %5, %5, %5}, %4, 1, 1, 1, 0;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(f), "r"(0));
}
#define EIGHT(v, i) "+f"(v[i]), "+f"(v[i + 1]), "+f"(v[i + 2]), "+f"(v[i + 3]), "+f"(v[i + 4]), "+f"(v[i + 5]), "+f"(v[i + 6]), "+f"(v[i + 7])
static __device__ __forceinline__ void n64(float (&d)[32], uint64_t f)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
		     "%32, %32, 1, 1, 1, 0, 0;"
		     : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24) : "l"(f));
}
static __device__ __forceinline__ void n128(float (&d)[64], uint64_t f)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, "
		     "%12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
		     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, "
		     "%52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %64, 1, 1, 1, 0, 0;"
		     : EIGHT(d, 0), EIGHT(d, 8), EIGHT(d, 16), EIGHT(d, 24), EIGHT(d, 32), EIGHT(d, 40), EIGHT(d, 48), EIGHT(d, 56)
		     : "l"(f));
}

#define KERNEL(name, words, count, product)                              \
	__global__ __launch_bounds__(256, 1) void name(unsigned *cycles) \
	{                                                                \
		float d[words] = {};                                     \
		uint64_t f = factor();                                   \
		float sum = 0;                                           \
		asm volatile("" : "+l"(f));                              \
		FENCE();                                                 \
		unsigned from = clock();                                 \
		_Pragma("unroll") for (int i = 0; i < count; i++)        \
			product(d, f);                                   \
		COMMIT();                                                \
		WAIT();                                                  \
		unsigned to = clock();                                   \
		_Pragma("unroll") for (int i = 0; i < words; i++)        \
			sum += d[i];                                     \
		if (threadIdx.x % 128 == 0)                              \
			cycles[threadIdx.x / 128] = sum == 0 ? to - from : 0; \
	}
KERNEL(one_n8, 4, 1, n8)
KERNEL(one_n8_registers, 4, 1, n8_registers)
KERNEL(sixteen_n8, 4, 16, n8)
KERNEL(one_n64, 32, 1, n64)
KERNEL(one_n128, 64, 1, n128)
KERNEL(eight_n128, 64, 8, n128)

int main()
{
	unsigned *cycles;
	cudaMallocManaged(&cycles, 8);
#define RUN(name, threads)                                                                                    \
	cudaFuncSetAttribute((const void *)name, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152);         \
	name<<<1, threads, 49152>>>(cycles);                                                                  \
	if (cudaDeviceSynchronize() != cudaSuccess)                                                           \
		return 1;                                                                                     \
	printf(#name ", %d threads: %u\n", threads, threads > 128 && cycles[1] > cycles[0] ? cycles[1] : cycles[0]);
	RUN(one_n8, 128)
	RUN(one_n8_registers, 128)
	RUN(sixteen_n8, 128)
	RUN(one_n64, 128)
	RUN(one_n128, 128)
	RUN(eight_n128, 128)
	RUN(eight_n128, 256)
}
