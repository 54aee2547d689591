/*
 * heddle check: holds the figures of kernels against budgets, and says what is outside of them in the forms that people
 * and CI systems read. What is named and missing is a failure, never a skip.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/figures.h"
#include "lib/arena.h"
#include "tools/heddle/gate/baseline.h"
#include "tools/heddle/gate/history.h"
#include "tools/heddle/gate/ptxas.h"

struct output {
	enum gate_format format;
	const char *path; /* NULL or "-": stdout */
};

struct check {
	HD_VEC(const char *) files;
	HD_VEC(const char *) budgets;
	HD_VEC(const char *) kernels;
	HD_VEC(const char *) gpu_names;
	HD_VEC(struct output) outputs;
	const char *root_path, *source_path;
	struct gate_choice choice;
	const char *baseline_path, *history_path, *commit;
	unsigned allowed; /* verdicts */
	bool list_metrics, quiet, update, prune, with_ptxas;
	struct hd_arena arena;
	struct hd_diag diag;
	struct cmd_input input;
	struct gate_root root;
	struct gate_gpus gpus;
	struct gate_subjects subjects;
	struct gate_budget budget;
	struct gate_baseline baseline;
	struct gate_report report;
	json_t *records; /* of --history */
	bool in_history; /* it got figures of some kernel */
};

enum {
	OPT_SHARED = 256,
	OPT_ROOT,
	OPT_SOURCES,
	OPT_METRICS,
	OPT_JSON,
	OPT_BASELINE,
	OPT_UPDATE,
	OPT_PATCH,
	OPT_ALLOW,
	OPT_PRUNE,
	OPT_PTXAS,
	OPT_HISTORY,
	OPT_COMMIT
};

static const struct argp_option options[] = {
	{"budget", 'B', "FILE", 0, "limits on figures (.ini); if several files limit a figure, the last one counts", 0},
	{"baseline", OPT_BASELINE, "FILE", 0, "compare with the accepted figures in FILE (heddle.lock.json)", 0},
	{"update", OPT_UPDATE, NULL, 0, "rewrite the baseline; differences from it do not fail", 0},
	{"patch", OPT_PATCH, NULL, 0,
	 "print the baseline's change as a patch for `git apply` (short for --format patch)", 0},
	{"allow", OPT_ALLOW, "VERDICT,...", 0, "accept these differences from the baseline: new, removed, better", 0},
	{"prune", OPT_PRUNE, NULL, 0, "with --update or --patch: drop entries for other GPUs, toolchains and flags", 0},
	{"history", OPT_HISTORY, "FILE", 0,
	 "add the figures that baselines compare to FILE, a line for each commit (--output history=PAGE draws them)",
	 0},
	{"commit", OPT_COMMIT, "NAME", 0, "with --history: the commit's name (default: the git working tree's)", 0},
	{"kernel", 'k', "PATTERN", 0,
	 "check only kernels and functions whose name matches PATTERN; fail if none matches", 0},
	{"gpu", 'g', "NAME,...", 0, "GPUs whose occupancy is computed (default: those in the budget, else v100)", 0},
	{"block", 'b', "N", 0, "threads per CTA (default: from launch bounds or launches in the source)", 0},
	{"shared", OPT_SHARED, "BYTES", 0, "dynamic shared memory per CTA", 0},
	{"format", 'f', "FORMAT", 0,
	 "format of the findings on standard output: text (default), json, sarif, junit, github, gitlab, "
	 "markdown, svg, patch",
	 0},
	{"output", 'o', "FORMAT=FILE", 0, "also write the findings to FILE in FORMAT; may be repeated", 0},
	{"json", OPT_JSON, NULL, 0, "short for --format json", 0},
	{"root", OPT_ROOT, "DIR", 0,
	 "repository folder; file names in reports are relative to DIR (default: the git working tree)", 0},
	{"sources", OPT_SOURCES, "DIR", 0,
	 "resolve relative file names in the metadata against DIR (default: current folder)", 0},
	{"with-ptxas", OPT_PTXAS, NULL, 0,
	 "also compile the IR with the CUDA toolkit's ptxas, and add its figures as ptxas.registers, "
	 "ptxas.spill_bytes and ptxas.stack_bytes",
	 0},
	{"quiet", 'q', NULL, 0, "print no summary on standard error", 0},
	{"list-metrics", OPT_METRICS, NULL, 0, "print the figures that budgets can limit, and exit", 0},
	{0},
};

