/*
 * counts64: how often each value of six bits occurs: each thread of a block of 64 counts in bytes of its own in shared
 * memory, which lie so that no two lanes meet in a bank; the block adds them up at the end. Blocks are as many as let no
 * byte overflow, as in CUDA's sample of histograms.
 */
#include "../calls/common.h"

#define BINS 64
#define BLOCK 64
#define MOST 15 /* groups of 16 bytes of a thread: 240 counts at most */

__device__ inline void count_word(unsigned char *mine, unsigned word)
{
	mine[(word >> 2 & 0x3f) * BLOCK]++;
	mine[(word >> 10 & 0x3f) * BLOCK]++;
	mine[(word >> 18 & 0x3f) * BLOCK]++;
	mine[(word >> 26 & 0x3f) * BLOCK]++;
}

__global__ void count64(unsigned *partial, const uint4 *data, unsigned groups)
{
	__shared__ unsigned char counts[BINS * BLOCK];
	unsigned place = (threadIdx.x & 15) << 2 | (threadIdx.x & 48) >> 4;
	unsigned char *mine = counts + place;
	for (int i = 0; i < BINS / 4; i++)
		((unsigned *)counts)[threadIdx.x + i * BLOCK] = 0;
	__syncthreads();
	for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < groups; i += blockDim.x * gridDim.x) {
		uint4 group = data[i];
		count_word(mine, group.x);
		count_word(mine, group.y);
		count_word(mine, group.z);
		count_word(mine, group.w);
	}
	__syncthreads();
	const unsigned char *bin = counts + threadIdx.x * BLOCK;
	unsigned sum = 0, at = 4 * (threadIdx.x & 15);
	for (int i = 0; i < BLOCK / 4; i++, at = (at + 4) & (BLOCK - 1))
		sum += bin[at] + bin[at + 1] + bin[at + 2] + bin[at + 3];
	partial[blockIdx.x * BINS + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "counts64 [groups of 16 bytes]   (default 65536)"};
	unsigned groups = size_argument(arguments, 1, 65536, 1 << 26), seed = 3, wanted[BINS] = {0}, got[BINS] = {0};
	int blocks = blocks_for(groups, BLOCK * MOST);
	unsigned *words = host_array<unsigned>((size_t)groups * 4), *partial = host_array<unsigned>((size_t)blocks * BINS);
	for (size_t i = 0; i < (size_t)groups * 4; i++) {
		words[i] = next_random(&seed) & 0xffff0000u;
		words[i] |= next_random(&seed) >> 16;
		for (int byte = 0; byte < 4; byte++)
			wanted[words[i] >> (8 * byte + 2) & 63]++;
	}
	unsigned *dwords = device_copy(words, (size_t)groups * 4), *dpartial = device_array<unsigned>((size_t)blocks * BINS);

	count64<<<blocks, BLOCK>>>(dpartial, (const uint4 *)dwords, groups);
	CHECK_LAUNCH();

	Verdict verdict = {"counts64", 0};
	copy_back(partial, dpartial, (size_t)blocks * BINS);
	for (int i = 0; i < blocks * BINS; i++)
		got[i % BINS] += partial[i];
	for (int bin = 0; bin < BINS; bin++)
		if (got[bin] != wanted[bin])
			differs(&verdict, "bin %d has %u, not %u", bin, got[bin], wanted[bin]);
	return conclude(verdict, "%u groups, %d blocks", groups, blocks);
}
