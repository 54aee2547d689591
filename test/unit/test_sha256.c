/* lib/sha256.h against the examples of FIPS 180 and, at the lengths where padding changes, against itself in pieces. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/sha256.h"

static void digest(const char *bytes, size_t size, size_t piece, char text[HD_SHA256_TEXT])
{
	struct hd_sha256 hash;
	hd_sha256_init(&hash);
	for (size_t at = 0; at < size; at += piece)
		hd_sha256_add(&hash, bytes + at, size - at < piece ? size - at : piece);
	hd_sha256_finish(&hash, text);
}

START_TEST(published_examples)
{
	static const struct {
		const char *text, *digits;
	} known[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	char text[HD_SHA256_TEXT];
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		digest(known[i].text, strlen(known[i].text), 64, text);
		ck_assert_str_eq(text, known[i].digits);
	}
}
END_TEST

/* A million times "a", the third example of the standard, in pieces that straddle blocks. */
START_TEST(long_texts_in_pieces)
{
	static const size_t pieces[] = {1, 63, 64, 65, 1000000};
	enum { MILLION = 1000000 };
	char *bytes = hd_xmalloc(MILLION), text[HD_SHA256_TEXT];
	memset(bytes, 'a', MILLION);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		digest(bytes, MILLION, pieces[i], text);
		ck_assert_str_eq(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	}
	free(bytes);
}
END_TEST

/* 55, 56, 63 and 64 bytes: where the length does and does not fit behind the last bytes. */
START_TEST(padding)
{
	char bytes[130], whole[HD_SHA256_TEXT], parts[HD_SHA256_TEXT], before[HD_SHA256_TEXT] = "";
	memset(bytes, 'x', sizeof bytes);
	for (size_t size = 0; size <= sizeof bytes; size++) {
		digest(bytes, size, 128, whole);
		digest(bytes, size, 7, parts);
		ck_assert_str_eq(whole, parts);
		ck_assert_str_ne(whole, before);
		strcpy(before, whole);
	}
	digest(bytes, 56, 56, whole);
	ck_assert_str_eq(whole, "04c26261370ee7541549d16dee320c723e3fd14671e66a099afe0a377c16888e");
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {published_examples, long_texts_in_pieces, padding, NULL};
	return hd_suite_of("sha256", tests);
}
