/*
 * Operations that the machine lacks, in terms of those that it has. Integer intrinsics of odd widths go through the
 * next width and those of 128 bits through arithmetic on 64; conversions between floating point and 128 bits, ldexp,
 * frexp and powi become helpers of wide.c; sine, logarithm and their kin the device library's __nv_*; vectors of
 * bits in memory integers, and reductions of vectors chains over the elements. One visit of each instruction.
 */
#include "passes/legalize/build.h"

#include <llvm-c/DebugInfo.h>

static value counted(struct hd_site *site, const char *name, value of)
{
	value args[] = {of, LLVMConstInt(int_type(site, 1), 0, false)};
	return intrinsic(site, name, args, strcmp(name, "ctlz") && strcmp(name, "cttz") ? 1 : 2);
}

static value half(struct hd_site *site, value v, bool high)
{
	return cast(site, high ? binary(site, LLVMLShr, v, number(v, 64)) : v, 64, false);
}

static value joined(struct hd_site *site, value low, value high)
{
	low = cast(site, low, 128, false);
	high = cast(site, high, 128, false);
	return binary(site, LLVMOr, binary(site, LLVMShl, high, number(high, 64)), low);
}

value hd_legal_call(struct hd_site *site, const char *name, LLVMTypeRef result, value *args, unsigned count)
{
	value function = LLVMGetNamedFunction(site->legal->module, name);
	LLVMTypeRef params[4];
	for (unsigned i = 0; i < count; i++)
		params[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(result, params, count, false);
	if (!function)
		function = LLVMAddFunction(site->legal->module, name, type);
	if (LLVMIsDeclaration(function)) {
		site->legal->needs_builtins |= !strncmp(name, "__heddle_", 9);
		site->legal->needs_device |= !strncmp(name, "__nv_", 5);
	}
	return LLVMBuildCall2(site->builder, type, function, args, count, "");
}

/* ------------------------------------------------------------------ integers */

/* ctpop, ctlz, cttz, bitreverse, bswap of 128 bits from the halves. */
static value count_wide(struct hd_site *site, const char *name, value v)
{
	value low = half(site, v, false), high = half(site, v, true), l = counted(site, name, low),
	      h = counted(site, name, high), zero;
	if (!strcmp(name, "ctpop"))
		return cast(site, binary(site, LLVMAdd, l, h), 128, false);
	if (!strcmp(name, "bitreverse") || !strcmp(name, "bswap"))
		return joined(site, h, l);
	if (!strcmp(name, "ctlz")) {
		zero = compare(site, LLVMIntEQ, high, number(high, 0));
		return cast(site, choose(site, zero, binary(site, LLVMAdd, l, number(l, 64)), h), 128, false);
	}
	zero = compare(site, LLVMIntEQ, low, number(low, 0));
	return cast(site, choose(site, zero, binary(site, LLVMAdd, h, number(h, 64)), l), 128, false);
}

static value count(struct hd_site *site, const char *name, value v)
{
	unsigned bits = width_of(v), wide = next_width(bits);
	value w = cast(site, v, wide, false);
	if (!strcmp(name, "cttz") && wide != bits) /* a bit beyond the width stops the count */
		w = binary(site, LLVMOr, w, binary(site, LLVMShl, number(w, 1), number(w, bits)));
	w = wide == 128 ? count_wide(site, name, w) : counted(site, name, w);
	if (!strcmp(name, "ctlz"))
		w = binary(site, LLVMSub, w, number(w, wide - bits));
	if (!strcmp(name, "bitreverse") || !strcmp(name, "bswap"))
		w = binary(site, LLVMLShr, w, number(w, wide - bits));
	return cast(site, w, bits, false);
}

static value minmax(struct hd_site *site, const char *name, value a, value b)
{
	bool is_signed = name[0] == 's', max = !strcmp(name + 1, "max");
	LLVMIntPredicate predicate = is_signed ? (max ? LLVMIntSGT : LLVMIntSLT) : max ? LLVMIntUGT : LLVMIntULT;
	return choose(site, compare(site, predicate, a, b), a, b);
}

/* Of a twice as long value where that has at most 128 bits, else by two shifts. */
static value funnel(struct hd_site *site, bool left, value high, value low, value amount)
{
	unsigned bits = width_of(high);
	value n = amount;
	if (bits == 1) /* every amount is a multiple of the width */
		return left ? high : low;
	value rest;
	if (bits & (bits - 1)) {
		n = binary(site, LLVMURem, n, number(n, bits));
		rest = binary(site, LLVMSub, number(n, bits - 1), n);
	} else {
		n = binary(site, LLVMAnd, n, number(n, bits - 1));
		rest = binary(site, LLVMXor, n, number(n, bits - 1));
	}
	/* The far part moves by one and then by the rest, which stays below the width. */
	value near = binary(site, left ? LLVMShl : LLVMLShr, left ? high : low, n);
	value far = binary(site, left ? LLVMLShr : LLVMShl, left ? low : high, number(n, 1));
	return binary(site, LLVMOr, near, binary(site, left ? LLVMLShr : LLVMShl, far, rest));
}

static value extreme(value like, bool is_signed, bool largest)
{
	LLVMTypeRef type = LLVMTypeOf(like);
	value ones = LLVMConstAllOnes(type), top = LLVMConstNull(type);
	if (!is_signed)
		return largest ? ones : top;
	top = power_of_two(type, LLVMGetIntTypeWidth(type) - 1);
	return largest ? LLVMConstXor(top, ones) : top;
}

/* The result of uadd, ssub, umul, ... and whether it left the range. */
static value overflow(struct hd_site *site, const char *name, value a, value b, value *flag)
{
	bool is_signed = name[0] == 's', add = !strncmp(name + 1, "add", 3), mul = !strncmp(name + 1, "mul", 3);
	LLVMOpcode op = add ? LLVMAdd : mul ? LLVMMul : LLVMSub;
	unsigned bits = width_of(a), wide = bits > 128 ? 2 * bits : next_width(mul ? 2 * bits : bits + 1);
	value args[2] = {a, b};
	value sum, x;
	if (bits <= 64 || bits > 128) { /* exact in a wider type */
		x = binary(site, op, cast(site, a, wide, is_signed), cast(site, b, wide, is_signed));
		sum = cast(site, x, bits, false);
		*flag = compare(site, LLVMIntNE, cast(site, sum, wide, is_signed), x);
		return sum;
	}
	sum = binary(site, op, a, b);
	if (mul) {
		args[0] = cast(site, a, 128, is_signed);
		args[1] = cast(site, b, 128, is_signed);
		x = hd_legal_call(site, is_signed ? "__heddle_smulo128" : "__heddle_umulo128", int_type(site, 32), args,
				  2);
		*flag = compare(site, LLVMIntNE, x, number(x, 0));
		if (bits < 128) { /* the product may have more than these and fewer than 129 */
			x = binary(site, LLVMMul, args[0], args[1]);
			x = compare(site, LLVMIntNE, cast(site, sum, 128, is_signed), x);
			*flag = binary(site, LLVMOr, *flag, x);
		}
	} else if (!is_signed) {
		*flag = compare(site, LLVMIntULT, add ? sum : a, add ? a : b);
	} else { /* the operands' signs agree (differ, in a difference), and the result's is another */
		x = binary(site, LLVMXor, a, sum);
		value y = add ? binary(site, LLVMXor, b, sum) : binary(site, LLVMXor, a, b);
		x = binary(site, LLVMAnd, x, y);
		*flag = compare(site, LLVMIntSLT, x, number(x, 0));
	}
	return sum;
}

static value saturated(struct hd_site *site, const char *name, value a, value b)
{
	bool is_signed = name[0] == 's', subtract = !strncmp(name + 1, "sub", 3);
	value flag, sum = overflow(site, name, a, b, &flag), bound = extreme(a, is_signed, is_signed || !subtract);
	if (is_signed)
		bound = choose(site, compare(site, LLVMIntSLT, a, number(a, 0)), extreme(a, true, false), bound);
	return choose(site, flag, bound, sum);
}

static value shifted(struct hd_site *site, bool is_signed, value a, value amount)
{
	value out = binary(site, LLVMShl, a, amount);
	value back = binary(site, is_signed ? LLVMAShr : LLVMLShr, out, amount);
	value bound = extreme(a, is_signed, true);
	if (is_signed)
		bound = choose(site, compare(site, LLVMIntSLT, a, number(a, 0)), extreme(a, true, false), bound);
	return choose(site, compare(site, LLVMIntNE, back, a), bound, out);
}

static bool is_direct(unsigned bits)
{
	return bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

LLVMValueRef hd_legal_integer(struct hd_site *site, const char *name)
{
	value a = LLVMGetArgOperand(site->inst, 0);
	if (LLVMGetTypeKind(LLVMTypeOf(a)) != LLVMIntegerTypeKind)
		return NULL;
	unsigned bits = width_of(a);
	value b = LLVMGetNumArgOperands(site->inst) > 1 ? LLVMGetArgOperand(site->inst, 1) : NULL;
	if (!strcmp(name + 1, "shl.sat"))
		return shifted(site, name[0] == 's', a, b);
	if (is_direct(bits))
		return NULL;
	if (!strcmp(name, "ctpop") || !strcmp(name, "ctlz") || !strcmp(name, "cttz") || !strcmp(name, "bitreverse") ||
	    !strcmp(name, "bswap"))
		return bits > 128 ? NULL : count(site, name, a); /* more are counted word by word */
	if (!strcmp(name + 1, "min") || !strcmp(name + 1, "max"))
		return minmax(site, name, a, b);
	if (!strcmp(name, "abs"))
		return choose(site, compare(site, LLVMIntSLT, a, number(a, 0)), LLVMBuildNeg(site->builder, a, ""), a);
	if (!strcmp(name, "fshl") || !strcmp(name, "fshr"))
		return funnel(site, name[3] == 'l', a, b, LLVMGetArgOperand(site->inst, 2));
	if (!strcmp(name + 1, "add.sat") || !strcmp(name + 1, "sub.sat"))
		return saturated(site, name, a, b);
	value sum, flag;
	if (strstr(name, ".with.overflow")) {
		sum = overflow(site, name, a, b, &flag);
		sum = LLVMBuildInsertValue(site->builder, LLVMGetPoison(LLVMTypeOf(site->inst)), sum, 0, "");
		return LLVMBuildInsertValue(site->builder, sum, flag, 1, "");
	}
	return NULL;
}

/* ------------------------------------------------------------------ floating point */

static bool is_narrow(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

static value widened(struct hd_site *site, value v)
{
	return is_narrow(LLVMTypeOf(v))
		       ? LLVMBuildFPExt(site->builder, v, LLVMFloatTypeInContext(site->legal->context), "")
		       : v;
}

static value narrowed(struct hd_site *site, value v, LLVMTypeRef type)
{
	return LLVMTypeOf(v) == type ? v : LLVMBuildFPTrunc(site->builder, v, type, "");
}

static bool is_double(value v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMDoubleTypeKind;
}

/* Whether selection has an approximation for the intrinsic, which may be used. */
static bool approximated(struct hd_site *site, const char *name)
{
	static const char *const names[] = {"sin", "cos", "exp", "exp2", "exp10", "log", "log2", "log10"};
	if (!(LLVMGetFastMathFlags(site->inst) & LLVMFastMathApproxFunc) || is_double(site->inst))
		return false;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(name, names[i]))
			return LLVMGetTypeKind(LLVMTypeOf(site->inst)) == LLVMFloatTypeKind;
	return false;
}

static value library(struct hd_site *site, const char *name)
{
	static const char *const names[] = {"sin",  "cos", "tan",  "asin",  "acos", "atan", "sinh",  "cosh",
					    "tanh", "exp", "exp2", "exp10", "log",  "log2", "log10", "pow"};
	unsigned count = (unsigned)LLVMGetNumArgOperands(site->inst);
	value args[2];
	char full[32];
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (strcmp(name, names[i]))
			continue;
		if (approximated(site, name) || count > 2)
			return NULL;
		for (unsigned k = 0; k < count; k++)
			args[k] = widened(site, LLVMGetArgOperand(site->inst, k));
		snprintf(full, sizeof full, "__nv_%s%s", name, is_double(args[0]) ? "" : "f");
		return narrowed(site, hd_legal_call(site, full, LLVMTypeOf(args[0]), args, count),
				LLVMTypeOf(site->inst));
	}
	return NULL;
}

static value exponents(struct hd_site *site, const char *name)
{
	value args[2] = {widened(site, LLVMGetArgOperand(site->inst, 0)), NULL};
	bool wide = is_double(args[0]);
	LLVMTypeRef word = int_type(site, 32), result = LLVMTypeOf(site->inst);
	value out;
	if (!strcmp(name, "ldexp") || !strcmp(name, "powi")) {
		args[1] = cast(site, LLVMGetArgOperand(site->inst, 1), 32, true);
		out = hd_legal_call(site,
				    *name == 'l' ? (wide ? "__heddle_ldexp64" : "__heddle_ldexpf")
						 : (wide ? "__heddle_powi64" : "__heddle_powif"),
				    LLVMTypeOf(args[0]), args, 2);
		return narrowed(site, out, result);
	}
	if (strcmp(name, "frexp"))
		return NULL;
	LLVMTypeRef element = LLVMStructGetTypeAtIndex(result, 1);
	value part = hd_legal_call(site, wide ? "__heddle_frexp64" : "__heddle_frexpf", LLVMTypeOf(args[0]), args, 1);
	out = LLVMBuildInsertValue(site->builder, LLVMGetPoison(result),
				   narrowed(site, part, LLVMStructGetTypeAtIndex(result, 0)), 0, "");
	part = hd_legal_call(site, wide ? "__heddle_exponent64" : "__heddle_exponentf", word, args, 1);
	return LLVMBuildInsertValue(site->builder, out, cast(site, part, LLVMGetIntTypeWidth(element), true), 1, "");
}

/* Between floating point and integers of more than 64 bits. */
static value convert(struct hd_site *site, LLVMOpcode op)
{
	bool is_signed = op == LLVMFPToSI || op == LLVMSIToFP, to_integer = op == LLVMFPToSI || op == LLVMFPToUI;
	value in = LLVMGetOperand(site->inst, 0);
	LLVMTypeRef type = LLVMTypeOf(site->inst), integer = to_integer ? type : LLVMTypeOf(in);
	if (LLVMGetTypeKind(integer) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(integer) <= 64 ||
	    LLVMGetIntTypeWidth(integer) > 128)
		return NULL;
	in = to_integer ? widened(site, in) : cast(site, in, 128, is_signed);
	LLVMTypeRef real = to_integer	     ? LLVMTypeOf(in)
			   : is_narrow(type) ? LLVMFloatTypeInContext(site->legal->context)
					     : type;
	if (to_integer && LLVMGetTypeKind(real) == LLVMFloatTypeKind) /* every float is a double */
		in = LLVMBuildFPExt(site->builder, in, LLVMDoubleTypeInContext(site->legal->context), "");
	value out;
	char name[40];
	if (to_integer) {
		snprintf(name, sizeof name, "__heddle_f64_to_%c128", is_signed ? 's' : 'u');
		out = hd_legal_call(site, name, int_type(site, 128), &in, 1);
		return cast(site, out, LLVMGetIntTypeWidth(type), false);
	}
	snprintf(name, sizeof name, "__heddle_%c128_to_f%u", is_signed ? 's' : 'u',
		 LLVMGetTypeKind(real) == LLVMDoubleTypeKind ? 64 : 32);
	return narrowed(site, hd_legal_call(site, name, real, &in, 1), type);
}

/* ------------------------------------------------------------------ vectors */

static value join(struct hd_site *site, const char *name, value a, value b)
{
	static const struct {
		const char *name;
		LLVMOpcode op;
	} ops[] = {{"add", LLVMAdd}, {"mul", LLVMMul},	 {"and", LLVMAnd},  {"or", LLVMOr},
		   {"xor", LLVMXor}, {"fadd", LLVMFAdd}, {"fmul", LLVMFMul}};
	static const char *const floats[][2] = {{"fmin", "minnum"},
						{"fmax", "maxnum"},
						{"fminimum", "minimum"},
						{"fmaximum", "maximum"}};
	value args[2] = {a, b};

	for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
		if (!strcmp(name, ops[i].name))
			return binary(site, ops[i].op, a, b);
	for (size_t i = 0; i < 4; i++)
		if (!strcmp(name, floats[i][0]))
			return intrinsic(site, floats[i][1], args, 2);
	return minmax(site, name, a, b);
}

/* One element after another, as the ordered reductions of floats demand. */
static value reduced(struct hd_site *site, const char *name)
{
	unsigned count = (unsigned)LLVMGetNumArgOperands(site->inst);
	value vector = LLVMGetArgOperand(site->inst, count - 1),
	      out = count == 2 ? LLVMGetArgOperand(site->inst, 0) : NULL;
	for (unsigned i = 0, n = LLVMGetVectorSize(LLVMTypeOf(vector)); i < n; i++) {
		value element =
			LLVMBuildExtractElement(site->builder, vector, LLVMConstInt(int_type(site, 32), i, false), "");
		out = out ? join(site, name, out, element) : element;
	}
	return out;
}

/* The integer that has the vector's bits, where its elements are no bytes; NULL otherwise. */
static LLVMTypeRef packed_type(struct hd_site *site, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) != LLVMVectorTypeKind ||
	    LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMIntegerTypeKind)
		return NULL;
	unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(type));
	if (bits % 8 == 0 || bits * LLVMGetVectorSize(type) > 128)
		return NULL;
	return int_type(site, bits * LLVMGetVectorSize(type));
}

