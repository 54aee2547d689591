/*
 * Selection: votes and matches among the lanes of a warp. VOTE and MATCH answer for all active lanes; a member mask
 * that is not known to have all of them cuts that down to its own, since groups with masks of their own may come here
 * together (the tiles of a warp).
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

static bool is_full(struct hd_opnd mask)
{
	return mask.kind == HD_OPND_NONE || (mask.kind == HD_OPND_IMM && !mask.ref_kind && mask.x == 0xffffffffu);
}

static struct hd_minst *push_vote(struct hd_select *sel, unsigned mode, struct hd_popnd vote)
{
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_VOTE, HD_MOD(VOTEMODE, mode));
	inst->psrc = vote.id;
	inst->psrc_not = vote.inverted;
	return inst;
}

static struct hd_mreg both(struct hd_select *sel, struct hd_mreg a, struct hd_opnd b)
{
	return hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_reg(a), b, hd_none());
}

struct hd_mreg hd_sel_ballot(struct hd_select *sel, struct hd_popnd vote, struct hd_opnd mask)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	push_vote(sel, HD_VOTE_ANY, vote)->dst = dst;
	return is_full(mask) ? dst : both(sel, dst, mask);
}

static uint32_t is_zero(struct hd_select *sel, struct hd_mreg word)
{
	return hd_sel_isetp(sel, HD_CMP_EQ, false, hd_reg(word), hd_rz());
}

struct hd_leaf hd_sel_vote(struct hd_select *sel, unsigned mode, struct hd_popnd vote, struct hd_opnd mask)
{
	struct hd_popnd against = {vote.id, !vote.inverted};
	uint32_t result;
	if (is_full(mask)) {
		result = hd_mfunc_pred(sel->func);
		push_vote(sel, mode, vote)->pdst = result;
		return hd_leaf_pred(result, false);
	}
	struct hd_popnd nobody =
		(struct hd_popnd){mode == HD_VOTE_ALL ? HD_MREG_PT : is_zero(sel, hd_sel_ballot(sel, vote, mask)),
				  false};
	if (mode == HD_VOTE_ANY)
		return hd_leaf_pred(nobody.id, true);
	struct hd_popnd all = (struct hd_popnd){is_zero(sel, hd_sel_ballot(sel, against, mask)), false};
	return hd_leaf_pred(mode == HD_VOTE_ALL ? all.id : hd_sel_plop(sel, HD_BOOL_OR, nobody, all), false);
}

static struct hd_mreg push_match(struct hd_select *sel, unsigned mode, struct hd_leaf value, uint32_t all)
{
	struct hd_mreg reg = hd_sel_reg(sel, value), dst = hd_mfunc_vreg(sel->func, 1);
	if (reg.id == HD_RZ)
		reg.words = value.words;
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_MATCH,
					    HD_MOD(VOTEMODE, mode) | HD_MOD(STYPE, value.words == 2 ? HD_U64 : HD_U32));
	inst->dst = dst;
	inst->pdst = all;
	inst->a = reg;
	return dst;
}

/* out: the lanes that match, and, of mode ALL, whether all do. */
void hd_sel_match(struct hd_select *sel, unsigned mode, struct hd_leaf value, struct hd_opnd mask,
		  struct hd_leaf out[2])
{
	uint32_t all = HD_MREG_PT;
	if (is_full(mask)) {
		all = mode == HD_VOTE_ALL ? hd_mfunc_pred(sel->func) : HD_MREG_PT;
		out[0] = hd_leaf_reg(push_match(sel, mode, value, all));
		out[1] = hd_leaf_pred(all, false);
		return;
	}
	struct hd_mreg peers = both(sel, push_match(sel, HD_VOTE_ANY, value, HD_MREG_PT), mask);
	struct hd_mreg members;
	if (mode == HD_VOTE_ALL) {
		members = hd_sel_ballot(sel, (struct hd_popnd){HD_MREG_PT, false}, mask);
		all = hd_sel_isetp(sel, HD_CMP_EQ, false, hd_reg(peers), hd_reg(members));
		peers = hd_sel_select(sel, (struct hd_popnd){all, false}, hd_reg(peers), hd_rz());
	}
	out[0] = hd_leaf_reg(peers);
	out[1] = hd_leaf_pred(all, false);
}
