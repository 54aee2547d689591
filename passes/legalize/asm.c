/*
 * Inline PTX with control flow, with variables of its own, or with instructions that are several of the machine. Such a
 * text becomes a function of the module that is inlined where the assembly stood: a stack object for each register,
 * which LLVM turns into values, branches for its branches, IR for the instructions of the tables in asm_*.c, and what
 * is left between them as shorter assembly, which selection takes (passes/ptx/). Other assembly stays as it is.
 *
 * The carry of add.cc goes from one piece to the next in a register. Linear in the texts.
 */
#include "passes/legalize/asm.h"

#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"

#include <llvm-c/DebugInfo.h>

enum { PARAMETERS = 64 }; /* of a kernel that one text names */

/* ------------------------------------------------------------------ the table */

static bool is_named(const char *text, const char *name)
{
	size_t length = strlen(name);
	return !strncmp(text, name, length) && (text[length] == '.' || !text[length]);
}

static const struct hd_asm_row *find_row(const struct hd_ptx_statement *statement)
{
	static const struct hd_asm_row *const tables[] = {hd_asm_integer, hd_asm_video,	  hd_asm_float,	 hd_asm_convert,
							  hd_asm_system,  hd_asm_atomic,  hd_asm_matrix, hd_asm_eight,
							  hd_asm_sparse,  hd_asm_surface, hd_asm_stack,	 hd_asm_calls};
	for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
		for (const struct hd_asm_row *row = tables[t]; row->name; row++)
			if (is_named(statement->text, row->name) && (!row->takes || row->takes(statement)))
				return row;
	return NULL;
}

static bool is_branch(const struct hd_ptx_statement *statement)
{
	return is_named(statement->text, "bra") || is_named(statement->text, "brx.idx");
}

/* ------------------------------------------------------------------ pieces that stay assembly */

static bool uses_carry(const struct hd_ptx_statement *statement)
{
	const char *op = statement->parts[0];
	return hd_ptx_statement_has(statement, "cc") || !strcmp(op, "addc") || !strcmp(op, "subc") ||
	       !strcmp(op, "madc");
}

struct piece {
	struct hd_strbuf text;
	HD_VEC(uint32_t) regs;
};

static unsigned operand_of(struct hd_asm *a, struct piece *piece, uint32_t reg)
{
	for (uint32_t i = 0; i < piece->regs.len; i++)
		if (piece->regs.data[i] == reg)
			return i;
	if (a->text.regs.data[reg].bits > 64)
		hd_asm_error(a, "'%s' of 128 bits is not supported here", a->text.regs.data[reg].name);
	hd_vec_push(&piece->regs, reg);
	return piece->regs.len - 1;
}

/* The statement as it is written, but for the names of its registers. */
static void add_statement(struct hd_asm *a, struct piece *piece, const struct hd_ptx_statement *statement)
{
	const char *at = statement->begin;
	for (unsigned i = 0; i < statement->ref_count; i++) {
		const struct hd_ptx_ref *ref = &a->text.refs.data[statement->first_ref + i];
		hd_strbuf_printf(&piece->text, "%.*s%.1s$%u%.1s", (int)(ref->at - at), at, &ref->before,
				 operand_of(a, piece, ref->reg), &ref->after);
		at = ref->at + ref->length;
	}
	hd_strbuf_printf(&piece->text, "%.*s; ", (int)(statement->end - at), at);
}

static void copy_attributes(struct hd_asm *a, value call)
{
	LLVMAttributeRef attributes[32];
	unsigned count = LLVMGetCallSiteAttributeCount(a->site.inst, LLVMAttributeFunctionIndex);
	if (count > 32)
		return;
	LLVMGetCallSiteAttributes(a->site.inst, LLVMAttributeFunctionIndex, attributes);
	for (unsigned i = 0; i < count; i++)
		LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attributes[i]);
}

