/* Malekeh: the table of a unit, the adaptive waiting, the allocation of units, and the policy on small programs. */
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/malekeh/malekeh.h"
#include "simbench.h"

extern const struct hd_policy_hooks hd_hooks_malekeh;

/* ---- instructions and units by hand */

enum { FAR, NEAR };

/* An instruction that reads `count` registers; bit i of `near`: the i-th is read again soon. */
static struct hd_dinst reading(const uint8_t *regs, uint32_t count, uint32_t near)
{
	struct hd_dinst inst = {.operand_count = (uint8_t)count, .pipe = HD_PIPE_FP32};
	for (uint32_t i = 0; i < count; i++) {
		uint32_t same = 0;
		while (regs[same] != regs[i])
			same++;
		inst.operands[i] = (struct hd_operand){.reg = regs[i],
						       .slot = HD_SLOT_A,
						       .near = near >> i & 1,
						       .same = (uint8_t)same};
	}
	return inst;
}
#define READING(near, ...) \
	reading((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}), near)

static struct hd_ccu new_unit(void)
{
	struct hd_ccu unit;
	hd_ccu_init(&unit, HD_CCU_ENTRIES, 1);
	return unit;
}

static uint32_t take(struct hd_ccu *unit, struct hd_dinst inst, uint64_t now)
{
	uint32_t misses = hd_ccu_take(unit, &inst);
	hd_ccu_dispatch(unit, now);
	return misses;
}

static enum hd_ccu_write put(struct hd_ccu *unit, uint8_t reg, bool near, bool full, uint64_t now)
{
	uint32_t entry;
	return hd_ccu_write(unit, reg, near, full, now, &entry);
}

static bool keeps(const struct hd_ccu *unit, uint8_t reg)
{
	return hd_ccu_find(unit, reg) != HD_CCU_NONE;
}

static void check_unit(const struct hd_ccu *unit)
{
	uint32_t places = 0;
	for (uint32_t i = 0; i < unit->entry_count; i++) {
		places |= 1u << unit->entries[i].lru;
		for (uint32_t k = 0; k < i; k++)
			ck_assert(!unit->entries[i].valid || !unit->entries[k].valid ||
				  unit->entries[i].reg != unit->entries[k].reg);
	}
	ck_assert_uint_eq(places, (1u << unit->entry_count) - 1);
}

/* FADD R4 = R2 (near), R3; R4 comes; FFMA R5 = R2, R4, R2: three rows, two entries, no miss. */
START_TEST(duplicates_share_an_entry)
{
	struct hd_ccu unit = new_unit();
	ck_assert_uint_eq(take(&unit, READING(1, 2, 3), 0), 2);
	ck_assert_uint_eq(unit.hits, 0);
	ck_assert_int_eq(put(&unit, 4, NEAR, true, 5), HD_CCU_WRITTEN);
	ck_assert(hd_ccu_has_near(&unit));
	ck_assert_uint_eq(take(&unit, READING(0, 2, 4, 2), 6), 0);
	ck_assert_uint_eq(unit.hits, 7);
	ck_assert_uint_eq(unit.index[0], unit.index[2]);
	ck_assert_uint_ne(unit.index[0], unit.index[1]);
	ck_assert(!hd_ccu_has_near(&unit));
	ck_assert_uint_eq(take(&unit, READING(0, 9, 9), 7), 1); /* one read for both */
	ck_assert_uint_eq(unit.hits, 0);
}
END_TEST

START_TEST(a_result_that_is_not_kept_drops_the_old_value)
{
	struct hd_ccu unit = new_unit();
	take(&unit, READING(0, 4), 0);
	ck_assert_int_eq(put(&unit, 4, FAR, true, 5), HD_CCU_DROPPED);
	ck_assert(!keeps(&unit, 4));
	ck_assert_int_eq(put(&unit, 4, FAR, true, 6), HD_CCU_PASSED);
	ck_assert_uint_eq(take(&unit, READING(0, 4), 7), 1);
}
END_TEST

/* R7 and R6 come in one cycle, R7 was issued first; an older R6 is there. */
START_TEST(there_is_one_port_for_results)
{
	struct hd_ccu unit = new_unit();
	take(&unit, READING(1, 6), 0);
	ck_assert_int_eq(put(&unit, 7, NEAR, true, 4), HD_CCU_WRITTEN);
	ck_assert_int_eq(put(&unit, 6, NEAR, true, 4), HD_CCU_DROPPED);
	ck_assert(keeps(&unit, 7) && !keeps(&unit, 6));
	ck_assert_int_eq(put(&unit, 6, NEAR, true, 5), HD_CCU_WRITTEN);
	check_unit(&unit);
}
END_TEST

