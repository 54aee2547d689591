__device__ int add(int a, int b);

__global__ void sum(int *out, int b)
{
	out[threadIdx.x] = add(out[threadIdx.x], b);
}

int main()
{
	int *numbers;
	cudaMallocManaged(&numbers, 32 * sizeof *numbers);
	sum<<<1, 32>>>(numbers, 3);
	return cudaDeviceSynchronize() || numbers[31] != 3;
}
