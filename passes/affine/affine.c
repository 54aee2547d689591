/*
 * Linear values: the tables behind the ids, and the walk over the kernel in reverse post-order, in which each
 * instruction gets its vector from its operands' (r2d2-isca23 3.1.1, Algorithm 1 lines 6 to 10). Needs the
 * legalised IR. Linear in the code, but for the terms of polynomials, which are bounded.
 */
#include "passes/affine/affine.h"

#include <string.h>

#include "heddle/machine.h"
#include "lib/vec.h"
#include "passes/affine/affine_internal.h"

const struct hd_affine_value hd_not_linear = {.vector = HD_NO_VECTOR};

/* ---- values, blocks and variables by pointer */

static void put(struct hd_affine *affine, const void *key, uint32_t id)
{
	hd_map_put(&affine->tables->ids, key, id, 0);
}

static void define(struct hd_affine *affine, LLVMValueRef value, struct hd_affine_value facts)
{
	hd_vec_push_in(&affine->tables->values, affine->arena, facts);
	put(affine, value, affine->tables->values.len - 1);
}

uint32_t hd_affine_block_of(const struct hd_affine *affine, LLVMBasicBlockRef block)
{
	const struct hd_map_entry *entry = hd_map_get(&affine->tables->ids, block);
	return entry ? entry->start : HD_NO_NODE;
}

uint32_t hd_affine_variable(struct hd_affine *affine, LLVMValueRef global)
{
	const struct hd_map_entry *entry = hd_map_get(&affine->tables->ids, global);
	if (entry)
		return entry->start;
	hd_vec_push_in(&affine->variables, affine->arena, global);
	put(affine, global, affine->variables.len - 1);
	return affine->variables.len - 1;
}

/* ---- vectors */

/* c may hold one iteration times a launch constant, the others none. */
static bool is_allowed(const struct hd_affine *affine, const struct hd_affine_vector *vector)
{
	for (unsigned i = 0; i < HD_INDICES; i++)
		if (vector->part[i] == HD_NO_POLY ||
		    (i != HD_INDEX_C && hd_poly_get(affine->polys, vector->part[i])->iterates))
			return false;
	const struct hd_poly *constant = hd_poly_get(affine->polys, vector->part[HD_INDEX_C]);
	for (uint32_t t = 0; constant->iterates && t < constant->count; t++) {
		const struct hd_monomial *product = hd_monomial_get(affine->polys, constant->terms[t].monomial);
		unsigned iterations = 0;
		for (uint32_t s = 0; s < product->degree; s++)
			iterations += hd_unknown_get(affine->polys, product->symbols[s])->kind == HD_UNKNOWN_ITERATION;
		if (iterations > 1)
			return false;
	}
	return true;
}

uint32_t hd_affine_intern(struct hd_affine *affine, const struct hd_affine_vector *vector)
{
	uint64_t hash = 0;
	if (!is_allowed(affine, vector))
		return HD_NO_VECTOR;
	for (unsigned i = 0; i < HD_INDICES; i++)
		hash = hd_hash_mix(hash, vector->part[i]);
	struct hd_hash_set *ids = &affine->tables->vector_ids;
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, ids, hash, !memcmp(&affine->vectors.data[slot->id], vector, sizeof(*vector)));
	if (hd_hash_found(slot))
		return slot->id;
	hd_hash_set_put(ids, slot, hash, affine->vectors.len);
	hd_vec_push_in(&affine->vectors, affine->arena, *vector);
	return affine->vectors.len - 1;
}

bool hd_affine_is_scalar(const struct hd_affine *affine, uint32_t vector, bool launch)
{
	const struct hd_affine_vector *parts = &affine->vectors.data[vector];
	for (unsigned i = HD_INDEX_C + 1; i < HD_INDICES; i++)
		if (parts->part[i] != HD_POLY_ZERO)
			return false;
	return !launch || !hd_poly_get(affine->polys, parts->part[HD_INDEX_C])->iterates;
}

/* The largest value of an index. */
static int64_t most_of(const struct hd_affine *affine, unsigned index)
{
	return index <= HD_INDEX_TID_Z ? (int64_t)affine->bounds.block[index - HD_INDEX_TID_X] - 1
				       : (int64_t)affine->bounds.grid[index - HD_INDEX_CTAID_X] - 1;
}

