/* LTRF: the warp control block, what PREFETCHes cost on an idle SM, and the policy on small programs. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/ltrf/ltrf.h"
#include "simbench.h"

/* ---- the control block */

static struct hd_wcb_set range(uint32_t from, uint32_t count, uint32_t step)
{
	struct hd_wcb_set set = {{0}};
	for (uint32_t i = 0; i < count; i++)
		hd_wcb_add(&set, from + i * step);
	return set;
}

/* R0 to R9, then R5 to R14: what stays keeps its bank, what comes takes those that have been free for longest. */
START_TEST(banks_go_round)
{
	struct hd_wcb block;
	struct hd_wcb_set first = range(0, 10, 1), second = range(5, 10, 1);
	hd_wcb_init(&block, 16, 0);
	ck_assert(hd_wcb_allocate(&block, &first));
	for (uint32_t r = 0; r < 10; r++)
		ck_assert_uint_eq(block.bank[r], r);
	struct hd_wcb_set out = hd_wcb_without(&first, &second), in = hd_wcb_without(&second, &first);
	ck_assert_uint_eq(hd_wcb_count(&out), 5);
	hd_wcb_release(&block, &out);
	ck_assert(hd_wcb_allocate(&block, &in));
	for (uint32_t r = 5; r < 15; r++)
		ck_assert_uint_eq(block.bank[r], r);
	const uint8_t unused[] = {15, 0, 1, 2, 3, 4};
	ck_assert_uint_eq(block.free, 6);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert_uint_eq(block.unused[(block.first + i) % block.banks], unused[i]);
	struct hd_wcb_set many = range(100, 7, 1);
	ck_assert(!hd_wcb_allocate(&block, &many));
	ck_assert_uint_eq(block.free, 6);
}
END_TEST

/* Whatever comes and goes, banks are neither lost nor given twice. */
START_TEST(no_bank_is_lost)
{
	struct hd_wcb block;
	uint64_t state = 1;
	hd_wcb_init(&block, 16, 0);
	for (uint32_t round = 0; round < 2000; round++) {
		struct hd_wcb_set set = {{0}};
		for (uint32_t i = 0; i < 16; i++) {
			state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
			hd_wcb_add(&set, state >> 33 & 255);
		}
		struct hd_wcb_set out = hd_wcb_without(&block.set, &set), in = hd_wcb_without(&set, &block.set);
		hd_wcb_release(&block, &out);
		ck_assert(hd_wcb_allocate(&block, &in));
		uint64_t seen = 0;
		for (uint32_t r = hd_wcb_next(&block.set, 0); r < 256; r = hd_wcb_next(&block.set, r + 1))
			seen += UINT64_C(1) << 4 * block.bank[r];
		for (uint32_t i = 0; i < block.free; i++)
			seen += UINT64_C(1) << 4 * block.unused[(block.first + i) % 16];
		ck_assert_uint_eq(seen, UINT64_C(0x1111111111111111));
		ck_assert_mem_eq(&block.set, &set, sizeof set);
	}
}
END_TEST

START_TEST(control_blocks_take_114880_bits)
{
	ck_assert_uint_eq(hd_wcb_storage_bits(64, 16, 8), 114880);
}
END_TEST

/* ---- PREFETCHes on an idle SM: control block 1, bank L, link 4 cycles */

struct scene {
	struct simbench bench;
	struct hd_sm *sm;
	struct hd_warp *warp;
	struct hd_policy_handle *self;
};

static void scene_init(struct scene *scene, const char *policy, uint32_t banks, double latency)
{
	simbench_init(&scene->bench);
	scene->bench.options.policy = policy;
	scene->bench.config.register_banks = banks;
	scene->bench.config.register_ports = 1;
	scene->bench.config.register_latency = scene->bench.config.register_busy = latency;
	simbench_mov(&scene->bench, 8, 1);
	ck_assert_msg(!simbench_start(&scene->bench), "%s", scene->bench.message);
	scene->sm = scene->bench.sim->gpu.sms[0];
	scene->self = &scene->bench.sim->gpu.policies[0];
	scene->warp = &scene->sm->warps[0];
	scene->warp->cta = &scene->sm->ctas[0];
	scene->warp->slot = 0;
	scene->sm->ctas[0].sm = scene->sm;
	scene->sm->ctas[0].exec = scene->sm->exec;
	scene->sm->ctas[0].grid = (struct hd_grid *)hd_arena_alloc(&scene->bench.arena, sizeof(struct hd_grid));
	hd_wcb_init(&ltrf_warp_of(scene->self, scene->warp)->block, 16, 0);
}

static struct ltrf_counts *counts_of(struct scene *scene)
{
	return ltrf_counts_of(scene->self, scene->warp);
}

static uint64_t prefetch_cycles(uint32_t banks, double latency, uint32_t count, uint32_t step)
{
	struct scene scene;
	struct hd_wcb_set set = range(0, count, step);
	scene_init(&scene, "ltrf", banks, latency);
	uint64_t done = ltrf_prefetch(scene.self, scene.warp, &set, false, 0);
	ck_assert_uint_eq(counts_of(&scene)->prefetched, count);
	simbench_release(&scene.bench);
	return done;
}

