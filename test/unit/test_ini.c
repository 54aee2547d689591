/* Lines of .ini files as inih gets them. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "lib/ini.h"

enum { ROOM = 12 }; /* ten characters */

static char report[256];

static void keep(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity;
	snprintf(report, sizeof report, "%s:%u: %s", loc.file, loc.line, message);
}

static struct hd_diag diag = {.emit = keep};
static struct hd_ini ini;

static void begin(const char *text, size_t size)
{
	report[0] = '\0';
	ini = hd_ini_of("x.ini", text, size, &diag);
}

static void expect_line(const char *wanted, const char *reported)
{
	char line[ROOM];
	ck_assert_ptr_eq(hd_ini_line(&ini, line, ROOM), line);
	ck_assert_str_eq(line, wanted);
	ck_assert_str_eq(report, reported);
	report[0] = '\0';
}

static void expect_end(uint32_t lines, bool wrong)
{
	char line[ROOM];
	ck_assert_ptr_null(hd_ini_line(&ini, line, ROOM));
	ck_assert_uint_eq(ini.loc.line, lines);
	ck_assert_int_eq(ini.wrong, wrong);
}

/* Ends of lines of both kinds, a byte order mark, indentation; the last line needs no end. */
START_TEST(lines_are_bare)
{
	static const char text[] = "\xef\xbb\xbf[a]\r\n\n \t b = 1\n\r\n  \n\xef\xbb\xbf\nc\rd = 2";
	begin(text, sizeof text - 1);
	expect_line("[a]", "");
	expect_line("", "");
	expect_line("b = 1", "");
	expect_line("", "");
	expect_line("", "");
	expect_line("\xef\xbb\xbf", "");
	expect_line("c\rd = 2", "");
	expect_end(7, false);
	begin("", 0);
	expect_end(0, false);
	begin("\n", 1);
	expect_line("", "");
	expect_end(1, false);
}
END_TEST

/* Ten characters fit, behind any indentation; comments are as long as they like. */
START_TEST(lines_are_whole)
{
	static const char text[] =
		"k = 345678\n          k = 345678\nk = 3456789\n; a long comment\n  # another one of them\nk = 1\n";
	begin(text, sizeof text - 1);
	expect_line("k = 345678", "");
	expect_line("k = 345678", "");
	expect_line("", "x.ini:3: the line is longer than 10 characters");
	expect_line("", "");
	expect_line("", "");
	expect_line("k = 1", "");
	expect_end(6, true);
}
END_TEST

/* Nothing is read of a line with a NUL byte, wherever it is; what follows is. */
START_TEST(nul_bytes_are_errors)
{
	static const char text[] = "k = 1\0 x\nk = 2\n\0\n; \0\nk = 3\0";
	begin(text, sizeof text - 1);
	expect_line("", "x.ini:1: the line has a NUL byte");
	expect_line("k = 2", "");
	expect_line("", "x.ini:3: the line has a NUL byte");
	expect_line("", "x.ini:4: the line has a NUL byte");
	expect_line("", "x.ini:5: the line has a NUL byte");
	expect_end(5, true);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("ini", (const TTest *const[]){lines_are_bare, lines_are_whole, nul_bytes_are_errors, NULL});
}
