/* scale and two copies of limit stand in the kernel: limit is called by the kernel (line 12) and by scale (line 6). */
__device__ inline float limit(float x) { return x < 0 ? 0 : x > 1 ? 1 : x; }
__device__ inline float scale(float x, float factor)
{
	float product = x * factor;
	return limit(product + 1) + 2;
}
__global__ void both(float *p, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		p[i] = scale(p[i], 3) - limit(p[i + n]);
}

int main()
{
	float *p;
	if (cudaMalloc(&p, 2 * 1000 * sizeof *p) != cudaSuccess)
		return 1;
	cudaMemset(p, 0, 2 * 1000 * sizeof *p);
	both<<<4, 256>>>(p, 1000);
	return cudaDeviceSynchronize() != cudaSuccess;
}
