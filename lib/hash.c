#include "lib/hash.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

uint64_t hd_hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = hd_hash_byte(hash, (uint8_t)*text);
	return hash;
}

uint64_t hd_hash_bytes(uint64_t hash, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = hd_hash_byte(hash, (uint8_t)bytes[i]);
	return hash;
}

static struct hd_hash_slot *free_slot(const struct hd_hash_set *set, uint32_t mark)
{
	uint32_t at = mark;
	while (set->slots[at & (set->size - 1)].mark)
		at++;
	return &set->slots[at & (set->size - 1)];
}

void hd_hash_set_reserve(struct hd_hash_set *set, uint32_t count)
{
	struct hd_hash_set old = *set;
	uint32_t size = old.size ? old.size : FIRST_SLOTS;
	while (size < 2 * count)
		size *= 2;
	if (size == old.size)
		return;
	set->size = size;
	set->slots =
		old.arena ? HD_ARENA_NEW(old.arena, struct hd_hash_slot, size) : hd_xcalloc(size, sizeof(*set->slots));
	for (uint32_t i = 0; i < old.size; i++)
		if (old.slots[i].mark)
			*free_slot(set, old.slots[i].mark) = old.slots[i];
	if (!old.arena)
		free(old.slots);
}

void hd_hash_set_release(struct hd_hash_set *set)
{
	if (!set->arena)
		free(set->slots);
	*set = (struct hd_hash_set){.arena = set->arena};
}
