/*
 * Clean-up of machine IR in SSA form, in one pass over the blocks in reverse post-order:
 * copies and words of pairs are replaced by what they stand for, constants and
 * constant-bank words move into the operand slots that can hold them, and an operation
 * that a dominating one has computed is dropped, as is a PHI that differs from another only
 * where one of them is undefined (constants only inside a block: across
 * blocks they would cost a register). What is then unread is left to dead_code.c. LLVM has
 * cleaned up before; this is for what selection adds.
 *
 * Needs SSA form and dominators. Near linear.
 */
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "passes/graph/graph.h"
#include "passes/mir/live.h"

#define NONE UINT32_MAX
#define MANY_EQUALS 64u /* the latest: equal values may stand in many blocks beside each other */
#define MANY_PHIS 512u	/* in one block: more are not compared with each other */

struct entry {
	uint32_t block, inst, before; /* before: index of the latest earlier one with an equal value, or NONE */
};

struct optimizer {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_mreg *alias; /* by virtual register: what it stands for; words 0: itself */
	struct hd_mplace *def; /* by virtual register */
	uint32_t *idom, *depth;
	HD_VEC(struct entry) entries; /* where values are computed */
	struct hd_hash_set values;    /* by what is computed: the latest entry */
};

static struct hd_minst *def_of(const struct optimizer *o, uint32_t id)
{
	uint32_t index = id - HD_MREG_VIRTUAL;
	if (!hd_mreg_is_virtual(id) || o->def[index].block == HD_NO_BLOCK)
		return NULL;
	return &o->func->blocks.data[o->def[index].block].insts.data[o->def[index].inst];
}

/* ---- copies ---- */

static struct hd_mreg resolve(const struct optimizer *o, struct hd_mreg reg)
{
	while (hd_mreg_is_virtual(reg.id) && o->alias[reg.id - HD_MREG_VIRTUAL].words) {
		struct hd_mreg to = o->alias[reg.id - HD_MREG_VIRTUAL];
		reg.id = to.id;
		reg.sub = to.id == HD_RZ ? 0 : (uint8_t)(reg.sub + to.sub);
	}
	return reg;
}

/* The operand of a PAIR that holds all the words of `reg`, or reg itself. */
static struct hd_mreg look_into_pair(const struct optimizer *o, struct hd_mreg reg)
{
	const struct hd_minst *def = def_of(o, reg.id);
	if (!def || def->op != HD_OP_PAIR)
		return reg;
	unsigned at = 0;
	for (uint32_t i = 0; i < def->extra_count; i++) {
		struct hd_mreg part = o->func->extras.data[def->extra + i];
		if (reg.sub >= at && reg.sub + reg.words <= at + part.words) {
			if (part.id != HD_RZ)
				part.sub = (uint8_t)(part.sub + reg.sub - at);
			part.words = reg.words;
			return part.sub % part.words ? reg : part;
		}
		at += part.words;
	}
	return reg;
}

static void replace_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct optimizer *o = context;
	if (is_def || !hd_mreg_is_virtual(reg->id))
		return;
	struct hd_mreg before;
	do {
		before = *reg;
		*reg = look_into_pair(o, resolve(o, *reg));
	} while (hd_mreg_is_virtual(reg->id) && (reg->id != before.id || reg->sub != before.sub));
}

static void note_copy(struct optimizer *o, const struct hd_minst *inst)
{
	if (inst->op != HD_OP_COPY || inst->psrc_not)
		return;
	if (inst->pdst != HD_MREG_PT) {
		/* Not PT: a guard that is always true would make another shape of block. */
		if (hd_mreg_is_virtual(inst->pdst) && hd_mreg_is_virtual(inst->psrc))
			o->alias[inst->pdst - HD_MREG_VIRTUAL] = (struct hd_mreg){inst->psrc, 0, 1};
	} else if (hd_mreg_is_virtual(inst->dst.id) && (hd_mreg_is_virtual(inst->b.id) || inst->b.id == HD_RZ)) {
		o->alias[inst->dst.id - HD_MREG_VIRTUAL] = inst->b;
	}
}

