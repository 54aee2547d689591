/*
 * Memory of the runtime API. Device addresses are the simulator's; where it can map device memory at the
 * same host address (hd_sim_host_pointer), managed and mapped memory are simply device memory.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"
#include "runtime/cudart/work.h"

#define HD_PITCH 512 /* bytes: alignment of the rows of cudaMallocPitch, as on current cards */

cudaError_t hd_cudart_alloc(struct hd_cudart *cudart, void **pointer, size_t size)
{
	uint64_t address;
	if (!pointer)
		return cudaErrorInvalidValue;
	cudaError_t error = hd_cudart_start_beside(cudart);
	if (error != cudaSuccess)
		return error;
	*pointer = NULL;
	if (size == 0)
		return cudaSuccess;
	int status = hd_sim_malloc(cudart->sim, size, &address);
	if (status)
		return hd_cudart_sim_error(cudart, status);
	*pointer = (void *)(uintptr_t)address;
	return cudaSuccess;
}

cudaError_t hd_cudart_alloc_rows(struct hd_cudart *cudart, void **pointer, size_t *pitch, size_t width, size_t rows)
{
	size_t row = (width + HD_PITCH - 1) / HD_PITCH * HD_PITCH, bytes;
	if (row < width || __builtin_mul_overflow(row, rows, &bytes))
		return cudaErrorInvalidValue;
	*pitch = row;
	return hd_cudart_alloc(cudart, pointer, bytes);
}

/* Device memory that the host reads and writes under the same address. */
static cudaError_t shared_alloc(struct hd_cudart *cudart, void **pointer, size_t size, enum cudaMemoryType type)
{
	cudaError_t error = hd_cudart_alloc(cudart, pointer, size);
	if (error != cudaSuccess || !*pointer)
		return error;
	if (hd_sim_host_pointer(cudart->sim, (uintptr_t)*pointer, size) == *pointer) {
		hd_vec_push(&cudart->shared, (struct hd_shared_memory){.low = *pointer, .type = type});
		return cudaSuccess;
	}
	hd_sim_free_memory(cudart->sim, (uintptr_t)*pointer);
	*pointer = NULL;
	return cudaErrorNotSupported;
}

static void forget_shared(struct hd_cudart *cudart, const void *pointer)
{
	for (uint32_t i = 0; i < cudart->shared.len; i++)
		if (cudart->shared.data[i].low == pointer)
			cudart->shared.data[i--] = cudart->shared.data[--cudart->shared.len];
}

const struct hd_shared_memory *hd_cudart_shared(struct hd_cudart *cudart, const void *address)
{
	uint64_t low, high;
	if (!hd_sim_owns(cudart->sim, (uintptr_t)address))
		return NULL;
	hd_sim_allocation(cudart->sim, (uintptr_t)address, &low, &high);
	for (uint32_t i = 0; i < cudart->shared.len; i++)
		if ((uintptr_t)cudart->shared.data[i].low == low)
			return &cudart->shared.data[i];
	return NULL;
}

cudaError_t hd_cudart_free(struct hd_cudart *cudart, void *pointer)
{
	cudaError_t error = hd_cudart_start(cudart);
	if (error != cudaSuccess || !pointer)
		return error;
	if (hd_handle_lives(pointer, HD_HANDLE_GRAPH_MEMORY))
		return hd_graph_memory_free(cudart, pointer);
	if (hd_sim_free_memory(cudart->sim, (uintptr_t)pointer))
		return cudaErrorInvalidValue;
	forget_shared(cudart, pointer);
	hd_cudart_forget_advice(cudart, (uintptr_t)pointer);
	return cudaSuccess;
}

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
	HD_CUDART(cudart);
	return hd_cudart_return(hd_cudart_alloc(cudart, devPtr, size));
}

