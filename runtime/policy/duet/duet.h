/*
 * GPUDuet and Virtual Thread, as their parts see them (gpu-multiprogramming-lin, chapter 3): the monitor and the number
 * of extra blocks with the GPU (duet.c), queues and the one engine that moves contexts with each SM, for warps
 * (switch.c) and for whole blocks (blocks.c), and CARS' register stacks, which move with them
 * (stacks.c).
 */
#ifndef HD_RUNTIME_POLICY_DUET_DUET_H
#define HD_RUNTIME_POLICY_DUET_DUET_H

#include "runtime/policy/duet/monitor.h"
#include "runtime/policy/duet/space.h"
#include "runtime/sm/context.h"
#include "runtime/sm/policy_space.h"

#define DUET_QUEUE 16 /* warps: Table 3.4 */
#define DUET_BLOCK_QUEUE 8

/* Of a kernel's turn. */
struct duet_gpu {
	const struct hd_grid *grid; /* whose warps switch; NULL: nobody's */
	struct duet_kernel kernel;
	enum duet_level level;
	uint32_t parts;			     /* HD_PART_* that its extra blocks have no place for */
	uint32_t moving;		     /* units of a context */
	uint32_t stack;			     /* of these, most of a warp's register stack */
	const struct hd_policy_handle *cars; /* whose register stacks they are; NULL: there are none */
	struct duet_growth growth;
	bool fixed;		 /* ME is a parameter and stays */
	bool l1_only;		 /* nothing else has room for a context */
	bool l1;		 /* it holds contexts, and accesses go past it */
	double l1_below;	 /* per cent of its use; 0: never */
	bool virtual;		 /* Virtual Thread: slots alone, of whatever loads warps wait for */
	bool whole;		 /* blocks switch also where registers limit */
	bool barriers, eager;	 /* settings */
	bool all_moves;		 /* a swap moves a place's size, not what its point keeps */
	bool slots_alone;	 /* move where registers have room for all blocks */
	bool both_ways;		 /* at once: one context leaves while another comes */
	uint32_t port;		 /* bytes a cycle */
	uint64_t window, next;	 /* cycles; when it ends */
	struct hd_counters seen; /* when it began */
	/* Of all kernels so far. */
	uint64_t kernels, grown, saturated, with_l1; /* that ran; that got extra blocks; that were saturated at once;
						      * whose contexts L1 held */
	uint32_t most;				     /* extra blocks of any */
};

/* Numbers of warps, the oldest entry first. */
struct duet_queue {
	uint32_t count;
	uint32_t warps[DUET_QUEUE]; /* or blocks: indices in hd_sm.ctas */
};

struct duet_sm {
	struct duet_space space;
	struct duet_queue stalled, ready;
	uint32_t away;		  /* warps without a slot */
	bool asked;		  /* to look at the queues in the next cycle */
	bool busy;		  /* the engine moves: */
	struct hd_warp *out, *in; /* NULL: none */
	struct hd_cta *block_out, *block_in;
};

/* Units of a context that move, and of these those of register stacks. None: there is no context. */
struct duet_load {
	uint32_t units, stacks;
};

/* Running: it has its places and no entry in a queue. Away without a context: it has not begun yet. */
enum duet_state { DUET_RUNNING, DUET_STALLED, DUET_LEAVING, DUET_ABSENT, DUET_READY, DUET_ENTERING };

struct duet_warp {
	uint8_t state;		 /* enum duet_state */
	bool ended;		 /* what it stalled on, while it leaves */
	bool asks;		 /* its queue was full */
	bool context;		 /* it has one, in `context_at` */
	uint32_t at;		 /* unit of its registers, while these are there */
	uint32_t context_at;	 /* unit */
	struct duet_load load;	 /* what left with its context, and comes back */
	uint64_t since;		 /* cycle in which it came to be absent, or ready */
	struct hd_hazard missed; /* registers of loads under way that missed or went past L1 */
};

/* States as those of warps; a block is stalled, and ready, by its warps. */
struct duet_cta {
	uint32_t at;	       /* unit of its shared memory, while that is there */
	uint32_t context_at;   /* unit of its context */
	uint8_t state;	       /* enum duet_state */
	bool asks;	       /* its queue was full */
	bool context;	       /* it has one */
	struct duet_load load; /* what left with it */
	uint64_t since;	       /* as a warp's */
};

