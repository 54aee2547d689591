/*
 * CARS (cars-hpca24): what the parts of the policy share. cars.c is the policy; the parts are the circular register
 * stack of a warp (stack.c), the choice of how many registers warps get (allocation.c), who has registers and
 * who waits for them (warps.c), paths of a warp in different calls (paths.c), warps that another policy moves
 * (joined.c), the checks of --verify (verify.c) and the figures (report.c).
 *
 * Registers are counted as rows: one 32-bit register of all lanes of a warp. The functional executor keeps the ABI's
 * state (saves really store), so the register stack is a model of where values would be and of what that costs.
 */
#ifndef HD_RUNTIME_POLICY_CARS_CARS_H
#define HD_RUNTIME_POLICY_CARS_CARS_H

#include "lib/machine/abi.h"
#include "runtime/sm/context.h"
#include "runtime/sm/policy_space.h"

#define CARS_FIRST_SAVED HD_ABI_FIRST_SAVED /* callee-saved registers are a run from here (III-A) */
#define CARS_MAX_LEVELS 32
#define CARS_STAGES 2 /* issue and operand collection (IV-C) */
#define CARS_NO_SLOT 0xff
#define CARS_BELOW_LOW UINT32_MAX /* as a level's multiple */

/* ---- stack.c: one warp's stack */

/* An open call. Positions are those of a stack without end; slot = position % size. */
struct cars_frame {
	uint32_t start;	     /* where the caller's RFP was pushed */
	uint32_t caller_rfp; /* its value */
	uint32_t mask;	     /* threads that called: what a spill of the frame must keep */
	uint32_t serial;     /* of all calls of the warp */
	uint32_t call;	     /* hd_simt.call */
	bool renamed;	     /* else it has no frame: its saves go to memory, registers stay its caller's */
};

struct cars_stack {
	uint32_t base, size;   /* rows below the stack, and of it */
	uint32_t rfp, rsp;     /* positions */
	uint32_t bottom;       /* positions below are in memory; always the start of a frame, or rsp */
	uint32_t rfp_slot;     /* rfp % size */
	uint32_t resident;     /* the frame that starts at bottom, or frames.len */
	uint32_t serial, peak; /* calls so far; most rows in use */
	HD_VEC(struct cars_frame)
	frames; /* as the SIMT stack grows; its place is kept from one warp to the next in a slot */
};

/* Rows that a trap moves: positions [from, from + rows), of these lanes. */
struct cars_move {
	uint32_t from, rows, mask;
};

/* A frame that is in memory while another path of the warp runs (paths.c). */
struct cars_parked {
	uint32_t call, rows, mask;
	bool renamed;
};

void cars_stack_reset(struct cars_stack *stack, uint32_t base, uint32_t size);
/* A call whose site asks for `fru` rows. Returns what is spilled to make room. */
struct cars_move cars_stack_call(struct cars_stack *stack, uint32_t fru, uint32_t mask, bool renames,
				 struct hd_arena *arena);
/* A push of `count` registers from `reg` up; it spills only when the site's FRU was too small. */
struct cars_move cars_stack_push(struct cars_stack *stack, uint32_t reg, uint32_t count);
/* All threads have left the calls above `depth`. Returns what is filled: the frame that is in control again. */
struct cars_move cars_stack_return(struct cars_stack *stack, uint32_t depth);
/* Rows of a frame. */
uint32_t cars_stack_rows(const struct cars_stack *stack, uint32_t index);
/* All that is in registers goes to memory. */
struct cars_move cars_stack_spill(struct cars_stack *stack);
/* Gives up the frames above `depth`, wherever they are. */
void cars_stack_drop(struct cars_stack *stack, uint32_t depth);
/* A frame in memory comes on top, with all below it there, too. */
void cars_stack_take_back(struct cars_stack *stack, const struct cars_parked *parked, struct hd_arena *arena);
/* Brings the frame in control back where it is in memory. */
struct cars_move cars_stack_fill(struct cars_stack *stack);
/* Row of an architectural register among the warp's. */
static inline uint32_t cars_stack_place(const struct cars_stack *stack, uint32_t reg)
{
	uint32_t above = reg - CARS_FIRST_SAVED;
	if (reg < CARS_FIRST_SAVED || above >= stack->rsp - stack->rfp)
		return reg;
	uint32_t slot = stack->rfp_slot + above;
	return stack->base + (slot < stack->size ? slot : slot - stack->size);
}

/* ---- allocation.c: how many rows a warp gets */

/* Allocations of a kernel from Low to High, and how long a block took under each. N x Low is the kernel's own rows and
 * N times the largest FRU of its callees: `base + N * max_fru`, so that base is there once. The paper's "N times
 * Low-watermark registers" cannot mean N times the kernel's own, which only one frame of a warp uses: in its example
 * (III-B, 20 + 10 rows, High 56) 2 x Low would be 60 and beyond High. */
