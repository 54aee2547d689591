/* The SM's pipeline: latencies, units, banks, schedulers, barriers, accounts of every slot. */
#include <inttypes.h>

#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/fetch.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

/* ---- latencies: a dependent chain, and a consumer at latency - 1 and at latency */

static void build_chain(struct simbench *bench, uint32_t length)
{
	simbench_chain(bench, length);
}

START_TEST(dependent_chain_takes_latency_each)
{
	struct hd_stats small = simbench_measure(build_chain, 10, 32), large = simbench_measure(build_chain, 30, 32);
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(large.counters.cycles - small.counters.cycles, 20 * config.lat_fmad);
	ck_assert_uint_eq(large.stalls[HD_STALL_data_alu] - small.stalls[HD_STALL_data_alu],
			  20 * (config.lat_fmad - 1));
	ck_assert_uint_eq(large.counters.warp_instructions, 31);
	ck_assert_uint_eq(large.counters.thread_instructions, 31 * 32);
}
END_TEST

static void build_slow_chain(struct simbench *bench, uint32_t length)
{
	bench->config.lat_fmad = 1000; /* beyond one turn of the timing wheel */
	simbench_chain(bench, length);
}

START_TEST(latency_may_exceed_the_wheel)
{
	struct hd_stats small = simbench_measure(build_slow_chain, 2, 32);
	struct hd_stats large = simbench_measure(build_slow_chain, 5, 32);
	ck_assert_uint_eq(large.counters.cycles - small.counters.cycles, 3 * 1000);
}
END_TEST

/* A producer, `fillers` independent instructions, the consumer. */
static void build_gap(struct simbench *bench, uint32_t fillers)
{
	simbench_ffma(bench, 4, 5, 6, 7);
	for (uint32_t i = 0; i < fillers; i++)
		simbench_mov(bench, (uint8_t)(8 + i), i);
	simbench_ffma(bench, 7, 4, 4, 4);
}

START_TEST(result_is_there_at_latency_not_before)
{
	struct hd_config config;
	hd_config_defaults(&config);
	uint32_t latency = (uint32_t)config.lat_fmad; /* 5 */
	/* With latency - 1 fillers the consumer issues in the cycle of the write-back; EXIT waits for nothing. */
	uint64_t base = simbench_measure(build_gap, latency - 1, 32).counters.cycles;
	for (uint32_t fillers = 0; fillers < latency - 1; fillers++)
		ck_assert_uint_eq(simbench_measure(build_gap, fillers, 32).counters.cycles, base);
	ck_assert_uint_eq(simbench_measure(build_gap, latency, 32).counters.cycles, base + 1);
}
END_TEST

/* Two warps a scheduler. Results of several latencies meet at the write ports, and are waited for at once, later and at
 * the end. */
static struct hd_stats mixed_results(const char *trace, uint64_t cross, bool *used)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = 2;
	bench.config.subcores = 1;
	bench.config.register_banks = 4;
	bench.config.operands = HD_OPERANDS_MODERN;
	bench.config.register_ports = bench.config.register_write_ports = 1;
	bench.config.lat_guard = 8;
	bench.config.lat_cross = (int64_t)cross;
	bench.config.lat_fmad = 60;
	bench.config.register_busy = 2;
	bench.options.trace = trace;
	bench.meta.registers = 48;
	for (uint32_t i = 0; i < 40; i++) {
		struct hd_inst *root = simbench_emit(&bench, HD_OP_MUFU);
		root->dst = (uint8_t)(40 + i % 4);
		root->b = 6;
		root->mods = HD_MOD(MUFUFN, HD_MUFU_RCP);
		simbench_ffma(&bench, (uint8_t)(8 + i % 16), 4, 5, 6);
		simbench_mov(&bench, (uint8_t)(24 + i % 8), i);
		simbench_ffma(&bench, (uint8_t)(32 + i % 4), (uint8_t)(8 + (i + 12) % 16), 40, 24);
		if (i % 5 == 0)
			simbench_ffma(&bench, 36, 36, (uint8_t)(32 + i % 4), 36);
		if (i % 8 == 1) { /* a predicate, which somebody waits for some time later */
			struct hd_inst *compare = simbench_emit(&bench, HD_OP_ISETP);
			compare->a = 24, compare->xkind = HD_X_IMM_B, compare->x = i, compare->pdst = 1;
			compare->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
		} else if (i % 8 == 3) {
			simbench_mov(&bench, 37, i);
			hd_vec_last(&bench.code).guard = 1;
		} else if (i % 8 == 5) { /* the sum's result in another pipeline */
			struct hd_inst *add = simbench_emit(&bench, HD_OP_IADD3);
			add->dst = 38, add->a = (uint8_t)(8 + i % 16), add->b = 39, add->c = HD_RZ;
		}
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 128), 0);
	*used = bench.sim->gpu.sms[0]->results.used;
	struct hd_stats stats = *simbench_stats(&bench);
	simbench_release(&bench);
	return stats;
}

/* A watcher of results, which is asleep for a million cycles, makes them events. */
START_TEST(results_need_no_events)
{
	uint64_t cycles[2];
	for (uint32_t crosses = 0; crosses < 2; crosses++) { /* results that other pipelines have later, or not */
		bool used[2];
		struct hd_stats without = mixed_results(NULL, 3 * crosses, &used[0]),
				with = mixed_results("issue@1000000:1000001", 3 * crosses, &used[1]);
		ck_assert(used[0] && !used[1]);
		ck_assert_uint_gt(without.counters.write_conflicts, 0);
		ck_assert_uint_gt(without.stalls[HD_STALL_data_alu], 0);
		ck_assert_int_eq(memcmp(&without, &with, sizeof(with)), 0);
		cycles[crosses] = with.counters.cycles;
	}
	ck_assert_uint_ne(cycles[1], cycles[0]);
}
END_TEST

static int start_with_warps(uint64_t schedulers, uint64_t warps, char *message)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = schedulers;
	bench.config.max_warps = warps;
	simbench_mov(&bench, 4, 1);
	int error = simbench_start(&bench);
	strcpy(message, bench.message);
	simbench_release(&bench);
	return error;
}

