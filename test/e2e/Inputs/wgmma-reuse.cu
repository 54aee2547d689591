// Four warps fill two tiles, multiply, wait, and fill them again without a barrier behind the wait: no warp leaves it
// before all four have begun the product. `slow` makes the last warp come late to each product.
#include <cstdint>
#include <cstdio>

__global__ void __launch_bounds__(128) products(float *out, int rounds, uint64_t f, bool slow)
{
	extern __shared__ __align__(1024) uint16_t shared[];
	float sum = 0;
	for (int i = 0; i < rounds; i++) {
		float d[4] = {};
		for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x)
			shared[k] = i % 2 ? 0x4000 : 0x3c00; // 2 and 1
		asm volatile("fence.proxy.async.shared::cta;");
		__syncthreads();
		if (slow && threadIdx.x >= 96)
			__nanosleep(2000);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		asm volatile(
			"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			: "l"(f));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
		sum += d[0] + d[3];
	}
	out[threadIdx.x] = sum;
}

// The same of two warpgroups, each with tiles of its own for two rounds: one product is under way when the next tiles are
// filled, and those of the product before it are free when all four warps have begun that one.
__global__ void __launch_bounds__(256) pairs(float *out, int rounds, uint64_t f, bool slow)
{
	extern __shared__ __align__(1024) uint16_t shared[];
	const unsigned group = threadIdx.x / 128, thread = threadIdx.x % 128;
	float d[4] = {};
	for (int i = 0; i < rounds; i++) {
		const unsigned tile = (group * 2 + i % 2) * 1024;
		for (unsigned k = thread; k < 1024; k += 128)
			shared[tile + k] = i % 4 < 2 ? 0x3c00 : group ? 0x4200 : 0x4000; // 1; 3 and 2
		asm volatile("fence.proxy.async.shared::cta;");
		asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
		if (slow && thread >= 96)
			__nanosleep(group ? 2000 : 700);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		asm volatile(
			"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %4, 1, 1, 1, 0, 0;"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			: "l"(f + tile * 2 / 16));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
	}
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	out[threadIdx.x] = d[0] + d[3];
}

// Sixteen products of a round: 16 * 1 * 1, and 16 * 2 * 2; two of four accumulators, four rounds. Of eight rounds
// four have 1, and four have 2 or 3.
int main()
{
	const float expected = 2 * (2 * 16 + 2 * 64);
	const uint64_t descriptor = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
	float *out, host[256];
	int wrong = 0;
	cudaMalloc(&out, sizeof host);
	for (int slow = 0; slow < 2; slow++) {
		products<<<1, 128, 4096>>>(out, 4, descriptor, slow);
		cudaMemcpy(host, out, 128 * sizeof *host, cudaMemcpyDeviceToHost);
		for (int i = 0; i < 128; i++)
			wrong += host[i] != expected;
		pairs<<<1, 256, 8192>>>(out, 8, descriptor, slow);
		cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
		for (int i = 0; i < 256; i++)
			wrong += host[i] != 2 * 4 * 16 * (1 + (i < 128 ? 4 : 9));
	}
	printf("%d of 768 sums are wrong\n", wrong);
	return wrong != 0;
}
