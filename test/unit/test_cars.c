/* CARS on the simulated GPU under --verify: calls, traps, recursion, stalled warps and switches; its comparators. */
#include <math.h>

#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/cars/cars.h"
#include "runtime/sm/hooks.h"
#include "runtime/watch/blame.h"
#include "simbench.h"

/* ---- programs */

static void bench_init(struct simbench *bench, const char *policy)
{
	simbench_init(bench);
	bench->options.policy = policy;
	bench->options.verify = true;
	simbench_stack(bench);
	bench->meta.max_stack_bytes = 512;
	bench->meta.call_depth = 3;
	bench->meta.fru = 16;
}

static void run_blocks(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, ctas, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static void add_one(struct simbench *bench, uint8_t reg)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = inst->a = reg;
	inst->xkind = HD_X_IMM_B;
	inst->x = 1;
}

/* kernel -> outer (3 saved) -> inner (2 saved), all of which write R16 and R17. */
static void two_deep(struct simbench *bench)
{
	simbench_mov(bench, 4, 0);
	simbench_call(bench, "outer");
	simbench_function(bench, "outer");
	simbench_prologue(bench, 3);
	for (uint8_t reg = 16; reg < 19; reg++)
		simbench_mov(bench, reg, reg);
	simbench_call(bench, "inner");
	for (uint8_t reg = 16; reg < 19; reg++)
		add_one(bench, reg);
	simbench_epilogue(bench, 3);
	simbench_emit(bench, HD_OP_RET);
	simbench_function(bench, "inner");
	simbench_prologue(bench, 2);
	simbench_mov(bench, 16, 100);
	simbench_mov(bench, 17, 200);
	add_one(bench, 17);
	simbench_epilogue(bench, 2);
	simbench_emit(bench, HD_OP_RET);
	bench->meta.registers = 20;
	bench->meta.max_fru = 4;
	bench->meta.low_watermark = 20;
	bench->meta.high_watermark = 16 + 4 + 3;
}

START_TEST(calls_push_and_pop_without_memory)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	two_deep(&bench);
	run_blocks(&bench, 1, 32);
	ck_assert_double_eq(simbench_figure(&bench, "calls"), 2);
	ck_assert_double_eq(simbench_figure(&bench, "pushes"), 5);
	ck_assert_double_eq(simbench_figure(&bench, "pops"), 5);
	ck_assert_double_eq(simbench_figure(&bench, "traps"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "peak_stack"), 7);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.l1d_accesses, 0);
	simbench_release(&bench);
}
END_TEST

/* Each call is followed by the push of the caller's RFP: a slot, and a register that is written. */
START_TEST(the_push_of_rfp_takes_a_slot_and_a_register_write)
{
	struct hd_stats of[2];
	for (int cars = 0; cars < 2; cars++) {
		struct simbench bench;
		bench_init(&bench, cars ? "cars" : "baseline");
		two_deep(&bench);
		run_blocks(&bench, 1, 32);
		of[cars] = *simbench_stats(&bench);
		simbench_release(&bench);
	}
	const struct hd_counters *base = &of[0].counters, *cars = &of[1].counters;
	ck_assert_uint_eq(cars->micro_operations, 2);
	ck_assert_uint_eq(of[1].stalls[HD_STALL_issued] - of[0].stalls[HD_STALL_issued], 2);
	ck_assert_uint_eq(cars->warp_instructions - base->warp_instructions, 2);
	ck_assert_uint_eq(cars->thread_instructions, base->thread_instructions);
	ck_assert_uint_eq(cars->register_writes + 5 - base->register_writes, 2); /* five restores write nothing */
}
END_TEST

/* Three operands of one bank hold the only collector, which a push needs: it does not pass them. */
static uint64_t cycles_without_collector(const char *policy, uint64_t collectors)
{
	struct simbench bench;
	bench_init(&bench, policy);
	simbench_call(&bench, "f");
	simbench_function(&bench, "f");
	simbench_prologue(&bench, 1);
	struct hd_inst save = hd_vec_pop(&bench.code);
	simbench_ffma(&bench, 8, 4, 5, 6);
	*simbench_emit(&bench, HD_OP_NOP) = save;
	simbench_mov(&bench, 16, 1);
	simbench_epilogue(&bench, 1);
	simbench_emit(&bench, HD_OP_RET);
	bench.meta.registers = 17;
	bench.meta.max_fru = 2;
	bench.meta.low_watermark = bench.meta.high_watermark = 18;
	bench.config.register_banks = bench.config.register_ports = bench.config.register_write_ports = 1;
	bench.config.register_latency = 0; /* nothing but conflicts takes time */
	bench.config.operand_cycles = 0;
	bench.config.collectors = collectors;
	run_blocks(&bench, 1, 32);
	uint64_t cycles = simbench_stats(&bench)->stalls[HD_STALL_collector];
	simbench_release(&bench);
	return cycles;
}

START_TEST(pushes_pass_the_operand_collector)
{
	ck_assert_uint_eq(cycles_without_collector("cars", 8), 0);
	ck_assert_uint_eq(cycles_without_collector("cars", 1), 2);
}
END_TEST

