/*
 * The vector clocks of --check=race: which accesses come before which, by barriers, __syncwarp, fences and strong
 * accesses. An access is a lane of a warp and what the warp's clock said then.
 */
#include "harness.h"
#include "runtime/check/state.h"

enum { WARPS = 3, WORDS = 8, GLOBAL = -1 };

static struct hd_clocks clocks;

static void set_up(void)
{
	hd_clocks_begin(&clocks, WARPS, WORDS, 0, 1);
}

static void tear_down(void)
{
	hd_clocks_release(&clocks);
	ck_assert_ptr_null(clocks.now);
}

struct access {
	uint32_t warp, lane, when;
};

static struct access access_by(uint32_t warp, uint32_t lane)
{
	return (struct access){warp, lane, clocks.now[warp]};
}

/* Whether the access comes before whatever this lane does now. */
static bool is_before(struct access access, uint32_t warp, uint32_t lane)
{
	return hd_clocks_ordered(&clocks, warp, lane, access.warp, access.lane, access.when);
}

static void write_strong(uint32_t warp, uint32_t lane, uint32_t word, uint32_t sem)
{
	hd_clocks_strong(&clocks, &clocks, warp, lane, word, sem, false, true);
}

static void read_strong(uint32_t warp, uint32_t lane, uint32_t word)
{
	hd_clocks_strong(&clocks, &clocks, warp, lane, word, HD_SEM_RELAXED, true, false);
}

START_TEST(only_a_lane_follows_itself)
{
	struct access access = access_by(1, 7);
	ck_assert(is_before(access, 1, 7));
	ck_assert(!is_before(access, 1, 8));
	ck_assert(!is_before(access, 0, 7));
	ck_assert(!is_before(access, 2, 7));
}
END_TEST

/* ---- barriers */

START_TEST(a_barrier_orders_what_came_before_it)
{
	struct access before = access_by(0, 3), first = access_by(0, 0);
	hd_clocks_arrive(&clocks, 0, 5);
	struct access after = access_by(0, 3);
	hd_clocks_arrive(&clocks, 1, 5);
	ck_assert(!is_before(before, 1, 0)); /* it still waits */
	hd_clocks_depart(&clocks, 0, 5);
	hd_clocks_depart(&clocks, 1, 5);
	ck_assert(is_before(before, 1, 0));
	ck_assert(is_before(before, 1, 31));
	ck_assert(is_before(before, 0, 4)); /* lanes of one warp arrive together */
	ck_assert(is_before(before, 0, 0));
	ck_assert(is_before(first, 0, 4));
	ck_assert(!is_before(after, 1, 0));
	ck_assert(!is_before(after, 0, 4));
	ck_assert(!is_before(before, 2, 3)); /* it was not there */
}
END_TEST

START_TEST(barriers_are_apart)
{
	struct access access = access_by(0, 0);
	hd_clocks_arrive(&clocks, 0, 1);
	hd_clocks_arrive(&clocks, 1, 2);
	hd_clocks_depart(&clocks, 1, 2);
	ck_assert(!is_before(access, 1, 0));
	hd_clocks_arrive(&clocks, 2, 1);
	hd_clocks_depart(&clocks, 2, 1);
	ck_assert(is_before(access, 2, 0));
}
END_TEST

/* Who arrives without waiting tells what it did, and learns nothing. */
START_TEST(arriving_is_not_waiting)
{
	struct access producer = access_by(0, 0), consumer = access_by(1, 0);
	hd_clocks_arrive(&clocks, 0, 1);
	hd_clocks_arrive(&clocks, 1, 1);
	hd_clocks_depart(&clocks, 1, 1);
	ck_assert(is_before(producer, 1, 0));
	ck_assert(!is_before(consumer, 0, 0));
}
END_TEST

START_TEST(what_is_known_is_handed_on)
{
	struct access access = access_by(0, 0);
	for (uint32_t warp = 0; warp < 2; warp++) {
		hd_clocks_arrive(&clocks, warp, warp);
		hd_clocks_arrive(&clocks, warp + 1, warp);
		hd_clocks_depart(&clocks, warp + 1, warp);
	}
	ck_assert(is_before(access, 2, 9));
}
END_TEST

