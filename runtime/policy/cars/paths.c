/*
 * Paths of a warp in different calls. CARS has one register stack a warp, and a SIMT stack runs one path to its end, so
 * that calls end in the reverse of their order. Threads that are scheduled independently (runtime/exec/yield.c, meet.c)
 * break that: a path that waits for lanes in another call gives way to them. The paper has no rule for it; here it is a
 * trap like those of III-C. What the stack has in registers goes to memory, and the frame in control of the path that
 * goes on comes back from there, its callers' when they are returned to.
 *
 * Each call of the SIMT stack has a number, which the entries of its paths share; the frame is there until the last of
 * them has returned. Positions of a stack without end are counted anew for the path that goes on, so that --verify
 * stops looking at the warp's rows.
 *
 * Cost: nothing for warps whose paths keep the stack's order; else O(entries of the SIMT stack) where the path changes.
 */
#include <assert.h>

#include "runtime/policy/cars/cars.h"

/* From *at on, outermost first: the next entry of the SIMT stack whose call the running path is in. False: there is
 * none. */
static bool next_call(const struct hd_warp *warp, uint32_t *at)
{
	for (; *at < warp->stack.len; ++*at) {
		const struct hd_simt *entry = &warp->stack.data[*at];
		if (entry->call_return != HD_PC_NONE && (entry->mask & warp->active) == warp->active)
			return true;
	}
	return false;
}

static bool is_open(const struct hd_warp *warp, uint32_t call)
{
	for (uint32_t i = 0; i < warp->stack.len; i++)
		if (warp->stack.data[i].call_return != HD_PC_NONE && warp->stack.data[i].call == call)
			return true;
	return false;
}

static struct cars_parked *parked_of(struct cars_warp *mine, uint32_t call)
{
	for (uint32_t i = 0; i < mine->parked.len; i++)
		if (mine->parked.data[i].call == call)
			return &mine->parked.data[i];
	return NULL;
}

/* The frames of the path that stops, and of no call that is over. */
static void park(struct hd_warp *warp, struct cars_warp *mine)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < mine->parked.len; i++)
		if (is_open(warp, mine->parked.data[i].call))
			mine->parked.data[kept++] = mine->parked.data[i];
	mine->parked.len = kept;
	for (uint32_t i = 0; i < mine->stack.frames.len; i++) {
		const struct cars_frame *frame = &mine->stack.frames.data[i];
		struct cars_parked now = {.call = frame->call,
					  .rows = cars_stack_rows(&mine->stack, i),
					  .mask = frame->mask,
					  .renamed = frame->renamed};
		struct cars_parked *known = parked_of(mine, frame->call);
		if (known)
			*known = now;
		else
			hd_vec_push_in(&mine->parked, &warp->cta->sm->arena, now);
	}
}

static bool is_current(const struct hd_warp *warp, const struct cars_stack *stack)
{
	uint32_t depth = 0;
	for (uint32_t i = 0; next_call(warp, &i); i++, depth++)
		if (depth == stack->frames.len || stack->frames.data[depth].call != warp->stack.data[i].call)
			return false;
	return depth == stack->frames.len;
}

/* Calls that are over need no place in memory. */
static void drop_ended(const struct hd_warp *warp, struct cars_stack *stack)
{
	uint32_t depth = stack->frames.len;
	while (depth && !is_open(warp, stack->frames.data[depth - 1].call))
		depth--;
	cars_stack_drop(stack, depth);
}

static uint32_t trap(const struct hd_policy_handle *self, struct hd_warp *warp, const struct cars_move *move,
		     enum hd_inject_kind kind)
{
	struct cars_counts *counts = &cars_sm_of(self, warp->cta->sm)->counts;
	if (!move->rows)
		return 0;
	if (kind == HD_INJECT_LOAD)
		cars_verify_fill(self, warp, move);
	counts->traps++;
	*(kind == HD_INJECT_STORE ? &counts->spilled_bytes : &counts->filled_bytes) += cars_trap(warp, move, kind);
	return cars_trap_cycles(warp->cta->sm);
}

/* The stack becomes that of the path that runs, all of it in memory. */
static uint32_t exchange(const struct hd_policy_handle *self, struct hd_warp *warp, struct cars_warp *mine)
{
	struct cars_move away = cars_stack_spill(&mine->stack);
	uint32_t cycles = trap(self, warp, &away, HD_INJECT_STORE);
	park(warp, mine);
	cars_stack_drop(&mine->stack, 0);
	for (uint32_t i = 0; next_call(warp, &i); i++) {
		const struct cars_parked *parked = parked_of(mine, warp->stack.data[i].call);
		assert(parked);
		cars_stack_take_back(&mine->stack, parked, &warp->cta->sm->arena);
	}
	mine->apart = true;
	return cycles;
}

uint32_t cars_follow_path(const struct hd_policy_handle *self, struct hd_warp *warp, bool returned)
{
	struct cars_warp *mine = cars_warp_of(self, warp);
	if (returned)
		drop_ended(warp, &mine->stack);
	uint32_t cycles = is_current(warp, &mine->stack) ? 0 : exchange(self, warp, mine);
	struct cars_move back = cars_stack_fill(&mine->stack);
	return cycles + trap(self, warp, &back, HD_INJECT_LOAD);
}

void cars_path_switch(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now)
{
	const struct hd_effect *effect = &warp->cta->sm->effect;
	(void)how, (void)now;
	/* Calls are counted by the hooks for them, which come next. */
	if (!warp->reordered || effect->event == HD_EVENT_CALL || effect->all_returned)
		return;
	cars_follow_path(self, warp,
			 false); /* what changes paths has the time that it takes, the accesses come behind it */
}
