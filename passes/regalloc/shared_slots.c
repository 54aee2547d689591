/*
 * Spill slots whose contents are never needed at the same time share their place. Liveness of
 * slot words over the allocated code, then slots of one size, in the order in which they are
 * first filled, each to the first place that is free over all its segments, as registers are
 * given out.
 *
 * Needs physical registers. Costs blocks x slot words / 64 for each round of the data flow,
 * and slots x places tried.
 */
#include "passes/graph/dataflow.h"
#include "passes/regalloc/regalloc.h"

#define PLACES_TRIED 256u /* for each slot, so that many slots stay cheap */

struct access {
	uint32_t index, slot, word, words; /* instruction of the linear order; words of all slots */
	bool load;
};

struct slot {
	uint32_t object, word, bytes;	    /* frame object, its first word */
	uint32_t alive, end;		    /* words live, and where the segment ends, while a block is scanned */
	HD_VEC(struct hd_segment) segments; /* the last first */
};

struct shared_slot {
	uint32_t object, bytes;
	struct hd_track track;
};

struct sharing {
	struct hd_mfunc *func;
	struct hd_arena arena;
	HD_VEC(struct slot) slots;
	HD_VEC(struct access) accesses;
	HD_VEC(struct shared_slot) places;
	uint32_t *slot_of;	       /* by frame object; HD_NO_REG none */
	uint32_t *order, count;	       /* blocks in linear order */
	uint32_t *start, *accesses_of; /* by place in the order: first instruction, first access; one more */
	uint32_t words;
	struct hd_dataflow live; /* words, by block */
	struct hd_bitset now;	 /* words that are live here */
};

/* ---- accesses ---- */

static void number_slots(struct sharing *s)
{
	s->slot_of = HD_ARENA_NEW(&s->arena, uint32_t, s->func->frame.len + 1);
	for (uint32_t i = 0; i < s->func->frame.len; i++) {
		const struct hd_frame_object *object = &s->func->frame.data[i];
		s->slot_of[i] = object->kind == HD_FRAME_SPILL ? s->slots.len : HD_NO_REG;
		if (object->kind != HD_FRAME_SPILL)
			continue;
		hd_vec_push(&s->slots, (struct slot){.object = i, .word = s->words, .bytes = object->bytes});
		s->words += object->bytes / 4;
	}
}

static void note_access(struct sharing *s, const struct hd_minst *inst, uint32_t index)
{
	bool load = inst->role == HD_ROLE_SPILL_LOAD;
	if ((!load && inst->role != HD_ROLE_SPILL_STORE) || inst->ref_kind != HD_MREF_FRAME)
		return;
	uint32_t slot = s->slot_of[inst->ref];
	hd_vec_push(&s->accesses, (struct access){index, slot, s->slots.data[slot].word + inst->x / 4,
						  load ? inst->dst.words : inst->c.words, load});
}

static void collect(struct sharing *s)
{
	uint32_t index = 0;
	s->count = hd_mfunc_block_order(s->func, &s->arena, &s->order);
	s->start = HD_ARENA_NEW(&s->arena, uint32_t, s->count + 1);
	s->accesses_of = HD_ARENA_NEW(&s->arena, uint32_t, s->count + 1);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct hd_mblock *block = &s->func->blocks.data[s->order[i]];
		s->start[i] = index;
		s->accesses_of[i] = s->accesses.len;
		for (uint32_t k = 0; k < block->insts.len; k++)
			note_access(s, &block->insts.data[k], index++);
	}
	s->start[s->count] = index;
	s->accesses_of[s->count] = s->accesses.len;
	s->now = hd_bitset_new(&s->arena, s->words);
}

/* ---- liveness ---- */

static void find_live(struct sharing *s)
{
	struct hd_graph graph;
	hd_mfunc_graph(s->func, &s->arena, &graph);
	hd_dataflow_init(&s->live, &graph, s->words, true, false, &s->arena);
	for (uint32_t rank = 0; rank < s->count; rank++) {
		struct hd_bitset loads = hd_dataflow_row(&s->live, s->live.adds, s->order[rank]);
		struct hd_bitset stores = hd_dataflow_row(&s->live, s->live.ends, s->order[rank]);
		for (uint32_t i = s->accesses_of[rank + 1]; i-- > s->accesses_of[rank];) {
			const struct access *access = &s->accesses.data[i];
			for (uint32_t w = access->word; w < access->word + access->words; w++) {
				if (access->load) {
					hd_bitset_add(&loads, w);
				} else {
					hd_bitset_remove(&loads, w);
					hd_bitset_add(&stores, w);
				}
			}
		}
	}
	hd_dataflow_solve(&s->live);
}

/* ---- segments ---- */

static void add_segment(struct slot *slot, uint32_t start, uint32_t end)
{
	if (slot->segments.len && hd_vec_last(&slot->segments).start <= end)
		hd_vec_last(&slot->segments).start = start;
	else
		hd_vec_push(&slot->segments, (struct hd_segment){start, end});
}

