/*
 * Packets of several grids between an SM and L2: queues of their own, what a policy lets go and hears, parts of the
 * queues, and that nothing is lost on the way.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "heddle/machine.h"
#include "memory_rig.h"
#include "runtime/memory/packet.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/policy_space.h"
#include "simbench.h"

static struct rig rig;

static void set_up(void)
{
	rig_init(&rig, 1 << 12);
	rig.config.sm_count = 1;
}

static void tear_down(void)
{
	rig_release(&rig);
}

enum { LOG = 4096 };

/* What the test lets go, and what it hears. */
static struct {
	uint64_t held_to[HD_MEM_GRIDS]; /* cycle before which a grid's packets stay */
	uint32_t sent, replies, missed, refused;
	uint8_t order[LOG]; /* grids as they went */
	uint64_t sent_at[LOG];
	uint32_t latency[LOG];
} seen;

static uint32_t choose(void *context, const struct hd_packet *const *heads, uint32_t count, uint64_t now)
{
	(void)context;
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_le(heads[i]->ready, now);
		if (seen.held_to[heads[i]->grid] > now)
			continue;
		seen.sent_at[seen.sent] = now;
		seen.order[seen.sent++] = heads[i]->grid;
		return i;
	}
	seen.refused++;
	return HD_NO_PACKET;
}

static void hear(void *context, const struct hd_packet *reply, uint64_t now)
{
	(void)context;
	seen.missed += (reply->flags & HD_PACKET_MISSED) != 0;
	seen.latency[seen.replies++] = hd_packet_age(reply, now);
}

static void watch(bool sends)
{
	struct hd_lsu_watch what = {.send = sends ? choose : NULL, .reply = hear};
	memset(&seen, 0, sizeof seen);
	hd_lsu_set_watch(rig.lsus[0], &what);
}

/* A load of `lines` lines from line `first` on. */
static struct hd_mem_request lines_of(uint32_t token, uint8_t grid, uint64_t first, uint32_t lines)
{
	struct hd_mem_request request = rig_load(token, first * 128, 128, 4);
	request.grid = grid;
	request.mask = lines < 32 ? (1u << lines) - 1 : UINT32_MAX;
	return request;
}

static void issue(struct hd_mem_request request)
{
	rig_issue(&rig, 0, &request);
}

START_TEST(a_grid_that_is_held_holds_no_other)
{
	rig_build(&rig);
	struct hd_mem_request alone = lines_of(1, 1, 1 << 16, 4);
	hd_lsu_prepare(rig.lsus[0], 1, &rig.arena);
	uint64_t latency = rig_latency(&rig, &alone);
	watch(true);
	uint64_t start = rig.now;
	seen.held_to[0] = start + 20000;
	hd_lsu_set_sharers(rig.lsus[0], 2);
	/* Far more than its part of the miss queue takes, in the first place and stuck there. */
	for (uint32_t i = 0; i < 4; i++)
		issue(lines_of(10 + i, 0, 1000 * (i + 1), 32));
	issue(lines_of(2, 1, 1 << 17, 4));
	rig_run(&rig);
	/* The other's instruction waits until the first has filled its part: a line a cycle and bank. */
	ck_assert_uint_lt(rig.done[2] - start, latency + 64);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_gt(rig.done[10 + i], start + 20000);
	ck_assert_uint_eq(seen.sent, 4 * 32 + 4);
	ck_assert_uint_eq(seen.replies, seen.sent);
}
END_TEST

START_TEST(a_policy_is_asked_in_each_cycle_until_it_lets_go)
{
	rig_build(&rig);
	watch(true);
	seen.held_to[0] = rig.now + 500;
	issue(lines_of(1, 0, 0, 1));
	rig_run(&rig);
	ck_assert_uint_eq(seen.sent, 1);
	ck_assert_uint_eq(seen.sent_at[0], seen.held_to[0]);
	/* From when the packet is ready: an L1 latency after the access in the next cycle. */
	ck_assert_uint_eq(seen.refused, 500 - rig.config.l1_latency - 1);
}
END_TEST

