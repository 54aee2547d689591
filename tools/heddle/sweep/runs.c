/*
 * Makes runs of a plan: see runs.h. Each pair of a configuration and a workload has axes, names with lists of values;
 * a run takes one value of each, and one of each variable that these values mention. Time and memory are linear in the
 * number of runs; texts are shared where they have no variables. Combinations are counted first, so that a plan with
 * too many of them takes neither.
 */
#include "tools/heddle/sweep/runs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "lib/strbuf.h"
#include "tools/heddle/sweep/values.h"

enum { MOST_AXES = 256, MOST_RUNS = 10000000 };

struct axis {
	const char *name;
	const struct plan_value *values;
	uint32_t count;
	bool of_configuration;
};

/* Axes of a workload under a configuration. */
struct axes {
	struct axis axis[MOST_AXES];
	uint32_t index[MOST_AXES]; /* of the value that the run takes */
	uint32_t count;
	bool overflow; /* there were more */
};

struct expansion {
	struct sweep_runs *runs;
	const struct plan *plan;
	const struct runs_options *options;
	const struct plan_section *workload, *configuration; /* configuration: NULL where the plan has none */
	struct hd_diag *diag;
	HD_VEC(const char *) names; /* that runs have values for */
	uint64_t counted;	    /* combinations of values */
	bool counting;		    /* and nothing else */
};

const char *run_value(const struct sweep_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->count; i++)
		if (!strcmp(run->coordinates[i].name, name))
			return run->coordinates[i].value;
	return "";
}

const char *run_title(const struct sweep_run *run, struct hd_arena *arena)
{
	struct hd_strbuf text = {0};
	for (uint32_t i = 0; i < run->count; i++)
		if (strcmp(run->coordinates[i].name, "program") && strcmp(run->coordinates[i].name, "source") &&
		    *run->coordinates[i].value)
			hd_strbuf_printf(&text, "%s%s=%s", text.len ? " " : "", run->coordinates[i].name,
					 run->coordinates[i].value);
	const char *title = hd_arena_strdup(arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return title;
}

static bool mentions(const char *text, const char *name)
{
	size_t length = strlen(name);
	for (const char *open = strchr(text, '{'); open; open = strchr(open + 1, '{'))
		if (!strncmp(open + 1, name, length) && open[1 + length] == '}')
			return true;
	return false;
}

static bool is_left_out(const struct sweep_run *run, const struct coordinate *c, const char *const *names,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		bool configuration = !strcmp(names[i], "configuration");
		if (!strcmp(c->name, names[i]) || (configuration && c->of_configuration))
			return true;
		for (uint32_t j = 0; j < run->count; j++)
			if (!strcmp(run->coordinates[j].name, names[i]) &&
			    mentions(run->coordinates[j].template, c->name))
				return true;
	}
	return false;
}

uint64_t run_others(const struct sweep_run *run, const char *const *names, uint32_t count)
{
	uint64_t hash = HD_HASH_TEXT;
	for (uint32_t i = 0; i < run->count; i++) {
		const struct coordinate *c = &run->coordinates[i];
		const char *value = c->value;
		if (is_left_out(run, c, names, count))
			continue;
		for (uint32_t j = 0; j < count; j++)
			value = mentions(c->template, names[j]) ? c->template : value;
		hash = hd_hash_text(hd_hash_byte(hd_hash_text(hash, c->name), '='), value);
		hash = hd_hash_byte(hash, '\n');
	}
	return hash;
}

/* ------------------------------------------------------------ axes */

/* What holds for a name: of the configuration, else of the workload, else of all. */
static const struct plan_list *list_of(const struct expansion *e, const char *name, bool *of_configuration)
{
	const struct plan_list *list = plan_find(e->configuration, name);
	*of_configuration = list;
	if (!list)
		list = plan_find(e->workload, name);
	if (!list)
		list = plan_find(plan_section_of(e->plan, PLAN_AXES), name);
	return list ? list : plan_find(plan_section_of(e->plan, PLAN_VARIABLES), name);
}

