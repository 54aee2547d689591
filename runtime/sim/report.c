/*
 * Statistics as JSON, and energy (docs/architecture.md, Statistics). One object a launch and one for the total, with
 * the same keys: all counters under their names, `ipc` (warp instructions a core cycle, over the GPU), `l1d`, `stalls`,
 * `energy_joules` and one object for each policy. `host` is the only part that differs from one run to the next.
 *
 * Energy is that of power.c.
 */
#include <jansson.h>
#include <string.h>
#include <sys/resource.h>

#include "heddle/config.h"
#include "heddle/version.h"
#include "runtime/gpu/figures.h"
#include "runtime/sampling/sampling.h"
#include "runtime/sim/report.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/energy.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/keys.h"
#include "runtime/verify/coverage.h"
#include "runtime/watch/blame.h"
#include "runtime/watch/profile.h"

#define REAL_DIGITS 12

static void set_count(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

/* What policies' own structures take stands in their objects, and is part of the energy. */
static void add_energy(json_t *figures, const struct hd_gpu *gpu, const uint64_t spent[HD_MAX_ENERGY])
{
	char key[96];
	for (uint32_t policy = 0; policy < gpu->policy_count; policy++) {
		uint32_t row = gpu->policies[policy].energy_at;
		uint32_t end = policy + 1 < gpu->policy_count ? gpu->policies[policy + 1].energy_at : gpu->energy_count;
		for (; row < end; row++) {
			const struct hd_policy_energy *energy = &gpu->energy[row];
			snprintf(key, sizeof key, "%s_events", energy->name);
			set_count(json_array_get(figures, policy), key, spent[row]);
			snprintf(key, sizeof key, "%s_joules", energy->name);
			json_object_set_new(json_array_get(figures, policy), key,
					    json_real((double)spent[row] * energy->pj * 1e-12));
		}
	}
}

/* An object for each policy, empty where it reports nothing. */
static json_t *policy_objects(json_t *object, const struct hd_gpu *gpu)
{
	json_t *array = json_array();
	if (!gpu->policy_count)
		json_object_set_new(object, hd_policies[0].name, json_object());
	for (uint32_t i = 0; i < gpu->policy_count; i++) {
		json_t *figures = json_object();
		json_object_set_new(object, gpu->policies[i].policy->name, figures);
		json_array_append(array, figures);
	}
	return array;
}

static void add_launch_figures(json_t *object, const struct hd_gpu *gpu, const struct hd_launch_record *record)
{
	json_t *objects = policy_objects(object, gpu);
	for (uint32_t i = 0; i < record->figures.len; i++) {
		const struct hd_policy_figure *figure = &record->figures.data[i];
		json_object_set_new(json_array_get(objects, figure->policy), figure->key, json_real(figure->value));
	}
	add_energy(objects, gpu, record->spent);
	json_decref(objects);
}

static void add_total_figure(void *context, const char *key, double value, const char *unit)
{
	(void)unit;
	json_object_set_new(context, key, json_real(value));
}

void hd_report_policies(json_t *object, const struct hd_gpu *gpu)
{
	json_t *objects = policy_objects(object, gpu);
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		hd_counts_report(&gpu->policies[i], gpu, add_total_figure, json_array_get(objects, i));
	add_energy(objects, gpu, gpu->spent);
	json_decref(objects);
}

static json_t *dimensions(const uint32_t size[3])
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < 3; i++)
		json_array_append_new(array, json_integer(size[i]));
	return array;
}

json_t *hd_report_launch(const struct hd_gpu *gpu, const struct hd_launch_record *record, bool figures)
{
	const struct hd_launch_stats *stats = &record->stats;
	json_t *object = json_object();
	json_object_set_new(object, "kernel", json_string(stats->kernel));
	if (stats->file)
		json_object_set_new(object, "source",
				    json_pack("{s:s,s:I}", "file", stats->file, "line", (json_int_t)stats->line));
	json_object_set_new(object, "grid", dimensions(stats->grid));
	json_object_set_new(object, "block", dimensions(stats->block));
	set_count(object, "dynamic_shared", stats->dynamic_shared);
	if (stats->stream)
		set_count(object, "stream", stats->stream);
	if (stats->shared) {
		json_object_set_new(object, "shared", json_true());
		set_count(object, "start_cycle", stats->start);
	}
	set_count(object, "resident_ctas", stats->resident_ctas);
	json_object_set_new(object, "limiter", json_string(stats->limiter));
	if (record->partial)
		json_object_set_new(object, "partial", json_true());
	if (figures)
		hd_figures_json(object, gpu, &stats->stats, &record->power, hd_energy_joules(gpu, record->spent));
	else
		json_object_set_new(object, "figures", json_null());
	if (record->sampling)
		json_object_set(object, "sampling", record->sampling);
	add_launch_figures(object, gpu, record);
	if (record->sampler.interval) {
		json_t *samples = hd_samples_json(&record->sampler, gpu->config);
		hd_samples_add_series(samples, &record->sampler, gpu);
		json_object_set_new(object, "samples", samples);
	}
	return object;
}