struct duet_counts {
	uint64_t switched_out, switched_in, turned_back, swaps, began, cycles, bytes, stack_bytes, queue_full, stalls,
		barrier_stalls, barrier_outs, too_late, absent_cycles, ready_cycles, blocks_out, blocks_in,
		blocks_began;
};

/* Virtual Thread has the first three. */
enum duet_setting {
	DUET_PORT,
	DUET_SLOT_BYTES,
	DUET_BOTH_WAYS,
	DUET_WINDOW,
	DUET_BARRIERS,
	DUET_EAGER,
	DUET_WHOLE,
	DUET_L1_BELOW,
	DUET_ALL_MOVES,
	DUET_SLOTS_ALONE,
};

static inline struct duet_gpu *duet_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct duet_sm *duet_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
static inline struct duet_warp *duet_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}
static inline struct duet_cta *duet_cta_of(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	return hd_policy_cta(self, cta);
}
/* What of this grid switches now. */
static inline enum duet_level duet_level_at(const struct hd_policy_handle *self, const struct hd_sm *sm,
					    const struct hd_grid *grid)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	return duet->grid == grid ? duet->level : DUET_OFF;
}
/* Whether a warp lives, for its block's switching: it has not ended. */
static inline bool duet_lives(const struct hd_warp *warp)
{
	return warp && (warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER);
}

/* switch.c: hooks. */
void duet_cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void duet_cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void duet_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_load_miss(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    uint64_t now);
void duet_first_use(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
		    uint64_t now);
void duet_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
void duet_verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst);
/* Alarms of an SM: a move is over; the queues are to be looked at. */
enum { DUET_MOVED, DUET_LOOK };
void duet_queue_leave(struct duet_queue *queue, uint32_t id);
/* Has the queues looked at in the next cycle. */
void duet_ask(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
/* The engine is at work on these of the grid from now on. */
void duet_engine_start(const struct hd_policy_handle *self, struct hd_sm *sm, struct duet_counts *counts,
		       struct duet_load out, struct duet_load in, uint64_t now);
/* Whether a context more has a place, which it gets when the engine is done: nobody else takes one. */
bool duet_has_place(const struct hd_policy_handle *self, struct hd_sm *sm);
uint32_t duet_take_context(const struct hd_policy_handle *self, struct hd_sm *sm);
/* The switch point that the warp is at; NULL: none, it stays. */
const struct hd_meta_switch *duet_point_of(const struct hd_sm *sm, const struct hd_warp *warp);
/* Registers of the switch point that keeps most, uncompressed; `all` of the kernel's if it calls functions, whose
 * points are not listed here. */
uint32_t duet_whole_registers(const struct hd_meta_function *meta, uint32_t all);
/* What of its registers it keeps there. */
struct hd_registers duet_registers_of(const struct hd_meta_switch *point, const struct hd_warp *warp);

/* stacks.c: register stacks of CARS, which are part of contexts; without CARS all do nothing or say 0. */
const struct hd_policy_handle *duet_find_cars(const struct hd_gpu *gpu);
/* Registers that the point keeps at most, which is in a warp that has diverged. */
uint32_t duet_registers_at(const struct hd_meta_switch *point);
/* Registers of a thread, as they are allocated in this launch. */
uint32_t duet_stacks_registers(const struct duet_gpu *duet, const struct hd_gpu *gpu, const struct hd_grid *grid);
/* Units of a context with a stack: what is below the stack, at its largest, and of the stack at most. */
uint32_t duet_stacks_below(const struct duet_gpu *duet, const struct hd_gpu *gpu, const struct hd_grid *grid);
uint32_t duet_stacks_most(const struct duet_gpu *duet, const struct hd_gpu *gpu);
/* What moves with the context of a warp, and of a block's warps, that leaves in this state. */
struct duet_load duet_warp_load(const struct duet_gpu *duet, const struct hd_warp *warp);
struct duet_load duet_block_load(const struct duet_gpu *duet, const struct hd_cta *cta);
/* The warp's registers have left, those in `kept` alone (NULL: all), or have come back. */
void duet_stacks_follow(const struct duet_gpu *duet, struct hd_warp *warp, const struct hd_registers *kept);

/* blocks.c: the same of blocks. */
void duet_block_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void duet_block_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void duet_block_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
/* A warp waits for long, or no longer. */
void duet_block_stall(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_block_go_on(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void duet_block_moved(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
void duet_block_look(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
/* Whether a place that is free is for a block that was launched before. */
bool duet_block_waits(const struct hd_policy_handle *self, const struct hd_sm *sm);
bool duet_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);

#endif
