/*
 * Names and sums of the counters and stall reasons that counters.def and stalls.def declare.
 */
#include "heddle/stats.h"

#include <stddef.h>

const struct hd_counter_info hd_counter_info[] = {
#define HD_COUNTER(name, unit, help) {#name, unit, help, offsetof(struct hd_counters, name)},
#define HD_FUNCTIONAL_COUNTER(name, unit, help)
#include "heddle/counters.def"
#undef HD_COUNTER
};
const uint32_t hd_counter_count = sizeof hd_counter_info / sizeof *hd_counter_info;

const char *const hd_stall_name[HD_STALL_COUNT] = {
#define HD_STALL(name, help) #name,
#include "heddle/stalls.def"
#undef HD_STALL
};
const char *const hd_stall_help[HD_STALL_COUNT] = {
#define HD_STALL(name, help) help,
#include "heddle/stalls.def"
#undef HD_STALL
};

void hd_counters_add(struct hd_counters *to, const struct hd_counters *from)
{
#define HD_COUNTER(name, unit, help) to->name += from->name;
#include "heddle/counters.def"
#undef HD_COUNTER
}

void hd_stats_add(struct hd_stats *to, const struct hd_stats *from)
{
	hd_counters_add(&to->counters, &from->counters);
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		to->stalls[i] += from->stalls[i];
}

void hd_stats_subtract(struct hd_stats *from, const struct hd_stats *what)
{
#define HD_COUNTER(name, unit, help) from->counters.name -= what->counters.name;
#include "heddle/counters.def"
#undef HD_COUNTER
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		from->stalls[i] -= what->stalls[i];
}
