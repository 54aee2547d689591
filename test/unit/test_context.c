/* Warps and blocks that move: what leaves comes back the same, at other places; blocks that are killed run again. */
#include "harness.h"
#include "runtime/sm/context.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { CHAIN = 40, CALLS = 16 };

/* What the probe does at each alarm, as a test has it. */
struct script {
	void (*step)(struct hd_sm *sm, uint64_t step, uint64_t now);
	uint64_t every; /* cycles */
	uint32_t without;
};
static struct script script;
static uint32_t launched, killed, retired;

static void set_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t step)
{
	hd_policy_at(self, sm, sm->gpu->now + script.every, step);
}

static void on_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	if (!launched++)
		set_alarm(self, sm, 0);
}

static void on_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self, (void)sm;
	ck_assert(cta->used && !cta->killed);
	killed++;
}

static void on_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self, (void)sm, (void)cta;
	retired++;
}

static void on_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t step, uint64_t now)
{
	script.step(sm, step, now);
	if (sm->resident_warps)
		set_alarm(self, sm, step + 1);
}

static uint32_t launch_without(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)self, (void)sm, (void)grid;
	return script.without;
}

static const struct hd_policy_hooks hooks = {.moves = true,
					     .spare_warps = 16,
					     .spare_ctas = 4,
					     .cta_launch = on_launch,
					     .cta_kill = on_kill,
					     .cta_retire = on_retire,
					     .launch_without = launch_without,
					     .alarm = on_alarm};
static const struct hd_policy policy = {.name = "probe", .hooks = &hooks};

/* R4 = 40 FFMAs of R5 and R6 on the thread's number, stored to shared memory and back: R7. */
static void build(struct simbench *bench)
{
	bench->meta.registers = 16;
	simbench_s2r(bench, 4, HD_SR_TID_X);
	simbench_mov(bench, 5, 3);
	simbench_mov(bench, 6, 5);
	for (uint32_t i = 0; i < CHAIN; i++) {
		struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
		add->dst = 4;
		add->a = 4;
		add->b = 5;
		add->c = 6;
	}
}

static void start(struct simbench *bench, void (*step)(struct hd_sm *sm, uint64_t step, uint64_t now), uint64_t every)
{
	script = (struct script){step, every, 0};
	launched = killed = retired = 0;
	ck_assert_int_eq(simbench_start(bench), 0);
	hd_policy_add(&bench->sim->gpu, &policy, "");
	hd_policy_place(&bench->sim->gpu);
}

