/*
 * Hooks of designs that run code of their own or look at where warps are: a probe policy sees each call, and the tests
 * know from the program which there must be.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/load.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { LOG = 64 };

static void start_with(struct simbench *bench, const struct hd_policy_hooks *hooks)
{
	static struct hd_policy policy;
	policy = (struct hd_policy){.name = "probe", .hooks = hooks};
	ck_assert_int_eq(simbench_start(bench), 0);
	hd_policy_add(&bench->sim->gpu, &policy, "");
	hd_policy_place(&bench->sim->gpu);
}

static struct hd_counters run_with(struct simbench *bench, const struct hd_policy_hooks *hooks, uint32_t ctas,
				   uint32_t threads)
{
	start_with(bench, hooks);
	int error = simbench_run(bench, ctas, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
	struct hd_stats stats = *simbench_stats(bench);
	uint64_t slots = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		slots += stats.stalls[i];
	ck_assert_uint_eq(slots, stats.counters.cycles * bench->config.schedulers);
	simbench_release(bench);
	return stats.counters;
}

/* P0 = lane < limit */
static void lanes_below(struct simbench *bench, uint32_t limit)
{
	simbench_s2r(bench, 7, HD_SR_LANEID);
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = 7;
	test->xkind = HD_X_IMM_B;
	test->x = limit;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
}

static void branch(struct simbench *bench, uint8_t guard, uint32_t target, uint32_t reconv)
{
	struct hd_inst *bra = simbench_emit(bench, HD_OP_BRA);
	bra->guard = guard;
	bra->xkind = HD_X_OTHER;
	bra->x = target;
	bra->reconv = reconv;
}

/* ---- paths of a warp, and what is issued */

struct seen {
	uint32_t pc, active;
	enum hd_path how;
};
static struct seen paths[LOG];
static uint32_t path_count, issue_count, issued_lanes;

static void see_path(const struct hd_policy_handle *self, struct hd_warp *warp, enum hd_path how, uint64_t now)
{
	(void)self, (void)now;
	if (path_count < LOG)
		paths[path_count++] = (struct seen){warp->pc, warp->active, how};
}

static void see_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)warp, (void)inst, (void)now;
	issue_count++;
	issued_lanes += (uint32_t)__builtin_popcount(effect->mask);
}

static const struct hd_policy_hooks path_hooks = {.calls.path_switch = see_path, .issue.issued = see_issue};

static void expect_path(uint32_t index, enum hd_path how, uint32_t pc, uint32_t active)
{
	ck_assert_uint_lt(index, path_count);
	ck_assert_uint_eq(paths[index].how, how);
	ck_assert_uint_eq(paths[index].pc, pc);
	ck_assert_uint_eq(paths[index].active, active);
}

/*
 * 0, 1: P0; 2: @P0 BRA 5 (to 7); 3: MOV; 4: BRA 7; 5: MOV; 6: NOP; 7: MOV; 8: @P0 EXIT; 9: MOV. The taken path runs
 * first; the lanes that exit are no switch, those left go on.
 */
START_TEST(paths_are_told)
{
	struct simbench bench;
	simbench_init(&bench);
	path_count = issue_count = issued_lanes = 0;
	lanes_below(&bench, 5);
	branch(&bench, 0, 5, 7);
	simbench_mov(&bench, 8, 1);
	branch(&bench, HD_PT, 7, 7);
	simbench_mov(&bench, 8, 2);
	simbench_emit(&bench, HD_OP_NOP);
	simbench_mov(&bench, 9, 3);
	simbench_emit(&bench, HD_OP_EXIT)->guard = 0;
	simbench_mov(&bench, 9, 4);
	struct hd_counters counters = run_with(&bench, &path_hooks, 1, 32);
	ck_assert_uint_eq(path_count, 3);
	expect_path(0, HD_PATH_DIVERGED, 5, 0x1f);
	expect_path(1, HD_PATH_SWITCHED, 3, ~0x1fu);
	expect_path(2, HD_PATH_JOINED, 7, ~0u);
	ck_assert_uint_eq(issue_count, counters.warp_instructions);
	ck_assert_uint_eq(issued_lanes, counters.thread_instructions);
	ck_assert_uint_eq(issue_count, 11);
}
END_TEST

