/*
 * Floating-point formats taken apart and put together in integers: every rounding mode and
 * every format, the same on any host. Slow (some tens of nanoseconds a value): the common
 * conversions have their own paths in exec_convert.c.
 */
#include "runtime/exec/exec.h"

struct format {
	uint8_t fraction, exponent; /* bits */
	uint64_t nan;
};

static struct format format_of(enum hd_type type)
{
	switch (type) {
	case HD_F16: return (struct format){10, 5, 0x7fff};
	case HD_BF16: return (struct format){7, 8, 0x7fff};
	case HD_F64: return (struct format){52, 11, UINT64_C(0x7fffffffffffffff)};
	default: return (struct format){23, 8, 0x7fffffff};
	}
}

struct hd_unpacked hd_fp_unpack(enum hd_type type, uint64_t bits)
{
	struct format format = format_of(type);
	uint64_t fraction = bits & ((UINT64_C(1) << format.fraction) - 1);
	int top = (1 << format.exponent) - 1;
	int exponent = (int)(bits >> format.fraction) & top;
	struct hd_unpacked value = {.sign = bits >> (format.fraction + format.exponent) & 1, .significand = fraction};
	if (exponent == top)
		value.kind = fraction ? HD_FP_NAN : HD_FP_INF;
	else
		value.kind = exponent || fraction ? HD_FP_FINITE : HD_FP_ZERO;
	if (exponent)
		value.significand |= UINT64_C(1) << format.fraction;
	else
		exponent = 1;
	value.exponent = exponent - top / 2 - format.fraction;
	return value;
}

/* Whether a magnitude with this remainder goes away from zero. `low_bit`: the kept part is odd. */
static bool rounds_up(unsigned rounding, bool sign, bool low_bit, int against_half, bool exact)
{
	if (exact)
		return false;
	switch (rounding) {
	case HD_RN: return against_half > 0 || (against_half == 0 && low_bit);
	case HD_RM: return sign;
	case HD_RP: return !sign;
	default: return false;
	}
}

/* significand / 2^drop, rounded; drop >= 0. */
static uint64_t shift_rounded(uint64_t significand, int drop, unsigned rounding, bool sign)
{
	if (drop == 0)
		return significand;
	if (drop > 64)
		return rounds_up(rounding, sign, false, -1, significand == 0);
	uint64_t half = UINT64_C(1) << (drop - 1);
	uint64_t rest = drop == 64 ? significand : significand & (2 * half - 1);
	uint64_t kept = drop == 64 ? 0 : significand >> drop;
	int against_half = rest > half ? 1 : rest == half ? 0 : -1;
	return kept + rounds_up(rounding, sign, kept & 1, against_half, rest == 0);
}

uint64_t hd_fp_magnitude(const struct hd_unpacked *value, unsigned rounding)
{
	if (value->kind == HD_FP_ZERO || value->kind == HD_FP_NAN)
		return 0;
	if (value->kind == HD_FP_INF)
		return UINT64_MAX;
	if (value->exponent <= 0)
		return shift_rounded(value->significand, -value->exponent, rounding, value->sign);
	if (value->exponent > __builtin_clzll(value->significand))
		return UINT64_MAX;
	return value->significand << value->exponent;
}

static uint64_t pack_finite(struct format format, const struct hd_unpacked *value, unsigned rounding)
{
	int lead = __builtin_clzll(value->significand);
	uint64_t significand = value->significand << lead;
	int bias = (1 << (format.exponent - 1)) - 1, top = 2 * bias + 1;
	int exponent = value->exponent - lead + 63 + bias; /* biased */
	int drop = 63 - format.fraction;
	if (exponent < 1)
		drop += 1 - exponent;
	/* The hidden bit, and a carry out of the fraction, add one to the exponent field. */
	uint64_t magnitude = shift_rounded(significand, drop, rounding, value->sign);
	if (exponent >= 1)
		magnitude += (uint64_t)(exponent - 1) << format.fraction;
	uint64_t infinity = (uint64_t)top << format.fraction;
	if (exponent < top && magnitude < infinity)
		return magnitude;
	bool to_infinity =
		rounding == HD_RN || (rounding == HD_RM && value->sign) || (rounding == HD_RP && !value->sign);
	return to_infinity ? infinity : infinity - 1;
}

uint64_t hd_fp_pack(enum hd_type type, const struct hd_unpacked *value, unsigned rounding)
{
	struct format format = format_of(type);
	uint64_t sign = (uint64_t)value->sign << (format.fraction + format.exponent);
	switch (value->kind) {
	case HD_FP_NAN: return format.nan;
	case HD_FP_INF: return sign | ((UINT64_C(1) << format.exponent) - 1) << format.fraction;
	case HD_FP_ZERO: return sign;
	default: return sign | pack_finite(format, value, rounding);
	}
}
