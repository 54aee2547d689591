/*
 * Symbolic polynomials: interning and arithmetic (r2d2-isca23 section 3.1.1; see symbolic.h). Three
 * hash tables, for symbols, monomials and polynomials, are grown by doubling; lookups compare contents,
 * and nothing depends on addresses.
 */
#include "passes/affine/symbolic.h"

#include <assert.h>
#include <string.h>

#include "passes/affine/symbolic_table.h"

static struct hd_range everything(void)
{
	return (struct hd_range){INT64_MIN, INT64_MAX};
}

/* ---- symbols */

static bool symbol_equal(const struct hd_unknown *a, const struct hd_unknown *b)
{
	return a->kind == b->kind && a->op == b->op && a->bits == b->bits && a->from == b->from &&
	       a->offset == b->offset && memcmp(a->args, b->args, sizeof(a->args)) == 0;
}

static uint64_t symbol_hash(const struct hd_unknown *symbol)
{
	uint64_t hash =
		hd_hash_mix(symbol->kind, (uint64_t)symbol->op << 16 | (uint64_t)symbol->bits << 8 | symbol->from);
	hash = hd_hash_mix(hash, symbol->offset);
	for (unsigned i = 0; i < 3; i++)
		hash = hd_hash_mix(hash, symbol->args[i]);
	return hash;
}

/* Fills in how large an operation is. False: too large, or its operands cannot be some. */
static bool measure(const struct hd_poly_table *table, struct hd_unknown *symbol)
{
	uint32_t depth = 1, size = 1;
	for (unsigned i = 0; i < hd_uniform_operands(symbol->op); i++) {
		if (symbol->args[i] == HD_NO_POLY || table->polys.data[symbol->args[i]].iterates)
			return false;
		const struct hd_poly *poly = &table->polys.data[symbol->args[i]];
		for (uint32_t t = 0; t < poly->count; t++) {
			const struct hd_monomial *monomial = &table->monomials.data[poly->terms[t].monomial];
			for (uint32_t s = 0; s < monomial->degree; s++) {
				const struct hd_unknown *inside = &table->symbols.data[monomial->symbols[s]];
				depth = inside->depth >= depth ? inside->depth + 1u : depth;
				size += inside->size;
			}
		}
		symbol->linked |= poly->linked;
	}
	symbol->depth = (uint8_t)depth;
	symbol->size = (uint8_t)size;
	return depth <= HD_UNKNOWN_DEPTH && size <= HD_UNKNOWN_SIZE;
}

uint32_t hd_unknown_intern(struct hd_poly_table *table, const struct hd_unknown *symbol)
{
	uint64_t hash = symbol_hash(symbol);
	struct hd_unknown made = *symbol;
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &table->symbol_ids, hash, symbol_equal(&table->symbols.data[slot->id], symbol));
	if (hd_hash_found(slot))
		return slot->id;
	if (symbol->kind == HD_UNKNOWN_OPERATION && !measure(table, &made))
		return HD_NO_POLY;
	hd_hash_set_put(&table->symbol_ids, slot, hash, table->symbols.len);
	hd_vec_push_in(&table->symbols, table->arena, made);
	return table->symbols.len - 1;
}

const struct hd_unknown *hd_unknown_get(const struct hd_poly_table *table, uint32_t symbol)
{
	return &table->symbols.data[symbol];
}

void hd_unknown_limit(struct hd_poly_table *table, uint32_t symbol, int64_t high)
{
	if (high < table->symbols.data[symbol].range.high)
		table->symbols.data[symbol].range.high = high;
}

/* ---- monomials */

static bool monomial_equal(const struct hd_monomial *a, const struct hd_monomial *b)
{
	return a->degree == b->degree && memcmp(a->symbols, b->symbols, sizeof(*a->symbols) * a->degree) == 0;
}

static uint32_t intern_monomial(struct hd_poly_table *table, const struct hd_monomial *monomial)
{
	uint64_t hash = hd_hash_mix(0, monomial->degree);
	for (uint32_t i = 0; i < monomial->degree; i++)
		hash = hd_hash_mix(hash, monomial->symbols[i]);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &table->monomial_ids, hash, monomial_equal(&table->monomials.data[slot->id], monomial));
	if (hd_hash_found(slot))
		return slot->id;
	hd_hash_set_put(&table->monomial_ids, slot, hash, table->monomials.len);
	hd_vec_push_in(&table->monomials, table->arena, *monomial);
	return table->monomials.len - 1;
}