/* Without a path that ends otherwise nothing is told: a branch that all take, and the exit of all. */
START_TEST(straight_code_has_no_paths)
{
	struct simbench bench;
	simbench_init(&bench);
	path_count = 0;
	lanes_below(&bench, 32);
	branch(&bench, 0, 4, 4);
	simbench_mov(&bench, 8, 1);
	simbench_mov(&bench, 9, 1);
	run_with(&bench, &path_hooks, 2, 64);
	ck_assert_uint_eq(path_count, 0);
}
END_TEST

/* ---- addresses of code */

static uint32_t extra_at, extra_bytes, places;

/* `extra_bytes` more stand in front of instruction `extra_at`, and all behind are moved on. */
static uint64_t grow_code(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t pc,
			  uint64_t address, uint32_t *bytes)
{
	(void)self, (void)warp;
	ck_assert_uint_eq(address, (uint64_t)pc * HD_INST_BYTES);
	ck_assert_uint_eq(*bytes, HD_INST_BYTES);
	places++;
	if (pc == extra_at)
		*bytes += extra_bytes;
	return pc > extra_at ? address + extra_bytes : address;
}

static const struct hd_policy_hooks grow_hooks = {.issue.code_place = grow_code};

/* Fifteen MOVs and EXIT are two lines of eight. */
static struct hd_counters run_grown(const struct hd_policy_hooks *hooks, uint32_t at, uint32_t bytes)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.l1i_miss_latency = 50;
	bench.meta.registers = 40;
	extra_at = at;
	extra_bytes = bytes;
	places = 0;
	for (uint8_t i = 0; i < 15; i++)
		simbench_mov(&bench, (uint8_t)(8 + i), i);
	return run_with(&bench, hooks, 1, 32);
}

START_TEST(code_that_grows_is_fetched)
{
	static const struct hd_policy_hooks none = {0};
	struct hd_counters plain = run_grown(&none, 0, 0), same = run_grown(&grow_hooks, 3, 0);
	ck_assert_uint_eq(plain.l1i_accesses, 2);
	ck_assert_mem_eq(&plain, &same, sizeof same);
	ck_assert_uint_eq(places, 16);
	/* One more byte in front of the fourth: the last one reaches into a third line. */
	struct hd_counters byte = run_grown(&grow_hooks, 3, 1);
	ck_assert_uint_eq(byte.l1i_accesses, 3);
	ck_assert_uint_eq(byte.l1i_misses, 3);
	/* Its third line is there 50 cycles after it was asked for, when the one before it issued. */
	ck_assert_uint_gt(byte.cycles, plain.cycles + 40);
	/* 256 bytes in front of the fourth: its lines are 0, 1 and 2, those behind lie in 2, 3; all misses at once. */
	struct hd_counters long_one = run_grown(&grow_hooks, 3, 256);
	ck_assert_uint_eq(long_one.l1i_accesses, 4);
	ck_assert_uint_lt(long_one.cycles, plain.cycles + 2 * 50 + 10);
}
END_TEST

/* ---- the scheduling rule */

static uint32_t rules[3], rule_at, order[LOG], order_count;

/* From the cycle `rule_at` of the block on by rules[1], and back at twice that. */
static void set_alarms(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta)
{
	(void)cta;
	order_count = 0;
	ck_assert_uint_eq(sm->scheduling.rule, rules[0]);
	hd_policy_at(self, sm, sm->now + rule_at, rules[1]);
	hd_policy_at(self, sm, sm->now + 2 * rule_at, rules[2]);
}

static void set_rule(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now)
{
	(void)self, (void)now;
	hd_sm_schedule_by(sm, (uint8_t)arg);
}

static void note_order(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)inst, (void)effect, (void)now;
	if (order_count < LOG)
		order[order_count++] = warp->index;
}

static const struct hd_policy_hooks rule_hooks = {.allocation.cta_launch = set_alarms,
						  .alarm = set_rule,
						  .issue.issued = note_order};

/* Four warps with independent MOVs: greedily all of one warp in a row, else in turn. Two launches: the second begins by
 * the configuration's rule again. */
