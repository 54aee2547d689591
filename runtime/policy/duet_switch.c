/*
 * Warps that stall for long make room for others (gpu-multiprogramming-lin, 3.6.1 to 3.6.6): a warp that waits for a
 * load that missed L1, or at a barrier, leaves its slot and registers when there is room for its context outside the
 * register file, or in the place of a warp that is ready. One engine an SM moves one context after the other; the two
 * warps that it is about do not issue meanwhile.
 *
 * All contexts of a kernel have one size, that of its largest switch point. Registers outside the point's masks are
 * lost. Results that arrive meanwhile find the warp's registers wherever these are.
 *
 * Cost: O(warps of an SM) an entry of a full queue, O(units) a move.
 */
#include "runtime/policy/duet.h"

#include <assert.h>
#include <string.h>

enum { MOVED, LOOK }; /* alarms */

static struct duet_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

/* ---- queues */

static void leave_queue(struct duet_queue *queue, uint32_t id)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < queue->count; i++)
		if (queue->warps[i] != id)
			queue->warps[kept++] = queue->warps[i];
	queue->count = kept;
}

static void ask(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	if (!mine->asked)
		hd_policy_at(self, sm, now + 1, LOOK);
	mine->asked = true;
}

/* Into the queue of its new state; where that is full it asks again when the queue is looked at. */
static void enter_queue(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			enum duet_state state, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_queue *queue = state == DUET_READY ? &mine->ready : &mine->stalled;
	struct duet_warp *own = duet_warp_of(self, warp);
	own->state = state;
	own->asks = queue->count == DUET_QUEUE;
	if (own->asks)
		counts_of(self, warp)->queue_full++;
	else
		queue->warps[queue->count++] = warp->id;
	ask(self, sm, now);
}

/* The oldest of those that found the queue full. */
static struct hd_warp *oldest_asking(const struct hd_policy_handle *self, struct hd_sm *sm, enum duet_state state)
{
	struct hd_warp *oldest = NULL;
	for (uint32_t id = 0; id < sm->warp_count; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (warp->state > HD_WARP_BARRIER || warp->state == HD_WARP_FREE)
			continue;
		const struct duet_warp *own = duet_warp_of(self, warp);
		if (own->asks && own->state == state && (!oldest || warp->age < oldest->age))
			oldest = warp;
	}
	return oldest;
}

static struct hd_warp *head_of(const struct hd_policy_handle *self, struct hd_sm *sm, enum duet_state state)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_queue *queue = state == DUET_READY ? &mine->ready : &mine->stalled;
	struct hd_warp *warp;
	while (queue->count < DUET_QUEUE && (warp = oldest_asking(self, sm, state))) {
		duet_warp_of(self, warp)->asks = false;
		queue->warps[queue->count++] = warp->id;
	}
	return queue->count ? &sm->warps[queue->warps[0]] : NULL;
}

static void forget(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	duet_warp_of(self, warp)->asks = false;
	leave_queue(&mine->stalled, warp->id);
	leave_queue(&mine->ready, warp->id);
}

/* ---- stalls */

/* The switch point that the warp is at; NULL: none, it stays. */
static const struct hd_meta_switch *point_of(const struct hd_sm *sm, const struct hd_warp *warp)
{
	const struct hd_pfunction *function;
	uint32_t pc = (uint32_t)(hd_warp_at(sm, warp) - sm->gpu->program.code.data);
	const struct hd_code_facts *facts = hd_facts_at(sm->gpu, pc, &function);
	if (!facts || facts->switching == HD_NO_FACT || warp->reordered)
		return NULL;
	return &function->said->switches[facts->switching];
}

static void stall(const struct hd_policy_handle *self, struct hd_warp *warp, bool barrier, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	if (duet_warp_of(self, warp)->state != DUET_RUNNING || !duet_gpu_of(self, sm->gpu)->growth.extra ||
	    hd_warp_is_away(warp))
		return;
	counts_of(self, warp)->stalls++;
	counts_of(self, warp)->barrier_stalls += barrier;
	if (!barrier)
		hd_warp_await(sm, warp, HD_PENDING_LOADS);
	enter_queue(self, sm, warp, DUET_STALLED, now);
}

void duet_load_miss(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct hd_dinst *next = sm->next[warp->id];
	if (!duet_switches(self, sm, warp->cta->grid))
		return;
	hd_hazard_add(&duet_warp_of(self, warp)->missed, &inst->writes);
	if (warp->state == HD_WARP_RUNNING && next && next != inst && hd_hazards_meet(&next->hazards, &inst->writes))
		stall(self, warp, false, now); /* it waits already */
}

