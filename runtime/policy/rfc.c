/*
 * A hardware register file cache (RFC; Gebhart et al., ISCA 2011, as ltrf-asplos18 2.3 and 5, and malekeh 10, describe
 * it): a comparator of LTRF. Each active warp has entries of its own, filled by results alone, the oldest of which
 * makes room; nothing is fetched ahead. What leaves is written to the main register file if it is still alive, and all
 * of a warp's entries leave with it when it is not active any more.
 *
 * Section 2.3 of LTRF has warps displace each other's registers, as in a cache that all of an SM share: `shared`. Who
 * is not active keeps what is there until others need the room.
 *
 * How it is read: 16 entries for each of 8 active warps are the 16 KB of LTRF's cache; a value dies with the read that
 * the compiler marks as the last of the whole warp; a result of some lanes is merged where its register is kept, and
 * goes to the main register file otherwise; results of warps that are not active do, too.
 *
 * Under --verify each operand that the cache serves is compared with the register file, and one whose value was dropped
 * as dead is a fault.
 *
 * Cost: O(entries) an operand or result.
 */
#include <string.h>

#include "heddle/config.h"
#include "runtime/exec/fault.h"
#include "runtime/policy/served.h"
#include "runtime/policy/wcb.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"

#define MOST_ENTRIES 64
#define MOST_SHARED 1024

#define RFC_COUNTS(X)                                                                     \
	X(operands, "registers", "register operands read, without duplicates")            \
	X(hits, "registers", "register operands found in the cache")                                    \
	X(results, "registers", "results written to the cache")                                    \
	X(written_back, "registers", "registers evicted to the main register file")               \
	X(saved, "registers", "registers of warps that became inactive, written to the main register file")          \
	X(dropped, "registers", "dead registers that were not written back")

struct rfc_counts {
	RFC_COUNTS(HD_COUNT_FIELD)
};

struct rfc_entry {
	uint8_t reg;
	bool valid, dead;
	uint64_t made;		      /* number of the result that it was made for */
	uint32_t data[HD_WARP_LANES]; /* under --verify */
};

struct rfc_warp {
	bool active;
	uint32_t oldest;	/* the entry that makes room next */
	struct hd_wcb_set lost; /* dropped as dead */
	struct rfc_entry entries[MOST_ENTRIES];
};

/* A place of a cache that all warps share, and whose result has it. */
struct rfc_place {
	uint32_t warp, entry;
	uint64_t made;
};

struct rfc_sm {
	struct rfc_place ring[MOST_SHARED]; /* the oldest at `next` */
	uint32_t next;
	uint64_t made; /* results that took a place */
};

struct rfc_gpu {
	uint32_t entries; /* of a warp: its own, or the most that it can have of those that all share */
	uint32_t shared;  /* of all warps of an SM; 0: each has its own */
};

enum setting { ENTRIES, LATENCY, SHARED };
enum energy { READ, WRITE };

static struct rfc_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

static uint32_t entries_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return ((const struct rfc_gpu *)hd_policy_gpu(self, warp->cta->sm->gpu))->entries;
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
	struct rfc_gpu *rfc = hd_policy_gpu(self, gpu);
	const struct hd_config *config = gpu->config;
	uint64_t active = config->two_level_active * (config->two_level_pool ? 1 : config->schedulers);
	rfc->entries = (uint32_t)hd_policy_setting(self, gpu, ENTRIES);
	if (hd_policy_setting(self, gpu, SHARED) == 0)
		return;
	rfc->shared = rfc->entries * (uint32_t)active;
	rfc->shared = rfc->shared < MOST_SHARED ? rfc->shared : MOST_SHARED;
	rfc->entries = rfc->shared < MOST_ENTRIES ? rfc->shared : MOST_ENTRIES;
}

static struct rfc_entry *find(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	for (uint32_t i = 0; i < entries_of(self, warp); i++)
		if (mine->entries[i].valid && mine->entries[i].reg == reg)
			return &mine->entries[i];
	return NULL;
}

/* The entry is free afterwards; whether its value was written back. */
static bool empty(const struct hd_policy_handle *self, struct hd_warp *warp, struct rfc_entry *entry, uint64_t now)
{
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	if (!entry->valid)
		return false;
	entry->valid = false;
	if (entry->dead) {
		counts_of(self, warp)->dropped++;
		hd_wcb_add(&mine->lost, entry->reg);
		return false;
	}
	hd_bank_write(warp->cta->sm, warp, entry->reg, now * HD_TICKS);
	spend(self, warp, READ);
	return true;
}

static struct rfc_entry *own_entry(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	struct rfc_entry *entry = &mine->entries[mine->oldest];
	mine->oldest = (mine->oldest + 1) % entries_of(self, warp);
	counts_of(self, warp)->written_back += empty(self, warp, entry, now);
	return entry;
}

