/*
 * Machine instructions by kind (the groups `mix` and `async` of heddle/metadata.def): what a function and all functions
 * that it may call consist of. Products of warpgroups are never under way across a call: of these groups and registers
 * the largest figure of all these functions counts. The library functions for arithmetic count as the call that they
 * are, not by their own code.
 *
 * Needs the metadata's functions, the flow and the call graph. Cost: linear in the code, and in what each function
 * reaches.
 */
#include "passes/report/mix.h"

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/machine/mix.h"
#include "passes/analysis/chain.h"
#include "passes/analysis/flow.h"
#include "passes/pass.h"

static void count_code(const struct hd_function *code, uint32_t *counts)
{
	for (uint32_t i = 0; i < code->inst_count; i++)
		for (unsigned kind = 0; kind < HD_MIX_KINDS; kind++)
			counts[kind] += hd_inst_is_of(&code->insts[i], kind);
}

/* Only kernels have these instructions. */
static void describe_resizes(const struct hd_function *code, struct hd_meta_function *facts)
{
	facts->least_registers = facts->most_registers = 0;
	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct hd_inst *inst = &code->insts[i];
		if (inst->op != HD_OP_USETMAXREG)
			continue;
		if (!facts->least_registers || inst->x < facts->least_registers)
			facts->least_registers = inst->x;
		if (inst->x > facts->most_registers)
			facts->most_registers = inst->x;
	}
}

void hd_mix_describe(struct hd_unit *unit)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
	uint32_t count = unit->object.function_count, width = HD_MIX_KINDS + 1;
	uint32_t *own = HD_ARENA_NEW(&unit->arena, uint32_t, (size_t)count *width);
	uint32_t *registers = HD_ARENA_NEW(&unit->arena, uint32_t, count),
		 *groups = HD_ARENA_NEW(&unit->arena, uint32_t, count);
	for (uint32_t f = 0; f < count; f++)
		count_code(&unit->object.functions[f], &own[(size_t)f * width]);
	for (uint32_t s = 0; s < calls->site_count; s++)
		own[(size_t)calls->sites[s].function * width + HD_MIX_KINDS] += calls->sites[s].helper;
	const uint32_t *sums = hd_callgraph_sums(calls, count, own, width, &unit->arena);
	for (uint32_t f = 0; f < count; f++)
		registers[f] = flows[f].product_registers, groups[f] = flows[f].product_groups;
	registers = hd_chain_reachable_max(&calls->graph, registers, &unit->arena);
	groups = hd_chain_reachable_max(&calls->graph, groups, &unit->arena);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_meta_function *facts =
			hd_metadata_find_symbol(&unit->metadata, unit->object.functions[f].name);
		const uint32_t *sum = &sums[(size_t)f * width];
		facts->fp64_instructions = sum[HD_MIX_FP64];
		facts->conversion_instructions = sum[HD_MIX_CONVERSION];
		facts->local_accesses = sum[HD_MIX_LOCAL];
		facts->barrier_instructions = sum[HD_MIX_BARRIER];
		facts->helper_calls = sum[HD_MIX_KINDS];
		facts->products = sum[HD_MIX_PRODUCT];
		facts->serialized = sum[HD_MIX_SERIALIZED];
		facts->resizes = sum[HD_MIX_RESIZE];
		describe_resizes(&unit->object.functions[f], facts);
		facts->bulk_copies = sum[HD_MIX_BULK];
		facts->shared_barriers = sum[HD_MIX_INIT];
		facts->shared_barrier_waits = sum[HD_MIX_AWAIT];
		facts->product_registers = registers[f];
		facts->product_groups = groups[f];
	}
}
