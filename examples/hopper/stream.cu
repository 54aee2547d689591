/*
 * Reads memory through a ring of stages, as the warpgroups that copy for products do: one thread has copies in bulk bring
 * pieces, the other warps of the block wait for each, read one word of it and hand its room back. So copies in flight are
 * STAGES x BYTES of each block, one block on each SM.
 * stream [STAGES [BYTES [PIECES [SAME]]]]: PIECES for each block; SAME: the first STAGES again and again, which are in L2 then
 */
#include "bulk.cuh"

enum { CONSUMERS = 128, THREADS = CONSUMERS + 32, MOST = 32 };

__device__ inline void load_bytes(void *to, const void *from, unsigned bytes, barrier &bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(bar.at()) : "memory");
}

__device__ inline void next(int &s, int &parity, int stages)
{
	if (++s == stages) {
		s = 0;
		parity ^= 1;
	}
}

__global__ void __launch_bounds__(THREADS) stream(const char *from, unsigned *sums, unsigned bytes, int stages, int pieces, bool same)
{
	extern __shared__ __align__(128) char ring[];
	__shared__ barrier full[MOST], empty[MOST];
	if (threadIdx.x == 0) {
		for (int s = 0; s < stages; s++) {
			full[s].init(1);
			empty[s].init(CONSUMERS / 32);
		}
		publish_barriers();
	}
	__syncthreads();
	if (threadIdx.x >= CONSUMERS) {
		for (int i = 0, s = 0, parity = 1; i < pieces && threadIdx.x == CONSUMERS; i++) {
			empty[s].wait(parity); /* at once in the first round */
			full[s].expect(bytes);
			load_bytes(ring + s * bytes, from + ((size_t)(same ? s : i) * gridDim.x + blockIdx.x) * bytes, bytes, full[s]);
			next(s, parity, stages);
		}
		return;
	}
	unsigned sum = 0;
	for (int i = 0, s = 0, parity = 0; i < pieces; i++) {
		full[s].wait(parity);
		sum += *(const unsigned *)(ring + s * bytes + threadIdx.x * 4);
		__syncwarp();
		if (threadIdx.x % 32 == 0)
			empty[s].arrive();
		next(s, parity, stages);
	}
	sums[blockIdx.x * CONSUMERS + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	int stages = argc > 1 ? atoi(argv[1]) : 4, bytes = argc > 2 ? atoi(argv[2]) : 8192, pieces = argc > 3 ? atoi(argv[3]) : 64;
	bool same = argc > 4 && atoi(argv[4]);
	int blocks = 0, wrong = 0;
	if (stages < 1 || stages > MOST || bytes < 4 * CONSUMERS || bytes % 128 || stages * bytes > 224 * 1024 || pieces < 1) {
		fprintf(stderr, "stream: expected 1 to %d stages of a multiple of 128 bytes, 512 or more, 224 KB together, and 1 piece or more\n", MOST);
		return 2;
	}
	cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
	size_t words = (size_t)blocks * bytes / 4 * (same && stages < pieces ? stages : pieces), apart = (size_t)blocks * bytes / 4;
	unsigned *from, *sums;
	cudaMallocManaged(&from, words * sizeof *from);
	cudaMallocManaged(&sums, (size_t)blocks * CONSUMERS * sizeof *sums);
	for (size_t i = 0; i < words; i++)
		from[i] = (unsigned)(i * 2654435761u >> 7);
	cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * bytes);
	stream<<<blocks, THREADS, stages * bytes>>>((const char *)from, sums, bytes, stages, pieces, same);
	cudaError_t error = cudaDeviceSynchronize();
	for (int i = 0; i < blocks * CONSUMERS; i++) {
		unsigned sum = 0;
		for (int piece = 0; piece < pieces; piece++)
			sum += from[(same ? piece % stages : piece) * apart + (size_t)(i / CONSUMERS) * bytes / 4 + i % CONSUMERS];
		wrong += sums[i] != sum;
	}
	printf("stream: %d blocks, %d pieces of %d bytes each in %d stages, %d of %d sums are wrong, %s\n", blocks, pieces, bytes, stages, wrong, blocks * CONSUMERS, cudaGetErrorName(error));
	return wrong || error;
}
