/*
 * Linear values: addresses. getelementptr's arithmetic, variables, casts between address spaces, and members of
 * by-value parameters, which lie in the constant bank like the others. Linear in the indices.
 */
#include "heddle/machine.h"
#include "passes/affine/affine_internal.h"

static struct hd_affine_value number(struct hd_affine *affine, int64_t value, unsigned bits)
{
	return hd_affine_scalar(affine, hd_poly_constant(affine->polys, value, bits), bits);
}

/* An index as wide as addresses are: it counts as signed. What addresses of 32 bits drop need not be known. */
static struct hd_affine_value index_of(struct hd_affine *affine, LLVMValueRef inst, LLVMValueRef value, unsigned bits)
{
	struct hd_affine_value index;
	bool is_cast = LLVMIsAInstruction(value) && (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value));
	if (is_cast && hd_affine_bits(affine, LLVMTypeOf(LLVMGetOperand(value, 0))) == bits)
		value = LLVMGetOperand(value, 0);
	if (!hd_affine_operand(affine, value, LLVMGetInstructionParent(inst), &index))
		return hd_not_linear;
	if (index.bits > bits)
		return hd_affine_truncate(affine, index, bits);
	return index.bits < bits ? hd_affine_extend(affine, index, bits, true) : index;
}

struct hd_affine_value hd_affine_gep_offset(struct hd_affine *affine, LLVMValueRef inst)
{
	static const struct hd_flags none = {false, false};
	unsigned bits = hd_affine_bits(affine, LLVMTypeOf(inst));
	LLVMTypeRef type = LLVMGetGEPSourceElementType(inst);
	if (!bits || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMPointerTypeKind)
		return hd_not_linear;
	struct hd_affine_value sum = number(affine, 0, bits);
	for (int i = 1; i < LLVMGetNumOperands(inst); i++) {
		LLVMValueRef operand = LLVMGetOperand(inst, (unsigned)i);
		struct hd_affine_value index, term;
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(operand);
			term = number(affine, (int64_t)LLVMOffsetOfElement(affine->layout, type, field), bits);
			type = LLVMStructGetTypeAtIndex(type, field);
		} else {
			type = i > 1 ? LLVMGetElementType(type) : type;
			index = index_of(affine, inst, operand, bits);
			term = number(affine, (int64_t)LLVMABISizeOfType(affine->layout, type), bits);
			term = hd_affine_multiply(affine, index, term, none);
		}
		sum = hd_affine_add(affine, sum, term, none);
	}
	return sum;
}

struct hd_affine_value hd_affine_gep(struct hd_affine *affine, LLVMValueRef inst)
{
	static const struct hd_flags none = {false, false};
	struct hd_affine_value base;
	if (!hd_affine_operand(affine, LLVMGetOperand(inst, 0), LLVMGetInstructionParent(inst), &base))
		return hd_not_linear;
	return hd_affine_add(affine, base, hd_affine_gep_offset(affine, inst), none);
}

/* The window of shared memory in generic addresses begins at a multiple of 4 GiB. */
static struct hd_affine_value shared_to_generic(struct hd_affine *affine, struct hd_affine_value offset)
{
	static const struct hd_flags none = {false, false};
	struct hd_range any = {INT64_MIN, INT64_MAX};
	uint32_t window = hd_affine_bank(affine, HD_CB_SHARED_WINDOW, 64, any, "shared_window");
	offset = hd_affine_extend(affine, offset, 64, false);
	return hd_affine_add(affine, offset, hd_affine_scalar(affine, window, 64), none);
}

struct hd_affine_value hd_affine_cast_space(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value value;
	unsigned bits = hd_affine_bits(affine, LLVMTypeOf(inst));
	if (!bits || LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMPointerTypeKind ||
	    !hd_affine_operand(affine, LLVMGetOperand(inst, 0), LLVMGetInstructionParent(inst), &value))
		return hd_not_linear;
	if (bits == value.bits)
		return value;
	if (bits < value.bits)
		return hd_affine_truncate(affine, value, bits);
	return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) == HD_AS_SHARED
		       ? shared_to_generic(affine, value)
		       : hd_not_linear;
}

/* A variable's address is fixed when the program is loaded; offsets of shared variables when it is linked. */
static struct hd_affine_value address_of(struct hd_affine *affine, LLVMValueRef global)
{
	bool shared = LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == HD_AS_SHARED;
	struct hd_unknown symbol = {
		.kind = HD_UNKNOWN_ADDRESS,
		.bits = shared ? 32 : 64,
		.offset = hd_affine_variable(affine, global),
		.range = shared ? (struct hd_range){0, INT32_MAX} : (struct hd_range){INT64_MIN, INT64_MAX},
		.name = hd_arena_printf(affine->arena, "@%s", LLVMGetValueName(global)),
		.linked = true,
	};
	uint32_t poly = hd_poly_symbol(affine->polys, hd_unknown_intern(affine->polys, &symbol));
	return hd_affine_scalar(affine, poly, symbol.bits);
}

struct hd_affine_value hd_affine_constant(struct hd_affine *affine, LLVMValueRef value)
{
	static const struct hd_flags none = {false, false};
	unsigned bits = hd_affine_bits(affine, LLVMTypeOf(value));
	struct hd_const_addr address;
	if (!bits || LLVMIsUndef(value))
		return hd_not_linear;
	if (LLVMIsAConstantInt(value))
		return number(affine, LLVMConstIntGetSExtValue(value), bits);
	if (!hd_const_address(affine->layout, value, &address))
		return hd_not_linear;
	struct hd_affine_value addend = number(affine, (int64_t)address.addend, bits);
	if (!address.global)
		return addend;
	if (!LLVMIsAGlobalVariable(address.global))
		return hd_not_linear;
	struct hd_affine_value base = address_of(affine, address.global);
	if (base.bits == 32 && bits == 64)
		base = shared_to_generic(affine, base);
	return base.bits == bits ? hd_affine_add(affine, base, addend, none) : hd_not_linear;
}

/* Members of by-value parameters at a known place in the constant bank: `P2.8` is the word at byte 8 of parameter 2,
 * `P2.8l` both words there. */
struct hd_affine_value hd_affine_load(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value pointer;
	unsigned bits = hd_affine_bits(affine, LLVMTypeOf(inst)), param = 0;
	LLVMValueRef operand = LLVMGetOperand(inst, 0);
	int64_t at;
	if ((bits != 32 && bits != 64) || LLVMGetVolatile(inst) ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(operand)) != HD_AS_PARAM ||
	    !hd_affine_value(affine, operand, &pointer) ||
	    !hd_poly_is_constant(affine->polys, hd_affine_constant_part(affine, &pointer, true), &at) ||
	    at < HD_CB_PARAMS || !hd_cb_holds(at, bits / 8) || at % (bits / 8))
		return hd_not_linear;
	uint32_t offset = (uint32_t)at - HD_CB_PARAMS;
	while (param + 1 < LLVMCountParams(affine->function) && affine->param_offsets[param + 1] <= offset)
		param++;
	char name[32];
	snprintf(name, sizeof(name), "P%u.%u%s", param, offset - affine->param_offsets[param], bits == 64 ? "l" : "");
	return hd_affine_scalar(affine, hd_affine_bank(affine, (uint32_t)at, bits, hd_signed_range(bits), name), bits);
}
