/*
 * Inline PTX: the SIMD video instructions (vadd2, vset4, ...), which CUDA's __vadd2, __vcmpgtu4 and their kin are made
 * of. A word holds two lanes of 16 bits or four of 8; every lane is computed in 32 bits, then cut or saturated to the
 * result's type. With .add the lanes' results are summed with the last operand into one word. Lane selectors and masks
 * (.h10, .b3210) are refused like any other unknown modifier.
 */
#include "passes/ptx/ptx.h"

enum operation { ADD, SUBTRACT, AVERAGE, DIFFERENCE, MINIMUM, MAXIMUM, COMPARE };
#define ARG(operation, lanes) ((operation) << 4 | (lanes))

struct simd {
	struct hd_ptx *ptx;
	enum operation operation;
	unsigned lanes, bits;
	bool to_signed, a_signed, b_signed, saturate, sum;
	unsigned compare; /* enum hd_cmp */
};

static struct hd_opnd less(struct simd *simd, struct hd_opnd a, struct hd_opnd b)
{
	return hd_reg(hd_sel_add(simd->ptx->sel, a, hd_neg(b)));
}

static struct hd_opnd extreme(struct simd *simd, bool max, struct hd_opnd a, struct hd_opnd b)
{
	struct hd_leaf x = hd_leaf_reg(hd_sel_opnd_reg(simd->ptx->sel, a, 1));
	struct hd_leaf y = hd_leaf_reg(hd_sel_opnd_reg(simd->ptx->sel, b, 1));
	struct hd_leaf result = hd_sel_minmax(simd->ptx->sel, max, true, x, y, 32);
	return hd_sel_word(simd->ptx->sel, &result, 0);
}

/* (a + b + 1) / 2 rounded down; a negative sum is rounded away from zero instead. */
static struct hd_opnd average(struct simd *simd, struct hd_opnd a, struct hd_opnd b)
{
	struct hd_select *sel = simd->ptx->sel;
	struct hd_mreg sum = hd_sel_add(sel, a, b);
	struct hd_popnd positive = {hd_sel_isetp(sel, HD_CMP_GE, true, hd_reg(sum), hd_imm(0)), false};
	struct hd_mreg one = hd_sel_select(sel, positive, hd_imm(1), hd_imm(0));
	struct hd_leaf doubled = hd_leaf_reg(hd_sel_add(sel, hd_reg(sum), hd_reg(one)));
	struct hd_leaf half = hd_sel_shift_leaf(sel, LLVMAShr, doubled, hd_leaf_imm(1, 1), 32);
	return hd_sel_word(sel, &half, 0);
}

static struct hd_opnd operate(struct simd *simd, struct hd_opnd a, struct hd_opnd b)
{
	struct hd_select *sel = simd->ptx->sel;
	switch (simd->operation) {
	case ADD: return hd_reg(hd_sel_add(sel, a, b));
	case SUBTRACT: return less(simd, a, b);
	case AVERAGE: return average(simd, a, b);
	case DIFFERENCE: return less(simd, extreme(simd, true, a, b), extreme(simd, false, a, b));
	case MINIMUM:
	case MAXIMUM: return extreme(simd, simd->operation == MAXIMUM, a, b);
	default: return hd_sel_bool_word(sel, hd_leaf_pred(hd_sel_isetp(sel, simd->compare, true, a, b), false), 1);
	}
}

static struct hd_opnd saturated(struct simd *simd, struct hd_opnd value)
{
	uint32_t high = (1u << (simd->bits - simd->to_signed)) - 1, low = simd->to_signed ? ~high : 0;
	return extreme(simd, false, extreme(simd, true, value, hd_imm(low)), hd_imm(high));
}

/* Lane `lane` of a word in 32 bits. */
static struct hd_opnd lane_of(struct simd *simd, const struct hd_opnd *word, unsigned lane, bool is_signed)
{
	struct hd_leaf part = hd_sel_unpack(simd->ptx->sel, word, lane, simd->bits);
	return hd_sel_extended(simd->ptx->sel, part, simd->bits, is_signed);
}

