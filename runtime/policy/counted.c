/*
 * The ideal machines that R2D2 begins with (r2d2-isca23, 2.2, Figure 4): wp does without what is the same in all lanes
 * of a warp, tb without what another warp of the block has computed, ln without what is linear in the indices. They are
 * counted, as there, on the baseline in its time; `--ideal` counts all three beside any policy.
 *
 * Cost: that of --ideal (runtime/verify/redundancy.c).
 */
#include <string.h>

#include "runtime/gpu/gpu.h"

struct removed {
	uint64_t threads, warps;
	bool has_warps;
};

static struct removed removed_of(const char *name, const struct hd_counters *counters)
{
	if (!strcmp(name, "wp"))
		return (struct removed){counters->ideal_wp_threads, 0, false};
	if (!strcmp(name, "tb"))
		return (struct removed){counters->ideal_tb_threads, counters->ideal_tb_warps, true};
	return (struct removed){counters->ideal_ln_threads, counters->ideal_ln_warps, true};
}

static double per_cent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static const struct hd_policy_count reported[] = {
	{"removed_threads", "instructions", "thread instructions that the ideal machine would not execute"},
	{"removed", "%", "these, of all thread instructions"},
	{"removed_warps", "instructions", "warp instructions that the ideal machine would not execute"},
	{"removed_of_warps", "%", "these, of all warp instructions"},
	{0},
};

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct hd_stats stats;
	if (gpu->grid) /* launches have the counters themselves: ideal_* */
		return;
	hd_gpu_snapshot(gpu, &stats);
	const struct hd_counters *counters = &stats.counters;
	struct removed removed = removed_of(self->policy->name, counters);
	add(context, "removed_threads", (double)removed.threads, "instructions");
	add(context, "removed", per_cent(removed.threads, counters->thread_instructions), "%");
	if (!removed.has_warps)
		return;
	add(context, "removed_warps", (double)removed.warps, "instructions");
	add(context, "removed_of_warps", per_cent(removed.warps, counters->warp_instructions), "%");
}

const struct hd_policy_hooks hd_hooks_counted = {.ideal = true,
						 .observation.report = report,
						 .observation.reported = reported};
