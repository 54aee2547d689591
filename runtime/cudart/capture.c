/*
 * Streams that capture: what is submitted to them becomes nodes of a graph, each after what the stream did before.
 * Events carry dependencies from one stream of a capture to another (fork and join).
 */
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/work.h"

static void copy_nodes(hd_nodes *to, const hd_nodes *from)
{
	hd_vec_clear(to);
	for (uint32_t i = 0; i < from->len; i++)
		hd_vec_push(to, from->data[i]);
}

/* A stream that waits for the legacy stream, and that for it. */
static bool blocks_legacy(const struct hd_cudart *cudart)
{
	for (uint32_t i = 0; i < cudart->captures.len; i++) {
		const struct hd_capture *capture = cudart->captures.data[i];
		for (uint32_t k = 0; k < capture->streams.len; k++)
			if (!(hd_cudart_stream(capture->streams.data[k])->flags & cudaStreamNonBlocking))
				return true;
	}
	return false;
}

void hd_cudart_invalidate(struct hd_cudart *cudart, const struct hd_capture *one)
{
	for (uint32_t i = 0; i < cudart->captures.len; i++)
		if (!one || cudart->captures.data[i] == one)
			cudart->captures.data[i]->invalid = true;
}

/* Memory is there at once, and given back when nothing of the stream can use it any more. */
static bool waits_for_turn(enum cudaGraphNodeType type)
{
	return type != cudaGraphNodeTypeMemAlloc && type != cudaGraphNodeTypeMemFree;
}

cudaError_t hd_cudart_capture(struct hd_cudart *cudart, cudaStream_t handle, enum cudaGraphNodeType type,
			      cudaGraphNode_t *node)
{
	struct CUstream_st *stream = hd_cudart_stream(handle);
	*node = NULL;
	if (!stream && blocks_legacy(cudart)) {
		hd_cudart_invalidate(cudart, NULL);
		return cudaErrorStreamCaptureImplicit;
	}
	if (hd_cudart_defers(handle) && waits_for_turn(type)) {
		*node = hd_cudart_defer(cudart, handle, type);
		return cudaSuccess;
	}
	if ((!stream || !stream->capture) && type != cudaGraphNodeTypeKernel)
		cudart->in_a_row = false;
	if (!stream || !stream->capture)
		return type == cudaGraphNodeTypeMemAlloc ? cudaSuccess : hd_cudart_wait_stream(cudart, handle);
	if (stream->capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	*node = hd_graph_add(stream->capture->graph, type, stream->last.data, stream->last.len);
	hd_vec_clear(&stream->last);
	hd_vec_push(&stream->last, *node);
	return cudaSuccess;
}

cudaError_t hd_cudart_may_wait(struct hd_cudart *cudart, cudaStream_t handle)
{
	struct CUstream_st *stream = hd_cudart_stream(handle);
	struct hd_capture *capture = stream ? stream->capture : NULL;
	if (stream ? !capture : !blocks_legacy(cudart))
		return cudaSuccess;
	hd_cudart_invalidate(cudart, capture);
	return cudaErrorStreamCaptureUnsupported;
}

static void join(struct CUstream_st *stream, cudaStream_t handle, struct hd_capture *capture)
{
	stream->capture = capture;
	hd_vec_clear(&stream->last);
	hd_vec_push(&capture->streams, handle);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	struct CUstream_st *object = hd_cudart_stream(stream);
	HD_TRY(hd_cudart_start(cudart));
	if ((unsigned)mode > cudaStreamCaptureModeRelaxed)
		return hd_cudart_return(cudaErrorInvalidValue);
	if (!object)
		return hd_cudart_return(cudaErrorStreamCaptureUnsupported);
	if (object->capture)
		return hd_cudart_return(cudaErrorIllegalState);
	struct hd_capture *capture = hd_xcalloc(1, sizeof *capture);
	capture->graph = hd_graph_new();
	capture->graph->owned = true;
	capture->origin = stream;
	capture->id = ++cudart->next_id;
	hd_vec_push(&cudart->captures, capture);
	join(object, stream, capture);
	return cudaSuccess;
}

/* Every node is to be before the end of the stream that began. */
static bool is_joined(const struct hd_capture *capture)
{
	const hd_nodes *last = &hd_cudart_stream(capture->origin)->last;
	for (uint32_t i = 0; i < capture->graph->nodes.len; i++) {
		bool before = false;
		for (uint32_t k = 0; k < last->len && !before; k++)
			before = last->data[k] == capture->graph->nodes.data[i] ||
				 hd_graph_waits_for(last->data[k], capture->graph->nodes.data[i]);
		if (!before)
			return false;
	}
	return true;
}

static void forget(struct hd_cudart *cudart, struct hd_capture *capture)
{
	for (uint32_t i = 0; i < capture->streams.len; i++) {
		struct CUstream_st *stream = hd_cudart_stream(capture->streams.data[i]);
		stream->capture = NULL;
		hd_vec_clear(&stream->last);
	}
	for (uint32_t i = 0; i < cudart->captures.len; i++)
		if (cudart->captures.data[i] == capture) {
			cudart->captures.data[i] = hd_vec_last(&cudart->captures);
			cudart->captures.len--;
		}
	hd_vec_release(&capture->streams);
	free(capture);
}

/* What is said of a stream that does not capture: the legacy stream waits for those that do. */
static cudaError_t no_capture(const struct hd_cudart *cudart, const struct CUstream_st *object)
{
	return !object && cudart->captures.len ? cudaErrorStreamCaptureImplicit : cudaErrorIllegalState;
}

/* Without a place for it the graph is gone. */
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (pGraph)
		*pGraph = NULL;
	if (!object || !object->capture)
		return hd_cudart_return(no_capture(cudart, object));
	struct hd_capture *capture = object->capture;
	if (capture->origin != stream)
		return hd_cudart_return(cudaErrorStreamCaptureUnmatched);
	cudaError_t error = capture->invalid	  ? cudaErrorStreamCaptureInvalidated
			    : !is_joined(capture) ? cudaErrorStreamCaptureUnjoined
						  : cudaSuccess;
	capture->graph->owned = false;
	if (error == cudaSuccess && pGraph)
		*pGraph = capture->graph;
	else
		hd_graph_free(capture->graph);
	forget(cudart, capture);
	return hd_cudart_return(error);
}

