/*
 * The row FLOW: the flow of every function of a unit, with what functions know of each other
 * through registers. Callees first, a function is summarised for its callers: which caller-saved
 * registers it reads before it writes them, and which it may leave alone. Callers first, what may be
 * read after its returns is collected from its call sites: results, and what callers keep in registers that
 * it leaves alone (ipra.c). What functions of a cycle return, and what code that is not here may read, is bounded by
 * the type. Three times the cost of one
 * function's liveness for those that are called, a few times that in cycles.
 */
#include <llvm-c/Target.h>

#include "passes/analysis/flow.h"
#include "passes/pass.h"

struct program {
	struct hd_unit *unit;
	const struct hd_object *object;
	const struct hd_callgraph *calls;
	struct hd_flow *flows;
	struct hd_flow_summary *summaries;
	uint32_t registers; /* no code of the program names a register from here up */
	bool *open;	    /* called from code that is not here */
};

/* ---- results, by type: an upper bound on the registers in which a function returns */

static uint32_t scalar_words(LLVMTargetDataRef layout, LLVMTypeRef type)
{
	uint64_t bytes = LLVMABISizeOfType(layout, type);
	return bytes <= 4 ? 1 : bytes <= 8 ? 2 : bytes <= 16 ? 4 : (uint32_t)((bytes + 3) / 4);
}

/* Leaves are passed one after the other, each at a multiple of its size. `next` counts from the first register. */
static void add_leaves(LLVMTargetDataRef layout, LLVMTypeRef type, uint32_t limit, uint32_t *next)
{
	uint32_t words;
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind: return;
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(type) && *next < limit; i++)
			add_leaves(layout, LLVMStructGetTypeAtIndex(type, i), limit, next);
		return;
	case LLVMArrayTypeKind:
		for (uint64_t i = 0; i < LLVMGetArrayLength2(type) && *next < limit; i++)
			add_leaves(layout, LLVMGetElementType(type), limit, next);
		return;
	case LLVMVectorTypeKind: /* elements, or packed: whichever is more */
		words = LLVMGetVectorSize(type) * scalar_words(layout, LLVMGetElementType(type));
		*next += words + 3;
		return;
	case LLVMPointerTypeKind: words = 2; break;
	default: words = scalar_words(layout, type); break;
	}
	uint32_t align = words >= 4 ? 4 : words;
	*next = (*next + align - 1) / align * align + words;
}

static struct hd_regset results_of(const struct program *program, uint32_t index)
{
	const struct hd_abi *abi = program->unit->abi;
	LLVMModuleRef module = program->unit->module;
	LLVMValueRef value = module ? LLVMGetNamedFunction(module, program->object->functions[index].name) : NULL;
	uint32_t words = abi->result_count;
	if (value) {
		words = 0;
		add_leaves(LLVMGetModuleDataLayout(module), LLVMGetReturnType(LLVMGlobalGetValueType(value)),
			   abi->result_count, &words);
	}
	struct hd_regset set = {0};
	hd_regset_add_run(&set, abi->first_result, words < abi->result_count ? words : abi->result_count);
	return set;
}

/* ---- what functions know of each other */

static struct hd_flow_facts facts_of(const struct program *program, uint32_t index)
{
	const struct hd_callgraph *calls = program->calls;
	return (struct hd_flow_facts){
		.sites = calls->sites + calls->site_start[index],
		.site_count = calls->site_start[index + 1] - calls->site_start[index],
		.summaries = program->summaries,
		.results = program->summaries[index].results,
		.registers = program->registers,
	};
}

static void find_writes(const struct hd_flow *flow, struct hd_regset *writes)
{
	for (uint32_t i = 0; i < flow->function->inst_count; i++) {
		struct hd_flow_effects effects;
		hd_flow_effects(flow, i, &effects);
		hd_regset_union(writes, &effects.writes);
	}
}

