// Early returns in loops before counting barriers, register-tiled products, atomics of many types, shuffles of wide
// types, text. Checks its own results.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
template <typename T, int M, int N, int K>
__global__ void __launch_bounds__(64) gemm(const T *a, const T *b, T *c, int n)
{
	__shared__ T as[K][8 * M], bs[K][8 * N];
	T acc[M][N] = {};
	int tx = threadIdx.x % 8, ty = threadIdx.x / 8, r0 = blockIdx.y * 8 * M, c0 = blockIdx.x * 8 * N;
	for (int k = 0; k < n; k += K) {
		for (int i = threadIdx.x; i < K * 8 * M; i += 64)
			as[i % K][i / K] = a[(r0 + i / K) * n + k + i % K];
		for (int i = threadIdx.x; i < K * 8 * N; i += 64)
			bs[i / (8 * N)][i % (8 * N)] = b[(k + i / (8 * N)) * n + c0 + i % (8 * N)];
		__syncthreads();
#pragma unroll
		for (int q = 0; q < K; q++) {
			T x[M], y[N];
			for (int i = 0; i < M; i++)
				x[i] = as[q][ty * M + i];
			for (int j = 0; j < N; j++)
				y[j] = bs[q][tx * N + j];
			for (int i = 0; i < M; i++)
				for (int j = 0; j < N; j++)
					acc[i][j] += x[i] * y[j];
		}
		__syncthreads();
	}
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++)
			c[(r0 + ty * M + i) * n + c0 + tx * N + j] = acc[i][j];
}
__global__ void returns(int *o, int n)
{
	int t = threadIdx.x;
	__shared__ int s[4];
	if (t < 4)
		s[t] = 0;
	__syncthreads();
	for (int i = 0; i < n; i++) {
		if (t % 8 == i) {
			if (t > 40) {
				o[t] = -t;
				return;
			}
			if (t & 16) {
				atomicAdd(&s[i & 3], t);
				continue;
			}
		}
		int v = __popc(__activemask());
		atomicMax(&s[3], v);
	}
	int c = __syncthreads_count(t & 1), a = __syncthreads_and(t < 1000), r = __syncthreads_or(t == 5);
	o[t] = s[0] + s[1] * 100 + c * 10000 + a * 1000000 + r * 2000000;
}
__global__ void many(float *f, double *d, unsigned long long *u, int *o)
{
	__shared__ float sf;
	__shared__ double sd;
	__shared__ unsigned long long su;
	__shared__ int si;
	__shared__ unsigned sb;
	int t = threadIdx.x;
	if (!t)
		sf = 0, sd = 0, su = 0, si = 1 << 30, sb = ~0u;
	__syncthreads();
	atomicAdd(&sf, 0.5f * t);
	atomicAdd(&sd, 0.25 * t);
	atomicAdd(&su, 1ull << 33);
	atomicMin(&si, 100 - t);
	atomicAnd(&sb, ~(1u << (t & 31)));
	atomicXor(&sb, 0u);
	__syncthreads();
	long long c0 = clock64();
	int g[4][5];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			g[i][j] = i * t + j;
	int x = t % 4, y = t % 5;
	g[x][y] += g[y % 4][x];
	int sum = 0;
	for (auto &r : g)
		for (int v : r)
			sum += v;
	if (!t)
		*f = sf, *d = sd, *u = su + (clock64() > c0 ? 0 : 1), o[64] = si, o[65] = sb;
	o[t] = sum + (int)__shfl_xor_sync(~0u, (double)t, 3) + (int)__shfl_up_sync(~0u, (long long)t << 32, 1) +
	       (int)(__shfl_down_sync(~0u, (unsigned long long)t << 40, 2) >> 40);
}
__device__ int parse(const char *s, char *rev)
{
	int v = 0, n = 0;
	bool neg = *s == '-';
	if (neg)
		s++;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + *s - '0';
	char tmp[16];
	int x = v;
	do
		tmp[n++] = '0' + x % 10;
	while (x /= 10);
	for (int i = 0; i < n; i++)
		rev[i] = tmp[i];
	rev[n] = 0;
	return neg ? -v : v;
}
__global__ void strings(const char *in, const int *at, char *rev, int *out)
{
	out[threadIdx.x] = parse(in + at[threadIdx.x], rev + 16 * threadIdx.x);
}
int main()
{
	const int n = 64;
	std::vector<float> a(n * n), b(n * n), c(n * n);
	for (int i = 0; i < n * n; i++)
		a[i] = i % 13 - 6, b[i] = i % 7 - 3;
	float *da, *db, *dc;
	cudaMalloc(&da, 4 * n * n);
	cudaMalloc(&db, 4 * n * n);
	cudaMalloc(&dc, 4 * n * n);
	cudaMemcpy(da, a.data(), 4 * n * n, cudaMemcpyHostToDevice);
	cudaMemcpy(db, b.data(), 4 * n * n, cudaMemcpyHostToDevice);
	gemm<float, 4, 4, 8><<<dim3(2, 2), 64>>>(da, db, dc, n);
	if (cudaMemcpy(c.data(), dc, 4 * n * n, cudaMemcpyDeviceToHost))
		return puts("err"), 1;
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			float s = 0;
			for (int k = 0; k < n; k++)
				s += a[i * n + k] * b[k * n + j];
			if (s != c[i * n + j])
				return printf("FAIL gemm %d %d\n", i, j), 1;
		}
	int *o;
	cudaMallocManaged(&o, 400);
	returns<<<1, 64>>>(o, 8);
	cudaError_t e = cudaDeviceSynchronize();
	if (e)
		return puts(cudaGetErrorString(e)), 1;
	int s0 = 0, s1 = 0, odd = 0;
	for (int t = 0; t < 64; t++) {
		bool gone = t > 40;
		if (!gone) {
			odd += t & 1;
			if (t & 16) {
				if (t % 8 % 4 == 0)
					s0 += t;
				if (t % 8 % 4 == 1)
					s1 += t;
			}
		}
	}
	for (int t = 0; t < 64; t++) {
		int w = t > 40 ? -t : s0 + s1 * 100 + odd * 10000 + 3000000;
		if (o[t] != w)
			return printf("FAIL returns %d %d %d\n", t, o[t], w), 1;
	}
	float *f;
	double *d;
	unsigned long long *u;
	cudaMallocManaged(&f, 4);
	cudaMallocManaged(&d, 8);
	cudaMallocManaged(&u, 8);
	many<<<1, 64>>>(f, d, u, o);
	e = cudaDeviceSynchronize();
	if (e)
		return puts(cudaGetErrorString(e)), 1;
	if (*f != 0.5f * 2016 || *d != 0.25 * 2016 || *u != 64ull << 33 || o[64] != 37 || o[65])
		return printf("FAIL many %g %g %llx %d %x\n", *f, *d, *u, o[64], o[65]), 1;
	for (int t = 0; t < 64; t++) {
		int x = t % 4, y = t % 5, sum = t * 6 * 5 + 10 * 4 + (y % 4) * t + x, l = t & 31;
		int w = sum + (t ^ 3) + (l + 2 < 32 ? t + 2 : t);
		if (o[t] != w)
			return printf("FAIL many %d %d %d\n", t, o[t], w), 1;
	}
	char *in, *rev;
	int *at;
	cudaMallocManaged(&in, 1000);
	cudaMallocManaged(&rev, 512);
	cudaMallocManaged(&at, 128);
	char *p = in;
	for (int i = 0; i < 32; i++) {
		at[i] = p - in;
		p += sprintf(p, "%d", (i - 16) * 12347) + 1;
	}
	strings<<<1, 32>>>(in, at, rev, o);
	e = cudaDeviceSynchronize();
	if (e)
		return puts(cudaGetErrorString(e)), 1;
	for (int i = 0; i < 32; i++) {
		int v = (i - 16) * 12347;
		char w[16];
		sprintf(w, "%d", abs(v));
		for (int k = 0, m = strlen(w); k < m / 2; k++)
			std::swap(w[k], w[m - 1 - k]);
		if (o[i] != v || strcmp(w, rev + 16 * i))
			return printf("FAIL strings %d %d %s\n", i, o[i], rev + 16 * i), 1;
	}
	puts("PASSED");
}
