/*
 * Control bits of loaded code. An object has those that the compiler set for its architecture; they are obeyed if they
 * cover every dependence with the latencies of this GPU, which lib/object/control_check.c finds out. If not (code for
 * another architecture or for one before sm_75, latencies that --set has changed, stages that a policy adds), they are
 * set anew for this GPU, as a driver that compiles for the card it finds.
 *
 * How long an instruction of variable latency takes to read its registers is here, too: with its data a store takes
 * longer (Huerta et al., MICRO 2025, Table 2: stores of 32, 64 and 128 bits 14, 16 and 20 cycles).
 *
 * Cost: linear in the code, a few rounds; once for each module.
 */
#include "runtime/exec/control.h"
#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/core/gpu.h"

#include "heddle/control.h"

static struct hd_timing timing_of(const struct hd_gpu *gpu)
{
	const struct hd_config *config = gpu->config;
	struct hd_timing timing = {.cross = (uint16_t)config->lat_cross,
				   .cross_half = (uint16_t)config->lat_cross_half,
				   .guard = (uint16_t)config->lat_guard};
	for (unsigned lat = 0; lat < HD_LAT_COUNT; lat++)
		if (hd_latency_of(config, lat))
			timing.latency[lat] = (uint16_t)(hd_latency_of(config, lat) + gpu->stages);
	return timing;
}

static uint32_t data_registers(const struct hd_inst *inst)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	uint32_t count = 0;
	for (unsigned slot = HD_SLOT_B; slot <= HD_SLOT_C; slot++)
		if (regs[slot] != HD_RZ)
			count += hd_op_width(inst->op, inst->mods, (enum hd_slot)slot);
	return count;
}

static uint64_t read_cycles(const struct hd_config *config, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool shared = info->space == HD_AT_SHARED || info->lat == HD_LAT_SHFL;
	if (info->pipe != HD_PIPE_LSU)
		return config->war_unit;
	if (info->space == HD_AT_CONST || inst->op == HD_OP_LDCX)
		return config->war_constant;
	if (info->effects & HD_FX_ASYNC)
		return config->war_copy;
	if (info->effects & HD_FX_STORE)
		return (shared ? config->war_shared_store : config->war_store) +
		       data_registers(inst) * config->war_word;
	return shared ? config->war_shared_load : config->war_load;
}

static uint8_t bit_of(uint8_t counter)
{
	return counter < HD_COUNTERS ? (uint8_t)(1u << counter) : 0;
}

void hd_control_load(const struct hd_gpu *gpu, const struct hd_function *function, struct hd_dinst *code)
{
	struct hd_timing timing = timing_of(gpu);
	struct hd_control_violation violation;
	struct hd_arena arena;
	hd_arena_init(&arena);
	const struct hd_control *control = function->control;
	if (!control || !hd_control_check(function, control, &timing, &violation))
		control = hd_control_compute(function, &timing, &arena);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		struct hd_dinst *inst = &code[i];
		inst->stall = (uint8_t)hd_control_cycles(&control[i]);
		inst->wait = control[i].wait;
		inst->raises = bit_of(control[i].write) | bit_of(control[i].read);
		inst->counter = control[i].write < HD_COUNTERS ? control[i].write + 1 : 0;
		inst->read_counter = control[i].read < HD_COUNTERS ? control[i].read + 1 : 0;
		inst->read_cycles = (uint16_t)(read_cycles(gpu->config, &inst->inst) + gpu->stages);
	}
	hd_arena_release(&arena);
}
