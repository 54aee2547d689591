/*
 * Sets of registers and predicates (struct hd_regset of machine.h) as values: what the analyses
 * of machine code compute with. Every operation is a few words of constant work.
 */
#ifndef HD_LIB_MACHINE_REGSET_H
#define HD_LIB_MACHINE_REGSET_H

#include <stdbool.h>
#include <stdint.h>

#include "heddle/inst.h"

enum { HD_REGSET_WORDS = 4, HD_ALL_PREDS = (1 << HD_MAX_PREDS) - 1 };

static inline bool hd_regset_has(const struct hd_regset *set, uint32_t reg)
{
	return set->regs[reg / 64] >> (reg % 64) & 1;
}
static inline void hd_regset_add(struct hd_regset *set, uint32_t reg)
{
	set->regs[reg / 64] |= UINT64_C(1) << (reg % 64);
}
static inline void hd_regset_remove(struct hd_regset *set, uint32_t reg)
{
	set->regs[reg / 64] &= ~(UINT64_C(1) << (reg % 64));
}
/* Adds R[first .. first + count), RZ and beyond left out. */
static inline void hd_regset_add_run(struct hd_regset *set, uint32_t first, uint32_t count)
{
	for (uint32_t reg = first; reg < first + count && reg < HD_RZ; reg++)
		hd_regset_add(set, reg);
}
/* Returns whether `to` grew. */
static inline bool hd_regset_union(struct hd_regset *to, const struct hd_regset *from)
{
	uint64_t grown = (uint64_t)(from->preds & ~to->preds);
	to->preds |= from->preds;
	for (unsigned w = 0; w < HD_REGSET_WORDS; w++) {
		grown |= from->regs[w] & ~to->regs[w];
		to->regs[w] |= from->regs[w];
	}
	return grown != 0;
}
static inline void hd_regset_subtract(struct hd_regset *to, const struct hd_regset *from)
{
	to->preds &= (uint8_t)~from->preds;
	for (unsigned w = 0; w < HD_REGSET_WORDS; w++)
		to->regs[w] &= ~from->regs[w];
}
static inline void hd_regset_intersect(struct hd_regset *to, const struct hd_regset *from)
{
	to->preds &= from->preds;
	for (unsigned w = 0; w < HD_REGSET_WORDS; w++)
		to->regs[w] &= from->regs[w];
}
static inline bool hd_regset_equal(const struct hd_regset *a, const struct hd_regset *b)
{
	uint64_t unlike = (uint64_t)(a->preds ^ b->preds);
	for (unsigned w = 0; w < HD_REGSET_WORDS; w++)
		unlike |= a->regs[w] ^ b->regs[w];
	return !unlike;
}
/* Whether every member of `part` is in `whole`. */
static inline bool hd_regset_within(const struct hd_regset *part, const struct hd_regset *whole)
{
	uint64_t outside = (uint64_t)(part->preds & ~whole->preds);
	for (unsigned w = 0; w < HD_REGSET_WORDS; w++)
		outside |= part->regs[w] & ~whole->regs[w];
	return !outside;
}
/* Registers, predicates not counted. */
static inline uint32_t hd_regset_count(const struct hd_regset *set)
{
	uint32_t count = 0;
	for (unsigned w = 0; w < HD_REGSET_WORDS; w++)
		count += (uint32_t)__builtin_popcountll(set->regs[w]);
	return count;
}
/* The first register at or after `from`, HD_RZ when there is none. */
static inline uint32_t hd_regset_next(const struct hd_regset *set, uint32_t from)
{
	for (uint32_t w = from / 64; w < HD_REGSET_WORDS; w++) {
		uint64_t word = set->regs[w];
		if (w == from / 64)
			word &= ~UINT64_C(0) << (from % 64);
		if (word)
			return w * 64 + (uint32_t)__builtin_ctzll(word);
	}
	return HD_RZ;
}

#define HD_REGSET_FOREACH(set, reg) \
	for (uint32_t reg = hd_regset_next((set), 0); reg < HD_RZ; reg = hd_regset_next((set), reg + 1))

#endif
