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
#include "runtime/policy/regcache.h"
#include "runtime/sm/counts.h"

#define NO_STRAND UINT64_MAX
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

struct shrf_warp {
	struct hd_regcache cache;
	bool begun;
	uint64_t strand; /* function << 32 | strand */
	struct hd_wcb_set live;
};

struct shrf_gpu {
	struct hd_regcache_gpu caches;
	uint16_t *wanted; /* by instruction: bit i its operand i is read again in the strand; RESULT_BIT: its result */
	uint32_t wanted_count;
};

static struct shrf_gpu *gpu_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_gpu(self, warp->cta->sm->gpu);
}

static struct shrf_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
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

/* Empties it. Returns the number of registers that were written back. */
static uint64_t empty(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	uint64_t written = 0;
	for (uint32_t i = 0; i < hd_regcache_entries(self, warp); i++) {
		struct hd_regcache_entry *entry = &mine->cache.entries[i];
		entry->dead = !hd_wcb_has(&mine->live, entry->reg);
		enum hd_regcache_end end = hd_regcache_evict(self, warp, entry, now);
		counts_of(self, warp)->dropped += end == HD_REGCACHE_DROPPED;
		written += end == HD_REGCACHE_WRITTEN;
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

static void fill(const struct hd_policy_handle *self, const struct hd_warp *warp, struct hd_regcache_entry *entry,
		 uint32_t reg, bool clean, uint64_t since)
{
	hd_regcache_fill(self, warp, entry, reg);
	entry->clean = clean;
	entry->since = since;
}

/* From the main register file; what the strand reads again is kept. */
static enum hd_source from_main(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t reg, bool again,
				uint64_t now, uint64_t *ready)
{
	bool keeps = again && hd_regcache_of(self, warp)->active;
	struct hd_regcache_entry *entry = keeps ? hd_regcache_unused(self, warp) : NULL;
	if (!entry)
		return HD_FROM_BANK;
	*ready = hd_bank_read(warp->cta->sm, warp, reg, now * HD_TICKS);
	fill(self, warp, entry, reg, true, *ready);
	counts_of(self, warp)->kept++;
	return HD_FROM_CACHE;
}

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct hd_warp *warp = collector->warp;
	uint32_t index = (uint32_t)(operand - collector->inst->operands);
	struct hd_regcache_entry *entry = hd_regcache_find(self, warp, operand->reg);
	hd_regcache_check(self, warp, collector->inst, operand->reg, entry, "SHRF");
	if (operand->same != index) {
		*ready = collector->ready[operand->same];
		return (enum hd_source)collector->source[operand->same];
	}
	counts_of(self, warp)->operands++;
	if (!entry)
		return from_main(self, warp, operand->reg, is_wanted(self, warp, collector->inst, index), now, ready);
	uint64_t read = hd_regcache_read(self, warp, now);
	*ready = read > entry->since ? read : entry->since;
	counts_of(self, warp)->hits++;
	return HD_FROM_CACHE;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	const struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct hd_regcache_entry *kept = hd_regcache_find(self, warp, result->reg);
	bool entry, full = !(warp->live & ~result->lanes);
	uint64_t strand = strand_at(gpu, (uint32_t)(result->inst - gpu->program.code.data), &entry);
	bool wanted = mine->cache.active && full && strand != NO_STRAND && strand == mine->strand &&
		      is_wanted(self, warp, result->inst, RESULT_BIT);
	if (!kept && wanted)
		kept = hd_regcache_unused(self, warp);
	if (!kept)
		return HD_TO_BANK;
	fill(self, warp, kept, result->reg, false, now * HD_TICKS);
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
		hd_wcb_drop(&mine->cache.lost, inst->inst.dst + word);
	}
}

/* ---- warps and grids */

static void deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	mine->cache.active = false;
	if (warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER)
		counts_of(self, warp)->saved += empty(self, warp, now);
}

static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct shrf_warp *mine = hd_policy_warp(self, warp);
	counts_of(self, warp)->written_back += empty(self, warp, now);
	mine->strand = NO_STRAND;
	memset(&mine->cache.lost, 0, sizeof mine->cache.lost);
	memset(&mine->live, 0xff, sizeof mine->live);
}

static const struct hd_policy_count counts[] = {
	SHRF_COUNTS(HD_COUNT_ROW){0},
};

static const struct hd_policy_count reported[] = {
	{"read_hits", "%", "operands that the register cache had"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct shrf_counts sum;
	hd_policy_sum(self, gpu, &sum);
	add(context, "read_hits", hd_percent(sum.hits, sum.operands), "%");
}

static const struct hd_policy_setting settings[] = {
	HD_REGCACHE_SETTINGS("upper-level"),
	{0},
};

static const struct hd_policy_energy energy[] = {
	HD_REGCACHE_ENERGY("upper level"),
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
	.configure = hd_regcache_configure,
	.start = hd_regcache_start,
	.decode = decode,
	.issue.fetch = fetch,
	.operands.operand_source = operand_source,
	.operands.result_target = result_target,
	.issue.issued = issued,
	.issue.activate = hd_regcache_activate,
	.issue.deactivate = deactivate,
	.calls.forget_names = forget_names,
	.observation.report = report,
	.observation.reported = reported,
};
