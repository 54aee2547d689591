/*
 * The runner of mir.def: the steps of machine IR in order, with the verifier behind each and the allocation checker
 * behind the last one of allocation when asked for, and its driver over a compilation unit. docs/architecture.md, The
 * life of an instruction.
 */
#include <assert.h>

#include "passes/regalloc/ipra.h"
#include "passes/regalloc/regalloc.h"
#include "passes/unit.h"

const struct hd_step_row hd_steps[HD_STEP_COUNT] = {
#define HD_STEP(id, name, doc, needs, leaves, run, paper) {name, HD_MFORM_##needs, HD_MFORM_##leaves, run},
#include "passes/mir.def"
};

struct pipeline {
	struct hd_mfunc *func;
	uint64_t dump; /* enum hd_step */
	bool check;
	struct hd_diag *diag;
	/* while registers are given out under `check`: the code before */
	struct hd_arena arena;
	struct hd_mfunc before;
	bool watching;
};

static void watch(struct pipeline *line)
{
	hd_arena_init(&line->arena);
	hd_allocation_snapshot(line->func, &line->arena, &line->before);
	line->watching = true;
}

static void stop_watching(struct pipeline *line)
{
	if (line->watching) {
		hd_mfunc_release(&line->before);
		hd_arena_release(&line->arena);
	}
	line->watching = false;
}

static int run_step(struct pipeline *line, enum hd_step id)
{
	const struct hd_step_row *step = &hd_steps[id];
	if (line->check && id == HD_STEP_REGALLOC)
		watch(line);
	if (step->run(line->func, line->diag))
		return -1;
	/* Allocation ends with the sharing of slots: that no two values meet in one is checked, too. */
	if (line->watching && id == HD_STEP_SHARED_SLOTS) {
		if (hd_allocation_check(&line->before, line->func, line->diag))
			return -1;
		stop_watching(line);
	}
	if (line->dump >> id & 1) {
		fprintf(stderr, "; after %s\n", step->name);
		hd_mfunc_print(stderr, line->func);
	}
	return line->check ? hd_mfunc_verify(line->func, step->leaves == HD_MFORM_SSA, line->diag) : 0;
}

static int run_pipeline(struct pipeline *line)
{
	enum hd_mform form = HD_MFORM_SSA;
	int status = 0;
	for (enum hd_step id = 0; id < HD_STEP_COUNT && !status; id++) {
		assert(hd_steps[id].needs == form);
		status = run_step(line, id);
		form = hd_steps[id].leaves;
	}
	stop_watching(line);
	return status;
}

int hd_lower_function(struct hd_mfunc *func, bool check, struct hd_diag *diag)
{
	struct pipeline line = {.func = func, .check = check, .diag = diag};
	return run_pipeline(&line);
}

static int lower_one(struct hd_unit *unit, struct hd_mfunc *func)
{
	struct pipeline line = {.func = func,
				.dump = unit->options.dump,
				.check = unit->options.check,
				.diag = unit->diag};
	if (run_pipeline(&line))
		return -1;
	if (func->spills.bytes)
		unit->object.functions[func->function_index].shared_bytes = func->spills.offset + func->spills.bytes;
	hd_ipra_note(unit, func);
	return hd_mfunc_emit(func, &unit->object, &unit->object.functions[func->function_index], &unit->arena,
			     unit->diag);
}

int hd_lower(struct hd_unit *unit)
{
	const uint32_t *order = hd_ipra_begin(unit);
	int status = 0;
	for (uint32_t i = 0; i < unit->functions.len; i++)
		if (lower_one(unit, &unit->functions.data[order[i]]))
			status = -1;
	hd_emit_inlined(&unit->object, &unit->inlined, &unit->arena);
	return status;
}
