/*
 * Operand collection: register banks with a fixed number of read ports, and collectors that hold an instruction from
 * issue to dispatch. Both are calendars rather than queues: at issue the instruction reserves the first free slot of
 * each bank that it reads, and knows at once when it will have its operands.
 *
 * Register r of a warp lies in bank (r + warp slot) % banks of its scheduler's share of the register file, as the
 * published simulators place it. Without conflicts the operands are read in the cycle of issue: the configured
 * latencies are measured ones and contain the read. A policy may say that the register lies elsewhere (`rename`).
 *
 * Cost: a few operations for each register read.
 */
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

static uint64_t at_least_one(uint64_t value)
{
	return value ? value : 1;
}

void hd_operands_init(struct hd_sm *sm, const struct hd_config *config, struct hd_arena *arena)
{
	sm->bank_count = (uint32_t)at_least_one(config->register_banks / config->schedulers);
	sm->bank_ports = (uint32_t)config->register_ports;
	for (uint32_t i = 0; i < sm->scheduler_count; i++) {
		struct hd_scheduler *scheduler = &sm->schedulers[i];
		scheduler->collector_count = (uint8_t)at_least_one(config->collectors / config->schedulers);
		scheduler->collectors = HD_ARENA_NEW(arena, uint64_t, scheduler->collector_count);
		scheduler->banks = HD_ARENA_NEW(arena, uint64_t, sm->bank_count);
	}
}

static uint32_t bank_of(const struct hd_sm *sm, uint32_t index)
{
	bool power_of_two = !(sm->bank_count & (sm->bank_count - 1)); /* spares a division on nearly all GPUs */
	return power_of_two ? index & (sm->bank_count - 1) : index % sm->bank_count;
}

uint64_t hd_operands_read(struct hd_sm *sm, struct hd_scheduler *scheduler, const struct hd_warp *warp,
			  const struct hd_dinst *inst, uint64_t now)
{
	uint32_t ports = sm->bank_ports;
	uint64_t first = now * ports, latest = first;
	for (uint32_t i = 0; i < inst->read_count; i++) {
		uint32_t reg = inst->read_regs[i];
		if (__builtin_expect(sm->hooks & HD_HOOK(rename), 0))
			reg = hd_policy_rename(sm, warp, reg);
		uint32_t bank = bank_of(sm, reg + warp->slot);
		uint64_t slot = scheduler->banks[bank] > first ? scheduler->banks[bank] : first;
		scheduler->banks[bank] = slot + 1;
		if (slot > latest)
			latest = slot;
	}
	if (latest - first < ports)
		return now;
	uint64_t cycle = latest / ports;
	hd_sm_counters(sm, warp)->bank_conflicts += cycle - now;
	return cycle;
}

/* Takes the collector that is free first; it serves another instruction from the cycle after dispatch on. */
void hd_operands_hold(struct hd_scheduler *scheduler, uint64_t now, uint64_t until)
{
	uint64_t earliest = HD_NEVER;
	bool taken = false;
	for (uint32_t i = 0; i < scheduler->collector_count; i++) {
		if (!taken && scheduler->collectors[i] <= now) {
			scheduler->collectors[i] = until + 1;
			taken = true;
		}
		if (scheduler->collectors[i] < earliest)
			earliest = scheduler->collectors[i];
	}
	scheduler->collector_free = earliest;
}
