/* The operand stage: units that late operands do not block, collectors, banks, where operands come from. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

/* ---- a policy whose operands come `extra` cycles late, to instructions that read `reg` (HD_RZ: to all) */

struct lag {
	uint64_t extra;
	uint8_t reg;
};

static enum hd_source lag_source(const struct hd_policy_handle *self, struct hd_collector *collector,
				 const struct hd_operand *operand, uint64_t now, uint64_t *ready)
{
	struct hd_warp *warp = collector->warp;
	const struct lag *lag = hd_policy_gpu(self, warp->cta->sm->gpu);
	if (lag->reg != HD_RZ && collector->inst->inst.a != lag->reg)
		return HD_FROM_BANK;
	*ready = hd_bank_read(warp->cta->sm, warp, operand->reg, now * HD_TICKS) + lag->extra * HD_TICKS;
	return HD_FROM_CACHE;
}

static const struct hd_policy_hooks lag_hooks = {.gpu_bytes = sizeof(struct lag),
						 .operands.operand_source = lag_source};
static const struct hd_policy lag_policy = {.name = "lag", .hooks = &lag_hooks};

static void start_with(struct simbench *bench, const struct hd_policy *policy)
{
	ck_assert_int_eq(simbench_start(bench), 0);
	hd_policy_add(&bench->sim->gpu, policy, "");
	hd_policy_place(&bench->sim->gpu);
}

static struct hd_stats run_lagging(struct simbench *bench, struct lag lag, uint32_t threads)
{
	start_with(bench, &lag_policy);
	*(struct lag *)hd_policy_gpu(&bench->sim->gpu.policies[0], &bench->sim->gpu) = lag;
	ck_assert_int_eq(simbench_run(bench, 1, threads), 0);
	struct hd_stats stats = *simbench_stats(bench);
	simbench_release(bench);
	return stats;
}

/* ---- units */

/* The published third of an RTX 2060, one scheduler of it: a unit every two cycles, a quarter of the collectors. */
static struct hd_stats late_ffma(uint32_t count, uint32_t extra, uint32_t collectors)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.ii_fp32 = 2;
	bench.config.collectors = collectors;
	bench.meta.registers = 40;
	for (uint32_t i = 0; i < count; i++)
		simbench_ffma(&bench, (uint8_t)(8 + i % 24), 4, 5, 6);
	return run_lagging(&bench, (struct lag){extra, HD_RZ}, 8 * 32);
}

/* Cycles that each of many more independent instructions costs. */
static double cycles_each(uint32_t extra, uint32_t collectors)
{
	struct hd_stats few = late_ffma(50, extra, collectors), many = late_ffma(150, extra, collectors);
	return (double)(many.counters.cycles - few.counters.cycles) / (8 * 100);
}

/*
 * A unit takes an instruction every second cycle however late its operands are, as long as collectors hold those that
 * wait: an instruction has one from issue to dispatch, both included, at least two cycles.
 */
START_TEST(late_operands_do_not_block_the_unit)
{
	const uint32_t extra[] = {0, 2, 4, 8, 16};
	for (uint32_t i = 0; i < 5; i++) {
		ck_assert_double_eq_tol(cycles_each(extra[i], 16), 2, 0.05);
		double held = extra[i] + 2, two = held / 2;
		ck_assert_double_eq_tol(cycles_each(extra[i], 2), two > 2 ? two : 2, 0.05);
	}
}
END_TEST

/* Twelve instructions whose operands are there at once behind one that waits for 40 cycles. */
START_TEST(others_pass_a_late_instruction)
{
	uint64_t cycles[2];
	for (uint32_t late = 0; late < 2; late++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.meta.registers = 40;
		simbench_ffma(&bench, 8, 7, 5, 6);
		for (uint32_t i = 0; i < 12; i++)
			simbench_ffma(&bench, (uint8_t)(12 + i), 4, 5, 6);
		simbench_ffma(&bench, 30, 23, 5, 6); /* needs the last of them */
		simbench_ffma(&bench, 31, 30, 8, 6); /* and the late one */
		cycles[late] = run_lagging(&bench, (struct lag){40, late ? 7 : HD_RZ - 1}, 32).counters.cycles;
	}
	/* Without, the last issues 12 + 5 + 5 cycles after the first, which has its result 40 + 5 after it when late.
	 */
	ck_assert_uint_eq(cycles[1] - cycles[0], 40 + 5 - (12 + 5 + 5));
}
END_TEST

