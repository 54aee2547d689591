// Threads of the host beside a kernel.
#include <omp.h>

__global__ void set(int *x)
{
	*x = 5;
}

int main()
{
	int sum = 0, value = 0, *device;
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < 1000; i++)
		sum += i;
	cudaMalloc(&device, sizeof value);
	set<<<1, 1>>>(device);
	cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost);
	printf("%s\n", sum == 499500 && value == 5 && omp_get_max_threads() > 0 ? "PASSED" : "FAILED");
	return 0;
}
