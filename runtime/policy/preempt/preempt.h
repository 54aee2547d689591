/*
 * Preemption of SMs by lightweight context switching, and its comparators (gpu-multiprogramming-lin, chapter 2): what
 * the parts of the policies share. preempt.c decides, points.c knows where, stop.c has warps stop,
 * move.c moves what they leave, context.c says how much that is, tables.c which blocks give up
 * what, report.c has the figures.
 */
#ifndef HD_RUNTIME_POLICY_PREEMPT_PREEMPT_H
#define HD_RUNTIME_POLICY_PREEMPT_PREEMPT_H

#include "runtime/sm/context.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"

/* ---- context.c: what the context of a warp takes in memory (2.3.3, 2.4.2) */

enum preempt_pattern { PREEMPT_DEAD, PREEMPT_UNIFORM, PREEMPT_STRIDED, PREEMPT_RANDOM, PREEMPT_PATTERNS };

enum {
	PREEMPT_VECTOR_BYTES = 16, /* pattern vector of a warp: 2 bits for each of 64 registers */
	PREEMPT_STACK_BYTES = 132, /* SIMT stack of a warp: 11 entries of 3 words */
	PREEMPT_STACK_ENTRIES = 11,
	PREEMPT_BLOCK_WARPS = 32, /* at most, of a block */
	PREEMPT_MASK_BITS = 53	  /* of a mask, one a register; one more bit for all the others */
};

/* Threads whose values are analysed together, in blocks that are so wide (2.3.3). */
uint32_t preempt_group(uint32_t block_x);
/* How a register's values follow each other in groups of `group` neighbouring lanes. */
enum preempt_pattern preempt_pattern_of(const uint32_t values[HD_WARP_LANES], uint32_t group);
/* Bytes of a register with this pattern. */
uint32_t preempt_pattern_bytes(enum preempt_pattern pattern, uint32_t group);

/* The registers that a mask of 54 bits has saved, of `count` (2.4.1). */
struct hd_registers preempt_mask_registers(const struct hd_registers *live, uint32_t count);

/*
 * Patterns of a register over the warps of a block, `entries` groups (Figure 2.11): bases and strides of its groups are
 * uniform or strided themselves. Its bytes; UINT32_MAX: not so, each warp keeps its own.
 */
uint32_t preempt_block_bytes(const uint32_t *bases, const uint32_t *strides, uint32_t entries, uint32_t group);

/* What leaves with a warp. */
struct preempt_context {
	struct hd_registers registers; /* that are saved */
	uint32_t count;		       /* of these */
	uint32_t bytes;		       /* pattern vector included, where there is one */
	uint32_t patterns[PREEMPT_PATTERNS];
	uint32_t by_block; /* registers of these that are kept once for the block */
	bool divergent;
};

/* How much of a context is saved. */
enum preempt_saving { PREEMPT_OCCUPIED, PREEMPT_LIVE, PREEMPT_COMPRESSED, PREEMPT_BY_BLOCK };
/* Of a warp that has stopped, with nothing under way. */
void preempt_context_of(const struct hd_sm *sm, const struct hd_warp *warp, enum preempt_saving saving,
			struct preempt_context *context);
/*
 * Of the warps of a block, which all have stopped: registers whose patterns go on from warp to warp are kept once for
 * the block, if all of its warps are at the same barrier and not diverged (2.3.3). Sets the contexts' bytes and
 * `by_block`.
 */
void preempt_compress_block(const struct hd_sm *sm, const struct hd_cta *cta,
			    struct preempt_context *contexts[PREEMPT_BLOCK_WARPS]);
/* Bytes of its SIMT stack in the paper's format, and beside that of what only this machine has: more entries,
 * predicates, uniform registers. */
uint32_t preempt_own_bytes(const struct hd_warp *warp);

/* ---- tables.c: allocation tables (2.3.1) */

enum { PREEMPT_TABLE_ENTRIES = 64 };
/* Contiguous ranges that blocks have of registers or of shared memory, in order of their start. */
struct preempt_table {
	uint32_t count, total;
	struct {
		uint32_t block, start, size;
	} entries[PREEMPT_TABLE_ENTRIES];
};
/* First fit, behind all others where no gap is large enough, which closes the gaps. False: what is free is less than
 * that, or the table is full. */
