/*
 * Inline PTX as IR: conversions beyond one instruction. To TF32, to and from the types of eight bits, not below zero
 * (.relu), integers that are packed and saturated, and moves of 128 bits.
 */
#include <string.h>

#include "passes/legalize/asm.h"

static const char *part_back(const struct hd_ptx_statement *now, unsigned back)
{
	return now->part_count > back ? now->parts[now->part_count - 1 - back] : "";
}

static LLVMTypeRef single(struct hd_asm *a)
{
	return LLVMFloatTypeInContext(a->site.legal->context);
}

static value single_in(struct hd_asm *a, unsigned index)
{
	return LLVMBuildBitCast(a->site.builder, hd_asm_in(a, index, 32), single(a), "");
}

/* Every NaN as the one that the hardware makes; and, with .relu, nothing below zero. */
static value normalised(struct hd_asm *a, value in, value bits, uint64_t nan)
{
	struct hd_site *site = &a->site;
	value none = LLVMConstNull(LLVMTypeOf(in)), zero = LLVMConstNull(LLVMTypeOf(bits));
	if (hd_asm_has(a, "relu"))
		bits = choose(site, LLVMBuildFCmp(site->builder, LLVMRealOLE, in, none, ""), zero, bits);
	value is_nan = LLVMBuildFCmp(site->builder, LLVMRealUNO, in, in, "");
	return choose(site, is_nan, number(bits, nan), bits);
}

/* ------------------------------------------------------------------ TF32 */

static bool to_tf32(const struct hd_ptx_statement *now)
{
	return !strcmp(part_back(now, 1), "tf32");
}

/* Ten bits of fraction: to nearest with ties away (.rna) or to even, or cut. */
static void tensor_float(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	value in = single_in(a, 1), bits = hd_asm_bits(a, in), up = hd_asm_word(a, 0);
	(void)arg;
	if (hd_asm_has(a, "rna")) {
		up = hd_asm_word(a, 0x1000);
	} else if (hd_asm_has(a, "rn")) {
		up = binary(site, LLVMAnd, binary(site, LLVMLShr, bits, number(bits, 13)), number(bits, 1));
		up = binary(site, LLVMAdd, up, number(bits, 0xfff));
	} else if (!hd_asm_has(a, "rz")) {
		hd_asm_error(a, "expected a rounding mode");
		return;
	}
	value size = binary(site, LLVMAnd, bits, number(bits, 0x7fffffff));
	value finite = compare(site, LLVMIntULT, size, number(bits, 0x7f800000));
	bits = choose(site, finite, binary(site, LLVMAdd, bits, up), bits);
	bits = binary(site, LLVMAnd, bits, number(bits, 0xffffe000u));
	if (!hd_asm_has(a, "rna"))
		bits = normalised(a, in, bits, 0x7fffe000);
	hd_asm_out(a, 0, bits, false);
}

/* ------------------------------------------------------------------ halves that are not below zero */

static bool is_relu(const struct hd_ptx_statement *now)
{
	struct hd_ptx_type to = hd_ptx_statement_type(now, 1);
	return hd_ptx_statement_has(now, "relu") && to.class && strchr("hg", to.class) &&
	       !strcmp(part_back(now, 0), "f32");
}

static void halves(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type to = hd_asm_type(a, 1);
	unsigned count = to.bits == 32 ? 2 : 1;
	value out = NULL;
	(void)arg;
	for (unsigned i = 0; i < count; i++) {
		char text[48];
		value in = single_in(a, count - i), bits = hd_asm_bits(a, in);
		snprintf(text, sizeof text, "cvt.%s.%s.f32 $0, $1;", hd_asm_has(a, "rz") ? "rz" : "rn",
			 to.class == 'g' ? "bf16" : "f16");
		bits = normalised(a, in, hd_asm_piece(a, text, 16, &bits, 1), 0x7fff);
		bits = cast(&a->site, bits, 16 * count, false);
		out = out ? binary(&a->site, LLVMOr, out, binary(&a->site, LLVMShl, bits, number(bits, 16))) : bits;
	}
	hd_asm_out(a, 0, out, false);
}

/* ------------------------------------------------------------------ eight bits */

static bool is_small(const char *name)
{
	return !strcmp(name, "e4m3x2") || !strcmp(name, "e5m2x2");
}

static bool of_small(const struct hd_ptx_statement *now)
{
	return is_small(part_back(now, 0)) || is_small(part_back(now, 1));
}