/* Every register goes in and comes out again: what is not changed is the same value. */
static void build_piece(struct hd_asm *a, struct piece *piece)
{
	const unsigned count = piece->regs.len;
	LLVMTypeRef *types = HD_ARENA_NEW(&a->text.arena, LLVMTypeRef, count + 1);
	value *args = HD_ARENA_NEW(&a->text.arena, value, count + 1);
	struct hd_strbuf constraints = {0};
	for (unsigned i = 0; i < count; i++) {
		types[i] = int_type(&a->site, a->text.regs.data[piece->regs.data[i]].bits);
		args[i] = LLVMBuildLoad2(a->site.builder, types[i], a->slots.data[piece->regs.data[i]], "");
		hd_strbuf_printf(&constraints, "%s=r", i ? "," : "");
	}
	for (unsigned i = 0; i < count; i++)
		hd_strbuf_printf(&constraints, ",%u", i);
	LLVMContextRef context = a->site.legal->context;
	LLVMTypeRef result = count == 0	  ? LLVMVoidTypeInContext(context)
			     : count == 1 ? types[0]
					  : LLVMStructTypeInContext(context, types, count, false);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	value old = LLVMGetCalledValue(a->site.inst);
	value callee = LLVMGetInlineAsm(type, hd_strbuf_text(&piece->text), piece->text.len,
					hd_strbuf_text(&constraints), constraints.len,
					LLVMGetInlineAsmHasSideEffects(old), false, LLVMInlineAsmDialectATT, false);
	value call = LLVMBuildCall2(a->site.builder, type, callee, args, count, "");
	copy_attributes(a, call);
	for (unsigned i = 0; i < count; i++)
		LLVMBuildStore(a->site.builder, count == 1 ? call : LLVMBuildExtractValue(a->site.builder, call, i, ""),
			       a->slots.data[piece->regs.data[i]]);
	hd_strbuf_release(&constraints);
}

static void flush_piece(struct hd_asm *a)
{
	struct piece piece = {0};
	bool carries = false;
	if (!a->count)
		return;
	for (uint32_t i = 0; i < a->count; i++)
		carries |= a->carry != UINT32_MAX && uses_carry(&a->statements.data[a->first + i]);
	if (carries)
		hd_strbuf_printf(&piece.text, "add.cc.u32 _, $%u, -1; ", operand_of(a, &piece, a->carry));
	for (uint32_t i = 0; i < a->count && !a->failed; i++) {
		a->now = &a->statements.data[a->first + i];
		add_statement(a, &piece, a->now);
	}
	if (carries)
		hd_strbuf_printf(&piece.text, "addc.u32 $%u, 0, 0; ", operand_of(a, &piece, a->carry));
	if (!a->failed)
		build_piece(a, &piece);
	hd_strbuf_release(&piece.text);
	hd_vec_release(&piece.regs);
	a->count = 0;
}

/* ------------------------------------------------------------------ control flow */

static value guard_of(struct hd_asm *a)
{
	const struct hd_ptx_part part = {.kind = HD_PTX_REG, .reg = a->now->guard};
	value p = hd_asm_read(a, &part, 1);
	return a->now->guard_not ? LLVMBuildNot(a->site.builder, p, "") : p;
}

/* The block of the label that operand `index` names. */
static LLVMBasicBlockRef target(struct hd_asm *a, uint32_t named)
{
	uint32_t label = hd_ptx_text_label(&a->text, named);
	if (label == UINT32_MAX || a->text.labels.data[label].table) {
		hd_asm_error(a, "unknown label '%s'", a->text.labels.data[named].name);
		return a->blocks[named];
	}
	return a->blocks[label];
}

/* brx.idx i, t: an index beyond the table is undefined. */
static void branch_by_index(struct hd_asm *a)
{
	const struct hd_ptx_part *name = &a->now->operands[1].parts[0];
	uint32_t table = name->kind == HD_PTX_LABEL ? hd_ptx_text_label(&a->text, name->reg) : UINT32_MAX;
	if (table == UINT32_MAX || !a->text.labels.data[table].table) {
		hd_asm_error(a, "expected a .branchtargets table");
		return;
	}
	const struct hd_ptx_label *label = &a->text.labels.data[table];
	value index = hd_asm_in(a, 0, 32);
	uint32_t last = label->targets.len - 1;
	value branch = LLVMBuildSwitch(a->site.builder, index, target(a, label->targets.data[last]), last);
	for (uint32_t i = 0; i < last; i++)
		LLVMAddCase(branch, number(index, i), target(a, label->targets.data[i]));
}

