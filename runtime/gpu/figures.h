/*
 * Figures one by one, and as JSON (figures.c).
 */
#ifndef HD_RUNTIME_GPU_FIGURES_H
#define HD_RUNTIME_GPU_FIGURES_H

#include <jansson.h>
#include <stdint.h>

struct hd_counters;
struct hd_gpu;
struct hd_power;
struct hd_stats;

/* Counter `index` of hd_counter_info. */
uint64_t hd_counter_value(const struct hd_counters *counters, uint32_t index);

/* Takes figures in their order, which is the same for all launches of a GPU; those of a group come one after the
 * other. `group`: NULL, or the object that has the key. */
struct hd_figure_sink {
	void (*count)(void *context, const char *group, const char *key, uint64_t value);
	void (*real)(void *context, const char *group, const char *key, double value);
	void *context;
	/* NULL: all figures are told. Otherwise those that are zero are left out, and this counts all figures, the one
	 * that is told included. */
	uint32_t *places;
};

/* Counters, stalls and what follows from them; without timing, what is counted then. `power` is that of the counters,
 * `policies` the joules of policies' own structures. */
void hd_figures_each(const struct hd_gpu *gpu, const struct hd_stats *stats, const struct hd_power *power,
		     double policies, const struct hd_figure_sink *sink);
/* The same as keys of the object. */
void hd_figures_json(json_t *object, const struct hd_gpu *gpu, const struct hd_stats *stats,
		     const struct hd_power *power, double policies);
/* With the power of the counters, and nothing of policies. */
void hd_stats_json(json_t *object, const struct hd_stats *stats, const struct hd_gpu *gpu);

#endif
