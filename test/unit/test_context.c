/* Warps and blocks that move: what leaves comes back the same, at other places; blocks that are killed run again. */
#include "harness.h"
#include "heddle/opcodes.h"
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
static uint32_t launched, killed, retired, ended;
static uint64_t began, resident; /* the last block; cycles of warps in blocks, where there is one at a time */

static void set_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t now, uint64_t step)
{
	hd_policy_at(self, sm, now + script.every, step);
}

static void on_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	began = sm->gpu->now;
	if (!launched++)
		set_alarm(self, sm, sm->gpu->now, 0);
}

static void on_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self;
	ck_assert(cta->used && !cta->killed);
	resident += cta->warp_count * (sm->gpu->now - began);
	killed++;
}

static void on_retire(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self, (void)sm, (void)cta;
	retired++;
}

/* Registers of warps that have ended are others' soon. */
static void on_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	resident += now - began;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		ck_assert_uint_eq(warp->regs[4][lane], warp->index * 32 + lane + CHAIN * 8);
	ended++;
}

static void on_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t step, uint64_t now)
{
	script.step(sm, step, now);
	if (sm->resident_warps)
		set_alarm(self, sm, now, step + 1);
}

static uint32_t launch_without(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)self, (void)sm, (void)grid;
	return script.without;
}

static const struct hd_policy_hooks hooks = {.moves = true,
					     .spare_warps = 16,
					     .spare_ctas = 4,
					     .allocation.cta_launch = on_launch,
					     .contexts.cta_kill = on_kill,
					     .allocation.cta_retire = on_retire,
					     .allocation.launch_without = launch_without,
					     .allocation.warp_done = on_done,
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
	launched = killed = retired = ended = 0;
	resident = 0;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	hd_policy_add(&bench->sim->gpu, &policy, "");
	hd_policy_place(&bench->sim->gpu);
}

static void run(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	int error = simbench_run(bench, ctas, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	const struct hd_sm *sm = bench->sim->gpu.sms[0];
	ck_assert_uint_eq(sm->places.placed_warps + sm->resident_warps + sm->places.placed_ctas + sm->resident_ctas, 0);
	ck_assert_uint_eq(sm->grids[0].registers_away, 0);
	ck_assert_uint_eq(sm->contexts.unplaced, 0);
	ck_assert_uint_eq(sm->grid_mask, 0); /* nobody shares queues with it any more */
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
		ck_assert_uint_eq(sm->places.placed_warps, 0);
		ck_assert_uint_eq(sm->grids[0].registers_away, 2);
	} else if (step == 2) { /* as a grid with rows of another length leaves it, which was here before */
		memset(sm->grids[0].registers, 0xff, 2 * sm->grids[0].warp_register_bytes);
	} else if (step == 3) {
		ck_assert(hd_warp_can_return(sm, a) && hd_warp_can_return(sm, b));
		ck_assert(hd_warp_resume(sm, b, now) && hd_warp_resume(sm, a, now));
		ck_assert_uint_eq(a->away + b->away, 0);
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			ck_assert_uint_eq(a->regs[-1][lane] | b->regs[-1][lane], 0); /* RZ */
		for (uint32_t i = 0; i < 2; i++) {
			seen_slots[seen_count] = sm->warps[i].slot;
			seen_rows[seen_count++] = sm->places.rows_of[i];
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
	for (uint32_t reg = 0; reg < 16; reg++)
		for (uint32_t lane = 0; lane < HD_WARP_LANES && !(reg >= 4 && reg <= 6); lane++)
			ck_assert_uint_eq(simbench_register(&bench, 0, reg, lane), 0xa5a5a5a5);
	simbench_release(&bench);
	ck_assert_int_eq(run_saving(&bench, 1u << 4 | 1u << 5), HD_SIM_VERIFY);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "R6 is read, but it was not among the registers"));
	simbench_release(&bench);
}
END_TEST