/* A scheduler has places for so many warps. */
START_TEST(schedulers_have_room_for_so_many_warps)
{
	char message[1024];
	ck_assert_int_eq(start_with_warps(HD_MAX_SCHEDULERS, 64, message), 0);
	ck_assert_int_eq(start_with_warps(1, HD_SCHEDULER_WARPS, message), 0);
	ck_assert_int_ne(start_with_warps(1, HD_SCHEDULER_WARPS + 1, message), 0);
	ck_assert_ptr_nonnull(strstr(message, "max_warps: at most 64 warps per scheduler"));
}
END_TEST

static void build_unit(struct simbench *bench, uint32_t interval)
{
	bench->config.ii_fp32 = interval;
	for (uint32_t i = 0; i < 8; i++)
		simbench_ffma(bench, (uint8_t)(8 + i), 4, 5, 6);
}

START_TEST(unit_takes_one_instruction_an_interval)
{
	struct hd_stats one = simbench_measure(build_unit, 1, 32), four = simbench_measure(build_unit, 4, 32);
	ck_assert_uint_eq(four.counters.cycles - one.counters.cycles, 7 * 3);
	ck_assert_uint_eq(one.stalls[HD_STALL_unit], 0);
	ck_assert_uint_eq(four.stalls[HD_STALL_unit], 7 * 3);
}
END_TEST

static void build_shared_unit(struct simbench *bench, uint32_t units)
{
	bench->config.schedulers = 2;
	bench->config.units_sfu = units;
	bench->config.ii_sfu = 8;
	for (uint8_t i = 0; i < 5; i++) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_MUFU);
		inst->dst = (uint8_t)(8 + i);
		inst->b = 4;
	}
}

START_TEST(schedulers_share_a_scarce_unit)
{
	struct hd_stats own = simbench_measure(build_shared_unit, 2, 64),
			shared = simbench_measure(build_shared_unit, 1, 64);
	ck_assert_uint_eq(own.counters.sfu_instructions, 10);
	ck_assert_uint_eq(shared.counters.cycles - own.counters.cycles, 5 * 8);
}
END_TEST

/* Schedulers that share two units take turns at them; no pipeline's units are another's. */
START_TEST(each_pipeline_has_its_units)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = bench.config.units_int = bench.config.units_fp32 = bench.config.units_fp64 = 4;
	bench.config.units_sfu = 2;
	simbench_chain(&bench, 1);
	ck_assert_int_eq(simbench_start(&bench), 0);
	const struct hd_sm *sm = bench.sim->gpu.sms[0];
	uint32_t expected = 0; /* the pipelines' units follow each other */
	for (uint32_t pipe = 0; pipe < HD_PIPE_COUNT; pipe++) {
		uint32_t units = pipe == HD_PIPE_SFU ? 2 : 4;
		for (uint32_t s = 0; s < 4; s++) {
			ck_assert_uint_eq(sm->scheduling.schedulers[s].unit_first[pipe], expected + s % units);
			ck_assert_uint_eq(sm->scheduling.schedulers[s].unit_count[pipe], 1);
		}
		expected += units;
	}
	simbench_release(&bench);
}
END_TEST

START_TEST(free_slots_are_those_that_exist)
{
	struct simbench bench;
	simbench_init(&bench);
	simbench_chain(&bench, 1);
	ck_assert_int_eq(simbench_start(&bench), 0);
	for (uint32_t launch = 0; launch < 2; launch++) {
		ck_assert_int_eq(simbench_run(&bench, 4, 64), 0);
		const struct hd_sm *sm = bench.sim->gpu.sms[0];
		for (uint32_t slot = 0; slot < HD_MAX_WARPS; slot++)
			ck_assert_uint_eq(sm->places.free_slots[slot / 64] >> slot % 64 & 1,
					  slot < sm->places.warp_slots);
	}
	simbench_release(&bench);
}
END_TEST

static void build_branches(struct simbench *bench, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
		branch->xkind = HD_X_OTHER;
		branch->x = bench->code.len;
	}
}

START_TEST(branch_holds_its_warp)
{
	struct hd_config config;
	hd_config_defaults(&config);
	struct hd_stats two = simbench_measure(build_branches, 2, 32), seven = simbench_measure(build_branches, 7, 32);
	ck_assert_uint_eq(seven.counters.cycles - two.counters.cycles, 5 * config.branch_latency);
	ck_assert_uint_eq(seven.stalls[HD_STALL_control] - two.stalls[HD_STALL_control],
			  5 * (config.branch_latency - 1));
}
END_TEST

static void build_long(struct simbench *bench, uint32_t miss_latency)
{
	bench->config.l1i_miss_latency = miss_latency;
	bench->config.l1i_line = 128; /* eight instructions */
	for (uint32_t i = 0; i < 23; i++)
		simbench_mov(bench, 8, 0); /* three lines with EXIT; the write to R8 is pending for lat_iadd */
}

START_TEST(instruction_cache_miss_stalls_fetch)
{
	struct hd_stats fast = simbench_measure(build_long, 1, 32), slow = simbench_measure(build_long, 91, 32);
	ck_assert_uint_eq(slow.counters.l1i_accesses, 3);
	ck_assert_uint_eq(slow.counters.l1i_misses, 3);
	ck_assert_uint_gt(slow.stalls[HD_STALL_fetch], 2 * 85);
	ck_assert_uint_eq(fast.stalls[HD_STALL_fetch] <= 1, 1);
	struct hd_stats warps = simbench_measure(build_long, 91, 64);
	ck_assert_uint_eq(warps.counters.l1i_misses, 3); /* the second warp finds the lines in flight */
	ck_assert_uint_eq(warps.counters.l1i_accesses, 6);
}
END_TEST

/* Cycles of two launches of three lines of code. */
static void run_emptied(bool l2, bool code, uint64_t cycles[2], uint64_t misses[2])
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.l2_empty_launches = l2;
	bench.config.l2_empty_code = code;
	bench.config.dram_latency = 100;
	build_long(&bench, 40);
	ck_assert_int_eq(simbench_start(&bench), 0);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		cycles[i] = simbench_stats(&bench)->counters.cycles;
		misses[i] = simbench_stats(&bench)->counters.l1i_misses;
	}
	simbench_release(&bench);
}

