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
 * The reuse cache has an entry for each bank and operand slot of a scheduler. A register that an instruction of fixed
 * latency reads with its reuse bit set stays there until the next read of the bank in that slot, by any warp, which
 * finds it if it is of the same register of the same warp, and then needs no port. The compiler sets the bits
 * (passes/emit/reuse_bits.c).
 *
 * Not modelled: the stage between issue and the window that lets
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

/* ---- the reuse cache */

/* Registers that an instruction reads from their banks. */
struct reads {
	uint32_t count;
	uint8_t regs[sizeof((struct hd_dinst){0}.read_regs)];
};

/* What an entry holds of a warp's register; 0: nothing. Ages are of warps, not of their places. */
static uint64_t key_of(const struct hd_warp *warp, uint32_t reg)
{
	return (warp->age + 1) << 8 | reg;
}

static uint64_t *entry_of(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_operand *operand)
{
	return &warp->regfile->reuse[hd_bank_of(sm, warp, operand->reg) * HD_REUSE_SLOTS + operand->slot - HD_SLOT_A];
}

static void read_once(struct reads *reads, uint8_t reg)
{
	for (uint32_t i = 0; i < reads->count; i++)
		if (reads->regs[i] == reg)
			return;
	reads->regs[reads->count++] = reg;
}

/* A register that is read in two slots needs its bank unless both have it. */
static void look_up(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
		    struct reads *reads)
{
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (*entry_of(sm, warp, &inst->operands[i]) != key_of(warp, inst->operands[i].reg))
			read_once(reads, inst->operands[i].reg);
	for (uint32_t i = 0; i < inst->operand_count; i++) {
		const struct hd_operand *operand = &inst->operands[i];
		bool kept = inst->inst.reuse >> (operand->slot - HD_SLOT_A) & 1;
		*entry_of(sm, warp, operand) = kept ? key_of(warp, operand->reg) : 0;
	}
}

void hd_modern_forget(struct hd_sm *sm)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	for (uint32_t part = 0; shape->modern && part < shape->parts; part++)
		memset(sm->regfiles[part]->reuse, 0, shape->banks * HD_REUSE_SLOTS * sizeof(uint64_t));
}

/* ---- ports */

/* Reads that the ports of a bank can begin in a window from cycle `from` on. */
static uint64_t room_of(const struct hd_bank_shape *shape, const uint64_t *ports, uint64_t from)
{
	uint64_t end = (from + WINDOW) * HD_TICKS, room = 0;
	for (uint32_t i = 0; i < shape->read_ports; i++)
		if (ports[i] < end)
			room += (end - max64(ports[i], from * HD_TICKS) + shape->busy - 1) / shape->busy;
	return room;
}

static bool fits(const struct hd_sm *sm, const struct hd_warp *warp, const struct reads *reads, uint64_t from)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	for (uint32_t i = 0; i < reads->count; i++) {
		uint32_t bank = hd_bank_of(sm, warp, reads->regs[i]), wanted = 0;
		for (uint32_t k = 0; k < reads->count; k++)
			wanted += hd_bank_of(sm, warp, reads->regs[k]) == bank;
		if (wanted > room_of(shape, warp->regfile->ports + bank * shape->read_ports, from))
			return false;
	}
	return true;
}

/* A register set that no window holds (three of one bank, each taking two cycles) goes as one of variable latency. */
static uint64_t bubbles(const struct hd_sm *sm, const struct hd_warp *warp, const struct reads *reads, uint64_t now)
{
	enum { MOST = 64 };
	for (uint64_t count = 0; count < MOST; count++)
		if (fits(sm, warp, reads, now + 1 + count))
			return count;
	return 0;
}

uint64_t hd_modern_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	bool fixed = has_fixed_latency(inst);
	struct reads reads = {0};
	if (fixed) {
		look_up(sm, warp, inst, &reads);
		hd_sm_counters(sm, warp)->reuse_hits += inst->read_count - reads.count;
	} else {
		reads.count = inst->bank_count;
		memcpy(reads.regs, inst->read_regs, inst->bank_count);
	}
	uint64_t count = fixed ? bubbles(sm, warp, &reads, now) : 0;
	uint64_t from = (now + 1 + count) * HD_TICKS, latest = from, end = now + WINDOW + count;
	for (uint32_t i = 0; i < reads.count; i++)
		latest = max64(latest, hd_bank_read(sm, warp, reads.regs[i], from) - sm->gpu->shape.latency);
	uint64_t late = count + (latest / HD_TICKS > end ? latest / HD_TICKS - end : 0);
	hd_sm_counters(sm, warp)->bank_conflicts += late;
	warp->regfile->open = now + 1 + count;
	return now + sm->gpu->shape.operand_cycles + late;
}

uint64_t hd_modern_write(const struct hd_dinst *inst, uint64_t now, uint64_t written)
{
	return has_fixed_latency(inst) ? now : written;
}
