/*
 * The lowering pipeline after selection, in order, with the verifier after each step and the
 * allocation checker after allocation when asked for, and its driver over a compilation
 * unit. Design section 3.
 */
#include <string.h>

#include "passes/regalloc/allocate.h"
#include "passes/regalloc/ipra.h"
#include "passes/unit.h"

struct pipeline {
	struct hd_mfunc *func;
	const char *dump;
	bool check;
	struct hd_diag *diag;
};

static int after(const struct pipeline *line, const char *step, bool ssa)
{
	if (hd_list_has(line->dump, step) || hd_list_has(line->dump, "all")) {
		fprintf(stderr, "; after %s\n", step);
		hd_mfunc_print(stderr, line->func);
	}
	return line->check ? hd_mfunc_verify(line->func, ssa, line->diag) : 0;
}

static int run_allocation(const struct pipeline *line)
{
	struct hd_mfunc before;
	if (!line->check)
		return hd_mfunc_allocate(line->func, line->diag);
	struct hd_arena arena;
	hd_arena_init(&arena);
	hd_allocation_snapshot(line->func, &arena, &before);
	int status = hd_mfunc_allocate(line->func, line->diag);
	if (status == 0)
		status = hd_allocation_check(&before, line->func, line->diag);
	hd_mfunc_release(&before);
	hd_arena_release(&arena);
	return status;
}

static int run_pipeline(const struct pipeline *line)
{
	struct hd_mfunc *func = line->func;
	hd_mfunc_prune(func);
	if (after(line, "isel", true) || hd_mfunc_optimize(func) || after(line, "optimize", true))
		return -1;
	if (hd_mfunc_leave_ssa(func) || after(line, "ssa", false) || hd_mfunc_schedule(func) ||
	    after(line, "schedule", false))
		return -1;
	hd_mfunc_park(func);
	if (after(line, "park", false) || run_allocation(line) || after(line, "regalloc", false) ||
	    hd_mfunc_finish_frame(func) || after(line, "frame", false))
		return -1;
	hd_mfunc_drop_known(func);
	hd_mfunc_pair_zeros(func);
	if (after(line, "known", false) || hd_mfunc_convert_ifs(func) || after(line, "ifs", false))
		return -1;
	return hd_mfunc_layout(func) || after(line, "layout", false) ? -1 : 0;
}

int hd_lower_function(struct hd_mfunc *func, bool check, struct hd_diag *diag)
{
	struct pipeline line = {func, NULL, check, diag};
	return run_pipeline(&line);
}

static int lower_one(struct hd_unit *unit, struct hd_mfunc *func)
{
	struct pipeline line = {func, unit->options.dump, unit->options.check, unit->diag};
	if (run_pipeline(&line))
		return -1;
	if (unit->options.ipra)
		hd_ipra_note(unit, func);
	return hd_mfunc_emit(func, &unit->object, &unit->object.functions[func->function_index], &unit->arena,
			     unit->diag);
}

int hd_lower(struct hd_unit *unit)
{
	const uint32_t *order = unit->options.ipra ? hd_ipra_begin(unit) : NULL;
	int status = 0;
	for (uint32_t i = 0; i < unit->functions.len; i++)
		if (lower_one(unit, &unit->functions.data[order ? order[i] : i]))
			status = -1;
	return status;
}
