/*
 * Which warps have registers (cars-hpca24 III-B, IV-B). Blocks are dispatched as the least allocation allows; a warp
 * for whose own allocation no registers are left goes on the SM's stalled-warp list and is kept from issuing. When a
 * warp ends, the list's first get what it had. When a warp waits at a barrier while another warp of its block is
 * stalled, a trap switches their register states, so that no block waits for itself; the warp that comes in runs the
 * trap: it stores the other's rows and, where it was switched out before, loads its own. A warp whose loads are still
 * under way keeps its rows, which they are to write, until the last of them is back.
 *
 * The register file is one pool of rows here: that a warp's rows lie together and in its scheduler's part is not
 * modelled, as it is not in the paper.
 *
 * Cost: O(1) a warp; a barrier looks at the warps of its block while any warp of the SM is stalled.
 */
#include <assert.h>

#include "lib/bits.h"
#include "runtime/policy/cars/cars.h"

/* Where traps keep rows: beyond device and local memory; rows of the same number lie side by side. */
#define STACK_PHYSICAL (UINT64_C(1) << 47)
#define CONTEXT_PHYSICAL (UINT64_C(1) << 48)
#define ROW_BYTES 128u
#define ALL_LANES 0xffffffffu

static struct hd_injected row_access(const struct hd_warp *warp, uint64_t area, const struct cars_move *move,
				     enum hd_inject_kind kind)
{
	const struct hd_sm *sm = warp->cta->sm;
	uint64_t places = sm->gpu->sm_count * sm->warp_count;
	uint64_t place = (uint64_t)sm->id * sm->warp_count + warp->id;
	return (struct hd_injected){.address = area + (move->from * places + place) * ROW_BYTES,
				    .stride = places * ROW_BYTES,
				    .rows = move->rows,
				    .mask = move->mask,
				    .kind = kind};
}

static uint64_t bytes_of(const struct cars_move *move)
{
	return (uint64_t)move->rows * (uint32_t)__builtin_popcount(move->mask) * sizeof(uint32_t);
}

uint64_t cars_trap(struct hd_warp *warp, const struct cars_move *move, enum hd_inject_kind kind)
{
	struct hd_injected access = row_access(warp, STACK_PHYSICAL, move, kind);
	hd_warp_inject(warp, &access);
	return bytes_of(move);
}

/* ---- the stalled-warp list, first come first served */

static void enqueue(struct cars_sm *cars, uint32_t slot)
{
	cars->warps[slot].next = CARS_NO_SLOT;
	cars->warps[slot].state = CARS_STALLED;
	if (cars->first == CARS_NO_SLOT)
		cars->first = (uint8_t)slot;
	else
		cars->warps[cars->last].next = (uint8_t)slot;
	cars->last = (uint8_t)slot;
	cars->counts.stalled_warps++;
}

static void dequeue(struct cars_sm *cars, uint32_t slot)
{
	uint8_t *link = &cars->first, before = CARS_NO_SLOT;
	while (*link != slot) {
		assert(*link != CARS_NO_SLOT);
		before = *link;
		link = &cars->warps[*link].next;
	}
	*link = cars->warps[slot].next;
	if (cars->last == slot)
		cars->last = before;
}

/* The warp gets its rows and may issue; first it loads what a switch had saved. */
static void grant(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct cars_sm *cars = cars_sm_of(self, sm);
	struct cars_warp *mine = &cars->warps[warp->id];
	assert(cars->free_rows >= mine->wanted);
	cars->free_rows -= mine->wanted;
	mine->state = CARS_HAS_ROWS;
	if (mine->saved) {
		struct cars_move move = {0, mine->saved, ALL_LANES};
		struct hd_injected load = row_access(warp, CONTEXT_PHYSICAL, &move, HD_INJECT_LOAD);
		hd_warp_inject(warp, &load);
		cars->counts.switched_bytes += bytes_of(&move);
		mine->saved = 0;
	}
	if (warp->held)
		hd_warp_resume(sm, warp, now);
}

static void grant_waiting(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct cars_sm *cars = cars_sm_of(self, sm);
	while (cars->first != CARS_NO_SLOT && cars->warps[cars->first].wanted <= cars->free_rows) {
		uint32_t slot = cars->first;
		dequeue(cars, slot);
		grant(self, sm, &sm->warps[slot], now);
	}
}

static void request(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct cars_sm *cars = cars_sm_of(self, sm);
	if (!warp->held)
		hd_warp_hold(sm, warp);
	enqueue(cars, warp->id);
	grant_waiting(self, sm, now);
}

/* ---- switches */

