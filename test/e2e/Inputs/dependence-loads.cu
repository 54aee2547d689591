/* Loads that a program says to be of memory that nothing writes, behind the wait for the grid that writes it: each is 7. */
#include <cstdio>

/* Ends long after the next grid has begun. */
__global__ void produce(float *out, int turns)
{
	float x = out[threadIdx.x];
	cudaTriggerProgrammaticLaunchCompletion();
	for (int i = 0; i < turns; i++)
		x = x * x * 0.5f + 1;
	out[threadIdx.x] = x > 0 ? 7 : 8;
}

__global__ void restricted(const float *__restrict__ in, float *__restrict__ out)
{
	float before = out[threadIdx.x]; /* 0 */
	cudaGridDependencySynchronize();
	out[threadIdx.x] = in[threadIdx.x] + in[threadIdx.x + 1] * before;
}

__global__ void read_only(const float *in, float *out)
{
	float weight = in[512 + threadIdx.x]; /* 0 */
	cudaGridDependencySynchronize();
	out[threadIdx.x] = __ldg(in + threadIdx.x) + weight;
}

__device__ __noinline__ void wait()
{
	cudaGridDependencySynchronize();
}

/* Both loads are of one place, and only the second is behind the wait. */
__global__ void called(const float *__restrict__ in, float *__restrict__ out)
{
	float before = in[threadIdx.x] * 0;
	wait();
	out[threadIdx.x] = in[threadIdx.x] + __ldg(in + threadIdx.x) - in[threadIdx.x + 1] + before;
}

int main()
{
	void (*const kernels[])(const float *, float *) = {restricted, read_only, called};
	float *memory, result;
	cudaStream_t stream;
	cudaMalloc(&memory, 4096);
	cudaStreamCreate(&stream);
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = 1;
	config.blockDim = 64;
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	for (auto kernel : kernels) {
		cudaMemset(memory, 0, 4096);
		cudaLaunchKernelEx(&config, produce, memory, 500);
		cudaLaunchKernelEx(&config, kernel, (const float *)memory, memory + 256);
		cudaStreamSynchronize(stream);
		cudaMemcpy(&result, memory + 256, sizeof result, cudaMemcpyDeviceToHost);
		printf("%g ", result);
	}
	puts("");
}
