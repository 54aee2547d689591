/*
 * A kernel launch as data, from its submission to its end.
 */
#ifndef HD_RUNTIME_CORE_GRID_H
#define HD_RUNTIME_CORE_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/occupancy.h"
#include "heddle/stats.h"
#include "lib/vec.h"

struct hd_kernel;
struct hd_linear_state;

/* Grids that the SMs can have warps of at a time, as many as compute capability 3.0 to 6.0 and most later ones have. */
#define HD_MAX_GRIDS 32
#define HD_MAX_ENERGY 16 /* kinds of events of policies that take energy */
#define HD_MAX_SETTINGS 64 /* of all policies */

/* A kernel launch that waits for its turn or runs (grids.c). */
struct hd_grid {
	const struct hd_kernel *kernel;
	uint64_t stream;   /* grids of one run one after the other */
	int priority;	   /* the smaller number goes first, as in CUDA */
	bool running;	   /* its blocks are dispatched */
	uint8_t slot;	   /* while it runs: its place in hd_sm.grids */
	bool in_a_row;	   /* as hd_launch's */
	uint64_t earliest; /* cycle before which it does not begin */
	/* It may begin when each block of the one before it in its stream has allowed that, or has ended: asked for by
	 * its launch; and here. */
	bool programmatic, early;
	bool waits;			 /* it has begun, and one that it follows runs */
	uint64_t prepared;		 /* early: cycle since which its launch has been prepared */
	uint64_t fired;			 /* blocks that have allowed the next one to begin, or have ended */
	uint64_t started, dispatch_from; /* cycles: it got its turn; its first block may start */
	uint64_t first_block;		 /* cycle in which that started; HD_NEVER */
	bool shared;			 /* others have been running beside it */
	bool slot_known;
	struct hd_occupancy fit; /* of the original code, on an SM of its own */
	uint32_t grid[3], block[3];
	uint32_t block_threads, block_warps;
	uint32_t cluster[3], cluster_blocks; /* blocks of a cluster; 1 without */
	bool clusters;			     /* its blocks are in clusters, though of one, as far as the SMs know */
	bool explicit_clusters;		     /* launched with clusters */
	bool balanced;			     /* and with several blocks of a cluster on an SM, where there is room */
	uint64_t cta_total, cta_next, cta_done;
	HD_VEC(uint64_t) requeued;	/* CTAs that were killed: they come before cta_next, in this order */
	uint64_t cta_stop;		/* no block from here on begins with time (sampling/blocks.c); 0: all do */
	uint64_t cta_look;		/* when so many have ended the event `blocks_ended` is told; HD_NEVER */
	uint64_t cycle_look;		/* in this cycle, too; HD_NEVER */
	bool halted;			/* its warps issue nothing, and no block begins (sampling/stretch.c) */
	bool cooperative;		/* its blocks wait for each other: every warp must be able to run */
	uint32_t cta_share;		/* of its blocks, spread over all SMs, the most on one */
	uint32_t function, entry;	/* in hd_program.functions; pc */
	struct hd_linear_state *linear; /* the launch runs the kernel's linear version; else NULL */
	uint32_t registers;		/* a thread, as allocated by the hardware model */
	uint32_t register_rows;		/* rows of hd_warp.regs: no loaded function names a register beyond */
	uint32_t local_bytes;		/* a thread, multiple of 16 */
	uint32_t shared_bytes;		/* static + dynamic */
	uint8_t *constants;		/* bank 0, HD_CB_BYTES */
	uint32_t constant_bytes;	/* of these: up to the last parameter; zeros behind */
	uint64_t parameters;		/* device address of their copy (HD_CB_PARAM_COPY); 0: none */
	uint32_t parameter_bytes;	/* from there to the copy's end */
	uint32_t dynamic_shared;
	uint64_t id;
	uint64_t ticket;       /* id of its first launch */
	uint32_t stack_bytes;  /* as hd_launch's */
	bool mute;	       /* what it prints is not wanted */
	int error;	       /* enum hd_sim_error of the first fault */
	uint8_t *policy_space; /* hd_policy_grid */
	uint8_t *watch_space;  /* of hd_gpu.watch_bytes.grid */

	/* Not cleared in a new one, and of no meaning before it gets its turn. */
	struct hd_stats before;		/* all counters then */
	struct hd_stats ended_before;	/* of these, in gpu->stats */
	struct hd_counters slot_before; /* and those of its slot, where slot_known */
};

#endif
