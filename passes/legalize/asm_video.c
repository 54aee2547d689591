/*
 * Inline PTX as IR: the scalar video instructions, vadd to vset and vmad, and of the SIMD ones those with selectors and
 * masks (the others have instructions, passes/ptx/simd.c). Every operand is an integer of 33 bits in the pseudo-code of
 * the PTX ISA; here it has 64.
 *
 *   vadd.s32.u32.s32{.sat}{.op} d{.b0}, a{.b1}, b{.h0}{, c}
 */
#include <stdlib.h>
#include <string.h>

#include "passes/legalize/asm.h"

enum operation { ADD, SUBTRACT, AVERAGE, DIFFERENCE, MINIMUM, MAXIMUM, COMPARE, LEFT, RIGHT };

static value wide_number(struct hd_asm *a, int64_t n)
{
	return LLVMConstInt(int_type(&a->site, 64), (uint64_t)n, true);
}

static value at_most(struct hd_asm *a, value x, value y, bool max)
{
	return choose(&a->site, compare(&a->site, max ? LLVMIntSGT : LLVMIntSLT, x, y), x, y);
}

static bool is_type(const char *part, bool *is_signed)
{
	*is_signed = *part == 's';
	return !strcmp(part, "s32") || !strcmp(part, "u32");
}

/* The bits that a selector means, of a word: first and how many. */
static bool selected(struct hd_asm *a, const struct hd_ptx_part *part, unsigned *first, unsigned *bits)
{
	const char *s = part->selector;
	*first = 0;
	*bits = 32;
	if (!*s)
		return true;
	unsigned n = (unsigned)(s[1] - '0');
	*bits = *s == 'b' ? 8 : 16;
	*first = *bits * n;
	if (strlen(s) == 2 && *first < 32)
		return true;
	hd_asm_error(a, "unknown part '.%s'", s);
	return false;
}

/* Operand `index`, extended; negated where a minus stands before it. */
static value operand(struct hd_asm *a, unsigned index, bool is_signed)
{
	const struct hd_ptx_part *part = &a->now->operands[index].parts[0];
	struct hd_site *site = &a->site;
	unsigned first, bits;
	value v = hd_asm_in(a, index, 32);
	if (!selected(a, part, &first, &bits))
		return wide_number(a, 0);
	v = cast(site, binary(site, LLVMLShr, v, number(v, first)), bits, false);
	v = cast(site, v, 64, is_signed);
	return part->negated ? binary(site, LLVMSub, wide_number(a, 0), v) : v;
}

