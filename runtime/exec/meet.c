/*
 * Operations among the lanes of a warp: from sm_70 on shuffles, votes, matches and __syncwarp wait until every lane of
 * their mask that has not ended is at one of the same kind with the same mask, wherever that stands (PTX ISA,
 * shfl.sync, vote.sync, match.sync, bar.warp.sync; NVIDIA, CUDA C++ Programming Guide, "Independent Thread
 * Scheduling"). Of the same kind: the opcode and its mode, of matches also the width.
 *
 * Where all of these lanes are in the running path the operation is executed like any other. Otherwise the path waits,
 * and others of the warp run, those that wait to reconverge with it last, since they then go on without it. At the same
 * instruction paths become one again (yield.c). When the last lane comes the results of all are worked out, because
 * registers of lanes that go on change; each path gets its own when it executes its instruction.
 *
 * A path may have lanes of several masks: those whose lanes are complete go on in an entry of their own. When nobody is
 * left who could come, or a lane comes that its own mask does not name, the launch ends.
 *
 * Needs simt.c and yield.c. Cost: a comparison where all lanes of the warp are together; else O(lanes) for the masks,
 * and O(lanes * stack) for each mask whose lanes are in several paths.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

static const struct hd_inst *inst_at(const struct hd_exec *exec, uint32_t lane)
{
	return &exec->gpu->program.code.data[hd_simt_pc_of(exec->warp, lane)].inst;
}

const char *hd_meeting_name(unsigned op)
{
	switch (op) {
	case HD_OP_SHFL: return "shuffle";
	case HD_OP_VOTE: return "vote";
	case HD_OP_MATCH: return "match";
	default: return "__syncwarp";
	}
}

uint32_t hd_meeting_mask(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane)
{
	if (inst->op == HD_OP_WARPSYNC)
		return hd_operand_value(warp, inst, HD_SLOT_B, 1u << lane);
	if (hd_mod_get(inst->mods, HD_MOD_MEMBERS) != HD_MEMBERS_MASK)
		return HD_FULL;
	return hd_row(warp, inst->op == HD_OP_SHFL ? inst->c : inst->b)[lane];
}

static bool same_kind(const struct hd_inst *a, const struct hd_inst *b)
{
	if (a->op != b->op)
		return false;
	switch (a->op) {
	case HD_OP_SHFL: return hd_mod_get(a->mods, HD_MOD_SHFLMODE) == hd_mod_get(b->mods, HD_MOD_SHFLMODE);
	case HD_OP_MATCH:
		if (hd_op_width(HD_OP_MATCH, a->mods, HD_SLOT_A) != hd_op_width(HD_OP_MATCH, b->mods, HD_SLOT_A))
			return false;
		return hd_mod_get(a->mods, HD_MOD_VOTEMODE) == hd_mod_get(b->mods, HD_MOD_VOTEMODE);
	case HD_OP_VOTE: return hd_mod_get(a->mods, HD_MOD_VOTEMODE) == hd_mod_get(b->mods, HD_MOD_VOTEMODE);
	default: return true;
	}
}

/* Lanes that are at an operation of this kind with this mask, here or waiting. */
static uint32_t lanes_with(const struct hd_exec *exec, const struct hd_inst *inst, uint32_t members)
{
	uint32_t lanes = 0;
	HD_FOR_LANES (lane, exec->mask)
		lanes |= (uint32_t)(hd_meeting_mask(exec->warp, inst, lane) == members) << lane;
	HD_FOR_LANES (lane, exec->warp->waits & ~exec->mask & members) {
		const struct hd_inst *other = inst_at(exec, lane);
		lanes |= (uint32_t)(same_kind(other, inst) && hd_meeting_mask(exec->warp, other, lane) == members)
			 << lane;
	}
	return lanes;
}

/* ---- results for lanes of several paths */

struct meeting {
	const struct hd_inst *inst[HD_WARP_LANES]; /* that each lane is at */
	uint32_t lanes;
};

