/*
 * copies [COPIES [MIB]]: a whole Hopper GPU with copies in bulk in flight. One warp per SM makes so many copies of 8 KiB from
 * an array of MIB MiB to shared memory, four of them in flight, and adds up a word of each lane. An array larger than L2
 * comes from memory. For make bench-copies.
 */
#include "../../examples/hopper/bulk.cuh"

enum { BYTES = 8192, WORDS = BYTES / 4, STAGES = 4 };

static __device__ void load_piece(void *to, const void *from, barrier &bar)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
		     ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(BYTES), "r"(bar.at()) : "memory");
}

static __host__ __device__ size_t word_of(int copy, unsigned block, unsigned blocks, size_t pieces, unsigned lane)
{
	return ((size_t)copy * blocks + block) % pieces * WORDS + lane;
}

__global__ void read_all(const unsigned *from, size_t pieces, int copies, unsigned *sums)
{
	extern __shared__ __align__(128) unsigned buffer[];
	__shared__ barrier full[STAGES];
	unsigned sum = 0;
	if (threadIdx.x == 0) {
		for (int s = 0; s < STAGES; s++)
			full[s].init(1);
		publish_barriers();
	}
	__syncwarp();
	for (int i = 0; i < copies + STAGES; i++) {
		unsigned *stage = buffer + i % STAGES * WORDS;
		barrier &bar = full[i % STAGES];
		if (i >= STAGES) {
			bar.wait((i / STAGES - 1) & 1);
			sum += stage[threadIdx.x];
		}
		__syncwarp();
		if (threadIdx.x == 0 && i < copies) {
			bar.expect(BYTES);
			load_piece(stage, from + word_of(i, blockIdx.x, gridDim.x, pieces, 0), bar);
		}
	}
	sums[blockIdx.x * 32 + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	int copies = argc > 1 ? atoi(argv[1]) : 128, mib = argc > 2 ? atoi(argv[2]) : 128, blocks = 0, wrong = 0;
	unsigned *words, *sums;
	if (copies <= 0 || mib <= 0 || mib > 1024)
		return fputs("usage: copies [COPIES [MIB]]\n", stderr), 2;
	size_t count = (size_t)mib << 18, pieces = count / WORDS;
	cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, 0);
	cudaMallocManaged(&words, count * sizeof *words);
	cudaMallocManaged(&sums, (size_t)blocks * 32 * sizeof *sums);
	for (size_t i = 0; i < count; i += WORDS) /* what is added, of each piece */
		for (unsigned lane = 0; lane < 32; lane++)
			words[i + lane] = (unsigned)(i / WORDS * 40503 + lane);
	read_all<<<blocks, 32, STAGES * BYTES>>>(words, pieces, copies, sums);
	cudaError_t error = cudaDeviceSynchronize();
	for (unsigned block = 0; block < (unsigned)blocks; block++)
		for (unsigned lane = 0; lane < 32; lane++) {
			unsigned sum = 0;
			for (int i = 0; i < copies; i++)
				sum += words[word_of(i, block, (unsigned)blocks, pieces, lane)];
			wrong += sums[block * 32 + lane] != sum;
		}
	printf("copies: %s\n", error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
