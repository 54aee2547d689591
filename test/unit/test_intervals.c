/*
 * LINK: passes
 * intervals: Figure 6, loops that fit and that do not, cuts, calls, irreducible graphs and strands by hand; random
 * functions against the definition and against walks through them.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/intervals.h"
#include "sample.h"

static struct hd_arena arena;
static struct hd_flow flow;
static struct hd_liveness liveness;
static struct hd_subgraphs made;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static void analyse(const struct hd_function *function, bool uniform)
{
	struct hd_bitset branches = hd_bitset_new(&arena, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count && uniform; i++)
		hd_bitset_add(&branches, i);
	flow_compute(&flow, function, &hd_abi_cars, NULL, &arena);
	hd_liveness_compute(&liveness, &flow, &branches, NULL, NULL, &arena);
}

static void partition(const struct hd_function *function, enum hd_subgraph_kind kind, uint32_t limit)
{
	analyse(function, true);
	ck_assert_uint_eq(hd_subgraphs_compute(&made, kind, limit, &liveness, &arena), HD_NO_NODE);
	ck_assert_pstr_eq(hd_subgraphs_wrong(&made), NULL);
}

static struct hd_function finish(struct code *code)
{
	return code_finish(code, "k", true, &arena);
}

/* Entry, instructions, working set and live registers of one subgraph, all registers below 64. */
#define IS(id, entry_, count_, set_, live_)                                                  \
	do {                                                                                 \
		ck_assert_uint_lt(id, made.count);                                           \
		ck_assert_uint_eq(made.list[id].entry, entry_);                              \
		ck_assert_uint_eq(made.list[id].inst_count, count_);                         \
		ck_assert_uint_eq(made.list[id].set.regs[0], set_);                          \
		ck_assert_uint_eq(made.list[id].live_in.regs[0], live_);                     \
		ck_assert_uint_eq(made.list[id].set.preds | made.list[id].live_in.preds, 0); \
	} while (0)

/* Figure 6: A heads the outer loop, B and C are the inner one; A may leave. */
static struct hd_function figure_6(void)
{
	struct code code = {0};
	code_add(&code, 2, 0, 1);		/* 0 A */
	code_guard(&code, code_exit(&code), 0); /* 1   */
	code_add(&code, 3, 2, 0);		/* 2 B */
	code_branch(&code, 1, 0, HD_NO_PC);	/* 3   to A */
	code_add(&code, 4, 3, 0);		/* 4 C */
	code_jump(&code, 2);			/* 5   to B */
	return finish(&code);
}

START_TEST(figure)
{
	struct hd_function function = figure_6();
	partition(&function, HD_REGISTER_INTERVALS, 8);
	ck_assert_uint_eq(made.first_count, 2);
	ck_assert_uint_eq(made.rounds, 1);
	ck_assert_uint_eq(made.count, 1);
	IS(0, 0, 6, 0x1f, 0x03);
}
END_TEST

/* {R0 R1 R2} and {R0 R2 R3 R4}: five in all. */
START_TEST(figure_that_does_not_fit)
{
	struct hd_function function = figure_6();
	partition(&function, HD_REGISTER_INTERVALS, 4);
	ck_assert_uint_eq(made.count, 2);
	IS(0, 0, 2, 0x07, 0x03);
	IS(1, 2, 4, 0x1d, 0x05);
	partition(&function, HD_REGISTER_INTERVALS, 5);
	ck_assert_uint_eq(made.count, 1);
}
END_TEST

/* A lane that waits elsewhere may need what this lane is about to write. */
START_TEST(waiting_lanes_count)
{
	struct code code = {0};
	code_branch(&code, 0, 3, 4); /* 0 */
	code_call(&code);	     /* 1 */
	code_set(&code, 16, 1);	     /* 2 */
	code_store(&code, 17, 16);   /* 3 the other lanes' R16 */
	code_exit(&code);	     /* 4 */
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 8);
	IS(2, 2, 1, 0x10000, 0);
	analyse(&function, false);
	ck_assert_uint_eq(hd_subgraphs_compute(&made, HD_REGISTER_INTERVALS, 8, &liveness, &arena), HD_NO_NODE);
	IS(2, 2, 1, 0x10000, 0x10000);
}
END_TEST

