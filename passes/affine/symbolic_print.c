/*
 * Symbolic polynomials as text and as numbers (see symbolic.h): printing in the paper's manner, a common
 * factor in front of a bracket, pointers first, constants last; and evaluation for given values of
 * the symbols, modulo 2^64.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "passes/affine/symbolic_table.h"

/* ---- printing */

struct sorter {
	const struct hd_poly_table *table;
	struct hd_term term;
};

/* Pointers before products before single symbols before the constant; what is added before what is subtracted. */
static uint32_t rank_of(const struct hd_poly_table *table, const struct hd_monomial *monomial)
{
	bool pointer = monomial->degree == 1 && table->symbols.data[monomial->symbols[0]].bits == 64;
	return pointer ? HD_POLY_DEGREE + 1 : monomial->degree;
}

static int print_order(const void *a, const void *b)
{
	const struct sorter *x = a, *y = b;
	const struct hd_monomial *m = &x->table->monomials.data[x->term.monomial],
				 *n = &x->table->monomials.data[y->term.monomial];
	uint32_t left = rank_of(x->table, m), right = rank_of(x->table, n);
	if (left != right)
		return left > right ? -1 : 1;
	if ((x->term.coefficient < 0) != (y->term.coefficient < 0))
		return x->term.coefficient < 0 ? 1 : -1;
	for (uint32_t i = 0; i < m->degree; i++) {
		const struct hd_unknown *s = &x->table->symbols.data[m->symbols[i]],
					*t = &x->table->symbols.data[n->symbols[i]];
		if (s->kind != t->kind)
			return s->kind < t->kind ? -1 : 1;
		if (s->offset != t->offset)
			return s->offset < t->offset ? -1 : 1;
	}
	return (x->term.monomial > y->term.monomial) - (x->term.monomial < y->term.monomial);
}

static void print_symbol(struct hd_strbuf *out, const struct hd_poly_table *table, uint32_t id)
{
	const struct hd_unknown *symbol = &table->symbols.data[id];
	if (symbol->kind != HD_UNKNOWN_OPERATION) {
		hd_strbuf_append(out, symbol->name);
		return;
	}
	hd_strbuf_printf(out, "%s%u", hd_uniform_name(symbol->op), symbol->from);
	for (unsigned i = 0; i < hd_uniform_operands(symbol->op); i++) {
		hd_strbuf_append(out, i ? "," : "(");
		hd_poly_print(out, table, symbol->args[i]);
	}
	hd_strbuf_append(out, ")");
}

static void print_term(struct hd_strbuf *out, const struct hd_poly_table *table, const struct hd_term *term, bool first)
{
	const struct hd_monomial *monomial = &table->monomials.data[term->monomial];
	int64_t factor = term->coefficient;
	const char *times = "";
	if (factor >= 0 && !first)
		hd_strbuf_append(out, "+");
	if (factor == -1 && monomial->degree) {
		hd_strbuf_append(out, "-");
	} else if (factor != 1 || !monomial->degree) {
		hd_strbuf_printf(out, "%" PRId64, factor);
		times = "*";
	}
	for (uint32_t s = 0; s < monomial->degree; s++) {
		hd_strbuf_append(out, times);
		print_symbol(out, table, monomial->symbols[s]);
		times = "*";
	}
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static uint64_t common_factor(const struct hd_poly *poly)
{
	uint64_t common = 0;
	for (uint32_t i = 0; i < poly->count; i++) {
		uint64_t other = magnitude(poly->terms[i].coefficient);
		while (other) {
			uint64_t rest = common % other;
			common = other;
			other = rest;
		}
	}
	return common;
}

void hd_poly_print(struct hd_strbuf *out, const struct hd_poly_table *table, uint32_t id)
{
	if (id == HD_NO_POLY) {
		hd_strbuf_append(out, "?");
		return;
	}
	const struct hd_poly *poly = &table->polys.data[id];
	struct sorter terms[HD_POLY_TERMS];
	uint64_t common = poly->count > 1 ? common_factor(poly) : 1;
	bool bracket = common > 1 && common <= INT64_MAX;
	for (uint32_t i = 0; i < poly->count; i++) {
		terms[i] = (struct sorter){table, poly->terms[i]};
		if (bracket)
			terms[i].term.coefficient /= (int64_t)common;
	}
	qsort(terms, poly->count, sizeof(*terms), print_order);
	if (!poly->count)
		hd_strbuf_append(out, "0");
	if (bracket)
		hd_strbuf_printf(out, "%" PRIu64 "*(", common);
	for (uint32_t i = 0; i < poly->count; i++)
		print_term(out, table, &terms[i].term, i == 0);
	if (bracket)
		hd_strbuf_append(out, ")");
}

/* ---- evaluation */

struct evaluation {
	const struct hd_poly_table *table;
	int64_t (*symbol_value)(void *context, const struct hd_unknown *symbol);
	void *context;
};

static int64_t evaluate(const struct evaluation *evaluation, uint32_t poly);

static int64_t symbol_value(const struct evaluation *evaluation, uint32_t id)
{
	const struct hd_unknown *symbol = &evaluation->table->symbols.data[id];
	int64_t args[3] = {0, 0, 0};
	if (symbol->kind != HD_UNKNOWN_OPERATION)
		return evaluation->symbol_value(evaluation->context, symbol);
	for (unsigned i = 0; i < hd_uniform_operands(symbol->op); i++)
		args[i] = evaluate(evaluation, symbol->args[i]);
	return hd_uniform_evaluate(symbol->op, symbol->from, symbol->bits, args);
}

static int64_t evaluate(const struct evaluation *evaluation, uint32_t poly)
{
	uint64_t sum = 0;
	for (uint32_t t = 0; t < evaluation->table->polys.data[poly].count; t++) {
		const struct hd_term *term = &evaluation->table->polys.data[poly].terms[t];
		const struct hd_monomial *monomial = &evaluation->table->monomials.data[term->monomial];
		uint64_t product = (uint64_t)term->coefficient;
		for (uint32_t s = 0; s < monomial->degree; s++)
			product *= (uint64_t)symbol_value(evaluation, monomial->symbols[s]);
		sum += product;
	}
	return (int64_t)sum;
}

int64_t hd_poly_evaluate(const struct hd_poly_table *table, uint32_t poly,
			 int64_t (*value)(void *context, const struct hd_unknown *symbol), void *context)
{
	struct evaluation evaluation = {table, value, context};
	return evaluate(&evaluation, poly);
}