static void branch(struct hd_asm *a)
{
	const struct hd_ptx_part *name = &a->now->operands[0].parts[0];
	bool indexed = is_named(a->now->text, "brx");
	LLVMBasicBlockRef next = hd_asm_block(a), to = NULL;
	if (!indexed && (a->now->count != 1 || name->kind != HD_PTX_LABEL)) {
		hd_asm_error(a, "expected a label");
		return;
	}
	if (indexed && a->now->guarded) {
		to = hd_asm_block(a);
		LLVMBuildCondBr(a->site.builder, guard_of(a), to, next);
		LLVMPositionBuilderAtEnd(a->site.builder, to);
	}
	if (indexed)
		branch_by_index(a);
	else if (a->now->guarded)
		LLVMBuildCondBr(a->site.builder, guard_of(a), target(a, name->reg), next);
	else
		LLVMBuildBr(a->site.builder, target(a, name->reg));
	LLVMPositionBuilderAtEnd(a->site.builder, next);
}

static void build_row(struct hd_asm *a, const struct hd_asm_row *row)
{
	LLVMBasicBlockRef next = NULL, then = NULL;
	if (a->now->count < row->operands) {
		hd_asm_error(a, "expected %u operands", row->operands);
		return;
	}
	if (a->now->guarded) {
		then = hd_asm_block(a);
		next = hd_asm_block(a);
		LLVMBuildCondBr(a->site.builder, guard_of(a), then, next);
		LLVMPositionBuilderAtEnd(a->site.builder, then);
	}
	row->build(a, row->arg);
	if (next) {
		LLVMBuildBr(a->site.builder, next);
		LLVMPositionBuilderAtEnd(a->site.builder, next);
	}
}

static void build_statements(struct hd_asm *a)
{
	for (uint32_t i = 0; i < a->statements.len && !a->failed; i++) {
		const struct hd_ptx_statement *statement = &a->statements.data[i];
		bool label = !statement->part_count;
		const struct hd_asm_row *row = label ? NULL : find_row(statement);
		if (!label && !row && !is_branch(statement)) {
			if (!a->count)
				a->first = i;
			a->count++;
			continue;
		}
		flush_piece(a);
		a->now = statement;
		if (label) {
			LLVMBuildBr(a->site.builder, a->blocks[statement->label]);
			LLVMPositionBuilderAtEnd(a->site.builder, a->blocks[statement->label]);
		} else if (row) {
			build_row(a, row);
		} else {
			branch(a);
		}
	}
	flush_piece(a);
}

/* ------------------------------------------------------------------ the function */

/* Declares "$0", "$1", ... of the types of the results and arguments. Returns how many results there are, -1: not one
 * that can be taken apart. tied: the result that each argument begins as, or -1. */
static int declare_operands(struct hd_asm *a, const char *constraints, int *tied)
{
	LLVMTypeRef result = LLVMTypeOf(a->site.inst), type;
	bool many = LLVMGetTypeKind(result) == LLVMStructTypeKind;
	int results = 0, args = 0;
	char name[16];
	for (const char *at = constraints; *at;) {
		size_t length = strcspn(at, ",");
		bool output = *at == '=';
		const char *letter = at + output + strspn(at + output, "&");
		if (*at == '~') {
			at += length + (at[length] == ',');
			continue;
		}
		if (*letter == '*')
			return -1;
		if (output)
			type = many ? LLVMStructGetTypeAtIndex(result, (unsigned)results) : result;
		else
			type = LLVMTypeOf(LLVMGetArgOperand(a->site.inst, (unsigned)args));
		if (!hd_is_scalar(type) || hd_scalar_bits(type) > 128)
			return -1;
		snprintf(name, sizeof name, "$%d", results + args);
		hd_ptx_text_declare(&a->text, name, hd_scalar_bits(type));
		if (output)
			results++;
		else
			tied[args++] = *letter >= '0' && *letter <= '9' ? atoi(letter) : -1;
		at += length + (at[length] == ',');
	}
	return results;
}

