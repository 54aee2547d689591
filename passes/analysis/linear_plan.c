/*
 * The plan of a decoupled kernel: which uses of linear values are covered, and by what (r2d2-isca23 3.1.2 to 3.1.4).
 *
 *   1. Every operand with a linear value that a non-linear instruction reads is a candidate. What computing it costs a
 *      thread is shared evenly between the readers of each value.
 *   2. Candidates with the same thread-index and block-index coefficients form a group, which shares a linear
 *      register; iterations become loop offsets, which have to be worth their addition in the loop. Addresses with an
 *      offset share one only with the same constant part: an operand has no room for both.
 *   3. The groups that save most get the registers. In each, the constant part with fewest terms is the register's
 *      base; other uses differ by an immediate or a scalar.
 *   4. From the non-linear instructions backwards, what is still read without cover stays. The rest is removed.
 *
 * Near linear: sorting groups is the most expensive step.
 */
#include "passes/analysis/linear_plan.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"
#include "passes/analysis/affine_internal.h"

/* An operand that might be covered. */
struct candidate {
	uint32_t inst, operand;		/* inst: its number */
	uint32_t group, launch, offset; /* launch: the constant part without iterations */
	uint8_t bits;
	bool direct; /* a memory operand: what is added costs nothing */
	double value;
};

struct group {
	struct hd_affine_vector key; /* c: HD_NO_POLY, or of all uses, but for a number: they add an offset */
	double value;
	uint32_t best; /* its most valuable candidate */
	uint32_t reg;
	uint8_t bits;
	uint32_t uses;
};

struct hd_linear_index {
	struct hd_ptr_table insts; /* instruction -> number */
	uint32_t *first_use;	   /* by instruction: index in uses */
	bool *needed;
};

struct planner {
	struct hd_affine *affine;
	struct hd_linear_plan *plan;
	struct hd_linear_index *index;
	LLVMValueRef *insts;
	uint32_t *block_of, inst_count;
	double *share; /* what a reader saves that need not have the instruction's value */
	HD_VEC(struct candidate) candidates;
	HD_VEC(struct group) groups;
	HD_VEC(struct hd_linear_offset) offsets;
	HD_VEC(double) offset_values;
	uint32_t *group_slots, group_size;
	HD_VEC(uint32_t) work;
	HD_VEC(struct hd_linear_use) uses;
};

/* ---- instructions */

static void number_instructions(struct planner *planner)
{
	const struct hd_affine *affine = planner->affine;
	uint32_t count = 0, next = 0;
	for (uint32_t b = 0; b < affine->graph.nodes; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(affine->blocks[b].block); i;
		     i = LLVMGetNextInstruction(i))
			count++;
	planner->inst_count = count;
	planner->insts = HD_ARENA_NEW(affine->arena, LLVMValueRef, count);
	planner->block_of = HD_ARENA_NEW(affine->arena, uint32_t, count);
	planner->share = HD_ARENA_NEW(affine->arena, double, count);
	planner->index->needed = HD_ARENA_NEW(affine->arena, bool, count);
	planner->index->first_use = HD_ARENA_NEW(affine->arena, uint32_t, count);
	for (uint32_t b = 0; b < affine->graph.nodes; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(affine->blocks[b].block); i;
		     i = LLVMGetNextInstruction(i)) {
			hd_ptr_table_put(&planner->index->insts, affine->arena, i, next);
			planner->block_of[next] = b;
			planner->insts[next++] = i;
		}
}

/* Machine instructions for an IR instruction, as selection makes them, roughly. */
static double cost_of(const struct hd_affine *affine, LLVMValueRef inst)
{
	bool wide = hd_affine_bits(affine, LLVMTypeOf(inst)) == 64;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMShl:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		return wide ? 2 : 1;
	case LLVMMul:
		return wide ? 3 : 1;
	case LLVMSExt:
	case LLVMCall:
		return 1;
	case LLVMGetElementPtr: {
		/* A constant offset goes into the memory operand; an index is multiplied and added in one. */
		bool constant = true;
		for (int i = 1; i < LLVMGetNumOperands(inst); i++)
			constant &= LLVMIsConstant(LLVMGetOperand(inst, (unsigned)i));
		return constant ? 0 : 1;
	}
	default:
		return 0;
	}
}

