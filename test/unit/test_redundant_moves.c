/* Redundant moves of hand-made machine IR: what stands between two equal ones. LINK: passes */
#include "harness.h"
#include "heddle/opcodes.h"

#include "mir_make.h"

/* R4 = 7, an instruction, R4 = 7: how many moves are left. */
static uint32_t moves_around(unsigned op)
{
	struct hd_make make;
	struct hd_minst move = hd_minst_make(HD_OP_MOV, 0);
	hd_make_init(&make, true, 1);
	move.dst = (struct hd_mreg){4, 0, 1};
	move.xkind = HD_X_IMM_B;
	move.x = 7;
	hd_make_inst(&make, move);
	hd_make_inst(&make, hd_minst_make(op, 0));
	hd_make_inst(&make, move);
	hd_make_exit(&make);
	ck_assert_int_eq(hd_redundant_moves_run(&make.func, &make.diag), 0);
	uint32_t left = hd_make_count(&make, HD_OP_MOV);
	hd_make_release(&make);
	return left;
}

START_TEST(nothing_is_known_behind_calls_and_resizes)
{
	ck_assert_uint_eq(moves_around(HD_OP_NOP), 1);
	ck_assert_uint_eq(moves_around(HD_OP_CALL), 2);
	ck_assert_uint_eq(moves_around(HD_OP_USETMAXREG), 2);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("redundant_moves", (const TTest *const[]){nothing_is_known_behind_calls_and_resizes, NULL});
}
