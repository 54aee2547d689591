/* The pointer map and the hash set against plain arrays: growth, collisions, clearing, on the heap and in an arena. */
#include "harness.h"

#include "lib/hash.h"
#include "lib/map.h"
#include "lib/vec.h"

enum { MANY = 5000 };

static struct hd_arena arena;
static char keys[MANY];

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

/* Loops: on the heap, in the arena. */
static struct hd_arena *place(int loop)
{
	return loop ? &arena : NULL;
}

/* ---- the map */

START_TEST(map_finds_what_was_put)
{
	struct hd_map map = {.arena = place(_i)};
	ck_assert_ptr_null(hd_map_get(&map, &keys[0]));
	for (uint32_t i = 0; i < MANY; i += 2) {
		hd_map_put(&map, &keys[i], i, i + 1);
		ck_assert_uint_le(2 * map.used, map.capacity); /* or look-ups would be long */
		ck_assert(map.capacity == 64 || 4 * map.used > map.capacity);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		const struct hd_map_entry *entry = hd_map_get(&map, &keys[i]);
		ck_assert_int_eq(entry != NULL, i % 2 == 0);
		ck_assert(!entry || (entry->key == &keys[i] && entry->start == i && entry->count == i + 1));
	}
	ck_assert_uint_eq(map.used, MANY / 2);
	hd_map_release(&map);
	ck_assert_ptr_null(hd_map_get(&map, &keys[0]));
}
END_TEST

START_TEST(map_changes_what_stands_there)
{
	struct hd_map map = {.arena = place(_i)};
	for (uint32_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 100; i++)
			hd_map_put(&map, &keys[i], i + round, round);
	ck_assert_uint_eq(map.used, 100);
	ck_assert_uint_eq(hd_map_get(&map, &keys[7])->start, 9);
	ck_assert_uint_eq(hd_map_get(&map, &keys[7])->count, 2);
	hd_map_release(&map);
}
END_TEST

/* Every third key goes, and half of these come back: the others stay where they can be found. */
START_TEST(map_forgets_what_was_removed)
{
	struct hd_map map = {.arena = place(_i)};
	hd_map_remove(&map, &keys[0]);
	for (uint32_t i = 0; i < MANY; i++)
		hd_map_put(&map, &keys[i], i, 0);
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < MANY; i += 3)
			hd_map_remove(&map, &keys[i]);
	for (uint32_t i = 0; i < MANY; i += 6)
		hd_map_put(&map, &keys[i], i + 1, 0);
	for (uint32_t i = 0; i < MANY; i++) {
		const struct hd_map_entry *entry = hd_map_get(&map, &keys[i]);
		ck_assert_int_eq(entry != NULL, i % 3 != 0 || i % 6 == 0);
		ck_assert(!entry || entry->start == i + (i % 6 == 0));
	}
	ck_assert_uint_eq(map.used, MANY - (MANY + 2) / 3 + (MANY + 5) / 6);
	hd_map_release(&map);
}
END_TEST

START_TEST(map_is_cleared)
{
	static const uint32_t counts[] = {1, 100, MANY}; /* below and above what keeps its room */
	struct hd_map map = {.arena = place(_i)};
	hd_map_clear(&map);
	for (unsigned c = 0; c < 3; c++) {
		for (uint32_t i = 0; i < counts[c]; i++)
			hd_map_put(&map, &keys[i], i, 0);
		hd_map_clear(&map);
		ck_assert_uint_eq(map.used, 0);
		ck_assert_ptr_eq(map.arena, place(_i));
		for (uint32_t i = 0; i < counts[c]; i++)
			ck_assert_ptr_null(hd_map_get(&map, &keys[i]));
	}
	hd_map_release(&map);
}
END_TEST

/* A table of up to 1024 entries is kept; a larger one would have to be wiped for every small use after it. */
START_TEST(cleared_maps_keep_little_room)
{
	static const uint32_t counts[] = {1, 32, 33, 512, 513}, capacities[] = {64, 64, 128, 1024, 2048};
	for (unsigned c = 0; c < 5; c++) {
		struct hd_map map = {.arena = place(_i)};
		hd_map_reserve(&map, counts[c]);
		ck_assert_uint_eq(map.capacity, capacities[c]);
		hd_map_clear(&map);
		ck_assert_uint_eq(map.capacity, capacities[c] > 1024 ? 0 : capacities[c]);
		hd_map_release(&map);
	}
}
END_TEST

START_TEST(map_with_room_does_not_move)
{
	struct hd_map map = {.arena = place(_i)};
	hd_map_put(&map, &keys[0], 1, 2);
	hd_map_reserve(&map, MANY);
	const struct hd_map_entry *entries = map.entries;
	ck_assert_uint_eq(hd_map_get(&map, &keys[0])->start, 1);
	for (uint32_t i = 1; i < MANY; i++)
		hd_map_put(&map, &keys[i], i, 0);
	ck_assert_ptr_eq(map.entries, entries);
	hd_map_reserve(&map, 1);
	ck_assert_ptr_eq(map.entries, entries);
	hd_map_release(&map);
}
END_TEST

