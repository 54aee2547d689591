/*
 * Completions of memory instructions, taken in the order of their cycles; those of one cycle in the order in which
 * they were added. A binary heap of fixed size: O(log n) to add and take.
 */
#ifndef HD_RUNTIME_MEMORY_COMPLETIONS_H
#define HD_RUNTIME_MEMORY_COMPLETIONS_H

#include "runtime/memory/clock.h"
#include "runtime/memory/packet.h"

struct hd_due {
	uint64_t cycle;
	uint32_t sequence, token;
};

struct hd_completions {
	struct hd_due *heap;
	uint32_t count, capacity, sequence;
};

static inline void hd_completions_init(struct hd_completions *heap, uint32_t capacity, struct hd_arena *arena)
{
	*heap = (struct hd_completions){HD_ARENA_NEW_SPARSE(arena, struct hd_due, capacity), 0, capacity, 0};
}

static inline bool hd_due_before(const struct hd_due *a, const struct hd_due *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : (int32_t)(a->sequence - b->sequence) < 0;
}

static inline void hd_completions_add(struct hd_completions *heap, uint64_t cycle, uint32_t token)
{
	assert(heap->count < heap->capacity);
	struct hd_due due = {cycle, heap->sequence++, token};
	uint32_t at = heap->count++;
	for (; at && hd_due_before(&due, &heap->heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap->heap[at] = heap->heap[(at - 1) / 2];
	heap->heap[at] = due;
}

static inline uint64_t hd_completions_next(const struct hd_completions *heap)
{
	return heap->count ? heap->heap[0].cycle : HD_NEVER;
}

/* Removes the first; there is one. */
static inline struct hd_due hd_completions_take(struct hd_completions *heap)
{
	struct hd_due first = heap->heap[0], last = heap->heap[--heap->count];
	uint32_t at = 0;
	for (uint32_t child = 1; child < heap->count; child = 2 * at + 1) {
		if (child + 1 < heap->count && hd_due_before(&heap->heap[child + 1], &heap->heap[child]))
			child++;
		if (!hd_due_before(&heap->heap[child], &last))
			break;
		heap->heap[at] = heap->heap[child];
		at = child;
	}
	heap->heap[at] = last;
	return first;
}

#endif