START_TEST(a_warp_that_has_ended_is_behind_later_barriers)
{
	struct access access = access_by(0, 0);
	hd_clocks_end(&clocks, 0);
	ck_assert(!is_before(access, 1, 0));
	hd_clocks_arrive(&clocks, 1, 0);
	hd_clocks_arrive(&clocks, 2, 0);
	hd_clocks_depart(&clocks, 1, 0);
	ck_assert(is_before(access, 1, 0));
	ck_assert(!is_before(access, 2, 0));
	hd_clocks_depart(&clocks, 2, 0);
	ck_assert(is_before(access, 2, 0));
}
END_TEST

/* ---- lanes */

START_TEST(a_warpsync_orders_its_lanes)
{
	hd_clocks_warpsync(&clocks, 2, 0x6);
	ck_assert(!is_before((struct access){2, 0, 1}, 2, 1)); /* lane 0 was not there */
	struct access first = access_by(1, 0), third = access_by(1, 3), fourth = access_by(1, 4);
	hd_clocks_warpsync(&clocks, 1, 0xf);
	struct access later = access_by(1, 0);
	ck_assert(is_before(first, 1, 3));
	ck_assert(is_before(third, 1, 0));
	ck_assert(!is_before(first, 1, 4));
	ck_assert(!is_before(fourth, 1, 0));
	ck_assert(!is_before(later, 1, 3));
	ck_assert(!is_before(first, 0, 0));
	hd_clocks_warpsync(&clocks, 1, 0x18); /* lane 3 tells lane 4 what it knows */
	ck_assert(is_before(first, 1, 4));
	ck_assert(is_before(fourth, 1, 3));
	ck_assert(!is_before(fourth, 1, 0));
	ck_assert(!is_before(later, 1, 4));
}
END_TEST

/* ---- fences and strong accesses */

START_TEST(a_fence_and_a_flag_hand_over)
{
	struct access data = access_by(0, 1);
	hd_clocks_fence(&clocks, 0);
	struct access late = access_by(0, 1);
	write_strong(0, 1, 5, HD_SEM_RELAXED);
	ck_assert(!is_before(data, 1, 2)); /* nobody has looked */
	read_strong(1, 2, 4);
	ck_assert(!is_before(data, 1, 2)); /* nor there */
	read_strong(1, 2, 5);
	ck_assert(is_before(data, 1, 2));
	ck_assert(is_before(data, 1, 30)); /* what a lane learns of another warp, its warp knows */
	ck_assert(!is_before(late, 1, 2));
	ck_assert(!is_before(data, 2, 2));
}
END_TEST

START_TEST(a_flag_alone_hands_nothing_over)
{
	struct access data = access_by(0, 1);
	write_strong(0, 1, 5, HD_SEM_RELAXED);
	read_strong(1, 2, 5);
	ck_assert(!is_before(data, 1, 2));
	hd_clocks_fence(&clocks, 0); /* behind the flag */
	read_strong(1, 2, 5);
	ck_assert(!is_before(data, 1, 2));
}
END_TEST

START_TEST(a_read_hands_nothing_over)
{
	write_strong(2, 0, 5, HD_SEM_RELEASE);
	struct access data = access_by(0, 1);
	hd_clocks_fence(&clocks, 0);
	read_strong(0, 1, 5);
	read_strong(1, 2, 5);
	ck_assert(!is_before(data, 1, 2));
}
END_TEST

START_TEST(a_read_before_the_write_learns_nothing)
{
	struct access data = access_by(0, 1);
	hd_clocks_fence(&clocks, 0);
	read_strong(1, 2, 5);
	write_strong(0, 1, 5, HD_SEM_RELAXED);
	ck_assert(!is_before(data, 1, 2));
}
END_TEST

START_TEST(a_release_needs_no_fence)
{
	static const uint32_t sems[] = {HD_SEM_RELEASE, HD_SEM_ACQ_REL, HD_SEM_SC};
	for (uint32_t i = 0; i < 3; i++) {
		struct access data = access_by(0, 1);
		ck_assert(!is_before(data, 1, 2));
		write_strong(0, 1, i, sems[i]);
		struct access late = access_by(0, 1);
		read_strong(1, 2, i);
		ck_assert(is_before(data, 1, 2));
		ck_assert(!is_before(late, 1, 2));
	}
	struct access data = access_by(0, 1);
	write_strong(0, 1, 6, HD_SEM_ACQUIRE);
	read_strong(1, 2, 6);
	ck_assert(!is_before(data, 1, 2));
}
END_TEST

