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

// Sixteen products of a round: 16 * 1 * 1, and 16 * 2 * 2; two of four accumulators, four rounds.
int main()
{
	const float expected = 2 * (2 * 16 + 2 * 64);
	const uint64_t descriptor = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32;
	float *out, host[128];
	int wrong = 0;
	cudaMalloc(&out, sizeof host);
	for (int slow = 0; slow < 2; slow++) {
		products<<<1, 128, 4096>>>(out, 4, descriptor, slow);
		cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
		for (float value : host)
			wrong += value != expected;
	}
	printf("%d of 256 sums are wrong\n", wrong);
	return wrong != 0;
}