/* Cycles that a code cache of one line takes to have two lines in turns, three times each. */
static void read_in_turns(bool code, uint64_t cycles[6])
{
	struct hd_config config;
	struct hd_arena arena;
	struct hd_fetch *fetch = hd_xcalloc(1, sizeof *fetch);
	hd_config_defaults(&config);
	config.l2_empty_launches = true;
	config.l2_empty_code = code;
	config.dram_latency = 100;
	config.l1i_miss_latency = 40;
	config.l1i_line = config.l1i_bytes = 128;
	config.l1i_busy = 0;
	config.l0i_bytes = 0;
	hd_arena_init(&arena);
	hd_fetch_init(fetch, &config, &arena);
	for (uint64_t i = 0; i < 6; i++) {
		bool missed;
		if (i == 4)
			hd_fetch_forget(fetch);
		cycles[i] = hd_fetch_shared(fetch, i % 2, 1000 * i, &missed) - 1000 * i;
		ck_assert_int_eq(missed, 1);
	}
	hd_fetch_release(fetch);
	hd_arena_release(&arena);
	free(fetch);
}

/* DRAM is waited for at the first access alone: what a small cache has lost since is in L2. */
START_TEST(code_is_in_l2_once_it_was_read)
{
	static const uint64_t expected[2][6] = {{40, 40, 40, 40, 40, 40}, {140, 140, 40, 40, 140, 140}};
	for (uint32_t code = 0; code < 2; code++) {
		uint64_t cycles[6];
		read_in_turns(code, cycles);
		for (uint32_t i = 0; i < 6; i++)
			ck_assert_uint_eq(cycles[i], expected[code][i]);
	}
}
END_TEST

/* The warp waits for each of the three lines, 40 cycles from L2, 140 from DRAM. */
START_TEST(emptied_caches_have_no_code)
{
	uint64_t kept[2], alone[2], emptied[2], misses[2];
	run_emptied(true, false, kept, misses);
	ck_assert_uint_eq(misses[0], 3);
	ck_assert_uint_eq(misses[1], 0);
	run_emptied(true, true, emptied, misses);
	ck_assert_uint_eq(misses[0], 3);
	ck_assert_uint_eq(misses[1], 3);
	ck_assert_uint_eq(emptied[0] - kept[0], 3 * 100);
	ck_assert_uint_eq(emptied[1], emptied[0]);
	run_emptied(false, true, alone, misses); /* nothing is emptied */
	ck_assert_uint_eq(misses[1], 0);
	ck_assert_uint_eq(alone[0], kept[0]);
	ck_assert_uint_eq(alone[1], kept[1]);
}
END_TEST

/* ---- register banks and collectors */

static void build_conflicts(struct simbench *bench, uint32_t banks)
{
	bench->config.register_banks = banks;
	bench->config.register_ports = bench->config.register_write_ports = 1;
	for (uint32_t i = 0; i < 10; i++)
		simbench_ffma(bench, 8, 8, 12, 16); /* one bank of four */
	bench->meta.registers = 20;
}

START_TEST(bank_conflicts_delay_the_result)
{
	struct hd_stats none = simbench_measure(build_conflicts, 64, 32),
			all = simbench_measure(build_conflicts, 4, 32);
	ck_assert_uint_eq(none.counters.bank_conflicts, 0);
	ck_assert_uint_eq(all.counters.bank_conflicts, 10 * 2);
	/* 8, 12 and 16 are 2, 0 and 1 modulo 3. */
	ck_assert_uint_eq(simbench_measure(build_conflicts, 3, 32).counters.bank_conflicts, 0);
	ck_assert_uint_eq(all.counters.cycles - none.counters.cycles, 10 * 2);
	ck_assert_uint_eq(all.counters.register_reads, 30);
	ck_assert_uint_eq(all.counters.register_writes, 10);
}
END_TEST

static void build_collectors(struct simbench *bench, uint32_t collectors)
{
	bench->config.register_banks = 4;
	bench->config.register_ports = bench->config.register_write_ports = 1;
	bench->config.collectors = collectors;
	bench->meta.registers = 40;
	for (uint8_t i = 0; i < 12; i++)
		simbench_ffma(bench, (uint8_t)(20 + i), 8, 12, 16); /* each takes its bank for three cycles */
}

static void build_two_units(struct simbench *bench, uint32_t banks)
{
	bench->config.scheduler = HD_SCHED_LRR;
	bench->config.register_banks = banks;
	bench->config.register_ports = 1;
	bench->meta.registers = 24;
	simbench_ffma(bench, 20, 8, 12, 16);
	simbench_ffma(bench, 21, 8, 12, 16);
	hd_vec_last(&bench->code).op = HD_OP_IADD3;
}

START_TEST(full_collectors_stall_issue)
{
	struct hd_stats one = simbench_measure(build_collectors, 1, 32),
			many = simbench_measure(build_collectors, 16, 32);
	ck_assert_uint_gt(one.stalls[HD_STALL_collector], 0);
	ck_assert_uint_eq(many.stalls[HD_STALL_collector], 0);
	/* With many the bank is the bottleneck, three cycles for each; with one each waits for its dispatch, too. */
	ck_assert_uint_eq(one.counters.cycles - many.counters.cycles, 11);
}
END_TEST

/*
 * Registers 8, 12 and 16 are in bank 0 of the first warp and in bank 1 of the second. Cycle by cycle: 0, its FFMA reads
 * until 2 (2 late); 1, its IADD3 reads from 3 to 5 (4 late); 3, the FP32 unit is free for the second warp's FFMA, which
 * reads until 5 (2 late); 6, the INT unit is free for its IADD3 (2 late). In one bank the last two would be 5 late.
 */
START_TEST(warps_lie_in_different_banks)
{
	struct hd_stats one = simbench_measure(build_two_units, 4, 32), two = simbench_measure(build_two_units, 4, 64);
	ck_assert_uint_eq(one.counters.bank_conflicts, 2 + 4);
	ck_assert_uint_eq(two.counters.bank_conflicts, 2 + 4 + 2 + 2);
}
END_TEST

/* Each of the twelve has the collector for four cycles, in the last of which it is dispatched. EXIT needs none. */
START_TEST(collector_is_free_after_dispatch)
{
	struct hd_stats one = simbench_measure(build_collectors, 1, 32);
	ck_assert_uint_eq(one.stalls[HD_STALL_collector], 11 * 3);
}
END_TEST

