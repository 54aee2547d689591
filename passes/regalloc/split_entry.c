/*
 * Splitting live ranges where blocks meet: which words are in registers at the beginning of a
 * block. At a join, what all predecessors have and then what some have, the nearest read
 * first; at a loop's head, what the loop reads and then, where its own pressure leaves room,
 * what lives through it. A predecessor that leads elsewhere too cannot load for one successor,
 * and what it lacks is out. One that comes later in the order is left a promise (split.c).
 *
 * Costs the live set of the block, sorted.
 */
#include "passes/regalloc/split.h"

#define OPERANDS 3 /* registers that a loop keeps free for reads of what stays out of them: as many as FFMA reads */

struct want {
	uint32_t vreg, distance, rank; /* rank 0 comes first */
	uint8_t mask;
};

/* What is known where the current block begins. */
struct entry_state {
	struct hd_splitter *s;
	uint32_t known, forced; /* predecessors done; of these, such that lead elsewhere too */
	bool header;		/* some are not done */
	HD_VEC(struct want) wants;
	int32_t through; /* words that only live through the loop that begins here */
	int32_t near;	 /* the others */
};

static void arrive(struct hd_splitter *s, struct hd_split_range range, bool forced)
{
	for (uint32_t i = 0; i < range.count; i++) {
		struct hd_split_part part = s->parts.data[range.start + i];
		struct hd_split_arriving *arriving = &s->arriving[part.vreg];
		if (arriving->stamp != s->block + 1)
			*arriving = (struct hd_split_arriving){s->block + 1, 0, 0, 15, 0, 15};
		arriving->count++;
		arriving->all &= part.mask;
		arriving->some |= part.mask;
		arriving->forced += forced;
		arriving->common &= forced ? part.mask : 15;
	}
}

static int compare_wants(const void *left, const void *right)
{
	const struct want *a = left, *b = right;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->distance != b->distance)
		return a->distance < b->distance ? -1 : 1;
	return a->vreg < b->vreg ? -1 : a->vreg > b->vreg;
}

static void meet(struct entry_state *entry)
{
	struct hd_splitter *s = entry->s;
	const struct hd_mblock *block = &s->func->blocks.data[s->block];
	for (uint32_t i = 0; i < block->preds.len; i++) {
		uint32_t pred = block->preds.data[i];
		bool forced = s->func->blocks.data[pred].succs.len > 1;
		if (!s->at_exit[pred].known) {
			entry->header = true;
			continue;
		}
		entry->known++;
		entry->forced += forced;
		arrive(s, s->at_exit[pred], forced);
	}
}

/* The words of a register that may and should be in registers at the beginning of the block. */
static struct want want_of(const struct entry_state *entry, uint32_t vreg, uint8_t live, uint32_t distance)
{
	struct hd_split_arriving none = {0}, *arriving = &entry->s->arriving[vreg];
	if (arriving->stamp != entry->s->block + 1)
		arriving = &none;
	uint8_t all = arriving->count == entry->known ? arriving->all : 0;
	uint8_t possible = !entry->forced ? 15 : arriving->forced == entry->forced ? arriving->common : 0;
	bool near = distance < HD_LOOP_EXIT;
	struct want want = {vreg, distance, 0, 0};
	if (entry->header && near)
		want.mask = live & possible;
	else if (near)
		want.mask = live & possible & arriving->some;
	else
		want.mask = live & possible & all;
	want.rank = entry->header ? !near : want.mask != all;
	return want;
}

/* The register to which a word belongs. */
static uint32_t owner_of(const struct hd_splitter *s, uint32_t word)
{
	uint32_t after;
	HD_BISECT(after, 1, s->splits.original, s->live->base[after] <= word);
	return after - 1;
}

