/*
 * What runs cost: the figures of all runs side by side, where the issue slots went, and the time of each kernel beside
 * what the compiler knows about it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "tools/heddle/gate/runs.h"
#include "tools/heddle/report/report.h"
#include "tools/heddle/run/figures.h"
#include "tools/heddle/run/slots.h"

static bool is_run(const json_t *value)
{
	return json_is_object(json_object_get(value, "total")) && json_is_string(json_object_get(value, "policy")) &&
	       json_is_string(json_object_get(value, "gpu"));
}

bool report_take_runs(struct report *report, const char *path, const json_t *document)
{
	const json_t *runs = json_object_get(document, "runs");
	if (is_run(document)) {
		hd_vec_push(&report->runs, (struct report_run){path, document});
		return true;
	}
	uint32_t before = report->runs.len;
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *run = json_array_get(runs, i);
		if (is_run(run))
			hd_vec_push(&report->runs, (struct report_run){path, run});
		else if (!json_is_null(run)) /* of a policy that failed */
			return false;
	}
	return report->runs.len > before;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

static const json_t *total_of(const struct report_run *run)
{
	return json_object_get(run->stats, "total");
}

static const char *run_name(struct report *report, const struct report_run *run)
{
	return hd_arena_printf(&report->arena, "%s on %s", text_of(run->stats, "policy"), text_of(run->stats, "gpu"));
}

static double rounded(const struct figure_row *row, const json_t *total)
{
	char text[64];
	snprintf(text, sizeof(text), row->format, row->value(total, json_object_get(total, "l1d")));
	return strtod(text, NULL);
}

/* ------------------------------------------------------------------ GPUs */

int report_add_gpus(struct report *report)
{
	int status = 0;
	for (uint32_t i = 0; i < report->runs.len && status == 0; i++)
		status = gate_run_gpu(&report->gpus, report->runs.data[i].path, report->runs.data[i].stats,
				      &report->diag) < 0
				 ? -1
				 : 0;
	return status;
}

/* ------------------------------------------------------------------ side by side */

static json_t *start_table(struct report *report, json_t *section, const char *first)
{
	const char *const columns[] = {first, NULL};
	json_t *table = page_table(section, columns, NULL);
	for (uint32_t i = 0; i < report->runs.len; i++)
		page_column(table, run_name(report, &report->runs.data[i]));
	return table;
}

/* Rows of which no run has anything but 0 are left out where `all` is not said. */
static void add_rows(struct report *report, json_t *table, const struct figure_row *rows, unsigned count, bool all)
{
	for (unsigned r = 0; r < count; r++) {
		bool any = all;
		for (uint32_t i = 0; i < report->runs.len; i++)
			any |= rounded(&rows[r], total_of(&report->runs.data[i])) != 0;
		if (!any)
			continue;
		json_t *row = page_row(table);
		const char *label = rows[r].label + strspn(rows[r].label, " ");
		page_cell(row, hd_arena_printf(&report->arena, "%s%s", label == rows[r].label ? "" : "- ", label));
		for (uint32_t i = 0; i < report->runs.len; i++)
			page_number(row, rounded(&rows[r], total_of(&report->runs.data[i])));
	}
}

static double cycles_of(const struct report_run *run)
{
	return figure_number(total_of(run), "cycles");
}

static void add_speedups(struct report *report, json_t *table)
{
	json_t *row = page_row(table);
	page_cell(row, "speedup over the first");
	for (uint32_t i = 0; i < report->runs.len; i++)
		page_number(row,
			    round(1e3 * cycles_of(&report->runs.data[0]) / cycles_of(&report->runs.data[i])) / 1e3);
}

static void add_files(struct report *report, json_t *table)
{
	bool several = false;
	for (uint32_t i = 1; i < report->runs.len; i++)
		several |= strcmp(report->runs.data[i].path, report->runs.data[0].path) != 0;
	json_t *row = several ? page_row(table) : NULL;
	if (several)
		page_cell(row, "from");
	for (uint32_t i = 0; i < report->runs.len && several; i++)
		page_cell(row, report->runs.data[i].path);
}

/* ------------------------------------------------------------------ stalls */

enum { MOST_REASONS = 64 };

/* Every scheduler slot has one reason: the shares add up to 100. */
static void add_stalls(struct report *report)
{
	const char *names[MOST_REASONS];
	unsigned count = 0;
	const char *key;
	json_t *value;
	json_t *first = json_object_get(total_of(&report->runs.data[0]), "stalls");
	json_object_foreach(first, key, value)
	{
		if (count < MOST_REASONS)
			names[count++] = key;
	}
	if (!count)
		return;
	json_t *section = page_section(report->page, 3, "Issue slots");
	page_text(section, "What each scheduler did in each cycle, in percent.");
	json_t *bars = page_bars(section, names, count);
	for (uint32_t i = 0; i < report->runs.len; i++) {
		const json_t *stalls = json_object_get(total_of(&report->runs.data[i]), "stalls");
		double shares[MOST_REASONS], sum = 0;
		for (unsigned n = 0; n < count; n++)
			sum += figure_number(stalls, names[n]);
		for (unsigned n = 0; n < count; n++)
			shares[n] = sum > 0 ? 100 * figure_number(stalls, names[n]) / sum : 0;
		page_bar(bars, run_name(report, &report->runs.data[i]), shares, count);
	}
}

