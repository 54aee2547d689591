/*
 * Tag array. Needs nothing but an arena at construction.
 *
 * Caches with 64 and more ways, one for each SM and slice, do not fit the host's own caches, so what counts is host
 * lines touched. A look-up compares a set's 16-bit marks, hashes of the lines, sixteen at a time, and looks at a tag
 * only where the mark matches. LRU order is a list of way numbers in a small array beside. 22 bytes a line; find costs
 * ways / 16 steps, touch and replace take constant time, victim walks past pending lines only.
 */
#include "runtime/memory/tags.h"

enum { NO_WAY = HD_TAGS_NO_WAY, BLOCK = HD_TAGS_BLOCK, HOST_LINE = 64 };

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
	/* A set's marks are in one line of the host's cache where that can hold them. */
	uintptr_t marks = (uintptr_t)HD_ARENA_NEW(arena, uint16_t, (size_t)set_count * tags->mark_stride + HOST_LINE);
	tags->marks = (uint16_t *)((marks + HOST_LINE - 1) & ~(uintptr_t)(HOST_LINE - 1));
	for (uint32_t set = 0; set < set_count; set++)
		tags->sets[set] = (struct hd_tag_set){NO_WAY, NO_WAY, NO_WAY, 0, 0};
}

void hd_tags_prefetch(const struct hd_tags *tags, uint64_t line)
{
	uint32_t set = hd_tags_set(tags, line), first = set * tags->ways;
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

void hd_tags_renew(struct hd_tags *tags, uint32_t set, uint32_t way)
{
	unlink_lru(tags, set, way);
	link_newest(tags, set, way);
}

uint32_t hd_tags_oldest_settled(const struct hd_tags *tags, uint32_t set)
{
	uint32_t first = set * tags->ways, way = tags->sets[set].oldest;
	while (way != NO_WAY && tags->tags[first + way].pending)
		way = tags->links[first + way].newer;
	return way == NO_WAY ? HD_NONE : first + way;
}

uint32_t hd_tags_oldest_dirty(const struct hd_tags *tags, uint32_t set)
{
	uint32_t first = set * tags->ways, way = tags->sets[set].oldest;
	while (!tags->tags[first + way].dirty)
		way = tags->links[first + way].newer;
	return first + way;
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

/* A way that has no line gets one. */
static void take_way(struct hd_tags *tags, uint32_t set, uint32_t index, uint32_t way)
{
	struct hd_tag_set *s = &tags->sets[set];
	assert(way == (s->free == NO_WAY ? s->fresh : s->free));
	if (s->free == NO_WAY)
		s->fresh++;
	else
		s->free = tags->links[index].older;
	s->used++;
	tags->used++;
	link_newest(tags, set, way);
}

void hd_tags_replace(struct hd_tags *tags, uint32_t victim, uint64_t line)
{
	uint32_t set = victim / tags->ways, way = victim - set * tags->ways;
	struct hd_tag *tag = &tags->tags[victim];
	assert(!tag->pending);
	if (!tag->used)
		take_way(tags, set, victim, way);
	else if (tags->sets[set].newest != way)
		hd_tags_renew(tags, set, way);
	*mark_at(tags, set, way) = hd_tags_mark(line);
	*tag = (struct hd_tag){.line = line, .waiters = HD_NONE, .used = true};
}

uint32_t hd_tags_set_limit(struct hd_tags *tags, uint32_t limit)
{
	uint32_t dirty = 0;
	assert(limit >= 1 && limit <= tags->ways);
	tags->limit = limit;
	for (uint32_t set = 0; set < tags->set_count && tags->used; set++)
		while (tags->sets[set].used > limit) {
			uint32_t index = hd_tags_oldest_settled(tags, set);
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

/* A set without pending sectors becomes as it was at first. Returns false if some are. */
static bool empty_set(struct hd_tags *tags, uint32_t set, uint32_t *dirty)
{
	struct hd_tag *tag = &tags->tags[(size_t)set * tags->ways];
	struct hd_tag_set *s = &tags->sets[set];
	uint32_t sectors = 0;
	uint8_t pending = 0;
	for (uint32_t way = 0; way < s->fresh; way++) {
		sectors += tag[way].dirty ? hd_sector_count(tag[way].dirty) : 0;
		pending |= tag[way].pending;
	}
	if (pending)
		return false;
	for (uint32_t way = 0; way < s->fresh; way++)
		tag[way] = (struct hd_tag){.waiters = HD_NONE};
	memset(mark_at(tags, set, 0), 0, s->fresh * sizeof(*tags->marks));
	*dirty += sectors;
	tags->used -= s->used;
	*s = (struct hd_tag_set){NO_WAY, NO_WAY, NO_WAY, 0, 0};
	return true;
}

uint32_t hd_tags_flush(struct hd_tags *tags)
{
	uint32_t dirty = 0;
	bool all = true;
	for (uint32_t set = 0; set < tags->set_count && tags->used; set++)
		if (tags->sets[set].used)
			all &= empty_set(tags, set, &dirty);
	return all ? dirty : dirty + hd_tags_flush_range(tags, 0, UINT64_MAX);
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
