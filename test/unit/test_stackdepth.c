/*
 * LINK: passes
 * stackdepth: CARS's Figure 4, chains against enumeration of all paths, and a hand-made object.
 */
#include "harness.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "passes/analysis/chain.h"
#include "passes/analysis/stackdepth.h"
#include "passes/pass.h"
#include "random_graph.h"

enum { MAX_NODES = 9, TRIALS = 3000 };

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static struct hd_graph graph_of(uint32_t nodes, const struct hd_edge *edges, uint32_t count)
{
	struct hd_graph graph;
	hd_graph_build(&graph, &arena, nodes, HD_NO_NODE, edges, count);
	return graph;
}

/* The kernel needs 20 registers, the largest function 10, and the bold path sums to 56. */
START_TEST(figure_4)
{
	enum { KERNEL, A, B, C, D, E, F };
	static const uint32_t fru[] = {20, 7, 9, 10, 10, 8, 9};
	static const struct hd_edge edges[] = {{KERNEL, A}, {A, C}, {C, D}, {D, F}, {KERNEL, B}, {B, F}, {B, E}};
	static const uint32_t path[] = {KERNEL, A, C, D, F};
	struct hd_graph graph = graph_of(7, edges, 7);
	struct hd_chain chain;
	uint32_t *list;
	hd_chain_compute(&chain, &graph, fru, &arena);
	ck_assert_uint_eq(chain.depth[F], 9);
	ck_assert_uint_eq(chain.depth[C], 29);
	ck_assert_uint_eq(chain.depth[B], 18);
	ck_assert_uint_eq(chain.depth[KERNEL], 56);
	ck_assert_uint_eq(hd_chain_list(&chain, KERNEL, &arena, &list), 5);
	ck_assert_mem_eq(list, path, sizeof(path));
	uint32_t callees[7];
	memcpy(callees, fru, sizeof(fru));
	callees[KERNEL] = 0;
	ck_assert_uint_eq(fru[KERNEL] + hd_chain_reachable_max(&graph, callees, &arena)[KERNEL], 30);
}
END_TEST

/* Heaviest simple path from `node` that avoids `seen`. */
static uint64_t heaviest(const struct hd_graph *graph, const uint32_t *weight, uint32_t node, uint32_t seen)
{
	uint64_t best = 0;
	seen |= 1u << node;
	for (uint32_t e = graph->succ_start[node]; e < graph->succ_start[node + 1]; e++)
		if (!(seen >> graph->succ[e] & 1)) {
			uint64_t depth = heaviest(graph, weight, graph->succ[e], seen);
			best = depth > best ? depth : best;
		}
	return best + weight[node];
}

static uint32_t reachable_max(const struct hd_graph *graph, const uint32_t *value, uint32_t node, uint32_t *seen)
{
	uint32_t largest = value[node];
	*seen |= 1u << node;
	for (uint32_t e = graph->succ_start[node]; e < graph->succ_start[node + 1]; e++)
		if (!(*seen >> graph->succ[e] & 1)) {
			uint32_t below = reachable_max(graph, value, graph->succ[e], seen);
			largest = below > largest ? below : largest;
		}
	return largest;
}

static bool has_edge(const struct hd_graph *graph, uint32_t from, uint32_t to)
{
	for (uint32_t e = graph->succ_start[from]; e < graph->succ_start[from + 1]; e++)
		if (graph->succ[e] == to)
			return true;
	return false;
}

static void check_chains(const struct hd_graph *graph, const uint32_t *weight)
{
	struct hd_chain chain;
	hd_chain_compute(&chain, graph, weight, &arena);
	uint32_t *largest = hd_chain_reachable_max(graph, weight, &arena), *list;
	for (uint32_t n = 0; n < graph->nodes; n++) {
		uint32_t count = hd_chain_list(&chain, n, &arena, &list), seen = 0;
		uint64_t sum = 0;
		ck_assert_uint_eq(chain.depth[n], heaviest(graph, weight, n, 0));
		ck_assert_uint_eq(largest[n], reachable_max(graph, weight, n, &(uint32_t){0}));
		ck_assert_uint_eq(list[0], n);
		for (uint32_t i = 0; i < count; i++) {
			ck_assert(!(seen >> list[i] & 1));
			ck_assert(!i || has_edge(graph, list[i - 1], list[i]));
			seen |= 1u << list[i];
			sum += weight[list[i]];
		}
		ck_assert_uint_eq(sum, chain.depth[n]);
	}
}

