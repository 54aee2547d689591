/*
 * Warps stop for a preemption (gpu-multiprogramming-lin, 2.4.1, 2.4.3): they run on to a preemption point, or stop at
 * once; at barriers they stay. One that has stopped and has nothing under way has its context found, which then leaves.
 *
 * Cost: O(warps of a block) when one of them stops, waits at a barrier or ends.
 */
#include "runtime/policy/preempt/preempt.h"

#define AWAITED (HD_PENDING_ALL & ~HD_PENDING_STORES)

/* Whether each of the block's warps that are there is at a later stage; *others: those that wait at a barrier. */
bool preempt_all_at(const struct hd_policy_handle *self, const struct hd_cta *cta, uint8_t stage, uint32_t *others)
{
	bool all = true;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp || preempt_warp_of(self, warp)->stage >= stage)
			continue;
		if (others && warp->state == HD_WARP_BARRIER)
			++*others;
		else
			all = false;
	}
	return all;
}

static void count_context(const struct hd_policy_handle *self, const struct hd_warp *warp, bool leaves)
{
	struct preempt_counts *counts = preempt_counts_of(preempt_sm_of(self, warp->cta->sm), warp->cta);
	const struct preempt_context *context = &preempt_warp_of(self, warp)->context;
	uint64_t occupied = (uint64_t)warp->cta->grid->registers * HD_ROW_BYTES;
	counts->warps++;
	counts->divergent_warps += context->divergent;
	counts->occupied_bytes += occupied;
	counts->stack_bytes += PREEMPT_STACK_BYTES;
	counts->own_bytes += preempt_own_bytes(warp);
	if (!leaves) {
		counts->kept_bytes += occupied;
		return;
	}
	counts->live_bytes += (uint64_t)context->count * HD_ROW_BYTES;
	counts->register_bytes += context->bytes;
	counts->dead += context->patterns[PREEMPT_DEAD];
	counts->uniform += context->patterns[PREEMPT_UNIFORM];
	counts->strided += context->patterns[PREEMPT_STRIDED];
	counts->random += context->patterns[PREEMPT_RANDOM];
	counts->by_block += context->by_block;
}

static void has_stopped(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct preempt_warp *own = preempt_warp_of(self, warp);
	struct preempt_cta *block = preempt_cta_of(self, warp->cta);
	own->stage = PREEMPT_STOPPED;
	own->stopped = now;
	own->announced = true; /* it goes on behind them */
	if (!block->phase_from)
		block->phase_from = now;
	hd_warp_hold(sm, warp);
	hd_warp_await(sm, warp, AWAITED);
}

static bool waits_at_point(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return warp->state == HD_WARP_BARRIER && hd_warp_at(sm, warp)->stops & PREEMPT_POINT;
}

/* Nobody completes the barriers that the others of a block wait at when all that could are stopped. */
void preempt_look_at_block(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	uint32_t waiting = 0;
	bool all = preempt_all_at(self, cta, PREEMPT_STOPPED, &waiting);
	for (uint32_t i = 0; i < cta->warp_count && waiting; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (warp && preempt_warp_of(self, warp)->stage == PREEMPT_RUNS && warp->state == HD_WARP_BARRIER &&
		    (all || waits_at_point(sm, warp)))
			has_stopped(self, sm, warp, now);
	}
}

void preempt_stopped(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	has_stopped(self, sm, warp, now);
	preempt_look_at_block(self, sm, warp->cta, now);
}

void preempt_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (preempt_cta_of(self, warp->cta)->phase == PREEMPT_STOPS)
		preempt_look_at_block(self, warp->cta->sm, warp->cta, now);
}

/* Its context is known, and leaves. */
static void begin_move(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	const struct preempt_gpu *preempt = preempt_gpu_of(self, sm->gpu);
	struct preempt_cta *block = preempt_cta_of(self, warp->cta);
	struct preempt_warp *own = preempt_warp_of(self, warp);
	bool leaves = block->parts & HD_PART_REGISTERS;
	count_context(self, warp, leaves);
	block->stack_bytes += PREEMPT_STACK_BYTES + preempt_own_bytes(warp);
	own->stage = PREEMPT_MOVING;
	if (!leaves || !own->context.count) {
		preempt_note_moved(self, sm, warp, now);
		return;
	}
	own->at = block->stream;
	block->stream += own->context.bytes;
	uint32_t latency = preempt->saving >= PREEMPT_COMPRESSED ? preempt->latency : 0;
	if (latency)
		hd_policy_at(self, sm, now + latency, preempt_about(PREEMPT_REGISTERS, warp->id));
	else
		preempt_send_registers(self, sm, warp);
}

/* By block: when the last warp has stopped, all leave. */
static void look_at_drained(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct preempt_context *contexts[PREEMPT_BLOCK_WARPS] = {NULL};
	if (!preempt_all_at(self, cta, PREEMPT_DRAINED, NULL))
		return;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (warp && preempt_warp_of(self, warp)->stage == PREEMPT_DRAINED)
			contexts[i] = &preempt_warp_of(self, warp)->context;
	}
	preempt_compress_block(sm, cta, contexts);
	for (uint32_t i = 0; i < cta->warp_count; i++)
		if (contexts[i])
			begin_move(self, sm, hd_cta_warp(cta, i), now);
}

void preempt_drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct preempt_gpu *preempt = preempt_gpu_of(self, sm->gpu);
	struct preempt_warp *own = preempt_warp_of(self, warp);
	bool leaves = preempt_cta_of(self, warp->cta)->parts & HD_PART_REGISTERS;
	preempt_sm_of(self, sm)->stopped = now;
	preempt_context_of(sm, warp, leaves ? preempt->saving : PREEMPT_OCCUPIED, &own->context);
	if (leaves && preempt->saving == PREEMPT_BY_BLOCK) {
		own->stage = PREEMPT_DRAINED;
		look_at_drained(self, sm, warp->cta, now);
	} else {
		begin_move(self, sm, warp, now);
	}
}

void preempt_stop_block(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	bool at_once = preempt_gpu_of(self, sm->gpu)->at_once;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp || warp->state > HD_WARP_BARRIER || preempt_warp_of(self, warp)->stage != PREEMPT_RUNS)
			continue;
		if (at_once)
			has_stopped(self, sm, warp, now);
		else
			hd_warp_stop(sm, warp, PREEMPT_POINT);
	}
	preempt_look_at_block(self, sm, cta, now);
}

/* The others of its block may all have stopped, or have left. */
void preempt_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct preempt_warp *own = preempt_warp_of(self, warp);
	if (preempt_cta_of(self, warp->cta)->phase != PREEMPT_STOPS ||
	    warp->cta->warps_done + 1 == warp->cta->warp_count)
		return;
	own->stage = PREEMPT_MOVED;
	preempt_look_at_block(self, sm, warp->cta, now);
	if (preempt_gpu_of(self, sm->gpu)->saving == PREEMPT_BY_BLOCK)
		look_at_drained(self, sm, warp->cta, now);
	if (preempt_all_at(self, warp->cta, PREEMPT_MOVED, NULL))
		preempt_send_rest(self, sm, warp->cta, now);
}
