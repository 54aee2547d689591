/*
 * Unrolling of the small innermost loops that the user's compiler left rolled, and once more of those that go through
 * one array inside another loop, by four, as ptxas is seen to do: single blocks with loads whose latency the copies
 * overlap, counted by a constant step up to a bound that the loop does not change. Where all bounds are constants, a
 * loop is unrolled as a whole up to the sizes to which ptxas does so, which are several times those of the user's
 * compiler; with several blocks, too, where they read constant memory. LLVM's own unroller does the work, told by the
 * loop's metadata; here the loops are chosen.
 *
 * A loop with `bar.sync` may be unrolled: the threads of a warp reach such a barrier together, so they go around
 * equally often. LLVM takes a barrier for any convergent operation; for the time of its pass the mark is taken away.
 *
 * Needs the clone of the module before its operations are expanded. Linear, but for LLVM's pass (MOST_WORK).
 */
#include "lib/map.h"
#include "passes/graph/graph.h"
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

#define COPIES 4u
#define SMALL 64u	/* instructions of a loop that is unrolled, PHIs apart; ptxas stops between 63 and 74 */
/* Instructions of a block, where a loop has several: a longer side is worth its branch. */
#define SHORT_BLOCK 12u
#define LOADS_AMONG 10u /* a load for so many instructions at least: others have nothing to overlap */

/* Turns of a loop up to which, and instructions of all of them, loop control apart, with which ptxas 13.0 makes
 * straight code of it: measured with multiply-adds of one load a turn. */
static const struct {
	uint64_t turns, insts;
} whole[] = {{4, 540}, {6, 600}, {8, 670}, {12, 780}, {16, 900}, {32, 1050}, {64, 1350}, {128, 1750}, {256, 2200}};

/* LLVM's pass forgets what it knows of the whole outermost loop for each loop that it unrolls, so its cost is loops
 * times instructions of the function. Beyond this product the others stay rolled: it is about half a second. */
#define MOST_WORK 1500000u

struct unroller {
	struct hd_legal *legal;
	unsigned loop_kind;
	bool any, barriers;
	uint64_t left; /* loops of this function that may still be unrolled */
};

/* ---- what is known about a block ---- */

struct body {
	LLVMBasicBlockRef block;
	uint32_t insts, loads;
	LLVMValueRef array;   /* that all loads are from */
	bool arrays;	      /* loads from several */
	bool constants;	      /* some from constant memory */
	bool barriers, plain; /* plain: nothing that must not be copied */
};

static bool is_barrier(LLVMValueRef callee)
{
	return LLVMIsAFunction(callee) && !strcmp(LLVMGetValueName(callee), "llvm.nvvm.barrier0");
}

static void scan_call(struct body *body, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (is_barrier(callee))
		body->barriers = true;
	else
		body->plain &= LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && !hd_legal_is_convergent(call);
}

static void scan_load(struct body *body, LLVMValueRef load)
{
	LLVMValueRef array = LLVMGetOperand(load, 0);
	while (LLVMIsAGetElementPtrInst(array) || LLVMIsAAddrSpaceCastInst(array))
		array = LLVMGetOperand(array, 0);
	bool cast = LLVMIsAConstantExpr(array) && LLVMGetConstOpcode(array) == LLVMAddrSpaceCast;
	LLVMTypeRef type = LLVMTypeOf(cast ? LLVMGetOperand(array, 0) : array);
	body->constants |= LLVMGetPointerAddressSpace(type) == HD_AS_CONST;
	body->arrays |= body->loads++ && array != body->array;
	body->array = array;
}

static bool is_offset(LLVMValueRef inst, LLVMOpcode op)
{
	bool constant = op == LLVMGetElementPtr;
	for (int i = 1; constant && i < LLVMGetNumOperands(inst); i++)
		constant = LLVMIsAConstant(LLVMGetOperand(inst, (unsigned)i));
	return constant;
}

