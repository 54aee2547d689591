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
 * The operand is scaled in its register where nobody reads it behind, else in a copy.
 *
 * Selection leaves here only reciprocals that are half of a quotient; the others, and quotients in the full range, have
 * two limits, and selection scales them (select/fp.c). A quotient may be a number where its reciprocal is infinite, so
 * that the product is brought back, not the reciprocal. Several quotients may share a reciprocal, in several blocks.
 * Every product that reads it is brought back: behind a plain one, before a fused, saturated or guarded one through its
 * other factor. Other readers get the reciprocal itself, in a register of its own. A reciprocal whose register has
 * several definitions is brought back in that, and is then infinite below 2^-128.
 *
 * Switch: without=scaled-specials leaves MUFU, its operand and its result as they are.
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

/* A reciprocal that products are made of. */
struct half {
	uint32_t normal; /* the predicate that its operand was normal; 0: the register holds no such reciprocal */
	uint32_t itself; /* the register that has the reciprocal brought back; 0: nobody reads that */
};

struct scaler {
	struct hd_mfunc *func;
	struct hd_live live;
	bool *read; /* words that are read behind the present instruction */
	HD_VEC(bool) last;
	HD_VEC(struct hd_minst) made;
	uint32_t vregs;	     /* before this step */
	uint32_t *defs;	     /* of each register: its definitions */
	struct half *halves; /* of each register */
	struct hd_minst *now;
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

/* ---- reciprocals and their readers ---- */

static struct half *half_of(const struct scaler *s, struct hd_mreg reg)
{
	uint32_t vreg = reg.id - HD_MREG_VIRTUAL;
	return reg.words && hd_mreg_is_virtual(reg.id) && vreg < s->vregs && s->halves[vreg].normal ? &s->halves[vreg]
												    : NULL;
}

static void count_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scaler *s = context;
	if (is_def && hd_mreg_is_virtual(reg->id))
		s->defs[reg->id - HD_MREG_VIRTUAL]++;
}

struct reads {
	uint32_t id, count;
};

static void count_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct reads *reads = context;
	reads->count += !is_def && reg->words && reg->id == reads->id;
}

/* Whether a reciprocal is a factor of what the instruction computes, and nothing else of it. */
static bool is_factor(struct scaler *s, struct hd_minst *inst, uint32_t id)
{
	struct reads reads = {.id = id};
	if (inst->op != HD_OP_FMUL && inst->op != HD_OP_FFMA)
		return false;
	hd_minst_visit(s->func, inst, count_read, &reads);
	return reads.count == 1 && ((inst->a.words && inst->a.id == id) || (inst->b.words && inst->b.id == id));
}

static void note_reader(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scaler *s = context;
	struct half *half = is_def ? NULL : half_of(s, *reg);
	if (half && !half->itself && !is_factor(s, s->now, reg->id))
		half->itself = hd_mfunc_vreg(s->func, 1).id;
}

static void take_itself(void *context, struct hd_mreg *reg, bool is_def)
{
	struct scaler *s = context;
	struct half *half = is_def ? NULL : half_of(s, *reg);
	if (half && half->itself && !is_factor(s, s->now, reg->id))
		reg->id = half->itself;
}

static void visit_all(struct scaler *s, hd_mreg_visitor visit)
{
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		for (uint32_t i = 0; i < s->func->blocks.data[id].insts.len; i++) {
			s->now = &s->func->blocks.data[id].insts.data[i];
			hd_minst_visit(s->func, s->now, visit, s);
		}
}

/* Gives a predicate to every reciprocal whose register is its own, then finds who reads it as what. */
static void find_halves(struct scaler *s)
{
	visit_all(s, count_def);
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		for (uint32_t i = 0; i < s->func->blocks.data[id].insts.len; i++) {
			const struct hd_minst *inst = &s->func->blocks.data[id].insts.data[i];
			uint32_t vreg = inst->dst.id - HD_MREG_VIRTUAL;
			if (scale_of(inst) == &scales[HD_MUFU_RCP] && hd_mreg_is_virtual(inst->dst.id) &&
			    hd_mreg_words(s->func, inst->dst.id) == 1 && s->defs[vreg] == 1)
				s->halves[vreg].normal = hd_mfunc_pred(s->func);
		}
	visit_all(s, note_reader);
}

