/*
 * cudaDeviceReset: what the program made on the device is gone. Streams, events, graphs, arrays, pools, texture and
 * surface objects and memory of each kind, pinned and mapped memory among it, are freed; device variables have their
 * first values, the heap of kernels is empty, and limits and attributes are the defaults. Modules stay, with their
 * kernels. Time and statistics go on. After a fault the device goes on saying so.
 *
 * Linear in what there is.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"
#include "runtime/cudart/work.h"

static cudaError_t destroy(enum hd_handle_kind kind, const void *handle)
{
	void *object = (void *)(uintptr_t)handle;
	switch (kind) {
	case HD_HANDLE_EXEC: return cudaGraphExecDestroy(object);
	case HD_HANDLE_GRAPH: return cudaGraphDestroy(object);
	case HD_HANDLE_EVENT: return cudaEventDestroy(object);
	case HD_HANDLE_STREAM: return cudaStreamDestroy(object);
	case HD_HANDLE_MIPMAP: return cudaFreeMipmappedArray(object);
	case HD_HANDLE_ARRAY: return cudaFreeArray(object);
	case HD_HANDLE_POOL: return cudaMemPoolDestroy(object);
	default: return cudaSuccess;
	}
}

/* The default pool stays, levels go with their mipmap and graphs with the graph that they are a node of: these refuse,
 * which is no error of the program. */
static void destroy_all(enum hd_handle_kind kind)
{
	struct hd_handles list;
	cudaError_t before = *hd_cudart_last_error();
	{
		HD_CUDART(cudart);
		(void)cudart;
		hd_handles_of(kind, &list);
	}
	for (uint32_t i = 0; i < list.all.len; i++)
		destroy(kind, list.all.data[i]);
	hd_vec_release(&list.all);
	*hd_cudart_last_error() = before;
}

/* The host's own memory is the program's again. */
static void drop_registered(struct hd_cudart *cudart)
{
	for (uint32_t i = 0; i < cudart->shared.len; i++)
		if (cudart->shared.data[i].type == cudaMemoryTypeHost && !cudart->shared.data[i].pinned)
			hd_sim_drop(cudart->sim, (void *)(uintptr_t)cudart->shared.data[i].low);
	for (uint32_t i = 0; i < cudart->host_allocations.len; i++)
		free(cudart->host_allocations.data[i]);
	cudart->shared.len = cudart->host_allocations.len = 0;
}

/* Of graphs, which are gone, but for those that another thread captures. */
static void forget_graph_memory(struct hd_cudart *cudart)
{
	hd_graph_memory_sweep(cudart);
	cudart->graph_bytes[cudaGraphMemAttrUsedMemHigh] = cudart->graph_bytes[cudaGraphMemAttrUsedMemCurrent];
	cudart->graph_bytes[cudaGraphMemAttrReservedMemHigh] = cudart->graph_bytes[cudaGraphMemAttrReservedMemCurrent];
}

static void reset_memory(struct hd_cudart *cudart)
{
	hd_cudart_leave_capture(cudart, cudaStreamPerThread);
	hd_cudart_invalidate(cudart, NULL); /* those of other threads' own streams, which they end */
	hd_cudart_unbind_references(cudart);
	hd_cudart_free_objects(cudart);
	hd_cudart_reset_virtual(cudart);
	drop_registered(cudart);
	forget_graph_memory(cudart);
	hd_sim_reset_memory(cudart->sim);
	hd_cudart_restore_managed(cudart);
	hd_cudart_reset_pool(cudart);
	cudart->advice.len = cudart->opted.len = cudart->clustered.len = 0;
	memset(cudart->limits, 0, sizeof cudart->limits);
	cudart->device_flags = 0;
}

/* Whether there is anything to reset, behind the end of all work. */
static cudaError_t begin(bool *any)
{
	HD_CUDART(cudart);
	*any = false;
	if (!cudart->started || cudart->sticky != cudaSuccess)
		return cudaSuccess;
	HD_TRY(hd_cudart_start(cudart));
	HD_TRY(hd_cudart_wait_all(cudart));
	if (cudart->work.count) /* a function of the program is running on a stream, which would wait for itself */
		return hd_cudart_return(cudaErrorNotPermitted);
	*any = true;
	return cudaSuccess;
}

cudaError_t cudaDeviceReset(void)
{
	static const enum hd_handle_kind kinds[] = {HD_HANDLE_EXEC,   HD_HANDLE_GRAPH,	HD_HANDLE_EVENT,
						    HD_HANDLE_STREAM, HD_HANDLE_MIPMAP, HD_HANDLE_ARRAY,
						    HD_HANDLE_POOL};
	bool any;
	HD_TRY(begin(&any));
	for (size_t i = 0; any && i < sizeof kinds / sizeof *kinds; i++)
		destroy_all(kinds[i]);
	if (any) {
		HD_CUDART(cudart);
		reset_memory(cudart);
	}
	return cudaSuccess;
}

cudaError_t cudaThreadExit(void)
{
	return cudaDeviceReset();
}