/* An instruction that waits for other operands keeps the R4 that it has; those that follow miss. */
START_TEST(a_result_does_not_change_what_is_locked)
{
	struct hd_ccu unit = new_unit();
	struct hd_dinst inst = READING(1, 4, 5);
	hd_ccu_take(&unit, &inst);
	unit.entries[unit.index[0]].data[0] = 7;
	ck_assert_int_eq(put(&unit, 4, NEAR, true, 1), HD_CCU_DROPPED);
	ck_assert(!keeps(&unit, 4) && keeps(&unit, 5));
	for (uint8_t reg = 10; reg < 20; reg++)
		ck_assert_int_eq(put(&unit, reg, NEAR, true, reg), HD_CCU_WRITTEN);
	ck_assert_uint_eq(unit.entries[unit.index[0]].reg, 4);
	ck_assert_uint_eq(unit.entries[unit.index[0]].data[0], 7);
	hd_ccu_dispatch(&unit, 20);
	ck_assert_uint_eq(take(&unit, READING(0, 4), 21), 1);
}
END_TEST

START_TEST(a_result_of_some_lanes_is_merged_or_passes)
{
	struct hd_ccu unit = new_unit();
	ck_assert_int_eq(put(&unit, 8, NEAR, false, 1), HD_CCU_PASSED);
	ck_assert_uint_eq(take(&unit, READING(0, 8), 2), 1);
	ck_assert_int_eq(put(&unit, 8, NEAR, false, 3), HD_CCU_WRITTEN);
	ck_assert_int_eq(put(&unit, 8, FAR, false, 4), HD_CCU_DROPPED);
}
END_TEST

/* Seven sources, two of which hit, in a full table: the five that miss replace others. */
START_TEST(hits_are_not_replaced_by_misses)
{
	for (uint64_t seed = 1; seed < 50; seed++) {
		struct hd_ccu unit;
		uint32_t locked = 0;
		hd_ccu_init(&unit, HD_CCU_ENTRIES, seed);
		for (uint8_t reg = 0; reg < 8; reg++)
			take(&unit, READING(reg & 1, reg), reg);
		struct hd_dinst inst = READING(0, 10, 0, 11, 12, 1, 13, 14);
		ck_assert_uint_eq(hd_ccu_take(&unit, &inst), 5);
		ck_assert_uint_eq(unit.hits, 1 << 1 | 1 << 4);
		for (uint32_t i = 0; i < 7; i++) {
			ck_assert_uint_eq(unit.entries[unit.index[i]].reg, inst.operands[i].reg);
			locked |= 1u << unit.index[i];
		}
		ck_assert_int_eq(__builtin_popcount(locked), 7);
		/* One entry is free: a result takes it, and the next result takes that one's. */
		ck_assert_int_eq(put(&unit, 20, NEAR, true, 20), HD_CCU_WRITTEN);
		ck_assert_int_eq(put(&unit, 21, NEAR, true, 21), HD_CCU_WRITTEN);
		ck_assert(!keeps(&unit, 20) && keeps(&unit, 21));
		check_unit(&unit);
		hd_ccu_dispatch(&unit, 22);
		for (uint32_t i = 0; i < unit.entry_count; i++)
			ck_assert(!unit.entries[i].locked);
	}
}
END_TEST

/* All entries locked: a result does not come in. */
START_TEST(locked_entries_stay)
{
	struct hd_ccu unit;
	hd_ccu_init(&unit, 2, 1);
	struct hd_dinst inst = READING(3, 1, 2), wide = READING(7, 1, 2, 3);
	hd_ccu_take(&unit, &inst);
	ck_assert_int_eq(put(&unit, 3, NEAR, true, 1), HD_CCU_PASSED);
	hd_ccu_dispatch(&unit, 2);
	/* More registers than entries: all come from the banks, and the table is as it was. */
	ck_assert_uint_eq(hd_ccu_take(&unit, &wide), 3);
	ck_assert_uint_eq(unit.hits, 0);
	ck_assert_uint_eq(unit.index[0], HD_CCU_NONE);
	ck_assert(keeps(&unit, 1) && keeps(&unit, 2) && !keeps(&unit, 3));
}
END_TEST

/* Near values go by the time of their last use, and only when no far one is left; which of the far ones is drawn. */
START_TEST(far_values_are_replaced_first)
{
	uint32_t gone[8] = {0};
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct hd_ccu unit;
		hd_ccu_init(&unit, HD_CCU_ENTRIES, seed << 32);
		for (uint8_t reg = 0; reg < 8; reg++)
			take(&unit, READING(reg >= 3, reg), reg);
		take(&unit, READING(NEAR, 30), 8);
		for (uint8_t reg = 0; reg < 8; reg++)
			gone[reg] += !keeps(&unit, reg);
		take(&unit, READING(NEAR, 31), 9);
		take(&unit, READING(NEAR, 32), 10);
		take(&unit, READING(NEAR, 3), 11);
		take(&unit, READING(NEAR, 33), 12);
		ck_assert(keeps(&unit, 3) && !keeps(&unit, 4) && keeps(&unit, 5));
		check_unit(&unit);
	}
	for (uint32_t reg = 0; reg < 3; reg++)
		ck_assert_uint_gt(gone[reg], 100);
	ck_assert_uint_eq(gone[0] + gone[1] + gone[2], 400);
}
END_TEST

START_TEST(a_unit_has_125_bits_more)
{
	ck_assert_uint_eq(hd_ccu_extra_bits(8, 7), 125);
	ck_assert_uint_eq(8 * hd_ccu_extra_bits(8, 7) / 8, 125);
}
END_TEST

