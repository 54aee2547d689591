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
#include <stdlib.h>
#include <string.h>

#include "passes/affine/linear_plan_internal.h"

/* ---- instructions */

static void number_instructions(struct hd_planner *planner)
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
	planner->index->insts.arena = affine->arena;
	hd_map_reserve(&planner->index->insts, count);
	planner->index->needed = HD_ARENA_NEW(affine->arena, bool, count);
	planner->index->first_use = HD_ARENA_NEW(affine->arena, uint32_t, count);
	for (uint32_t b = 0; b < affine->graph.nodes; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(affine->blocks[b].block); i;
		     i = LLVMGetNextInstruction(i)) {
			hd_map_put(&planner->index->insts, i, next, 0);
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
	case LLVMXor: return wide ? 2 : 1;
	case LLVMMul: return wide ? 3 : 1;
	case LLVMSExt:
	case LLVMCall: return 1;
	case LLVMGetElementPtr: {
		/* A constant offset goes into the memory operand; an index is multiplied and added in one. */
		bool constant = true;
		for (int i = 1; i < LLVMGetNumOperands(inst); i++)
			constant &= LLVMIsConstant(LLVMGetOperand(inst, (unsigned)i));
		return constant ? 0 : 1;
	}
	default: return 0;
	}
}

static uint32_t count_uses(LLVMValueRef value)
{
	uint32_t count = 0;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
		count++;
	return count;
}

/* An instruction's number, HD_LINEAR_NONE for what was not there when the plan was made. */
static uint32_t number_of(const struct hd_linear_index *index, LLVMValueRef inst)
{
	const struct hd_map_entry *entry = hd_map_get(&index->insts, inst);
	return entry ? entry->start : HD_LINEAR_NONE;
}

uint32_t hd_plan_number(const struct hd_planner *planner, LLVMValueRef value)
{
	return LLVMIsAInstruction(value) ? number_of(planner->index, value) : HD_LINEAR_NONE;
}

static bool is_loop_carried(const struct hd_affine *affine, LLVMValueRef inst, const struct hd_affine_value *value)
{
	uint32_t loops[HD_POLY_TERMS];
	return LLVMIsAPHINode(inst) && hd_affine_iterations(affine, value->vector, loops);
}

/* In reverse post-order, so that operands come first but for those around a loop: what moves a loop's value on counts
 * for its phi, and the move is none of its readers. */
static void share_costs(struct hd_planner *planner)
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
				uint32_t operand = hd_plan_number(planner, LLVMGetOperand(inst, (unsigned)i));
				sum += operand == HD_LINEAR_NONE ? 0 : planner->share[operand];
			}
			uint32_t uses = count_uses(inst);
			if (is_loop_carried(affine, inst, &value)) {
				sum += (value.bits > 32 ? 2 : 1) * frequency;
				uses -= uses > 1;
			}
			planner->share[hd_plan_number(planner, inst)] = uses ? sum / uses : 0;
		}
	}
}

/* ---- candidates */

static bool is_memory_operand(LLVMValueRef inst, uint32_t operand)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return operand == 0;
	case LLVMStore: return operand == 1;
	default: return false;
	}
}

static LLVMBasicBlockRef place_of(LLVMValueRef inst, uint32_t operand)
{
	return LLVMIsAPHINode(inst) ? LLVMGetIncomingBlock(inst, operand) : LLVMGetInstructionParent(inst);
}

