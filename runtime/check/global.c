/*
 * --check=race-global: which accesses to global memory of threads of different blocks are ordered, after PTX's memory
 * consistency model: by a fence of the GPU's scope or a release, with a strong write behind it, that a strong read of
 * the same word sees; directly or through others. What a block's own threads order is in clocks.c; what a warp learns
 * of other blocks, those learn from it that it meets at a barrier.
 *
 * What a warp knows is a list of blocks, each with a time for each of its warps, up to which what that warp did is
 * before what this one does. Lists and times are never changed and shared by all that know the same.
 *
 * Where each thread has a fence and then all come to a barrier, one of them may tell for all: such fences count for all
 * behind the barrier, as programs have it that count their blocks.
 *
 * As in clocks.c more counts as ordered where the model distinguishes more: a strong read needs no fence after it, and
 * what any warp of the block has learned, one knows that reads strongly itself. So a race may be missed, and none is
 * made up. Each kernel begins anew: what one has done is before all that the next does.
 *
 * Cost: for each release and each read of what was released O(blocks that are known); for each word that a kernel
 * accesses some 120 bytes, and 32 for each warp that reads what others read, too.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"
#include "runtime/sm/limits.h"
#include "runtime/sm/sm.h"

struct times {
	uint32_t uses, count;
	uint32_t until[]; /* by warp of the block */
};
struct known_block {
	uint32_t block;
	struct times *times;
};
struct hd_known {
	uint32_t uses, count;
	struct known_block blocks[]; /* ascending */
};

static void drop_times(struct times *times)
{
	if (!--times->uses)
		free(times);
}

static void drop(struct hd_known **known)
{
	struct hd_known *old = *known;
	*known = NULL;
	if (!old || --old->uses)
		return;
	for (uint32_t i = 0; i < old->count; i++)
		drop_times(old->blocks[i].times);
	free(old);
}

static struct hd_known *keep(struct hd_known *known)
{
	if (known)
		known->uses++;
	return known;
}

static struct hd_known *make_known(uint32_t most)
{
	struct hd_known *known = hd_xmalloc(sizeof(*known) + most * sizeof(known->blocks[0]));
	*known = (struct hd_known){.uses = 1};
	return known;
}

static struct times *later_of(struct times *a, struct times *b)
{
	bool a_is = true, b_is = true;
	for (uint32_t i = 0; i < a->count; i++) {
		a_is &= a->until[i] >= b->until[i];
		b_is &= b->until[i] >= a->until[i];
	}
	struct times *times = a_is ? a : b;
	times->uses++;
	if (a_is || b_is)
		return times;
	times->uses--;
	times = hd_xmalloc(sizeof(*times) + a->count * sizeof(times->until[0]));
	*times = (struct times){.uses = 1, .count = a->count};
	for (uint32_t i = 0; i < a->count; i++)
		times->until[i] = a->until[i] > b->until[i] ? a->until[i] : b->until[i];
	return times;
}

static void add_block(struct hd_known *known, uint32_t block, struct times *times)
{
	known->blocks[known->count++] = (struct known_block){block, times};
}

/* What both know; one that has all of it is shared. */
static struct hd_known *join(struct hd_known *a, struct hd_known *b)
{
	if (!a || !b || a == b)
		return keep(a ? a : b);
	struct hd_known *both = make_known(a->count + b->count);
	bool as_a = true, as_b = true;
	for (uint32_t i = 0, j = 0; i < a->count || j < b->count;) {
		struct known_block *x = i < a->count ? &a->blocks[i] : NULL, *y = j < b->count ? &b->blocks[j] : NULL;
		struct times *times;
		if (x && y && x->block == y->block) {
			times = later_of(x->times, y->times);
			i++;
			j++;
		} else if (!y || (x && x->block < y->block)) {
			times = x->times;
			times->uses++;
			y = NULL;
			i++;
		} else {
			times = y->times;
			times->uses++;
			x = NULL;
			j++;
		}
		as_a &= x && times == x->times;
		as_b &= y && times == y->times;
		add_block(both, x ? x->block : y->block, times);
	}
	if (!as_a && !as_b)
		return both;
	drop(&both);
	return keep(as_a ? a : b);
}

static void learn(struct hd_known **known, struct hd_known *more)
{
	struct hd_known *both = join(*known, more);
	drop(known);
	*known = both;
}

static uint32_t time_of(const struct hd_known *known, uint32_t block, uint32_t warp)
{
	uint32_t at;
	if (!known)
		return 0;
	HD_BISECT(at, 0, known->count, known->blocks[at].block < block);
	return at < known->count && known->blocks[at].block == block ? known->blocks[at].times->until[warp] : 0;
}

bool hd_global_ordered(const struct hd_check *check, const struct hd_warp *warp, uint32_t block, uint32_t other,
		       uint32_t when)
{
	struct hd_warp_check *state = check->warps[warp->cta->sm->id * HD_MAX_CONTEXTS + warp->id];
	return time_of(state->known, block, other) >= when;
}

/* What the warp knows, and what it and its block have done before now. */
static struct hd_known *all_of(struct hd_check *check, const struct hd_warp *warp)
{
	const struct hd_clocks *clocks = &hd_check_block_of(check, warp->cta)->clocks;
	struct times *times = hd_xmalloc(sizeof(*times) + clocks->warps * sizeof(times->until[0]));
	*times = (struct times){.uses = 1, .count = clocks->warps};
	memcpy(times->until, clocks->known + (size_t)warp->index * clocks->all + clocks->own,
	       clocks->warps * sizeof(times->until[0]));
	times->until[warp->index] = clocks->now[warp->index];
	struct hd_known *own = make_known(1);
	add_block(own, warp->cta->linear, times);
	learn(&own, hd_check_warp(check, warp)->known);
	return own;
}

