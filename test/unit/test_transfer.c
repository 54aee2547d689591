/* Transfers of contexts: what moves, when who is told, how much is in flight, and whom it gives way to. */
#include "harness.h"
#include "heddle/opcodes.h"

#include "runtime/sm/hooks.h"
#include "runtime/sm/transfer.h"
#include "simbench.h"

enum { THREADS = 32, PLANS = 300, LINE = 128 };

/* What the policy moves when its block starts, and what it is told. */
static struct hd_transfer plan[PLANS];
static uint32_t planned, accepted, moved_count, done_count;
static uint64_t started, moved_at[PLANS], done_at[PLANS];
static uint32_t order[PLANS];
static bool again; /* each that is done has the next one begin */
static uint32_t most;

static void move_next(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_warp *warp)
{
	struct hd_transfer transfer = plan[accepted];
	transfer.self = self;
	transfer.arg = accepted;
	if (transfer.warp)
		transfer.warp = warp;
	transfer.grid = warp->cta->grid;
	accepted += hd_sm_transfer(sm, &transfer);
}

static void tell_moved(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	(void)self;
	ck_assert_uint_eq(sm->now, now);
	ck_assert_uint_eq(done_at[arg], 0);
	moved_at[arg] = now - started;
	moved_count++;
}

static const struct hd_warp *first_warp;

static void tell_done(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	ck_assert_uint_eq(sm->now, now);
	ck_assert_uint_eq(done_at[arg], 0);
	done_at[arg] = now - started;
	order[done_count++] = (uint32_t)arg;
	if (again && accepted < planned)
		move_next(self, sm, first_warp);
}

static void begin(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	started = sm->now;
	first_warp = cta->warps[0];
	for (uint32_t before = UINT32_MAX; accepted < planned && accepted != before && !(again && accepted);) {
		before = accepted;
		move_next(self, sm, cta->warps[0]);
	}
	most = accepted;
}

static const struct hd_policy_hooks hooks = {.several_grids = true, .allocation.cta_launch = begin};
static const struct hd_policy policy = {.name = "mover", .hooks = &hooks};

static struct simbench bench;

/* One SM whose kernel has nothing to do with memory. */
static void set_up(void)
{
	planned = accepted = moved_count = done_count = most = 0;
	again = false;
	memset(plan, 0, sizeof plan);
	memset(moved_at, 0, sizeof moved_at);
	memset(done_at, 0, sizeof done_at);
	simbench_init(&bench);
}

static void add(uint64_t address, uint32_t bytes, enum hd_direction direction)
{
	plan[planned++] = (struct hd_transfer){.address = HD_TRANSFER_PHYSICAL + address,
					       .bytes = bytes,
					       .direction = direction,
					       .moved = tell_moved,
					       .done = tell_done};
}

static struct hd_counters run_chain(uint32_t length)
{
	simbench_chain(&bench, length);
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &policy, "");
	hd_policy_place(&bench.sim->gpu);
	int error = simbench_run(&bench, 1, THREADS);
	ck_assert_msg(!error, "%s", bench.message);
	struct hd_counters counters = simbench_stats(&bench)->counters;
	ck_assert_uint_eq(bench.sim->gpu.sms[0]->transfers.count, 0);
	simbench_release(&bench);
	return counters;
}

START_TEST(lines_are_written_whole_and_read_again)
{
	enum { LINES = 40 };
	again = true;
	add(0, LINES * LINE, HD_TRANSFER_OUT);
	add(0, LINES * LINE, HD_TRANSFER_IN);
	add(1 << 20, LINES * LINE, HD_TRANSFER_IN);
	struct hd_counters c = run_chain(10);
	ck_assert_uint_eq(done_count, 3);
	ck_assert_uint_eq(moved_count, 1);
	ck_assert_uint_eq(c.transfer_bytes_out, LINES * LINE);
	ck_assert_uint_eq(c.transfer_bytes_in, 2 * LINES * LINE);
	/* L2 fetches what is read and was not there, nothing else; nobody else is there. */
	ck_assert_uint_eq(c.dram_reads, 4 * LINES);
	ck_assert_uint_eq(c.transfer_misses, 4 * LINES);
	ck_assert_uint_eq(c.l2_accesses, 3 * 4 * LINES);
	ck_assert_uint_eq(c.l1d_accesses, 0);
	ck_assert_uint_eq(c.bank_reads + c.bank_writes - c.transfer_register_reads - c.transfer_register_writes,
			  4 * 10);
	/* A flit for the header, five with a line of data: writes and their answers, reads and theirs. */
	ck_assert_uint_eq(c.transfer_flits, LINES * (5 + 1 + 2 * (1 + 5)));
	ck_assert_uint_eq(c.icnt_flits_up + c.icnt_flits_down, c.transfer_flits);
	ck_assert_uint_eq(c.transfer_shared_cycles + c.transfer_register_reads + c.transfer_register_writes, 0);
	/* The grid, of some 50 cycles, has not ended before its context was there. */
	ck_assert_uint_ge(c.cycles, done_at[2]);
}
END_TEST

