/*
 * Figures of preemption in the statistics (gpu-multiprogramming-lin, 2.5): what contexts take, how long they and
 * requests take, means over requests and the longest one.
 */
#include "heddle/config.h"
#include "runtime/policy/preempt/preempt.h"

static void add_counts(struct preempt_counts *to, const struct preempt_counts *from)
{
#define X(name, unit, help) to->name += from->name;
	PREEMPT_COUNTS(X)
#undef X
	to->longest = from->longest > to->longest ? from->longest : to->longest;
}

void preempt_sum_counts(const struct hd_policy_handle *self, const struct hd_gpu *gpu, const struct hd_grid *grid,
			struct preempt_counts *sum)
{
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		add_counts(sum, &preempt_sm_of(self, gpu->sms[i])->counts[grid->slot]);
}

static double microseconds(const struct hd_gpu *gpu, uint64_t cycles, uint64_t events)
{
	return events ? (double)cycles / (double)events / gpu->config->core_mhz : 0;
}

const struct hd_policy_count preempt_reported[] = {
	PREEMPT_COUNTS(HD_COUNT_ROW){"drain_us", "us",
				     "mean time until the warps of an SM have reached points where they can stop"},
	{"spill_us", "us", "mean time in which contexts are saved"},
	{"preempt_us", "us", "mean time from a request until the SM is free"},
	{"longest_us", "us", "longest of these"},
	{"restore_us", "us", "mean time in which contexts are restored"},
	{0},
};

void preempt_report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		    void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	struct preempt_counts counts = {0};
	if (gpu->grid)
		preempt_sum_counts(self, gpu, gpu->grid, &counts);
	else
		counts = preempt_gpu_of(self, gpu)->total;
#define X(name, unit, help) add(context, #name, (double)counts.name, unit);
	PREEMPT_COUNTS(X)
#undef X
	add(context, "drain_us", microseconds(gpu, counts.drain_cycles, counts.requests), "us");
	add(context, "spill_us", microseconds(gpu, counts.spill_cycles, counts.requests), "us");
	add(context, "preempt_us", microseconds(gpu, counts.preempt_cycles, counts.requests), "us");
	add(context, "longest_us", microseconds(gpu, counts.longest, 1), "us");
	add(context, "restore_us", microseconds(gpu, counts.restore_cycles, counts.requests), "us");
}

bool preempt_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	static const char *const phases[] = {
		[PREEMPT_STOPS] = "is to leave with its block, of which others have not come to a preemption point",
		[PREEMPT_LEAVES] = "leaves with its block",
		[PREEMPT_GONE] = "is away, preempted",
		[PREEMPT_RETURNS] = "comes back with its block",
		[PREEMPT_ENDS] = NULL,
	};
	const char *why = phases[preempt_cta_of(self, warp->cta)->phase];
	if (!why)
		return false;
	snprintf(text, size, "%s", why);
	return true;
}
