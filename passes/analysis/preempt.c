/*
 * Preemption points of one function (gpu-multiprogramming-lin, 2.4.1), from its liveness:
 *
 *   - one for each innermost loop. In a loop with barriers it is the barrier with the fewest live
 *     registers: with any other, warps that wait at the barrier would wait for ever for those that
 *     stopped. Else it is the boundary with the fewest, among the blocks that every iteration
 *     passes, so that no iteration goes round it (the paper does not say where; a point beside the
 *     path would bound nothing);
 *   - outside innermost loops one every K instructions of the longest path, ways round outer loops included: again a
 *     barrier of these, else the boundary with the fewest live registers, of the latter half. A call counts as what a
 *     warp executes in its callees, helpers too, as it does for the drain distance (drain.c). A call longer than K
 *     has a point before it;
 *   - a further one in an outer loop that can go round without passing any of these, beside its inner
 *     loops: "only the innermost loop is considered" would leave it without a bound, and the K instructions
 *     outside loops are meant to bound what runs between points. Where such a loop has a barrier that is no
 *     point, here or in a callee, it stays as it is: another point could wait for those at the barrier.
 *
 * A helper (heddle/object.h) has none: to the program's registers it is an instruction.
 *
 * Ties go to the fewer under divergence, then to the lower pc. A loop that calls a function with a
 * barrier has no point of its own; that function's own barrier is one. Linear in the code but for the
 * re-walk of at most K instructions at each point of the second kind, and a walk for each depth of loops.
 */
#include "passes/analysis/preempt.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

struct places {
	const struct hd_liveness *liveness;
	const struct hd_flow *flow;
	const struct hd_preempt_callees *callees;
	uint32_t every;
	bool *point;	   /* of each instruction */
	uint32_t *loop_at; /* of each point */
	bool *innermost;   /* of each loop */
	bool *waits;	   /* of each block: calls what has a barrier */
	int64_t *since;	   /* of each block: instructions since the last point, at its end */
	bool *moved;	   /* of each block: a point above it has been tried */
	bool *turns;	   /* of each block: what comes round to it, as the header of a loop, has passed a point */
};

bool hd_waits_at(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & HD_FX_BARRIER && hd_mod_get(inst->mods, HD_MOD_BARMODE) != HD_BAR_ARV;
}

/*
 * 54 bits: 0..52 are R0..R52, and bit 53 says that some higher register is live, all of which are then
 * saved (the paper's "53-bit vector" and "highest bit"). Predicates are saved with the SIMT stack.
 */
uint64_t hd_preempt_mask(const struct hd_regset *live)
{
	const uint64_t top = UINT64_C(1) << 53;
	bool higher = live->regs[0] >> 53 || live->regs[1] || live->regs[2] || live->regs[3];
	return (live->regs[0] & (top - 1)) | (higher ? top : 0);
}

static bool is_barrier(const struct places *places, uint32_t inst)
{
	return hd_waits_at(&places->flow->function->insts[inst]);
}

/* The better of two places; HD_NO_NODE is none. Barriers go before all else. */
static uint32_t better(const struct places *places, uint32_t a, uint32_t b)
{
	if (a == HD_NO_NODE || b == HD_NO_NODE)
		return a == HD_NO_NODE ? b : a;
	if (is_barrier(places, a) != is_barrier(places, b))
		return is_barrier(places, a) ? a : b;
	if (places->liveness->live[a] != places->liveness->live[b])
		return places->liveness->live[a] < places->liveness->live[b] ? a : b;
	if (places->liveness->live_divergent[a] != places->liveness->live_divergent[b])
		return places->liveness->live_divergent[a] < places->liveness->live_divergent[b] ? a : b;
	return a < b ? a : b;
}

static uint32_t best_between(const struct places *places, uint32_t first, uint32_t end, bool barriers_only)
{
	uint32_t best = HD_NO_NODE;
	for (uint32_t i = first; i < end; i++)
		if (!barriers_only || is_barrier(places, i))
			best = better(places, best, i);
	return best;
}

static void place(struct places *places, uint32_t inst, uint32_t loop)
{
	places->point[inst] = true;
	places->loop_at[inst] = loop;
}

/* ---- innermost loops */

static void find_innermost(struct places *places)
{
	const struct hd_loops *loops = &places->flow->loops;
	for (uint32_t l = 0; l < loops->count; l++)
		places->innermost[l] = true;
	for (uint32_t l = 0; l < loops->count; l++)
		if (loops->loops[l].parent != HD_NO_NODE)
			places->innermost[loops->loops[l].parent] = false;
}

