/*
 * Selection of a kernel's linear version (r2d2-isca23, 3.1.2 to 3.2): operands that the plan covers are read as linear
 * register, coefficient register, loop offset and immediate. Everything is selected; what only fed such operands is
 * then dead, and hd_dead_code_run drops it, loops of PHIs included.
 *
 * A loop offset is a PHI at the loop's header: what it is in the enclosing loop (or 0) on entry, and the step more on
 * each back edge. One that the kernel counts itself is that PHI. Cost: that of selection, and a look-up an operand.
 */
#include "passes/select/linear.h"
#include "heddle/opcodes.h"

struct hd_select_linear *hd_select_linear_new(struct hd_arena *arena, const struct hd_linear_plan *plan)
{
	struct hd_select_linear *linear = HD_ARENA_NEW(arena, struct hd_select_linear, 1);
	linear->plan = plan;
	linear->reg_of = hd_arena_alloc(arena, plan->register_count + 1);
	linear->coefficient_of = hd_arena_alloc(arena, plan->scalar_count + 1);
	linear->offset_ok = HD_ARENA_NEW(arena, bool, plan->offset_count + 1);
	linear->offsets = HD_ARENA_NEW(arena, struct hd_linear_phi, plan->offset_count + 1);
	memset(linear->reg_of, HD_RZ, plan->register_count + 1);
	memset(linear->coefficient_of, HD_RZ, plan->scalar_count + 1);
	return linear;
}

void hd_select_linear_begin(struct hd_select_linear *linear)
{
	memset(linear->offsets, 0, (linear->plan->offset_count + 1) * sizeof(*linear->offsets));
}

/* ------------------------------------------------------------------ operands */

/* Whether all that a use names is there, in its width. */
static bool is_available(const struct hd_select_linear *linear, const struct hd_linear_use *use, unsigned words)
{
	if (use->reg != HD_LINEAR_NONE && linear->reg_of[use->reg] == HD_RZ)
		return false;
	if (use->scalar != HD_LINEAR_NONE && linear->coefficient_of[use->scalar] == HD_RZ)
		return false;
	if (use->offset == HD_LINEAR_NONE)
		return true;
	return linear->offset_ok[use->offset] && linear->offsets[use->offset].reg.words >= words;
}

static struct hd_leaf leaf_of(const struct hd_select_linear *linear, const struct hd_linear_use *use, unsigned words)
{
	struct hd_leaf leaf = {.kind = HD_LEAF_LINEAR, .words = (uint8_t)words, .id = HD_RZ};
	uint64_t imm = (uint64_t)(int64_t)use->imm;
	leaf.linear = use->reg == HD_LINEAR_NONE ? HD_RZ : linear->reg_of[use->reg];
	leaf.coefficient = use->scalar == HD_LINEAR_NONE ? HD_RZ : linear->coefficient_of[use->scalar];
	if (use->offset != HD_LINEAR_NONE)
		leaf.id = linear->offsets[use->offset].reg.id;
	if (leaf.linear == HD_RZ && leaf.coefficient == HD_RZ) {
		if (leaf.id == HD_RZ)
			return hd_leaf_imm(words == 1 ? (uint32_t)imm : imm, words);
		leaf.kind = HD_LEAF_REG;
	}
	leaf.imm[0] = imm;
	return leaf;
}

static void override(struct hd_select *sel, LLVMValueRef inst, uint32_t operand, LLVMValueRef value)
{
	if (LLVMIsConstant(value) || !hd_is_scalar(LLVMTypeOf(value)))
		return;
	const struct hd_linear_use *use = hd_linear_use(sel->linear->plan, inst, operand);
	if (!use || hd_sel_is_overridden(sel, value))
		return;
	int words = hd_sel_words(sel, LLVMTypeOf(value));
	if (words < 1 || words > 2 || !is_available(sel->linear, use, (unsigned)words))
		return;
	hd_vec_push(&sel->overrides, (struct hd_map_entry){value, sel->leaves.len, 1});
	hd_vec_push(&sel->leaves, leaf_of(sel->linear, use, (unsigned)words));
}

/* Also operands of what the instruction may absorb: it runs in the same iteration, so their values are the same. */
void hd_sel_linear_operands(struct hd_select *sel, LLVMValueRef inst)
{
	unsigned count = (unsigned)LLVMGetNumOperands(inst);
	hd_vec_clear(&sel->overrides);
	for (unsigned i = 0; i < count; i++)
		override(sel, inst, i, LLVMGetOperand(inst, i));
	for (unsigned i = 0; i < count; i++) {
		LLVMValueRef value = LLVMGetOperand(inst, i);
		if (!LLVMIsAInstruction(value) || LLVMIsAPHINode(value) || hd_sel_is_overridden(sel, value) ||
		    LLVMGetInstructionParent(value) != LLVMGetInstructionParent(inst) || !hd_single_use(value))
			continue;
		for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(value); k < n; k++)
			override(sel, value, k, LLVMGetOperand(value, k));
	}
}

