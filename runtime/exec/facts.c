/*
 * What the metadata says of each instruction, as a table by instruction: for --verify and for policies that ask for it
 * (`facts`); and of each register operand, for all policies (malekeh 3.2; ltrf-asplos18 3.3).
 *
 * Cost: at load, linear in the instructions and in what is said of them.
 */
#include <stdlib.h>

#include "heddle/figures.h"
#include "lib/object/undefined.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/load.h"

static bool is_wanted(const struct hd_gpu *gpu)
{
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if (gpu->policies[i].hooks->facts)
			return true;
	return gpu->wants_facts;
}

static struct hd_code_facts *facts_at(const struct hd_pfunction *function, struct hd_code_facts *facts, uint32_t pc)
{
	return pc / HD_INST_BYTES < function->count ? &facts[pc / HD_INST_BYTES] : NULL;
}

static void add_intervals(const struct hd_pfunction *function, struct hd_code_facts *facts,
			  const struct hd_meta_interval *list, uint32_t count, bool strands)
{
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t p = 0; p < list[i].pc_count; p++) {
			struct hd_code_facts *at = facts_at(function, facts, list[i].pcs[p]);
			if (at)
				*(strands ? &at->strand : &at->interval) = i;
		}
}

static void add_places(const struct hd_pfunction *function, struct hd_code_facts *facts)
{
	const struct hd_meta_function *meta = function->said;
	struct hd_code_facts *at;
	for (uint32_t i = 0; i < meta->point_count; i++)
		if ((at = facts_at(function, facts, meta->points[i].pc)))
			at->point = i;
	for (uint32_t i = 0; i < meta->barrier_count; i++)
		if ((at = facts_at(function, facts, meta->barriers[i].pc)))
			at->barrier = i;
	for (uint32_t i = 0; i < meta->switch_count; i++)
		if ((at = facts_at(function, facts, meta->switches[i].pc)))
			at->switching = i;
	for (uint32_t i = 0; i < meta->divergent_pc_count; i++)
		if ((at = facts_at(function, facts, meta->divergent_pcs[i])))
			at->diverges = true;
	for (uint32_t i = 0; i < meta->save_count; i++)
		if ((at = facts_at(function, facts, meta->saves[i].pc)))
			at->save = i;
	for (uint32_t i = 0; i < meta->call_count; i++)
		if ((at = facts_at(function, facts, meta->calls[i].pc)))
			at->call = i;
}

static void add_undefined(const struct hd_module *module, const struct hd_pfunction *function,
			  struct hd_code_facts *facts)
{
	struct hd_regset *of = hd_xcalloc(function->count + 1, sizeof *of);
	hd_undefined_find(&module->object, function->object, of);
	for (uint32_t i = 0; i < function->count; i++)
		facts[i].undefined = of[i];
	free(of);
}

void hd_facts_prepare(const struct hd_gpu *gpu, struct hd_module *module, struct hd_pfunction *function)
{
	const struct hd_meta_function *meta = function->said;
	if (!meta || !is_wanted(gpu))
		return;
	struct hd_code_facts *facts = HD_ARENA_NEW(&module->arena, struct hd_code_facts, function->count);
	for (uint32_t i = 0; i < function->count; i++)
		facts[i] = (struct hd_code_facts){HD_NO_FACT, HD_NO_FACT, HD_NO_FACT, HD_NO_FACT, HD_NO_FACT,
						  HD_NO_FACT, HD_NO_FACT, false,      {{0}, 0}};
	add_intervals(function, facts, meta->intervals, meta->interval_count, false);
	add_intervals(function, facts, meta->strands, meta->strand_count, true);
	add_places(function, facts);
	if (gpu->options.verify)
		add_undefined(module, function, facts);
	function->facts = facts;
}

/* Bit 0 of a tag is the destination, 1 to 3 sources a to c; of dead operands bit 0 is a. */
void hd_facts_tag(const struct hd_meta_function *said, uint32_t index, struct hd_dinst *inst)
{
	if (!said)
		return;
	const struct hd_meta_reuse *reuse = said->reuse;
	uint8_t near = reuse && index < reuse->tag_count ? reuse->tags[index] : 0;
	uint8_t dead = index < said->dead_operand_count ? said->dead_operands[index] : 0;
	inst->near_result = near & 1;
	for (uint32_t i = 0; i < inst->named_count; i++) {
		uint32_t source = inst->operands[i].slot - HD_SLOT_A;
		inst->operands[i].near = near >> (1 + source) & 1;
		inst->operands[i].dead = dead >> source & 1;
	}
}
