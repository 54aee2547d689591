/*
 * LINK: passes
 * Uniformity: hand-made IR with known answers, and random control flow executed by 32 lanes
 * that reconverge at immediate post-dominators, where nothing called uniform may differ.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "passes/graph/graph.h"
#include "passes/ir/uniformity.h"
#include "random_graph.h"

static struct hd_arena arena;
static LLVMContextRef context;

static void set_up(void)
{
	hd_arena_init(&arena);
	context = LLVMContextCreate();
}

static void tear_down(void)
{
	hd_arena_release(&arena);
	LLVMContextDispose(context);
}

/* Analyses @f of the text; values whose name begins with "d" must be divergent, with "u" uniform. */
static void check(const char *body, bool kernel)
{
	char text[4096], *message = NULL;
	snprintf(text, sizeof(text),
		 "@g = addrspace(1) global i32 0\n"
		 "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
		 "declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
		 "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
		 "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n"
		 "declare i32 @llvm.smax.i32(i32, i32)\n"
		 "declare i32 @h(i32)\n"
		 "define i32 @f(ptr addrspace(1) %%p, i32 %%n) {\n%s}\n",
		 body);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
	LLVMModuleRef module;
	ck_assert_msg(!LLVMParseIRInContext(context, buffer, &module, &message), "%s", message);
	LLVMValueRef function = LLVMGetNamedFunction(module, "f");
	struct hd_uniformity *result = hd_uniformity_compute(function, kernel, &arena);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
			const char *name = LLVMGetValueName(i);
			if (*name == 'd' || *name == 'u')
				ck_assert_msg(hd_value_is_uniform(result, i) == (*name == 'u'), "%s", name);
		}
	/* The block's name says the same of its branch. */
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		const char *name = LLVMGetBasicBlockName(b);
		if (*name == 'd' || *name == 'u')
			ck_assert_msg(hd_branch_is_uniform(result, LLVMGetBasicBlockTerminator(b)) == (*name == 'u'),
				      "%s", name);
	}
	LLVMDisposeModule(module);
}

START_TEST(sources_and_uses)
{
	check("%d1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	      "%u1 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
	      "%d2 = add i32 %d1, %u1\n"
	      "%u2 = mul i32 %n, %u1\n"
	      "%u3 = call i32 @llvm.smax.i32(i32 %u2, i32 7)\n"
	      "%d3 = call i32 @llvm.smax.i32(i32 %d2, i32 7)\n"
	      "%c = icmp eq i32 %d1, 3\n"
	      "%u4 = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %c)\n"
	      "%d4 = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %n, i32 0, i32 31)\n"
	      "%u5 = load i32, ptr addrspace(1) @g\n"
	      "%ua = getelementptr i32, ptr addrspace(1) %p, i32 %n\n"
	      "%u6 = load i32, ptr addrspace(1) %ua\n"
	      "%da = getelementptr i32, ptr addrspace(1) %p, i32 %d1\n"
	      "%d6 = load i32, ptr addrspace(1) %da\n"
	      "%d7 = atomicrmw add ptr addrspace(1) %ua, i32 1 seq_cst\n"
	      "%d8 = call i32 @h(i32 0)\n"
	      "%l = alloca i32\n"
	      "%d9 = load i32, ptr %l\n"
	      "ret i32 %d9\n",
	      true);
}
END_TEST

START_TEST(parameters_of_functions_are_divergent)
{
	check("%d1 = add i32 %n, 1\nret i32 %d1\n", false);
	check("%u1 = add i32 %n, 1\nret i32 %u1\n", true);
}
END_TEST