static uint32_t count_uses(LLVMValueRef value)
{
	uint32_t count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
		count++;
	return count;
}

static uint32_t number_of(const struct planner *planner, LLVMValueRef value)
{
	uint32_t id;
	return LLVMIsAInstruction(value) && hd_ptr_table_get(&planner->index->insts, value, &id) ? id : HD_LINEAR_NONE;
}

static bool is_loop_carried(const struct hd_affine *affine, LLVMValueRef inst, const struct hd_affine_value *value)
{
	uint32_t loops[HD_POLY_TERMS];
	return LLVMIsAPHINode(inst) && hd_affine_iterations(affine, value->vector, loops);
}

/* In reverse post-order, so that operands come first but for those around a loop: what moves a loop's value on counts
 * for its phi, and the move is none of its readers. */
static void share_costs(struct planner *planner)
{
	struct hd_affine *affine = planner->affine;
	struct hd_affine_value value;
	for (uint32_t r = 0; r < affine->rpo_count; r++) {
		double frequency = affine->blocks[affine->rpo[r]].frequency;
		LLVMValueRef inst = LLVMGetFirstInstruction(affine->blocks[affine->rpo[r]].block);
		for (; inst; inst = LLVMGetNextInstruction(inst)) {
			if (!hd_affine_value(affine, inst, &value))
				continue;
			double sum = cost_of(affine, inst) * frequency;
			for (int i = 0; i < LLVMGetNumOperands(inst); i++) {
				uint32_t operand = number_of(planner, LLVMGetOperand(inst, (unsigned)i));
				sum += operand == HD_LINEAR_NONE ? 0 : planner->share[operand];
			}
			uint32_t uses = count_uses(inst);
			if (is_loop_carried(affine, inst, &value)) {
				sum += (value.bits > 32 ? 2 : 1) * frequency;
				uses -= uses > 1;
			}
			planner->share[number_of(planner, inst)] = uses ? sum / uses : 0;
		}
	}
}

/* ---- candidates */

static bool is_memory_operand(LLVMValueRef inst, uint32_t operand)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return operand == 0;
	case LLVMStore:
		return operand == 1;
	default:
		return false;
	}
}

static LLVMBasicBlockRef place_of(LLVMValueRef inst, uint32_t operand)
{
	return LLVMIsAPHINode(inst) ? LLVMGetIncomingBlock(inst, operand) : LLVMGetInstructionParent(inst);
}

/* What stands in the constant bank, or in the instruction, needs no register: one symbol or none, plus a constant. */
static bool is_trivial(const struct hd_affine *affine, uint32_t vector, bool direct)
{
	const struct hd_poly *poly = hd_poly_get(affine->polys, affine->vectors[vector].part[HD_INDEX_C]);
	if (!hd_affine_is_scalar(affine, vector, false))
		return false;
	if (poly->iterates || poly->count == 0)
		return !poly->iterates || !direct; /* a counter is a general register already */
	const struct hd_term *last = &poly->terms[poly->count - 1];
	const struct hd_monomial *product = hd_monomial_get(affine->polys, last->monomial);
	if (last->monomial == 0)
		return true;
	const struct hd_unknown *symbol = hd_unknown_get(affine->polys, product->symbols[0]);
	return product->degree == 1 && last->coefficient == 1 && symbol->kind != HD_UNKNOWN_OPERATION &&
	       (poly->count == 1 ||
		(poly->count == 2 && poly->terms[0].monomial == 0 && symbol->kind == HD_UNKNOWN_ADDRESS));
}

static bool same_key(const struct group *group, const struct hd_affine_vector *key)
{
	return memcmp(&group->key, key, sizeof(*key)) == 0;
}

