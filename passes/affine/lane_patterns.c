/*
 * Arithmetic on what the lanes of a warp have (see coalescing_internal.h): sums, products, bits, shifts and widths, as
 * the machine does them on numbers of a width. Each operation takes 32 steps, or 32 times 32 where lanes are grouped.
 */
#include <string.h>

#include "passes/affine/coalescing_internal.h"

enum { LANES = HD_LANES };

/* ---- numbers of a width */

static uint64_t low_bits(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

int64_t hd_signed_number(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);
	return (int64_t)(((value & low_bits(bits)) ^ sign) - sign);
}

/* 2^bits, or as much of it as an alignment can be. */
static uint64_t modulus(unsigned bits)
{
	return UINT64_C(1) << (bits < 63 ? bits : 63);
}

static bool all_below(const struct hd_pattern *pattern, uint64_t limit)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		if ((uint64_t)pattern->offset[lane] >= limit)
			return false;
	return true;
}

/* An exact value's offsets are unsigned numbers of its width; a shared part that the width drops is none. */
void hd_pattern_normalise(struct hd_pattern *pattern)
{
	if (pattern->bits < 63 && pattern->align >= modulus(pattern->bits))
		pattern->exact = true;
	for (unsigned lane = 0; pattern->exact && lane < LANES; lane++)
		pattern->offset[lane] = (int64_t)((uint64_t)pattern->offset[lane] & low_bits(pattern->bits));
	if (pattern->exact) {
		memset(pattern->group, 0, sizeof(pattern->group));
		pattern->align = UINT64_C(1) << 63;
		pattern->exact_unsigned = true;
		pattern->exact_signed = true;
		for (unsigned lane = 0; lane < LANES; lane++)
			pattern->exact_signed &= hd_signed_number((uint64_t)pattern->offset[lane], pattern->bits) ==
						 pattern->offset[lane];
	}
}

struct hd_pattern hd_pattern_shared(unsigned bits, uint64_t align)
{
	return (struct hd_pattern){.align = align, .bits = bits, .exact_unsigned = true, .exact_signed = true};
}

void hd_pattern_split(struct hd_pattern *pattern, const int64_t number[LANES])
{
	uint8_t group[LANES];
	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned first = 0;
		while (pattern->group[first] != pattern->group[lane] || number[first] != number[lane])
			first++;
		group[lane] = (uint8_t)first;
	}
	memcpy(pattern->group, group, sizeof(group));
}

/* Lanes share a part where they do in both. */
static void join_groups(struct hd_pattern *out, const struct hd_pattern *a, const struct hd_pattern *b)
{
	int64_t number[LANES];
	for (unsigned lane = 0; lane < LANES; lane++)
		number[lane] = b->group[lane];
	memcpy(out->group, a->group, sizeof(out->group));
	hd_pattern_split(out, number);
}

/* The lanes of a group have the same value. */
static bool same_in_groups(const struct hd_pattern *pattern)
{
	for (unsigned lane = 1; lane < LANES; lane++)
		if (pattern->offset[lane] != pattern->offset[pattern->group[lane]])
			return false;
	return true;
}

/* All lanes have the same number. */
bool hd_pattern_is_number(const struct hd_pattern *pattern)
{
	return pattern->exact && same_in_groups(pattern);
}

/*
 * Moves the multiple of `align`, which divides the shared part, out of the offsets: none of them reaches `align` then,
 * and the sum does not wrap around. False: lanes that share a part differ in it.
 */
static bool rebase(struct hd_pattern *pattern, uint64_t align)
{
	uint64_t above = ~(align - 1) & low_bits(pattern->bits);
	for (unsigned lane = 1; lane < LANES; lane++)
		if (((uint64_t)(pattern->offset[lane] ^ pattern->offset[pattern->group[lane]]) & above) != 0)
			return false;
	pattern->carried += (int64_t)((uint64_t)pattern->offset[0] & above);
	for (unsigned lane = 0; lane < LANES; lane++)
		pattern->offset[lane] = (int64_t)((uint64_t)pattern->offset[lane] & (align - 1));
	pattern->align = align;
	pattern->exact = false;
	pattern->exact_unsigned = true;
	pattern->exact_signed = align < modulus(pattern->bits);
	return true;
}

