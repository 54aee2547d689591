/*
 * Inline PTX: products of warpgroups, and registers that warps hand on (passes/select/wgmma.c has the instructions).
 */
#include <string.h>

#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

/* The numbers behind the predicate that says whether the accumulator counts. */
enum { SIGN_A, SIGN_B, TRANS_A, TRANS_B, NUMBERS };

static bool is_one_of(const char *part, const char *list)
{
	char wanted[32];
	snprintf(wanted, sizeof wanted, " %s ", part);
	return strstr(list, wanted) != NULL;
}

#define TYPES " f16 bf16 tf32 f32 e4m3 e5m2 s8 u8 s32 "

/* The shape and three types, in this order, wherever .satfinite is. */
static bool form_of(struct hd_ptx *ptx, const char *shape[1], const char *types[3])
{
	unsigned count = 0;
	*shape = NULL;
	for (unsigned i = 2; i < ptx->now->part_count; i++) {
		const char *part = ptx->now->parts[i];
		if (part[0] == 'm' && part[1] == '6' && !*shape)
			*shape = part;
		else if (is_one_of(part, TYPES) && count < 3)
			types[count++] = part;
		else if (!is_one_of(part, " sync aligned satfinite "))
			count = 4;
	}
	if (*shape && count == 3)
		return true;
	hd_ptx_error(ptx, "expected a shape and three types");
	return false;
}

static bool number_at(struct hd_ptx *ptx, unsigned index, int64_t *number)
{
	uint64_t value;
	if (!hd_ptx_constant(ptx, index, &value)) {
		hd_ptx_error(ptx, "operand %u is to be a constant", index + 1);
		return false;
	}
	*number = (int32_t)value;
	return true;
}

static const char *apply_numbers(const int64_t *numbers, bool integers, bool registers, unsigned given,
				 struct hd_sel_wgmma *what)
{
	unsigned type = hd_mod_get(what->mods, HD_MOD_WGTYPE), trans = 0;
	if (integers)
		return given ? "a product of integers has no signs and transposes" : NULL;
	if (given < 2 || (numbers[SIGN_A] != 1 && numbers[SIGN_A] != -1) ||
	    (numbers[SIGN_B] != 1 && numbers[SIGN_B] != -1))
		return "expected 1 or -1 as the signs of both factors";
	what->srcmods = (uint8_t)((numbers[SIGN_A] < 0 ? HD_NEG_A : 0) | (numbers[SIGN_B] < 0 ? HD_NEG_B : 0));
	if (type > HD_WG_BF16)
		return given == 2 ? NULL : "only factors of 16 bits can be transposed";
	if (given != (registers ? 3u : 4u))
		return "expected a transpose for each factor in shared memory";
	int64_t trans_a = registers ? 0 : numbers[TRANS_A], trans_b = numbers[registers ? TRANS_A : TRANS_B];
	if ((trans_a & ~INT64_C(1)) || (trans_b & ~INT64_C(1)))
		return "expected 0 or 1 as a transpose";
	trans = (trans_a ? HD_WG_TRANS_A : 0u) | (trans_b ? HD_WG_TRANS_B : 0u);
	what->mods |= HD_MOD(WGTRANS, trans);
	return NULL;
}

static unsigned read_words(struct hd_ptx *ptx, unsigned index, unsigned count, struct hd_opnd *words)
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[index];
	for (unsigned i = 0; i < count && !ptx->failed; i++) {
		struct hd_leaf leaf = hd_ptx_read(ptx, &operand->parts[i], 32);
		words[i] = hd_sel_word(ptx->sel, &leaf, 0);
	}
	return count;
}

/* Operand 1: a vector of registers, or a descriptor. */
static void read_left(struct hd_ptx *ptx, struct hd_sel_wgmma *what)
{
	const struct hd_ptx_operand *operand = &ptx->now->operands[1];
	if (operand->form != HD_PTX_VECTOR) {
		struct hd_leaf leaf = hd_ptx_in(ptx, 1, 64);
		for (unsigned i = 0; i < 2 && !ptx->failed; i++)
			what->a[i] = hd_sel_word(ptx->sel, &leaf, i);
		return;
	}
	if (operand->count != 4)
		hd_ptx_error(ptx, "a factor in registers has four of them");
	else
		read_words(ptx, 1, 4, what->a);
}

