/*
 * LINK: passes
 * flow: blocks, graph and estimates of hand-made functions, liveness against paths followed one by one.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/flow.h"

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static struct hd_flow flow_of(const struct hd_function *function)
{
	struct hd_flow flow;
	flow_compute(&flow, function, &hd_abi_cars, NULL, &arena);
	return flow;
}

static struct hd_regset regs(uint64_t low, uint8_t preds)
{
	return (struct hd_regset){{low}, preds};
}

#define EQ(set, low, predicates) ck_assert(hd_regset_equal(&(set), &(struct hd_regset){{low}, predicates}))

/* if (R0 < R1) R2 = R0 else R2 = R1; store R2 */
START_TEST(diamond)
{
	struct code code = {0};
	code_compare(&code, 0, 0, 1);
	code_branch(&code, 0, 4, 5);
	code_move(&code, 2, 1);
	code_jump(&code, 5);
	code_move(&code, 2, 0);
	code_store(&code, 3, 2);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "diamond", true, &arena);
	struct hd_flow flow = flow_of(&function);
	ck_assert_uint_eq(flow.block_count, 4);
	ck_assert_uint_eq(flow.blocks[2].first, 4);
	ck_assert_uint_eq(flow.blocks[3].count, 2);
	ck_assert_uint_eq(flow.block_of[6], 3);
	ck_assert_uint_eq(flow.idom[3], 0);
	EQ(flow.live_in[0], 0xb, 0); /* R0 R1 R3 */
	EQ(flow.live_in[1], 0xa, 0);
	EQ(flow.live_in[2], 0x9, 0);
	EQ(flow.live_in[3], 0xc, 0);
	ck_assert_double_eq_tol(flow.blocks[1].frequency, 0.5, 1e-9);
	ck_assert_double_eq_tol(flow.blocks[3].frequency, 1, 1e-9);
}
END_TEST

/* for (R0 = 0; R0 < R1; R0++) for (R2 = 0; R2 < R1; R2++) ; each exit at the bottom */
START_TEST(loops_run_ten_times)
{
	struct code code = {0};
	code_set(&code, 0, 0);
	code_set(&code, 2, 0);
	code_add(&code, 2, 2, 1);
	code_compare(&code, 0, 2, 1);
	code_branch(&code, 0, 2, 5);
	code_add(&code, 0, 0, 2);
	code_compare(&code, 0, 0, 1);
	code_branch(&code, 0, 1, 8);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "loops", true, &arena);
	struct hd_flow flow = flow_of(&function);
	ck_assert_uint_eq(flow.block_count, 5);
	ck_assert_uint_eq(flow.loops.count, 2);
	ck_assert(hd_flow_in_loop(&flow, 2, 0) && hd_flow_in_loop(&flow, 2, 1) && !hd_flow_in_loop(&flow, 3, 1));
	ck_assert_double_eq_tol(flow.blocks[1].frequency, 10, 1e-6);
	ck_assert_double_eq_tol(flow.blocks[2].frequency, 100, 1e-6);
	ck_assert_double_eq_tol(flow.blocks[4].frequency, 1, 1e-6);
	EQ(flow.live_in[2], 0x7, 0);
}
END_TEST

/* Two ways out of one iteration: 1 / (0.1 + 0.9 * 0.1) iterations, and what goes in comes out. */
START_TEST(flow_is_kept)
{
	struct code code = {0};
	code_set(&code, 0, 0);
	code_branch(&code, 0, 4, 4);
	code_branch(&code, 1, 4, 4);
	code_jump(&code, 1);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "breaks", true, &arena);
	struct hd_flow flow = flow_of(&function);
	ck_assert_double_eq_tol(flow.blocks[1].frequency, 1 / 0.19, 1e-6);
	ck_assert_double_eq_tol(flow.blocks[4].frequency, 1, 1e-6);
}
END_TEST

START_TEST(traps_are_not_taken)
{
	struct code code = {0};
	code_branch(&code, 0, 2, HD_NO_PC);
	code_exit(&code);
	code_op(&code, HD_OP_TRAP);
	struct hd_function function = code_finish(&code, "asserts", true, &arena);
	struct hd_flow flow = flow_of(&function);
	ck_assert_double_lt(flow.blocks[2].frequency, 0.001);
}
END_TEST