static void add_axis(struct axes *axes, const char *name, const struct plan_value *values, uint32_t count,
		     bool of_configuration)
{
	for (uint32_t i = 0; i < axes->count; i++)
		if (!strcmp(axes->axis[i].name, name))
			return;
	if (axes->count < MOST_AXES)
		axes->axis[axes->count++] = (struct axis){name, values, count, of_configuration};
	else
		axes->overflow = true;
}

static int check_axes(const struct expansion *e, const struct axes *axes)
{
	if (!axes->overflow)
		return 0;
	return hd_error(e->diag, plan_loc(e->plan, e->workload->line),
			"workload %s: more than %d keys and variables of a run", e->workload->name, MOST_AXES);
}

/* With the default value where no list has one; NULL: no axis then. */
static void add_named(const struct expansion *e, struct axes *axes, const char *name, const char *otherwise)
{
	bool of_configuration;
	const struct plan_list *list = list_of(e, name, &of_configuration);
	if (list) {
		add_axis(axes, name, list->values.data, list->values.len, of_configuration);
		return;
	}
	struct plan_value *value = HD_ARENA_NEW(&e->runs->arena, struct plan_value, 1);
	*value = (struct plan_value){otherwise, e->workload->line};
	if (otherwise)
		add_axis(axes, name, value, 1, false);
}

static void add_one(const struct expansion *e, struct axes *axes, const char *name, const char *text, uint32_t line,
		    bool of_configuration)
{
	struct plan_value *value = HD_ARENA_NEW(&e->runs->arena, struct plan_value, 1);
	*value = (struct plan_value){text, line};
	add_axis(axes, name, value, 1, of_configuration);
}

static void add_configuration_keys(const struct expansion *e, struct axes *axes, const struct plan_section *section)
{
	for (uint32_t i = 0; section && i < section->lists.len; i++) {
		const char *key = section->lists.data[i].key;
		if (plan_is_configuration(key) && strncmp(key, "arguments.", 10) != 0)
			add_named(e, axes, key, NULL);
	}
}

/* The workload's arguments in the size that is asked for; NULL: it is left out. */
static const struct plan_list *arguments_of(const struct expansion *e)
{
	const char *key =
		e->options->size ? hd_arena_printf(&e->runs->arena, "arguments.%s", e->options->size) : "arguments";
	return plan_find(e->workload, key);
}

/* "NAME NAME", of the workloads that run concurrently with this one. */
static const char *names_beside(const struct expansion *e)
{
	const struct plan_list *list = plan_find(e->workload, "beside");
	const char *names = "";
	for (uint32_t i = 0; i < list->values.len; i++)
		names = hd_arena_printf(&e->runs->arena, "%s%s%s", names, i ? " " : "", list->values.data[i].text);
	return names;
}

static int add_axes(const struct expansion *e, struct axes *axes)
{
	const struct plan_list *arguments = arguments_of(e), *source = plan_find(e->workload, "source");
	const struct plan_list *program = plan_find(e->workload, "program");
	if (!source == !program)
		return hd_error(e->diag, plan_loc(e->plan, e->workload->line),
				"workload %s: missing program (an existing file) or source (to be compiled)",
				e->workload->name);
	if (program && plan_find(e->workload, "compile"))
		return hd_error(e->diag, plan_loc(e->plan, plan_find(e->workload, "compile")->line),
				"compile needs source");
	add_one(e, axes, "workload", e->workload->name, e->workload->line, false);
	if (e->configuration)
		add_one(e, axes, "configuration", e->configuration->name, e->configuration->line, true);
	if (program)
		add_axis(axes, "program", program->values.data, program->values.len, false);
	else
		add_axis(axes, "source", source->values.data, source->values.len, false);
	if (source)
		add_named(e, axes, "compile", "-O2");
	if (arguments)
		add_axis(axes, "arguments", arguments->values.data, arguments->values.len, false);
	else
		add_one(e, axes, "arguments", "", e->workload->line, false);
	if (plan_find(e->workload, "beside"))
		add_one(e, axes, "beside", names_beside(e), plan_find(e->workload, "beside")->line, false);
	add_named(e, axes, "gpu", "v100");
	add_named(e, axes, "policy", "baseline");
	add_named(e, axes, "options", NULL);
	add_named(e, axes, "share", NULL);
	add_configuration_keys(e, axes, plan_section_of(e->plan, PLAN_AXES));
	add_configuration_keys(e, axes, e->workload);
	add_configuration_keys(e, axes, e->configuration);
	return check_axes(e, axes);
}

