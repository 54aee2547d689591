/*
 * Products of warpgroups in time: when they are issued, when they have the tensor cores, and when they are there. Also
 * registers that a block's warps hand on (setmaxnreg): when they have them, and who waits in vain.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "simbench.h"

enum { GROUP = 128, WARPS = 4, FACTORS = 24, LEFT = 28, VALUE = 36, CLOCKS = 40 };

/*
 * Four schedulers, a warp of the group on each. A product of 8 columns of halves is 64 * 8 * 16 = 8192 multiply-adds,
 * of which four units of 128 do 512 a cycle: 16 cycles. Its factors are 64 and 8 rows of 32 bytes: shared memory
 * delivers 128 bytes a cycle, so that they take 18 cycles; with the left one in registers 8 rows take 2.
 */
enum { MULTIPLY = 16, DELIVER = 18, ISSUE = 3, ISSUE_REGISTERS = 7, TAIL = 50, TAIL_REGISTERS = 20 };
enum { QUEUE = 3, QUEUE_REGISTERS = 2, CHAIN = 5 };

static void begin(struct simbench *bench)
{
	simbench_init(bench);
	bench->config.compute_major = 9;
	bench->config.schedulers = 4;
	bench->config.units_int = bench->config.units_fp32 = bench->config.units_sfu = 4;
	bench->config.units_tensor = 4;
	bench->config.tensor_single = 128;
	bench->config.wgmma_issue_ss = ISSUE;
	bench->config.wgmma_issue_rs = ISSUE_REGISTERS;
	bench->config.lat_wgmma_ss = TAIL;
	bench->config.lat_wgmma_rs = TAIL_REGISTERS;
	bench->config.wgmma_queue_ss = QUEUE;
	bench->config.wgmma_queue_rs = QUEUE_REGISTERS;
	bench->config.wgmma_chain = CHAIN;
	bench->meta.registers = 64;
	bench->meta.shared_bytes = 4096;
}

static void product(struct simbench *bench, uint8_t accumulator, bool registers)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_WGMMA);
	inst->dst = accumulator;
	inst->a = registers ? LEFT : FACTORS;
	inst->b = FACTORS + 2;
	inst->c = HD_RZ;
	inst->psrc = HD_PT;
	inst->mods = HD_MOD(WGA, registers ? HD_WG_REGISTERS : HD_WG_SHARED) | HD_MOD(WGTYPE, HD_WG_F16) |
		     HD_MOD(WGACC, HD_WG_ACC_F32);
}

static void group(struct simbench *bench, uint32_t mode, uint32_t left)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_WARPGROUP);
	inst->mods = HD_MOD(WGMODE, mode);
	inst->xkind = mode == HD_WG_WAIT ? HD_X_OTHER : HD_X_NONE;
	inst->x = left;
}

static void look_at_clock(struct simbench *bench, uint32_t number)
{
	simbench_s2r(bench, (uint8_t)(CLOCKS + number), HD_SR_CLOCK_LO);
}

static void run(struct simbench *bench, uint32_t ctas, uint32_t threads)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, ctas, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static uint32_t absolute(const struct simbench *bench, uint32_t warp, uint32_t number)
{
	return simbench_register(bench, warp, CLOCKS + number, 0);
}

/* Cycles from the first look at the clock, which all warps take in the same cycle, until the last warp's look. */
static uint32_t clock_of_last(const struct simbench *bench, uint32_t number)
{
	uint32_t last = 0, first = absolute(bench, 0, 0);
	for (uint32_t warp = 0; warp < WARPS; warp++) {
		uint32_t at = absolute(bench, warp, number) - first;
		last = at > last ? at : last;
	}
	return last;
}

