/*
 * Intrinsics on vectors that LLVM's scalarizer leaves: the same intrinsic on one element after another, the results put
 * together again; rearrangements of elements as shuffles; counters and masks as constants and comparisons. What is
 * built is legalised again. Bitcasts between elements that lie across each other's edges become shifts.
 */
#include "passes/legalize/build.h"
#include "passes/words.h"

/* What an intrinsic is overloaded on: ELEMENT the (first) element, RESULT result and first argument, SECOND the first
 * argument and the second one, PARTS both parts of its result. */
enum overload { ELEMENT, RESULT, SECOND, PARTS };

static const struct {
	const char *name;
	enum overload overload;
} rows[] = {
	{"uadd.with.overflow", ELEMENT},
	{"sadd.with.overflow", ELEMENT},
	{"usub.with.overflow", ELEMENT},
	{"ssub.with.overflow", ELEMENT},
	{"umul.with.overflow", ELEMENT},
	{"smul.with.overflow", ELEMENT},
	{"ushl.sat", ELEMENT},
	{"sshl.sat", ELEMENT},
	{"uadd.sat", ELEMENT},
	{"sadd.sat", ELEMENT},
	{"usub.sat", ELEMENT},
	{"ssub.sat", ELEMENT},
	{"smul.fix", ELEMENT},
	{"umul.fix", ELEMENT},
	{"smul.fix.sat", ELEMENT},
	{"umul.fix.sat", ELEMENT},
	{"sdiv.fix", ELEMENT},
	{"udiv.fix", ELEMENT},
	{"sdiv.fix.sat", ELEMENT},
	{"udiv.fix.sat", ELEMENT},
	{"is.fpclass", ELEMENT},
	{"exp10", ELEMENT},
	{"acos", ELEMENT},
	{"asin", ELEMENT},
	{"atan", ELEMENT},
	{"sinh", ELEMENT},
	{"cosh", ELEMENT},
	{"tanh", ELEMENT},
	{"tan", ELEMENT},
	{"minnum", ELEMENT},
	{"maxnum", ELEMENT},
	{"minimum", ELEMENT},
	{"maximum", ELEMENT},
	{"ctpop", ELEMENT},
	{"ucmp", RESULT},
	{"scmp", RESULT},
	{"fptosi.sat", RESULT},
	{"fptoui.sat", RESULT},
	{"lrint", RESULT},
	{"llrint", RESULT},
	{"lround", RESULT},
	{"llround", RESULT},
	{"ldexp", SECOND},
	{"powi", SECOND},
	{"frexp", PARTS},
};

static bool is_vector(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

static LLVMTypeRef element_of(LLVMTypeRef type)
{
	return is_vector(type) ? LLVMGetElementType(type) : type;
}

static value at(struct hd_site *site, value v, unsigned i)
{
	return is_vector(LLVMTypeOf(v))
		       ? LLVMBuildExtractElement(site->builder, v, LLVMConstInt(int_type(site, 32), i, false), "")
		       : v;
}

static value put(struct hd_site *site, value into, value element, unsigned i)
{
	return LLVMBuildInsertElement(site->builder, into, element, LLVMConstInt(int_type(site, 32), i, false), "");
}

/* `into` with the results of element i: of a struct of vectors each of its parts. */
static value put_result(struct hd_site *site, value into, value result, unsigned i)
{
	LLVMTypeRef type = LLVMTypeOf(into);
	if (is_vector(type))
		return put(site, into, result, i);
	for (unsigned part = 0; part < LLVMCountStructElementTypes(type); part++) {
		value vector = LLVMBuildExtractValue(site->builder, into, part, "");
		vector = put(site, vector, LLVMBuildExtractValue(site->builder, result, part, ""), i);
		into = LLVMBuildInsertValue(site->builder, into, vector, part, "");
	}
	return into;
}

static void overloads(struct hd_site *site, enum overload how, LLVMTypeRef types[2])
{
	LLVMTypeRef result = LLVMTypeOf(site->inst), first = element_of(LLVMTypeOf(LLVMGetArgOperand(site->inst, 0)));
	types[0] = how == RESULT ? element_of(result) : first;
	types[1] = how == RESULT   ? first
		   : how == SECOND ? element_of(LLVMTypeOf(LLVMGetArgOperand(site->inst, 1)))
		   : how == PARTS  ? element_of(LLVMStructGetTypeAtIndex(result, 1))
				   : NULL;
}

static value each(struct hd_site *site, const char *name, enum overload how)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name)), count = (unsigned)LLVMGetNumArgOperands(site->inst);
	value out = LLVMGetPoison(LLVMTypeOf(site->inst));
	LLVMTypeRef types[2];
	overloads(site, how, types);
	LLVMTypeRef type = LLVMIntrinsicGetType(site->legal->context, id, types, how == ELEMENT ? 1 : 2);
	value callee = LLVMGetIntrinsicDeclaration(site->legal->module, id, types, how == ELEMENT ? 1 : 2);
	value args[4];
	for (unsigned i = 0, n = LLVMGetVectorSize(LLVMTypeOf(LLVMGetArgOperand(site->inst, 0))); i < n; i++) {
		for (unsigned k = 0; k < count && k < 4; k++)
			args[k] = at(site, LLVMGetArgOperand(site->inst, k), i);
		value one = LLVMBuildCall2(site->builder, type, callee, args, count, "");
		if (LLVMCanValueUseFastMathFlags(one) && LLVMCanValueUseFastMathFlags(site->inst))
			LLVMSetFastMathFlags(one, LLVMGetFastMathFlags(site->inst));
		out = put_result(site, out, one, i);
	}
	site->again = true;
	return out;
}