/* The next combination of values of axes from `first` on, the last axis changing fastest; false: that was all. */
static bool next_combination(struct axes *axes, uint32_t first)
{
	for (uint32_t i = axes->count; i-- > first;) {
		if (++axes->index[i] < axes->axis[i].count)
			return true;
		axes->index[i] = 0;
	}
	return false;
}

static const struct plan_value *value_of(const struct axes *axes, uint32_t i)
{
	return &axes->axis[i].values[axes->index[i]];
}

/* ------------------------------------------------------------ variables */

static int unknown_variable(const struct expansion *e, const char *name, uint32_t line)
{
	const struct plan_section *variables = plan_section_of(e->plan, PLAN_VARIABLES);
	HD_VEC(const char *) names = {0};
	hd_vec_push(&names, "seed");
	for (uint32_t i = 0; variables && i < variables->lists.len; i++)
		hd_vec_push(&names, variables->lists.data[i].key);
	char *near = hd_nearest_names(name, names.data, names.len);
	hd_error(e->diag, plan_loc(e->plan, line), "unknown variable {%s}%s%s%s", name, *near ? "; did you mean " : "",
		 near, *near ? "?" : "");
	hd_vec_release(&names);
	free(near);
	return -1;
}

/* Adds the variables that the values mention as axes behind `fixed`. */
static int add_variables(const struct expansion *e, struct axes *axes, uint32_t fixed)
{
	for (uint32_t i = 0; i < fixed; i++) {
		const struct plan_value *value = value_of(axes, i);
		const char *at = value->text, *name;
		if (!strchr(at, '{'))
			continue;
		while ((name = values_next_variable(&at, &e->runs->arena))) {
			bool of_configuration;
			const struct plan_list *list = list_of(e, name, &of_configuration);
			if (!list || plan_is_configuration(name))
				return unknown_variable(e, name, value->line);
			add_axis(axes, list->key, list->values.data, list->values.len, of_configuration);
		}
	}
	return check_axes(e, axes);
}

static const char *replaced(const struct expansion *e, const struct axes *axes, uint32_t fixed, const char *text)
{
	for (uint32_t i = fixed; i < axes->count && strchr(text, '{'); i++)
		text = values_replace(text, axes->axis[i].name, value_of(axes, i)->text, &e->runs->arena);
	return text;
}

/* ------------------------------------------------------------ runs */

static bool matches(const struct plan_list *list, const char *value)
{
	for (uint32_t i = 0; i < list->values.len; i++)
		if (!fnmatch(list->values.data[i].text, value, 0))
			return true;
	return false;
}

static bool is_excluded(const struct expansion *e, const struct sweep_run *run)
{
	for (uint32_t i = 0; i < e->plan->sections.len; i++) {
		const struct plan_section *section = &e->plan->sections.data[i];
		bool all = section->kind == PLAN_EXCLUDE && section->lists.len;
		for (uint32_t j = 0; all && j < section->lists.len; j++)
			all = matches(&section->lists.data[j], run_value(run, section->lists.data[j].key));
		if (all)
			return true;
	}
	return false;
}

/* The names that runs have values for. */
static void note_names(struct expansion *e, const struct sweep_run *run)
{
	for (uint32_t i = 0; i < run->count; i++) {
		uint32_t at = 0;
		while (at < e->names.len && strcmp(e->names.data[at], run->coordinates[i].name) != 0)
			at++;
		if (at == e->names.len)
			hd_vec_push(&e->names, run->coordinates[i].name);
	}
}

