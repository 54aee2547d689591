/* The watchdog: loops that come back to where they were are stopped, those that get anywhere are not; what is said. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "runtime/watch/probe.h"
#include "simbench.h"

enum { PERIOD = 2000, CYCLES = 60000 };

static void add_imm(struct simbench *bench, uint8_t reg, uint32_t value)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = inst->a = reg;
	inst->xkind = HD_X_IMM_B;
	inst->x = value;
}

static void jump(struct simbench *bench, uint32_t target)
{
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->xkind = HD_X_OTHER;
	branch->x = target;
}

static void store(struct simbench *bench, enum hd_op op, uint8_t reg)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst->a = HD_RZ;
	inst->c = reg;
	inst->xkind = HD_X_OTHER;
}

static void barrier(struct simbench *bench)
{
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
}

/* Bodies of an endless loop; it begins at instruction 1. */
static void does_nothing(struct simbench *bench)
{
	(void)bench;
}

static void counts(struct simbench *bench)
{
	add_imm(bench, 5, 1);
}

static void counts_to_four(struct simbench *bench)
{
	add_imm(bench, 5, 1u << 30);
}

static void reads_the_clock(struct simbench *bench)
{
	simbench_s2r(bench, 5, HD_SR_CLOCK_LO);
	simbench_mov(bench, 5, 0);
}

/* The frame holds the same in each turn, but not all the time. */
static void changes_its_frame(struct simbench *bench)
{
	store(bench, HD_OP_STL, 4);
	store(bench, HD_OP_STL, HD_RZ);
}

static void counts_in_its_frame(struct simbench *bench)
{
	struct hd_inst *load = simbench_emit(bench, HD_OP_LDL);
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	load->dst = 5;
	load->a = HD_RZ;
	load->xkind = HD_X_OTHER;
	add_imm(bench, 5, 1);
	store(bench, HD_OP_STL, 5);
	simbench_mov(bench, 5, 0);
}

/* Others could see it. */
static void changes_shared_memory(struct simbench *bench)
{
	store(bench, HD_OP_STS, 4);
	store(bench, HD_OP_STS, HD_RZ);
}

static void stores_the_same(struct simbench *bench)
{
	store(bench, HD_OP_STS, 4);
}

static void meets_the_others(struct simbench *bench)
{
	barrier(bench);
}

static int run_loop(struct simbench *bench, void (*body)(struct simbench *bench), const char *policy)
{
	simbench_init(bench);
	bench->options.watchdog = PERIOD;
	bench->options.max_cycles = CYCLES;
	bench->options.policy = policy;
	bench->meta.max_stack_bytes = 64;
	bench->meta.shared_bytes = 64;
	simbench_mov(bench, 4, 77);
	body(bench);
	jump(bench, 1);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 2, 64);
	ck_assert(!bench->sim->gpu.watched_alone);
	return error;
}

START_TEST(loops_without_progress_are_stopped_and_others_are_not)
{
	const struct {
		void (*body)(struct simbench *bench);
		bool stuck;
	} cases[] = {
		{does_nothing, true},		{counts, false},	   {counts_to_four, true},
		{reads_the_clock, false},	{changes_its_frame, true}, {counts_in_its_frame, false},
		{changes_shared_memory, false}, {stores_the_same, true},   {meets_the_others, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct simbench bench;
		ck_assert_int_eq(run_loop(&bench, cases[i].body, NULL), HD_SIM_TIMEOUT);
		const char *said = hd_sim_error_text(bench.sim);
		uint64_t cycles = simbench_stats(&bench)->counters.cycles;
		ck_assert_msg(!!strstr(said, "no progress for 20") == cases[i].stuck, "case %zu: %s", i, said);
		ck_assert_msg(!!strstr(said, "did not end within") == !cases[i].stuck, "case %zu: %s", i, said);
		ck_assert_msg(cases[i].stuck ? cycles < 3 * PERIOD : cycles >= CYCLES, "case %zu", i);
		simbench_release(&bench);
	}
}
END_TEST

/* Branches to `target` unless R[reg] is `value`. */
static void until(struct simbench *bench, uint8_t reg, uint32_t value, uint32_t target)
{
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = reg;
	test->xkind = HD_X_IMM_B;
	test->x = value;
	test->mods = HD_MOD(CMP, HD_CMP_NE) | HD_MOD(SIGN, 1);
	struct hd_inst *loop = simbench_emit(bench, HD_OP_BRA);
	loop->guard = 0;
	loop->xkind = HD_X_OTHER;
	loop->x = target;
}

/* Without timing: a warp's turn is 262,144 instructions, so that these loops take several, one, and parts of one. */
START_TEST(without_timing_what_computes_ends)
{
	static const uint32_t turns[] = {400000, 80000, 100};
	for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.functional = true;
		bench.options.watchdog = PERIOD;
		add_imm(&bench, 5, 1);
		until(&bench, 5, turns[i], 0);
		barrier(&bench);
		add_imm(&bench, 5, 1);
		until(&bench, 5, 2 * turns[i], 4);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_msg(!simbench_run(&bench, 3, 64), "%s", hd_sim_error_text(bench.sim));
		ck_assert_uint_eq(simbench_stats(&bench)->counters.warp_instructions, 6 * (6 * turns[i] + 2));
		simbench_release(&bench);
	}
}
END_TEST

