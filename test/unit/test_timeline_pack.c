/* Packed text of timelines, against zstd's own decoder. */
#include "harness.h"

#include <zstd.h>

#include "runtime/watch/timeline_events.h"

/* What is written: through the output that writers use, and as it should be read. */
struct text {
	struct hd_timeline_output *out;
	char *packed;
	size_t size;
	HD_VEC(char) expected;
};

static void start(struct text *text)
{
	*text = (struct text){.out = calloc(1, sizeof(*text->out))};
	text->out->file = open_memstream(&text->packed, &text->size);
	text->out->pack = hd_pack_new();
}

static void expect(struct text *text, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hd_vec_push(&text->expected, bytes[i]);
}

static void put(struct text *text, const char *bytes, size_t length)
{
	hd_timeline_put(text->out, bytes, length);
	expect(text, bytes, length);
}

static void put_again(struct text *text, const char *bytes, size_t length, struct hd_timeline_place *place)
{
	hd_timeline_put_again(text->out, bytes, (uint32_t)length, place);
	expect(text, bytes, length);
}

/* As a reader of files does, which keeps a window and no more: a call with all of the text at hand follows any match.
 * Returns the text's bytes. */
static size_t unpack(const struct text *text, char *to, size_t room)
{
	ZSTD_inBuffer in = {text->packed, text->size, 0};
	ZSTD_outBuffer out = {to, room, 0};
	ZSTD_DStream *stream = ZSTD_createDStream();
	size_t left = 1;
	while (left && in.pos < in.size) {
		left = ZSTD_decompressStream(stream, &out, &in);
		ck_assert_msg(!ZSTD_isError(left), "%s", ZSTD_getErrorName(left));
		ck_assert_uint_le(out.pos, room - 1);
	}
	ck_assert_uint_eq(left, 0);
	ck_assert_uint_eq(in.pos, in.size);
	ZSTD_freeDStream(stream);
	return out.pos;
}

/* Returns the bytes of the frame. */
static size_t finish(struct text *text)
{
	ck_assert(hd_pack_block(text->out->pack, text->out->bytes, text->out->length, true, text->out->file));
	fclose(text->out->file);
	char *read = malloc(text->expected.len + 1);
	size_t length = unpack(text, read, text->expected.len + 1), size = text->size;
	ck_assert_uint_eq(length, text->expected.len);
	ck_assert(length == 0 || memcmp(read, text->expected.data, length) == 0);
	free(read);
	free(text->packed);
	hd_pack_free(text->out->pack);
	free(text->out);
	hd_vec_release(&text->expected);
	return size;
}

START_TEST(an_empty_frame_is_read)
{
	struct text text;
	start(&text);
	ck_assert_uint_lt(finish(&text), 16);
}
END_TEST

/* Fewer literals than have a code, and some that have none. */
START_TEST(literals_with_and_without_codes)
{
	struct text text;
	static const char bytes[] = "\xc3\xbc";
	start(&text);
	put(&text, "12\t34\n", 6);
	finish(&text);
	start(&text);
	for (unsigned i = 0; i < 100000; i++)
		put(&text, &"0123456789\tS\n"[i % 13], 1);
	ck_assert_uint_lt(finish(&text), 60000);
	start(&text);
	for (unsigned i = 0; i < 100000; i++)
		put(&text, i == 70000 ? bytes : "ab", 2);
	for (unsigned i = 0; i < 70000; i++)
		put(&text, (const char[]){(char)(i % 127)}, 1);
	finish(&text);
}
END_TEST

/* A count of literals in a block of their own, and a match behind them. */
static void put_lengths(struct text *text, const char *bytes, uint32_t literals, uint32_t length)
{
	struct hd_timeline_place place = {0};
	put_again(text, bytes, length, &place);
	hd_timeline_flush(text->out);
	put(text, bytes + 7, literals / 2);
	put(text, bytes + 7, literals - literals / 2);
	put_again(text, bytes, length, &place);
	ck_assert_uint_eq(text->out->pack->count, 1);
	ck_assert_uint_eq(text->out->pack->matches[0].literals, literals);
}

/* Every count of literals and every length have their code: all small ones, and those around each power of two, where a
 * length counts from 3. */
START_TEST(each_length_has_its_code)
{
	enum { LONGEST = 1 << 15 };
	struct text text;
	char *bytes = malloc(LONGEST + 8);
	start(&text);
	for (unsigned i = 0; i < LONGEST + 8; i++)
		bytes[i] = (char)('0' + i * i % 75);
	for (uint32_t number = 0; number < 300; number++)
		put_lengths(&text, bytes, number, HD_PACK_LEAST + number);
	for (uint32_t power = 256; power <= LONGEST; power *= 2)
		for (uint32_t number = power - 1; number <= power + 1; number++)
			for (uint32_t more = 0; more <= 3; more += 3)
				put_lengths(&text, bytes, number, number + more < LONGEST ? number + more : LONGEST);
	finish(&text);
	free(bytes);
}
END_TEST

static void put_other(struct text *text, uint32_t bytes)
{
	struct hd_timeline_place place = {0};
	static const char other[] =
		"0\t1\t2\t3\t4\t5\t6\t7\t8\t9\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9\t0\t1\t2\t3\t4\t5\t6\t7\t8\t9\t0\t1\t";
	for (; bytes >= 64; bytes -= 64)
		put_again(text, other, 64, &place);
	put(text, other, bytes);
}

/* What lies further back than a reader looks is written again. A reader's room for the window is larger than that, so
 * that several windows lie between at last. */
START_TEST(matches_reach_as_far_as_the_window)
{
	static const char far[] = "far away, behind a window";
	for (uint32_t i = 0; i < 3; i++) {
		const uint32_t back[] = {HD_PACK_WINDOW, HD_PACK_WINDOW + 1, 4 * HD_PACK_WINDOW};
		struct text text;
		struct hd_timeline_place place = {0};
		start(&text);
		put_again(&text, far, 25, &place);
		put_other(&text, back[i] - 25);
		hd_timeline_flush(text.out);
		put_again(&text, far, 25, &place);
		ck_assert_uint_eq(text.out->pack->count, i == 0);
		put_again(&text, far, 25, &place);
		ck_assert_uint_eq(text.out->pack->count, i == 0 ? 2 : 1);
		finish(&text);
	}
}
END_TEST

/* Matches without literals between them fill blocks, too. */
START_TEST(random_texts_are_read)
{
	for (unsigned seed = 0; seed < hd_samples(20, 400); seed++) {
		struct hd_timeline_place places[8] = {0};
		struct text text;
		unsigned state = seed * 2654435761u + 1;
		char texts[8][300];
		for (unsigned i = 0; i < 8; i++)
			for (unsigned j = 0; j < 300; j++)
				texts[i][j] = (char)(seed % 3 ? ' ' + (i * 31 + j * j) % 90 : (i + j * 7) % 250);
		start(&text);
		for (unsigned i = 0; i < 20000; i++) {
			state = state * 1664525 + 1013904223;
			unsigned which = state >> 29, length = state >> 12 & (seed % 2 ? 15 : 255);
			if (state >> 8 & 3 && seed % 5)
				put(&text, texts[which], length);
			else
				put_again(&text, texts[which], 20 + which * 30, &places[which]);
		}
		finish(&text);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("timeline_pack",
			   (const TTest *const[]){an_empty_frame_is_read, literals_with_and_without_codes,
						  each_length_has_its_code, matches_reach_as_far_as_the_window,
						  random_texts_are_read, NULL});
}
