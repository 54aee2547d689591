/*
 * When a port or a bus is taken: a bit for each of the next cycles, so that what is sent later may go before what was
 * reserved for later, as it would if somebody chose among both in each cycle. Past the window, only the end of what is
 * reserved is known. Cycles are those of the owner's clock. Cost: a few words for a search.
 */
#ifndef HD_RUNTIME_MEMORY_SLOTS_H
#define HD_RUNTIME_MEMORY_SLOTS_H

#include <stdint.h>

#include "runtime/core/cycle.h"

enum { HD_SLOTS_WORDS = 32 };

struct hd_slots {
	uint64_t taken[HD_SLOTS_WORDS]; /* a ring by the word's number, a bit a cycle */
	uint64_t first;			/* number of the window's first word */
	uint64_t end;			/* of what is reserved past the window; 0 */
};

/* Of the 64 cycles from `cycle` on, those before `end`. */
static inline uint64_t hd_slots_before(uint64_t end, uint64_t cycle)
{
	return end <= cycle ? 0 : end - cycle >= 64 ? UINT64_MAX : (UINT64_C(1) << (end - cycle)) - 1;
}

static inline void hd_slots_move_to(struct hd_slots *slots, uint64_t first)
{
	uint64_t word = slots->first;
	if (first - word > HD_SLOTS_WORDS)
		word = first - HD_SLOTS_WORDS;
	for (; word < first; word++)
		slots->taken[word % HD_SLOTS_WORDS] = hd_slots_before(slots->end, (word + HD_SLOTS_WORDS) * 64);
	slots->first = first;
}

/* The cycles before `now` are past; nothing is going to be reserved there. */
static inline void hd_slots_move(struct hd_slots *slots, uint64_t now)
{
	if (now / 64 > slots->first)
		hd_slots_move_to(slots, now / 64);
}

static inline uint64_t hd_slots_word(const struct hd_slots *slots, uint64_t word)
{
	return word - slots->first < HD_SLOTS_WORDS ? slots->taken[word % HD_SLOTS_WORDS]
						    : hd_slots_before(slots->end, word * 64);
}

/* Cycles of a word from which on `length` are free, a bit each. */
static inline uint64_t hd_slots_fit(const struct hd_slots *slots, uint64_t word, uint32_t length)
{
	uint64_t low = ~hd_slots_word(slots, word), fit = low;
	if (length == 1)
		return fit;
	uint64_t high = ~hd_slots_word(slots, word + 1);
	for (uint32_t i = 1; fit && i < length; i++) {
		if (i % 64 == 0) {
			low = high;
			high = ~hd_slots_word(slots, word + 1 + i / 64);
		}
		fit &= low >> i % 64 | (i % 64 ? high << (64 - i % 64) : 0);
	}
	return fit;
}

/* Cycles of a word of free ones from which on `length` of the same word are free. */
static inline uint64_t hd_slots_runs(uint64_t low, uint32_t length)
{
	uint64_t fit = low;
	for (uint32_t i = 1; i < length; i++)
		fit &= low >> i;
	return fit;
}

/* As hd_slots_find, but HD_NEVER where they are not all in the word of `from`. */
static inline uint64_t hd_slots_near(const struct hd_slots *a, uint32_t length, const struct hd_slots *b,
				     uint32_t b_length, uint64_t from)
{
	uint64_t word = from / 64;
	if (word - a->first >= HD_SLOTS_WORDS || word - b->first >= HD_SLOTS_WORDS || (length | b_length) >= 64)
		return HD_NEVER;
	uint64_t fit = hd_slots_runs(~a->taken[word % HD_SLOTS_WORDS], length) & UINT64_MAX << from % 64;
	fit &= hd_slots_runs(~b->taken[word % HD_SLOTS_WORDS], b_length);
	return fit ? word * 64 + (uint64_t)__builtin_ctzll(fit) : HD_NEVER;
}

