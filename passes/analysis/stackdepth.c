/*
 * stackdepth (CARS, cars-hpca24 III-A and IV-A). Works on the finished machine code and its
 * call graph, so that every number is one of the code that runs:
 *
 *   pushes and pops   the saves and restores that register allocation marked with their roles
 *   FRU               of a device function: pushed registers + 1 slot for the caller's RFP;
 *                     of a kernel: the base registers of a warp's thread, that is, whatever is
 *                     not renamed: its own registers and the caller-saved ones of all callees
 *   MaxStackDepth     own FRU + the deepest callee's; a cycle counts for one iteration (III-C)
 *   Low, High         FRU + largest FRU of a reachable function; MaxStackDepth of the kernel
 *
 * Helpers (heddle/object.h) are instructions to all of these: none is in a chain or has an FRU, and calls of them are
 * not listed. Only registers and bytes of the stack take them along.
 *
 * Linear in the code; the chains are chain.c's.
 */
#include "passes/analysis/stackdepth.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/strbuf.h"
#include "passes/analysis/chain.h"
#include "passes/pass.h"
#include "passes/remark.h"

struct context {
	const struct hd_object *object;
	const struct hd_callgraph *calls;
	const struct hd_abi *abi;
	struct hd_arena *arena;
	struct hd_meta_function *facts;
};

static struct hd_meta_source source_of(const struct hd_object *object, const struct hd_origin *origin)
{
	struct hd_meta_source source = {0};
	if (origin->file < object->file_count && origin->line) {
		source.file = object->files[origin->file];
		source.line = origin->line;
	}
	return source;
}

static bool is_save(const struct hd_inst *inst)
{
	return inst->role == HD_ROLE_CALLEE_SAVE || inst->role == HD_ROLE_CALLEE_RESTORE;
}

static struct hd_meta_save save_of(const struct hd_inst *inst, uint32_t index)
{
	bool restore = inst->role == HD_ROLE_CALLEE_RESTORE;
	return (struct hd_meta_save){
		.pc = index * HD_INST_BYTES,
		.reg = restore ? inst->dst : inst->c,
		.count = (uint8_t)hd_op_width(inst->op, inst->mods, restore ? HD_SLOT_DST : HD_SLOT_C),
		.restore = restore,
		.offset = (int32_t)inst->x,
	};
}

/* Pushes and pops in order of pc. A register saved on several paths is one slot of the frame. */
static void find_saves(struct context *context, uint32_t index)
{
	const struct hd_function *function = &context->object->functions[index];
	struct hd_meta_function *facts = &context->facts[index];
	bool pushed[256] = {0};
	for (uint32_t i = 0; i < function->inst_count; i++)
		facts->save_count += is_save(&function->insts[i]);
	facts->saves = HD_ARENA_NEW(context->arena, struct hd_meta_save, facts->save_count);
	facts->save_count = 0;
	for (uint32_t i = 0; i < function->inst_count; i++) {
		if (!is_save(&function->insts[i]))
			continue;
		struct hd_meta_save save = save_of(&function->insts[i], i);
		for (unsigned r = save.reg; r < save.reg + save.count && r < HD_RZ && !save.restore; r++) {
			facts->pushed_registers += !pushed[r];
			pushed[r] = true;
		}
		facts->saves[facts->save_count++] = save;
	}
	facts->callee_save_bytes = 4 * facts->pushed_registers;
}