/* What stands in the constant bank, or in the instruction, needs no register: one symbol or none, plus a constant. */
static bool is_trivial(const struct hd_affine *affine, uint32_t vector, bool direct)
{
	const struct hd_poly *poly = hd_poly_get(affine->polys, affine->vectors.data[vector].part[HD_INDEX_C]);
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

static bool same_key(const struct hd_group *group, const struct hd_affine_vector *key)
{
	return memcmp(&group->key, key, sizeof(*key)) == 0;
}

static uint32_t find_group(struct hd_planner *planner, uint32_t vector, uint32_t constant)
{
	struct hd_affine_vector key = planner->affine->vectors.data[vector];
	struct hd_hash_slot *slot;
	uint64_t hash = 0;
	key.part[HD_INDEX_C] = constant;
	for (unsigned i = 1; i < HD_INDICES; i++)
		hash = hd_hash_mix(hash, key.part[i]);
	HD_HASH_FIND(slot, &planner->group_ids, hash, same_key(&planner->groups.data[slot->id], &key));
	if (hd_hash_found(slot))
		return slot->id;
	hd_hash_set_put(&planner->group_ids, slot, hash, planner->groups.len);
	hd_vec_push(&planner->groups, (struct hd_group){.key = key, .best = HD_LINEAR_NONE, .reg = HD_LINEAR_NONE});
	return planner->groups.len - 1;
}

/* Instructions that a covered use still costs: the move of a phi's operand, the addition of an offset that is not
 * part of an address. */
static double price_of(const struct hd_planner *planner, const struct hd_candidate *candidate)
{
	LLVMValueRef user = planner->insts[candidate->inst];
	uint32_t block = hd_affine_block_of(planner->affine, place_of(user, candidate->operand));
	double words = candidate->bits > 32 ? 2 : 1, frequency = planner->affine->blocks[block].frequency;
	bool adds = !candidate->direct && candidate->offset != HD_LINEAR_NONE;
	return words * frequency * ((LLVMIsAPHINode(user) != NULL) + adds);
}

/* Whether the operand has a linear value that a register could supply, and which. */
static bool is_candidate(struct hd_planner *planner, uint32_t inst, uint32_t operand, struct hd_candidate *out)
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
	uint32_t constant = affine->vectors.data[facts.vector].part[HD_INDEX_C];
	uint32_t block = hd_affine_block_of(affine, place_of(user, operand));
	*out = (struct hd_candidate){
		.inst = inst,
		.operand = operand,
		.group = HD_LINEAR_NONE,
		.launch = hd_poly_iterating(affine->polys, constant, false),
		.offset = hd_plan_offset(planner, hd_poly_iterating(affine->polys, constant, true), block, facts.bits),
		.bits = facts.bits,
		.direct = is_memory_operand(user, operand),
		.value = planner->share[hd_plan_number(planner, value)],
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

static bool is_reader(struct hd_planner *planner, LLVMValueRef inst)
{
	struct hd_affine_value value;
	return !hd_affine_value(planner->affine, inst, &value) || value.bits == 1;
}

static void collect(struct hd_planner *planner)
{
	struct hd_candidate candidate;
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

/* A constant part that takes less to compute is the better base: others then differ from it by little; and of equal
 * ones the more valuable. */
static bool is_better_base(const struct hd_planner *planner, const struct hd_candidate *a, const struct hd_candidate *b)
{
	uint32_t left = hd_poly_get(planner->affine->polys, a->launch)->count;
	uint32_t right = hd_poly_get(planner->affine->polys, b->launch)->count;
	return left != right ? left < right : a->value > b->value;
}

static void weigh_groups(struct hd_planner *planner)
{
	for (uint32_t c = 0; c < planner->candidates.len; c++) {
		const struct hd_candidate *candidate = &planner->candidates.data[c];
		if (candidate->group == HD_LINEAR_NONE || candidate->value <= 0 ||
		    !hd_plan_is_worth(planner, candidate->offset))
			continue;
		struct hd_group *group = &planner->groups.data[candidate->group];
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
static uint32_t thread_part(struct hd_planner *planner, const struct hd_affine_vector *key)
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
static uint32_t find_register(const struct hd_planner *planner, const struct hd_group *group,
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
static void take_register(struct hd_planner *planner, uint32_t index)
{
	struct hd_linear_plan *plan = planner->plan;
	struct hd_group *group = &planner->groups.data[index];
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

static void choose(struct hd_planner *planner)
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

uint32_t hd_plan_scalar(struct hd_planner *planner, uint32_t poly)
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

/* Whether the operand can be read from registers that the plan has, and how. */
static bool cover(struct hd_planner *planner, const struct hd_candidate *candidate, struct hd_linear_use *use)
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
	if (candidate->value <= 0 || !hd_plan_is_worth(planner, candidate->offset))
		return false;
	if (candidate->group != HD_LINEAR_NONE) {
		use->reg = planner->groups.data[candidate->group].reg;
		if (use->reg == HD_LINEAR_NONE)
			return false;
		rest = hd_poly_subtract(polys, rest, planner->plan->registers[use->reg].base, candidate->bits);
	}
	if (rest == HD_NO_POLY)
		return false;
	/* Memory operands and the additions of offsets have room for an immediate; elsewhere it is an addition. */
	bool has_room = candidate->direct || candidate->offset != HD_LINEAR_NONE ||
			planner->plan->scalar_count == HD_LINEAR_SCALARS;
	int64_t imm = hd_poly_constant_term(polys, rest);
	if (fits(imm) && has_room) {
		rest = hd_poly_without_constant(polys, rest);
		use->imm = (int32_t)imm;
	}
	use->scalar = hd_plan_scalar(planner, rest);
	return use->scalar != HD_LINEAR_SCALARS && hd_plan_step_scalars(planner, use->offset);
}

static void need(struct hd_planner *planner, LLVMValueRef value)
{
	uint32_t inst = hd_plan_number(planner, value);
	if (inst == HD_LINEAR_NONE || planner->index->needed[inst])
		return;
	planner->index->needed[inst] = true;
	hd_vec_push(&planner->work, inst);
}

/* Covers the instruction's operands as far as that goes; the others' values stay. */
static void keep(struct hd_planner *planner, uint32_t inst)
{
	uint32_t operands = (uint32_t)LLVMGetNumOperands(planner->insts[inst]);
	for (uint32_t o = 0; o < operands; o++) {
		struct hd_candidate candidate;
		struct hd_linear_use use;
		if (is_candidate(planner, inst, o, &candidate) && cover(planner, &candidate, &use))
			hd_vec_push(&planner->uses, use);
		else
			need(planner, LLVMGetOperand(planner->insts[inst], o));
	}
}

static void keep_what_is_needed(struct hd_planner *planner)
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

static void order_uses(struct hd_planner *planner)
{
	struct hd_linear_plan *plan = planner->plan;
	struct placed_use *placed = HD_ARENA_NEW(planner->affine->arena, struct placed_use, planner->uses.len);
	for (uint32_t u = 0; u < planner->uses.len; u++) {
		const struct hd_linear_use *use = &planner->uses.data[u];
		placed[u] =
			(struct placed_use){(uint64_t)hd_plan_number(planner, use->inst) << 32 | use->operand, *use};
	}
	qsort(placed, planner->uses.len, sizeof(*placed), by_place);
	plan->use_count = planner->uses.len;
	plan->uses = HD_ARENA_NEW(planner->affine->arena, struct hd_linear_use, plan->use_count);
	for (uint32_t u = plan->use_count; u-- > 0;) {
		plan->uses[u] = placed[u].use;
		planner->index->first_use[placed[u].place >> 32] = u + 1;
	}
}

static void summarise(struct hd_planner *planner)
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
	struct hd_planner planner = {.affine = affine, .plan = plan, .group_ids = {.arena = affine->arena}};
	plan->affine = affine;
	plan->index = planner.index = HD_ARENA_NEW(affine->arena, struct hd_linear_index, 1);
	plan->scalars = HD_ARENA_NEW(affine->arena, uint32_t, HD_LINEAR_SCALARS);
	number_instructions(&planner);
	share_costs(&planner);
	collect(&planner);
	hd_plan_weigh_offsets(&planner);
	weigh_groups(&planner);
	choose(&planner);
	keep_what_is_needed(&planner);
	order_uses(&planner);
	hd_plan_keep_offsets(&planner);
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
	uint32_t number = number_of(plan->index, inst), u;
	if (number == HD_LINEAR_NONE || !plan->index->first_use[number])
		return NULL;
	for (u = plan->index->first_use[number] - 1; u < plan->use_count && plan->uses[u].inst == inst; u++)
		if (plan->uses[u].operand == operand)
			return &plan->uses[u];
	return NULL;
}