static value saturated(struct hd_asm *a, value v, bool is_signed, unsigned bits)
{
	int64_t high = (INT64_C(1) << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
	return at_most(a, at_most(a, v, wide_number(a, low), true), wide_number(a, high), false);
}

static bool comparison(struct hd_asm *a, LLVMIntPredicate *out)
{
	static const struct {
		const char *name;
		LLVMIntPredicate predicate;
	} names[] = {{"eq", LLVMIntEQ},	 {"ne", LLVMIntNE},  {"lt", LLVMIntSLT},
		     {"le", LLVMIntSLE}, {"gt", LLVMIntSGT}, {"ge", LLVMIntSGE}};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (hd_asm_has(a, names[i].name)) {
			*out = names[i].predicate;
			return true;
		}
	hd_asm_error(a, "expected a comparison");
	return false;
}

static value compared(struct hd_asm *a, value x, value y)
{
	LLVMIntPredicate predicate;
	return comparison(a, &predicate) ? cast(&a->site, compare(&a->site, predicate, x, y), 64, false)
					 : wide_number(a, 0);
}

/* Distances count up to 32 (.clamp), or modulo 32 (.wrap). The result has 34 bits. */
static value shifted(struct hd_asm *a, value x, value distance, bool left)
{
	struct hd_site *site = &a->site;
	if (hd_asm_has(a, "wrap"))
		distance = binary(site, LLVMAnd, distance, wide_number(a, 31));
	else
		distance = at_most(a, distance, wide_number(a, 32), false);
	if (!left)
		return binary(site, LLVMAShr, x, distance);
	x = binary(site, LLVMShl, x, distance);
	return binary(site, LLVMAShr, binary(site, LLVMShl, x, wide_number(a, 30)), wide_number(a, 30));
}

/* (x + y + 1) / 2 downwards; of a negative sum away from zero. */
static value average(struct hd_asm *a, value x, value y)
{
	struct hd_site *site = &a->site;
	value sum = binary(site, LLVMAdd, x, y);
	value positive = compare(site, LLVMIntSGE, sum, wide_number(a, 0));
	sum = binary(site, LLVMAdd, sum, cast(site, positive, 64, false));
	return binary(site, LLVMAShr, sum, wide_number(a, 1));
}

static value operate(struct hd_asm *a, enum operation operation, value x, value y)
{
	struct hd_site *site = &a->site;
	switch (operation) {
	case ADD: return binary(site, LLVMAdd, x, y);
	case SUBTRACT: return binary(site, LLVMSub, x, y);
	case AVERAGE: return average(a, x, y);
	case DIFFERENCE: return binary(site, LLVMSub, at_most(a, x, y, true), at_most(a, x, y, false));
	case MINIMUM:
	case MAXIMUM: return at_most(a, x, y, operation == MAXIMUM);
	case COMPARE: return compared(a, x, y);
	default: return shifted(a, x, y, operation == LEFT);
	}
}

/* ------------------------------------------------------------------ one result */

/* What is done with the third operand: .add, .min, .max, of the whole intermediate result; or it is what the result's
 * part is put into. */
static void finish(struct hd_asm *a, value v, bool is_signed)
{
	const struct hd_ptx_part *to = &a->now->operands[0].parts[0];
	bool add = hd_asm_has(a, "add"), min = hd_asm_has(a, "min"), max = hd_asm_has(a, "max");
	struct hd_site *site = &a->site;
	unsigned first, bits;
	value c, mask;
	if (!selected(a, to, &first, &bits))
		return;
	if ((add || min || max) != (a->now->count > 3 && bits == 32) || (bits < 32 && a->now->count < 4)) {
		hd_asm_error(a, "a third operand needs a second operation, or a part of the result");
		return;
	}
	if (add || min || max) {
		c = cast(site, hd_asm_in(a, 3, 32), 64, is_signed);
		v = add ? binary(site, LLVMAdd, v, c) : at_most(a, v, c, max);
	}
	v = cast(site, v, 32, false);
	if (bits < 32) {
		c = hd_asm_in(a, 3, 32);
		mask = hd_asm_word(a, ((UINT32_C(1) << bits) - 1) << first);
		v = binary(site, LLVMAnd, binary(site, LLVMShl, v, number(v, first)), mask);
		v = binary(site, LLVMOr, v, binary(site, LLVMAnd, c, LLVMConstNot(mask)));
	}
	hd_asm_out(a, 0, v, false);
}

static void scalar(struct hd_asm *a, unsigned operation)
{
	const struct hd_ptx_statement *now = a->now;
	unsigned first, bits, types = operation == COMPARE ? 2 : 3;
	bool sign[3] = {false, false, false};
	for (unsigned i = 0; i < types; i++)
		if (now->part_count <= types || !is_type(now->parts[i + 1], &sign[i + 3 - types])) {
			hd_asm_error(a, "expected 32-bit types after the opcode");
			return;
		}
	if (operation >= LEFT && hd_asm_has(a, "clamp") == hd_asm_has(a, "wrap")) {
		hd_asm_error(a, "expected .clamp or .wrap");
		return;
	}
	value v = operate(a, operation, operand(a, 1, sign[1]), operand(a, 2, sign[2]));
	if (selected(a, &now->operands[0].parts[0], &first, &bits) && hd_asm_has(a, "sat"))
		v = saturated(a, v, sign[0], bits);
	if (!a->failed)
		finish(a, v, operation == COMPARE ? sign[1] : sign[0]);
}

/* vmad: a * b + c, all of it exact (with .po one more), then shifted, then saturated. The result's type has no part in
 * it, says the pseudo-code. */
static void multiply_add(struct hd_asm *a, unsigned arg)
{
	const struct hd_ptx_statement *now = a->now;
	struct hd_site *site = &a->site;
	bool sign[3], po = hd_asm_has(a, "po");
	(void)arg;
	for (unsigned i = 0; i < 3; i++)
		if (now->part_count < 4 || !is_type(now->parts[i + 1], &sign[i])) {
			hd_asm_error(a, "expected 32-bit types after the opcode");
			return;
		}
	const struct hd_ptx_part *x = &now->operands[1].parts[0], *y = &now->operands[2].parts[0],
				 *z = &now->operands[3].parts[0];
	bool minus = x->negated != y->negated;
	/* unsigned: neither factor is signed, none negated, and no c taken away */
	bool is_signed = sign[1] || sign[2] || minus || z->negated;
	LLVMTypeRef type = int_type(site, 128);
	value factors[2], c;
	for (unsigned i = 0; i < 2; i++) {
		const struct hd_ptx_part *part = i ? y : x;
		unsigned first, bits;
		value v = hd_asm_in(a, i + 1, 32);
		if (!selected(a, part, &first, &bits))
			return;
		v = cast(site, binary(site, LLVMLShr, v, number(v, first)), bits, false);
		factors[i] = cast(site, v, 128, sign[i + 1]);
	}
	value v = binary(site, LLVMMul, factors[0], factors[1]);
	c = cast(site, hd_asm_in(a, 3, 32), 128, is_signed);
	if (minus)
		v = LLVMBuildNeg(site->builder, v, "");
	if (z->negated)
		c = LLVMBuildNeg(site->builder, c, "");
	v = binary(site, LLVMAdd, v, c);
	if (po)
		v = binary(site, LLVMAdd, v, LLVMConstInt(type, 1, false));
	unsigned scale = hd_asm_has(a, "shr15") ? 15 : hd_asm_has(a, "shr7") ? 7 : 0;
	if (scale)
		v = binary(site, is_signed ? LLVMAShr : LLVMLShr, v, number(v, scale));
	if (hd_asm_has(a, "sat")) {
		int64_t high = is_signed ? INT32_MAX : UINT32_MAX, low = is_signed ? INT32_MIN : 0;
		value top = LLVMConstInt(type, (uint64_t)high, true), bottom = LLVMConstInt(type, (uint64_t)low, true);
		v = at_most(a, at_most(a, v, bottom, true), top, false);
	}
	hd_asm_out(a, 0, cast(site, v, 32, false), false);
}

/* ------------------------------------------------------------------ several results in a word */

/* "h10", "b7531": which lane of a, or of b behind it, each lane takes, lowest last. */
static bool lanes_of(struct hd_asm *a, const char *selector, unsigned lanes, unsigned base, unsigned *out)
{
	for (unsigned i = 0; i < lanes; i++)
		out[i] = base + i;
	if (!*selector)
		return true;
	if (selector[0] != (lanes == 2 ? 'h' : 'b') || strlen(selector) != lanes + 1) {
		hd_asm_error(a, "'.%s' does not name %u lanes", selector, lanes);
		return false;
	}
	for (unsigned i = 0; i < lanes; i++) {
		out[i] = (unsigned)(selector[lanes - i] - '0');
		if (out[i] >= 2 * lanes)
			hd_asm_error(a, "'.%s' does not name a lane", selector);
	}
	return !a->failed;
}

/* "b20": the lanes of the result that are computed. */
static unsigned mask_of(const char *selector, unsigned lanes)
{
	unsigned mask = 0;
	if (!*selector)
		return (1u << lanes) - 1;
	for (const char *at = selector + 1; *at; at++)
		mask |= 1u << (*at - '0');
	return mask & ((1u << lanes) - 1);
}

/* Lane `lane` of a with those of b behind it. */
static value lane_of(struct hd_asm *a, const value words[2], unsigned lane, unsigned lanes, bool is_signed)
{
	unsigned bits = 32 / lanes, first = lane % lanes * bits;
	value v = words[lane / lanes];
	v = cast(&a->site, binary(&a->site, LLVMLShr, v, number(v, first)), bits, false);
	return cast(&a->site, v, 64, is_signed);
}

static void simd(struct hd_asm *a, unsigned arg)
{
	const struct hd_ptx_operand *operands = a->now->operands;
	unsigned operation = arg >> 4, lanes = arg & 15, bits = 32 / lanes, from[2][4];
	unsigned types = operation == COMPARE ? 2 : 3, mask = mask_of(operands[0].parts[0].selector, lanes);
	bool sign[3] = {false, false, false}, sum = hd_asm_has(a, "add");
	struct hd_site *site = &a->site;
	for (unsigned i = 0; i < types; i++)
		if (a->now->part_count <= types || !is_type(a->now->parts[i + 1], &sign[i + 3 - types])) {
			hd_asm_error(a, "expected 32-bit types after the opcode");
			return;
		}
	for (unsigned i = 0; i < 2; i++)
		if (!lanes_of(a, operands[i + 1].parts[0].selector, lanes, i * lanes, from[i]))
			return;
	value words[2] = {hd_asm_in(a, 1, 32), hd_asm_in(a, 2, 32)}, c = hd_asm_in(a, 3, 32), out = c;
	for (unsigned i = 0; i < lanes && !a->failed; i++) {
		/* A lane that is taken from the other word has that operand's place, and its own type. */
		if (!(mask >> i & 1))
			continue;
		value v = operate(a, operation, lane_of(a, words, from[0][i], lanes, sign[1]),
				  lane_of(a, words, from[1][i], lanes, sign[2]));
		if (hd_asm_has(a, "sat"))
			v = saturated(a, v, sign[0], bits);
		v = cast(site, v, 32, false);
		uint32_t ones = ((UINT32_C(1) << bits) - 1) << (i * bits);
		if (sum) {
			out = binary(site, LLVMAdd, out, v);
			continue;
		}
		v = binary(site, LLVMAnd, binary(site, LLVMShl, v, number(v, i * bits)), hd_asm_word(a, ones));
		out = binary(site, LLVMOr, binary(site, LLVMAnd, out, hd_asm_word(a, ~ones)), v);
	}
	hd_asm_out(a, 0, out, false);
}

static bool has_selectors(const struct hd_ptx_statement *now)
{
	for (unsigned i = 0; i < now->count; i++)
		if (*now->operands[i].parts[0].selector)
			return true;
	return false;
}

#define SIMD(name, operation)                                              \
	{name "2", 4, has_selectors, simd, (operation) << 4 | 2},          \
	{                                                                  \
		name "4", 4, has_selectors, simd, (operation) << 4 | 4     \
	}

const struct hd_asm_row hd_asm_video[] = {
	{"vadd", 3, NULL, scalar, ADD},
	{"vsub", 3, NULL, scalar, SUBTRACT},
	{"vabsdiff", 3, NULL, scalar, DIFFERENCE},
	{"vmin", 3, NULL, scalar, MINIMUM},
	{"vmax", 3, NULL, scalar, MAXIMUM},
	{"vset", 3, NULL, scalar, COMPARE},
	{"vshl", 3, NULL, scalar, LEFT},
	{"vshr", 3, NULL, scalar, RIGHT},
	{"vmad", 4, NULL, multiply_add, 0},
	SIMD("vadd", ADD),
	SIMD("vsub", SUBTRACT),
	SIMD("vavrg", AVERAGE),
	SIMD("vabsdiff", DIFFERENCE),
	SIMD("vmin", MINIMUM),
	SIMD("vmax", MAXIMUM),
	SIMD("vset", COMPARE),
	{NULL, 0, NULL, NULL, 0},
};