/* R4, whose sum is in flight, comes to where it is. */
START_TEST(results_under_way_are_saved)
{
	struct simbench bench;
	ck_assert_int_eq(run_saving(&bench, 1u << 5 | 1u << 6), 0);
	check_results(&bench, 1);
	simbench_release(&bench);
}
END_TEST

/* ---- blocks */

/* R4 of a thread to shared memory, a barrier, the chain, and from there to R7. */
static void build_shared(struct simbench *bench)
{
	simbench_s2r(bench, 8, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SHL);
	inst->dst = 9, inst->a = 8, inst->xkind = HD_X_IMM_B, inst->x = 2;
	inst = simbench_emit(bench, HD_OP_STS);
	inst->a = 9, inst->c = 8, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	build(bench);
	inst = simbench_emit(bench, HD_OP_LDS);
	inst->dst = 7, inst->a = 9, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	bench->meta.shared_bytes = 256;
}

static uint32_t seen_offsets[2];

/* Two blocks that change places. */
static void swap_ctas(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_cta *a = &sm->ctas[0], *b = &sm->ctas[1];
	if (step == 0) {
		ck_assert_uint_eq(sm->places.placed_ctas, 2);
		hd_cta_suspend(sm, a, HD_PART_SHARED | HD_PART_REGISTERS);
		hd_cta_suspend(sm, b, HD_PART_SHARED);
		ck_assert_uint_eq(sm->places.placed_ctas + sm->places.placed_warps, 0);
		ck_assert_uint_eq(a->away, HD_PART_SLOT | HD_PART_SHARED);
		ck_assert_uint_eq(sm->grids[0].registers_away, 2);
		ck_assert(!hd_warp_can_return(sm, a->warps[0])); /* not without its block */
	} else if (step == 2) {
		ck_assert(hd_cta_resume(sm, b, now) && hd_cta_resume(sm, a, now));
		seen_offsets[0] = a->shared_offset;
		seen_offsets[1] = b->shared_offset;
	}
}

START_TEST(blocks_come_back_to_other_shared_memory)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.verify = true; /* what they leave behind is spoilt */
	build_shared(&bench);
	start(&bench, swap_ctas, 80);
	run(&bench, 2, 64);
	check_results(&bench, 4);
	ck_assert_uint_gt(seen_offsets[0], 0);
	ck_assert_uint_eq(seen_offsets[1], 0);
	for (uint32_t id = 0; id < 4; id++)
		for (uint32_t lane = 0; lane < 32; lane++)
			ck_assert_uint_eq(simbench_register(&bench, id, 7, lane),
					  bench.sim->gpu.sms[0]->warps[id].index * 32 + lane);
	simbench_release(&bench);
}
END_TEST

/* The first warp waits at the barrier that the second is kept from; it goes on where it has been taken to. */
static void leave_at_barrier(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_warp *a = &sm->warps[0], *b = &sm->warps[1];
	if (step == 0)
		hd_warp_suspend(sm, b, HD_PART_REGISTERS, NULL);
	if (step == 3) {
		ck_assert_uint_eq(a->state, HD_WARP_BARRIER);
		ck_assert_uint_eq(hd_warp_at(sm, a)->inst.op, HD_OP_BAR);
		hd_warp_suspend(sm, a, HD_PART_REGISTERS, NULL);
		ck_assert(hd_warp_resume(sm, b, now));
	}
	if (step == 8) {
		ck_assert_uint_eq(a->state, HD_WARP_RUNNING);
		ck_assert(hd_warp_resume(sm, a, now));
	}
}

START_TEST(barriers_let_go_who_is_away)
{
	struct simbench bench;
	simbench_init(&bench);
	build_shared(&bench);
	start(&bench, leave_at_barrier, 10);
	run(&bench, 1, 64);
	check_results(&bench, 2);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.barriers, 2);
	simbench_release(&bench);
}
END_TEST

/* ---- killed */

