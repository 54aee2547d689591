/*
 * The row INTERVALS: register-intervals of every function of a unit, their listings, what the metadata says of them and
 * a remark for each kernel; and what it shares with the row STRANDS (strands.c). Linear in the code.
 *
 * Code growth (ltrf-asplos18, 4.3): each subgraph with registers has one PREFETCH, a vector of 256
 * bits where every instruction has a bit that announces it, or an instruction and the vector.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "passes/analysis/intervals.h"
#include "passes/pass.h"
#include "passes/remark.h"

/* ---- computing */

static struct hd_loc loc_of(const struct hd_object *object, const struct hd_origin *origin)
{
	if (origin->file >= object->file_count || !origin->line)
		return HD_NOWHERE;
	return (struct hd_loc){object->files[origin->file], origin->line, origin->column};
}

static void too_wide(struct hd_unit *unit, uint32_t index, uint32_t inst)
{
	const struct hd_function *function = &unit->object.functions[index];
	struct hd_regset set = hd_subgraph_registers(&function->insts[inst]);
	char text[256];
	hd_inst_format(&function->insts[inst], text, sizeof(text));
	(void)hd_error(unit->diag, loc_of(&unit->object, &function->origins[inst]),
		       "'%s': the instruction at pc 0x%x, %s, needs %u registers, but the limit of a "
		       "register-interval is %u (interval-regs=)",
		       function->name, inst * HD_INST_BYTES, text, hd_regset_count(&set), unit->options.interval_regs);
}

struct hd_subgraphs *hd_subgraphs_of_unit(struct hd_unit *unit, enum hd_subgraph_kind kind)
{
	const struct hd_liveness *liveness = hd_pass_result(unit, HD_PASS_LIVENESS);
	uint32_t count = unit->object.function_count, limit = unit->options.interval_regs;
	struct hd_subgraphs *results = HD_ARENA_NEW(&unit->arena, struct hd_subgraphs, count);
	for (uint32_t f = 0; f < count; f++) {
		uint32_t inst = hd_subgraphs_compute(&results[f], kind, limit, &liveness[f], &unit->arena);
		if (inst != HD_NO_NODE) {
			too_wide(unit, f, inst);
			return NULL;
		}
	}
	return results;
}

int hd_intervals_run(struct hd_unit *unit)
{
	struct hd_subgraphs *results = hd_subgraphs_of_unit(unit, HD_REGISTER_INTERVALS);
	unit->results[HD_PASS_INTERVALS] = results;
	return results ? 0 : -1;
}

/* ---- as metadata */

struct hd_meta_interval *hd_subgraphs_records(const struct hd_subgraphs *subgraphs, struct hd_arena *arena)
{
	struct hd_meta_interval *records = HD_ARENA_NEW(arena, struct hd_meta_interval, subgraphs->count);
	for (uint32_t id = 0; id < subgraphs->count; id++) {
		const struct hd_subgraph *subgraph = &subgraphs->list[id];
		records[id].id = id;
		records[id].entry_pc = subgraph->entry * HD_INST_BYTES;
		records[id].pcs = HD_ARENA_NEW(arena, uint32_t, subgraph->inst_count);
		memcpy(records[id].working_set, subgraph->set.regs, sizeof(records[id].working_set));
		memcpy(records[id].live_in, subgraph->live_in.regs, sizeof(records[id].live_in));
	}
	for (uint32_t i = 0; i < subgraphs->flow->function->inst_count; i++) {
		struct hd_meta_interval *record = &records[subgraphs->of[i]];
		record->pcs[record->pc_count++] = i * HD_INST_BYTES;
	}
	return records;
}

void hd_intervals_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts)
{
	const struct hd_subgraphs *intervals = hd_pass_result(unit, HD_PASS_INTERVALS), *mine = &intervals[function];
	uint32_t prefetches = hd_subgraphs_prefetches(mine);
	facts->intervals = hd_subgraphs_records(mine, &unit->arena);
	facts->interval_count = mine->count;
	facts->interval_registers = mine->limit;
	facts->first_intervals = mine->first_count;
	facts->prefetches = prefetches;
	facts->code_bytes = mine->flow->function->inst_count * HD_INST_BYTES;
	facts->vector_bytes = prefetches * HD_PREFETCH_VECTOR_BYTES;
	facts->explicit_bytes = prefetches * HD_PREFETCH_EXPLICIT_BYTES;
}

/* ---- printing */

static void print_registers(FILE *out, const uint64_t vector[4])
{
	struct hd_regset set = {0};
	memcpy(set.regs, vector, sizeof(set.regs));
	hd_regset_print(out, &set);
}

