/* List scheduling: latencies, what may not pass what, the pressure bound. LINK: passes */
#include "harness.h"
#include "heddle/opcodes.h"

#include "mir_interp.h"
#include "mir_make.h"
#include "mir_random.h"

static const struct hd_minst *nth(const struct hd_make *make, uint32_t i)
{
	return &make->func.blocks.data[0].insts.data[i];
}

/* Place of the n'th instruction with that opcode. */
static uint32_t where(const struct hd_make *make, unsigned op, unsigned n)
{
	uint32_t i = 0;
	for (;; i++)
		if (nth(make, i)->op == op && n-- == 0)
			return i;
}

static void schedule(struct hd_make *make)
{
	struct hd_mrun before = hd_mfunc_interpret(&make->func, false);
	ck_assert_int_eq(hd_out_of_ssa_run(&make->func, &make->diag), 0);
	ck_assert_int_eq(hd_schedule_run(&make->func, &make->diag), 0);
	ck_assert_int_eq(hd_mfunc_verify(&make->func, false, &make->diag), 0);
	struct hd_mrun after = hd_mfunc_interpret(&make->func, false);
	ck_assert_ptr_null(after.error);
	ck_assert(hd_mrun_equal(&before, &after));
}

/* load, use, load, use: both loads go first. */
START_TEST(loads_go_before_uses)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_mreg value = hd_make_load(&make, p, 1, 4 * i);
		hd_make_store(&make, p, hd_make_op(&make, HD_OP_FFMA, value, value, value), 64 + 4 * i);
	}
	hd_make_exit(&make);
	schedule(&make);
	ck_assert_uint_lt(where(&make, HD_OP_LDG, 1), where(&make, HD_OP_FFMA, 0));
	hd_make_release(&make);
}
END_TEST

/* A store through another pointer may write what the second load reads. */
START_TEST(loads_stay_behind_stores_that_may_alias)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0), q = hd_make_pointer(&make, 2);
	hd_make_store(&make, q, hd_make_load(&make, p, 1, 0), 0);
	hd_make_store(&make, q, hd_make_load(&make, p, 1, 4), 4);
	hd_make_exit(&make);
	schedule(&make);
	ck_assert_uint_lt(where(&make, HD_OP_STG, 0), where(&make, HD_OP_LDG, 1));
	hd_make_release(&make);
}
END_TEST

START_TEST(readonly_loads_pass_stores)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0), q = hd_make_pointer(&make, 2);
	hd_make_store(&make, q, hd_make_load(&make, p, 1, 0), 0);
	struct hd_mreg second = hd_make_load(&make, p, 1, 4);
	hd_vec_last(&make.func.blocks.data[0].insts).mods |= HD_MOD(CACHE, HD_CACHE_CI);
	hd_make_store(&make, q, second, 4);
	hd_make_exit(&make);
	schedule(&make);
	ck_assert_uint_lt(where(&make, HD_OP_LDG, 1), where(&make, HD_OP_STG, 0));
	hd_make_release(&make);
}
END_TEST

START_TEST(nothing_in_memory_passes_a_barrier)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0);
	hd_make_store(&make, p, hd_make_param(&make, 2), 0);
	hd_make_inst(&make, hd_minst_make(HD_OP_BAR, 0));
	hd_make_store(&make, p, hd_make_load(&make, p, 1, 4), 8);
	hd_make_exit(&make);
	schedule(&make);
	ck_assert_uint_lt(where(&make, HD_OP_STG, 0), where(&make, HD_OP_BAR, 0));
	ck_assert_uint_lt(where(&make, HD_OP_BAR, 0), where(&make, HD_OP_LDG, 0));
	hd_make_release(&make);
}
END_TEST

/* Argument copies, call and result copy stay together. */
START_TEST(copies_stay_at_their_call)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0);
	struct hd_mreg args[] = {hd_make_load(&make, p, 1, 0), hd_make_param(&make, 2)};
	struct hd_mreg result = hd_make_call(&make, args, 2);
	hd_make_store(&make, p, hd_make_op(&make, HD_OP_FFMA, result, result, result), 0);
	hd_make_exit(&make);
	schedule(&make);
	uint32_t call = where(&make, HD_OP_CALL, 0);
	ck_assert_uint_eq(nth(&make, call - 1)->op, HD_OP_COPY);
	ck_assert_uint_eq(nth(&make, call - 2)->op, HD_OP_COPY);
	ck_assert_uint_eq(nth(&make, call + 1)->op, HD_OP_COPY);
	hd_make_release(&make);
}
END_TEST

/* 64 loads with a use each: without a bound 64 values would be live at once. */
START_TEST(pressure_is_bounded)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg p = hd_make_pointer(&make, 0), q = hd_make_pointer(&make, 2);
	for (uint32_t i = 0; i < 64; i++) {
		struct hd_mreg value = hd_make_load(&make, p, 1, 4 * i);
		hd_vec_last(&make.func.blocks.data[0].insts).mods |= HD_MOD(CACHE, HD_CACHE_CI);
		hd_make_store(&make, q, value, 4 * i);
	}
	hd_make_exit(&make);
	ck_assert_int_eq(hd_lower_function(&make.func, true, &make.diag), 0);
	ck_assert_uint_ge(make.func.registers, 10);
	ck_assert_uint_le(make.func.registers, 40); /* the next step of occupancy */
	hd_make_release(&make);
}
END_TEST

START_TEST(random_functions_keep_their_meaning)
{
	for (uint32_t seed = 1001; seed <= 1800; seed++) {
		struct hd_make make = {0};
		struct hd_random_options options = hd_random_options(seed);
		hd_arena_init(&make.arena);
		hd_random_mfunc(&make.func, &make.arena, &options);
		schedule(&make);
		hd_make_release(&make);
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		loads_go_before_uses,
		loads_stay_behind_stores_that_may_alias,
		readonly_loads_pass_stores,
		nothing_in_memory_passes_a_barrier,
		copies_stay_at_their_call,
		pressure_is_bounded,
		random_functions_keep_their_meaning,
		NULL,
	};
	return hd_suite_of("schedule", tests);
}
