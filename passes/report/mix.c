/*
 * Machine instructions by kind (the groups `mix` and `async` of heddle/metadata.def): what a function and all functions
 * that it may call consist of. Products of warpgroups are never under way across a call: of these groups and registers
 * the largest figure of all these functions counts. The library functions for arithmetic count as the call that they
 * are, not by their own code.
 *
 * Needs the metadata's functions, the flow and the call graph. Cost: linear in the code, and in what each function
 * reaches; constants of barriers are searched for in the code before each instruction that names one.
 */
#include "passes/report/mix.h"

#include "heddle/figures.h"
#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "lib/machine/mix.h"
#include "passes/analysis/chain.h"
#include "passes/analysis/copies.h"
#include "passes/analysis/flow.h"
#include "passes/pass.h"

/* Of what is summed: the kinds, calls of helpers, stages of which nothing is known, and waits (copies.h), also those of
 * functions that start no copies. */
enum { HELPERS = HD_MIX_KINDS, UNKNOWN_STAGES, AHEAD, SERIAL, UNPROVEN, IDLE_WAITS, COLUMNS };

static void count_code(const struct hd_function *code, uint32_t *counts)
{
	for (uint32_t i = 0; i < code->inst_count; i++)
		for (unsigned kind = 0; kind < HD_MIX_KINDS; kind++)
			counts[kind] += hd_inst_is_of(&code->insts[i], kind);
}

/* Of a pipeline of copies in bulk, by one function's own code. */
struct stages {
	uint32_t bytes, unknown; /* that a barrier is told to expect; instructions that tell it a number not known */
	uint32_t groups;	 /* that a wait leaves in flight */
};

static bool tells_bytes(const struct hd_inst *inst)
{
	return inst->op == HD_OP_SYNCS && hd_syncs_expects((enum hd_syncsop)hd_mod_get(inst->mods, HD_MOD_SYNCSOP));
}

static struct stages find_stages(const struct hd_flow *flow)
{
	struct stages stages = {0};
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		const struct hd_inst *inst = &flow->function->insts[i];
		uint32_t bytes;
		if (inst->op == HD_OP_UTMAWAIT && inst->x > stages.groups)
			stages.groups = inst->x;
		if (!tells_bytes(inst))
			continue;
		if (!hd_flow_constant(flow, i, inst->c, &bytes))
			stages.unknown++;
		else if (bytes > stages.bytes)
			stages.bytes = bytes;
	}
	return stages;
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

/* Figures of which the largest one of all that a function reaches counts. */
enum most { PRODUCT_REGISTERS, PRODUCT_GROUPS, STAGE_BYTES, STORE_GROUPS, MOSTS };

/* By function: 1 where it starts copies or calls code that is not known, or reaches such a function. */
static uint32_t *find_bringers(const struct hd_callgraph *calls, struct hd_unit *unit)
{
	uint32_t *brings = HD_ARENA_NEW(&unit->arena, uint32_t, unit->object.function_count);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		for (uint32_t i = 0; i < unit->object.functions[f].inst_count && !brings[f]; i++)
			brings[f] = hd_starts_bulk_load(&unit->object.functions[f].insts[i]);
	for (uint32_t s = 0; s < calls->site_count; s++)
		brings[calls->sites[s].function] |= calls->sites[s].unknown;
	return hd_chain_reachable_max(&calls->graph, brings, &unit->arena);
}

/* Whether a call may start copies. */
static bool calls_bringer(const struct hd_callgraph *calls, const uint32_t *brings, uint32_t function)
{
	for (uint32_t s = calls->site_start[function]; s < calls->site_start[function + 1]; s++) {
		if (calls->sites[s].unknown)
			return true;
		for (uint32_t c = 0; c < calls->sites[s].callee_count; c++)
			if (brings[calls->sites[s].callees[c]])
				return true;
	}
	return false;
}

void hd_mix_describe(struct hd_unit *unit)
{
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
	uint32_t count = unit->object.function_count, width = COLUMNS, *most[MOSTS];
	uint32_t *own = HD_ARENA_NEW(&unit->arena, uint32_t, (size_t)count *width);
	for (unsigned i = 0; i < MOSTS; i++)
		most[i] = HD_ARENA_NEW(&unit->arena, uint32_t, count);
	const uint32_t *brings = find_bringers(calls, unit);
	for (uint32_t f = 0; f < count; f++) {
		struct stages stages = find_stages(&flows[f]);
		count_code(&unit->object.functions[f], &own[(size_t)f * width]);
		struct hd_copies copies = hd_flow_copies(&flows[f], calls_bringer(calls, brings, f));
		own[(size_t)f * width + UNKNOWN_STAGES] = stages.unknown;
		own[(size_t)f * width + AHEAD] = copies.ahead;
		own[(size_t)f * width + SERIAL] = copies.serial;
		own[(size_t)f * width + UNPROVEN] = copies.unproven;
		if (!brings[f])
			own[(size_t)f * width + IDLE_WAITS] = own[(size_t)f * width + HD_MIX_AWAIT];
		most[PRODUCT_REGISTERS][f] = flows[f].product_registers;
		most[PRODUCT_GROUPS][f] = flows[f].product_groups;
		most[STAGE_BYTES][f] = stages.bytes;
		most[STORE_GROUPS][f] = stages.groups;
	}
	for (uint32_t s = 0; s < calls->site_count; s++)
		own[(size_t)calls->sites[s].function * width + HELPERS] += calls->sites[s].helper;
	const uint32_t *sums = hd_callgraph_sums(calls, count, own, width, &unit->arena);
	for (unsigned i = 0; i < MOSTS; i++)
		most[i] = hd_chain_reachable_max(&calls->graph, most[i], &unit->arena);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_meta_function *facts =
			hd_metadata_find_symbol(&unit->metadata, unit->object.functions[f].name);
		const uint32_t *sum = &sums[(size_t)f * width];
		facts->fp64_instructions = sum[HD_MIX_FP64];
		facts->conversion_instructions = sum[HD_MIX_CONVERSION];
		facts->local_accesses = sum[HD_MIX_LOCAL];
		facts->barrier_instructions = sum[HD_MIX_BARRIER];
		facts->helper_calls = sum[HELPERS];
		facts->products = sum[HD_MIX_PRODUCT];
		facts->serialized = sum[HD_MIX_SERIALIZED];
		facts->resizes = sum[HD_MIX_RESIZE];
		describe_resizes(&unit->object.functions[f], facts);
		facts->bulk_copies = sum[HD_MIX_BULK];
		facts->shared_barriers = sum[HD_MIX_INIT];
		facts->shared_barrier_waits = sum[HD_MIX_AWAIT];
		facts->unknown_stages = sum[UNKNOWN_STAGES];
		facts->ahead_waits = sum[AHEAD];
		facts->serial_waits = sum[SERIAL];
		/* Where a caller brings what they wait for, nothing is proven of them. */
		facts->unproven_waits = sum[UNPROVEN] + (brings[f] ? sum[IDLE_WAITS] : 0);
		facts->product_registers = most[PRODUCT_REGISTERS][f];
		facts->product_groups = most[PRODUCT_GROUPS][f];
		facts->stage_bytes = most[STAGE_BYTES][f];
		facts->store_groups = most[STORE_GROUPS][f];
	}
}
