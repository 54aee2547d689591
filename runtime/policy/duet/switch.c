/*
 * Warps that stall for long make room for others (gpu-multiprogramming-lin, 3.6.1 to 3.6.6): a warp that waits for a
 * load that missed L1, or at a barrier, leaves its slot and registers when there is room for its context outside the
 * register file, or in the place of a warp that is ready. One engine an SM moves one context after the other; the two
 * warps that it is about do not issue meanwhile.
 *
 * All places of a kernel's contexts have one size, that of its largest switch point; what a warp's own point keeps
 * moves (stacks.c). Registers outside the point's masks are lost. Results that arrive meanwhile find the warp's
 * registers wherever these are. Where registers have room for all blocks slots alone move (3.6.1), at whatever
 * instruction the warp stalls.
 *
 * Cost: O(warps of an SM) an entry of a full queue, O(units) a move.
 */
#include <assert.h>
#include <string.h>

#include "heddle/figures.h"
#include "runtime/exec/fault.h"
#include "runtime/policy/duet/duet.h"

static struct duet_counts *counts_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return hd_policy_counts(self, warp);
}

/* ---- queues */

void duet_queue_leave(struct duet_queue *queue, uint32_t id)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < queue->count; i++)
		if (queue->warps[i] != id)
			queue->warps[kept++] = queue->warps[i];
	queue->count = kept;
}

void duet_ask(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	if (!mine->asked)
		hd_policy_at(self, sm, now + 1, DUET_LOOK);
	mine->asked = true;
}

/* Into the queue of its new state; where that is full it asks again when the queue is looked at. */
static void enter_queue(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			enum duet_state state, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_queue *queue = state == DUET_READY ? &mine->ready : &mine->stalled;
	struct duet_warp *own = duet_warp_of(self, warp);
	if (own->state == DUET_ABSENT && state == DUET_READY)
		counts_of(self, warp)->absent_cycles += now - own->since;
	own->state = state;
	own->since = now;
	own->asks = queue->count == DUET_QUEUE;
	if (own->asks)
		counts_of(self, warp)->queue_full++;
	else
		queue->warps[queue->count++] = warp->id;
	duet_ask(self, sm, now);
}

/* The oldest of those that found the queue full. */
static struct hd_warp *oldest_asking(const struct hd_policy_handle *self, struct hd_sm *sm, enum duet_state state)
{
	struct hd_warp *oldest = NULL;
	assert(sm->warps);
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
	duet_queue_leave(&mine->stalled, warp->id);
	duet_queue_leave(&mine->ready, warp->id);
}

/* ---- stalls */

/* Of CARS: what it is to store or load before its next instruction. */
static bool in_trap(const struct hd_warp *warp)
{
	return warp->injection.count || warp->injection.outstanding;
}

const struct hd_meta_switch *duet_point_of(const struct hd_sm *sm, const struct hd_warp *warp)
{
	const struct hd_pfunction *function;
	uint32_t pc = (uint32_t)(hd_warp_at(sm, warp) - sm->gpu->program.code.data);
	const struct hd_code_facts *facts = hd_facts_at(sm->gpu, pc, &function);
	if (!facts || facts->switching == HD_NO_FACT || warp->reordered || in_trap(warp))
		return NULL;
	return &function->said->switches[facts->switching];
}

/* Registers leave at switch points alone. */
static bool may_leave(const struct duet_gpu *duet, const struct hd_sm *sm, const struct hd_warp *warp)
{
	return !(duet->parts & HD_PART_REGISTERS) || duet_point_of(sm, warp);
}

static void stall(const struct hd_policy_handle *self, struct hd_warp *warp, bool barrier, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	if (duet_warp_of(self, warp)->state != DUET_RUNNING || !duet->growth.extra || hd_warp_is_away(warp) ||
	    in_trap(warp))
		return;
	counts_of(self, warp)->stalls++;
	counts_of(self, warp)->barrier_stalls += barrier;
	if (!barrier)
		hd_warp_await(sm, warp, HD_PENDING_LOADS);
	if (duet->level == DUET_WARPS)
		enter_queue(self, sm, warp, DUET_STALLED, now);
	else
		duet_block_stall(self, warp, now);
}

