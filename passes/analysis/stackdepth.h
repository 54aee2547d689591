/*
 * stackdepth: what CARS's compiler half embeds in a program (cars-hpca24, III-A and IV-A).
 * The result of the row is an array of struct hd_meta_function, one for each of
 * hd_object.functions in that order, with the call graph's and stackdepth's fields filled in.
 */
#ifndef HD_PASSES_ANALYSIS_STACKDEPTH_H
#define HD_PASSES_ANALYSIS_STACKDEPTH_H

#include "lib/machine/abi.h"
#include "passes/analysis/callgraph.h"
#include "passes/unit.h"

/* Facts about `object` and its call graph; strings stay the object's, arrays are in the arena. */
struct hd_meta_function *hd_stackdepth_compute(const struct hd_object *object, const struct hd_callgraph *calls,
					       const struct hd_abi *abi, struct hd_arena *arena);

/* The remark about the analysis of a function. */
void hd_stackdepth_remark(struct hd_remarks *remarks, uint32_t function);

#endif
