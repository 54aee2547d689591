/*
 * The loaded program: decodes a module's functions (decode.c), links them with
 * what is loaded already, and places the module's variables in device memory.
 *
 * Needs an object that hd_object_verify has passed. Linear in its instructions and relocations
 * (undefined symbols search the modules loaded before). On failure nothing of the module is left behind.
 */
#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "lib/object/spins.h"
#include "runtime/exec/control.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"
#include "runtime/exec/load.h"

/* Constant operands must lie in bank 0. */
static bool constant_in_range(const struct hd_inst *inst)
{
	if (!hd_x_is_constant(inst->xkind))
		return true;
	enum hd_slot slot = inst->xkind == HD_X_CONST_B ? HD_SLOT_B : HD_SLOT_C;
	unsigned bytes = 4 * hd_op_width(inst->op, inst->mods, slot);
	return inst->x >> 16 == 0 && (inst->x & 0xffff) % 4 == 0 && hd_cb_holds(inst->x & 0xffff, bytes);
}

/* ---- functions */

static void add_tables(struct hd_module *module, struct hd_pfunction *to)
{
	const struct hd_function *from = to->object;
	const uint32_t **tables = HD_ARENA_NEW(&module->arena, const uint32_t *, from->table_count + 1);
	uint32_t *counts = HD_ARENA_NEW(&module->arena, uint32_t, from->table_count + 1);
	for (uint32_t i = 0; i < from->table_count; i++) {
		uint32_t *targets = HD_ARENA_NEW(&module->arena, uint32_t, from->tables[i].count + 1);
		for (uint32_t j = 0; j < from->tables[i].count; j++)
			targets[j] = to->first + from->tables[i].targets[j];
		tables[i] = targets;
		counts[i] = from->tables[i].count;
	}
	to->tables = tables;
	to->table_counts = counts;
}

/* Instructions with a linear operand once the sum is in a register. */
static const struct hd_dinst *decode_direct(const struct hd_gpu *gpu, struct hd_module *module,
					    const struct hd_linear *linear, uint32_t first, uint32_t function,
					    int level)
{
	const struct hd_function *body = &linear->body;
	struct hd_dinst *direct = HD_ARENA_NEW(&module->arena, struct hd_dinst, body->inst_count);
	for (uint32_t i = 0; i < body->inst_count; i++) {
		struct hd_inst inst = body->insts[i];
		uint8_t *const slots[] = {&inst.dst, &inst.a, &inst.b, &inst.c};
		if (!inst.linear)
			continue;
		*slots[hd_lr_slot(inst.linear)] = (uint8_t)hd_linear_scratch(linear);
		inst.linear = 0;
		direct[i] = hd_dinst_decode(gpu, &inst, first, function, level);
	}
	return direct;
}

enum { SOON = 3 }; /* instructions */

static void mark_awaited(const struct hd_function *from, struct hd_dinst *code)
{
	for (uint32_t i = 0; i < from->inst_count; i++)
		for (uint32_t next = i + 1; next <= i + SOON && next < from->inst_count; next++)
			code[i].awaited |= hd_hazards_meet(&code[i].writes, &code[next].hazards);
}

static void mark_helpers(const struct hd_module *module, const struct hd_function *from, struct hd_dinst *code)
{
	for (uint32_t i = 0; i < from->reloc_count; i++) {
		const struct hd_symbol *symbol = &module->object.symbols[from->relocs[i].symbol];
		if (from->relocs[i].kind == HD_REL_CALL && symbol->defined)
			code[from->relocs[i].offset].helper = module->object.functions[symbol->function].helper;
	}
	for (uint32_t i = 0; i < from->inst_count && from->helper; i++)
		code[i].helper |= (code[i].effects & HD_FX_RET) != 0;
}

/* What --verify holds a linear version against, as of a function. */
static const struct hd_meta_function *said_of_linear(struct hd_module *module, const char *name)
{
	const struct hd_meta_function *kernel = hd_metadata_find(&module->object.metadata, name);
	const struct hd_meta_linear_version *version = kernel ? kernel->linear_version : NULL;
	if (!version)
		return NULL;
	struct hd_meta_function *said = HD_ARENA_NEW(&module->arena, struct hd_meta_function, 1);
	*said = (struct hd_meta_function){.name = kernel->name,
					  .demangled = kernel->demangled,
					  .kernel = true,
					  .calls = version->calls,
					  .call_count = version->call_count,
					  .intervals = version->intervals,
					  .interval_count = version->interval_count,
					  .points = version->points,
					  .point_count = version->point_count,
					  .barriers = version->barriers,
					  .barrier_count = version->barrier_count,
					  .divergent_pcs = version->divergent_pcs,
					  .divergent_pc_count = version->divergent_pc_count,
					  .dead_operands = version->dead_operands,
					  .dead_operand_count = version->dead_operand_count,
					  .reuse = version->reuse};
	return said;
}

