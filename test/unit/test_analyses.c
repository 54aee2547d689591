/*
 * LINK: passes
 * The rows of the analyses over a whole unit, a function and a kernel that calls it: what functions know of each other,
 * and what the verifiers refuse when a result is spoilt.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <llvm-c/Core.h>

#include "machine_code.h"
#include "passes/analysis/flow.h"
#include "passes/analysis/intervals.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/preempt.h"
#include "passes/analysis/reuse.h"
#include "passes/pass.h"

enum { F, K, FUNCTIONS };
enum { ATOMIC, SET, ADD, BARRIER, COMPARE, BRANCH, CALL, STORE, EXIT }; /* instructions of K */

static LLVMContextRef context;
static struct hd_unit unit;
static struct hd_diag diag;
static char message[256];
static struct hd_function functions[FUNCTIONS];
static struct hd_symbol symbols[FUNCTIONS + 1];
static struct hd_reloc reloc;

static void keep_message(void *unused, enum hd_severity severity, struct hd_loc loc, const char *text)
{
	(void)unused, (void)severity, (void)loc;
	snprintf(message, sizeof message, "%s", text);
}

/* R4 = 1; R5 = 2 */
static void make_function(void)
{
	struct code code = {0};
	code_set(&code, 4, 1);
	code_set(&code, 5, 2);
	code_op(&code, HD_OP_RET);
	functions[F] = code_finish(&code, "f", false, &unit.arena);
}

/* atomic on [R2]; do { R7 += R6; barrier } while (R7 < R6); f(); [R8] = R4 */
static void make_kernel(void)
{
	struct code code = {0};
	code_op(&code, HD_OP_ATOMG);
	struct hd_inst *atomic = &hd_vec_last(&code.insts);
	atomic->a = 2, atomic->b = 6, atomic->xkind = HD_X_OTHER, atomic->mods = HD_MOD(DTYPE, HD_U32);
	code_set(&code, 7, 0);
	code_add(&code, 7, 7, 6);
	code_barrier(&code);
	code_compare(&code, 0, 7, 6);
	code_branch(&code, 0, ADD, CALL);
	code_call(&code);
	code_store(&code, 8, 4);
	code_exit(&code);
	functions[K] = code_finish(&code, "k", true, &unit.arena);
	reloc = (struct hd_reloc){.kind = HD_REL_CALL, .symbol = F, .offset = CALL};
	functions[K].relocs = &reloc;
	functions[K].reloc_count = 1;
}

static void set_up(void)
{
	context = LLVMContextCreate();
	diag = (struct hd_diag){.emit = keep_message, .tool = "test"};
	hd_unit_init(&unit, LLVMModuleCreateWithNameInContext("unit", context), &diag);
	ck_assert_int_eq(hd_options_parse(&unit, ""), 0);
	unit.module = unit.source;
	unit.abi = &hd_abi_cars;
	make_function();
	make_kernel();
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		symbols[f] = (struct hd_symbol){.name = functions[f].name,
						.kind = HD_SYM_FUNCTION,
						.defined = true,
						.function = f};
	unit.object.functions = functions;
	unit.object.symbols = symbols;
	unit.object.function_count = unit.object.symbol_count = FUNCTIONS;
}

static void tear_down(void)
{
	unit.module = NULL;
	LLVMModuleRef module = unit.source;
	hd_unit_release(&unit);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
}

static void analyse(void)
{
	ck_assert_int_eq(hd_callgraph_run(&unit), 0);
	ck_assert_int_eq(hd_flow_run(&unit), 0);
	ck_assert_int_eq(hd_liveness_run(&unit), 0);
	ck_assert_int_eq(hd_preempt_run(&unit), 0);
	ck_assert_int_eq(hd_intervals_run(&unit), 0);
	ck_assert_int_eq(hd_strands_run(&unit), 0);
	ck_assert_int_eq(hd_reuse_run(&unit), 0);
	ck_assert_int_eq(hd_idempotence_run(&unit), 0);
}

static struct hd_flow *flow_of(uint32_t function)
{
	return (struct hd_flow *)hd_pass_result(&unit, HD_PASS_FLOW) + function;
}

static struct hd_liveness *liveness_of(uint32_t function)
{
	return (struct hd_liveness *)hd_pass_result(&unit, HD_PASS_LIVENESS) + function;
}

/* ---- what functions know of each other */

/* The kernel reads R4 after the call, and nobody reads R5. */
static bool reads_second_result(void)
{
	const struct hd_flow *flow = flow_of(F);
	struct hd_regset returned = flow->live_out[0];
	ck_assert_uint_eq(flow->block_count, 1);
	hd_flow_live_before(flow, hd_flow_last(flow, 0), &returned);
	ck_assert(hd_regset_has(&returned, 4));
	return hd_regset_has(&returned, 5);
}

START_TEST(results_are_what_callers_read)
{
	analyse();
	ck_assert(!reads_second_result());
}
END_TEST

/* Registers that threads may still need that wait elsewhere while one is in the function. */
static uint32_t waiting_in_function(void)
{
	return liveness_of(F)->live_divergent[1] - liveness_of(F)->live[1];
}