struct cars_levels {
	uint32_t count;
	uint32_t base;			    /* rows below the stack */
	uint32_t low;			    /* rows that a warp needs at least: the kernel's and one call's */
	uint32_t rows[CARS_MAX_LEVELS];	    /* as allocated */
	uint32_t multiple[CARS_MAX_LEVELS]; /* N of N x Low; 0: High; CARS_BELOW_LOW */
	uint64_t cycles[CARS_MAX_LEVELS];   /* of blocks that ended in this launch */
	uint64_t blocks[CARS_MAX_LEVELS];
	double remembered[CARS_MAX_LEVELS]; /* mean of an earlier launch; 0: none */
};

/* What a kernel's launches have shown, by allocation: a launch whose grid leaves other numbers of rows to the same
 * allocations goes on from it. */
struct cars_memory {
	double mean[CARS_MAX_LEVELS]; /* cycles of a block, by N of N x Low; [0]: High; 0: none */
};

/* What a launch and the SM allow: what the levels are made from. */
struct cars_demand {
	uint32_t base, max_fru, high; /* of the kernel: FRU, largest callee FRU, High-watermark */
	uint32_t file_rows, unit;     /* of the SM; allocation granularity */
	uint32_t warps;		      /* resident on an SM with Low: whole blocks, and what else limits them */
	bool all_run;		      /* no warp may wait for rows: `warps` are those of the grid on an SM */
	bool open;		      /* calls may be deeper than High says: recursion, unknown callees */
};

void cars_levels_make(struct cars_levels *levels, const struct cars_demand *demand);
/* Keeps one level alone: "low", "high" or the N of N x Low, which may be beyond High (of use in recursion). */
void cars_levels_force(struct cars_levels *levels, const struct cars_demand *demand, const char *parameter);
/* Where no warp may wait for rows: leaves the levels under which all have theirs at once, or else what there is for
 * each, which may be less than Low. */
void cars_levels_bound(struct cars_levels *levels, const struct cars_demand *demand);
/* What no call can use of them is not given out. */
void cars_levels_trim(struct cars_levels *levels, const struct cars_demand *demand);
/* Mean cycles of a block under a level, of this launch or else remembered; 0 when unknown. */
double cars_level_mean(const struct cars_levels *levels, uint32_t level);
/* The best level that is known; `fallback` when none is. */
uint32_t cars_level_best(const struct cars_levels *levels, uint32_t fallback);
/* What is remembered of these allocations; and keeps what this launch has shown. */
void cars_levels_recall(struct cars_levels *levels, const struct cars_memory *memory);
void cars_levels_keep(const struct cars_levels *levels, struct cars_memory *memory);
/* Figure 5: the level of the next block on an SM that is at `level`. */
uint32_t cars_level_next(const struct cars_levels *levels, uint32_t level);
/* One for all blocks of a launch: the most in a kernel's first launch, then the best known, or one beside that which is
 * not known. */
uint32_t cars_level_of_launch(const struct cars_levels *levels);

/* ---- state */

#define CARS_COUNTS(X)                                                                   \
	X(calls, "instructions", "calls by warps")                                       \
	X(pushes, "instructions", "callee saves that became pushes")                     \
	X(pops, "instructions", "callee restores that became pops")                      \
	X(traps, "traps", "calls and returns that spilled or filled")                    \
	X(call_traps, "traps", "traps of calls that found no room")                     \
	X(spilled_bytes, "bytes", "bytes stored by traps")                                     \
	X(filled_bytes, "bytes", "bytes loaded by traps")                                      \
	X(unrenamed_calls, "instructions",                                               \
	  "calls whose saves went to memory: registers do not start at R16, or exceed the stack") \
	X(stalled_warps, "warps", "warps put on the stalled-warp list")                        \
	X(switches, "switches", "warps switched out at a barrier")                       \
	X(switched_bytes, "bytes", "bytes stored and loaded by context switches")

struct cars_counts {
	CARS_COUNTS(HD_COUNT_FIELD)
};

enum cars_warp_state { CARS_FREE, CARS_HAS_ROWS, CARS_STALLED, CARS_SWITCHED_OUT, CARS_AWAY };

struct cars_shadow;
struct cars_warp {
	struct cars_stack stack;
	uint32_t wanted; /* rows */
	uint32_t saved;	 /* rows that wait in memory after a switch */
	uint8_t state;	 /* enum cars_warp_state */
	uint8_t next;	 /* on the stalled-warp list; CARS_NO_SLOT ends it */
	bool apart;	 /* paths in different calls have run: the shadow knows of one order only */
	HD_VEC(struct cars_parked) parked;
	bool exited; /* threads have ended inside a call: its frame may go without a return */
	struct cars_shadow *shadow;
};

