/*
 * Structural and SSA verifier of machine IR: edges agree with branches, operands have the
 * widths that the opcode table gives, parts lie inside their registers, and in SSA form
 * every use is dominated by the one definition. Needs graph dominators; near linear.
 * Run after every lowering step in debug builds.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

#include <inttypes.h>

#include "passes/graph/graph.h"

struct verifier {
	const struct hd_mfunc *func;
	struct hd_diag *diag;
	bool ssa;
	int status;
	uint32_t block, inst;		/* where we are */
	uint32_t *def_block, *def_inst; /* by virtual register; def_block HD_NO_BLOCK: none */
	uint32_t *idom, *depth;
};

static void fail(struct verifier *v, const char *what)
{
	const struct hd_mblock *block = &v->func->blocks.data[v->block];
	struct hd_loc loc = HD_NOWHERE;
	if (v->inst < block->insts.len && block->insts.data[v->inst].loc < v->func->locs.len)
		loc = v->func->locs.data[block->insts.data[v->inst].loc];
	if (v->status == 0)
		hd_error(v->diag, loc, "machine IR of %s: block %" PRIu32 ", instruction %" PRIu32 ": %s",
			 v->func->name, v->block, v->inst, what);
	v->status = -1;
}

static bool is_terminator(const struct hd_minst *inst)
{
	switch (inst->op) {
	case HD_OP_BRA:
	case HD_OP_BRX:
	case HD_OP_RET:
	case HD_OP_EXIT:
	case HD_OP_TRAP: return true;
	default: return false;
	}
}

static bool is_guarded(const struct hd_minst *inst)
{
	return inst->guard != HD_MREG_PT || inst->guard_not;
}

