/* The typed vector. */
#include "harness.h"

#include "lib/vec.h"

struct edge {
	uint32_t from, to;
};

START_TEST(zero_initialised_is_empty)
{
	HD_VEC(int) numbers = {0};
	ck_assert_uint_eq(numbers.len, 0);
	hd_vec_release(&numbers);
	ck_assert_ptr_null(numbers.data);
}
END_TEST

START_TEST(push_keeps_order_through_growth)
{
	HD_VEC(uint32_t) numbers = {0};
	for (uint32_t i = 0; i < 1000; i++) {
		hd_vec_push(&numbers, i * i);
		ck_assert_uint_eq(hd_vec_last(&numbers), i * i);
	}
	ck_assert_uint_eq(numbers.len, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(numbers.data[i], i * i);
	hd_vec_release(&numbers);
}
END_TEST

START_TEST(elements_may_be_structs)
{
	HD_VEC(struct edge) edges = {0};
	hd_vec_push(&edges, (struct edge){.from = 1, .to = 2});
	hd_vec_push(&edges, (struct edge){.from = 3, .to = 4});
	struct edge last = hd_vec_pop(&edges);
	ck_assert_uint_eq(last.from, 3);
	ck_assert_uint_eq(last.to, 4);
	ck_assert_uint_eq(edges.len, 1);
	hd_vec_release(&edges);
}
END_TEST

/* Expected: 0 1 2 3 4 after insertions in front, in the middle and at the end, through growth at eight. */
START_TEST(insert_and_remove_keep_the_order_of_the_others)
{
	HD_VEC(uint32_t) numbers = {0};
	hd_vec_insert(&numbers, 0, 2);
	hd_vec_insert(&numbers, 0, 0);
	hd_vec_insert(&numbers, 1, 1);
	for (uint32_t i = 3; i < 10; i++)
		hd_vec_insert(&numbers, numbers.len, i);
	ck_assert_uint_eq(numbers.len, 10);
	for (uint32_t i = 0; i < 10; i++)
		ck_assert_uint_eq(numbers.data[i], i);
	hd_vec_remove(&numbers, 0);
	hd_vec_remove(&numbers, numbers.len - 1);
	hd_vec_remove_some(&numbers, 1, 3); /* of 1 to 8: 2, 3, 4 */
	hd_vec_remove_some(&numbers, 2, 0);
	ck_assert_uint_eq(numbers.len, 5);
	ck_assert_uint_eq(numbers.data[0], 1);
	for (uint32_t i = 1; i < 5; i++)
		ck_assert_uint_eq(numbers.data[i], i + 4);
	hd_vec_release(&numbers);
}
END_TEST

START_TEST(what_an_arena_holds_stays)
{
	struct hd_arena arena;
	HD_VEC(struct edge) edges = {0};
	const struct edge *first = NULL;
	hd_arena_init(&arena);
	for (uint32_t i = 0; i < 1000; i++) {
		hd_vec_push_in(&edges, &arena, (struct edge){.from = i, .to = i + 1});
		first = first ? first : edges.data;
	}
	ck_assert_uint_eq(edges.len, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(edges.data[i].to, i + 1);
	ck_assert_ptr_ne(first, edges.data);
	ck_assert_uint_eq(first->to, 1); /* who looked before it grew may still do so */
	hd_arena_release(&arena);
}
END_TEST

START_TEST(clear_keeps_room)
{
	HD_VEC(int) numbers = {0};
	hd_vec_reserve(&numbers, 100);
	int *data = numbers.data;
	uint32_t room = numbers.cap;
	ck_assert_uint_ge(room, 100);
	hd_vec_push(&numbers, 1);
	hd_vec_clear(&numbers);
	ck_assert_uint_eq(numbers.len, 0);
	hd_vec_reserve(&numbers, room);
	ck_assert_ptr_eq(numbers.data, data);
	hd_vec_release(&numbers);
}
END_TEST

START_TEST(capacity_at_least_doubles)
{
	ck_assert_uint_eq(hd_vec_next_capacity(0, 1), 8);
	ck_assert_uint_eq(hd_vec_next_capacity(8, 9), 16);
	ck_assert_uint_eq(hd_vec_next_capacity(8, 100), 100);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("vec", (const TTest *const[]){
					  zero_initialised_is_empty,
					  push_keeps_order_through_growth,
					  elements_may_be_structs,
					  insert_and_remove_keep_the_order_of_the_others,
					  what_an_arena_holds_stays,
					  clear_keeps_room,
					  capacity_at_least_doubles,
					  NULL,
				  });
}
