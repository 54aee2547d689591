/*
 * Code on demand: a function is read, verified, decoded and linked when the first kernel that may come to it is asked
 * for, so that a program pays for what it launches. A kernel may come to what it calls, what its metadata says that
 * indirect calls may reach, and functions whose addresses it has; addresses in data count from the start, so that
 * wherever a pointer to a function can have come from, the function is there.
 *
 * Who looks at all code or all metadata (policies, --verify, --check, traces, profiles, checkpoints) gets all of a
 * module when it is loaded, in its order.
 *
 * Cost: linear in what becomes there, and logarithmic in the module's functions for each call.
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/load.h"

bool hd_program_shows_all(const struct hd_gpu *gpu, const struct hd_module *module)
{
	if (!module->object.rest || gpu->policy_count || gpu->shows_code || gpu->options.warn_outside)
		return true;
	/* Whether what they stand for is there is said when the object is loaded. */
	for (uint32_t i = 0; i < module->object.symbol_count; i++)
		if (!module->object.symbols[i].defined)
			return true;
	return false;
}

static int refuse(struct hd_gpu *gpu, const struct hd_module *module)
{
	snprintf(gpu->error_text, sizeof(gpu->error_text), "%s: not a kernel object that can be loaded", module->name);
	return HD_SIM_BAD_OBJECT;
}

static struct hd_diag *diag_of(const struct hd_gpu *gpu, struct hd_diag *quiet)
{
	*quiet = (struct hd_diag){0};
	return gpu->options.diag ? gpu->options.diag : quiet;
}

/* ---- what a function may come to */

/* Functions of the module at hand in the order in which they were found, and those of others. */
struct need {
	struct hd_gpu *gpu;
	struct hd_module *module;
	bool *found; /* by function */
	HD_VEC(uint32_t) functions;
	HD_VEC(const struct hd_symbol *) elsewhere;
	struct hd_diag *diag;
	bool failed; /* the reader has reported why */
};

static void add(struct need *need, uint32_t function)
{
	if (need->found[function] || need->gpu->program.functions.data[need->module->first_function + function].there)
		return;
	need->found[function] = true;
	hd_vec_push(&need->functions, function);
}

static void add_relocs(struct need *need, const struct hd_reloc *relocs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_symbol *symbol = &need->module->object.symbols[relocs[i].symbol];
		if (symbol->kind == HD_SYM_FUNCTION && symbol->defined)
			add(need, symbol->function);
		else if (symbol->kind == HD_SYM_FUNCTION)
			hd_vec_push(&need->elsewhere, symbol);
	}
}

/* What the metadata says that it calls; its figures, and those of all that it reaches, are what a launch needs. */
static int add_callees(struct need *need, struct hd_meta_function *meta)
{
	struct hd_metadata *metadata = &need->module->object.metadata;
	if (hd_object_load_metadata(&need->module->object, (uint32_t)(meta - metadata->functions), false, need->diag))
		return -1;
	for (uint32_t i = 0; i < meta->call_count; i++)
		for (uint32_t c = 0; c < meta->calls[i].callee_count; c++) {
			const struct hd_meta_function *callee = hd_metadata_find(metadata, meta->calls[i].callees[c]);
			uint32_t function = callee ? need->module->functions[callee - metadata->functions] : 0;
			if (function)
				add(need, function - 1);
			else if (callee &&
				 hd_object_load_metadata(&need->module->object,
							 (uint32_t)(callee - metadata->functions), false, need->diag))
				return -1;
		}
	return 0;
}

static int look_at(struct need *need, uint32_t index)
{
	struct hd_object *object = &need->module->object;
	const struct hd_pfunction *function = &need->gpu->program.functions.data[need->module->first_function + index];
	if (hd_object_load_code(object, index, need->diag) != 0)
		return -1;
	const struct hd_linear *linear = hd_object_linear(object, index);
	add_relocs(need, object->functions[index].relocs, object->functions[index].reloc_count);
	if (linear)
		add_relocs(need, linear->body.relocs, linear->body.reloc_count);
	/* The object's own, which is no constant of ours. */
	return function->meta
		       ? add_callees(need, &object->metadata.functions[function->meta - object->metadata.functions])
		       : 0;
}

