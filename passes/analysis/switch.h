/*
 * switch: where a warp may be switched out when it stalls, and what has to be kept of it there
 * (gpu-multiprogramming-lin, 3.6.6).
 *
 * The row SWITCH computes one struct hd_switch_points for each of hd_object.functions, in that order.
 */
#ifndef HD_PASSES_ANALYSIS_SWITCH_H
#define HD_PASSES_ANALYSIS_SWITCH_H

#include "passes/analysis/liveness.h"
#include "passes/analysis/patterns.h"

struct hd_switch_point {
	uint32_t inst; /* the boundary before this instruction */
	enum hd_switch_kind kind;
	struct hd_regset live, live_divergent;
	struct hd_regset loading;	  /* what global loads may still be to bring: kept live or not, and whole */
	struct hd_meta_pattern *patterns; /* of live_divergent, by register; the rest is random */
	uint32_t pattern_count;
	uint32_t bytes; /* of a diverged warp's registers, in groups of 32 threads */
};

struct hd_switch_points {
	const struct hd_liveness *liveness;
	struct hd_switch_point *points; /* ascending */
	uint32_t point_count;
	uint32_t bytes; /* most at a point of the function; hd_switch_run: callees included */
};

/* What loads leave under way around a function. The sets have registers only. */
struct hd_loading {
	struct hd_regset entry; /* when it is called */
	struct hd_regset exit;	/* when it returns */
};
struct hd_switch_facts {
	const struct hd_call_site *sites; /* this function's, by instruction; NULL: no calls */
	uint32_t site_count;
	const struct hd_loading *loading; /* of hd_object.functions */
	struct hd_regset entry;		  /* loading when this function is called */
	struct hd_regset loaded; /* destinations of the program's loads: what waiting lanes may have under way */
	uint32_t registers;	 /* the program's registers, all of which a callee that is not known may load */
};

/*
 * Solves what is under way in a function; `before` has a set for each block's start, which grow from call to call.
 * Returns the set at its returns; at call sites `entries` (of hd_object.functions) grow where not NULL.
 */
struct hd_regset hd_switch_flow(const struct hd_flow *flow, const struct hd_switch_facts *facts,
				struct hd_regset *before, struct hd_regset *entries);
/* Destinations of the function's global loads. */
struct hd_regset hd_switch_loaded(const struct hd_function *function);
/* Points of a function. Everything lives in the arena. Linear in the code times the depth of its loops. */
void hd_switch_compute(struct hd_switch_points *switching, const struct hd_liveness *liveness,
		       const struct hd_switch_facts *facts, struct hd_arena *arena);
/* Bytes of a point's registers: uniform ones 4 and strided ones 8 for each group of `group` threads, others 128. */
uint32_t hd_switch_bytes(const struct hd_switch_point *point, uint32_t group);

#endif
