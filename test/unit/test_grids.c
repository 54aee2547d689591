/* Several grids on their way: streams, room beside each other, priorities, what is counted for which, faults. */
#include <fenv.h>

#include "harness.h"
#include "heddle/opcodes.h"

#include "runtime/sim/sim_private.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "runtime/watch/blame.h"
#include "simbench.h"

enum { THREADS = 64, CHAIN = 300 };

static struct hd_launch launch_of(const struct simbench *bench, uint32_t ctas, uint64_t stream)
{
	return (struct hd_launch){.kernel = bench->kernel,
				  .grid = {ctas, 1, 1},
				  .block = {THREADS, 1, 1},
				  .stream = stream};
}

static uint64_t submit(struct simbench *bench, const struct hd_launch *launch)
{
	uint64_t ticket;
	ck_assert_msg(!hd_sim_submit(bench->sim, launch, &ticket), "%s", hd_sim_error_text(bench->sim));
	return ticket;
}

static void submit_one(struct simbench *bench, uint32_t ctas, uint64_t stream)
{
	struct hd_launch launch = launch_of(bench, ctas, stream);
	submit(bench, &launch);
}

/* Cycles from now until nothing is on its way. */
static uint64_t cycles_of_all(struct simbench *bench)
{
	uint64_t before = hd_sim_cycles(bench->sim);
	ck_assert_msg(!hd_sim_wait_all(bench->sim), "%s", hd_sim_error_text(bench->sim));
	ck_assert(!hd_sim_working(bench->sim));
	return hd_sim_cycles(bench->sim) - before;
}

static void start_chain(struct simbench *bench, uint32_t sms, const char *policy)
{
	simbench_init(bench);
	bench->config.sm_count = sms;
	bench->options.policy = policy;
	simbench_chain(bench, CHAIN);
	ck_assert_int_eq(simbench_start(bench), 0);
}

static uint64_t cycles_of_two(struct simbench *bench, uint64_t other_stream)
{
	submit_one(bench, 1, 1);
	submit_one(bench, 1, other_stream);
	return cycles_of_all(bench);
}

START_TEST(grids_of_different_streams_run_together)
{
	struct simbench bench;
	start_chain(&bench, 2, "baseline");
	submit_one(&bench, 1, 1);
	uint64_t alone = cycles_of_all(&bench);
	ck_assert_uint_eq(cycles_of_two(&bench, 1), 2 * alone);
	ck_assert_uint_eq(cycles_of_two(&bench, 2), alone);
	simbench_release(&bench);
}
END_TEST

/* Two chains of dependent instructions hide each other's latency on one SM. */
START_TEST(blocks_of_two_grids_share_an_sm)
{
	struct simbench bench;
	start_chain(&bench, 1, "baseline");
	submit_one(&bench, 1, 1);
	uint64_t alone = cycles_of_all(&bench), both = cycles_of_two(&bench, 2);
	ck_assert_uint_lt(both, alone + alone / 10);
	simbench_release(&bench);
}
END_TEST

START_TEST(policies_that_know_one_grid_get_one_at_a_time)
{
	struct simbench bench;
	start_chain(&bench, 2, "swl:8");
	submit_one(&bench, 1, 1);
	uint64_t alone = cycles_of_all(&bench);
	ck_assert_uint_eq(cycles_of_two(&bench, 2), 2 * alone);
	simbench_release(&bench);
}
END_TEST

static const struct hd_launch_stats *record(const struct simbench *bench, uint32_t index)
{
	const struct hd_launch_stats *stats = hd_sim_launch_stats(bench->sim, index);
	ck_assert_ptr_nonnull(stats);
	return stats;
}

