/* Launches: limits, CTA dispatch, skipping of idle cycles, watchdog, policies by name, the statistics document. */
#include "harness.h"
#include "heddle/opcodes.h"

#include <jansson.h>

#include "heddle/policy.h"
#include "runtime/policy/choice/choice.h"
#include "runtime/sim/sim_private.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

/* ---- a kernel with some of everything: loads, stores, shared memory, divergence, barrier, special functions */

static void compare(struct simbench *bench, uint8_t a, uint32_t with, uint32_t cmp)
{
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = a;
	test->xkind = HD_X_IMM_B;
	test->x = with;
	test->mods = HD_MOD(CMP, cmp);
}

static struct hd_inst *branch_if(struct simbench *bench, uint8_t guard, uint32_t target)
{
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = guard;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = target;
	return branch;
}

static void build_mixture(struct simbench *bench)
{
	simbench_s2r(bench, 8, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SHL); /* R9 = tid * 4 */
	inst->dst = 9, inst->a = 8, inst->xkind = HD_X_IMM_B, inst->x = 2;
	inst = simbench_emit(bench, HD_OP_STS);
	inst->a = 9, inst->c = 8, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst = simbench_emit(bench, HD_OP_BAR);
	inst->xkind = HD_X_IMM_B;
	inst = simbench_emit(bench, HD_OP_LDS);
	inst->dst = 10, inst->a = 9, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst = simbench_emit(bench, HD_OP_MOV); /* R2:R3 = the pointer parameter */
	inst->dst = 2, inst->xkind = HD_X_CONST_B, inst->x = HD_CONST_X(0, HD_CB_PARAMS);
	inst = simbench_emit(bench, HD_OP_MOV);
	inst->dst = 3, inst->xkind = HD_X_CONST_B, inst->x = HD_CONST_X(0, HD_CB_PARAMS + 4);
	inst = simbench_emit(bench, HD_OP_IMAD_WIDE); /* R4:R5 = R10 * 4 + R2:R3 */
	inst->dst = 4, inst->a = 10, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 4;
	inst = simbench_emit(bench, HD_OP_LDG);
	inst->dst = 11, inst->a = 4, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	compare(bench, 8, 17, HD_CMP_LT);
	branch_if(bench, 0, bench->code.len + 4);
	simbench_ffma(bench, 11, 11, 11, 11);
	simbench_ffma(bench, 11, 11, 11, 11);
	inst = simbench_emit(bench, HD_OP_MUFU);
	inst->dst = 12, inst->b = 11;
	inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = 11, inst->a = 11, inst->xkind = HD_X_IMM_B, inst->x = 1;
	inst = simbench_emit(bench, HD_OP_STG);
	inst->a = 4, inst->c = 11, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_GPU);
	simbench_mov(bench, 12, 0);
	bench->meta.shared_bytes = 1024;
	bench->meta.param_bytes = 8;
}

/* Loads of 32 lines each, more than the load/store queue holds, then a sum that waits for all of them. */
static void build_scattered(struct simbench *bench)
{
	simbench_s2r(bench, 8, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_MOV);
	inst->dst = 2, inst->xkind = HD_X_CONST_B, inst->x = HD_CONST_X(0, HD_CB_PARAMS);
	inst = simbench_emit(bench, HD_OP_MOV);
	inst->dst = 3, inst->xkind = HD_X_CONST_B, inst->x = HD_CONST_X(0, HD_CB_PARAMS + 4);
	inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 128;
	for (uint32_t i = 0; i < 6; i++) {
		inst = simbench_emit(bench, HD_OP_LDG);
		inst->dst = (uint8_t)(10 + i), inst->a = 4, inst->xkind = HD_X_OTHER, inst->x = 32 * (i % 4);
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
	for (uint32_t i = 0; i < 6; i++)
		simbench_ffma(bench, 9, 9, 9, (uint8_t)(10 + i));
	inst = simbench_emit(bench, HD_OP_STG);
	inst->a = 4, inst->c = 9, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	bench->meta.param_bytes = 8;
}

#define MIXTURE_THREADS 200

static void run_sampled(struct simbench *bench, uint64_t sample, void (*build)(struct simbench *bench),
			uint32_t scheduler, bool every_cycle, uint32_t launches)
{
	uint64_t address;
	simbench_init(bench);
	bench->config.sm_count = 3;
	bench->config.schedulers = 4;
	bench->config.scheduler = scheduler;
	bench->config.l1i_miss_latency = 40;
	bench->config.register_banks = 8;
	bench->options.sample = sample;
	build(bench);
	ck_assert_int_eq(simbench_start(bench), 0);
	bench->sim->gpu.every_cycle = every_cycle;
	for (uint32_t i = 0; i < 3; i++)
		bench->sim->gpu.sms[i]->every_cycle = every_cycle;
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 1 << 16, &address), 0);
	struct hd_launch launch = {.kernel = bench->kernel,
				   .grid = {5, 2, 1},
				   .block = {MIXTURE_THREADS / 4, 4, 1},
				   .params = &address,
				   .param_bytes = sizeof address};
	for (uint32_t i = 0; i < launches; i++)
		ck_assert_msg(!hd_sim_launch(bench->sim, &launch), "%s", hd_sim_error_text(bench->sim));
}

