/*
 * Code that warps run before their bodies: stream.c.
 */
#ifndef HD_RUNTIME_SM_STREAM_H
#define HD_RUNTIME_SM_STREAM_H

#include <stdint.h>

#include "lib/api.h"

struct hd_sm;
struct hd_warp;

/* The stream that a warp runs, or is to run. */
struct hd_warp_stream {
	uint32_t pc, lanes, cycles; /* hd_warp_run's */
};

struct hd_streams {
	struct hd_warp_stream *of; /* by hd_warp.id */
};

/*
 * For the hooks warp_start and stream_end, and for warps that these hold: the warp runs the code at `pc`, an index in
 * hd_program.code, with these lanes, whatever threads it has, to its EXIT before it begins its body. Its first
 * instruction is there so many cycles later than that of a body.
 */
HD_API void hd_warp_run(struct hd_warp *warp, uint32_t pc, uint32_t lanes, uint32_t cycles);
/* The warp begins its stream or its body, unless a policy holds it. */
void hd_warp_begin(struct hd_sm *sm, struct hd_warp *warp, uint64_t now, uint64_t at, uint8_t reason);
/* The last lane of a stream has exited, and nothing is under way. */
void hd_stream_end(struct hd_sm *sm, struct hd_warp *warp, uint64_t now);

#endif