START_TEST(grids_go_in_turns)
{
	rig_build(&rig);
	watch(true);
	seen.held_to[0] = seen.held_to[3] = seen.held_to[5] = rig.now + 1000;
	for (uint8_t grid = 0; grid < 6; grid++)
		if (seen.held_to[grid])
			issue(lines_of(1 + grid, grid, 1000 * (grid + 1), 6));
	rig_run(&rig);
	ck_assert_uint_eq(seen.sent, 18);
	for (uint32_t i = 0; i < 18; i++)
		ck_assert_uint_eq(seen.order[i], ((const uint8_t[]){0, 3, 5})[i % 3]);
}
END_TEST

START_TEST(replies_say_what_missed_and_how_long_it_took)
{
	rig_build(&rig);
	watch(false);
	struct hd_mem_request first = lines_of(1, 0, 5, 1), again = lines_of(2, 0, 5, 1);
	first.cache = again.cache = HD_CACHE_CG;
	uint64_t miss = rig_latency(&rig, &first), hit = rig_latency(&rig, &again);
	ck_assert_uint_eq(seen.replies, 2);
	ck_assert_uint_eq(seen.missed, 1);
	/* The rest is the way to the miss queue's end. */
	ck_assert_uint_eq(seen.latency[0], miss - rig.config.l1_latency);
	ck_assert_uint_eq(seen.latency[1], hit - rig.config.l1_latency);
	/* A whole line written: L2 keeps it without asking DRAM. */
	struct hd_mem_request store = rig_load(UINT32_MAX, 1 << 20, 4, 4);
	store.kind = HD_MEM_STORE;
	issue(store);
	rig_run(&rig);
	ck_assert_uint_eq(seen.replies, 3);
	ck_assert_uint_eq(seen.missed, 1);
}
END_TEST

/* Loads, stores and reductions of three grids on two SMs: each is answered once, and counted for its grid. */
START_TEST(requests_are_replies_and_parts_the_whole)
{
	enum { COUNT = 300 };
	rig.config.sm_count = 2;
	rig_build(&rig);
	watch(false);
	struct hd_lsu_watch what = {.reply = hear};
	hd_lsu_set_watch(rig.lsus[1], &what);
	uint64_t random = 1, accesses = 0;
	uint32_t issued = 0;
	while (issued < COUNT) {
		for (uint32_t sm = 0; sm < 2; sm++) {
			uint8_t grid = (uint8_t)(issued % 3);
			random = random * 6364136223846793005u + 1442695040888963407u;
			struct hd_mem_request request = rig_load(issued, random >> 40 << 7, 4, 4);
			request.grid = grid;
			request.cache = HD_CACHE_CG;
			request.kind = (uint8_t[]){HD_MEM_LOAD, HD_MEM_STORE, HD_MEM_REDUCTION}[random >> 33 & 1];
			request.token = request.kind == HD_MEM_LOAD ? issued : UINT32_MAX;
			rig_issue(&rig, sm, &request);
			accesses++;
			issued++;
		}
		if (issued % 8 == 0)
			rig_run(&rig);
	}
	rig_run(&rig);
	ck_assert_uint_eq(seen.replies, accesses);
	struct hd_stats total = rig_total(&rig);
	uint64_t l2 = 0, dram = 0;
	for (uint32_t grid = 0; grid < 3; grid++) {
		const struct hd_counters *part = hd_memory_counters(rig.memory, grid);
		ck_assert_uint_gt(part->l2_accesses, 0);
		l2 += part->l2_accesses;
		dram += part->dram_reads + part->dram_writes;
		ck_assert_uint_eq(hd_lsu_pending(rig.lsus[0], grid), 0);
	}
	ck_assert_uint_eq(l2, total.counters.l2_accesses);
	ck_assert_uint_eq(dram, total.counters.dram_reads + total.counters.dram_writes);
	ck_assert_uint_eq(l2, 4 * accesses);
}
END_TEST

/* ---- whose lines leave the caches */

static void store_line(uint8_t grid, uint64_t line)
{
	struct hd_mem_request store = rig_load(UINT32_MAX, line * 128, 4, 4);
	store.kind = HD_MEM_STORE;
	store.grid = grid;
	issue(store);
	rig_run(&rig);
}

