/* What clang refuses in an instance of a template only. */
struct counter {
	int n;
	__device__ counter() : n(100) {}
};
template <class T> __global__ void kernel(int *out)
{
	__shared__ T object;
	object.n = 7;
	*out = object.n;
}
int main()
{
	int *d, h = 0;
	cudaMalloc(&d, sizeof h);
	kernel<counter><<<1, 1>>>(d);
	cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
	return h != 7;
}
