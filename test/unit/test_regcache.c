/* The register cache that RFC and SHRF share: entries, what leaves, energy; and where names of registers change. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/regcache.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { ENTRIES = 4, LATENCY = 2, NOW = 10 };

struct scene {
	struct simbench bench;
	struct hd_sm *sm;
	struct hd_warp *warp;
	struct hd_policy_handle *self;
	struct hd_regcache *cache;
};

static void scene_init(struct scene *scene, const char *policy, bool verify)
{
	static const char *const keys[] = {"rfc.entries=4", "rfc.cache_latency=2", "shrf.entries=4"};
	simbench_init(&scene->bench);
	scene->bench.options.policy = policy;
	scene->bench.options.verify = verify;
	for (uint32_t i = 0; i < sizeof keys / sizeof *keys; i++)
		ck_assert_int_eq(hd_config_set(&scene->bench.config, keys[i], &scene->bench.diag), 0);
	simbench_mov(&scene->bench, 8, 1);
	ck_assert_msg(!simbench_start(&scene->bench), "%s", scene->bench.message);
	scene->sm = scene->bench.sim->gpu.sms[0];
	scene->self = &scene->bench.sim->gpu.policies[0];
	scene->warp = &scene->sm->warps[0];
	scene->warp->cta = &scene->sm->ctas[0];
	scene->warp->active = scene->warp->live = ~0u;
	scene->sm->ctas[0].sm = scene->sm;
	scene->sm->ctas[0].exec = scene->sm->exec;
	scene->sm->ctas[0].grid = (struct hd_grid *)hd_arena_alloc(&scene->bench.arena, sizeof(struct hd_grid));
	scene->warp->preds[HD_PT] = ~0u;
	scene->warp->regs = (uint32_t(*)[HD_WARP_LANES])hd_arena_alloc(&scene->bench.arena, 256 * HD_ROW_BYTES);
	scene->cache = hd_regcache_of(scene->self, scene->warp);
}

static struct hd_regcache_entry *add(struct scene *scene, uint32_t reg)
{
	struct hd_regcache_entry *entry = hd_regcache_unused(scene->self, scene->warp);
	ck_assert_ptr_nonnull(entry);
	hd_regcache_fill(scene->self, scene->warp, entry, reg);
	return entry;
}

static uint64_t spent(const struct scene *scene, uint32_t what)
{
	return scene->sm->policy_spent[0][scene->self->energy_at + what];
}

static uint64_t bank_writes(const struct scene *scene)
{
	return hd_sm_counters(scene->sm, scene->warp)->bank_writes;
}

/* Of 64 places a warp has the four of the setting; each is filled once, in order. */
START_TEST(entries_are_found)
{
	struct scene scene;
	scene_init(&scene, "rfc", false);
	for (uint32_t i = 0; i < ENTRIES; i++)
		ck_assert_ptr_eq(add(&scene, 20 + i), &scene.cache->entries[i]);
	ck_assert_ptr_null(hd_regcache_unused(scene.self, scene.warp));
	for (uint32_t i = 0; i < ENTRIES; i++)
		ck_assert_ptr_eq(hd_regcache_find(scene.self, scene.warp, 20 + i), &scene.cache->entries[i]);
	ck_assert_uint_eq(spent(&scene, HD_REGCACHE_WRITE), ENTRIES);
	scene.cache->entries[ENTRIES] = (struct hd_regcache_entry){.reg = 77, .valid = true};
	ck_assert_ptr_null(hd_regcache_find(scene.self, scene.warp, 77));
	scene.cache->entries[1].valid = false;
	ck_assert_ptr_null(hd_regcache_find(scene.self, scene.warp, 21));
	ck_assert_ptr_eq(hd_regcache_unused(scene.self, scene.warp), &scene.cache->entries[1]);
	/* Another warp has none of it. */
	scene.sm->warps[1].cta = scene.warp->cta;
	ck_assert_ptr_null(hd_regcache_find(scene.self, &scene.sm->warps[1], 20));
	simbench_release(&scene.bench);
}
END_TEST

