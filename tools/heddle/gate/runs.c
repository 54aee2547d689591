/*
 * Statistics of runs as subjects (runs.h). Launches of a kernel are added up by its name; what the document says of the
 * GPU is read back as a configuration, so that it need not be one that Heddle knows.
 *
 * Cost: linear in the documents.
 */
#include "tools/heddle/gate/runs.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/strbuf.h"
#include "tools/heddle/page/page.h"

int gate_input_load(struct cmd_input *input, const char *path, gate_documents *runs, struct hd_diag *diag)
{
	json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
	if (json_object_get(document, "total") || json_object_get(document, "runs")) {
		hd_vec_push(runs, (struct gate_document){path, document});
		return 0;
	}
	json_decref(document);
	return cmd_input_load(input, path, diag);
}

/* ------------------------------------------------------------------ GPUs */

static int set_key(struct hd_config *config, const char *key, const json_t *value, struct hd_diag *diag)
{
	struct hd_strbuf assignment = {0};
	hd_strbuf_printf(&assignment, "%s=", key);
	if (json_is_real(value)) /* every digit: a value that is rounded is another one */
		hd_strbuf_printf(&assignment, "%.17g", json_real_value(value));
	else
		page_cell_text(value, &assignment);
	int status = hd_config_set(config, hd_strbuf_text(&assignment), diag);
	hd_strbuf_release(&assignment);
	return status;
}

int gate_run_gpu(struct gate_gpus *gpus, const char *path, const json_t *run, struct hd_diag *diag)
{
	const char *name = json_string_value(json_object_get(run, "gpu")), *key;
	json_t *values = json_object_get(run, "config"), *value;
	for (unsigned i = 0; i < gpus->count; i++)
		if (strcmp(gpus->config[i].name, name) == 0)
			return (int)i;
	if (gpus->count == GATE_MOST_GPUS)
		return hd_error(diag, HD_NOWHERE, "%s: more than %d GPUs", path, GATE_MOST_GPUS);
	struct hd_config *config = &gpus->config[gpus->count];
	hd_config_defaults(config);
	snprintf(config->name, sizeof(config->name), "%s", name);
	bool good = true;
	json_object_foreach(values, key, value) good = good && set_key(config, key, value, diag) == 0;
	if (!good || hd_config_check(config, diag) != 0)
		return hd_error(diag, HD_NOWHERE, "%s: the configuration of the run", path);
	return (int)gpus->count++;
}

/* The keys in which the run's GPU is another than the one of that name; none where there is no such GPU. */
static void append_changed_keys(struct hd_strbuf *text, const json_t *run)
{
	struct hd_diag quiet = hd_diag_silent();
	struct hd_config *named = hd_xcalloc(2, sizeof(*named)), *changed = &named[1];
	const char *key;
	json_t *value;
	if (hd_config_load(named, json_string_value(json_object_get(run, "gpu")), &quiet) == 0)
		json_object_foreach(json_object_get(run, "config"), key, value)
		{
			memcpy(changed, named, sizeof(*named));
			/* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): copied as bytes, padding and all */
			if (set_key(changed, key, value, &quiet) != 0 || memcmp(changed, named, sizeof(*named)) == 0)
				continue;
			hd_strbuf_printf(text, ", %s=", key);
			page_cell_text(value, text);
		}
	free(named);
}

/* ------------------------------------------------------------------ kernels */

/* Adds numbers, also those in objects, to the sum's. */
static void add_numbers(json_t *sum, const json_t *launch)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)launch, key, value)
	{
		json_t *own = json_object_get(sum, key);
		if (json_is_number(value)) {
			json_object_set_new(sum, key, json_real(json_number_value(own) + json_number_value(value)));
		} else if (json_is_object(value) && strcmp(key, "source") != 0) {
			if (!own)
				json_object_set_new(sum, key, json_object());
			add_numbers(json_object_get(sum, key), value);
		}
	}
}

struct taking {
	struct gate_subjects *subjects;
	const char *path;
	const json_t *run;
	const char *conditions;
	struct hd_arena *arena;
};