/* A call makes room for what its site says, its worst callee's FRU, but for no less than what the callee renames. */
START_TEST(calls_make_room_for_the_larger_of_site_and_callee)
{
	struct simbench bench;
	bench_init(&bench, "cars:low");
	bench.options.verify = false; /* it would not have such metadata */
	two_deep(&bench);
	bench.functions[1].meta.fru = 1; /* inner renames 2 and RFP; outer leaves one row */
	bench.meta.low_watermark = 21;
	bench.config.max_ctas = 64;
	bench.config.registers = 21 * 32 * 64; /* 64 warps of 16 + 5 rows */
	bench.config.register_unit = 32;
	run_blocks(&bench, 64, 32);
	ck_assert_double_eq(simbench_figure(&bench, "call_traps"), 64);
	ck_assert_double_eq(simbench_figure(&bench, "traps"), 2 * 64); /* that, and the return's; no push has one */
	simbench_release(&bench);
}
END_TEST

/* Each site asks for its own worst callee: beside the four rows of "outer" that makes nine of seven every time. */
START_TEST(every_site_makes_room)
{
	struct simbench bench;
	bench_init(&bench, "cars:low");
	bench.options.verify = false;
	simbench_mov(&bench, 4, 0);
	simbench_call(&bench, "outer");
	simbench_function(&bench, "outer");
	simbench_prologue(&bench, 3);
	for (uint32_t site = 0; site < 3; site++)
		simbench_call(&bench, "leaf");
	simbench_epilogue(&bench, 3);
	simbench_emit(&bench, HD_OP_RET);
	simbench_function(&bench, "leaf");
	simbench_prologue(&bench, 1);
	simbench_epilogue(&bench, 1);
	simbench_emit(&bench, HD_OP_RET);
	bench.functions[1].meta.fru = 5; /* it renames one register, beside RFP, which would be six */
	bench.meta.registers = 20;
	bench.meta.max_fru = 5;
	bench.meta.low_watermark = 23;
	bench.meta.high_watermark = 16 + 4 + 5;
	bench.config.max_ctas = 64;
	bench.config.registers = 23 * 32 * 64; /* 64 warps of 16 + 7 rows */
	bench.config.register_unit = 32;
	run_blocks(&bench, 64, 32);
	ck_assert_double_eq(simbench_figure(&bench, "calls"), 4 * 64);
	ck_assert_double_eq(simbench_figure(&bench, "call_traps"), 3 * 64);
	simbench_release(&bench);
}
END_TEST

/* What a function saves beside a run from R16 goes through memory, as without CARS. */
START_TEST(saves_with_a_gap_are_not_renamed)
{
	for (uint8_t saved = 16; saved <= 20; saved += 4) {
		struct simbench bench;
		bench_init(&bench, "cars");
		bench.options.verify = false; /* it would want the metadata of such a function */
		simbench_mov(&bench, 20, 5);
		simbench_call(&bench, "gap");
		add_one(&bench, 20);
		simbench_function(&bench, "gap")->fru = 2;
		simbench_prologue(&bench, 1);
		hd_vec_last(&bench.code).c = saved;
		simbench_mov(&bench, saved, 100);
		simbench_epilogue(&bench, 1);
		bench.code.data[bench.code.len - 2].dst = saved;
		simbench_emit(&bench, HD_OP_RET);
		bench.functions[0].meta.registers = bench.meta.registers = 24;
		bench.meta.low_watermark = bench.meta.high_watermark = 26;
		run_blocks(&bench, 1, 32);
		ck_assert_double_eq(simbench_figure(&bench, "unrenamed_calls"), saved == 16 ? 0 : 1);
		ck_assert_double_eq(simbench_figure(&bench, "pushes"), saved == 16 ? 1 : 0);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.l1d_spill_fill, saved == 16 ? 0 : 2);
		simbench_release(&bench);
	}
}
END_TEST

static void run_two_deep(struct simbench *bench, const char *policy)
{
	bench_init(bench, policy);
	two_deep(bench);
	bench->config.max_ctas = 64;
	bench->config.registers = 20 * 32 * 64; /* 64 warps of 16 + 4 rows */
	bench->config.register_unit = 32;
	run_blocks(bench, 64, 32);
}

START_TEST(low_watermark_traps_on_the_second_call)
{
	struct simbench bench;
	run_two_deep(&bench, "cars:high");
	struct hd_counters without = simbench_stats(&bench)->counters;
	simbench_release(&bench);
	run_two_deep(&bench, "cars:low");
	/* Each warp: inner does not fit; outer's four rows go and come back. */
	ck_assert_double_eq(simbench_figure(&bench, "traps"), 2 * 64);
	ck_assert_double_eq(simbench_figure(&bench, "call_traps"), 64);
	ck_assert_double_eq(simbench_figure(&bench, "spilled_bytes"), 4 * 128 * 64);
	ck_assert_double_eq(simbench_figure(&bench, "filled_bytes"), 4 * 128 * 64);
	ck_assert_double_eq(simbench_figure(&bench, "trapping_calls"), 50);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.l1d_spill_fill, 8 * 64);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.injected, 8 * 64);
	/* A store reads the register that it spills, a load writes the one that it fills. */
	ck_assert_uint_eq(simbench_stats(&bench)->counters.register_reads - without.register_reads, 4 * 64);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.register_writes - without.register_writes, 4 * 64);
	simbench_release(&bench);
}
END_TEST

