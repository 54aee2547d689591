/*
 * Which source lines instructions (all, or those of a kind) come from, and which lines made them more or fewer. Lines
 * move between two versions of a source, and the old version's text is not at hand: lines are matched, in their order,
 * by the operations that they were compiled to. What is left between matched lines is a hunk, and carries the
 * difference of its instructions; as many lines as before are matched one by one.
 *
 * Cost: that of matching the lines of a function (match.c).
 */
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "tools/heddle/cubin_input.h"
#include "tools/heddle/gate/carry.h"
#include "tools/heddle/gate/match.h"

enum { MOST_HUNKS = 3 };

/* A source line with the code that it was compiled to. */
struct code_line {
	const char *file;
	const struct hd_origin *origin; /* of one of its instructions */
	uint64_t operations;		/* a sum over the instructions: their order is the scheduler's business */
	uint32_t count;			/* of its instructions that are of the kind */
};

typedef HD_VEC(struct code_line) code_lines;

static int by_place(const void *a, const void *b)
{
	const struct code_line *left = a, *right = b;
	int order = strcmp(left->file, right->file);
	return order ? order : (left->origin->line > right->origin->line) - (left->origin->line < right->origin->line);
}

/* Spreads an opcode, so that sums of few do not meet. */
static uint64_t spread(uint32_t opcode)
{
	return hd_hash_mix(0, opcode + 1u) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* NVIDIA's code: its operations are those of its opcodes. */
static void push_cubin_lines(const struct gate_subject *subject, const struct gate_kind *kind, code_lines *lines)
{
	const struct hd_cubin_function *code = cubin_function(subject->unit, subject->meta);
	const struct hd_cubin *cubin = subject->unit->cubin;
	for (uint32_t i = 0; code->origins && i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		const char *file = origin->file < cubin->file_count ? cubin->files[origin->file] : "";
		bool counts = kind->mix == -1 || (kind->mix >= 0 && code->insts[i].kinds >> kind->mix & 1);
		hd_vec_push(lines, (struct code_line){file, origin, spread(code->insts[i].opcode), counts});
	}
}

static void push_lines(const struct gate_subject *subject, const struct gate_kind *kind, code_lines *lines)
{
	if (subject->unit->cubin) {
		push_cubin_lines(subject, kind, lines);
		return;
	}
	const struct hd_function *code = gate_code_of(subject);
	const struct hd_object *object = &subject->unit->object;
	for (uint32_t i = 0; code && i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		const char *file = origin->file < object->file_count ? object->files[origin->file] : "";
		hd_vec_push(lines,
			    (struct code_line){file, origin, spread(code->insts[i].op), kind->counts(object, code, i)});
	}
}

/* The subject's own code, or that of all that it may call. */
static void collect_lines(const struct gate_subject *subject, const struct gate_kind *kind, code_lines *lines)
{
	uint32_t kept = 0, count = 0;
	const struct gate_subject **reached = NULL;
	if (kind->over_calls)
		gate_carry_reached(subject, &reached, &count);
	else
		push_lines(subject, kind, lines);
	for (uint32_t i = 0; i < count; i++)
		push_lines(reached[i], kind, lines);
	free(reached);
	if (lines->len)
		qsort(lines->data, lines->len, sizeof(*lines->data), by_place);
	for (uint32_t i = 0; i < lines->len; i++) {
		struct code_line *last = kept ? &lines->data[kept - 1] : NULL;
		if (!last || by_place(last, &lines->data[i]) != 0) {
			lines->data[kept++] = lines->data[i];
			continue;
		}
		last->operations += lines->data[i].operations;
		last->count += lines->data[i].count;
	}
	lines->len = kept;
}

/* ------------------------------------------------------------------ most instructions */

static int by_count(const void *a, const void *b)
{
	const struct code_line *left = a, *right = b;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return by_place(a, b);
}

static void carry_largest(const struct gate_carry *carry, const struct gate_subject *subject,
			  const struct gate_kind *kind)
{
	code_lines lines = {0};
	collect_lines(subject, kind, &lines);
	if (lines.len)
		qsort(lines.data, lines.len, sizeof(*lines.data), by_count);
	for (uint32_t i = 0; i < lines.len && i < MOST_HUNKS && lines.data[i].count; i++)
		gate_carry_add(carry, gate_carry_place(carry, subject, lines.data[i].origin),
			       hd_arena_printf(carry->arena, "%u %s from here", lines.data[i].count,
					       lines.data[i].count == 1
						       ? hd_arena_printf(carry->arena, "%s comes", kind->name)
						       : hd_arena_printf(carry->arena, "%s come", kind->names)));
	hd_vec_release(&lines);
}

/* ------------------------------------------------------------------ more or fewer instructions */

struct line_change {
	code_lines old, now;
	HD_VEC(struct gate_edit) edits;
};

/* Lines between matched ones. */
struct hunk {
	uint32_t old_count, now_count;	 /* instructions */
	const struct code_line *largest; /* of the new lines, else the line behind; NULL: the function's end */
	uint32_t order;
};

typedef HD_VEC(struct hunk) hunks;

static bool same_code(const void *context, uint32_t old, uint32_t now)
{
	const struct line_change *change = context;
	const struct code_line *left = &change->old.data[old], *right = &change->now.data[now];
	return left->count == right->count && left->operations == right->operations;
}

static void push_hunk(const struct line_change *change, hunks *list, uint32_t old, uint32_t olds, uint32_t now,
		      uint32_t nows)
{
	struct hunk hunk = {.order = list->len};
	for (uint32_t i = 0; i < olds; i++)
		hunk.old_count += change->old.data[old + i].count;
	for (uint32_t i = 0; i < nows; i++) {
		const struct code_line *line = &change->now.data[now + i];
		hunk.now_count += line->count;
		hunk.largest = hunk.largest && hunk.largest->count >= line->count ? hunk.largest : line;
	}
	if (!nows && now < change->now.len)
		hunk.largest = &change->now.data[now];
	if (hunk.old_count != hunk.now_count)
		hd_vec_push(list, hunk);
}

/* Lines between matched ones. */
struct gap {
	const struct line_change *change;
	uint32_t old, olds, now, nows;
};

static const char *base_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}

