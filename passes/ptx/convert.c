/*
 * Inline PTX: moves, compares and choices, conversions between types and address spaces.
 */
#include "heddle/opcodes.h"
#include "passes/ptx/ptx.h"

/* ------------------------------------------------------------------ moves */

/* mov.b64 {a, b}, c and its kin: the parts are equal and fill the whole. */
static void unpack(struct hd_ptx *ptx, unsigned bits)
{
	const struct hd_ptx_operand *to = &ptx->now->operands[0];
	unsigned each = bits / to->count;
	struct hd_leaf whole = hd_ptx_in(ptx, 1, bits);
	if (ptx->failed || each < 8) {
		hd_ptx_error(ptx, "the sizes of the parts do not add up to that of the whole");
		return;
	}
	struct hd_opnd words[2];
	for (unsigned i = 0; i < (bits + 31) / 32; i++)
		words[i] = hd_sel_word(ptx->sel, &whole, i);
	for (unsigned i = 0; i < to->count; i++)
		hd_ptx_write(ptx, &to->parts[i], hd_sel_unpack(ptx->sel, words, i, each), each);
}

static void pack(struct hd_ptx *ptx, unsigned bits)
{
	const struct hd_ptx_operand *from = &ptx->now->operands[1];
	unsigned each = bits / from->count;
	struct hd_leaf parts[HD_PTX_ELEMENTS];
	if (each < 8) {
		hd_ptx_error(ptx, "the sizes of the parts do not add up to that of the whole");
		return;
	}
	for (unsigned i = 0; i < from->count; i++)
		parts[i] = hd_ptx_read(ptx, &from->parts[i], each);
	if (ptx->failed)
		return;
	struct hd_opnd words[2];
	hd_sel_pack(ptx->sel, parts, from->count, each, words);
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_join(ptx->sel, words, (bits + 31) / 32)), bits);
}

static void move(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type type = hd_ptx_type(ptx, 0);
	(void)arg;
	if (!type.bits)
		hd_ptx_error(ptx, "missing type");
	else if (ptx->now->operands[0].form == HD_PTX_VECTOR && type.bits >= 16)
		unpack(ptx, type.bits);
	else if (ptx->now->operands[1].form == HD_PTX_VECTOR && type.bits >= 16)
		pack(ptx, type.bits);
	else
		hd_ptx_out(ptx, 0, hd_ptx_in(ptx, 1, type.bits), type.bits);
}

static void choose(struct hd_ptx *ptx, unsigned arg)
{
	unsigned bits = hd_ptx_type(ptx, 0).bits;
	(void)arg;
	if (bits < 16) {
		hd_ptx_error(ptx, "missing type");
		return;
	}
	struct hd_leaf yes = hd_ptx_in(ptx, 1, bits);
	struct hd_leaf no = hd_ptx_in(ptx, 2, bits);
	hd_ptx_out(ptx, 0, hd_sel_select_leaf(ptx->sel, hd_ptx_pred(ptx, 3), yes, no), bits);
}

/* slct d, a, b, c: a where c is not below zero, which NaN counts as. */
static void choose_by_sign(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type by = hd_ptx_type(ptx, 0), type = hd_ptx_type(ptx, 1);
	struct hd_popnd above = {HD_MREG_PT, false};
	(void)arg;
	if (by.bits != 32 || !strchr("sf", by.class) || type.bits < 16) {
		hd_ptx_error(ptx, "expected a type and .s32 or .f32");
		return;
	}
	struct hd_leaf yes = hd_ptx_in(ptx, 1, type.bits);
	struct hd_leaf no = hd_ptx_in(ptx, 2, type.bits);
	struct hd_opnd c = hd_reg(hd_sel_opnd_reg(ptx->sel, hd_ptx_word(ptx, 3), 1));
	struct hd_minst *test;
	if (by.class == 's') {
		above.id = hd_sel_isetp(ptx->sel, HD_CMP_GE, true, c, hd_rz());
	} else {
		test = hd_sel_op(ptx->sel, HD_OP_FSETP, HD_MOD(CMP, HD_CMP_GE) | HD_MOD(FTZ, hd_ptx_has(ptx, "ftz")),
				 HD_MREG_NONE, c, hd_rz(), hd_none());
		above.id = test->pdst = hd_mfunc_pred(ptx->sel->func);
	}
	hd_ptx_out(ptx, 0, hd_sel_select_leaf(ptx->sel, above, yes, no), type.bits);
}

