/*
 * heddle diff: what changed between two builds, kernel by kernel, the dearest change first, with the source lines and
 * the calls that carry it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/json.h"
#include "tools/heddle/gate/change.h"
#include "tools/heddle/gate/runs.h"

enum fail_on { FAIL_NEW = 1, FAIL_REMOVED = 2, FAIL_BETTER = 4, FAIL_WORSE = 8, FAIL_ANY = 16 };

struct side {
	struct cmd_input input;
	struct gate_subjects subjects;
};

/* What differs about how two objects were made: figures of other compilers or targets differ for their own reasons. */
struct build_change {
	const char *what, *old, *now;
};

struct diff {
	const char *files[2];
	unsigned file_count, fail_on;
	HD_VEC(const char *) kernels;
	HD_VEC(const char *) metrics;
	HD_VEC(const char *) tolerances;
	HD_VEC(const char *) gpu_names;
	const char *root_path, *source_path;
	bool json, quiet;
	struct gate_choice choice;
	struct hd_arena arena;
	struct hd_diag diag;
	struct gate_gpus gpus, run_gpus; /* for the occupancy; that runs were made on */
	struct gate_root root;
	struct side old, now;
	struct gate_changes changes;
	HD_VEC(struct build_change) builds;
};

enum { OPT_SHARED = 256, OPT_JSON, OPT_ROOT, OPT_SOURCES, OPT_FAIL, OPT_TOLERANCE };

static const struct argp_option options[] = {
	{"gpu", 'g', "NAME,...", 0, "GPUs whose occupancy is computed (default v100)", 0},
	{"block", 'b', "N", 0, "threads per CTA (default: from launch bounds or launches in the source)", 0},
	{"shared", OPT_SHARED, "BYTES", 0, "dynamic shared memory per CTA", 0},
	{"kernel", 'k', "PATTERN", 0, "only kernels and functions whose name matches PATTERN", 0},
	{"metrics", 'm', "NAME,...", 0,
	 "compare only these figures (`heddle check --list-metrics`); --fail-on judges each of them", 0},
	{"fail-on", OPT_FAIL, "VERDICT,...", 0,
	 "exit with 1 if a change has this verdict: worse, better, new, removed, or any", 0},
	{"tolerance", OPT_TOLERANCE, "NAME=N[%],...", 0,
	 "treat smaller differences as equal, for example run.cycles=2% (default for figures of runs: 1%)", 0},
	{"root", OPT_ROOT, "DIR", 0,
	 "repository folder; file names are relative to DIR (default: the git working tree)", 0},
	{"sources", OPT_SOURCES, "DIR", 0,
	 "resolve relative file names in the metadata against DIR (default: current folder)", 0},
	{"json", OPT_JSON, NULL, 0, "print JSON", 0},
	{"quiet", 'q', NULL, 0, "print no summary on standard error", 0},
	{0},
};

/* ------------------------------------------------------------------ command line */

