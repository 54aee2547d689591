/*
 * A short product, the wait for it, long products, and arithmetic behind them, which is to be done beside the long ones. It
 * forms longer chains than the wait does.
 */
#include <cstdint>

#define ONE "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;\n"

__global__ void beside(const float *in, float *out, uint64_t a, uint64_t b, int n)
{
	float s[4] = {}, d[4] = {}, x[8];
	for (int i = 0; i < 8; i++)
		x[i] = in[threadIdx.x * 8 + i];
#pragma unroll 1
	for (int turn = 0; turn < n; turn++) {
		asm volatile("wgmma.fence.sync.aligned;\n" ONE "wgmma.commit_group.sync.aligned;\n"
			     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3]) : "l"(a), "l"(b) : "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])::"memory");
		for (int i = 0; i < 4; i++)
			asm volatile(ONE : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b) : "memory");
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		for (int t = 0; t < 24; t++)
			for (int i = 0; i < 8; i++)
				x[i] = x[i] * 0.999f + 1.0f;
		asm volatile("wgmma.wait_group.sync.aligned 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
	}
	for (int i = 0; i < 8; i++)
		out[threadIdx.x * 8 + i] = x[i] + d[i % 4] + s[i % 4];
}
