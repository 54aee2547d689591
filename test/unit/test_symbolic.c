/*
 * LINK: passes
 * Polynomials over launch constants: one form for equal ones, arithmetic modulo 2^bits, what does not fit, bounds,
 * alignment, text and values.
 */
#include "harness.h"

#include "passes/affine/symbolic.h"

struct rig {
	struct hd_arena arena;
	struct hd_poly_table *table;
	uint32_t p, q, n; /* a 64-bit parameter, 32-bit ones; n is 1 to 1024 */
};

static uint32_t bank(struct rig *rig, uint32_t offset, unsigned bits, struct hd_range range, const char *name)
{
	struct hd_unknown symbol = {
		.kind = HD_UNKNOWN_BANK, .bits = (uint8_t)bits, .offset = offset, .range = range, .name = name};
	return hd_poly_symbol(rig->table, hd_unknown_intern(rig->table, &symbol));
}

static void set_up(struct rig *rig)
{
	hd_arena_init(&rig->arena);
	rig->table = hd_poly_table_new(&rig->arena);
	rig->p = bank(rig, 0, 64, (struct hd_range){INT64_MIN, INT64_MAX}, "P0");
	rig->q = bank(rig, 8, 32, (struct hd_range){INT32_MIN, INT32_MAX}, "P1");
	rig->n = bank(rig, 12, 32, (struct hd_range){1, 1024}, "P2");
}

static uint32_t constant(struct rig *rig, int64_t value)
{
	return hd_poly_constant(rig->table, value, 64);
}

static uint32_t sum(struct rig *rig, uint32_t a, uint32_t b)
{
	return hd_poly_add(rig->table, a, b, 64);
}

static uint32_t product(struct rig *rig, uint32_t a, uint32_t b)
{
	return hd_poly_multiply(rig->table, a, b, 64);
}

static void expect_text(struct rig *rig, uint32_t poly, const char *expected)
{
	struct hd_strbuf text = {0};
	hd_poly_print(&text, rig->table, poly);
	ck_assert_str_eq(hd_strbuf_text(&text), expected);
	hd_strbuf_release(&text);
}

START_TEST(equal_ones_are_one)
{
	struct rig rig;
	set_up(&rig);
	uint32_t left = product(&rig, sum(&rig, rig.q, constant(&rig, 1)), sum(&rig, rig.n, constant(&rig, 2)));
	uint32_t right = sum(&rig, product(&rig, rig.n, rig.q),
			     sum(&rig, hd_poly_scale(rig.table, rig.q, 2, 64), sum(&rig, rig.n, constant(&rig, 2))));
	ck_assert_uint_eq(left, right);
	ck_assert_uint_eq(hd_poly_subtract(rig.table, left, right, 64), HD_POLY_ZERO);
	ck_assert_uint_eq(product(&rig, rig.q, rig.n), product(&rig, rig.n, rig.q));
	ck_assert_uint_ne(product(&rig, rig.q, rig.q), rig.q);
	ck_assert_uint_eq(bank(&rig, 8, 32, (struct hd_range){0, 0}, "again"), rig.q);
	hd_arena_release(&rig.arena);
}
END_TEST

/* Coefficients are kept sign-extended: 2^32 - 1 and -1 are the same number of 32 bits. */
START_TEST(coefficients_wrap)
{
	struct rig rig;
	set_up(&rig);
	uint32_t most = hd_poly_scale(rig.table, rig.q, 0xffffffff, 32);
	ck_assert_uint_eq(most, hd_poly_scale(rig.table, rig.q, -1, 32));
	ck_assert_uint_ne(most, hd_poly_scale(rig.table, rig.q, 0xffffffff, 64));
	ck_assert_uint_eq(hd_poly_scale(rig.table, rig.q, INT64_C(1) << 32, 32), HD_POLY_ZERO);
	uint32_t half = hd_poly_scale(rig.table, rig.q, INT64_MIN, 64);
	ck_assert_uint_eq(hd_poly_add(rig.table, half, half, 64), HD_POLY_ZERO);
	ck_assert_uint_eq(hd_poly_truncate(rig.table, constant(&rig, 0x180), 8), constant(&rig, -128));
	ck_assert_uint_eq(hd_poly_shift_right(rig.table, hd_poly_scale(rig.table, rig.q, 12, 64), 2),
			  hd_poly_scale(rig.table, rig.q, 3, 64));
	ck_assert_uint_eq(hd_poly_shift_right(rig.table, hd_poly_scale(rig.table, rig.q, 6, 64), 2), HD_NO_POLY);
	hd_arena_release(&rig.arena);
}
END_TEST

