/*
 * Tables of where issue slots were lost, by source line and by instruction, most of them first.
 *
 * A line's row is the sum of its instructions', of all functions and of all places into which its function was inlined:
 * an instruction has the innermost line. Instructions without a line are one row for each function.
 *
 * Cost: O(instructions) for the sums, by hash; O(rows log rows) for the order.
 */
#include "tools/heddle/run/slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/vec.h"

enum { MOST_ROWS = 25, MOST_REASONS = 3 };

static json_t *get(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

/* Counts by name: stalls, or what accesses came to. */
static void add_counts(json_t *to, const json_t *from)
{
	const char *name;
	json_t *count;
	json_object_foreach((json_t *)from, name, count)
	{
		json_int_t before = json_integer_value(get(to, name));
		json_object_set_new(to, name, json_integer(before + json_integer_value(count)));
	}
}

/* ------------------------------------------------------------ sums */

/* Adds a row's stalls by kernel to another one's. */
static void add_kernels(json_t *to, const json_t *from)
{
	const char *name;
	json_t *stalls;
	if (from && !get(to, "kernels"))
		json_object_set_new(to, "kernels", json_object());
	json_object_foreach((json_t *)from, name, stalls)
	{
		if (!get(get(to, "kernels"), name))
			json_object_set_new(get(to, "kernels"), name, json_object());
		add_counts(get(get(to, "kernels"), name), stalls);
	}
}

/* What rows of one name in `index` have in common; the row is appended to `rows` when the name is new. */
static void add_row(json_t *rows, json_t *index, const char *name, json_t *row)
{
	json_t *same = get(index, name);
	if (same) {
		add_counts(get(same, "stalls"), get(row, "stalls"));
		add_kernels(same, get(row, "kernels"));
		if (get(row, "access") && !get(same, "access"))
			json_object_set_new(same, "access", json_object());
		add_counts(get(same, "access"), get(row, "access"));
		if (get(row, "holders") && !get(same, "holders"))
			json_object_set_new(same, "holders", json_object());
		add_counts(get(same, "holders"), get(row, "holders"));
	} else {
		json_object_set(index, name, row);
		json_array_append(rows, row);
	}
	json_decref(row);
}

static void instruction_name(const json_t *row, struct hd_strbuf *name)
{
	hd_strbuf_printf(name, "%s%s %lld %s %s:%lld", json_string_value(get(row, "function")),
			 get(row, "linear") ? ", linear" : "", (long long)json_integer_value(get(row, "pc")),
			 json_string_value(get(row, "text")),
			 get(row, "file") ? json_string_value(get(row, "file")) : "",
			 (long long)json_integer_value(get(row, "line")));
}

json_t *run_slots_add(json_t *to, const json_t *from)
{
	const json_t *sources[] = {to, from};
	if (!to || !from)
		return to ? to : json_deep_copy(from);
	json_t *sum = json_object(), *rows = json_array(), *index = json_object(), *nowhere = json_object(),
	       *kernels = json_object();
	for (uint32_t s = 0; s < 2; s++) {
		const json_t *list = get(sources[s], "instructions");
		for (size_t i = 0; i < json_array_size(list); i++) {
			struct hd_strbuf name = {0};
			instruction_name(json_array_get(list, i), &name);
			add_row(rows, index, hd_strbuf_text(&name), json_deep_copy(json_array_get(list, i)));
			hd_strbuf_release(&name);
		}
		add_counts(nowhere, get(sources[s], "nowhere"));
		json_object_update(kernels, get(sources[s], "kernels"));
	}
	json_object_set_new(sum, "kernels", kernels);
	json_object_set_new(sum, "instructions", rows);
	json_object_set_new(sum, "nowhere", nowhere);
	json_decref(index);
	json_decref(to);
	return sum;
}

void run_slots_place(const json_t *row, struct hd_strbuf *out)
{
	if (get(row, "file"))
		hd_strbuf_printf(out, "%s:%lld", json_string_value(get(row, "file")),
				 (long long)json_integer_value(get(row, "line")));
	else
		hd_strbuf_printf(out, "%s (no line known)", json_string_value(get(row, "function")));
}

/* `kernels`: the names of functions that are kernels. */
static json_t *line_row(const json_t *instruction, const json_t *kernels)
{
	const json_t *kernel = get(kernels, json_string_value(get(instruction, "function")));
	json_t *row = json_object();
	static const char *const keys[] = {"file", "line"};
	for (uint32_t i = 0; i < 2 && get(instruction, "file"); i++)
		json_object_set(row, keys[i], get(instruction, keys[i]));
	json_object_set(row, "function", get(instruction, "function"));
	json_object_set_new(row, "stalls", json_deep_copy(get(instruction, "stalls")));
	if (get(instruction, "access"))
		json_object_set_new(row, "access", json_deep_copy(get(instruction, "access")));
	json_object_set_new(row, "kernels",
			    get(instruction, "kernels") ? json_deep_copy(get(instruction, "kernels")) : json_object());
	if (kernel)
		json_object_set_new(get(row, "kernels"), json_string_value(kernel),
				    json_deep_copy(get(instruction, "stalls")));
	return row;
}

/* A line has a function where all its instructions are of one; stalls by kernel where that is no kernel. */
static json_t *lines_of(const json_t *instructions, const json_t *kernels)
{
	json_t *rows = json_array(), *index = json_object();
	for (size_t i = 0; i < json_array_size(instructions); i++) {
		struct hd_strbuf name = {0};
		json_t *row = line_row(json_array_get(instructions, i), kernels);
		run_slots_place(row, &name);
		json_t *same = get(index, hd_strbuf_text(&name));
		if (same && !json_equal(get(same, "function"), get(row, "function")))
			json_object_del(same, "function");
		add_row(rows, index, hd_strbuf_text(&name), row);
		hd_strbuf_release(&name);
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const char *function = json_string_value(get(json_array_get(rows, i), "function"));
		if (function && get(kernels, function))
			json_object_del(json_array_get(rows, i), "kernels");
	}
	json_decref(index);
	return rows;
}

void run_slots_choose(json_t *document, bool by_line, bool by_instruction)
{
	json_t *slots = get(document, "slots");
	if (!slots)
		return;
	if (by_line)
		json_object_set_new(slots, "lines", lines_of(get(slots, "instructions"), get(slots, "kernels")));
	if (!by_instruction)
		json_object_del(slots, "instructions");
}

/* ------------------------------------------------------------ tables */

static double sum_of(const json_t *stalls)
{
	double sum = 0;
	const char *reason;
	json_t *count;
	json_object_foreach((json_t *)stalls, reason, count) sum += (double)json_integer_value(count);
	return sum;
}

static double issued_of(const json_t *row)
{
	return (double)json_integer_value(get(get(row, "stalls"), "issued"));
}

double run_slots_lost(const json_t *row)
{
	return sum_of(get(row, "stalls")) - issued_of(row);
}

double run_slots_with_warps(const json_t *document)
{
	return sum_of(get(get(document, "total"), "stalls")) - sum_of(get(get(document, "slots"), "nowhere"));
}

struct ranked {
	json_t *value;
	double count;
	size_t order;
};

static int compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

json_t *run_slots_sorted(const json_t *rows)
{
	HD_VEC(struct ranked) list = {0};
	json_t *sorted = json_array();
	for (size_t i = 0; i < json_array_size(rows); i++) {
		json_t *row = json_array_get(rows, i);
		if (run_slots_lost(row) > 0)
			hd_vec_push(&list, (struct ranked){row, run_slots_lost(row), i});
	}
	if (list.len)
		qsort(list.data, list.len, sizeof(*list.data), compare);
	for (uint32_t i = 0; i < list.len; i++)
		json_array_append(sorted, list.data[i].value);
	hd_vec_release(&list);
	return sorted;
}

void run_slots_reasons(const json_t *row, struct hd_strbuf *out)
{
	double lost = run_slots_lost(row), before = 0;
	const char *last = NULL;
	for (uint32_t i = 0; i < MOST_REASONS; i++) {
		const char *reason, *best = NULL;
		json_t *value;
		double most = 0;
		json_object_foreach(get(row, "stalls"), reason, value)
		{
			double count = (double)json_integer_value(value);
			bool after = !last || count < before || (count == before && strcmp(reason, last) > 0);
			bool first = count > most || (count == most && best && strcmp(reason, best) < 0);
			if (strcmp(reason, "issued") != 0 && after && first)
				best = reason, most = count;
		}
		if (!best)
			return;
		hd_strbuf_printf(out, "%s%s %.0f %%", i ? ", " : "", best, 100 * most / lost);
		last = best, before = most;
	}
}

static void print_row(const json_t *row, double all)
{
	struct hd_strbuf reasons = {0}, place = {0};
	run_slots_reasons(row, &reasons);
	run_slots_place(row, &place);
	printf("%14.0f %6.1f %14.0f  %-46s  %s", run_slots_lost(row), 100 * run_slots_lost(row) / all, issued_of(row),
	       hd_strbuf_text(&reasons), hd_strbuf_text(&place));
	if (get(row, "text"))
		printf("  %s+0x%llx  %s", json_string_value(get(row, "function")),
		       (long long)json_integer_value(get(row, "pc")), json_string_value(get(row, "text")));
	printf("\n");
	hd_strbuf_release(&reasons);
	hd_strbuf_release(&place);
}

static void print_rows(const json_t *rows, const char *what, double all)
{
	json_t *sorted = run_slots_sorted(rows);
	size_t count = json_array_size(sorted);
	printf("\n%14s %6s %14s  %-46s  %s\n", "slots lost", "%", "issued", "because of", what);
	for (size_t i = 0; i < count && i < MOST_ROWS; i++)
		print_row(json_array_get(sorted, i), all);
	if (count > MOST_ROWS)
		printf("%14s %zu more in the statistics\n", "", count - MOST_ROWS);
	json_decref(sorted);
}

void run_slots_print(const json_t *document)
{
	const json_t *slots = get(document, "slots");
	double all = run_slots_with_warps(document), nowhere = sum_of(get(slots, "nowhere"));
	if (!slots || all <= 0)
		return;
	if (get(slots, "lines"))
		print_rows(get(slots, "lines"), "line", all);
	if (get(slots, "instructions"))
		print_rows(get(slots, "instructions"), "instruction", all);
	if (nowhere > 0)
		printf("%14.0f %6s %14s  where no warp was, or at code that has been unloaded\n", nowhere, "", "");
}
