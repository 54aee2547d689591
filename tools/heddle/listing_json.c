/*
 * A function as `heddle dis --json` prints it: for every instruction all that another
 * program needs to recompute an analysis. Keys are stable; a pc is a byte offset in the
 * function. Calls read and write the ABI's registers besides those listed.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle/control.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/metadata/json.h"
#include "tools/heddle/listing.h"

static json_t *pc_json(uint32_t index)
{
	return json_integer((json_int_t)index * HD_INST_BYTES);
}

static json_t *modifiers_json(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	json_t *object = json_object();
	for (unsigned i = 0; i < 6 && info->mod_order[i] != HD_MOD_COUNT; i++) {
		enum hd_mod_kind kind = (enum hd_mod_kind)info->mod_order[i];
		uint32_t value = hd_mod_get(inst->mods, kind);
		char name[HD_MOD_NAME_BYTES];
		if (hd_mod_is_number(kind))
			json_object_set_new(object, hd_mod_kind_name(kind), json_integer(value));
		else if (hd_mod_name(kind, value, name) == 0 && name[0])
			json_object_set_new(object, hd_mod_kind_name(kind), json_string(name));
	}
	return object;
}

static json_t *guard_json(uint8_t guard)
{
	char text[8];
	if (guard == HD_PT)
		return json_null();
	const char *inverted = guard & HD_PRED_NOT ? "!" : "";
	if ((guard & HD_PT) == HD_PT)
		snprintf(text, sizeof(text), "%sPT", inverted);
	else
		snprintf(text, sizeof(text), "%sP%u", inverted, guard & HD_PT);
	return json_string(text);
}

static json_t *registers_json(const uint64_t regs[4])
{
	json_t *array = json_array();
	for (unsigned reg = 0; reg < HD_MAX_REGS; reg++)
		if (regs[reg / 64] >> (reg % 64) & 1)
			json_array_append_new(array, json_integer(reg));
	return array;
}

static json_t *regset_json(const struct hd_regset *set)
{
	json_t *object = json_object(), *predicates = json_array();
	for (unsigned predicate = 0; predicate < HD_MAX_PREDS; predicate++)
		if (set->preds >> predicate & 1)
			json_array_append_new(predicates, json_integer(predicate));
	json_object_set_new(object, "registers", registers_json(set->regs));
	json_object_set_new(object, "predicates", predicates);
	return object;
}

/* Registers whose last read on every path this is, as the object's dead bits say. */
static json_t *last_reads_json(const struct hd_inst *inst)
{
	const uint8_t regs[] = {inst->a, inst->b, inst->c};
	uint64_t set[4] = {0};
	for (unsigned slot = 0; slot < 3; slot++) {
		unsigned width = hd_op_width(inst->op, inst->mods, (enum hd_slot)(HD_SLOT_A + slot));
		if (!(inst->dead >> slot & 1) || regs[slot] == HD_RZ)
			continue;
		for (unsigned reg = regs[slot]; reg < regs[slot] + width; reg++)
			set[reg / 64] |= UINT64_C(1) << (reg % 64);
	}
	return registers_json(set);
}

