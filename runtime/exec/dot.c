/*
 * Inner products of tensor cores, bit for bit as measurements show them: products are exact; a group of them and the
 * accumulator are added at once. For that all summands are shifted to the largest exponent among them and cut off a
 * number of bits behind its leading one, towards zero; the sum of what is left is exact, and it is rounded once:
 * towards zero into single precision, to the nearest into half. A longer product goes group by group.
 *
 *                          products a group   bits behind the leading one
 *   Volta    half                 4                   23
 *   Turing   half                 8                   24
 *   Ampere   half, bfloat         8                   24
 *            tf32                 4                   24
 *   Hopper   half, bfloat        16                   25
 *            tf32                 8                   25
 *            e4m3, e5m2          32                   13, and 13 fraction bits in single precision are kept
 *
 * Sources: Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330 (2021), of
 * V100, T4 and A100: exact products, the order by magnitude, truncation, subnormal numbers, rounding to the nearest
 * into half; Li et al., "MMA-Sim", arXiv 2511.10909 (2025): lengths of groups, the number of bits, special values. An
 * exponent is the factors' sum, not that of the normalised product; of a subnormal number it is the least one. What is
 * not a number gives 0x7fffffff, 0x7fff in half; what is too large becomes infinite.
 *
 * Cost: a few operations for each product.
 */
#include "runtime/exec/dot.h"

#include <math.h>

#include "runtime/exec/exec.h"

enum { NO_EXPONENT = -10000, SINGLE_FRACTION = HD_DOT_SINGLE, HALF_FRACTION = 10 };

struct format {
	uint8_t fraction, exponent; /* bits */
};

static struct format format_of(enum hd_factor factor)
{
	switch (factor) {
	case HD_DOT_BF16: return (struct format){7, 8};
	case HD_DOT_TF32: return (struct format){10, 8};
	case HD_DOT_E4M3: return (struct format){3, 4};
	case HD_DOT_E5M2: return (struct format){2, 5};
	default: return (struct format){HALF_FRACTION, 5};
	}
}

static struct hd_dot_number take_apart(struct format format, uint32_t bits)
{
	uint32_t fraction = bits & ((1u << format.fraction) - 1), top = (1u << format.exponent) - 1;
	uint32_t field = bits >> format.fraction & top, bias = top / 2;
	bool negative = bits >> (format.fraction + format.exponent) & 1;
	struct hd_dot_number number = {.exponent = (int16_t)((field ? field : 1) - bias), .special = field == top};
	number.significand = (int32_t)(fraction | (field ? 1u << format.fraction : 0));
	if (number.special)
		number.significand = fraction ? 0 : 1; /* 0: no number */
	else if (!number.significand)
		number.exponent = NO_EXPONENT;
	if (negative)
		number.significand = -number.significand;
	return number;
}

/* All bits but the sign's are set in what is no number; nothing is infinite. */
static struct hd_dot_number e4m3_number(uint32_t bits)
{
	struct hd_dot_number number = take_apart(format_of(HD_DOT_E4M3), bits);
	uint32_t fraction = bits & 7;
	if (!number.special)
		return number;
	number.special = fraction == 7;
	number.significand = number.special ? 0 : (int32_t)(bits >> 7 & 1 ? -(8 + (int)fraction) : 8 + (int)fraction);
	return number;
}

struct hd_dot_number hd_dot_number(enum hd_factor factor, uint32_t bits)
{
	if (factor == HD_DOT_E4M3)
		return e4m3_number(bits);
	return take_apart(format_of(factor), factor == HD_DOT_TF32 ? bits >> 13 : bits);
}

static struct hd_dot_number accumulator(const struct hd_dot_rule *rule, uint32_t bits)
{
	return take_apart(rule->half ? format_of(HD_DOT_F16) : (struct format){SINGLE_FRACTION, 8}, bits);
}

/* ---- special values */

/* Of which sign the number is infinite, 2: no number; 0: it is finite. */
static int special_of(const struct hd_dot_number *number)
{
	if (!number->special)
		return 0;
	return number->significand ? number->significand : 2;
}

