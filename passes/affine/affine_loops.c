/*
 * Linear values: how often loops iterate, from the comparison that ends them. A comparison of a counter with a launch
 * constant, evaluated in every iteration, bounds the iterations by a launch constant, and keeps the counter
 * from wrapping around where the bound leaves room for one more step: a condition that launches check. Sound for
 * counters that grow (or shrink) by a launch constant; other loops stay unbounded. Costs the exits of the loop.
 */
#include "passes/affine/affine_internal.h"

/* The loop goes on while value `relation` bound, for value = counter + ahead. */
enum relation { BELOW, AT_MOST, UNEQUAL };
struct test {
	enum relation relation;
	bool is_unsigned, downwards; /* downwards: above, at least */
	struct hd_affine_value bound;
	uint32_t ahead; /* a polynomial: 0 or the step */
};

/* Every way back to the header passes through the block. */
static bool in_every_iteration(const struct hd_affine *affine, uint32_t block, uint32_t loop)
{
	const struct hd_graph *graph = &affine->graph;
	uint32_t header = affine->loops.loops[loop].header;
	for (uint32_t p = graph->pred_start[header]; p < graph->pred_start[header + 1]; p++)
		if (hd_affine_in_loop(affine, graph->pred[p], loop) &&
		    !hd_dominates(affine->idom, affine->idom_depth, block, graph->pred[p]))
			return false;
	return true;
}

static LLVMIntPredicate inverse(LLVMIntPredicate predicate)
{
	static const LLVMIntPredicate inverses[] = {LLVMIntNE,	LLVMIntEQ,  LLVMIntULE, LLVMIntULT, LLVMIntUGE,
						    LLVMIntUGT, LLVMIntSLE, LLVMIntSLT, LLVMIntSGE, LLVMIntSGT};
	return inverses[predicate - LLVMIntEQ];
}

static LLVMIntPredicate mirrored(LLVMIntPredicate predicate)
{
	static const LLVMIntPredicate mirrors[] = {LLVMIntEQ,  LLVMIntNE,  LLVMIntULT, LLVMIntULE, LLVMIntUGT,
						   LLVMIntUGE, LLVMIntSLT, LLVMIntSLE, LLVMIntSGT, LLVMIntSGE};
	return mirrors[predicate - LLVMIntEQ];
}

/* While `predicate` holds for counter and bound, the loop goes on. */
static bool classify(LLVMIntPredicate predicate, struct test *test)
{
	test->is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
	test->downwards = predicate == LLVMIntSGT || predicate == LLVMIntSGE;
	switch (predicate) {
	case LLVMIntULT:
	case LLVMIntSLT:
	case LLVMIntSGT: test->relation = BELOW; return true;
	case LLVMIntULE:
	case LLVMIntSLE:
	case LLVMIntSGE: test->relation = AT_MOST; return true;
	case LLVMIntNE: test->relation = UNEQUAL; return true;
	default: return false;
	}
}

/* What the block's branch says about the counter, when it leaves the loop one way. */
static bool find_test(struct hd_affine *affine, uint32_t block, uint32_t loop, LLVMValueRef phi,
		      const struct hd_growth *growth, struct test *test)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(affine->blocks[block].block);
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !LLVMIsAICmpInst(LLVMGetCondition(branch)))
		return false;
	LLVMValueRef compare = LLVMGetCondition(branch);
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(compare);
	bool first = hd_affine_in_loop(affine, hd_affine_block_of(affine, LLVMGetSuccessor(branch, 0)), loop);
	bool second = hd_affine_in_loop(affine, hd_affine_block_of(affine, LLVMGetSuccessor(branch, 1)), loop);
	if (first == second)
		return false;
	for (unsigned side = 0; side < 2; side++) {
		struct hd_growth ahead = hd_affine_growth(affine, LLVMGetOperand(compare, side), phi);
		LLVMIntPredicate stays = first ? predicate : inverse(predicate);
		if (!ahead.known ||
		    !hd_affine_operand(affine, LLVMGetOperand(compare, 1 - side), affine->blocks[block].block,
				       &test->bound) ||
		    hd_affine_constant_part(affine, &test->bound, true) == HD_NO_POLY)
			continue;
		test->ahead = hd_affine_constant_part(affine, &ahead.step, true);
		bool counted = test->ahead == HD_POLY_ZERO ||
			       test->ahead == hd_affine_constant_part(affine, &growth->step, true);
		return counted && classify(side ? mirrored(stays) : stays, test);
	}
	return false;
}

