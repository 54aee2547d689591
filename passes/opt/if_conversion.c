/*
 * If-conversion: a short block that a branch goes around runs under the branch's predicate instead, and of two short
 * sides both do, one after the other. After allocation, so that no value needs another register; what ptxas is seen to
 * convert decides what is short. Warps then stay together, and the branch is gone. Switch: without=if-conversion
 *
 * Needs physical registers and a finished frame; before layout, which places the blocks that are left. Linear.
 */
#include <stdlib.h>

#include "heddle/opcodes.h"
#include "passes/mir/last_use.h"
#include "passes/mir/live.h"
#include "passes/opt/sides.h"

#define GLOBAL_LOADS 1u /* of a side: their latency is what a branch saves */

struct converter {
	struct hd_mfunc *func;
	struct hd_arena arena;
	uint32_t *ways_in;	 /* edges into each block */
	struct hd_dataflow live; /* nothing until something is converted */
};

/* The block behind a side that can be converted, under a predicate that it leaves as it is; or HD_NO_BLOCK. */
static uint32_t behind(const struct converter *converter, uint32_t side, const struct hd_minst *fork)
{
	const struct hd_mblock *block = &converter->func->blocks.data[side];
	uint32_t join = hd_side_behind(converter->func, converter->ways_in, side), loads = 0;
	for (uint32_t i = 0; join != HD_NO_BLOCK && i + 1 < block->insts.len; i++) {
		loads += hd_minst_is_global_load(&block->insts.data[i]);
		if (!hd_side_may_guard(&block->insts.data[i]) || block->insts.data[i].pdst == fork->guard)
			return HD_NO_BLOCK;
	}
	return loads > GLOBAL_LOADS ? HD_NO_BLOCK : join;
}

static struct hd_bitset live_into(struct converter *converter, uint32_t block)
{
	if (!converter->live.graph)
		hd_dead_live(converter->func, &converter->arena, &converter->live);
	return hd_dataflow_row(&converter->live, converter->live.before, block);
}

/* Moves the instructions of a side in front of the two branches that end `block`, under a guard. The other lanes go on
 * at `others`. */
static void take_in(struct converter *converter, struct hd_mblock *block, uint32_t side, bool guard_not,
		    uint32_t others)
{
	struct hd_bitset live = live_into(converter, others);
	struct hd_mblock *from = &converter->func->blocks.data[side];
	struct hd_minst fork = block->insts.data[block->insts.len - 2], other = block->insts.data[block->insts.len - 1];
	block->insts.len -= 2;
	for (uint32_t i = 0; i + 1 < from->insts.len; i++) {
		struct hd_minst inst = from->insts.data[i];
		inst.guard = fork.guard;
		inst.guard_not = guard_not;
		inst.covers = !hd_registers_have_any(&live, inst.dst);
		hd_vec_push(&block->insts, inst);
	}
	hd_vec_push(&block->insts, fork);
	hd_vec_push(&block->insts, other);
	from->insts.data[0] = from->insts.data[from->insts.len - 1]; /* a branch to what is behind, no longer reached */
	from->insts.len = 1;
	converter->ways_in[side] = 0;
}

static void convert_block(struct converter *converter, uint32_t id)
{
	struct hd_mblock *block = &converter->func->blocks.data[id];
	struct hd_minst *fork = hd_side_fork(block);
	if (!fork || id == fork->ref || id == fork[1].ref)
		return;
	uint32_t yes = fork->ref, no = fork[1].ref;
	bool guard_not = fork->guard_not;
	uint32_t yes_behind = behind(converter, yes, fork), no_behind = behind(converter, no, fork);
	bool both = yes_behind != HD_NO_BLOCK && yes_behind == no_behind;
	if (yes_behind == id || no_behind == id)
		return;
	if (both || yes_behind == no)
		take_in(converter, block, yes, guard_not, no);
	if (both || no_behind == yes)
		take_in(converter, block, no, !guard_not, both ? yes_behind : yes);
	if (!both && yes_behind != no && no_behind != yes)
		return;
	uint32_t join = both ? yes_behind : yes_behind == no ? no : yes;
	block->insts.len--;
	block->insts.data[block->insts.len - 1] = hd_minst_make(HD_OP_BRA, 0);
	struct hd_minst *branch = &block->insts.data[block->insts.len - 1];
	branch->ref_kind = HD_MREF_BLOCK;
	branch->ref = join;
	converter->ways_in[join]--; /* two edges, or one from each side, became one */
}

int hd_if_conversion_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct converter converter = {.func = func};
	if (!hd_switch_is_on(func->without, HD_SWITCH_IF_CONVERSION))
		return 0;
	hd_arena_init(&converter.arena);
	converter.ways_in = hd_side_ways_in(func);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		convert_block(&converter, id);
	free(converter.ways_in);
	hd_arena_release(&converter.arena);
	hd_mfunc_rebuild_edges(func);
	return hd_prune_run(func, diag);
}