static void answer(struct hd_warp *warp, uint32_t lane, uint32_t word, bool pred)
{
	warp->answers[lane] = word;
	warp->answered = (warp->answered & ~(1u << lane)) | (uint32_t)pred << lane;
}

static void shuffle(struct hd_warp *warp, const struct meeting *meeting)
{
	HD_FOR_LANES (lane, meeting->lanes) {
		bool inside;
		uint32_t from = hd_exec_shuffle_source(warp, meeting->inst[lane], lane, &inside);
		if (!(meeting->lanes >> from & 1))
			from = lane;
		answer(warp, lane, hd_row(warp, meeting->inst[from]->a)[from], inside);
	}
}

static void vote(struct hd_warp *warp, const struct meeting *meeting)
{
	uint32_t ballot = 0;
	HD_FOR_LANES (lane, meeting->lanes)
		ballot |= hd_pred(warp, meeting->inst[lane]->psrc) & 1u << lane;
	bool all = ballot == meeting->lanes, any = ballot != 0;
	HD_FOR_LANES (lane, meeting->lanes) {
		unsigned mode = hd_mod_get(meeting->inst[lane]->mods, HD_MOD_VOTEMODE);
		answer(warp, lane, ballot, mode == HD_VOTE_ALL ? all : mode == HD_VOTE_ANY ? any : all || !any);
	}
}

static void match(struct hd_warp *warp, const struct meeting *meeting)
{
	HD_FOR_LANES (lane, meeting->lanes) {
		const struct hd_inst *inst = meeting->inst[lane];
		uint64_t value = hd_exec_match_value(warp, inst, lane);
		uint32_t peers = 0;
		HD_FOR_LANES (other, meeting->lanes)
			peers |= (uint32_t)(hd_exec_match_value(warp, meeting->inst[other], other) == value) << other;
		bool all = peers == meeting->lanes, any_mode = hd_mod_get(inst->mods, HD_MOD_VOTEMODE) == HD_VOTE_ANY;
		answer(warp, lane, any_mode || all ? peers : 0, any_mode || all);
	}
}

/* All lanes of a mask are there. */
static void work_out(const struct hd_exec *exec, const struct hd_inst *inst, uint32_t lanes)
{
	struct hd_warp *warp = exec->warp;
	struct meeting meeting = {.lanes = lanes};
	HD_FOR_LANES (lane, lanes)
		meeting.inst[lane] = exec->mask >> lane & 1 ? inst : inst_at(exec, lane);
	switch (inst->op) {
	case HD_OP_SHFL: shuffle(warp, &meeting); break;
	case HD_OP_VOTE: vote(warp, &meeting); break;
	case HD_OP_MATCH: match(warp, &meeting); break;
	default: break;
	}
	HD_TELL(exec->gpu, met, warp, meeting.inst, lanes);
	warp->met |= lanes;
	warp->waits &= ~lanes;
}

static void deliver(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	if (hd_opinfo[inst->inst.op].dst != HD_W__)
		HD_FOR_LANES (lane, exec->mask)
			hd_dst_row(warp, inst->inst.dst)[lane] = warp->answers[lane];
	if (hd_opinfo[inst->inst.op].pdst)
		hd_set_pred(exec, inst->inst.pdst, warp->answered);
	warp->met &= ~exec->mask;
}

/* ---- meeting */

/* Lanes here that have all that their masks name; of those the results are worked out that others take part in. */
static uint32_t complete_lanes(struct hd_exec *exec, const struct hd_inst *inst)
{
	struct hd_warp *warp = exec->warp;
	uint32_t here = exec->mask, complete = here & warp->met;
	for (uint32_t left = here & ~complete; left;) {
		uint32_t members = hd_meeting_mask(warp, inst, (uint32_t)__builtin_ctz(left));
		uint32_t lanes = lanes_with(exec, inst, members), mine = lanes & here;
		left &= ~mine;
		if (members & warp->live & ~lanes & ~here)
			continue;
		complete |= mine;
		if (lanes & ~here)
			work_out(exec, inst, lanes);
	}
	/* Lanes that go on together have their results in one place. */
	for (uint32_t left = here & warp->met ? complete & ~warp->met : 0; left; left &= ~warp->met)
		work_out(exec, inst,
			 here & lanes_with(exec, inst, hd_meeting_mask(warp, inst, (uint32_t)__builtin_ctz(left))));
	return complete;
}

