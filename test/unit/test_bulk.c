/* Barriers in shared memory and copies in bulk, in time. */
#include "harness.h"
#include "heddle/opcodes.h"

#include "lib/tensormap.h"
#include "simbench.h"

enum {
	BARRIER = 34, /* registers: its address, which is 0; how many arrive; the parities of the first phase and the
			 next */
	COUNT = 35,
	PARITY = 36,
	COPY = 8, /* R8:R9 the global address, R10 the shared one, R11 the barrier */
	BYTES = 12,
	CLOCKS = 40
};
enum { ARRIVE = 9, WAKE = 30, BUSY = 4, LIMIT = 5000, LATENCY = 40, ISSUE = 32, PLACE = 128, ROOM = 8192 };

static void begin(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.compute_major = 9;
	bench->config.core_mhz = bench->config.icnt_mhz = bench->config.l2_mhz = 1000;
	bench->config.mbarrier_arrive = ARRIVE;
	bench->config.mbarrier_wake = WAKE;
	bench->config.mbarrier_busy = BUSY;
	bench->config.mbarrier_limit = LIMIT;
	bench->config.tma_latency = LATENCY;
	bench->config.tma_issue = ISSUE;
	bench->config.tma_row = 5;
	bench->meta.registers = 64;
	bench->meta.shared_bytes = ROOM;
}

static struct hd_inst *operation(struct simbench *bench, uint32_t op, uint8_t count)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SYNCS);
	inst->a = BARRIER, inst->c = count, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SYNCSOP, op);
	inst->dst = HD_RZ;
	return inst;
}

static struct hd_inst *wait_for(struct simbench *bench, bool tries, uint8_t parity)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_SYNCS_WAIT);
	inst->a = BARRIER, inst->b = parity, inst->c = HD_RZ, inst->xkind = HD_X_OTHER, inst->pdst = 1;
	inst->mods = HD_MOD(PATIENCE, tries ? HD_PATIENCE_TRY : HD_PATIENCE_TEST);
	return inst;
}

static void look_at_clock(struct simbench *bench, uint32_t number)
{
	simbench_s2r(bench, (uint8_t)(CLOCKS + number), HD_SR_CLOCK_LO);
}

static uint32_t absolute(const struct simbench *bench, uint32_t warp, uint32_t number)
{
	return simbench_register(bench, warp, CLOCKS + number, 0);
}

/* Cycles from the first look at the clock. */
static uint32_t clock_at(const struct simbench *bench, uint32_t number)
{
	return absolute(bench, 0, number) - absolute(bench, 0, 0);
}

/* The next instruction waits for this predicate, which a wait writes. */
static void need(struct simbench *bench, uint8_t predicate)
{
	simbench_mov(bench, 30, 1);
	hd_vec_last(&bench->code).guard = predicate;
}

static void make_barrier(struct simbench *bench)
{
	simbench_mov(bench, BARRIER, 0);
	simbench_mov(bench, COUNT, 1);
	simbench_mov(bench, PARITY, 0);
	simbench_mov(bench, PARITY + 1, 1);
	operation(bench, HD_SYNCS_INIT, COUNT);
}

/* A block of so many threads, with the address of 64 KB. */
static void run_threads(struct simbench *bench, uint32_t threads)
{
	uint64_t address;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 65536, &address), 0);
	struct hd_launch launch = simbench_launch(bench, 1, threads, &address);
	if (!bench->meta.param_bytes)
		launch.param_bytes = 0;
	for (uint32_t i = 0; i < 2; i++) { /* the second time all is in L2 */
		int error = hd_sim_launch(bench->sim, &launch);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	}
}

static void run(struct simbench *bench)
{
	run_threads(bench, 1);
}

static const struct hd_counters *counters(const struct simbench *bench)
{
	return &simbench_stats(bench)->counters;
}

/* ---- barriers */

/*
 * A wait of cycle 1 has its answer in 1 + 30, where what needs it is issued, and then the look at the clock. A second
 * one of cycle 2 is taken 4 cycles behind the first, in cycle 5.
 */
START_TEST(answers_take_the_time_of_a_wake)
{
	for (uint32_t second = 0; second < 2; second++) {
		struct simbench bench;
		begin(&bench);
		make_barrier(&bench);
		simbench_chain(&bench, 20);
		look_at_clock(&bench, 0);
		wait_for(&bench, false, PARITY)->pdst = 1;
		if (second)
			wait_for(&bench, false, PARITY)->pdst = 2;
		need(&bench, second ? 2 : 1);
		look_at_clock(&bench, 1);
		run(&bench);
		ck_assert_uint_eq(clock_at(&bench, 1), (second ? 1 + BUSY : 1) + WAKE + 1);
		ck_assert_uint_eq(counters(&bench)->mbarrier_waits, 1 + second);
		ck_assert_uint_eq(counters(&bench)->mbarrier_wait_cycles, 0); /* nobody was suspended */
		simbench_release(&bench);
	}
}
END_TEST

/* Cycle in which is issued what reads the word before of the last of so many arrivals. */
static uint32_t word_of_arrival(uint32_t count, uint32_t latency)
{
	struct simbench bench;
	begin(&bench);
	bench.config.mbarrier_arrive = latency;
	make_barrier(&bench);
	simbench_mov(&bench, COUNT, 9);
	operation(&bench, HD_SYNCS_INIT, COUNT);
	simbench_mov(&bench, COUNT, 1);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	for (uint32_t i = 0; i < count; i++)
		operation(&bench, HD_SYNCS_ARRIVE, COUNT)->dst = (uint8_t)(20 + 2 * i);
	simbench_ffma(&bench, 30, (uint8_t)(18 + 2 * count), HD_RZ, HD_RZ);
	look_at_clock(&bench, 1);
	run(&bench);
	uint32_t at = clock_at(&bench, 1) - 1;
	simbench_release(&bench);
	return at;
}

