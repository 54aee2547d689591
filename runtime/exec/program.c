/*
 * The loaded program: decodes a module's functions into struct hd_dinst, links them with
 * what is loaded already, and places the module's variables in device memory.
 *
 * Needs an object that hd_object_verify has passed. Linear in its instructions and relocations
 * (undefined symbols search the modules loaded before). On failure nothing of the module is left behind.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "lib/object/spins.h"
#include "runtime/exec/control.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"
#include "runtime/sm/hooks.h"

/* ---- from the configuration */

uint16_t hd_latency_of(const struct hd_config *config, unsigned lat_class)
{
	switch (lat_class) {
#define X(name, key, expected) \
	case HD_LAT_##name:     \
		return (uint16_t)config->key;
		HD_LAT_LIST(X)
#undef X
	default: return 0; /* memory: as long as it takes */
	}
}

/* Multiply-adds of a tensor instruction that its unit does in a cycle. */
static uint32_t tensor_rate(const struct hd_config *config, const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_HMMA_1684_TF32:
	case HD_OP_HMMA_1688_TF32: return (uint32_t)config->tensor_tf32;
	case HD_OP_IMMA_8816:
	case HD_OP_IMMA_16816:
	case HD_OP_IMMA_16832: return (uint32_t)config->tensor_int8;
	case HD_OP_DMMA_884: return (uint32_t)config->tensor_double;
	default:
		return (uint32_t)(hd_mod_get(inst->mods, HD_MOD_ACC) == HD_ACC_F32 ? config->tensor_single
										   : config->tensor_half);
	}
}

static uint16_t tensor_interval(const struct hd_config *config, const struct hd_inst *inst)
{
	uint32_t rate = tensor_rate(config, inst);
	uint32_t cycles = (hd_op_products(inst->op, inst->mods) + rate - 1) / rate;
	return (uint16_t)(cycles > (uint32_t)config->ii_tensor ? cycles : (uint32_t)config->ii_tensor);
}

static uint16_t tensor_latency(const struct hd_config *config, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool half = info->mods >> HD_MOD_ACC & 1 && hd_mod_get(inst->mods, HD_MOD_ACC) == HD_ACC_F16;
	uint32_t beyond = half ? (uint32_t)config->lat_hmma_half : hd_latency_of(config, info->lat);
	return (uint16_t)(tensor_interval(config, inst) + beyond);
}

static uint16_t interval_of(const struct hd_config *config, unsigned pipe)
{
	switch (pipe) {
#define X(name, interval, units, counter) \
	case HD_PIPE_##name:             \
		return (uint16_t)config->interval;
		HD_PIPE_LIST(X)
#undef X
	default: return 1; /* branches have a unit of their own */
	}
}

/* ---- one instruction */

/* The last word: predicates, and above them the uniform registers. */
static void add_hazards(struct hd_hazard *hazard, const struct hd_regset *set, uint64_t uniform)
{
	for (unsigned word = 0; word < 4; word++)
		hazard->bits[word] |= set->regs[word];
	hazard->bits[4] |= set->preds | uniform << 8;
}

static uint8_t count_registers(const struct hd_regset *set)
{
	unsigned count = 0;
	for (unsigned word = 0; word < 4; word++)
		count += (unsigned)__builtin_popcountll(set->regs[word]);
	return (uint8_t)count;
}

static void list_reads(struct hd_dinst *to, const struct hd_regset *reads)
{
	for (unsigned word = 0; word < 4; word++)
		for (uint64_t left = reads->regs[word]; left; left &= left - 1)
			if (to->read_count < sizeof(to->read_regs))
				to->read_regs[to->read_count++] =
					(uint8_t)(64 * word + (unsigned)__builtin_ctzll(left));
}

/*
 * The factors of a product are in its tensor core from the first step of HMMA_884 on, whose SASS has them from the
 * reuse cache (Raihan, Goli, Aamodt, ISPASS 2019, of buffers for them): later steps read their pair of the accumulator
 * alone.
 */
static bool has_factors(const struct hd_inst *inst)
{
	return inst->op == HD_OP_HMMA_884 && hd_mod_get(inst->mods, HD_MOD_STEP);
}

static void keep_factors(struct hd_dinst *to)
{
	const struct hd_inst *inst = &to->inst;
	to->bank_count = to->read_count;
	if (!has_factors(inst))
		return;
	to->bank_count = 0;
	for (uint8_t i = 0; i < to->read_count; i++) {
		uint8_t reg = to->read_regs[i];
		if (inst->c == HD_RZ || reg / 2 != inst->c / 2)
			continue;
		to->read_regs[i] = to->read_regs[to->bank_count];
		to->read_regs[to->bank_count++] = reg;
	}
}

