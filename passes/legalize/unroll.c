/*
 * Unrolling of the small innermost loops that the user's compiler left rolled, and once more of those that go through
 * one array inside another loop, by four, as ptxas is seen to do: single blocks with loads whose latency the copies
 * overlap, counted by a constant step up to a bound that the loop does not change. Where all bounds are constants, a
 * loop is unrolled as a whole up to the sizes to which ptxas does so, which are several times those of the user's
 * compiler. LLVM's own unroller does the work, told by the loop's metadata; here the loops are chosen.
 *
 * A loop with `bar.sync` may be unrolled: the threads of a warp reach such a barrier together, so they go around
 * equally often. LLVM takes a barrier for any convergent operation; for the time of its pass the mark is taken away.
 *
 * Needs the clone of the module before its operations are expanded. Linear.
 */
#include "lib/map.h"
#include "passes/graph/graph.h"
#include "passes/legalize/legalize.h"

#include <llvm-c/DebugInfo.h>

#define COPIES 4u
#define SMALL 64u	/* instructions of a loop that is unrolled, PHIs apart; ptxas stops between 63 and 74 */
#define LOADS_AMONG 10u /* a load for so many instructions at least: others have nothing to overlap */

/* Turns of a loop up to which, and instructions of all of them, loop control apart, with which ptxas 13.0 makes
 * straight code of it: measured with multiply-adds of one load a turn. */
static const struct {
	uint64_t turns, insts;
} whole[] = {{4, 540}, {6, 600}, {8, 670}, {12, 780}, {16, 900}, {32, 1050}, {64, 1350}, {128, 1750}, {256, 2200}};

struct unroller {
	struct hd_legal *legal;
	unsigned loop_kind;
	bool any, barriers;
};

/* ---- what is known about a block ---- */

struct body {
	LLVMBasicBlockRef block;
	uint32_t insts, loads;
	LLVMValueRef array;   /* that all loads are from */
	bool arrays;	      /* loads from several */
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

static struct body scan(LLVMBasicBlockRef block)
{
	struct body body = {.block = block, .plain = true};
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(inst);
		/* Casts, constant offsets and the products in sums are mostly parts of other instructions. */
		body.insts +=
			op != LLVMPHI && op != LLVMSExt && op != LLVMZExt && op != LLVMFMul && !is_offset(inst, op);
		if (op == LLVMLoad)
			scan_load(&body, inst);
		else if (op == LLVMCall)
			scan_call(&body, inst);
	}
	return body;
}

/* ---- counting ---- */

static bool is_inside(LLVMValueRef value, LLVMBasicBlockRef block)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionParent(value) == block;
}

/* The step of a counter: a PHI of the block that a constant is added to in each iteration, or that sum. 0: none. */
static int64_t step_of(LLVMValueRef value, LLVMBasicBlockRef block)
{
	LLVMValueRef sum = value, phi = value;
	if (!is_inside(value, block))
		return 0;
	if (LLVMIsAPHINode(value)) {
		for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
			if (LLVMGetIncomingBlock(phi, i) == block)
				sum = LLVMGetIncomingValue(phi, i);
	} else {
		phi = LLVMGetNumOperands(value) ? LLVMGetOperand(value, 0) : NULL;
	}
	if (!phi || !LLVMIsAPHINode(phi) || !is_inside(phi, block) || !is_inside(sum, block) ||
	    LLVMGetInstructionOpcode(sum) != LLVMAdd || LLVMGetOperand(sum, 0) != phi ||
	    !LLVMIsAConstantInt(LLVMGetOperand(sum, 1)))
		return 0;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) == block && LLVMGetIncomingValue(phi, i) != sum)
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
static uint64_t turns_of(LLVMValueRef left, LLVMValueRef right, LLVMBasicBlockRef block, int64_t step)
{
	bool after = !LLVMIsAPHINode(left); /* what is compared is the sum */
	LLVMValueRef phi = after ? LLVMGetOperand(left, 0) : left, start = NULL;
	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
		if (LLVMGetIncomingBlock(phi, i) != block)
			start = start ? phi : LLVMGetIncomingValue(phi, i);
	if (!start || !LLVMIsAConstantInt(start))
		return 0;
	int64_t from = LLVMConstIntGetSExtValue(start), to = LLVMConstIntGetSExtValue(right);
	int64_t way = (int64_t)((uint64_t)to - (uint64_t)from);
	if (way % step || way / step < (after ? 1 : 0))
		return 0;
	return (uint64_t)(way / step) + (after ? 0 : 1);
}

static struct ending ending_of(LLVMValueRef branch, LLVMBasicBlockRef block)
{
	struct ending end = {0};
	LLVMValueRef condition = LLVMGetCondition(branch);
	if (!is_inside(condition, block) || LLVMGetInstructionOpcode(condition) != LLVMICmp)
		return end;
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
	LLVMValueRef left = LLVMGetOperand(condition, 0), right = LLVMGetOperand(condition, 1);
	if (is_inside(right, block))
		return end;
	end.equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
	end.constant = LLVMIsAConstantInt(right);
	end.step = step_of(left, block);
	if (end.step && end.equality && end.constant)
		end.turns = turns_of(left, right, block, end.step);
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
	struct ending end = ending_of(branch, body->block);
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
}

/* For each block whether it is on a cycle with another one: a loop of one block is then inside another loop. */
static bool *find_nested(LLVMValueRef function, struct hd_arena *arena)
{
	struct hd_map index = {0};
	HD_VEC(struct hd_edge) edges = {0};
	struct hd_graph graph;
	uint32_t blocks = 0, at = 0, *component;
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		hd_map_put(&index, bb, blocks++, 1);
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb), at++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(bb);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
			hd_vec_push(&edges, (struct hd_edge){at, hd_map_get(&index, LLVMGetSuccessor(end, i))->start});
	}
	hd_graph_build(&graph, arena, blocks, 0, edges.data, edges.len);
	uint32_t count = hd_graph_components(&graph, arena, &component);
	uint32_t *members = HD_ARENA_NEW(arena, uint32_t, count + 1);
	bool *nested = HD_ARENA_NEW(arena, bool, blocks + 1);
	for (uint32_t i = 0; i < blocks; i++)
		members[component[i]]++;
	for (uint32_t i = 0; i < blocks; i++)
		nested[i] = members[component[i]] > 1;
	hd_map_release(&index);
	hd_vec_release(&edges);
	return nested;
}

static bool is_loop(LLVMBasicBlockRef block)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
	return LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
	       (LLVMGetSuccessor(end, 0) == block) != (LLVMGetSuccessor(end, 1) == block);
}

static void choose(struct unroller *unroller, LLVMValueRef function)
{
	bool *nested = NULL;
	uint32_t at = 0;
	struct hd_arena arena;
	hd_arena_init(&arena);
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb), at++) {
		if (!is_loop(bb))
			continue;
		nested = nested ? nested : find_nested(function, &arena);
		struct body body = scan(bb);
		uint64_t copies = copies_of(unroller, LLVMGetBasicBlockTerminator(bb), &body, nested[at]);
		if (copies == 1)
			continue;
		wish(unroller, LLVMGetBasicBlockTerminator(bb), copies);
		unroller->barriers |= body.barriers;
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
