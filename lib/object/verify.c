/*
 * The whole-object verifier: what must hold before the runtime executes an object, so
 * that nothing downstream checks an index again. Linear in the object.
 *
 * The reader calls it on every object and the writer before it serialises one; a failure
 * in the writer is a compiler bug, in the reader a damaged file.
 */
#include "heddle/object.h"

#include <stdlib.h>
#include <string.h>

struct checker {
	const struct hd_object *object;
	const struct hd_function *function;
	const char *name; /* of the object, for messages */
	struct hd_diag *diag;
};

static int bad_inst(struct checker *checker, uint32_t index, const char *what)
{
	char text[160];
	const struct hd_function *function = checker->function;
	hd_inst_format(&function->insts[index], text, sizeof(text));
	return hd_error(checker->diag, HD_NOWHERE, "%s: function %s, pc 0x%x: %s: %s", checker->name, function->name,
			index * HD_INST_BYTES, text, what);
}

static int bad_function(struct checker *checker, const char *what)
{
	return hd_error(checker->diag, HD_NOWHERE, "%s: function %s: %s", checker->name, checker->function->name, what);
}

/* One more than the highest register in the set. */
static uint32_t register_bound(const struct hd_regset *set)
{
	for (unsigned word = 4; word-- > 0;)
		if (set->regs[word])
			return word * 64 + 64 - (uint32_t)__builtin_clzll(set->regs[word]);
	return 0;
}

static int check_targets(struct checker *checker, uint32_t index)
{
	const struct hd_function *function = checker->function;
	const struct hd_inst *inst = &function->insts[index];
	if (inst->op == HD_OP_BRA && inst->x >= function->inst_count)
		return bad_inst(checker, index, "branch target outside the function");
	if (inst->op == HD_OP_BRX && inst->x >= function->table_count)
		return bad_inst(checker, index, "no such jump table");
	if (hd_opinfo[inst->op].effects & HD_FX_BRANCH && inst->reconv != HD_NO_PC &&
	    inst->reconv >= function->inst_count)
		return bad_inst(checker, index, "reconvergence point outside the function");
	return 0;
}

static int check_inst(struct checker *checker, uint32_t index)
{
	const struct hd_inst *inst = &checker->function->insts[index];
	const char *wrong = hd_inst_check(inst);
	if (wrong)
		return inst->op < HD_OP_COUNT ? bad_inst(checker, index, wrong) : bad_function(checker, wrong);
	struct hd_regset reads, writes;
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	if (register_bound(&reads) > checker->function->registers ||
	    register_bound(&writes) > checker->function->registers)
		return bad_inst(checker, index, "register above the number that the function declares");
	return check_targets(checker, index);
}

static int check_tables(struct checker *checker)
{
	const struct hd_function *function = checker->function;
	for (uint32_t i = 0; i < function->table_count; i++) {
		const struct hd_jump_table *table = &function->tables[i];
		if (!table->count)
			return bad_function(checker, "empty jump table");
		for (uint32_t j = 0; j < table->count; j++)
			if (table->targets[j] >= function->inst_count)
				return bad_function(checker, "jump table entry outside the function");
	}
	return 0;
}

static const char *check_reloc_fits(const struct hd_object *object, const struct hd_inst *inst,
				    const struct hd_reloc *reloc)
{
	const struct hd_symbol *symbol = &object->symbols[reloc->symbol];
	bool immediate = inst->xkind == HD_X_IMM_B || inst->xkind == HD_X_IMM_C ||
			 (hd_opinfo[inst->op].srcx == HD_XM && inst->xkind == HD_X_OTHER);
	switch (reloc->kind) {
	case HD_REL_CALL:
		if (inst->op != HD_OP_CALL)
			return "call relocation of an instruction that is no CALL";
		return symbol->kind == HD_SYM_FUNCTION ? NULL : "call of a variable";
	case HD_REL_ABS_LO:
	case HD_REL_ABS_HI:
		return immediate ? NULL : "address relocation of an instruction without an immediate";
	default:
		return "relocation kind that is for data";
	}
}

