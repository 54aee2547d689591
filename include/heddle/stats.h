/*
 * Counters and stall reasons, made from counters.def and stalls.def.
 */
#ifndef HEDDLE_STATS_H
#define HEDDLE_STATS_H

#include <stdint.h>

struct hd_counters {
#define HD_COUNTER(name, unit, help) uint64_t name;
#include "heddle/counters.def"
#undef HD_COUNTER
};

enum hd_stall {
#define HD_STALL(name, nsight, help) HD_STALL_##name,
#include "heddle/stalls.def"
#undef HD_STALL
	HD_STALL_COUNT
};

struct hd_counter_info {
	const char *name, *unit, *help;
	uint32_t offset; /* in struct hd_counters */
};
extern const struct hd_counter_info hd_counter_info[];
extern const uint32_t hd_counter_count;
extern const char *const hd_stall_name[HD_STALL_COUNT];
extern const char *const hd_stall_nsight[HD_STALL_COUNT]; /* Nsight Compute's names, separated by blanks; "": none */
extern const char *const hd_stall_help[HD_STALL_COUNT];

/* Returns the stall reason with this name, ours or Nsight Compute's, or HD_STALL_COUNT. */
enum hd_stall hd_stall_named(const char *name);

/* One snapshot of everything that a run counts. */
struct hd_stats {
	struct hd_counters counters;
	uint64_t stalls[HD_STALL_COUNT];
};

void hd_counters_add(struct hd_counters *to, const struct hd_counters *from);
void hd_stats_add(struct hd_stats *to, const struct hd_stats *from);
void hd_stats_subtract(struct hd_stats *from, const struct hd_stats *what);

/* Issue slots that had an instruction, or two. */
static inline uint64_t hd_slots_issued(const struct hd_counters *counters)
{
	return counters->warp_instructions - counters->dual_issued;
}

#endif