static void add_operands(struct hd_dinst *to, const struct hd_regset *reads, enum hd_slot slot, uint8_t reg)
{
	unsigned width = hd_op_width(to->inst.op, to->inst.mods, slot);
	for (unsigned word = 0; word < width; word++) {
		unsigned number = reg + word;
		if (number >= HD_RZ || !(reads->regs[number / 64] >> number % 64 & 1))
			continue; /* an immediate, a constant, RZ */
		assert(to->named_count < HD_MAX_OPERANDS);
		uint8_t same = 0;
		while (same < to->named_count && to->operands[same].reg != number)
			same++;
		to->operands[to->named_count++] =
			(struct hd_operand){.reg = (uint8_t)number, .slot = slot, .word = word, .same = same};
	}
}

static void list_accumulator(struct hd_dinst *to, const struct hd_regset *reads)
{
	const struct hd_inst *inst = &to->inst;
	if (hd_opinfo[inst->op].c != HD_W__ && !hd_x_in_c(inst->xkind))
		add_operands(to, reads, HD_SLOT_C, inst->c);
}

/* In order of their slots, but for factors that the unit has: these come behind what is collected. */
static void list_operands(struct hd_dinst *to, const struct hd_regset *reads)
{
	const struct hd_inst *inst = &to->inst;
	if (has_factors(inst))
		list_accumulator(to, reads);
	to->operand_count = to->named_count;
	if (hd_opinfo[inst->op].a != HD_W__)
		add_operands(to, reads, HD_SLOT_A, inst->a);
	if (hd_opinfo[inst->op].b != HD_W__ && !hd_x_in_b(inst->xkind))
		add_operands(to, reads, HD_SLOT_B, inst->b);
	if (has_factors(inst))
		return;
	list_accumulator(to, reads);
	to->operand_count = to->named_count;
}

static uint8_t class_of(const struct hd_inst *inst)
{
	if (inst->role != HD_ROLE_PLAIN)
		return HD_CLASS_SPILL_FILL;
	return hd_opinfo[inst->op].space == HD_AT_LOCAL ? HD_CLASS_OTHER_LOCAL : HD_CLASS_GLOBAL;
}

static uint32_t absolute(uint32_t first, uint32_t index)
{
	return index == HD_NO_PC ? HD_PC_NONE : first + index;
}

static uint8_t range_of(const struct hd_inst *inst)
{
	if (inst->op == HD_OP_R2CR || inst->op == HD_OP_R2TR || inst->op == HD_OP_R2BR)
		return HD_RANGE_WRITES | (inst->linear ? HD_RANGE_READS : 0);
	return inst->linear ? HD_RANGE_READS : 0;
}

static bool multiplies_integers(const struct hd_opinfo *info)
{
	return info->lat == HD_LAT_IMAD || info->lat == HD_LAT_IMADHI || info->lat == HD_LAT_IMUL;
}

static struct hd_dinst decode(const struct hd_gpu *gpu, const struct hd_inst *inst, uint32_t first, uint32_t function,
			      int level)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	uint8_t lat_class = (uint8_t)hd_inst_lat(inst);
	bool on_fma = gpu->config.imad_pipe == HD_IMAD_FP32 && multiplies_integers(info);
	struct hd_dinst to = {
		.exec = hd_exec_resolve(inst, level),
		.inst = *inst,
		.function = function,
		.pipe = info->pipe,
		.lat_class = lat_class,
		.on_fma = on_fma,
		.effects = info->effects,
		.latency =
			lat_class == HD_LAT_MEM ? 0 : (uint16_t)(hd_latency_of(&gpu->config, lat_class) + gpu->stages),
		.interval = interval_of(&gpu->config, on_fma ? HD_PIPE_FP32 : info->pipe),
		.mem_class = class_of(inst),
		.range = range_of(inst),
		.pipeline = (uint8_t)hd_op_pipeline(inst->op),
		.access_bytes = (uint8_t)hd_op_access_bytes(inst->op, inst->mods),
	};
	if (inst->op == HD_OP_BAR && gpu->config.barrier_latency)
		to.latency = (uint16_t)(gpu->config.barrier_latency + gpu->stages);
	if (info->pipe == HD_PIPE_TENSOR) {
		to.latency = (uint16_t)(tensor_latency(&gpu->config, inst) + gpu->stages);
		to.interval = tensor_interval(&gpu->config, inst);
		to.products = (uint16_t)hd_op_products(inst->op, inst->mods);
	}
	struct hd_regset reads, writes;
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	add_hazards(&to.hazards, &reads, hd_inst_uniform_reads(inst));
	add_hazards(&to.hazards, &writes, hd_inst_uniform_writes(inst));
	add_hazards(&to.writes, &writes, hd_inst_uniform_writes(inst));
	list_reads(&to, &reads);
	keep_factors(&to);
	list_operands(&to, &reads);
	to.write_count = count_registers(&writes);
	if (inst->op == HD_OP_BRA)
		to.inst.x = first + inst->x;
	to.inst.reconv = absolute(first, inst->reconv);
	return to;
}

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
		direct[i] = decode(gpu, &inst, first, function, level);
	}
	return direct;
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
	for (uint32_t i = 0; i < from->inst_count; i++)
		code[i].spins = of[i];
	free(of);
}

