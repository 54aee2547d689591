// Prints its arguments, for plans that have a table of programs.
#include <cstdio>

__global__ void scale(int *out)
{
	out[threadIdx.x] *= 2;
}

int main(int argc, char **argv)
{
	int *numbers;
	cudaMallocManaged(&numbers, 32 * sizeof *numbers);
	scale<<<1, 32>>>(numbers);
	for (int i = 1; i < argc; i++)
		printf("%s\n", argv[i]);
	return cudaDeviceSynchronize();
}