/* What pass 2 sees one level of at a time: `depth` loops, one inside the other. */
static struct hd_function nest(uint32_t depth)
{
	struct code code = {0};
	for (uint32_t i = 0; i < depth; i++)
		code_add(&code, 2, 2, 1);
	for (uint32_t i = depth; i-- > 0;)
		code_branch(&code, 0, i, HD_NO_PC);
	code_exit(&code);
	return finish(&code);
}

START_TEST(each_round_takes_a_level)
{
	struct hd_function function = nest(20);
	partition(&function, HD_REGISTER_INTERVALS, 4);
	ck_assert_uint_eq(made.count, 1);
	ck_assert_uint_eq(made.first_count, 20);
	ck_assert_uint_le(made.rounds, 20);
	partition(&function, HD_STRANDS, 4);
	ck_assert_uint_ge(made.count, 20);
}
END_TEST

/* A loop of six registers, with N of six and of five. */
START_TEST(loops)
{
	struct code code = {0};
	code_set(&code, 0, 0);		    /* 0 */
	code_add(&code, 2, 0, 1);	    /* 1 header */
	code_add(&code, 4, 2, 3);	    /* 2 */
	code_add(&code, 5, 4, 3);	    /* 3 */
	code_branch(&code, 0, 1, HD_NO_PC); /* 4 */
	code_exit(&code);		    /* 5 */
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 6);
	ck_assert_uint_eq(made.count, 1);
	IS(0, 0, 6, 0x3f, 0x0a);
	partition(&function, HD_REGISTER_INTERVALS, 5);
	ck_assert_uint_eq(made.first_count, 3);
	ck_assert_uint_eq(made.count, 3); /* 1 has two ways in; 1 and 3 need six */
	IS(0, 0, 1, 0x01, 0x00);
	IS(1, 1, 2, 0x1f, 0x0b);
	IS(2, 3, 3, 0x38, 0x18);
}
END_TEST

/* Exactly N fit: the ninth register opens the next interval, the block is cut twice. */
START_TEST(blocks_are_cut)
{
	struct code code = {0};
	for (uint8_t reg = 0; reg < 20; reg++)
		code_set(&code, reg, 1);
	code_exit(&code);
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 8);
	ck_assert_uint_eq(made.count, 3);
	IS(0, 0, 8, 0xff, 0);
	IS(1, 8, 8, 0xff00, 0);
	IS(2, 16, 5, 0xf0000, 0);
	partition(&function, HD_REGISTER_INTERVALS, 20);
	ck_assert_uint_eq(made.count, 1);
}
END_TEST

/* Each path fits, both together do not: what the entry fetches has to do for either. */
START_TEST(sides_of_a_branch_count_together)
{
	struct code code = {0};
	code_branch(&code, 0, 3, 4); /* 0 */
	code_add(&code, 0, 1, 2);    /* 1 */
	code_jump(&code, 4);	     /* 2 */
	code_add(&code, 3, 4, 5);    /* 3 */
	code_set(&code, 0, 0);	     /* 4 */
	code_exit(&code);	     /* 5 */
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 6);
	ck_assert_uint_eq(made.count, 1);
	partition(&function, HD_REGISTER_INTERVALS, 5);
	ck_assert_uint_eq(made.count, 3);
	IS(0, 0, 3, 0x07, 0x06);
	IS(1, 3, 1, 0x38, 0x30);
	IS(2, 4, 2, 0x01, 0);
}
END_TEST

/* A call is alone and stays so; it has no registers of its own, so nothing to fetch. */
START_TEST(calls)
{
	struct code code = {0};
	code_set(&code, 4, 1);	  /* 0 */
	code_call(&code);	  /* 1 */
	code_add(&code, 5, 4, 4); /* 2 */
	code_call(&code);	  /* 3 */
	code_call(&code);	  /* 4 */
	code_exit(&code);	  /* 5 */
	struct hd_function function = finish(&code);
	for (unsigned kind = HD_REGISTER_INTERVALS; kind <= HD_STRANDS; kind++) {
		partition(&function, (enum hd_subgraph_kind)kind, 16);
		ck_assert_uint_eq(made.count, 6);
		for (uint32_t i = 0; i < 6; i++) {
			ck_assert_uint_eq(made.list[i].entry, i);
			ck_assert_int_eq(made.list[i].call, i == 1 || i == 3 || i == 4);
		}
		ck_assert_uint_eq(hd_subgraphs_prefetches(&made), 2);
		IS(2, 2, 1, 0x30, 0x10);
	}
}
END_TEST

