/*
 * Rare intrinsics in terms of ordinary ones: three-way comparison, fixed-point products and quotients, conversions that
 * saturate to widths without an instruction, half precision in integers; arguments of varargs functions; memcpy,
 * memcmp, strlen and their kin where they are called as functions. What is built may be legalised again (struct
 * hd_site: again).
 */
#include "passes/legalize/build.h"

/* ucmp, scmp: -1, 0 or 1. */
static value three_way(struct hd_site *site, bool is_signed)
{
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(site->inst));
	value a = argument(site, 0), b = argument(site, 1);
	value above = compare(site, is_signed ? LLVMIntSGT : LLVMIntUGT, a, b);
	value below = compare(site, is_signed ? LLVMIntSLT : LLVMIntULT, a, b);
	return binary(site, LLVMSub, cast(site, above, bits, false), cast(site, below, bits, false));
}

/* The range of `bits` in the type of `wide`. */
static value clamped(struct hd_site *site, value wide, unsigned bits, bool is_signed)
{
	value one = number(wide, 1), top = power_of_two(LLVMTypeOf(wide), bits - is_signed);
	value most = LLVMConstSub(top, one), least = is_signed ? LLVMConstNeg(top) : LLVMConstNull(LLVMTypeOf(wide));
	wide = choose(site, compare(site, is_signed ? LLVMIntSGT : LLVMIntUGT, wide, most), most, wide);
	return is_signed ? choose(site, compare(site, LLVMIntSLT, wide, least), least, wide) : wide;
}

/* The quotient rounded down, as a product's shift rounds. */
static value floor_of(struct hd_site *site, value a, value b)
{
	value quotient = binary(site, LLVMSDiv, a, b),
	      rest = binary(site, LLVMSub, a, binary(site, LLVMMul, quotient, b));
	value inexact = compare(site, LLVMIntNE, rest, number(rest, 0));
	value negative = compare(site, LLVMIntSLT, binary(site, LLVMXor, a, b), number(a, 0));
	return binary(site, LLVMSub, quotient,
		      cast(site, binary(site, LLVMAnd, inexact, negative), width_of(a), false));
}

/* smul.fix, udiv.fix.sat, ... in a type that holds the exact product or the shifted dividend; NULL: there is none. */
static value fixed_point(struct hd_site *site, const char *name)
{
	bool is_signed = name[0] == 's', saturate = strstr(name, ".sat") != NULL, divide = !strncmp(name + 1, "div", 3);
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(site->inst));
	uint64_t scale = LLVMConstIntGetZExtValue(argument(site, 2));
	unsigned wide = divide ? bits + (unsigned)scale + is_signed : 2 * bits;
	if (scale > bits || wide > 128)
		return NULL;
	wide = next_width(wide);
	value a = cast(site, argument(site, 0), wide, is_signed);
	value b = cast(site, argument(site, 1), wide, is_signed);
	value out;
	if (divide) {
		a = binary(site, LLVMShl, a, number(a, scale));
		out = is_signed ? floor_of(site, a, b) : binary(site, LLVMUDiv, a, b);
	} else {
		out = binary(site, LLVMMul, a, b);
		out = scale == wide ? number(out, 0)
				    : binary(site, is_signed ? LLVMAShr : LLVMLShr, out, number(out, scale));
	}
	if (saturate && bits < wide)
		out = clamped(site, out, bits, is_signed);
	site->again = true;
	return cast(site, out, bits, false);
}

/* A conversion to more than 64 bits: NaN becomes 0. */
static value saturated_wide(struct hd_site *site, value x, unsigned bits, bool is_signed)
{
	LLVMTypeRef real = LLVMDoubleTypeInContext(site->legal->context), type = int_type(site, bits);
	LLVMBuilderRef builder = site->builder;
	value top = power_of_two(type, bits - 1);
	double limit = 1;
	for (unsigned i = 0; i < bits - is_signed; i++)
		limit *= 2;
	if (LLVMTypeOf(x) != real)
		x = LLVMBuildFPExt(builder, x, real, "");
	value most = is_signed ? LLVMConstSub(top, LLVMConstInt(type, 1, false)) : LLVMConstAllOnes(type);
	value least = is_signed ? top : LLVMConstNull(type);
	value bound = LLVMConstReal(real, is_signed ? -limit : 0);
	value out = is_signed ? LLVMBuildFPToSI(builder, x, type, "") : LLVMBuildFPToUI(builder, x, type, "");
	out = choose(site, LLVMBuildFCmp(builder, LLVMRealOLT, x, bound, ""), least, out);
	out = choose(site, LLVMBuildFCmp(builder, LLVMRealOGE, x, LLVMConstReal(real, limit), ""), most, out);
	return choose(site, LLVMBuildFCmp(builder, LLVMRealUNO, x, x, ""), LLVMConstNull(type), out);
}

