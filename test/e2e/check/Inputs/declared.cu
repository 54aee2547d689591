// __shared__ float tile[1];
#define TWICE(x) \
	((x) + (x))
namespace n {
template <int N> struct box {
	float of[N];
};
} // namespace n
__constant__ float weights[4];
/* __shared__ float
   tile[2]; */
__shared__ int counts[64], tile_count;

__global__ void shares(const float *in, float *out)
{
	const char *text = "; __shared__ float tile[3];";
	__shared__ int first;
	__shared__ __align__(16) float
		small[32], tile[32][33];
	int x = threadIdx.x, y = threadIdx.y;
	first = text[x & 3], counts[x] = y, tile_count = x, small[x] = TWICE(x);
	tile[y][x] = in[y * 32 + x];
	__syncthreads();
	out[y * 32 + x] = tile[x][y] + first + counts[y] + tile_count + small[y];
}

__device__ __noinline__ float pick(const float *in, int at)
{
	float s = 0.f, part[16], *other = (float *)in;
	for (int i = 0; i < 16; i++)
		part[i] = in[i] * other[0];
	return s + part[at & 15] * weights[at & 3];
}

__global__ void picks(const float *in, float *out)
{
	out[threadIdx.x] = pick(in, (int)in[threadIdx.x]);
}

__global__ void maps(const float *in, float *out, int width)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[(i & 63) * width + (i >> 6)];
}

__global__ void gathers(const int *at, const float *in, float *out)
{
	int i = threadIdx.x;
	int from = at[i] + 1;
	__syncthreads();
	out[i] = in[from];
}

__global__ void joins(const float *in, float *out, int n)
{
	int i = threadIdx.x;
	int other = atomicAdd((int *)out, i);
	out[n + other] = in[i];
}

__global__ void lanes(const float *in, float *out)
{
	int i = threadIdx.x;
	out[i] = in[__shfl_xor_sync(~0u, i, 5)];
}

template <int N> __global__ void gemm(const float *a, float *c)
{
	__shared__ float tile_a[N][4], x1a[N];
	int i = threadIdx.x;
	tile_a[i][i & 3] = a[i], x1a[i] = a[i + 1];
	__syncthreads();
	c[i] = tile_a[(i * 5) & (N - 1)][i & 3] + x1a[N - 1 - i];
}
template __global__ void gemm<16>(const float *, float *);

__global__ void sorts(const int *in, int *out, int n)
{
	int keys[8], part[8];
	for (int i = 0; i < 8; i++)
		keys[i] = in[i], part[i] = 0;
	for (int i = 1, j; i < n; i++)
		for (j = i; j > 0 && keys[j - 1] > keys[j]; j--) {
			int t = keys[j];
			keys[j] = keys[j - 1], keys[j - 1] = t;
		}
	int at = in[8];
	n = 0, part[at] = in[9];
	out[n] = keys[in[10]] + part[in[11]];
}
