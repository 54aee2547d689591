/*
 * Selection: clusters of blocks (sm_90). Intrinsics of LLVM, and what inline PTX shares with them
 * (passes/ptx/cluster.c).
 *
 * An address of shared memory says in its upper byte which block of the cluster it is of, 0: the own one
 * (include/heddle/inst.h). A generic address has the same number as its low word.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

struct hd_leaf hd_sel_mapa(struct hd_select *sel, struct hd_leaf address, struct hd_opnd rank)
{
	struct hd_opnd low = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &address, 0), 1));
	struct hd_mreg mapped = hd_sel_alu(sel, HD_OP_MAPA, 0, low, rank, hd_none());
	if (address.words == 1)
		return hd_leaf_reg(mapped);
	return hd_leaf_reg(hd_sel_pair(sel, hd_reg(mapped), hd_sel_word(sel, &address, 1)));
}

static struct hd_mreg own_rank(struct hd_select *sel)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	hd_sel_push(sel, HD_OP_S2R, HD_MOD(SR, HD_SR_CLUSTER_CTARANK))->dst = dst;
	return dst;
}

/* Which block of the cluster the low word says, in its coding. */
static struct hd_opnd code_of(struct hd_select *sel, struct hd_leaf address)
{
	struct hd_opnd low = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &address, 0), 1));
	return hd_reg(hd_sel_alu(sel, HD_OP_SHR, HD_MOD(SIGN, HD_UNSIGNED), low, hd_imm(HD_RANK_SHIFT), hd_none()));
}

struct hd_leaf hd_sel_block_rank(struct hd_select *sel, struct hd_leaf address)
{
	struct hd_opnd code = code_of(sel, address);
	struct hd_opnd rank =
		hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, code, hd_imm(HD_RANK_FIRST - 1), hd_none()));
	struct hd_popnd own = {hd_sel_isetp(sel, HD_CMP_EQ, false, code, hd_rz()), false};
	return hd_leaf_reg(hd_sel_select(sel, own, hd_reg(own_rank(sel)), rank));
}

struct hd_leaf hd_sel_in_own_block(struct hd_select *sel, struct hd_leaf pointer)
{
	struct hd_leaf shared = hd_sel_in_space(sel, pointer, HD_AS_SHARED);
	struct hd_leaf rank = hd_sel_block_rank(sel, pointer);
	uint32_t own = hd_sel_isetp(sel, HD_CMP_EQ, false, hd_sel_word(sel, &rank, 0), hd_reg(own_rank(sel)));
	struct hd_popnd a = {shared.id, false}, b = {own, false};
	return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, a, b), false);
}

/* A thread that arrives has its earlier accesses done, as a fence has them; lanes on several paths meet before they
 * wait, since none of them could go on alone. */
void hd_sel_cluster_barrier(struct hd_select *sel, unsigned how)
{
	if (how & HD_CLUSTER_WAIT) {
		if (!(how & HD_CLUSTER_ALIGNED))
			hd_sel_op(sel, HD_OP_WARPSYNC, 0, HD_MREG_NONE, hd_none(), hd_imm(0xffffffffu), hd_none());
		hd_sel_push(sel, HD_OP_CGABAR_WAIT, 0);
		return;
	}
	if (!(how & HD_CLUSTER_RELAXED))
		hd_sel_push(sel, HD_OP_MEMBAR, HD_MOD(SCOPE, HD_SCOPE_GPU));
	hd_sel_push(sel, HD_OP_CGABAR_ARV, 0);
}

/* ---- LLVM's intrinsics */

/* Clusters came with sm_90. */
static bool is_refused(struct hd_select *sel)
{
	if (hd_sel_has_clusters(sel))
		return false;
	hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
	return true;
}

static void barrier(struct hd_select *sel, unsigned how)
{
	if (!is_refused(sel))
		hd_sel_cluster_barrier(sel, how);
}

static void depend(struct hd_select *sel, unsigned op)
{
	if (!is_refused(sel))
		hd_sel_push(sel, op, 0);
}

static void special(struct hd_select *sel, unsigned sr)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	hd_sel_push(sel, HD_OP_S2R, HD_MOD(SR, sr))->dst = dst;
	hd_sel_define_reg(sel, dst);
}

