/*
 * liveness: which registers a warp's threads still need (gpu-multiprogramming-lin, 2.3.2).
 *
 * Two versions at each point. The classical one is what a thread there needs. The divergent one
 * is what the warp needs when only some of its lanes are there: the others wait where an enclosing
 * divergent branch left them, at the divergence point or at the reconvergence point (Figure 2.5).
 *
 * The row LIVENESS computes one struct hd_liveness for each of hd_object.functions, in that order.
 */
#ifndef HD_PASSES_ANALYSIS_LIVENESS_H
#define HD_PASSES_ANALYSIS_LIVENESS_H

#include "passes/analysis/flow.h"
#include "passes/analysis/yields.h"
#include "passes/unit.h"

/* Reads of an instruction, a bit each in hd_liveness.dead. The first three are those of hd_inst.dead. */
enum { HD_DEAD_A = 1, HD_DEAD_B = 2, HD_DEAD_C = 4, HD_DEAD_GUARD = 8, HD_DEAD_PSRC = 16, HD_DEAD_PSRC2 = 32 };

/* A boundary before an instruction and how many registers are live there. */
struct hd_live_point {
	uint32_t inst, live;
};

struct hd_liveness {
	const struct hd_flow *flow;
	bool *divergent;	    /* of each block: its last instruction may send lanes on different paths */
	struct hd_regset *around;   /* of each block: what lanes need that an enclosing branch made wait */
	struct hd_regset waiting;   /* what lanes need that wait in this function's callers */
	struct hd_bitset scattered; /* blocks during which others may be at any of these, or elsewhere (yields.h) */
	uint8_t *dead;	       /* of each instruction: reads after which no path of the thread reads the register */
	uint8_t *dead_in_warp; /* of these, registers that no other lane of the warp waits for either */
	uint8_t *live, *live_divergent; /* of each instruction: how many registers before it, in both versions */
	struct hd_live_point most, most_divergent; /* most live registers, in both versions */
	uint32_t divergent_branches, uniform_branches;
	uint32_t reads, dead_reads, dead_in_warp_reads; /* register operands */
};

/*
 * `uniform` has a bit for each instruction: branches that send all lanes on the same path; NULL: none is known.
 * `waiting` is what lanes outside the function need, NULL: nothing (kernels). `yields`: where lanes wait out of the
 * stack's order, NULL: nowhere. Everything lives in the arena. Linear in the code times the nesting of divergent
 * branches.
 */
void hd_liveness_compute(struct hd_liveness *liveness, const struct hd_flow *flow, const struct hd_bitset *uniform,
			 const struct hd_regset *waiting, const struct hd_yields *yields, struct hd_arena *arena);
/* What is live before each instruction of a block: blocks[block].count sets, and one more for what is live after it. */
void hd_liveness_block(const struct hd_liveness *liveness, uint32_t block, struct hd_regset *live);
/* What is live before one instruction; costs a walk from the end of its block. */
struct hd_regset hd_liveness_before(const struct hd_liveness *liveness, uint32_t inst);
/* The divergent version, from the classical one at an instruction of `block`. */
struct hd_regset hd_liveness_diverged(const struct hd_liveness *liveness, uint32_t block, const struct hd_regset *live);
/*
 * The same before one instruction, from what is live before and after it: lanes that an indirect call has served wait
 * behind it while it is executed again, for those with another target.
 */
struct hd_regset hd_liveness_diverged_before(const struct hd_liveness *liveness, uint32_t inst,
					     const struct hd_regset *live, const struct hd_regset *after);

/*
 * The blocks, as bits of *region, that lanes run while others wait at the divergent end of `block` or at its
 * reconvergence point; returns what those need. Linear in the region.
 */
struct hd_regset hd_liveness_region(const struct hd_liveness *liveness, uint32_t block, struct hd_bitset *region);

/* The remark about the analysis of a function. */
void hd_liveness_remark(struct hd_remarks *remarks, uint32_t function);

#endif
