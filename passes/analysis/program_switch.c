/*
 * The row SWITCH: switch points of every function of a unit, and what the metadata, the printer and the remarks say of
 * them. Loads are under way through calls and returns: what a function finds when it is called, and what it leaves, is
 * solved for all of them together. A kernel's context has the size of the largest at any point of it or of what it may
 * call. Each round of the solution is linear in the code, and there are about as many as call chains are deep.
 *
 * Paper: gpu-multiprogramming-lin, 3.6.6.
 */
#include <string.h>

#include "heddle/figures.h"
#include "passes/analysis/switch.h"
#include "passes/pass.h"
#include "passes/remark.h"

enum { ROW_BYTES = 128 };

struct program {
	struct hd_unit *unit;
	const struct hd_liveness *liveness;
	const struct hd_callgraph *calls;
	struct hd_loading *loading;
	struct hd_regset loaded;
	uint32_t registers;
};

/* ---- the row */

static bool has_unknown_calls(const struct hd_callgraph *calls)
{
	for (uint32_t s = 0; s < calls->site_count; s++)
		if (calls->sites[s].unknown)
			return true;
	return false;
}

static bool is_exported(const struct hd_object *object, uint32_t index)
{
	for (uint32_t s = 0; s < object->symbol_count; s++)
		if (object->symbols[s].kind == HD_SYM_FUNCTION && object->symbols[s].defined &&
		    object->symbols[s].global && object->symbols[s].function == index)
			return true;
	return false;
}

/* What code that is not here may have under way when it calls; and the destinations of all loads. */
static void begin(struct program *program)
{
	const struct hd_object *object = &program->unit->object;
	bool relocatable = program->unit->options.relocatable, unknown = has_unknown_calls(program->calls);
	program->registers = relocatable ? HD_MAX_REGS : 0;
	for (uint32_t f = 0; f < object->function_count; f++) {
		struct hd_regset loaded = hd_switch_loaded(&object->functions[f]);
		hd_regset_union(&program->loaded, &loaded);
		if (object->functions[f].registers > program->registers)
			program->registers = object->functions[f].registers;
	}
	if (relocatable || unknown)
		hd_regset_add_run(&program->loaded, 0, program->registers);
	for (uint32_t f = 0; f < object->function_count; f++) {
		bool open = (relocatable && is_exported(object, f)) || (unknown && program->calls->address_taken[f]);
		if (open && !object->functions[f].kernel)
			hd_regset_add_run(&program->loading[f].entry, 0, program->registers);
	}
}

static struct hd_switch_facts facts_of(const struct program *program, uint32_t index)
{
	uint32_t first = program->calls->site_start[index];
	return (struct hd_switch_facts){
		.sites = program->calls->sites + first,
		.site_count = program->calls->site_start[index + 1] - first,
		.loading = program->loading,
		.entry = program->loading[index].entry,
		.loaded = program->loaded,
		.registers = program->registers,
	};
}

/* One function more; whether what it leaves, or what its callees find, has grown. */
static bool solve_function(const struct program *program, uint32_t index, struct hd_regset *before,
			   struct hd_regset *entries)
{
	uint32_t count = program->unit->object.function_count;
	bool changed = false;
	struct hd_switch_facts facts = facts_of(program, index);
	struct hd_regset exit = hd_switch_flow(program->liveness[index].flow, &facts, before, entries);
	changed = hd_regset_union(&program->loading[index].exit, &exit);
	for (uint32_t f = 0; f < count; f++)
		changed |= hd_regset_union(&program->loading[f].entry, &entries[f]);
	return changed;
}

static void solve_program(const struct program *program, struct hd_arena *scratch)
{
	uint32_t count = program->unit->object.function_count;
	struct hd_regset **before = HD_ARENA_NEW(scratch, struct hd_regset *, count);
	struct hd_regset *entries = HD_ARENA_NEW(scratch, struct hd_regset, count);
	for (uint32_t f = 0; f < count; f++)
		before[f] = HD_ARENA_NEW(scratch, struct hd_regset, program->liveness[f].flow->block_count + 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t f = 0; f < count; f++)
			if (program->liveness[f].flow->block_count)
				changed |= solve_function(program, f, before[f], entries);
	}
}

/* Callees included; where one is not known, all registers. */
static void raise_to_callees(const struct program *program, struct hd_switch_points *results)
{
	const struct hd_callgraph *calls = program->calls;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t s = 0; s < calls->site_count; s++) {
			const struct hd_call_site *site = &calls->sites[s];
			bool unknown = !site->helper && (site->unknown || site->external);
			uint32_t most = unknown ? program->registers * ROW_BYTES : 0;
			for (uint32_t c = 0; c < site->callee_count; c++)
				if (results[site->callees[c]].bytes > most)
					most = results[site->callees[c]].bytes;
			changed |= most > results[site->function].bytes;
			if (most > results[site->function].bytes)
				results[site->function].bytes = most;
		}
	}
}

