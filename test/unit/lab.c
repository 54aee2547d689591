/* See lab.h. */
#include "lab.h"
#include "heddle/opcodes.h"

#include "runtime/exec/bulk.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/load.h"
#include "runtime/verify/start.h"
#include <string.h>

static void swallow(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity, (void)loc, (void)message;
}

struct lab *lab_new(void)
{
	struct lab *lab = hd_xcalloc(1, sizeof(*lab));
	struct hd_object *object = &lab->module.object;
	lab->gpu.config = &lab->config;
	hd_config_defaults(&lab->config);
	lab->gpu.sm_count = lab->config.sm_count;
	lab->diag.emit = swallow;
	lab->gpu.options.diag = &lab->diag;
	lab->gpu.devmem = hd_devmem_new(64 << 20);
	lab->module.gpu = &lab->gpu;
	lab->module.name = "lab";
	hd_arena_init(&lab->module.arena);
	object->arena = &lab->module.arena;
	object->functions = HD_ARENA_NEW(object->arena, struct hd_function, 16);
	object->symbols = HD_ARENA_NEW(object->arena, struct hd_symbol, 32);
	return lab;
}

static uint32_t add_symbol(struct hd_object *object, const char *name, uint32_t function)
{
	for (uint32_t i = 0; i < object->symbol_count; i++)
		if (strcmp(object->symbols[i].name, name) == 0)
			return i;
	object->symbols[object->symbol_count] =
		(struct hd_symbol){.name = name, .kind = HD_SYM_FUNCTION, .global = true, .function = function};
	return object->symbol_count++;
}

struct hd_function *lab_function(struct lab *lab, const char *name, const struct hd_inst *insts, uint32_t count)
{
	struct hd_object *object = &lab->module.object;
	struct hd_function *function = &object->functions[object->function_count];
	*function = (struct hd_function){.name = name,
					 .kernel = object->function_count == 0,
					 .inst_count = count,
					 .registers = LAB_REGISTERS};
	function->insts = HD_ARENA_NEW(object->arena, struct hd_inst, count);
	memcpy(function->insts, insts, count * sizeof(*insts));
	function->relocs = HD_ARENA_NEW(object->arena, struct hd_reloc, count + 1);
	uint32_t symbol = add_symbol(object, name, object->function_count);
	object->symbols[symbol].defined = true;
	object->symbols[symbol].function = object->function_count++;
	return function;
}

void lab_calls(struct lab *lab, struct hd_function *function, uint32_t index, const char *callee)
{
	function->relocs[function->reloc_count++] =
		(struct hd_reloc){.kind = HD_REL_CALL,
				  .symbol = add_symbol(&lab->module.object, callee, 0),
				  .offset = index};
}

int lab_start(struct lab *lab, uint32_t threads)
{
	int status = hd_program_load(&lab->gpu, &lab->module);
	if (status)
		return status;
	const struct hd_pfunction *function = &lab->gpu.program.functions.data[lab->module.first_function];
	lab->kernel = (struct hd_kernel){.module = &lab->module,
					 .function = lab->module.first_function,
					 .meta = function->meta};
	lab->grid = (struct hd_grid){.kernel = &lab->kernel,
				     .cluster = {1, 1, 1},
				     .grid = {1, 1, 1},
				     .block = {threads, 1, 1},
				     .block_threads = threads,
				     .block_warps = 1,
				     .entry = function->first,
				     .registers = LAB_REGISTERS,
				     .register_rows = LAB_REGISTERS,
				     .local_bytes = LAB_LOCAL_BYTES,
				     .shared_bytes = LAB_SHARED_BYTES,
				     .constants = lab->constants};
	lab->cta = (struct hd_cta){.grid = &lab->grid, .shared = lab->shared, .shared_offset = 256};
	uint32_t top = LAB_LOCAL_BYTES;
	memcpy(lab->constants + HD_CB_STACK_TOP, &top, 4);
	lab->warp.regs = lab->regs + 2;
	lab->warp.local = lab->local;
	lab->warp.local_base = 0x1000;
	lab->exec.gpu = &lab->gpu;
	lab->warp.watch_space = hd_xcalloc(1, lab->gpu.watch_bytes.warp + 1);
	lab->cta.watch_space = hd_xcalloc(1, lab->gpu.watch_bytes.cta + 1);
	lab->grid.watch_space = hd_xcalloc(1, lab->gpu.watch_bytes.grid + 1);
	hd_warp_start(&lab->warp, &lab->cta, 0);
	HD_TELL(&lab->gpu, grid_start, &lab->gpu, &lab->grid);
	HD_TELL(&lab->gpu, warp_begin, &lab->exec, &lab->warp);
	return 0;
}