/* Registers that a function uses and CARS does not rename: all below the highest that no callee saves. */
static uint32_t base_registers(const struct hd_function *function, const struct hd_abi *abi)
{
	struct hd_regset used = {0};
	if (function->kernel)
		return function->registers;
	for (uint32_t i = 0; i < function->inst_count; i++) {
		struct hd_regset reads = {0}, writes = {0};
		hd_inst_reads(&function->insts[i], &reads);
		hd_inst_writes(&function->insts[i], &writes);
		for (unsigned w = 0; w < 4; w++)
			used.regs[w] |= reads.regs[w] | writes.regs[w];
	}
	for (uint32_t r = HD_MAX_REGS; r-- > 0;)
		if (used.regs[r / 64] >> (r % 64) & 1 && !hd_abi_is_saved(abi, r))
			return r + 1;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static struct hd_meta_call call_of(const struct context *context, const struct hd_call_site *site)
{
	const struct hd_object *object = context->object;
	struct hd_meta_call call = {
		.pc = site->inst * HD_INST_BYTES,
		.kind = site->kind,
		.callee_count = site->callee_count,
		.recursive = site->recursive,
		.unknown_callees = site->unknown,
		.source = source_of(object, &object->functions[site->function].origins[site->inst]),
	};
	call.callees = HD_ARENA_NEW(context->arena, const char *, site->callee_count + 1);
	for (uint32_t c = 0; c < site->callee_count; c++) {
		call.callees[c] = object->functions[site->callees[c]].name;
		if (context->facts[site->callees[c]].fru > call.fru)
			call.fru = context->facts[site->callees[c]].fru;
	}
	if (site->external)
		call.callees[call.callee_count++] = site->external;
	qsort(call.callees, call.callee_count, sizeof(*call.callees), compare_names);
	return call;
}

static void find_calls(struct context *context, uint32_t index)
{
	const struct hd_callgraph *calls = context->calls;
	struct hd_meta_function *facts = &context->facts[index];
	uint32_t first = calls->site_start[index];
	uint32_t end = calls->site_start[index + 1];
	facts->calls = HD_ARENA_NEW(context->arena, struct hd_meta_call, end - first);
	for (uint32_t i = first; i < end; i++)
		if (!calls->sites[i].helper)
			facts->calls[facts->call_count++] = call_of(context, &calls->sites[i]);
}

/*
 * Whether the stack pointer takes a value that is not a constant away from itself. A kernel that does not load it from
 * the constant bank has no stack, and R1 is a register like any other.
 */
static bool moves_stack(const struct hd_function *function, const struct hd_abi *abi)
{
	bool loaded = !function->kernel, moves = false;
	for (uint32_t i = 0; i < function->inst_count; i++) {
		const struct hd_inst *inst = &function->insts[i];
		if (inst->dst != abi->stack_pointer || !hd_op_width(inst->op, inst->mods, HD_SLOT_DST))
			continue;
		if (inst->xkind == HD_X_CONST_B && inst->x == HD_CONST_X(0, HD_CB_STACK_TOP))
			loaded = true;
		else if (inst->xkind != HD_X_IMM_B)
			moves = true;
	}
	return loaded && moves;
}

static void find_own(struct context *context, uint32_t index)
{
	const struct hd_function *function = &context->object->functions[index];
	struct hd_meta_function *facts = &context->facts[index];
	facts->name = function->name;
	facts->kernel = function->kernel;
	facts->helper = function->helper;
	facts->recursive = context->calls->recursive[index];
	facts->dynamic_stack = moves_stack(function, context->abi);
	facts->address_taken = context->calls->address_taken[index];
	facts->instructions = function->inst_count;
	facts->own_registers = facts->registers = function->registers;
	facts->stack_bytes = function->frame_bytes;
	find_saves(context, index);
	facts->fru = function->kernel || function->helper ? 0 : facts->pushed_registers + 1;
}

/* What the linker and CARS add up or take the maximum of over the call graph. */
static void find_maxima(struct context *context)
{
	const struct hd_object *object = context->object;
	const struct hd_graph *graph = &context->calls->graph;
	uint32_t count = object->function_count;
	uint32_t *base = HD_ARENA_NEW(context->arena, uint32_t, count),
		 *own = HD_ARENA_NEW(context->arena, uint32_t, count);
	uint32_t *fru = HD_ARENA_NEW(context->arena, uint32_t, count);
	for (uint32_t f = 0; f < count; f++) {
		base[f] = base_registers(&object->functions[f], context->abi);
		own[f] = object->functions[f].registers;
		fru[f] = context->facts[f].fru;
	}
	base = hd_chain_reachable_max(graph, base, context->arena);
	own = hd_chain_reachable_max(graph, own, context->arena);
	fru = hd_chain_reachable_max(graph, fru, context->arena);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_meta_function *facts = &context->facts[f];
		if (!facts->kernel)
			continue;
		facts->registers = own[f];
		facts->fru = base[f];
		facts->max_fru = fru[f];
		facts->low_watermark = base[f] + fru[f];
	}
}

