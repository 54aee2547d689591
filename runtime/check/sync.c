/*
 * --check=sync: every thread of a warp that has not ended comes to a barrier together with the others, and to a
 * shuffle, vote, match or __syncwarp all come that it names. Threads that have ended are not waited for, so what the
 * missing ones do instead decides:
 *
 *   barrier   "all threads in the warp must execute the same barrier instruction" (PTX ISA, bar.sync). It is a mistake
 *             as soon as a missing one does something, before it comes to the barrier or ends: reads or writes memory,
 *             or comes to another operation of this kind. One that goes to its end without has left, as by an early
 *             return, unless it has been at this barrier before: then it has left the loop around it.
 *   others    may come later, from another path, and the executor has them wait (runtime/exec/meet.c). It is a mistake
 *             when a missing one goes on where both paths meet, does something there, and ends; and when the executor
 *             finds that those who wait do so for ever.
 *
 * The compiler may have copied what follows into both paths, and the missing ones may have run theirs first, to its
 * end. So it is a mistake, too, when the others, behind the operation, soon do what the missing ones have done in
 * another copy of the same line.
 *
 * Cost: for an instruction that does something while lanes of its warp are elsewhere a walk over the SIMT stack.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"
#include "runtime/exec/fault.h"

/* Instructions behind an operation in which those who passed it are watched: what stands behind a branch comes soon. */
enum { LOOKS = 4 };

static bool ends_there(const struct hd_exec *exec, uint32_t pc)
{
	const struct hd_inst *inst = &exec->gpu->program.code.data[pc].inst;
	return inst->op == HD_OP_EXIT && inst->guard == HD_PT;
}

/* Of these lanes those that have nothing left to do but to end. */
static uint32_t leaving(const struct hd_exec *exec, uint32_t lanes)
{
	uint32_t left = 0;
	HD_FOR_LANES (lane, lanes)
		left |= (uint32_t)ends_there(exec, hd_simt_pc_of(exec->warp, lane)) << lane;
	return left;
}

/* Does the instruction do something that others could see, or wait for? */
static bool acts(const struct hd_dinst *inst)
{
	unsigned space = hd_opinfo[inst->inst.op].space;
	if (inst->effects & HD_FX_BARRIER || inst->meets || inst->inst.op == HD_OP_SYSCALL)
		return true;
	return inst->effects & (HD_FX_LOAD | HD_FX_STORE) && space != HD_AT_LOCAL && space != HD_AT_CONST;
}

static void report_open(struct hd_check *check, const struct hd_warp *warp, struct hd_open_sync *open)
{
	uint32_t absent = open->members & ~open->came;
	open->members = 0;
	hd_check_found(check, warp, (uint32_t)__builtin_ctz(open->came),
		       (struct hd_finding){.kind = open->meeting ? HD_FOUND_WARPSYNC : HD_FOUND_BARRIER,
					   .pc = open->pc,
					   .other_pc = open->other_pc == open->pc ? HD_PC_NONE : open->other_pc,
					   .other = warp->index * HD_WARP_LANES + (uint32_t)__builtin_ctz(absent),
					   .lanes = absent});
}

static struct hd_open_sync *free_place(struct hd_sync_check *state)
{
	for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++)
		if (!state->open[i].members)
			return &state->open[i];
	return &state->open[state->next_open++ % HD_CHECK_OPEN_SYNCS];
}

static struct hd_open_sync open_here(const struct hd_exec *exec, uint32_t came, uint32_t missing)
{
	const struct hd_warp *warp = exec->warp;
	return (struct hd_open_sync){.members = came | missing,
				     .came = came,
				     .pc = warp->pc,
				     .other_pc = hd_simt_pc_of(warp, (uint32_t)__builtin_ctz(missing)),
				     .meets_at = HD_PC_NONE};
}

/* ---- barriers */

static bool same_place(const struct hd_gpu *gpu, uint32_t pc, uint32_t other)
{
	if (pc == other)
		return true;
	struct hd_loc a = hd_place_of(gpu, pc), b = hd_place_of(gpu, other);
	return a.file && b.file && a.line && a.column && a.line == b.line && a.column == b.column &&
	       !strcmp(a.file, b.file);
}

