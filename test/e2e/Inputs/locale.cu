// A host program that sets a locale, as programs with windows do.
#include <clocale>
#include <cstdio>

__global__ void twice(float *x)
{
	x[threadIdx.x] *= 2;
}

int main()
{
	char text[16];
	if (!setlocale(LC_ALL, ""))
		return 1;
	snprintf(text, sizeof text, "%.1f", 0.5);
	float *x;
	if (cudaMallocManaged(&x, 32 * sizeof *x) || (x[0] = 1, twice<<<1, 32>>>(x), cudaDeviceSynchronize()))
		return 2;
	printf("%s %d\n", text, (int)x[0]);
	return 0;
}
