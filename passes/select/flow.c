/*
 * Selection: branches, switches, and estimated block frequencies.
 *
 * Frequencies follow branch probabilities: !prof weights where present; otherwise an edge that
 * leaves a loop has one chance in ten, and other branches are even. Loops are solved innermost
 * first (the cyclic probability of each header), then one pass over the blocks.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

#include "passes/graph/graph.h"

#define MAX_ITERATIONS 4096.0 /* of any loop */
/* A jump table pays from this many cases on, when at least 40 % of its entries are used. */
#define TABLE_MIN_CASES 5
#define TABLE_MAX_ENTRIES 1024
#define TABLE_MOST_CASES 3u /* of a table after halving; ptxas 13, switches of 5 to 128 cases */

void hd_sel_br(struct hd_select *sel)
{
	LLVMValueRef br = sel->inst;
	uint32_t yes = hd_sel_block_of(sel, LLVMGetSuccessor(br, 0));
	if (!LLVMIsConditional(br)) {
		hd_sel_branch(sel, yes);
		return;
	}
	hd_sel_branch_if(sel, hd_sel_pred(sel, hd_sel_leaf(sel, LLVMGetCondition(br), 0)), yes,
			 hd_sel_block_of(sel, LLVMGetSuccessor(br, 1)));
}

/* The program's own trap, which the end of the block stands for. */
static bool is_behind_trap(LLVMValueRef inst)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(inst);
	LLVMValueRef callee = before && LLVMIsACallInst(before) ? LLVMGetCalledValue(before) : NULL;
	size_t length = 0;
	const char *name = callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
	return !strncmp(name, "llvm.trap", 9) || !strncmp(name, "llvm.ubsantrap", 14);
}

void hd_sel_unreachable(struct hd_select *sel)
{
	hd_sel_push(sel, HD_OP_TRAP, HD_MOD(ASSUMED, !is_behind_trap(sel->inst)));
}

/* ------------------------------------------------------------------ switch */

struct hd_case {
	uint64_t value, high; /* zero-extended */
	uint32_t target;
};

static int by_value(const void *a, const void *b)
{
	const struct hd_case *x = a, *y = b;
	if (x->high != y->high)
		return x->high > y->high ? 1 : -1;
	return (x->value > y->value) - (x->value < y->value);
}

static struct hd_popnd test(struct hd_select *sel, unsigned cmp, struct hd_leaf value, const struct hd_case *with)
{
	struct hd_leaf constant = hd_leaf_imm(with->value, value.words);
	constant.imm[1] = with->high;
	return hd_sel_pred(sel, hd_sel_cmp(sel, cmp, false, value, constant, 32u * value.words));
}

/* A branch through a table over cases[0..count), the last entry for what is none of them. */
static void jump_table(struct hd_select *sel, struct hd_leaf value, const struct hd_case *cases, uint32_t count,
		       uint32_t otherwise)
{
	uint64_t low = cases[0].value, entries = cases[count - 1].value - low + 1;
	struct hd_mtable table = {hd_arena_alloc(sel->func->arena, (entries + 1) * sizeof(uint32_t)),
				  (uint32_t)entries + 1};
	struct hd_opnd index = hd_sel_word(sel, &value, 0);
	if (low)
		index = hd_reg(hd_sel_add(sel, index, hd_imm(-(uint32_t)low)));
	struct hd_mreg entry = hd_sel_alu(sel, HD_OP_IMNMX, HD_MOD(MINMAX, HD_MIN) | HD_MOD(SIGN, HD_UNSIGNED), index,
					  hd_imm((uint32_t)entries), hd_none());
	for (uint64_t i = 0, next = 0; i <= entries; i++) {
		bool hit = i < entries && cases[next].value == low + i;
		table.blocks[i] = hit ? cases[next].target : otherwise;
		next += hit;
	}
	hd_vec_push(&sel->func->tables, table);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_BRX, 0);
	inst->a = entry;
	inst->xkind = HD_X_OTHER;
	inst->ref_kind = HD_MREF_TABLE;
	inst->ref = sel->func->tables.len - 1;
	for (uint32_t i = 0; i < table.count; i++)
		hd_mfunc_edge(sel->func, sel->block, table.blocks[i]);
}