/* A guarded exit ends its block. A guarded write keeps the old value. */
START_TEST(guards)
{
	struct code code = {0};
	code_guard(&code, code_exit(&code), 0);
	code_guard(&code, code_set(&code, 1, 7), 1 | HD_PRED_NOT);
	code_store(&code, 0, 1);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "guards", true, &arena);
	struct hd_flow flow = flow_of(&function);
	ck_assert_uint_eq(flow.block_count, 2);
	EQ(flow.live_in[0], 0x3, 0x3);
}
END_TEST

/* One write for the lanes of P0 and one for the others: what was there before is not needed. */
START_TEST(complementary_writes_end_a_life)
{
	struct code code = {0};
	code_guard(&code, code_set(&code, 1, 7), 0);
	code_guard(&code, code_set(&code, 1, 8), 0 | HD_PRED_NOT);
	code_store(&code, 0, 1);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "complementary", true, &arena);
	struct hd_flow flow = flow_of(&function);
	EQ(flow.live_in[0], 0x1, 0x1);
}
END_TEST

/* A guarded write that nobody reads covers its register, even where it is its block's only one and the last. */
START_TEST(a_guarded_write_may_end_its_block)
{
	struct code code = {0};
	struct hd_flow_effects effects;
	code_set(&code, 2, 1);
	uint32_t write = code_guard(&code, code_set(&code, 1, 7), 0);
	code_store(&code, 0, 2); /* a loop's header */
	code_branch(&code, 1, 2, 4);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "last", true, &arena);
	struct hd_flow flow = flow_of(&function);
	ck_assert_uint_eq(hd_flow_last(&flow, 0), write);
	hd_flow_effects(&flow, write, &effects);
	EQ(effects.covers, 0x2, 0);
	EQ(effects.kills, 0, 0);
}
END_TEST

/* P0 = ... where P1, and where not: the first covers what was there for nobody's sake, and the second P0 with it. */
START_TEST(guarded_writes_cover_predicates)
{
	struct code code = {0};
	struct hd_flow_effects effects;
	uint32_t first = code_guard(&code, code_compare(&code, 0, 1, 2), 1);
	uint32_t second = code_guard(&code, code_compare(&code, 0, 2, 1), 1 | HD_PRED_NOT);
	uint32_t unread = code_guard(&code, code_compare(&code, 2, 2, 1), 1);
	code_guard(&code, code_store(&code, 0, 1), 0);
	code_exit(&code);
	struct hd_function function = code_finish(&code, "predicates", true, &arena);
	struct hd_flow flow = flow_of(&function);
	EQ(flow.live_in[0], 0x7, 0x2);
	hd_flow_effects(&flow, first, &effects);
	EQ(effects.covers, 0, 0x1);
	hd_flow_effects(&flow, second, &effects);
	EQ(effects.covers, 0, 0);
	hd_flow_effects(&flow, unread, &effects);
	EQ(effects.covers, 0, 0x4);
	EQ(effects.kills, 0, 0);
}
END_TEST

/* By the ABI alone a call reads every argument register and a return every result. */
START_TEST(calls_by_the_abi)
{
	struct code code = {0};
	struct hd_flow_effects effects;
	code_set(&code, 4, 1);
	code_call(&code);
	code_add(&code, 16, 16, 4);
	code_op(&code, HD_OP_RET);
	struct hd_function function = code_finish(&code, "caller", false, &arena);
	struct hd_flow flow = flow_of(&function);
	hd_flow_effects(&flow, 1, &effects);
	EQ(effects.reads, 0xfff2, 0);
	EQ(effects.writes, 0xfffd, HD_ALL_PREDS);
	EQ(effects.kills, 0xfffd, HD_ALL_PREDS);
	hd_flow_effects(&flow, 3, &effects);
	ck_assert(hd_regset_has(&effects.reads, 1) && hd_regset_has(&effects.reads, 4) &&
		  !hd_regset_has(&effects.reads, 0));
	ck_assert(hd_regset_has(&effects.reads, 16) && hd_regset_has(&effects.reads, 254));
}
END_TEST