struct cars_sm {
	struct cars_warp warps[HD_MAX_CONTEXTS]; /* by number */
	uint32_t free_rows;
	uint8_t first, last;		  /* stalled-warp list */
	uint32_t level;			  /* of the next block */
	uint64_t cycles[CARS_MAX_LEVELS]; /* of blocks that ended since the last look */
	uint64_t blocks[CARS_MAX_LEVELS];
	struct cars_counts counts;
	uint64_t launched[CARS_MAX_LEVELS]; /* blocks of the grid */
	uint32_t peak;			    /* most rows of a stack in use, of the grid */
};

struct cars_cta {
	uint32_t level;
};

/* What one launch leaves for the next of the same kernel name. */
struct cars_kernel {
	const char *name;
	struct cars_levels levels; /* of the grid, or the last one */
	struct cars_memory memory;
	struct cars_kernel *next;
};

struct cars_gpu {
	const char *parameter;
	uint16_t *site_fru; /* by pc */
	uint32_t site_count;
	uint32_t *function_fru; /* by function; CARS_UNRENAMED */
	uint32_t function_count;
	uint32_t largest_fru; /* of all loaded functions */
	bool unrenamed;	      /* some loaded function saves other registers */
	struct cars_kernel *kernels;
	struct cars_kernel *kernel; /* of the grid */
	bool joined;		    /* another policy moves warps and their rows: joined.c */
	uint32_t level;		    /* joined: of the launch */
	uint32_t deepest;	    /* joined: most rows that a stack of it has */
	struct cars_counts before;  /* of the grid */
};
#define CARS_UNRENAMED UINT32_MAX

static inline struct cars_gpu *cars_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct cars_sm *cars_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
/* By number: what a stack has grown to serves the next warp there. */
static inline struct cars_warp *cars_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return &cars_sm_of(self, warp->cta->sm)->warps[warp->id];
}

/* ---- allocation.c, for the launch */
void cars_grid_begin(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
void cars_grid_end(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_grid *grid);
uint32_t cars_admit(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
		    uint32_t registers);
/* Level of a new block on the SM; what ended there since the last one is taken into account. */
uint32_t cars_choose_level(const struct hd_policy_handle *self, struct hd_sm *sm);

/* ---- warps.c: registers of warps */
void cars_cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void cars_cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
void cars_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void cars_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
/* The warp's last result may be what a switch waits for. */
void cars_write_back(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     uint64_t now);
void cars_barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
/* Has the warp store or load rows of its stack. Returns the bytes. */
uint64_t cars_trap(struct hd_warp *warp, const struct cars_move *move, enum hd_inject_kind kind);
/* Into the trap's routine and back. */
static inline uint32_t cars_trap_cycles(const struct hd_sm *sm)
{
	return 2 * sm->issue.branch_latency;
}

/* ---- paths.c: paths of a warp in different calls */
/* The running path may be in other calls than the frames of the stack say; `returned`: by a return, so that frames
 * without a call are over. Returns the cycles of the trap. */
uint32_t cars_follow_path(const struct hd_policy_handle *self, struct hd_warp *warp, bool returned);
void cars_path_switch(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now);

/* ---- joined.c: beside a policy that moves warps and their registers (hd_policy_hooks.joins) */
/* How the warps of a launch are allocated. */
struct cars_rows {
	uint32_t all;	/* of a warp */
	uint32_t base;	/* of these, below its stack */
	uint32_t stack; /* the most that it has in use of the rest */
};
bool cars_is_joined(const struct hd_gpu *gpu);
struct cars_rows cars_rows_of_launch(const struct hd_policy_handle *self, const struct hd_gpu *gpu);
/* Rows of the warp's stack that hold something. */
uint32_t cars_rows_in_use(const struct hd_policy_handle *self, const struct hd_warp *warp);
/* The warp's rows are where its registers are (hd_warp.away): they have left, of those below the stack with what is in
 * `kept` (NULL: all), or have come back. Does nothing when that is known. */
void cars_follow(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_registers *kept);

/* ---- verify.c: all do nothing unless the warp has a shadow */
void cars_verify_start(const struct hd_policy_handle *self, struct hd_warp *warp);
void cars_verify_push(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t from, uint32_t to);
void cars_verify_spill(const struct hd_policy_handle *self, struct hd_warp *warp, const struct cars_move *move);
void cars_verify_fill(const struct hd_policy_handle *self, struct hd_warp *warp, const struct cars_move *move);
/* The warp's rows leave, those that `kept` and the stack do not have for good. */
void cars_verify_leave(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_registers *kept);
void cars_verify_end(const struct hd_policy_handle *self, struct hd_warp *warp);
void cars_verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst);
void cars_verify_after(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect);

/* ---- report.c */
/* Bits that CARS adds to an SM (IV-C). */
uint64_t cars_storage_bits(const struct hd_config *config);
void cars_sum_counts(const struct hd_policy_handle *self, const struct hd_gpu *gpu, struct cars_counts *sum);
extern const struct hd_policy_count cars_reported[];
void cars_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		 void (*add)(void *context, const char *key, double value, const char *unit), void *context);
bool cars_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size);
void cars_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);

#endif
