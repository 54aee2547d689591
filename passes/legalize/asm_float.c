/*
 * Inline PTX as IR: floating point. Divisions, reciprocals and roots with a rounding, minimum and maximum with all
 * their modifiers, operations on pairs of halves, tests and comparisons of them. Where NVVM has an intrinsic that is
 * it.
 */
#include <string.h>

#include "passes/legalize/asm.h"

static struct hd_ptx_type last(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_type(now, 0);
}

static bool is_pair(struct hd_ptx_type type)
{
	return type.bits == 32 && type.class && strchr("hg", type.class);
}

static LLVMTypeRef vector_type(struct hd_asm *a, struct hd_ptx_type type)
{
	LLVMTypeRef real = hd_asm_real_type(a, type);
	return is_pair(type) ? LLVMVectorType(real, 2) : real;
}

/* Operand `index` as a number of the type, or a vector of two. */
static value number_in(struct hd_asm *a, unsigned index, struct hd_ptx_type type)
{
	return LLVMBuildBitCast(a->site.builder, hd_asm_in(a, index, type.bits), vector_type(a, type), "");
}

/* NVVM's letters for a type. */
static const char *letters(struct hd_ptx_type type)
{
	bool pair = is_pair(type);
	return type.class == 'h'   ? (pair ? "f16x2" : "f16")
	       : type.class == 'g' ? (pair ? "bf16x2" : "bf16")
	       : type.bits == 64   ? "d"
				   : "f";
}

static bool is_real(const struct hd_ptx_statement *now)
{
	struct hd_ptx_type type = last(now);
	return hd_asm_is_real(type);
}

/* ------------------------------------------------------------------ division and roots */

static const char *rounding(const struct hd_ptx_statement *now)
{
	static const char *const modes[] = {"rn", "rz", "rm", "rp"};
	for (unsigned i = 0; i < 4; i++)
		if (hd_ptx_statement_has(now, modes[i]))
			return modes[i];
	return NULL;
}

static bool is_rounded(const struct hd_ptx_statement *now)
{
	return is_real(now) && rounding(now) && (last(now).bits == 64 || last(now).class == 'f');
}

/* div, rcp, sqrt with a rounding: arg is how many operands. */
static void rounded(struct hd_asm *a, unsigned count)
{
	struct hd_ptx_type type = last(a->now);
	value args[2];
	char name[48];
	for (unsigned i = 0; i < count; i++)
		args[i] = number_in(a, i + 1, type);
	snprintf(name, sizeof name, "llvm.nvvm.%s.%s%s.%s", a->now->parts[0], rounding(a->now),
		 hd_asm_has(a, "ftz") && type.bits == 32 ? ".ftz" : "", letters(type));
	hd_asm_out(a, 0, hd_asm_call(a, name, NULL, args, count), false);
}

static bool is_full(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "full");
}

/* Denormals become zeros of their sign. */
static value flushed(struct hd_asm *a, value v)
{
	value args[2] = {v, LLVMConstReal(LLVMTypeOf(v), -0.0)};
	return hd_asm_has(a, "ftz") ? hd_asm_call(a, "llvm.nvvm.add.rn.ftz.f", NULL, args, 2) : v;
}

static void divide_full(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type type = {32, 'f'};
	value x = flushed(a, number_in(a, 1, type)), y = flushed(a, number_in(a, 2, type));
	(void)arg;
	value out = binary(&a->site, LLVMFDiv, x, y);
	hd_legal_mark_full(a->site.legal->context, out);
	hd_asm_out(a, 0, flushed(a, out), false);
}

static bool is_root_64(const struct hd_ptx_statement *now)
{
	return last(now).bits == 64 && !hd_ptx_statement_has(now, "ftz");
}

static void inverse_root_64(struct hd_asm *a, unsigned arg)
{
	value x = number_in(a, 1, last(a->now));
	(void)arg;
	hd_asm_out(a, 0, hd_asm_call(a, "llvm.nvvm.rsqrt.approx.d", NULL, &x, 1), false);
}

