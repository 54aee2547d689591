/* Crossbar: latency, occupancy, head-of-line blocking, arbitration, bounded queues, clock domains. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/memory/crossbar.h"
#include "sample.h"

static struct hd_arena arena;
static struct hd_crossbar x;
static uint64_t flits;
static bool by_output;

static void build(uint32_t inputs, uint32_t outputs, uint32_t latency, uint32_t queue, double core, double own)
{
	struct hd_crossbar_shape shape = {.name = "test", .inputs = inputs, .outputs = outputs, .by_slice = true};
	shape.by_output = by_output;
	shape.latency = latency;
	shape.in_flits = shape.out_flits = queue;
	shape.clock = hd_clock_of(core, own);
	shape.flits = &flits;
	hd_arena_init(&arena);
	flits = 0;
	hd_crossbar_init(&x, &shape, &arena);
}

static void in_order(void)
{
	by_output = false;
}

static void sorted_by_output(void)
{
	by_output = true;
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static struct hd_packet packet(uint32_t to, uint32_t size, uint32_t tag)
{
	return (struct hd_packet){.slice = (uint16_t)to, .flits = (uint8_t)size, .tag = tag};
}

static void push(uint32_t input, uint32_t to, uint32_t size, uint32_t tag, uint64_t now)
{
	struct hd_packet p = packet(to, size, tag);
	ck_assert(hd_crossbar_room(&x, input, size, now));
	hd_crossbar_push(&x, input, &p, now);
}

static void push_low(uint32_t input, uint32_t to, uint32_t size, uint32_t tag, uint64_t now)
{
	struct hd_packet p = packet(to, size, tag);
	p.flags = HD_PACKET_LOW;
	ck_assert(hd_crossbar_low_room(&x, input, size, now));
	hd_crossbar_push(&x, input, &p, now);
}

static void tick(uint64_t now)
{
	hd_crossbar_tick(&x, now);
}

/* Whether a packet can be taken from the output at `now`; takes it. */
static bool take(uint32_t output, uint64_t now, uint32_t *tag)
{
	const struct hd_packet *p = hd_crossbar_front(&x, output, now);
	if (!p || p->ready > now)
		return false;
	if (tag)
		*tag = p->tag;
	hd_crossbar_pop(&x, output, now);
	return true;
}

/* The cycle at which the next packet of an output comes, ticking every cycle after `now`. */
static uint64_t arrival(uint32_t output, uint64_t now)
{
	for (;; now++) {
		tick(now);
		if (take(output, now, NULL))
			return now;
		ck_assert_uint_lt(now, 100000);
	}
}

START_TEST(one_flit_takes_the_latency)
{
	uint32_t latency = 1 + (uint32_t)_i * 4;
	build(4, 4, latency, 16, 1000, 1000);
	push(2, 3, 1, 0, 100);
	for (uint64_t now = 101; now < 100 + latency; now++) {
		tick(now);
		ck_assert(!take(3, now, NULL));
	}
	tick(100 + latency);
	ck_assert(take(3, 100 + latency, NULL));
	ck_assert(hd_crossbar_idle(&x));
	ck_assert_uint_eq(flits, 1);
}
END_TEST

START_TEST(more_flits_come_one_a_cycle)
{
	build(2, 2, 8, 32, 1000, 1000);
	push(0, 1, 5, 0, 100);
	push(0, 1, 5, 1, 100);
	push(1, 1, 1, 2, 100);
	ck_assert_uint_eq(arrival(1, 100), 100 + 8 + 4);
	/* The other input has its turn, then the first goes on. */
	ck_assert_uint_eq(arrival(1, 112), 100 + 8 + 5);
	ck_assert_uint_eq(arrival(1, 113), 100 + 8 + 5 + 1 + 4);
	ck_assert_uint_eq(flits, 11);
}
END_TEST

