/*
 * The solver: a worklist of positions in reverse post-order, in a bit set, swept upwards again and again until it is
 * empty. Costs (nodes + edges) x words for each sweep.
 */
#include "passes/graph/dataflow.h"

#include <string.h>

static uint64_t *new_rows(const struct hd_dataflow *flow, size_t count)
{
	return HD_ARENA_NEW(flow->arena, uint64_t, count * flow->words);
}

void hd_dataflow_init(struct hd_dataflow *flow, const struct hd_graph *graph, uint32_t bits, bool backward, bool must,
		      struct hd_arena *arena)
{
	*flow = (struct hd_dataflow){.graph = graph, .backward = backward, .must = must, .bits = bits, .arena = arena};
	flow->words = hd_bitset_words(bits);
	flow->adds = new_rows(flow, graph->nodes);
	flow->ends = new_rows(flow, graph->nodes);
	flow->boundary = new_rows(flow, 1);
	flow->before = new_rows(flow, graph->nodes);
	flow->after = new_rows(flow, graph->nodes);
}

static void fill(const struct hd_dataflow *flow, uint64_t *row)
{
	memset(row, 0xff, flow->words * sizeof(*row));
	if (flow->bits % 64)
		row[flow->words - 1] = (UINT64_C(1) << flow->bits % 64) - 1;
}

void hd_dataflow_take(struct hd_dataflow *flow, hd_dataflow_step step, void *context)
{
	for (uint32_t node = 0; node < flow->graph->nodes; node++) {
		struct hd_bitset adds = hd_dataflow_row(flow, flow->adds, node);
		struct hd_bitset ends = hd_dataflow_row(flow, flow->ends, node);
		hd_bitset_clear(&adds);
		step(context, node, &adds);
		fill(flow, ends.words);
		step(context, node, &ends);
		for (uint32_t w = 0; w < flow->words; w++)
			ends.words[w] = ~ends.words[w];
	}
}

/* The nodes as sets flow through them: those that the entry reaches in reverse post-order, then the others. */
static uint32_t *flow_order(const struct hd_dataflow *flow, uint32_t **position)
{
	uint32_t nodes = flow->graph->nodes, count = flow->rpo_count, *order;
	if (flow->rpo) {
		order = HD_ARENA_NEW(flow->arena, uint32_t, nodes);
		memcpy(order, flow->rpo, count * sizeof(*order));
	} else {
		count = hd_graph_rpo(flow->graph, flow->arena, &order);
	}
	*position = HD_ARENA_NEW(flow->arena, uint32_t, nodes);
	for (uint32_t n = 0; n < nodes; n++)
		(*position)[n] = HD_NO_NODE;
	for (uint32_t i = 0; i < count; i++)
		(*position)[order[i]] = i;
	for (uint32_t n = 0; n < nodes; n++)
		if ((*position)[n] == HD_NO_NODE)
			order[count++] = n;
	for (uint32_t i = 0; flow->backward && i < nodes / 2; i++) {
		uint32_t node = order[i];
		order[i] = order[nodes - 1 - i];
		order[nodes - 1 - i] = node;
	}
	for (uint32_t i = 0; i < nodes; i++)
		(*position)[order[i]] = i;
	return order;
}

/* What comes in at a node from outside of the graph, or from nowhere. */
static void start_row(const struct hd_dataflow *flow, uint32_t node, uint64_t *row)
{
	const struct hd_graph *graph = flow->graph;
	bool at_boundary =
		flow->backward ? graph->succ_start[node] == graph->succ_start[node + 1] : node == graph->entry;
	if (flow->must && !at_boundary) {
		fill(flow, row);
		return;
	}
	for (uint32_t w = 0; w < flow->words; w++)
		row[w] = at_boundary ? flow->boundary[w] : 0;
}

/* Returns whether what leaves the node changed. */
static bool visit(const struct hd_dataflow *flow, uint32_t node)
{
	const struct hd_graph *graph = flow->graph;
	const uint32_t *start = flow->backward ? graph->succ_start : graph->pred_start;
	const uint32_t *source = flow->backward ? graph->succ : graph->pred;
	uint64_t *leaving = flow->backward ? flow->before : flow->after, changed = 0;
	uint32_t words = flow->words;
	size_t row = (size_t)node * words;
	uint64_t *in = (flow->backward ? flow->after : flow->before) + row, *out = leaving + row;
	const uint64_t *adds = flow->adds + row, *ends = flow->ends + row;
	start_row(flow, node, in);
	for (uint32_t e = start[node]; e < start[node + 1]; e++) {
		const uint64_t *from = leaving + (size_t)source[e] * words;
		if (flow->must)
			for (uint32_t w = 0; w < words; w++)
				in[w] &= from[w];
		else
			for (uint32_t w = 0; w < words; w++)
				in[w] |= from[w];
	}
	for (uint32_t w = 0; w < words; w++) {
		uint64_t now = adds[w] | (in[w] & ~ends[w]);
		changed |= now ^ out[w];
		out[w] = now;
	}
	return changed;
}

void hd_dataflow_solve(struct hd_dataflow *flow)
{
	const struct hd_graph *graph = flow->graph;
	const uint32_t *start = flow->backward ? graph->pred_start : graph->succ_start;
	const uint32_t *target = flow->backward ? graph->pred : graph->succ;
	uint64_t *leaving = flow->backward ? flow->before : flow->after;
	uint32_t nodes = graph->nodes, *position, *order = flow_order(flow, &position);
	struct hd_bitset due = hd_bitset_new(flow->arena, nodes);
	memset(leaving, 0, (size_t)nodes * flow->words * sizeof(*leaving));
	for (uint32_t n = 0; n < nodes; n++) {
		hd_bitset_add(&due, n);
		if (flow->must)
			fill(flow, leaving + (size_t)n * flow->words);
	}
	for (uint32_t at = 0; at < nodes;) {
		uint32_t node = order[at];
		hd_bitset_remove(&due, at);
		if (visit(flow, node))
			for (uint32_t e = start[node]; e < start[node + 1]; e++)
				hd_bitset_add(&due, position[target[e]]);
		at = hd_bitset_next(&due, at);
		at = at < nodes ? at : hd_bitset_next(&due, 0);
	}
}