/* Rows of the same number of all warps of the GPU, here one SM, lie side by side, 128 bytes each: what warp 3 spilled
 * and filled last begins there, and its next row as many bytes further on as all warps have in one. */
START_TEST(rows_of_a_number_lie_side_by_side)
{
	struct simbench bench;
	run_two_deep(&bench, "cars:low");
	const struct hd_sm *sm = bench.sim->gpu.sms[0];
	const struct hd_injected *last = &sm->warps[3].injection.queue[0];
	ck_assert_uint_eq(last->stride, (uint64_t)sm->warp_count * 128);
	ck_assert_uint_eq(last->address % last->stride, 3 * 128);
	simbench_release(&bench);
}
END_TEST

/* R4 counts down; each level keeps a value in R16 across the call. */
static void recursion(struct simbench *bench, uint32_t depth)
{
	simbench_mov(bench, 4, depth);
	simbench_call(bench, "again");
	simbench_function(bench, "again")->recursive = true;
	simbench_prologue(bench, 2);
	struct hd_inst *copy = simbench_emit(bench, HD_OP_MOV);
	copy->dst = 16;
	copy->b = 4;
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 4;
	test->xkind = HD_X_IMM_B;
	test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(SIGN, 1);
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	uint32_t at = bench->code.len - 1;
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	struct hd_inst *down = simbench_emit(bench, HD_OP_IADD3);
	down->dst = down->a = 4;
	down->xkind = HD_X_IMM_B;
	down->x = UINT32_MAX;
	simbench_call(bench, "again");
	add_one(bench, 16); /* reads it after the call */
	bench->code.data[at].x = bench->code.data[at].reconv = bench->code.len - bench->functions[0].first;
	simbench_epilogue(bench, 2);
	simbench_emit(bench, HD_OP_RET);
	bench->meta.registers = 18;
	bench->meta.max_fru = 3;
	bench->meta.low_watermark = bench->meta.high_watermark = 19;
}

START_TEST(recursion_goes_beyond_any_stack)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	bench.config.registers = 1024; /* 32 rows: 16 of the stack, five calls */
	bench.config.warp_unit = 1;
	recursion(&bench, 100);
	run_blocks(&bench, 1, 32);
	ck_assert_double_eq(simbench_figure(&bench, "calls"), 101);
	ck_assert_double_eq(simbench_figure(&bench, "peak_stack"), 303);
	ck_assert_double_eq(simbench_figure(&bench, "call_traps"), 96);
	ck_assert_double_eq(simbench_figure(&bench, "spilled_bytes"), 96 * 3 * 128);
	ck_assert_double_eq(simbench_figure(&bench, "filled_bytes"), 96 * 3 * 128);
	simbench_release(&bench);
}
END_TEST

/* Lanes below 8 return early from `early`; the others go on in it and call `inner`. */
START_TEST(frame_stays_until_all_threads_have_returned)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	simbench_s2r(&bench, 4, HD_SR_TID_X);
	simbench_call(&bench, "early");
	simbench_function(&bench, "early");
	simbench_prologue(&bench, 2);
	simbench_mov(&bench, 16, 7);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 4;
	test->xkind = HD_X_IMM_B;
	test->x = 8;
	test->mods = HD_MOD(CMP, HD_CMP_LT) | HD_MOD(SIGN, 1);
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	uint32_t at = bench.code.len - 1;
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->reconv = HD_NO_PC;
	simbench_call(&bench, "inner");
	add_one(&bench, 16);
	simbench_epilogue(&bench, 2);
	simbench_emit(&bench, HD_OP_RET);
	bench.code.data[at].x = bench.code.len - bench.functions[0].first;
	simbench_epilogue(&bench, 2);
	simbench_emit(&bench, HD_OP_RET);
	simbench_function(&bench, "inner");
	simbench_prologue(&bench, 1);
	simbench_mov(&bench, 16, 9);
	add_one(&bench, 16);
	simbench_epilogue(&bench, 1);
	simbench_emit(&bench, HD_OP_RET);
	bench.meta.registers = 18;
	bench.meta.max_fru = 3;
	bench.meta.low_watermark = 19;
	bench.meta.high_watermark = 21;
	run_blocks(&bench, 1, 32);
	ck_assert_double_eq(simbench_figure(&bench, "calls"), 2);
	ck_assert_double_eq(simbench_figure(&bench, "pops"), 2 + 2 + 1);
	ck_assert_double_eq(simbench_figure(&bench, "peak_stack"), 5);
	simbench_release(&bench);
}
END_TEST

