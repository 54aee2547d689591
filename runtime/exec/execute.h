/*
 * The functional executor: it changes what a program can see, registers, predicates, memory and the SIMT stack. The
 * timing core decides when.
 */
#ifndef HD_RUNTIME_EXEC_EXECUTE_H
#define HD_RUNTIME_EXEC_EXECUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/core/effect.h"
#include "runtime/core/warp.h"

struct hd_dinst;
struct hd_gpu;

/* A range of device addresses that lies in one allocation; void once the memory's epoch has moved on. */
struct hd_devrange {
	uint64_t low, high, epoch;
	uintptr_t host; /* to be added for the host's addresses */
};

struct hd_bulks;
struct hd_later;
struct hd_remotes;

/* Context of the functional executor: one for each SM. Zeroed, with `gpu` and `now` set, it is ready; kept from one
 * instruction to the next. */
struct hd_exec {
	struct hd_gpu *gpu;
	struct hd_texels *texels;   /* those of the last fetch; NULL: nobody wants to know */
	struct hd_later *later;	    /* what is done to global memory waits there (later.h); NULL: it is done at once */
	struct hd_remotes *remotes; /* accesses to other blocks of clusters and what warps do to these, until that takes
				       effect (remote.h); NULL: the SM has had no cluster */
	struct hd_bulks *bulks;	    /* copies in bulk (bulk.h); NULL: the SM has made none */
	struct hd_warp *warp;
	uint32_t mask;
	struct hd_effect *effect;
	uint64_t now;
	bool fault;
	bool stays;   /* with `fault`: there is none, but the warp is not to go on to the next instruction (meet.c) */
	bool endless; /* by a watcher of its last instruction: the warp goes round for ever whatever others do */
	uint32_t sm;  /* number of its SM */
	struct hd_devrange ranges[16];	/* recently used allocations, by pc */
	uint64_t offset[HD_WARP_LANES]; /* host offsets of an access where they differ from effect->address */
};

/*
 * Executes the instruction at warp->pc for the active lanes and advances pc and SIMT stack (reconvergence included).
 * A fault (bad address, trap, bad call, stack overflow) reports through hd_gpu_fault with place, block and thread, sets
 * HD_EVENT_FAULT and leaves the warp where it is. Barriers: only fills the effect; the timing core parks and releases.
 */
void hd_warp_execute(struct hd_exec *exec, struct hd_warp *warp, struct hd_effect *effect);
/* Result of a BAR.RED for a warp that is being released: writes dst/pdst of the BAR instruction at `pc`. */
void hd_warp_barrier_result(struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t count,
			    uint32_t total);
/* Operand b or c of a control instruction, as the first lane of `mask` has it: immediate, constant or register. */
uint32_t hd_operand_value(const struct hd_warp *warp, const struct hd_inst *inst, enum hd_slot slot, uint32_t mask);
/*
 * Sets up functional state for a warp of a CTA: registers zero, stack with one entry at grid->entry, live lanes, tid.
 * The dispatcher has set regs (grid->register_rows rows and the two below), local, local_base, slot and cta->shared,
 * and owns that memory; warp->stack keeps its storage from one warp to the next in a slot.
 */
void hd_warp_start(struct hd_warp *warp, struct hd_cta *cta, uint32_t index);
/* Frees what hd_warp_start and execution allocated: the stack. */
void hd_warp_release(struct hd_warp *warp);

#endif
