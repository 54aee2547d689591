/*
 * Divergence analysis over LLVM IR. Divergence starts at thread ids, atomics, shuffles, calls
 * and loads from thread-private memory, and spreads
 *
 *   - along uses;
 *   - from a divergent branch to the phis where its paths join: labels flow from each successor
 *     to the branch's immediate post-dominator, and a block that two labels reach is a join;
 *   - out of loops that lanes leave in different iterations: what is computed inside is
 *     divergent where it is used outside, even if it is uniform within each iteration.
 *
 * Early returns of kernels count as paths here: the machine's lanes reconverge where this file says or before
 * (passes/graph/reconvergence.c leaves paths out), so that what is uniform here is uniform there.
 *
 * Linear in the IR but for the labels, which cost a walk of the region for each divergent
 * branch; past a budget every block is taken for a join.
 */
#include "passes/ir/uniformity.h"

#include <string.h>

#include "lib/bitset.h"
#include "lib/map.h"
#include "lib/vec.h"
#include "passes/graph/graph.h"
#include "passes/ir/ir.h"
#include "passes/pass.h"

struct hd_uniformity {
	LLVMValueRef function;
	LLVMValueRef *values; /* parameters, then instructions in block order */
	uint32_t *block_of;   /* of each value; parameters: HD_NO_NODE */
	uint32_t count, params;
	struct hd_bitset divergent;
	struct hd_map ids; /* value -> id, block -> block */
};

struct state {
	struct hd_uniformity *result;
	struct hd_arena *arena;
	struct hd_graph graph;
	LLVMBasicBlockRef *blocks;
	uint32_t *post; /* immediate post-dominators */
	struct hd_loops loops;
	struct hd_bitset branched; /* blocks whose branch has been dealt with */
	struct hd_bitset left;	   /* loops with divergent exits */
	struct hd_bitset joins;
	uint32_t *label, *stamp; /* labels of the walk number `walk` */
	uint32_t *stop;		 /* blocks at which that walk ends */
	uint32_t walk;
	uint64_t budget;
	bool exhausted;
	HD_VEC(uint32_t) work;	 /* values that became divergent */
	HD_VEC(uint32_t) region; /* blocks of a walk that have to pass their label on */
};

static void mark(struct state *state, uint32_t value)
{
	if (hd_bitset_has(&state->result->divergent, value))
		return;
	hd_bitset_add(&state->result->divergent, value);
	hd_vec_push(&state->work, value);
}

static uint32_t id_of(const struct hd_uniformity *result, const void *key)
{
	const struct hd_map_entry *entry = hd_map_get(&result->ids, key);
	return entry ? entry->start : HD_NO_NODE;
}

/* ---- where divergence starts */

static bool begins_with(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static bool in_list(const char *name, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (begins_with(name, *prefixes))
			return true;
	return false;
}

/* Intrinsics whose result is the same for the warp whatever goes in. */
static bool is_warp_wide(const char *name)
{
	static const char *const prefixes[] = {
		"llvm.nvvm.read.ptx.sreg.ntid",
		"llvm.nvvm.read.ptx.sreg.ctaid",
		"llvm.nvvm.read.ptx.sreg.nctaid",
		"llvm.nvvm.read.ptx.sreg.warpid",
		"llvm.nvvm.read.ptx.sreg.nwarpid",
		"llvm.nvvm.read.ptx.sreg.smid",
		"llvm.nvvm.read.ptx.sreg.nsmid",
		"llvm.nvvm.read.ptx.sreg.gridid",
		"llvm.nvvm.read.ptx.sreg.warpsize",
		"llvm.nvvm.read.ptx.sreg.cluster",
		"llvm.nvvm.read.ptx.sreg.nclusterid",
		"llvm.nvvm.is_explicit_cluster",
		"llvm.nvvm.vote.",
		"llvm.nvvm.activemask",
		"llvm.nvvm.match.all.",
		"llvm.nvvm.barrier0.",
		"llvm.nvvm.barrier.cta.red",
		NULL,
	};
	return in_list(name, prefixes);
}

/* Intrinsics that differ from lane to lane, or that time makes differ between groups of lanes. */
static bool is_lane_wise(const char *name)
{
	static const char *const prefixes[] = {
		"llvm.nvvm.read.ptx.sreg.", "llvm.nvvm.shfl.", "llvm.nvvm.match.any.", "llvm.nvvm.atomic.",
		"llvm.nvvm.ptr.gen.to",	    "llvm.nvvm.tex.",  "llvm.nvvm.suld.",      "llvm.nvvm.read.ptx.clock",
		"llvm.readcyclecounter",    "llvm.nvvm.elect", "llvm.nvvm.isspacep",   NULL,
	};
	return in_list(name, prefixes);
}

/* A pure intrinsic, a helper, or a read-only load, gives the same for the same operands. */
static bool call_diverges(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t len;
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &len) : "";
	if (LLVMIsAFunction(callee) && hd_is_helper(callee))
		return false;
	if (!begins_with(name, "llvm.") || is_warp_wide(name))
		return !is_warp_wide(name);
	if (is_lane_wise(name))
		return true;
	if (begins_with(name, "llvm.nvvm.ldg.") || begins_with(name, "llvm.nvvm.ldu."))
		return false;
	unsigned memory = LLVMGetEnumAttributeKindForName("memory", 6);
	LLVMAttributeRef effects = LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, memory);
	return !effects || LLVMGetEnumAttributeValue(effects) != 0;
}

