/*
 * Registers of a linear version (r2d2-isca23, 3.2, 3.3): which polynomials can be computed at launch, the numbers of
 * linear, thread-index and coefficient registers, and the launch conditions in the object's form.
 *
 * Coefficient registers hold, in this order: the scalars that operands and loop steps read; the runs of block-index
 * parts, one register a linear register; coefficients of thread-index parts that are no immediates.
 * Near linear in the plan.
 */
#include "passes/linear/linear.h"

#include "passes/affine/symbolic_table.h"

/* ------------------------------------------------------------------ what can be computed */

static bool symbol_computable(const struct hd_linear_layout *layout, const struct hd_unknown *symbol)
{
	if (symbol->kind != HD_UNKNOWN_OPERATION)
		return symbol->kind != HD_UNKNOWN_ITERATION;
	/* Divisions would take a loop or a call. */
	if (symbol->op >= HD_UNIFORM_UDIV && symbol->op <= HD_UNIFORM_SREM)
		return false;
	for (unsigned i = 0; i < hd_uniform_operands(symbol->op); i++)
		if (!layout->computable[symbol->args[i]])
			return false;
	return true;
}

/* Polynomials are numbered after what they are made of. */
static void find_computable(struct hd_linear_layout *layout, struct hd_arena *arena)
{
	const struct hd_poly_table *polys = layout->plan->affine->polys;
	uint32_t count = hd_poly_count(polys);
	layout->computable = HD_ARENA_NEW(arena, bool, count + 1);
	for (uint32_t p = 0; p < count; p++) {
		const struct hd_poly *poly = hd_poly_get(polys, p);
		bool all = true;
		for (uint32_t t = 0; t < poly->count && all; t++) {
			const struct hd_monomial *monomial = hd_monomial_get(polys, poly->terms[t].monomial);
			for (uint32_t s = 0; s < monomial->degree && all; s++)
				all = symbol_computable(layout, hd_unknown_get(polys, monomial->symbols[s]));
		}
		layout->computable[p] = all;
	}
}

/* ------------------------------------------------------------------ numbers */

static bool thread_part_computable(const struct hd_linear_layout *layout, uint32_t part)
{
	if (part == HD_LINEAR_NONE)
		return true;
	const struct hd_thread_part *thread = &layout->plan->thread_parts[part];
	return layout->computable[thread->x] && layout->computable[thread->y] && layout->computable[thread->z];
}

static uint8_t thread_number(struct hd_linear_layout *layout, uint32_t part)
{
	if (part == HD_LINEAR_NONE)
		return HD_LR_NO_THREAD;
	for (uint32_t i = 0; i < layout->thread_count; i++)
		if (layout->threads[i] == part)
			return (uint8_t)i;
	layout->threads[layout->thread_count] = part;
	return (uint8_t)layout->thread_count++;
}

static void number_registers(struct hd_linear_layout *layout)
{
	const struct hd_linear_plan *plan = layout->plan;
	for (uint32_t r = 0; r < plan->register_count && layout->linear_count < HD_LR_COUNT; r++) {
		const struct hd_linear_register *reg = &plan->registers[r];
		if (!layout->computable[reg->base] || !layout->computable[reg->x] || !layout->computable[reg->y] ||
		    !layout->computable[reg->z] || !thread_part_computable(layout, reg->thread_part))
			continue;
		layout->select->reg_of[r] = (uint8_t)layout->linear_count;
		layout->thread_of[layout->linear_count] = thread_number(layout, reg->thread_part);
		layout->linears[layout->linear_count++] = r;
	}
}

static void number_scalars(struct hd_linear_layout *layout)
{
	/* Room for the runs and for three coefficients of each thread-index part. */
	uint32_t most = HD_MOST_COEFFICIENTS - HD_RUNS * HD_LR_COUNT - 3 * HD_LR_COUNT;

	for (uint32_t s = 0; s < layout->plan->scalar_count && layout->coefficient_count < most; s++) {
		if (!layout->computable[layout->plan->scalars[s]])
			continue;
		layout->select->coefficient_of[s] = (uint8_t)layout->coefficient_count;
		layout->coefficients[layout->coefficient_count++] = layout->plan->scalars[s];
	}
}

static uint32_t run_poly(const struct hd_linear_layout *layout, unsigned run, uint32_t linear)
{
	const struct hd_linear_register *reg = &layout->plan->registers[layout->linears[linear]];
	const uint32_t polys[HD_RUNS] = {reg->base, reg->x, reg->y, reg->z};
	return polys[run];
}

static void number_runs(struct hd_linear_layout *layout)
{
	for (unsigned run = 0; run < HD_RUNS; run++) {
		bool zero = true;
		layout->run[run] = HD_RZ;
		for (uint32_t i = 0; i < layout->linear_count; i++)
			zero = zero && run_poly(layout, run, i) == HD_POLY_ZERO;
		if (zero)
			continue;
		layout->run[run] = (uint8_t)layout->coefficient_count;
		for (uint32_t i = 0; i < layout->linear_count; i++)
			layout->coefficients[layout->coefficient_count++] = run_poly(layout, run, i);
	}
}

static void number_thread_coefficients(struct hd_linear_layout *layout)
{
	for (uint32_t t = 0; t < layout->thread_count; t++) {
		const struct hd_thread_part *part = &layout->plan->thread_parts[layout->threads[t]];
		const uint32_t polys[] = {part->x, part->y, part->z};
		for (unsigned i = 0; i < 3; i++) {
			int64_t value;
			if (!hd_poly_is_constant(layout->plan->affine->polys, polys[i], &value) &&
			    hd_linear_coefficient(layout, polys[i]) == HD_RZ)
				layout->coefficients[layout->coefficient_count++] = polys[i];
		}
	}
}

