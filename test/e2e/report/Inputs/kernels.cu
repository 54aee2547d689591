// A kernel of one block and one that fills the GPU call one function.
#include <cstdlib>

__device__ __noinline__ float chase(const int *next, int at, int steps)
{
	float sum = 0;
	for (int i = 0; i < steps; i++) {
		at = next[at];
		sum += at;
	}
	return sum;
}

__global__ void narrow(const int *next, float *out)
{
	out[threadIdx.x] = chase(next, threadIdx.x, 40);
}

__global__ void wide(const int *next, float *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = chase(next, i % 1024, 4) + sqrtf(i);
}

int main(int argc, char **argv)
{
	int host[1024], *next;
	float *out;
	cudaStream_t streams[2];
	for (int i = 0; i < 1024; i++)
		host[i] = (i * 389 + 17) % 1024;
	cudaMalloc(&next, sizeof host);
	cudaMalloc(&out, 1 << 20);
	cudaMemcpy(next, host, sizeof host, cudaMemcpyHostToDevice);
	for (cudaStream_t &stream : streams)
		cudaStreamCreate(&stream);
	narrow<<<1, 32, 0, streams[0]>>>(next, out);
	if (argc < 2)
		cudaDeviceSynchronize();
	wide<<<160, 256, 0, streams[1]>>>(next, out + 1024);
	return cudaDeviceSynchronize();
}