/* Of an SM with room for four blocks the first grid takes all until its last two of six have a place. */
START_TEST(the_next_grid_gets_what_is_left_over)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_ctas = 4;
	simbench_chain(&bench, CHAIN);
	ck_assert_int_eq(simbench_start(&bench), 0);
	submit_one(&bench, 6, 1);
	submit_one(&bench, 2, 2);
	submit_one(&bench, 1, 3);
	uint64_t all = cycles_of_all(&bench);
	submit_one(&bench, 9, 4);
	uint64_t alike = cycles_of_all(&bench);
	/* Three rounds, in the second of which the second grid has two places. */
	ck_assert_uint_eq(all, alike);
	for (uint32_t i = 0; i < 3; i++) {
		static const uint32_t ctas[] = {6, 2, 1};
		ck_assert_uint_eq(record(&bench, i)->stats.counters.ctas, ctas[i]);
		ck_assert_uint_eq(record(&bench, i)->stream, i + 1);
	}
	simbench_release(&bench);
}
END_TEST

START_TEST(priority_goes_before_order)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_ctas = 1;
	simbench_chain(&bench, CHAIN);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_launch late = launch_of(&bench, 1, 2);
	late.priority = -1;
	submit_one(&bench, 4, 1);
	submit(&bench, &late);
	cycles_of_all(&bench);
	ck_assert_uint_eq(record(&bench, 0)->stream, 2);
	ck_assert_uint_lt(3 * record(&bench, 0)->stats.counters.cycles, record(&bench, 1)->stats.counters.cycles);
	simbench_release(&bench);
}
END_TEST

/* R4:R5 = the parameter + 4 * tid: a load, through shared memory, a store. */
static void build_copy(struct simbench *bench)
{
	simbench_s2r(bench, 8, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SHL);
	inst->dst = 9, inst->a = 8, inst->xkind = HD_X_IMM_B, inst->x = 2;
	simbench_param(bench, 2);
	inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 4;
	inst = simbench_emit(bench, HD_OP_LDG);
	inst->dst = 10, inst->a = 4, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst = simbench_emit(bench, HD_OP_STS);
	inst->a = 9, inst->c = 10, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	simbench_chain(bench, 40);
	inst = simbench_emit(bench, HD_OP_LDS);
	inst->dst = 11, inst->a = 9, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = 11, inst->a = 11, inst->xkind = HD_X_IMM_B, inst->x = 1;
	/* The chain's result is in R4: the address anew. */
	inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 4;
	inst = simbench_emit(bench, HD_OP_STG);
	inst->a = 4, inst->c = 11, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	bench->meta.shared_bytes = 4 * THREADS;
}

enum { COPIES = 5, WORDS = THREADS };

/* Grids with different amounts of shared memory, each on words of its own; the cycles until all have ended. */
static uint64_t run_copies(struct simbench *bench, bool together, bool every_cycle, uint32_t result[COPIES][WORDS])
{
	uint64_t address[COPIES];
	simbench_init(bench);
	bench->config.sm_count = 2;
	bench->config.shared_unit = 256;
	bench->options.blame = true;
	build_copy(bench);
	ck_assert_int_eq(simbench_start(bench), 0);
	bench->sim->gpu.every_cycle = every_cycle;
	for (uint32_t i = 0; i < 2; i++)
		bench->sim->gpu.sms[i]->every_cycle = every_cycle;
	uint64_t before = hd_sim_cycles(bench->sim);
	for (uint32_t i = 0; i < COPIES; i++) {
		uint32_t words[WORDS];
		for (uint32_t w = 0; w < WORDS; w++)
			words[w] = 1000 * i + w;
		ck_assert_int_eq(hd_sim_malloc(bench->sim, sizeof words, &address[i]), 0);
		ck_assert_int_eq(hd_sim_write(bench->sim, address[i], words, sizeof words), 0);
		struct hd_launch launch = launch_of(bench, 1, together ? i : 0);
		launch.dynamic_shared = 512 * i;
		launch.params = &address[i];
		launch.param_bytes = sizeof address[i];
		submit(bench, &launch);
	}
	ck_assert_msg(!hd_sim_wait_all(bench->sim), "%s", hd_sim_error_text(bench->sim));
	for (uint32_t i = 0; i < COPIES; i++)
		ck_assert_int_eq(hd_sim_read(bench->sim, address[i], result[i], sizeof result[i]), 0);
	return hd_sim_cycles(bench->sim) - before;
}