START_TEST(prefetches_take_their_banks)
{
	ck_assert_uint_eq(prefetch_cycles(16, 1, 16, 1), 6);
	ck_assert_uint_eq(prefetch_cycles(16, 6.3, 16, 1), 12);
	ck_assert_uint_eq(prefetch_cycles(16, 1, 4, 16), 9);
	ck_assert_uint_eq(prefetch_cycles(16, 6.3, 4, 16), 31);
	ck_assert_uint_eq(prefetch_cycles(128, 6.3, 4, 16), 12);
	ck_assert_uint_eq(prefetch_cycles(16, 1, 15, 16), 20); /* fifteen of one bank: RZ is no register */
	ck_assert_uint_eq(prefetch_cycles(16, 6.3, 15, 16), 100);
}
END_TEST

/* Two sets that share five registers; then six of ten are live, and the warp leaves and comes back. */
static struct ltrf_counts move_sets(const char *policy, bool reload)
{
	struct scene scene;
	struct hd_wcb_set first = range(0, 10, 1), second = range(5, 10, 1);
	scene_init(&scene, policy, 16, 1);
	scene.bench.sim->gpu.settings[scene.self->settings_at + LTRF_RELOAD] = reload;
	struct ltrf_warp *mine = ltrf_warp_of(scene.self, scene.warp);
	mine->block.live = range(5, 6, 1);
	mine->begun = true;
	ltrf_activate(scene.self, scene.warp, 0);
	ltrf_prefetch(scene.self, scene.warp, &first, false, 0);
	ltrf_prefetch(scene.self, scene.warp, &second, false, 100 * HD_TICKS);
	ck_assert_uint_eq(mine->row, 1);
	ltrf_deactivate(scene.self, scene.warp, false, 200);
	ck_assert_uint_eq(mine->row, 0);
	ck_assert_uint_eq(hd_wcb_count(&mine->block.valid), 0);
	/* The row is free when the last register has left: a cycle of the bank, and the link has it. */
	ck_assert_uint_eq(ltrf_sm_of(scene.self, scene.sm)->row_free[0], 201 * HD_TICKS);
	ck_assert_uint_eq(ltrf_activate(scene.self, scene.warp, 300), 306);
	struct ltrf_counts counts = *counts_of(&scene);
	simbench_release(&scene.bench);
	return counts;
}

START_TEST(sets_move_by_difference)
{
	struct ltrf_counts ltrf = move_sets("ltrf", false), reload = move_sets("ltrf", true),
			   plus = move_sets("ltrf-plus", false);
	ck_assert_uint_eq(ltrf.prefetched, 10 + 5);
	ck_assert_uint_eq(ltrf.written_back, 5);
	ck_assert_uint_eq(reload.prefetched, 10 + 10);
	ck_assert_uint_eq(reload.written_back, 10);
	ck_assert_uint_eq(ltrf.saved, 10);
	ck_assert_uint_eq(ltrf.refetched, 10);
	ck_assert_uint_eq(plus.prefetched, 5 + 1); /* R5 to R9, R10 */
	ck_assert_uint_eq(plus.written_back, 0);
	ck_assert_uint_eq(plus.saved, 6);
	ck_assert_uint_eq(plus.refetched, 6);
	ck_assert_uint_eq(plus.dropped, 5 + 4);
}
END_TEST

/* Behind a call twelve registers of sixteen banks are there: four more find room, and of eight four have to leave. */
START_TEST(callers_keep_what_callees_leave_room_for)
{
	struct scene scene;
	struct hd_wcb_set caller = range(0, 12, 1), callee = range(20, 4, 1), next = range(30, 8, 1);
	scene_init(&scene, "ltrf", 16, 1);
	struct ltrf_warp *mine = ltrf_warp_of(scene.self, scene.warp);
	mine->begun = true;
	mine->block.live = range(4, 60, 1); /* R0 to R3 are dead */
	ltrf_activate(scene.self, scene.warp, 0);
	ltrf_prefetch(scene.self, scene.warp, &caller, false, 0);
	ltrf_prefetch(scene.self, scene.warp, &callee, true, 100 * HD_TICKS);
	ck_assert_uint_eq(counts_of(&scene)->written_back, 0);
	ltrf_prefetch(scene.self, scene.warp, &caller, true, 200 * HD_TICKS);
	ck_assert_uint_eq(counts_of(&scene)->prefetched, 12 + 4); /* nothing had left */
	ltrf_prefetch(scene.self, scene.warp, &next, true, 300 * HD_TICKS);
	ck_assert_uint_eq(counts_of(&scene)->prefetched, 12 + 4 + 8);
	ck_assert_uint_eq(counts_of(&scene)->written_back, 8);
	ck_assert_uint_eq(hd_wcb_count(&mine->block.set), 16);
	for (uint32_t r = 0; r < 4; r++) /* the dead are the first to go */
		ck_assert(!hd_wcb_has(&mine->block.set, r));
	ck_assert(hd_wcb_has(&mine->block.set, 8) && !hd_wcb_has(&mine->block.set, 7));
	simbench_release(&scene.bench);
}
END_TEST