/* Four entries: clean, dead, both, neither. Only the last is written, once; only the second is lost. */
START_TEST(what_leaves_is_written_once)
{
	static const struct {
		bool clean, dead;
		enum hd_regcache_end end;
	} rows[ENTRIES] = {{true, false, HD_REGCACHE_GONE},
			   {false, true, HD_REGCACHE_DROPPED},
			   {true, true, HD_REGCACHE_GONE},
			   {false, false, HD_REGCACHE_WRITTEN}};
	struct scene scene;
	scene_init(&scene, "rfc", false);
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct hd_regcache_entry *entry = add(&scene, 20 + i);
		entry->clean = rows[i].clean;
		entry->dead = rows[i].dead;
	}
	for (uint32_t i = 0; i < ENTRIES; i++) {
		struct hd_regcache_entry *entry = &scene.cache->entries[i];
		ck_assert_int_eq(hd_regcache_evict(scene.self, scene.warp, entry, NOW), rows[i].end);
		ck_assert_int_eq(hd_regcache_evict(scene.self, scene.warp, entry, NOW), HD_REGCACHE_GONE);
	}
	ck_assert_uint_eq(bank_writes(&scene), 1);
	ck_assert_uint_eq(spent(&scene, HD_REGCACHE_READ), 1);
	ck_assert_uint_eq(hd_wcb_count(&scene.cache->lost), 1);
	ck_assert(hd_wcb_has(&scene.cache->lost, 21));
	/* A new value lives. */
	scene.cache->entries[0].dead = true;
	ck_assert(!add(&scene, 30)->dead);
	simbench_release(&scene.bench);
}
END_TEST

START_TEST(a_read_takes_the_latency)
{
	struct scene scene;
	scene_init(&scene, "rfc", false);
	ck_assert_uint_eq(hd_regcache_read(scene.self, scene.warp, NOW), (NOW + LATENCY) * HD_TICKS);
	ck_assert_uint_eq(spent(&scene, HD_REGCACHE_READ), 1);
	ck_assert(!scene.cache->active);
	ck_assert_uint_eq(hd_regcache_activate(scene.self, scene.warp, NOW), 0);
	ck_assert(scene.cache->active);
	ck_assert_int_eq(scene.bench.sim->gpu.config->scheduler, HD_SCHED_TWO_LEVEL);
	ck_assert_int_eq(scene.bench.sim->gpu.config->two_level_miss, HD_MISS_YES);
	simbench_release(&scene.bench);
}
END_TEST

/* A design takes misses alone for long waits, unless the configuration says otherwise. */
START_TEST(warps_leave_for_misses_unless_told_for_any_load)
{
	static const struct {
		uint64_t given, taken;
	} rows[] = {{HD_MISS_NO, HD_MISS_YES}, {HD_MISS_YES, HD_MISS_YES}, {HD_MISS_LOADS, HD_MISS_LOADS}};
	for (uint32_t row = 0; row < 3; row++) {
		struct hd_config config = {.two_level_miss = rows[row].given};
		hd_regcache_configure(NULL, &config, "", NULL);
		ck_assert_uint_eq(config.two_level_miss, rows[row].taken);
	}
}
END_TEST

/* Rows: R20 as it is; another value; dropped as dead; dropped, but read by no lane. */
START_TEST(verify_compares_what_is_served)
{
	static const struct {
		bool changed, lost;
		uint8_t guard;
		const char *fault;
	} rows[] = {
		{false, false, HD_PT, NULL},
		{true, false, HD_PT, "X: the collector serves R20 as 0x7, but the register file has 0x8"},
		{false, true, HD_PT, "X: R20 is read after it was dropped as dead"},
		{true, true, HD_PT | HD_PRED_NOT, NULL},
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scene scene;
		scene_init(&scene, "rfc", true);
		struct hd_dinst inst = *scene.bench.sim->gpu.program.code.data;
		inst.inst.guard = rows[i].guard;
		scene.warp->regs[20][3] = 7;
		struct hd_regcache_entry *entry = add(&scene, 20);
		scene.warp->regs[20][3] += rows[i].changed;
		if (rows[i].lost)
			hd_wcb_add(&scene.cache->lost, 20);
		hd_regcache_check(scene.self, scene.warp, &inst, 20, entry, "X");
		const struct hd_gpu *gpu = &scene.bench.sim->gpu;
		ck_assert_int_eq(gpu->error, rows[i].fault ? HD_SIM_VERIFY : 0);
		ck_assert_msg(!rows[i].fault || strstr(gpu->error_text, rows[i].fault), "%s", gpu->error_text);
		simbench_release(&scene.bench);
	}
}
END_TEST

/* ---- SHRF's: a value lives from a write on, and after names have changed all may live */

static void write_register(struct scene *scene, uint8_t reg)
{
	struct hd_dinst inst = {.write_count = 1, .inst.dst = reg};
	const struct hd_effect effect = {.mask = 1};
	scene->self->hooks->issue.issued(scene->self, scene->warp, &inst, &effect, NOW);
}

