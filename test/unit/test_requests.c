/*
 * LINK: requests
 * Requests: when they arrive, and the figures of how long they took. MPS: whose SMs are which.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "runtime/policy/sharing/mps.h"
#include "tools/heddle/run/requests.h"

static struct hd_diag diag;

static void set_up(void)
{
	diag = hd_diag_silent();
}

static void tear_down(void)
{
}

/* 1,000 cycles a microsecond. */
static struct requests of(const char *spec, uint64_t window)
{
	return (struct requests){.spec = spec, .seed = 7, .window = window, .cycles_per_us = 1000};
}

/* Every 2 and every 5 us in 10: at 0, 2, 4, 6, 8, and at 0 and 5. One number is that of all programs. */
START_TEST(regular_arrivals)
{
	struct requests requests = of("every:2,5", 10000);
	ck_assert_int_eq(requests_read(&requests, 2, &diag), 0);
	ck_assert_uint_eq(requests.of[0].len, 5);
	ck_assert_uint_eq(requests.of[0].data[4].arrived, 8000);
	ck_assert_uint_eq(requests.of[1].len, 2);
	ck_assert_uint_eq(requests.of[1].data[1].arrived, 5000);
	requests_release(&requests);
	requests = of("every:2", 10001);
	ck_assert_int_eq(requests_read(&requests, 2, &diag), 0);
	ck_assert_uint_eq(requests.of[0].len, 6);
	ck_assert_uint_eq(requests.of[1].len, 6);
	requests_release(&requests);
}
END_TEST

/* In 10,000 mean times there are 10,000 requests, give or take five standard deviations of 100, and of the times
 * between them 1 - 1/e are below the mean. Another seed, and another program, has others. */
START_TEST(poisson_arrivals)
{
	struct requests requests = of("poisson:3", 30000000), other = of("poisson:3", 30000000);
	uint64_t last = 0;
	uint32_t below = 0, same = 0;
	other.seed = 8;
	ck_assert_int_eq(requests_read(&requests, 2, &diag), 0);
	ck_assert_int_eq(requests_read(&other, 1, &diag), 0);
	uint32_t count = requests.of[0].len;
	ck_assert_uint_ge(count, 9500);
	ck_assert_uint_le(count, 10500);
	for (uint32_t i = 0; i < count; i++) {
		below += requests.of[0].data[i].arrived - last < 3000;
		last = requests.of[0].data[i].arrived;
	}
	ck_assert_double_eq_tol((double)below / count, 0.632, 0.025);
	for (uint32_t i = 0; i < 100; i++) {
		same += requests.of[0].data[i].arrived == requests.of[1].data[i].arrived;
		same += requests.of[0].data[i].arrived == other.of[0].data[i].arrived;
	}
	ck_assert_uint_eq(same, 0);
	requests_release(&requests);
	requests_release(&other);
}
END_TEST

START_TEST(wrong_arrivals)
{
	static const char *const specs[] = {"every:",	 "every:0",   "every:1,",  "every:1,2,3",   "poisson:-1",
					    "poisson:x", "every:nan", "every:inf", "every:1e9,1e9 "};
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct requests requests = of(specs[i], 10000);
		ck_assert_msg(requests_read(&requests, 2, &diag), "%s", specs[i]);
		requests_release(&requests);
	}
}
END_TEST

static char last_message[256];

static void keep(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity, (void)loc;
	snprintf(last_message, sizeof last_message, "%s", message);
}

/* One request per cycle: a million of them, and no more. Nor do mean times of less than a cycle take for ever. */
START_TEST(most_requests)
{
	static const char *const dense[] = {"every:1e-320", "poisson:1e-300", "poisson:0.0001"};
	struct requests requests = of("every:0.001", 1000000);
	diag.emit = keep;
	ck_assert_int_eq(requests_read(&requests, 1, &diag), 0);
	ck_assert_uint_eq(requests.of[0].len, 1000000);
	requests_release(&requests);
	requests = of("every:0.001", 1000001);
	ck_assert_int_eq(requests_read(&requests, 1, &diag), -1);
	ck_assert_str_eq(last_message, "--arrivals every:0.001: more than 1000000 requests of a program");
	requests_release(&requests);
	for (size_t i = 0; i < sizeof dense / sizeof *dense; i++) {
		requests = of(dense[i], 1000000);
		ck_assert_int_eq(requests_read(&requests, 2, &diag), -1);
		ck_assert_ptr_nonnull(strstr(last_message, "more than 1000000 requests of a program"));
		requests_release(&requests);
	}
}
END_TEST

/* Of a trace, what arrives behind the window is left out, whatever 64 bits can hold; nothing is left out without a
 * word. */
