/*
 * Inline PTX as IR: integers. Division and remainder, byte permutes by mode, products of 24 bits and of halves, masks,
 * and three-input logic that answers in a predicate. The PTX ISA's pseudo-code is what each follows.
 */
#include <string.h>

#include "passes/legalize/asm.h"

static bool is_integer(struct hd_ptx_type type)
{
	return type.bits && strchr("usb", type.class);
}

static bool of_integers(const struct hd_ptx_statement *now)
{
	return is_integer(hd_ptx_statement_type(now, 0));
}

/* ------------------------------------------------------------------ division */

/* By zero all ones, and the dividend is what is left. LLVM's operation would have no value then. */
static void divide(struct hd_asm *a, unsigned remainder)
{
	struct hd_ptx_type type = hd_asm_type(a, 0);
	bool sign = hd_ptx_type_is_signed(type);
	if (type.bits < 16) {
		hd_asm_error(a, "missing integer type of 16, 32 or 64 bits");
		return;
	}
	value x = hd_asm_in(a, 1, type.bits), y = hd_asm_in(a, 2, type.bits);
	LLVMOpcode op = remainder ? (sign ? LLVMSRem : LLVMURem) : sign ? LLVMSDiv : LLVMUDiv;
	unsigned bits = type.bits < 32 ? 32 : type.bits;
	x = cast(&a->site, x, bits, sign);
	y = cast(&a->site, y, bits, sign);
	value none = compare(&a->site, LLVMIntEQ, y, number(y, 0));
	value out = binary(&a->site, op, x, choose(&a->site, none, number(y, 1), y));
	out = choose(&a->site, none, remainder ? x : LLVMConstAllOnes(LLVMTypeOf(y)), out);
	hd_asm_out(a, 0, cast(&a->site, out, type.bits, sign), sign);
}

/* ------------------------------------------------------------------ bytes */

/* The selector of each mode as prmt without one has it, by the two lowest bits of the operand. */
static value selector(struct hd_asm *a, const char *mode, value c)
{
	struct hd_site *site = &a->site;
	uint64_t table = !strcmp(mode, "f4e")	? UINT64_C(0x6543543243213210)
			 : !strcmp(mode, "b4e") ? UINT64_C(0x0123701267015670)
			 : !strcmp(mode, "rc8") ? UINT64_C(0x3333222211110000)
			 : !strcmp(mode, "ecl") ? UINT64_C(0x3333322232113210)
			 : !strcmp(mode, "ecr") ? UINT64_C(0x3210221011100000)
						: UINT64_C(0x3232101032321010); /* rc16 */
	value wide = LLVMConstInt(int_type(site, 64), table, false);
	value at = binary(site, LLVMAnd, cast(site, c, 64, false), number(wide, 3));
	wide = binary(site, LLVMLShr, wide, binary(site, LLVMShl, at, number(wide, 4)));
	return binary(site, LLVMAnd, cast(site, wide, 32, false), hd_asm_word(a, 0xffff));
}

static bool has_mode(const struct hd_ptx_statement *now)
{
	return now->part_count == 3 && strstr(" f4e b4e rc8 ecl ecr rc16 ", now->parts[2]);
}

static void permute(struct hd_asm *a, unsigned arg)
{
	value args[3] = {hd_asm_in(a, 1, 32), hd_asm_in(a, 2, 32), NULL};
	(void)arg;
	args[2] = selector(a, a->now->parts[2], hd_asm_in(a, 3, 32));
	hd_asm_out(a, 0, hd_asm_call(a, "llvm.nvvm.prmt", NULL, args, 3), false);
}

/* ------------------------------------------------------------------ products */

static value narrow_factor(struct hd_asm *a, unsigned index, bool sign)
{
	return cast(&a->site, cast(&a->site, hd_asm_in(a, index, 32), 24, false), 64, sign);
}

static value clamped(struct hd_asm *a, value v, int64_t low, int64_t high)
{
	struct hd_site *site = &a->site;
	value bottom = number(v, (uint64_t)low), top = number(v, (uint64_t)high);
	v = choose(site, compare(site, LLVMIntSLT, v, bottom), bottom, v);
	return choose(site, compare(site, LLVMIntSGT, v, top), top, v);
}

