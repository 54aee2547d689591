/*
 * LTRF: registers on their way between the main register file and the cache (ltrf-asplos18 3.1, 4.2). Those that come
 * are read from their main banks and go over a link a quarter as wide as a register, one into each bank of the cache;
 * those that leave take one as wide the other way, which is the path that results had to the main banks before
 * (`simplex`: one link for both), and are written there. PREFETCH goes by difference: what is in the old set and in the
 * new one stays
 * (`reload`: all moves).
 *
 * What never had a value, and a register whose result is still under way, is not written back: that result goes to the
 * main register file by itself.
 *
 * Cost: O(registers that move).
 */
#include "runtime/policy/ltrf/ltrf.h"

enum { GAPS = 16 };

void ltrf_move_init(const struct hd_policy_handle *self, struct hd_gpu *gpu)
{
	struct ltrf_gpu *ltrf = ltrf_gpu_of(self, gpu);
	for (uint32_t i = 0; i < gpu->sm_count; i++) {
		struct ltrf_sm *sm = ltrf_sm_of(self, gpu->sms[i]);
		for (uint32_t bank = 0; bank < ltrf->banks; bank++) {
			hd_calendar_init(&sm->ports[bank], HD_ARENA_NEW(&gpu->arena, struct hd_gap, GAPS), GAPS);
			for (uint32_t way = 0; way < 2; way++)
				hd_calendar_init(&sm->links[way][bank], HD_ARENA_NEW(&gpu->arena, struct hd_gap, GAPS),
						 GAPS);
		}
	}
}

static uint64_t ticks_now(const struct hd_warp *warp)
{
	return hd_sm_now(warp->cta->sm) * HD_TICKS;
}

/* Those that have no result under way. */
static struct hd_wcb_set settled(const struct hd_warp *warp, const struct hd_wcb_set *set)
{
	struct hd_wcb_set pending;
	memcpy(pending.bits, warp->pending.bits, sizeof pending.bits);
	return hd_wcb_without(set, &pending);
}

static struct hd_calendar *links_of(const struct hd_policy_handle *self, const struct hd_sm *sm, enum ltrf_way way)
{
	bool simplex = hd_policy_setting(self, sm->gpu, LTRF_SIMPLEX) != 0;
	return ltrf_sm_of(self, sm)->links[simplex ? LTRF_INTO : way];
}

/* The tick at which the last of them is there. */
static uint64_t read_in(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_wcb_set *set,
			uint64_t from)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct hd_wcb *block = &ltrf_warp_of(self, warp)->block;
	struct hd_calendar *links = links_of(self, sm, LTRF_INTO);
	uint64_t cycles = ltrf_ticks(self, sm->gpu, LTRF_LINK_CYCLES), latest = from;
	for (uint32_t r = hd_wcb_next(set, 0); r < HD_WCB_REGISTERS; r = hd_wcb_next(set, r + 1)) {
		uint64_t there = hd_bank_read(sm, warp, r, from);
		latest = hd_later(latest,
				  hd_calendar_take(&links[block->bank[r]], ticks_now(warp), there, cycles) + cycles);
		ltrf_spend(self, warp, LTRF_LINK);
		ltrf_spend(self, warp, LTRF_CACHE_WRITE);
	}
	return latest;
}

/* The tick at which the last of them has left the cache: its bank has been read, and a link has taken it. */
static uint64_t write_back(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_wcb_set *set,
			   const uint8_t *banks, uint64_t from)
{
	struct hd_sm *sm = warp->cta->sm;
	struct ltrf_sm *ltrf = ltrf_sm_of(self, sm);
	struct hd_calendar *links = links_of(self, sm, LTRF_OUT_OF);
	uint64_t cycles = ltrf_ticks(self, sm->gpu, LTRF_LINK_CYCLES), now = ticks_now(warp), latest = from;
	for (uint32_t r = hd_wcb_next(set, 0); r < HD_WCB_REGISTERS; r = hd_wcb_next(set, r + 1)) {
		uint64_t at = hd_calendar_take(&ltrf->ports[banks[r]], now, from, HD_TICKS) + HD_TICKS;
		at = hd_calendar_take(&links[banks[r]], now, at, cycles);
		hd_bank_write(sm, warp, r, from); /* a port knows no gaps: one that is taken later is idle until then */
		latest = hd_later(latest, at);
		ltrf_spend(self, warp, LTRF_CACHE_READ);
		ltrf_spend(self, warp, LTRF_LINK);
	}
	return latest;
}

/* Of registers that leave the cache those that are written back; what is dead is dropped (LTRF+). */
static struct hd_wcb_set worth_keeping(const struct hd_policy_handle *self, struct hd_warp *warp,
				       const struct hd_wcb_set *out)
{
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	struct hd_wcb_set kept = hd_wcb_both(out, &mine->block.valid);
	if (!ltrf_gpu_of(self, warp->cta->sm->gpu)->variant.plus)
		return settled(warp, &kept);
	struct hd_wcb_set dead = hd_wcb_without(&kept, &mine->block.live);
	dead = settled(warp, &dead);
	ltrf_counts_of(self, warp)->dropped += hd_wcb_count(&dead);
	dead = hd_wcb_both(&dead, &mine->defined);
	for (uint32_t r = hd_wcb_next(&dead, 0); r < HD_WCB_REGISTERS; r = hd_wcb_next(&dead, r + 1))
		hd_wcb_add(&mine->lost, r);
	kept = hd_wcb_both(&kept, &mine->block.live);
	return settled(warp, &kept);
}

