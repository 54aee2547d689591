/*
 * Short names for building replacements of instructions, shared by the files of legalisation.
 */
#ifndef HD_PASSES_LEGALIZE_BUILD_H
#define HD_PASSES_LEGALIZE_BUILD_H

#include "passes/legalize/legalize.h"

typedef LLVMValueRef value;

static inline LLVMTypeRef int_type(struct hd_site *site, unsigned bits)
{
	return LLVMIntTypeInContext(site->legal->context, bits);
}

/* Of a call. */
static inline value argument(struct hd_site *site, unsigned i)
{
	return LLVMGetArgOperand(site->inst, i);
}

static inline value number(value like, uint64_t n)
{
	return LLVMConstInt(LLVMTypeOf(like), n, false);
}

static inline value cast(struct hd_site *site, value v, unsigned bits, bool is_signed)
{
	return LLVMBuildIntCast2(site->builder, v, int_type(site, bits), is_signed, "");
}

static inline unsigned width_of(value v)
{
	return LLVMGetIntTypeWidth(LLVMTypeOf(v));
}

static inline value binary(struct hd_site *site, LLVMOpcode op, value a, value b)
{
	return LLVMBuildBinOp(site->builder, op, a, b, "");
}

static inline value compare(struct hd_site *site, LLVMIntPredicate predicate, value a, value b)
{
	return LLVMBuildICmp(site->builder, predicate, a, b, "");
}

static inline value choose(struct hd_site *site, value condition, value yes, value no)
{
	return LLVMBuildSelect(site->builder, condition, yes, no, "");
}

/* llvm.<name> overloaded on the type of its first argument. */
static inline value intrinsic(struct hd_site *site, const char *name, value *args, unsigned count)
{
	LLVMTypeRef type = LLVMTypeOf(args[0]);
	char full[64];
	snprintf(full, sizeof full, "llvm.%s", name);
	unsigned id = LLVMLookupIntrinsicID(full, strlen(full));
	return LLVMBuildCall2(site->builder, LLVMIntrinsicGetType(site->legal->context, id, &type, 1),
			      LLVMGetIntrinsicDeclaration(site->legal->module, id, &type, 1), args, count, "");
}

/* 2^exponent, in a type of up to 4096 bits. */
static inline value power_of_two(LLVMTypeRef type, unsigned exponent)
{
	uint64_t words[64] = {0};
	words[exponent / 64] = UINT64_C(1) << exponent % 64;
	return LLVMConstIntOfArbitraryPrecision(type, exponent / 64 + 1, words);
}

/* The next of the widths 8, 16, 32, 64 and 128. */
static inline unsigned next_width(unsigned bits)
{
	return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : bits <= 64 ? 64 : 128;
}

static inline value truth(struct hd_site *site, bool which)
{
	return LLVMConstInt(int_type(site, 1), which, false);
}

#endif