/* Lanes that have been at this place, here or in another copy of it. */
static uint32_t visitors(const struct hd_gpu *gpu, const struct hd_visits *visits, uint32_t pc, bool copies_alone)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < HD_CHECK_VISITS; i++) {
		const struct hd_visit *visit = &visits->at[i];
		if (visit->lanes && !(copies_alone && visit->pc == pc) && same_place(gpu, pc, visit->pc))
			lanes |= visit->lanes;
	}
	return lanes;
}

static void note_visit(struct hd_visits *visits, uint32_t pc, uint32_t lanes)
{
	struct hd_visit *place = NULL;
	for (uint32_t i = 0; i < HD_CHECK_VISITS; i++)
		if (visits->at[i].lanes && visits->at[i].pc == pc)
			place = &visits->at[i];
		else if (!place && !visits->at[i].lanes)
			place = &visits->at[i];
	if (!place) {
		place = &visits->at[visits->next++ % HD_CHECK_VISITS];
		place->lanes = 0;
	}
	place->pc = pc;
	place->lanes |= lanes;
}

static uint32_t all_visitors(const struct hd_visits *visits)
{
	uint32_t lanes = 0;
	for (uint32_t i = 0; i < HD_CHECK_VISITS; i++)
		lanes |= visits->at[i].lanes;
	return lanes;
}

static void come_to_barrier(struct hd_check *check, const struct hd_exec *exec, struct hd_sync_check *state)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t missing = warp->live & ~exec->mask;
	if (missing) {
		struct hd_open_sync *open = free_place(state);
		uint32_t left = leaving(exec, missing);
		*open = open_here(exec, exec->mask, missing);
		if (left & (all_visitors(&state->apart) | visitors(check->gpu, &state->barriers, warp->pc, false)))
			report_open(check, warp, open);
	}
	note_visit(&state->barriers, warp->pc, exec->mask);
}

/* ---- operations that wait */

static void report_missing(struct hd_check *check, const struct hd_exec *exec, uint32_t lane, uint32_t missing)
{
	uint32_t first = (uint32_t)__builtin_ctz(missing);
	hd_check_found(check, exec->warp, lane,
		       (struct hd_finding){.kind = HD_FOUND_WARPSYNC,
					   .pc = hd_simt_pc_of(exec->warp, lane),
					   .other_pc = hd_simt_pc_of(exec->warp, first),
					   .other = exec->warp->index * HD_WARP_LANES + first,
					   .lanes = missing});
}

void hd_check_missing(struct hd_check *check, const struct hd_exec *exec, uint32_t lane, uint32_t missing)
{
	if (check->kinds & HD_CHECK_SYNC)
		report_missing(check, exec, lane, missing);
}

void hd_check_stranger(struct hd_check *check, const struct hd_exec *exec, uint32_t lane)
{
	if (check->kinds & HD_CHECK_SYNC)
		hd_check_found(check, exec->warp, lane,
			       (struct hd_finding){.kind = HD_FOUND_WARPSYNC,
						   .pc = exec->warp->pc,
						   .other_pc = HD_PC_NONE,
						   .other = UINT32_MAX,
						   .what = "a thread calls it that its mask does not name"});
}

/* Where the path of these lanes comes together with others. */
static uint32_t meeting_point(const struct hd_warp *warp, uint32_t lanes)
{
	for (uint32_t i = warp->stack.len; i-- > 0;)
		if (warp->stack.data[i].mask & lanes && warp->stack.data[i].reconv != HD_PC_NONE)
			return warp->stack.data[i].reconv;
	return HD_PC_NONE;
}

void hd_check_waits(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes)
{
	const struct hd_warp *warp = exec->warp;
	if (!(check->kinds & HD_CHECK_SYNC))
		return;
	struct hd_sync_check *state = &hd_check_warp(check, warp)->sync;
	uint32_t named = 0;
	HD_FOR_LANES (lane, lanes)
		named |= hd_meeting_mask(warp, &inst->inst, lane);
	uint32_t missing = named & warp->live & ~exec->mask & ~warp->waits;
	if (!missing)
		return;
	struct hd_open_sync *open = free_place(state);
	*open = open_here(exec, lanes, missing);
	open->meeting = true;
	open->meets_at = meeting_point(warp, lanes);
}

