/*
 * Counters over time: what each interval of a launch added to each counter, for figures over cycles such as the L1
 * bandwidth of cars-hpca24, Figure 11. The first interval begins with the launch; a sample holds what happened before
 * its last cycle ends. Counters of time that passes while an SM has nothing to do (resident_warp_cycles) are those of
 * its next visit, and `cycles`, which counts launches, is left out.
 *
 * Cost: off, a comparison a visited cycle; on, a sum over SMs and an array of counters an interval.
 */
#include "runtime/sim/sample.h"

#include <string.h>

#include "runtime/sim/sim_private.h"
#include "runtime/sm/sm.h"

void hd_sampler_start(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	*sampler = (struct hd_sampler){.interval = gpu->options.sample, .next = HD_NEVER};
	if (!sampler->interval)
		return;
	sampler->next = gpu->now + sampler->interval;
	hd_gpu_snapshot(gpu, &sampler->last);
}

static void add_sample(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	struct hd_stats now, step;
	hd_gpu_snapshot(gpu, &now);
	step = now;
	hd_stats_subtract(&step, &sampler->last);
	step.counters.cycles = 0;
	hd_vec_push(&sampler->samples, step.counters);
	sampler->last = now;
}

void hd_sampler_take(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	add_sample(sampler, gpu);
	for (sampler->next += sampler->interval; sampler->next <= gpu->now; sampler->next += sampler->interval)
		hd_vec_push(&sampler->samples, (struct hd_counters){0});
}

void hd_sampler_finish(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	if (sampler->interval)
		add_sample(sampler, gpu);
}

static uint64_t value_of(const struct hd_counters *counters, uint32_t index)
{
	uint64_t value;
	memcpy(&value, (const char *)counters + hd_counter_info[index].offset, sizeof value);
	return value;
}

json_t *hd_samples_json(const struct hd_counters *samples, uint32_t count, uint64_t interval)
{
	json_t *object = json_object();
	json_object_set_new(object, "interval", json_integer((json_int_t)interval));
	for (uint32_t c = 0; c < hd_counter_count; c++) {
		json_t *values = json_array();
		uint64_t any = 0;
		for (uint32_t i = 0; i < count; i++) {
			any |= value_of(&samples[i], c);
			json_array_append_new(values, json_integer((json_int_t)value_of(&samples[i], c)));
		}
		if (any)
			json_object_set(object, hd_counter_info[c].name, values);
		json_decref(values);
	}
	return object;
}