struct hd_range hd_affine_range(const struct hd_affine *affine, uint32_t vector)
{
	const struct hd_affine_vector *parts = &affine->vectors.data[vector];
	struct hd_range sum = hd_poly_range(affine->polys, parts->part[HD_INDEX_C]);
	for (unsigned i = HD_INDEX_C + 1; i < HD_INDICES; i++) {
		struct hd_range index = {0, most_of(affine, i)};
		sum = hd_range_add(sum, hd_range_multiply(hd_poly_range(affine->polys, parts->part[i]), index));
	}
	return sum;
}

void hd_affine_print_vector(struct hd_strbuf *out, const struct hd_affine *affine, uint32_t vector)
{
	for (unsigned i = 0; i < HD_INDICES; i++) {
		hd_strbuf_append(out, i ? ", " : "{");
		hd_poly_print(out, affine->polys, affine->vectors.data[vector].part[i]);
	}
	hd_strbuf_append(out, "}");
}

const char *hd_affine_poly_text(const struct hd_affine *affine, uint32_t poly)
{
	struct hd_strbuf text = {0};
	hd_poly_print(&text, affine->polys, poly);
	const char *copy = hd_arena_strdup(affine->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return copy;
}

/* ---- conditions */

/* Makes the value depend on low <= vector <= high, which the host has to be able to check. */
struct hd_affine_value hd_affine_require(struct hd_affine *affine, struct hd_affine_value value, uint32_t vector,
					 struct hd_range range)
{
	uint32_t id = 0;
	if (vector == HD_NO_VECTOR)
		return hd_not_linear;
	if (hd_range_within(hd_affine_range(affine, vector), range))
		return value;
	for (unsigned i = 0; i < HD_INDICES; i++)
		if (hd_poly_get(affine->polys, affine->vectors.data[vector].part[i])->linked)
			return hd_not_linear;
	while (id < affine->conditions.len &&
	       (affine->conditions.data[id].vector != vector || affine->conditions.data[id].low != range.low ||
		affine->conditions.data[id].high != range.high))
		id++;
	if (id == HD_AFFINE_CONDITIONS)
		return hd_not_linear;
	if (id == affine->conditions.len)
		hd_vec_push_in(&affine->conditions, affine->arena,
			       (struct hd_affine_condition){vector, range.low, range.high});
	value.conditions |= UINT64_C(1) << id;
	return value;
}

/* ---- values */

unsigned hd_affine_bits(const struct hd_affine *affine, LLVMTypeRef type)
{
	(void)affine;
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 64 ? LLVMGetIntTypeWidth(type) : 0;
	case LLVMPointerTypeKind:
		switch (LLVMGetPointerAddressSpace(type)) {
		case HD_AS_GENERIC:
		case HD_AS_GLOBAL:
		case HD_AS_CONST: return 64;
		case HD_AS_SHARED:
		case HD_AS_PARAM: return 32;
		default: return 0; /* a thread's own memory */
		}
	default: return 0;
	}
}

struct hd_affine_value hd_affine_refine(struct hd_affine *affine, struct hd_affine_value value)
{
	if (value.vector == HD_NO_VECTOR)
		return hd_not_linear;
	struct hd_range range = hd_affine_range(affine, value.vector);
	int64_t half = value.bits == 64 ? INT64_MAX : ((int64_t)1 << (value.bits - 1)) - 1;
	int64_t top = value.bits >= 63 ? INT64_MAX : ((int64_t)1 << value.bits) - 1;
	bool low = range.low != INT64_MIN, high = range.high != INT64_MAX;
	value.exact_signed |= low && high && range.low >= -half - 1 && range.high <= half;
	value.exact_unsigned |= high && range.low >= 0 && range.high <= top;
	value.exact_unsigned |= value.exact_signed && range.low >= 0;
	value.exact_signed |= value.exact_unsigned && high && range.high <= half;
	return value;
}

struct hd_affine_value hd_affine_scalar(struct hd_affine *affine, uint32_t poly, unsigned bits)
{
	struct hd_affine_vector vector = {{poly}};
	struct hd_affine_value value = {.vector = hd_affine_intern(affine, &vector), .bits = (uint8_t)bits};
	return hd_affine_refine(affine, value);
}

uint32_t hd_affine_bank(struct hd_affine *affine, uint32_t offset, unsigned bits, struct hd_range range,
			const char *name)
{
	struct hd_unknown symbol = {.kind = HD_UNKNOWN_BANK,
				    .bits = (uint8_t)bits,
				    .offset = offset,
				    .range = range,
				    .name = hd_arena_strdup(affine->arena, name)};
	return hd_poly_symbol(affine->polys, hd_unknown_intern(affine->polys, &symbol));
}