/* Threads that exit in a function take its frame with them. */
START_TEST(exit_in_a_function_releases_its_frame)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	simbench_s2r(&bench, 4, HD_SR_TID_X);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 4;
	test->xkind = HD_X_IMM_B;
	test->x = 8;
	test->mods = HD_MOD(CMP, HD_CMP_GE) | HD_MOD(SIGN, 1);
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = bench.code.len + 1;
	simbench_call(&bench, "ends"); /* lanes below 8 */
	simbench_mov(&bench, 16, 5);   /* the others */
	simbench_call(&bench, "ends_not");
	add_one(&bench, 16);
	simbench_function(&bench, "ends");
	simbench_prologue(&bench, 1);
	simbench_emit(&bench, HD_OP_EXIT);
	simbench_function(&bench, "ends_not");
	simbench_prologue(&bench, 1);
	simbench_mov(&bench, 16, 6);
	simbench_epilogue(&bench, 1);
	simbench_emit(&bench, HD_OP_RET);
	bench.meta.registers = 17;
	bench.meta.fru = 17;
	bench.meta.max_fru = 2;
	bench.meta.low_watermark = bench.meta.high_watermark = 19;
	run_blocks(&bench, 1, 32);
	ck_assert_double_eq(simbench_figure(&bench, "peak_stack"), 2);
	simbench_release(&bench);
}
END_TEST

/* All are in `outer` when some leave it for `ends`, where they exit: its frame goes, outer's stays. */
START_TEST(exit_in_a_nested_call_keeps_the_frames_of_the_others)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	simbench_s2r(&bench, 4, HD_SR_TID_X);
	simbench_call(&bench, "outer");
	simbench_mov(&bench, 5, 1);
	simbench_function(&bench, "outer");
	simbench_prologue(&bench, 1);
	simbench_mov(&bench, 16, 5);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 4;
	test->xkind = HD_X_IMM_B;
	test->x = 8;
	test->mods = HD_MOD(CMP, HD_CMP_GE) | HD_MOD(SIGN, 1);
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = bench.code.len + 1 - bench.functions[0].first;
	simbench_call(&bench, "ends");	/* lanes below 8 */
	add_one(&bench, 16);		/* the others */
	simbench_call(&bench, "inner"); /* where `ends` was */
	simbench_epilogue(&bench, 1);
	simbench_emit(&bench, HD_OP_RET);
	simbench_function(&bench, "inner");
	simbench_prologue(&bench, 1);
	simbench_epilogue(&bench, 1);
	simbench_emit(&bench, HD_OP_RET);
	simbench_function(&bench, "ends");
	simbench_prologue(&bench, 1);
	simbench_mov(&bench, 16, 6);
	simbench_emit(&bench, HD_OP_EXIT);
	bench.meta.registers = bench.meta.fru = 17;
	bench.meta.max_fru = 2;
	bench.meta.low_watermark = 19;
	bench.meta.high_watermark = 21;
	run_blocks(&bench, 1, 32);
	ck_assert_uint_eq(simbench_register(&bench, 0, 5, 31), 1);
	ck_assert_double_eq(simbench_figure(&bench, "peak_stack"), 4);
	ck_assert_double_eq(simbench_figure(&bench, "pops"), 2);
	simbench_release(&bench);
}
END_TEST

/* Of three saves or restores: the first two registers with one, the third twice. */
static void widen_first(struct hd_inst *three)
{
	three[0].mods = HD_MOD(SIZE, HD_SIZE_64);
	three[1] = three[2];
}

/* A callee that wants more than the whole stack saves to memory, and its caller has its values again after it. */
START_TEST(a_call_too_large_for_the_stack_restores_from_memory)
{
	struct simbench bench;
	bench_init(&bench, "cars:low");
	bench.config.registers = 19 * 32;
	bench.config.register_unit = 32;
	bench.config.warp_unit = 1;
	for (uint8_t reg = 16; reg < 19; reg++)
		simbench_mov(&bench, reg, 10u * reg);
	simbench_call(&bench, "large");
	for (uint8_t reg = 16; reg < 19; reg++)
		add_one(&bench, reg);
	simbench_function(&bench, "large");
	simbench_prologue(&bench, 3);
	widen_first(&bench.code.data[bench.code.len - 3]);
	for (uint8_t reg = 16; reg < 19; reg++)
		simbench_mov(&bench, reg, reg);
	simbench_epilogue(&bench, 3);
	widen_first(&bench.code.data[bench.code.len - 4]);
	simbench_emit(&bench, HD_OP_RET);
	bench.meta.registers = bench.meta.fru = 19;
	bench.meta.max_fru = 0;
	bench.meta.low_watermark = bench.meta.high_watermark = 19;
	run_blocks(&bench, 1, 32);
	ck_assert_double_eq(simbench_figure(&bench, "pushes"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "unrenamed_calls"), 1);
	for (uint8_t reg = 16; reg < 19; reg++)
		ck_assert_uint_eq(simbench_register(&bench, 0, reg, 0), 10u * reg + 1);
	simbench_release(&bench);
}
END_TEST

/* ---- stalled warps */

static void add_barrier(struct simbench *bench)
{
	struct hd_inst *bar = simbench_emit(bench, HD_OP_BAR);
	bar->xkind = HD_X_IMM_B;
}

