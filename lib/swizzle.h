/*
 * How copies of tensors lay rows out in shared memory so that a column's elements are in different banks: chunks of 16
 * bytes change places by the absolute address in the block's shared memory, b bits of it from bit 4 on by those from
 * bit 7 on. Products of groups of warps read what copies have written by the same rule.
 */
#ifndef HD_LIB_SWIZZLE_H
#define HD_LIB_SWIZZLE_H

#include <stdint.h>

/* Where the byte at `address` lies; b is 1, 2 or 3 for rows of 32, 64 or 128 bytes, 0: where it is. Its own inverse. */
static inline uint32_t hd_swizzle(uint32_t address, unsigned b)
{
	return address ^ (address >> 7 & ((1u << b) - 1)) << 4;
}

#endif