uint32_t hd_affine_operation(struct hd_affine *affine, unsigned op, unsigned from, unsigned bits, uint32_t a,
			     uint32_t b, uint32_t c, struct hd_range range)
{
	struct hd_unknown symbol = {.kind = HD_UNKNOWN_OPERATION,
				    .op = (uint8_t)op,
				    .bits = (uint8_t)bits,
				    .from = (uint8_t)from,
				    .args = {a, b, c},
				    .range = range};
	int64_t values[3] = {0, 0, 0};
	bool known = true;
	for (unsigned i = 0; i < hd_uniform_operands(op); i++)
		known = known && symbol.args[i] != HD_NO_POLY &&
			hd_poly_is_constant(affine->polys, symbol.args[i], &values[i]);
	if (known)
		return hd_poly_constant(affine->polys, hd_uniform_evaluate(op, from, bits, values), 64);
	return hd_poly_symbol(affine->polys, hd_unknown_intern(affine->polys, &symbol));
}

bool hd_affine_in_loop(const struct hd_affine *affine, uint32_t block, uint32_t loop)
{
	uint32_t at = block == HD_NO_NODE ? HD_NO_NODE : affine->loops.loop_of[block];
	while (at != HD_NO_NODE && at != loop)
		at = affine->loops.loops[at].parent;
	return at == loop;
}

bool hd_affine_value(struct hd_affine *affine, LLVMValueRef value, struct hd_affine_value *out)
{
	const struct hd_affine_tables *tables = affine->tables;
	const struct hd_map_entry *entry = LLVMIsConstant(value) ? NULL : hd_map_get(&tables->ids, value);
	if (LLVMIsConstant(value))
		*out = hd_affine_constant(affine, value);
	else
		*out = entry ? tables->values.data[entry->start] : hd_not_linear;
	return hd_is_linear(out);
}

uint32_t hd_affine_iterations(const struct hd_affine *affine, uint32_t vector, uint32_t loops[HD_POLY_TERMS])
{
	const struct hd_poly *sum = hd_poly_get(affine->polys, affine->vectors.data[vector].part[HD_INDEX_C]);
	uint32_t count = 0;
	for (uint32_t t = 0; sum->iterates && t < sum->count; t++) {
		const struct hd_monomial *product = hd_monomial_get(affine->polys, sum->terms[t].monomial);
		for (uint32_t s = 0; s < product->degree; s++) {
			const struct hd_unknown *symbol = hd_unknown_get(affine->polys, product->symbols[s]);
			if (symbol->kind == HD_UNKNOWN_ITERATION)
				loops[count++] = symbol->offset;
		}
	}
	return count;
}

bool hd_affine_is_known(const struct hd_affine *affine, uint32_t vector, uint32_t block)
{
	uint32_t loops[HD_POLY_TERMS], count = hd_affine_iterations(affine, vector, loops);
	for (uint32_t l = 0; l < count; l++)
		if (!hd_affine_in_loop(affine, block, loops[l]))
			return false;
	return true;
}

bool hd_affine_operand(struct hd_affine *affine, LLVMValueRef value, LLVMBasicBlockRef block,
		       struct hd_affine_value *out)
{
	if (!hd_affine_value(affine, value, out))
		return false;
	if (hd_affine_is_known(affine, out->vector, hd_affine_block_of(affine, block)))
		return true;
	*out = hd_not_linear;
	return false;
}

/* ---- the walk */

static void set_up_parameters(struct hd_affine *affine)
{
	const uint32_t *offsets = affine->param_offsets;
	unsigned count = LLVMCountParams(affine->function);
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef param = LLVMGetParam(affine->function, i);
		unsigned bits = hd_affine_bits(affine, LLVMTypeOf(param));
		char name[32];
		struct hd_range range = {INT64_MIN, INT64_MAX};
		snprintf(name, sizeof(name), "P%u", i);
		if (bits == 32)
			range = (struct hd_range){INT32_MIN, INT32_MAX};
		if (hd_byval_type(affine->function, i)) /* its address in the parameter space */
			define(affine, param,
			       hd_affine_scalar(affine, hd_poly_constant(affine->polys, HD_CB_PARAMS + offsets[i], 64),
						32));
		else if (bits == 32 || bits == 64)
			define(affine, param,
			       hd_affine_scalar(affine,
						hd_affine_bank(affine, HD_CB_PARAMS + offsets[i], bits, range, name),
						bits));
	}
}