START_TEST(results_and_counts_are_those_of_one_after_the_other)
{
	struct simbench alone, beside;
	uint32_t first[COPIES][WORDS], second[COPIES][WORDS];
	uint64_t sum = run_copies(&alone, false, false, first);
	uint64_t together = run_copies(&beside, true, false, second);
	ck_assert_uint_lt(together, sum / 2);
	ck_assert_int_eq(memcmp(first, second, sizeof first), 0);
	for (uint32_t i = 0; i < COPIES; i++)
		for (uint32_t w = 0; w < WORDS; w++)
			ck_assert_uint_eq(first[i][w], 1000 * i + w + 1);
	struct hd_stats total, counted = {0};
	hd_sim_total(beside.sim, &total);
	for (uint32_t i = 0; i < COPIES; i++) {
		const struct hd_launch_stats *mine = record(&beside, i), *reference = record(&alone, i);
		ck_assert(mine->shared && !reference->shared);
		ck_assert_uint_eq(mine->stats.counters.warp_instructions, reference->stats.counters.warp_instructions);
		ck_assert_uint_eq(mine->stats.counters.l1d_accesses, reference->stats.counters.l1d_accesses);
		ck_assert_uint_eq(mine->stats.counters.shared_accesses, reference->stats.counters.shared_accesses);
		ck_assert_uint_eq(mine->stats.counters.l2_accesses, reference->stats.counters.l2_accesses);
		ck_assert_uint_eq(mine->stats.counters.dram_reads, reference->stats.counters.dram_reads);
		ck_assert_uint_eq(mine->stats.counters.icnt_flits_up, reference->stats.counters.icnt_flits_up);
		ck_assert_uint_eq(mine->stats.counters.load_requests, reference->stats.counters.load_requests);
		ck_assert_uint_eq(mine->stats.stalls[HD_STALL_issued], mine->stats.counters.warp_instructions);
		hd_counters_add(&counted.counters, &mine->stats.counters);
	}
	/* All but the cycles add up, which pass for all of them at once. */
	counted.counters.cycles = total.counters.cycles;
	ck_assert_int_eq(memcmp(&counted.counters, &total.counters, sizeof total.counters), 0);
	simbench_release(&alone);
	simbench_release(&beside);
}
END_TEST

START_TEST(skipping_idle_cycles_changes_nothing)
{
	struct simbench skipping, visiting;
	uint32_t first[COPIES][WORDS], second[COPIES][WORDS];
	ck_assert_uint_eq(run_copies(&skipping, true, false, first), run_copies(&visiting, true, true, second));
	for (uint32_t i = 0; i < COPIES; i++) {
		struct hd_stats a = record(&skipping, i)->stats, b = record(&visiting, i)->stats;
		ck_assert_int_eq(memcmp(&a, &b, sizeof a), 0);
	}
	/* Nor at which instructions slots are lost. */
	json_t *skipped = hd_blame_json(&skipping.sim->gpu), *visited = hd_blame_json(&visiting.sim->gpu);
	ck_assert_uint_gt(json_array_size(json_object_get(skipped, "instructions")), 20);
	ck_assert(json_equal(skipped, visited));
	json_decref(skipped);
	json_decref(visited);
	simbench_release(&skipping);
	simbench_release(&visiting);
}
END_TEST

START_TEST(a_cooperative_grid_runs_alone_and_is_not_passed)
{
	struct simbench bench;
	start_chain(&bench, 2, "baseline");
	submit_one(&bench, 1, 1);
	uint64_t alone = cycles_of_all(&bench);
	struct hd_launch cooperative = launch_of(&bench, 1, 2);
	cooperative.cooperative = true;
	submit_one(&bench, 1, 1);
	submit(&bench, &cooperative);
	submit_one(&bench, 1, 3);
	ck_assert_uint_eq(cycles_of_all(&bench), 3 * alone);
	ck_assert_uint_eq(record(&bench, 2)->stream, 2);
	ck_assert(!record(&bench, 1)->shared && !record(&bench, 2)->shared && !record(&bench, 3)->shared);
	simbench_release(&bench);
}
END_TEST

