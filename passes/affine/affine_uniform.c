/*
 * Linear values: what is computed from launch constants alone is a launch constant, whatever the operation. It
 * becomes a symbol of its own, equal for equal operations on equal operands, which the coefficient stream evaluates
 * once a launch (r2d2-isca23 3.2.1). Constant time an instruction.
 */
#include <string.h>

#include "passes/affine/affine_internal.h"

static bool operation_of(LLVMValueRef inst, unsigned *op)
{
	switch (LLVMGetInstructionOpcode(inst)) {
#define CASE(opcode, id)               \
	case opcode:                   \
		*op = HD_UNIFORM_##id; \
		return true;
		CASE(LLVMAnd, AND)
		CASE(LLVMOr, OR)
		CASE(LLVMXor, XOR)
		CASE(LLVMLShr, LSHR)
		CASE(LLVMAShr, ASHR)
		CASE(LLVMUDiv, UDIV)
		CASE(LLVMSDiv, SDIV)
		CASE(LLVMURem, UREM)
		CASE(LLVMSRem, SREM)
#undef CASE
	default: return false;
	}
}

static bool intrinsic_of(LLVMValueRef call, unsigned *op)
{
	static const struct {
		const char *prefix;
		unsigned op;
	} rows[] = {{"llvm.smin.", HD_UNIFORM_SMIN},
		    {"llvm.smax.", HD_UNIFORM_SMAX},
		    {"llvm.umin.", HD_UNIFORM_UMIN},
		    {"llvm.umax.", HD_UNIFORM_UMAX}};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strncmp(name, rows[i].prefix, strlen(rows[i].prefix))) {
			*op = rows[i].op;
			return true;
		}
	return false;
}

static bool comparison_of(LLVMIntPredicate predicate, unsigned *op, bool *swap)
{
	*swap = predicate == LLVMIntUGT || predicate == LLVMIntUGE || predicate == LLVMIntSGT ||
		predicate == LLVMIntSGE;
	switch (predicate) {
	case LLVMIntEQ: *op = HD_UNIFORM_EQ; return true;
	case LLVMIntNE: *op = HD_UNIFORM_NE; return true;
	case LLVMIntULT:
	case LLVMIntUGT: *op = HD_UNIFORM_ULT; return true;
	case LLVMIntULE:
	case LLVMIntUGE: *op = HD_UNIFORM_ULE; return true;
	case LLVMIntSLT:
	case LLVMIntSGT: *op = HD_UNIFORM_SLT; return true;
	case LLVMIntSLE:
	case LLVMIntSGE: *op = HD_UNIFORM_SLE; return true;
	}
	return false;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t largest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Bounds of the result from those of the operands, where they are numbers of this signedness. */
static struct hd_range range_of(const struct hd_affine *affine, unsigned op, const struct hd_affine_value *a,
				const struct hd_affine_value *b)
{
	struct hd_range x = hd_affine_range(affine, a->vector), y = hd_affine_range(affine, b->vector);
	struct hd_range any = hd_signed_range(a->bits);
	bool is_signed = a->exact_signed && b->exact_signed;
	bool positive = x.low >= 0 && y.low >= 0 && a->exact_unsigned && b->exact_unsigned;
	switch ((enum hd_uniform_op)op) {
	case HD_UNIFORM_SMIN: return is_signed ? (struct hd_range){least(x.low, y.low), least(x.high, y.high)} : any;
	case HD_UNIFORM_SMAX:
		return is_signed ? (struct hd_range){largest(x.low, y.low), largest(x.high, y.high)} : any;
	case HD_UNIFORM_UMIN:
	case HD_UNIFORM_AND: return positive && is_signed ? (struct hd_range){0, least(x.high, y.high)} : any;
	case HD_UNIFORM_LSHR:
	case HD_UNIFORM_UDIV:
	case HD_UNIFORM_ASHR: return positive && is_signed ? (struct hd_range){0, x.high} : any;
	case HD_UNIFORM_UREM: return positive && is_signed && y.high > 0 ? (struct hd_range){0, y.high - 1} : any;
	default: return any;
	}
}

static struct hd_affine_value operation(struct hd_affine *affine, unsigned op, struct hd_affine_value a,
					struct hd_affine_value b, unsigned bits)
{
	uint32_t x = hd_affine_constant_part(affine, &a, true), y = hd_affine_constant_part(affine, &b, true);
	struct hd_range range = {0, 1};
	if (x == HD_NO_POLY || y == HD_NO_POLY)
		return hd_not_linear;
	if (bits != 1)
		range = range_of(affine, op, &a, &b);
	uint32_t poly = hd_affine_operation(affine, op, a.bits, bits, x, y, HD_POLY_ZERO, range);
	struct hd_affine_value value = hd_affine_scalar(affine, poly, bits);
	value.conditions = a.conditions | b.conditions;
	return value;
}

struct hd_affine_value hd_affine_uniform(struct hd_affine *affine, LLVMValueRef inst)
{
	unsigned op, bits = hd_affine_bits(affine, LLVMTypeOf(inst));
	bool swap = false, known;
	struct hd_affine_value a, b;
	if (LLVMIsACallInst(inst))
		known = intrinsic_of(inst, &op);
	else if (LLVMIsAICmpInst(inst))
		known = comparison_of(LLVMGetICmpPredicate(inst), &op, &swap);
	else
		known = operation_of(inst, &op);
	if (!known || !hd_affine_operand(affine, LLVMGetOperand(inst, swap), LLVMGetInstructionParent(inst), &a) ||
	    !hd_affine_operand(affine, LLVMGetOperand(inst, !swap), LLVMGetInstructionParent(inst), &b))
		return hd_not_linear;
	return operation(affine, op, a, b, bits);
}