/* ---- the end of a warp */

static void build_last(struct simbench *bench, uint32_t op)
{
	if (op == HD_OP_LDS) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_LDS);
		bench->meta.shared_bytes = 64;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		inst->dst = 8;
		inst->a = HD_RZ;
		inst->xkind = HD_X_OTHER;
	} else if (op == HD_OP_FFMA) {
		simbench_ffma(bench, 8, 4, 5, 6);
	}
}

/* A warp that has exited stays until what it started is done: its slots are lost to that. */
enum { LOADS = 20 };

/* Loads of the same word, then an FFMA that waits for number `which`. */
static void build_merged_loads(struct simbench *bench, uint32_t which)
{
	bench->config.l1_mshr_merges = 64;
	simbench_stack(bench);
	bench->meta.max_stack_bytes = 16;
	bench->meta.registers = 10 + LOADS;
	for (uint32_t i = 0; i < LOADS; i++) {
		struct hd_inst *load = simbench_emit(bench, HD_OP_LDL);
		load->mods = HD_MOD(SIZE, HD_SIZE_32);
		load->dst = (uint8_t)(10 + i);
		load->a = 1;
		load->xkind = HD_X_OTHER;
		load->x = (uint32_t)-16;
	}
	simbench_ffma(bench, 4, (uint8_t)(10 + which), 5, 6);
}

/* All wait for one line, which comes to all of them in one cycle, however many they are. */
START_TEST(loads_that_wait_for_the_same_end_together)
{
	struct hd_stats first = simbench_measure(build_merged_loads, 0, 32);
	ck_assert_uint_eq(first.counters.l1d_pending_hits, LOADS - 1);
	for (uint32_t which = 1; which < LOADS; which++)
		ck_assert_uint_eq(simbench_measure(build_merged_loads, which, 32).counters.cycles,
				  first.counters.cycles);
}
END_TEST

START_TEST(exited_warp_waits_for_what_it_started)
{
	struct hd_config config;
	hd_config_defaults(&config);
	struct hd_stats none = simbench_measure(build_last, HD_OP_NOP, 32),
			alu = simbench_measure(build_last, HD_OP_FFMA, 32),
			memory = simbench_measure(build_last, HD_OP_LDS, 32);
	ck_assert_uint_eq(none.stalls[HD_STALL_data_alu] + none.stalls[HD_STALL_data_memory], 0);
	/* FFMA and EXIT issue one after the other; then its latency is two less. */
	ck_assert_uint_eq(alu.stalls[HD_STALL_data_alu], config.lat_fmad - 2);
	ck_assert_uint_eq(alu.stalls[HD_STALL_data_memory], 0);
	ck_assert_uint_eq(memory.stalls[HD_STALL_data_alu], 0);
	ck_assert_uint_ge(memory.stalls[HD_STALL_data_memory], 10);
	ck_assert_uint_eq(memory.stalls[HD_STALL_data_memory] - alu.stalls[HD_STALL_data_alu],
			  memory.counters.cycles - alu.counters.cycles);
}
END_TEST

/* ---- scheduling */

#define LOG_MAX 256
struct issue_log {
	uint8_t warp[LOG_MAX];
	uint32_t count;
};

static bool log_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      uint64_t now)
{
	struct issue_log *log = *(struct issue_log **)hd_policy_sm(self, warp->cta->sm);
	(void)now;
	if (inst->pipe == HD_PIPE_INT && log->count < LOG_MAX)
		log->warp[log->count++] = (uint8_t)warp->index;
	return true;
}

static const struct hd_policy_hooks logger_hooks = {.sm_bytes = sizeof(struct issue_log *),
						    .issue.can_issue = log_issue};
static const struct hd_policy logger = {.name = "logger", .hooks = &logger_hooks};

/* Runs with the logger as policy: engine hooks see every warp that is about to issue. */
static void run_logged(struct simbench *bench, struct issue_log *log, uint32_t threads)
{
	ck_assert_int_eq(simbench_start(bench), 0);
	struct hd_gpu *gpu = &bench->sim->gpu;
	hd_policy_add(gpu, &logger, "");
	hd_policy_place(gpu);
	*(struct issue_log **)hd_policy_sm(&gpu->policies[0], gpu->sms[0]) = log;
	log->count = 0;
	ck_assert_int_eq(simbench_run(bench, 1, threads), 0);
}

static uint32_t checks_before, checks_after;

static void check_before(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst)
{
	(void)self, (void)warp, (void)inst;
	checks_before++;
}

static void check_after(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			const struct hd_effect *effect)
{
	(void)self, (void)warp, (void)inst, (void)effect;
	checks_after++;
}

static const struct hd_policy_hooks checker_hooks = {.observation.verify_before = check_before,
						     .observation.verify_after = check_after};
static const struct hd_policy checker = {.name = "checker", .hooks = &checker_hooks};

/* Two MOVs, a load from shared memory at `address`, of which there are 64 bytes, and EXIT. */
static int run_checked(bool verify, uint32_t address)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.verify = verify;
	bench.meta.shared_bytes = 64;
	simbench_mov(&bench, 8, 1);
	simbench_mov(&bench, 9, address);
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	load->dst = 10;
	load->a = 9;
	load->xkind = HD_X_OTHER;
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &checker, "");
	hd_policy_place(&bench.sim->gpu);
	checks_before = checks_after = 0;
	int error = simbench_run(&bench, 1, 32);
	simbench_release(&bench);
	return error;
}

/* Policies check each instruction under --verify, and not the effect of one that faulted. */
START_TEST(policies_check_under_verify_only)
{
	ck_assert_int_eq(run_checked(false, 0), 0);
	ck_assert_uint_eq(checks_before + checks_after, 0);
	ck_assert_int_eq(run_checked(true, 0), 0);
	ck_assert_uint_eq(checks_before, 4);
	ck_assert_uint_eq(checks_after, 4);
	ck_assert_int_ne(run_checked(true, 1 << 20), 0);
	ck_assert_uint_eq(checks_before, 3);
	ck_assert_uint_eq(checks_after, 2);
}
END_TEST

