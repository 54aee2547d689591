/*
 * Selection: shuffles, votes and matches among the lanes of a warp. A member mask that is known to name all lanes is in
 * the instruction's modifier; others come in a register, whether or not the lanes are together here, as ptxas puts a
 * WARPSYNC before the operation. Without a mask (before sm_70) those take part that are there. Which lanes are active
 * is asked of those that execute it together, since one of them may hold a lock that others wait for.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

/* The modifier, and the register of the mask if there is one. */
static uint16_t members_of(struct hd_select *sel, struct hd_opnd mask, struct hd_mreg *reg)
{
	bool all = mask.kind == HD_OPND_IMM && !mask.ref_kind && mask.x == 0xffffffffu;
	*reg = HD_MREG_NONE;
	if (mask.kind == HD_OPND_NONE)
		return HD_MOD(MEMBERS, HD_MEMBERS_ACTIVE);
	if (all)
		return HD_MOD(MEMBERS, HD_MEMBERS_WARP);
	*reg = hd_sel_opnd_reg(sel, mask, 1);
	return HD_MOD(MEMBERS, HD_MEMBERS_MASK);
}

/* ---- shuffles */

static uint32_t field(struct hd_opnd opnd, uint32_t bits)
{
	return opnd.kind == HD_OPND_IMM ? opnd.x & bits : 0;
}

/* Where c has the mask and the clamp is no number, b has both: the lane in its first byte, the clamp in the next two.
 */
static struct hd_mreg lane_and_clamp(struct hd_select *sel, struct hd_opnd lane, struct hd_opnd clamp)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	hd_sel_op(sel, HD_OP_PRMT, 0, dst, hd_reg(hd_sel_opnd_reg(sel, lane, 1)), hd_imm(0x5540),
		  hd_reg(hd_sel_opnd_reg(sel, clamp, 1)));
	return dst;
}

struct hd_mreg hd_sel_shfl(struct hd_select *sel, unsigned mode, const struct hd_shuffle *shuffle, uint32_t inside)
{
	struct hd_opnd lane = shuffle->lane, clamp = shuffle->clamp;
	struct hd_mreg from = hd_sel_opnd_reg(sel, shuffle->value, 1), dst = hd_mfunc_vreg(sel->func, 1), mask;
	uint16_t members = members_of(sel, shuffle->mask, &mask);
	bool lane_imm = lane.kind == HD_OPND_IMM, clamp_imm = clamp.kind == HD_OPND_IMM;
	struct hd_mreg b = HD_MREG_NONE, c = HD_MREG_NONE;
	if (mask.words && !clamp_imm) {
		b = lane_and_clamp(sel, lane, clamp);
		lane_imm = false;
	} else {
		b = lane_imm ? b : hd_sel_opnd_reg(sel, lane, 1);
		c = clamp_imm ? c : hd_sel_opnd_reg(sel, clamp, 1);
	}
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_SHFL,
					    (uint16_t)(HD_MOD(SHFLMODE, mode) | HD_MOD(BIMM, lane_imm) |
						       HD_MOD(CIMM, clamp_imm) | members));
	inst->dst = dst;
	inst->pdst = inside;
	inst->a = from;
	inst->b = b;
	inst->c = mask.words ? mask : c;
	/* Lanes count modulo 32, and so does every field of the clamp. */
	inst->x = (lane_imm ? field(lane, 0xff) : 0) | field(clamp, 0x1f1f) << 8;
	inst->xkind = lane_imm || clamp_imm ? HD_X_OTHER : HD_X_NONE;
	return dst;
}

/* ---- votes and matches */

static struct hd_minst *push_vote(struct hd_select *sel, unsigned mode, struct hd_popnd vote, struct hd_opnd mask)
{
	struct hd_mreg reg;
	uint16_t members = members_of(sel, mask, &reg);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_VOTE, (uint16_t)(HD_MOD(VOTEMODE, mode) | members));
	inst->psrc = vote.id;
	inst->psrc_not = vote.inverted;
	inst->b = reg;
	return inst;
}

struct hd_mreg hd_sel_ballot(struct hd_select *sel, struct hd_popnd vote, struct hd_opnd mask)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	push_vote(sel, HD_VOTE_ANY, vote, mask)->dst = dst;
	return dst;
}

struct hd_mreg hd_sel_active_mask(struct hd_select *sel)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	hd_sel_push(sel, HD_OP_VOTE, HD_MOD(VOTEMODE, HD_VOTE_ANY) | HD_MOD(MEMBERS, HD_MEMBERS_HERE))->dst = dst;
	return dst;
}

struct hd_leaf hd_sel_vote(struct hd_select *sel, unsigned mode, struct hd_popnd vote, struct hd_opnd mask)
{
	uint32_t result = hd_mfunc_pred(sel->func);
	push_vote(sel, mode, vote, mask)->pdst = result;
	return hd_leaf_pred(result, false);
}

/* out: the lanes that match, and, of mode ALL, whether all do. */
void hd_sel_match(struct hd_select *sel, unsigned mode, struct hd_leaf value, struct hd_opnd mask,
		  struct hd_leaf out[2])
{
	struct hd_mreg from = hd_sel_reg(sel, value), dst = hd_mfunc_vreg(sel->func, 1), reg;
	uint32_t all = mode == HD_VOTE_ALL ? hd_mfunc_pred(sel->func) : HD_MREG_PT;
	uint16_t members = members_of(sel, mask, &reg);
	unsigned type = value.words == 2 ? HD_U64 : HD_U32;
	if (from.id == HD_RZ)
		from.words = value.words;
	struct hd_minst *inst =
		hd_sel_push(sel, HD_OP_MATCH, (uint16_t)(HD_MOD(VOTEMODE, mode) | HD_MOD(STYPE, type) | members));
	inst->dst = dst;
	inst->pdst = all;
	inst->a = from;
	inst->b = reg;
	out[0] = hd_leaf_reg(dst);
	out[1] = hd_leaf_pred(all, false);
}