static unsigned parse_fail_on(struct argp_state *state, const char *text)
{
	static const char *const names[] = {"new", "removed", "better", "worse", "any"};
	char *copy = hd_xstrdup(text), *rest = copy;
	unsigned bits = 0;
	for (char *name; (name = strsep(&rest, ","));) {
		unsigned i = 0;
		while (i < 5 && strcmp(names[i], name) != 0)
			i++;
		if (i == 5)
			argp_error(state, "--fail-on: invalid value '%s' (expected worse, better, new, removed or any)",
				   name);
		bits |= 1U << i;
	}
	free(copy);
	return bits;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff *diff = state->input;
	switch (key) {
	case 'g': hd_vec_push(&diff->gpu_names, arg); break;
	case 'b': diff->choice.block = cmd_parse_count(state, "--block", arg, 1, CMD_MOST_THREADS); break;
	case OPT_SHARED:
		diff->choice.shared = cmd_parse_count(state, "--shared", arg, 0, INT32_MAX);
		diff->choice.shared_given = true;
		break;
	case 'k': hd_vec_push(&diff->kernels, arg); break;
	case 'm': hd_vec_push(&diff->metrics, arg); break;
	case OPT_FAIL: diff->fail_on |= parse_fail_on(state, arg); break;
	case OPT_TOLERANCE: hd_vec_push(&diff->tolerances, arg); break;
	case OPT_ROOT: diff->root_path = arg; break;
	case OPT_SOURCES: diff->source_path = arg; break;
	case OPT_JSON: diff->json = true; break;
	case 'q': diff->quiet = true; break;
	case ARGP_KEY_ARG:
		if (diff->file_count == 2)
			argp_error(state, "more than two files");
		diff->files[diff->file_count++] = arg;
		break;
	case ARGP_KEY_END:
		if (diff->file_count < 2)
			argp_error(state, "missing file: expected OLD and NEW");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ------------------------------------------------------------------ inputs */

static int load_side(struct diff *diff, struct side *side, const char *file)
{
	gate_documents runs = {0};
	if (gate_input_load(&side->input, file, &runs, &diff->diag) != 0 ||
	    gate_subjects_init(&side->subjects, &side->input, &diff->diag) != 0)
		return -1;
	return gate_run_subjects(&side->subjects, &runs, &diff->run_gpus, &diff->arena, &diff->diag);
}

static void choose_none(struct gate_subjects *subjects)
{
	for (uint32_t i = 0; i < subjects->list.len; i++)
		subjects->list.data[i].chosen = false;
}

static int choose_kernels(struct diff *diff)
{
	if (diff->kernels.len) {
		choose_none(&diff->old.subjects);
		choose_none(&diff->now.subjects);
	}
	for (uint32_t i = 0; i < diff->kernels.len; i++) {
		bool in_old = gate_subjects_choose(&diff->old.subjects, diff->kernels.data[i]);
		if (!gate_subjects_choose(&diff->now.subjects, diff->kernels.data[i]) && !in_old)
			return hd_error(&diff->diag, HD_NOWHERE, "neither file has a kernel or function '%s'",
					diff->kernels.data[i]);
	}
	return 0;
}

/* NULL with the error reported. */
static const struct gate_metric *find_metric(struct diff *diff, const char *name)
{
	const struct gate_metric *metric = gate_metric_find(name, &diff->now.subjects, &diff->arena);
	metric = metric ? metric : gate_metric_find(name, &diff->old.subjects, &diff->arena);
	char *near = metric ? NULL : gate_metric_nearest(name, &diff->now.subjects);
	if (!metric)
		hd_error(&diff->diag, HD_NOWHERE, "unknown metric '%s'%s%s%s", name, near[0] ? "; did you mean: " : "",
			 near, near[0] ? "?" : "");
	free(near);
	return metric;
}

static int choose_metrics(struct diff *diff, const char *names)
{
	char *copy = hd_arena_strdup(&diff->arena, names);
	for (char *name; (name = strsep(&copy, ","));) {
		const struct gate_metric *metric = find_metric(diff, name);
		if (!metric)
			return -1;
		hd_vec_push(&diff->changes.chosen, metric);
	}
	return 0;
}

/* "run.cycles=2%,run.energy=5" */
static int set_tolerances(struct diff *diff, const char *texts)
{
	char *copy = hd_arena_strdup(&diff->arena, texts);
	for (char *text; (text = strsep(&copy, ","));) {
		char *equals = strchr(text, '='), *end = NULL;
		struct gate_tolerance tolerance = {.value = equals ? strtod(equals + 1, &end) : -1};
		tolerance.percent = end && *end == '%';
		if (!end || end == equals + 1 || end[tolerance.percent] || !(tolerance.value >= 0))
			return hd_error(&diff->diag, HD_NOWHERE, "--tolerance: expected NAME=2%% or NAME=8, not '%s'",
					text);
		*equals = '\0';
		tolerance.metric = find_metric(diff, text);
		if (!tolerance.metric)
			return -1;
		hd_vec_push(&diff->changes.tolerances, tolerance);
	}
	return 0;
}

static int load(struct diff *diff)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < diff->gpu_names.len; i++)
		if (gate_gpus_add_list(&diff->gpus, diff->gpu_names.data[i], &mask, HD_NOWHERE, &diff->diag) != 0)
			return -1;
	if (!mask && gate_gpus_add(&diff->gpus, "v100", HD_NOWHERE, &diff->diag) < 0)
		return -1;
	if (load_side(diff, &diff->old, diff->files[0]) != 0 || load_side(diff, &diff->now, diff->files[1]) != 0)
		return -1;
	for (uint32_t i = 0; i < diff->metrics.len; i++)
		if (choose_metrics(diff, diff->metrics.data[i]) != 0)
			return -1;
	for (uint32_t i = 0; i < diff->tolerances.len; i++)
		if (set_tolerances(diff, diff->tolerances.data[i]) != 0)
			return -1;
	return choose_kernels(diff);
}

/* ------------------------------------------------------------------ builds */