START_TEST(chains_match_all_paths)
{
	uint64_t seed = 11;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		uint32_t nodes = 1 + random_below(&seed, MAX_NODES), count = random_below(&seed, 3 * nodes);
		uint32_t weight[MAX_NODES];
		struct hd_edge edges[3 * MAX_NODES];
		for (uint32_t n = 0; n < nodes; n++)
			weight[n] = random_below(&seed, 12);
		/* Every other graph has no cycles. */
		for (uint32_t i = 0; i < count; i++) {
			uint32_t a = random_below(&seed, nodes), b = random_below(&seed, nodes);
			bool swap = trial % 2 && a > b;
			edges[i] = swap ? (struct hd_edge){b, a} : (struct hd_edge){a, b};
		}
		struct hd_graph graph = graph_of(nodes, edges, count);
		check_chains(&graph, weight);
	}
}
END_TEST

START_TEST(large_cycles_are_bounded_from_above)
{
	enum { N = HD_CHAIN_EXACT + 4 };
	struct hd_edge edges[N + 1];
	uint32_t weight[N + 1], *list;
	struct hd_chain chain;
	for (uint32_t n = 0; n < N; n++) {
		edges[n] = (struct hd_edge){n, (n + 1) % N};
		weight[n] = n + 1;
	}
	edges[N] = (struct hd_edge){3, N};
	weight[N] = 100;
	struct hd_graph graph = graph_of(N + 1, edges, N + 1);
	hd_chain_compute(&chain, &graph, weight, &arena);
	for (uint32_t n = 0; n < N; n++) {
		ck_assert_uint_eq(chain.depth[n], N * (N + 1) / 2 + 100);
		ck_assert_uint_eq(hd_chain_list(&chain, n, &arena, &list), N + 1);
		ck_assert_uint_eq(list[0], n);
		ck_assert_uint_eq(list[N], N);
	}
}
END_TEST

START_TEST(a_long_chain_of_functions_is_cheap)
{
	enum { N = 100000 };
	struct hd_edge *edges = HD_ARENA_NEW(&arena, struct hd_edge, N);
	uint32_t *weight = HD_ARENA_NEW(&arena, uint32_t, N);
	struct hd_chain chain;
	for (uint32_t n = 0; n < N; n++) {
		edges[n] = (struct hd_edge){n, n + 1};
		weight[n] = 2;
	}
	struct hd_graph graph = graph_of(N, edges, N - 1);
	hd_chain_compute(&chain, &graph, weight, &arena);
	ck_assert_uint_eq(chain.depth[0], 2 * N);
}
END_TEST

static struct hd_inst make(unsigned op)
{
	return (struct hd_inst){.op = (uint16_t)op,
				.guard = HD_PT,
				.dst = HD_RZ,
				.a = HD_RZ,
				.b = HD_RZ,
				.c = HD_RZ,
				.pdst = HD_PT,
				.psrc = HD_PT,
				.psrc2 = HD_PT,
				.reconv = HD_NO_PC};
}

static struct hd_inst save(bool restore, uint8_t reg, enum hd_size size, uint32_t offset)
{
	struct hd_inst inst = make(restore ? HD_OP_LDL : HD_OP_STL);
	inst.mods = HD_MOD(SIZE, size);
	inst.a = 1;
	*(restore ? &inst.dst : &inst.c) = reg;
	inst.x = offset;
	inst.xkind = HD_X_OTHER;
	inst.role = restore ? HD_ROLE_CALLEE_RESTORE : HD_ROLE_CALLEE_SAVE;
	return inst;
}

