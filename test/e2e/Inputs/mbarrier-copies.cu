// Arrivals of asynchronous copies: with .noinc they are among those that the barrier expects, without they are extra.
#include <cstdio>

__device__ unsigned over(unsigned a, unsigned which)
{
	unsigned is;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "r"(a), "r"(which) : "memory");
	return is;
}
__device__ void wait(unsigned a, unsigned which)
{
	asm volatile("{\n.reg .pred P1;\nAGAIN:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P1, [%0], %1, 0x989680;\n@!P1 bra AGAIN;\n}" ::"r"(a), "r"(which) : "memory");
}

__global__ void copies(const int *in, int *out)
{
	__shared__ alignas(16) int data[2][128];
	__shared__ alignas(8) unsigned long long bar;
	unsigned a = (unsigned)__cvta_generic_to_shared(&bar), lane = threadIdx.x;
	if (!lane)
		asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(a) : "memory");
	__syncwarp();
	for (int i = 0; i < 2; i++) {
		unsigned to = (unsigned)__cvta_generic_to_shared(&data[i][4 * lane]);
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 128 * i + 4 * lane) : "memory");
		if (!i) {
			asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(a) : "memory");
			wait(a, 0);
			out[lane] = data[0][127 - lane];
		} else {
			asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(a) : "memory");
			asm volatile("cp.async.wait_all;" ::: "memory");
			__syncwarp();
			out[32 + lane] = over(a, 1);
			// All 32 arrivals are still to come: 31 do not end the phase, the 32nd does.
			__syncwarp();
			if (lane)
				asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(a) : "memory");
			__syncwarp();
			out[32 + lane] += over(a, 1);
			__syncwarp();
			if (!lane)
				asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(a) : "memory");
			__syncwarp();
			out[32 + lane] += 2 * over(a, 1);
			wait(a, 1);
			out[64 + lane] = data[1][127 - lane];
		}
	}
}

int main()
{
	int *in, *out, wrong = 0;
	cudaMallocManaged(&in, 256 * 4);
	cudaMallocManaged(&out, 96 * 4);
	for (int i = 0; i < 256; i++)
		in[i] = 3 * i;
	copies<<<1, 32>>>(in, out);
	cudaDeviceSynchronize();
	for (int i = 0; i < 32; i++)
		wrong += (out[i] != 3 * (127 - i)) + (out[32 + i] != 2) + (out[64 + i] != 3 * (255 - i));
	printf("%d wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
	return wrong != 0;
}
