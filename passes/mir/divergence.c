/*
 * Divergence in machine IR out of SSA, for what is kept once a warp instead of once a lane. Lanes are apart between a
 * branch whose condition differs among them and the point at which they reconverge (graph/reconvergence.c), and a
 * register is divergent when any of its definitions is: because of what it reads, because the operation gives each lane
 * its own, or because it stands where lanes are apart. So a register that is not divergent is written by all lanes of
 * the warp at once, and the same in each; lanes that have ended aside. Where lanes wait for one another while they are
 * apart, all that comes behind the branch may be executed by some while others are elsewhere.
 *
 * Only what is proven counts: undefined values, loads from windows that may be local memory, and results of atomics and
 * of calls but those of helpers are divergent. Needs a kernel, since a function does not know which lanes call it. Each
 * round is linear; there are as many as branches and loops depend on one another.
 */
#include "passes/mir/divergence.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "passes/mir/reconvergence.h"

struct analysis {
	struct hd_mfunc *func;
	const struct hd_live *live;
	struct hd_mir_uniformity *result;
	const uint32_t *reconv;	 /* by block: where its lanes reconverge */
	struct hd_bitset parted; /* blocks whose branch has been dealt with */
	uint32_t *stamp, walks;	 /* by block: the last walk that came by */
	HD_VEC(uint32_t) work;	 /* blocks whose successors that walk has to go to */
	bool alike[HD_RZ];	 /* physical registers: written in this block, the same in all lanes */
	bool found;		 /* an operand that was looked for */
	bool changed;
};

/* ---- operations */

static bool is_special_uniform(unsigned sr)
{
	switch ((enum hd_sr)sr) {
	case HD_SR_WARPID:
	case HD_SR_NWARPID:
	case HD_SR_SMID:
	case HD_SR_NSMID:
	case HD_SR_GRIDID:
	case HD_SR_CTAID_X:
	case HD_SR_CTAID_Y:
	case HD_SR_CTAID_Z:
	case HD_SR_CLUSTERID_X:
	case HD_SR_CLUSTERID_Y:
	case HD_SR_CLUSTERID_Z:
	case HD_SR_CLUSTER_CTAID_X:
	case HD_SR_CLUSTER_CTAID_Y:
	case HD_SR_CLUSTER_CTAID_Z:
	case HD_SR_CLUSTER_CTARANK: return true;
	default: return false;
	}
}

/* Whether lanes that read the same may get different results. */
static bool is_source(const struct hd_minst *inst)
{
	if (inst->op == HD_OP_COPY)
		return false;
	if (inst->op >= HD_OP_LIMIT || inst->linear)
		return true;
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	switch (inst->op) {
	case HD_OP_CALL: return !inst->helper;
	case HD_OP_S2R: return !is_special_uniform(hd_mod_get(inst->mods, HD_MOD_SR));
	case HD_OP_VOTE:
	case HD_OP_BAR:
	case HD_OP_LDC:
	case HD_OP_LDCX:
	case HD_OP_TEX:
	case HD_OP_TLD:
	case HD_OP_TLD4:
	case HD_OP_TXD: return false;
	case HD_OP_LDG:
	case HD_OP_LDS: return hd_mod_get(inst->mods, HD_MOD_SEM) != HD_SEM_WEAK;
	default: return info->effects != 0;
	}
}

static bool is_alike(const struct analysis *a, struct hd_mreg reg)
{
	bool alike = true;
	for (uint32_t id = reg.id + reg.sub, end = id + reg.words; id < end; id++)
		alike &= id < HD_RZ && a->alike[id];
	return alike;
}

static bool is_divergent(const struct analysis *a, struct hd_mreg reg)
{
	if (!hd_mreg_is_virtual(reg.id))
		return !is_alike(a, reg);
	for (uint32_t word = hd_live_word(a->live, reg), end = word + reg.words; word < end; word++)
		if (hd_bitset_has(&a->result->divergent, word))
			return true;
	return false;
}

static void find_divergent_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct analysis *a = context;
	a->found |= !is_def && is_divergent(a, *reg);
}

static bool reads_divergent(struct analysis *a, struct hd_minst *inst)
{
	a->found = false;
	hd_minst_visit(a->func, inst, find_divergent_read, a);
	return a->found;
}

static void spread_to(void *context, struct hd_mreg *reg, bool is_def)
{
	struct analysis *a = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	for (uint32_t word = hd_live_word(a->live, *reg), end = word + reg->words; word < end; word++) {
		a->changed |= !hd_bitset_has(&a->result->divergent, word);
		hd_bitset_add(&a->result->divergent, word);
	}
}

struct alike {
	struct analysis *a;
	bool alike;
};

static void note_physical(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct alike *now = context;
	for (uint32_t i = 0; is_def && i < reg->words && reg->id + reg->sub + i < HD_RZ; i++)
		now->a->alike[reg->id + reg->sub + i] = now->alike;
}

/* Values go to and come from calls in physical registers, by copies beside them. */
static void write_physical(struct analysis *a, struct hd_minst *inst, bool alike)
{
	struct alike now = {a, alike && inst->guard == HD_MREG_PT};
	if (hd_minst_effects(inst) & HD_FX_CALL)
		memset(a->alike, 0, sizeof(a->alike));
	hd_minst_visit(a->func, inst, note_physical, &now);
}

/* ---- control */