/* Every CALL has exactly one relocation; nothing has two. `seen` is a byte for each instruction. */
static int check_code_relocs(struct checker *checker, uint8_t *seen)
{
	const struct hd_function *function = checker->function;
	for (uint32_t i = 0; i < function->reloc_count; i++) {
		const struct hd_reloc *reloc = &function->relocs[i];
		if (reloc->offset >= function->inst_count || reloc->symbol >= checker->object->symbol_count)
			return bad_function(checker, "relocation out of range");
		if (seen[reloc->offset]++)
			return bad_inst(checker, reloc->offset, "two relocations of one instruction");
		const char *wrong = check_reloc_fits(checker->object, &function->insts[reloc->offset], reloc);
		if (wrong)
			return bad_inst(checker, reloc->offset, wrong);
	}
	for (uint32_t index = 0; index < function->inst_count; index++)
		if (function->insts[index].op == HD_OP_CALL && !seen[index])
			return bad_inst(checker, index, "call without a relocation");
	return 0;
}

static int check_function(struct checker *checker)
{
	const struct hd_function *function = checker->function;
	if (!function->inst_count)
		return bad_function(checker, "no instructions");
	if (function->inst_count >= HD_NO_PC)
		return bad_function(checker, "more instructions than a program counter can count");
	if (function->registers > HD_MAX_REGS)
		return bad_function(checker, "more registers than the machine has");
	if (check_tables(checker) != 0)
		return -1;
	for (uint32_t index = 0; index < function->inst_count; index++)
		if (check_inst(checker, index) != 0)
			return -1;
	if (hd_inst_falls_through(&function->insts[function->inst_count - 1]))
		return bad_inst(checker, function->inst_count - 1, "the last instruction falls through");
	uint8_t *seen = hd_xcalloc(function->inst_count, 1);
	int result = check_code_relocs(checker, seen);
	free(seen);
	return result;
}

static const char *check_variable(const struct hd_object *object, const struct hd_symbol *symbol)
{
	if (symbol->align == 0 || (symbol->align & (symbol->align - 1)))
		return "alignment that is no power of two";
	if ((unsigned)symbol->space > HD_SPACE_SHARED)
		return "unknown memory space";
	if (!symbol->defined)
		return NULL;
	if (symbol->section_offset & (symbol->align - 1))
		return "variable that is not aligned";
	uint64_t room = UINT32_MAX;
	if (symbol->space != HD_SPACE_SHARED)
		room = symbol->bss			    ? object->bss_bytes
		       : symbol->space == HD_SPACE_CONSTANT ? object->rodata_bytes
							    : object->data_bytes;
	if (symbol->section_offset > room || symbol->size > room - symbol->section_offset)
		return "variable outside its section";
	return NULL;
}

static const char *check_symbol(const struct hd_object *object, const struct hd_symbol *symbol)
{
	if (!symbol->name || !symbol->name[0])
		return "symbol without a name";
	if (symbol->kind == HD_SYM_VARIABLE)
		return check_variable(object, symbol);
	if (!symbol->defined)
		return NULL;
	if (symbol->function >= object->function_count)
		return "function out of range";
	return strcmp(symbol->name, object->functions[symbol->function].name) == 0
		       ? NULL
		       : "symbol and function have different names";
}

static int check_data_relocs(struct checker *checker, const char *section, const struct hd_reloc *relocs,
			     uint32_t count, uint32_t bytes)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_reloc *reloc = &relocs[i];
		if (reloc->kind != HD_REL_ABS64 || reloc->symbol >= checker->object->symbol_count || bytes < 8 ||
		    reloc->offset > bytes - 8)
			return hd_error(checker->diag, HD_NOWHERE, "%s: %s: bad relocation at 0x%x", checker->name,
					section, reloc->offset);
	}
	return 0;
}

int hd_object_verify(const struct hd_object *object, const char *name, struct hd_diag *diag)
{
	struct checker checker = {.object = object, .name = name, .diag = diag};
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const char *wrong = check_symbol(object, &object->symbols[i]);
		if (wrong)
			return hd_error(diag, HD_NOWHERE, "%s: symbol %s: %s", name,
					object->symbols[i].name ? object->symbols[i].name : "?", wrong);
	}
	for (uint32_t i = 0; i < object->function_count; i++) {
		checker.function = &object->functions[i];
		if (check_function(&checker) != 0)
			return -1;
	}
	if (check_data_relocs(&checker, ".data", object->data_relocs, object->data_reloc_count, object->data_bytes) !=
	    0)
		return -1;
	return check_data_relocs(&checker, ".rodata", object->rodata_relocs, object->rodata_reloc_count,
				 object->rodata_bytes);
}