const struct hd_monomial *hd_monomial_get(const struct hd_poly_table *table, uint32_t monomial)
{
	return &table->monomials.data[monomial];
}

static bool iterates(const struct hd_poly_table *table, uint32_t monomial)
{
	const struct hd_monomial *product = &table->monomials.data[monomial];
	for (uint32_t i = 0; i < product->degree; i++)
		if (table->symbols.data[product->symbols[i]].kind == HD_UNKNOWN_ITERATION)
			return true;
	return false;
}

static bool is_linked(const struct hd_poly_table *table, uint32_t monomial)
{
	const struct hd_monomial *product = &table->monomials.data[monomial];
	for (uint32_t i = 0; i < product->degree; i++)
		if (table->symbols.data[product->symbols[i]].linked)
			return true;
	return false;
}

/* The product of two, or HD_NO_POLY beyond the highest degree. */
static uint32_t multiply_monomials(struct hd_poly_table *table, uint32_t a, uint32_t b)
{
	const struct hd_monomial *x = &table->monomials.data[a], *y = &table->monomials.data[b];
	struct hd_monomial product = {.degree = x->degree + y->degree};
	if (product.degree > HD_POLY_DEGREE)
		return HD_NO_POLY;
	for (uint32_t i = 0, j = 0; i + j < product.degree;) {
		bool left = j == y->degree || (i < x->degree && x->symbols[i] <= y->symbols[j]);
		product.symbols[i + j] = left ? x->symbols[i] : y->symbols[j];
		i += left;
		j += !left;
	}
	return intern_monomial(table, &product);
}

/* ---- polynomials */

static bool poly_equal(const struct hd_poly *a, const struct hd_poly *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->terms[i].monomial != b->terms[i].monomial || a->terms[i].coefficient != b->terms[i].coefficient)
			return false;
	return true;
}

static int64_t wrap(uint64_t value, unsigned bits)
{
	unsigned spare = 64 - bits;
	return (int64_t)(value << spare) >> spare;
}

/* Takes sorted terms, canonicalises their coefficients and interns the sum. */
static uint32_t intern_terms(struct hd_poly_table *table, struct hd_term *terms, uint32_t count, unsigned bits)
{
	uint32_t kept = 0;
	uint64_t hash = 1;
	struct hd_poly poly = {.terms = terms};
	for (uint32_t i = 0; i < count; i++) {
		terms[kept] = terms[i];
		terms[kept].coefficient = wrap((uint64_t)terms[i].coefficient, bits);
		kept += terms[kept].coefficient != 0;
	}
	if (kept > HD_POLY_TERMS)
		return HD_NO_POLY;
	for (uint32_t i = 0; i < kept; i++)
		hash = hd_hash_mix(hd_hash_mix(hash, terms[i].monomial), (uint64_t)terms[i].coefficient);
	poly.count = kept;
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &table->poly_ids, hash, poly_equal(&table->polys.data[slot->id], &poly));
	if (hd_hash_found(slot))
		return slot->id;
	struct hd_term *copy = HD_ARENA_NEW(table->arena, struct hd_term, kept);
	for (uint32_t i = 0; i < kept; i++) {
		copy[i] = terms[i];
		poly.iterates |= iterates(table, terms[i].monomial);
		poly.linked |= is_linked(table, terms[i].monomial);
	}
	poly.terms = copy;
	hd_hash_set_put(&table->poly_ids, slot, hash, table->polys.len);
	hd_vec_push_in(&table->polys, table->arena, poly);
	return table->polys.len - 1;
}

const struct hd_poly *hd_poly_get(const struct hd_poly_table *table, uint32_t poly)
{
	assert(poly < table->polys.len);
	return &table->polys.data[poly];
}

uint32_t hd_poly_count(const struct hd_poly_table *table)
{
	return table->polys.len;
}

struct hd_poly_table *hd_poly_table_new(struct hd_arena *arena)
{
	struct hd_poly_table *table = HD_ARENA_NEW(arena, struct hd_poly_table, 1);
	*table = (struct hd_poly_table){.arena = arena,
					.symbol_ids = {.arena = arena},
					.monomial_ids = {.arena = arena},
					.poly_ids = {.arena = arena}};
	intern_monomial(table, &(struct hd_monomial){0});
	intern_terms(table, NULL, 0, 64);
	return table;
}

