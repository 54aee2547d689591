/*
 * intervals: prefetch subgraphs of machine code (ltrf-asplos18, 3.1 to 3.3): register-intervals by
 * Algorithms 1 and 2, and strands (6.6) for comparison. A subgraph has one entry, needs at most N
 * registers, and a PREFETCH at its entry brings these, its working set, into the register cache.
 *
 * The rows INTERVALS and STRANDS compute one struct hd_subgraphs for each of hd_object.functions.
 */
#ifndef HD_PASSES_ANALYSIS_INTERVALS_H
#define HD_PASSES_ANALYSIS_INTERVALS_H

#include "passes/analysis/liveness.h"

enum hd_subgraph_kind { HD_REGISTER_INTERVALS, HD_STRANDS };

/* Bytes that a PREFETCH adds to the code (3.2): its vector of a bit for each register, alone or behind an instruction.
 */
enum { HD_PREFETCH_VECTOR_BYTES = 256 / 8, HD_PREFETCH_EXPLICIT_BYTES = HD_PREFETCH_VECTOR_BYTES + HD_INST_BYTES };

/*
 * Registers count, predicates do not: they are not in the register file. R1 counts, RZ does not, a pair counts as two.
 * What a call passes is not its own access: the callee's intervals fetch it.
 */
struct hd_subgraph {
	/* Instruction. The PREFETCH before it is for control that comes from other subgraphs, or from a strand's own
	 * end. */
	uint32_t entry;
	uint32_t inst_count;
	bool call;		  /* a call and nothing else */
	struct hd_regset set;	  /* working set */
	struct hd_regset live_in; /* of these, what the warp still needs at the entry, waiting lanes included */
};

struct hd_subgraphs {
	const struct hd_flow *flow;
	enum hd_subgraph_kind kind;
	uint32_t limit;		  /* N */
	struct hd_subgraph *list; /* by entry; their index is their id */
	uint32_t count;
	uint32_t *of;	      /* subgraph of each instruction */
	uint32_t first_count; /* after Algorithm 1 */
	uint32_t rounds;      /* of Algorithm 2 that merged something */
};

/*
 * Returns HD_NO_NODE, or the instruction that needs more than `limit` registers by itself; nothing else is then set.
 * Everything lives in the arena.
 */
uint32_t hd_subgraphs_compute(struct hd_subgraphs *subgraphs, enum hd_subgraph_kind kind, uint32_t limit,
			      const struct hd_liveness *liveness, struct hd_arena *arena);
/* Recomputes what must hold; NULL, or what does not. Linear in the code. */
const char *hd_subgraphs_wrong(const struct hd_subgraphs *subgraphs);

/* Subgraphs that need a PREFETCH: one without registers, such as most calls, has nothing to fetch. */
uint32_t hd_subgraphs_prefetches(const struct hd_subgraphs *subgraphs);
/* The instruction's own registers. */
struct hd_regset hd_subgraph_registers(const struct hd_inst *inst);
/* Whether a subgraph of this kind ends with the instruction. */
bool hd_subgraph_ends(const struct hd_subgraphs *subgraphs, uint32_t inst);

/* The same as metadata, by id. */
struct hd_meta_interval *hd_subgraphs_records(const struct hd_subgraphs *subgraphs, struct hd_arena *arena);

/* Subgraphs of all functions of a unit, by function; NULL: one is not possible, which is reported. */
struct hd_subgraphs *hd_subgraphs_of_unit(struct hd_unit *unit, enum hd_subgraph_kind kind);
/* Those of a function for people; `what` is the word for one. */
void hd_subgraphs_print(FILE *out, const struct hd_subgraphs *subgraphs, const char *what);
/* 0, or -1 with what does not hold reported for `row`. */
int hd_subgraphs_verify(struct hd_unit *unit, const struct hd_subgraphs *results, const char *row);

/* The remark about the analysis of a function. */
void hd_intervals_remark(struct hd_remarks *remarks, uint32_t function);

#endif
