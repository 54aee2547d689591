// Barriers in shared memory: what a program sees of their phases (the numbers are worked out by hand), and waits.
#include <cstdio>

#define BARRIER __shared__ alignas(8) unsigned long long bar; unsigned a = (unsigned)__cvta_generic_to_shared(&bar)

__device__ void init(unsigned a, unsigned count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(a), "r"(count) : "memory"); }
__device__ unsigned parity(unsigned a, unsigned which)
{
	unsigned is;
	asm volatile("{ .reg .pred %%p; mbarrier.test_wait.parity.shared::cta.b64 %%p, [%1], %2; selp.u32 %0, 1, 0, %%p; }" : "=r"(is) : "r"(a), "r"(which) : "memory");
	return is;
}
__device__ unsigned token_over(unsigned a, unsigned long long token)
{
	unsigned is;
	asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "r"(a), "l"(token) : "memory");
	return is;
}
__device__ unsigned long long arrive(unsigned a)
{
	unsigned long long token;
	asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(a) : "memory");
	return token;
}
__device__ unsigned long long expect(unsigned a, unsigned bytes)
{
	unsigned long long token;
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(token) : "r"(a), "r"(bytes) : "memory");
	return token;
}
__device__ void complete(unsigned a, unsigned bytes) { asm volatile("mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 [%0], %1;" ::"r"(a), "r"(bytes) : "memory"); }
__device__ void wait(unsigned a, unsigned which)
{
	asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}" ::"r"(a), "r"(which) : "memory");
}

// Two arrivals and 64 bytes end a phase; then bytes that come before they are expected.
__global__ void phases(unsigned *out)
{
	BARRIER;
	init(a, 2);
	*out++ = 2 * parity(a, 0) + parity(a, 1); // 1
	unsigned long long first = expect(a, 64);
	*out++ = 2 * parity(a, 0) + parity(a, 1); // 1
	complete(a, 64);
	*out++ = 2 * parity(a, 0) + parity(a, 1); // 1
	arrive(a);
	*out++ = 2 * parity(a, 0) + parity(a, 1); // 2
	unsigned long long second = arrive(a);
	*out++ = 2 * token_over(a, first) + token_over(a, second); // 2
	asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(a) : "memory");
	init(a, 1);
	complete(a, 32);
	*out++ = parity(a, 0); // 0
	asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], 32;" ::"r"(a) : "memory");
	*out++ = parity(a, 0); // 1
	asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(a) : "memory");
	// Three threads, one of which drops out: two arrivals end the phase, and then two each.
	init(a, 3);
	asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(a) : "memory");
	arrive(a);
	*out++ = parity(a, 0); // 0
	arrive(a);
	*out++ = parity(a, 0); // 1
	unsigned long long state;
	unsigned count;
	asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], 1;" : "=l"(state) : "r"(a) : "memory");
	asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
	*out++ = count; // 2
	arrive(a);
	*out++ = parity(a, 1); // 1
}

// Warp 0 makes eight values, the others read them: a slot is full or empty by the phase of its barrier. The loops are
// unrolled, so each wait has labels of its own.
__global__ void pipeline(unsigned *out)
{
	__shared__ alignas(8) unsigned long long bars[4];
	__shared__ unsigned slots[2];
	unsigned full = (unsigned)__cvta_generic_to_shared(bars), empty = full + 16, sum = 0;
	if (threadIdx.x == 0)
		for (int s = 0; s < 2; s++) {
			init(full + 8 * s, 1);
			init(empty + 8 * s, blockDim.x - 32);
		}
	__syncthreads();
	if (threadIdx.x < 32) {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			if (threadIdx.x)
				continue;
			wait(empty + i % 2 * 8, ~(i / 2) & 1);
			slots[i % 2] = 10 * i + 1;
			arrive(full + i % 2 * 8);
		}
	} else {
#pragma unroll 4
		for (int i = 0; i < 8; i++) {
			wait(full + i % 2 * 8, i / 2 & 1);
			sum += slots[i % 2] << (i & 1);
			arrive(empty + i % 2 * 8);
		}
	}
	out[threadIdx.x] = sum;
}

// One half of a warp waits for the other, whichever comes first.
__global__ void within(unsigned *out)
{
	BARRIER;
	__shared__ unsigned value;
	if (!threadIdx.x)
		init(a, 16);
	__syncwarp();
	if (threadIdx.x < 16) {
#ifdef RACY // a read that no wait is in front of
		out[32 + threadIdx.x] = value;
#endif
		wait(a, 0);
		out[threadIdx.x] = value;
	} else {
		value = 77;
		arrive(a);
	}
}

// A wait with a limit of 1000 ns that nothing ends: no, and how long it took.
__global__ void late(unsigned *out)
{
	BARRIER;
	unsigned is;
	init(a, 1);
	long long begin = clock64();
	asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0, 1000; selp.u32 %0, 1, 0, p; }" : "=r"(is) : "r"(a) : "memory");
	out[0] = is;
	out[1] = (unsigned)(clock64() - begin);
}

int main(int argc, char **argv)
{
	static const unsigned expected[] = {1, 1, 1, 2, 2, 0, 1, 0, 1, 2, 1};
	unsigned *out, wrong = 0;
	cudaMallocManaged(&out, 4096);
	phases<<<1, 1>>>(out);
	cudaDeviceSynchronize();
	for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++)
		if (out[i] != expected[i])
			wrong++, printf("phases %u: %u\n", i, out[i]);
	pipeline<<<2, 128>>>(out);
	cudaDeviceSynchronize();
	for (unsigned i = 0; i < 128; i++)
		wrong += out[i] != (i < 32 ? 0 : 1 + 21 + 41 + 61 + 2 * (11 + 31 + 51 + 71));
	within<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	for (unsigned i = 0; i < 16; i++)
		wrong += out[i] != 77;
	late<<<1, 1>>>(out);
	cudaDeviceSynchronize();
	wrong += out[0];
	if (argc > 1) // with time: 1000 ns at 1755 MHz are 1755 cycles
		wrong += out[1] < 1755 || out[1] > 1855;
	printf("%u wrong, %s\n", wrong, cudaGetErrorName(cudaGetLastError()));
	return wrong != 0;
}