static void end_stranger(struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	HD_TELL(exec->gpu, stranger, exec, lane);
	HD_FAULT(exec, lane, HD_SIM_TIMEOUT, "%s of the mask 0x%x, which does not name lane %u itself",
		 hd_meeting_name(inst->inst.op), hd_meeting_mask(exec->warp, &inst->inst, lane), lane);
}

/* Where a lane is that is waited for. */
static void describe_missing(const struct hd_exec *exec, uint32_t lane, char *text, size_t size)
{
	const struct hd_warp *warp = exec->warp;
	const struct hd_inst *inst = inst_at(exec, lane);
	char place[400];
	hd_describe_place(exec->gpu, warp, hd_simt_pc_of(warp, lane), lane, place, sizeof place);
	if (warp->waits >> lane & 1)
		snprintf(text, size, "lane %u waits at %s of the mask 0x%x: %s", lane, hd_meeting_name(inst->op),
			 hd_meeting_mask(warp, inst, lane), place);
	else
		snprintf(text, size, "lane %u is in %s", lane, place);
}

static void end_waiting(struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t lane = (uint32_t)__builtin_ctz(exec->mask), members = hd_meeting_mask(warp, &inst->inst, lane);
	uint32_t missing = members & warp->live & ~lanes_with(exec, &inst->inst, members);
	char where[480] = "";
	if (missing)
		describe_missing(exec, (uint32_t)__builtin_ctz(missing), where, sizeof where);
	if (missing)
		HD_TELL(exec->gpu, missing, exec, lane, missing);
	HD_FAULT(exec, lane, HD_SIM_TIMEOUT, "%s of the mask 0x%x waits for ever for lanes 0x%x; %s",
		 hd_meeting_name(inst->inst.op), members, missing, where);
}

/* As where all are here and their own masks name them; exec->mask is not empty. */
static bool is_plain(const struct hd_exec *exec, const struct hd_inst *inst, uint32_t *stranger)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t named = 0;
	*stranger = HD_WARP_LANES;
	HD_FOR_LANES (lane, exec->mask) {
		uint32_t members = hd_meeting_mask(warp, inst, lane);
		named |= members;
		if (!(members >> lane & 1) && *stranger == HD_WARP_LANES)
			*stranger = lane;
	}
	return !(named & warp->live & ~exec->mask) && !(exec->mask & warp->met);
}

bool hd_warp_meet(struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_warp *warp = exec->warp;
	uint32_t stranger;
	/* A replica takes over what its warp has found. */
	if (!exec->mask || warp->replica)
		return false;
	warp->waits &= ~exec->mask;
	bool plain = is_plain(exec, &inst->inst, &stranger);
	if (stranger < HD_WARP_LANES) {
		end_stranger(exec, inst, stranger);
		return true;
	}
	if (plain)
		return false;
	if (warp->waits && !(exec->mask & warp->met) && hd_simt_join(exec))
		return true;
	uint32_t complete = complete_lanes(exec, &inst->inst);
	if (complete == exec->mask)
		return false;
	HD_TELL(exec->gpu, waits, exec, inst, exec->mask & ~complete);
	warp->waits |= exec->mask & ~complete;
	if (complete ? !hd_simt_part(exec, complete) : !hd_simt_leave(exec))
		end_waiting(exec, inst);
	return true;
}

bool hd_warp_meet_apart(struct hd_exec *exec, const struct hd_dinst *inst)
{
	if (hd_warp_meet(exec, inst)) {
		exec->stays = !exec->fault;
		exec->fault = true;
		return true;
	}
	if (!(exec->mask & exec->warp->met))
		return false;
	deliver(exec, inst);
	return true;
}