/* ------------------------------------------------------------------ compares */

enum { UNSIGNED = 0x10 };

static bool compare_code(const struct hd_ptx *ptx, unsigned *code)
{
	static const struct {
		const char *name;
		unsigned code;
	} codes[] = {
		{"eq", HD_CMP_EQ},
		{"ne", HD_CMP_NE},
		{"lt", HD_CMP_LT},
		{"le", HD_CMP_LE},
		{"gt", HD_CMP_GT},
		{"ge", HD_CMP_GE},
		{"equ", HD_CMP_EQU},
		{"neu", HD_CMP_NEU},
		{"ltu", HD_CMP_LTU},
		{"leu", HD_CMP_LEU},
		{"gtu", HD_CMP_GTU},
		{"geu", HD_CMP_GEU},
		{"num", HD_CMP_NUM},
		{"nan", HD_CMP_NAN},
		{"lo", HD_CMP_LT | UNSIGNED},
		{"ls", HD_CMP_LE | UNSIGNED},
		{"hi", HD_CMP_GT | UNSIGNED},
		{"hs", HD_CMP_GE | UNSIGNED},
	};

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (!strcmp(ptx->now->parts[1], codes[i].name)) {
			*code = codes[i].code;
			return true;
		}
	return false;
}

static struct hd_leaf compare_floats(struct hd_ptx *ptx, unsigned code, struct hd_ptx_type type)
{
	struct hd_select *sel = ptx->sel;
	struct hd_leaf a = hd_ptx_in(ptx, 1, type.bits), b = hd_ptx_in(ptx, 2, type.bits);
	bool wide = type.bits == 64;
	if (type.class != 'f') {
		LLVMTypeKind kind = type.class == 'g' ? LLVMBFloatTypeKind : LLVMHalfTypeKind;
		a = hd_sel_to_f32(sel, a, kind);
		b = hd_sel_to_f32(sel, b, kind);
	}
	struct hd_minst *inst =
		hd_sel_op(sel, wide ? HD_OP_DSETP : HD_OP_FSETP,
			  HD_MOD(CMP, code) | HD_MOD(FTZ, !wide && hd_ptx_has(ptx, "ftz")), HD_MREG_NONE,
			  hd_reg(hd_sel_reg(sel, a)), hd_reg(hd_sel_reg(sel, b)), hd_none());
	inst->pdst = hd_mfunc_pred(sel->func);
	return hd_leaf_pred(inst->pdst, false);
}

static bool holds(unsigned code, bool less, bool equal)
{
	switch (code) {
	case HD_CMP_LT: return less;
	case HD_CMP_EQ: return equal;
	case HD_CMP_LE: return less || equal;
	case HD_CMP_GT: return !less && !equal;
	case HD_CMP_NE: return !equal;
	default: return !less;
	}
}

/* Of two constants the result is one, too: LLVM cannot see it in the text, and an instruction may be simpler then. */
static struct hd_leaf compare_integers(struct hd_ptx *ptx, unsigned code, bool sign, unsigned bits)
{
	struct hd_leaf a = hd_ptx_in(ptx, 1, bits), b = hd_ptx_in(ptx, 2, bits);
	if (a.kind != HD_LEAF_IMM || b.kind != HD_LEAF_IMM || ptx->failed)
		return hd_sel_cmp(ptx->sel, code, sign, a, b, bits);
	uint64_t x = a.imm[0] << (64 - bits), y = b.imm[0] << (64 - bits);
	return hd_leaf_imm(holds(code, sign ? (int64_t)x < (int64_t)y : x < y, x == y), 0);
}

