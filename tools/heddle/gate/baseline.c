/*
 * The baseline's file: reading (of any bytes), writing in one form with one figure a line, and taking the figures of
 * what is checked. Entries stand in order of their key, so that files that two branches change merge where they can.
 */
#include "tools/heddle/gate/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/figures.h"
#include "lib/metadata/json.h"

enum { VERSION = 2, OLDEST_VERSION = 1 /* had numbers only */ };

void gate_baseline_init(struct gate_baseline *baseline, struct hd_arena *arena, const char *path)
{
	*baseline = (struct gate_baseline){.arena = arena, .path = path};
}

static void release_entries(gate_base_entries *entries)
{
	for (uint32_t i = 0; i < entries->len; i++)
		hd_vec_release(&entries->data[i].figures);
	hd_vec_release(entries);
}

void gate_baseline_release(struct gate_baseline *baseline)
{
	release_entries(&baseline->old);
	release_entries(&baseline->now);
	hd_vec_release(&baseline->next); /* shares its figures with the others */
	hd_vec_release(&baseline->compared);
	free(baseline->text);
}

int gate_base_entry_order(const struct gate_base_entry *left, const struct gate_base_entry *right)
{
	int order = strcmp(left->kernel, right->kernel);
	order = order ? order : strcmp(left->gpu, right->gpu);
	order = order ? order : strcmp(left->toolchain, right->toolchain);
	return order ? order : strcmp(left->flags, right->flags);
}

int gate_base_entry_compare(const void *a, const void *b)
{
	return gate_base_entry_order(a, b);
}

static int by_label(const void *a, const void *b)
{
	const struct gate_base_figure *left = a, *right = b;
	return strcmp(left->label, right->label);
}

static void sort_entry(struct gate_base_entry *entry)
{
	if (entry->figures.len)
		qsort(entry->figures.data, entry->figures.len, sizeof(*entry->figures.data), by_label);
}

static void sort_entries(gate_base_entries *entries)
{
	for (uint32_t i = 0; i < entries->len; i++)
		sort_entry(&entries->data[i]);
	if (entries->len)
		qsort(entries->data, entries->len, sizeof(*entries->data), gate_base_entry_compare);
}

/* ------------------------------------------------------------------ reading */

/* The line of the next `"kernel":` at or behind *at. In a string of JSON its quotes would be escaped. */
static uint32_t next_line(const char **at, uint32_t line)
{
	const char *found = strstr(*at, "\"kernel\":");
	if (!found)
		return line;
	for (; *at < found; (*at)++)
		line += **at == '\n';
	(*at)++;
	return line;
}

static int wrong(const struct gate_baseline *baseline, uint32_t line, const char *what, struct hd_diag *diag)
{
	return hd_error(diag, (struct hd_loc){baseline->path, line, 0}, "not a baseline: %s", what);
}

static const char *get_text(const struct gate_baseline *baseline, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text && strlen(text) == json_string_length(json_object_get(object, key))
		       ? hd_arena_strdup(baseline->arena, text)
		       : NULL;
}

static int read_entry(struct gate_baseline *baseline, const json_t *object, uint32_t line, struct hd_diag *diag)
{
	struct gate_base_entry entry = {.line = line};
	const json_t *figures = json_object_get(object, "figures");
	json_int_t registers = json_integer_value(json_object_get(object, "registers"));
	entry.kernel = get_text(baseline, object, "kernel");
	entry.gpu = get_text(baseline, object, "gpu");
	entry.toolchain = get_text(baseline, object, "toolchain");
	entry.flags = get_text(baseline, object, "flags");
	if (!entry.kernel || !entry.gpu || !entry.toolchain || !entry.flags || !json_is_object(figures))
		return wrong(baseline, line, "an entry has kernel, gpu, toolchain, flags and figures", diag);
	entry.registers = registers > 0 && registers < UINT32_MAX ? (uint32_t)registers : 0;
	const json_t *slots = json_object_get(object, "slots");
	entry.of_run = json_is_object(slots);
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		entry.slots[i] = json_number_value(json_object_get(slots, hd_stall_name[i]));
	const char *label;
	json_t *value;
	json_object_foreach((json_t *)figures, label, value)
	{
		struct gate_base_figure figure = {.label = hd_arena_strdup(baseline->arena, label)};
		if (!gate_value_from_json(value, &figure.value)) {
			hd_vec_release(&entry.figures);
			return wrong(baseline, line, "figures are numbers, or have state, places and proven", diag);
		}
		hd_vec_push(&entry.figures, figure);
	}
	hd_vec_push(&baseline->old, entry);
	return 0;
}

