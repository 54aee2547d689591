/*
 * Selection: addresses, loads, stores. An address is a base register and a
 * displacement; constant offsets stay pending in the pointer's leaf until something needs the sum.
 * Accesses are as wide as the alignment allows and as narrow as it demands.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "lib/bits.h"
#include "passes/select/select.h"

/* Displacements have 24 bits; the margin is for the parts of a wide access. */
#define MAX_DISPLACEMENT 0x700000

/* ------------------------------------------------------------------ addresses */

static bool is_near(uint64_t offset)
{
	return (int64_t)offset >= -MAX_DISPLACEMENT && (int64_t)offset <= MAX_DISPLACEMENT;
}

/* Registers for the pointer without its pending offset, which goes into the displacement. */
static struct hd_mreg split_base(struct hd_select *sel, struct hd_leaf pointer, int32_t *offset)
{
	if (is_near(pointer.imm[0])) {
		*offset = (int32_t)pointer.imm[0];
		pointer.imm[0] = 0;
	}
	return hd_sel_reg(sel, pointer);
}

struct hd_address hd_sel_address(struct hd_select *sel, struct hd_leaf pointer, unsigned space)
{
	struct hd_address address = {.space = space};
	switch (pointer.kind) {
	case HD_LEAF_LINEAR: return hd_sel_linear_address(sel, pointer, space);
	case HD_LEAF_FRAME:
	case HD_LEAF_INCOMING:
		address.space = HD_AS_LOCAL;
		address.base = (struct hd_mreg){hd_mfunc_frame_base(sel->func), 0, 1};
		address.ref_kind = pointer.kind == HD_LEAF_FRAME ? HD_MREF_FRAME : HD_MREF_INCOMING;
		address.ref = pointer.id;
		address.offset = (int32_t)pointer.imm[0];
		return address;
	case HD_LEAF_IMM:
		if (space == HD_AS_GENERIC && pointer.imm[0] - HD_SHARED_WINDOW < HD_SHARED_WINDOW_BYTES) {
			address.space = HD_AS_SHARED;
			pointer = hd_leaf_imm((uint32_t)pointer.imm[0], 1);
		}
		if (pointer.words == 1 && is_near(pointer.imm[0])) {
			address.base = HD_MREG_RZ;
			address.offset = (int32_t)pointer.imm[0];
			return address;
		}
		address.base = hd_sel_reg(sel, pointer);
		return address;
	case HD_LEAF_SYMBOL:
		if (space == HD_AS_GENERIC && sel->unit->object.symbols[pointer.id].space != HD_SPACE_SHARED)
			address.space = HD_AS_GLOBAL;
		address.base = split_base(sel, pointer, &address.offset);
		return address;
	default: address.base = split_base(sel, pointer, &address.offset); return address;
	}
}

struct hd_address hd_sel_plain_address(struct hd_select *sel, struct hd_leaf pointer, unsigned space)
{
	struct hd_address address = {.space = space};
	if (pointer.kind != HD_LEAF_LINEAR)
		return hd_sel_address(sel, pointer, space);
	address.base = split_base(sel, pointer, &address.offset);
	return address;
}

static unsigned size_code(unsigned bytes, bool is_signed)
{
	switch (bytes) {
	case 1: return is_signed ? HD_SIZE_S8 : HD_SIZE_U8;
	case 2: return is_signed ? HD_SIZE_S16 : HD_SIZE_U16;
	case 4: return HD_SIZE_32;
	case 8: return HD_SIZE_64;
	default: return HD_SIZE_128;
	}
}

static unsigned access_op(unsigned space, bool load)
{
	switch (space) {
	case HD_AS_GENERIC: return load ? HD_OP_LD : HD_OP_ST;
	case HD_AS_SHARED: return load ? HD_OP_LDS : HD_OP_STS;
	case HD_AS_LOCAL: return load ? HD_OP_LDL : HD_OP_STL;
	case HD_AS_PARAM: return HD_OP_LDC;
	case HD_AS_CONST: return load ? HD_OP_LDCX : HD_OP_STG;
	default: return load ? HD_OP_LDG : HD_OP_STG;
	}
}

