/*
 * The whole-object verifier: what must hold before the runtime executes an object, so
 * that nothing downstream checks an index again. Linear in the object.
 *
 * The reader calls it on every object and the writer before it serialises one; a failure
 * in the writer is a compiler bug, in the reader a damaged file.
 */
#include "heddle/object.h"
#include "heddle/opcodes.h"
#include "heddle/uniform.h"
#include "lib/object/parts.h"

#include <stdlib.h>
#include <string.h>

struct checker {
	const struct hd_object *object;
	bool linear; /* the function is a kernel's linear version */
	const struct hd_function *function;
	uint32_t registers; /* that it may name */
	const char *name;   /* of the object, for messages */
	struct hd_diag *diag;
};

uint32_t hd_function_rows(const struct hd_function *function)
{
	uint32_t rows = function->registers;
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		if (inst->op == HD_OP_USETMAXREG && inst->x > rows)
			rows = inst->x < HD_MAX_REGS ? inst->x : HD_MAX_REGS;
	}
	return rows;
}

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
	if (!checker->linear && (inst->linear || hd_inst_is_linear(inst)))
		return bad_inst(checker, index, "linear operand or instruction outside a linear version");
	struct hd_regset reads, writes;
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	if (register_bound(&reads) > checker->registers || register_bound(&writes) > checker->registers)
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
	bool immediate =
		hd_x_is_immediate(inst->xkind) || (hd_opinfo[inst->op].srcx == HD_XM && inst->xkind == HD_X_OTHER);
	switch (reloc->kind) {
	case HD_REL_CALL:
		if (inst->op != HD_OP_CALL)
			return "call relocation of an instruction that is no CALL";
		if (reloc->addend)
			return "call of a place behind a function's beginning";
		return symbol->kind == HD_SYM_FUNCTION ? NULL : "call of a variable";
	case HD_REL_ABS_LO:
	case HD_REL_ABS_HI: return immediate ? NULL : "address relocation of an instruction without an immediate";
	default: return "relocation kind that is for data";
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
	checker->registers = hd_function_rows(function);
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

/* ---- linear versions (r2d2-isca23, 3.2 and 3.3) */

static const char *check_linear_numbers(const struct hd_object *object, const struct hd_linear *linear)
{
	if (linear->kernel >= object->function_count || !object->functions[linear->kernel].kernel)
		return "linear version without an original";
	if (strcmp(object->functions[linear->kernel].name, linear->body.name) != 0)
		return "linear version with another name than its kernel";
	if (linear->body.registers > HD_LR_MAX_REGS || linear->coefficients > HD_RZ || linear->linears > HD_LR_COUNT ||
	    linear->threads > HD_LR_COUNT)
		return "more linear registers than the machine has";
	for (uint32_t i = 0; i < linear->linears; i++)
		if (linear->thread_of[i] != HD_LR_NO_THREAD && linear->thread_of[i] >= linear->threads)
			return "register table names a thread-index register that is not there";
	for (unsigned i = 0; i < HD_STREAM_COUNT; i++)
		if (linear->start[i] >= linear->body.inst_count || (i && linear->start[i] <= linear->start[i - 1]))
			return "streams out of order";
	if (linear->start[0])
		return "code before the first stream";
	for (uint32_t i = 0; i < linear->body.inst_count; i++)
		if (linear->twins[i] != HD_NO_PC && linear->twins[i] >= object->functions[linear->kernel].inst_count)
			return "twin outside the kernel";
	for (uint32_t i = 0; i < linear->undefined_count; i++) {
		const struct hd_undefined *undefined = &linear->undefined[i];
		if (undefined->pc >= object->functions[linear->kernel].inst_count ||
		    undefined->reg + undefined->words > HD_RZ || (i && undefined->pc < undefined[-1].pc))
			return "undefined registers out of order, or of no instruction";
	}
	return NULL;
}

static unsigned stream_of(const struct hd_linear *linear, uint32_t index)
{
	unsigned stream = HD_STREAM_COUNT - 1;
	while (stream && index < linear->start[stream])
		stream--;
	return stream;
}

/* Which registers an instruction may name in its stream. */
static const char *check_linear_inst(const struct hd_linear *linear, const struct hd_inst *inst, unsigned stream)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	static const uint16_t writes[] = {HD_OP_R2CR, HD_OP_R2TR, HD_OP_R2BR};
	for (unsigned i = 0; i < HD_STREAM_MAIN; i++)
		if (inst->op == writes[i] && stream != i)
			return "write of a register that its stream does not make";
	if ((inst->op == HD_OP_R2CR && inst->x >= linear->coefficients) ||
	    (inst->op == HD_OP_R2TR && inst->x >= linear->threads))
		return "write of a register that is not there";
	if (stream != HD_STREAM_MAIN && hd_opinfo[inst->op].effects & ~(unsigned)(HD_FX_EXIT | HD_FX_SIDE))
		return "a linear stream only computes";
	if (!inst->linear)
		return NULL;
	unsigned reg = regs[hd_lr_slot(inst->linear)];
	if (hd_lr_kind(inst->linear) != HD_LR_COEFFICIENT &&
	    (stream != HD_STREAM_MAIN || hd_lr_reg(inst->linear) >= linear->linears))
		return "linear register that is not there";
	if (hd_lr_kind(inst->linear) != HD_LR_OFFSET && reg != HD_RZ && reg >= linear->coefficients)
		return "coefficient register that is not there";
	if (hd_lr_kind(inst->linear) == HD_LR_COEFFICIENT && hd_lr_reg(inst->linear) && stream != HD_STREAM_BLOCK)
		return "coefficient registers by lane outside the stream of block-index parts";
	return stream == HD_STREAM_COEFFICIENT ? "coefficient register read where it is made" : NULL;
}

