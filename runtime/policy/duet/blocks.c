/*
 * Blocks all of whose warps stall for long make room for others (gpu-multiprogramming-lin, 3.6.2, 3.6.6): under GPUDuet
 * where shared memory limits a kernel, which then leaves for the register file with the warps' slots, while registers
 * stay; under Virtual Thread slots alone leave, for shared memory (3.5.2); and where blocks are to switch whatever
 * limits the kernel (3.7.2) registers and slots. Warps are told of as stalled, and as going on, by switch.c.
 *
 * A block is stalled when each warp that lives waits for a load or at a barrier, and ready again when each that does
 * not wait at a barrier has what it waited for. Blocks wait for no others of theirs, so that one that finds no place
 * stays where it is and goes on there. A place that becomes free is for a block that is ready before one that is
 * launched.
 *
 * Needs and cost: as switch.c's, O(warps of a block) a stall.
 */
#include <assert.h>

#include "runtime/policy/duet/duet.h"

static struct duet_counts *counts_of(const struct hd_policy_handle *self, const struct hd_sm *sm,
				     const struct hd_cta *cta)
{
	return hd_policy_counts_of(self, sm, cta->grid->slot);
}

/* ---- queues */

static uint32_t number_of(const struct hd_sm *sm, const struct hd_cta *cta)
{
	return (uint32_t)(cta - sm->ctas);
}

static struct duet_queue *queue_of(struct duet_sm *mine, enum duet_state state)
{
	return state == DUET_READY ? &mine->ready : &mine->stalled;
}

static void forget(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	duet_cta_of(self, cta)->asks = false;
	duet_queue_leave(&mine->stalled, number_of(sm, cta));
	duet_queue_leave(&mine->ready, number_of(sm, cta));
}

static void enter_queue(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta,
			enum duet_state state, uint64_t now)
{
	struct duet_queue *queue = queue_of(duet_sm_of(self, sm), state);
	struct duet_cta *own = duet_cta_of(self, cta);
	if (own->state == DUET_ABSENT && state == DUET_READY)
		counts_of(self, sm, cta)->absent_cycles += (now - own->since) * (cta->warp_count - cta->warps_done);
	own->state = (uint8_t)state;
	own->since = now;
	own->asks = queue->count == DUET_BLOCK_QUEUE;
	if (own->asks)
		counts_of(self, sm, cta)->queue_full++;
	else
		queue->warps[queue->count++] = number_of(sm, cta);
	duet_ask(self, sm, now);
}

static struct hd_cta *oldest_asking(const struct hd_policy_handle *self, const struct hd_sm *sm, enum duet_state state)
{
	struct hd_cta *oldest = NULL;
	for (uint32_t i = 0; i < sm->cta_count; i++) {
		struct hd_cta *cta = &sm->ctas[i];
		const struct duet_cta *own = duet_cta_of(self, cta);
		if (cta->used && own->asks && own->state == state && (!oldest || cta->start_age < oldest->start_age))
			oldest = cta;
	}
	return oldest;
}

static struct hd_cta *head_of(const struct hd_policy_handle *self, struct hd_sm *sm, enum duet_state state)
{
	struct duet_queue *queue = queue_of(duet_sm_of(self, sm), state);
	struct hd_cta *cta;
	while (queue->count < DUET_BLOCK_QUEUE && (cta = oldest_asking(self, sm, state))) {
		duet_cta_of(self, cta)->asks = false;
		queue->warps[queue->count++] = number_of(sm, cta);
	}
	return queue->count ? &sm->ctas[queue->warps[0]] : NULL;
}

/* ---- stalls */

/* Warps that live, and of these those that wait for loads, and at barriers. */
struct waiting {
	uint32_t all, loads, barriers;
};

static struct waiting count_waiting(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	struct waiting count = {0};
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!duet_lives(warp))
			continue;
		bool stalled = duet_warp_of(self, warp)->state == DUET_STALLED,
		     barrier = warp->state == HD_WARP_BARRIER;
		count.all++;
		count.loads += stalled && !barrier;
		count.barriers += stalled && barrier;
	}
	return count;
}

static bool is_stalled(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	struct waiting count = count_waiting(self, cta);
	return count.loads && count.loads + count.barriers == count.all;
}

static bool is_ready(const struct hd_policy_handle *self, const struct hd_cta *cta)
{
	struct waiting count = count_waiting(self, cta);
	return !count.loads && count.barriers < count.all;
}

static void look_whether_stalled(const struct hd_policy_handle *self, struct hd_cta *cta, uint64_t now)
{
	if (duet_cta_of(self, cta)->state == DUET_RUNNING && is_stalled(self, cta))
		enter_queue(self, cta->sm, cta, DUET_STALLED, now);
}

void duet_block_stall(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	duet_warp_of(self, warp)->state = DUET_STALLED;
	look_whether_stalled(self, warp->cta, now);
}

