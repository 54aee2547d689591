/*
 * A software register hierarchy (SHRF; Gebhart et al., MICRO 2011, as ltrf-asplos18 2.3 and 6.6 describe it): a
 * comparator of LTRF. The compiler says of each strand which values lie in the upper level, of 16 registers for each
 * active warp; nothing is fetched ahead, so that a value from outside the strand is read from the main register file
 * when it is first wanted. At the strand's end what is alive is written back, and the upper level is empty.
 *
 * How it is read: a result is kept if the strand reads it later, and so is what has come from the main register file;
 * other results go there at once. Strands are LTRF's, of at most as many registers as an interval, so that there is
 * always room. They end behind a load, not before its use: a warp that makes way for a miss inside a strand writes back
 * what is alive, and begins anew. The code says where a value lies, and no control block is asked. A value dies with
 * the read that the compiler marks as the last of the whole warp; a result of some lanes is merged where its register
 * is kept, and goes to the main register file otherwise. Code without strands is served by that alone.
 *
 * Under --verify each operand of the upper level is compared with the register file, and one whose value was dropped as
 * dead is a fault.
 *
 * Cost: O(entries) an operand or result, and O(strand^2) when code is loaded.
 */
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "runtime/exec/fault.h"
#include "runtime/policy/served.h"
#include "runtime/policy/wcb.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"

#define MOST_ENTRIES 64
#define NO_STRAND UINT64_MAX
#define NO_ENTRY UINT32_MAX
#define RESULT_BIT 12 /* of `wanted`, behind those of the operands */

#define SHRF_COUNTS(X)                                                                    \
	X(strands, "strands", "strands entered by warps")                                  \
	X(operands, "registers", "register operands read, without duplicates")            \
	X(hits, "registers", "register operands found in the upper level")                              \
	X(kept, "registers", "registers moved to the upper level from the main register file")               \
	X(results, "registers", "results written to the upper level")                             \
	X(written_back, "registers", "registers written to the main register file at ends of strands")     \
	X(saved, "registers", \
	  "registers of warps that became inactive within a strand, written to the main register file") \
	X(dropped, "registers", "dead results that were not written back")

struct shrf_counts {
	SHRF_COUNTS(HD_COUNT_FIELD)
};

struct shrf_entry {
	uint8_t reg;
	bool valid, dirty;
	uint64_t at;		      /* tick from which it is there */
	uint32_t data[HD_WARP_LANES]; /* under --verify */
};

struct shrf_warp {
	bool active, begun;
	uint64_t strand; /* function << 32 | strand */
	struct hd_wcb_set live, lost;
	struct shrf_entry entries[MOST_ENTRIES];
};

struct shrf_gpu {
	uint32_t entries;
	uint16_t *wanted; /* by instruction: bit i its operand i is read again in the strand; RESULT_BIT: its result */
	uint32_t wanted_count;
};

enum setting { ENTRIES, LATENCY };
enum energy { READ, WRITE };

static struct shrf_gpu *gpu_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_gpu(self, warp->cta->sm->gpu);
}

static struct shrf_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

static void spend(const struct hd_policy_handle *self, const struct hd_warp *warp, enum energy what)
{
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, (uint32_t)what, 1);
}

static int configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	(void)policy, (void)parameter, (void)diag;
	config->scheduler = HD_SCHED_TWO_LEVEL;
	config->two_level_miss = 1;
	return 0;
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	((struct shrf_gpu *)hd_policy_gpu(self, gpu))->entries = (uint32_t)hd_policy_setting(self, gpu, ENTRIES);
}

/* ---- what the compiler says: the values of each strand that the upper level keeps */

static uint64_t strand_at(const struct hd_gpu *gpu, uint32_t pc, bool *entry)
{
	const struct hd_pfunction *function;
	const struct hd_code_facts *facts = hd_facts_at(gpu, pc, &function);
	*entry = false;
	if (!facts || facts->strand == HD_NO_FACT)
		return NO_STRAND;
	*entry = function->said->strands[facts->strand].entry_pc == (pc - function->first) * HD_INST_BYTES;
	return (uint64_t)(function - gpu->program.functions.data) << 32 | facts->strand;
}

static bool reads(const struct hd_dinst *inst, uint32_t reg)
{
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (inst->operands[i].reg == reg)
			return true;
	return false;
}

/* Whether an instruction of the same strand behind this one reads the register. Strands have no loops. */
static bool is_read_again(const struct hd_gpu *gpu, const struct hd_pfunction *function, uint32_t pc, uint32_t reg)
{
	uint32_t end = function->first + function->count, strand = hd_facts_at(gpu, pc, NULL)->strand;
	for (uint32_t next = pc + 1; next < end; next++)
		if (hd_facts_at(gpu, next, NULL)->strand == strand && reads(&gpu->program.code.data[next], reg))
			return true;
	return false;
}

