/*
 * control: what is not arithmetic or memory: barriers by threads, both sides of a branch in one warp, launches one
 * after the other, and straight code cold and warm, by its size. launch.copy.N: of launches in a row, each of which scales
 * a square of N x N doubles into another by blocks of 64 x 16; launch.short: of half a million floats by blocks of 512.
 */
#include "micro.h"

#define ROUNDS 64

__global__ void barriers(long long *cycles)
{
	long long start = 0;
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		__syncthreads();
		start = clock64();
#pragma unroll
		for (int i = 0; i < ROUNDS; i++)
			__syncthreads();
	}
	if (threadIdx.x == 0)
		*cycles = clock64() - start;
}

static void measure_barriers()
{
	for (int threads = 32; threads <= micro_device().maxThreadsPerBlock; threads *= 2) {
		char name[64];
		snprintf(name, sizeof name, "barrier.%d", threads);
		if (!micro_wanted(name))
			continue;
		long long *cycles = micro_device_array<long long>(1);
		barriers<<<1, threads>>>(cycles);
		micro_row(name, (double)micro_read(cycles) / ROUNDS, "cycles");
		CHECK(cudaFree(cycles));
	}
}

/* Lanes below `border` go one way, the others another; both are chains of the same length. */
__global__ void divergence(unsigned border, unsigned value, long long *cycles, unsigned *out)
{
	unsigned x = threadIdx.x;
	long long start = 0;
#pragma unroll 1
	for (int warm = 0; warm < 2; warm++) {
		start = clock64();
#pragma unroll 1
		for (int i = 0; i < ROUNDS; i++) {
			if (threadIdx.x < border) {
#pragma unroll
				for (int k = 0; k < 16; k++)
					asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(value));
			} else {
#pragma unroll
				for (int k = 0; k < 16; k++)
					asm volatile("mad.hi.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(value));
			}
			__syncwarp();
		}
	}
	out[threadIdx.x] = x;
	*cycles = clock64() - start;
}

static void measure_divergence(const char *name, unsigned border)
{
	if (!micro_wanted(name))
		return;
	long long *cycles = micro_device_array<long long>(1);
	unsigned *out = micro_device_array<unsigned>(32);
	divergence<<<1, 32>>>(border, 3, cycles, out);
	micro_row(name, (double)micro_read(cycles) / ROUNDS, "cycles/branch");
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(out));
}

/* Straight code, two chains in turn, so that what is short of cycles is the supply of instructions. */
template <int SIZE>
__global__ void straight(float y, long long *cycles, float *out)
{
	float a = y, b = y;
#pragma unroll 1
	for (int pass = 0; pass < 3; pass++) {
		long long start = clock64();
#pragma unroll
		for (int i = 0; i < SIZE / 2; i++) {
			asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(a) : "f"(y));
			asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(b) : "f"(y));
		}
		if (threadIdx.x == 0)
			cycles[pass] = clock64() - start;
	}
	out[threadIdx.x] = a + b;
}

template <int SIZE>
static void measure_code()
{
	char cold[64], warm[64];
	snprintf(cold, sizeof cold, "code.cold.%d", SIZE);
	snprintf(warm, sizeof warm, "code.warm.%d", SIZE);
	bool want_cold = micro_wanted(cold), want_warm = micro_wanted(warm);
	if (!want_cold && !want_warm)
		return;
	long long *cycles = micro_device_array<long long>(3), host[3];
	float *out = micro_device_array<float>(32);
	straight<SIZE><<<1, 32>>>(0.5f, cycles, out);
	CHECK(cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost));
	if (want_cold)
		micro_row(cold, (double)host[0] / SIZE, "cycles/instruction");
	if (want_warm)
		micro_row(warm, (double)host[2] / SIZE, "cycles/instruction");
	CHECK(cudaFree(cycles));
	CHECK(cudaFree(out));
}

__global__ void nothing()
{
}

__global__ void __launch_bounds__(1024) copy_square(double *to, const double *from, int n)
{
	int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
	if (x < n && y < n)
		to[y * n + x] = from[y * n + x] * 0.25;
}

__global__ void copy_row(float *to, const float *from, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = 1.23f * from[i];
}

static void measure_squares(int n)
{
	enum { LAUNCHES = 6 };
	char row[64];
	snprintf(row, sizeof row, "launch.copy.%d", n);
	if (!micro_wanted(row))
		return;
	double *a = micro_device_array<double>((size_t)n * n), *b = micro_device_array<double>((size_t)n * n);
	dim3 block(64, 16), grid(n / 64 + 1, n / 16 + 1);
	double cycles = micro_cycles([&] {
		for (int i = 0; i < LAUNCHES; i++)
			copy_square<<<grid, block>>>(i & 1 ? a : b, i & 1 ? b : a, n);
	});
	micro_row(row, cycles / LAUNCHES, "cycles/launch");
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

static void measure_short()
{
	enum { LAUNCHES = 20, COUNT = 500000 };
	if (!micro_wanted("launch.short"))
		return;
	float *a = micro_device_array<float>(COUNT), *b = micro_device_array<float>(COUNT);
	double cycles = micro_cycles([&] {
		for (int i = 0; i < LAUNCHES; i++)
			copy_row<<<(COUNT + 511) / 512, 512>>>(a, b, COUNT);
	});
	micro_row("launch.short", cycles / LAUNCHES, "cycles/launch");
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
}

static void measure_launches()
{
	int launches = 100;
	if (micro_wanted("launch.row"))
		micro_row("launch.row", micro_cycles([&] {
						for (int i = 0; i < launches; i++)
							nothing<<<1, 32>>>();
					}) / launches,
			  "cycles/launch");
	if (micro_wanted("launch.alone"))
		micro_row("launch.alone", micro_cycles([&] { nothing<<<1, 32>>>(); }), "cycles/launch");
}

int main(int argc, char **argv)
{
	micro_begin(argc, argv, "usage: control [--list] [PREFIX]...   rows whose names begin so (default: all)");
	measure_barriers();
	measure_divergence("branch.together", 32);
	measure_divergence("branch.apart", 16);
	measure_code<128>();
	measure_code<512>();
	measure_code<1024>();
	measure_code<2048>();
	measure_code<4096>();
	measure_code<8192>();
	measure_launches();
	measure_short();
	static const int squares[] = {64, 200, 369, 505, 695, 1013};
	for (int n : squares)
		measure_squares(n);
	return 0;
}