void duet_block_go_on(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct hd_cta *cta = warp->cta;
	struct duet_cta *own = duet_cta_of(self, cta);
	duet_warp_of(self, warp)->state = DUET_RUNNING;
	if (own->state == DUET_STALLED) {
		forget(self, sm, cta);
		own->state = DUET_RUNNING;
	} else if (own->state == DUET_ABSENT && is_ready(self, cta)) {
		enter_queue(self, sm, cta, DUET_READY, now);
	}
}

/* ---- moves */

static void hold(struct hd_sm *sm, const struct hd_cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count; i++)
		if (duet_lives(hd_cta_warp(cta, i)))
			hd_warp_hold(sm, cta->warps[i]);
}

static void begin_move(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *out, struct hd_cta *in,
		       uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_counts *counts = counts_of(self, sm, out ? out : in);
	struct duet_load leaves = {0}, enters = {0};
	if (out) {
		forget(self, sm, out);
		hold(sm, out);
		leaves = duet_cta_of(self, out)->load = duet_block_load(duet, out);
		duet_cta_of(self, out)->state = DUET_LEAVING;
	}
	if (in) {
		struct duet_cta *own = duet_cta_of(self, in);
		forget(self, sm, in);
		if (own->context)
			enters = own->load;
		counts->ready_cycles += (now - own->since) * (in->warp_count - in->warps_done);
		counts->swaps += out && own->context;
		own->state = DUET_ENTERING;
	}
	mine->block_out = out;
	mine->block_in = in;
	duet_engine_start(self, sm, counts, leaves, enters, now);
}

/* Registers leave as those of single warps do, each with what lives at its switch point. */
static void suspend_registers(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_cta *cta)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!duet_lives(warp))
			continue;
		const struct hd_meta_switch *point = duet_point_of(sm, warp);
		struct hd_registers kept = {0};
		if (point)
			kept = duet_registers_of(point, warp);
		hd_warp_suspend(sm, warp, HD_PART_REGISTERS | HD_PART_STACK, point ? &kept : NULL);
		duet_stacks_follow(duet_gpu_of(self, sm->gpu), warp, point ? &kept : NULL);
		duet_space_give(&mine->space, duet_warp_of(self, warp)->at,
				duet_gpu_of(self, sm->gpu)->kernel.registers);
	}
}

static void end_out(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint32_t place,
		    uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_cta *own = duet_cta_of(self, cta);
	if (duet->parts & HD_PART_REGISTERS)
		suspend_registers(self, sm, cta);
	hd_cta_suspend(sm, cta, (duet->parts & HD_PART_SHARED) | HD_PART_STACK);
	if (duet->parts & HD_PART_SHARED)
		duet_space_give(&mine->space, own->at, duet->kernel.shared);
	assert(place != DUET_NOWHERE);
	own->context_at = place;
	own->context = true;
	own->state = DUET_ABSENT;
	own->since = now;
	mine->away++;
	counts_of(self, sm, cta)->blocks_out++;
	counts_of(self, sm, cta)->switched_out += cta->warp_count - cta->warps_done;
	counts_of(self, sm, cta)->too_late += is_ready(self, cta) ? cta->warp_count - cta->warps_done : 0;
	if (is_ready(self, cta))
		enter_queue(self, sm, cta, DUET_READY, now);
}

static void take_places(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	for (uint32_t i = 0; i < cta->warp_count && duet->parts & HD_PART_REGISTERS; i++) {
		if (!duet_lives(hd_cta_warp(cta, i)))
			continue;
		uint32_t at = duet_space_take(&mine->space, DUET_REGISTERS, duet->kernel.registers);
		assert(at != DUET_NOWHERE);
		duet_warp_of(self, cta->warps[i])->at = at;
	}
	if (!(duet->parts & HD_PART_SHARED))
		return;
	duet_cta_of(self, cta)->at = duet_space_take(&mine->space, DUET_SHARED, duet->kernel.shared);
	assert(duet_cta_of(self, cta)->at != DUET_NOWHERE);
}

static void end_in(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, uint64_t now)
{
	struct duet_counts *counts = counts_of(self, sm, cta);
	struct duet_cta *own = duet_cta_of(self, cta);
	uint32_t warps = cta->warp_count - cta->warps_done;
	bool there = hd_cta_can_return(sm, cta) && hd_cta_return(sm, cta);
	assert(there); /* nobody else is launched meanwhile: duet_block_waits */
	(void)there;
	*(own->context ? &counts->blocks_in : &counts->blocks_began) += 1;
	*(own->context ? &counts->switched_in : &counts->began) += warps;
	take_places(self, sm, cta);
	own->context = false;
	own->state = DUET_RUNNING;
	duet_sm_of(self, sm)->away--;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		if (!hd_cta_warp(cta, i))
			continue;
		hd_warp_resume(sm, cta->warps[i], now);
		duet_stacks_follow(duet_gpu_of(self, sm->gpu), cta->warps[i], NULL);
	}
	hd_sm_request_dispatch(sm);
}

