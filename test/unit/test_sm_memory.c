/* The SM's ends of fetch and memory: lines of the instruction cache, fences, what shared memory leaves of the L1. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "simbench.h"

/* ---- the instruction cache */

/* Two lines of eight instructions, in one set. */
static void start_two_lines(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.l1i_line = 128;
	bench->config.l1i_bytes = 256;
	bench->config.l1i_ways = 2;
	bench->config.l1i_miss_latency = 50;
	simbench_mov(bench, 8, 0);
	ck_assert_int_eq(simbench_start(bench), 0);
}

struct fetch {
	uint32_t line, now;
	bool miss;
};

static void check_fetches(const struct fetch *fetches, uint32_t count)
{
	struct simbench bench;
	start_two_lines(&bench);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	struct hd_counters *counters = hd_sm_counters(sm, &sm->warps[0]);
	uint64_t ready[8] = {0};
	for (uint32_t i = 0; i < count; i++) {
		uint64_t misses = counters->l1i_misses;
		ready[fetches[i].line] = fetches[i].miss ? fetches[i].now + 50 : ready[fetches[i].line];
		ck_assert_uint_eq(hd_fetch_next(sm, &sm->warps[0], fetches[i].line, fetches[i].now),
				  ready[fetches[i].line]);
		ck_assert_uint_eq(counters->l1i_misses - misses, fetches[i].miss);
	}
	ck_assert_uint_eq(counters->l1i_accesses, count);
	simbench_release(&bench);
}

START_TEST(the_line_that_was_used_least_recently_goes)
{
	static const struct fetch fetches[] = {
		{0, 10, true},	{1, 11, true},	{0, 12, false},
		{2, 13, true},	{0, 14, false}, {1, 15, true}, /* 2 went */
		{0, 16, false}, {2, 17, true},	{0, 18, false},
	};
	check_fetches(fetches, 9);
}
END_TEST

START_TEST(of_lines_of_one_cycle_the_first_goes)
{
	static const struct fetch fetches[] = {
		{0, 10, true}, {1, 10, true}, {2, 11, true}, {1, 12, false}, {0, 13, true}};
	check_fetches(fetches, 5);
}
END_TEST

/*
 * Caches of two lines for each scheduler, with stream buffers of three, and code that ends in line 9. The SM's cache
 * gives a line every two cycles, ten cycles after it has it; it has a new one after 50.
 */
START_TEST(stream_buffers_run_ahead_of_the_schedulers_caches)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.l1i_line = 128;
	bench.config.l1i_miss_latency = 50;
	bench.config.l1i_latency = 10;
	bench.config.l1i_busy = 2;
	bench.config.l0i_bytes = 256;
	bench.config.l0i_ways = 2;
	bench.config.fetch_ahead = 3;
	for (uint32_t i = 0; i < 9 * 8; i++) /* and the end, in line 9 */
		simbench_mov(&bench, 8, 0);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	const struct hd_warp *warp = &sm->warps[0];
	static const struct {
		uint64_t line, now, ready, asked, misses;
	} steps[] = {
		{0, 100, 160, 4, 1},			   /* and 1 to 3 behind it */
		{1, 170, 162, 5, 2},			   /* came while 0 was run; 4 is asked for */
		{1, 171, 162, 5, 2},  {2, 300, 164, 6, 3}, /* 5; 0 leaves */
		{0, 400, 410, 10, 4}, /* from the SM's cache, which has it; 1 to 3 are asked for again */
		{8, 500, 560, 12, 5}, /* and 9, where the code ends */
		{9, 600, 562, 12, 6},
	};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		ck_assert_uint_eq(hd_fetch_next(sm, warp, steps[i].line, steps[i].now), steps[i].ready);
		ck_assert_uint_eq(hd_sm_counters(sm, warp)->l1i_accesses, steps[i].asked);
		ck_assert_uint_eq(hd_sm_counters(sm, warp)->l0i_misses, steps[i].misses);
	}
	ck_assert_uint_eq(hd_sm_counters(sm, warp)->l0i_accesses, 7);
	ck_assert_uint_eq(hd_sm_counters(sm, warp)->l1i_prefetches, 9);
	ck_assert_uint_eq(hd_sm_counters(sm, warp)->l1i_misses, 8);
	simbench_release(&bench);
}
END_TEST

