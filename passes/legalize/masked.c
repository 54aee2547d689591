/*
 * Loads and stores of some elements of a vector, which LLVM 22 writes for GPUs with vector loads that leave words out:
 * it makes them itself where accesses have gaps between them. Here each pair of neighbours at an even place is an
 * access of two, and what is left of one element.
 */
#include <string.h>

#include <llvm/Config/llvm-config.h>

#include "passes/legalize/build.h"

struct masked {
	struct hd_site *site;
	value vector; /* what is stored, or what is loaded so far */
	value address, mask;
	LLVMTypeRef element;
	unsigned bytes, align; /* of an element; of the address */
	bool store;
};

static bool is_on(const struct masked *m, unsigned i)
{
	value bit = LLVMGetAggregateElement(m->mask, i);
	return bit && LLVMIsAConstantInt(bit) && LLVMConstIntGetZExtValue(bit);
}

static value place(const struct masked *m, unsigned i)
{
	return LLVMConstInt(int_type(m->site, 32), i, false);
}

static unsigned alignment(const struct masked *m, unsigned at)
{
	unsigned offset = at * m->bytes, lowest = offset & -offset;
	return offset && lowest < m->align ? lowest : m->align;
}

static value element_of(const struct masked *m, value of, unsigned i)
{
	return LLVMBuildExtractElement(m->site->builder, of, place(m, i), "");
}

static value with_element(const struct masked *m, value into, value part, unsigned i)
{
	return LLVMBuildInsertElement(m->site->builder, into, part, place(m, i), "");
}

/* Elements at, and the next where `count` is 2. */
static void access(struct masked *m, unsigned at, unsigned count)
{
	LLVMBuilderRef builder = m->site->builder;
	LLVMTypeRef type = count == 1 ? m->element : LLVMVectorType(m->element, 2);
	value index = place(m, at), address = LLVMBuildGEP2(builder, m->element, m->address, &index, 1, "");
	value part = NULL, inst;
	if (m->store) {
		part = count == 1 ? element_of(m, m->vector, at) : LLVMGetUndef(type);
		for (unsigned i = 0; count > 1 && i < count; i++)
			part = with_element(m, part, element_of(m, m->vector, at + i), i);
		inst = LLVMBuildStore(builder, part, address);
	} else {
		inst = part = LLVMBuildLoad2(builder, type, address, "");
		for (unsigned i = 0; i < count; i++)
			m->vector = with_element(m, m->vector, count == 1 ? part : element_of(m, part, i), at + i);
	}
	LLVMSetAlignment(inst, alignment(m, at));
	if (m->site->ordinal)
		LLVMSetMetadata(inst, m->site->legal->md_ordinal, m->site->ordinal);
}

/* LLVM 22 has the alignment as an attribute of the address, earlier ones as an operand before the mask. */
static unsigned given_alignment(value call, unsigned address)
{
#if LLVM_VERSION_MAJOR >= 22
	unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
	LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, address + 1, kind);
	return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
#else
	return (unsigned)LLVMConstIntGetZExtValue(LLVMGetArgOperand(call, address + 1));
#endif
}

static void expand(struct hd_site *site, bool store)
{
	unsigned mask = LLVM_VERSION_MAJOR >= 22 ? 1 : 2;
	struct masked m = {.site = site, .store = store, .mask = argument(site, mask + store)};
	if (!LLVMIsConstant(m.mask))
		return;
	m.vector = argument(site, store ? 0 : mask + 1);
	m.address = argument(site, store);
	LLVMTypeRef type = LLVMTypeOf(m.vector);
	m.element = LLVMGetElementType(type);
	m.bytes = (unsigned)LLVMABISizeOfType(site->legal->layout, m.element);
	m.align = given_alignment(site->inst, store);
	site->ordinal = hd_legal_origin(site->legal, site->inst, m.address, store);
	LLVMPositionBuilderBefore(site->builder, site->inst);
	for (unsigned i = 0, n = LLVMGetVectorSize(type); i < n; i++) {
		bool pair = i % 2 == 0 && i + 1 < n && is_on(&m, i) && is_on(&m, i + 1) &&
			    alignment(&m, i) >= 2 * m.bytes && m.bytes >= 4;
		if (is_on(&m, i))
			access(&m, i, pair ? 2 : 1);
		i += pair;
	}
	if (!store)
		LLVMReplaceAllUsesWith(site->inst, m.vector);
	LLVMInstructionEraseFromParent(site->inst);
}

void hd_legal_masked(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		const char *name = LLVMGetValueName(f);
		bool store = !strncmp(name, "llvm.masked.store.", 18);
		if (!store && strncmp(name, "llvm.masked.load.", 17))
			continue;
		LLVMUseRef next;
		for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = next) {
			next = LLVMGetNextUse(use);
			struct hd_site site = {.legal = legal, .builder = legal->builder, .inst = LLVMGetUser(use)};
			if (LLVMIsACallInst(site.inst))
				expand(&site, store);
		}
	}
}
