/*
 * Linear values: what instructions make of them, the operations of r2d2-isca23 Figure 6 and those that LLVM makes of
 * these: shifts, `or` of disjoint bits, extensions, truncation, masks that change nothing, selects on launch constants.
 * Constant time an instruction, but for the terms of the polynomials.
 */
#include <string.h>

#include "heddle/machine.h"
#include "passes/affine/affine_internal.h"

static const struct hd_flags no_flags = {false, false};

static struct hd_affine_value make_exact(struct hd_affine *affine, struct hd_affine_value value, bool is_signed);

static bool iterates(const struct hd_affine *affine, const struct hd_affine_value *value)
{
	return hd_poly_get(affine->polys, affine->vectors.data[value->vector].part[HD_INDEX_C])->iterates;
}

/*
 * A sum or product that does not wrap is exact where its operands are. One that counts iterations may not have a bound
 * that can be checked, but its operands without iterations have.
 */
static struct hd_affine_value exact_by_operands(struct hd_affine *affine, struct hd_affine_value value,
						const struct hd_affine_value *a, const struct hd_affine_value *b)
{
	const struct hd_affine_value *operands[] = {a, b};
	uint64_t conditions = value.conditions;
	if (value.exact_signed || !iterates(affine, &value))
		return value;
	for (unsigned i = 0; i < 2; i++) {
		if (operands[i]->exact_signed)
			continue;
		struct hd_affine_value exact =
			iterates(affine, operands[i]) ? hd_not_linear : make_exact(affine, *operands[i], true);
		if (!hd_is_linear(&exact))
			return value;
		conditions |= exact.conditions;
	}
	value.exact_signed = true;
	value.conditions = conditions;
	return value;
}

/* Parts by `parts`, y in place of b's; exactness from the operands' and the flags. */
static struct hd_affine_value combine(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
				      struct hd_affine_vector y, struct hd_flags flags,
				      uint32_t (*parts)(struct hd_poly_table *, uint32_t, uint32_t, unsigned))
{
	struct hd_affine_vector x = affine->vectors.data[a.vector], result;
	bool same = true;
	for (unsigned i = 0; i < HD_INDICES; i++) {
		uint32_t wide = parts(affine->polys, x.part[i], y.part[i], 64);
		if (wide == HD_NO_POLY)
			return hd_not_linear;
		result.part[i] = hd_poly_truncate(affine->polys, wide, a.bits);
		same &= result.part[i] == wide;
	}
	struct hd_affine_value value = {
		.vector = hd_affine_intern(affine, &result),
		.bits = a.bits,
		.exact_signed = same && flags.nsw && a.exact_signed && b.exact_signed,
		.exact_unsigned = same && flags.nuw && a.exact_unsigned && b.exact_unsigned,
		.conditions = a.conditions | b.conditions,
	};
	value = hd_affine_refine(affine, value);
	return hd_is_linear(&value) && same && flags.nsw ? exact_by_operands(affine, value, &a, &b) : value;
}

struct hd_affine_value hd_affine_add(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
				     struct hd_flags flags)
{
	if (!hd_is_linear(&a) || !hd_is_linear(&b))
		return hd_not_linear;
	return combine(affine, a, b, affine->vectors.data[b.vector], flags, hd_poly_add);
}

struct hd_affine_value hd_affine_subtract(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
					  struct hd_flags flags)
{
	if (!hd_is_linear(&a) || !hd_is_linear(&b))
		return hd_not_linear;
	return combine(affine, a, b, affine->vectors.data[b.vector], flags, hd_poly_subtract);
}

static bool is_scalar(const struct hd_affine *affine, const struct hd_affine_value *value, bool launch)
{
	return hd_is_linear(value) && hd_affine_is_scalar(affine, value->vector, launch);
}

static uint32_t constant_part(const struct hd_affine *affine, const struct hd_affine_value *value)
{
	return affine->vectors.data[value->vector].part[HD_INDEX_C];
}

uint32_t hd_affine_constant_part(const struct hd_affine *affine, const struct hd_affine_value *value, bool launch)
{
	return is_scalar(affine, value, launch) ? constant_part(affine, value) : HD_NO_POLY;
}

