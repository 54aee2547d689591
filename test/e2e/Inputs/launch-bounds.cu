// __maxnreg__ bounds the registers of its kernel, whatever -maxrregcount says; three bounds of launches are taken for
// every architecture.
template <int A, int B> struct product {
	enum { n = A * B };
};
static __device__ void work(float *p, int n)
{
	float v[48];
#pragma unroll
	for (int i = 0; i < 48; i++)
		v[i] = p[i * n];
	for (int k = 0; k < n; k++)
#pragma unroll
		for (int i = 0; i < 48; i++)
			v[i] = v[i] * v[(i + 7) % 48] + v[(i * 5) % 48];
#pragma unroll
	for (int i = 0; i < 48; i++)
		p[i] = v[i];
}
__global__ void plain(float *p, int n)
{
	work(p, n);
}
__global__ void __maxnreg__(32) before(float *p, int n)
{
	work(p, n);
}
template <int N> __global__ __maxnreg__(N) void after(float *p, int n)
{
	work(p, n);
}
template __global__ void after<40>(float *, int);
__global__ void __launch_bounds__(product<32, 32>::n, 2, 4) bounded(float *p, int n)
{
	work(p, n);
}
