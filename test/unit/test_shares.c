/*
 * Shares of an SM by switching (runtime/policy/preempt/share.c): who leaves when, who begins and who comes back. An SM
 * has room for four blocks of one warp, by registers. The grid of stream N may have share[N] blocks there, and then[N]
 * from cycle CHANGE on; an SM looks at what is beyond that every LOOK cycles from its first launch on, in cycle FIRST.
 * A block is a chain of dependent instructions, five cycles each.
 */
#include "harness.h"
#include "runtime/policy/preempt/preempt.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

enum { STREAMS = 4, BLOCKS = 16, SLOTS = 4, FIRST = 10, LOOK = 300, CHANGE = 1000, LATENCY = 5, CHAIN = 2000 };
enum { LOOKED = FIRST + 4 * LOOK /* the first look after the change */, RUN = LATENCY * CHAIN };

/* By stream: blocks on an SM. By stream and block: cycles of its events, 0: never; left is the last issue before it was
 * away, back the first after that. */
static struct {
	uint32_t share[STREAMS], then[STREAMS];
	bool second_first; /* in the order of grids */
	bool small_l2;	   /* of 32 lines */
	struct block {
		uint64_t began, killed, left, back, ended, issued;
		uint32_t sm, absences;
	} blocks[STREAMS][BLOCKS];
	const struct hd_cta *last; /* block of the first kernel */
	uint64_t gone;		   /* when another warp issued next after that one had left */
} seen;

static struct block *block_of(const struct hd_cta *cta)
{
	return &seen.blocks[cta->grid->stream][cta->linear];
}

static uint32_t share_quota(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid)
{
	(void)self;
	return (sm->now < CHANGE ? seen.share : seen.then)[grid->stream];
}

static void on_launch(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self;
	block_of(cta)->began = block_of(cta)->issued = sm->now;
	block_of(cta)->sm = sm->id;
	if (cta->grid->stream == 1 && cta->linear + 1 == SLOTS)
		seen.last = cta;
}

static void on_kill(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)self;
	block_of(cta)->killed = sm->now;
}

static void on_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     const struct hd_effect *effect, uint64_t now)
{
	struct block *block = block_of(warp->cta);
	(void)self, (void)inst, (void)effect;
	if (seen.last && seen.last->away && !seen.gone)
		seen.gone = now;
	if (now - block->issued > 100) {
		block->left = block->issued;
		block->absences++;
		block->back = now;
	}
	block->issued = now;
}

/* Blocks that are away, with registers and shared memory, have no place in the tables. */
static void check_tables(struct hd_sm *sm)
{
	const struct hd_policy_handle *self = &sm->gpu->policies[0];
	const struct preempt_table *tables[] = {&preempt_sm_of(self, sm)->registers, &preempt_sm_of(self, sm)->shared};
	for (uint32_t table = 0; table < 2; table++)
		for (uint32_t i = 0; i < tables[table]->count; i++) {
			const struct hd_cta *cta = &sm->ctas[tables[table]->entries[i].block];
			ck_assert(cta->used && preempt_cta_of(self, cta)->phase != PREEMPT_GONE);
		}
}

static void on_done(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	check_tables(warp->cta->sm);
	block_of(warp->cta)->ended = now;
}

static const struct hd_policy_hooks share_hooks = {.several_grids = true,
						   .allocation.quota = share_quota,
						   .allocation.cta_launch = on_launch,
						   .allocation.warp_done = on_done,
						   .contexts.cta_kill = on_kill,
						   .issue.issued = on_issue};
static const struct hd_policy shares = {.name = "shares", .hooks = &share_hooks, .touches = HD_TOUCH_SHARES};

static void set(struct simbench *bench, const char *policy, const char *key, uint64_t value)
{
	char text[64];
	snprintf(text, sizeof text, "%.*s.%s=%lu", (int)strcspn(policy, ":"), policy, key, value);
	ck_assert_msg(!hd_config_set(&bench->config, text, &bench->diag), "%s", bench->message);
}

