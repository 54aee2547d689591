/*
 * Selection: atomic operations and fences.
 */
#include "heddle/opcodes.h"
#include "passes/ir/uniformity.h"
#include "passes/select/select.h"

static unsigned atomic_op(unsigned space)
{
	return space == HD_AS_SHARED			       ? HD_OP_ATOMS
	       : space == HD_AS_GLOBAL || space == HD_AS_CONST ? HD_OP_ATOMG
							       : HD_OP_ATOM;
}

/* What the lanes have in common (enum of HD_ALIKE_), of the instruction's address and operand. Generic addresses may be
 * of local memory, which each thread has for itself, unless they are a variable's or a parameter. */
static uint8_t alike(struct hd_select *sel, LLVMValueRef pointer, LLVMValueRef operand)
{
	const struct hd_uniformity *uniformity = hd_uniformity_of(sel->unit, sel->function);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), found = 0;
	bool kernel = hd_is_kernel(sel->unit, sel->function);
	struct hd_const_addr place = {0};
	if (space == HD_AS_LOCAL || hd_is_for_one_index(sel->inst) ||
	    (space == HD_AS_GENERIC && hd_const_address(sel->layout, pointer, &place) && !place.global))
		return 0;
	if (hd_value_is_invariant(pointer, kernel))
		found |= HD_ALIKE_ADDRESS | HD_ALIKE_ADDRESS_TOGETHER;
	else if (space != HD_AS_GENERIC && uniformity && hd_value_is_uniform(uniformity, pointer))
		found |= HD_ALIKE_ADDRESS_TOGETHER;
	if (hd_value_is_invariant(operand, kernel))
		found |= HD_ALIKE_OPERAND | HD_ALIKE_OPERAND_TOGETHER;
	else if (uniformity && hd_value_is_uniform(uniformity, operand))
		found |= HD_ALIKE_OPERAND_TOGETHER;
	return (uint8_t)found;
}

struct hd_leaf hd_sel_atomic(struct hd_select *sel, unsigned atomop, unsigned type, struct hd_leaf pointer,
			     unsigned space, struct hd_leaf value, struct hd_leaf *swap, uint16_t mods)
{
	struct hd_mblock *block = &sel->func->blocks.data[sel->block];
	struct hd_leaf old = hd_sel_atomic_op(sel, atomop, type, pointer, space, value, swap, mods,
					      LLVMGetFirstUse(sel->inst) != NULL);
	hd_vec_last(&block->insts).alike = alike(sel, LLVMGetOperand(sel->inst, 0), LLVMGetOperand(sel->inst, 1));
	return old;
}

struct hd_leaf hd_sel_atomic_op(struct hd_select *sel, unsigned atomop, unsigned type, struct hd_leaf pointer,
				unsigned space, struct hd_leaf value, struct hd_leaf *swap, uint16_t mods, bool result)
{
	unsigned words = hd_type_registers(type);
	struct hd_mreg operand = hd_sel_reg(sel, value), stored = HD_MREG_NONE;
	/* Local memory is a thread's own, but generic operations reach it. */
	if (space == HD_AS_LOCAL || pointer.kind == HD_LEAF_FRAME || pointer.kind == HD_LEAF_INCOMING) {
		pointer = hd_leaf_reg(hd_sel_reg(sel, hd_sel_cast_space(sel, pointer, HD_AS_LOCAL, HD_AS_GENERIC)));
		space = HD_AS_GENERIC;
	}
	struct hd_address address = hd_sel_address(sel, pointer, space);
	if (swap)
		stored = hd_sel_reg(sel, *swap);
	struct hd_mreg dst;
	if (result)
		dst = hd_mfunc_vreg(sel->func, words);
	else
		dst = (struct hd_mreg){HD_RZ, 0, words};
	struct hd_minst *inst =
		hd_sel_push(sel, atomic_op(address.space), HD_MOD(ATOMOP, atomop) | HD_MOD(DTYPE, type) | mods);
	inst->dst = dst;
	hd_sel_set_address(inst, &address, 0);
	if (inst->a.id == HD_RZ && inst->a.words)
		inst->a.words = address.space == HD_AS_SHARED ? 1 : 2;
	inst->b = operand;
	inst->c = swap ? stored : (struct hd_mreg){HD_RZ, 0, words};
	return hd_leaf_reg(dst);
}

/*
 * Ordering of an atomic operation. CUDA's atomicAdd and its kin reach us as seq_cst without a
 * scope, though CUDA defines them as relaxed at the device's scope; the NVPTX back end gives them
 * no ordering either.
 */
static uint16_t ordering_mods(LLVMValueRef inst, LLVMAtomicOrdering ordering)
{
	unsigned scope = LLVMIsAtomicSingleThread(inst) ? HD_SCOPE_CTA : HD_SCOPE_GPU, sem = HD_SEM_RELAXED;
	if (ordering == LLVMAtomicOrderingAcquire)
		sem = HD_SEM_ACQUIRE;
	else if (ordering == LLVMAtomicOrderingRelease)
		sem = HD_SEM_RELEASE;
	else if (ordering == LLVMAtomicOrderingAcquireRelease)
		sem = HD_SEM_ACQ_REL;
	return HD_MOD(SEM, sem) | HD_MOD(SCOPE8, scope);
}

