/*
 * Estimated block frequencies (Wu and Larus, MICRO-27): each branch gets a probability, loops
 * are taken from the inside out for the probability that an iteration follows another, and then
 * frequencies flow from the entry in reverse post-order. Costs blocks x loop depth.
 *
 * Heuristics: a branch that may leave a loop stays in it nine times of ten, so that a counted
 * loop runs ten times; paths that trap are not taken; all else is even.
 */
#include "heddle/opcodes.h"
#include "passes/analysis/flow.h"

#include <string.h>

#define STAY 0.9	  /* a branch out of a loop: probability of staying */
#define TRAP 1e-4	  /* probability of a path that stops the kernel */
#define MOST_TRIPS 1000.0 /* bound on iterations estimated for one entry of a loop */

struct estimate {
	struct hd_flow *flow;
	double *probability; /* of each edge, in the order of graph.pred */
	double *trips;	     /* of each loop: iterations for one entry */
	double *flowing;     /* scratch: of each block */
};

/* The block cannot but trap. */
static bool traps(const struct hd_flow *flow, uint32_t block)
{
	const struct hd_inst *last = &flow->function->insts[hd_flow_last(flow, block)];
	return last->op == HD_OP_TRAP && last->guard == HD_PT;
}

/* Weight of an edge beside the others of its block. */
static double weight_of(const struct hd_flow *flow, uint32_t from, uint32_t to)
{
	uint32_t loop = flow->loops.loop_of[from];
	if (traps(flow, to))
		return TRAP;
	return loop != HD_NO_NODE && !hd_flow_in_loop(flow, to, loop) ? 1 - STAY : STAY;
}

/* Edges come in order of their first block in graph.succ and in each row of graph.pred alike. */
static void weigh_edges(struct estimate *estimate, struct hd_arena *arena)
{
	const struct hd_flow *flow = estimate->flow;
	const struct hd_graph *graph = &flow->graph;
	uint32_t *next = HD_ARENA_NEW(arena, uint32_t, graph->nodes);
	if (graph->nodes)
		memcpy(next, graph->pred_start, sizeof(*next) * graph->nodes);
	for (uint32_t b = 0; b < graph->nodes; b++) {
		double sum = 0;
		for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
			sum += weight_of(flow, b, graph->succ[e]);
		for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
			estimate->probability[next[graph->succ[e]]++] = weight_of(flow, b, graph->succ[e]) / sum;
	}
}

/* Flow along the edges into `block` that go on in reverse post-order, or along those that go back. */
static double arriving(const struct estimate *estimate, uint32_t block, bool back)
{
	const struct hd_flow *flow = estimate->flow;
	const struct hd_graph *graph = &flow->graph;
	double sum = 0;
	for (uint32_t p = graph->pred_start[block]; p < graph->pred_start[block + 1]; p++) {
		uint32_t from = graph->pred[p];
		if (flow->position[from] == HD_NO_NODE || (flow->position[from] >= flow->position[block]) != back)
			continue;
		sum += estimate->flowing[from] * estimate->probability[p];
	}
	return sum;
}

/* Iterations for one entry of the loop that `block` heads; 1 when it heads none, or `self`. */
static double trips_at(const struct estimate *estimate, uint32_t block, uint32_t self)
{
	const struct hd_loops *loops = &estimate->flow->loops;
	uint32_t loop = loops->loop_of[block];
	return loop != HD_NO_NODE && loop != self && loops->loops[loop].header == block ? estimate->trips[loop] : 1;
}

static void clear(struct estimate *estimate, const struct hd_loop *loop)
{
	for (uint32_t i = 0; i < loop->node_count; i++)
		estimate->flowing[loop->nodes[i]] = 0;
}

/* Blocks outside flow nothing while this is worked out, nor do they see this loop's share. */
static void estimate_trips(struct estimate *estimate, uint32_t index)
{
	const struct hd_loop *loop = &estimate->flow->loops.loops[index];
	estimate->flowing[loop->header] = 1;
	for (uint32_t i = 1; i < loop->node_count; i++) {
		uint32_t block = loop->nodes[i];
		estimate->flowing[block] = arriving(estimate, block, false) * trips_at(estimate, block, index);
	}
	double back = arriving(estimate, loop->header, true);
	estimate->trips[index] = back < 1 - 1 / MOST_TRIPS ? 1 / (1 - back) : MOST_TRIPS;
	clear(estimate, loop);
}

void hd_flow_estimate(struct hd_flow *flow, struct hd_arena *arena)
{
	struct estimate estimate = {.flow = flow};
	estimate.probability = HD_ARENA_NEW(arena, double, flow->graph.edges);
	estimate.trips = HD_ARENA_NEW(arena, double, flow->loops.count);
	estimate.flowing = HD_ARENA_NEW(arena, double, flow->block_count);
	weigh_edges(&estimate, arena);
	for (uint32_t l = flow->loops.count; l-- > 0;)
		estimate_trips(&estimate, l);
	for (uint32_t i = 0; i < flow->rpo_count; i++) {
		uint32_t block = flow->rpo[i];
		double once = i ? arriving(&estimate, block, false) : 1;
		estimate.flowing[block] = once * trips_at(&estimate, block, HD_NO_NODE);
		flow->blocks[block].frequency = estimate.flowing[block];
	}
}

void hd_flow_probabilities(const struct hd_flow *flow, double *probability)
{
	const struct hd_graph *graph = &flow->graph;
	for (uint32_t b = 0; b < graph->nodes; b++) {
		double sum = 0;
		for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
			sum += probability[e] = weight_of(flow, b, graph->succ[e]);
		for (uint32_t e = graph->succ_start[b]; e < graph->succ_start[b + 1]; e++)
			probability[e] /= sum;
	}
}