/* Only the modifiers that the opcode has. */
static uint16_t allowed_mods(unsigned op, uint16_t mods)
{
	if (op == HD_OP_LDC || op == HD_OP_LDCX) /* nothing writes there while a kernel runs */
		return 0;
	if (op == HD_OP_LDL || op == HD_OP_STL)
		return mods & HD_MOD(CACHE, 7);
	return mods;
}

void hd_sel_set_address(struct hd_minst *inst, const struct hd_address *address, int64_t offset)
{
	assert(!address->linear || hd_op_takes_linear(inst->op));
	inst->a = address->base;
	if (inst->a.id == HD_RZ)
		inst->a.words = hd_lr_takes(address->linear, HD_SLOT_A) ? 0 : 1;
	inst->linear = address->linear;
	inst->coefficient = address->linear ? address->coefficient : HD_RZ;
	inst->xkind = HD_X_OTHER;
	inst->x = (uint32_t)(address->offset + offset);
	inst->ref_kind = address->ref_kind;
	inst->ref = address->ref;
}

struct hd_mreg hd_sel_load_at(struct hd_select *sel, struct hd_address address, int64_t offset, unsigned bytes,
			      bool is_signed, uint16_t mods)
{
	unsigned op = access_op(address.space, true);
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, bytes <= 4 ? 1 : bytes / 4);
	struct hd_minst *inst =
		hd_sel_push(sel, op, allowed_mods(op, mods) | HD_MOD(SIZE, size_code(bytes, is_signed)));
	inst->dst = dst;
	hd_sel_set_address(inst, &address, offset);
	return dst;
}

void hd_sel_store_at(struct hd_select *sel, struct hd_address address, int64_t offset, unsigned bytes,
		     struct hd_mreg value, uint16_t mods)
{
	unsigned op = access_op(address.space, false);
	if (address.space == HD_AS_PARAM || address.space == HD_AS_CONST) {
		hd_sel_unsupported(sel, "store to constant memory");
		return;
	}
	struct hd_minst *inst = hd_sel_push(sel, op, allowed_mods(op, mods) | HD_MOD(SIZE, size_code(bytes, false)));
	inst->c = value;
	if (value.id == HD_RZ)
		inst->c.words = (uint8_t)(bytes <= 4 ? 1 : bytes / 4);
	hd_sel_set_address(inst, &address, offset);
}

/* ------------------------------------------------------------------ the shape of an access */

static unsigned align_at(unsigned align, uint64_t offset)
{
	uint64_t bits = align | offset;
	return (unsigned)(bits & -bits);
}

/* Bytes of a scalar in memory, and the words of it that are kept in registers. */
static unsigned memory_bytes(struct hd_select *sel, LLVMTypeRef type)
{
	return (unsigned)LLVMStoreSizeOfType(sel->layout, type);
}

/*
 * How many leaves from `first` make up exactly `bytes` bytes without gaps, 0 when none do: then
 * one access serves them all.
 */
static uint32_t run_of(struct hd_select *sel, const struct hd_leaf_type *types, uint32_t count, uint32_t first,
		       unsigned bytes)
{
	uint64_t at = types[first].offset;
	for (uint32_t i = first; i < count; i++) {
		unsigned size = memory_bytes(sel, types[i].type), bits = hd_scalar_bits(types[i].type);
		if (types[i].offset != at || size * 8 != bits || (size != 1 && size != 2 && size % 4) || size > 16)
			return 0;
		if (size < 4 && types[i].type != types[first].type)
			return 0;
		if (size >= 4 && memory_bytes(sel, types[first].type) < 4)
			return 0;
		at += size;
		if (at - types[first].offset == bytes)
			return i + 1 - first;
		if (at - types[first].offset > bytes)
			return 0;
	}
	return 0;
}

/* Bytes of one access. A load of constants has at most two words, as ptxas has it. */
static unsigned widest_access(unsigned space)
{
	return space == HD_AS_CONST ? 8 : 16;
}

