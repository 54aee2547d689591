/*
 * Inline PTX: asynchronous copies from global to shared memory (passes/select/copy.c has the instructions), their
 * groups and waits. What they say of the L2, as policies of it do elsewhere, changes nothing and is passed over.
 */
#include "passes/ptx/ptx.h"

static bool is_predicate(const struct hd_ptx *ptx, const struct hd_ptx_operand *operand)
{
	return operand->parts[0].kind == HD_PTX_REG && ptx->regs.data[operand->parts[0].reg].bits == 1;
}

static void report(struct hd_ptx *ptx, const char *wrong)
{
	if (wrong)
		hd_ptx_error(ptx, "%s", wrong);
}

/* cp.async.ca.shared.global [to], [from], size{, bytes | without}{, policy} */
static void copy(struct hd_ptx *ptx, unsigned past_l1)
{
	unsigned count = ptx->now->count - hd_ptx_has(ptx, "L2::cache_hint");
	uint64_t size;
	struct hd_sel_copied what = {.past_l1 = past_l1, .bytes = hd_none(), .all = {HD_MREG_PT, false}};
	struct hd_leaf to = hd_ptx_pointer(ptx, 0, HD_AS_SHARED), from = hd_ptx_pointer(ptx, 1, HD_AS_GLOBAL);
	if (!hd_ptx_constant(ptx, 2, &size) || (size != 4 && size != 8 && size != 16)) {
		hd_ptx_error(ptx, "the size is not 4, 8 or 16");
		return;
	}
	if (past_l1 && size != 16) {
		hd_ptx_error(ptx, ".cg needs a size of 16");
		return;
	}
	what.size = (unsigned)size;
	if (count > 3 && is_predicate(ptx, &ptx->now->operands[3])) {
		what.all = hd_ptx_pred(ptx, 3);
		what.all.inverted = !what.all.inverted;
	} else if (count > 3) {
		what.bytes = hd_ptx_word(ptx, 3);
	}
	if (!ptx->failed)
		report(ptx, hd_sel_copy(ptx->sel, to, from, &what));
}

static void commit(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	report(ptx, hd_sel_copy_end(ptx->sel, true, HD_SEL_NO_WAIT));
}

static void wait_groups(struct hd_ptx *ptx, unsigned arg)
{
	uint64_t count;
	(void)arg;
	if (!hd_ptx_constant(ptx, 0, &count))
		hd_ptx_error(ptx, "the number of groups is not a constant");
	else
		report(ptx, hd_sel_copy_end(ptx->sel, false, count));
}

/* Also for copies of the open group, which is ended. */
static void wait_all(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	report(ptx, hd_sel_copy_end(ptx->sel, true, 0));
}

static void done(struct hd_ptx *ptx, unsigned arg)
{
	(void)ptx;
	(void)arg;
}

static void policy(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	hd_ptx_out(ptx, 0, hd_leaf_imm(0, 2), 64);
}

#define SIZES " shared shared::cta global L2::64B L2::128B L2::256B L2::cache_hint "
#define PRIORITIES " L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged "

const struct hd_ptx_row hd_ptx_copy[] = {
	{"cp.async.ca", SIZES, 3, copy, false, true},
	{"cp.async.cg", SIZES, 3, copy, true, true},
	{"cp.async.commit_group", "", 0, commit, 0, true},
	{"cp.async.wait_group", "", 1, wait_groups, 0, true},
	{"cp.async.wait_all", "", 0, wait_all, 0, true},
	{"createpolicy.fractional", PRIORITIES " b64 ", 1, policy, 0, false},
	{"createpolicy.range", PRIORITIES " b64 global ", 1, policy, 0, false},
	{"prefetch", PRIORITIES " global local L1 L2 ", 1, done, 0, false},
	{"prefetchu", " L1 ", 1, done, 0, false},
	{"applypriority", PRIORITIES " global ", 1, done, 0, false},
	{"discard", " global L2 ", 1, done, 0, false},
	{NULL, NULL, 0, NULL, 0, false},
};
