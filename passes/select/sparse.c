/*
 * Selection: products with a sparse left factor, mma.sp of inline PTX (passes/ptx/matrix.c). A shape of twice the
 * instruction's columns is two steps, the lower columns first. The words of a step's left factor and the metadata share
 * one quad, because an instruction has three operands of registers.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"
#include "passes/words.h"

static const struct row {
	const char *shape, *factor;
	unsigned op, steps;
} rows[] = {
	{"m16n8k16", "f16", HD_OP_HMMA_SP_16816, 1},	 {"m16n8k32", "f16", HD_OP_HMMA_SP_16816, 2},
	{"m16n8k16", "bf16", HD_OP_HMMA_SP_16816, 1},	 {"m16n8k32", "bf16", HD_OP_HMMA_SP_16816, 2},
	{"m16n8k8", "tf32", HD_OP_HMMA_SP_1688_TF32, 1}, {"m16n8k16", "tf32", HD_OP_HMMA_SP_1688_TF32, 2},
	{"m16n8k32", "s8", HD_OP_IMMA_SP_16832, 1},	 {"m16n8k64", "s8", HD_OP_IMMA_SP_16832, 2},
};

static const struct row *find_row(const struct hd_mma_form *form)
{
	const char *factor = hd_word_is_byte(form->a) ? "s8" : form->a;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (hd_word_is(rows[i].shape, form->shape) && hd_word_is(rows[i].factor, factor))
			return &rows[i];
	return NULL;
}

static const char *check_form(const struct hd_mma_form *form)
{
	bool bytes = hd_word_is_byte(form->a);
	if (bytes ? !hd_word_is_byte(form->b) : !hd_word_is(form->a, form->b))
		return "the factors have different types";
	if (!hd_word_is(form->c, form->d))
		return "the accumulator and the result have different types";
	if (!hd_word_is(form->c, bytes ? "s32" : "f32") && !(hd_word_is(form->a, "f16") && hd_word_is(form->c, "f16")))
		return "the accumulator has another type than products of these factors";
	if (form->a_col || !form->b_col)
		return "a is to be .row and b .col";
	if (form->bits)
		return "'.popc' is for bits";
	return form->saturates && !bytes ? "'.satfinite' is for integers" : NULL;
}

/* Lanes of a quad that have the metadata: one for each step, of bytes two. */
static unsigned lanes_of(const struct row *row)
{
	return row->steps * (row->op == HD_OP_IMMA_SP_16832 ? 2 : 1);
}

static uint16_t mods_of(const struct hd_mma_form *form, unsigned op)
{
	if (op == HD_OP_IMMA_SP_16832)
		return HD_MOD(SIGNA, *form->a == 's') | HD_MOD(SIGNB, *form->b == 's');
	if (op == HD_OP_HMMA_SP_1688_TF32)
		return 0;
	return HD_MOD(ACC, hd_word_is(form->c, "f16") ? HD_ACC_F16 : HD_ACC_F32) |
	       HD_MOD(FACTOR, hd_word_is(form->a, "bf16") ? HD_FACTOR_BF16 : HD_FACTOR_F16);
}

const char *hd_sel_mma_sparse_choose(struct hd_select *sel, const struct hd_mma_form *form, uint64_t selector,
				     struct hd_mma_sparse *mma)
{
	const struct row *row = find_row(form);
	if (!row)
		return "sparse matrices of this shape and type are not supported";
	const char *wrong = check_form(form);
	if (wrong)
		return wrong;
	if (hd_sel_capability(sel) < 80)
		return "sparse matrices are sm_80's";
	if (selector >= 4 / lanes_of(row))
		return "the sparsity selector is too large for this shape and type";
	*mma = (struct hd_mma_sparse){.op = row->op,
				      .mods = mods_of(form, row->op),
				      .steps = (uint8_t)row->steps,
				      .saturates = form->saturates,
				      .first = (uint8_t)(selector * lanes_of(row)),
				      .lanes = (uint8_t)(lanes_of(row) / row->steps),
				      .a = (uint8_t)(2 * row->steps),
				      .b = (uint8_t)(2 * row->steps)};
	mma->c = (uint8_t)hd_op_width(row->op, mma->mods, HD_SLOT_C);
	return NULL;
}

/* One rounding to what an integer of 32 bits can be, which two steps that saturate would not give. */
static void add_saturated(struct hd_select *sel, const struct hd_opnd *c, struct hd_opnd *d, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct hd_leaf x = hd_leaf_reg(hd_sel_opnd_reg(sel, c[i], 1)), y = hd_leaf_reg(d[i].reg);
		d[i] = hd_reg(hd_sel_reg(sel, hd_sel_saturated_sum(sel, x, y, false)));
	}
}

void hd_sel_mma_sparse(struct hd_select *sel, const struct hd_mma_sparse *mma, const struct hd_opnd *a,
		       struct hd_opnd meta, const struct hd_opnd *b, const struct hd_opnd *c, struct hd_opnd *d)
{
	bool apart = mma->saturates && mma->steps > 1;
	for (unsigned i = 0; i < mma->c; i++)
		d[i] = apart ? hd_rz() : c[i];
	for (unsigned step = 0; step < mma->steps; step++) {
		const struct hd_opnd left[4] = {a[2 * step], a[2 * step + 1], meta, hd_rz()};
		uint16_t mods = mma->mods | HD_MOD(META, mma->first + step * mma->lanes);
		struct hd_mreg dst = hd_mfunc_vreg(sel->func, mma->c);
		mods |= mma->saturates && !apart ? HD_MOD(SAT, 1) : 0;
		hd_sel_op(sel, mma->op, mods, dst, hd_reg(hd_sel_join(sel, left, 4)),
			  hd_reg(hd_sel_join(sel, b + 2 * step, 2)), hd_reg(hd_sel_join(sel, d, mma->c)));
		for (unsigned i = 0; i < mma->c; i++)
			d[i] = hd_reg(hd_sub(dst, i, 1));
	}
	if (apart)
		add_saturated(sel, c, d, mma->c);
}