bool preempt_table_take(struct preempt_table *table, uint32_t block, uint32_t size);
void preempt_table_free(struct preempt_table *table, uint32_t block);
/*
 * The blocks that have to leave so that `count` ranges of `size` fit, a bit each (2.3.1): in the order of the table
 * from its beginning, or as few as possible, of these those with the lowest numbers in the table.
 */
uint64_t preempt_table_victims(const struct preempt_table *table, uint32_t count, uint32_t size, bool fewest);

/* ---- report.c */

/* Counted by each SM for each grid. */
#define PREEMPT_COUNTS(X)                                                                                          \
	X(requests, "requests", "completed requests to SMs with blocks")                                         \
	X(dropped, "requests", "requests dropped because the SM was still serving one") \
	X(idle, "requests", "requests to SMs without blocks")                                                          \
	X(switched_blocks, "CTAs", "blocks whose context was saved") \
	X(drained_blocks, "CTAs", "blocks that ran to their end")                                                     \
	X(flushed_blocks, "CTAs", "blocks that were killed and restarted") \
	X(lost_cycles, "cycles", "run time of killed blocks before they were killed") \
	X(warps, "warps", "warps whose context was saved") \
	X(divergent_warps, "warps", "warps saved with the mask for divergent warps")                               \
	X(drain_cycles, "cycles", "cycles from requests until all warps stopped with nothing in flight")              \
	X(spill_cycles, "cycles", "cycles from the stop of all warps until all contexts were in memory") \
	X(preempt_cycles, "cycles", "cycles from requests until all contexts were in memory or the last block ended") \
	X(restore_cycles, "cycles", "cycles from there until all blocks continued, if no other grid used the SM") \
	X(warp_cycles, "cycles", "cycles from the stop of a warp until its registers were saved, summed over warps") \
	X(register_phase, "cycles", \
	  "cycles from the first stop in a block until its registers were saved, summed over blocks") \
	X(shared_phase, "cycles", "cycles from then until its shared memory was saved, summed over blocks") \
	X(stack_phase, "cycles", "cycles from then until its SIMT stacks were saved, summed over blocks") \
	X(occupied_bytes, "bytes", "bytes of registers that saved warps occupied") \
	X(live_bytes, "bytes", "bytes of registers that were live and saved") \
	X(register_bytes, "bytes", "bytes of memory that the saved registers took, compressed") \
	X(shared_bytes, "bytes", "bytes of shared memory saved")                                                   \
	X(stack_bytes, "bytes", "bytes of SIMT stacks saved") \
	X(own_bytes, "bytes", \
	  "bytes of predicates, uniform registers and deeper stacks, which the paper does not have") \
	X(kept_bytes, "bytes", "bytes of registers and shared memory that stayed in place") \
	X(dead, "registers", "dead registers of saved warps, not saved") \
	X(uniform, "registers", "saved registers with one value in all lanes") \
	X(strided, "registers", "saved registers with a constant stride between lanes") \
	X(random, "registers", "saved registers without a pattern") \
	X(by_block, "registers", "uniform and strided registers stored once per block")                         \
	X(points, "points", "preemption points passed by warps that take instructions (pp and its dummy)")

struct preempt_counts {
	PREEMPT_COUNTS(HD_COUNT_FIELD)
	uint64_t longest; /* preempt_cycles of one request */
};

/* ---- preempt.c */

enum preempt_mechanism { PREEMPT_SWITCH, PREEMPT_DRAIN, PREEMPT_FLUSH, PREEMPT_INTEGRATED };

struct preempt_gpu {
	enum preempt_mechanism mechanism;
	enum preempt_saving saving;
	bool in_place;	       /* for another kernel only what that needs leaves */
	bool at_once;	       /* warps stop anywhere */
	uint64_t interval;     /* cycles between requests; 0: none but for grids of higher priority */
	uint64_t seed;	       /* of requests at random times; 0: in turns */
	uint64_t slice;	       /* cycles after which another grid has an SM; 0: when it needs it no more */
	uint64_t most;	       /* cycles of periodic requests */
	uint64_t share_cycles; /* between looks at them; 0: blocks beyond them stay */
	uint64_t beyond;       /* cycles after which blocks that are away come back beyond their share */
	uint32_t latency;      /* of the compressor */
	bool marked;	       /* pp and the dummy behind it stand in the code */
	uint32_t *points;      /* by instruction: pp in front of it in its code, its own included */
	uint32_t point_count, point_capacity;
	struct preempt_counts total; /* of grids that have ended */
};

