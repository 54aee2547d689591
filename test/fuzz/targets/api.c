/*
 * Calls of the CUDA API from two threads. Each call is three bytes: which, and two arguments, which pick streams,
 * events, allocations and sizes of a small set. The first half of the input is one thread's, the second half the
 * other's.
 */
#include "test/fuzz/targets/fuzz.h"

#include <pthread.h>
#include <stdlib.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "test/fuzz/targets/engine.h"

enum { SLOTS = 4, BYTES = 4096, CALL_BYTES = 3 };

struct actor {
	const uint8_t *bytes;
	size_t size;
	cudaStream_t streams[SLOTS];
	cudaEvent_t events[SLOTS];
	void *device[SLOTS], *host[SLOTS];
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	CUmodule module;
	CUfunction kernel;
	uint8_t own[BYTES];
};

static uint8_t *object;
static size_t object_bytes;

static void launch(struct actor *actor, unsigned grid, unsigned block, cudaStream_t stream)
{
	void *params[] = {&actor->device[0]};
	cuLaunchKernel(actor->kernel, grid, 1, 1, block, 1, 1, 0, stream, params, NULL);
}

static void load(struct actor *actor)
{
	if (actor->module)
		cuModuleUnload(actor->module);
	actor->module = NULL;
	actor->kernel = NULL;
	if (!cuModuleLoadData(&actor->module, object))
		cuModuleGetFunction(&actor->kernel, actor->module, "k");
}

/* A thing of the slot is made where there is none, and destroyed where there is one. */
static void toggle_stream(struct actor *actor, unsigned slot)
{
	if (!actor->streams[slot]) {
		cudaStreamCreateWithFlags(&actor->streams[slot], slot & 1 ? cudaStreamNonBlocking : cudaStreamDefault);
		return;
	}
	cudaStreamDestroy(actor->streams[slot]);
	actor->streams[slot] = NULL;
}

static void toggle_event(struct actor *actor, unsigned slot)
{
	if (!actor->events[slot]) {
		cudaEventCreateWithFlags(&actor->events[slot], slot & 1 ? cudaEventDisableTiming : cudaEventDefault);
		return;
	}
	cudaEventDestroy(actor->events[slot]);
	actor->events[slot] = NULL;
}

static void toggle_memory(struct actor *actor, unsigned slot, unsigned how)
{
	void **device = &actor->device[slot];
	if (*device) {
		if (how & 1)
			cudaFreeAsync(*device, actor->streams[how / 2 % SLOTS]);
		else
			cudaFree(*device);
		*device = NULL;
	} else if (how & 2) {
		cudaMallocManaged(device, BYTES, cudaMemAttachGlobal);
	} else if (how & 1) {
		cudaMallocAsync(device, BYTES, actor->streams[how / 4 % SLOTS]);
	} else {
		cudaMalloc(device, BYTES);
	}
}

static void toggle_host(struct actor *actor, unsigned slot)
{
	if (!actor->host[slot]) {
		cudaMallocHost(&actor->host[slot], BYTES);
		return;
	}
	cudaFreeHost(actor->host[slot]);
	actor->host[slot] = NULL;
}

static void copy(struct actor *actor, unsigned slot, unsigned how)
{
	void *host = actor->host[slot] ? actor->host[slot] : actor->own, *device = actor->device[how % SLOTS];
	size_t bytes = how * 17;
	cudaStream_t stream = actor->streams[how / 4 % SLOTS];
	switch (how / 16 % 5) {
	case 0: cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice); break;
	case 1: cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream); break;
	case 2: cudaMemcpyAsync(device, actor->device[slot], bytes, cudaMemcpyDefault, stream); break;
	case 3: cudaMemsetAsync(device, (int)how, bytes, stream); break;
	default: cudaMemcpy2DAsync(device, 64, host, 32, 16, how % 40, cudaMemcpyDefault, stream); break;
	}
}

static void capture(struct actor *actor, unsigned slot, unsigned how)
{
	cudaStream_t stream = actor->streams[slot];
	switch (how % 4) {
	case 0: cudaStreamBeginCapture(stream, (enum cudaStreamCaptureMode)(how / 4 % 3)); break;
	case 1:
		if (actor->graph)
			cudaGraphDestroy(actor->graph);
		actor->graph = NULL;
		cudaStreamEndCapture(stream, &actor->graph);
		break;
	case 2:
		if (actor->exec)
			cudaGraphExecDestroy(actor->exec);
		actor->exec = NULL;
		if (actor->graph)
			cudaGraphInstantiate(&actor->exec, actor->graph, 0);
		break;
	default:
		if (actor->exec)
			cudaGraphLaunch(actor->exec, stream);
	}
}

static void call(struct actor *actor, unsigned which, unsigned slot, unsigned how)
{
	cudaPointerAttributes attributes;
	float elapsed;
	switch (which % 16) {
	case 0: toggle_stream(actor, slot); break;
	case 1: toggle_event(actor, slot); break;
	case 2:
	case 3: toggle_memory(actor, slot, how); break;
	case 4: toggle_host(actor, slot); break;
	case 5:
	case 6: copy(actor, slot, how); break;
	case 7: load(actor); break;
	case 8:
	case 9: launch(actor, how % 5, how, actor->streams[slot]); break;
	case 10: cudaEventRecord(actor->events[slot], actor->streams[how % SLOTS]); break;
	case 11: cudaStreamWaitEvent(actor->streams[slot], actor->events[how % SLOTS], 0); break;
	case 12: cudaEventElapsedTime(&elapsed, actor->events[slot], actor->events[how % SLOTS]); break;
	case 13: capture(actor, slot, how); break;
	case 14: cudaPointerGetAttributes(&attributes, actor->device[slot]); break;
	default:
		if (how & 1)
			cudaStreamSynchronize(actor->streams[slot]);
		else
			cudaDeviceSynchronize();
	}
	cudaGetLastError();
}

static void *act(void *context)
{
	struct actor *actor = context;
	for (size_t at = 0; at + CALL_BYTES <= actor->size; at += CALL_BYTES)
		call(actor, actor->bytes[at], actor->bytes[at + 1] % SLOTS, actor->bytes[at + 2]);
	return NULL;
}

/* What the device's reset leaves to the program. */
static void clean_up(struct actor *actor)
{
	for (unsigned i = 0; i < SLOTS; i++) /* one that captures */
		cudaStreamDestroy(actor->streams[i]);
	if (actor->graph)
		cudaGraphDestroy(actor->graph);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct actor *actors = calloc(2, sizeof *actors);
	pthread_t thread;
	size_t half = size / 2;
	setenv("HEDDLE_GPU", "h100", 1); /* takes the object's code */
	if (!actors || (!object && fuzz_object(NULL, 0, &object, &object_bytes)))
		abort();
	actors[0].bytes = bytes;
	actors[0].size = half;
	actors[1].bytes = bytes + half;
	actors[1].size = size - half;
	if (pthread_create(&thread, NULL, act, &actors[1]))
		abort();
	act(&actors[0]);
	pthread_join(thread, NULL);
	clean_up(&actors[0]);
	clean_up(&actors[1]);
	cudaDeviceReset();
	free(actors);
	return 0;
}
