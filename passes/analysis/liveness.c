/*
 * One function's liveness with divergence (gpu-multiprogramming-lin, 2.3.2 and Figure 2.5). Needs
 * the function's flow, whose block live sets are the classical version.
 *
 * A divergent branch at the end of block A with reconvergence point D makes lanes wait while others
 * run a block X that A's successors reach without passing D: at the start of A's other successors
 * (the divergence point: what is live after A), or at D. So X needs live-out(A) + live-in(D) beside
 * its own. X may be A itself, or come before it, in a loop that lanes leave one by one. Where the
 * paths end apart there is no D: in kernels lanes are gone at the end, in functions they wait for
 * the others behind the call, with the results and the callee-saved registers.
 *
 * The sets flow as spread.h has it. Cost: the blocks between, for each reconvergence point.
 */
#include "passes/analysis/liveness.h"
#include "heddle/opcodes.h"

#include "lib/vec.h"
#include "passes/analysis/spread.h"

/* ---- divergent branches */

static bool may_split(const struct hd_flow *flow, uint32_t block)
{
	const struct hd_inst *last = &flow->function->insts[hd_flow_last(flow, block)];
	uint32_t edges = flow->graph.succ_start[block + 1] - flow->graph.succ_start[block];
	if (hd_opinfo[last->op].effects & HD_FX_RET)
		return last->guard != HD_PT && !flow->function->kernel;
	return hd_opinfo[last->op].effects & HD_FX_BRANCH && edges > 1;
}

static void find_branches(struct hd_liveness *liveness, const struct hd_bitset *uniform)
{
	const struct hd_flow *flow = liveness->flow;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		if (!may_split(flow, b))
			continue;
		liveness->divergent[b] = !uniform || !hd_bitset_has(uniform, hd_flow_last(flow, b));
		++*(liveness->divergent[b] ? &liveness->divergent_branches : &liveness->uniform_branches);
	}
}

/* ---- what waiting lanes need */

static struct hd_regset needed(const struct hd_flow *flow, uint32_t block, uint32_t reconv)
{
	struct hd_regset set = flow->live_out[block];
	hd_regset_union(&set, reconv != HD_NO_NODE ? &flow->live_in[reconv] : &flow->returns);
	return set;
}

struct hd_regset hd_liveness_region(const struct hd_liveness *liveness, uint32_t block, struct hd_bitset *region)
{
	const struct hd_flow *flow = liveness->flow;
	uint32_t reconv = hd_reconvergence_block(flow, block);
	HD_VEC(uint32_t) queue = {0};
	hd_vec_push(&queue, block);
	for (uint32_t next = 0; next < queue.len; next++) {
		uint32_t at = queue.data[next];
		for (uint32_t e = flow->graph.succ_start[at]; e < flow->graph.succ_start[at + 1]; e++) {
			uint32_t to = flow->graph.succ[e];
			if (to == reconv || hd_bitset_has(region, to))
				continue;
			hd_bitset_add(region, to);
			hd_vec_push(&queue, to);
		}
	}
	hd_vec_release(&queue);
	return needed(flow, block, reconv);
}

static struct hd_regset needed_beside(void *context, uint32_t block, uint32_t side, uint32_t reconv)
{
	const struct hd_liveness *liveness = context;
	(void)side; /* lanes of both sides wait at the branch */
	return needed(liveness->flow, block, reconv);
}

static void add_around(void *context, const uint32_t *region, uint32_t count, const struct hd_regset *sets)
{
	struct hd_liveness *liveness = context;
	for (uint32_t i = 0; i < count; i++)
		hd_regset_union(&liveness->around[region[i]], &sets[region[i]]);
}

static void find_around(struct hd_liveness *liveness, const struct hd_bitset *uniform, struct hd_arena *arena)
{
	uint32_t blocks = liveness->flow->block_count;
	liveness->divergent = HD_ARENA_NEW(arena, bool, blocks);
	liveness->around = HD_ARENA_NEW(arena, struct hd_regset, blocks);
	find_branches(liveness, uniform);
	hd_spread(liveness->flow, liveness->divergent, &(struct hd_spread){needed_beside, add_around, liveness});
}

/* ---- points */

void hd_liveness_block(const struct hd_liveness *liveness, uint32_t block, struct hd_regset *live)
{
	const struct hd_flow *flow = liveness->flow;
	uint32_t first = flow->blocks[block].first, count = flow->blocks[block].count;
	live[count] = flow->live_out[block];
	for (uint32_t i = count; i-- > 0;) {
		live[i] = live[i + 1];
		hd_flow_live_before(flow, first + i, &live[i]);
	}
}

struct hd_regset hd_liveness_before(const struct hd_liveness *liveness, uint32_t inst)
{
	const struct hd_flow *flow = liveness->flow;
	uint32_t block = flow->block_of[inst];
	struct hd_regset live = flow->live_out[block];
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > inst;)
		hd_flow_live_before(flow, i, &live);
	return live;
}

struct hd_regset hd_liveness_diverged(const struct hd_liveness *liveness, uint32_t block, const struct hd_regset *live)
{
	struct hd_regset set = *live;
	hd_regset_union(&set, &liveness->around[block]);
	hd_regset_union(&set, &liveness->waiting);
	return set;
}