static void run_program(struct simbench *bench, void (*build)(struct simbench *bench), uint32_t scheduler,
			bool every_cycle, uint32_t launches)
{
	run_sampled(bench, 0, build, scheduler, every_cycle, launches);
}

static void run_mixture(struct simbench *bench, uint32_t scheduler, bool every_cycle, uint32_t launches)
{
	run_program(bench, build_mixture, scheduler, every_cycle, launches);
}

static void check_same(const struct hd_stats *a, const struct hd_stats *b)
{
	for (uint32_t i = 0; i < hd_counter_count; i++) {
		uint32_t offset = hd_counter_info[i].offset;
		const uint64_t *x = (const uint64_t *)(const void *)((const char *)&a->counters + offset);
		const uint64_t *y = (const uint64_t *)(const void *)((const char *)&b->counters + offset);
		ck_assert_msg(*x == *y, "%s: %lu and %lu", hd_counter_info[i].name, (unsigned long)*x,
			      (unsigned long)*y);
	}
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		ck_assert_msg(a->stalls[i] == b->stalls[i], "%s: %lu and %lu", hd_stall_name[i],
			      (unsigned long)a->stalls[i], (unsigned long)b->stalls[i]);
}

/* Samples add up to what the launch counted, whether or not cycles are skipped. */
START_TEST(samples_add_up)
{
	for (int every = 0; every < 2; every++) {
		struct simbench bench;
		run_sampled(&bench, 100, build_scattered, 0, every, 2);
		const struct hd_launch_record *record = bench.sim->launches.data[1];
		const struct hd_counters *counted = &record->stats.stats.counters;
		uint64_t instructions = 0, accesses = 0, busy = 0;
		for (uint32_t i = 0; i < record->sampler.samples.len; i++) {
			instructions += record->sampler.samples.data[i].warp_instructions;
			accesses += record->sampler.samples.data[i].l1d_accesses;
			busy += record->sampler.samples.data[i].warp_instructions > 0;
		}
		ck_assert_uint_eq(instructions, counted->warp_instructions);
		ck_assert_uint_eq(accesses, counted->l1d_accesses);
		ck_assert_uint_eq(record->sampler.samples.len, (counted->cycles - 1) / 100 + 1);
		ck_assert_uint_gt(busy, 1);
		simbench_release(&bench);
	}
}
END_TEST

static void check_skipping(void (*build)(struct simbench *bench), uint32_t scheduler)
{
	struct simbench skipping, stepping;
	run_program(&skipping, build, scheduler, false, 2);
	run_program(&stepping, build, scheduler, true, 2);
	for (uint32_t i = 0; i < 2; i++)
		check_same(&hd_sim_launch_stats(skipping.sim, i)->stats, &hd_sim_launch_stats(stepping.sim, i)->stats);
	simbench_release(&skipping);
	simbench_release(&stepping);
}

START_TEST(skipping_idle_cycles_changes_nothing)
{
	for (uint32_t scheduler = HD_SCHED_GTO; scheduler <= HD_SCHED_CGGTY; scheduler++) {
		check_skipping(build_mixture, scheduler);
		check_skipping(build_scattered, scheduler);
	}
}
END_TEST

START_TEST(full_load_store_queue_stalls_issue)
{
	struct simbench bench;
	run_program(&bench, build_scattered, HD_SCHED_GTO, false, 1);
	const struct hd_stats *stats = simbench_stats(&bench);
	ck_assert_uint_gt(stats->stalls[HD_STALL_unit], 100);
	ck_assert_uint_gt(stats->stalls[HD_STALL_data_memory], 100);
	simbench_release(&bench);
}
END_TEST