/* Runs of consecutive instructions, both ends included. */
static void print_pcs(FILE *out, const struct hd_meta_interval *record)
{
	for (uint32_t i = 0, end; i < record->pc_count; i = end) {
		for (end = i + 1; end < record->pc_count; end++)
			if (record->pcs[end] != record->pcs[end - 1] + HD_INST_BYTES)
				break;
		fprintf(out, " %04x-%04x", record->pcs[i], record->pcs[end - 1]);
	}
}

static double percent(uint32_t part, uint32_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void print_records(FILE *out, const struct hd_subgraphs *subgraphs, const char *what)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	const struct hd_meta_interval *records = hd_subgraphs_records(subgraphs, &arena);
	for (uint32_t id = 0; id < subgraphs->count; id++) {
		const struct hd_subgraph *subgraph = &subgraphs->list[id];
		fprintf(out, "  %s %u%s: entry %04x, pcs", what, id, subgraph->call ? " (call)" : "",
			records[id].entry_pc);
		print_pcs(out, &records[id]);
		fprintf(out, ", registers %u: ", hd_regset_count(&subgraph->set));
		print_registers(out, records[id].working_set);
		fputs(", live in ", out);
		print_registers(out, records[id].live_in);
		fputc('\n', out);
	}
	hd_arena_release(&arena);
}

void hd_subgraphs_print(FILE *out, const struct hd_subgraphs *subgraphs, const char *what)
{
	const struct hd_function *function = subgraphs->flow->function;
	uint32_t prefetches = hd_subgraphs_prefetches(subgraphs), bytes = function->inst_count * HD_INST_BYTES;
	fprintf(out, "%s %s: up to %u registers, %ss %u", function->kernel ? "kernel" : "function", function->name,
		subgraphs->limit, what, subgraphs->count);
	if (subgraphs->kind == HD_REGISTER_INTERVALS)
		fprintf(out, ", after pass 1 %u, rounds of pass 2 %u", subgraphs->first_count, subgraphs->rounds);
	fprintf(out, "\n  PREFETCHes %u, code %u bytes, growth by vectors %.1f %%, by instructions %.1f %%\n",
		prefetches, bytes, percent(prefetches * HD_PREFETCH_VECTOR_BYTES, bytes),
		percent(prefetches * HD_PREFETCH_EXPLICIT_BYTES, bytes));
	print_records(out, subgraphs, what);
}

void hd_intervals_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_subgraphs *results = hd_pass_result(unit, HD_PASS_INTERVALS);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		hd_subgraphs_print(out, &results[f], "interval");
}

/* ---- verifying */

int hd_subgraphs_verify(struct hd_unit *unit, const struct hd_subgraphs *results, const char *row)
{
	for (uint32_t f = 0; f < unit->object.function_count; f++) {
		const char *wrong = hd_subgraphs_wrong(&results[f]);
		if (wrong)
			return hd_error(unit->diag, HD_NOWHERE, "%s of '%s': %s", row, unit->object.functions[f].name,
					wrong);
	}
	return 0;
}

int hd_intervals_verify_unit(struct hd_unit *unit)
{
	return hd_subgraphs_verify(unit, hd_pass_result(unit, HD_PASS_INTERVALS), "intervals");
}

/* ---- remarks */

void hd_intervals_remark(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_subgraphs *intervals =
		&((const struct hd_subgraphs *)hd_pass_result(remarks->unit, HD_PASS_INTERVALS))[function];
	const struct hd_subgraphs *strands =
		&((const struct hd_subgraphs *)hd_pass_result(remarks->unit, HD_PASS_STRANDS))[function];
	uint32_t prefetches = hd_subgraphs_prefetches(intervals);
	uint32_t bytes = intervals->flow->function->inst_count * HD_INST_BYTES;
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_INTERVALS, "Intervals", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": register-intervals ");
	hd_remark_value(&remark, "Intervals", "%u", intervals->count);
	hd_remark_text(&remark, " of up to ");
	hd_remark_value(&remark, "IntervalRegisters", "%u", intervals->limit);
	hd_remark_text(&remark, " registers, PREFETCHes ");
	hd_remark_value(&remark, "Prefetches", "%u", prefetches);
	hd_remark_text(&remark, ", code growth ");
	hd_remark_value(&remark, "GrowthVectors", "%.1f", percent(prefetches * HD_PREFETCH_VECTOR_BYTES, bytes));
	hd_remark_text(&remark, " %% by vectors, ");
	hd_remark_value(&remark, "GrowthInstructions", "%.1f", percent(prefetches * HD_PREFETCH_EXPLICIT_BYTES, bytes));
	hd_remark_text(&remark, " %% by instructions, strands ");
	hd_remark_value(&remark, "Strands", "%u", strands->count);
	hd_remark_end(&remark);
}