/* Sixteen registers leave and as many come: side by side, or one after the other where both ways share a link. */
START_TEST(both_ways_have_links)
{
	for (uint32_t simplex = 0; simplex < 2; simplex++) {
		struct scene scene;
		struct hd_wcb_set first = range(0, 16, 1), second = range(16, 16, 1);
		scene_init(&scene, "ltrf", 64, 1);
		scene.bench.sim->gpu.settings[scene.self->settings_at + LTRF_SIMPLEX] = simplex;
		struct ltrf_warp *mine = ltrf_warp_of(scene.self, scene.warp);
		mine->begun = true;
		ltrf_activate(scene.self, scene.warp, 0);
		ltrf_prefetch(scene.self, scene.warp, &first, false, 0);
		ltrf_prefetch(scene.self, scene.warp, &second, false,
			      100 * HD_TICKS); /* until 106, and what leaves until 106 */
		ltrf_deactivate(scene.self, scene.warp, false, 102);
		/* From 102 on a cycle of the bank, and links, which are free at 106, or at 110. */
		ck_assert_uint_eq(ltrf_sm_of(scene.self, scene.sm)->row_free[0], (simplex ? 110 : 106) * HD_TICKS);
		simbench_release(&scene.bench);
	}
}
END_TEST

/* R5 is written to its bank of the cache in cycle 100. Who looks for it in cycle 99 finds it in the control block in
 * cycle 100, and that bank's port taken: it is read in 101. R6 is read in 100, in its own bank. */
START_TEST(results_take_ports_of_the_cache)
{
	struct scene scene;
	struct hd_wcb_set set = range(0, 10, 1);
	scene_init(&scene, "ltrf", 16, 1);
	const struct hd_policy_hooks *hooks = scene.self->hooks;
	struct hd_gpu *gpu = scene.sm->gpu;
	ltrf_activate(scene.self, scene.warp, 0);
	ltrf_prefetch(scene.self, scene.warp, &set, false, 0);
	struct hd_dinst inst = {.operands = {{.reg = 5, .same = 0}, {.reg = 6, .same = 1}}, .operand_count = 2};
	struct hd_collector collector = {.warp = scene.warp, .inst = &inst};
	struct hd_result result = {.warp = scene.warp, .reg = 5};
	ck_assert_int_eq(hooks->operands.result_target(scene.self, &result, 100), HD_TO_CACHE);
	for (uint32_t i = 0; i < 2; i++) {
		uint64_t ready, latency = ltrf_ticks(scene.self, gpu, LTRF_CACHE_LATENCY);
		ck_assert_int_eq(hooks->operands.operand_source(scene.self, &collector, &inst.operands[i], 99, &ready),
				 HD_FROM_CACHE);
		ck_assert_uint_eq(ready, (i ? 100 : 101) * HD_TICKS + latency);
	}
	simbench_release(&scene.bench);
}
END_TEST

/* A register comes over the link of its bank in cycles 102 to 106, another warp's asks for the same link before: it has
 * it from 2 to 6, which nobody had. The registers lie in main banks of their own. */
START_TEST(links_have_gaps)
{
	struct scene scene;
	struct hd_wcb_set first = range(0, 1, 1), second = range(1, 1, 1);
	scene_init(&scene, "ltrf", 64, 1);
	struct hd_warp *other = &scene.sm->warps[1];
	other->cta = scene.warp->cta;
	other->slot = 1;
	hd_wcb_init(&ltrf_warp_of(scene.self, other)->block, 16, 0);
	ck_assert_uint_eq(ltrf_prefetch(scene.self, scene.warp, &first, false, 100 * HD_TICKS), 106);
	ck_assert_uint_eq(ltrf_prefetch(scene.self, other, &second, false, 0), 6);
	other->cta = NULL;
	simbench_release(&scene.bench);
}
END_TEST

/* A row for each active warp: so many of each scheduler, or of all. */
START_TEST(active_warps_have_rows)
{
	for (uint32_t pool = 0; pool < 2; pool++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.policy = "ltrf";
		bench.config.schedulers = 4;
		bench.config.two_level_active = 3;
		bench.config.two_level_pool = pool;
		bench.config.register_banks = 16;
		simbench_mov(&bench, 8, 1);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		struct hd_gpu *gpu = &bench.sim->gpu;
		ck_assert_uint_eq(ltrf_gpu_of(&gpu->policies[0], gpu)->rows, pool ? 3 : 3 * 4);
		simbench_release(&bench);
	}
}
END_TEST

/* A row is given to one warp, and when it is free. */
START_TEST(rows_are_handed_on)
{
	struct scene scene;
	struct hd_wcb_set set = range(0, 16, 1);
	scene_init(&scene, "ltrf", 16, 1);
	struct hd_warp *other = &scene.sm->warps[1];
	other->cta = scene.warp->cta;
	other->slot = 1;
	hd_wcb_init(&ltrf_warp_of(scene.self, other)->block, 16, 0);
	ltrf_gpu_of(scene.self, &scene.bench.sim->gpu)->rows = 1;
	ltrf_activate(scene.self, scene.warp, 0);
	ltrf_prefetch(scene.self, scene.warp, &set, false, 0);
	ltrf_deactivate(scene.self, scene.warp, false, 50);
	/* Nothing to fetch: it has the row when that is free. */
	ck_assert_uint_eq(ltrf_activate(scene.self, other, 50), 51);
	ltrf_deactivate(scene.self, other, true, 60);
	ck_assert_uint_eq(ltrf_sm_of(scene.self, scene.sm)->row_free[0], 60 * HD_TICKS);
	simbench_release(&scene.bench);
}
END_TEST