/* A launch that may not begin before a cycle: alone it waits for that, beside another it begins then. */
START_TEST(a_launch_has_an_earliest_cycle)
{
	struct simbench bench;
	start_chain(&bench, 2, "baseline");
	submit_one(&bench, 1, 1);
	uint64_t alone = cycles_of_all(&bench);
	struct hd_launch late = launch_of(&bench, 1, 2);
	late.earliest = hd_sim_cycles(bench.sim) + 5000;
	submit(&bench, &late);
	ck_assert_uint_eq(cycles_of_all(&bench), 5000 + alone);
	ck_assert_uint_eq(record(&bench, 1)->start, late.earliest);
	ck_assert_uint_eq(record(&bench, 1)->stats.counters.cycles, alone);
	late.earliest = hd_sim_cycles(bench.sim) + alone / 2;
	submit(&bench, &late);
	submit_one(&bench, 1, 1);
	uint64_t both = cycles_of_all(&bench);
	ck_assert_uint_eq(both, alone / 2 + alone);
	ck_assert_uint_eq(record(&bench, 2)->start, late.earliest - alone / 2);
	ck_assert_uint_eq(record(&bench, 3)->start, late.earliest);
	ck_assert(record(&bench, 2)->shared && record(&bench, 3)->shared);
	/* One that is too late for its cycle begins at once. */
	submit(&bench, &late);
	ck_assert_uint_eq(cycles_of_all(&bench), alone);
	simbench_release(&bench);
}
END_TEST

/* Nor does one join it that was submitted before it, and whose earliest cycle comes meanwhile. */
START_TEST(nobody_joins_a_cooperative_grid)
{
	struct simbench bench;
	start_chain(&bench, 2, "baseline");
	submit_one(&bench, 1, 1);
	uint64_t alone = cycles_of_all(&bench), before = hd_sim_cycles(bench.sim);
	struct hd_launch late = launch_of(&bench, 1, 1), cooperative = launch_of(&bench, 1, 2);
	late.earliest = before + alone / 2;
	cooperative.cooperative = true;
	submit(&bench, &late);
	submit(&bench, &cooperative);
	ck_assert_uint_eq(cycles_of_all(&bench), 2 * alone);
	ck_assert_uint_eq(record(&bench, 1)->stream, 2);
	ck_assert_uint_eq(record(&bench, 1)->start, before);
	ck_assert_uint_eq(record(&bench, 2)->start, before + alone);
	ck_assert(!record(&bench, 1)->shared && !record(&bench, 2)->shared);
	simbench_release(&bench);
}
END_TEST

START_TEST(more_grids_than_run_together_wait)
{
	enum { GRIDS = 2 * HD_MAX_GRIDS + 3 };
	struct simbench bench;
	start_chain(&bench, 4, "baseline");
	for (uint32_t i = 0; i < GRIDS; i++)
		submit_one(&bench, 1, i);
	cycles_of_all(&bench);
	ck_assert_uint_eq(hd_sim_launch_count(bench.sim), GRIDS);
	for (uint32_t i = 0; i < GRIDS; i++)
		ck_assert_uint_eq(record(&bench, i)->stats.counters.warp_instructions, 2 * (CHAIN + 1));
	simbench_release(&bench);
}
END_TEST

START_TEST(who_waits_for_a_grid_leaves_others_on_their_way)
{
	struct simbench bench;
	start_chain(&bench, 1, "baseline");
	struct hd_launch shorter = launch_of(&bench, 1, 1), longer = launch_of(&bench, 200, 2);
	uint64_t first = submit(&bench, &shorter), second = submit(&bench, &longer);
	ck_assert_int_eq(hd_sim_wait(bench.sim, first), 0);
	ck_assert(hd_sim_finished(bench.sim, first) && !hd_sim_finished(bench.sim, second));
	/* One more beside what is left. */
	shorter.priority = -1;
	uint64_t third = submit(&bench, &shorter);
	ck_assert_int_eq(hd_sim_wait(bench.sim, third), 0);
	ck_assert(!hd_sim_finished(bench.sim, second));
	ck_assert_int_eq(hd_sim_wait(bench.sim, second), 0);
	ck_assert(!hd_sim_working(bench.sim));
	simbench_release(&bench);
}
END_TEST

