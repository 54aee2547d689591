#include <stdlib.h>
#include <string.h>

#include "lib/map.h"
#include "lib/vec.h"

static struct hd_map_entry *find_slot(const struct hd_map *map, const void *key)
{
	size_t mask = map->capacity - 1, i = (size_t)(hd_hash_mix(0, (uint64_t)(uintptr_t)key) >> 32) & mask;

	while (map->entries[i].key && map->entries[i].key != key)
		i = (i + 1) & mask;
	return &map->entries[i];
}

static void grow(struct hd_map *map)
{
	struct hd_map old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : 64;
	map->entries = hd_xcalloc(map->capacity, sizeof(*map->entries));
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.entries[i].key)
			*find_slot(map, old.entries[i].key) = old.entries[i];
	free(old.entries);
}

void hd_map_put(struct hd_map *map, const void *key, uint32_t start, uint32_t count)
{
	struct hd_map_entry *slot;

	if (2 * (map->used + 1) > map->capacity)
		grow(map);
	slot = find_slot(map, key);
	map->used += !slot->key;
	*slot = (struct hd_map_entry){key, start, count};
}

const struct hd_map_entry *hd_map_get(const struct hd_map *map, const void *key)
{
	struct hd_map_entry *slot;

	if (!map->capacity)
		return NULL;
	slot = find_slot(map, key);
	return slot->key ? slot : NULL;
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
	free(map->entries);
	*map = (struct hd_map){0};
}