static bool is_constant(const struct hd_affine *affine, const struct hd_affine_value *value, int64_t *constant)
{
	return is_scalar(affine, value, true) &&
	       hd_poly_is_constant(affine->polys, constant_part(affine, value), constant);
}

/* One factor has no index in it: its constant part times all of the other's. */
struct hd_affine_value hd_affine_multiply(struct hd_affine *affine, struct hd_affine_value a, struct hd_affine_value b,
					  struct hd_flags flags)
{
	if (is_scalar(affine, &a, false)) {
		struct hd_affine_value swap = a;
		a = b;
		b = swap;
	}
	if (!hd_is_linear(&a) || !is_scalar(affine, &b, false))
		return hd_not_linear;
	struct hd_affine_vector factor;
	for (unsigned i = 0; i < HD_INDICES; i++)
		factor.part[i] = constant_part(affine, &b);
	return combine(affine, a, b, factor, flags, hd_poly_multiply);
}

struct hd_range hd_signed_range(unsigned bits)
{
	int64_t half = bits == 64 ? INT64_MAX : ((int64_t)1 << (bits - 1)) - 1;
	return (struct hd_range){-half - 1, half};
}

struct hd_range hd_unsigned_range(unsigned bits)
{
	return (struct hd_range){0, bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1};
}

/* What bounds the iterations in the value; not linear where nothing does. */
static struct hd_affine_value bound_iterations(struct hd_affine *affine, struct hd_affine_value value)
{
	uint32_t loops[HD_POLY_TERMS], count = hd_affine_iterations(affine, value.vector, loops);
	for (uint32_t l = 0; l < count; l++) {
		const struct hd_affine_loop *facts = &affine->loop_facts[loops[l]];
		if (facts->most == HD_NO_POLY || hd_poly_get(affine->polys, facts->most)->linked)
			return hd_not_linear;
		value.conditions |= facts->conditions;
	}
	return value;
}

/* Exact as a signed or unsigned number, if need be by a condition. */
static struct hd_affine_value make_exact(struct hd_affine *affine, struct hd_affine_value value, bool is_signed)
{
	if (is_signed ? value.exact_signed : value.exact_unsigned)
		return value;
	if (hd_is_linear(&value))
		value = bound_iterations(affine, value);
	if (!hd_is_linear(&value))
		return hd_not_linear;
	return hd_affine_require(affine, value, value.vector,
				 is_signed ? hd_signed_range(value.bits) : hd_unsigned_range(value.bits));
}

struct hd_affine_value hd_affine_extend(struct hd_affine *affine, struct hd_affine_value value, unsigned bits,
					bool is_signed)
{
	bool exact = is_signed ? value.exact_signed : value.exact_unsigned;
	if (is_scalar(affine, &value, true) && !exact) {
		struct hd_range range = is_signed ? hd_signed_range(value.bits) : hd_unsigned_range(value.bits);
		uint32_t poly = hd_affine_operation(affine, is_signed ? HD_UNIFORM_SEXT : HD_UNIFORM_ZEXT, value.bits,
						    bits, constant_part(affine, &value), 0, 0, range);
		uint64_t conditions = value.conditions;
		value = hd_affine_scalar(affine, poly, bits);
		value.conditions = conditions;
		return value;
	}
	value = make_exact(affine, value, is_signed);
	if (!hd_is_linear(&value))
		return hd_not_linear;
	value.bits = (uint8_t)bits;
	value.exact_unsigned = !is_signed;
	value.exact_signed = true;
	return hd_affine_refine(affine, value);
}

struct hd_affine_value hd_affine_truncate(struct hd_affine *affine, struct hd_affine_value value, unsigned bits)
{
	struct hd_affine_vector vector;
	if (!hd_is_linear(&value))
		return hd_not_linear;
	for (unsigned i = 0; i < HD_INDICES; i++)
		vector.part[i] = hd_poly_truncate(affine->polys, affine->vectors.data[value.vector].part[i], bits);
	value.vector = hd_affine_intern(affine, &vector);
	value.bits = (uint8_t)bits;
	value.exact_signed = value.exact_unsigned = false;
	return hd_affine_refine(affine, value);
}

/* ---- operands of instructions */