/* States of sizes that differ: where one is taken for another, it reaches into its neighbour or out of the space. */
enum { GPU_STATE = 16, SM_STATE = 64, CTA_STATE = 256, WARP_STATE = 1024 };

static uint32_t states_looked_at;

/* A state of the policy lies in its space; it is filled with what only this policy and kind have, or has that still. */
static void fill_or_find(const struct hd_policy_handle *self, void *state, const uint8_t *space, uint32_t space_bytes,
			 uint32_t bytes, bool fill)
{
	uint8_t *own = state, mark = (uint8_t)(bytes / GPU_STATE + (self->parameter[0] == 'b'));
	ck_assert(own >= space && own + bytes <= space + space_bytes);
	for (uint32_t i = 0; i < bytes; i++)
		if (fill)
			own[i] = mark;
		else
			ck_assert_uint_eq(own[i], mark);
	states_looked_at += !fill;
}

static void visit_states(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta, bool fill)
{
	struct hd_gpu *gpu = sm->gpu;
	struct hd_warp *warp = &sm->warps[0];
	fill_or_find(self, hd_policy_gpu(self, gpu), gpu->policy_space, gpu->policy_bytes.gpu, GPU_STATE, fill);
	fill_or_find(self, hd_policy_sm(self, sm), sm->policies.space, gpu->policy_bytes.sm, SM_STATE, fill);
	fill_or_find(self, hd_policy_cta(self, cta), cta->policy_space, gpu->policy_bytes.cta, CTA_STATE, fill);
	fill_or_find(self, hd_policy_warp(self, warp), warp->policy_space, gpu->policy_bytes.warp, WARP_STATE, fill);
}

static void fill_states(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	visit_states(self, sm, cta, true);
}

static void find_states(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	visit_states(self, sm, cta, false);
}

static const struct hd_policy_hooks stateful_hooks = {.gpu_bytes = GPU_STATE,
						      .sm_bytes = SM_STATE,
						      .cta_bytes = CTA_STATE,
						      .warp_bytes = WARP_STATE,
						      .allocation.cta_launch = fill_states,
						      .allocation.cta_retire = find_states};
static const struct hd_policy stateful = {.name = "stateful", .hooks = &stateful_hooks};

START_TEST(policies_have_states_of_their_own)
{
	struct simbench bench;
	simbench_init(&bench);
	simbench_mov(&bench, 8, 1);
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &stateful, "a");
	hd_policy_add(&bench.sim->gpu, &stateful, "b");
	hd_policy_place(&bench.sim->gpu);
	states_looked_at = 0;
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	ck_assert_uint_eq(states_looked_at, 2 * 4);
	simbench_release(&bench);
}
END_TEST

static void independent_moves(struct simbench *bench, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		simbench_mov(bench, (uint8_t)(8 + i), i);
}

START_TEST(gto_stays_with_a_warp)
{
	struct simbench bench;
	struct issue_log log;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_GTO;
	independent_moves(&bench, 6);
	run_logged(&bench, &log, 96);
	ck_assert_uint_eq(log.count, 18);
	for (uint32_t i = 0; i < 18; i++)
		ck_assert_uint_eq(log.warp[i], i / 6);
	simbench_release(&bench);
}
END_TEST

/*
 * Two warps with 600 moves each that wait for nothing. The older one has all slots until it ends, or, with a quantum of
 * 100 cycles, until a look finds that the other was ready at the look before and has not issued since: 100 to 200
 * cycles after it came. Then both take turns for 10 cycles, five issues of the other, in each such time.
 */
START_TEST(greedy_warps_leave_others_a_tenth)
{
	for (uint64_t quantum = 0; quantum <= 100; quantum += 100) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.greedy_quantum = quantum;
		bench.meta.registers = 44;
		simbench_s2r(&bench, 40, HD_SR_CLOCK_LO);
		for (uint32_t i = 0; i < 600; i++)
			simbench_mov(&bench, (uint8_t)(8 + i % 16), i);
		simbench_s2r(&bench, 41, HD_SR_CLOCK_LO);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 1, 64), 0);
		uint32_t begin[2], end[2];
		for (uint32_t slot = 0; slot < 2; slot++) {
			begin[slot] = simbench_register(&bench, slot, 40, 0);
			end[slot] = simbench_register(&bench, slot, 41, 0);
		}
		uint32_t later = begin[1] - begin[0], took = end[0] - begin[0];
		if (quantum) {
			ck_assert_uint_ge(later, 100);
			ck_assert_uint_le(later, 202);
			/* of 601 issues and what the other had meanwhile: 5 in each of at least 3 and at most 6 turns
			 */
			ck_assert_uint_ge(took, 601 + 3 * 5);
			ck_assert_uint_le(took, 601 + 6 * 6);
		} else {
			ck_assert_uint_ge(later, 601);
			ck_assert_uint_le(took, 601 + 1);
		}
		simbench_release(&bench);
	}
}
END_TEST

START_TEST(lrr_takes_turns)
{
	struct simbench bench;
	struct issue_log log;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_LRR;
	independent_moves(&bench, 6);
	run_logged(&bench, &log, 96);
	ck_assert_uint_eq(log.count, 18);
	for (uint32_t i = 0; i < 18; i++)
		ck_assert_uint_eq(log.warp[i], i % 3);
	simbench_release(&bench);
}
END_TEST

enum { TURNS = 1024 };
static uint64_t turns[TURNS];
static uint32_t turn_count;

static void note_turn(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)inst, (void)effect, (void)now;
	if (turn_count < TURNS)
		turns[turn_count++] = warp->age;
}

/*
 * Blocks of a warp each, a few at a time and 150 in all, so that a scheduler's 64 positions are used up twice and the
 * warps there move up. Between two turns of a warp every other one has one at most.
 */