/* Its warps compute first, each for some turns, and no one of them is stopped in that. */
START_TEST(without_timing_what_never_ends_is_stopped)
{
	void (*const bodies[])(struct simbench *bench) = {does_nothing, counts_to_four, changes_its_frame,
							  stores_the_same, meets_the_others};
	for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.functional = true;
		bench.options.watchdog = PERIOD;
		bench.meta.max_stack_bytes = 64;
		bench.meta.shared_bytes = 64;
		simbench_mov(&bench, 4, 77);
		add_imm(&bench, 6, 1);
		until(&bench, 6, 300000, 1);
		bodies[i](&bench);
		jump(&bench, 4);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(simbench_run(&bench, 1, 256), HD_SIM_TIMEOUT);
		ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "every warp spins or waits"));
		ck_assert_uint_gt(simbench_stats(&bench)->counters.warp_instructions, 8 * 3 * 300000);
		simbench_release(&bench);
	}
}
END_TEST

/* Looking changes no figure. */
START_TEST(looks_change_nothing)
{
	struct hd_stats stats[2];
	for (int on = 0; on < 2; on++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.watchdog = on ? 40 : UINT64_MAX;
		simbench_chain(&bench, 400);
		bench.meta.shared_bytes = 64;
		changes_shared_memory(&bench);
		barrier(&bench);
		simbench_chain(&bench, 400);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 3, 64), 0);
		stats[on] = *simbench_stats(&bench);
		simbench_release(&bench);
	}
	ck_assert_mem_eq(&stats[0], &stats[1], sizeof stats[0]);
}
END_TEST

START_TEST(a_watchdog_that_is_off_stops_nothing)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.watchdog = UINT64_MAX;
	bench.options.max_cycles = CYCLES;
	jump(&bench, 0);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "did not end within"));
	simbench_release(&bench);
}
END_TEST

/* It issues nothing for a millisecond, and is not without progress. */
START_TEST(sleeping_is_progress)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.watchdog = PERIOD;
	struct hd_inst *sleep = simbench_emit(&bench, HD_OP_NANOSLEEP);
	sleep->xkind = HD_X_IMM_B;
	sleep->x = 1000000;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	ck_assert_uint_gt(simbench_stats(&bench)->counters.cycles, 100 * PERIOD);
	simbench_release(&bench);
}
END_TEST

/* ---- what is said */

struct notes {
	char text[2048];
};

static void keep_notes(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct notes *notes = context;
	size_t length = strlen(notes->text);
	(void)loc;
	if (severity == HD_NOTE)
		snprintf(notes->text + length, sizeof notes->text - length, "%s\n", message);
}

/* Warp 0 goes round in a loop, the others wait at a barrier; a block has no room. */
static void one_spins(struct simbench *bench)
{
	simbench_s2r(bench, 4, HD_SR_WARPID);
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 4;
	test->xkind = HD_X_IMM_B;
	test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(SIGN, 1);
	struct hd_inst *loop = simbench_emit(bench, HD_OP_BRA);
	loop->guard = 0;
	loop->xkind = HD_X_OTHER;
	loop->x = bench->code.len - 1;
	barrier(bench);
}

