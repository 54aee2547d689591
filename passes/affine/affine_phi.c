/*
 * Linear values: phis, and the estimated frequencies of blocks. A phi whose operands are the same linear value is that
 * value. One at the header of a loop that grows by a launch constant with each iteration is its first value plus
 * the iteration times that step (r2d2-isca23 3.1.2); every other phi is a register with several writes, which is not
 * linear. The chain from the latch back to the phi is followed for a bounded number of instructions.
 */
#include "passes/affine/affine_internal.h"

#define CHAIN 16u	/* most instructions between a phi and its next value */
#define LOOP_TRIPS 10.0 /* iterations of a loop, estimated as selection does */

static const struct hd_growth no_growth = {false, {.vector = HD_NO_VECTOR}, {false, false}};

static struct hd_growth grow_from(struct hd_affine *affine, LLVMValueRef value, LLVMValueRef phi, unsigned depth);

/* growth of `base` plus (or minus) what the other operand is. */
static struct hd_growth grow_by(struct hd_affine *affine, struct hd_growth base, struct hd_affine_value by, bool minus,
				struct hd_flags flags)
{
	static const struct hd_flags none = {false, false};
	if (!base.known || hd_affine_constant_part(affine, &by, true) == HD_NO_POLY)
		return no_growth;
	/* Steps that are exact as unsigned numbers may be larger than any signed one. */
	base.flags.nsw &= flags.nsw && by.exact_signed;
	base.flags.nuw &= flags.nuw && by.exact_unsigned && !minus;
	base.step =
		minus ? hd_affine_subtract(affine, base.step, by, none) : hd_affine_add(affine, base.step, by, none);
	base.known = hd_is_linear(&base.step);
	return base;
}

static struct hd_growth grow_in_sum(struct hd_affine *affine, LLVMValueRef inst, LLVMValueRef phi, unsigned depth)
{
	bool minus = LLVMGetInstructionOpcode(inst) == LLVMSub;
	bool is_or = LLVMGetInstructionOpcode(inst) == LLVMOr;
	struct hd_flags flags = {is_or || LLVMGetNSW(inst), is_or || LLVMGetNUW(inst)};
	struct hd_affine_value by;
	for (unsigned i = 0; i < (minus ? 1u : 2u); i++) {
		LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);
		if (!hd_affine_operand(affine, LLVMGetOperand(inst, 1 - i), block, &by))
			continue;
		struct hd_growth growth =
			grow_by(affine, grow_from(affine, LLVMGetOperand(inst, i), phi, depth), by, minus, flags);
		if (growth.known)
			return growth;
	}
	return no_growth;
}

static struct hd_growth grow_from(struct hd_affine *affine, LLVMValueRef value, LLVMValueRef phi, unsigned depth)
{
	static const struct hd_flags none = {false, false};
	if (value == phi) {
		unsigned bits = hd_affine_bits(affine, LLVMTypeOf(phi));
		return (struct hd_growth){true, hd_affine_scalar(affine, HD_POLY_ZERO, bits), {true, true}};
	}
	if (depth == CHAIN || !LLVMIsAInstruction(value))
		return no_growth;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMOr:
		if (!LLVMGetIsDisjoint(value))
			return no_growth;
		return grow_in_sum(affine, value, phi, depth + 1);
	case LLVMAdd:
	case LLVMSub: return grow_in_sum(affine, value, phi, depth + 1);
	case LLVMGetElementPtr:
		return grow_by(affine, grow_from(affine, LLVMGetOperand(value, 0), phi, depth + 1),
			       hd_affine_gep_offset(affine, value), false, none);
	case LLVMBitCast:
	case LLVMFreeze: return grow_from(affine, LLVMGetOperand(value, 0), phi, depth + 1);
	default: return no_growth;
	}
}

struct hd_growth hd_affine_growth(struct hd_affine *affine, LLVMValueRef value, LLVMValueRef phi)
{
	return grow_from(affine, value, phi, 0);
}

/* The one value of the phi's operands that come from inside (or outside) of the loop. */
static bool same_value(struct hd_affine *affine, LLVMValueRef phi, uint32_t loop, bool inside,
		       struct hd_affine_value *value)
{
	bool any = false;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		struct hd_affine_value incoming;
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
		if (loop != HD_NO_NODE && hd_affine_in_loop(affine, hd_affine_block_of(affine, from), loop) != inside)
			continue;
		if (!hd_affine_operand(affine, LLVMGetIncomingValue(phi, i), from, &incoming) ||
		    (any && incoming.vector != value->vector))
			return false;
		if (any) {
			incoming.exact_signed &= value->exact_signed;
			incoming.exact_unsigned &= value->exact_unsigned;
			incoming.conditions |= value->conditions;
		}
		*value = incoming;
		any = true;
	}
	return any;
}

