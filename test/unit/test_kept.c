/* What --check=race keeps of a word's accesses: in order of block and warp, lanes of one instruction as one, none
 * forgotten while there is room. And what --check=init forgets of values. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/check/state.h"

static struct hd_word_check word;
static struct hd_kept_room room;

static void set_up(void)
{
	word = (struct hd_word_check){0};
	room = (struct hd_kept_room){.most = 1000};
}

static void tear_down(void)
{
	hd_kept_release(&word, &room);
	ck_assert_uint_eq(room.used, 0);
	ck_assert_uint_eq(word.reads.len, 0);
}

static void add(uint32_t block, uint32_t warp, uint32_t lane, uint32_t pc)
{
	struct hd_kept_access access = {
		.block = block, .warp = (uint8_t)warp, .lanes = 1u << lane, .pc = pc, .bytes = 15};
	hd_kept_add(&word.reads, &access, &room);
}

START_TEST(every_warp_is_kept_in_its_place)
{
	for (uint32_t i = 0; i < 40; i++) /* 7 and 40 have no common divisor: each block and warp once */
		add(i * 7 % 40 / 4, i * 7 % 4, 3, 100);
	ck_assert_uint_eq(word.reads.len, 40);
	for (uint32_t i = 0; i < 40; i++) {
		const struct hd_kept_access *kept = &hd_kept_data(&word.reads)[i];
		ck_assert_uint_eq(kept->block * 4 + kept->warp, i);
	}
	uint32_t from, to;
	add(6, 2, 3, 101);
	hd_kept_of_warp(&word.reads, 6, 2, &from, &to);
	ck_assert_uint_eq(from, 26);
	ck_assert_uint_eq(to, 28);
	hd_kept_of_warp(&word.reads, 10, 0, &from, &to);
	ck_assert_uint_eq(from, to);
	ck_assert_uint_eq(room.dropped, 0);
}
END_TEST

START_TEST(lanes_of_one_instruction_are_one)
{
	add(2, 1, 0, 100);
	add(2, 1, 5, 100);
	add(2, 1, 5, 101);
	add(2, 2, 6, 100);
	ck_assert_uint_eq(word.reads.len, 3);
	uint32_t together = 0;
	for (uint32_t i = 0; i < 3; i++)
		if (hd_kept_data(&word.reads)[i].pc == 100 && hd_kept_data(&word.reads)[i].warp == 1)
			together = hd_kept_data(&word.reads)[i].lanes;
	ck_assert_uint_eq(together, 1 | 1 << 5);
}
END_TEST

START_TEST(what_lost_its_lanes_leaves)
{
	for (uint32_t block = 0; block < 6; block++)
		add(block, 0, 1, 100);
	struct hd_kept_access *data = hd_kept_data(&word.reads);
	data[1].lanes = data[2].lanes = data[5].lanes = 0;
	hd_kept_tidy(&word.reads, 1, 4);
	ck_assert_uint_eq(word.reads.len, 4);
	ck_assert_uint_eq(data[0].block, 0);
	ck_assert_uint_eq(data[1].block, 3);
	ck_assert_uint_eq(data[2].block, 4);
	ck_assert_uint_eq(data[3].block, 5); /* outside of what was looked at */
}
END_TEST

START_TEST(what_finds_no_room_is_counted)
{
	room.most = 4;
	for (uint32_t block = 0; block < 10; block++)
		add(block, 0, 1, 100);
	ck_assert_uint_eq(word.reads.len, 4);
	ck_assert_uint_eq(room.used, 4);
	ck_assert_uint_eq(room.dropped, 6);
	add(3, 0, 9, 100); /* one that is there takes more lanes */
	ck_assert_uint_eq(room.dropped, 6);
}
END_TEST

/* ---- --check=init's values: what a warp's instruction makes anew is known, in its lanes alone */

START_TEST(a_result_is_known)
{
	static struct hd_values values;
	hd_values_begin(&values, 16);
	for (uint32_t reg = 0; reg < 12; reg++)
		values.regs[reg].lanes = HD_FULL;
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		values.preds[pred] = HD_FULL;
	struct hd_dinst inst = {.inst = hd_inst_new(HD_OP_ISETP)};
	inst.writes.bits[0] = 1 << 9; /* R9 and P2 */
	inst.writes.bits[4] = 1 << 2;
	hd_values_known(&values, &inst, 0xffff);
	for (uint32_t reg = 0; reg < 12; reg++)
		ck_assert_uint_eq(values.regs[reg].lanes, reg == 9 ? 0xffff0000 : HD_FULL);
	for (uint32_t pred = 0; pred < HD_PT; pred++)
		ck_assert_uint_eq(values.preds[pred], pred == 2 ? 0xffff0000 : HD_FULL);
	values.any = true;
	hd_values_begin(&values, 16); /* another warp's */
	ck_assert_uint_eq(values.regs[3].lanes | values.preds[3], 0);
	ck_assert_uint_eq(values.frame[31], 16);
	hd_values_release(&values);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {every_warp_is_kept_in_its_place,
				      lanes_of_one_instruction_are_one,
				      what_lost_its_lanes_leaves,
				      what_finds_no_room_is_counted,
				      a_result_is_known,
				      NULL};
	return hd_suite_with("kept", tests, set_up, tear_down);
}
