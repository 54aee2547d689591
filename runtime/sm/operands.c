/*
 * The operand stage: register banks with a number of ports, and collectors that hold an instruction from issue until it
 * is dispatched to its unit. A scheduler has its share of both, or all schedulers of an SM share them (`subcores`).
 *
 * A port is the tick from which it is free: an access takes the port of its bank that is free first, at once or when it
 * is, for `register_busy` cycles; what is read is in the collector `register_latency` cycles after that. Accesses are
 * served in the order in which they come: reads at issue, results when they are there. Results take the ports of reads
 * where `register_write_ports` is 0; a result that has to wait for a port is there for others when it is written.
 *
 * Latencies of the configuration are measured ones, end to end: `operand_cycles` of them are collection, so that
 * operands that are later than that delay the result, and earlier ones bring it forward.
 *
 * Register r of a warp lies in bank (r + warp slot) % banks of its share of the register file, as the published
 * simulators place it. A policy may say that the register lies elsewhere (`rename`).
 *
 * Cost: a few operations for each register read or written.
 */
#include <assert.h>
#include <math.h>

#include "heddle/config.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/modern.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/stage.h"

enum { REGISTER_BITS = HD_WARP_LANES * 32, DUE_CYCLES = 64 /* bits of `due` */ };

static uint64_t ticks_of(double cycles)
{
	return (uint64_t)lround(cycles * HD_TICKS);
}

static struct hd_bank_shape shape_of(const struct hd_config *config)
{
	uint32_t parts = config->subcores ? (uint32_t)config->schedulers : 1;
	uint32_t banks = (uint32_t)config->register_banks / parts, ports = (uint32_t)config->register_ports;
	uint64_t accesses = (REGISTER_BITS - 1) / config->register_width + 1, busy = ticks_of(config->register_busy);
	bool accelsim = config->operands == HD_OPERANDS_ACCELSIM, shared = accelsim || !config->register_write_ports;
	if (accelsim) { /* an access a step, which is at least a tick */
		busy = hd_later(busy / ports, 1);
		ports = 1;
	}
	struct hd_bank_shape shape = {
		.parts = parts,
		.banks = banks,
		.modern = config->operands == HD_OPERANDS_MODERN,
		.accelsim = accelsim,
		.skew = config->operands != HD_OPERANDS_MODERN,
		.mask = banks & (banks - 1) || accelsim ? 0 : banks - 1,
		.read_ports = ports,
		.write_ports = shared ? ports : (uint32_t)config->register_write_ports,
		.writes_at = shared ? 0 : banks * ports,
		.operand_cycles = accelsim ? 0 : (uint32_t)config->operand_cycles,
		.busy = busy * accesses,
		.latency = ticks_of(config->register_latency) + busy * (accesses - 1),
	};
	if (accelsim) /* of which a cycle is the step that serves the read, and what is before the unit */
		shape.latency = shape.busy + hd_later(ticks_of(config->register_latency), HD_TICKS) - HD_TICKS;
	shape.read_cycles = (uint32_t)hd_tick_cycle(shape.latency);
	return shape;
}

/* In one piece: an access touches a line or two of it. */
static struct hd_regfile *new_regfile(const struct hd_bank_shape *shape, uint32_t part, uint32_t collectors,
				      struct hd_arena *arena)
{
	size_t ports = (size_t)shape->banks * (shape->read_ports + (shape->writes_at ? shape->write_ports : 0));
	struct hd_regfile *file = hd_arena_alloc(arena, sizeof(*file) + (ports + collectors) * sizeof(*file->ports));
	file->collector_count = collectors;
	file->free = file->ports + ports;
	if (shape->modern)
		file->reuse = HD_ARENA_NEW(arena, uint64_t, shape->banks *HD_REUSE_SLOTS);
	if (shape->accelsim) {
		file->steps = HD_ARENA_NEW(arena, uint64_t, collectors);
		file->due = HD_ARENA_NEW(arena, uint64_t, shape->banks);
	}
	file->collectors = HD_ARENA_NEW(arena, struct hd_collector, collectors);
	for (uint32_t i = 0; i < collectors; i++) {
		file->collectors[i].index = i;
		file->collectors[i].number = part * collectors + i;
	}
	return file;
}

void hd_operands_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	struct hd_bank_shape *shape = &sm->gpu->shape;
	*shape = shape_of(config);
	for (uint32_t i = 0; i < shape->parts; i++)
		sm->operands.regfiles[i] = new_regfile(shape, i, (uint32_t)config->collectors / shape->parts, arena);
	for (uint32_t i = 0; i < sm->scheduling.count; i++)
		sm->scheduling.schedulers[i].regfile = sm->operands.regfiles[shape->parts > 1 ? i : 0];
	for (uint32_t id = 0; id < sm->warp_count; id++)
		sm->warps[id].regfile = sm->operands.regfiles[0];
}