/* A register leaves bank 0 from cycle 10 on, and another warp's from cycle 0 on: the bank's port and link were free
 * before, also in the very first cycle. */
START_TEST(registers_leave_in_gaps)
{
	struct scene scene;
	struct hd_wcb_set set = range(0, 1, 1);
	scene_init(&scene, "ltrf", 64, 1);
	struct hd_warp *other = &scene.sm->warps[1];
	other->cta = scene.warp->cta;
	other->slot = 1;
	hd_wcb_init(&ltrf_warp_of(scene.self, other)->block, 16, 0);
	ltrf_activate(scene.self, scene.warp, 0);
	ltrf_activate(scene.self, other, 0);
	ltrf_prefetch(scene.self, scene.warp, &set, false, 0);
	ltrf_prefetch(scene.self, other, &set, false, 0);
	ltrf_deactivate(scene.self, scene.warp, false, 10);
	ltrf_deactivate(scene.self, other, false, 0);
	/* A cycle of the bank, and the link has it. */
	ck_assert_uint_eq(ltrf_sm_of(scene.self, scene.sm)->row_free[0], 11 * HD_TICKS);
	ck_assert_uint_eq(ltrf_sm_of(scene.self, scene.sm)->row_free[1], 1 * HD_TICKS);
	other->cta = NULL;
	simbench_release(&scene.bench);
}
END_TEST

/* The queue of free banks begins with bank 0, or with that of the warp's number: 35 is bank 3 of 16. */
START_TEST(warps_begin_with_their_own_bank)
{
	for (uint32_t spread = 0; spread < 2; spread++) {
		struct scene scene;
		struct hd_wcb_set set = range(0, 14, 1);
		scene_init(&scene, "ltrf", 16, 1);
		scene.bench.sim->gpu.settings[scene.self->settings_at + LTRF_SPREAD] = spread;
		struct hd_wcb *block = &ltrf_warp_of(scene.self, scene.warp)->block;
		block->banks = 0; /* it has not begun */
		scene.warp->id = 35;
		scene.self->hooks->issue.activate(scene.self, scene.warp, 0);
		ck_assert(ltrf_assign(scene.self, scene.warp, &set));
		for (uint32_t r = 0; r < 14; r++)
			ck_assert_uint_eq(block->bank[r], (r + 3 * spread) % 16);
		scene.warp->id = 0;
		simbench_release(&scene.bench);
	}
}
END_TEST

/*
 * Names change: of R0 to R9, of which R0 to R5 live, the live ones are written back, by an active warp; afterwards it
 * has no set, and all registers may live. One that is not active only gives its banks back.
 */
START_TEST(names_are_forgotten)
{
	struct hd_wcb_set set = range(0, 10, 1);
	for (uint32_t active = 0; active < 2; active++) {
		struct scene scene;
		scene_init(&scene, "ltrf-plus", 16, 1);
		struct ltrf_warp *mine = ltrf_warp_of(scene.self, scene.warp);
		mine->block.live = range(0, 6, 1);
		mine->defined = mine->lost = range(20, 2, 1);
		mine->interval = 5;
		if (active) {
			ltrf_activate(scene.self, scene.warp, 0);
			ltrf_prefetch(scene.self, scene.warp, &set, false, 0);
		} else {
			ck_assert(ltrf_assign(scene.self, scene.warp, &set));
		}
		mine->block.live = range(0, 6, 1);
		scene.self->hooks->calls.forget_names(scene.self, scene.warp, 100);
		ck_assert_uint_eq(counts_of(&scene)->written_back, active ? 6 : 0);
		ck_assert_uint_eq(counts_of(&scene)->dropped, active ? 4 : 0);
		ck_assert_uint_eq(hd_wcb_count(&mine->block.set), 0);
		ck_assert_uint_eq(mine->block.free, 16);
		ck_assert_uint_eq(hd_wcb_count(&mine->block.live), 256);
		ck_assert_uint_eq(hd_wcb_count(&mine->lost) + hd_wcb_count(&mine->defined), 0);
		ck_assert_uint_eq(mine->interval, LTRF_NOWHERE);
		simbench_release(&scene.bench);
	}
}
END_TEST

/* ---- small programs with intervals by hand */

/* An interval of instructions `first` to `end`, exclusive, that needs these registers. */
static void add_interval(struct simbench *bench, struct hd_meta_interval **list, uint32_t *count, uint32_t first,
			 uint32_t end, struct hd_wcb_set set)
{
	if (!*list)
		*list = HD_ARENA_NEW(&bench->arena, struct hd_meta_interval, 8);
	struct hd_meta_interval *interval = &(*list)[*count];
	interval->id = (*count)++;
	interval->entry_pc = first * HD_INST_BYTES;
	interval->pcs = HD_ARENA_NEW(&bench->arena, uint32_t, end - first);
	for (uint32_t i = first; i < end; i++)
		interval->pcs[interval->pc_count++] = i * HD_INST_BYTES;
	memcpy(interval->working_set, set.bits, sizeof set.bits);
	memcpy(interval->live_in, set.bits, sizeof set.bits);
}

static void bench_init(struct simbench *bench, const char *policy)
{
	simbench_init(bench);
	bench->options.policy = policy;
	bench->meta.registers = 40;
	bench->meta.interval_registers = 16;
}

