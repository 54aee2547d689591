/*
 * Text traces of a run: `--trace=issue,lsu@1000:1200` writes the streams that it names on stderr, for the core cycles
 * of the window. A watcher (core/watch.h), which sleeps while the window is not open.
 */
#ifndef HD_RUNTIME_WATCH_TRACE_H
#define HD_RUNTIME_WATCH_TRACE_H

#include <stdint.h>

#include "lib/diag.h"

struct hd_gpu;

#define HD_TRACE_LIST(X)                                                  \
	X(issue, "each warp instruction as it issues, with active lanes") \
	X(writeback, "results that arrive")                               \
	X(lsu, "memory instructions that enter the load/store unit")      \
	X(barrier, "arrivals at barriers")                                \
	X(cta, "CTAs launched and retired")

enum hd_trace_stream {
#define X(name, help) HD_TRACE_##name,
	HD_TRACE_LIST(X)
#undef X
		HD_TRACE_COUNT
};

struct hd_trace {
	uint32_t streams; /* enum hd_trace_stream, a bit each */
	uint64_t from, to;
	int fd; /* takes the lines; 0: standard error */
};

/* Reads the option; NULL is off: no streams. 0, or -1 with the error reported. */
int hd_trace_parse(struct hd_trace *trace, const char *text, struct hd_diag *diag);
/* From now on the streams are written. */
void hd_trace_start(struct hd_gpu *gpu, const struct hd_trace *trace);
/* No more, ever. */
void hd_trace_stop(struct hd_gpu *gpu);

#endif