static void add_build(struct diff *diff, const char *what, const char *old, const char *now)
{
	struct build_change change = {what, old[0] ? old : "(none)", now[0] ? now : "(none)"};
	if (strcmp(old, now) == 0)
		return;
	for (uint32_t i = 0; i < diff->builds.len; i++)
		if (strcmp(diff->builds.data[i].what, change.what) == 0 &&
		    strcmp(diff->builds.data[i].old, change.old) == 0 &&
		    strcmp(diff->builds.data[i].now, change.now) == 0)
			return;
	hd_vec_push(&diff->builds, change);
}

static const char *mode_name(const struct hd_metadata *metadata)
{
	return metadata->mode == HD_MODE_RELOCATABLE ? "relocatable" : "whole-program";
}

static void find_builds(struct diff *diff)
{
	const struct cmd_unit *last_old = NULL, *last_now = NULL;
	for (uint32_t i = 0; i < diff->now.subjects.list.len; i++) {
		const struct gate_subject *subject = diff->changes.old_of[i];
		const struct cmd_unit *old = subject ? subject->unit : NULL,
				      *now = diff->now.subjects.list.data[i].unit;
		if (!old || (old == last_old && now == last_now))
			continue;
		add_build(diff, "toolchain", old->metadata.producer, now->metadata.producer);
		if (subject->run) {
			add_build(diff, "run", old->metadata.flags, now->metadata.flags);
			continue;
		}
		add_build(diff, "target", old->metadata.target, now->metadata.target);
		add_build(diff, "flags", old->metadata.flags, now->metadata.flags);
		add_build(diff, "mode", mode_name(&old->metadata), mode_name(&now->metadata));
		last_old = old;
		last_now = now;
	}
}

/* ------------------------------------------------------------------ text */

static struct gate_place place_of(const struct diff *diff, const struct gate_subject *subject)
{
	struct hd_arena *arena = (struct hd_arena *)&diff->arena;
	const struct hd_meta_source *source = &subject->meta->source;
	return (struct gate_place){gate_root_source(&diff->root, source->file, subject->unit->path, arena),
				   source->line};
}

static const char *verdict_text(const struct gate_change *change)
{
	if (!change->directed)
		return "";
	if (change->verdict == GATE_WORSE)
		return change->counts ? "worse" : "(worse)";
	return change->counts ? "better" : "(better)";
}

static void print_change(const struct diff *diff, const struct gate_change *change)
{
	struct hd_arena *arena = (struct hd_arena *)&diff->arena;
	const char *where = "", *old = gate_value_text(change->metric, &change->old, arena);
	if (change->setting.block != change->old_block)
		where = hd_arena_printf(arena, " on %s with %u threads, %u before", change->setting.gpu->name,
					change->setting.block, change->old_block);
	else if (change->setting.block)
		where = hd_arena_printf(arena, " on %s with %u threads", change->setting.gpu->name,
					change->setting.block);
	else if (change->setting.gpu)
		where = hd_arena_printf(arena, " on %s", change->setting.gpu->name);
	char *name = hd_arena_printf(arena, "%s%s", change->metric->name, where);
	char *values = hd_arena_printf(arena, "%s -> %s", old, gate_value_text(change->metric, &change->now, arena));
	const char *verdict = verdict_text(change);
	printf(verdict[0] ? "  %-40s %-20s %s\n" : "  %-40s %s%s\n", name, values, verdict);
	for (uint32_t n = 0; n < change->notes.len; n++)
		printf("    %s:%u: %s\n", change->notes.data[n].place.file, change->notes.data[n].place.line,
		       change->notes.data[n].text);
}

static void print_title(const struct diff *diff, const char *what, const struct gate_subject *subject)
{
	struct gate_place place = place_of(diff, subject);
	printf("%s%s %s", what, subject->meta->kernel ? "kernel" : "function", subject->name);
	if (subject->unit->cubin)
		printf(" [%s]", subject->unit->metadata.target);
	if (place.file)
		printf(", %s:%u", place.file, place.line);
	if (subject->run)
		printf(",%s", gate_run_text(subject->run, (struct hd_arena *)&diff->arena));
}

static void print_one_sided(const struct gate_subject *subject)
{
	double cycles;
	if (!subject->run)
		printf(": %u registers, %u instructions", subject->meta->registers, subject->meta->instructions);
	else if (gate_run_figure(subject->figures, "cycles", &cycles))
		printf(": %.15g cycles", cycles);
}

