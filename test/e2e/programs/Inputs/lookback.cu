// A scan in one pass, whose blocks look back at those before them. Checks its own results.
#include <cstdio>
#include <cstdlib>
enum : unsigned { EMPTY, PART, WHOLE };
struct __align__(8) State
{
	unsigned flag;
	int value;
};
union Word {
	State s;
	unsigned long long w;
};
__device__ unsigned ticket;
__global__ void scan(const int *in, int *out, int n, volatile unsigned long long *state)
{
	__shared__ int s[256];
	__shared__ int before;
	__shared__ unsigned tile;
	if (threadIdx.x == 0)
		tile = atomicAdd(&ticket, 1);
	__syncthreads();
	int i = tile * 256 + threadIdx.x, v = i < n ? in[i] : 0;
	s[threadIdx.x] = v;
	__syncthreads();
	for (int d = 1; d < 256; d *= 2) {
		int t = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
		__syncthreads();
		s[threadIdx.x] += t;
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		Word w;
		w.s = {tile ? PART : WHOLE, s[255]};
		state[tile] = w.w;
		__threadfence();
		int sum = 0;
		for (int t = (int)tile - 1; t >= 0;) {
			Word o;
			o.w = state[t];
			if (o.s.flag == EMPTY)
				continue;
			sum += o.s.value;
			if (o.s.flag == WHOLE)
				break;
			t--;
		}
		before = sum;
		w.s = {WHOLE, sum + s[255]};
		__threadfence();
		state[tile] = w.w;
	}
	__syncthreads();
	if (i < n)
		out[i] = before + s[threadIdx.x];
}
int main()
{
	const int n = 256 * 37 + 19, tiles = (n + 255) / 256;
	int *in, *out;
	unsigned long long *state;
	int *h = (int *)malloc(n * 4), *r = (int *)malloc(n * 4);
	for (int i = 0; i < n; i++)
		h[i] = i * 31 % 17 - 5;
	cudaMalloc(&in, n * 4);
	cudaMalloc(&out, n * 4);
	cudaMalloc(&state, tiles * 8);
	cudaMemset(state, 0, tiles * 8);
	cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice);
	scan<<<tiles, 256>>>(in, out, n, state);
	if (cudaMemcpy(r, out, n * 4, cudaMemcpyDeviceToHost))
		return puts("err"), 1;
	int s = 0;
	for (int i = 0; i < n; i++)
		if ((s += h[i]) != r[i])
			return printf("FAIL %d %d %d\n", i, s, r[i]), 1;
	puts("PASSED");
}
