/* The ideal machines of R2D2's Figure 4: each figure below is counted by hand. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "simbench.h"

#define CTAS 2
#define THREADS 64 /* two warps */

static void start(struct simbench *bench, bool ideal)
{
	simbench_init(bench);
	bench->options.ideal = ideal;
}

static struct hd_counters finish(struct simbench *bench, uint32_t threads)
{
	ck_assert_int_eq(simbench_start(bench), 0);
	ck_assert_msg(!simbench_run(bench, CTAS, threads), "%s", hd_sim_error_text(bench->sim));
	struct hd_counters counters = simbench_stats(bench)->counters;
	simbench_release(bench);
	return counters;
}

static void emit_index(struct simbench *bench)
{
	simbench_s2r(bench, 5, HD_SR_TID_X);
	simbench_s2r(bench, 6, HD_SR_CTAID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD);
	inst->dst = 7, inst->a = 6, inst->c = 5;
	inst->xkind = HD_X_CONST_B, inst->x = HD_CONST_X(0, HD_CB_NTID_X);
}

START_TEST(off_counts_nothing)
{
	struct simbench bench;
	start(&bench, false);
	emit_index(&bench);
	struct hd_counters counters = finish(&bench, THREADS);
	ck_assert_uint_eq(counters.ideal_computations, 0);
	ck_assert_uint_eq(counters.ideal_wp_threads + counters.ideal_tb_threads + counters.ideal_ln_threads, 0);
}
END_TEST

/* Every thread computes one constant: WP leaves one lane a warp, TB one warp a block, LN one lane of the grid. */
START_TEST(uniform_value)
{
	struct simbench bench;
	start(&bench, true);
	simbench_mov(&bench, 4, 7);
	struct hd_counters counters = finish(&bench, THREADS);
	ck_assert_uint_eq(counters.ideal_computations, CTAS * THREADS);
	ck_assert_uint_eq(counters.ideal_wp_threads, 4 * 31);
	ck_assert_uint_eq(counters.ideal_tb_threads, 2 * 32);
	ck_assert_uint_eq(counters.ideal_tb_warps, 2);
	ck_assert_uint_eq(counters.ideal_ln_threads, CTAS * THREADS - 1);
	ck_assert_uint_eq(counters.ideal_ln_warps, 3);
}
END_TEST

/*
 *                      WP        TB        LN
 *   S2R tid.x          0         0         64: the second block's
 *   S2R ctaid.x        4 x 31    2 x 32    128 - 2: one thread a block is left
 *   IMAD               0         0         63: the first block's, and one thread of the second
 */
START_TEST(index_of_a_thread)
{
	struct simbench bench;
	start(&bench, true);
	emit_index(&bench);
	struct hd_counters counters = finish(&bench, THREADS);
	ck_assert_uint_eq(counters.ideal_computations, 3 * CTAS * THREADS);
	ck_assert_uint_eq(counters.ideal_wp_threads, 4 * 31);
	ck_assert_uint_eq(counters.ideal_tb_threads, 2 * 32);
	ck_assert_uint_eq(counters.ideal_ln_threads, 64 + 126 + 63);
	ck_assert_uint_eq(counters.ideal_ln_warps, 2 + 2 + 1);
}
END_TEST

/* The index is squared twice: the first time each thread of the second block adds up its parts, once for both operands.
 */
START_TEST(sums_of_parts_are_made_once)
{
	struct simbench bench;
	start(&bench, true);
	emit_index(&bench);
	for (unsigned i = 0; i < 2; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_IMAD);
		inst->dst = (uint8_t)(8 + i), inst->a = inst->b = 7;
	}
	struct hd_counters counters = finish(&bench, THREADS);
	ck_assert_uint_eq(counters.ideal_ln_threads, 64 + 126 + 63 - 64);
}
END_TEST

/* tid * tid is no linear combination, and what is made of it is none. */
START_TEST(products_of_indices_are_not_linear)
{
	struct simbench bench;
	start(&bench, true);
	simbench_s2r(&bench, 5, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IMAD);
	inst->dst = 6, inst->a = 5, inst->b = 5;
	inst = simbench_emit(&bench, HD_OP_IADD3);
	inst->dst = 7, inst->a = 6, inst->xkind = HD_X_IMM_B, inst->x = 1;
	struct hd_counters counters = finish(&bench, THREADS);
	ck_assert_uint_eq(counters.ideal_ln_threads, 64); /* the S2R alone */
}
END_TEST

/* A 2-D block of 16 x 4: both warps have the same tid.x, and lane pairs differ in tid.y only. */
START_TEST(blocks_of_two_dimensions_repeat)
{
	struct simbench bench;
	uint64_t unused = 0;
	start(&bench, true);
	simbench_s2r(&bench, 5, HD_SR_TID_X);
	simbench_s2r(&bench, 6, HD_SR_TID_Y);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_launch launch = {.kernel = bench.kernel, .grid = {1, 1, 1}, .block = {16, 4, 1}, .params = &unused};
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.ideal_tb_threads, 32); /* tid.x of the second warp */
	ck_assert_uint_eq(simbench_stats(&bench)->counters.ideal_wp_threads, 0);
	simbench_release(&bench);
}
END_TEST