/* The member mask of a vote or match says which lanes it answers to, and may be another for each. */
static bool ignores_operand(LLVMValueRef inst, LLVMValueRef operand)
{
	size_t len;
	if (!LLVMIsACallInst(inst) || !LLVMIsAFunction(LLVMGetCalledValue(inst)))
		return false;
	const char *name = LLVMGetValueName2(LLVMGetCalledValue(inst), &len);
	return is_warp_wide(name) && !(strstr(name, ".sync") && LLVMGetOperand(inst, 0) == operand);
}

/* Lanes that load from one address together get one value, unless the memory is each thread's own. */
static bool is_source(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad: {
		unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0)));
		return space == HD_AS_GENERIC || space == HD_AS_LOCAL;
	}
	case LLVMCall: return call_diverges(inst);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMVAArg:
	case LLVMInvoke:
	case LLVMCallBr: return true;
	default: return false;
	}
}

/* ---- how it spreads */

static bool in_loop(const struct state *state, uint32_t block, uint32_t loop)
{
	uint32_t at = block == HD_NO_NODE ? HD_NO_NODE : state->loops.loop_of[block];
	while (at != HD_NO_NODE && at != loop)
		at = state->loops.loops[at].parent;
	return at == loop;
}

/* All operands alike: whichever path lanes came by, they bring the same. */
static bool is_trivial_phi(LLVMValueRef phi)
{
	LLVMValueRef first = LLVMGetIncomingValue(phi, 0);
	for (unsigned i = 1; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingValue(phi, i) != first)
			return false;
	return true;
}

static void mark_join(struct state *state, uint32_t block)
{
	if (hd_bitset_has(&state->joins, block))
		return;
	hd_bitset_add(&state->joins, block);
	LLVMValueRef inst = LLVMGetFirstInstruction(state->blocks[block]);
	for (; inst && LLVMIsAPHINode(inst); inst = LLVMGetNextInstruction(inst))
		if (!is_trivial_phi(inst))
			mark(state, id_of(state->result, inst));
}

static void mark_all_joins(struct state *state)
{
	if (hd_bitset_count(&state->joins) == state->graph.nodes)
		return;
	for (uint32_t b = 0; b < state->graph.nodes; b++)
		mark_join(state, b);
}

/* `label` arrives at `block`. */
static void arrive(struct state *state, uint32_t block, uint32_t label)
{
	bool seen = state->stamp[block] == state->walk;
	if (seen && state->label[block] == label)
		return;
	if (seen)
		mark_join(state, block);
	if (seen && state->label[block] == block)
		return;
	state->stamp[block] = state->walk;
	state->label[block] = seen ? block : label;
	if (state->stop[block] != state->walk)
		hd_vec_push(&state->region, block);
}

/* Lanes are together again at `end`, the post-dominator, and begin an iteration of each of the loops together. */
static void begin_walk(struct state *state, uint32_t end, uint32_t loop)
{
	state->walk++;
	if (end != HD_NO_NODE)
		state->stop[end] = state->walk;
	for (; loop != HD_NO_NODE; loop = state->loops.loops[loop].parent)
		state->stop[state->loops.loops[loop].header] = state->walk;
}

static void finish_walk(struct state *state)
{
	const struct hd_graph *graph = &state->graph;
	while (state->region.len) {
		uint32_t block = hd_vec_pop(&state->region);
		uint32_t edges = graph->succ_start[block + 1] - graph->succ_start[block];
		state->exhausted |= state->budget < edges + 1;
		if (state->exhausted)
			continue;
		state->budget -= edges + 1;
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
			arrive(state, graph->succ[e], state->label[block]);
	}
	if (state->exhausted)
		mark_all_joins(state);
}

