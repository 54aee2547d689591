// Kernels that are preempted in different places: `loop BLOCKS`, at a barrier in a loop; `beside BLOCKS`, while the first
// warp is in a loop and the others wait at a barrier that is no point; `straight BLOCKS`, without any point; `urgent
// BLOCKS`, by a kernel of higher priority in another stream; `both BLOCKS`, by a kernel of another stream in its time slice.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                    \
	do {                                                                                           \
		if (cudaError_t error = (call)) {                                                      \
			fprintf(stderr, "%d: %s\n", __LINE__, cudaGetErrorString(error));              \
			exit(1);                                                                       \
		}                                                                                      \
	} while (0)

enum { THREADS = 256, TURNS = 40 };

__global__ void in_loop(unsigned *out, unsigned seed)
{
	__shared__ unsigned values[THREADS];
	unsigned sum = seed + blockIdx.x * THREADS + threadIdx.x;
#pragma unroll 1
	for (int turn = 0; turn < TURNS; turn++) {
		values[threadIdx.x] = sum;
		__syncthreads();
		sum = sum * 5 + values[(threadIdx.x + turn) % THREADS];
		__syncthreads();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__global__ void beside(unsigned *out, unsigned seed)
{
	__shared__ unsigned common;
	unsigned sum = seed + threadIdx.x;
	if (threadIdx.x < 32) {
#pragma unroll 1
		for (unsigned turn = 0; turn < 20 * TURNS + seed % 2; turn++)
			sum = sum * 3 + turn;
		if (threadIdx.x == 0)
			common = sum;
	}
	__syncthreads();
	out[blockIdx.x * THREADS + threadIdx.x] = sum + common;
}

__global__ void straight(unsigned *out, unsigned seed)
{
	__shared__ unsigned values[THREADS];
	unsigned sum = seed + blockIdx.x * THREADS + threadIdx.x;
#pragma unroll
	for (int turn = 0; turn < 5; turn++) {
		values[threadIdx.x] = sum;
		__syncthreads();
		sum = sum * 5 + values[(threadIdx.x + turn) % THREADS];
		__syncthreads();
	}
	out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

static void turn_block(std::vector<unsigned> &sums, unsigned turns)
{
	for (unsigned turn = 0; turn < turns; turn++) {
		std::vector<unsigned> values = sums;
		for (unsigned t = 0; t < THREADS; t++)
			sums[t] = sums[t] * 5 + values[(t + turn) % THREADS];
	}
}

static unsigned count_wrong(const char *name, const unsigned *out, unsigned blocks, unsigned seed)
{
	unsigned wrong = 0;
	for (unsigned b = 0; b < blocks; b++) {
		std::vector<unsigned> sums(THREADS);
		bool alone = !strcmp(name, "beside");
		for (unsigned t = 0; t < THREADS; t++)
			sums[t] = seed + t + (alone ? 0 : b * THREADS);
		for (unsigned t = 0; t < 32 && alone; t++)
			for (unsigned turn = 0; turn < 20 * TURNS + seed % 2; turn++)
				sums[t] = sums[t] * 3 + turn;
		if (!alone)
			turn_block(sums, strcmp(name, "straight") ? TURNS : 5);
		for (unsigned t = 0; t < THREADS; t++)
			wrong += out[b * THREADS + t] != sums[t] + (alone ? sums[0] : 0);
	}
	return wrong;
}

static unsigned run(const char *name, unsigned blocks)
{
	unsigned *out;
	std::vector<unsigned> back(blocks * THREADS);
	CHECK(cudaMalloc(&out, back.size() * 4));
	if (!strcmp(name, "beside"))
		beside<<<blocks, THREADS>>>(out, 7);
	else if (!strcmp(name, "straight"))
		straight<<<blocks, THREADS>>>(out, 7);
	else
		in_loop<<<blocks, THREADS>>>(out, 7);
	CHECK(cudaMemcpy(back.data(), out, back.size() * 4, cudaMemcpyDeviceToHost));
	CHECK(cudaFree(out));
	return count_wrong(name, back.data(), blocks, 7);
}

static unsigned run_urgent(unsigned blocks)
{
	unsigned *out, *other, urgent = 4;
	std::vector<unsigned> back(blocks * THREADS), there(urgent * THREADS);
	cudaStream_t low, high;
	CHECK(cudaStreamCreateWithPriority(&low, cudaStreamNonBlocking, 0));
	CHECK(cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -1));
	CHECK(cudaMalloc(&out, back.size() * 4));
	CHECK(cudaMalloc(&other, there.size() * 4));
	in_loop<<<blocks, THREADS, 0, low>>>(out, 7);
	straight<<<1, THREADS, 0, high>>>(other, 1); /* time passes until it has ended */
	CHECK(cudaStreamSynchronize(high));
	beside<<<urgent, THREADS, 0, high>>>(other, 9);
	CHECK(cudaStreamSynchronize(high));
	CHECK(cudaStreamSynchronize(low));
	CHECK(cudaMemcpy(there.data(), other, there.size() * 4, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(back.data(), out, back.size() * 4, cudaMemcpyDeviceToHost));
	return count_wrong("in_loop", back.data(), blocks, 7) + count_wrong("beside", there.data(), urgent, 9);
}

static unsigned run_both(unsigned blocks)
{
	unsigned *out[2], wrong = 0;
	cudaStream_t streams[2];
	std::vector<unsigned> back(blocks * THREADS);
	for (int i = 0; i < 2; i++) {
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		CHECK(cudaMalloc(&out[i], back.size() * 4));
	}
	in_loop<<<blocks, THREADS, 0, streams[0]>>>(out[0], 7);
	beside<<<blocks, THREADS, 0, streams[1]>>>(out[1], 9);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < 2; i++) {
		CHECK(cudaMemcpy(back.data(), out[i], back.size() * 4, cudaMemcpyDeviceToHost));
		wrong += count_wrong(i ? "beside" : "in_loop", back.data(), blocks, i ? 9 : 7);
	}
	return wrong;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	unsigned blocks = atoi(argv[2]);
	unsigned wrong = !strcmp(argv[1], "urgent") ? run_urgent(blocks)
			 : !strcmp(argv[1], "both") ? run_both(blocks)
						    : run(argv[1], blocks);
	printf("%s: %s (%u blocks, %u wrong)\n", argv[1], wrong ? "FAILED" : "PASSED", blocks, wrong);
	return wrong != 0;
}