/* fptosi.sat, fptoui.sat to 1 bit and to more than 32, 64 aside; the others have an instruction. */
static value saturating_conversion(struct hd_site *site, const char *name)
{
	bool is_signed = name[4] == 's';
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(site->inst)), wide = bits == 1 ? 32 : 64;
	value x = argument(site, 0);
	LLVMTypeRef types[2] = {int_type(site, wide), LLVMTypeOf(x)};
	if (bits > 128 || bits == 64 || (bits <= 32 && bits != 1))
		return NULL;
	site->again = true;
	if (bits > 64)
		return saturated_wide(site, x, bits, is_signed);
	unsigned id = LLVMLookupIntrinsicID(is_signed ? "llvm.fptosi.sat" : "llvm.fptoui.sat", 15);
	x = LLVMBuildCall2(site->builder, LLVMIntrinsicGetType(site->legal->context, id, types, 2),
			   LLVMGetIntrinsicDeclaration(site->legal->module, id, types, 2), &x, 1, "");
	return cast(site, clamped(site, x, bits, is_signed), bits, false);
}

/* convert.to.fp16, convert.from.fp16 */
static value half_in_integer(struct hd_site *site, bool to)
{
	LLVMTypeRef half = LLVMHalfTypeInContext(site->legal->context);
	LLVMBuilderRef builder = site->builder;
	if (to)
		return LLVMBuildBitCast(builder, LLVMBuildFPTrunc(builder, argument(site, 0), half, ""),
					LLVMTypeOf(site->inst), "");
	return LLVMBuildFPExt(builder, LLVMBuildBitCast(builder, argument(site, 0), half, ""), LLVMTypeOf(site->inst),
			      "");
}

/*
 * The pointer with the mask's zeros cleared, as an offset: it keeps its object, and infer-address-spaces of LLVM 19
 * makes broken code of the intrinsic.
 */
static value masked_pointer(struct hd_site *site, value pointer, value mask)
{
	value cleared = LLVMBuildPtrToInt(site->builder, pointer, LLVMTypeOf(mask), "");
	cleared = binary(site, LLVMAnd, cleared, LLVMBuildNot(site->builder, mask, ""));
	cleared = binary(site, LLVMSub, number(mask, 0), cleared);
	return LLVMBuildGEP2(site->builder, int_type(site, 8), pointer, &cleared, 1, "");
}

value hd_legal_rare(struct hd_site *site, const char *name)
{
	if (!strncmp(name, "ptrmask", 7) && LLVMGetTypeKind(LLVMTypeOf(site->inst)) == LLVMPointerTypeKind)
		return masked_pointer(site, argument(site, 0), argument(site, 1));
	/* Code has no address that data pointers could hold, nor frames a chain: as NVPTX's own code generator. */
	if (!strcmp(name, "returnaddress") || !strncmp(name, "frameaddress", 12))
		return LLVMConstNull(LLVMTypeOf(site->inst));
	if (!strcmp(name, "get.rounding")) /* to nearest, as C's FLT_ROUNDS counts */
		return LLVMConstInt(LLVMTypeOf(site->inst), 1, false);
	if (!strcmp(name, "convert.to.fp16") || !strcmp(name, "convert.from.fp16"))
		return half_in_integer(site, name[8] == 't');
	if (LLVMGetTypeKind(LLVMTypeOf(site->inst)) != LLVMIntegerTypeKind)
		return NULL;
	if (!strcmp(name, "ucmp") || !strcmp(name, "scmp"))
		return three_way(site, name[0] == 's');
	if (!strncmp(name + 1, "mul.fix", 7) || !strncmp(name + 1, "div.fix", 7))
		return fixed_point(site, name);
	if (!strcmp(name, "fptosi.sat") || !strcmp(name, "fptoui.sat"))
		return saturating_conversion(site, name);
	return NULL;
}