/* A name that no run has would leave out all of them without a word. */
static int check_only_names(const struct expansion *e)
{
	int status = 0;
	for (uint32_t i = 0; e->names.len && i < e->options->only_count; i++) {
		const char *key = e->options->only[i].key;
		uint32_t at = 0;
		while (at < e->names.len && strcmp(e->names.data[at], key) != 0)
			at++;
		if (at == e->names.len)
			status = hd_unknown_name(e->diag, "--only: runs have no", key, e->names.data, e->names.len);
	}
	return status;
}

static bool is_wanted(struct expansion *e, const struct sweep_run *run)
{
	note_names(e, run);
	for (uint32_t i = 0; i < e->options->only_count; i++)
		if (!matches(&e->options->only[i], run_value(run, e->options->only[i].key)))
			return false;
	return true;
}

static bool is_program(const struct sweep_program *program, const char *path, const char *compile)
{
	return !strcmp(program->source ? program->source : program->path, path) &&
	       !strcmp(program->compile ? program->compile : "", compile);
}

/* `source`: the path is one, to be compiled; `line` is the plan's that names it. */
static uint32_t find_program(struct sweep_runs *runs, const char *path, bool source, const char *compile, uint32_t line)
{
	uint64_t hash = hd_hash_text(hd_hash_text(HD_HASH_TEXT, path), compile);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &runs->program_set, hash, is_program(&runs->programs.data[slot->id], path, compile));
	if (!hd_hash_found(slot)) {
		hd_hash_set_put(&runs->program_set, slot, hash, runs->programs.len);
		hd_vec_push(&runs->programs, (struct sweep_program){.path = source ? NULL : path,
								    .source = source ? path : NULL,
								    .compile = source ? compile : NULL,
								    .line = line});
	}
	return slot->id;
}

static uint32_t program_of(struct sweep_runs *runs, const struct sweep_run *run)
{
	const char *source = run_value(run, "source");
	return find_program(runs, *source ? source : run_value(run, "program"), *source, run_value(run, "compile"),
			    run->coordinates[1].line);
}

/* ------------------------------------------------------------ programs beside each other */

/* The only value of a partner's key; NULL: it has none, or several, or one with variables, which is reported. */
static const char *only_value(const struct expansion *e, const struct plan_list *list, const char *partner,
			      uint32_t line)
{
	if (list && list->values.len == 1 && !strchr(list->values.data[0].text, '{'))
		return list->values.data[0].text;
	hd_error(e->diag, plan_loc(e->plan, line),
		 "beside: workload %s needs one program or source and one command line, without variables", partner);
	return NULL;
}

static int add_partner(const struct expansion *e, struct sweep_run *run, const char *name, uint32_t line)
{
	struct expansion other = *e;
	other.workload = plan_workload(e->plan, name);
	if (!other.workload || plan_find(other.workload, "beside"))
		return hd_error(e->diag, plan_loc(e->plan, line), "beside: no workload %s that runs alone", name);
	if (run->partner_count == MOST_PARTNERS)
		return hd_error(e->diag, plan_loc(e->plan, line), "beside: at most %d workloads", MOST_PARTNERS);
	const struct plan_list *source = plan_find(other.workload, "source"), *arguments = arguments_of(&other);
	const struct plan_list *program = source ? source : plan_find(other.workload, "program");
	const char *path = only_value(e, program, name, line), *compile = run_value(run, "compile");
	const char *words = arguments ? only_value(e, arguments, name, line) : "";
	if (!path || !words)
		return -1;
	run->partners[run->partner_count++] =
		(struct sweep_partner){find_program(e->runs, path, source != NULL, *compile ? compile : "-O2", line),
				       words};
	return 0;
}

static int add_partners(const struct expansion *e, struct sweep_run *run)
{
	const struct plan_list *list = plan_find(e->workload, "beside");
	for (uint32_t i = 0; list && i < list->values.len; i++)
		if (add_partner(e, run, list->values.data[i].text, list->values.data[i].line))
			return -1;
	return 0;
}