static uint32_t *group_slot(const struct planner *planner, const struct hd_affine_vector *key)
{
	uint64_t hash = 0;
	for (unsigned i = 1; i < HD_INDICES; i++)
		hash = (hash ^ key->part[i]) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(hash >> 32) & (planner->group_size - 1);
	while (planner->group_slots[at] && !same_key(&planner->groups.data[planner->group_slots[at] - 1], key))
		at = (at + 1) & (planner->group_size - 1);
	return &planner->group_slots[at];
}

static void grow_group_table(struct planner *planner)
{
	planner->group_size = planner->group_size ? 2 * planner->group_size : 64;
	planner->group_slots = HD_ARENA_NEW(planner->affine->arena, uint32_t, planner->group_size);
	for (uint32_t g = 0; g < planner->groups.len; g++)
		*group_slot(planner, &planner->groups.data[g].key) = g + 1;
}

static uint32_t find_group(struct planner *planner, uint32_t vector, uint32_t constant)
{
	struct hd_affine_vector key = planner->affine->vectors[vector];
	key.part[HD_INDEX_C] = constant;
	if (2 * (planner->groups.len + 1) > planner->group_size)
		grow_group_table(planner);
	uint32_t *slot = group_slot(planner, &key);
	if (*slot)
		return *slot - 1;
	hd_vec_push(&planner->groups, (struct group){.key = key, .best = HD_LINEAR_NONE, .reg = HD_LINEAR_NONE});
	*slot = planner->groups.len;
	return planner->groups.len - 1;
}

/* One multiplication and addition in place of two additions: see struct hd_linear_offset. */
static void find_unit(struct planner *planner, struct hd_linear_offset *offset)
{
	struct hd_poly_table *polys = planner->affine->polys;
	const struct hd_range word = {INT32_MIN, INT32_MAX};
	int64_t constant;
	offset->unit = offset->step;
	if (offset->bits < 64)
		return;
	if (hd_poly_is_constant(polys, offset->step, &constant)) {
		if (constant == (int32_t)constant) {
			offset->unit = hd_poly_constant(polys, 1, 64);
			offset->factor = (int32_t)constant;
		}
		return;
	}
	for (unsigned shift = 0; shift < 31 && !offset->factor; shift++) {
		uint32_t unit = hd_poly_shift_right(polys, offset->step, shift);
		if (unit == HD_NO_POLY)
			return;
		if (!hd_range_within(hd_poly_range(polys, unit), word))
			continue;
		offset->unit = unit;
		offset->factor = (int32_t)1 << shift;
	}
}

static uint32_t intern_offset(struct planner *planner, struct hd_linear_offset offset)
{
	for (uint32_t i = planner->offsets.len; i-- > 0;) {
		const struct hd_linear_offset *other = &planner->offsets.data[i];
		if (other->loop == offset.loop && other->step == offset.step && other->start == offset.start &&
		    other->bits == offset.bits)
			return i;
	}
	find_unit(planner, &offset);
	hd_vec_push(&planner->offsets, offset);
	hd_vec_push(&planner->offset_values, 0);
	return planner->offsets.len - 1;
}

/* The factor of a loop's iteration. */
static uint32_t step_in(struct hd_affine *affine, uint32_t poly, uint32_t loop)
{
	const struct hd_poly sum = *hd_poly_get(affine->polys, poly);
	uint32_t step = HD_POLY_ZERO;
	for (uint32_t t = 0; t < sum.count; t++) {
		const struct hd_monomial product = *hd_monomial_get(affine->polys, sum.terms[t].monomial);
		uint32_t term = hd_poly_constant(affine->polys, sum.terms[t].coefficient, 64);
		bool mine = false;
		for (uint32_t s = 0; s < product.degree; s++) {
			if (product.symbols[s] == affine->loop_facts[loop].symbol)
				mine = true;
			else
				term = hd_poly_multiply(affine->polys, term,
							hd_poly_symbol(affine->polys, product.symbols[s]), 64);
		}
		if (mine)
			step = hd_poly_add(affine->polys, step, term, 64);
	}
	return step;
}

