/*
 * Splits live ranges before registers are given out, wherever more words are live than there
 * are registers: at such a place the registers whose next read is furthest away leave, and
 * are loaded again (or rematerialised) before that read. What is in registers where blocks meet
 * is chosen by distance too, inside loops before what only lives through them, and loads on
 * the edges make it so (Braun and Hack, CC 2009, after Belady). Pieces that do not meet
 * become registers of their own (split_webs.c).
 *
 * A register that is loaded anywhere has one slot, which each of its definitions fills
 * (split_slots.c). What still finds no register, for want of an aligned pair for instance,
 * is left to spill.c. Needs the intervals and pieces of the round. Costs the instructions and
 * live sets, and for each load the registers held. Code that fits is left alone.
 */
#include "passes/regalloc/split.h"

/* ---- places ---- */

static void sum_up(int32_t *change, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		change[i] += change[i - 1];
}

static void spread_words(const struct hd_splitter *s, uint32_t vreg, int32_t *change, int32_t by)
{
	const struct hd_live_intervals *intervals = &s->allocator->intervals;
	for (uint32_t w = s->live->base[vreg]; w < s->live->base[vreg + 1]; w++)
		for (uint32_t i = intervals->segment_start[w]; i < intervals->segment_start[w + 1]; i++)
			hd_segment_spread(change, intervals->segments[i], by);
}

static void find_room(struct hd_splitter *s, uint32_t positions)
{
	const struct hd_regalloc *allocator = s->allocator;
	s->room[0] = (int32_t)allocator->cap;
	for (uint32_t reg = 0; reg < allocator->cap; reg++) {
		const struct hd_track *track = &allocator->tracks[reg];
		for (uint32_t i = 0; i < track->claims.len; i++)
			hd_segment_spread(s->room,
					  (struct hd_segment){track->claims.data[i].start, track->claims.data[i].end},
					  -1);
	}
	for (uint32_t vreg = 0; vreg < s->func->vregs.len; vreg++)
		if (hd_mreg_is_range(s->func, vreg))
			spread_words(s, vreg, s->room, -1);
	sum_up(s->room, positions);
}

static void find_pressure(struct hd_splitter *s, uint32_t positions)
{
	for (uint32_t vreg = 0; vreg < s->func->vregs.len; vreg++)
		if (hd_split_is_value(s->func, vreg))
			spread_words(s, vreg, s->pressure, 1);
	sum_up(s->pressure, positions);
}

/* Whether some place has too few registers; notes the pressure of blocks. */
static bool is_crowded(struct hd_splitter *s)
{
	const struct hd_live_intervals *intervals = &s->allocator->intervals;
	bool crowded = false;
	for (uint32_t i = 0; i < intervals->order_count; i++) {
		s->block = intervals->order[i];
		uint32_t start = hd_split_position(s, 0),
			 end = hd_split_position(s, s->func->blocks.data[s->block].insts.len);
		for (uint32_t at = start; at < end; at++) {
			crowded |= s->pressure[at] > s->room[at];
			s->most[s->block] = s->pressure[at] > s->most[s->block] ? s->pressure[at] : s->most[s->block];
		}
	}
	return crowded;
}

/* ---- blocks ---- */

static void begin_block(struct hd_splitter *s)
{
	const struct hd_split_range *range = &s->at_entry[s->block];
	hd_vec_clear(&s->out);
	hd_vec_clear(&s->touches);
	for (uint32_t i = 0; i < range->count; i++)
		hd_split_hold(s, s->parts.data[range->start + i]);
}

/* What successors that come earlier in the order have been promised is in registers. */
static void keep_promises(struct hd_splitter *s, const struct hd_mblock *block, const struct hd_minst *at)
{
	for (uint32_t i = 0; i < block->succs.len; i++) {
		struct hd_split_range range = s->at_entry[block->succs.data[i]];
		for (uint32_t k = 0; range.known && k < range.count; k++) {
			struct hd_split_part part = s->parts.data[range.start + k];
			unsigned missing = part.mask & ~(unsigned)s->held[part.vreg].mask;
			s->held[part.vreg].keep = s->epoch;
			if (missing)
				hd_split_load(s, part.vreg, missing, at);
		}
	}
}

static void end_block(struct hd_splitter *s, struct hd_mblock *block, uint32_t from)
{
	s->epoch++;
	for (uint32_t i = from; i < block->insts.len; i++)
		hd_split_need(s, &block->insts.data[i]);
	keep_promises(s, block, &block->insts.data[from < block->insts.len ? from : from - 1]);
	if (from < block->insts.len)
		hd_split_make_room(s, hd_split_position(s, from));
	for (s->index = from; s->index < block->insts.len; s->index++)
		hd_split_read(s, &block->insts.data[s->index], &block->insts.data[s->index]);
}

