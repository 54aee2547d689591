/*
 * dot.c's rule for sixteen columns at once, where all numbers are finite: vectors of the host, in code that is compiled
 * for several levels of its instructions (exec.h). A row of a meets blocks of sixteen columns of b.
 *
 * A product has at most 22 bits, and 27 with those that stay behind the largest summand's leading one; sixteen of them
 * do not fit into 32 bits with a sign, so that there are two sums. These and what is rounded are exact in double
 * precision.
 *
 * Cost: about a host instruction for each multiply-add with 512-bit vectors.
 */
#ifndef HD_RUNTIME_EXEC_DOT_LANES_H
#define HD_RUNTIME_EXEC_DOT_LANES_H

#include "runtime/exec/dot.h"
#include "runtime/exec/exec.h"

enum { HD_DOT_LANES = 16, HD_DOT_DEPTH = 32, HD_DOT_NONE = -10000 /* exponent of zero */ };
typedef int32_t hd_lanes __attribute__((ext_vector_type(HD_DOT_LANES)));
typedef int64_t hd_wide_lanes __attribute__((ext_vector_type(HD_DOT_LANES)));
typedef double hd_double_lanes __attribute__((ext_vector_type(HD_DOT_LANES)));
typedef hd_lanes hd_lanes_row __attribute__((aligned(4)));

/* Everything here is inlined, so that no vector is passed by anybody's convention. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

/* Numbers taken apart: magnitude * 2^exponent, and all ones where negative. */
struct hd_dot_block {
	hd_lanes magnitude[HD_DOT_DEPTH], exponent[HD_DOT_DEPTH], sign[HD_DOT_DEPTH];
	bool special; /* one is infinite or no number */
};
struct hd_dot_row {
	int32_t magnitude[HD_DOT_DEPTH], exponent[HD_DOT_DEPTH], sign[HD_DOT_DEPTH];
	bool special;
};

HD_INLINE bool hd_lanes_any(hd_lanes mask)
{
	return __builtin_reduce_or(mask) != 0;
}

/* Bits of a format with so many of a fraction and of an exponent; returns which lanes are special. */
HD_INLINE hd_lanes hd_lanes_take_apart(hd_lanes bits, int fraction, int width, bool finite_top, hd_lanes *magnitude,
				       hd_lanes *exponent, hd_lanes *sign)
{
	hd_lanes low = bits & ((1 << fraction) - 1), field = bits >> fraction & ((1 << width) - 1);
	hd_lanes normal = field != 0; /* all ones */
	int top = (1 << width) - 1;
	*magnitude = low | (normal & (1 << fraction));
	*exponent = (field | (~normal & 1)) - top / 2;
	*exponent = *magnitude == 0 ? (hd_lanes)HD_DOT_NONE : *exponent;
	*sign = -(bits >> (fraction + width) & 1);
	return (field == top) & (finite_top ? low == (1 << fraction) - 1 : (hd_lanes)-1);
}

HD_INLINE hd_lanes hd_lanes_number(enum hd_factor factor, hd_lanes bits, hd_lanes *magnitude, hd_lanes *exponent,
				   hd_lanes *sign)
{
	switch (factor) {
	case HD_DOT_BF16: return hd_lanes_take_apart(bits, 7, 8, false, magnitude, exponent, sign);
	case HD_DOT_TF32: return hd_lanes_take_apart(bits >> 13 & 0x7ffff, 10, 8, false, magnitude, exponent, sign);
	case HD_DOT_E4M3: return hd_lanes_take_apart(bits, 3, 4, true, magnitude, exponent, sign);
	case HD_DOT_E5M2: return hd_lanes_take_apart(bits, 2, 5, false, magnitude, exponent, sign);
	default: return hd_lanes_take_apart(bits, 10, 5, false, magnitude, exponent, sign);
	}
}

HD_INLINE void hd_dot_prepare_block(const struct hd_dot_rule *rule, uint32_t (*bits)[HD_DOT_LANES], bool negated,
				    struct hd_dot_block *block)
{
	hd_lanes special = 0;
	for (unsigned k = 0; k < rule->group; k++) {
		special |= hd_lanes_number((enum hd_factor)rule->other, *(const hd_lanes_row *)bits[k],
					   &block->magnitude[k], &block->exponent[k], &block->sign[k]);
		block->sign[k] ^= negated ? -1 : 0;
	}
	block->special = hd_lanes_any(special);
}

