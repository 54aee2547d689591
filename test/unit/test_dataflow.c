/*
 * LINK: passes
 * The data-flow solver against rounds over all nodes in order of their ids, on random graphs (loops, several ways into
 * them, nodes that nothing reaches, endless ones) with random problems of all four kinds; and by hand.
 */
#include "harness.h"

#include <string.h>

#include "passes/graph/dataflow.h"
#include "random_graph.h"

static const uint32_t sizes[] = {1, 7, 64, 65, 130};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static void randomise(uint64_t *seed, struct hd_bitset set)
{
	for (uint32_t bit = 0; bit < set.bits; bit++)
		if (random_below(seed, 4) == 0)
			hd_bitset_add(&set, bit);
}

static void random_problem(struct hd_dataflow *flow, const struct hd_graph *graph, uint32_t bits, unsigned kind,
			   uint64_t *seed)
{
	hd_dataflow_init(flow, graph, bits, kind & 1, kind & 2, &arena);
	randomise(seed, hd_dataflow_row(flow, flow->boundary, 0));
	for (uint32_t n = 0; n < graph->nodes; n++) {
		randomise(seed, hd_dataflow_row(flow, flow->adds, n));
		randomise(seed, hd_dataflow_row(flow, flow->ends, n));
	}
}

/* One bit of all nodes at a time, until a round changes nothing; sets of nodes are bit masks. */
static void solve_bit(const struct hd_dataflow *flow, uint32_t bit, uint32_t *before, uint32_t *after)
{
	const struct hd_graph *graph = flow->graph;
	uint32_t all = (1u << graph->nodes) - 1, in = flow->must ? all : 0, out = in, old_in, old_out;
	struct hd_bitset boundary = hd_dataflow_row(flow, flow->boundary, 0);
	do {
		old_in = in;
		old_out = out;
		for (uint32_t n = 0; n < graph->nodes; n++) {
			struct hd_bitset adds = hd_dataflow_row(flow, flow->adds, n);
			struct hd_bitset ends = hd_dataflow_row(flow, flow->ends, n);
			bool edge =
				flow->backward ? graph->succ_start[n] == graph->succ_start[n + 1] : n == graph->entry;
			bool comes = edge ? hd_bitset_has(&boundary, bit) : flow->must;
			for (uint32_t from = 0; from < graph->nodes; from++)
				for (uint32_t e = graph->succ_start[from]; e < graph->succ_start[from + 1]; e++) {
					uint32_t source = flow->backward ? graph->succ[e] : from;
					uint32_t target = flow->backward ? from : graph->succ[e];
					bool there = out >> source & 1;
					if (target == n)
						comes = flow->must ? comes && there : comes || there;
				}
			bool leaves = hd_bitset_has(&adds, bit) || (comes && !hd_bitset_has(&ends, bit));
			in = (in & ~(1u << n)) | (uint32_t)comes << n;
			out = (out & ~(1u << n)) | (uint32_t)leaves << n;
		}
	} while (in != old_in || out != old_out);
	*before = flow->backward ? out : in;
	*after = flow->backward ? in : out;
}

static void check(const struct hd_dataflow *flow)
{
	for (uint32_t bit = 0; bit < flow->bits; bit++) {
		uint32_t before, after;
		solve_bit(flow, bit, &before, &after);
		for (uint32_t n = 0; n < flow->graph->nodes; n++) {
			struct hd_bitset first = hd_dataflow_row(flow, flow->before, n);
			struct hd_bitset last = hd_dataflow_row(flow, flow->after, n);
			ck_assert_int_eq(hd_bitset_has(&first, bit), before >> n & 1);
			ck_assert_int_eq(hd_bitset_has(&last, bit), after >> n & 1);
		}
	}
	for (uint32_t n = 0; n < flow->graph->nodes; n++) { /* and nothing behind the last bit */
		struct hd_bitset last = hd_dataflow_row(flow, flow->after, n);
		ck_assert_uint_le(hd_bitset_count(&last), flow->bits);
		ck_assert(flow->bits % 64 == 0 || !(last.words[flow->words - 1] >> flow->bits % 64));
	}
}

