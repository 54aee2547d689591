/*
 * Inline PTX as IR: memory on the stack (alloca), and the stack's pointer (stacksave, stackrestore). Its addresses are
 * those of local memory, as ld.local takes them. Memory lasts until the function returns or the pointer is set back.
 */
#include "passes/legalize/asm.h"

enum { LOCAL = 5, LEAST_ALIGN = 8, MOST_ALIGN = 1 << 23 };

static LLVMTypeRef pointer_type(struct hd_asm *a, unsigned space)
{
	return LLVMPointerTypeInContext(a->site.legal->context, space);
}

/* 32 or 64, of the opcode's type; 0: an error. */
static unsigned width(struct hd_asm *a)
{
	struct hd_ptx_type type = hd_asm_type(a, 0);
	if (type.class == 'u' && (type.bits == 32 || type.bits == 64))
		return type.bits;
	hd_asm_error(a, ".u32 or .u64 expected");
	return 0;
}

/* alloca.u64 p, bytes{, align} */
static void allocate(struct hd_asm *a, unsigned arg)
{
	const struct hd_ptx_part *given = &a->now->operands[2].parts[0];
	uint64_t align = a->now->count > 2 ? given->number : LEAST_ALIGN;
	unsigned bits = width(a);
	(void)arg;
	if (a->now->count > 2 && (given->kind != HD_PTX_NUMBER || !align || align & (align - 1) || align > MOST_ALIGN))
		hd_asm_error(a, "an alignment is a power of two up to %u", MOST_ALIGN);
	if (a->failed)
		return;
	value bytes = cast(&a->site, hd_asm_in(a, 1, bits), 64, false);
	value memory = LLVMBuildArrayAlloca(a->site.builder, int_type(&a->site, 8), bytes, "");
	LLVMSetAlignment(memory, (unsigned)align);
	memory = LLVMBuildAddrSpaceCast(a->site.builder, memory, pointer_type(a, LOCAL), "");
	hd_asm_out(a, 0, LLVMBuildPtrToInt(a->site.builder, memory, int_type(&a->site, bits), ""), false);
}

static void save(struct hd_asm *a, unsigned arg)
{
	unsigned bits = width(a);
	(void)arg;
	if (!bits)
		return;
	value pointer = hd_asm_call(a, "llvm.stacksave", pointer_type(a, 0), NULL, 0);
	hd_asm_out(a, 0, LLVMBuildPtrToInt(a->site.builder, pointer, int_type(&a->site, bits), ""), false);
}

static void restore(struct hd_asm *a, unsigned arg)
{
	unsigned bits = width(a);
	(void)arg;
	if (!bits)
		return;
	value saved = cast(&a->site, hd_asm_in(a, 0, bits), 64, false);
	value pointer = LLVMBuildIntToPtr(a->site.builder, saved, pointer_type(a, 0), "");
	hd_asm_call(a, "llvm.stackrestore", pointer_type(a, 0), &pointer, 1);
}

const struct hd_asm_row hd_asm_stack[] = {
	{"alloca", 2, NULL, allocate, 0},
	{"stacksave", 1, NULL, save, 0},
	{"stackrestore", 1, NULL, restore, 0},
	{NULL, 0, NULL, NULL, 0},
};
