/*
 * A cache of registers beside CARS, which renames them at calls: what the cache has of a warp goes back to the main
 * register file then, since a name means another register behind it; the values that are read are right (--verify).
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "simbench.h"

/* R4, R5, and R8 after them; a function that saves R16, computes R7 of R4 and R5, and R9 after it; R6 of R4, R5, R7. */
static void run(struct simbench *bench, const char *policy)
{
	simbench_init(bench);
	bench->options.policy = policy;
	bench->options.verify = true;
	bench->meta.max_stack_bytes = 64;
	bench->meta.call_depth = 1;
	bench->meta.fru = 16;
	bench->meta.registers = 17;
	bench->meta.max_fru = 2;
	bench->meta.low_watermark = bench->meta.high_watermark = 18;
	simbench_stack(bench);
	simbench_mov(bench, 4, 1);
	simbench_mov(bench, 5, 2);
	simbench_ffma(bench, 8, 4, 5, 4);
	simbench_ffma(bench, 8, 8, 8, 8); /* issues when the first R8 is there */
	simbench_call(bench, "f");
	simbench_ffma(bench, 6, 4, 5, 7);
	simbench_function(bench, "f");
	simbench_prologue(bench, 1);
	simbench_mov(bench, 16, 3);
	simbench_ffma(bench, 7, 4, 5, 4);
	simbench_ffma(bench, 9, 7, 7, 7);
	simbench_ffma(bench, 9, 9, 9, 9);
	simbench_epilogue(bench, 1);
	simbench_emit(bench, HD_OP_RET);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static void expect(const struct simbench *bench, const char *key, uint64_t value)
{
	double found = simbench_figure(bench, key);
	ck_assert_msg(found == (double)value, "%s: %g, not %lu", key, found, value);
}

/*
 * Operands are R4, R5; R8; then R1 of the prologue; R4, R5; R7; R9; R1 of the epilogue; R4, R5, R7. The call has R1,
 * R4, R5 and R8 written back, the return R1, R16, R7, R9 and the R8 that was in flight. So what is served are the three
 * before the call, and R7, R9 and the epilogue's R1.
 */
START_TEST(a_hardware_cache_forgets_names)
{
	struct simbench bench;
	run(&bench, "cars+rfc");
	expect(&bench, "operands", 12);
	expect(&bench, "hits", 3 + 3);
	expect(&bench, "results", 5 + 6 + 1);
	expect(&bench, "written_back", 4 + 5);
	expect(&bench, "dropped", 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 12 - 6);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, 9 + 1); /* and the frame's pointer */
	simbench_release(&bench);
}
END_TEST

/* Without CARS names stay: all are served but R16 of the ABI, which the function saves before it has written it. */
START_TEST(names_stay_without_renaming)
{
	struct simbench bench;
	run(&bench, "rfc");
	expect(&bench, "operands", 12 + 3); /* of the save R1 and R16, of what restores it R1 */
	expect(&bench, "hits", 14);
	expect(&bench, "written_back", 0);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("names",
			   (const TTest *const[]){a_hardware_cache_forgets_names, names_stay_without_renaming, NULL});
}