/* The first is issued in cycle 1, and its word is there 9 cycles later. An SM takes an operation every 4 cycles. */
START_TEST(operations_stand_in_line)
{
	uint32_t first = word_of_arrival(1, ARRIVE);
	ck_assert_uint_eq(first, 1 + ARRIVE);
	ck_assert_uint_eq(word_of_arrival(2, ARRIVE), first + BUSY);
	ck_assert_uint_eq(word_of_arrival(4, ARRIVE), first + 3 * BUSY);
	ck_assert_uint_eq(word_of_arrival(1, 3 * ARRIVE), first + 2 * ARRIVE);
}
END_TEST

/*
 * The second warp arrives behind a look at the clock, in cycle c; that counts in c + 9, and the first one goes on in
 * c + 9 + 30 with the answer. It is suspended from its wait on.
 */
START_TEST(who_waits_goes_on_when_the_phase_is_over)
{
	struct simbench bench;
	begin(&bench);
	make_barrier(&bench);
	simbench_mov(&bench, COUNT, 32);
	operation(&bench, HD_SYNCS_INIT, COUNT);
	simbench_mov(&bench, COUNT, 1);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	simbench_s2r(&bench, 32, HD_SR_WARPID);
	struct hd_inst *test = simbench_emit(&bench, HD_OP_ISETP);
	test->pdst = 0, test->a = 32, test->xkind = HD_X_IMM_B, test->x = 0;
	test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = 0, branch->xkind = HD_X_OTHER, branch->x = branch->reconv = bench.code.len + 103;
	simbench_chain(&bench, 100);
	look_at_clock(&bench, 0);
	operation(&bench, HD_SYNCS_ARRIVE, COUNT);
	simbench_emit(&bench, HD_OP_EXIT);
	look_at_clock(&bench, 1);
	wait_for(&bench, true, PARITY);
	need(&bench, 1);
	look_at_clock(&bench, 2);
	run_threads(&bench, 64);
	uint32_t arrival = absolute(&bench, 1, 0) + 1;
	ck_assert_uint_eq(absolute(&bench, 0, 2), arrival + ARRIVE + WAKE + 1);
	ck_assert_uint_eq(simbench_register(&bench, 0, 30, 0), 1); /* it is over */
	ck_assert_uint_eq(counters(&bench)->mbarrier_wait_cycles,
			  arrival + ARRIVE + WAKE - (absolute(&bench, 0, 1) + 1));
	simbench_release(&bench);
}
END_TEST

/* From the look at the clock in front of a wait for a phase that does not end to the one behind it. */
static uint32_t patience(uint32_t mhz, uint32_t given)
{
	struct simbench bench;
	begin(&bench);
	bench.config.core_mhz = mhz;
	make_barrier(&bench);
	simbench_mov(&bench, 31, given);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	struct hd_inst *wait = wait_for(&bench, true, PARITY);
	if (given) {
		wait->c = 31;
		wait->mods |= HD_MOD(TIMED, 1);
	}
	need(&bench, 1);
	look_at_clock(&bench, 1);
	run(&bench);
	uint32_t cycles = clock_at(&bench, 1);
	ck_assert_uint_eq(counters(&bench)->mbarrier_wait_cycles, cycles - 2);
	simbench_release(&bench);
	return cycles;
}

/* The wait is issued in cycle 1, is over as many nanoseconds later, and its answer is there in the next cycle, with the
 * look at the clock behind what needs it; with less than an answer takes, it is over when that is there. */
START_TEST(a_wait_has_a_limit)
{
	ck_assert_uint_eq(patience(1000, 0), 1 + LIMIT + 2);
	ck_assert_uint_eq(patience(2000, 0), 1 + 2 * LIMIT + 2);
	ck_assert_uint_eq(patience(500, 700), 1 + 350 + 2);
	ck_assert_uint_eq(patience(1000, 1024), 1 + 1024 + 2);
	ck_assert_uint_eq(patience(1000, 1025), 1 + 1025 + 2);
	ck_assert_uint_eq(patience(1000, 12), 1 + WAKE + 2);
}
END_TEST

/* A copy of a word, then what waits for it: its group, or a barrier at which it arrives. */
static uint32_t copy_word(bool arrives, uint32_t arrive, uint32_t wake)
{
	struct simbench bench;
	begin(&bench);
	bench.config.mbarrier_arrive = arrive;
	bench.config.mbarrier_wake = wake;
	make_barrier(&bench);
	simbench_param(&bench, COPY);
	simbench_mov(&bench, COPY + 2, PLACE);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDGSTS);
	inst->a = COPY, inst->b = COPY + 2, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	if (arrives) {
		inst = simbench_emit(&bench, HD_OP_ARRIVES);
		inst->a = BARRIER, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(NOINC, 1);
		wait_for(&bench, true, PARITY);
	} else {
		simbench_emit(&bench, HD_OP_LDGDEPBAR);
		inst = simbench_emit(&bench, HD_OP_DEPBAR);
		inst->xkind = HD_X_OTHER, inst->x = 0;
	}
	look_at_clock(&bench, 1);
	run(&bench);
	uint32_t cycles = clock_at(&bench, 1);
	simbench_release(&bench);
	return cycles;
}

/* Who waits for its group goes on in the cycle behind the copy's end. An arrival counts 9 cycles after that end, and
 * the warp goes on 30 cycles later. */