static void requeue_at_60(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	if (step == 2)
		hd_cta_requeue(sm, &sm->ctas[0], now);
}

/* Three blocks on an SM that has room for one: the first one is killed and is the next again. */
START_TEST(killed_blocks_run_again_before_others)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_ctas = 1;
	build_shared(&bench);
	start(&bench, requeue_at_60, 20);
	run(&bench, 3, 64);
	ck_assert_uint_eq(killed, 1);
	ck_assert_uint_eq(launched, 4);
	ck_assert_uint_eq(retired, 3);
	check_results(&bench, 2);
	const struct hd_counters *counters = &simbench_stats(&bench)->counters;
	ck_assert_uint_eq(counters->ctas, 4);
	/* Two warps of one block at a time, the killed one's, too, and nobody while it waits for what is in flight. */
	ck_assert_uint_eq(counters->resident_warp_cycles, resident);
	ck_assert_uint_lt(counters->resident_warp_cycles, 2 * counters->cycles);
	ck_assert_uint_gt(counters->warp_instructions, 3 * 2 * (CHAIN + 8));
	simbench_release(&bench);
}
END_TEST

/* It was the only one: until it begins again its grid has nobody here. */
START_TEST(a_killed_block_runs_again_alone)
{
	struct simbench bench;
	simbench_init(&bench);
	build_shared(&bench);
	start(&bench, requeue_at_60, 20);
	run(&bench, 1, 64);
	ck_assert_uint_eq(killed, 1);
	ck_assert_uint_eq(launched, 2);
	ck_assert_uint_eq(retired, 1);
	ck_assert_uint_eq(ended, 2); /* with their sums, in other slots if results of the first ones were in flight */
	simbench_release(&bench);
}
END_TEST

static uint64_t killed_at, launched_at;

static void requeue_once(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	if (step == 1) {
		hd_cta_requeue(sm, &sm->ctas[0], now);
		killed_at = now;
	}
}

static void note_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	on_launch(self, sm, cta);
	launched_at = cta->start_cycle;
}

/* Beside a block on another SM, which works through windows: the dispatcher comes by in the next cycle, whichever it is
 * of a window. */
START_TEST(a_killed_block_runs_again_at_once)
{
	struct hd_policy_hooks noting = hooks;
	const struct hd_policy probe = {.name = "probe", .hooks = &noting};
	struct simbench bench;
	noting.allocation.cta_launch = note_launch;
	simbench_init(&bench);
	bench.config.sm_count = 2;
	build(&bench);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &probe, "");
	hd_policy_place(&bench.sim->gpu);
	for (uint64_t every = 20; every < 24; every++) {
		script = (struct script){requeue_once, every, 0};
		launched = killed = retired = ended = 0;
		ck_assert_int_eq(simbench_run(&bench, 2, 64), 0);
		ck_assert_uint_eq(killed, 1);
		ck_assert_uint_eq(launched, 3);
		ck_assert_uint_eq(launched_at, killed_at + 1);
	}
	simbench_release(&bench);
}
END_TEST

static void requeue_warp(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	if (step == 1) {
		struct hd_warp *old = &sm->warps[1], *new = hd_warp_requeue(sm, old, now);
		ck_assert_ptr_nonnull(new);
		ck_assert_ptr_ne(new, old);
		ck_assert_uint_eq(old->state, HD_WARP_KILLED); /* its sum is in flight */
		ck_assert_ptr_eq(hd_cta_warp(&sm->ctas[0], 1), new);
	}
}

START_TEST(a_killed_warp_begins_again)
{
	struct simbench bench;
	simbench_init(&bench);
	build(&bench);
	start(&bench, requeue_warp, 31);
	run(&bench, 1, 64);
	ck_assert_uint_eq(simbench_register(&bench, 2, 4, 5), 37 + CHAIN * 8);
	simbench_release(&bench);
}
END_TEST

/* ---- more warps than slots */

