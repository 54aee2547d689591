/*
 * Distances to the next read of each word, over the flow graph: the least over the paths, an
 * edge that leaves a loop counting as many instructions (Braun and Hack, CC 2009, section
 * 4.1). Needs live intervals. A few rounds over the live sets: a distance that has not
 * settled then is only a worse guess.
 */
#include "passes/regalloc/next_use.h"

#define ROUNDS 6u
#define FURTHEST (HD_NEVER / 2)

struct distances {
	struct hd_mfunc *func;
	const struct hd_live *live;
	uint32_t *first; /* beside live.in: index of the first read in the block */
	uint32_t *now;	 /* by word; HD_NEVER between uses */
	uint32_t index;
	struct hd_next_uses *out;
};

static uint32_t further(uint32_t distance, uint32_t by)
{
	if (distance == HD_NEVER)
		return HD_NEVER;
	return distance > FURTHEST ? FURTHEST : distance + by;
}

static void note_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct distances *d = context;
	if (is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t word = hd_live_word(d->live, *reg);
	for (uint32_t end = word + reg->words; word < end; word++)
		if (d->now[word] == HD_NEVER)
			d->now[word] = d->index;
}

static void forget_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct distances *d = context;
	if (is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t word = hd_live_word(d->live, *reg);
	for (uint32_t end = word + reg->words; word < end; word++)
		d->now[word] = HD_NEVER;
}

static void scan_block(struct distances *d, uint32_t id)
{
	struct hd_mblock *block = &d->func->blocks.data[id];
	for (d->index = 0; d->index < block->insts.len; d->index++)
		hd_minst_visit(d->func, &block->insts.data[d->index], note_read, d);
	for (uint32_t i = d->live->in_start[id]; i < d->live->in_start[id + 1]; i++)
		d->first[i] = d->now[d->live->in[i]];
	for (uint32_t i = 0; i < block->insts.len; i++)
		hd_minst_visit(d->func, &block->insts.data[i], forget_read, d);
}

static void take_successor(struct distances *d, uint32_t from, uint32_t to)
{
	uint32_t depth = d->func->blocks.data[from].loop_depth, after = d->func->blocks.data[to].loop_depth;
	uint32_t exit = depth > after ? HD_LOOP_EXIT * (depth - after) : 0;
	for (uint32_t i = d->live->in_start[to]; i < d->live->in_start[to + 1]; i++) {
		uint32_t word = d->live->in[i], distance = further(d->out->at_in[i], exit);
		if (distance < d->now[word])
			d->now[word] = distance;
	}
}

static bool update(uint32_t *distance, uint32_t value)
{
	bool changed = *distance != value;
	*distance = value;
	return changed;
}

static bool update_block(struct distances *d, uint32_t id)
{
	const struct hd_mblock *block = &d->func->blocks.data[id];
	const struct hd_live *live = d->live;
	bool changed = false;
	for (uint32_t i = 0; i < block->succs.len; i++)
		take_successor(d, id, block->succs.data[i]);
	for (uint32_t i = live->out_start[id]; i < live->out_start[id + 1]; i++)
		d->out->at_out[i] = d->now[live->out[i]];
	for (uint32_t i = live->in_start[id]; i < live->in_start[id + 1]; i++) {
		uint32_t through = further(d->now[live->in[i]], block->insts.len);
		changed |= update(&d->out->at_in[i], d->first[i] != HD_NEVER ? d->first[i] : through);
	}
	for (uint32_t i = live->out_start[id]; i < live->out_start[id + 1]; i++)
		d->now[live->out[i]] = HD_NEVER;
	return changed;
}

void hd_next_uses_compute(struct hd_mfunc *func, const struct hd_live_intervals *intervals, struct hd_arena *arena,
			  struct hd_next_uses *out)
{
	const struct hd_live *live = &intervals->live;
	struct distances d = {.func = func, .live = live, .out = out};
	uint32_t ins = live->in_start[func->blocks.len], outs = live->out_start[func->blocks.len];
	d.first = HD_ARENA_NEW(arena, uint32_t, ins + 1);
	d.now = HD_ARENA_NEW(arena, uint32_t, live->words + 1);
	out->at_in = HD_ARENA_NEW(arena, uint32_t, ins + 1);
	out->at_out = HD_ARENA_NEW(arena, uint32_t, outs + 1);
	for (uint32_t i = 0; i < live->words; i++)
		d.now[i] = HD_NEVER;
	for (uint32_t i = 0; i < ins; i++)
		out->at_in[i] = HD_NEVER;
	for (uint32_t i = 0; i < intervals->order_count; i++)
		scan_block(&d, intervals->order[i]);
	bool changed = true;
	for (uint32_t round = 0; changed && round < ROUNDS; round++) {
		changed = false;
		for (uint32_t i = intervals->order_count; i-- > 0;)
			changed |= update_block(&d, intervals->order[i]);
	}
}
