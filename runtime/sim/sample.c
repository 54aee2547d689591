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
#include "runtime/sm/hooks.h"

void hd_sampler_start(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	*sampler = (struct hd_sampler){.interval = gpu->options.sample, .next = HD_NEVER};
	if (!sampler->interval)
		return;
	sampler->next = gpu->now + sampler->interval;
	hd_gpu_snapshot(gpu, &sampler->last);
}

static uint32_t series_of(const struct hd_policy_hooks *hooks)
{
	uint32_t count = 0;
	while (hooks->sample && hooks->series[count])
		count++;
	return count;
}

static void add_series(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	HD_HOOKED (gpu, self, sample) {
		uint32_t count = series_of(self->hooks);
		for (uint32_t i = 0; i < count; i++)
			hd_vec_push(&sampler->series, 0);
		self->hooks->sample(self, gpu, sampler->series.data + sampler->series.len - count);
	}
}

static void add_sample(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	struct hd_stats now, step;
	hd_gpu_snapshot(gpu, &now);
	step = now;
	hd_stats_subtract(&step, &sampler->last);
	step.counters.cycles = 0;
	hd_vec_push(&sampler->samples, step.counters);
	add_series(sampler, gpu);
	sampler->last = now;
}

void hd_sampler_take(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	add_sample(sampler, gpu);
	for (sampler->next += sampler->interval; sampler->next <= gpu->now; sampler->next += sampler->interval) {
		hd_vec_push(&sampler->samples, (struct hd_counters){0});
		add_series(sampler, gpu);
	}
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

void hd_samples_add_series(json_t *object, const struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	uint32_t at = 0, width = 0;
	HD_HOOKED (gpu, self, sample)
		width += series_of(self->hooks);
	HD_HOOKED (gpu, self, sample) {
		json_t *own = json_object();
		for (uint32_t i = 0; i < series_of(self->hooks); i++, at++) {
			json_t *values = json_array();
			for (uint32_t s = 0; s < sampler->samples.len; s++)
				json_array_append_new(values, json_real(sampler->series.data[s * width + at]));
			json_object_set_new(own, self->hooks->series[i], values);
		}
		json_object_set_new(object, self->policy->name, own);
	}
}