/* The oldest place of all, whosever it was. */
static struct rfc_entry *shared_entry(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct rfc_sm *rfc = hd_policy_sm(self, sm);
	struct rfc_place *place = &rfc->ring[rfc->next];
	struct hd_warp *other = &sm->warps[place->warp];
	struct rfc_entry *victim = &((struct rfc_warp *)hd_policy_warp(self, other))->entries[place->entry];
	if (place->made && victim->valid && victim->made == place->made)
		counts_of(self, other)->written_back += empty(self, other, victim, now);
	struct rfc_entry *entry = own_entry(self, warp, now);
	entry->made = ++rfc->made;
	*place = (struct rfc_place){.warp = warp->id,
				    .entry = (uint32_t)(entry -
							((struct rfc_warp *)hd_policy_warp(self, warp))->entries),
				    .made = entry->made};
	rfc->next = (rfc->next + 1) % ((const struct rfc_gpu *)hd_policy_gpu(self, sm->gpu))->shared;
	return entry;
}

static bool is_shared(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return ((const struct rfc_gpu *)hd_policy_gpu(self, warp->cta->sm->gpu))->shared != 0;
}

/* ---- operands and results */

static enum hd_source operand_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct hd_warp *warp = collector->warp;
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct rfc_entry *entry = find(self, warp, operand->reg);
	bool first = collector->inst->operands[operand->same].slot == operand->slot &&
		     collector->inst->operands[operand->same].word == operand->word;
	(void)now;
	counts_of(self, warp)->operands += first;
	if (gpu->options.verify && hd_wcb_has(&mine->lost, operand->reg) && hd_served_is_read(warp, collector->inst))
		hd_gpu_fault(gpu, warp, warp->pc, 0, HD_SIM_VERIFY, "RFC: R%u is read after it was dropped as dead",
			     operand->reg);
	if (!entry)
		return HD_FROM_BANK;
	if (gpu->options.verify)
		hd_served_check(warp, operand->reg, entry->data, "RFC");
	counts_of(self, warp)->hits += first;
	if (first)
		spend(self, warp, READ);
	*ready += (uint64_t)(hd_policy_setting(self, gpu, LATENCY) * HD_TICKS);
	return HD_FROM_CACHE;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	struct rfc_entry *entry = find(self, warp, result->reg);
	bool full = !(warp->live & ~result->lanes);
	hd_wcb_drop(&mine->lost, result->reg);
	if ((!mine->active && !is_shared(self, warp)) || (!entry && !full))
		return HD_TO_BANK;
	if (!entry)
		entry = is_shared(self, warp) ? shared_entry(self, warp, now) : own_entry(self, warp, now);
	entry->reg = result->reg;
	entry->valid = true;
	entry->dead = false;
	if (warp->cta->sm->gpu->options.verify)
		memcpy(entry->data, warp->regs[result->reg], HD_ROW_BYTES);
	counts_of(self, warp)->results++;
	spend(self, warp, WRITE);
	return HD_TO_CACHE;
}

static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	for (uint32_t i = 0; i < entries_of(self, warp); i++)
		counts_of(self, warp)->written_back += empty(self, warp, &mine->entries[i], now);
	memset(&mine->lost, 0, sizeof mine->lost);
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	(void)effect;
	if (hd_served_is_service(inst))
		forget_names(self, warp, now);
	for (uint32_t i = 0; i < inst->named_count; i++) {
		struct rfc_entry *entry = inst->operands[i].dead ? find(self, warp, inst->operands[i].reg) : NULL;
		if (entry)
			entry->dead = true;
	}
}

/* ---- warps and grids */

static uint32_t activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	((struct rfc_warp *)hd_policy_warp(self, warp))->active = true;
	return 0;
}

static void deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	bool goes_on = warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER;
	mine->active = false;
	if (goes_on && is_shared(self, warp))
		return;
	for (uint32_t i = 0; i < entries_of(self, warp); i++) {
		if (goes_on)
			counts_of(self, warp)->saved += empty(self, warp, &mine->entries[i], now);
		mine->entries[i].valid = false;
	}
}

static const struct hd_policy_count counts[] = {
	RFC_COUNTS(HD_COUNT_ROW){0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct rfc_counts sum;
	hd_policy_sum(self, gpu, &sum);
	add(context, "read_hits", sum.operands ? 100 * (double)sum.hits / (double)sum.operands : 0, "%");
}

static const struct hd_policy_setting settings[] = {
	[ENTRIES] = {"entries", "cache entries per active warp (ltrf-asplos18 5: 16 KB, 8 warps)", 16, 1, MOST_ENTRIES},
	[LATENCY] = {"cache_latency", "register cache read latency, cycles (assumed)", 1, 0, 1000},
	[SHARED] = {"shared",
		    "1: all warps of an SM share the entries, and the oldest entry of all is evicted (2.3); 0: each "
		    "warp has its own",
		    0, 0, 1},
	{0},
};

static const struct hd_policy_energy energy[] = {
	[READ] = {"cache_read", "read of a register from the cache (assumed)", 3.2},
	[WRITE] = {"cache_write", "write of a register to the cache (assumed)", 4.2},
	{0},
};

const struct hd_policy_hooks hd_hooks_rfc = {
	.gpu_bytes = sizeof(struct rfc_gpu),
	.sm_bytes = sizeof(struct rfc_sm),
	.warp_bytes = sizeof(struct rfc_warp),
	.several_grids = true,
	.settings = settings,
	.counts = counts,
	.energy = energy,
	.configure = configure,
	.start = start,
	.operands.operand_source = operand_source,
	.operands.result_target = result_target,
	.issue.issued = issued,
	.issue.activate = activate,
	.issue.deactivate = deactivate,
	.calls.forget_names = forget_names,
	.observation.report = report,
};