/* The polynomials in the direction in which the counter grows. */
struct count {
	uint32_t first, step, bound, ahead;
	struct hd_affine_value depends; /* its conditions */
};

static uint32_t negated(struct hd_affine *affine, uint32_t poly)
{
	return hd_poly_scale(affine->polys, poly, -1, 64);
}

static void require_scalar(struct hd_affine *affine, struct count *count, uint32_t poly, struct hd_range range)
{
	struct hd_affine_vector vector = {{poly}};
	if (hd_is_linear(&count->depends))
		count->depends = hd_affine_require(affine, count->depends, hd_affine_intern(affine, &vector), range);
}

/* A lower bound of the first value that is a launch constant: its constant part, where no index makes it smaller. */
static uint32_t least_first(struct hd_affine *affine, const struct hd_affine_value *first, bool downwards, bool equal)
{
	const struct hd_affine_vector *vector = hd_affine_vector(affine, first->vector);
	for (unsigned i = HD_INDEX_C + 1; i < HD_INDICES; i++) {
		struct hd_range range = hd_poly_range(affine->polys, vector->part[i]);
		if (vector->part[i] != HD_POLY_ZERO && (equal || (downwards ? range.high > 0 : range.low < 0)))
			return HD_NO_POLY;
	}
	uint32_t constant = vector->part[HD_INDEX_C];
	return hd_poly_get(affine->polys, constant)->iterates ? HD_NO_POLY : constant;
}

/* Numbers as the comparison takes them, the step positive. */
static bool set_up(struct hd_affine *affine, const struct test *test, const struct hd_affine_value *first,
		   const struct hd_growth *growth, struct count *count)
{
	uint32_t step = hd_affine_constant_part(affine, &growth->step, true);
	struct hd_range range = hd_poly_range(affine->polys, step), positive = hd_signed_range(first->bits);
	bool downwards = test->downwards || (test->relation == UNEQUAL && range.high < 0);
	count->depends = *first;
	count->depends.conditions |= growth->step.conditions | test->bound.conditions;
	if (hd_poly_get(affine->polys, hd_affine_vector(affine, first->vector)->part[HD_INDEX_C])->iterates &&
	    (test->is_unsigned ? !first->exact_unsigned : !first->exact_signed))
		return false;
	if (test->is_unsigned ? !first->exact_unsigned : !first->exact_signed)
		count->depends = hd_affine_require(affine, count->depends, first->vector,
						   test->is_unsigned ? hd_unsigned_range(first->bits)
								     : hd_signed_range(first->bits));
	if (!hd_is_linear(&count->depends))
		return false;
	count->first = least_first(affine, first, downwards, test->relation == UNEQUAL);
	count->step = downwards ? negated(affine, step) : step;
	count->bound = hd_affine_constant_part(affine, &test->bound, true);
	if (!(test->is_unsigned ? test->bound.exact_unsigned : test->bound.exact_signed))
		require_scalar(affine, count, count->bound,
			       test->is_unsigned ? hd_unsigned_range(first->bits) : hd_signed_range(first->bits));
	count->ahead = downwards ? negated(affine, test->ahead) : test->ahead;
	if (downwards) {
		count->first = count->first == HD_NO_POLY ? HD_NO_POLY : negated(affine, count->first);
		count->bound = negated(affine, count->bound);
	}
	/* The register's bits, taken as a signed number, are the step: it is exact, and it is no step back. */
	positive.low = 1;
	require_scalar(affine, count, count->step, positive);
	return hd_is_linear(&count->depends);
}

/* The last value for which the loop goes on. */
static uint32_t last_value(struct hd_affine *affine, const struct test *test, const struct count *count)
{
	uint32_t one = hd_poly_constant(affine->polys, test->relation == AT_MOST ? 0 : 1, 64);
	return hd_poly_subtract(affine->polys, count->bound, one, 64);
}

/*
 * Without wrapping around, the counter after the last test that goes on is at most the last value plus a step; when the
 * test looks a step ahead, the very first one is not yet known to be below.
 */