/* Eight warps of a block meet at three barriers; there are registers for as many as `rows` hold. */
static void build_barriers(struct simbench *bench, const char *policy, uint32_t rows)
{
	bench_init(bench, policy);
	bench->config.registers = rows * 32;
	bench->config.register_unit = 32;
	bench->config.warp_unit = 1;
	for (int i = 0; i < 3; i++) {
		simbench_chain(bench, 4);
		add_barrier(bench);
		simbench_call(bench, "outer");
	}
	simbench_function(bench, "outer");
	simbench_prologue(bench, 3);
	for (uint8_t reg = 16; reg < 19; reg++)
		simbench_mov(bench, reg, reg);
	add_barrier(bench);
	for (uint8_t reg = 16; reg < 19; reg++)
		add_one(bench, reg);
	simbench_epilogue(bench, 3);
	simbench_emit(bench, HD_OP_RET);
	bench->meta.registers = 20;
	bench->meta.max_fru = 4;
	bench->meta.low_watermark = 20;
	bench->meta.high_watermark = 40; /* as if the chain were deeper */
}

static void run_barriers(struct simbench *bench, const char *policy, uint32_t rows, uint32_t ctas)
{
	build_barriers(bench, policy, rows);
	run_blocks(bench, ctas, 256);
}

START_TEST(barriers_switch_stalled_warps_in)
{
	struct simbench bench;
	run_barriers(&bench, "cars:high", 5 * 40, 1); /* five of the block's eight warps have registers */
	ck_assert_double_ge(simbench_figure(&bench, "stalled_warps"), 3);
	ck_assert_double_ge(simbench_figure(&bench, "switches"), 3 * 6);
	ck_assert_double_gt(simbench_figure(&bench, "switched_bytes"), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.barriers, 8 * 6);
	ck_assert_uint_gt(simbench_stats(&bench)->stalls[HD_STALL_suspended] +
				  simbench_stats(&bench)->counters.l1d_spill_fill,
			  0);
	simbench_release(&bench);
}
END_TEST

/* Two warps of a block, registers for one: each loads, meets the other at a barrier, and its registers can be taken
 * only when the load is there. */
static uint64_t cycles_of_switch(uint32_t threads, bool loads)
{
	struct simbench bench;
	bench_init(&bench, "cars:high");
	bench.options.verify = false;
	bench.config.registers = 40 * 32;
	bench.config.register_unit = 32;
	bench.config.warp_unit = 1;
	if (loads) {
		struct hd_inst *load = simbench_emit(&bench, HD_OP_LDL);
		load->mods = HD_MOD(SIZE, HD_SIZE_32);
		load->dst = 5;
		load->a = 1;
		load->xkind = HD_X_OTHER;
		load->x = (uint32_t)-16;
	}
	add_barrier(&bench);
	simbench_call(&bench, "f");
	simbench_function(&bench, "f");
	simbench_emit(&bench, HD_OP_RET);
	bench.meta.registers = 20;
	bench.meta.max_fru = 4;
	bench.meta.low_watermark = 20;
	bench.meta.high_watermark = 40;
	run_blocks(&bench, 1, threads);
	ck_assert_int_eq(simbench_figure(&bench, "switches") > 0, threads > 32);
	uint64_t cycles = simbench_stats(&bench)->counters.cycles;
	simbench_release(&bench);
	return cycles;
}

START_TEST(a_switch_waits_for_loads_under_way)
{
	uint64_t load = cycles_of_switch(32, true) - cycles_of_switch(32, false);
	ck_assert_uint_gt(load, 50);
	ck_assert_uint_ge(cycles_of_switch(64, true) - cycles_of_switch(64, false), 3 * load / 2);
}
END_TEST

START_TEST(one_warp_at_a_time_still_ends)
{
	struct simbench bench;
	run_barriers(&bench, "cars:high", 8 * 20, 3); /* Low fits one block; High four warps */
	ck_assert_double_gt(simbench_figure(&bench, "switches"), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.barriers, 3 * 8 * 6);
	simbench_release(&bench);
}
END_TEST

/* Held warps and injected accesses must not depend on which cycles are visited. */
START_TEST(skipping_cycles_changes_nothing)
{
	struct hd_stats stats[2];
	json_t *blame[2];
	for (int every = 0; every < 2; every++) {
		struct simbench bench;
		build_barriers(&bench, "cars", 5 * 40);
		bench.options.blame = true; /* where slots are lost must not, either */
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		bench.sim->gpu.every_cycle = every;
		bench.sim->gpu.sms[0]->every_cycle = every;
		ck_assert_int_eq(simbench_run(&bench, 5, 256), 0);
		stats[every] = *simbench_stats(&bench);
		blame[every] = hd_blame_json(&bench.sim->gpu);
		simbench_release(&bench);
	}
	ck_assert_mem_eq(&stats[0], &stats[1], sizeof stats[0]);
	ck_assert(json_equal(blame[0], blame[1]));
	json_decref(blame[0]);
	json_decref(blame[1]);
}
END_TEST

