/*
 * preempt: where a kernel may be preempted, and what has to be saved there
 * (gpu-multiprogramming-lin, 2.4.1).
 *
 * The row PREEMPT computes one struct hd_preempt for each of hd_object.functions, in that order.
 */
#ifndef HD_PASSES_ANALYSIS_PREEMPT_H
#define HD_PASSES_ANALYSIS_PREEMPT_H

#include "passes/analysis/liveness.h"
#include "passes/analysis/patterns.h"

struct hd_point {
	uint32_t inst; /* the boundary before this instruction; bar.pp: the barrier itself */
	enum hd_preempt_kind kind;
	uint32_t loop; /* the loop that it is there to cut, HD_NO_NODE: none */
	struct hd_regset live, live_divergent;
	struct hd_meta_pattern *patterns; /* of live_divergent, by register; the rest is random */
	uint32_t pattern_count;
};

/* Longest point-free stretches of a function, in instructions; -1: there is none. */
struct hd_drain {
	int64_t worst;	    /* from any point, or the entry, to the next point or the end, callees included */
	int64_t through;    /* from entry to return without a point */
	int64_t to_point;   /* from entry to the first point or the end */
	int64_t from_point; /* from a last point to a return */
	bool bounded;	    /* false: some cycle or unknown callee has no point, and counts once */
};

struct hd_preempt {
	const struct hd_liveness *liveness;
	struct hd_point *points; /* ascending */
	uint32_t point_count;
	struct hd_barrier {
		uint32_t inst;
		struct hd_regset live;
	} *barriers; /* where warps wait for the CTA, points or not, ascending */
	uint32_t barrier_count;
	struct hd_drain drain;
};

/*
 * What a warp executes in a piece of code, in instructions, callees included; HD_NO_STRETCH: there is no such path. A
 * step in max-plus arithmetic: what was the distance d from the last point before it is max(d + through, since) after
 * it, and d + until is reached inside.
 */
#define HD_NO_STRETCH INT64_MIN
struct hd_stretch {
	int64_t through; /* from start to end without a point */
	int64_t since;	 /* from the last point inside to the end */
	int64_t until;	 /* from start to the first point, or to the end when there is none */
	int64_t inside;	 /* between two points inside */
};

/* What a function has to know of its callees. */
struct hd_preempt_callees {
	const struct hd_call_site *sites; /* this function's, by instruction */
	uint32_t site_count;
	const struct hd_drain *drains; /* of hd_object.functions; callees are done, others of a cycle are not */
	const bool *waits;	       /* of hd_object.functions: it, or what it calls, has a barrier */
};

/* Points of a function. `every`: K. `callees` NULL: no calls. Everything lives in the arena. */
void hd_preempt_compute(struct hd_preempt *preempt, const struct hd_liveness *liveness, uint32_t every,
			const struct hd_preempt_callees *callees, struct hd_arena *arena);
/* The drain distances of chosen points (drain.c). */
struct hd_drain hd_drain_compute(const struct hd_preempt *preempt, const struct hd_preempt_callees *callees);
/* The stretch of one instruction: for a call what its callees execute, for another one 1. Clears *bounded where that
 * has no bound. */
struct hd_stretch hd_stretch_of(const struct hd_preempt_callees *callees, uint32_t inst, bool *bounded);
/* `next` comes behind `stretch`, which is both then. */
void hd_stretch_append(struct hd_stretch *stretch, const struct hd_stretch *next);
/* The stretch from the last point on, `since` instructions before. */
int64_t hd_stretch_after(const struct hd_stretch *stretch, int64_t since);

/* Whether warps wait here for the rest of the CTA. */
bool hd_waits_at(const struct hd_inst *inst);
/* The operand of pp and bar.pp, and of the dummy instruction behind pp. */
uint64_t hd_preempt_mask(const struct hd_regset *live);

/* Remarks about the points of a function. */
void hd_preempt_remarks(struct hd_remarks *remarks, uint32_t function);

#endif
