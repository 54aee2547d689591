/*
 * Work that waits for its turn: see work.c. The context is held in all of these; those that wait give it back while
 * the program's own functions run.
 */
#ifndef HD_RUNTIME_CUDART_WORK_H
#define HD_RUNTIME_CUDART_WORK_H

#include "runtime/cudart/stream.h"

/* Whether what is submitted to the stream waits for its turn. */
bool hd_cudart_defers(cudaStream_t stream);
/* A node for the caller to fill in, whose turn comes after all of its stream. Then hd_cudart_deferred. */
cudaGraphNode_t hd_cudart_defer(struct hd_cudart *cudart, cudaStream_t stream, enum cudaGraphNodeType type);
/*
 * The node is filled in, or `filled` says why not. What can be refused is refused now, and what waits for its stream
 * waits. Without deferred work only hands `filled` on.
 */
cudaError_t hd_cudart_deferred(struct hd_cudart *cudart, cudaStream_t stream, cudaGraphNode_t node, cudaError_t filled);
void hd_cudart_defer_event(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event);
/* What comes next in the stream comes after the event. */
void hd_cudart_defer_wait(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event);

/* Waits for a piece of work (of a stream or an event; 0: none), a stream, all of blocking streams, everything. */
cudaError_t hd_cudart_wait(struct hd_cudart *cudart, uint64_t id);
cudaError_t hd_cudart_wait_stream(struct hd_cudart *cudart, cudaStream_t stream);
cudaError_t hd_cudart_wait_blocking(struct hd_cudart *cudart);
cudaError_t hd_cudart_wait_all(struct hd_cudart *cudart);
/* At once: writes the value, or waits until it is there. */
struct hd_stream_value;
cudaError_t hd_cudart_do_value(struct hd_cudart *cudart, const struct hd_stream_value *value);
/* As hd_cudart_wait, but cudaErrorNotReady where it waits for a value that only the host can still write. */
cudaError_t hd_cudart_wait_or_ask(struct hd_cudart *cudart, uint64_t id);
/* hd_sim_step, and what it brought is told; does not return when a signal ends the program. */
int hd_cudart_step(struct hd_cudart *cudart);
/* After a fault. */
void hd_cudart_drop_work(struct hd_cudart *cudart);
/* At the end. */
void hd_cudart_release_work(struct hd_cudart *cudart);

#endif