START_TEST(a_divergent_branch_makes_its_join_divergent)
{
	check("d0:\n"
	      "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	      "  %c = icmp eq i32 %t, 0\n"
	      "  br i1 %c, label %u1, label %u2\n"
	      "u1:\n  %k = icmp eq i32 %n, 0\n  br i1 %k, label %x, label %y\n"
	      "x:\n  br label %z\n"
	      "y:\n  br label %z\n"
	      "z:\n  %uz = phi i32 [1, %x], [2, %y]\n  br label %m\n"
	      "u2:\n  br label %m\n"
	      "m:\n"
	      "  %dm = phi i32 [%uz, %z], [3, %u2]\n"
	      "  %um = phi i32 [%n, %z], [%n, %u2]\n"
	      "  ret i32 %dm\n",
	      true);
}
END_TEST

START_TEST(a_loop_left_in_different_iterations_is_divergent_outside)
{
	check("entry:\n"
	      "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	      "  br label %d1\n"
	      "d1:\n"
	      "  %ui = phi i32 [0, %entry], [%un, %d1]\n"
	      "  %un = add i32 %ui, 1\n"
	      "  %c = icmp ult i32 %un, %t\n"
	      "  br i1 %c, label %d1, label %d2\n"
	      "d2:\n"
	      "  %d3 = add i32 %un, 5\n"
	      "  %e = icmp eq i32 %ui, 7\n"
	      "  br i1 %e, label %a, label %b\n"
	      "a:\n  br label %b\n"
	      "b:\n"
	      "  %d4 = phi i32 [0, %a], [1, %d2]\n"
	      "  ret i32 %d4\n",
	      true);
}
END_TEST

/* The branch of `b` is uniform, but lanes have left through `a` in earlier iterations. */
START_TEST(different_exits_of_a_loop_are_a_join)
{
	check("entry:\n"
	      "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	      "  br label %da\n"
	      "da:\n"
	      "  %ui = phi i32 [0, %entry], [%ui2, %ub]\n"
	      "  %c = icmp eq i32 %ui, %t\n"
	      "  br i1 %c, label %out, label %ub\n"
	      "ub:\n"
	      "  %ui2 = add i32 %ui, 1\n"
	      "  %k = icmp eq i32 %ui2, %n\n"
	      "  br i1 %k, label %out, label %da\n"
	      "out:\n"
	      "  %d1 = phi i32 [1, %da], [2, %ub]\n"
	      "  ret i32 %d1\n",
	      true);
}
END_TEST

START_TEST(an_inner_loop_is_not_spoiled_by_a_divergent_break)
{
	check("entry:\n"
	      "  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
	      "  br label %d1\n"
	      "d1:\n"
	      "  %ui = phi i32 [0, %entry], [%ui2, %latch]\n"
	      "  %c = icmp ult i32 %ui, %t\n"
	      "  br i1 %c, label %u2, label %out\n"
	      "u2:\n"
	      "  %uj = phi i32 [0, %d1], [%uj2, %u2]\n"
	      "  %uj2 = add i32 %uj, 1\n"
	      "  %k = icmp ult i32 %uj2, %n\n"
	      "  br i1 %k, label %u2, label %latch\n"
	      "latch:\n  %ui2 = add i32 %ui, %uj2\n  br label %d1\n"
	      "out:\n  ret i32 0\n",
	      true);
}
END_TEST

/* ---- random programs */

enum { BLOCKS = 9, INSTS = 4, LANES = 32, STEPS = 3000 };
enum kind { TID, PARAM, PHI, ADD, XOR, MUL };

struct value {
	enum kind kind;
	uint32_t block, a, b;
	uint32_t incoming[2 * BLOCKS];
	LLVMValueRef ir;
};

struct program {
	struct hd_graph graph;
	uint32_t *idom, *depth, *post;
	uint32_t exits[BLOCKS], succ[BLOCKS][2], cond[BLOCKS]; /* exits: number of successors */
	uint32_t blocks, count, first[BLOCKS + 1];
	struct value values[2 + BLOCKS * INSTS];
	LLVMModuleRef module;
	LLVMValueRef function, branch[BLOCKS];
};