START_TEST(a_fault_ends_all)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.sm_count = 2;
	build_copy(&bench);
	ck_assert_int_eq(simbench_start(&bench), 0);
	uint64_t nowhere = 0, address;
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 4 * WORDS, &address), 0);
	struct hd_launch bad = launch_of(&bench, 1, 1), good = launch_of(&bench, 100, 2),
			 behind = launch_of(&bench, 1, 1);
	bad.params = &nowhere;
	good.params = behind.params = &address;
	bad.param_bytes = good.param_bytes = behind.param_bytes = sizeof address;
	submit(&bench, &good);
	submit(&bench, &bad);
	submit(&bench, &behind);
	ck_assert_int_eq(hd_sim_wait_all(bench.sim), HD_SIM_BAD_ADDRESS);
	ck_assert(!hd_sim_working(bench.sim));
	ck_assert_uint_eq(hd_sim_launch_count(bench.sim), 2);
	/* The simulator itself goes on. */
	ck_assert_int_eq(hd_sim_launch(bench.sim, &behind), 0);
	simbench_release(&bench);
}
END_TEST

/* ---- policies that say whose blocks go where: the grid of stream N may have N blocks on an SM, more after a time */

enum { RAISE_AT = 1000, RAISED = 3 };

struct share_sm {
	uint64_t first_after; /* cycle of the first launch after the quotas rose */
	bool risen;
	uint32_t asked; /* blocks so far: the first one sets the alarm */
};

struct share_grid {
	uint32_t most, launches; /* blocks on one SM at a time; of them */
};

static uint32_t share_quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	const struct share_sm *share = hd_policy_sm(self, sm);
	return share->risen ? RAISED : (uint32_t)grid->stream;
}

static uint32_t most_of_stream[4];

static void share_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	struct share_grid *share = hd_policy_grid(self, cta->grid);
	struct share_sm *place = hd_policy_sm(self, sm);
	uint32_t resident = sm->grids[cta->grid->slot].resident;
	ck_assert_uint_eq(share->launches++, cta->linear);
	share->most = resident > share->most ? resident : share->most;
	ck_assert_uint_le(resident, share_quota(self, sm, cta->grid));
	if (!place->asked++)
		hd_policy_at(self, sm, RAISE_AT, 0);
	if (!place->risen)
		most_of_stream[cta->grid->stream] = share->most;
	else if (!place->first_after)
		place->first_after = sm->now;
}

static void share_alarm(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	struct share_sm *share = hd_policy_sm(self, sm);
	(void)arg;
	ck_assert_uint_eq(now, RAISE_AT);
	share->risen = true;
	hd_sm_request_dispatch(sm);
}

static const struct hd_policy_hooks share_hooks = {
	.sm_bytes = sizeof(struct share_sm),
	.grid_bytes = sizeof(struct share_grid),
	.several_grids = true,
	.allocation.quota = share_quota,
	.allocation.cta_launch = share_launch,
	.alarm = share_alarm,
};
static const struct hd_policy sharing = {.name = "sharing", .hooks = &share_hooks};

static void start_with(struct simbench *bench, const struct hd_policy *policy, uint32_t chain)
{
	simbench_init(bench);
	simbench_chain(bench, chain);
	ck_assert_int_eq(simbench_start(bench), 0);
	hd_policy_add(&bench->sim->gpu, policy, "");
	hd_policy_place(&bench->sim->gpu);
}

START_TEST(quotas_hold_and_rise_at_once)
{
	struct simbench bench;
	start_with(&bench, &sharing, 2000);
	submit_one(&bench, 8, 1);
	submit_one(&bench, 8, 2);
	cycles_of_all(&bench);
	const struct hd_gpu *gpu = &bench.sim->gpu;
	const struct share_sm *share = hd_policy_sm(&gpu->policies[0], gpu->sms[0]);
	ck_assert_uint_eq(most_of_stream[1], 1);
	ck_assert_uint_eq(most_of_stream[2], 2);
	/* No block has ended by then: 2000 dependent instructions take 8000 cycles. */
	ck_assert_uint_eq(share->first_after, RAISE_AT + 1);
	for (uint32_t i = 0; i < 2; i++)
		ck_assert_uint_eq(record(&bench, i)->stats.counters.ctas, 8);
	simbench_release(&bench);
}
END_TEST