static void run(struct simbench *bench, uint32_t threads)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, threads);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static void add_branch(struct simbench *bench, uint8_t guard, uint32_t to, uint32_t meets)
{
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = guard;
	branch->xkind = HD_X_OTHER;
	branch->x = to;
	branch->reconv = meets;
}

static void compare(struct simbench *bench, uint8_t reg, uint32_t with)
{
	struct hd_inst *test = simbench_emit(bench, HD_OP_ISETP);
	test->pdst = 0;
	test->a = reg;
	test->xkind = HD_X_IMM_B;
	test->x = with;
	test->mods = HD_MOD(CMP, HD_CMP_LT);
}

/* R4 counts to `turns`; instruction 1 is the loop's head. */
static void build_loop(struct simbench *bench, uint32_t turns)
{
	simbench_mov(bench, 4, 0);
	struct hd_inst *add = simbench_emit(bench, HD_OP_IADD3);
	add->dst = add->a = 4;
	add->xkind = HD_X_IMM_B;
	add->x = 1;
	compare(bench, 4, turns);
	add_branch(bench, 0, 1, 4);
}

START_TEST(a_loop_is_fetched_once)
{
	for (uint32_t strands = 0; strands < 2; strands++)
		for (uint32_t turns = 10; turns <= 100; turns *= 10) {
			struct simbench bench;
			bench_init(&bench, strands ? "ltrf-strands" : "ltrf");
			bench.options.verify = true;
			build_loop(&bench, turns);
			struct hd_meta_function *meta = &bench.meta;
			add_interval(&bench, &meta->intervals, &meta->interval_count, 0, 5, range(4, 1, 1));
			add_interval(&bench, &meta->strands, &meta->strand_count, 0, 1, range(4, 1, 1));
			add_interval(&bench, &meta->strands, &meta->strand_count, 1, 4, range(4, 1, 1));
			add_interval(&bench, &meta->strands, &meta->strand_count, 4, 5, (struct hd_wcb_set){{0}});
			run(&bench, 32);
			ck_assert_double_eq(simbench_figure(&bench, "prefetches"), strands ? 1 + turns : 1);
			ck_assert_double_eq(simbench_figure(&bench, "prefetched"), 1);
			ck_assert_double_eq(simbench_figure(&bench, "main_reads"), 0);
			ck_assert_double_eq(simbench_figure(&bench, "cache_reads"), 2 * turns);
			ck_assert_double_eq(simbench_figure(&bench, "fewest"), 1);
			ck_assert_double_eq(simbench_figure(&bench, "instructions"), 2 + 3 * turns);
			ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_writes, 0);
			simbench_release(&bench);
		}
}
END_TEST

/* Four registers fit: R4 to R7, then R8 asks for another PREFETCH, and R4 for none of its own. */
START_TEST(the_fewest_prefetches_are_counted)
{
	struct simbench bench;
	bench_init(&bench, "ltrf");
	ck_assert_int_eq(hd_config_set(&bench.config, "ltrf.banks=4", &bench.diag), 0);
	simbench_mov(&bench, 4, 1);
	simbench_ffma(&bench, 5, 4, 6, 7);
	simbench_ffma(&bench, 5, 6, 7, 4);
	simbench_ffma(&bench, 8, 4, 4, 4);
	simbench_ffma(&bench, 9, 8, 4, 4);
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, 3, range(4, 4, 1));
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 3, 4, range(4, 2, 4));
	struct hd_wcb_set last = range(8, 2, 1);
	hd_wcb_add(&last, 4);
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 4, 6, last);
	run(&bench, 32);
	ck_assert_double_eq(simbench_figure(&bench, "prefetches"), 3);
	ck_assert_double_eq(simbench_figure(&bench, "fewest"), 2);
	ck_assert_double_eq(simbench_figure(&bench, "instructions"), 6);
	simbench_release(&bench);
}
END_TEST

/* Half of the warp takes one arm, and the arms lie in two intervals: A with the branch, the other, and where they meet.
 * The other arm is first; then the path of A's own arm goes on inside A. */
START_TEST(a_path_inside_another_interval_is_fetched)
{
	struct simbench bench;
	bench_init(&bench, "ltrf-plus");
	bench.options.verify = true;
	simbench_s2r(&bench, 5, HD_SR_LANEID);
	compare(&bench, 5, 16);
	add_branch(&bench, 0, 5, 6);
	simbench_mov(&bench, 6, 1); /* A's own arm */
	add_branch(&bench, HD_PT, 6, 6);
	simbench_mov(&bench, 7, 1); /* the other */
	simbench_mov(&bench, 8, 1);
	struct hd_meta_function *meta = &bench.meta;
	add_interval(&bench, &meta->intervals, &meta->interval_count, 0, 5, range(5, 2, 1));
	add_interval(&bench, &meta->intervals, &meta->interval_count, 5, 6, range(7, 1, 1));
	add_interval(&bench, &meta->intervals, &meta->interval_count, 6, 8, range(8, 1, 1));
	run(&bench, 32);
	/* LTRF+ fetches nothing at the entry, where all is dead. */
	ck_assert_double_eq(simbench_figure(&bench, "path_switches"), 1);
	ck_assert_double_eq(simbench_figure(&bench, "prefetches"), 2);
	simbench_release(&bench);
}
END_TEST