/* IDLE: no request is under way. OUT: blocks stop, leave or end. AWAY: some are away, for another grid. BACK: they come
 * back. */
enum preempt_state { PREEMPT_IDLE, PREEMPT_OUT, PREEMPT_AWAY, PREEMPT_BACK };

struct preempt_sm {
	uint8_t state;
	bool alarmed;	    /* a periodic request is set */
	bool looks;	    /* an alarm to look for room is */
	uint64_t requested; /* cycle */
	uint64_t stopped;   /* of the last warp, with nothing under way */
	uint64_t left;	    /* when the contexts were in memory */
	uint32_t grid;	    /* slot of the grid that it is for; HD_MAX_GRIDS: for none */
	uint32_t owner;	    /* slot of a grid whose blocks leave: the request is counted there */
	uint32_t leaving;   /* blocks that have not left */
	uint32_t away;	    /* blocks that have, and do not come back yet */
	uint32_t returning; /* blocks that do */
	uint32_t turn;	    /* slot of the grid whose time slice it is, or was */
	bool sliced;	    /* an alarm for the next one is set */
	bool shares;	    /* and one for a look at shares */
	uint64_t drawn;	    /* requests at random times so far */
	uint32_t moving;    /* transfers that are not acknowledged */
	uint64_t retired[HD_MAX_GRIDS], issued[HD_MAX_GRIDS]; /* blocks that have ended, and their instructions */
	uint64_t flushed[HD_MAX_GRIDS]; /* 1 more than `retired` when blocks of the grid were last killed */
	uint32_t flushing;		/* grids, a bit each, of which a request kills some */
	struct preempt_table registers, shared;
	struct preempt_counts counts[HD_MAX_GRIDS];
};

/* STOPS: its warps go on to where they stop. LEAVES: they have, and shared memory and stacks follow. ENDS: it is let
 * run to its end. */
enum preempt_phase { PREEMPT_HERE, PREEMPT_STOPS, PREEMPT_LEAVES, PREEMPT_GONE, PREEMPT_RETURNS, PREEMPT_ENDS };

struct preempt_cta {
	uint8_t phase;
	uint8_t parts;	      /* HD_PART_REGISTERS, HD_PART_SHARED: what leaves beside slots and stacks */
	uint32_t stream;      /* bytes of register context so far */
	uint32_t sent;	      /* of these */
	uint32_t stack_bytes; /* of all its warps */
	uint32_t coming;      /* transfers until it is back */
	uint64_t began, issued;
	uint64_t phase_from;
	bool stays; /* it has come back beyond its kernel's share, and does not leave for one again */
};

/* DRAINED: by block, its registers wait for those of the block's other warps. */
enum preempt_stage { PREEMPT_RUNS, PREEMPT_STOPPED, PREEMPT_DRAINED, PREEMPT_MOVING, PREEMPT_MOVED };

struct preempt_warp {
	uint8_t stage;
	uint64_t stopped; /* cycle */
	uint32_t at;	  /* bytes in its block's stream of registers */
	bool announced;	  /* the instructions of the point where it is have issued */
	struct preempt_context context;
};

enum preempt_setting {
	PREEMPT_INTERVAL,
	PREEMPT_SEED,
	PREEMPT_MOST,
	PREEMPT_SLICE,
	PREEMPT_LATENCY,
	PREEMPT_FEWEST,
	PREEMPT_DRAIN_ABOVE,
	PREEMPT_FLUSH_BELOW,
	PREEMPT_SHARE,
	PREEMPT_BEYOND
};

static inline struct preempt_gpu *preempt_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct preempt_sm *preempt_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
static inline struct preempt_cta *preempt_cta_of(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	return hd_policy_cta(self, cta);
}
static inline struct preempt_warp *preempt_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}