static void look(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	(void)now;
	if (step > 0)
		return;
	ck_assert_uint_eq(sm->places.placed_warps, 8);
	ck_assert_uint_eq(sm->resident_warps, 10);
	ck_assert_uint_eq(sm->contexts.unplaced, 2);
}

START_TEST(a_block_with_more_warps_than_slots_runs)
{
	for (uint32_t round = 0; round < 2; round++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.max_warps = 8;
		bench.config.max_threads_per_cta = 256;
		build(&bench);
		start(&bench, look, 20);
		script.without = HD_PART_SLOT | (round ? HD_PART_REGISTERS : 0);
		run(&bench, 2, 160);
		ck_assert_uint_eq(ended, 10);
		simbench_release(&bench);
	}
}
END_TEST

static const struct hd_warp *waits_for_slot;

static void kill_beside(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	if (step == 0) {
		ck_assert_uint_eq(sm->contexts.unplaced, 1);
		for (uint32_t id = 0; id < 9; id++)
			waits_for_slot = sm->warps[id].unplaced ? &sm->warps[id] : waits_for_slot;
		ck_assert_ptr_eq(waits_for_slot->cta, &sm->ctas[2]);
		hd_cta_requeue(sm, &sm->ctas[0], now);
	} else if (step == 1) {
		ck_assert(!waits_for_slot->unplaced);
		ck_assert_uint_eq(sm->contexts.unplaced, 1); /* of the block that begins again */
	}
}

/* Three blocks of three warps, and slots for eight. One block is killed: the warp without a slot has one of those that
 * become free before the block begins again, of which one warp waits then. */
START_TEST(slots_of_a_killed_block_go_to_who_waits)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_warps = 8;
	bench.config.max_threads_per_cta = 256;
	build(&bench);
	start(&bench, kill_beside, 20);
	script.without = HD_PART_SLOT;
	run(&bench, 3, 96);
	ck_assert_uint_eq(killed, 1);
	ck_assert_uint_eq(ended, 9);
	simbench_release(&bench);
}
END_TEST

/* ---- stops and drains */

static uint64_t stopped_at[CALLS], drained_at[CALLS];
static uint32_t stopped_count, drained_count, pending_at_stop;

static void mark_sts(const struct hd_policy_handle *self, struct hd_gpu *gpu, const struct hd_pfunction *function,
		     struct hd_dinst *code)
{
	(void)self, (void)gpu;
	for (uint32_t i = 0; i < function->count; i++)
		code[i].stops = code[i].inst.op == HD_OP_BAR ? 2 : code[i].inst.op == HD_OP_LDS ? 1 : 0;
}

static void stop_all(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self;
	hd_sm_stop(sm, 1);
	hd_warp_stop(sm, cta->warps[1], 2);
}

static void on_stop(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	struct hd_sm *sm = warp->cta->sm;
	ck_assert_uint_eq(hd_warp_at(sm, warp)->inst.op, stopped_count == 0 ? HD_OP_BAR : HD_OP_LDS);
	ck_assert_uint_eq(warp->wait_reason, HD_STALL_suspended);
	stopped_at[stopped_count++ % CALLS] = now;
	pending_at_stop |= hd_warp_pending(sm, warp);
	hd_warp_await(sm, warp, HD_PENDING_ALL);
}

static void on_drain(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	struct hd_sm *sm = warp->cta->sm;
	ck_assert_uint_eq(hd_warp_pending(sm, warp), 0);
	drained_at[drained_count++ % CALLS] = now;
	hd_warp_suspend(sm, warp, HD_PART_REGISTERS, NULL);
	ck_assert(hd_warp_resume(sm, warp, now));
}