/* Outer loops first: an inner offset starts from the outer one. */
static uint32_t offset_of(struct planner *planner, uint32_t poly, uint32_t block, uint8_t bits)
{
	struct hd_affine *affine = planner->affine;
	uint32_t nest[64], depth = 0, offset = HD_LINEAR_NONE;
	if (poly == HD_POLY_ZERO)
		return HD_LINEAR_NONE;
	for (uint32_t l = affine->loops.loop_of[block]; l != HD_NO_NODE && depth < 64;
	     l = affine->loops.loops[l].parent)
		nest[depth++] = l;
	while (depth-- > 0) {
		uint32_t step = step_in(affine, poly, nest[depth]);
		if (step == HD_POLY_ZERO)
			continue;
		struct hd_linear_offset next = {.loop = nest[depth],
						.step = step,
						.scalar = HD_LINEAR_NONE,
						.start = offset};
		next.bits = bits > 32 ? 64 : 32;
		offset = intern_offset(planner, next);
	}
	return offset;
}

/* Instructions that a covered use still costs: the move of a phi's operand, the addition of an offset that is not
 * part of an address. */
static double price_of(const struct planner *planner, const struct candidate *candidate)
{
	LLVMValueRef user = planner->insts[candidate->inst];
	uint32_t block = hd_affine_block_of(planner->affine, place_of(user, candidate->operand));
	double words = candidate->bits > 32 ? 2 : 1, frequency = planner->affine->blocks[block].frequency;
	bool adds = !candidate->direct && candidate->offset != HD_LINEAR_NONE;
	return words * frequency * ((LLVMIsAPHINode(user) != NULL) + adds);
}

/* Whether the operand has a linear value that a register could supply, and which. */
static bool is_candidate(struct planner *planner, uint32_t inst, uint32_t operand, struct candidate *out)
{
	struct hd_affine *affine = planner->affine;
	LLVMValueRef user = planner->insts[inst], value = LLVMGetOperand(user, operand);
	struct hd_affine_value facts;
	if (!LLVMIsAInstruction(value) || !hd_affine_operand(affine, value, place_of(user, operand), &facts))
		return false;
	if (facts.bits != 8 && facts.bits != 16 && facts.bits != 32 && facts.bits != 64)
		return false;
	if (is_trivial(affine, facts.vector, is_memory_operand(user, operand)))
		return false;
	uint32_t constant = affine->vectors[facts.vector].part[HD_INDEX_C];
	uint32_t block = hd_affine_block_of(affine, place_of(user, operand));
	*out = (struct candidate){
		.inst = inst,
		.operand = operand,
		.group = HD_LINEAR_NONE,
		.launch = hd_poly_iterating(affine->polys, constant, false),
		.offset = offset_of(planner, hd_poly_iterating(affine->polys, constant, true), block, facts.bits),
		.bits = facts.bits,
		.direct = is_memory_operand(user, operand),
		.value = planner->share[number_of(planner, value)],
	};
	out->value -= price_of(planner, out);
	/* An address is %lr plus a coefficient or an offset, plus an immediate: what differs by more has its own %lr.
	 */
	bool moves = out->direct && out->offset != HD_LINEAR_NONE;
	if (out->launch != HD_NO_POLY && (moves || !hd_affine_is_scalar(affine, facts.vector, false)))
		out->group = find_group(planner, facts.vector,
					moves ? hd_poly_without_constant(affine->polys, out->launch) : HD_NO_POLY);
	return out->launch != HD_NO_POLY;
}

static bool is_reader(struct planner *planner, LLVMValueRef inst)
{
	struct hd_affine_value value;
	return !hd_affine_value(planner->affine, inst, &value) || value.bits == 1;
}

static void collect(struct planner *planner)
{
	struct candidate candidate;
	for (uint32_t i = 0; i < planner->inst_count; i++) {
		if (!is_reader(planner, planner->insts[i]))
			continue;
		uint32_t operands = (uint32_t)LLVMGetNumOperands(planner->insts[i]);
		for (uint32_t o = 0; o < operands; o++)
			if (is_candidate(planner, i, o, &candidate))
				hd_vec_push(&planner->candidates, candidate);
	}
}

/* ---- choice */

