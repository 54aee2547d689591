/* The string buffer. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "lib/strbuf.h"

START_TEST(empty_reads_as_empty_text)
{
	struct hd_strbuf buf = {0};
	ck_assert_str_eq(hd_strbuf_text(&buf), "");
	char *text = hd_strbuf_detach(&buf);
	ck_assert_str_eq(text, "");
	free(text);
	hd_strbuf_release(&buf);
}
END_TEST

START_TEST(append_and_printf_add_at_the_end)
{
	struct hd_strbuf buf = {0};
	hd_strbuf_append(&buf, "R");
	hd_strbuf_printf(&buf, "%d, [R%d + 0x%x]", 4, 1, 16);
	hd_strbuf_append(&buf, "");
	ck_assert_str_eq(hd_strbuf_text(&buf), "R4, [R1 + 0x10]");
	ck_assert_uint_eq(buf.len, strlen("R4, [R1 + 0x10]"));
	hd_strbuf_release(&buf);
	ck_assert_uint_eq(buf.len, 0);
}
END_TEST

START_TEST(clear_empties_and_keeps_the_memory)
{
	struct hd_strbuf buf = {0};
	hd_strbuf_clear(&buf);
	ck_assert_str_eq(hd_strbuf_text(&buf), "");
	hd_strbuf_append(&buf, "the text of one line");
	char *data = buf.data;
	hd_strbuf_clear(&buf);
	ck_assert_uint_eq(buf.len, 0);
	ck_assert_str_eq(hd_strbuf_text(&buf), "");
	hd_strbuf_append(&buf, "the next");
	ck_assert_str_eq(hd_strbuf_text(&buf), "the next");
	ck_assert_ptr_eq(buf.data, data);
	hd_strbuf_release(&buf);
}
END_TEST

/* Every length around the first capacity, where an off-by-one would write the NUL outside. */
START_TEST(grows_at_any_length)
{
	for (int fill = 0; fill < 140; fill++) {
		struct hd_strbuf buf = {0};
		for (int i = 0; i < fill; i++)
			hd_strbuf_append_bytes(&buf, "x", 1);
		hd_strbuf_printf(&buf, "%0*d", 64, 7);
		ck_assert_uint_eq(buf.len, (size_t)fill + 64);
		ck_assert_uint_eq(strlen(hd_strbuf_text(&buf)), buf.len);
		hd_strbuf_release(&buf);
	}
}
END_TEST

/* What was cut off at the end of the room is written again; what cannot be written leaves nothing behind. */
START_TEST(texts_of_any_length_are_whole)
{
	char expected[512] = "";
	struct hd_strbuf buf = {0};
	for (int length = 0, at = 0; length < 30; length++) {
		hd_strbuf_printf(&buf, "%.*s|", length, "abcdefghijklmnopqrstuvwxyzabcd");
		at += snprintf(expected + at, sizeof expected - (size_t)at, "%.*s|", length,
			       "abcdefghijklmnopqrstuvwxyzabcd");
		ck_assert_str_eq(hd_strbuf_text(&buf), expected);
		ck_assert_uint_eq(buf.len, (size_t)at);
	}
	hd_strbuf_printf(&buf, "lost %lc", (wint_t)0xd800); /* no character of the C locale */
	ck_assert_str_eq(hd_strbuf_text(&buf), expected);
	hd_strbuf_append(&buf, "");
	ck_assert_uint_eq(buf.len, strlen(expected));
	hd_strbuf_release(&buf);
}
END_TEST

START_TEST(bytes_may_contain_nul)
{
	struct hd_strbuf buf = {0};
	hd_strbuf_append_bytes(&buf, "a\0b", 3);
	hd_strbuf_append_bytes(&buf, NULL, 0);
	ck_assert_uint_eq(buf.len, 3);
	ck_assert_mem_eq(buf.data, "a\0b", 4);
	hd_strbuf_release(&buf);
}
END_TEST

START_TEST(detach_hands_over_and_empties)
{
	struct hd_strbuf buf = {0};
	hd_strbuf_append(&buf, "kernel");
	char *text = hd_strbuf_detach(&buf);
	hd_strbuf_append(&buf, "next");
	ck_assert_str_eq(text, "kernel");
	ck_assert_str_eq(hd_strbuf_text(&buf), "next");
	free(text);
	hd_strbuf_release(&buf);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("strbuf", (const TTest *const[]){
					     empty_reads_as_empty_text,
					     append_and_printf_add_at_the_end,
					     clear_empties_and_keeps_the_memory,
					     grows_at_any_length,
					     texts_of_any_length_are_whole,
					     bytes_may_contain_nul,
					     detach_hands_over_and_empties,
					     NULL,
				     });
}
