/* Inner products of tensor cores: the rules of dot.h on numbers whose sums can be worked out by hand. */
#include "harness.h"

#include "runtime/exec/dot.h"
#include "runtime/exec/dot_lanes.h"

/* Halves: 1 is 0x3c00, 2^-12 0x0c00, 2^-11 0x1000, 1.5 0x3e00. */
enum { ONE = 0x3c00, MINUS = 0x8000, SINGLE_ONE = 0x3f800000, BFLOAT_ONE = 0x3f80 };

struct product {
	uint32_t a, b;
};

/* c + products; the others of the group are zero. */
static uint32_t dot(struct hd_dot_rule rule, uint32_t c, const struct product *products, unsigned count,
		    unsigned length)
{
	struct hd_dot_number a[4 * HD_DOT_GROUP], b[4 * HD_DOT_GROUP];
	for (unsigned i = 0; i < length; i++) {
		struct product product = i < count ? products[i] : (struct product){0, 0};
		a[i] = hd_dot_number((enum hd_factor)rule.factor, product.a);
		b[i] = hd_dot_number((enum hd_factor)rule.other, product.b);
	}
	return hd_dot(&rule, a, b, length, c);
}
#define DOT(rule, c, ...)                                                                                           \
	dot(rule, c, (const struct product[]){__VA_ARGS__},                                                         \
	    sizeof((const struct product[]){__VA_ARGS__}) / sizeof(struct product), (rule).group)

#define VOLTA HD_DOT_VOLTA(false)
#define TURING HD_DOT_TURING(HD_DOT_F16, false)
#define HALF HD_DOT_TURING(HD_DOT_F16, true)
#define BFLOAT HD_DOT_TURING(HD_DOT_BF16, false)

START_TEST(products_are_exact)
{
	/* (1 + 2^-10)^2 = 1 + 2^-9 + 2^-20 */
	ck_assert_uint_eq(DOT(VOLTA, 0, {0x3c01, 0x3c01}), 0x3f804008);
	ck_assert_uint_eq(DOT(TURING, 0, {0x3c01, 0x3c01}), 0x3f804008);
	ck_assert_uint_eq(DOT(TURING, 0, {0x3c01, 0x3c01 | MINUS}), 0xbf804008);
	ck_assert_uint_eq(DOT(BFLOAT, SINGLE_ONE, {BFLOAT_ONE, 0x4000}), 0x40400000); /* 1 + 1 * 2 */
}
END_TEST

#define TIMES4(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__

/* Beside 1 Volta keeps 2^-23, Turing 2^-24, of each summand by itself. */
START_TEST(summands_are_cut_to_the_largest)
{
	ck_assert_uint_eq(DOT(VOLTA, SINGLE_ONE, TIMES4({0x0c00, 0x0c00})), SINGLE_ONE);     /* 2^-24 each */
	ck_assert_uint_eq(DOT(VOLTA, SINGLE_ONE, TIMES4({0x0c00, 0x1000})), SINGLE_ONE + 4); /* 2^-23 each */
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, TIMES4({0x0c00, 0x0c00})), SINGLE_ONE + 2);
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, TIMES4({0x0800, 0x0c00})), SINGLE_ONE); /* 2^-25 each */
	/* 2^30 - 2^30 leaves nothing of the 1 */
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, {0x7800, 0x7800}, {0x7800, 0xf800}), 0);
}
END_TEST

/* 1.5 * 1.5 = 2.25 counts as 2^0, as its factors do: 2^-24 is kept beside it. */
START_TEST(exponents_are_the_sum_of_the_factors)
{
	ck_assert_uint_eq(DOT(TURING, 0x33800000, {0x3e00, 0x3e00}, {0x3e00, 0xbe00}), 0x33800000);
	ck_assert_uint_eq(DOT(VOLTA, 0x33800000, {0x3e00, 0x3e00}, {0x3e00, 0xbe00}), 0);
}
END_TEST

START_TEST(single_precision_is_cut)
{
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, {0x0c00, 0x0c00}), SINGLE_ONE);
	ck_assert_uint_eq(DOT(TURING, 0xbf800000, {0x0c00, 0x0c00 | MINUS}), 0xbf800000);
	/* 1 + 3 * 2^-24 */
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, {0x0c00, 0x0c00}, {0x0c00, 0x1000}), SINGLE_ONE + 1);
}
END_TEST

