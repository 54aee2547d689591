/* Inner products of tensor cores: the rules of dot.h on numbers whose sums can be worked out by hand. */
#include "harness.h"

#include "runtime/exec/dot.h"

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
					  NULL,
				  });
}
