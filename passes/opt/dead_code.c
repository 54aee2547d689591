/*
 * Dead code in SSA form: everything goes that neither acts on memory, control or a physical register, nor is read by
 * something that stays; cycles of PHIs that only read each other included. Linear. docs/architecture.md, The life of an
 * instruction.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

struct sweeper {
	struct hd_mfunc *func;
	struct hd_minst **insts; /* in the order of the code */
	uint32_t count;
	uint32_t *def;	       /* by virtual register: its definition's place among them + 1 */
	HD_VEC(uint32_t) work; /* registers whose definition is needed */
};

static void note_def(void *context, struct hd_mreg *reg, bool is_def)
{
	bool *fixed = context;
	*fixed |= is_def && !hd_mreg_is_virtual(reg->id);
}

static bool is_needed(struct hd_mfunc *func, struct hd_minst *inst)
{
	unsigned effects = hd_minst_effects(inst);
	bool fixed = false;
	if (effects & ~(unsigned)HD_FX_LOAD) /* a copy is asynchronous, too */
		return true;
	if (effects & HD_FX_LOAD && hd_opinfo[inst->op].mods >> HD_MOD_SEM & 1 &&
	    hd_mod_get(inst->mods, HD_MOD_SEM) != HD_SEM_WEAK)
		return true;
	if (inst->op == HD_OP_TRAP)
		return true;
	hd_minst_visit(func, inst, note_def, &fixed);
	return fixed;
}

static void need(void *context, struct hd_mreg *reg, bool is_def)
{
	struct sweeper *sweeper = context;
	if (!is_def && hd_mreg_is_virtual(reg->id))
		hd_vec_push(&sweeper->work, reg->id - HD_MREG_VIRTUAL);
}

static void record_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct sweeper *sweeper = context;
	if (is_def && hd_mreg_is_virtual(reg->id))
		sweeper->def[reg->id - HD_MREG_VIRTUAL] = sweeper->count;
}

static void collect(struct sweeper *sweeper, struct hd_arena *arena)
{
	struct hd_mfunc *func = sweeper->func;
	uint32_t most = 0;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		most += func->blocks.data[id].insts.len;
	sweeper->insts = HD_ARENA_NEW(arena, struct hd_minst *, most + 1);
	sweeper->def = HD_ARENA_NEW(arena, uint32_t, func->vregs.len + 1);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++) {
			struct hd_minst *inst = &func->blocks.data[id].insts.data[i];
			sweeper->insts[sweeper->count++] = inst;
			hd_minst_visit(func, inst, record_def, sweeper);
		}
}

static void mark(struct sweeper *sweeper, bool *live)
{
	for (uint32_t i = 0; i < sweeper->count; i++) {
		live[i] = is_needed(sweeper->func, sweeper->insts[i]);
		if (live[i])
			hd_minst_visit(sweeper->func, sweeper->insts[i], need, sweeper);
	}
	while (sweeper->work.len) {
		uint32_t def = sweeper->def[hd_vec_pop(&sweeper->work)];
		if (!def || live[def - 1])
			continue;
		live[def - 1] = true;
		hd_minst_visit(sweeper->func, sweeper->insts[def - 1], need, sweeper);
	}
}

int hd_dead_code_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct sweeper sweeper = {.func = func};
	struct hd_arena arena;
	uint32_t at = 0;
	(void)diag;
	hd_arena_init(&arena);
	collect(&sweeper, &arena);
	bool *live = HD_ARENA_NEW(&arena, bool, sweeper.count + 1);
	mark(&sweeper, live);
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		uint32_t kept = 0;
		for (uint32_t i = 0; i < block->insts.len; i++)
			if (live[at++])
				block->insts.data[kept++] = block->insts.data[i];
		block->insts.len = kept;
	}
	hd_vec_release(&sweeper.work);
	hd_arena_release(&arena);
	return 0;
}
