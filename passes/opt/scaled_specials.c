/*
 * Special functions of denormal numbers: MUFU takes denormal operands for zero and makes zeros of denormal results.
 * Where the program does not allow that (approximations without .ftz), the operand is brought into the range of normal
 * numbers and the result back, each under a predicate that normal operands do not set, as ptxas 13 has it:
 *
 *   2^x        below -126       x / 2              square
 *   log2 x     below 2^-126     x 2^24             less 24
 *   1/sqrt x   below 2^-126     x 2^24             2^12 times as much
 *   sqrt x     below 2^-126     x 2^24             2^-12 times as much
 *   y / x      below 2^-126     x 2^24             2^24 times as much, of the product with y
 *
 * A reciprocal that selection leaves to this step is half of a quotient. Reciprocals alone, and quotients in the full
 * range, have two limits: selection scales them (select/fp.c). The operand is
 * scaled in its register where nobody reads it behind. Switch: without=scaled-specials leaves
 * MUFU as it was, which then is exact for denormals.
 *
 * Needs registers without PHIs, before they are ordered and allocated. Linear but for liveness.
 */
#include <stdlib.h>

#include "heddle/opcodes.h"
#include "passes/mir/live.h"

#define SMALLEST 0x00800000u /* 2^-126 */

struct scale {
	uint32_t limit, factor; /* of the operand: below, and by what */
	bool magnitude;		/* the limit is of the magnitude */
	uint16_t back;		/* opcode on the result; its factor or summand, 0: the result itself */
	uint32_t by;
};

static const struct scale scales[] = {
	[HD_MUFU_RCP] = {SMALLEST, 0x4b800000, true, HD_OP_FMUL, 0x4b800000},
	[HD_MUFU_EX2] = {0xc2fc0000, 0x3f000000, false, HD_OP_FMUL, 0},
	[HD_MUFU_LG2] = {SMALLEST, 0x4b800000, true, HD_OP_FADD, 0xc1c00000},
	[HD_MUFU_RSQ] = {SMALLEST, 0x4b800000, true, HD_OP_FMUL, 0x45800000},
	[HD_MUFU_SQRT] = {SMALLEST, 0x4b800000, true, HD_OP_FMUL, 0x39800000},
};

struct scaler {
	struct hd_mfunc *func;
	struct hd_live live;
	bool *read; /* words that are read behind the present instruction */
	HD_VEC(bool) last;
	HD_VEC(struct hd_minst) made;
	uint32_t product, normal; /* index of a quotient's product, 0: none is to come, and its predicate */
};

static const struct scale *scale_of(const struct hd_minst *inst)
{
	unsigned function = hd_mod_get(inst->mods, HD_MOD_MUFUFN);
	if (inst->op != HD_OP_MUFU || hd_mod_get(inst->mods, HD_MOD_FTZ) || inst->guard != HD_MREG_PT || inst->linear ||
	    function >= sizeof(scales) / sizeof(scales[0]) || !scales[function].back)
		return NULL;
	return &scales[function];
}

static void note_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scaler *s = context;
	if (is_def && hd_mreg_is_virtual(reg->id))
		memset(&s->read[hd_live_word(&s->live, *reg)], 0, reg->words ? reg->words : 1);
}

static void note_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scaler *s = context;
	if (!is_def && hd_mreg_is_virtual(reg->id))
		memset(&s->read[hd_live_word(&s->live, *reg)], 1, reg->words ? reg->words : 1);
}

/* s->last[i]: nobody reads the operand of instruction i behind it, and it is a register of its own. */
static void find_last(struct scaler *s, uint32_t id)
{
	struct hd_mblock *block = &s->func->blocks.data[id];
	memset(s->read, 0, s->live.words);
	for (uint32_t i = s->live.out_start[id]; i < s->live.out_start[id + 1]; i++)
		s->read[s->live.out[i]] = true;
	hd_vec_clear(&s->last);
	for (uint32_t i = 0; i < block->insts.len; i++)
		hd_vec_push(&s->last, false);
	for (uint32_t i = block->insts.len; i-- > 0;) {
		struct hd_minst *inst = &block->insts.data[i];
		struct hd_mreg b = inst->b;
		if (scale_of(inst))
			s->last.data[i] = b.words == 1 && hd_mreg_is_virtual(b.id) &&
					  hd_mreg_words(s->func, b.id) == 1 && !s->read[hd_live_word(&s->live, b)];
		hd_minst_visit(s->func, inst, note_def, s);
		hd_minst_visit(s->func, inst, note_read, s);
	}
}

static struct hd_minst *push(struct scaler *s, const struct hd_minst *from, unsigned op, struct hd_mreg dst,
			     struct hd_mreg a)
{
	struct hd_minst inst = hd_minst_make(op, 0);
	inst.dst = dst;
	inst.a = a;
	inst.loc = from->loc;
	inst.ir = from->ir;
	hd_vec_push(&s->made, inst);
	return &s->made.data[s->made.len - 1];
}

static void set_immediate(struct hd_minst *inst, uint32_t value)
{
	inst->xkind = HD_X_IMM_B;
	inst->x = value;
}

