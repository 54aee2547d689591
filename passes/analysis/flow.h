/*
 * Flow of finished machine code: what every analysis of a struct hd_function starts from. Basic
 * blocks, their graph with dominators and loops, estimated frequencies, what
 * each instruction reads and writes with the ABI's share at calls and returns, and the registers
 * that are live where blocks begin and end.
 *
 * The row FLOW computes one struct hd_flow for each of hd_object.functions, in that order:
 *
 *   const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
 */
#ifndef HD_PASSES_ANALYSIS_FLOW_H
#define HD_PASSES_ANALYSIS_FLOW_H

#include <stdio.h>
#include <string.h>

#include "heddle/metadata.h"
#include "heddle/object.h"
#include "lib/machine/abi.h"
#include "lib/machine/regset.h"
#include "passes/analysis/callgraph.h"
#include "passes/graph/graph.h"

/* Instructions [first, first + count). Blocks are numbered in the order of the code; block 0 is the entry. */
struct hd_flow_block {
	uint32_t first, count;
	double frequency; /* executions for one execution of the function, estimated; 0: unreachable */
};

/* What the caller of a function has to know about it beyond the ABI, in caller-saved registers. */
struct hd_flow_summary {
	struct hd_regset uses;	  /* read before they are written: its arguments among them */
	struct hd_regset through; /* on some path to a return nothing writes them */
	struct hd_regset results; /* what a caller may read after it */
	bool helper;		  /* of hd_function */
	struct hd_regset writes;  /* of helpers: all that they may write, helpers that they call included */
};

/* What is known about the program around a function. NULL in place of it: nothing, so the ABI's worst case. */
struct hd_flow_facts {
	const struct hd_call_site *sites; /* this function's, by instruction */
	uint32_t site_count;
	const struct hd_flow_summary *summaries; /* of hd_object.functions */
	struct hd_regset results;		 /* what this function's callers may read after RET */
	uint32_t registers;			 /* the whole program's code stays below this register */
};

struct hd_flow_call {
	uint32_t inst;
	struct hd_regset reads, writes, kills;
	bool helper; /* no call of the program */
};

struct hd_flow {
	const struct hd_function *function;
	const struct hd_abi *abi;
	struct hd_flow_block *blocks;
	uint32_t block_count;
	uint32_t *block_of;	  /* of each instruction */
	struct hd_graph graph;	  /* nodes are blocks; a jump table's targets stand once each */
	uint32_t *rpo, rpo_count; /* reachable blocks */
	uint32_t *position;	  /* of each block in rpo; HD_NO_NODE: unreachable */
	uint32_t *idom, *idom_depth;
	struct hd_loops loops;
	struct hd_regset *live_in, *live_out; /* of each block, predicates too; divergence is not in them */
	struct hd_flow_call *calls;	      /* by instruction */
	uint32_t call_count;
	uint8_t *covered; /* by instruction: of a guarded one a bit for each register that it writes, in order, and the
			     highest for predicates, which the lanes outside its guard do not need behind it, so that
			     what was there before ends as with an unguarded write */
	struct hd_regset *awaited;  /* by instruction: of waits for products of warpgroups, registers of these products
				       (in_flight.c); NULL: the code has none */
	uint32_t product_registers; /* most registers that such products have under way */
	uint32_t product_groups;    /* most groups of them that a wait leaves under way */
	struct hd_regset returns;   /* what RET reads */
	struct hd_regset clobbered; /* what a call may write */
};

/* Registers of one instruction. The ABI's registers of calls and returns are in them. */
struct hd_flow_effects {
	struct hd_regset reads;
	struct hd_regset writes; /* may be written or clobbered */
	struct hd_regset kills;	 /* what they held before cannot be read afterwards: those of `writes` that are written
				    for certain */
	struct hd_regset covers; /* what they held before need not live: `kills`, or `writes` of a guarded instruction
				    whose other lanes do not need it */
};

/* In three parts, because a program's functions depend on each other (program_flow.c). `facts` may be NULL; `function`
 * must be one that hd_object_verify accepts. Near linear in the code. */
void hd_flow_build(struct hd_flow *flow, const struct hd_function *function, const struct hd_abi *abi,
		   struct hd_arena *arena); /* blocks, graph, frequencies */
void hd_flow_assume(struct hd_flow *flow, const struct hd_flow_facts *facts,
		    struct hd_arena *arena); /* calls, returns */
void hd_flow_solve(struct hd_flow *flow);    /* live_in and live_out for these */

/* What a call changes by the convention alone. */
struct hd_regset hd_flow_caller_saved(const struct hd_abi *abi);

/* Whether the instruction calls a function of the program, or a service; a helper is none (heddle/object.h). */
bool hd_flow_calls(const struct hd_flow *flow, uint32_t inst);

/* Both cost a few words of work, a call's a binary search. */
void hd_flow_effects(const struct hd_flow *flow, uint32_t inst, struct hd_flow_effects *effects);
/* The same for what lives: a wait for products of warpgroups reads their registers, which are in use until then. */
void hd_flow_live_effects(const struct hd_flow *flow, uint32_t inst, struct hd_flow_effects *effects);
/* From the registers live after `inst` to those live before it. */
void hd_flow_live_before(const struct hd_flow *flow, uint32_t inst, struct hd_regset *live);

/* Exits of the function: RET, EXIT or TRAP, guarded or not. A block that has one ends with it. */
bool hd_flow_leaves(const struct hd_inst *inst);
/* Fills in hd_flow.awaited (in_flight.c). */
void hd_flow_find_awaited(struct hd_flow *flow, struct hd_arena *arena);
/* Fills in hd_flow_block.frequency (frequency.c). */
void hd_flow_estimate(struct hd_flow *flow, struct hd_arena *arena);
/* The branch probabilities behind them: of each edge, in the order of graph.succ. */
void hd_flow_probabilities(const struct hd_flow *flow, double *probability);
/* Whether the register holds the same number on all paths to the instruction, and which (constant.c). */
bool hd_flow_constant(const struct hd_flow *flow, uint32_t inst, unsigned reg, uint32_t *value);
/* The last instruction of a block. */
static inline uint32_t hd_flow_last(const struct hd_flow *flow, uint32_t block)
{
	return flow->blocks[block].first + flow->blocks[block].count - 1;
}
/* Whether all paths to block `b` lead through block `a`. */
static inline bool hd_flow_precedes(const struct hd_flow *flow, uint32_t a, uint32_t b)
{
	return hd_dominates(flow->idom, flow->idom_depth, a, b);
}
/* Whether `block` is in `loop` or in a loop nested in it. */
static inline bool hd_flow_in_loop(const struct hd_flow *flow, uint32_t block, uint32_t loop)
{
	uint32_t at = flow->loops.loop_of[block];
	while (at != HD_NO_NODE && at != loop)
		at = flow->loops.loops[at].parent;
	return at == loop;
}

/* The set as the metadata has it. */
static inline struct hd_meta_registers hd_flow_registers(const struct hd_regset *set)
{
	struct hd_meta_registers registers = {.preds = set->preds};
	memcpy(registers.regs, set->regs, sizeof registers.regs);
	return registers;
}

/* Prints registers as `R0 R4-R7 P1`, or `none`. */
void hd_regset_print(FILE *out, const struct hd_regset *set);

#endif
