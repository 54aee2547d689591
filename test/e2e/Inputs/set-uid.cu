#include <cstdio>
int main()
{
	cudaDeviceProp properties;
	if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
		return 1;
	printf("%d SMs\n", properties.multiProcessorCount);
	return 0;
}