START_TEST(copies_arrive_when_they_are_done)
{
	uint32_t done = copy_word(false, ARRIVE, WAKE) - 1;
	ck_assert_uint_eq(copy_word(true, ARRIVE, WAKE), done + ARRIVE + WAKE);
	ck_assert_uint_eq(copy_word(true, 50, 60), done + 50 + 60);
}
END_TEST

/*
 * Two warps, the second behind a chain. The first copies a word that is in DRAM alone, the second one that it has in
 * L1: it arrives first, at a barrier of its own, with an arrival that was made later. Its copy is issued in the cycle
 * behind its look at the clock, is at L1 a cycle later, and takes a cycle of shared memory.
 */
START_TEST(copies_of_another_warp_arrive_before)
{
	struct simbench bench;
	uint64_t address;
	begin(&bench);
	bench.config.dram_latency = 2000;
	make_barrier(&bench);
	simbench_param(&bench, COPY);
	simbench_s2r(&bench, 32, HD_SR_WARPID);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_SHL); /* a barrier for each */
	inst->dst = BARRIER, inst->a = 32, inst->xkind = HD_X_IMM_B, inst->x = 3;
	simbench_mov(&bench, COUNT, 32);
	operation(&bench, HD_SYNCS_INIT, COUNT);
	simbench_mov(&bench, COPY + 2, PLACE);
	inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 32, inst->xkind = HD_X_IMM_B, inst->x = 0;
	inst->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 30, inst->a = COPY, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_ffma(&bench, 31, 30, 30, 30);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	branch->guard = 0, branch->xkind = HD_X_OTHER, branch->x = branch->reconv = bench.code.len + 20;
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	for (uint32_t first = 0; first < 2; first++) {
		inst = simbench_emit(&bench, HD_OP_LDGSTS);
		inst->a = COPY, inst->b = COPY + 2, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		inst->guard = first ? 0 : HD_PRED_NOT | 0;
		inst->x = first ? 32768 : 0;
	}
	inst = simbench_emit(&bench, HD_OP_ARRIVES);
	inst->a = BARRIER, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(NOINC, 1);
	wait_for(&bench, true, PARITY);
	need(&bench, 1);
	look_at_clock(&bench, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 65536, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 64, &address);
	int error = hd_sim_launch(bench.sim, &launch);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	ck_assert_uint_eq(absolute(&bench, 1, 1) - absolute(&bench, 1, 0),
			  1 + 1 + bench.config.l1_latency + bench.config.copy_latency + 1 + ARRIVE + WAKE + 1);
	ck_assert_uint_gt(absolute(&bench, 0, 1), absolute(&bench, 0, 0) + 2000);
	for (uint32_t warp = 0; warp < 2; warp++) /* neither waited until its limit */
		ck_assert_uint_lt(absolute(&bench, warp, 1), absolute(&bench, warp, 0) + LIMIT);
	simbench_release(&bench);
}
END_TEST

/* From the look at the clock in front of a load to that behind the fence which waits for it. */
static uint32_t fence(bool behind)
{
	struct simbench bench;
	begin(&bench);
	make_barrier(&bench);
	simbench_param(&bench, COPY);
	simbench_mov(&bench, COPY + 2, PLACE);
	simbench_mov(&bench, COPY + 3, 0);
	simbench_mov(&bench, BYTES, 16);
	simbench_mov(&bench, BYTES + 1, 0);
	operation(&bench, HD_SYNCS_ARRIVE_TX, BYTES);
	if (behind) {
		struct hd_inst *copy = simbench_emit(&bench, HD_OP_UBLKCP);
		copy->a = COPY, copy->c = BYTES, copy->mods = HD_MOD(BULK, HD_BULK_G2S);
		wait_for(&bench, true, PARITY);
	}
	simbench_chain(&bench, 300);
	look_at_clock(&bench, 0);
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDG);
	load->dst = 30, load->a = COPY, load->xkind = HD_X_OTHER, load->x = 32768,
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_emit(&bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_CTA);
	look_at_clock(&bench, 1);
	run(&bench);
	uint32_t cycles = clock_at(&bench, 1);
	simbench_release(&bench);
	return cycles;
}

/* Copies in bulk are waited for at their barriers, and those that have ended change nothing. */
START_TEST(fences_wait_for_loads_behind_copies)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_gt(fence(false), config.l1_latency);
	ck_assert_uint_eq(fence(true), fence(false));
}
END_TEST

/* ---- copies in bulk */

struct copies {
	uint32_t bytes, count, more; /* of each of so many copies; instructions between the last one and the wait */
	uint32_t latency, issue, queue, requests;
	double row;
	uint32_t barriers, fences; /* between them, too */
	uint32_t behind;	   /* result: cycles until the warp has issued all copies */
	struct hd_counters counters;
};

static void place(struct simbench *bench, uint32_t bytes)
{
	simbench_param(bench, COPY);
	simbench_mov(bench, COPY + 2, PLACE);
	simbench_mov(bench, COPY + 3, 0);
	simbench_mov(bench, BYTES, bytes);
	simbench_mov(bench, BYTES + 1, 0);
}

static void copy(struct simbench *bench, uint32_t kind)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_UBLKCP);
	inst->a = COPY, inst->c = BYTES, inst->mods = HD_MOD(BULK, kind);
}

static void set_keys(struct simbench *bench, const struct copies *copies)
{
	begin(bench);
	if (copies->latency)
		bench->config.tma_latency = copies->latency;
	if (copies->issue)
		bench->config.tma_issue = copies->issue;
	if (copies->queue)
		bench->config.tma_queue = copies->queue;
	if (copies->requests)
		bench->config.tma_requests = copies->requests;
	if (copies->row > 0)
		bench->config.tma_row = copies->row;
}

