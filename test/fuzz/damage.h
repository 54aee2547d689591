/*
 * Damage to bytes: some bits flipped, bytes overwritten with extreme values, parts cut out, doubled, swapped or filled,
 * numbers in text exchanged for huge ones, the end cut off.
 */
#ifndef HD_TEST_FUZZ_DAMAGE_H
#define HD_TEST_FUZZ_DAMAGE_H

#include <stddef.h>
#include <stdint.h>

struct damage {
	uint64_t random; /* the seed, at first */
	uint8_t *bytes;	 /* malloc'ed */
	size_t size;
};

uint64_t damage_draw(struct damage *damage);
/* Damages the bytes in one to three ways. */
void damage_some(struct damage *damage);

#endif