/* A loop with two ways in: neither block has all of its predecessors in one interval. */
START_TEST(irreducible)
{
	struct code code = {0};
	code_branch(&code, 0, 3, HD_NO_PC); /* 0 */
	code_add(&code, 0, 0, 0);	    /* 1 */
	code_branch(&code, 1, 5, HD_NO_PC); /* 2 */
	code_add(&code, 1, 1, 1);	    /* 3 */
	code_jump(&code, 1);		    /* 4 */
	code_exit(&code);		    /* 5 */
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 16);
	ck_assert_uint_eq(made.count, 3);
	IS(1, 1, 3, 0x1, 0x1); /* with the exit */
	IS(2, 3, 2, 0x2, 0x2);
}
END_TEST

static uint32_t wide_load(struct code *code)
{
	uint32_t inst = code_op(code, HD_OP_LDG);
	code->insts.data[inst].mods = HD_MOD(SIZE, HD_SIZE_128);
	code->insts.data[inst].dst = 4;
	code->insts.data[inst].a = 2;
	code->insts.data[inst].xkind = HD_X_OTHER;
	return inst;
}

/* A pair is two registers, a quad four; RZ and predicates are none. */
START_TEST(registers)
{
	struct code code = {0};
	wide_load(&code);
	code_move(&code, 8, HD_RZ);
	code_compare(&code, 0, 8, HD_RZ);
	code_exit(&code);
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 7);
	ck_assert_uint_eq(made.count, 1);
	IS(0, 0, 4, 0x1fc, 0xc);
	partition(&function, HD_REGISTER_INTERVALS, 6);
	ck_assert_uint_eq(made.count, 2);
	IS(1, 1, 3, 0x100, 0);
}
END_TEST

START_TEST(one_instruction_needs_more)
{
	struct code code = {0};
	code_set(&code, 0, 0);
	wide_load(&code);
	code_exit(&code);
	struct hd_function function = finish(&code);
	analyse(&function, true);
	ck_assert_uint_eq(hd_subgraphs_compute(&made, HD_REGISTER_INTERVALS, 5, &liveness, &arena), 1);
	ck_assert_uint_eq(hd_subgraphs_compute(&made, HD_STRANDS, 5, &liveness, &arena), 1);
	ck_assert_uint_eq(hd_subgraphs_compute(&made, HD_STRANDS, 6, &liveness, &arena), HD_NO_NODE);
}
END_TEST

/* Seventeen registers in a block without branches: the second begins with the instruction that brings the last. */
START_TEST(the_seventeenth_register_begins_another)
{
	struct code code = {0};
	for (uint8_t i = 0; i < 16; i++)
		code_set(&code, i, i);
	code_add(&code, 0, 14, 15); /* 16: nothing new */
	code_add(&code, 16, 0, 1);  /* 17 */
	code_add(&code, 2, 3, 16);  /* 18 */
	code_exit(&code);
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 16);
	ck_assert_uint_eq(made.count, 2);
	IS(0, 0, 17, 0xffff, 0);
	IS(1, 17, 3, 0x1000f, 0xb);
	partition(&function, HD_REGISTER_INTERVALS, 17);
	ck_assert_uint_eq(made.count, 1);
}
END_TEST

/* A strand ends with a load from global memory and with a branch back; one from shared memory does not end it. */
START_TEST(strands)
{
	struct code code = {0};
	code_load(&code, 1, 0);		    /* 0 */
	wide_load(&code);		    /* 1 */
	code_add(&code, 8, 4, 5);	    /* 2 */
	code_add(&code, 9, 8, 8);	    /* 3 header */
	code_branch(&code, 0, 3, HD_NO_PC); /* 4 */
	code_exit(&code);		    /* 5 */
	struct hd_function function = finish(&code);
	partition(&function, HD_STRANDS, 16);
	ck_assert_uint_eq(made.count, 4);
	IS(0, 0, 2, 0xff, 0x0d);
	IS(1, 2, 1, 0x130, 0x30);
	IS(2, 3, 2, 0x300, 0x100);
	IS(3, 5, 1, 0, 0);
	partition(&function, HD_REGISTER_INTERVALS, 16);
	ck_assert_uint_eq(made.count, 1);
}
END_TEST

