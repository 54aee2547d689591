/*
 * A step of softmax beside a product: two rows, whose maxima and sums are two chains, and a wait for the product in front
 * of which both fit. Six conditions live through the step, as in kernels that ask for first tiles, last tiles and lanes.
 */
#include <cstdint>

__global__ void step(const float *in, float *out, uint64_t a, uint64_t b, int x, int y)
{
	float d[4] = {}, v[16];
	bool c[6] = {x > 1, y > 2, x > y, x == 7, y == 9, x < -3};
	for (int i = 0; i < 16; i++)
		v[i] = in[threadIdx.x * 16 + i];
	asm volatile("wgmma.fence.sync.aligned;\n"
		     "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;\n"
		     "wgmma.commit_group.sync.aligned;"
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
		     : "l"(a), "l"(b)
		     : "memory");
	float sum[2] = {0, 0};
	for (int row = 0; row < 2; row++)
		for (int i = row; i < 16; i += 2)
			asm volatile("{ .reg .f32 t; ex2.approx.ftz.f32 t, %1; add.f32 %0, %0, t; }" : "+f"(sum[row]) : "f"(v[i]));
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
	out += threadIdx.x * 10;
	for (int i = 0; i < 4; i++)
		out[i] = d[i] + sum[i % 2];
	for (int i = 0; i < 6; i++)
		if (c[i])
			asm volatile("st.global.f32 [%0], %1;" ::"l"(out + 4 + i), "f"(sum[0] * i) : "memory");
}