/* ------------------------------------------------------------------ command line */

static enum gate_format parse_format(struct argp_state *state, const char *name)
{
	enum gate_format format = gate_format_find(name);
	if (format == GATE_FORMAT_COUNT) {
		struct hd_strbuf known = {0};
		for (unsigned i = 0; i < GATE_FORMAT_COUNT; i++)
			hd_strbuf_printf(&known, "%s%s", i ? ", " : "", gate_format_name((enum gate_format)i));
		argp_error(state, "unknown format '%s'; known: %s", name, hd_strbuf_text(&known));
	}
	return format;
}

static void add_output(struct check *check, struct argp_state *state, const char *arg)
{
	const char *equals = strchr(arg, '=');
	if (!equals || !equals[1])
		argp_error(state, "--output: expected FORMAT=FILE, not '%s'", arg);
	char *name = hd_xstrndup(arg, (size_t)(equals - arg));
	struct output output = {parse_format(state, name), equals + 1};
	free(name);
	hd_vec_push(&check->outputs, output);
}

static void set_format(struct check *check, enum gate_format format)
{
	check->outputs.data[0].format = format; /* the first output is standard output's */
}

static unsigned parse_allowed(struct argp_state *state, const char *names)
{
	char *wrong;
	unsigned bits = gate_verdicts_parse(names, &wrong);
	if (wrong)
		argp_error(state, "--allow: invalid value '%s' (expected new, removed or better)", wrong);
	free(wrong);
	return bits;
}

static bool wants(const struct check *check, enum gate_format format)
{
	for (uint32_t i = 0; i < check->outputs.len; i++)
		if (check->outputs.data[i].format == format)
			return true;
	return false;
}

static bool wants_patch(const struct check *check)
{
	return wants(check, GATE_FORMAT_patch);
}

/* Each output needs a file of its own, which is neither the baseline that is updated nor the history. */
static void check_distinct(const struct check *check, struct argp_state *state)
{
	const char *baseline = check->update ? check->baseline_path : NULL, *history = check->history_path;
	if (baseline && history && hd_output_same(baseline, history))
		argp_error(state, "--baseline and --history would both write %s", history);
	for (uint32_t i = 0; i < check->outputs.len; i++) {
		const char *path = check->outputs.data[i].path;
		if (!path || strcmp(path, "-") == 0)
			continue;
		if (baseline && hd_output_same(baseline, path))
			argp_error(state, "--output and --baseline would both write %s", path);
		if (history && hd_output_same(history, path))
			argp_error(state, "--output and --history would both write %s", path);
		for (uint32_t k = 0; k < i; k++)
			if (check->outputs.data[k].path && hd_output_same(check->outputs.data[k].path, path))
				argp_error(state, "two of --output would both write %s", path);
	}
}