/* ---- the load/store unit's places */

enum { LOADS = 10, PLACES = 8 };
static uint64_t issued_at[2][LOADS];
static uint32_t issued_count[2];

static void note_load(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      const struct hd_effect *effect, uint64_t now)
{
	uint64_t grid = warp->cta->grid->stream - 1;
	(void)self, (void)effect;
	if (inst->inst.op == HD_OP_LDG && issued_count[grid] < LOADS)
		issued_at[grid][issued_count[grid]++] = now;
}

/* Each of two grids has eight places for loads in front of L1. Loads are of 32 lines and leave them as slowly. When
 * those of the first warp are taken the second one, of the other grid, issues its loads, one in each cycle, too. */
START_TEST(a_grid_that_waits_for_places_holds_nobody)
{
	static const struct hd_policy_hooks hooks = {.several_grids = true, .issue.issued = note_load};
	static const struct hd_policy probe = {.name = "probe", .hooks = &hooks};
	struct simbench bench;
	uint64_t address;
	simbench_init(&bench);
	bench.beside = &probe;
	bench.config.lsu_queue = 2 * PLACES;
	bench.meta.registers = 64;
	simbench_s2r(&bench, 8, HD_SR_TID_X);
	simbench_param(&bench, 2);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 128;
	for (uint32_t i = 0; i < LOADS; i++) {
		inst = simbench_emit(&bench, HD_OP_LDG);
		inst->dst = (uint8_t)(20 + i), inst->a = 4, inst->xkind = HD_X_OTHER,
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 32 * 128, &address), 0);
	issued_count[0] = issued_count[1] = 0;
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_launch launch = simbench_launch(&bench, 1, 32, &address);
		launch.stream = 1 + i;
		submit(&bench, &launch);
	}
	cycles_of_all(&bench);
	for (uint32_t i = 0; i < PLACES; i++) {
		ck_assert_uint_eq(issued_at[0][i], issued_at[0][0] + i);
		ck_assert_uint_eq(issued_at[1][i], issued_at[0][0] + PLACES + i);
	}
	ck_assert_uint_gt(issued_at[0][PLACES], issued_at[1][PLACES - 1]); /* it still waits */
	simbench_release(&bench);
}
END_TEST

/* The host rounds up: the GPU's sums of 1 and 2^-24 are to the nearest even all the same, and it still does afterwards.
 */
START_TEST(the_host_keeps_its_way_of_rounding)
{
	struct simbench bench;
	int before = fegetround();
	simbench_init(&bench);
	simbench_mov(&bench, 4, 0x3f800000);
	simbench_mov(&bench, 5, 0x33800000);
	simbench_ffma(&bench, 6, 4, 5, 4);
	ck_assert_int_eq(simbench_start(&bench), 0);
	submit_one(&bench, 1, 1);
	fesetround(FE_UPWARD);
	ck_assert(!hd_sim_wait_all(bench.sim));
	int after = fegetround();
	fesetround(before);
	ck_assert_int_eq(after, FE_UPWARD);
	ck_assert_uint_eq(simbench_register(&bench, 0, 6, 0), 0x3f800000);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("grids", (const TTest *const[]){
					    grids_of_different_streams_run_together,
					    blocks_of_two_grids_share_an_sm,
					    policies_that_know_one_grid_get_one_at_a_time,
					    the_next_grid_gets_what_is_left_over,
					    priority_goes_before_order,
					    results_and_counts_are_those_of_one_after_the_other,
					    skipping_idle_cycles_changes_nothing,
					    a_cooperative_grid_runs_alone_and_is_not_passed,
					    a_launch_has_an_earliest_cycle,
					    nobody_joins_a_cooperative_grid,
					    more_grids_than_run_together_wait,
					    who_waits_for_a_grid_leaves_others_on_their_way,
					    a_fault_ends_all,
					    quotas_hold_and_rise_at_once,
					    a_grid_that_waits_for_places_holds_nobody,
					    the_host_keeps_its_way_of_rounding,
					    NULL,
				    });
}
