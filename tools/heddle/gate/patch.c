/*
 * Unified diffs of small texts, as git reads them.
 *
 * Cost: that of matching their lines (match.c).
 */
#include <stdlib.h>
#include <string.h>

#include "tools/heddle/gate/baseline.h"
#include "tools/heddle/gate/match.h"

enum { CONTEXT = 3 };

struct line {
	const char *text;
	size_t len; /* with the newline, where there is one */
};

typedef HD_VEC(struct line) line_list;

struct diff {
	line_list old, new;
	HD_VEC(struct gate_edit) edits;
};

static void split(line_list *lines, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		len += text[len] == '\n';
		hd_vec_push(lines, (struct line){text, len});
		text += len;
	}
}

static bool same_line(const void *context, uint32_t old, uint32_t new)
{
	const struct diff *diff = context;
	struct line a = diff->old.data[old], b = diff->new.data[new];
	return a.len == b.len && memcmp(a.text, b.text, a.len) == 0;
}

static void diff_lines(struct diff *diff)
{
	hd_vec_reserve(&diff->edits, diff->old.len + diff->new.len);
	diff->edits.len = gate_match(diff->old.len, diff->new.len, same_line, diff, diff->edits.data);
}

static void append_range(struct hd_strbuf *out, char sign, uint32_t first, uint32_t count)
{
	/* An empty range is named by the line before it. */
	hd_strbuf_printf(out, "%c%u,%u ", sign, count ? first + 1 : first, count);
}

/* Edits [from, to), with old lines counted from `old_line` and new ones from `new_line`. */
static void append_hunk(struct hd_strbuf *out, const struct diff *diff, uint32_t from, uint32_t to, uint32_t old_line,
			uint32_t new_line)
{
	uint32_t removed = 0, added = 0;
	for (uint32_t i = from; i < to; i++) {
		removed += diff->edits.data[i].kind != '+';
		added += diff->edits.data[i].kind != '-';
	}
	hd_strbuf_append(out, "@@ ");
	append_range(out, '-', old_line, removed);
	append_range(out, '+', new_line, added);
	hd_strbuf_append(out, "@@\n");
	for (uint32_t i = from; i < to; i++) {
		const struct gate_edit *edit = &diff->edits.data[i];
		struct line line = edit->kind == '+' ? diff->new.data[edit->new] : diff->old.data[edit->old];
		hd_strbuf_append_bytes(out, &edit->kind, 1);
		hd_strbuf_append_bytes(out, line.text, line.len);
		if (line.text[line.len - 1] != '\n')
			hd_strbuf_append(out, "\n\\ No newline at end of file\n");
	}
}

/* Where the hunk ends that holds the change at `at`: before the gap that is longer than its context on both sides. */
static uint32_t hunk_end(const struct diff *diff, uint32_t at)
{
	uint32_t end = at, same = 0;
	for (uint32_t i = at; i < diff->edits.len && same <= 2 * CONTEXT; i++) {
		same = diff->edits.data[i].kind == ' ' ? same + 1 : 0;
		if (!same)
			end = i + 1;
	}
	return diff->edits.len - end < CONTEXT ? diff->edits.len : end + CONTEXT;
}

static void append_hunks(struct hd_strbuf *out, const struct diff *diff)
{
	uint32_t old_line = 0, new_line = 0, done = 0;
	for (uint32_t i = 0; i < diff->edits.len; i++) {
		if (diff->edits.data[i].kind == ' ')
			continue;
		uint32_t from = i - done > CONTEXT ? i - CONTEXT : done, end = hunk_end(diff, i);
		for (; done < from; done++)
			old_line++, new_line++;
		append_hunk(out, diff, from, end, old_line, new_line);
		for (; done < end; done++) {
			old_line += diff->edits.data[done].kind != '+';
			new_line += diff->edits.data[done].kind != '-';
		}
		i = end - 1;
	}
}

/* Git reads names with anything unusual in them as C strings. */
static void append_name(struct hd_strbuf *out, const char *prefix, const char *path)
{
	bool quoted = false;
	for (const char *at = path; *at; at++)
		quoted |= (unsigned char)*at < 0x20 || (unsigned char)*at >= 0x7f || strchr("\"\\", *at);
	hd_strbuf_printf(out, "%s%s", quoted ? "\"" : "", prefix);
	for (const char *at = path; *at; at++) {
		unsigned char byte = (unsigned char)*at;
		if (byte < 0x20 || byte >= 0x7f)
			hd_strbuf_printf(out, "\\%03o", byte);
		else
			hd_strbuf_printf(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
	}
	/* A name with a space ends at a tab. */
	hd_strbuf_append(out, quoted ? "\"" : strchr(path, ' ') ? "\t" : "");
}

void gate_patch_append(struct hd_strbuf *out, const char *path, const char *old, const char *new)
{
	struct diff diff = {0};
	if (old && strcmp(old, new) == 0)
		return;
	split(&diff.old, old ? old : "");
	split(&diff.new, new);
	diff_lines(&diff);
	if (!old) {
		struct hd_strbuf a = {0}, b = {0};
		append_name(&a, "a/", path);
		append_name(&b, "b/", path);
		hd_strbuf_printf(out, "diff --git %.*s %.*s\nnew file mode 100644\n--- /dev/null\n+++ %s\n",
				 (int)strcspn(hd_strbuf_text(&a), "\t"), hd_strbuf_text(&a),
				 (int)strcspn(hd_strbuf_text(&b), "\t"), hd_strbuf_text(&b), hd_strbuf_text(&b));
		hd_strbuf_release(&a);
		hd_strbuf_release(&b);
	} else {
		hd_strbuf_append(out, "--- ");
		append_name(out, "a/", path);
		hd_strbuf_append(out, "\n+++ ");
		append_name(out, "b/", path);
		hd_strbuf_append(out, "\n");
	}
	append_hunks(out, &diff);
	hd_vec_release(&diff.old);
	hd_vec_release(&diff.new);
	hd_vec_release(&diff.edits);
}