/* cvt.rn.satfinite.e4m3x2.f32 d, a, b (a in the upper byte), or of .f16x2 */
static void to_small(struct hd_asm *a)
{
	struct hd_site *site = &a->site;
	const char *name = part_back(a->now, 1)[1] == '4' ? "__heddle_to_e4m3_32" : "__heddle_to_e5m2_32";
	bool pair = !strcmp(part_back(a->now, 0), "f16x2");
	value out = LLVMConstNull(int_type(site, 16));
	if (!hd_asm_has(a, "satfinite") || (!pair && strcmp(part_back(a->now, 0), "f32"))) {
		hd_asm_error(a, "expected .satfinite and .f32 or .f16x2");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		value word = hd_asm_in(a, pair ? 1 : 2 - i, 32), in;
		if (pair) {
			word = cast(site, binary(site, LLVMLShr, word, number(word, 16 * i)), 16, false);
			in = LLVMBuildBitCast(site->builder, word, LLVMHalfTypeInContext(site->legal->context), "");
			in = LLVMBuildFPExt(site->builder, in, single(a), "");
		} else {
			in = LLVMBuildBitCast(site->builder, word, single(a), "");
		}
		value byte = normalised(a, in, hd_legal_call(site, name, int_type(site, 32), &in, 1), 0x7f);
		byte = cast(site, byte, 16, false);
		out = binary(site, LLVMOr, out, binary(site, LLVMShl, byte, number(byte, 8 * i)));
	}
	hd_asm_out(a, 0, out, false);
}

/* cvt.rn.f16x2.e4m3x2: exact. */
static void from_small(struct hd_asm *a)
{
	struct hd_site *site = &a->site;
	const char *name = part_back(a->now, 0)[1] == '4' ? "__heddle_from_e4m3_32" : "__heddle_from_e5m2_32";
	value word = hd_asm_in(a, 1, 16), out = hd_asm_word(a, 0);
	if (strcmp(part_back(a->now, 1), "f16x2") != 0) {
		hd_asm_error(a, "expected .f16x2");
		return;
	}
	for (unsigned i = 0; i < 2; i++) {
		value byte =
			cast(site, cast(site, binary(site, LLVMLShr, word, number(word, 8 * i)), 8, false), 32, false);
		value in = hd_legal_call(site, name, single(a), &byte, 1);
		value half = LLVMBuildFPTrunc(site->builder, in, LLVMHalfTypeInContext(site->legal->context), "");
		half = cast(site, normalised(a, in, hd_asm_bits(a, half), 0x7fff), 32, false);
		out = binary(site, LLVMOr, out, binary(site, LLVMShl, half, number(half, 16 * i)));
	}
	hd_asm_out(a, 0, out, false);
}

static void small(struct hd_asm *a, unsigned arg)
{
	(void)arg;
	if (is_small(part_back(a->now, 1)))
		to_small(a);
	else
		from_small(a);
}

/* ------------------------------------------------------------------ integers */

/* cvt.pack.sat.u8.s32.b32 d, a, b, c: a above b in the lowest bits, c above both; of 16 bits without c. */
static void pack(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	const char *type = a->now->part_count > 3 ? a->now->parts[3] : "";
	bool is_signed = *type == 's', third = a->now->count > 3;
	unsigned bits = !strcmp(type + 1, "16")	  ? 16
			: !*type		  ? 0
			: strstr("248", type + 1) ? (unsigned)(type[1] - '0')
						  : 0;
	(void)arg;
	if (!bits || third != (bits < 16)) {
		hd_asm_error(a, "expected a 16-bit type, or a smaller type and a third operand");
		return;
	}
	int64_t high = (INT64_C(1) << (bits - is_signed)) - 1, low = is_signed ? -high - 1 : 0;
	value out = third ? hd_asm_in(a, 3, 32) : hd_asm_word(a, 0);
	for (unsigned i = 1; i <= 2; i++) {
		value v = hd_asm_in(a, i, 32), top = number(v, (uint64_t)high), bottom = number(v, (uint32_t)low);
		v = choose(site, compare(site, LLVMIntSGT, v, top), top, v);
		v = choose(site, compare(site, LLVMIntSLT, v, bottom), bottom, v);
		v = binary(site, LLVMAnd, v, number(v, (UINT64_C(1) << bits) - 1));
		out = binary(site, LLVMOr, binary(site, LLVMShl, out, number(out, bits)), v);
	}
	hd_asm_out(a, 0, out, false);
}

