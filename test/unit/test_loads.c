/* What policies hear of loads, and say of them: misses of L1, the first use of a loaded register, ways past L1. */
#include "harness.h"
#include "heddle/opcodes.h"

#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { EVENTS = 64, DATA = 10, WORD = 4 };

struct event {
	char kind; /* m: miss, u: use without waiting, w: with */
	uint64_t cycle;
	uint32_t pc, registers; /* `first` is that of bit DATA */
};
static struct event events[EVENTS];
static uint32_t event_count, asked;
static uint8_t first = DATA; /* register that is loaded */
static bool bypass_all;

static void note(char kind, uint64_t now, const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t registers)
{
	const struct hd_dinst *code = warp->cta->sm->gpu->program.code.data + warp->cta->grid->entry;
	ck_assert_uint_lt(event_count, EVENTS);
	events[event_count++] = (struct event){kind, now, (uint32_t)(inst - code), registers};
}

static void missed(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)self;
	note('m', now, warp, inst, 0);
}

static void used(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_first_use *use,
		 uint64_t now)
{
	(void)self;
	uint64_t from_first = use->registers->bits[first / 64] >> first % 64;
	note(use->waits ? 'w' : 'u', now, warp, use->inst, (uint32_t)from_first << DATA);
}

static bool past(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	(void)self, (void)warp, (void)now;
	ck_assert(inst->effects & (HD_FX_LOAD | HD_FX_STORE));
	asked++;
	return bypass_all;
}

static uint64_t left[EVENTS];
static uint32_t left_count;

static void leaves(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	if (warp->state == HD_WARP_RUNNING)
		left[left_count++ % EVENTS] = now;
}

static const struct hd_policy_hooks hooks = {.memory.load_miss = missed,
					     .memory.first_use = used,
					     .memory.l1_bypass = past,
					     .issue.deactivate = leaves};
static const struct hd_policy policy = {.name = "loads", .hooks = &hooks};

static void load(struct simbench *bench, enum hd_op op, uint8_t dst, uint8_t address, uint32_t offset)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->dst = dst, inst->a = address, inst->xkind = HD_X_OTHER, inst->x = offset;
	inst->mods = HD_MOD(SIZE, HD_SIZE_32);
}

static void store(struct simbench *bench, enum hd_op op, uint8_t from, uint8_t address)
{
	struct hd_inst *inst = simbench_emit(bench, op);
	inst->c = from, inst->a = address, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
}

/* R8 = thread, R2 = the parameter, R4 = R2 + 4 * thread. Five instructions. */
static void build_addresses(struct simbench *bench)
{
	simbench_init(bench);
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_param(bench, 2);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = WORD;
}

enum { CODE = 4 }; /* the first instruction behind */

static struct hd_stats run(struct simbench *bench, uint32_t words)
{
	uint64_t address;
	event_count = asked = left_count = 0;
	ck_assert_int_eq(simbench_start(bench), 0);
	hd_policy_add(&bench->sim->gpu, &policy, "");
	hd_policy_place(&bench->sim->gpu);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, words * WORD, &address), 0);
	struct hd_launch launch = simbench_launch(bench, 1, 32, &address);
	ck_assert_msg(!hd_sim_launch(bench->sim, &launch), "%s", hd_sim_error_text(bench->sim));
	return *simbench_stats(bench);
}

static void expect(uint32_t index, char kind, uint32_t pc, uint32_t registers)
{
	ck_assert_uint_lt(index, event_count);
	ck_assert_msg(events[index].kind == kind && events[index].pc == pc && events[index].registers == registers,
		      "event %u: %c at %u, registers %#x", index, events[index].kind, events[index].pc,
		      events[index].registers);
}