/* One product, issued in cycle 1: its result is there behind its multiply-adds and the tail. */
START_TEST(a_result_is_there_behind_a_tail)
{
	for (uint32_t registers = 0; registers < 2; registers++) {
		struct simbench bench;
		begin(&bench);
		look_at_clock(&bench, 0);
		product(&bench, 4, registers);
		group(&bench, HD_WG_COMMIT, 0);
		group(&bench, HD_WG_WAIT, 0);
		look_at_clock(&bench, 1);
		run(&bench, 1, GROUP);
		ck_assert_uint_eq(clock_of_last(&bench, 1), 1 + MULTIPLY + (registers ? TAIL_REGISTERS : TAIL));
		const struct hd_counters *counters = &simbench_stats(&bench)->counters;
		ck_assert_uint_eq(counters->wgmma, 1);
		ck_assert_uint_eq(counters->wgmma_cycles, registers ? MULTIPLY : DELIVER);
		ck_assert_uint_eq(counters->wgmma_shared_cycles, registers ? 2 : DELIVER);
		simbench_release(&bench);
	}
}
END_TEST

/* Nine products and a look at the clock behind each; the last look is behind the wait for all. */
static void line_up(struct simbench *bench, uint8_t other, bool registers)
{
	begin(bench);
	look_at_clock(bench, 0);
	for (uint32_t i = 0; i < 9; i++) {
		product(bench, i % 2 ? other : 4, registers);
		look_at_clock(bench, i + 1);
	}
	group(bench, HD_WG_COMMIT, 0);
	group(bench, HD_WG_WAIT, 0);
	look_at_clock(bench, 10);
	run(bench, 1, GROUP);
}

static void check_clocks(const struct simbench *bench, const uint32_t expected[11])
{
	for (uint32_t i = 0; i < 11; i++)
		ck_assert_msg(clock_of_last(bench, i) == expected[i], "%u: %u, not %u", i, clock_of_last(bench, i),
			      expected[i]);
}

/*
 * The first product is issued in cycle 1, and has the tensor cores from then on; product n has them from 1 + 18 (n - 1)
 * on, since the factors of each take 18 cycles. Behind a product the warp goes on after 3 cycles, or when of all so far
 * at most 3 do not have the tensor cores: behind product n when product n - 2 has them, in cycle 1 + 18 (n - 3). A look
 * at the clock takes a cycle. All is there 16 + 50 cycles behind the last one's 1 + 18 * 8.
 */
START_TEST(so_many_products_wait_for_the_tensor_cores)
{
	struct simbench bench;
	line_up(&bench, 8, false);
	check_clocks(&bench, (const uint32_t[]){0, 4, 8, 12, 19, 37, 55, 73, 91, 109, 145 + MULTIPLY + TAIL});
	simbench_release(&bench);
}
END_TEST

/* Each adds to the one before: 5 may wait, and product n holds up what follows until 1 + 18 (n - 5). */
START_TEST(more_products_of_a_chain_wait)
{
	struct simbench bench;
	line_up(&bench, 4, false);
	check_clocks(&bench, (const uint32_t[]){0, 4, 8, 12, 16, 20, 24, 37, 55, 73, 145 + MULTIPLY + TAIL});
	simbench_release(&bench);
}
END_TEST

/* An issue takes 7 cycles and a product 16: product n holds up what follows until 1 + 16 (n - 2), where 2 may wait. */
START_TEST(products_with_a_factor_in_registers_have_a_line_of_their_own)
{
	struct simbench bench;
	line_up(&bench, 8, true);
	check_clocks(&bench,
		     (const uint32_t[]){0, 8, 16, 24, 33, 49, 65, 81, 97, 113, 129 + MULTIPLY + TAIL_REGISTERS});
	simbench_release(&bench);
}
END_TEST

/* The shorter tail of the second product does not let it pass the first: both are there in cycle 1 + 16 + 50. */
START_TEST(results_come_in_order)
{
	struct simbench bench;
	begin(&bench);
	look_at_clock(&bench, 0);
	product(&bench, 4, false);
	product(&bench, 8, true);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 0);
	look_at_clock(&bench, 1);
	run(&bench, 1, GROUP);
	ck_assert_uint_lt(1 + DELIVER + MULTIPLY + TAIL_REGISTERS, 1 + MULTIPLY + TAIL);
	ck_assert_uint_eq(clock_of_last(&bench, 1), 1 + MULTIPLY + TAIL);
	simbench_release(&bench);
}
END_TEST

