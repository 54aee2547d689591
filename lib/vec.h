/*
 * Typed growable array, on the heap or in an arena. `HD_VEC(struct foo) foos;` zero-initialised
 * is an empty vector; elements are plain values that may move when it grows.
 */
#ifndef HD_LIB_VEC_H
#define HD_LIB_VEC_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

#define HD_VEC(type)            \
	struct {                \
		type *data;     \
		uint32_t len;   \
		uint32_t cap;   \
	}

#define hd_vec_reserve(vec, want)                                                              \
	do {                                                                                   \
		uint32_t hd_want_ = (want);                                                    \
		if ((vec)->cap < hd_want_) {                                                   \
			(vec)->cap = hd_vec_next_capacity((vec)->cap, hd_want_);               \
			(vec)->data = hd_xrealloc((vec)->data,                                 \
						  (size_t)(vec)->cap * sizeof(*(vec)->data)); \
		}                                                                              \
	} while (0)

#define hd_vec_push(vec, ...)                               \
	do {                                                \
		hd_vec_reserve((vec), (vec)->len + 1);      \
		(vec)->data[(vec)->len++] = (__VA_ARGS__);  \
	} while (0)

/* The same in an arena, where what the vector outgrows stays, at most as much again. Such a vector is not released. */
#define hd_vec_push_in(vec, arena, ...)                                                                  \
	do {                                                                                             \
		if ((vec)->len == (vec)->cap)                                                            \
			(vec)->data = hd_vec_move_to((arena), (vec)->data, &(vec)->cap,                  \
						     sizeof(*(vec)->data));                              \
		(vec)->data[(vec)->len++] = (__VA_ARGS__);                                               \
	} while (0)

/* In front of element `index`, or at the end where it is the length. `index` is read once. The value is read after the
 * elements behind it have moved. */
#define hd_vec_insert(vec, index, ...)                                                            \
	do {                                                                                      \
		uint32_t hd_at_ = (index);                                                        \
		hd_vec_reserve((vec), (vec)->len + 1);                                            \
		memmove((vec)->data + hd_at_ + 1, (vec)->data + hd_at_,                           \
			((vec)->len - hd_at_) * sizeof(*(vec)->data));                            \
		(vec)->data[hd_at_] = (__VA_ARGS__);                                              \
		(vec)->len++;                                                                     \
	} while (0)

/* Removes so many elements from `index` on; the others keep their order. */
#define hd_vec_remove_some(vec, index, count)                                                     \
	do {                                                                                      \
		uint32_t hd_at_ = (index), hd_count_ = (count);                                   \
		(vec)->len -= hd_count_;                                                          \
		memmove((vec)->data + hd_at_, (vec)->data + hd_at_ + hd_count_,                   \
			((vec)->len - hd_at_) * sizeof(*(vec)->data));                            \
	} while (0)
#define hd_vec_remove(vec, index) hd_vec_remove_some((vec), (index), 1)

#define hd_vec_pop(vec) ((vec)->data[--(vec)->len])
#define hd_vec_last(vec) ((vec)->data[(vec)->len - 1])
#define hd_vec_clear(vec) ((void)((vec)->len = 0))
#define hd_vec_release(vec)                \
	do {                               \
		free((vec)->data);         \
		(vec)->data = NULL;        \
		(vec)->len = (vec)->cap = 0; \
	} while (0)

/*
 * Binary search: the uint32_t `index` becomes the first of from .. to - 1 for which `before` does not hold, or `to`.
 * `before` is an expression with `index` in it that holds up to some place and nowhere from there on.
 */
#define HD_BISECT(index, from, to, before)                                                           \
	for (uint32_t hd_low_ = (from), hd_high_ = (to);                                             \
	     (index) = hd_low_ + (hd_high_ - hd_low_) / 2, hd_low_ < hd_high_;)                      \
		if (before)                                                                          \
			hd_low_ = (index) + 1;                                                       \
		else                                                                                 \
			hd_high_ = (index)

static inline uint32_t hd_vec_next_capacity(uint32_t capacity, uint32_t want)
{
	uint32_t next = capacity ? capacity * 2 : 8;
	return next < want ? want : next;
}

/* Moves a full vector to a larger place in the arena. */
static inline void *hd_vec_move_to(struct hd_arena *arena, const void *data, uint32_t *capacity, size_t size)
{
	uint32_t next = hd_vec_next_capacity(*capacity, *capacity + 1);
	void *place = hd_arena_alloc(arena, next * size);
	if (data)
		memcpy(place, data, *capacity * size);
	*capacity = next;
	return place;
}

#endif