static void mark_spins(const struct hd_spins *spins, const struct hd_function *from, struct hd_dinst *code)
{
	uint8_t *of = hd_xcalloc(from->inst_count + 1, 1);
	hd_spins_find(spins, from, of);
	for (uint32_t i = 0; i < from->inst_count; i++) {
		code[i].spins = of[i];
		if (of[i] && code[i].inst.op == HD_OP_NANOSLEEP)
			code[i].exec = NULL; /* it moves paths, as control instructions do */
	}
	free(of);
}

/* What hd_program_load has given it a place for. */
static int fill(struct hd_gpu *gpu, struct hd_module *module, uint32_t index, int level)
{
	struct hd_program *program = &gpu->program;
	struct hd_pfunction *function = &program->functions.data[index];
	const struct hd_function *from = function->object;
	struct hd_dinst *code = program->code.data + function->first;
	add_tables(module, function);
	if (function->linear) {
		function->direct = decode_direct(gpu, module, function->linear, function->first, index, level);
		function->said = said_of_linear(module, from->name);
	} else {
		function->said = function->meta;
	}
	hd_facts_prepare(gpu, module, function);
	HD_TELL(gpu, loaded, gpu, module, function);
	for (uint32_t i = 0; i < from->inst_count; i++) {
		if (!constant_in_range(&from->insts[i]))
			return hd_gpu_refuse(gpu, HD_SIM_BAD_OBJECT,
					     "%s: function %s, pc 0x%x: constant operand out of range", module->name,
					     from->name, i * HD_INST_BYTES);
		code[i] = hd_dinst_decode(gpu, &from->insts[i], function->first, index, level);
		hd_facts_tag(function->said, i, &code[i]);
		program->fetches |= hd_opinfo[from->insts[i].op].space == HD_AT_TEXTURE;
		program->points_to_parameters |= hd_x_is_constant(from->insts[i].xkind) &&
						 ((from->insts[i].x & 0xffff) | 4) == (HD_CB_PARAM_COPY | 4);
	}
	if (gpu->config->core == HD_CORE_MODERN)
		hd_control_load(gpu, from, code);
	mark_awaited(from, code);
	mark_helpers(module, from, code);
	mark_spins(module->spins, from, code);
	function->least = hd_resizes_least(from, &module->arena);
	function->rows = hd_function_rows(from);
	function->there = true;
	program->there += from->inst_count;
	return HD_SIM_OK;
}

/* ---- symbols */

static uint64_t variable_address(const struct hd_module *module, const struct hd_symbol *symbol)
{
	if (symbol->space == HD_SPACE_SHARED)
		return HD_SHARED_WINDOW + symbol->section_offset;
	if (module->placed && module->placed[symbol - module->object.symbols])
		return module->placed[symbol - module->object.symbols];
	uint64_t section = symbol->bss				? module->bss_address
			   : symbol->space == HD_SPACE_CONSTANT ? module->rodata_address
								: module->data_address;
	return section + symbol->section_offset;
}

static uint64_t symbol_address(const struct hd_gpu *gpu, const struct hd_module *module, const struct hd_symbol *symbol)
{
	if (symbol->kind == HD_SYM_VARIABLE)
		return variable_address(module, symbol);
	uint32_t index = module->first_function + symbol->function;
	return HD_CODE_WINDOW + module->code_shift + (uint64_t)HD_INST_BYTES * gpu->program.functions.data[index].first;
}

static bool has_code(const struct hd_gpu *gpu, const struct hd_module *module, uint64_t pc)
{
	uint32_t count = module->object.function_count + module->object.linear_count;
	const struct hd_pfunction *first = &gpu->program.functions.data[module->first_function];
	return count && pc >= first->first && pc < first[count - 1].first + first[count - 1].count;
}

uint32_t hd_program_function(const struct hd_program *program, uint32_t pc)
{
	uint32_t after;
	HD_BISECT(after, 0, program->functions.len, program->functions.data[after].first <= pc);
	return after - 1;
}