/* The compare of operands 1 and 2, joined with predicate 3 where the opcode names a boolean operation. */
static bool compare(struct hd_ptx *ptx, struct hd_ptx_type type, struct hd_leaf *plain, struct hd_leaf *other)
{
	struct hd_popnd c = {HD_MREG_PT, false};
	unsigned code, boolean = hd_ptx_has(ptx, "or")	  ? HD_BOOL_OR
				 : hd_ptx_has(ptx, "xor") ? HD_BOOL_XOR
							  : HD_BOOL_AND;
	bool joined = hd_ptx_has(ptx, "or") || hd_ptx_has(ptx, "xor") || hd_ptx_has(ptx, "and");
	if (ptx->now->part_count < 3 || !compare_code(ptx, &code) || type.bits < 16) {
		hd_ptx_error(ptx, "expected a comparison and a type");
		return false;
	}
	bool sign;
	if (strchr("fhg", type.class)) {
		*plain = compare_floats(ptx, code & 15, type);
	} else {
		sign = type.class == 's' && !(code & UNSIGNED);
		if ((code & 15) > HD_CMP_GE) {
			hd_ptx_error(ptx, "the comparison is only for floating point");
			return false;
		}
		*plain = compare_integers(ptx, code & 15, sign, type.bits);
	}
	*other = *plain;
	if (plain->kind == HD_LEAF_IMM)
		other->imm[0] = !plain->imm[0];
	else
		other->inverted = !plain->inverted;
	if (joined) {
		c = hd_ptx_pred(ptx, 3);
		if (ptx->failed)
			return false;
		*plain = hd_leaf_pred(hd_sel_plop(ptx->sel, boolean, hd_sel_pred(ptx->sel, *plain), c), false);
		*other = hd_leaf_pred(hd_sel_plop(ptx->sel, boolean, hd_sel_pred(ptx->sel, *other), c), false);
	}
	return !ptx->failed;
}

static void set_predicate(struct hd_ptx *ptx, unsigned arg)
{
	(void)arg;
	struct hd_leaf plain, other;
	if (!compare(ptx, hd_ptx_type(ptx, 0), &plain, &other))
		return;
	hd_ptx_out(ptx, 0, plain, 1);
	if (ptx->now->operands[0].second.kind)
		hd_ptx_write(ptx, &ptx->now->operands[0].second, other, 1);
}

/* set.eq.u32.s32: all ones for true, 1.0 as a float. */
static void set_number(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type to = hd_ptx_type(ptx, 1);
	(void)arg;
	if (to.bits != 32) {
		hd_ptx_error(ptx, "expected a 32-bit result");
		return;
	}
	struct hd_leaf plain, other;
	if (compare(ptx, hd_ptx_type(ptx, 0), &plain, &other))
		hd_ptx_out(ptx, 0,
			   hd_leaf_reg(hd_sel_opnd_reg(
				   ptx->sel,
				   hd_sel_bool_word(ptx->sel, plain, to.class == 'f' ? 0x3f800000 : 0xffffffff), 1)),
			   32);
}

/* ------------------------------------------------------------------ conversions */

static unsigned machine_type(struct hd_ptx_type type)
{
	unsigned log = type.bits == 8 ? 0 : type.bits == 16 ? 1 : type.bits == 32 ? 2 : 3;
	switch (type.class) {
	case 'f': return type.bits == 64 ? HD_F64 : HD_F32;
	case 'h': return HD_F16;
	case 'g': return HD_BF16;
	default: return 2 * log + (type.class == 's'); /* U8 S8 U16 S16 ... */
	}
}

static uint64_t largest(struct hd_ptx_type type)
{
	return ~UINT64_C(0) >> (64 - type.bits + (type.class == 's'));
}

