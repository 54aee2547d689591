/*
 * The wheel of a crossbar: events of the next own cycles, a set of ports for each. For who does the crossbar's cycles.
 */
#ifndef HD_RUNTIME_MEMORY_CROSSBAR_WHEEL_H
#define HD_RUNTIME_MEMORY_CROSSBAR_WHEEL_H

#include "runtime/memory/crossbar.h"

enum { HD_CROSSBAR_WHEEL = 64 };

/* The next own cycle with events; there are some. */
static inline uint64_t hd_crossbar_next_event(const struct hd_crossbar *x)
{
	uint64_t first = x->cycle + 1, shift = first % HD_CROSSBAR_WHEEL;
	uint64_t turned = shift ? x->occupied >> shift | x->occupied << (HD_CROSSBAR_WHEEL - shift) : x->occupied;
	return first + (uint64_t)__builtin_ctzll(turned);
}

static inline void hd_crossbar_schedule(struct hd_crossbar *x, uint64_t *wheel, uint32_t words, uint32_t port,
					uint64_t cycle)
{
	assert(cycle > x->cycle && cycle - x->cycle < HD_CROSSBAR_WHEEL);
	x->occupied |= UINT64_C(1) << cycle % HD_CROSSBAR_WHEEL;
	wheel[cycle % HD_CROSSBAR_WHEEL * words + port / 64] |= UINT64_C(1) << port % 64;
}

#endif
