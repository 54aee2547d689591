// Copies to shared memory by cp.async: sizes, how much of them is copied, a predicate that leaves all out, policies.
#include <cstdint>
#include <cstdio>

constexpr int LANES = 32, WORDS = 4;
constexpr uint32_t OLD = 0xdeadbeef;

__device__ void forget(uint32_t *row)
{
	for (int i = 0; i < WORDS; i++)
		row[i] = OLD;
}

// Lane t copies t bytes of 16; from 16 on all of them.
__device__ void some(unsigned to, const uint32_t *from, int lane)
{
	asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;\n" ::"r"(to), "l"(from), "n"(16),
		     "r"(lane > 16 ? 16 : lane)
		     : "memory");
	asm volatile("cp.async.commit_group;\n" ::);
	asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
	asm volatile("cp.async.wait_all;\n" ::);
}

// Odd lanes copy 8 bytes, even ones the next 4, where odd ones have zeros; all copy the last 4.
__device__ void parts(unsigned to, const uint32_t *from, int odd)
{
	asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.ca.shared.global [%1], [%2], 8; }" ::"r"(odd),
		     "r"(to), "l"(from)
		     : "memory");
	asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; cp.async.ca.shared.global [%1+8], [%2], 4, p; }" ::"r"(odd),
		     "r"(to), "l"(from)
		     : "memory");
	uint64_t policy;
	asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
	asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0+12], [%1+4], 4, %2;" ::"r"(to), "l"(from),
		     "l"(policy)
		     : "memory");
	asm volatile("cp.async.wait_all;" ::: "memory");
	asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(from));
}

__global__ void copies(uint32_t (*out)[LANES][WORDS], const uint32_t (*in)[WORDS])
{
	__shared__ __align__(16) uint32_t tile[LANES][WORDS];
	int lane = threadIdx.x;
	unsigned to = (unsigned)__cvta_generic_to_shared(tile[lane]);
	for (int round = 0; round < 2; round++) {
		forget(tile[lane]);
		if (round == 0)
			some(to, in[lane], lane);
		else
			parts(to, in[lane], lane & 1);
		for (int i = 0; i < WORDS; i++)
			out[round][lane][i] = tile[lane][i];
	}
}

int main()
{
	uint32_t in[LANES][WORDS], out[2][LANES][WORDS], (*on_device)[WORDS], (*results)[LANES][WORDS];
	for (int i = 0; i < LANES * WORDS; i++)
		in[0][i] = 0x01020304u * (i + 1);
	cudaMalloc(&on_device, sizeof in);
	cudaMalloc(&results, sizeof out);
	cudaMemcpy(on_device, in, sizeof in, cudaMemcpyHostToDevice);
	copies<<<1, LANES>>>(results, on_device);
	cudaMemcpy(out, results, sizeof out, cudaMemcpyDeviceToHost);
	int wrong = 0;
	for (int lane = 0; lane < LANES; lane++) {
		const unsigned char *from = (unsigned char *)in[lane], *to = (unsigned char *)out[0][lane];
		for (int i = 0; i < 16; i++)
			wrong += to[i] != (i < lane ? from[i] : 0);
		const uint32_t *row = out[1][lane];
		wrong += row[0] != (lane & 1 ? in[lane][0] : OLD) || row[1] != (lane & 1 ? in[lane][1] : OLD);
		wrong += row[2] != (lane & 1 ? 0 : in[lane][0]) || row[3] != in[lane][1];
	}
	printf("%s: %d wrong\n", wrong ? "FAILED" : "PASSED", wrong);
}
