/* Policies in the operand stage: a probe that uses every hook of it, counts the calls, and decides as it is told. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/choice/choice.h"
#include "runtime/sm/calendar.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

enum { LOG = 64 };

/* What the probe does, and what it saw. */
struct probe {
	uint8_t cached;		 /* register that comes from the cache; HD_RZ: none, 0: all */
	uint8_t kept;		 /* register whose results go to the cache alone; HD_RZ: none */
	uint32_t withheld;	 /* times that a warp is sent away */
	bool youngest;		 /* warps first that came last */
	uint32_t last_collector; /* takes the last free one rather than the first */
	uint32_t chosen, sources, dispatched, results, written, preferred;
	uint8_t slots[LOG], regs[LOG], same[LOG], written_regs[LOG];
	uint32_t lanes[LOG], warps[LOG];
	uint64_t dispatched_at;
};

static struct probe *probe_of(const struct hd_policy_handle *self, const struct hd_warp *warp)
{
	return *(struct probe **)hd_policy_sm(self, warp->cta->sm);
}

static uint32_t choose(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_regfile *regfile, uint64_t now, uint8_t *reason)
{
	struct probe *probe = probe_of(self, warp);
	uint32_t found = HD_NO_COLLECTOR;
	ck_assert_uint_eq(*reason, HD_STALL_collector);
	ck_assert_uint_ne(inst->pipe, HD_PIPE_BRU);
	if (probe->withheld) {
		probe->withheld--;
		*reason = HD_STALL_withheld;
		return HD_NO_COLLECTOR;
	}
	for (uint32_t i = 0; i < regfile->collector_count; i++)
		if (regfile->free[i] <= now && (found == HD_NO_COLLECTOR || probe->last_collector))
			found = i;
	ck_assert(!regfile->collectors[found].waiting);
	probe->warps[probe->chosen++ % LOG] = warp->index;
	return found;
}

static enum hd_source source(const struct hd_policy_handle *self, struct hd_collector *collector,
			     const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct probe *probe = probe_of(self, collector->warp);
	uint32_t at = probe->sources++ % LOG;
	probe->slots[at] = operand->slot;
	probe->regs[at] = operand->reg;
	probe->same[at] = operand->same;
	++*(uint32_t *)hd_policy_collector(self, collector);
	ck_assert_uint_eq(*ready, now * HD_TICKS);
	return !probe->cached || operand->reg == probe->cached ? HD_FROM_CACHE : HD_FROM_BANK;
}

static void dispatched(const struct hd_policy_handle *self, struct hd_collector *collector, uint64_t now)
{
	struct probe *probe = probe_of(self, collector->warp);
	ck_assert(!collector->waiting);
	probe->dispatched++;
	probe->dispatched_at = now;
}

static enum hd_target target(const struct hd_policy_handle *self, const struct hd_result *result, uint64_t now)
{
	struct probe *probe = probe_of(self, result->warp);
	uint32_t at = probe->results++ % LOG;
	(void)now;
	probe->written_regs[at] = result->reg;
	probe->lanes[at] = result->lanes;
	ck_assert_uint_eq(result->inst->inst.dst + result->word, result->reg);
	return result->reg == probe->kept ? HD_TO_CACHE : HD_TO_BOTH;
}

static void written(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    uint64_t now)
{
	(void)inst, (void)now;
	probe_of(self, warp)->written++;
}

static uint64_t prefer(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       uint64_t now)
{
	struct probe *probe = probe_of(self, warp);
	(void)inst, (void)now;
	probe->preferred++;
	return probe->youngest ? 100 - warp->index : 0;
}

static const struct hd_policy_hooks probe_hooks = {.sm_bytes = sizeof(struct probe *),
						   .collector_bytes = sizeof(uint32_t),
						   .operands.choose_collector = choose,
						   .operands.operand_source = source,
						   .operands.dispatch = dispatched,
						   .operands.result_target = target,
						   .issue.write_back = written,
						   .issue.prefer = prefer};
static const struct hd_policy probe_policy = {.name = "probe", .hooks = &probe_hooks};

static struct hd_stats run_probed(struct simbench *bench, struct probe *probe, uint32_t threads)
{
	ck_assert_int_eq(simbench_start(bench), 0);
	struct hd_gpu *gpu = &bench->sim->gpu;
	hd_policy_add(gpu, &probe_policy, "");
	hd_policy_place(gpu);
	*(struct probe **)hd_policy_sm(&gpu->policies[0], gpu->sms[0]) = probe;
	int error = simbench_run(bench, 1, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	uint32_t counted = 0;
	for (uint32_t i = 0; i < gpu->sms[0]->operands.regfiles[0]->collector_count; i++)
		counted += *(uint32_t *)hd_policy_collector(&gpu->policies[0],
							    &gpu->sms[0]->operands.regfiles[0]->collectors[i]);
	ck_assert_uint_eq(counted, probe->sources);
	struct hd_stats stats = *simbench_stats(bench);
	uint64_t slots = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += stats.stalls[i];
	ck_assert_uint_eq(slots, stats.counters.cycles);
	simbench_release(bench);
	return stats;
}

/* Three operands of two registers, three, two pairs, none; five registers written. */
static struct hd_stats run_four(struct probe *probe)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.registers = 20;
	simbench_ffma(&bench, 8, 4, 5, 4);
	simbench_ffma(&bench, 9, 8, 5, 6);
	struct hd_inst *dadd = simbench_emit(&bench, HD_OP_DADD);
	dadd->dst = 10;
	dadd->a = 6;
	dadd->b = 4;
	simbench_mov(&bench, 12, 1);
	return run_probed(&bench, probe, 32);
}