START_TEST(two_runs_give_the_same_document)
{
	char *text[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		run_mixture(&bench, HD_SCHED_GTO, false, 2);
		char *whole = hd_sim_stats_json(bench.sim);
		json_t *document = json_loads(whole, 0, NULL);
		json_object_del(document, "host");
		text[i] = json_dumps(document, 0);
		json_decref(document);
		free(whole);
		simbench_release(&bench);
	}
	ck_assert_str_eq(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}
END_TEST

START_TEST(counts_are_those_of_the_program)
{
	struct simbench bench;
	run_mixture(&bench, HD_SCHED_LRR, false, 1);
	const struct hd_launch_stats *stats = hd_sim_launch_stats(bench.sim, 0);
	ck_assert_uint_eq(stats->stats.counters.ctas, 10);
	ck_assert_uint_eq(stats->stats.counters.warps, 10 * 7);
	ck_assert_uint_eq(stats->stats.counters.barriers, 10 * 7);
	ck_assert_uint_gt(stats->stats.counters.divergent_branches, 0);
	uint64_t slots = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += stats->stats.stalls[i];
	ck_assert_uint_eq(slots, stats->stats.counters.cycles * 3 * 4);
	simbench_release(&bench);
}
END_TEST

/* ---- CTA dispatch */

/* Blocks one after the other in one place: the registers are those of the last of 3 x 4 x 5. */
START_TEST(blocks_know_where_they_are_in_the_grid)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_ctas = 1;
	simbench_s2r(&bench, 4, HD_SR_CTAID_X);
	simbench_s2r(&bench, 5, HD_SR_CTAID_Y);
	simbench_s2r(&bench, 6, HD_SR_CTAID_Z);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_launch launch = {.kernel = bench.kernel, .grid = {3, 4, 5}, .block = {32, 1, 1}};
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.ctas, 60);
	ck_assert_uint_eq(simbench_register(&bench, 0, 4, 0), 2);
	ck_assert_uint_eq(simbench_register(&bench, 0, 5, 0), 3);
	ck_assert_uint_eq(simbench_register(&bench, 0, 6, 0), 4);
	simbench_release(&bench);
}
END_TEST

/*
 * Without timing: six blocks of three warps, the last of 16 threads, each with 9 FFMAs, a barrier between the fifth and
 * the sixth, a store to shared memory under a guard that no lane has and one by all, and EXIT. 13 instructions a warp,
 * of which the guarded one has no thread.
 */
START_TEST(without_timing_instructions_are_counted)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.functional = true;
	bench.meta.shared_bytes = 128;
	for (uint32_t i = 0; i < 9; i++) {
		simbench_ffma(&bench, (uint8_t)(8 + i % 4), 4, 5, 6);
		if (i == 4)
			simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	}
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_STS);
		inst->a = HD_RZ;
		inst->c = 4;
		inst->xkind = HD_X_OTHER;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		inst->guard = i ? HD_PT : 0;
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 6, 80), 0);
	const struct hd_counters *counters = &simbench_stats(&bench)->counters;
	ck_assert_uint_eq(counters->ctas, 6);
	ck_assert_uint_eq(counters->warps, 6 * 3);
	ck_assert_uint_eq(counters->warp_instructions, 6 * 3 * 13);
	ck_assert_uint_eq(counters->thread_instructions, 6 * 80 * 12);
	ck_assert_uint_eq(counters->barriers, 6 * 3);
	ck_assert_uint_eq(counters->shared_instructions, 6 * 3);
	ck_assert_uint_eq(counters->global_instructions, 0);
	ck_assert_uint_eq(counters->local_instructions, 0);
	ck_assert_uint_eq(counters->cycles, 0);
	simbench_release(&bench);
}
END_TEST

static uint32_t resident(uint64_t max_ctas, uint32_t registers, uint32_t shared, uint32_t threads, const char *limiter)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_ctas = max_ctas;
	bench.meta.registers = registers;
	bench.meta.shared_bytes = shared;
	simbench_chain(&bench, 20);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 40, threads), 0);
	const struct hd_launch_stats *stats = hd_sim_launch_stats(bench.sim, 0);
	uint32_t ctas = stats->resident_ctas, occupancy;
	ck_assert_str_eq(stats->limiter, limiter);
	ck_assert_uint_eq(stats->stats.counters.ctas, 40);
	ck_assert_uint_eq(bench.sim->gpu.sms[0]->grids[0].limit, ctas);
	ck_assert_int_eq(hd_sim_occupancy(bench.sim, bench.kernel, threads, 0, &occupancy), 0);
	ck_assert_uint_eq(occupancy, ctas);
	simbench_release(&bench);
	return ctas;
}

START_TEST(resident_ctas_obey_every_limit)
{
	ck_assert_uint_eq(resident(2, 16, 0, 64, "CTAs"), 2);
	ck_assert_uint_eq(resident(32, 16, 0, 1024, "threads"), 2);
	ck_assert_uint_eq(resident(32, 128, 0, 128, "registers"), 4); /* 65536 / (128 * 128) */
	ck_assert_uint_eq(resident(32, 16, 32768, 64, "shared memory"), 3);
}
END_TEST

START_TEST(ctas_spread_over_the_sms)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.sm_count = 4;
	simbench_chain(&bench, 20);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 6, 64), 0);
	static const uint32_t expected[] = {2, 2, 1, 1};
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(bench.sim->gpu.sms[i]->dispatch.launches, 2 * expected[i]); /* warps */
	simbench_release(&bench);
}
END_TEST