static bool has(const uint32_t *ids, uint32_t count, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static void check_target(struct verifier *v, const struct hd_mblock *block, uint32_t target)
{
	if (target >= v->func->blocks.len)
		fail(v, "branch to a block that does not exist");
	else if (!has(block->succs.data, block->succs.len, target))
		fail(v, "branch target is not among the successors");
}

static void check_branch(struct verifier *v, const struct hd_mblock *block, const struct hd_minst *inst)
{
	if (inst->op == HD_OP_BRA) {
		if (inst->ref_kind != HD_MREF_BLOCK)
			fail(v, "branch without a target");
		else
			check_target(v, block, inst->ref);
	} else if (inst->op == HD_OP_BRX) {
		if (inst->ref_kind != HD_MREF_TABLE || inst->ref >= v->func->tables.len) {
			fail(v, "indexed branch without a table");
			return;
		}
		const struct hd_mtable *table = &v->func->tables.data[inst->ref];
		for (uint32_t i = 0; i < table->count; i++)
			check_target(v, block, table->blocks[i]);
	} else if (is_guarded(inst)) {
		fail(v, "a guard on something other than a branch");
	} else if (block->succs.len) {
		fail(v, "a block that ends the function has successors");
	}
}

static void check_shape(struct verifier *v, const struct hd_mblock *block)
{
	uint32_t count = block->insts.len, first = count;
	v->inst = count ? count - 1 : 0;
	if (!count || !is_terminator(&block->insts.data[count - 1]) ||
	    (block->insts.data[count - 1].op == HD_OP_BRA && is_guarded(&block->insts.data[count - 1]))) {
		fail(v, "the block does not end in an unguarded branch or an end of the function");
		return;
	}
	while (first > 0 && is_terminator(&block->insts.data[first - 1]))
		first--;
	if (count - first > 2 || (count - first == 2 &&
				  (block->insts.data[first].op != HD_OP_BRA || !is_guarded(&block->insts.data[first]))))
		fail(v, "more than a guarded branch before the end of the block");
	for (v->inst = 0; v->inst < count; v->inst++) {
		const struct hd_minst *inst = &block->insts.data[v->inst];
		if (is_terminator(inst) != (v->inst >= first))
			fail(v, "a branch in the middle of the block");
		else if (v->inst >= first)
			check_branch(v, block, inst);
		else if (v->ssa && is_guarded(inst) && hd_mreg_is_virtual(inst->guard))
			fail(v, "a guard on something other than a branch");
		bool late_phi = inst->op == HD_OP_PHI && v->inst && block->insts.data[v->inst - 1].op != HD_OP_PHI;
		if (late_phi)
			fail(v, "a phi after other instructions");
	}
	v->inst = 0;
	for (uint32_t i = 0; i < block->succs.len; i++) {
		uint32_t to = block->succs.data[i];
		const struct hd_mblock *target = to < v->func->blocks.len ? &v->func->blocks.data[to] : NULL;
		if (!target || !has(target->preds.data, target->preds.len, v->block))
			fail(v, "a successor does not name the block as predecessor");
		if (has(block->succs.data, i, to))
			fail(v, "a successor twice");
	}
	for (uint32_t i = 0; i < block->preds.len; i++) {
		uint32_t from = block->preds.data[i];
		const struct hd_mblock *source = from < v->func->blocks.len ? &v->func->blocks.data[from] : NULL;
		if (!source || !has(source->succs.data, source->succs.len, v->block))
			fail(v, "a predecessor does not name the block as successor");
	}
}

/* A register operand on its own: the id exists and the part lies inside it, aligned. */
static void check_reg(struct verifier *v, struct hd_mreg reg)
{
	if (!reg.words)
		return;
	unsigned alignment = hd_register_alignment(reg.words);
	if (reg.words > HD_MREG_WORDS || (reg.words <= HD_MREG_VALUE && reg.words != alignment)) {
		fail(v, "a register of an odd width");
	} else if (hd_mreg_is_virtual(reg.id)) {
		if (reg.id - HD_MREG_VIRTUAL >= v->func->vregs.len) {
			fail(v, "a virtual register that does not exist");
			return;
		}
		unsigned words = hd_mreg_words(v->func, reg.id), limit = words ? words : 1;
		if (reg.sub + reg.words > limit || reg.sub % alignment)
			fail(v, "a part outside its register");
	} else if (reg.id < HD_RZ && (reg.id + reg.sub) % alignment) {
		fail(v, "a misaligned pair or quad");
	}
}

static void check_class(struct verifier *v, uint32_t id, bool pred)
{
	if (hd_mreg_is_virtual(id) && id - HD_MREG_VIRTUAL >= v->func->vregs.len)
		fail(v, "a virtual register that does not exist");
	else if (hd_mreg_is_pred(v->func, id) != pred)
		fail(v, pred ? "a general register where a predicate belongs" : "a predicate where a register belongs");
}

static void check_slot(struct verifier *v, const struct hd_minst *inst, struct hd_mreg reg, enum hd_slot slot)
{
	unsigned width = hd_op_width(inst->op, inst->mods, slot);
	check_reg(v, reg);
	if (v->status || !reg.words)
		return;
	check_class(v, reg.id, false);
	bool is_x = (slot == HD_SLOT_B && hd_x_in_b(inst->xkind)) || (slot == HD_SLOT_C && hd_x_in_c(inst->xkind));
	if (is_x)
		fail(v, "a register in the slot that holds the immediate or constant");
	else if (!width)
		fail(v, "a register in a slot that the opcode does not have");
	else if (reg.id != HD_RZ && reg.words != width)
		fail(v, "an operand of the wrong width");
}

static void check_copy(struct verifier *v, const struct hd_minst *inst)
{
	if (inst->pdst != HD_MREG_PT) {
		check_class(v, inst->pdst, true);
		check_class(v, inst->psrc, true);
		return;
	}
	check_reg(v, inst->dst);
	check_reg(v, inst->b);
	if (!inst->dst.words || (inst->b.id != HD_RZ && inst->b.words != inst->dst.words))
		fail(v, "a copy between different widths");
}

static void check_list(struct verifier *v, const struct hd_minst *inst)
{
	if (inst->extra + inst->extra_count > v->func->extras.len || inst->extra_defs > inst->extra_count) {
		fail(v, "variable operands out of range");
		return;
	}
	unsigned total = 0;
	for (uint32_t i = 0; i < inst->extra_count; i++) {
		struct hd_mreg reg = v->func->extras.data[inst->extra + i];
		check_reg(v, reg);
		total += reg.words;
	}
	const struct hd_mblock *block = &v->func->blocks.data[v->block];
	if (inst->op == HD_OP_PAIR && total != inst->dst.words)
		fail(v, "the words of a pair do not add up");
	if (inst->op == HD_OP_PHI && inst->extra_count != block->preds.len)
		fail(v, "a phi with another number of operands than predecessors");
	if (inst->op == HD_OP_PARCOPY && inst->extra_count % 2)
		fail(v, "a parallel copy with half a move");
}

static void check_inst(struct verifier *v, const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_MIR_COUNT) {
		fail(v, "an unknown opcode");
		return;
	}
	if (v->ssa && inst->op == HD_OP_PARCOPY)
		fail(v, "a parallel copy in SSA form");
	if (inst->op >= HD_OP_LIMIT) {
		check_list(v, inst);
		if (inst->op == HD_OP_COPY)
			check_copy(v, inst);
		return;
	}
	check_list(v, inst);
	check_slot(v, inst, inst->dst, HD_SLOT_DST);
	check_slot(v, inst, inst->a, HD_SLOT_A);
	check_slot(v, inst, inst->b, HD_SLOT_B);
	check_slot(v, inst, inst->c, HD_SLOT_C);
	if (hd_opinfo[inst->op].dst == HD_W_U ? inst->uniform_dst >= HD_MAX_UREGS : inst->uniform_dst)
		fail(v, "a uniform register that does not exist");
	if (hd_x_is_uniform(inst->xkind) && inst->x >= HD_MAX_UREGS)
		fail(v, "a uniform register that does not exist");
	const uint32_t preds[] = {inst->guard, inst->pdst, inst->psrc, inst->psrc2};
	for (unsigned i = 0; i < 4; i++)
		check_class(v, preds[i], true);
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if ((inst->pdst != HD_MREG_PT && !info->pdst) || (inst->psrc != HD_MREG_PT && !info->psrc) ||
	    (inst->psrc2 != HD_MREG_PT && info->psrc < 2))
		fail(v, "a predicate that the opcode does not have");
	bool frame = inst->ref_kind == HD_MREF_FRAME;
	if (frame && inst->ref >= v->func->frame.len)
		fail(v, "a frame object that does not exist");
}