static void run_rules(uint32_t first, uint32_t second, uint32_t third)
{
	struct simbench bench;
	simbench_init(&bench);
	rules[0] = bench.config.scheduler = first;
	rules[1] = second;
	rules[2] = third;
	rule_at = 12;
	bench.config.two_level_active = 2;
	bench.meta.registers = 60;
	for (uint8_t i = 0; i < 40; i++)
		simbench_mov(&bench, (uint8_t)(8 + i), i);
	start_with(&bench, &rule_hooks);
	ck_assert_int_eq(simbench_run(&bench, 1, 128), 0);
	ck_assert_int_eq(simbench_run(&bench, 1, 128), 0);
	simbench_release(&bench);
}

static uint32_t changes(uint32_t from, uint32_t to)
{
	uint32_t count = 0;
	for (uint32_t i = from + 1; i < to; i++)
		count += order[i] != order[i - 1];
	return count;
}

START_TEST(the_rule_is_switched)
{
	run_rules(HD_SCHED_LRR, HD_SCHED_GTO, HD_SCHED_LRR);
	ck_assert_uint_eq(changes(0, 10), 9);
	ck_assert_uint_eq(changes(12, 22), 0);
	ck_assert_uint_eq(changes(26, 40), 13);
	run_rules(HD_SCHED_GTO, HD_SCHED_LRR, HD_SCHED_TWO_LEVEL);
	ck_assert_uint_eq(changes(0, 7), 0);
	ck_assert_uint_eq(changes(14, 22), 7);
}
END_TEST

/* Of warps that do not wait long, two are active: the first two, until one ends. */
START_TEST(two_levels_begin_with_the_warps_that_are_there)
{
	run_rules(HD_SCHED_GTO, HD_SCHED_TWO_LEVEL, HD_SCHED_TWO_LEVEL);
	uint32_t seen = 0;
	for (uint32_t i = 14; i < 40; i++)
		seen |= 1u << order[i];
	ck_assert_uint_eq(seen, 3);
	ck_assert_uint_eq(order_count, LOG);
}
END_TEST

/* ---- elision */

static uint32_t asked_at_all, asked_before, asked_known, declined_from;
static uint64_t elide_delay;
static uint32_t timers_kept; /* how many timers the schedulers keep for themselves */
static uint32_t
	timers_lack; /* 1: they keep just as many as are free, 2: one more than are free, 0: what they always do */

/* Additions and loads of shared memory, as long as R8 is below `declined_from`. */
static bool elide_some(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		       bool known, uint64_t now, uint64_t *at)
{
	(void)self;
	ck_assert_uint_eq(*at, now);
	ck_assert(!(inst->effects & (HD_FX_STORE | HD_FX_ATOMIC | HD_FX_SIDE | HD_FX_FENCE | HD_FX_BARRIER)));
	ck_assert(!(inst->effects & (HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT)));
	asked_at_all += !known;
	if (inst->inst.op != HD_OP_IADD3 && inst->inst.op != HD_OP_LDS)
		return false;
	asked_before += !known;
	asked_known += known;
	*at = now + elide_delay;
	struct hd_wheel *wheel = &warp->cta->sm->wheel;
	timers_kept = timers_kept ? timers_kept : wheel->kept;
	wheel->kept = known && timers_lack ? wheel->free_count + timers_lack - 1 : timers_kept;
	return !known || warp->regs[8][0] < declined_from;
}

static void keep_timers(const struct hd_policy_handle *self, struct hd_warp *warp, uint32_t pc, uint64_t now)
{
	(void)self, (void)pc, (void)now;
	warp->cta->sm->wheel.kept = timers_kept ? timers_kept : warp->cta->sm->wheel.kept;
}

static const struct hd_policy_hooks elide_hooks = {.issue.elide = elide_some, .issue.fetch = keep_timers};

static void add_one(struct simbench *bench, uint8_t reg)
{
	struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
	add->dst = add->a = reg;
	add->xkind = HD_X_IMM_B;
	add->x = 1;
}

/* R8 = 0 eight times, R8 = R8 + 1 `count` times, R9 = R8 * R4 + R4. */
static struct hd_counters run_additions(uint32_t count, uint32_t *value)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.l1i_miss_latency = 30;
	asked_at_all = asked_before = asked_known = timers_kept = 0;
	for (uint32_t i = 0; i < 8; i++) /* a line */
		simbench_mov(&bench, 8, 0);
	for (uint32_t i = 0; i < count; i++)
		add_one(&bench, 8);
	simbench_ffma(&bench, 9, 8, 4, 4);
	bench.options.verify = true; /* the simulator's accounts are held at the end */
	start_with(&bench, &elide_hooks);
	int error = simbench_run(&bench, 1, 40);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	struct hd_counters counters = simbench_stats(&bench)->counters;
	*value = simbench_register(&bench, 0, 8, 5);
	simbench_release(&bench);
	return counters;
}

