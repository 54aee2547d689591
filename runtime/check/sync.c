/*
 * --check=sync: every thread of a warp that has not ended comes to a barrier together, and to a shuffle, vote, match or
 * __syncwarp all come that it names. The executor has those wait (runtime/exec/meet.c) and tells who waits for ever;
 * here it shows when the others are at a barrier instead.
 */
#include "heddle/opcodes.h"
#include "runtime/check/state.h"

static void report_open(struct hd_check *check, const struct hd_warp *warp, struct hd_open_sync *open)
{
	uint32_t absent = open->members & warp->live & ~open->came;
	open->members = 0;
	hd_check_found(check, warp, (uint32_t)__builtin_ctz(open->came),
		       (struct hd_finding){.kind = HD_FOUND_BARRIER,
					   .pc = open->pc,
					   .other_pc = open->other_pc == open->pc ? HD_PC_NONE : open->other_pc,
					   .other = warp->index * HD_WARP_LANES + (uint32_t)__builtin_ctz(absent),
					   .lanes = absent});
}

/* Those that did not come to a barrier are at another one. Those that end without are not waited for. */
static void check_meeting(struct hd_check *check, const struct hd_exec *exec, struct hd_warp_check *state)
{
	for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++) {
		struct hd_open_sync *open = &state->open[i];
		uint32_t missing = open->members & exec->warp->live & ~open->came;
		if (!missing)
			open->members = 0;
		else if (missing & exec->mask)
			report_open(check, exec->warp, open);
	}
}

static void keep_open(const struct hd_exec *exec, struct hd_warp_check *state)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t missing = warp->live & ~exec->mask;
	struct hd_open_sync *place = &state->open[0];
	if (!missing)
		return;
	for (uint32_t i = 0; i < HD_CHECK_OPEN_SYNCS; i++)
		if (!state->open[i].members)
			place = &state->open[i];
	*place = (struct hd_open_sync){.members = warp->live,
				       .came = exec->mask,
				       .pc = warp->pc,
				       .other_pc = hd_simt_pc_of(warp, (uint32_t)__builtin_ctz(missing))};
}

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

/* Lanes that wait for some that come to a barrier instead. True: that was found. */
static bool check_waiting(struct hd_check *check, const struct hd_exec *exec)
{
	const struct hd_warp *warp = exec->warp;
	HD_FOR_LANES (lane, warp->waits & ~exec->mask) {
		const struct hd_inst *inst = &exec->gpu->program.code.data[hd_simt_pc_of(warp, lane)].inst;
		uint32_t missing = hd_meeting_mask(warp, inst, lane) & exec->mask;
		if (!missing)
			continue;
		report_missing(check, exec, lane, missing);
		return true;
	}
	return false;
}

void hd_check_sync(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (!(inst->effects & HD_FX_BARRIER))
		return;
	struct hd_warp_check *state = hd_check_warp(check, exec->warp);
	check_meeting(check, exec, state);
	if (!check_waiting(check, exec))
		keep_open(exec, state);
}