/* Cycles until the bytes are there that one block has copied before, so that they are in L2. */
static uint32_t load(struct copies *copies)
{
	struct simbench bench;
	set_keys(&bench, copies);
	make_barrier(&bench);
	place(&bench, copies->bytes);
	simbench_mov(&bench, 31, copies->count * copies->bytes);
	operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	for (uint32_t i = 0; i < copies->count; i++)
		copy(&bench, HD_BULK_G2S);
	look_at_clock(&bench, 1);
	for (uint32_t i = 0; i < copies->more; i++)
		simbench_mov(&bench, (uint8_t)(50 + i), i);
	for (uint32_t i = 0; i < copies->barriers; i++)
		simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	for (uint32_t i = 0; i < copies->fences; i++)
		simbench_emit(&bench, HD_OP_MEMBAR)->mods = HD_MOD(SCOPE, HD_SCOPE_GPU);
	wait_for(&bench, true, PARITY);
	look_at_clock(&bench, 2);
	run(&bench);
	copies->behind = clock_at(&bench, 1);
	copies->counters = *counters(&bench);
	uint32_t cycles = clock_at(&bench, 2);
	simbench_release(&bench);
	return cycles;
}

/*
 * A copy is issued in cycle 1, the first request 40 cycles later. The way to L2 and back is what is left of a line's
 * cycles: the copy is there 30 cycles, a wake, before the warp goes on.
 */
static uint32_t way(uint32_t cycles)
{
	return cycles - 1 - LATENCY - WAKE;
}

START_TEST(copies_take_the_time_of_the_unit)
{
	struct copies one = {.bytes = 16, .count = 1}, late = {.bytes = 16, .count = 1, .latency = LATENCY + 100};
	struct hd_config config;
	hd_config_defaults(&config);
	uint32_t cycles = load(&one), there = (uint32_t)(2 * config.icnt_latency + config.l2_latency + 1);
	/* A request leaves a cycle behind the unit's latency; its answer is two flits, and takes shared memory a cycle.
	 */
	ck_assert_uint_eq(cycles, 1 + LATENCY + 1 + there + 1 + WAKE);
	ck_assert_uint_eq(load(&late), cycles + 100);
	struct copies two = {.bytes = 16, .count = 2}, apart = {.bytes = 16, .count = 2, .issue = 77};
	ck_assert_uint_eq(load(&two), cycles + ISSUE);
	ck_assert_uint_eq(two.behind, 3); /* the warp goes on at once */
	ck_assert_uint_eq(load(&apart), cycles + 77);
	/* Room for one: the second is issued when the first one's request has been made, in cycle 1 + 40, and is taken
	 * then; the warp waits for 40 cycles each time. */
	struct copies narrow = {.bytes = 16, .count = 2, .queue = 1};
	ck_assert_uint_eq(load(&narrow), cycles + LATENCY);
	ck_assert_uint_eq(narrow.behind, 1 + 2 * LATENCY);
	ck_assert_uint_eq(narrow.counters.tma_wait_cycles, 2 * LATENCY);
	struct copies three = {.bytes = 16, .count = 3, .queue = 3}; /* room for all but the last one's issue */
	ck_assert_uint_eq(load(&three), cycles + 2 * ISSUE);
	ck_assert_uint_eq(three.behind, 1 + LATENCY);
	ck_assert_uint_eq(three.counters.tma_wait_cycles, LATENCY - 2);
}
END_TEST

/* Eight lines, one every 5, 15 or 15.3 cycles: the last one is 7 times as far behind the first. */
START_TEST(requests_are_rows_apart)
{
	struct copies line = {.bytes = 128, .count = 1}, rows = {.bytes = 1024, .count = 1};
	uint32_t cycles = load(&line);
	ck_assert_uint_eq(line.counters.tma_requests, 1);
	ck_assert_uint_eq(load(&rows), cycles + 7 * 5);
	ck_assert_uint_eq(rows.counters.tma_requests, 8);
	ck_assert_uint_eq(rows.counters.tma_bytes, 1024);
	ck_assert_uint_eq(rows.counters.tma_loads, 1);
	ck_assert_uint_eq(rows.counters.tma_barriers, 1);
	ck_assert_uint_eq(rows.counters.tma_shared_cycles, 8);
	/* A flit asks for a line, which comes with four sectors' and one more. */
	ck_assert_uint_eq(rows.counters.icnt_flits_up, 8);
	ck_assert_uint_eq(rows.counters.icnt_flits_down, 8 * 5);
	rows.row = 15;
	ck_assert_uint_eq(load(&rows), cycles + 7 * 15);
	rows.row = 15.3;
	ck_assert_uint_eq(load(&rows), cycles + 107);
	/* One in flight: each waits for the answer to the one before. Two: the eighth is the fourth pair's second. */
	rows.requests = 1;
	rows.row = 5;
	ck_assert_uint_eq(load(&rows), cycles + 7 * way(cycles));
	rows.requests = 2;
	ck_assert_uint_eq(load(&rows), cycles + 3 * way(cycles) + 5);
}
END_TEST

/*
 * Issue slots while copies are in flight: from the issue in cycle 1 on. Those of the copies, of a look at the clock, of
 * instructions in between and of the wait are hidden, those behind are lost to the wait.
 */
