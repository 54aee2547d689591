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
 * The sets flow from the branches of one reconvergence point together, so that a chain of
 * early exits costs one walk. Cost: the blocks between, for each reconvergence point.
 */
#include "passes/analysis/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

struct branch {
	uint32_t block, meets; /* meets: block of the reconvergence point, HD_NO_NODE: none */
};

struct spread {
	struct hd_liveness *liveness;
	HD_VEC(struct branch) branches;
	struct hd_regset *extra; /* of each block: for the reconvergence point at hand */
	bool *queued, *reached;
	HD_VEC(uint32_t) queue, region;
};

/* ---- divergent branches */

static bool may_split(const struct hd_flow *flow, uint32_t block)
{
	const struct hd_inst *last = &flow->function->insts[hd_flow_last(flow, block)];
	uint32_t ways = flow->graph.succ_start[block + 1] - flow->graph.succ_start[block];
	if (hd_opinfo[last->op].effects & HD_FX_RET)
		return last->guard != HD_PT && !flow->function->kernel;
	return hd_opinfo[last->op].effects & HD_FX_BRANCH && ways > 1;
}

static uint32_t reconvergence_of(const struct hd_flow *flow, uint32_t block)
{
	uint32_t reconv = flow->function->insts[hd_flow_last(flow, block)].reconv;
	return reconv < flow->function->inst_count ? flow->block_of[reconv] : HD_NO_NODE;
}

static void find_branches(struct spread *spread, const struct hd_bitset *uniform)
{
	struct hd_liveness *liveness = spread->liveness;
	const struct hd_flow *flow = liveness->flow;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		uint32_t last = hd_flow_last(flow, b);
		if (!may_split(flow, b))
			continue;
		if (uniform && hd_bitset_has(uniform, last)) {
			liveness->uniform_branches++;
			continue;
		}
		liveness->divergent_branches++;
		liveness->divergent[b] = true;
		hd_vec_push(&spread->branches, (struct branch){b, reconvergence_of(flow, b)});
	}
}

static int by_reconvergence_point(const void *a, const void *b)
{
	const struct branch *left = a, *right = b;
	if (left->meets != right->meets)
		return left->meets < right->meets ? -1 : 1;
	return left->block < right->block ? -1 : left->block > right->block;
}

/* ---- what waiting lanes need */

static struct hd_regset needed(const struct hd_flow *flow, const struct branch *branch)
{
	struct hd_regset set = flow->live_out[branch->block];
	if (branch->meets != HD_NO_NODE)
		hd_regset_union(&set, &flow->live_in[branch->meets]);
	else
		hd_regset_union(&set, &flow->returns);
	return set;
}

struct hd_regset hd_liveness_region(const struct hd_liveness *liveness, uint32_t block, struct hd_bitset *region)
{
	const struct hd_flow *flow = liveness->flow;
	struct branch branch = {block, reconvergence_of(flow, block)};
	HD_VEC(uint32_t) queue = {0};
	hd_vec_push(&queue, block);
	for (uint32_t next = 0; next < queue.len; next++) {
		uint32_t at = queue.data[next];
		for (uint32_t e = flow->graph.succ_start[at]; e < flow->graph.succ_start[at + 1]; e++) {
			uint32_t to = flow->graph.succ[e];
			if (to == branch.meets || hd_bitset_has(region, to))
				continue;
			hd_bitset_add(region, to);
			hd_vec_push(&queue, to);
		}
	}
	hd_vec_release(&queue);
	return needed(flow, &branch);
}

static void arrive(struct spread *spread, uint32_t block, uint32_t meets, const struct hd_regset *set)
{
	if (block == meets)
		return;
	bool grew = hd_regset_union(&spread->extra[block], set);
	if (!spread->reached[block])
		hd_vec_push(&spread->region, block);
	if ((grew || !spread->reached[block]) && !spread->queued[block]) {
		spread->queued[block] = true;
		hd_vec_push(&spread->queue, block);
	}
	spread->reached[block] = true;
}

static void leave(struct spread *spread, uint32_t block, uint32_t meets, const struct hd_regset *set)
{
	const struct hd_graph *graph = &spread->liveness->flow->graph;
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++)
		arrive(spread, graph->succ[e], meets, set);
}

/* Branches [first, end) meet at one point. */
static void spread_group(struct spread *spread, uint32_t first, uint32_t end)
{
	struct hd_liveness *liveness = spread->liveness;
	uint32_t meets = spread->branches.data[first].meets;
	for (uint32_t i = first; i < end; i++) {
		struct hd_regset set = needed(liveness->flow, &spread->branches.data[i]);
		leave(spread, spread->branches.data[i].block, meets, &set);
	}
	for (uint32_t next = 0; next < spread->queue.len; next++) {
		uint32_t block = spread->queue.data[next];
		struct hd_regset set = spread->extra[block];
		spread->queued[block] = false;
		leave(spread, block, meets, &set);
	}
	for (uint32_t i = 0; i < spread->region.len; i++) {
		uint32_t block = spread->region.data[i];
		hd_regset_union(&liveness->around[block], &spread->extra[block]);
		spread->extra[block] = (struct hd_regset){0};
		spread->reached[block] = false;
	}
	hd_vec_clear(&spread->queue);
	hd_vec_clear(&spread->region);
}

static void find_around(struct hd_liveness *liveness, const struct hd_bitset *uniform, struct hd_arena *arena)
{
	uint32_t blocks = liveness->flow->block_count;
	struct spread spread = {.liveness = liveness};
	liveness->divergent = HD_ARENA_NEW(arena, bool, blocks);
	liveness->around = HD_ARENA_NEW(arena, struct hd_regset, blocks);
	spread.extra = hd_xcalloc(blocks + 1, sizeof(*spread.extra));
	spread.queued = hd_xcalloc(blocks + 1, sizeof(*spread.queued));
	spread.reached = hd_xcalloc(blocks + 1, sizeof(*spread.reached));
	find_branches(&spread, uniform);
	if (spread.branches.len)
		qsort(spread.branches.data, spread.branches.len, sizeof(*spread.branches.data), by_reconvergence_point);
	for (uint32_t first = 0, end; first < spread.branches.len; first = end) {
		for (end = first + 1; end < spread.branches.len; end++)
			if (spread.branches.data[end].meets != spread.branches.data[first].meets)
				break;
		spread_group(&spread, first, end);
	}
	free(spread.extra);
	free(spread.queued);
	free(spread.reached);
	hd_vec_release(&spread.branches);
	hd_vec_release(&spread.queue);
	hd_vec_release(&spread.region);
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
		if (regs[i] < HD_RZ)
			operands.words[i] = (uint8_t)hd_op_width((enum hd_op)inst->op, inst->mods, HD_SLOT_A + i);
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
		hd_flow_effects(flow, i, &effects);
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
			 const struct hd_regset *waiting, struct hd_arena *arena)
{
	*liveness = (struct hd_liveness){.flow = flow};
	if (waiting)
		liveness->waiting = *waiting;
	liveness->dead = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	liveness->dead_in_warp = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	liveness->live = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	liveness->live_divergent = HD_ARENA_NEW(arena, uint8_t, flow->function->inst_count);
	find_around(liveness, uniform, arena);
	for (uint32_t b = 0; b < flow->block_count; b++)
		visit_points(liveness, b);
}