/* Lanes that a guard turns off are neither executed nor saved. */
START_TEST(guards_leave_lanes_out)
{
	struct simbench bench;
	start(&bench, true);
	simbench_s2r(&bench, 5, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 5, inst->xkind = HD_X_IMM_B, inst->x = 8, inst->mods = HD_MOD(CMP, HD_CMP_LT);
	simbench_mov(&bench, 6, 1);
	hd_vec_last(&bench.code).guard = 0;
	struct hd_counters counters = finish(&bench, 32);
	ck_assert_uint_eq(counters.ideal_computations, 2 * (32 + 32 + 8));
	ck_assert_uint_eq(counters.ideal_wp_threads, 2 * 7);
	ck_assert_uint_eq(counters.ideal_ln_threads, 32 + 2 * 8 - 1);
}
END_TEST

static uint64_t works(const struct hd_counters *c)
{
	return c->ideal_memory_warps + c->ideal_flow_warps + c->ideal_data_warps + c->ideal_counter_warps +
	       c->ideal_uniform_warps + c->ideal_index_warps + c->ideal_predicate_warps + c->ideal_select_warps +
	       c->ideal_nonlinear_warps;
}

/*
 * A loop of three rounds around an index, a constant, a minimum, a square, a load from constant memory and what is made
 * of a shuffled value; each warp instruction is of one kind. R9 counts: in the first round it is what MOV left.
 */
START_TEST(each_warp_instruction_works_on_something)
{
	struct simbench bench;
	start(&bench, true);
	simbench_mov(&bench, 9, 0);	      /* uniform */
	simbench_s2r(&bench, 5, HD_SR_TID_X); /* index */
	uint32_t loop = bench.code.len;
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IADD3); /* uniform, then two times a counter */
	inst->dst = 9, inst->a = 9, inst->xkind = HD_X_IMM_B, inst->x = 1;
	inst = simbench_emit(&bench, HD_OP_IMAD); /* not linear */
	inst->dst = 6, inst->a = 5, inst->b = 5;
	inst = simbench_emit(&bench, HD_OP_IMNMX); /* a choice between linear values */
	inst->dst = 7, inst->a = 5, inst->xkind = HD_X_IMM_B, inst->x = 8;
	inst = simbench_emit(&bench, HD_OP_IADD3); /* of one that is not linear */
	inst->dst = 7, inst->a = 7, inst->xkind = HD_X_IMM_B, inst->x = 1;
	inst = simbench_emit(&bench, HD_OP_SHFL); /* from other lanes */
	inst->dst = 8, inst->a = 5, inst->mods = HD_MOD(SHFLMODE, HD_SHFL_BFLY) | HD_MOD(BIMM, 1) | HD_MOD(CIMM, 1);
	inst->xkind = HD_X_OTHER, inst->x = 1 | 31 << 8;
	inst = simbench_emit(&bench, HD_OP_IADD3); /* of such */
	inst->dst = 8, inst->a = 8, inst->b = 9;
	inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 9, inst->xkind = HD_X_IMM_B, inst->x = 3, inst->mods = HD_MOD(CMP, HD_CMP_LT);
	inst = simbench_emit(&bench, HD_OP_BRA);
	inst->guard = 0, inst->xkind = HD_X_OTHER, inst->x = loop, inst->reconv = loop + 8;
	inst = simbench_emit(&bench, HD_OP_IADD3); /* no lane */
	inst->dst = 8, inst->a = 5, inst->guard = 0;
	struct hd_counters c = finish(&bench, THREADS);
	ck_assert_uint_eq(works(&c), c.warp_instructions);
	ck_assert_uint_eq(c.ideal_uniform_warps, 4 * 2);
	ck_assert_uint_eq(c.ideal_counter_warps, 4 * 2);
	ck_assert_uint_eq(c.ideal_index_warps, 4);
	ck_assert_uint_eq(c.ideal_nonlinear_warps, 4 * 3 * 2);
	ck_assert_uint_eq(c.ideal_select_warps, 4 * 3);
	ck_assert_uint_eq(c.ideal_data_warps, 4 * 3 * 2);
	ck_assert_uint_eq(c.ideal_predicate_warps, 4 * 3);
	ck_assert_uint_eq(c.ideal_memory_warps, 0);
	ck_assert_uint_eq(c.ideal_flow_warps, 4 * (3 + 1 + 1)); /* branches, EXIT */
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("redundancy", (const TTest *const[]){
						 off_counts_nothing,
						 uniform_value,
						 index_of_a_thread,
						 sums_of_parts_are_made_once,
						 products_of_indices_are_not_linear,
						 blocks_of_two_dimensions_repeat,
						 guards_leave_lanes_out,
						 each_warp_instruction_works_on_something,
						 NULL,
					 });
}