START_TEST(what_grows_too_large_is_none)
{
	struct rig rig;
	set_up(&rig);
	uint32_t power = rig.q, all = HD_POLY_ZERO;
	for (unsigned degree = 2; degree <= HD_POLY_DEGREE; degree++)
		ck_assert_uint_ne(power = product(&rig, power, rig.q), HD_NO_POLY);
	ck_assert_uint_eq(product(&rig, power, rig.q), HD_NO_POLY);
	for (uint32_t i = 0; i < HD_POLY_TERMS; i++)
		ck_assert_uint_ne(all = sum(&rig, all, bank(&rig, 100 + 4 * i, 32, (struct hd_range){0, 9}, "x")),
				  HD_NO_POLY);
	ck_assert_uint_eq(sum(&rig, all, rig.q), HD_NO_POLY);
	ck_assert_uint_eq(sum(&rig, HD_NO_POLY, rig.q), HD_NO_POLY);
	/* A hash doubles its operations with each step: written out, the eleventh has 2^11 of them. */
	uint32_t hash = rig.q, steps = 0;
	for (; hash != HD_NO_POLY && steps < HD_UNKNOWN_DEPTH; steps++) {
		struct hd_unknown mix = {.kind = HD_UNKNOWN_OPERATION,
					 .op = HD_UNIFORM_XOR,
					 .bits = 32,
					 .from = 32,
					 .args = {hash, product(&rig, hash, rig.n)}};
		hash = hd_poly_symbol(rig.table, hd_unknown_intern(rig.table, &mix));
	}
	ck_assert_uint_eq(hash, HD_NO_POLY);
	ck_assert_uint_le(steps, 7);
	hd_arena_release(&rig.arena);
}
END_TEST

START_TEST(bounds_and_alignment)
{
	struct rig rig;
	set_up(&rig);
	uint32_t poly = sum(&rig, hd_poly_scale(rig.table, rig.n, -4, 64), constant(&rig, 8));
	struct hd_range range = hd_poly_range(rig.table, poly);
	ck_assert_int_eq(range.low, 8 - 4096);
	ck_assert_int_eq(range.high, 4);
	range = hd_poly_range(rig.table, sum(&rig, rig.p, rig.n));
	ck_assert(range.low == INT64_MIN && range.high == INT64_MAX);
	/* Products that 64 bits do not hold are unbounded. */
	range = hd_poly_range(rig.table, product(&rig, product(&rig, rig.q, rig.q), rig.q));
	ck_assert(range.low == INT64_MIN && range.high == INT64_MAX);
	ck_assert_uint_eq(hd_poly_alignment(rig.table, poly, NULL, NULL), 4);
	ck_assert_uint_eq(hd_poly_alignment(rig.table, HD_POLY_ZERO, NULL, NULL), UINT64_C(1) << 63);
	hd_arena_release(&rig.arena);
}
END_TEST

/* What is not known goes through everything, and nothing is claimed of it. */
START_TEST(unknown)
{
	struct rig rig;
	int64_t value = 7;
	set_up(&rig);
	ck_assert_uint_eq(sum(&rig, rig.p, HD_NO_POLY), HD_NO_POLY);
	ck_assert_uint_eq(product(&rig, HD_NO_POLY, HD_POLY_ZERO), HD_NO_POLY);
	ck_assert_uint_eq(hd_poly_scale(rig.table, HD_NO_POLY, 0, 64), HD_NO_POLY);
	ck_assert_uint_eq(hd_poly_truncate(rig.table, HD_NO_POLY, 32), HD_NO_POLY);
	ck_assert_uint_eq(hd_poly_shift_right(rig.table, HD_NO_POLY, 1), HD_NO_POLY);
	ck_assert_uint_eq(hd_poly_without_constant(rig.table, HD_NO_POLY), HD_NO_POLY);
	ck_assert_uint_eq(hd_poly_iterating(rig.table, HD_NO_POLY, true), HD_NO_POLY);
	ck_assert(!hd_poly_is_constant(rig.table, HD_NO_POLY, &value));
	ck_assert_int_eq(value, 0);
	ck_assert_int_eq(hd_poly_constant_term(rig.table, HD_NO_POLY), 0);
	ck_assert_uint_eq(hd_poly_alignment(rig.table, HD_NO_POLY, NULL, NULL), 1);
	struct hd_range range = hd_poly_range(rig.table, HD_NO_POLY);
	ck_assert(range.low == INT64_MIN && range.high == INT64_MAX);
	hd_arena_release(&rig.arena);
}
END_TEST