/* Whether lanes may wait there for others of their mask (runtime/exec/meet.c). Other functions may do it; helpers
 * only compute. */
static bool has_meeting(const struct hd_mblock *block)
{
	for (uint32_t i = 0; i < block->insts.len; i++) {
		const struct hd_minst *inst = &block->insts.data[i];
		bool calls = hd_minst_effects(inst) & HD_FX_CALL;
		if (calls ? !inst->helper : inst->op < HD_OP_COUNT && hd_op_meets(inst->op, inst->mods))
			return true;
	}
	return false;
}

/* Marks what a branch leads to without `until`. True: in that lanes may wait for others that are elsewhere. */
static bool mark_apart(struct analysis *a, uint32_t branch, uint32_t until)
{
	uint32_t walk = ++a->walks;
	bool meets = false;
	hd_vec_push(&a->work, branch);
	while (a->work.len) {
		const struct hd_mblock *block = &a->func->blocks.data[a->work.data[--a->work.len]];
		for (uint32_t i = 0; i < block->succs.len; i++) {
			uint32_t to = block->succs.data[i];
			if (to == until || a->stamp[to] == walk)
				continue;
			a->stamp[to] = walk;
			meets |= has_meeting(&a->func->blocks.data[to]);
			hd_bitset_add(&a->result->apart, to);
			hd_vec_push(&a->work, to);
		}
	}
	return meets;
}

/* What lies between a branch and the point where its lanes reconverge, or, where lanes wait there for others, which run
 * on meanwhile, all that comes. Of a branch whose lanes are apart already it is marked, too: all of it comes before
 * they reconverge. */
static void part_lanes(struct analysis *a, uint32_t branch)
{
	if (mark_apart(a, branch, a->reconv[branch]))
		mark_apart(a, branch, UINT32_MAX);
	a->changed = true;
}

/* Edges on which lanes go on to do anything: those that only end disturb nobody. */
static uint32_t edges_on(const struct analysis *a, const struct hd_mblock *block)
{
	uint32_t edges = 0;
	for (uint32_t i = 0; i < block->succs.len; i++)
		edges += !hd_mblock_only_ends(&a->func->blocks.data[block->succs.data[i]]);
	return edges;
}

static bool may_part_lanes(struct analysis *a, uint32_t id)
{
	struct hd_mblock *block = &a->func->blocks.data[id];
	bool parts = false;
	if (hd_bitset_has(&a->result->apart, id) || edges_on(a, block) < 2)
		return false;
	for (uint32_t i = hd_mblock_end(block); i < block->insts.len; i++)
		parts |= !block->insts.data[i].uniform && reads_divergent(a, &block->insts.data[i]);
	return parts;
}

static void run_block(struct analysis *a, uint32_t id)
{
	struct hd_mblock *block = &a->func->blocks.data[id];
	bool apart = hd_bitset_has(&a->result->apart, id);
	memset(a->alike, 0, sizeof(a->alike));
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst *inst = &block->insts.data[i];
		bool divergent = apart || is_source(inst) || reads_divergent(a, inst);
		if (divergent)
			hd_minst_visit(a->func, inst, spread_to, a);
		write_physical(a, inst, !divergent);
	}
	if (!hd_bitset_has(&a->parted, id) && may_part_lanes(a, id)) {
		hd_bitset_add(&a->parted, id);
		part_lanes(a, id);
	}
}

/* Whether the instruction in a loop may make that a wait for another lane, until which the warp's lanes part. */
static bool may_wait_for_lanes(const struct hd_minst *inst)
{
	unsigned effects = hd_minst_effects(inst);
	if (effects & HD_FX_CALL)
		return !inst->helper;
	if (inst->op == HD_OP_SYNCS_WAIT)
		return true;
	if (effects & HD_FX_ATOMIC)
		return hd_minst_has_result(inst);
	return effects & HD_FX_LOAD && hd_opinfo[inst->op].mods >> HD_MOD_SEM & 1 &&
	       hd_mod_get(inst->mods, HD_MOD_SEM) != HD_SEM_WEAK;
}

static bool has_waits(const struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		const struct hd_mblock *block = &func->blocks.data[id];
		for (uint32_t i = 0; block->loop_depth && i < block->insts.len; i++)
			if (may_wait_for_lanes(&block->insts.data[i]))
				return true;
	}
	return false;
}

bool hd_mfunc_stays_together(const struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++)
		if (has_meeting(&func->blocks.data[id]))
			return false;
	return !has_waits(func);
}

bool hd_mfunc_uniformity(struct hd_mfunc *func, const struct hd_live *live, struct hd_arena *arena,
			 struct hd_mir_uniformity *result)
{
	struct analysis a = {.func = func, .live = live, .result = result};
	bool chosen;
	a.reconv = hd_mfunc_reconvergence_points(func, arena, &chosen);
	if (chosen || has_waits(func))
		return false;
	result->divergent = hd_bitset_new(arena, live->words);
	result->apart = hd_bitset_new(arena, func->blocks.len);
	a.parted = hd_bitset_new(arena, func->blocks.len);
	a.stamp = HD_ARENA_NEW(arena, uint32_t, func->blocks.len);
	do {
		a.changed = false;
		for (uint32_t id = 0; id < func->blocks.len; id++)
			run_block(&a, id);
	} while (a.changed);
	hd_vec_release(&a.work);
	return true;
}