static struct hd_growth same_growth(struct hd_affine *affine, LLVMValueRef phi, uint32_t loop)
{
	struct hd_growth all = no_growth;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		if (!hd_affine_in_loop(affine, hd_affine_block_of(affine, LLVMGetIncomingBlock(phi, i)), loop))
			continue;
		struct hd_growth growth = grow_from(affine, LLVMGetIncomingValue(phi, i), phi, 0);
		if (!growth.known || (all.known && all.step.vector != growth.step.vector))
			return no_growth;
		growth.flags.nsw &= !all.known || all.flags.nsw;
		growth.flags.nuw &= !all.known || all.flags.nuw;
		growth.step.conditions |= all.step.conditions;
		all = growth;
	}
	return all;
}

/* init + step * iteration */
static struct hd_affine_value loop_carried(struct hd_affine *affine, LLVMValueRef phi, uint32_t loop)
{
	static const struct hd_flags none = {false, false};
	struct hd_affine_value first, iteration;
	if (affine->loops.loops[loop].irreducible || !same_value(affine, phi, loop, false, &first))
		return hd_not_linear;
	struct hd_growth growth = same_growth(affine, phi, loop);
	if (!growth.known)
		return hd_not_linear;
	hd_affine_bound_loop(affine, loop, phi, &first, &growth);
	iteration =
		hd_affine_scalar(affine, hd_poly_symbol(affine->polys, affine->loop_facts[loop].symbol), first.bits);
	iteration = hd_affine_multiply(affine, iteration, growth.step, none);
	struct hd_affine_value value = hd_affine_add(affine, first, iteration, none);
	/* As long as no addition wraps around, the register counts as the integers do. */
	value.exact_signed = first.exact_signed && growth.flags.nsw;
	value.exact_unsigned = first.exact_unsigned && growth.flags.nuw;
	return value;
}

struct hd_affine_value hd_affine_phi(struct hd_affine *affine, LLVMValueRef phi)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(phi);
	uint32_t node = hd_affine_block_of(affine, block), loop = affine->loops.loop_of[node];
	struct hd_affine_value value;
	if (loop != HD_NO_NODE && affine->loops.loops[loop].header == node)
		return loop_carried(affine, phi, loop);
	if (!same_value(affine, phi, HD_NO_NODE, false, &value) || !hd_affine_is_known(affine, value.vector, node))
		return hd_not_linear;
	return value;
}

/* ---- frequencies */

/* Exits of a loop are taken once in LOOP_TRIPS; all else is even. */
static double probability(const struct hd_affine *affine, uint32_t from, uint32_t to)
{
	const struct hd_graph *graph = &affine->graph;
	uint32_t loop = affine->loops.loop_of[from], leaving = 0,
		 edges = graph->succ_start[from + 1] - graph->succ_start[from];
	bool leaves = loop != HD_NO_NODE && !hd_affine_in_loop(affine, to, loop);
	for (uint32_t e = graph->succ_start[from]; e < graph->succ_start[from + 1]; e++)
		leaving += loop != HD_NO_NODE && !hd_affine_in_loop(affine, graph->succ[e], loop);
	if (leaving == 0 || leaving == edges)
		return 1.0 / edges;
	return leaves ? 1 / LOOP_TRIPS / leaving : (1 - 1 / LOOP_TRIPS) / (edges - leaving);
}

void hd_affine_frequencies(struct hd_affine *affine)
{
	uint32_t *position = HD_ARENA_NEW(affine->arena, uint32_t, affine->graph.nodes);
	const struct hd_graph *graph = &affine->graph;
	for (uint32_t i = 0; i < affine->rpo_count; i++)
		position[affine->rpo[i]] = i;
	for (uint32_t i = 0; i < affine->rpo_count; i++) {
		uint32_t block = affine->rpo[i], loop = affine->loops.loop_of[block];
		double sum = i == 0;
		for (uint32_t p = graph->pred_start[block]; p < graph->pred_start[block + 1]; p++)
			if (position[graph->pred[p]] < i || graph->pred[p] == affine->rpo[0])
				sum += graph->pred[p] == block ? 0
							       : affine->blocks[graph->pred[p]].frequency *
									 probability(affine, graph->pred[p], block);
		if (loop != HD_NO_NODE && affine->loops.loops[loop].header == block)
			sum *= LOOP_TRIPS;
		affine->blocks[block].frequency = sum;
	}
}