static void set_live(struct sharing *s, struct slot *slot, uint32_t word, bool live, uint32_t position)
{
	if (hd_bitset_has(&s->now, word) == live)
		return;
	if (live && !slot->alive++)
		slot->end = position;
	if (!live && !--slot->alive)
		add_segment(slot, position, slot->end);
	if (live)
		hd_bitset_add(&s->now, word);
	else
		hd_bitset_remove(&s->now, word);
}

static struct slot *slot_with(struct sharing *s, uint32_t word)
{
	uint32_t after;
	HD_BISECT(after, 1, s->slots.len, s->slots.data[after].word <= word);
	return &s->slots.data[after - 1];
}

static void scan_block(struct sharing *s, uint32_t rank)
{
	struct hd_bitset out = hd_dataflow_row(&s->live, s->live.after, s->order[rank]);
	hd_bitset_copy(&s->now, &out);
	HD_BITSET_FOREACH (&out, word) {
		struct slot *slot = slot_with(s, word);
		if (!slot->alive++)
			slot->end = 2 * s->start[rank + 1];
	}
	for (uint32_t i = s->accesses_of[rank + 1]; i-- > s->accesses_of[rank];) {
		const struct access *access = &s->accesses.data[i];
		struct slot *slot = &s->slots.data[access->slot];
		uint32_t position = 2 * access->index + 1;
		if (!access->load && !slot->alive)
			add_segment(slot, position, position + 1); /* nothing loads it */
		for (uint32_t w = access->word; w < access->word + access->words; w++)
			set_live(s, slot, w, access->load, position);
	}
	HD_BITSET_FOREACH (&s->now, word)
		set_live(s, slot_with(s, word), word, false, 2 * s->start[rank]);
}

/* ---- places ---- */

static int by_start(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;
	uint32_t start = a->segments.len ? hd_vec_last(&a->segments).start : 0;
	uint32_t other = b->segments.len ? hd_vec_last(&b->segments).start : 0;
	if (start != other)
		return start < other ? -1 : 1;
	return a->object < b->object ? -1 : a->object > b->object;
}

static struct shared_slot *place_for(struct sharing *s, const struct slot *slot)
{
	for (uint32_t i = 0; i < s->places.len && i < PLACES_TRIED; i++) {
		struct shared_slot *place = &s->places.data[i];
		if (place->bytes == slot->bytes &&
		    hd_track_is_free(&place->track, slot->segments.data, slot->segments.len))
			return place;
	}
	hd_vec_push(&s->places, (struct shared_slot){.object = slot->object, .bytes = slot->bytes});
	return &hd_vec_last(&s->places);
}

static void turn_round(struct slot *slot)
{
	struct hd_segment *segments = slot->segments.data;
	for (uint32_t low = 0, high = slot->segments.len; low + 1 < high; low++) {
		struct hd_segment segment = segments[low];
		segments[low] = segments[--high];
		segments[high] = segment;
	}
}

/* The object that takes each object's place. */
static uint32_t *choose_places(struct sharing *s)
{
	uint32_t *object = HD_ARENA_NEW(&s->arena, uint32_t, s->func->frame.len);
	for (uint32_t i = 0; i < s->func->frame.len; i++)
		object[i] = i;
	qsort(s->slots.data, s->slots.len, sizeof(struct slot), by_start);
	for (uint32_t i = 0; i < s->slots.len; i++) {
		struct slot *slot = &s->slots.data[i];
		turn_round(slot);
		struct shared_slot *place = place_for(s, slot);
		hd_track_claim(&place->track, slot->segments.data, slot->segments.len, slot->object);
		object[slot->object] = place->object;
	}
	return object;
}

static void release(struct sharing *s)
{
	for (uint32_t i = 0; i < s->slots.len; i++)
		hd_vec_release(&s->slots.data[i].segments);
	for (uint32_t i = 0; i < s->places.len; i++)
		hd_vec_release(&s->places.data[i].track.claims);
	hd_vec_release(&s->slots);
	hd_vec_release(&s->places);
	hd_vec_release(&s->accesses);
	hd_arena_release(&s->arena);
}

static void share(struct sharing *s)
{
	collect(s);
	find_live(s);
	for (uint32_t rank = s->count; rank-- > 0;)
		scan_block(s, rank);
	const uint32_t *object = choose_places(s);
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		for (uint32_t i = 0; i < s->func->blocks.data[id].insts.len; i++) {
			struct hd_minst *inst = &s->func->blocks.data[id].insts.data[i];
			if (inst->ref_kind == HD_MREF_FRAME)
				inst->ref = object[inst->ref];
		}
}

int hd_shared_slots_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct sharing s = {.func = func};
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_SHARED_SLOTS))
		return 0;
	hd_arena_init(&s.arena);
	number_slots(&s);
	if (s.slots.len > 1)
		share(&s);
	release(&s);
	return 0;
}
