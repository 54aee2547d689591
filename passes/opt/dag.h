/*
 * The dependence graph of a stretch of instructions inside one block, with the values that
 * live in it, for list scheduling.
 */
#ifndef HD_PASSES_OPT_DAG_H
#define HD_PASSES_OPT_DAG_H

#include "passes/mir/live.h"

struct hd_dag_edge {
	uint32_t to, latency;
	uint32_t next; /* index + 1 in edges, 0 ends */
};

struct hd_dag_node {
	uint32_t succs;		  /* first edge, + 1 */
	uint32_t waiting;	  /* edges from predecessors */
	uint32_t height;	  /* cycles from here to the end of the longest chain, its last result included */
	uint32_t uses, use_count; /* values read: in hd_dag.used */
	uint32_t defs, def_count; /* values written: in hd_dag.defined */
};

/* One value of one word: from its definition (or the start) to its last use (or the end). */
struct hd_dag_value {
	uint32_t uses; /* instructions' reads */
	bool live_in, live_out, is_pred;
};

struct hd_dag_read {
	uint32_t node, next;
};

struct hd_dag {
	struct hd_mfunc *func;
	const struct hd_live *live;
	struct hd_minst *insts;
	uint32_t count;
	HD_VEC(struct hd_dag_node) nodes;
	HD_VEC(struct hd_dag_edge) edges;
	HD_VEC(struct hd_dag_value) values;
	HD_VEC(uint32_t) used, defined;
	bool *live_now;	    /* by word: live after the stretch when hd_dag_build is called, before it afterwards */
	uint32_t *open;	    /* by word: value being built, + 1 */
	uint32_t *last_def; /* by word, physical registers behind virtual ones: node + 1 */
	uint32_t *reads;    /* by word: reads since then, index + 1 in read_list */
	HD_VEC(struct hd_dag_read) read_list;
	HD_VEC(uint32_t) touched; /* words to reset */
	uint32_t node;		  /* being built */
	bool carried;		  /* what is left to other blocks counts as read at once there */
};

void hd_dag_init(struct hd_dag *dag, struct hd_mfunc *func, const struct hd_live *live, struct hd_arena *arena);
void hd_dag_release(struct hd_dag *dag);
/* Builds the graph of insts[0 .. count). */
void hd_dag_build(struct hd_dag *dag, struct hd_minst *insts, uint32_t count);

/* Cycles after which the result of an instruction can be used. */
uint32_t hd_minst_latency(const struct hd_minst *inst);

#endif
