/*
 * Accesses to global memory that take effect at the end of a window of cycles (later.c).
 */
#ifndef HD_RUNTIME_EXEC_LATER_H
#define HD_RUNTIME_EXEC_LATER_H

#include "runtime/exec/exec.h"

/* What an SM has put off in a window, in its order. */
struct hd_later {
	uint8_t *bytes;
	size_t used, next, room; /* next: the first that has not been done */
	size_t last;		 /* where the last one begins */
	uint64_t lines;		 /* a filter of the lines that are to be written */
	bool in_order;		 /* a load or an atomic has been put off: every load is from there on */
	/* Where it is watched: nothing is put off, loads that would not be find memory here as it was (past.c). */
	struct hd_past *past;
	/* The first fault of the SM in the window. */
	int error;
	uint64_t fault_cycle;
	struct hd_grid *fault_grid;
	struct hd_loc fault_place;
	char fault_text[1024];
};

/* Whether what concerns all SMs is put off: others work at the same time, in the same window. */
static inline bool hd_puts_off(const struct hd_exec *exec)
{
	return exec->later && !exec->later->past;
}

/* Room for what an SM can issue in so many cycles; `told`: watchers call hd_later_tell. */
struct hd_later *hd_later_new(uint64_t issues, bool told, struct hd_arena *arena);
static inline void hd_later_clear(struct hd_later *later)
{
	later->used = later->next = 0;
	later->lines = 0;
	later->in_order = false;
	later->error = 0;
}

/* The lanes in exec->mask write at exec->effect's addresses: loads of these lines wait. */
void hd_later_stores(const struct hd_exec *exec);
/* Must the load of the lanes in exec->mask at exec->effect's addresses wait? */
bool hd_later_holds(const struct hd_exec *exec);
/* What the lanes in exec->mask do there, at host addresses base + offset[lane], checked already, with the operands that
 * they have now. */
void hd_later_load(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset);
void hd_later_store(struct hd_exec *exec, const struct hd_dinst *inst, uintptr_t base, const uint64_t *offset);
void hd_later_store_row(struct hd_exec *exec, const struct hd_dinst *inst, uint8_t *host);
void hd_later_copy(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_copied copied[HD_WARP_LANES]);
void hd_later_atomic(struct hd_exec *exec, const struct hd_dinst *inst, uint8_t *const *host);
/* Copies of a warp: what they do to global memory. */
void hd_later_bulk(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_bulk *first);
/* A runtime service. Its arguments and its result are in registers of a warp that waits until the window has ended. */
void hd_later_service(struct hd_exec *exec, const struct hd_dinst *inst);

/*
 * For watchers, about what they know of several SMs: has `work` called with `state` and a copy of the record, in the
 * order of cycles, SMs and issue. At once where SMs work in that order, else at the window's end. The executor that it
 * gets has the warp and the mask of now, to name a thread of a fault; the warp itself may have gone on by then, or
 * ended. A warp's instruction calls it HD_LATER_TOLD times at most, with up to HD_LATER_RECORD bytes.
 */
typedef void hd_later_fn(void *state, struct hd_exec *exec, const void *record);
enum { HD_LATER_TOLD = 2, HD_LATER_RECORD = 320 };
void hd_later_tell(struct hd_exec *exec, hd_later_fn *work, void *state, const void *record, size_t bytes);
/* For watchers: registers and predicates of the warp that get what they are to hold at the window's end. */
void hd_later_results(const struct hd_exec *exec, const struct hd_warp *warp, struct hd_hazard *results);
/* Whether `inst`, which the warp has just executed, left its result for then. */
bool hd_later_has_put_off(const struct hd_exec *exec, const struct hd_warp *warp, const struct hd_dinst *inst);

/* Does what was put off in cycle `now`, up to the first fault; `exec` is the caller's, for the writing of registers. */
void hd_later_do(struct hd_later *later, struct hd_exec *exec, uint64_t now);
/* services.c: may the kernel that begins at `entry` print, or use the heap of device malloc? */
bool hd_program_serves(const struct hd_program *program, uint32_t entry);
/* May it come to the barrier of a cluster? */
bool hd_program_meets_clusters(const struct hd_program *program, uint32_t entry);
/* May its warpgroups multiply matrices (wgmma)? */
bool hd_program_has_products(const struct hd_program *program, uint32_t entry);
/* May its warps hand registers on (setmaxnreg)? */
bool hd_program_resizes(const struct hd_program *program, uint32_t entry);
/* May its lanes wait for others in a loop? */
bool hd_program_waits(const struct hd_program *program, uint32_t entry);
/* fault.c: the fault becomes the launch's. */
void hd_later_fault(const struct hd_later *later, struct hd_gpu *gpu);
/* Cycle of the first that has not been done; UINT64_MAX: none. */
uint64_t hd_later_next(const struct hd_later *later);

#endif
