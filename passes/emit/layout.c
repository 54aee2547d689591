/*
 * Block order and branch clean-up. Order: reverse post-order with the blocks of each loop
 * contiguous, which the live intervals also use. Clean-up, after allocation: branches to
 * blocks that hold nothing but a branch go to the end of that chain; a guarded branch whose
 * target comes next is inverted, so that one branch is left.
 * Needs the graph algorithms; near linear.
 */
#include "heddle/opcodes.h"
#include "passes/graph/graph.h"
#include "passes/mir/live.h"

static void build_graph(const struct hd_mfunc *func, struct hd_arena *arena, struct hd_graph *graph)
{
	HD_VEC(struct hd_edge) edges = {0};
	for (uint32_t from = 0; from < func->blocks.len; from++) {
		const struct hd_mblock *block = &func->blocks.data[from];
		/* The last successor comes first: reverse post-order then puts the first one next. */
		for (uint32_t i = block->succs.len; i-- > 0;)
			hd_vec_push(&edges, (struct hd_edge){from, block->succs.data[i]});
	}
	hd_graph_build(graph, arena, func->blocks.len, 0, edges.data, edges.len);
	hd_vec_release(&edges);
}

/* Items of a loop's list: a block, or LOOP | index of an inner loop. */
#define LOOP 0x80000000u

struct placement {
	HD_VEC(uint32_t) * lists; /* by loop; the last one is the function's */
	const struct hd_loops *loops;
	uint32_t *order, count;
};

static void flatten(struct placement *place, uint32_t list)
{
	for (uint32_t i = 0; i < place->lists[list].len; i++) {
		uint32_t item = place->lists[list].data[i];
		if (item & LOOP)
			flatten(place, item & ~LOOP);
		else
			place->order[place->count++] = item;
	}
}

uint32_t hd_mfunc_block_order(const struct hd_mfunc *func, struct hd_arena *arena, uint32_t **order)
{
	struct hd_graph graph;
	struct hd_loops loops;
	struct placement place = {.loops = &loops};
	uint32_t *rpo;
	build_graph(func, arena, &graph);
	uint32_t count = hd_graph_rpo(&graph, arena, &rpo);
	hd_graph_loops(&graph, hd_graph_dominators(&graph, arena), arena, &loops);
	place.lists = hd_arena_alloc(arena, sizeof(*place.lists) * (loops.count + 1));
	place.order = HD_ARENA_NEW(arena, uint32_t, count + 1);
	bool *entered = HD_ARENA_NEW(arena, bool, loops.count + 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t loop = loops.loop_of[rpo[i]];
		/* The first block of a loop in this order is its header; outer loops are entered first. */
		for (uint32_t l = loop; l != HD_NO_NODE && !entered[l]; l = loops.loops[l].parent) {
			uint32_t parent = loops.loops[l].parent;
			entered[l] = true;
			hd_vec_push(&place.lists[parent == HD_NO_NODE ? loops.count : parent], LOOP | l);
		}
		hd_vec_push(&place.lists[loop == HD_NO_NODE ? loops.count : loop], rpo[i]);
	}
	flatten(&place, loops.count);
	for (uint32_t i = 0; i <= loops.count; i++)
		hd_vec_release(&place.lists[i]);
	*order = place.order;
	return place.count;
}

/* ---- branches ---- */

static bool is_empty_forwarder(const struct hd_mblock *block)
{
	const struct hd_minst *inst = block->insts.data;
	return block->insts.len == 1 && inst->op == HD_OP_BRA && inst->guard == HD_MREG_PT && !inst->guard_not;
}

static uint32_t final_target(const struct hd_mfunc *func, uint32_t *memo, uint32_t id)
{
	uint32_t target = id;
	for (uint32_t steps = 0; steps < func->blocks.len && is_empty_forwarder(&func->blocks.data[target]); steps++) {
		if (memo[target] != HD_NO_BLOCK) {
			target = memo[target];
			break;
		}
		target = func->blocks.data[target].insts.data[0].ref;
	}
	if (is_empty_forwarder(&func->blocks.data[target]))
		target = id; /* a loop of nothing: leave it as it is */
	memo[id] = target;
	return target;
}

static void thread_branches(struct hd_mfunc *func)
{
	uint32_t *memo = hd_xmalloc(func->blocks.len * sizeof(*memo));
	for (uint32_t id = 0; id < func->blocks.len; id++)
		memo[id] = HD_NO_BLOCK;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		struct hd_mblock *block = &func->blocks.data[id];
		for (uint32_t i = 0; i < block->insts.len; i++)
			if (block->insts.data[i].ref_kind == HD_MREF_BLOCK)
				block->insts.data[i].ref = final_target(func, memo, block->insts.data[i].ref);
	}
	for (uint32_t t = 0; t < func->tables.len; t++)
		for (uint32_t i = 0; i < func->tables.data[t].count; i++)
			func->tables.data[t].blocks[i] = final_target(func, memo, func->tables.data[t].blocks[i]);
	free(memo);
}

/* A guarded branch to the same place as the branch after it decides nothing. */
static void drop_useless_guard(struct hd_mblock *block)
{
	uint32_t count = block->insts.len;
	if (count < 2 || block->insts.data[count - 1].op != HD_OP_BRA || block->insts.data[count - 2].op != HD_OP_BRA)
		return;
	if (block->insts.data[count - 1].ref == block->insts.data[count - 2].ref) {
		block->insts.data[count - 2] = block->insts.data[count - 1];
		block->insts.len--;
	}
}

void hd_mfunc_rebuild_edges(struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++)
		func->blocks.data[id].preds.len = func->blocks.data[id].succs.len = 0;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		const struct hd_mblock *block = &func->blocks.data[id];
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			if (inst->ref_kind == HD_MREF_BLOCK)
				hd_mfunc_edge(func, id, inst->ref);
			if (inst->ref_kind != HD_MREF_TABLE)
				continue;
			const struct hd_mtable *table = &func->tables.data[inst->ref];
			for (uint32_t k = 0; k < table->count; k++)
				hd_mfunc_edge(func, id, table->blocks[k]);
		}
	}
}

/* When the guarded target comes next, the other one is branched to under the inverted guard. */
static void invert_if_next(struct hd_mblock *block, uint32_t next)
{
	uint32_t count = block->insts.len;
	if (count < 2 || block->insts.data[count - 1].op != HD_OP_BRA || block->insts.data[count - 2].op != HD_OP_BRA)
		return;
	struct hd_minst *guarded = &block->insts.data[count - 2], *other = &block->insts.data[count - 1];
	if (guarded->ref != next)
		return;
	uint32_t target = guarded->ref;
	guarded->ref = other->ref;
	guarded->guard_not = !guarded->guard_not;
	other->ref = target;
}

int hd_layout_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct hd_arena arena;
	uint32_t *order;
	(void)diag;
	hd_arena_init(&arena);
	thread_branches(func);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		drop_useless_guard(&func->blocks.data[id]);
	hd_mfunc_rebuild_edges(func);
	uint32_t count = hd_mfunc_block_order(func, &arena, &order);
	hd_vec_clear(&func->order);
	for (uint32_t i = 0; i < count; i++)
		hd_vec_push(&func->order, order[i]);
	for (uint32_t i = 0; i + 1 < count; i++)
		invert_if_next(&func->blocks.data[order[i]], order[i + 1]);
	hd_arena_release(&arena);
	return 0;
}
