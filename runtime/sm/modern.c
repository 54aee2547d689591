/*
 * The second model of the operand stage (`operands = modern`): what measurements of NVIDIA's cards from Volta on show
 * (Huerta et al., MICRO 2025). There are no collectors. An instruction of fixed latency reads its registers in a window
 * of three cycles; when the ports of a bank do not suffice it waits in front of the window, and all of its scheduler
 * behind it. Instructions of variable latency read when the ports are free and hold up nobody. Banks go by the number
 * of the register alone, so that a compiler can choose them.
 *
 * Results of fixed latency go through a queue in front of the write ports: others may use them at once. Those of
 * variable latency wait for a port like everywhere.
 *
 * Not modelled: the reuse cache, whose bits no compiler here sets, and the stage between issue and the window that lets
 * one instruction more issue before a bubble is seen.
 *
 * Cost: a few operations for each register read.
 */
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

enum { WINDOW = 3 };

static bool has_fixed_latency(const struct hd_dinst *inst)
{
	return inst->pipe == HD_PIPE_INT || inst->pipe == HD_PIPE_FP32 || inst->pipe == HD_PIPE_FP64;
}

static uint64_t max64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Reads that the ports of a bank can begin in a window from cycle `from` on. */
static uint64_t room_of(const struct hd_bank_shape *shape, const uint64_t *ports, uint64_t from)
{
	uint64_t end = (from + WINDOW) * HD_TICKS, room = 0;
	for (uint32_t i = 0; i < shape->read_ports; i++)
		if (ports[i] < end)
			room += (end - max64(ports[i], from * HD_TICKS) + shape->busy - 1) / shape->busy;
	return room;
}

static bool fits(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t from)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	for (uint32_t i = 0; i < inst->read_count; i++) {
		uint32_t bank = hd_bank_of(sm, warp, inst->read_regs[i]), reads = 0;
		for (uint32_t k = 0; k < inst->read_count; k++)
			reads += hd_bank_of(sm, warp, inst->read_regs[k]) == bank;
		if (reads > room_of(shape, warp->regfile->ports + bank * shape->read_ports, from))
			return false;
	}
	return true;
}

/* A register set that no window holds (three of one bank, each taking two cycles) goes as one of variable latency. */
static uint64_t bubbles(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	enum { MOST = 64 };
	for (uint64_t count = 0; count < MOST; count++)
		if (fits(sm, warp, inst, now + 1 + count))
			return count;
	return 0;
}

uint64_t hd_modern_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	uint64_t count = has_fixed_latency(inst) ? bubbles(sm, warp, inst, now) : 0;
	uint64_t from = (now + 1 + count) * HD_TICKS, latest = from, end = now + WINDOW + count;
	for (uint32_t i = 0; i < inst->read_count; i++)
		latest = max64(latest, hd_bank_read(sm, warp, inst->read_regs[i], from) - sm->gpu->shape.latency);
	uint64_t late = count + (latest / HD_TICKS > end ? latest / HD_TICKS - end : 0);
	hd_sm_counters(sm, warp)->bank_conflicts += late;
	warp->regfile->open = now + 1 + count;
	return now + sm->gpu->shape.operand_cycles + late;
}

uint64_t hd_modern_write(const struct hd_dinst *inst, uint64_t now, uint64_t written)
{
	return has_fixed_latency(inst) ? now : written;
}
