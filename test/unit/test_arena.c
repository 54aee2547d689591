/* The arena: alignment, zeroed memory, growth, statistics. */
#include "harness.h"

#include <stdint.h>
#include <string.h>

#include "lib/arena.h"

START_TEST(allocations_are_aligned_zeroed_and_apart)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	unsigned char *previous = NULL;
	for (size_t bytes = 0; bytes < 300; bytes++) {
		unsigned char *memory = hd_arena_alloc(&arena, bytes);
		ck_assert_ptr_nonnull(memory);
		ck_assert_ptr_ne(memory, previous);
		ck_assert_uint_eq((uintptr_t)memory % 16, 0);
		for (size_t i = 0; i < bytes; i++)
			ck_assert_uint_eq(memory[i], 0);
		memset(memory, 0xff, bytes);
		previous = memory;
	}
	hd_arena_release(&arena);
}
END_TEST

START_TEST(contents_survive_growth)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	enum { COUNT = 5000 };
	static uint32_t *numbers[COUNT];
	for (uint32_t i = 0; i < COUNT; i++) {
		numbers[i] = HD_ARENA_NEW(&arena, uint32_t, 1 + i % 100);
		numbers[i][i % 100] = i;
	}
	for (uint32_t i = 0; i < COUNT; i++)
		ck_assert_uint_eq(numbers[i][i % 100], i);
	hd_arena_release(&arena);
}
END_TEST

/* Of a sparse chunk, of the next one, and of one that is larger than such chunks; beside ordinary ones. */
START_TEST(sparse_tables_are_zeroed_and_apart)
{
	enum { PIECES = 30, BYTES = 100001, LARGE = 3 << 20 };
	struct hd_arena arena;
	unsigned char *pieces[PIECES];
	hd_arena_init(&arena);
	for (uint32_t i = 0; i < PIECES; i++) {
		size_t bytes = i == PIECES / 2 ? LARGE : BYTES;
		pieces[i] = i % 3 ? hd_arena_alloc_sparse(&arena, bytes) : hd_arena_alloc(&arena, bytes);
		ck_assert_uint_eq((uintptr_t)pieces[i] % 16, 0);
		for (size_t at = 0; at < bytes; at++)
			if (pieces[i][at])
				ck_abort_msg("byte %zu of piece %u", at, i);
		memset(pieces[i], (int)i + 1, bytes);
	}
	for (uint32_t i = 0; i < PIECES; i++)
		ck_assert_uint_eq(pieces[i][0] + pieces[i][BYTES - 1], 2 * (i + 1));
	ck_assert_uint_eq(arena.used, (size_t)(PIECES - 1) * BYTES + LARGE);
	hd_arena_release(&arena);
	ck_assert_ptr_null(arena.sparse);
}
END_TEST

/* Pieces of chunks that are whole huge pages, up to the last byte of each, and one that is larger than such a page. */
START_TEST(large_chunks_are_zeroed_and_whole)
{
	enum { PIECES = 20, BYTES = 1 << 20, LARGE = 5 << 20 };
	struct hd_arena arena;
	unsigned char *pieces[PIECES];
	hd_arena_init(&arena);
	for (uint32_t i = 0; i < PIECES; i++) {
		pieces[i] = hd_arena_alloc(&arena, BYTES);
		ck_assert_uint_eq(pieces[i][0] | pieces[i][BYTES - 1], 0);
		memset(pieces[i], (int)i + 1, BYTES);
	}
	unsigned char *large = hd_arena_alloc(&arena, LARGE);
	ck_assert_uint_eq(large[0] | large[LARGE - 1], 0);
	memset(large, 0xff, LARGE);
	for (uint32_t i = 0; i < PIECES; i++)
		ck_assert_uint_eq(pieces[i][0] + pieces[i][BYTES - 1], 2 * (i + 1));
	hd_arena_release(&arena);
}
END_TEST

START_TEST(a_large_allocation_does_not_waste_the_open_chunk)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	char *before = hd_arena_alloc(&arena, 16);
	char *large = hd_arena_alloc(&arena, 3 << 20);
	large[(3 << 20) - 1] = 1;
	char *after = hd_arena_alloc(&arena, 16);
	ck_assert(after > before && after - before < 256);
	hd_arena_release(&arena);
}
END_TEST

START_TEST(used_counts_bytes_asked_for)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	hd_arena_alloc(&arena, 3);
	hd_arena_alloc(&arena, 100);
	ck_assert_uint_eq(arena.used, 103);
	hd_arena_release(&arena);
	ck_assert_uint_eq(arena.used, 0);
	ck_assert_ptr_null(arena.head);
}
END_TEST

START_TEST(strings_are_copied_and_formatted)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	char original[] = "warp";
	char *copy = hd_arena_strdup(&arena, original);
	original[0] = 'h';
	ck_assert_str_eq(copy, "warp");
	ck_assert_str_eq(hd_arena_printf(&arena, "c[%d][0x%x]", 0, 0x160), "c[0][0x160]");
	ck_assert_str_eq(hd_arena_printf(&arena, "%s", ""), "");
	ck_assert_uint_eq(strlen(hd_arena_printf(&arena, "%9000d", 1)), 9000);
	hd_arena_release(&arena);
}
END_TEST

START_TEST(an_impossible_size_aborts)
{
	struct hd_arena arena;
	hd_arena_init(&arena);
	hd_arena_alloc(&arena, SIZE_MAX - 8);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = hd_suite_of("arena", (const TTest *const[]){
						    allocations_are_aligned_zeroed_and_apart,
						    contents_survive_growth,
						    large_chunks_are_zeroed_and_whole,
						    sparse_tables_are_zeroed_and_apart,
						    a_large_allocation_does_not_waste_the_open_chunk,
						    used_counts_bytes_asked_for,
						    strings_are_copied_and_formatted,
						    NULL,
					    });
	TCase *aborting = tcase_create("an_impossible_size_aborts");
	tcase_add_test_raise_signal(aborting, an_impossible_size_aborts, 6 /* SIGABRT */);
	suite_add_tcase(suite, aborting);
	return suite;
}