START_TEST(low_watermark_never_switches)
{
	struct simbench bench;
	run_barriers(&bench, "cars:low", 8 * 20, 3);
	ck_assert_double_eq(simbench_figure(&bench, "switches"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "stalled_warps"), 0);
	simbench_release(&bench);
}
END_TEST

START_TEST(stalled_warps_follow_those_that_end)
{
	struct simbench bench;
	bench_init(&bench, "cars:high");
	two_deep(&bench);
	bench.config.registers = 23 * 32 * 4;
	bench.config.register_unit = 32;
	bench.config.warp_unit = 1;
	bench.meta.high_watermark = 46; /* two warps; the dispatcher launches four by Low */
	run_blocks(&bench, 16, 32);
	ck_assert_double_ge(simbench_figure(&bench, "stalled_warps"), 2);
	ck_assert_double_eq(simbench_figure(&bench, "switches"), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.warps, 16);
	ck_assert_double_eq(simbench_figure(&bench, "high_blocks"), 16);
	simbench_release(&bench);
}
END_TEST

/* Low is 20 rows, High 23. One block of four warps fits; what it leaves belongs to the four. */
START_TEST(left_over_of_whole_blocks_is_divided)
{
	for (int more = 0; more < 2; more++) {
		struct simbench bench;
		bench_init(&bench, "cars");
		two_deep(&bench);
		bench.config.registers = (4 * 20 + 3 * 4 - !more) * 32;
		bench.config.register_unit = 32;
		bench.config.warp_unit = 1;
		run_blocks(&bench, 3, 128);
		ck_assert_double_eq(simbench_figure(&bench, "high_registers"), 23);
		ck_assert_int_eq(simbench_figure(&bench, "stalled_warps") > 0, !more);
		if (!more)
			ck_assert_double_eq(simbench_figure(&bench, "1x_low_registers"), 22);
		simbench_release(&bench);
	}
}
END_TEST

/* Two calls of the most registers that a site names: 1 here. Where a site, of the kernel or of a function, may call
 * what nobody names it is the most of all functions: three registers and a return address. */
START_TEST(unknown_calls_may_be_of_any_function)
{
	for (uint32_t caller = 0; caller < 3; caller++) {
		struct simbench bench;
		bench_init(&bench, "cars:2");
		simbench_call(&bench, "larger");
		simbench_call(&bench, "larger");
		simbench_function(&bench, "larger");
		simbench_prologue(&bench, 3);
		simbench_call(&bench, "last");
		simbench_epilogue(&bench, 3);
		simbench_emit(&bench, HD_OP_RET);
		simbench_function(&bench, "last");
		simbench_emit(&bench, HD_OP_RET);
		bench.meta.max_fru = 1;
		if (caller < 2)
			bench.calls[1 + caller].unknown = true; /* the second of the kernel, the one of larger */
		bench.config.register_unit = 32;
		run_blocks(&bench, 1, 32);
		ck_assert_double_eq(simbench_figure(&bench, "2x_low_registers"), 16 + 2 * (caller < 2 ? 4 : 1));
		simbench_release(&bench);
	}
}
END_TEST

/* Two SMs, of which one begins with Low and the other with High. */
static void two_sms_init(struct simbench *bench)
{
	bench_init(bench, "cars");
	two_deep(bench);
	bench->config.sm_count = 2;
	bench->config.registers = 20 * 32 * 4;
	bench->config.register_unit = 32;
	bench->config.warp_unit = 1;
	bench->meta.high_watermark = 46;
}

START_TEST(next_launch_begins_with_the_best)
{
	struct simbench bench;
	two_sms_init(&bench);
	run_blocks(&bench, 64, 32);
	/* One SM began with Low, the other with High. */
	double low = simbench_figure(&bench, "1x_low_blocks"), high = simbench_figure(&bench, "high_blocks");
	ck_assert_double_gt(low, 0);
	ck_assert_double_gt(high, 0);
	double best = simbench_figure(&bench, "best_allocation");
	ck_assert_double_eq(best, simbench_figure(&bench, "2x_low_registers"));
	ck_assert_int_eq(simbench_run(&bench, 64, 32), 0);
	ck_assert_double_eq(simbench_figure(&bench, "best_allocation"), best);
	ck_assert_double_eq(simbench_figure(&bench, "2x_low_blocks"), 64);
	ck_assert_double_eq(simbench_figure(&bench, "calls"), 128); /* of this launch alone */
	simbench_release(&bench);
}
END_TEST

/* A grid that leaves an SM fewer warps gives Low more rows; what is known of Low and High holds for it all the same. */
START_TEST(another_grid_begins_with_the_best)
{
	struct simbench bench;
	two_sms_init(&bench);
	run_blocks(&bench, 8, 32);
	double low = simbench_figure(&bench, "1x_low_registers");
	ck_assert_double_eq(simbench_figure(&bench, "1x_low_blocks"), 4);
	ck_assert_int_eq(simbench_run(&bench, 4, 32), 0);
	ck_assert_double_gt(simbench_figure(&bench, "1x_low_registers"), low);
	ck_assert_double_eq(fmin(simbench_figure(&bench, "1x_low_blocks"), simbench_figure(&bench, "high_blocks")), 0);
	simbench_release(&bench);
}
END_TEST

