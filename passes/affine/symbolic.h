/*
 * Symbolic polynomials over what a kernel launch fixes: parameters, launch dimensions, addresses of
 * variables and what is computed from these alone (R2D2's coefficients, r2d2-isca23 section 3.1.1).
 *
 * A polynomial is a sum of monomials with 64-bit integer coefficients; it has a dense id, and two
 * polynomials are equal if and only if their ids are: terms are sorted, coefficients canonical
 * modulo 2^bits (kept sign-extended), and everything is hash-consed. An operation costs the product of
 * its operands' terms, of which there are at most HD_POLY_TERMS. What would grow larger is HD_NO_POLY, and so is what
 * is not known: every function but hd_poly_get and hd_poly_evaluate takes it and answers that nothing is known.
 *
 * Symbols (struct hd_unknown) are mathematical integers: the words of the constant bank are sign-extended. Ids are
 * handed out in the order of creation, so whoever creates in a fixed order gets fixed results.
 */
#ifndef HD_PASSES_AFFINE_SYMBOLIC_H
#define HD_PASSES_AFFINE_SYMBOLIC_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/uniform.h"
#include "lib/arena.h"
#include "lib/strbuf.h"

#define HD_POLY_TERMS 16u    /* most terms of a polynomial */
#define HD_POLY_DEGREE 4u    /* most symbols of a monomial, with repetition */
#define HD_UNKNOWN_DEPTH 16u /* most operations inside operations */
#define HD_UNKNOWN_SIZE 64u  /* most operations in one, each as often as it is written out */
#define HD_NO_POLY 0xffffffffu
#define HD_POLY_ZERO 0u

enum hd_unknown_kind {
	HD_UNKNOWN_BANK,      /* the word (bits 32) or two (bits 64) at byte `offset` of constant bank 0 */
	HD_UNKNOWN_ADDRESS,   /* address of variable number `offset`; bits 32: offset in shared memory */
	HD_UNKNOWN_ITERATION, /* how often loop `offset` has gone back to its header since it was entered */
	HD_UNKNOWN_OPERATION  /* `op` of polynomials */
};

/* Bounds, inclusive; INT64_MIN and INT64_MAX also stand for everything beyond. */
struct hd_range {
	int64_t low, high;
};

/* The width of an operation's result is `bits`, that of its operands `from` (heddle/uniform.h). */
struct hd_unknown {
	uint8_t kind, op, bits, from;
	uint8_t depth; /* of operations, and how many there are inside it, itself included; filled in */
	uint8_t size;
	uint32_t offset; /* see the kinds */
	uint32_t args[3];
	struct hd_range range;
	const char *name; /* as printed; NULL for operations; not part of the identity */
	bool linked; /* known when the program is loaded only: the host cannot evaluate it; operations: filled in */
};

struct hd_term {
	uint32_t monomial;
	int64_t coefficient;
};
struct hd_poly {
	const struct hd_term *terms; /* by monomial */
	uint32_t count;
	bool iterates; /* an iteration is among its symbols */
	bool linked;   /* so is one whose value the host does not know */
};
/* A product of symbols, by id, repeated for powers; monomial 0 is the empty one. */
struct hd_monomial {
	uint32_t symbols[HD_POLY_DEGREE];
	uint32_t degree;
};

struct hd_poly_table;
/* Everything lives in the arena. */
struct hd_poly_table *hd_poly_table_new(struct hd_arena *arena);

/* The id of a symbol, made when it is new; HD_NO_POLY when it is an operation on HD_NO_POLY or grows too large. */
uint32_t hd_unknown_intern(struct hd_poly_table *table, const struct hd_unknown *symbol);
const struct hd_unknown *hd_unknown_get(const struct hd_poly_table *table, uint32_t symbol);
/* From now on it is at most `high`. */
void hd_unknown_limit(struct hd_poly_table *table, uint32_t symbol, int64_t high);
const struct hd_poly *hd_poly_get(const struct hd_poly_table *table, uint32_t poly);
uint32_t hd_poly_count(const struct hd_poly_table *table);
const struct hd_monomial *hd_monomial_get(const struct hd_poly_table *table, uint32_t monomial);

/* Operands may be HD_NO_POLY, and so is the result then. `bits`: width of the arithmetic, at most 64. */
uint32_t hd_poly_constant(struct hd_poly_table *table, int64_t value, unsigned bits);
uint32_t hd_poly_symbol(struct hd_poly_table *table, uint32_t symbol);
uint32_t hd_poly_add(struct hd_poly_table *table, uint32_t a, uint32_t b, unsigned bits);
uint32_t hd_poly_subtract(struct hd_poly_table *table, uint32_t a, uint32_t b, unsigned bits);
uint32_t hd_poly_multiply(struct hd_poly_table *table, uint32_t a, uint32_t b, unsigned bits);
uint32_t hd_poly_scale(struct hd_poly_table *table, uint32_t a, int64_t by, unsigned bits);
uint32_t hd_poly_truncate(struct hd_poly_table *table, uint32_t a, unsigned bits);
/* a / 2^shift when every coefficient is a multiple of that, else HD_NO_POLY. */
uint32_t hd_poly_shift_right(struct hd_poly_table *table, uint32_t a, unsigned shift);

/* False for HD_NO_POLY, too; *value is its constant term in any case. */
bool hd_poly_is_constant(const struct hd_poly_table *table, uint32_t poly, int64_t *value);
/* Its constant term (of HD_NO_POLY: 0), and the rest. */
int64_t hd_poly_constant_term(const struct hd_poly_table *table, uint32_t poly);
uint32_t hd_poly_without_constant(struct hd_poly_table *table, uint32_t poly);
/* The terms with (or without) an iteration in them. */
uint32_t hd_poly_iterating(struct hd_poly_table *table, uint32_t poly, bool with);
/* Bounds over all values that the symbols may have. */
struct hd_range hd_poly_range(const struct hd_poly_table *table, uint32_t poly);
/* The largest power of two, at most 2^63 (of HD_NO_POLY: 1), that divides the polynomial whatever its symbols are, but
 * for what `align` (may be NULL) says of a symbol: the power of two that divides it. */
uint64_t hd_poly_alignment(const struct hd_poly_table *table, uint32_t poly,
			   uint64_t (*align)(const void *context, const struct hd_unknown *symbol),
			   const void *context);

/*
 * Its value modulo 2^64. `symbol_value` gives the value of symbols that are not operations, sign-extended.
 * Costs the polynomial and the operations in it, each time.
 */
int64_t hd_poly_evaluate(const struct hd_poly_table *table, uint32_t poly,
			 int64_t (*symbol_value)(void *context, const struct hd_unknown *symbol), void *context);

/* As the paper writes it: `P5+4*P1`, `4*(P1+1)`; operations with their width: `smin32(P2,64)`. */
void hd_poly_print(struct hd_strbuf *out, const struct hd_poly_table *table, uint32_t poly);

static inline struct hd_range hd_range_add(struct hd_range a, struct hd_range b)
{
	struct hd_range sum;
	if (a.low == INT64_MIN || b.low == INT64_MIN || __builtin_add_overflow(a.low, b.low, &sum.low))
		sum.low = INT64_MIN;
	if (a.high == INT64_MAX || b.high == INT64_MAX || __builtin_add_overflow(a.high, b.high, &sum.high))
		sum.high = INT64_MAX;
	return sum;
}
struct hd_range hd_range_multiply(struct hd_range a, struct hd_range b);
static inline bool hd_range_within(struct hd_range inner, struct hd_range outer)
{
	return inner.low >= outer.low && inner.high <= outer.high;
}

#endif
