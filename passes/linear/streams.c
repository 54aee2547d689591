/*
 * The linear streams of a kernel (r2d2-isca23, 3.2, Figure 9) as straight-line code in SSA form:
 *
 *   coefficients       each polynomial from parameters and launch dimensions; common monomials once
 *   thread-index part  x * tid.x + y * tid.y + z * tid.z
 *   block-index part   lane n makes that of linear register n: the base, and ctaid times its coefficients
 *
 * Values are 64 bits wide and right modulo 2^64. Linear in the terms of the polynomials.
 */
#include "heddle/opcodes.h"
#include "passes/linear/linear.h"

#include "passes/affine/symbolic_table.h"

/* ------------------------------------------------------------------ coefficients */

static const struct hd_mreg nothing = {HD_RZ, 0, 2}; /* a sum of no terms */

/* sum + a * b modulo 2^64, where one of the two is a word, which then stands there twice: for the other's low word and
 * for its high one. */
static struct hd_mreg add_words(struct hd_select *sel, struct hd_mreg sum, const struct hd_opnd a[2],
				const struct hd_opnd b[2])
{
	struct hd_mreg low = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, a[0], b[0], hd_reg(sum));
	struct hd_mreg high = hd_sel_alu(sel, HD_OP_IMAD, 0, a[1], b[1], hd_reg(hd_sub(low, 1, 1)));
	return hd_sel_pair(sel, hd_reg(hd_sub(low, 0, 1)), hd_reg(high));
}

struct maker {
	struct hd_select *sel;
	const struct hd_linear_plan *plan;
	const struct hd_poly_table *polys;
	/* what has been computed, by id; words 0: not yet */
	struct hd_leaf *unknowns, *monomials, *done;
};

static struct hd_leaf poly_leaf(struct maker *maker, uint32_t poly);

/* The low `from` bits as a 64-bit number. */
static struct hd_leaf widened(struct maker *maker, struct hd_leaf leaf, unsigned from, bool is_signed)
{
	if (from >= 64)
		return leaf;
	if (from <= 32 && leaf.kind != HD_LEAF_IMM)
		leaf = hd_leaf_reg(hd_sel_opnd_reg(maker->sel, hd_sel_word(maker->sel, &leaf, 0), 1));
	return hd_sel_extend_leaf(maker->sel, leaf, from, 64, is_signed);
}

static bool reads_signed(unsigned op)
{
	switch (op) {
	case HD_UNIFORM_SEXT:
	case HD_UNIFORM_ASHR:
	case HD_UNIFORM_SMIN:
	case HD_UNIFORM_SMAX:
	case HD_UNIFORM_SLT:
	case HD_UNIFORM_SLE: return true;
	default: return false;
	}
}

static struct hd_leaf logic(struct maker *maker, unsigned lut, struct hd_leaf a, struct hd_leaf b)
{
	struct hd_opnd words[2];
	for (unsigned i = 0; i < 2; i++)
		words[i] = hd_reg(hd_sel_logic(maker->sel, lut, hd_sel_word(maker->sel, &a, i),
					       hd_sel_word(maker->sel, &b, i), hd_none()));
	return hd_leaf_reg(hd_sel_pair(maker->sel, words[0], words[1]));
}

static struct hd_leaf compared(struct maker *maker, unsigned op, struct hd_leaf a, struct hd_leaf b)
{
	static const uint8_t cmp[] = {
		[HD_UNIFORM_EQ] = HD_CMP_EQ,  [HD_UNIFORM_NE] = HD_CMP_NE,  [HD_UNIFORM_ULT] = HD_CMP_LT,
		[HD_UNIFORM_ULE] = HD_CMP_LE, [HD_UNIFORM_SLT] = HD_CMP_LT, [HD_UNIFORM_SLE] = HD_CMP_LE,
	};
	struct hd_leaf result = hd_sel_cmp(maker->sel, cmp[op], reads_signed(op), a, b, 64);
	return hd_leaf_reg(hd_sel_pair(maker->sel, hd_sel_bool_word(maker->sel, result, 1), hd_rz()));
}

