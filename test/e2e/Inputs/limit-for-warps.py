# A kernel without launch bounds: a product of 64 x 256 in one range of registers, one of 64 x 16 in another, and as many numbers beside
# them in a loop. It needs 171 registers; with 168 it spills in the loop.
NUMBERS, SMALL, LARGE = 24, 8, 128


def product(name, words):
    names = ', '.join(f'%{i}' for i in range(words))
    sums = ', '.join(f'"+f"({name}[{i}])' for i in range(words))
    return (f'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");\n'
            f'asm volatile("wgmma.mma_async.sync.aligned.m64n{words * 2}k16.f32.f16.f16 '
            f'{{{names}}}, %{words}, %{words + 1}, 1, 1, 1, 0, 0;" : {sums} : "l"(a), "l"(b) : "memory");\n'
            'asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");')


print(f'''#include <cstdint>
__device__ uint64_t descriptor(const void *at) {{ return (__cvta_generic_to_shared(at) & 0x3ffff) >> 4 | 8ull << 16 | 8ull << 32; }}
__global__ void k(const float *in, float *out, int turns)
{{
	extern __shared__ __align__(1024) uint16_t tiles[];
	uint64_t a = descriptor(tiles), b = descriptor(tiles + 4096);
	float d[{LARGE}] = {{}}, e[{SMALL}] = {{}};''')
for i in range(NUMBERS):
    print(f'float x{i} = in[{i} * threadIdx.x];')
print('#pragma unroll 1\nfor (int t = 0; t < turns; t++) {')
print(product('e', SMALL))
print('asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");')
for i in range(SMALL):
    print(f'x{i} = x{i} * e[{i}] + x{i + 1};')
print(product('d', LARGE))
for i in range(NUMBERS):
    print(f'asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x{i}));')
print('asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");')
print(f'for (int i = 0; i < {SMALL}; i++) e[i] = in[t + i];\n}}')
for i in range(NUMBERS):
    print(f'out[{i} + threadIdx.x] = x{i};')
print(f'for (int i = 0; i < {LARGE}; i++) out[i * 128] = d[i];\nfor (int i = 0; i < {SMALL}; i++) out[i * 77] = e[i];\n}}')
