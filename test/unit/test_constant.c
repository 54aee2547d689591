/* Constant caches: what hits, what misses how far, and a pass for each distinct address of a warp. */
#include "harness.h"

#include "heddle/config.h"
#include "heddle/stats.h"
#include "runtime/sm/constant.h"

enum { HIT = 30, BEHIND = 80, MISS = 200, BUSY = 3 };

struct rig {
	struct hd_arena arena;
	struct hd_fetch fetch;
	struct hd_constants constants;
	struct hd_counters counters;
};

static struct rig rig;

static void set_up(void)
{
	struct hd_config config;
	hd_config_defaults(&config);
	config.constant_bytes = 256; /* one set of four lines */
	config.constant_line = 64;
	config.constant_ways = 4;
	config.constant_latency = HIT;
	config.constant_l15_latency = BEHIND;
	config.constant_busy = BUSY;
	config.l1i_line = 128;
	config.l1i_miss_latency = MISS;
	config.l1i_busy = 0;
	rig = (struct rig){0};
	hd_arena_init(&rig.arena);
	hd_fetch_init(&rig.fetch, &config, &rig.arena);
	hd_constant_init(&rig.constants, &config, &rig.arena);
}

static void tear_down(void)
{
	hd_arena_release(&rig.arena);
}

/* `lanes` lanes with addresses `stride` apart: cycles from `start` to the data. */
static uint64_t load(uint64_t start, uint64_t from, uint64_t stride, uint32_t lanes)
{
	uint64_t address[32] = {0};
	for (uint32_t i = 0; i < lanes; i++)
		address[i] = from + i * stride;
	uint32_t mask = lanes == 32 ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
	return hd_constant_load(&rig.constants, &rig.fetch, &rig.counters, mask, address, start) - start;
}

START_TEST(levels_have_their_latencies)
{
	ck_assert_uint_eq(load(1000, 0x1000, 0, 32), MISS + BEHIND);
	ck_assert_uint_eq(load(1010, 0x1004, 0, 32), MISS + BEHIND - 10); /* in flight */
	ck_assert_uint_eq(load(2000, 0x103c, 0, 32), HIT);
	ck_assert_uint_eq(load(3000, 0x1040, 0, 32), BEHIND); /* the other half of the line behind */
	ck_assert_uint_eq(rig.counters.constant_accesses, 4);
	ck_assert_uint_eq(rig.counters.constant_passes, 4);
	ck_assert_uint_eq(rig.counters.constant_misses, 2);
	ck_assert_uint_eq(rig.counters.constant_l15_misses, 1);
	ck_assert_uint_eq(rig.counters.l1i_accesses, 0); /* which are of instructions */
}
END_TEST

START_TEST(the_least_recently_used_line_goes)
{
	for (uint32_t i = 0; i < 4; i++)
		load(1000 * (i + 1), 64 * i, 0, 1);
	load(5000, 0, 0, 1);
	load(6000, 64 * 4, 0, 1); /* in place of the second */
	ck_assert_uint_eq(load(7000, 0, 0, 1), HIT);
	ck_assert_uint_eq(load(8000, 64, 0, 1), BEHIND);
}
END_TEST

/* One that is used in the first cycle of all is not taken for a free one. */
START_TEST(the_first_cycle_counts)
{
	load(0, 0, 0, 1);
	load(1000, 64, 0, 1);
	ck_assert_uint_eq(load(2000, 0, 0, 1), HIT);
	ck_assert_uint_eq(load(3000, 64, 0, 1), HIT);
}
END_TEST

START_TEST(each_distinct_address_is_a_pass)
{
	load(1000, 0x1000, 0, 1);
	ck_assert_uint_eq(load(2000, 0x1000, 0, 32), HIT);
	ck_assert_uint_eq(load(3000, 0x1000, 4, 2), HIT + BUSY);
	ck_assert_uint_eq(load(4000, 0x1000, 4, 16), HIT + 15 * BUSY);
	ck_assert_uint_eq(rig.counters.constant_passes, 1 + 1 + 2 + 16);
	/* Lanes in two groups, not beside each other. */
	uint64_t address[32];
	for (uint32_t i = 0; i < 32; i++)
		address[i] = 0x1000 + i % 2 * 8;
	ck_assert_uint_eq(hd_constant_load(&rig.constants, &rig.fetch, &rig.counters, UINT32_MAX, address, 5000),
			  5000 + HIT + BUSY);
	/* Lanes that do not take part have none. */
	ck_assert_uint_eq(hd_constant_load(&rig.constants, &rig.fetch, &rig.counters, 0x55555555, address, 6000),
			  6000 + HIT);
}
END_TEST

START_TEST(warps_wait_for_the_passes_of_others)
{
	load(1000, 0x1000, 0, 1);
	load(2000, 0x1000, 4, 16);
	ck_assert_uint_eq(load(2001, 0x1000, 0, 32), 16 * BUSY - 1 + HIT);
	ck_assert_uint_eq(load(2000 + 17 * BUSY, 0x1000, 0, 32), HIT);
}
END_TEST

START_TEST(code_and_constants_share_the_cache_behind)
{
	bool missed;
	load(1000, 0, 0, 1);
	hd_fetch_shared(&rig.fetch, 0, 2000, &missed); /* the same number, of code */
	ck_assert(missed);
	struct hd_icache *behind = &rig.fetch.l1;
	for (uint32_t i = 1; i <= behind->ways; i++)
		hd_fetch_shared(&rig.fetch, (uint64_t)i * behind->sets, 3000 + i, &missed);
	for (uint32_t i = 1; i <= 4; i++) /* out of the first cache */
		load(4000 + 1000 * i, 64 + 64 * i, 0, 1);
	ck_assert_uint_eq(load(20000, 0, 0, 1), MISS + BEHIND);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("constant",
			     (const TTest *const[]){
				     levels_have_their_latencies,
				     the_least_recently_used_line_goes,
				     the_first_cycle_counts,
				     each_distinct_address_is_a_pass,
				     warps_wait_for_the_passes_of_others,
				     code_and_constants_share_the_cache_behind,
				     NULL,
			     },
			     set_up, tear_down);
}