static uint64_t writes_of(uint32_t grid)
{
	const struct hd_counters *counters = hd_memory_counters(rig.memory, grid);
	ck_assert_uint_eq(counters->l2_writebacks, counters->dram_writes);
	return counters->dram_writes;
}

START_TEST(dirty_lines_leave_l2_for_who_wrote_them)
{
	rig.config.dram_channels = rig.config.l2_slices = 1;
	rig.config.l2_slice_bytes = 4096; /* 32 lines */
	rig.config.l2_ways = 4;
	rig_build(&rig);
	store_line(1, 0);
	store_line(2, 1);
	store_line(3, 2);
	store_line(2, 2); /* the last to write there */
	hd_memory_begin_grid(rig.memory, 1);
	store_line(1, 3);
	/* Another one reads until all of that is gone. */
	for (uint32_t i = 0; i < 16; i++) {
		issue(lines_of(i, 4, 1000 + 32 * i, 32));
		rig_run(&rig);
	}
	ck_assert_uint_eq(writes_of(HD_MEM_NOBODY), 4);
	ck_assert_uint_eq(writes_of(1), 4);
	ck_assert_uint_eq(writes_of(2), 8);
	ck_assert_uint_eq(writes_of(3) + writes_of(4), 0);
}
END_TEST

static struct hd_mem_request local(uint32_t token, uint8_t grid, uint8_t kind)
{
	struct hd_mem_request request = rig_load(token, HD_LOCAL_PHYSICAL + grid * HD_LOCAL_PHYSICAL_GRID, 4, 4);
	request.space = HD_MEM_LOCAL;
	request.kind = kind;
	request.grid = grid;
	return request;
}

START_TEST(borders_of_kernels_beside_others)
{
	rig_build(&rig);
	struct hd_mem_request global = lines_of(1, 0, 77, 1);
	rig_latency(&rig, &global);
	for (uint8_t grid = 0; grid < 2; grid++) {
		issue(local(UINT32_MAX, grid, HD_MEM_STORE));
		rig_run(&rig);
	}
	struct hd_mem_request read = local(4, 2, HD_MEM_LOAD);
	ck_assert_uint_gt(rig_latency(&rig, &read), rig.config.l2_latency);
	uint64_t hits = rig_total(&rig).counters.l1d_hits;
	/* One begins: what is global is read anew, local memory is there. */
	hd_lsu_invalidate_global(rig.lsus[0]);
	ck_assert_uint_gt(rig_latency(&rig, &global), rig.config.l2_latency);
	struct hd_mem_request mine = local(2, 0, HD_MEM_LOAD), theirs = local(3, 1, HD_MEM_LOAD);
	ck_assert_uint_eq(rig_latency(&rig, &mine), rig.config.l1_latency);
	ck_assert_uint_eq(rig_total(&rig).counters.l1d_hits, hits + 1);
	ck_assert_uint_eq(rig_latency(&rig, &read), rig.config.l1_latency); /* which nobody has written, too */
	/* One ends: its local memory is gone, counted as written, the other's is there. */
	hd_lsu_flush_local(rig.lsus[0], 1);
	ck_assert_uint_eq(rig.counters[0][1].l1d_writebacks, 4);
	ck_assert_uint_eq(rig.counters[0][0].l1d_writebacks, 0);
	ck_assert_uint_eq(rig_latency(&rig, &mine), rig.config.l1_latency);
	ck_assert_uint_gt(rig_latency(&rig, &theirs), rig.config.l2_latency);
	ck_assert_uint_eq(rig_latency(&rig, &global), rig.config.l1_latency);
}
END_TEST

/* Local memory of one grid that makes way for another's loads is the first one's traffic. */
START_TEST(victims_are_their_owners_traffic)
{
	rig.config.l1_unified = 0;
	rig.config.l1_bytes = 128 * 4;
	rig.config.l1_ways = 4;
	rig_build(&rig);
	issue(local(UINT32_MAX, 1, HD_MEM_STORE));
	rig_run(&rig);
	for (uint32_t i = 0; i < 4; i++) {
		issue(lines_of(i, 0, 1000 + i, 1));
		rig_run(&rig);
	}
	ck_assert_uint_eq(rig.counters[0][1].l1d_writebacks, 4);
	ck_assert_uint_eq(rig.counters[0][0].l1d_writebacks, 0);
	ck_assert_uint_eq(hd_memory_counters(rig.memory, 1)->l2_accesses, 4);
	ck_assert_uint_eq(hd_memory_counters(rig.memory, 1)->icnt_flits_up, 5);
}
END_TEST