/* Into the range of `to`, in the type that it has. */
static struct hd_leaf saturated(struct hd_ptx *ptx, struct hd_leaf a, struct hd_ptx_type to, struct hd_ptx_type from)
{
	unsigned bits = from.bits < 32 ? 32 : from.bits;
	bool sign = from.class == 's';
	a = from.bits < 32 ? hd_sel_extend_leaf(ptx->sel, a, from.bits, 32, sign) : a;
	if (largest(to) < largest(from))
		a = hd_sel_minmax(ptx->sel, false, sign, a, hd_leaf_imm(largest(to), bits / 32), bits);
	if (sign && to.class != 's')
		return hd_sel_minmax(ptx->sel, true, true, a, hd_leaf_imm(0, bits / 32), bits);
	if (sign && to.bits < from.bits)
		return hd_sel_minmax(ptx->sel, true, true, a,
				     hd_leaf_imm(bits == 32 ? (uint32_t)~largest(to) : ~largest(to), bits / 32), bits);
	return a;
}

static struct hd_leaf convert_integer(struct hd_ptx *ptx, struct hd_ptx_type to, struct hd_ptx_type from)
{
	struct hd_leaf a = hd_ptx_in(ptx, 1, from.bits);
	if (hd_ptx_has(ptx, "sat"))
		a = saturated(ptx, a, to, from);
	/* The result's register may be wider than its type: it is then extended by that type's sign. */
	if (to.bits <= from.bits) {
		if (from.bits == 64 && to.bits <= 32)
			a = hd_leaf_reg(hd_sub(hd_sel_reg(ptx->sel, a), 0, 1));
		return to.bits < 32 ? hd_sel_extend_leaf(ptx->sel, a, to.bits, 32, to.class == 's') : a;
	}
	if (to.bits < 32) { /* s8 in u16 */
		a = hd_sel_extend_leaf(ptx->sel, a, from.bits, 32, from.class == 's');
		return hd_sel_extend_leaf(ptx->sel, a, to.bits, 32, to.class == 's');
	}
	return hd_sel_extend_leaf(ptx->sel, a, from.bits, to.bits, from.class == 's');
}

/* cvt.rn.f16x2.f32 d, a, b: a in the upper half */
static void convert_two(struct hd_ptx *ptx, struct hd_ptx_type to)
{
	struct hd_leaf half[2];
	for (unsigned i = 0; i < 2; i++)
		half[i] = hd_sel_convert(ptx->sel, HD_OP_F2F, machine_type(to), HD_F32, hd_ptx_rounding(ptx),
					 hd_ptx_in(ptx, 2 - i, 32));
	struct hd_opnd word[1];
	hd_sel_pack(ptx->sel, half, 2, 16, word);
	hd_ptx_out(ptx, 0, hd_leaf_reg(hd_sel_opnd_reg(ptx->sel, word[0], 1)), 32);
}

static void convert(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_ptx_type from = hd_ptx_type(ptx, 0), to = hd_ptx_type(ptx, 1);
	bool from_float = strchr("fhg", from.class) != NULL, to_float = strchr("fhg", to.class) != NULL;
	bool integral =
		hd_ptx_has(ptx, "rni") || hd_ptx_has(ptx, "rzi") || hd_ptx_has(ptx, "rmi") || hd_ptx_has(ptx, "rpi");
	uint16_t mods = hd_ptx_rounding(ptx);
	(void)arg;
	if (!from.bits || !to.bits || from.class == 'p' || to.class == 'p') {
		hd_ptx_error(ptx, "expected two types");
		return;
	}
	if (to_float && to.class != 'f' && to.bits == 32) {
		convert_two(ptx, to);
		return;
	}
	struct hd_leaf a;
	if (!from_float && !to_float) {
		a = convert_integer(ptx, to, from);
		hd_ptx_out(ptx, 0, a, to.bits);
		return;
	}
	unsigned op = !from_float ? HD_OP_I2F : !to_float ? HD_OP_F2I : integral ? HD_OP_FRND : HD_OP_F2F;
	if (hd_ptx_has(ptx, "ftz") && op != HD_OP_I2F)
		mods |= HD_MOD(FTZ, 1);
	if (hd_ptx_has(ptx, "sat") && op == HD_OP_F2F)
		mods |= HD_MOD(SAT, 1);
	else if (hd_ptx_has(ptx, "sat") && op != HD_OP_F2I) /* F2I always saturates */
		hd_ptx_error(ptx, "saturation is not supported");
	if (op == HD_OP_FRND && machine_type(to) != machine_type(from))
		hd_ptx_error(ptx, "rounding to an integral value of another type is not supported");
	a = hd_ptx_in(ptx, 1, from.bits);
	if (ptx->failed)
		return;
	hd_ptx_out(ptx, 0, hd_sel_convert(ptx->sel, op, machine_type(to), machine_type(from), mods, a), to.bits);
}