uint32_t hd_program_pc(const struct hd_gpu *gpu, uint64_t address)
{
	const struct hd_program *program = &gpu->program;
	uint64_t unshifted = address - HD_CODE_WINDOW;
	if (unshifted % HD_INST_BYTES == 0 && unshifted / HD_INST_BYTES < program->code.len) {
		uint32_t pc = (uint32_t)(unshifted / HD_INST_BYTES);
		const struct hd_module *module = program->functions.data[hd_program_function(program, pc)].module;
		if (module && !module->code_shift)
			return pc;
	}
	for (const struct hd_module *module = gpu->modules; module; module = module->next) {
		uint64_t offset = address - HD_CODE_WINDOW - module->code_shift;
		if (offset % HD_INST_BYTES == 0 && has_code(gpu, module, offset / HD_INST_BYTES))
			return (uint32_t)(offset / HD_INST_BYTES);
	}
	return HD_PC_NONE;
}

static const struct hd_symbol *find_global(const struct hd_module *module, const struct hd_symbol *wanted)
{
	for (uint32_t i = 0; i < module->object.symbol_count; i++) {
		const struct hd_symbol *symbol = &module->object.symbols[i];
		if (symbol->defined && symbol->global && symbol->kind == wanted->kind &&
		    strcmp(symbol->name, wanted->name) == 0)
			return symbol;
	}
	return NULL;
}

const struct hd_symbol *hd_program_definition(const struct hd_gpu *gpu, const struct hd_module *module,
					      const struct hd_symbol *symbol, const struct hd_module **home)
{
	*home = module;
	if (symbol->defined)
		return symbol;
	const struct hd_symbol *found = find_global(module, symbol);
	for (const struct hd_module *other = gpu->modules; other && !found; other = other->next) {
		*home = other;
		found = find_global(other, symbol);
	}
	return found;
}

static int resolve(struct hd_gpu *gpu, const struct hd_module *module, const struct hd_reloc *reloc, uint64_t *value,
		   const struct hd_module **home)
{
	const struct hd_symbol *symbol = &module->object.symbols[reloc->symbol];
	const struct hd_symbol *found = hd_program_definition(gpu, module, symbol, home);
	if (!found)
		return hd_gpu_refuse(gpu, HD_SIM_BAD_OBJECT, "%s: undefined %s %s", module->name,
				     symbol->kind == HD_SYM_FUNCTION ? "function" : "variable", symbol->name);
	*value = symbol_address(gpu, *home, found) + (uint64_t)reloc->addend;
	return HD_SIM_OK;
}

static int relocate_code(struct hd_gpu *gpu, struct hd_module *module, const struct hd_pfunction *function)
{
	for (uint32_t i = 0; i < function->object->reloc_count; i++) {
		const struct hd_reloc *reloc = &function->object->relocs[i];
		const struct hd_module *home;
		uint64_t value;
		int status = resolve(gpu, module, reloc, &value, &home);
		if (status)
			return status;
		struct hd_inst *inst = &gpu->program.code.data[function->first + reloc->offset].inst;
		if (inst->linear) /* what executes is the copy, and its immediate */
			inst = (struct hd_inst *)(uintptr_t)&function->direct[reloc->offset].inst;
		if (reloc->kind == HD_REL_CALL)
			inst->x = (uint32_t)((value - HD_CODE_WINDOW - home->code_shift) / HD_INST_BYTES);
		else
			inst->x = (uint32_t)(reloc->kind == HD_REL_ABS_HI ? value >> 32 : value);
	}
	return HD_SIM_OK;
}

static int relocate_data(struct hd_gpu *gpu, const struct hd_module *module, const struct hd_reloc *relocs,
			 uint32_t count, uint64_t section)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_module *home;
		uint64_t value;
		int status = resolve(gpu, module, &relocs[i], &value, &home);
		if (status)
			return status;
		memcpy(hd_devmem_at(gpu->devmem, section + relocs[i].offset, 8), &value, 8);
	}
	return HD_SIM_OK;
}

/* ---- data */

static uint64_t greatest_align(const struct hd_object *object)
{
	uint64_t align = 1;
	for (uint32_t i = 0; i < object->symbol_count; i++)
		if (object->symbols[i].kind == HD_SYM_VARIABLE && object->symbols[i].align > align)
			align = object->symbols[i].align;
	return align;
}

