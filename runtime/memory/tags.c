/*
 * Tag array. Needs nothing but an arena at construction.
 *
 * Caches with 64 and more ways, one for each SM and slice, do not fit the host's own caches, so what counts is host
 * lines touched. A look-up compares a set's 16-bit marks, hashes of the lines, sixteen at a time, and looks at a tag
 * only where the mark matches. LRU order is a list of way numbers in a small array beside. 22 bytes a line; find costs
 * ways / 16 steps, touch and replace take constant time, victim walks past pending lines only.
 *
 * The set is the line's low bits XOR-folded with the higher ones, so that lines a power of two apart (arrays of
 * structures, local memory of different warps) do not pile up in one set.
 */
#include "runtime/memory/tags.h"

#include <string.h>

#include "lib/hash.h"

enum { NO_WAY = UINT16_MAX, BLOCK = 16 };

static uint32_t set_of(const struct hd_tags *tags, uint64_t line)
{
	if (tags->set_count & (tags->set_count - 1))
		return (uint32_t)(line % tags->set_count);
	if (tags->set_count == 1)
		return 0;
	uint64_t folded = line ^ line >> tags->set_bits;
	folded ^= folded >> 2 * tags->set_bits;
	return (uint32_t)(folded & (tags->set_count - 1));
}

static uint16_t mark_of(uint64_t line)
{
	uint16_t mark = (uint16_t)(hd_hash_mix(0, line) >> 48);
	return mark ? mark : 1;
}

static uint16_t *mark_at(const struct hd_tags *tags, uint32_t set, uint32_t way)
{
	return &tags->marks[(size_t)set * tags->mark_stride + way];
}

void hd_tags_init(struct hd_tags *tags, uint32_t set_count, uint32_t ways, struct hd_arena *arena)
{
	assert(set_count && ways && ways < NO_WAY);
	size_t lines = (size_t)set_count * ways;
	*tags = (struct hd_tags){.set_count = set_count, .ways = ways, .limit = ways};
	tags->set_bits = 31u - (uint32_t)__builtin_clz(set_count);
	tags->mark_stride = (ways + BLOCK - 1) / BLOCK * BLOCK;
	tags->tags = HD_ARENA_NEW(arena, struct hd_tag, lines);
	tags->links = HD_ARENA_NEW(arena, struct hd_tag_link, lines);
	tags->sets = HD_ARENA_NEW(arena, struct hd_tag_set, set_count);
	tags->marks = HD_ARENA_NEW(arena, uint16_t, (size_t)set_count * tags->mark_stride);
	for (uint32_t set = 0; set < set_count; set++)
		tags->sets[set] = (struct hd_tag_set){NO_WAY, NO_WAY, NO_WAY, 0, 0};
}

typedef uint16_t block_marks __attribute__((ext_vector_type(BLOCK), aligned(2)));
typedef bool block_bits __attribute__((ext_vector_type(BLOCK)));

/* A bit for each of the marks that is equal. */
static inline uint32_t equal_marks(const uint16_t marks[BLOCK], uint16_t mark)
{
	block_bits equal = __builtin_convertvector(*(const block_marks *)marks == mark, block_bits);
	uint16_t bits;
	memcpy(&bits, &equal, sizeof(bits));
	return bits;
}

uint32_t hd_tags_find(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = set_of(tags, line);
	uint16_t mark = mark_of(line);
	const uint16_t *marks = mark_at(tags, set, 0);
	for (uint32_t block = 0; block < tags->mark_stride; block += BLOCK)
		for (uint32_t left = equal_marks(marks + block, mark); left; left &= left - 1) {
			uint32_t index = set * tags->ways + block + (uint32_t)__builtin_ctz(left);
			if (tags->tags[index].line == line)
				return index;
		}
	return HD_NONE;
}

void hd_tags_prefetch(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = set_of(tags, line), first = set * tags->ways;
	const struct hd_tag_set *s = &tags->sets[set];
	for (uint32_t way = 0; way < tags->mark_stride; way += 32)
		__builtin_prefetch(mark_at(tags, set, way));
	if (s->oldest != NO_WAY) {
		__builtin_prefetch(&tags->tags[first + s->oldest]);
		__builtin_prefetch(&tags->links[first + s->oldest]);
		__builtin_prefetch(&tags->links[first + s->newest]);
	}
}

static void unlink_lru(struct hd_tags *tags, uint32_t set, uint32_t way)
{
	struct hd_tag_link *links = &tags->links[(size_t)set * tags->ways], link = links[way];
	if (link.newer == NO_WAY)
		tags->sets[set].newest = link.older;
	else
		links[link.newer].older = link.older;
	if (link.older == NO_WAY)
		tags->sets[set].oldest = link.newer;
	else
		links[link.older].newer = link.newer;
}

