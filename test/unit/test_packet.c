/* What packets wait in: masks of sectors, entries of pools, lists of packets in one pool. */
#include "harness.h"

#include "runtime/memory/pool.h"

START_TEST(sectors_are_counted)
{
	for (uint32_t mask = 0; mask < 256; mask++) {
		uint32_t bits = 0;
		for (uint32_t bit = 0; bit < 8; bit++)
			bits += mask >> bit & 1;
		ck_assert_uint_eq(hd_sector_count((uint8_t)mask), bits);
	}
}
END_TEST

/* Those given back come first, the last one before the others; each is out once. */
START_TEST(a_pool_gives_what_came_back_before_what_is_new)
{
	struct entry {
		uint32_t next;
	} entries[4];
	struct hd_pool pool;
	hd_pool_init(&pool, 4);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(HD_POOL_TAKE(&pool, entries), i);
	HD_POOL_GIVE(&pool, entries, 0);
	HD_POOL_GIVE(&pool, entries, 2);
	ck_assert_uint_eq(HD_POOL_TAKE(&pool, entries), 2);
	ck_assert_uint_eq(HD_POOL_TAKE(&pool, entries), 0);
	ck_assert(!hd_pool_is_empty(&pool));
	ck_assert_uint_eq(HD_POOL_TAKE(&pool, entries), 3);
	ck_assert(hd_pool_is_empty(&pool));
	HD_POOL_GIVE(&pool, entries, 1);
	ck_assert(!hd_pool_is_empty(&pool));
}
END_TEST

/* Two lists of one pool keep their orders; the pool has room for as many as it was made for, again and again. */
START_TEST(lists_of_a_pool_keep_their_order)
{
	struct hd_arena arena;
	struct hd_packet_pool pool;
	struct hd_packet_list lists[2] = {{0, 0}, {0, 0}};
	uint32_t pushed[2] = {0, 0}, popped[2] = {0, 0};
	hd_arena_init(&arena);
	hd_packet_pool_init(&pool, 5, &arena);
	for (uint32_t round = 0; round < 40; round++) {
		for (uint32_t i = 0; i < 5; i++) {
			uint32_t to = (round + i) % 3 == 0;
			struct hd_packet packet = {.tag = pushed[to]++};
			hd_packet_list_push(&lists[to], &pool, &packet);
		}
		for (uint32_t i = 0; i < 5; i++) {
			uint32_t from = lists[i & 1].first ? i & 1 : !(i & 1);
			ck_assert_uint_eq(pool.packets[lists[from].first].tag, popped[from]++);
			hd_packet_list_pop(&lists[from], &pool);
		}
		ck_assert(!lists[0].first && !lists[1].first);
	}
	hd_arena_release(&arena);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("packet", (const TTest *const[]){
					     sectors_are_counted,
					     a_pool_gives_what_came_back_before_what_is_new,
					     lists_of_a_pool_keep_their_order,
					     NULL,
				     });
}