/* Two blocks need two SMs of four. preempt has alarms, which may concern any. All slots are counted nevertheless. */
START_TEST(sms_are_built_for_their_blocks)
{
	static const struct {
		const char *policy;
		uint32_t built;
	} rows[] = {{NULL, 2}, {"cars", 2}, {"swl:4", 2}, {"preempt", 4}};
	for (uint32_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct simbench bench;
		uint32_t built = 0;
		simbench_init(&bench);
		bench.options.policy = rows[row].policy;
		bench.config.sm_count = 4;
		simbench_chain(&bench, 20);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 2, 64), 0);
		for (uint32_t i = 0; i < 4; i++)
			built += hd_sm_is_built(bench.sim->gpu.sms[i]);
		ck_assert_uint_eq(built, rows[row].built);
		const struct hd_stats *stats = simbench_stats(&bench);
		uint64_t slots = 0;
		for (uint32_t reason = 0; reason < HD_STALL_COUNT; reason++)
			slots += stats->stalls[reason];
		ck_assert_uint_eq(slots, 4 * bench.config.schedulers * stats->counters.cycles);
		simbench_release(&bench);
	}
}
END_TEST

START_TEST(an_sm_that_runs_dry_is_idle)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.sm_count = 2;
	bench.config.max_ctas = 1;
	simbench_chain(&bench, 50);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 3, 32), 0);
	const struct hd_stats *stats = simbench_stats(&bench);
	/* The second SM has nothing to do while the first runs its second CTA. */
	ck_assert_uint_ge(stats->stalls[HD_STALL_idle], 49 * bench.config.lat_fmad + 20);
	ck_assert_uint_eq(stats->stalls[HD_STALL_issued], 3 * 51);
	simbench_release(&bench);
}
END_TEST

START_TEST(many_small_ctas_reuse_positions)
{
	for (uint32_t scheduler = HD_SCHED_GTO; scheduler <= HD_SCHED_CGGTY; scheduler++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.scheduler = scheduler;
		simbench_chain(&bench, 3);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 1000, 96), 0);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.warps, 3000);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.warp_instructions, 3000 * 4);
		simbench_release(&bench);
	}
}
END_TEST

/* ---- the constant bank */

/* Dynamic shared memory begins where the kernel's own ends, however much of it there is. */
START_TEST(dynamic_shared_memory_follows_the_static)
{
	for (uint32_t dynamic = 0; dynamic <= 256; dynamic += 256) {
		struct simbench bench;
		simbench_init(&bench);
		bench.meta.shared_bytes = 112;
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_MOV);
		inst->dst = 8;
		inst->xkind = HD_X_CONST_B;
		inst->x = HD_CONST_X(0, HD_CB_DYN_SHARED);
		ck_assert_int_eq(simbench_start(&bench), 0);
		struct hd_launch launch = {.kernel = bench.kernel,
					   .grid = {1, 1, 1},
					   .block = {32, 1, 1},
					   .dynamic_shared = dynamic};
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		ck_assert_uint_eq(simbench_register(&bench, 0, 8, 0), 112);
		ck_assert_uint_eq(hd_sim_launch_stats(bench.sim, 0)->dynamic_shared, dynamic);
		simbench_release(&bench);
	}
}
END_TEST

/* ---- refusals */

static void refused(struct simbench *bench, uint32_t ctas, uint32_t threads, uint32_t shared, int error,
		    const char *says)
{
	struct hd_launch launch = {.kernel = bench->kernel,
				   .grid = {ctas, 1, 1},
				   .block = {threads, 1, 1},
				   .dynamic_shared = shared};
	ck_assert_int_eq(hd_sim_launch(bench->sim, &launch), error);
	ck_assert_msg(strstr(hd_sim_error_text(bench->sim), says), "%s", hd_sim_error_text(bench->sim));
	ck_assert_msg(strstr(bench->message, says), "%s", bench->message);
}

START_TEST(impossible_launches_are_refused)
{
	struct simbench bench;
	simbench_init(&bench);
	simbench_chain(&bench, 2);
	ck_assert_int_eq(simbench_start(&bench), 0);
	refused(&bench, 0, 32, 0, HD_SIM_BAD_LAUNCH, "grid (0,1,1): x must be 1 to");
	refused(&bench, 1, 1025, 0, HD_SIM_BAD_LAUNCH, "block (1025,1,1): x must be 1 to 1024");
	refused(&bench, 1, 32, 98305, HD_SIM_TOO_MUCH_SHARED, "98305 bytes of shared memory");
	ck_assert_uint_eq(hd_sim_launch_count(bench.sim), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0); /* and the next one works */
	simbench_release(&bench);
}
END_TEST

START_TEST(too_many_registers_for_the_block_are_refused)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.registers = 128;
	simbench_chain(&bench, 2);
	ck_assert_int_eq(simbench_start(&bench), 0);
	refused(&bench, 1, 1024, 0, HD_SIM_TOO_MANY_REGISTERS, "not one block fits");
	simbench_release(&bench);
}
END_TEST