START_TEST(sectors_move_whole)
{
	add(LINE - 32, 40, HD_TRANSFER_OUT); /* the last of one line, the first of the next */
	add(1024, 1, HD_TRANSFER_OUT);
	struct hd_counters c = run_chain(10);
	ck_assert_uint_eq(c.transfer_bytes_out, 3 * 32);
	ck_assert_uint_eq(c.l2_accesses, 3);
	ck_assert_uint_eq(c.dram_reads, 0);
	ck_assert_uint_eq(c.transfer_flits, 3 * (2 + 1));
	ck_assert_uint_eq(done_count, 2);
}
END_TEST

/* Twelve registers in three lines: four for each. */
START_TEST(registers_are_read_before_and_written_behind)
{
	again = true;
	add(0, 3 * LINE, HD_TRANSFER_OUT);
	add(0, 3 * LINE, HD_TRANSFER_IN);
	for (uint32_t i = 0; i < 2; i++) {
		plan[i].warp = (const struct hd_warp *)&bench; /* the block's first */
		plan[i].registers[0] = 0x0fff;
	}
	struct hd_counters c = run_chain(500);
	ck_assert_uint_eq(c.transfer_register_reads, 12);
	ck_assert_uint_eq(c.transfer_register_writes, 12);
	ck_assert_uint_eq(c.bank_reads, 3 * 500 + 12);
	ck_assert_uint_eq(c.bank_writes, 500 + 12);
	/* A register a cycle, from the cycle of the block's launch on. */
	ck_assert_uint_ge(moved_at[0], 11);
	ck_assert_uint_le(moved_at[0], 12);
	ck_assert_uint_gt(done_at[0], moved_at[0]);
	ck_assert_uint_eq(done_count, 2);
}
END_TEST

/* A line whose last register takes four cycles longer to read leaves the SM four cycles later. */
START_TEST(a_line_waits_for_its_last_register)
{
	uint64_t done[2];
	for (uint32_t i = 0; i < 2; i++) {
		set_up();
		bench.config.register_latency = i ? 5 : 1;
		add(0, LINE, HD_TRANSFER_OUT);
		plan[0].warp = (const struct hd_warp *)&bench;
		plan[0].registers[0] = 0x000f;
		run_chain(100);
		done[i] = done_at[0];
	}
	ck_assert_uint_eq(done[1], done[0] + 4);
}
END_TEST

START_TEST(shared_memory_gives_a_line_a_cycle)
{
	add(0, 20 * LINE, HD_TRANSFER_OUT);
	plan[0].shared = true;
	struct hd_counters c = run_chain(10);
	ck_assert_uint_eq(c.transfer_shared_cycles, 20);
	ck_assert_uint_eq(c.shared_cycles, 20);
	ck_assert_uint_eq(c.shared_accesses, 0);
	ck_assert_uint_ge(moved_at[0], 19);
}
END_TEST

static uint64_t cycles_with_lines(uint32_t lines)
{
	set_up();
	bench.config.transfer_lines = lines;
	add(0, 64 * LINE, HD_TRANSFER_OUT);
	run_chain(10);
	return done_at[0];
}

START_TEST(no_more_lines_are_under_way_than_the_key_says)
{
	simbench_release(&bench);
	uint64_t one = cycles_with_lines(1), two = cycles_with_lines(2), all = cycles_with_lines(64);
	/* One after the other, each as long as the way to L2 and back. */
	ck_assert_uint_ge(one, 64 * bench.config.l2_latency);
	ck_assert_uint_lt(two, one * 6 / 10);
	ck_assert_uint_gt(two, one * 4 / 10);
	ck_assert_uint_lt(all, one / 20);
}
END_TEST

/* Lines of ordinary transfers that bring something go first, one a cycle: a low one's only line leaves behind them. */
START_TEST(a_low_line_waits_for_each_ordinary_one)
{
	uint64_t alone = 0;
	for (uint32_t lines = 0; lines <= 8; lines += 4) {
		if (lines)
			set_up();
		add(1 << 20, LINE, HD_TRANSFER_OUT);
		plan[0].low = true;
		if (lines)
			add(0, lines * LINE, HD_TRANSFER_IN);
		run_chain(100);
		alone = lines ? alone : moved_at[0];
		ck_assert_uint_eq(moved_at[0], alone + lines);
	}
}
END_TEST