enum { MOST_PLACES = 20 };

static void add_place(json_t *table, const json_t *row, bool instructions, double all)
{
	struct hd_strbuf place = {0}, reasons = {0};
	run_slots_place(row, &place);
	run_slots_reasons(row, &reasons);
	json_t *cells = page_row(table);
	page_cell(cells, hd_strbuf_text(&place));
	if (instructions)
		page_cell(cells, text_of(row, "text"));
	page_number(cells, run_slots_lost(row));
	page_number(cells, all > 0 ? round(1000 * run_slots_lost(row) / all) / 10 : NAN);
	page_cell(cells, hd_strbuf_text(&reasons));
	hd_strbuf_release(&place);
	hd_strbuf_release(&reasons);
}

/* Where a run lost its slots, if it was asked to tell (--by-line, --by-instruction). */
static void add_places(struct report *report, const struct report_run *run, bool instructions)
{
	static const char *const lines[] = {"Line", "slots lost", "% of slots with warps", "because of", NULL};
	static const char *const columns[] = {"Line",	    "instruction", "slots lost", "% of slots with warps",
					      "because of", NULL};
	const json_t *rows =
		json_object_get(json_object_get(run->stats, "slots"), instructions ? "instructions" : "lines");
	if (!rows)
		return;
	json_t *section = page_section(report->page, 3,
				       hd_arena_printf(&report->arena, "Slots lost by %s: %s",
						       instructions ? "instruction" : "line", run_name(report, run)));
	json_t *sorted = run_slots_sorted(rows);
	json_t *table = page_table(section, instructions ? columns : lines, NULL);
	size_t count = json_array_size(sorted);
	for (size_t i = 0; i < count && i < MOST_PLACES; i++)
		add_place(table, json_array_get(sorted, i), instructions, run_slots_with_warps(run->stats));
	if (count > MOST_PLACES)
		page_text(section,
			  hd_arena_printf(&report->arena, "%zu more are in the statistics.", count - MOST_PLACES));
	json_decref(sorted);
}

/* ------------------------------------------------------------------ kernels */

static const struct gate_subject *subject_of(const struct report *report, const char *kernel)
{
	for (uint32_t i = 0; i < report->subjects.list.len; i++)
		if (strcmp(report->subjects.list.data[i].name, kernel) == 0)
			return &report->subjects.list.data[i];
	return NULL;
}

/* The last launch of the kernel, for what is the same in all of them. */
static const json_t *launch_of(const struct report_run *run, const char *kernel)
{
	const json_t *launches = json_object_get(run->stats, "launches");
	for (size_t i = json_array_size(launches); i-- > 0;)
		if (strcmp(text_of(json_array_get(launches, i), "kernel"), kernel) == 0)
			return json_array_get(launches, i);
	return NULL;
}

static void add_kernel_row(struct report *report, json_t *table, const struct report_run *run, const char *name,
			   const json_t *sum)
{
	const struct gate_subject *subject = subject_of(report, name);
	const json_t *launch = launch_of(run, name);
	double cycles = figure_number(sum, "cycles"), all = cycles_of(run);
	json_t *row = page_row(table);
	page_cell(row, name);
	page_number(row, figure_number(sum, "launches"));
	page_number(row, cycles);
	page_number(row, all > 0 ? round(1000 * cycles / all) / 10 : NAN);
	page_number(row, figure_number(sum, "warp_instructions"));
	page_number(row, round(1e3 * figure_number(sum, "ipc")) / 1e3);
	page_number(row, figure_number(launch, "resident_ctas"));
	page_cell(row, text_of(launch, "limiter"));
	page_number(row, subject ? subject->meta->registers : NAN);
	page_number(row, subject ? subject->meta->max_stack_bytes : NAN);
}

static void add_kernels(struct report *report, const struct report_run *run)
{
	static const char *const columns[] = {"Kernel", "launches",   "cycles",	    "% of all",	 "warp instructions",
					      "IPC",	"CTAs an SM", "limited by", "registers", "stack bytes",
					      NULL};
	json_t *section = page_section(report->page, 3, run_name(report, run));
	json_t *table = page_table(section, columns, NULL), *kernels = figure_kernels(run->stats), *sum;
	const char *name;
	json_object_foreach(kernels, name, sum) add_kernel_row(report, table, run, name, sum);
	json_decref(kernels);
}

void report_add_runs(struct report *report)
{
	if (!report->runs.len)
		return;
	json_t *table = start_table(report, page_section(report->page, 2, "Runs"), "Figure");
	add_rows(report, table, figure_rows, figure_row_count, true);
	add_rows(report, table, figure_ideal_rows, figure_ideal_row_count, false);
	if (report->runs.len > 1)
		add_speedups(report, table);
	add_files(report, table);
	add_stalls(report);
	for (uint32_t i = 0; i < report->runs.len; i++) {
		add_places(report, &report->runs.data[i], false);
		add_places(report, &report->runs.data[i], true);
	}
	for (uint32_t i = 0; i < report->runs.len; i++)
		add_kernels(report, &report->runs.data[i]);
}
