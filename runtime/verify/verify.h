/*
 * The parts of --verify that check the analyses (verify_analyses.c, verify_switching.c, verify_reuse.c,
 * verify_memory.c, verify_affine.c), for verify.c, which calls them for warps that have a shadow.
 */
#ifndef HD_RUNTIME_VERIFY_VERIFY_H
#define HD_RUNTIME_VERIFY_VERIFY_H

#include "runtime/exec/exec.h"

struct hd_claims;
struct hd_ways;
struct hd_words_read;

/* Lanes in which a register or predicate must not be read before it is written. */
struct hd_poison {
	uint32_t regs[256];
	uint32_t preds[8];
};

/* Reads that are due: of each register, in instructions of the warp, from 1 on; 0: none is. */
struct hd_due {
	uint64_t now;
	uint64_t at[256];
	uint8_t first[256], width[256]; /* the operand, any of whose registers will do */
};

/* Of each lane: its last instruction's, or none. */
struct hd_lane_intervals {
	uint32_t interval[HD_WARP_LANES], strand[HD_WARP_LANES];
};

/* What is kept of a warp. */
struct hd_watch {
	struct hd_poison poison;  /* by preemption points */
	struct hd_poison stalled; /* by switch points */
	struct hd_poison loading; /* what global loads brought and nothing has needed yet; predicates: nothing */
	struct hd_poison lost;	  /* by a policy that has moved the warp */
	struct hd_poison space;	  /* by intervals and strands: what is not live where they are entered */
	struct hd_due due;
	struct hd_lane_intervals last;
};

/* What is kept of a block, and of a grid. */
struct hd_verify_block {
	struct hd_ways *ways; /* verify_affine.c's, of the launch ways_grid - 1 */
	uint32_t ways_room;   /* branches that these have room for */
	uint64_t ways_grid;
};
struct hd_verify_grid {
	struct hd_claims *claims;    /* verify_affine.c's */
	struct hd_words_read *words; /* verify_memory.c's; NULL: the kernel is not restartable */
};

/* A function is being loaded: what is claimed of its instructions. */
void hd_verify_affine_prepare(struct hd_module *module, struct hd_pfunction *function);
/* A launch begins: before any of its blocks, since several host threads are to find it there. */
void hd_verify_affine_begin(const struct hd_grid *grid, struct hd_verify_grid *kept);
void hd_verify_remember(const struct hd_grid *grid, struct hd_verify_grid *kept);
/* The launch is over. */
void hd_verify_affine_end(struct hd_verify_grid *kept);
void hd_verify_forget(struct hd_verify_grid *kept);

void hd_watch_begin(struct hd_watch *watch);
/* Before an instruction of `function`, which may lack metadata, and after one. */
void hd_verify_analyses_before(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			       struct hd_watch *watch);
/* What the warp's next instruction reads and has to have: without what may hold no value. */
struct hd_regset hd_verify_reads(const struct hd_exec *exec, const struct hd_dinst *inst);
/* A fault where `poison` has some of these `reads`: "R4 is read, but `why`". */
void hd_verify_poison_read(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_regset *reads,
			   const struct hd_poison *poison, const char *why);
void hd_verify_poison_written(struct hd_poison *poison, uint32_t mask, const struct hd_hazard *writes);
/* The lanes go into a call, and return from one; from that of a helper into the intervals that they were in `before`.
 */
void hd_watch_called(struct hd_watch *watch, uint32_t mask);
void hd_watch_returned(struct hd_watch *watch, uint32_t mask);
void hd_watch_helped(struct hd_watch *watch, uint32_t mask, const struct hd_lane_intervals *before);

/* Before an instruction of `function`, and after one: switch points (verify_switching.c). */
void hd_verify_switching_before(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
				struct hd_watch *watch);
void hd_verify_switching_after(const struct hd_exec *exec, const struct hd_dinst *inst, struct hd_watch *watch);

/* Reuse distances that are certain. */
void hd_verify_due(struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
		   struct hd_due *due);
/* Adds to the lanes in which a register is dead: operands that the metadata says are never read again. */
void hd_verify_tag_sources(const struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			   uint32_t dead[256]);
void hd_verify_tag_result(const struct hd_exec *exec, const struct hd_dinst *inst, const struct hd_pfunction *function,
			  uint32_t dead[256]);

/* After an instruction that was executed: whether the block could still be run again. */
void hd_verify_memory(struct hd_exec *exec, const struct hd_dinst *inst, struct hd_verify_grid *kept);
void hd_verify_bulk(struct hd_exec *exec, const struct hd_dinst *inst);

/* Around an instruction: what is claimed about it as a branch or an access (verify_affine.c). */
void hd_verify_affine_before(const struct hd_watcher_handle *self, struct hd_exec *exec,
			     const struct hd_pfunction *function);
void hd_verify_affine_after(const struct hd_watcher_handle *self, struct hd_exec *exec,
			    const struct hd_pfunction *function);

#endif
