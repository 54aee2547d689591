/*
 * Arithmetic on powers of two: alignments, page sizes, bank counts. The larger and the smaller of two
 * numbers of 32 bits.
 */
#ifndef HD_LIB_BITS_H
#define HD_LIB_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool hd_is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* The lowest multiple of `unit` that is not below `value`. `unit` must be a power of two. */
static inline uint64_t hd_align_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) & ~(unit - 1);
}

static inline uint32_t hd_larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static inline uint32_t hd_smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

#endif
