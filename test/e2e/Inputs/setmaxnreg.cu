// Registers that warps hand on: a producer gives its own up, consumers keep more values than the kernel's bound.
// PLAN 0: 384 threads, bound 168, 40 and 232: 128 * 128 registers each way. 1: 24 and 240 of two groups, bound 128: the consumers want
// 14336 registers, and the producer gives up 13312. 2: no bound. 3: inc to less. 4: in a function that is not inlined.
// 5: consumers first: they wait for a producer that sleeps. 6: a warp too few. 7: the producer keeps many values live.
// 8: the producer waits for the consumers before it gives up its own.
#include <cstdio>
#include <cstdlib>

#ifndef PLAN
#define PLAN 0
#endif
#if PLAN == 1
#define GROUPS 2
#define BOUND __launch_bounds__(256, 2)
#define LESS 24
#define MORE 240
#elif PLAN == 2
#define GROUPS 3
#define BOUND
#define LESS 40
#define MORE 232
#elif PLAN == 3
#define GROUPS 3
#define BOUND __launch_bounds__(384, 1)
#define LESS 40
#define MORE 160
#else
#define GROUPS 3
#define BOUND __launch_bounds__(384, 1)
#define LESS 40
#define MORE 232
#endif
// The consumers' values: more than fit in the bound where that is the point, else few, which compile in a tenth of the time.
enum { VALUES = PLAN == 0 || PLAN == 4 ? 180 : PLAN == 7 ? 60 : 8, THREADS = PLAN == 6 ? GROUPS * 128 - 32 : GROUPS * 128 };

#if PLAN == 4
__device__ __noinline__ void resize()
#else
__device__ __forceinline__ void fewer()
#endif
{
	asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(LESS));
}
#if PLAN == 4
__device__ __forceinline__ void fewer()
{
	resize();
}
#endif

template <int Count> __device__ __forceinline__ void sum_up(const unsigned *in, unsigned *out, unsigned rounds)
{
	unsigned value[Count], sum = 0;
#pragma unroll
	for (int i = 0; i < Count; i++)
		value[i] = in[i * 32 + threadIdx.x % 32];
	for (unsigned round = 0; round < rounds; round++)
#pragma unroll
		for (int i = 0; i < Count; i++)
			value[i] = value[i] * 3 + value[(i + 1) % Count];
#pragma unroll
	for (int i = 0; i < Count; i++)
		sum ^= value[i];
	*out = sum;
}

__global__ void BOUND hand_on(const unsigned *in, unsigned *out, unsigned rounds)
{
	unsigned *own = &out[blockIdx.x * THREADS + threadIdx.x];
	if (threadIdx.x < 128) {
#if PLAN == 5
		__nanosleep(5000);
#elif PLAN == 8
		asm volatile("bar.sync 1, 384;" ::: "memory");
#endif
		fewer();
#if PLAN == 7
		sum_up<60>(in, own, rounds);
#else
		sum_up<8>(in, own, rounds);
#endif
	} else {
		asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(MORE));
#if PLAN == 8
		asm volatile("bar.sync 1, 384;" ::: "memory");
#endif
		sum_up<VALUES>(in, own, rounds);
	}
}

static unsigned expected(const unsigned *in, unsigned thread, unsigned rounds)
{
	unsigned value[VALUES], sum = 0, count = thread >= 128 ? VALUES : PLAN == 7 ? 60 : 8;
	for (unsigned i = 0; i < count; i++)
		value[i] = in[i * 32 + thread % 32];
	for (unsigned round = 0; round < rounds; round++)
		for (unsigned i = 0; i < count; i++)
			value[i] = value[i] * 3 + value[(i + 1) % count];
	for (unsigned i = 0; i < count; i++)
		sum ^= value[i];
	return sum;
}

int main()
{
	enum { BLOCKS = 3, ROUNDS = 2 };
	static unsigned in[VALUES * 32], out[BLOCKS * THREADS];
	unsigned *device, wrong = 0;
	for (unsigned i = 0; i < VALUES * 32; i++)
		in[i] = i * 2654435761u;
	cudaMalloc(&device, sizeof in + sizeof out);
	cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
	hand_on<<<BLOCKS, THREADS>>>(device, device + VALUES * 32, ROUNDS);
	cudaError_t error = cudaDeviceSynchronize();
	cudaMemcpy(out, device + VALUES * 32, sizeof out, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; !error && i < BLOCKS * THREADS; i++)
		wrong += out[i] != expected(in, i % THREADS, ROUNDS);
	cudaFuncAttributes attributes;
	int blocks = 0;
	cudaFuncGetAttributes(&attributes, hand_on);
	cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hand_on, THREADS, 0);
	printf("%s: %u wrong, %d registers, %d blocks\n", cudaGetErrorName(error), wrong, attributes.numRegs, blocks);
	return error || wrong;
}