START_TEST(only_a_global_function_is_open)
{
	analyse();
	uint32_t closed = waiting_in_function();
	unit.options.relocatable = true;
	/* A variable, whose function is nobody's, and a function that is elsewhere. */
	const struct hd_symbol others[] = {{.name = "v", .kind = HD_SYM_VARIABLE, .defined = true, .global = true},
					   {.name = "g", .kind = HD_SYM_FUNCTION, .global = true},
					   {.name = "s", .kind = HD_SYM_FUNCTION, .defined = true}};
	unit.object.symbol_count = FUNCTIONS + 1;
	for (uint32_t i = 0; i < 3; i++) {
		symbols[FUNCTIONS] = others[i];
		analyse();
		ck_assert(!reads_second_result());
		ck_assert_uint_eq(waiting_in_function(), closed);
	}
	symbols[F].global = true;
	analyse();
	ck_assert(reads_second_result());
	ck_assert_uint_gt(waiting_in_function(), closed);
}
END_TEST

/* ---- what is refused */

#define REFUSED(verify, text)                              \
	do {                                               \
		message[0] = 0;                            \
		ck_assert_int_eq(verify(&unit), -1);       \
		ck_assert_str_eq(message, text);           \
	} while (0)

START_TEST(what_was_computed_is_accepted)
{
	analyse();
	ck_assert_int_eq(hd_flow_verify_unit(&unit), 0);
	ck_assert_int_eq(hd_liveness_verify_unit(&unit), 0);
	ck_assert_int_eq(hd_preempt_verify_unit(&unit), 0);
	ck_assert_int_eq(hd_intervals_verify_unit(&unit), 0);
	ck_assert_int_eq(hd_strands_verify_unit(&unit), 0);
	ck_assert_int_eq(hd_reuse_verify_unit(&unit), 0);
	ck_assert_int_eq(hd_idempotence_verify_unit(&unit), 0);
	ck_assert_uint_eq(diag.errors, 0);
}
END_TEST

START_TEST(flow_of_any_block)
{
	analyse();
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		struct hd_flow *flow = flow_of(f);
		for (uint32_t b = 0; b < flow->block_count; b++) {
			struct hd_regset in = flow->live_in[b], out = flow->live_out[b];
			hd_regset_remove(&flow->live_in[b], hd_regset_has(&in, 2) ? 2 : hd_regset_next(&in, 0));
			if (!hd_regset_equal(&in, &flow->live_in[b]))
				REFUSED(hd_flow_verify_unit,
					f == F ? "flow of 'f': the live registers of a block are not "
						 "those of its instructions"
					       : "flow of 'k': the live registers of a block are not "
						 "those of its instructions");
			flow->live_in[b] = in;
			flow->live_out[b] = out;
		}
	}
	/* R100 is live where a block begins, as if it were read there, and not where those before it end. */
	struct hd_flow *flow = flow_of(K);
	uint32_t last = flow->block_count - 1;
	hd_regset_add(&flow->live_in[last], 100);
	hd_regset_add(&flow->live_out[last], 100);
	REFUSED(hd_flow_verify_unit, "flow of 'k': a register that is live after a block is not live at its end");
	hd_regset_remove(&flow->live_in[last], 100);
	hd_regset_remove(&flow->live_out[last], 100);
	/* The same where one of two successors lacks nothing: the loop would read R100, but not hand it round. */
	uint32_t header = flow->block_of[ADD];
	functions[K].insts[COMPARE].a = 100;
	hd_regset_add(&flow->live_in[header], 100);
	for (uint32_t b = 0; b < header; b++) {
		hd_regset_add(&flow->live_in[b], 100);
		hd_regset_add(&flow->live_out[b], 100);
	}
	REFUSED(hd_flow_verify_unit, "flow of 'k': a register that is live after a block is not live at its end");
	hd_regset_add(&flow->live_out[header], 100);
	ck_assert_int_eq(hd_flow_verify_unit(&unit), 0);
}
END_TEST

START_TEST(tags_of_live_registers)
{
	analyse();
	functions[K].insts[ADD].dead = 2; /* R6: the comparison reads it, but calls may have been told more */
	ck_assert_int_eq(hd_liveness_verify_unit(&unit), 0);
	flow_of(K)->call_count = 0;
	REFUSED(hd_liveness_verify_unit, "liveness of 'k': the instruction at 0020 is tagged as the last read of a "
					 "register that is live");
	functions[K].insts[ADD].dead = 0;
	functions[K].insts[COMPARE].dead = 1; /* R7, in the next round */
	REFUSED(hd_liveness_verify_unit, "liveness of 'k': the instruction at 0040 is tagged as the last read of a "
					 "register that is live");
	functions[K].insts[COMPARE].dead = 0;
	functions[K].insts[STORE].dead = 1 | 4; /* R8 and R4: nobody reads them afterwards */
	ck_assert_int_eq(hd_liveness_verify_unit(&unit), 0);
	liveness_of(K)->dead_in_warp[COMPARE] |= 2;
	REFUSED(hd_liveness_verify_unit,
		"liveness of 'k': at 0040 a register is dead for the warp, but not for its thread");
	liveness_of(F)->dead_in_warp[0] |= 1;
	REFUSED(hd_liveness_verify_unit,
		"liveness of 'f': at 0000 a register is dead for the warp, but not for its thread");
}
END_TEST