/* A callee that reads R5 and passes R4 on: the call reads R1 and R5, and R4 stays live across it. */
START_TEST(calls_of_known_functions)
{
	struct code code = {0};
	uint32_t callee = 0;
	struct hd_flow_summary summary = {.uses = regs(0x20, 0), .through = regs(0x10, 0)};
	struct hd_call_site site = {.inst = 1, .callees = &callee, .callee_count = 1};
	struct hd_flow_facts facts = {.sites = &site, .site_count = 1, .summaries = &summary, .registers = 20};
	struct hd_flow flow;
	code_set(&code, 5, 1);
	code_call(&code);
	code_add(&code, 17, 6, 4);
	code_op(&code, HD_OP_RET);
	struct hd_function function = code_finish(&code, "caller", false, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, &facts, &arena);
	EQ(flow.calls[0].reads, 0x22, 0);
	EQ(flow.returns, 0xf0002, 0);	 /* R1, R16..R19 */
	EQ(flow.live_in[0], 0xd0012, 0); /* R1, R4, R16, R18, R19 */
}
END_TEST

/* Services read their arguments only. */
START_TEST(services)
{
	struct code code = {0};
	struct hd_flow_effects effects;
	uint32_t call = code_op(&code, HD_OP_SYSCALL);
	code.insts.data[call].x = HD_SYS_MALLOC;
	code.insts.data[call].xkind = HD_X_OTHER;
	code_exit(&code);
	struct hd_function function = code_finish(&code, "service", true, &arena);
	struct hd_flow flow = flow_of(&function);
	hd_flow_effects(&flow, call, &effects);
	EQ(effects.reads, 0x30, 0);
}
END_TEST

/* ---- liveness by its definition: some path from here reads the register before it writes it */

static bool has(const struct hd_regset *set, uint32_t reg, bool pred)
{
	return pred ? set->preds >> reg & 1 : hd_regset_has(set, reg);
}

static bool lives(const struct hd_flow *flow, uint32_t inst, uint32_t reg, bool pred, bool *seen)
{
	struct hd_flow_effects effects;
	uint32_t next[2];
	for (;;) {
		if (seen[inst])
			return false;
		seen[inst] = true;
		hd_flow_effects(flow, inst, &effects);
		if (has(&effects.reads, reg, pred))
			return true;
		if (has(&effects.kills, reg, pred))
			return false;
		uint32_t count = hd_inst_successors(flow->function, inst, next, 2);
		if (!count)
			return false;
		if (count == 2 && lives(flow, next[1], reg, pred, seen))
			return true;
		inst = next[0];
	}
}

/* The same for one thread, for which a predicate has one value between its writes in a block. */
struct thread {
	const struct hd_flow *flow;
	uint32_t reg;
	bool pred;
	bool *seen;		    /* blocks */
	int8_t value[HD_MAX_PREDS]; /* -1: either */
};

static bool lives_in_block(struct thread thread, uint32_t inst);

static bool lives_in_either(struct thread thread, uint32_t inst, unsigned p)
{
	struct thread other = thread;
	thread.value[p] = 0;
	other.value[p] = 1;
	return lives_in_block(thread, inst) || lives_in_block(other, inst);
}

static bool lives_beyond(struct thread thread, uint32_t block)
{
	const struct hd_graph *graph = &thread.flow->graph;
	bool live = false;
	memset(thread.value, -1, sizeof(thread.value));
	for (uint32_t e = graph->succ_start[block]; e < graph->succ_start[block + 1] && !live; e++) {
		uint32_t to = graph->succ[e];
		bool again = thread.seen[to];
		thread.seen[to] = true;
		live = !again && lives_in_block(thread, thread.flow->blocks[to].first);
	}
	return live;
}

