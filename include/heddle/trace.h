/*
 * The streams of a text trace, `heddle run --trace=issue,lsu@1000:1200` and `heddle trace`: which there are, and the
 * option read. runtime/watch/trace.c writes them.
 */
#ifndef HEDDLE_TRACE_H
#define HEDDLE_TRACE_H

#include <stdint.h>

#include "lib/diag.h"

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

#endif
