/*
 * Source lines of two runs, matched by their texts: see lines.h. The longest common subsequence of the lines that have
 * slots, and what stands between them where it is as many lines. Files are the same where their paths are, or else
 * where no other file of either run has their base name.
 *
 * Cost: O(lines of A * lines of B) for each file, without those before the first and behind the last difference.
 */
#include "tools/heddle/lines.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

enum { MOST_CELLS = 1 << 24 };

struct line {
	unsigned long number;
	const char *text; /* without the blanks around it */
	size_t length;
};

struct lines {
	const char *file;
	HD_VEC(struct line) list;
	uint32_t *partner; /* the line of the other run; UINT32_MAX: none */
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

static int by_number(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	return (a->number > b->number) - (a->number < b->number);
}

static void take_lines(struct lines *lines, const json_t *sources, const char *file)
{
	const char *number;
	json_t *value;
	*lines = (struct lines){.file = file};
	json_object_foreach(json_object_get(sources, file), number, value)
	{
		const char *text = json_string_value(value);
		if (!text)
			continue;
		text += strspn(text, " \t");
		size_t length = strlen(text);
		while (length && isspace((unsigned char)text[length - 1]))
			length--;
		hd_vec_push(&lines->list, (struct line){strtoul(number, NULL, 10), text, length});
	}
	if (lines->list.len)
		qsort(lines->list.data, lines->list.len, sizeof *lines->list.data, by_number);
	lines->partner = hd_xcalloc(lines->list.len + 1, sizeof *lines->partner);
	memset(lines->partner, 0xff, (lines->list.len + 1) * sizeof *lines->partner);
}

static void release(struct lines *lines)
{
	hd_vec_release(&lines->list);
	free(lines->partner);
}

/* ------------------------------------------------------------------ lines */

static bool is_same(const struct lines sides[2], uint32_t a, uint32_t b)
{
	const struct line *left = &sides[0].list.data[a], *right = &sides[1].list.data[b];
	return left->length == right->length && memcmp(left->text, right->text, left->length) == 0;
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
	if (!rows || !columns || rows > MOST_CELLS / width)
		return;
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

/* Where as many lines of A as of B stand between two pairs, they have been rewritten one by one. */
static void pair_rewritten(struct lines sides[2])
{
	uint32_t a = 0, b = 0;
	while (a < sides[0].list.len || b < sides[1].list.len) {
		uint32_t to_a = a, to_b = b;
		while (to_a < sides[0].list.len && sides[0].partner[to_a] == UINT32_MAX)
			to_a++;
		while (to_b < sides[1].list.len && sides[1].partner[to_b] == UINT32_MAX)
			to_b++;
		for (uint32_t i = 0; to_a - a == to_b - b && i < to_a - a; i++)
			pair(sides, a + i, b + i);
		a = to_a + 1;
		b = to_b + 1;
	}
}

static void match(struct lines sides[2])
{
	uint32_t from[2] = {0, 0}, to[2] = {sides[0].list.len, sides[1].list.len};
	for (; from[0] < to[0] && from[1] < to[1] && is_same(sides, from[0], from[1]); from[0]++, from[1]++)
		pair(sides, from[0], from[1]);
	for (; to[0] > from[0] && to[1] > from[1] && is_same(sides, to[0] - 1, to[1] - 1); to[0]--, to[1]--)
		pair(sides, to[0] - 1, to[1] - 1);
	align(sides, from, to);
	pair_rewritten(sides);
}

/* ------------------------------------------------------------------ names */

static void put_name(json_t *names, const char *file, unsigned long number, const char *name)
{
	struct hd_strbuf place = {0};
	hd_strbuf_printf(&place, "%s:%lu", file, number);
	json_object_set_new(names, hd_strbuf_text(&place), json_string(name));
	hd_strbuf_release(&place);
}

static void name_lines(const struct lines sides[2], unsigned which, json_t *names)
{
	const struct lines *own = &sides[which];
	for (uint32_t i = 0; i < own->list.len; i++) {
		unsigned long number = own->list.data[i].number;
		struct hd_strbuf name = {0};
		if (own->partner[i] == UINT32_MAX) {
			hd_strbuf_printf(&name, "%s:%lu in %c alone", sides[1].file, number, which ? 'B' : 'A');
		} else {
			unsigned long a = which ? sides[0].list.data[own->partner[i]].number : number,
				      b = which ? number : sides[1].list.data[own->partner[i]].number;
			hd_strbuf_printf(&name, "%s:%lu", sides[1].file, b);
			if (a != b)
				hd_strbuf_printf(&name, " (%lu in A)", a);
		}
		put_name(names, own->file, number, hd_strbuf_text(&name));
		hd_strbuf_release(&name);
	}
}

void lines_match(const json_t *const slots[2], json_t *names[2])
{
	const json_t *sources[2] = {json_object_get(slots[0], "sources"), json_object_get(slots[1], "sources")};
	const char *file;
	json_t *lines;
	names[0] = json_object();
	names[1] = json_object();
	json_object_foreach((json_t *)sources[0], file, lines)
	{
		const char *other = partner_of(sources, file);
		struct lines sides[2];
		if (!other)
			continue;
		take_lines(&sides[0], sources[0], file);
		take_lines(&sides[1], sources[1], other);
		match(sides);
		for (unsigned which = 0; which < 2; which++)
			name_lines(sides, which, names[which]);
		release(&sides[0]);
		release(&sides[1]);
	}
}