uint32_t hd_poly_constant(struct hd_poly_table *table, int64_t value, unsigned bits)
{
	struct hd_term term = {0, value};
	return intern_terms(table, &term, 1, bits);
}

uint32_t hd_poly_symbol(struct hd_poly_table *table, uint32_t symbol)
{
	if (symbol == HD_NO_POLY)
		return HD_NO_POLY;
	struct hd_term term = {intern_monomial(table, &(struct hd_monomial){{symbol}, 1}), 1};
	return intern_terms(table, &term, 1, 64);
}

/* a + by * b */
static uint32_t combine(struct hd_poly_table *table, uint32_t a, uint32_t b, int64_t by, unsigned bits)
{
	struct hd_term terms[2 * HD_POLY_TERMS];
	uint32_t i = 0, j = 0, count = 0;
	if (a == HD_NO_POLY || b == HD_NO_POLY)
		return HD_NO_POLY;
	const struct hd_poly *x = &table->polys.data[a], *y = &table->polys.data[b];
	while (i < x->count || j < y->count) {
		uint32_t left = i < x->count ? x->terms[i].monomial : UINT32_MAX;
		uint32_t right = j < y->count ? y->terms[j].monomial : UINT32_MAX;
		uint64_t sum = left <= right ? (uint64_t)x->terms[i++].coefficient : 0;
		if (right <= left)
			sum += (uint64_t)y->terms[j++].coefficient * (uint64_t)by;
		terms[count++] = (struct hd_term){left < right ? left : right, (int64_t)sum};
	}
	return intern_terms(table, terms, count, bits);
}

uint32_t hd_poly_add(struct hd_poly_table *table, uint32_t a, uint32_t b, unsigned bits)
{
	return combine(table, a, b, 1, bits);
}

uint32_t hd_poly_subtract(struct hd_poly_table *table, uint32_t a, uint32_t b, unsigned bits)
{
	return combine(table, a, b, -1, bits);
}

uint32_t hd_poly_scale(struct hd_poly_table *table, uint32_t a, int64_t by, unsigned bits)
{
	return combine(table, HD_POLY_ZERO, a, by, bits);
}

uint32_t hd_poly_truncate(struct hd_poly_table *table, uint32_t a, unsigned bits)
{
	return combine(table, HD_POLY_ZERO, a, 1, bits);
}

/* Inserts into sorted terms, or adds to the equal one. */
static uint32_t accumulate(struct hd_term *terms, uint32_t count, struct hd_term term)
{
	uint32_t at = 0;
	while (at < count && terms[at].monomial < term.monomial)
		at++;
	if (at < count && terms[at].monomial == term.monomial) {
		terms[at].coefficient = (int64_t)((uint64_t)terms[at].coefficient + (uint64_t)term.coefficient);
		return count;
	}
	memmove(&terms[at + 1], &terms[at], sizeof(*terms) * (count - at));
	terms[at] = term;
	return count + 1;
}

uint32_t hd_poly_multiply(struct hd_poly_table *table, uint32_t a, uint32_t b, unsigned bits)
{
	struct hd_term terms[HD_POLY_TERMS * HD_POLY_TERMS + 1];
	uint32_t count = 0;
	if (a == HD_NO_POLY || b == HD_NO_POLY)
		return HD_NO_POLY;
	struct hd_poly x = table->polys.data[a], y = table->polys.data[b];
	for (uint32_t i = 0; i < x.count; i++)
		for (uint32_t j = 0; j < y.count; j++) {
			uint32_t monomial = multiply_monomials(table, x.terms[i].monomial, y.terms[j].monomial);
			uint64_t product = (uint64_t)x.terms[i].coefficient * (uint64_t)y.terms[j].coefficient;
			if (monomial == HD_NO_POLY)
				return HD_NO_POLY;
			count = accumulate(terms, count, (struct hd_term){monomial, (int64_t)product});
		}
	return intern_terms(table, terms, count, bits);
}

uint32_t hd_poly_shift_right(struct hd_poly_table *table, uint32_t a, unsigned shift)
{
	struct hd_term terms[HD_POLY_TERMS];
	if (a == HD_NO_POLY)
		return HD_NO_POLY;
	const struct hd_poly *poly = &table->polys.data[a];
	for (uint32_t i = 0; i < poly->count; i++) {
		terms[i] = poly->terms[i];
		if ((uint64_t)terms[i].coefficient & ((UINT64_C(1) << shift) - 1))
			return HD_NO_POLY;
		terms[i].coefficient >>= shift;
	}
	return intern_terms(table, terms, poly->count, 64);
}