/* ---- parts of the queues */

START_TEST(grids_have_equal_parts_of_the_queues)
{
	rig.config.lsu_queue = 16;
	rig_build(&rig);
	struct hd_lsu *lsu = rig.lsus[0];
	hd_lsu_prepare(lsu, 1, &rig.arena);
	for (uint32_t sharers = 1; sharers <= 2; sharers++) {
		hd_lsu_set_sharers(lsu, sharers);
		uint32_t count = 0;
		for (; hd_lsu_can_accept(lsu, 0, 0); count++)
			issue(lines_of(count, 0, 100 * count, 1));
		ck_assert_uint_eq(count, 16 / sharers);
		ck_assert(hd_lsu_can_accept(lsu, 1, 16 / sharers - 1));
		ck_assert(!hd_lsu_can_accept(lsu, 1, 16 / sharers));
		rig_run(&rig);
	}
}
END_TEST

static uint32_t packets_of(uint32_t queue, uint32_t sharers)
{
	rig.config.l1_miss_queue = queue;
	rig_build(&rig);
	watch(true);
	hd_lsu_set_sharers(rig.lsus[0], sharers);
	seen.held_to[0] = rig.now + 2000;
	/* Loads past L1 take one place each, and are refused where there are less than two. */
	for (uint32_t i = 0; i < 8; i++) {
		struct hd_mem_request request = lines_of(i, 0, 100 * i, 32);
		request.cache = HD_CACHE_CG;
		issue(request);
	}
	uint32_t most = 0;
	while (rig.now < seen.held_to[0]) {
		hd_lsu_tick(rig.lsus[0], rig.now++);
		uint32_t waiting = (uint32_t)hd_lsu_packets(rig.lsus[0], 0);
		most = waiting > most ? waiting : most;
	}
	rig_release(&rig);
	return most;
}

START_TEST(the_miss_queue_has_as_many_places_as_its_key_says)
{
	ck_assert_uint_eq(packets_of(0, 1), rig.config.l1_latency + 32 - 1);
	ck_assert_uint_eq(packets_of(128, 1), 127);
	ck_assert_uint_eq(packets_of(128, 2), 63);
	ck_assert_uint_eq(packets_of(2, 1), 1);
	ck_assert_uint_eq(packets_of(2, 4), 1);
	rig_build(&rig);
}
END_TEST

START_TEST(a_grid_leaves_mshrs_for_others)
{
	rig.config.l1_mshrs = 64;
	rig.config.l1_mshrs_kept = 8;
	rig.config.l1_miss_queue = 512;
	rig_build(&rig);
	watch(true);
	hd_lsu_set_sharers(rig.lsus[0], 3);
	seen.held_to[0] = rig.now + 5000;
	/* 64 sectors; the others keep 16. */
	for (uint32_t i = 0; i < 2; i++)
		issue(lines_of(i, 0, 100 * i, 32));
	for (uint32_t i = 0; i < 200; i++)
		hd_lsu_tick(rig.lsus[0], rig.now++);
	ck_assert_uint_eq(hd_lsu_packets(rig.lsus[0], 0), 48);
	issue(lines_of(2, 1, 1 << 16, 16));
	for (uint32_t i = 0; i < 100; i++)
		hd_lsu_tick(rig.lsus[0], rig.now++);
	ck_assert_uint_eq(seen.sent, 16);
	rig_run(&rig);
}
END_TEST

/* ---- the same through the hooks: a token for each grid every so often, as issue-rate controllers have them */

enum { INTERVAL = 50, STREAMS = 3, LOADS = 8, WARPS = 4 };

struct tokens {
	uint64_t next[HD_MAX_GRIDS]; /* cycle of each grid's next token */
	uint32_t sent[STREAMS + 1], replied[STREAMS + 1], missed[STREAMS + 1];
	uint64_t first[STREAMS + 1], last[STREAMS + 1];
};