/* Each interval needs one register, of another quarter of the 256. */
START_TEST(every_register_can_be_an_intervals)
{
	static const uint8_t regs[] = {30, 70, 150, 210};
	struct simbench bench;
	bench_init(&bench, "ltrf");
	bench.options.verify = true;
	bench.meta.registers = 220;
	for (uint32_t i = 0; i < 4; i++) {
		simbench_ffma(&bench, regs[i], regs[i], regs[i], regs[i]);
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, i, i + 1 + (i == 3),
			     range(regs[i], 1, 1));
	}
	run(&bench, 32);
	ck_assert_double_eq(simbench_figure(&bench, "prefetches"), 4);
	ck_assert_double_eq(simbench_figure(&bench, "prefetched"), 4);
	ck_assert_double_eq(simbench_figure(&bench, "main_reads"), 0);
	simbench_release(&bench);
}
END_TEST

/* With three registers the control block takes a second access. */
static uint64_t chain_cycles(const char *policy, bool three, uint32_t length)
{
	struct simbench bench;
	bench_init(&bench, policy);
	bench.config.lat_fadd = bench.config.lat_fmad = 6;
	for (uint32_t i = 0; i < length; i++)
		if (three) {
			simbench_ffma(&bench, 4, 4, 5, 6);
		} else {
			struct hd_inst *add = simbench_emit(&bench, HD_OP_FADD);
			add->dst = add->a = 4;
			add->b = 5;
		}
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, length + 1, range(4, 3, 1));
	run(&bench, 32);
	uint64_t cycles = simbench_stats(&bench)->counters.cycles;
	simbench_release(&bench);
	return cycles;
}

START_TEST(look_ups_take_a_cycle_for_two_operands)
{
	ck_assert_uint_eq(chain_cycles("baseline", false, 30) - chain_cycles("baseline", false, 10), 20 * 6);
	ck_assert_uint_eq(chain_cycles("ltrf", false, 30) - chain_cycles("ltrf", false, 10), 20 * (6 + 1));
	ck_assert_uint_eq(chain_cycles("ltrf", true, 30) - chain_cycles("ltrf", true, 10), 20 * (6 + 2));
}
END_TEST

/* The metadata says of a register, as one of three operands, that it is dead, and it is read again. */
START_TEST(verify_finds_what_was_dropped)
{
	for (uint32_t wrong = 0; wrong < 4; wrong++) {
		struct simbench bench;
		uint8_t *dead;
		bench_init(&bench, "ltrf-plus");
		bench.options.verify = true;
		simbench_mov(&bench, 4, 1);
		simbench_ffma(&bench, 5, 4, 4, 4);
		simbench_mov(&bench, 6, 1);
		simbench_ffma(&bench, 7, 4, 6, 6);
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, 2, range(4, 2, 1));
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 2, 3, range(6, 1, 1));
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 3, 5, range(4, 4, 1));
		dead = HD_ARENA_NEW(&bench.arena, uint8_t, 5);
		dead[1] = wrong ? (uint8_t)(1 << (wrong - 1)) : 0;
		bench.meta.dead_operands = dead;
		bench.meta.dead_operand_count = 5;
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		int error = simbench_run(&bench, 1, 32);
		ck_assert_msg(error == (wrong ? HD_SIM_VERIFY : 0), "%s", hd_sim_error_text(bench.sim));
		ck_assert(!wrong ||
			  strstr(hd_sim_error_text(bench.sim), "LTRF+: R4 is read after it was dropped as dead"));
		simbench_release(&bench);
	}
}
END_TEST

/* A register that is lost from the cache, as if it had not been fetched. */
static void lose(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		 const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)effect, (void)now;
	if (inst->inst.dst == 6)
		hd_wcb_drop(&ltrf_warp_of(warp->cta->sm->gpu->policies, warp)->block.valid, 4);
}
static const struct hd_policy_hooks loser_hooks = {.issue.issued = lose};
static const struct hd_policy loser = {.name = "loser", .hooks = &loser_hooks};

START_TEST(verify_finds_what_is_not_in_the_cache)
{
	struct simbench bench;
	bench_init(&bench, "ltrf");
	bench.options.verify = true;
	simbench_mov(&bench, 4, 1);
	simbench_ffma(&bench, 5, 4, 4, 4);
	simbench_ffma(&bench, 6, 5, 5, 5);
	simbench_ffma(&bench, 7, 4, 4, 4);
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, 5, range(4, 4, 1));
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &loser, "");
	ck_assert_int_eq(simbench_run(&bench, 1, 32), HD_SIM_VERIFY);
	ck_assert_msg(strstr(hd_sim_error_text(bench.sim), "LTRF: R4 is not in the register cache") != NULL, "%s",
		      hd_sim_error_text(bench.sim));
	simbench_release(&bench);
}
END_TEST

START_TEST(an_interval_needs_as_many_banks)
{
	struct simbench bench;
	bench_init(&bench, "ltrf");
	simbench_mov(&bench, 4, 1);
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, 2, range(4, 17, 1));
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_ne(simbench_run(&bench, 1, 32), 0);
	ck_assert_msg(strstr(hd_sim_error_text(bench.sim), "17 registers, but the register cache has 16 banks") != NULL,
		      "%s", hd_sim_error_text(bench.sim));
	simbench_release(&bench);
}
END_TEST