START_TEST(a_blocked_head_blocks_what_is_behind)
{
	build(2, 2, 4, 64, 1000, 1000);
	push(0, 0, 10, 0, 100);
	push(1, 0, 1, 1, 100); /* waits for output 0 */
	push(1, 1, 1, 2, 100); /* waits for its predecessor, although output 1 is free */
	ck_assert_uint_eq(arrival(1, 100), 100 + 4 + 11);
}
END_TEST

START_TEST(a_queue_for_each_output_lets_others_pass)
{
	uint32_t tag;
	build(2, 2, 4, 64, 1000, 1000);
	push(0, 0, 10, 0, 100);
	push(1, 0, 1, 1, 100); /* waits for output 0 */
	push(1, 1, 3, 2, 100); /* goes at once */
	push(1, 1, 3, 3, 100);
	ck_assert_uint_eq(arrival(1, 100), 100 + 4 + 2);
	ck_assert_uint_eq(arrival(1, 106), 100 + 4 + 5);
	/* An input sends one packet at a time, although output 0 was free for its other one from 111 on. */
	push(1, 1, 8, 4, 109);
	for (uint64_t now = 109; now < 121; now++) {
		tick(now);
		ck_assert_int_eq(take(0, now, &tag), now == 113 || now == 121);
	}
	tick(121);
	ck_assert(take(0, 121, &tag) && tag == 1);
}
END_TEST

START_TEST(queues_for_outputs_share_the_room)
{
	build(1, 2, 4, 8, 1000, 1000);
	for (uint32_t i = 0; i < 8; i++)
		push(0, i % 2, 1, i, 100);
	ck_assert(!hd_crossbar_room(&x, 0, 1, 100));
	tick(101); /* one of them goes, although both outputs are free */
	ck_assert_uint_eq(flits, 1);
	ck_assert(x.freed[0] & 1);
	ck_assert_uint_eq(hd_crossbar_room_at(&x, 0), 105);
	ck_assert(!hd_crossbar_room(&x, 0, 1, 104));
	ck_assert(hd_crossbar_room(&x, 0, 1, 105));
	ck_assert(!hd_crossbar_room(&x, 0, 2, 105));
	ck_assert(!hd_crossbar_idle(&x));
}
END_TEST

START_TEST(outputs_serve_inputs_in_turn)
{
	uint32_t tag;
	build(3, 1, 1, 64, 1000, 1000);
	for (uint32_t i = 0; i < 30; i++)
		push(i % 3, 0, 1, i % 3, 100);
	for (uint32_t i = 0; i < 30; i++) {
		tick(101 + i);
		ck_assert(take(0, 101 + i, &tag));
		ck_assert_uint_eq(tag, i % 3);
	}
}
END_TEST

START_TEST(full_queues_stop_senders)
{
	build(1, 1, 4, 8, 1000, 1000);
	for (uint32_t i = 0; i < 8; i++)
		push(0, 0, 1, i, 100);
	ck_assert(!hd_crossbar_room(&x, 0, 1, 100));
	ck_assert_uint_eq(hd_crossbar_room_at(&x, 0), HD_NEVER);
	tick(101); /* the first is granted; its room comes back a traversal later */
	ck_assert(x.freed[0] & 1);
	ck_assert_uint_eq(hd_crossbar_room_at(&x, 0), 105);
	ck_assert(!hd_crossbar_room(&x, 0, 1, 104));
	ck_assert(hd_crossbar_room(&x, 0, 1, 105));
	/* Nobody takes: the output queue of 8 fills and the rest stays in the input. */
	for (uint64_t now = 102; now < 200; now++) {
		tick(now);
		if (hd_crossbar_room(&x, 0, 1, now))
			push(0, 0, 1, 9, now);
	}
	ck_assert_uint_eq(flits, 8);
	ck_assert_uint_eq(x.next, HD_NEVER);
	/* A place is free a cycle after it was left. */
	ck_assert(take(0, 200, NULL));
	tick(200);
	ck_assert_uint_eq(flits, 8);
	tick(201);
	ck_assert_uint_eq(flits, 9);
}
END_TEST