static int start_with(const char *policy, const char *trace, char message[1024])
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = policy;
	bench.options.trace = trace;
	int error = simbench_start(&bench);
	memcpy(message, bench.message, sizeof bench.message);
	simbench_release(&bench);
	return error;
}

START_TEST(unknown_names_are_refused_with_the_nearest)
{
	char message[1024];
	ck_assert_int_ne(start_with("basline", NULL, message), 0);
	ck_assert_ptr_nonnull(strstr(message, "did you mean baseline"));
	ck_assert_int_eq(start_with("", NULL, message), 0); /* the baseline, as without a name */
	ck_assert_int_eq(start_with(NULL, NULL, message), 0);
	ck_assert_int_ne(start_with("baseline+zzzzzz", NULL, message), 0);
	ck_assert_ptr_nonnull(strstr(message, "unknown policy 'zzzzzz'; known: baseline, "));
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++)
		ck_assert_msg(strstr(message, policy->name) != NULL, "%s: %s", policy->name, message);
	ck_assert_int_ne(start_with(NULL, "isue", message), 0);
	ck_assert_ptr_nonnull(strstr(message, "did you mean issue"));
	ck_assert_int_ne(start_with(NULL, "issue@20:10", message), 0);
	ck_assert_ptr_nonnull(strstr(message, "empty"));
	ck_assert_int_eq(start_with("baseline", "issue,lsu@10:20", message), 0);
}
END_TEST

/* With 32 warps an SM, so that windows of BOW have the collectors that they need. */
static bool starts_with_few_warps(const char *policy)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_warps = 32;
	bench.options.policy = policy;
	bool starts = !simbench_start(&bench);
	simbench_release(&bench);
	return starts;
}

/* The least and the most that each policy takes, and what lies beside; then what is no number. */
START_TEST(parameters_have_limits)
{
	static const struct {
		const char *policy;
		uint64_t least, most;
	} rows[] = {{"swl:", 1, HD_MAX_WARPS},	    {"cars:", 1, 1000}, {"shuffle:", 1, 1000000}, {"bow:", 2, 8},
		    {"malekeh:sthld=", 0, 1000000}, {"duet:", 0, 32}};
	static const char *const wrong[] = {"x", "-1", "+1", " 1", "1x", "1 "};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[64];
		for (uint32_t beside = 0; beside < 4; beside++) {
			uint64_t value = beside < 2 ? rows[i].least - 1 + beside : rows[i].most - 2 + beside;
			if (!beside && !rows[i].least)
				continue;
			snprintf(text, sizeof text, "%s%llu", rows[i].policy, (unsigned long long)value);
			ck_assert_msg(starts_with_few_warps(text) == (beside == 1 || beside == 2), "%s", text);
		}
		for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
			snprintf(text, sizeof text, "%s%s", rows[i].policy, wrong[k]);
			ck_assert_msg(!starts_with_few_warps(text), "%s", text);
		}
	}
}
END_TEST

/* ---- runs that do not end */

START_TEST(endless_loop_stops_at_max_cycles)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.max_cycles = 5000;
	struct hd_inst *loop = simbench_emit(&bench, HD_OP_BRA);
	loop->xkind = HD_X_OTHER;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "did not end within 5000 cycles"));
	ck_assert_uint_le(simbench_stats(&bench)->counters.cycles, 5010);
	/* The simulator is still usable, and stops again. */
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_TIMEOUT);
	simbench_release(&bench);
}
END_TEST

static bool never(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)self;
	(void)warp;
	(void)inst;
	(void)now;
	return false;
}

START_TEST(no_progress_trips_the_watchdog)
{
	static const struct hd_policy_hooks hooks = {.issue.can_issue = never};
	static const struct hd_policy holder = {.name = "holder", .hooks = &hooks};
	struct simbench bench;
	simbench_init(&bench);
	bench.options.watchdog = 3000;
	simbench_chain(&bench, 3);
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &holder, "");
	hd_policy_place(&bench.sim->gpu);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "no instruction was issued for"));
	ck_assert_uint_gt(simbench_stats(&bench)->stalls[HD_STALL_policy], 2000);
	simbench_release(&bench);
}
END_TEST

START_TEST(fault_ends_the_launch_and_leaves_the_simulator_usable)
{
	struct simbench bench;
	simbench_init(&bench);
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDG);
	load->dst = 8, load->a = 4, load->xkind = HD_X_OTHER, load->mods = HD_MOD(SIZE, HD_SIZE_32);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	for (uint32_t i = 0; i < 2; i++) {
		/* As if a warp waited for a barrier, and for one behind its copies. */
		sm->mbarriers.waiting = 1;
		hd_vec_push(&sm->mbarriers.arrivals, ((struct hd_arrival){.warp = 9}));
		ck_assert_int_eq(simbench_run(&bench, 3, 64), HD_SIM_BAD_ADDRESS);
		ck_assert_uint_eq(sm->mbarriers.waiting + sm->mbarriers.arrivals.len, 0);
		ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "block (0,0,0), thread (0,0,0)"));
	}
	simbench_release(&bench);
}
END_TEST