START_TEST(slots_beside_copies_are_counted)
{
	for (uint32_t more = 0; more < 6; more += 5) {
		struct copies one = {.bytes = 16, .count = 1, .more = more};
		uint32_t flight = load(&one) - WAKE - 1;
		ck_assert_uint_eq(one.counters.tma_flight_cycles, flight);
		ck_assert_uint_eq(one.counters.tma_busy_cycles, flight);
		ck_assert_uint_eq(one.counters.tma_busy_slots, flight);
		ck_assert_uint_eq(one.counters.tma_hidden_slots, 3 + more);
		/* Who waits at a barrier or a fence hides nothing but their issue. */
		struct copies waits = {.bytes = 16, .count = 1, .more = more, .barriers = 2, .fences = 1};
		ck_assert_uint_eq(load(&waits), flight + WAKE + 1);
		ck_assert_uint_eq(waits.counters.tma_hidden_slots, 6 + more);
		/* The second is issued one cycle behind the first, and is there 32 behind it. */
		struct copies two = {.bytes = 16, .count = 2, .more = more};
		load(&two);
		ck_assert_uint_eq(two.counters.tma_flight_cycles, 2 * flight + ISSUE - 1);
		ck_assert_uint_eq(two.counters.tma_busy_cycles, flight + ISSUE);
		ck_assert_uint_eq(two.counters.tma_hidden_slots, 4 + more);
	}
}
END_TEST

/* ---- boxes of tensors */

enum { TENSOR = 4096, COORDINATES = 16, ROWS = 16, ROW = 64 };

/* The memory's address, at which there is the map of a tensor in it: boxes of 16 rows of so many bytes. */
static uint64_t start_with_map(struct simbench *bench, uint32_t row, uint8_t promotion)
{
	uint64_t address;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 65536, &address), 0);
	const struct hd_tensor_map map = {.magic = HD_TENSOR_MAGIC,
					  .type = HD_TENSOR_U8,
					  .rank = 2,
					  .promotion = promotion,
					  .address = address + TENSOR,
					  .stride = {128},
					  .size = {128, 64},
					  .box = {row, ROWS},
					  .step = {1, 1}};
	ck_assert_int_eq(hd_sim_write(bench->sim, address, &map, sizeof map), 0);
	return address;
}

/* Cycles of two copies of a box of 16 rows of 64 bytes at column x of a tensor of 128, which is in L2. Its map is new
 * to the unit for the first one. */
static void load_box(uint32_t x, int64_t tensor, int64_t map_latency, uint32_t cycles[2], struct hd_counters *counted)
{
	struct simbench bench;
	uint64_t address;
	begin(&bench);
	bench.config.tma_tensor_latency = tensor;
	bench.config.tma_map_latency = map_latency;
	make_barrier(&bench);
	place(&bench, 0);
	for (uint8_t i = 0; i < 4; i++)
		simbench_mov(&bench, COORDINATES + i, i ? 0 : x);
	simbench_mov(&bench, 31, ROWS * ROW);
	for (uint8_t i = 0; i < 2; i++) {
		operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
		simbench_chain(&bench, 20);
		look_at_clock(&bench, 2 * i);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_UTMALDG);
		inst->a = COPY, inst->b = COORDINATES, inst->c = BYTES, inst->mods = HD_MOD(DIMS, 2);
		wait_for(&bench, true, (uint8_t)(PARITY + i));
		look_at_clock(&bench, 2 * i + 1);
	}
	address = start_with_map(&bench, ROW, 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 1, &address);
	for (uint32_t i = 0; i < 2; i++) {
		int error = hd_sim_launch(bench.sim, &launch);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	}
	cycles[0] = clock_at(&bench, 1);
	cycles[1] = clock_at(&bench, 3) - clock_at(&bench, 2);
	*counted = *counters(&bench);
	simbench_release(&bench);
}

/* A box takes tma_tensor_latency more than bytes side by side, and a request for each row, five cycles apart; a map
 * that the unit has not had takes tma_map_latency. What is outside the tensor is not requested. */
START_TEST(boxes_take_longer)
{
	struct copies row = {.bytes = ROW, .count = 1};
	uint32_t bytes = load(&row), first[2], second[2], outside[2];
	struct hd_counters counted;
	load_box(0, 90, 150, first, &counted);
	ck_assert_uint_eq(first[1], bytes + (ROWS - 1) * 5 + 90);
	ck_assert_uint_eq(first[0], first[1] + 150);
	ck_assert_uint_eq(counted.tma_requests, 2 * ROWS);
	ck_assert_uint_eq(counted.tma_bytes, 2 * ROWS * ROW);
	ck_assert_uint_eq(counted.tma_outside_bytes, 0);
	ck_assert_uint_eq(counted.icnt_flits_up, 2 * ROWS);
	ck_assert_uint_eq(counted.icnt_flits_down, 2 * ROWS * 3);
	load_box(0, 290, 1150, second, &counted);
	ck_assert_uint_eq(second[1], first[1] + 200);
	ck_assert_uint_eq(second[0], first[0] + 200 + 1000);
	load_box(96, 90, 150, outside, &counted);
	ck_assert_uint_eq(counted.tma_outside_bytes, 2 * ROWS * ROW / 2);
	ck_assert_uint_eq(counted.icnt_flits_down, 2 * ROWS * 2);
	ck_assert_uint_eq(outside[1], first[1] - 1); /* a sector less in the last answer */
}
END_TEST

/* Of rows of a sector L2 fetches that from DRAM, or 64 bytes, or the line, as the map has it. */
START_TEST(maps_promote_misses)
{
	static const uint32_t sectors[] = {1, 2, 4, 4};
	for (uint8_t promotion = 0; promotion < 4; promotion++) {
		struct simbench bench;
		begin(&bench);
		make_barrier(&bench);
		place(&bench, 0);
		for (uint8_t i = 0; i < 4; i++)
			simbench_mov(&bench, COORDINATES + i, 0);
		simbench_mov(&bench, 31, ROWS * 32);
		operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_UTMALDG);
		inst->a = COPY, inst->b = COORDINATES, inst->c = BYTES, inst->mods = HD_MOD(DIMS, 2);
		wait_for(&bench, true, PARITY);
		uint64_t address = start_with_map(&bench, 32, promotion);
		struct hd_launch launch = simbench_launch(&bench, 1, 1, &address);
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		ck_assert_uint_eq(counters(&bench)->tma_requests, ROWS);
		ck_assert_uint_eq(counters(&bench)->dram_reads, ROWS * sectors[promotion]);
		simbench_release(&bench);
	}
}
END_TEST

