/*
 * Malekeh: what the parts of the policy share. malekeh.c is the policy, malekeh_report.c its figures; a unit's table is
 * ccu.c, the adaptive waiting sthld.c.
 */
#ifndef HD_RUNTIME_POLICY_MALEKEH_H
#define HD_RUNTIME_POLICY_MALEKEH_H

#include "runtime/policy/ccu.h"
#include "runtime/policy/sthld.h"
#include "runtime/sm/hooks.h"

/* Counted by each SM for each grid. */
#define MALEKEH_COUNTS(X)                                                                          \
	X(operands, "operands", "register operands of instructions, duplicates included")          \
	X(hits, "operands", "of these, found in the unit")                                         \
	X(registers, "registers", "the same without duplicates")                                   \
	X(register_hits, "registers", "of these, found in the unit")                               \
	X(takeovers, "instructions", "units given to another warp")                                \
	X(dropped_near, "instructions", "of these, with values that were to be read again soon")   \
	X(waits, "slots", "lost since all units kept such values")                                 \
	X(cached_results, "registers", "results kept in a unit")                                   \
	X(dropped_results, "registers", "results that were not, and that drop an older value")     \
	X(bypasses, "instructions", "with more registers than a unit has entries")

struct malekeh_counts {
#define X(name, unit, help) uint64_t name;
	MALEKEH_COUNTS(X)
#undef X
};

/* Slots that a scheduler's chosen warp has waited (section 6: "a local counter per core"). */
struct malekeh_wait {
	uint64_t asked; /* cycle after that of the last question */
	uint32_t slots;
};

struct malekeh_sm {
	struct malekeh_counts counts[HD_MAX_GRIDS];
	struct malekeh_wait waits[HD_MAX_SCHEDULERS];
};

struct malekeh_warp {
	struct hd_collector *unit; /* that it owns; NULL */
};

struct malekeh_gpu {
	struct hd_sthld machine;
	bool adaptive, waits, ordered; /* ordered: by the units, and by age; else by the GPU's own rule */
	bool results;		       /* units keep results, all of them, and no sources */
	uint32_t sthld;		       /* where it is not adaptive */
	uint64_t begun, issued;	       /* cycle and instructions at which the interval's part under way began */
	uint64_t cycles, instructions; /* of its parts before that */
	uint32_t running;	       /* grids */
	struct malekeh_counts total;   /* of grids that have ended */
};

enum malekeh_setting {
	MALEKEH_ENTRIES,
	MALEKEH_SEED,
	MALEKEH_MOST,
	MALEKEH_LARGE,
	MALEKEH_EDGES /* next and step, of each state at a small and a large change */
};
enum malekeh_energy { MALEKEH_TAG, MALEKEH_WRITE };

static inline struct malekeh_gpu *malekeh_gpu_of(const struct hd_policy_handle *self, const struct hd_gpu *gpu)
{
	return hd_policy_gpu(self, gpu);
}
static inline struct malekeh_sm *malekeh_sm_of(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	return hd_policy_sm(self, sm);
}
static inline struct malekeh_warp *malekeh_warp_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_warp(self, warp);
}
static inline struct hd_ccu *malekeh_unit_of(const struct hd_policy_handle *self, const struct hd_collector *collector)
{
	return hd_policy_collector(self, collector);
}
static inline struct malekeh_counts *malekeh_counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	const struct hd_sm *sm = warp->cta->sm;
	return &malekeh_sm_of(self, sm)->counts[sm->grid_of[warp->id]];
}

/* malekeh_report.c */
/* Of a grid that has ended, or is about to. */
void malekeh_sum_counts(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid,
			struct malekeh_counts *sum);
void malekeh_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		    void (*add)(void *context, const char *key, double value, const char *unit), void *context);
extern const char *const malekeh_series[];
void malekeh_sample(const struct hd_policy_handle *self, const struct hd_gpu *gpu, double *values);
void malekeh_dump(const struct hd_policy_handle *self, const struct hd_gpu *gpu, FILE *out);

#endif
