/* Translation: reach of the levels, what misses of each take, and who waits for whom. */
#include "harness.h"

#include <string.h>

#include "heddle/config.h"
#include "lib/arena.h"
#include "runtime/memory/tlb.h"

static struct hd_arena arena;
static struct hd_config config;
static struct hd_counters counters;
static struct hd_tlb tlb;

enum { NEAR = 100, FAR = 400, PAGE = 4096, LARGE = 65536 };

static void build(uint32_t near, uint32_t far)
{
	hd_config_defaults(&config);
	memset(&counters, 0, sizeof(counters));
	config.tlb_entries = near;
	config.tlb2_entries = far;
	config.tlb_page = PAGE;
	config.tlb2_page = LARGE;
	config.tlb_miss = NEAR;
	config.tlb2_miss = FAR;
	hd_tlb_init(&tlb, &config, &arena);
}

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static uint64_t wait_of(uint64_t address, uint64_t now)
{
	return hd_tlb_ready(&tlb, address, now, &counters) - now;
}

START_TEST(pages_miss_once_in_each_level)
{
	build(2, 2);
	ck_assert_uint_eq(wait_of(0, 0), NEAR + FAR);
	ck_assert_uint_eq(wait_of(PAGE - 1, 30), NEAR + FAR - 30); /* in flight */
	ck_assert_uint_eq(wait_of(8, 1000), 0);
	ck_assert_uint_eq(wait_of(PAGE, 1000), NEAR); /* of the same large page */
	ck_assert_uint_eq(wait_of(LARGE, 2000), NEAR + FAR);
	ck_assert_uint_eq(counters.tlb_misses, 3);
	ck_assert_uint_eq(counters.tlb2_misses, 2);
}
END_TEST

START_TEST(the_least_recently_used_page_goes)
{
	build(2, 0);
	wait_of(0, 0);
	wait_of(PAGE, 0);
	ck_assert_uint_eq(wait_of(0, 1000), 0);
	ck_assert_uint_eq(wait_of(2 * PAGE, 1000), NEAR); /* in place of page 1 */
	ck_assert_uint_eq(wait_of(0, 2000), 0);
	ck_assert_uint_eq(wait_of(PAGE, 2000), NEAR);
	ck_assert_uint_eq(counters.tlb2_misses, 0);
}
END_TEST

START_TEST(without_entries_all_is_known)
{
	build(0, 2);
	ck_assert_uint_eq(wait_of(77 * LARGE, 5), 0);
	ck_assert_uint_eq(counters.tlb_misses, 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("tlb");
	TCase *cases = tcase_create("tlb");
	tcase_add_checked_fixture(cases, set_up, tear_down);
	tcase_add_test(cases, pages_miss_once_in_each_level);
	tcase_add_test(cases, the_least_recently_used_page_goes);
	tcase_add_test(cases, without_entries_all_is_known);
	suite_add_tcase(suite, cases);
	return suite;
}