/* Bytes that a prefetch has brought into L2 a long time ago are copied as those that a copy has. Others come from DRAM,
 * which sees the request a clock later, opens a row, and reads four sectors of one bank group, the last in a clock. */
START_TEST(prefetches_bring_lines_into_l2)
{
	struct copies line = {.bytes = 128, .count = 1};
	uint32_t warm = load(&line);
	for (uint32_t fetched = 0; fetched < 2; fetched++) {
		struct simbench bench;
		uint64_t address;
		begin(&bench);
		bench.config.dram_mhz = bench.config.core_mhz;
		make_barrier(&bench);
		place(&bench, 128);
		operation(&bench, HD_SYNCS_ARRIVE_TX, BYTES);
		if (fetched)
			copy(&bench, HD_BULK_PF);
		simbench_chain(&bench, 300);
		look_at_clock(&bench, 0);
		copy(&bench, HD_BULK_G2S);
		wait_for(&bench, true, PARITY);
		look_at_clock(&bench, 1);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		ck_assert_int_eq(hd_sim_malloc(bench.sim, 65536, &address), 0);
		struct hd_launch launch = simbench_launch(&bench, 1, 1, &address);
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		const struct hd_config *c = &bench.config;
		int64_t dram = c->dram_latency + 1 + c->t_rcd + c->t_cl + 3 * c->t_ccdl + 1;
		ck_assert_uint_eq(clock_at(&bench, 1), warm + (fetched ? 0 : (uint32_t)dram));
		ck_assert_uint_eq(counters(&bench)->tma_loads, 1 + fetched);
		ck_assert_uint_eq(counters(&bench)->tma_requests, 1 + fetched);
		ck_assert_uint_eq(counters(&bench)->tma_shared_cycles, 1);
		ck_assert_uint_eq(counters(&bench)->dram_reads, 4);
		simbench_release(&bench);
	}
}
END_TEST

/* ---- for other blocks */

enum { MULTICAST = 99, WAY = 60, SENT = 1024 };

/* Two blocks on an SM each, whose barriers expect the bytes before either goes on. R33 is the block's number, P2
 * whether it is the first, P3 whether it is the second. */
static void begin_cluster(struct simbench *bench, uint32_t bytes, int64_t way_there)
{
	begin(bench);
	bench->config.sm_count = 2;
	bench->config.tma_multicast = MULTICAST;
	bench->config.dsm_latency = way_there;
	bench->config.dsm_bytes = 16;
	make_barrier(bench);
	place(bench, bytes);
	simbench_mov(bench, 31, bytes);
	operation(bench, HD_SYNCS_ARRIVE_TX, 31);
	simbench_s2r(bench, 33, HD_SR_CTAID_X);
	for (uint8_t i = 0; i < 2; i++) {
		struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
		test->pdst = 2 + i, test->a = 33, test->xkind = HD_X_IMM_B, test->x = i;
		test->mods = HD_MOD(CMP, HD_CMP_EQ) | HD_MOD(BOOL, HD_BOOL_AND);
	}
}

static void meet(struct simbench *bench)
{
	simbench_emit(bench, HD_OP_CGABAR_ARV);
	simbench_emit(bench, HD_OP_CGABAR_WAIT);
	look_at_clock(bench, 0);
}

static uint32_t clock_of(const struct simbench *bench, uint32_t sm, uint32_t number)
{
	return bench->sim->gpu.sms[sm]->warps[0].regs[CLOCKS + number][0];
}

static void run_cluster(struct simbench *bench)
{
	uint64_t address;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 65536, &address), 0);
	struct hd_launch launch = simbench_launch(bench, 2, 1, &address);
	launch.cluster[0] = 2, launch.cluster[1] = launch.cluster[2] = 1;
	for (uint32_t i = 0; i < 2; i++) {
		int error = hd_sim_launch(bench->sim, &launch);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	}
	ck_assert_uint_eq(clock_of(bench, 0, 0), clock_of(bench, 1, 0));
}

/*
 * A line for both blocks is there tma_multicast cycles behind one for a block alone, in both at once; where a window
 * may be longer than that, as long as a way between SMs behind the answer, which is at shared memory a cycle later. The
 * copy is over when the other block has acknowledged it, a way later.
 */
START_TEST(several_blocks_get_a_copy)
{
	static const uint32_t ways[] = {WAY, 150}, more[] = {MULTICAST, 149};
	struct copies line = {.bytes = 128, .count = 1};
	uint32_t cycles = load(&line);
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin_cluster(&bench, 128, ways[i]);
		simbench_mov(&bench, BYTES + 1, 3);
		meet(&bench);
		copy(&bench, HD_BULK_G2S);
		hd_vec_last(&bench.code).guard = 2;
		hd_vec_last(&bench.code).mods |= HD_MOD(CAST, 1);
		wait_for(&bench, true, PARITY);
		look_at_clock(&bench, 1);
		run_cluster(&bench);
		for (uint32_t sm = 0; sm < 2; sm++)
			ck_assert_uint_eq(clock_of(&bench, sm, 1) - clock_of(&bench, sm, 0), cycles + more[i]);
		ck_assert_uint_eq(counters(&bench)->multicast_bytes, 128);
		ck_assert_uint_eq(counters(&bench)->tma_loads, 1);
		ck_assert_uint_eq(counters(&bench)->tma_requests, 1);
		ck_assert_uint_eq(counters(&bench)->tma_barriers, 2);
		ck_assert_uint_eq(counters(&bench)->tma_flight_cycles, cycles + more[i] - WAKE - 1 + ways[i]);
		simbench_release(&bench);
	}
}
END_TEST