/* ------------------------------------------------------------------ variable arguments, memory as functions */

/* The list points to the next argument; each is aligned as its type (select/call.c: send_variable). */
value hd_legal_va_arg(struct hd_site *site)
{
	LLVMBuilderRef builder = site->builder;
	LLVMTypeRef type = LLVMTypeOf(site->inst), byte = int_type(site, 8), offset = int_type(site, 64);
	LLVMTypeRef pointer = LLVMPointerTypeInContext(site->legal->context, 0);
	unsigned align = LLVMABIAlignmentOfType(site->legal->layout, type);
	value list = LLVMGetOperand(site->inst, 0), at = LLVMBuildLoad2(builder, pointer, list, "");
	value size = LLVMConstInt(offset, LLVMABISizeOfType(site->legal->layout, type), false);
	if (align > 1) {
		value up = LLVMConstInt(offset, align - 1, false);
		at = masked_pointer(site, LLVMBuildGEP2(builder, byte, at, &up, 1, ""), LLVMConstNot(up));
	}
	value next = LLVMBuildGEP2(builder, byte, at, &size, 1, "");
	LLVMBuildStore(builder, next, list);
	value out = LLVMBuildLoad2(builder, type, at, "");
	LLVMSetAlignment(out, align);
	return out;
}

/* Functions that are loops of the device library: the types of the result and the arguments, i: 32 bits, l: 64, p. */
static const struct loop {
	const char *name, *helper, *types;
} loops[] = {
	{"memcmp", "__heddle_memcmp", "ippl"},	 {"bcmp", "__heddle_memcmp", "ippl"},
	{"memchr", "__heddle_memchr", "ppil"},	 {"strlen", "__heddle_strlen", "lp"},
	{"strcmp", "__heddle_strcmp", "ipp"},	 {"strchr", "__heddle_strchr", "ppi"},
	{"strncmp", "__heddle_strncmp", "ippl"},
};

static bool is_of(struct hd_site *site, LLVMTypeRef type, char letter)
{
	if (letter == 'p')
		return type == LLVMPointerTypeInContext(site->legal->context, 0);
	return type == int_type(site, letter == 'l' ? 64 : 32);
}

static value loop_of(struct hd_site *site, const struct loop *loop)
{
	unsigned count = (unsigned)LLVMGetNumArgOperands(site->inst);
	if (count + 1 != strlen(loop->types) || !is_of(site, LLVMTypeOf(site->inst), loop->types[0]))
		return NULL;
	value args[3];
	for (unsigned i = 0; i < count; i++) {
		args[i] = argument(site, i);
		if (!is_of(site, LLVMTypeOf(args[i]), loop->types[i + 1]))
			return NULL;
	}
	return hd_legal_call(site, loop->helper, LLVMTypeOf(site->inst), args, count);
}

value hd_legal_memory(struct hd_site *site, const char *name)
{
	for (unsigned i = 0; i < sizeof loops / sizeof loops[0]; i++)
		if (!strcmp(name, loops[i].name))
			return loop_of(site, &loops[i]);
	if (strcmp(name, "memcpy") && strcmp(name, "memmove") && strcmp(name, "memset"))
		return NULL;
	if (LLVMGetNumArgOperands(site->inst) != 3 ||
	    LLVMGetTypeKind(LLVMTypeOf(argument(site, 0))) != LLVMPointerTypeKind ||
	    LLVMTypeOf(site->inst) != LLVMTypeOf(argument(site, 0)))
		return NULL;
	value to = argument(site, 0);
	value from = argument(site, 1);
	value size = argument(site, 2);
	if (name[3] == 's')
		LLVMBuildMemSet(site->builder, to, cast(site, from, 8, false), size, 1);
	else if (name[3] == 'c')
		LLVMBuildMemCpy(site->builder, to, 1, from, 1, size);
	else
		LLVMBuildMemMove(site->builder, to, 1, from, 1, size);
	return to;
}