static value packed_load(struct hd_site *site)
{
	LLVMTypeRef packed = packed_type(site, LLVMTypeOf(site->inst));
	if (!packed)
		return NULL;
	value load = LLVMBuildLoad2(site->builder, packed, LLVMGetOperand(site->inst, 0), "");
	LLVMSetAlignment(load, hd_access_alignment(site->inst));
	LLVMSetVolatile(load, LLVMGetVolatile(site->inst));
	return hd_legal_bitcast(site, load, LLVMTypeOf(site->inst));
}

static void packed_store(struct hd_site *site)
{
	value in = LLVMGetOperand(site->inst, 0);
	LLVMTypeRef packed = packed_type(site, LLVMTypeOf(in));
	if (!packed)
		return;
	value store = LLVMBuildStore(site->builder, hd_legal_bitcast(site, in, packed), LLVMGetOperand(site->inst, 1));
	LLVMSetAlignment(store, hd_access_alignment(site->inst));
	LLVMSetVolatile(store, LLVMGetVolatile(site->inst));
	LLVMInstructionEraseFromParent(site->inst);
}

static value odd_bitcast(struct hd_site *site)
{
	value in = LLVMGetOperand(site->inst, 0);
	LLVMTypeRef type = LLVMTypeOf(site->inst);
	return hd_is_word_bitcast(LLVMTypeOf(in), type) ? NULL : hd_legal_bitcast(site, in, type);
}