static void scan_block(struct body *body, LLVMBasicBlockRef block)
{
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(inst);
		/* Casts, constant offsets and the products in sums are mostly parts of other instructions. */
		body->insts +=
			op != LLVMPHI && op != LLVMSExt && op != LLVMZExt && op != LLVMFMul && !is_offset(inst, op);
		if (op == LLVMLoad)
			scan_load(body, inst);
		else if (op == LLVMCall)
			scan_call(body, inst);
	}
}

/* ---- counting ---- */

/* A loop's first block, the one that goes back there, and the one that leaves it: one and the same in small loops. */
struct shape {
	LLVMBasicBlockRef header, latch, exit;
};

/* The step of a counter: a PHI of the header that a constant is added to in each iteration, or that sum. 0: none. */
static int64_t step_of(LLVMValueRef value, const struct shape *loop)
{
	LLVMValueRef sum = value, phi = value;
	if (!LLVMIsAInstruction(value))
		return 0;
	if (LLVMIsAPHINode(value)) {
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
			if (LLVMGetIncomingBlock(phi, i) == loop->latch)
				sum = LLVMGetIncomingValue(phi, i);
	} else {
		phi = LLVMGetNumOperands(value) ? LLVMGetOperand(value, 0) : NULL;
	}
	if (!phi || !LLVMIsAPHINode(phi) || !hd_legal_is_inside(phi, loop->header) || !LLVMIsAInstruction(sum) ||
	    LLVMGetInstructionOpcode(sum) != LLVMAdd || LLVMGetOperand(sum, 0) != phi ||
	    !LLVMIsAConstantInt(LLVMGetOperand(sum, 1)))
		return 0;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == loop->latch && LLVMGetIncomingValue(phi, i) != sum)
			return 0;
	return LLVMConstIntGetSExtValue(LLVMGetOperand(sum, 1));
}

/* How a loop ends. */
struct ending {
	int64_t step;	/* of the counter that ends it; 0 where none does */
	bool equality;	/* at a value, not beyond one */
	bool constant;	/* at one that is known */
	uint64_t turns; /* 0: not known */
};

/* Turns of a loop whose counter ends it at a constant: those of one that begins at a constant, too, and comes to it
 * exactly; comparisons of other kinds have been made into these by the user's compiler. */
static uint64_t turns_of(LLVMValueRef left, LLVMValueRef right, LLVMBasicBlockRef latch, int64_t step)
{
	bool after = !LLVMIsAPHINode(left); /* what is compared is the sum */
	LLVMValueRef phi = after ? LLVMGetOperand(left, 0) : left, start = NULL;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) != latch)
			start = start ? phi : LLVMGetIncomingValue(phi, i);
	if (!start || !LLVMIsAConstantInt(start))
		return 0;
	int64_t from = LLVMConstIntGetSExtValue(start), to = LLVMConstIntGetSExtValue(right);
	int64_t way = (int64_t)((uint64_t)to - (uint64_t)from);
	if (way % step || way / step < (after ? 1 : 0))
		return 0;
	return (uint64_t)(way / step) + (after ? 0 : 1);
}

static struct ending ending_of(const struct shape *loop)
{
	struct ending end = {0};
	LLVMValueRef condition = LLVMGetCondition(LLVMGetBasicBlockTerminator(loop->exit));
	if (!hd_legal_is_inside(condition, loop->exit) || LLVMGetInstructionOpcode(condition) != LLVMICmp)
		return end;
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
	LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
	if (hd_legal_is_inside(right, loop->exit))
		return end;
	end.equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
	end.constant = LLVMIsAConstantInt(right);
	end.step = step_of(left, loop);
	if (end.step && end.equality && end.constant)
		end.turns = turns_of(left, right, loop->latch, end.step);
	return end;
}

/* ---- choosing ---- */

