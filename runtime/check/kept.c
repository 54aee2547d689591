/*
 * --check=race, race-global: which accesses to a word can still race with a later one. Two lists, of reads and of
 * writes, ascending by block and warp, so that what a warp has there is found by bisection. A list holds one access in
 * itself and more on the heap.
 *
 * An access takes the place of those that are before it and at most as strong: whatever races with one of these races
 * with it, too. A read does so for reads of its own warp alone, since those of others cost more to ask for than they
 * take. So each thread has at most some reads and writes here, however long the kernel runs, and none is forgotten;
 * but for those for which there is no room (struct hd_kept_room), which are counted and told.
 *
 * Cost: a read O(writes of the word + accesses of its warp + log reads), a write O(all that is kept of the word).
 */
#include "runtime/check/state.h"

static uint64_t owner(uint32_t block, uint32_t warp)
{
	return (uint64_t)block << 8 | warp;
}

/* The first of what is from this owner on. */
static uint32_t find(const struct hd_kept_list *list, uint64_t from)
{
	const struct hd_kept_access *at = hd_kept_data(list);
	uint32_t index;
	HD_BISECT(index, 0, list->len, owner(at[index].block, at[index].warp) < from);
	return index;
}

void hd_kept_of_warp(const struct hd_kept_list *list, uint32_t block, uint32_t warp, uint32_t *from, uint32_t *to)
{
	const struct hd_kept_access *at = hd_kept_data(list);
	uint64_t own = owner(block, warp);
	*from = *to = find(list, own);
	while (*to < list->len && owner(at[*to].block, at[*to].warp) == own)
		++*to;
}

static bool same_instruction(const struct hd_kept_access *a, const struct hd_kept_access *b)
{
	return a->pc == b->pc && a->when == b->when && a->bytes == b->bytes && a->value == b->value &&
	       a->group == b->group && a->strong == b->strong;
}

static bool grow(struct hd_kept_list *list, struct hd_kept_room *room)
{
	uint32_t more = list->cap ? list->cap : 4;
	if (room->used + more > room->most) {
		room->dropped++;
		return false;
	}
	struct hd_kept_access *data = hd_xrealloc(list->more, (list->cap + more) * sizeof(*data));
	if (!list->cap)
		data[0] = list->one;
	list->more = data;
	list->cap += more;
	room->used += more;
	return true;
}

void hd_kept_add(struct hd_kept_list *list, const struct hd_kept_access *access, struct hd_kept_room *room)
{
	uint64_t own = owner(access->block, access->warp);
	struct hd_kept_access *data = hd_kept_data(list);
	uint32_t at = find(list, own);
	for (; at < list->len && owner(data[at].block, data[at].warp) == own; at++)
		if (same_instruction(&data[at], access)) {
			data[at].lanes |= access->lanes;
			return;
		}
	if (list->len == (list->cap ? list->cap : 1) && !grow(list, room))
		return;
	data = hd_kept_data(list);
	memmove(data + at + 1, data + at, (list->len - at) * sizeof(*data));
	data[at] = *access;
	list->len++;
}

void hd_kept_tidy(struct hd_kept_list *list, uint32_t from, uint32_t to)
{
	struct hd_kept_access *data = hd_kept_data(list);
	uint32_t left = from;
	for (uint32_t i = from; i < list->len; i++)
		if (i >= to || data[i].lanes)
			data[left++] = data[i];
	list->len = left;
}

static void release(struct hd_kept_list *list, struct hd_kept_room *room)
{
	room->used -= list->cap;
	free(list->more);
	*list = (struct hd_kept_list){0};
}

void hd_kept_release(struct hd_word_check *word, struct hd_kept_room *room)
{
	release(&word->reads, room);
	release(&word->writes, room);
}