static void print_pair(const struct diff *diff, const struct gate_pair *pair)
{
	const struct gate_subject *either = pair->now ? pair->now : pair->old;
	print_title(diff, !pair->old ? "new " : !pair->now ? "removed " : "", either);
	if (!pair->old || !pair->now)
		print_one_sided(either);
	else if (strcmp(pair->old->name, pair->now->name) != 0)
		printf(" (was %s)", pair->old->name);
	putchar('\n');
	for (uint32_t i = 0; i < pair->changes.len; i++)
		print_change(diff, &pair->changes.data[i]);
}

static void print_text(const struct diff *diff)
{
	for (uint32_t i = 0; i < diff->builds.len; i++)
		printf("%s: %s -> %s\n", diff->builds.data[i].what, diff->builds.data[i].old, diff->builds.data[i].now);
	for (uint32_t i = 0; i < diff->changes.pairs.len; i++)
		print_pair(diff, &diff->changes.pairs.data[i]);
}

/* ------------------------------------------------------------------ JSON */

static json_t *change_json(const struct gate_change *change)
{
	json_t *object = json_object(), *notes = json_array();
	json_object_set_new(object, "metric", json_string(change->metric->name));
	json_object_set_new(object, "unit", json_string(change->metric->unit));
	json_object_set_new(object, "gpu", hd_json_text(change->setting.gpu ? change->setting.gpu->name : NULL));
	json_object_set_new(object, "block", change->setting.block ? json_integer(change->setting.block) : json_null());
	json_object_set_new(object, "old_block", change->old_block ? json_integer(change->old_block) : json_null());
	json_object_set_new(object, "old", gate_value_json(&change->old));
	json_object_set_new(object, "new", gate_value_json(&change->now));
	json_object_set_new(object, "verdict",
			    json_string(!change->directed		? "changed"
					: change->verdict == GATE_WORSE ? "worse"
									: "better"));
	json_object_set_new(object, "counts", json_boolean(change->counts));
	json_object_set_new(object, "notes", notes);
	for (uint32_t n = 0; n < change->notes.len; n++)
		json_array_append_new(notes,
				      json_pack("{s:o,s:o}", "source", gate_place_json(change->notes.data[n].place),
						"text", hd_json_text(change->notes.data[n].text)));
	return object;
}

static json_t *pair_json(const struct diff *diff, const struct gate_pair *pair)
{
	const struct gate_subject *either = pair->now ? pair->now : pair->old;
	json_t *object = json_object(), *figures = json_array();
	json_object_set_new(object, "change", json_string(!pair->old ? "new" : !pair->now ? "removed" : "figures"));
	json_object_set_new(object, "kind", json_string(either->meta->kernel ? "kernel" : "function"));
	json_object_set_new(object, "name", hd_json_text(either->name));
	json_object_set_new(object, "old_name", hd_json_text(pair->old ? pair->old->name : NULL));
	json_object_set_new(object, "symbol", hd_json_text(either->meta->name));
	json_object_set_new(object, "source", gate_place_json(place_of(diff, either)));
	json_object_set_new(object, "run",
			    either->run ? json_pack("{s:s,s:s}", "gpu", either->run->gpu, "conditions",
						    either->run->conditions)
					: json_null());
	json_object_set_new(object, "figures", figures);
	for (uint32_t i = 0; i < pair->changes.len; i++)
		json_array_append_new(figures, change_json(&pair->changes.data[i]));
	return object;
}

static json_t *build_json(const struct build_change *build)
{
	return json_pack("{s:s,s:o,s:o}", "what", build->what, "old", hd_json_text(build->old), "new",
			 hd_json_text(build->now));
}

static int print_json(const struct diff *diff)
{
	json_t *document = json_object(), *builds = json_array(), *changes = json_array();
	json_object_set_new(document, "old", hd_json_text(diff->files[0]));
	json_object_set_new(document, "new", hd_json_text(diff->files[1]));
	json_object_set_new(document, "compared", json_integer(diff->changes.compared));
	json_object_set_new(document, "builds", builds);
	for (uint32_t i = 0; i < diff->builds.len; i++)
		json_array_append_new(builds, build_json(&diff->builds.data[i]));
	json_object_set_new(document, "changes", changes);
	for (uint32_t i = 0; i < diff->changes.pairs.len; i++)
		json_array_append_new(changes, pair_json(diff, &diff->changes.pairs.data[i]));
	return cmd_print_json(document);
}

/* ------------------------------------------------------------------ verdict */

