/*
 * Core cycles, in which the runtime counts time.
 */
#ifndef HD_RUNTIME_CORE_CYCLE_H
#define HD_RUNTIME_CORE_CYCLE_H

#include <stdint.h>

#define HD_NEVER UINT64_MAX

static inline uint64_t hd_earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t hd_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
