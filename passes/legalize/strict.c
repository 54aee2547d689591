/*
 * Floating point under `#pragma clang fp exceptions(...)`, which comes as llvm.experimental.constrained.*: the machine
 * has neither exceptions nor a rounding mode to change, so each becomes the ordinary operation, before anything else
 * looks at the module. One that asks for another rounding than to nearest stays, and is refused later. Linear.
 */
#include "passes/legalize/build.h"

#include <llvm-c/DebugInfo.h>

static const char prefix[] = "llvm.experimental.constrained.";

static bool is_metadata(value operand)
{
	return LLVMGetTypeKind(LLVMTypeOf(operand)) == LLVMMetadataTypeKind;
}

static const char *text_of(value metadata)
{
	unsigned length;
	const char *text = LLVMGetMDString(metadata, &length);
	return text ? text : "";
}

/* How many operands are values; the rest say how it rounds, compares and traps. */
static unsigned count_values(value call)
{
	unsigned count = 0, all = LLVMGetNumArgOperands(call);
	while (count < all && !is_metadata(LLVMGetArgOperand(call, count)))
		count++;
	return count;
}

static bool rounds_otherwise(value call)
{
	for (unsigned i = count_values(call); i < LLVMGetNumArgOperands(call); i++) {
		const char *text = text_of(LLVMGetArgOperand(call, i));
		if (!strncmp(text, "round.", 6) && strcmp(text, "round.dynamic") && strcmp(text, "round.tonearest"))
			return true;
	}
	return false;
}

/* The name up to its types; dots are no part of it. */
static bool is_named(const char *rest, const char *name)
{
	size_t length = strlen(name);
	return !strncmp(rest, name, length) && rest[length] == '.';
}

static value operation(struct hd_site *site, const char *rest)
{
	static const struct {
		const char *name;
		LLVMOpcode op;
	} ops[] = {
		{"fadd", LLVMFAdd},	{"fsub", LLVMFSub},	{"fmul", LLVMFMul},	  {"fdiv", LLVMFDiv},
		{"frem", LLVMFRem},	{"fptosi", LLVMFPToSI}, {"fptoui", LLVMFPToUI},	  {"sitofp", LLVMSIToFP},
		{"uitofp", LLVMUIToFP}, {"fpext", LLVMFPExt},	{"fptrunc", LLVMFPTrunc},
	};
	value a = LLVMGetArgOperand(site->inst, 0);
	for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
		if (!is_named(rest, ops[i].name))
			continue;
		return count_values(site->inst) == 2
			       ? binary(site, ops[i].op, a, LLVMGetArgOperand(site->inst, 1))
			       : LLVMBuildCast(site->builder, ops[i].op, a, LLVMTypeOf(site->inst), "");
	}
	return NULL;
}

static value comparison(struct hd_site *site)
{
	static const char *const names[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
					    "uno",   "ueq", "ugt", "uge", "ult", "ule", "une", "true"};
	const char *wanted = text_of(LLVMGetArgOperand(site->inst, 2));
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(wanted, names[i]))
			return LLVMBuildFCmp(site->builder, (LLVMRealPredicate)i, LLVMGetArgOperand(site->inst, 0),
					     LLVMGetArgOperand(site->inst, 1), "");
	return NULL;
}

/* sqrt, fma, floor, powi, lrint, ...: the intrinsic of that name. */
static value plain_intrinsic(struct hd_site *site, const char *rest)
{
	LLVMTypeRef types[2] = {LLVMTypeOf(site->inst)};
	unsigned count = count_values(site->inst), type_count = 1, id;
	value args[3];
	char name[64];
	if (count > 3)
		return NULL;
	for (unsigned i = 0; i < count; i++)
		args[i] = LLVMGetArgOperand(site->inst, i);
	if (is_named(rest, "powi") || is_named(rest, "ldexp"))
		types[type_count++] = LLVMTypeOf(args[1]);
	else if (LLVMTypeOf(args[0]) != types[0])
		types[type_count++] = LLVMTypeOf(args[0]);
	snprintf(name, sizeof name, "llvm.%.*s", (int)strcspn(rest, "."), rest);
	id = LLVMLookupIntrinsicID(name, strlen(name));
	if (!id)
		return NULL;
	return LLVMBuildCall2(site->builder, LLVMIntrinsicGetType(site->legal->context, id, types, type_count),
			      LLVMGetIntrinsicDeclaration(site->legal->module, id, types, type_count), args, count, "");
}

static value replacement(struct hd_site *site, const char *rest)
{
	value out;
	if (!LLVMGetNumArgOperands(site->inst) || rounds_otherwise(site->inst))
		return NULL;
	if (is_named(rest, "fcmp") || is_named(rest, "fcmps"))
		return comparison(site);
	out = operation(site, rest);
	return out ? out : plain_intrinsic(site, rest);
}

static void replace_call(struct hd_site *site, const char *rest)
{
	value out;
	LLVMPositionBuilderBefore(site->builder, site->inst);
	LLVMSetCurrentDebugLocation2(site->builder, LLVMInstructionGetDebugLoc(site->inst));
	out = replacement(site, rest);
	if (!out)
		return;
	if (LLVMIsAInstruction(out) && LLVMCanValueUseFastMathFlags(out) && LLVMCanValueUseFastMathFlags(site->inst))
		LLVMSetFastMathFlags(out, LLVMGetFastMathFlags(site->inst));
	if (LLVMIsAInstruction(out) && site->ordinal)
		LLVMSetMetadata(out, site->legal->md_ordinal, site->ordinal);
	LLVMReplaceAllUsesWith(site->inst, out);
	LLVMInstructionEraseFromParent(site->inst);
}

/* Its calls, through the declaration: a module without one costs nothing. */
static void replace_calls(struct hd_site *site, value function)
{
	const char *rest = LLVMGetValueName(function) + sizeof prefix - 1;
	for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
		value user = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
			continue;
		site->inst = user;
		site->ordinal = LLVMGetMetadata(user, site->legal->md_ordinal);
		replace_call(site, rest);
	}
}

void hd_legal_strict(struct hd_legal *legal)
{
	struct hd_site site = {.legal = legal, .builder = legal->builder};
	unsigned strict = LLVMGetEnumAttributeKindForName("strictfp", 8);
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		/* What is inlined into a function of that kind would become constrained again. */
		LLVMRemoveEnumAttributeAtIndex(f, LLVMAttributeFunctionIndex, strict);
		if (!strncmp(LLVMGetValueName(f), prefix, sizeof prefix - 1))
			replace_calls(&site, f);
	}
}
