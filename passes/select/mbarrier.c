/*
 * Selection: barriers in shared memory, for inline PTX (passes/ptx/mbarrier.c) and NVVM's intrinsics. They came with
 * sm_80; what counts bytes, and waits that suspend, with sm_90, which libraries look at and ptxas insists on.
 */
#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"
#include "passes/select/select.h"

static struct hd_minst *at_barrier(struct hd_select *sel, enum hd_op op, uint16_t mods, struct hd_leaf barrier,
				   unsigned space)
{
	if (space != HD_AS_SHARED)
		barrier = hd_sel_cast_space(sel, barrier, space, HD_AS_SHARED);
	struct hd_address address = hd_sel_plain_address(sel, barrier, HD_AS_SHARED);
	struct hd_minst *inst = hd_sel_push(sel, op, mods);
	hd_sel_set_address(inst, &address, 0);
	return inst;
}

const char *hd_sel_sync(struct hd_select *sel, enum hd_syncsop op, struct hd_leaf barrier, unsigned space,
			struct hd_opnd count, struct hd_leaf *token)
{
	if (hd_sel_capability(sel) < 80)
		return "barriers in shared memory are sm_80's";
	struct hd_mreg given =
		count.kind == HD_OPND_NONE ? (struct hd_mreg){HD_RZ, 0, 1} : hd_sel_opnd_reg(sel, count, 1);
	struct hd_mreg before = token ? hd_mfunc_vreg(sel->func, 2) : (struct hd_mreg){HD_RZ, 0, 2};
	struct hd_minst *inst = at_barrier(sel, HD_OP_SYNCS, HD_MOD(SYNCSOP, op), barrier, space);
	inst->c = given;
	inst->dst = before;
	if (token)
		*token = hd_leaf_reg(before);
	return NULL;
}

const char *hd_sel_sync_wait(struct hd_select *sel, const struct hd_sel_waited *what, struct hd_leaf *over)
{
	if (hd_sel_capability(sel) < 80)
		return "barriers in shared memory are sm_80's";
	bool timed = what->limit.kind != HD_OPND_NONE;
	struct hd_leaf phase = what->phase;
	struct hd_mreg named = hd_sel_opnd_reg(sel, hd_sel_word(sel, &phase, what->token), 1);
	struct hd_mreg limit = timed ? hd_sel_opnd_reg(sel, what->limit, 1) : (struct hd_mreg){HD_RZ, 0, 1};
	uint32_t result = hd_mfunc_pred(sel->func);
	struct hd_minst *inst =
		at_barrier(sel, HD_OP_SYNCS_WAIT,
			   HD_MOD(PATIENCE, what->tries) | HD_MOD(PHASE, what->token) | HD_MOD(TIMED, timed),
			   what->barrier, what->space);
	inst->b = named;
	inst->c = limit;
	inst->pdst = result;
	*over = hd_leaf_pred(result, false);
	return NULL;
}

const char *hd_sel_sync_copies(struct hd_select *sel, struct hd_leaf barrier, unsigned space, bool noinc)
{
	if (hd_sel_capability(sel) < 80)
		return "barriers in shared memory are sm_80's";
	at_barrier(sel, HD_OP_ARRIVES, HD_MOD(NOINC, noinc), barrier, space);
	return NULL;
}

struct hd_leaf hd_sel_sync_pending(struct hd_select *sel, struct hd_leaf token)
{
	return hd_leaf_reg(
		hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_sel_word(sel, &token, 0), hd_imm(HD_MBARRIER_MOST), hd_rz()));
}

/* ------------------------------------------------------------------ data with bytes for a barrier (st.async) */

static struct hd_mreg word_of(struct hd_select *sel, struct hd_leaf address)
{
	return hd_sel_opnd_reg(sel, hd_sel_word(sel, &address, 0), 1);
}