/* Live at entry when returns read nothing, and when they read every register. Returns whether something is new. */
static bool summarise(struct program *program, uint32_t index)
{
	struct hd_flow_summary *summary = &program->summaries[index];
	struct hd_flow *flow = &program->flows[index];
	struct hd_flow_facts facts = facts_of(program, index);
	hd_flow_assume(flow, &facts, &program->unit->arena);
	if (program->object->functions[index].kernel || !flow->block_count)
		return false;
	flow->returns = (struct hd_regset){0};
	hd_flow_solve(flow);
	struct hd_regset uses = flow->live_in[0];
	flow->returns = hd_flow_caller_saved(program->unit->abi);
	hd_flow_solve(flow);
	struct hd_regset through = flow->live_in[0];
	struct hd_regset seen = flow->returns;
	hd_regset_intersect(&through, &seen);
	if (summary->helper) { /* for others the convention says both */
		find_writes(flow, &summary->writes);
		hd_regset_intersect(&summary->writes, &seen);
		hd_regset_add(&seen, program->unit->abi->stack_pointer);
	}
	hd_regset_intersect(&uses, &seen);
	uses.preds = 0; /* none is an argument */
	bool grew = hd_regset_union(&summary->uses, &uses);
	return hd_regset_union(&summary->through, &through) || grew;
}

/* Functions that call each other start from nothing and go round until nothing is new. */
static void summarise_cycle(struct program *program, const uint32_t *functions, uint32_t count)
{
	bool again = true;
	while (again) {
		again = false;
		for (uint32_t i = 0; i < count; i++)
			again |= summarise(program, functions[i]) && program->calls->recursive[functions[i]];
	}
}

/* What this function reads after its calls are its callees' results. */
static void collect_results(struct program *program, uint32_t index, struct hd_regset *results)
{
	const struct hd_callgraph *calls = program->calls;
	const struct hd_flow *flow = &program->flows[index];
	uint32_t first = calls->site_start[index], end = calls->site_start[index + 1];
	for (uint32_t b = 0, site = first; b < flow->block_count && site < end; b++) {
		uint32_t stop = hd_flow_last(flow, b) + 1, here = site;
		while (site < end && calls->sites[site].inst < stop)
			site++;
		if (here == site)
			continue;
		struct hd_regset live = flow->live_out[b];
		for (uint32_t i = stop; i-- > flow->blocks[b].first;) {
			for (uint32_t s = here; s < site; s++)
				for (uint32_t c = 0; calls->sites[s].inst == i && c < calls->sites[s].callee_count; c++)
					hd_regset_union(&results[calls->sites[s].callees[c]], &live);
			hd_flow_live_before(flow, i, &live);
		}
	}
}

static void find_open(struct program *program)
{
	const struct hd_object *object = program->object;
	program->open = HD_ARENA_NEW(&program->unit->arena, bool, object->function_count);
	for (uint32_t f = 0; f < object->function_count; f++)
		program->open[f] = program->calls->address_taken[f] || program->calls->recursive[f];
	for (uint32_t s = 0; s < object->symbol_count && program->unit->options.relocatable; s++)
		if (object->symbols[s].kind == HD_SYM_FUNCTION && object->symbols[s].defined &&
		    object->symbols[s].global)
			program->open[object->symbols[s].function] = true;
}

/* Results, by the call sites where all are known; and with registers allocated across calls (ipra.c) what callers
 * keep in scratch registers that the function leaves alone. `read` is what its callers here read after it. */
static void find_what_is_read_after(struct program *program, uint32_t index, const struct hd_regset *read)
{
	struct hd_flow_summary *summary = &program->summaries[index];
	struct hd_regset kept = *read;
	hd_regset_intersect(&kept, &summary->through);
	if (!program->open[index])
		hd_regset_intersect(&summary->results, read);
	hd_regset_union(&summary->results, &kept);
}

static void solve_program(struct program *program)
{
	uint32_t count = program->object->function_count;
	uint32_t *order = hd_callgraph_order(program->calls, count, false, &program->unit->arena);
	struct hd_regset *results = HD_ARENA_NEW(&program->unit->arena, struct hd_regset, count);
	for (uint32_t first = 0, end; first < count; first = end) {
		uint32_t component = program->calls->component[order[first]];
		for (end = first + 1; end < count && program->calls->component[order[end]] == component;)
			end++;
		summarise_cycle(program, order + first, end - first);
	}
	for (uint32_t i = count; i-- > 0;) {
		uint32_t f = order[i];
		find_what_is_read_after(program, f, &results[f]);
		struct hd_flow_facts facts = facts_of(program, f);
		hd_flow_assume(&program->flows[f], &facts, &program->unit->arena);
		hd_flow_solve(&program->flows[f]);
		collect_results(program, f, results);
	}
}

