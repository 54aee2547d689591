/* Initializers of __shared__ variables, which nvcc refuses, too. */
struct counter {
	int n;
	__device__ counter(int first) : n(first) {}
};
__global__ void kernel(int *out)
{
	__shared__ int number = 3;
	__shared__ counter object(3);
	*out = number + object.n;
}
