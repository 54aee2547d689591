/*
 * LINK: passes
 * Where lanes meet again: hand-made graphs with early returns, and random ones against what has to hold of them all.
 */
#include "harness.h"

#include <string.h>

#include "passes/graph/graph.h"
#include "random_graph.h"

enum { MAX_NODES = 12, MAX_EDGES = 2 * MAX_NODES, TRIALS = 4000 };

#define ON HD_LANES_RETURN
#define END HD_LANES_END
#define ONLY HD_LANES_ONLY_END
#define NONE HD_NO_NODE

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

#define CHECK_RECONVERGENCE(edges, ends, expected)                                                              \
	do {                                                                                                    \
		uint32_t blocks = sizeof(expected) / sizeof *(expected), count = sizeof(edges) / sizeof *(edges); \
		uint32_t *points = hd_graph_reconvergence_points(blocks, edges, count, ends, &arena, NULL);     \
		ck_assert_mem_eq(points, expected, sizeof(expected));                                           \
	} while (0)

START_TEST(an_early_return_does_not_keep_the_others_apart)
{
	/* 0: if { 1: if { 2: work; return } 3 } 4: rest */
	static const struct hd_edge edges[] = {{0, 1}, {0, 4}, {1, 2}, {1, 3}, {3, 4}};
	static const uint8_t ends[] = {ON, ON, END, ON, END}, calls[] = {ON, ON, ON, ON, ON};
	static const uint32_t meets[] = {4, 3, NONE, 4, NONE}, apart[] = {NONE, NONE, NONE, 4, NONE};
	CHECK_RECONVERGENCE(edges, ends, meets);
	CHECK_RECONVERGENCE(edges, calls, apart);
}
END_TEST

START_TEST(a_shared_exit_is_no_reconvergence_point)
{
	/* 0: if { 1: if goto 5; 2 } 3: if goto 5; 4: rest, goto 5. 5: exit */
	static const struct hd_edge edges[] = {{0, 1}, {0, 3}, {1, 5}, {1, 2}, {2, 3}, {3, 5}, {3, 4}, {4, 5}};
	static const uint8_t ends[] = {ON, ON, ON, ON, ON, ONLY};
	/* Both ways of 3 end, the one with something to do first: its lanes meet where they all end. */
	static const uint32_t meets[] = {3, 2, 3, 5, 5, NONE};
	CHECK_RECONVERGENCE(edges, ends, meets);
}
END_TEST

START_TEST(lanes_gather_behind_a_loop_that_others_leave_for_good)
{
	/* 1 { if return (2); 3: if { 4: if { 5: work; return } 6 } 7: latch } 8: rest */
	static const struct hd_edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {3, 7},
					       {4, 5}, {4, 6}, {6, 7}, {7, 1}, {7, 8}};
	static const uint8_t ends[] = {ON, ON, ONLY, ON, ON, END, ON, ON, END};
	static const uint32_t meets[] = {1, 3, NONE, 7, 6, NONE, 7, 8, NONE};
	CHECK_RECONVERGENCE(edges, ends, meets);
}
END_TEST

START_TEST(a_loop_whose_only_way_out_is_nested_keeps_it)
{
	/* 1 { 2: if { 3: work; return } 4: latch } */
	static const struct hd_edge edges[] = {{0, 1}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {4, 1}};
	static const uint8_t ends[] = {ON, ON, ON, END, ON};
	static const uint32_t meets[] = {1, 2, 3, NONE, 1};
	CHECK_RECONVERGENCE(edges, ends, meets);
}
END_TEST

START_TEST(blocks_that_others_reach_too_are_met_in)
{
	/* 0: if { 1 } 2: the rest of the kernel, which ends: it is no early return. */
	static const struct hd_edge edges[] = {{0, 1}, {0, 2}, {1, 2}};
	static const uint8_t ends[] = {ON, ON, END};
	static const uint32_t meets[] = {2, 2, NONE};
	CHECK_RECONVERGENCE(edges, ends, meets);
}
END_TEST

/* ---- random graphs */

struct sample {
	struct hd_edge edges[MAX_EDGES];
	uint8_t ends[MAX_NODES];
	uint32_t blocks, ways;
};

static struct sample random_sample(uint64_t *seed, bool kernel)
{
	struct sample sample = {.blocks = 2 + random_below(seed, MAX_NODES - 1)};
	bool leaves[MAX_NODES] = {false};
	for (uint32_t b = 0; b < sample.blocks; b++)
		for (uint32_t i = random_below(seed, 3); i-- > 0; leaves[b] = true)
			sample.edges[sample.ways++] = (struct hd_edge){b, random_below(seed, sample.blocks)};
	for (uint32_t b = 0; b < sample.blocks; b++)
		sample.ends[b] = kernel && !leaves[b] ? HD_LANES_END + random_below(seed, 2) : HD_LANES_RETURN;
	return sample;
}

/* Whether some way from `from` returns without passing `without`. */
static bool returns(const struct sample *sample, uint32_t from, uint32_t without)
{
	uint32_t seen = 1u << from, before = 0;
	while (seen != before) {
		before = seen;
		for (uint32_t i = 0; i < sample->ways; i++)
			if (seen >> sample->edges[i].from & 1 && sample->edges[i].to != without)
				seen |= 1u << sample->edges[i].to;
	}
	for (uint32_t b = 0; b < sample->blocks; b++) {
		bool sink = sample->ends[b] == HD_LANES_RETURN;
		for (uint32_t i = 0; i < sample->ways; i++)
			sink &= sample->edges[i].from != b;
		if (sink && seen >> b & 1)
			return true;
	}
	return false;
}

static bool all_return(const struct sample *sample, const uint32_t *idom)
{
	for (uint32_t b = 0; b < sample->blocks; b++)
		if (idom[b] != HD_NO_NODE && !returns(sample, b, HD_NO_NODE))
			return false;
	return true;
}

START_TEST(no_lane_gets_behind_a_reconvergence_point_without_passing_it)
{
	uint64_t seed = 5;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct sample sample = random_sample(&seed, trial % 2);
		struct hd_graph graph;
		hd_graph_build(&graph, &arena, sample.blocks, 0, sample.edges, sample.ways);
		uint32_t *meets = hd_graph_reconvergence_points(sample.blocks, sample.edges, sample.ways, sample.ends,
								&arena, NULL);
		uint32_t *idom = hd_graph_dominators(&graph, &arena);
		uint32_t *post = hd_graph_post_dominators(&graph, &arena);
		for (uint32_t b = 0; b < sample.blocks; b++) {
			if (idom[b] == HD_NO_NODE)
				continue;
			/* Where none ends, in an endless loop neither, it is the post-dominator. */
			if (all_return(&sample, idom))
				ck_assert_uint_eq(meets[b], post[b]);
			ck_assert(meets[b] == HD_NO_NODE || !returns(&sample, b, meets[b]));
		}
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		an_early_return_does_not_keep_the_others_apart,
		a_shared_exit_is_no_reconvergence_point,
		lanes_gather_behind_a_loop_that_others_leave_for_good,
		a_loop_whose_only_way_out_is_nested_keeps_it,
		blocks_that_others_reach_too_are_met_in,
		no_lane_gets_behind_a_reconvergence_point_without_passing_it,
		NULL,
	};
	return hd_suite_with("reconvergence", tests, set_up, tear_down);
}