static void switch_warps(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *out, struct hd_warp *in,
			 uint64_t now)
{
	struct cars_sm *cars = cars_sm_of(self, sm);
	struct cars_warp *old = &cars->warps[out->id];
	struct cars_move move = {0, old->stack.base + old->stack.rsp - old->stack.bottom, ALL_LANES};
	struct hd_injected store = row_access(out, CONTEXT_PHYSICAL, &move, HD_INJECT_STORE);
	old->saved = move.rows;
	old->state = CARS_SWITCHED_OUT;
	cars->free_rows += old->wanted;
	hd_warp_hold(sm, out);
	hd_warp_inject(in, &store);
	cars->counts.switches++;
	cars->counts.switched_bytes += bytes_of(&move);
	dequeue(cars, in->id);
	grant(self, sm, in, now);
}

/* A warp at a barrier whose rows can be taken: no result for them is under way. */
static struct hd_warp *parked_owner(const struct hd_policy_handle *self, const struct hd_sm *sm,
				    const struct hd_cta *cta)
{
	const struct cars_sm *cars = cars_sm_of(self, sm);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = cta->warps[i];
		if (warp->state == HD_WARP_BARRIER && warp->cta == cta &&
		    cars->warps[warp->id].state == CARS_HAS_ROWS && hd_warp_drained(warp))
			return warp;
	}
	return NULL;
}

static struct hd_warp *stalled_of(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_cta *cta)
{
	const struct cars_sm *cars = cars_sm_of(self, sm);
	for (uint8_t slot = cars->first; slot != CARS_NO_SLOT; slot = cars->warps[slot].next)
		if (sm->warps[slot].cta == cta)
			return &sm->warps[slot];
	return NULL;
}

static void switch_within(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_cta *cta, uint64_t now)
{
	struct hd_warp *in, *out;
	while ((in = stalled_of(self, sm, cta)) && (out = parked_owner(self, sm, cta)))
		switch_warps(self, sm, out, in, now);
}

void cars_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	if (cars_sm_of(self, sm)->first != CARS_NO_SLOT)
		switch_within(self, sm, warp->cta, now);
}

void cars_write_back(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     uint64_t now)
{
	(void)inst;
	if (warp->state == HD_WARP_BARRIER && hd_warp_drained(warp))
		cars_barrier_wait(self, warp, now);
}

void cars_barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	if (cars_warp_of(self, warp)->state != CARS_SWITCHED_OUT)
		return;
	request(self, sm, warp, now);
	switch_within(self, sm, warp->cta, now);
}

/* ---- blocks and warps come and go */

static void start_warp(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint32_t rows,
		       uint64_t now)
{
	const struct cars_levels *levels = &cars_gpu_of(self, sm->gpu)->kernel->levels;
	struct cars_sm *cars = cars_sm_of(self, sm);
	struct cars_warp *mine = &cars->warps[warp->id];
	cars_stack_reset(&mine->stack, levels->base, rows > levels->base ? rows - levels->base : 0);
	mine->wanted = rows;
	mine->saved = 0;
	mine->exited = mine->apart = false;
	hd_vec_clear(&mine->parked);
	cars_verify_start(self, warp);
	if (cars_gpu_of(self, sm->gpu)->joined) {
		mine->state = CARS_AWAY;
		cars_follow(self, warp, NULL);
		return;
	}
	if (cars->first == CARS_NO_SLOT && cars->free_rows >= rows)
		grant(self, sm, warp, now);
	else
		request(self, sm, warp, now);
}

void cars_cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct cars_cta *block = hd_policy_cta(self, cta);
	block->level = cars_choose_level(self, sm);
	uint32_t rows = cars_gpu_of(self, sm->gpu)->kernel->levels.rows[block->level];
	for (uint32_t i = 0; i < cta->warp_count; i++)
		start_warp(self, sm, cta->warps[i], rows, sm->now);
}

void cars_cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct cars_sm *cars = cars_sm_of(self, sm);
	uint32_t level = ((const struct cars_cta *)hd_policy_cta(self, cta))->level;
	if (cars_gpu_of(self, sm->gpu)->joined)
		return;
	cars->cycles[level] += sm->now - cta->start_cycle;
	cars->blocks[level]++;
}

void cars_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct cars_sm *cars = cars_sm_of(self, sm);
	struct cars_warp *mine = &cars->warps[warp->id];
	assert(mine->state == CARS_HAS_ROWS || mine->state == CARS_AWAY);
	cars_verify_end(self, warp);
	cars->free_rows += mine->state == CARS_HAS_ROWS ? mine->wanted : 0;
	mine->state = CARS_FREE;
	cars->peak = hd_larger(cars->peak, mine->stack.peak);
	grant_waiting(self, sm, now);
}
