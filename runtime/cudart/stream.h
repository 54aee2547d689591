/*
 * Streams, events and their capture into graphs. Work runs in the order in which it is submitted, so that a stream is
 * only a name, until it captures: then what is submitted becomes nodes of a graph.
 */
#ifndef HD_RUNTIME_CUDART_STREAM_H
#define HD_RUNTIME_CUDART_STREAM_H

#include "runtime/cudart/context.h"

typedef HD_VEC(cudaGraphNode_t) hd_nodes;

/* One capture: from BeginCapture on `origin` to EndCapture. */
struct hd_capture {
	cudaGraph_t graph;
	cudaStream_t origin;
	uint64_t id;
	bool invalid;
	HD_VEC(cudaStream_t) streams; /* that take part */
};

struct CUstream_st {
	unsigned flags;
	int priority;
	uint64_t id;
	struct hd_capture *capture;		 /* NULL: it does not capture */
	hd_nodes last;				 /* what its next node depends on */
	cudaLaunchAttributeValue window, policy; /* cudaStreamSetAttribute: hints */
};

struct CUevent_st {
	bool recorded;
	unsigned flags;
	uint64_t cycle;
	uint64_t capture; /* id of the capture in which it was recorded; 0: none */
	hd_nodes last;
};

/* The object behind a handle: the calling thread's own for cudaStreamPerThread, NULL for the legacy stream. */
struct CUstream_st *hd_cudart_stream(cudaStream_t stream);

/*
 * What is submitted to a stream that captures: *node is a new node of its graph, for the caller to fill in. *node is
 * NULL when the stream does not capture and the work is to be done now. An error when neither may be.
 */
cudaError_t hd_cudart_capture(struct hd_cudart *cudart, cudaStream_t stream, enum cudaGraphNodeType type,
			      cudaGraphNode_t *node);
/* Work that waits for a stream (NULL: for all of the device) may not be while it captures, and ends the capture. */
cudaError_t hd_cudart_may_wait(struct hd_cudart *cudart, cudaStream_t stream);

/* A stream that is destroyed takes its capture with it, or leaves another's. */
void hd_cudart_leave_capture(struct hd_cudart *cudart, cudaStream_t stream);
/* The part of events: *captured tells whether the stream captures and nothing is left to do. */
cudaError_t hd_cudart_capture_record(struct hd_cudart *cudart, cudaEvent_t event, cudaStream_t stream, unsigned flags,
				     bool *captured);
cudaError_t hd_cudart_capture_wait(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event, unsigned flags);

void hd_cudart_event_record(struct hd_cudart *cudart, cudaEvent_t event);

#endif