void hd_sel_linear_incoming(struct hd_select *sel, LLVMValueRef phi, uint32_t index)
{
	if (!sel->linear)
		return;
	hd_vec_clear(&sel->overrides);
	override(sel, phi, index, LLVMGetIncomingValue(phi, index));
}

bool hd_sel_is_overridden(const struct hd_select *sel, LLVMValueRef value)
{
	for (uint32_t i = 0; i < sel->overrides.len; i++)
		if (sel->overrides.data[i].key == value)
			return true;
	return false;
}

/* ------------------------------------------------------------------ leaves as operands */

struct hd_opnd hd_sel_linear_opnd(const struct hd_leaf *leaf, unsigned word, unsigned words)
{
	struct hd_opnd opnd = {.kind = HD_OPND_LINEAR, .coefficient = leaf->coefficient};
	opnd.reg = (struct hd_mreg){HD_RZ, 0, (uint8_t)words};
	if (leaf->linear == HD_RZ)
		opnd.linear = HD_LR(HD_LR_COEFFICIENT, HD_SLOT_A, leaf->lanes, word);
	else
		opnd.linear = HD_LR(HD_LR_SUM, HD_SLOT_A, leaf->linear, word);
	return opnd;
}

struct hd_leaf hd_sel_linear_settle(struct hd_select *sel, const struct hd_leaf *leaf)
{
	struct hd_leaf base = *leaf;
	if (leaf->id == HD_RZ && !leaf->imm[0])
		return *leaf;
	base.imm[0] = 0;
	base.id = HD_RZ;
	struct hd_leaf offset = leaf->id == HD_RZ ? hd_leaf_imm(leaf->imm[0], leaf->words)
						  : hd_leaf_reg((struct hd_mreg){leaf->id, 0, leaf->words});
	if (leaf->words == 2) {
		base = hd_leaf_reg(hd_sel_add64(sel, base, offset, false));
		if (leaf->id != HD_RZ)
			base.imm[0] = leaf->imm[0];
		return base.imm[0] ? hd_leaf_reg(hd_sel_reg(sel, base)) : base;
	}
	return hd_leaf_reg(hd_sel_alu(sel, HD_OP_IADD3, 0, hd_sel_word(sel, &base, 0), hd_sel_word(sel, &offset, 0),
				      leaf->id == HD_RZ ? hd_none() : hd_imm((uint32_t)leaf->imm[0])));
}

/* %lr + (%cr or a register) + displacement. A coefficient and an offset are added up before, and so is all that is not
 * alone where loads from the constant bank take one register or sum. */
struct hd_address hd_sel_linear_address(struct hd_select *sel, struct hd_leaf leaf, unsigned space)
{
	struct hd_address address = {.space = space, .base = HD_MREG_NONE, .coefficient = leaf.coefficient};
	struct hd_leaf rest = leaf;
	address.offset = (int32_t)leaf.imm[0];
	rest.imm[0] = 0;
	if (leaf.id == HD_RZ) {
		address.linear = leaf.linear == HD_RZ ? HD_LR(HD_LR_COEFFICIENT, HD_SLOT_A, 0, 0)
						      : HD_LR(HD_LR_SUM, HD_SLOT_A, leaf.linear, 0);
		return address;
	}
	if (space == HD_AS_PARAM && leaf.linear != HD_RZ) {
		address.base = hd_sel_reg(sel, rest);
		return address;
	}
	if (leaf.linear != HD_RZ)
		address.linear = HD_LR(HD_LR_OFFSET, HD_SLOT_A, leaf.linear, 0);
	if (leaf.coefficient == HD_RZ) {
		address.base = (struct hd_mreg){leaf.id, 0, leaf.words};
		return address;
	}
	rest.linear = HD_RZ;
	address.base = hd_sel_reg(sel, rest);
	return address;
}

/* ------------------------------------------------------------------ loop offsets */

static LLVMBasicBlockRef header_of(const struct hd_linear_plan *plan, uint32_t offset)
{
	return plan->affine->loop_facts[plan->offsets[offset].loop].header;
}

/* Offsets of each loop, those of outer loops first, by the block that the loop begins with. */
static void index_offsets(struct hd_select *sel)
{
	const struct hd_linear_plan *plan = sel->linear->plan;
	sel->next_offset = HD_ARENA_NEW(sel->func->arena, uint32_t, plan->offset_count + 1);
	for (uint32_t o = plan->offset_count; o-- > 0;) {
		const struct hd_map_entry *first = hd_map_get(&sel->offsets_at, header_of(plan, o));
		sel->next_offset[o] = first ? first->start : HD_LINEAR_NONE;
		hd_map_put(&sel->offsets_at, header_of(plan, o), o, 1);
	}
}