static int read_document(struct gate_baseline *baseline, const json_t *document, const char *text, struct hd_diag *diag)
{
	const json_t *version = json_object_get(document, "heddle_baseline"),
		     *entries = json_object_get(document, "entries");
	uint32_t line = 1;
	if (!json_is_integer(version) || !json_is_array(entries))
		return wrong(baseline, 1, "it has heddle_baseline and entries", diag);
	if (json_integer_value(version) < OLDEST_VERSION || json_integer_value(version) > VERSION)
		return hd_error(diag, (struct hd_loc){baseline->path, 1, 0},
				"baseline of version %lld, but this Heddle reads versions up to %d",
				(long long)json_integer_value(version), VERSION);
	for (size_t i = 0; i < json_array_size(entries); i++) {
		line = next_line(&text, line);
		if (read_entry(baseline, json_array_get(entries, i), line, diag) != 0)
			return -1;
	}
	sort_entries(&baseline->old);
	for (uint32_t i = 1; i < baseline->old.len; i++)
		if (gate_base_entry_order(&baseline->old.data[i - 1], &baseline->old.data[i]) == 0)
			return wrong(baseline, baseline->old.data[i].line, "two entries have the same key", diag);
	return 0;
}

int gate_baseline_parse(struct gate_baseline *baseline, const char *text, size_t size, struct hd_diag *diag)
{
	json_error_t error;
	json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!document)
		return hd_error(diag, (struct hd_loc){baseline->path, error.line > 0 ? (uint32_t)error.line : 0, 0},
				"not a baseline: %s", error.text);
	int status = read_document(baseline, document, text, diag);
	json_decref(document);
	return status;
}

int gate_baseline_load(struct gate_baseline *baseline, bool may_be_absent, struct hd_diag *diag)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	if (access(baseline->path, F_OK) != 0 && errno == ENOENT)
		return may_be_absent ? 0
				     : hd_error(diag, HD_NOWHERE, "%s: no such baseline (--update creates it)",
						baseline->path);
	if (hd_read_file(baseline->path, &bytes, &size, diag) != 0)
		return -1;
	baseline->text = (char *)bytes;
	return gate_baseline_parse(baseline, baseline->text, size, diag);
}

/* ------------------------------------------------------------------ writing */

static json_t *slots_json(const double slots[HD_STALL_COUNT])
{
	json_t *object = json_object();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		json_object_set_new(object, hd_stall_name[i], gate_number_json(slots[i]));
	return object;
}

static json_t *entry_json(const struct gate_base_entry *entry)
{
	json_t *object = json_object(), *figures = json_object();
	json_object_set_new(object, "kernel", hd_json_text(entry->kernel));
	json_object_set_new(object, "gpu", hd_json_text(entry->gpu));
	json_object_set_new(object, "toolchain", hd_json_text(entry->toolchain));
	json_object_set_new(object, "flags", hd_json_text(entry->flags));
	if (!entry->of_run)
		json_object_set_new(object, "registers", json_integer(entry->registers));
	json_object_set_new(object, "figures", figures);
	for (uint32_t i = 0; i < entry->figures.len; i++)
		json_object_set_new(figures, entry->figures.data[i].label,
				    gate_value_json(&entry->figures.data[i].value));
	if (entry->of_run)
		json_object_set_new(object, "slots", slots_json(entry->slots));
	return object;
}