static void find_offsets(struct hd_linear_layout *layout)
{
	const struct hd_linear_plan *plan = layout->plan;
	for (uint32_t o = 0; o < plan->offset_count; o++) {
		const struct hd_linear_offset *offset = &plan->offsets[o];
		bool step = offset->scalar == HD_LINEAR_NONE || layout->select->coefficient_of[offset->scalar] != HD_RZ;
		layout->select->offset_ok[o] = step && (offset->start == HD_LINEAR_NONE ||
							(layout->select->offset_ok[offset->start] &&
							 plan->offsets[offset->start].bits >= offset->bits));
	}
}

uint8_t hd_linear_coefficient(const struct hd_linear_layout *layout, uint32_t poly)
{
	for (uint32_t i = 0; i < layout->coefficient_count; i++)
		if (layout->coefficients[i] == poly)
			return (uint8_t)i;
	return HD_RZ;
}

bool hd_linear_layout_make(struct hd_linear_layout *layout, struct hd_unit *unit, const struct hd_linear_plan *plan,
			   struct hd_arena *arena)
{
	*layout = (struct hd_linear_layout){.unit = unit, .plan = plan};
	layout->select = hd_select_linear_new(arena, plan);
	memset(layout->thread_of, HD_LR_NO_THREAD, sizeof layout->thread_of);
	find_computable(layout, arena);
	number_registers(layout);
	number_scalars(layout);
	number_runs(layout);
	number_thread_coefficients(layout);
	find_offsets(layout);
	return layout->linear_count || layout->coefficient_count;
}

/* ------------------------------------------------------------------ conditions */

struct program {
	const struct hd_affine *affine;
	HD_VEC(int64_t) words;
	uint32_t depth; /* of loops inside loops */
	uint32_t top;	/* values on the stack */
	bool failed;
};

static void put(struct program *program, enum hd_check_op op)
{
	hd_vec_push(&program->words, op);
	program->top -= op != HD_CHECK_UP_TO;
}

static void put_with(struct program *program, enum hd_check_op op, int64_t operand)
{
	hd_vec_push(&program->words, op);
	hd_vec_push(&program->words, operand);
	program->top += op == HD_CHECK_OPERATION ? 1 - hd_uniform_operands(operand & 0xff) : 1;
	program->failed |= program->top >= HD_CHECK_DEPTH;
}

static void put_poly(struct program *program, uint32_t poly);

static void put_symbol(struct program *program, const struct hd_unknown *symbol)
{
	if (symbol->kind == HD_UNKNOWN_BANK) {
		put_with(program, symbol->bits == 64 ? HD_CHECK_BANK64 : HD_CHECK_BANK32, symbol->offset);
	} else if (symbol->kind == HD_UNKNOWN_ITERATION && program->depth < 4) {
		program->depth++;
		put_poly(program, program->affine->loop_facts[symbol->offset].most);
		program->depth--;
		put(program, HD_CHECK_UP_TO);
	} else if (symbol->kind == HD_UNKNOWN_OPERATION) {
		for (unsigned i = 0; i < hd_uniform_operands(symbol->op); i++)
			put_poly(program, symbol->args[i]);
		put_with(program, HD_CHECK_OPERATION, symbol->op | symbol->from << 8 | symbol->bits << 16);
	} else {
		program->failed = true;
	}
}

static void put_poly(struct program *program, uint32_t poly)
{
	const struct hd_poly_table *polys = program->affine->polys;
	put_with(program, HD_CHECK_CONSTANT, 0);
	if (poly == HD_NO_POLY) {
		program->failed = true;
		return;
	}
	for (uint32_t t = 0; t < hd_poly_get(polys, poly)->count; t++) {
		const struct hd_term *term = &hd_poly_get(polys, poly)->terms[t];
		const struct hd_monomial *monomial = hd_monomial_get(polys, term->monomial);
		put_with(program, HD_CHECK_CONSTANT, term->coefficient);
		for (uint32_t s = 0; s < monomial->degree; s++) {
			put_symbol(program, hd_unknown_get(polys, monomial->symbols[s]));
			put(program, HD_CHECK_MULTIPLY);
		}
		put(program, HD_CHECK_ADD);
	}
}

static void put_vector(struct program *program, const struct hd_affine_vector *vector)
{
	put_poly(program, vector->part[HD_INDEX_C]);
	for (unsigned i = HD_INDEX_TID_X; i < HD_INDICES; i++) {
		if (vector->part[i] == HD_POLY_ZERO)
			continue;
		put_poly(program, vector->part[i]);
		put_with(program, HD_CHECK_INDEX, i - HD_INDEX_TID_X);
		put(program, HD_CHECK_MULTIPLY);
		put(program, HD_CHECK_ADD);
	}
}

int hd_linear_checks(const struct hd_linear_plan *plan, struct hd_linear *linear, struct hd_arena *arena)
{
	uint32_t count = (uint32_t)__builtin_popcountll(plan->conditions);
	bool failed = false;
	linear->checks = HD_ARENA_NEW(arena, struct hd_linear_check, count + 1);
	for (uint64_t left = plan->conditions; left; left &= left - 1) {
		const struct hd_affine_condition *condition = &plan->affine->conditions.data[__builtin_ctzll(left)];
		struct hd_linear_check *check = &linear->checks[linear->check_count++];
		struct program program = {.affine = plan->affine};
		put_vector(&program, hd_affine_vector(plan->affine, condition->vector));
		check->low = condition->low;
		check->high = condition->high;
		check->count = program.words.len;
		check->words = HD_ARENA_NEW(arena, int64_t, program.words.len);
		memcpy(check->words, program.words.data, program.words.len * sizeof *check->words);
		hd_vec_release(&program.words);
		failed |= program.failed;
	}
	return failed ? -1 : 0;
}