static unsigned integer_type(unsigned bits, bool is_signed)
{
	if (bits == 128)
		return HD_B128;
	return bits == 64 ? (is_signed ? HD_S64 : HD_U64) : is_signed ? HD_S32 : HD_U32;
}

static struct hd_leaf negated(struct hd_select *sel, struct hd_leaf value)
{
	struct hd_leaf zero = hd_leaf_imm(0, value.words);
	if (value.kind == HD_LEAF_IMM)
		return hd_leaf_imm(-value.imm[0], value.words);
	if (value.words == 2)
		return hd_leaf_reg(hd_sel_add64(sel, zero, value, true));
	return hd_leaf_reg(hd_sel_alu(sel, HD_OP_IADD3, 0, hd_rz(), hd_neg(hd_sel_word(sel, &value, 0)), hd_none()));
}

/* Exchanges of 128 bits are sm_90's. */
static bool has_128(const struct hd_select *sel, unsigned bits)
{
	return bits == 128 && hd_capability(LLVMGetBasicBlockParent(LLVMGetInstructionParent(sel->inst))) >= 90;
}

void hd_sel_atomicrmw(struct hd_select *sel)
{
	LLVMValueRef pointer = LLVMGetOperand(sel->inst, 0), operand = LLVMGetOperand(sel->inst, 1);
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));
	unsigned bits = hd_scalar_bits(LLVMTypeOf(operand)), type = integer_type(bits, false);
	struct hd_leaf value = hd_sel_leaf(sel, operand, 0);
	bool exchange128 = has_128(sel, bits) && LLVMGetAtomicRMWBinOp(sel->inst) == LLVMAtomicRMWBinOpXchg;
	if (bits != 32 && bits != 64 && !exchange128) {
		hd_sel_unsupported(sel, "atomic operation on %u bits", bits);
		return;
	}
	unsigned op;
	switch (LLVMGetAtomicRMWBinOp(sel->inst)) {
	case LLVMAtomicRMWBinOpXchg: op = HD_ATOM_EXCH; break;
	case LLVMAtomicRMWBinOpAdd: op = HD_ATOM_ADD; break;
	case LLVMAtomicRMWBinOpSub:
		op = HD_ATOM_ADD;
		value = negated(sel, value);
		break;
	case LLVMAtomicRMWBinOpAnd: op = HD_ATOM_AND; break;
	case LLVMAtomicRMWBinOpOr: op = HD_ATOM_OR; break;
	case LLVMAtomicRMWBinOpXor: op = HD_ATOM_XOR; break;
	case LLVMAtomicRMWBinOpMax:
		op = HD_ATOM_MAX;
		type = integer_type(bits, true);
		break;
	case LLVMAtomicRMWBinOpMin:
		op = HD_ATOM_MIN;
		type = integer_type(bits, true);
		break;
	case LLVMAtomicRMWBinOpUMax: op = HD_ATOM_MAX; break;
	case LLVMAtomicRMWBinOpUMin: op = HD_ATOM_MIN; break;
	case LLVMAtomicRMWBinOpFAdd:
		op = HD_ATOM_ADD;
		type = bits == 64 ? HD_F64 : HD_F32;
		break;
	case LLVMAtomicRMWBinOpFSub:
		op = HD_ATOM_ADD;
		type = bits == 64 ? HD_F64 : HD_F32;
		value = hd_sel_sign(sel, value, kind, HD_LUT_A ^ HD_LUT_B, 0x80000000u);
		break;
	case LLVMAtomicRMWBinOpUIncWrap: op = HD_ATOM_INC; break;
	case LLVMAtomicRMWBinOpUDecWrap: op = HD_ATOM_DEC; break;
	default: hd_sel_unsupported(sel, "atomic operation"); return;
	}
	hd_sel_define1(sel, hd_sel_atomic(sel, op, type, hd_sel_leaf(sel, pointer, 0),
					  LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), value, NULL,
					  ordering_mods(sel->inst, LLVMGetOrdering(sel->inst))));
}

void hd_sel_cmpxchg(struct hd_select *sel)
{
	LLVMValueRef pointer = LLVMGetOperand(sel->inst, 0), expected = LLVMGetOperand(sel->inst, 1);
	unsigned bits = hd_scalar_bits(LLVMTypeOf(expected));
	struct hd_leaf compare = hd_sel_leaf(sel, expected, 0), swap = hd_sel_arg(sel, 2);
	if (bits != 32 && bits != 64 && !has_128(sel, bits)) {
		hd_sel_unsupported(sel, "compare-and-exchange of %u bits", bits);
		return;
	}
	struct hd_leaf out[2];
	out[0] = hd_sel_atomic(sel, HD_ATOM_CAS, integer_type(bits, false), hd_sel_leaf(sel, pointer, 0),
			       LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), compare, &swap,
			       ordering_mods(sel->inst, LLVMGetCmpXchgSuccessOrdering(sel->inst)));
	out[1] = hd_leaf_imm(0, 0);
	if (LLVMGetFirstUse(sel->inst))
		out[1] = hd_sel_cmp(sel, HD_CMP_EQ, false, out[0], compare, bits);
	hd_sel_define(sel, sel->inst, out, 2);
}

void hd_sel_fence(struct hd_select *sel)
{
	/* The C API does not tell one scope from another; the widest is always right. */
	if (!LLVMIsAtomicSingleThread(sel->inst))
		hd_sel_push(sel, HD_OP_MEMBAR, HD_MOD(SCOPE, HD_SCOPE_SYS));
}