/* Groups of two, one and no products, whose last products begin in cycles 19, 37 and 37. */
START_TEST(a_wait_is_for_the_groups_that_are_too_many)
{
	struct simbench bench;
	begin(&bench);
	look_at_clock(&bench, 0);
	product(&bench, 4, false);
	product(&bench, 8, false);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 1); /* there is one only: in cycle 10 */
	look_at_clock(&bench, 1);
	product(&bench, 12, false);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 3);
	look_at_clock(&bench, 2);
	group(&bench, HD_WG_WAIT, 2);
	look_at_clock(&bench, 3);
	group(&bench, HD_WG_WAIT, 1);
	look_at_clock(&bench, 4);
	group(&bench, HD_WG_SERIALIZE, 0);
	look_at_clock(&bench, 5);
	run(&bench, 1, GROUP);
	/* The products are issued in cycles 1, 4 and 10, the third one's followers in 13 to 16. */
	const uint32_t expected[] = {
		0, 9, 16, 19 + MULTIPLY + TAIL, 37 + MULTIPLY + TAIL, 37 + MULTIPLY + TAIL + 2,
	};
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_msg(clock_of_last(&bench, i) == expected[i], "%u: %u, not %u", i, clock_of_last(&bench, i),
			      expected[i]);
	simbench_release(&bench);
}
END_TEST

/* The last warp of the group alone runs a chain first. */
static void delay_last(struct simbench *bench)
{
	simbench_s2r(bench, 32, HD_SR_WARPID);
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 32;
	test->xkind = HD_X_IMM_B;
	test->x = WARPS - 1;
	test->mods = HD_MOD(CMP, HD_CMP_NE) | HD_MOD(BOOL, HD_BOOL_AND);
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = bench->code.len + 100;
	simbench_chain(bench, 100);
}

/* The place of the warp's scheduler, of which there are four, in a cycle: the first one is another one in each. */
static uint32_t turn_of(uint32_t warp, uint32_t cycle)
{
	return (warp - cycle) % WARPS;
}

/*
 * Three warps go on without the fourth until three products have not begun: behind the third one they stand until the
 * fourth warp has come to the first, behind the fourth until it has come to the second. The fourth warp goes on behind
 * each product after 3 cycles, since the tensor cores have the first at once and two may wait.
 */
START_TEST(warps_wait_for_the_last_of_their_group)
{
	struct simbench bench;
	begin(&bench);
	delay_last(&bench);
	for (uint32_t i = 0; i < 4; i++) {
		look_at_clock(&bench, i);
		product(&bench, i % 2 ? 16 : 20, false);
	}
	look_at_clock(&bench, 4);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 0);
	look_at_clock(&bench, 5);
	run(&bench, 1, GROUP);
	uint32_t first = absolute(&bench, 3, 0), done = first + 1 + 3 * DELIVER + MULTIPLY + TAIL;
	for (uint32_t i = 1; i < 4; i++)
		ck_assert_uint_eq(absolute(&bench, 3, i) - first, i * (1 + ISSUE));
	for (uint32_t warp = 0; warp < 3; warp++) {
		uint32_t early = absolute(&bench, warp, 0);
		ck_assert_uint_lt(early + 100, first);
		ck_assert_uint_eq(absolute(&bench, warp, 1) - early, 1 + ISSUE);
		ck_assert_uint_eq(absolute(&bench, warp, 2) - early, 2 * (1 + ISSUE));
		/* The fourth warp's products are issued in the cycles behind its looks at the clock: in that cycle a
		 * scheduler goes on whose turn is behind the fourth one's, in the next one the others. */
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t issued = absolute(&bench, 3, i) + 1;
			bool behind = turn_of(warp, issued) > turn_of(3, issued);
			ck_assert_uint_eq(absolute(&bench, warp, 3 + i), issued + !behind);
		}
		ck_assert_uint_eq(absolute(&bench, warp, 5), done);
	}
	ck_assert_uint_eq(absolute(&bench, 3, 5), done);
	simbench_release(&bench);
}
END_TEST