/* ---- memory */

static struct hd_inst *shared_access(struct simbench *bench, enum hd_op op, uint8_t address, uint8_t reg, uint32_t at)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst->a = address;
	inst->xkind = HD_X_OTHER;
	inst->x = at;
	*(op == HD_OP_LDS ? &inst->dst : &inst->c) = reg;
	return inst;
}

/* Two loads from shared memory, by R9 and by R10, of which `late` comes late, and what needs one of them. */
static struct hd_stats two_loads(uint32_t extra, uint8_t late, bool needs_second)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.shared_bytes = 64;
	bench.meta.registers = 40;
	simbench_mov(&bench, 9, 0);
	simbench_mov(&bench, 10, 0);
	shared_access(&bench, HD_OP_LDS, 9, 12, 0);
	shared_access(&bench, HD_OP_LDS, 10, 13, 0);
	simbench_ffma(&bench, 14, needs_second ? 13 : 12, 5, 6);
	return run_lagging(&bench, (struct lag){extra, late}, 32);
}

/* Accesses of a warp stay in order: behind a late one waits the next, and is there at most a few cycles after it. */
START_TEST(accesses_of_a_warp_stay_in_order)
{
	uint64_t none = two_loads(0, 9, true).counters.cycles, late = two_loads(50, 9, true).counters.cycles;
	ck_assert_uint_ge(late - none, 50 - 1);
	ck_assert_uint_le(late - none, 50 + 1);
	/* The second is late itself: nothing is behind it but what needs it. */
	ck_assert_uint_eq(two_loads(50, 10, true).counters.cycles - none, 50);
	/* Where nothing needs it but the warp's end, that comes five cycles earlier than an FFMA behind it. */
	ck_assert_uint_eq(two_loads(50, 10, false).counters.cycles - none, 50 - 5);
}
END_TEST

/* ---- the register file */

static void build_independent(struct simbench *bench, uint32_t count)
{
	bench->config.register_banks = 4;
	bench->config.register_ports = bench->config.register_write_ports = 1;
	bench->config.collectors = 64;
	bench->meta.registers = 60;
	for (uint32_t i = 0; i < count; i++)
		simbench_ffma(bench, (uint8_t)(8 + 4 * (i % 12)), 5, 6,
			      7); /* results of one bank, the others' operands */
}

static void build_sharing(struct simbench *bench, uint32_t count)
{
	build_independent(bench, count);
	bench->config.register_write_ports = 0;
	for (uint32_t i = 0; i < bench->code.len; i++)
		bench->code.data[i].a = 4; /* of the bank of the results */
}

/* A result needs a port of its bank: with one that reads take every cycle, a bank serves two for each instruction. */
START_TEST(results_take_ports)
{
	struct hd_stats own = simbench_measure(build_independent, 30, 32);
	ck_assert_uint_eq(own.counters.bank_conflicts + own.counters.write_conflicts, 0);
	ck_assert_uint_eq(own.counters.bank_reads, 90);
	ck_assert_uint_eq(own.counters.bank_writes, 30);
	struct hd_stats few = simbench_measure(build_sharing, 12, 32), many = simbench_measure(build_sharing, 36, 32);
	ck_assert_uint_gt(many.counters.write_conflicts, 0);
	/* Beside the register that is waited for: 24 instructions more, two accesses of the bank each. */
	ck_assert_uint_ge(many.counters.cycles - few.counters.cycles, 2 * 24 - 2);
	ck_assert_uint_le(many.counters.cycles - few.counters.cycles, 2 * 24 + 8);
}
END_TEST

/* A dependent chain: each is as late as the file is slower than the latency says, fractions rounded up. */
static uint64_t chain_cycles(double latency, double busy, uint32_t width, uint32_t contained)
{
	uint64_t cycles[2];
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.config.register_latency = latency;
		bench.config.register_busy = busy;
		bench.config.register_width = width;
		bench.config.operand_cycles = contained;
		bench.config.register_ports = bench.config.register_write_ports = 1;
		simbench_chain(&bench, i ? 30 : 10);
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		cycles[i] = simbench_stats(&bench)->counters.cycles;
		simbench_release(&bench);
	}
	ck_assert_uint_eq((cycles[1] - cycles[0]) % 20, 0);
	return (cycles[1] - cycles[0]) / 20;
}

