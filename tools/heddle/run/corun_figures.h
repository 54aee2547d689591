/*
 * Figures of co-runs (`heddle corun`): each kernel or program beside the others, alone, and what that is together. They
 * are the key `corun` of the statistics.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_CORUN_FIGURES_H
#define HD_TOOLS_HEDDLE_RUN_CORUN_FIGURES_H

#include <jansson.h>
#include <stdint.h>

/* What a stream did, by whole statistics: in the co-run's window, or where there is none over `cycles`; 0: those of its
 * launches. With several kernels each has its own under `kernels`. A new reference. */
json_t *corun_figures_of(const json_t *statistics, uint64_t stream, uint64_t cycles);

/* Adds the key `corun` to statistics, with the figures of each as the array `key`, which it takes. `alone` has theirs
 * alone as `each`, in the same order; NULL: not known. */
void corun_figures_add(json_t *document, const char *key, json_t *each, json_t *alone);
/* A table of that key; nothing where there is none. */
void corun_figures_print(const json_t *document);

#endif