static unsigned widest_run(struct hd_select *sel, const struct hd_leaf_type *types, uint32_t count, uint32_t first,
			   unsigned space, unsigned align, uint32_t *length)
{
	unsigned limit = align_at(align, types[first].offset);
	for (unsigned bytes = widest_access(space); bytes >= 4; bytes /= 2)
		if (bytes <= limit && (*length = run_of(sel, types, count, first, bytes)))
			return bytes;
	return 0;
}

/* ------------------------------------------------------------------ loads */

/* A scalar of any size and alignment, put together from parts. */
static struct hd_leaf load_scalar(struct hd_select *sel, LLVMTypeRef type, struct hd_address address, int64_t offset,
				  unsigned align, bool is_signed, uint16_t mods)
{
	unsigned bits = hd_scalar_bits(type), bytes = (bits + 7) / 8, done = 0,
		 words = bits == 1 ? 1 : (unsigned)hd_sel_words(sel, type);
	struct hd_opnd w[4] = {hd_rz(), hd_rz(), hd_rz(), hd_rz()};
	while (done < bytes) {
		unsigned part = align_at(align, (uint64_t)(offset + done));
		while (part > widest_access(address.space) || part > bytes - done || (part > 4 && done % part))
			part /= 2;
		struct hd_mreg reg =
			hd_sel_load_at(sel, address, offset + done, part, is_signed && part == bytes, mods);
		if (part >= 4)
			for (unsigned i = 0; i < part / 4; i++)
				w[done / 4 + i] = hd_reg(hd_sub(reg, i, 1));
		else if (done % 4 == 0)
			w[done / 4] = hd_reg(reg);
		else /* the bits are disjoint: a shifted addition joins them */
			w[done / 4] = hd_reg(hd_sel_alu(sel, HD_OP_LEA, HD_MOD(SHAMT, done % 4 * 8), hd_reg(reg),
							w[done / 4], hd_none()));
		done += part;
	}
	if (bits == 1)
		return hd_sel_word_bool(sel, w[0]);
	struct hd_leaf leaf = hd_leaf_reg(hd_sel_join(sel, w, words));
	if (bits < 32)
		leaf.ext = bits != 8 * bytes					      ? HD_EXT_NONE
			   : is_signed && (bits == 8 || bits == 16) && align >= bytes ? HD_EXT_SIGN
										      : HD_EXT_ZERO;
	return leaf;
}

/* Parameters at a known offset are operands, no instruction. A place outside the bank is left to a load, which fails
 * where it is executed. */
static bool bank_leaf(struct hd_address address, int64_t offset, unsigned bits, struct hd_leaf *leaf)
{
	int64_t at = address.offset + offset;
	if (address.space != HD_AS_PARAM || address.base.id != HD_RZ || address.linear || at % 4 ||
	    (bits != 32 && bits != 64) || (bits == 64 && at % 8) || !hd_cb_holds(at, bits / 8))
		return false;
	*leaf = (struct hd_leaf){.kind = HD_LEAF_BANK, .words = (uint8_t)(bits / 32), .id = (uint32_t)at};
	return true;
}

void hd_sel_load_value(struct hd_select *sel, LLVMValueRef result, LLVMTypeRef type, struct hd_leaf pointer,
		       unsigned space, unsigned align, uint16_t mods)
{
	struct hd_address address = hd_sel_address(sel, pointer, space);
	const hd_leaf_types *types = hd_sel_types(sel, type);
	uint32_t count = types->len, length = 0;
	struct hd_leaf_type *copy = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*copy));
	struct hd_leaf *leaves = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*leaves));
	if (count)
		memcpy(copy, types->data, count * sizeof(*copy));
	for (uint32_t i = 0; i < count;) {
		unsigned bits = hd_scalar_bits(copy[i].type);
		if (hd_sel_words(sel, copy[i].type) < 0)
			return;
		if (bank_leaf(address, (int64_t)copy[i].offset, bits, &leaves[i])) {
			i++;
			continue;
		}
		unsigned bytes = widest_run(sel, copy, count, i, space, align, &length);
		if (!bytes || (length == 1 && bits != bytes * 8)) {
			LLVMUseRef use = LLVMGetFirstUse(result);
			bool sign = use && LLVMIsASExtInst(LLVMGetUser(use));
			leaves[i] = load_scalar(sel, copy[i].type, address, (int64_t)copy[i].offset, align, sign, mods);
			i++;
			continue;
		}
		struct hd_mreg reg = hd_sel_load_at(sel, address, (int64_t)copy[i].offset, bytes, false, mods);
		struct hd_opnd w[4];
		for (unsigned k = 0; k < bytes / 4; k++)
			w[k] = hd_reg(hd_sub(reg, k, 1));
		for (uint32_t k = 0; k < length; k++) {
			unsigned at = (unsigned)(copy[i + k].offset - copy[i].offset),
				 size = hd_scalar_bits(copy[i + k].type) / 8;
			leaves[i + k] = size < 4 ? hd_sel_unpack(sel, w, at / size, 8 * size)
						 : hd_leaf_reg(hd_sel_join(sel, w + at / 4, size / 4));
		}
		i += length;
	}
	hd_sel_define(sel, result, leaves, count);
}