static int add_run(struct expansion *e, const struct axes *axes, uint32_t fixed)
{
	struct sweep_runs *runs = e->runs;
	struct coordinate coordinates[MOST_AXES];
	struct sweep_run run = {.coordinates = coordinates,
				.count = axes->count,
				.check = plan_find(e->workload, "check"),
				.same = runs->runs.len};
	for (uint32_t i = 0; i < axes->count; i++) {
		const struct plan_value *value = value_of(axes, i);
		const char *text = i < fixed ? replaced(e, axes, fixed, value->text) : value->text;
		coordinates[i] = (struct coordinate){axes->axis[i].name, text, value->text, value->line,
						     axes->axis[i].of_configuration};
	}
	if (!is_wanted(e, &run))
		return 0;
	if (is_excluded(e, &run)) {
		runs->excluded++;
		return 0;
	}
	struct coordinate *kept = HD_ARENA_NEW(&runs->arena, struct coordinate, run.count);
	memcpy(kept, coordinates, run.count * sizeof *kept);
	run.coordinates = kept;
	run.program = program_of(runs, &run);
	if (add_partners(e, &run))
		return -1;
	if (!runs_configure(runs, &run, e->diag))
		hd_vec_push(&runs->runs, run);
	return 0;
}

/* Adds the combinations of the axes from `first` on; -1: there are too many. */
static int count_combinations(struct expansion *e, const struct axes *axes, uint32_t first)
{
	uint64_t count = 1;
	for (uint32_t i = first; i < axes->count && count <= MOST_RUNS; i++)
		count *= axes->axis[i].count;
	e->counted += count;
	return e->counted <= MOST_RUNS ? 0 : -1;
}

/* The runs of one combination of the axes: one for each combination of the variables in it. */
static int add_runs(struct expansion *e, struct axes *axes, uint32_t fixed)
{
	axes->count = fixed;
	if (add_variables(e, axes, fixed))
		return -1;
	if (e->counting)
		return count_combinations(e, axes, fixed);
	for (uint32_t i = fixed; i < axes->count; i++)
		axes->index[i] = 0;
	do {
		if (add_run(e, axes, fixed))
			return -1;
	} while (next_combination(axes, fixed));
	axes->count = fixed;
	return 0;
}

static int expand_pair(struct expansion *e)
{
	struct axes pair = {.count = 0}, *axes = &pair;
	const struct plan_list *of = plan_find(e->configuration, "workload");
	if ((of && !matches(of, e->workload->name)) || (e->options->size && !arguments_of(e)))
		return 0;
	if (add_axes(e, axes))
		return -1;
	uint32_t fixed = axes->count;
	do {
		if (add_runs(e, axes, fixed))
			return -1;
	} while (next_combination(axes, 0));
	return 0;
}

/* All workloads under one configuration before the next: what fails does so early. */
static int expand_configuration(struct expansion *e)
{
	int status = 0;
	for (uint32_t i = 0; i < e->plan->sections.len; i++) {
		e->workload = &e->plan->sections.data[i];
		if (e->workload->kind == PLAN_WORKLOAD && expand_pair(e))
			status = -1;
	}
	return status;
}

/* ------------------------------------------------------------ the plan as a whole */

static bool is_mentioned(const struct plan *plan, const char *name)
{
	char braced[256];
	snprintf(braced, sizeof braced, "{%s}", name);
	for (uint32_t i = 0; i < plan->sections.len; i++)
		for (uint32_t j = 0; j < plan->sections.data[i].lists.len; j++) {
			const struct plan_list *list = &plan->sections.data[i].lists.data[j];
			for (uint32_t k = 0; k < list->values.len; k++)
				if (strstr(list->values.data[k].text, braced))
					return true;
		}
	return false;
}

/* A variable that nothing mentions would have no effect. */
static void check_mentioned(const struct plan *plan, struct hd_diag *diag)
{
	for (uint32_t i = 0; i < plan->sections.len; i++) {
		const struct plan_section *section = &plan->sections.data[i];
		for (uint32_t j = 0; j < section->lists.len && section->kind != PLAN_EXCLUDE; j++) {
			const struct plan_list *list = &section->lists.data[j];
			bool variable = section->kind == PLAN_VARIABLES || !strcmp(list->key, "seed");
			if (variable && !is_mentioned(plan, list->key))
				hd_error(diag, plan_loc(plan, list->line), "%s has no effect: no value uses {%s}",
					 list->key, list->key);
		}
	}
}