/* ---- banks */

/* The banks of a register file as one kind of access, read or write, sees them. */
struct side {
	uint64_t *ports; /* of bank 0 */
	uint32_t count;	 /* of each bank */
	uint32_t banks, mask;
	uint32_t skew; /* of the warp's registers */
	uint64_t busy;
	const uint64_t *due; /* reads where `operands = accelsim` */
	const struct hd_sm *sm;
};

static struct side side_of_file(const struct hd_sm *sm, struct hd_regfile *file, bool writes)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	return (struct side){.ports = file->ports + (writes ? shape->writes_at : 0),
			     .count = writes ? shape->write_ports : shape->read_ports,
			     .banks = shape->banks,
			     .mask = shape->mask,
			     .busy = shape->busy,
			     .due = writes ? NULL : file->due,
			     .sm = sm};
}

static struct side side_of(const struct hd_sm *sm, const struct hd_warp *warp, bool writes)
{
	struct side side = side_of_file(sm, warp->regfile, writes);
	side.skew = warp->slot * sm->gpu->shape.skew;
	return side;
}

/* The tick at which an access to a bank of `count` ports begins. */
static inline uint64_t take_port(const struct side *side, uint32_t bank, uint32_t count, uint64_t from)
{
	uint64_t *ports = side->ports + bank * count, *first = ports;
	if (count == 2)
		first += ports[1] < ports[0];
	else
		for (uint32_t i = 1; i < count; i++)
			if (ports[i] < *first)
				first = &ports[i];
	uint64_t at = hd_later(*first, from);
	*first = at + side->busy;
	return at;
}

static bool is_due(uint64_t cycles, uint64_t cycle)
{
	return cycles >> cycle % DUE_CYCLES & 1;
}

/* The same where `operands = accelsim`: the first step of a cycle may be a result's, which is known for 64 cycles. */
static uint64_t take_step(const struct side *side, uint32_t bank, uint64_t from)
{
	uint64_t at = hd_later(side->ports[bank], from), end = (hd_sm_now(side->sm) + DUE_CYCLES) * HD_TICKS;
	while (at < end && at % HD_TICKS < side->busy && is_due(side->due[bank], at / HD_TICKS))
		at += side->busy;
	side->ports[bank] = at + side->busy;
	return at;
}

static inline uint64_t take(const struct side *side, uint32_t bank, uint64_t from)
{
	return __builtin_expect(side->due != NULL, 0) ? take_step(side, bank, from)
						      : take_port(side, bank, side->count, from);
}

/* Banks are a power of two on nearly all GPUs, which spares a division. */
static inline uint32_t bank_of(const struct side *side, uint32_t reg)
{
	reg += side->skew;
	return side->mask ? reg & side->mask : reg % side->banks;
}

static inline uint32_t renamed(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg)
{
	return __builtin_expect(sm->hooks & HD_HOOK(rename), 0) ? hd_policy_rename(sm, warp, reg) : reg;
}

uint32_t hd_bank_of(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg)
{
	struct side side = side_of(sm, warp, false);
	return bank_of(&side, renamed(sm, warp, reg));
}

static uint64_t begin(const struct hd_sm *sm, const struct hd_warp *warp, const struct side *side, uint32_t reg,
		      uint64_t from)
{
	return take(side, bank_of(side, renamed(sm, warp, reg)), from);
}

/* Registers that are accessed together: those of a list, or from `first` on. */
struct registers {
	const uint8_t *list;
	uint32_t first, count;
};

static inline uint32_t register_at(const struct registers *registers, uint32_t i)
{
	return registers->list ? registers->list[i] : registers->first + i;
}

/* What nearly all GPUs and policies come to: banks a power of two, as many ports as here, nothing renamed. */
static inline __attribute__((always_inline)) uint64_t begin_plainly(const struct side *side, struct registers registers,
								    uint32_t ports, uint64_t from)
{
	uint64_t latest = from;
	for (uint32_t i = 0; i < registers.count; i++) {
		uint32_t bank = (register_at(&registers, i) + side->skew) & side->mask;
		latest = hd_later(latest, take_port(side, bank, ports, from));
	}
	return latest;
}

