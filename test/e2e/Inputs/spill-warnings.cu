// Kernels that need some hundred registers: with bounds on a line before, or beside; without; and one with a local array.
template <int N>
__device__ __forceinline__ void mix(float *x, int n)
{
	float v[N];
#pragma unroll
	for (int i = 0; i < N; i++)
		v[i] = x[i * 32 + threadIdx.x];
	for (int k = 0; k < n; k++)
#pragma unroll
		for (int i = 0; i < N; i++)
			v[i] = v[i] * v[(i + 7) % N] + v[(i * 5) % N];
#pragma unroll
	for (int i = 0; i < N; i++)
		x[i * 32 + threadIdx.x] = v[i];
}

__global__ void
__launch_bounds__(1024, 1)
bounded(float *x, int n)
{
	mix<96>(x, n);
}
#ifndef ONE // kernel is wanted
__global__ void __launch_bounds__(32) roomy(float *x, int n) { mix<280>(x, n); }

__global__ void free_of_bounds(float *x, int n) { mix<96>(x, n); }

__global__ void local(float *x, int n)
{
	float v[48];
	for (int i = 0; i < 48; i++)
		v[i] = x[i];
	x[n] = v[n % 48];
}
#endif
