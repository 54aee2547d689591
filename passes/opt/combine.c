/*
 * Two instructions of a block that the machine has as one, in SSA form, behind the removal of dead code:
 *
 *   tests  whether bits are set: LOP3 says so itself, the comparison of its result with zero goes.
 *          Switch: without=bit-tests
 *   sums   an addend that is a shift, or the upper word of a product: LEA, LEA.HI, IMAD.HI. A shift to the left may
 *          be in several sums if it then goes. Switch: without=combined-sums
 *   bytes  one byte of a word: PRMT in place of a shift and a mask. Switch: without=byte-extracts
 *
 * The new instruction stands where the second one stood (the LOP3 stays where it is), so that no value lives longer but
 * those that it reads. Needs SSA form. Linear.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

struct combiner {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_minst **def; /* by virtual register; PHIs and the like too */
	uint32_t *block;       /* of the definition */
	uint32_t *reads;
	uint32_t *turnable;    /* reads of a predicate that may as well read its opposite */
	uint32_t *summed;      /* reads by sums that could read the operand of the shift */
	struct hd_minst *inst; /* being visited */
	uint32_t at;
};

typedef void (*combine_step)(struct combiner *combiner, struct hd_minst *inst);

static void for_each(struct combiner *combiner, combine_step step)
{
	for (uint32_t id = 0; id < combiner->func->blocks.len; id++) {
		combiner->at = id;
		for (uint32_t i = 0; i < combiner->func->blocks.data[id].insts.len; i++)
			step(combiner, &combiner->func->blocks.data[id].insts.data[i]);
	}
}

static void note_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct combiner *combiner = context;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	if (is_def) {
		combiner->def[vreg] = combiner->inst;
		combiner->block[vreg] = combiner->at;
	} else {
		combiner->reads[vreg]++;
	}
}

/* The predicates of these can be turned round: the machine has both kinds for all sources. */
static bool turns(const struct hd_minst *inst)
{
	return inst->op == HD_OP_BRA || inst->op == HD_OP_SEL || inst->op == HD_OP_PLOP || inst->op == HD_OP_VOTE ||
	       (inst->op == HD_OP_ISETP && !hd_mod_get(inst->mods, HD_MOD_EX));
}

static void note(struct combiner *combiner, struct hd_minst *inst)
{
	combiner->inst = inst;
	hd_minst_visit(combiner->func, inst, note_operand, combiner);
	const uint32_t sources[] = {inst->guard, inst->psrc, inst->psrc2};
	for (unsigned i = 0; i < 3 && turns(inst); i++)
		if (hd_mreg_is_virtual(sources[i]))
			combiner->turnable[sources[i] - HD_MREG_VIRTUAL]++;
}

/* What defines a word in the same block; NULL: something elsewhere, or more than a word. */
static struct hd_minst *made_here(const struct combiner *combiner, struct hd_mreg reg)
{
	if (reg.words != 1 || reg.sub || !hd_mreg_is_virtual(reg.id))
		return NULL;
	struct hd_minst *def = combiner->def[reg.id - HD_MREG_VIRTUAL];
	bool here = def && combiner->block[reg.id - HD_MREG_VIRTUAL] == combiner->at && def->op < HD_OP_LIMIT;
	return here && def->dst.words == 1 && def->guard == HD_MREG_PT ? def : NULL;
}

static uint32_t reads_of(const struct combiner *combiner, struct hd_mreg reg)
{
	return combiner->reads[reg.id - HD_MREG_VIRTUAL];
}

/* Nothing reads it any more: removed at the end. */
static void drop(struct hd_minst *inst)
{
	*inst = hd_minst_make(HD_OP_COPY, 0);
}

static bool is_dropped(const struct hd_minst *inst)
{
	return inst->op == HD_OP_COPY && !inst->dst.words && inst->pdst == HD_MREG_PT;
}

/* Without operands from elsewhere than registers, an immediate or the constant bank. */
static bool is_plain(const struct hd_minst *inst)
{
	return !inst->linear && !inst->srcmods && inst->ref_kind == HD_MREF_NONE && inst->pdst == HD_MREG_PT &&
	       inst->psrc == HD_MREG_PT && inst->guard == HD_MREG_PT;
}

static bool is_zero(struct hd_mreg reg)
{
	return reg.id == HD_RZ;
}

/* ---- tests ---- */

/* The LOP3 whose result is compared with zero, or NULL. */
static struct hd_minst *tested(const struct combiner *combiner, const struct hd_minst *inst)
{
	uint32_t cmp = hd_mod_get(inst->mods, HD_MOD_CMP);
	bool compare = inst->op == HD_OP_ISETP && !hd_mod_get(inst->mods, HD_MOD_EX) && !inst->linear &&
		       (cmp == HD_CMP_EQ || cmp == HD_CMP_NE) && hd_mod_get(inst->mods, HD_MOD_BOOL) == HD_BOOL_AND &&
		       inst->psrc == HD_MREG_PT && !inst->psrc_not && inst->guard == HD_MREG_PT &&
		       inst->xkind == HD_X_NONE && inst->b.words == 1 && is_zero(inst->b) &&
		       hd_mreg_is_virtual(inst->pdst);
	struct hd_minst *logic = compare ? made_here(combiner, inst->a) : NULL;
	return logic && logic->op == HD_OP_LOP3 && logic->pdst == HD_MREG_PT ? logic : NULL;
}

