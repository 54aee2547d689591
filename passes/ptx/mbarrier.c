/*
 * Inline PTX: barriers in shared memory (passes/select/mbarrier.c has the instructions). Scopes and the order of memory
 * accesses change nothing: a block's accesses to shared memory are in order.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

static void report(struct hd_ptx *ptx, const char *wrong)
{
	if (wrong)
		hd_ptx_error(ptx, "%s", wrong);
}

static unsigned space_of(const struct hd_ptx *ptx)
{
	bool shared = hd_ptx_has(ptx, "shared") || hd_ptx_has(ptx, "shared::cta") || hd_ptx_has(ptx, "shared::cluster");
	return shared ? HD_AS_SHARED : HD_AS_GENERIC;
}

static struct hd_leaf barrier_at(struct hd_ptx *ptx, unsigned index)
{
	return hd_ptx_pointer(ptx, index, space_of(ptx));
}

/* mbarrier.init [a], count; .inval [a]; .expect_tx [a], bytes; .complete_tx [a], bytes */
static void change(struct hd_ptx *ptx, unsigned op)
{
	struct hd_opnd count = op == HD_SYNCS_INVAL ? hd_none() : hd_ptx_word(ptx, 1);
	struct hd_leaf barrier = barrier_at(ptx, 0);
	if (!ptx->failed)
		report(ptx, hd_sel_sync(ptx->sel, (enum hd_syncsop)op, barrier, space_of(ptx), count, NULL));
}

static enum hd_syncsop arrival_of(struct hd_ptx *ptx, bool drops)
{
	if (hd_ptx_has(ptx, "expect_tx"))
		return drops ? HD_SYNCS_DROP_TX : HD_SYNCS_ARRIVE_TX;
	if (hd_ptx_has(ptx, "noComplete"))
		return drops ? HD_SYNCS_DROP_NC : HD_SYNCS_ARRIVE_NC;
	return drops ? HD_SYNCS_DROP : HD_SYNCS_ARRIVE;
}

/* mbarrier.arrive{_drop} token, [a]{, count}; without a token, or with `_` in its place */
static void arrive(struct hd_ptx *ptx, unsigned drops)
{
	enum hd_syncsop op = arrival_of(ptx, drops);
	unsigned at = ptx->now->operands[0].form != HD_PTX_ADDRESS;
	bool gives = at && ptx->now->operands[0].parts[0].kind != HD_PTX_SINK;
	bool given = ptx->now->count > at + 1;
	if (gives && hd_ptx_has(ptx, "shared::cluster")) {
		hd_ptx_error(ptx, "an arrival at a barrier of the cluster gives no state");
		return;
	}
	if (!given && op != HD_SYNCS_ARRIVE && op != HD_SYNCS_DROP) {
		hd_ptx_error(ptx, "the count is missing");
		return;
	}
	struct hd_opnd count = given ? hd_ptx_word(ptx, at + 1) : hd_imm(1);
	struct hd_leaf token, barrier = barrier_at(ptx, at);
	if (ptx->failed)
		return;
	report(ptx, hd_sel_sync(ptx->sel, op, barrier, space_of(ptx), count, gives ? &token : NULL));
	if (gives && !ptx->failed)
		hd_ptx_out(ptx, 0, token, 64);
}

/* mbarrier.test_wait{.parity} p, [a], state; try_wait the same{, limit} */
static void wait_for(struct hd_ptx *ptx, unsigned tries)
{
	bool token = !hd_ptx_has(ptx, "parity");
	struct hd_sel_waited what = {.tries = tries, .token = token, .space = space_of(ptx), .limit = hd_none()};
	struct hd_leaf over;
	if (ptx->now->count > (tries ? 4u : 3u)) {
		hd_ptx_error(ptx, "too many operands");
		return;
	}
	what.barrier = barrier_at(ptx, 1);
	what.phase = hd_ptx_in(ptx, 2, token ? 64 : 32);
	if (ptx->now->count > 3)
		what.limit = hd_ptx_word(ptx, 3);
	if (ptx->failed)
		return;
	report(ptx, hd_sel_sync_wait(ptx->sel, &what, &over));
	if (!ptx->failed)
		hd_ptx_out(ptx, 0, over, 1);
}

static void pending_count(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	hd_ptx_out(ptx, 0, hd_sel_sync_pending(ptx->sel, hd_ptx_in(ptx, 1, 64)), 32);
}

static void copies(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_leaf barrier = barrier_at(ptx, 0);
	(void)arg;
	if (!ptx->failed)
		report(ptx, hd_sel_sync_copies(ptx->sel, barrier, space_of(ptx), hd_ptx_has(ptx, "noinc")));
}

#define OWN " shared shared::cta b64 "
#define ANY " shared shared::cta shared::cluster b64 "
#define SCOPES " release acquire relaxed cta cluster "

const struct hd_ptx_row hd_ptx_mbarrier[] = {
	{"mbarrier.init", OWN, 2, change, HD_SYNCS_INIT, true},
	{"mbarrier.inval", OWN, 1, change, HD_SYNCS_INVAL, true},
	{"mbarrier.expect_tx", ANY SCOPES, 2, change, HD_SYNCS_EXPECT_TX, true},
	{"mbarrier.complete_tx", ANY SCOPES, 2, change, HD_SYNCS_COMPLETE_TX, true},
	{"mbarrier.arrive", ANY SCOPES " expect_tx noComplete ", 1, arrive, false, true},
	{"mbarrier.arrive_drop", ANY SCOPES " expect_tx noComplete ", 1, arrive, true, true},
	{"mbarrier.test_wait", OWN SCOPES " parity ", 3, wait_for, HD_PATIENCE_TEST, true},
	{"mbarrier.try_wait", OWN SCOPES " parity ", 3, wait_for, HD_PATIENCE_TRY, true},
	{"mbarrier.pending_count", " b64 ", 2, pending_count, 0, false},
	{"cp.async.mbarrier.arrive", OWN " noinc ", 1, copies, 0, true},
	{NULL, NULL, 0, NULL, 0, false},
};