/* Bits of i1 vectors have no bytes of their own. */
static bool check_memory_type(struct hd_select *sel, LLVMTypeRef type)
{
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
		LLVMTypeRef element = LLVMGetElementType(type);
		if (hd_scalar_bits(element) % 8) {
			hd_sel_unsupported(sel, "vector of %u-bit integers in memory", hd_scalar_bits(element));
			return false;
		}
	}
	return true;
}

/* Ordering and volatility of a load or store. */
static uint16_t access_mods(LLVMValueRef inst)
{
	switch (LLVMGetOrdering(inst)) {
	case LLVMAtomicOrderingNotAtomic: return LLVMGetVolatile(inst) ? HD_MOD(SEM, HD_SEM_VOLATILE) : 0;
	case LLVMAtomicOrderingAcquire: return HD_MOD(SEM, HD_SEM_ACQUIRE) | HD_MOD(SCOPE, HD_SCOPE_SYS);
	case LLVMAtomicOrderingRelease: return HD_MOD(SEM, HD_SEM_RELEASE) | HD_MOD(SCOPE, HD_SCOPE_SYS);
	case LLVMAtomicOrderingSequentiallyConsistent: return HD_MOD(SEM, HD_SEM_SC) | HD_MOD(SCOPE, HD_SCOPE_SYS);
	default: return HD_MOD(SEM, HD_SEM_RELAXED) | HD_MOD(SCOPE, HD_SCOPE_SYS);
	}
}

/* Memory that nothing writes while the kernel runs: marked so, or behind a const __restrict__ parameter. */
static bool is_invariant(struct hd_select *sel, LLVMValueRef load, LLVMValueRef pointer)
{
	if (LLVMHasMetadata(load) && LLVMGetMetadata(load, sel->md_invariant))
		return true;
	if (!sel->func->kernel)
		return false;
	for (unsigned depth = 0; depth < 16 && LLVMIsAInstruction(pointer); depth++) {
		LLVMOpcode op = LLVMGetInstructionOpcode(pointer);
		if (op != LLVMGetElementPtr && op != LLVMAddrSpaceCast && op != LLVMBitCast)
			return false;
		pointer = LLVMGetOperand(pointer, 0);
	}
	if (!LLVMIsAArgument(pointer))
		return false;
	for (unsigned i = 0, n = LLVMCountParams(sel->function); i < n; i++)
		if (LLVMGetParam(sel->function, i) == pointer)
			return LLVMGetEnumAttributeAtIndex(sel->function, i + 1, sel->at_noalias) &&
			       LLVMGetEnumAttributeAtIndex(sel->function, i + 1, sel->at_readonly);
	return false;
}