/* Of registers that come into the cache those that are fetched; others get a place. */
static struct hd_wcb_set worth_fetching(const struct hd_policy_handle *self, const struct hd_warp *warp,
					const struct hd_wcb_set *in)
{
	if (!ltrf_gpu_of(self, warp->cta->sm->gpu)->variant.plus)
		return *in;
	return hd_wcb_both(in, &ltrf_warp_of(self, warp)->block.live);
}

/* Of those that could leave as many as have to, so that `in` finds room: the dead first. */
static struct hd_wcb_set have_to_leave(const struct hd_wcb *block, const struct hd_wcb_set *out,
				       const struct hd_wcb_set *in)
{
	struct hd_wcb_set chosen = {{0}}, live = hd_wcb_both(out, &block->live), dead = hd_wcb_without(out, &live);
	const struct hd_wcb_set *turns[] = {&dead, &live};
	uint32_t wanted = hd_wcb_count(in), left = wanted > block->free ? wanted - block->free : 0;
	for (uint32_t turn = 0; turn < 2; turn++)
		for (uint32_t r = hd_wcb_next(turns[turn], 0); r < HD_WCB_REGISTERS && left;
		     r = hd_wcb_next(turns[turn], r + 1), left--)
			hd_wcb_add(&chosen, r);
	return chosen;
}

uint64_t ltrf_prefetch(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_wcb_set *set,
		       bool keeps, uint64_t from)
{
	struct hd_gpu *gpu = warp->cta->sm->gpu;
	struct hd_wcb *block = &ltrf_warp_of(self, warp)->block;
	struct ltrf_counts *counts = ltrf_counts_of(self, warp);
	bool reload = hd_policy_setting(self, gpu, LTRF_RELOAD) != 0;
	struct hd_wcb_set old = block->set, out = reload ? old : hd_wcb_without(&old, set);
	struct hd_wcb_set in = reload ? *set : hd_wcb_without(set, &old);
	if (keeps && !reload)
		out = have_to_leave(block, &out, &in);
	struct hd_wcb_set kept = worth_keeping(self, warp, &out);
	uint8_t banks[HD_WCB_REGISTERS];
	memcpy(banks, block->bank, sizeof banks);
	hd_wcb_release(block, &out);
	if (!hd_wcb_allocate(block, &in))
		return UINT64_MAX;
	block->valid = block->set;
	struct hd_wcb_set fetched = worth_fetching(self, warp, &in);
	counts->prefetched += hd_wcb_count(&fetched);
	counts->written_back += hd_wcb_count(&kept);
	from += ltrf_ticks(self, gpu, LTRF_LOOKUP);
	uint64_t done = read_in(self, warp, &fetched, from);
	write_back(self, warp, &kept, banks, from);
	return hd_tick_cycle(done);
}

bool ltrf_assign(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_wcb_set *set)
{
	struct hd_wcb *block = &ltrf_warp_of(self, warp)->block;
	struct hd_wcb_set out = hd_wcb_without(&block->set, set), in = hd_wcb_without(set, &block->set);
	hd_wcb_release(block, &out);
	return hd_wcb_allocate(block, &in);
}

/* ---- rows */

static uint32_t first_row(const struct ltrf_sm *sm, uint32_t rows)
{
	uint32_t best = UINT32_MAX;
	for (uint32_t i = 0; i < rows; i++)
		if (!sm->row_taken[i] && (best == UINT32_MAX || sm->row_free[i] < sm->row_free[best]))
			best = i;
	return best;
}

uint64_t ltrf_activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct ltrf_sm *ltrf = ltrf_sm_of(self, sm);
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	struct ltrf_counts *counts = ltrf_counts_of(self, warp);
	uint32_t row = first_row(ltrf, ltrf_gpu_of(self, sm->gpu)->rows);
	ltrf->row_taken[row] = true;
	mine->row = row + 1;
	mine->block.valid = mine->block.set;
	uint64_t from = hd_later(now * HD_TICKS, ltrf->row_free[row]);
	struct hd_wcb_set fetched = worth_fetching(self, warp, &mine->block.set);
	if (!hd_wcb_count(&fetched))
		return hd_tick_cycle(from);
	*(mine->begun ? &counts->activations : &counts->prefetches) += 1;
	*(mine->begun ? &counts->refetched : &counts->prefetched) += hd_wcb_count(&fetched);
	return hd_tick_cycle(read_in(self, warp, &fetched, from + ltrf_ticks(self, sm->gpu, LTRF_LOOKUP)));
}

void ltrf_deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, bool ended, uint64_t now)
{
	struct ltrf_sm *ltrf = ltrf_sm_of(self, warp->cta->sm);
	struct ltrf_warp *mine = ltrf_warp_of(self, warp);
	struct hd_wcb_set none = {{0}};
	uint64_t *row_free = &ltrf->row_free[mine->row - 1];
	ltrf->row_taken[mine->row - 1] = false;
	mine->row = 0;
	*row_free = now * HD_TICKS;
	if (!ended) {
		struct hd_wcb_set kept = worth_keeping(self, warp, &mine->block.set);
		ltrf_counts_of(self, warp)->saved += hd_wcb_count(&kept);
		*row_free = write_back(self, warp, &kept, mine->block.bank, now * HD_TICKS);
	}
	mine->block.valid = none;
}