/* `at`: where it is to be; 0: anywhere. */
static int place_section(struct hd_gpu *gpu, const struct hd_module *module, const char *section, const uint8_t *bytes,
			 uint32_t size, uint64_t at, uint64_t *address)
{
	if (!size)
		return HD_SIM_OK;
	int status = at ? hd_devmem_place(gpu->devmem, at, size)
			: hd_devmem_alloc(gpu->devmem, size, greatest_align(&module->object), address);
	if (at && !status)
		*address = at;
	if (status)
		return hd_gpu_refuse(gpu, status, "%s: no device memory for %u bytes of %s", module->name, size,
				     section);
	if (bytes)
		memcpy(hd_devmem_at(gpu->devmem, *address, size), bytes, size);
	return HD_SIM_OK;
}

static int place_data(struct hd_gpu *gpu, struct hd_module *module)
{
	const struct hd_object *object = &module->object;
	const struct hd_sim_place nowhere = {0}, *at = module->at ? module->at : &nowhere;
	int status =
		place_section(gpu, module, ".data", object->data, object->data_bytes, at->data, &module->data_address);
	if (!status)
		status = place_section(gpu, module, ".rodata", object->rodata, object->rodata_bytes, at->rodata,
				       &module->rodata_address);
	if (!status)
		status = place_section(gpu, module, ".bss", NULL, object->bss_bytes, at->bss, &module->bss_address);
	return status;
}

static void drop_data(struct hd_gpu *gpu, struct hd_module *module)
{
	for (uint32_t i = 0; module->placed && i < module->object.symbol_count; i++)
		if (module->placed[i])
			hd_devmem_drop(gpu->devmem, (void *)(uintptr_t)module->placed[i]);
	uint64_t *sections[] = {&module->data_address, &module->rodata_address, &module->bss_address};
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (*sections[i])
			hd_devmem_release(gpu->devmem, *sections[i]);
		*sections[i] = 0;
	}
}

/* ---- modules */

static int link_data(struct hd_gpu *gpu, struct hd_module *module)
{
	const struct hd_object *object = &module->object;
	int status = relocate_data(gpu, module, object->data_relocs, object->data_reloc_count, module->data_address);
	return status ? status
		      : relocate_data(gpu, module, object->rodata_relocs, object->rodata_reloc_count,
				      module->rodata_address);
}

static void restore_section(struct hd_gpu *gpu, const uint8_t *bytes, uint32_t size, uint64_t address)
{
	uint8_t *section = size ? hd_devmem_at(gpu->devmem, address, size) : NULL;
	if (section && bytes)
		memcpy(section, bytes, size);
	else if (section)
		memset(section, 0, size);
}

void hd_program_restore_data(struct hd_gpu *gpu, struct hd_module *module)
{
	const struct hd_object *object = &module->object;
	restore_section(gpu, object->data, object->data_bytes, module->data_address);
	restore_section(gpu, object->rodata, object->rodata_bytes, module->rodata_address);
	restore_section(gpu, NULL, object->bss_bytes, module->bss_address);
	link_data(gpu, module); /* it did when the module was loaded */
}

/* Where the bodies of a function are in hd_program.functions: its own, and that of its linear version, or UINT32_MAX.
 */
static void bodies_of(const struct hd_module *module, uint32_t function, uint32_t bodies[2])
{
	const struct hd_linear *linear = hd_object_linear(&module->object, function);
	bodies[0] = module->first_function + function;
	bodies[1] = linear ? module->first_linear + (uint32_t)(linear - module->object.linears) : UINT32_MAX;
}

int hd_program_fill(struct hd_gpu *gpu, struct hd_module *module, const uint32_t *functions, uint32_t count)
{
	int level = hd_exec_level(), status = HD_SIM_OK;
	uint32_t bodies[2];
	hd_spins_look(module->spins, functions, count);
	for (uint32_t i = 0; i < 2 * count && !status; i++) {
		bodies_of(module, functions[i / 2], bodies);
		if (bodies[i % 2] != UINT32_MAX)
			status = fill(gpu, module, bodies[i % 2], level);
		if (!status && bodies[i % 2] != UINT32_MAX)
			status = relocate_code(gpu, module, &gpu->program.functions.data[bodies[i % 2]]);
	}
	return status;
}

static void reserve(struct hd_gpu *gpu, struct hd_module *module, const struct hd_function *from,
		    const struct hd_linear *linear)
{
	struct hd_program *program = &gpu->program;
	hd_vec_push(&program->functions,
		    (struct hd_pfunction){
			    .name = from->name,
			    .first = program->code.len,
			    .count = from->inst_count,
			    .meta = linear ? NULL : hd_metadata_find(&module->object.metadata, from->name),
			    .object = from,
			    .module = module,
			    .linear = linear,
		    });
	program->code.len += from->inst_count;
}