/* ---- the adaptive waiting */

static struct hd_sthld default_machine(void)
{
	const struct hd_policy_setting *all = hd_hooks_malekeh.settings;
	struct hd_sthld machine = {.large = all[MALEKEH_LARGE].value / 100,
				   .most = (uint32_t)all[MALEKEH_MOST].value,
				   .step = (uint32_t)all[MALEKEH_STEP].value};
	hd_sthld_start(&machine);
	return machine;
}

/* IPC up to the knee, a tenth of the first curve's less for each step beyond it. */
static void walk(struct hd_sthld *machine, uint32_t knee, double top, const uint32_t *expected, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(machine->value, expected[i]);
		uint32_t over = machine->value > knee ? machine->value - knee : 0;
		hd_sthld_step(machine, top - 0.1 * over);
	}
}
#define WALK(machine, knee, top, ...)                                   \
	walk(machine, knee, top, (const uint32_t[]){__VA_ARGS__},       \
	     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

START_TEST(waiting_goes_to_the_knee)
{
	struct hd_sthld machine = default_machine();
	WALK(&machine, 4, 1.0, 0, 1, 2, 3, 4, 5, 6, 4, 3, 4, 4, 4);
	ck_assert_uint_eq(machine.state, 6);
	struct hd_sthld narrower = machine, wider = machine;
	WALK(&narrower, 2, 1.0, 4, 5, 3, 2, 1, 2, 2);
	WALK(&wider, 8, 1.5, 4, 5, 6, 7, 8, 9, 10, 8, 7, 8, 8);
}
END_TEST

/* IPC falls by 2 % with each step from the start: a change that is small beside a knee's, and yet no flat part. */
START_TEST(waiting_does_not_walk_down_a_slope)
{
	struct hd_sthld machine = default_machine();
	const uint32_t expected[] = {0, 1, 2, 0, 0, 1, 1, 1};
	for (uint32_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(machine.value, expected[i]);
		hd_sthld_step(&machine, 1 - 0.02 * machine.value);
	}
	ck_assert_uint_eq(machine.state, 6);
}
END_TEST

START_TEST(waiting_ends_where_it_must)
{
	struct hd_sthld machine = default_machine();
	for (uint32_t i = 0; i < 200; i++)
		hd_sthld_step(&machine, 2.0);
	ck_assert_uint_eq(machine.value, 64);
	ck_assert_uint_eq(machine.state, 6);
	/* Two steps back from 1. */
	machine = (struct hd_sthld){.large = 0.01, .most = 64, .step = 1, .state = 3, .value = 1, .ipc = 1};
	hd_sthld_step(&machine, 0.5);
	ck_assert_uint_eq(machine.value, 0);
	ck_assert_uint_eq(machine.state, 4);
}
END_TEST

/* The first interval has none before it, and its IPC is a large change. A small one would end the search at once, since
 * no step is allowed. */
START_TEST(waiting_begins_without_a_comparison)
{
	struct hd_sthld machine = {.large = 0.05, .most = 0, .step = 1};
	hd_sthld_start(&machine);
	hd_sthld_step(&machine, 1.0);
	ck_assert_uint_eq(machine.state, 2);
	ck_assert_uint_eq(machine.value, 0);
	hd_sthld_step(&machine, 1.0);
	ck_assert_uint_eq(machine.state, 6);
}
END_TEST

/* As in the first test, in steps of three: up to 6, beyond the knee, six back, three more back, three up. */
START_TEST(waiting_climbs_by_the_step)
{
	struct hd_sthld machine = default_machine();
	machine.step = 3;
	WALK(&machine, 4, 1.0, 0, 3, 6, 9, 3, 0, 3, 3, 3);
	ck_assert_uint_eq(machine.state, 6);
}
END_TEST

/* ---- allocation: the policy's hooks, asked as a scheduler asks them */

struct scene {
	struct simbench bench;
	struct hd_sm *sm;
	struct hd_policy_handle *self;
	struct hd_dinst near, far;
};

static void scene_init(struct scene *scene, const char *policy)
{
	simbench_init(&scene->bench);
	scene->bench.options.policy = policy;
	scene->bench.config.collectors = 2;
	simbench_mov(&scene->bench, 8, 1);
	ck_assert_msg(!simbench_start(&scene->bench), "%s", scene->bench.message);
	scene->sm = scene->bench.sim->gpu.sms[0];
	scene->self = &scene->bench.sim->gpu.policies[0];
	scene->near = READING(1, 2);
	scene->far = READING(0, 2);
	for (uint32_t i = 0; i < 3; i++)
		scene->sm->warps[i].cta = &scene->sm->ctas[0];
	scene->sm->ctas[0].sm = scene->sm;
	scene->sm->ctas[0].exec = scene->sm->exec;
	scene->sm->ctas[0].grid = (struct hd_grid *)hd_arena_alloc(&scene->bench.arena, sizeof(struct hd_grid));
}

/* Whether the warp is given a unit at `now`; it is dispatched in the same cycle. */
static bool issues(struct scene *scene, uint32_t warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_regfile *file = scene->sm->operands.regfiles[0];
	uint8_t reason = HD_STALL_collector;
	const struct hd_policy_hooks *hooks = scene->self->hooks;
	uint32_t unit =
		hooks->operands.choose_collector(scene->self, &scene->sm->warps[warp], inst, file, now, &reason);
	if (unit == HD_NO_COLLECTOR) {
		ck_assert_uint_eq(reason, HD_STALL_withheld);
		return false;
	}
	file->collectors[unit].warp = &scene->sm->warps[warp];
	file->collectors[unit].inst = inst;
	file->free[unit] = now + 1;
	hooks->operands.dispatch(scene->self, &file->collectors[unit], now);
	return true;
}

static const struct hd_collector *unit_of(const struct scene *scene, uint32_t warp)
{
	return malekeh_warp_of(scene->self, &scene->sm->warps[warp])->unit;
}

START_TEST(units_without_near_values_are_taken_at_once)
{
	struct scene scene;
	scene_init(&scene, "malekeh:sthld=3");
	ck_assert(issues(&scene, 0, &scene.far, 1));
	ck_assert(issues(&scene, 1, &scene.near, 2));
	const struct hd_collector *of_first = unit_of(&scene, 0);
	ck_assert(issues(&scene, 2, &scene.far, 3));
	ck_assert_ptr_eq(unit_of(&scene, 2), of_first);
	ck_assert_ptr_null(unit_of(&scene, 0));
	/* It read R2 of another warp; what the first had of it is gone. */
	ck_assert_uint_eq(malekeh_counts_of(scene.self, &scene.sm->warps[0])->hits, 0);
	ck_assert_uint_eq(malekeh_counts_of(scene.self, &scene.sm->warps[0])->waits, 0);
	/* An owner keeps its unit, and comes before others. */
	ck_assert(issues(&scene, 1, &scene.near, 4));
	ck_assert(scene.self->hooks->issue.prefer(scene.self, &scene.sm->warps[1], &scene.near, 5) <
		  scene.self->hooks->issue.prefer(scene.self, &scene.sm->warps[0], &scene.near, 5));
	simbench_release(&scene.bench);
}
END_TEST

static uint64_t issue_cycle(struct scene *scene, uint32_t warp, uint64_t from)
{
	while (!issues(scene, warp, &scene->near, from))
		from++;
	return from;
}

START_TEST(near_values_are_waited_for)
{
	static const struct {
		const char *policy;
		uint64_t lost;
	} rows[] = {{"malekeh:sthld=3", 4}, {"malekeh:sthld=0", 1}, {"malekeh:sthld=off", 0}};
	for (uint32_t i = 0; i < 3; i++) {
		struct scene scene;
		scene_init(&scene, rows[i].policy);
		ck_assert(issues(&scene, 0, &scene.near, 1));
		ck_assert(issues(&scene, 1, &scene.near, 2));
		ck_assert_uint_eq(issue_cycle(&scene, 2, 10), 10 + rows[i].lost);
		ck_assert_ptr_null(unit_of(&scene, 0)); /* dispatched before the other */
		ck_assert_uint_eq(malekeh_counts_of(scene.self, &scene.sm->warps[0])->waits, rows[i].lost);
		ck_assert_uint_eq(malekeh_counts_of(scene.self, &scene.sm->warps[0])->dropped_near, 1);
		simbench_release(&scene.bench);
	}
}
END_TEST

/* The first owner wakes up in between: the slots that were lost count, and its issue resets nothing. */
START_TEST(an_owner_in_between_resets_nothing)
{
	struct scene scene;
	scene_init(&scene, "malekeh:sthld=3");
	ck_assert(issues(&scene, 0, &scene.near, 1));
	ck_assert(issues(&scene, 1, &scene.near, 2));
	ck_assert(!issues(&scene, 2, &scene.near, 10));
	ck_assert(!issues(&scene, 2, &scene.near, 11));
	ck_assert(issues(&scene, 0, &scene.near, 12));
	ck_assert_uint_eq(issue_cycle(&scene, 2, 13), 15);
	ck_assert_ptr_null(unit_of(&scene, 1));
	simbench_release(&scene.bench);
}
END_TEST

/* Two warps that ask in one slot count once. */
START_TEST(a_slot_is_lost_once)
{
	struct scene scene;
	scene_init(&scene, "malekeh:sthld=1");
	scene.sm->warps[3].cta = &scene.sm->ctas[0];
	ck_assert(issues(&scene, 0, &scene.near, 1));
	ck_assert(issues(&scene, 1, &scene.near, 2));
	for (uint64_t now = 10; now < 12; now++)
		ck_assert(!issues(&scene, 2, &scene.near, now) && !issues(&scene, 3, &scene.near, now));
	ck_assert(issues(&scene, 2, &scene.near, 12));
	simbench_release(&scene.bench);
}
END_TEST

START_TEST(the_next_warp_in_a_place_finds_nothing)
{
	struct scene scene;
	scene_init(&scene, "malekeh");
	ck_assert(issues(&scene, 0, &scene.near, 1));
	const struct hd_ccu *unit = malekeh_unit_of(scene.self, unit_of(&scene, 0));
	ck_assert(keeps(unit, 2));
	scene.self->hooks->allocation.warp_done(scene.self, &scene.sm->warps[0], 5);
	ck_assert(!keeps(unit, 2));
	ck_assert_ptr_null(unit->owner);
	ck_assert_ptr_null(unit_of(&scene, 0));
	ck_assert(issues(&scene, 0, &scene.near, 6));
	ck_assert_uint_eq(malekeh_counts_of(scene.self, &scene.sm->warps[0])->hits, 0);
	ck_assert_uint_eq(malekeh_counts_of(scene.self, &scene.sm->warps[0])->takeovers, 0);
	simbench_release(&scene.bench);
}
END_TEST

/* All warps of a block that is killed leave their units, also one behind a place without a warp, and no others. */
START_TEST(killed_warps_leave_their_units)
{
	for (uint32_t count = 2; count <= 3; count++) {
		struct scene scene;
		scene_init(&scene, "malekeh");
		struct hd_warp *warps = scene.sm->warps, *of_block[] = {&warps[0], NULL, &warps[1]};
		struct hd_cta cta = {.sm = scene.sm, .warps = of_block, .warp_count = count};
		ck_assert(issues(&scene, 0, &scene.near, 1));
		ck_assert(issues(&scene, 1, &scene.near, 2));
		const struct hd_ccu *first = malekeh_unit_of(scene.self, unit_of(&scene, 0));
		const struct hd_ccu *second = malekeh_unit_of(scene.self, unit_of(&scene, 1));
		scene.self->hooks->contexts.cta_kill(scene.self, scene.sm, &cta);
		ck_assert(!first->owner && !keeps(first, 2) && !unit_of(&scene, 0));
		bool left = count == 3;
		ck_assert_ptr_eq(second->owner, left ? NULL : &warps[1]);
		ck_assert_int_eq(keeps(second, 2), !left);
		ck_assert_int_eq(unit_of(&scene, 1) == NULL, left);
		simbench_release(&scene.bench);
	}
}
END_TEST

/* R1 is read in 20 instructions, R2 in 5, R3 never, others later: R3 goes first, then those after R1, R1, R2. */
START_TEST(exact_distances_choose_what_goes)
{
	struct hd_ccu unit = new_unit();
	struct hd_dinst first = READING(0xf, 1, 2, 3, 4), next = READING(0, 5);
	unit.entry_count = 4;
	unit.exact = true;
	unit.rthld = 16;
	memcpy(unit.due, (uint32_t[]){20, 5, HD_CCU_NEVER, 30}, 4 * sizeof *unit.due);
	hd_ccu_take(&unit, &first);
	hd_ccu_dispatch(&unit, 0);
	unit.now = 1;
	ck_assert(hd_ccu_has_near(&unit));
	const uint8_t order[] = {3, 4, 1, 2};
	for (uint32_t i = 0; i < 4; i++) {
		ck_assert(keeps(&unit, order[i]));
		unit.due[0] = 2 + i;
		next.operands[0].reg = (uint8_t)(5 + i);
		hd_ccu_take(&unit, &next);
		hd_ccu_dispatch(&unit, i);
		ck_assert_msg(!keeps(&unit, order[i]), "R%u stays", order[i]);
	}
	ck_assert(hd_ccu_has_near(&unit));
	hd_ccu_flush(&unit);
	unit.due[0] = 17; /* far now, and near an instruction later */
	hd_ccu_take(&unit, &next);
	ck_assert(!hd_ccu_has_near(&unit));
	unit.now = 2;
	ck_assert(hd_ccu_has_near(&unit));
}
END_TEST

/* ---- small programs */

/* What the reuse analysis says: four bits an instruction, result and sources a, b, c. */
static void tag(struct simbench *bench, const uint8_t *tags, uint32_t count)
{
	struct hd_meta_reuse *reuse = HD_ARENA_NEW(&bench->arena, struct hd_meta_reuse, 1);
	reuse->rthld = 16;
	reuse->tag_count = bench->code.len + 1; /* EXIT */
	reuse->tags = HD_ARENA_NEW(&bench->arena, uint8_t, reuse->tag_count);
	reuse->exact = HD_ARENA_NEW(&bench->arena, uint8_t, 4 * reuse->tag_count);
	for (uint32_t i = 0; i < bench->code.len; i++)
		reuse->tags[i] = tags[i % count];
	bench->meta.reuse = reuse;
}

static void run(struct simbench *bench)
{
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	int error = simbench_run(bench, 1, 32);
	ck_assert_msg(!error, "%s", hd_sim_error_text(bench->sim));
}

static void add_then_fma(struct simbench *bench)
{
	struct hd_inst *add = simbench_emit(bench, HD_OP_FADD);
	add->dst = 4;
	add->a = 2;
	add->b = 3;
	simbench_ffma(bench, 5, 2, 4, 2);
}

START_TEST(banks_are_read_once)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "malekeh";
	bench.options.verify = true;
	add_then_fma(&bench);
	tag(&bench, (const uint8_t[]){1 | 2, 0}, 2);
	run(&bench);
	const struct hd_counters *counters = &simbench_stats(&bench)->counters;
	ck_assert_double_eq(simbench_figure(&bench, "operands"), 5);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 3);
	ck_assert_double_eq(simbench_figure(&bench, "registers"), 4);
	ck_assert_double_eq(simbench_figure(&bench, "register_hits"), 2);
	ck_assert_double_eq(simbench_figure(&bench, "cached_results"), 1);
	ck_assert_double_eq(simbench_figure(&bench, "storage"), 8 * 125 / 8.0);
	ck_assert_uint_eq(counters->bank_reads, 2);
	ck_assert_uint_eq(counters->bank_writes, 2);
	simbench_release(&bench);
}
END_TEST