struct hd_regset hd_liveness_diverged_before(const struct hd_liveness *liveness, uint32_t inst,
					     const struct hd_regset *live, const struct hd_regset *after)
{
	struct hd_regset set = hd_liveness_diverged(liveness, liveness->flow->block_of[inst], live);
	if (liveness->flow->function->insts[inst].op == HD_OP_CALLI)
		hd_regset_union(&set, after);
	return set;
}

static bool has_any(const struct hd_regset *set, uint32_t first, uint32_t count)
{
	for (uint32_t reg = first; reg < first + count && reg < HD_RZ; reg++)
		if (hd_regset_has(set, reg))
			return true;
	return false;
}

/* Operands of an instruction that a bit can call dead. */
struct operands {
	uint8_t first[3], words[3], pred[3];
	uint32_t count; /* registers */
};

static struct operands operands_of(const struct hd_inst *inst)
{
	const uint8_t regs[] = {inst->a, inst->b, inst->c}, preds[] = {inst->guard, inst->psrc, inst->psrc2};
	struct operands operands = {.count = 0};
	for (unsigned i = 0; i < 3; i++) {
		operands.first[i] = regs[i];
		operands.pred[i] = preds[i] & (uint8_t)~HD_PRED_NOT;
		if (regs[i] < HD_RZ && !hd_lr_takes(inst->linear, HD_SLOT_A + i))
			operands.words[i] = (uint8_t)hd_op_width(inst->op, inst->mods, HD_SLOT_A + i);
		operands.count += operands.words[i] > 0;
	}
	return operands;
}

/* Bits of the reads whose registers are not in `live`. */
static uint8_t dead_bits(const struct operands *operands, const struct hd_regset *live)
{
	uint8_t bits = 0;
	for (unsigned i = 0; i < 3; i++) {
		if (operands->words[i] && !has_any(live, operands->first[i], operands->words[i]))
			bits |= (uint8_t)(HD_DEAD_A << i);
		if (operands->pred[i] < HD_PT && !(live->preds >> operands->pred[i] & 1))
			bits |= (uint8_t)(HD_DEAD_GUARD << i);
	}
	return bits;
}

static uint32_t registers_in(uint8_t bits)
{
	return (uint32_t)__builtin_popcount(bits & (HD_DEAD_A | HD_DEAD_B | HD_DEAD_C));
}

/* `kept`: live after the instruction but for what it overwrites for certain, which it reads for the last time itself;
 * `outside`: what other lanes need there. */
static void mark_dead(struct hd_liveness *liveness, uint32_t inst, const struct hd_regset *kept,
		      const struct hd_regset *outside)
{
	const struct hd_inst *code = &liveness->flow->function->insts[inst];
	struct operands operands = operands_of(code);
	struct hd_regset in_warp = *kept;
	hd_regset_union(&in_warp, outside);
	liveness->dead[inst] = dead_bits(&operands, kept);
	/* An indirect call is executed again, for lanes with another target. */
	if (liveness->dead[inst] && code->op != HD_OP_CALLI)
		liveness->dead_in_warp[inst] = dead_bits(&operands, &in_warp);
	liveness->reads += operands.count;
	liveness->dead_reads += registers_in(liveness->dead[inst]);
	liveness->dead_in_warp_reads += registers_in(liveness->dead_in_warp[inst]);
}

static uint8_t measure(struct hd_live_point *most, uint32_t inst, const struct hd_regset *live)
{
	uint32_t count = hd_regset_count(live);
	if (count > most->live || (count == most->live && inst < most->inst))
		*most = (struct hd_live_point){inst, count};
	return (uint8_t)count;
}

static void visit_points(struct hd_liveness *liveness, uint32_t block)
{
	const struct hd_flow *flow = liveness->flow;
	const struct hd_regset none = {0}, outside = hd_liveness_diverged(liveness, block, &none);
	struct hd_regset live = flow->live_out[block];
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;) {
		struct hd_flow_effects effects;
		struct hd_regset all = outside;
		hd_flow_live_effects(flow, i, &effects);
		if (flow->function->insts[i].op == HD_OP_CALLI)
			hd_regset_union(&all, &live);
		hd_regset_subtract(&live, &effects.covers);
		mark_dead(liveness, i, &live, &outside);
		hd_regset_union(&live, &effects.reads);
		hd_regset_union(&all, &live);
		liveness->live[i] = measure(&liveness->most, i, &live);
		liveness->live_divergent[i] = measure(&liveness->most_divergent, i, &all);
	}
}

void hd_liveness_compute(struct hd_liveness *liveness, const struct hd_flow *flow, const struct hd_bitset *uniform,
			 const struct hd_regset *waiting, const struct hd_yields *yields, struct hd_arena *arena)
{
	*liveness = (struct hd_liveness){.flow = flow};
	liveness->scattered = yields ? yields->blocks : hd_bitset_new(arena, flow->block_count);
	if (waiting)
		liveness->waiting = *waiting;
	liveness->dead = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	liveness->dead_in_warp = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	liveness->live = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	liveness->live_divergent = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	find_around(liveness, uniform, arena);
	for (uint32_t b = 0; b < flow->block_count; b++)
		if (hd_bitset_has(&liveness->scattered, b))
			hd_regset_union(&liveness->around[b], &yields->needs);
	for (uint32_t b = 0; b < flow->block_count; b++)
		visit_points(liveness, b);
}
