// cudaDeviceReset: what was made is gone, memory is free again, variables have their first values, and the next call begins anew.
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <thread>

static int wrong;
#define OK(call) EXPECT((call) == cudaSuccess)
#define EXPECT(holds)                                      \
	do {                                               \
		if (!(holds)) {                            \
			printf("%d: %s\n", __LINE__, #holds); \
			wrong++;                           \
		}                                          \
	} while (0)

__device__ int counted = 5, zero, *pointer = &zero;
__constant__ int constant = 7;
__managed__ int managed = 9;

__global__ void change(int *out)
{
	out[0] = counted++;
	out[1] = zero++;
	out[2] = constant;
	out[3] = managed++;
	out[4] = (*pointer)++;
	pointer = &counted;
	out[5] = malloc(3 << 20) != NULL; /* of a heap of eight megabytes, where one such block fits */
}

static void run(cudaStream_t stream)
{
	int *out, values[6] = {0};
	OK(cudaMalloc(&out, sizeof values));
	change<<<1, 1, 0, stream>>>(out);
	OK(cudaDeviceSynchronize());
	OK(cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost));
	EXPECT(values[0] == 5 && values[1] == 0 && values[2] == 7 && values[3] == 9 && values[4] == 1 && values[5]);
	EXPECT(managed == 10);
}

static size_t free_bytes()
{
	size_t left = 0, all;
	OK(cudaMemGetInfo(&left, &all));
	return left;
}

static void capture(cudaStream_t stream, cudaGraphExec_t *exec)
{
	cudaGraph_t graph;
	void *from_graph;
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaMallocAsync(&from_graph, 4096, stream));
	OK(cudaFreeAsync(from_graph, stream));
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiate(exec, graph, 0));
	OK(cudaGraphLaunch(*exec, stream));
	OK(cudaGraphDestroy(graph));
}

/* Graphs go, those of nodes and captures with what has them: nothing reaches memory that the program gets anew. */
static void graphs()
{
	cudaGraph_t graph, outer, inner;
	cudaGraphNode_t node;
	cudaGraphExec_t exec;
	cudaStream_t stream;
	int *memory, *anew;
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	OK(cudaMallocAsync(&memory, 4096, stream));
	change<<<1, 1, 0, stream>>>(memory);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphCreate(&outer, 0));
	OK(cudaGraphCreate(&inner, 0));
	OK(cudaGraphAddEmptyNode(&node, inner, NULL, 0));
	OK(cudaGraphAddChildGraphNode(&node, outer, NULL, 0, inner));
	OK(cudaGraphChildGraphNodeGetGraph(node, &inner));
	EXPECT(cudaGraphDestroy(inner) == cudaErrorInvalidValue);
	cudaGetLastError();
	OK(cudaDeviceReset());
	OK(cudaMalloc(&anew, 4096));
	EXPECT(cudaGraphInstantiate(&exec, graph, 0) != cudaSuccess);
	EXPECT(cudaGraphDestroy(graph) != cudaSuccess && cudaGraphDestroy(outer) != cudaSuccess);
	cudaGetLastError();
	OK(cudaDeviceReset());
}

static cudaError_t called;

/* A stream's function cannot wait for its stream. */
static void calls()
{
	cudaStream_t stream;
	int *memory;
	OK(cudaMalloc(&memory, 4096));
	OK(cudaStreamCreate(&stream));
	OK(cudaLaunchHostFunc(stream, [](void *) { called = cudaDeviceReset(); }, NULL));
	change<<<1, 1, 0, stream>>>(memory);
	OK(cudaStreamSynchronize(stream));
	EXPECT(called == cudaErrorNotPermitted);
	cudaGetLastError();
	OK(cudaFree(memory));
	OK(cudaStreamDestroy(stream));
	OK(cudaDeviceReset());
}

/* The capture of another thread's own stream ends with an error. */
static void threads()
{
	cudaError_t end = cudaSuccess;
	std::thread([&] {
		cudaGraph_t graph;
		OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeRelaxed));
		std::thread([] { OK(cudaDeviceReset()); }).join();
		end = cudaStreamEndCapture(cudaStreamPerThread, &graph);
	}).join();
	EXPECT(end == cudaErrorStreamCaptureInvalidated);
	cudaGetLastError();
}

