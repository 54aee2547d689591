/*
 * Streams, events and their capture into graphs. What is submitted to a stream waits for its turn (work.h), or becomes
 * nodes of a graph while the stream captures.
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
	uint64_t id, work;			 /* work: that was submitted last; 0: none (work.h) */
	struct hd_capture *capture;		 /* NULL: it does not capture */
	hd_nodes last;				 /* what its next node depends on */
	cudaLaunchAttributeValue window, policy; /* cudaStreamSetAttribute: hints */
};

struct CUevent_st {
	bool recorded;
	unsigned flags;
	uint64_t cycle;
	uint64_t work;	  /* the piece of work that records it; 0: none */
	uint64_t capture; /* id of the capture in which it was recorded; 0: none */
	hd_nodes last;
};

/* The object behind a handle: the calling thread's own for cudaStreamPerThread, NULL for the legacy stream. */
struct CUstream_st *hd_cudart_stream(cudaStream_t stream);

/*
 * What is submitted to a stream that captures, or whose work waits for its turn: *node is a new node, for the caller to
 * fill in, who then calls hd_cudart_deferred. *node is NULL when the work is to be done now, for which what it comes
 * after has been waited for. An error when neither may be.
 */
cudaError_t hd_cudart_capture(struct hd_cudart *cudart, cudaStream_t stream, enum cudaGraphNodeType type,
			      cudaGraphNode_t *node);
/* Work that waits for a stream (NULL: for all of the device) may not be while it captures, and ends the capture. */
cudaError_t hd_cudart_may_wait(struct hd_cudart *cudart, cudaStream_t stream);

/* A stream that is destroyed takes its capture with it, or leaves another's. */
void hd_cudart_leave_capture(struct hd_cudart *cudart, cudaStream_t stream);
/* The end of this capture, or of all where it is NULL, is an error. */
void hd_cudart_invalidate(struct hd_cudart *cudart, const struct hd_capture *one);
/* The part of events: *captured tells whether the stream captures and nothing is left to do. */
cudaError_t hd_cudart_capture_record(struct hd_cudart *cudart, cudaEvent_t event, cudaStream_t stream, unsigned flags,
				     bool *captured);
cudaError_t hd_cudart_capture_wait(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event, unsigned flags);

void hd_cudart_event_record(struct hd_cudart *cudart, cudaEvent_t event);

#endif