START_TEST(every_hook_is_called_for_what_happens)
{
	struct probe probe = {.cached = HD_RZ, .kept = HD_RZ};
	struct hd_stats stats = run_four(&probe);
	ck_assert_uint_eq(probe.chosen, 4);
	ck_assert_uint_eq(probe.sources, 3 + 3 + 4);
	ck_assert_uint_eq(probe.dispatched, 4);
	ck_assert_uint_eq(probe.results, 5);
	ck_assert_uint_eq(probe.written, 4);
	ck_assert_uint_eq(stats.counters.bank_reads, 2 + 3 + 4);
	ck_assert_uint_eq(stats.counters.bank_writes, 5);
	const uint8_t regs[] = {4, 5, 4, 8, 5, 6, 6, 7, 4, 5}, same[] = {0, 1, 0, 0, 1, 2, 0, 1, 2, 3};
	const uint8_t slots[] = {HD_SLOT_A, HD_SLOT_B, HD_SLOT_C, HD_SLOT_A, HD_SLOT_B,
				 HD_SLOT_C, HD_SLOT_A, HD_SLOT_A, HD_SLOT_B, HD_SLOT_B};
	/* The second FFMA waits for the first: the DADD and the MOV do not pass it, a warp issues in order. */
	for (uint32_t i = 0; i < 10; i++) {
		ck_assert_uint_eq(probe.regs[i], regs[i]);
		ck_assert_uint_eq(probe.slots[i], slots[i]);
		ck_assert_uint_eq(probe.same[i], same[i]);
	}
}
END_TEST

START_TEST(a_policy_changes_nothing_by_looking)
{
	struct probe probe = {.cached = HD_RZ, .kept = HD_RZ}, other = {.cached = HD_RZ, .kept = HD_RZ};
	other.last_collector = true;
	struct hd_stats first = run_four(&probe), second = run_four(&other);
	ck_assert_mem_eq(&first, &second, sizeof first);
}
END_TEST

START_TEST(sources_and_targets_spare_the_banks)
{
	struct probe probe = {.cached = 5, .kept = 12};
	struct hd_stats stats = run_four(&probe);
	ck_assert_uint_eq(stats.counters.bank_reads, 9 - 3);
	ck_assert_uint_eq(stats.counters.bank_writes, 5 - 1);
	ck_assert_uint_eq(stats.counters.register_reads, 9);
	ck_assert_uint_eq(stats.counters.register_writes, 5);
}
END_TEST

static uint64_t chain_of(uint8_t cached, uint32_t length)
{
	struct simbench bench;
	struct probe probe = {.cached = cached, .kept = HD_RZ};
	simbench_init(&bench);
	simbench_chain(&bench, length);
	uint64_t cycles = run_probed(&bench, &probe, 32).counters.cycles;
	ck_assert_uint_eq(probe.dispatched, length);
	return cycles;
}

/* Operands that are there at once spare the cycle of collection that the latency contains. */
START_TEST(operands_from_a_cache_are_faster)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(chain_of(HD_RZ, 30) - chain_of(HD_RZ, 10), 20 * config.lat_fmad);
	ck_assert_uint_eq(chain_of(0, 30) - chain_of(0, 10), 20 * (config.lat_fmad - 1));
}
END_TEST

START_TEST(a_policy_may_withhold_collectors)
{
	struct probe none = {.cached = HD_RZ, .kept = HD_RZ}, some = {.cached = HD_RZ, .kept = HD_RZ, .withheld = 7};
	struct hd_stats without = run_four(&none), with = run_four(&some);
	ck_assert_uint_eq(without.stalls[HD_STALL_withheld], 0);
	ck_assert_uint_eq(with.stalls[HD_STALL_withheld], 7);
	ck_assert_uint_eq(with.counters.cycles - without.counters.cycles, 7);
	ck_assert_uint_eq(some.chosen, 4);
}
END_TEST

