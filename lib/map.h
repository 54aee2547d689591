/*
 * A map from pointers to pairs of numbers: open addressing, looked up only and never iterated, so that nothing depends on
 * addresses. And the one function that mixes what is hashed.
 */
#ifndef HD_LIB_MAP_H
#define HD_LIB_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes a value into a hash. 0x9e37... is 2^64 / golden ratio: it spreads the bits, upwards above all. */
static inline uint64_t hd_hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

struct hd_map_entry {
	const void *key;
	uint32_t start, count; /* a run of something; who needs one number leaves count at 0 */
};

struct hd_map {
	struct hd_map_entry *entries;
	uint32_t used, capacity; /* capacity: 0 or a power of two */
};

/* Adds a key or changes what stands there. An all-zero map is empty. */
void hd_map_put(struct hd_map *map, const void *key, uint32_t start, uint32_t count);
/* Valid until the next hd_map_put; NULL: the key is not there. */
const struct hd_map_entry *hd_map_get(const struct hd_map *map, const void *key);
/* Empties the map, and keeps its room unless that is large. */
void hd_map_clear(struct hd_map *map);
void hd_map_release(struct hd_map *map);

#endif
