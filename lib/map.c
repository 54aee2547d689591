#include <stdlib.h>
#include <string.h>

#include "lib/map.h"

void hd_map_reserve(struct hd_map *map, uint32_t count)
{
	struct hd_map old = *map;
	uint32_t capacity = old.capacity ? old.capacity : 64;
	while (capacity < 2 * count)
		capacity *= 2;
	if (capacity == old.capacity)
		return;
	map->capacity = capacity;
	map->entries = old.arena ? HD_ARENA_NEW(old.arena, struct hd_map_entry, capacity)
				 : hd_xcalloc(capacity, sizeof(*map->entries));
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.entries[i].key)
			*hd_map_slot(map, old.entries[i].key) = old.entries[i];
	if (!old.arena)
		free(old.entries);
}

void hd_map_put(struct hd_map *map, const void *key, uint32_t start, uint32_t count)
{
	if (2 * (map->used + 1) > map->capacity)
		hd_map_reserve(map, map->used + 1);
	struct hd_map_entry *slot = hd_map_slot(map, key);
	map->used += !slot->key;
	*slot = (struct hd_map_entry){key, start, count};
}

/* Entries behind the gap move into it where their search would end there. */
void hd_map_remove(struct hd_map *map, const void *key)
{
	struct hd_map_entry *gap = map->capacity ? hd_map_slot(map, key) : NULL;
	if (!gap || !gap->key)
		return;
	uint32_t mask = map->capacity - 1, at = (uint32_t)(gap - map->entries);
	gap->key = NULL;
	map->used--;
	for (at = (at + 1) & mask; map->entries[at].key; at = (at + 1) & mask) {
		struct hd_map_entry moved = map->entries[at];
		map->entries[at].key = NULL;
		*hd_map_slot(map, moved.key) = moved;
	}
}

void hd_map_clear(struct hd_map *map)
{
	/* A big function must not make every later small one pay for its table. */
	if (map->capacity > 1024)
		hd_map_release(map);
	else if (map->capacity)
		memset(map->entries, 0, map->capacity * sizeof(*map->entries));
	map->used = 0;
}

void hd_map_release(struct hd_map *map)
{
	if (!map->arena)
		free(map->entries);
	*map = (struct hd_map){.arena = map->arena};
}
