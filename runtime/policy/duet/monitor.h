/*
 * When more warps help, and how many blocks more an SM can know (gpu-multiprogramming-lin, 3.4, 3.6.4): how much of the
 * GPU a kernel uses, its class, and ME, the number of extra blocks, over windows of cycles.
 */
#ifndef HD_RUNTIME_POLICY_DUET_MONITOR_H
#define HD_RUNTIME_POLICY_DUET_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/stats.h"

struct hd_config;

/* Per cent of what the GPU has: issue slots, sustainable flits of the busier direction, DRAM's peak, data ports of L1
 * and L2. */
struct duet_use {
	double scheduler, network, dram, l1, l2;
};
/* What happened in so many cycles of the core clock, SMs and memory together. */
struct duet_use duet_use_of(const struct hd_config *config, const struct hd_counters *counters, uint64_t cycles);

enum duet_class { DUET_UNDERUTILISED, DUET_MODERATE, DUET_SATURATED };
/* Table 3.3: below all of 60, 60, 50, 60 and 60; above one of 80, 90, 70, 80 and 80; else between. */
enum duet_class duet_class_of(const struct duet_use *use);

/* What bounds the blocks of a kernel on an SM, registers and contexts in units of 128 bytes. */
struct duet_kernel {
	uint32_t warps;		 /* of a block */
	uint32_t registers;	 /* units of a warp */
	uint32_t context;	 /* units of a warp that is away with its registers */
	uint32_t slot;		 /* of these, of its slot alone */
	uint32_t shared;	 /* units of a block */
	uint32_t native;	 /* blocks that the SM has room for */
	uint32_t register_units; /* of the SM */
	uint32_t parts;		 /* of its register file: a warp's registers lie in one; 0: 1 */
	uint32_t shared_units;
	uint32_t warp_slots, block_slots;
};

/* What limits its blocks, and so which contexts move: of warps, registers; of blocks, shared memory. */
enum duet_level { DUET_OFF, DUET_WARPS, DUET_BLOCKS };
enum duet_level duet_level_of(const struct duet_kernel *kernel);
/* Units of the context of a block that leaves with its registers, its shared memory or slots alone (equation 3.3). */
uint32_t duet_block_units(const struct duet_kernel *kernel, bool registers, bool shared);
/*
 * The most extra blocks: 128 warps and all block slots, contexts of the extra blocks beside the full ones of the others
 * in register file, shared memory and `more` units, and what does not limit them. 0: none.
 */
uint32_t duet_bound(const struct duet_kernel *kernel, uint32_t more);
/* Of these, as many as have room for all contexts where they go beside what stays: contexts of registers in shared
 * memory and `more` units, those of shared memory in the register file and `more` units. */
uint32_t duet_outside(const struct duet_kernel *kernel, uint32_t bound, uint32_t more);
/* Virtual Thread's bound: all registers and all shared memory have room, and slots of the extra blocks in the latter
 * (3.5.2). 0 where slots are not what limits the kernel. */
uint32_t duet_slots_bound(const struct duet_kernel *kernel);

/* The number of extra blocks as it changes with the windows of a kernel. */
struct duet_growth {
	uint32_t bound, extra;
	uint32_t windows; /* that have ended, the skipped one included */
	bool frozen;
	enum duet_class first; /* what decided */
};
void duet_growth_begin(struct duet_growth *growth, uint32_t bound);
/* There is no room for extra blocks, nor will there be. */
void duet_growth_stop(struct duet_growth *growth);
/* A window has ended, with this use. The first one is skipped; the second decides. */
void duet_growth_window(struct duet_growth *growth, const struct duet_use *use);

static inline uint32_t duet_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Cycles that `bytes` of a context take through a port of `port` bytes (equations 3.1 to 3.3). */
uint64_t duet_move_cycles(uint64_t bytes, uint32_t port);
/* Of a context that leaves and one that comes in: one after the other, or at once. */
uint64_t duet_swap_cycles(uint64_t out, uint64_t in, uint32_t port, bool both_ways);

#endif
