/*
 * Unrolling as ptxas does it behind nvcc's device compiler: of the small innermost loops that clang left or copied. A
 * loop with a known number of turns becomes straight code up to sizes that grow with the turns; beyond these it gets as
 * many copies as make PART instructions. One that counts by a constant step to a bound which it does not change gets
 * four, whether or not clang has made four before. What is larger than SMALL_KNOWN or SMALL stays. Loops of several
 * blocks become straight code where they read constant memory. LLVM's own unroller does the work, told by the loop's
 * metadata; here the loops are chosen. The limits are measurements of ptxas 13.0 (docs/model.md, Code).
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
#define SMALL 50u	/* instructions of a loop whose turns are not known, PHIs apart */
#define SMALL_KNOWN 72u /* the same where they are */
#define PART 336u	/* of the copies of one that has too many turns to be straight code */
/* Instructions of a block, where a loop has several: a longer side is worth its branch. */
#define SHORT_BLOCK 12u
#define LOADS_AMONG 10u /* a load for so many instructions at least, where the turns are not known */

/* Turns of a loop up to which, and instructions of all of them, with which ptxas 13.0 makes straight code of it:
 * measured with multiply-adds, and with those and a load. Between two rows the limit lies on a line. */
static const struct {
	uint64_t turns, insts;
} whole[] = {{4, 430},	 {6, 474},   {8, 484},	  {12, 595},   {16, 664},   {24, 800},	 {32, 912},
	     {48, 1130}, {64, 1310}, {100, 1650}, {128, 1980}, {256, 2940}, {512, 4350}, {1000, 6500}};

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
	bool constants;	      /* some from constant memory */
	bool barriers, plain; /* plain: nothing that must not be copied */
};

/* The names of __syncthreads(), up to LLVM 20 and after. */
static const char *const barriers[] = {"llvm.nvvm.barrier0", "llvm.nvvm.barrier.cta.sync.aligned.all"};

static bool is_barrier(LLVMValueRef callee)
{
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	return !strcmp(name, barriers[0]) || !strcmp(name, barriers[1]);
}

static void scan_call(struct body *body, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (is_barrier(callee))
		body->barriers = true;
	else
		body->plain &= LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) && !hd_legal_is_convergent(call);
}

/* The last index of an address where that is a constant, else 0. */
static uint64_t last_index_of(LLVMValueRef address)
{
	LLVMValueRef last = LLVMIsAGetElementPtrInst(address)
				    ? LLVMGetOperand(address, (unsigned)LLVMGetNumOperands(address) - 1)
				    : NULL;
	return last && LLVMIsAConstantInt(last) ? LLVMConstIntGetZExtValue(last) : 0;
}

/* ptxas counts a load twice, and makes one of four neighbours in shared memory. */
static void scan_load(struct body *body, LLVMValueRef load)
{
	LLVMValueRef array = LLVMGetOperand(load, 0);
	uint64_t last = last_index_of(array);
	while (LLVMIsAGetElementPtrInst(array) || LLVMIsAAddrSpaceCastInst(array))
		array = LLVMGetOperand(array, 0);
	bool cast = LLVMIsAConstantExpr(array) && LLVMGetConstOpcode(array) == LLVMAddrSpaceCast;
	LLVMTypeRef type = LLVMTypeOf(cast ? LLVMGetOperand(array, 0) : array);
	unsigned space = LLVMGetPointerAddressSpace(type);
	body->constants |= space == HD_AS_CONST;
	if (space == HD_AS_SHARED && last % 4)
		body->insts--;
	else
		body->insts += space != HD_AS_CONST;
	body->loads++;
}

static bool is_offset(LLVMValueRef inst, LLVMOpcode op)
{
	bool constant = op == LLVMGetElementPtr;
	for (int i = 1; constant && i < LLVMGetNumOperands(inst); i++)
		constant = LLVMIsAConstant(LLVMGetOperand(inst, (unsigned)i));
	return constant;
}

/* A division or root with the rounding of IEEE 754 or of integers: ptxas copies no loop with one. */
static bool is_routine(const struct unroller *unroller, LLVMValueRef inst, LLVMOpcode op)
{
	static const char *const roots[] = {"llvm.sqrt.", "llvm.nvvm.sqrt.r", "llvm.nvvm.div.r", "llvm.nvvm.rcp.r"};
	if (op == LLVMSDiv || op == LLVMUDiv || op == LLVMSRem || op == LLVMURem)
		return !LLVMIsAConstant(LLVMGetOperand(inst, 1));
	if (op == LLVMFDiv || op == LLVMFRem)
		return !hd_legal_may_approximate(unroller->legal, inst);
	const char *name = op == LLVMCall && LLVMIsAFunction(LLVMGetCalledValue(inst))
				   ? LLVMGetValueName(LLVMGetCalledValue(inst))
				   : "";
	for (unsigned i = 0; i < sizeof roots / sizeof *roots; i++)
		if (!strncmp(name, roots[i], strlen(roots[i])))
			return !hd_legal_may_approximate(unroller->legal, inst);
	return false;
}