/* ------------------------------------------------------------------ halves and pairs of them */

static value lane_of(struct hd_asm *a, value word, unsigned lane, struct hd_ptx_type type)
{
	struct hd_site *site = &a->site;
	struct hd_ptx_type one = {16, type.class};
	if (is_pair(type))
		word = cast(site, binary(site, LLVMLShr, word, number(word, 16 * lane)), 16, false);
	word = LLVMBuildBitCast(site->builder, word, hd_asm_real_type(a, one), "");
	return LLVMBuildFPExt(site->builder, word, LLVMFloatTypeInContext(site->legal->context), "");
}

/* Two results of 16 bits as a word; of one type alone, itself. */
static value packed(struct hd_asm *a, const value *lanes, unsigned count)
{
	struct hd_site *site = &a->site;
	value low = hd_asm_bits(a, lanes[0]), high;
	if (count == 1)
		return low;
	high = cast(site, hd_asm_bits(a, lanes[1]), 32, false);
	return binary(site, LLVMOr, cast(site, low, 32, false), binary(site, LLVMShl, high, number(high, 16)));
}

static bool of_halves(const struct hd_ptx_statement *now)
{
	struct hd_ptx_type type = last(now);
	return type.class && strchr("hg", type.class);
}

/* tanh.approx and ex2.approx: in single precision, rounded to what the type has. */
static void approximate(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type type = last(a->now), one = {16, type.class};
	unsigned count = is_pair(type) ? 2 : 1;
	value word = hd_asm_in(a, 1, type.bits), lanes[2];
	char text[64];
	(void)arg;
	snprintf(text, sizeof text, "%s.approx.f32 $0, $1;", a->now->parts[0]);
	for (unsigned i = 0; i < count; i++) {
		value in = hd_asm_bits(a, lane_of(a, word, i, type));
		value out = hd_asm_piece(a, text, 32, &in, 1);
		out = LLVMBuildBitCast(a->site.builder, out, LLVMFloatTypeInContext(a->site.legal->context), "");
		lanes[i] = LLVMBuildFPTrunc(a->site.builder, out, hd_asm_real_type(a, one), "");
	}
	hd_asm_out(a, 0, packed(a, lanes, count), false);
}

static bool of_pairs(const struct hd_ptx_statement *now)
{
	return is_pair(last(now));
}

static void sign(struct hd_asm *a, unsigned absolute)
{
	value v = hd_asm_in(a, 1, 32);
	hd_asm_out(a, 0,
		   absolute ? binary(&a->site, LLVMAnd, v, hd_asm_word(a, 0x7fff7fff))
			    : binary(&a->site, LLVMXor, v, hd_asm_word(a, 0x80008000)),
		   false);
}

static bool is_intrinsic_extreme(const struct hd_ptx_statement *now)
{
	return is_real(now) && (hd_ptx_statement_has(now, "xorsign") || of_halves(now));
}

static void extreme(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type type = last(a->now);
	value args[2] = {number_in(a, 1, type), number_in(a, 2, type)};
	char name[64];
	(void)arg;
	snprintf(name, sizeof name, "llvm.nvvm.f%s%s%s%s.%s", a->now->parts[0], hd_asm_has(a, "ftz") ? ".ftz" : "",
		 hd_asm_has(a, "NaN") ? ".nan" : "", hd_asm_has(a, "xorsign") ? ".xorsign.abs" : "", letters(type));
	hd_asm_out(a, 0, hd_asm_call(a, name, NULL, args, 2), false);
}

static bool is_relu(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "relu") && of_halves(now);
}

static void multiply_add(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type type = last(a->now);
	value args[3] = {number_in(a, 1, type), number_in(a, 2, type), number_in(a, 3, type)};
	char name[64];
	(void)arg;
	snprintf(name, sizeof name, "llvm.nvvm.fma.rn%s.relu.%s", hd_asm_has(a, "ftz") ? ".ftz" : "", letters(type));
	hd_asm_out(a, 0, hd_asm_call(a, name, NULL, args, 3), false);
}