/* The tick at which the last of the accesses begins. */
static inline __attribute__((always_inline)) uint64_t begin_all(const struct hd_sm *sm, const struct hd_warp *warp,
								bool writes, struct registers registers, uint64_t from)
{
	struct side side = side_of(sm, warp, writes);
	bool plain = side.mask && !(sm->hooks & HD_HOOK(rename));
	if (__builtin_expect(plain && side.count == 2, 1))
		return begin_plainly(&side, registers, 2, from);
	if (plain && side.count == 1)
		return begin_plainly(&side, registers, 1, from);
	uint64_t latest = from;
	for (uint32_t i = 0; i < registers.count; i++)
		latest = hd_later(latest, begin(sm, warp, &side, register_at(&registers, i), from));
	return latest;
}

uint64_t hd_port_read(const struct hd_sm *sm, struct hd_regfile *file, uint32_t bank, uint64_t from)
{
	struct side side = side_of_file(sm, file, false);
	if (from < sm->products.ports_until * HD_TICKS)
		side.busy = sm->products.read_busy;
	return take(&side, bank, from);
}

uint64_t hd_port_write(const struct hd_sm *sm, struct hd_regfile *file, uint32_t bank, uint64_t from)
{
	struct side side = side_of_file(sm, file, true);
	return take_port(&side, bank, side.count, from);
}

bool hd_bank_is_free(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	const uint64_t *ports = warp->regfile->ports + hd_bank_of(sm, warp, reg) * shape->read_ports;
	for (uint32_t i = 0; i < shape->read_ports; i++)
		if (ports[i] <= from)
			return true;
	return false;
}

uint64_t hd_bank_read(struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from)
{
	hd_sm_counters(sm, warp)->bank_reads++;
	struct side side = side_of(sm, warp, false);
	return begin(sm, warp, &side, reg, from) + sm->gpu->shape.latency;
}

static uint64_t write_in_turn(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from)
{
	struct side side = side_of(sm, warp, true);
	return begin(sm, warp, &side, reg, from);
}

/* Where `operands = accelsim`. One that was due has its step; another pushes back the reads behind those that wait. */
static void write_first(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from)
{
	uint64_t cycle = from / HD_TICKS, *due = &warp->regfile->due[hd_bank_of(sm, warp, reg)];
	if (is_due(*due, cycle))
		*due &= ~(UINT64_C(1) << cycle % DUE_CYCLES);
	else
		write_in_turn(sm, warp, reg, from);
}

void hd_register_not_written(const struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t now)
{
	if (!sm->gpu->shape.accelsim)
		return;
	uint32_t bank = hd_bank_of(sm, warp, reg);
	uint64_t *due = &warp->regfile->due[bank], *port = &warp->regfile->ports[bank];
	if (is_due(*due, now) && *port > now * HD_TICKS + sm->gpu->shape.busy)
		*port -= sm->gpu->shape.busy;
	*due &= ~(UINT64_C(1) << now % DUE_CYCLES);
}

void hd_registers_due(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now,
		      uint64_t at)
{
	for (uint32_t i = 0; i < inst->write_count && at - now < DUE_CYCLES; i++)
		warp->regfile->due[hd_bank_of(sm, warp, inst->inst.dst + i)] |= UINT64_C(1) << at % DUE_CYCLES;
}

uint64_t hd_bank_write(struct hd_sm *sm, const struct hd_warp *warp, uint32_t reg, uint64_t from)
{
	hd_sm_counters(sm, warp)->bank_writes++;
	if (!sm->gpu->shape.accelsim)
		return write_in_turn(sm, warp, reg, from);
	write_first(sm, warp, reg, from);
	return from;
}

static inline uint64_t begin_reads(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
				   uint64_t first)
{
	struct registers registers = {.list = inst->read_regs, .count = inst->bank_count};
	hd_sm_counters(sm, warp)->bank_reads += inst->bank_count;
	return begin_all(sm, warp, false, registers, first);
}

static uint64_t read_into_collector(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
				    uint64_t now)
{
	uint64_t first = now * HD_TICKS, latest = begin_reads(sm, warp, inst, first);
	if (latest == first)
		return now + sm->gpu->shape.read_cycles;
	uint64_t cycle = hd_tick_cycle(latest + sm->gpu->shape.latency);
	hd_sm_counters(sm, warp)->bank_conflicts += cycle - now - sm->gpu->shape.read_cycles;
	return cycle;
}

uint64_t hd_registers_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t from)
{
	uint64_t latest = begin_reads(sm, warp, inst, from);
	hd_sm_counters(sm, warp)->bank_conflicts += (latest - from) / HD_TICKS;
	return latest + sm->gpu->shape.latency;
}