static void add_subject(const struct taking *taking, const char *kernel, const json_t *launch, json_t *sum)
{
	struct gate_run *run = HD_ARENA_NEW(taking->arena, struct gate_run, 1);
	struct cmd_unit *unit = HD_ARENA_NEW(taking->arena, struct cmd_unit, 1);
	struct hd_meta_function *meta = HD_ARENA_NEW(taking->arena, struct hd_meta_function, 1);
	const char *producer = json_string_value(json_object_get(taking->run, "producer"));
	const json_t *source = json_object_get(launch, "source"), *slots = json_object_get(sum, "stalls");
	const char *file = json_string_value(json_object_get(source, "file"));
	*run = (struct gate_run){.policy = json_string_value(json_object_get(taking->run, "policy")),
				 .gpu = json_string_value(json_object_get(taking->run, "gpu")),
				 .producer = producer ? producer : "heddle run",
				 .conditions = taking->conditions};
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		run->slots[i] = json_number_value(json_object_get(slots, hd_stall_name[i]));
	meta->name = meta->demangled = hd_arena_strdup(taking->arena, kernel);
	meta->kernel = true;
	meta->source = (struct hd_meta_source){file ? hd_arena_strdup(taking->arena, file) : NULL,
					       (uint32_t)json_integer_value(json_object_get(source, "line"))};
	const char *slash = strrchr(taking->path, '/');
	*unit = (struct cmd_unit){.path = taking->path,
				  .metadata = {.arena = taking->arena,
					       .module = slash ? slash + 1 : taking->path,
					       .target = "",
					       .producer = run->producer,
					       .flags = run->conditions,
					       .functions = meta,
					       .function_count = 1}};
	hd_vec_push(&taking->subjects->list, (struct gate_subject){.unit = unit,
								   .meta = meta,
								   .run = run,
								   .figures = sum,
								   .chosen = true,
								   .name = meta->name});
	hd_vec_push(&taking->subjects->documents, sum);
}

static bool is_launch(const json_t *launch)
{
	return json_is_string(json_object_get(launch, "kernel")) && json_is_number(json_object_get(launch, "cycles"));
}

/* In the order in which the kernels are launched first. */
static int take_launches(const struct taking *taking, struct hd_diag *diag)
{
	const json_t *launches = json_object_get(taking->run, "launches");
	for (size_t i = 0; i < json_array_size(launches); i++) {
		const json_t *launch = json_array_get(launches, i);
		const char *kernel = json_string_value(json_object_get(launch, "kernel"));
		bool seen = false;
		if (!is_launch(launch))
			return hd_error(diag, HD_NOWHERE, "%s: launch %zu has no kernel and cycles", taking->path, i);
		for (size_t k = 0; k < i && !seen; k++)
			seen = strcmp(kernel,
				      json_string_value(json_object_get(json_array_get(launches, k), "kernel"))) == 0;
		if (seen)
			continue;
		json_t *sum = json_object();
		for (size_t k = i; k < json_array_size(launches); k++) {
			const json_t *other = json_array_get(launches, k);
			if (is_launch(other) &&
			    strcmp(kernel, json_string_value(json_object_get(other, "kernel"))) == 0)
				add_numbers(sum, other);
		}
		add_subject(taking, kernel, launch, sum);
	}
	return 0;
}

static int take_run(struct gate_subjects *subjects, const char *path, const json_t *run, struct gate_gpus *gpus,
		    struct hd_arena *arena, struct hd_diag *diag)
{
	const char *policy = json_string_value(json_object_get(run, "policy"));
	if (!policy || !json_is_string(json_object_get(run, "gpu")) || !json_is_array(json_object_get(run, "launches")))
		return hd_error(diag, HD_NOWHERE, "%s: %s", path,
				json_is_null(run) ? "a run has no statistics: it failed"
						  : "not statistics of `heddle run --stats`");
	if (json_is_true(json_object_get(run, "partial")))
		return hd_error(diag, HD_NOWHERE, "%s: the run under %s was cut off; its figures are partial", path,
				policy);
	if (gate_run_gpu(gpus, path, run, diag) < 0)
		return -1;
	struct hd_strbuf conditions = {0};
	hd_strbuf_printf(&conditions, "policy %s", policy);
	append_changed_keys(&conditions, run);
	struct taking taking = {subjects, path, run, hd_arena_strdup(arena, hd_strbuf_text(&conditions)), arena};
	hd_strbuf_release(&conditions);
	return take_launches(&taking, diag);
}