START_TEST(warps_stop_where_they_are_told_and_drain)
{
	static const struct hd_policy_hooks stops = {.moves = true,
						     .decode = mark_sts,
						     .allocation.cta_launch = stop_all,
						     .contexts.stopped = on_stop,
						     .contexts.drained = on_drain};
	static const struct hd_policy stopper = {.name = "stopper", .hooks = &stops};
	struct simbench bench;
	simbench_init(&bench);
	build_shared(&bench);
	bench.options.policy = "baseline";
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &stopper, "");
	hd_policy_place(&bench.sim->gpu);
	struct hd_dinst *code = bench.sim->gpu.program.code.data;
	mark_sts(NULL, NULL, &bench.sim->gpu.program.functions.data[0], code);
	stopped_count = drained_count = pending_at_stop = 0;
	run(&bench, 1, 64);
	ck_assert_uint_eq(stopped_count, 3); /* one at the barrier, both at the load */
	ck_assert_uint_eq(drained_count, 3);
	ck_assert_uint_eq(pending_at_stop & HD_PENDING_RESULTS, HD_PENDING_RESULTS);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_gt(drained_at[i], stopped_at[i]);
	check_results(&bench, 2);
	simbench_release(&bench);
}
END_TEST

/* What was asked for too late comes as well: nothing is in flight. */
static void await_nothing(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	(void)now;
	if (step == 4)
		hd_warp_hold(sm, &sm->warps[0]);
	if (step == 6) {
		ck_assert_uint_eq(hd_warp_pending(sm, &sm->warps[0]), 0);
		hd_warp_await(sm, &sm->warps[0], HD_PENDING_ALL);
		ck_assert_uint_eq(drained_count, 0);
	}
	if (step == 7)
		ck_assert_uint_eq(drained_count, 1);
}

START_TEST(a_warp_that_is_drained_is_told_of_in_the_next_cycle)
{
	static struct hd_policy_hooks with;
	static const struct hd_policy waiter = {.name = "waiter", .hooks = &with};
	struct simbench bench;
	with = hooks;
	with.contexts.drained = on_drain;
	simbench_init(&bench);
	build(&bench);
	script = (struct script){await_nothing, 10, 0};
	launched = drained_count = 0;
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &waiter, "");
	hd_policy_place(&bench.sim->gpu);
	run(&bench, 1, 32);
	check_results(&bench, 1);
	simbench_release(&bench);
}
END_TEST

/* ---- waits that are short */

static void keep_two(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_scheduler *scheduler = &sm->scheduling.schedulers[0];
	struct hd_warp *a = &sm->warps[0], *b = &sm->warps[1];
	if (step == 0) {
		ck_assert_uint_eq(scheduler->active, 3);
		hd_warp_pause(sm, a);
		ck_assert_uint_eq(a->wait_reason, HD_STALL_policy);
		ck_assert_uint_eq(scheduler->active, 3); /* it keeps its place */
		hd_warp_hold(sm, b);
		ck_assert_uint_eq(scheduler->active, 1 | 1 << 2);
	} else if (step == 2) {
		hd_warp_resume(sm, a, now);
		hd_warp_resume(sm, b, now);
	}
}

START_TEST(a_paused_warp_stays_active)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_TWO_LEVEL;
	bench.config.two_level_active = 2;
	build(&bench);
	start(&bench, keep_two, 20);
	run(&bench, 1, 96);
	check_results(&bench, 3);
	simbench_release(&bench);
}
END_TEST

/* ---- waits of who is away */

static uint32_t returns, fences_seen;

/* A word at 128 bytes for each thread is stored, or loaded to R10 and used, and L2 takes 400 cycles. */
static void run_waiting(void (*step)(struct hd_sm *sm, uint64_t step, uint64_t now), bool loads)
{
	struct simbench bench;
	uint64_t address;
	simbench_init(&bench);
	bench.config.l2_latency = 400;
	simbench_param(&bench, 8);
	struct hd_inst *inst = simbench_emit(&bench, loads ? HD_OP_LDG : HD_OP_STG);
	inst->a = 8, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	if (loads) {
		inst->dst = 10;
		simbench_ffma(&bench, 11, 10, 10, 10);
	} else {
		simbench_emit(&bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_GPU);
	}
	build(&bench);
	script = (struct script){step, 20, 0};
	launched = killed = retired = ended = 0;
	returns = fences_seen = 0;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &policy, "");
	hd_policy_place(&bench.sim->gpu);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 4096, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 32, &address);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	check_results(&bench, 1);
	simbench_release(&bench);
}