/* Where a loop's one point counts for the block. A loop with several entries may be entered and left beside it. */
static bool in_innermost(const struct places *places, uint32_t block)
{
	uint32_t loop = places->flow->loops.loop_of[block];
	return loop != HD_NO_NODE && places->innermost[loop] && !places->flow->loops.loops[loop].irreducible;
}

/* Blocks with a call that may end up at a barrier. */
static void find_waiting_calls(struct places *places)
{
	const struct hd_preempt_callees *callees = places->callees;
	for (uint32_t s = 0; callees && s < callees->site_count; s++)
		for (uint32_t c = 0; c < callees->sites[s].callee_count; c++)
			if (callees->waits[callees->sites[s].callees[c]])
				places->waits[places->flow->block_of[callees->sites[s].inst]] = true;
}

/* Every iteration passes the block: it dominates all blocks that go back. The header always is such a block. */
static bool is_on_every_way(const struct hd_flow *flow, const struct hd_loop *loop, uint32_t block)
{
	const struct hd_graph *graph = &flow->graph;
	if (block == loop->header)
		return true;
	for (uint32_t p = graph->pred_start[loop->header]; p < graph->pred_start[loop->header + 1]; p++) {
		uint32_t from = graph->pred[p];
		bool back = flow->position[from] != HD_NO_NODE && flow->position[from] >= flow->position[loop->header];
		if (back && !hd_flow_precedes(flow, block, from))
			return false;
	}
	return !loop->irreducible;
}

static void place_in_loop(struct places *places, uint32_t index)
{
	const struct hd_flow *flow = places->flow;
	const struct hd_loop *loop = &flow->loops.loops[index];
	uint32_t barrier = HD_NO_NODE, best = HD_NO_NODE;
	bool waits = false;
	for (uint32_t n = 0; n < loop->node_count; n++) {
		uint32_t block = loop->nodes[n], first = flow->blocks[block].first,
			 end = first + flow->blocks[block].count;
		barrier = better(places, barrier, best_between(places, first, end, true));
		waits |= places->waits[block];
		if (is_on_every_way(flow, loop, block))
			best = better(places, best, best_between(places, first, end, false));
	}
	if (barrier != HD_NO_NODE)
		place(places, barrier, index);
	else if (!waits)
		place(places, best, index);
}

/* Its callers' loops count on a barrier here. */
static void place_for_callers(struct places *places)
{
	const struct hd_function *function = places->flow->function;
	uint32_t best = best_between(places, 0, function->inst_count, true);
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (places->point[i] && is_barrier(places, i))
			return;
	if (best != HD_NO_NODE && !function->kernel)
		place(places, best, HD_NO_NODE);
}

/* ---- outside of them */

static struct hd_stretch stretch_of(const struct places *places, uint32_t inst)
{
	return hd_stretch_of(places->callees, inst, &(bool){true});
}

static int64_t since_at_start(const struct places *places, uint32_t block)
{
	const struct hd_flow *flow = places->flow;
	const struct hd_graph *graph = &flow->graph;
	int64_t most = 0;
	for (uint32_t p = graph->pred_start[block]; p < graph->pred_start[block + 1]; p++) {
		uint32_t from = graph->pred[p];
		bool back = flow->position[from] == HD_NO_NODE || flow->position[from] >= flow->position[block];
		if (places->since[from] > most && (!back || places->turns[block]))
			most = places->since[from];
	}
	return most;
}

/* What has gone by at `end` when nothing had at `inst`, points between the two left out. */
static int64_t count_between(const struct places *places, uint32_t inst, uint32_t end)
{
	int64_t since = 0;
	for (uint32_t i = inst; i < end; i++) {
		struct hd_stretch one = stretch_of(places, i);
		since = hd_stretch_after(&one, since);
	}
	return since;
}

/* What a warp passes a point in: a call that cannot but pass one. */
static bool is_cut(const struct places *places, uint32_t inst)
{
	return stretch_of(places, inst).through == HD_NO_STRETCH;
}

/* Behind the last point of a block, its own or a callee's. */
static uint32_t behind_last_point(const struct places *places, uint32_t block)
{
	uint32_t first = places->flow->blocks[block].first;
	for (uint32_t i = hd_flow_last(places->flow, block) + 1; i-- > first;)
		if (places->point[i] || is_cut(places, i))
			return i + 1;
	return first;
}