void duet_first_use(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
		    uint64_t now)
{
	struct duet_warp *own = duet_warp_of(self, warp);
	if (!duet_switches(self, warp->cta->sm, warp->cta->grid))
		return;
	bool missed = hd_hazards_meet(&own->missed, use->registers);
	hd_hazard_remove(&own->missed, use->registers);
	if (missed && use->waits)
		stall(self, warp, false, now);
}

void duet_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (duet_switches(self, warp->cta->sm, warp->cta->grid) && duet_gpu_of(self, warp->cta->sm->gpu)->barriers)
		stall(self, warp, true, now);
}

/* What it waited for is there. */
static void end_of_stall(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct duet_warp *own = duet_warp_of(self, warp);
	own->ended = own->state == DUET_LEAVING;
	if (own->state == DUET_STALLED) {
		forget(self, sm, warp);
		own->state = DUET_RUNNING;
	} else if (own->state == DUET_ABSENT) {
		enter_queue(self, sm, warp, DUET_READY, now);
	}
}

void duet_drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (duet_switches(self, warp->cta->sm, warp->cta->grid) && warp->state == HD_WARP_RUNNING)
		end_of_stall(self, warp, now);
}

void duet_barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (duet_switches(self, warp->cta->sm, warp->cta->grid))
		end_of_stall(self, warp, now);
}

/* ---- moves */

static uint64_t move_bytes(const struct duet_gpu *duet)
{
	return (uint64_t)duet->kernel.context * DUET_UNIT_BYTES;
}

static void begin_move(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *out, struct hd_warp *in,
		       uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	uint32_t contexts = out != NULL;
	if (out) {
		forget(self, sm, out);
		hd_warp_hold(sm, out);
		duet_warp_of(self, out)->state = DUET_LEAVING;
		duet_warp_of(self, out)->ended = false;
	}
	if (in) {
		forget(self, sm, in);
		contexts += duet_warp_of(self, in)->context;
		duet_warp_of(self, in)->state = DUET_ENTERING;
	}
	struct duet_counts *counts = counts_of(self, out ? out : in);
	uint64_t cycles = contexts * duet_move_cycles(move_bytes(duet), duet->port);
	counts->cycles += cycles;
	counts->bytes += contexts * move_bytes(duet);
	counts->swaps += out && in && duet_warp_of(self, in)->context;
	mine->busy = true;
	mine->out = out;
	mine->in = in;
	hd_policy_at(self, sm, now + (cycles ? cycles : 1), MOVED);
}

static void registers_of(const struct hd_meta_switch *point, const struct hd_warp *warp, struct hd_registers *kept)
{
	const struct hd_meta_registers *live = warp->active == warp->live ? &point->live : &point->live_divergent;
	for (uint32_t word = 0; word < 4; word++)
		kept->bits[word] = live->regs[word] | point->loading.regs[word];
}

static void end_out(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint32_t place,
		    uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_warp *own = duet_warp_of(self, warp);
	const struct hd_meta_switch *point = point_of(sm, warp); /* NULL: its barrier has let it go meanwhile */
	struct hd_registers kept;
	if (point)
		registers_of(point, warp, &kept);
	hd_warp_suspend(sm, warp, HD_PART_REGISTERS | HD_PART_STACK, point ? &kept : NULL);
	duet_space_give(&mine->space, own->at, duet->kernel.registers);
	own->at = place;
	own->context = true;
	mine->away++;
	counts_of(self, warp)->switched_out++;
	own->state = DUET_ABSENT;
	if (own->ended)
		enter_queue(self, sm, warp, DUET_READY, now);
}

/* It has its places, unless a new block took them while it was on its way. */
static void end_in(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_warp *own = duet_warp_of(self, warp);
	if (!hd_warp_resume(sm, warp, now)) {
		counts_of(self, warp)->turned_back += own->context;
		hd_warp_hold(sm, warp);
		enter_queue(self, sm, warp, DUET_READY, now);
		return;
	}
	struct duet_counts *counts = counts_of(self, warp);
	*(own->context ? &counts->switched_in : &counts->began) += 1;
	own->at = duet_space_take(&mine->space, DUET_REGISTERS, duet->kernel.registers);
	assert(own->at != DUET_NOWHERE);
	own->context = false;
	own->state = DUET_RUNNING;
	mine->away--;
}