/* A copy of 16 bytes for the block alone is issued behind one for both, and is there before it: each in its own time,
 * at barriers of their own. */
START_TEST(copies_overtake_those_for_several_blocks)
{
	enum { OTHER = 56, SECOND = 38 };
	struct copies line = {.bytes = 128, .count = 1}, word = {.bytes = 16, .count = 1};
	uint32_t both = load(&line) + MULTICAST, alone = load(&word);
	struct simbench bench;
	begin_cluster(&bench, 128, WAY);
	simbench_mov(&bench, BYTES + 1, 3);
	simbench_mov(&bench, SECOND, 8);
	operation(&bench, HD_SYNCS_INIT, COUNT)->a = SECOND;
	simbench_param(&bench, OTHER);
	simbench_mov(&bench, OTHER + 2, PLACE + 512);
	simbench_mov(&bench, OTHER + 3, 8);
	simbench_mov(&bench, OTHER + 4, 16);
	simbench_mov(&bench, OTHER + 5, 0);
	operation(&bench, HD_SYNCS_ARRIVE_TX, OTHER + 4)->a = SECOND;
	meet(&bench);
	copy(&bench, HD_BULK_G2S);
	hd_vec_last(&bench.code).guard = 2;
	hd_vec_last(&bench.code).mods |= HD_MOD(CAST, 1);
	copy(&bench, HD_BULK_G2S);
	hd_vec_last(&bench.code).guard = 2;
	hd_vec_last(&bench.code).a = OTHER, hd_vec_last(&bench.code).c = OTHER + 4;
	wait_for(&bench, true, PARITY)->a = SECOND;
	hd_vec_last(&bench.code).guard = 2;
	look_at_clock(&bench, 1);
	wait_for(&bench, true, PARITY);
	look_at_clock(&bench, 2);
	run_cluster(&bench);
	ck_assert_uint_lt(alone + ISSUE, both);
	ck_assert_uint_eq(clock_of(&bench, 0, 1) - clock_of(&bench, 0, 0), alone + ISSUE);
	ck_assert_uint_eq(clock_of(&bench, 0, 2) - clock_of(&bench, 0, 0), both);
	ck_assert_uint_eq(clock_of(&bench, 1, 2) - clock_of(&bench, 1, 0), both);
	simbench_release(&bench);
}
END_TEST

/*
 * The second block sends 1 KB to the first: issued in cycle 1, eight lines of shared memory are read from 1 + 40 on,
 * five cycles apart, the last one in a cycle; they leave at 16 bytes a cycle, and are there a way later.
 */
START_TEST(a_block_sends_to_another)
{
	static const uint32_t ways[] = {WAY, 150};
	for (uint32_t i = 0; i < 2; i++) {
		struct simbench bench;
		begin_cluster(&bench, SENT, ways[i]);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_MAPA); /* in the block of rank 0 */
		inst->dst = COPY, inst->a = COPY + 2, inst->b = HD_RZ;
		inst = simbench_emit(&bench, HD_OP_MAPA);
		inst->dst = COPY + 3, inst->a = BARRIER, inst->b = HD_RZ;
		meet(&bench);
		copy(&bench, HD_BULK_S2S);
		hd_vec_last(&bench.code).guard = 3;
		wait_for(&bench, true, PARITY);
		hd_vec_last(&bench.code).guard = 2;
		look_at_clock(&bench, 1);
		run_cluster(&bench);
		ck_assert_uint_eq(clock_of(&bench, 0, 1) - clock_of(&bench, 0, 0),
				  1 + LATENCY + 7 * 5 + 1 + SENT / 16 + ways[i] + WAKE);
		ck_assert_uint_eq(clock_of(&bench, 1, 1) - clock_of(&bench, 1, 0), 3); /* it does not wait */
		ck_assert_uint_eq(counters(&bench)->tma_bytes, SENT);
		ck_assert_uint_eq(counters(&bench)->tma_requests, 0);
		ck_assert_uint_eq(counters(&bench)->tma_shared_cycles, SENT / 128);
		ck_assert_uint_eq(counters(&bench)->multicast_bytes, 0);
		simbench_release(&bench);
	}
}
END_TEST

/* A fault ends a launch whose copy is in flight: the next one's are counted from its own copy's issue on. */
START_TEST(a_fault_forgets_copies)
{
	struct copies word = {.bytes = 16, .count = 1};
	uint32_t warm = load(&word);
	struct simbench bench;
	uint64_t address, end;
	begin(&bench);
	make_barrier(&bench);
	place(&bench, 16);
	simbench_mov(&bench, 31, 16);
	operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	copy(&bench, HD_BULK_G2S);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 30, inst->a = COPY, inst->xkind = HD_X_OTHER, inst->x = 16, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	wait_for(&bench, true, PARITY);
	look_at_clock(&bench, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 65536, &address), 0);
	struct hd_launch good = simbench_launch(&bench, 1, 1, &address), bad = simbench_launch(&bench, 1, 1, &end);
	end = address + 65536 - 16; /* behind which the load is */
	ck_assert_int_eq(hd_sim_launch(bench.sim, &good), 0);
	uint32_t cold = clock_at(&bench, 1);
	ck_assert_uint_eq(counters(&bench)->tma_busy_cycles, cold - WAKE - 1);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &bad), HD_SIM_BAD_ADDRESS);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &good), 0);
	uint32_t cycles = clock_at(&bench, 1);
	ck_assert_uint_eq(cycles, warm); /* the load is over long before the copy */
	ck_assert_uint_eq(counters(&bench)->tma_flight_cycles, cycles - WAKE - 1);
	ck_assert_uint_eq(counters(&bench)->tma_busy_cycles, cycles - WAKE - 1);
	ck_assert_uint_eq(counters(&bench)->tma_hidden_slots, 3); /* the copy, the load, the wait */
	simbench_release(&bench);
}
END_TEST

