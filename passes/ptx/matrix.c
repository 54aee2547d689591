/*
 * Inline PTX: matrices. mma.sync on the shapes and types of sm_70 to sm_80 and sm_90's of double precision, mma.sp,
 * ldmatrix and movmatrix. Types of eight bits are the legaliser's (passes/legalize/asm_eight.c); what else PTX has for
 * matrices is refused by name.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

enum { MOST = HD_MMA_WORDS /* words of an operand */ };

static bool is_word_of(const char *part, const char *list)
{
	char wanted[32];
	snprintf(wanted, sizeof wanted, " %s ", part);
	return strstr(list, wanted);
}

/* The operand's words; of doubles there are two in a register. */
static void take_words(struct hd_ptx *ptx, unsigned index, unsigned count, unsigned bits, struct hd_opnd *words)
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[index];
	unsigned each = bits / 32, have = operand->form == HD_PTX_ADDRESS ? 0 : operand->count;
	for (unsigned i = 0; i < count; i++)
		words[i] = hd_rz();
	if (have * each != count) {
		hd_ptx_error(ptx, "operand %u has %u registers, not %u", index + 1, have, count / each);
		return;
	}
	for (unsigned i = 0; i < have && !ptx->failed; i++) {
		struct hd_leaf leaf = hd_ptx_read(ptx, &operand->parts[i], bits);
		for (unsigned word = 0; word < each && !ptx->failed; word++)
			words[i * each + word] = hd_sel_word(ptx->sel, &leaf, word);
	}
}

static void put_words(struct hd_ptx *ptx, unsigned count, unsigned bits, const struct hd_opnd *words)
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[0];
	unsigned each = bits / 32, have = operand->form == HD_PTX_ADDRESS ? 0 : operand->count;
	if (have * each != count) {
		hd_ptx_error(ptx, "the result has %u registers, not %u", have, count / each);
		return;
	}
	for (unsigned i = 0; i < have && !ptx->failed; i++)
		hd_ptx_write(ptx, &operand->parts[i], hd_leaf_reg(hd_sel_join(ptx->sel, words + i * each, each)), bits);
}

/* mma.sync.aligned.SHAPE.ALAYOUT.BLAYOUT{.satfinite}.D.A.B.C{.xor.popc}, or mma.sp.sync... The manual has .satfinite
 * before the types; behind them, as CUTLASS writes it, it is the same. */
static bool form_of(struct hd_ptx *ptx, bool sparse, struct hd_mma_form *form)
{
	const char *const *parts = ptx->now->parts + sparse;
	unsigned count = ptx->now->part_count - sparse;
	bool saturates = hd_ptx_has(ptx, "satfinite"), counts = count > 2 && !strcmp(parts[count - 1], "popc");
	const char *bits = counts ? parts[count - 2] : NULL;
	bool last = !counts && saturates && !strcmp(parts[count - 1], "satfinite");
	count -= counts ? 2 : last;
	if (count != 10u + (saturates && !last) || (saturates && !last && strcmp(parts[6], "satfinite"))) {
		hd_ptx_error(ptx, "expected a shape, two layouts and four types");
		return false;
	}
	if (!is_word_of(parts[4], " row col ") || !is_word_of(parts[5], " row col ")) {
		hd_ptx_error(ptx, "expected .row or .col as the layout");
		return false;
	}
	*form = (struct hd_mma_form){.shape = parts[3],
				     .a_col = !strcmp(parts[4], "col"),
				     .b_col = !strcmp(parts[5], "col"),
				     .saturates = saturates,
				     .bits = bits,
				     .d = parts[count - 4],
				     .a = parts[count - 3],
				     .b = parts[count - 2],
				     .c = parts[count - 1]};
	return true;
}

static void multiply(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_mma_form form;
	struct hd_mma mma;
	struct hd_opnd a[MOST], b[MOST], c[MOST], d[MOST];
	(void)arg;
	if (!form_of(ptx, false, &form))
		return;
	const char *wrong = hd_sel_mma_choose(ptx->sel, &form, &mma);
	unsigned bits = strcmp(form.a, "f64") ? 32 : 64;
	if (wrong) {
		hd_ptx_error(ptx, "%s", wrong);
		return;
	}
	take_words(ptx, 1, mma.a, bits, a);
	take_words(ptx, 2, mma.b, bits, b);
	take_words(ptx, 3, mma.c, bits, c);
	if (ptx->failed)
		return;
	hd_sel_mma(ptx->sel, &mma, a, b, c, d);
	put_words(ptx, mma.c, bits, d);
}

