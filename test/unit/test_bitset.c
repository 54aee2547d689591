/* The bit set, at sizes on both sides of a word boundary, against an array of bools. */
#include "harness.h"

#include <stdbool.h>

#include "lib/bitset.h"

static const uint32_t sizes[] = {0, 1, 63, 64, 65, 128, 200, 255, 1000};
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

/* The multiples of `step` below `bits`. */
static struct hd_bitset multiples(uint32_t bits, uint32_t step)
{
	struct hd_bitset set = hd_bitset_new(&arena, bits);
	for (uint32_t i = 0; i < bits; i += step)
		hd_bitset_add(&set, i);
	return set;
}

START_TEST(starts_empty)
{
	struct hd_bitset set = hd_bitset_new(&arena, sizes[_i]);
	ck_assert_uint_eq(hd_bitset_count(&set), 0);
	ck_assert_uint_eq(hd_bitset_next(&set, 0), sizes[_i]);
}
END_TEST

START_TEST(members_come_in_order)
{
	uint32_t bits = sizes[_i];
	struct hd_bitset set = multiples(bits, 7);
	uint32_t expected = 0;
	HD_BITSET_FOREACH (&set, id) {
		ck_assert_uint_eq(id, expected);
		expected += 7;
	}
	ck_assert_uint_ge(expected, bits);
	ck_assert_uint_eq(hd_bitset_count(&set), (bits + 6) / 7);
}
END_TEST

START_TEST(add_and_remove_change_one_member)
{
	uint32_t bits = sizes[_i];
	for (uint32_t id = 0; id < bits; id++) {
		struct hd_bitset set = multiples(bits, 1);
		hd_bitset_remove(&set, id);
		ck_assert(!hd_bitset_has(&set, id));
		ck_assert_uint_eq(hd_bitset_count(&set), bits - 1);
		hd_bitset_add(&set, id);
		ck_assert(hd_bitset_has(&set, id));
		ck_assert_uint_eq(hd_bitset_count(&set), bits);
	}
}
END_TEST

START_TEST(a_copy_has_the_members_and_is_apart)
{
	uint32_t bits = sizes[_i];
	struct hd_bitset from = multiples(bits, 3), to = multiples(bits, 2);
	hd_bitset_copy(&to, &from);
	for (uint32_t id = 0; id < bits; id++)
		ck_assert(hd_bitset_has(&to, id) == (id % 3 == 0));
	hd_bitset_clear(&from);
	ck_assert_uint_eq(hd_bitset_count(&from), 0);
	ck_assert_uint_eq(hd_bitset_count(&to), (bits + 2) / 3);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("bitset");
	TCase *sized = tcase_create("sized");
	tcase_add_checked_fixture(sized, set_up, tear_down);
	tcase_add_loop_test(sized, starts_empty, 0, SIZES);
	tcase_add_loop_test(sized, members_come_in_order, 0, SIZES);
	tcase_add_loop_test(sized, add_and_remove_change_one_member, 0, SIZES);
	tcase_add_loop_test(sized, a_copy_has_the_members_and_is_apart, 0, SIZES);
	suite_add_tcase(suite, sized);
	return suite;
}
