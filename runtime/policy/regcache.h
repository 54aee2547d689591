/*
 * A register cache of each warp in front of the banks: what RFC and SHRF share, and LTRF in part. A warp has entries of
 * its own while the two-level scheduler has it in its active set. What leaves is written to the main register file if
 * that has not got it, unless the value is dead.
 *
 * struct hd_regcache is the first member of the policy's state of a warp, struct hd_regcache_gpu that of the GPU.
 * Settings and energy of the policy begin with the rows of HD_REGCACHE_SETTINGS and HD_REGCACHE_ENERGY.
 */
#ifndef HD_RUNTIME_POLICY_REGCACHE_H
#define HD_RUNTIME_POLICY_REGCACHE_H

#include "runtime/policy/wcb.h"
#include "runtime/sm/policy_space.h"

#define HD_REGCACHE_MOST 64 /* entries of a warp */

struct hd_regcache_entry {
	uint8_t reg;
	bool valid;
	bool clean;		      /* the main register file has the value, too */
	bool dead;		      /* nobody reads the value any more */
	uint64_t since;		      /* when it came: for the policy, in ticks or results */
	uint32_t data[HD_WARP_LANES]; /* under --verify */
};

struct hd_regcache {
	bool active;
	struct hd_wcb_set lost; /* dropped as dead */
	struct hd_regcache_entry entries[HD_REGCACHE_MOST];
};

struct hd_regcache_gpu {
	uint32_t entries; /* of a warp */
};

/* Rows of settings and of energy. `place`: what the design calls the cache. */
enum { HD_REGCACHE_ENTRIES, HD_REGCACHE_LATENCY, HD_REGCACHE_OWN /* the design's first setting of its own */ };
#define HD_REGCACHE_SETTINGS(place)                                                                    \
	{"entries", place " entries per active warp (ltrf-asplos18 5: 16 KB, 8 warps)", 16, 1, HD_REGCACHE_MOST}, \
	{"cache_latency", place " read latency, cycles (assumed)", 1, 0, 1000}
enum { HD_REGCACHE_READ, HD_REGCACHE_WRITE };
#define HD_REGCACHE_ENERGY(place)                                                  \
	{"cache_read", "read of a register from the " place " (assumed)", 3.2}, \
	{"cache_write", "write of a register to the " place " (assumed)", 4.2}

/* Hooks. The two-level scheduler, which swaps warps for loads that miss L1; the number of entries; the active set. */
int hd_regcache_configure(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
			  struct hd_diag *diag);
void hd_regcache_start(const struct hd_policy_handle *self, struct hd_gpu *gpu);
uint32_t hd_regcache_activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);

static inline struct hd_regcache *hd_regcache_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}
static inline uint32_t hd_regcache_entries(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return ((const struct hd_regcache_gpu *)hd_policy_gpu(self, warp->cta->sm->gpu))->entries;
}

/* Returns the entry that has the register, or NULL. */
struct hd_regcache_entry *hd_regcache_find(const struct hd_policy_handle *self, const struct hd_warp *warp,
					   uint32_t reg);
/* Returns the first entry that has none, or NULL. */
struct hd_regcache_entry *hd_regcache_unused(const struct hd_policy_handle *self, const struct hd_warp *warp);
/* The entry gets the register with its present value; takes the energy of a write. `clean` and `since` are the
 * caller's. */
void hd_regcache_fill(const struct hd_policy_handle *self, const struct hd_warp *warp, struct hd_regcache_entry *entry,
		      uint32_t reg);

/* What became of an entry that has none afterwards: it had none or was clean; its value was dead; it was written to its
 * bank, with the energy of a read. */
enum hd_regcache_end { HD_REGCACHE_GONE, HD_REGCACHE_DROPPED, HD_REGCACHE_WRITTEN };
enum hd_regcache_end hd_regcache_evict(const struct hd_policy_handle *self, struct hd_warp *warp,
				       struct hd_regcache_entry *entry, uint64_t now);

/* Returns the tick at which a read in cycle `now` has the value; takes its energy. */
uint64_t hd_regcache_read(const struct hd_policy_handle *self, const struct hd_warp *warp, uint64_t now);
/* For --verify: the warp's next instruction reads the register from the entry, or from its bank (NULL). A fault in the
 * name of the design if it was dropped as dead, or the entry does not have what the register file has. */
void hd_regcache_check(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       uint32_t reg, const struct hd_regcache_entry *entry, const char *design);

#endif