/* ------------------------------------------------------------------ the visit */

bool hd_legal_base_name(const char *name, char *out, size_t room)
{
	if (strncmp(name, "llvm.", 5) || strlen(name) - 5 >= room)
		return false;
	strcpy(out, name + 5);
	size_t length;
	for (char *dot; (dot = strrchr(out, '.'));) {
		length = strspn(dot + 2, "0123456789");
		if (!((dot[1] == 'i' || dot[1] == 'f') && length && !dot[2 + length]) && strcmp(dot, ".bf16"))
			break;
		*dot = '\0';
	}
	return true;
}

static value expand_call(struct hd_site *site)
{
	value callee = LLVMGetCalledValue(site->inst);
	if (LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName(callee), "__nvvm_reflect"))
		return hd_legal_reflect(site);
	if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee) && !LLVMGetIntrinsicID(callee))
		return hd_legal_memory(site, LLVMGetValueName(callee));
	char name[64];
	if (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee) ||
	    !hd_legal_base_name(LLVMGetValueName(callee), name, sizeof name))
		return NULL;
	if (!strncmp(name, "nvvm.", 5))
		return hd_legal_nvvm(site, LLVMGetValueName(callee) + 5);
	value out = hd_legal_rare(site, name);
	if (!out)
		out = hd_legal_vector(site, LLVMGetValueName(callee));
	if (out || !LLVMGetNumArgOperands(site->inst))
		return out;
	if (!strncmp(name, "vector.reduce.", 14)) {
		name[14 + strcspn(name + 14, ".")] = '\0'; /* without the type, v4i32 */
		return reduced(site, name + 14);
	}
	out = hd_legal_integer(site, name);
	if (!out)
		out = library(site, name);
	if (!out && (!strcmp(name, "ldexp") || !strcmp(name, "powi") || !strcmp(name, "frexp")))
		out = exponents(site, name);
	return out;
}

