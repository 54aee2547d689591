/*
 * Counters over time: what each interval of a launch added to each counter, for figures over cycles such as the L1
 * bandwidth of cars-hpca24, Figure 11. The first interval begins with the launch; a sample holds what happened before
 * its last cycle ends. Residence of warps, which is counted when they end, and activity of SMs, when they are visited,
 * are those of the interval all the same; `cycles`, which counts launches, is left out.
 *
 * Cost: off, a comparison a visited cycle; on, O(SMs + warps) a look, and an array of counters for each interval that
 * has passed since the last one.
 */
#include "runtime/watch/sample.h"

#include <string.h>

#include "heddle/config.h"
#include "runtime/gpu/figures.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/power.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/sm.h"

static const struct hd_watcher sample_watcher;

static struct hd_sampler *sampler_of(const struct hd_watcher_handle *self, const struct hd_grid *grid)
{
	return HD_WATCHER_OF(self, grid, grid);
}

/* Cycles up to `until` of the warps that have not ended: they are counted when they have. And how many of them are
 * there: as many cycles are added in each cycle in which nothing happens. */
static uint64_t residence(const struct hd_gpu *gpu, uint64_t until, uint64_t *living)
{
	uint64_t cycles = 0;
	*living = 0;
	for (uint32_t i = 0; i < gpu->sm_count && !gpu->functional; i++) {
		const struct hd_sm *sm = gpu->sms[i];
		for (uint32_t w = 0; w < sm->warp_count && sm->resident_warps; w++) {
			const struct hd_warp *warp = &sm->warps[w];
			/* One that has executed its EXIT is counted, and free, when that is through the pipeline. */
			bool lives = warp->state != HD_WARP_FREE && warp->state != HD_WARP_KILLED;
			if (!lives || !warp->cta || until < warp->cta->start_cycle)
				continue;
			cycles += until - warp->cta->start_cycle;
			++*living;
		}
	}
	return cycles;
}

static void start(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	*sampler = (struct hd_sampler){.interval = gpu->options.sample};
	sampler->begin = gpu->now;
	sampler->next = gpu->now + sampler->interval;
	hd_gpu_snapshot(gpu, &sampler->last);
	uint64_t living;
	sampler->last.counters.resident_warp_cycles += residence(gpu, gpu->now, &living);
}

static uint32_t series_of(const struct hd_policy_hooks *hooks)
{
	uint32_t count = 0;
	while (hooks->observation.sample && hooks->observation.series[count])
		count++;
	return count;
}

static void add_series(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	HD_HOOKED (gpu, self, observation.sample) {
		uint32_t count = series_of(self->hooks);
		for (uint32_t i = 0; i < count; i++)
			hd_vec_push(&sampler->series, 0);
		self->hooks->observation.sample(self, gpu, sampler->series.data + sampler->series.len - count);
	}
}

static uint64_t active_sms(const struct hd_gpu *gpu)
{
	uint64_t active = 0;
	for (uint32_t i = 0; i < gpu->sm_count; i++)
		active += gpu->sms[i]->resident_warps > 0;
	return active;
}

/* Adds what has happened up to `until`. Nothing has since, so that the SMs and the warps that are active now have been
 * so from then on. Returns how many warps. */
static uint64_t add_sample(struct hd_sampler *sampler, const struct hd_gpu *gpu, uint64_t until)
{
	struct hd_stats now, step;
	uint64_t active = gpu->functional ? 0 : active_sms(gpu), living;
	hd_gpu_snapshot(gpu, &now);
	now.counters.active_sm_cycles -= active * (gpu->now - until);
	now.counters.resident_warp_cycles += residence(gpu, until, &living);
	step = now;
	hd_stats_subtract(&step, &sampler->last);
	step.counters.cycles = 0;
	hd_vec_push(&sampler->samples, step.counters);
	sampler->last = now;
	add_series(sampler, gpu);
	return living;
}

static void take(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	uint64_t active = gpu->functional ? 0 : active_sms(gpu);
	uint64_t living = add_sample(sampler, gpu, sampler->next);
	sampler->begin = sampler->next;
	for (sampler->next += sampler->interval; sampler->next <= gpu->now; sampler->next += sampler->interval) {
		struct hd_counters quiet = {.active_sm_cycles = active * sampler->interval,
					    .resident_warp_cycles = living * sampler->interval};
		hd_vec_push(&sampler->samples, quiet);
		add_series(sampler, gpu);
		sampler->last.counters.active_sm_cycles += quiet.active_sm_cycles;
		sampler->last.counters.resident_warp_cycles += quiet.resident_warp_cycles;
		sampler->begin = sampler->next;
	}
}

static uint32_t width_of(const struct hd_gpu *gpu)
{
	uint32_t width = 0;
	HD_HOOKED (gpu, self, observation.sample)
		width += series_of(self->hooks);
	return width;
}