static struct hd_leaf operation(struct maker *maker, unsigned op, const struct hd_leaf in[3])
{
	struct hd_select *sel = maker->sel;
	switch (op) {
	case HD_UNIFORM_ZEXT:
	case HD_UNIFORM_SEXT: return in[0];
	case HD_UNIFORM_POW2: return hd_sel_shift_leaf(sel, LLVMShl, hd_leaf_imm(1, 2), in[0], 64);
	case HD_UNIFORM_AND: return logic(maker, HD_LUT_A & HD_LUT_B, in[0], in[1]);
	case HD_UNIFORM_OR: return logic(maker, HD_LUT_A | HD_LUT_B, in[0], in[1]);
	case HD_UNIFORM_XOR: return logic(maker, HD_LUT_A ^ HD_LUT_B, in[0], in[1]);
	case HD_UNIFORM_LSHR: return hd_sel_shift_leaf(sel, LLVMLShr, in[0], in[1], 64);
	case HD_UNIFORM_ASHR: return hd_sel_shift_leaf(sel, LLVMAShr, in[0], in[1], 64);
	case HD_UNIFORM_SMIN:
	case HD_UNIFORM_SMAX:
	case HD_UNIFORM_UMIN:
	case HD_UNIFORM_UMAX:
		return hd_sel_minmax(sel, op == HD_UNIFORM_SMAX || op == HD_UNIFORM_UMAX, reads_signed(op), in[0],
				     in[1], 64);
	case HD_UNIFORM_SELECT:
		return hd_sel_select_leaf(sel,
					  hd_sel_pred(sel,
						      hd_sel_cmp(sel, HD_CMP_NE, false, in[0], hd_leaf_imm(0, 2), 64)),
					  in[1], in[2]);
	default: return compared(maker, op, in[0], in[1]);
	}
}

static struct hd_leaf operation_leaf(struct maker *maker, const struct hd_unknown *unknown)
{
	unsigned count = hd_uniform_operands(unknown->op);
	struct hd_leaf in[3] = {{0}};
	for (unsigned i = 0; i < count; i++)
		in[i] = widened(maker, poly_leaf(maker, unknown->args[i]), unknown->from, reads_signed(unknown->op));
	struct hd_leaf out = operation(maker, unknown->op, in);
	/* Comparisons are 0 or 1 as they are. */
	return unknown->bits == 1 ? out : widened(maker, out, unknown->bits, true);
}

static struct hd_leaf unknown_leaf(struct maker *maker, uint32_t id)
{
	const struct hd_unknown *unknown = hd_unknown_get(maker->polys, id);
	struct hd_leaf leaf = {.kind = HD_LEAF_BANK, .words = unknown->bits == 64 ? 2 : 1, .id = unknown->offset};
	switch (unknown->kind) {
	case HD_UNKNOWN_BANK: return widened(maker, leaf, unknown->bits, true);
	case HD_UNKNOWN_ADDRESS:
		leaf = hd_sel_leaf(maker->sel, maker->plan->affine->variables.data[unknown->offset], 0);
		return widened(maker, leaf, unknown->bits, false);
	default: return operation_leaf(maker, unknown);
	}
}

static struct hd_leaf remember(struct maker *maker, struct hd_leaf *place, struct hd_leaf leaf)
{
	*place = leaf.kind == HD_LEAF_IMM ? leaf : hd_leaf_reg(hd_sel_reg(maker->sel, leaf));
	return *place;
}

static struct hd_leaf symbol_leaf(struct maker *maker, uint32_t symbol)
{
	struct hd_leaf *unknown = &maker->unknowns[symbol];
	return unknown->words ? *unknown : remember(maker, unknown, unknown_leaf(maker, symbol));
}

/* Whether the unknown is the sign-extension of the low word of its leaf. */
static bool is_narrow(const struct maker *maker, uint32_t symbol)
{
	const struct hd_unknown *unknown = hd_unknown_get(maker->polys, symbol);
	return unknown->bits <= 32 && unknown->kind != HD_UNKNOWN_ADDRESS;
}

static struct hd_opnd low_word(struct maker *maker, uint32_t symbol)
{
	struct hd_leaf leaf = symbol_leaf(maker, symbol);
	return hd_sel_word(maker->sel, &leaf, 0);
}

/* What has been summed up, as a pair; zero where nothing has. */
static struct hd_mreg sum_reg(struct maker *maker, struct hd_leaf sum)
{
	return sum.words ? hd_sel_reg(maker->sel, sum) : nothing;
}

/* a * b + sum, of signed words; `sum` may be nothing. */
static struct hd_leaf wide_product(struct maker *maker, struct hd_opnd a, struct hd_opnd b, struct hd_leaf sum)
{
	return hd_leaf_reg(hd_sel_alu_wide(maker->sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, HD_SIGNED), a, b,
					   hd_reg(sum_reg(maker, sum))));
}

