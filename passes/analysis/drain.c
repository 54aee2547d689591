/*
 * Drain distance: how many instructions a warp may still execute before it comes to a preemption
 * point (gpu-multiprogramming-lin, 2.4.1 and the draining latency of 2.5.3). The longest path
 * through the code with points, and calls that cannot but pass one, cut out. A cycle that
 * remains has no bound: it counts once, and the result says so. Linear in the code.
 *
 * Blocks and calls are steps in max-plus arithmetic (struct hd_stretch). The choice of points counts calls with the
 * same steps (preempt.c).
 */
#include "passes/analysis/preempt.h"

#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

#define NONE HD_NO_STRETCH

struct walk {
	const struct hd_preempt *preempt;
	const struct hd_flow *flow;
	const struct hd_preempt_callees *callees;
	struct hd_stretch *steps; /* of each block */
	int64_t *entry, *point;	  /* at each block's start: longest point-free path from the entry, and from a point */
	uint32_t *waits_for;	  /* blocks before it that are still to be done */
	bool *done;
	struct hd_drain drain;
};

static int64_t plus(int64_t a, int64_t b)
{
	return a == NONE || b == NONE ? NONE : a + b;
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t or_none(int64_t distance)
{
	return distance < 0 ? NONE : distance;
}

/* All callees together; what is not known of them is an instruction without a bound. */
static struct hd_stretch call_stretch(const struct hd_preempt_callees *callees, const struct hd_call_site *site,
				      bool *bounded)
{
	struct hd_stretch step = {NONE, NONE, NONE, NONE};
	for (uint32_t c = 0; c < site->callee_count; c++) {
		const struct hd_drain *callee = &callees->drains[site->callees[c]];
		step.through = most(step.through, plus(1, or_none(callee->through)));
		step.since = most(step.since, or_none(callee->from_point));
		step.until = most(step.until, plus(1, or_none(callee->to_point)));
		step.inside = most(step.inside, callee->worst);
		*bounded &= callee->bounded;
	}
	if (site->unknown || site->recursive || !site->callee_count) {
		step.through = most(step.through, 1);
		step.until = most(step.until, 1);
		*bounded = false;
	}
	return step;
}

static const struct hd_call_site *site_at(const struct hd_preempt_callees *callees, uint32_t inst)
{
	uint32_t at, count = callees ? callees->site_count : 0;
	HD_BISECT(at, 0, count, callees->sites[at].inst < inst);
	return at < count && callees->sites[at].inst == inst ? &callees->sites[at] : NULL;
}

struct hd_stretch hd_stretch_of(const struct hd_preempt_callees *callees, uint32_t inst, bool *bounded)
{
	const struct hd_call_site *site = site_at(callees, inst);
	return site ? call_stretch(callees, site, bounded) : (struct hd_stretch){1, NONE, 1, NONE};
}

int64_t hd_stretch_after(const struct hd_stretch *stretch, int64_t since)
{
	return most(plus(since, stretch->through), stretch->since);
}

void hd_stretch_append(struct hd_stretch *stretch, const struct hd_stretch *next)
{
	stretch->inside = most(most(stretch->inside, next->inside), plus(stretch->since, next->until));
	stretch->until = most(stretch->until, plus(stretch->through, next->until));
	stretch->since = hd_stretch_after(next, stretch->since);
	stretch->through = plus(stretch->through, next->through);
}

static struct hd_stretch block_step(struct walk *walk, uint32_t block, uint32_t *next_point)
{
	static const struct hd_stretch stop = {NONE, 0, 0, NONE};
	const struct hd_preempt *preempt = walk->preempt;
	struct hd_stretch step = {0, NONE, 0, NONE};
	for (uint32_t i = walk->flow->blocks[block].first; i <= hd_flow_last(walk->flow, block); i++) {
		struct hd_stretch one = hd_stretch_of(walk->callees, i, &walk->drain.bounded);
		if (*next_point < preempt->point_count && preempt->points[*next_point].inst == i) {
			hd_stretch_append(&step, &stop);
			++*next_point;
		}
		hd_stretch_append(&step, &one);
	}
	return step;
}

static void finish(struct walk *walk, uint32_t block, uint32_t *queue, uint32_t *queued)
{
	const struct hd_graph *graph = &walk->flow->graph;
	const struct hd_stretch *step = &walk->steps[block];
	struct hd_drain *drain = &walk->drain;
	int64_t entry = walk->entry[block], point = walk->point[block];
	int64_t entry_out = plus(entry, step->through), point_out = most(plus(point, step->through), step->since);
	walk->done[block] = true;
	drain->to_point = most(drain->to_point, plus(entry, step->until));
	drain->worst = most(drain->worst, most(plus(most(entry, point), step->until), step->inside));
	drain->worst = most(drain->worst, most(entry_out, point_out));
	if (hd_opinfo[walk->flow->function->insts[hd_flow_last(walk->flow, block)].op].effects & HD_FX_RET) {
		drain->through = most(drain->through, entry_out);
		drain->from_point = most(drain->from_point, point_out);
	}
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
		uint32_t to = graph->succ[e];
		if (walk->done[to])
			continue;
		walk->entry[to] = most(walk->entry[to], entry_out);
		walk->point[to] = most(walk->point[to], point_out);
		if (step->through != NONE && --walk->waits_for[to] == 0)
			queue[(*queued)++] = to;
	}
}