/* Whether an instruction between two additions ends the strand. */
static bool ends_a_strand(enum hd_op op, uint8_t dst)
{
	struct code code = {0};
	code_add(&code, 1, 0, 0);
	uint32_t index = code_op(&code, op);
	struct hd_inst *inst = &code.insts.data[index];
	inst->dst = dst;
	inst->a = 2;
	inst->b = hd_opinfo[op].effects & (HD_FX_ASYNC | HD_FX_ATOMIC) ? 4 : HD_RZ; /* where to, and what to add */
	inst->xkind = HD_X_OTHER;
	inst->mods = hd_opinfo[op].effects & HD_FX_ATOMIC ? HD_MOD(DTYPE, HD_U32) : HD_MOD(SIZE, HD_SIZE_32);
	code_add(&code, 8, 1, 1);
	code_exit(&code);
	struct hd_function function = finish(&code);
	partition(&function, HD_STRANDS, 16);
	return made.count == 2;
}

/* Those end one for whose result a warp may wait for long (LTRF, 6.6): loads from global and local memory and atomics
 * whose result is wanted. For an asynchronous copy, which gives no register, nobody waits. */
START_TEST(what_ends_a_strand)
{
	ck_assert(ends_a_strand(HD_OP_LDG, 6));
	ck_assert(ends_a_strand(HD_OP_LDL, 6));
	ck_assert(!ends_a_strand(HD_OP_LDS, 6));
	ck_assert(!ends_a_strand(HD_OP_LDGSTS, HD_RZ));
	ck_assert(ends_a_strand(HD_OP_ATOMG, 6));
	ck_assert(!ends_a_strand(HD_OP_ATOMG, HD_RZ));
	ck_assert(!ends_a_strand(HD_OP_ATOMS, 6));
}
END_TEST

START_TEST(empty_function)
{
	struct code code = {0};
	struct hd_function function = finish(&code);
	partition(&function, HD_REGISTER_INTERVALS, 8);
	ck_assert_uint_eq(made.count, 0);
}
END_TEST

/* ---- random functions */

/* Some path from the entry reads the register before it writes it. */
static bool reads_first(uint32_t inst, uint32_t reg, bool *seen)
{
	struct hd_flow_effects effects;
	uint32_t next[2];
	if (seen[inst])
		return false;
	seen[inst] = true;
	hd_flow_effects(&flow, inst, &effects);
	if (hd_regset_has(&effects.reads, reg))
		return true;
	if (hd_regset_has(&effects.covers, reg))
		return false;
	uint32_t count = hd_inst_successors(flow.function, inst, next, 2);
	for (uint32_t i = 0; i < count; i++)
		if (reads_first(next[i], reg, seen))
			return true;
	return false;
}

static void check_live(const struct hd_function *function, uint32_t regs)
{
	bool *seen = HD_ARENA_NEW(&arena, bool, function->inst_count);
	for (uint32_t id = 0; id < made.count; id++)
		for (uint32_t reg = 0; reg < regs; reg++) {
			memset(seen, 0, function->inst_count);
			if (hd_regset_has(&made.list[id].set, reg) && reads_first(made.list[id].entry, reg, seen))
				ck_assert(hd_regset_has(&made.list[id].live_in, reg));
		}
}

/* What a warp would see: entered at the entry only, and every register was fetched there. */
static void walk(const struct hd_function *function, uint64_t *state)
{
	uint32_t at = 0, current = HD_NO_NODE, next[2], count;
	for (unsigned step = 0; step < 200; step++) {
		struct hd_regset set = hd_subgraph_registers(&function->insts[at]);
		if (made.of[at] != current)
			ck_assert_uint_eq(made.list[made.of[at]].entry, at);
		current = made.of[at];
		ck_assert(hd_regset_within(&set, &made.list[current].set));
		count = hd_inst_successors(function, at, next, 2);
		if (!count)
			return;
		at = next[sample_random(state) >> 20 & (count - 1)];
	}
}