/* A working set of the metadata that lacks a register: of all that a two-interval program needs, one after another. */
START_TEST(verify_finds_a_working_set_that_lacks_a_register)
{
	for (uint32_t lacks = 4; lacks <= 8; lacks++) { /* R8: none */
		struct simbench bench;
		char words[64];
		struct hd_wcb_set first = range(4, 2, 1), second = range(5, 3, 1);
		bench_init(&bench, lacks % 2 ? "ltrf-plus" : "ltrf");
		bench.options.verify = true;
		simbench_mov(&bench, 4, 1);
		simbench_ffma(&bench, 5, 4, 4, 4);
		simbench_ffma(&bench, 5, 5, 4, 4);
		simbench_ffma(&bench, 6, 5, 5, 5); /* the second interval */
		simbench_ffma(&bench, 7, 6, 6, 6);
		simbench_ffma(&bench, 7, 7, 7, 5);
		hd_wcb_drop(lacks == 4 ? &first : &second, lacks);
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, 3, first);
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 3, 7, second);
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		int error = simbench_run(&bench, 1, 32);
		ck_assert_msg(error == (lacks < 8 ? HD_SIM_VERIFY : 0), "R%u: %s", lacks, hd_sim_error_text(bench.sim));
		/* What is written first is found by the analyses' check, what is read first by LTRF's. */
		snprintf(words, sizeof words,
			 lacks == 5 ? "LTRF: R%u is not in the register cache"
				    : "R%u is used, but is not in the working set",
			 lacks);
		ck_assert_msg(lacks == 8 || strstr(hd_sim_error_text(bench.sim), words), "%s",
			      hd_sim_error_text(bench.sim));
		simbench_release(&bench);
	}
}
END_TEST

/* A bit vector of 32 bytes in front of the second interval: what is behind it lies two lines on, and three with an
 * instruction before each vector. That takes an issue slot; the bits of the other encoding take none. */
START_TEST(vectors_are_part_of_the_code)
{
	uint64_t accesses[4], issued[4], cycles[4];
	for (uint32_t i = 0; i < 4; i++) {
		struct simbench bench;
		bench_init(&bench, i ? "ltrf" : "baseline");
		bench.config.l1i_line = 32;
		bench.config.inst_bytes = 16;
		for (uint8_t k = 0; k < 8; k++)
			simbench_mov(&bench, (uint8_t)(4 + k), 1);
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, 4, range(4, 4, 1));
		add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 4, 9, range(8, 4, 1));
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		const struct hd_policy_handle *self = bench.sim->gpu.policies;
		if (i)
			bench.sim->gpu.settings[self->settings_at + LTRF_EXPLICIT] = i == 2;
		if (i)
			bench.sim->gpu.settings[self->settings_at + LTRF_FREE_CODE] = i == 3;
		ck_assert_int_eq(simbench_run(&bench, 1, 32), 0);
		const struct hd_counters *counters = &simbench_stats(&bench)->counters;
		accesses[i] = counters->l1i_accesses;
		issued[i] = simbench_stats(&bench)->stalls[HD_STALL_issued];
		cycles[i] = counters->cycles;
		ck_assert_uint_eq(counters->micro_operations, i == 2 ? 2 : 0);
		ck_assert_uint_eq(counters->warp_instructions, issued[i]);
		if (i)
			ck_assert_double_eq(simbench_figure(&bench, "prefetches"), 2);
		simbench_release(&bench);
	}
	ck_assert_uint_eq(accesses[1], accesses[0] + 2);
	ck_assert_uint_eq(accesses[2], accesses[0] + 3);
	ck_assert_uint_eq(accesses[3], accesses[0]);
	ck_assert_uint_eq(issued[1], issued[0]);
	ck_assert_uint_eq(issued[2], issued[0] + 2);
	ck_assert_uint_gt(cycles[2], cycles[1]);
}
END_TEST

/* ---- the active set at work: two of four warps, each of which loads, does something else and uses what it loaded */

enum { LOADS, WORKS, USES, LEAVES, ENTERS, KINDS };
static struct {
	uint64_t at[KINDS][4]; /* the first of each warp */
} seen;

static void note(uint32_t kind, const struct hd_warp *warp, uint64_t now)
{
	ck_assert_uint_lt(warp->index, 4);
	if (!seen.at[kind][warp->index])
		seen.at[kind][warp->index] = now;
}

static void see_issue(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)effect;
	if (inst->inst.op == HD_OP_LDG)
		note(LOADS, warp, now);
	else if (inst->inst.dst == 13)
		note(WORKS, warp, now);
	else if (inst->inst.dst == 14)
		note(USES, warp, now);
}

static void see_leave(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	if (warp->state == HD_WARP_RUNNING)
		note(LEAVES, warp, now);
}

static uint32_t see_enter(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self;
	note(ENTERS, warp, now + 1);
	return 0;
}

static const struct hd_policy_hooks watcher_hooks = {.issue.issued = see_issue,
						     .issue.deactivate = see_leave,
						     .issue.activate = see_enter};
static const struct hd_policy watcher = {.name = "watcher", .hooks = &watcher_hooks};