static void link_newest(struct hd_tags *tags, uint32_t set, uint32_t way)
{
	struct hd_tag_link *links = &tags->links[(size_t)set * tags->ways];
	uint16_t newest = tags->sets[set].newest;
	links[way] = (struct hd_tag_link){NO_WAY, newest};
	if (newest == NO_WAY)
		tags->sets[set].oldest = (uint16_t)way;
	else
		links[newest].newer = (uint16_t)way;
	tags->sets[set].newest = (uint16_t)way;
}

void hd_tags_touch(struct hd_tags *tags, uint32_t index)
{
	uint32_t set = index / tags->ways, way = index % tags->ways;
	if (tags->sets[set].newest == way)
		return;
	unlink_lru(tags, set, way);
	link_newest(tags, set, way);
}

static uint32_t oldest_settled(const struct hd_tags *tags, uint32_t set)
{
	uint32_t first = set * tags->ways, way = tags->sets[set].oldest;
	while (way != NO_WAY && tags->tags[first + way].pending)
		way = tags->links[first + way].newer;
	return way == NO_WAY ? HD_NONE : first + way;
}

uint32_t hd_tags_set(const struct hd_tags *tags, uint64_t line)
{
	return set_of(tags, line);
}

uint32_t hd_tags_oldest_dirty(const struct hd_tags *tags, uint32_t set)
{
	uint32_t first = set * tags->ways, way = tags->sets[set].oldest;
	while (!tags->tags[first + way].dirty)
		way = tags->links[first + way].newer;
	return first + way;
}

uint32_t hd_tags_victim(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = set_of(tags, line);
	const struct hd_tag_set *s = &tags->sets[set];
	if (s->used >= tags->limit)
		return oldest_settled(tags, set);
	return set * tags->ways + (s->free == NO_WAY ? s->fresh : s->free);
}

/* Frees a tag without pending sectors. */
static void drop(struct hd_tags *tags, uint32_t index)
{
	uint32_t set = index / tags->ways, way = index % tags->ways;
	assert(tags->tags[index].used && !tags->tags[index].pending);
	unlink_lru(tags, set, way);
	*mark_at(tags, set, way) = 0;
	tags->tags[index] = (struct hd_tag){.waiters = HD_NONE};
	tags->links[index].older = tags->sets[set].free;
	tags->sets[set].free = (uint16_t)way;
	tags->sets[set].used--;
	tags->used--;
}

void hd_tags_replace(struct hd_tags *tags, uint32_t victim, uint64_t line)
{
	uint32_t set = victim / tags->ways, way = victim % tags->ways;
	if (tags->tags[victim].used)
		drop(tags, victim);
	struct hd_tag_set *s = &tags->sets[set];
	assert(way == (s->free == NO_WAY ? s->fresh : s->free));
	if (s->free == NO_WAY)
		s->fresh++;
	else
		s->free = tags->links[victim].older;
	s->used++;
	tags->used++;
	*mark_at(tags, set, way) = mark_of(line);
	tags->tags[victim] = (struct hd_tag){.line = line, .waiters = HD_NONE, .used = true};
	link_newest(tags, set, way);
}

uint32_t hd_tags_set_limit(struct hd_tags *tags, uint32_t limit)
{
	uint32_t dirty = 0;
	assert(limit >= 1 && limit <= tags->ways);
	tags->limit = limit;
	for (uint32_t set = 0; set < tags->set_count && tags->used; set++)
		while (tags->sets[set].used > limit) {
			uint32_t index = oldest_settled(tags, set);
			if (index == HD_NONE)
				break;
			dirty += hd_sector_count(tags->tags[index].dirty);
			drop(tags, index);
		}
	return dirty;
}

void hd_tags_forget_clean(struct hd_tags *tags, uint64_t to)
{
	uint32_t left = tags->used;
	for (uint32_t index = 0; left; index++) {
		struct hd_tag *tag = &tags->tags[index];
		left -= tag->used;
		if (!tag->used || tag->line >= to)
			continue;
		tag->valid &= tag->dirty;
		if (!tag->dirty && !tag->pending)
			drop(tags, index);
	}
}

uint32_t hd_tags_flush(struct hd_tags *tags)
{
	return hd_tags_flush_range(tags, 0, UINT64_MAX);
}

uint32_t hd_tags_flush_range(struct hd_tags *tags, uint64_t from, uint64_t to)
{
	uint32_t dirty = 0, left = tags->used;
	for (uint32_t index = 0; left; index++) {
		struct hd_tag *tag = &tags->tags[index];
		left -= tag->used;
		if (!tag->used || tag->line < from || tag->line >= to)
			continue;
		dirty += hd_sector_count(tag->dirty);
		if (tag->pending)
			tag->dirty = tag->valid = 0;
		else
			drop(tags, index);
	}
	return dirty;
}