/* A wait for a product to which the fourth warp has not come ends with its result, as the fourth warp's wait does. */
START_TEST(a_wait_for_a_product_that_has_not_begun)
{
	struct simbench bench;
	begin(&bench);
	delay_last(&bench);
	look_at_clock(&bench, 0);
	product(&bench, 16, false);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 0);
	look_at_clock(&bench, 1);
	run(&bench, 1, GROUP);
	for (uint32_t warp = 0; warp < WARPS; warp++)
		ck_assert_uint_eq(absolute(&bench, warp, 1), absolute(&bench, 3, 0) + 1 + MULTIPLY + TAIL);
	simbench_release(&bench);
}
END_TEST

/* Both groups come in the first cycles; the second one's product stands behind the first's. */
START_TEST(groups_share_the_tensor_cores)
{
	struct simbench bench;
	begin(&bench);
	look_at_clock(&bench, 0);
	product(&bench, 4, false);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 0);
	look_at_clock(&bench, 1);
	run(&bench, 1, 2 * GROUP);
	uint32_t ends[2] = {0, 0}, first = UINT32_MAX;
	for (uint32_t warp = 0; warp < 2 * WARPS; warp++) {
		uint32_t begun = absolute(&bench, warp, 0), end = absolute(&bench, warp, 1);
		first = begun < first ? begun : first;
		ends[warp / WARPS] = end > ends[warp / WARPS] ? end : ends[warp / WARPS];
	}
	ck_assert_uint_eq(ends[0] - first, 1 + MULTIPLY + TAIL);
	ck_assert_uint_eq(ends[1] - first, 1 + DELIVER + MULTIPLY + TAIL);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.wgmma, 2);
	simbench_release(&bench);
}
END_TEST

/* A block in the place of one before counts its products anew. */
START_TEST(the_next_block_begins_anew)
{
	struct simbench bench;
	begin(&bench);
	bench.config.max_ctas = 1;
	delay_last(&bench);
	look_at_clock(&bench, 0);
	product(&bench, 16, false);
	group(&bench, HD_WG_COMMIT, 0);
	look_at_clock(&bench, 1);
	product(&bench, 20, false);
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 1);
	look_at_clock(&bench, 2);
	run(&bench, 3, GROUP);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.wgmma, 6);
	for (uint32_t warp = 0; warp < WARPS; warp++)
		ck_assert_uint_eq(absolute(&bench, warp, 2), absolute(&bench, 3, 0) + 1 + MULTIPLY + TAIL);
	simbench_release(&bench);
}
END_TEST

/* Cycles from the issue of a load of shared memory behind a product until its result is there. */
static uint32_t load_behind_product(bool registers)
{
	struct simbench bench;
	begin(&bench);
	product(&bench, 4, registers);
	look_at_clock(&bench, 0);
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
	load->dst = VALUE, load->a = HD_RZ, load->xkind = HD_X_OTHER, load->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_ffma(&bench, VALUE, VALUE, VALUE, VALUE);
	look_at_clock(&bench, 1);
	run(&bench, 1, GROUP);
	uint32_t last = clock_of_last(&bench, 1);
	simbench_release(&bench);
	return last;
}

/*
 * Shared memory delivers factors from the cycle of the product's issue on, for 18 cycles or for 2. The loads are issued
 * 3 + 1 and 7 + 1 cycles behind the product, with a look at the clock between, and are at shared memory a cycle later:
 * in the first case they wait for 18 - 5 cycles.
 */
START_TEST(loads_of_shared_memory_stand_behind_factors)
{
	ck_assert_uint_eq(load_behind_product(false) - load_behind_product(true), DELIVER - (ISSUE + 1 + 1));
}
END_TEST