static void name_chain(struct context *context, const struct hd_chain *chain, uint32_t index)
{
	struct hd_meta_function *facts = &context->facts[index];
	uint32_t *list;
	facts->chain_count = hd_chain_list(chain, index, context->arena, &list);
	while (facts->chain_count > 1 && context->object->functions[list[facts->chain_count - 1]].helper)
		facts->chain_count--; /* nothing but helpers comes behind one */
	facts->high_watermark_chain = HD_ARENA_NEW(context->arena, const char *, facts->chain_count);
	for (uint32_t i = 0; i < facts->chain_count; i++)
		facts->high_watermark_chain[i] = context->object->functions[list[i]].name;
}

static void find_chains(struct context *context)
{
	const struct hd_graph *graph = &context->calls->graph;
	uint32_t count = context->object->function_count;
	uint32_t *fru = HD_ARENA_NEW(context->arena, uint32_t, count),
		 *frame = HD_ARENA_NEW(context->arena, uint32_t, count);
	uint32_t *one = HD_ARENA_NEW(context->arena, uint32_t, count);
	struct hd_chain depth, bytes, length;
	for (uint32_t f = 0; f < count; f++) {
		fru[f] = context->facts[f].fru;
		frame[f] = context->facts[f].stack_bytes;
		one[f] = !context->object->functions[f].helper;
	}
	hd_chain_compute(&depth, graph, fru, context->arena);
	hd_chain_compute(&bytes, graph, frame, context->arena);
	hd_chain_compute(&length, graph, one, context->arena);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_meta_function *facts = &context->facts[f];
		facts->max_stack_depth = (uint32_t)depth.depth[f];
		facts->max_stack_bytes = bytes.depth[f] > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes.depth[f];
		facts->call_depth = facts->helper ? 0 : (uint32_t)length.depth[f] - 1;
		facts->high_watermark = facts->kernel ? facts->max_stack_depth : 0;
		name_chain(context, &depth, f);
	}
}

struct hd_meta_function *hd_stackdepth_compute(const struct hd_object *object, const struct hd_callgraph *calls,
					       const struct hd_abi *abi, struct hd_arena *arena)
{
	struct context context = {.object = object, .calls = calls, .abi = abi, .arena = arena};
	context.facts = HD_ARENA_NEW(arena, struct hd_meta_function, object->function_count);
	for (uint32_t f = 0; f < object->function_count; f++)
		find_own(&context, f);
	for (uint32_t f = 0; f < object->function_count; f++)
		find_calls(&context, f);
	find_maxima(&context);
	find_chains(&context);
	return context.facts;
}

int hd_stackdepth_run(struct hd_unit *unit)
{
	unit->results[HD_PASS_STACKDEPTH] =
		hd_stackdepth_compute(&unit->object, hd_pass_result(unit, HD_PASS_CALLGRAPH), unit->abi, &unit->arena);
	return 0;
}

static char *chain_text(const struct hd_meta_function *facts)
{
	struct hd_strbuf text = {0};
	for (uint32_t i = 0; i < facts->chain_count; i++)
		hd_strbuf_printf(&text, "%s%s", i ? " -> " : "", facts->high_watermark_chain[i]);
	return hd_strbuf_detach(&text);
}

static void print_call(FILE *out, const struct hd_meta_call *call)
{
	fprintf(out, "  call %04x %s fru %u:", call->pc, call->kind == HD_CALL_DIRECT ? "direct" : "indirect",
		call->fru);
	for (uint32_t c = 0; c < call->callee_count; c++)
		fprintf(out, " %s", call->callees[c]);
	fprintf(out, "%s%s", call->unknown_callees ? " unknown" : "", call->recursive ? " recursive" : "");
	if (call->source.file)
		fprintf(out, " at %s:%u", call->source.file, call->source.line);
	fputc('\n', out);
}

static void print_save(FILE *out, const struct hd_meta_save *save)
{
	fprintf(out, "  %s %04x R%u", save->restore ? "pop" : "push", save->pc, save->reg);
	if (save->count > 1)
		fprintf(out, "..R%u", save->reg + save->count - 1u);
	fprintf(out, " [R1%+d]\n", save->offset);
}