static void set_up_graph(struct hd_affine *affine)
{
	uint32_t nodes = LLVMCountBasicBlocks(affine->function);
	LLVMBasicBlockRef *blocks = HD_ARENA_NEW(affine->arena, LLVMBasicBlockRef, nodes);
	HD_VEC(struct hd_edge) edges = {0};
	LLVMGetBasicBlocks(affine->function, blocks);
	affine->blocks = HD_ARENA_NEW(affine->arena, struct hd_affine_block, nodes);
	for (uint32_t b = 0; b < nodes; b++) {
		affine->blocks[b].block = blocks[b];
		put(affine, blocks[b], b);
	}
	for (uint32_t b = 0; b < nodes; b++) {
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(blocks[b]);
		for (unsigned s = 0; s < LLVMGetNumSuccessors(terminator); s++)
			hd_vec_push(&edges,
				    (struct hd_edge){b, hd_affine_block_of(affine, LLVMGetSuccessor(terminator, s))});
	}
	hd_graph_build(&affine->graph, affine->arena, nodes, 0, edges.data, edges.len);
	hd_vec_release(&edges);
	affine->rpo_count = hd_graph_rpo(&affine->graph, affine->arena, &affine->rpo);
	affine->idom = hd_graph_dominators(&affine->graph, affine->arena);
	affine->idom_depth = hd_dominator_depths(affine->idom, nodes, affine->arena);
	hd_graph_loops(&affine->graph, affine->idom, affine->arena, &affine->loops);
}

/* Blocks from which control can leave their loop, and those around it that it leaves, too. */
static void find_exits(struct hd_affine *affine)
{
	const struct hd_graph *graph = &affine->graph;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (uint32_t b = 0; b < graph->nodes; b++)
			for (uint32_t l = affine->loops.loop_of[b]; l != HD_NO_NODE;
			     l = affine->loops.loops[l].parent) {
				struct hd_affine_loop *facts = &affine->loop_facts[l];
				bool leaves = false;
				for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
					leaves |= !hd_affine_in_loop(affine, graph->succ[e], l);
				if (!leaves)
					break; /* nor does it leave the loops around this one */
				if (pass)
					facts->exits[facts->exit_count] = b;
				facts->exit_count++;
			}
		for (uint32_t l = 0; !pass && l < affine->loops.count; l++) {
			struct hd_affine_loop *facts = &affine->loop_facts[l];
			facts->exits = HD_ARENA_NEW(affine->arena, uint32_t, facts->exit_count);
			facts->exit_count = 0;
		}
	}
}

static void set_up_loops(struct hd_affine *affine)
{
	affine->loop_facts = HD_ARENA_NEW(affine->arena, struct hd_affine_loop, affine->loops.count);
	for (uint32_t l = 0; l < affine->loops.count; l++) {
		struct hd_unknown symbol = {.kind = HD_UNKNOWN_ITERATION,
					    .bits = 64,
					    .offset = l,
					    .range = {0, INT64_MAX},
					    .name = hd_arena_printf(affine->arena, "i%u", l)};
		affine->loop_facts[l] = (struct hd_affine_loop){
			.header = affine->blocks[affine->loops.loops[l].header].block,
			.symbol = hd_unknown_intern(affine->polys, &symbol),
			.most = HD_NO_POLY,
		};
	}
	find_exits(affine);
}

static void visit(struct hd_affine *affine, LLVMValueRef inst)
{
	if (!hd_affine_bits(affine, LLVMTypeOf(inst)))
		return;
	struct hd_affine_value value =
		LLVMIsAPHINode(inst) ? hd_affine_phi(affine, inst) : hd_affine_transfer(affine, inst);
	value = hd_affine_refine(affine, value);
	if (hd_is_linear(&value))
		define(affine, inst, value);
}

struct hd_affine *hd_affine_compute(LLVMValueRef kernel, LLVMTargetDataRef layout, const uint32_t *offsets,
				    const struct hd_affine_bounds *bounds, struct hd_arena *arena)
{
	struct hd_affine *affine = HD_ARENA_NEW(arena, struct hd_affine, 1);
	*affine = (struct hd_affine){
		.function = kernel, .layout = layout, .arena = arena, .bounds = *bounds, .param_offsets = offsets};
	affine->tables = HD_ARENA_NEW(arena, struct hd_affine_tables, 1);
	affine->tables->ids.arena = affine->tables->vector_ids.arena = arena;
	affine->polys = hd_poly_table_new(arena);
	set_up_graph(affine);
	set_up_parameters(affine);
	set_up_loops(affine);
	for (uint32_t i = 0; i < affine->rpo_count; i++) {
		LLVMBasicBlockRef block = affine->blocks[affine->rpo[i]].block;
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
			visit(affine, inst);
	}
	hd_affine_frequencies(affine);
	return affine;
}
