/* Calendars: each request gets the first free time from its own on, as a record of every busy cycle has it. */
#include "harness.h"

#include "runtime/sm/calendar.h"
#include "sample.h"
#include "simbench.h"

enum { GAPS = 64, CYCLES = 20000 };

static struct hd_gap gaps[GAPS];
static struct hd_calendar calendar;

START_TEST(earlier_times_are_used)
{
	hd_calendar_init(&calendar, gaps, GAPS);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 0, 10, 2), 10); /* free before: 0..9 */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 1, 3, 4), 3);   /* 0..2, 7..9 */
	ck_assert_uint_eq(calendar.count, 2);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 2, 3, 3), 7); /* as long as what is left there */
	ck_assert_uint_eq(calendar.count, 1);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 2, 2, 2), 12); /* 0..2 has one cycle too few */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 2, 2, 1), 2);
	ck_assert_uint_eq(calendar.end, 14);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 3, 3, 1), 14);
	ck_assert_uint_eq(calendar.count, 0); /* what has gone by is no use */
}
END_TEST

/* A reservation from the next cycle on leaves nothing that later requests could use. */
START_TEST(the_next_cycle_leaves_no_gap)
{
	hd_calendar_init(&calendar, gaps, GAPS);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 5, 6, 1), 6);
	ck_assert_uint_eq(calendar.count, 0);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 6, 8, 1), 8); /* 7 is free */
	ck_assert_uint_eq(calendar.count, 1);
	ck_assert_uint_eq(calendar.gaps[0].from, 7);
	ck_assert_uint_eq(calendar.gaps[0].to, 8);
}
END_TEST

START_TEST(without_room_the_first_gap_is_forgotten)
{
	hd_calendar_init(&calendar, gaps, 2);
	hd_calendar_take(&calendar, 0, 10, 10); /* 0..9 */
	hd_calendar_take(&calendar, 0, 30, 10); /* 20..29 */
	hd_calendar_take(&calendar, 0, 50, 10); /* 40..49, in place of 0..9 */
	ck_assert_uint_eq(calendar.count, 2);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 0, 0, 5), 20);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 0, 43, 2), 43); /* 25..29, 40..42, 45..49: the first goes */
	ck_assert_uint_eq(hd_calendar_take(&calendar, 0, 0, 1), 40);
	hd_calendar_init(&calendar, gaps, 0);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 0, 10, 1), 10);
	ck_assert_uint_eq(hd_calendar_take(&calendar, 0, 0, 1), 11);
}
END_TEST

START_TEST(as_a_record_of_every_cycle)
{
	static bool busy[CYCLES];
	uint64_t random = 7, now = 0;
	memset(busy, 0, sizeof busy);
	hd_calendar_init(&calendar, gaps, GAPS);
	for (uint32_t i = 0; i < 3000; i++) {
		now += 1 + sample_random(&random) % 4;
		uint64_t from = now + (sample_random(&random) >> 8) % 30,
			 length = 1 + (sample_random(&random) >> 8) % 4;
		uint64_t expected = from;
		for (uint64_t c = from; c < expected + length; c++)
			if (busy[c])
				expected = c + 1;
		ck_assert_uint_eq(hd_calendar_take(&calendar, now, from, length), expected);
		ck_assert_uint_lt(expected + length, CYCLES);
		memset(busy + expected, 1, length);
	}
}
END_TEST

/* An execution unit keeps no calendar until an operand is late, and none any more when the time before has gone by. */
START_TEST(units_serve_in_turn)
{
	struct simbench bench;
	const struct hd_dinst inst = {.pipe = HD_PIPE_FP32, .interval = 2};
	simbench_init(&bench);
	simbench_chain(&bench, 1);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_sm *sm = bench.sim->gpu.sms[0];
	const struct hd_scheduler *scheduler = &sm->scheduling.schedulers[0];
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 10, 13), 13); /* late: 10..12 is free */
	ck_assert_uint_eq(hd_units_free(&sm->units, scheduler, HD_PIPE_FP32), 12);
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 11, 11), 11); /* before it */
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 13, 13), 15);
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 14, 14), 17);
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 15, 15), 19);
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 30, 30), 30);
	ck_assert_uint_eq(hd_units_dispatch(sm, scheduler, &inst, 31, 31), 32);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("calendar", (const TTest *const[]){
					       earlier_times_are_used,
					       the_next_cycle_leaves_no_gap,
					       without_room_the_first_gap_is_forgotten,
					       as_a_record_of_every_cycle,
					       units_serve_in_turn,
					       NULL,
				       });
}