START_TEST(traces)
{
	static const struct {
		const char *text, *message; /* NULL: none */
		size_t size;
	} cases[] = {
		{"1 1\n2 1 # two\n\n3 2\n", NULL, 18},
		{"1 1\n2 1\n3 2\n1e300 1\n1e300 2\n", NULL, 0},
		{"1 1\n2 1\n3 2\n1e300 1\n1e299 2\n", "requests are not in order of their times", 0},
		{"1 1\n2 1\0 rest\n3 2\n", "the line has a NUL byte", 18},
		{"1 1\nnan 1\n", "expected a time in microseconds and the number of a program", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char path[] = "/tmp/heddle-requests-XXXXXX";
		int fd = mkstemp(path);
		size_t size = cases[i].size ? cases[i].size : strlen(cases[i].text);
		ck_assert_int_eq(write(fd, cases[i].text, size), (ssize_t)size);
		close(fd);
		struct requests requests = of(path, 10000);
		diag.emit = keep;
		last_message[0] = '\0';
		int status = requests_read(&requests, 2, &diag);
		unlink(path);
		ck_assert_int_eq(status, cases[i].message ? -1 : 0);
		ck_assert_str_eq(last_message, cases[i].message ? cases[i].message : "");
		ck_assert(status || (requests.of[0].len == 2 && requests.of[1].len == 1));
		requests_release(&requests);
	}
}
END_TEST

/* Nearest rank: of ten values the median is the fifth, 90 % the ninth, 91 % the tenth. */
START_TEST(percentiles)
{
	static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	ck_assert_double_eq(requests_percentile(values, 10, 50), 5);
	ck_assert_double_eq(requests_percentile(values, 10, 90), 9);
	ck_assert_double_eq(requests_percentile(values, 10, 91), 10);
	ck_assert_double_eq(requests_percentile(values, 10, 100), 10);
	ck_assert_double_eq(requests_percentile(values, 1, 50), 1);
}
END_TEST

/* Three programs of priorities 1, 0 and 1. Their requests took 4 and 8, 1, and 6 us, of which 2 and 0, 0, and 3 in the
 * queue: together 4, 6 and 8 for priority 1. */
START_TEST(figures_by_program_and_priority)
{
	struct requests requests = of("every:1", 10000);
	hd_vec_push(&requests.of[0], (struct request){0, 2000, 4000});
	hd_vec_push(&requests.of[0], (struct request){4000, 4000, 12000});
	hd_vec_push(&requests.of[1], (struct request){500, 500, 1500});
	hd_vec_push(&requests.of[2], (struct request){1000, 4000, 7000});
	json_t *document = json_object(),
	       *programs = json_pack("[{s:i},{s:i},{s:i}]", "priority", 1, "priority", 0, "priority", 1);
	requests_add(document, &requests, programs);
	const json_t *all = json_object_get(document, "requests"), *priorities = json_object_get(all, "priorities");
	ck_assert_int_eq(json_integer_value(json_object_get(all, "end")), 12000);
	ck_assert_uint_eq(json_array_size(priorities), 2);
	const json_t *low = json_array_get(priorities, 1), *latency = json_object_get(low, "latency_us");
	ck_assert_int_eq(json_integer_value(json_object_get(json_array_get(priorities, 0), "priority")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(low, "requests")), 3);
	ck_assert_double_eq_tol(json_real_value(json_object_get(low, "queued_us")), 5.0 / 3, 1e-9);
	ck_assert_double_eq_tol(json_real_value(json_object_get(latency, "mean")), 6, 1e-9);
	ck_assert_double_eq(json_real_value(json_object_get(latency, "p50")), 6);
	ck_assert_double_eq(json_real_value(json_object_get(latency, "p99")), 8);
	latency = json_object_get(json_array_get(programs, 1), "latency_us");
	ck_assert_double_eq(json_real_value(json_object_get(latency, "max")), 1);
	json_decref(programs);
	json_decref(document);
	requests_release(&requests);
}
END_TEST

static uint32_t sms_of(const char *text, uint32_t which, uint32_t sms)
{
	double shares[MPS_SHARES];
	uint32_t count = mps_read_shares(text, shares), mask = 0;
	ck_assert_uint_gt(count, 0);
	for (uint32_t sm = 0; sm < sms; sm++)
		mask |= (uint32_t)mps_has(shares, count, which, sm, sms) << sm;
	return mask;
}

/* Of 16 SMs 25, 50 and 60 % are 4, 8 and 9.6, which is 10: SMs 0 to 3, 4 to 11, and from 12 on once round to 5. */
START_TEST(shares_of_sms)
{
	ck_assert_uint_eq(sms_of("50,50", 0, 16), 0x00ff);
	ck_assert_uint_eq(sms_of("50,50", 1, 16), 0xff00);
	ck_assert_uint_eq(sms_of("25,50,60", 0, 16), 0x000f);
	ck_assert_uint_eq(sms_of("25,50,60", 1, 16), 0x0ff0);
	ck_assert_uint_eq(sms_of("25,50,60", 2, 16), 0xf03f);
	ck_assert_uint_eq(sms_of("25,50,60", 3, 16), 0xffff); /* without a share */
	ck_assert_uint_eq(sms_of("0.1", 0, 16), 1);
	ck_assert_uint_eq(sms_of("100", 0, 16), 0xffff);
	ck_assert_uint_eq(sms_of("50,50", 1, 15), 0x7f01); /* 8 and 8 of 15 */
	static const char *const wrong[] = {"", "0", "101", "50,", ",50", "a", "-5", "50 50", "1,1,1,1,1,1,1,1,1"};
	double shares[MPS_SHARES];
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		ck_assert_msg(!mps_read_shares(wrong[i], shares), "%s", wrong[i]);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("requests",
			     (const TTest *const[]){regular_arrivals, poisson_arrivals, wrong_arrivals, most_requests,
						    traces, percentiles, figures_by_program_and_priority, shares_of_sms,
						    NULL},
			     set_up, tear_down);
}
