/*
 * LINK: passes
 * Which operands the compiler has kept in the reuse cache: blocks written by hand, and the bits on paper.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "passes/emit/reuse_bits.h"

enum { A = 1, B = 2, C = 4 };

static struct hd_inst three(uint8_t dst, uint8_t a, uint8_t b, uint8_t c)
{
	struct hd_inst inst = hd_inst_new(HD_OP_FFMA);
	inst.dst = dst;
	inst.a = a;
	inst.b = b;
	inst.c = c;
	return inst;
}

static struct hd_inst pair(uint8_t dst, uint8_t a, uint8_t b)
{
	struct hd_inst inst = hd_inst_new(HD_OP_DADD);
	inst.dst = dst;
	inst.a = a;
	inst.b = b;
	return inst;
}

static void expect_bits(const struct hd_inst *insts, uint32_t count, const uint8_t *bits)
{
	struct hd_inst copy[8];
	ck_assert_uint_le(count, 8);
	for (uint32_t i = 0; i < count; i++) {
		copy[i] = insts[i];
		copy[i].reuse = 7; /* what was there is of no account */
	}
	hd_set_reuse(copy, count);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_msg(copy[i].reuse == bits[i], "%u: %u, not %u", i, copy[i].reuse, bits[i]);
		ck_assert_ptr_null(hd_inst_check(&copy[i]));
	}
}

START_TEST(the_next_read_of_the_slot_decides)
{
	/* R4 in slot a again; R6 in another slot; R9 behind a read of the other bank; the last keeps nothing. */
	const struct hd_inst same[] = {three(20, 4, 6, 9), three(21, 4, 8, 6), three(22, 4, 8, 9)};
	expect_bits(same, 3, (const uint8_t[]){A | C, A | B, 0});
	/* Another register of the bank in between. */
	const struct hd_inst other[] = {three(20, 4, 7, 9), three(21, 6, 7, 9), three(22, 4, 7, 9)};
	expect_bits(other, 3, (const uint8_t[]){B | C, B | C, 0});
}
END_TEST

START_TEST(what_is_written_is_not_kept)
{
	const struct hd_inst own[] = {three(4, 4, 6, 9), three(20, 4, 6, 9)};
	expect_bits(own, 2, (const uint8_t[]){B | C, 0});
	const struct hd_inst between[] = {three(20, 4, 6, 9), three(6, 10, 12, 14), three(21, 10, 6, 9)};
	/* The read of R12 comes before R6 is written; R14 is of the other bank than R9. */
	expect_bits(between, 3, (const uint8_t[]){C, A, 0});
	struct hd_inst load = hd_inst_new(HD_OP_LDS);
	load.dst = 9;
	load.a = 6;
	load.xkind = HD_X_OTHER;
	const struct hd_inst loaded[] = {three(20, 4, 6, 9), load, three(21, 4, 6, 9)};
	expect_bits(loaded, 3, (const uint8_t[]){A | B, 0, 0});
}
END_TEST

START_TEST(pairs_are_in_both_banks)
{
	const struct hd_inst pairs[] = {pair(20, 4, 6), pair(22, 4, 8), three(24, 5, 8, 9)};
	expect_bits(pairs, 3, (const uint8_t[]){A, A | B, 0});
	struct hd_inst immediate = pair(20, 4, HD_RZ);
	immediate.xkind = HD_X_IMM_B;
	const struct hd_inst constants[] = {immediate, immediate};
	expect_bits(constants, 2, (const uint8_t[]){A, 0});
}
END_TEST

START_TEST(nothing_is_kept_through_calls_and_barriers)
{
	static const enum hd_op ends[] = {HD_OP_CALL, HD_OP_BAR, HD_OP_BRA, HD_OP_EXIT},
				passes[] = {HD_OP_NOP, HD_OP_MEMBAR};
	for (uint32_t i = 0; i < 4; i++) {
		const struct hd_inst insts[] = {three(20, 4, 6, 9), hd_inst_new(ends[i]), three(21, 4, 6, 9)};
		struct hd_inst copy[3];
		memcpy(copy, insts, sizeof copy);
		hd_set_reuse(copy, 3);
		ck_assert_uint_eq(copy[0].reuse, 0);
	}
	for (uint32_t i = 0; i < 2; i++) {
		const struct hd_inst insts[] = {three(20, 4, 6, 9), hd_inst_new(passes[i]), three(21, 4, 6, 9)};
		expect_bits(insts, 3, (const uint8_t[]){A | B | C, 0, 0});
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("reuse_bits", (const TTest *const[]){
						 the_next_read_of_the_slot_decides,
						 what_is_written_is_not_kept,
						 pairs_are_in_both_banks,
						 nothing_is_kept_through_calls_and_barriers,
						 NULL,
					 });
}