/* mul24.hi and mad24.hi: bits 16 to 47 of the product. */
static void product_24(struct hd_asm *a, unsigned add)
{
	struct hd_ptx_type type = hd_asm_type(a, 0);
	bool sign = hd_ptx_type_is_signed(type), saturates = hd_asm_has(a, "sat");
	struct hd_site *site = &a->site;
	value v = binary(site, LLVMMul, narrow_factor(a, 1, sign), narrow_factor(a, 2, sign));
	v = cast(site, binary(site, LLVMLShr, v, number(v, 16)), 32, false);
	if (add && saturates) {
		v = binary(site, LLVMAdd, cast(site, v, 64, true), cast(site, hd_asm_in(a, 3, 32), 64, true));
		v = cast(site, clamped(a, v, INT32_MIN, INT32_MAX), 32, false);
	} else if (add) {
		v = binary(site, LLVMAdd, v, hd_asm_in(a, 3, 32));
	}
	hd_asm_out(a, 0, v, false);
}

/* mad.hi.sat.s32 */
static void product_high_saturated(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	value v = binary(site, LLVMMul, cast(site, hd_asm_in(a, 1, 32), 64, true),
			 cast(site, hd_asm_in(a, 2, 32), 64, true));
	(void)arg;
	v = binary(site, LLVMAdd, binary(site, LLVMAShr, v, number(v, 32)), cast(site, hd_asm_in(a, 3, 32), 64, true));
	hd_asm_out(a, 0, cast(site, clamped(a, v, INT32_MIN, INT32_MAX), 32, false), true);
}

static bool saturates(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "sat") && !strcmp(now->parts[now->part_count - 1], "s32");
}

/* dp2a.lo, .hi: two halves of a with the lower or upper two bytes of b. */
static void dot_product_2(struct hd_asm *a, unsigned high)
{
	bool a_signed = hd_ptx_type_is_signed(hd_asm_type(a, 1)), b_signed = hd_ptx_type_is_signed(hd_asm_type(a, 0));
	struct hd_site *site = &a->site;
	value x = hd_asm_in(a, 1, 32), y = hd_asm_in(a, 2, 32), sum = hd_asm_in(a, 3, 32);
	for (unsigned i = 0; i < 2; i++) {
		value half = binary(site, LLVMLShr, x, number(x, 16 * i));
		value byte = binary(site, LLVMLShr, y, number(y, 8 * i + (high ? 16 : 0)));
		half = cast(site, cast(site, half, 16, false), 32, a_signed);
		byte = cast(site, cast(site, byte, 8, false), 32, b_signed);
		sum = binary(site, LLVMAdd, sum, binary(site, LLVMMul, half, byte));
	}
	hd_asm_out(a, 0, sum, false);
}

/* ------------------------------------------------------------------ bits */

static void find_set(struct hd_asm *a, unsigned arg)
{
	value args[3] = {hd_asm_in(a, 1, 32), hd_asm_in(a, 2, 32), hd_asm_in(a, 3, 32)};
	(void)arg;
	hd_asm_out(a, 0, hd_asm_call(a, "llvm.nvvm.fns", NULL, args, 3), false);
}

static void is_zero(struct hd_asm *a, unsigned arg)
{
	unsigned bits = hd_asm_type(a, 0).bits;
	value v = hd_asm_in(a, 1, bits);
	(void)arg;
	hd_asm_out(a, 0, cast(&a->site, compare(&a->site, LLVMIntEQ, v, number(v, 0)), bits, false), false);
}

static bool not_32(const struct hd_ptx_statement *now)
{
	unsigned bits = hd_ptx_statement_type(now, 0).bits;
	return bits == 16 || bits == 64;
}

static bool is_64(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_type(now, 0).bits == 64;
}

/* bfind of 64 bits: the position of the highest bit that is not the sign's, or its distance from the top. */
static void find_leading(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	value v = hd_asm_in(a, 1, 64), negative;
	(void)arg;
	if (hd_ptx_type_is_signed(hd_asm_type(a, 0))) {
		negative = compare(site, LLVMIntSLT, v, number(v, 0));
		v = choose(site, negative, LLVMBuildNot(site->builder, v, ""), v);
	}
	value args[2] = {v, truth(site, false)};
	value zeros = cast(site, intrinsic(site, "ctlz", args, 2), 32, false), none;
	none = compare(site, LLVMIntEQ, v, number(v, 0));
	if (!hd_asm_has(a, "shiftamt"))
		zeros = binary(site, LLVMSub, hd_asm_word(a, 63), zeros);
	hd_asm_out(a, 0, choose(site, none, hd_asm_word(a, UINT32_MAX), zeros), false);
}