START_TEST(other_clocks_scale_the_latency)
{
	/* Half the core clock: cycle k at core cycle 2k. Pushed at 101, seen at own cycle 51, there at 54. */
	build(1, 1, 4, 16, 1000, 500);
	push(0, 0, 1, 0, 101);
	ck_assert_uint_eq(arrival(0, 101), 108);
	tear_down();
	/* Three halves: own cycle k at ceil(2k / 3). Seen at own cycle 152 (core 102), there at 155 (core 104). */
	build(1, 1, 4, 16, 1000, 1500);
	push(0, 0, 1, 0, 101);
	ck_assert_uint_eq(arrival(0, 101), 104);
}
END_TEST

/* Saturates 64 x 64 with one-flit packets; destinations from `choose`. Returns the share of the ports' bandwidth used.
 */
static double saturate(uint32_t ports, uint32_t cycles, bool uniform)
{
	uint64_t state = 12345, taken = 0;
	build(ports, ports, 8, 64, 1000, 1000);
	for (uint64_t now = 1; now <= cycles; now++) {
		for (uint32_t i = 0; i < ports; i++)
			while (hd_crossbar_room(&x, i, 1, now)) {
				uint32_t to =
					uniform ? (uint32_t)(sample_random(&state) >> 20) % ports : (i + 5) % ports;
				push(i, to, 1, 0, now);
			}
		tick(now);
		for (uint32_t o = 0; o < ports; o++)
			taken += take(o, now, NULL);
	}
	return (double)taken / ((double)(cycles - 8) * ports);
}

START_TEST(uniform_traffic_saturates_at_the_known_share)
{
	/* 2 - sqrt(2) = 0.5858 for many ports (Karol, Hluchyj and Morgan 1987); a little more for 64. */
	double share = saturate(64, 20000, true);
	ck_assert_msg(share > 0.5858 * 0.98 && share < 0.60 * 1.02, "share %f", share);
}
END_TEST

START_TEST(queues_for_outputs_use_nearly_all)
{
	/* Uniform traffic: only what the queues, bounded together, happen not to hold is missing. */
	double share = saturate(64, 20000, true);
	ck_assert_msg(share > 0.9 && share <= 1, "share %f", share);
}
END_TEST

START_TEST(outputs_that_compete_for_inputs_have_equal_shares)
{
	uint32_t taken[6] = {0};
	build(2, 6, 2, 24, 1000, 1000); /* two inputs for six outputs */
	for (uint64_t now = 1; now <= 6000; now++) {
		for (uint32_t i = 0; i < 2; i++)
			for (uint32_t o = 0; o < 6; o++)
				if (!hd_sorted_front(&x.sorted[i], o) && hd_crossbar_room(&x, i, 1, now))
					push(i, o, 1, 0, now);
		tick(now);
		for (uint32_t o = 0; o < 6; o++)
			taken[o] += take(o, now, NULL);
	}
	for (uint32_t o = 0; o < 6; o++)
		ck_assert_msg(taken[o] > 1900 && taken[o] < 2100, "output %u: %u", o, taken[o]);
}
END_TEST

START_TEST(small_crossbars_saturate_higher)
{
	double share = saturate(2, 20000, true); /* 0.75 exactly for random contention; round robin is close to it */
	ck_assert_msg(share > 0.73 && share < 0.77, "share %f", share);
}
END_TEST

START_TEST(a_permutation_uses_everything)
{
	double share = saturate(64, 5000, false);
	ck_assert_msg(share > 0.99 && share <= 1, "share %f", share);
}
END_TEST

/* Tags of the next `count` packets of an output, each taken as soon as it is there. */
static void expect(uint32_t output, uint64_t now, uint32_t count, const uint32_t *tags)
{
	uint32_t tag;
	for (uint32_t i = 0; i < count; now++) {
		tick(now);
		if (take(output, now, &tag))
			ck_assert_uint_eq(tag, tags[i++]);
		ck_assert_uint_lt(now, 1000);
	}
}