/* ---- the set: numbers by a hash that may be bad */

struct numbers {
	HD_VEC(uint64_t) list;
	struct hd_hash_set ids;
	unsigned bits; /* of the hash that differ */
};

static uint64_t hash_of(const struct numbers *numbers, uint64_t number)
{
	return numbers->bits ? hd_hash_mix(0, number) & UINT64_MAX << (64 - numbers->bits) : 0;
}

static uint32_t intern(struct numbers *numbers, uint64_t number)
{
	uint64_t hash = hash_of(numbers, number);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &numbers->ids, hash, numbers->list.data[slot->id] == number);
	if (hd_hash_found(slot))
		return slot->id;
	hd_hash_set_put(&numbers->ids, slot, hash, numbers->list.len);
	hd_vec_push(&numbers->list, number);
	return numbers->list.len - 1;
}

/* A hash of 0, of few bits (many members have the same), and whole ones; on the heap and in the arena. */
START_TEST(set_finds_its_members_whatever_the_hash)
{
	static const unsigned bits[] = {0, 3, 8, 64};
	struct numbers numbers = {.bits = bits[_i / 2], .ids = {.arena = place(_i % 2)}};
	uint32_t count = numbers.bits < 8 ? 500 : MANY;
	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < count; i++)
			ck_assert_uint_eq(intern(&numbers, i * UINT64_C(0x100000001)), i);
	ck_assert_uint_eq(numbers.list.len, count);
	ck_assert_uint_eq(numbers.ids.used, count);
	ck_assert_uint_le(2 * count, numbers.ids.size);
	ck_assert_uint_eq(intern(&numbers, 2), count);
	hd_vec_release(&numbers.list);
	hd_hash_set_release(&numbers.ids);
	ck_assert_uint_eq(numbers.ids.used, 0);
}
END_TEST

START_TEST(set_with_room_does_not_move)
{
	struct numbers numbers = {.bits = 64, .ids = {.arena = place(_i)}};
	hd_hash_set_reserve(&numbers.ids, MANY);
	const struct hd_hash_slot *slots = numbers.ids.slots;
	for (uint32_t i = 0; i < MANY; i++)
		intern(&numbers, i);
	ck_assert_ptr_eq(numbers.ids.slots, slots);
	hd_vec_release(&numbers.list);
	hd_hash_set_release(&numbers.ids);
}
END_TEST

/* A member's id may be changed in place: the latest of several. */
START_TEST(slots_can_be_given_another_id)
{
	struct hd_hash_set set = {0};
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &set, 5, true);
	ck_assert(!hd_hash_found(slot));
	hd_hash_set_put(&set, slot, 5, 1);
	HD_HASH_FIND(slot, &set, 5, true);
	slot->id = 2;
	HD_HASH_FIND(slot, &set, 5, slot->id == 2);
	ck_assert(hd_hash_found(slot));
	HD_HASH_FIND(slot, &set, 5, slot->id == 1);
	ck_assert(!hd_hash_found(slot));
	hd_hash_set_release(&set);
}
END_TEST

/* ---- texts: names that others have written down must stay the same */

START_TEST(texts_have_the_published_hashes)
{
	ck_assert_uint_eq(hd_hash_text(HD_HASH_TEXT, ""), UINT64_C(0xcbf29ce484222325));
	ck_assert_uint_eq(hd_hash_text(HD_HASH_TEXT, "a"), UINT64_C(0xaf63dc4c8601ec8c));
	ck_assert_uint_eq(hd_hash_text(HD_HASH_TEXT, "foobar"), UINT64_C(0x85944171f73967e8));
	ck_assert_uint_eq(hd_hash_bytes(HD_HASH_TEXT, "foobars", 6), UINT64_C(0x85944171f73967e8));
	ck_assert_uint_eq(hd_hash_byte(hd_hash_text(HD_HASH_TEXT, "fooba"), 'r'), UINT64_C(0x85944171f73967e8));
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("hash");
	TCase *places = tcase_create("places");
	tcase_add_checked_fixture(places, set_up, tear_down);
	tcase_add_loop_test(places, map_finds_what_was_put, 0, 2);
	tcase_add_loop_test(places, map_changes_what_stands_there, 0, 2);
	tcase_add_loop_test(places, map_forgets_what_was_removed, 0, 2);
	tcase_add_loop_test(places, map_is_cleared, 0, 2);
	tcase_add_loop_test(places, cleared_maps_keep_little_room, 0, 2);
	tcase_add_loop_test(places, map_with_room_does_not_move, 0, 2);
	tcase_add_loop_test(places, set_finds_its_members_whatever_the_hash, 0, 8);
	tcase_add_loop_test(places, set_with_room_does_not_move, 0, 2);
	tcase_add_test(places, slots_can_be_given_another_id);
	tcase_add_test(places, texts_have_the_published_hashes);
	suite_add_tcase(suite, places);
	return suite;
}
