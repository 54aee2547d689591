/*
 * Loop offsets of a decoupled kernel (r2d2-isca23 3.1.2): what iterations add to linear values stands in registers that
 * count up in the loop, shared by all uses that move alike. An offset costs an addition an iteration and has to save
 * more. Those that the kernel counts itself are its own PHIs.
 *
 * Needs the planner's candidates (linear_plan.c). Linear in offsets and loops' depth.
 */
#include "passes/affine/linear_plan_internal.h"

/* One multiplication and addition in place of two additions: see struct hd_linear_offset. */
static void find_unit(struct hd_planner *planner, struct hd_linear_offset *offset)
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

static uint32_t intern_offset(struct hd_planner *planner, struct hd_linear_offset offset)
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
uint32_t hd_plan_offset(struct hd_planner *planner, uint32_t poly, uint32_t block, uint8_t bits)
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

static double header_frequency(const struct hd_planner *planner, uint32_t offset)
{
	uint32_t loop = planner->offsets.data[offset].loop;
	return planner->affine->blocks[planner->affine->loops.loops[loop].header].frequency;
}

/* An offset costs an addition an iteration; uses of one that saves no more are not covered. */
bool hd_plan_is_worth(const struct hd_planner *planner, uint32_t offset)
{
	if (offset == HD_LINEAR_NONE)
		return true;
	double words = planner->offsets.data[offset].bits > 32 && !planner->offsets.data[offset].factor ? 2 : 1;
	return planner->offset_values.data[offset] >= header_frequency(planner, offset) * words;
}

void hd_plan_weigh_offsets(struct hd_planner *planner)
{
	for (uint32_t c = 0; c < planner->candidates.len; c++)
		if (planner->candidates.data[c].offset != HD_LINEAR_NONE && planner->candidates.data[c].value > 0)
			planner->offset_values.data[planner->candidates.data[c].offset] +=
				planner->candidates.data[c].value;
}

/* A constant step is an immediate, unless it is multiplied. */
static bool needs_scalar(const struct hd_planner *planner, const struct hd_linear_offset *offset)
{
	int64_t constant;
	return offset->factor || !hd_poly_is_constant(planner->affine->polys, offset->step, &constant);
}

/* The scalars by which an offset and those that it starts from grow. False: there is no room. */
bool hd_plan_step_scalars(struct hd_planner *planner, uint32_t offset)
{
	for (; offset != HD_LINEAR_NONE; offset = planner->offsets.data[offset].start) {
		const struct hd_linear_offset *one = &planner->offsets.data[offset];
		if (needs_scalar(planner, one) && hd_plan_scalar(planner, one->unit) == HD_LINEAR_SCALARS)
			return false;
	}
	return true;
}

/* A counter of the kernel itself that begins with 0. */
static LLVMValueRef equal_phi(struct hd_planner *planner, const struct hd_linear_offset *offset)
{
	struct hd_affine *affine = planner->affine;
	uint32_t iteration = hd_poly_symbol(affine->polys, affine->loop_facts[offset->loop].symbol);
	uint32_t poly = hd_poly_multiply(affine->polys, iteration, offset->step, 64);
	LLVMValueRef inst = LLVMGetFirstInstruction(affine->loop_facts[offset->loop].header);
	if (poly == HD_NO_POLY)
		return NULL;
	for (; LLVMIsAPHINode(inst) && offset->start == HD_LINEAR_NONE; inst = LLVMGetNextInstruction(inst)) {
		struct hd_affine_value value;
		if (planner->index->needed[hd_plan_number(planner, inst)] && hd_affine_value(affine, inst, &value) &&
		    value.bits == offset->bits && hd_affine_constant_part(affine, &value, false) == poly)
			return inst;
	}
	return NULL;
}

/* Offsets that some use reads, and those that these start from; outer ones come first. */
void hd_plan_keep_offsets(struct hd_planner *planner)
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
			offset.scalar = hd_plan_scalar(planner, offset.unit);
		offset.phi = equal_phi(planner, &offset);
		number[o] = plan->offset_count;
		plan->offsets[plan->offset_count++] = offset;
	}
	for (uint32_t u = 0; u < plan->use_count; u++)
		if (plan->uses[u].offset != HD_LINEAR_NONE)
			plan->uses[u].offset = number[plan->uses[u].offset];
}
