/*
 * GPUDuet's warps that take turns (Lin, 3.6.1 to 3.6.6): when each leaves and comes back, and what that takes. The
 * rules: queues are looked at in the cycle after a warp stalls or is ready; a context of 5 units of 128 bytes (R4, R5,
 * R13, and 256 bytes of its slot) moves in 640 / port cycles, in an exchange one after the other; one moves at a time;
 * who is back issues in the same cycle. A probe behind the policy says when loads missed and when they had arrived.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { BLOCKS = 24, EVENTS = 64, MOVE = 5, LOAD = 4 /* cycles; of the kernel: instruction */ };

/* ---- what the probe sees: cycles, by event and block */

enum event { LAUNCHES, MISSES, WAITS, DRAINS, GOES_ON, ISSUES, ENDS, EVENT_KINDS };
static uint64_t seen[EVENT_KINDS][BLOCKS][EVENTS];
static uint32_t seen_count[EVENT_KINDS][BLOCKS];

static void note(enum event event, const struct hd_warp *warp, uint64_t now)
{
	uint32_t block = warp->cta->linear;
	ck_assert_uint_lt(seen_count[event][block], EVENTS);
	seen[event][block][seen_count[event][block]++] = now;
}

static void on_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self;
	note(LAUNCHES, cta->warps[0], sm->now);
}

static void on_miss(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    uint64_t now)
{
	(void)self, (void)inst;
	note(MISSES, warp, now);
}

static void on_wait(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	note(WAITS, warp, now);
}

static void on_drained(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	note(DRAINS, warp, now);
}

static void on_resume(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	note(GOES_ON, warp, now);
}

static void on_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)inst, (void)effect;
	note(ISSUES, warp, now);
}

static void on_end(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	note(ENDS, warp, now);
}

static const struct hd_policy_hooks probe_hooks = {.allocation.cta_launch = on_launch,
						   .allocation.warp_done = on_end,
						   .memory.load_miss = on_miss,
						   .issue.barrier_wait = on_wait,
						   .contexts.drained = on_drained,
						   .issue.barrier_resume = on_resume,
						   .issue.issued = on_issue};

static uint64_t when(enum event event, uint32_t block, uint32_t index)
{
	ck_assert_uint_lt(index, seen_count[event][block]);
	return seen[event][block][index];
}

/* Instruction that waits for the load of the block's one warp. */
static uint64_t goes_on(uint32_t block)
{
	return when(ISSUES, block, LOAD + 1);
}

/* ---- the kernel: each block adds one to a word of a line of its own */

static struct hd_meta_switch switches[2];

static void add_switch(struct simbench *bench, enum hd_switch_kind kind)
{
	struct hd_meta_registers live = {.regs = {3 << 4}};
	switches[bench->meta.switch_count++] = (struct hd_meta_switch){.pc = bench->code.len * HD_INST_BYTES,
								       .kind = kind,
								       .live = live,
								       .live_divergent = live,
								       .loading = {.regs = {1 << 13}},
								       .bytes = 3 * HD_ROW_BYTES};
	bench->meta.switches = switches;
	bench->meta.switch_context_bytes = 3 * HD_ROW_BYTES;
}

static struct hd_inst *access_word(struct simbench *bench, enum hd_op op)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->a = 4, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	return inst;
}

static void begin(struct simbench *bench)
{
	simbench_init(bench);
	simbench_s2r(bench, 9, HD_SR_CTAID_X);
	simbench_param(bench, 2);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 9, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 128;
	bench->config.warp_unit = 1;
	bench->config.registers = 1024; /* 16 of two warps */
	bench->options.verify = true;
	memset(switches, 0, sizeof switches);
}

static void add_one(struct simbench *bench)
{
	access_word(bench, HD_OP_LDG)->dst = 13;
	add_switch(bench, HD_SWITCH_LOAD);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = 15, inst->a = 13, inst->xkind = HD_X_IMM_B, inst->x = 1;
	access_word(bench, HD_OP_STG)->c = 15;
}

static int launch_once_more(struct simbench *bench, uint32_t blocks, uint32_t threads)
{
	uint64_t address;
	memset(seen_count, 0, sizeof seen_count);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 128 * BLOCKS, &address), 0);
	struct hd_launch launch = simbench_launch(bench, blocks, threads, &address);
	int error = hd_sim_launch(bench->sim, &launch);
	for (uint32_t block = 0; block < blocks && !error; block++) {
		uint32_t word;
		ck_assert_int_eq(hd_sim_read(bench->sim, address + 128 * block, &word, sizeof word), 0);
		ck_assert_uint_eq(word, 1);
	}
	return error;
}

