/*
 * Free entries of a fixed array whose entries have a member `next`: those that were given back in a list, and those
 * that were never taken, which nothing has to touch before. A run that needs few entries has few in the host's cache.
 */
#ifndef HD_RUNTIME_MEMORY_POOL_H
#define HD_RUNTIME_MEMORY_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/memory/packet.h"

struct hd_pool {
	uint32_t free;	/* given back: the last, HD_NONE */
	uint32_t fresh; /* the first that was never taken */
	uint32_t count;
};

static inline void hd_pool_init(struct hd_pool *pool, uint32_t count)
{
	*pool = (struct hd_pool){HD_NONE, 0, count};
}

static inline bool hd_pool_is_empty(const struct hd_pool *pool)
{
	return pool->free == HD_NONE && pool->fresh == pool->count;
}

/* The number of an entry; there is one. */
#define HD_POOL_TAKE(pool, entries) \
	hd_pool_take((pool), (pool)->free == HD_NONE ? HD_NONE : (entries)[(pool)->free].next)
#define HD_POOL_GIVE(pool, entries, index) ((entries)[index].next = (pool)->free, (pool)->free = (index))

static inline uint32_t hd_pool_take(struct hd_pool *pool, uint32_t next)
{
	uint32_t index = pool->free;
	if (index == HD_NONE)
		return pool->fresh++;
	pool->free = next;
	return index;
}

#endif