static int special_product(const struct hd_dot_number *a, const struct hd_dot_number *b)
{
	int x = special_of(a), y = special_of(b);
	if (!x && !y)
		return 0;
	if (x == 2 || y == 2 || !a->significand || !b->significand)
		return 2;
	return (a->significand < 0) == (b->significand < 0) ? 1 : -1;
}

static int special_sum(int x, int y)
{
	return !x ? y : !y ? x : x == y ? x : 2;
}

static uint32_t special_bits(const struct hd_dot_rule *rule, int kind)
{
	if (kind == 2)
		return rule->half ? 0x7fff : 0x7fffffff;
	uint32_t infinite = rule->half ? 0x7c00 : 0x7f800000, sign = rule->half ? 0x8000 : 0x80000000;
	return infinite | (kind < 0 ? sign : 0);
}

/* ---- sums */

/* Shifted to the left by `by` bits, or to the right towards zero. */
static inline int64_t shifted(int64_t significand, int by)
{
	if (!significand || by <= -63)
		return 0;
	if (by >= 0)
		return significand * (INT64_C(1) << by);
	return significand < 0 ? -(-significand >> -by) : significand >> -by;
}

/* With all fraction bits or, towards zero, fewer. */
static uint32_t single_toward_zero(uint32_t sign, uint64_t magnitude, int unit, unsigned kept)
{
	uint32_t cut = ~0u << (SINGLE_FRACTION - kept);
	int top = 63 - __builtin_clzll(magnitude), exponent = top + unit;
	if (exponent > 127)
		return sign | 0x7f800000;
	if (exponent < -126)
		return sign | ((uint32_t)shifted((int64_t)magnitude, unit + 126 + SINGLE_FRACTION) & cut);
	uint32_t fraction = (uint32_t)shifted((int64_t)magnitude, SINGLE_FRACTION - top) & 0x7fffff & cut;
	return sign | (uint32_t)(exponent + 127) << SINGLE_FRACTION | fraction;
}

uint32_t hd_dot_round(const struct hd_dot_rule *rule, int64_t sum, int unit)
{
	struct hd_unpacked value = {.kind = HD_FP_FINITE, .sign = sum < 0, .exponent = unit};
	if (!sum)
		return 0;
	value.significand = (uint64_t)(sum < 0 ? -sum : sum);
	if (rule->half)
		return (uint32_t)hd_fp_pack(HD_F16, &value, HD_RN);
	return single_toward_zero(value.sign ? 0x80000000 : 0, value.significand, unit, rule->kept);
}

static uint32_t add_group(const struct hd_dot_rule *rule, const struct hd_dot_number *a, const struct hd_dot_number *b,
			  uint32_t bits)
{
	struct hd_dot_number c = accumulator(rule, bits);
	int fraction =
		format_of((enum hd_factor)rule->factor).fraction + format_of((enum hd_factor)rule->other).fraction;
	int most = c.exponent;
	int special = special_of(&c);
	int64_t sum;
	for (unsigned i = 0; i < rule->group; i++) {
		int exponent = a[i].exponent + b[i].exponent;
		most = exponent > most ? exponent : most;
		special = special_sum(special, special_product(&a[i], &b[i]));
	}
	if (special)
		return special_bits(rule, special);
	sum = shifted(c.significand,
		      c.exponent - most + rule->fraction - (rule->half ? HALF_FRACTION : SINGLE_FRACTION));
	for (unsigned i = 0; i < rule->group; i++)
		sum += shifted((int64_t)a[i].significand * b[i].significand,
			       a[i].exponent + b[i].exponent - most + rule->fraction - fraction);
	return hd_dot_round(rule, sum, most - rule->fraction);
}

uint32_t hd_dot(const struct hd_dot_rule *rule, const struct hd_dot_number *a, const struct hd_dot_number *b,
		unsigned count, uint32_t c)
{
	for (unsigned i = 0; i < count; i += rule->group)
		c = add_group(rule, a + i, b + i, c);
	return c;
}
