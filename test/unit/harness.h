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

/* The program's suite, built with hd_suite_of() or with Check's own functions. */
Suite *hd_suite(void);

/* How many samples a random test takes: `few`, and `many` in the long form (make check-long). */
unsigned hd_samples(unsigned few, unsigned many);

/* A suite called `name` of the tests in the list, which ends with NULL. */
Suite *hd_suite_of(const char *name, const TTest *const tests[]);
/* The same with a fixture around each. */
Suite *hd_suite_with(const char *name, const TTest *const tests[], SFun set_up, SFun tear_down);

#endif
