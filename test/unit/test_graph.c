/*
 * LINK: passes
 * Graph algorithms: hand-made graphs with known answers, and random graphs against the definitions,
 * worked out by brute force over reachability.
 */
#include "harness.h"

#include <string.h>

#include "passes/graph/graph.h"
#include "random_graph.h"

enum { MAX_NODES = RANDOM_GRAPH_NODES, MAX_EDGES = 3 * MAX_NODES, TRIALS = 4000 };

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

/* A set of nodes is a bit mask. Nodes reachable from `from` through nodes of `inside` (which need not hold `from`). */
static uint32_t reach(const struct hd_graph *graph, uint32_t from, uint32_t inside)
{
	uint32_t seen = 1u << from, before;
	do {
		before = seen;
		for (uint32_t n = 0; n < graph->nodes; n++)
			for (uint32_t e = graph->succ_start[n]; seen >> n & 1 && e < graph->succ_start[n + 1]; e++)
				seen |= 1u << graph->succ[e] & inside;
	} while (seen != before);
	return seen;
}

static uint32_t all(const struct hd_graph *graph)
{
	return (1u << graph->nodes) - 1;
}

static struct hd_graph reversed(const struct hd_graph *graph)
{
	struct hd_graph copy = *graph;
	copy.succ_start = graph->pred_start;
	copy.succ = graph->pred;
	copy.pred_start = graph->succ_start;
	copy.pred = graph->succ;
	return copy;
}

START_TEST(rows_keep_the_order_of_the_list)
{
	static const struct hd_edge edges[] = {{0, 2}, {1, 2}, {0, 1}, {0, 2}, {2, 0}};
	static const uint32_t succ[] = {2, 1, 2, 2, 0}, pred[] = {2, 0, 0, 1, 0};
	struct hd_graph graph;
	hd_graph_build(&graph, &arena, 3, 0, edges, 5);
	ck_assert_mem_eq(graph.succ, succ, sizeof(succ));
	ck_assert_mem_eq(graph.pred, pred, sizeof(pred));
	ck_assert_uint_eq(graph.succ_start[1], 3);
	ck_assert_uint_eq(graph.pred_start[2], 2);
	ck_assert_uint_eq(graph.pred_start[3], 5);
}
END_TEST

START_TEST(an_empty_graph_has_empty_answers)
{
	struct hd_graph graph;
	struct hd_loops loops;
	uint32_t *array;
	hd_graph_build(&graph, &arena, 0, 0, NULL, 0);
	ck_assert_uint_eq(hd_graph_rpo(&graph, &arena, &array), 0);
	ck_assert_uint_eq(hd_graph_components(&graph, &arena, &array), 0);
	hd_graph_loops(&graph, hd_graph_dominators(&graph, &arena), &arena, &loops);
	ck_assert_uint_eq(loops.count, 0);
	hd_graph_post_dominators(&graph, &arena);
}
END_TEST

START_TEST(a_loop_nest_is_found)
{
	/* 0 -> 1 { 2 { 3 } 4 } 5: the inner loop is 2-3, the outer 1-4. */
	static const struct hd_edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {3, 2}, {3, 4}, {4, 1}, {4, 5}};
	static const uint32_t idom[] = {0, 0, 1, 2, 3, 4}, post[] = {1, 2, 3, 4, 5, HD_NO_NODE};
	struct hd_graph graph;
	struct hd_loops loops;
	hd_graph_build(&graph, &arena, 6, 0, edges, 7);
	uint32_t *dominators = hd_graph_dominators(&graph, &arena);
	ck_assert_mem_eq(dominators, idom, sizeof(idom));
	ck_assert_mem_eq(hd_graph_post_dominators(&graph, &arena), post, sizeof(post));
	hd_graph_loops(&graph, dominators, &arena, &loops);
	ck_assert_uint_eq(loops.count, 2);
	ck_assert_uint_eq(loops.loops[0].header, 1);
	ck_assert_uint_eq(loops.loops[0].node_count, 4);
	ck_assert_uint_eq(loops.loops[1].header, 2);
	ck_assert_uint_eq(loops.loops[1].parent, 0);
	ck_assert_uint_eq(loops.loops[1].depth, 2);
	ck_assert_uint_eq(loops.loop_of[3], 1);
	ck_assert_uint_eq(loops.loop_of[4], 0);
	ck_assert_uint_eq(loops.loop_of[5], HD_NO_NODE);
	ck_assert(!loops.loops[0].irreducible && !loops.loops[1].irreducible);
}
END_TEST