/* An atomic does both: it learns what was released there before, and hands that on with its own. */
START_TEST(an_atomic_is_a_link)
{
	struct access first = access_by(0, 0), second = access_by(1, 0);
	hd_clocks_strong(&clocks, &clocks, 0, 0, 3, HD_SEM_ACQ_REL, true, true);
	hd_clocks_strong(&clocks, &clocks, 1, 0, 3, HD_SEM_ACQ_REL, true, true);
	ck_assert(is_before(first, 1, 0));
	ck_assert(!is_before(second, 0, 0));
	read_strong(2, 0, 3);
	ck_assert(is_before(first, 2, 0));
	ck_assert(is_before(second, 2, 0));
}
END_TEST

/* Where in global memory is not told apart; it is no word of shared memory. */
START_TEST(global_memory_is_one_place)
{
	struct access data = access_by(0, 1), other = access_by(2, 0);
	write_strong(2, 0, 7, HD_SEM_RELEASE);
	read_strong(1, 2, (uint32_t)GLOBAL); /* where nobody has written */
	ck_assert(!is_before(data, 1, 2));
	ck_assert(!is_before(other, 1, 2));
	write_strong(0, 1, (uint32_t)GLOBAL, HD_SEM_RELEASE);
	for (uint32_t word = 0; word < WORDS; word++)
		read_strong(1, 2, word);
	ck_assert(!is_before(data, 1, 2));
	read_strong(1, 2, (uint32_t)GLOBAL);
	ck_assert(is_before(data, 1, 2));
}
END_TEST

/* Words keep apart what was released through them, in whatever order they were first used. */
START_TEST(words_are_apart)
{
	struct access data[WARPS];
	for (uint32_t warp = WARPS; warp-- > 1;) {
		data[warp] = access_by(warp, 0);
		write_strong(warp, 0, 2 * warp, HD_SEM_RELEASE);
	}
	read_strong(0, 0, 2);
	ck_assert(is_before(data[1], 0, 0));
	ck_assert(!is_before(data[2], 0, 0));
	read_strong(0, 0, 4);
	ck_assert(is_before(data[2], 0, 0));
}
END_TEST

/* Inside a warp it is the lane that reads, and no other, that comes behind. */
START_TEST(lanes_hand_over_to_lanes)
{
	struct access data = access_by(0, 9);
	write_strong(0, 9, 1, HD_SEM_RELEASE);
	read_strong(0, 5, 1);
	ck_assert(is_before(data, 0, 5));
	ck_assert(!is_before(data, 0, 6));
}
END_TEST

START_TEST(another_block_begins_from_nothing)
{
	struct access access = access_by(0, 0);
	write_strong(0, 0, 1, HD_SEM_RELEASE);
	hd_clocks_arrive(&clocks, 1, 0);
	hd_clocks_begin(&clocks, WARPS, WORDS, 0, 1);
	read_strong(1, 0, 1);
	hd_clocks_depart(&clocks, 1, 0);
	ck_assert(!is_before(access, 1, 0));
	ck_assert_uint_eq(access_by(0, 0).when, access.when);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {only_a_lane_follows_itself,
				      a_barrier_orders_what_came_before_it,
				      barriers_are_apart,
				      arriving_is_not_waiting,
				      what_is_known_is_handed_on,
				      a_warp_that_has_ended_is_behind_later_barriers,
				      a_warpsync_orders_its_lanes,
				      a_fence_and_a_flag_hand_over,
				      a_flag_alone_hands_nothing_over,
				      a_read_hands_nothing_over,
				      a_read_before_the_write_learns_nothing,
				      a_release_needs_no_fence,
				      an_atomic_is_a_link,
				      global_memory_is_one_place,
				      words_are_apart,
				      lanes_hand_over_to_lanes,
				      another_block_begins_from_nothing,
				      NULL};
	return hd_suite_with("clocks", tests, set_up, tear_down);
}
