/*
 * Names and sums of the counters and stall reasons that counters.def and stalls.def declare.
 */
#include "heddle/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

const struct hd_counter_info hd_counter_info[] = {
#define HD_COUNTER(name, unit, help) {#name, unit, help, offsetof(struct hd_counters, name)},
#define HD_FUNCTIONAL_COUNTER(name, unit, help)
#include "heddle/counters.def"
#undef HD_COUNTER
};
const uint32_t hd_counter_count = sizeof hd_counter_info / sizeof *hd_counter_info;

const char *const hd_stall_name[HD_STALL_COUNT] = {
#define HD_STALL(name, nsight, help) #name,
#include "heddle/stalls.def"
#undef HD_STALL
};
const char *const hd_stall_nsight[HD_STALL_COUNT] = {
#define HD_STALL(name, nsight, help) nsight,
#include "heddle/stalls.def"
#undef HD_STALL
};
const char *const hd_stall_help[HD_STALL_COUNT] = {
#define HD_STALL(name, nsight, help) help,
#include "heddle/stalls.def"
#undef HD_STALL
};

static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);
	for (; *words; words += strspn(words, " ")) {
		size_t end = strcspn(words, " ");
		if (end == length && memcmp(words, word, length) == 0)
			return true;
		words += end;
	}
	return false;
}

enum hd_stall hd_stall_named(const char *name)
{
	unsigned i = 0;
	while (i < HD_STALL_COUNT && strcmp(hd_stall_name[i], name) != 0 && !has_word(hd_stall_nsight[i], name))
		i++;
	return (enum hd_stall)i;
}

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