START_TEST(many_wait_in_their_order_and_low_ones_behind)
{
	for (uint32_t i = 0; i < PLANS; i++) {
		add((uint64_t)i * 8192, 2 * LINE, HD_TRANSFER_OUT);
		plan[i].low = i % 4 == 0;
		plan[i].moved = NULL;
	}
	struct hd_counters c = run_chain(10);
	ck_assert_uint_eq(most, HD_MAX_TRANSFERS); /* one more was refused */
	ck_assert_uint_eq(done_count, most);
	ck_assert_uint_eq(c.transfer_bytes_out, most * 2 * LINE);
	/* Slices answer out of order, but not by far. */
	uint64_t last_ordinary = 0, first_low = UINT64_MAX;
	for (uint32_t i = 0; i < most; i++) {
		if (!plan[i].low && done_at[i] > last_ordinary)
			last_ordinary = done_at[i];
		if (plan[i].low && done_at[i] < first_low)
			first_low = done_at[i];
	}
	ck_assert_uint_gt(first_low + 50, last_ordinary);
}
END_TEST

/* ---- beside the program's requests */

enum { LOADS = 16, WARPS = 16 };

/* Each warp loads lines of its own, the next when it has the one before. */
static void build_loads(void)
{
	bench.meta.registers = 64;
	simbench_s2r(&bench, 8, HD_SR_TID_X);
	simbench_param(&bench, 2);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 4;
	for (uint32_t i = 0; i < LOADS; i++) {
		inst = simbench_emit(&bench, HD_OP_LDG);
		inst->dst = 10, inst->a = 4, inst->xkind = HD_X_OTHER, inst->x = i * 128u * WARPS;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		simbench_ffma(&bench, 11, 10, 10, 10);
	}
}

/* Cycles of the program beside transfers; *moved: bytes by then. */
static uint64_t cycles_beside(bool transfers, bool low)
{
	uint64_t address;
	set_up();
	build_loads();
	for (uint32_t i = 0; transfers && i < HD_MAX_TRANSFERS; i++) {
		add((uint64_t)i * 65536, 64 * LINE, HD_TRANSFER_OUT);
		plan[i].low = low;
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &policy, "");
	hd_policy_place(&bench.sim->gpu);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, LOADS * WARPS * LINE, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 32 * WARPS, &address);
	ck_assert_msg(!hd_sim_launch(bench.sim, &launch), "%s", hd_sim_error_text(bench.sim));
	ck_assert_uint_eq(done_count, planned);
	/* The grid waits for the transfers: what the program took is in its loads. */
	uint64_t latency = simbench_stats(&bench)->counters.load_latency;
	simbench_release(&bench);
	return latency;
}

START_TEST(low_priority_gives_way_to_the_program)
{
	simbench_release(&bench);
	uint64_t alone = cycles_beside(false, false), low = cycles_beside(true, true),
		 ordinary = cycles_beside(true, false);
	ck_assert_uint_lt(low, ordinary);
	ck_assert_msg(low < alone + alone / 10, "%llu alone, %llu low, %llu ordinary", (unsigned long long)alone,
		      (unsigned long long)low, (unsigned long long)ordinary);
}
END_TEST

START_TEST(a_fault_forgets_transfers)
{
	uint64_t nowhere = 0;
	build_loads();
	for (uint32_t i = 0; i < 10; i++)
		add((uint64_t)i * 65536, 640 * LINE, HD_TRANSFER_OUT);
	ck_assert_int_eq(simbench_start(&bench), 0);
	hd_policy_add(&bench.sim->gpu, &policy, "");
	hd_policy_place(&bench.sim->gpu);
	struct hd_launch launch = {.kernel = bench.kernel, .grid = {1, 1, 1}, .block = {32 * WARPS, 1, 1}};
	launch.params = &nowhere;
	launch.param_bytes = sizeof nowhere;
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), HD_SIM_BAD_ADDRESS);
	ck_assert_uint_eq(done_count, 0);
	/* And the next one's move as if nothing had been. */
	uint64_t address;
	ck_assert_int_eq(hd_sim_malloc(bench.sim, LOADS * WARPS * LINE, &address), 0);
	launch.params = &address;
	planned = accepted = 0;
	add(0, 4 * LINE, HD_TRANSFER_OUT);
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	ck_assert_uint_eq(done_count, 1);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {lines_are_written_whole_and_read_again,
				      sectors_move_whole,
				      registers_are_read_before_and_written_behind,
				      a_line_waits_for_its_last_register,
				      shared_memory_gives_a_line_a_cycle,
				      no_more_lines_are_under_way_than_the_key_says,
				      many_wait_in_their_order_and_low_ones_behind,
				      a_low_line_waits_for_each_ordinary_one,
				      low_priority_gives_way_to_the_program,
				      a_fault_forgets_transfers,
				      NULL};
	return hd_suite_with("transfer", tests, set_up, NULL);
}