/*
 * A product of 32 columns whose left factor is in registers has the tensor cores for 16 cycles. In these the two ports
 * of a partition have room for 32 reads, of which 16 are those of the accumulator, so that a read takes a port for two
 * cycles. Six multiplications, each of which reads from both banks, are issued behind it, one a cycle. Reads begin
 * every two cycles, and within three of the window's first: from the fourth on each is a cycle late, of each of the
 * four warps.
 */
static uint64_t conflicts_beside_product(int ports)
{
	struct simbench bench;
	begin(&bench);
	bench.config.operands = HD_OPERANDS_MODERN;
	bench.config.register_banks = 8;
	bench.config.register_ports = bench.config.register_write_ports = 1;
	bench.config.tensor_single = 512;
	bench.config.wgmma_ports = ports;
	product(&bench, 8, true);
	bench.code.data[bench.code.len - 1].mods |= HD_MOD(WGN, 3);
	for (uint32_t i = 0; i < 6; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_FMUL);
		inst->dst = (uint8_t)(50 + i), inst->a = 40, inst->b = 43, inst->c = HD_RZ;
	}
	group(&bench, HD_WG_COMMIT, 0);
	group(&bench, HD_WG_WAIT, 0);
	run(&bench, 1, GROUP);
	uint64_t conflicts = simbench_stats(&bench)->counters.bank_conflicts;
	simbench_release(&bench);
	return conflicts;
}

START_TEST(accumulators_take_ports_of_the_register_file)
{
	uint64_t alone = conflicts_beside_product(HD_WGMMA_PORTS_FREE);
	ck_assert_uint_eq(conflicts_beside_product(HD_WGMMA_PORTS_SHARED) - alone, (uint64_t)WARPS * 3);
}
END_TEST

/* Without time, too, a wait is over when all four have come: the fourth has written by then what the others read. */
START_TEST(warps_meet_without_time)
{
	struct simbench bench;
	begin(&bench);
	bench.options.functional = true;
	bench.config.max_ctas = 1;
	delay_last(&bench);
	simbench_mov(&bench, VALUE, 7);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_STS);
	inst->a = HD_RZ, inst->c = VALUE, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	inst->guard = HD_PRED_NOT | 0;
	for (uint32_t i = 0; i < 2; i++) {
		product(&bench, 16, false);
		group(&bench, HD_WG_COMMIT, 0);
	}
	group(&bench, HD_WG_WAIT, 1);
	inst = simbench_emit(&bench, HD_OP_LDS);
	inst->dst = VALUE + 1, inst->a = HD_RZ, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	run(&bench, 2, GROUP);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.wgmma, 4);
	for (uint32_t warp = 0; warp < WARPS; warp++)
		ck_assert_uint_eq(simbench_register(&bench, warp, VALUE + 1, 0), 7);
	simbench_release(&bench);
}
END_TEST

/* The last warp ends without its product, and nobody waits: so none begins, in no block, with and without time. */
START_TEST(a_product_that_never_began_is_not_the_next_blocks)
{
	for (uint32_t functional = 0; functional < 2; functional++) {
		struct simbench bench;
		begin(&bench);
		bench.options.functional = functional;
		bench.config.max_ctas = 1;
		delay_last(&bench);
		struct hd_inst *end = simbench_emit(&bench, HD_OP_EXIT);
		end->guard = HD_PRED_NOT | 0;
		product(&bench, 16, false);
		run(&bench, 3, GROUP);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.wgmma, 0);
		const struct hd_wgmma_group *group = &bench.sim->gpu.sms[0]->products.groups[0];
		for (uint32_t warp = 0; warp < WARPS; warp++)
			ck_assert_uint_eq(group->issued[warp], warp < WARPS - 1);
		simbench_release(&bench);
	}
}
END_TEST

/* ---- registers that warps hand on */

enum { HAND_OVER = 17, GIVEN = 24, KEPT = 64 - GIVEN };

static void resize(struct simbench *bench, uint32_t registers)
{
	struct hd_inst *inst = simbench_emit(bench, HD_OP_USETMAXREG);
	inst->xkind = HD_X_OTHER, inst->x = registers;
	inst->mods = HD_MOD(RESIZE, registers > 64 - GIVEN ? HD_RESIZE_INC : HD_RESIZE_DEC);
}

