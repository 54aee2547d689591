// Builtins that few programs use: floating point that may trap, aligned pointers, memcmp, strlen and their kin, return addresses.
// The host computes what is expected.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#pragma clang force_cuda_host_device begin
static float strict(float a, float b, int *flags)
{
#pragma clang fp exceptions(strict)
	float s = a + b, d = a - b, m = a * b, q = a / b, r = __builtin_sqrtf(a * a);
	*flags = (a < b) | (a == b) << 1 | (int)(a * 3.7f) << 2 | (a != a) << 20;
	double w = a;
	w = __builtin_fma(w, 2.0, b);
	w = __builtin_floor(w) + __builtin_trunc(w) + __builtin_rint(w) + __builtin_ceil(w);
	return s + d * m - q + r + (float)w + (float)*flags + __builtin_fmaxf(a, b) + (float)__builtin_lrint(w);
}
#pragma clang force_cuda_host_device end
__global__ void k(float *p, int *f, char *text, int *q)
{
	int t = threadIdx.x, *own = q + 10 * t;
	p[t + 32] = strict(p[t], p[t ^ 5], &f[t]);
	char *c = __builtin_align_up(text + t, 16);
	char *d = __builtin_align_down(text + t, 8);
	own[0] = (int)(c - text);
	own[1] = (int)(d - text);
	own[2] = __builtin_is_aligned(text + t, 4);
	*c = 'x';
	own[3] = __builtin_memcmp(text + 300 + t, "the quick", 4);
	own[4] = __builtin_strlen(text + 300 + t);
	own[5] = __builtin_return_address(0) == nullptr;
	const char *found = (const char *)__builtin_memchr(text + 300 + t, 'o', 20), *first = __builtin_strchr(text + 300 + t, 'w');
	own[6] = found ? (int)(found - text) : -1;
	own[7] = first ? (int)(first - text) : -1;
	own[8] = __builtin_strcmp(text + 300 + t, text + 316);
	own[9] = __builtin_strncmp(text + 300 + t, text + 324, t % 5);
	__builtin___clear_cache(text, text + 4);
}
int main()
{
	float *p;
	int *f, *q;
	char *text;
	cudaMallocManaged(&p, 64 * sizeof *p);
	cudaMallocManaged(&f, 32 * sizeof *f);
	cudaMallocManaged(&text, 512);
	cudaMallocManaged(&q, 10 * 32 * sizeof *q);
	for (int i = 0; i < 32; i++)
		p[i] = i * 1.25f - 7;
	memset(text, 0, 512);
	strcpy(text + 300, "see the quick brown fox and the lazy dog");
	k<<<1, 32>>>(p, f, text, q);
	if (cudaDeviceSynchronize())
		return 1;
	int bad = 0;
	for (int t = 0; t < 32; t++) {
		const int *own = q + 10 * t;
		int flags, order = memcmp(text + 300 + t, "the quick", 4);
		float e = strict(p[t], p[t ^ 5], &flags);
		bad += e != p[32 + t] || flags != f[t];
		bad += own[0] != (t + 15) / 16 * 16 || own[1] != t / 8 * 8 || own[2] != (t % 4 == 0);
		bad += (own[3] > 0) != (order > 0) || (own[3] < 0) != (order < 0);
		bad += own[4] != (int)strlen(text + 300 + t) || !own[5];
		const char *at = text + 300 + t, *found = (const char *)memchr(at, 'o', 20), *first = strchr(at, 'w');
		bad += own[6] != (found ? (int)(found - text) : -1) || own[7] != (first ? (int)(first - text) : -1);
		order = strcmp(at, text + 316);
		bad += (own[8] > 0) != (order > 0) || (own[8] < 0) != (order < 0);
		order = strncmp(at, text + 324, t % 5);
		bad += (own[9] > 0) != (order > 0) || (own[9] < 0) != (order < 0);
	}
	bad += text[32] != 'x' || text[0] != 'x';
	printf(bad ? "builtins: %d wrong\n" : "builtins: PASSED\n", bad);
	return bad != 0;
}