/* ---- sums and products */

static bool is_zero(const struct hd_pattern *pattern)
{
	return pattern->exact && all_below(pattern, 1);
}

static int64_t addend(const struct hd_pattern *pattern, unsigned lane)
{
	return pattern->exact ? hd_signed_number((uint64_t)pattern->offset[lane], pattern->bits)
			      : pattern->offset[lane];
}

/* The shared part stays as it is in `from`. */
static void keep_origin(struct hd_pattern *out, const struct hd_pattern *from)
{
	out->origin = from->origin;
	out->shifted = from->shifted;
	out->carried = from->carried;
}

/* What is left of n - n / 32 * 32 and the like. */
static void cancel_shared_part(struct hd_pattern *out, int64_t carried)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		out->offset[lane] += carried;
	out->exact = true;
}

void hd_pattern_add(const struct hd_pattern *a, const struct hd_pattern *b, bool minus, struct hd_flags flags,
		    struct hd_pattern *out)
{
	if (is_zero(b) || (is_zero(a) && !minus)) {
		*out = is_zero(b) ? *a : *b;
		return;
	}
	*out = (struct hd_pattern){.bits = a->bits,
				   .align = a->align < b->align ? a->align : b->align,
				   .exact = a->exact && b->exact};
	bool positive = true;
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint64_t x = (uint64_t)addend(a, lane), y = (uint64_t)addend(b, lane);
		positive = positive && (!a->exact || (int64_t)x >= 0) && (!b->exact || (int64_t)y >= 0);
		out->offset[lane] = (int64_t)(minus ? x - y : x + y);
	}
	join_groups(out, a, b);
	if (b->exact || (a->exact && !minus))
		keep_origin(out, b->exact ? a : b);
	if (minus && a->origin && a->origin == b->origin && !a->shifted && !b->shifted && !a->exact && !b->exact &&
	    hd_pattern_is_shared(a) && hd_pattern_is_shared(b))
		cancel_shared_part(out, a->carried - b->carried);
	out->exact_unsigned = flags.nuw && positive && a->exact_unsigned && b->exact_unsigned;
	/* As signed numbers the addends of exact values are themselves. */
	out->exact_signed = flags.nsw && (a->exact || a->exact_signed) && (b->exact || b->exact_signed);
	out->positive = !minus && flags.nsw && a->positive && b->positive;
}

/* How far the values, which the lanes of a group share, are multiples. */
static uint64_t own_alignment(const struct hd_pattern *pattern)
{
	uint64_t least = pattern->align;
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint64_t offset = (uint64_t)pattern->offset[lane], lowest = offset & (0 - offset);
		least = offset && lowest < least ? lowest : least;
	}
	return least;
}

static uint64_t multiply_alignments(uint64_t a, uint64_t b)
{
	return a > (UINT64_C(1) << 63) / b ? UINT64_C(1) << 63 : a * b;
}

bool hd_pattern_multiply(const struct hd_pattern *a, const struct hd_pattern *b, struct hd_flags flags,
			 struct hd_pattern *out)
{
	const struct hd_pattern *factor = b->exact ? b : a, *other = b->exact ? a : b;
	*out = (struct hd_pattern){.bits = a->bits, .exact = a->exact && b->exact};
	if (!out->exact && !hd_pattern_is_number(factor)) {
		*out = hd_pattern_shared(a->bits, multiply_alignments(own_alignment(a), own_alignment(b)));
		join_groups(out, a, b);
		hd_pattern_split(out, a->offset);
		hd_pattern_split(out, b->offset);
		return (a->exact || same_in_groups(a)) && (b->exact || same_in_groups(b));
	}
	memcpy(out->group, other->group, sizeof(out->group));
	for (unsigned lane = 0; lane < LANES; lane++)
		out->offset[lane] = (int64_t)((uint64_t)addend(other, lane) * (uint64_t)addend(factor, lane));
	out->align = multiply_alignments(other->align, own_alignment(factor));
	if (other->shifted < 63 && addend(factor, 0) == INT64_C(1) << other->shifted) {
		keep_origin(out, other);
		out->shifted = 0;
		out->carried <<= other->shifted;
	}
	bool positive = addend(factor, 0) >= 0;
	out->exact_unsigned = flags.nuw && positive && other->exact_unsigned;
	out->exact_signed = flags.nsw && other->exact_signed;
	out->positive = flags.nsw && a->positive && b->positive;
	return true;
}

