/*
 * Counters that agree are one, in SSA form, between the general clean-up and the removal of dead code: PHIs of a block
 * that begin with the same value and take the same step in each iteration. Loops that were unrolled count their rounds
 * beside the index that they go through; narrowing the index to its low word makes the two alike, and the loop keeps
 * one register for both. The steps become one instruction where they stand in one block. Switch:
 * without=joined-counters.
 *
 * The proof is by induction over the rounds: assuming that the two PHIs agree, so do the steps. Needs SSA form. PHIs of
 * a block are compared in pairs, up to a limit.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

#define MANY_PHIS 128u /* in one block: more are not compared with each other */

struct joiner {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_mplace *def; /* by virtual register */
	uint32_t *alias;       /* by virtual register: the one that it is; itself when none */
	bool any;
};

static const struct hd_minst *inst_at(const struct joiner *joiner, struct hd_mplace place)
{
	return &joiner->func->blocks.data[place.block].insts.data[place.inst];
}

static struct hd_mreg resolve(const struct joiner *joiner, struct hd_mreg reg)
{
	while (hd_mreg_is_virtual(reg.id) && joiner->alias[reg.id - HD_MREG_VIRTUAL] != reg.id - HD_MREG_VIRTUAL)
		reg.id = HD_MREG_VIRTUAL + joiner->alias[reg.id - HD_MREG_VIRTUAL];
	return reg;
}

static bool same_reg(const struct joiner *joiner, struct hd_mreg a, struct hd_mreg b)
{
	if (a.words != b.words)
		return false;
	a = resolve(joiner, a);
	b = resolve(joiner, b);
	return !a.words || (a.id == b.id && a.sub == b.sub);
}

/* The place where the whole register is computed from others without a side effect; no block: nowhere. */
static struct hd_mplace step_of(const struct joiner *joiner, struct hd_mreg reg)
{
	struct hd_mplace none = {HD_NO_BLOCK, 0};
	if (!hd_mreg_is_virtual(reg.id) || reg.sub)
		return none;
	struct hd_mplace place = joiner->def[reg.id - HD_MREG_VIRTUAL];
	if (place.block == HD_NO_BLOCK)
		return none;
	const struct hd_minst *inst = inst_at(joiner, place);
	bool pure = inst->op < HD_OP_LIMIT && !hd_opinfo[inst->op].effects && !inst->extra_count && !inst->linear &&
		    inst->pdst == HD_MREG_PT && inst->psrc == HD_MREG_PT && inst->psrc2 == HD_MREG_PT &&
		    inst->guard == HD_MREG_PT && inst->dst.words == reg.words;
	return pure ? place : none;
}

/* Whether x is to a what y is to b. */
static bool same_step(const struct joiner *joiner, struct hd_mreg x, struct hd_mreg y, struct hd_mreg a,
		      struct hd_mreg b)
{
	struct hd_mplace at = step_of(joiner, x), other = step_of(joiner, y);
	if (at.block == HD_NO_BLOCK || other.block == HD_NO_BLOCK)
		return false;
	const struct hd_minst *p = inst_at(joiner, at), *q = inst_at(joiner, other);
	if (p->op != q->op || p->mods != q->mods || p->xkind != q->xkind || p->x != q->x || p->srcmods != q->srcmods ||
	    p->ref_kind != q->ref_kind || p->ref != q->ref || p->op == HD_OP_S2R)
		return false;
	const struct hd_mreg left[] = {p->a, p->b, p->c}, right[] = {q->a, q->b, q->c};
	for (unsigned i = 0; i < 3; i++) {
		bool counters = left[i].words == a.words && right[i].words == b.words && left[i].id == a.id &&
				right[i].id == b.id && left[i].sub == right[i].sub;
		if (!counters && !same_reg(joiner, left[i], right[i]))
			return false;
	}
	return true;
}

static bool agree(const struct joiner *joiner, const struct hd_minst *a, const struct hd_minst *b)
{
	const struct hd_mreg *left = &joiner->func->extras.data[a->extra],
			     *right = &joiner->func->extras.data[b->extra];
	if (!a->dst.words || a->dst.words != b->dst.words || a->extra_count != b->extra_count)
		return false;
	for (uint32_t i = 0; i < a->extra_count; i++)
		if (!same_reg(joiner, left[i], right[i]) && !same_step(joiner, left[i], right[i], a->dst, b->dst))
			return false;
	return true;
}

/* Of two steps in one block the later one goes. */
static void join_steps(struct joiner *joiner, struct hd_mreg x, struct hd_mreg y)
{
	if (same_reg(joiner, x, y))
		return;
	uint32_t left = resolve(joiner, x).id - HD_MREG_VIRTUAL, right = resolve(joiner, y).id - HD_MREG_VIRTUAL;
	if (joiner->def[left].block != joiner->def[right].block)
		return;
	bool first = joiner->def[left].inst < joiner->def[right].inst;
	joiner->alias[first ? right : left] = first ? left : right;
}

static void join(struct joiner *joiner, const struct hd_minst *kept, const struct hd_minst *gone)
{
	const struct hd_mreg *left = &joiner->func->extras.data[kept->extra];
	const struct hd_mreg *right = &joiner->func->extras.data[gone->extra];
	joiner->alias[gone->dst.id - HD_MREG_VIRTUAL] = kept->dst.id - HD_MREG_VIRTUAL;
	for (uint32_t i = 0; i < kept->extra_count; i++)
		join_steps(joiner, left[i], right[i]);
	joiner->any = true;
}

static void join_in(struct joiner *joiner, const struct hd_mblock *block)
{
	uint32_t count = 0;
	while (count < block->insts.len && block->insts.data[count].op == HD_OP_PHI)
		count++;
	for (uint32_t i = 0; i < count && count <= MANY_PHIS; i++) {
		const struct hd_minst *gone = &block->insts.data[i];
		for (uint32_t k = 0; k < i; k++) {
			const struct hd_minst *kept = &block->insts.data[k];
			if (!gone->dst.words || !kept->dst.words || resolve(joiner, kept->dst).id != kept->dst.id ||
			    !agree(joiner, kept, gone))
				continue;
			join(joiner, kept, gone);
			break;
		}
	}
}

static void rename_use(void *context, struct hd_mreg *reg, bool is_def)
{
	if (!is_def)
		*reg = resolve(context, *reg);
}

int hd_joined_counters_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct joiner joiner = {.func = func};
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_JOINED_COUNTERS))
		return 0;
	hd_arena_init(&joiner.arena);
	joiner.def = hd_mfunc_defs(func, &joiner.arena);
	joiner.alias = HD_ARENA_NEW(&joiner.arena, uint32_t, func->vregs.len + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		joiner.alias[i] = i;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		join_in(&joiner, &func->blocks.data[id]);
	for (uint32_t id = 0; joiner.any && id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[id].insts.data[i], rename_use, &joiner);
	hd_arena_release(&joiner.arena);
	return 0;
}