/* lop3.or d|p, a, b, c, table, q: p is whether d has a bit, joined with q. */
static void logic_3(struct hd_asm *a, unsigned both)
{
	const struct hd_ptx_part *table = &a->now->operands[4].parts[0];
	struct hd_site *site = &a->site;
	char text[64];
	if (table->kind != HD_PTX_NUMBER || table->number > 0xff) {
		hd_asm_error(a, "the table is not an 8-bit number");
		return;
	}
	value args[3] = {hd_asm_in(a, 1, 32), hd_asm_in(a, 2, 32), hd_asm_in(a, 3, 32)};
	value q = hd_asm_in(a, 5, 1);
	snprintf(text, sizeof text, "lop3.b32 $0, $1, $2, $3, %u;", (unsigned)table->number);
	value d = hd_asm_piece(a, text, 32, args, 3), any = compare(site, LLVMIntNE, d, number(d, 0));
	hd_asm_write(a, &a->now->operands[0].parts[0], d, false);
	hd_asm_write(a, &a->now->operands[0].second, binary(site, both ? LLVMAnd : LLVMOr, any, q), false);
}

/* add, min and max of two halves in a word. */
static void pairwise(struct hd_asm *a, unsigned what)
{
	bool sign = strchr(a->now->parts[a->now->part_count - 1], 's') != NULL;
	struct hd_site *site = &a->site;
	value x = hd_asm_in(a, 1, 32), y = hd_asm_in(a, 2, 32), out = hd_asm_word(a, 0);
	for (unsigned i = 0; i < 2; i++) {
		value args[2] = {cast(site, binary(site, LLVMLShr, x, number(x, 16 * i)), 16, false),
				 cast(site, binary(site, LLVMLShr, y, number(y, 16 * i)), 16, false)};
		LLVMIntPredicate order =
			what == 1 ? (sign ? LLVMIntSLT : LLVMIntULT) : (sign ? LLVMIntSGT : LLVMIntUGT);
		value v = what == 0 ? binary(site, LLVMAdd, args[0], args[1])
				    : choose(site, compare(site, order, args[0], args[1]), args[0], args[1]);
		if (hd_asm_has(a, "relu"))
			v = choose(site, compare(site, LLVMIntSLT, v, number(v, 0)), number(v, 0), v);
		v = cast(site, v, 32, false);
		out = binary(site, LLVMOr, out, binary(site, LLVMShl, v, number(v, 16 * i)));
	}
	hd_asm_out(a, 0, out, false);
}

static bool of_pairs(const struct hd_ptx_statement *now)
{
	const char *last = now->parts[now->part_count - 1];
	return !strcmp(last, "u16x2") || !strcmp(last, "s16x2");
}

static void extreme_not_below_zero(struct hd_asm *a, unsigned max)
{
	struct hd_site *site = &a->site;
	value x = hd_asm_in(a, 1, 32), y = hd_asm_in(a, 2, 32);
	x = choose(site, compare(site, max ? LLVMIntSGT : LLVMIntSLT, x, y), x, y);
	hd_asm_out(a, 0, choose(site, compare(site, LLVMIntSLT, x, number(x, 0)), number(x, 0), x), false);
}

static bool is_relu_s32(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "relu") && !strcmp(now->parts[now->part_count - 1], "s32");
}

const struct hd_asm_row hd_asm_integer[] = {
	{"div", 3, of_integers, divide, 0},
	{"rem", 3, of_integers, divide, 1},
	{"prmt.b32", 4, has_mode, permute, 0},
	{"mul24.hi", 3, NULL, product_24, 0},
	{"mad24.hi", 4, NULL, product_24, 1},
	{"mad.hi", 4, saturates, product_high_saturated, 0},
	{"dp2a.lo", 4, NULL, dot_product_2, 0},
	{"dp2a.hi", 4, NULL, dot_product_2, 1},
	{"fns.b32", 4, NULL, find_set, 0},
	{"cnot", 2, not_32, is_zero, 0},
	{"bfind", 2, is_64, find_leading, 0},
	{"lop3.or", 6, NULL, logic_3, 0},
	{"lop3.and", 6, NULL, logic_3, 1},
	{"add", 3, of_pairs, pairwise, 0},
	{"min", 3, of_pairs, pairwise, 1},
	{"max", 3, of_pairs, pairwise, 2},
	{"min", 3, is_relu_s32, extreme_not_below_zero, 0},
	{"max", 3, is_relu_s32, extreme_not_below_zero, 1},
	{NULL, 0, NULL, NULL, 0},
};
