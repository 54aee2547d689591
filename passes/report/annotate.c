/*
 * The same facts in the user's own module, where other passes and people see them:
 * the nodes that docs/metadata.md lists: of functions pairs of figure and number, as metadata.def has them, and lists;
 * of instructions what is known of that call, branch or access. !heddle.launches is launches.c's.
 *
 * Only metadata is added, so that the code that other back ends make of it is the same. One kind goes: the places of
 * inline assembly in the clang that read it.
 * Linear in the instructions.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "heddle/figures.h"
#include "heddle/version.h"
#include "lib/arena.h"
#include "lib/metadata/fields.h"
#include "passes/analysis/callgraph.h"
#include "passes/analysis/flow.h"
#include "passes/pass.h"

struct annotate {
	struct hd_unit *unit;
	LLVMContextRef context;
	LLVMTypeRef i32;
	unsigned code_kind, call_kind;
	/* The function in hand, and its code. */
	LLVMValueRef function;
	const struct hd_function *code;
	HD_VEC(LLVMValueRef) insts; /* by ordinal */
};

typedef HD_VEC(LLVMMetadataRef) operands;

static LLVMMetadataRef text_node(const struct annotate *annotate, const char *text)
{
	return LLVMMDStringInContext2(annotate->context, text, strlen(text));
}

static LLVMMetadataRef number_node(const struct annotate *annotate, uint32_t number)
{
	return LLVMValueAsMetadata(LLVMConstInt(annotate->i32, number, 0));
}

static unsigned kind_id(const struct annotate *annotate, const char *kind)
{
	return LLVMGetMDKindIDInContext(annotate->context, kind, (unsigned)strlen(kind));
}

static void attach(const struct annotate *annotate, const char *kind, LLVMMetadataRef *operands, uint32_t count)
{
	LLVMGlobalSetMetadata(annotate->function, kind_id(annotate, kind),
			      LLVMMDNodeInContext2(annotate->context, operands, count));
}

static void attach_inst(const struct annotate *annotate, LLVMValueRef inst, unsigned kind, LLVMMetadataRef *operands,
			uint32_t count)
{
	LLVMMetadataRef node = LLVMMDNodeInContext2(annotate->context, operands, count);
	LLVMSetMetadata(inst, kind, LLVMMetadataAsValue(annotate->context, node));
}

static void list_insts(struct annotate *annotate)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(annotate->function);
	hd_vec_clear(&annotate->insts);
	for (; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst))
			hd_vec_push(&annotate->insts, inst);
}

/* The instruction that the machine code at this pc was made from; NULL where the lowering made it by itself. */
static LLVMValueRef inst_at(const struct annotate *annotate, uint32_t pc)
{
	uint32_t ordinal = annotate->code->origins[pc / HD_INST_BYTES].ir;
	return ordinal < annotate->insts.len ? annotate->insts.data[ordinal] : NULL;
}

static void add_pair(const struct annotate *annotate, operands *to, const char *name, uint32_t number)
{
	hd_vec_push(to, text_node(annotate, name));
	hd_vec_push(to, number_node(annotate, number));
}

/* A pair for each figure of the record that heddle/metadata.def puts into this node. */
static void add_figures(const struct annotate *annotate, operands *to, const char *node,
			const struct hd_meta_record *table, const void *record)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct hd_meta_field *field = &table->fields[i];
		if (hd_meta_is_figure(field) && strcmp(field->node, node) == 0)
			add_pair(annotate, to, field->key, hd_meta_figure_value(field, record));
	}
}

/* And releases them. */
static void attach_all(const struct annotate *annotate, const char *kind, operands *list)
{
	attach(annotate, kind, list->data, list->len);
	hd_vec_release(list);
}

static void annotate_function(const struct annotate *annotate, const struct hd_meta_function *facts)
{
	operands pairs = {0}, chain = {0};
	add_figures(annotate, &pairs, "stackdepth", &hd_meta_function_record, facts);
	attach_all(annotate, "heddle.stackdepth", &pairs);
	for (uint32_t i = 0; i < facts->chain_count; i++)
		hd_vec_push(&chain, text_node(annotate, facts->high_watermark_chain[i]));
	attach_all(annotate, "heddle.chain", &chain);
}

static LLVMMetadataRef registers_node(const struct annotate *annotate, const uint64_t vector[4])
{
	struct hd_regset set = {0};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		hd_out_of_memory(sizeof *out);
	memcpy(set.regs, vector, sizeof(set.regs));
	hd_regset_print(out, &set);
	fclose(out);
	LLVMMetadataRef node = text_node(annotate, text);
	free(text);
	return node;
}

static void annotate_intervals(const struct annotate *annotate, const struct hd_meta_function *facts)
{
	LLVMMetadataRef *operands = HD_ARENA_NEW(&annotate->unit->arena, LLVMMetadataRef, facts->interval_count + 2);
	operands[0] = text_node(annotate, "registers");
	operands[1] = number_node(annotate, facts->interval_registers);
	for (uint32_t i = 0; i < facts->interval_count; i++) {
		const struct hd_meta_interval *interval = &facts->intervals[i];
		LLVMMetadataRef parts[] = {number_node(annotate, interval->id),
					   number_node(annotate, interval->entry_pc),
					   registers_node(annotate, interval->working_set),
					   registers_node(annotate, interval->live_in)};
		operands[2 + i] = LLVMMDNodeInContext2(annotate->context, parts, 4);
	}
	attach(annotate, "heddle.intervals", operands, facts->interval_count + 2);
}