/* ---- policies and statistics */

START_TEST(conflicting_policies_say_why)
{
	struct hd_policy_set set = {.count = 0};
	struct simbench bench;
	simbench_init(&bench);
	ck_assert_int_eq(hd_policy_check("baseline+baseline", &bench.diag), 0);
	static const struct hd_policy a = {.name = "a", .touches = HD_TOUCH_CALLS | HD_TOUCH_L1};
	static const struct hd_policy b = {.name = "b", .touches = HD_TOUCH_L1},
				      c = {.name = "c", .touches = HD_TOUCH_CODE};
	ck_assert_int_eq(hd_policy_combine(&set, &a, &bench.diag), 0);
	ck_assert_int_eq(hd_policy_combine(&set, &c, &bench.diag), 0);
	ck_assert_int_ne(hd_policy_combine(&set, &b, &bench.diag), 0);
	ck_assert_str_eq(bench.message, "policies 'a' and 'b' cannot combine: both take over the L1 cache");
	simbench_release(&bench);
}
END_TEST

/* One that knows of another takes over the same as that one does, and its hooks come behind those. */
START_TEST(a_policy_joins_another)
{
	static const struct hd_policy_hooks knows = {.joins = "a"};
	static const struct hd_policy a = {.name = "a", .touches = HD_TOUCH_CALLS | HD_TOUCH_L1};
	static const struct hd_policy b = {.name = "b", .touches = HD_TOUCH_L1, .hooks = &knows},
				      c = {.name = "c", .touches = HD_TOUCH_L1};
	ck_assert_uint_eq(hd_policy_conflict(&a, &b), 0);
	ck_assert_uint_eq(hd_policy_conflict(&b, &a), 0);
	ck_assert_uint_eq(hd_policy_conflict(&b, &c), HD_TOUCH_L1);
	ck_assert_uint_eq(hd_policy_conflict(&a, &c), HD_TOUCH_L1);
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "duet:1+cars:low";
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_uint_eq(bench.sim->gpu.policy_count, 2);
	ck_assert_str_eq(bench.sim->gpu.policies[0].policy->name, "cars");
	ck_assert_str_eq(bench.sim->gpu.policies[0].parameter, "low");
	ck_assert_str_eq(bench.sim->gpu.policies[1].policy->name, "duet");
	ck_assert_str_eq(bench.sim->gpu.policies[1].parameter, "1");
	simbench_release(&bench);
}
END_TEST

/* Policies that fill all their state with a letter of their own, and look at what they find there. */
enum { OF_GPU, OF_SM, OF_CTA, OF_WARP, LEVELS };
static struct {
	uint32_t fresh[LEVELS]; /* how often it was all zero */
} found[HD_MAX_POLICIES];

static void mark_one(const struct hd_policy_handle *self, uint32_t level, uint8_t *state, uint32_t bytes,
		     uint32_t index)
{
	for (uint32_t i = 1; i < bytes; i++)
		ck_assert_msg(state[i] == state[0], "policy %s, level %u: byte %u", self->policy->name, level, i);
	if (!bytes)
		return;
	ck_assert_msg(!state[0] || state[0] == (uint8_t)*self->parameter, "policy %s, level %u: '%c'",
		      self->policy->name, level, state[0]);
	found[index].fresh[level] += !state[0];
	memset(state, *self->parameter, bytes);
}

static bool mark_state(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       uint64_t now)
{
	const struct hd_sm *sm = warp->cta->sm;
	uint32_t index = (uint32_t)(self - sm->gpu->policies);
	(void)inst;
	(void)now;
	mark_one(self, OF_GPU, hd_policy_gpu(self, sm->gpu), self->hooks->gpu_bytes, index);
	mark_one(self, OF_SM, hd_policy_sm(self, sm), self->hooks->sm_bytes, index);
	mark_one(self, OF_CTA, hd_policy_cta(self, warp->cta), self->hooks->cta_bytes, index);
	mark_one(self, OF_WARP, hd_policy_warp(self, warp), self->hooks->warp_bytes, index);
	return true;
}

