/*
 * A look at a running grid, to find out whether it can ever go on (probe.c). Private to runtime/watch.
 */
#ifndef HD_RUNTIME_WATCH_PROBE_H
#define HD_RUNTIME_WATCH_PROBE_H

#include "runtime/core/gpu.h"
#include "runtime/exec/execute.h"

/* What was found out about a warp. */
struct hd_probe_warp {
	uint32_t steps, next; /* steps back so far; the one after which the state is noted anew */
	uint32_t pc;	      /* of the noted state */
	uint32_t turns;	      /* hd_warp.turns in it */
	uint32_t sample,
		vote[2]; /* hash of its first lane; first vote and result of a reduction, and whether there is one */
	bool voted[2];
	bool may_yield; /* since it was noted other lanes could have run in place of those that loop */
	bool recurred;	/* it came again */
	bool read;	/* it read memory: where, in which instruction */
	uint8_t space;	/* enum hd_mem_space */
	uint32_t read_pc;
	uint32_t after_call; /* of the innermost call there, or at the noted state; HD_PC_NONE */
	uint64_t address;
	uint64_t state; /* hash of all of it */
	uint64_t local; /* hash of what local memory differs by since; 0: it does not */
};

struct hd_probe {
	uint64_t since;			/* cycle */
	uint64_t started, gone;		/* warps until then */
	bool moved;			/* something happened that others can see, or that is different each time */
	uint32_t slots;			/* warps of an SM */
	uint8_t old[HD_WARP_LANES][16]; /* of a store */
	struct hd_probe_warp warps[];	/* SM by SM, by hd_warp.id */
};

enum hd_probe_verdict {
	HD_PROBE_MOVED,	  /* the grid makes progress */
	HD_PROBE_UNKNOWN, /* some warp computes and has not come back to a state that it was in */
	HD_PROBE_STUCK	  /* every warp loops through states that it was in, or waits */
};

/* Begins a look: a watcher (core/watch.h) that is awake until hd_probe_end or until something moves. */
struct hd_probe *hd_probe_begin(struct hd_gpu *gpu);
/* No grid runs any more: what it keeps goes. */
void hd_probe_free(struct hd_gpu *gpu);
/* `waiting`: cycle since which a warp that does not loop must have been waiting for it to count as stuck. */
enum hd_probe_verdict hd_probe_end(struct hd_probe *probe, struct hd_gpu *gpu, uint64_t waiting);
const struct hd_probe_warp *hd_probe_of(const struct hd_probe *probe, const struct hd_warp *warp);

/* Where the warp's innermost call returns to; HD_PC_NONE: it is in none. */
uint32_t hd_probe_after_call(const struct hd_warp *warp);

#endif