int hd_flow_run(struct hd_unit *unit)
{
	struct program program = {.unit = unit,
				  .object = &unit->object,
				  .calls = hd_pass_result(unit, HD_PASS_CALLGRAPH)};
	uint32_t count = unit->object.function_count;
	program.flows = HD_ARENA_NEW(&unit->arena, struct hd_flow, count);
	program.summaries = HD_ARENA_NEW(&unit->arena, struct hd_flow_summary, count);
	program.registers = unit->options.relocatable ? HD_MAX_REGS : 0;
	find_open(&program);
	for (uint32_t f = 0; f < count; f++) {
		const struct hd_function *function = &unit->object.functions[f];
		if (function->registers > program.registers)
			program.registers = function->registers;
		hd_flow_build(&program.flows[f], function, unit->abi, &unit->arena);
		program.summaries[f].results = results_of(&program, f);
		program.summaries[f].helper = function->helper;
	}
	solve_program(&program);
	unit->results[HD_PASS_FLOW] = program.flows;
	return 0;
}

/* ---- printing and verifying */

static const char *separator(bool *any)
{
	const char *text = *any ? " " : "";
	*any = true;
	return text;
}

void hd_regset_print(FILE *out, const struct hd_regset *set)
{
	bool any = false;
	for (uint32_t reg = hd_regset_next(set, 0), end; reg < HD_RZ; reg = hd_regset_next(set, end)) {
		for (end = reg + 1; end < HD_RZ && hd_regset_has(set, end);)
			end++;
		fprintf(out, "%sR%u", separator(&any), reg);
		if (end > reg + 1)
			fprintf(out, "-R%u", end - 1);
	}
	for (uint32_t pred = 0; pred < HD_MAX_PREDS; pred++)
		if (set->preds >> pred & 1)
			fprintf(out, "%sP%u", separator(&any), pred);
	if (!any)
		fputs("none", out);
}

static void print_block(FILE *out, const struct hd_flow *flow, uint32_t block)
{
	const struct hd_graph *graph = &flow->graph;
	uint32_t loop = flow->loops.loop_of[block];
	fprintf(out, "  block %u: %04x-%04x, frequency %.3g, loop depth %u, to", block,
		flow->blocks[block].first * HD_INST_BYTES, hd_flow_last(flow, block) * HD_INST_BYTES,
		flow->blocks[block].frequency, loop == HD_NO_NODE ? 0 : flow->loops.loops[loop].depth);
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
		fprintf(out, " %u", graph->succ[e]);
	if (hd_flow_leaves(&flow->function->insts[hd_flow_last(flow, block)]))
		fputs(" end", out);
	fputs("\n    live in ", out);
	hd_regset_print(out, &flow->live_in[block]);
	fputs(", out ", out);
	hd_regset_print(out, &flow->live_out[block]);
	fputc('\n', out);
}

void hd_flow_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		fprintf(out, "%s %s: blocks %u, loops %u\n", flows[f].function->kernel ? "kernel" : "function",
			flows[f].function->name, flows[f].block_count, flows[f].loops.count);
		for (uint32_t b = 0; b < flows[f].block_count; b++)
			print_block(out, &flows[f], b);
	}
}

/* A fixed point, looked at once more from the outside. */
static const char *what_is_wrong(const struct hd_flow *flow)
{
	for (uint32_t b = 0; b < flow->block_count; b++) {
		struct hd_regset live = flow->live_out[b];
		for (uint32_t i = hd_flow_last(flow, b) + 1; i-- > flow->blocks[b].first;)
			hd_flow_live_before(flow, i, &live);
		if (!hd_regset_equal(&live, &flow->live_in[b]))
			return "the live registers of a block are not those of its instructions";
		for (uint32_t e = flow->graph.succ_start[b]; e < flow->graph.succ_start[b + 1]; e++)
			if (!hd_regset_within(&flow->live_in[flow->graph.succ[e]], &flow->live_out[b]))
				return "a register that is live after a block is not live at its end";
	}
	return NULL;
}

int hd_flow_verify_unit(struct hd_unit *unit)
{
	const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = what_is_wrong(&flows[f]);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "flow of '%s': %s", flows[f].function->name, wrong);
	}
	return 0;
}