char *hd_report_launch_text(const struct hd_gpu *gpu, const struct hd_launch_record *record)
{
	json_t *object = hd_report_launch(gpu, record, true);
	char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(object);
	return text;
}

/* The value of an enumerated key by its name in "a|b|c". */
static json_t *enum_value(const char *names, uint64_t value)
{
	for (; value && strchr(names, '|'); value--)
		names = strchr(names, '|') + 1;
	return json_stringn(names, strcspn(names, "|"));
}

/* Keys of policies' sections, as "policy.key". */
static void add_policy_keys(json_t *object, const struct hd_gpu *gpu)
{
	char name[96];
	for (uint32_t i = 0; i < gpu->policy_count; i++) {
		const struct hd_policy_handle *self = &gpu->policies[i];
		const struct hd_policy_setting *settings = self->hooks->settings;
		const struct hd_policy_energy *energy = self->hooks->energy;
		for (uint32_t k = 0; settings && settings[k].name; k++) {
			snprintf(name, sizeof name, "%s.%s", self->policy->name, settings[k].name);
			json_object_set_new(object, name, json_real(hd_policy_setting(self, gpu, k)));
		}
		for (uint32_t k = 0; energy && energy[k].name; k++) {
			snprintf(name, sizeof name, "%s.pj_%s", self->policy->name, energy[k].name);
			json_object_set_new(object, name, json_real(gpu->energy[self->energy_at + k].pj));
		}
	}
}

static json_t *config_object(const struct hd_gpu *gpu)
{
	const struct hd_config *config = gpu->config;
	json_t *object = json_object();
#define HD_CONFIG_INT(key, value, min, max, unit, help) set_count(object, #key, config->key);
#define HD_CONFIG_REAL(key, value, min, max, unit, help) json_object_set_new(object, #key, json_real(config->key));
#define HD_CONFIG_ENUM(key, value, names, help) json_object_set_new(object, #key, enum_value(names, config->key));
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
	add_policy_keys(object, gpu);
	return object;
}

struct hd_host hd_report_host(void)
{
	struct rusage usage;
	memset(&usage, 0, sizeof usage);
	getrusage(RUSAGE_SELF, &usage);
	return (struct hd_host){(uint64_t)usage.ru_utime.tv_sec * 1000000 + (uint64_t)usage.ru_utime.tv_usec,
				(uint64_t)usage.ru_maxrss * 1024}; /* Linux counts KiB */
}

static json_t *host_object(void)
{
	struct hd_host host = hd_report_host();
	json_t *object = json_object();
	uint64_t whole = host.microseconds / 1000000;
	json_object_set_new(object, "user_seconds",
			    json_real((double)whole + (double)(host.microseconds % 1000000) * 1e-6));
	set_count(object, "peak_bytes", host.peak_bytes);
	return object;
}

json_t *hd_stats_head(const struct hd_sim *sim)
{
	const struct hd_config *config = sim->gpu.config;
	json_t *object = json_object();
	json_object_set_new(object, "producer", json_string("heddle " HD_VERSION));
	json_object_set_new(object, "gpu", json_string(config->name));
	json_object_set_new(object, "policy", json_string(sim->policy_name));
	json_object_set_new(object, "config", config_object(&sim->gpu));
	if (sim->gpu.functional)
		json_object_set_new(object, "functional", json_true());
	if (sim->gpu.sampling)
		json_object_set_new(object, "sampling", json_real(sim->gpu.options.sampling));
	return object;
}

void hd_report_coverage(json_t *object, const struct hd_gpu *gpu)
{
	if (gpu->options.verify)
		json_object_set_new(object, "verified", hd_verify_json(gpu));
	if (gpu->options.profile)
		json_object_set_new(object, "profile", hd_profile_json(gpu));
	if (gpu->options.blame)
		json_object_set_new(object, "slots", hd_blame_json(gpu));
}

char *hd_sim_stats_json(const struct hd_sim *sim)
{
	const struct hd_gpu *gpu = &sim->gpu;
	struct hd_stats total;
	struct hd_power power;
	json_t *document = hd_stats_head(sim), *object = json_object(), *launches = json_array();
	hd_sim_total(sim, &total);
	hd_power_compute(&power, &total.counters, gpu->config);
	hd_figures_json(object, gpu, &total, &power, hd_energy_joules(gpu, gpu->spent));
	hd_report_policies(object, gpu);
	if (gpu->sampling)
		json_object_set_new(object, "sampling", hd_sampling_json(gpu->sampling));
	for (uint32_t i = 0; i < sim->launches.len; i++)
		json_array_append_new(launches, hd_report_launch(gpu, sim->launches.data[i], true));
	json_object_set_new(document, "host", host_object());
	for (uint32_t i = 0; i < sim->launches.len; i++)
		if (sim->launches.data[i]->partial)
			json_object_set_new(document, "partial", json_true());
	json_object_set_new(document, "total", object);
	json_object_set_new(document, "launches", launches);
	if (sim->coruns)
		json_object_set(document, "coruns", sim->coruns);
	hd_report_coverage(document, gpu);
	char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS));
	json_decref(document);
	return text;
}