START_TEST(turns_go_on_when_warps_move_up)
{
	static const struct hd_policy_hooks turn_hooks = {.issue.issued = note_turn};
	static const struct hd_policy watcher = {.name = "watcher", .hooks = &turn_hooks};
	struct simbench bench;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_LRR;
	bench.config.max_ctas = (uint32_t)_i;
	bench.config.cta_launch_interval = 3; /* others have turns until the next one comes */
	independent_moves(&bench, 5);
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &watcher, "");
	hd_policy_place(&bench.sim->gpu);
	turn_count = 0;
	ck_assert_int_eq(simbench_run(&bench, 150, 32), 0);
	ck_assert_uint_eq(turn_count, 150 * 6);
	for (uint32_t i = 0; i < turn_count; i++) {
		uint32_t next = i + 1;
		while (next < turn_count && turns[next] != turns[i])
			next++;
		for (uint32_t k = i + 1; next < turn_count && k < next; k++)
			for (uint32_t other = k + 1; other < next; other++)
				ck_assert_uint_ne(turns[other], turns[k]);
	}
	simbench_release(&bench);
}
END_TEST

/* The third warp is the youngest; who has issued goes on, and when it waits the youngest of the others is next. */
START_TEST(cggty_stays_with_a_warp_or_takes_the_youngest)
{
	struct simbench bench;
	struct issue_log log;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_CGGTY;
	independent_moves(&bench, 6);
	run_logged(&bench, &log, 96);
	ck_assert_uint_eq(log.count, 18);
	for (uint32_t i = 0; i < 18; i++)
		ck_assert_uint_eq(log.warp[i], 2 - i / 6);
	simbench_release(&bench);
}
END_TEST

START_TEST(two_level_keeps_to_the_active_set)
{
	struct simbench bench;
	struct issue_log log;
	simbench_init(&bench);
	bench.config.scheduler = HD_SCHED_TWO_LEVEL;
	bench.config.two_level_active = 2;
	independent_moves(&bench, 6);
	run_logged(&bench, &log, 128);
	ck_assert_uint_eq(log.count, 24);
	for (uint32_t i = 0; i < 12; i++) /* the first two alternate until they end */
		ck_assert_uint_le(log.warp[i], 1);
	simbench_release(&bench);
}
END_TEST

START_TEST(two_warps_hide_each_others_latency)
{
	struct hd_stats one = simbench_measure(build_chain, 40, 32), two = simbench_measure(build_chain, 40, 64);
	ck_assert_uint_eq(two.counters.warp_instructions, 2 * one.counters.warp_instructions);
	ck_assert_uint_le(two.counters.cycles, one.counters.cycles + 2);
}
END_TEST

static void build_early(struct simbench *bench, uint32_t launch_latency)
{
	bench->config.launch_latency = (int32_t)launch_latency;
	bench->config.launch_overhead = bench->config.cta_launch_latency = bench->config.l1i_miss_latency = 0;
	for (uint8_t i = 0; i < 4; i++)
		simbench_mov(bench, 8 + i, i);
}

/* Cycle 0 has nothing before it; what is issued there is followed by the next warps as in any other cycle. */
START_TEST(warps_may_begin_in_cycle_0)
{
	struct hd_stats first = simbench_measure(build_early, 0, 256), later = simbench_measure(build_early, 10, 256);
	ck_assert_uint_eq(first.counters.warp_instructions, 8 * 5);
	ck_assert_uint_eq(first.counters.cycles + 10, later.counters.cycles);
}
END_TEST

/* ---- barriers */

/* The second warp runs a chain before it arrives; the first waits. */
static void build_barrier(struct simbench *bench, uint32_t length)
{
	simbench_s2r(bench, 8, HD_SR_WARPID);
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 8;
	test->xkind = HD_X_IMM_B;
	test->x = 0;
	test->mods = HD_MOD(CMP, HD_CMP_EQ);
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = 3 + length;
	simbench_chain(bench, length);
	struct hd_inst *bar = simbench_emit(bench, HD_OP_BAR);
	bar->xkind = HD_X_IMM_B;
	bar->x = 0;
	simbench_mov(bench, 9, 7);
}

START_TEST(barrier_waits_for_the_last_warp)
{
	struct hd_stats small = simbench_measure(build_barrier, 10, 64),
			large = simbench_measure(build_barrier, 30, 64);
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(large.counters.barriers, 2);
	ck_assert_uint_eq(large.counters.cycles - small.counters.cycles, 20 * config.lat_fmad);
	ck_assert_uint_gt(large.stalls[HD_STALL_barrier], 0);
}
END_TEST

static uint64_t cycles_of_barriers(uint32_t barriers, uint32_t ctas, uint32_t warps, int64_t busy, int64_t latency)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.barrier_busy = busy;
	bench.config.barrier_latency = latency;
	for (uint32_t i = 0; i < barriers; i++)
		simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, ctas, 32 * warps), 0);
	uint64_t cycles = simbench_stats(&bench)->counters.cycles;
	simbench_release(&bench);
	return cycles;
}

/* Arrivals of all warps of the SM, those of other CTAs too, are taken one after the other; the latency is behind the
 * last one. Six barriers, of which the first has warps that start one after the other. */
START_TEST(barriers_take_one_arrival_at_a_time)
{
	const struct {
		uint32_t ctas, warps;
		int64_t busy, latency;
		uint64_t each;
	} cases[] = {{1, 1, 2, 20, 22}, {1, 8, 2, 20, 36}, {1, 8, 3, 11, 35}, {2, 4, 9, 2, 72}, {1, 4, 0, 20, 23}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t few = cycles_of_barriers(2, cases[i].ctas, cases[i].warps, cases[i].busy, cases[i].latency),
			 more = cycles_of_barriers(6, cases[i].ctas, cases[i].warps, cases[i].busy, cases[i].latency);
		ck_assert_msg(more - few == 4 * cases[i].each, "case %zu: %" PRIu64 " cycles each", i,
			      (more - few) / 4);
	}
}
END_TEST

START_TEST(barrier_reduction_counts_predicates)
{
	struct simbench bench;
	simbench_init(&bench);
	simbench_s2r(&bench, 8, HD_SR_TID_X);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 8;
	test->xkind = HD_X_IMM_B;
	test->x = 40;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
	struct hd_inst *bar = simbench_emit(&bench, HD_OP_BAR);
	bar->xkind = HD_X_IMM_B;
	bar->dst = 9;
	bar->psrc = 0;
	bar->mods = HD_MOD(BARMODE, HD_BAR_RED_POPC);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 64), 0);
	for (uint32_t slot = 0; slot < 2; slot++)
		ck_assert_uint_eq(simbench_register(&bench, slot, 9, 3), 40);
	simbench_release(&bench);
}
END_TEST

