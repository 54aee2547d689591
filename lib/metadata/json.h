/*
 * The metadata document as a jansson value, for tools that print it with something of
 * their own around it. Keys and their order are those of metadata.schema.json.
 */
#ifndef HD_LIB_METADATA_JSON_H
#define HD_LIB_METADATA_JSON_H

#include <jansson.h>

#include "heddle/metadata.h"

/* A new reference; NULL only when out of memory. */
json_t *hd_metadata_json(const struct hd_metadata *metadata);
json_t *hd_metadata_function_json(const struct hd_meta_function *function);
/* Any text as a JSON string; bytes that are no UTF-8 become '?'. NULL gives null. */
json_t *hd_json_text(const char *text);
/* `{"file": ..., "line": ...}`; file null and line 0 when unknown. */
json_t *hd_json_source(const struct hd_meta_source *source);
/* Adds what the analysis of linear values knows (affine.c): linear_registers and affine. */
void hd_json_add_affine(json_t *object, const struct hd_meta_function *function);
/* Adds the linear version of a kernel that has one (linear.c): linear_version. */
void hd_json_add_linear(json_t *object, const struct hd_meta_function *function);
/* The text in the project's form: two spaces, keys in the order of their making, newline at the end. malloc'ed. */
char *hd_json_dump(const json_t *value);

/*
 * Plain numbers and flags of a function, in the order in which they are printed. `group` is the object in which the key
 * stands, "" for the function itself. One line here makes a field written, read and required.
 */
#define HD_META_FUNCTION_FIELDS(NUMBER, FLAG)  \
	NUMBER("", registers)                  \
	NUMBER("", own_registers)              \
	NUMBER("", uniform_registers)          \
	NUMBER("", stack_bytes)                \
	NUMBER("", max_stack_bytes)            \
	NUMBER("", spill_store_bytes)          \
	NUMBER("", spill_load_bytes)           \
	NUMBER("", callee_save_bytes)          \
	NUMBER("", shared_bytes)               \
	NUMBER("", shared_align)               \
	FLAG("", dynamic_shared)               \
	FLAG("", dynamic_stack)                \
	NUMBER("", param_bytes)                \
	NUMBER("", instructions)               \
	NUMBER("", fru)                        \
	NUMBER("", max_stack_depth)            \
	NUMBER("", low_watermark)              \
	NUMBER("", high_watermark)             \
	NUMBER("", call_depth)                 \
	NUMBER("launch_bounds", max_threads)   \
	NUMBER("launch_bounds", min_ctas)      \
	NUMBER("stackdepth", pushed_registers) \
	NUMBER("stackdepth", max_fru)          \
	FLAG("stackdepth", recursive)          \
	FLAG("stackdepth", address_taken)      \
	NUMBER("ltrf", interval_registers)     \
	NUMBER("ltrf", interval_count)         \
	NUMBER("ltrf", first_intervals)        \
	NUMBER("ltrf", prefetches)             \
	NUMBER("ltrf", code_bytes)             \
	NUMBER("ltrf", vector_bytes)           \
	NUMBER("ltrf", explicit_bytes)         \
	NUMBER("ltrf", strand_count)           \
	NUMBER("ltrf", strand_prefetches)      \
	NUMBER("liveness", max_live)           \
	NUMBER("liveness", max_live_pc)        \
	NUMBER("liveness", max_live_divergent) \
	NUMBER("liveness", max_live_divergent_pc) \
	NUMBER("liveness", divergent_branches) \
	NUMBER("liveness", uniform_branches)   \
	NUMBER("liveness", register_reads)     \
	NUMBER("liveness", dead_reads)         \
	NUMBER("liveness", dead_warp_reads)    \
	NUMBER("preempt", preempt_every)       \
	NUMBER("preempt", drain_instructions)  \
	FLAG("preempt", drain_bounded)

#endif
