// More sums and addresses than registers: values are made again where they are read (passes/opt/remade_values.c). The host
// computes the same with the same functions.
#include <cstdio>
#include <vector>

constexpr unsigned TILE = 1024, THREADS = 64, BLOCKS = 2;

// Addresses of an index that stays: each lives through the loop, beside the sums.
template <int SUMS, int PLACES>
__host__ __device__ inline unsigned constant_places(const volatile unsigned *tile, const unsigned *, unsigned thread, unsigned n)
{
	unsigned sums[SUMS] = {}, places[PLACES], all = 0;
#pragma unroll
	for (int i = 0; i < PLACES; i++)
		places[i] = (thread & 31) ^ (unsigned)(i * 31 + 7);
	for (unsigned k = 0; k < n; k++) {
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			sums[i] += tile[places[i % PLACES]] * (k + i);
	}
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		all = all * 31 + sums[i];
	return all;
}

// The index is another one in each turn of the outer loop, and what is made of it with it: the inner loop reads the last.
template <int SUMS, int PLACES>
__host__ __device__ inline unsigned places_of_a_loop(const volatile unsigned *tile, const unsigned *far, unsigned thread, unsigned n)
{
	unsigned sums[SUMS] = {}, all = 0;
	for (unsigned turn = 0; turn < 3; turn++) {
		unsigned row = (thread * 5 + turn * 17 + far[turn]) & 63, places[PLACES];
#pragma unroll
		for (int i = 0; i < PLACES; i++)
			places[i] = row ^ (unsigned)(i * 23 + 1);
		for (unsigned k = 0; k < n + (thread & 3); k++) {
#pragma unroll
			for (int i = 0; i < SUMS; i++)
				sums[i] ^= tile[places[(i + 1) % PLACES]] + k * (i + 1);
		}
	}
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		all = all * 33 + sums[i];
	return all;
}

// A source that is written again between the definition and the reads: what was made of it stays as it was.
template <int SUMS, int PLACES>
__host__ __device__ inline unsigned moved_source(const volatile unsigned *tile, const unsigned *far, unsigned thread, unsigned n)
{
	unsigned sums[SUMS] = {}, row = thread & 31, before[PLACES], all = 0;
#pragma unroll
	for (int i = 0; i < PLACES; i++)
		before[i] = row ^ (unsigned)(i * 13 + 3);
	for (unsigned k = 0; k < n; k++) {
		unsigned now[4];
#pragma unroll
		for (int i = 0; i < 4; i++)
			now[i] = row ^ (unsigned)(64 << i);
		row = (row * 3 + far[k] + 1) & 31;
		for (unsigned j = 0; j < 2 + (k & 1); j++) {
#pragma unroll
			for (int i = 0; i < SUMS; i++)
				sums[i] += tile[before[i % PLACES]] * (j + 1) + tile[now[i % 4]];
		}
	}
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		all = all * 35 + sums[i];
	return all + row;
}

// Lanes part, and read different ones of them; some are read behind the loop alone.
template <int SUMS, int PLACES>
__host__ __device__ inline unsigned parted_lanes(const volatile unsigned *tile, const unsigned *far, unsigned thread, unsigned n)
{
	unsigned sums[SUMS] = {}, places[PLACES], all = 0;
#pragma unroll
	for (int i = 0; i < PLACES; i++)
		places[i] = thread * 3 + (thread ^ (unsigned)(i * 19 + 5));
	for (unsigned k = 0; k < n; k++) {
		if ((thread >> (k & 3)) & 1) {
#pragma unroll
			for (int i = 0; i < SUMS / 2; i++)
				sums[i] += tile[places[i % PLACES] & 1023] + k;
			if (far[k] & 1)
				continue;
		} else {
#pragma unroll
			for (int i = SUMS / 2; i < SUMS; i++)
				sums[i] ^= tile[places[i % PLACES] & 1023] * (k + 1);
		}
		for (unsigned j = 0; j < (thread & 1) + 1; j++)
			sums[0] += tile[places[PLACES - 1] & 1023] ^ sums[SUMS - 1];
	}
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		all = all * 37 + sums[i] + places[i % PLACES];
	return all;
}

// Addresses of 64 bits, in pairs of registers.
template <int SUMS, int PLACES>
__host__ __device__ inline unsigned wide_places(const volatile unsigned *, const unsigned *far, unsigned thread, unsigned n)
{
	unsigned sums[SUMS] = {}, all = 0;
	const volatile unsigned *places[PLACES];
#pragma unroll
	for (int i = 0; i < PLACES; i++)
		places[i] = far + ((thread & 31) ^ (unsigned)(i * 29 + 11));
	for (unsigned k = 0; k < n; k++) {
#pragma unroll
		for (int i = 0; i < SUMS; i++)
			sums[i] += *places[i % PLACES] * (k + i);
	}
#pragma unroll
	for (int i = 0; i < SUMS; i++)
		all = all * 39 + sums[i];
	return all;
}

#define EACH(X) X(constant_places) X(places_of_a_loop) X(moved_source) X(parted_lanes) X(wide_places)

#define KERNEL(name) \
	template <int SUMS, int PLACES> \
	__global__ void name##_kernel(const unsigned *in, unsigned *out, unsigned n) \
	{ \
		__shared__ unsigned tile[TILE]; \
		for (unsigned i = threadIdx.x; i < TILE; i += THREADS) \
			tile[i] = in[i]; \
		__syncthreads(); \
		unsigned thread = blockIdx.x * THREADS + threadIdx.x; \
		out[thread] = name<SUMS, PLACES>(tile, in, thread, n); \
	}
EACH(KERNEL)

template <typename Kernel, typename Body>
static unsigned wrong(Kernel kernel, Body body, const std::vector<unsigned> &in, const unsigned *far)
{
	unsigned *out, results[THREADS * BLOCKS], count = 0;
	cudaMalloc(&out, sizeof(results));
	kernel<<<BLOCKS, THREADS>>>(far, out, 5);
	cudaMemcpy(results, out, sizeof(results), cudaMemcpyDeviceToHost);
	for (unsigned i = 0; i < THREADS * BLOCKS; i++)
		count += results[i] != body(in.data(), in.data(), i, 5);
	cudaFree(out);
	return count;
}

int main()
{
	std::vector<unsigned> in(TILE);
	unsigned *far, state = 1, count = 0;
	for (unsigned &word : in)
		word = (state = state * 1103515245 + 12345) >> 8;
	cudaMalloc(&far, TILE * sizeof(unsigned));
	cudaMemcpy(far, in.data(), TILE * sizeof(unsigned), cudaMemcpyHostToDevice);
#define RUN(name) \
	count += wrong(name##_kernel<12, 16>, name<12, 16>, in, far); \
	count += wrong(name##_kernel<96, 32>, name<96, 32>, in, far);
	EACH(RUN)
	printf("remade values: %s, %u wrong\n", count || cudaGetLastError() ? "FAILED" : "PASSED", count);
	return 0;
}
