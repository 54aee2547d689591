/*
 * What every unit-test program shares. A program is one file, test/unit/test_X.c,
 * that includes this header and defines hd_suite(); main() comes from harness.c.
 * Files here that are not called test_* (mock neighbours) are linked where needed.
 *
 * A comment with `LINK: passes` in the first three lines links the passes and libLLVM,
 * `LINK: cudart` the CUDA runtime's objects; lib and the simulator always are.
 */
#ifndef HD_TEST_UNIT_HARNESS_H
#define HD_TEST_UNIT_HARNESS_H

#include <check.h>

/* Check writes the place of each assertion that holds to a file, for the case that the next one is never reached: up to
 * two thirds of the time of a program with many of them. Here the last place is kept, and written when a signal comes.
 */
#define _mark_point(file, line) (hd_last_mark = (struct hd_mark){(file), (line)}, (void)0)
struct hd_mark {
	const char *file;
	int line;
};
extern struct hd_mark hd_last_mark;

/* The program's suite, built with hd_suite_of() or with Check's own functions. */
Suite *hd_suite(void);

/* How many samples a random test takes: `few`, and `many` in the long form (make check-long). */
unsigned hd_samples(unsigned few, unsigned many);

/* A suite called `name` of the tests in the list, which ends with NULL. */
Suite *hd_suite_of(const char *name, const TTest *const tests[]);
/* The same with a fixture around each. */
Suite *hd_suite_with(const char *name, const TTest *const tests[], SFun set_up, SFun tear_down);

#endif