void hd_sel_load(struct hd_select *sel)
{
	LLVMValueRef pointer = LLVMGetOperand(sel->inst, 0);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	uint16_t mods = access_mods(sel->inst);
	if (!check_memory_type(sel, LLVMTypeOf(sel->inst)))
		return;
	struct hd_leaf address = hd_sel_leaf(sel, pointer, 0);
	if (address.kind == HD_LEAF_PARTS) {
		hd_sel_load_part(sel, &address);
		return;
	}
	if (!mods && space == HD_AS_GLOBAL && is_invariant(sel, sel->inst, pointer))
		mods = HD_MOD(CACHE, HD_CACHE_CI);
	hd_sel_load_value(sel, sel->inst, LLVMTypeOf(sel->inst), address, space, hd_access_alignment(sel->inst), mods);
}

/* ------------------------------------------------------------------ stores */

static void store_scalar(struct hd_select *sel, LLVMTypeRef type, struct hd_leaf leaf, struct hd_address address,
			 int64_t offset, unsigned align, uint16_t mods)
{
	unsigned bytes = memory_bytes(sel, type), done = 0, bits = hd_scalar_bits(type);
	struct hd_opnd w[4] = {hd_rz(), hd_rz(), hd_rz(), hd_rz()};
	/* Memory holds i1 and odd widths zero-extended to whole bytes. */
	if (bits % 8)
		leaf = hd_sel_extend_leaf(sel, leaf, bits, bits <= 32 ? 32 : bits <= 64 ? 64 : 128, false);
	for (unsigned i = 0; i < (leaf.words ? leaf.words : 1u); i++)
		w[i] = hd_sel_word(sel, &leaf, i);
	while (done < bytes) {
		unsigned part = align_at(align, (uint64_t)(offset + done));
		while (part > 16 || part > bytes - done || (part > 4 && done % part))
			part /= 2;
		struct hd_mreg reg;
		if (part >= 4)
			reg = hd_sel_join(sel, w + done / 4, part / 4);
		else if (done % 4 == 0)
			reg = hd_sel_opnd_reg(sel, w[done / 4], 1);
		else
			reg = hd_sel_alu(sel, HD_OP_SHR, 0, w[done / 4], hd_imm(done % 4 * 8), hd_none());
		hd_sel_store_at(sel, address, offset + done, part, reg, mods);
		done += part;
	}
}

void hd_sel_store_value(struct hd_select *sel, LLVMValueRef value, struct hd_address address, unsigned align,
			uint16_t mods)
{
	const hd_leaf_types *types = hd_sel_types(sel, LLVMTypeOf(value));
	uint32_t count = types->len, length = 0;
	struct hd_leaf_type *copy = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*copy));
	if (count)
		memcpy(copy, types->data, count * sizeof(*copy));
	struct hd_leaf *leaves;
	hd_sel_leaves(sel, value, &leaves);
	for (uint32_t i = 0; i < count;) {
		unsigned bytes = widest_run(sel, copy, count, i, address.space, align, &length),
			 bits = hd_scalar_bits(copy[i].type), at = 0;
		if (hd_sel_words(sel, copy[i].type) < 0)
			return;
		if (!bytes || (length == 1 && bits != bytes * 8)) {
			store_scalar(sel, copy[i].type, leaves[i], address, (int64_t)copy[i].offset, align, mods);
			i++;
			continue;
		}
		struct hd_opnd w[8];
		if (bits < 32) {
			hd_sel_pack(sel, leaves + i, length, bits, w);
		} else {
			for (uint32_t k = 0; k < length; k++)
				for (unsigned n = 0; n < hd_scalar_bits(copy[i + k].type) / 32; n++)
					w[at++] = hd_sel_word(sel, &leaves[i + k], n);
		}
		hd_sel_store_at(sel, address, (int64_t)copy[i].offset, bytes, hd_sel_join(sel, w, bytes / 4), mods);
		i += length;
	}
}

void hd_sel_store(struct hd_select *sel)
{
	LLVMValueRef value = LLVMGetOperand(sel->inst, 0), pointer = LLVMGetOperand(sel->inst, 1);
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
	if (!check_memory_type(sel, LLVMTypeOf(value)))
		return;
	hd_sel_store_value(sel, value, hd_sel_address(sel, hd_sel_leaf(sel, pointer, 0), space),
			   hd_access_alignment(sel->inst), access_mods(sel->inst));
}

/* ------------------------------------------------------------------ getelementptr */

