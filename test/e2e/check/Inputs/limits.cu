// Many values live at once: more than launch bounds or -maxrregcount=24 leave room for.
__device__ __forceinline__ void work(float *x)
{
	float v[40];
#pragma unroll
	for (int i = 0; i < 40; i++)
		v[i] = x[threadIdx.x + 32 * i];
	__syncthreads();
	x += blockIdx.x;
#pragma unroll
	for (int i = 0; i < 40; i++)
		x[threadIdx.x * 40 + i] = v[i] * v[39 - i];
}

__global__ void __launch_bounds__(256, 8) tight(float *x)
{
	float v[64];
#pragma unroll
	for (int i = 0; i < 64; i++)
		v[i] = x[threadIdx.x + 32 * i];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 64; i++)
		x[threadIdx.x * 64 + i] = v[i] * v[63 - i];
}

__global__ void option(float *x)
{
	work(x);
}
