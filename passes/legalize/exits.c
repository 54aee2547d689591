/*
 * Early returns of kernels get a copy of the kernel's last block. LLVM joins what they have in common with the end, say
 * a store, and the lanes of a warp would reconverge there: behind barriers, shuffles and calls that the others have
 * before them and must come to together, and that the branches on the path would then reach lane by lane. With a copy
 * the return is one of its own, which keeps nobody apart (passes/graph/reconvergence.c).
 *
 * A short block that ends the kernel is copied for a path into it when, from the branch that decides on that path,
 * others can come to an operation across lanes first. The last path keeps the block.
 *
 * Needs the clone of the module after all of LLVM's passes, which would join the copies again. Linear, and once more
 * the kernel's blocks for each path into such a block.
 */
#include <string.h>

#include "lib/map.h"
#include "passes/graph/graph.h"
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

enum { MOST_COPIED = 8, MOST_VALUES = 32 }; /* instructions; and with the PHIs */

struct exits {
	struct hd_legal *legal;
	LLVMValueRef function;
	struct hd_arena arena;
	struct hd_graph graph;
	LLVMBasicBlockRef *blocks;
	bool *crosses; /* by block: an operation across lanes, or a call that may come to one */
	uint32_t *idom;
	bool *seen; /* by block, and the blocks to go on from: for one search */
	uint32_t *work;
};

/* ---- blocks */

static bool crosses_lanes(LLVMValueRef inst)
{
	return LLVMIsACallInst(inst) && hd_legal_is_convergent(inst);
}

/* Whether any block has an operation across lanes. */
static bool find_crossings(struct exits *exits)
{
	uint32_t count = LLVMCountBasicBlocks(exits->function);
	bool any = false;
	exits->blocks = HD_ARENA_NEW(&exits->arena, LLVMBasicBlockRef, count);
	exits->crosses = HD_ARENA_NEW(&exits->arena, bool, count);
	LLVMGetBasicBlocks(exits->function, exits->blocks);
	for (uint32_t id = 0; id < count; id++) {
		LLVMValueRef inst = LLVMGetFirstInstruction(exits->blocks[id]);
		while (inst && !crosses_lanes(inst))
			inst = LLVMGetNextInstruction(inst);
		exits->crosses[id] = inst;
		any |= exits->crosses[id];
	}
	return any;
}

static void build_graph(struct exits *exits)
{
	struct hd_map ids = {0};
	HD_VEC(struct hd_edge) edges = {0};
	uint32_t count = LLVMCountBasicBlocks(exits->function);
	exits->seen = HD_ARENA_NEW(&exits->arena, bool, count);
	exits->work = HD_ARENA_NEW(&exits->arena, uint32_t, count);
	for (uint32_t id = 0; id < count; id++)
		hd_map_put(&ids, exits->blocks[id], id, 1);
	for (uint32_t id = 0; id < count; id++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(exits->blocks[id]);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
			hd_vec_push(&edges, (struct hd_edge){id, hd_map_get(&ids, LLVMGetSuccessor(end, i))->start});
	}
	hd_graph_build(&exits->graph, &exits->arena, count, 0, edges.data, edges.len);
	exits->idom = hd_graph_dominators(&exits->graph, &exits->arena);
	hd_vec_release(&edges);
	hd_map_release(&ids);
}

/* Ends the kernel, with something to do first and little of it. */
static bool is_short_exit(LLVMBasicBlockRef block)
{
	unsigned count = 0, values = 0;
	if (!LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block)))
		return false;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst), values++) {
		if (crosses_lanes(inst) || LLVMIsAAllocaInst(inst))
			return false;
		count += !LLVMIsAPHINode(inst);
	}
	return count > 1 && count <= MOST_COPIED && values <= MOST_VALUES;
}

/* Whether lanes can come from `start` to an operation across lanes before `end`, and without `taken`. */
static bool others_cross(struct exits *exits, uint32_t start, uint32_t taken, uint32_t end)
{
	const struct hd_graph *graph = &exits->graph;
	uint32_t count = 0;
	memset(exits->seen, 0, graph->nodes);
	exits->seen[end] = exits->seen[taken] = true;
	for (uint32_t block = start, next = 0;; block = exits->work[next++]) {
		for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1]; e++) {
			uint32_t to = graph->succ[e];
			if (exits->seen[to])
				continue;
			if (exits->crosses[to])
				return true;
			exits->seen[to] = true;
			exits->work[count++] = to;
		}
		if (next == count)
			return false;
	}
}

/* ---- copies */