static int take_document(struct gate_subjects *subjects, const struct gate_document *document, struct gate_gpus *gpus,
			 struct hd_arena *arena, struct hd_diag *diag)
{
	const json_t *runs = json_object_get(document->json, "runs");
	int status = 0;
	hd_vec_push(&subjects->documents, document->json);
	if (!runs)
		return take_run(subjects, document->path, document->json, gpus, arena, diag);
	for (size_t i = 0; i < json_array_size(runs); i++)
		if (take_run(subjects, document->path, json_array_get(runs, i), gpus, arena, diag) != 0)
			status = -1;
	return status;
}

int gate_run_subjects(struct gate_subjects *subjects, gate_documents *runs, struct gate_gpus *gpus,
		      struct hd_arena *arena, struct hd_diag *diag)
{
	int status = 0;
	for (uint32_t i = 0; i < runs->len; i++)
		if (take_document(subjects, &runs->data[i], gpus, arena, diag) != 0)
			status = -1;
	hd_vec_release(runs);
	return status;
}

/* ------------------------------------------------------------------ figures */

/* "l1d_hits", "stalls.issued", "slots"; *known is cleared where there is no such number. */
static double number_at(const json_t *figures, const char *name, size_t len, bool *known)
{
	double sum = 0;
	const char *key;
	json_t *value;
	if (len == strlen("slots") && memcmp(name, "slots", len) == 0) {
		json_object_foreach(json_object_get(figures, "stalls"), key, value) sum += json_number_value(value);
		return sum;
	}
	char text[64];
	snprintf(text, sizeof(text), "%.*s", (int)len, name);
	char *dot = strchr(text, '.');
	if (dot)
		*dot = '\0';
	const json_t *found = json_object_get(figures, text);
	found = dot ? json_object_get(found, dot + 1) : found;
	*known &= json_is_number(found);
	return json_number_value(found);
}

static double sum_at(const json_t *figures, const char **at, bool *known)
{
	double sum = 0;
	for (;;) {
		size_t len = strcspn(*at, "+/");
		sum += number_at(figures, *at, len, known);
		*at += len;
		if (**at != '+')
			return sum;
		++*at;
	}
}

bool gate_run_figure(const json_t *figures, const char *formula, double *value)
{
	bool known = true;
	double scale = 1;
	if (isdigit((unsigned char)formula[0])) {
		char *end;
		scale = strtod(formula, &end);
		formula = end + 1;
	}
	*value = scale * sum_at(figures, &formula, &known);
	if (*formula == '/') {
		formula++;
		double divisor = sum_at(figures, &formula, &known);
		known &= divisor > 0;
		*value = known ? *value / divisor : 0;
	}
	return known;
}

const char *gate_run_text(const struct gate_run *run, struct hd_arena *arena)
{
	const char *conditions = strncmp(run->conditions, "policy ", 7) == 0 ? run->conditions + 7 : run->conditions;
	return hd_arena_printf(arena, " under %s on %s", conditions, run->gpu);
}

const char *gate_run_reason(const double *old, const double *now, struct hd_arena *arena)
{
	unsigned most = HD_STALL_issued;
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		if (i != HD_STALL_issued && i != HD_STALL_idle &&
		    (most == HD_STALL_issued || now[i] - old[i] > now[most] - old[most]))
			most = i;
	if (now[most] <= old[most])
		return NULL;
	return hd_arena_printf(arena, "most issue slots more are lost here %s: %.15g, %.15g before",
			       hd_stall_help[most], now[most], old[most]);
}
