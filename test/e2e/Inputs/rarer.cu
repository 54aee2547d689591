/* Rarer functions of the runtime API: copies of arrays in streams, what kernels say of themselves, nodes of any kind. */
#include <cstdio>
#include <cstring>

static int failures;
#define EXPECT(condition) (condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition))
#define OK(call) EXPECT((call) == cudaSuccess)

enum { W = 5, H = 3 };
__device__ int variable[4];
__global__ void kernel(char c, double d, int *out)
{
	*out = c + (int)d;
}

static void arrays()
{
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
	cudaArray_t array;
	cudaStream_t stream;
	float in[H][W + 1], out[H][W] = {}, run[7] = {};
	for (int i = 0; i < H * (W + 1); i++)
		(&in[0][0])[i] = i;
	OK(cudaMallocArray(&array, &desc, W, H));
	OK(cudaStreamCreate(&stream));
	OK(cudaMemcpy2DToArrayAsync(array, 0, 0, in, sizeof in[0], W * 4, H, cudaMemcpyHostToDevice, stream));
	OK(cudaMemcpy2DFromArrayAsync(out, sizeof out[0], array, 4, 1, 3 * 4, 2, cudaMemcpyDeviceToHost, stream));
	OK(cudaMemcpyFromArrayAsync(run, array, 8, 0, sizeof run, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamSynchronize(stream));
	EXPECT(out[0][0] == in[1][1] && out[1][2] == in[2][3] && out[0][3] == 0);
	EXPECT(run[0] == in[0][2] && run[3] == in[1][0] && run[6] == in[1][3]);
	EXPECT(cudaMemcpy2DToArrayAsync(array, 1, 0, in, sizeof in[0], 4, 1, cudaMemcpyHostToDevice, stream) ==
	       cudaErrorInvalidValue);
	/* In a graph: each launch copies what is there then. */
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaMemcpyToArrayAsync(array, 0, 0, in, 4, cudaMemcpyHostToDevice, stream));
	OK(cudaMemcpyFromArrayAsync(run, array, 0, 0, 4, cudaMemcpyDeviceToHost, stream));
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	in[0][0] = 77;
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	EXPECT(run[0] == 77);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	cudaMemcpy3DPeerParms peer = {};
	peer.srcArray = array;
	peer.dstPtr = make_cudaPitchedPtr(out, sizeof out[0], W, H);
	peer.extent = make_cudaExtent(W, H, 1);
	OK(cudaMemcpy3DPeer(&peer));
	EXPECT(out[0][0] == 77 && out[2][4] == in[2][4]);
	peer.dstDevice = 1;
	EXPECT(cudaMemcpy3DPeer(&peer) == cudaErrorInvalidDevice);
	int device = -1;
	OK(cudaStreamGetDevice(stream, &device));
	EXPECT(device == 0);
	OK(cudaFreeArray(array));
	OK(cudaStreamDestroy(stream));
}

static void kernels()
{
	const char *name;
	size_t offset, size, most;
	cudaKernel_t handle;
	OK(cudaFuncGetName(&name, (const void *)kernel));
	EXPECT(!strcmp(name, "_Z6kernelcdPi"));
	OK(cudaFuncGetParamInfo((const void *)kernel, 1, &offset, &size));
	EXPECT(offset == 8 && size == 8);
	EXPECT(cudaFuncGetParamInfo((const void *)kernel, 3, &offset, &size) == cudaErrorInvalidValue);
	OK(cudaGetKernel(&handle, (const void *)kernel));
	OK(cudaKernelSetAttributeForDevice(handle, cudaFuncAttributePreferredSharedMemoryCarveout, 50, 0));
	cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
	OK(cudaDeviceGetTexture1DLinearMaxWidth(&most, &desc, 0));
	EXPECT(most > 1 << 20);
}

static void nodes()
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t run, copy;
	int *out, h = 0, source[4] = {1, 2, 3, 4};
	char c = 3;
	double d = 10;
	OK(cudaMalloc(&out, sizeof *out));
	void *args[] = {&c, &d, &out};
	cudaGraphNodeParams params = {};
	params.type = cudaGraphNodeTypeKernel;
	params.kernel.func = (void *)kernel;
	params.kernel.gridDim = params.kernel.blockDim = dim3(1);
	params.kernel.kernelParams = args;
	OK(cudaGraphCreate(&graph, 0));
	OK(cudaGraphAddNode(&run, graph, nullptr, 0, &params));
	OK(cudaGraphAddMemcpyNodeToSymbol(&copy, graph, nullptr, 0, variable, source, 4, 0, cudaMemcpyHostToDevice));
	OK(cudaGraphMemcpyNodeSetParamsToSymbol(copy, variable, source, 8, 8, cudaMemcpyHostToDevice));
	EXPECT(cudaGraphMemcpyNodeSetParamsToSymbol(copy, variable, source, 8, 12, cudaMemcpyHostToDevice) ==
	       cudaErrorInvalidValue);
	c = 4;
	OK(cudaGraphNodeSetParams(run, &params));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
	EXPECT(h == 14);
	c = 5;
	OK(cudaGraphExecNodeSetParams(exec, run, &params));
	OK(cudaGraphLaunch(exec, 0));
	OK(cudaMemcpy(&h, out, sizeof h, cudaMemcpyDeviceToHost));
	EXPECT(h == 15);
	OK(cudaMemcpyFromSymbol(source, variable, sizeof source));
	EXPECT(source[0] == 0 && source[1] == 0 && source[2] == 1 && source[3] == 2);
	params.type = cudaGraphNodeTypeConditional;
	EXPECT(cudaGraphNodeSetParams(run, &params) == cudaErrorNotSupported);
	OK(cudaGraphExecDestroy(exec));
	OK(cudaGraphDestroy(graph));
	OK(cudaDeviceGraphMemTrim(0));
	OK(cudaFree(out));
}

int main()
{
	EXPECT(cudaInitDevice(1, 0, 0) == cudaErrorInvalidDevice);
	OK(cudaInitDevice(0, cudaDeviceScheduleSpin, cudaInitDeviceFlagsAreValid));
	unsigned flags;
	OK(cudaGetDeviceFlags(&flags));
	EXPECT(flags & cudaDeviceScheduleSpin);
	arrays();
	kernels();
	nodes();
	/* What there is not, and what CUDA does not document. */
	cudaUUID_t id = {};
	const void *table;
	cudaExternalMemory_t external = nullptr;
	EXPECT(cudaGetExportTable(&table, &id) == cudaErrorNotSupported);
	EXPECT(cudaDestroyExternalMemory(external) == cudaErrorNotSupported);
	printf(failures ? "FAILED\n" : "rarer: PASSED\n");
	return failures != 0;
}