/* The block's instructions once more, at the builder, as they are when control comes from `from`. */
static void copy_block(struct exits *exits, LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
	unsigned count = 0;
	LLVMValueRef old[MOST_VALUES], new[MOST_VALUES];
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst), count++) {
		old[count] = inst;
		if (LLVMIsAPHINode(inst)) {
			for (unsigned i = 0; i < LLVMCountIncoming(inst); i++)
				if (LLVMGetIncomingBlock(inst, i) == from)
					new[count] = LLVMGetIncomingValue(inst, i);
			continue;
		}
		new[count] = LLVMInstructionClone(inst);
		for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(inst); i++)
			for (unsigned k = 0; k < count; k++)
				if (LLVMGetOperand(inst, i) == old[k])
					LLVMSetOperand(new[count], i, new[k]);
		LLVMSetCurrentDebugLocation2(exits->legal->builder,
					     LLVMInstructionGetDebugLoc(inst)); /* else its own */
		LLVMInsertIntoBuilder(exits->legal->builder, new[count]);
	}
	LLVMSetCurrentDebugLocation2(exits->legal->builder, NULL);
}

/* Takes the edge from `from` out of the block's PHIs. */
static void drop_edge(struct exits *exits, LLVMBasicBlockRef block, LLVMBasicBlockRef from)
{
	LLVMBuilderRef builder = exits->legal->builder;
	for (LLVMValueRef phi = LLVMGetFirstInstruction(block), after; LLVMIsAPHINode(phi); phi = after) {
		after = LLVMGetNextInstruction(phi);
		LLVMPositionBuilderBefore(builder, phi);
		LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(phi));
		LLVMValueRef rest = LLVMBuildPhi(builder, LLVMTypeOf(phi), "");
		LLVMSetMetadata(rest, exits->legal->md_ordinal, LLVMGetMetadata(phi, exits->legal->md_ordinal));
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
			LLVMBasicBlockRef at = LLVMGetIncomingBlock(phi, i);
			LLVMValueRef value = LLVMGetIncomingValue(phi, i);
			if (at != from)
				LLVMAddIncoming(rest, &value, &at, 1);
		}
		LLVMReplaceAllUsesWith(phi, rest);
		LLVMInstructionEraseFromParent(phi);
	}
}

/* Which successor of the branch is the block; 2: none, or both, or it is no branch. */
static unsigned side_to(LLVMValueRef branch, LLVMBasicBlockRef block)
{
	unsigned count = LLVMGetNumSuccessors(branch), found = 2;
	if (!LLVMIsABranchInst(branch))
		return 2;
	for (unsigned i = 0; i < count; i++)
		if (LLVMGetSuccessor(branch, i) == block)
			found = found == 2 ? i : 3;
	return found < 2 ? found : 2;
}

/* Whether those who do not take the path from block `from` can come to an operation across lanes before the end. */
static bool is_early(struct exits *exits, uint32_t from, uint32_t end)
{
	const struct hd_graph *graph = &exits->graph;
	uint32_t taken = from, start = exits->idom[from];
	if (start == HD_NO_NODE)
		return false;
	if (graph->succ_start[from + 1] - graph->succ_start[from] > 1)
		return others_cross(exits, from, end, end);
	while (graph->succ_start[start + 1] - graph->succ_start[start] == 1 && start != exits->idom[start]) {
		taken = start;
		start = exits->idom[start];
	}
	return start != taken && others_cross(exits, start, taken, end);
}

static void copy_for(struct exits *exits, uint32_t from, uint32_t end, unsigned side)
{
	LLVMBuilderRef builder = exits->legal->builder;
	LLVMBasicBlockRef block = exits->blocks[end], source = exits->blocks[from];
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(source);
	if (LLVMGetNumSuccessors(branch) == 1) {
		LLVMPositionBuilderBefore(builder, branch);
		copy_block(exits, block, source);
		LLVMInstructionEraseFromParent(branch);
	} else {
		LLVMBasicBlockRef copy = LLVMAppendBasicBlockInContext(exits->legal->context, exits->function, "");
		LLVMPositionBuilderAtEnd(builder, copy);
		copy_block(exits, block, source);
		LLVMSetSuccessor(branch, side, copy);
	}
	drop_edge(exits, block, source);
}

static void copy_exits(struct exits *exits)
{
	build_graph(exits);
	for (uint32_t end = 0; end < exits->graph.nodes; end++) {
		uint32_t first = exits->graph.pred_start[end], last = exits->graph.pred_start[end + 1],
			 left = last - first;
		if (left < 2 || !is_short_exit(exits->blocks[end]))
			continue;
		for (uint32_t e = first; e < last && left > 1; e++) {
			uint32_t from = exits->graph.pred[e];
			unsigned side = side_to(LLVMGetBasicBlockTerminator(exits->blocks[from]), exits->blocks[end]);
			if (side == 2 || !is_early(exits, from, end))
				continue;
			copy_for(exits, from, end, side);
			left--;
		}
	}
}

void hd_legal_exits(struct hd_legal *legal)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f)) {
		struct exits exits = {.legal = legal, .function = f};
		if (LLVMIsDeclaration(f) || !hd_is_kernel(legal->unit, f))
			continue;
		hd_arena_init(&exits.arena);
		if (find_crossings(&exits))
			copy_exits(&exits);
		hd_arena_release(&exits.arena);
	}
}