/* ------------------------------------------------------------------ rearrangement */

static value reversed(struct hd_site *site)
{
	value in = LLVMGetArgOperand(site->inst, 0), out = LLVMGetPoison(LLVMTypeOf(in));
	for (unsigned i = 0, n = LLVMGetVectorSize(LLVMTypeOf(in)); i < n; i++)
		out = put(site, out, at(site, in, n - 1 - i), i);
	return out;
}

/* vector.insert(into, part, from) and vector.extract(of, from) */
static value window(struct hd_site *site, bool insert)
{
	value from = LLVMGetArgOperand(site->inst, insert ? 2 : 1), in = LLVMGetArgOperand(site->inst, insert);
	value out = insert ? LLVMGetArgOperand(site->inst, 0) : LLVMGetPoison(LLVMTypeOf(site->inst));
	unsigned first = (unsigned)LLVMConstIntGetZExtValue(from);
	unsigned n = LLVMGetVectorSize(insert ? LLVMTypeOf(in) : LLVMTypeOf(site->inst));
	for (unsigned i = 0; i < n; i++)
		out = insert ? put(site, out, at(site, in, i), first + i) : put(site, out, at(site, in, first + i), i);
	return out;
}

static value counted_up(struct hd_site *site)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	value out = LLVMGetPoison(type);
	for (unsigned i = 0, n = LLVMGetVectorSize(type); i < n; i++)
		out = put(site, out, LLVMConstInt(LLVMGetElementType(type), i, false), i);
	return out;
}

/* get.active.lane.mask(base, count): base + i < count, without wrapping. */
static value lane_mask(struct hd_site *site)
{
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	value base = LLVMGetArgOperand(site->inst, 0), count = LLVMGetArgOperand(site->inst, 1);
	value left = binary(site, LLVMSub, count, base), out = LLVMGetPoison(type);
	value some = compare(site, LLVMIntUGT, count, base);
	for (unsigned i = 0, n = LLVMGetVectorSize(type); i < n; i++) {
		value below = compare(site, LLVMIntUGT, left, number(left, i));
		out = put(site, out, binary(site, LLVMAnd, some, below), i);
	}
	return out;
}

/* ------------------------------------------------------------------ bit patterns */

/* Bits [first, first + bits) of the elements of `in`, which are integers, as an integer. */
static value slice(struct hd_site *site, value in, unsigned first, unsigned bits)
{
	unsigned each = hd_scalar_bits(element_of(LLVMTypeOf(in)));
	value out = NULL;
	for (unsigned i = first / each; i * each < first + bits; i++) {
		value part = at(site, in, i);
		if (i * each < first)
			part = binary(site, LLVMLShr, part, number(part, first - i * each));
		part = cast(site, part, bits, false);
		if (i * each > first)
			part = binary(site, LLVMShl, part, number(part, i * each - first));
		out = out ? binary(site, LLVMOr, out, part) : part;
	}
	return out;
}

/* The type with integers of the same widths. */
static LLVMTypeRef as_integers(struct hd_site *site, LLVMTypeRef type)
{
	LLVMTypeRef element = int_type(site, hd_scalar_bits(element_of(type)));
	return is_vector(type) ? LLVMVectorType(element, LLVMGetVectorSize(type)) : element;
}

value hd_legal_bitcast(struct hd_site *site, value in, LLVMTypeRef type)
{
	if (hd_is_word_bitcast(LLVMTypeOf(in), type))
		return LLVMBuildBitCast(site->builder, in, type, "");
	LLVMTypeRef integers = as_integers(site, type);
	unsigned bits = hd_scalar_bits(element_of(type));
	in = LLVMBuildBitCast(site->builder, in, as_integers(site, LLVMTypeOf(in)), "");
	value out = is_vector(type) ? LLVMGetPoison(integers) : slice(site, in, 0, bits);
	for (unsigned i = 0; is_vector(type) && i < LLVMGetVectorSize(type); i++)
		out = put(site, out, slice(site, in, i * bits, bits), i);
	return LLVMBuildBitCast(site->builder, out, type, "");
}

/* ------------------------------------------------------------------ by name */

value hd_legal_vector(struct hd_site *site, const char *name)
{
	const char *bare = name + 5;
	unsigned best = 0;
	size_t length = 0;
	if (hd_word_begins(bare, "vector.reverse.") || hd_word_begins(bare, "experimental.vector.reverse."))
		return reversed(site);
	if (hd_word_begins(bare, "vector.insert.") || hd_word_begins(bare, "vector.extract."))
		return window(site, bare[7] == 'i');
	if (hd_word_begins(bare, "experimental.stepvector.") || hd_word_begins(bare, "stepvector."))
		return counted_up(site);
	if (hd_word_begins(bare, "get.active.lane.mask."))
		return lane_mask(site);
	if (!LLVMGetNumArgOperands(site->inst) || !is_vector(LLVMTypeOf(LLVMGetArgOperand(site->inst, 0))))
		return NULL;
	for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		size_t n = strlen(rows[i].name);
		if (n > length && hd_word_begins(bare, rows[i].name) && bare[n] == '.') {
			best = i;
			length = n;
		}
	}
	if (!length)
		return NULL;
	char full[40];
	snprintf(full, sizeof full, "llvm.%s", rows[best].name);
	return each(site, full, rows[best].overload);
}
