/*
 * Streams and events. Work runs in the order in which it is submitted, so a stream is only a name and an event the
 * simulated cycle at which it was recorded; elapsed times are simulated time.
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/cudart/context.h"

struct CUstream_st {
	unsigned flags;
	int priority;
};

struct CUevent_st {
	bool recorded;
	unsigned flags;
	uint64_t cycle;
};

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	HD_CUDART(cudart);
	if (!stream)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start(cudart));
	*stream = hd_xcalloc(1, sizeof **stream);
	(*stream)->flags = flags;
	(*stream)->priority = priority;
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
	*priority = is_object(stream) ? stream->priority : 0;
	return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	*flags = is_object(stream) ? stream->flags : cudaStreamDefault;
	return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
	if (!is_object(stream))
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	free(stream);
	return cudaSuccess;
}

static cudaError_t status(void)
{
	HD_CUDART(cudart);
	return hd_cudart_return(hd_cudart_start(cudart));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
	(void)stream;
	return status();
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
	(void)stream;
	return status();
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	(void)stream, (void)flags;
	return event ? status() : hd_cudart_return(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
				  unsigned int flags)
{
	(void)flags;
	cudaError_t error = status();
	callback(stream, error, userData);
	return error;
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
	(void)stream, (void)devPtr, (void)length, (void)flags;
	return status();
}

/* Streams are never captured: there are no graphs. */
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
	(void)stream;
	*pCaptureStatus = cudaStreamCaptureStatusNone;
	return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	static _Thread_local enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
	enum cudaStreamCaptureMode before = current;
	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return hd_cudart_return(cudaErrorInvalidValue);
	current = *mode;
	*mode = before;
	return cudaSuccess;
}

/* ------------------------------------------------------------ events */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	HD_CUDART(cudart);
	if (!event)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(hd_cudart_start(cudart));
	*event = hd_xcalloc(1, sizeof **event);
	(*event)->flags = flags;
	return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	HD_CUDART(cudart);
	(void)stream;
	if (!event)
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	HD_TRY(hd_cudart_start(cudart));
	event->recorded = true;
	event->cycle = hd_sim_cycles(cudart->sim);
	return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	(void)flags;
	return cudaEventRecord(event, stream);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
	return event ? status() : hd_cudart_return(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
	return cudaEventQuery(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
	if (!event)
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	free(event);
	return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	HD_CUDART(cudart);
	if (!ms || !start || !end || !start->recorded || !end->recorded ||
	    ((start->flags | end->flags) & cudaEventDisableTiming))
		return hd_cudart_return(cudaErrorInvalidResourceHandle);
	HD_TRY(hd_cudart_start(cudart));
	double cycles = (double)end->cycle - (double)start->cycle;
	*ms = (float)(cycles / (cudart->config.core_mhz * 1e3));
	return cudaSuccess;
}