const char *hd_sel_send(struct hd_select *sel, struct hd_leaf to, struct hd_leaf barrier, struct hd_mreg value,
			unsigned bytes)
{
	if (!hd_sel_has_clusters(sel))
		return "clusters of blocks need sm_90 or later";
	unsigned size = bytes == 4 ? HD_SIZE_32 : bytes == 8 ? HD_SIZE_64 : HD_SIZE_128;
	struct hd_mreg told = word_of(sel, barrier);
	struct hd_minst *inst = at_barrier(sel, HD_OP_STAS, HD_MOD(SIZE, size), to, HD_AS_SHARED);
	inst->b = told;
	inst->c = value;
	return NULL;
}

const char *hd_sel_send_atomic(struct hd_select *sel, struct hd_leaf to, struct hd_leaf barrier, struct hd_mreg value,
			       enum hd_atomop op, enum hd_type type)
{
	if (!hd_sel_has_clusters(sel))
		return "clusters of blocks need sm_90 or later";
	struct hd_mreg told = word_of(sel, barrier);
	struct hd_minst *inst =
		at_barrier(sel, HD_OP_REDAS, HD_MOD(ATOMOP, op) | HD_MOD(DTYPE, type), to, HD_AS_SHARED);
	inst->b = value;
	inst->c = told;
	return NULL;
}

/* ------------------------------------------------------------------ intrinsics */

static void heed(struct hd_select *sel, const char *why)
{
	if (why)
		hd_sel_unsupported(sel, "intrinsic %s: %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)), why);
}

static unsigned space_of_argument(const struct hd_select *sel)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetArgOperand(sel->inst, 0)));
}

/* Of one argument, an arrival of one thread. */
static void sync(struct hd_select *sel, unsigned op)
{
	struct hd_opnd count = hd_imm(1);
	if (LLVMGetNumArgOperands(sel->inst) > 1) {
		struct hd_leaf given = hd_sel_arg(sel, 1);
		count = hd_sel_word(sel, &given, 0);
	}
	bool gives = LLVMGetTypeKind(LLVMTypeOf(sel->inst)) != LLVMVoidTypeKind;
	struct hd_leaf token;
	const char *why = hd_sel_sync(sel, (enum hd_syncsop)op, hd_sel_arg(sel, 0), space_of_argument(sel), count,
				      gives ? &token : NULL);
	heed(sel, why);
	if (!why && gives)
		hd_sel_define1(sel, token);
}

static void test(struct hd_select *sel, unsigned arg)
{
	struct hd_sel_waited what = {.barrier = hd_sel_arg(sel, 0),
				     .space = space_of_argument(sel),
				     .phase = hd_sel_arg(sel, 1),
				     .token = true,
				     .limit = hd_none()};
	struct hd_leaf over;
	(void)arg;
	const char *why = hd_sel_sync_wait(sel, &what, &over);
	heed(sel, why);
	if (!why)
		hd_sel_define1(sel, over);
}

static void pending(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, hd_sel_sync_pending(sel, hd_sel_arg(sel, 0)));
}

static void copies(struct hd_select *sel, unsigned noinc)
{
	heed(sel, hd_sel_sync_copies(sel, hd_sel_arg(sel, 0), space_of_argument(sel), noinc));
}

const struct hd_intrinsic hd_mbarrier_intrinsics[] = {
	{"nvvm.mbarrier.init", sync, HD_SYNCS_INIT},
	{"nvvm.mbarrier.inval", sync, HD_SYNCS_INVAL},
	{"nvvm.mbarrier.arrive", sync, HD_SYNCS_ARRIVE},
	{"nvvm.mbarrier.arrive.noComplete", sync, HD_SYNCS_ARRIVE_NC},
	{"nvvm.mbarrier.arrive.drop", sync, HD_SYNCS_DROP},
	{"nvvm.mbarrier.arrive.drop.noComplete", sync, HD_SYNCS_DROP_NC},
	{"nvvm.mbarrier.test.wait", test, 0},
	{"nvvm.mbarrier.pending.count", pending, 0},
	{"nvvm.cp.async.mbarrier.arrive", copies, false},
	{"nvvm.cp.async.mbarrier.arrive.noinc", copies, true},
	{NULL, NULL, 0},
};