static bool is_extended_word(LLVMValueRef value)
{
	return LLVMIsAInstruction(value) &&
	       (LLVMGetInstructionOpcode(value) == LLVMSExt || LLVMGetInstructionOpcode(value) == LLVMZExt) &&
	       hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(value, 0))) <= 32;
}

/* An index that is a constant times an extended word is that word, the scale so much larger: one product with the base
 * added costs less than a sum of two pairs, also where the index is in many addresses. Switch:
 * without=folded-strides */
static LLVMValueRef without_factor(struct hd_select *sel, LLVMValueRef index, uint64_t *scale)
{
	LLVMOpcode op = LLVMIsAInstruction(index) ? LLVMGetInstructionOpcode(index) : LLVMRet;
	uint64_t factor;
	if ((op != LLVMShl && op != LLVMMul) || !hd_switch_is_on(sel->func->without, HD_SWITCH_FOLDED_STRIDES) ||
	    !is_extended_word(LLVMGetOperand(index, 0)) || !hd_is_int_constant(LLVMGetOperand(index, 1), &factor) ||
	    factor > (op == LLVMShl ? 30 : INT32_MAX))
		return index;
	factor = op == LLVMShl ? UINT64_C(1) << factor : factor;
	if (!factor || !*scale || *scale > INT32_MAX / factor)
		return index;
	*scale *= factor;
	return LLVMGetOperand(index, 0);
}

/* Addresses of 32 bits wrap as sums of such words do: the constant of a sum that is extended to an index becomes an
 * offset there, which the access adds. */
static LLVMValueRef without_addend(LLVMValueRef index, uint64_t scale, uint64_t *offset)
{
	LLVMValueRef word = is_extended_word(index) ? LLVMGetOperand(index, 0) : index;
	if (hd_scalar_bits(LLVMTypeOf(word)) != 32 || !LLVMIsABinaryOperator(word) || !hd_single_use(word) ||
	    LLVMGetInstructionOpcode(word) != LLVMAdd || !LLVMIsAConstantInt(LLVMGetOperand(word, 1)))
		return index;
	*offset += (uint64_t)LLVMConstIntGetSExtValue(LLVMGetOperand(word, 1)) * scale;
	return LLVMGetOperand(word, 0);
}