/* Each change takes 17 cycles; four warps give 24 registers of a thread, and take them again. */
START_TEST(registers_are_given_and_taken)
{
	struct simbench bench;
	begin(&bench);
	bench.config.setmaxnreg_latency = HAND_OVER;
	look_at_clock(&bench, 0);
	resize(&bench, KEPT);
	look_at_clock(&bench, 1);
	resize(&bench, 64);
	look_at_clock(&bench, 2);
	run(&bench, 1, GROUP);
	ck_assert_uint_eq(clock_of_last(&bench, 1), 1 + HAND_OVER);
	ck_assert_uint_eq(clock_of_last(&bench, 2), 2 * (1 + HAND_OVER));
	ck_assert_uint_eq(simbench_stats(&bench)->counters.registers_moved, 4 * GIVEN * 32);
	ck_assert_uint_eq(simbench_stats(&bench)->stalls[HD_STALL_registers], 4 * 2 * (HAND_OVER - 1));
	simbench_release(&bench);
}
END_TEST

static void compare_warp(struct simbench *bench, uint8_t predicate, uint32_t least)
{
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = predicate;
	test->a = 32;
	test->xkind = HD_X_IMM_B;
	test->x = least;
	test->mods = HD_MOD(CMP, HD_CMP_GE) | HD_MOD(BOOL, HD_BOOL_AND);
}

/* The second group's warps want 24 registers more than the kernel has, and the first one's give as many each: warps 0
 * to 2 soon, and warp 3 behind its chain. Who has waited goes on 17 cycles behind the gift, the lowest number first. */
static void pass_on(struct simbench *bench)
{
	begin(bench);
	bench->config.setmaxnreg_latency = HAND_OVER;
	delay_last(bench);
	simbench_s2r(bench, 32, HD_SR_WARPID);
	compare_warp(bench, 0, WARPS);
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	branch->x = branch->reconv = bench->code.len + 44;
	simbench_chain(bench, 40); /* the others come to their wait meanwhile */
	look_at_clock(bench, 0);
	resize(bench, KEPT);
	look_at_clock(bench, 1);
	simbench_emit(bench, HD_OP_EXIT);
}

START_TEST(who_wants_registers_waits_for_them)
{
	struct simbench bench;
	pass_on(&bench);
	/* A scheduler for each warp. */
	bench.config.schedulers = bench.config.units_int = bench.config.units_fp32 = bench.config.units_sfu = 8;
	look_at_clock(&bench, 0);
	resize(&bench, 64 + GIVEN);
	look_at_clock(&bench, 1);
	run(&bench, 1, 2 * GROUP);
	uint64_t lost = 0;
	for (uint32_t warp = 0; warp < WARPS; warp++) {
		uint32_t given = absolute(&bench, warp, 0) + 1;
		ck_assert_uint_eq(absolute(&bench, warp, 1), given + HAND_OVER);
		ck_assert_uint_eq(absolute(&bench, WARPS + warp, 1), given + HAND_OVER);
		lost += HAND_OVER - 1 + given + HAND_OVER - (absolute(&bench, WARPS + warp, 0) + 2);
	}
	ck_assert_uint_gt(absolute(&bench, 3, 0), absolute(&bench, 2, 0) + 100);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.registers_moved, 4 * GIVEN * 32);
	ck_assert_uint_eq(simbench_stats(&bench)->stalls[HD_STALL_registers], lost);
	simbench_release(&bench);
}
END_TEST

/* Warp 4 wants 48 registers, of which each warp of the first group gives 24: also those that wait at a barrier for the
 * last of them. Warps of its own group have ended. It goes on behind the second gift. */