/* The four steps of a product of Volta's tensor cores: R4 and R5 times R6 and R7, onto R8 to R15. */
static void add_steps(struct simbench *bench)
{
	for (uint32_t step = 0; step < 4; step++) {
		struct hd_inst *inst = simbench_emit(bench, HD_OP_HMMA_884);
		inst->dst = inst->c = (uint8_t)(8 + 2 * step);
		inst->a = 4;
		inst->b = 6;
		inst->mods = HD_MOD(ACC, HD_ACC_F32) | HD_MOD(STEP, step);
	}
}

/* Later steps have the factors in their unit: they collect their pair of the accumulator alone. What becomes of the
 * factors there is still known. */
START_TEST(steps_of_a_product_collect_its_factors_once)
{
	static const char *const policies[] = {"baseline", "malekeh:sthld=off", "bow"};
	for (uint32_t i = 0; i < 3; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.policy = policies[i];
		bench.meta.registers = 32;
		bench.meta.dead_operand_count = 5;
		bench.meta.dead_operands = (uint8_t[]){0, 0, 0, 3, 0};
		add_steps(&bench);
		tag(&bench, (const uint8_t[]){0}, 1);
		run(&bench);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, 4 + 4 * 2);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.register_reads, 4 + 4 * 2);
		if (i)
			ck_assert_double_eq(simbench_figure(&bench, "operands"), 4 + 4 * 2);
		if (i)
			ck_assert_double_eq(simbench_figure(&bench, "hits"), 0);
		const struct hd_dinst *last = &bench.sim->gpu.program.code.data[3];
		ck_assert_uint_eq(last->operand_count, 2);
		ck_assert_uint_eq(last->named_count, 6);
		for (uint32_t k = 0; k < 6; k++) {
			ck_assert_uint_eq(last->operands[k].reg, k < 2 ? 14 + k : 4 + k - 2);
			ck_assert_uint_eq(last->operands[k].dead, i && k >= 2); /* nobody asks in the baseline */
		}
		simbench_release(&bench);
	}
}
END_TEST