static int by_number(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

/* In order of pc, each once. */
static json_t *successors_json(const struct hd_function *function, uint32_t index)
{
	json_t *array = json_array();
	uint32_t count = hd_inst_successors(function, index, NULL, 0);
	uint32_t *successors = hd_xcalloc(count, sizeof(*successors));
	hd_inst_successors(function, index, successors, count);
	qsort(successors, count, sizeof(*successors), by_number);
	for (uint32_t i = 0; i < count; i++)
		if (!i || successors[i] != successors[i - 1])
			json_array_append_new(array, pc_json(successors[i]));
	free(successors);
	return array;
}

/* Where a BRX goes by the value of its operand. */
static json_t *table_json(const struct hd_function *function, const struct hd_inst *inst)
{
	if (inst->op != HD_OP_BRX)
		return json_null();
	json_t *array = json_array();
	const struct hd_jump_table *table = &function->tables[inst->x];
	for (uint32_t i = 0; i < table->count; i++)
		json_array_append_new(array, pc_json(table->targets[i]));
	return array;
}

static json_t *reconvergence_json(const struct hd_inst *inst)
{
	bool branch = hd_opinfo[inst->op].effects & HD_FX_BRANCH;
	return branch && inst->reconv != HD_NO_PC ? pc_json(inst->reconv) : json_null();
}

/* The possible callees of a call, as the analysis bounded them. */
static json_t *callees_json(const struct hd_listing *listing, uint32_t index)
{
	const struct hd_meta_call *call = listing->call[index];
	bool direct = listing->function->insts[index].op == HD_OP_CALL;
	const char *symbol = direct ? hd_listing_symbol(listing, index) : NULL;
	json_t *array = json_array();
	for (uint32_t i = 0; call && i < call->callee_count; i++)
		json_array_append_new(array, hd_json_text(call->callees[i]));
	if (!call && symbol)
		json_array_append_new(array, hd_json_text(symbol));
	return array;
}

static json_t *relocation_json(const struct hd_listing *listing, uint32_t index)
{
	static const char *const kinds[] = {"call", "lo", "hi", "abs64"};
	const struct hd_reloc *reloc = listing->reloc[index];
	if (!reloc)
		return json_null();
	json_t *object = json_object();
	json_object_set_new(object, "kind", json_string(kinds[reloc->kind]));
	json_object_set_new(object, "symbol", hd_json_text(hd_listing_symbol(listing, index)));
	json_object_set_new(object, "addend", json_integer(reloc->addend));
	return object;
}

static json_t *source_json(const struct hd_listing *listing, const struct hd_origin *origin)
{
	bool known = origin->file < listing->object->file_count;
	json_t *object = json_object();
	json_object_set_new(object, "file", known ? hd_json_text(listing->object->files[origin->file]) : json_null());
	json_object_set_new(object, "line", json_integer(origin->line));
	json_object_set_new(object, "column", json_integer(origin->column));
	return object;
}

static json_t *counter_json(uint8_t counter)
{
	return counter < HD_COUNTERS ? json_integer(counter) : json_null();
}

/* Null where the object has none. */
static json_t *control_json(const struct hd_function *function, uint32_t index)
{
	if (!function->control)
		return json_null();
	const struct hd_control *control = &function->control[index];
	char text[HD_CONTROL_TEXT];
	json_t *object = json_object(), *wait = json_array();
	hd_control_format(control, text);
	for (uint32_t i = 0; i < HD_COUNTERS; i++)
		if (control->wait >> i & 1)
			json_array_append_new(wait, counter_json(i));
	json_object_set_new(object, "text", json_string(text));
	json_object_set_new(object, "wait", wait);
	json_object_set_new(object, "read", counter_json(control->read));
	json_object_set_new(object, "write", counter_json(control->write));
	json_object_set_new(object, "yield", json_boolean(control->yield));
	json_object_set_new(object, "stall", json_integer(control->stall));
	return object;
}

static json_t *inst_json(const struct hd_listing *listing, uint32_t index)
{
	const struct hd_inst *inst = &listing->function->insts[index];
	const struct hd_origin *origin = &listing->function->origins[index];
	const char *symbol = inst->op == HD_OP_CALL ? hd_listing_symbol(listing, index) : NULL;
	bool service = inst->op == HD_OP_SYSCALL;
	struct hd_regset reads, writes;
	char text[HD_LISTING_TEXT];
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	hd_listing_format(listing, index, text);
	json_t *object = json_object();
	json_object_set_new(object, "pc", pc_json(index));
	json_object_set_new(object, "block", json_integer(listing->block[index]));
	json_object_set_new(object, "opcode", json_string(hd_opinfo[inst->op].name));
	json_object_set_new(object, "modifiers", modifiers_json(inst));
	json_object_set_new(object, "text", hd_json_text(text));
	json_object_set_new(object, "control", control_json(listing->function, index));
	json_object_set_new(object, "role", json_string(hd_role_name((enum hd_role)inst->role)));
	json_object_set_new(object, "guard", guard_json(inst->guard));
	json_object_set_new(object, "operands", listing_operands(inst));
	json_object_set_new(object, "predicates", listing_predicates(inst));
	json_object_set_new(object, "number", listing_number(inst));
	json_object_set_new(object, "reads", regset_json(&reads));
	json_object_set_new(object, "writes", regset_json(&writes));
	json_object_set_new(object, "last_reads", last_reads_json(inst));
	json_object_set_new(object, "successors", successors_json(listing->function, index));
	json_object_set_new(object, "jump_table", table_json(listing->function, inst));
	json_object_set_new(object, "reconvergence_pc", reconvergence_json(inst));
	json_object_set_new(object, "callee", symbol ? hd_json_text(symbol) : json_null());
	json_object_set_new(object, "callees", callees_json(listing, index));
	json_object_set_new(object, "service",
			    service ? json_string(hd_syscall_name((enum hd_syscall)inst->x)) : json_null());
	json_object_set_new(object, "relocation", relocation_json(listing, index));
	json_object_set_new(object, "source", source_json(listing, origin));
	json_object_set_new(object, "ir", origin->ir == UINT32_MAX ? json_null() : json_integer(origin->ir));
	return object;
}

static json_t *instructions_json(const struct hd_listing *listing)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < listing->function->inst_count; i++)
		json_array_append_new(array, inst_json(listing, i));
	return array;
}