START_TEST(low_packets_are_overtaken_where_they_wait)
{
	build(2, 2, 4, 64, 1000, 1000);
	for (uint32_t i = 0; i < 4; i++)
		push_low(0, 0, 3, i, 100);
	tick(101); /* the first is in flight, and goes on */
	push(0, 0, 3, 10, 101);
	push(0, 0, 3, 11, 101);
	expect(0, 101, 6, (const uint32_t[]){0, 10, 11, 1, 2, 3});
	ck_assert(hd_crossbar_idle(&x));
	/* What comes when those of low priority have waited for long: also for another output. */
	push(1, 0, 20, 20, 200);
	tick(201);
	push_low(0, 0, 1, 21, 201);
	for (uint64_t now = 202; now < 210; now++)
		tick(now);
	push(0, 1, 1, 22, 210);
	ck_assert_uint_eq(arrival(1, 210), 214);
	expect(0, 214, 2, (const uint32_t[]){20, 21});
	/* One that is sent is not broken off: an input sends one packet at a time. */
	push_low(0, 0, 8, 23, 300);
	push(0, 1, 1, 24, 301); /* seen a cycle too late */
	tick(301);
	ck_assert_uint_eq(arrival(1, 302), 300 + 8 + 4);
	expect(0, 312, 1, (const uint32_t[]){23});
	ck_assert(hd_crossbar_idle(&x));
	ck_assert_uint_eq(x.low_count, 0);
}
END_TEST

START_TEST(an_output_takes_low_packets_last)
{
	build(3, 2, 2, 64, 1000, 1000);
	push_low(0, 0, 1, 0, 100);
	push_low(1, 0, 1, 1, 100);
	for (uint32_t i = 0; i < 5; i++)
		push(2, 0, 1, 10 + i, 100);
	expect(0, 101, 7, (const uint32_t[]){10, 11, 12, 13, 14, 0, 1});
	/* Nor does one take an input from an output that has something else for it. */
	push_low(0, 0, 8, 2, 201);
	push(0, 1, 1, 15, 201);
	ck_assert_uint_eq(arrival(1, 201), 203);
	expect(0, 203, 1, (const uint32_t[]){2});
	ck_assert(hd_crossbar_idle(&x));
	/* Also one that an input has behind another packet; inputs take turns, and the first has just sent. */
	push(0, 0, 1, 20, 300);
	push_low(0, 0, 1, 21, 300);
	for (uint32_t i = 0; i < 3; i++)
		push(1, 0, 1, 30 + i, 300);
	expect(0, 301, 5, (const uint32_t[]){30, 20, 31, 32, 21});
	ck_assert(hd_crossbar_idle(&x));
}
END_TEST

START_TEST(low_packets_leave_half_of_the_room_to_others)
{
	build(1, 1, 4, 8, 1000, 1000);
	for (uint64_t now = 100; now < 150; now++) { /* nobody takes */
		while (hd_crossbar_low_room(&x, 0, 1, now))
			push_low(0, 0, 1, 0, now);
		tick(now);
	}
	ck_assert_uint_eq(flits, 4); /* half of the output's queue; as many wait before it */
	ck_assert_uint_eq(x.in[0].used, 4);
	ck_assert(hd_crossbar_room(&x, 0, 4, 150) && !hd_crossbar_room(&x, 0, 5, 150));
	push(0, 0, 1, 10, 150);
	push(0, 0, 1, 11, 150);
	for (uint64_t now = 151; now < 170; now++)
		tick(now);
	/* They are there, and before those of low priority that came long ago. */
	ck_assert_uint_eq(flits, 6);
	expect(0, 170, 10, (const uint32_t[]){10, 11, 0, 0, 0, 0, 0, 0, 0, 0});
	ck_assert(hd_crossbar_idle(&x));
	ck_assert(hd_crossbar_low_room(&x, 0, 4, 300));
}
END_TEST