/* P1 is set, and a barrier of no lane, or a NOP, is between looks at the clock; R10 has the reduction's predicate, P1.
 */
static void guard_off(struct simbench *bench, enum hd_op op, uint32_t mode, bool functional)
{
	simbench_init(bench);
	bench->options.functional = functional;
	struct hd_inst *inst = simbench_emit(bench, HD_OP_ISETP);
	inst->pdst = 1, inst->a = HD_RZ, inst->xkind = HD_X_IMM_B, inst->mods = HD_MOD(CMP, HD_CMP_EQ);
	simbench_mov(bench, 11, 77);
	simbench_chain(bench, 20);
	simbench_s2r(bench, 8, HD_SR_CLOCK_LO);
	inst = simbench_emit(bench, op);
	if (op == HD_OP_BAR) {
		inst->xkind = HD_X_IMM_B, inst->guard = 0; /* P0, which nobody has set */
		inst->mods = HD_MOD(BARMODE, mode);
		if (mode == HD_BAR_RED_POPC)
			inst->dst = 11;
		if (mode > HD_BAR_RED_POPC)
			inst->pdst = 1, inst->psrc = 0;
	}
	simbench_s2r(bench, 9, HD_SR_CLOCK_LO);
	simbench_mov(bench, 10, 1);
	hd_vec_last(&bench->code).guard = 1;
}

/* One that no lane executes is nobody's arrival: warps issue on in the next cycle, and the barrier waits for none. What
 * a reduction would write stays, with time and without. */
START_TEST(a_barrier_of_no_lane_is_none)
{
	static const struct {
		enum hd_op op;
		uint32_t mode;
	} rows[] = {{HD_OP_NOP, 0},
		    {HD_OP_BAR, HD_BAR_SYNC},
		    {HD_OP_BAR, HD_BAR_ARV},
		    {HD_OP_BAR, HD_BAR_RED_POPC},
		    {HD_OP_BAR, HD_BAR_RED_AND},
		    {HD_OP_BAR, HD_BAR_RED_OR}};
	for (uint32_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct simbench bench;
		bool functional = i % 2;
		guard_off(&bench, rows[i / 2].op, rows[i / 2].mode, functional);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		if (!functional)
			ck_assert_uint_eq(simbench_register(&bench, 0, 9, 0) - simbench_register(&bench, 0, 8, 0), 2);
		ck_assert_uint_eq(simbench_register(&bench, 0, 10, 0), 1);
		ck_assert_uint_eq(simbench_register(&bench, 0, 11, 0), 77);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.barriers, 0);
		simbench_release(&bench);
	}
}
END_TEST

/*
 * Of two warps the first arrives at barrier 0, of 64 threads, and goes on to barrier 1, where it meets the second,
 * which waits at barrier 0 after that. If the first waited there, too, neither would get any further.
 */
START_TEST(who_arrives_does_not_wait)
{
	struct simbench bench;
	simbench_init(&bench);
	simbench_s2r(&bench, 8, HD_SR_TID_X);
	simbench_mov(&bench, 9, 64);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 8;
	test->xkind = HD_X_IMM_B;
	test->x = 32;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
	static const struct {
		uint8_t guard, barrier, mode;
	} rows[] = {{0, 0, HD_BAR_ARV}, {HD_PT, 1, HD_BAR_SYNC}, {HD_PRED_NOT, 0, HD_BAR_SYNC}};
	for (uint8_t i = 0; i < 3; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_BAR);
		inst->xkind = HD_X_IMM_B;
		inst->x = rows[i].barrier;
		inst->c = 9;
		inst->guard = rows[i].guard;
		inst->mods = HD_MOD(BARMODE, rows[i].mode);
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 64), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.barriers, 2 * 2);
	simbench_release(&bench);
}
END_TEST

/* A thread's clocks around one instruction. */
static uint32_t cycles_around(enum hd_op op, uint32_t value)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.core_mhz = 1500;
	simbench_s2r(&bench, 8, HD_SR_CLOCK_LO);
	struct hd_inst *inst = simbench_emit(&bench, op);
	inst->xkind = HD_X_IMM_B;
	inst->x = value;
	simbench_s2r(&bench, 9, HD_SR_CLOCK_LO);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	uint32_t cycles = simbench_register(&bench, 0, 9, 0) - simbench_register(&bench, 0, 8, 0);
	simbench_release(&bench);
	return cycles;
}

/* The clock is read at 0, the instruction issues at 1. 100 ns are 150 cycles of 1500 MHz; a millisecond is the most. */
START_TEST(sleep_takes_its_time)
{
	ck_assert_uint_eq(cycles_around(HD_OP_NANOSLEEP, 0), 1 + 1);
	ck_assert_uint_eq(cycles_around(HD_OP_NANOSLEEP, 100), 1 + 1 + 150);
	ck_assert_uint_eq(cycles_around(HD_OP_NANOSLEEP, 1000000), 1 + 1 + 1500000);
	ck_assert_uint_eq(cycles_around(HD_OP_NANOSLEEP, 1000001), 1 + 1 + 1500000);
}
END_TEST

START_TEST(barrier_that_nobody_completes_is_a_deadlock)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.dump_state = true;
	struct hd_inst *bar = simbench_emit(&bench, HD_OP_BAR);
	bar->xkind = HD_X_IMM_C; /* barrier 0 (RZ) for 96 threads, of which the CTA has 64 */
	bar->x = 96;
	ck_assert_int_eq(simbench_start(&bench), 0);
	char dump[8192];
	ck_assert_int_eq(simbench_capture(&bench, 1, 64, dump, sizeof dump), HD_SIM_TIMEOUT);
	ck_assert_msg(strstr(dump, "\nSM 0: 1 CTAs, 2 warps, ") != NULL, "%s", dump);
	ck_assert_msg(strstr(dump, "\n  warp   0 barrier barrier      active ffffffff live ffffffff") != NULL, "%s",
		      dump);
	ck_assert_msg(strstr(dump, "\n  warp   1 barrier barrier      active ffffffff live ffffffff") != NULL, "%s",
		      dump);
	ck_assert_msg(strstr(dump, "\n  warp   2") == NULL, "%s", dump); /* there is none */
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "deadlock"));
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim), "2 of them at a barrier"));
	ck_assert_uint_lt(hd_sim_cycles(bench.sim), 10000); /* at once */
	simbench_release(&bench);
}
END_TEST

