/*
 * Metrics: names from heddle/metadata.def or paths into a function's object in the metadata, and their
 * values. A figure that a row of metadata.def adds is known without a change here.
 *
 * Cost: a look-up is linear in the table and in the depth of the path.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/fields.h"
#include "lib/strbuf.h"
#include "tools/heddle/gate/runs.h"

/* What the column judged says, as members of struct gate_metric. */
#define COST(rank) true, false, rank
#define COST_FORM(rank) true, true, rank
#define FORM(rank) false, true, rank
#define SEEN(rank) false, false, rank

const struct gate_metric gate_metrics[] = {
#define FIGURE_PLAIN(...)
#define FIGURE_LESS(path, name, unit, doc, ...) {#name, unit, GATE_LESS, GATE_PATH, path, doc, NULL, __VA_ARGS__},
#define FIGURE_MORE(path, name, unit, doc, ...) {#name, unit, GATE_MORE, GATE_PATH, path, doc, NULL, __VA_ARGS__},
#define FIGURE_NEITHER(path, name, unit, doc, ...) {#name, unit, GATE_NEITHER, GATE_PATH, path, doc, NULL, __VA_ARGS__},
/* A member of the function itself has no group, and no dot before it. */
#define HD_META_FUNCTION(type, group, member, unit, better, judged, metric, node, doc) \
	FIGURE_##better(&(group "." #member)[sizeof(group) == 1], metric, unit, doc, judged)
#define HD_META_REUSE(type, group, member, unit, better, judged, metric, node, doc) \
	FIGURE_##better("reuse." #member, metric, unit, doc, judged)
#define HD_META_AFFINE(type, group, member, unit, better, judged, metric, node, doc) \
	FIGURE_##better("affine." #member, metric, unit, doc, judged)
#define HD_META_LINEAR(type, group, member, unit, better, judged, metric, node, doc) \
	FIGURE_##better("linear_version." #member, metric, unit, doc, judged)
#define HD_META_DERIVED(metric, unit, better, judged, getter, argument, doc) \
	{#metric, unit, GATE_##better, GATE_##getter, argument, doc, NULL, judged},
#include "heddle/metadata.def"
#define RUN_METRIC(name, unit, better, judged, formula, slack, doc) \
	{"run." #name, unit, GATE_##better, GATE_RUN, formula, doc, slack, judged},
#include "tools/heddle/gate/runs.def"
};

const unsigned gate_metric_count = sizeof(gate_metrics) / sizeof(gate_metrics[0]);

const struct gate_metric gate_ptxas_metrics[] = {
#define GATE_PTXAS(metric, unit, key, doc) {metric, unit, GATE_LESS, GATE_PATH, "ptxas." key, doc, NULL, SEEN(0)},
#include "tools/heddle/gate/ptxas.def"
#undef GATE_PTXAS
};

const unsigned gate_ptxas_metric_count = sizeof(gate_ptxas_metrics) / sizeof(gate_ptxas_metrics[0]);

const struct gate_metric gate_cubin_metrics[] = {
#define GATE_CUBIN(metric, unit, member, doc) \
	{metric, unit, GATE_LESS, GATE_PATH, "cubin." #member, doc, NULL, SEEN(0)},
#include "tools/heddle/gate/cubin.def"
#undef GATE_CUBIN
};

const unsigned gate_cubin_metric_count = sizeof(gate_cubin_metrics) / sizeof(gate_cubin_metrics[0]);

bool gate_metric_is_of_ptxas(const struct gate_metric *metric)
{
	return metric >= gate_ptxas_metrics && metric < gate_ptxas_metrics + gate_ptxas_metric_count;
}

/* ------------------------------------------------------------------ values */

/* The value at "a.b.c"; NULL when there is none. */
static const json_t *at_path(const json_t *object, const char *path, size_t len)
{
	while (len && object) {
		const char *dot = memchr(path, '.', len);
		size_t key = dot ? (size_t)(dot - path) : len;
		char name[128];
		if (key >= sizeof(name))
			return NULL;
		memcpy(name, path, key);
		name[key] = '\0';
		object = json_object_get(object, name);
		size_t step = dot ? key + 1 : key;
		path += step;
		len -= step;
	}
	return object;
}

/* A number, a flag, or the length of a list. */
static bool number_of(const json_t *value, double *number)
{
	if (json_is_boolean(value))
		*number = json_is_true(value);
	else if (json_is_number(value))
		*number = json_number_value(value);
	else if (json_is_array(value))
		*number = (double)json_array_size(value);
	else
		return false;
	return true;
}

static bool get_sum(const json_t *figures, const char *argument, double *value)
{
	const char *plus = strchr(argument, '+');
	double left, right;
	if (!number_of(at_path(figures, argument, (size_t)(plus - argument)), &left) ||
	    !number_of(at_path(figures, plus + 1, strlen(plus + 1)), &right))
		return false;
	*value = left + right;
	return true;
}

static bool get_widest(const json_t *figures, const char *argument, double *value)
{
	const char *colon = strchr(argument, ':');
	const json_t *records = at_path(figures, argument, (size_t)(colon - argument));
	if (!json_is_array(records))
		return false;
	*value = 0;
	for (size_t i = 0; i < json_array_size(records); i++) {
		double length;
		if (number_of(json_object_get(json_array_get(records, i), colon + 1), &length) && length > *value)
			*value = length;
	}
	return true;
}

static bool get_highest(const json_t *figures, const char *argument, struct gate_value *value)
{
	const char *colon = strchr(argument, ':');
	const json_t *records = at_path(figures, argument, (size_t)(colon - argument));
	if (!json_is_array(records))
		return false;
	value->none = true;
	for (size_t i = 0; i < json_array_size(records); i++) {
		const json_t *list = json_object_get(json_array_get(records, i), colon + 1);
		for (size_t k = 0; k < json_array_size(list); k++) {
			value->number = fmax(value->number, json_number_value(json_array_get(list, k)));
			value->none = false;
		}
	}
	return true;
}

/* Blocks of one warp, as many as there are warps: only registers limit them. */
static uint32_t register_warps(const struct hd_meta_function *kernel, const struct hd_config *gpu)
{
	struct hd_sm_limits limits = hd_sm_limits_of(gpu);
	limits.max_ctas = limits.max_warps;
	return hd_occupancy_compute(&limits, kernel->registers, limits.warp_lanes, 0).warps;
}

static bool get_occupancy(const struct gate_subject *subject, const char *argument, const struct gate_setting *setting,
			  double *value)
{
	if (!subject->meta->kernel || !setting->gpu || !gate_runs_on(subject, setting->gpu))
		return false;
	if (strcmp(argument, "registers") == 0) {
		*value = register_warps(subject->meta, setting->gpu);
		return true;
	}
	if (!setting->block)
		return false;
	struct hd_occupancy fit = gate_occupancy(subject->meta, setting);
	if (strcmp(argument, "ctas") == 0)
		*value = fit.ctas;
	else if (strcmp(argument, "warps") == 0)
		*value = fit.warps;
	else
		*value = fit.max_warps ? 100.0 * fit.warps / fit.max_warps : 0;
	return true;
}

static bool get_proven(const struct gate_metric *metric, const struct gate_subject *subject,
		       const struct gate_setting *setting, struct gate_value *value)
{
	const json_t *figures = subject->figures;
	switch (metric->getter) {
	case GATE_SUM: return get_sum(figures, metric->argument, &value->number);
	case GATE_WIDEST: return get_widest(figures, metric->argument, &value->number);
	case GATE_HIGHEST: return get_highest(figures, metric->argument, value);
	case GATE_OCCUPANCY: return get_occupancy(subject, metric->argument, setting, &value->number);
	case GATE_RUN: return gate_run_figure(figures, metric->argument, &value->number);
	case GATE_PATH: break;
	}
	return number_of(at_path(figures, metric->argument, strlen(metric->argument)), &value->number);
}

bool gate_metric_get(const struct gate_metric *metric, const struct gate_subject *subject,
		     const struct gate_setting *setting, struct gate_value *value)
{
	/* A path leads to a figure that may have a short name, too. */
	const struct hd_meta_field *figure = metric->getter == GATE_PATH ? hd_meta_figure_at(metric->argument) : NULL;
	*value = gate_number(0);
	if ((metric->getter == GATE_RUN) != (subject->run != NULL))
		return false;
	if (!get_proven(metric, subject, setting, value))
		return false;
	value->state = hd_meta_state_of(subject->meta, figure ? figure->metric : metric->name, &value->places);
	value->none &= !gate_value_is_number(value);
	return true;
}

/* ------------------------------------------------------------------ names */

struct path_walk {
	HD_VEC(char *) paths;
	struct hd_strbuf here;
};

static void collect_paths(struct path_walk *walk, const json_t *object)
{
	const char *key;
	json_t *value;
	size_t len = walk->here.len;
	double number;
	json_object_foreach((json_t *)object, key, value)
	{
		hd_strbuf_printf(&walk->here, "%s%s", len ? "." : "", key);
		if (json_is_object(value))
			collect_paths(walk, value);
		else if (number_of(value, &number))
			hd_vec_push(&walk->paths, hd_xstrdup(hd_strbuf_text(&walk->here)));
		walk->here.len = len;
		walk->here.data[len] = '\0';
	}
}

char *gate_metric_nearest(const char *name, const struct gate_subjects *subjects)
{
	struct path_walk walk = {0};
	for (unsigned i = 0; i < gate_metric_count; i++)
		hd_vec_push(&walk.paths, hd_xstrdup(gate_metrics[i].name));
	for (unsigned i = 0; i < gate_ptxas_metric_count; i++)
		hd_vec_push(&walk.paths, hd_xstrdup(gate_ptxas_metrics[i].name));
	for (unsigned i = 0; i < gate_cubin_metric_count; i++)
		hd_vec_push(&walk.paths, hd_xstrdup(gate_cubin_metrics[i].name));
	/* Functions of one compiler have the same keys: one of them stands for all. */
	if (subjects->list.len && strchr(name, '.'))
		collect_paths(&walk, subjects->list.data[0].figures);
	char *near = hd_nearest_names(name, (const char *const *)walk.paths.data, walk.paths.len);
	for (uint32_t i = 0; i < walk.paths.len; i++)
		free(walk.paths.data[i]);
	hd_vec_release(&walk.paths);
	hd_strbuf_release(&walk.here);
	return near;
}

/* run.stall_NAME with one of Nsight Compute's names: the metric with ours. */
static const struct gate_metric *stall_metric(const char *name)
{
	static const char prefix[] = "run.stall_";
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return NULL;
	enum hd_stall stall = hd_stall_named(name + strlen(prefix));
	for (unsigned i = 0; i < gate_metric_count && stall != HD_STALL_COUNT; i++) {
		const char *own = gate_metrics[i].name;
		if (strncmp(own, prefix, strlen(prefix)) == 0 &&
		    strcmp(own + strlen(prefix), hd_stall_name[stall]) == 0)
			return &gate_metrics[i];
	}
	return NULL;
}

const struct gate_metric *gate_metric_named(const char *name)
{
	for (unsigned i = 0; i < gate_metric_count; i++)
		if (strcmp(gate_metrics[i].name, name) == 0)
			return &gate_metrics[i];
	for (unsigned i = 0; i < gate_ptxas_metric_count; i++)
		if (strcmp(gate_ptxas_metrics[i].name, name) == 0)
			return &gate_ptxas_metrics[i];
	for (unsigned i = 0; i < gate_cubin_metric_count; i++)
		if (strcmp(gate_cubin_metrics[i].name, name) == 0)
			return &gate_cubin_metrics[i];
	return stall_metric(name);
}

double gate_metric_room(const struct gate_metric *metric, double value)
{
	double slack = metric->slack ? strtod(metric->slack, NULL) : 0;
	return metric->slack && strchr(metric->slack, '%') ? fabs(value) * slack / 100 : slack;
}

bool gate_metric_any_block(const struct gate_metric *metric)
{
	return metric->getter == GATE_OCCUPANCY && strcmp(metric->argument, "registers") == 0;
}

/* The metric that is the number at a path: as metadata.def describes it, where it is a row of that. */
static struct gate_metric described(const char *path)
{
	static const enum gate_direction directions[] = {[HD_META_PLAIN] = GATE_NEITHER,
							 [HD_META_LESS] = GATE_LESS,
							 [HD_META_MORE] = GATE_MORE,
							 [HD_META_NEITHER] = GATE_NEITHER};
	const struct hd_meta_field *figure = hd_meta_figure_at(path);
	if (!figure)
		return (struct gate_metric){path, "",	  GATE_NEITHER, GATE_PATH, path, "a figure of the metadata",
					    NULL, SEEN(0)};
	return (struct gate_metric){path, figure->unit, directions[figure->better], GATE_PATH, path, figure->doc,
				    NULL, SEEN(0)};
}

/* "run.COUNTER": every counter of a launch is a figure. */
static const struct gate_metric *counter_named(const char *name, struct hd_arena *arena)
{
	for (uint32_t i = 0; i < hd_counter_count; i++) {
		const struct hd_counter_info *counter = &hd_counter_info[i];
		if (strcmp(counter->name, name + strlen("run.")) != 0)
			continue;
		struct gate_metric *metric = HD_ARENA_NEW(arena, struct gate_metric, 1);
		*metric = (struct gate_metric){hd_arena_strdup(arena, name),
					       counter->unit,
					       GATE_NEITHER,
					       GATE_RUN,
					       counter->name,
					       counter->help,
					       NULL,
					       SEEN(0)};
		return metric;
	}
	return NULL;
}

const struct gate_metric *gate_metric_find(const char *name, const struct gate_subjects *subjects,
					   struct hd_arena *arena)
{
	const struct gate_metric *named = gate_metric_named(name);
	if (named)
		return named;
	if (strncmp(name, "run.", 4) == 0)
		return counter_named(name, arena);
	for (uint32_t i = 0; i < subjects->list.len; i++) {
		double number;
		if (!number_of(at_path(subjects->list.data[i].figures, name, strlen(name)), &number))
			continue;
		struct gate_metric *metric = HD_ARENA_NEW(arena, struct gate_metric, 1);
		char *path = hd_arena_strdup(arena, name);
		*metric = described(path);
		return metric;
	}
	return NULL;
}