/* What is computed in the loop differs outside, because lanes left with values of different iterations. */
static void mark_outside_uses(struct state *state, uint32_t loop)
{
	for (uint32_t i = 0; i < state->loops.loops[loop].node_count; i++) {
		LLVMBasicBlockRef block = state->blocks[state->loops.loops[loop].nodes[i]];
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
			for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
				uint32_t user = id_of(state->result, LLVMGetUser(use));
				if (user != HD_NO_NODE && !in_loop(state, state->result->block_of[user], loop))
					mark(state, user);
			}
	}
}

/* Lanes leave `loop` by different exits or at different times; they are together again at `end`. */
static void leave_loop(struct state *state, uint32_t loop, uint32_t end)
{
	const struct hd_loop *nodes = &state->loops.loops[loop];
	begin_walk(state, end, nodes->parent);
	for (uint32_t i = 0; i < nodes->node_count && !state->exhausted; i++) {
		uint32_t block = nodes->nodes[i];
		for (uint32_t e = state->graph.succ_start[block]; e < state->graph.succ_start[block + 1]; e++) {
			uint32_t exit = state->graph.succ[e];
			if (in_loop(state, exit, loop))
				continue;
			mark_join(state, exit);
			arrive(state, exit, exit);
		}
	}
	finish_walk(state);
	if (hd_bitset_has(&state->left, loop))
		return;
	hd_bitset_add(&state->left, loop);
	mark_outside_uses(state, loop);
}

/* A cycle without one header has no one place where an iteration begins. */
static void leave_irreducible(struct state *state, uint32_t loop)
{
	for (uint32_t i = 0; i < state->loops.loops[loop].node_count; i++)
		mark_join(state, state->loops.loops[loop].nodes[i]);
}

static void split(struct state *state, uint32_t block)
{
	const struct hd_graph *graph = &state->graph;
	uint32_t end = state->post[block], inner = state->loops.loop_of[block];
	if (hd_bitset_has(&state->branched, block))
		return;
	hd_bitset_add(&state->branched, block);
	begin_walk(state, end, inner);
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
		arrive(state, graph->succ[e], graph->succ[e]);
	finish_walk(state);
	for (uint32_t loop = inner; loop != HD_NO_NODE; loop = state->loops.loops[loop].parent) {
		if (state->loops.loops[loop].irreducible)
			leave_irreducible(state, loop);
		if (end == HD_NO_NODE || !in_loop(state, end, loop))
			leave_loop(state, loop, end);
	}
}

static void spread(struct state *state, uint32_t value)
{
	struct hd_uniformity *result = state->result;
	LLVMValueRef inst = result->values[value];
	if (value >= result->params && LLVMIsATerminatorInst(inst)) {
		if (LLVMGetNumSuccessors(inst) > 1)
			split(state, result->block_of[value]);
		return;
	}
	for (LLVMUseRef use = LLVMGetFirstUse(inst); use; use = LLVMGetNextUse(use)) {
		uint32_t user = id_of(result, LLVMGetUser(use));
		if (user != HD_NO_NODE && !ignores_operand(LLVMGetUser(use), inst))
			mark(state, user);
	}
}

/* ---- set-up */

static void list_values(struct state *state)
{
	struct hd_uniformity *result = state->result;
	uint32_t next = result->params = LLVMCountParams(result->function);
	result->count = next;
	for (uint32_t b = 0; b < state->graph.nodes; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(state->blocks[b]); i; i = LLVMGetNextInstruction(i))
			result->count++;
	result->values = HD_ARENA_NEW(state->arena, LLVMValueRef, result->count);
	result->block_of = HD_ARENA_NEW(state->arena, uint32_t, result->count);
	LLVMGetParams(result->function, result->values);
	memset(result->block_of, 0xff, sizeof(*result->block_of) * next);
	for (uint32_t b = 0; b < state->graph.nodes; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(state->blocks[b]); i; i = LLVMGetNextInstruction(i)) {
			result->block_of[next] = b;
			result->values[next++] = i;
		}
}

static void number_values(struct state *state)
{
	struct hd_uniformity *result = state->result;
	result->ids.arena = state->arena;
	hd_map_reserve(&result->ids, result->count + state->graph.nodes);
	for (uint32_t v = 0; v < result->count; v++)
		hd_map_put(&result->ids, result->values[v], v, 0);
	for (uint32_t b = 0; b < state->graph.nodes; b++)
		hd_map_put(&result->ids, state->blocks[b], b, 0);
	result->divergent = hd_bitset_new(state->arena, result->count);
}