static bool are_narrow(const struct maker *maker, const struct hd_monomial *monomial)
{
	for (uint32_t i = 0; i < monomial->degree; i++)
		if (!is_narrow(maker, monomial->symbols[i]))
			return false;
	return true;
}

static struct hd_leaf monomial_leaf(struct maker *maker, uint32_t id)
{
	const struct hd_monomial *monomial = hd_monomial_get(maker->polys, id);
	const uint32_t *symbols = monomial->symbols;
	struct hd_leaf product = hd_leaf_imm(1, 2);
	if (maker->monomials[id].words)
		return maker->monomials[id];
	for (uint32_t i = 0; i < monomial->degree; i++)
		if (!i)
			product = symbol_leaf(maker, symbols[0]);
		else if (i == 1 && is_narrow(maker, symbols[0]) && is_narrow(maker, symbols[1]))
			product = wide_product(maker, low_word(maker, symbols[0]), low_word(maker, symbols[1]),
					       (struct hd_leaf){0});
		else
			product = hd_sel_mul_leaf(maker->sel, product, symbol_leaf(maker, symbols[i]));
	return remember(maker, &maker->monomials[id], product);
}

/* leaf * by + sum, of 64 bits; `sum` may be nothing. */
static struct hd_leaf add_scaled(struct maker *maker, struct hd_leaf leaf, int64_t by, struct hd_leaf sum)
{
	struct hd_select *sel = maker->sel;
	if (by == 1)
		return sum.words ? hd_leaf_reg(hd_sel_add64(sel, sum, leaf, false)) : leaf;
	if (by == -1)
		return hd_leaf_reg(hd_sel_add64(sel, sum.words ? sum : hd_leaf_imm(0, 2), leaf, true));
	if (by != (int64_t)(uint32_t)by) {
		struct hd_leaf product = hd_sel_mul_leaf(sel, leaf, hd_leaf_imm((uint64_t)by, 2));
		return sum.words ? hd_leaf_reg(hd_sel_add64(sel, sum, product, false)) : product;
	}
	struct hd_opnd factor = hd_imm((uint32_t)by),
		       words[] = {hd_sel_word(sel, &leaf, 0), hd_sel_word(sel, &leaf, 1)};
	return hd_leaf_reg(add_words(sel, sum_reg(maker, sum), words, (struct hd_opnd[]){factor, factor}));
}

/* A term and what has been summed up, if anything has. One instruction where the term is a product of words. */
static struct hd_leaf add_term(struct maker *maker, const struct hd_term *term, struct hd_leaf sum)
{
	const struct hd_monomial *monomial = hd_monomial_get(maker->polys, term->monomial);
	bool word = term->coefficient == (int32_t)term->coefficient, unit = term->coefficient == 1;
	if (are_narrow(maker, monomial)) {
		const uint32_t *symbols = monomial->symbols;
		if (monomial->degree == 1 && word && (sum.words || !unit))
			return wide_product(maker, low_word(maker, symbols[0]), hd_imm((uint32_t)term->coefficient),
					    sum);
		if (monomial->degree == 2 && unit && sum.words)
			return wide_product(maker, low_word(maker, symbols[0]), low_word(maker, symbols[1]), sum);
	}
	return add_scaled(maker, monomial_leaf(maker, term->monomial), term->coefficient, sum);
}

/* Terms and their sum; what is subtracted comes last, so that it is taken from something. */
static struct hd_leaf poly_leaf(struct maker *maker, uint32_t id)
{
	const struct hd_poly *poly = hd_poly_get(maker->polys, id);
	struct hd_leaf sum = {0};
	uint64_t constant = 0;
	if (maker->done[id].words)
		return maker->done[id];
	for (uint32_t i = 0; i < 2 * poly->count; i++) {
		const struct hd_term *term = &poly->terms[i % poly->count];
		bool last = i >= poly->count;
		if (last != (term->coefficient == -1))
			continue;
		if (hd_monomial_get(maker->polys, term->monomial)->degree)
			sum = add_term(maker, term, sum);
		else
			constant += (uint64_t)term->coefficient;
	}
	if (!sum.words)
		sum = hd_leaf_imm(constant, 2);
	else if (constant)
		sum = hd_leaf_reg(hd_sel_add64(maker->sel, sum, hd_leaf_imm(constant, 2), false));
	return remember(maker, &maker->done[id], sum);
}

