/*
 * A look at a running grid, to find out whether it can ever go on (probe.c). Private to runtime/engine.
 */
#ifndef HD_RUNTIME_PROBE_H
#define HD_RUNTIME_PROBE_H

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
	uint64_t since;		/* cycle */
	uint64_t started, gone; /* warps until then */
	bool moved;		/* something happened that others can see, or that is different each time */
	uint32_t slots;		/* warps of an SM */
	uint8_t old[HD_WARP_LANES][16];
	struct hd_probe_warp warps[]; /* SM by SM, by hd_warp.id */
};

enum hd_probe_verdict {
	HD_PROBE_MOVED,	  /* the grid makes progress */
	HD_PROBE_UNKNOWN, /* some warp computes and has not come back to a state that it was in */
	HD_PROBE_STUCK	  /* every warp loops through states that it was in, or waits */
};

struct hd_probe *hd_probe_new(const struct hd_gpu *gpu);
/* From now on gpu->probe is this, until hd_probe_end or until something moves. */
void hd_probe_begin(struct hd_probe *probe, struct hd_gpu *gpu);
/* `waiting`: cycle since which a warp that does not loop must have been waiting for it to count as stuck. */
enum hd_probe_verdict hd_probe_end(struct hd_probe *probe, struct hd_gpu *gpu, uint64_t waiting);
const struct hd_probe_warp *hd_probe_of(const struct hd_probe *probe, const struct hd_warp *warp);
/* The warp goes round for ever whatever others do: it came back to a state and read no memory that they write. */
bool hd_probe_is_endless(const struct hd_gpu *gpu, const struct hd_warp *warp);

/* Where the warp's innermost call returns to; HD_PC_NONE: it is in none. */
uint32_t hd_probe_after_call(const struct hd_warp *warp);

/* ---- what the engine tells it, while gpu->probe is set */

/* After an instruction of the warp at `pc`. */
void hd_probe_step(struct hd_gpu *gpu, struct hd_warp *warp, uint32_t pc, const struct hd_effect *effect);
/* Around a store of `bytes` to base + offset[lane], of the lanes in exec->mask. */
void hd_probe_store_before(struct hd_exec *exec, uintptr_t base, const uint64_t *offset, uint32_t bytes);
void hd_probe_store_after(struct hd_exec *exec, uintptr_t base, const uint64_t *offset, uint32_t bytes);
/* Memory at `host` changed from `old` to what it is now. */
void hd_probe_change(struct hd_exec *exec, const uint8_t *host, const void *old, uint32_t bytes);
/* A warp's part in a reduction at a barrier, or (`result`) what came out. */
void hd_probe_vote(struct hd_gpu *gpu, const struct hd_warp *warp, bool result, uint32_t value);

/* Something that is no function of registers and memory was read, or was seen outside. */
static inline void hd_probe_moved(struct hd_gpu *gpu)
{
	if (gpu->probe) {
		gpu->probe->moved = true;
		gpu->probe = NULL;
	}
}

#endif
