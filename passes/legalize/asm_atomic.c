/*
 * Inline PTX as IR: atomic operations on 16 and 128 bits, on pairs of halves and on vectors. Each becomes LLVM's
 * operation on an element, which is made of compare-and-exchange where the machine has no other; of a vector each
 * element is atomic for itself, as PTX says. What an operation says of order are fences around it.
 */
#include <string.h>

#include "passes/legalize/asm.h"

static unsigned elements(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "v8")	 ? 8
	       : hd_ptx_statement_has(now, "v4") ? 4
	       : hd_ptx_statement_has(now, "v2") ? 2
						 : 1;
}

static bool is_taken(const struct hd_ptx_statement *now)
{
	struct hd_ptx_type type = hd_ptx_statement_element(now);
	return type.bits == 16 || (type.bits == 32 && strchr("hg", type.class)) || elements(now) > 1 ||
	       type.bits == 128;
}

static const char *scope(const struct hd_ptx_statement *now)
{
	return hd_ptx_statement_has(now, "cta") ? "cta" : hd_ptx_statement_has(now, "sys") ? "sys" : "gpu";
}

static void fence(struct hd_asm *a)
{
	char text[32];
	snprintf(text, sizeof text, "fence.acq_rel.%s;", scope(a->now));
	hd_asm_piece(a, text, 0, NULL, 0);
}

static bool operation(const struct hd_ptx_statement *now, LLVMAtomicRMWBinOp *out)
{
	bool add = hd_ptx_statement_has(now, "add"), min = hd_ptx_statement_has(now, "min");
	*out = add ? LLVMAtomicRMWBinOpFAdd : min ? LLVMAtomicRMWBinOpFMin : LLVMAtomicRMWBinOpFMax;
	return (add || min || hd_ptx_statement_has(now, "max")) && hd_asm_is_real(hd_ptx_statement_element(now));
}

static value one(struct hd_asm *a, value pointer, value operand, LLVMTypeRef type, LLVMAtomicRMWBinOp op)
{
	operand = LLVMBuildBitCast(a->site.builder, operand, type, "");
	value old = LLVMBuildAtomicRMW(a->site.builder, op, pointer, operand, LLVMAtomicOrderingMonotonic, false);
	return hd_asm_bits(a, old);
}

static void exchange(struct hd_asm *a, value pointer, unsigned bits)
{
	value put = hd_asm_in(a, 2, bits);
	hd_asm_out(a, 0,
		   LLVMBuildAtomicRMW(a->site.builder, LLVMAtomicRMWBinOpXchg, pointer, put,
				      LLVMAtomicOrderingMonotonic, false),
		   false);
}

static void compare_exchange(struct hd_asm *a, value pointer, unsigned bits)
{
	value wanted = hd_asm_in(a, 2, bits), swap = hd_asm_in(a, 3, bits);
	value pair = LLVMBuildAtomicCmpXchg(a->site.builder, pointer, wanted, swap, LLVMAtomicOrderingMonotonic,
					    LLVMAtomicOrderingMonotonic, false);
	hd_asm_out(a, 0, LLVMBuildExtractValue(a->site.builder, pair, 0, ""), false);
}

static bool check(struct hd_asm *a, struct hd_ptx_type type, unsigned count, unsigned result)
{
	const struct hd_ptx_operand *from = &a->now->operands[result + 1];
	LLVMAtomicRMWBinOp op;
	bool swaps = hd_asm_has(a, "cas") || (hd_asm_has(a, "exch") && type.bits == 128);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(a->site.inst);
	if (type.bits == 128 && hd_capability(LLVMGetBasicBlockParent(block)) < 90)
		hd_asm_error(a, "atomic operations on 128 bits need sm_90 or later");
	else if (!operation(a->now, &op) && !(swaps && count == 1 && (type.bits == 16 || type.bits == 128) && result))
		hd_asm_error(a, "the operation is not supported on this type");
	else if (from->form == HD_PTX_ADDRESS || from->count != count ||
		 a->now->operands[0].count != (result ? count : 1))
		hd_asm_error(a, "expected %u elements", count);
	return !a->failed;
}

static void atomic(struct hd_asm *a, unsigned result)
{
	struct hd_ptx_type type = hd_ptx_statement_element(a->now);
	unsigned count = elements(a->now), space = hd_asm_space(a);
	struct hd_site *site = &a->site;
	bool acquires = hd_asm_has(a, "acquire") || hd_asm_has(a, "acq_rel");
	LLVMAtomicRMWBinOp op;
	if (!check(a, type, count, result))
		return;
	value pointer = hd_asm_pointer(a, result, space);
	LLVMTypeRef real = hd_asm_real_type(a, type);
	if (type.bits == 32 && type.class != 'f')
		real = LLVMVectorType(real, 2);
	if (hd_asm_has(a, "release") || hd_asm_has(a, "acq_rel"))
		fence(a);
	if (hd_asm_has(a, "cas"))
		compare_exchange(a, pointer, type.bits);
	else if (hd_asm_has(a, "exch"))
		exchange(a, pointer, type.bits);
	for (unsigned i = 0; i < count && operation(a->now, &op); i++) {
		value index = hd_asm_word(a, i), at = pointer, old;
		if (i)
			at = LLVMBuildGEP2(site->builder, int_type(site, type.bits), pointer, &index, 1, "");
		old = one(a, at, hd_asm_read(a, &a->now->operands[result + 1].parts[i], type.bits), real, op);
		if (result)
			hd_asm_write(a, &a->now->operands[0].parts[i], old, false);
	}
	if (acquires)
		fence(a);
}

const struct hd_asm_row hd_asm_atomic[] = {
	{"atom", 3, is_taken, atomic, 1},
	{"red", 2, is_taken, atomic, 0},
	{NULL, 0, NULL, NULL, 0},
};