/* base + index * scale, with the base's pending offset kept apart; what the index adds goes to it. */
static struct hd_leaf scaled(struct hd_select *sel, struct hd_leaf base, LLVMValueRef index, uint64_t scale,
			     uint64_t *offset)
{
	if (base.words == 1)
		index = without_addend(index, scale, offset);
	unsigned bits = hd_scalar_bits(LLVMTypeOf(index));
	if (bits == 64 && base.words == 2)
		index = without_factor(sel, index, &scale);
	bool is_signed = true, narrow = bits <= 32, power = hd_is_power_of_two(scale) && scale < ((uint64_t)1 << 31);
	unsigned shift = power ? (unsigned)__builtin_ctzll(scale) : 0;
	struct hd_opnd lo, hi;
	struct hd_mreg reg;

	/* An extended 32-bit index is multiplied as such. */
	if (!narrow && is_extended_word(index)) {
		is_signed = LLVMGetInstructionOpcode(index) == LLVMSExt;
		index = LLVMGetOperand(index, 0);
		bits = hd_scalar_bits(LLVMTypeOf(index));
		narrow = true;
	}
	struct hd_leaf leaf = hd_sel_leaf(sel, index, 0);
	if (narrow)
		lo = hd_sel_extended(sel, leaf, bits, is_signed);
	else
		lo = hd_sel_word(sel, &leaf, 0);
	if (base.words == 1) {
		struct hd_opnd b = hd_sel_word(sel, &base, 0);
		if (power && shift && base.kind == HD_LEAF_IMM && !base.imm[0])
			return hd_leaf_reg(hd_sel_alu(sel, HD_OP_SHL, 0, lo, hd_imm(shift), hd_none()));
		if (power)
			return hd_leaf_reg(shift ? hd_sel_alu(sel, HD_OP_LEA, HD_MOD(SHAMT, shift), lo, b, hd_none())
						 : hd_sel_add(sel, lo, b));
		return hd_leaf_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, lo, hd_imm((uint32_t)scale), b));
	}
	struct hd_leaf out;
	if (narrow && scale <= INT32_MAX) {
		out = base;
		return hd_leaf_reg(hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, is_signed), lo,
						   hd_imm((uint32_t)scale), hd_sel_wide(sel, &out)));
	}
	if (narrow)
		leaf = hd_sel_extend_leaf(sel, leaf, bits, 64, is_signed);
	if (bits > 64)
		leaf = hd_leaf_reg(hd_sub(hd_sel_reg(sel, leaf), 0, 2));
	if (scale == 1)
		return hd_leaf_reg(hd_sel_add64(sel, base, leaf, false));
	lo = hd_sel_word(sel, &leaf, 0);
	hi = hd_sel_word(sel, &leaf, 1);
	if (power) {
		struct hd_mreg low = hd_mfunc_vreg(sel->func, 1), high = hd_mfunc_vreg(sel->func, 1);
		struct hd_minst *inst =
			hd_sel_op(sel, HD_OP_LEA, HD_MOD(SHAMT, shift), low, lo, hd_sel_word(sel, &base, 0), hd_none());
		uint32_t carry = hd_mfunc_pred(sel->func);
		inst->pdst = carry;
		inst = hd_sel_op(sel, HD_OP_LEA_HI, HD_MOD(SHAMT, shift) | HD_MOD(EX, 1), high, lo,
				 hd_sel_word(sel, &base, 1), hi);
		inst->psrc = carry;
		return hd_leaf_reg(hd_sel_pair(sel, hd_reg(low), hd_reg(high)));
	}
	if (scale > UINT32_MAX)
		return hd_leaf_reg(hd_sel_add64(sel, base, hd_sel_mul_leaf(sel, leaf, hd_leaf_imm(scale, 2)), false));
	reg = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, 0, lo, hd_imm((uint32_t)scale), hd_sel_wide(sel, &base));
	hi = hd_reg(hd_sel_alu(sel, HD_OP_IMAD, 0, hi, hd_imm((uint32_t)scale), hd_reg(hd_sub(reg, 1, 1))));
	return hd_leaf_reg(hd_sel_pair(sel, hd_reg(hd_sub(reg, 0, 1)), hi));
}

static int64_t constant_index(LLVMValueRef index)
{
	return LLVMConstIntGetSExtValue(index);
}

/* The pending offset of any kind of pointer leaf, set apart so that the rest can be computed with. */
static uint64_t take_offset(struct hd_leaf *base)
{
	uint64_t offset = base->imm[0];
	base->imm[0] = 0;
	return offset;
}

void hd_sel_gep(struct hd_select *sel)
{
	LLVMValueRef gep = sel->inst;
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	unsigned count = (unsigned)LLVMGetNumOperands(gep);
	struct hd_leaf base = hd_sel_arg(sel, 0);
	if (!hd_is_scalar(LLVMTypeOf(gep))) {
		hd_sel_unsupported(sel, "getelementptr of vectors");
		return;
	}
	uint64_t offset = take_offset(&base);
	for (unsigned i = 1; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
			offset += LLVMOffsetOfElement(sel->layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		uint64_t scale = LLVMABISizeOfType(sel->layout, type);
		if (LLVMIsAConstantInt(index)) {
			offset += (uint64_t)constant_index(index) * scale;
			continue;
		}
		if (base.kind == HD_LEAF_FRAME || base.kind == HD_LEAF_INCOMING) {
			base.imm[0] = offset; /* such bases take the offset for nothing */
			offset = 0;
		}
		base = scaled(sel, base, index, scale, &offset);
	}
	base.imm[0] += offset;
	if (base.words == 1 && base.kind == HD_LEAF_IMM)
		base.imm[0] = (uint32_t)base.imm[0];
	else if (base.words == 1)
		base.imm[0] = (uint64_t)(int64_t)(int32_t)base.imm[0];
	hd_sel_define1(sel, base);
}