/* Nothing is near: only sources find sources, and no result is kept. */
START_TEST(far_results_are_never_kept)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "malekeh:sthld=off";
	for (uint32_t i = 0; i < 10; i++)
		add_then_fma(&bench);
	tag(&bench, (const uint8_t[]){0}, 1);
	run(&bench);
	ck_assert_double_eq(simbench_figure(&bench, "cached_results"), 0);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 9 * 4 + 2); /* of R4 none */
	simbench_release(&bench);
}
END_TEST

static double hits_of(struct simbench *bench, const char *policy)
{
	bench->options.policy = policy;
	run(bench);
	return simbench_figure(bench, "hits");
}

/* No bit says that R4 is read by the next instruction; a run before has seen it. R5 is never read. */
START_TEST(a_run_before_tells_what_is_near)
{
	char path[] = "/tmp/heddle-distances-XXXXXX";
	int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	const char *policies[] = {"malekeh:record", "malekeh:exact", "malekeh:exact"};
	const double hits[] = {2, 3, 2}, cached[] = {0, 1, 0};
	for (uint32_t i = 0; i < 3; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.verify = true;
		bench.options.rehearsal = path;
		add_then_fma(&bench);
		if (i == 2) /* another program than was recorded */
			simbench_mov(&bench, 9, 1);
		tag(&bench, (const uint8_t[]){0}, 1);
		if (i == 2)
			ck_assert_int_eq(truncate(path, 0), 0);
		ck_assert_double_eq(hits_of(&bench, policies[i]), hits[i]);
		ck_assert_double_eq(simbench_figure(&bench, "cached_results"), cached[i]);
		ck_assert_double_eq(simbench_figure(&bench, "strayed"), i == 2 ? 4 : 0);
		/* R2 and R4 are read by the next instruction; R3, and what the second reads and writes, no more. */
		ck_assert_double_eq(simbench_figure(&bench, "distance_1"), i == 1 ? 2 : 0);
		ck_assert_double_eq(simbench_figure(&bench, "unread"), i == 1 ? 4 : 0);
		simbench_release(&bench);
	}
	close(file);
	unlink(path);
}
END_TEST