static bool is_told(struct unroller *unroller, LLVMValueRef branch)
{
	LLVMValueRef node = LLVMGetMetadata(branch, unroller->loop_kind);
	if (!node || LLVMGetMDNodeNumOperands(node) > 16)
		return node != NULL;
	unsigned count = (unsigned)LLVMGetMDNodeNumOperands(node);
	LLVMValueRef operands[16];
	LLVMGetMDNodeOperands(node, operands);
	LLVMValueRef inner[2];
	unsigned length;
	for (unsigned i = 1; i < count; i++) {
		if (!operands[i] || LLVMGetMDNodeNumOperands(operands[i]) > 2 || !LLVMGetMDNodeNumOperands(operands[i]))
			continue;
		LLVMGetMDNodeOperands(operands[i], inner);
		const char *name = inner[0] ? LLVMGetMDString(inner[0], &length) : NULL;
		if (name && length >= 16 && !memcmp(name, "llvm.loop.unroll", 16))
			return true;
	}
	return false;
}

static bool as_a_whole(const struct ending *end, const struct body *body)
{
	uint32_t control = 3; /* the sum, the comparison and the branch, which go */
	for (size_t i = 0; end->turns && i < sizeof whole / sizeof *whole; i++)
		if (end->turns <= whole[i].turns)
			return end->turns * (body->insts - control) <= whole[i].insts;
	return false;
}

/* How many copies there are to be of a loop's body; 1 where it stays as it is. */
static uint64_t copies_of(struct unroller *unroller, LLVMValueRef branch, const struct body *body, bool nested)
{
	struct ending end = ending_of(&(struct shape){body->block, body->block, body->block});
	if (!end.step || !body->plain || is_told(unroller, branch))
		return 1;
	if (as_a_whole(&end, body))
		return end.turns;
	if (end.constant || body->insts > SMALL || body->loads * LOADS_AMONG < body->insts)
		return 1; /* a constant bound: the user's compiler has unrolled as far as it pays */
	/* Ending at a value with a step beyond one: what is left of a loop that was unrolled before. */
	bool again = end.equality && end.step != 1 && end.step != -1;
	return !again || (nested && !body->arrays) ? COPIES : 1;
}

/* A distinct node that begins with itself, as loops are named. */
static void wish(struct unroller *unroller, LLVMValueRef branch, uint64_t copies)
{
	LLVMContextRef context = unroller->legal->context;
	LLVMMetadataRef wished[] = {
		LLVMMDStringInContext2(context, "llvm.loop.unroll.count", 22),
		LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), copies, false)),
	};
	LLVMMetadataRef self = LLVMTemporaryMDNode(context, NULL, 0);
	LLVMMetadataRef operands[] = {self, LLVMMDNodeInContext2(context, wished, 2)};
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, operands, 2);
	LLVMMetadataReplaceAllUsesWith(self, node);
	LLVMSetMetadata(branch, unroller->loop_kind, LLVMMetadataAsValue(context, node));
	unroller->any = true;
	unroller->left--;
}

/* Blocks and edges of a function, made when the first loop asks. */
struct flow {
	struct hd_arena *arena;
	LLVMBasicBlockRef *blocks;
	struct hd_graph graph;
	uint32_t *idom, *depth;
	struct hd_loops loops;
	bool *nested; /* by block: it is on a cycle with another one, so that a loop of one block is inside another */
};

static void build_flow(struct flow *flow, LLVMValueRef function)
{
	struct hd_map index = {0};
	HD_VEC(struct hd_edge) edges = {0};
	uint32_t blocks = LLVMCountBasicBlocks(function);
	flow->blocks = HD_ARENA_NEW(flow->arena, LLVMBasicBlockRef, blocks + 1);
	LLVMGetBasicBlocks(function, flow->blocks);
	for (uint32_t at = 0; at < blocks; at++)
		hd_map_put(&index, flow->blocks[at], at, 1);
	for (uint32_t at = 0; at < blocks; at++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(flow->blocks[at]);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
			hd_vec_push(&edges, (struct hd_edge){at, hd_map_get(&index, LLVMGetSuccessor(end, i))->start});
	}
	hd_graph_build(&flow->graph, flow->arena, blocks, 0, edges.data, edges.len);
	hd_map_release(&index);
	hd_vec_release(&edges);
}

