/*
 * The table that a simulation ends with: see table.h.
 */
#include "tools/heddle/run/table.h"

#include <stdio.h>
#include <string.h>

#include "tools/heddle/cmd.h"
#include "tools/heddle/run/corun_figures.h"
#include "tools/heddle/run/figures.h"
#include "tools/heddle/run/grids.h"
#include "tools/heddle/run/requests.h"
#include "tools/heddle/run/slots.h"

/* Launches that ran the original code, though the policy wanted linear versions (R2D2 4.4). */
static void print_fallbacks(const json_t *sum)
{
	static const struct {
		const char *key, *why;
	} reasons[] = {
		{"linear_check_fallbacks", "a condition did not hold"},
		{"linear_small_fallbacks", "the grid is small"},
		{"linear_register_fallbacks", "registers did not suffice"},
	};
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (figure_number(sum, reasons[i].key) > 0)
			printf("%10.0f of these: original code, %s\n", figure_number(sum, reasons[i].key),
			       reasons[i].why);
}

/* One line for each kernel. */
static void print_kernels(const struct run_statistics *stats)
{
	json_t *sum;
	const char *name;
	if (json_is_true(json_object_get(stats->document, "functional"))) {
		printf("%10s %18s  kernel\n", "launches", "warp instructions");
		json_object_foreach(stats->kernels, name, sum)
		{
			printf("%10.0f %18.0f  %s\n", figure_number(sum, "launches"),
			       figure_number(sum, "warp_instructions"), name);
			print_fallbacks(sum);
		}
		return;
	}
	printf("%10s %14s %18s %8s  kernel\n", "launches", "cycles", "warp instructions", "IPC");
	json_object_foreach(stats->kernels, name, sum)
	{
		printf("%10.0f %14.0f %18.0f %8.3f  %s\n", figure_number(sum, "launches"), figure_number(sum, "cycles"),
		       figure_number(sum, "warp_instructions"), figure_number(sum, "ipc"), name);
		print_fallbacks(sum);
	}
}

static const json_t *key_of(const struct run_statistics *stats, const char *key)
{
	return stats ? json_object_get(stats->document, key) : NULL;
}

static void print_grids(const struct run_statistics *stats)
{
	double sector = figure_number(key_of(stats, "config"), "sector");
	run_grids_print(stats->grids, sector);
	run_coruns_print(key_of(stats, "coruns"), sector);
	corun_figures_print(stats->document);
	requests_print(stats->document);
}

static void print_rows(const struct run_options *run, struct run_statistics *const *stats, const struct figure_row *row,
		       unsigned count)
{
	for (unsigned r = 0; r < count; r++) {
		printf("%-26s", row[r].label);
		for (uint32_t i = 0; i < run->policies.len; i++) {
			char text[64] = "-";
			const json_t *total = key_of(stats[i], "total");
			if (total)
				snprintf(text, sizeof text, row[r].format,
					 row[r].value(total, json_object_get(total, "l1d")));
			printf(" %16s", text);
		}
		printf("\n");
	}
}

/* Whose kernels follow, and of a search what it found. */
static void print_policy(const struct run_options *run, const char *policy, const struct run_statistics *stats)
{
	bool searched = key_of(stats, "best_of");
	if (searched)
		printf("%s: %s\n", policy, json_string_value(key_of(stats, "policy")));
	else if (run->policies.len > 1)
		printf("%s\n", policy);
}

/* How many times as fast as the first policy each is. */
static void print_speedups(const struct run_options *run, struct run_statistics *const *stats)
{
	double first = figure_number(key_of(stats[0], "total"), "cycles");
	printf("%-26s", "  speedup");
	for (uint32_t i = 0; i < run->policies.len; i++) {
		double cycles = figure_number(key_of(stats[i], "total"), "cycles");
		char text[64] = "-";
		if (first > 0 && cycles > 0 && !json_is_true(key_of(stats[i], "partial")))
			snprintf(text, sizeof text, "%.3f", first / cycles);
		printf(" %16s", text);
	}
	printf("\n");
}

/* Runs end with the first that fails: whose figures are missing, and why. */
static void print_missing(const struct run_options *run, struct run_statistics *const *stats)
{
	const char *failed = NULL;
	for (uint32_t i = 0; i < run->policies.len; i++) {
		const char *policy = run->policies.data[i];
		if (!stats[i] && !failed)
			printf("\n%s: no figures, since its run failed\n", policy);
		else if (!stats[i])
			printf("\n%s: not run, since the run under %s failed\n", policy, failed);
		if (!failed && (!stats[i] || (i + 1 < run->policies.len && !stats[i + 1])))
			failed = policy;
	}
}

