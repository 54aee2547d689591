/*
 * LTRF: what the parts of the policy share. ltrf.c is the policy, move.c moves registers between the main register
 * file and the cache, report.c has the figures; the warp control block is wcb.c.
 */
#ifndef HD_RUNTIME_POLICY_LTRF_LTRF_H
#define HD_RUNTIME_POLICY_LTRF_LTRF_H

#include "runtime/policy/wcb.h"
#include "runtime/sm/calendar.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"

#define LTRF_NOWHERE UINT64_MAX /* in no interval */
#define LTRF_ROWS 64		/* most active warps */

#define LTRF_COUNTS(X)                                                                                \
	X(prefetches, "PREFETCHes", "PREFETCHes executed")                                                       \
	X(path_switches, "fetches", "fetches of a register set when a warp switched to a path in another interval") \
	X(activations, "fetches", "fetches of the register set of a warp that became active")                          \
	X(prefetched, "registers", "read from the main register file by PREFETCHes")                  \
	X(refetched, "registers", "registers read from the main register file by activations and path switches") \
	X(written_back, "registers", "registers written to the main register file by PREFETCHes")                      \
	X(saved, "registers", "registers written to the main register file by deactivations") \
	X(dropped, "registers", "dead registers that were not written back (LTRF+)") \
	X(cache_reads, "registers", "operands read from the cache")                                 \
	X(cache_writes, "registers", "results written to the cache")                                          \
	X(main_reads, "registers", "operands read from the main register file")                     \
	X(main_writes, "registers", "results of inactive warps, written to the main register file")         \
	X(prefetch_cycles, "cycles", "cycles that warps waited for PREFETCHes and path switches")            \
	X(instructions, "instructions", "program instructions executed in intervals")                               \
	X(fewest, "PREFETCHes", "minimum PREFETCHes for these instructions with optimal placement (6.5)") \
	X(activation_cycles, "cycles", "cycles that warps waited for their registers at activation")

struct ltrf_counts {
	LTRF_COUNTS(HD_COUNT_FIELD)
};

/* Which intervals, and what moves. */
struct ltrf_variant {
	bool plus;    /* live registers only (LTRF+) */
	bool strands; /* of strands in place of register-intervals */
};

struct ltrf_gpu {
	struct ltrf_variant variant;
	uint32_t banks, rows;
	uint32_t *slots; /* by instruction: PREFETCHes in front of it in its code, its own included */
	uint32_t slot_count;
};

enum ltrf_way { LTRF_INTO, LTRF_OUT_OF }; /* the cache */

struct ltrf_sm {
	uint64_t row_free[LTRF_ROWS]; /* tick from which a row can be given */
	bool row_taken[LTRF_ROWS];
	struct hd_calendar ports[HD_WCB_BANKS];	   /* of the cache's banks, in ticks */
	struct hd_calendar links[2][HD_WCB_BANKS]; /* by enum ltrf_way */
};

struct ltrf_warp {
	struct hd_wcb block;
	struct hd_wcb_set defined, lost; /* under --verify: what was ever written; what was dropped as dead */
	struct hd_wcb_set run;		 /* registers since the last of the fewest PREFETCHes */
	uint64_t interval;		 /* function << 32 | interval; LTRF_NOWHERE */
	uint32_t row;			 /* + 1; 0: not active */
	bool begun;
	bool announced; /* the next PREFETCH's instruction is the warp's next, or has issued */
};

enum ltrf_setting {
	LTRF_BANKS,
	LTRF_LOOKUP,
	LTRF_LOOKUP_PORTS,
	LTRF_CACHE_LATENCY,
	LTRF_LINK_CYCLES,
	LTRF_EXPLICIT,
	LTRF_RELOAD,
	LTRF_SIMPLEX,
	LTRF_ACROSS_CALLS,
	LTRF_FREE_CODE,
	LTRF_SPREAD
};
enum ltrf_energy { LTRF_CONTROL, LTRF_CACHE_READ, LTRF_CACHE_WRITE, LTRF_LINK };

static inline struct ltrf_gpu *ltrf_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct ltrf_sm *ltrf_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
static inline struct ltrf_warp *ltrf_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}
static inline struct ltrf_counts *ltrf_counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}
static inline void ltrf_spend(const struct hd_policy_handle *self, const struct hd_warp *warp, enum ltrf_energy what)
{
	hd_policy_spend(self, warp->cta->sm, warp->cta->grid, (uint32_t)what, 1);
}
/* A setting in cycles, as ticks. */
static inline uint64_t ltrf_ticks(const struct hd_policy_handle *self, const struct hd_gpu *gpu, uint32_t which)
{
	return (uint64_t)(hd_policy_setting(self, gpu, which) * HD_TICKS + 0.5);
}

/* move.c */
void ltrf_move_init(const struct hd_policy_handle *self, struct hd_gpu *gpu);
/* The working set becomes this one, from tick `from` on; `keeps`: and as much of the old one as there is room for. The
 * cycle at which all of it is there. UINT64_MAX: the cache has not so many banks. */
uint64_t ltrf_prefetch(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_wcb_set *set,
		       bool keeps, uint64_t from);
/* A warp that is not active: its set has banks, and nothing is fetched. */
bool ltrf_assign(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_wcb_set *set);
/* The warp becomes active, or stops being it; `ended`: its registers are of no use any more. */
uint64_t ltrf_activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
void ltrf_deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, bool ended, uint64_t now);

/* report.c */
extern const struct hd_policy_count ltrf_counts[];
extern const struct hd_policy_count ltrf_reported[];
void ltrf_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		 void (*add)(void *context, const char *key, double value, const char *unit), void *context);
void ltrf_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);

#endif