int main()
{
	OK(cudaDeviceReset()); /* nothing is there yet */
	size_t before = free_bytes();
	for (int turn = 0; turn < 3; turn++) {
		void *memory, *pinned, *shared, *pooled, *registered = aligned_alloc(4096, 8192);
		cudaStream_t stream, other;
		cudaEvent_t event;
		cudaArray_t array, level;
		cudaMipmappedArray_t mipmap;
		cudaTextureObject_t texture;
		cudaGraphExec_t exec;
		cudaMemPool_t pool;
		CUdeviceptr reserved;
		CUmemGenericAllocationHandle physical;
		size_t limit = 0;
		unsigned flags = 1;
		float elapsed;
		cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
		OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
		OK(cudaMalloc(&memory, 1 << 20));
		OK(cudaHostAlloc(&pinned, 4096, cudaHostAllocMapped));
		OK(cudaMallocManaged(&shared, 4096));
		OK(cudaHostRegister(registered, 8192, cudaHostRegisterMapped));
		OK(cudaStreamCreate(&stream));
		OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
		OK(cudaEventCreate(&event));
		OK(cudaMallocArray(&array, &format, 64, 64));
		OK(cudaMallocMipmappedArray(&mipmap, &format, make_cudaExtent(64, 64, 0), 3));
		OK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
		cudaResourceDesc resource = {};
		cudaTextureDesc how = {};
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = array;
		OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
		cudaMemPoolProps props = {};
		props.allocType = cudaMemAllocationTypePinned;
		props.location.type = cudaMemLocationTypeDevice;
		OK(cudaMemPoolCreate(&pool, &props));
		OK(cudaMallocFromPoolAsync(&pooled, 4096, pool, stream));
		CUmemAllocationProp prop = {};
		prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
		prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
		EXPECT(!cuMemAddressReserve(&reserved, 4 << 20, 0, 0, 0) && !cuMemCreate(&physical, 2 << 20, &prop, 0) &&
		       !cuMemMap(reserved, 2 << 20, 0, physical, 0));
		capture(stream, &exec);
		OK(cudaEventRecord(event, other));
		run(other);
		EXPECT(free_bytes() < before);
		change<<<1, 1, 0, stream>>>((int *)memory); /* is done before the memory is gone */
		OK(cudaDeviceReset());
		OK(cudaGetLastError());

		EXPECT(free_bytes() == before);
		EXPECT(cudaFree(memory) == cudaErrorInvalidValue);
		EXPECT(cudaFreeHost(pinned) == cudaErrorInvalidValue);
		EXPECT(cudaFree(shared) == cudaErrorInvalidValue);
		EXPECT(cudaFree(pooled) == cudaErrorInvalidValue);
		EXPECT(cudaHostUnregister(registered) == cudaErrorHostMemoryNotRegistered);
		EXPECT(cudaStreamQuery(stream) == cudaErrorInvalidResourceHandle);
		EXPECT(cudaStreamDestroy(other) == cudaErrorInvalidResourceHandle);
		EXPECT(cudaEventDestroy(event) == cudaErrorInvalidResourceHandle);
		EXPECT(cudaEventElapsedTime(&elapsed, event, event) == cudaErrorInvalidResourceHandle);
		EXPECT(cudaFreeArray(array) != cudaSuccess && cudaArrayGetInfo(NULL, NULL, &flags, level) != cudaSuccess);
		EXPECT(cudaFreeMipmappedArray(mipmap) != cudaSuccess);
		EXPECT(cudaDestroyTextureObject(texture) != cudaSuccess);
		EXPECT(cudaGraphExecDestroy(exec) != cudaSuccess);
		EXPECT(cudaMemPoolDestroy(pool) != cudaSuccess);
		EXPECT(cuMemRelease(physical) && cuMemUnmap(reserved, 2 << 20));
		OK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
		EXPECT(limit == 1024 && managed == 9);
		cudaGetLastError();
		((char *)registered)[8191] = 1; /* the program's own */
		free(registered);
	}
	graphs();
	calls();
	threads();
	cudaGraph_t graph;
	OK(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
	OK(cudaDeviceReset());
	EXPECT(cudaStreamEndCapture(cudaStreamPerThread, &graph) == cudaErrorIllegalState);
	run(cudaStreamPerThread);
	OK(cudaDeviceReset());
	printf("reset: %d wrong\n", wrong);
	return wrong;
}