/* What comes out of a block with a point does not depend on what goes in: its successors need not wait for it. */
static void start_cut_blocks(struct walk *walk)
{
	const struct hd_graph *graph = &walk->flow->graph;
	for (uint32_t i = 0; i < walk->flow->rpo_count; i++) {
		uint32_t block = walk->flow->rpo[i];
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
			uint32_t to = graph->succ[e];
			if (walk->steps[block].through == NONE)
				walk->point[to] = most(walk->point[to], walk->steps[block].since);
			else
				walk->waits_for[to]++;
		}
	}
}

static void walk_blocks(struct walk *walk)
{
	uint32_t count = walk->flow->rpo_count, *queue = hd_xcalloc(count + 1, sizeof(*queue)), queued = 0;
	walk->entry[0] = 0;
	start_cut_blocks(walk);
	for (uint32_t i = 0; i < count; i++)
		if (!walk->waits_for[walk->flow->rpo[i]])
			queue[queued++] = walk->flow->rpo[i];
	for (uint32_t i = 0; i < queued; i++)
		finish(walk, queue[i], queue, &queued);
	/* What is left is in a cycle without a point, or behind one. */
	walk->drain.bounded &= queued == count;
	for (uint32_t i = 0; i < count; i++)
		if (!walk->done[walk->flow->rpo[i]])
			finish(walk, walk->flow->rpo[i], queue, &(uint32_t){0});
	free(queue);
}

struct hd_drain hd_drain_compute(const struct hd_preempt *preempt, const struct hd_preempt_callees *callees)
{
	const struct hd_flow *flow = preempt->liveness->flow;
	struct walk walk = {.preempt = preempt, .flow = flow, .callees = callees};
	uint32_t next_point = 0;
	struct hd_arena arena;
	walk.drain = (struct hd_drain){.worst = 0, .through = -1, .to_point = 0, .from_point = -1, .bounded = true};
	if (!flow->block_count)
		return walk.drain;
	hd_arena_init(&arena);
	walk.steps = HD_ARENA_NEW(&arena, struct hd_stretch, flow->block_count);
	walk.entry = HD_ARENA_NEW(&arena, int64_t, flow->block_count);
	walk.point = HD_ARENA_NEW(&arena, int64_t, flow->block_count);
	walk.waits_for = HD_ARENA_NEW(&arena, uint32_t, flow->block_count);
	walk.done = HD_ARENA_NEW(&arena, bool, flow->block_count);
	for (uint32_t b = 0; b < flow->block_count; b++) {
		walk.entry[b] = walk.point[b] = NONE;
		walk.steps[b] = block_step(&walk, b, &next_point);
	}
	walk_blocks(&walk);
	hd_arena_release(&arena);
	return walk.drain;
}