static value expand(struct hd_site *site)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(site->inst);
	switch (op) {
	case LLVMCall: return expand_call(site);
	case LLVMFPToSI:
	case LLVMFPToUI:
	case LLVMSIToFP:
	case LLVMUIToFP: return convert(site, op);
	case LLVMVAArg: site->again = true; return hd_legal_va_arg(site);
	case LLVMBitCast: return odd_bitcast(site);
	case LLVMLoad: return packed_load(site);
	case LLVMStore: packed_store(site); return NULL;
	default: return NULL;
	}
}

void hd_legal_expand(struct hd_legal *legal)
{
	struct hd_site site = {.legal = legal, .builder = legal->builder};
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
			value next;
			for (value inst = LLVMGetFirstInstruction(bb); inst; inst = next) {
				value before = LLVMGetPreviousInstruction(inst);
				next = LLVMGetNextInstruction(inst);
				site.inst = inst;
				site.again = false;
				site.ordinal = LLVMGetMetadata(inst, legal->md_ordinal);
				LLVMPositionBuilderBefore(legal->builder, inst);
				LLVMSetCurrentDebugLocation2(legal->builder, LLVMInstructionGetDebugLoc(inst));
				value out = expand(&site);
				if (out) {
					LLVMReplaceAllUsesWith(inst, out);
					LLVMInstructionEraseFromParent(inst);
				}
				/* What is new comes from this instruction. */
				for (value made = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(bb);
				     site.ordinal && made && made != next; made = LLVMGetNextInstruction(made))
					if (!LLVMGetMetadata(made, legal->md_ordinal))
						LLVMSetMetadata(made, legal->md_ordinal, site.ordinal);
				if (out && site.again)
					next = before ? LLVMGetNextInstruction(before) : LLVMGetFirstInstruction(bb);
			}
		}
}