START_TEST(half_precision_is_rounded_to_even)
{
	ck_assert_uint_eq(DOT(HALF, ONE, {0x1000, ONE}), ONE);			  /* 1 + 2^-11 */
	ck_assert_uint_eq(DOT(HALF, ONE, {0x1000, ONE}, {0x0400, ONE}), ONE + 1); /* and 2^-14 more */
	ck_assert_uint_eq(DOT(HALF, ONE, {0x1400, ONE}, {0x1000, ONE}), ONE + 2); /* 1 + 3 * 2^-11 */
	ck_assert_uint_eq(DOT(HALF, 0, {0x7bff, 0x4000}), 0x7c00);		  /* 2 * 65504 */
	ck_assert_uint_eq(DOT(HALF, 0, {0x0001, ONE}), 0x0001);
}
END_TEST

START_TEST(subnormal_numbers_count)
{
	ck_assert_uint_eq(DOT(TURING, 0, {0x0001, ONE}), 0x33800000); /* 2^-24 */
	/* It counts as 2^-14, and of 2^-40 beside that nothing is left. */
	ck_assert_uint_eq(DOT(TURING, 0x2b800000, {0x0001, ONE}), 0x33800000);
	ck_assert_uint_eq(DOT(TURING, 1, {0, ONE}), 1);			 /* 2^-149 */
	ck_assert_uint_eq(DOT(BFLOAT, 0, {0x0080, 0x3f00}), 0x00400000); /* 2^-126 / 2 */
	ck_assert_uint_eq(DOT(BFLOAT, 0, {0x0080, 0x0080}), 0);
}
END_TEST

START_TEST(special_values)
{
	enum { INF = 0x7c00, NO_NUMBER = 0x7e00 };
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, {INF, ONE}), 0x7f800000);
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, {INF, ONE | MINUS}), 0xff800000);
	ck_assert_uint_eq(DOT(TURING, SINGLE_ONE, {INF, 0}), 0x7fffffff);
	ck_assert_uint_eq(DOT(TURING, 0xff800000, {INF, INF}), 0x7fffffff);
	ck_assert_uint_eq(DOT(TURING, 0xff800000, {ONE, ONE}), 0xff800000);
	ck_assert_uint_eq(DOT(TURING, 0, {NO_NUMBER, ONE}), 0x7fffffff);
	ck_assert_uint_eq(DOT(TURING, 0x7fc00000, {ONE, ONE}), 0x7fffffff);
	ck_assert_uint_eq(DOT(HALF, 0, {INF, ONE}, {INF, ONE | MINUS}), 0x7fff);
	ck_assert_uint_eq(DOT(HALF, 0xfc00, {ONE, ONE}), 0xfc00);
	ck_assert_uint_eq(DOT(BFLOAT, 0, {0x7f00, 0x4000}), 0x7f800000); /* 2^127 * 2 */
	ck_assert_uint_eq(DOT(BFLOAT, 0, {0x7f00, 0x4000}, {0xff00, 0x4000}), 0);
}
END_TEST

START_TEST(groups_follow_each_other)
{
	static const struct product tf32[] = {
		{SINGLE_ONE, SINGLE_ONE}, {0, 0}, {0, 0}, {0, 0}, {SINGLE_ONE, 0x33800000}};
	/* 2^-24 + 1, cut; and 2^-24 more, cut again: together they would be 2^-23. */
	ck_assert_uint_eq(dot(HD_DOT_TF32_AMPERE, 0x33800000, tf32, 5, 8), SINGLE_ONE);
	ck_assert_uint_eq(DOT(HD_DOT_TF32_AMPERE, 0, {0x3f801fff, SINGLE_ONE}), SINGLE_ONE); /* ten bits count */
	/* Into half precision each group is rounded: 1 + 2^-11 is 1, twice. */
	static const struct product halves[] = {{0x1000, ONE}, {0, 0}, {0, 0}, {0, 0},	     {0, 0},
						{0, 0},	       {0, 0}, {0, 0}, {0x1000, ONE}};
	ck_assert_uint_eq(dot(HALF, ONE, halves, 9, 16), ONE);
}
END_TEST