/* What the stream had is still in the graph: the end says whether the stream that began waits for it. */
void hd_cudart_leave_capture(struct hd_cudart *cudart, cudaStream_t stream)
{
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (!object->capture)
		return;
	if (object->capture->origin == stream) {
		hd_graph_free(object->capture->graph);
		forget(cudart, object->capture);
		return;
	}
	struct hd_capture *capture = object->capture;
	for (uint32_t i = 0; i < capture->streams.len; i++)
		if (capture->streams.data[i] == stream)
			capture->streams.data[i--] = capture->streams.data[--capture->streams.len];
}

/* ------------------------------------------------------------ events */

cudaError_t hd_cudart_capture_record(struct hd_cudart *cudart, cudaEvent_t event, cudaStream_t stream, unsigned flags,
				     bool *captured)
{
	struct CUstream_st *object = hd_cudart_stream(stream);
	*captured = object && object->capture;
	event->capture = event->work = 0;
	if (hd_cudart_defers(stream)) {
		hd_cudart_defer_event(cudart, stream, event);
		*captured = true;
		return cudaSuccess;
	}
	if (!*captured)
		return hd_cudart_wait_stream(cudart, stream);
	if (object->capture->invalid)
		return cudaErrorStreamCaptureInvalidated;
	if (flags & cudaEventRecordExternal) {
		cudaGraphNode_t node;
		cudaError_t error = hd_cudart_capture(cudart, stream, cudaGraphNodeTypeEventRecord, &node);
		if (error == cudaSuccess)
			node->u.event = event;
		return error;
	}
	event->capture = object->capture->id;
	copy_nodes(&event->last, &object->last);
	return cudaSuccess;
}

static struct hd_capture *capture_of(struct hd_cudart *cudart, uint64_t id)
{
	for (uint32_t i = 0; id && i < cudart->captures.len; i++)
		if (cudart->captures.data[i]->id == id)
			return cudart->captures.data[i];
	return NULL;
}

cudaError_t hd_cudart_capture_wait(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
	struct CUstream_st *object = hd_cudart_stream(stream);
	struct hd_capture *from = capture_of(cudart, event->capture), *to = object ? object->capture : NULL;
	if (!from && hd_cudart_defers(stream)) {
		hd_cudart_defer_wait(cudart, stream, event);
		return cudaSuccess;
	}
	if (!from && !to)
		return hd_cudart_wait(cudart, event->work);
	if (to && flags & cudaEventWaitExternal) {
		cudaGraphNode_t node;
		cudaError_t error = hd_cudart_capture(cudart, stream, cudaGraphNodeTypeWaitEvent, &node);
		if (error == cudaSuccess)
			node->u.event = event;
		return error;
	}
	if (!object || (to && !from)) {
		hd_cudart_invalidate(cudart, to ? to : from);
		return object ? cudaErrorStreamCaptureIsolation : cudaErrorStreamCaptureImplicit;
	}
	if (to && to != from) {
		to->invalid = from->invalid = true;
		return cudaErrorStreamCaptureMerge;
	}
	if (!to)
		join(object, stream, from);
	for (uint32_t i = 0; i < event->last.len; i++) {
		bool there = false;
		for (uint32_t k = 0; k < object->last.len; k++)
			there = there || object->last.data[k] == event->last.data[i];
		if (!there)
			hd_vec_push(&object->last, event->last.data[i]);
	}
	return cudaSuccess;
}

/* ------------------------------------------------------------ questions */

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *captureStatus_out,
				     unsigned long long *id_out, cudaGraph_t *graph_out,
				     const cudaGraphNode_t **dependencies_out, size_t *numDependencies_out)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (!captureStatus_out)
		return hd_cudart_return(cudaErrorInvalidValue);
	*captureStatus_out = cudaStreamCaptureStatusNone;
	if (!object && blocks_legacy(cudart))
		return hd_cudart_return(cudaErrorStreamCaptureImplicit);
	if (!object || !object->capture)
		return cudaSuccess;
	*captureStatus_out =
		object->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
	if (id_out)
		*id_out = object->capture->id;
	if (graph_out)
		*graph_out = object->capture->graph;
	if (dependencies_out)
		*dependencies_out = object->last.data;
	if (numDependencies_out)
		*numDependencies_out = object->last.len;
	return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
	return cudaStreamGetCaptureInfo(stream, pCaptureStatus, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
						size_t numDependencies, unsigned int flags)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	struct CUstream_st *object = hd_cudart_stream(stream);
	if (!object || !object->capture)
		return hd_cudart_return(no_capture(cudart, object));
	if (flags > cudaStreamSetCaptureDependencies || (numDependencies && !dependencies))
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numDependencies; i++)
		if (!dependencies[i] || dependencies[i]->graph != object->capture->graph)
			return hd_cudart_return(cudaErrorInvalidValue);
	if (flags == cudaStreamSetCaptureDependencies)
		hd_vec_clear(&object->last);
	for (size_t i = 0; i < numDependencies; i++)
		hd_vec_push(&object->last, dependencies[i]);
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
