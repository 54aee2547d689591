/* SHRF: what its upper level keeps of a strand, and what goes back at its end. */
#include "harness.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

/* A strand of instructions `first` to `end`, exclusive. */
static void add_strand(struct simbench *bench, uint32_t first, uint32_t end)
{
	struct hd_meta_function *meta = &bench->meta;
	if (!meta->strands)
		meta->strands = HD_ARENA_NEW(&bench->arena, struct hd_meta_interval, 4);
	struct hd_meta_interval *strand = &meta->strands[meta->strand_count];
	strand->id = meta->strand_count++;
	strand->entry_pc = first * HD_INST_BYTES;
	strand->pcs = HD_ARENA_NEW(&bench->arena, uint32_t, end - first);
	for (uint32_t i = first; i < end; i++)
		strand->pcs[strand->pc_count++] = i * HD_INST_BYTES;
	strand->working_set[0] = strand->live_in[0] = 0xfff8; /* R3 to R15 */
}

/* R4 is read in its strand, and behind it or not; R5 only behind it; R6 only in it, for the last time. */
static void build(struct simbench *bench, bool behind)
{
	simbench_init(bench);
	bench->options.policy = "shrf";
	bench->options.verify = true;
	bench->meta.interval_registers = 16;
	simbench_mov(bench, 4, 1);
	simbench_mov(bench, 6, 1);
	simbench_ffma(bench, 5, 4, 6, 6);
	simbench_ffma(bench, 7, behind ? 4 : 3, 5, 3); /* the second strand */
	simbench_ffma(bench, 8, 7, 3, 3);
	add_strand(bench, 0, 3);
	add_strand(bench, 3, 6);
	uint8_t *dead = HD_ARENA_NEW(&bench->arena, uint8_t, 6);
	dead[2] = (uint8_t)(6 | !behind); /* the operand R6, and R4 */
	bench->meta.dead_operands = dead;
	bench->meta.dead_operand_count = 6;
}

static void run(struct simbench *bench)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

START_TEST(strands_keep_what_they_read_again)
{
	for (uint32_t behind = 0; behind < 2; behind++) {
		struct simbench bench;
		build(&bench, behind);
		run(&bench);
		ck_assert_double_eq(simbench_figure(&bench, "strands"), 2);
		/* 2: R4, R6; 3: R3 or R4, R5, R3; 4: R7, R3. */
		ck_assert_double_eq(simbench_figure(&bench, "operands"), 2 + 2 + behind + 2);
		ck_assert_double_eq(simbench_figure(&bench, "hits"), 2 + 2);
		ck_assert_double_eq(simbench_figure(&bench, "kept"), 1);    /* R3 */
		ck_assert_double_eq(simbench_figure(&bench, "results"), 3); /* R4, R6, R7 */
		ck_assert_double_eq(simbench_figure(&bench, "written_back"), behind);
		ck_assert_double_eq(simbench_figure(&bench, "dropped"), 2 - behind);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 2 + behind);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, 2 + behind); /* R5, R8 */
		simbench_release(&bench);
	}
}
END_TEST

/* The upper level has one register: R4 has it, and what finds no room goes to the main register file. */
START_TEST(what_finds_no_room_is_not_kept)
{
	struct simbench bench;
	build(&bench, true);
	ck_assert_int_eq(hd_config_set(&bench.config, "shrf.entries=1", &bench.diag), 0);
	run(&bench);
	ck_assert_double_eq(simbench_figure(&bench, "results"), 1);
	ck_assert_double_eq(simbench_figure(&bench, "kept"), 1);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 1 + 1);
	simbench_release(&bench);
}
END_TEST

/* The metadata says of R4 that it is dead, and the second strand reads it. */
START_TEST(verify_finds_what_was_dropped)
{
	struct simbench bench;
	build(&bench, true);
	((uint8_t *)bench.meta.dead_operands)[2] = 1;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_VERIFY);
	ck_assert_msg(strstr(hd_sim_error_text(bench.sim), "SHRF: R4 is read after it was dropped as dead") != NULL,
		      "%s", hd_sim_error_text(bench.sim));
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("shrf", (const TTest *const[]){
					   strands_keep_what_they_read_again,
					   what_finds_no_room_is_not_kept,
					   verify_finds_what_was_dropped,
					   NULL,
				   });
}
