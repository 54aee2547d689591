/*
 * Clock domains. Time is counted in core cycles; a unit in another domain counts its own cycles, and cycle k of the
 * domain happens in core cycle ceil(k * core / domain). Integer arithmetic on the reduced ratio, so nothing drifts.
 */
#ifndef HD_RUNTIME_MEMORY_CLOCK_H
#define HD_RUNTIME_MEMORY_CLOCK_H

#include "runtime/core/cycle.h"

struct hd_clock {
	uint64_t core, domain; /* kHz, divided by their greatest common divisor */
};

static inline struct hd_clock hd_clock_of(double core_mhz, double domain_mhz)
{
	uint64_t core = (uint64_t)(core_mhz * 1000 + 0.5), domain = (uint64_t)(domain_mhz * 1000 + 0.5);
	uint64_t a = core, b = domain;
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return (struct hd_clock){core / a, domain / a};
}

/* The last cycle of the domain that happens at or before core cycle `now`. */
static inline uint64_t hd_clock_at(const struct hd_clock *clock, uint64_t now)
{
	return clock->core == clock->domain ? now : now * clock->domain / clock->core;
}

/* The core cycle in which cycle `cycle` of the domain happens. */
static inline uint64_t hd_clock_edge(const struct hd_clock *clock, uint64_t cycle)
{
	return clock->core == clock->domain ? cycle : (cycle * clock->core + clock->domain - 1) / clock->domain;
}

#endif
