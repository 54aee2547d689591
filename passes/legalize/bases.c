/*
 * Legalisation: accesses of a block whose distance from an earlier one is a constant get that one's address and an
 * offset, which their instruction has room for. As user's compilers leave them, ((k | 1) << 10) + j and (k << 10) + j,
 * or (i - 1) * n + j and i * n + j, are indices of their own, and each has its arithmetic.
 *
 * An address is taken apart into an object and a sum of values times constants, as far as sums and products cannot wrap
 * where they are widened: there they are those of integers. If a flag said so and it was not true, the access would
 * have been undefined; and the earlier access has been made when the later one is. So both sums are right, and their
 * difference is.
 *
 * Needs instructions in their address spaces; in front of LLVM's passes over addresses. Cost: accesses of a block times
 * the addresses that are remembered.
 */
#include "passes/legalize/legalize.h"

#include <llvm-c/Target.h>

enum { MOST_TERMS = 6, MOST_BASES = 32, DEEPEST = 8 };
#define FARTHEST (INT64_C(1) << 23) /* a memory operand has 24 bits */

/* How the bits of a value become those of an address. */
enum reading { MODULAR, SIGNED, UNSIGNED };

struct term {
	LLVMValueRef value;
	enum reading reading;
	uint64_t factor;
};

struct sum {
	LLVMValueRef object;
	struct term terms[MOST_TERMS];
	uint32_t count;
	uint64_t offset;
	enum reading either; /* of what is not negative, and so the same number in both */
	bool whole;	     /* products are values of their own */
	bool known;
};

/* Sums and products may be known not to wrap in one reading alone, and products of one access and not of another. */
enum { SUMS = 3 };
struct address {
	LLVMValueRef pointer;
	struct sum sums[SUMS];
};

/* ---- what an address is */

/* The same instruction, or one that computes the same. */
static bool is_same(LLVMValueRef a, LLVMValueRef b)
{
	if (a == b || !LLVMIsABinaryOperator(a) || !LLVMIsABinaryOperator(b))
		return a == b;
	return LLVMGetInstructionOpcode(a) == LLVMGetInstructionOpcode(b) &&
	       LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0) && LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1);
}

static void add_term(struct sum *sum, LLVMValueRef value, enum reading reading, uint64_t factor)
{
	for (uint32_t i = 0; i < sum->count; i++) {
		struct term *term = &sum->terms[i];
		if (!is_same(term->value, value) || term->reading != reading)
			continue;
		term->factor += factor;
		if (!term->factor)
			*term = sum->terms[--sum->count];
		return;
	}
	if (sum->count == MOST_TERMS)
		sum->known = false;
	else
		sum->terms[sum->count++] = (struct term){value, reading, factor};
}

/* Whether the instruction's result is that of integers, read so. */
static bool is_exact(LLVMValueRef inst, enum reading reading)
{
	return reading == MODULAR || (reading == SIGNED ? LLVMGetNSW(inst) : LLVMGetNUW(inst));
}

static uint64_t constant_of(LLVMValueRef value, enum reading reading)
{
	return reading == UNSIGNED ? LLVMConstIntGetZExtValue(value) : (uint64_t)LLVMConstIntGetSExtValue(value);
}

static void add_value(struct sum *sum, LLVMValueRef value, enum reading reading, uint64_t factor, uint32_t depth);

/* Whether it was a sum or a product of which the parts have been added. */
static bool add_parts(struct sum *sum, LLVMValueRef inst, enum reading reading, uint64_t factor, uint32_t depth)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	LLVMValueRef a = LLVMGetOperand(inst, 0), b = LLVMGetNumOperands(inst) > 1 ? LLVMGetOperand(inst, 1) : NULL;
	switch (op) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMOr:
		if (op == LLVMOr ? !LLVMGetIsDisjoint(inst) : !is_exact(inst, reading))
			return false;
		add_value(sum, a, reading, factor, depth);
		add_value(sum, b, reading, op == LLVMSub ? -factor : factor, depth);
		return true;
	case LLVMMul:
		if (sum->whole || !LLVMIsAConstantInt(b) || !is_exact(inst, reading))
			return false;
		add_value(sum, a, reading, factor * constant_of(b, reading), depth);
		return true;
	case LLVMShl:
		if (sum->whole || !LLVMIsAConstantInt(b) || !is_exact(inst, reading) ||
		    LLVMConstIntGetZExtValue(b) >= LLVMGetIntTypeWidth(LLVMTypeOf(inst)))
			return false;
		add_value(sum, a, reading, factor << LLVMConstIntGetZExtValue(b), depth);
		return true;
	case LLVMSExt:
		if (reading == UNSIGNED)
			return false;
		add_value(sum, a, SIGNED, factor, depth);
		return true;
	case LLVMZExt: add_value(sum, a, LLVMGetNNeg(inst) ? sum->either : UNSIGNED, factor, depth); return true;
	default: return false;
	}
}