START_TEST(each_policy_has_state_of_its_own)
{
	static const struct hd_policy_hooks hooks[] = {
		{.gpu_bytes = 7, .sm_bytes = 16, .cta_bytes = 1, .warp_bytes = 33, .issue.can_issue = mark_state},
		{.issue.can_issue = mark_state},
		{.gpu_bytes = 40, .sm_bytes = 1, .cta_bytes = 24, .warp_bytes = 8, .issue.can_issue = mark_state},
	};
	static const struct hd_policy policies[] = {{.name = "one", .hooks = &hooks[0]},
						    {.name = "none", .hooks = &hooks[1]},
						    {.name = "two", .hooks = &hooks[2]}};
	struct simbench bench;
	simbench_init(&bench);
	simbench_chain(&bench, 3);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_gpu *gpu = &bench.sim->gpu;
	for (uint32_t i = 0; i < 3; i++)
		hd_policy_add(gpu, &policies[i], (const char *const[]){"a", "b", "c"}[i]);
	hd_policy_place(gpu);
	memset(found, 0, sizeof(found));
	for (uint32_t launch = 1; launch <= 2; launch++) {
		ck_assert_int_eq(simbench_run(&bench, 64, 64), 0);
		for (uint32_t i = 0; i < 3; i += 2) {
			ck_assert_uint_eq(found[i].fresh[OF_GPU], 1);
			ck_assert_uint_eq(found[i].fresh[OF_SM], gpu->sm_count);
			ck_assert_uint_eq(found[i].fresh[OF_CTA], 64 * launch);
			ck_assert_uint_eq(found[i].fresh[OF_WARP], 128 * launch);
		}
	}
	simbench_release(&bench);
}
END_TEST

/* A policy that writes down when it is called. */
static struct {
	uint32_t waits, resumes;
	uint64_t last;
} called;

static void note_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	ck_assert_int_eq(warp->state, HD_WARP_BARRIER);
	called.waits++;
	called.last = now;
}

static void note_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	ck_assert_int_eq(warp->state, HD_WARP_RUNNING);
	ck_assert_uint_ge(now, called.last);
	called.resumes++;
}

START_TEST(hooks_are_called_when_they_should)
{
	static const struct hd_policy_hooks hooks = {.issue.barrier_wait = note_wait,
						     .issue.barrier_resume = note_resume};
	static const struct hd_policy policy = {.name = "notes", .hooks = &hooks};
	struct simbench bench;
	simbench_init(&bench);
	for (int i = 0; i < 3; i++) {
		simbench_chain(&bench, 20);
		simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &policy, NULL);
	hd_policy_place(&bench.sim->gpu);
	memset(&called, 0, sizeof(called));
	ck_assert_int_eq(simbench_run(&bench, 1, 128), 0);
	/* The last of four warps completes the barrier and does not wait. */
	ck_assert_uint_eq(called.waits, 3 * 3);
	ck_assert_uint_eq(called.resumes, 3 * 4);
	simbench_release(&bench);
}
END_TEST

/* What a combination costs in the cycle loop is what its hooks are: without one there is no bit to look for. */
START_TEST(policies_without_hooks_are_not_called)
{
	static const char *const none[] = {"baseline", "vw", "all-hit", "r2d2-functional", "vw+all-hit"};
	struct simbench bench;
	for (unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		simbench_init(&bench);
		bench.options.policy = none[i];
		simbench_chain(&bench, 1);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_uint_eq(bench.sim->gpu.sms[0]->hooks, 0);
		simbench_release(&bench);
	}
	simbench_init(&bench);
	bench.options.policy = "all-hit+swl:2";
	simbench_chain(&bench, 1);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_uint_eq(bench.sim->gpu.sms[0]->hooks,
			  HD_HOOK(cta_launch) | HD_HOOK(warp_done) | HD_HOOK(barrier_wait) | HD_HOOK(barrier_resume));
	simbench_release(&bench);
}
END_TEST

static json_t *need(json_t *object, const char *key, int type)
{
	json_t *value = json_object_get(object, key);
	ck_assert_msg(value && json_typeof(value) == (json_type)type, "%s", key);
	return value;
}

static void check_figures(json_t *object)
{
	static const char *const l1d[] = {"accesses", "hits", "spill_fill", "global", "other_local"};
	need(object, "cycles", JSON_INTEGER);
	need(object, "warp_instructions", JSON_INTEGER);
	need(object, "thread_instructions", JSON_INTEGER);
	need(object, "ipc", JSON_REAL);
	need(object, "energy_joules", JSON_REAL);
	need(object, "baseline", JSON_OBJECT);
	for (size_t i = 0; i < sizeof l1d / sizeof *l1d; i++)
		need(need(object, "l1d", JSON_OBJECT), l1d[i], JSON_INTEGER);
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		need(need(object, "stalls", JSON_OBJECT), hd_stall_name[i], JSON_INTEGER);
}