/* 64 lines of 128 bytes in 16 sets: nothing is there, nor after it was forgotten; the least recent of four goes. */
START_TEST(caches_of_code_forget_all)
{
	struct hd_icache cache;
	struct hd_arena arena;
	hd_arena_init(&arena);
	hd_icache_init(&cache, 64 * 128, 128, 4, &arena);
	ck_assert_uint_eq(cache.sets, 16);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint64_t line = 0; line < 64; line++) {
			size_t way = hd_icache_find(&cache, line);
			ck_assert_uint_eq(way, line % 16 * 4 + line / 16);
			ck_assert_uint_ne(cache.tags[way], line);
			cache.tags[way] = line;
			cache.used[way] = 100 * (round + 1) + line;
		}
		ck_assert_uint_eq(hd_icache_find(&cache, 63), 63);
		ck_assert_uint_eq(hd_icache_find(&cache, 64 + 5), 5 * 4);
		hd_icache_forget(&cache);
	}
	hd_icache_init(&cache, 2 * 128, 128, 4, &arena); /* fewer lines than ways */
	ck_assert_uint_eq(cache.sets, 1);
	ck_assert_uint_eq(cache.ways, 2);
	hd_arena_release(&arena);
}
END_TEST

/* Each of four schedulers has a cache of its own, which misses each of the three lines once. */
START_TEST(each_scheduler_has_a_cache)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.schedulers = bench.config.units_int = 4;
	bench.config.l1i_line = 128;
	bench.config.l0i_bytes = 512;
	bench.config.l0i_ways = 2;
	for (uint32_t i = 0; i < 2 * 8; i++)
		simbench_mov(&bench, 8, 0);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 8 * 32), 0);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.l0i_accesses, 8 * 3);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.l0i_misses, 4 * 3);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(bench.sim->gpu.sms[0]->fetch.l0[i].sets, 512 / 128 / 2);
	simbench_release(&bench);
}
END_TEST

/*
 * Three blocks of one warp with a chain of FFMAs of 5 cycles and EXIT behind it, on one SM: each block begins so many
 * cycles behind the one before. With distances of 2 modulo 5 none finds the scheduler's slot taken: FFMAs are at 0, 2
 * and 4, the first two EXITs at 1 and 3. So the last block ends two intervals behind the first.
 */
START_TEST(blocks_begin_an_interval_apart)
{
	static const uint64_t intervals[] = {2, 7, 12};
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t cycles[2];
		for (uint32_t three = 0; three < 2; three++) {
			struct simbench bench;
			simbench_init(&bench);
			bench.config.cta_launch_interval = intervals[i];
			simbench_chain(&bench, 60);
			ck_assert_int_eq(simbench_start(&bench), 0);
			ck_assert_int_eq(simbench_run(&bench, three ? 3 : 1, 32), 0);
			cycles[three] = simbench_stats(&bench)->counters.cycles;
			ck_assert_uint_eq(simbench_stats(&bench)->counters.launch_cycles, 10); /* the bench's */
			simbench_release(&bench);
		}
		ck_assert_uint_eq(cycles[1] - cycles[0], 2 * intervals[i]);
	}
}
END_TEST

/* The first instruction of a CTA waits for its launch; the next CTA in its place does, too. */
static uint64_t cycles_of_launches(uint64_t latency, uint32_t ctas)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.sm_count = 1;
	bench.config.max_ctas = 1;
	bench.config.cta_launch_latency = latency;
	simbench_mov(&bench, 8, 0);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_run(&bench, ctas, 32), 0);
	uint64_t cycles = simbench_stats(&bench)->counters.cycles;
	simbench_release(&bench);
	return cycles;
}

START_TEST(each_cta_in_a_place_waits_for_its_launch)
{
	uint64_t more = cycles_of_launches(300, 5) - cycles_of_launches(0, 5);
	ck_assert_uint_eq(cycles_of_launches(300, 9) - cycles_of_launches(0, 9), more + 4 * 300);
}
END_TEST

/* ---- fences and guarded-off accesses, which start nothing */

static void build_fences(struct simbench *bench, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		simbench_emit(bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_GPU);
}

static void build_fences_under_cars(struct simbench *bench, uint32_t count)
{
	bench->options.policy = "cars";
	bench->meta.fru = 16;
	build_fences(bench, count);
}