/* The operand in a register that may be overwritten. */
static struct hd_mreg own_operand(struct scaler *s, const struct hd_minst *mufu, bool last)
{
	if (last)
		return mufu->b;
	struct hd_mreg own = hd_mfunc_vreg(s->func, 1);
	struct hd_minst *copy = push(s, mufu, HD_OP_COPY, own, (struct hd_mreg){HD_RZ, 0, 0});
	copy->b = mufu->b;
	copy->xkind = mufu->xkind;
	copy->x = mufu->x;
	copy->ref = mufu->ref;
	copy->ref_kind = mufu->ref_kind;
	return own;
}

/* Brings the result of the last instruction back. */
static void bring_back(struct scaler *s, const struct scale *scale, uint32_t normal)
{
	struct hd_minst from = s->made.data[s->made.len - 1], *back = push(s, &from, scale->back, from.dst, from.dst);
	back->guard = normal;
	back->guard_not = true;
	if (scale->by)
		set_immediate(back, scale->by);
	else
		back->b = from.dst;
}

static bool is_word(struct hd_mreg a, struct hd_mreg b)
{
	return a.words && a.id == b.id && a.sub == b.sub;
}

/* The index of the product that a reciprocal is half of; 0: it is none. */
static uint32_t product_of(const struct hd_mblock *block, uint32_t index)
{
	struct hd_mreg half = block->insts.data[index].dst;
	for (uint32_t i = index + 1; i < block->insts.len; i++) {
		const struct hd_minst *inst = &block->insts.data[i];
		if (is_word(inst->a, half) || is_word(inst->b, half))
			return inst->op == HD_OP_FMUL && inst->guard == HD_MREG_PT ? i : 0;
		if (is_word(inst->c, half) || is_word(inst->dst, half))
			return 0;
	}
	return 0;
}

/* Scales the operand; the predicate that it was normal. */
static uint32_t expand(struct scaler *s, const struct scale *scale, struct hd_minst mufu, bool last)
{
	struct hd_mreg operand = own_operand(s, &mufu, last), none = {HD_RZ, 0, 0};
	uint32_t normal = hd_mfunc_pred(s->func);
	bool neg = mufu.srcmods & HD_NEG_B, magnitude = scale->magnitude || (mufu.srcmods & HD_ABS_B);
	struct hd_minst *compare = push(s, &mufu, HD_OP_FSETP, none, operand);
	compare->mods = HD_MOD(CMP, HD_CMP_GEU);
	compare->pdst = normal;
	compare->srcmods = (magnitude ? HD_ABS_A : 0) | (neg && !scale->magnitude ? HD_NEG_A : 0);
	set_immediate(compare, scale->limit);

	struct hd_minst *forth = push(s, &mufu, HD_OP_FMUL, operand, operand);
	set_immediate(forth, scale->factor);
	forth->guard = normal;
	forth->guard_not = true;

	mufu.mods |= HD_MOD(FTZ, 1);
	mufu.b = operand;
	mufu.xkind = HD_X_NONE;
	mufu.x = 0;
	mufu.ref_kind = HD_MREF_NONE;
	hd_vec_push(&s->made, mufu);

	return normal;
}

static bool has_any(const struct hd_mblock *block)
{
	for (uint32_t i = 0; i < block->insts.len; i++)
		if (scale_of(&block->insts.data[i]))
			return true;
	return false;
}

static void expand_block(struct scaler *s, uint32_t id)
{
	find_last(s, id);
	hd_vec_clear(&s->made);
	struct hd_mblock *block = &s->func->blocks.data[id];
	s->product = 0;
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst inst = block->insts.data[i];
		const struct scale *scale = scale_of(&inst);
		bool half = scale == &scales[HD_MUFU_RCP];
		uint32_t product = half && !s->product ? product_of(block, i) : 0, normal;
		if (!scale || (half && !product)) {
			hd_vec_push(&s->made, inst);
		} else {
			normal = expand(s, scale, inst, s->last.data[i]);
			if (half)
				s->product = product, s->normal = normal;
			else
				bring_back(s, scale, normal);
		}
		if (i && i == s->product) {
			bring_back(s, &scales[HD_MUFU_RCP], s->normal);
			s->product = 0;
		}
	}
	hd_vec_clear(&block->insts);
	for (uint32_t i = 0; i < s->made.len; i++)
		hd_vec_push(&block->insts, s->made.data[i]);
}

int hd_scaled_specials_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct scaler s = {.func = func};
	struct hd_arena arena;
	uint32_t first = 0;
	(void)diag;
	while (first < func->blocks.len && !has_any(&func->blocks.data[first]))
		first++;
	if (first == func->blocks.len || !hd_switch_is_on(func->without, HD_SWITCH_SCALED_SPECIALS))
		return 0;
	hd_arena_init(&arena);
	hd_live_compute(func, &arena, &s.live);
	s.read = HD_ARENA_NEW(&arena, bool, s.live.words + 1);
	for (uint32_t id = first; id < func->blocks.len; id++)
		if (has_any(&func->blocks.data[id]))
			expand_block(&s, id);
	hd_vec_release(&s.last);
	hd_vec_release(&s.made);
	hd_arena_release(&arena);
	return 0;
}
