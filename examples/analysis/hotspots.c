/*
 * Reads the annotations of a kernel's IR: which instructions move most data, and why. For each kernel a line with its
 * registers, and one for each call (registers that the callee pushes, !heddle.call) and each global access that takes
 * more sectors than its lanes need (!heddle.access), with the source line. Plain LLVM C API; plugin.cpp makes a pass of
 * it. Other modules than annotated ones are left alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

enum { MOST_OPERANDS = 64, SECTOR = 32, LANES = 32 };

struct node {
	LLVMValueRef operands[MOST_OPERANDS];
	unsigned count;
};

/* The first operands of a node; a module may come from a newer version that adds some. */
static struct node read_node(LLVMValueRef value)
{
	struct node node = {.count = value ? (unsigned)LLVMGetMDNodeNumOperands(value) : 0};
	LLVMValueRef *all = node.count ? malloc(node.count * sizeof *all) : NULL;
	if (!all)
		return (struct node){0};
	LLVMGetMDNodeOperands(value, all);
	node.count = node.count < MOST_OPERANDS ? node.count : MOST_OPERANDS;
	memcpy(node.operands, all, node.count * sizeof *all);
	free(all);
	return node;
}

static int is_text(LLVMValueRef operand, const char *text)
{
	unsigned length = 0;
	const char *there = operand ? LLVMGetMDString(operand, &length) : NULL;
	return there && length == strlen(text) && memcmp(there, text, length) == 0;
}

/* The `place`th number behind the operand that says `key`; -1: the node has none. */
static long number_after(const struct node *node, const char *key, unsigned place)
{
	for (unsigned i = 0; i + place + 1 < node->count; i++) {
		LLVMValueRef value = node->operands[i + 1 + place];
		if (is_text(node->operands[i], key) && value && LLVMIsAConstantInt(value))
			return (long)LLVMConstIntGetSExtValue(value);
	}
	return -1;
}

static unsigned kind_of(LLVMModuleRef module, const char *name)
{
	return LLVMGetMDKindIDInContext(LLVMGetModuleContext(module), name, (unsigned)strlen(name));
}

/* A function's metadata, which the C API hands out all at once. */
static struct node function_node(LLVMModuleRef module, LLVMValueRef function, const char *name)
{
	size_t count = 0;
	unsigned kind = kind_of(module, name);
	struct node node = {0};
	LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
	for (unsigned i = 0; i < count; i++)
		if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
			node = read_node(LLVMMetadataAsValue(LLVMGetModuleContext(module),
							     LLVMValueMetadataEntriesGetMetadata(entries, i)));
	LLVMDisposeValueMetadataEntries(entries);
	return node;
}

static void print_place(LLVMValueRef inst)
{
	unsigned length = 0;
	const char *file = LLVMGetDebugLocFilename(inst, &length);
	if (file)
		printf("  %.*s:%u: ", (int)length, file, LLVMGetDebugLocLine(inst));
	else
		printf("  no line: ");
}

/* Bytes that one lane moves. */
static unsigned long width(LLVMModuleRef module, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMGetInstructionOpcode(inst) == LLVMStore ? LLVMTypeOf(LLVMGetOperand(inst, 0))
									: LLVMTypeOf(inst);
	return LLVMTypeIsSized(type) ? (unsigned long)LLVMStoreSizeOfType(LLVMGetModuleDataLayout(module), type) : 0;
}

static void print_access(LLVMModuleRef module, LLVMValueRef inst, const struct node *node)
{
	long sectors = number_after(node, "sectors", 1);
	unsigned long needed = (width(module, inst) * LANES + SECTOR - 1) / SECTOR;
	if (sectors <= 0 || !needed || (unsigned long)sectors <= needed)
		return;
	print_place(inst);
	printf("a warp takes %ld sectors where %lu would do\n", sectors, needed);
}

static void print_instruction(LLVMModuleRef module, LLVMValueRef inst, unsigned call, unsigned access)
{
	if (!LLVMHasMetadata(inst))
		return;
	struct node calls = read_node(LLVMGetMetadata(inst, call)), accesses = read_node(LLVMGetMetadata(inst, access));
	long fru = number_after(&calls, "fru", 0);
	if (fru > 0) {
		print_place(inst);
		printf("a call that pushes up to %ld registers, %ld bytes of a warp\n", fru, fru * 4 * LANES);
	}
	print_access(module, inst, &accesses);
}

/* For plugin.cpp. */
void hotspots(LLVMModuleRef module);
void hotspots(LLVMModuleRef module)
{
	unsigned call = kind_of(module, "heddle.call"), access = kind_of(module, "heddle.access");
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		struct node depth = function_node(module, f, "heddle.stackdepth");
		if (!depth.count)
			continue;
		printf("%s: %ld registers, %ld with all that its calls push\n", LLVMGetValueName(f),
		       number_after(&depth, "registers", 0), number_after(&depth, "max_stack_depth", 0));
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef inst = LLVMGetFirstInstruction(b); inst; inst = LLVMGetNextInstruction(inst))
				print_instruction(module, inst, call, access);
	}
	fflush(stdout);
}
