/*
 * Interprocedural register allocation inside a module (`ipra`, heddle-cc -heddle-ipra): functions are lowered callees
 * first, and a call changes only what the function called, and all that it calls, was seen to write. Values then live
 * across calls in scratch registers that stay as they are, so that nothing is saved for them. The convention is kept:
 * arguments, results, and that callees give back R16 up, so that code of other modules and CARS's renaming fit.
 *
 * Helpers (heddle/object.h) come first in any case, and what calls of them change is always known.
 *
 * Recursive functions, functions called through pointers, and those that another module may replace are called by the
 * convention alone. Needs the finished code of the callees. Linear. As ptxas has it inside a module.
 */
#include "passes/regalloc/ipra.h"

#include "passes/unit.h"

static struct hd_clobbers by_convention(const struct hd_abi *abi)
{
	struct hd_clobbers set = {.preds = (1u << HD_PT) - 1};
	for (uint32_t reg = 0; reg < HD_RZ; reg++)
		if (reg != abi->stack_pointer && !hd_abi_is_saved(abi, reg))
			set.regs[reg / 64] |= UINT64_C(1) << (reg % 64);
	return set;
}

struct hd_clobbers hd_clobbers_of_call(const struct hd_mfunc *func, const struct hd_minst *call)
{
	const struct hd_clobbers *callee =
		func->callees && call->ref_kind == HD_MREF_CALL ? func->callees[call->ref] : NULL;
	if (callee && callee->known)
		return *callee;
	return by_convention(func->abi);
}

/* ---- order ---- */

struct walk {
	const struct hd_unit *unit;
	uint32_t *index_of; /* by function of the object: index in unit->functions */
	bool *seen;
	uint32_t *order, count;
	HD_VEC(uint32_t) stack; /* functions whose callees are being looked at */
};

static void push_callees(struct walk *walk, const struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			const struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			if (inst->ref_kind != HD_MREF_CALL)
				continue;
			const struct hd_symbol *symbol = &walk->unit->object.symbols[inst->ref];
			uint32_t callee = symbol->defined ? walk->index_of[symbol->function] : UINT32_MAX;
			if (callee != UINT32_MAX && !walk->seen[callee])
				hd_vec_push(&walk->stack, callee);
		}
}

/* Depth first. A function is met again on the stack when its callees are done. */
static void visit(struct walk *walk, uint32_t root, bool *done)
{
	hd_vec_push(&walk->stack, root);
	while (walk->stack.len) {
		uint32_t index = hd_vec_last(&walk->stack);
		if (!walk->seen[index]) {
			walk->seen[index] = true;
			push_callees(walk, &walk->unit->functions.data[index]);
			continue;
		}
		walk->stack.len--;
		if (!done[index])
			walk->order[walk->count++] = index;
		done[index] = true;
	}
}

static uint32_t *order_of(struct hd_unit *unit)
{
	uint32_t count = unit->functions.len;
	struct walk walk = {.unit = unit};
	bool *done = HD_ARENA_NEW(&unit->arena, bool, count + 1);
	walk.index_of = HD_ARENA_NEW(&unit->arena, uint32_t, unit->object.function_count + 1);
	walk.seen = HD_ARENA_NEW(&unit->arena, bool, count + 1);
	walk.order = HD_ARENA_NEW(&unit->arena, uint32_t, count + 1);
	for (uint32_t i = 0; i < unit->object.function_count; i++)
		walk.index_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++)
		walk.index_of[unit->functions.data[i].function_index] = i;
	for (uint32_t i = 0; i < count; i++)
		if (unit->functions.data[i].helper)
			visit(&walk, i, done);
	for (uint32_t i = 0; i < count; i++)
		if (unit->options.ipra)
			visit(&walk, i, done);
		else if (!done[i])
			walk.order[walk.count++] = i;
	hd_vec_release(&walk.stack);
	return walk.order;
}

uint32_t *hd_ipra_begin(struct hd_unit *unit)
{
	const struct hd_object *object = &unit->object;
	struct hd_clobbers *sets = HD_ARENA_NEW(&unit->arena, struct hd_clobbers, object->function_count + 1);
	struct hd_clobbers **by_symbol = HD_ARENA_NEW(&unit->arena, struct hd_clobbers *, object->symbol_count + 1);
	for (uint32_t i = 0; i < object->symbol_count; i++)
		if (object->symbols[i].kind == HD_SYM_FUNCTION && object->symbols[i].defined)
			by_symbol[i] = &sets[object->symbols[i].function];
	for (uint32_t i = 0; i < unit->functions.len; i++) {
		struct hd_mfunc *func = &unit->functions.data[i];
		func->callees = by_symbol;
		func->clobbers = unit->options.ipra || func->helper ? &sets[func->function_index] : NULL;
	}
	return order_of(unit);
}

/* ---- what a function writes ---- */

static void note_write(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_clobbers *set = context;
	for (uint32_t i = 0; is_def && i < reg->words; i++) {
		uint32_t id = reg->id + reg->sub + i;
		if (id >= HD_MREG_PRED && id < HD_MREG_PT)
			set->preds |= (uint8_t)(1u << (id - HD_MREG_PRED));
		else if (id < HD_RZ)
			set->regs[id / 64] |= UINT64_C(1) << (id % 64);
	}
}

static struct hd_clobbers written_by(struct hd_mfunc *func)
{
	struct hd_clobbers set = {0}, limit = by_convention(func->abi);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			unsigned effects = hd_minst_effects(inst);
			hd_minst_visit(func, inst, note_write, &set);
			if (effects & HD_FX_WRITE_PREDS)
				set.preds = limit.preds;
			if (!(effects & HD_FX_CALL))
				continue;
			struct hd_clobbers callee = hd_clobbers_of_call(func, inst);
			set.preds |= callee.preds;
			for (unsigned w = 0; w < 4; w++)
				set.regs[w] |= callee.regs[w];
		}
	for (unsigned w = 0; w < 4; w++)
		set.regs[w] &= limit.regs[w]; /* the others are given back */
	return set;
}

static bool is_replaceable(const struct hd_unit *unit, const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
	switch (function ? LLVMGetLinkage(function) : LLVMExternalWeakLinkage) {
	case LLVMExternalLinkage:
	case LLVMInternalLinkage:
	case LLVMPrivateLinkage: return false;
	default: return unit->options.relocatable;
	}
}

void hd_ipra_note(struct hd_unit *unit, struct hd_mfunc *func)
{
	if (!func->clobbers || func->kernel || is_replaceable(unit, func->name))
		return;
	*func->clobbers = written_by(func);
	func->clobbers->known = true;
}
