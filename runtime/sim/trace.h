/*
 * Text traces of a run: `--trace=issue,lsu@1000:1200` writes the streams that it names on stderr, for the core cycles
 * of the window. A test of one word when off; hd_gpu.trace holds the streams while the window is open.
 */
#ifndef HD_RUNTIME_SIM_TRACE_H
#define HD_RUNTIME_SIM_TRACE_H

#include "runtime/sm/sm.h"

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

#define HD_TRACED(gpu, stream) __builtin_expect((gpu)->trace >> HD_TRACE_##stream & 1, 0)

/* Reads the option into the GPU; NULL is off. 0, or -1 with the error reported. */
int hd_trace_parse(struct hd_gpu *gpu, const char *text, struct hd_diag *diag);
/* Opens and closes the window; returns the next cycle at which that changes. */
uint64_t hd_trace_window(struct hd_gpu *gpu, uint64_t now);
/* One line about an instruction of a warp; `detail` is the stream's: lanes, address, barrier. */
void hd_trace_inst(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
		   enum hd_trace_stream stream, uint64_t detail);
void hd_trace_cta(const struct hd_sm *sm, const struct hd_cta *cta, const char *what, uint64_t now);

#endif
