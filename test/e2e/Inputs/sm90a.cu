// Code for sm_90a alone: the feature macro is defined, and no GPU but one of capability 9.0 runs it.
#include <cstdio>

__global__ void k(int *p)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	p[0] = __CUDA_ARCH__;
#endif
}

int main()
{
	int *p;
	cudaMallocManaged(&p, sizeof *p);
	k<<<1, 1>>>(p);
	cudaError_t error = cudaGetLastError();
	cudaDeviceSynchronize();
	printf("%d %s\n", *p, cudaGetErrorName(error));
}