START_TEST(a_cycle_with_two_entries_is_irreducible)
{
	static const struct hd_edge edges[] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}};
	struct hd_graph graph;
	struct hd_loops loops;
	hd_graph_build(&graph, &arena, 3, 0, edges, 4);
	hd_graph_loops(&graph, hd_graph_dominators(&graph, &arena), &arena, &loops);
	ck_assert_uint_eq(loops.count, 1);
	ck_assert(loops.loops[0].irreducible);
	ck_assert_uint_eq(loops.loops[0].node_count, 2);
}
END_TEST

START_TEST(an_endless_loop_has_post_dominators)
{
	/* A diamond inside `for (;;)`: both arms reconverge at the latch. */
	static const struct hd_edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}};
	static const uint32_t post[] = {1, 4, 4, 4, HD_NO_NODE};
	struct hd_graph graph;
	hd_graph_build(&graph, &arena, 5, 0, edges, 6);
	ck_assert_mem_eq(hd_graph_post_dominators(&graph, &arena), post, sizeof(post));
}
END_TEST

START_TEST(reverse_post_order_is_a_depth_first_order)
{
	uint64_t seed = 1;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct hd_graph graph = random_graph(&seed, false, &arena);
		uint32_t *rpo, count = hd_graph_rpo(&graph, &arena, &rpo), seen = 0, position[MAX_NODES];
		for (uint32_t i = 0; i < count; i++) {
			seen |= 1u << rpo[i];
			position[rpo[i]] = i;
		}
		ck_assert_uint_eq(rpo[0], 0);
		ck_assert_uint_eq(seen, reach(&graph, 0, all(&graph)));
		ck_assert_uint_eq((uint32_t)__builtin_popcount(seen), count);
		/* An edge that goes backwards stays inside a cycle. */
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t e = graph.succ_start[rpo[i]]; e < graph.succ_start[rpo[i] + 1]; e++)
				if (position[graph.succ[e]] <= i)
					ck_assert(reach(&graph, graph.succ[e], all(&graph)) >> rpo[i] & 1);
	}
}
END_TEST

/* Whether every path from `root` to `node` passes `by`. */
static bool cuts(const struct hd_graph *graph, uint32_t root, uint32_t by, uint32_t node)
{
	return by == root || by == node || !(reach(graph, root, all(graph) & ~(1u << by)) >> node & 1);
}

START_TEST(dominators_match_their_definition)
{
	uint64_t seed = 2;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct hd_graph graph = random_graph(&seed, false, &arena);
		uint32_t *idom = hd_graph_dominators(&graph, &arena), reachable = reach(&graph, 0, all(&graph));
		uint32_t *depth = hd_dominator_depths(idom, graph.nodes, &arena);
		struct hd_below *walk = hd_dominator_walk(idom, graph.nodes, &arena);
		for (uint32_t b = 0; b < graph.nodes; b++) {
			for (uint32_t a = 0; a < graph.nodes; a++)
				ck_assert_int_eq(hd_is_below(walk, a, b), hd_dominates(idom, depth, a, b));
			ck_assert_int_eq(idom[b] != HD_NO_NODE, reachable >> b & 1);
			for (uint32_t a = 0; reachable >> b & 1 && a < graph.nodes; a++)
				if (reachable >> a & 1)
					ck_assert_int_eq(hd_dominates(idom, depth, a, b), cuts(&graph, 0, a, b));
		}
	}
}
END_TEST

/* The graph with a virtual exit as its last node: exits, and each endless region's node without a post-dominator
 * inside. */
