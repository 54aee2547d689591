/*
 * Streams and events. An event is the simulated cycle at which it was recorded; elapsed times are simulated time. What
 * streams do: work.c. Streams that capture: capture.c.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"
#include "runtime/cudart/work.h"

struct CUstream_st *hd_cudart_stream(cudaStream_t stream)
{
	static _Thread_local struct CUstream_st per_thread;
	if (stream == cudaStreamPerThread)
		return &per_thread;
	return stream == cudaStreamLegacy ? NULL : stream;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	HD_CUDART(cudart);
	if (!stream || flags > cudaStreamNonBlocking)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start_beside(cudart));
	*stream = hd_xcalloc(1, sizeof **stream);
	(*stream)->flags = flags;
	(*stream)->priority = priority;
	(*stream)->id = ++cudart->next_id;
	hd_handle_add(*stream, HD_HANDLE_STREAM);
	return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
	return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

/* The default streams are constants, not objects. */
static bool is_object(cudaStream_t stream)
{
	return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	if (!priority)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	*priority = is_object(stream) ? stream->priority : 0;
	return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	if (!flags)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	*flags = is_object(stream) ? stream->flags : cudaStreamDefault;
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	if (!is_object(stream))
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	HD_TRY(cudart->sticky);
	HD_TRY(hd_cudart_wait_stream(cudart, stream));
	hd_cudart_leave_capture(cudart, stream);
	hd_vec_release(&stream->last);
	hd_handle_drop(stream);
	free(stream);
	return cudaSuccess;
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *streamId)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	if (!streamId)
		return hd_cudart_return(cudaErrorInvalidValue);
	*streamId = is_object(stream) ? stream->id : 0;
	return cudaSuccess;
}

/* Attributes are hints, and remembered. */
static cudaLaunchAttributeValue *attribute_of(struct CUstream_st *stream, cudaStreamAttrID attr)
{
	if (attr == cudaLaunchAttributeAccessPolicyWindow)
		return &stream->window;
	return attr == cudaLaunchAttributeSynchronizationPolicy ? &stream->policy : NULL;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attr, const cudaStreamAttrValue *value)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (!value || (object && !attribute_of(object, attr) && attr != cudaLaunchAttributePriority))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (object && attr == cudaLaunchAttributePriority)
		object->priority = value->priority;
	else if (object)
		*attribute_of(object, attr) = *value;
	return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attr, cudaStreamAttrValue *value_out)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (!value_out || !object || (!attribute_of(object, attr) && attr != cudaLaunchAttributePriority))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (attr == cudaLaunchAttributePriority)
		value_out->priority = object->priority;
	else
		*value_out = *attribute_of(object, attr);
	return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, dst);
	HD_VALID(STREAM, src);
	struct CUstream_st *to = hd_cudart_stream(dst), *from = hd_cudart_stream(src);
	if (!to || !from)
		return hd_cudart_return(cudaErrorInvalidValue);
	to->window = from->window;
	to->policy = from->policy;
	to->priority = from->priority;
	return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
	return cudaSuccess;
}

/*
 * What waits for a stream, or asks: who asks for long enough sees it done, and so does who asks once, unless the host
 * is the one to go on.
 */
static cudaError_t status(cudaStream_t stream, bool asks)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	HD_TRY(hd_cudart_start_beside(cudart));
	HD_TRY(hd_cudart_may_wait(cudart, stream));
	cudart->in_a_row = false;
	return hd_cudart_return(asks && hd_cudart_defers(stream) ? hd_cudart_wait_or_ask(cudart, stream->work)
								 : hd_cudart_wait_stream(cudart, stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	return status(stream, false);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	return status(stream, true);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	HD_VALID(EVENT, event);
	if (!event)
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	if (flags & ~(unsigned)cudaEventWaitExternal)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start_beside(cudart));
	return hd_cudart_return(hd_cudart_capture_wait(cudart, stream, event, flags));
}

/* Managed memory, as a whole; who uses it when is the program's business here. */
static cudaError_t attach(const void *memory, size_t length, unsigned flags)
{
	HD_CUDART(cudart);
	uint64_t low, high;
	HD_TRY(hd_cudart_start_beside(cudart));
	const struct hd_shared_memory *shared = hd_cudart_shared(cudart, memory);
	if (!shared || shared->type != cudaMemoryTypeManaged || shared->low != memory ||
	    (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost && flags != cudaMemAttachSingle))
		return hd_cudart_return(cudaErrorInvalidValue);
	hd_sim_allocation(cudart->sim, (uintptr_t)memory, &low, &high);
	return hd_cudart_return(!length || length == high - low ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
	if (!stream && flags == cudaMemAttachSingle)
		return hd_cudart_return(cudaErrorInvalidValue);
	return attach(devPtr, length, flags) == cudaSuccess ? status(stream, false) : cudaErrorInvalidValue;
}

/* ------------------------------------------------------------ events */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	HD_CUDART(cudart);
	if (!event || flags > (cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start_beside(cudart));
	*event = hd_xcalloc(1, sizeof **event);
	(*event)->flags = flags;
	hd_handle_add(*event, HD_HANDLE_EVENT);
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

void hd_cudart_event_record(struct hd_cudart *cudart, cudaEvent_t event)
{
	event->recorded = true;
	event->cycle = hd_sim_cycles(cudart->sim);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	HD_CUDART(cudart);
	HD_VALID(EVENT, event);
	HD_VALID(STREAM, stream);
	bool captured;
	if (!event)
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	if (flags & ~(unsigned)cudaEventRecordExternal)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start_beside(cudart));
	HD_TRY(hd_cudart_capture_record(cudart, event, stream, flags, &captured));
	if (!captured)
		hd_cudart_event_record(cudart, event);
	return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

static cudaError_t event_status(cudaEvent_t event, bool asks)
{
	HD_CUDART(cudart);
	HD_VALID(EVENT, event);
	if (!event)
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	HD_TRY(hd_cudart_start_beside(cudart));
	cudart->in_a_row = false;
	if (event->capture)
		return hd_cudart_return(cudaErrorCapturedEvent);
	return hd_cudart_return((asks ? hd_cudart_wait_or_ask : hd_cudart_wait)(cudart, event->work));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return event_status(event, true);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return event_status(event, false);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	HD_CUDART(cudart);
	HD_VALID(EVENT, event);
	if (!event)
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	hd_cudart_wait(cudart, event->work);
	hd_vec_release(&event->last);
	hd_handle_drop(event);
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	HD_CUDART(cudart);
	HD_VALID(EVENT, start);
	HD_VALID(EVENT, end);
	HD_TRY(hd_cudart_start(cudart));
	if (!ms)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (!start || !end || !start->recorded || !end->recorded ||
	    ((start->flags | end->flags) & cudaEventDisableTiming))
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	double cycles = (double)end->cycle - (double)start->cycle;
	*ms = (float)(cycles / (cudart->config->core_mhz * 1e3));
	return cudaSuccess;
}