START_TEST(points_of_loops)
{
	analyse();
	struct hd_preempt *preempt = (struct hd_preempt *)hd_pass_result(&unit, HD_PASS_PREEMPT) + K;
	ck_assert_uint_eq(preempt->point_count, 1);
	ck_assert_uint_eq(preempt->points[0].inst, BARRIER);
	struct hd_point points[2] = {preempt->points[0], preempt->points[0]};
	preempt->points = points;
	hd_regset_add(&points[0].live, 200);
	REFUSED(hd_preempt_verify_unit, "preemption points of 'k': the divergent live set lacks a live register");
	hd_regset_remove(&points[0].live, 200);
	points[0].inst = ADD;
	points[0].kind = HD_PREEMPT_PP;
	REFUSED(hd_preempt_verify_unit, "preemption points of 'k': a loop with a barrier has its point elsewhere");
	points[0].inst = BARRIER; /* the barrier, if not as such */
	ck_assert_int_eq(hd_preempt_verify_unit(&unit), 0);
	preempt->point_count = 2;
	REFUSED(hd_preempt_verify_unit, "preemption points of 'k': a loop has two points");
	points[1].loop = HD_NO_NODE;
	ck_assert_int_eq(hd_preempt_verify_unit(&unit), 0);
}
END_TEST

START_TEST(intervals_of_another)
{
	analyse();
	struct hd_subgraphs *subgraphs = (struct hd_subgraphs *)hd_pass_result(&unit, HD_PASS_INTERVALS) + K;
	subgraphs->of[STORE] = subgraphs->count;
	ck_assert_int_eq(hd_intervals_verify_unit(&unit), -1);
	ck_assert_ptr_nonnull(strstr(message, "intervals of 'k': "));
	ck_assert_int_eq(hd_strands_verify_unit(&unit), 0);
}
END_TEST

START_TEST(distances_that_cannot_be)
{
	analyse();
	struct hd_reuse *reuse = (struct hd_reuse *)hd_pass_result(&unit, HD_PASS_REUSE) + K;
	struct hd_reuse_distance *operand = &reuse->operands[ADD][HD_SLOT_B]; /* R6, read again two later */
	const struct hd_reuse_distance was = *operand;
	ck_assert_float_eq(was.chance, 1);
	ck_assert_float_eq(was.distance, 2);
	operand->chance = 1.5f;
	REFUSED(hd_reuse_verify_unit, "reuse of 'k': a chance is none");
	*operand = (struct hd_reuse_distance){.chance = 1, .distance = 0.5f};
	REFUSED(hd_reuse_verify_unit, "reuse of 'k': a register is read again before the next instruction");
	*operand = (struct hd_reuse_distance){.chance = 1, .distance = 3};
	REFUSED(hd_reuse_verify_unit, "reuse of 'k': what is certain is not what is expected");
	*operand = was;
	reuse->facts.near++;
	REFUSED(hd_reuse_verify_unit, "reuse of 'k': the counts do not add up");
	reuse->facts.near--;
	operand = &reuse->operands[STORE][HD_SLOT_A]; /* R8, which is dead behind it */
	ck_assert_float_eq(operand->chance, 0);
	*operand = (struct hd_reuse_distance){.chance = 1, .distance = 5};
	reuse->facts.exact[4 * STORE + HD_SLOT_A] = 0;
	REFUSED(hd_reuse_verify_unit, "reuse of 'k': what is dead is not what liveness says");
}
END_TEST

START_TEST(restarts_that_cannot_be)
{
	analyse();
	struct hd_meta_idempotence *facts = hd_pass_result(&unit, HD_PASS_IDEMPOTENCE);
	ck_assert_uint_eq(facts[K].why, HD_BREAK_ATOMIC);
	const struct hd_meta_idempotence was = facts[K];
	facts[K].why = HD_BREAK_NONE;
	REFUSED(hd_idempotence_verify_unit, "idempotence of 'k': it has an atomic operation on global memory");
	functions[K].insts[ATOMIC].op = HD_OP_LDG;
	REFUSED(hd_idempotence_verify_unit, "idempotence of 'k': no place is named");
	facts[K].at.function = NULL;
	ck_assert_int_eq(hd_idempotence_verify_unit(&unit), 0);
	facts[F] = was;
	REFUSED(hd_idempotence_verify_unit, "idempotence of 'k': it calls what is not idempotent");
	facts[F].at.function = NULL;
	REFUSED(hd_idempotence_verify_unit, "idempotence of 'f': no place is named");
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {results_are_what_callers_read, only_a_global_function_is_open,
				      what_was_computed_is_accepted, flow_of_any_block,
				      tags_of_live_registers,	     points_of_loops,
				      intervals_of_another,	     distances_that_cannot_be,
				      restarts_that_cannot_be,	     NULL};
	return hd_suite_with("analyses", tests, set_up, tear_down);
}
