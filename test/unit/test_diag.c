/* Diagnostics: what is counted, what the sink sees, what stderr shows, which names are near. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"

struct seen {
	enum hd_severity severity;
	struct hd_loc loc;
	char message[128];
	unsigned calls;
};

static void remember(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct seen *seen = context;
	seen->severity = severity;
	seen->loc = loc;
	snprintf(seen->message, sizeof(seen->message), "%s", message);
	seen->calls++;
}

START_TEST(reports_are_counted_and_reach_the_sink)
{
	struct seen seen = {0};
	struct hd_diag diag = {.emit = remember, .context = &seen};
	struct hd_loc loc = {"nbody.cu", 12, 3};
	ck_assert_int_eq(hd_error(&diag, loc, "%s is %d", "x", 7), -1);
	ck_assert_str_eq(seen.message, "x is 7");
	ck_assert_int_eq(seen.severity, HD_ERROR);
	ck_assert_str_eq(seen.loc.file, "nbody.cu");
	ck_assert_uint_eq(seen.loc.line, 12);
	ck_assert_uint_eq(seen.loc.column, 3);
	hd_warning(&diag, HD_NOWHERE, "careful");
	ck_assert_int_eq(seen.severity, HD_WARNING);
	ck_assert_ptr_null(seen.loc.file);
	ck_assert_uint_eq(seen.calls, 2);
	ck_assert_uint_eq(diag.errors, 1);
}
END_TEST

/* What one error prints on stderr, in `text`. */
static void printed(struct hd_diag *diag, struct hd_loc loc, char *text, size_t room)
{
	FILE *file = tmpfile();
	ck_assert_ptr_nonnull(file);
	fflush(stderr);
	int saved = dup(STDERR_FILENO);
	dup2(fileno(file), STDERR_FILENO);
	hd_error(diag, loc, "bad");
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, room - 1, file)] = '\0';
	fclose(file);
}

START_TEST(the_place_comes_first)
{
	static const struct {
		struct hd_loc loc;
		const char *expected;
	} cases[] = {
		{{"a.cu", 12, 3}, "a.cu:12:3: error: bad\n"},
		{{"a.cu", 12, 0}, "a.cu:12: error: bad\n"},
		{{"a.cu", 0, 0}, "a.cu: error: bad\n"},
		{{NULL, 0, 0}, "heddle-cc: error: bad\n"},
	};
	struct hd_diag diag = {.tool = "heddle-cc"};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128];
		printed(&diag, cases[i].loc, text, sizeof(text));
		ck_assert_str_eq(text, cases[i].expected);
	}
}
END_TEST

static void check_nearest(const char *wanted, const char *expected)
{
	static const char *const names[] = {"v100", "titanv", "gtx480", "maxwell-ltrf", "maxwell-duet", "rtx3070"};
	char *near = hd_nearest_names(wanted, names, sizeof(names) / sizeof(names[0]));
	ck_assert_str_eq(near, expected);
	free(near);
}

START_TEST(nearest_names_by_edit_distance)
{
	check_nearest("v10", "v100");				/* a letter missing */
	check_nearest("v1000", "v100");				/* one too many */
	check_nearest("V100", "v100");				/* case does not count */
	check_nearest("titnav", "titanv");			/* two swapped */
	check_nearest("maxwell", "maxwell-ltrf, maxwell-duet"); /* a beginning */
	check_nearest("titanvxyz", "titanv");			/* three of nine letters too many */
	check_nearest("itnv", "");				/* two of four missing */
	check_nearest("axwell-ue", "maxwell-duet");		/* three of nine letters missing */
	check_nearest("radeon", "");
	check_nearest("", "");
	char *none = hd_nearest_names("v100", NULL, 0);
	ck_assert_str_eq(none, "");
	free(none);
}
END_TEST

START_TEST(nearest_first_and_at_most_three)
{
	static const char *const names[] = {"abcdex", "abcdey", "abcdefg", "abcdef", "abcdez"};
	char *near = hd_nearest_names("abcdef", names, 5);
	ck_assert_str_eq(near, "abcdef, abcdex, abcdey");
	free(near);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("diag", (const TTest *const[]){
					   reports_are_counted_and_reach_the_sink,
					   the_place_comes_first,
					   nearest_names_by_edit_distance,
					   nearest_first_and_at_most_three,
					   NULL,
				   });
}
