/*
 * Remarks about linear values (r2d2-isca23 3.1): a summary of each kernel, and a sentence about each access of which a
 * warp's share is proven to be larger than it had to be. Linear in the accesses.
 */
#include "passes/affine/affine_remarks.h"

#include <string.h>

#include "heddle/figures.h"
#include "passes/remark.h"

static void add(struct hd_remark *remark, const char *text, const char *key, uint32_t number)
{
	hd_remark_text(remark, "%s", text);
	hd_remark_value(remark, key, "%u", number);
}

void hd_affine_remark(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_affine *facts = remarks->facts[function]->affine;
	struct hd_remark remark;
	if (!facts || !hd_remark_begin(&remark, remarks, HD_PASS_AFFINE, "LinearValues", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": ");
	add(&remark, "linear values ", "LinearValues", facts->linear_values);
	add(&remark, " of ", "Values", facts->values);
	add(&remark, ", linear registers ", "LinearRegisters", facts->register_count);
	add(&remark, " of ", "WantedRegisters", facts->wanted_registers);
	add(&remark, ", instructions removed ", "Removed", facts->removed);
	add(&remark, ", conditions of launches ", "Conditions", facts->condition_count);
	add(&remark, ", branches the same for all threads ", "UniformGrid", facts->branch_classes[HD_CLASS_GRID]);
	add(&remark, ", for a block ", "UniformBlock", facts->branch_classes[HD_CLASS_BLOCK]);
	add(&remark, ", for a warp ", "UniformWarp", facts->branch_classes[HD_CLASS_WARP]);
	add(&remark, ", linear in the thread index ", "Affine", facts->branch_classes[HD_CLASS_AFFINE]);
	add(&remark, ", divergent ", "Divergent", facts->branch_classes[HD_CLASS_DIVERGENT]);
	hd_remark_end(&remark);
}

static void remark_access(struct hd_remarks *remarks, uint32_t function, const struct hd_meta_access *access,
			  const char *text)
{
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_AFFINE, "Access", function, access->pc / HD_INST_BYTES))
		return;
	hd_remark_subject(&remark, function, ": pc ");
	hd_remark_value(&remark, "Pc", "%04x", access->pc);
	hd_remark_text(&remark, ": ");
	hd_remark_value(&remark, "Advice", "%s", text);
	hd_remark_end(&remark);
}

/* Members of one structure and unrolled copies say the same: once is enough. */
void hd_access_remarks(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_affine *facts = remarks->facts[function]->affine;
	struct hd_arena arena;
	char text[256];
	hd_arena_init(&arena);
	const uint32_t *copies = facts ? hd_meta_access_copies(facts, &arena) : NULL;
	for (uint32_t i = 0; facts && i < facts->access_count; i++)
		if (copies[i] && hd_meta_access_advice(&facts->accesses[i], text, sizeof(text)))
			remark_access(remarks, function, &facts->accesses[i], text);
	hd_arena_release(&arena);
}
