/*
 * The launches of a run, from what `heddle run --stats` or `--json` writes: the latter also behind what the program
 * itself printed.
 */
#include <math.h>
#include <string.h>

#include "heddle/object.h"
#include "tools/heddle/validate/validate.h"

static int wrong(const struct validation *validation, const char *what)
{
	return hd_error(validation->diag, HD_NOWHERE, "%s: %s", validation->source, what);
}

static const json_t *run_of_policy(const struct validation *validation, const json_t *runs, const char *policy)
{
	const json_t *found = NULL;
	for (size_t i = 0; i < json_array_size(runs) && !found; i++) {
		const json_t *run = json_array_get(runs, i);
		const char *name = json_string_value(json_object_get(run, "policy"));
		if (name && (policy ? !strcmp(name, policy) : json_array_size(runs) == 1))
			found = run;
	}
	if (!found && policy)
		hd_error(validation->diag, HD_NOWHERE, "%s: no run of policy %s", validation->source, policy);
	else if (!found)
		wrong(validation, "several runs; --policy says of which");
	return found;
}

static const json_t *choose_run(const struct validation *validation, const char *policy)
{
	const json_t *runs = json_object_get(validation->document, "runs");
	const char *name = json_string_value(json_object_get(validation->document, "policy"));
	if (runs)
		return run_of_policy(validation, runs, policy);
	if (policy && (!name || strcmp(name, policy) != 0)) {
		hd_error(validation->diag, HD_NOWHERE, "%s: no run of policy %s", validation->source, policy);
		return NULL;
	}
	return validation->document;
}

static double sector_of(const json_t *run)
{
	return json_number_value(json_object_get(json_object_get(run, "config"), "sector"));
}

/* Counts of sectors of the run are as its GPU's; what is compared is in those of 32 bytes, or in bytes. */
static double value_of(const json_t *launch, unsigned quantity, double sector)
{
	const json_t *value = json_object_get(launch, quantities[quantity].of);
	if (!json_is_number(value))
		return NAN;
	double scale = !strcmp(quantities[quantity].unit, "bytes")     ? sector
		       : !strcmp(quantities[quantity].unit, "sectors") ? sector / 32
								       : 1;
	return scale * json_number_value(value);
}

static bool take_sizes(const json_t *array, uint32_t sizes[3])
{
	for (unsigned i = 0; i < 3; i++)
		sizes[i] = (uint32_t)json_integer_value(json_array_get(array, i));
	return json_array_size(array) == 3;
}

static int take_launch(struct validation *validation, const json_t *document, size_t index)
{
	const char *kernel = json_string_value(json_object_get(document, "kernel"));
	struct launch launch = {.index = (uint32_t)index, .sized = true, .kernel = kernel};
	if (!kernel || !take_sizes(json_object_get(document, "grid"), launch.grid) ||
	    !take_sizes(json_object_get(document, "block"), launch.block))
		return hd_error(validation->diag, HD_NOWHERE, "%s: launch %zu has no kernel, grid and block",
				validation->source, index);
	if (json_is_true(json_object_get(document, "partial")))
		return hd_error(validation->diag, HD_NOWHERE, "%s: launch %zu was cut off; its figures are partial",
				validation->source, index);
	for (unsigned q = 0; q < QUANTITY_COUNT; q++)
		launch.values[q] = value_of(document, q, sector_of(validation->run));
	launch_set_name(&launch, &validation->arena);
	hd_vec_push(&validation->here, launch);
	return 0;
}

/* Statistics without the key, of an older version, get nothing added. */
void launches_count(struct validation *validation)
{
	int32_t used = validation->used[QUANTITY_cycles];
	const json_t *config = json_object_get(validation->run, "config");
	if (used < 0 || metrics[used].counted != COUNTED_LAUNCH)
		return;
	validation->added = json_number_value(json_object_get(config, "profiler_launch_cycles"));
	for (uint32_t i = 0; i < validation->here.len; i++)
		validation->here.data[i].values[QUANTITY_cycles] += validation->added;
}

/* The last line that is "{" begins the document: what is in it is indented. */
static const char *begin_of(const char *text)
{
	const char *begin = text;
	for (const char *at = text; (at = strstr(at, "\n{\n"));)
		begin = ++at;
	return begin;
}

static int load(struct validation *validation)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	json_error_t error;
	if (hd_read_file(validation->source, &bytes, &size, validation->diag))
		return -1;
	validation->document = json_loads(begin_of((const char *)bytes), JSON_REJECT_DUPLICATES, &error);
	free(bytes);
	if (!validation->document)
		return wrong(validation, "not statistics of `heddle run --stats` or `--json`");
	return 0;
}

int launches_read(struct validation *validation, const char *policy)
{
	if (load(validation))
		return -1;
	validation->run = choose_run(validation, policy);
	if (!validation->run)
		return -1;
	const json_t *launches = json_object_get(validation->run, "launches");
	if (!json_is_array(launches) || !(sector_of(validation->run) > 0))
		return wrong(validation, "not statistics of `heddle run --stats` or `--json`");
	if (json_is_true(json_object_get(validation->run, "partial")))
		return wrong(validation, "the run was cut off, its figures are partial");
	if (json_is_true(json_object_get(validation->run, "functional")))
		return wrong(validation, "a run with --functional has no cycles and no traffic");
	for (size_t i = 0; i < json_array_size(launches); i++)
		if (take_launch(validation, json_array_get(launches, i), i))
			return -1;
	return validation->here.len ? 0 : wrong(validation, "no launches");
}