char *gate_baseline_text(const struct gate_baseline *baseline)
{
	json_t *document = json_object(), *entries = json_array();
	json_object_set_new(document, "heddle_baseline", json_integer(VERSION));
	json_object_set_new(document, "entries", entries);
	for (uint32_t i = 0; i < baseline->next.len; i++)
		json_array_append_new(entries, entry_json(&baseline->next.data[i]));
	char *text = hd_json_dump(document);
	json_decref(document);
	return text;
}

/* ------------------------------------------------------------------ measuring */

static void add_figure(struct gate_baseline *baseline, struct gate_base_entry *entry, const struct gate_metric *metric,
		       const struct gate_setting *setting)
{
	struct gate_value value;
	if (!gate_metric_get(metric, entry->subject, setting, &value))
		return;
	value.number = round(value.number * 1e4) / 1e4;
	const char *label =
		setting->block ? hd_arena_printf(baseline->arena, "%s@%u", metric->name, setting->block) : metric->name;
	hd_vec_push(&entry->figures, (struct gate_base_figure){label, metric, value});
}

/* A figure for each block size; where none is known, what the registers alone allow. */
static void add_occupancy(struct gate_baseline *baseline, const struct gate_budget *budget,
			  const struct gate_choice *choice, struct gate_base_entry *entry,
			  const struct gate_metric *metric, const struct hd_config *gpu)
{
	struct gate_setting settings[GATE_MOST_BLOCKS], unknown = {.gpu = gpu};
	const char *why;
	unsigned count = gate_settings(budget, choice, NULL, entry->subject, settings, &why);
	for (unsigned i = 0; i < count; i++) {
		settings[i].gpu = gpu;
		add_figure(baseline, entry, metric, &settings[i]);
	}
	if (!count)
		add_figure(baseline, entry, gate_metric_named("register_warps"), &unknown);
}

static void measure(struct gate_baseline *baseline, const struct gate_budget *budget, const struct gate_choice *choice,
		    const struct gate_subject *subject, const struct gate_gpus *gpus, unsigned gpu)
{
	const struct hd_metadata *metadata = &subject->unit->metadata;
	struct gate_base_entry entry = {
		.kernel = subject->name,
		.gpu = gpus->config[gpu].name,
		.toolchain = metadata->producer,
		.subject = subject,
		.gpu_bit = UINT32_C(1) << gpu,
		.registers = subject->meta->registers,
	};
	entry.flags = hd_arena_printf(baseline->arena, "%s %s%s%s", metadata->target,
				      metadata->mode == HD_MODE_RELOCATABLE ? "relocatable" : "whole-program",
				      metadata->flags[0] ? " " : "", metadata->flags);
	for (uint32_t i = 0; i < baseline->compared.len; i++) {
		const struct gate_metric *metric = baseline->compared.data[i].metric;
		struct gate_setting anywhere = {.gpu = &gpus->config[gpu]};
		if (isinf(baseline->compared.data[i].value))
			continue;
		if (metric->getter == GATE_OCCUPANCY && !gate_metric_any_block(metric))
			add_occupancy(baseline, budget, choice, &entry, metric, &gpus->config[gpu]);
		else
			add_figure(baseline, &entry, metric, &anywhere);
	}
	sort_entry(&entry);
	hd_vec_push(&baseline->now, entry);
}

/* A run has its GPU, and what it ran under in place of flags. */
static void measure_run(struct gate_baseline *baseline, const struct gate_subject *subject,
			const struct gate_gpus *gpus)
{
	const struct gate_run *run = subject->run;
	struct gate_setting anywhere = {0};
	struct gate_base_entry entry = {.kernel = subject->name,
					.gpu = run->gpu,
					.toolchain = run->producer,
					.flags = run->conditions,
					.subject = subject,
					.of_run = true};
	memcpy(entry.slots, run->slots, sizeof(entry.slots));
	for (unsigned gpu = 0; gpu < gpus->count; gpu++)
		if (strcmp(gpus->config[gpu].name, run->gpu) == 0)
			entry.gpu_bit = UINT32_C(1) << gpu;
	for (uint32_t i = 0; i < baseline->compared.len; i++)
		if (!isinf(baseline->compared.data[i].value))
			add_figure(baseline, &entry, baseline->compared.data[i].metric, &anywhere);
	sort_entry(&entry);
	hd_vec_push(&baseline->now, entry);
}