/*
 * As ptxas has it: cases are halved by compares until few are left, and these get a table. A warp whose threads want
 * many cases parts step by step. Switch: without=halved-switches, one table for all.
 */
static void halve(struct hd_select *sel, struct hd_leaf value, const struct hd_case *cases, uint32_t count,
		  uint32_t otherwise)
{
	if (count <= TABLE_MOST_CASES || !hd_switch_is_on(sel->func->without, HD_SWITCH_HALVED_SWITCHES)) {
		jump_table(sel, value, cases, count, otherwise);
		return;
	}
	uint32_t half = count / 2, lower = hd_sel_new_block(sel), upper = hd_sel_new_block(sel);
	hd_sel_branch_if(sel, test(sel, HD_CMP_LT, value, &cases[half]), lower, upper);
	sel->block = lower;
	halve(sel, value, cases, half, otherwise);
	sel->block = upper;
	halve(sel, value, cases + half, count - half, otherwise);
}

/* A balanced tree of compares over cases[first..last]. */
static void compare_tree(struct hd_select *sel, struct hd_leaf value, const struct hd_case *cases, uint32_t first,
			 uint32_t last, uint32_t otherwise)
{
	if (last - first < 3) {
		for (uint32_t i = first; i <= last; i++) {
			uint32_t next = i < last ? hd_sel_new_block(sel) : otherwise;
			hd_sel_branch_if(sel, test(sel, HD_CMP_EQ, value, &cases[i]), cases[i].target, next);
			sel->block = next;
		}
		return;
	}
	uint32_t middle = first + (last - first + 1) / 2;
	uint32_t lower = hd_sel_new_block(sel);
	uint32_t upper = hd_sel_new_block(sel);
	hd_sel_branch_if(sel, test(sel, HD_CMP_LT, value, &cases[middle]), lower, upper);
	sel->block = lower;
	compare_tree(sel, value, cases, first, middle - 1, otherwise);
	sel->block = upper;
	compare_tree(sel, value, cases, middle, last, otherwise);
}

void hd_sel_switch(struct hd_select *sel)
{
	LLVMValueRef inst = sel->inst;
	uint32_t count = LLVMGetNumSuccessors(inst) - 1;
	uint32_t otherwise = hd_sel_block_of(sel, LLVMGetSwitchDefaultDest(inst));
	struct hd_leaf value = hd_sel_arg(sel, 0);
	unsigned bits = hd_scalar_bits(LLVMTypeOf(LLVMGetOperand(inst, 0)));
	struct hd_case *cases = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*cases));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t words[2] = {0, 0};
		hd_const_int(hd_case_value(inst, i + 1), words);
		cases[i].value = words[0];
		cases[i].high = words[1];
		cases[i].target = hd_sel_block_of(sel, LLVMGetSuccessor(inst, i + 1));
	}
	if (!count) {
		hd_sel_branch(sel, otherwise);
		return;
	}
	value = hd_sel_extend_leaf(sel, value, bits, bits <= 32 ? 32 : bits <= 64 ? 64 : 128, false);
	qsort(cases, count, sizeof(*cases), by_value);
	if (value.words == 1 && count >= TABLE_MIN_CASES) {
		uint64_t span = cases[count - 1].value - cases[0].value + 1;
		if (span <= TABLE_MAX_ENTRIES && 10 * (uint64_t)count >= 4 * span) {
			halve(sel, value, cases, count, otherwise);
			return;
		}
	}
	compare_tree(sel, value, cases, 0, count - 1, otherwise);
}