/* A value that is there at the end of `block`; values 0 and 1 are everywhere. */
static uint32_t pick(const struct program *program, uint32_t block, uint32_t limit, uint64_t *seed)
{
	for (unsigned attempt = 0; attempt < 20; attempt++) {
		/* Often a recent value, so that loops count. */
		uint32_t near = limit < 6 || random_below(seed, 2) ? limit : 6;
		uint32_t v = limit - 1 - random_below(seed, near);
		if (v < 2 || hd_dominates(program->idom, program->depth, program->values[v].block, block))
			return v;
	}
	return random_below(seed, 2);
}

static void make_shape(struct program *program, uint64_t *seed)
{
	struct hd_edge edges[2 * BLOCKS];
	uint32_t count = 0;
	program->blocks = 2 + random_below(seed, BLOCKS - 1);
	for (uint32_t b = 0; b < program->blocks; b++) {
		program->exits[b] = b + 1 == program->blocks ? 0 : 1 + (random_below(seed, 3) > 0);
		for (uint32_t s = 0; s < program->exits[b]; s++) {
			/* Mostly forwards; not to the entry. */
			uint32_t forward = b + 1 + random_below(seed, program->blocks - b - 1);
			uint32_t anywhere = 1 + random_below(seed, program->blocks - 1);
			program->succ[b][s] = random_below(seed, 5) > 1 ? forward : anywhere;
			edges[count++] = (struct hd_edge){b, program->succ[b][s]};
		}
	}
	hd_graph_build(&program->graph, &arena, program->blocks, 0, edges, count);
	program->idom = hd_graph_dominators(&program->graph, &arena);
	program->depth = hd_dominator_depths(program->idom, program->blocks, &arena);
	program->post = hd_graph_post_dominators(&program->graph, &arena);
}

static void make_values(struct program *program, uint64_t *seed)
{
	program->values[0].kind = TID;
	program->values[1].kind = PARAM;
	program->count = 2;
	for (uint32_t b = 0; b < program->blocks; b++) {
		uint32_t preds = program->graph.pred_start[b + 1] - program->graph.pred_start[b];
		program->first[b] = program->count;
		for (uint32_t i = 0; i < INSTS; i++) {
			bool phi = preds && i < 2;
			program->values[program->count++] =
				(struct value){.kind = phi ? PHI : ADD + random_below(seed, 3), .block = b};
		}
	}
	program->first[program->blocks] = program->count;
	for (uint32_t v = 2; v < program->count; v++) {
		struct value *value = &program->values[v];
		uint32_t start = program->graph.pred_start[value->block];
		value->a = pick(program, value->block, v, seed);
		value->b = pick(program, value->block, v, seed);
		/* Edges from one block twice must bring the same. */
		for (uint32_t e = start; e < program->graph.pred_start[value->block + 1]; e++) {
			uint32_t from = program->graph.pred[e];
			bool twin = e > start && program->graph.pred[e - 1] == from;
			value->incoming[e - start] = twin ? value->incoming[e - start - 1]
							  : pick(program, from, program->first[from + 1], seed);
		}
	}
	for (uint32_t b = 0; b < program->blocks; b++)
		program->cond[b] = pick(program, b, program->first[b + 1], seed);
}

static LLVMValueRef emit(const struct program *program, const struct value *value, LLVMBuilderRef builder)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMValueRef a = program->values[value->a].ir, b = program->values[value->b].ir;
	if (value->kind == PHI)
		return LLVMBuildPhi(builder, i32, "");
	/* Not folded to constants: one operand is always an instruction or a parameter. */
	return value->kind == ADD   ? LLVMBuildAdd(builder, a, b, "")
	       : value->kind == XOR ? LLVMBuildXor(builder, a, b, "")
				    : LLVMBuildMul(builder, a, b, "");
}

