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
#include "lib/bits.h"
#include "runtime/policy/regcache.h"
#include "runtime/policy/served.h"
#include "runtime/sm/counts.h"

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

struct rfc_warp {
	struct hd_regcache cache;
	uint32_t oldest; /* the entry that makes room next */
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
	struct hd_regcache_gpu
		caches;	 /* entries of a warp: its own, or the most that it can have of those that all share */
	uint32_t shared; /* of all warps of an SM; 0: each has its own */
};

enum { SHARED = HD_REGCACHE_OWN };

static struct rfc_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

static void start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct rfc_gpu *rfc = hd_policy_gpu(self, gpu);
	const struct hd_config *config = gpu->config;
	uint64_t active = config->two_level_active * (config->two_level_pool ? 1 : config->schedulers);
	hd_regcache_start(self, gpu);
	if (hd_policy_setting(self, gpu, SHARED) == 0)
		return;
	rfc->shared = rfc->caches.entries * (uint32_t)active;
	rfc->shared = hd_smaller(rfc->shared, MOST_SHARED);
	rfc->caches.entries = hd_smaller(rfc->shared, HD_REGCACHE_MOST);
}

/* The entry is free afterwards. Returns whether its value was written back. */
static bool empty(const struct hd_policy_handle *self, struct hd_warp *warp, struct hd_regcache_entry *entry,
		  uint64_t now)
{
	enum hd_regcache_end end = hd_regcache_evict(self, warp, entry, now);
	counts_of(self, warp)->dropped += end == HD_REGCACHE_DROPPED;
	return end == HD_REGCACHE_WRITTEN;
}

static struct hd_regcache_entry *own_entry(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct rfc_warp *mine = hd_policy_warp(self, warp);
	struct hd_regcache_entry *entry = &mine->cache.entries[mine->oldest];
	mine->oldest = (mine->oldest + 1) % hd_regcache_entries(self, warp);
	counts_of(self, warp)->written_back += empty(self, warp, entry, now);
	return entry;
}

/* The oldest place of all, whosever it was. */
static struct hd_regcache_entry *shared_entry(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct rfc_sm *rfc = hd_policy_sm(self, sm);
	struct rfc_place *place = &rfc->ring[rfc->next];
	struct hd_warp *other = &sm->warps[place->warp];
	struct hd_regcache_entry *victim = &hd_regcache_of(self, other)->entries[place->entry];
	if (victim->since == place->made)
		counts_of(self, other)->written_back += empty(self, other, victim, now);
	struct hd_regcache_entry *entry = own_entry(self, warp, now);
	entry->since = ++rfc->made;
	*place = (struct rfc_place){.warp = warp->id,
				    .entry = (uint32_t)(entry - hd_regcache_of(self, warp)->entries),
				    .made = entry->since};
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
	struct hd_regcache_entry *entry = hd_regcache_find(self, warp, operand->reg);
	uint64_t first = operand->same == (uint32_t)(operand - collector->inst->operands);
	counts_of(self, warp)->operands += first;
	hd_regcache_check(self, warp, collector->inst, operand->reg, entry, "RFC");
	if (!entry)
		return HD_FROM_BANK;
	if (!first) {
		*ready = collector->ready[operand->same];
		return HD_FROM_CACHE;
	}
	counts_of(self, warp)->hits++;
	*ready = hd_regcache_read(self, warp, now);
	return HD_FROM_CACHE;
}

static enum hd_target result_target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct hd_warp *warp = result->warp;
	struct hd_regcache *cache = hd_regcache_of(self, warp);
	struct hd_regcache_entry *entry = hd_regcache_find(self, warp, result->reg);
	bool full = !(warp->live & ~result->lanes);
	hd_wcb_drop(&cache->lost, result->reg);
	if ((!cache->active && !is_shared(self, warp)) || (!entry && !full))
		return HD_TO_BANK;
	if (!entry)
		entry = is_shared(self, warp) ? shared_entry(self, warp, now) : own_entry(self, warp, now);
	hd_regcache_fill(self, warp, entry, result->reg);
	counts_of(self, warp)->results++;
	return HD_TO_CACHE;
}

static void forget_names(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_regcache *cache = hd_regcache_of(self, warp);
	for (uint32_t i = 0; i < hd_regcache_entries(self, warp); i++)
		counts_of(self, warp)->written_back += empty(self, warp, &cache->entries[i], now);
	memset(&cache->lost, 0, sizeof cache->lost);
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	(void)effect;
	if (hd_served_is_service(inst))
		forget_names(self, warp, now);
	for (uint32_t i = 0; i < inst->named_count; i++) {
		struct hd_regcache_entry *entry =
			inst->operands[i].dead ? hd_regcache_find(self, warp, inst->operands[i].reg) : NULL;
		if (entry)
			entry->dead = true;
	}
}

/* ---- warps and grids */

static void deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_regcache *cache = hd_regcache_of(self, warp);
	bool goes_on = warp->state == HD_WARP_RUNNING || warp->state == HD_WARP_BARRIER;
	cache->active = false;
	if (goes_on && is_shared(self, warp))
		return;
	for (uint32_t i = 0; i < hd_regcache_entries(self, warp); i++) {
		if (goes_on)
			counts_of(self, warp)->saved += empty(self, warp, &cache->entries[i], now);
		cache->entries[i].valid = false;
	}
}

static const struct hd_policy_count counts[] = {
	RFC_COUNTS(HD_COUNT_ROW){0},
};

static const struct hd_policy_count reported[] = {
	{"read_hits", "%", "operands that the register cache had"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct rfc_counts sum;
	hd_policy_sum(self, gpu, &sum);
	add(context, "read_hits", hd_percent(sum.hits, sum.operands), "%");
}

static const struct hd_policy_setting settings[] = {
	HD_REGCACHE_SETTINGS("cache"),
	[SHARED] = {"shared",
		    "1: all warps of an SM share the entries, and the oldest entry of all is evicted (2.3); 0: each "
		    "warp has its own",
		    0, 0, 1},
	{0},
};

static const struct hd_policy_energy energy[] = {
	HD_REGCACHE_ENERGY("cache"),
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
	.configure = hd_regcache_configure,
	.start = start,
	.operands.operand_source = operand_source,
	.operands.result_target = result_target,
	.issue.issued = issued,
	.issue.activate = hd_regcache_activate,
	.issue.deactivate = deactivate,
	.calls.forget_names = forget_names,
	.observation.report = report,
	.observation.reported = reported,
};