/* Of how much the figures are estimates, and how good those of time and energy are. */
static void print_sampled(const struct run_statistics *stats)
{
	const json_t *total = key_of(stats, "total"), *sampled = json_object_get(total, "sampling");
	const json_t *errors = json_object_get(sampled, "errors");
	static const char *const keys[] = {"cycles", "energy_joules"}, *const names[] = {"cycles", "energy"};
	if (!sampled)
		return;
	double all = figure_number(sampled, "launches"), timed = all - figure_number(sampled, "functional");
	double work = figure_number(sampled, "instructions");
	printf("  sampled: %.0f of %.0f launch%s with time, %.2f %% of instructions; errors:", timed, all,
	       all == 1 ? "" : "es", work > 0 ? 100 * figure_number(sampled, "detailed_instructions") / work : 0);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		bool unknown = json_is_null(json_object_get(errors, keys[i]));
		double value = figure_number(total, keys[i]);
		printf("%s %s ", i ? "," : "", names[i]);
		if (unknown)
			printf("unknown");
		else
			printf("%.2f %%", value > 0 ? 100 * figure_number(errors, keys[i]) / value : 0);
	}
	printf("\n");
}

/* The error of memory = reserved, as scripts/memory_error.py prints it for v100 at the default sizes, where it is
 * larger than at those of the tests; docs/model.md has the table. */
static const char reserved_error[] = "1.3 % on average and 8.5 % at most";

static void print_memory(const struct run_statistics *stats)
{
	const char *memory = json_string_value(json_object_get(key_of(stats, "config"), "memory"));
	if (memory && !strcmp(memory, "reserved"))
		printf("  memory = reserved: in the workloads on v100, cycles differ from memory = exact by %s\n",
		       reserved_error);
}

/* What --verify came to, of what the metadata states about functions that ran; kinds of which there is nothing are left
 * out. */
static void print_verified(const struct run_statistics *stats)
{
	const json_t *kinds = key_of(stats, "verified");
	const char *separator = "  checked: ", *key;
	json_t *kind;
	json_object_foreach((json_t *)kinds, key, kind)
	{
		json_int_t stated = json_integer_value(json_object_get(kind, "stated"));
		json_int_t checked = json_integer_value(json_object_get(kind, "checked"));
		char name[32];
		snprintf(name, sizeof name, "%s", key);
		for (char *at = name; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		if (stated)
			printf("%s%lld of %lld %s", separator, (long long)checked, (long long)stated, name);
		if (stated)
			separator = ", ";
	}
	if (kinds)
		printf("\n");
}

static void print_timing(const struct run_options *run, struct run_statistics *const *stats)
{
	print_rows(run, stats, figure_rows, 1);
	if (run->policies.len > 1 && !key_of(stats[0], "corun"))
		print_speedups(run, stats);
	print_rows(run, stats, figure_rows + 1, figure_row_count - 1);
}

static void print_table(const struct run_options *run, struct run_statistics *const *stats)
{
	bool partial = false;
	size_t processes = 0;
	for (uint32_t i = 0; i < run->policies.len; i++) {
		size_t count = json_array_size(key_of(stats[i], "processes"));
		processes = count > processes ? count : processes;
		partial = partial || json_is_true(key_of(stats[i], "partial"));
	}
	printf("\n%s on %s%s%s%s", run->title, run->gpu, run->functional ? ", without timing" : "",
	       run->verify ? ", verified" : "", partial ? ", up to where it was stopped" : "");
	if (processes)
		printf(", %zu processes", processes);
	printf("\n");
	printf("%-26s", "");
	for (uint32_t i = 0; i < run->policies.len; i++)
		printf(" %16s", run->policies.data[i]);
	printf("\n");
	if (run->functional)
		print_rows(run, stats, figure_functional_rows, figure_functional_row_count);
	else
		print_timing(run, stats);
	if (run->ideal)
		print_rows(run, stats, figure_ideal_rows, figure_ideal_row_count);
	for (uint32_t i = 0; i < run->policies.len; i++)
		if (stats[i]) {
			printf("\n");
			print_policy(run, run->policies.data[i], stats[i]);
			print_kernels(stats[i]);
			print_grids(stats[i]);
			print_sampled(stats[i]);
			if (!run->functional)
				print_memory(stats[i]);
			print_verified(stats[i]);
			run_slots_print(stats[i]->document);
		}
	print_missing(run, stats);
}

/* To a file, all of it or nothing; or to stdout when `path` is NULL. */
static int write_statistics(const struct run_options *run, struct run_statistics *const *stats, const char *path,
			    struct hd_diag *diag)
{
	struct hd_output output = {.to = stdout};
	if (path && hd_output_open(&output, path, diag))
		return CMD_ERROR;
	int status = run_statistics_write(stats, run->policies.len, output.to);
	if (status)
		hd_error(diag, HD_NOWHERE, "statistics are incomplete: could not write the temporary launch file");
	if (path && status)
		hd_output_abandon(&output);
	else if (path && hd_output_close(&output, diag))
		status = -1;
	return status ? CMD_ERROR : 0;
}

int run_report(const struct run_options *run, struct run_statistics *const *stats, struct hd_diag *diag)
{
	int status = 0;
	bool any = false;
	for (uint32_t i = 0; i < run->policies.len; i++)
		any = any || stats[i];
	if (!any)
		return 0;
	if (run->stats)
		status = write_statistics(run, stats, run->stats, diag);
	if (run->json)
		status = write_statistics(run, stats, NULL, diag) || status ? CMD_ERROR : 0;
	else if (!run->quiet)
		print_table(run, stats);
	return status;
}