static unsigned verdicts_of(const struct gate_pair *pair)
{
	const struct gate_subject *either = pair->now ? pair->now : pair->old;
	unsigned bits = FAIL_ANY;
	if (!pair->old || !pair->now)
		return either->meta->kernel ? bits | (pair->old ? FAIL_REMOVED : FAIL_NEW) : bits;
	for (uint32_t i = 0; i < pair->changes.len; i++)
		if (pair->changes.data[i].counts)
			bits |= pair->changes.data[i].verdict == GATE_WORSE ? FAIL_WORSE : FAIL_BETTER;
	return bits;
}

static void summarise(const struct diff *diff)
{
	uint32_t counts[4] = {0}; /* new, removed, better, worse */
	for (uint32_t i = 0; i < diff->changes.pairs.len; i++) {
		const struct gate_pair *pair = &diff->changes.pairs.data[i];
		unsigned verdicts = verdicts_of(pair);
		counts[0] += !pair->old;
		counts[1] += !pair->now;
		counts[2] += (verdicts & FAIL_BETTER) != 0;
		counts[3] += (verdicts & FAIL_WORSE) != 0;
	}
	fprintf(stderr, "heddle diff: %u on both sides, %u of them differ (%u better, %u worse); %u new, %u removed\n",
		diff->changes.compared, diff->changes.pairs.len - counts[0] - counts[1], counts[2], counts[3],
		counts[0], counts[1]);
}

static int compare(struct diff *diff)
{
	unsigned verdicts = 0;
	if (load(diff) != 0)
		return CMD_ERROR;
	gate_changes_compute(&diff->changes, &diff->old.subjects, &diff->now.subjects);
	find_builds(diff);
	if (diff->json && print_json(diff) != CMD_OK)
		return CMD_ERROR;
	if (!diff->json)
		print_text(diff);
	if (!diff->quiet)
		summarise(diff);
	for (uint32_t i = 0; i < diff->changes.pairs.len; i++)
		verdicts |= verdicts_of(&diff->changes.pairs.data[i]);
	return verdicts & diff->fail_on ? CMD_FINDING : CMD_OK;
}

static void release_side(struct side *side)
{
	gate_subjects_release(&side->subjects);
	cmd_input_release(&side->input);
}

int cmd_diff(int argc, char **argv)
{
	static const char doc[] =
		"Prints what changed between two builds, kernel by kernel, most expensive change first.\v"
		"OLD and NEW are kernel objects (.hdo), metadata (.heddle.json), programs built with heddle-cc "
		"or statistics of runs (`heddle run --stats`). Kernels are paired by demangled name, or by "
		"name without parameters if the parameters changed. The order is: largest loss of occupancy, "
		"then of spill bytes, memory sectors, stack and shared memory; then gains; then other changes. "
		"Lines below a figure name the source lines and calls behind it. Source lines inside a "
		"function need its code, which metadata alone does not contain.\n\n"
		"A verdict in parentheses does not count for --fail-on; an example is extra registers that "
		"cost no occupancy. The counted figures are those of --metrics, or else those that `heddle "
		"check --baseline` compares.\n\n"
		"Exit status: 0; 1 if --fail-on applies; 2 for a wrong command line or input.";
	static const struct argp argp = {options, parse_option, "OLD NEW", doc, NULL, NULL, NULL};
	struct diff *diff = hd_xcalloc(1, sizeof(*diff)); /* configurations are large */
	*diff = (struct diff){.diag = {.tool = "heddle"}};
	hd_arena_init(&diff->arena);
	cmd_input_init(&diff->old.input, false);
	cmd_input_init(&diff->now.input, false);
	diff->old.input.take_cubins = diff->now.input.take_cubins = true;
	cmd_parse(&argp, argc, argv, 0, diff);
	diff->changes = (struct gate_changes){.arena = &diff->arena,
					      .root = &diff->root,
					      .gpus = &diff->gpus,
					      .choice = &diff->choice};
	int status = CMD_ERROR;
	if (gate_root_init(&diff->root, diff->root_path, diff->source_path, &diff->diag) == 0)
		status = compare(diff);
	gate_changes_release(&diff->changes);
	gate_root_release(&diff->root);
	release_side(&diff->old);
	release_side(&diff->now);
	hd_vec_release(&diff->builds);
	hd_vec_release(&diff->kernels);
	hd_vec_release(&diff->metrics);
	hd_vec_release(&diff->tolerances);
	hd_vec_release(&diff->gpu_names);
	hd_arena_release(&diff->arena);
	free(diff);
	return status;
}