struct turn {
	struct combiner *combiner;
	bool *turned; /* by virtual register */
};

static void take_test(struct turn *turn, struct hd_minst *inst)
{
	struct combiner *combiner = turn->combiner;
	struct hd_minst *logic = tested(combiner, inst);
	if (!logic)
		return;
	uint32_t vreg = inst->pdst - HD_MREG_VIRTUAL;
	bool equal = hd_mod_get(inst->mods, HD_MOD_CMP) == HD_CMP_EQ;
	if (equal && combiner->turnable[vreg] != combiner->reads[vreg])
		return;
	turn->turned[vreg] = equal;
	logic->pdst = inst->pdst;
	if (reads_of(combiner, inst->a) == 1)
		logic->dst = HD_MREG_RZ;
	drop(inst);
}

static void turn_reads(struct turn *turn, struct hd_minst *inst)
{
	const uint32_t sources[] = {inst->guard, inst->psrc, inst->psrc2};
	bool *nots[] = {&inst->guard_not, &inst->psrc_not, &inst->psrc2_not};
	for (unsigned i = 0; i < 3; i++)
		if (hd_mreg_is_virtual(sources[i]) && turn->turned[sources[i] - HD_MREG_VIRTUAL])
			*nots[i] = !*nots[i];
}

static void combine_tests(struct combiner *combiner)
{
	struct hd_mfunc *func = combiner->func;
	struct turn turn = {combiner, HD_ARENA_NEW(&combiner->arena, bool, func->vregs.len + 1)};
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		combiner->at = id;
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			take_test(&turn, &func->blocks.data[id].insts.data[i]);
	}
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			turn_reads(&turn, &func->blocks.data[id].insts.data[i]);
}

/* ---- sums ---- */

/* A sum of two words, of which the second may be an immediate or a constant. */
static bool is_sum(const struct hd_minst *inst)
{
	return inst->op == HD_OP_IADD3 && !hd_mod_get(inst->mods, HD_MOD_EX) && is_plain(inst) && inst->a.words == 1 &&
	       (inst->xkind == HD_X_NONE || inst->xkind == HD_X_IMM_B || inst->xkind == HD_X_CONST_B) &&
	       is_zero(inst->c) && hd_mreg_is_virtual(inst->dst.id);
}

static bool is_shift(const struct hd_minst *def, unsigned op)
{
	return def && def->op == op && is_plain(def) && def->a.words == 1 && !is_zero(def->a) &&
	       def->xkind == HD_X_IMM_B && def->x > 0 && def->x < 32;
}

static bool is_logical_shift(const struct hd_minst *def)
{
	return is_shift(def, HD_OP_SHR) && hd_mod_get(def->mods, HD_MOD_SIGN) == HD_UNSIGNED;
}

static bool is_high_product(const struct hd_minst *def)
{
	return def && def->op == HD_OP_IMAD_HI && is_plain(def) && is_zero(def->c) && !hd_x_in_c(def->xkind);
}

/* The operand of a sum that is left beside the one that becomes part of it. */
struct rest {
	struct hd_mreg reg;
	uint8_t xkind;
	uint32_t x;
};

static struct rest rest_of(const struct hd_minst *sum, bool first)
{
	return first ? (struct rest){sum->b, sum->xkind, sum->x} : (struct rest){sum->a, HD_X_NONE, 0};
}

static struct hd_mreg side_of(const struct hd_minst *sum, bool first)
{
	return first ? sum->a : sum->b;
}

static void note_shifted(struct combiner *combiner, struct hd_minst *inst)
{
	for (unsigned first = 0; first < 2 && is_sum(inst); first++) {
		struct hd_mreg reg = side_of(inst, first);
		if (!is_shift(made_here(combiner, reg), HD_OP_SHL))
			continue;
		combiner->summed[reg.id - HD_MREG_VIRTUAL]++;
		return;
	}
}

/* The sum as `op`, of what the shift was of and of the rest. */
static void become_lea(struct hd_minst *sum, const struct hd_minst *shift, unsigned op, uint32_t amount,
		       struct rest rest)
{
	sum->op = (uint16_t)op;
	sum->mods = HD_MOD(SHAMT, amount);
	sum->a = shift->a;
	sum->b = rest.reg;
	sum->xkind = rest.xkind;
	sum->x = rest.x;
	sum->c = op == HD_OP_LEA_HI ? HD_MREG_RZ : HD_MREG_NONE;
}