/* Whether anything in the text is built here. */
static bool read_text(struct hd_asm *a)
{
	struct hd_ptx_statement statement;
	enum hd_ptx_next next;
	bool wanted = false;
	while ((next = hd_ptx_parse(&a->text, &statement)) != HD_PTX_END) {
		wanted |= next == HD_PTX_AT_LABEL || is_branch(&statement) || find_row(&statement);
		hd_vec_push(&a->statements, statement);
	}
	for (uint32_t i = 0; i < a->statements.len; i++) {
		struct hd_ptx_statement *kept = &a->statements.data[i];
		const char *part = kept->split;
		for (unsigned k = 0; k < kept->part_count; k++, part += strlen(part) + 1)
			kept->parts[k] = part;
	}
	/* What cannot be read is said where the rest of assembly is selected. */
	return !a->text.failed && !a->text.scope && (wanted || a->text.variables.len || a->text.prototypes.len);
}

static void make_slots(struct hd_asm *a)
{
	value slot;
	for (uint32_t i = 0; i < a->text.regs.len; i++) {
		slot = LLVMBuildAlloca(a->site.builder, int_type(&a->site, a->text.regs.data[i].bits), "");
		hd_vec_push(&a->slots, slot);
	}
}

static void place_carry(struct hd_asm *a)
{
	uint32_t users = 0;
	a->carry = UINT32_MAX;
	for (uint32_t i = 0; i < a->statements.len; i++)
		users += a->statements.data[i].part_count && uses_carry(&a->statements.data[i]);
	if (users > 1)
		a->carry = hd_ptx_text_declare(&a->text, "the carry", 32);
}

static value results_of(struct hd_asm *a, unsigned results)
{
	LLVMTypeRef type = LLVMTypeOf(a->site.inst);
	bool many = LLVMGetTypeKind(type) == LLVMStructTypeKind;
	value out = LLVMGetUndef(type), each;
	for (unsigned i = 0; i < results; i++) {
		LLVMTypeRef element = many ? LLVMStructGetTypeAtIndex(type, i) : type;
		each = LLVMBuildLoad2(a->site.builder, int_type(&a->site, a->text.regs.data[i].bits), a->slots.data[i],
				      "");
		if (LLVMGetTypeKind(element) == LLVMPointerTypeKind)
			each = LLVMBuildIntToPtr(a->site.builder, each, element, "");
		else if (LLVMTypeOf(each) != element)
			each = LLVMBuildBitCast(a->site.builder, each, element, "");
		out = many ? LLVMBuildInsertValue(a->site.builder, out, each, i, "") : each;
	}
	return out;
}

static void build_body(struct hd_asm *a, unsigned results, const int *tied)
{
	LLVMPositionBuilderAtEnd(a->site.builder, hd_asm_block(a));
	LLVMSetCurrentDebugLocation2(a->site.builder, NULL);
	place_carry(a);
	make_slots(a);
	hd_asm_place_variables(a);
	for (unsigned i = 0; i < a->given; i++) {
		value bits = hd_asm_bits(a, LLVMGetParam(a->function, i));
		LLVMBuildStore(a->site.builder, bits, a->slots.data[results + i]);
		if (tied[i] >= 0 && tied[i] < (int)results)
			LLVMBuildStore(a->site.builder, cast(&a->site, bits, a->text.regs.data[tied[i]].bits, false),
				       a->slots.data[tied[i]]);
	}
	a->blocks = hd_arena_alloc(&a->site.legal->unit->arena, (a->text.labels.len + 1) * sizeof *a->blocks);
	for (uint32_t i = 0; i < a->text.labels.len; i++)
		a->blocks[i] = hd_asm_block(a);
	build_statements(a);
	if (results)
		LLVMBuildRet(a->site.builder, results_of(a, results));
	else
		LLVMBuildRetVoid(a->site.builder);
	/* Labels that are only named here stand elsewhere. */
	for (uint32_t i = 0; i < a->text.labels.len; i++)
		if (!LLVMGetBasicBlockTerminator(a->blocks[i])) {
			LLVMPositionBuilderAtEnd(a->site.builder, a->blocks[i]);
			LLVMBuildUnreachable(a->site.builder);
		}
}