/*
 * R5 and R6 are read by the next instruction, R4 by the one behind, which reads it twice. The second reads R5 for the
 * third; R6 and R7 nobody reads again, nor the two registers that the third reads, nor a result.
 */
START_TEST(distances_are_those_of_each_operand)
{
	char path[] = "/tmp/heddle-distances-XXXXXX";
	int file = mkstemp(path);
	ck_assert_int_ge(file, 0);
	for (uint32_t exact = 0; exact < 2; exact++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.rehearsal = path;
		simbench_ffma(&bench, 12, 4, 5, 6);
		simbench_ffma(&bench, 13, 6, 7, 5);
		simbench_ffma(&bench, 14, 5, 4, 4);
		tag(&bench, (const uint8_t[]){0}, 1);
		hits_of(&bench, exact ? "malekeh:exact" : "malekeh:record");
		ck_assert_double_eq(simbench_figure(&bench, "strayed"), 0);
		ck_assert_double_eq(simbench_figure(&bench, "distance_1"), exact ? 3 : 0);
		ck_assert_double_eq(simbench_figure(&bench, "distance_2"), exact ? 1 : 0);
		ck_assert_double_eq(simbench_figure(&bench, "unread"), exact ? 2 + 2 + 3 : 0);
		simbench_release(&bench);
	}
	close(file);
	unlink(path);
}
END_TEST