/* ---- SSA ---- */

static void record_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct verifier *v = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id) || v->status)
		return;
	uint32_t index = reg->id - HD_MREG_VIRTUAL;
	unsigned words = hd_mreg_words(v->func, reg->id);
	if (v->def_block[index] != HD_NO_BLOCK)
		fail(v, "a second definition of a register");
	else if (reg->sub || (words && reg->words != words))
		fail(v, "a definition of a part of a register");
	v->def_block[index] = v->block;
	v->def_inst[index] = v->inst;
}

static void check_use_at(struct verifier *v, uint32_t index, uint32_t block, uint32_t inst)
{
	if (v->idom[block] == HD_NO_NODE)
		return; /* never runs */
	uint32_t def = v->def_block[index];
	if (def == HD_NO_BLOCK)
		fail(v, "a use of a register that nothing defines");
	else if (def == block ? v->def_inst[index] >= inst : !hd_dominates(v->idom, v->depth, def, block))
		fail(v, "a use that the definition does not dominate");
}

static void check_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct verifier *v = context;
	if (!is_def && hd_mreg_is_virtual(reg->id) && !v->status)
		check_use_at(v, reg->id - HD_MREG_VIRTUAL, v->block, v->inst);
}

static void check_phi_uses(struct verifier *v, const struct hd_minst *phi)
{
	const struct hd_mblock *block = &v->func->blocks.data[v->block];
	for (uint32_t i = 0; i < phi->extra_count; i++) {
		struct hd_mreg reg = v->func->extras.data[phi->extra + i];
		if (hd_mreg_is_virtual(reg.id) && !v->status)
			check_use_at(v, reg.id - HD_MREG_VIRTUAL, block->preds.data[i], UINT32_MAX);
	}
}

static void for_each(struct verifier *v, void (*step)(struct verifier *v, struct hd_minst *inst))
{
	for (v->block = 0; v->block < v->func->blocks.len && !v->status; v->block++) {
		const struct hd_mblock *block = &v->func->blocks.data[v->block];
		for (v->inst = 0; v->inst < block->insts.len && !v->status; v->inst++)
			step(v, &block->insts.data[v->inst]);
	}
}

static void step_check(struct verifier *v, struct hd_minst *inst)
{
	check_inst(v, inst);
}

static void step_defs(struct verifier *v, struct hd_minst *inst)
{
	hd_minst_visit((struct hd_mfunc *)v->func, inst, record_def, v);
}

static void step_uses(struct verifier *v, struct hd_minst *inst)
{
	if (inst->op == HD_OP_PHI)
		check_phi_uses(v, inst);
	else
		hd_minst_visit((struct hd_mfunc *)v->func, inst, check_use, v);
}

static void compute_dominators(struct verifier *v, struct hd_arena *arena)
{
	struct hd_graph graph;
	hd_mfunc_graph(v->func, arena, &graph);
	v->idom = hd_graph_dominators(&graph, arena);
	v->depth = hd_dominator_depths(v->idom, graph.nodes, arena);
}

static void verify_ssa(struct verifier *v)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	uint32_t count = v->func->vregs.len;
	v->def_block = HD_ARENA_NEW(&arena, uint32_t, count + 1);
	v->def_inst = HD_ARENA_NEW(&arena, uint32_t, count + 1);
	for (uint32_t i = 0; i < count; i++)
		v->def_block[i] = HD_NO_BLOCK;
	compute_dominators(v, &arena);
	for_each(v, step_defs);
	if (!v->status)
		for_each(v, step_uses);
	hd_arena_release(&arena);
}

int hd_mfunc_verify(const struct hd_mfunc *func, bool ssa, struct hd_diag *diag)
{
	struct verifier v = {.func = func, .diag = diag, .ssa = ssa};
	if (!func->blocks.len)
		return hd_error(diag, HD_NOWHERE, "machine IR of %s: no blocks", func->name);
	for (v.block = 0; v.block < func->blocks.len && !v.status; v.block++)
		check_shape(&v, &func->blocks.data[v.block]);
	if (!v.status)
		for_each(&v, step_check);
	if (!v.status && ssa)
		verify_ssa(&v);
	return v.status;
}
