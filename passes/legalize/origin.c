/*
 * Legalisation: where vectors of accesses come from. LLVM's load-store vectorizer makes one access of neighbours, at
 * the address of the first, and drops what we noted of them. So the ordinals of accesses are noted at their addresses
 * before it runs, and read back for accesses that have none. Of several accesses of one kind at one address the first
 * counts. Linear in the instructions.
 */
#include "passes/legalize/legalize.h"

static LLVMValueRef address_of(LLVMValueRef inst)
{
	if (LLVMIsALoadInst(inst))
		return LLVMGetOperand(inst, 0);
	return LLVMIsAStoreInst(inst) ? LLVMGetOperand(inst, 1) : NULL;
}

static unsigned kind_of(const struct hd_legal *legal, bool store)
{
	return store ? LLVMGetMDKindIDInContext(legal->context, "heddle.ord.store", 16)
		     : LLVMGetMDKindIDInContext(legal->context, "heddle.ord.load", 15);
}

LLVMValueRef hd_legal_origin(const struct hd_legal *legal, LLVMValueRef inst, LLVMValueRef address, bool store)
{
	LLVMValueRef own = LLVMGetMetadata(inst, legal->md_ordinal);
	return own || !LLVMIsAInstruction(address) ? own : LLVMGetMetadata(address, kind_of(legal, store));
}

static void note(const struct hd_legal *legal, LLVMValueRef inst)
{
	LLVMValueRef address = address_of(inst), ordinal = LLVMGetMetadata(inst, legal->md_ordinal);
	if (!address || !ordinal || !LLVMIsAInstruction(address))
		return;
	unsigned kind = kind_of(legal, LLVMIsAStoreInst(inst));
	if (!LLVMGetMetadata(address, kind))
		LLVMSetMetadata(address, kind, ordinal);
}

static void read_back(const struct hd_legal *legal, LLVMValueRef inst)
{
	LLVMValueRef address = address_of(inst), ordinal;
	if (!address || LLVMGetMetadata(inst, legal->md_ordinal))
		return;
	ordinal = hd_legal_origin(legal, inst, address, LLVMIsAStoreInst(inst));
	if (ordinal)
		LLVMSetMetadata(inst, legal->md_ordinal, ordinal);
}

static void visit(const struct hd_legal *legal, void (*each)(const struct hd_legal *legal, LLVMValueRef inst))
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
				each(legal, inst);
}

void hd_legal_note_accesses(const struct hd_legal *legal)
{
	visit(legal, note);
}

void hd_legal_find_accesses(const struct hd_legal *legal)
{
	visit(legal, read_back);
}
