#pragma nv_diag_suppress static_var_with_dynamic_init
struct inside {
	int value;
	__device__ inside() : value(1) {}
};
__global__ void of_header(int *out)
{
	__shared__ inside object;
	object.value = 77;
	__syncthreads();
	*out = object.value;
}
static int in_header()
{
	int *d, value = 0;
	cudaMalloc(&d, sizeof *d);
	of_header<<<1, 1>>>(d);
	cudaMemcpy(&value, d, sizeof value, cudaMemcpyDeviceToHost);
	return value;
}