static void run(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	int error = simbench_run(bench, ctas, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	const struct hd_sm *sm = bench->sim->gpu.sms[0];
	ck_assert_uint_eq(sm->placed_warps + sm->resident_warps + sm->placed_ctas + sm->resident_ctas, 0);
	ck_assert_uint_eq(sm->grids[0].registers_away, 0);
	ck_assert_uint_eq(sm->unplaced, 0);
}

/* Every lane of a block's warps, which were the last to use these numbers. */
static void check_results(const struct simbench *bench, uint32_t warps)
{
	for (uint32_t id = 0; id < warps; id++) {
		const struct hd_warp *warp = &bench->sim->gpu.sms[0]->warps[id];
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			ck_assert_uint_eq(warp->regs[4][lane], warp->index * 32 + lane + CHAIN * 8);
	}
}

/* ---- places */

static uint32_t seen_slots[8], seen_rows[8], seen_count;

/* Both leave, and come back the other way round. */
static void swap_two(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_warp *a = &sm->warps[0], *b = &sm->warps[1];
	if (step == 0) {
		hd_warp_suspend(sm, a, HD_PART_REGISTERS | HD_PART_STACK, NULL);
		hd_warp_suspend(sm, b, HD_PART_REGISTERS, NULL);
		ck_assert(hd_warp_is_away(a) && hd_warp_is_away(b));
		ck_assert_uint_eq(a->away, HD_PART_SLOT | HD_PART_REGISTERS | HD_PART_STACK);
		ck_assert_uint_eq(sm->placed_warps, 0);
		ck_assert_uint_eq(sm->grids[0].registers_away, 2);
	} else if (step == 3) {
		ck_assert(hd_warp_can_return(sm, a) && hd_warp_can_return(sm, b));
		ck_assert(hd_warp_resume(sm, b, now) && hd_warp_resume(sm, a, now));
		ck_assert_uint_eq(a->away + b->away, 0);
		for (uint32_t i = 0; i < 2; i++) {
			seen_slots[seen_count] = sm->warps[i].slot;
			seen_rows[seen_count++] = sm->rows_of[i];
		}
	}
}

START_TEST(warps_come_back_to_other_slots_and_registers)
{
	struct simbench bench;
	simbench_init(&bench);
	build(&bench);
	start(&bench, swap_two, 20);
	seen_count = 0;
	run(&bench, 1, 64);
	ck_assert_uint_eq(seen_count, 2);
	ck_assert_uint_eq(seen_slots[0], 1);
	ck_assert_uint_eq(seen_slots[1], 0);
	ck_assert_uint_eq(seen_rows[0], 1);
	ck_assert_uint_eq(seen_rows[1], 0);
	check_results(&bench, 2);
	simbench_release(&bench);
}
END_TEST

static uint64_t issued_while_away;

static void only_slot(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_warp *warp = &sm->warps[0];
	if (step == 0) {
		const void *regs = warp->regs;
		hd_warp_suspend(sm, warp, 0, NULL);
		ck_assert_uint_eq(warp->away, HD_PART_SLOT);
		ck_assert_ptr_eq(warp->regs, regs);
		issued_while_away = hd_gpu_issued(sm->gpu);
	} else if (step == 9) {
		ck_assert_uint_eq(hd_gpu_issued(sm->gpu), issued_while_away);
		ck_assert_uint_eq(warp->wait_reason, HD_WAIT_READY); /* what it waited for is there */
		ck_assert(hd_warp_resume(sm, warp, now));
	}
}

START_TEST(a_warp_without_a_slot_issues_nothing_and_its_results_arrive)
{
	struct simbench bench;
	simbench_init(&bench);
	build(&bench);
	start(&bench, only_slot, 20);
	run(&bench, 1, 32);
	check_results(&bench, 1);
	simbench_release(&bench);
}
END_TEST

/* ---- what is not saved */

static struct hd_registers saved;

static void leave_some(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	if (step == 0)
		hd_warp_suspend(sm, &sm->warps[0], HD_PART_REGISTERS, &saved);
	else if (step == 3)
		hd_warp_resume(sm, &sm->warps[0], now);
}

static int run_saving(struct simbench *bench, uint64_t registers)
{
	simbench_init(bench);
	bench->options.verify = true;
	build(bench);
	start(bench, leave_some, 20);
	saved = (struct hd_registers){{registers}};
	return simbench_run(bench, 1, 32);
}

START_TEST(registers_that_are_not_saved_are_lost)
{
	struct simbench bench;
	ck_assert_int_eq(run_saving(&bench, 1u << 4 | 1u << 5 | 1u << 6), 0);
	check_results(&bench, 1);
	ck_assert_uint_eq(simbench_register(&bench, 0, 7, 0), 0xa5a5a5a5);
	simbench_release(&bench);
	ck_assert_int_eq(run_saving(&bench, 1u << 4 | 1u << 5), HD_SIM_VERIFY);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "R6 is read, but it was not among the registers"));
	simbench_release(&bench);
}
END_TEST

/* R4, whose sum is under way, comes to where it is. */
START_TEST(results_under_way_are_saved)
{
	struct simbench bench;
	ck_assert_int_eq(run_saving(&bench, 1u << 5 | 1u << 6), 0);
	check_results(&bench, 1);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("context", (const TTest *const[]){
					      warps_come_back_to_other_slots_and_registers,
					      a_warp_without_a_slot_issues_nothing_and_its_results_arrive,
					      registers_that_are_not_saved_are_lost,
					      results_under_way_are_saved,
					      NULL,
				      });
}