/* A load that misses, waited for; one that hits, waited for; one that hits, used when it is there. */
static void check_first_uses(void)
{
	const uint8_t next = (uint8_t)(first + 1);
	struct simbench bench;
	bypass_all = false;
	build_addresses(&bench);
	bench.meta.registers = 208;
	load(&bench, HD_OP_LDG, first, 4, 0);
	simbench_ffma(&bench, 12, first, first, first);
	simbench_ffma(&bench, 12, first, first, first);
	load(&bench, HD_OP_LDG, first, 4, 0);
	simbench_ffma(&bench, 12, first, first, first);
	load(&bench, HD_OP_LDG, next, 4, 0);
	for (uint32_t i = 0; i < 100; i++)
		simbench_ffma(&bench, 12, 12, 12, 12);
	simbench_ffma(&bench, 13, next, first, first);
	struct hd_stats stats = run(&bench, 64);
	expect(0, 'w', CODE + 1, 1u << DATA); /* in the cycle of its issue, when it is not in the load/store unit yet */
	expect(1, 'm', CODE, 0);
	expect(2, 'w', CODE + 4, 1u << DATA);
	expect(3, 'u', CODE + 6 + 100, 1u << (DATA + 1));
	ck_assert_uint_eq(event_count, 4);
	ck_assert_uint_eq(asked, 3);
	ck_assert_uint_eq(stats.counters.l1d_misses, 1);
	ck_assert_uint_eq(stats.counters.l1d_hits, 2);
	simbench_release(&bench);
}

/* Wherever the register is. */
START_TEST(only_a_miss_is_one_and_each_register_is_used_first_once)
{
	static const uint8_t registers[] = {DATA, 70, 140, 200};
	for (uint32_t i = 0; i < sizeof registers; i++) {
		first = registers[i];
		check_first_uses();
	}
	first = DATA;
}
END_TEST

/* The second load of the line merges into the first: it waits for the memory, too. */
START_TEST(a_load_that_merges_waits_for_memory)
{
	struct simbench bench;
	bypass_all = false;
	build_addresses(&bench);
	load(&bench, HD_OP_LDG, DATA, 4, 0);
	load(&bench, HD_OP_LDG, DATA + 1, 4, 0);
	simbench_ffma(&bench, 12, DATA, DATA + 1, DATA);
	struct hd_stats stats = run(&bench, 64);
	expect(0, 'm', CODE, 0);
	expect(1, 'w', CODE + 2, 3u << DATA);
	expect(2, 'm', CODE + 1, 0);
	ck_assert_uint_eq(event_count, 3);
	ck_assert_uint_eq(stats.counters.l1d_pending_hits, 1);
	simbench_release(&bench);
}
END_TEST

START_TEST(what_is_overwritten_unread_is_not_used)
{
	struct simbench bench;
	bypass_all = false;
	build_addresses(&bench);
	load(&bench, HD_OP_LDG, DATA, 4, 0);
	load(&bench, HD_OP_LDG, DATA + 1, 4, 0);
	simbench_ffma(&bench, 12, DATA + 1, DATA + 1, DATA + 1);
	simbench_mov(&bench, DATA, 1);
	simbench_ffma(&bench, 12, DATA, DATA, DATA);
	run(&bench, 64);
	for (uint32_t i = 0; i < event_count; i++)
		ck_assert(events[i].kind == 'm' || events[i].registers == 2u << DATA);
	ck_assert_uint_eq(event_count, 3);
	simbench_release(&bench);
}
END_TEST

/* One load of two lines of which one is there: one miss is told. Shared memory is no business of these hooks. */
START_TEST(an_instruction_misses_once)
{
	struct simbench bench;
	bypass_all = false;
	build_addresses(&bench);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_IMAD_WIDE);
	inst->dst = 6, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 128;
	load(&bench, HD_OP_LDG, DATA, 6, 0);
	load(&bench, HD_OP_LDS, DATA + 1, HD_RZ, 0);
	simbench_ffma(&bench, 12, DATA + 1, DATA + 1, DATA + 1);
	simbench_ffma(&bench, 12, DATA, DATA, DATA);
	bench.meta.shared_bytes = 128;
	struct hd_stats stats = run(&bench, 32 * 32);
	ck_assert_uint_eq(stats.counters.l1d_misses, 32);
	ck_assert_uint_eq(event_count, 2);
	ck_assert_uint_eq(asked, 1);
	simbench_release(&bench);
}
END_TEST