static bool is_operation(uint64_t word)
{
	uint64_t op = word & 0xff, from = word >> 8 & 0xff, bits = word >> 16;
	return op < HD_UNIFORM_COUNT && from >= 1 && from <= 64 && bits >= 1 && bits <= 64;
}

static const char *check_program(const struct hd_linear_check *check)
{
	static const uint8_t words[] = {
#define X(name, words) words,
		HD_CHECK_LIST(X)
#undef X
	};
	uint32_t depth = 0;
	for (uint32_t i = 0; i < check->count; i++) {
		uint64_t op = (uint64_t)check->words[i];
		if (op >= HD_CHECK_OPS || words[op] > check->count - 1 - i)
			return "check with an unknown operation";
		uint64_t operand = words[op] ? (uint64_t)check->words[i + 1] : 0;
		if (op == HD_CHECK_OPERATION && !is_operation(operand))
			return "check with an unknown operation";
		uint32_t needs = op == HD_CHECK_OPERATION ? hd_uniform_operands(operand & 0xff)
				 : op >= HD_CHECK_ADD	  ? 2
							  : op == HD_CHECK_UP_TO;
		if ((op == HD_CHECK_BANK32 && operand > HD_CB_BYTES - 4) ||
		    (op == HD_CHECK_BANK64 && operand > HD_CB_BYTES - 8) || (op == HD_CHECK_INDEX && operand > 5))
			return "check with an operand out of range";
		if (depth < needs || depth - needs >= HD_CHECK_DEPTH)
			return "check with too few or too many values";
		depth = depth - needs + 1;
		i += words[op];
	}
	return depth == 1 ? NULL : "check without a value";
}

static int check_linear(struct checker *checker, const struct hd_linear *linear)
{
	checker->function = &linear->body;
	checker->linear = true;
	const char *wrong = check_linear_numbers(checker->object, linear);
	for (uint32_t i = 0; i < linear->check_count && !wrong; i++)
		wrong = check_program(&linear->checks[i]);
	if (wrong)
		return bad_function(checker, wrong);
	if (check_function(checker) != 0)
		return -1;
	for (uint32_t i = 0; i < linear->body.inst_count; i++) {
		unsigned stream = stream_of(linear, i);
		const struct hd_inst *inst = &linear->body.insts[i];
		wrong = check_linear_inst(linear, inst, stream);
		bool last = i + 1 == linear->body.inst_count || stream_of(linear, i + 1) != stream;
		if (!wrong && last && stream != HD_STREAM_MAIN && (inst->op != HD_OP_EXIT || inst->guard != HD_PT))
			wrong = "stream without an end";
		if (wrong)
			return bad_inst(checker, i, wrong);
	}
	return 0;
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

/* Those of kernels in ascending order, so that hd_object_linear finds them. */
static int check_order(const struct hd_object *object, const char *name, struct hd_diag *diag)
{
	for (uint32_t i = 1; i < object->linear_count; i++)
		if (object->linears[i - 1].kernel >= object->linears[i].kernel)
			return hd_error(diag, HD_NOWHERE, "%s: function %s: linear versions out of order", name,
					object->linears[i].body.name);
	return 0;
}

int object_verify_frame(const struct hd_object *object, const char *name, struct hd_diag *diag)
{
	struct checker checker = {.object = object, .name = name, .diag = diag};
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const char *wrong = check_symbol(object, &object->symbols[i]);
		if (wrong)
			return hd_error(diag, HD_NOWHERE, "%s: symbol %s: %s", name,
					object->symbols[i].name ? object->symbols[i].name : "?", wrong);
	}
	for (uint32_t i = 0; i < object->linear_count; i++)
		if (object->linears[i].kernel >= object->function_count)
			return hd_error(diag, HD_NOWHERE, "%s: function %s: linear version without an original", name,
					object->linears[i].body.name);
	if (check_order(object, name, diag) != 0 ||
	    check_data_relocs(&checker, ".data", object->data_relocs, object->data_reloc_count, object->data_bytes) !=
		    0)
		return -1;
	return check_data_relocs(&checker, ".rodata", object->rodata_relocs, object->rodata_reloc_count,
				 object->rodata_bytes);
}

int object_verify_function(const struct hd_object *object, uint32_t function, const char *name, struct hd_diag *diag)
{
	struct checker checker = {.object = object,
				  .name = name,
				  .diag = diag,
				  .function = &object->functions[function]};
	const struct hd_linear *linear = hd_object_linear(object, function);
	if (check_function(&checker) != 0)
		return -1;
	return linear ? check_linear(&checker, linear) : 0;
}

int hd_object_verify(const struct hd_object *object, const char *name, struct hd_diag *diag)
{
	if (object_verify_frame(object, name, diag) != 0)
		return -1;
	for (uint32_t i = 0; i < object->function_count; i++)
		if (object_verify_function(object, i, name, diag) != 0)
			return -1;
	return 0;
}
