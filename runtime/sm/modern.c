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
 * While products of a warpgroup read their accumulators (wgmma_ports), a read takes a port for longer.
 *
 * Not modelled: the stage between issue and the window that lets
 * one instruction more issue before a bubble is seen.
 *
 * Cost: a few operations for each register read.
 */
#include "runtime/sm/modern.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/units.h"

enum {
	WINDOW = 3,
	MOST_BUBBLES =
		64, /* a register set that no window holds (three of one bank, each two cycles) goes when it can */
	MOST_READS = sizeof((struct hd_dinst){0}.read_regs)
};

/* Banks from which an instruction reads registers. */
struct reads {
	uint32_t count;
	uint16_t banks[MOST_READS];
};

/* What banks go by: hd_bank_of's mask, or 0, where that one has to be asked. */
static uint32_t plain_mask(const struct hd_sm *sm)
{
	return sm->hooks & HD_HOOK(rename) ? 0 : sm->gpu->shape.mask;
}

static inline uint32_t bank_of(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint32_t mask)
{
	return __builtin_expect(mask != 0, 1) ? reg & mask : hd_bank_of(sm, warp, reg);
}

/* ---- the reuse cache */

/* What an entry holds of a warp's register; 0: nothing. Ages are of warps, not of their places. */
static uint64_t key_of(const struct hd_warp *warp, uint32_t reg)
{
	return (warp->age + 1) << 8 | reg;
}

/* A register that is read in two slots needs its bank unless both have it. */
static void look_up(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
		    struct reads *reads)
{
	uint64_t *const cache = warp->regfile->reuse, key = key_of(warp, 0), *entries[HD_MAX_OPERANDS];
	uint32_t mask = plain_mask(sm), count = inst->operand_count;
	uint32_t missing = 0; /* a bit for the first operand of each register */
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_operand *operand = &inst->operands[i];
		uint32_t bank = bank_of(sm, warp, operand->reg, mask), first = UINT32_C(1) << operand->same;
		entries[i] = &cache[bank * HD_REUSE_SLOTS + operand->slot - HD_SLOT_A];
		if (*entries[i] == (key | operand->reg) || missing & first)
			continue;
		missing |= first;
		reads->banks[reads->count++] = (uint16_t)bank;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_operand *operand = &inst->operands[i];
		bool kept = inst->inst.reuse >> (operand->slot - HD_SLOT_A) & 1;
		*entries[i] = kept ? key | operand->reg : 0;
	}
}

void hd_modern_forget(struct hd_sm *sm)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	for (uint32_t part = 0; shape->modern && part < shape->parts; part++)
		memset(sm->operands.regfiles[part]->reuse, 0, shape->banks * HD_REUSE_SLOTS * sizeof(uint64_t));
}

/* ---- ports */

/* Ticks for which a read takes a port. */
static inline uint64_t busy_at(const struct hd_sm *sm, uint64_t now)
{
	return __builtin_expect(now < sm->products.ports_until, 0) ? sm->products.read_busy : sm->gpu->shape.busy;
}

/* Reads that the ports of a bank can begin in a window from cycle `from` on. */
static uint64_t room_of(const struct hd_bank_shape *shape, const uint64_t *ports, uint64_t from, uint64_t busy)
{
	uint64_t end = (from + WINDOW) * HD_TICKS, room = 0;
	for (uint32_t i = 0; i < shape->read_ports; i++)
		if (ports[i] < end)
			room += (end - hd_later(ports[i], from * HD_TICKS) + busy - 1) / busy;
	return room;
}

static bool fits(const struct hd_bank_shape *shape, const uint64_t *ports, const struct reads *reads, uint64_t from,
		 uint64_t busy)
{
	for (uint32_t i = 0; i < reads->count; i++) {
		uint32_t bank = reads->banks[i], wanted = 0;
		for (uint32_t k = 0; k < reads->count; k++)
			wanted += reads->banks[k] == bank;
		if (wanted > room_of(shape, ports + bank * shape->read_ports, from, busy))
			return false;
	}
	return true;
}

/* The same, and the reads take their ports, where a bank has one: they fit if each begins in the window. */
static bool take_window(uint64_t *ports, const struct reads *reads, uint64_t from, uint64_t busy)
{
	uint64_t first = from * HD_TICKS, end = (from + WINDOW) * HD_TICKS, before[MOST_READS];
	for (uint32_t i = 0; i < reads->count; i++) {
		uint64_t *port = &ports[reads->banks[i]], at = hd_later(*port, first);
		before[i] = *port;
		if (__builtin_expect(at >= end, 0)) {
			for (; i != UINT32_MAX; i--)
				ports[reads->banks[i]] = before[i];
			return false;
		}
		*port = at + busy;
	}
	return true;
}

/* The cycles by which reads of fixed latency, and what is behind them, are late; false: no window holds them. */
static inline __attribute__((always_inline)) bool take_bubbles(struct hd_sm *sm, const struct hd_warp *warp,
							       const struct reads *reads, uint64_t now, uint64_t *late)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	uint64_t *ports = warp->regfile->ports, busy = busy_at(sm, now);
	for (*late = 0; *late < MOST_BUBBLES; ++*late) {
		uint64_t from = now + 1 + *late;
		if (shape->read_ports == 1 && take_window(ports, reads, from, busy))
			return true;
		if (shape->read_ports == 1 || !fits(shape, ports, reads, from, busy))
			continue;
		for (uint32_t i = 0; i < reads->count; i++)
			hd_port_read(sm, warp->regfile, reads->banks[i], from * HD_TICKS);
		return true;
	}
	return false;
}