static double header_frequency(const struct planner *planner, uint32_t offset)
{
	uint32_t loop = planner->offsets.data[offset].loop;
	return planner->affine->blocks[planner->affine->loops.loops[loop].header].frequency;
}

/* An offset costs an addition an iteration; uses of one that saves no more are not covered. */
static bool is_worth(const struct planner *planner, uint32_t offset)
{
	if (offset == HD_LINEAR_NONE)
		return true;
	double words = planner->offsets.data[offset].bits > 32 && !planner->offsets.data[offset].factor ? 2 : 1;
	return planner->offset_values.data[offset] >= header_frequency(planner, offset) * words;
}

static void weigh_offsets(struct planner *planner)
{
	for (uint32_t c = 0; c < planner->candidates.len; c++)
		if (planner->candidates.data[c].offset != HD_LINEAR_NONE && planner->candidates.data[c].value > 0)
			planner->offset_values.data[planner->candidates.data[c].offset] +=
				planner->candidates.data[c].value;
}

/* A constant part that takes less to compute is the better base: others then differ from it by little; and of equal
 * ones the more valuable. */
static bool is_better_base(const struct planner *planner, const struct candidate *a, const struct candidate *b)
{
	uint32_t left = hd_poly_get(planner->affine->polys, a->launch)->count;
	uint32_t right = hd_poly_get(planner->affine->polys, b->launch)->count;
	return left != right ? left < right : a->value > b->value;
}

static void weigh_groups(struct planner *planner)
{
	for (uint32_t c = 0; c < planner->candidates.len; c++) {
		const struct candidate *candidate = &planner->candidates.data[c];
		if (candidate->group == HD_LINEAR_NONE || candidate->value <= 0 ||
		    !is_worth(planner, candidate->offset))
			continue;
		struct group *group = &planner->groups.data[candidate->group];
		group->value += candidate->value;
		if (group->best == HD_LINEAR_NONE ||
		    is_better_base(planner, candidate, &planner->candidates.data[group->best]))
			group->best = c;
		if (candidate->bits > group->bits)
			group->bits = candidate->bits;
	}
}