/* It leaves while it waits, and comes back when it waits no more. */
static void away_for_its_load(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_warp *warp = &sm->warps[0];
	(void)step;
	if (warp->wait_reason == HD_STALL_data_memory && !hd_warp_is_away(warp)) {
		hd_warp_suspend(sm, warp, 0, NULL);
	} else if (hd_warp_is_away(warp) && warp->wait_reason == HD_WAIT_READY) {
		ck_assert(hd_warp_resume(sm, warp, now));
		returns++;
	}
}

START_TEST(long_stalls_end_for_those_who_are_away)
{
	run_waiting(away_for_its_load, true);
	ck_assert_uint_eq(returns, 1);
}
END_TEST

/* It leaves while it stands at a fence, and comes back before the store is there: it stands there still. */
static void away_at_the_fence(struct hd_sm *sm, uint64_t step, uint64_t now)
{
	struct hd_warp *warp = &sm->warps[0];
	(void)step;
	if (fences_seen)
		return;
	if (hd_warp_is_away(warp)) {
		ck_assert(hd_warp_resume(sm, warp, now));
		ck_assert(warp->fence_wait);
		ck_assert_uint_eq(warp->wait_reason, HD_STALL_fence);
		fences_seen++;
	} else if (warp->fence_wait) {
		hd_warp_suspend(sm, warp, 0, NULL);
	}
}

START_TEST(who_comes_back_to_a_fence_waits_there)
{
	run_waiting(away_at_the_fence, false);
	ck_assert_uint_eq(fences_seen, 1);
}
END_TEST

/* ---- active sets */

enum { DELAY = 7 };
static uint64_t activated_at[8], first_issue[8];
static uint32_t activated, deactivated, most_active;

static uint32_t on_activate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	if (!activated_at[warp->index])
		activated_at[warp->index] = now + 1; /* 0: not yet */
	activated++;
	most_active = activated - deactivated > most_active ? activated - deactivated : most_active;
	return DELAY;
}

static void on_deactivate(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self, (void)warp, (void)now;
	deactivated++;
}

static void note_first(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)inst, (void)effect;
	if (!first_issue[warp->index])
		first_issue[warp->index] = now + 1;
}

static bool leaves_with(struct hd_sm *sm, uint8_t reason, bool product)
{
	sm->warps[0].product_wait = product;
	return hd_active_leaves(sm, &sm->warps[0], reason);
}

/* Who waits long makes way; who waits for an instruction's result does not. */
START_TEST(long_waits_make_way)
{
	static const uint8_t waits[] = {HD_STALL_barrier,   HD_STALL_fence,	HD_STALL_async,	     HD_STALL_bulk,
					HD_STALL_registers, HD_STALL_suspended, HD_WAIT_NOT_RESIDENT};
	struct simbench bench;
	simbench_init(&bench);
	build(&bench);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	for (uint32_t reason = 0; reason < HD_STALL_COUNT; reason++) {
		bool waiting = reason == HD_STALL_tensor;
		for (size_t i = 0; i < sizeof waits; i++)
			waiting |= waits[i] == reason;
		if (reason == HD_STALL_data_memory)
			continue;
		ck_assert_msg(leaves_with(sm, (uint8_t)reason, true) == waiting, "%u", reason);
		ck_assert(leaves_with(sm, (uint8_t)reason, false) == (waiting && reason != HD_STALL_tensor));
	}
	ck_assert(leaves_with(sm, HD_WAIT_NOT_RESIDENT, false) && !leaves_with(sm, HD_WAIT_READY, true));
	simbench_release(&bench);
}
END_TEST