static void build_graph(struct state *state)
{
	struct hd_uniformity *result = state->result;
	uint32_t nodes = state->graph.nodes;
	HD_VEC(struct hd_edge) edges = {0};
	for (uint32_t b = 0; b < nodes; b++) {
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(state->blocks[b]);
		for (unsigned s = 0; s < LLVMGetNumSuccessors(terminator); s++)
			hd_vec_push(&edges, (struct hd_edge){b, id_of(result, LLVMGetSuccessor(terminator, s))});
	}
	hd_graph_build(&state->graph, state->arena, nodes, 0, edges.data, edges.len);
	hd_vec_release(&edges);
	state->post = hd_graph_post_dominators(&state->graph, state->arena);
	hd_graph_loops(&state->graph, hd_graph_dominators(&state->graph, state->arena), state->arena, &state->loops);
}

static void set_up(struct state *state)
{
	uint32_t nodes = state->graph.nodes = LLVMCountBasicBlocks(state->result->function);
	state->blocks = HD_ARENA_NEW(state->arena, LLVMBasicBlockRef, nodes);
	LLVMGetBasicBlocks(state->result->function, state->blocks);
	list_values(state);
	number_values(state);
	build_graph(state);
	state->branched = hd_bitset_new(state->arena, nodes);
	state->joins = hd_bitset_new(state->arena, nodes);
	state->left = hd_bitset_new(state->arena, state->loops.count);
	state->label = HD_ARENA_NEW(state->arena, uint32_t, nodes);
	state->stamp = HD_ARENA_NEW(state->arena, uint32_t, nodes);
	state->stop = HD_ARENA_NEW(state->arena, uint32_t, nodes);
	state->budget = UINT64_C(200) * (nodes + state->graph.edges) + 1000000;
}

struct hd_uniformity *hd_uniformity_compute(LLVMValueRef function, bool kernel, struct hd_arena *arena)
{
	struct hd_uniformity *result = HD_ARENA_NEW(arena, struct hd_uniformity, 1);
	struct state state = {.result = result, .arena = arena};
	result->function = function;
	set_up(&state);
	for (uint32_t v = 0; v < result->count; v++)
		if (v < result->params ? !kernel : is_source(result->values[v]))
			mark(&state, v);
	while (state.work.len) {
		uint32_t value = hd_vec_pop(&state.work);
		spread(&state, value);
	}
	hd_vec_release(&state.work);
	hd_vec_release(&state.region);
	return result;
}

bool hd_value_is_uniform(const struct hd_uniformity *uniformity, LLVMValueRef value)
{
	if (LLVMIsConstant(value))
		return true;
	uint32_t id = id_of(uniformity, value);
	return id != HD_NO_NODE && !hd_bitset_has(&uniformity->divergent, id);
}

bool hd_branch_is_uniform(const struct hd_uniformity *uniformity, LLVMValueRef terminator)
{
	return hd_value_is_uniform(uniformity, terminator);
}

/* LLVM numbers a function anew for each line that it prints. */
static void print(FILE *out, const struct hd_uniformity *uniformity)
{
	fprintf(out, "uniformity of %s\n", LLVMGetValueName(uniformity->function));
	for (uint32_t v = 0; v < uniformity->count; v++) {
		char *text = LLVMPrintValueToString(uniformity->values[v]);
		text[strcspn(text, "\n")] = 0;
		fprintf(out, "  %-9s  %s\n", hd_bitset_has(&uniformity->divergent, v) ? "divergent" : "uniform",
			text + strspn(text, " "));
		LLVMDisposeMessage(text);
	}
}

/* ---- the row: one result a function of the legalised module */

struct module_results {
	struct hd_uniformity **list; /* in the module's order, NULL at the end */
	struct hd_map places;	     /* of functions, in it */
};

int hd_uniformity_run(struct hd_unit *unit)
{
	uint32_t count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
		count += !LLVMIsDeclaration(f);
	struct module_results *results = HD_ARENA_NEW(&unit->arena, struct module_results, 1);
	results->list = HD_ARENA_NEW(&unit->arena, struct hd_uniformity *, count + 1);
	results->places.arena = &unit->arena;
	hd_map_reserve(&results->places, count);
	count = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f)) {
			hd_map_put(&results->places, f, count, 0);
			results->list[count++] = hd_uniformity_compute(f, hd_is_kernel(unit, f), &unit->arena);
		}
	unit->results[HD_PASS_UNIFORMITY] = results;
	return 0;
}

const struct hd_uniformity *hd_uniformity_of(const struct hd_unit *unit, LLVMValueRef function)
{
	const struct module_results *results = hd_pass_result(unit, HD_PASS_UNIFORMITY);
	const struct hd_map_entry *place = hd_map_get(&results->places, function);
	return place ? results->list[place->start] : NULL;
}

void hd_uniformity_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct module_results *results = hd_pass_result(unit, HD_PASS_UNIFORMITY);
	for (struct hd_uniformity *const *at = results->list; *at; at++)
		print(out, *at);
}