/* A latency of 5 issued first and one of 4 behind it end together: the first is told first. One is guarded. */
START_TEST(results_of_a_cycle_come_in_the_order_of_issue)
{
	struct simbench bench;
	struct probe probe = {.cached = HD_RZ, .kept = HD_RZ};
	simbench_init(&bench);
	simbench_s2r(&bench, 7, HD_SR_LANEID);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 7;
	test->xkind = HD_X_IMM_B;
	test->x = 5;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
	simbench_ffma(&bench, 8, 4, 5, 6);
	hd_vec_last(&bench.code).guard = 0;
	struct hd_inst *add = simbench_emit(&bench, HD_OP_FADD);
	add->dst = 9;
	add->a = 4;
	add->b = 5;
	run_probed(&bench, &probe, 32);
	ck_assert_uint_eq(probe.results, 3);
	ck_assert_uint_eq(probe.written_regs[1], 8);
	ck_assert_uint_eq(probe.lanes[1], 0x1f);
	ck_assert_uint_eq(probe.written_regs[2], 9);
	ck_assert_uint_eq(probe.lanes[2], 0xffffffff);
}
END_TEST

START_TEST(a_policy_prefers_warps)
{
	for (uint32_t youngest = 0; youngest < 2; youngest++) {
		struct simbench bench;
		struct probe probe = {.cached = HD_RZ, .kept = HD_RZ, .youngest = youngest};
		simbench_init(&bench);
		bench.config.collectors = 16;
		for (uint8_t i = 0; i < 4; i++)
			simbench_mov(&bench, (uint8_t)(8 + i), i);
		run_probed(&bench, &probe, 3 * 32);
		ck_assert_uint_eq(probe.chosen, 12);
		ck_assert_uint_gt(probe.preferred, 12);
		ck_assert_uint_eq(probe.warps[1], youngest ? 2 : 0);
		ck_assert_uint_eq(probe.warps[11], youngest ? 0 : 2);
	}
}
END_TEST

/* Where there are no collectors nobody can be asked about them; other hooks of the stage go with either model. */
START_TEST(the_modern_model_has_no_collectors)
{
	static const struct hd_policy_hooks one_each[] = {{.operands.choose_collector = choose},
							  {.operands.operand_source = source},
							  {.operands.dispatch = dispatched},
							  {.operands.result_target = target, .issue.prefer = prefer}};
	struct simbench bench;
	simbench_init(&bench);
	for (uint32_t i = 0; i < 4; i++) {
		const struct hd_policy policy = {.name = "probe", .hooks = &one_each[i]};
		bench.config.operands = HD_OPERANDS_COLLECTORS;
		ck_assert_int_eq(hd_policy_fits(&bench.config, &policy, &bench.diag), 0);
		bench.config.operands = HD_OPERANDS_MODERN;
		ck_assert_int_eq(hd_policy_fits(&bench.config, &policy, &bench.diag), i < 3 ? -1 : 0);
	}
	ck_assert_str_eq(bench.message, "policy 'probe' needs operand collectors, which operands = modern lacks");
	simbench_release(&bench);
}
END_TEST

/* ---- calendars, for units and a policy's own transfers */

START_TEST(a_calendar_fills_its_gaps)
{
	struct hd_gap gaps[2];
	struct hd_calendar calendar;
	hd_calendar_init(&calendar, gaps, 2);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 10, 20, 5), 20);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 10, 10, 4), 10);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 11, 11, 6), 14); /* all that is left before 20 */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 11, 11, 1), 25);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 11, 40, 1), 40);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 12, 30, 2), 30); /* 26 to 30 and 32 to 40 are left */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 12, 12, 5), 32);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 12, 50, 1), 50); /* the third gap: the first is forgotten */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 13, 13, 2), 37);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 45, 45, 6), 51); /* none of 6 is left: 41 has passed */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 45, 45, 5), 45);
}
END_TEST

/* A policy's transfers take the ports that instructions use: reads of a bank one after the other, with its fractions.
 */
START_TEST(a_policy_reads_and_writes_banks)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.register_ports = 1;
	bench.config.register_banks = 16;
	bench.config.register_latency = bench.config.register_busy = 6.3;
	simbench_mov(&bench, 8, 1);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	const struct hd_warp *warp = &sm->warps[0];
	/* Sixteen registers of sixteen banks are there together, four of one bank one after the other. */
	for (uint32_t reg = 0; reg < 16; reg++)
		ck_assert_uint_eq(hd_bank_read(sm, warp, reg, 1 * HD_TICKS), 7300);
	for (uint64_t i = 0; i < 4; i++)
		ck_assert_uint_eq(hd_bank_read(sm, warp, 16 * (uint32_t)i, 100 * HD_TICKS), 106300 + i * 6300);
	ck_assert_uint_eq(hd_bank_write(sm, warp, 16, 100 * HD_TICKS), 100000 + 4 * 6300);
	ck_assert_uint_eq(hd_bank_write(sm, warp, 17, 100 * HD_TICKS), 100000);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("stage", (const TTest *const[]){
					    every_hook_is_called_for_what_happens,
					    a_policy_changes_nothing_by_looking,
					    sources_and_targets_spare_the_banks,
					    operands_from_a_cache_are_faster,
					    a_policy_may_withhold_collectors,
					    results_of_a_cycle_come_in_the_order_of_issue,
					    a_policy_prefers_warps,
					    the_modern_model_has_no_collectors,
					    a_calendar_fills_its_gaps,
					    a_policy_reads_and_writes_banks,
					    NULL,
				    });
}
