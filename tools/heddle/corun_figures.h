/*
 * Figures of co-runs (`heddle corun`): each kernel beside the others, alone, and what that is together. They are the
 * key `corun` of the statistics.
 */
#ifndef HD_TOOLS_HEDDLE_CORUN_FIGURES_H
#define HD_TOOLS_HEDDLE_CORUN_FIGURES_H

#include <jansson.h>
#include <stdint.h>

#include "tools/heddle/run_statistics.h"

/* What each is alone: begins empty, under this policy. A new reference. */
json_t *corun_figures_new(const char *policy);
void corun_figures_setting(json_t *alone, const char *setting);
/* The next of them, by the statistics of its run. */
void corun_figures_alone(json_t *alone, const char *name, const json_t *statistics);

/* Adds the key `corun` to statistics: those of streams `first` to `first + count - 1`. `alone` may be NULL. */
void corun_figures_add(struct run_statistics *statistics, const char *const *names, uint32_t count, uint64_t first,
		       json_t *alone);
/* A table of that key; nothing where there is none. */
void corun_figures_print(const json_t *document);

#endif
