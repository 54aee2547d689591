/* Out of SSA: coalescing, the swap and lost-copy problems, words into pairs. LINK: passes */
#include "harness.h"
#include "heddle/opcodes.h"

#include "mir_interp.h"
#include "mir_make.h"
#include "mir_random.h"

static struct hd_mreg phi(struct hd_make *make, struct hd_mreg first, struct hd_mreg second)
{
	struct hd_mreg parts[] = {first, second};
	return hd_make_list(make, HD_OP_PHI, first.words, parts, 2);
}

static void patch(struct hd_make *make, struct hd_mreg phi_value, struct hd_mreg back)
{
	for (uint32_t i = 0; i < make->func.blocks.data[1].insts.len; i++) {
		struct hd_minst *inst = &make->func.blocks.data[1].insts.data[i];
		if (inst->op == HD_OP_PHI && inst->dst.id == phi_value.id)
			make->func.extras.data[inst->extra + 1] = back;
	}
}

/* b0 -> b1 (loop) -> b2 */
static void close_loop(struct hd_make *make, struct hd_mreg counter, uint32_t times)
{
	struct hd_mreg one = hd_make_imm(make, 1), limit = hd_make_imm(make, times);
	struct hd_mreg next = hd_make_op(make, HD_OP_IADD3, counter, one, HD_MREG_RZ);
	patch(make, counter, next);
	hd_make_branch(make, hd_make_less(make, next, limit), 1, 2);
	make->block = 2;
}

static void leave_and_compare(struct hd_make *make)
{
	struct hd_mrun before = hd_mfunc_interpret(&make->func, false);
	ck_assert_ptr_null(before.error);
	ck_assert_int_eq(hd_mfunc_verify(&make->func, true, &make->diag), 0);
	ck_assert_int_eq(hd_out_of_ssa_run(&make->func, &make->diag), 0);
	ck_assert_int_eq(hd_mfunc_verify(&make->func, false, &make->diag), 0);
	struct hd_mrun after = hd_mfunc_interpret(&make->func, false);
	ck_assert_ptr_null(after.error);
	ck_assert(hd_mrun_equal(&before, &after));
	ck_assert_uint_eq(hd_make_count(make, HD_OP_PHI), 0);
	ck_assert_uint_eq(hd_make_count(make, HD_OP_PAIR), 0);
	ck_assert_uint_eq(hd_make_count(make, HD_OP_PARCOPY), 0);
}

/* A counter and a sum: everything coalesces, no copy is left. */
START_TEST(plain_loop_needs_no_copies)
{
	struct hd_make make;
	hd_make_init(&make, true, 3);
	struct hd_mreg start = hd_make_param(&make, 0), sum0 = hd_make_param(&make, 1);
	hd_make_jump(&make, 1);
	make.block = 1;
	struct hd_mreg counter = phi(&make, start, start), sum = phi(&make, sum0, sum0);
	patch(&make, sum, hd_make_op(&make, HD_OP_IMAD, sum, counter, sum));
	make.func.blocks.data[1].frequency = 10;
	hd_make_branch(&make, hd_make_less(&make, counter, counter), 1, 2);
	/* The counter steps by itself. */
	make.block = 1;
	make.func.blocks.data[1].insts.len -= 3;
	struct hd_mreg one = hd_make_imm(&make, 0x40000000);
	struct hd_mreg next = hd_make_op(&make, HD_OP_IADD3, counter, one, HD_MREG_RZ);
	patch(&make, counter, next);
	hd_make_branch(&make, hd_make_less(&make, counter, next), 1, 2);
	make.block = 2;
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, sum, 0);
	hd_make_exit(&make);
	leave_and_compare(&make);
	/* `sum` of the last iteration is stored after its successor was made, and `counter` is compared with its own: a
	 * copy each. */
	ck_assert_uint_le(hd_make_count(&make, HD_OP_COPY), 2);
	hd_make_release(&make);
}
END_TEST

/* x, y = y, x in each iteration: one cycle, three copies with a spare register. */
START_TEST(swap_goes_through_a_spare_register)
{
	struct hd_make make;
	hd_make_init(&make, true, 3);
	struct hd_mreg x0 = hd_make_param(&make, 0), y0 = hd_make_param(&make, 1), zero = hd_make_param(&make, 2);
	zero = hd_make_op(&make, HD_OP_IADD3, zero, HD_MREG_RZ, HD_MREG_RZ);
	hd_make_jump(&make, 1);
	make.block = 1;
	make.func.blocks.data[1].frequency = 10;
	struct hd_mreg x = phi(&make, x0, x0), y = phi(&make, y0, y0), counter = phi(&make, HD_MREG_RZ, zero);
	patch(&make, x, y);
	patch(&make, y, x);
	close_loop(&make, counter, 5);
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, x, 0);
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, y, 16);
	hd_make_exit(&make);
	leave_and_compare(&make);
	ck_assert_uint_le(hd_make_count(&make, HD_OP_COPY), 5);
	hd_make_release(&make);
}
END_TEST