cudaError_t cudaFree(void *devPtr)
{
	HD_CUDART(cudart);
	return hd_cudart_return(hd_cudart_free(cudart, devPtr));
}

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
	HD_CUDART(cudart);
	if (size == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost))
		return hd_cudart_return(cudaErrorInvalidValue);
	return hd_cudart_return(shared_alloc(cudart, devPtr, size, cudaMemoryTypeManaged));
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
	HD_CUDART(cudart);
	if (!pitch)
		return hd_cudart_return(cudaErrorInvalidValue);
	return hd_cudart_return(hd_cudart_alloc_rows(cudart, devPtr, pitch, width, height));
}

/* Pinned memory is mapped memory here; where that cannot be had, plain host memory still serves as a copy's end. */
cudaError_t cudaHostAlloc(void **ptr, size_t size, unsigned int flags)
{
	HD_CUDART(cudart);
	if (!ptr || flags > (cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
		return hd_cudart_return(cudaErrorInvalidValue);
	cudaError_t error = shared_alloc(cudart, ptr, size, cudaMemoryTypeHost);
	if (error == cudaSuccess && *ptr) {
		hd_vec_last(&cudart->shared).pinned = true;
		hd_vec_last(&cudart->shared).flags = flags;
	}
	if (error == cudaErrorNotSupported && !(flags & cudaHostAllocMapped)) {
		*ptr = malloc(size);
		if (*ptr)
			hd_vec_push(&cudart->host_allocations, *ptr);
		error = *ptr ? cudaSuccess : cudaErrorMemoryAllocation;
	}
	return hd_cudart_return(error);
}

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
	return cudaHostAlloc(ptr, size, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *ptr)
{
	HD_CUDART(cudart);
	for (uint32_t i = 0; i < cudart->host_allocations.len; i++)
		if (ptr && cudart->host_allocations.data[i] == ptr) {
			free(ptr);
			cudart->host_allocations.data[i] = hd_vec_last(&cudart->host_allocations);
			cudart->host_allocations.len--;
			return cudaSuccess;
		}
	const struct hd_shared_memory *memory = ptr && cudart->sim ? hd_cudart_shared(cudart, ptr) : NULL;
	if (ptr && (!memory || !memory->pinned || memory->low != ptr))
		return hd_cudart_return(cudaErrorInvalidValue);
	return hd_cudart_return(hd_cudart_free(cudart, ptr));
}

/* Of memory by cudaHostAlloc and cudaMallocHost only; any address in it will do. */
cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
	HD_CUDART(cudart);
	const struct hd_shared_memory *memory;
	HD_TRY(hd_cudart_start(cudart));
	memory = hd_cudart_shared(cudart, pHost);
	if (!pFlags || !memory || !memory->pinned)
		return hd_cudart_return(cudaErrorInvalidValue);
	*pFlags = memory->flags;
	return cudaSuccess;
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	if (!device || flags || !hd_cudart_shared(cudart, host))
		return hd_cudart_return(cudaErrorInvalidValue);
	*device = host;
	return cudaSuccess;
}

/*
 * Whether the program can have `count` bytes of its own there: Linux maps nothing below its mmap_min_addr, 64 KiB, nor
 * above its half of the addresses, and the device's addresses are not its own. What else is not mapped is a fault of
 * the program, as on a card.
 */
static bool of_host(const struct hd_cudart *cudart, const void *memory, size_t count)
{
	const uintptr_t low = 64 << 10, high = (uintptr_t)1 << 47, at = (uintptr_t)memory;
	return at >= low && at < high && count <= high - at && !hd_sim_is_device(cudart->sim, at) &&
	       !hd_cudart_is_virtual(at);
}

/*
 * The device reaches registered memory under the host's address. Where it cannot, memory that is only to be copied
 * faster needs nothing.
 */
cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	const unsigned known =
		cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;
	if (!size || !of_host(cudart, ptr, size) || flags & ~known)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (hd_sim_owns(cudart->sim, (uintptr_t)ptr) || hd_sim_owns(cudart->sim, (uintptr_t)ptr + size - 1))
		return hd_cudart_return(cudaErrorHostMemoryAlreadyRegistered);
	if (hd_sim_adopt(cudart->sim, ptr, size) && flags & cudaHostRegisterMapped)
		return hd_cudart_return(cudaErrorNotSupported);
	hd_vec_push(&cudart->shared, (struct hd_shared_memory){.low = ptr, .type = cudaMemoryTypeHost});
	return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *ptr)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	for (uint32_t i = 0; ptr && i < cudart->shared.len; i++)
		if (cudart->shared.data[i].low == ptr && cudart->shared.data[i].type == cudaMemoryTypeHost) {
			hd_sim_drop(cudart->sim, ptr);
			forget_shared(cudart, ptr);
			return cudaSuccess;
		}
	return hd_cudart_return(ptr ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	if (free_bytes)
		*free_bytes = hd_sim_free_bytes(cudart->sim);
	if (total)
		*total = cudart->config->dram_bytes;
	return cudaSuccess;
}

