/*
 * Liveness of machine IR after SSA, by words of virtual registers, and the live intervals
 * that coalescing and register allocation share.
 */
#ifndef HD_PASSES_MIR_LIVE_H
#define HD_PASSES_MIR_LIVE_H

#include "passes/mir/mir.h"

/* Words have dense ids: word s of virtual register i is base[i] + s; a predicate is one word. */
struct hd_live {
	uint32_t *base; /* one more than there are registers: base[vregs] == words */
	uint32_t words;
	uint32_t *in_start, *in; /* words live into block b: in[in_start[b] .. in_start[b+1]), ascending */
	uint32_t *out_start, *out;
};

/* Block-level liveness without PHIs. Costs the size of its result. */
void hd_live_compute(struct hd_mfunc *func, struct hd_arena *arena, struct hd_live *live);

/* Number of words of an operand in the numbering above (predicates: 1). */
static inline uint32_t hd_live_word(const struct hd_live *live, struct hd_mreg reg)
{
	return live->base[reg.id - HD_MREG_VIRTUAL] + reg.sub;
}

/* Instruction i of the linear order reads at position 2i and writes at 2i+1; a segment is [start, end). */
struct hd_segment {
	uint32_t start, end;
};
/* Adds to a sum over places at its start, and takes it away at its end. */
static inline void hd_segment_spread(int32_t *change, struct hd_segment segment, int32_t by)
{
	change[segment.start] += by;
	change[segment.end] -= by;
}

struct hd_fixed {
	uint32_t reg; /* physical register or HD_MREG_PRED + n */
	struct hd_segment segment;
};

struct hd_live_intervals {
	struct hd_live live;
	uint32_t *order, order_count; /* blocks in linear order */
	uint32_t *first;	      /* by block: index of its first instruction */
	uint32_t inst_count;
	uint32_t *segment_start; /* by word: segments[segment_start[w] .. segment_start[w+1]), ascending, disjoint */
	struct hd_segment *segments;
	HD_VEC(struct hd_fixed) fixed; /* physical registers around calls, at the entry and before RET */
	HD_VEC(uint32_t) calls;	       /* instruction indices, descending */
};

void hd_live_intervals_compute(struct hd_mfunc *func, struct hd_arena *arena, struct hd_live_intervals *intervals);
void hd_live_intervals_release(struct hd_live_intervals *intervals); /* the vectors */
/* The block at a position: its index in intervals->order. */
uint32_t hd_live_intervals_block(const struct hd_live_intervals *intervals, uint32_t position);

/* Linear order of the reachable blocks: reverse post-order, loops contiguous. Returns the count. */
uint32_t hd_mfunc_block_order(const struct hd_mfunc *func, struct hd_arena *arena, uint32_t **order);

#endif