/* ------------------------------------------------------------------ address spaces */

static unsigned named_space(const struct hd_ptx *ptx)
{
	bool shared = hd_ptx_has(ptx, "shared") || hd_ptx_has(ptx, "shared::cta") || hd_ptx_has(ptx, "shared::cluster");
	return shared							     ? HD_AS_SHARED
	       : hd_ptx_has(ptx, "local")				     ? HD_AS_LOCAL
	       : hd_ptx_has(ptx, "const")				     ? HD_AS_CONST
	       : hd_ptx_has(ptx, "param") || hd_ptx_has(ptx, "param::entry") ? HD_AS_PARAM
									     : HD_AS_GLOBAL;
}

/* Addresses of every space are 64 bits wide in PTX; those of shared and local memory are offsets below 2^32. */
static void convert_address(struct hd_ptx *ptx, unsigned arg)
{
	unsigned space = named_space(ptx), bits = hd_ptx_type(ptx, 0).bits;
	struct hd_leaf a = hd_ptx_in(ptx, 1, bits);
	(void)arg;
	if (bits != 64) {
		hd_ptx_error(ptx, "expected a 64-bit address");
		return;
	}
	if (hd_ptx_has(ptx, "to")) {
		a = hd_sel_cast_space(ptx->sel, a, HD_AS_GENERIC, space);
		if (a.words == 1)
			a = hd_sel_extend_leaf(ptx->sel, hd_leaf_reg(hd_sel_reg(ptx->sel, a)), 32, 64, false);
	} else if (space == HD_AS_SHARED || space == HD_AS_LOCAL) {
		a = hd_leaf_reg(hd_sel_opnd_reg(ptx->sel, hd_sel_word(ptx->sel, &a, 0), 1));
		a = hd_sel_cast_space(ptx->sel, a, space, HD_AS_GENERIC);
	}
	hd_ptx_out(ptx, 0, a, 64);
}

static void is_space(struct hd_ptx *ptx, unsigned arg)
{
	struct hd_leaf address = hd_ptx_in(ptx, 1, 64);
	unsigned space = named_space(ptx);
	bool own = space == HD_AS_SHARED && !hd_ptx_has(ptx, "shared::cluster") && hd_sel_has_clusters(ptx->sel);
	(void)arg;
	hd_ptx_out(ptx, 0, own ? hd_sel_in_own_block(ptx->sel, address) : hd_sel_in_space(ptx->sel, address, space), 1);
}

#define TYPES " u8 s8 b8 u16 s16 b16 u32 s32 b32 u64 s64 b64 f16 bf16 f32 f64 "
#define COMPARES " eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls hi hs and or xor ftz "

const struct hd_ptx_row hd_ptx_convert[] = {
	{"mov", TYPES " pred ", 2, move, 0, false},
	{"selp", TYPES, 4, choose, 0, false},
	{"slct", TYPES " ftz ", 4, choose_by_sign, 0, false},
	{"setp", TYPES COMPARES, 3, set_predicate, 0, false},
	{"set", TYPES COMPARES, 3, set_number, 0, false},
	{"cvt", TYPES " f16x2 bf16x2 rn rz rm rp rni rzi rmi rpi ftz sat ", 2, convert, 0, false},
	{"cvta", " to global shared shared::cta shared::cluster local const u64 ", 2, convert_address, 0, false},
	{"isspacep", " global shared shared::cta shared::cluster local const param param::entry ", 2, is_space, 0,
	 false},
	{NULL, NULL, 0, NULL, 0, false},
};
