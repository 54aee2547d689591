/*
 * idempotence: whether a thread block can be run again from its start and leave the same memory behind
 * (gpu-multiprogramming-lin, 2.2.2: SM-flushing "only works on idempotent kernels, which means each
 * TB can be re-executed multiple times without affecting the results"). The row IDEMPOTENCE computes
 * one struct hd_meta_idempotence for each of hd_object.functions, in that order.
 */
#ifndef HD_PASSES_ANALYSIS_IDEMPOTENCE_H
#define HD_PASSES_ANALYSIS_IDEMPOTENCE_H

#include <llvm-c/Core.h>

#include "passes/analysis/callgraph.h"
#include "passes/unit.h"

/*
 * `function_of` gives the IR of hd_object.functions[index], or NULL, whose instructions carry their ordinals as
 * !heddle.ord: what the code's origins name. Without it every pointer is unknown.
 */
struct hd_idempotence_source {
	LLVMValueRef (*function_of)(void *context, uint32_t index);
	void *context;
};

/* Linear in the code and its calls, times the distinct pointers of a function (bounded). Results are in the arena. */
struct hd_meta_idempotence *hd_idempotence_compute(const struct hd_object *object, const struct hd_callgraph *calls,
						   const struct hd_idempotence_source *source, struct hd_arena *arena);

/* "store at 0120 (k.cu:9) may overwrite what 00c0 (k.cu:8) reads"; `name` is the function's own. malloc'ed. */
char *hd_idempotence_text(const struct hd_meta_idempotence *facts, const char *name);

/* The remark about the analysis of a function. */
void hd_idempotence_remark(struct hd_remarks *remarks, uint32_t function);

#endif