/* One SM begins with Low, the other with High, and no block begins after one has ended: what both took is known. */
START_TEST(the_last_blocks_of_every_sm_are_measured)
{
	struct simbench bench;
	two_sms_init(&bench);
	run_blocks(&bench, 8, 32);
	ck_assert_double_eq(simbench_figure(&bench, "1x_low_blocks"), 4);
	ck_assert_double_eq(simbench_figure(&bench, "high_blocks"), 4);
	ck_assert_double_gt(simbench_figure(&bench, "1x_low_block_cycles"), 0);
	ck_assert_double_gt(simbench_figure(&bench, "high_block_cycles"), 0);
	simbench_release(&bench);
}
END_TEST

/* A launch that was stopped before any block had ended has measured nothing: High is best until then. */
START_TEST(high_is_best_before_any_block_has_ended)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	two_deep(&bench);
	bench.options.max_cycles = 20;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_TIMEOUT);
	ck_assert_double_eq(simbench_figure(&bench, "high_block_cycles"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "best_allocation"), simbench_figure(&bench, "high_registers"));
	simbench_release(&bench);
}
END_TEST

/* ---- what --verify finds */

/* A policy beside CARS that breaks its stack: on the `after`-th call, in place of what the hardware would do. */
static struct {
	uint32_t calls, after;
	void (*damage)(struct cars_stack *stack);
} sabotage;

static uint32_t sabotage_call(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			      uint32_t callee, uint64_t now)
{
	const struct hd_policy_handle *cars = self - 1;
	(void)inst;
	(void)callee;
	(void)now;
	if (++sabotage.calls == sabotage.after)
		sabotage.damage(&cars_warp_of(cars, warp)->stack);
	return 0;
}

static const struct hd_policy_hooks sabotage_hooks = {.calls.call = sabotage_call};
static const struct hd_policy saboteur = {.name = "saboteur", .hooks = &sabotage_hooks};

/* Runs what `build` made with a stack that is broken on its `after`-th call; `expected` is in the message. */
static void expect_found(struct simbench *bench, uint32_t after, void (*damage)(struct cars_stack *stack),
			 const char *expected)
{
	sabotage.calls = 0;
	sabotage.after = after;
	sabotage.damage = damage;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	hd_policy_add(&bench->sim->gpu, &saboteur, "");
	ck_assert_int_eq(simbench_run(bench, 1, 32), HD_SIM_VERIFY);
	ck_assert_msg(strstr(hd_sim_error_text(bench->sim), expected) != NULL, "%s", hd_sim_error_text(bench->sim));
	simbench_release(bench);
}

static void shift_rows(struct cars_stack *stack)
{
	stack->rfp_slot = (stack->rfp_slot + 1) % stack->size;
}

static void forget_to_pop(struct cars_stack *stack)
{
	stack->frames.data[0].start++;
}

/* As if what the trap spilled had never left: it will not be filled. */
static void lose_a_spill(struct cars_stack *stack)
{
	ck_assert_uint_gt(stack->bottom, 0);
	stack->bottom = stack->resident = 0;
}

/* Not what another warp left there, nor zero: one that reads what it has not written is not checked. */
START_TEST(what_a_warp_has_not_written_may_be_anything)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	two_deep(&bench);
	bench.code.data[1] = hd_inst_new(HD_OP_FFMA); /* in place of the MOV */
	bench.code.data[1].dst = 4;
	bench.code.data[1].a = bench.code.data[1].b = bench.code.data[1].c = 17;
	bench.config.max_ctas = 1;
	run_blocks(&bench, 3, 32);
	ck_assert_double_eq(simbench_figure(&bench, "calls"), 3 * 2);
	simbench_release(&bench);
}
END_TEST

START_TEST(verify_finds_a_wrong_renaming)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	two_deep(&bench);
	expect_found(&bench, 2, shift_rows, "CARS: ");
}
END_TEST

START_TEST(verify_finds_an_unbalanced_stack)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	two_deep(&bench);
	expect_found(&bench, 1, forget_to_pop, "does not balance");
}
END_TEST

START_TEST(verify_finds_what_a_trap_lost)
{
	struct simbench bench;
	bench_init(&bench, "cars");
	bench.config.registers = 1024;
	bench.config.warp_unit = 1;
	recursion(&bench, 20);
	expect_found(&bench, 15, lose_a_spill, "CARS: ");
}
END_TEST

/* ---- what it costs and what it is compared with */

static void build_chain(struct simbench *bench, uint32_t length)
{
	simbench_chain(bench, length);
}

static void build_chain_behind_the_stages(struct simbench *bench, uint32_t length)
{
	bench->options.policy = "cars-stages";
	simbench_chain(bench, length);
}

static void build_chain_under_cars(struct simbench *bench, uint32_t length)
{
	bench->options.policy = "cars";
	bench->meta.fru = 16;
	simbench_chain(bench, length);
}