/* All results, and no sources: R4 is served, R2 never. */
START_TEST(results_alone_may_be_kept)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "malekeh:results";
	bench.options.verify = true;
	for (uint32_t i = 0; i < 10; i++)
		add_then_fma(&bench);
	tag(&bench, (const uint8_t[]){0}, 1);
	run(&bench);
	ck_assert_double_eq(simbench_figure(&bench, "cached_results"), 20);
	ck_assert_double_eq(simbench_figure(&bench, "hits"), 10);
	simbench_release(&bench);
}
END_TEST

/* Ten multiply-adds of three registers each, of which the unit serves nearly all; taken apart, none or all. */
START_TEST(order_and_hits_alone)
{
	static const struct {
		const char *policy;
		uint64_t reads;
		double hits;
	} cases[] = {{"baseline", 30, 0}, {"malekeh", 3, 27}, {"malekeh:order", 30, 0}, {"malekeh:hits", 0, 30}};
	uint64_t cycles[4];
	for (uint32_t i = 0; i < 4; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.policy = cases[i].policy;
		bench.options.verify = true;
		for (uint32_t n = 0; n < 10; n++)
			simbench_ffma(&bench, (uint8_t)(9 + n % 6), 2, 4, 6);
		tag(&bench, (const uint8_t[]){2 | 4 | 8}, 1);
		run(&bench);
		ck_assert_uint_eq(simbench_stats(&bench)->counters.bank_reads, cases[i].reads);
		if (i)
			ck_assert_double_eq(simbench_figure(&bench, "hits"), cases[i].hits);
		cycles[i] = simbench_stats(&bench)->counters.cycles;
		simbench_release(&bench);
	}
	/* A warp has one unit: without a cache it waits longer for that than the baseline for any. */
	ck_assert_uint_lt(cycles[0], cycles[2]);
	ck_assert_uint_lt(cycles[1], cycles[2]);
	ck_assert_uint_le(cycles[3], cycles[1]);
}
END_TEST

static uint64_t fma_cycles(const char *policy, int32_t ports, uint32_t length)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.register_banks = 2;
	bench.config.register_ports = ports;
	bench.config.register_write_ports = 1;
	bench.config.ii_fp32 = 2;
	bench.config.lat_fmad = 4;
	bench.meta.registers = 64;
	bench.options.policy = policy;
	for (uint32_t i = 0; i < length; i++)
		simbench_ffma(&bench, (uint8_t)(9 + 2 * (i % 20)), 2, 4, 6);
	tag(&bench, (const uint8_t[]){2 | 4 | 8}, 1);
	run(&bench);
	uint64_t cycles = simbench_stats(&bench)->counters.cycles;
	simbench_release(&bench);
	return cycles;
}

/* Three operands in one bank with one port take three cycles; a unit that has them lets one go every two. With two
 * ports nobody waits for them. */
START_TEST(hits_spare_the_ports)
{
	ck_assert_uint_eq(fma_cycles("baseline", 1, 60) - fma_cycles("baseline", 1, 20), 40 * 3);
	ck_assert_uint_eq(fma_cycles("malekeh", 1, 60) - fma_cycles("malekeh", 1, 20), 40 * 2);
	ck_assert_uint_eq(fma_cycles("baseline", 2, 60) - fma_cycles("baseline", 2, 20), 40 * 2);
	ck_assert_uint_eq(fma_cycles("malekeh", 2, 60) - fma_cycles("malekeh", 2, 20), 40 * 2);
}
END_TEST