static int64_t value_of(void *context, const struct hd_unknown *symbol)
{
	const int64_t *values = context;
	return values[symbol->offset / 4];
}

START_TEST(text_and_values)
{
	struct rig rig;
	set_up(&rig);
	int64_t values[] = {1000, 0, -3, 5};
	uint32_t poly = sum(&rig, rig.p, hd_poly_scale(rig.table, sum(&rig, rig.q, constant(&rig, 1)), 4, 64));
	expect_text(&rig, poly, "P0+4*P1+4");
	expect_text(&rig, hd_poly_scale(rig.table, sum(&rig, rig.q, constant(&rig, 1)), 4, 64), "4*(P1+1)");
	expect_text(&rig, hd_poly_subtract(rig.table, rig.n, product(&rig, rig.q, rig.q), 64), "-P1*P1+P2");
	expect_text(&rig, HD_POLY_ZERO, "0");
	expect_text(&rig, HD_NO_POLY, "?");
	ck_assert_int_eq(hd_poly_evaluate(rig.table, poly, value_of, values), 1000 - 8);
	struct hd_unknown least = {
		.kind = HD_UNKNOWN_OPERATION, .op = HD_UNIFORM_UMIN, .bits = 32, .from = 32, .args = {rig.q, rig.n}};
	uint32_t operation = hd_poly_symbol(rig.table, hd_unknown_intern(rig.table, &least));
	expect_text(&rig, operation, "umin32(P1,P2)");
	ck_assert_int_eq(hd_poly_evaluate(rig.table, operation, value_of, values), 5); /* -3 is a large one */
	hd_arena_release(&rig.arena);
}
END_TEST

START_TEST(operations)
{
	static const struct {
		unsigned op, from, bits;
		int64_t args[3], result;
	} rows[] = {
		{HD_UNIFORM_ZEXT, 8, 32, {-1}, 255},
		{HD_UNIFORM_SEXT, 8, 32, {255}, -1},
		{HD_UNIFORM_POW2, 32, 64, {31}, INT64_C(1) << 31},
		{HD_UNIFORM_LSHR, 32, 32, {-1, 31}, 1},
		{HD_UNIFORM_ASHR, 32, 32, {-8, 1}, -4},
		{HD_UNIFORM_UDIV, 32, 32, {-1, 2}, INT32_MAX},
		{HD_UNIFORM_SDIV, 32, 32, {-7, 2}, -3},
		{HD_UNIFORM_SDIV, 64, 64, {INT64_MIN, -1}, INT64_MIN},
		{HD_UNIFORM_SREM, 32, 32, {-7, 2}, -1},
		{HD_UNIFORM_UREM, 32, 32, {-1, 16}, 15},
		{HD_UNIFORM_UDIV, 32, 32, {1, 0}, 0},
		{HD_UNIFORM_SMIN, 32, 32, {-3, 5}, -3},
		{HD_UNIFORM_UMAX, 32, 32, {-3, 5}, -3},
		{HD_UNIFORM_ULT, 32, 1, {-3, 5}, 0},
		{HD_UNIFORM_SLT, 32, 1, {-3, 5}, 1},
		{HD_UNIFORM_SELECT, 64, 64, {1, 10, 20}, 10},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		ck_assert_msg(hd_uniform_evaluate(rows[i].op, rows[i].from, rows[i].bits, rows[i].args) ==
				      rows[i].result,
			      "row %zu, %s", i, hd_uniform_name(rows[i].op));
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("symbolic", (const TTest *const[]){
					       equal_ones_are_one,
					       coefficients_wrap,
					       what_grows_too_large_is_none,
					       bounds_and_alignment,
					       unknown,
					       text_and_values,
					       operations,
					       NULL,
				       });
}