uint64_t hd_operands_read(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	if (__builtin_expect(inst->plain_read && !(sm->hooks & HD_HOOK(rename)), 1))
		return hd_modern_read_plainly(sm, warp, inst, now);
	return sm->gpu->shape.modern ? hd_modern_read(sm, warp, inst, now) : read_into_collector(sm, warp, inst, now);
}

/* The usual case: one register, whose bank has one port, which is free. True: it takes it. */
static inline bool write_at_once(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
				 uint64_t first)
{
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	if (inst->write_count != 1 || shape->write_ports != 1 || !shape->mask || sm->hooks & HD_HOOK(rename))
		return false;
	uint32_t bank = (inst->inst.dst + warp->slot * shape->skew) & shape->mask;
	uint64_t *port = &warp->regfile->ports[shape->writes_at + bank];
	if (*port > first)
		return false;
	*port = first + shape->busy;
	return true;
}

static void write_all_first(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
			    uint64_t now)
{
	for (uint32_t i = 0; i < inst->write_count; i++)
		write_first(sm, warp, inst->inst.dst + i, now * HD_TICKS);
}

static uint64_t write_when_free(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct registers registers = {.first = inst->inst.dst, .count = inst->write_count};
	uint64_t first = now * HD_TICKS, latest = begin_all(sm, warp, true, registers, first);
	if (latest == first)
		return now;
	uint64_t cycle = hd_tick_cycle(latest);
	if (sm->gpu->shape.modern)
		cycle = hd_modern_write(inst, now, cycle);
	hd_sm_counters(sm, warp)->write_conflicts += cycle - now;
	return cycle;
}

uint64_t hd_operands_write(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	hd_sm_counters(sm, warp)->bank_writes += inst->write_count;
	if (__builtin_expect(sm->gpu->shape.accelsim, 0)) {
		write_all_first(sm, warp, inst, now);
		return now;
	}
	return write_at_once(sm, warp, inst, now * HD_TICKS) ? now : write_when_free(sm, warp, inst, now);
}

/* ---- collectors */

struct hd_collector *hd_collector_take(const struct hd_sm *sm, const struct hd_scheduler *scheduler,
				       struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_regfile *file = scheduler->regfile;
	uint32_t index = 0;
	if (__builtin_expect(sm->gpu->shape.modern, 0))
		return NULL;
	if (__builtin_expect(sm->hooks & HD_HOOK(choose_collector), 0))
		index = sm->stage.chosen;
	else if (file->steps)
		for (uint32_t i = 1; i < file->collector_count; i++)
			index = file->steps[i] < file->steps[index] ? i : index;
	else
		while (file->free[index] > now)
			index++;
	assert(index < file->collector_count && (file->steps || file->free[index] <= now));
	struct hd_collector *collector = &file->collectors[index];
	collector->warp = warp;
	collector->inst = inst;
	return collector;
}

static inline void hold_until(struct hd_regfile *file, uint32_t index, uint64_t free)
{
	file->free[index] = free;
	file->open = file->free[0];
	for (uint32_t i = 1; i < file->collector_count; i++)
		if (file->free[i] < file->open)
			file->open = file->free[i];
}

void hd_collector_hold(struct hd_sm *sm, const struct hd_scheduler *scheduler, struct hd_collector *collector,
		       uint64_t now, uint64_t dispatch)
{
	struct hd_regfile *file = scheduler->regfile;
	if (!collector)
		return;
	if (file->steps)
		file->steps[collector->index] = dispatch * HD_TICKS;
	if (!file->steps)
		hold_until(file, collector->index, dispatch + 1);
	else if (sm->hooks & HD_STAGE_HOOKS)
		hold_until(file, collector->index, dispatch);
	if (__builtin_expect(sm->hooks & HD_STAGE_HOOKS, 0))
		hd_stage_start(sm, collector, now, dispatch);
}

void hd_operands_dump(const struct hd_sm *sm, uint64_t now, FILE *out)
{
	for (uint32_t part = 0; part < sm->gpu->shape.parts; part++)
		for (uint32_t i = 0; i < sm->operands.regfiles[part]->collector_count; i++) {
			const struct hd_collector *collector = &sm->operands.regfiles[part]->collectors[i];
			if (sm->operands.regfiles[part]->free[i] > now)
				fprintf(out, "  collector %u.%u: %s of warp %u until cycle %llu\n", part, i,
					hd_opinfo[collector->inst->inst.op].name, collector->warp->id,
					(unsigned long long)sm->operands.regfiles[part]->free[i]);
		}
}
