/*
 * A loop's next values are computed behind the last read of the present ones, in SSA form, just before it is left: then
 * a PHI and its next value never live together, and one register holds both without a copy on each round. LLVM often
 * compares a counter's present value after it has computed the next one. Switch: without=late-updates.
 *
 * Moved are instructions without effects that read the PHI and nothing else of their block. Needs SSA form. Linear in
 * the code for each PHI of a loop's header that such an instruction computes.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

struct mover {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_mplace *def; /* by virtual register */
};

struct reading {
	const struct mover *mover;
	uint32_t id;	/* the register looked for */
	bool reads;	/* it is read */
	bool of_block;	/* so is another one that the block defines */
	uint32_t block; /* that one */
};

static void note_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct reading *reading = context;
	if (is_def)
		return;
	reading->reads |= reg->id == reading->id;
	if (reg->id == reading->id)
		return;
	reading->of_block |= !hd_mreg_is_virtual(reg->id)
				     ? reg->id != HD_RZ && reg->id != HD_MREG_PT
				     : reading->mover->def[reg->id - HD_MREG_VIRTUAL].block == reading->block;
}

static struct reading read_by(struct mover *mover, uint32_t block, struct hd_minst *inst, uint32_t id)
{
	struct reading reading = {.mover = mover, .id = id, .block = block};
	hd_minst_visit(mover->func, inst, note_read, &reading);
	return reading;
}

static bool is_movable(const struct hd_minst *inst)
{
	return inst->op < HD_OP_LIMIT && inst->op != HD_OP_PHI && !hd_minst_effects(inst) &&
	       !hd_minst_is_terminator(inst) && inst->pdst == HD_MREG_PT && inst->guard == HD_MREG_PT &&
	       inst->dst.words == 1 && !inst->extra_count;
}

/* Puts the computation of `next` in the block behind the last read of `present`. */
static void move(struct mover *mover, uint32_t id, uint32_t present, uint32_t next)
{
	struct hd_mblock *block = &mover->func->blocks.data[id];
	uint32_t at = mover->def[next - HD_MREG_VIRTUAL].inst, end = hd_mblock_end(block), last = at;
	struct hd_minst step = block->insts.data[at];
	struct reading of_step = read_by(mover, id, &step, present);
	if (!is_movable(&step) || !of_step.reads || of_step.of_block)
		return;
	for (uint32_t i = at + 1; i < end; i++) {
		if (read_by(mover, id, &block->insts.data[i], present).reads)
			last = i;
		if (read_by(mover, id, &block->insts.data[i], next).reads)
			break;
	}
	/* A later read, of the end or behind one of the next value, keeps the two apart in any case. */
	for (uint32_t i = last + 1; i < block->insts.len; i++)
		if (read_by(mover, id, &block->insts.data[i], present).reads)
			return;
	if (last == at)
		return;
	memmove(&block->insts.data[at], &block->insts.data[at + 1], (last - at) * sizeof(step));
	block->insts.data[last] = step;
	hd_mfunc_note_defs(mover->func, id, mover->def);
}

static void move_for(struct mover *mover, const struct hd_mblock *header, uint32_t way)
{
	uint32_t latch = header->preds.data[way];
	for (uint32_t i = 0; i < header->insts.len && header->insts.data[i].op == HD_OP_PHI; i++) {
		const struct hd_minst *phi = &header->insts.data[i];
		struct hd_mreg next = mover->func->extras.data[phi->extra + way];
		if (phi->dst.words == 1 && hd_mreg_is_virtual(next.id) && !next.sub &&
		    mover->def[next.id - HD_MREG_VIRTUAL].block == latch)
			move(mover, latch, phi->dst.id, next.id);
	}
}

int hd_late_updates_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct mover mover = {.func = func};
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_LATE_UPDATES))
		return 0;
	hd_arena_init(&mover.arena);
	mover.def = hd_mfunc_defs(func, &mover.arena);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t way = 0; way < func->blocks.data[id].preds.len; way++)
			move_for(&mover, &func->blocks.data[id], way);
	hd_arena_release(&mover.arena);
	return 0;
}