static void mark_instructions(struct hd_asm *a)
{
	if (!a->site.ordinal)
		return;
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(a->function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (value i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
			LLVMSetMetadata(i, a->site.legal->md_ordinal, a->site.ordinal);
}

static void add_attribute(struct hd_asm *a, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	LLVMAddAttributeAtIndex(a->function, LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(a->site.legal->context, kind, 0));
}

static void replace(struct hd_asm *a, unsigned results, const int *tied)
{
	a->given = (unsigned)LLVMGetNumArgOperands(a->site.inst);
	LLVMTypeRef type = LLVMGetCalledFunctionType(a->site.inst);
	LLVMTypeRef *types = HD_ARENA_NEW(&a->text.arena, LLVMTypeRef, a->given + PARAMETERS);
	value *args = HD_ARENA_NEW(&a->text.arena, value, a->given + PARAMETERS);
	for (unsigned i = 0; i < a->given; i++) {
		args[i] = LLVMGetArgOperand(a->site.inst, i);
		types[i] = LLVMTypeOf(args[i]);
	}
	unsigned count = a->given + hd_asm_take_parameters(a, args + a->given, types + a->given, PARAMETERS);
	type = LLVMFunctionType(LLVMGetReturnType(type), types, count, false);
	a->function = LLVMAddFunction(a->site.legal->module, "__heddle_asm", type);
	LLVMSetLinkage(a->function, LLVMInternalLinkage);
	add_attribute(a, "alwaysinline");
	add_attribute(a, "convergent");
	build_body(a, results, tied);
	mark_instructions(a);
	LLVMPositionBuilderBefore(a->site.builder, a->site.inst);
	LLVMSetCurrentDebugLocation2(a->site.builder, LLVMInstructionGetDebugLoc(a->site.inst));
	value call = LLVMBuildCall2(a->site.builder, type, a->function, args, count, "");
	if (a->site.ordinal)
		LLVMSetMetadata(call, a->site.legal->md_ordinal, a->site.ordinal);
	LLVMReplaceAllUsesWith(a->site.inst, call);
	LLVMInstructionEraseFromParent(a->site.inst);
	a->site.legal->assembly = true;
}

static void take_apart(struct hd_legal *legal, value inst)
{
	value callee = LLVMGetCalledValue(inst);
	size_t length = 0;
	const char *constraints = LLVMGetInlineAsmConstraintString(callee, &length);
	struct hd_asm a = {.site = {.legal = legal, .builder = legal->builder, .inst = inst}};
	struct hd_arena *arena = &legal->unit->arena;
	int *tied = HD_ARENA_NEW(arena, int, hd_ptx_most_operands(inst));
	a.site.ordinal = LLVMGetMetadata(inst, legal->md_ordinal);
	hd_ptx_text_init(&a.text, hd_ptx_text_of(arena, inst));
	int results = declare_operands(&a, hd_arena_printf(arena, "%.*s", (int)length, constraints), tied);
	if (results >= 0 && read_text(&a))
		replace(&a, (unsigned)results, tied);
	hd_vec_release(&a.statements);
	hd_vec_release(&a.slots);
	hd_vec_release(&a.places);
	hd_ptx_text_release(&a.text);
}

void hd_legal_asm(struct hd_legal *legal)
{
	LLVMValueRef last = LLVMGetLastFunction(legal->module);
	for (value f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
			for (value inst = LLVMGetFirstInstruction(bb), next; inst; inst = next) {
				next = LLVMGetNextInstruction(inst);
				value code = LLVMIsACallInst(inst) ? hd_legal_surface_call(legal, inst) : NULL;
				code = code ? code : inst;
				if (LLVMIsACallInst(code) && LLVMIsAInlineAsm(LLVMGetCalledValue(code)))
					take_apart(legal, code);
			}
		if (f == last)
			break;
	}
}