static void start(struct simbench *bench, const char *policy, uint32_t sms, uint64_t beyond)
{
	static struct hd_meta_idempotence restarts = {.why = HD_BREAK_NONE};
	simbench_init(bench);
	bench->config.sm_count = sms;
	bench->config.warp_unit = 1;
	bench->config.registers = SLOTS * 16 * HD_WARP_LANES;
	if (seen.small_l2) {
		bench->config.l2_slices = bench->config.dram_channels = 1;
		bench->config.l2_slice_bytes = 32 * 128;
		bench->config.l2_ways = 32;
	}
	bench->options.policy = policy;
	bench->beside = &shares;
	bench->meta.idempotence = &restarts;
	set(bench, policy, "share_cycles", LOOK);
	if (beyond)
		set(bench, policy, "beyond_share", beyond);
	simbench_chain(bench, CHAIN);
	bench->meta.shared_bytes = 32;
	ck_assert_int_eq(simbench_start(bench), 0);
}

static void submit(struct simbench *bench, uint32_t ctas, uint32_t warps, uint64_t stream)
{
	struct hd_launch launch = {.kernel = bench->kernel,
				   .grid = {ctas, 1, 1},
				   .block = {warps * HD_WARP_LANES, 1, 1},
				   .stream = stream};
	uint64_t ticket;
	ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", hd_sim_error_text(bench->sim));
}

/* Blocks of one warp of the first stream, blocks of some warps of the second. */
static void run(const char *policy, uint32_t sms, uint64_t beyond, uint32_t first, uint32_t second, uint32_t warps)
{
	struct simbench bench;
	start(&bench, policy, sms, beyond);
	for (uint32_t i = 0; i < 2; i++)
		if ((i == 0) != seen.second_first)
			submit(&bench, first, 1, 1);
		else if (second)
			submit(&bench, second, warps, 2);
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s", hd_sim_error_text(bench.sim));
	simbench_release(&bench);
}

static void give(uint32_t first, uint32_t then_first, uint32_t then_second)
{
	memset(&seen, 0, sizeof seen);
	seen.share[1] = first;
	seen.then[1] = then_first;
	seen.then[2] = then_second;
}

/* ---- who leaves, by killing: in the cycle of the look, and room is there in the next one, in which one block begins
 */

START_TEST(the_youngest_leave)
{
	const struct block *of = seen.blocks[1], *others = seen.blocks[2];
	give(4, 2, 2);
	run("flush", 1, 0, 4, 2, 1);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(of[i].killed, i < 2 ? 0 : LOOKED);
	ck_assert_uint_eq(others[0].began, LOOKED + 1);
	ck_assert_uint_eq(others[1].began, LOOKED + 2);
	/* They begin anew as their kernel has less than its share: after one of the first two. */
	ck_assert_uint_eq(of[0].ended, FIRST + RUN);
	ck_assert_uint_eq(of[3].began, of[0].ended + 1);
	ck_assert_uint_eq(of[2].began, of[1].ended + 1);
}
END_TEST

/* Three of four on each of two SMs; the kernel's first blocks there stay. */
START_TEST(each_sm_looks)
{
	give(4, 1, 3);
	run("flush", 2, 0, 8, 6, 1);
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(seen.blocks[1][i].killed, i < 2 ? 0 : LOOKED);
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_uint_eq(seen.blocks[2][i].began, LOOKED + 1 + i / 2);
		ck_assert_uint_eq(seen.blocks[2][i].sm, i % 2);
	}
}
END_TEST

/* Nobody leaves: nobody else has blocks; the other kernel has its share; there is room for it.
 */
START_TEST(nobody_lacks_room)
{
	static const struct {
		uint32_t first, then_first, second, share, then_second;
	} cases[] = {{4, 2, 0, 0, 2}, {3, 2, 2, 1, 1}, {2, 1, 2, 1, 2}};
	for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		give(4, cases[i].then_first, cases[i].then_second);
		seen.share[2] = cases[i].share;
		run("flush", 1, 0, cases[i].first, cases[i].second, 1);
		for (uint32_t b = 0; b < cases[i].first; b++)
			ck_assert_uint_eq(seen.blocks[1][b].killed, 0);
	}
}
END_TEST

/* ---- who comes back, with its context */

static void check_away(const struct block *block)
{
	ck_assert_uint_eq(block->absences, 1);
	ck_assert_uint_lt(block->left, LOOKED); /* looks go before issue */
	ck_assert_uint_ge(block->left + LATENCY, LOOKED);
}

/* Two come back one after the other as their kernel has less than its share; the others run meanwhile. */
START_TEST(back_for_a_share)
{
	const struct block *of = seen.blocks[1], *others = seen.blocks[2];
	give(4, 2, 2);
	run("preempt:naive", 1, 1000000, 4, 2, 1);
	for (uint32_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(of[i].absences, 0);
		check_away(&of[2 + i]);
		ck_assert_uint_gt(of[2 + i].back, of[i].ended);
		ck_assert_uint_lt(of[2 + i].back, of[i].ended + 400);
		ck_assert_uint_lt(of[2 + i].back, others[0].ended);
	}
	ck_assert_uint_eq(others[1].began, others[0].began + 1);
}
END_TEST