#define TIMES16(...) TIMES4(__VA_ARGS__), TIMES4(__VA_ARGS__), TIMES4(__VA_ARGS__), TIMES4(__VA_ARGS__)
#define HOPPER HD_DOT_HOPPER(HD_DOT_F16, 16, false)
#define BYTES HD_DOT_HOPPER_BYTES(HD_DOT_E4M3, HD_DOT_E4M3, false)
#define BYTES_HALF HD_DOT_HOPPER_BYTES(HD_DOT_E4M3, HD_DOT_E5M2, true)

/* e4m3: 2^-7 is 0x04, 1 0x38, 448 0x7e, no number 0x7f; e5m2: 1 is 0x3c, infinite 0x7c. */
START_TEST(hopper_adds_all_at_once)
{
	ck_assert_uint_eq(DOT(HOPPER, SINGLE_ONE, TIMES16({0x2000, 0x2000})), SINGLE_ONE + 0x2000); /* 16 * 2^-14 */
	ck_assert_uint_eq(DOT(HOPPER, SINGLE_ONE, TIMES16({0x0a00, 0x0c00})),
			  SINGLE_ONE + 4); /* 16 * 1.5 * 2^-25, each cut to 2^-25 */
	ck_assert_uint_eq(DOT(HOPPER, SINGLE_ONE, TIMES16({0x0800, 0x0800})), SINGLE_ONE);	 /* 2^-26 each */
	ck_assert_uint_eq(DOT(BYTES, SINGLE_ONE, TIMES16({4, 4}), TIMES16({4, 4})), SINGLE_ONE); /* 2^-14 each */
	ck_assert_uint_eq(DOT(BYTES, 0, {0x38, 0x38}, {4, 0x0c}), SINGLE_ONE + 0x400); /* 1 + 1.5 * 2^-13, cut */
	ck_assert_uint_eq(DOT(BYTES, 0, {0x7e, 0x38}), 0x43e00000); /* 448: nothing of e4m3 is infinite */
	ck_assert_uint_eq(DOT(BYTES, 0, {0x7f, 0x38}), 0x7fffffff);
	ck_assert_uint_eq(DOT(BYTES, 0x3f800001, {0, 0}), SINGLE_ONE); /* 13 fraction bits are kept */
	ck_assert_uint_eq(DOT(BYTES_HALF, ONE, {0x38, 0x3c}), 0x4000);
	ck_assert_uint_eq(DOT(BYTES_HALF, ONE, {0x38, 0x7c}), 0x7c00);
}
END_TEST

/* Random bits; mostly with exponents in the middle, so that sums are close. */
static uint32_t random_number(uint32_t *state, unsigned bits, unsigned fraction, unsigned width)
{
	*state = *state * 1664525 + 1013904223;
	uint32_t value = *state >> 4 & (bits == 32 ? ~0u : (1u << bits) - 1), kind = *state >> 28;
	if (kind == 0)
		return value; /* anything */
	if (kind == 1)
		return value & ~(((1u << width) - 1) << fraction); /* subnormal, or zero */
	uint32_t field = (1u << (width - 1)) - 4 + (value >> fraction & 7);
	return (value & ~(((1u << width) - 1) << fraction)) | field << fraction;
}

static uint32_t random_factor(uint32_t *state, enum hd_factor factor)
{
	switch (factor) {
	case HD_DOT_BF16: return random_number(state, 16, 7, 8);
	case HD_DOT_TF32: return random_number(state, 32, 23, 8);
	case HD_DOT_E4M3: return random_number(state, 8, 3, 4);
	case HD_DOT_E5M2: return random_number(state, 8, 2, 5);
	default: return random_number(state, 16, 10, 5);
	}
}

static bool is_special_c(bool half, uint32_t c)
{
	return half ? (c & 0x7c00) == 0x7c00 : (c & 0x7f800000) == 0x7f800000;
}