/* Loops: forward may, backward may, forward must, backward must. */
START_TEST(agrees_with_rounds_over_all_nodes)
{
	uint64_t seed = 1 + (uint64_t)_i;
	uint32_t trials = hd_samples(100, 300);
	for (uint32_t trial = 0; trial < trials; trial++) {
		struct hd_graph graph = random_graph(&seed, true, &arena);
		struct hd_dataflow flow;
		random_problem(&flow, &graph, sizes[trial % SIZES], (unsigned)_i, &seed);
		hd_dataflow_solve(&flow);
		check(&flow);
		uint32_t *rpo;
		flow.rpo_count = hd_graph_rpo(&graph, &arena, &rpo);
		flow.rpo = rpo;
		hd_dataflow_solve(&flow); /* again, from what is there, in an order that is told */
		check(&flow);
		memset(flow.adds, 0, graph.nodes * flow.words * sizeof(*flow.adds));
		hd_dataflow_solve(&flow); /* another problem with less in it */
		check(&flow);
		hd_arena_release(&arena);
	}
}
END_TEST

static void end_then_add(void *context, uint32_t node, struct hd_bitset *set)
{
	const struct hd_dataflow *told = context;
	struct hd_bitset adds = hd_dataflow_row(told, told->adds, node), ends = hd_dataflow_row(told, told->ends, node);
	for (uint32_t bit = 0; bit < set->bits; bit++) {
		if (hd_bitset_has(&ends, bit))
			hd_bitset_remove(set, bit);
		if (hd_bitset_has(&adds, bit))
			hd_bitset_add(set, bit);
	}
}

START_TEST(steps_tell_what_nodes_add_and_end)
{
	uint64_t seed = 77 + (uint64_t)_i;
	uint32_t trials = hd_samples(100, 300);
	for (uint32_t trial = 0; trial < trials; trial++) {
		struct hd_graph graph = random_graph(&seed, true, &arena);
		struct hd_dataflow told, taken;
		uint32_t bits = sizes[trial % SIZES];
		random_problem(&told, &graph, bits, (unsigned)_i, &seed);
		hd_dataflow_init(&taken, &graph, bits, told.backward, told.must, &arena);
		memset(taken.adds, 0xff, graph.nodes * taken.words * sizeof(*taken.adds)); /* from before */
		hd_dataflow_take(&taken, end_then_add, &told);
		memcpy(taken.boundary, told.boundary, taken.words * sizeof(*taken.boundary));
		hd_dataflow_solve(&told);
		hd_dataflow_solve(&taken);
		ck_assert_mem_eq(taken.before, told.before, graph.nodes * told.words * sizeof(*told.before));
		ck_assert_mem_eq(taken.after, told.after, graph.nodes * told.words * sizeof(*told.after));
		hd_arena_release(&arena);
	}
}
END_TEST

/* 0 -> 1 <-> 2, 1 -> 3: 1 reads a that 0 writes, 2 writes b that 3 reads. */
START_TEST(liveness_around_a_loop)
{
	static const struct hd_edge edges[] = {{0, 1}, {1, 2}, {2, 1}, {1, 3}};
	enum { A = 1, B = 2 };
	struct hd_graph graph;
	struct hd_dataflow live;
	hd_graph_build(&graph, &arena, 4, 0, edges, 4);
	hd_dataflow_init(&live, &graph, 2, true, false, &arena);
	live.ends[0] = A;
	live.adds[1] = A;
	live.ends[2] = B;
	live.adds[3] = B;
	hd_dataflow_solve(&live);
	ck_assert_uint_eq(live.before[0], B); /* nobody writes it on the way around the loop */
	ck_assert_uint_eq(live.after[0], A | B);
	ck_assert_uint_eq(live.before[1], A | B);
	ck_assert_uint_eq(live.before[2], A);
	ck_assert_uint_eq(live.after[2], A | B);
	ck_assert_uint_eq(live.after[3], 0);
}
END_TEST

START_TEST(no_nodes_and_no_bits)
{
	struct hd_graph graph;
	struct hd_dataflow flow;
	hd_graph_build(&graph, &arena, 0, HD_NO_NODE, NULL, 0);
	hd_dataflow_init(&flow, &graph, 10, false, true, &arena);
	hd_dataflow_solve(&flow);
	hd_graph_build(&graph, &arena, 1, 0, &(struct hd_edge){0, 0}, 1);
	hd_dataflow_init(&flow, &graph, 0, true, false, &arena);
	hd_dataflow_solve(&flow);
	ck_assert_uint_eq(flow.words, 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("dataflow");
	TCase *kinds = tcase_create("kinds");
	tcase_add_checked_fixture(kinds, set_up, tear_down);
	tcase_add_loop_test(kinds, agrees_with_rounds_over_all_nodes, 0, 4);
	tcase_add_loop_test(kinds, steps_tell_what_nodes_add_and_end, 0, 4);
	tcase_add_test(kinds, liveness_around_a_loop);
	tcase_add_test(kinds, no_nodes_and_no_bits);
	suite_add_tcase(suite, kinds);
	return suite;
}