void duet_load_miss(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct hd_dinst *next = sm->next[warp->id];
	if (!duet_level_at(self, sm, warp->cta->grid))
		return;
	hd_hazard_add(&duet_warp_of(self, warp)->missed, &inst->writes);
	if (warp->state == HD_WARP_RUNNING && next && next != inst && hd_hazards_meet(&next->hazards, &inst->writes))
		stall(self, warp, false, now); /* it waits already */
}

void duet_first_use(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
		    uint64_t now)
{
	struct duet_warp *own = duet_warp_of(self, warp);
	if (!duet_level_at(self, warp->cta->sm, warp->cta->grid))
		return;
	bool missed = hd_hazards_meet(&own->missed, use->registers) || duet_gpu_of(self, warp->cta->sm->gpu)->virtual;
	hd_hazard_remove(&own->missed, use->registers);
	if (missed && use->waits)
		stall(self, warp, false, now);
}

void duet_barrier_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (duet_level_at(self, warp->cta->sm, warp->cta->grid) && duet_gpu_of(self, warp->cta->sm->gpu)->barriers)
		stall(self, warp, true, now);
}

/* What it waited for is there. */
static void end_of_stall(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct duet_warp *own = duet_warp_of(self, warp);
	if (duet_level_at(self, sm, warp->cta->grid) == DUET_BLOCKS) {
		duet_block_go_on(self, warp, now);
		return;
	}
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
	if (duet_level_at(self, warp->cta->sm, warp->cta->grid) && warp->state == HD_WARP_RUNNING)
		end_of_stall(self, warp, now);
}

void duet_barrier_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	if (duet_level_at(self, warp->cta->sm, warp->cta->grid))
		end_of_stall(self, warp, now);
}

/* ---- moves */

void duet_engine_start(const struct hd_policy_handle *self, struct hd_sm *sm, struct duet_counts *counts,
		       struct duet_load out, struct duet_load in, uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	uint64_t out_bytes = (uint64_t)out.units * DUET_UNIT_BYTES, in_bytes = (uint64_t)in.units * DUET_UNIT_BYTES;
	uint64_t cycles = duet_swap_cycles(out_bytes, in_bytes, duet->port, duet->both_ways);
	counts->cycles += cycles;
	counts->bytes += out_bytes + in_bytes;
	counts->stack_bytes += (uint64_t)(out.stacks + in.stacks) * DUET_UNIT_BYTES;
	duet_sm_of(self, sm)->busy = true;
	hd_policy_at(self, sm, now + (cycles ? cycles : 1), DUET_MOVED);
}

static enum duet_part context_part(const struct duet_gpu *duet)
{
	return duet->parts & HD_PART_SHARED ? DUET_REGISTERS : DUET_SHARED;
}

uint32_t duet_take_context(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	return duet_space_take_context(&duet_sm_of(self, sm)->space, context_part(duet), duet->moving);
}

bool duet_has_place(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	uint32_t place = duet_take_context(self, sm);
	if (place == DUET_NOWHERE)
		return false;
	duet_space_give(&duet_sm_of(self, sm)->space, place, duet_gpu_of(self, sm->gpu)->moving);
	return true;
}

static void begin_move(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *out, struct hd_warp *in,
		       uint64_t now)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_load leaves = {0}, enters = {0};
	if (out) {
		forget(self, sm, out);
		hd_warp_hold(sm, out);
		leaves = duet_warp_of(self, out)->load = duet_warp_load(duet, out);
		duet_warp_of(self, out)->state = DUET_LEAVING;
		duet_warp_of(self, out)->ended = false;
	}
	if (in) {
		forget(self, sm, in);
		if (duet_warp_of(self, in)->context)
			enters = duet_warp_of(self, in)->load;
		counts_of(self, in)->ready_cycles += now - duet_warp_of(self, in)->since;
		duet_warp_of(self, in)->state = DUET_ENTERING;
	}
	struct duet_counts *counts = counts_of(self, out ? out : in);
	counts->swaps += out && in && duet_warp_of(self, in)->context;
	mine->out = out;
	mine->in = in;
	duet_engine_start(self, sm, counts, leaves, enters, now);
}