/* Functions that other modules define. */
static int need_elsewhere(const struct need *need)
{
	int status = HD_SIM_OK;
	for (uint32_t i = 0; i < need->elsewhere.len && !status; i++) {
		const struct hd_module *home;
		const struct hd_symbol *found =
			hd_program_definition(need->gpu, need->module, need->elsewhere.data[i], &home);
		for (struct hd_module *module = need->gpu->modules; found && module && !status; module = module->next)
			if (module == home)
				status = hd_program_need(need->gpu, module, found->function);
	}
	return status;
}

/* None of them is there if one cannot be. */
static void take_back(const struct need *need)
{
	struct hd_pfunction *functions = need->gpu->program.functions.data;
	for (uint32_t i = 0; i < need->functions.len; i++)
		functions[need->module->first_function + need->functions.data[i]].there = false;
}

static int meet(struct need *need)
{
	for (uint32_t i = 0; i < need->functions.len && !need->failed; i++)
		need->failed = look_at(need, need->functions.data[i]) != 0;
	int status = need->failed ? refuse(need->gpu, need->module)
				  : hd_program_fill(need->gpu, need->module, need->functions.data, need->functions.len);
	if (!status)
		status = need_elsewhere(need);
	if (status)
		take_back(need);
	return status;
}

static void begin(struct need *need, struct hd_gpu *gpu, struct hd_module *module, struct hd_diag *quiet)
{
	*need = (struct need){.gpu = gpu, .module = module, .diag = diag_of(gpu, quiet)};
	need->found = hd_xcalloc(module->object.function_count + 1, sizeof *need->found);
}

static int end(struct need *need)
{
	int status = meet(need);
	hd_vec_release(&need->functions);
	hd_vec_release(&need->elsewhere);
	free(need->found);
	return status;
}

int hd_program_fill_all(struct hd_gpu *gpu, struct hd_module *module)
{
	struct need need;
	struct hd_diag quiet;
	begin(&need, gpu, module, &quiet);
	for (uint32_t i = 0; i < module->object.function_count; i++)
		add(&need, i);
	for (uint32_t i = 0; i < module->object.symbol_count; i++)
		if (module->object.symbols[i].kind == HD_SYM_FUNCTION && !module->object.symbols[i].defined)
			hd_vec_push(&need.elsewhere, &module->object.symbols[i]);
	need.failed = hd_object_load_all(&module->object, need.diag) != 0;
	return end(&need);
}

int hd_program_need(struct hd_gpu *gpu, struct hd_module *module, uint32_t function)
{
	struct need need;
	struct hd_diag quiet;
	begin(&need, gpu, module, &quiet);
	add(&need, function);
	return end(&need);
}

int hd_program_need_data(struct hd_gpu *gpu, struct hd_module *module)
{
	struct need need;
	struct hd_diag quiet;
	begin(&need, gpu, module, &quiet);
	add_relocs(&need, module->object.data_relocs, module->object.data_reloc_count);
	add_relocs(&need, module->object.rodata_relocs, module->object.rodata_reloc_count);
	return end(&need);
}

/* ---- kernels */

/* Kernels stand in the order of functions. */
static struct hd_kernel *kernel_of(const struct hd_module *module, uint32_t function)
{
	uint32_t at, index = module->first_function + function;
	HD_BISECT(at, 0, module->kernel_count, module->kernels[at].function < index);
	return at < module->kernel_count && module->kernels[at].function == index ? &module->kernels[at] : NULL;
}

struct hd_kernel *hd_program_kernel(struct hd_module *module, const char *name)
{
	const struct hd_metadata *metadata = &module->object.metadata;
	const struct hd_meta_function *meta = hd_metadata_find(metadata, name);
	uint32_t function = meta ? module->functions[meta - metadata->functions] : 0;
	struct hd_kernel *kernel = function ? kernel_of(module, function - 1) : NULL;
	if (!kernel || strcmp(hd_kernel_name(kernel), name) != 0) {
		kernel = NULL;
		for (uint32_t i = 0; i < module->kernel_count && !kernel; i++)
			if (strcmp(hd_kernel_name(&module->kernels[i]), name) == 0)
				kernel = &module->kernels[i];
	}
	bool there = kernel && module->gpu->program.functions.data[kernel->function].there;
	if (!kernel || there)
		return kernel;
	return hd_program_need(module->gpu, module, kernel->function - module->first_function) ? NULL : kernel;
}
