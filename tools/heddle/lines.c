/*
 * Source lines of two runs, matched by their texts: see lines.h. Of whole files the longest common subsequence of
 * lines, by their digests; where as many lines of A as of B stand between two of these, they have been rewritten one by
 * one, if the texts of those that have slots are alike. Files are the same where their paths are, or else where no
 * other file of either run has their base name.
 *
 * Cost: O(lines of A * lines of B) for each file that differs, without those before the first and behind the last
 * difference. Where that is more than MOST_CELLS, what is between these is compared by number.
 */
#include "tools/heddle/lines.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "tools/heddle/source_line.h"

enum { MOST_CELLS = 1 << 24, DIGITS = 8 /* of a digest */, MOST_PAIRS = 1 << 12 /* of characters of a line */ };

/* Partners that are none. */
static const uint32_t alone = UINT32_MAX, by_number = UINT32_MAX - 1;

/* A file of a run. Lines count from 0 on here. */
struct lines {
	const json_t *texts; /* by number from 1 on, of those with slots */
	uint32_t *digests;
	uint32_t count;
	uint32_t *partner; /* the line of the other run */
};

/* ------------------------------------------------------------------ files */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The only file of the run with this base name; NULL: there is none, or more. */
static const char *only_named(const json_t *sources, const char *base)
{
	const char *file, *found = NULL;
	json_t *lines;
	unsigned count = 0;
	json_object_foreach((json_t *)sources, file, lines)
	{
		if (strcmp(base_of(file), base))
			continue;
		found = file;
		count++;
	}
	return count == 1 ? found : NULL;
}

static const char *partner_of(const json_t *const sources[2], const char *file)
{
	if (json_object_get(sources[1], file))
		return file;
	const char *other = only_named(sources[1], base_of(file));
	bool taken = other && json_object_get(sources[0], other);
	return other && !taken && only_named(sources[0], base_of(file)) ? other : NULL;
}

static const char *digests_of(const json_t *sources, const char *file)
{
	return json_string_value(json_object_get(json_object_get(sources, file), "digests"));
}

static void take_lines(struct lines *lines, const json_t *sources, const char *file)
{
	const char *digests = digests_of(sources, file);
	*lines = (struct lines){.texts = json_object_get(json_object_get(sources, file), "lines"),
				.count = (uint32_t)(strlen(digests) / DIGITS)};
	lines->digests = hd_xcalloc(lines->count + 1, sizeof *lines->digests);
	lines->partner = hd_xcalloc(lines->count + 1, sizeof *lines->partner);
	for (uint32_t i = 0; i < lines->count; i++) {
		char digest[DIGITS + 1];
		snprintf(digest, sizeof digest, "%s", digests + (size_t)DIGITS * i);
		lines->digests[i] = (uint32_t)strtoul(digest, NULL, 16);
		lines->partner[i] = alone;
	}
}

static void release(struct lines *lines)
{
	free(lines->digests);
	free(lines->partner);
}

/* NULL: the line has no slots. */
static const char *text_of(const struct lines *lines, uint32_t line)
{
	char number[16];
	snprintf(number, sizeof number, "%u", line + 1);
	return json_string_value(json_object_get(lines->texts, number));
}

/* ------------------------------------------------------------------ lines */

static bool is_same(const struct lines sides[2], uint32_t a, uint32_t b)
{
	return sides[0].digests[a] == sides[1].digests[b];
}

static void pair(struct lines sides[2], uint32_t a, uint32_t b)
{
	sides[0].partner[a] = b;
	sides[1].partner[b] = a;
}

/* The lines [from, to) of either side, which begin and end with different ones. */
static void align(struct lines sides[2], const uint32_t from[2], const uint32_t to[2])
{
	size_t rows = to[0] - from[0], columns = to[1] - from[1], width = columns + 1;
	if (!rows || !columns)
		return;
	if (rows > MOST_CELLS / width) {
		for (unsigned which = 0; which < 2; which++)
			for (uint32_t i = from[which]; i < to[which]; i++)
				sides[which].partner[i] = by_number;
		return;
	}
	/* The longest common subsequence of what is left from a row and a column on. */
	uint32_t *longest = hd_xcalloc((rows + 1) * width, sizeof *longest);
	for (size_t a = rows; a-- > 0;)
		for (size_t b = columns; b-- > 0;) {
			uint32_t down = longest[(a + 1) * width + b], right = longest[a * width + b + 1];
			longest[a * width + b] = is_same(sides, from[0] + (uint32_t)a, from[1] + (uint32_t)b)
							 ? longest[(a + 1) * width + b + 1] + 1
						 : down > right ? down
								: right;
		}
	for (size_t a = 0, b = 0; a < rows && b < columns;)
		if (is_same(sides, from[0] + (uint32_t)a, from[1] + (uint32_t)b)) {
			pair(sides, from[0] + (uint32_t)a, from[1] + (uint32_t)b);
			a++, b++;
		} else if (longest[(a + 1) * width + b] >= longest[a * width + b + 1]) {
			a++;
		} else {
			b++;
		}
	free(longest);
}

static unsigned pair_at(const char *text, size_t at)
{
	return ((unsigned char)text[at] * 31u + (unsigned char)text[at + 1]) % MOST_PAIRS;
}

/* Whether half of the pairs of neighbouring characters are in both. A line without slots may be like any. */
static bool is_like(const char *left, const char *right)
{
	uint16_t counts[MOST_PAIRS] = {0};
	if (!left || !right)
		return true;
	size_t lengths[2] = {strlen(left), strlen(right)}, common = 0;
	left = source_line_trim(left, &lengths[0]);
	right = source_line_trim(right, &lengths[1]);
	for (unsigned which = 0; which < 2; which++)
		lengths[which] = lengths[which] < SOURCE_LINE_MOST ? lengths[which] : SOURCE_LINE_MOST;
	for (size_t i = 0; i + 1 < lengths[0]; i++)
		counts[pair_at(left, i)]++;
	for (size_t i = 0; i + 1 < lengths[1]; i++)
		if (counts[pair_at(right, i)]) {
			counts[pair_at(right, i)]--;
			common++;
		}
	return 4 * common + 2 >= lengths[0] + lengths[1];
}