/* The factor that is not the reciprocal, 2^24 times as large where the reciprocal was made smaller. It overflows only
 * where the quotient does. */
static void scale_factor(struct scaler *s, struct hd_minst *product, bool second, uint32_t normal)
{
	struct hd_mreg *factor = second ? &product->b : &product->a, own = hd_mfunc_vreg(s->func, 1);
	struct hd_minst *copy = push(s, product, HD_OP_COPY, own, (struct hd_mreg){HD_RZ, 0, 0});
	copy->b = *factor;
	if (second && hd_x_in_b(product->xkind)) {
		copy->xkind = product->xkind;
		copy->x = product->x;
		copy->ref = product->ref;
		copy->ref_kind = product->ref_kind;
		product->xkind = HD_X_NONE;
		product->x = 0;
		product->ref_kind = HD_MREF_NONE;
	}
	struct hd_minst *more = push(s, product, HD_OP_FMUL, own, own);
	more->mods = HD_MOD(FTZ, hd_mod_get(product->mods, HD_MOD_FTZ));
	more->guard = normal;
	more->guard_not = true;
	set_immediate(more, scales[HD_MUFU_RCP].by);
	*factor = own;
}

static void push_reader(struct scaler *s, struct hd_minst inst)
{
	struct half *a = half_of(s, inst.a), *b = half_of(s, inst.b);
	bool plain = inst.op == HD_OP_FMUL && inst.guard == HD_MREG_PT && !hd_mod_get(inst.mods, HD_MOD_SAT);
	a = a && is_factor(s, &inst, inst.a.id) ? a : NULL;
	b = b && is_factor(s, &inst, inst.b.id) ? b : NULL;
	if (a && !plain)
		scale_factor(s, &inst, true, a->normal);
	if (b && !plain)
		scale_factor(s, &inst, false, b->normal);
	hd_vec_push(&s->made, inst);
	if (a && plain)
		bring_back(s, &scales[HD_MUFU_RCP], a->normal);
	if (b && plain)
		bring_back(s, &scales[HD_MUFU_RCP], b->normal);
}

/* ---- instructions ---- */

/* Scales the operand; the predicate is set where it was normal. */
static void scale_operand(struct scaler *s, const struct scale *scale, struct hd_minst mufu, bool last, uint32_t normal)
{
	struct hd_mreg operand = own_operand(s, &mufu, last), none = {HD_RZ, 0, 0};
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
}

static void expand(struct scaler *s, const struct scale *scale, const struct hd_minst *mufu, bool last)
{
	struct half *half = scale == &scales[HD_MUFU_RCP] ? half_of(s, mufu->dst) : NULL;
	uint32_t normal = half ? half->normal : hd_mfunc_pred(s->func);
	scale_operand(s, scale, *mufu, last, normal);
	if (half && half->itself) {
		struct hd_mreg itself = {.id = half->itself, .words = 1};
		push(s, mufu, HD_OP_COPY, itself, (struct hd_mreg){HD_RZ, 0, 0})->b = mufu->dst;
	}
	if (!half || half->itself)
		bring_back(s, scale, normal);
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
	struct hd_mblock *block = &s->func->blocks.data[id];
	hd_vec_clear(&s->made);
	if (has_any(block))
		find_last(s, id);
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst inst = block->insts.data[i];
		const struct scale *scale = scale_of(&inst);
		s->now = &inst;
		hd_minst_visit(s->func, &inst, take_itself, s);
		if (scale)
			expand(s, scale, &inst, s->last.data[i]);
		else
			push_reader(s, inst);
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
	s.vregs = func->vregs.len;
	s.defs = HD_ARENA_NEW(&arena, uint32_t, s.vregs + 1);
	s.halves = HD_ARENA_NEW(&arena, struct half, s.vregs + 1);
	find_halves(&s);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		expand_block(&s, id);
	hd_vec_release(&s.last);
	hd_vec_release(&s.made);
	hd_arena_release(&arena);
	return 0;
}
