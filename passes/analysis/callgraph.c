/*
 * The call graph: direct calls from relocations, indirect ones from the functions whose
 * address is taken and whose type is the call's (CARS III-C takes the worst of a site's
 * possible callees), cycles from strongly connected components. Linear in the code, plus
 * indirect sites x functions whose address is taken.
 */
#include "passes/analysis/callgraph.h"
#include "heddle/opcodes.h"

#include <llvm-c/Core.h>

#include "lib/vec.h"
#include "passes/pass.h"

struct build {
	struct hd_callgraph *calls;
	const struct hd_object *object;
	const struct hd_call_types *types;
	struct hd_arena *arena;
	HD_VEC(struct hd_call_site) sites;
	HD_VEC(struct hd_edge) edges;
	bool open;
};

static void mark_taken(struct hd_callgraph *calls, const struct hd_object *object, const struct hd_reloc *relocs,
		       uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_symbol *symbol = &object->symbols[relocs[i].symbol];
		if (relocs[i].kind != HD_REL_CALL && symbol->kind == HD_SYM_FUNCTION && symbol->defined)
			calls->address_taken[symbol->function] = true;
	}
}

static void find_taken(struct hd_callgraph *calls, const struct hd_object *object)
{
	for (uint32_t f = 0; f < object->function_count; f++)
		mark_taken(calls, object, object->functions[f].relocs, object->functions[f].reloc_count);
	mark_taken(calls, object, object->data_relocs, object->data_reloc_count);
	mark_taken(calls, object, object->rodata_relocs, object->rodata_reloc_count);
}

static void add_direct(struct build *build, struct hd_call_site *site, const struct hd_symbol *symbol)
{
	if (!symbol || !symbol->defined) {
		site->external = symbol ? symbol->name : "?";
		site->unknown = true;
		return;
	}
	site->callees = HD_ARENA_NEW(build->arena, uint32_t, 1);
	site->callees[site->callee_count++] = symbol->function;
	site->helper = build->object->functions[symbol->function].helper;
}

/* Kernels cannot be called from a kernel, so their addresses do not count. */
static void add_indirect(struct build *build, struct hd_call_site *site)
{
	const struct hd_callgraph *calls = build->calls;
	uint64_t type = 0;
	if (build->types)
		type = build->types->type_of_site(build->types->context, site->function, site->inst);
	site->unknown = build->open;
	for (int pass = 0; pass < 2; pass++) {
		site->callee_count = 0;
		for (uint32_t f = 0; f < build->object->function_count; f++) {
			if (!calls->address_taken[f] || build->object->functions[f].kernel)
				continue;
			if (type && build->types->type_of_function[f] != type)
				continue;
			if (pass)
				site->callees[site->callee_count] = f;
			site->callee_count++;
		}
		if (!pass)
			site->callees = HD_ARENA_NEW(build->arena, uint32_t, site->callee_count);
	}
}

static void add_sites(struct build *build, uint32_t index)
{
	const struct hd_function *function = &build->object->functions[index];
	const struct hd_reloc **at = hd_xcalloc(function->inst_count + 1, sizeof(*at));
	for (uint32_t r = 0; r < function->reloc_count; r++)
		if (function->relocs[r].kind == HD_REL_CALL)
			at[function->relocs[r].offset] = &function->relocs[r];
	for (uint32_t i = 0; i < function->inst_count; i++) {
		struct hd_call_site site = {.function = index, .inst = i};
		if (function->insts[i].op == HD_OP_CALL) {
			add_direct(build, &site, at[i] ? &build->object->symbols[at[i]->symbol] : NULL);
		} else if (function->insts[i].op == HD_OP_CALLI) {
			site.kind = HD_CALL_INDIRECT;
			add_indirect(build, &site);
		} else {
			continue;
		}
		for (uint32_t c = 0; c < site.callee_count; c++)
			hd_vec_push(&build->edges, (struct hd_edge){index, site.callees[c]});
		hd_vec_push(&build->sites, site);
	}
	free(at);
}

static void find_cycles(struct hd_callgraph *calls, struct hd_arena *arena)
{
	const struct hd_graph *graph = &calls->graph;
	calls->component_count = hd_graph_components(graph, arena, &calls->component);
	calls->recursive = HD_ARENA_NEW(arena, bool, graph->nodes);
	for (uint32_t f = 0; f < graph->nodes; f++)
		for (uint32_t e = graph->succ_start[f]; e < graph->succ_start[f + 1]; e++)
			calls->recursive[f] |= calls->component[graph->succ[e]] == calls->component[f];
	for (uint32_t s = 0; s < calls->site_count; s++)
		for (uint32_t c = 0; c < calls->sites[s].callee_count; c++)
			calls->sites[s].recursive |= calls->component[calls->sites[s].callees[c]] ==
						     calls->component[calls->sites[s].function];
}

uint32_t *hd_callgraph_order(const struct hd_callgraph *calls, uint32_t count, bool callers_first,
			     struct hd_arena *arena)
{
	uint32_t *start = HD_ARENA_NEW(arena, uint32_t, calls->component_count + 1);
	uint32_t *order = HD_ARENA_NEW(arena, uint32_t, count), last = calls->component_count - 1;
	for (uint32_t f = 0; f < count; f++)
		start[(callers_first ? last - calls->component[f] : calls->component[f]) + 1]++;
	for (uint32_t c = 0; c < calls->component_count; c++)
		start[c + 1] += start[c];
	for (uint32_t f = 0; f < count; f++)
		order[start[callers_first ? last - calls->component[f] : calls->component[f]]++] = f;
	return order;
}