/* The PHI's own value is used behind the loop: it must not be overwritten by the next one. */
START_TEST(lost_copy_is_kept)
{
	struct hd_make make;
	hd_make_init(&make, true, 3);
	hd_make_jump(&make, 1);
	make.block = 1;
	struct hd_mreg counter = phi(&make, HD_MREG_RZ, HD_MREG_RZ);
	close_loop(&make, counter, 3);
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, counter, 0);
	hd_make_exit(&make);
	leave_and_compare(&make);
	hd_make_release(&make);
}
END_TEST

/* A pair of two fresh words is made in place. */
START_TEST(words_are_computed_inside_their_pair)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg a = hd_make_param(&make, 0), b = hd_make_param(&make, 1);
	struct hd_mreg words[] = {hd_make_op(&make, HD_OP_IMAD, a, b, a), hd_make_op(&make, HD_OP_IMAD, b, a, b)};
	struct hd_mreg pair = hd_make_list(&make, HD_OP_PAIR, 2, words, 2);
	hd_make_store(&make, pair, pair, 0);
	hd_make_exit(&make);
	leave_and_compare(&make);
	ck_assert_uint_eq(hd_make_count(&make, HD_OP_COPY), 0);
	hd_make_release(&make);
}
END_TEST

/* A word that lives on beside two pairs that it is part of: one copy for the second. */
START_TEST(word_of_two_pairs_is_copied_once)
{
	struct hd_make make;
	hd_make_init(&make, true, 1);
	struct hd_mreg b = hd_make_param(&make, 1), c = hd_make_param(&make, 2),
		       a = hd_make_op(&make, HD_OP_IMAD, b, c, c);
	struct hd_mreg first[] = {a, b}, second[] = {a, c};
	struct hd_mreg pairs[] = {hd_make_list(&make, HD_OP_PAIR, 2, first, 2),
				  hd_make_list(&make, HD_OP_PAIR, 2, second, 2)};
	hd_make_store(&make, pairs[0], pairs[1], 0);
	hd_make_exit(&make);
	leave_and_compare(&make);
	ck_assert_uint_eq(hd_make_count(&make, HD_OP_COPY), 1);
	hd_make_release(&make);
}
END_TEST

/* A constant that meets another value is made where it is needed. */
START_TEST(constants_are_not_copied)
{
	struct hd_make make;
	hd_make_init(&make, true, 4);
	struct hd_mreg a = hd_make_param(&make, 0), constant = hd_make_imm(&make, 5);
	hd_make_branch(&make, hd_make_less(&make, a, a), 1, 2);
	make.block = 1;
	struct hd_mreg other = hd_make_op(&make, HD_OP_IMAD, a, a, a);
	hd_make_jump(&make, 3);
	make.block = 2;
	hd_make_jump(&make, 3);
	make.block = 3;
	struct hd_mreg value = phi(&make, other, constant);
	hd_make_store(&make, (struct hd_mreg){HD_RZ, 0, 2}, value, 0);
	hd_make_exit(&make);
	leave_and_compare(&make);
	ck_assert_uint_eq(hd_make_count(&make, HD_OP_COPY), 0);
	ck_assert_uint_eq(hd_make_count(&make, HD_OP_MOV), 2);
	hd_make_release(&make);
}
END_TEST

START_TEST(random_functions_keep_their_meaning)
{
	for (uint32_t seed = 1; seed <= 800; seed++) {
		struct hd_make make = {0};
		struct hd_random_options options = hd_random_options(seed);
		hd_arena_init(&make.arena);
		hd_random_mfunc(&make.func, &make.arena, &options);
		leave_and_compare(&make);
		hd_make_release(&make);
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		plain_loop_needs_no_copies,
		swap_goes_through_a_spare_register,
		lost_copy_is_kept,
		words_are_computed_inside_their_pair,
		word_of_two_pairs_is_copied_once,
		constants_are_not_copied,
		random_functions_keep_their_meaning,
		NULL,
	};
	return hd_suite_of("out_of_ssa", tests);
}