/* ------------------------------------------------------------------ tests and comparisons */

static void test(struct hd_asm *a, unsigned arg)
{
	static const char *const kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
	struct hd_ptx_type type = last(a->now);
	struct hd_site *site = &a->site;
	value bits = hd_asm_in(a, 1, type.bits), out = NULL;
	unsigned fraction = type.bits == 64 ? 52 : 23;
	value size = binary(site, LLVMAnd, bits, number(bits, UINT64_MAX >> (65 - type.bits)));
	value infinity = number(bits, type.bits == 64 ? UINT64_C(0x7ff) << 52 : UINT64_C(0xff) << 23);
	value least = number(bits, UINT64_C(1) << fraction), zero = number(bits, 0);
	/* zero is no subnormal number, but a normal one */
	value subnormal =
		binary(site, LLVMAnd, compare(site, LLVMIntULT, size, least), compare(site, LLVMIntNE, size, zero));
	(void)arg;
	for (unsigned i = 0; i < 6; i++) {
		if (!hd_asm_has(a, kinds[i]))
			continue;
		out = i == 0   ? compare(site, LLVMIntULT, size, infinity)
		      : i == 1 ? compare(site, LLVMIntEQ, size, infinity)
		      : i == 2 ? compare(site, LLVMIntULE, size, infinity)
		      : i == 3 ? compare(site, LLVMIntUGT, size, infinity)
		      : i == 4 ? binary(site, LLVMAnd, compare(site, LLVMIntULT, size, infinity),
					LLVMBuildNot(site->builder, subnormal, ""))
			       : subnormal;
	}
	if (out)
		hd_asm_out(a, 0, out, false);
	else
		hd_asm_error(a, "expected a test");
}

static bool real_predicate(const char *name, LLVMRealPredicate *out)
{
	static const struct {
		const char *name;
		LLVMRealPredicate predicate;
	} codes[] = {
		{"eq", LLVMRealOEQ},  {"ne", LLVMRealONE},  {"lt", LLVMRealOLT},  {"le", LLVMRealOLE},
		{"gt", LLVMRealOGT},  {"ge", LLVMRealOGE},  {"equ", LLVMRealUEQ}, {"neu", LLVMRealUNE},
		{"ltu", LLVMRealULT}, {"leu", LLVMRealULE}, {"gtu", LLVMRealUGT}, {"geu", LLVMRealUGE},
		{"num", LLVMRealORD}, {"nan", LLVMRealUNO},
	};
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (!strcmp(name, codes[i].name)) {
			*out = codes[i].predicate;
			return true;
		}
	return false;
}

static value joined(struct hd_asm *a, value p, value c)
{
	return hd_asm_has(a, "and")  ? binary(&a->site, LLVMAnd, p, c)
	       : hd_asm_has(a, "or") ? binary(&a->site, LLVMOr, p, c)
				     : binary(&a->site, LLVMXor, p, c);
}

/* Of each lane, whether the comparison holds; how many there are. */
static unsigned compare_lanes(struct hd_asm *a, value *out)
{
	struct hd_ptx_type type = last(a->now);
	unsigned count = is_pair(type) ? 2 : 1;
	LLVMRealPredicate predicate;
	if (!real_predicate(a->now->parts[1], &predicate)) {
		hd_asm_error(a, "expected a floating-point comparison");
		return 0;
	}
	value x = hd_asm_in(a, 1, type.bits), y = hd_asm_in(a, 2, type.bits);
	bool join = hd_asm_has(a, "and") || hd_asm_has(a, "or") || hd_asm_has(a, "xor");
	value c = join ? hd_asm_in(a, 3, 1) : NULL;
	for (unsigned i = 0; i < count; i++) {
		out[i] = LLVMBuildFCmp(a->site.builder, predicate, lane_of(a, x, i, type), lane_of(a, y, i, type), "");
		if (join)
			out[i] = joined(a, out[i], c);
	}
	return a->failed ? 0 : count;
}

