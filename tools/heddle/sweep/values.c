/*
 * Lists, ranges and variables: see values.h.
 */
#include "tools/heddle/sweep/values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OF_RANGE = 1000000 };

struct range {
	int64_t first, last, step;
	bool times; /* by a factor, else by a sum */
};

static bool number(const char **at, int64_t *value)
{
	char *end;
	errno = 0;
	const char *digits = **at == '-' ? *at + 1 : *at;
	if (!isdigit((unsigned char)*digits))
		return false;
	*value = strtoll(*at, &end, 10);
	*at = end;
	return !errno;
}

/* "1..8", "0..100+25", "1..64*2". */
static bool read_range(const char *text, struct range *range)
{
	*range = (struct range){.step = 1};
	if (!number(&text, &range->first) || strncmp(text, "..", 2) != 0)
		return false;
	text += 2;
	if (!number(&text, &range->last))
		return false;
	if (!*text)
		return true;
	range->times = *text == '*';
	if (*text != '+' && *text != '*')
		return false;
	text++;
	return isdigit((unsigned char)*text) && number(&text, &range->step) && !*text;
}

static void add(struct plan_list *list, const char *text, uint32_t line, struct hd_arena *arena)
{
	hd_vec_push_in(&list->values, arena, (struct plan_value){text, line});
}

static const char *add_range(struct plan_list *list, const struct range *range, uint32_t line, struct hd_arena *arena)
{
	if (range->first > range->last)
		return "a range begins with its lower end";
	if (range->times ? range->step < 2 || range->first < 1 : range->step < 1)
		return "a range has a step from 1 on, or a factor from 2 on and begins above 0";
	uint32_t count = 0;
	for (int64_t value = range->first; value <= range->last; count++) {
		if (count == MOST_OF_RANGE)
			return "a range of more than 1000000 values";
		add(list, hd_arena_printf(arena, "%" PRId64, value), line, arena);
		int64_t next;
		if (range->times ? __builtin_mul_overflow(value, range->step, &next)
				 : __builtin_add_overflow(value, range->step, &next))
			break;
		value = next;
	}
	return NULL;
}

/* The end of the value that begins here: a comma outside of quotes, or the text's end. */
static const char *value_end(const char *text)
{
	bool quoted = false;
	for (; *text && (quoted || *text != ','); text++)
		quoted = *text == '"' ? !quoted : quoted;
	return quoted ? NULL : text;
}

static const char *trimmed(const char *from, const char *to, struct hd_arena *arena)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (from < to && isspace((unsigned char)to[-1]))
		to--;
	return hd_arena_printf(arena, "%.*s", (int)(to - from), from);
}

static const char *add_value(struct plan_list *list, const char *text, uint32_t line, struct hd_arena *arena)
{
	struct range range;
	size_t length = strlen(text);
	bool quoted = length > 1 && *text == '"' && strchr(text + 1, '"') == text + length - 1;
	if (quoted)
		add(list, hd_arena_printf(arena, "%.*s", (int)length - 2, text + 1), line, arena);
	else if (strchr(text, '"'))
		return "quotes go around a whole value";
	else if (read_range(text, &range))
		return add_range(list, &range, line, arena);
	else
		add(list, text, line, arena);
	return NULL;
}

const char *values_add(struct plan_list *list, const char *text, uint32_t line, struct hd_arena *arena)
{
	for (;;) {
		const char *end = value_end(text);
		if (!end)
			return "a quote without an end";
		const char *wrong = add_value(list, trimmed(text, end, arena), line, arena);
		if (wrong || !*end)
			return wrong;
		text = end + 1;
		/* A comma at a line's end: the next line goes on. */
		if (!*trimmed(text, text + strlen(text), arena))
			return NULL;
	}
}

/* ------------------------------------------------------------ variables */

static size_t name_length(const char *text)
{
	size_t length = 0;
	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

const char *values_next_variable(const char **at, struct hd_arena *arena)
{
	for (const char *open = strchr(*at, '{'); open; open = strchr(open + 1, '{')) {
		size_t length = name_length(open + 1);
		if (!length || open[1 + length] != '}')
			continue;
		*at = open + length + 2;
		return hd_arena_printf(arena, "%.*s", (int)length, open + 1);
	}
	return NULL;
}

const char *values_replace(const char *text, const char *name, const char *by, struct hd_arena *arena)
{
	size_t length = strlen(name);
	struct hd_strbuf replaced = {0};
	const char *from = text;
	for (const char *open = strchr(text, '{'); open; open = strchr(open + 1, '{')) {
		if (strncmp(open + 1, name, length) != 0 || open[1 + length] != '}')
			continue;
		hd_strbuf_append_bytes(&replaced, from, (size_t)(open - from));
		hd_strbuf_append(&replaced, by);
		from = open + length + 2;
	}
	if (from != text)
		hd_strbuf_append(&replaced, from);
	const char *result = from == text ? text : hd_arena_strdup(arena, hd_strbuf_text(&replaced));
	hd_strbuf_release(&replaced);
	return result;
}