/* Local data that is dirty in L1 is written back by a load that goes past it, and read from L2. */
START_TEST(accesses_past_l1_find_what_it_has)
{
	struct simbench bench;
	struct hd_stats stats[2];
	for (uint32_t past_l1 = 0; past_l1 < 2; past_l1++) {
		build_addresses(&bench);
		bench.meta.max_stack_bytes = 16;
		bypass_all = past_l1;
		store(&bench, HD_OP_STL, 8, HD_RZ);
		load(&bench, HD_OP_LDL, DATA, HD_RZ, 0);
		load(&bench, HD_OP_LDG, DATA + 1, 4, 0);
		simbench_ffma(&bench, 12, DATA + 1, DATA, DATA);
		load(&bench, HD_OP_LDG, DATA + 1, 4, 0);
		simbench_ffma(&bench, 12, DATA + 1, DATA, DATA);
		stats[past_l1] = run(&bench, 64);
		ck_assert_uint_eq(asked, 4);
		ck_assert_uint_eq(simbench_register(&bench, 0, DATA, 5), 5);
		simbench_release(&bench);
	}
	ck_assert_uint_eq(stats[0].counters.l1d_hits, 2);
	ck_assert_uint_eq(stats[1].counters.l1d_hits, 0);
	/* Cached, the one dirty line leaves at the end: no packet. Past L1 the store, two reads of one line and one of
	 * the other go up, four answers come down. */
	ck_assert_uint_eq(stats[0].counters.l2_accesses, 4);
	ck_assert_uint_eq(stats[1].counters.l2_accesses, 16);
	ck_assert_uint_eq(stats[0].counters.l1d_writebacks, 4);
	ck_assert_uint_eq(stats[1].counters.l1d_writebacks, 0);
}
END_TEST

/* A use that waits for a miss, one that waits for a hit: either takes the warp out of the active set, or the first
 * alone, in the cycle in which the load/store unit finds that it is a miss. */
START_TEST(an_active_warp_leaves_for_a_miss)
{
	static const uint64_t settings[] = {HD_MISS_NO, HD_MISS_YES, HD_MISS_LOADS};
	for (uint32_t row = 0; row < 3; row++) {
		struct simbench bench;
		uint32_t on_miss = settings[row] == HD_MISS_YES;
		bypass_all = false;
		build_addresses(&bench);
		bench.config.scheduler = HD_SCHED_TWO_LEVEL;
		bench.config.two_level_miss = settings[row];
		load(&bench, HD_OP_LDG, DATA, 4, 0);
		simbench_ffma(&bench, 12, DATA, DATA, DATA);
		load(&bench, HD_OP_LDG, DATA, 4, 0);
		simbench_ffma(&bench, 12, DATA, DATA, DATA);
		run(&bench, 64);
		uint32_t ends = 1; /* the warp's end, when it waits for its result */
		expect(1, 'm', CODE, 0);
		ck_assert_uint_ge(left_count, (on_miss ? 1 : 2));
		ck_assert_uint_le(left_count, (on_miss ? 1 : 2) + ends);
		ck_assert_uint_eq(left[0], events[on_miss].cycle);
		simbench_release(&bench);
	}
}
END_TEST

/* A warp loads a line of 128 bytes, four sectors, twice: the second time L1 has it, unless the load is to pass it by.
 */
START_TEST(loads_pass_l1_by_when_their_code_says_so)
{
	static const struct {
		uint32_t cache;
		bool kept;
	} rows[] = {{HD_CACHE_DEFAULT, true}, {HD_CACHE_CA, true}, {HD_CACHE_CG, false}, {HD_CACHE_CV, false}};
	for (uint32_t row = 0; row < 4; row++) {
		struct simbench bench;
		bypass_all = false;
		build_addresses(&bench);
		for (uint8_t i = 0; i < 2; i++) {
			load(&bench, HD_OP_LDG, DATA, 4, 0);
			hd_vec_last(&bench.code).mods |= HD_MOD(CACHE, rows[row].cache);
			simbench_ffma(&bench, 12, DATA, DATA, DATA);
		}
		struct hd_stats stats = run(&bench, 64);
		ck_assert_uint_eq(stats.counters.l1d_hits, rows[row].kept ? 1 : 0);
		ck_assert_uint_eq(stats.counters.l2_accesses, rows[row].kept ? 4 : 8);
		ck_assert_uint_eq(stats.counters.dram_reads, 4);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("loads", (const TTest *const[]){
					    only_a_miss_is_one_and_each_register_is_used_first_once,
					    loads_pass_l1_by_when_their_code_says_so,
					    a_load_that_merges_waits_for_memory,
					    what_is_overwritten_unread_is_not_used,
					    an_instruction_misses_once,
					    accesses_past_l1_find_what_it_has,
					    an_active_warp_leaves_for_a_miss,
					    NULL,
				    });
}