/* Each waits for nothing, for as long as the shortest instruction takes: with CARS's two stages that is two more. */
START_TEST(a_fence_without_accesses_takes_an_add)
{
	struct hd_config config;
	hd_config_defaults(&config);
	uint64_t base = simbench_measure(build_fences, 30, 32).counters.cycles -
			simbench_measure(build_fences, 10, 32).counters.cycles;
	uint64_t cars = simbench_measure(build_fences_under_cars, 30, 32).counters.cycles -
			simbench_measure(build_fences_under_cars, 10, 32).counters.cycles;
	ck_assert_uint_eq(base, 20 * config.lat_iadd);
	ck_assert_uint_eq(cars, 20 * (config.lat_iadd + 2));
}
END_TEST

/* Loads to R4 of which no lane takes part, each of which waits for the one before. */
static void build_loads_of_nobody(struct simbench *bench, uint32_t count)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_ISETP);
	inst->pdst = 0;
	inst->a = 4;
	inst->xkind = HD_X_IMM_B;
	inst->x = 1;
	inst->mods = HD_MOD(CMP, HD_CMP_EQ); /* R4 is 0 */
	for (uint32_t i = 0; i < count; i++) {
		inst = simbench_emit(bench, HD_OP_LDG);
		inst->guard = 0;
		inst->dst = 4;
		inst->a = 4;
		inst->xkind = HD_X_OTHER;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
}

START_TEST(a_load_of_no_lane_takes_a_cycle)
{
	struct hd_stats few = simbench_measure(build_loads_of_nobody, 10, 32),
			many = simbench_measure(build_loads_of_nobody, 30, 32);
	ck_assert_uint_eq(many.counters.cycles - few.counters.cycles, 20);
	ck_assert_uint_eq(many.counters.l1d_accesses, 0);
}
END_TEST

/* ---- shared memory and L1 share their storage */

/* Twice the same 32 lines, with the second load behind the first one's data. */
static void build_two_passes(struct simbench *bench, uint32_t shared_bytes)
{
	bench->config.l1_bytes = 8192; /* 64 lines */
	bench->config.l1_ways = 8;
	bench->config.shared_bytes = bench->config.shared_per_cta = 8192;
	bench->meta.shared_bytes = shared_bytes;
	bench->meta.registers = 20;
	simbench_stack(bench);
	bench->meta.max_stack_bytes = 4096;
	for (uint8_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < 32; i++) {
			struct hd_inst *load = simbench_emit(bench, HD_OP_LDL);
			load->mods = HD_MOD(SIZE, HD_SIZE_32);
			load->dst = 4;
			load->a = 1;
			load->xkind = HD_X_OTHER;
			load->x = -4u * (i + 1); /* a word of all lanes is a line */
		}
	}
}

START_TEST(shared_memory_in_use_is_not_cache)
{
	struct hd_stats none = simbench_measure(build_two_passes, 0, 32),
			most = simbench_measure(build_two_passes, 6144, 32);
	ck_assert_uint_eq(none.counters.l1d_accesses, 2 * 32);
	ck_assert_uint_eq(none.counters.l1d_hits, 32);
	ck_assert_uint_le(most.counters.l1d_hits, 16); /* a quarter is left */
}
END_TEST

/* ---- asynchronous copies */

/* A word of each lane is copied to shared memory, a group of its own; its warp waits until `left` groups are in flight.
 * Cycles between readings of the clock around that. */
static uint32_t copy(struct simbench *bench, uint32_t core, uint32_t left)
{
	uint64_t address;
	simbench_init(bench);
	bench->config.compute_major = 8;
	bench->config.core = core;
	bench->config.l2_latency = 400;
	if (core == HD_CORE_MODERN) {
		bench->config.operands = HD_OPERANDS_MODERN;
		bench->config.register_banks = 2;
		bench->config.register_ports = bench->config.register_write_ports = 1;
	}
	bench->meta.registers = 32;
	bench->meta.shared_bytes = 256;
	simbench_param(bench, 8);
	simbench_s2r(bench, 20, HD_SR_CLOCK_LO);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_LDGSTS);
	inst->a = 8, inst->b = HD_RZ, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(bench, HD_OP_LDGDEPBAR);
	inst = simbench_emit(bench, HD_OP_DEPBAR);
	inst->xkind = HD_X_OTHER, inst->x = left;
	simbench_s2r(bench, 21, HD_SR_CLOCK_LO);
	simbench_ffma(bench, 22, 21, 20, HD_RZ);
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 4096, &address), 0);
	struct hd_launch launch = simbench_launch(bench, 1, 32, &address);
	ck_assert_msg(!hd_sim_launch(bench->sim, &launch), "%s", hd_sim_error_text(bench->sim));
	return simbench_register(bench, 0, 21, 0) - simbench_register(bench, 0, 20, 0);
}