/* Those of reads that go when the ports are free. */
static uint64_t take_ports(struct hd_sm *sm, const struct hd_warp *warp, const struct reads *reads, uint64_t now)
{
	uint64_t from = (now + 1) * HD_TICKS, latest = from, end = now + WINDOW;
	for (uint32_t i = 0; i < reads->count; i++)
		latest = hd_later(latest, hd_port_read(sm, warp->regfile, reads->banks[i], from));
	return latest / HD_TICKS > end ? latest / HD_TICKS - end : 0;
}

static inline uint64_t count_reads(struct hd_sm *sm, const struct hd_warp *warp, uint32_t count, uint64_t now,
				   uint64_t late)
{
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	counters->bank_reads += count;
	counters->bank_conflicts += late;
	return now + sm->gpu->shape.operand_cycles + late;
}

/* Reads of fixed latency: what is behind them is late with them, unless no window holds them. */
static inline __attribute__((always_inline)) uint64_t read_in_window(struct hd_sm *sm, const struct hd_warp *warp,
								     const struct hd_dinst *inst,
								     const struct reads *reads, uint64_t now)
{
	uint64_t late;
	hd_sm_counters(sm, warp)->reuse_hits += inst->read_count - reads->count;
	if (take_bubbles(sm, warp, reads, now, &late))
		warp->regfile->open += late;
	else
		late = take_ports(sm, warp, reads, now);
	return count_reads(sm, warp, reads->count, now, late);
}

static __attribute__((noinline)) uint64_t read_later(struct hd_sm *sm, const struct hd_warp *warp,
						     const struct hd_dinst *inst, const struct reads *reads,
						     uint64_t now)
{
	return read_in_window(sm, warp, inst, reads, now);
}

uint64_t hd_modern_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct reads reads;
	uint32_t mask = plain_mask(sm);
	reads.count = 0;
	warp->regfile->open = now + 1;
	if (hd_is_arithmetic(inst)) {
		look_up(sm, warp, inst, &reads);
		return read_in_window(sm, warp, inst, &reads, now);
	}
	for (; reads.count < inst->bank_count; reads.count++)
		reads.banks[reads.count] = (uint16_t)bank_of(sm, warp, inst->read_regs[reads.count], mask);
	return count_reads(sm, warp, reads.count, now, take_ports(sm, warp, &reads, now));
}

/* Those that go when the ports are free, of banks with one port each. */
static inline uint64_t read_variable(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
				     uint64_t now)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	uint64_t *ports = warp->regfile->ports, from = (now + 1) * HD_TICKS, latest = from, end = now + WINDOW;
	uint64_t busy = busy_at(sm, now);
	for (uint32_t i = 0, count = inst->bank_count; i < count; i++) {
		uint64_t *port = &ports[inst->read_regs[i] & shape->mask], at = hd_later(*port, from);
		latest = hd_later(latest, at);
		*port = at + busy;
	}
	uint64_t late = __builtin_expect(latest >= from + WINDOW * HD_TICKS, 0) ? latest / HD_TICKS - end : 0;
	return count_reads(sm, warp, inst->bank_count, now, late);
}

/*
 * Where an instruction of fixed latency has an entry of the cache for each operand, the cache and the ports are looked
 * at and changed in one go over them. If the first window does not hold the reads they give their ports back. Such a
 * port may then be free from the window on where it was before, which no later read can tell.
 */
uint64_t hd_modern_read_plainly(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_regfile *file = warp->regfile;
	file->open = now + 1;
	if (!hd_is_arithmetic(inst))
		return read_variable(sm, warp, inst, now);
	uint64_t first = (now + 1) * HD_TICKS, key = key_of(warp, 0), latest = 0, busy = busy_at(sm, now);
	uint32_t mask = sm->gpu->shape.mask, kept = inst->inst.reuse;
	struct reads reads;
	reads.count = 0;
	for (uint32_t i = 0, count = inst->operand_count; i < count; i++) {
		uint32_t reg = inst->operands[i].reg, slot = inst->operands[i].slot - HD_SLOT_A, bank = reg & mask;
		uint64_t *entry = &file->reuse[bank * HD_REUSE_SLOTS + slot], found = *entry;
		*entry = kept >> slot & 1 ? key | reg : 0;
		if (found == (key | reg))
			continue;
		uint64_t at = hd_later(file->ports[bank], first);
		latest = hd_later(latest, at);
		file->ports[bank] = at + busy;
		reads.banks[reads.count++] = (uint16_t)bank;
	}
	if (__builtin_expect(latest >= first + WINDOW * HD_TICKS, 0)) {
		for (uint32_t i = 0; i < reads.count; i++)
			file->ports[reads.banks[i]] -= busy;
		return read_later(sm, warp, inst, &reads, now);
	}
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	counters->reuse_hits += inst->read_count - reads.count;
	counters->bank_reads += reads.count;
	return now + sm->gpu->shape.operand_cycles;
}

uint64_t hd_modern_write(const struct hd_dinst *inst, uint64_t now, uint64_t written)
{
	return hd_is_arithmetic(inst) ? now : written;
}
