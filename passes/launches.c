/*
 * Facts about the host code that heddle-cc found with libclang and passes on as JSON
 * (launches=FILE):
 *
 *   {"kernels":  [{"name": "...", "params": [{"name": "x", "type": "const float *"}, ...]}],
 *    "launches": [{"kernel": "...", "file": "...", "line": 12, "block": [256, 1, 1] or null, "shared": 0}]}
 *
 * Kernels are named as hd_metadata_find takes them; those that this module does not have are
 * another module's. Occupancy, PAG width and R2D2's register check need the block sizes.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "passes/pass.h"

struct facts {
	struct hd_unit *unit;
	const char *path;
};

static int malformed(const struct facts *facts, const char *what)
{
	return hd_error(facts->unit->diag, (struct hd_loc){.file = facts->path}, "launch facts: %s", what);
}

static struct hd_meta_function *find(const struct facts *facts, const json_t *name)
{
	const struct hd_metadata *metadata = &facts->unit->metadata;
	const struct hd_meta_function *found =
		json_is_string(name) ? hd_metadata_find(metadata, json_string_value(name)) : NULL;
	return found && found->kernel ? metadata->functions + (found - metadata->functions) : NULL;
}

/* A positive number, or 0 when it is null, absent or not one. */
static uint32_t number(const json_t *value)
{
	json_int_t n = json_is_integer(value) ? json_integer_value(value) : 0;
	return n > 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
}

static const char *text(const struct facts *facts, const json_t *value)
{
	return json_is_string(value) ? hd_arena_strdup(&facts->unit->arena, json_string_value(value)) : NULL;
}

static int read_kernel(const struct facts *facts, const json_t *kernel)
{
	struct hd_meta_function *function = find(facts, json_object_get(kernel, "name"));
	const json_t *params = json_object_get(kernel, "params");
	if (!json_is_array(params))
		return malformed(facts, "a kernel has no array 'params'");
	if (!function || json_array_size(params) != function->param_count)
		return 0; /* another overload, or another module's */
	for (uint32_t i = 0; i < function->param_count; i++) {
		const json_t *param = json_array_get(params, i);
		const char *name = text(facts, json_object_get(param, "name"));
		const char *type = text(facts, json_object_get(param, "type"));
		if (name && *name)
			function->params[i].name = name;
		if (type && *type)
			function->params[i].type = type;
	}
	return 0;
}

static struct hd_meta_launch launch_of(const struct facts *facts, const json_t *site)
{
	const json_t *block = json_object_get(site, "block"), *shared = json_object_get(site, "shared");
	struct hd_meta_launch launch = {
		.source = {text(facts, json_object_get(site, "file")), number(json_object_get(site, "line"))},
		.block_known = json_is_array(block),
		.shared_known = json_is_integer(shared),
		.shared_bytes = number(shared),
	};
	for (unsigned d = 0; d < 3 && launch.block_known; d++)
		launch.block[d] = d < json_array_size(block) ? number(json_array_get(block, d)) : 1;
	for (unsigned d = 0; d < 3; d++)
		launch.block_known = launch.block_known && launch.block[d];
	return launch;
}

/* Two passes: count, then fill. */
static int read_launches(const struct facts *facts, const json_t *launches)
{
	const struct hd_metadata *metadata = &facts->unit->metadata;
	json_t *site;
	size_t i;
	json_array_foreach((json_t *)launches, i, site)
	{
		struct hd_meta_function *function = find(facts, json_object_get(site, "kernel"));
		if (!json_is_object(site))
			return malformed(facts, "a launch is not an object");
		if (function)
			function->launch_count++;
	}
	for (uint32_t f = 0; f < metadata->function_count; f++) {
		struct hd_meta_function *function = &metadata->functions[f];
		function->launches = HD_ARENA_NEW(metadata->arena, struct hd_meta_launch, function->launch_count);
		function->launch_count = 0;
	}
	json_array_foreach((json_t *)launches, i, site)
	{
		struct hd_meta_function *function = find(facts, json_object_get(site, "kernel"));
		if (function)
			function->launches[function->launch_count++] = launch_of(facts, site);
	}
	return 0;
}

static int read_all(const struct facts *facts, const json_t *root)
{
	const json_t *kernels = json_object_get(root, "kernels"), *launches = json_object_get(root, "launches");
	json_t *kernel;
	size_t i;
	if (!json_is_object(root) || (kernels && !json_is_array(kernels)) || (launches && !json_is_array(launches)))
		return malformed(facts, "not an object of arrays 'kernels' and 'launches'");
	json_array_foreach((json_t *)kernels, i, kernel)
	{
		if (read_kernel(facts, kernel))
			return -1;
	}
	return read_launches(facts, launches);
}

int hd_launch_facts_read(struct hd_unit *unit, const char *path)
{
	const struct facts facts = {unit, hd_arena_strdup(&unit->arena, path)};
	json_error_t error;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		struct hd_loc loc = {facts.path, error.line > 0 ? (uint32_t)error.line : 0,
				     error.column > 0 ? (uint32_t)error.column : 0};
		return hd_error(unit->diag, loc, "launch facts: %s", error.text);
	}
	int status = read_all(&facts, root);
	json_decref(root);
	return status;
}