static struct hd_affine_value operand(struct hd_affine *affine, LLVMValueRef inst, unsigned index)
{
	struct hd_affine_value value;
	hd_affine_operand(affine, LLVMGetOperand(inst, index), LLVMGetInstructionParent(inst), &value);
	return value;
}

static struct hd_flags flags_of(LLVMValueRef inst)
{
	return (struct hd_flags){LLVMGetNSW(inst), LLVMGetNUW(inst)};
}

static uint64_t vector_alignment(const struct hd_affine *affine, uint32_t vector)
{
	uint64_t least = UINT64_C(1) << 63;
	for (unsigned i = 0; i < HD_INDICES; i++) {
		uint64_t part = hd_poly_alignment(affine->polys, affine->vectors.data[vector].part[i], NULL, NULL);
		least = part < least ? part : least;
	}
	return least;
}

/* b fits into bits that a always has clear. */
static bool is_disjoint(const struct hd_affine *affine, const struct hd_affine_value *a,
			const struct hd_affine_value *b)
{
	struct hd_range range = hd_affine_range(affine, b->vector);
	return b->exact_unsigned && range.low >= 0 && range.high != INT64_MAX &&
	       (uint64_t)range.high < vector_alignment(affine, a->vector);
}

/* An `or` of what has no bit in common is an addition that never carries. */
static struct hd_affine_value transfer_or(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value a = operand(affine, inst, 0), b = operand(affine, inst, 1);
	struct hd_flags never = {true, true};
	if (!hd_is_linear(&a) || !hd_is_linear(&b))
		return hd_not_linear;
	bool disjoint = LLVMIsAInstruction(inst) && LLVMGetIsDisjoint(inst);
	if (disjoint || is_disjoint(affine, &a, &b) || is_disjoint(affine, &b, &a))
		return hd_affine_add(affine, a, b, never);
	return hd_affine_uniform(affine, inst);
}

/* A mask of low bits that the value does not go beyond, or of high bits below which it has none. */
static struct hd_affine_value transfer_and(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value a = operand(affine, inst, 0), b = operand(affine, inst, 1);
	int64_t mask;
	if (is_constant(affine, &b, &mask) && hd_is_linear(&a)) {
		struct hd_range range = hd_affine_range(affine, a.vector), low = {0, mask};
		if (mask >= 0 && (mask & (mask + 1)) == 0 && a.exact_unsigned && hd_range_within(range, low))
			return a;
		if (mask < 0 && ((uint64_t)-mask & ((uint64_t)-mask - 1)) == 0 &&
		    vector_alignment(affine, a.vector) >= (uint64_t)-mask)
			return a;
	}
	return hd_affine_uniform(affine, inst);
}

/* x - (x & 3), as LLVM's unroller counts rounds, is x & -4. */
static struct hd_affine_value transfer_sub(struct hd_affine *affine, LLVMValueRef inst)
{
	LLVMValueRef from = LLVMGetOperand(inst, 0), low = LLVMGetOperand(inst, 1);
	struct hd_affine_value a = operand(affine, inst, 0), b = operand(affine, inst, 1);
	int64_t mask = LLVMIsAInstruction(low) && LLVMGetInstructionOpcode(low) == LLVMAnd &&
				       LLVMGetOperand(low, 0) == from && LLVMIsAConstantInt(LLVMGetOperand(low, 1))
			       ? LLVMConstIntGetSExtValue(LLVMGetOperand(low, 1))
			       : 0;
	if (mask <= 0 || mask == INT64_MAX || (mask & (mask + 1)) || !is_scalar(affine, &a, true))
		return hd_affine_subtract(affine, a, b, flags_of(inst));
	uint32_t poly = hd_affine_operation(affine, HD_UNIFORM_AND, a.bits, a.bits, constant_part(affine, &a),
					    hd_poly_constant(affine->polys, -(mask + 1), 64), HD_POLY_ZERO,
					    hd_signed_range(a.bits));
	struct hd_affine_value value = hd_affine_scalar(affine, poly, a.bits);
	value.conditions = a.conditions;
	return value;
}