static bool take_shift(struct combiner *combiner, struct hd_minst *sum, bool first)
{
	struct hd_mreg reg = side_of(sum, first);
	struct hd_minst *shift = made_here(combiner, reg);
	struct rest rest = rest_of(sum, first);
	if (is_shift(shift, HD_OP_SHL) && combiner->summed[reg.id - HD_MREG_VIRTUAL] == reads_of(combiner, reg))
		become_lea(sum, shift, HD_OP_LEA, shift->x, rest);
	else if (is_logical_shift(shift) && reads_of(combiner, reg) == 1)
		become_lea(sum, shift, HD_OP_LEA_HI, 32 - shift->x, rest);
	else
		return false;
	return true;
}

static bool take_product(struct combiner *combiner, struct hd_minst *sum, bool first)
{
	struct hd_mreg reg = side_of(sum, first);
	struct hd_minst *product = made_here(combiner, reg);
	struct rest rest = rest_of(sum, first);
	if (!is_high_product(product) || reads_of(combiner, reg) != 1 || rest.xkind != HD_X_NONE || !rest.reg.words)
		return false;
	struct hd_minst fused = *product;
	fused.dst = sum->dst;
	fused.c = rest.reg;
	fused.loc = sum->loc;
	fused.ir = sum->ir;
	*sum = fused;
	return true;
}

static void combine_sum(struct combiner *combiner, struct hd_minst *inst)
{
	if (!is_sum(inst))
		return;
	bool done = take_shift(combiner, inst, false) || take_shift(combiner, inst, true);
	if (!done && !take_product(combiner, inst, false))
		take_product(combiner, inst, true);
}

/* ---- bytes ---- */

static void combine_byte(struct combiner *combiner, struct hd_minst *inst)
{
	bool mask = inst->op == HD_OP_LOP3 && hd_mod_get(inst->mods, HD_MOD_LUT) == 0xc0 && is_plain(inst) &&
		    inst->xkind == HD_X_IMM_B && inst->x == 0xff && inst->dst.words == 1;
	struct hd_minst *shift = mask ? made_here(combiner, inst->a) : NULL;
	if (!is_logical_shift(shift) || shift->x % 8 || reads_of(combiner, inst->a) != 1)
		return;
	inst->op = HD_OP_PRMT;
	inst->mods = 0;
	inst->a = shift->a;
	inst->x = 0x4440 | shift->x / 8; /* the byte, and three of RZ */
	inst->c = HD_MREG_RZ;
}

/* ---- the step ---- */

static void count_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct combiner *combiner = context;
	if (!is_def && hd_mreg_is_virtual(reg->id))
		combiner->reads[reg->id - HD_MREG_VIRTUAL]++;
}

static void count(struct combiner *combiner, struct hd_minst *inst)
{
	hd_minst_visit(combiner->func, inst, count_operand, combiner);
}

/* Shifts and products that nothing reads any more, and comparisons that are tests. */
static void sweep(struct combiner *combiner)
{
	struct hd_mfunc *func = combiner->func;
	memset(combiner->reads, 0, (func->vregs.len + 1) * sizeof(*combiner->reads));
	for_each(combiner, count);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		uint32_t kept = 0;
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			bool part = is_shift(inst, HD_OP_SHL) || is_logical_shift(inst) || is_high_product(inst);
			bool unread = part && hd_mreg_is_virtual(inst->dst.id) && !reads_of(combiner, inst->dst);
			if (!unread && !is_dropped(inst))
				block->insts.data[kept++] = *inst;
		}
		block->insts.len = kept;
	}
}

int hd_combine_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	(void)diag;
	struct combiner combiner = {.func = func};
	bool tests = hd_switch_is_on(func->without, HD_SWITCH_BIT_TESTS);
	bool sums = hd_switch_is_on(func->without, HD_SWITCH_COMBINED_SUMS);
	bool bytes = hd_switch_is_on(func->without, HD_SWITCH_BYTE_EXTRACTS);
	if (!tests && !sums && !bytes)
		return 0;
	hd_arena_init(&combiner.arena);
	uint32_t vregs = func->vregs.len + 1;
	combiner.def = HD_ARENA_NEW(&combiner.arena, struct hd_minst *, vregs);
	combiner.block = HD_ARENA_NEW(&combiner.arena, uint32_t, vregs);
	combiner.reads = HD_ARENA_NEW(&combiner.arena, uint32_t, vregs);
	combiner.turnable = HD_ARENA_NEW(&combiner.arena, uint32_t, vregs);
	combiner.summed = HD_ARENA_NEW(&combiner.arena, uint32_t, vregs);
	for_each(&combiner, note);
	if (bytes)
		for_each(&combiner, combine_byte);
	if (sums) {
		for_each(&combiner, note_shifted);
		for_each(&combiner, combine_sum);
	}
	if (tests)
		combine_tests(&combiner);
	sweep(&combiner);
	hd_arena_release(&combiner.arena);
	return 0;
}
