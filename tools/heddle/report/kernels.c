/*
 * What the compiler knows about the kernels of a report: the inputs, all kernels side by side, then each with its
 * occupancy, what carries its figures, and all of them.
 *
 * Cost: that of the notes (carry.c) for each kernel.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "tools/heddle/gate/carry.h"
#include "tools/heddle/gate/steps.h"
#include "tools/heddle/report/report.h"

/* The columns of tables, and the figures whose carriers are told. */
static const char *const compared[] = {"registers", "spill_bytes", "max_stack_bytes", "shared_bytes",  "instructions",
				       "max_live",  "fru",	   "max_stack_depth", "low_watermark", "high_watermark",
				       NULL};
static const char *const carried[] = {"registers",	 "spill_bytes",	       "max_stack_depth",
				      "max_stack_bytes", "live_at_preemption", "sectors_per_request",
				      "idempotent",	 "instructions",       NULL};

static const char *place_text(struct report *report, const struct gate_subject *subject,
			      const struct hd_meta_source *source)
{
	const char *file = gate_root_source(&report->root, source->file, subject->unit->path, &report->arena);
	file = file ? file : source->file;
	return file && file[0] ? hd_arena_printf(&report->arena, "%s:%u", file, source->line) : "";
}

/* ------------------------------------------------------------------ inputs */

static void count_functions(const struct hd_metadata *metadata, double counts[2])
{
	for (uint32_t i = 0; i < metadata->function_count; i++)
		counts[!metadata->functions[i].kernel]++;
}

static void add_inputs(struct report *report)
{
	static const char *const columns[] = {"File",  "Module",  "Toolchain", "Target", "Mode",
					      "Flags", "Kernels", "Functions", NULL};
	json_t *table = page_table(page_section(report->page, 2, "Inputs"), columns, NULL);
	for (uint32_t i = 0; i < report->input.units.len; i++) {
		const struct cmd_unit *unit = &report->input.units.data[i];
		const struct hd_metadata *metadata = &unit->metadata;
		double counts[2] = {0};
		json_t *row = page_row(table);
		count_functions(metadata, counts);
		page_cell(row, unit->path);
		page_cell(row, metadata->module);
		page_cell(row, metadata->producer);
		page_cell(row, metadata->target);
		page_cell(row, metadata->mode == HD_MODE_RELOCATABLE ? "relocatable" : "whole program");
		page_cell(row, metadata->flags);
		page_number(row, counts[0]);
		page_number(row, counts[1]);
	}
}

/* ------------------------------------------------------------------ side by side */

static void add_figure(json_t *row, const struct gate_metric *metric, const struct gate_subject *subject,
		       struct hd_arena *arena)
{
	struct gate_setting anywhere = {0};
	struct gate_value value;
	if (!metric || !gate_metric_get(metric, subject, &anywhere, &value))
		page_number(row, NAN);
	else if (gate_value_is_number(&value))
		page_number(row, value.number);
	else
		page_cell(row, gate_value_text(metric, &value, arena));
}

/* "50 %", for several block sizes "50 % to 100 %"; "" when none is known. */
static const char *occupancy_text(struct report *report, const struct gate_subject *subject,
				  const struct hd_config *gpu)
{
	const struct gate_metric *metric = gate_metric_named("occupancy");
	struct gate_setting settings[GATE_MOST_BLOCKS];
	struct gate_budget no_budget = {0};
	const char *why;
	struct gate_value value;
	double least = INFINITY, most = 0;
	unsigned count = gate_settings(&no_budget, &report->choice, NULL, subject, settings, &why);
	for (unsigned i = 0; i < count; i++) {
		settings[i].gpu = gpu;
		if (!gate_metric_get(metric, subject, &settings[i], &value))
			continue;
		least = fmin(least, value.number);
		most = fmax(most, value.number);
	}
	if (isinf(least))
		return "";
	const char *low = gate_metric_text(metric, least, &report->arena);
	return least < most ? hd_arena_printf(&report->arena, "%s to %s", low,
					      gate_metric_text(metric, most, &report->arena))
			    : low;
}

