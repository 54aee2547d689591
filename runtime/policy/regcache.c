/*
 * Register caches of warps (regcache.h).
 *
 * Cost: O(entries) a look-up.
 */
#include "runtime/policy/regcache.h"

#include <string.h>

#include "heddle/config.h"
#include "runtime/exec/fault.h"
#include "runtime/policy/served.h"
#include "runtime/sm/operands.h"

int hd_regcache_configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
			  struct hd_diag *diag)
{
	(void)policy, (void)parameter, (void)diag;
	config->scheduler = HD_SCHED_TWO_LEVEL;
	if (config->two_level_miss != HD_MISS_LOADS)
		config->two_level_miss = HD_MISS_YES;
	return 0;
}

void hd_regcache_start(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct hd_regcache_gpu *caches = hd_policy_gpu(self, gpu);
	caches->entries = (uint32_t)hd_policy_setting(self, gpu, HD_REGCACHE_ENTRIES);
}

uint32_t hd_regcache_activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)now;
	hd_regcache_of(self, warp)->active = true;
	return 0;
}

static void spend(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t what)
{
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, what, 1);
}

struct hd_regcache_entry *hd_regcache_find(const struct hd_policy_handle *self, const struct hd_warp *warp,
					   uint32_t reg)
{
	struct hd_regcache *cache = hd_regcache_of(self, warp);
	for (uint32_t i = 0; i < hd_regcache_entries(self, warp); i++)
		if (cache->entries[i].valid && cache->entries[i].reg == reg)
			return &cache->entries[i];
	return NULL;
}

struct hd_regcache_entry *hd_regcache_unused(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	struct hd_regcache *cache = hd_regcache_of(self, warp);
	for (uint32_t i = 0; i < hd_regcache_entries(self, warp); i++)
		if (!cache->entries[i].valid)
			return &cache->entries[i];
	return NULL;
}

void hd_regcache_fill(const struct hd_policy_handle *self, const struct hd_warp *warp, struct hd_regcache_entry *entry,
		      uint32_t reg)
{
	entry->reg = (uint8_t)reg;
	entry->valid = true;
	entry->dead = false;
	if (warp->cta->sm->gpu->options.verify)
		memcpy(entry->data, warp->regs[reg], HD_ROW_BYTES);
	spend(self, warp, HD_REGCACHE_WRITE);
}

enum hd_regcache_end hd_regcache_evict(const struct hd_policy_handle *self, struct hd_warp *warp,
				       struct hd_regcache_entry *entry, uint64_t now)
{
	bool leaves = entry->valid && !entry->clean;
	entry->valid = false;
	if (!leaves)
		return HD_REGCACHE_GONE;
	if (entry->dead) {
		hd_wcb_add(&hd_regcache_of(self, warp)->lost, entry->reg);
		return HD_REGCACHE_DROPPED;
	}
	hd_bank_write(warp->cta->sm, warp, entry->reg, now * HD_TICKS);
	spend(self, warp, HD_REGCACHE_READ);
	return HD_REGCACHE_WRITTEN;
}

uint64_t hd_regcache_read(const struct hd_policy_handle *self, const struct hd_warp *warp, uint64_t now)
{
	spend(self, warp, HD_REGCACHE_READ);
	return now * HD_TICKS + (uint64_t)(hd_policy_setting(self, warp->cta->sm->gpu, HD_REGCACHE_LATENCY) * HD_TICKS);
}

void hd_regcache_check(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       uint32_t reg, const struct hd_regcache_entry *entry, const char *design)
{
	struct hd_gpu *gpu = warp->cta->sm->gpu;
	if (!gpu->options.verify || !hd_served_is_read(warp, inst) || hd_facts_undefined(gpu, warp->pc, reg))
		return;
	if (hd_wcb_has(&hd_regcache_of(self, warp)->lost, reg))
		hd_gpu_fault(gpu, warp, warp->pc, 0, HD_SIM_VERIFY, "%s: R%u is read after it was dropped as dead",
			     design, reg);
	else if (entry)
		hd_served_check(warp, reg, entry->data, design);
}