static void find_nested(struct flow *flow)
{
	uint32_t blocks = flow->graph.nodes, *component;
	uint32_t count = hd_graph_components(&flow->graph, flow->arena, &component);
	uint32_t *members = HD_ARENA_NEW(flow->arena, uint32_t, count + 1);
	flow->nested = HD_ARENA_NEW(flow->arena, bool, blocks + 1);
	for (uint32_t i = 0; i < blocks; i++)
		members[component[i]]++;
	for (uint32_t i = 0; i < blocks; i++)
		flow->nested[i] = members[component[i]] > 1;
}

static void find_loops(struct flow *flow)
{
	flow->idom = hd_graph_dominators(&flow->graph, flow->arena);
	flow->depth = hd_dominator_depths(flow->idom, flow->graph.nodes, flow->arena);
	hd_graph_loops(&flow->graph, flow->idom, flow->arena, &flow->loops);
}

static bool is_loop(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	return LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
	       (LLVMGetSuccessor(end, 0) == block) != (LLVMGetSuccessor(end, 1) == block);
}

static void choose_blocks(struct unroller *unroller, struct flow *flow)
{
	for (uint32_t at = 0; at < flow->graph.nodes; at++) {
		LLVMBasicBlockRef bb = flow->blocks[at];
		if (!is_loop(bb))
			continue;
		struct body body = {.block = bb, .plain = true};
		scan_block(&body, bb);
		uint64_t copies = copies_of(unroller, LLVMGetBasicBlockTerminator(bb), &body, flow->nested[at]);
		if (copies == 1 || !unroller->left)
			continue;
		wish(unroller, LLVMGetBasicBlockTerminator(bb), copies);
		unroller->barriers |= body.barriers;
	}
}

/* ---- loops of several blocks ---- */

static bool has_node(const struct hd_loop *loop, uint32_t node)
{
	for (uint32_t i = 0; i < loop->node_count; i++)
		if (loop->nodes[i] == node)
			return true;
	return false;
}

/* Whether the loop has one way back and one way out, past which every turn comes. */
static bool find_shape(const struct flow *flow, const struct hd_loop *loop, struct shape *shape)
{
	const struct hd_graph *graph = &flow->graph;
	uint32_t latch = HD_NO_NODE, exit = HD_NO_NODE;
	for (uint32_t i = 0; i < loop->node_count; i++) {
		uint32_t node = loop->nodes[i];
		for (uint32_t e = graph->succ_start[node]; e < graph->succ_start[node + 1]; e++) {
			uint32_t *which = graph->succ[e] == loop->header ? &latch : &exit;
			if (graph->succ[e] != loop->header && has_node(loop, graph->succ[e]))
				continue;
			if (*which != HD_NO_NODE)
				return false;
			*which = node;
		}
	}
	if (latch == HD_NO_NODE || exit == HD_NO_NODE || !hd_dominates(flow->idom, flow->depth, exit, latch))
		return false;
	*shape = (struct shape){flow->blocks[loop->header], flow->blocks[latch], flow->blocks[exit]};
	LLVMValueRef end = LLVMGetBasicBlockTerminator(shape->exit);
	return LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
	       LLVMIsABranchInst(LLVMGetBasicBlockTerminator(shape->latch));
}

/* Sides that read a table of constants do not keep a loop from being straight code: see
 * passes/opt/predicated_constants.c. */