static void build_block(struct program *program, uint32_t b, LLVMBasicBlockRef *blocks, LLVMBuilderRef builder)
{
	LLVMPositionBuilderAtEnd(builder, blocks[b]);
	if (b == 0) {
		LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), NULL, 0, 0);
		LLVMValueRef tid = LLVMAddFunction(program->module, "llvm.nvvm.read.ptx.sreg.tid.x", type);
		program->values[0].ir = LLVMBuildCall2(builder, type, tid, NULL, 0, "");
		program->values[1].ir = LLVMGetParam(program->function, 0);
	}
	for (uint32_t v = program->first[b]; v < program->first[b + 1]; v++)
		program->values[v].ir = emit(program, &program->values[v], builder);
}

static void end_block(struct program *program, uint32_t b, LLVMBasicBlockRef *blocks, LLVMBuilderRef builder)
{
	LLVMPositionBuilderAtEnd(builder, blocks[b]);
	const uint32_t *succ = program->succ[b];
	if (program->exits[b] == 2) {
		LLVMValueRef bit = LLVMBuildTrunc(builder, program->values[program->cond[b]].ir,
						  LLVMInt1TypeInContext(context), "");
		program->branch[b] = LLVMBuildCondBr(builder, bit, blocks[succ[0]], blocks[succ[1]]);
	} else {
		program->branch[b] =
			program->exits[b] ? LLVMBuildBr(builder, blocks[succ[0]]) : LLVMBuildRetVoid(builder);
	}
}

static void build_ir(struct program *program)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &i32, 1, 0);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMBasicBlockRef blocks[BLOCKS + 1];
	uint32_t *rpo, reachable = hd_graph_rpo(&program->graph, &arena, &rpo);
	program->module = LLVMModuleCreateWithNameInContext("random", context);
	program->function = LLVMAddFunction(program->module, "f", type);
	for (uint32_t b = 0; b < program->blocks; b++) {
		blocks[b] = LLVMAppendBasicBlockInContext(context, program->function, "");
		program->branch[b] = NULL;
	}
	for (uint32_t i = 0; i < reachable; i++)
		build_block(program, rpo[i], blocks, builder);
	for (uint32_t b = 0; b < program->blocks; b++) {
		if (program->idom[b] != HD_NO_NODE) {
			end_block(program, b, blocks, builder);
			continue;
		}
		LLVMPositionBuilderAtEnd(builder, blocks[b]);
		LLVMBuildUnreachable(builder);
	}
	for (uint32_t v = 2; v < program->count; v++) {
		struct value *value = &program->values[v];
		uint32_t start = program->graph.pred_start[value->block];
		if (value->kind != PHI || program->idom[value->block] == HD_NO_NODE)
			continue;
		for (uint32_t e = start; e < program->graph.pred_start[value->block + 1]; e++)
			if (program->idom[program->graph.pred[e]] != HD_NO_NODE)
				LLVMAddIncoming(value->ir, &program->values[value->incoming[e - start]].ir,
						&blocks[program->graph.pred[e]], 1);
	}
	LLVMDisposeBuilder(builder);
}

struct machine {
	const struct program *program;
	const struct hd_uniformity *claims;
	uint32_t registers[2 + BLOCKS * INSTS][LANES], previous[LANES], steps;
};

static uint32_t incoming_of(const struct program *program, const struct value *value, uint32_t previous)
{
	uint32_t start = program->graph.pred_start[value->block], e = start;
	while (program->graph.pred[e] != previous)
		e++;
	return value->incoming[e - start];
}

static uint32_t evaluate(const struct machine *machine, const struct value *value, uint32_t lane)
{
	uint32_t a = machine->registers[value->a][lane], b = machine->registers[value->b][lane];
	switch (value->kind) {
	case PHI: return machine->registers[incoming_of(machine->program, value, machine->previous[lane])][lane];
	case ADD: return a + b + 1;
	case XOR: return a ^ b;
	default: return a * b;
	}
}