/* As with warps, a context that comes in leaves its place to the one that goes out. */
void duet_block_moved(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct hd_cta *out = mine->block_out, *in = mine->block_in;
	mine->busy = false;
	mine->block_out = mine->block_in = NULL;
	bool had = in && duet_cta_of(self, in)->context;
	uint32_t place = had ? duet_cta_of(self, in)->context_at : DUET_NOWHERE;
	if (out)
		end_out(self, sm, out, had ? place : duet_take_context(self, sm), now);
	if (in)
		end_in(self, sm, in, now);
	if (!out && had)
		duet_space_give(&mine->space, place, duet_gpu_of(self, sm->gpu)->moving);
}

/* Registers leave at switch points alone. */
static bool can_leave(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_cta *cta)
{
	for (uint32_t i = 0; i < cta->warp_count && duet_gpu_of(self, sm->gpu)->parts & HD_PART_REGISTERS; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		if (duet_lives(warp) && !duet_point_of(sm, warp))
			return false;
	}
	return true;
}

static struct hd_cta *next_out(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	struct hd_cta *cta;
	while ((cta = head_of(self, sm, DUET_STALLED)) && !can_leave(self, sm, cta)) {
		forget(self, sm, cta);
		duet_cta_of(self, cta)->state = DUET_RUNNING;
	}
	return cta;
}

void duet_block_look(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	if (mine->busy || !mine->away)
		return;
	struct hd_cta *in = head_of(self, sm, DUET_READY), *out;
	if (in && hd_cta_can_return(sm, in)) {
		begin_move(self, sm, NULL, in, now);
		return;
	}
	if (!(out = next_out(self, sm)) || (!in && !duet_gpu_of(self, sm->gpu)->eager))
		return;
	if (duet_has_place(self, sm) || (in && duet_cta_of(self, in)->context))
		begin_move(self, sm, out, in, now);
}

bool duet_block_waits(const struct hd_policy_handle *self, const struct hd_sm *sm)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	if (mine->block_in)
		return !mine->block_out;
	return mine->ready.count && hd_cta_can_return((struct hd_sm *)sm, &sm->ctas[mine->ready.warps[0]]);
}

/* ---- blocks and warps come and go */

/* One that has no slots for all of its warps has none, and so one that has slots which single warps left. */
void duet_block_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_cta *own = duet_cta_of(self, cta);
	bool whole = !cta->away && sm->places.placed_ctas <= duet->kernel.native;
	for (uint32_t i = 0; i < cta->warp_count; i++)
		whole &= !hd_warp_is_away(cta->warps[i]);
	if (whole || !(duet->parts & HD_PART_SHARED)) {
		own->at = duet_space_take(&mine->space, DUET_SHARED, duet->kernel.shared);
		assert(own->at != DUET_NOWHERE);
	}
	for (uint32_t i = 0; i < cta->warp_count && (whole || !(duet->parts & HD_PART_REGISTERS)); i++) {
		struct duet_warp *warp = duet_warp_of(self, cta->warps[i]);
		warp->at = duet_space_take(&mine->space, DUET_REGISTERS, duet->kernel.registers);
		assert(warp->at != DUET_NOWHERE);
	}
	if (whole)
		return;
	hd_cta_suspend(sm, cta, (duet->parts & ~(uint32_t)HD_PART_SLOT) | HD_PART_STACK);
	for (uint32_t i = 0; i < cta->warp_count; i++)
		duet_stacks_follow(duet, cta->warps[i], NULL);
	hold(sm, cta);
	mine->away++;
	enter_queue(self, sm, cta, DUET_READY, sm->now);
}

/* A block may end while it leaves, is away or comes in, when its warps waited only for what they had started: then a
 * context's place becomes free, and what had left with it is no longer the block's. */
void duet_block_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_cta *own = duet_cta_of(self, cta);
	bool away = own->state == DUET_ABSENT || own->state == DUET_READY || own->state == DUET_ENTERING;
	forget(self, sm, cta);
	mine->block_out = mine->block_out == cta ? NULL : mine->block_out;
	mine->block_in = mine->block_in == cta ? NULL : mine->block_in;
	mine->away -= away;
	if (own->context)
		duet_space_give(&mine->space, own->context_at, duet->moving);
	own->context = false;
	if (!away || !(duet->parts & HD_PART_SHARED))
		duet_space_give(&mine->space, own->at, duet->kernel.shared);
	duet_ask(self, sm, sm->now);
}

/* The others may all be stalled. One that ends while its block is away, since it waited only for what it had started,
 * has no registers there that are its own. */
void duet_block_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	bool away = (warp->away & HD_PART_REGISTERS) != 0;
	if (!away)
		duet_space_give(&duet_sm_of(self, sm)->space, duet_warp_of(self, warp)->at,
				duet_gpu_of(self, sm->gpu)->kernel.registers);
	duet_warp_of(self, warp)->state = DUET_RUNNING;
	look_whether_stalled(self, warp->cta, now);
}