/* Random traffic with random receivers: everything comes once, in order for each pair; in the later loops some of it of
 * low priority, in its own order. */
START_TEST(nothing_is_lost_or_reordered)
{
	enum { IN = 70, OUT = 70, LOW = 0x8000 };
	const uint32_t outputs = _i < 5 ? 5 : OUT;
	static uint32_t sent[IN][OUT], got[IN][OUT], sent_low[IN][OUT], got_low[IN][OUT];
	uint64_t state = 7 + (uint64_t)_i, now = 1, total = 0;
	build(IN, outputs, 1 + (uint32_t)_i, 12, 1000, 400 + 300.0 * _i);
	memset(sent, 0, sizeof(sent));
	memset(got, 0, sizeof(got));
	memset(sent_low, 0, sizeof(sent_low));
	memset(got_low, 0, sizeof(got_low));
	for (; now < 3000 || !hd_crossbar_idle(&x); now++) {
		uint32_t input = (uint32_t)(sample_random(&state) >> 8) % IN,
			 to = (uint32_t)(sample_random(&state) >> 8) % outputs;
		uint32_t size = 1 + (uint32_t)(sample_random(&state) >> 8) % 9, tag;
		bool low = _i >= 2 && !(sample_random(&state) >> 20 & 3);
		if (now < 3000 && low && hd_crossbar_low_room(&x, input, size, now))
			push_low(input, to, size, input << 16 | LOW | sent_low[input][to]++, now);
		else if (now < 3000 && !low && hd_crossbar_room(&x, input, size, now))
			push(input, to, size, input << 16 | sent[input][to]++, now);
		if (x.next <= now || sample_random(&state) & 1)
			tick(now);
		for (uint32_t o = 0; o < outputs; o++)
			if ((sample_random(&state) >> 30 & 3) == 0 && take(o, now, &tag)) {
				uint32_t *next = &(tag & LOW ? got_low : got)[tag >> 16][o];
				ck_assert_uint_eq(tag & 0x7fff, (*next)++);
				total++;
			}
		ck_assert_uint_lt(now, 100000);
	}
	for (uint32_t i = 0; i < IN; i++)
		for (uint32_t o = 0; o < OUT; o++)
			ck_assert(sent[i][o] == got[i][o] && sent_low[i][o] == got_low[i][o]);
	ck_assert_uint_gt(total, 100);
}
END_TEST

/*
 * 130 ports, three words of bits on each side. Each input sends to the outputs of its own number, 64 and 65 further, a
 * packet in each cycle from 101 on, and no two of them want the same: they come 4 cycles later.
 */
START_TEST(ports_beyond_a_word_are_like_others)
{
	enum { PORTS = 130 };
	static const uint32_t further[] = {0, 64, 65};
	build(PORTS, PORTS, 4, 16, 1000, 1000);
	for (uint32_t i = 0; i < PORTS; i++)
		for (uint32_t k = 0; k < 3; k++)
			push(i, (i + further[k]) % PORTS, 1, i, 100);
	for (uint64_t now = 100; now <= 107; now++) {
		tick(now);
		for (uint32_t o = 0; o < PORTS; o++) {
			uint32_t tag = 0;
			ck_assert_int_eq(take(o, now, &tag), now >= 104 && now <= 106);
			if (now >= 104 && now <= 106)
				ck_assert_uint_eq((tag + further[now - 104]) % PORTS, o);
		}
	}
	ck_assert(hd_crossbar_idle(&x));
}
END_TEST

START_TEST(a_packet_larger_than_the_queue_passes_alone)
{
	build(1, 1, 2, 4, 1000, 1000);
	push(0, 0, 6, 0, 100);
	ck_assert(!hd_crossbar_room(&x, 0, 1, 100));
	ck_assert_uint_eq(arrival(0, 100), 100 + 2 + 5);
}
END_TEST