/* A context that comes in leaves its place to the one that goes out. */
static void end_move(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct hd_warp *out = mine->out, *in = mine->in;
	uint32_t context = duet->kernel.context;
	mine->busy = false;
	mine->out = mine->in = NULL;
	bool had = in && duet_warp_of(self, in)->context;
	uint32_t place = had ? duet_warp_of(self, in)->at : DUET_NOWHERE;
	if (out)
		end_out(self, sm, out, had ? place : duet_space_take_context(&mine->space, context), now);
	if (in)
		end_in(self, sm, in, now);
	if (!out && had && duet_warp_of(self, in)->state == DUET_RUNNING)
		duet_space_give(&mine->space, place, context);
}

/* Whether a context more has a place, which it gets when the engine is done: nobody else takes one. */
static bool has_place(struct duet_sm *mine, uint32_t units)
{
	uint32_t place = duet_space_take_context(&mine->space, units);
	if (place == DUET_NOWHERE)
		return false;
	duet_space_give(&mine->space, place, units);
	return true;
}

/* The oldest stalled warp that is at a switch point; others are no longer asked about. */
static struct hd_warp *next_out(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	struct hd_warp *warp;
	while ((warp = head_of(self, sm, DUET_STALLED)) && !point_of(sm, warp)) {
		forget(self, sm, warp);
		duet_warp_of(self, warp)->state = DUET_RUNNING;
	}
	return warp;
}

static void look(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct hd_warp *in = head_of(self, sm, DUET_READY), *out;
	if (mine->busy || !mine->away)
		return;
	if (in && hd_warp_can_return(sm, in)) {
		begin_move(self, sm, NULL, in, now);
		return;
	}
	if (!(out = next_out(self, sm)) || (!in && !duet->eager))
		return;
	if (has_place(mine, duet->kernel.context) || (in && duet_warp_of(self, in)->context))
		begin_move(self, sm, out, in, now);
}

void duet_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	if (arg == MOVED)
		end_move(self, sm, now);
	else
		mine->asked = false;
	look(self, sm, now);
}

/* ---- blocks and warps come and go */

void duet_cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_cta *block = hd_policy_cta(self, cta);
	if (!duet_switches(self, sm, cta->grid))
		return;
	block->at = duet_space_take(&mine->space, DUET_SHARED, duet->kernel.shared);
	assert(block->at != DUET_NOWHERE);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = cta->warps[i];
		struct duet_warp *own = duet_warp_of(self, warp);
		if (!hd_warp_is_away(warp)) {
			own->at = duet_space_take(&mine->space, DUET_REGISTERS, duet->kernel.registers);
			assert(own->at != DUET_NOWHERE);
			continue;
		}
		own->at = DUET_NOWHERE;
		mine->away++;
		hd_warp_hold(sm, warp);
		enter_queue(self, sm, warp, DUET_READY, sm->now);
	}
}

void duet_cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_cta *block = hd_policy_cta(self, cta);
	if (duet_switches(self, sm, cta->grid))
		duet_space_give(&duet_sm_of(self, sm)->space, block->at, duet_gpu_of(self, sm->gpu)->kernel.shared);
}

/* Only warps that are there end. */
void duet_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	if (!duet_switches(self, sm, warp->cta->grid))
		return;
	forget(self, sm, warp);
	duet_space_give(&duet_sm_of(self, sm)->space, duet_warp_of(self, warp)->at,
			duet_gpu_of(self, sm->gpu)->kernel.registers);
	ask(self, sm, now);
}

void duet_verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct duet_space *space = &duet_sm_of(self, sm)->space;
	(void)inst;
	if (!duet_switches(self, sm, warp->cta->grid))
		return;
	if (!duet_present(space, duet_warp_of(self, warp)->at))
		hd_gpu_fault(sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "the warp issues, but its registers are at unit %u of the on-chip space",
			     duet_warp_of(self, warp)->at);
	else if (!duet_space_agrees(space))
		hd_gpu_fault(sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "the bit map of the on-chip space is not what was taken of it");
}

bool duet_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	static const char *const why[] = {[DUET_LEAVING] = "its context is leaving its registers",
					  [DUET_ABSENT] = "its context is away until what it waits for is there",
					  [DUET_READY] = "it waits for a slot and registers",
					  [DUET_ENTERING] = "its context is coming to its registers"};
	const struct duet_warp *own = duet_warp_of(self, warp);
	if (!duet_switches(self, warp->cta->sm, warp->cta->grid) || own->state < DUET_LEAVING)
		return false;
	snprintf(text, size, "%s", why[own->state]);
	return true;
}