static bool same_figures(const struct gate_base_entry *a, const struct gate_base_entry *b)
{
	if (a->figures.len != b->figures.len || a->registers != b->registers)
		return false;
	for (uint32_t i = 0; i < a->figures.len; i++)
		if (strcmp(a->figures.data[i].label, b->figures.data[i].label) != 0 ||
		    gate_value_differs(&a->figures.data[i].value, &b->figures.data[i].value))
			return false;
	return true;
}

/* Kernels of one name in several objects: one entry where their figures agree, else the source tells them apart. */
static void separate(struct gate_baseline *baseline)
{
	gate_base_entries *now = &baseline->now;
	for (uint32_t first = 0, end; first < now->len; first = end) {
		bool differ = false;
		for (end = first + 1; end < now->len && gate_base_entry_order(&now->data[first], &now->data[end]) == 0;
		     end++)
			differ |= !same_figures(&now->data[first], &now->data[end]);
		for (uint32_t i = first; i < end && differ; i++)
			now->data[i].kernel = hd_arena_printf(baseline->arena, "%s [%s]", now->data[i].kernel,
							      now->data[i].subject->unit->metadata.module);
	}
}

static int merge(struct gate_baseline *baseline, struct hd_diag *diag)
{
	gate_base_entries *now = &baseline->now;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < now->len; i++) {
		struct gate_base_entry *entry = &now->data[i], *last = kept ? &now->data[kept - 1] : NULL;
		if (!last || gate_base_entry_order(last, entry) != 0) {
			now->data[kept++] = *entry;
			continue;
		}
		if (!same_figures(last, entry))
			return hd_error(diag, HD_NOWHERE,
					"%s: kernel %s differs between %s and %s (use a separate baseline for each)",
					baseline->path, entry->subject->name, last->subject->unit->path,
					entry->subject->unit->path);
		hd_vec_release(&entry->figures);
	}
	now->len = kept;
	return 0;
}

/*
 * NVIDIA's code has an entry for the GPUs that run it. Code that none of them runs is compared all the same, without
 * occupancy, under the first.
 */
static bool stands_for(const struct gate_subject *subject, const struct gate_gpus *gpus, uint32_t mask, uint32_t first,
		       unsigned gpu)
{
	bool runs = false;
	if (gate_runs_on(subject, &gpus->config[gpu]))
		return true;
	for (unsigned other = 0; other < gpus->count; other++)
		runs |= mask >> other & 1 && gate_runs_on(subject, &gpus->config[other]);
	return !runs && first >> gpu & 1;
}

int gate_baseline_measure(struct gate_baseline *baseline, const struct gate_budget *budget,
			  const struct gate_choice *choice, const struct gate_subjects *subjects,
			  const struct gate_gpus *gpus, struct hd_diag *diag)
{
	uint32_t mask = gate_default_gpus(budget, choice);
	uint32_t first = mask & (0 - mask);
	for (uint32_t i = 0; i < subjects->list.len; i++) {
		const struct gate_subject *subject = &subjects->list.data[i];
		if (!subject->chosen || !subject->meta->kernel)
			continue;
		for (unsigned gpu = 0; gpu < gpus->count && !subject->run; gpu++)
			if (mask >> gpu & 1 && stands_for(subject, gpus, mask, first, gpu))
				measure(baseline, budget, choice, subject, gpus, gpu);
		if (subject->run)
			measure_run(baseline, subject, gpus);
	}
	sort_entries(&baseline->now);
	separate(baseline);
	sort_entries(&baseline->now);
	return merge(baseline, diag);
}