static void execute(struct machine *machine, uint32_t block, uint32_t mask)
{
	const struct program *program = machine->program;
	uint32_t fresh[INSTS][LANES], first = program->first[block];
	for (uint32_t v = first; v < program->first[block + 1]; v++) {
		uint32_t leader = (uint32_t)__builtin_ctz(mask);
		for (uint32_t lane = 0; lane < LANES; lane++)
			if (mask >> lane & 1)
				fresh[v - first][lane] = evaluate(machine, &program->values[v], lane);
		for (uint32_t lane = 0; lane < LANES; lane++)
			if (mask >> lane & 1 && hd_value_is_uniform(machine->claims, program->values[v].ir))
				ck_assert_uint_eq(fresh[v - first][lane], fresh[v - first][leader]);
		/* Phis read what was there before any of them is written. */
		bool last_phi = v + 1 == program->first[block + 1] || program->values[v + 1].kind != PHI;
		for (uint32_t w = first; w <= v && last_phi; w++)
			for (uint32_t lane = 0; lane < LANES; lane++)
				if (mask >> lane & 1)
					machine->registers[w][lane] = fresh[w - first][lane];
	}
}

/* Runs the lanes of `mask` from `block` until they reach `stop` or end. Returns those that reached it. */
static uint32_t run(struct machine *machine, uint32_t block, uint32_t mask, uint32_t stop)
{
	const struct program *program = machine->program;
	while (mask && block != stop && machine->steps++ < STEPS) {
		uint32_t taken = 0;
		execute(machine, block, mask);
		if (!program->exits[block])
			return 0;
		for (uint32_t lane = 0; lane < LANES; lane++)
			if (mask >> lane & 1) {
				machine->previous[lane] = block;
				if (program->exits[block] == 2 && machine->registers[program->cond[block]][lane] & 1)
					taken |= 1u << lane;
			}
		uint32_t to_taken = program->succ[block][0], to_other = program->succ[block][program->exits[block] - 1];
		if (program->exits[block] == 1 || taken == mask || !taken) {
			block = taken == mask ? to_taken : to_other;
			continue;
		}
		ck_assert(!hd_branch_is_uniform(machine->claims, program->branch[block]));
		uint32_t end = program->post[block];
		uint32_t left = run(machine, to_taken, taken, end) | run(machine, to_other, mask & ~taken, end);
		mask = end == HD_NO_NODE ? 0 : left;
		block = end;
	}
	return block == stop && machine->steps < STEPS ? mask : 0;
}

START_TEST(nothing_called_uniform_differs)
{
	uint64_t seed = 21;
	unsigned uniform = 0, trials = hd_samples(100, 800);
	for (unsigned trial = 0; trial < trials; trial++) {
		struct program program = {0};
		static struct machine machine;
		make_shape(&program, &seed);
		make_values(&program, &seed);
		build_ir(&program);
		machine = (struct machine){.program = &program};
		machine.claims = hd_uniformity_compute(program.function, true, &arena);
		for (uint32_t lane = 0; lane < LANES; lane++) {
			machine.registers[0][lane] = lane;
			machine.registers[1][lane] = 77;
		}
		for (uint32_t v = 2; v < program.count; v++)
			uniform += program.values[v].ir && hd_value_is_uniform(machine.claims, program.values[v].ir);
		run(&machine, 0, 0xffffffff, HD_NO_NODE);
		LLVMDisposeModule(program.module);
		hd_arena_release(&arena);
		hd_arena_init(&arena);
	}
	/* The analysis says something at all. */
	ck_assert_uint_gt(uniform, trials);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		sources_and_uses,
		parameters_of_functions_are_divergent,
		a_divergent_branch_makes_its_join_divergent,
		a_loop_left_in_different_iterations_is_divergent_outside,
		different_exits_of_a_loop_are_a_join,
		an_inner_loop_is_not_spoiled_by_a_divergent_break,
		nothing_called_uniform_differs,
		NULL,
	};
	return hd_suite_with("uniformity", tests, set_up, tear_down);
}
