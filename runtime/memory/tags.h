/*
 * The tag array of a sectored, set-associative cache with true LRU replacement. Fewer ways than there are may be in use
 * (when shared memory takes a part of a unified L1). A line with sectors under way is never replaced.
 */
#ifndef HD_RUNTIME_MEMORY_TAGS_H
#define HD_RUNTIME_MEMORY_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include <string.h>

#include "lib/hash.h"
#include "runtime/memory/packet.h"

struct hd_tag {
	uint64_t line;
	uint32_t waiters;	       /* the owner's list of those who wait for sectors, HD_NONE */
	uint8_t valid, dirty, pending; /* sectors */
	bool used;
};

/* Neighbours in the set's list, ways of the set: towards more and less recently used; free ways: the next free. */
struct hd_tag_link {
	uint16_t newer, older;
};

struct hd_tag_set {
	uint16_t newest, oldest, free, used;
	uint16_t fresh; /* the first way that never had a line */
};

struct hd_tags {
	struct hd_tag *tags;	   /* set after set, `ways` each */
	struct hd_tag_link *links; /* as tags */
	struct hd_tag_set *sets;
	uint16_t *marks; /* set after set, `mark_stride` each: a hash of the line, 0 in free ways */
	uint32_t set_count, ways, limit, set_bits, mark_stride;
	uint32_t used;
};

/* At most 65,534 ways. */
void hd_tags_init(struct hd_tags *tags, uint32_t set_count, uint32_t ways, struct hd_arena *arena);
/* Starts to bring what the look-up and replacement of a line will need into the host's cache. */
void hd_tags_prefetch(const struct hd_tags *tags, uint64_t line);
/* The least recently used dirty line of a set that has one. */
uint32_t hd_tags_oldest_dirty(const struct hd_tags *tags, uint32_t set);
/* Of a set, the least recently used without pending sectors, HD_NONE. */
uint32_t hd_tags_oldest_settled(const struct hd_tags *tags, uint32_t set);
/* Makes one that is not so the most recently used of its set. */
void hd_tags_renew(struct hd_tags *tags, uint32_t set, uint32_t way);
/* Gives `victim`, as found by hd_tags_victim, to `line`: most recently used, no sectors. */
void hd_tags_replace(struct hd_tags *tags, uint32_t victim, uint64_t line);
/* Ways in use of each set, 1 to `ways`. Frees what is over that, oldest first; pending lines stay until replaced.
 * Returns the dirty sectors that this dropped. */
uint32_t hd_tags_set_limit(struct hd_tags *tags, uint32_t limit);
/* Frees lines in [from, to), as hd_tags_flush. */
uint32_t hd_tags_flush_range(struct hd_tags *tags, uint64_t from, uint64_t to);
/* Lines below `to` lose what is not dirty. */
void hd_tags_forget_clean(struct hd_tags *tags, uint64_t to);
/* Empties the cache but for pending lines, which lose their other sectors. Returns the dirty sectors dropped. */
uint32_t hd_tags_flush(struct hd_tags *tags);

/* ---- look-ups: every access has some */

enum { HD_TAGS_NO_WAY = UINT16_MAX, HD_TAGS_BLOCK = 16 };

/* The set is the line's low bits XOR-folded with the higher ones, so that lines a power of two apart (arrays of
 * structures, local memory of different warps) do not pile up in one set. */
static inline uint32_t hd_tags_set(const struct hd_tags *tags, uint64_t line)
{
	if (tags->set_count & (tags->set_count - 1))
		return (uint32_t)(line % tags->set_count);
	uint64_t folded = line ^ line >> tags->set_bits;
	folded ^= folded >> 2 * tags->set_bits;
	return (uint32_t)(folded & (tags->set_count - 1));
}

static inline uint16_t hd_tags_mark(uint64_t line)
{
	uint16_t mark = (uint16_t)(hd_hash_mix(0, line) >> 48);
	return mark ? mark : 1;
}

typedef uint16_t hd_tags_marks __attribute__((ext_vector_type(HD_TAGS_BLOCK), aligned(2)));
typedef bool hd_tags_equal __attribute__((ext_vector_type(HD_TAGS_BLOCK)));

/* A bit for each of the marks that is equal. */
static inline uint32_t hd_tags_equal_marks(const uint16_t marks[HD_TAGS_BLOCK], uint16_t mark)
{
	hd_tags_equal equal = __builtin_convertvector(*(const hd_tags_marks *)marks == mark, hd_tags_equal);
	uint16_t bits;
	memcpy(&bits, &equal, sizeof(bits));
	return bits;
}

/* Start to bring a line's set, and then its tag or that of the line that will make way, into the host's cache. */
static inline void hd_tags_fetch_set(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = hd_tags_set(tags, line);
	__builtin_prefetch(&tags->marks[(size_t)set * tags->mark_stride]);
	__builtin_prefetch(&tags->sets[set]);
}

static inline void hd_tags_fetch_tag(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = hd_tags_set(tags, line), way = HD_TAGS_NO_WAY;
	uint16_t mark = hd_tags_mark(line);
	const uint16_t *marks = &tags->marks[(size_t)set * tags->mark_stride];
	for (uint32_t block = 0; way == HD_TAGS_NO_WAY && block < tags->mark_stride; block += HD_TAGS_BLOCK) {
		uint32_t equal = hd_tags_equal_marks(marks + block, mark);
		way = equal ? block + (uint32_t)__builtin_ctz(equal) : way;
	}
	if (way == HD_TAGS_NO_WAY)
		way = tags->sets[set].oldest;
	if (way == HD_TAGS_NO_WAY)
		return;
	__builtin_prefetch(&tags->tags[(size_t)set * tags->ways + way]);
	__builtin_prefetch(&tags->links[(size_t)set * tags->ways + way]);
	if (tags->sets[set].newest != HD_TAGS_NO_WAY)
		__builtin_prefetch(&tags->links[(size_t)set * tags->ways + tags->sets[set].newest]);
}

/* Index of the line's tag, or HD_NONE. */
static inline uint32_t hd_tags_find(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = hd_tags_set(tags, line);
	uint16_t mark = hd_tags_mark(line);
	const uint16_t *marks = &tags->marks[(size_t)set * tags->mark_stride];
	for (uint32_t block = 0; block < tags->mark_stride; block += HD_TAGS_BLOCK)
		for (uint32_t left = hd_tags_equal_marks(marks + block, mark); left; left &= left - 1) {
			uint32_t index = set * tags->ways + block + (uint32_t)__builtin_ctz(left);
			if (tags->tags[index].line == line)
				return index;
		}
	return HD_NONE;
}

/* Makes it the most recently used of its set. */
static inline void hd_tags_touch(struct hd_tags *tags, uint32_t index)
{
	uint32_t set = index / tags->ways, way = index % tags->ways;
	if (tags->sets[set].newest != way)
		hd_tags_renew(tags, set, way);
}

/* The tag that a new line would take: a free one or the least recently used without pending sectors; HD_NONE when
 * every way is pending. Changes nothing. */
static inline uint32_t hd_tags_victim(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = hd_tags_set(tags, line);
	const struct hd_tag_set *s = &tags->sets[set];
	if (s->used >= tags->limit)
		return hd_tags_oldest_settled(tags, set);
	return set * tags->ways + (s->free == HD_TAGS_NO_WAY ? s->fresh : s->free);
}

#endif