/* hd_dinst.stops of instructions at a point, and of those with instructions of its own in front of them. */
enum { PREEMPT_POINT = 1, PREEMPT_PP = 2 };

/* What alarms and transfers are about, with the number of a warp or block below. */
enum preempt_what {
	PREEMPT_REQUEST,
	PREEMPT_FOR_GRID,
	PREEMPT_TURN,
	PREEMPT_LOOK,
	PREEMPT_SHARES,
	PREEMPT_REGISTERS,
	PREEMPT_SHARED,
	PREEMPT_STACKS
};
#define PREEMPT_WHAT_SHIFT 32
static inline uint64_t preempt_about(enum preempt_what what, uint64_t index)
{
	return (uint64_t)what << PREEMPT_WHAT_SHIFT | index;
}

static inline struct preempt_counts *preempt_counts_of(struct preempt_sm *mine, const struct hd_cta *cta)
{
	return &mine->counts[cta->grid->slot];
}

/* Vector registers that a block of the grid takes in the table. */
static inline uint32_t preempt_rows_of(const struct hd_sm *sm, const struct hd_grid *grid)
{
	return sm->grids[grid->slot].registers_per_warp * grid->block_warps / HD_WARP_LANES;
}

/* preempt.c: all blocks have left, ended or been killed, and what they left has been acknowledged. */
void preempt_finish_request(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
/* One of them has. */
static inline void preempt_one_less(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct preempt_sm *mine = preempt_sm_of(self, sm);
	mine->leaving--;
	if (!mine->leaving && !mine->moving)
		preempt_finish_request(self, sm, now);
}

/* preempt.c: a request begins, blocks are taken, then all are under way. */
void preempt_begin(const struct hd_policy_handle *self, struct hd_sm *sm, uint32_t grid, uint64_t now);
void preempt_take(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint8_t parts,
		  uint64_t now);
void preempt_begun(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
/* Those that have a place, and whose grid is not more urgent. */
bool preempt_may_leave(const struct hd_cta *cta, int least);
/* Blocks that the grid has left could start here, if others left; blocks of it that have left this SM. */
bool preempt_can_start(const struct hd_sm *sm, const struct hd_grid *grid);
uint32_t preempt_count_away(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid);
/* Blocks come back to where there is room for them. */
void preempt_look_for_room(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);

/* share.c: at times, blocks leave for shares or come back; one that is away stays so; blocks that may begin. */
void preempt_share_look(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now);
bool preempt_share_keeps_away(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_cta *cta);
uint32_t preempt_share_quota(const struct hd_policy_handle *self, const struct hd_sm *sm);

/* points.c: hooks */
void preempt_decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		    struct hd_dinst *code);
void preempt_fetch(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now);
uint64_t preempt_code_place(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			    uint64_t address, uint32_t *bytes);

/* stop.c: the block's warps are to stop; some may have by now. Whether each warp that is there is at a later
 * stage; *others: those that wait at a barrier in place of that. */
void preempt_stop_block(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now);
void preempt_look_at_block(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now);
bool preempt_all_at(const struct hd_policy_handle *self, const struct hd_cta *cta, uint8_t stage, uint32_t *others);
void preempt_stopped(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void preempt_drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void preempt_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void preempt_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);

/* move.c: registers of a warp, and other parts of a block's context, go where its phase says; no register of
 * the warp has to, or all have; all of the block's have. */
void preempt_send_registers(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp);
void preempt_send_part(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta,
		       enum preempt_what what);
void preempt_note_moved(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now);
void preempt_send_rest(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now);
/* The block's entries in the tables. */
void preempt_take_ranges(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_cta *cta,
			 uint8_t parts);
/* A block that is away lets go of what it has in place, which others wait for. */
void preempt_let_go(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
/* A block that has left begins to come back; false: there is no room. */
bool preempt_bring_back(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now);

/* report.c */
void preempt_sum_counts(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid,
			struct preempt_counts *sum);
extern const struct hd_policy_count preempt_reported[];
void preempt_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		    void (*add)(void *context, const char *key, double value, const char *unit), void *context);
bool preempt_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);

#endif
