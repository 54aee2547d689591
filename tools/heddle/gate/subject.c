/*
 * Subjects of the gates: each kernel and function of the inputs with its object in the JSON of the metadata; and
 * what a kernel's source says about the blocks it is launched with.
 *
 * Cost: O(n log n) in the functions, besides parsing the JSON.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/json.h"
#include "tools/heddle/cubin_input.h"
#include "tools/heddle/gate/gate.h"

/* Puts the objects of "kernels" or "functions" into the subjects from `first` on, which stand in order of symbol. */
static void set_figures(struct gate_subjects *subjects, uint32_t first, const struct hd_metadata *metadata,
			const json_t *array)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *object = json_array_get(array, i);
		const char *name = json_string_value(json_object_get(object, "name"));
		const struct hd_meta_function *found = name ? hd_metadata_find_symbol(metadata, name) : NULL;
		if (found)
			subjects->list.data[first + (uint32_t)(found - metadata->functions)].figures = object;
	}
}

/* A kernel of NVIDIA's code has the figures that a cubin says and no others. */
static void set_cubin_figures(struct gate_subjects *subjects, uint32_t first, const struct cmd_unit *unit)
{
	json_t *all = json_array();
	for (uint32_t i = 0; i < unit->metadata.function_count; i++) {
		json_t *figures = cubin_figures(unit, &unit->metadata.functions[i]);
		json_array_append_new(all, figures);
		subjects->list.data[first + i].figures = figures;
	}
	hd_vec_push(&subjects->documents, all);
}

static json_t *document_of(const struct cmd_unit *unit, json_error_t *error)
{
	if (unit->cubin)
		return json_object();
	return unit->metadata_text ? json_loadb(unit->metadata_text, unit->metadata_bytes, 0, error)
				   : hd_metadata_json(&unit->metadata);
}

static int add_unit(struct gate_subjects *subjects, const struct cmd_unit *unit, struct hd_diag *diag)
{
	json_error_t error = {.text = "out of memory"};
	json_t *document = document_of(unit, &error);
	if (!document)
		return hd_error(diag, HD_NOWHERE, "%s: metadata: %s", unit->path, error.text);
	hd_vec_push(&subjects->documents, document);
	uint32_t first = subjects->list.len;
	const struct hd_metadata *metadata = &unit->metadata;
	for (uint32_t i = 0; i < metadata->function_count; i++) {
		const struct hd_meta_function *meta = &metadata->functions[i];
		bool named = meta->demangled && meta->demangled[0];
		hd_vec_push(&subjects->list, (struct gate_subject){.unit = unit,
								   .meta = meta,
								   .chosen = true,
								   .name = named ? meta->demangled : meta->name});
	}
	if (unit->cubin)
		set_cubin_figures(subjects, first, unit);
	set_figures(subjects, first, metadata, json_object_get(document, "kernels"));
	set_figures(subjects, first, metadata, json_object_get(document, "functions"));
	return 0;
}

static bool same_file(const struct gate_subject *a, const struct gate_subject *b)
{
	return a->unit->cubin && b->unit->cubin && strcmp(a->unit->path, b->unit->path) == 0 &&
	       strcmp(a->unit->metadata.module, b->unit->metadata.module) == 0;
}

static int by_version(const void *a, const void *b)
{
	const struct gate_subject *left = *(const struct gate_subject *const *)a,
				  *right = *(const struct gate_subject *const *)b;
	int order = strcmp(left->unit->path, right->unit->path);
	order = order ? order : strcmp(left->unit->metadata.module, right->unit->metadata.module);
	order = order ? order : strcmp(left->meta->name, right->meta->name);
	return order ? order : (left > right) - (left < right);
}

/* Joins the versions of each kernel of NVIDIA's in a ring. */
static void join_versions(struct gate_subjects *subjects)
{
	uint32_t count = 0;
	struct gate_subject **order = hd_xcalloc(subjects->list.len + 1, sizeof(struct gate_subject *));
	for (uint32_t i = 0; i < subjects->list.len; i++)
		if (subjects->list.data[i].unit->cubin)
			order[count++] = &subjects->list.data[i];
	qsort(order, count, sizeof(struct gate_subject *), by_version);
	for (uint32_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && same_file(order[first], order[end]) &&
				      strcmp(order[first]->meta->name, order[end]->meta->name) == 0;
		     end++)
			order[end - 1]->next_version = (int32_t)(order[end] - order[end - 1]);
		order[end - 1]->next_version = (int32_t)(order[first] - order[end - 1]);
	}
	free(order);
}

bool gate_runs_on(const struct gate_subject *subject, const struct hd_config *gpu)
{
	const struct cmd_unit *unit = subject->unit;
	if (!unit->cubin)
		return true;
	if (!cubin_runs_on(unit, gpu))
		return false;
	/* Of several, the newest is taken. */
	for (const struct gate_subject *other = subject + subject->next_version; other != subject;
	     other += other->next_version)
		if (cubin_runs_on(other->unit, gpu) && other->unit->cubin->arch > unit->cubin->arch)
			return false;
	return true;
}

bool gate_file_runs_on(const struct gate_subject *subject, const struct hd_config *gpu)
{
	if (gate_runs_on(subject, gpu))
		return true;
	for (const struct gate_subject *other = subject + subject->next_version; other != subject;
	     other += other->next_version)
		if (gate_runs_on(other, gpu))
			return true;
	return false;
}

