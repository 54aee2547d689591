/*
 * Inline PTX: asynchronous copies from global to shared memory. As on GPUs without them they are done at once, so that
 * commits and waits have nothing left to do; policies of the L2 are numbers that nothing reads.
 */
#include "passes/ptx/ptx.h"

enum { WORD = 4, MOST = 4 /* words of a copy */ };

/* The words that one access loads. */
static void load_words(struct hd_ptx *ptx, struct hd_address from, unsigned offset, unsigned count,
		       struct hd_opnd *words)
{
	struct hd_mreg reg = hd_sel_load_at(ptx->sel, from, offset, count * WORD, false, 0);
	for (unsigned i = 0; i < count; i++)
		words[i] = hd_reg(hd_sub(reg, i, 1));
}

/* Where `when` holds, `count` words at `offset`; where not, what `words` were. */
static void load_words_if(struct hd_ptx *ptx, struct hd_popnd when, struct hd_address from, unsigned offset,
			  unsigned count, struct hd_opnd *words)
{
	struct hd_select *sel = ptx->sel;
	struct hd_mreg before[MOST];
	for (unsigned i = 0; i < count; i++)
		before[i] = hd_sel_opnd_reg(sel, words[i], 1);
	uint32_t then = hd_sel_new_block(sel), next = hd_sel_new_block(sel);
	hd_sel_branch_if(sel, when, then, next);
	sel->block = then;
	load_words(ptx, from, offset, count, words);
	for (unsigned i = 0; i < count; i++) {
		struct hd_mreg in[2] = {before[i], hd_sel_opnd_reg(sel, words[i], 1)};
		struct hd_mreg merged = hd_mfunc_vreg(sel->func, 1);
		hd_sel_set_phi(sel, next, hd_sel_phi(sel, next, merged, HD_MREG_PT), in, 2);
		words[i] = hd_reg(merged);
	}
	hd_sel_branch(sel, next);
	sel->block = next;
}

/* A word of which `left` bytes are copied; the others are 0. */
static struct hd_opnd cut(struct hd_ptx *ptx, struct hd_opnd word, struct hd_opnd left)
{
	struct hd_select *sel = ptx->sel;
	struct hd_leaf bytes = hd_leaf_reg(hd_sel_opnd_reg(sel, left, 1));
	struct hd_leaf bits = hd_sel_shift_leaf(sel, LLVMShl, bytes, hd_leaf_imm(3, 1), 32);
	struct hd_leaf kept = hd_ptx_shifted(ptx, LLVMShl, hd_leaf_imm(UINT32_MAX, 1), bits, 32);
	return hd_reg(hd_sel_logic(sel, 0xf0 & ~0xcc /* a & ~b */, word, hd_sel_word(sel, &kept, 0), hd_rz()));
}

/* The first `bytes` of `count` words, which only the run knows; the rest is 0. Nothing behind them is read. */
static void load_some(struct hd_ptx *ptx, struct hd_address from, struct hd_opnd bytes, unsigned count,
		      struct hd_opnd *words)
{
	struct hd_select *sel = ptx->sel;
	struct hd_popnd all = {hd_sel_isetp(sel, HD_CMP_GE, false, bytes, hd_imm(count * WORD)), false};
	load_words_if(ptx, all, from, 0, count, words);
	for (unsigned i = 0; i < count; i++) {
		struct hd_popnd begun = {hd_sel_isetp(sel, HD_CMP_GT, false, bytes, hd_imm(i * WORD)), false};
		struct hd_popnd part = {hd_sel_plop(sel, HD_BOOL_AND, begun, (struct hd_popnd){all.id, true}), false};
		struct hd_opnd left = hd_reg(hd_sel_add(sel, bytes, hd_imm(-i * WORD)));
		load_words_if(ptx, part, from, i * WORD, 1, &words[i]);
		words[i] = cut(ptx, words[i], left);
	}
}

/* cp.async.ca.shared.global [to], [from], size{, bytes | without}{, policy} */
static void copy(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_select *sel = ptx->sel;
	const struct hd_ptx_operand *last = &ptx->now->operands[3];
	unsigned count = ptx->now->count - hd_ptx_has(ptx, "L2::cache_hint");
	uint64_t size, bytes;
	struct hd_leaf to = hd_ptx_pointer(ptx, 0, HD_AS_SHARED), from = hd_ptx_pointer(ptx, 1, HD_AS_GLOBAL);
	(void)arg;
	if (!hd_ptx_constant(ptx, 2, &size) || (size != 4 && size != 8 && size != 16)) {
		hd_ptx_error(ptx, "the size is not 4, 8 or 16");
		return;
	}
	struct hd_opnd words[MOST] = {hd_rz(), hd_rz(), hd_rz(), hd_rz()}, some = hd_imm((uint32_t)size);
	bool without = count > 3 && last->parts[0].kind == HD_PTX_REG && ptx->regs.data[last->parts[0].reg].bits == 1;
	if (without)
		some = hd_reg(hd_sel_select(sel, hd_ptx_pred(ptx, 3), hd_rz(), some));
	else if (count > 3)
		some = hd_ptx_word(ptx, 3);
	if (ptx->failed)
		return;
	struct hd_address source = hd_sel_address(sel, from, HD_AS_GLOBAL);
	if (count < 4 || (!without && hd_ptx_constant(ptx, 3, &bytes) && bytes == size))
		load_words(ptx, source, 0, (unsigned)size / WORD, words);
	else
		load_some(ptx, source, some, (unsigned)size / WORD, words);
	struct hd_mreg value =
		size == WORD ? hd_sel_opnd_reg(sel, words[0], 1) : hd_sel_join(sel, words, (unsigned)size / WORD);
	hd_sel_store_at(sel, hd_sel_address(sel, to, HD_AS_SHARED), 0, (unsigned)size, value, 0);
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
	{"cp.async.ca", SIZES, 3, copy, 0, true},
	{"cp.async.cg", SIZES, 3, copy, 0, true},
	{"cp.async.commit_group", "", 0, done, 0, false},
	{"cp.async.wait_group", "", 1, done, 0, false},
	{"cp.async.wait_all", "", 0, done, 0, false},
	{"createpolicy.fractional", PRIORITIES " b64 ", 1, policy, 0, false},
	{"createpolicy.range", PRIORITIES " b64 global ", 1, policy, 0, false},
	{"prefetch", PRIORITIES " global local L1 L2 ", 1, done, 0, false},
	{"prefetchu", " L1 ", 1, done, 0, false},
	{"applypriority", PRIORITIES " global ", 1, done, 0, false},
	{"discard", " global L2 ", 1, done, 0, false},
	{NULL, NULL, 0, NULL, 0, false},
};