void hd_callgraph_compute(struct hd_callgraph *calls, const struct hd_object *object, const struct hd_call_types *types,
			  bool open, struct hd_arena *arena)
{
	struct build build = {.calls = calls, .object = object, .types = types, .arena = arena, .open = open};
	uint32_t count = object->function_count;
	*calls = (struct hd_callgraph){.address_taken = HD_ARENA_NEW(arena, bool, count),
				       .site_start = HD_ARENA_NEW(arena, uint32_t, count + 1)};
	find_taken(calls, object);
	for (uint32_t f = 0; f < count; f++) {
		add_sites(&build, f);
		calls->site_start[f + 1] = build.sites.len;
	}
	calls->site_count = build.sites.len;
	calls->sites = HD_ARENA_NEW(arena, struct hd_call_site, build.sites.len);
	if (build.sites.len)
		memcpy(calls->sites, build.sites.data, sizeof(*calls->sites) * build.sites.len);
	hd_graph_build(&calls->graph, arena, count, HD_NO_NODE, build.edges.data, build.edges.len);
	find_cycles(calls, arena);
	hd_vec_release(&build.sites);
	hd_vec_release(&build.edges);
}

/* The form follows nvlink --dump-callgraph: `^` kernel, `&` address taken. */
static void print(FILE *out, const struct hd_callgraph *calls, const struct hd_object *object)
{
	for (uint32_t f = 0; f < object->function_count; f++) {
		fprintf(out, "%s%s%s%s\n", object->functions[f].kernel ? "^" : "", calls->address_taken[f] ? "&" : "",
			object->functions[f].name, calls->recursive[f] ? " recursive" : "");
		for (uint32_t s = calls->site_start[f]; s < calls->site_start[f + 1]; s++) {
			const struct hd_call_site *site = &calls->sites[s];
			fprintf(out, "  %04x %s ->", site->inst * HD_INST_BYTES,
				site->kind == HD_CALL_DIRECT ? "direct" : "indirect");
			for (uint32_t c = 0; c < site->callee_count; c++)
				fprintf(out, " %s", object->functions[site->callees[c]].name);
			if (site->external)
				fprintf(out, " %s", site->external);
			fprintf(out, "%s%s%s\n", site->unknown ? " unknown" : "", site->recursive ? " recursive" : "",
				site->helper ? " helper" : "");
		}
	}
}

/* An indirect call in the IR: `heddle.ord` is the number that machine instructions carry as their origin. */
struct ir_call {
	uint32_t ordinal;
	LLVMTypeRef type;
};

/* The indirect calls of the function that was asked for last. */
struct ir_types {
	struct hd_unit *unit;
	HD_VEC(struct ir_call) calls;
	unsigned ordinal_kind;
	uint32_t function;
};

static uint32_t ordinal_of(const struct ir_types *types, LLVMValueRef inst)
{
	LLVMValueRef node = LLVMGetMetadata(inst, types->ordinal_kind), number;
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return UINT32_MAX;
	LLVMGetMDNodeOperands(node, &number);
	return number && LLVMIsAConstantInt(number) ? (uint32_t)LLVMConstIntGetZExtValue(number) : UINT32_MAX;
}

static void list_calls(struct ir_types *types, uint32_t function)
{
	const char *name = types->unit->object.functions[function].name;
	LLVMValueRef value = LLVMGetNamedFunction(types->unit->module, name);
	LLVMBasicBlockRef block = value ? LLVMGetFirstBasicBlock(value) : NULL;
	types->function = function;
	hd_vec_clear(&types->calls);
	for (; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
			if (LLVMIsACallInst(inst) && !LLVMIsAFunction(LLVMGetCalledValue(inst)))
				hd_vec_push(&types->calls,
					    (struct ir_call){ordinal_of(types, inst), LLVMGetCalledFunctionType(inst)});
}

/* Types are uniqued in their context, so their addresses tell them apart; they are compared, never ordered or printed.
 */
static uint64_t type_of_site(void *context, uint32_t function, uint32_t inst)
{
	struct ir_types *types = context;
	uint32_t ordinal = types->unit->object.functions[function].origins[inst].ir;
	LLVMTypeRef found = NULL;
	if (types->function != function)
		list_calls(types, function);
	for (uint32_t i = 0; i < types->calls.len && ordinal != UINT32_MAX; i++) {
		if (types->calls.data[i].ordinal != ordinal)
			continue;
		if (found && found != types->calls.data[i].type)
			return 0;
		found = types->calls.data[i].type;
	}
	return (uint64_t)(uintptr_t)found;
}

int hd_callgraph_run(struct hd_unit *unit)
{
	struct hd_callgraph *calls = HD_ARENA_NEW(&unit->arena, struct hd_callgraph, 1);
	uint64_t *types = HD_ARENA_NEW(&unit->arena, uint64_t, unit->object.function_count);
	struct ir_types context = {.unit = unit, .function = UINT32_MAX};
	context.ordinal_kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(unit->module), "heddle.ord", 10);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		LLVMValueRef value = LLVMGetNamedFunction(unit->module, unit->object.functions[f].name);
		if (value)
			types[f] = (uint64_t)(uintptr_t)LLVMGlobalGetValueType(value);
	}
	const struct hd_call_types both = {types, type_of_site, &context};
	hd_callgraph_compute(calls, &unit->object, &both, unit->options.relocatable, &unit->arena);
	hd_vec_release(&context.calls);
	unit->results[HD_PASS_CALLGRAPH] = calls;
	return 0;
}

void hd_callgraph_print_unit(FILE *out, const struct hd_unit *unit)
{
	print(out, hd_pass_result(unit, HD_PASS_CALLGRAPH), &unit->object);
}