static struct hd_affine_value transfer_shl(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value a = operand(affine, inst, 0), b = operand(affine, inst, 1), by;
	int64_t amount;
	if (!hd_is_linear(&a) || !is_scalar(affine, &b, true))
		return hd_not_linear;
	if (is_constant(affine, &b, &amount)) {
		if (amount < 0 || amount >= a.bits)
			return hd_not_linear;
		/* 1 << (bits - 1) is negative as a signed number: nothing is exact then. */
		by = hd_affine_scalar(affine, hd_poly_constant(affine->polys, (int64_t)(UINT64_C(1) << amount), a.bits),
				      a.bits);
		return hd_affine_multiply(affine, a, by, amount == a.bits - 1 ? no_flags : flags_of(inst));
	}
	if (a.bits > 32)
		return hd_not_linear; /* 1 << 63 is no positive number of 64 bits */
	struct hd_range range = {0, (int64_t)1 << (a.bits - 1)};
	uint32_t power =
		hd_affine_operation(affine, HD_UNIFORM_POW2, a.bits, 64, constant_part(affine, &b), 0, 0, range);
	by = hd_affine_scalar(affine, power, a.bits);
	by.conditions = b.conditions;
	return hd_affine_multiply(affine, a, by, no_flags);
}

/* A right shift that drops no set bit. */
static struct hd_affine_value transfer_shr(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value a = operand(affine, inst, 0), b = operand(affine, inst, 1);
	bool is_signed = LLVMGetInstructionOpcode(inst) == LLVMAShr;
	struct hd_affine_vector vector;
	int64_t amount;
	if (!hd_is_linear(&a) || !is_constant(affine, &b, &amount) || amount < 0 || amount >= a.bits ||
	    !(is_signed ? a.exact_signed : a.exact_unsigned) ||
	    vector_alignment(affine, a.vector) < UINT64_C(1) << amount)
		return hd_affine_uniform(affine, inst);
	for (unsigned i = 0; i < HD_INDICES; i++)
		vector.part[i] =
			hd_poly_shift_right(affine->polys, affine->vectors.data[a.vector].part[i], (unsigned)amount);
	a.vector = hd_affine_intern(affine, &vector);
	return hd_affine_refine(affine, a);
}

static struct hd_affine_value transfer_extension(struct hd_affine *affine, LLVMValueRef inst, bool is_signed)
{
	struct hd_affine_value value = operand(affine, inst, 0);
	unsigned bits = hd_affine_bits(affine, LLVMTypeOf(inst));
	if (!hd_is_linear(&value) || !bits)
		return hd_not_linear;
	/* A number that is not negative is the same signed and unsigned. */
	if (!is_signed && LLVMGetNNeg(inst) && !value.exact_unsigned)
		is_signed = true;
	return hd_affine_extend(affine, value, bits, is_signed);
}

/* Part by part: select(condition, a, b) where they differ. */
static struct hd_affine_value transfer_select(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value condition = operand(affine, inst, 0), a = operand(affine, inst, 1),
			       b = operand(affine, inst, 2);
	struct hd_affine_vector vector;
	if (!hd_is_linear(&a) || !hd_is_linear(&b))
		return hd_not_linear;
	if (a.vector == b.vector) {
		a.conditions |= b.conditions;
		a.exact_signed &= b.exact_signed;
		a.exact_unsigned &= b.exact_unsigned;
		return a;
	}
	if (!is_scalar(affine, &condition, true))
		return hd_not_linear;
	for (unsigned i = 0; i < HD_INDICES; i++) {
		uint32_t x = affine->vectors.data[a.vector].part[i], y = affine->vectors.data[b.vector].part[i];
		struct hd_range p = hd_poly_range(affine->polys, x), q = hd_poly_range(affine->polys, y);
		struct hd_range both = {p.low < q.low ? p.low : q.low, p.high > q.high ? p.high : q.high};
		vector.part[i] = x == y ? x
					: hd_affine_operation(affine, HD_UNIFORM_SELECT, 64, 64,
							      constant_part(affine, &condition), x, y, both);
	}
	a.vector = hd_affine_intern(affine, &vector);
	a.exact_signed &= b.exact_signed;
	a.exact_unsigned &= b.exact_unsigned;
	a.conditions |= b.conditions | condition.conditions;
	return a;
}

/* ---- built-in variables */