/* Who waits for the group waits for L2, and loses its slots to memory; who may leave one in flight does not. Either way
 * the block stays until the copy is done. */
START_TEST(groups_of_copies_are_waited_for)
{
	for (uint32_t core = 0; core < 2; core++) {
		struct simbench bench;
		uint32_t no_wait = copy(&bench, core, 1);
		uint64_t cycles = simbench_stats(&bench)->counters.cycles;
		ck_assert_uint_le(no_wait, 12);
		ck_assert_uint_gt(cycles, 400);
		simbench_release(&bench);
		uint32_t wait = copy(&bench, core, 0);
		const struct hd_stats *stats = simbench_stats(&bench);
		ck_assert_uint_gt(wait, 400);
		ck_assert_uint_eq(stats->stalls[HD_STALL_data_memory], wait - no_wait);
		ck_assert_uint_eq(stats->counters.copies, 1);
		ck_assert_uint_eq(stats->counters.copy_groups, 1);
		ck_assert_uint_eq(stats->counters.l1d_misses, 1);
		simbench_release(&bench);
	}
}
END_TEST

/*
 * Of two warps one is active. Behind its look at the clock the first one issues its copy, in the next cycle the end of
 * the group, and two cycles later the wait, at which it leaves the set; the second one's look is its third instruction
 * from then on, and both wait at the same time. Without a copy that it has to wait for the first goes to its end first.
 */
START_TEST(who_waits_for_copies_is_not_active)
{
	for (uint32_t left = 0; left < 2; left++) {
		struct simbench bench;
		uint64_t address;
		simbench_init(&bench);
		bench.config.compute_major = 8;
		bench.config.l2_latency = 400;
		bench.config.scheduler = HD_SCHED_TWO_LEVEL;
		bench.config.two_level_active = 1;
		bench.meta.registers = 32;
		bench.meta.shared_bytes = 256;
		simbench_param(&bench, 8);
		simbench_s2r(&bench, 20, HD_SR_CLOCK_LO);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDGSTS);
		inst->a = 8, inst->b = HD_RZ, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		simbench_emit(&bench, HD_OP_LDGDEPBAR);
		inst = simbench_emit(&bench, HD_OP_DEPBAR);
		inst->xkind = HD_X_OTHER, inst->x = left;
		simbench_s2r(&bench, 21, HD_SR_CLOCK_LO);
		simbench_chain(&bench, 30);
		simbench_s2r(&bench, 22, HD_SR_CLOCK_LO);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(hd_sim_malloc(bench.sim, 4096, &address), 0);
		struct hd_launch launch = simbench_launch(&bench, 1, 64, &address);
		ck_assert_msg(!hd_sim_launch(bench.sim, &launch), "%s", hd_sim_error_text(bench.sim));
		uint32_t look = simbench_register(&bench, 0, 20, 0), begun = simbench_register(&bench, 1, 20, 0),
			 over = simbench_register(&bench, 0, 21, 0), end = simbench_register(&bench, 0, 22, 0);
		ck_assert_uint_eq(begun, left ? end + 1 + 3 : look + 1 + 1 + 2 + 3);
		ck_assert_uint_eq(begun > over, left);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("sm_memory", (const TTest *const[]){
						the_line_that_was_used_least_recently_goes,
						of_lines_of_one_cycle_the_first_goes,
						stream_buffers_run_ahead_of_the_schedulers_caches,
						each_scheduler_has_a_cache,
						caches_of_code_forget_all,
						blocks_begin_an_interval_apart,
						each_cta_in_a_place_waits_for_its_launch,
						a_fence_without_accesses_takes_an_add,
						a_load_of_no_lane_takes_a_cycle,
						shared_memory_in_use_is_not_cache,
						groups_of_copies_are_waited_for,
						who_waits_for_copies_is_not_active,
						NULL,
					});
}
