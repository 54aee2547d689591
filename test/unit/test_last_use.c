/* Dead-operand bits of hand-made machine IR: calls and returns keep what callees save. LINK: passes */
#include "harness.h"
#include "heddle/opcodes.h"

#include "mir_make.h"
#include "passes/mir/last_use.h"

static struct hd_mreg at(uint32_t id)
{
	return (struct hd_mreg){id, 0, 1};
}

/* R4 = R16 + R4, a RET or a CALL, and EXIT; the bits of the sum's operands. */
static uint8_t sum_before(bool kernel, unsigned op)
{
	struct hd_make make;
	struct hd_dead dead;
	struct hd_minst sum = hd_minst_make(HD_OP_IADD3, 0);
	hd_make_init(&make, kernel, 1);
	sum.dst = at(4);
	sum.a = at(16);
	sum.b = at(4);
	sum.c = HD_MREG_RZ;
	hd_make_inst(&make, sum);
	hd_make_inst(&make, hd_minst_make(op, 0));
	hd_make_exit(&make);
	hd_vec_push(&make.func.order, 0);
	hd_dead_compute(&make.func, &make.arena, &dead);
	uint8_t bits = dead.bits[dead.start[0]];
	hd_make_release(&make);
	return bits;
}

/* R4 is the caller's to save and written by the sum itself; R16 is the callee's, whose prologue stores it. */
START_TEST(calls_read_what_the_callee_saves)
{
	ck_assert_uint_eq(sum_before(true, HD_OP_CALL), 2);
	ck_assert_uint_eq(sum_before(false, HD_OP_CALL), 2);
}
END_TEST

START_TEST(returns_of_functions_read_it_too)
{
	ck_assert_uint_eq(sum_before(false, HD_OP_RET), 2);
	ck_assert_uint_eq(sum_before(true, HD_OP_RET), 3); /* nobody comes after a kernel */
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("last_use", (const TTest *const[]){
					       calls_read_what_the_callee_saves,
					       returns_of_functions_read_it_too,
					       NULL,
				       });
}
