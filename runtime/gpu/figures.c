/*
 * The figures of some cycles, a launch's or a run's: all counters under their names, and what follows from them.
 * Energy is that of power.c.
 */
#include "runtime/gpu/figures.h"

#include <string.h>

#include "heddle/config.h"
#include "runtime/core/gpu.h"
#include "runtime/gpu/functional.h"
#include "runtime/gpu/power.h"

uint64_t hd_counter_value(const struct hd_counters *counters, uint32_t index)
{
	uint64_t value;
	memcpy(&value, (const char *)counters + hd_counter_info[index].offset, sizeof value);
	return value;
}

static bool is_left_out(const struct hd_figure_sink *sink, uint64_t bits)
{
	if (!sink->places)
		return false;
	++*sink->places;
	return !bits;
}

static void count(const struct hd_figure_sink *sink, const char *group, const char *key, uint64_t value)
{
	if (!is_left_out(sink, value))
		sink->count(sink->context, group, key, value);
}

static void real(const struct hd_figure_sink *sink, const char *group, const char *key, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	if (!is_left_out(sink, bits))
		sink->real(sink->context, group, key, value);
}

static void each_of_l1d(const struct hd_counters *c, const struct hd_figure_sink *sink)
{
	count(sink, "l1d", "accesses", c->l1d_accesses);
	count(sink, "l1d", "hits", c->l1d_hits);
	count(sink, "l1d", "pending_hits", c->l1d_pending_hits);
	count(sink, "l1d", "misses", c->l1d_misses);
	count(sink, "l1d", "spill_fill", c->l1d_spill_fill);
	count(sink, "l1d", "global", c->l1d_global);
	count(sink, "l1d", "other_local", c->l1d_other_local);
}

/* Without timing. */
static void each_functional(const struct hd_counters *c, const struct hd_figure_sink *sink)
{
#define X(name) count(sink, NULL, #name, c->name);
	HD_FUNCTIONAL_COUNTERS(X)
#undef X
}

static void each_of_power(const struct hd_power *power, double policies, const struct hd_figure_sink *sink)
{
#define X(name) real(sink, NULL, #name "_joules", power->joules[HD_POWER_##name]);
	real(sink, NULL, "energy_joules", hd_power_total(power) + policies);
	real(sink, NULL, "dynamic_joules", hd_power_dynamic(power) + policies);
	HD_POWER_STANDING(X)
#undef X
#define X(name) real(sink, "energy", #name, power->joules[HD_POWER_##name]);
	HD_POWER_UNITS(X)
#undef X
}

void hd_figures_each(const struct hd_gpu *gpu, const struct hd_stats *stats, const struct hd_power *power,
		     double policies, const struct hd_figure_sink *sink)
{
	const struct hd_counters *c = &stats->counters;
	if (gpu->functional) {
		each_functional(c, sink);
		return;
	}
	for (uint32_t i = 0; i < hd_counter_count; i++)
		count(sink, NULL, hd_counter_info[i].name, hd_counter_value(c, i));
	real(sink, NULL, "ipc", c->cycles ? (double)c->warp_instructions / (double)c->cycles : 0);
	each_of_l1d(c, sink);
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		count(sink, "stalls", hd_stall_name[i], stats->stalls[i]);
	each_of_power(power, policies, sink);
	real(sink, NULL, "transfer_joules", hd_power_transfers(c, gpu->config));
}

/* ------------------------------------------------------------ as JSON */

static json_t *owner_of(json_t *object, const char *group)
{
	if (!group)
		return object;
	if (!json_object_get(object, group))
		json_object_set_new(object, group, json_object());
	return json_object_get(object, group);
}

static void set_count(void *object, const char *group, const char *key, uint64_t value)
{
	json_object_set_new(owner_of(object, group), key, json_integer((json_int_t)value));
}

static void set_real(void *object, const char *group, const char *key, double value)
{
	json_object_set_new(owner_of(object, group), key, json_real(value));
}

void hd_figures_json(json_t *object, const struct hd_gpu *gpu, const struct hd_stats *stats,
		     const struct hd_power *power, double policies)
{
	const struct hd_figure_sink sink = {set_count, set_real, object, NULL};
	hd_figures_each(gpu, stats, power, policies, &sink);
}

void hd_stats_json(json_t *object, const struct hd_stats *stats, const struct hd_gpu *gpu)
{
	struct hd_power power;
	hd_power_compute(&power, &stats->counters, gpu->config);
	hd_figures_json(object, gpu, stats, &power, 0);
}