/* Of three that leave, the share lets one back as the first block ends. When the other kernel's first three end, those
 * that have been away for long go before its next ones, beyond their share, and stay; else its next ones begin. */
START_TEST(back_beyond_the_share)
{
	const struct block *of = seen.blocks[1], *others = seen.blocks[2];
	give(4, 1, 3);
	run("preempt:naive", 1, 20000, 4, 6, 1);
	for (uint32_t i = 0; i < 3; i++) {
		check_away(&of[1 + i]);
		ck_assert_uint_eq(others[3 + i].began, others[i].ended + 1);
	}
	ck_assert_uint_lt(of[1].back, of[0].ended + 400);
	ck_assert_uint_gt(of[2].back, of[1].ended);
	give(4, 1, 3);
	run("preempt:naive", 1, 3000, 4, 6, 1);
	ck_assert_uint_eq(others[3].began, others[2].ended + 1);
	for (uint32_t i = 2; i < 4; i++) {
		check_away(&of[i]);
		ck_assert_uint_gt(of[i].back, others[i - 2].ended);
		ck_assert_uint_lt(of[i].back, others[i - 2].ended + 400);
	}
}
END_TEST

/* A kernel loses all of its share to an earlier one, and comes back when that has ended. */
START_TEST(all_leave)
{
	const struct block *of = seen.blocks[1], *others = seen.blocks[2];
	give(4, 0, 4);
	seen.second_first = true;
	run("preempt:naive", 1, 3000, 4, 4, 1);
	for (uint32_t i = 0; i < 4; i++) {
		check_away(&of[i]);
		ck_assert_uint_eq(others[i].began, others[0].began + i);
		ck_assert_uint_lt(others[i].began, LOOKED + 3 * LOOK);
		ck_assert_uint_gt(of[i].back, others[i].ended);
	}
}
END_TEST

/* An L2 of 32 lines, and contexts of four blocks on each of two SMs, of more than 16 lines each: what comes back has
 * left L2 for those that came behind it, so that each line is a miss. */
START_TEST(contexts_lie_apart)
{
	struct simbench bench;
	uint64_t out = 0;
	give(4, 0, 4);
	seen.second_first = seen.small_l2 = true;
	start(&bench, "preempt:naive", 2, 3000);
	submit(&bench, 8, 1, 2);
	submit(&bench, 8, 1, 1);
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s", hd_sim_error_text(bench.sim));
	for (uint32_t i = 0; i < bench.sim->launches.len; i++) {
		const struct hd_counters *counters = &bench.sim->launches.data[i]->stats.stats.counters;
		ck_assert_uint_eq(counters->transfer_bytes_in, counters->transfer_bytes_out);
		ck_assert_uint_eq(counters->transfer_misses * bench.config.sector, counters->transfer_bytes_in);
		out += counters->transfer_bytes_out;
	}
	ck_assert_uint_gt(out, 8 * 16 * HD_ROW_BYTES);
	simbench_release(&bench);
}
END_TEST

/* One leaves for a block of two warps, for which there is still no room. It comes back at the first look at which it
 * has been away for long enough. When it left is known by the cycle of another warp's next issue, within four cycles.
 */
START_TEST(long_enough)
{
	const struct block *last = &seen.blocks[1][3];
	const uint64_t look = LOOKED + 3 * LOOK;
	give(4, 3, 1);
	run("preempt:naive", 1, 1000000, 4, 1, 2);
	uint64_t gone = seen.gone;
	ck_assert_uint_gt(gone, LOOKED);
	for (uint32_t more = 0; more < 2; more++) {
		give(4, 3, 1);
		run("preempt:naive", 1, look - gone - 4 + 8 * more, 4, 1, 2);
		check_away(last);
		ck_assert_uint_gt(last->back, look + more * LOOK);
		ck_assert_uint_lt(last->back, look + more * LOOK + LOOK);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("shares", (const TTest *const[]){the_youngest_leave, each_sm_looks, nobody_lacks_room,
							    back_for_a_share, back_beyond_the_share, all_leave,
							    contexts_lie_apart, long_enough, NULL});
}
