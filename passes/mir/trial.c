/*
 * A trial: the steps from scheduling to allocation on a copy of a function, whose spills and registers are then
 * counted. Only what is allocated in the end shows whether fewer live values are fewer spills. Needs machine IR out of
 * SSA. Costs what these steps cost, and a copy of the function.
 */
#include "passes/mir/trial.h"

#include <string.h>

#include "passes/mir/mir.h"

#define COPY_OF(vec)                                                                        \
	do {                                                                                \
		const void *from_ = (vec)->data;                                            \
		uint32_t count_ = (vec)->len;                                               \
		(vec)->data = NULL;                                                         \
		(vec)->len = (vec)->cap = 0;                                                \
		hd_vec_reserve((vec), count_ + 1);                                          \
		if (count_)                                                                 \
			memcpy((vec)->data, from_, (size_t)count_ * sizeof(*(vec)->data)); \
		(vec)->len = count_;                                                        \
	} while (0)

/* With vectors of its own: the steps change some of them. Tables and what other functions hold are the same. */
static struct hd_mfunc copy_of(const struct hd_mfunc *func, struct hd_arena *arena)
{
	struct hd_mfunc copy = *func;
	copy.arena = arena;
	COPY_OF(&copy.blocks);
	for (uint32_t id = 0; id < copy.blocks.len; id++) {
		struct hd_mblock *block = &copy.blocks.data[id];
		COPY_OF(&block->insts);
		COPY_OF(&block->preds);
		COPY_OF(&block->succs);
	}
	COPY_OF(&copy.vregs);
	COPY_OF(&copy.extras);
	COPY_OF(&copy.locs);
	COPY_OF(&copy.inlined);
	COPY_OF(&copy.frame);
	COPY_OF(&copy.tables);
	COPY_OF(&copy.order);
	COPY_OF(&copy.visited);
	COPY_OF(&copy.undefined);
	return copy;
}

static void note_register(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_trial *trial = context;
	(void)is_def;
	if (reg->id < HD_RZ && reg->id + reg->words > trial->registers)
		trial->registers = reg->id + reg->words;
}

static void count(struct hd_mfunc *func, struct hd_trial *trial)
{
	uint32_t deepest = 1;
	for (uint32_t id = 0; id < func->blocks.len; id++)
		if (func->blocks.data[id].loop_depth > deepest)
			deepest = func->blocks.data[id].loop_depth;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		for (uint32_t i = 0; i < block->insts.len; i++) {
			struct hd_minst *inst = &block->insts.data[i];
			hd_minst_visit(func, inst, note_register, trial);
			uint32_t words = inst->role == HD_ROLE_SPILL_STORE  ? inst->c.words
					 : inst->role == HD_ROLE_SPILL_LOAD ? inst->dst.words
									    : 0;
			trial->spilled += block->frequency * words;
			trial->repeated += block->loop_depth == deepest ? block->frequency * words : 0;
			trial->others += words ? 0 : block->frequency;
		}
	}
}

struct hd_trial hd_mfunc_try(const struct hd_mfunc *func)
{
	struct hd_trial trial = {.fits = true};
	struct hd_diag silent = hd_diag_silent();
	struct hd_arena arena;
	hd_arena_init(&arena);
	struct hd_mfunc copy = copy_of(func, &arena);
	for (enum hd_step id = HD_STEP_SCHEDULE; id <= HD_STEP_REGALLOC && trial.fits; id++)
		trial.fits = !hd_steps[id].run(&copy, &silent);
	if (trial.fits)
		count(&copy, &trial);
	hd_mfunc_release(&copy);
	hd_arena_release(&arena);
	return trial;
}

void hd_mfunc_keep(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_kept *kept)
{
	kept->insts = HD_ARENA_NEW(arena, struct hd_minst *, func->blocks.len);
	kept->counts = HD_ARENA_NEW(arena, uint32_t, func->blocks.len);
	kept->extras = HD_ARENA_NEW(arena, struct hd_mreg, func->extras.len + 1);
	kept->vregs = func->vregs.len;
	if (func->extras.len)
		memcpy(kept->extras, func->extras.data, func->extras.len * sizeof(*kept->extras));
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		const struct hd_mblock *block = &func->blocks.data[id];
		kept->counts[id] = block->insts.len;
		kept->insts[id] = HD_ARENA_NEW(arena, struct hd_minst, block->insts.len + 1);
		if (block->insts.len)
			memcpy(kept->insts[id], block->insts.data, block->insts.len * sizeof(struct hd_minst));
	}
}

void hd_mfunc_restore(struct hd_mfunc *func, const struct hd_kept *kept)
{
	if (func->extras.len)
		memcpy(func->extras.data, kept->extras, func->extras.len * sizeof(*kept->extras));
	for (uint32_t id = 0; id < func->blocks.len; id++)
		hd_mblock_assign(&func->blocks.data[id], kept->insts[id], kept->counts[id]);
	func->vregs.len = kept->vregs;
}