/* Gives all functions of the module their places. */
static void reserve_all(struct hd_gpu *gpu, struct hd_module *module)
{
	const struct hd_object *object = &module->object;
	const struct hd_metadata *metadata = &object->metadata;
	struct hd_program *program = &gpu->program;
	module->functions = HD_ARENA_NEW(&module->arena, uint32_t, metadata->function_count + 1);
	module->first_function = program->functions.len;
	for (uint32_t i = 0; i < object->function_count; i++) {
		reserve(gpu, module, &object->functions[i], NULL);
		const struct hd_meta_function *meta = hd_vec_last(&program->functions).meta;
		if (meta)
			module->functions[meta - metadata->functions] = i + 1;
	}
	module->first_linear = program->functions.len;
	for (uint32_t i = 0; i < object->linear_count; i++)
		reserve(gpu, module, &object->linears[i].body, &object->linears[i]);
	uint32_t wanted = program->code.len;
	hd_vec_reserve(&program->code, wanted);
}

static void list_kernels(struct hd_gpu *gpu, struct hd_module *module)
{
	const struct hd_object *object = &module->object;
	module->kernels = HD_ARENA_NEW(&module->arena, struct hd_kernel, object->function_count + 1);
	for (uint32_t i = 0; i < object->function_count; i++)
		if (object->functions[i].kernel)
			module->kernels[module->kernel_count++] = (struct hd_kernel){
				.module = module,
				.function = module->first_function + i,
				.meta = gpu->program.functions.data[module->first_function + i].meta,
			};
}

int hd_program_load(struct hd_gpu *gpu, struct hd_module *module)
{
	struct hd_program *program = &gpu->program;
	uint32_t code_before = program->code.len, functions_before = program->functions.len;
	int status = place_data(gpu, module);
	module->spins = HD_ARENA_NEW(&module->arena, struct hd_spins, 1);
	hd_spins_prepare(module->spins, &module->object, &module->arena);
	module->code_shift = gpu->options.code_shift;
	if (module->at && module->at->code)
		module->code_shift = module->at->code - HD_CODE_WINDOW - (uint64_t)HD_INST_BYTES * code_before;
	reserve_all(gpu, module);
	if (!status && hd_program_shows_all(gpu, module))
		status = hd_program_fill_all(gpu, module);
	if (!status)
		status = link_data(gpu, module);
	if (!status)
		status = hd_program_need_data(gpu, module);
	if (status) {
		drop_data(gpu, module);
		program->code.len = code_before;
		program->functions.len = functions_before;
		return status;
	}
	list_kernels(gpu, module);
	for (uint32_t i = functions_before; i < program->functions.len; i++)
		HD_HOOKED (gpu, self, decode)
			self->hooks->decode(self, gpu, &program->functions.data[i],
					    &program->code.data[program->functions.data[i].first]);
	return HD_SIM_OK;
}

void hd_program_unload(struct hd_gpu *gpu, struct hd_module *module)
{
	struct hd_inst trap = hd_inst_new(HD_OP_TRAP);
	for (uint32_t i = 0; i < module->object.function_count + module->object.linear_count; i++) {
		struct hd_pfunction *function = &gpu->program.functions.data[module->first_function + i];
		for (uint32_t k = 0; k < function->count && function->there; k++)
			gpu->program.code.data[function->first + k] =
				hd_dinst_decode(gpu, &trap, function->first, module->first_function + i, HD_LEVEL_BASE);
		*function =
			(struct hd_pfunction){.name = "(unloaded)", .first = function->first, .count = function->count};
	}
	drop_data(gpu, module);
}

int hd_program_symbol(const struct hd_module *module, const char *name, uint64_t *address, uint64_t *size)
{
	for (uint32_t i = 0; i < module->object.symbol_count; i++) {
		const struct hd_symbol *symbol = &module->object.symbols[i];
		if (symbol->kind != HD_SYM_VARIABLE || symbol->space == HD_SPACE_SHARED ||
		    strcmp(symbol->name, name) != 0)
			continue;
		const struct hd_module *home;
		const struct hd_symbol *found = hd_program_definition(module->gpu, module, symbol, &home);
		if (!found)
			continue;
		*address = variable_address(home, found);
		*size = found->size;
		return HD_SIM_OK;
	}
	return HD_SIM_NOT_FOUND;
}

const char *hd_kernel_name(const struct hd_kernel *kernel)
{
	return kernel->module->object.functions[kernel->function - kernel->module->first_function].name;
}
