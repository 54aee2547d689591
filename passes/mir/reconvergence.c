/*
 * Reconvergence points of machine IR: its blocks as the graph of passes/graph/reconvergence.c. Near linear.
 */
#include "passes/mir/reconvergence.h"
#include "heddle/opcodes.h"
#include "passes/graph/graph.h"

/* A trap ends the whole kernel, whatever comes before it in its block. */
static enum hd_lane_end end_of(const struct hd_mblock *block)
{
	const struct hd_minst *last = block->insts.len ? &hd_vec_last(&block->insts) : NULL;
	if (!last || block->succs.len)
		return HD_LANES_RETURN;
	if (last->op == HD_OP_TRAP)
		return HD_LANES_ONLY_END;
	if (last->op != HD_OP_EXIT)
		return HD_LANES_RETURN;
	return block->insts.len == 1 ? HD_LANES_ONLY_END : HD_LANES_END;
}

bool hd_mblock_only_ends(const struct hd_mblock *block)
{
	return end_of(block) == HD_LANES_ONLY_END;
}

uint32_t *hd_mfunc_reconvergence_points(const struct hd_mfunc *func, struct hd_arena *arena, bool *chosen)
{
	HD_VEC(struct hd_edge) edges = {0};
	uint8_t *ends = HD_ARENA_NEW(arena, uint8_t, func->blocks.len);
	for (uint32_t from = 0; from < func->blocks.len; from++) {
		const struct hd_mblock *block = &func->blocks.data[from];
		ends[from] = end_of(block);
		for (uint32_t i = 0; i < block->succs.len; i++)
			hd_vec_push(&edges, (struct hd_edge){from, block->succs.data[i]});
	}
	uint32_t *points = hd_graph_reconvergence_points(func->blocks.len, edges.data, edges.len, ends, arena, chosen);
	hd_vec_release(&edges);
	return points;
}
