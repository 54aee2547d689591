// One kernel that is launched, with a path that is not taken, and one that is not.
__device__ __noinline__ int twice(int x)
{
	return 2 * x;
}
__device__ __noinline__ int thrice(int x)
{
	return 3 * x;
}
__global__ void used(int *out, int n)
{
	int i = threadIdx.x;
	out[i] = n > 100 ? thrice(i) : twice(i);
}
__global__ void unused(int *out)
{
	out[threadIdx.x] = 1;
}
int main()
{
	int *out;
	cudaMalloc(&out, 32 * sizeof *out);
	used<<<1, 32>>>(out, 1);
	return cudaDeviceSynchronize() != cudaSuccess;
}