static struct hd_graph with_exit(const struct hd_graph *graph, const uint32_t *post)
{
	struct hd_edge edges[MAX_EDGES + MAX_NODES];
	uint32_t count = 0;
	struct hd_graph result;
	for (uint32_t n = 0; n < graph->nodes; n++) {
		uint32_t component = reach(graph, n, all(graph));
		for (uint32_t e = graph->succ_start[n]; e < graph->succ_start[n + 1]; e++)
			edges[count++] = (struct hd_edge){n, graph->succ[e]};
		bool sink = true;
		for (uint32_t m = 0; m < graph->nodes; m++)
			if (component >> m & 1)
				sink = sink && reach(graph, m, all(graph)) >> n & 1;
		if (sink && post[n] == HD_NO_NODE)
			edges[count++] = (struct hd_edge){n, graph->nodes};
	}
	hd_graph_build(&result, &arena, graph->nodes + 1, 0, edges, count);
	return result;
}

START_TEST(post_dominators_match_their_definition)
{
	uint64_t seed = 3;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct hd_graph graph = random_graph(&seed, false, &arena);
		uint32_t *post = hd_graph_post_dominators(&graph, &arena);
		struct hd_graph whole = with_exit(&graph, post), back = reversed(&whole);
		uint32_t exit = graph.nodes;
		/* One virtual edge for each region that nothing leaves, so everything reaches the exit. */
		ck_assert_uint_eq(reach(&back, exit, all(&back)), all(&back));
		for (uint32_t b = 0; b < graph.nodes; b++) {
			uint32_t strict = 0;
			for (uint32_t a = 0; a < graph.nodes; a++)
				if (a != b && cuts(&back, exit, a, b))
					strict |= 1u << a;
			if (!strict) {
				ck_assert_uint_eq(post[b], HD_NO_NODE);
				continue;
			}
			/* The immediate one is post-dominated by all the others. */
			ck_assert_uint_ne(post[b], HD_NO_NODE);
			ck_assert(strict >> post[b] & 1);
			for (uint32_t a = 0; a < graph.nodes; a++)
				if (strict >> a & 1)
					ck_assert(cuts(&back, exit, a, post[b]));
		}
	}
}
END_TEST

START_TEST(components_are_mutual_reachability_callees_first)
{
	uint64_t seed = 4;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct hd_graph graph = random_graph(&seed, false, &arena);
		uint32_t *component, count = hd_graph_components(&graph, &arena, &component);
		for (uint32_t a = 0; a < graph.nodes; a++) {
			uint32_t from_a = reach(&graph, a, all(&graph));
			ck_assert_uint_lt(component[a], count);
			for (uint32_t b = 0; b < graph.nodes; b++) {
				bool there = from_a >> b & 1, back = reach(&graph, b, all(&graph)) >> a & 1;
				ck_assert_int_eq(component[a] == component[b], there && back);
				ck_assert(!there || component[b] <= component[a]);
			}
		}
	}
}
END_TEST

/* The loops inside `inside` by the definition; returns how many. Each must be in `loops` with the parent given. */
static uint32_t check_region(const struct hd_graph *graph, const uint32_t *rpo, uint32_t count, uint32_t inside,
			     uint32_t parent, const struct hd_loops *loops)
{
	uint32_t found = 0, done = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t header = rpo[i], cycle = 0, entries = 0, index = 0;
		if (!(inside >> header & 1) || done >> header & 1)
			continue;
		for (uint32_t e = graph->succ_start[header]; e < graph->succ_start[header + 1]; e++)
			if (inside >> graph->succ[e] & 1)
				cycle |= reach(graph, graph->succ[e], inside);
		struct hd_graph back = reversed(graph);
		if (!(cycle >> header & 1)) {
			done |= 1u << header;
			continue;
		}
		cycle &= reach(&back, header, inside);
		done |= cycle;
		while (index < loops->count && loops->loops[index].header != header)
			index++;
		ck_assert_uint_lt(index, loops->count);
		const struct hd_loop *loop = &loops->loops[index];
		uint32_t nodes = 0;
		for (uint32_t k = 0; k < loop->node_count; k++)
			nodes |= 1u << loop->nodes[k];
		ck_assert_uint_eq(nodes, cycle);
		ck_assert_uint_eq(loop->parent, parent);
		ck_assert_uint_eq(loop->depth, parent == HD_NO_NODE ? 1 : loops->loops[parent].depth + 1);
		uint32_t reachable = reach(graph, rpo[0], all(graph));
		for (uint32_t n = 0; n < graph->nodes; n++)
			for (uint32_t e = graph->succ_start[n]; e < graph->succ_start[n + 1]; e++)
				if (reachable >> n & 1 && !(cycle >> n & 1))
					entries |= 1u << graph->succ[e] & cycle;
		ck_assert_int_eq(loop->irreducible, (entries & ~(1u << header)) != 0);
		found += 1 + check_region(graph, rpo, count, cycle & ~(1u << header), index, loops);
	}
	return found;
}