static void annotate_liveness(const struct annotate *annotate, const struct hd_meta_function *facts)
{
	operands pairs = {0};
	add_figures(annotate, &pairs, "liveness", &hd_meta_function_record, facts);
	attach_all(annotate, "heddle.liveness", &pairs);
}

static void annotate_points(const struct annotate *annotate, const struct hd_meta_function *facts)
{
	operands all = {0};
	add_figures(annotate, &all, "preempt", &hd_meta_function_record, facts);
	for (uint32_t i = 0; i < facts->point_count; i++) {
		const struct hd_meta_point *point = &facts->points[i];
		LLVMMetadataRef parts[] = {text_node(annotate, point->kind == HD_PREEMPT_BAR ? "bar.pp" : "pp"),
					   number_node(annotate, point->pc), registers_node(annotate, point->live.regs),
					   registers_node(annotate, point->live_divergent.regs)};
		hd_vec_push(&all, LLVMMDNodeInContext2(annotate->context, parts, 4));
	}
	attach_all(annotate, "heddle.preempt", &all);
}

/* Calls that the lowering made itself have no place in the IR. Of several machine calls for one, the worst counts. */
static void annotate_calls(const struct annotate *annotate, const struct hd_meta_function *facts)
{
	for (uint32_t i = 0; i < facts->call_count; i++) {
		LLVMValueRef inst = inst_at(annotate, facts->calls[i].pc);
		LLVMMetadataRef operands[] = {text_node(annotate, "fru"), number_node(annotate, facts->calls[i].fru)};
		if (inst && LLVMIsACallInst(inst))
			attach_inst(annotate, inst, annotate->call_kind, operands, 2);
	}
}

static void annotate_reuse(const struct annotate *annotate, const struct hd_meta_reuse *reuse)
{
	operands pairs = {0};
	add_figures(annotate, &pairs, "reuse", &hd_meta_reuse_record, reuse);
	attach_all(annotate, "heddle.reuse", &pairs);
}

static void annotate_idempotence(const struct annotate *annotate, const struct hd_meta_idempotence *facts)
{
	static const char *const why[] = {"", "store", "atomic", "volatile", "call", "service", "clock"};
	bool breaks = facts->why != HD_BREAK_NONE;
	LLVMMetadataRef operands[5] = {text_node(annotate, "idempotent"), number_node(annotate, !breaks)};
	if (breaks) {
		operands[2] = text_node(annotate, why[facts->why]);
		operands[3] = text_node(annotate, facts->at.function);
		operands[4] = number_node(annotate, facts->at.pc);
	}
	attach(annotate, "heddle.idempotence", operands, breaks ? 5 : 2);
	if (!breaks || strcmp(facts->at.function, annotate->code->name) != 0)
		return;
	LLVMValueRef inst = inst_at(annotate, facts->at.pc);
	if (inst)
		attach_inst(annotate, inst, kind_id(annotate, "heddle.breaks"), &operands[2], 1);
}

static void annotate_access(const struct annotate *annotate, LLVMValueRef inst, const struct hd_meta_access *access)
{
	LLVMMetadataRef operands[12];
	unsigned count = 0, kind = kind_id(annotate, "heddle.access");
	bool global = access->space == HD_ACCESS_GLOBAL;
	uint32_t least = global ? access->sectors_least : access->conflicts_least,
		 most = global ? access->sectors_most : access->conflicts_most;
	if (!access->address)
		return;
	operands[count++] = text_node(annotate, "address");
	operands[count++] = text_node(annotate, access->address);
	if (access->lane_stride) {
		operands[count++] = text_node(annotate, "stride");
		operands[count++] = text_node(annotate, access->lane_stride);
	}
	if (most) {
		operands[count++] = text_node(annotate, global ? "sectors" : "conflicts");
		operands[count++] = number_node(annotate, least);
		operands[count++] = number_node(annotate, most);
	}
	attach_inst(annotate, inst, kind, operands, count);
}

static void annotate_branches(const struct annotate *annotate, const struct hd_meta_affine *facts)
{
	unsigned kind = kind_id(annotate, "heddle.branch");
	for (uint32_t i = 0; i < facts->branch_count; i++) {
		const struct hd_meta_branch *branch = &facts->branches[i];
		LLVMValueRef inst = inst_at(annotate, branch->pc);
		LLVMMetadataRef operands[] = {text_node(annotate, hd_meta_class_names[branch->class]),
					      text_node(annotate, "iteration")};
		if (inst)
			attach_inst(annotate, inst, kind, operands, branch->iterates ? 2 : 1);
	}
}