/* Of an integer, between 0 and 1. */
static bool to_fraction(const struct hd_ptx_statement *now)
{
	struct hd_ptx_type to = hd_ptx_statement_type(now, 1), from = hd_ptx_statement_type(now, 0);
	return hd_ptx_statement_has(now, "sat") && hd_asm_is_real(to) && from.bits && !hd_asm_is_real(from);
}

static void fraction(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type to = hd_asm_type(a, 1), from = hd_asm_type(a, 0);
	struct hd_site *site = &a->site;
	LLVMTypeRef type = hd_asm_real_type(a, to);
	value v = hd_asm_in(a, 1, from.bits), one = LLVMConstReal(type, 1), zero = LLVMConstNull(type);
	(void)arg;
	value above = compare(site, from.class == 's' ? LLVMIntSGT : LLVMIntUGT, v, number(v, 0));
	hd_asm_out(a, 0, choose(site, above, one, zero), false);
}

/* Rounded to an integral value of the type that it has, between 0 and 1. */
static bool to_integral_fraction(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "sat") && hd_asm_is_real(hd_ptx_statement_type(now, 1)) &&
	       hd_asm_is_real(hd_ptx_statement_type(now, 0)) &&
	       (hd_ptx_statement_has(now, "rni") || hd_ptx_statement_has(now, "rzi") ||
		hd_ptx_statement_has(now, "rmi") || hd_ptx_statement_has(now, "rpi"));
}

static void integral_fraction(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type type = hd_asm_type(a, 0);
	LLVMTypeRef real = hd_asm_real_type(a, type);
	char text[96], *sat;
	value v = hd_asm_in(a, 1, type.bits);
	(void)arg;
	snprintf(text, sizeof text, "%.80s $0, $1;", a->now->text);
	sat = strstr(text, ".sat");
	memmove(sat, sat + 4, strlen(sat + 4) + 1);
	value args[2] = {hd_asm_piece(a, text, type.bits, &v, 1), LLVMConstNull(real)};
	args[0] = LLVMBuildBitCast(a->site.builder, args[0], real, "");
	args[0] = hd_asm_call(a, "llvm.maxnum", real, args, 2);
	args[1] = LLVMConstReal(real, 1);
	hd_asm_out(a, 0, hd_asm_call(a, "llvm.minnum", real, args, 2), false);
}

/* ------------------------------------------------------------------ 128 bits */

static value pair_of(struct hd_asm *a, const struct hd_ptx_operand *from)
{
	struct hd_site *site = &a->site;
	if (from->form != HD_PTX_VECTOR || from->count != 2) {
		hd_asm_error(a, "expected two 64-bit registers");
		return LLVMConstNull(int_type(site, 128));
	}
	value low = cast(site, hd_asm_read(a, &from->parts[0], 64), 128, false);
	value high = cast(site, hd_asm_read(a, &from->parts[1], 64), 128, false);
	return binary(site, LLVMOr, low, binary(site, LLVMShl, high, number(high, 64)));
}

static void move_128(struct hd_asm *a, unsigned arg)
{
	const struct hd_ptx_operand *to = &a->now->operands[0], *from = &a->now->operands[1];
	value v = from->form == HD_PTX_PLAIN ? hd_asm_in(a, 1, 128) : pair_of(a, from);
	(void)arg;
	if (to->form == HD_PTX_PLAIN) {
		hd_asm_out(a, 0, v, false);
		return;
	}
	if (to->form != HD_PTX_VECTOR || to->count != 2) {
		hd_asm_error(a, "expected two 64-bit registers");
		return;
	}
	hd_asm_write(a, &to->parts[0], cast(&a->site, v, 64, false), false);
	hd_asm_write(a, &to->parts[1], cast(&a->site, binary(&a->site, LLVMLShr, v, number(v, 64)), 64, false), false);
}

const struct hd_asm_row hd_asm_convert[] = {
	{"cvt.pack.sat", 3, NULL, pack, 0},   {"cvt", 2, to_tf32, tensor_float, 0},
	{"cvt", 2, of_small, small, 0},	      {"cvt", 2, is_relu, halves, 0},
	{"cvt", 2, to_fraction, fraction, 0}, {"cvt", 2, to_integral_fraction, integral_fraction, 0},
	{"mov.b128", 2, NULL, move_128, 0},   {NULL, 0, NULL, NULL, 0},
};