void hd_global_fence(struct hd_check *check, const struct hd_warp *warp)
{
	struct hd_warp_check *state = hd_check_warp(check, warp);
	drop(&state->fenced);
	state->fenced = all_of(check, warp);
}

static struct hd_known **place_of(struct hd_global_check *global, uint64_t address, bool make)
{
	const void *key = (const void *)(uintptr_t)(address / 4);
	const struct hd_map_entry *entry = global->place_of.used ? hd_map_get(&global->place_of, key) : NULL;
	if (!entry && !make)
		return NULL;
	if (!entry) {
		hd_map_put(&global->place_of, key, global->places.len, 0);
		hd_vec_push(&global->places, NULL);
		return &hd_vec_last(&global->places);
	}
	return &global->places.data[entry->start];
}

void hd_global_strong(struct hd_check *check, const struct hd_warp *warp, uint64_t address, uint32_t sem,
		      uint32_t scope, bool reads, bool writes)
{
	struct hd_warp_check *state = hd_check_warp(check, warp);
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	bool wide = scope != HD_SCOPE_CTA;
	bool releases = wide && (sem == HD_SEM_RELEASE || sem == HD_SEM_ACQ_REL || sem == HD_SEM_SC);
	struct hd_known **place = place_of(&check->global, address, writes && (releases || state->fenced));
	if (reads)
		learn(&state->known, block->known);
	if (!place)
		return;
	if (reads && *place) {
		learn(&state->known, *place);
		learn(&block->known, *place);
	}
	if (writes && releases) {
		struct hd_known *own = all_of(check, warp);
		learn(place, own);
		drop(&own);
	} else if (writes && wide && state->fenced) {
		learn(place, state->fenced);
	}
}

void hd_global_shared_strong(struct hd_check *check, const struct hd_warp *warp)
{
	learn(&hd_check_warp(check, warp)->known, hd_check_block_of(check, warp->cta)->known);
}

void hd_global_arrive(struct hd_check *check, const struct hd_warp *warp, uint32_t barrier)
{
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	learn(&block->barriers[barrier], hd_check_warp(check, warp)->known);
	learn(&block->fences[barrier], hd_check_warp(check, warp)->fenced);
}

void hd_global_depart(struct hd_check *check, const struct hd_warp *warp, uint32_t barrier)
{
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	learn(&hd_check_warp(check, warp)->known, block->barriers[barrier]);
	learn(&hd_check_warp(check, warp)->fenced, block->fences[barrier]);
}

void hd_global_cluster_arrive(struct hd_check *check, const struct hd_warp *warp)
{
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	struct hd_known *all = all_of(check, warp);
	learn(&block->barriers[HD_CHECK_CLUSTER], all);
	drop(&all);
}

void hd_global_cluster_learn(struct hd_check *check, const struct hd_warp *warp, const struct hd_block_check *block)
{
	learn(&hd_check_warp(check, warp)->known, block->barriers[HD_CHECK_CLUSTER]);
}

void hd_global_released(struct hd_block_check *block, uint32_t barrier)
{
	drop(&block->barriers[barrier]);
	drop(&block->fences[barrier]);
}

void hd_global_forget_block(struct hd_block_check *block)
{
	drop(&block->known);
	for (uint32_t i = 0; i < HD_CHECK_BARRIERS; i++)
		hd_global_released(block, i);
}

void hd_global_forget_warp(struct hd_warp_check *warp)
{
	drop(&warp->known);
	drop(&warp->fenced);
}

struct hd_word_check *hd_global_word(struct hd_check *check, uint64_t address)
{
	struct hd_global_check *global = &check->global;
	const void *key = (const void *)(uintptr_t)(address / 4);
	const struct hd_map_entry *entry = global->word_of.used ? hd_map_get(&global->word_of, key) : NULL;
	if (entry)
		return &global->words.data[entry->start];
	hd_map_put(&global->word_of, key, global->words.len, 0);
	hd_vec_push(&global->words, (struct hd_word_check){0});
	return &hd_vec_last(&global->words);
}

/* Who gets a block of the heap has nothing to do with who had it before. */
void hd_global_forget(struct hd_check *check, uint64_t address, uint64_t bytes)
{
	struct hd_global_check *global = &check->global;
	for (uint64_t at = address & ~UINT64_C(3); global->word_of.used && at < address + bytes; at += 4) {
		const struct hd_map_entry *entry = hd_map_get(&global->word_of, (const void *)(uintptr_t)(at / 4));
		if (entry)
			hd_kept_release(&global->words.data[entry->start], &check->room);
	}
}

void hd_global_begin(struct hd_check *check)
{
	struct hd_global_check *global = &check->global;
	for (uint32_t i = 0; i < global->places.len; i++)
		drop(&global->places.data[i]);
	for (uint32_t i = 0; i < global->words.len; i++)
		hd_kept_release(&global->words.data[i], &check->room);
	hd_vec_release(&global->places);
	hd_vec_release(&global->words);
	hd_map_clear(&global->place_of);
	hd_map_clear(&global->word_of);
}

void hd_global_release(struct hd_check *check)
{
	hd_global_begin(check);
	hd_map_release(&check->global.place_of);
	hd_map_release(&check->global.word_of);
}