/* mma.sp.sync.aligned. ... d, a, b, c, metadata, selector; ::ordered_metadata says what the stored columns are anyway.
 */
static void multiply_sparse(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_mma_form form;
	struct hd_mma_sparse mma;
	struct hd_opnd a[MOST], b[MOST], c[MOST], d[MOST];
	uint64_t selector = 0;
	(void)arg;
	if (!form_of(ptx, true, &form))
		return;
	if (!hd_ptx_constant(ptx, 5, &selector)) {
		hd_ptx_error(ptx, "the sparsity selector is to be a constant");
		return;
	}
	const char *wrong = hd_sel_mma_sparse_choose(ptx->sel, &form, selector, &mma);
	if (wrong) {
		hd_ptx_error(ptx, "%s", wrong);
		return;
	}
	take_words(ptx, 1, mma.a, 32, a);
	take_words(ptx, 2, mma.b, 32, b);
	take_words(ptx, 3, mma.c, 32, c);
	struct hd_opnd meta = hd_ptx_word(ptx, 4);
	if (ptx->failed)
		return;
	hd_sel_mma_sparse(ptx->sel, &mma, a, meta, b, c, d);
	put_words(ptx, mma.c, 32, d);
}

/* ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {d, ...}, [address] */
static void load(struct hd_ptx *ptx, unsigned arg)
{
	unsigned count = hd_ptx_has(ptx, "x4") ? 4 : hd_ptx_has(ptx, "x2") ? 2 : hd_ptx_has(ptx, "x1") ? 1 : 0;
	bool shared = hd_ptx_has(ptx, "shared") || hd_ptx_has(ptx, "shared::cta");
	unsigned space = shared ? HD_AS_SHARED : HD_AS_GENERIC;
	struct hd_opnd words[4];
	(void)arg;
	if (hd_sel_capability(ptx->sel) < 75)
		hd_ptx_error(ptx, "loading matrices needs sm_75 or later");
	else if (!count || !hd_ptx_has(ptx, "m8n8") || !hd_ptx_has(ptx, "b16"))
		hd_ptx_error(ptx, "expected one, two or four matrices of .m8n8 and .b16");
	struct hd_leaf pointer = hd_ptx_pointer(ptx, 1, space);
	if (ptx->failed)
		return;
	hd_sel_load_matrices(ptx->sel, pointer, space, count, hd_ptx_has(ptx, "trans"), words);
	put_words(ptx, count, 32, words);
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a */
static void transpose(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_opnd in = hd_ptx_word(ptx, 1);
	(void)arg;
	if (hd_sel_capability(ptx->sel) < 75)
		hd_ptx_error(ptx, "transposing matrices needs sm_75 or later");
	if (ptx->failed)
		return;
	struct hd_mreg out = hd_mfunc_vreg(ptx->sel->func, 1);
	hd_sel_op(ptx->sel, HD_OP_MOVM, HD_MOD(TRANS, 1), out, hd_reg(hd_sel_opnd_reg(ptx->sel, in, 1)), hd_none(),
		  hd_none());
	hd_ptx_out(ptx, 0, hd_leaf_reg(out), 32);
}

#define SHAPES " m8n8k4 m8n8k16 m8n8k32 m8n8k128 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n8k64 m16n8k128 m16n8k256 "
#define TYPES " f16 bf16 tf32 f32 f64 s8 u8 s32 s4 u4 b1 e4m3 e5m2 xor and popc "

const struct hd_ptx_row hd_ptx_matrix[] = {
	{"mma.sync.aligned", SHAPES TYPES " row col satfinite ", 4, multiply, 0, true},
	{"mma.sp.sync.aligned", SHAPES TYPES " row col satfinite ", 6, multiply_sparse, 0, true},
	{"mma.sp::ordered_metadata.sync.aligned", SHAPES TYPES " row col satfinite ", 6, multiply_sparse, 0, true},
	{"ldmatrix.sync.aligned", " m8n8 x1 x2 x4 trans shared shared::cta b16 ", 2, load, 0, true},
	{"movmatrix.sync.aligned", " m8n8 trans b16 ", 2, transpose, 0, true},
	{NULL, NULL, 0, NULL, 0, false},
};