void hd_sel_linear_header(struct hd_select *sel, LLVMBasicBlockRef bb)
{
	const struct hd_linear_plan *plan = sel->linear->plan;
	if (!sel->next_offset)
		index_offsets(sel);
	const struct hd_map_entry *first = hd_map_get(&sel->offsets_at, bb);
	for (uint32_t o = first ? first->start : HD_LINEAR_NONE; o != HD_LINEAR_NONE; o = sel->next_offset[o]) {
		struct hd_linear_phi *phi = &sel->linear->offsets[o];
		if (phi->reg.words || !sel->linear->offset_ok[o])
			continue;
		if (plan->offsets[o].phi) {
			hd_vec_clear(&sel->overrides);
			phi->reg = hd_sel_reg(sel, hd_sel_leaf(sel, plan->offsets[o].phi, 0));
			continue;
		}
		phi->reg = hd_mfunc_vreg(sel->func, plan->offsets[o].bits > 32 ? 2 : 1);
		phi->own = true;
		phi->block = sel->block;
		phi->index = hd_sel_phi(sel, sel->block, phi->reg, HD_MREG_PT);
	}
}

/* Takes the branches off the end of a block and puts them back. */
static uint32_t lift_branches(struct hd_mblock *block, struct hd_minst branches[2])
{
	uint32_t count = 0;
	while (block->insts.len && count < 2 &&
	       (hd_vec_last(&block->insts).op == HD_OP_BRA || hd_vec_last(&block->insts).op == HD_OP_BRX)) {
		branches[count++] = hd_vec_last(&block->insts);
		block->insts.len--;
	}
	return count;
}

/* The step, or its unit. */
static struct hd_leaf step_leaf(const struct hd_select *sel, const struct hd_linear_offset *offset, unsigned words)
{
	struct hd_leaf leaf = {.kind = HD_LEAF_LINEAR, .words = (uint8_t)words, .id = HD_RZ, .linear = HD_RZ};
	int64_t value;
	if (!offset->factor && hd_poly_is_constant(sel->linear->plan->affine->polys, offset->step, &value))
		return hd_leaf_imm(words == 1 ? (uint32_t)value : (uint64_t)value, words);
	leaf.coefficient = sel->linear->coefficient_of[offset->scalar];
	return leaf;
}

/* The offset after one more iteration, at the end of a block that goes back. */
static struct hd_mreg advanced(struct hd_select *sel, uint32_t o, uint32_t pred)
{
	const struct hd_linear_phi *phi = &sel->linear->offsets[o];
	struct hd_leaf now = hd_leaf_reg(phi->reg),
		       step = step_leaf(sel, &sel->linear->plan->offsets[o], phi->reg.words);
	struct hd_minst branches[2];
	uint32_t count = lift_branches(&sel->func->blocks.data[pred], branches);
	int32_t factor = sel->linear->plan->offsets[o].factor;
	sel->block = pred;
	struct hd_mreg next;
	if (factor)
		next = hd_sel_alu_wide(sel, HD_OP_IMAD_WIDE, HD_MOD(SIGN, HD_SIGNED), hd_sel_word(sel, &step, 0),
				       hd_imm((uint32_t)factor), hd_reg(phi->reg));
	else if (phi->reg.words == 2)
		next = hd_sel_add64(sel, now, step, false);
	else
		next = hd_sel_add(sel, hd_sel_word(sel, &now, 0), hd_sel_word(sel, &step, 0));
	while (count--)
		hd_vec_push(&sel->func->blocks.data[pred].insts, branches[count]);
	return next;
}

static struct hd_mreg start_of(const struct hd_select *sel, uint32_t o)
{
	const struct hd_linear_phi *phi = &sel->linear->offsets[o];
	uint32_t start = sel->linear->plan->offsets[o].start;
	if (start == HD_LINEAR_NONE)
		return (struct hd_mreg){HD_RZ, 0, phi->reg.words};
	return (struct hd_mreg){sel->linear->offsets[start].reg.id, 0, phi->reg.words};
}

static void fill_offset(struct hd_select *sel, uint32_t o)
{
	const struct hd_linear_plan *plan = sel->linear->plan;
	const struct hd_linear_phi *phi = &sel->linear->offsets[o];
	uint32_t count = sel->func->blocks.data[phi->block].preds.len;
	struct hd_mreg *regs = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*regs));
	for (uint32_t p = 0; p < count; p++) {
		uint32_t pred = sel->func->blocks.data[phi->block].preds.data[p];
		LLVMBasicBlockRef bb = sel->blocks.data[sel->origin.data[pred]].bb;
		bool back =
			hd_affine_in_loop(plan->affine, hd_affine_block_of(plan->affine, bb), plan->offsets[o].loop);
		regs[p] = back ? advanced(sel, o, pred) : start_of(sel, o);
	}
	hd_sel_set_phi(sel, phi->block, phi->index, regs, count);
}

void hd_sel_linear_offsets(struct hd_select *sel)
{
	if (!sel->linear)
		return;
	hd_vec_clear(&sel->overrides);
	sel->loc = 0;
	sel->ir = UINT32_MAX;
	for (uint32_t o = 0; o < sel->linear->plan->offset_count; o++)
		if (sel->linear->offsets[o].own && sel->func->blocks.data[sel->linear->offsets[o].block].preds.len)
			fill_offset(sel, o);
}
