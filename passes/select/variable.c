/*
 * Selection: the variable that an access is to. Where its address is made of that of one variable, whatever is added to
 * it, anything beyond that variable is outside of it; --check says so (runtime/check/bounds.c). Needs nothing; walks up
 * the address, through no more than a few PHIs and selections.
 */
#include "passes/select/select.h"

enum { MOST_VALUES = 24 };

struct walk {
	LLVMValueRef seen[MOST_VALUES];
	uint32_t count;
	LLVMValueRef variable; /* NULL: none yet */
	bool failed;
};

static void visit(struct walk *walk, LLVMValueRef value)
{
	for (uint32_t i = 0; i < walk->count; i++)
		if (walk->seen[i] == value)
			return;
	if (walk->count == MOST_VALUES)
		walk->failed = true;
	else
		walk->seen[walk->count++] = value;
}

static LLVMOpcode opcode_of(LLVMValueRef value)
{
	if (LLVMIsAInstruction(value))
		return LLVMGetInstructionOpcode(value);
	return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : LLVMRet;
}

static void look_at(struct walk *walk, LLVMValueRef value)
{
	if (LLVMIsAGlobalVariable(value)) {
		walk->failed |= walk->variable && walk->variable != value;
		walk->variable = value;
		return;
	}
	switch (opcode_of(value)) {
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze: visit(walk, LLVMGetOperand(value, 0)); break;
	case LLVMSelect:
		visit(walk, LLVMGetOperand(value, 1));
		visit(walk, LLVMGetOperand(value, 2));
		break;
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			visit(walk, LLVMGetIncomingValue(value, i));
		break;
	default: walk->failed = true;
	}
}

static LLVMValueRef address_of(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return LLVMGetOperand(inst, 0);
	case LLVMStore: return LLVMGetOperand(inst, 1);
	default: return NULL;
	}
}

uint32_t hd_sel_variable(const struct hd_select *sel, LLVMValueRef inst)
{
	LLVMValueRef address = inst ? address_of(inst) : NULL;
	struct walk walk = {.seen = {address}, .count = 1};
	if (!address)
		return 0;
	for (uint32_t i = 0; i < walk.count && !walk.failed; i++)
		look_at(&walk, walk.seen[i]);
	const struct hd_map_entry *entry =
		walk.failed || !walk.variable ? NULL : hd_map_get(&sel->unit->symbols, walk.variable);
	return entry ? entry->start + 1 : 0;
}