static void multiply(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_sel_wgmma what = {0};
	struct hd_opnd in[HD_MREG_WORDS];
	const char *shape, *types[3];
	int64_t numbers[NUMBERS] = {0};
	(void)arg;
	if (!form_of(ptx, &shape, types))
		return;
	const char *wrong = hd_sel_wgmma_choose(ptx->sel, shape, types[0], types[1], types[2], &what.mods);
	const struct hd_ptx_operand *to = &ptx->now->operands[0];
	bool registers = ptx->now->operands[1].form == HD_PTX_VECTOR;
	unsigned given = ptx->now->count - 4;
	bool integers = !wrong && hd_mod_get(what.mods, HD_MOD_WGACC) == HD_WG_ACC_S32;
	if (!wrong && hd_ptx_has(ptx, "satfinite"))
		wrong = integers ? NULL : "'.satfinite' is for integers";
	if (!wrong && (given > NUMBERS || to->form != HD_PTX_VECTOR))
		wrong = "the operands do not fit";
	for (unsigned i = 0; i < given && !wrong; i++)
		if (!number_at(ptx, 4 + i, &numbers[i]))
			return;
	wrong = wrong ? wrong : apply_numbers(numbers, integers, registers, given, &what);
	if (wrong) {
		hd_ptx_error(ptx, "%s", wrong);
		return;
	}
	what.mods |= HD_MOD(SAT, hd_ptx_has(ptx, "satfinite")) | HD_MOD(WGA, registers);
	what.words = hd_op_width(HD_OP_WGMMA, what.mods, HD_SLOT_DST);
	if (to->count != what.words) {
		hd_ptx_error(ptx, "the accumulator has %u registers, not %u", to->count, what.words);
		return;
	}
	what.adds = hd_ptx_pred(ptx, 3);
	bool never = what.adds.id == HD_MREG_PT && what.adds.inverted;
	if (!never)
		read_words(ptx, 0, what.words, in);
	what.in = never ? NULL : in;
	read_left(ptx, &what);
	what.b = hd_ptx_in(ptx, 2, 64);
	if (ptx->failed)
		return;
	struct hd_mreg dst = hd_sel_wgmma(ptx->sel, &what);
	for (unsigned i = 0; i < what.words; i++)
		hd_ptx_write(ptx, &to->parts[i], hd_leaf_reg(hd_sub(dst, i, 1)), 32);
}

/* wgmma.fence, .commit_group, .wait_group n */
static void order(struct hd_ptx *ptx, unsigned mode)
{
	int64_t left = 0;
	if (mode == HD_WG_WAIT && !number_at(ptx, 0, &left))
		return;
	const char *wrong = hd_sel_warpgroup(ptx->sel, mode, (uint64_t)left);
	if (wrong)
		hd_ptx_error(ptx, "%s", wrong);
}

static void resize(struct hd_ptx *ptx, unsigned way)
{
	int64_t registers;
	if (!number_at(ptx, 0, &registers))
		return;
	const char *wrong = hd_sel_resize(ptx->sel, way, (uint64_t)registers);
	if (wrong)
		hd_ptx_error(ptx, "%s", wrong);
}

const struct hd_ptx_row hd_ptx_wgmma[] = {
	{"setmaxnreg.dec.sync.aligned.u32", "", 1, resize, HD_RESIZE_DEC, true},
	{"setmaxnreg.inc.sync.aligned.u32", "", 1, resize, HD_RESIZE_INC, true},
	{"wgmma.mma_async.sync.aligned", NULL, 4, multiply, 0, true},
	{"wgmma.fence.sync.aligned", "", 0, order, HD_WG_ARRIVE, true},
	{"wgmma.commit_group.sync.aligned", "", 0, order, HD_WG_COMMIT, true},
	{"wgmma.wait_group.sync.aligned", "", 1, order, HD_WG_WAIT, true},
	{NULL, NULL, 0, NULL, 0, false},
};