static int launch(struct simbench *bench, const char *policy, uint32_t blocks, uint32_t threads)
{
	static const struct hd_policy probe = {.name = "probe", .hooks = &probe_hooks};
	bench->options.policy = policy;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	struct hd_gpu *gpu = &bench->sim->gpu;
	if (gpu->policy_count == 1) { /* what CARS says of code it says when that is loaded */
		hd_policy_add(gpu, &probe, "");
		hd_policy_place(gpu); /* all state is zero again */
		HD_HOOKED (gpu, self, start)
			self->hooks->start(self, gpu);
	}
	return launch_once_more(bench, blocks, threads);
}

static void run(struct simbench *bench, const char *policy, const char *setting, uint32_t blocks, uint32_t threads)
{
	ck_assert_msg(!hd_config_set(&bench->config, setting, &bench->diag), "%s", bench->message);
	int error = launch(bench, policy, blocks, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static void expect(const struct simbench *bench, const char *key, uint64_t value)
{
	double found = simbench_figure(bench, key);
	ck_assert_msg(found == (double)value, "%s: %g, not %lu", key, found, value);
}

/* Registers of two blocks and one more of one warp each; stalled warps leave at once. */
START_TEST(stalled_warps_make_room)
{
	struct simbench bench;
	begin(&bench);
	add_one(&bench);
	run(&bench, "duet:1", "duet.eager=1", 3, 32);
	uint64_t first = when(MISSES, 0, 0) + 1 + MOVE, second = first + MOVE, third = when(MISSES, 2, 0) + 1 + MOVE;
	ck_assert_uint_le(when(MISSES, 1, 0), first); /* it waits for the engine */
	ck_assert_uint_eq(when(ISSUES, 2, 0), first);
	uint64_t back = when(DRAINS, 0, 0) + 1 + MOVE;
	ck_assert_uint_eq(goes_on(0), back);
	ck_assert_uint_lt(when(DRAINS, 1, 0), back);
	ck_assert_uint_ge(goes_on(1), back + MOVE);
	ck_assert_uint_eq(goes_on(2), when(DRAINS, 2, 0) + 1 + MOVE);
	expect(&bench, "native_blocks", 2);
	expect(&bench, "extra_blocks", 1);
	expect(&bench, "context_bytes", 640);
	expect(&bench, "stalls", 3);
	expect(&bench, "switched_out", 3);
	expect(&bench, "switched_in", 3);
	expect(&bench, "began", 1);
	expect(&bench, "swaps", 0);
	expect(&bench, "too_late", 0);
	expect(&bench, "turned_back", 0);
	expect(&bench, "barrier_stalls", 0);
	expect(&bench, "transfer_cycles", 6 * MOVE);
	expect(&bench, "transfer_bytes", 6 * 640);
	expect(&bench, "stack_bytes", 0);
	expect(&bench, "absent_cycles",
	       when(DRAINS, 0, 0) - first + when(DRAINS, 1, 0) - second + when(DRAINS, 2, 0) - third);
	/* Block 2 from its launch to the first look; then 1, until block 0 is back, and 1. */
	expect(&bench, "ready_cycles",
	       when(MISSES, 0, 0) + 1 - when(LAUNCHES, 2, 0) + 1 + (back - when(DRAINS, 1, 0)) + 1);
	simbench_release(&bench);
}
END_TEST

/*
 * A second load, behind which three registers more live: its point keeps 6 registers, which a place has room for, and
 * that of the first load 3. What a point keeps moves, 2 units of the slot with it; a place's size, if that is to move.
 * In blocks whose rows are no 32 threads the same holds, however small the compiler's bytes are.
 */
START_TEST(what_a_point_keeps_moves)
{
	for (uint32_t trial = 0; trial < 4; trial++) {
		struct simbench bench;
		bool all = trial % 2, full_rows = trial < 2;
		begin(&bench);
		add_one(&bench);
		for (uint32_t reg = 6; reg < 9; reg++)
			simbench_mov(&bench, reg, 1);
		access_word(&bench, HD_OP_LDG)->dst = 13;
		add_switch(&bench, HD_SWITCH_LOAD);
		switches[1].live.regs[0] |= 7 << 6, switches[1].live_divergent.regs[0] |= 7 << 6;
		switches[0].bytes = full_rows ? 3 * HD_ROW_BYTES : 8;
		switches[1].bytes = bench.meta.switch_context_bytes = full_rows ? 6 * HD_ROW_BYTES : 20;
		for (uint32_t reg = 6; reg < 9; reg++) {
			struct hd_inst *inst = simbench_emit(&bench, HD_OP_IADD3);
			inst->dst = 15, inst->a = reg, inst->b = 13;
		}
		run(&bench, "duet:1", all ? "duet.all_moves=1" : "duet.all_moves=0", 3, full_rows ? 32 : 16);
		expect(&bench, "context_bytes", 1024);
		expect(&bench, "switched_out", 6);
		expect(&bench, "switched_in", 6);
		expect(&bench, "transfer_cycles", all ? 12 * (6 + 2) : 6 * (3 + 2) + 6 * (6 + 2));
		simbench_release(&bench);
	}
}
END_TEST

/*
 * Blocks of 16 x 2 threads, where nothing is compressed. The kernel's one point keeps 3 of its 16 registers, and so
 * does a context, under CARS as well. A kernel that calls functions has a place for all, as their points are not its
 * own.
 */
START_TEST(contexts_of_short_rows)
{
	static const struct {
		const char *policy;
		uint32_t calls, registers;
	} rows[] = {{"duet:1", 0, 3}, {"cars+duet:1", 0, 3}, {"duet:1", 1, 16}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct simbench bench;
		begin(&bench);
		add_one(&bench);
		bench.meta.call_count = rows[i].calls;
		bench.meta.registers = bench.meta.fru = 16;
		bench.options.policy = rows[i].policy;
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		uint64_t address;
		ck_assert_int_eq(hd_sim_malloc(bench.sim, 128 * BLOCKS, &address), 0);
		struct hd_launch launch = simbench_launch(&bench, 3, 16, &address);
		launch.block[1] = 2;
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		expect(&bench, "extra_blocks", 1);
		expect(&bench, "context_registers", rows[i].registers);
		expect(&bench, "context_bytes", (rows[i].registers + 2) * HD_ROW_BYTES);
		simbench_release(&bench);
	}
}
END_TEST

/* Two slots, and registers for sixteen warps: slots alone move, 256 bytes each, at whatever instruction a warp waits;
 * registers with them, if that is asked for, and at switch points alone. */
START_TEST(slots_alone_move)
{
	for (uint32_t trial = 0; trial < 4; trial++) {
		struct simbench bench;
		bool alone = trial % 2, points = trial < 2;
		begin(&bench);
		add_one(&bench);
		bench.meta.switch_count = points;
		bench.options.verify = points; /* which misses the point */
		bench.config.registers = 16 * 512;
		bench.config.max_warps = 2;
		bench.config.max_threads = bench.config.max_threads_per_cta = 64;
		run(&bench, "duet:1", alone ? "duet.slots_alone=1" : "duet.slots_alone=0", 3, 32);
		expect(&bench, "native_blocks", 2);
		expect(&bench, "extra_blocks", 1);
		expect(&bench, "context_bytes", alone ? 256 : 640);
		uint32_t moves = alone || points ? 6 : 0;
		expect(&bench, "switched_out", moves / 2);
		expect(&bench, "switched_in", moves / 2);
		expect(&bench, "transfer_cycles", moves * (alone ? 2 : MOVE));
		simbench_release(&bench);
	}
}
END_TEST

/* A load that misses stalls nobody who does not need it yet: 20 dependent multiply-adds behind it take 4 cycles each,
 * or one more where another warp has the slot. The warp leaves behind them. */
START_TEST(who_needs_no_load_stays)
{
	enum { SUMS = 20 };
	struct simbench bench;
	begin(&bench);
	bench.config.lat_fmad = 4;
	bench.config.registers = 16 * 512;
	bench.config.max_warps = 2;
	bench.config.max_threads = bench.config.max_threads_per_cta = 64;
	bench.options.verify = false;
	access_word(&bench, HD_OP_LDG)->dst = 13;
	for (uint32_t i = 0; i < SUMS; i++)
		simbench_ffma(&bench, 10, 10, 11, 12);
	add_switch(&bench, HD_SWITCH_LOAD);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IADD3);
	inst->dst = 15, inst->a = 13, inst->xkind = HD_X_IMM_B, inst->x = 1;
	access_word(&bench, HD_OP_STG)->c = 15;
	run(&bench, "duet:1", "duet.slots_alone=1", 3, 32);
	for (uint32_t block = 0; block < 3; block++) {
		uint64_t first = when(ISSUES, block, LOAD + 1), last = when(ISSUES, block, LOAD + SUMS);
		ck_assert_uint_lt(when(MISSES, block, 0), last);
		ck_assert_uint_ge(last - first, 4 * (SUMS - 1));
		ck_assert_uint_le(last - first, 5 * (SUMS - 1));
	}
	expect(&bench, "stalls", 3);
	expect(&bench, "switched_out", 3);
	simbench_release(&bench);
}
END_TEST

/*
 * No load, so that nobody leaves: the third block, of two that an SM has room for, begins when the first has ended. It
 * has no context, and comes in all the same with a move of its own, of a cycle, which begins with the look behind that.
 */
START_TEST(beginning_takes_a_cycle)
{
	struct simbench bench;
	begin(&bench);
	add_switch(&bench, HD_SWITCH_LOAD);
	simbench_mov(&bench, 15, 1);
	for (uint32_t i = 0; i < 20; i++)
		simbench_ffma(&bench, 10, 10, 11, 12);
	access_word(&bench, HD_OP_STG)->c = 15;
	run(&bench, "duet:1", "duet.eager=1", 3, 32);
	ck_assert_uint_eq(when(ISSUES, 2, 0), when(ENDS, 0, 0) + 1 + 1);
	expect(&bench, "extra_blocks", 1);
	expect(&bench, "began", 1);
	expect(&bench, "switched_out", 0);
	expect(&bench, "transfer_cycles", 0);
	simbench_release(&bench);
}
END_TEST

/* Registers for four blocks: two extra ones need none moved, and a third does. */
START_TEST(registers_for_some_extra_blocks)
{
	for (uint32_t extra = 1; extra < 4; extra++) {
		struct simbench bench;
		begin(&bench);
		add_one(&bench);
		bench.config.registers = 4 * 512;
		bench.config.max_warps = 2;
		bench.config.max_threads = bench.config.max_threads_per_cta = 64;
		char policy[] = "duet:0";
		policy[5] += (char)extra;
		run(&bench, policy, "duet.slots_alone=1", 6, 32);
		expect(&bench, "native_blocks", 2);
		expect(&bench, "extra_blocks", extra);
		expect(&bench, "context_bytes", extra < 3 ? 256 : 640);
		simbench_release(&bench);
	}
}
END_TEST

/* Nothing but L1 has room for contexts: it holds them, and accesses go past it. It is used little enough, or it is not.
 * Each of two SMs does so with three blocks.
 */
START_TEST(contexts_in_l1)
{
	for (uint32_t trial = 0; trial < 4; trial++) {
		struct simbench bench;
		uint32_t below = trial % 2, sms = 1 + trial / 2;
		begin(&bench);
		add_one(&bench);
		bench.config.sm_count = sms;
		bench.config.l1_unified = 0;
		bench.config.shared_bytes = bench.config.shared_per_cta = 0;
		run(&bench, "duet:1", below ? "duet.l1_below=3" : "duet.l1_below=0", 3 * sms, 32);
		expect(&bench, "bound_blocks", below);
		expect(&bench, "extra_blocks", below);
		expect(&bench, "switched_out", below ? 3 * sms : 0);
		expect(&bench, "switched_in", below ? 3 * sms : 0);
		expect(&bench, "transfer_cycles", below ? sms * 6 * MOVE : 0);
		/* Each block's store finds what its load has brought. */
		ck_assert_uint_eq(simbench_stats(&bench)->counters.l1d_hits, below ? 0 : 3 * sms);
		simbench_release(&bench);
	}
}
END_TEST

/*
 * The same, if they leave only for others: block 0 for block 2; then block 1 for block 0, whose load has arrived, in
 * exchange, while which its own load arrives; so it comes back at once, for block 2, which finds room when it is ready.
 */
START_TEST(stalled_warps_leave_for_others)
{
	struct simbench bench;
	begin(&bench);
	add_one(&bench);
	run(&bench, "duet:1", "duet.eager=0", 3, 32);
	uint64_t first = when(MISSES, 0, 0) + 1 + MOVE, swap = when(DRAINS, 0, 0) + 1 + 2 * MOVE;
	ck_assert_uint_eq(when(ISSUES, 2, 0), first);
	ck_assert_uint_eq(goes_on(0), swap);
	ck_assert_uint_lt(when(DRAINS, 1, 0), swap);
	ck_assert_uint_eq(goes_on(1), swap + 2 * MOVE);
	ck_assert_uint_ge(when(DRAINS, 2, 0), swap + 2 * MOVE);
	ck_assert_uint_eq(goes_on(2), when(DRAINS, 2, 0) + 1 + MOVE);
	expect(&bench, "switched_out", 3);
	expect(&bench, "switched_in", 3);
	expect(&bench, "began", 1);
	expect(&bench, "swaps", 2);
	expect(&bench, "too_late", 1);
	expect(&bench, "transfer_cycles", 6 * MOVE);
	expect(&bench, "absent_cycles", when(DRAINS, 0, 0) - first + 0 + when(DRAINS, 2, 0) - (swap + 2 * MOVE));
	expect(&bench, "ready_cycles", when(MISSES, 0, 0) + 1 - when(LAUNCHES, 2, 0) + 1 + 0 + 1);
	simbench_release(&bench);
}
END_TEST

/* The same where one context leaves while the other comes in: an exchange takes as long as one move. */
START_TEST(contexts_move_both_ways)
{
	struct simbench bench;
	begin(&bench);
	add_one(&bench);
	ck_assert(!hd_config_set(&bench.config, "duet.both_ways=1", &bench.diag));
	run(&bench, "duet:1", "duet.eager=0", 3, 32);
	uint64_t swap = when(DRAINS, 0, 0) + 1 + MOVE;
	ck_assert_uint_eq(when(ISSUES, 2, 0), when(MISSES, 0, 0) + 1 + MOVE);
	ck_assert_uint_eq(goes_on(0), swap);
	ck_assert_uint_ge(goes_on(1), swap + MOVE);
	double swaps = simbench_figure(&bench, "swaps");
	ck_assert_double_ge(swaps, 1);
	expect(&bench, "transfer_bytes", 6 * 640);
	expect(&bench, "transfer_cycles", (6 - (uint64_t)swaps) * MOVE);
	simbench_release(&bench);
}
END_TEST

enum { SLOW = 640 / 16, ALL = 21 };

static void run_many(struct simbench *bench, const char *setting)
{
	begin(bench);
	add_one(bench);
	bench->config.registers = (ALL - 1) * 512;
	bench->config.l2_latency = 1500;
	ck_assert(!hd_config_set(&bench->config, "duet.port=16", &bench->diag));
	run(bench, "duet:1", setting, ALL, 32);
}

/*
 * Twenty blocks and one more, moves of 40 cycles and a slow memory: all leave one after the other, and come back in the
 * order in which their loads arrived. The queues have 16 entries; who finds one full comes in when there is room, the
 * oldest first.
 */
START_TEST(queues_are_full)
{
	struct simbench bench;
	run_many(&bench, "duet.blocks=0");
	/* Block 20 has asked for a look in the cycle after its launch, which is when block 0 stalls. */
	uint64_t at = when(LAUNCHES, 20, 0) + 1, absent = 0, ready = 0, full = 0;
	ck_assert_uint_eq(when(MISSES, 0, 0), at);
	ready += at - when(LAUNCHES, 20, 0);
	for (uint32_t block = 0; block < ALL; block++) {
		uint64_t out = at + SLOW * (block + 1), back = when(DRAINS, 0, 0) + 1 + SLOW * block;
		uint64_t left = (when(MISSES, block, 0) - at) / SLOW + 1, came = 0; /* those before it */
		ck_assert_uint_lt(out, when(DRAINS, block, 0));
		absent += when(DRAINS, block, 0) - out;
		ready += back - when(DRAINS, block, 0);
		ck_assert_uint_ge(goes_on(block), back + SLOW);
		ck_assert_uint_lt(goes_on(block), back + 2 * SLOW);
		for (uint32_t i = 0; i < block; i++)
			came += when(DRAINS, 0, 0) + 1 + SLOW * i <= when(DRAINS, block, 0);
		full += (block > left ? block - left >= 16 : 0) + (block - came >= 16);
	}
	expect(&bench, "switched_out", ALL);
	expect(&bench, "switched_in", ALL);
	expect(&bench, "queue_full", full);
	ck_assert_uint_ge(full, 4);
	expect(&bench, "absent_cycles", absent);
	expect(&bench, "ready_cycles", ready);
	expect(&bench, "transfer_cycles", 2 * ALL * SLOW);
	simbench_release(&bench);
}
END_TEST

/* Blocks come to a queue of 8 entries, each in the first cycle of an event, and from `first` on the head leaves it
 * every 40 cycles. Who finds it full is let in before the head leaves, the oldest first, if there is room then. Fills
 * in the order in which they leave; returns how many found it full. */
static uint32_t queue_up(enum event event, uint64_t first, uint32_t order[ALL])
{
	uint32_t queue[ALL], count = 0, come = 0, full = 0;
	bool asks[ALL] = {false};
	for (uint32_t left = 0; left < ALL; left++) {
		for (; come < ALL && when(event, come, 0) <= first + SLOW * left; come++) {
			asks[come] = count == 8;
			full += asks[come];
			if (!asks[come])
				queue[count++] = come;
		}
		for (uint32_t block = 0; block < ALL && count < 8; block++)
			if (asks[block]) {
				asks[block] = false;
				queue[count++] = block;
			}
		ck_assert_uint_gt(count, 0);
		order[left] = queue[0];
		memmove(queue, queue + 1, --count * sizeof *queue);
	}
	return full;
}

START_TEST(queues_of_blocks_are_full)
{
	struct simbench bench;
	uint32_t out[ALL], in[ALL];
	run_many(&bench, "duet.blocks=1");
	uint64_t first = when(DRAINS, 0, 0) + 1;
	uint32_t full = queue_up(MISSES, when(MISSES, 0, 0), out);
	full += queue_up(DRAINS, first, in);
	for (uint32_t i = 0; i < ALL; i++) {
		ck_assert_uint_ge(goes_on(in[i]), first + SLOW * (i + 1));
		ck_assert_uint_lt(goes_on(in[i]), first + SLOW * (i + 2));
	}
	expect(&bench, "switched_out", ALL);
	expect(&bench, "switched_in", ALL);
	expect(&bench, "queue_full", full);
	expect(&bench, "transfer_cycles", 2 * ALL * SLOW);
	simbench_release(&bench);
}
END_TEST

/* The block's first warp goes to the barrier at once, the second one loads before. */
static void build_barrier(struct simbench *bench)
{
	begin(bench);
	simbench_s2r(bench, 7, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 7, inst->xkind = HD_X_IMM_B, inst->x = 32, inst->mods = HD_MOD(CMP, HD_CMP_LT);
	inst = simbench_emit(bench, HD_OP_BRA);
	inst->guard = 0, inst->xkind = HD_X_OTHER, inst->x = inst->reconv = bench->code.len + 3;
	add_one(bench);
	add_switch(bench, HD_SWITCH_BARRIER);
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	bench->config.max_ctas = 8;
}

/* The end of a move that is wanted at a time, while the engine is busy until another. */
static uint64_t moved(uint64_t wanted, uint64_t busy)
{
	return (wanted > busy ? wanted + 1 : busy) + MOVE;
}

START_TEST(warps_at_barriers_leave)
{
	struct simbench bench;
	build_barrier(&bench);
	run(&bench, "duet:1", "duet.barriers=1", 2, 64);
	uint64_t launched = when(LAUNCHES, 1, 0), busy = 0, absent = 0;
	for (uint32_t block = 0; block < 2; block++) {
		uint64_t waits = when(WAITS, block, 0), misses = when(MISSES, block, 0),
			 arrives = when(DRAINS, block, 0);
		busy = moved(waits, busy);
		absent += when(GOES_ON, block, 0) - busy;
		if (!block) { /* the other's first warp comes in its place, and the second one then */
			ck_assert_uint_eq(when(ISSUES, 1, 0), busy);
			ck_assert_uint_lt(misses, busy);
		}
		busy = moved(misses, busy);
		absent += arrives - busy;
		/* The second warp comes back for ISSUES 10: IADD3, STG, BAR; and lets the first one come for its EXIT.
		 */
		uint32_t last = seen_count[ISSUES][block] - 1;
		ck_assert_uint_eq(when(ISSUES, block, last - 4), arrives + 1 + MOVE);
		ck_assert_uint_eq(when(ISSUES, block, last - 2), when(GOES_ON, block, 0));
		ck_assert_uint_eq(when(ISSUES, block, last), when(GOES_ON, block, 0) + 1 + MOVE);
	}
	expect(&bench, "stalls", 4);
	expect(&bench, "barrier_stalls", 2);
	expect(&bench, "barrier_outs", 2);
	expect(&bench, "switched_out", 4);
	expect(&bench, "began", 2);
	expect(&bench, "transfer_cycles", 8 * MOVE);
	expect(&bench, "absent_cycles", absent);
	uint64_t first = when(WAITS, 0, 0) + 1;
	expect(&bench, "ready_cycles", first - launched + first + MOVE - launched + 4);
	simbench_release(&bench);
}
END_TEST

/* Places for four warps, and three blocks of two: those that load take turns. */
START_TEST(warps_at_barriers_stay)
{
	struct simbench bench;
	build_barrier(&bench);
	bench.config.registers = 2048;
	run(&bench, "duet:1", "duet.barriers=0", 3, 64);
	expect(&bench, "stalls", 3);
	expect(&bench, "barrier_stalls", 0);
	expect(&bench, "barrier_outs", 0);
	simbench_release(&bench);
}
END_TEST

/*
 * Lanes 0 to 15 load and set R10, while the others wait for them with their own; then all read it. The context of a
 * warp that has diverged is what the point says of those: with R10 among it all is right, and else --verify sees that
 * it was lost.
 */
static int launch_with(uint64_t whole, uint64_t diverged, char *text, size_t size)
{
	struct simbench bench;
	begin(&bench);
	simbench_s2r(&bench, 7, HD_SR_TID_X);
	simbench_mov(&bench, 10, 0);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_ISETP);
	inst->pdst = 0, inst->a = 7, inst->xkind = HD_X_IMM_B, inst->x = 16, inst->mods = HD_MOD(CMP, HD_CMP_GE);
	inst = simbench_emit(&bench, HD_OP_BRA);
	inst->guard = 0, inst->xkind = HD_X_OTHER, inst->x = inst->reconv = bench.code.len + 4;
	add_one(&bench);
	simbench_mov(&bench, 10, 1);
	inst = simbench_emit(&bench, HD_OP_IADD3);
	inst->dst = 11, inst->a = 10;
	switches[0].live.regs[0] = whole;
	switches[0].live_divergent.regs[0] = diverged;
	int error = launch(&bench, "duet:1", 3, 32);
	snprintf(text, size, "%s", error ? hd_sim_error_text(bench.sim) : "");
	if (!error)
		expect(&bench, "switched_out", 3);
	simbench_release(&bench);
	return error;
}

START_TEST(contexts_are_what_points_say)
{
	const uint64_t address = 3 << 4, both = address | 1 << 10;
	char text[256];
	ck_assert_msg(!launch_with(address, both, text, sizeof text), "%s", text);
	ck_assert_int_eq(launch_with(both, address, text, sizeof text), HD_SIM_VERIFY);
	ck_assert_msg(strstr(text, "R10 is read") != NULL, "%s", text);
}
END_TEST

/* ---- with CARS' register stacks */

struct stacked {
	uint32_t base;		       /* registers of the kernel */
	bool in_kernel;		       /* it loads itself, in no call, and the function that it calls does nothing */
	uint32_t threads;	       /* of a block, in its first dimension */
	bool patterns;		       /* R4 is the same in all lanes, and R5 strided */
	uint32_t context, moves, rows; /* units of 128 bytes: of a context, of what moves, and of that in the stack */
};

/*
 * A context in a call has R1, R4, R5, which are live, and R13, which is loaded: 4 units, or 1 + 1 + 4 + 8 bytes' worth,
 * 268 and so 3; and of the kernel's registers what is above R15. Two units are the slot's. The function saves two
 * registers, and one for its frame: 3 rows. In no call these are not in use. Blocks that move as a whole move those of
 * all their warps.
 */
static void run_stacked(const struct stacked *row, bool blocks)
{
	static struct hd_meta_pattern patterns[2] = {{.reg = 4}, {.reg = 5, .strided = true}};
	struct simbench bench;
	begin(&bench);
	simbench_stack(&bench);
	if (row->in_kernel)
		add_one(&bench);
	switches[0].live.regs[0] |= 1 << 1, switches[0].live_divergent.regs[0] |= 1 << 1;
	switches[0].bytes += HD_ROW_BYTES;
	simbench_call(&bench, "add");
	struct hd_meta_function *function = simbench_function(&bench, "add");
	simbench_prologue(&bench, 2);
	struct hd_meta_registers live = {.regs = {3 << 4 | 1 << 1 | 3 << 16}};
	switches[1] = (struct hd_meta_switch){.kind = HD_SWITCH_LOAD,
					      .live = live,
					      .live_divergent = live,
					      .loading = {.regs = {1 << 13}},
					      .patterns = patterns,
					      .pattern_count = row->patterns ? 2 : 0,
					      .bytes = 6 * HD_ROW_BYTES};
	function->switches = &switches[1];
	function->switch_count = 1;
	if (!row->in_kernel)
		access_word(&bench, HD_OP_LDG)->dst = 13;
	switches[1].pc = (bench.code.len - bench.functions[0].first) * HD_INST_BYTES;
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IADD3);
	inst->dst = 15, inst->a = 13, inst->xkind = HD_X_IMM_B, inst->x = 1;
	if (!row->in_kernel)
		access_word(&bench, HD_OP_STG)->c = 15;
	simbench_epilogue(&bench, 2);
	simbench_emit(&bench, HD_OP_RET);
	bench.options.verify = !row->in_kernel; /* R13 is not the function's there */
	bench.meta.switch_context_bytes = 6 * HD_ROW_BYTES;
	bench.meta.call_depth = 1;
	bench.meta.max_stack_bytes = 64;
	bench.meta.fru = bench.meta.registers = row->base;
	bench.meta.max_fru = 3;
	bench.meta.low_watermark = bench.meta.high_watermark = row->base + 3;
	uint32_t warps = (row->threads + 31) / 32;
	bench.config.registers = 32 * 2 * 24 * warps;
	run(&bench, "cars:low+duet:1", blocks ? "duet.blocks=1" : "duet.blocks=0", 3, row->threads);
	expect(&bench, "native_blocks", 2);
	expect(&bench, "extra_blocks", 1);
	expect(&bench, "warp_registers", 24);
	expect(&bench, "stack_registers", 3);
	expect(&bench, "context_registers", row->context - 2);
	expect(&bench, "context_bytes", 128 * row->context * (blocks ? warps : 1));
	uint64_t moves = (uint64_t)(simbench_figure(&bench, "switched_out") + simbench_figure(&bench, "switched_in"));
	ck_assert_uint_ge(moves, 4);
	expect(&bench, "transfer_cycles", moves * row->moves);
	expect(&bench, "transfer_bytes", moves * row->moves * 128);
	expect(&bench, "stack_bytes", moves * row->rows * 128);
	/* What three blocks on one SM took, for the choice of an allocation: of this launch alone. */
	for (uint32_t again = 0; again < 2; again++) {
		ck_assert_double_eq(simbench_figure(&bench, "high_block_cycles"),
				    (double)simbench_stats(&bench)->counters.cycles / 3);
		ck_assert_msg(!launch_once_more(&bench, 3, row->threads), "%s", hd_sim_error_text(bench.sim));
	}
	simbench_release(&bench);
}

