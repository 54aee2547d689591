/* RFC: what its entries keep, who makes room, and what is written back. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

/* Four results, then all of them read, the older two first or last, R4 for the last time as `dead` says. */
static void run(struct simbench *bench, const char *entries, bool dead, bool last)
{
	simbench_init(bench);
	bench->options.policy = "rfc";
	bench->options.verify = true;
	ck_assert_int_eq(hd_config_set(&bench->config, entries, &bench->diag), 0);
	for (uint8_t reg = 4; reg < 8; reg++)
		simbench_mov(bench, reg, reg);
	if (last)
		simbench_ffma(bench, 9, 6, 7, 3);
	simbench_ffma(bench, 8, 4, 5, 4);
	if (!last)
		simbench_ffma(bench, 9, 6, 7, 3);
	uint8_t *facts = HD_ARENA_NEW(&bench->arena, uint8_t, bench->code.len + 1);
	facts[4] = dead ? 1 | 4 : 0;
	bench->meta.dead_operands = facts;
	bench->meta.dead_operand_count = bench->code.len + 1;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

START_TEST(results_are_served)
{
	struct simbench bench;
	run(&bench, "rfc.entries=16", false, false);
	ck_assert_double_eq(simbench_figure(&bench, "operands"), 2 + 3);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 4); /* R3 was no result */
	ck_assert_double_eq(simbench_figure(&bench, "results"), 6);
	ck_assert_double_eq(simbench_figure(&bench, "written_back"), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 1);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, 0); /* the warp ends */
	simbench_release(&bench);
}
END_TEST

/* With four entries R8 and R9 take the place of the oldest, R4 and R5: both are written back, or R4 is dead. */
START_TEST(the_oldest_makes_room)
{
	for (uint32_t dead = 0; dead < 2; dead++) {
		struct simbench bench;
		run(&bench, "rfc.entries=4", dead, false);
		ck_assert_double_eq(simbench_figure(&bench, "hits"), 4);
		ck_assert_double_eq(simbench_figure(&bench, "written_back"), dead ? 1 : 2);
		ck_assert_double_eq(simbench_figure(&bench, "dropped"), dead);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, dead ? 1 : 2);
		simbench_release(&bench);
	}
}
END_TEST

/* With two entries R4 and R5 have made room for R6 and R7 before they are read. */
START_TEST(what_has_left_comes_from_the_banks)
{
	struct simbench bench;
	run(&bench, "rfc.entries=2", false, true);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 2);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 3);
	simbench_release(&bench);
}
END_TEST

/* Three warps share four places: each of six results takes that of a warp before it. With eight warps active the
 * configuration's four entries are 32 places, and nothing is displaced. */
START_TEST(warps_that_share_displace_each_other)
{
	uint64_t hits[2];
	for (uint32_t active = 1; active <= 8; active *= 8) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.policy = "rfc";
		bench.options.verify = true;
		bench.config.two_level_active = active;
		ck_assert_int_eq(hd_config_set(&bench.config, "rfc.entries=4", &bench.diag), 0);
		ck_assert_int_eq(hd_config_set(&bench.config, "rfc.shared=1", &bench.diag), 0);
		simbench_mov(&bench, 4, 4);
		simbench_mov(&bench, 5, 5);
		simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B; /* all have written */
		simbench_ffma(&bench, 8, 4, 5, 5);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		int error = simbench_run(&bench, 1, 96);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
		ck_assert_double_eq(simbench_figure(&bench, "operands"), 3 * 2);
		hits[active == 8] = (uint64_t)simbench_figure(&bench, "hits");
		ck_assert_double_eq(simbench_figure(&bench, "written_back") > 0, active == 1);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 6 - hits[active == 8]);
		simbench_release(&bench);
	}
	ck_assert_uint_eq(hits[1], 6);
	ck_assert_uint_lt(hits[0], 6);
}
END_TEST

/* With three places for three warps R5 of each takes the place of its R4, which is the oldest: R5 alone is a hit. */
START_TEST(the_oldest_of_all_makes_room)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "rfc";
	bench.config.two_level_active = 1;
	ck_assert_int_eq(hd_config_set(&bench.config, "rfc.entries=3", &bench.diag), 0);
	ck_assert_int_eq(hd_config_set(&bench.config, "rfc.shared=1", &bench.diag), 0);
	simbench_mov(&bench, 4, 4);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	simbench_mov(&bench, 5, 5);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	simbench_ffma(&bench, 8, 4, 5, 5);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	int error = simbench_run(&bench, 1, 96);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	ck_assert_double_eq(simbench_figure(&bench, "operands"), 3 * 2);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 3);
	ck_assert_double_eq(simbench_figure(&bench, "written_back"), 3 + 3); /* R4, and R5 for R8 */
	simbench_release(&bench);
}
END_TEST

/*
 * The warp has four results in its sixteen entries, R4, R5 and the address in R2 and R3, when it waits for what it has
 * loaded, a miss, and makes way: these four are written to the banks, and none of the twelve that have nothing. What
 * was loaded goes there, too, since the warp is not active then. So the load hits twice, and the FFMA reads its three
 * registers from the banks.
 */
START_TEST(who_makes_way_saves_what_it_has)
{
	struct simbench bench;
	uint64_t address;
	simbench_init(&bench);
	bench.options.policy = "rfc";
	ck_assert_int_eq(hd_config_set(&bench.config, "rfc.entries=16", &bench.diag), 0);
	simbench_mov(&bench, 4, 4);
	simbench_mov(&bench, 5, 5);
	simbench_param(&bench, 2);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 6;
	inst->a = 2;
	inst->xkind = HD_X_OTHER;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_ffma(&bench, 8, 4, 5, 6);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 256, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 32, &address);
	ck_assert_msg(!hd_sim_launch(bench.sim, &launch), "%s", hd_sim_error_text(bench.sim));
	ck_assert_double_eq(simbench_figure(&bench, "saved"), 4);
	ck_assert_double_eq(simbench_figure(&bench, "written_back"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "dropped"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 2);
	ck_assert_double_eq(simbench_figure(&bench, "results"), 4 + 1); /* and the FFMA's, when the warp is back */
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, 4 + 1);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 3);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("rfc", (const TTest *const[]){
					  results_are_served,
					  the_oldest_makes_room,
					  what_has_left_comes_from_the_banks,
					  warps_that_share_displace_each_other,
					  the_oldest_of_all_makes_room,
					  who_makes_way_saves_what_it_has,
					  NULL,
				  });
}
