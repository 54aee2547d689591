// Host threads that call the CUDA API at once, each with streams, events, memory, a graph and launches of its own, and
// all with the legacy stream, one atomic word and the device's printf beside. `host [THREADS [ROUNDS]]`
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

enum { WORDS = 256 };

__device__ unsigned total;

__global__ void add(unsigned *to, const unsigned *from, unsigned more)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	to[i] = from[i] + more;
	if (!threadIdx.x)
		atomicAdd(&total, 1);
}

__global__ void say(unsigned who)
{
	printf("device of %u\n", who);
}

#define TRY(call)                                                                                  \
	do {                                                                                       \
		cudaError_t error = call;                                                          \
		if (error != cudaSuccess) {                                                        \
			printf("%s: %s\n", #call, cudaGetErrorName(error));                        \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static void CUDART_CB count(void *number)
{
	++*(unsigned *)number;
}

static void work(unsigned who, unsigned rounds, unsigned *wrong)
{
	unsigned *first, *second, host[WORDS], *pinned, called = 0;
	cudaStream_t stream, captured; // no stream that the legacy one waits for is captured: other threads use that meanwhile
	cudaEvent_t begin, end;
	TRY(cudaStreamCreateWithFlags(&stream, who & 1 ? cudaStreamNonBlocking : cudaStreamDefault));
	TRY(cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking));
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	TRY(cudaMallocHost(&pinned, sizeof host));
	for (unsigned round = 0; round < rounds; round++) {
		for (unsigned i = 0; i < WORDS; i++)
			pinned[i] = i * who + round;
		TRY(cudaMallocAsync(&first, sizeof host, stream));
		TRY(cudaMalloc(&second, sizeof host));
		TRY(cudaMemcpyAsync(first, pinned, sizeof host, cudaMemcpyHostToDevice, stream));
		TRY(cudaEventRecord(begin, stream));
		add<<<2, WORDS / 2, 0, stream>>>(second, first, who);
		TRY(cudaGetLastError());
		TRY(cudaLaunchHostFunc(stream, count, &called));
		TRY(cudaEventRecord(end, stream));
		TRY(cudaStreamWaitEvent(0, end, 0));
		cudaGraph_t graph;
		cudaGraphExec_t exec;
		TRY(cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal));
		add<<<2, WORDS / 2, 0, captured>>>(second, second, 1);
		TRY(cudaStreamEndCapture(captured, &graph));
		TRY(cudaGraphInstantiate(&exec, graph, 0));
		TRY(cudaGraphLaunch(exec, stream));
		TRY(cudaStreamSynchronize(stream));
		TRY(cudaMemcpy(host, second, sizeof host, cudaMemcpyDeviceToHost));
		for (unsigned i = 0; i < WORDS; i++)
			*wrong += host[i] != i * who + round + who + 1;
		*wrong += called != round + 1;
		float time;
		TRY(cudaEventElapsedTime(&time, begin, end));
		*wrong += !(time > 0);
		TRY(cudaGraphExecDestroy(exec));
		TRY(cudaGraphDestroy(graph));
		TRY(cudaFreeAsync(first, stream));
		TRY(cudaFree(second));
		size_t free, all;
		TRY(cudaMemGetInfo(&free, &all));
		*wrong += !free || free > all;
		if (cudaStreamQuery((cudaStream_t)0) != cudaErrorNotReady)
			cudaGetLastError();
	}
	say<<<1, 1, 0, stream>>>(who);
	TRY(cudaStreamSynchronize(stream));
	// An error is the thread's own.
	*wrong += cudaMalloc(&first, ~(size_t)0 >> 1) != cudaErrorMemoryAllocation;
	*wrong += cudaGetLastError() != cudaErrorMemoryAllocation;
	*wrong += cudaGetLastError() != cudaSuccess;
	TRY(cudaFreeHost(pinned));
	TRY(cudaEventDestroy(begin));
	TRY(cudaEventDestroy(end));
	TRY(cudaStreamDestroy(captured));
	TRY(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
	unsigned count = argc > 1 ? atoi(argv[1]) : 4, rounds = argc > 2 ? atoi(argv[2]) : 4, sum = 0;
	std::vector<unsigned> wrong(count);
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < count; i++)
		threads.emplace_back(work, i, rounds, &wrong[i]);
	for (auto &thread : threads)
		thread.join();
	for (unsigned one : wrong)
		sum += one;
	unsigned blocks;
	TRY(cudaMemcpyFromSymbol(&blocks, total, sizeof blocks));
	sum += blocks != count * rounds * 4;
	TRY(cudaDeviceReset());
	printf("%u threads, %u wrong\n", count, sum);
	return sum != 0;
}