static bool lives_in_block(struct thread thread, uint32_t inst)
{
	uint32_t block = thread.flow->block_of[inst];
	for (; inst <= hd_flow_last(thread.flow, block); inst++) {
		const struct hd_inst *code = &thread.flow->function->insts[inst];
		unsigned p = code->guard & ~(unsigned)HD_PRED_NOT;
		bool leaves = hd_opinfo[code->op].effects & (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT);
		bool guarded = code->guard != HD_PT && !leaves;
		if (guarded && thread.pred && thread.reg == p)
			return true;
		if (guarded && thread.value[p] < 0)
			return lives_in_either(thread, inst, p);
		if (guarded && thread.value[p] == (code->guard >= HD_PRED_NOT))
			continue;
		struct hd_flow_effects effects;
		hd_flow_effects(thread.flow, inst, &effects);
		if (has(&effects.reads, thread.reg, thread.pred))
			return true;
		if (has(guarded ? &effects.writes : &effects.kills, thread.reg, thread.pred))
			return false;
		for (unsigned q = 0; q < HD_MAX_PREDS; q++)
			if (effects.writes.preds >> q & 1)
				thread.value[q] = -1;
	}
	return lives_beyond(thread, block);
}

static bool lives_in_thread(const struct hd_flow *flow, uint32_t block, uint32_t reg, bool pred, bool *seen)
{
	struct thread thread = {.flow = flow, .reg = reg, .pred = pred, .seen = seen};
	memset(thread.value, -1, sizeof(thread.value));
	seen[block] = true;
	return lives_in_block(thread, flow->blocks[block].first);
}

START_TEST(liveness_matches_paths)
{
	enum { TRIALS = 300, REGS = 6 };
	uint64_t seed = 77;
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct hd_function function = code_random(&seed, 1 + trial % 9, 4, REGS, &arena);
		struct hd_flow flow = flow_of(&function);
		bool *seen = HD_ARENA_NEW(&arena, bool, function.inst_count);
		for (uint32_t b = 0; b < flow.block_count; b++)
			for (uint32_t r = 0; r < REGS + 3; r++) {
				bool pred = r >= REGS;
				uint32_t number = pred ? r - REGS : r;
				memset(seen, 0, function.inst_count);
				bool live = pred ? flow.live_in[b].preds >> number & 1
						 : hd_regset_has(&flow.live_in[b], number);
				/* Not less than a thread needs, nor more than paths without a look at predicates do. */
				ck_assert(!live || lives(&flow, flow.blocks[b].first, number, pred, seen));
				memset(seen, 0, function.inst_count);
				ck_assert(live || !lives_in_thread(&flow, b, number, pred, seen));
			}
	}
}
END_TEST

/* What goes out of the entry arrives at ways out, where nothing loops for ever. */
START_TEST(frequencies_are_finite)
{
	uint64_t seed = 78;
	for (unsigned trial = 0; trial < 300; trial++) {
		struct hd_function function = code_random(&seed, 2 + trial % 12, 2, 4, &arena);
		struct hd_flow flow = flow_of(&function);
		for (uint32_t b = 0; b < flow.block_count; b++) {
			ck_assert(flow.blocks[b].frequency >= 0 && flow.blocks[b].frequency < 1e12);
			ck_assert((flow.blocks[b].frequency > 0) == (flow.position[b] != HD_NO_NODE));
		}
	}
}
END_TEST

START_TEST(sets_print_as_runs)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct hd_regset set = regs(0xf1, 0x5), none = {0};
	set.regs[3] = UINT64_C(3) << 61;
	hd_regset_print(out, &set);
	fputc('|', out);
	hd_regset_print(out, &none);
	fclose(out);
	ck_assert_str_eq(text, "R0 R4-R7 R253-R254 P0 P2|none");
	free(text);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {diamond,
				      loops_run_ten_times,
				      flow_is_kept,
				      traps_are_not_taken,
				      guards,
				      complementary_writes_end_a_life,
				      a_guarded_write_may_end_its_block,
				      guarded_writes_cover_predicates,
				      calls_by_the_abi,
				      calls_of_known_functions,
				      services,
				      liveness_matches_paths,
				      frequencies_are_finite,
				      sets_print_as_runs,
				      NULL};
	Suite *suite = suite_create("flow");
	TCase *tcase = tcase_create("flow");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