/* %lr n is the thread-index register (null: none) plus the block-index register n. */
static json_t *register_table_json(const struct hd_linear *linear)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < linear->linears; i++)
		json_array_append_new(array, linear->thread_of[i] == HD_LR_NO_THREAD
						     ? json_null()
						     : json_integer(linear->thread_of[i]));
	return array;
}

static json_t *streams_json(const struct hd_listing *version)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < version->function->inst_count; i++) {
		const char *name = hd_listing_stream(version, i);
		if (!name)
			continue;
		json_t *stream = json_object();
		json_object_set_new(stream, "name", json_string(name));
		json_object_set_new(stream, "start_pc", pc_json(i));
		json_array_append_new(array, stream);
	}
	return array;
}

static json_t *linear_json(const struct hd_listing *version)
{
	const struct hd_linear *linear = version->linear;
	json_t *object = json_object();
	json_object_set_new(object, "registers", json_integer(linear->body.registers));
	json_object_set_new(object, "frame_bytes", json_integer(linear->body.frame_bytes));
	json_object_set_new(object, "coefficient_registers", json_integer(linear->coefficients));
	json_object_set_new(object, "thread_registers", json_integer(linear->threads));
	json_object_set_new(object, "register_table", register_table_json(linear));
	json_object_set_new(object, "launch_conditions", json_integer(linear->check_count));
	json_object_set_new(object, "streams", streams_json(version));
	json_object_set_new(object, "instructions", instructions_json(version));
	return object;
}

json_t *listing_json(const struct hd_listing *listing, const struct hd_listing *version)
{
	const struct hd_function *function = listing->function;
	json_t *object = json_object();
	json_object_set_new(object, "name", hd_json_text(function->name));
	json_object_set_new(object, "demangled",
			    hd_json_text(listing->meta ? listing->meta->demangled : function->name));
	json_object_set_new(object, "kernel", json_boolean(function->kernel));
	json_object_set_new(object, "registers", json_integer(function->registers));
	json_object_set_new(object, "frame_bytes", json_integer(function->frame_bytes));
	json_object_set_new(object, "shared_bytes", json_integer(function->shared_bytes));
	json_object_set_new(object, "instructions", instructions_json(listing));
	if (version)
		json_object_set_new(object, "linear", linear_json(version));
	return object;
}