/* ---- constants into operand slots ---- */

static bool is_constant(const struct hd_minst *def)
{
	return def && def->op == HD_OP_MOV && (def->xkind == HD_X_IMM_B || def->xkind == HD_X_CONST_B);
}

static bool is_zero(const struct hd_minst *def)
{
	return is_constant(def) && def->xkind == HD_X_IMM_B && def->x == 0 && def->ref_kind == HD_MREF_NONE;
}

static void put_zero(const struct optimizer *o, struct hd_mreg *reg)
{
	if (reg->words == 1 && is_zero(def_of(o, reg->id)))
		*reg = HD_MREG_RZ;
}

static void put_constant(struct hd_minst *inst, const struct hd_minst *def, bool slot_c)
{
	bool immediate = def->xkind == HD_X_IMM_B;
	if (slot_c) {
		inst->xkind = immediate ? HD_X_IMM_C : HD_X_CONST_C;
		inst->c = HD_MREG_NONE;
	} else {
		inst->xkind = immediate ? HD_X_IMM_B : HD_X_CONST_B;
		inst->b = HD_MREG_NONE;
	}
	inst->x = def->x;
	inst->ref_kind = def->ref_kind;
	inst->ref = def->ref;
}

static bool takes(const struct hd_minst *inst, enum hd_slot slot)
{
	uint8_t srcx = hd_opinfo[inst->op].srcx, mods = slot == HD_SLOT_B ? HD_NEG_B | HD_ABS_B : HD_NEG_C;
	bool allowed = slot == HD_SLOT_B ? srcx == HD_XB || srcx == HD_XBC : srcx == HD_XC || srcx == HD_XBC;
	return allowed && !(inst->srcmods & mods) && hd_op_width(inst->op, inst->mods, slot) == 1;
}

static void fold_constants(struct optimizer *o, struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT || inst->xkind != HD_X_NONE || inst->ref_kind != HD_MREF_NONE)
		return;
	const struct hd_minst *a = inst->a.words == 1 ? def_of(o, inst->a.id) : NULL;
	const struct hd_minst *b = inst->b.words == 1 ? def_of(o, inst->b.id) : NULL;
	if (is_constant(a) && !is_constant(b) && inst->b.words == 1 && inst->b.id != HD_RZ && takes(inst, HD_SLOT_B) &&
	    !(inst->srcmods & (HD_NEG_A | HD_ABS_A)) && hd_minst_swap(inst))
		b = a;
	if (is_constant(b) && takes(inst, HD_SLOT_B)) {
		put_constant(inst, b, false);
		return;
	}
	const struct hd_minst *c = inst->c.words == 1 ? def_of(o, inst->c.id) : NULL;
	if (is_constant(c) && takes(inst, HD_SLOT_C))
		put_constant(inst, c, true);
}

static void put_zeros(struct optimizer *o, struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT)
		return;
	put_zero(o, &inst->a);
	put_zero(o, &inst->b);
	put_zero(o, &inst->c);
}

/* ---- value numbering ---- */

static bool is_pure(const struct optimizer *o, const struct hd_minst *inst)
{
	if (inst->op == HD_OP_PAIR)
		return hd_mreg_is_virtual(inst->dst.id) && hd_switch_is_on(o->func->without, HD_SWITCH_SHARED_PAIRS);
	if (inst->op >= HD_OP_LIMIT || inst->extra_count || !inst->dst.words || !hd_mreg_is_virtual(inst->dst.id))
		return false;
	if (inst->pdst != HD_MREG_PT || (inst->a.words && inst->a.id == o->func->abi->stack_pointer))
		return false;
	if (inst->op == HD_OP_S2R)
		return hd_mod_get(inst->mods, HD_MOD_SR) <= HD_SR_LANEMASK_GE;
	return hd_minst_effects(inst) == 0 || inst->op == HD_OP_LDC;
}