static void annotate_affine(const struct annotate *annotate, const struct hd_meta_affine *facts)
{
	operands pairs = {0};
	if (!facts)
		return;
	annotate_branches(annotate, facts);
	add_figures(annotate, &pairs, "affine", &hd_meta_affine_record, facts);
	add_pair(annotate, &pairs, "register_count", facts->register_count);
	add_pair(annotate, &pairs, "condition_count", facts->condition_count);
	attach_all(annotate, "heddle.affine", &pairs);
	for (uint32_t i = 0; i < facts->access_count; i++) {
		LLVMValueRef inst = inst_at(annotate, facts->accesses[i].pc);
		if (inst)
			annotate_access(annotate, inst, &facts->accesses[i]);
	}
}

/*
 * What became of each instruction: the pcs of its machine code and the near operands there (Malekeh's tags). The
 * lists of all instructions lie one behind the other, in `pcs`, where `first` says.
 */
static void annotate_code(const struct annotate *annotate, const struct hd_meta_reuse *reuse)
{
	const struct hd_function *code = annotate->code;
	uint32_t inst_count = annotate->insts.len;
	operands pairs = {0};
	uint32_t *first = hd_xcalloc(inst_count + 2, sizeof *first),
		 *pcs = hd_xcalloc(code->inst_count + 1, sizeof *pcs);
	for (uint32_t i = 0; i < code->inst_count; i++)
		if (code->origins[i].ir < inst_count)
			first[code->origins[i].ir + 2]++;
	for (uint32_t i = 2; i < inst_count + 2; i++)
		first[i] += first[i - 1];
	for (uint32_t i = 0; i < code->inst_count; i++)
		if (code->origins[i].ir < inst_count)
			pcs[first[code->origins[i].ir + 1]++] = i;
	for (uint32_t i = 0; i < inst_count; i++) {
		hd_vec_clear(&pairs);
		for (uint32_t p = first[i]; p < first[i + 1]; p++) {
			hd_vec_push(&pairs, number_node(annotate, pcs[p] * HD_INST_BYTES));
			hd_vec_push(&pairs, number_node(annotate, reuse->tags[pcs[p]]));
		}
		if (pairs.len)
			attach_inst(annotate, annotate->insts.data[i], annotate->code_kind, pairs.data, pairs.len);
		else
			LLVMSetMetadata(annotate->insts.data[i], annotate->code_kind, NULL);
	}
	hd_vec_release(&pairs);
	free(first);
	free(pcs);
}

static void annotate_module(const struct annotate *annotate)
{
	static const char name[] = "heddle.version";
	LLVMMetadataRef operands[] = {text_node(annotate, HD_VERSION), number_node(annotate, HD_METADATA_VERSION)};
	LLVMMetadataRef node = LLVMMDNodeInContext2(annotate->context, operands, 2);
	if (!LLVMGetNamedMetadataNumOperands(annotate->unit->source, name))
		LLVMAddNamedMetadataOperand(annotate->unit->source, name, LLVMMetadataAsValue(annotate->context, node));
}

/* Where clang's own tables have the text of inline assembly: numbers that mean something to that clang alone, and
 * depend on how it read its headers. */
static void drop_source_locations(LLVMModuleRef module, unsigned kind)
{
	LLVMValueRef function = LLVMGetFirstFunction(module);
	for (; function; function = LLVMGetNextFunction(function)) {
		LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
		for (; block; block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef inst = LLVMGetFirstInstruction(block);
			for (; inst; inst = LLVMGetNextInstruction(inst))
				if (LLVMGetInstructionOpcode(inst) == LLVMCall)
					LLVMSetMetadata(inst, kind, NULL);
		}
	}
}

int hd_annotate_run(struct hd_unit *unit)
{
	struct annotate annotate = {.unit = unit, .context = LLVMGetModuleContext(unit->source)};
	annotate.i32 = LLVMInt32TypeInContext(annotate.context);
	/* First of what instructions have: a module that is read and annotated again has the same text. */
	annotate.code_kind = kind_id(&annotate, "heddle.code");
	annotate.call_kind = kind_id(&annotate, "heddle.call");
	annotate_module(&annotate);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		annotate.code = &unit->object.functions[f];
		annotate.function = LLVMGetNamedFunction(unit->source, annotate.code->name);
		const struct hd_meta_function *whole = hd_metadata_find_symbol(&unit->metadata, annotate.code->name);
		if (!annotate.function || LLVMIsDeclaration(annotate.function) || !whole)
			continue;
		list_insts(&annotate);
		annotate_function(&annotate, whole);
		annotate_intervals(&annotate, whole);
		annotate_liveness(&annotate, whole);
		annotate_points(&annotate, whole);
		annotate_code(&annotate, whole->reuse);
		annotate_calls(&annotate, whole);
		annotate_reuse(&annotate, whole->reuse);
		annotate_idempotence(&annotate, whole->idempotence);
		annotate_affine(&annotate, whole->affine);
	}
	hd_vec_release(&annotate.insts);
	drop_source_locations(unit->source, kind_id(&annotate, "srcloc"));
	return hd_launch_facts_keep(unit);
}
