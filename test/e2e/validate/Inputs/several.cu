/* Kernels with names of all kinds, several launches of some: what `heddle validate` matches. */
#include <cstdio>
namespace ns {
template <typename T, int N> __global__ void scale(T *x, T a)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	for (int n = 0; n < N; n++)
		x[i] = a * x[i];
}
}
namespace {
__global__ void fill(float *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] = 1;
}
}
extern "C" __global__ void nothing() {}
int main()
{
	float *x, y;
	cudaMalloc(&x, 1 << 16);
	fill<<<64, 256>>>(x, 1 << 14);
	ns::scale<float, 3><<<64, 256>>>(x, 2.0f);
	ns::scale<float, 3><<<32, 256>>>(x, 2.0f);
	ns::scale<int, 1><<<64, 256>>>((int *)x, 1);
	nothing<<<1, 32>>>();
	cudaMemcpy(&y, x, 4, cudaMemcpyDeviceToHost);
	printf("%g\n", y);
}