/* ---- bits */

static uint64_t bitwise(LLVMOpcode op, uint64_t a, uint64_t b)
{
	return op == LLVMAnd ? a & b : op == LLVMOr ? a | b : a ^ b;
}

static void apply(LLVMOpcode op, const struct hd_pattern *a, const struct hd_pattern *b, struct hd_pattern *out)
{
	for (unsigned lane = 0; lane < LANES; lane++)
		out->offset[lane] = (int64_t)bitwise(op, (uint64_t)a->offset[lane], (uint64_t)b->offset[lane]);
}

/* A mask of all bits from one on, below which the shared part has none. */
static bool keeps_shared_part(const struct hd_pattern *mask, uint64_t align)
{
	uint64_t clear = ~(uint64_t)mask->offset[0] & low_bits(mask->bits);
	return hd_pattern_is_number(mask) && (clear & (clear + 1)) == 0 && clear < align;
}

bool hd_pattern_bits(LLVMOpcode op, struct hd_pattern a, struct hd_pattern b, struct hd_pattern *out)
{
	if (a.exact) {
		struct hd_pattern swap = a;
		a = b;
		b = swap;
	}
	*out = a;
	if (a.exact || (b.exact && all_below(&b, a.align))) { /* what the shared part has no bits in */
		out->exact = a.exact || op == LLVMAnd;
		out->exact_unsigned = out->exact_signed = false;
		out->positive = op == LLVMAnd ? a.positive || b.positive : a.positive && b.positive;
		apply(op, &a, &b, out);
		return true;
	}
	if (op == LLVMAnd && b.exact && keeps_shared_part(&b, a.align)) {
		for (unsigned lane = 0; lane < LANES; lane++)
			out->offset[lane] =
				(int64_t)((uint64_t)a.offset[lane] & ~(~(uint64_t)b.offset[lane] & low_bits(b.bits)));
		return true;
	}
	uint64_t align = a.align < b.align ? a.align : b.align;
	bool positive = op == LLVMAnd ? a.positive || b.positive : a.positive && b.positive;
	if (!rebase(&a, align) || !rebase(&b, align))
		return false;
	/* What was moved out of a number is part of what its lanes share. */
	*out = hd_pattern_shared(a.bits, align);
	join_groups(out, &a, &b);
	out->positive = positive;
	apply(op, &a, &b, out);
	return true;
}

bool hd_pattern_shift_left(const struct hd_pattern *a, const struct hd_pattern *by, struct hd_flags flags,
			   struct hd_pattern *out)
{
	if (!by->exact || !all_below(by, a->bits))
		return false;
	struct hd_pattern power = {.bits = a->bits, .exact = true};
	for (unsigned lane = 0; lane < LANES; lane++)
		power.offset[lane] = (int64_t)(UINT64_C(1) << by->offset[lane]);
	/* 1 << (bits - 1) is negative as a signed number: nothing is exact then. */
	if (!all_below(by, a->bits - 1))
		flags = (struct hd_flags){false, false};
	hd_pattern_normalise(&power);
	return hd_pattern_multiply(a, &power, flags, out);
}