static uint16_t wanted_of(const struct hd_gpu *gpu, const struct hd_pfunction *function, uint32_t pc)
{
	const struct hd_dinst *inst = &gpu->program.code.data[pc];
	uint32_t wanted = 0;
	bool entry;
	if (strand_at(gpu, pc, &entry) == NO_STRAND)
		return 0;
	for (uint32_t i = 0; i < inst->operand_count; i++)
		if (is_read_again(gpu, function, pc, inst->operands[i].reg))
			wanted |= 1u << i;
	for (uint32_t word = 0; word < inst->write_count; word++)
		if (is_read_again(gpu, function, pc, inst->inst.dst + word))
			wanted |= 1u << RESULT_BIT;
	return (uint16_t)wanted;
}

static void decode(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		   struct hd_dinst *code)
{
	struct shrf_gpu *shrf = hd_policy_gpu(self, gpu);
	uint32_t end = function->first + function->count;
	(void)code;
	if (end > shrf->wanted_count) {
		uint32_t capacity = 2 * end;
		uint16_t *wanted = HD_ARENA_NEW(&gpu->arena, uint16_t, capacity);
		if (shrf->wanted_count)
			memcpy(wanted, shrf->wanted, shrf->wanted_count * sizeof *wanted);
		shrf->wanted = wanted;
		shrf->wanted_count = capacity;
	}
	for (uint32_t pc = function->first; pc < end; pc++)
		shrf->wanted[pc] = wanted_of(gpu, function, pc);
}

static bool is_wanted(const struct hd_policy_handle *self, const struct hd_warp *warp, const struct hd_dinst *inst,
		      uint32_t bit)
{
	return gpu_of(self, warp)->wanted[inst - warp->cta->sm->gpu->program.code.data] >> bit & 1;
}

/* ---- the upper level */

static struct shrf_entry *find(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	for (uint32_t i = 0; i < gpu_of(self, warp)->entries; i++)
		if (mine->entries[i].valid && mine->entries[i].reg == reg)
			return &mine->entries[i];
	return NULL;
}

/* An entry for the register; NULL: the upper level is full. */
static struct shrf_entry *keep(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	for (uint32_t i = 0; i < gpu_of(self, warp)->entries; i++)
		if (!mine->entries[i].valid) {
			mine->entries[i].valid = true;
			mine->entries[i].reg = (uint8_t)reg;
			return &mine->entries[i];
		}
	return NULL;
}

static void fill(const struct hd_policy_handle *self, const struct hd_warp *warp, struct shrf_entry *entry, bool dirty,
		 uint64_t at)
{
	entry->dirty = dirty;
	entry->at = at;
	if (warp->cta->sm->gpu->options.verify)
		memcpy(entry->data, warp->regs[entry->reg], HD_ROW_BYTES);
	spend(self, warp, WRITE);
}

/* Empties it; the number of registers that were written back. */
static uint64_t empty(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	uint64_t written = 0;
	for (uint32_t i = 0; i < gpu_of(self, warp)->entries; i++) {
		struct shrf_entry *entry = &mine->entries[i];
		bool dirty = entry->valid && entry->dirty;
		entry->valid = false;
		if (!dirty)
			continue;
		if (!hd_wcb_has(&mine->live, entry->reg)) {
			counts_of(self, warp)->dropped++;
			hd_wcb_add(&mine->lost, entry->reg);
			continue;
		}
		hd_bank_write(warp->cta->sm, warp, entry->reg, now * HD_TICKS);
		spend(self, warp, READ);
		written++;
	}
	return written;
}

static void fetch(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	bool entry;
	uint64_t strand = strand_at(warp->cta->sm->gpu, pc, &entry);
	if (mine->begun && strand == mine->strand && !entry)
		return;
	mine->begun = true;
	mine->strand = strand;
	counts_of(self, warp)->written_back += empty(self, warp, now);
	counts_of(self, warp)->strands += strand != NO_STRAND;
}

/* ---- operands and results */

static void check(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t reg,
		  const struct shrf_entry *entry)
{
	const struct shrf_warp *mine = hd_policy_warp(self, warp);
	if (hd_wcb_has(&mine->lost, reg))
		hd_gpu_fault(warp->cta->sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "SHRF: R%u is read after it was dropped as dead", reg);
	else if (entry)
		hd_served_check(warp, reg, entry->data, "SHRF");
}

