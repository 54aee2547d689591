/* Approximations without .ftz at powers of two whose operands or results are denormal, where all are exact. */
#include <cstdio>

__global__ void kernel(float *out, const float *in)
{
	float tiny = in[0], large = in[1], low = in[2]; /* 2^-140, 2^127, -140 */
	float power, log, inverse_root, root, small, vast, ratio;
	asm("ex2.approx.f32 %0, %1;" : "=f"(power) : "f"(low));
	asm("lg2.approx.f32 %0, %1;" : "=f"(log) : "f"(tiny));
	asm("rsqrt.approx.f32 %0, %1;" : "=f"(inverse_root) : "f"(tiny));
	asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(tiny));
	asm("rcp.approx.f32 %0, %1;" : "=f"(small) : "f"(large));
	asm("rcp.approx.f32 %0, %1;" : "=f"(vast) : "f"(tiny * 8192));
	asm("div.full.f32 %0, %1, %2;" : "=f"(ratio) : "f"(large), "f"(large / 2));
	out[0] = power, out[1] = log, out[2] = inverse_root, out[3] = root, out[4] = small, out[5] = vast, out[6] = ratio;
	out[7] = __fdividef(tiny, tiny / 4);
	out[8] = exp2f(low) / tiny, out[9] = __log2f(tiny * 2), out[10] = rsqrtf(tiny * 4);
	/* with a sign and a magnitude that MUFU itself takes */
	out[11] = exp2f(-in[3]), out[12] = __log2f(fabsf(-tiny));
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(low));
	out[13] = power;
	out[14] = __sinf(in[4]), out[15] = __cosf(in[4]); /* 0 */
}

/* Quotients of one denormal divisor share its reciprocal. */
__global__ void shared_divisor(float *out, const float *in, int count)
{
	float x = in[0], y = in[1], sum = 0;
	out[0] = __fdividef(in[2], x), out[1] = __fdividef(in[3], x); /* in one block */
	float between = __fdividef(in[2], x * 2), other = __fdividef(in[4], y);
	out[2] = between + other; /* two reciprocals at once */
	for (int i = 0; i < count; i++)
		sum += __fdividef(in[2 + i], x);
	out[3] = sum;  /* in a loop */
	if (count > 2) /* in another block */
		out[4] = __fdividef(in[4], x);
	out[5] = __fdividef(in[2], x) + __fdividef(1.0f, x);
	out[6] = __saturatef(__fdividef(in[5], x)) + __fmaf_rn(__fdividef(in[6], x), y, 0.0f);
	out[7] = fmaf(__fdividef(in[2], y), 0.5f, __fdividef(in[3], x * 2));
}
int main()
{
	float *memory;
	cudaMallocManaged(&memory, 64 * sizeof(float));
	const float in[] = {0x1p-140f, 0x1p127f, -140, 140, 0};
	for (int i = 0; i < 5; i++)
		memory[16 + i] = in[i];
	kernel<<<1, 1>>>(memory, memory + 16);
	const float numbers[] = {0x1p-130f, 0x1p-128f, 0x1p-120f, 0x1p-121f, 0x1p-122f, 0x1p-131f, 0x1p-130f};
	for (int i = 0; i < 7; i++)
		memory[32 + i] = numbers[i];
	shared_divisor<<<1, 1>>>(memory + 48, memory + 32, 3);
	cudaDeviceSynchronize();
	for (int i = 0; i < 16; i++)
		printf("%a%c", memory[i], i % 8 == 7 ? '\n' : ' ');
	for (int i = 0; i < 8; i++)
		printf("%a%c", memory[48 + i], i == 7 ? '\n' : ' ');
	return 0;
}
