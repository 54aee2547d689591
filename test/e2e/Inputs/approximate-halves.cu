/* Approximations of halves as inline PTX, one and two of them, where they are exact. */
#include <cstdio>

__global__ void kernel(unsigned *out, unsigned short half, unsigned pair)
{
	unsigned short h[2];
	asm volatile("tanh.approx.f16 %0, %2; ex2.approx.f16 %1, %2;" : "=h"(h[0]), "=h"(h[1]) : "h"(half));
	out[0] = h[0];
	out[1] = h[1];
	asm volatile("tanh.approx.f16x2 %0, %2; ex2.approx.f16x2 %1, %2;" : "=r"(out[2]), "=r"(out[3]) : "r"(pair));
#if __CUDA_ARCH__ >= 900
	asm volatile("tanh.approx.bf16x2 %0, %2; ex2.approx.ftz.bf16x2 %1, %2;" : "=r"(out[4]), "=r"(out[5]) : "r"(0x41a00000));
#endif
}

int main()
{
	unsigned *out;
	cudaMallocManaged(&out, 32);
	kernel<<<1, 1>>>(out, 0x4d00, 0xc0004d00); /* 20; -2 and 20 */
	cudaDeviceSynchronize();
	/* 1 and 2^20, which is too large; tanh(-2) = -0.96403 and 1; a quarter */
	printf("%x %x %d %x %x\n", out[0], out[1], out[2] >> 16 >= 0xbbb5 && out[2] >> 16 <= 0xbbb8, out[2] & 0xffff, out[3]);
	printf("%x %x\n", out[4], out[5]); /* of bfloat: 20 and 0 */
	return 0;
}
