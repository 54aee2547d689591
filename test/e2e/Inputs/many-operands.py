# Writes a program whose inline PTX has 128 tied operands and more behind them, as code for Hopper's tensor cores has it:
# with labels, so that the legaliser takes it apart; %130 is a number.
import sys

N = 128
step = r"".join(f"@p mad.lo.u32 %{i}, %{(i + 1) % N}, %130, %{i};\\n" for i in range(N))
tied = ", ".join(f'"+r"(d[{i}])' for i in range(N))
print(f"""#include <cstdio>
__global__ void turning(unsigned *at, unsigned rounds)
{{
	unsigned d[{N}];
	for (int i = 0; i < {N}; i++) d[i] = at[i * 32 + threadIdx.x];
	asm volatile("{{\\n.reg .pred p;\\n.reg .u32 n;\\nmov.u32 n, %128;\\nAGAIN:\\nsetp.lt.u32 p, n, %129;\\n@!p bra DONE;\\n{step}add.u32 n, n, 16;\\nbra AGAIN;\\nDONE:\\n}}\\n" : {tied} : "r"(threadIdx.x), "r"(rounds), "n"(3));
	for (int i = 0; i < {N}; i++) at[i * 32 + threadIdx.x] = d[i];
}}
static unsigned wrong(unsigned rounds)
{{
	unsigned *at, bad = 0, want[{N}];
	cudaMallocManaged(&at, {N} * 128);
	for (unsigned i = 0; i < {N} * 32; i++) at[i] = i;
	turning<<<1, 32>>>(at, rounds);
	if (cudaDeviceSynchronize()) return ~0u;
	for (unsigned lane = 0; lane < 32; lane++) {{
		for (unsigned i = 0; i < {N}; i++) want[i] = i * 32 + lane;
		for (unsigned n = lane; n < rounds; n += 16)
			for (unsigned i = 0; i < {N}; i++) want[i] += 3 * want[(i + 1) % {N}];
		for (unsigned i = 0; i < {N}; i++) bad += at[i * 32 + lane] != want[i];
	}}
	return bad;
}}
int main() {{ printf("%u wrong\\n", wrong(20)); }}
""", file=open(sys.argv[1], "w"))