/* From the main register file; what the strand reads again is kept. */
static enum hd_source from_main(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t reg, bool again,
				uint64_t now, uint64_t *ready)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	struct shrf_entry *entry = again && mine->active ? keep(self, warp, reg) : NULL;
	if (!entry)
		return HD_FROM_BANK;
	*ready = hd_bank_read(warp->cta->sm, warp, reg, now * HD_TICKS);
	fill(self, warp, entry, false, *ready);
	counts_of(self, warp)->kept++;
	return HD_FROM_CACHE;
}

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct hd_warp *warp = collector->warp;
	uint32_t index = (uint32_t)(operand - collector->inst->operands);
	struct shrf_entry *entry = find(self, warp, operand->reg);
	if (warp->cta->sm->gpu->options.verify && hd_served_is_read(warp, collector->inst))
		check(self, warp, operand->reg, entry);
	if (operand->same != index) {
		*ready = collector->ready[operand->same];
		return (enum hd_source)collector->source[operand->same];
	}
	counts_of(self, warp)->operands++;
	if (!entry)
		return from_main(self, warp, operand->reg, is_wanted(self, warp, collector->inst, index), now, ready);
	uint64_t read = now * HD_TICKS + (uint64_t)(hd_policy_setting(self, warp->cta->sm->gpu, LATENCY) * HD_TICKS);
	*ready = read > entry->at ? read : entry->at;
	counts_of(self, warp)->hits++;
	spend(self, warp, READ);
	return HD_FROM_CACHE;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	const struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct shrf_entry *kept = find(self, warp, result->reg);
	bool entry, full = !(warp->live & ~result->lanes);
	uint64_t strand = strand_at(gpu, (uint32_t)(result->inst - gpu->program.code.data), &entry);
	bool wanted = mine->active && full && strand != NO_STRAND && strand == mine->strand &&
		      is_wanted(self, warp, result->inst, RESULT_BIT);
	if (!kept && !(wanted && (kept = keep(self, warp, result->reg))))
		return HD_TO_BANK;
	fill(self, warp, kept, true, now * HD_TICKS);
	counts_of(self, warp)->results++;
	return HD_TO_CACHE;
}

/* A value is alive from a write on, until its last read. */
static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	(void)now;
	for (uint32_t i = 0; i < inst->named_count; i++)
		if (inst->operands[i].dead)
			hd_wcb_drop(&mine->live, inst->operands[i].reg);
	for (uint32_t word = 0; effect->mask && word < inst->write_count; word++) {
		hd_wcb_add(&mine->live, inst->inst.dst + word);
		hd_wcb_drop(&mine->lost, inst->inst.dst + word);
	}
}

/* ---- warps and grids */

static uint32_t activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	((struct shrf_warp *)hd_policy_warp(self, warp))->active = true;
	return 0;
}

static void deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	mine->active = false;
	if (warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER)
		counts_of(self, warp)->saved += empty(self, warp, now);
}

static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	counts_of(self, warp)->written_back += empty(self, warp, now);
	mine->strand = NO_STRAND;
	memset(&mine->lost, 0, sizeof mine->lost);
	memset(&mine->live, 0xff, sizeof mine->live);
}

static const struct hd_policy_count counts[] = {
	SHRF_COUNTS(HD_COUNT_ROW){0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct shrf_counts sum;
	hd_policy_sum(self, gpu, &sum);
	add(context, "read_hits", sum.operands ? 100 * (double)sum.hits / (double)sum.operands : 0, "%");
}

static const struct hd_policy_setting settings[] = {
	[ENTRIES] = {"entries", "upper-level entries per active warp (ltrf-asplos18 5: 16 KB, 8 warps)", 16, 1,
		     MOST_ENTRIES},
	[LATENCY] = {"cache_latency", "upper-level read latency, cycles (assumed)", 1, 0, 1000},
	{0},
};

static const struct hd_policy_energy energy[] = {
	[READ] = {"cache_read", "read of a register from the upper level (assumed)", 3.2},
	[WRITE] = {"cache_write", "write of a register to the upper level (assumed)", 4.2},
	{0},
};

const struct hd_policy_hooks hd_hooks_shrf = {
	.gpu_bytes = sizeof(struct shrf_gpu),
	.warp_bytes = sizeof(struct shrf_warp),
	.several_grids = true,
	.facts = true,
	.settings = settings,
	.counts = counts,
	.energy = energy,
	.configure = configure,
	.start = start,
	.decode = decode,
	.issue.fetch = fetch,
	.operands.operand_source = operand_source,
	.operands.result_target = result_target,
	.issue.issued = issued,
	.issue.activate = activate,
	.issue.deactivate = deactivate,
	.calls.forget_names = forget_names,
	.observation.report = report,
};
