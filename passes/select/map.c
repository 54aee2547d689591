/*
 * The pointer-keyed map of selection: open addressing, looked up only, never iterated, so that
 * nothing depends on addresses.
 */
#include "passes/select/select.h"

static size_t ptr_hash(const void *key)
{
	uint64_t h = (uint64_t)(uintptr_t)key;

	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 29;
	return (size_t)h;
}

static struct hd_slot_entry *find_slot(const struct hd_ptrmap *map, const void *key)
{
	size_t mask = map->capacity - 1, i = ptr_hash(key) & mask;

	while (map->entries[i].key && map->entries[i].key != key)
		i = (i + 1) & mask;
	return &map->entries[i];
}

static void grow(struct hd_ptrmap *map)
{
	struct hd_ptrmap old = *map;

	map->capacity = old.capacity ? old.capacity * 2 : 64;
	map->entries = hd_xcalloc(map->capacity, sizeof(*map->entries));
	for (uint32_t i = 0; i < old.capacity; i++)
		if (old.entries[i].key)
			*find_slot(map, old.entries[i].key) = old.entries[i];
	free(old.entries);
}

void hd_ptrmap_put(struct hd_ptrmap *map, const void *key, uint32_t start, uint32_t count)
{
	struct hd_slot_entry *slot;

	if (2 * (map->used + 1) > map->capacity)
		grow(map);
	slot = find_slot(map, key);
	map->used += !slot->key;
	*slot = (struct hd_slot_entry){key, start, count};
}

const struct hd_slot_entry *hd_ptrmap_get(const struct hd_ptrmap *map, const void *key)
{
	struct hd_slot_entry *slot;

	if (!map->capacity)
		return NULL;
	slot = find_slot(map, key);
	return slot->key ? slot : NULL;
}

void hd_ptrmap_clear(struct hd_ptrmap *map)
{
	/* A big function must not make every later small one pay for its table. */
	if (map->capacity > 1024)
		hd_ptrmap_release(map);
	else if (map->capacity)
		memset(map->entries, 0, map->capacity * sizeof(*map->entries));
	map->used = 0;
}

void hd_ptrmap_release(struct hd_ptrmap *map)
{
	free(map->entries);
	*map = (struct hd_ptrmap){0};
}
