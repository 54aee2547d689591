/*
 * The code of values that are parked in uniform registers: which operands can be one, and everything that names the
 * values rewritten. An instruction takes at most one uniform operand, where it takes a constant; others are moved in
 * front of it.
 *
 * One pass over the code. See parked_uniforms.c.
 */
#include "heddle/opcodes.h"
#include "passes/opt/parked_uniforms.h"

/* ---- operands */

static bool takes_uniform(const struct hd_minst *inst, enum hd_slot slot)
{
	if (inst->op >= HD_OP_LIMIT || inst->xkind != HD_X_NONE || inst->ref_kind != HD_MREF_NONE || inst->linear)
		return false;
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool slot_is_x = info->srcx == HD_XBC || info->srcx == (slot == HD_SLOT_B ? HD_XB : HD_XC);
	return slot_is_x && info->pipe != HD_PIPE_BRU && !(info->effects & HD_FX_WRITE_PREDS) &&
	       hd_op_width(inst->op, inst->mods, slot) == 1;
}

static bool commutes(const struct hd_minst *inst)
{
	uint16_t mods = inst->mods;
	return hd_op_swap(inst->op, HD_SLOT_B, &mods);
}

enum hd_slot hd_parked_slot(const struct hd_minst *inst, uint32_t id)
{
	bool in_a = inst->a.words && inst->a.id == id, in_b = inst->b.words && inst->b.id == id,
	     in_c = inst->c.words && inst->c.id == id;
	if (in_a + in_b + in_c != 1)
		return HD_SLOT_DST;
	if (inst->op == HD_OP_COPY)
		return HD_SLOT_B;
	enum hd_slot slot = in_c ? HD_SLOT_C : HD_SLOT_B;
	if (!takes_uniform(inst, slot) || (in_a && (!commutes(inst) || inst->b.words != 1)))
		return HD_SLOT_DST;
	return slot;
}

bool hd_parked_is_made(const struct hd_minst *inst)
{
	return inst->op == HD_OP_MOV && !inst->b.words && inst->dst.words == 1 && hd_x_in_b(inst->xkind);
}

/* ---- rewriting */

static bool is_parked(const struct hd_parked_uniforms *p, struct hd_mreg reg)
{
	const struct hd_parked_candidate *candidate = hd_parked_candidate_of(p, reg);
	return candidate && candidate->place;
}

static uint32_t uniform_register(const struct hd_parked_uniforms *p, struct hd_mreg reg)
{
	return p->candidates[reg.id - HD_MREG_VIRTUAL].place - 1 + reg.sub;
}

static void read_from(struct hd_parked_uniforms *p, struct hd_minst *inst, struct hd_mreg reg, enum hd_slot slot)
{
	inst->x = uniform_register(p, reg);
	inst->xkind = slot == HD_SLOT_B ? HD_X_UNIFORM_B : HD_X_UNIFORM_C;
	if (inst->op == HD_OP_COPY)
		inst->op = HD_OP_MOV;
	*(slot == HD_SLOT_B ? &inst->b : &inst->c) = HD_MREG_NONE;
}

/* One operand comes straight from its uniform register if the instruction takes it so. */
static void fold(struct hd_parked_uniforms *p, struct hd_minst *inst)
{
	const struct hd_mreg operands[] = {inst->b, inst->c, inst->a};
	for (unsigned i = 0; i < 3; i++) {
		enum hd_slot slot = is_parked(p, operands[i]) ? hd_parked_slot(inst, operands[i].id) : HD_SLOT_DST;
		if (slot == HD_SLOT_DST)
			continue;
		if (i == 2)
			hd_minst_swap(inst);
		read_from(p, inst, operands[i], slot);
		return;
	}
}

static struct hd_minst transfer(const struct hd_parked_uniforms *p, unsigned op)
{
	struct hd_minst inst = hd_minst_make(op, 0);
	inst.loc = p->inst->loc;
	inst.ir = p->inst->ir;
	return inst;
}

static void rewrite_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_parked_uniforms *p = context;
	if (is_def || !is_parked(p, *reg))
		return;
	struct hd_mreg whole = *reg, copy = hd_mfunc_vreg(p->func, whole.words);
	for (uint8_t i = 0; i < whole.words; i++) {
		struct hd_minst move = transfer(p, HD_OP_MOV);
		move.dst = (struct hd_mreg){copy.id, i, 1};
		move.xkind = HD_X_UNIFORM_B;
		move.x = uniform_register(p, whole) + i;
		hd_vec_push(&p->out, move);
	}
	*reg = copy;
}

static void rewrite_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_parked_uniforms *p = context;
	if (!is_def || !is_parked(p, *reg))
		return;
	struct hd_mreg whole = *reg, copy = hd_mfunc_vreg(p->func, whole.words);
	for (uint8_t i = 0; i < whole.words; i++) {
		struct hd_minst keep = transfer(p, HD_OP_R2UR);
		keep.b = (struct hd_mreg){copy.id, i, 1};
		keep.uniform_dst = (uint8_t)(uniform_register(p, whole) + i);
		hd_vec_push(&p->after, keep);
	}
	*reg = copy;
}

static void make(struct hd_parked_uniforms *p, struct hd_minst *inst)
{
	inst->op = HD_OP_UMOV;
	inst->uniform_dst = (uint8_t)uniform_register(p, inst->dst);
	inst->dst = HD_MREG_NONE;
}

static void rewrite_block(struct hd_parked_uniforms *p, struct hd_mblock *block)
{
	for (uint32_t i = 0; i < block->insts.len; i++) {
		p->inst = &block->insts.data[i];
		fold(p, p->inst);
		if (hd_parked_is_made(p->inst) && is_parked(p, p->inst->dst))
			make(p, p->inst);
		hd_minst_visit(p->func, p->inst, rewrite_use, p);
		hd_minst_visit(p->func, p->inst, rewrite_def, p);
		hd_vec_push(&p->out, *p->inst);
		for (uint32_t k = 0; k < p->after.len; k++)
			hd_vec_push(&p->out, p->after.data[k]);
		hd_vec_clear(&p->after);
	}
	hd_mblock_assign(block, p->out.data, p->out.len);
	hd_vec_clear(&p->out);
}

void hd_parked_rewrite(struct hd_parked_uniforms *p)
{
	for (uint32_t i = 0; i < p->intervals.order_count; i++)
		rewrite_block(p, &p->func->blocks.data[p->intervals.order[i]]);
}
