/* Registers that may hold no value of the program. See undefined.h. */
#include "lib/object/undefined.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "lib/machine/abi.h"
#include "lib/machine/regset.h"
#include "lib/vec.h"

struct undefined {
	const struct hd_object *object;
	const struct hd_function *function;
	const struct hd_abi *abi;
	uint32_t *callee;	  /* by instruction: the function of the object that it calls; UINT32_MAX: none */
	struct hd_regset *before; /* by instruction: may have no value */
	bool *reached, *queued;
	HD_VEC(uint32_t) queue;
};

static struct hd_regset all(void)
{
	struct hd_regset set = {.preds = HD_ALL_PREDS};
	hd_regset_add_run(&set, 0, HD_RZ);
	return set;
}

static struct hd_regset at_entry(const struct undefined *undefined)
{
	const struct hd_abi *abi = undefined->abi;
	struct hd_regset set = all(), defined = {0};
	hd_regset_add(&defined, abi->stack_pointer);
	if (!undefined->function->kernel)
		hd_regset_add_run(&defined, abi->first_arg, abi->arg_count);
	hd_regset_subtract(&set, &defined);
	return set;
}

/* ---- calls */

static void find_callees(struct undefined *undefined)
{
	const struct hd_function *function = undefined->function;
	memset(undefined->callee, 0xff, function->inst_count * sizeof *undefined->callee);
	for (uint32_t i = 0; i < function->reloc_count; i++) {
		const struct hd_symbol *symbol = &undefined->object->symbols[function->relocs[i].symbol];
		if (function->relocs[i].kind == HD_REL_CALL && symbol->defined)
			undefined->callee[function->relocs[i].offset] = symbol->function;
	}
}

/* Of a function that nobody knows: none. */
static uint32_t result_words(const struct hd_inst *inst, const struct hd_function *callee)
{
	if (inst->op == HD_OP_SYSCALL)
		return inst->x < HD_SYS_COUNT ? hd_service_result_words(inst->x) : 0;
	return callee ? callee->result_words : 0;
}

/* A call: what it leaves without a value, and its results, which have one. */
static void call(const struct undefined *undefined, uint32_t index, struct hd_regset *set)
{
	const struct hd_abi *abi = undefined->abi;
	const struct hd_function *callee =
		undefined->callee[index] == UINT32_MAX ? NULL : &undefined->object->functions[undefined->callee[index]];
	struct hd_regset kept = {0}, lost = all();
	if (callee && callee->helper)
		return;
	hd_regset_add(&kept, abi->stack_pointer);
	for (uint32_t reg = 0; reg < HD_RZ; reg++)
		if (hd_abi_is_saved(abi, reg))
			hd_regset_add(&kept, reg);
	hd_regset_subtract(&lost, &kept);
	hd_regset_union(set, &lost);
	struct hd_regset results = {0};
	hd_regset_add_run(&results, abi->first_result, result_words(&undefined->function->insts[index], callee));
	hd_regset_subtract(set, &results);
}

/* ---- flow */

static struct hd_regset after(const struct undefined *undefined, uint32_t index)
{
	const struct hd_inst *inst = &undefined->function->insts[index];
	struct hd_regset set = undefined->before[index], writes;
	hd_inst_writes(inst, &writes);
	if (inst->guard == HD_PT)
		hd_regset_subtract(&set, &writes);
	if (hd_opinfo[inst->op].effects & HD_FX_CALL)
		call(undefined, index, &set);
	return set;
}

static void flow_to(struct undefined *undefined, uint32_t to, const struct hd_regset *set)
{
	bool grown = hd_regset_union(&undefined->before[to], set) || !undefined->reached[to];
	undefined->reached[to] = true;
	if (!grown || undefined->queued[to])
		return;
	undefined->queued[to] = true;
	hd_vec_push(&undefined->queue, to);
}

static void flow_on(struct undefined *undefined, uint32_t index)
{
	const struct hd_function *function = undefined->function;
	struct hd_regset set = after(undefined, index);
	uint32_t few[2], *successors = few, count = hd_inst_successors(function, index, few, 2);
	if (count > 2) {
		successors = hd_xcalloc(count, sizeof *successors);
		hd_inst_successors(function, index, successors, count);
	}
	for (uint32_t i = 0; i < count; i++)
		flow_to(undefined, successors[i], &set);
	if (successors != few)
		free(successors);
}

void hd_undefined_find(const struct hd_object *object, const struct hd_function *function, struct hd_regset *of)
{
	struct undefined undefined = {.object = object,
				      .function = function,
				      .abi = object->metadata.abi,
				      .before = of};
	struct hd_regset set;
	if (!function->inst_count)
		return;
	memset(of, 0, function->inst_count * sizeof *of);
	undefined.callee = hd_xcalloc(function->inst_count, sizeof *undefined.callee);
	undefined.reached = hd_xcalloc(function->inst_count, sizeof *undefined.reached);
	undefined.queued = hd_xcalloc(function->inst_count, sizeof *undefined.queued);
	find_callees(&undefined);
	set = at_entry(&undefined);
	flow_to(&undefined, 0, &set);
	while (undefined.queue.len) {
		uint32_t index = undefined.queue.data[--undefined.queue.len];
		undefined.queued[index] = false;
		flow_on(&undefined, index);
	}
	for (uint32_t i = 0; i < function->inst_count; i++) {
		hd_inst_reads(&function->insts[i], &set);
		hd_regset_intersect(&of[i], &set);
	}
	hd_vec_release(&undefined.queue);
	free(undefined.callee);
	free(undefined.reached);
	free(undefined.queued);
}