static bool prove_room(struct hd_affine *affine, const struct test *test, struct count *count,
		       const struct hd_affine_value *first)
{
	struct hd_range range = test->is_unsigned ? hd_unsigned_range(first->bits) : hd_signed_range(first->bits);
	struct hd_poly_table *polys = affine->polys;
	uint32_t most = hd_poly_add(polys, last_value(affine, test, count), count->step, 64);
	if (test->downwards || most == HD_NO_POLY)
		return false;
	range.low = INT64_MIN;
	require_scalar(affine, count, most, range);
	if (hd_is_linear(&count->depends) && count->ahead != HD_POLY_ZERO) {
		struct hd_affine_vector next = *hd_affine_vector(affine, first->vector);
		next.part[HD_INDEX_C] = hd_poly_add(polys, next.part[HD_INDEX_C], count->step, 64);
		uint32_t vector = hd_affine_intern(affine, &next);
		if (vector == HD_NO_VECTOR || hd_poly_get(polys, next.part[HD_INDEX_C])->iterates)
			return false;
		count->depends = hd_affine_require(affine, count->depends, vector, range);
	}
	return hd_is_linear(&count->depends);
}

/* What divides a mask's result: the bits that it clears. */
static uint64_t symbol_alignment(const void *context, const struct hd_unknown *symbol)
{
	int64_t mask;
	if (symbol->kind != HD_UNKNOWN_OPERATION || symbol->op != HD_UNIFORM_AND)
		return 1;
	for (unsigned i = 0; i < 2; i++)
		if (hd_poly_is_constant(context, symbol->args[i], &mask) && mask)
			return (uint64_t)mask & (0 - (uint64_t)mask);
	return 1;
}

/* From the first value to the bound it is a whole number of steps, whatever the launch: what unrolled loops have. */
static bool meets_bound(struct hd_affine *affine, const struct count *count)
{
	struct hd_poly_table *polys = affine->polys;
	int64_t step;
	if (!hd_poly_is_constant(polys, count->step, &step))
		return false;
	uint64_t power = (uint64_t)step & (0 - (uint64_t)step);
	return power == (uint64_t)step &&
	       hd_poly_alignment(polys, hd_poly_subtract(polys, count->bound, count->first, 64), symbol_alignment,
				 polys) >= power;
}

/* A way into the loop other than through `from`, or round it. */
static bool has_other_way(const struct hd_affine *affine, uint32_t block, uint32_t from)
{
	const struct hd_graph *graph = &affine->graph;
	for (uint32_t p = graph->pred_start[block]; p < graph->pred_start[block + 1]; p++)
		if (graph->pred[p] != from && !hd_dominates(affine->idom, affine->idom_depth, block, graph->pred[p]))
			return true;
	return false;
}

/* The side of the block's branch without which `next`, a block that it dominates at once, is not reached: 0, 1, or 2
 * for none. */
static unsigned side_into(const struct hd_affine *affine, LLVMValueRef branch, uint32_t block, uint32_t next)
{
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
	    LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1) || has_other_way(affine, next, block))
		return 2;
	return hd_affine_block_of(affine, LLVMGetSuccessor(branch, 0)) == next ? 0 : 1;
}

#define GUARD_BLOCKS 4u /* above the loop, among which its guard is looked for */

/* The polynomial, or 0 in launches in which a launch constant keeps all threads out of the loop. */
static uint32_t if_entered(struct hd_affine *affine, uint32_t loop, struct count *count, uint32_t poly)
{
	uint32_t at = affine->loops.loops[loop].header;
	for (unsigned i = 0; i < GUARD_BLOCKS && affine->idom[at] != at; i++, at = affine->idom[at]) {
		uint32_t block = affine->idom[at];
		struct hd_affine_value guard;
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(affine->blocks[block].block);
		unsigned side = side_into(affine, branch, block, at);
		if (side > 1 ||
		    !hd_affine_operand(affine, LLVMGetCondition(branch), affine->blocks[block].block, &guard) ||
		    hd_affine_constant_part(affine, &guard, true) == HD_NO_POLY)
			continue;
		struct hd_range range = hd_poly_range(affine->polys, poly);
		range.low = range.low < 0 ? range.low : 0;
		range.high = range.high > 0 ? range.high : 0;
		count->depends.conditions |= guard.conditions;
		return hd_affine_operation(affine, HD_UNIFORM_SELECT, 64, 64,
					   hd_affine_constant_part(affine, &guard, true), side ? HD_POLY_ZERO : poly,
					   side ? poly : HD_POLY_ZERO, range);
	}
	return poly;
}