static uint64_t counted(const struct scene *scene, const char *name)
{
	const struct hd_policy_count *row = scene->self->hooks->counts;
	const uint64_t *counts = hd_policy_counts(scene->self, scene->warp);
	for (; strcmp(row->name, name); row++)
		counts++;
	return *counts;
}

/* R20 lives, R21 does not, R22 is in its bank, too. Then R23, which nobody has written, leaves with its warp. */
START_TEST(strands_forget_names)
{
	struct scene scene;
	scene_init(&scene, "shrf", false);
	const struct hd_policy_hooks *hooks = scene.self->hooks;
	write_register(&scene, 20);
	for (uint32_t reg = 20; reg < 23; reg++)
		add(&scene, reg)->clean = reg == 22;
	hooks->calls.forget_names(scene.self, scene.warp, NOW);
	ck_assert_uint_eq(counted(&scene, "written_back"), 1);
	ck_assert_uint_eq(counted(&scene, "dropped"), 1);
	ck_assert_uint_eq(bank_writes(&scene), 1);
	ck_assert_uint_eq(hd_wcb_count(&scene.cache->lost), 0);
	ck_assert_ptr_eq(add(&scene, 23), &scene.cache->entries[0]);
	scene.cache->entries[0].clean = false;
	scene.warp->state = HD_WARP_BARRIER;
	hooks->issue.deactivate(scene.self, scene.warp, NOW);
	ck_assert_uint_eq(counted(&scene, "saved"), 1);
	ck_assert_uint_eq(counted(&scene, "dropped"), 1);
	/* Nobody wants what a warp that has ended has. */
	add(&scene, 24)->clean = false;
	scene.warp->state = HD_WARP_DONE;
	hooks->issue.deactivate(scene.self, scene.warp, NOW);
	ck_assert_uint_eq(counted(&scene, "saved"), 1);
	simbench_release(&scene.bench);
}
END_TEST

/* ---- where names change */

static uint32_t forgotten;

static void forget(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now)
{
	(void)self, (void)warp;
	ck_assert_uint_eq(now, NOW);
	forgotten++;
}

static uint32_t same(const struct hd_policy_handle *self, const struct hd_warp *warp, uint32_t reg)
{
	(void)self, (void)warp;
	return reg;
}

/* Calls, returns, and paths that may be in another call; with a policy that renames, and without. */
static uint32_t forgets(bool renames, bool reordered)
{
	static const struct hd_policy_hooks keeper_hooks = {.calls.forget_names = forget},
					    renamer_hooks = {.operands.rename = same};
	static const struct hd_policy keeper = {.name = "keeper", .hooks = &keeper_hooks},
				      renamer = {.name = "renamer", .hooks = &renamer_hooks};
	struct scene scene;
	scene_init(&scene, "rfc", false);
	struct hd_gpu *gpu = &scene.bench.sim->gpu;
	gpu->policy_count = 0;
	hd_policy_add(gpu, &keeper, "");
	if (renames)
		hd_policy_add(gpu, &renamer, "");
	hd_policy_place(gpu);
	const uint64_t told = HD_HOOK(call) | HD_HOOK(call_return) | HD_HOOK(path_switch);
	ck_assert_uint_eq(scene.sm->hooks & told, renames ? told : 0);
	forgotten = 0;
	ck_assert_uint_eq(hd_policy_call(scene.sm, scene.warp, gpu->program.code.data, 0, NOW), 0);
	ck_assert_uint_eq(hd_policy_return(scene.sm, scene.warp, true, NOW), 0);
	scene.warp->reordered = reordered;
	scene.warp->active = 1;
	hd_policy_path(scene.sm, scene.warp, ~0u, NOW);
	simbench_release(&scene.bench);
	return forgotten;
}

START_TEST(names_are_forgotten_where_they_change)
{
	ck_assert_uint_eq(forgets(true, true), 3);
	ck_assert_uint_eq(forgets(true, false), 2);
	ck_assert_uint_eq(forgets(false, true), 0);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("regcache", (const TTest *const[]){
					       entries_are_found,
					       what_leaves_is_written_once,
					       a_read_takes_the_latency,
					       warps_leave_for_misses_unless_told_for_any_load,
					       verify_compares_what_is_served,
					       strands_forget_names,
					       names_are_forgotten_where_they_change,
					       NULL,
				       });
}
