/*
 * Sets of registers and predicates, as the scoreboard keeps them.
 */
#ifndef HD_RUNTIME_CORE_HAZARD_H
#define HD_RUNTIME_CORE_HAZARD_H

#include <stdbool.h>
#include <stdint.h>

/* Scoreboard set: 256 registers; in word 4 8 predicates (bit 0 is P0), then the uniform registers. RZ and PT are never
 * in it. */
struct hd_hazard {
	uint64_t bits[5];
};

/* For each register of the set, in ascending order. The set must not change meanwhile. */
#define HD_FOR_HAZARD_REGS(reg, set)                                                                        \
	for (uint32_t reg = 0, reg##_word = 0; reg##_word < 4; reg##_word++)                                \
		for (uint64_t reg##_left = (set)->bits[reg##_word];                                         \
		     reg##_left && (reg = 64 * reg##_word + (uint32_t)__builtin_ctzll(reg##_left), true);   \
		     reg##_left &= reg##_left - 1)

static inline void hd_hazard_add(struct hd_hazard *to, const struct hd_hazard *what)
{
	for (uint32_t i = 0; i < 5; i++)
		to->bits[i] |= what->bits[i];
}

static inline void hd_hazard_remove(struct hd_hazard *from, const struct hd_hazard *what)
{
	for (uint32_t i = 0; i < 5; i++)
		from->bits[i] &= ~what->bits[i];
}

static inline bool hd_hazard_any(const struct hd_hazard *set)
{
	return set->bits[0] | set->bits[1] | set->bits[2] | set->bits[3] | set->bits[4];
}

static inline bool hd_hazards_meet(const struct hd_hazard *a, const struct hd_hazard *b)
{
	uint64_t both = 0;
	for (uint32_t i = 0; i < 5; i++)
		both |= a->bits[i] & b->bits[i];
	return both;
}

#endif