/* R4's old value, as if it had not been dropped. */
static void spoil(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		  const struct hd_effect *effect, uint64_t now)
{
	const struct hd_policy_handle *malekeh = warp->cta->sm->gpu->policies;
	const struct malekeh_warp *owner = malekeh_warp_of(malekeh, warp);
	(void)self, (void)effect, (void)now;
	if (inst->inst.dst != 7)
		return;
	struct hd_ccu_entry *entry = &malekeh_unit_of(malekeh, owner->unit)->entries[HD_CCU_ENTRIES - 1];
	entry->valid = true;
	entry->reg = 4;
	for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
		entry->data[lane] = 1;
}
static const struct hd_policy_hooks spoiler_hooks = {.issue.issued = spoil};
static const struct hd_policy spoiler = {.name = "spoiler", .hooks = &spoiler_hooks};

static int run_stale(bool spoilt, char *text, size_t size)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "malekeh";
	bench.options.verify = true;
	simbench_mov(&bench, 4, 1);
	simbench_ffma(&bench, 5, 4, 4, 4);
	simbench_mov(&bench, 4, 2);
	simbench_mov(&bench, 6, 3);
	simbench_ffma(&bench, 7, 6, 6, 6); /* issued when R4 has been written */
	simbench_ffma(&bench, 5, 4, 6, 4);
	tag(&bench, (const uint8_t[]){0}, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	if (spoilt) {
		hd_policy_add(&bench.sim->gpu, &spoiler, "");
		for (uint32_t i = 0; i < bench.sim->gpu.sm_count; i++)
			bench.sim->gpu.sms[i]->hooks |= HD_HOOK(issued);
	}
	int error = simbench_run(&bench, 1, 32);
	snprintf(text, size, "%s", hd_sim_error_text(bench.sim));
	simbench_release(&bench);
	return error;
}

START_TEST(verify_finds_a_stale_value)
{
	char text[512];
	ck_assert_int_eq(run_stale(false, text, sizeof text), 0);
	ck_assert_int_eq(run_stale(true, text, sizeof text), HD_SIM_VERIFY);
	ck_assert_msg(strstr(text, "Malekeh: the collector serves R4 as 0x1, but the register file has 0x2") != NULL,
		      "%s", text);
}
END_TEST

START_TEST(variants_and_settings_are_checked)
{
	static const struct {
		const char *policy, *setting, *message;
	} rows[] = {
		{"malekeh:sthld=", NULL, "policy 'malekeh:sthld=': wrong parameter (expected sthld=N"},
		{"malekeh:sthld=x", NULL, "wrong parameter (expected sthld=N"},
		{"malekeh:exact", NULL, "policy 'malekeh:exact' needs two runs of the program"},
		{"malekeh:record", NULL, "policy 'malekeh:record' needs two runs of the program"},
		{"malekeh:fast", NULL, "wrong parameter (expected sthld=N"},
		{"malekeh", "malekeh.entries=17", "malekeh.entries: expected 1 to 16, not 17"},
		{"malekeh", "malekeh.sthld_step=0", "malekeh.sthld_step: expected 1 to 64, not 0"},
		{"malekeh", "malekeh.state2_small_step=1", "policy 'malekeh': unknown key 'state2_small_step'"},
		{"malekeh", "malekeh.entrys=4", "policy 'malekeh': unknown key 'entrys'; did you mean entries?"},
		{"malekeh", "malekeh.pj_tag=-1", "malekeh.pj_tag: expected 0 to 1e+09, not -1"},
		{"malekeh", "malekeh.pj_tags=1", "unknown key 'pj_tags'; did you mean pj_tag?"},
	};
	for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct simbench bench;
		simbench_init(&bench);
		bench.options.policy = rows[i].policy;
		if (rows[i].setting)
			ck_assert_int_eq(hd_config_set(&bench.config, rows[i].setting, &bench.diag), 0);
		ck_assert_int_ne(simbench_start(&bench), 0);
		ck_assert_msg(strstr(bench.message, rows[i].message) != NULL, "%s", bench.message);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("malekeh", (const TTest *const[]){
					      duplicates_share_an_entry,
					      a_result_that_is_not_kept_drops_the_old_value,
					      there_is_one_port_for_results,
					      a_result_does_not_change_what_is_locked,
					      a_result_of_some_lanes_is_merged_or_passes,
					      hits_are_not_replaced_by_misses,
					      locked_entries_stay,
					      far_values_are_replaced_first,
					      a_unit_has_125_bits_more,
					      waiting_goes_to_the_knee,
					      waiting_does_not_walk_down_a_slope,
					      waiting_ends_where_it_must,
					      waiting_begins_without_a_comparison,
					      waiting_climbs_by_the_step,
					      units_without_near_values_are_taken_at_once,
					      near_values_are_waited_for,
					      an_owner_in_between_resets_nothing,
					      a_slot_is_lost_once,
					      the_next_warp_in_a_place_finds_nothing,
					      killed_warps_leave_their_units,
					      exact_distances_choose_what_goes,
					      banks_are_read_once,
					      steps_of_a_product_collect_its_factors_once,
					      a_run_before_tells_what_is_near,
					      distances_are_those_of_each_operand,
					      far_results_are_never_kept,
					      results_alone_may_be_kept,
					      order_and_hits_alone,
					      hits_spare_the_ports,
					      verify_finds_a_stale_value,
					      variants_and_settings_are_checked,
					      NULL,
				      });
}