static json_t *start_table(struct report *report, json_t *section, const char *what, bool kernels)
{
	const char *const columns[] = {what, "Source", NULL};
	json_t *table = page_table(section, columns, NULL);
	for (const char *const *name = compared; *name; name++)
		page_column(table, *name);
	for (unsigned gpu = 0; gpu < report->gpus.count && kernels; gpu++)
		page_column(table, hd_arena_printf(&report->arena, "occupancy, %s", report->gpus.config[gpu].name));
	return table;
}

static void add_row(struct report *report, json_t *table, const struct gate_subject *subject, const json_t *section)
{
	json_t *row = page_row(table);
	if (section)
		page_link(row, subject->name, section);
	else
		page_cell(row, subject->name);
	page_cell(row, place_text(report, subject, &subject->meta->source));
	for (const char *const *name = compared; *name; name++)
		add_figure(row, gate_metric_named(*name), subject, &report->arena);
	for (unsigned gpu = 0; gpu < report->gpus.count && subject->meta->kernel; gpu++)
		page_cell(row, occupancy_text(report, subject, &report->gpus.config[gpu]));
}

/* ------------------------------------------------------------------ one kernel */

static void add_occupancy_row(json_t *table, const struct gate_subject *subject, const struct gate_setting *setting)
{
	struct hd_occupancy now = gate_occupancy(subject->meta, setting);
	struct gate_need need = {.registers = subject->meta->registers,
				 .block = setting->block,
				 .shared = (uint64_t)subject->meta->shared_bytes + setting->shared};
	struct hd_strbuf next = {0};
	json_t *row = page_row(table);
	gate_steps_append(&next, setting->gpu, &need);
	page_cell(row, setting->gpu->name);
	page_number(row, setting->block);
	page_number(row, now.ctas);
	page_number(row, now.warps);
	page_number(row, now.max_warps);
	page_cell(row, hd_occupancy_limit_name(now.limit));
	page_cell(row, hd_strbuf_text(&next));
	hd_strbuf_release(&next);
}

static void add_occupancy(struct report *report, json_t *section, const struct gate_subject *subject)
{
	static const char *const columns[] = {
		"GPU", "threads a CTA", "CTAs", "warps", "warps of an SM", "limited by", "the next step takes one of",
		NULL};
	struct gate_setting settings[GATE_MOST_BLOCKS];
	struct gate_budget no_budget = {0};
	const char *why;
	unsigned count = gate_settings(&no_budget, &report->choice, NULL, subject, settings, &why);
	if (!count) {
		page_text(section, hd_arena_printf(&report->arena, "Occupancy is not known: %s.",
						   strstr(why, "block") ? "no launch with a constant block size was "
									  "found, and --block does not say it"
									: "the dynamic shared memory is no constant, "
									  "and --shared does not say it"));
		return;
	}
	json_t *table = page_table(section, columns, NULL);
	for (unsigned gpu = 0; gpu < report->gpus.count; gpu++)
		for (unsigned i = 0; i < count; i++) {
			settings[i].gpu = &report->gpus.config[gpu];
			add_occupancy_row(table, subject, &settings[i]);
		}
}

static void add_carriers(struct report *report, json_t *section, const struct gate_subject *subject)
{
	gate_notes notes = {0};
	struct gate_carry carry = {.root = &report->root,
				   .arena = &report->arena,
				   .subjects = &report->subjects,
				   .notes = &notes};
	json_t *list = NULL;
	for (const char *const *name = carried; *name; name++) {
		const struct gate_metric *metric = gate_metric_named(*name);
		struct gate_setting anywhere = {0};
		struct gate_value value;
		uint32_t from = notes.len;
		if (!metric || !gate_metric_get(metric, subject, &anywhere, &value))
			continue;
		carry.about = value.state;
		gate_carry_notes(&carry, subject, metric);
		for (uint32_t i = from; i < notes.len; i++) {
			list = list ? list : page_list(section);
			page_item(list,
				  hd_arena_printf(&report->arena, "%s: %s:%u: %s", *name, notes.data[i].place.file,
						  notes.data[i].place.line, notes.data[i].text));
		}
	}
	hd_vec_release(&notes);
}