bool hd_pattern_shift_right(const struct hd_pattern *a, const struct hd_pattern *by, bool is_signed,
			    struct hd_pattern *out)
{
	if (!by->exact || !all_below(by, a->bits))
		return false;
	*out = *a;
	if (a->exact) {
		for (unsigned lane = 0; lane < LANES; lane++)
			out->offset[lane] = is_signed ? addend(a, lane) >> by->offset[lane]
						      : (int64_t)((uint64_t)a->offset[lane] >> by->offset[lane]);
		return true;
	}
	if (!hd_pattern_is_number(by))
		return false;
	unsigned amount = (unsigned)by->offset[0];
	out->positive = a->positive || (!is_signed && amount);
	if (a->positive && amount == a->bits - 1) { /* the sign, which divisions of signed numbers look at */
		*out = (struct hd_pattern){.bits = a->bits, .exact = true};
		return true;
	}
	bool positive = out->positive, together = rebase(out, a->align);
	if (!together && (a->align >> amount == 0 || !(is_signed ? a->exact_signed : a->exact_unsigned)))
		return false;
	if (together && is_signed && !out->exact_signed)
		return false;
	if (a->align >> amount == 0) { /* no carry reaches what is left */
		*out = hd_pattern_shared(a->bits, 1);
		memcpy(out->group, a->group, sizeof(out->group));
		out->positive = positive;
		return true;
	}
	for (unsigned lane = 0; lane < LANES; lane++)
		out->offset[lane] >>= amount;
	out->align >>= amount;
	if (out->shifted)
		out->origin = NULL;
	out->shifted = amount;
	out->carried >>= amount;
	return true;
}

/* ---- widths */

bool hd_pattern_extend(const struct hd_pattern *a, unsigned bits, bool is_signed, struct hd_pattern *out)
{
	bool known = a->exact || (is_signed ? a->exact_signed : a->exact_unsigned);
	*out = *a;
	for (unsigned lane = 0; a->exact && lane < LANES; lane++)
		out->offset[lane] = is_signed ? addend(a, lane) : a->offset[lane];
	if (!known && (!rebase(out, a->align) || (is_signed && !out->exact_signed)))
		return false;
	out->bits = bits;
	out->origin = NULL;
	out->exact_signed = true;
	out->exact_unsigned = !is_signed;
	out->positive |= !is_signed && bits > a->bits;
	return true;
}

/*
 * An index of memory. Where it wrapped around between lanes that share a part, their elements would lie 2^31 apart and
 * one of them outside of the array: that is not taken into account.
 */
bool hd_pattern_extend_index(const struct hd_pattern *a, unsigned bits, bool is_signed, struct hd_pattern *out)
{
	enum { NEAR = 1 << 30 };
	struct hd_pattern index = *a;
	for (unsigned lane = 0; lane < LANES && !a->exact; lane++) {
		int64_t apart = a->offset[lane] - a->offset[a->group[lane]];
		if (a->bits < 32 || apart >= NEAR || apart <= -NEAR)
			return hd_pattern_extend(a, bits, is_signed, out);
	}
	index.exact_signed |= is_signed;
	index.exact_unsigned |= !is_signed;
	return hd_pattern_extend(&index, bits, is_signed, out);
}

void hd_pattern_truncate(struct hd_pattern *pattern, unsigned bits)
{
	pattern->bits = bits;
	pattern->origin = NULL;
	pattern->exact_signed = pattern->exact_unsigned = pattern->positive = false;
}

/* Pointers do not wrap around inside of what they point into. */
void hd_pattern_resize_pointer(struct hd_pattern *pattern, unsigned bits)
{
	if (bits < pattern->bits)
		hd_pattern_truncate(pattern, bits);
	if (bits > pattern->bits) { /* shared memory has its window in generic addresses, at a multiple of 4 GiB */
		pattern->align = pattern->align < modulus(pattern->bits) ? pattern->align : modulus(pattern->bits);
		pattern->exact = false;
	}
	pattern->bits = bits;
}

struct hd_pattern hd_pattern_number(int64_t value, unsigned bits)
{
	struct hd_pattern pattern = {.bits = bits, .exact = true};
	for (unsigned lane = 0; lane < LANES; lane++)
		pattern.offset[lane] = value;
	hd_pattern_normalise(&pattern);
	return pattern;
}