static void collect_wants(struct entry_state *entry)
{
	const struct hd_splitter *s = entry->s;
	const struct hd_live *live = s->live;
	uint32_t end = live->in_start[s->block + 1];
	for (uint32_t i = live->in_start[s->block]; i < end;) {
		uint32_t vreg = owner_of(s, live->in[i]), distance = HD_NEVER;
		uint8_t mask = 0;
		for (; i < end && live->in[i] < live->base[vreg + 1]; i++) {
			mask |= (uint8_t)(1u << ((live->in[i] - live->base[vreg]) & 7));
			distance = s->uses.at_in[i] < distance ? s->uses.at_in[i] : distance;
		}
		if (!hd_split_is_value(s->func, vreg))
			continue;
		struct want want = want_of(entry, vreg, mask, distance);
		if (distance < HD_LOOP_EXIT)
			entry->near += (int32_t)hd_split_words(mask);
		else
			entry->through += (int32_t)hd_split_words(mask);
		if (want.mask)
			hd_vec_push(&entry->wants, want);
	}
	if (entry->wants.len)
		qsort(entry->wants.data, entry->wants.len, sizeof(struct want), compare_wants);
}

/* The greatest pressure in the loop that begins with the block. */
static int32_t loop_pressure(const struct hd_splitter *s)
{
	const struct hd_live_intervals *intervals = &s->allocator->intervals;
	uint32_t depth = s->func->blocks.data[s->block].loop_depth;
	uint32_t at = hd_live_intervals_block(intervals, 2 * intervals->first[s->block]);
	int32_t most = 0;
	for (; at < intervals->order_count; at++) {
		uint32_t id = intervals->order[at];
		if (s->func->blocks.data[id].loop_depth < depth)
			break;
		most = s->most[id] > most ? s->most[id] : most;
	}
	return most;
}

/*
 * Takes what fits. What lives through a loop unread has the registers that the loop itself leaves; a loop that reads
 * more than fits needs some to load the rest into.
 */
static void take_wants(const struct entry_state *entry)
{
	struct hd_splitter *s = entry->s;
	struct hd_split_range *range = &s->at_entry[s->block];
	int32_t room = s->room[hd_split_position(s, 0)], through = room;
	if (entry->header) {
		through -= loop_pressure(s) - entry->through;
		if (entry->near > room)
			room -= OPERANDS;
	}
	for (uint32_t i = 0; i < entry->wants.len; i++) {
		struct want want = entry->wants.data[i];
		int32_t words = (int32_t)hd_split_words(want.mask);
		if (words > room || (want.rank && words > through))
			continue;
		room -= words;
		through -= want.rank ? words : 0;
		hd_vec_push(&s->parts, (struct hd_split_part){want.vreg, hd_split_web_new(s, want.vreg), want.mask});
		range->count++;
	}
}

/* Joins what a predecessor holds with what was chosen, and loads the rest at its end. */
static void couple(struct hd_splitter *s, uint32_t pred)
{
	struct hd_split_range from = s->at_exit[pred], to = s->at_entry[s->block];
	if (!from.known)
		return;
	for (uint32_t i = 0; i < from.count; i++) {
		struct hd_split_part part = s->parts.data[from.start + i];
		s->held[part.vreg].mask = part.mask;
		s->held[part.vreg].web = part.web;
	}
	for (uint32_t i = 0; i < to.count; i++) {
		struct hd_split_part part = s->parts.data[to.start + i];
		const struct hd_split_held *held = &s->held[part.vreg];
		if (part.mask & held->mask)
			hd_split_web_join(s, held->web, part.web);
		part.mask &= (uint8_t)~held->mask;
		if (part.mask)
			hd_split_load_late(s, pred, part);
	}
	for (uint32_t i = 0; i < from.count; i++)
		s->held[s->parts.data[from.start + i].vreg].mask = 0;
}

void hd_split_enter(struct hd_splitter *s)
{
	const struct hd_mblock *block = &s->func->blocks.data[s->block];
	struct entry_state entry = {.s = s};
	s->at_entry[s->block] = (struct hd_split_range){s->parts.len, 0, true};
	if (!s->block)
		return; /* the entry holds nothing yet */
	meet(&entry);
	collect_wants(&entry);
	take_wants(&entry);
	for (uint32_t i = 0; i < block->preds.len; i++)
		couple(s, block->preds.data[i]);
	hd_vec_release(&entry.wants);
}