/* Of three that stand in line one comes in: who is ready, then who has stood there longer, then the older, whatever
 * their places; with one set for all schedulers, too. */
START_TEST(one_of_those_in_line_comes_in)
{
	static const struct {
		bool ready[3];
		uint64_t since[3], age[3];
		uint32_t first;
	} rows[] = {
		{{1, 1, 1}, {5, 5, 5}, {3, 2, 1}, 2}, {{1, 1, 1}, {5, 5, 5}, {1, 2, 3}, 0},
		{{1, 1, 1}, {5, 4, 5}, {1, 2, 3}, 1}, {{1, 0, 0}, {5, 4, 3}, {3, 2, 1}, 0},
		{{0, 0, 1}, {3, 4, 5}, {1, 2, 3}, 2}, {{0, 1, 1}, {3, 5, 4}, {1, 2, 3}, 2},
		{{0, 0, 0}, {5, 5, 4}, {1, 2, 3}, 2}, {{0, 0, 0}, {5, 5, 5}, {2, 1, 3}, 1},
	};
	for (uint32_t pool = 0; pool < 2; pool++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.scheduler = HD_SCHED_TWO_LEVEL;
		bench.config.two_level_active = 1;
		bench.config.two_level_pool = pool;
		build(&bench);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		run(&bench, 1, 96);
		struct hd_sm *sm = bench.sim->gpu.sms[0];
		struct hd_scheduler *scheduler = &sm->scheduling.schedulers[0];
		for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
			scheduler->active = scheduler->coming = 0;
			scheduler->eligible = 7;
			for (uint32_t k = 0; k < 3; k++) {
				scheduler->warp_at[k] = (uint8_t)k;
				sm->warps[k].wait_reason = rows[i].ready[k] ? HD_WAIT_READY : HD_STALL_data_alu;
				sm->two_level.warps[k].eligible_at = rows[i].since[k];
				sm->warps[k].age = rows[i].age[k];
			}
			hd_active_fill(sm, scheduler);
			ck_assert_msg((scheduler->active | scheduler->coming) == 1u << rows[i].first, "%zu", i);
		}
		simbench_release(&bench);
	}
}
END_TEST

/* Six warps on two schedulers, of which two of each scheduler may be active, or two of the SM. */
static void run_active(uint32_t pool)
{
	static const struct hd_policy_hooks active_hooks = {.issue.activate = on_activate,
							    .issue.deactivate = on_deactivate,
							    .issue.issued = note_first};
	static const struct hd_policy active_policy = {.name = "active", .hooks = &active_hooks};
	struct simbench bench;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_TWO_LEVEL;
	bench.config.two_level_active = 2;
	bench.config.two_level_pool = pool;
	bench.config.schedulers = 2;
	bench.config.collectors = 2 * bench.config.collectors;
	bench.config.register_banks = 2 * bench.config.register_banks;
	build(&bench);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &active_policy, "");
	hd_policy_place(&bench.sim->gpu);
	memset(activated_at, 0, sizeof activated_at);
	memset(first_issue, 0, sizeof first_issue);
	activated = deactivated = most_active = 0;
	run(&bench, 1, 192);
	simbench_release(&bench);
}

START_TEST(warps_come_into_the_active_set_with_a_delay)
{
	for (uint32_t pool = 0; pool < 2; pool++) {
		run_active(pool);
		ck_assert_uint_ge(activated, 6);
		ck_assert_uint_eq(activated, deactivated);
		ck_assert_uint_eq(most_active, pool ? 2 : 4);
		for (uint32_t i = 0; i < 6; i++) {
			ck_assert_uint_gt(activated_at[i], 0);
			ck_assert_uint_ge(first_issue[i], activated_at[i] + DELAY);
		}
	}
}
END_TEST

/*
 * One of two warps is active, each with a chain of 60 FFMAs of 5 cycles. Looks come every 50 cycles: who has been
 * active for as long by then makes way, so that the second warp comes 50 to 99 cycles after the first, not behind its
 * end at 300, and both take turns of 50 cycles or, with the delay before the first issue, of 100.
 */