int hd_switch_run(struct hd_unit *unit)
{
	uint32_t count = unit->object.function_count;
	struct program program = {.unit = unit,
				  .liveness = hd_pass_result(unit, HD_PASS_LIVENESS),
				  .calls = hd_pass_result(unit, HD_PASS_CALLGRAPH)};
	struct hd_switch_points *results = HD_ARENA_NEW(&unit->arena, struct hd_switch_points, count);
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	program.loading = HD_ARENA_NEW(&scratch, struct hd_loading, count);
	begin(&program);
	solve_program(&program, &scratch);
	for (uint32_t f = 0; f < count; f++) {
		struct hd_switch_facts facts = facts_of(&program, f);
		hd_switch_compute(&results[f], &program.liveness[f], &facts, &unit->arena);
	}
	raise_to_callees(&program, results);
	hd_arena_release(&scratch);
	unit->results[HD_PASS_SWITCH] = results;
	return 0;
}

/* ---- metadata */

void hd_switch_describe(struct hd_unit *unit, uint32_t index, struct hd_meta_function *facts)
{
	const struct hd_switch_points *results = hd_pass_result(unit, HD_PASS_SWITCH), *switching = &results[index];
	facts->switch_context_bytes = switching->bytes;
	facts->switch_count = switching->point_count;
	facts->switches = HD_ARENA_NEW(&unit->arena, struct hd_meta_switch, switching->point_count);
	for (uint32_t i = 0; i < switching->point_count; i++) {
		const struct hd_switch_point *point = &switching->points[i];
		facts->switches[i] = (struct hd_meta_switch){
			.pc = point->inst * HD_INST_BYTES,
			.kind = point->kind,
			.live = hd_flow_registers(&point->live),
			.live_divergent = hd_flow_registers(&point->live_divergent),
			.loading = hd_flow_registers(&point->loading),
			.patterns = point->patterns,
			.pattern_count = point->pattern_count,
			.bytes = point->bytes,
		};
	}
}

/* ---- printing */

static void print_pattern(FILE *out, const struct hd_meta_pattern *pattern)
{
	fprintf(out, " R%u %s", pattern->reg, pattern->strided ? "strided" : "uniform");
	if (pattern->strided && pattern->stride_known)
		fprintf(out, " by %d", pattern->stride);
}

static void print_point(FILE *out, const struct hd_switch_point *point)
{
	fprintf(out, "  %04x %s bytes %u live ", point->inst * HD_INST_BYTES,
		point->kind == HD_SWITCH_BARRIER ? "barrier" : "load", point->bytes);
	hd_regset_print(out, &point->live);
	fputs("\n    divergent live ", out);
	hd_regset_print(out, &point->live_divergent);
	fputs("\n    loading ", out);
	hd_regset_print(out, &point->loading);
	fputs("\n    patterns", out);
	for (uint32_t i = 0; i < point->pattern_count; i++) {
		fputs(i ? "," : "", out);
		print_pattern(out, &point->patterns[i]);
	}
	fputs(point->pattern_count ? "\n" : " none\n", out);
}

void hd_switch_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_switch_points *results = hd_pass_result(unit, HD_PASS_SWITCH);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const struct hd_function *function = &unit->object.functions[f];
		fprintf(out, "%s %s: switch points %u, context %u bytes\n", function->kernel ? "kernel" : "function",
			function->name, results[f].point_count, results[f].bytes);
		for (uint32_t i = 0; i < results[f].point_count; i++)
			print_point(out, &results[f].points[i]);
	}
}

/* ---- verifying */

static const char *wrong_with_point(const struct hd_switch_points *switching, uint32_t index)
{
	const struct hd_switch_point *point = &switching->points[index];
	if (index && point->inst <= switching->points[index - 1].inst)
		return "they are not in order";
	if (!hd_regset_within(&point->live, &point->live_divergent))
		return "the divergent live set lacks a live register";
	if (point->kind == HD_SWITCH_LOAD && !hd_regset_count(&point->loading))
		return "nothing is loading at a first use";
	if (point->bytes > switching->bytes)
		return "one does not fit the context";
	for (uint32_t i = 0; i < point->pattern_count; i++)
		if (hd_regset_has(&point->loading, point->patterns[i].reg))
			return "a register that is loading has a pattern";
	return NULL;
}

int hd_switch_verify_unit(struct hd_unit *unit)
{
	const struct hd_switch_points *results = hd_pass_result(unit, HD_PASS_SWITCH);
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = NULL;
		for (uint32_t i = 0; i < results[f].point_count && !wrong; i++)
			wrong = wrong_with_point(&results[f], i);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "switch points of '%s': %s",
					unit->object.functions[f].name, wrong);
	}
	return 0;
}

/* ---- remarks */

void hd_switch_remarks(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_switch_points *results = hd_pass_result(remarks->unit, HD_PASS_SWITCH);
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_SWITCH, "Switch", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": switch points ");
	hd_remark_value(&remark, "Points", "%u", results[function].point_count);
	hd_remark_text(&remark, ", context ");
	hd_remark_value(&remark, "Bytes", "%u", results[function].bytes);
	hd_remark_text(&remark, " bytes");
	hd_remark_end(&remark);
}