static struct hd_opnd every_lane(struct simd *simd, const struct hd_opnd *a, const struct hd_opnd *b)
{
	struct hd_select *sel = simd->ptx->sel;
	struct hd_opnd total = simd->sum ? hd_ptx_word(simd->ptx, 3) : hd_none();
	struct hd_leaf lanes[4];
	for (unsigned i = 0; i < simd->lanes; i++) {
		struct hd_opnd value =
			operate(simd, lane_of(simd, a, i, simd->a_signed), lane_of(simd, b, i, simd->b_signed));
		if (simd->saturate)
			value = saturated(simd, value);
		if (simd->sum)
			total = hd_reg(hd_sel_add(sel, total, value));
		lanes[i] = hd_leaf_reg(hd_sel_opnd_reg(sel, value, 1));
	}
	if (simd->sum)
		return total;
	struct hd_opnd packed;
	hd_sel_pack(sel, lanes, simd->lanes, simd->bits, &packed);
	return packed;
}

static bool find_comparison(struct simd *simd)
{
	static const struct {
		const char *name;
		unsigned compare;
	} names[] = {{"eq", HD_CMP_EQ}, {"ne", HD_CMP_NE}, {"lt", HD_CMP_LT},
		     {"le", HD_CMP_LE}, {"gt", HD_CMP_GT}, {"ge", HD_CMP_GE}};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (hd_ptx_has(simd->ptx, names[i].name)) {
			simd->compare = names[i].compare;
			return true;
		}
	return false;
}

/* The types stand behind the opcode: of the result (but not in vset), of a and of b. */
static bool read_types(struct simd *simd)
{
	const struct hd_ptx_statement *now = simd->ptx->now;
	unsigned count = simd->operation == COMPARE ? 2 : 3;
	if (now->part_count < count + 1)
		return false;
	bool is_signed[3];
	for (unsigned i = 0; i < count; i++) {
		if (strcmp(now->parts[i + 1], "s32") && strcmp(now->parts[i + 1], "u32"))
			return false;
		is_signed[i] = now->parts[i + 1][0] == 's';
	}
	simd->to_signed = is_signed[0];
	simd->a_signed = is_signed[count - 2];
	simd->b_signed = is_signed[count - 1];
	return true;
}

static void select_simd(struct hd_ptx *ptx, unsigned arg)
{
	struct simd simd = {.ptx = ptx,
			    .operation = arg >> 4,
			    .lanes = arg & 15,
			    .bits = 32 / (arg & 15),
			    .saturate = hd_ptx_has(ptx, "sat"),
			    .sum = hd_ptx_has(ptx, "add")};
	struct hd_opnd a;
	if (!read_types(&simd) || (simd.operation == COMPARE && !find_comparison(&simd))) {
		hd_ptx_error(ptx, "expected 32-bit types (and in vset a comparison) after the opcode");
		return;
	}
	if (simd.saturate && simd.sum) {
		hd_ptx_error(ptx, "sums cannot saturate");
		return;
	}
	a = hd_ptx_word(ptx, 1);
	struct hd_opnd b = hd_ptx_word(ptx, 2);
	struct hd_opnd result = every_lane(&simd, &a, &b);
	if (!ptx->failed)
		hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_opnd_reg(ptx->sel, result, 1)), 32);
}

#define TYPES " u32 s32 add "
#define ROWS(name, operation, modifiers)                                            \
	{name "2", TYPES modifiers, 4, select_simd, ARG(operation, 2), false},      \
	{                                                                           \
		name "4", TYPES modifiers, 4, select_simd, ARG(operation, 4), false \
	}

const struct hd_ptx_row hd_ptx_simd[] = {
	ROWS("vadd", ADD, "sat "),
	ROWS("vsub", SUBTRACT, "sat "),
	ROWS("vavrg", AVERAGE, "sat "),
	ROWS("vabsdiff", DIFFERENCE, "sat "),
	ROWS("vmin", MINIMUM, "sat "),
	ROWS("vmax", MAXIMUM, "sat "),
	ROWS("vset", COMPARE, "eq ne lt le gt ge "),
	{NULL, NULL, 0, NULL, 0, false},
};
