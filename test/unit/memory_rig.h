/*
 * The whole memory system with its load/store units, driven as the engine drives it, for the memory tests: hand it
 * instructions, run it, read when each completed.
 */
#ifndef HD_TEST_UNIT_MEMORY_RIG_H
#define HD_TEST_UNIT_MEMORY_RIG_H

#include "heddle/config.h"
#include "runtime/memory/memory.h"

enum { RIG_MAX_SMS = 128 };

struct rig {
	struct hd_arena arena;
	struct hd_config config;
	struct hd_memory *memory;
	struct hd_lsu **lsus;
	struct hd_counters (*counters)[HD_MEM_GRIDS]; /* of each SM */
	uint64_t now;
	bool every_cycle; /* visit every cycle, or only those that the units ask for */
	/* With every_cycle: the memory goes through this many cycles while the SMs go through as many behind them, and
	 * does so before or after them. 0: it is never behind. */
	uint32_t beside;
	bool memory_first;
	uint64_t lsu_next[RIG_MAX_SMS], memory_next;
	uint64_t visits;
	/* Where completions go: cycle by token, 0 while in flight. */
	uint64_t *done;
	uint32_t tokens, outstanding;
	/* Called for each SM in each visited cycle; issues what it wants with rig_issue. Returns the next cycle at
	 * which it wants to be called whatever happens. NULL: nothing to issue. */
	uint64_t (*feed)(struct rig *rig, uint32_t sm, void *context);
	void *context;
	bool feeding; /* it asked for another call */
};

/* Default configuration; change it before rig_build. */
void rig_init(struct rig *rig, uint32_t tokens);
void rig_build(struct rig *rig);
void rig_release(struct rig *rig);

/* Issues now, with operands ready in the next cycle, so that the first line access is at now + 1. */
void rig_issue(struct rig *rig, uint32_t sm, const struct hd_mem_request *request);
/* Runs until nothing is left to do. Aborts with a dump when that takes more than a million visits without progress. */
void rig_run(struct rig *rig);
/* Issues, runs until nothing is left, and returns the cycles from the first line access to the completion. */
uint64_t rig_latency(struct rig *rig, const struct hd_mem_request *request);
/* Sum of a counter over memory and SMs. */
struct hd_stats rig_total(const struct rig *rig);

/* A load of `bytes` a lane at base, base + stride, ... */
struct hd_mem_request rig_load(uint32_t token, uint64_t base, uint64_t stride, uint32_t bytes);

#endif
