/*
 * An instruction as the simulator executes it, struct hd_dinst: the function that does what it means, what the
 * configuration says of its unit, and its registers.
 *
 * Needs a verified instruction. Cost: some two thousand instructions of the host's each.
 */
#include <assert.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/core/address.h"
#include "runtime/exec/control.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/linear.h"

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
	case HD_OP_HMMA_SP_1688_TF32:
	case HD_OP_HMMA_1688_TF32: return (uint32_t)config->tensor_tf32;
	case HD_OP_IMMA_8816:
	case HD_OP_IMMA_SP_16832:
	case HD_OP_IMMA_16816:
	case HD_OP_IMMA_16832: return (uint32_t)config->tensor_int8;
	case HD_OP_DMMA_884: return (uint32_t)config->tensor_double;
	default:
		return (uint32_t)(hd_mod_get(inst->mods, HD_MOD_ACC) == HD_ACC_F32 ? config->tensor_single
										   : config->tensor_half);
	}
}

static uint32_t group_rate(const struct hd_config *config, const struct hd_inst *inst)
{
	uint32_t type = hd_mod_get(inst->mods, HD_MOD_WGTYPE);
	if (type == HD_WG_TF32)
		return (uint32_t)config->tensor_tf32;
	if (type > HD_WG_TF32)
		return (uint32_t)config->tensor_int8; /* of bytes of either kind */
	return (uint32_t)(hd_mod_get(inst->mods, HD_MOD_WGACC) == HD_WG_ACC_F16 ? config->tensor_half
										: config->tensor_single);
}

static uint16_t group_cycles(const struct hd_config *config, const struct hd_inst *inst)
{
	uint32_t rate = group_rate(config, inst) * (uint32_t)config->units_tensor;
	uint32_t cycles = (HD_WG_WARPS * hd_op_products(inst->op, inst->mods) + rate - 1) / rate;
	return (uint16_t)(cycles < UINT16_MAX ? cycles : UINT16_MAX);
}

/* Factors in shared memory are read once for all four warps, a row of all banks a cycle. */
static uint16_t group_shared_cycles(const struct hd_config *config, const struct hd_inst *inst)
{
	bool registers = hd_mod_get(inst->mods, HD_MOD_WGA) == HD_WG_REGISTERS;
	uint32_t rows = 8 * (hd_mod_get(inst->mods, HD_MOD_WGN) + 1) + (registers ? 0 : HD_WG_WARPS * HD_WG_ROWS);
	uint32_t row = 4 * (uint32_t)config->shared_banks;
	return (uint16_t)((rows * HD_WG_ROW_BYTES + row - 1) / row);
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

/* Under `operands = modern`, where there are at least two banks, a power of two and with one port each. An instruction
 * of fixed latency also has an entry of the reuse cache for each operand: they are different registers, of slots with
 * no more than two. */
static bool reads_plainly(const struct hd_gpu *gpu, const struct hd_dinst *inst)
{
	bool fixed = inst->pipe == HD_PIPE_INT || inst->pipe == HD_PIPE_FP32 || inst->pipe == HD_PIPE_FP64;
	if (!gpu->shape.modern || !gpu->shape.mask || gpu->shape.read_ports != 1)
		return false;
	for (uint32_t i = 0; fixed && i < inst->operand_count; i++)
		if (inst->operands[i].same != i || inst->operands[i].word > 1)
			return false;
	return true;
}

static uint8_t class_of(const struct hd_inst *inst)
{
	if (inst->role != HD_ROLE_PLAIN && inst->role != HD_ROLE_WARP_ATOMIC)
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

struct hd_dinst hd_dinst_decode(const struct hd_gpu *gpu, const struct hd_inst *inst, uint32_t first, uint32_t function,
				int level)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	uint8_t lat_class = (uint8_t)hd_inst_lat(inst);
	bool on_fma = gpu->config->imad_pipe == HD_IMAD_FP32 && multiplies_integers(info);
	struct hd_dinst to = {
		.exec = hd_exec_resolve(inst, level),
		.inst = *inst,
		.function = function,
		.pipe = info->pipe,
		.lat_class = lat_class,
		.on_fma = on_fma,
		.effects = info->effects,
		.meets = hd_op_meets(inst->op, inst->mods),
		.latency =
			lat_class == HD_LAT_MEM ? 0 : (uint16_t)(hd_latency_of(gpu->config, lat_class) + gpu->stages),
		.interval = interval_of(gpu->config, on_fma ? HD_PIPE_FP32 : info->pipe),
		.mem_class = class_of(inst),
		.range = range_of(inst),
		.pipeline = (uint8_t)hd_op_pipeline(inst->op),
		.access_bytes = (uint8_t)hd_op_access_bytes(inst->op, inst->mods),
	};
	if (inst->op == HD_OP_BAR && gpu->config->barrier_latency)
		to.latency = (uint16_t)(gpu->config->barrier_latency + gpu->stages);
	if (info->pipe == HD_PIPE_TENSOR) {
		to.latency = (uint16_t)(tensor_latency(gpu->config, inst) + gpu->stages);
		to.interval = tensor_interval(gpu->config, inst);
		to.products = hd_op_products(inst->op, inst->mods);
	}
	struct hd_regset reads, writes;
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	add_hazards(&to.hazards, &reads, hd_inst_uniform_reads(inst));
	add_hazards(&to.hazards, &writes, hd_inst_uniform_writes(inst));
	add_hazards(&to.writes, &writes, hd_inst_uniform_writes(inst));
	/* A warpgroup's accumulator is read and written by its unit, a row at a time. */
	if (inst->op == HD_OP_WGMMA) {
		to.products = hd_op_products(inst->op, inst->mods);
		to.tensor_cycles = group_cycles(gpu->config, inst);
		to.shared_cycles = group_shared_cycles(gpu->config, inst);
		struct hd_regset accumulator;
		hd_inst_accumulator(inst, &accumulator);
		for (unsigned word = 0; word < 4; word++)
			reads.regs[word] &= ~accumulator.regs[word];
	}
	list_reads(&to, &reads);
	keep_factors(&to);
	list_operands(&to, &reads);
	to.plain_read = reads_plainly(gpu, &to);
	to.write_count = inst->op == HD_OP_WGMMA ? 0 : count_registers(&writes);
	if (inst->op == HD_OP_BRA)
		to.inst.x = first + inst->x;
	to.inst.reconv = absolute(first, inst->reconv);
	return to;
}