START_TEST(elided_instructions_cost_nothing)
{
	uint32_t value;
	declined_from = UINT32_MAX;
	elide_delay = 0;
	struct hd_counters none = run_additions(0, &value), some = run_additions(3, &value);
	ck_assert_uint_eq(value, 3);
	ck_assert_uint_eq(some.elided, 2 * 3);
	ck_assert_uint_eq(some.elided_threads, 3 * 40);
	ck_assert_uint_eq(some.warp_instructions, none.warp_instructions);
	ck_assert_uint_eq(some.thread_instructions, none.thread_instructions);
	/* The FFMA's line is fetched when the additions are past, four cycles after their operands were asked for. */
	ck_assert_uint_eq(some.cycles, none.cycles + 4);
	ck_assert_uint_eq(some.bank_reads, none.bank_reads);
	ck_assert_uint_eq(asked_at_all, 2 * (8 + 3 + 1));
	ck_assert_uint_eq(asked_before, 2 * 3);
	ck_assert_uint_eq(asked_known, 2 * 3);
	/* Two hundred are 25 lines of code, which nobody fetches; EXIT's is another one than the MOVs'. */
	struct hd_counters many = run_additions(200, &value);
	ck_assert_uint_eq(value, 200);
	ck_assert_uint_eq(many.l1i_accesses, 2 * 2);
	ck_assert_uint_lt(many.cycles, none.cycles + 40);
}
END_TEST

/* Results that come later are waited for: a chain of n takes n times as long. */
START_TEST(elided_results_take_their_time)
{
	uint32_t value;
	declined_from = UINT32_MAX;
	elide_delay = 7;
	struct hd_counters one = run_additions(1, &value), three = run_additions(3, &value);
	ck_assert_uint_eq(value, 3);
	ck_assert_uint_eq(three.elided, 2 * 3);
	ck_assert_uint_eq(three.cycles, one.cycles + 2 * 7);
}
END_TEST

/* A result that comes later needs a timer. Schedulers keep some timers: the instruction is elided as long as at least
 * that many are free, and issued when one is missing. A result that is there at once needs no timer. */
START_TEST(elided_results_need_timers)
{
	uint32_t value;
	declined_from = UINT32_MAX;
	for (uint32_t lack = 1; lack <= 2; lack++)
		for (elide_delay = 0; elide_delay <= 7; elide_delay += 7) {
			timers_lack = lack;
			ck_assert_uint_eq(run_additions(3, &value).elided, lack == 1 || !elide_delay ? 2 * 3 : 0);
			ck_assert_uint_eq(value, 3);
			timers_lack = 0;
		}
}
END_TEST

/* By the values of operands: the first two are elided, the others issued, and fetched like all code. */
START_TEST(values_decide_what_is_elided)
{
	uint32_t value;
	elide_delay = 0;
	declined_from = 0;
	struct hd_counters none = run_additions(5, &value);
	ck_assert_uint_eq(none.elided, 0);
	ck_assert_uint_eq(none.warp_instructions, 2 * 15);
	declined_from = 2;
	struct hd_counters some = run_additions(5, &value);
	ck_assert_uint_eq(value, 5);
	ck_assert_uint_eq(some.elided, 2 * 2);
	ck_assert_uint_eq(some.warp_instructions, 2 * (15 - 2));
	ck_assert_uint_eq(asked_known, 2 * 5);
	ck_assert_uint_eq(some.l1i_accesses, none.l1i_accesses);
	ck_assert_uint_lt(some.cycles, none.cycles);
}
END_TEST

/* A load that is elided asks no memory, and what it loads is there. Nobody is asked about what acts: stores, atomics,
 * fences, barriers. */