START_TEST(latencies_are_end_to_end)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(chain_cycles(1, 1, 1024, 1), config.lat_fmad);
	ck_assert_uint_eq(chain_cycles(2, 1, 1024, 2), config.lat_fmad);
	ck_assert_uint_eq(chain_cycles(0, 1, 1024, 1), config.lat_fmad - 1);
	ck_assert_uint_eq(chain_cycles(6.3, 1, 1024, 1), config.lat_fmad + 6);
	ck_assert_uint_eq(chain_cycles(2, 1, 1024, 0), config.lat_fmad + 2);
	ck_assert_uint_eq(chain_cycles(1, 1, 256, 1), config.lat_fmad + 3); /* four accesses for each register */
}
END_TEST

/* Four warps of four schedulers, each with an FFMA of three registers: in banks of their own, or in those of all. */
static struct hd_stats run_divided(uint32_t subcores, uint32_t banks)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = bench.config.units_fp32 = 4;
	bench.config.subcores = subcores;
	bench.config.register_banks = banks;
	bench.config.register_ports = bench.config.register_write_ports = 1;
	bench.meta.registers = 24;
	simbench_ffma(&bench, 20, 4, 8, 12);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 128), 0);
	struct hd_stats stats = *simbench_stats(&bench);
	simbench_release(&bench);
	return stats;
}

/*
 * R4, R8 and R12 are in bank 0 of four, in each scheduler's own file, which a warp's number moves on: 2 cycles late
 * each. Four banks of all hold 4, 8, 12 plus the number of the warp: each warp has a bank for itself. Sixteen: warp w
 * reads w + 4, w + 8 and w + 12.
 */
START_TEST(banks_are_divided_or_shared)
{
	ck_assert_uint_eq(run_divided(1, 16).counters.bank_conflicts, 4 * 2);
	ck_assert_uint_eq(run_divided(0, 4).counters.bank_conflicts, 4 * 2);
	ck_assert_uint_eq(run_divided(0, 16).counters.bank_conflicts, 0);
	ck_assert_uint_eq(run_divided(0, 1).counters.bank_conflicts, 2 + 5 + 8 + 11);
	ck_assert_uint_eq(run_divided(0, 128).counters.bank_conflicts, 0);
}
END_TEST

/* ---- operands = modern: distances published for NVIDIA's cards (Huerta et al., MICRO 2025) */

static void make_modern(struct simbench *bench)
{
	bench->config.operands = HD_OPERANDS_MODERN;
	bench->config.register_banks = 2;
	bench->config.register_ports = bench->config.register_write_ports = 1;
	bench->meta.registers = 60;
}

/* Cycles from one reading of the clock to the next; between them are a pair of FFMAs and two NOPs. */
static uint32_t clock_distance(uint8_t b, uint8_t c)
{
	struct simbench bench;
	simbench_init(&bench);
	make_modern(&bench);
	simbench_s2r(&bench, 40, HD_SR_CLOCK_LO);
	simbench_emit(&bench, HD_OP_NOP);
	simbench_ffma(&bench, 11, 10, 12, 14);
	simbench_ffma(&bench, 13, 16, b, c);
	simbench_emit(&bench, HD_OP_NOP);
	simbench_s2r(&bench, 41, HD_SR_CLOCK_LO);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	uint32_t distance = simbench_register(&bench, 0, 41, 0) - simbench_register(&bench, 0, 40, 0);
	simbench_release(&bench);
	return distance;
}

START_TEST(modern_clock_distances)
{
	ck_assert_uint_eq(clock_distance(19, 21), 5);
	ck_assert_uint_eq(clock_distance(18, 21), 6);
	ck_assert_uint_eq(clock_distance(19, 20), 6);
	ck_assert_uint_eq(clock_distance(18, 20), 7);
}
END_TEST

/* Cycles that each of many independent instructions costs. */
static double modern_cycles(enum hd_op op, uint8_t a, uint8_t b, uint8_t c)
{
	uint64_t cycles[2];
	for (uint32_t more = 0; more < 2; more++) {
		struct simbench bench;
		simbench_init(&bench);
		make_modern(&bench);
		for (uint32_t i = 0; i < (more ? 40u : 20u); i++) {
			struct hd_inst *inst = simbench_emit(&bench, op);
			inst->dst = (uint8_t)(20 + i % 20);
			inst->a = a;
			inst->b = b;
			inst->c = c;
		}
		ck_assert_int_eq(simbench_start(&bench), 0);
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		cycles[more] = simbench_stats(&bench)->counters.cycles;
		if (more && cycles[1] - cycles[0] > 20)
			ck_assert_uint_gt(simbench_stats(&bench)->stalls[HD_STALL_collector], 20);
		simbench_release(&bench);
	}
	return (double)(cycles[1] - cycles[0]) / 20;
}