START_TEST(document_has_the_published_keys)
{
	struct simbench bench;
	run_mixture(&bench, HD_SCHED_GTO, false, 2);
	char *text = hd_sim_stats_json(bench.sim);
	json_t *document = json_loads(text, 0, NULL);
	ck_assert_str_eq(json_string_value(need(document, "gpu", JSON_STRING)), "bench");
	ck_assert_str_eq(json_string_value(need(document, "policy", JSON_STRING)), "baseline");
	ck_assert_str_eq(json_string_value(need(need(document, "config", JSON_OBJECT), "scheduler", JSON_STRING)),
			 "gto");
	need(need(document, "host", JSON_OBJECT), "user_seconds", JSON_REAL);
	need(need(document, "host", JSON_OBJECT), "peak_bytes", JSON_INTEGER);
	check_figures(need(document, "total", JSON_OBJECT));
	json_t *launches = need(document, "launches", JSON_ARRAY);
	ck_assert_uint_eq(json_array_size(launches), 2);
	json_t *launch = json_array_get(launches, 1);
	check_figures(launch);
	ck_assert_str_eq(json_string_value(need(launch, "kernel", JSON_STRING)), "kernel");
	ck_assert_int_eq(json_integer_value(json_array_get(need(launch, "grid", JSON_ARRAY), 1)), 2);
	ck_assert_int_eq(json_integer_value(json_array_get(need(launch, "block", JSON_ARRAY), 0)), MIXTURE_THREADS / 4);
	json_decref(document);
	free(text);
	simbench_release(&bench);
}
END_TEST

/* Keys that come with an option alone, and keys of a policy's sections. */
START_TEST(options_have_keys)
{
	static const char *const keys[] = {"verified", "profile", "slots", "sampling"};
	for (uint32_t option = 0; option <= 4; option++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.verify = option == 0;
		bench.options.profile = option == 1;
		bench.options.blame = option == 2;
		bench.options.sampling = option == 3 ? 0.5 : 0;
		bench.options.policy = option == 4 ? "rfc" : "baseline";
		simbench_chain(&bench, 4);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		char *text = hd_sim_stats_json(bench.sim);
		json_t *document = json_loads(text, 0, NULL), *total = need(document, "total", JSON_OBJECT);
		for (uint32_t i = 0; i < 4; i++)
			ck_assert_msg(!json_object_get(i == 3 ? total : document, keys[i]) == (i != option), "%u: %s",
				      option, keys[i]);
		const json_t *launch = json_array_get(need(document, "launches", JSON_ARRAY), 0);
		ck_assert(!json_object_get(launch, "sampling") == (option != 3));
		const json_t *config = need(document, "config", JSON_OBJECT);
		ck_assert(!json_object_get(config, "rfc.entries") == (option != 4));
		ck_assert(!json_object_get(config, "rfc.pj_cache_read") == (option != 4));
		ck_assert(!json_object_get(config, "rfc.pj_cache_write") == (option != 4));
		json_decref(document);
		free(text);
		simbench_release(&bench);
	}
}
END_TEST

START_TEST(total_is_the_sum_of_the_launches)
{
	struct simbench bench;
	run_mixture(&bench, HD_SCHED_GTO, false, 3);
	struct hd_stats total, sum = {0};
	hd_sim_total(bench.sim, &total);
	for (uint32_t i = 0; i < 3; i++)
		hd_stats_add(&sum, &hd_sim_launch_stats(bench.sim, i)->stats);
	check_same(&total, &sum);
	ck_assert_uint_eq(hd_sim_cycles(bench.sim), total.counters.cycles);
	simbench_release(&bench);
}
END_TEST

/* Messages about policies that do not combine name what both touch, from the first to the last. */
START_TEST(what_policies_touch_has_names)
{
	const char *names[HD_TOUCH_COUNT];
	ck_assert_uint_eq(hd_policy_touched(1, names), 1);
	ck_assert_str_eq(names[0], "register allocation");
	ck_assert_uint_eq(hd_policy_touched((UINT32_C(1) << HD_TOUCH_COUNT) - 1, names), HD_TOUCH_COUNT);
	ck_assert_str_eq(names[HD_TOUCH_COUNT - 1], "kernels' shares of an SM");
	ck_assert_uint_eq(hd_policy_touched(0, names), 0);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("gpu", (const TTest *const[]){
					  skipping_idle_cycles_changes_nothing,
					  samples_add_up,
					  full_load_store_queue_stalls_issue,
					  two_runs_give_the_same_document,
					  counts_are_those_of_the_program,
					  blocks_know_where_they_are_in_the_grid,
					  without_timing_instructions_are_counted,
					  resident_ctas_obey_every_limit,
					  ctas_spread_over_the_sms,
					  sms_are_built_for_their_blocks,
					  an_sm_that_runs_dry_is_idle,
					  many_small_ctas_reuse_positions,
					  dynamic_shared_memory_follows_the_static,
					  impossible_launches_are_refused,
					  too_many_registers_for_the_block_are_refused,
					  unknown_names_are_refused_with_the_nearest,
					  parameters_have_limits,
					  endless_loop_stops_at_max_cycles,
					  no_progress_trips_the_watchdog,
					  fault_ends_the_launch_and_leaves_the_simulator_usable,
					  conflicting_policies_say_why,
					  a_policy_joins_another,
					  what_policies_touch_has_names,
					  each_policy_has_state_of_its_own,
					  hooks_are_called_when_they_should,
					  policies_without_hooks_are_not_called,
					  document_has_the_published_keys,
					  options_have_keys,
					  total_is_the_sum_of_the_launches,
					  NULL,
				  });
}