START_TEST(loads_can_be_elided)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.meta.shared_bytes = 64;
	declined_from = UINT32_MAX;
	elide_delay = 0;
	simbench_mov(&bench, 8, 7);
	struct hd_inst *store = simbench_emit(&bench, HD_OP_STS);
	store->mods = HD_MOD(SIZE, HD_SIZE_32);
	store->a = 4;
	store->c = 8;
	store->xkind = HD_X_OTHER;
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	load->a = 4;
	load->dst = 9;
	load->xkind = HD_X_OTHER;
	struct hd_inst *atomic = simbench_emit(&bench, HD_OP_ATOMS);
	atomic->a = 4;
	atomic->b = 8;
	atomic->dst = 10;
	atomic->xkind = HD_X_OTHER;
	atomic->mods = HD_MOD(DTYPE, HD_U32);
	simbench_emit(&bench, HD_OP_MEMBAR);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	asked_at_all = 0;
	start_with(&bench, &elide_hooks);
	ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
	ck_assert_uint_eq(asked_at_all, 2); /* the move and the load */
	ck_assert_uint_eq(simbench_register(&bench, 0, 9, 3), 7);
	ck_assert_uint_eq(simbench_register(&bench, 0, 10, 0), 7);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.shared_accesses, 2);
	ck_assert_uint_eq(simbench_stats(&bench)->counters.elided, 1);
	simbench_release(&bench);
}
END_TEST

/* ---- what the compiler says */

/* R8 = R4 * R5 + R4; a pair DADD R10 = R12 + R14; MOV; EXIT. */
START_TEST(operands_have_their_tags)
{
	static const struct hd_policy_hooks hooks = {.facts = true};
	uint8_t tags[] = {1 | 2, 4, 0, 0}, dead[] = {2, 1, 0, 0}, exact[16] = {0};
	struct hd_meta_reuse reuse = {.tags = tags, .exact = exact, .tag_count = 4};
	uint32_t first_pcs[] = {0, 16}, second_pcs[] = {32, 48}, diverges[] = {16};
	struct hd_meta_interval intervals[] = {{.id = 0, .entry_pc = 0, .pcs = first_pcs, .pc_count = 2},
					       {.id = 1, .entry_pc = 32, .pcs = second_pcs, .pc_count = 2}};
	struct hd_meta_point points[] = {{.pc = 16, .loop_pc = UINT32_MAX}, {.pc = 48, .loop_pc = UINT32_MAX}};
	struct simbench bench;
	simbench_init(&bench);
	bench.options.profile = true; /* somebody who has all metadata read */
	bench.meta.reuse = &reuse;
	bench.meta.dead_operands = dead;
	bench.meta.dead_operand_count = 4;
	bench.meta.intervals = intervals;
	bench.meta.interval_count = bench.meta.point_count = 2;
	bench.meta.points = points;
	bench.meta.divergent_pcs = diverges;
	bench.meta.divergent_pc_count = 1;
	simbench_ffma(&bench, 8, 4, 5, 4);
	struct hd_inst *dadd = simbench_emit(&bench, HD_OP_DADD);
	dadd->dst = 10;
	dadd->a = 12;
	dadd->b = 14;
	simbench_mov(&bench, 9, 1);
	start_with(&bench, &hooks);
	struct hd_gpu *gpu = &bench.sim->gpu;
	const struct hd_dinst *code = gpu->program.code.data;
	ck_assert(code[0].near_result && !code[1].near_result);
	const uint8_t near[] = {1, 0, 0}, done[] = {0, 1, 0};
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(code[0].operands[i].near, near[i]);
		ck_assert_uint_eq(code[0].operands[i].dead, done[i]);
	}
	for (uint32_t i = 0; i < 4; i++) { /* both words of a and of b */
		ck_assert_uint_eq(code[1].operands[i].near, i >= 2);
		ck_assert_uint_eq(code[1].operands[i].dead, i < 2);
		ck_assert_uint_eq(code[1].operands[i].word, i % 2);
	}
	/* The program was loaded before the policy was there. */
	struct hd_pfunction *function = &gpu->program.functions.data[0];
	ck_assert_ptr_null(hd_facts_at(gpu, 0, NULL));
	hd_facts_prepare(gpu, bench.module, function);
	const struct hd_pfunction *of;
	const uint32_t interval[] = {0, 0, 1, 1}, point[] = {HD_NO_FACT, 0, HD_NO_FACT, 1};
	for (uint32_t pc = 0; pc < 4; pc++) {
		const struct hd_code_facts *facts = hd_facts_at(gpu, pc, &of);
		ck_assert_ptr_eq(of, function);
		ck_assert_uint_eq(facts->interval, interval[pc]);
		ck_assert_uint_eq(facts->strand, HD_NO_FACT);
		ck_assert_uint_eq(facts->point, point[pc]);
		ck_assert_uint_eq(facts->barrier & facts->save & facts->call, HD_NO_FACT);
		ck_assert_uint_eq(facts->diverges, pc == 1);
	}
	simbench_release(&bench);
}
END_TEST