static void write_register(struct hd_select *sel, unsigned op, uint32_t number, struct hd_mreg value)
{
	struct hd_minst *inst = hd_sel_push(sel, op, 0);
	inst->b = value;
	inst->xkind = op == HD_OP_R2BR || !number ? HD_X_NONE : HD_X_OTHER;
	inst->x = number;
}

void hd_linear_coefficient_stream(struct hd_select *sel, void *context)
{
	const struct hd_linear_layout *layout = context;
	const struct hd_poly_table *polys = layout->plan->affine->polys;
	struct maker maker = {.sel = sel, .plan = layout->plan, .polys = polys};
	maker.unknowns = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, polys->symbols.len + 1);
	maker.monomials = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, polys->monomials.len + 1);
	maker.done = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, hd_poly_count(polys) + 1);
	for (uint32_t i = 0; i < layout->coefficient_count; i++)
		if (layout->coefficients[i] != HD_POLY_ZERO) /* they begin as 0 */
			write_register(sel, HD_OP_R2CR, i, hd_sel_reg(sel, poly_leaf(&maker, layout->coefficients[i])));
}

/* ------------------------------------------------------------------ indices times coefficients */

static struct hd_leaf coefficient_leaf(uint8_t coefficient, bool lanes)
{
	return (struct hd_leaf){.kind = HD_LEAF_LINEAR,
				.words = 2,
				.id = HD_RZ,
				.linear = HD_RZ,
				.coefficient = coefficient,
				.lanes = lanes};
}

static struct hd_opnd index_of(struct hd_select *sel, enum hd_sr sr)
{
	return hd_reg(hd_sel_alu(sel, HD_OP_S2R, HD_MOD(SR, sr), hd_none(), hd_none(), hd_none()));
}

/* sum + index * factor; an index is below 2^31. */
static struct hd_mreg add_product(struct hd_select *sel, struct hd_mreg sum, struct hd_opnd index,
				  struct hd_leaf factor)
{
	if (factor.kind == HD_LEAF_IMM && (int64_t)factor.imm[0] == (int32_t)factor.imm[0])
		return hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, HD_SIGNED), index,
				       hd_imm((uint32_t)factor.imm[0]), hd_reg(sum));
	return add_words(sel, sum, (struct hd_opnd[]){index, index},
			 (struct hd_opnd[]){hd_sel_word(sel, &factor, 0), hd_sel_word(sel, &factor, 1)});
}

static struct hd_leaf factor_of(const struct hd_linear_layout *layout, uint32_t poly)
{
	int64_t value;
	if (hd_poly_is_constant(layout->plan->affine->polys, poly, &value))
		return hd_leaf_imm((uint64_t)value, 2);
	return coefficient_leaf(hd_linear_coefficient(layout, poly), false);
}

void hd_linear_thread_stream(struct hd_select *sel, void *context)
{
	const struct hd_linear_layout *layout = context;
	struct hd_opnd index[3];
	for (unsigned i = 0; i < 3; i++)
		index[i] = index_of(sel, HD_SR_TID_X + i);
	for (uint32_t t = 0; t < layout->thread_count; t++) {
		const struct hd_thread_part *part = &layout->plan->thread_parts[layout->threads[t]];
		const uint32_t polys[] = {part->x, part->y, part->z};
		struct hd_mreg sum = nothing;
		for (unsigned i = 0; i < 3; i++)
			if (polys[i] != HD_POLY_ZERO)
				sum = add_product(sel, sum, index[i], factor_of(layout, polys[i]));
		write_register(sel, HD_OP_R2TR, t, sum);
	}
}

void hd_linear_block_stream(struct hd_select *sel, void *context)
{
	const struct hd_linear_layout *layout = context;
	struct hd_mreg sum = nothing;
	if (layout->run[HD_RUN_BASE] != HD_RZ)
		sum = hd_sel_reg(sel, coefficient_leaf(layout->run[HD_RUN_BASE], true));
	for (unsigned run = HD_RUN_X; run < HD_RUNS; run++)
		if (layout->run[run] != HD_RZ)
			sum = add_product(sel, sum, index_of(sel, HD_SR_CTAID_X + run - HD_RUN_X),
					  coefficient_leaf(layout->run[run], true));
	if (layout->linear_count)
		write_register(sel, HD_OP_R2BR, 0, sum);
}
