/*
 * The table of steps and analyses (passes.def) and the runner that keeps a unit's results
 * consistent: it computes what a row requires, drops what a row does not preserve and, under
 * options.check, verifies after each. Rows never call each other's set-up.
 */
#ifndef HD_PASSES_PASS_H
#define HD_PASSES_PASS_H

#include <stdint.h>
#include <stdio.h>

#include "passes/unit.h"

enum hd_pass_id {
#define HD_PASS(id, ...) HD_PASS_##id,
#include "passes/passes.def"
#undef HD_PASS
	HD_PASS_COUNT
};
_Static_assert(HD_PASS_COUNT <= 64, "hd_unit.valid has a bit for each row");

#define HD_NEEDS(id) (UINT64_C(1) << HD_PASS_##id)
#define HD_KEEPS_ALL (~UINT64_C(0))

enum hd_level { HD_LEVEL_MODULE, HD_LEVEL_FUNCTION };

struct hd_pass {
	const char *name, *doc;
	const char *title; /* "heddle-NAME": the name of remarks and of the timers of -time-passes */
	enum hd_level level;
	uint64_t
		requires,
	preserves;
	int (*compute)(struct hd_unit *unit);		      /* 0 or -1 with the error reported; NULL: nothing to do */
	void (*print)(FILE *out, const struct hd_unit *unit); /* NULL: not printable */
	int (*verify)(struct hd_unit *unit);		      /* 0 or -1; NULL: nothing to verify */
	/* Fills in what its result says of hd_object.functions[function]; NULL: nothing. */
	void (*describe)(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
	void (*remark)(struct hd_remarks *remarks, uint32_t function); /* a line about it; NULL: nothing to say */
};

extern const struct hd_pass hd_passes[HD_PASS_COUNT];

/* The row called `name`, or HD_PASS_COUNT. */
enum hd_pass_id hd_pass_find(const char *name);
/* Computes the row and what it requires, unless the results are there. 0 or -1. */
int hd_pass_require(struct hd_unit *unit, enum hd_pass_id id);
/* The row's result, which must be valid. */
static inline void *hd_pass_result(const struct hd_unit *unit, enum hd_pass_id id)
{
	return unit->results[id];
}

/* An empty unit over the user's module, which stays the caller's. Parameters come from hd_options_parse. */
void hd_unit_init(struct hd_unit *unit, LLVMModuleRef source, struct hd_diag *diag);
void hd_unit_release(struct hd_unit *unit);

/*
 * Reads `key=value;key;...` into unit->options (defaults first). Unknown keys and values out of
 * range are errors that name the nearest keys or the range. 0 or -1.
 */
int hd_options_parse(struct hd_unit *unit, const char *parameters);

/* Adds heddle-cc's JSON about the host code to unit->metadata; `path` NULL: what the linked modules kept of it. 0 or
 * -1. */
int hd_launch_facts_read(struct hd_unit *unit, const char *path);
/* Keeps it in a relocatable module's IR. 0 or -1. */
int hd_launch_facts_keep(struct hd_unit *unit);

/* The rows' functions, in the order of passes.def. Those of the lowering are in unit.h. */
void hd_print_legalized(FILE *out, const struct hd_unit *unit);
int hd_verify_legalized(struct hd_unit *unit);
int hd_uniformity_run(struct hd_unit *unit);
void hd_uniformity_print_unit(FILE *out, const struct hd_unit *unit);
int hd_linear_run(struct hd_unit *unit);
void hd_linear_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
void hd_linear_remark(struct hd_remarks *remarks, uint32_t function);
void hd_linear_print_unit(FILE *out, const struct hd_unit *unit);
int hd_linear_facts_run(struct hd_unit *unit);
void hd_linear_facts_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
int hd_affine_run(struct hd_unit *unit);
void hd_affine_print_unit(FILE *out, const struct hd_unit *unit);
/* Fills in hd_meta_function.affine of the unit's kernels, for whose launches the metadata is there. 0. */
int hd_affine_facts(struct hd_unit *unit);
void hd_print_selected(FILE *out, const struct hd_unit *unit);
int hd_verify_selected(struct hd_unit *unit);
int hd_verify_code(struct hd_unit *unit);
void hd_code_print_unit(FILE *out, const struct hd_unit *unit);
/* The disassembly, control bits in front where `control`. */
void hd_print_listing(FILE *out, const struct hd_unit *unit, bool control);
int hd_control_run(struct hd_unit *unit);
void hd_control_print_unit(FILE *out, const struct hd_unit *unit);
int hd_control_verify_unit(struct hd_unit *unit);
int hd_callgraph_run(struct hd_unit *unit);
void hd_callgraph_print_unit(FILE *out, const struct hd_unit *unit);
int hd_flow_run(struct hd_unit *unit);
void hd_flow_print_unit(FILE *out, const struct hd_unit *unit);
int hd_flow_verify_unit(struct hd_unit *unit);
int hd_liveness_run(struct hd_unit *unit);
void hd_liveness_print_unit(FILE *out, const struct hd_unit *unit);
int hd_liveness_verify_unit(struct hd_unit *unit);
int hd_preempt_run(struct hd_unit *unit);
void hd_preempt_print_unit(FILE *out, const struct hd_unit *unit);
int hd_preempt_verify_unit(struct hd_unit *unit);
int hd_switch_run(struct hd_unit *unit);
void hd_switch_print_unit(FILE *out, const struct hd_unit *unit);
int hd_switch_verify_unit(struct hd_unit *unit);
void hd_switch_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
void hd_switch_remarks(struct hd_remarks *remarks, uint32_t function);
void hd_preempt_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
int hd_intervals_run(struct hd_unit *unit);
void hd_intervals_print_unit(FILE *out, const struct hd_unit *unit);
int hd_intervals_verify_unit(struct hd_unit *unit);
void hd_intervals_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
int hd_strands_run(struct hd_unit *unit);
void hd_strands_print_unit(FILE *out, const struct hd_unit *unit);
int hd_strands_verify_unit(struct hd_unit *unit);
void hd_strands_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
int hd_stackdepth_run(struct hd_unit *unit);
void hd_stackdepth_print(FILE *out, const struct hd_unit *unit);
int hd_stackdepth_verify(struct hd_unit *unit);
int hd_reuse_run(struct hd_unit *unit);
void hd_reuse_print_unit(FILE *out, const struct hd_unit *unit);
int hd_reuse_verify_unit(struct hd_unit *unit);
void hd_reuse_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
int hd_idempotence_run(struct hd_unit *unit);
void hd_idempotence_print_unit(FILE *out, const struct hd_unit *unit);
int hd_idempotence_verify_unit(struct hd_unit *unit);
void hd_idempotence_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts);
int hd_metadata_run(struct hd_unit *unit);
void hd_metadata_print_unit(FILE *out, const struct hd_unit *unit);
int hd_metadata_verify_unit(struct hd_unit *unit);
int hd_annotate_run(struct hd_unit *unit);
int hd_annotate_verify(struct hd_unit *unit);
int hd_output_run(struct hd_unit *unit);

#endif
