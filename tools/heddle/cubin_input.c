/*
 * Units from cubins. Their metadata is made from what lib/cubin reads; cubin.def has the figures that only they have.
 *
 * Cost: linear in the cubins' functions and instructions, but for the C++ library's demangler: a short name can stand
 * for a long text.
 */
#include "tools/heddle/cubin_input.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "lib/machine/mix.h"
#include "lib/metadata/json.h"

/* ------------------------------------------------------------------ names */

typedef char *(*demangler)(const char *name, char *buffer, size_t *length, int *status);

/* Of the C++ library, which the compiler needs anyway; this program does not, until it reads nvcc's code. */
static demangler find_demangler(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
	demangler function;
	memcpy(&function, &found, sizeof(function));
	return function;
}

static const char *demangled(demangler demangle, const char *name, struct hd_arena *arena)
{
	int status = -1;
	char *text = demangle && strncmp(name, "_Z", 2) == 0 ? demangle(name, NULL, NULL, &status) : NULL;
	const char *result = text && status == 0 ? hd_arena_strdup(arena, text) : NULL;
	free(text);
	return result;
}

/* ------------------------------------------------------------------ units */

struct loading {
	struct cmd_input *input;
	struct hd_diag *diag;
	demangler demangle;
	int empty; /* cubins without functions */
};

static uint32_t count_kind(const struct hd_cubin_function *function, enum hd_mix_kind kind)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < function->inst_count; i++)
		count += function->insts[i].kinds >> kind & 1;
	return count;
}

static struct hd_meta_function described(const struct hd_cubin_function *function, const char *name)
{
	struct hd_meta_function meta = {.name = function->name,
					.demangled = name,
					.source = {function->file, function->line},
					.kernel = function->kernel,
					.registers = function->registers,
					.stack_bytes = function->stack_bytes,
					.max_stack_bytes = function->max_stack_bytes,
					.recursive_calls = function->stack_open,
					.unknown_calls = function->kernel ? function->open_calls : 0,
					.shared_bytes = function->shared_bytes,
					.param_bytes = function->param_bytes,
					.max_threads = function->max_threads,
					.max_cluster = function->max_cluster,
					.instructions = function->inst_count,
					.fp64_instructions = count_kind(function, HD_MIX_FP64),
					.conversion_instructions = count_kind(function, HD_MIX_CONVERSION),
					.spill_store_bytes = function->spill_store_bytes,
					.spill_load_bytes = function->spill_load_bytes,
					.local_accesses = count_kind(function, HD_MIX_LOCAL),
					.barrier_instructions = count_kind(function, HD_MIX_BARRIER)};
	memcpy(meta.reqntid, function->reqntid, sizeof(meta.reqntid));
	return meta;
}

static int add_cubin(void *context, const struct hd_cubin_image *image)
{
	struct loading *loading = context;
	struct hd_arena *arena = &loading->input->arena;
	struct hd_cubin *cubin = HD_ARENA_NEW(arena, struct hd_cubin, 1);
	if (hd_cubin_read(image->bytes, image->size, image->path, arena, cubin, loading->diag) != 0)
		return -1;
	loading->empty += !cubin->function_count;
	if (!cubin->function_count)
		return 0;
	struct cmd_unit unit = {.path = hd_arena_strdup(arena, image->path), .cubin = cubin};
	unit.metadata = (struct hd_metadata){.arena = arena,
					     .module = hd_arena_strdup(arena, image->name),
					     .target = cubin->target,
					     .producer = cubin->producer,
					     .flags = cubin->options,
					     .mode = cubin->relocatable ? HD_MODE_RELOCATABLE : HD_MODE_WHOLE_PROGRAM,
					     .function_count = cubin->function_count};
	unit.metadata.functions = HD_ARENA_NEW(arena, struct hd_meta_function, cubin->function_count + 1);
	for (uint32_t i = 0; i < cubin->function_count; i++)
		unit.metadata.functions[i] =
			described(&cubin->functions[i], demangled(loading->demangle, cubin->functions[i].name, arena));
	hd_vec_push(&loading->input->units, unit);
	return 0;
}

int cubin_input_load(struct cmd_input *input, const char *path, const uint8_t *bytes, size_t size, struct hd_diag *diag)
{
	struct loading loading = {.input = input, .diag = diag};
	struct hd_cubin_rest rest;
	if (!input->take_cubins && !hd_cubin_certain(bytes, size))
		return 1;
	if (!input->take_cubins)
		return hd_error(diag, HD_NOWHERE, "%s: contains NVIDIA's code (heddle info, check and diff read it)",
				path);
	loading.demangle = find_demangler();
	int count = hd_cubin_scan(bytes, size, path, &rest, add_cubin, &loading, diag);
	count = count < 0 ? count : count - loading.empty;
	if (count == 0 && rest.ptx)
		return hd_error(diag, HD_NOWHERE,
				"%s: contains PTX only, which has no figures (compile for an architecture: "
				"-arch=sm_%u)",
				path, rest.newest_ptx);
	return count < 0 ? -1 : count == 0;
}

/* ------------------------------------------------------------------ figures */

const struct hd_cubin_function *cubin_function(const struct cmd_unit *unit, const struct hd_meta_function *function)
{
	return &unit->cubin->functions[function - unit->metadata.functions];
}

static void set(json_t *object, const char *key, uint32_t value)
{
	json_object_set_new(object, key, json_integer(value));
}

json_t *cubin_figures(const struct cmd_unit *unit, const struct hd_meta_function *function)
{
	const struct hd_cubin_function *own = cubin_function(unit, function);
	json_t *object = json_object(), *cubin = json_object();
	json_object_set_new(object, "name", hd_json_text(function->name));
	json_object_set_new(object, "demangled", hd_json_text(hd_meta_shown_name(function)));
	set(object, "registers", function->registers);
	set(object, "stack_bytes", function->stack_bytes);
	if (function->kernel)
		set(object, "max_stack_bytes", function->max_stack_bytes);
	set(object, "shared_bytes", function->shared_bytes);
	if (function->kernel)
		set(object, "param_bytes", function->param_bytes);
	if (own->insts) {
		json_t *mix = json_object();
		set(object, "instructions", function->instructions);
		bool known = own->spills_known || !function->local_accesses;
		if (known) {
			set(object, "spill_bytes", own->spill_store_bytes + own->spill_load_bytes);
			set(object, "spill_store_bytes", own->spill_store_bytes);
			set(object, "spill_load_bytes", own->spill_load_bytes);
		}
		set(mix, "fp64_instructions", function->fp64_instructions);
		set(mix, "conversion_instructions", function->conversion_instructions);
		set(mix, "local_accesses", function->local_accesses);
		set(mix, "barrier_instructions", function->barrier_instructions);
		json_object_set_new(object, "mix", mix);
	}
#define GATE_CUBIN(metric, unit, member, doc) set(cubin, #member, own->member);
#include "tools/heddle/gate/cubin.def"
#undef GATE_CUBIN
	json_object_set_new(object, "cubin", cubin);
	return object;
}

bool cubin_runs_on(const struct cmd_unit *unit, const struct hd_config *gpu)
{
	unsigned arch = unit->cubin->arch, major = arch / 10, minor = arch % 10;
	if (hd_target_is_special(unit->metadata.target))
		return major == (unsigned)gpu->compute_major && minor == (unsigned)gpu->compute_minor;
	return major == (unsigned)gpu->compute_major && minor <= (unsigned)gpu->compute_minor;
}