START_TEST(loops_match_their_definition)
{
	uint64_t seed = 5;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct hd_graph graph = random_graph(&seed, false, &arena);
		uint32_t *rpo, count = hd_graph_rpo(&graph, &arena, &rpo);
		struct hd_loops loops;
		hd_graph_loops(&graph, hd_graph_dominators(&graph, &arena), &arena, &loops);
		uint32_t reachable = reach(&graph, 0, all(&graph));
		ck_assert_uint_eq(check_region(&graph, rpo, count, reachable, HD_NO_NODE, &loops), loops.count);
		for (uint32_t n = 0; n < graph.nodes; n++) {
			uint32_t depth = 0, innermost = HD_NO_NODE;
			for (uint32_t i = 0; i < loops.count; i++)
				for (uint32_t k = 0; k < loops.loops[i].node_count; k++)
					if (loops.loops[i].nodes[k] == n && loops.loops[i].depth > depth) {
						depth = loops.loops[i].depth;
						innermost = i;
					}
			ck_assert_uint_eq(loops.loop_of[n], innermost);
		}
	}
}
END_TEST

/* A ladder with an early exit on each rung: quadratic for algorithms that walk the dominator tree at the exit. */
START_TEST(a_long_ladder_is_cheap)
{
	enum { RUNGS = 1000000 };
	struct hd_edge *edges = HD_ARENA_NEW(&arena, struct hd_edge, 2 * RUNGS);
	uint32_t count = 0;
	for (uint32_t n = 0; n < RUNGS - 1; n++) {
		edges[count++] = (struct hd_edge){n, n + 1};
		edges[count++] = (struct hd_edge){n, RUNGS};
	}
	edges[count++] = (struct hd_edge){RUNGS - 1, 0};
	edges[count++] = (struct hd_edge){RUNGS - 1, RUNGS};
	struct hd_graph graph;
	struct hd_loops loops;
	hd_graph_build(&graph, &arena, RUNGS + 1, 0, edges, count);
	uint32_t *idom = hd_graph_dominators(&graph, &arena), *component;
	ck_assert_uint_eq(idom[RUNGS], 0);
	ck_assert_uint_eq(idom[RUNGS - 1], RUNGS - 2);
	ck_assert_uint_eq(hd_graph_post_dominators(&graph, &arena)[0], RUNGS);
	ck_assert_uint_eq(hd_graph_components(&graph, &arena, &component), 2);
	hd_graph_loops(&graph, idom, &arena, &loops);
	ck_assert_uint_eq(loops.count, 1);
	ck_assert_uint_eq(loops.loops[0].node_count, RUNGS);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		rows_keep_the_order_of_the_list,
		an_empty_graph_has_empty_answers,
		a_loop_nest_is_found,
		a_cycle_with_two_entries_is_irreducible,
		an_endless_loop_has_post_dominators,
		reverse_post_order_is_a_depth_first_order,
		dominators_match_their_definition,
		post_dominators_match_their_definition,
		components_are_mutual_reachability_callees_first,
		loops_match_their_definition,
		a_long_ladder_is_cheap,
		NULL,
	};
	return hd_suite_with("graph", tests, set_up, tear_down);
}
