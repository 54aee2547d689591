/*
 * Two kernels that take long before the second one waits for the first: in a stream, in a graph, with an event in
 * between, in the legacy stream, where the second one stops with a fault, and where the first one waits for the second.
 * dependence MODE EARLY
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void step(int *value, int length, int wrong)
{
	unsigned x = threadIdx.x;
	cudaTriggerProgrammaticLaunchCompletion();
	for (int i = 0; i < length; i++)
		x = x * 1664525 + 1013904223;
	if (!threadIdx.x) /* one thread asks, its warp waits */
		cudaGridDependencySynchronize();
	__syncthreads();
	int before = *(volatile int *)value;
	__syncthreads();
	if (wrong)
		asm volatile("trap;");
	if (!threadIdx.x)
		*value = 3 * before + 1 + (x == 12345);
}

__global__ void spin(volatile int *value)
{
	cudaTriggerProgrammaticLaunchCompletion();
	while (*value == 1)
		;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "stream";
	bool legacy = !strcmp(mode, "legacy"), fault = !strcmp(mode, "fault"), graphs = !strcmp(mode, "graph");
	cudaStream_t stream = NULL;
	cudaEvent_t from, to, between;
	int *value;
	cudaMallocManaged(&value, sizeof *value);
	*value = 1;
	if (!legacy)
		cudaStreamCreate(&stream);
	cudaEventCreate(&from);
	cudaEventCreate(&to);
	cudaEventCreate(&between);
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = argc > 2 ? atoi(argv[2]) : 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = 1;
	config.blockDim = 64;
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	if (graphs)
		cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	else
		cudaEventRecord(from, stream);
	if (!strcmp(mode, "deadlock"))
		cudaLaunchKernelEx(&config, spin, (volatile int *)value);
	cudaLaunchKernelEx(&config, step, value, 2000, 0);
	if (!strcmp(mode, "event")) {
		cudaEventRecord(between, stream);
		cudaStreamWaitEvent(stream, between);
	}
	cudaLaunchKernelEx(&config, step, value, 2000, (int)fault);
	cudaLaunchKernelEx(&config, step, value, 10, 0);
	if (graphs) {
		cudaStreamEndCapture(stream, &graph);
		cudaGraphInstantiate(&exec, graph, 0);
		cudaEventRecord(from, stream);
		cudaGraphLaunch(exec, stream);
	}
	cudaEventRecord(to, stream);
	cudaError_t error = legacy ? cudaDeviceSynchronize() : cudaStreamSynchronize(stream);
	float milliseconds = 0;
	cudaEventElapsedTime(&milliseconds, from, to);
	if (error == cudaSuccess)
		printf("%s: %d, %.0f ns\n", mode, *value, milliseconds * 1e6);
	else
		printf("%s: %s\n", mode, cudaGetErrorString(error));
	return 0;
}