void lab_verify(struct lab *lab)
{
	hd_verify_facts_start(&lab->gpu);
}

struct lab *lab_kernel(const struct hd_inst *insts, uint32_t count, uint32_t threads)
{
	struct lab *lab = lab_new();
	lab_function(lab, "kernel", insts, count);
	if (lab_start(lab, threads) != 0)
		abort();
	return lab;
}

void lab_free(struct lab *lab)
{
	if (lab->warp.watch_space) {
		HD_TELL(&lab->gpu, warp_free, &lab->warp);
		HD_TELL(&lab->gpu, grid_free, &lab->grid);
	}
	free(lab->warp.watch_space);
	free(lab->cta.watch_space);
	free(lab->grid.watch_space);
	hd_bulks_release(&lab->exec);
	hd_warp_release(&lab->warp);
	hd_vec_release(&lab->gpu.program.code);
	hd_vec_release(&lab->gpu.program.functions);
	hd_devmem_free(lab->gpu.devmem);
	hd_arena_release(&lab->module.arena);
	free(lab);
}

int lab_run(struct lab *lab, uint32_t limit)
{
	for (uint32_t i = 0; i < limit; i++) {
		hd_warp_execute(&lab->exec, &lab->warp, &lab->effect);
		lab->steps++;
		if (lab->effect.event == HD_EVENT_FAULT)
			return lab->gpu.error;
		if (lab->effect.warp_done)
			return 0;
	}
	return 1;
}

struct lab *lab_bare(void)
{
	const struct hd_inst code[] = {lab_op(HD_OP_EXIT)};
	return lab_kernel(code, 1, 32);
}

void lab_set(struct lab *lab, unsigned reg, uint64_t value)
{
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		hd_set_pair(&lab->warp, reg, lane, value);
}

void lab_execute(struct lab *lab, const struct hd_inst *inst, int level, uint32_t mask)
{
	struct hd_dinst decoded = {.inst = *inst,
				   .effects = hd_opinfo[inst->op].effects,
				   .access_bytes = (uint8_t)hd_op_access_bytes(inst->op, inst->mods)};
	hd_exec_fn run = hd_exec_resolve(inst, level);
	if (!run)
		abort();
	lab->exec.warp = &lab->warp;
	lab->exec.mask = mask;
	lab->exec.effect = &lab->effect;
	lab->exec.fault = false;
	lab->effect.event = HD_EVENT_NONE;
	run(&lab->exec, &decoded);
}

struct hd_inst lab_op(enum hd_op op)
{
	struct hd_inst inst = hd_inst_new(op);
	if (hd_opinfo[op].srcx >= HD_XM)
		inst.xkind = HD_X_OTHER; /* a displacement, target or number */
	return inst;
}

struct hd_inst lab_imm(enum hd_op op, uint8_t dst, uint8_t a, uint32_t b)
{
	struct hd_inst inst = hd_inst_new(op);
	inst.dst = dst;
	inst.a = a;
	inst.xkind = HD_X_IMM_B;
	inst.x = b;
	return inst;
}

struct hd_inst lab_bra(uint8_t guard, uint32_t target, uint32_t reconv)
{
	struct hd_inst inst = hd_inst_new(HD_OP_BRA);
	inst.guard = guard;
	inst.xkind = HD_X_OTHER;
	inst.x = target;
	inst.reconv = reconv;
	return inst;
}

struct hd_inst lab_guarded(uint8_t guard, struct hd_inst inst)
{
	inst.guard = guard;
	return inst;
}

struct hd_inst lab_isetp(uint8_t pdst, uint32_t cmp, uint8_t a, uint32_t b)
{
	struct hd_inst inst = lab_imm(HD_OP_ISETP, HD_RZ, a, b);
	inst.mods = HD_MOD(CMP, cmp) | HD_MOD(BOOL, HD_BOOL_AND);
	inst.pdst = pdst;
	return inst;
}

struct hd_inst lab_s2r(uint8_t dst, enum hd_sr sr)
{
	struct hd_inst inst = hd_inst_new(HD_OP_S2R);
	inst.dst = dst;
	inst.mods = HD_MOD(SR, sr);
	return inst;
}
