/* Shared variables of functions whose names and parameters look like parts of the variables' names. */
__global__ void w5(int *o) { __shared__ int s[64]; o[threadIdx.x] = s[threadIdx.x] + 1; }
namespace n1 {
__global__ void e2(int *o) { __shared__ int a1s[64]; o[threadIdx.x] = a1s[threadIdx.x] + 1; }
}
int main()
{
	int *o;
	cudaMalloc(&o, 256);
	w5<<<1, 64>>>(o);
	n1::e2<<<1, 64>>>(o);
	cudaDeviceSynchronize();
}
