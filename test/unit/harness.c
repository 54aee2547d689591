/*
 * main() of every unit-test program. Check itself reads CK_VERBOSITY, CK_FORK,
 * CK_RUN_CASE and CK_TAP_LOG_FILE_NAME, through which test/run collects each case.
 */
#include "harness.h"

#include <signal.h>
#include <stdlib.h>

struct hd_mark hd_last_mark;

/* Tells Check where the case was; what the signal does by default comes behind it. */
static void tell_mark(int number)
{
	if (hd_last_mark.file)
		(_mark_point)(hd_last_mark.file, hd_last_mark.line);
	raise(number);
}

/* Of signals that end a case, but for those that a sanitizer has taken. */
static void catch_signals(void)
{
	static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		struct sigaction before, after = {.sa_handler = tell_mark, .sa_flags = (int)SA_RESETHAND};
		if (!sigaction(numbers[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(numbers[i], &after, NULL);
	}
}

unsigned hd_samples(unsigned few, unsigned many)
{
	return getenv("HEDDLE_LONG") ? many : few;
}

Suite *hd_suite_of(const char *name, const TTest *const tests[])
{
	return hd_suite_with(name, tests, NULL, NULL);
}

Suite *hd_suite_with(const char *name, const TTest *const tests[], SFun set_up, SFun tear_down)
{
	Suite *suite = suite_create(name);
	for (unsigned i = 0; tests[i]; i++) {
		/* A case each, so that CK_RUN_CASE can select it. */
		TCase *one = tcase_create(tests[i]->name);
		tcase_add_checked_fixture(one, set_up, tear_down);
		tcase_add_test(one, tests[i]);
		suite_add_tcase(suite, one);
	}
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(hd_suite());
	catch_signals();
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