START_TEST(modern_bank_conflicts_are_bubbles)
{
	ck_assert_double_eq(modern_cycles(HD_OP_FFMA, 4, 6, 8), 1 + 2);
	ck_assert_double_eq(modern_cycles(HD_OP_FMUL, 4, 6, HD_RZ), 1 + 1);
	ck_assert_double_eq(modern_cycles(HD_OP_FMUL, 4, 7, HD_RZ), 1);
	ck_assert_double_eq(modern_cycles(HD_OP_FFMA, 4, 7, HD_RZ), 1);
}
END_TEST

/*
 * The reuse cache: an entry for each bank and slot, which the next read of that bank in that slot finds or displaces.
 * FMULs of R4 and R6, both of bank 0, take a bubble each; every second one reads `a` and `b` in their place.
 */
static struct hd_counters reused(uint8_t first_bits, uint8_t a, uint8_t b, uint8_t second_bits, uint32_t threads)
{
	struct simbench bench;
	simbench_init(&bench);
	make_modern(&bench);
	for (uint32_t i = 0; i < 20; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_FMUL);
		inst->dst = (uint8_t)(20 + i);
		inst->a = i % 2 ? a : 4;
		inst->b = i % 2 ? b : 6;
		inst->reuse = i % 2 ? second_bits : first_bits;
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, threads), 0);
	struct hd_counters counters = simbench_stats(&bench)->counters;
	simbench_release(&bench);
	return counters;
}

START_TEST(modern_operands_are_reused)
{
	struct hd_counters none = reused(0, 4, 6, 0, 32), all = reused(3, 4, 6, 3, 32);
	ck_assert_uint_eq(none.reuse_hits, 0);
	ck_assert_uint_eq(none.bank_reads, 40);
	ck_assert_uint_eq(all.reuse_hits, 38); /* all but the first two reads */
	ck_assert_uint_eq(all.bank_reads, 2);
	/* A bubble each, but for two, which the window of three cycles takes up before its port is busy. */
	ck_assert_uint_eq(none.cycles - all.cycles, 18);
	/* One of two operands is enough: the other has the port for itself. */
	struct hd_counters one = reused(1, 4, 6, 1, 32);
	ck_assert_uint_eq(one.reuse_hits, 19);
	ck_assert_uint_eq(one.cycles, all.cycles);
	/* An entry lives until the next read, unless that keeps it: every second one finds it. */
	ck_assert_uint_eq(reused(1, 4, 6, 0, 32).reuse_hits, 10);
	/* Not in another slot, where R4 has never been kept; R6 of slot b is not R4. */
	ck_assert_uint_eq(reused(3, 6, 4, 3, 32).reuse_hits, 0);
	/* A read of the other bank leaves it alone: R5 in slot a does not displace R4. */
	ck_assert_uint_eq(reused(1, 5, 7, 0, 32).reuse_hits, 9);
	/* Nor does another register of the bank find it, but it displaces it. */
	ck_assert_uint_eq(reused(1, 8, 10, 0, 32).reuse_hits, 0);
}
END_TEST

/* Other warps have other registers by the same numbers. In turn, each displaces what the one before has kept. */
START_TEST(modern_operands_are_a_warps_own)
{
	struct simbench bench;
	simbench_init(&bench);
	make_modern(&bench);
	bench.config.scheduler = HD_SCHED_LRR;
	for (uint32_t i = 0; i < 20; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_FMUL);
		inst->dst = (uint8_t)(20 + i);
		inst->a = 4;
		inst->b = 7;
		inst->reuse = 3;
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 64), 0);
	/* But for where a warp is alone, at the start and the end. */
	ck_assert_uint_lt(simbench_stats(&bench)->counters.reuse_hits, 8);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.reuse_hits, 38);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("operands", (const TTest *const[]){
					       late_operands_do_not_block_the_unit,
					       others_pass_a_late_instruction,
					       accesses_of_a_warp_stay_in_order,
					       results_take_ports,
					       latencies_are_end_to_end,
					       banks_are_divided_or_shared,
					       modern_clock_distances,
					       modern_bank_conflicts_are_bubbles,
					       modern_operands_are_reused,
					       modern_operands_are_a_warps_own,
					       NULL,
				       });
}