/* ---- groups of stores */

static void group(struct simbench *bench)
{
	simbench_emit(bench, HD_OP_UTMACMDFLUSH);
}

static void wait_group(struct simbench *bench, bool reads, uint32_t left)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_UTMAWAIT);
	inst->xkind = HD_X_OTHER, inst->x = left, inst->mods = HD_MOD(READS, reads);
}

/* Two groups of a store each: cycles behind waits for what is read, or written, of the first and of both. */
static void store(uint32_t bytes, uint32_t clock[5], struct hd_counters *counted)
{
	struct simbench bench;
	begin(&bench);
	place(&bench, bytes);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	copy(&bench, HD_BULK_S2G);
	group(&bench);
	copy(&bench, HD_BULK_S2G);
	group(&bench);
	wait_group(&bench, true, 1);
	look_at_clock(&bench, 1);
	wait_group(&bench, true, 0);
	look_at_clock(&bench, 2);
	wait_group(&bench, false, 1);
	look_at_clock(&bench, 3);
	wait_group(&bench, false, 0);
	look_at_clock(&bench, 4);
	run(&bench);
	for (uint32_t i = 0; i < 5; i++)
		clock[i] = clock_at(&bench, i);
	*counted = *counters(&bench);
	simbench_release(&bench);
}

/*
 * The stores are issued in cycles 1 and 3 and taken in 1 and 33. Shared memory has been read when the last request is
 * made: 40 cycles later, and with eight lines 35 more, or for the second store behind those of the first.
 */
START_TEST(waits_are_for_groups)
{
	uint32_t clock[5], large[5];
	struct hd_counters counted;
	store(16, clock, &counted);
	ck_assert_uint_eq(clock[1], 1 + LATENCY);
	ck_assert_uint_eq(clock[2], 1 + ISSUE + LATENCY);
	ck_assert_uint_gt(clock[3], clock[2]);
	ck_assert_uint_eq(clock[4], clock[3] + ISSUE);
	ck_assert_uint_eq(counted.tma_stores, 2);
	ck_assert_uint_eq(counted.tma_bytes, 32);
	ck_assert_uint_eq(counted.tma_shared_cycles, 2);
	/* Waits of cycles 5 and those behind the looks at the clock. */
	ck_assert_uint_eq(counted.tma_wait_cycles,
			  clock[1] - 5 + clock[2] - clock[1] - 1 + clock[3] - clock[2] - 1 + clock[4] - clock[3] - 1);
	ck_assert_uint_eq(counted.tma_busy_cycles, 0); /* copies to shared memory alone */
	store(1024, large, &counted);
	ck_assert_uint_eq(counted.icnt_flits_up, 16 * 5);
	ck_assert_uint_eq(counted.icnt_flits_down, 16);
	ck_assert_uint_eq(large[1], 1 + LATENCY + 7 * 5);
	ck_assert_uint_eq(large[2], 1 + LATENCY + 15 * 5);
}
END_TEST

/* Cycles until a warp has ended so many groups of a store each. */
static uint32_t end_groups(uint32_t count)
{
	struct simbench bench;
	begin(&bench);
	bench.config.tma_queue = 1024;
	place(&bench, 16);
	simbench_chain(&bench, 20);
	look_at_clock(&bench, 0);
	for (uint32_t i = 0; i < count; i++) {
		copy(&bench, HD_BULK_S2G);
		group(&bench);
	}
	look_at_clock(&bench, 1);
	run(&bench);
	uint32_t cycles = clock_at(&bench, 1);
	simbench_release(&bench);
	return cycles;
}

/* The flush of a group waits while 63 are under way: that of the 64th until the first has been written, where
 * waits_are_for_groups has it, and each further one 32 cycles longer. */
START_TEST(so_many_groups_are_under_way)
{
	uint32_t clock[5];
	struct hd_counters counted;
	store(16, clock, &counted);
	ck_assert_uint_eq(end_groups(62), 1 + 2 * 62);
	ck_assert_uint_eq(end_groups(63), 1 + 2 * 63);
	ck_assert_uint_eq(end_groups(64), clock[3]);
	ck_assert_uint_eq(end_groups(66), clock[3] + 2 * ISSUE);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("bulk", (const TTest *const[]){
					   answers_take_the_time_of_a_wake,
					   operations_stand_in_line,
					   who_waits_goes_on_when_the_phase_is_over,
					   a_wait_has_a_limit,
					   copies_arrive_when_they_are_done,
					   copies_of_another_warp_arrive_before,
					   fences_wait_for_loads_behind_copies,
					   copies_take_the_time_of_the_unit,
					   requests_are_rows_apart,
					   slots_beside_copies_are_counted,
					   boxes_take_longer,
					   maps_promote_misses,
					   prefetches_bring_lines_into_l2,
					   several_blocks_get_a_copy,
					   copies_overtake_those_for_several_blocks,
					   a_block_sends_to_another,
					   a_fault_forgets_copies,
					   waits_are_for_groups,
					   so_many_groups_are_under_way,
					   NULL,
				   });
}