struct hd_registers duet_registers_of(const struct hd_meta_switch *point, const struct hd_warp *warp)
{
	const struct hd_meta_registers *live = warp->active == warp->live ? &point->live : &point->live_divergent;
	struct hd_registers kept;
	for (uint32_t word = 0; word < 4; word++)
		kept.bits[word] = live->regs[word] | point->loading.regs[word];
	return kept;
}

/* Those that its switch point keeps; all where there is none, since its barrier has let it go meanwhile. */
static void suspend_registers(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_warp *own = duet_warp_of(self, warp);
	const struct hd_meta_switch *point = duet_point_of(sm, warp);
	struct hd_registers kept = {0};
	if (point)
		kept = duet_registers_of(point, warp);
	hd_warp_suspend(sm, warp, HD_PART_REGISTERS | HD_PART_STACK, point ? &kept : NULL);
	duet_stacks_follow(duet, warp, point ? &kept : NULL);
	duet_space_give(&duet_sm_of(self, sm)->space, own->at, duet->kernel.registers);
	own->at = DUET_NOWHERE;
}

static void end_out(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_warp *warp, uint32_t place,
		    uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_warp *own = duet_warp_of(self, warp);
	if (duet_gpu_of(self, sm->gpu)->parts & HD_PART_REGISTERS)
		suspend_registers(self, sm, warp);
	else
		hd_warp_suspend(sm, warp, HD_PART_STACK, NULL);
	own->context_at = place;
	own->context = true;
	mine->away++;
	counts_of(self, warp)->switched_out++;
	own->state = DUET_ABSENT;
	own->since = now;
	counts_of(self, warp)->barrier_outs += warp->state == HD_WARP_BARRIER;
	counts_of(self, warp)->too_late += own->ended;
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
	duet_stacks_follow(duet, warp, NULL);
	struct duet_counts *counts = counts_of(self, warp);
	*(own->context ? &counts->switched_in : &counts->began) += 1;
	if (duet->parts & HD_PART_REGISTERS)
		own->at = duet_space_take(&mine->space, DUET_REGISTERS, duet->kernel.registers);
	assert(own->at != DUET_NOWHERE);
	own->context = false;
	own->state = DUET_RUNNING;
	mine->away--;
}

/* A context that comes in leaves its place to the one that goes out. */
static void end_move(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct hd_warp *out = mine->out, *in = mine->in;
	mine->busy = false;
	mine->out = mine->in = NULL;
	bool had = in && duet_warp_of(self, in)->context;
	uint32_t place = had ? duet_warp_of(self, in)->context_at : DUET_NOWHERE;
	if (out)
		end_out(self, sm, out, had ? place : duet_take_context(self, sm), now);
	if (in)
		end_in(self, sm, in, now);
	if (!out && had && duet_warp_of(self, in)->state == DUET_RUNNING)
		duet_space_give(&mine->space, place, duet_gpu_of(self, sm->gpu)->moving);
}

/* The oldest stalled warp that may leave; others are no longer asked about. */
static struct hd_warp *next_out(const struct hd_policy_handle *self, struct hd_sm *sm)
{
	struct hd_warp *warp;
	while ((warp = head_of(self, sm, DUET_STALLED)) && !may_leave(duet_gpu_of(self, sm->gpu), sm, warp)) {
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
	if (duet_has_place(self, sm) || (in && duet_warp_of(self, in)->context))
		begin_move(self, sm, out, in, now);
}

void duet_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct duet_sm *mine = duet_sm_of(self, sm);
	bool blocks = duet_gpu_of(self, sm->gpu)->level == DUET_BLOCKS;
	if (arg == DUET_LOOK)
		mine->asked = false;
	else if (blocks)
		duet_block_moved(self, sm, now);
	else
		end_move(self, sm, now);
	if (blocks)
		duet_block_look(self, sm, now);
	else
		look(self, sm, now);
}