/* ------------------------------------------------------------------ frequencies */

struct hd_freq {
	const struct hd_graph *graph;
	const struct hd_loops *loops;
	const uint32_t *position; /* in reverse post-order */
	double *edge;		  /* probability, by edge index of the graph */
	double *in;		  /* frequency being propagated */
	double *cyclic;		  /* of a loop's header */
};

/* !prof weights of a two-way IR branch. */
static bool branch_weights(struct hd_select *sel, LLVMBasicBlockRef bb, double weight[2])
{
	LLVMValueRef br = LLVMGetBasicBlockTerminator(bb);
	LLVMValueRef node;
	if (LLVMGetInstructionOpcode(br) != LLVMBr || !LLVMIsConditional(br) ||
	    !(node = LLVMGetMetadata(br, sel->md_prof)) || LLVMGetMDNodeNumOperands(node) != 3)
		return false;
	LLVMValueRef ops[4];
	LLVMGetMDNodeOperands(node, ops);
	for (unsigned i = 0; i < 2; i++) {
		if (!ops[i + 1] || !LLVMIsAConstantInt(ops[i + 1]))
			return false;
		weight[i] = (double)LLVMConstIntGetZExtValue(ops[i + 1]) + 1e-3;
	}
	return true;
}

static bool in_loop(const struct hd_loops *loops, uint32_t node, uint32_t loop)
{
	for (uint32_t l = loops->loop_of[node]; l != HD_NO_NODE; l = loops->loops[l].parent)
		if (l == loop)
			return true;
	return false;
}

/* Probabilities of a block's edges. */
static void weigh_edges(struct hd_select *sel, struct hd_freq *freq, uint32_t node)
{
	uint32_t first = freq->graph->succ_start[node], end = freq->graph->succ_start[node + 1];
	uint32_t loop = freq->loops->loop_of[node], leaving = 0;
	struct hd_select_block *ir = &sel->blocks.data[sel->origin.data[node]];
	double weight[2];
	if (end - first == 2 && branch_weights(sel, ir->bb, weight)) {
		double sum = weight[0] + weight[1];
		uint32_t yes = hd_sel_block_of(sel, LLVMGetSuccessor(LLVMGetBasicBlockTerminator(ir->bb), 0));
		bool straight = freq->graph->succ[first] == yes;
		freq->edge[first] = weight[!straight] / sum;
		freq->edge[first + 1] = weight[straight] / sum;
		return;
	}
	for (uint32_t e = first; e < end && loop != HD_NO_NODE; e++)
		leaving += !in_loop(freq->loops, freq->graph->succ[e], loop);
	for (uint32_t e = first; e < end; e++) {
		bool leaves = loop != HD_NO_NODE && !in_loop(freq->loops, freq->graph->succ[e], loop);
		if (leaving == 0 || leaving == end - first)
			freq->edge[e] = 1.0 / (end - first);
		else if (leaves)
			freq->edge[e] = 1.0 / HD_LOOP_ROUNDS / leaving;
		else
			freq->edge[e] = (1.0 - 1.0 / HD_LOOP_ROUNDS) / (end - first - leaving);
	}
}

/* The header's own factor: how often it runs for each time the loop is entered. */
static double header_factor(const struct hd_freq *freq, uint32_t node)
{
	uint32_t loop = freq->loops->loop_of[node];
	return loop != HD_NO_NODE && freq->loops->loops[loop].header == node ? 1.0 / (1.0 - freq->cyclic[loop]) : 1.0;
}

static void flow_out(struct hd_freq *freq, uint32_t node, uint32_t within, double *back)
{
	for (uint32_t e = freq->graph->succ_start[node]; e < freq->graph->succ_start[node + 1]; e++) {
		uint32_t to = freq->graph->succ[e];
		double share = freq->in[node] * freq->edge[e];
		if (within != HD_NO_NODE && to == freq->loops->loops[within].header)
			*back += share;
		else if (freq->position[to] > freq->position[node] &&
			 (within == HD_NO_NODE || in_loop(freq->loops, to, within)))
			freq->in[to] += share;
	}
}

