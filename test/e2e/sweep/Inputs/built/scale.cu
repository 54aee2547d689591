#include "factor.h"

#ifdef DOUBLES
typedef double number;
#else
typedef float number;
#endif

__global__ void scale(number *x)
{
	x[threadIdx.x] = FACTOR * x[threadIdx.x];
}

int main()
{
	number *x, one = 1, back = 0;
	cudaMalloc(&x, sizeof one);
	cudaMemcpy(x, &one, sizeof one, cudaMemcpyHostToDevice);
	scale<<<1, 1>>>(x);
	cudaMemcpy(&back, x, sizeof one, cudaMemcpyDeviceToHost);
	return back == FACTOR ? 0 : 1;
}