/* Where as many lines of A as of B stand between two pairs, they have been rewritten one by one. */
static void pair_rewritten(struct lines sides[2])
{
	uint32_t a = 0, b = 0;
	while (a < sides[0].count || b < sides[1].count) {
		uint32_t to_a = a, to_b = b;
		while (to_a < sides[0].count && sides[0].partner[to_a] == alone)
			to_a++;
		while (to_b < sides[1].count && sides[1].partner[to_b] == alone)
			to_b++;
		for (uint32_t i = 0; to_a - a == to_b - b && i < to_a - a; i++)
			if (is_like(text_of(&sides[0], a + i), text_of(&sides[1], b + i)))
				pair(sides, a + i, b + i);
		a = to_a + 1;
		b = to_b + 1;
	}
}

static void match(struct lines sides[2])
{
	uint32_t from[2] = {0, 0}, to[2] = {sides[0].count, sides[1].count};
	for (; from[0] < to[0] && from[1] < to[1] && is_same(sides, from[0], from[1]); from[0]++, from[1]++)
		pair(sides, from[0], from[1]);
	for (; to[0] > from[0] && to[1] > from[1] && is_same(sides, to[0] - 1, to[1] - 1); to[0]--, to[1]--)
		pair(sides, to[0] - 1, to[1] - 1);
	align(sides, from, to);
	pair_rewritten(sides);
}

/* ------------------------------------------------------------------ pairs */

static void add_lines(const struct lines sides[2], json_t *pairs)
{
	for (unsigned which = 0; which < 2; which++)
		for (uint32_t i = 0; i < sides[which].count; i++) {
			uint32_t partner = sides[which].partner[i];
			bool told = which && partner < sides[0].count && text_of(&sides[0], partner);
			if (partner == i || partner == by_number || told || !text_of(&sides[which], i))
				continue;
			json_int_t other = partner == alone ? 0 : partner + 1;
			json_array_append_new(pairs, json_integer(which ? other : i + 1));
			json_array_append_new(pairs, json_integer(which ? i + 1 : other));
		}
}

json_t *lines_match(const json_t *const slots[2])
{
	const json_t *const sources[2] = {json_object_get(slots[0], "sources"), json_object_get(slots[1], "sources")};
	json_t *matches = json_array(), *lines;
	const char *file;
	json_object_foreach((json_t *)sources[0], file, lines)
	{
		const char *other = partner_of(sources, file);
		const char *digests[2] = {digests_of(sources[0], file), other ? digests_of(sources[1], other) : NULL};
		bool same_text = digests[0] && digests[1] && strcmp(digests[0], digests[1]) == 0;
		if (!digests[0] || !digests[1] || (same_text && strcmp(file, other) == 0))
			continue;
		json_t *pairs = json_array();
		if (!same_text) {
			struct lines sides[2];
			take_lines(&sides[0], sources[0], file);
			take_lines(&sides[1], sources[1], other);
			match(sides);
			add_lines(sides, pairs);
			release(&sides[0]);
			release(&sides[1]);
		}
		json_array_append_new(matches, json_pack("{s:s,s:s,s:o}", "a", file, "b", other, "lines", pairs));
	}
	return matches;
}

/* ------------------------------------------------------------------ names */

static void name_line(json_t *names, unsigned which, const char *const files[2], const json_int_t numbers[2])
{
	struct hd_strbuf name = {0};
	char number[24];
	snprintf(number, sizeof number, "%lld", (long long)numbers[which]);
	if (!numbers[which])
		return;
	if (numbers[!which])
		hd_strbuf_printf(&name, "%s:%lld (%lld in A)", files[1], (long long)numbers[1], (long long)numbers[0]);
	else
		hd_strbuf_printf(&name, "%s:%s in %c alone", files[which], number, which ? 'B' : 'A');
	json_object_set_new(names, number, json_string(hd_strbuf_text(&name)));
	hd_strbuf_release(&name);
}

void lines_names(const json_t *matches, json_t *names[2])
{
	names[0] = json_object();
	names[1] = json_object();
	for (size_t i = 0; i < json_array_size(matches); i++) {
		const json_t *match = json_array_get(matches, i), *lines = json_object_get(match, "lines");
		const char *const files[2] = {json_string_value(json_object_get(match, "a")),
					      json_string_value(json_object_get(match, "b"))};
		for (unsigned which = 0; which < 2; which++) {
			json_t *of_file = json_pack("{s:s}", "", files[1]);
			for (size_t at = 0; at + 1 < json_array_size(lines); at += 2) {
				const json_int_t numbers[2] = {json_integer_value(json_array_get(lines, at)),
							       json_integer_value(json_array_get(lines, at + 1))};
				name_line(of_file, which, files, numbers);
			}
			json_object_set_new(names[which], files[which], of_file);
		}
	}
}

bool lines_name(const json_t *names, const char *file, json_int_t line, struct hd_strbuf *out)
{
	const json_t *of_file = json_object_get(names, file);
	char number[24];
	snprintf(number, sizeof number, "%lld", (long long)line);
	const char *name = json_string_value(json_object_get(of_file, number));
	if (name)
		hd_strbuf_append(out, name);
	else if (of_file)
		hd_strbuf_printf(out, "%s:%s", json_string_value(json_object_get(of_file, "")), number);
	return of_file;
}
