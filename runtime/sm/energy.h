/*
 * Energy of policies' own structures.
 */
#ifndef HD_RUNTIME_SM_ENERGY_H
#define HD_RUNTIME_SM_ENERGY_H

#include <stdint.h>

#include "runtime/core/grid.h"

struct hd_gpu;

/* Events of the grid, which has ended, into `events`; they are the whole run's now. */
void hd_energy_take(struct hd_gpu *gpu, const struct hd_grid *grid, uint64_t events[HD_MAX_ENERGY]);
double hd_energy_joules(const struct hd_gpu *gpu, const uint64_t events[HD_MAX_ENERGY]);

#endif