static uint64_t mix_reg(uint64_t hash, struct hd_mreg reg)
{
	return hd_hash_mix(hash, reg.words ? (uint64_t)reg.id << 16 | reg.sub * 8u | reg.words : 0);
}

static uint64_t hash_of(const struct optimizer *o, const struct hd_minst *inst)
{
	uint64_t hash = hd_hash_mix((uint64_t)inst->op << 32 | inst->mods, (uint64_t)inst->linear << 40 |
										   (uint64_t)inst->coefficient << 32 |
										   inst->xkind * 256u | inst->srcmods);
	hash = mix_reg(mix_reg(mix_reg(hash, inst->a), inst->b), inst->c);
	hash = hd_hash_mix(hash,
			   (uint64_t)(inst->psrc * 2 + inst->psrc_not) << 32 | (inst->psrc2 * 2 + inst->psrc2_not));
	for (uint32_t i = 0; i < inst->extra_count; i++)
		hash = mix_reg(hash, o->func->extras.data[inst->extra + i]);
	return hd_hash_mix(hash, (uint64_t)inst->x << 32 ^ ((uint64_t)inst->ref << 3 | inst->ref_kind));
}

static bool same_reg(struct hd_mreg a, struct hd_mreg b)
{
	return a.words == b.words && (!a.words || (a.id == b.id && a.sub == b.sub));
}

static bool same_parts(const struct optimizer *o, const struct hd_minst *a, const struct hd_minst *b)
{
	bool same = a->extra_count == b->extra_count;
	for (uint32_t i = 0; same && i < a->extra_count; i++)
		same = same_reg(o->func->extras.data[a->extra + i], o->func->extras.data[b->extra + i]);
	return same;
}

static bool same_value(const struct optimizer *o, const struct hd_minst *a, const struct hd_minst *b)
{
	return same_parts(o, a, b) && a->op == b->op && a->mods == b->mods && a->xkind == b->xkind &&
	       a->srcmods == b->srcmods && a->ref_kind == b->ref_kind && a->ref == b->ref && a->x == b->x &&
	       a->linear == b->linear && a->coefficient == b->coefficient && same_reg(a->a, b->a) &&
	       same_reg(a->b, b->b) && same_reg(a->c, b->c) && a->psrc == b->psrc && a->psrc_not == b->psrc_not &&
	       a->psrc2 == b->psrc2 && a->psrc2_not == b->psrc2_not && a->dst.words == b->dst.words;
}

static const struct hd_minst *inst_of(const struct optimizer *o, uint32_t entry)
{
	const struct entry *at = &o->entries.data[entry];
	return &o->func->blocks.data[at->block].insts.data[at->inst];
}

static void number(struct optimizer *o, uint32_t block, uint32_t index)
{
	struct hd_minst *inst = &o->func->blocks.data[block].insts.data[index];
	if (!is_pure(o, inst))
		return;
	bool local = inst->op == HD_OP_MOV || inst->op == HD_OP_S2R || inst->op == HD_OP_PAIR;
	uint64_t hash = hd_hash_mix(hash_of(o, inst), local ? block : 0);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &o->values, hash,
		     same_value(o, inst_of(o, slot->id), inst) && (!local || o->entries.data[slot->id].block == block));
	uint32_t latest = hd_hash_found(slot) ? slot->id : NONE, tried = 0;
	for (uint32_t e = latest; e != NONE && tried < MANY_EQUALS; e = o->entries.data[e].before, tried++) {
		if (!hd_dominates(o->idom, o->depth, o->entries.data[e].block, block))
			continue;
		o->alias[inst->dst.id - HD_MREG_VIRTUAL] = inst_of(o, e)->dst;
		return;
	}
	if (latest == NONE)
		hd_hash_set_put(&o->values, slot, hash, o->entries.len);
	else
		slot->id = o->entries.len;
	hd_vec_push(&o->entries, (struct entry){block, index, latest});
}

/* ---- PHIs that may be one ---- */

static bool is_undefined(const struct optimizer *o, struct hd_mreg reg)
{
	const struct hd_minst *def = def_of(o, reg.id);
	return def && def->op == HD_OP_UNDEF;
}