static struct hd_inst call(unsigned op)
{
	struct hd_inst inst = make(op);
	inst.xkind = op == HD_OP_CALL ? HD_X_OTHER : HD_X_NONE;
	inst.a = op == HD_OP_CALLI ? 4 : HD_RZ;
	return inst;
}

/*
 * kernel: calls `pair` directly, and indirectly what R4 holds.
 * pair: saves R16, R17 with one store and R18 twice (two paths); uses R12; calls itself.
 * taken, other: their addresses are in .data; of different types.
 */
enum { KERNEL, PAIR, TAKEN, OTHER, FUNCTIONS };

struct sample {
	struct hd_object object;
	struct hd_function functions[FUNCTIONS];
	struct hd_symbol symbols[FUNCTIONS + 1];
	struct hd_inst kernel[3], pair[7], taken[2], other[3];
	struct hd_origin origins[8];
	struct hd_reloc kernel_relocs[1], pair_relocs[1], data_relocs[2];
};

static void name_all(struct sample *sample)
{
	static const char *const names[] = {"kernel", "pair", "taken", "other"};
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		sample->functions[f].name = names[f];
		sample->functions[f].origins = sample->origins;
		sample->symbols[f] = (struct hd_symbol){.name = names[f], .defined = true, .function = f};
	}
	sample->symbols[FUNCTIONS] = (struct hd_symbol){.name = "elsewhere"};
	for (unsigned i = 0; i < 8; i++)
		sample->origins[i] = (struct hd_origin){.file = UINT32_MAX, .ir = UINT32_MAX};
}

#define BODY(sample, f, list, regs, frame)                                                       \
	((sample)->functions[f].insts = (sample)->list,                                          \
	 (sample)->functions[f].inst_count = sizeof((sample)->list) / sizeof((sample)->list[0]), \
	 (sample)->functions[f].registers = (regs), (sample)->functions[f].frame_bytes = (frame))

static void make_sample(struct sample *sample)
{
	*sample = (struct sample){
		.kernel = {call(HD_OP_CALL), call(HD_OP_CALLI), make(HD_OP_EXIT)},
		.pair = {save(false, 16, HD_SIZE_64, 0), save(false, 18, HD_SIZE_32, 8), save(false, 18, HD_SIZE_32, 8),
			 make(HD_OP_MOV), call(HD_OP_CALL), save(true, 16, HD_SIZE_64, 0), make(HD_OP_RET)},
		.taken = {make(HD_OP_MOV), make(HD_OP_RET)},
		.other = {save(false, 16, HD_SIZE_32, 0), save(true, 16, HD_SIZE_32, 0), make(HD_OP_RET)},
		.kernel_relocs = {{.kind = HD_REL_CALL, .symbol = PAIR, .offset = 0}},
		.pair_relocs = {{.kind = HD_REL_CALL, .symbol = PAIR, .offset = 4}},
		.data_relocs = {{.kind = HD_REL_ABS64, .symbol = OTHER},
				{.kind = HD_REL_ABS64, .symbol = TAKEN, .offset = 8}},
	};
	name_all(sample);
	sample->pair[3].dst = 12;
	BODY(sample, KERNEL, kernel, 6, 0);
	BODY(sample, PAIR, pair, 19, 16);
	BODY(sample, TAKEN, taken, 4, 0);
	BODY(sample, OTHER, other, 17, 32);
	sample->functions[KERNEL].kernel = true;
	sample->functions[KERNEL].relocs = sample->kernel_relocs;
	sample->functions[PAIR].relocs = sample->pair_relocs;
	sample->functions[KERNEL].reloc_count = sample->functions[PAIR].reloc_count = 1;
	sample->object = (struct hd_object){
		.functions = sample->functions,
		.function_count = FUNCTIONS,
		.symbols = sample->symbols,
		.symbol_count = FUNCTIONS + 1,
		.data_relocs = sample->data_relocs,
		.data_reloc_count = 2,
	};
}

