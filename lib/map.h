/*
 * A map from pointers to pairs of numbers: open addressing. It is looked up and not iterated, so that nothing depends
 * on addresses, but for what is the same in any order (runtime/cudart/handles.c).
 */
#ifndef HD_LIB_MAP_H
#define HD_LIB_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/hash.h"

struct hd_map_entry {
	const void *key;
	uint32_t start, count; /* a run of something; who needs one number leaves count at 0 */
};

/* All zero, but for `arena`, is an empty map. */
struct hd_map {
	struct hd_map_entry *entries;
	uint32_t used, capacity; /* capacity: 0 or a power of two */
	struct hd_arena *arena;	 /* of the entries; NULL: the heap */
};

/* Makes room for `count` keys. */
void hd_map_reserve(struct hd_map *map, uint32_t count);
/* Adds a key or changes what stands there. */
void hd_map_put(struct hd_map *map, const void *key, uint32_t start, uint32_t count);
/* Takes a key out, if it is there. */
void hd_map_remove(struct hd_map *map, const void *key);
/* Empties the map, and keeps its room unless that is large. */
void hd_map_clear(struct hd_map *map);
/* Of no use to those in an arena. */
void hd_map_release(struct hd_map *map);

/* The key's entry, or the free one where it belongs, in a map with room. */
static inline struct hd_map_entry *hd_map_slot(const struct hd_map *map, const void *key)
{
	uint32_t mask = map->capacity - 1, at = (uint32_t)(hd_hash_mix(0, (uint64_t)(uintptr_t)key) >> 32) & mask;
	while (map->entries[at].key && map->entries[at].key != key)
		at = (at + 1) & mask;
	return &map->entries[at];
}

/* Valid until the next hd_map_put; NULL: the key is not there. */
static inline const struct hd_map_entry *hd_map_get(const struct hd_map *map, const void *key)
{
	const struct hd_map_entry *entry = map->capacity ? hd_map_slot(map, key) : NULL;
	return entry && entry->key ? entry : NULL;
}

#endif