START_TEST(active_warps_make_way_after_a_quantum)
{
	for (uint64_t quantum = 0; quantum <= 50; quantum += 50) {
		static const struct hd_policy_hooks active_hooks = {.issue.activate = on_activate,
								    .issue.deactivate = on_deactivate,
								    .issue.issued = note_first};
		static const struct hd_policy active_policy = {.name = "active", .hooks = &active_hooks};
		struct simbench bench;
		simbench_init(&bench);
		bench.config.scheduler = HD_SCHED_TWO_LEVEL;
		bench.config.two_level_active = 1;
		bench.config.two_level_quantum = quantum;
		simbench_chain(&bench, 60);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		hd_policy_add(&bench.sim->gpu, &active_policy, "");
		hd_policy_place(&bench.sim->gpu);
		memset(activated_at, 0, sizeof activated_at);
		memset(first_issue, 0, sizeof first_issue);
		activated = deactivated = most_active = 0;
		run(&bench, 1, 64);
		uint64_t apart = activated_at[1] - activated_at[0];
		ck_assert_uint_eq(most_active, 1);
		ck_assert_uint_eq(activated, deactivated);
		if (quantum) {
			ck_assert_uint_ge(apart, 50);
			ck_assert_uint_lt(apart, 100);
			ck_assert_uint_ge(activated, 2 * 60 * 5 / 100);
			ck_assert_uint_le(activated, 2 * 60 * 5 / 50 + 2);
		} else {
			ck_assert_uint_ge(apart, 60 * 5);
			ck_assert_uint_eq(activated, 2);
		}
		simbench_release(&bench);
	}
}
END_TEST

/*
 * Two warps that never wait, with 300 moves each, of which one is active. A look comes every 50 cycles: each time the
 * one that has been active for as long makes way for the other, which is ready, and stands in line though nothing
 * happens to it. So both have turns of 50 or 100 cycles.
 */
START_TEST(who_makes_way_stands_in_line)
{
	static const struct hd_policy_hooks active_hooks = {.issue.activate = on_activate,
							    .issue.deactivate = on_deactivate,
							    .issue.issued = note_first};
	static const struct hd_policy active_policy = {.name = "active", .hooks = &active_hooks};
	struct simbench bench;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_TWO_LEVEL;
	bench.config.two_level_active = 1;
	bench.config.two_level_quantum = 50;
	for (uint32_t i = 0; i < 300; i++)
		simbench_mov(&bench, (uint8_t)(4 + i % 8), i);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &active_policy, "");
	hd_policy_place(&bench.sim->gpu);
	activated = deactivated = most_active = 0;
	run(&bench, 1, 64);
	ck_assert_uint_eq(most_active, 1);
	ck_assert_uint_ge(activated, 2 * 300 / 100);
	ck_assert_uint_le(activated, 2 * 300 / 50 + 2);
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
					      blocks_come_back_to_other_shared_memory,
					      barriers_let_go_who_is_away,
					      killed_blocks_run_again_before_others,
					      a_killed_block_runs_again_alone,
					      a_killed_block_runs_again_at_once,
					      a_killed_warp_begins_again,
					      a_block_with_more_warps_than_slots_runs,
					      slots_of_a_killed_block_go_to_who_waits,
					      warps_stop_where_they_are_told_and_drain,
					      a_warp_that_is_drained_is_told_of_in_the_next_cycle,
					      a_paused_warp_stays_active,
					      long_stalls_end_for_those_who_are_away,
					      who_comes_back_to_a_fence_waits_there,
					      warps_come_into_the_active_set_with_a_delay,
					      active_warps_make_way_after_a_quantum,
					      who_makes_way_stands_in_line,
					      long_waits_make_way,
					      one_of_those_in_line_comes_in,
					      NULL,
				      });
}