/* Memory and events stay in the process that made them. */
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
	(void)handle, (void)devPtr;
	return hd_cudart_return(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
	(void)devPtr, (void)handle, (void)flags;
	return hd_cudart_return(cudaErrorNotSupported);
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr)
{
	(void)devPtr;
	return hd_cudart_return(cudaErrorNotSupported);
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
	(void)handle, (void)event;
	return hd_cudart_return(cudaErrorNotSupported);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
	(void)event, (void)handle;
	return hd_cudart_return(cudaErrorNotSupported);
}

/* ------------------------------------------------------------ set and copy */

cudaError_t hd_cudart_set(struct hd_cudart *cudart, void *pointer, int value, size_t count)
{
	return count && hd_sim_set(cudart->sim, (uintptr_t)pointer, (uint8_t)value, count) ? cudaErrorInvalidValue
											   : cudaSuccess;
}

cudaError_t hd_cudart_set_elements(struct hd_cudart *cudart, void *pointer, uint32_t value, unsigned bytes,
				   size_t count)
{
	uint8_t piece[512];
	size_t most = sizeof piece / bytes;
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < most; i++)
		memcpy(piece + i * bytes, &value, bytes);
	for (size_t done = 0, now; done < count && error == cudaSuccess; done += now) {
		now = count - done < most ? count - done : most;
		error = hd_cudart_copy(cudart, (char *)pointer + done * bytes, piece, now * bytes,
				       cudaMemcpyHostToDevice);
	}
	return error;
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	if (width > pitch && height > 1)
		return hd_cudart_return(cudaErrorInvalidValue);
	size_t bytes;
	if (!hd_cudart_rows_bytes(pitch, width, height, &bytes))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_check_set(cudart, devPtr, bytes));
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeMemset, &node));
	if (node)
		node->u.set = (struct cudaMemsetParams){devPtr, pitch, (unsigned char)value, 1, width, height};
	for (size_t row = 0; !node && width && row < height; row++)
		HD_TRY(hd_cudart_set(cudart, (char *)devPtr + row * pitch, value, width));
	return cudaSuccess;
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
	return cudaMemset2DAsync(devPtr, pitch, value, width, height, NULL);
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
	return cudaMemset2DAsync(devPtr, count, value, count, 1, stream);
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
	return cudaMemsetAsync(devPtr, value, count, NULL);
}

/* Memory of a graph is the device's also before and after it is there: what comes in a capture is known by its address.
 */
static bool owns(const struct hd_cudart *cudart, uintptr_t address)
{
	return hd_sim_owns(cudart->sim, address) || hd_graph_memory_has(cudart, address);
}