struct hd_placed {
	uint32_t node, position;
};

static int by_position(const void *a, const void *b)
{
	uint32_t x = ((const struct hd_placed *)a)->position, y = ((const struct hd_placed *)b)->position;
	return (x > y) - (x < y);
}

static void solve_loop(struct hd_freq *freq, uint32_t loop, struct hd_arena *arena)
{
	const struct hd_loop *l = &freq->loops->loops[loop];
	struct hd_placed *nodes = hd_arena_alloc(arena, l->node_count * sizeof(*nodes));
	double back = 0;
	for (uint32_t i = 0; i < l->node_count; i++) {
		nodes[i] = (struct hd_placed){l->nodes[i], freq->position[l->nodes[i]]};
		freq->in[l->nodes[i]] = 0;
	}
	qsort(nodes, l->node_count, sizeof(*nodes), by_position);
	freq->in[l->header] = 1;
	for (uint32_t i = 0; i < l->node_count; i++) {
		if (nodes[i].node != l->header)
			freq->in[nodes[i].node] *= header_factor(freq, nodes[i].node);
		flow_out(freq, nodes[i].node, loop, &back);
	}
	freq->cyclic[loop] = back > 1 - 1 / MAX_ITERATIONS ? 1 - 1 / HD_LOOP_ROUNDS : back;
}

static int deepest_first(const void *a, const void *b)
{
	const struct hd_placed *x = a, *y = b;
	if (x->position != y->position)
		return x->position < y->position ? 1 : -1;
	return (x->node > y->node) - (x->node < y->node);
}

void hd_sel_frequencies(struct hd_select *sel)
{
	uint32_t blocks = sel->func->blocks.len;
	struct hd_arena arena;
	hd_arena_init(&arena);
	struct hd_graph graph;
	hd_mfunc_graph(sel->func, &arena, &graph);
	uint32_t *rpo;
	uint32_t count = hd_graph_rpo(&graph, &arena, &rpo);
	uint32_t *position;
	position = hd_arena_alloc(&arena, blocks * sizeof(*position));
	for (uint32_t i = 0; i < count; i++)
		position[rpo[i]] = i;
	struct hd_loops loops;
	hd_graph_loops(&graph, hd_graph_dominators(&graph, &arena), &arena, &loops);

	struct hd_freq freq = {&graph,
			       &loops,
			       position,
			       HD_ARENA_NEW(&arena, double, graph.edges + 1),
			       HD_ARENA_NEW(&arena, double, blocks),
			       HD_ARENA_NEW(&arena, double, loops.count + 1)};
	struct hd_placed *order = HD_ARENA_NEW(&arena, struct hd_placed, loops.count + 1);

	for (uint32_t i = 0; i < count; i++)
		weigh_edges(sel, &freq, rpo[i]);
	for (uint32_t l = 0; l < loops.count; l++)
		order[l] = (struct hd_placed){l, loops.loops[l].depth};
	qsort(order, loops.count, sizeof(*order), deepest_first);
	for (uint32_t l = 0; l < loops.count; l++)
		solve_loop(&freq, order[l].node, &arena);
	memset(freq.in, 0, blocks * sizeof(*freq.in));
	freq.in[0] = 1;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t loop = loops.loop_of[rpo[i]];
		freq.in[rpo[i]] *= header_factor(&freq, rpo[i]);
		flow_out(&freq, rpo[i], HD_NO_NODE, NULL);
		sel->func->blocks.data[rpo[i]].frequency = freq.in[rpo[i]];
		sel->func->blocks.data[rpo[i]].loop_depth = loop == HD_NO_NODE ? 0 : loops.loops[loop].depth;
	}
	hd_arena_release(&arena);
}