/* ---- votes of barriers */

enum { BUSY = 50 };
static uint64_t released_at, voted_at, used_at;

/* The bank's ports are taken for some cycles after the vote's latency is over. */
static void hold_bank(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	released_at = now;
	struct hd_sm *sm = warp->cta->sm;
	for (uint32_t i = 0; i < BUSY; i++)
		hd_bank_write(sm, warp, 9, now * HD_TICKS);
}

static void see_vote(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		     uint64_t now)
{
	(void)self, (void)warp;
	if (inst->inst.op == HD_OP_BAR)
		voted_at = now;
}

static void see_use(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		    const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)warp, (void)effect;
	if (inst->inst.op == HD_OP_IADD3)
		used_at = now;
}

/* A vote is written when the banks take it, and what reads it waits until then. */
START_TEST(votes_are_written_in_time)
{
	static const struct hd_policy_hooks busy = {.issue.barrier_resume = hold_bank,
						    .issue.write_back = see_vote,
						    .issue.issued = see_use};
	struct simbench bench;
	simbench_init(&bench);
	released_at = voted_at = used_at = 0;
	struct hd_inst *bar = simbench_emit(&bench, HD_OP_BAR);
	bar->xkind = HD_X_IMM_B;
	bar->dst = 9;
	bar->mods = HD_MOD(BARMODE, HD_BAR_RED_POPC);
	struct hd_inst *add = simbench_emit(&bench, HD_OP_IADD3);
	add->dst = 10;
	add->a = add->b = add->c = 9;
	run_with(&bench, &busy, 1, 32);
	ck_assert_uint_ge(voted_at, released_at + BUSY / 2);
	ck_assert_uint_ge(used_at, voted_at);
}
END_TEST

/* R4 of lane 3 becomes 2 in the register file alone, behind the back of what serves operands from elsewhere. */
static void change_behind(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)effect, (void)now;
	if (inst->inst.dst == 7)
		warp->regs[4][3] = 2;
}
static const struct hd_policy_hooks changes_behind = {.issue.issued = change_behind};
static const struct hd_policy changer = {.name = "changer", .hooks = &changes_behind};

static void check_stale(const char *policy, const char *design, bool changed)
{
	char message[128];
	struct simbench bench;
	simbench_init(&bench);
	bench.config.max_warps = 32;
	bench.config.max_threads = 1024;
	bench.options.policy = policy;
	bench.options.verify = true;
	simbench_mov(&bench, 4, 1);
	simbench_ffma(&bench, 5, 4, 4, 4);
	simbench_mov(&bench, 6, 3);
	simbench_mov(&bench, 7, 3);
	simbench_ffma(&bench, 8, 4, 4, 4);
	bench.beside = changed ? &changer : NULL;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	int error = simbench_run(&bench, 1, 32);
	const char *text = hd_sim_error_text(bench.sim);
	ck_assert_msg(error == (changed ? HD_SIM_VERIFY : 0), "%s: %d, %s", policy, error, text);
	snprintf(message, sizeof message, "%s: the collector serves R4 as 0x1, but the register file has 0x2", design);
	ck_assert_msg(!changed || strstr(text, message), "%s", text);
	simbench_release(&bench);
}

/* Whatever serves an operand compares it with the register file, lane by lane. */
START_TEST(stale_operands_are_found)
{
	for (int changed = 0; changed < 2; changed++) {
		check_stale("bow:4", "BOW", changed);
		check_stale("rfc", "RFC", changed);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("hooks", (const TTest *const[]){
					    paths_are_told,
					    straight_code_has_no_paths,
					    code_that_grows_is_fetched,
					    the_rule_is_switched,
					    elided_instructions_cost_nothing,
					    elided_results_take_their_time,
					    elided_results_need_timers,
					    values_decide_what_is_elided,
					    loads_can_be_elided,
					    operands_have_their_tags,
					    votes_are_written_in_time,
					    stale_operands_are_found,
					    two_levels_begin_with_the_warps_that_are_there,
					    NULL,
				    });
}
