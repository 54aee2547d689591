/*
 * Which entry of the baseline's file an entry of what is checked follows: one of another toolchain or other flags, or
 * one of a kernel whose parameters are others now.
 *
 * Cost: linear in the entries, for each entry without its like in the file.
 */
#include <string.h>

#include "heddle/metadata.h"
#include "tools/heddle/gate/baseline.h"

bool gate_base_same_build(const struct gate_base_entry *a, const struct gate_base_entry *b)
{
	return strcmp(a->gpu, b->gpu) == 0 && strcmp(a->toolchain, b->toolchain) == 0 &&
	       strcmp(a->flags, b->flags) == 0;
}

void gate_baseline_mark_met(struct gate_baseline *baseline)
{
	uint32_t i = 0, j = 0;
	while (i < baseline->old.len && j < baseline->now.len) {
		int order = gate_base_entry_order(&baseline->old.data[i], &baseline->now.data[j]);
		baseline->old.data[i].met |= order == 0;
		baseline->now.data[j].met |= order == 0;
		i += order <= 0;
		j += order >= 0;
	}
}

/* Runs under other policies are of other designs; "policy cars, KEY=VALUE" is the policy on another GPU. */
bool gate_base_same_kind(const struct gate_base_entry *a, const struct gate_base_entry *b)
{
	size_t length = strcspn(a->flags, ",");
	return a->of_run == b->of_run && strcmp(a->kernel, b->kernel) == 0 && strcmp(a->gpu, b->gpu) == 0 &&
	       (!a->of_run || (strcspn(b->flags, ",") == length && memcmp(a->flags, b->flags, length) == 0));
}

/*
 * The entry that one without its like in the file follows: of the same kernel and GPU, that nothing else of this check
 * is; of several one with the same flags, else with the same toolchain, else the last. NULL: there is none.
 */
static struct gate_base_entry *of_other_build(struct gate_baseline *baseline, const struct gate_base_entry *now)
{
	struct gate_base_entry *best = NULL;
	int best_score = -1;
	for (uint32_t i = 0; i < baseline->old.len; i++) {
		struct gate_base_entry *old = &baseline->old.data[i];
		if (old->met || !gate_base_same_kind(old, now))
			continue;
		int score = 2 * (strcmp(old->flags, now->flags) == 0) + (strcmp(old->toolchain, now->toolchain) == 0);
		if (score >= best_score) {
			best = old;
			best_score = score;
		}
	}
	return best;
}

/* ------------------------------------------------------------------ other parameters */

static const char *bare_name(const struct gate_baseline *baseline, struct gate_base_entry *entry)
{
	if (!entry->bare)
		entry->bare = hd_meta_bare_name(entry->kernel, baseline->arena);
	return entry->bare;
}

/* Whether the entry is of the kernel, GPU and build, with whatever parameters. */
static bool is_overload(const struct gate_baseline *baseline, struct gate_base_entry *entry,
			const struct gate_base_entry *wanted, const char *name)
{
	return entry->of_run == wanted->of_run && gate_base_same_build(entry, wanted) &&
	       strcmp(bare_name(baseline, entry), name) == 0;
}

/* The only entry of the name that has no like on the other side; NULL: there is none, or more than one. */
static struct gate_base_entry *only_overload(const struct gate_baseline *baseline, gate_base_entries *entries,
					     const struct gate_base_entry *wanted, const char *name)
{
	struct gate_base_entry *only = NULL;
	for (uint32_t i = 0; i < entries->len; i++) {
		struct gate_base_entry *entry = &entries->data[i];
		if (entry->met || !is_overload(baseline, entry, wanted, name))
			continue;
		if (only)
			return NULL;
		only = entry;
	}
	return only;
}

struct gate_base_entry *gate_baseline_predecessor(struct gate_baseline *baseline, struct gate_base_entry *now)
{
	struct gate_base_entry *old = of_other_build(baseline, now);
	if (old)
		return old;
	const char *name = bare_name(baseline, now);
	if (only_overload(baseline, &baseline->now, now, name) != now)
		return NULL;
	return only_overload(baseline, &baseline->old, now, name);
}