static bool has_size(const struct plan *plan, const char *size)
{
	char key[256];
	snprintf(key, sizeof key, "arguments.%s", size);
	for (uint32_t i = 0; i < plan->sections.len; i++)
		if (plan_find(&plan->sections.data[i], key))
			return true;
	return false;
}

/* --only with workloads that the plan does not have would leave runs out without a word. */
static int check_only(const struct plan *plan, const struct plan_list *only, struct hd_diag *diag)
{
	HD_VEC(const char *) names = {0};
	int status = 0;
	for (uint32_t i = 0; i < plan->sections.len; i++)
		if (plan->sections.data[i].kind == PLAN_WORKLOAD)
			hd_vec_push(&names, plan->sections.data[i].name);
	for (uint32_t i = 0; names.len && i < only->values.len; i++) {
		bool found = false;
		for (uint32_t j = 0; !found && j < names.len; j++)
			found = !fnmatch(only->values.data[i].text, names.data[j], 0);
		if (!found)
			status = hd_unknown_name(diag, "--only: no workload", only->values.data[i].text, names.data,
						 names.len);
	}
	hd_vec_release(&names);
	return status;
}

/* All runs. What is wrong with one workload does not keep those of the same configuration from being checked. */
static int expand_all(struct expansion *e)
{
	int configurations = 0, status = 0;
	for (uint32_t i = 0; !status && i < e->plan->sections.len; i++) {
		if (e->plan->sections.data[i].kind != PLAN_CONFIGURATION)
			continue;
		e->configuration = &e->plan->sections.data[i];
		configurations++;
		status = expand_configuration(e);
	}
	return configurations ? status : expand_configuration(e);
}

/* What else is wrong with the plan is found when its runs are made. */
static int check_count(struct expansion *e)
{
	struct expansion counting = *e; /* `names` stays e's own: only add_run adds to it */
	struct hd_diag silent = hd_diag_silent();
	counting.diag = &silent;
	counting.counting = true;
	expand_all(&counting);
	if (counting.counted <= MOST_RUNS)
		return 0;
	return hd_error(e->diag, HD_NOWHERE, "%s: more than %d runs, with those that it excludes or --only leaves out",
			e->plan->path, MOST_RUNS);
}

int runs_expand(struct sweep_runs *runs, const struct plan *plan, const struct runs_options *options,
		struct hd_diag *diag)
{
	struct expansion e = {.runs = runs, .plan = plan, .options = options, .diag = diag};
	unsigned before = diag->errors;
	*runs = (struct sweep_runs){.plan = plan};
	hd_arena_init(&runs->arena);
	check_mentioned(plan, diag);
	for (uint32_t i = 0; i < plan->sections.len; i++)
		runs_check_expressions(plan, &plan->sections.data[i], diag);
	if (options->size && !has_size(plan, options->size))
		return hd_error(diag, HD_NOWHERE, "%s: no workload has arguments.%s", plan->path, options->size);
	for (uint32_t i = 0; i < options->only_count; i++)
		if (!strcmp(options->only[i].key, "workload") && check_only(plan, &options->only[i], diag))
			return -1;
	int status = check_count(&e) || expand_all(&e) ? -1 : check_only_names(&e);
	hd_vec_release(&e.names);
	return status || diag->errors > before ? -1 : 0;
}

void runs_release(struct sweep_runs *runs)
{
	hd_vec_release(&runs->runs);
	hd_vec_release(&runs->programs);
	hd_vec_release(&runs->configs);
	hd_vec_release(&runs->checked);
	hd_hash_set_release(&runs->program_set);
	hd_hash_set_release(&runs->config_set);
	hd_hash_set_release(&runs->checked_set);
	hd_arena_release(&runs->arena);
}