static void check_command_line(const struct check *check, struct argp_state *state)
{
	bool patch = wants_patch(check);
	if (check->list_metrics)
		return;
	if (!check->files.len)
		argp_error(state, "no input file");
	if (!check->budgets.len && !check->baseline_path && !check->history_path)
		argp_error(state, "nothing to check against (give --budget or --baseline)");
	if ((wants(check, GATE_FORMAT_history) || check->commit) && !check->history_path)
		argp_error(state, "--commit and the format history need --history");
	if (check->commit && !check->commit[0])
		argp_error(state, "--commit: a commit's name cannot be empty");
	if ((check->update || patch || check->allowed || check->prune) && !check->baseline_path)
		argp_error(state, "--update, --patch, --allow and --prune need --baseline");
	check_distinct(check, state);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct check *check = state->input;
	switch (key) {
	case 'B': hd_vec_push(&check->budgets, arg); break;
	case 'k': hd_vec_push(&check->kernels, arg); break;
	case 'g': hd_vec_push(&check->gpu_names, arg); break;
	case 'b': check->choice.block = cmd_parse_count(state, "--block", arg, 1, CMD_MOST_THREADS); break;
	case OPT_SHARED:
		check->choice.shared = cmd_parse_count(state, "--shared", arg, 0, INT32_MAX);
		check->choice.shared_given = true;
		break;
	case 'f': set_format(check, parse_format(state, arg)); break;
	case OPT_JSON: set_format(check, GATE_FORMAT_json); break;
	case 'o': add_output(check, state, arg); break;
	case OPT_BASELINE: check->baseline_path = arg; break;
	case OPT_UPDATE: check->update = true; break;
	case OPT_PATCH: set_format(check, GATE_FORMAT_patch); break;
	case OPT_ALLOW: check->allowed |= parse_allowed(state, arg); break;
	case OPT_PRUNE: check->prune = true; break;
	case OPT_ROOT: check->root_path = arg; break;
	case OPT_SOURCES: check->source_path = arg; break;
	case OPT_PTXAS: check->with_ptxas = true; break;
	case OPT_HISTORY: check->history_path = arg; break;
	case OPT_COMMIT: check->commit = arg; break;
	case 'q': check->quiet = true; break;
	case OPT_METRICS: check->list_metrics = true; break;
	case ARGP_KEY_ARG: hd_vec_push(&check->files, arg); break;
	case ARGP_KEY_END: check_command_line(check, state); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int list_metrics(void)
{
	static const char *const better[] = {"less", "more", "-"};
	printf("%-28s %-12s %-6s %s\n", "metric", "unit", "better", "meaning");
	for (unsigned i = 0; i < gate_metric_count; i++) {
		const struct gate_metric *metric = &gate_metrics[i];
		printf("%-28s %-12s %-6s %s\n", metric->name, metric->unit, better[metric->direction], metric->doc);
	}
	for (unsigned i = 0; i < gate_ptxas_metric_count; i++)
		printf("%-28s %-12s %-6s %s (--with-ptxas)\n", gate_ptxas_metrics[i].name, gate_ptxas_metrics[i].unit,
		       better[gate_ptxas_metrics[i].direction], gate_ptxas_metrics[i].doc);
	for (unsigned i = 0; i < gate_cubin_metric_count; i++)
		printf("%-28s %-12s %-6s %s\n", gate_cubin_metrics[i].name, gate_cubin_metrics[i].unit,
		       better[gate_cubin_metrics[i].direction], gate_cubin_metrics[i].doc);
	puts("Any other number, flag or list (its length) in a kernel's metadata is a metric, named by its path:\n"
	     "liveness.max_live_pc, launch_bounds.min_ctas, stackdepth.saves, ...");
	return CMD_OK;
}

/* ------------------------------------------------------------------ inputs */

/* Troubles are told at once, and kept for the reports. */
static void keep_trouble(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct check *check = context;
	struct hd_diag plain = {.tool = "heddle"};
	if (severity != HD_ERROR) {
		hd_warning(&plain, loc, "%s", message);
		return;
	}
	hd_error(&plain, loc, "%s", message);
	loc.file = loc.file ? hd_arena_strdup(&check->arena, loc.file) : NULL;
	hd_vec_push(&check->report.troubles, (struct gate_trouble){loc, hd_arena_strdup(&check->arena, message)});
}

static int load_inputs(struct check *check)
{
	int status = 0;
	gate_documents runs = {0};
	for (uint32_t i = 0; i < check->files.len; i++)
		if (gate_input_load(&check->input, check->files.data[i], &runs, &check->diag) != 0)
			status = -1;
	if (gate_subjects_init(&check->subjects, &check->input, &check->diag) != 0)
		status = -1;
	if (status == 0 && check->with_ptxas)
		status = gate_ptxas_measure(&check->subjects, &check->input, &check->diag);
	if (gate_run_subjects(&check->subjects, &runs, &check->gpus, &check->arena, &check->diag) != 0)
		status = -1;
	return status;
}

static int load_gpus(struct check *check)
{
	int status = 0;
	for (uint32_t i = 0; i < check->gpu_names.len; i++)
		if (gate_gpus_add_list(&check->gpus, check->gpu_names.data[i], &check->choice.gpus, HD_NOWHERE,
				       &check->diag) != 0)
			status = -1;
	return status;
}

static int load_budgets(struct check *check)
{
	int status = 0;
	for (uint32_t i = 0; i < check->budgets.len; i++)
		if (gate_budget_load(&check->budget, check->budgets.data[i], &check->diag) != 0)
			status = -1;
	return status;
}

/* The first GPU that runs each cubin, by name; an architecture of which Heddle has no GPU adds none. */
static int choose_gpus_of_cubins(struct check *check)
{
	char **names = hd_config_gpus(&check->diag);
	if (!names)
		return -1;
	int status = 0;
	for (uint32_t i = 0; i < check->input.units.len && status == 0; i++) {
		const struct cmd_unit *unit = &check->input.units.data[i];
		const char *gpu = unit->cubin ? gate_gpu_of_cubin(unit, (const char *const *)names) : NULL;
		if (gpu)
			status = gate_gpus_add_list(&check->gpus, gpu, &check->choice.default_gpus, HD_NOWHERE,
						    &check->diag);
	}
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
	return status;
}

/* Where nothing says which GPUs: those that the baseline has, else those that run NVIDIA's code, else the V100. */
static int choose_default_gpus(struct check *check)
{
	const struct gate_baseline *baseline = &check->baseline;
	uint32_t *mask = &check->choice.default_gpus;
	for (uint32_t i = 0; i < baseline->old.len; i++) {
		struct hd_loc loc = {baseline->path, baseline->old.data[i].line, 0};
		if (baseline->old.data[i].of_run)
			continue;
		if (gate_gpus_add_list(&check->gpus, baseline->old.data[i].gpu, mask, loc, &check->diag) != 0)
			return -1;
	}
	if (!*mask && choose_gpus_of_cubins(check) != 0)
		return -1;
	return *mask ? 0 : gate_gpus_add_list(&check->gpus, "v100", mask, HD_NOWHERE, &check->diag);
}

/* GPUs of sections stand for themselves; those of the command line win over all. */
static int choose_gpus(struct check *check)
{
	if (!gate_default_gpus(&check->budget, &check->choice) && choose_default_gpus(check) != 0)
		return -1;
	uint32_t used = gate_default_gpus(&check->budget, &check->choice), of_runs = 0;
	bool builds = check->input.units.len > 0;
	for (uint32_t i = 0; i < check->budget.sections.len && !check->choice.gpus; i++)
		used |= check->budget.sections.data[i].gpus;
	for (uint32_t i = 0; i < check->subjects.list.len; i++)
		if (check->subjects.list.data[i].run)
			of_runs |= gate_gpu_bit(&check->report, check->subjects.list.data[i].run->gpu);
	used = (builds || !of_runs ? used : 0) | of_runs;
	check->report.used_gpus = used;
	return 0;
}

/* ------------------------------------------------------------------ checking */

static void choose_kernels(struct check *check)
{
	struct gate_subjects *subjects = &check->subjects;
	for (uint32_t i = 0; check->kernels.len && i < subjects->list.len; i++)
		subjects->list.data[i].chosen = false;
	for (uint32_t k = 0; k < check->kernels.len; k++) {
		const char *pattern = check->kernels.data[k];
		bool found = gate_subjects_choose(subjects, pattern);
		gate_report_case(&check->report, check->report.used_gpus, true, pattern, "is there", false);
		if (found)
			continue;
		struct gate_finding *finding =
			gate_report_add(&check->report, gate_rule_named(&check->report, "kernel-missing"), NULL,
					(struct gate_place){0}, pattern);
		finding->gpus = check->report.used_gpus;
		finding->every_gpu = true;
		finding->message = hd_arena_printf(&check->arena, "no kernel or function matches '%s'", pattern);
		hd_vec_last(&check->report.cases).finding = (int32_t)check->report.findings.len - 1;
	}
}

static void count_subjects(struct check *check)
{
	for (uint32_t i = 0; i < check->subjects.list.len; i++) {
		const struct gate_subject *subject = &check->subjects.list.data[i];
		if (!subject->chosen)
			continue;
		check->report.kernels += subject->meta->kernel && !subject->run;
		check->report.functions += !subject->meta->kernel;
		check->report.runs += subject->run != NULL;
	}
}

/* Limits of sections for other GPUs than those that the command line asks for: not a failure, but not silent. */
static void warn_left_out(const struct check *check)
{
	for (uint32_t i = 0; i < check->budget.sections.len && check->choice.gpus && !check->quiet; i++) {
		const struct gate_section *section = &check->budget.sections.data[i];
		if (section->kind != GATE_SECTION_DEFAULTS && section->gpus && !(section->gpus & check->choice.gpus))
			fprintf(stderr, "%s:%u: note: skipped: only for %s\n", section->path, section->line,
				gate_gpu_names(&check->report, section->gpus, false));
	}
}

static void summarise_baseline(const struct check *check)
{
	const struct gate_baseline *baseline = &check->baseline;
	const unsigned *counts = baseline->counts;
	fprintf(stderr, "%s%s: %u new, %u removed, %u better, %u worse\n", baseline->path,
		check->update ? " updated" : "", counts[GATE_NEW], counts[GATE_REMOVED], counts[GATE_BETTER],
		counts[GATE_WORSE]);
	for (uint32_t i = 0; i < check->report.builds.len; i++) {
		const struct gate_build *build = &check->report.builds.data[i];
		fprintf(stderr, "%s: %u entr%s compared across builds: %s %s -> %s\n", baseline->path, build->entries,
			build->entries == 1 ? "y" : "ies", build->what, build->old, build->now);
	}
	if (baseline->newer && !check->update)
		fprintf(stderr, "%s: %u figure%s newer than the file and not compared (--update adds %s)\n",
			baseline->path, baseline->newer, baseline->newer == 1 ? " is" : "s are",
			baseline->newer == 1 ? "it" : "them");
	if (baseline->others)
		fprintf(stderr, "%s: %u entr%s for other GPUs, toolchains or flags %s\n", baseline->path,
			baseline->others, baseline->others == 1 ? "y" : "ies",
			baseline->prune ? "dropped" : "left alone");
}

static void summarise(const struct check *check)
{
	const struct gate_report *report = &check->report;
	if (check->quiet)
		return;
	fprintf(stderr, "heddle check: %u kernel%s and %u function%s", report->kernels, report->kernels == 1 ? "" : "s",
		report->functions, report->functions == 1 ? "" : "s");
	if (report->runs)
		fprintf(stderr, ", %u kernel%s of runs", report->runs, report->runs == 1 ? "" : "s");
	fprintf(stderr, " on %s: %u comparison%s, ", gate_gpu_names(report, report->used_gpus, false),
		report->cases.len, report->cases.len == 1 ? "" : "s");
	if (report->troubles.len)
		fprintf(stderr, "%u error%s, ", report->troubles.len, report->troubles.len == 1 ? "" : "s");
	uint32_t failures = gate_report_failures(report), told = report->findings.len - failures;
	fprintf(stderr, "%u finding%s", failures, failures == 1 ? "" : "s");
	if (told)
		fprintf(stderr, ", %u gain%s beside them", told, told == 1 ? "" : "s");
	fputc('\n', stderr);
	if (check->baseline_path && !report->troubles.len)
		summarise_baseline(check);
}

static int write_outputs(struct check *check)
{
	int status = 0;
	for (uint32_t i = 0; i < check->outputs.len; i++) {
		const struct output *output = &check->outputs.data[i];
		struct hd_strbuf text = {0};
		check->report.colour = !output->path && cmd_colour();
		gate_write(&check->report, output->format, &text);
		if (!output->path || strcmp(output->path, "-") == 0)
			fputs(hd_strbuf_text(&text), stdout);
		else if (hd_write_file(output->path, hd_strbuf_text(&text), text.len, &check->diag) != 0)
			status = -1;
		hd_strbuf_release(&text);
	}
	return status;
}

/* A gate that compares nothing must not look like one that passed. */
static void report_nothing(struct check *check)
{
	struct gate_report *report = &check->report;
	struct gate_finding *finding =
		gate_report_add(report, gate_rule_named(report, "nothing-checked"), NULL, (struct gate_place){0}, "");
	finding->gpus = report->used_gpus;
	finding->every_gpu = true;
	finding->message =
		check->budgets.len || check->baseline_path
			? "nothing to compare: neither the budget nor the baseline is about anything in the inputs"
			: "nothing to record: no kernel in the inputs";
	gate_report_case(report, report->used_gpus, true, "inputs", "something is compared", true);
}

/* Measured as for a baseline, with its own section of the budget. */
static int add_history(struct check *check)
{
	struct gate_baseline measured;
	json_t *records = NULL;
	const char *commit = check->commit;
	if (!commit)
		commit = gate_history_commit(&check->root, check->history_path, &check->arena);
	if (!commit)
		return hd_error(&check->diag, HD_NOWHERE, "--history: git knows no commit in %s (give --commit)",
				check->root.path[0] ? check->root.path : "/");
	gate_baseline_init(&measured, &check->arena, check->history_path);
	int status = gate_baseline_configure(&measured, &check->budget, &check->diag);
	if (status == 0)
		status = gate_baseline_measure(&measured, &check->budget, &check->choice, &check->subjects,
					       &check->gpus, &check->diag);
	if (status == 0)
		status = gate_history_add(check->history_path, commit, &measured, &records, &check->diag);
	check->report.history = check->records = records;
	check->in_history = measured.now.len > 0;
	gate_baseline_release(&measured);
	return status;
}

/* The baseline's findings, its patch, and with --update the file. */
static int check_baseline(struct check *check)
{
	struct gate_baseline *baseline = &check->baseline;
	struct hd_strbuf patch = {0};
	baseline->allowed = check->allowed;
	baseline->prune = check->prune;
	baseline->builds = &check->report.builds;
	if (gate_baseline_configure(baseline, &check->budget, &check->diag) != 0 ||
	    gate_baseline_measure(baseline, &check->budget, &check->choice, &check->subjects, &check->gpus,
				  &check->diag) != 0)
		return -1;
	gate_baseline_compare(baseline, check->kernels.len == 0, check->update ? NULL : &check->report);
	char *text = gate_baseline_text(baseline);
	const char *name = gate_root_file(&check->root, baseline->path, &check->arena);
	const char *outside = gate_root_absolute(&check->root, name, &check->arena);
	gate_patch_append(&patch, outside ? outside + 1 : name, baseline->text, text);
	check->report.patch = hd_arena_strdup(&check->arena, hd_strbuf_text(&patch));
	hd_strbuf_release(&patch);
	int status = 0;
	if (check->update && check->report.patch[0])
		status = hd_write_file(baseline->path, text, strlen(text), &check->diag);
	free(text);
	return status;
}

/* Whether everything that is named could be read, and then what there is to find in it. */
static int check_all(struct check *check)
{
	int status = 0;
	choose_kernels(check);
	count_subjects(check);
	bool may_be_empty = gate_evaluate(&check->budget, &check->choice, check->subjects.list.data,
					  check->subjects.list.len, &check->report);
	if (check->baseline_path)
		status = check_baseline(check);
	if (status == 0 && check->history_path)
		status = add_history(check);
	/* Where only the history is asked for, recording is all there is to do. */
	bool only_history = check->history_path && !check->budgets.len && !check->baseline_path;
	if (!check->report.cases.len && !may_be_empty && !(check->baseline_path && check->baseline.now.len) &&
	    !(only_history && (status != 0 || check->in_history)))
		report_nothing(check);
	warn_left_out(check);
	return status;
}

/* Reports are written also when an input is wrong: a CI that shows nothing would look like success. */
static int run_check(struct check *check)
{
	bool good = load_inputs(check) == 0;
	good &= load_gpus(check) == 0;
	good &= load_budgets(check) == 0;
	if (check->baseline_path)
		good &= gate_baseline_load(&check->baseline, check->update || wants_patch(check), &check->diag) == 0;
	good &= choose_gpus(check) == 0;
	good = good && gate_budget_resolve(&check->budget, &check->subjects, &check->diag) == 0;
	good = good && check_all(check) == 0;
	good &= write_outputs(check) == 0;
	summarise(check);
	if (!good)
		return CMD_ERROR;
	return gate_report_failures(&check->report) ? CMD_FINDING : CMD_OK;
}

static int start(struct check *check)
{
	if (gate_root_init(&check->root, check->root_path, check->source_path, &check->diag) != 0)
		return CMD_ERROR;
	cmd_input_init(&check->input, false);
	check->input.take_cubins = true;
	gate_budget_init(&check->budget, &check->arena, &check->gpus);
	gate_baseline_init(&check->baseline, &check->arena, check->baseline_path);
	gate_report_init(&check->report, &check->arena, &check->root, &check->gpus);
	check->report.fallback = check->files.data[0];
	check->diag.emit = keep_trouble;
	check->diag.context = check;
	int status = run_check(check);
	gate_subjects_release(&check->subjects);
	gate_budget_release(&check->budget);
	gate_baseline_release(&check->baseline);
	gate_report_release(&check->report);
	json_decref(check->records);
	cmd_input_release(&check->input);
	gate_root_release(&check->root);
	return status;
}

int cmd_check(int argc, char **argv)
{
	static const char doc[] =
		"Checks figures of kernels against budgets and a baseline. Exits with 1 if a figure is out of "
		"bounds.\v"
		"FILE is a kernel object (.hdo), its metadata (.heddle.json), a program built with heddle-cc, "
		"the statistics of a run (`heddle run --stats`), or what nvcc built: an object, library, archive or "
		"executable, a fat binary or a cubin. A budget is an .ini file:\n\n"
		"  [defaults]                 for every kernel\n"
		"  gpu = v100, rtx3070        GPUs whose occupancy is computed\n"
		"  registers <= 128\n\n"
		"  [kernel \"nbody*\"]          pattern for demangled names\n"
		"  block = 128                threads per CTA, if the source does not say\n"
		"  registers <= 64\n"
		"  occupancy >= 50%\n\n"
		"  [function \"pull*\"]         device functions\n"
		"  stack_bytes <= 64\n\n"
		"A section may set gpu, block, shared and optional. If two limits apply to one metric, the "
		"later one counts; `any` removes a limit. A pattern without a match is a finding, unless its "
		"section sets `optional = yes`. A figure that is not proven for all accesses, or has no bound, "
		"breaks its limit, unless the section sets `unproven = allow` or `unbounded = allow`. "
		"--list-metrics prints all metrics.\n\n"
		"A baseline is a committed file of accepted figures by kernel, GPU, toolchain and flags. Every "
		"difference from it is a finding (new, removed, better, worse), which keeps the file up to "
		"date. --update rewrites the file; --patch prints the change. Occupancy is compared in its own "
		"steps: extra registers that cost no occupancy are no finding.\n\n"
		"Findings go to standard output, all other output to standard error. Exit status: 0; 1 for "
		"findings; 2 for a wrong command line or input.";
	static const struct argp argp = {options, parse_option, "FILE...", doc, NULL, NULL, NULL};
	struct check *check = hd_xcalloc(1, sizeof(*check)); /* configurations are large */
	*check = (struct check){.diag = {.tool = "heddle"}};
	hd_vec_push(&check->outputs, (struct output){GATE_FORMAT_text, NULL});
	hd_arena_init(&check->arena);
	cmd_parse(&argp, argc, argv, 0, check);
	int status = check->list_metrics ? list_metrics() : start(check);
	hd_vec_release(&check->files);
	hd_vec_release(&check->budgets);
	hd_vec_release(&check->kernels);
	hd_vec_release(&check->gpu_names);
	hd_vec_release(&check->outputs);
	hd_arena_release(&check->arena);
	free(check);
	return status;
}