/* A sum with a constant, or LLVM's OR in its place. */
static bool is_sum(LLVMValueRef value)
{
	bool binary = LLVMIsABinaryOperator(value) && LLVMIsAConstantInt(LLVMGetOperand(value, 1));
	return binary && (LLVMGetInstructionOpcode(value) == LLVMAdd || LLVMGetInstructionOpcode(value) == LLVMOr);
}

/* Whether the access takes an address's index without the constant in it as others have it, and a displacement. */
static bool is_displaced(LLVMValueRef inst, LLVMOpcode op)
{
	if (is_sum(inst)) {
		LLVMUseRef use = LLVMGetFirstUse(inst);
		LLVMValueRef user = use ? LLVMGetUser(use) : inst;
		return LLVMIsASExtInst(user) || LLVMIsAZExtInst(user) || LLVMIsAGetElementPtrInst(user);
	}
	if (op != LLVMGetElementPtr || last_index_of(inst))
		return op == LLVMGetElementPtr;
	LLVMValueRef index = LLVMGetOperand(inst, (unsigned)LLVMGetNumOperands(inst) - 1);
	if (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index))
		index = LLVMGetOperand(index, 0);
	return is_sum(index);
}

static void scan_block(const struct unroller *unroller, struct body *body, LLVMBasicBlockRef block)
{
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(inst);
		/* Casts, constants in addresses and the products in sums are mostly parts of other instructions. */
		body->insts += op != LLVMPHI && op != LLVMSExt && op != LLVMZExt && op != LLVMFMul &&
			       !is_offset(inst, op) && !is_displaced(inst, op);
		body->plain &= !is_routine(unroller, inst, op);
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
	bool equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
	end.constant = LLVMIsAConstantInt(right);
	end.step = step_of(left, loop);
	if (end.step && equality && end.constant)
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

static bool as_a_whole(uint64_t turns, const struct body *body)
{
	size_t rows = sizeof whole / sizeof *whole, i = 0;
	while (i < rows && turns > whole[i].turns)
		i++;
	if (!turns || i == rows)
		return false;
	uint64_t limit = whole[i].insts;
	if (i)
		limit -=
			(limit - whole[i - 1].insts) * (whole[i].turns - turns) / (whole[i].turns - whole[i - 1].turns);
	return turns * body->insts <= limit;
}

/* The most copies that divide the turns. */
static uint64_t part_of(uint64_t turns, const struct body *body)
{
	uint32_t control = 3; /* the sum, the comparison and the branch, which the copies go without */
	uint64_t copies = PART / (body->insts > control ? body->insts - control : 1);
	while (copies > 1 && turns % copies)
		copies--;
	return copies > 1 ? copies : 1;
}

/* How many copies there are to be of a loop's body; 1 where it stays as it is. */
static uint64_t copies_of(struct unroller *unroller, LLVMValueRef branch, const struct body *body)
{
	struct ending end = ending_of(&(struct shape){body->block, body->block, body->block});
	if (!end.step || !body->plain || is_told(unroller, branch))
		return 1;
	if (as_a_whole(end.turns, body))
		return end.turns;
	if (end.turns)
		return body->insts <= SMALL_KNOWN ? part_of(end.turns, body) : 1;
	bool pays = !end.constant && body->insts <= SMALL && body->loads * LOADS_AMONG >= body->insts;
	return pays ? COPIES : 1;
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
		scan_block(unroller, &body, bb);
		uint64_t copies = copies_of(unroller, LLVMGetBasicBlockTerminator(bb), &body);
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
			scan_block(unroller, &body, flow->blocks[loop->nodes[k]]);
			body.plain &= body.insts - before <= SHORT_BLOCK;
		}
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(shape.latch);
		if (!body.plain || !body.constants || body.insts > SMALL || !as_a_whole(end.turns, &body) ||
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
	if (single)
		choose_blocks(unroller, &flow);
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
static void mark_barrier(struct hd_legal *legal, LLVMValueRef barrier, bool convergent)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
	mark(legal->context, barrier, "convergent", convergent);
	mark(legal->context, barrier, "willreturn", !convergent);
	for (LLVMUseRef use = LLVMGetFirstUse(barrier); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (LLVMIsACallInst(call) && !convergent)
			LLVMRemoveCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind);
	}
}

static void mark_barriers(struct hd_legal *legal, bool convergent)
{
	for (size_t i = 0; i < sizeof barriers / sizeof barriers[0]; i++) {
		LLVMValueRef barrier = LLVMGetNamedFunction(legal->module, barriers[i]);
		if (barrier)
			mark_barrier(legal, barrier, convergent);
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