/* How far a line is behind the matched line before the gap; its number where that is in another file. */
static uint32_t distance(const code_lines *lines, uint32_t gap, uint32_t at)
{
	const struct code_line *line = &lines->data[at], *anchor = gap ? &lines->data[gap - 1] : &lines->data[0];
	return line->origin->line - (strcmp(line->file, anchor->file) == 0 ? anchor->origin->line : 0);
}

static bool same_distance(const void *context, uint32_t old, uint32_t now)
{
	const struct gap *gap = context;
	const struct line_change *change = gap->change;
	return strcmp(base_name(change->old.data[gap->old + old].file),
		      base_name(change->now.data[gap->now + now].file)) == 0 &&
	       distance(&change->old, gap->old, gap->old + old) == distance(&change->now, gap->now, gap->now + now);
}

/* How many edits from `at` on match nothing, and of which sides they are. */
static uint32_t run_length(const struct gate_edit *edits, uint32_t count, uint32_t at, uint32_t *olds, uint32_t *nows)
{
	uint32_t end = at;
	*olds = *nows = 0;
	for (; end < count && edits[end].kind != ' '; end++) {
		*olds += edits[end].kind == '-';
		*nows += edits[end].kind == '+';
	}
	return end - at;
}

static void split_gap(const struct gap *gap, hunks *list)
{
	struct gate_edit *edits = hd_xcalloc(gap->olds + gap->nows, sizeof(*edits));
	uint32_t count = gate_match(gap->olds, gap->nows, same_distance, gap, edits), olds, nows;
	for (uint32_t i = 0; i < count;) {
		uint32_t old = gap->old + edits[i].old, now = gap->now + edits[i].new;
		uint32_t run = run_length(edits, count, i, &olds, &nows);
		push_hunk(gap->change, list, old, run ? olds : 1, now, run ? nows : 1);
		i += run ? run : 1;
	}
	free(edits);
}

static void find_hunks(const struct line_change *change, hunks *list)
{
	for (uint32_t i = 0; i < change->edits.len; i++) {
		const struct gate_edit *first = &change->edits.data[i];
		struct gap gap = {.change = change, .old = first->old, .now = first->new};
		uint32_t run = run_length(change->edits.data, change->edits.len, i, &gap.olds, &gap.nows);
		if (run)
			split_gap(&gap, list);
		i += run;
	}
}

static int64_t growth(const struct hunk *hunk)
{
	return (int64_t)hunk->now_count - hunk->old_count;
}

static int by_growth(const void *a, const void *b)
{
	const struct hunk *left = a, *right = b;
	if (growth(left) != growth(right))
		return growth(left) < growth(right) ? 1 : -1;
	return (left->order > right->order) - (left->order < right->order);
}

static void carry_hunk(const struct gate_carry *carry, const struct gate_subject *subject, const struct gate_kind *kind,
		       const struct hunk *hunk)
{
	struct gate_place place = {0};
	int64_t change = growth(hunk);
	if (hunk->largest)
		place = gate_carry_place(carry, subject, hunk->largest->origin);
	const char *text =
		hunk->now_count
			? hd_arena_printf(carry->arena, "%lld %s %s here: %u, %u before", (long long)llabs(change),
					  change > 0 ? "more" : "fewer", llabs(change) == 1 ? kind->name : kind->names,
					  hunk->now_count, hunk->old_count)
			: hd_arena_printf(carry->arena, "%u %s of code that stood ahead of this line: gone",
					  hunk->old_count, hunk->old_count == 1 ? kind->name : kind->names);
	gate_carry_add(carry, place, text);
}

/* The largest hunks that changed as the whole did. */
static void carry_hunks(const struct gate_carry *carry, const struct gate_subject *subject,
			const struct gate_kind *kind, hunks *list)
{
	int64_t whole = 0;
	for (uint32_t i = 0; i < list->len; i++)
		whole += growth(&list->data[i]);
	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_growth);
	for (uint32_t i = 0; i < list->len && i < MOST_HUNKS; i++) {
		const struct hunk *hunk = &list->data[whole < 0 ? list->len - 1 - i : i];
		if (whole < 0 ? growth(hunk) < 0 : growth(hunk) > 0)
			carry_hunk(carry, subject, kind, hunk);
	}
}

void gate_carry_lines(const struct gate_carry *carry, const struct gate_subject *subject, const struct gate_kind *kind)
{
	const struct gate_subject *old = gate_carry_old(carry, subject);
	struct line_change change = {0};
	hunks list = {0};
	if (!old) {
		carry_largest(carry, subject, kind);
		return;
	}
	collect_lines(old, kind, &change.old);
	collect_lines(subject, kind, &change.now);
	hd_vec_reserve(&change.edits, change.old.len + change.now.len);
	if (change.old.len && change.now.len)
		change.edits.len = gate_match(change.old.len, change.now.len, same_code, &change, change.edits.data);
	find_hunks(&change, &list);
	carry_hunks(carry, subject, kind, &list);
	hd_vec_release(&list);
	hd_vec_release(&change.edits);
	hd_vec_release(&change.old);
	hd_vec_release(&change.now);
}