static void add_all_figures(json_t *section, const struct gate_subject *subject, struct hd_arena *arena)
{
	static const char *const columns[] = {"Figure", "Value", "Unit", "Meaning", NULL};
	json_t *table = page_table(section, columns, "All figures");
	struct gate_setting anywhere = {0};
	for (unsigned i = 0; i < gate_metric_count; i++) {
		const struct gate_metric *metric = &gate_metrics[i];
		struct gate_value value;
		if (metric->getter == GATE_OCCUPANCY || !gate_metric_get(metric, subject, &anywhere, &value))
			continue;
		json_t *row = page_row(table);
		bool flag = strcmp(metric->unit, "yes/no") == 0;
		page_cell(row, metric->name);
		if (flag || !gate_value_is_number(&value))
			page_cell(row, gate_value_text(metric, &value, arena));
		else
			page_number(row, value.number);
		page_cell(row, flag ? "" : metric->unit);
		page_cell(row, metric->doc);
	}
}

static void add_launches(struct report *report, json_t *section, const struct gate_subject *subject)
{
	for (uint32_t i = 0; i < subject->meta->launch_count; i++) {
		const struct hd_meta_launch *launch = &subject->meta->launches[i];
		const char *place = place_text(report, subject, &launch->source);
		const char *block = launch->block_known
					    ? hd_arena_printf(&report->arena, "%ux%ux%u threads", launch->block[0],
							      launch->block[1], launch->block[2])
					    : "a block size that is no constant";
		page_text(section, hd_arena_printf(&report->arena, "Launched%s%s with %s a CTA.",
						   place[0] ? " at " : "", place, block));
	}
}

/* ------------------------------------------------------------------ all */

static uint32_t count_chosen(const struct report *report, bool kernels)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < report->subjects.list.len; i++)
		count += report->subjects.list.data[i].chosen && report->subjects.list.data[i].meta->kernel == kernels;
	return count;
}

static void add_kernel(struct report *report, json_t *overview, const struct gate_subject *subject)
{
	json_t *section = page_section(report->page, 3, subject->name);
	add_row(report, overview, subject, section);
	page_text(section, hd_arena_printf(&report->arena, "%s, symbol %s",
					   place_text(report, subject, &subject->meta->source), subject->meta->name));
	add_launches(report, section, subject);
	add_occupancy(report, section, subject);
	add_carriers(report, section, subject);
	add_all_figures(section, subject, &report->arena);
}

void report_add_kernels(struct report *report)
{
	if (!report->input.units.len)
		return;
	add_inputs(report);
	json_t *kernels = page_section(report->page, 2, "Kernels"), *table = NULL;
	if (!count_chosen(report, true))
		page_text(kernels, "The inputs hold none.");
	else
		table = start_table(report, kernels, "Kernel", true);
	for (uint32_t i = 0; i < report->subjects.list.len; i++)
		if (report->subjects.list.data[i].chosen && report->subjects.list.data[i].meta->kernel)
			add_kernel(report, table, &report->subjects.list.data[i]);
	if (!count_chosen(report, false))
		return;
	table = start_table(report, page_section(report->page, 2, "Device functions"), "Function", false);
	for (uint32_t i = 0; i < report->subjects.list.len; i++)
		if (report->subjects.list.data[i].chosen && !report->subjects.list.data[i].meta->kernel)
			add_row(report, table, &report->subjects.list.data[i], NULL);
}