static void choose_whole(struct unroller *unroller, struct flow *flow)
{
	for (uint32_t i = 0; i < flow->loops.count; i++) {
		const struct hd_loop *loop = &flow->loops.loops[i];
		bool inner = !loop->irreducible && loop->node_count > 1;
		for (uint32_t k = i + 1; k < flow->loops.count && inner; k++)
			inner = flow->loops.loops[k].parent != i;
		struct shape shape;
		if (!inner || !find_shape(flow, loop, &shape))
			continue;
		struct ending end = ending_of(&shape);
		struct body body = {.plain = true};
		for (uint32_t k = 0; k < loop->node_count && end.turns; k++) {
			uint32_t before = body.insts;
			scan_block(&body, flow->blocks[loop->nodes[k]]);
			body.plain &= body.insts - before <= SHORT_BLOCK;
		}
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(shape.latch);
		if (!body.plain || !body.constants || body.insts > SMALL || !as_a_whole(&end, &body) ||
		    is_told(unroller, branch) || !unroller->left)
			continue;
		wish(unroller, branch, end.turns);
		unroller->barriers |= body.barriers;
	}
}

static bool has_block_of(LLVMValueRef function, bool (*of)(LLVMBasicBlockRef))
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		if (of(bb))
			return true;
	return false;
}

/* Whether a counter may begin here: a PHI with a constant. Without one no loop has a known number of turns. */
static bool may_count(LLVMBasicBlockRef block)
{
	for (LLVMValueRef phi = LLVMGetFirstInstruction(block); phi && LLVMIsAPHINode(phi);
	     phi = LLVMGetNextInstruction(phi))
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
			if (LLVMIsAConstantInt(LLVMGetIncomingValue(phi, i)))
				return true;
	return false;
}

static uint64_t count_instructions(LLVMValueRef function)
{
	uint64_t count = 0;
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			count++;
	return count;
}

static void choose(struct unroller *unroller, LLVMValueRef function)
{
	struct hd_arena arena;
	bool single = has_block_of(function, is_loop), several = has_block_of(function, may_count);
	if (!single && !several)
		return;
	unroller->left = MOST_WORK / count_instructions(function);
	hd_arena_init(&arena);
	struct flow flow = {.arena = &arena};
	build_flow(&flow, function);
	if (single) {
		find_nested(&flow);
		choose_blocks(unroller, &flow);
	}
	if (several) {
		find_loops(&flow);
		choose_whole(unroller, &flow);
	}
	hd_arena_release(&arena);
}

/* ---- barriers ---- */

static void mark(LLVMContextRef context, LLVMValueRef function, const char *attribute, bool on)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
	if (on)
		LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(context, kind, 0));
	else
		LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

/* For the time of LLVM's pass: a barrier may be copied, and comes back, without which no loop around it is counted. */
static void mark_barriers(struct hd_legal *legal, bool convergent)
{
	LLVMValueRef barrier = LLVMGetNamedFunction(legal->module, "llvm.nvvm.barrier0");
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
	mark(legal->context, barrier, "convergent", convergent);
	mark(legal->context, barrier, "willreturn", !convergent);
	for (LLVMUseRef use = LLVMGetFirstUse(barrier); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (LLVMIsACallInst(call) && !convergent)
			LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
	}
}

int hd_legal_unroll(struct hd_legal *legal, LLVMTargetMachineRef machine)
{
	struct unroller unroller = {.legal = legal};
	LLVMContextRef context = legal->context;
	if (!hd_switch_is_on(legal->unit->options.without, HD_SWITCH_LOOP_UNROLLING) || legal->unoptimised)
		return 0;
	unroller.loop_kind = LLVMGetMDKindIDInContext(context, "llvm.loop", 9);
	for (LLVMValueRef f = LLVMGetFirstFunction(legal->module); f; f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f))
			choose(&unroller, f);
	if (!unroller.any)
		return 0;
	if (unroller.barriers)
		mark_barriers(legal, false);
	int status = hd_legal_run(
		legal, machine,
		"function(loop-unroll<O2;full-unroll-max=0;no-partial;no-runtime;no-upperbound;no-peeling>)");
	if (unroller.barriers)
		mark_barriers(legal, true);
	return status;
}
