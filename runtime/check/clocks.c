/*
 * Which accesses of a block's threads are ordered, after PTX's memory consistency model: by barriers, by __syncwarp,
 * and by fences together with strong accesses (atomics, volatile and those with a scope) that one thread writes and
 * another reads. Vector clocks, one for a warp among the warps of its cluster, and one for a lane among the lanes of
 * its warp.
 *
 * Where the model distinguishes more than this does, more counts as ordered: a strong read needs no fence after it, as
 * in the locks that programs have; what one lane of a warp learns of other
 * warps, all its lanes know; a fence orders what all lanes of its warp did; a strong write to global memory and a
 * strong read from anywhere in it make a pair; a warp that has ended has done what it did before every barrier that
 * completes later. So a race may be missed, and none is made up.
 *
 * Cost: O(warps) a fence, O(warps) a barrier for each warp, O(lanes * lanes) a __syncwarp.
 */
#include "runtime/check/state.h"

static void join(uint32_t *to, const uint32_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = to[i] > from[i] ? to[i] : from[i];
}

static uint32_t *row(uint32_t *table, const struct hd_clocks *clocks, uint32_t index)
{
	return table + (size_t)index * clocks->all;
}

void hd_clocks_release(struct hd_clocks *clocks)
{
	free(clocks->now);
	free(clocks->known);
	free(clocks->fenced);
	free(clocks->has_fence);
	free(clocks->ended);
	free(clocks->barriers);
	free(clocks->lanes);
	free(clocks->place_of);
	hd_vec_release(&clocks->released);
	*clocks = (struct hd_clocks){0};
}

void hd_clocks_begin(struct hd_clocks *clocks, uint32_t warps, uint32_t words, uint32_t rank, uint32_t ranks)
{
	const uint32_t all = warps * ranks;
	hd_clocks_release(clocks);
	*clocks = (struct hd_clocks){
		.warps = warps,
		.all = all,
		.own = warps * rank,
		.now = hd_xcalloc(warps, sizeof(uint32_t)),
		.known = hd_xcalloc((size_t)warps * all, sizeof(uint32_t)),
		.fenced = hd_xcalloc((size_t)warps * all, sizeof(uint32_t)),
		.has_fence = hd_xcalloc(warps, sizeof(bool)),
		.ended = hd_xcalloc(all, sizeof(uint32_t)),
		.barriers = hd_xcalloc((size_t)HD_CHECK_BARRIERS * all, sizeof(uint32_t)),
		.lanes = hd_xcalloc(warps, sizeof(*clocks->lanes)),
		.place_of = hd_xcalloc(words + 1, sizeof(uint32_t)),
	};
	for (uint32_t warp = 0; warp < warps; warp++)
		clocks->now[warp] = 1;
	for (uint32_t warp = 0; warp < all; warp++)
		hd_vec_push(&clocks->released, 0); /* of global memory */
}

/* What the warp knows now, its own accesses included. Later ones are not among them. */
static void publish(struct hd_clocks *clocks, uint32_t warp, uint32_t *to)
{
	uint32_t own = clocks->own + warp;
	join(to, row(clocks->known, clocks, warp), clocks->all);
	to[own] = to[own] > clocks->now[warp] ? to[own] : clocks->now[warp];
	clocks->now[warp]++;
}

static void learn(struct hd_clocks *clocks, uint32_t warp, uint32_t lanes, const uint32_t *from)
{
	uint32_t own = from[clocks->own + warp];
	join(row(clocks->known, clocks, warp), from, clocks->all);
	HD_FOR_LANES (lane, lanes)
		for (uint32_t other = 0; other < HD_WARP_LANES; other++)
			if (clocks->lanes[warp][lane][other] < own)
				clocks->lanes[warp][lane][other] = own;
}

void hd_clocks_warpsync(struct hd_clocks *clocks, uint32_t warp, uint32_t lanes)
{
	uint32_t(*known)[HD_WARP_LANES] = clocks->lanes[warp], all[HD_WARP_LANES] = {0};
	uint32_t now = clocks->now[warp]++;
	HD_FOR_LANES (lane, lanes) {
		join(all, known[lane], HD_WARP_LANES);
		all[lane] = now;
	}
	HD_FOR_LANES (lane, lanes)
		memcpy(known[lane], all, sizeof(all));
}

void hd_clocks_fence(struct hd_clocks *clocks, uint32_t warp)
{
	publish(clocks, warp, row(clocks->fenced, clocks, warp));
	clocks->has_fence[warp] = true;
}

/* Index in `released`, made when it is not there. */
static uint32_t place_of(struct hd_clocks *clocks, uint32_t word, bool make)
{
	if (word == UINT32_MAX)
		return 0;
	if (!clocks->place_of[word] && make) {
		clocks->place_of[word] = clocks->released.len / clocks->all;
		for (uint32_t warp = 0; warp < clocks->all; warp++)
			hd_vec_push(&clocks->released, 0);
	}
	return clocks->place_of[word] ? clocks->place_of[word] : UINT32_MAX;
}

void hd_clocks_strong(struct hd_clocks *clocks, struct hd_clocks *at, uint32_t warp, uint32_t lane, uint32_t word,
		      uint32_t sem, bool reads, bool writes)
{
	bool releases = sem == HD_SEM_RELEASE || sem == HD_SEM_ACQ_REL || sem == HD_SEM_SC;
	uint32_t place = place_of(at, word, writes && (releases || clocks->has_fence[warp]));
	if (place == UINT32_MAX)
		return;
	uint32_t *released = row(at->released.data, at, place);
	if (reads)
		learn(clocks, warp, 1u << lane, released);
	if (writes && releases)
		publish(clocks, warp, released);
	else if (writes && clocks->has_fence[warp])
		join(released, row(clocks->fenced, clocks, warp), clocks->all);
}

void hd_clocks_arrive(struct hd_clocks *clocks, uint32_t warp, uint32_t barrier)
{
	uint32_t now = clocks->now[warp];
	publish(clocks, warp, row(clocks->barriers, clocks, barrier));
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		for (uint32_t other = 0; other < HD_WARP_LANES; other++)
			clocks->lanes[warp][lane][other] = now;
}

void hd_clocks_depart(struct hd_clocks *clocks, uint32_t warp, uint32_t barrier)
{
	join(row(clocks->known, clocks, warp), row(clocks->barriers, clocks, barrier), clocks->all);
	join(row(clocks->known, clocks, warp), clocks->ended, clocks->all);
}

void hd_clocks_end(struct hd_clocks *clocks, uint32_t warp)
{
	publish(clocks, warp, clocks->ended);
}