START_TEST(notes_name_what_warps_wait_for)
{
	struct simbench bench;
	struct notes notes = {""};
	simbench_init(&bench);
	one_spins(&bench);
	bench.options.watchdog = PERIOD;
	bench.config.max_ctas = 2;
	bench.diag.emit = keep_notes;
	bench.diag.context = &notes;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 5, 96), HD_SIM_TIMEOUT);
	ck_assert_str_eq(notes.text,
			 "2 warps in kernel+0x20 spinning in a loop that reads no memory that others write (the first: "
			 "warp 0 of block (0,0,0))\n"
			 "4 warps in kernel+0x30 at barrier 0, where 2 of 3 warps have arrived (the first: warp 1 of "
			 "block (0,0,0))\n"
			 "3 of 5 blocks have not begun: the SMs have no room until others end\n");
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "6 warps resident, 4 of them at a barrier"));
	simbench_release(&bench);
}
END_TEST

/* A deadlock is told at once in the same form: a barrier that waits for more warps than there are. */
START_TEST(a_deadlock_is_told_alike)
{
	struct simbench bench;
	struct notes notes = {""};
	simbench_init(&bench);
	simbench_mov(&bench, 5, 96);
	struct hd_inst *bar = simbench_emit(&bench, HD_OP_BAR);
	bar->xkind = HD_X_IMM_B;
	bar->x = 3;
	bar->c = 5;
	bench.diag.emit = keep_notes;
	bench.diag.context = &notes;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 64), HD_SIM_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "deadlock: "));
	ck_assert_str_eq(notes.text, "2 warps in kernel+0x10 at barrier 3, where 2 of 3 warps have arrived (the first: "
				     "warp 0 of block (0,0,0))\n");
	ck_assert_uint_lt(simbench_stats(&bench)->counters.cycles, 1000);
	simbench_release(&bench);
}
END_TEST

START_TEST(policies_say_why_they_hold_a_warp)
{
	struct simbench bench;
	struct notes notes = {""};
	simbench_init(&bench);
	jump(&bench, 0);
	bench.options.watchdog = PERIOD;
	bench.options.policy = "swl:2";
	bench.diag.emit = keep_notes;
	bench.diag.context = &notes;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 96), HD_SIM_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(notes.text, "2 warps in kernel+0x0 spinning"));
	ck_assert_ptr_nonnull(
		strstr(notes.text, "1 warp in kernel+0x0 kept from issuing by policy swl: 2 warps may issue"));
	simbench_release(&bench);
}
END_TEST

/* ---- cooperative grids */

static uint32_t wants_more(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
			   uint32_t registers)
{
	(void)self;
	(void)sm;
	(void)grid;
	return 2 * registers;
}

START_TEST(a_policy_without_room_for_a_cooperative_grid_refuses_it)
{
	static const struct hd_policy_hooks hooks = {.allocation.admit = wants_more};
	static const struct hd_policy greedy = {.name = "greedy", .hooks = &hooks};
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.registers = 64;
	bench.config.registers = 64 * 32 * 4;
	bench.config.warp_unit = 1;
	simbench_chain(&bench, 3);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_launch launch = {.kernel = bench.kernel, .grid = {4, 1, 1}, .block = {32, 1, 1}, .cooperative = true};
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	hd_policy_add(&bench.sim->gpu, &greedy, "");
	hd_policy_place(&bench.sim->gpu);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), HD_SIM_TOO_LARGE);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "room for 2 of 4 blocks"));
	launch.cooperative = false;
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	bench.sim->gpu.policy_count = 0;
	hd_policy_place(&bench.sim->gpu);
	launch.cooperative = true;
	launch.grid[0] = 5;
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), HD_SIM_TOO_LARGE);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "5 blocks of a cooperative launch, but only 4 fit"));
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("watchdog", (const TTest *const[]){
					       loops_without_progress_are_stopped_and_others_are_not,
					       without_timing_what_computes_ends,
					       without_timing_what_never_ends_is_stopped,
					       looks_change_nothing,
					       a_watchdog_that_is_off_stops_nothing,
					       sleeping_is_progress,
					       notes_name_what_warps_wait_for,
					       a_deadlock_is_told_alike,
					       policies_say_why_they_hold_a_warp,
					       a_policy_without_room_for_a_cooperative_grid_refuses_it,
					       NULL,
				       });
}