/*
 * Compared for equality, the counter has to meet its bound and not pass it. Where it does, from a first value that is
 * not behind it, all that is tested lies between these two, and nothing wraps around. Unrolled loops are not entered
 * for a few rounds, where their first value is behind.
 */
static bool prove_meeting(struct hd_affine *affine, uint32_t loop, struct count *count)
{
	if (count->first == HD_NO_POLY || !meets_bound(affine, count))
		return false;
	uint32_t rest = hd_poly_subtract(affine->polys, count->bound, count->first, 64);
	rest = hd_poly_subtract(affine->polys, rest, count->ahead, 64);
	if (rest == HD_NO_POLY)
		return false;
	if (hd_poly_range(affine->polys, rest).low < 0)
		rest = if_entered(affine, loop, count, rest);
	require_scalar(affine, count, rest, (struct hd_range){0, INT64_MAX});
	return hd_is_linear(&count->depends);
}

static void prove_no_wrap(struct hd_affine *affine, uint32_t loop, const struct test *test, struct count *count,
			  struct hd_affine_value *first, struct hd_growth *growth)
{
	bool proven =
		test->relation == UNEQUAL ? prove_meeting(affine, loop, count) : prove_room(affine, test, count, first);
	if (!proven)
		return;
	growth->flags.nsw |= !test->is_unsigned;
	growth->flags.nuw |= test->is_unsigned;
	first->exact_signed |= !test->is_unsigned;
	first->exact_unsigned |= test->is_unsigned;
	first->conditions |= count->depends.conditions;
}

/* first + iteration * step + ahead <= last for each iteration that goes on. */
static void bound_iterations(struct hd_affine *affine, uint32_t loop, const struct test *test, struct count *count)
{
	struct hd_poly_table *polys = affine->polys;
	uint32_t last = last_value(affine, test, count), zero = HD_POLY_ZERO;
	if (count->first == HD_NO_POLY || last == HD_NO_POLY)
		return;
	uint32_t way = hd_poly_subtract(polys, hd_poly_subtract(polys, last, count->first, 64), count->ahead, 64);
	if (test->relation == UNEQUAL && !prove_meeting(affine, loop, count))
		return;
	uint32_t distance = hd_poly_add(polys, way, count->step, 64);
	struct hd_range room = {0, hd_poly_range(polys, distance).high};
	room.high = room.high > 0 ? room.high : 0;
	uint32_t most = hd_affine_operation(affine, HD_UNIFORM_SMAX, 64, 64, distance, zero, zero, room);
	if (count->step != hd_poly_constant(polys, 1, 64))
		most = hd_affine_operation(affine, HD_UNIFORM_SDIV, 64, 64, most, count->step, zero, room);
	if (most == HD_NO_POLY || !hd_is_linear(&count->depends))
		return;
	affine->loop_facts[loop].most = most;
	affine->loop_facts[loop].conditions = count->depends.conditions;
	if (!count->depends.conditions)
		hd_unknown_limit(polys, affine->loop_facts[loop].symbol, hd_poly_range(polys, most).high);
}

void hd_affine_bound_loop(struct hd_affine *affine, uint32_t loop, LLVMValueRef phi, struct hd_affine_value *first,
			  struct hd_growth *growth)
{
	const struct hd_affine_loop *facts = &affine->loop_facts[loop];
	struct test test;
	struct count count;
	/* 64-bit counters are never widened, and their distance might not fit 64 bits. */
	for (uint32_t i = 0; i < facts->exit_count && first->bits <= 32; i++) {
		if (!find_test(affine, facts->exits[i], loop, phi, growth, &test) ||
		    !in_every_iteration(affine, facts->exits[i], loop) || !set_up(affine, &test, first, growth, &count))
			continue;
		bool exact = test.is_unsigned ? growth->flags.nuw : growth->flags.nsw;
		if (!exact) {
			prove_no_wrap(affine, loop, &test, &count, first, growth);
			exact = test.is_unsigned ? growth->flags.nuw : growth->flags.nsw;
		}
		if (exact && affine->loop_facts[loop].most == HD_NO_POLY)
			bound_iterations(affine, loop, &test, &count);
	}
}