START_TEST(who_waits_at_a_barrier_may_give)
{
	struct simbench bench;
	begin(&bench);
	bench.config.setmaxnreg_latency = HAND_OVER;
	bench.config.schedulers = bench.config.units_int = bench.config.units_fp32 = bench.config.units_sfu = 8;
	delay_last(&bench);
	simbench_s2r(&bench, 32, HD_SR_WARPID);
	compare_warp(&bench, 0, WARPS);
	compare_warp(&bench, 1, WARPS + 1);
	struct hd_inst *end = simbench_emit(&bench, HD_OP_EXIT);
	end->guard = 1;
	struct hd_inst *branch = simbench_emit(&bench, HD_OP_BRA);
	uint32_t at = bench.code.len - 1;
	branch->guard = 0;
	branch->xkind = HD_X_OTHER;
	struct hd_inst *barrier = simbench_emit(&bench, HD_OP_BAR);
	barrier->xkind = HD_X_IMM_C, barrier->x = GROUP;
	look_at_clock(&bench, 0);
	resize(&bench, KEPT);
	simbench_emit(&bench, HD_OP_EXIT);
	bench.code.data[at].x = bench.code.data[at].reconv = bench.code.len;
	resize(&bench, 64 + 2 * GIVEN);
	look_at_clock(&bench, 1);
	run(&bench, 1, 2 * GROUP);
	uint32_t second = UINT32_MAX, first = UINT32_MAX;
	for (uint32_t warp = 0; warp < WARPS; warp++) {
		uint32_t given = absolute(&bench, warp, 0) + 1;
		second = given < first ? first : given < second ? given : second;
		first = given < first ? given : first;
	}
	ck_assert_uint_eq(absolute(&bench, WARPS, 1), second + HAND_OVER);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.registers_moved, 2 * GIVEN * 32);
	simbench_release(&bench);
}
END_TEST

/* The first group gives less than the second wants: 4 * 24 for 4 * 32, so that three warps get theirs, and the last one
 * waits for ever. That is known when the last one has given. */
START_TEST(a_wait_in_vain_is_a_fault)
{
	struct simbench bench;
	char text[1024];
	pass_on(&bench);
	resize(&bench, 64 + GIVEN + 8);
	look_at_clock(&bench, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_capture(&bench, 1, 2 * GROUP, text, sizeof text), HD_SIM_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(hd_sim_error_text(bench.sim),
				     "setmaxnreg.inc to 96 waits for ever: warp 7 wants 1024 registers more, its "
				     "block's pool has 0, and other warps give up 0 at most"));
	simbench_release(&bench);
}
END_TEST

/* Nobody gives any: the first warp's wait is in vain at once. */
START_TEST(a_wait_for_nobodys_registers_is_a_fault)
{
	struct simbench bench;
	char text[1024];
	begin(&bench);
	resize(&bench, 64 + GIVEN);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_capture(&bench, 1, GROUP, text, sizeof text), HD_SIM_TIMEOUT);
	const char *error = hd_sim_error_text(bench.sim);
	ck_assert_msg(strstr(error, "wants 768 registers more, its block's pool has 0, and other warps give up 0 at "
				    "most") != NULL,
		      "%s", error);
	ck_assert_uint_lt(hd_sim_cycles(bench.sim), 100);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("wgmma", (const TTest *const[]){
					    a_result_is_there_behind_a_tail,
					    so_many_products_wait_for_the_tensor_cores,
					    more_products_of_a_chain_wait,
					    products_with_a_factor_in_registers_have_a_line_of_their_own,
					    results_come_in_order,
					    a_wait_is_for_the_groups_that_are_too_many,
					    warps_wait_for_the_last_of_their_group,
					    a_wait_for_a_product_that_has_not_begun,
					    groups_share_the_tensor_cores,
					    the_next_block_begins_anew,
					    loads_of_shared_memory_stand_behind_factors,
					    accumulators_take_ports_of_the_register_file,
					    warps_meet_without_time,
					    a_product_that_never_began_is_not_the_next_blocks,
					    registers_are_given_and_taken,
					    who_wants_registers_waits_for_them,
					    who_waits_at_a_barrier_may_give,
					    a_wait_in_vain_is_a_fault,
					    a_wait_for_nobodys_registers_is_a_fault,
					    NULL,
				    });
}