START_TEST(dumps_show_what_waits_where)
{
	char *text = NULL;
	size_t size = 0;
	build(2, 2, 5, 8, 1000, 1000);
	push(1, 0, 3, 1, 0);
	FILE *out = open_memstream(&text, &size);
	hd_crossbar_dump(&x, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "test in 1: 1 packets, 3 of 8 flits, head kind 0"));
	ck_assert_ptr_null(strstr(text, "test in 0"));
	ck_assert_ptr_null(strstr(text, "test out"));
	free(text);
	for (uint64_t now = 0; now < 20; now++)
		tick(now);
	out = open_memstream(&text, &size);
	hd_crossbar_dump(&x, out);
	fclose(out);
	ck_assert_ptr_nonnull(strstr(text, "test out 0: 1 packets, 3 of 8 flits, head kind 0"));
	ck_assert_ptr_null(strstr(text, "test in")); /* nor of inputs that there are not */
	free(text);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("crossbar");
	TCase *cases = tcase_create("cases"), *sorted = tcase_create("queues by output");
	tcase_add_checked_fixture(cases, in_order, tear_down);
	tcase_add_checked_fixture(sorted, sorted_by_output, tear_down);
	tcase_set_timeout(cases, 60);
	tcase_add_loop_test(cases, one_flit_takes_the_latency, 0, 3);
	tcase_add_test(cases, more_flits_come_one_a_cycle);
	tcase_add_test(cases, a_blocked_head_blocks_what_is_behind);
	tcase_add_test(cases, outputs_serve_inputs_in_turn);
	tcase_add_test(cases, full_queues_stop_senders);
	tcase_add_test(cases, other_clocks_scale_the_latency);
	tcase_add_test(cases, uniform_traffic_saturates_at_the_known_share);
	tcase_add_test(cases, small_crossbars_saturate_higher);
	tcase_add_test(cases, a_permutation_uses_everything);
	tcase_add_test(cases, low_packets_are_overtaken_where_they_wait);
	tcase_add_test(cases, an_output_takes_low_packets_last);
	tcase_add_test(cases, low_packets_leave_half_of_the_room_to_others);
	tcase_add_loop_test(cases, nothing_is_lost_or_reordered, 0, 7);
	tcase_add_test(cases, ports_beyond_a_word_are_like_others);
	tcase_add_test(cases, a_packet_larger_than_the_queue_passes_alone);
	tcase_add_test(cases, dumps_show_what_waits_where);
	suite_add_tcase(suite, cases);
	tcase_set_timeout(sorted, 60);
	tcase_add_loop_test(sorted, one_flit_takes_the_latency, 0, 3);
	tcase_add_test(sorted, more_flits_come_one_a_cycle);
	tcase_add_test(sorted, a_queue_for_each_output_lets_others_pass);
	tcase_add_test(sorted, queues_for_outputs_share_the_room);
	tcase_add_test(sorted, outputs_serve_inputs_in_turn);
	tcase_add_test(sorted, full_queues_stop_senders);
	tcase_add_test(sorted, other_clocks_scale_the_latency);
	tcase_add_test(sorted, queues_for_outputs_use_nearly_all);
	tcase_add_test(sorted, outputs_that_compete_for_inputs_have_equal_shares);
	tcase_add_test(sorted, a_permutation_uses_everything);
	tcase_add_test(sorted, low_packets_are_overtaken_where_they_wait);
	tcase_add_test(sorted, an_output_takes_low_packets_last);
	tcase_add_test(sorted, low_packets_leave_half_of_the_room_to_others);
	tcase_add_loop_test(sorted, nothing_is_lost_or_reordered, 0, 7);
	tcase_add_test(sorted, a_packet_larger_than_the_queue_passes_alone);
	tcase_add_test(sorted, dumps_show_what_waits_where);
	suite_add_tcase(suite, sorted);
	return suite;
}