static void emit_load(struct simbench *bench)
{
	struct hd_inst *inst;
	simbench_s2r(bench, 8, HD_SR_TID_X);
	simbench_param(bench, 2);
	inst = simbench_emit(bench, HD_OP_IMAD_WIDE);
	inst->dst = 4, inst->a = 8, inst->c = 2, inst->xkind = HD_X_IMM_B, inst->x = 4;
	inst = simbench_emit(bench, HD_OP_LDG);
	inst->dst = 12, inst->a = 4, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
}

START_TEST(rows_are_handed_on_at_the_use)
{
	struct simbench bench;
	uint64_t address;
	memset(&seen, 0, sizeof seen);
	bench_init(&bench, "ltrf");
	bench.config.two_level_active = 2;
	emit_load(&bench);
	simbench_mov(&bench, 13, 1);
	simbench_ffma(&bench, 14, 12, 12, 13);
	add_interval(&bench, &bench.meta.intervals, &bench.meta.interval_count, 0, bench.code.len + 1, range(2, 13, 1));
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	hd_policy_add(&bench.sim->gpu, &watcher, ""); /* its hooks are LTRF's, too */
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 128 * 4, &address), 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 128, &address);
	ck_assert_msg(!hd_sim_launch(bench.sim, &launch), "%s", hd_sim_error_text(bench.sim));
	uint64_t last_load = 0, first_use = UINT64_MAX, first_leave = UINT64_MAX;
	for (uint32_t w = 0; w < 4; w++) {
		ck_assert_uint_gt(seen.at[LOADS][w], 0);
		ck_assert_uint_gt(seen.at[WORKS][w], seen.at[LOADS][w]);
		ck_assert_uint_gt(seen.at[LEAVES][w], seen.at[WORKS][w]);
		ck_assert_uint_gt(seen.at[USES][w], seen.at[LEAVES][w]);
		last_load = seen.at[LOADS][w] > last_load ? seen.at[LOADS][w] : last_load;
		first_use = seen.at[USES][w] < first_use ? seen.at[USES][w] : first_use;
		first_leave = seen.at[LEAVES][w] < first_leave ? seen.at[LEAVES][w] : first_leave;
	}
	/* The third warp comes in when the first has left, and all loads are out before the first is back. */
	ck_assert_uint_gt(seen.at[ENTERS][2], first_leave);
	ck_assert_uint_lt(last_load, first_use);
	ck_assert_double_eq(simbench_figure(&bench, "activations"), 4);
	simbench_release(&bench);
}
END_TEST

/* A key of ltrf is one of its variants, too; a variant's own one counts alone, whichever comes first. */
START_TEST(variants_have_the_designs_keys)
{
	static const struct {
		const char *policy, *first, *second;
		double lookup, power;
	} rows[] = {
		{"ltrf-plus", "ltrf.lookup_cycles=5", NULL, 5, 1},
		{"ltrf-strands", "ltrf.lookup_cycles=5", NULL, 5, 1},
		{"ltrf-plus", "ltrf.lookup_cycles=5", "ltrf-plus.lookup_cycles=7", 7, 1},
		{"ltrf-plus", "ltrf-plus.lookup_cycles=7", "ltrf.lookup_cycles=5", 7, 1},
		{"ltrf-strands", "ltrf-plus.lookup_cycles=7", NULL, 1, 1},
		{"ltrf", "ltrf-plus.lookup_cycles=7", NULL, 1, 1},
		{"ltrf-plus", "ltrf.register_power=2", NULL, 1, 2},
		{"ltrf-plus", "ltrf.register_power=2", "ltrf-plus.register_power=3", 1, 3},
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct simbench bench;
		simbench_init(&bench);
		double before = bench.config.pj_reg_read;
		bench.options.policy = rows[i].policy;
		ck_assert(!hd_config_set(&bench.config, rows[i].first, &bench.diag));
		if (rows[i].second)
			ck_assert(!hd_config_set(&bench.config, rows[i].second, &bench.diag));
		ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
		const struct hd_gpu *gpu = &bench.sim->gpu;
		ck_assert_double_eq(hd_policy_setting(&gpu->policies[0], gpu, LTRF_LOOKUP), rows[i].lookup);
		ck_assert_double_eq(gpu->config->pj_reg_read, rows[i].power * before);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("ltrf", (const TTest *const[]){
					   banks_go_round,
					   no_bank_is_lost,
					   control_blocks_take_114880_bits,
					   prefetches_take_their_banks,
					   sets_move_by_difference,
					   callers_keep_what_callees_leave_room_for,
					   both_ways_have_links,
					   results_take_ports_of_the_cache,
					   links_have_gaps,
					   active_warps_have_rows,
					   rows_are_handed_on,
					   registers_leave_in_gaps,
					   warps_begin_with_their_own_bank,
					   names_are_forgotten,
					   variants_have_the_designs_keys,
					   a_loop_is_fetched_once,
					   every_register_can_be_an_intervals,
					   the_fewest_prefetches_are_counted,
					   a_path_inside_another_interval_is_fetched,
					   look_ups_take_a_cycle_for_two_operands,
					   verify_finds_what_was_dropped,
					   verify_finds_what_is_not_in_the_cache,
					   an_interval_needs_as_many_banks,
					   verify_finds_a_working_set_that_lacks_a_register,
					   vectors_are_part_of_the_code,
					   rows_are_handed_on_at_the_use,
					   NULL,
				   });
}