static uint64_t type_by_context(void *context, uint32_t function, uint32_t inst)
{
	(void)function, (void)inst;
	return *(uint64_t *)context;
}

/* Facts of the sample when the indirect call has type `type` (0: unknown). */
static struct hd_meta_function *facts_of(struct sample *sample, uint64_t type, bool open)
{
	static const uint64_t types[FUNCTIONS] = {1, 1, 2, 3};
	const struct hd_call_types both = {types, type_by_context, &type};
	struct hd_callgraph calls;
	make_sample(sample);
	hd_callgraph_compute(&calls, &sample->object, &both, open, &arena);
	return hd_stackdepth_compute(&sample->object, &calls, &hd_abi_cars, &arena);
}

START_TEST(fru_counts_each_pushed_register_once)
{
	struct sample sample;
	struct hd_meta_function *facts = facts_of(&sample, 0, false);
	ck_assert_uint_eq(facts[PAIR].pushed_registers, 3);
	ck_assert_uint_eq(facts[PAIR].callee_save_bytes, 3 * 4);
	ck_assert_uint_eq(facts[TAKEN].callee_save_bytes, 0);
	ck_assert_uint_eq(facts[PAIR].fru, 4);
	ck_assert_uint_eq(facts[PAIR].save_count, 4);
	ck_assert_uint_eq(facts[PAIR].saves[0].count, 2);
	ck_assert_uint_eq(facts[PAIR].saves[3].pc, 5 * HD_INST_BYTES);
	ck_assert(facts[PAIR].saves[3].restore);
	ck_assert_uint_eq(facts[TAKEN].fru, 1);
	ck_assert(facts[PAIR].recursive && !facts[OTHER].recursive);
	ck_assert(facts[TAKEN].address_taken && !facts[PAIR].address_taken);
}
END_TEST

START_TEST(a_kernels_base_is_what_is_not_renamed)
{
	struct sample sample;
	struct hd_meta_function *facts = facts_of(&sample, 0, false);
	/* Its own 6 registers, and R12 of `pair`; R16 to R18 are renamed. */
	ck_assert_uint_eq(facts[KERNEL].fru, 13);
	ck_assert_uint_eq(facts[KERNEL].registers, 19);
	ck_assert_uint_eq(facts[KERNEL].own_registers, 6);
	ck_assert_uint_eq(facts[KERNEL].max_fru, 4);
	ck_assert_uint_eq(facts[KERNEL].low_watermark, 17);
	ck_assert_uint_eq(facts[KERNEL].high_watermark, 17);
	ck_assert_uint_eq(facts[KERNEL].call_depth, 1);
	ck_assert_uint_eq(facts[KERNEL].max_stack_bytes, 32);
	ck_assert_uint_eq(facts[KERNEL].chain_count, 2);
	ck_assert_str_eq(facts[KERNEL].high_watermark_chain[1], "pair");
}
END_TEST

START_TEST(indirect_sites_take_the_worst_possible_callee)
{
	struct sample sample;
	struct hd_meta_call *site = &facts_of(&sample, 0, false)[KERNEL].calls[1];
	ck_assert_uint_eq(site->callee_count, 2);
	ck_assert_str_eq(site->callees[0], "other");
	ck_assert_uint_eq(site->fru, 2);
	site = &facts_of(&sample, 2, false)[KERNEL].calls[1];
	ck_assert_uint_eq(site->callee_count, 1);
	ck_assert_str_eq(site->callees[0], "taken");
	ck_assert_uint_eq(site->fru, 1);
	ck_assert(!site->unknown_callees);
	site = &facts_of(&sample, 9, true)[KERNEL].calls[1];
	ck_assert_uint_eq(site->callee_count, 0);
	ck_assert(site->unknown_callees);
}
END_TEST