static void join_promises(struct hd_splitter *s, const struct hd_mblock *block)
{
	for (uint32_t i = 0; i < block->succs.len; i++) {
		struct hd_split_range range = s->at_entry[block->succs.data[i]];
		for (uint32_t k = 0; range.known && k < range.count; k++)
			hd_split_web_join(s, s->held[s->parts.data[range.start + k].vreg].web,
					  s->parts.data[range.start + k].web);
	}
}

static void leave_block(struct hd_splitter *s, struct hd_mblock *block)
{
	struct hd_split_range *range = &s->at_exit[s->block];
	join_promises(s, block);
	*range = (struct hd_split_range){s->parts.len, s->holders.len, true};
	for (uint32_t i = 0; i < s->holders.len; i++) {
		uint32_t vreg = s->holders.data[i];
		hd_vec_push(&s->parts, (struct hd_split_part){vreg, s->held[vreg].web, s->held[vreg].mask});
		hd_split_close(s, vreg);
		s->held[vreg].mask = 0;
	}
	hd_vec_clear(&s->holders);
	s->words = 0;
	for (uint32_t i = s->live->out_start[s->block]; i < s->live->out_start[s->block + 1]; i++)
		s->next[s->live->out[i]] = HD_NEVER;
	hd_mblock_assign(block, s->out.data, s->out.len);
}

static void split_block(struct hd_splitter *s)
{
	struct hd_mblock *block = &s->func->blocks.data[s->block];
	uint32_t end = hd_mblock_end(block);
	hd_split_find_nexts(s);
	begin_block(s);
	for (s->index = 0; s->index < end; s->index++)
		hd_split_inst(s, &block->insts.data[s->index]);
	end_block(s, block, end);
	leave_block(s, block);
}

/* ---- the pass ---- */

static void set_up(struct hd_splitter *s)
{
	struct hd_arena *arena = &s->allocator->arena;
	uint32_t vregs = s->func->vregs.len, blocks = s->func->blocks.len;
	hd_next_uses_compute(s->func, &s->allocator->intervals, arena, &s->uses);
	s->next = HD_ARENA_NEW(arena, uint32_t, s->live->words + 1);
	for (uint32_t i = 0; i < s->live->words; i++)
		s->next[i] = HD_NEVER;
	s->held = HD_ARENA_NEW(arena, struct hd_split_held, vregs + 1);
	s->at_entry = HD_ARENA_NEW(arena, struct hd_split_range, blocks);
	s->at_exit = HD_ARENA_NEW(arena, struct hd_split_range, blocks);
	s->arriving = HD_ARENA_NEW(arena, struct hd_split_arriving, vregs + 1);
	s->splits.original = vregs;
	s->splits.shadow = HD_ARENA_NEW(arena, uint32_t, vregs + 1);
	for (uint32_t i = 0; i < vregs; i++)
		s->splits.shadow[i] = HD_NO_REG;
}

/* Instructions that may not write what they define: not expected here. */
static bool has_guards(const struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		const struct hd_mblock *block = &func->blocks.data[id];
		for (uint32_t i = 0, end = hd_mblock_end(block); i < end; i++)
			if (block->insts.data[i].guard != HD_MREG_PT)
				return true;
	}
	return false;
}

static void split_all(struct hd_splitter *s)
{
	const struct hd_live_intervals *intervals = &s->allocator->intervals;
	set_up(s);
	for (uint32_t i = 0; i < intervals->order_count; i++) {
		s->block = intervals->order[i];
		hd_split_enter(s);
		split_block(s);
	}
	hd_split_webs_name(s);
	hd_splits_store(s->allocator, &s->splits);
	hd_vec_release(&s->splits.origin);
	hd_vec_release(&s->holders);
	hd_vec_release(&s->touches);
	hd_vec_release(&s->nexts);
	hd_vec_release(&s->next_start);
	hd_vec_release(&s->parts);
	hd_vec_release(&s->dead);
	hd_vec_release(&s->webs);
	hd_vec_release(&s->out);
}

bool hd_regalloc_split(struct hd_regalloc *allocator)
{
	struct hd_mfunc *func = allocator->func;
	struct hd_splitter s = {.allocator = allocator, .func = func, .live = &allocator->intervals.live};
	uint32_t positions = 2 * allocator->intervals.inst_count + 3;
	if (!hd_switch_is_on(func->without, HD_SWITCH_LIVE_RANGE_SPLITS))
		return false;
	s.room = HD_ARENA_NEW(&allocator->arena, int32_t, positions);
	s.pressure = HD_ARENA_NEW(&allocator->arena, int32_t, positions);
	s.most = HD_ARENA_NEW(&allocator->arena, int32_t, func->blocks.len);
	find_room(&s, positions);
	find_pressure(&s, positions);
	if (!is_crowded(&s) || has_guards(func))
		return false;
	split_all(&s);
	return true;
}
