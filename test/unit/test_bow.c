/* BOW: what is forwarded inside a window, what ends a window, and what a warp waits for. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

static void bench_init(struct simbench *bench, const char *policy)
{
	simbench_init(bench);
	bench->config.max_warps = 32;
	bench->config.max_threads = 1024;
	bench->options.policy = policy;
	bench->options.verify = true;
	bench->meta.registers = 40;
}

static void run(struct simbench *bench)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

/* Sources of the two instructions before are forwarded, with duplicates; those of the third are not. */
START_TEST(a_window_has_three_instructions)
{
	static const struct {
		const char *policy;
		uint64_t hits;
	} rows[] = {{"bow", 1 + 2 + 0}, {"bow:2", 1 + 0 + 0}, {"bow:4", 1 + 2 + 3}};
	for (uint32_t i = 0; i < 3; i++) {
		struct simbench bench;
		bench_init(&bench, rows[i].policy);
		simbench_ffma(&bench, 8, 2, 3, 2);
		simbench_ffma(&bench, 9, 3, 4, 5);  /* R3 of the first */
		simbench_ffma(&bench, 10, 2, 2, 6); /* R2 of the first */
		simbench_ffma(&bench, 11, 11, 12, 13);
		simbench_ffma(&bench, 14, 3, 4, 5); /* of the second, three before */
		run(&bench);
		ck_assert_double_eq(simbench_figure(&bench, "operands"), 15);
		ck_assert_double_eq(simbench_figure(&bench, "hits"), (double)rows[i].hits);
		simbench_release(&bench);
	}
}
END_TEST

/* Results are forwarded, and go to the banks, too. */
START_TEST(results_are_forwarded)
{
	struct simbench bench;
	bench_init(&bench, "bow");
	simbench_mov(&bench, 4, 7);
	simbench_ffma(&bench, 8, 4, 4, 4);
	simbench_ffma(&bench, 9, 8, 5, 4);
	run(&bench);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 3 + 2);
	ck_assert_double_eq(simbench_figure(&bench, "kept_results"), 3);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 1);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, 3);
	simbench_release(&bench);
}
END_TEST

/* A result of some lanes hides what an earlier instruction has read. */
START_TEST(a_partial_result_is_not_forwarded)
{
	struct simbench bench;
	bench_init(&bench, "bow");
	simbench_s2r(&bench, 7, HD_SR_LANEID);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 7;
	test->xkind = HD_X_IMM_B;
	test->x = 5;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
	simbench_ffma(&bench, 8, 4, 4, 4);
	simbench_ffma(&bench, 4, 5, 5, 5);
	hd_vec_last(&bench.code).guard = 0;
	simbench_ffma(&bench, 9, 4, 4, 4);
	run(&bench);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 1); /* R7 */
	simbench_release(&bench);
}
END_TEST

/* A jump ends the window; a branch that is not taken does not. */
static uint64_t hits_over_branch(bool taken)
{
	struct simbench bench;
	bench_init(&bench, "bow");
	simbench_ffma(&bench, 8, 2, 3, 4);
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = taken ? HD_PT : HD_PT | HD_PRED_NOT;
	branch->xkind = HD_X_OTHER;
	branch->x = 3;
	simbench_mov(&bench, 20, 1);
	simbench_ffma(&bench, 9, 2, 3, 4);
	run(&bench);
	ck_assert_double_eq(simbench_figure(&bench, "flushes"), taken);
	uint64_t hits = (uint64_t)simbench_figure(&bench, "hits");
	simbench_release(&bench);
	return hits;
}

START_TEST(a_jump_begins_a_window)
{
	ck_assert_uint_eq(hits_over_branch(false), 3);
	ck_assert_uint_eq(hits_over_branch(true), 0);
}
END_TEST

/* Three operands in one bank with one slow port: the second instruction has them when the first has. */
START_TEST(what_is_on_its_way_is_forwarded_when_it_comes)
{
	uint64_t cycles[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		bench_init(&bench, i ? "bow" : "baseline");
		bench.config.register_banks = 2;
		bench.config.register_ports = 1;
		bench.config.register_write_ports = 1;
		bench.config.register_busy = bench.config.register_latency = 10;
		for (uint8_t k = 0; k < 8; k++)
			simbench_ffma(&bench, (uint8_t)(9 + 2 * k), 2, 4, 6);
		run(&bench);
		cycles[i] = simbench_stats(&bench)->counters.cycles;
		if (i)
			ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 3);
		simbench_release(&bench);
	}
	/* 24 reads of ten cycles, or 3 and behind these the eight writes. */
	ck_assert_uint_ge(cycles[0], 24 * 10);
	ck_assert_uint_ge(cycles[1], 3 * 10 + 7 * 10);
	ck_assert_uint_le(cycles[1], 3 * 10 + 9 * 10);
}
END_TEST

START_TEST(windows_have_a_size)
{
	static const char *const wrong[] = {"bow:1", "bow:9", "bow:x", "bow:3x", "bow:-3"};
	for (uint32_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct simbench bench;
		bench_init(&bench, wrong[i]);
		ck_assert_int_ne(simbench_start(&bench), 0);
		ck_assert_msg(strstr(bench.message, "expected the window length in instructions") != NULL, "%s",
			      bench.message);
		simbench_release(&bench);
	}
	struct simbench bench;
	bench_init(&bench, "bow:8");
	bench.config.max_warps = 64;
	ck_assert_int_ne(simbench_start(&bench), 0);
	ck_assert_msg(strstr(bench.message, "64 warps with windows of 8 instructions need more than 256") != NULL, "%s",
		      bench.message);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("bow", (const TTest *const[]){
					  a_window_has_three_instructions,
					  results_are_forwarded,
					  a_partial_result_is_not_forwarded,
					  a_jump_begins_a_window,
					  what_is_on_its_way_is_forwarded_when_it_comes,
					  windows_have_a_size,
					  NULL,
				  });
}
