/*
 * The figures of some cycles, a launch's or a run's, as JSON: all counters under their names, and what follows from
 * them. Energy is that of power.c.
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

static void set_count(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static json_t *l1d_object(const struct hd_counters *c)
{
	json_t *l1d = json_object();
	set_count(l1d, "accesses", c->l1d_accesses);
	set_count(l1d, "hits", c->l1d_hits);
	set_count(l1d, "pending_hits", c->l1d_pending_hits);
	set_count(l1d, "misses", c->l1d_misses);
	set_count(l1d, "spill_fill", c->l1d_spill_fill);
	set_count(l1d, "global", c->l1d_global);
	set_count(l1d, "other_local", c->l1d_other_local);
	return l1d;
}

static json_t *stalls_object(const struct hd_stats *stats)
{
	json_t *stalls = json_object();
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		set_count(stalls, hd_stall_name[i], stats->stalls[i]);
	return stalls;
}

/* Without timing. */
static void add_functional(json_t *object, const struct hd_counters *c)
{
#define X(name) set_count(object, #name, c->name);
	HD_FUNCTIONAL_COUNTERS(X)
#undef X
}

void hd_stats_json(json_t *object, const struct hd_stats *stats, const struct hd_gpu *gpu)
{
	const struct hd_counters *c = &stats->counters;
	const struct hd_config *config = gpu->config;
	if (gpu->functional) {
		add_functional(object, c);
		return;
	}
	for (uint32_t i = 0; i < hd_counter_count; i++)
		set_count(object, hd_counter_info[i].name, hd_counter_value(c, i));
	double ipc = c->cycles ? (double)c->warp_instructions / (double)c->cycles : 0;
	json_object_set_new(object, "ipc", json_real(ipc));
	json_object_set_new(object, "l1d", l1d_object(c));
	json_object_set_new(object, "stalls", stalls_object(stats));
	struct hd_power power;
	hd_power_compute(&power, c, config);
	hd_power_json(object, &power);
	json_object_set_new(object, "transfer_joules", json_real(hd_power_transfers(c, config)));
}