/* The first cycle, `from` or later, from which on both have so many free cycles. What is before a window is past. */
static inline uint64_t hd_slots_find(const struct hd_slots *a, uint32_t length, const struct hd_slots *b,
				     uint32_t b_length, uint64_t from)
{
	from = hd_later(from, hd_later(a->first, b->first) * 64);
	uint64_t mask = UINT64_MAX << from % 64;
	for (uint64_t word = from / 64;; word++, mask = UINT64_MAX) {
		uint64_t fit = mask & hd_slots_fit(a, word, length);
		if (fit && (fit &= hd_slots_fit(b, word, b_length)))
			return word * 64 + (uint64_t)__builtin_ctzll(fit);
	}
}

static inline void hd_slots_take_part(struct hd_slots *slots, uint64_t word, uint64_t bits)
{
	if (word - slots->first < HD_SLOTS_WORDS)
		slots->taken[word % HD_SLOTS_WORDS] |= bits;
	else if (bits)
		slots->end = hd_later(slots->end, word * 64 + 64 - (uint64_t)__builtin_clzll(bits));
}

/* All cycles from `from` to before `end`. */
static inline void hd_slots_close(struct hd_slots *slots, uint64_t from, uint64_t end)
{
	from = hd_later(from, slots->first * 64);
	for (uint64_t word = from / 64; word * 64 < end; word++)
		hd_slots_take_part(slots, word, hd_slots_before(end, word * 64) & ~hd_slots_before(from, word * 64));
}

static inline void hd_slots_take_across(struct hd_slots *slots, uint64_t from, uint32_t length)
{
	uint64_t bits = (UINT64_C(1) << length % 64) - 1;
	if (length >= 64) {
		hd_slots_close(slots, from, from + length);
		return;
	}
	hd_slots_take_part(slots, from / 64, bits << from % 64);
	if (from % 64 + length > 64)
		hd_slots_take_part(slots, from / 64 + 1, bits >> (64 - from % 64));
}

/* `length` cycles from `from` on. Most are of one word. */
static inline void hd_slots_take(struct hd_slots *slots, uint64_t from, uint32_t length)
{
	if (from / 64 - slots->first < HD_SLOTS_WORDS && from % 64 + length < 64)
		slots->taken[from / 64 % HD_SLOTS_WORDS] |= ((UINT64_C(1) << length) - 1) << from % 64;
	else
		hd_slots_take_across(slots, from, length);
}

/* Finds and takes cycles of both. Most are found in the first word. */
static inline uint64_t hd_slots_reserve(struct hd_slots *a, uint32_t length, struct hd_slots *b, uint32_t b_length,
					uint64_t from)
{
	uint64_t cycle = hd_slots_near(a, length, b, b_length, from);
	if (cycle != HD_NEVER) {
		uint64_t word = cycle / 64 % HD_SLOTS_WORDS;
		a->taken[word] |= ((UINT64_C(1) << length) - 1) << cycle % 64;
		b->taken[word] |= ((UINT64_C(1) << b_length) - 1) << cycle % 64;
		return cycle;
	}
	cycle = hd_slots_find(a, length, b, b_length, from);
	hd_slots_take(a, cycle, length);
	hd_slots_take(b, cycle, b_length);
	return cycle;
}

/* Takes the first `count` free cycles from `from` on, which need not follow each other. Returns the last of them. */
static inline uint64_t hd_slots_fill(struct hd_slots *slots, uint32_t count, uint64_t from)
{
	from = hd_later(from, slots->first * 64);
	for (uint64_t word = from / 64; word - slots->first < HD_SLOTS_WORDS; from = ++word * 64) {
		uint64_t *taken = &slots->taken[word % HD_SLOTS_WORDS], open = ~*taken & UINT64_MAX << from % 64;
		for (; open; open &= open - 1) {
			*taken |= open & -open;
			if (!--count)
				return word * 64 + (uint64_t)__builtin_ctzll(open);
		}
	}
	slots->end = hd_later(slots->end, from) + count;
	return slots->end - 1;
}

#endif
