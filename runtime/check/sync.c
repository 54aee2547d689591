/*
 * --check=sync: every thread of a warp that has not ended comes to a barrier together, and those that a __syncwarp
 * names come to it, or to one that names the same, before they meet again elsewhere.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"

/* The instruction that a lane waits at, or is to execute next. */
static uint32_t pc_of_lane(const struct hd_warp *warp, uint32_t lane)
{
	for (uint32_t i = warp->stack.len; i-- > 0;)
		if (warp->stack.data[i].mask >> lane & 1)
			return i + 1 == warp->stack.len ? warp->pc : warp->stack.data[i].pc;
	return warp->pc;
}

static void report_open(struct hd_check *check, const struct hd_warp *warp, struct hd_open_sync *open)
{
	uint32_t absent = open->members & warp->live & ~open->came;
	open->members = 0;
	hd_check_found(check, warp, (uint32_t)__builtin_ctz(open->came),
		       (struct hd_finding){.kind = open->barrier ? HD_FOUND_BARRIER : HD_FOUND_WARPSYNC,
					   .pc = open->pc,
					   .other_pc = open->other_pc == open->pc ? HD_PC_NONE : open->other_pc,
					   .other = warp->index * HD_WARP_LANES + (uint32_t)__builtin_ctz(absent),
					   .lanes = absent});
}

/* Lanes that came meet some here that did not; or these come to another barrier, when it was one. Those that end
 * without are not waited for. */
static void check_meeting(struct hd_check *check, const struct hd_exec *exec, struct hd_warp_check *state, bool barrier)
{
	for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++) {
		struct hd_open_sync *open = &state->open[i];
		uint32_t missing = open->members & exec->warp->live & ~open->came;
		bool meets = open->came & exec->mask || (open->barrier && barrier);
		if (!missing)
			open->members = 0;
		else if (missing & exec->mask && meets)
			report_open(check, exec->warp, open);
	}
}

static void keep_open(const struct hd_exec *exec, struct hd_warp_check *state, uint32_t members, bool barrier)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t missing = members & warp->live & ~exec->mask;
	struct hd_open_sync *place = &state->open[0];
	if (!missing)
		return;
	for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++) {
		struct hd_open_sync *open = &state->open[i];
		if (!barrier && !open->barrier && open->members == members && !(open->came & exec->mask)) {
			open->came |= exec->mask;
			return;
		}
		if (!open->members)
			place = open;
	}
	*place = (struct hd_open_sync){.members = members,
				       .came = exec->mask,
				       .pc = warp->pc,
				       .other_pc = pc_of_lane(warp, (uint32_t)__builtin_ctz(missing)),
				       .barrier = barrier};
}

static void check_members(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	uint32_t strangers = 0;
	HD_FOR_LANES (lane, exec->mask)
		strangers |= (~hd_operand_value(exec->warp, &inst->inst, HD_SLOT_B, 1u << lane) >> lane & 1) << lane;
	if (strangers)
		hd_check_found(check, exec->warp, (uint32_t)__builtin_ctz(strangers),
			       (struct hd_finding){.kind = HD_FOUND_WARPSYNC,
						   .pc = exec->warp->pc,
						   .other_pc = HD_PC_NONE,
						   .other = UINT32_MAX,
						   .what = "a thread calls it that its mask does not name"});
}

void hd_check_sync(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	bool barrier = inst->effects & HD_FX_BARRIER;
	if (!barrier && inst->inst.op != HD_OP_WARPSYNC)
		return;
	struct hd_warp_check *state = hd_check_warp(check, exec->warp);
	check_meeting(check, exec, state, barrier);
	if (!barrier)
		check_members(check, exec, inst);
	keep_open(exec, state,
		  barrier ? exec->warp->live : hd_operand_value(exec->warp, &inst->inst, HD_SLOT_B, exec->mask),
		  barrier);
}