static int add_function(struct hd_gpu *gpu, struct hd_module *module, const struct hd_function *from,
			const struct hd_linear *linear, const struct hd_spins *spins, int level)
{
	struct hd_program *program = &gpu->program;
	struct hd_pfunction function = {
		.name = from->name,
		.first = program->code.len,
		.count = from->inst_count,
		.object = from,
		.module = module,
		.linear = linear,
	};
	add_tables(module, &function);
	if (linear) {
		function.direct = decode_direct(gpu, module, linear, function.first, program->functions.len, level);
		function.said = said_of_linear(module, from->name);
	} else {
		function.meta = function.said = hd_metadata_find(&module->object.metadata, from->name);
		hd_verify_affine_prepare(gpu, module, &function);
	}
	hd_facts_prepare(gpu, module, &function);
	hd_verify_prepare(gpu, module, &function);
	for (uint32_t i = 0; i < from->inst_count; i++) {
		if (!constant_in_range(&from->insts[i]))
			return hd_gpu_refuse(gpu, HD_SIM_BAD_OBJECT,
					     "%s: function %s, pc 0x%x: constant operand out of range", module->name,
					     from->name, i * HD_INST_BYTES);
		hd_vec_push(&program->code,
			    decode(gpu, &from->insts[i], function.first, program->functions.len, level));
		hd_facts_tag(function.said, i, &hd_vec_last(&program->code));
		program->fetches |= hd_opinfo[from->insts[i].op].space == HD_AT_TEXTURE;
	}
	if (gpu->config.core == HD_CORE_MODERN)
		hd_control_load(gpu, from, program->code.data + function.first);
	mark_helpers(module, from, program->code.data + function.first);
	mark_spins(spins, from, program->code.data + function.first);
	hd_vec_push(&program->functions, function);
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

uint32_t hd_program_pc(const struct hd_gpu *gpu, uint64_t address)
{
	const struct hd_program *program = &gpu->program;
	uint64_t unshifted = address - HD_CODE_WINDOW;
	if (unshifted % HD_INST_BYTES == 0 && unshifted / HD_INST_BYTES < program->code.len) {
		uint32_t pc = (uint32_t)(unshifted / HD_INST_BYTES);
		const struct hd_module *module = program->functions.data[program->code.data[pc].function].module;
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

/* The definition: in the module itself, else in one that was loaded before. *home becomes where it is. */
static const struct hd_symbol *definition(const struct hd_gpu *gpu, const struct hd_module *module,
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
	const struct hd_symbol *found = definition(gpu, module, symbol, home);
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

static int link_module(struct hd_gpu *gpu, struct hd_module *module)
{
	const struct hd_object *object = &module->object;
	for (uint32_t i = 0; i < object->function_count + object->linear_count; i++) {
		int status = relocate_code(gpu, module, &gpu->program.functions.data[module->first_function + i]);
		if (status)
			return status;
	}
	int status = relocate_data(gpu, module, object->data_relocs, object->data_reloc_count, module->data_address);
	if (!status)
		status = relocate_data(gpu, module, object->rodata_relocs, object->rodata_reloc_count,
				       module->rodata_address);
	return status;
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
	int level = hd_exec_level(), status = place_data(gpu, module);
	struct hd_spins spins;
	hd_spins_init(&spins, &module->object, &module->arena);
	module->first_function = functions_before;
	module->code_shift = gpu->options.code_shift;
	if (module->at && module->at->code)
		module->code_shift = module->at->code - HD_CODE_WINDOW - (uint64_t)HD_INST_BYTES * code_before;
	for (uint32_t i = 0; i < module->object.function_count && !status; i++)
		status = add_function(gpu, module, &module->object.functions[i], NULL, &spins, level);
	module->first_linear = program->functions.len;
	for (uint32_t i = 0; i < module->object.linear_count && !status; i++)
		status = add_function(gpu, module, &module->object.linears[i].body, &module->object.linears[i], &spins,
				      level);
	if (!status)
		status = link_module(gpu, module);
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
		for (uint32_t pc = function->first; pc < function->first + function->count; pc++)
			gpu->program.code.data[pc] =
				decode(gpu, &trap, function->first, module->first_function + i, HD_LEVEL_BASE);
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
		const struct hd_symbol *found = definition(module->gpu, module, symbol, &home);
		if (!found)
			continue;
		*address = variable_address(home, found);
		*size = found->size;
		return HD_SIM_OK;
	}
	return HD_SIM_NOT_FOUND;
}