/* Whether two PHIs of one block agree wherever both are defined. */
static bool may_be_one(const struct optimizer *o, const struct hd_minst *a, const struct hd_minst *b)
{
	const struct hd_mreg *left = &o->func->extras.data[a->extra], *right = &o->func->extras.data[b->extra];
	if (!a->dst.words || a->dst.words != b->dst.words || a->extra_count != b->extra_count)
		return false;
	for (uint32_t i = 0; i < a->extra_count; i++) {
		bool themselves = left[i].id == a->dst.id && right[i].id == b->dst.id;
		if (!same_reg(left[i], right[i]) && !themselves && !is_undefined(o, left[i]) &&
		    !is_undefined(o, right[i]))
			return false;
	}
	return true;
}

static void join_phis(struct optimizer *o, struct hd_minst *kept, const struct hd_minst *gone)
{
	struct hd_mreg *left = &o->func->extras.data[kept->extra];
	const struct hd_mreg *right = &o->func->extras.data[gone->extra];
	for (uint32_t i = 0; i < kept->extra_count; i++)
		if (is_undefined(o, left[i]))
			left[i] = right[i].id == gone->dst.id ? kept->dst : right[i];
	o->alias[gone->dst.id - HD_MREG_VIRTUAL] = kept->dst;
}

/* Unrolled loops carry the values that leave them beside those that go around, the former undefined on entry. */
static void merge_phis(struct optimizer *o, struct hd_mblock *block)
{
	uint32_t count = 0;
	while (count < block->insts.len && block->insts.data[count].op == HD_OP_PHI)
		hd_minst_visit(o->func, &block->insts.data[count++], replace_use, o);
	for (uint32_t i = 0; i < count && count <= MANY_PHIS; i++) {
		struct hd_minst *gone = &block->insts.data[i];
		for (uint32_t k = 0; k < i; k++) {
			struct hd_minst *kept = &block->insts.data[k];
			if (!kept->dst.words || o->alias[kept->dst.id - HD_MREG_VIRTUAL].words ||
			    !may_be_one(o, kept, gone))
				continue;
			join_phis(o, kept, gone);
			break;
		}
	}
}

/* ---- the pass ---- */

static void set_up(struct optimizer *o)
{
	struct hd_mfunc *func = o->func;
	o->alias = HD_ARENA_NEW(&o->arena, struct hd_mreg, func->vregs.len + 1);
	o->def = hd_mfunc_defs(func, &o->arena);
	struct hd_graph graph;
	hd_mfunc_graph(func, &o->arena, &graph);
	o->idom = hd_graph_dominators(&graph, &o->arena);
	o->depth = hd_dominator_depths(o->idom, graph.nodes, &o->arena);
	o->values.arena = &o->arena;
}

static void simplify_block(struct optimizer *o, uint32_t id)
{
	struct hd_mblock *block = &o->func->blocks.data[id];
	if (hd_switch_is_on(o->func->without, HD_SWITCH_MERGED_PHIS))
		merge_phis(o, block);
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst *inst = &block->insts.data[i];
		hd_minst_visit(o->func, inst, replace_use, o);
		put_zeros(o, inst);
		fold_constants(o, inst);
		note_copy(o, inst);
		number(o, id, i);
	}
}

int hd_simplify_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct optimizer o = {.func = func};
	uint32_t *order;
	(void)diag;
	hd_arena_init(&o.arena);
	set_up(&o);
	uint32_t count = hd_mfunc_block_order(func, &o.arena, &order);
	for (uint32_t i = 0; i < count; i++)
		simplify_block(&o, order[i]);
	/* PHIs of loops read values that were simplified after them. */
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < func->blocks.data[order[i]].insts.len; k++)
			hd_minst_visit(func, &func->blocks.data[order[i]].insts.data[k], replace_use, &o);
	hd_vec_release(&o.entries);
	hd_arena_release(&o.arena);
	return 0;
}