static void add_value(struct sum *sum, LLVMValueRef value, enum reading reading, uint64_t factor, uint32_t depth)
{
	if (LLVMIsAConstantInt(value))
		sum->offset += factor * constant_of(value, reading);
	else if (!LLVMIsAInstruction(value) || depth == DEEPEST || !add_parts(sum, value, reading, factor, depth + 1))
		add_term(sum, value, reading, factor);
}

/* An index of elements of `size` bytes. */
static void add_index(struct sum *sum, LLVMValueRef index, uint64_t size)
{
	LLVMTypeRef type = LLVMTypeOf(index);
	unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
	if (!width || width > 64)
		sum->known = false;
	else
		add_value(sum, index, width == 64 ? MODULAR : SIGNED, size, 0);
}

static void add_indices(const struct hd_legal *legal, struct sum *sum, LLVMValueRef gep)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	add_index(sum, LLVMGetOperand(gep, 1), LLVMABISizeOfType(legal->layout, type));
	for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(gep); i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
			sum->offset += LLVMOffsetOfElement(legal->layout, type, field);
			type = LLVMStructGetTypeAtIndex(type, field);
			continue;
		}
		type = LLVMGetElementType(type);
		add_index(sum, index, LLVMABISizeOfType(legal->layout, type));
	}
}

static struct sum sum_of(const struct hd_legal *legal, LLVMValueRef pointer, enum reading either, bool whole)
{
	struct sum sum = {.object = pointer, .either = either, .whole = whole, .known = true};
	for (uint32_t depth = 0; LLVMIsAGetElementPtrInst(sum.object) && depth < DEEPEST; depth++) {
		add_indices(legal, &sum, sum.object);
		sum.object = LLVMGetOperand(sum.object, 0);
	}
	sum.known &= LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind && sum.count > 0;
	return sum;
}

static struct address address_of(const struct hd_legal *legal, LLVMValueRef pointer)
{
	return (struct address){pointer,
				{sum_of(legal, pointer, SIGNED, false), sum_of(legal, pointer, UNSIGNED, false),
				 sum_of(legal, pointer, SIGNED, true)}};
}

/* ---- which one has been there */

static bool has_term(const struct sum *sum, const struct term *term)
{
	for (uint32_t i = 0; i < sum->count; i++)
		if (is_same(sum->terms[i].value, term->value) && sum->terms[i].reading == term->reading)
			return sum->terms[i].factor == term->factor;
	return false;
}

static bool differ_by_constant(const struct sum *a, const struct sum *b)
{
	bool same = a->known && b->known && a->object == b->object && a->count == b->count;
	for (uint32_t i = 0; same && i < a->count; i++)
		same = has_term(b, &a->terms[i]);
	int64_t distance = (int64_t)(a->offset - b->offset);
	return same && distance > -FARTHEST && distance < FARTHEST;
}

/* Whether the address is a constant apart from the base, and how far. */
static bool is_near(const struct address *address, const struct address *base, int64_t *distance)
{
	for (uint32_t i = 0; i < SUMS; i++)
		if (differ_by_constant(&address->sums[i], &base->sums[i])) {
			*distance = (int64_t)(address->sums[i].offset - base->sums[i].offset);
			return true;
		}
	return false;
}

static void share_base(const struct hd_legal *legal, LLVMValueRef access, unsigned operand, LLVMValueRef pointer,
		       int64_t distance)
{
	if (distance) {
		LLVMValueRef bytes = LLVMConstInt(LLVMInt64TypeInContext(legal->context), (uint64_t)distance, true);
		LLVMPositionBuilderBefore(legal->builder, access);
		pointer = LLVMBuildGEP2(legal->builder, LLVMInt8TypeInContext(legal->context), pointer, &bytes, 1, "");
	}
	LLVMSetOperand(access, operand, pointer);
}

static bool is_known(const struct address *address)
{
	bool known = false;
	for (uint32_t i = 0; i < SUMS; i++)
		known |= address->sums[i].known;
	return known;
}

static void share_in_block(const struct hd_legal *legal, LLVMBasicBlockRef block)
{
	struct address bases[MOST_BASES];
	uint32_t count = 0;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		bool store = LLVMIsAStoreInst(inst);
		if (!store && !LLVMIsALoadInst(inst))
			continue;
		struct address address = address_of(legal, LLVMGetOperand(inst, store));
		uint32_t found = 0;
		int64_t distance = 0;
		while (found < count && !is_near(&address, &bases[found], &distance))
			found++;
		if (found < count)
			share_base(legal, inst, store, bases[found].pointer, distance);
		else if (count < MOST_BASES && is_known(&address))
			bases[count++] = address;
	}
}

void hd_legal_share_bases(const struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
			share_in_block(legal, block);
}