START_TEST(register_stacks_move_along)
{
	static const struct stacked rows[] = {
		{16, false, 32, false, 4 + 3 + 2, 9, 3},  {20, false, 32, false, 4 + 4 + 3 + 2, 13, 3},
		{16, false, 32, true, 3 + 3 + 2, 8, 3},	  {16, true, 32, false, 4 + 3 + 2, 6, 0},
		{16, false, 48, false, 16 + 3 + 2, 9, 3}, /* its groups are not whole: a place for all registers */
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (uint32_t blocks = 0; blocks < 2; blocks++)
			run_stacked(&rows[i], blocks);
}
END_TEST

/* ---- windows */

enum { TICK = 100, FAR = 1500 /* cycles */ };

/* A kernel's turn begins in cycle 0, and its first windows end at 100 and 200. After the second its blocks, which all
 * wait for memory, are found to leave the GPU idle: each of two SMs gets one more in the next cycle. */
START_TEST(blocks_are_added_after_the_second_window)
{
	struct simbench bench;
	begin(&bench);
	add_one(&bench);
	bench.config.sm_count = 2;
	bench.config.l2_latency = FAR;
	run(&bench, "duet", "duet.window=100", 6, 32);
	for (uint32_t block = 0; block < 4; block++)
		ck_assert_uint_lt(when(LAUNCHES, block, 0), TICK);
	for (uint32_t block = 4; block < 6; block++)
		ck_assert_uint_eq(when(LAUNCHES, block, 0), 2 * TICK + 1);
	expect(&bench, "extra_blocks", (uint64_t)simbench_figure(&bench, "bound_blocks"));
	simbench_release(&bench);
}
END_TEST

/* Reads the word `times` times, when its line has come. */
static void read_again(struct simbench *bench, uint32_t times)
{
	access_word(bench, HD_OP_LDG)->dst = 13;
	struct hd_inst *inst = simbench_emit(bench, HD_OP_LOP3); /* nothing, to be added to the address */
	inst->dst = 6, inst->a = 13, inst->xkind = HD_X_IMM_B, inst->x = 0, inst->mods = HD_MOD(LUT, 0xc0);
	inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = 4, inst->a = 4, inst->b = 6;
	for (uint32_t i = 0; i < times; i++)
		access_word(bench, HD_OP_LDG)->dst = 14;
}

/*
 * Contexts that only L1 has room for, with windows of 1000 cycles. Both native blocks read one line again five times in
 * the first window; in the second one they read another 13 times and write both: 30 hits, each of them a cycle of L1,
 * are 3 %. That is not below 3 %, so L1 stays what it is; below 4 % it is taken. The third block waits for its first
 * line then, which only its last store finds there: its other accesses go past L1.
 */
START_TEST(a_busy_l1_holds_no_contexts)
{
	for (uint32_t taken = 0; taken < 2; taken++) {
		struct simbench bench;
		struct hd_inst *inst;
		begin(&bench);
		read_again(&bench, 5);
		inst = simbench_emit(&bench, HD_OP_IADD3);
		inst->dst = 4, inst->a = 4, inst->xkind = HD_X_IMM_B, inst->x = 64 * BLOCKS;
		read_again(&bench, 13);
		access_word(&bench, HD_OP_STG)->c = 14;
		inst = simbench_emit(&bench, HD_OP_IADD3); /* back */
		inst->dst = 4, inst->a = 4, inst->xkind = HD_X_IMM_B, inst->x = (uint32_t)(-64 * BLOCKS);
		simbench_mov(&bench, 15, 1);
		access_word(&bench, HD_OP_STG)->c = 15;
		add_switch(&bench, HD_SWITCH_LOAD);
		bench.options.verify = false; /* what needs R14 is no switch point */
		bench.config.l2_latency = 400;
		bench.config.l1_unified = 0;
		bench.config.shared_bytes = bench.config.shared_per_cta = 0;
		ck_assert_int_eq(hd_config_set(&bench.config, "duet.window=1000", &bench.diag), 0);
		run(&bench, "duet", taken ? "duet.l1_below=4" : "duet.l1_below=3", 3, 32);
		for (uint32_t block = 0; block < 2; block++) {
			ck_assert_uint_lt(when(ISSUES, block, 11), 1000);
			ck_assert_uint_gt(when(ISSUES, block, 14), 1000);
		}
		ck_assert_uint_gt(when(ISSUES, 2, 5), 2000);
		double bound = simbench_figure(&bench, "bound_blocks");
		ck_assert_int_eq(bound > 0, taken);
		expect(&bench, "extra_blocks", (uint64_t)bound);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.l1d_hits, taken ? 2 * 20 + 1 : 3 * 20);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("duet_switch", (const TTest *const[]){
						  stalled_warps_make_room,
						  contexts_in_l1,
						  stalled_warps_leave_for_others,
						  queues_are_full,
						  queues_of_blocks_are_full,
						  warps_at_barriers_leave,
						  warps_at_barriers_stay,
						  contexts_are_what_points_say,
						  register_stacks_move_along,
						  what_a_point_keeps_moves,
						  contexts_of_short_rows,
						  slots_alone_move,
						  beginning_takes_a_cycle,
						  who_needs_no_load_stays,
						  registers_for_some_extra_blocks,
						  contexts_move_both_ways,
						  blocks_are_added_after_the_second_window,
						  a_busy_l1_holds_no_contexts,
						  NULL,
					  });
}