START_TEST(two_stages_delay_every_result)
{
	uint64_t base = simbench_measure(build_chain, 30, 32).counters.cycles -
			simbench_measure(build_chain, 10, 32).counters.cycles;
	uint64_t cars = simbench_measure(build_chain_under_cars, 30, 32).counters.cycles -
			simbench_measure(build_chain_under_cars, 10, 32).counters.cycles;
	uint64_t stages = simbench_measure(build_chain_behind_the_stages, 30, 32).counters.cycles -
			  simbench_measure(build_chain_behind_the_stages, 10, 32).counters.cycles;
	ck_assert_uint_eq(cars - base, 20 * 2);
	ck_assert_uint_eq(stages, cars);
}
END_TEST

static void build_limited(struct simbench *bench, uint32_t limit)
{
	static const char *const names[] = {"baseline", "swl:1", "swl:2", "swl:4"};
	bench->options.policy = names[limit];
	simbench_chain(bench, 20);
	add_barrier(bench);
	simbench_chain(bench, 20);
}

START_TEST(swl_limits_the_warps_that_issue)
{
	uint64_t free = simbench_measure(build_limited, 0, 256).counters.cycles;
	uint64_t one = simbench_measure(build_limited, 1, 256).counters.cycles;
	uint64_t two = simbench_measure(build_limited, 2, 256).counters.cycles;
	ck_assert_uint_gt(one, two);
	ck_assert_uint_gt(two, free);
	struct simbench bench;
	bench_init(&bench, "swl:2");
	simbench_chain(&bench, 20);
	run_blocks(&bench, 2, 256);
	ck_assert_double_eq(simbench_figure(&bench, "most_warps"), 2);
	simbench_release(&bench);
	/* One at a time: each of eight warps takes its two chains alone; nobody waits for a chain's last result. */
	ck_assert_uint_ge(one, 8 * 2 * 19 * 5);
}
END_TEST

START_TEST(policies_check_their_parameters)
{
	const char *const wrong[] = {
		"swl",
		"swl:0",
		"swl:x",
		"swl:129",
		"swl:a",
		"cars:0",
		"cars:lower",
		"vw:1",
		"baseline:1",
		"cars:",
		"vw+cars",
		"cars+cars",
		"combination",
		"combination:0",
		"combination:4,",
		"shuffle",
		"shuffle:0",
		"shuffle:1000001",
		"shuffle:x",
		"combination:4,x",
		"duet:x",
		"duet:33",
		"duet:1x",
		"r2d2:never",
		"combination:4294967296",
	};
	const char *const right[] = {
		"swl:1",
		"swl:9",
		"swl:128",
		"cars:low",
		"cars:3",
		"cars+all-hit",
		"vw+swl:8",
		"duet:0",
		"duet:9",
		"duet:32",
		"shuffle:1",
		"shuffle:9",
		"r2d2",
		"r2d2:always",
		"shuffle:1000000",
		"combination:9",
		"combination:1,90,4294967295",
	};
	struct simbench bench;
	simbench_init(&bench);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_msg(strcmp(wrong[i], "cars:") == 0 || hd_policy_check(wrong[i], &bench.diag) == -1, "%s",
			      wrong[i]);
	for (size_t i = 0; i < sizeof right / sizeof *right; i++)
		ck_assert_msg(hd_policy_check(right[i], &bench.diag) == 0, "%s: %s", right[i], bench.message);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("cars", (const TTest *const[]){
					   calls_push_and_pop_without_memory,
					   the_push_of_rfp_takes_a_slot_and_a_register_write,
					   pushes_pass_the_operand_collector,
					   calls_make_room_for_the_larger_of_site_and_callee,
					   every_site_makes_room,
					   saves_with_a_gap_are_not_renamed,
					   low_watermark_traps_on_the_second_call,
					   rows_of_a_number_lie_side_by_side,
					   recursion_goes_beyond_any_stack,
					   frame_stays_until_all_threads_have_returned,
					   exit_in_a_function_releases_its_frame,
					   exit_in_a_nested_call_keeps_the_frames_of_the_others,
					   a_call_too_large_for_the_stack_restores_from_memory,
					   barriers_switch_stalled_warps_in,
					   a_switch_waits_for_loads_under_way,
					   one_warp_at_a_time_still_ends,
					   skipping_cycles_changes_nothing,
					   low_watermark_never_switches,
					   stalled_warps_follow_those_that_end,
					   left_over_of_whole_blocks_is_divided,
					   unknown_calls_may_be_of_any_function,
					   next_launch_begins_with_the_best,
					   another_grid_begins_with_the_best,
					   the_last_blocks_of_every_sm_are_measured,
					   high_is_best_before_any_block_has_ended,
					   what_a_warp_has_not_written_may_be_anything,
					   verify_finds_a_wrong_renaming,
					   verify_finds_an_unbalanced_stack,
					   verify_finds_what_a_trap_lost,
					   two_stages_delay_every_result,
					   swl_limits_the_warps_that_issue,
					   policies_check_their_parameters,
					   NULL,
				   });
}