/* Lanes that wait for some that come to a barrier instead. True: that was found. */
static bool check_waiting(struct hd_check *check, const struct hd_exec *exec, struct hd_sync_check *state)
{
	const struct hd_warp *warp = exec->warp;
	HD_FOR_LANES (lane, warp->waits & ~exec->mask) {
		const struct hd_inst *inst = &exec->gpu->program.code.data[hd_simt_pc_of(warp, lane)].inst;
		uint32_t missing = hd_meeting_mask(warp, inst, lane) & exec->mask;
		if (!missing)
			continue;
		report_missing(check, exec, lane, missing);
		for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++) /* is told */
			if (state->open[i].meeting && state->open[i].came >> lane & 1)
				state->open[i].members = 0;
		return true;
	}
	return false;
}

/* ---- what those do that are missing */

static void watch_meeting(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
			  struct hd_open_sync *open)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t missing = open->members & ~open->came & exec->mask;
	if (!(warp->waits & open->came)) {
		open->members = 0; /* they go on */
		return;
	}
	if (warp->pc == open->meets_at)
		open->passed |= missing;
	if (acts(inst))
		open->acted |= missing & open->passed;
	if (inst->effects & HD_FX_EXIT && missing & open->acted) {
		open->members = open->came | (open->members & warp->live);
		report_open(check, warp, open);
	}
}

static void watch_barrier(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
			  struct hd_open_sync *open)
{
	uint32_t missing = open->members & exec->warp->live & ~open->came;
	if (!missing) {
		open->members = 0;
	} else if (missing & exec->mask && acts(inst)) {
		open->members = open->came | missing;
		report_open(check, exec->warp, open);
	}
}

/* Who did something while others were elsewhere that had not just left. */
static void note_apart(const struct hd_exec *exec, const struct hd_dinst *inst, struct hd_sync_check *state)
{
	uint32_t rest = exec->warp->live & ~exec->mask;
	if (acts(inst) && rest & ~leaving(exec, rest))
		note_visit(&state->apart, exec->warp->pc, exec->mask);
	else if (!rest || acts(inst))
		for (uint32_t i = 0; i < HD_CHECK_VISITS; i++)
			state->apart.at[i].lanes &= ~exec->mask;
}

/* What those do first who have passed an operation. */
static void watch_passing(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
			  struct hd_sync_check *state)
{
	const struct hd_warp *warp = exec->warp;
	struct hd_passing *passing = &state->passing;
	if (!passing->came || !acts(inst))
		return;
	uint32_t skipped = visitors(check->gpu, &state->apart, warp->pc, true) & passing->named & ~passing->came;
	bool together = exec->mask == passing->came;
	if (skipped && together)
		hd_check_found(check, warp, (uint32_t)__builtin_ctz(passing->came),
			       (struct hd_finding){.kind = passing->barrier ? HD_FOUND_BARRIER : HD_FOUND_WARPSYNC,
						   .pc = passing->pc,
						   .other_pc = warp->pc,
						   .other = warp->index * HD_WARP_LANES +
							    (uint32_t)__builtin_ctz(skipped),
						   .lanes = skipped});
	if (skipped || !together || !--passing->looks)
		passing->came = 0;
}

static void note_passing(const struct hd_exec *exec, const struct hd_dinst *inst, struct hd_sync_check *state)
{
	const struct hd_warp *warp = exec->warp;
	bool barrier = inst->effects & HD_FX_BARRIER;
	if (exec->mask & warp->met)
		return; /* the others came to it, and went on first */
	uint32_t named = barrier ? HD_FULL : 0;
	HD_FOR_LANES (lane, barrier ? 0 : exec->mask)
		named |= hd_meeting_mask(warp, &inst->inst, lane);
	if (exec->mask == warp->live && named & all_visitors(&state->apart) & ~warp->live)
		state->passing = (struct hd_passing){exec->mask, warp->pc, named, LOOKS, barrier};
}

void hd_check_sync(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_sync_check *state = &hd_check_warp(check, exec->warp)->sync;
	for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++) {
		struct hd_open_sync *open = &state->open[i];
		if (open->members && open->meeting)
			watch_meeting(check, exec, inst, open);
		else if (open->members)
			watch_barrier(check, exec, inst, open);
	}
	watch_passing(check, exec, inst, state);
	note_apart(exec, inst, state);
	if (inst->effects & HD_FX_BARRIER && !check_waiting(check, exec, state))
		come_to_barrier(check, exec, state);
	if (inst->effects & HD_FX_BARRIER || inst->meets)
		note_passing(exec, inst, state);
}
