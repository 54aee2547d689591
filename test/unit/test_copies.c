/* Groups of asynchronous copies of a warp: what waits for which, in PTX's terms of commit_group and wait_group. */
#include "harness.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "runtime/sm/copies.h"
#include "runtime/sm/sm.h"

static struct hd_warp warp;

static bool waits(uint32_t groups)
{
	const struct hd_dinst inst = {.inst = {.op = HD_OP_DEPBAR, .x = groups}};
	return hd_copies_hold(&warp, &inst);
}

static bool may_end_group(void)
{
	const struct hd_dinst inst = {.inst = {.op = HD_OP_LDGDEPBAR}};
	return !hd_copies_hold(&warp, &inst);
}

static void set_up(void)
{
	memset(&warp, 0, sizeof warp);
}

/* Two copies of a group, one of the next, one that belongs to none yet. */
START_TEST(groups_are_done_in_their_order)
{
	uint8_t first = hd_copies_start(&warp);
	ck_assert_uint_eq(hd_copies_start(&warp), first);
	ck_assert(!waits(0)); /* there is no group yet */
	hd_copies_commit(&warp);
	uint8_t second = hd_copies_start(&warp);
	ck_assert_uint_ne(second, first);
	hd_copies_commit(&warp);
	uint8_t third = hd_copies_start(&warp);
	ck_assert_uint_eq(warp.copies.under_way, 4);
	ck_assert(waits(0) && waits(1) && !waits(2));
	hd_copies_done(&warp, second); /* before the first one: both are still to come */
	ck_assert(waits(0) && waits(1) && !waits(2));
	hd_copies_done(&warp, first);
	ck_assert(waits(1));
	hd_copies_done(&warp, first); /* with it the second is done, too */
	ck_assert(!waits(0));
	ck_assert_uint_eq(warp.copies.under_way, 1);
	hd_copies_commit(&warp);
	ck_assert(waits(0) && !waits(1));
	hd_copies_done(&warp, third);
	ck_assert(!waits(0));
	ck_assert_uint_eq(warp.copies.under_way, 0);
}
END_TEST

/* A group without copies, or whose copies are done before it ends, is done at once, but not before those in front. */
START_TEST(a_group_that_has_nothing_is_done)
{
	hd_copies_commit(&warp);
	ck_assert(!waits(0));
	uint8_t early = hd_copies_start(&warp);
	hd_copies_done(&warp, early);
	hd_copies_commit(&warp);
	ck_assert(!waits(0));
	uint8_t late = hd_copies_start(&warp);
	hd_copies_commit(&warp);
	hd_copies_commit(&warp); /* empty, behind one in flight */
	ck_assert(waits(0) && waits(1) && !waits(2));
	hd_copies_done(&warp, late);
	ck_assert(!waits(0));
}
END_TEST

/* So many groups but one may be in flight; numbers run over. Other instructions wait for none. */
START_TEST(a_warp_has_so_many_groups)
{
	const struct hd_dinst other = {.inst = {.op = HD_OP_BAR}};
	uint8_t groups[HD_COPY_GROUPS];
	for (uint32_t round = 0; round < 300; round++) {
		for (uint32_t i = 0; i < HD_COPY_GROUPS - 1; i++) {
			ck_assert(may_end_group());
			groups[i] = hd_copies_start(&warp);
			hd_copies_commit(&warp);
		}
		ck_assert(!may_end_group());
		ck_assert(!hd_copies_hold(&warp, &other));
		ck_assert(waits(HD_COPY_GROUPS - 2) && !waits(HD_COPY_GROUPS - 1));
		hd_copies_done(&warp, groups[0]);
		ck_assert(may_end_group());
		for (uint32_t i = 1; i < HD_COPY_GROUPS - 1; i++)
			hd_copies_done(&warp, groups[i]);
		ck_assert(!waits(0));
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("copies",
			     (const TTest *const[]){
				     groups_are_done_in_their_order,
				     a_group_that_has_nothing_is_done,
				     a_warp_has_so_many_groups,
				     NULL,
			     },
			     set_up, NULL);
}
