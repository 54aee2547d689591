/*
 * Text traces of a run: `--trace=issue,lsu@1000:1200` writes the streams that it names on stderr, for the core cycles
 * of the window. A watcher (core/watch.h), which sleeps while the window is not open.
 */
#ifndef HD_RUNTIME_WATCH_TRACE_H
#define HD_RUNTIME_WATCH_TRACE_H

#include "heddle/trace.h"

struct hd_gpu;

/* From now on the streams are written. */
void hd_trace_start(struct hd_gpu *gpu, const struct hd_trace *trace);
/* No more, ever. */
void hd_trace_stop(struct hd_gpu *gpu);

#endif