static void print_function(FILE *out, const struct hd_meta_function *facts)
{
	char *chain = chain_text(facts);
	fprintf(out,
		"%s %s:%s%s registers %u, fru %u, pushed %u, max_stack_depth %u, call_depth %u, stack %u, max_stack "
		"%u\n",
		facts->kernel	? "kernel"
		: facts->helper ? "helper"
				: "function",
		facts->name, facts->recursive ? " recursive," : "", facts->address_taken ? " address taken," : "",
		facts->registers, facts->fru, facts->pushed_registers, facts->max_stack_depth, facts->call_depth,
		facts->stack_bytes, facts->max_stack_bytes);
	if (facts->kernel)
		fprintf(out, "  watermarks: low %u, high %u, max_fru %u\n", facts->low_watermark, facts->high_watermark,
			facts->max_fru);
	fprintf(out, "  chain: %s\n", chain);
	for (uint32_t i = 0; i < facts->call_count; i++)
		print_call(out, &facts->calls[i]);
	for (uint32_t i = 0; i < facts->save_count; i++)
		print_save(out, &facts->saves[i]);
	free(chain);
}

void hd_stackdepth_print(FILE *out, const struct hd_unit *unit)
{
	const struct hd_meta_function *facts = hd_pass_result(unit, HD_PASS_STACKDEPTH);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		print_function(out, &facts[f]);
}

static const struct hd_meta_function *find(const struct hd_unit *unit, const char *name)
{
	const struct hd_meta_function *facts = hd_pass_result(unit, HD_PASS_STACKDEPTH);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		if (!strcmp(facts[f].name, name))
			return &facts[f];
	return NULL;
}

/* A pop must take back what a push put there. */
static bool pops_match(const struct hd_meta_function *facts)
{
	int64_t place[256];
	for (unsigned r = 0; r < 256; r++)
		place[r] = INT64_MIN;
	for (uint32_t i = 0; i < facts->save_count; i++)
		for (unsigned k = 0; k < facts->saves[i].count && !facts->saves[i].restore; k++)
			place[facts->saves[i].reg + k] = (int64_t)facts->saves[i].offset + 4 * k;
	for (uint32_t i = 0; i < facts->save_count; i++)
		for (unsigned k = 0; k < facts->saves[i].count; k++)
			if (place[facts->saves[i].reg + k] != (int64_t)facts->saves[i].offset + 4 * k)
				return false;
	return true;
}

static const char *what_is_wrong(const struct hd_unit *unit, const struct hd_meta_function *facts)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < facts->chain_count; i++)
		sum += find(unit, facts->high_watermark_chain[i])->fru;
	if (sum != facts->max_stack_depth)
		return "MaxStackDepth is not the sum of its chain";
	if (!facts->kernel && !facts->helper && facts->fru != facts->pushed_registers + 1)
		return "FRU is not the pushed registers and the RFP's slot";
	if (facts->kernel && (facts->low_watermark > facts->high_watermark || facts->fru > facts->registers))
		return "the watermarks are out of order";
	return pops_match(facts) ? NULL : "a pop takes back what no push put there";
}

int hd_stackdepth_verify(struct hd_unit *unit)
{
	const struct hd_meta_function *facts = hd_pass_result(unit, HD_PASS_STACKDEPTH);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = what_is_wrong(unit, &facts[f]);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "stackdepth of '%s': %s", facts[f].name, wrong);
	}
	return 0;
}

void hd_stackdepth_remark(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_meta_function *facts = remarks->facts[function];
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_STACKDEPTH, "StackDepth", function, HD_REMARK_FUNCTION))
		return;
	char *chain = chain_text(facts);
	hd_remark_subject(&remark, function, ": registers ");
	hd_remark_value(&remark, "Registers", "%u", facts->registers);
	hd_remark_text(&remark, ", FRU ");
	hd_remark_value(&remark, "FRU", "%u", facts->fru);
	hd_remark_text(&remark, ", MaxStackDepth ");
	hd_remark_value(&remark, "MaxStackDepth", "%u", facts->max_stack_depth);
	if (facts->kernel) {
		hd_remark_text(&remark, ", watermarks Low ");
		hd_remark_value(&remark, "LowWatermark", "%u", facts->low_watermark);
		hd_remark_text(&remark, " High ");
		hd_remark_value(&remark, "HighWatermark", "%u", facts->high_watermark);
	}
	hd_remark_text(&remark, ", chain ");
	hd_remark_value(&remark, "Chain", "%s", chain);
	hd_remark_end(&remark);
	free(chain);
}