/* SMs may have gone on together past the launch's end: what is behind it is none of its time. */
static void drop_last(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	struct hd_stats sample = {.counters = hd_vec_pop(&sampler->samples)};
	hd_stats_subtract(&sampler->last, &sample);
	sampler->series.len -= width_of(gpu);
	sampler->begin -= sampler->interval;
}

static void finish(struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	while (sampler->samples.len && sampler->begin >= gpu->now)
		drop_last(sampler, gpu);
	add_sample(sampler, gpu, gpu->now);
	sampler->rest = gpu->now - sampler->begin;
}

/* ---- the grids that run */

static void find_next(const struct hd_watcher_handle *self, struct hd_gpu *gpu)
{
	uint64_t next = HD_NEVER;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running)
			next = hd_earlier(next, sampler_of(self, gpu->grids.data[i])->next);
	hd_watcher_wants(gpu, hd_watcher_find(gpu, self->watcher), next);
}

static void grid_start(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	start(sampler_of(self, grid), gpu);
	find_next(self, gpu);
}

static void look(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		const struct hd_grid *grid = gpu->grids.data[i];
		if (grid->running && now >= sampler_of(self, grid)->next)
			take(sampler_of(self, grid), gpu);
	}
	find_next(self, gpu);
}

static void grid_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	finish(sampler_of(self, grid), gpu);
	find_next(self, gpu);
}

static void grid_free(const struct hd_watcher_handle *self, struct hd_grid *grid)
{
	hd_samples_release(sampler_of(self, grid));
}

static const struct hd_watcher sample_watcher = {
	.name = "sample",
	.grid_bytes = sizeof(struct hd_sampler),
	.grid_start = grid_start,
	.look = look,
	.grid_end = grid_end,
	.grid_free = grid_free,
};

void hd_samples_start(struct hd_gpu *gpu)
{
	hd_watcher_add(gpu, &sample_watcher, NULL);
}

struct hd_sampler hd_samples_take(struct hd_gpu *gpu, const struct hd_grid *grid)
{
	const struct hd_watcher_handle *self = hd_watcher_find(gpu, &sample_watcher);
	struct hd_sampler taken = {0};
	if (!self)
		return taken;
	taken = *sampler_of(self, grid);
	*sampler_of(self, grid) = (struct hd_sampler){0};
	return taken;
}

void hd_samples_release(struct hd_sampler *sampler)
{
	hd_vec_release(&sampler->samples);
	hd_vec_release(&sampler->series);
}

/* ---- as JSON */

static void add_watts(json_t *watts, const char *name, double joules, double seconds)
{
	if (!json_object_get(watts, name))
		json_object_set_new(watts, name, json_array());
	json_array_append_new(json_object_get(watts, name), json_real(seconds > 0 ? joules / seconds : 0));
}

static json_t *watts_of(const struct hd_sampler *sampler, const struct hd_config *config)
{
	json_t *watts = json_object();
	for (uint32_t i = 0; i < sampler->samples.len; i++) {
		struct hd_counters counters = sampler->samples.data[i];
		struct hd_power power;
		counters.cycles = i + 1 < sampler->samples.len ? sampler->interval : sampler->rest;
		double seconds = (double)counters.cycles / (config->core_mhz * 1e6);
		hd_power_compute(&power, &counters, config);
		add_watts(watts, "total", hd_power_total(&power), seconds);
		add_watts(watts, "dynamic", hd_power_dynamic(&power), seconds);
		for (uint32_t part = HD_POWER_static; part < HD_POWER_COUNT; part++)
			add_watts(watts, hd_power_name((enum hd_power_part)part), power.joules[part], seconds);
	}
	return watts;
}

json_t *hd_samples_json(const struct hd_sampler *sampler, const struct hd_config *config)
{
	const struct hd_counters *samples = sampler->samples.data;
	json_t *object = json_object();
	json_object_set_new(object, "interval", json_integer((json_int_t)sampler->interval));
	for (uint32_t c = 0; c < hd_counter_count; c++) {
		json_t *values = json_array();
		uint64_t any = 0;
		for (uint32_t i = 0; i < sampler->samples.len; i++) {
			any |= hd_counter_value(&samples[i], c);
			json_array_append_new(values, json_integer((json_int_t)hd_counter_value(&samples[i], c)));
		}
		if (any)
			json_object_set(object, hd_counter_info[c].name, values);
		json_decref(values);
	}
	json_object_set_new(object, "watts", watts_of(sampler, config));
	return object;
}

void hd_samples_add_series(json_t *object, const struct hd_sampler *sampler, const struct hd_gpu *gpu)
{
	uint32_t at = 0, width = width_of(gpu);
	HD_HOOKED (gpu, self, observation.sample) {
		json_t *own = json_object();
		for (uint32_t i = 0; i < series_of(self->hooks); i++, at++) {
			json_t *values = json_array();
			for (uint32_t s = 0; s < sampler->samples.len; s++)
				json_array_append_new(values, json_real(sampler->series.data[s * width + at]));
			json_object_set_new(own, self->hooks->observation.series[i], values);
		}
		json_object_set_new(object, self->policy->name, own);
	}
}
