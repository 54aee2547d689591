/*
 * How a CTA's needs fit an SM, and the nearest change of one of them with which more warps do.
 */
#ifndef HD_TOOLS_HEDDLE_GATE_STEPS_H
#define HD_TOOLS_HEDDLE_GATE_STEPS_H

#include "lib/strbuf.h"
#include "tools/heddle/gate/gate.h"

enum { GATE_BLOCK_STEP = 32, GATE_MOST_THREADS = 2048 };

/* What a CTA needs. */
struct gate_need {
	const char *name; /* the kernel's; NULL: from the command line */
	uint32_t registers, block;
	uint64_t shared;
};

/* The nearest change of one need with which more warps are resident; warps 0 when there is none. */
struct gate_step {
	uint64_t to;
	uint32_t warps;
};

struct gate_steps {
	struct gate_step registers, shared, block;
};

struct hd_occupancy gate_fit(const struct hd_config *gpu, const struct gate_need *need);
/* The fewest and most resident warps over blocks of whole warps, of up to need->block threads. */
struct gate_range {
	struct hd_occupancy least, most;
};
struct gate_range gate_fit_range(const struct hd_config *gpu, const struct gate_need *need);
/* Whether launch bounds are all that is known of the kernel's blocks: the most threads that one has. */
bool gate_block_is_bound(const struct hd_meta_function *kernel);
struct gate_steps gate_steps_of(const struct hd_config *gpu, const struct gate_need *need);
/* "32 registers: 48 warps; 96 threads a CTA: 63 warps"; nothing when no step is left. */
void gate_steps_append(struct hd_strbuf *text, const struct hd_config *gpu, const struct gate_need *need);

#endif