struct ranked {
	double value;
	uint32_t group;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

#define NO_ROOM (HD_LINEAR_NONE - 1)

/* The number of the part, or NO_ROOM. */
static uint32_t thread_part(struct planner *planner, const struct hd_affine_vector *key)
{
	struct hd_linear_plan *plan = planner->plan;
	struct hd_thread_part part = {key->part[HD_INDEX_TID_X], key->part[HD_INDEX_TID_Y], key->part[HD_INDEX_TID_Z]};
	if (part.x == HD_POLY_ZERO && part.y == HD_POLY_ZERO && part.z == HD_POLY_ZERO)
		return HD_LINEAR_NONE;
	for (uint32_t t = 0; t < plan->thread_part_count; t++)
		if (memcmp(&plan->thread_parts[t], &part, sizeof(part)) == 0)
			return t;
	if (plan->register_count == HD_LINEAR_REGISTERS)
		return NO_ROOM;
	plan->thread_parts[plan->thread_part_count] = part;
	return plan->thread_part_count++;
}

/* One that is there already, with the group's parts, and its base where that matters. */
static uint32_t find_register(const struct planner *planner, const struct group *group,
			      const struct hd_linear_register *wanted)
{
	const struct hd_linear_plan *plan = planner->plan;
	for (uint32_t r = 0; r < plan->register_count; r++) {
		const struct hd_linear_register *reg = &plan->registers[r];
		if (reg->thread_part == wanted->thread_part && reg->x == wanted->x && reg->y == wanted->y &&
		    reg->z == wanted->z &&
		    (group->key.part[HD_INDEX_C] == HD_NO_POLY ||
		     hd_poly_without_constant(planner->affine->polys, reg->base) == group->key.part[HD_INDEX_C]))
			return r;
	}
	return HD_LINEAR_NONE;
}

/* Where there is no room, it has none. */
static void take_register(struct planner *planner, uint32_t index)
{
	struct hd_linear_plan *plan = planner->plan;
	struct group *group = &planner->groups.data[index];
	struct hd_linear_register reg = {
		.thread_part = thread_part(planner, &group->key),
		.base = planner->candidates.data[group->best].launch,
		.x = group->key.part[HD_INDEX_CTAID_X],
		.y = group->key.part[HD_INDEX_CTAID_Y],
		.z = group->key.part[HD_INDEX_CTAID_Z],
		.bits = group->bits > 32 ? 64 : 32,
		.value = group->value,
	};
	group->reg = find_register(planner, group, &reg);
	if (group->reg != HD_LINEAR_NONE) {
		plan->registers[group->reg].value += reg.value;
		if (reg.bits > plan->registers[group->reg].bits)
			plan->registers[group->reg].bits = reg.bits;
	} else if (plan->register_count < HD_LINEAR_REGISTERS) {
		group->reg = plan->register_count;
		plan->registers[plan->register_count++] = reg;
	}
}

static void choose(struct planner *planner)
{
	struct hd_linear_plan *plan = planner->plan;
	struct ranked *ranked = HD_ARENA_NEW(planner->affine->arena, struct ranked, planner->groups.len);
	for (uint32_t g = 0; g < planner->groups.len; g++)
		if (planner->groups.data[g].value > 0)
			ranked[plan->candidates++] = (struct ranked){planner->groups.data[g].value, g};
	qsort(ranked, plan->candidates, sizeof(*ranked), by_value);
	plan->registers = HD_ARENA_NEW(planner->affine->arena, struct hd_linear_register, HD_LINEAR_REGISTERS);
	plan->thread_parts = HD_ARENA_NEW(planner->affine->arena, struct hd_thread_part, HD_LINEAR_REGISTERS);
	for (uint32_t r = 0; r < plan->candidates; r++)
		take_register(planner, ranked[r].group);
}

/* ---- covering */

static uint32_t scalar_of(struct planner *planner, uint32_t poly)
{
	struct hd_linear_plan *plan = planner->plan;
	if (poly == HD_POLY_ZERO)
		return HD_LINEAR_NONE;
	for (uint32_t s = 0; s < plan->scalar_count; s++)
		if (plan->scalars[s] == poly)
			return s;
	if (plan->scalar_count == HD_LINEAR_SCALARS)
		return HD_LINEAR_SCALARS;
	plan->scalars[plan->scalar_count] = poly;
	return plan->scalar_count++;
}

static bool fits(int64_t value)
{
	int64_t half = (int64_t)1 << (HD_LINEAR_IMM_BITS - 1);
	return value >= -half && value < half;
}

/* A constant step is an immediate, unless it is multiplied. */
static bool needs_scalar(const struct planner *planner, const struct hd_linear_offset *offset)
{
	int64_t constant;
	return offset->factor || !hd_poly_is_constant(planner->affine->polys, offset->step, &constant);
}

/* The scalars by which an offset and those that it starts from grow. False: there is no room. */
static bool step_scalars(struct planner *planner, uint32_t offset)
{
	for (; offset != HD_LINEAR_NONE; offset = planner->offsets.data[offset].start) {
		const struct hd_linear_offset *one = &planner->offsets.data[offset];
		if (needs_scalar(planner, one) && scalar_of(planner, one->unit) == HD_LINEAR_SCALARS)
			return false;
	}
	return true;
}

/* Whether the operand can be read from registers that the plan has, and how. */
static bool cover(struct planner *planner, const struct candidate *candidate, struct hd_linear_use *use)
{
	struct hd_poly_table *polys = planner->affine->polys;
	uint32_t rest = candidate->launch;
	*use = (struct hd_linear_use){planner->insts[candidate->inst],
				      candidate->operand,
				      HD_LINEAR_NONE,
				      HD_LINEAR_NONE,
				      candidate->offset,
				      0,
				      candidate->bits};
	if (candidate->value <= 0 || !is_worth(planner, candidate->offset))
		return false;
	if (candidate->group != HD_LINEAR_NONE) {
		use->reg = planner->groups.data[candidate->group].reg;
		if (use->reg == HD_LINEAR_NONE)
			return false;
		rest = hd_poly_subtract(polys, rest, planner->plan->registers[use->reg].base, candidate->bits);
	}
	if (rest == HD_NO_POLY)
		return false;
	int64_t imm = hd_poly_constant_term(polys, rest);
	if (fits(imm)) {
		rest = hd_poly_without_constant(polys, rest);
		use->imm = (int32_t)imm;
	}
	use->scalar = scalar_of(planner, rest);
	return use->scalar != HD_LINEAR_SCALARS && step_scalars(planner, use->offset);
}

static void need(struct planner *planner, LLVMValueRef value)
{
	uint32_t inst = number_of(planner, value);
	if (inst == HD_LINEAR_NONE || planner->index->needed[inst])
		return;
	planner->index->needed[inst] = true;
	hd_vec_push(&planner->work, inst);
}

/* Covers the instruction's operands as far as that goes; the others' values stay. */
static void keep(struct planner *planner, uint32_t inst)
{
	uint32_t operands = (uint32_t)LLVMGetNumOperands(planner->insts[inst]);
	for (uint32_t o = 0; o < operands; o++) {
		struct candidate candidate;
		struct hd_linear_use use;
		if (is_candidate(planner, inst, o, &candidate) && cover(planner, &candidate, &use))
			hd_vec_push(&planner->uses, use);
		else
			need(planner, LLVMGetOperand(planner->insts[inst], o));
	}
}

static void keep_what_is_needed(struct planner *planner)
{
	for (uint32_t i = 0; i < planner->inst_count; i++)
		if (is_reader(planner, planner->insts[i]))
			need(planner, planner->insts[i]);
	while (planner->work.len) {
		uint32_t inst = hd_vec_pop(&planner->work);
		keep(planner, inst);
	}
}

/* ---- the result */

struct placed_use {
	uint64_t place;
	struct hd_linear_use use;
};

static int by_place(const void *a, const void *b)
{
	const struct placed_use *x = a, *y = b;
	return (x->place > y->place) - (x->place < y->place);
}

static void order_uses(struct planner *planner)
{
	struct hd_linear_plan *plan = planner->plan;
	struct placed_use *placed = HD_ARENA_NEW(planner->affine->arena, struct placed_use, planner->uses.len);
	for (uint32_t u = 0; u < planner->uses.len; u++) {
		const struct hd_linear_use *use = &planner->uses.data[u];
		placed[u] = (struct placed_use){(uint64_t)number_of(planner, use->inst) << 32 | use->operand, *use};
	}
	qsort(placed, planner->uses.len, sizeof(*placed), by_place);
	plan->use_count = planner->uses.len;
	plan->uses = HD_ARENA_NEW(planner->affine->arena, struct hd_linear_use, plan->use_count);
	for (uint32_t u = plan->use_count; u-- > 0;) {
		plan->uses[u] = placed[u].use;
		planner->index->first_use[placed[u].place >> 32] = u + 1;
	}
}

/* A counter of the kernel itself that begins with 0. */
static LLVMValueRef equal_phi(struct planner *planner, const struct hd_linear_offset *offset)
{
	struct hd_affine *affine = planner->affine;
	uint32_t iteration = hd_poly_symbol(affine->polys, affine->loop_facts[offset->loop].symbol);
	uint32_t poly = hd_poly_multiply(affine->polys, iteration, offset->step, 64);
	LLVMValueRef inst = LLVMGetFirstInstruction(affine->loop_facts[offset->loop].header);
	for (; LLVMIsAPHINode(inst) && offset->start == HD_LINEAR_NONE; inst = LLVMGetNextInstruction(inst)) {
		struct hd_affine_value value;
		if (planner->index->needed[number_of(planner, inst)] && hd_affine_value(affine, inst, &value) &&
		    value.bits == offset->bits && hd_affine_constant_part(affine, &value, false) == poly)
			return inst;
	}
	return NULL;
}

/* Offsets that some use reads, and those that these start from; outer ones come first. */
static void keep_offsets(struct planner *planner)
{
	struct hd_linear_plan *plan = planner->plan;
	uint32_t *number = HD_ARENA_NEW(planner->affine->arena, uint32_t, planner->offsets.len);
	for (uint32_t u = 0; u < plan->use_count; u++)
		if (plan->uses[u].offset != HD_LINEAR_NONE)
			number[plan->uses[u].offset] = 1;
	for (uint32_t o = planner->offsets.len; o-- > 0;)
		if (number[o] && planner->offsets.data[o].start != HD_LINEAR_NONE)
			number[planner->offsets.data[o].start] = 1;
	plan->offsets = HD_ARENA_NEW(planner->affine->arena, struct hd_linear_offset, planner->offsets.len);
	for (uint32_t o = 0; o < planner->offsets.len; o++) {
		struct hd_linear_offset offset = planner->offsets.data[o];
		if (!number[o])
			continue;
		if (offset.start != HD_LINEAR_NONE)
			offset.start = number[offset.start];
		if (needs_scalar(planner, &offset))
			offset.scalar = scalar_of(planner, offset.unit);
		offset.phi = equal_phi(planner, &offset);
		number[o] = plan->offset_count;
		plan->offsets[plan->offset_count++] = offset;
	}
	for (uint32_t u = 0; u < plan->use_count; u++)
		if (plan->uses[u].offset != HD_LINEAR_NONE)
			plan->uses[u].offset = number[plan->uses[u].offset];
}

static void summarise(struct planner *planner)
{
	struct hd_linear_plan *plan = planner->plan;
	double all = 0, removed = 0;
	for (uint32_t i = 0; i < planner->inst_count; i++) {
		double frequency = planner->affine->blocks[planner->block_of[i]].frequency;
		all += frequency;
		removed += planner->index->needed[i] ? 0 : frequency;
		plan->removed += !planner->index->needed[i];
	}
	plan->removed_share = all > 0 ? removed / all : 0;
	for (uint32_t u = 0; u < plan->use_count; u++) {
		const struct hd_linear_use *use = &plan->uses[u];
		struct hd_affine_value value;
		if (hd_affine_value(planner->affine, LLVMGetOperand(use->inst, use->operand), &value))
			plan->conditions |= value.conditions;
		if (use->reg != HD_LINEAR_NONE)
			plan->registers[use->reg].uses++;
	}
}

struct hd_linear_plan *hd_linear_plan_compute(struct hd_affine *affine)
{
	struct hd_linear_plan *plan = HD_ARENA_NEW(affine->arena, struct hd_linear_plan, 1);
	struct planner planner = {.affine = affine, .plan = plan};
	plan->affine = affine;
	plan->index = planner.index = HD_ARENA_NEW(affine->arena, struct hd_linear_index, 1);
	plan->scalars = HD_ARENA_NEW(affine->arena, uint32_t, HD_LINEAR_SCALARS);
	number_instructions(&planner);
	share_costs(&planner);
	collect(&planner);
	weigh_offsets(&planner);
	weigh_groups(&planner);
	choose(&planner);
	keep_what_is_needed(&planner);
	order_uses(&planner);
	keep_offsets(&planner);
	summarise(&planner);
	hd_vec_release(&planner.candidates);
	hd_vec_release(&planner.groups);
	hd_vec_release(&planner.offsets);
	hd_vec_release(&planner.offset_values);
	hd_vec_release(&planner.work);
	hd_vec_release(&planner.uses);
	return plan;
}

const struct hd_linear_use *hd_linear_use(const struct hd_linear_plan *plan, LLVMValueRef inst, uint32_t operand)
{
	uint32_t number, u;
	if (!hd_ptr_table_get(&plan->index->insts, inst, &number) || !plan->index->first_use[number])
		return NULL;
	for (u = plan->index->first_use[number] - 1; u < plan->use_count && plan->uses[u].inst == inst; u++)
		if (plan->uses[u].operand == operand)
			return &plan->uses[u];
	return NULL;
}

bool hd_linear_is_removed(const struct hd_linear_plan *plan, LLVMValueRef inst)
{
	uint32_t number;
	return hd_ptr_table_get(&plan->index->insts, inst, &number) && !plan->index->needed[number];
}