static void bank_word(struct hd_select *sel, unsigned offset)
{
	hd_sel_define1(sel, (struct hd_leaf){.kind = HD_LEAF_BANK, .words = 1, .id = offset});
}

static void number(struct hd_select *sel, unsigned value)
{
	hd_sel_define1(sel, hd_leaf_imm(value, 1));
}

static void is_explicit(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, hd_sel_word_bool(sel, hd_bank(HD_CB_CLUSTER_EXPLICIT)));
}

static void map_address(struct hd_select *sel, unsigned arg)
{
	struct hd_leaf rank = hd_sel_arg(sel, 1);
	(void)arg;
	if (is_refused(sel))
		return;
	hd_sel_define1(sel, hd_sel_mapa(sel, hd_sel_arg(sel, 0), hd_sel_word(sel, &rank, 0)));
}

static void block_rank(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, hd_sel_block_rank(sel, hd_sel_arg(sel, 0)));
}

static void in_cluster(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, hd_sel_in_space(sel, hd_sel_arg(sel, 0), HD_AS_SHARED));
}

#define SREG(name) "nvvm.read.ptx.sreg." name

const struct hd_intrinsic hd_cluster_intrinsics[] = {
	{SREG("clusterid.x"), special, HD_SR_CLUSTERID_X},
	{SREG("clusterid.y"), special, HD_SR_CLUSTERID_Y},
	{SREG("clusterid.z"), special, HD_SR_CLUSTERID_Z},
	{SREG("clusterid.w"), number, 0},
	{SREG("nclusterid.x"), bank_word, HD_CB_NCLUSTERID_X},
	{SREG("nclusterid.y"), bank_word, HD_CB_NCLUSTERID_Y},
	{SREG("nclusterid.z"), bank_word, HD_CB_NCLUSTERID_Z},
	{SREG("nclusterid.w"), number, 1},
	{SREG("cluster.ctaid.x"), special, HD_SR_CLUSTER_CTAID_X},
	{SREG("cluster.ctaid.y"), special, HD_SR_CLUSTER_CTAID_Y},
	{SREG("cluster.ctaid.z"), special, HD_SR_CLUSTER_CTAID_Z},
	{SREG("cluster.ctaid.w"), number, 0},
	{SREG("cluster.nctaid.x"), bank_word, HD_CB_CLUSTER_X},
	{SREG("cluster.nctaid.y"), bank_word, HD_CB_CLUSTER_Y},
	{SREG("cluster.nctaid.z"), bank_word, HD_CB_CLUSTER_Z},
	{SREG("cluster.nctaid.w"), number, 1},
	{SREG("cluster.ctarank"), special, HD_SR_CLUSTER_CTARANK},
	{SREG("cluster.nctarank"), bank_word, HD_CB_CLUSTER_BLOCKS},
	{"nvvm.is_explicit_cluster", is_explicit, 0},
	{"nvvm.barrier.cluster.arrive", barrier, 0},
	{"nvvm.barrier.cluster.arrive.aligned", barrier, HD_CLUSTER_ALIGNED},
	{"nvvm.barrier.cluster.arrive.relaxed", barrier, HD_CLUSTER_RELAXED},
	{"nvvm.barrier.cluster.arrive.relaxed.aligned", barrier, HD_CLUSTER_RELAXED | HD_CLUSTER_ALIGNED},
	{"nvvm.barrier.cluster.wait", barrier, HD_CLUSTER_WAIT},
	{"nvvm.barrier.cluster.wait.aligned", barrier, HD_CLUSTER_WAIT | HD_CLUSTER_ALIGNED},
	{"nvvm.mapa", map_address, 0},
	{"nvvm.mapa.shared.cluster", map_address, 0},
	{"nvvm.getctarank", block_rank, 0},
	{"nvvm.getctarank.shared.cluster", block_rank, 0},
	{"nvvm.isspacep.shared.cluster", in_cluster, 0},
	{"nvvm.griddepcontrol.wait", depend, HD_OP_ACQBULK},
	{"nvvm.griddepcontrol.launch.dependents", depend, HD_OP_PREEXIT},
	{NULL, NULL, 0},
};