/* From a place to the instruction where K are too few: what is executed, and how much of it is free. */
struct reach {
	struct hd_stretch behind;
	int64_t most, late; /* for barriers; for others: the latter half of K */
};

/* The most that goes by from the place on, a point there being the last: with points in callees in between from theirs.
 */
static int64_t gone_by(const struct reach *reach)
{
	return hd_stretch_after(&reach->behind, 0);
}

/* The best place among the instructions [begin, end) within reach, which then begins at `begin`. `last` always is. */
static uint32_t best_at_end(const struct places *places, uint32_t begin, uint32_t end, uint32_t last,
			    struct reach *reach)
{
	uint32_t best = HD_NO_NODE;
	for (uint32_t i = end; i-- > begin && (i == last || gone_by(reach) < reach->most);) {
		if (i != last) {
			struct hd_stretch one = stretch_of(places, i);
			hd_stretch_append(&one, &reach->behind);
			reach->behind = one;
		}
		if (i == last || gone_by(reach) <= (is_barrier(places, i) ? reach->most : reach->late))
			best = better(places, best, i);
	}
	return best;
}

/*
 * Before `inst` of `block` so much has gone by that K instructions are too few for it: the best place for a point among
 * them that every way here passes, in the block itself from `first` on, or in blocks above it. Where there is no
 * barrier the first half of the K is left out: registers are few near the start of things, and points would crowd
 * there.
 */
static uint32_t choose(struct places *places, uint32_t block, uint32_t first, uint32_t inst)
{
	const struct hd_flow *flow = places->flow;
	uint32_t end = inst + 1, begin = first, best = HD_NO_NODE;
	int64_t left = places->every - stretch_of(places, inst).until, half = places->every / 2;
	struct reach reach = {{0, HD_NO_STRETCH, 0, HD_NO_STRETCH}, left, half < left ? half : left};
	for (uint32_t at = block;; at = flow->idom[at]) {
		if (at != block) {
			end = flow->blocks[at].first + flow->blocks[at].count;
			begin = behind_last_point(places, at);
		}
		if (in_innermost(places, at) || flow->loops.loop_of[at] != flow->loops.loop_of[block])
			break;
		best = better(places, best, best_at_end(places, begin, end, inst, &reach));
		if (gone_by(&reach) >= reach.most || begin != flow->blocks[at].first || at == flow->idom[at] ||
		    places->moved[block])
			break;
	}
	places->moved[block] = true;
	return best;
}

/* Returns the block in which a point was placed above this one, or HD_NO_NODE when the block is done. */
static uint32_t walk_block(struct places *places, uint32_t block)
{
	const struct hd_flow *flow = places->flow;
	uint32_t first = flow->blocks[block].first;
	int64_t since = since_at_start(places, block);
	bool fixed = in_innermost(places, block);
	for (uint32_t i = first; i <= hd_flow_last(flow, block); i++) {
		struct hd_stretch one = stretch_of(places, i);
		if (!fixed && !places->point[i] && since && since + one.until > places->every) {
			uint32_t at = choose(places, block, first, i);
			place(places, at, HD_NO_NODE);
			if (flow->block_of[at] != block)
				return flow->block_of[at];
			since = count_between(places, at, i);
			first = at + 1;
		}
		if (places->point[i]) {
			since = 0;
			first = i + 1;
		}
		if (one.through == HD_NO_STRETCH)
			first = i + 1;
		since = hd_stretch_after(&one, since);
	}
	places->since[block] = since;
	return HD_NO_NODE;
}

/* In reverse post-order; what goes back along a cycle is that of the walk before, where it counts. */
static void place_outside(struct places *places)
{
	const struct hd_flow *flow = places->flow;
	for (uint32_t i = 0; i < flow->rpo_count; i++) {
		uint32_t again = walk_block(places, flow->rpo[i]);
		if (again == HD_NO_NODE)
			continue;
		for (uint32_t k = flow->position[again]; k <= i; k++)
			places->since[flow->rpo[k]] = 0;
		i = flow->position[again] - 1;
	}
}

/* ---- outer loops that go round beside their inner ones */

/* Blocks that a warp cannot pass without passing a point. */
static bool *find_cuts(const struct places *places, struct hd_arena *arena)
{
	const struct hd_flow *flow = places->flow;
	bool *cut = HD_ARENA_NEW(arena, bool, flow->block_count);
	for (uint32_t i = 0; i < flow->function->inst_count; i++)
		cut[flow->block_of[i]] |= places->point[i] || is_cut(places, i);
	return cut;
}