static bool compares_pairs(const struct hd_ptx_statement *now)
{
	return is_pair(last(now)) && !hd_ptx_statement_has(now, "ftz");
}

/* setp.lt.f16x2 p|q: p of the lower halves, q of the upper ones. */
static void set_predicates(struct hd_asm *a, unsigned arg)
{
	value lanes[2];
	(void)arg;
	if (compare_lanes(a, lanes) != 2)
		return;
	hd_asm_write(a, &a->now->operands[0].parts[0], lanes[0], false);
	if (a->now->operands[0].second.kind)
		hd_asm_write(a, &a->now->operands[0].second, lanes[1], false);
}

/* set with a result of 16 bits, or of pairs. Of other operands the word that selection makes is cut or made a half. */
static bool sets_halves(const struct hd_ptx_statement *now)
{
	struct hd_ptx_type to = hd_ptx_statement_type(now, 1);
	return to.bits == 16 || is_pair(to) || is_pair(last(now));
}

static void set_numbers(struct hd_asm *a, unsigned arg)
{
	struct hd_ptx_type to = hd_asm_type(a, 1), from = last(a->now);
	struct hd_site *site = &a->site;
	unsigned count = is_pair(from) ? 2 : 1, bits = is_pair(to) ? 16 : to.bits;
	uint64_t one = to.class == 'h' ? 0x3c00 : to.class == 'g' ? 0x3f80 : to.class == 'f' ? 0x3f800000 : UINT64_MAX;
	value lanes[2];
	char text[96];
	(void)arg;
	if (of_halves(a->now)) {
		if (!compare_lanes(a, lanes))
			return;
	} else { /* the comparison as it is, of a predicate */
		value args[2] = {hd_asm_in(a, 1, from.bits), hd_asm_in(a, 2, from.bits)};
		snprintf(text, sizeof text, "setp.%s%s.%s $0, $1, $2;", a->now->parts[1],
			 hd_asm_has(a, "ftz") ? ".ftz" : "", a->now->parts[a->now->part_count - 1]);
		lanes[0] = hd_asm_piece(a, text, 1, args, 2);
		if (hd_asm_has(a, "and") || hd_asm_has(a, "or") || hd_asm_has(a, "xor"))
			lanes[0] = joined(a, lanes[0], hd_asm_in(a, 3, 1));
	}
	LLVMTypeRef type = int_type(site, bits);
	for (unsigned i = 0; i < count; i++)
		lanes[i] = choose(site, lanes[i], LLVMConstInt(type, one, false), LLVMConstNull(type));
	hd_asm_out(a, 0, packed(a, lanes, count), to.class == 's');
}

const struct hd_asm_row hd_asm_float[] = {
	{"div", 3, is_full, divide_full, 0},
	{"div", 3, is_rounded, rounded, 2},
	{"rcp", 2, is_rounded, rounded, 1},
	{"sqrt", 2, is_rounded, rounded, 1},
	{"rsqrt.approx", 2, is_root_64, inverse_root_64, 0},
	{"tanh.approx", 2, of_halves, approximate, 0},
	{"ex2.approx", 2, of_halves, approximate, 0},
	{"neg", 2, of_pairs, sign, 0},
	{"abs", 2, of_pairs, sign, 1},
	{"min", 3, is_intrinsic_extreme, extreme, 0},
	{"max", 3, is_intrinsic_extreme, extreme, 0},
	{"fma.rn", 4, is_relu, multiply_add, 0},
	{"testp", 2, NULL, test, 0},
	{"setp", 3, compares_pairs, set_predicates, 0},
	{"set", 3, sets_halves, set_numbers, 0},
	{NULL, 0, NULL, NULL, 0},
};
