/* Loads of shared memory with a known degree of conflicts, and instructions of double precision. */
#include <cstdio>

__global__ void conflict(int *out)
{
	__shared__ volatile int words[32 * 32];
	int lane = threadIdx.x % 32, sum = 0;
	for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
		words[i] = i;
	__syncthreads();
	for (int i = 0; i < 64; i++) {
		sum += words[lane * 32]; // 32-way
		sum += words[lane];	 // none
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void doubles(double *out, double by)
{
	double a = threadIdx.x, b = by;
	int count = threadIdx.x;
	for (int i = 0; i < 64; i++) {
		a = a * by + 1; // double
		b = b * by + 1;
		count = count * 3 + i;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + count;
}

int main()
{
	int *out;
	double *doubled;
	cudaMalloc(&out, 1024 * sizeof(*out));
	cudaMalloc(&doubled, 1024 * sizeof(*doubled));
	conflict<<<1, 1024>>>(out);
	doubles<<<1, 1024>>>(doubled, 0.5);
	return cudaDeviceSynchronize();
}
