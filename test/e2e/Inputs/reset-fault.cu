// A reset does not undo a fault.
#include <cstdio>

__global__ void fault(int *p)
{
	*p = 1;
}

int main()
{
	void *memory;
	fault<<<1, 1>>>((int *)16);
	const char *first = cudaGetErrorName(cudaDeviceSynchronize()), *reset = cudaGetErrorName(cudaDeviceReset());
	printf("after the fault: %s %s %s\n", first, reset, cudaGetErrorName(cudaMalloc(&memory, 4)));
}