static uint32_t let_go(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_packet *const *heads,
		       uint32_t count, uint64_t now)
{
	struct tokens *tokens = hd_policy_sm(self, sm);
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_grid *grid = sm->grids[heads[i]->grid].grid;
		ck_assert_ptr_nonnull(grid);
		if (tokens->next[grid->slot] > now)
			continue;
		tokens->next[grid->slot] = now + INTERVAL * grid->stream;
		if (!tokens->sent[grid->stream]++)
			tokens->first[grid->stream] = now;
		tokens->last[grid->stream] = now;
		return i;
	}
	return HD_NO_PACKET;
}

static void count_reply(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_reply *reply,
			uint64_t now)
{
	struct tokens *tokens = hd_policy_sm(self, sm);
	tokens->replied[reply->grid->stream]++;
	tokens->missed[reply->grid->stream] += reply->missed;
	ck_assert_uint_gt(reply->latency, sm->gpu->config->l2_latency);
	ck_assert_uint_lt(reply->latency, now);
}

static const struct hd_policy_hooks token_hooks = {.sm_bytes = sizeof(struct tokens),
						   .several_grids = true,
						   .memory.send = let_go,
						   .memory.reply = count_reply};
static const struct hd_policy token_policy = {.name = "tokens", .hooks = &token_hooks};

/* Each warp loads LOADS lines of its own from the address that is the parameter. */
static void build_loads(struct simbench *bench)
{
	simbench_init(bench);
	bench->meta.registers = 40;
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_param(bench, 2);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 4;
	for (uint32_t i = 0; i < LOADS; i++) {
		inst = simbench_emit(bench, HD_OP_LDG);
		inst->dst = (uint8_t)(10 + i), inst->a = 4, inst->xkind = HD_X_OTHER, inst->x = i * 128u * WARPS;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
	simbench_ffma(bench, 30, 10 + LOADS - 1, 10, 10);
}

START_TEST(issue_rates_hold_for_each_grid)
{
	struct simbench bench;
	build_loads(&bench);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_gpu *gpu = &bench.sim->gpu;
	hd_policy_add(gpu, &token_policy, "");
	hd_policy_place(gpu);
	for (uint64_t stream = 1; stream <= STREAMS; stream++) {
		uint64_t address, ticket;
		ck_assert_int_eq(hd_sim_malloc(bench.sim, LOADS * WARPS * 128, &address), 0);
		struct hd_launch launch = simbench_launch(&bench, 1, 32 * WARPS, &address);
		launch.stream = stream;
		ck_assert_int_eq(hd_sim_submit(bench.sim, &launch, &ticket), 0);
	}
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s", hd_sim_error_text(bench.sim));
	const struct tokens *tokens = hd_policy_sm(&gpu->policies[0], gpu->sms[0]);
	for (uint32_t stream = 1; stream <= STREAMS; stream++) {
		ck_assert_uint_eq(tokens->sent[stream], LOADS * WARPS);
		ck_assert_uint_eq(tokens->replied[stream], LOADS * WARPS);
		ck_assert_uint_eq(tokens->missed[stream], LOADS * WARPS);
		/* A packet a token: the memory has them all in time. */
		ck_assert_uint_eq(tokens->last[stream] - tokens->first[stream],
				  (LOADS * WARPS - 1) * INTERVAL * stream);
		const struct hd_launch_stats *mine = hd_sim_launch_stats(bench.sim, stream - 1);
		ck_assert_uint_eq(mine->stats.counters.dram_reads, 4 * LOADS * WARPS);
	}
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const engine[] = {a_grid_that_is_held_holds_no_other,
				       a_policy_is_asked_in_each_cycle_until_it_lets_go,
				       grids_go_in_turns,
				       replies_say_what_missed_and_how_long_it_took,
				       requests_are_replies_and_parts_the_whole,
				       dirty_lines_leave_l2_for_who_wrote_them,
				       borders_of_kernels_beside_others,
				       victims_are_their_owners_traffic,
				       grids_have_equal_parts_of_the_queues,
				       the_miss_queue_has_as_many_places_as_its_key_says,
				       a_grid_leaves_mshrs_for_others,
				       issue_rates_hold_for_each_grid,
				       NULL};
	return hd_suite_with("traffic", engine, set_up, tear_down);
}