/* The terms for which `iterates` is `with`; `constant`: whether monomial 0 may stay. */
static uint32_t filter(struct hd_poly_table *table, uint32_t poly, bool with, bool without, bool constant)
{
	struct hd_term terms[HD_POLY_TERMS];
	uint32_t count = 0;
	if (poly == HD_NO_POLY)
		return HD_NO_POLY;
	const struct hd_poly *from = &table->polys.data[poly];
	for (uint32_t i = 0; i < from->count; i++) {
		bool stays = iterates(table, from->terms[i].monomial) ? with : without;
		if (stays && (constant || from->terms[i].monomial))
			terms[count++] = from->terms[i];
	}
	return intern_terms(table, terms, count, 64);
}

uint32_t hd_poly_without_constant(struct hd_poly_table *table, uint32_t poly)
{
	return filter(table, poly, true, true, false);
}

uint32_t hd_poly_iterating(struct hd_poly_table *table, uint32_t poly, bool with)
{
	return filter(table, poly, with, !with, true);
}

int64_t hd_poly_constant_term(const struct hd_poly_table *table, uint32_t poly)
{
	if (poly == HD_NO_POLY)
		return 0;
	const struct hd_poly *sum = &table->polys.data[poly];
	return sum->count && sum->terms[0].monomial == 0 ? sum->terms[0].coefficient : 0;
}

bool hd_poly_is_constant(const struct hd_poly_table *table, uint32_t poly, int64_t *value)
{
	*value = hd_poly_constant_term(table, poly);
	return poly != HD_NO_POLY && table->polys.data[poly].count == (*value != 0);
}

/* ---- bounds */

struct hd_range hd_range_multiply(struct hd_range a, struct hd_range b)
{
	int64_t corners[4][2] = {{a.low, b.low}, {a.low, b.high}, {a.high, b.low}, {a.high, b.high}};
	struct hd_range product = {INT64_MAX, INT64_MIN};
	for (unsigned i = 0; i < 4; i++) {
		int64_t x = corners[i][0], y = corners[i][1], value;
		if (x == 0 || y == 0)
			value = 0;
		else if (x == INT64_MIN || x == INT64_MAX || y == INT64_MIN || y == INT64_MAX ||
			 __builtin_mul_overflow(x, y, &value))
			value = (x < 0) != (y < 0) ? INT64_MIN : INT64_MAX;
		product.low = value < product.low ? value : product.low;
		product.high = value > product.high ? value : product.high;
	}
	return product;
}

struct hd_range hd_poly_range(const struct hd_poly_table *table, uint32_t poly)
{
	struct hd_range sum = {0, 0};
	if (poly == HD_NO_POLY)
		return everything();
	for (uint32_t t = 0; t < table->polys.data[poly].count; t++) {
		const struct hd_term *term = &table->polys.data[poly].terms[t];
		const struct hd_monomial *monomial = &table->monomials.data[term->monomial];
		struct hd_range product = {term->coefficient, term->coefficient};
		for (uint32_t s = 0; s < monomial->degree; s++)
			product = hd_range_multiply(product, table->symbols.data[monomial->symbols[s]].range);
		sum = hd_range_add(sum, product);
	}
	return sum;
}

static uint64_t lowest_bit(uint64_t value)
{
	return value ? value & (0 - value) : UINT64_C(1) << 63;
}

uint64_t hd_poly_alignment(const struct hd_poly_table *table, uint32_t poly,
			   uint64_t (*align)(const void *context, const struct hd_unknown *symbol), const void *context)
{
	uint64_t least = UINT64_C(1) << 63;
	if (poly == HD_NO_POLY)
		return 1;
	for (uint32_t t = 0; t < table->polys.data[poly].count; t++) {
		const struct hd_term *term = &table->polys.data[poly].terms[t];
		const struct hd_monomial *monomial = &table->monomials.data[term->monomial];
		uint64_t product = lowest_bit((uint64_t)term->coefficient);
		for (uint32_t s = 0; align && s < monomial->degree; s++) {
			uint64_t factor = align(context, &table->symbols.data[monomial->symbols[s]]);
			product = product > (UINT64_C(1) << 63) / factor ? UINT64_C(1) << 63 : product * factor;
		}
		least = product < least ? product : least;
	}
	return least;
}
