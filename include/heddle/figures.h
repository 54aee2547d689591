/*
 * What the passes found out about a function (docs/architecture.md, The life of a figure): the structs that analyses
 * fill, that hd_metadata_to_json prints under metadata.schema.json, and that the runtime and the tools read back. Plain
 * figures, with their units and meanings, are rows of metadata.def, from which the structs have their members. A new
 * row compiles again who includes this: who needs facts or the document only, includes heddle/facts.h or
 * heddle/metadata.h.
 */
#ifndef HEDDLE_FIGURES_H
#define HEDDLE_FIGURES_H

#include "heddle/facts.h"

/* Members defined by rows of metadata.def. */
#define HD_META_MEMBER_NUMBER(member) uint32_t member;
#define HD_META_MEMBER_FLAG(member) bool member;

/* Reuse distances of register operands and their tags (Malekeh 3.2, 4). */
struct hd_meta_reuse {
#define HD_META_REUSE(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	uint32_t histogram[HD_REUSE_BUCKETS]; /* near and far operands by distance: 1, 2, 3-4, 5-8, ..., 33-64, more */
	uint8_t *tags;			      /* per instruction: bit 0 dst, 1 a, 2 b, 3 c is near */
	uint8_t *exact;			      /* four per instruction (dst a b c): HD_REUSE_* */
	uint32_t tag_count;		      /* instructions */
};

struct hd_meta_affine {
#define HD_META_AFFINE(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	uint32_t value_classes[HD_CLASSES];  /* IR instructions with a result */
	uint32_t branch_classes[HD_CLASSES]; /* conditional IR branches */
	struct hd_meta_branch *branches;     /* by pc */
	uint32_t branch_count;
	struct hd_meta_linear_register *registers;
	uint32_t register_count;
	const char **scalars; /* polynomials in coefficient registers that uses read */
	uint32_t scalar_count;
	struct hd_meta_condition *conditions;
	uint32_t condition_count;
	struct hd_meta_access *accesses; /* by pc */
	uint32_t access_count;
};

/*
 * The linear version of a kernel (R2D2 3.2, 4.4): its needs in addition to the kernel's own figures, and the other
 * analyses' results for its main stream. Program counters start at its body, which begins with the streams. Arrays
 * with an element per instruction also have elements for the streams, without information.
 */
struct hd_meta_linear_version {
#define HD_META_LINEAR(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	struct hd_meta_interval *intervals; /* these members as in hd_meta_function */
	uint32_t interval_count;
	struct hd_meta_point *points;
	uint32_t point_count;
	struct hd_meta_barrier *barriers;
	uint32_t barrier_count;
	struct hd_meta_call *calls;
	uint32_t call_count;
	uint32_t *divergent_pcs, divergent_pc_count;
	uint8_t *dead_operands;
	uint32_t dead_operand_count;
	struct hd_meta_reuse *reuse; /* NULL: unknown */
};

struct hd_meta_function {
	const char *name, *demangled;
	struct hd_meta_source source;
	bool kernel;
#define HD_META_FUNCTION(type, group, member, ...) HD_META_MEMBER_##type(member)
#include "heddle/metadata.def"
	uint32_t reqntid[3];
	uint32_t cluster[3]; /* blocks that the source asks for in a cluster; 0: none */
	struct hd_meta_param *params;
	uint32_t param_count;
	const char **high_watermark_chain; /* names from this function down the deepest chain */
	uint32_t chain_count;
	struct hd_meta_call *calls;
	uint32_t call_count;
	struct hd_meta_save *saves;
	uint32_t save_count;
	struct hd_meta_reuse *reuse;		       /* NULL: unknown */
	struct hd_meta_idempotence *idempotence;       /* NULL: unknown */
	struct hd_meta_affine *affine;		       /* kernels only; NULL: unknown */
	struct hd_meta_linear_version *linear_version; /* kernels only; NULL: none */
	struct hd_meta_launch *launches;
	uint32_t launch_count;
	struct hd_meta_interval *intervals, *strands; /* by id, in order of entry_pc; interval_count, strand_count */
	uint32_t *divergent_pcs; /* instructions after which lanes may continue at different places; ascending */
	uint32_t divergent_pc_count;
	uint8_t *dead_operands;	     /* per instruction: bit 0 a, 1 b, 2 c is last read in the whole warp (LTRF+) */
	uint32_t dead_operand_count; /* instructions, or 0 */
	struct hd_meta_point *points;
	uint32_t point_count;
	struct hd_meta_barrier *barriers;
	uint32_t barrier_count;
	struct hd_meta_switch *switches; /* by pc */
	uint32_t switch_count;
};
#undef HD_META_MEMBER_NUMBER
#undef HD_META_MEMBER_FLAG

#endif