START_TEST(calls_of_other_modules_are_named)
{
	struct sample sample;
	struct hd_callgraph calls;
	make_sample(&sample);
	sample.kernel_relocs[0].symbol = FUNCTIONS;
	hd_callgraph_compute(&calls, &sample.object, NULL, true, &arena);
	struct hd_meta_function *facts = hd_stackdepth_compute(&sample.object, &calls, &hd_abi_cars, &arena);
	ck_assert_str_eq(facts[KERNEL].calls[0].callees[0], "elsewhere");
	ck_assert(facts[KERNEL].calls[0].unknown_callees);
	ck_assert_uint_eq(facts[KERNEL].calls[0].kind, HD_CALL_DIRECT);
}
END_TEST

/* ---- what its verifier finds */

static char message[256];

static void keep_message(void *context, enum hd_severity severity, struct hd_loc loc, const char *text)
{
	(void)context, (void)severity, (void)loc;
	snprintf(message, sizeof(message), "%s", text);
}

/* Of the sample with facts changed by `damage`: the message, "" where nothing is wrong. */
static const char *found(void (*damage)(struct hd_meta_function *facts))
{
	struct sample sample;
	struct hd_diag diag = {.emit = keep_message, .tool = "test"};
	struct hd_unit unit = {.diag = &diag};
	struct hd_meta_function *facts = facts_of(&sample, 0, false);
	damage(facts);
	unit.object = sample.object;
	unit.results[HD_PASS_STACKDEPTH] = facts;
	*message = 0;
	int error = hd_stackdepth_verify(&unit);
	ck_assert_int_eq(error, *message ? -1 : 0);
	return message;
}

static void leave(struct hd_meta_function *facts)
{
	(void)facts;
}

static void deepen(struct hd_meta_function *facts)
{
	facts[KERNEL].max_stack_depth++;
}

static void forget_rfp(struct hd_meta_function *facts)
{
	facts[TAKEN].pushed_registers++;
}

static void lower_high(struct hd_meta_function *facts)
{
	facts[KERNEL].high_watermark = facts[KERNEL].low_watermark - 1;
}

/* The second of two registers goes to a place that the pop does not read. */
static void split_push(struct hd_meta_function *facts)
{
	facts[PAIR].saves[0].count = 1;
}

static void pop_elsewhere(struct hd_meta_function *facts)
{
	facts[OTHER].saves[1].offset += 4;
}

/* R18 goes to two places, of which the pop reads the second. */
static void push_to_two_places(struct hd_meta_function *facts)
{
	struct hd_meta_save *saves = facts[PAIR].saves;
	saves[0] = saves[3] = saves[1];
	saves[0].offset += 4;
	saves[3].restore = true;
}

START_TEST(wrong_facts_are_found)
{
	ck_assert_str_eq(found(leave), "");
	ck_assert_str_eq(found(deepen), "stackdepth of 'kernel': MaxStackDepth is not the sum of its chain");
	ck_assert_str_eq(found(forget_rfp),
			 "stackdepth of 'taken': FRU is not the pushed registers and the RFP's slot");
	ck_assert_str_eq(found(lower_high), "stackdepth of 'kernel': the watermarks are out of order");
	ck_assert_str_eq(found(split_push), "stackdepth of 'pair': a pop takes back what no push put there");
	ck_assert_str_eq(found(push_to_two_places), "stackdepth of 'pair': a pop takes back what no push put there");
	ck_assert_str_eq(found(pop_elsewhere), "stackdepth of 'other': a pop takes back what no push put there");
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		figure_4,
		chains_match_all_paths,
		large_cycles_are_bounded_from_above,
		a_long_chain_of_functions_is_cheap,
		fru_counts_each_pushed_register_once,
		a_kernels_base_is_what_is_not_renamed,
		indirect_sites_take_the_worst_possible_callee,
		calls_of_other_modules_are_named,
		wrong_facts_are_found,
		NULL,
	};
	return hd_suite_with("stackdepth", tests, set_up, tear_down);
}