/* Whether the header comes back to itself through blocks of the loop that are not cut. `seen` has the loop's id + 1. */
static bool goes_round(const struct places *places, uint32_t index, const bool *cut, uint32_t *seen, uint32_t *stack)
{
	const struct hd_flow *flow = places->flow;
	uint32_t header = flow->loops.loops[index].header, count = 0;
	if (cut[header])
		return false;
	stack[count++] = header;
	while (count) {
		uint32_t block = stack[--count];
		for (uint32_t e = flow->graph.succ_start[block]; e < flow->graph.succ_start[block + 1]; e++) {
			uint32_t to = flow->graph.succ[e];
			if (to == header)
				return true;
			if (cut[to] || seen[to] == index + 1 || !hd_flow_in_loop(flow, to, index))
				continue;
			seen[to] = index + 1;
			stack[count++] = to;
		}
	}
	return false;
}

/* The place for the point, or HD_NO_NODE. */
static uint32_t choose_beside(const struct places *places, uint32_t index)
{
	const struct hd_flow *flow = places->flow;
	const struct hd_loop *loop = &flow->loops.loops[index];
	uint32_t best = HD_NO_NODE;
	bool waits = false;
	for (uint32_t n = 0; n < loop->node_count; n++) {
		uint32_t block = loop->nodes[n], first = flow->blocks[block].first, last = hd_flow_last(flow, block);
		for (uint32_t i = first; i <= last; i++)
			waits |= is_barrier(places, i) && !places->point[i];
		waits |= places->waits[block];
		if (flow->loops.loop_of[block] == index && is_on_every_way(flow, loop, block))
			best = better(places, best, best_between(places, first, last + 1, false));
	}
	return best != HD_NO_NODE && waits && !is_barrier(places, best) ? HD_NO_NODE : best;
}

/* Inner loops first: a point in one may cut the outer. */
static void place_beside(struct places *places, struct hd_arena *arena)
{
	const struct hd_flow *flow = places->flow;
	bool *cut = find_cuts(places, arena);
	uint32_t *seen = HD_ARENA_NEW(arena, uint32_t, flow->block_count);
	uint32_t *stack = HD_ARENA_NEW(arena, uint32_t, flow->block_count + 1);
	for (uint32_t l = flow->loops.count; l-- > 0;) {
		if (places->innermost[l] || !goes_round(places, l, cut, seen, stack))
			continue;
		uint32_t at = choose_beside(places, l);
		if (at == HD_NO_NODE)
			continue;
		place(places, at, l);
		cut[flow->block_of[at]] = true;
	}
}

/* ---- round the outer loops */

/* Headers that nothing comes back to without having passed a point. Where control may enter elsewhere nobody knows. */
static void find_turns(struct places *places, struct hd_arena *arena)
{
	const struct hd_flow *flow = places->flow;
	bool *cut = find_cuts(places, arena);
	uint32_t *seen = HD_ARENA_NEW(arena, uint32_t, flow->block_count);
	uint32_t *stack = HD_ARENA_NEW(arena, uint32_t, flow->block_count + 1);
	for (uint32_t l = 0; l < flow->loops.count; l++)
		places->turns[flow->loops.loops[l].header] =
			!flow->loops.loops[l].irreducible && !goes_round(places, l, cut, seen, stack);
}

/*
 * What has gone by since the last point of an iteration counts in the next one. Since every way round passes a point,
 * the counts settle: a walk more for each loop inside another.
 */
static void place_round(struct places *places, struct hd_arena *arena)
{
	uint32_t count = places->flow->block_count;
	int64_t *before = HD_ARENA_NEW(arena, int64_t, count);
	find_turns(places, arena);
	do {
		memcpy(before, places->since, count * sizeof(*before));
		place_outside(places);
	} while (memcmp(before, places->since, count * sizeof(*before)));
}

/* ---- results */

/* Fills in the live registers at the points and barriers of one block, the last ones of the lists, walking from its
 * end. */