/* Which ends are device memory: told by the kind, or found out for cudaMemcpyDefault. */
static bool resolve(struct hd_cudart *cudart, const void *to, const void *from, enum cudaMemcpyKind kind,
		    bool *to_device, bool *from_device)
{
	*to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
	*from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
	/* What the host cannot reach is the device's, whatever the kind says, as with unified addresses. */
	if (kind == cudaMemcpyDefault || !*to_device)
		*to_device = owns(cudart, (uintptr_t)to);
	if (kind == cudaMemcpyDefault || !*from_device)
		*from_device = owns(cudart, (uintptr_t)from);
	return (unsigned)kind <= cudaMemcpyDefault;
}

/* Whether the first and the last byte are allocated. */
static bool of_device(const struct hd_cudart *cudart, const void *memory, size_t count)
{
	uintptr_t at = (uintptr_t)memory, last;
	return owns(cudart, at) && !__builtin_add_overflow(at, count - 1, &last) && owns(cudart, last);
}

cudaError_t hd_cudart_check_set(const struct hd_cudart *cudart, const void *pointer, size_t count)
{
	return !count || of_device(cudart, pointer, count) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t hd_cudart_check_ends(struct hd_cudart *cudart, const void *to, size_t to_bytes, const void *from,
				 size_t from_bytes, enum cudaMemcpyKind kind)
{
	bool to_device, from_device;
	if (!resolve(cudart, to, from, kind, &to_device, &from_device))
		return cudaErrorInvalidMemcpyDirection;
	if (!to_bytes || !from_bytes)
		return cudaSuccess;
	bool good = (to_device ? of_device : of_host)(cudart, to, to_bytes) &&
		    (from_device ? of_device : of_host)(cudart, from, from_bytes);
	return good ? cudaSuccess : cudaErrorInvalidValue;
}

bool hd_cudart_rows_bytes(size_t pitch, size_t width, size_t height, size_t *bytes)
{
	*bytes = 0;
	return !width || !height ||
	       (!__builtin_mul_overflow(pitch, height - 1, bytes) && !__builtin_add_overflow(*bytes, width, bytes));
}

cudaError_t hd_cudart_copy(struct hd_cudart *cudart, void *to, const void *from, size_t count, enum cudaMemcpyKind kind)
{
	bool to_device, from_device;
	uint32_t places = cudart->sim ? hd_sim_check_places(cudart->sim) : 0;
	int status = 0;
	if (!resolve(cudart, to, from, kind, &to_device, &from_device))
		return cudaErrorInvalidMemcpyDirection;
	if (count == 0)
		return cudaSuccess;
	if ((!to_device && !of_host(cudart, to, count)) || (!from_device && !of_host(cudart, from, count)))
		return cudaErrorInvalidValue;
	if (to_device && from_device)
		status = hd_sim_copy(cudart->sim, (uintptr_t)to, (uintptr_t)from, count);
	else if (to_device)
		status = hd_sim_write(cudart->sim, (uintptr_t)to, from, count);
	else if (from_device)
		status = hd_sim_read(cudart->sim, (uintptr_t)from, to, count);
	else
		memmove(to, from, count);
	if (cudart->sim)
		hd_cudart_note_findings(cudart, places);
	return status ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
			      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	if (width > dpitch || width > spitch)
		return hd_cudart_return(cudaErrorInvalidPitchValue);
	size_t to_bytes, from_bytes;
	if (!hd_cudart_rows_bytes(dpitch, width, height, &to_bytes) ||
	    !hd_cudart_rows_bytes(spitch, width, height, &from_bytes))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_check_ends(cudart, dst, to_bytes, src, from_bytes, kind));
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeMemcpy, &node));
	if (node) {
		hd_graph_set_copy(node, dst, dpitch, src, spitch, width, height, kind);
		return hd_cudart_return(hd_cudart_deferred(cudart, stream, node, cudaSuccess));
	}
	for (size_t row = 0; width && row < height; row++) /* rows of nothing may be null */
		HD_TRY(hd_cudart_copy(cudart, (char *)dst + row * dpitch, (const char *)src + row * spitch, width,
				      kind));
	return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
			 enum cudaMemcpyKind kind)
{
	return cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, NULL);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return cudaMemcpy2DAsync(dst, count, src, count, count, 1, kind, stream);
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	return cudaMemcpyAsync(dst, src, count, kind, NULL);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
	return cudaMemcpyPeerAsync(dst, dstDevice, src, srcDevice, count, NULL);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
				cudaStream_t stream)
{
	if (dstDevice != 0 || srcDevice != 0)
		return hd_cudart_return(cudaErrorInvalidDevice);
	return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_boot(cudart));
	if (!attributes)
		return hd_cudart_return(cudaErrorInvalidValue);
	memset(attributes, 0, sizeof *attributes);
	if (!hd_sim_owns(cudart->sim, (uintptr_t)ptr)) {
		attributes->type = cudaMemoryTypeUnregistered;
		attributes->device = cudaInvalidDeviceId;
		attributes->hostPointer = (void *)(uintptr_t)ptr;
		return cudaSuccess;
	}
	const struct hd_shared_memory *shared = hd_cudart_shared(cudart, ptr);
	attributes->type = shared ? shared->type : cudaMemoryTypeDevice;
	attributes->devicePointer = (void *)(uintptr_t)ptr;
	if (hd_sim_is_host_visible(cudart->sim, (uintptr_t)ptr) && !hd_cudart_is_virtual((uintptr_t)ptr))
		attributes->hostPointer = (void *)(uintptr_t)ptr;
	return cudaSuccess;
}