/* A barrier for 64 or 96 of 64 threads, from an immediate, a parameter in the constant bank or a register. */
static int run_counted_barrier(enum hd_xkind kind, uint32_t threads)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.param_bytes = 8;
	simbench_mov(&bench, 9, threads);
	struct hd_inst *bar = simbench_emit(&bench, HD_OP_BAR);
	bar->xkind = (uint8_t)kind;
	bar->x = kind == HD_X_IMM_C ? threads : kind == HD_X_CONST_C ? HD_CONST_X(0, HD_CB_PARAMS + 4) : 0;
	bar->c = kind == HD_X_NONE ? 9 : HD_RZ;
	ck_assert_int_eq(simbench_start(&bench), 0);
	const uint32_t params[] = {1, threads};
	struct hd_launch launch = {
		.kernel = bench.kernel, .grid = {1, 1, 1}, .block = {64, 1, 1}, .params = params, .param_bytes = 8};
	int error = hd_sim_launch(bench.sim, &launch);
	simbench_release(&bench);
	return error;
}

START_TEST(barrier_counts_come_from_any_operand)
{
	const enum hd_xkind kinds[] = {HD_X_IMM_C, HD_X_CONST_C, HD_X_NONE};
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_int_eq(run_counted_barrier(kinds[i], 64), 0);
		ck_assert_int_eq(run_counted_barrier(kinds[i], 96), HD_SIM_TIMEOUT);
	}
}
END_TEST

/* Three blocks beside each other, of 1,000 bytes each, given away by 256: the split of the storage is at 3 * 1,024. */
START_TEST(shared_memory_is_reserved_for_all_blocks)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.shared_bytes = 1000;
	simbench_chain(&bench, 40);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 3, 32), 0);
	ck_assert_uint_eq(bench.sim->gpu.sms[0]->places.shared_reserved, 3 * 1024);
	ck_assert_int_eq(simbench_run(&bench, 2, 32), 0);
	ck_assert_uint_eq(bench.sim->gpu.sms[0]->places.shared_reserved, 2 * 1024);
	simbench_release(&bench);
}
END_TEST

/* ---- what policies can do */

START_TEST(policies_say_how_they_run)
{
	char *first;
	ck_assert(hd_policy_runs_several("rfc"));
	ck_assert(!hd_policy_runs_several("cars"));
	ck_assert(!hd_policy_runs_several("rfc+cars") && !hd_policy_runs_several("cars+rfc"));
	ck_assert(!hd_policy_runs_several("no such policy"));
	/* A run of the second kind goes before one of the first. */
	ck_assert(hd_policy_rehearses("malekeh:exact", &first));
	ck_assert_str_eq(first, "malekeh:record");
	free(first);
	ck_assert(!hd_policy_rehearses("malekeh", &first));
	ck_assert_ptr_null(first);
	ck_assert(!hd_policy_rehearses("no such policy", &first));
}
END_TEST

/* Reads of one bank by ten FFMAs, one after the other, of three registers each: with two ports the third is a cycle
 * late, with three none is. */
static void build_ported(struct simbench *bench, uint32_t ports)
{
	build_conflicts(bench, 4);
	bench->config.register_ports = ports;
}

START_TEST(ports_read_at_the_same_time)
{
	for (uint32_t ports = 1; ports <= 4; ports++)
		ck_assert_uint_eq(simbench_measure(build_ported, ports, 32).counters.bank_conflicts,
				  ports < 3 ? 10 * (3 - ports) : 0);
}
END_TEST

/* ---- accounts */

START_TEST(every_slot_has_one_reason)
{
	struct hd_stats stats = simbench_measure(build_barrier, 25, 256);
	uint64_t slots = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += stats.stalls[i];
	ck_assert_uint_eq(slots, stats.counters.cycles);
	ck_assert_uint_eq(stats.stalls[HD_STALL_issued], stats.counters.warp_instructions);
	ck_assert_uint_ge(stats.stalls[HD_STALL_idle], 10); /* the launch latency */
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = hd_suite_of("sm", (const TTest *const[]){
						 dependent_chain_takes_latency_each,
						 latency_may_exceed_the_wheel,
						 result_is_there_at_latency_not_before,
						 results_need_no_events,
						 schedulers_have_room_for_so_many_warps,
						 unit_takes_one_instruction_an_interval,
						 schedulers_share_a_scarce_unit,
						 each_pipeline_has_its_units,
						 free_slots_are_those_that_exist,
						 branch_holds_its_warp,
						 instruction_cache_miss_stalls_fetch,
						 emptied_caches_have_no_code,
						 code_is_in_l2_once_it_was_read,
						 bank_conflicts_delay_the_result,
						 full_collectors_stall_issue,
						 warps_lie_in_different_banks,
						 collector_is_free_after_dispatch,
						 exited_warp_waits_for_what_it_started,
						 loads_that_wait_for_the_same_end_together,
						 policies_check_under_verify_only,
						 policies_have_states_of_their_own,
						 gto_stays_with_a_warp,
						 greedy_warps_leave_others_a_tenth,
						 lrr_takes_turns,
						 cggty_stays_with_a_warp_or_takes_the_youngest,
						 two_level_keeps_to_the_active_set,
						 two_warps_hide_each_others_latency,
						 warps_may_begin_in_cycle_0,
						 barrier_waits_for_the_last_warp,
						 barriers_take_one_arrival_at_a_time,
						 barrier_reduction_counts_predicates,
						 a_barrier_of_no_lane_is_none,
						 who_arrives_does_not_wait,
						 sleep_takes_its_time,
						 barrier_that_nobody_completes_is_a_deadlock,
						 barrier_counts_come_from_any_operand,
						 shared_memory_is_reserved_for_all_blocks,
						 policies_say_how_they_run,
						 ports_read_at_the_same_time,
						 every_slot_has_one_reason,
						 NULL,
					 });
	TCase *turning = tcase_create("turns_go_on_when_warps_move_up");
	tcase_add_loop_test(turning, turns_go_on_when_warps_move_up, 3, 9);
	suite_add_tcase(suite, turning);
	return suite;
}