static void measure_block(const struct places *places, uint32_t block, const struct hd_preempt *preempt)
{
	const struct hd_flow *flow = places->flow;
	struct hd_point *point = preempt->points + preempt->point_count;
	struct hd_barrier *barrier = preempt->barriers + preempt->barrier_count;
	struct hd_regset live = flow->live_out[block];
	for (uint32_t i = hd_flow_last(flow, block) + 1; i-- > flow->blocks[block].first;) {
		struct hd_regset after = live;
		hd_flow_live_before(flow, i, &live);
		if (is_barrier(places, i))
			(--barrier)->live = live;
		if (!places->point[i])
			continue;
		(--point)->live = live;
		point->live_divergent = hd_liveness_diverged_before(places->liveness, i, &live, &after);
	}
}

static void list_points(const struct places *places, struct hd_preempt *preempt, struct hd_arena *arena)
{
	const struct hd_flow *flow = places->flow;
	uint32_t count = flow->function->inst_count;
	for (uint32_t i = 0; i < count; i++) {
		preempt->point_count += places->point[i];
		preempt->barrier_count += is_barrier(places, i);
	}
	preempt->points = HD_ARENA_NEW(arena, struct hd_point, preempt->point_count);
	preempt->barriers = HD_ARENA_NEW(arena, struct hd_barrier, preempt->barrier_count);
	preempt->point_count = preempt->barrier_count = 0;
	for (uint32_t b = 0; b < flow->block_count; b++) {
		uint32_t before = preempt->point_count + preempt->barrier_count;
		for (uint32_t i = flow->blocks[b].first; i <= hd_flow_last(flow, b); i++) {
			enum hd_preempt_kind kind = is_barrier(places, i) ? HD_PREEMPT_BAR : HD_PREEMPT_PP;
			if (places->point[i])
				preempt->points[preempt->point_count++] =
					(struct hd_point){.inst = i, .kind = kind, .loop = places->loop_at[i]};
			if (kind == HD_PREEMPT_BAR)
				preempt->barriers[preempt->barrier_count++].inst = i;
		}
		if (preempt->point_count + preempt->barrier_count > before)
			measure_block(places, b, preempt);
	}
}

static void find_patterns(struct hd_preempt *preempt, struct hd_arena *scratch, struct hd_arena *arena)
{
	struct hd_patterns patterns;
	struct hd_pattern_cursor cursor;
	if (!preempt->point_count)
		return;
	hd_patterns_compute(&patterns, preempt->liveness, scratch);
	hd_pattern_cursor_init(&cursor, &patterns, scratch);
	for (uint32_t i = 0; i < preempt->point_count; i++) {
		struct hd_point *point = &preempt->points[i];
		/* Warps are at one point of the program only at a barrier. */
		point->patterns = hd_pattern_cursor_list(&cursor, point->inst, &point->live_divergent,
							 point->kind == HD_PREEMPT_BAR, &point->pattern_count, arena);
	}
}

static void place_all(struct places *places, struct hd_arena *scratch)
{
	for (uint32_t l = 0; l < places->flow->loops.count; l++)
		if (places->innermost[l])
			place_in_loop(places, l);
	place_for_callers(places);
	place_outside(places);
	place_beside(places, scratch);
	place_round(places, scratch);
}

void hd_preempt_compute(struct hd_preempt *preempt, const struct hd_liveness *liveness, uint32_t every,
			const struct hd_preempt_callees *callees, struct hd_arena *arena)
{
	const struct hd_flow *flow = liveness->flow;
	uint32_t count = flow->function->inst_count;
	struct hd_arena scratch;
	struct places places = {.liveness = liveness, .flow = flow, .callees = callees, .every = every};
	*preempt = (struct hd_preempt){.liveness = liveness};
	hd_arena_init(&scratch);
	places.point = HD_ARENA_NEW(&scratch, bool, count);
	places.loop_at = HD_ARENA_NEW(&scratch, uint32_t, count);
	places.innermost = HD_ARENA_NEW(&scratch, bool, flow->loops.count);
	places.since = HD_ARENA_NEW(&scratch, int64_t, flow->block_count);
	places.moved = HD_ARENA_NEW(&scratch, bool, flow->block_count);
	places.waits = HD_ARENA_NEW(&scratch, bool, flow->block_count);
	places.turns = HD_ARENA_NEW(&scratch, bool, flow->block_count);
	find_waiting_calls(&places);
	find_innermost(&places);
	if (!flow->function->helper)
		place_all(&places, &scratch);
	list_points(&places, preempt, arena);
	find_patterns(preempt, &scratch, arena);
	hd_arena_release(&scratch);
	preempt->drain = hd_drain_compute(preempt, callees);
}