static struct hd_affine_value index_value(struct hd_affine *affine, unsigned index)
{
	struct hd_affine_vector vector = {{0}};
	vector.part[index] = hd_poly_constant(affine->polys, 1, 64);
	struct hd_affine_value value = {.vector = hd_affine_intern(affine, &vector), .bits = 32};
	return hd_affine_refine(affine, value);
}

static struct hd_affine_value dimension(struct hd_affine *affine, bool grid, unsigned axis)
{
	static const char *const names[2][3] = {{"ntid.x", "ntid.y", "ntid.z"}, {"nctaid.x", "nctaid.y", "nctaid.z"}};
	static const uint32_t offsets[2][3] = {{HD_CB_NTID_X, HD_CB_NTID_Y, HD_CB_NTID_Z},
					       {HD_CB_NCTAID_X, HD_CB_NCTAID_Y, HD_CB_NCTAID_Z}};
	const uint32_t *most = grid ? affine->bounds.grid : affine->bounds.block;
	uint32_t poly;
	if (!grid && affine->bounds.exact)
		poly = hd_poly_constant(affine->polys, most[axis], 64);
	else
		poly = hd_affine_bank(affine, offsets[grid][axis], 32, (struct hd_range){1, most[axis]},
				      names[grid][axis]);
	return hd_affine_scalar(affine, poly, 32);
}

static struct hd_affine_value special_register(struct hd_affine *affine, const char *name)
{
	static const char *const kinds[] = {"tid.", "ctaid.", "ntid.", "nctaid."};
	for (unsigned kind = 0; kind < 4; kind++) {
		size_t len = strlen(kinds[kind]);
		if (strncmp(name, kinds[kind], len) || name[len] < 'x' || name[len] > 'z' || name[len + 1])
			continue;
		unsigned axis = (unsigned)(name[len] - 'x');
		if (kind < 2)
			return index_value(affine, (kind ? HD_INDEX_CTAID_X : HD_INDEX_TID_X) + axis);
		return dimension(affine, kind == 3, axis);
	}
	return hd_not_linear;
}

static struct hd_affine_value transfer_call(struct hd_affine *affine, LLVMValueRef inst)
{
	static const char prefix[] = "llvm.nvvm.read.ptx.sreg.";
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	if (!strncmp(name, prefix, strlen(prefix)))
		return special_register(affine, name + strlen(prefix));
	return hd_affine_uniform(affine, inst);
}

/* ---- dispatch */

static struct hd_affine_value transfer_cast(struct hd_affine *affine, LLVMValueRef inst)
{
	struct hd_affine_value value = operand(affine, inst, 0);
	unsigned bits = hd_affine_bits(affine, LLVMTypeOf(inst));
	if (!hd_is_linear(&value) || !bits)
		return hd_not_linear;
	if (bits < value.bits)
		return hd_affine_truncate(affine, value, bits);
	return bits > value.bits ? hd_affine_extend(affine, value, bits, false) : value;
}

struct hd_affine_value hd_affine_transfer(struct hd_affine *affine, LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd: return hd_affine_add(affine, operand(affine, inst, 0), operand(affine, inst, 1), flags_of(inst));
	case LLVMSub: return transfer_sub(affine, inst);
	case LLVMMul:
		return hd_affine_multiply(affine, operand(affine, inst, 0), operand(affine, inst, 1), flags_of(inst));
	case LLVMShl: return transfer_shl(affine, inst);
	case LLVMLShr:
	case LLVMAShr: return transfer_shr(affine, inst);
	case LLVMOr: return transfer_or(affine, inst);
	case LLVMAnd: return transfer_and(affine, inst);
	case LLVMSExt: return transfer_extension(affine, inst, true);
	case LLVMZExt: return transfer_extension(affine, inst, false);
	case LLVMTrunc:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast: return transfer_cast(affine, inst);
	case LLVMAddrSpaceCast: return hd_affine_cast_space(affine, inst);
	case LLVMFreeze: return operand(affine, inst, 0);
	case LLVMGetElementPtr: return hd_affine_gep(affine, inst);
	case LLVMLoad: return hd_affine_load(affine, inst);
	case LLVMSelect: return transfer_select(affine, inst);
	case LLVMCall: return transfer_call(affine, inst);
	default: return hd_affine_uniform(affine, inst);
	}
}