/* ------------------------------------------------------------ device symbols */

cudaError_t hd_cudart_symbol_range(struct hd_cudart *cudart, const void *symbol, size_t count, size_t offset,
				   void **pointer)
{
	uint64_t address, size;
	cudaError_t error = hd_cudart_start_beside(cudart);
	if (error == cudaSuccess)
		error = hd_cudart_variable(cudart, symbol, &address, &size);
	if (error != cudaSuccess)
		return error;
	if (offset > size || count > size - offset)
		return cudaErrorInvalidValue;
	*pointer = (void *)(uintptr_t)(address + offset);
	return cudaSuccess;
}

/* One way or the other between a variable and `memory`, now or in the graph that the stream makes. */
static cudaError_t copy_symbol(const void *symbol, void *memory, size_t count, size_t offset, enum cudaMemcpyKind kind,
			       cudaStream_t stream, bool to_symbol)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	void *pointer;
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_symbol_range(cudart, symbol, count, offset, &pointer));
	if (kind != (to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost) && kind != cudaMemcpyDeviceToDevice &&
	    kind != cudaMemcpyDefault)
		return hd_cudart_return(cudaErrorInvalidMemcpyDirection);
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeMemcpy, &node));
	void *to = to_symbol ? pointer : memory;
	const void *from = to_symbol ? memory : pointer;
	if (!node)
		return hd_cudart_return(hd_cudart_copy(cudart, to, from, count, kind));
	hd_graph_set_copy(node, to, count, from, count, count, 1, kind);
	return hd_cudart_return(hd_cudart_deferred(cudart, stream, node, cudaSuccess));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
				    enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_symbol(symbol, (void *)(uintptr_t)src, count, offset, kind, stream, true);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_symbol(symbol, dst, count, offset, kind, stream, false);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
			       enum cudaMemcpyKind kind)
{
	return cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, NULL);
}

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	return cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, NULL);
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
	HD_CUDART(cudart);
	return hd_cudart_return(devPtr ? hd_cudart_symbol_range(cudart, symbol, 0, 0, devPtr) : cudaErrorInvalidValue);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	HD_CUDART(cudart);
	uint64_t address, bytes;
	if (!size)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start(cudart));
	HD_TRY(hd_cudart_variable(cudart, symbol, &address, &bytes));
	*size = bytes;
	return cudaSuccess;
}