/* Sixteen columns against the rule, one by one; which of them it leaves. */
static void compare_lanes(struct hd_dot_rule rule, uint32_t *state, unsigned *taken)
{
	uint32_t left[HD_DOT_DEPTH], right[HD_DOT_DEPTH][HD_DOT_LANES], c[HD_DOT_LANES], expected[HD_DOT_LANES];
	struct hd_dot_number a[HD_DOT_DEPTH], b[HD_DOT_DEPTH];
	struct hd_dot_row row;
	struct hd_dot_block block;
	bool special = false;
	for (unsigned k = 0; k < rule.group; k++) {
		left[k] = random_factor(state, (enum hd_factor)rule.factor);
		a[k] = hd_dot_number((enum hd_factor)rule.factor, left[k]);
		special |= a[k].special;
		for (unsigned i = 0; i < HD_DOT_LANES; i++)
			right[k][i] = random_factor(state, (enum hd_factor)rule.other);
	}
	for (unsigned i = 0; i < HD_DOT_LANES; i++) {
		c[i] = rule.half ? random_number(state, 16, 10, 5) : random_number(state, 32, 23, 8);
		special |= is_special_c(rule.half, c[i]);
		for (unsigned k = 0; k < rule.group; k++) {
			b[k] = hd_dot_number((enum hd_factor)rule.other, right[k][i]);
			special |= b[k].special;
			b[k].significand = -b[k].significand;
		}
		expected[i] = hd_dot(&rule, a, b, rule.group, c[i]);
	}
	hd_dot_prepare_row(&rule, left, false, &row);
	hd_dot_prepare_block(&rule, right, true, &block);
	bool done = hd_dot_lanes_of(&rule, &row, &block, c);
	ck_assert_uint_eq(done, !special);
	*taken += done;
	for (unsigned i = 0; done && i < HD_DOT_LANES; i++)
		ck_assert_uint_eq(c[i], expected[i]);
}

/* Vectors of columns give what the rule gives, bit for bit. */
START_TEST(lanes_agree_with_the_rule)
{
	static const struct hd_dot_rule rules[] = {
		HD_DOT_HOPPER(HD_DOT_F16, 16, false),
		HD_DOT_HOPPER(HD_DOT_F16, 16, true),
		HD_DOT_HOPPER(HD_DOT_BF16, 16, false),
		HD_DOT_HOPPER(HD_DOT_TF32, 8, false),
		HD_DOT_HOPPER_BYTES(HD_DOT_E4M3, HD_DOT_E4M3, false),
		HD_DOT_HOPPER_BYTES(HD_DOT_E4M3, HD_DOT_E5M2, true),
		HD_DOT_HOPPER_BYTES(HD_DOT_E5M2, HD_DOT_E5M2, false),
	};
	uint32_t state = 51;
	for (unsigned r = 0; r < sizeof rules / sizeof *rules; r++) {
		unsigned taken = 0;
		for (unsigned round = 0; round < hd_samples(2000, 200000); round++)
			compare_lanes(rules[r], &state, &taken);
		ck_assert_uint_gt(taken, 0);
	}
}
END_TEST

/* 16 products just below 4, of 27 bits each, and an accumulator just below 2 do not fit into 31 bits. */
START_TEST(lanes_have_room_for_the_largest_sum)
{
	struct hd_dot_rule rule = HOPPER;
	uint32_t left[HD_DOT_DEPTH], right[HD_DOT_DEPTH][HD_DOT_LANES], c[HD_DOT_LANES];
	struct hd_dot_row row;
	struct hd_dot_block block;
	for (unsigned k = 0; k < rule.group; k++) {
		left[k] = 0x3fff;
		for (unsigned i = 0; i < HD_DOT_LANES; i++)
			right[k][i] = 0x3fff, c[i] = 0x3fffffff;
	}
	hd_dot_prepare_row(&rule, left, false, &row);
	hd_dot_prepare_block(&rule, right, false, &block);
	ck_assert(hd_dot_lanes_of(&rule, &row, &block, c));
	/* (2 - 2^-10)^2 = 4 - 2^-8 + 2^-20; 16 of them and 2 - 2^-23, cut to 2^-17: 66 - 2^-4 + 2^-16 - 2^-17. */
	ck_assert_uint_eq(c[5], 0x4283e001);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("dot", (const TTest *const[]){
					  products_are_exact,
					  summands_are_cut_to_the_largest,
					  exponents_are_the_sum_of_the_factors,
					  single_precision_is_cut,
					  half_precision_is_rounded_to_even,
					  subnormal_numbers_count,
					  special_values,
					  groups_follow_each_other,
					  hopper_adds_all_at_once,
					  lanes_agree_with_the_rule,
					  lanes_have_room_for_the_largest_sum,
					  NULL,
				  });
}