START_TEST(random_functions)
{
	enum { REGS = 12 };
	uint64_t seed = 11;
	unsigned trials = hd_samples(100, 600);
	for (unsigned trial = 0; trial < trials; trial++) {
		struct hd_function function = code_random(&seed, 1 + trial % 23, 1 + trial % 7, REGS, &arena);
		for (uint32_t limit = 3; limit <= REGS; limit += 3)
			for (unsigned kind = HD_REGISTER_INTERVALS; kind <= HD_STRANDS; kind++) {
				partition(&function, (enum hd_subgraph_kind)kind, limit);
				walk(&function, &seed);
				check_live(&function, REGS);
			}
	}
}
END_TEST

/* Two runs, one answer. */
START_TEST(same_again)
{
	uint64_t seed = 5;
	struct hd_function function = code_random(&seed, 60, 9, 30, &arena);
	partition(&function, HD_REGISTER_INTERVALS, 8);
	struct hd_subgraphs first = made;
	partition(&function, HD_REGISTER_INTERVALS, 8);
	ck_assert_uint_eq(first.count, made.count);
	ck_assert_mem_eq(first.of, made.of, sizeof(*made.of) * function.inst_count);
}
END_TEST

START_TEST(large_functions)
{
	uint64_t seed = 6;
	struct hd_function random = code_random(&seed, hd_samples(12000, 25000), 8, 60, &arena);
	struct hd_function loops = nest(hd_samples(1000, 2000));
	struct code code = {0};
	partition(&random, HD_REGISTER_INTERVALS, 16);
	partition(&random, HD_STRANDS, 16);
	partition(&loops, HD_REGISTER_INTERVALS, 16);
	ck_assert_uint_eq(made.count, 1);
	for (uint32_t i = 0; i < 100000; i++)
		code_set(&code, (uint8_t)(i % 200), i);
	code_exit(&code);
	struct hd_function line = finish(&code);
	partition(&line, HD_REGISTER_INTERVALS, 10);
	ck_assert_uint_eq(made.count, 10000);
}
END_TEST

/* The check sees what is not so. */
START_TEST(wrong_partitions)
{
	struct hd_function function = figure_6();
	partition(&function, HD_REGISTER_INTERVALS, 4);
	made.limit = 5;
	ck_assert_str_eq(hd_subgraphs_wrong(&made), "two register-intervals could be one");
	made.limit = 3;
	ck_assert_str_eq(hd_subgraphs_wrong(&made), "a working set is too large");
	made.limit = 4;
	hd_regset_add(&made.list[0].set, 9);
	ck_assert_str_eq(hd_subgraphs_wrong(&made), "a working set is not that of the instructions");
	made.of[4] = 0;
	ck_assert_str_eq(hd_subgraphs_wrong(&made), "a subgraph is entered at two places");
	made.of[4] = 2;
	ck_assert_str_eq(hd_subgraphs_wrong(&made), "an instruction is in no subgraph");
}
END_TEST

START_TEST(records)
{
	struct hd_function function = figure_6();
	partition(&function, HD_REGISTER_INTERVALS, 4);
	struct hd_meta_interval *list = hd_subgraphs_records(&made, &arena);
	ck_assert_uint_eq(list[1].id, 1);
	ck_assert_uint_eq(list[1].entry_pc, 2 * HD_INST_BYTES);
	ck_assert_uint_eq(list[1].pc_count, 4);
	ck_assert_uint_eq(list[1].pcs[3], 5 * HD_INST_BYTES);
	ck_assert_uint_eq(list[1].working_set[0], 0x1d);
	ck_assert_uint_eq(list[1].live_in[0], 0x05);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {figure,
				      figure_that_does_not_fit,
				      waiting_lanes_count,
				      each_round_takes_a_level,
				      loops,
				      blocks_are_cut,
				      sides_of_a_branch_count_together,
				      calls,
				      irreducible,
				      registers,
				      one_instruction_needs_more,
				      the_seventeenth_register_begins_another,
				      strands,
				      what_ends_a_strand,
				      empty_function,
				      random_functions,
				      same_again,
				      large_functions,
				      wrong_partitions,
				      records,
				      NULL};
	Suite *suite = suite_create("intervals");
	TCase *tcase = tcase_create("intervals");
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	for (unsigned i = 0; tests[i]; i++)
		tcase_add_test(tcase, tests[i]);
	suite_add_tcase(suite, tcase);
	return suite;
}
