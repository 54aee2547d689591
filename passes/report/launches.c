/*
 * Facts about the host code that heddle-cc found with libclang and passes on as JSON
 * (launches=FILE):
 *
 *   {"kernels":  [{"name": "...", "params": [{"name": "x", "type": "const float *"}, ...]}],
 *    "launches": [{"kernel": "...", "file": "...", "line": 12, "block": [256, 1, 1] or null, "shared": 0}]}
 *
 * Kernels are named as hd_metadata_find takes them; those that this module does not have are
 * another module's. Occupancy, PAG width and R2D2's register check need the block sizes.
 *
 * A relocatable module keeps its facts as `!heddle.launches = !{!{!"JSON"}}`, so that a kernel's launches in other
 * sources are known when the modules are linked: the linked module has an operand for each.
 */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "heddle/figures.h"
#include "passes/pass.h"

struct facts {
	struct hd_unit *unit;
	const char *path;
};

static int malformed(const struct facts *facts, const char *what)
{
	return hd_error(facts->unit->diag, (struct hd_loc){.file = facts->path}, "launch facts: %s", what);
}

#define KEPT "heddle.launches"

/* A static kernel of a relocatable module: its name and `__intern__<hash of the source>`. */
static const struct hd_meta_function *find_static(const struct hd_metadata *metadata, const char *name)
{
	static const char suffix[] = "__intern__";
	size_t len = strlen(name);
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (!strncmp(metadata->functions[i].name, name, len) &&
		    !strncmp(metadata->functions[i].name + len, suffix, strlen(suffix)))
			return &metadata->functions[i];
	return NULL;
}

static struct hd_meta_function *find(const struct facts *facts, const json_t *json)
{
	const struct hd_metadata *metadata = &facts->unit->metadata;
	const char *name = json_string_value(json);
	const struct hd_meta_function *found = name ? hd_metadata_find(metadata, name) : NULL;
	if (!found && name && facts->unit->options.relocatable)
		found = find_static(metadata, name);
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

/* ------------------------------------------------------------ files and modules */

static json_t *load_file(const struct facts *facts)
{
	json_error_t error;
	json_t *root = json_load_file(facts->path, JSON_REJECT_DUPLICATES, &error);
	if (!root) {
		struct hd_loc loc = {facts->path, error.line > 0 ? (uint32_t)error.line : 0,
				     error.column > 0 ? (uint32_t)error.column : 0};
		hd_error(facts->unit->diag, loc, "launch facts: %s", error.text);
	}
	return root;
}

/* Launch sites of an inline function in a header come from each source that includes it. */
static void add_new(json_t *to, const json_t *from)
{
	json_t *one, *other;
	size_t i, k;
	json_array_foreach((json_t *)from, i, one)
	{
		bool known = false;
		json_array_foreach(to, k, other) known = known || json_equal(one, other);
		if (!known)
			json_array_append(to, one);
	}
}

static const char *kept_text(LLVMValueRef node, unsigned *length)
{
	LLVMValueRef operand = NULL;
	if (LLVMGetMDNodeNumOperands(node) == 1)
		LLVMGetMDNodeOperands(node, &operand);
	return operand ? LLVMGetMDString(operand, length) : NULL;
}

/* All that the linked modules kept, as one. */
static json_t *load_kept(struct hd_unit *unit)
{
	unsigned count = LLVMGetNamedMetadataNumOperands(unit->source, KEPT), length;
	LLVMValueRef *nodes = HD_ARENA_NEW(&unit->arena, LLVMValueRef, count);
	json_t *kernels = json_array(), *launches = json_array();
	LLVMGetNamedMetadataOperands(unit->source, KEPT, nodes);
	for (unsigned i = 0; i < count; i++) {
		const char *text = kept_text(nodes[i], &length);
		json_t *root = text ? json_loadb(text, length, 0, NULL) : NULL;
		add_new(kernels, json_object_get(root, "kernels"));
		add_new(launches, json_object_get(root, "launches"));
		json_decref(root);
	}
	return json_pack("{s:o,s:o}", "kernels", kernels, "launches", launches);
}

int hd_launch_facts_read(struct hd_unit *unit, const char *path)
{
	const struct facts facts = {unit, path ? hd_arena_strdup(&unit->arena, path) : "!" KEPT};
	if (!path && !LLVMGetNamedMetadataNumOperands(unit->source, KEPT))
		return 0;
	json_t *root = path ? load_file(&facts) : load_kept(unit);
	int status = root ? read_all(&facts, root) : -1;
	json_decref(root);
	return status;
}

/* Names as the linked program has them: this module's static kernels can be told from others' of the same name. */
static void resolve(const struct facts *facts, json_t *list, const char *key)
{
	json_t *entry;
	size_t i;
	json_array_foreach(list, i, entry)
	{
		const struct hd_meta_function *function = find(facts, json_object_get(entry, key));
		if (function)
			json_object_set_new(entry, key, json_string(function->name));
	}
}

int hd_launch_facts_keep(struct hd_unit *unit)
{
	const struct facts facts = {unit, unit->options.launch_facts};
	if (!unit->options.relocatable || !facts.path || LLVMGetNamedMetadataNumOperands(unit->source, KEPT))
		return 0;
	json_t *root = load_file(&facts);
	resolve(&facts, json_object_get(root, "kernels"), "name");
	resolve(&facts, json_object_get(root, "launches"), "kernel");
	char *json = root ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	if (!json)
		return -1;
	LLVMContextRef context = LLVMGetModuleContext(unit->source);
	LLVMMetadataRef string = LLVMMDStringInContext2(context, json, strlen(json));
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, &string, 1);
	LLVMAddNamedMetadataOperand(unit->source, KEPT, LLVMMetadataAsValue(context, node));
	free(json);
	return 0;
}
