/*
 * Lines of an L2 slice, whichever way its time is counted (l2.c, l2_reserved.c): which are dirty and for whom, victims,
 * replies and counters.
 *
 * Where l2_dirty_ways says so, no more lines of a set stay dirty: when another one becomes so, the one among them that
 * was used longest ago is written, and stays, clean, unless the channel has no room. Counters of a QV100 that were
 * published with AccelWattch have 3 MB, half of its L2, less written to DRAM than to L2 by kernels that write 12 to 40
 * MB and read nothing.
 */
#include "runtime/memory/l2_lines.h"

enum { OWNER_BITS = 5 };
static_assert(1 << OWNER_BITS == HD_MEM_GRIDS, "a grid has its bits");

static uint32_t owner_now(const struct hd_l2_slice *slice, uint32_t grid)
{
	return (slice->launches ? slice->launches[grid] << OWNER_BITS : 0) | grid;
}

static uint16_t *dirty_of(struct hd_l2_slice *slice, const struct hd_tag *tag)
{
	return &slice->dirty[(size_t)(tag - slice->tags.tags) / slice->tags.ways];
}

void hd_l2_make_dirty(struct hd_l2_slice *slice, struct hd_tag *tag, uint8_t sectors)
{
	*dirty_of(slice, tag) += !tag->dirty;
	tag->dirty |= sectors;
	slice->owners[tag - slice->tags.tags] = owner_now(slice, slice->grid);
}

/* For whom a dirty line is written: the grid that wrote to it last, unless it has ended. */
static uint8_t writer_of(const struct hd_l2_slice *slice, uint32_t index)
{
	uint32_t owner = slice->owners[index], grid = owner % HD_MEM_GRIDS;
	return owner == owner_now(slice, grid) ? (uint8_t)grid : HD_MEM_NOBODY;
}

static void write_back(struct hd_l2_slice *slice, uint64_t now, struct hd_tag *tag, struct hd_dram *dram)
{
	uint8_t writer = writer_of(slice, (uint32_t)(tag - slice->tags.tags));
	slice->grids[writer].l2_writebacks += hd_sector_count(tag->dirty);
	(slice->serves_low ? hd_dram_push_low : hd_dram_push)(dram, now, HD_DRAM_WRITE, slice->index, tag->line,
							      tag->dirty, 0, writer);
	tag->dirty = 0;
	--*dirty_of(slice, tag);
}

struct hd_tag *hd_l2_allocate(struct hd_l2_slice *slice, uint64_t now, uint64_t line, uint32_t victim,
			      struct hd_dram *dram)
{
	struct hd_tag *tag = &slice->tags.tags[victim];
	if (tag->dirty)
		write_back(slice, now, tag, dram);
	hd_tags_replace(&slice->tags, victim, line);
	return tag;
}

void hd_l2_limit_dirty(struct hd_l2_slice *slice, uint64_t now, uint64_t line, const struct hd_tag *tag,
		       struct hd_dram *dram)
{
	uint32_t set = hd_tags_set(&slice->tags, line);
	if (tag && tag->dirty)
		return;
	for (int i = 0; i < 2 && slice->dirty[set] >= slice->dirty_ways && hd_dram_room(dram, HD_DRAM_WRITE); i++)
		write_back(slice, now, &slice->tags.tags[hd_tags_oldest_dirty(&slice->tags, set)], dram);
}

void hd_l2_keep(struct hd_l2_slice *slice, uint64_t line, uint8_t sectors)
{
	uint32_t index = hd_tags_find(&slice->tags, line);
	if (index == HD_NONE) {
		index = hd_tags_victim(&slice->tags, line);
		if (index == HD_NONE)
			return;
		struct hd_tag *victim = &slice->tags.tags[index];
		*dirty_of(slice, victim) -= victim->dirty != 0;
		victim->dirty = 0;
		hd_tags_replace(&slice->tags, index, line);
	} else {
		hd_tags_touch(&slice->tags, index);
	}
	struct hd_tag *tag = &slice->tags.tags[index];
	tag->valid |= (uint8_t)(sectors & ~tag->pending);
}

void hd_l2_keep_dirty(struct hd_l2_slice *slice, uint64_t line, uint8_t sectors)
{
	hd_l2_keep(slice, line, sectors);
	uint32_t index = hd_tags_find(&slice->tags, line), set = hd_tags_set(&slice->tags, line);
	if (index == HD_NONE)
		return;
	struct hd_tag *tag = &slice->tags.tags[index];
	if (!tag->dirty && slice->dirty[set] >= slice->dirty_ways) {
		slice->tags.tags[hd_tags_oldest_dirty(&slice->tags, set)].dirty = 0;
		slice->dirty[set]--;
	}
	hd_l2_make_dirty(slice, tag, sectors);
}