/* The row's numbers, sixteen at a time. */
HD_INLINE void hd_dot_prepare_row(const struct hd_dot_rule *rule, const uint32_t *bits, bool negated,
				  struct hd_dot_row *row)
{
	hd_lanes special = 0;
	for (unsigned k = 0; k < rule->group; k += HD_DOT_LANES) {
		hd_lanes magnitude, exponent, sign, here = 0;
		for (unsigned i = 0; i < HD_DOT_LANES && k + i < rule->group; i++)
			here[i] = (int32_t)bits[k + i];
		special |= hd_lanes_number((enum hd_factor)rule->factor, here, &magnitude, &exponent, &sign);
		*(hd_lanes_row *)&row->magnitude[k] = magnitude;
		*(hd_lanes_row *)&row->exponent[k] = exponent;
		*(hd_lanes_row *)&row->sign[k] = sign ^ (negated ? -1 : 0);
	}
	row->special = hd_lanes_any(special);
}

/* A magnitude that is to have `left` bits more, fewer by what its exponent is behind `most`; what is cut off goes
 * towards zero. */
HD_INLINE hd_lanes hd_lanes_shift(hd_lanes magnitude, int left, hd_lanes behind, hd_lanes sign)
{
	hd_lanes by = behind > 31 ? (hd_lanes)31 : behind;
	hd_lanes whole = left >= 0 ? magnitude << left : magnitude;
	if (left < 0)
		by = behind - left > 31 ? (hd_lanes)31 : behind - left;
	return ((whole >> by) ^ sign) - sign;
}

/* Sums in single precision, towards zero; `odd` lanes are left to the caller: subnormal or too large. */
HD_INLINE hd_lanes hd_lanes_single(const struct hd_dot_rule *rule, hd_double_lanes sum, hd_lanes unit, hd_lanes *odd)
{
	hd_wide_lanes bits = (hd_wide_lanes)sum;
	hd_lanes exponent = __builtin_convertvector(bits >> 52 & 0x7ff, hd_lanes) - 1023 + unit;
	hd_lanes fraction =
		__builtin_convertvector(bits >> (52 - HD_DOT_SINGLE) & ((1 << HD_DOT_SINGLE) - 1), hd_lanes);
	hd_lanes sign = __builtin_convertvector(bits >> 63, hd_lanes) & INT32_MIN;
	hd_lanes zero = __builtin_convertvector(sum == 0, hd_lanes);
	*odd = ~zero & ((exponent < -126) | (exponent > 127));
	fraction &= (int32_t)(~0u << (HD_DOT_SINGLE - rule->kept));
	return ~zero & (sign | (exponent + 127) << HD_DOT_SINGLE | fraction);
}

/* c[i] + the sum over k of row[k] * block[k][i], as hd_dot with one group; false: some number is infinite or none, and
 * nothing was done. */
HD_INLINE bool hd_dot_lanes_of(const struct hd_dot_rule *rule, const struct hd_dot_row *row,
			       const struct hd_dot_block *block, uint32_t *c)
{
	hd_lanes magnitude, exponent, sign, bits = *(const hd_lanes_row *)c, odd = -1;
	hd_lanes special = hd_lanes_take_apart(bits, rule->half ? 10 : HD_DOT_SINGLE, rule->half ? 5 : 8, false,
					       &magnitude, &exponent, &sign);
	int left = rule->fraction - hd_dot_fraction((enum hd_factor)rule->factor) -
		   hd_dot_fraction((enum hd_factor)rule->other);
	if (row->special || block->special || hd_lanes_any(special))
		return false;
	hd_lanes most = exponent, half[2] = {0, 0};
	for (unsigned k = 0; k < rule->group; k++)
		most = __builtin_elementwise_max(most, block->exponent[k] + row->exponent[k]);
	half[0] = hd_lanes_shift(magnitude, rule->fraction - (rule->half ? 10 : HD_DOT_SINGLE), most - exponent, sign);
	for (unsigned k = 0; k < rule->group; k++)
		half[k & 1] +=
			hd_lanes_shift(block->magnitude[k] * row->magnitude[k], left,
				       most - block->exponent[k] - row->exponent[k], block->sign[k] ^ row->sign[k]);
	hd_double_lanes sum =
		__builtin_convertvector(half[0], hd_double_lanes) + __builtin_convertvector(half[1], hd_double_lanes);
	hd_lanes unit = most - rule->fraction, result = 0;
	if (!rule->half)
		result = hd_lanes_single(rule, sum, unit, &odd);
	*(hd_lanes_row *)c = result;
	for (unsigned i = 0; hd_lanes_any(odd) && i < HD_DOT_LANES; i++)
		if (odd[i])
			c[i] = hd_dot_round(rule, (int64_t)sum[i], unit[i]);
	return true;
}

#pragma clang diagnostic pop

#endif