/* ---- blocks and warps come and go */

void duet_cta_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_gpu *duet = duet_gpu_of(self, sm->gpu);
	struct duet_sm *mine = duet_sm_of(self, sm);
	struct duet_cta *block = hd_policy_cta(self, cta);
	enum duet_level level = duet_level_at(self, sm, cta->grid);
	if (level == DUET_BLOCKS)
		duet_block_launch(self, sm, cta);
	if (level != DUET_WARPS)
		return;
	block->at = duet_space_take(&mine->space, DUET_SHARED, duet->kernel.shared);
	assert(block->at != DUET_NOWHERE);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp *warp = cta->warps[i];
		struct duet_warp *own = duet_warp_of(self, warp);
		bool away = hd_warp_is_away(warp);
		own->at = DUET_NOWHERE;
		if (!away || !(duet->parts & HD_PART_REGISTERS)) {
			own->at = duet_space_take(&mine->space, DUET_REGISTERS, duet->kernel.registers);
			assert(own->at != DUET_NOWHERE);
		}
		if (!away)
			continue;
		mine->away++;
		hd_warp_hold(sm, warp);
		enter_queue(self, sm, warp, DUET_READY, sm->now);
	}
}

void duet_cta_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	const struct duet_cta *block = hd_policy_cta(self, cta);
	enum duet_level level = duet_level_at(self, sm, cta->grid);
	if (level == DUET_BLOCKS)
		duet_block_retire(self, sm, cta);
	else if (level == DUET_WARPS)
		duet_space_give(&duet_sm_of(self, sm)->space, block->at, duet_gpu_of(self, sm->gpu)->kernel.shared);
}

/* Only warps that are there end. */
void duet_warp_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	enum duet_level level = duet_level_at(self, sm, warp->cta->grid);
	if (level == DUET_BLOCKS)
		duet_block_warp_done(self, warp, now);
	if (level != DUET_WARPS)
		return;
	forget(self, sm, warp);
	duet_space_give(&duet_sm_of(self, sm)->space, duet_warp_of(self, warp)->at,
			duet_gpu_of(self, sm->gpu)->kernel.registers);
	duet_ask(self, sm, now);
}

void duet_verify_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_sm *sm = warp->cta->sm;
	const struct duet_space *space = &duet_sm_of(self, sm)->space;
	uint32_t shared = duet_cta_of(self, warp->cta)->at;
	(void)inst;
	if (!duet_level_at(self, sm, warp->cta->grid))
		return;
	if (!duet_shared_present(space, shared))
		hd_gpu_fault(sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "the warp issues, but its block's shared memory is at unit %u of the on-chip space",
			     shared);
	if (!duet_present(space, duet_warp_of(self, warp)->at))
		hd_gpu_fault(sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "the warp issues, but its registers are at unit %u of the on-chip space",
			     duet_warp_of(self, warp)->at);
	else if (!duet_space_agrees(space))
		hd_gpu_fault(sm->gpu, warp, warp->pc, 0, HD_SIM_VERIFY,
			     "the bit map of the on-chip space differs from the allocations");
}

bool duet_why_held(const struct hd_policy_handle *self, const struct hd_warp *warp, char *text, size_t size)
{
	static const char *const why[] = {[DUET_LEAVING] = "its context is leaving its place",
					  [DUET_ABSENT] = "its context is away until what it waits for is there",
					  [DUET_READY] = "it waits for a slot and registers or shared memory",
					  [DUET_ENTERING] = "its context is coming to its place"};
	enum duet_level level = duet_level_at(self, warp->cta->sm, warp->cta->grid);
	uint32_t state = level == DUET_BLOCKS ? duet_cta_of(self, warp->cta)->state : duet_warp_of(self, warp)->state;
	if (!level || state < DUET_LEAVING)
		return false;
	snprintf(text, size, "%s", why[state]);
	return true;
}