bool gate_is_first_version(const struct gate_subject *subject)
{
	for (const struct gate_subject *other = subject + subject->next_version; other != subject;
	     other += other->next_version)
		if (other < subject)
			return false;
	return true;
}

const char *gate_gpu_of_cubin(const struct cmd_unit *unit, const char *const *names)
{
	struct hd_config *config = hd_xcalloc(1, sizeof(*config));
	struct hd_diag silent = hd_diag_silent();
	const char *runs = NULL, *own = NULL;
	for (; *names && !own; names++) {
		if (strchr(*names, '-') || hd_config_load(config, *names, &silent) != 0 || !cubin_runs_on(unit, config))
			continue;
		runs = runs ? runs : *names;
		own = (unsigned)config->compute_minor == unit->cubin->arch % 10 ? *names : NULL;
	}
	free(config);
	return own ? own : runs;
}

int gate_subjects_init(struct gate_subjects *subjects, const struct cmd_input *input, struct hd_diag *diag)
{
	*subjects = (struct gate_subjects){0};
	for (uint32_t i = 0; i < input->units.len; i++)
		if (add_unit(subjects, &input->units.data[i], diag) != 0)
			return -1;
	join_versions(subjects);
	return 0;
}

void gate_subjects_release(struct gate_subjects *subjects)
{
	for (uint32_t i = 0; i < subjects->documents.len; i++)
		json_decref(subjects->documents.data[i]);
	hd_vec_release(&subjects->documents);
	hd_vec_release(&subjects->list);
}

bool gate_subjects_choose(struct gate_subjects *subjects, const char *pattern)
{
	bool found = false;
	for (uint32_t i = 0; i < subjects->list.len; i++) {
		if (!hd_meta_function_matches(subjects->list.data[i].meta, pattern))
			continue;
		subjects->list.data[i].chosen = found = true;
	}
	return found;
}

/* ------------------------------------------------------------------ blocks */

static uint32_t volume(const uint32_t block[3])
{
	uint64_t threads = 1;
	for (unsigned i = 0; i < 3; i++)
		threads *= block[i] ? block[i] : 1;
	return threads < UINT32_MAX ? (uint32_t)threads : UINT32_MAX;
}

static unsigned add_block(uint32_t *blocks, unsigned count, uint32_t block)
{
	unsigned at = 0;
	while (at < count && blocks[at] < block)
		at++;
	if (!block || count == GATE_MOST_BLOCKS || (at < count && blocks[at] == block))
		return count;
	memmove(blocks + at + 1, blocks + at, (count - at) * sizeof(*blocks));
	blocks[at] = block;
	return count + 1;
}

unsigned gate_blocks(const struct hd_meta_function *kernel, uint32_t blocks[GATE_MOST_BLOCKS], uint32_t *shared)
{
	unsigned count = 0;
	*shared = 0;
	for (uint32_t i = 0; i < kernel->launch_count; i++) {
		const struct hd_meta_launch *launch = &kernel->launches[i];
		if (launch->block_known)
			count = add_block(blocks, count, volume(launch->block));
		if (launch->shared_known && launch->shared_bytes > *shared)
			*shared = launch->shared_bytes;
	}
	if (kernel->reqntid[0])
		count = add_block(blocks, 0, volume(kernel->reqntid));
	return count ? count : add_block(blocks, 0, kernel->max_threads);
}

struct hd_occupancy gate_occupancy(const struct hd_meta_function *kernel, const struct gate_setting *setting)
{
	struct hd_sm_limits limits = hd_sm_limits_of(setting->gpu);
	return hd_occupancy_compute(&limits, kernel->registers, setting->block,
				    (uint64_t)kernel->shared_bytes + setting->shared);
}

/* ------------------------------------------------------------------ GPUs */

/* Errors of a configuration get the place where its name stands. */
struct relocation {
	struct hd_diag *diag;
	struct hd_loc loc;
};

static void report_there(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	const struct relocation *relocation = context;
	(void)severity;
	hd_error(relocation->diag, loc.file ? loc : relocation->loc, "%s", message);
}

int gate_gpus_add(struct gate_gpus *gpus, const char *name, struct hd_loc loc, struct hd_diag *diag)
{
	for (unsigned i = 0; i < gpus->count; i++)
		if (strcmp(gpus->config[i].name, name) == 0)
			return (int)i;
	if (gpus->count == GATE_MOST_GPUS)
		return hd_error(diag, loc, "more than %d GPUs", GATE_MOST_GPUS);
	struct relocation relocation = {diag, loc};
	struct hd_diag there = {.emit = report_there, .context = &relocation};
	if (hd_config_load(&gpus->config[gpus->count], name, &there) != 0)
		return -1;
	/* A path is known by the name of its configuration. */
	for (unsigned i = 0; i < gpus->count; i++)
		if (strcmp(gpus->config[i].name, gpus->config[gpus->count].name) == 0)
			return (int)i;
	return (int)gpus->count++;
}

int gate_gpus_add_list(struct gate_gpus *gpus, const char *names, uint32_t *mask, struct hd_loc loc,
		       struct hd_diag *diag)
{
	char *copy = hd_xstrdup(names), *rest = copy;
	int status = 0;
	for (char *name; status == 0 && (name = strsep(&rest, ", \t"));) {
		int index = name[0] ? gate_gpus_add(gpus, name, loc, diag) : 0;
		if (index < 0)
			status = -1;
		else if (name[0])
			*mask |= UINT32_C(1) << index;
	}
	free(copy);
	return status;
}
