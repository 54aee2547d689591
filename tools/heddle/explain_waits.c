/*
 * Why the warps of one run waited: see explain_waits.h. What is waited for comes from the data of the page
 * (report/waits.c), which has it of code that is among the inputs. Slots of other code are rows without that, and slots
 * without a place are rows of their reason alone: the rows add up to what the schedulers lost.
 *
 * Cost: O(rows log rows).
 */
#include "tools/heddle/explain_waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/stats.h"
#include "lib/metadata/json.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/run/slots.h"

enum { MOST_TEXT = 60 /* bytes of a line */, MOST_CAUSES = 3 /* of a row, as text */ };

struct cause {
	json_int_t function, at; /* at -1: what the function's caller brought */
	double slots;
};

/* What a line lost for a reason. */
struct row {
	const char *place; /* NULL: none is known */
	unsigned reason;
	double slots;
	HD_VEC(struct cause) causes;
};

struct waits {
	const json_t *data, *run, *stats;
	json_t *names;	/* owns the places' names */
	json_t *places; /* [function] {"at": place} */
	json_t *index;	/* "reason place": index of the row */
	HD_VEC(struct row) rows;
	double lost, all; /* slots; all of those with a warp */
};

static const json_t *get(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(get(object, key));
	return text ? text : "";
}

static bool is_lost(unsigned reason)
{
	return reason < HD_STALL_COUNT && reason != HD_STALL_issued && reason != HD_STALL_idle;
}

/* ------------------------------------------------------------------ rows */

static struct row *row_at(struct waits *waits, const char *place, unsigned reason)
{
	struct hd_strbuf key = {0};
	hd_strbuf_printf(&key, "%u %s", reason, place ? place : "");
	const json_t *known = get(waits->index, hd_strbuf_text(&key));
	uint32_t at = known ? (uint32_t)json_integer_value(known) : waits->rows.len;
	if (!known) {
		json_object_set_new(waits->index, hd_strbuf_text(&key), json_integer(at));
		if (place && !get(waits->names, place))
			json_object_set_new(waits->names, place, json_string(place));
		hd_vec_push(&waits->rows,
			    (struct row){.place = place ? text_of(waits->names, place) : NULL, .reason = reason});
	}
	hd_strbuf_release(&key);
	return &waits->rows.data[at];
}

static void add_cause(struct row *row, json_int_t function, json_int_t at, double slots)
{
	for (uint32_t i = 0; i < row->causes.len; i++) {
		struct cause *cause = &row->causes.data[i];
		if (cause->function == function && cause->at == at) {
			cause->slots += slots;
			return;
		}
	}
	hd_vec_push(&row->causes, (struct cause){function, at, slots});
}

/* The place of a function's instruction, as the statistics have it; NULL: it has not run. */
static const char *place_of(const struct waits *waits, json_int_t function, json_int_t at)
{
	char name[32];
	snprintf(name, sizeof name, "%lld", (long long)at);
	return json_string_value(get(json_array_get(waits->places, (size_t)function), name));
}

static void find_places(struct waits *waits)
{
	const json_t *names = get(waits->run, "places");
	size_t index;
	json_t *code;
	for (size_t i = 0; i < json_array_size(get(waits->data, "functions")); i++)
		json_array_append_new(waits->places, json_object());
	json_array_foreach(get(waits->run, "code"), index, code)
	{
		json_t *of = json_array_get(waits->places, (size_t)json_integer_value(get(code, "function")));
		for (size_t i = 0; i < json_array_size(get(code, "at")); i++) {
			char name[32];
			size_t place = (size_t)json_integer_value(json_array_get(get(code, "place"), i));
			snprintf(name, sizeof name, "%lld",
				 (long long)json_integer_value(json_array_get(get(code, "at"), i)));
			json_object_set(of, name, json_array_get(names, place));
		}
	}
}

/* Of one row of waits.h. */
static void add_wait(struct waits *waits, json_int_t function, const json_t *wait)
{
	json_int_t waiter = json_integer_value(json_array_get(wait, 0));
	unsigned reason = (unsigned)json_integer_value(json_array_get(wait, 1));
	double slots = json_number_value(json_array_get(wait, 2));
	const json_t *producer = json_array_get(wait, 3), *other = json_array_get(wait, 4);
	struct row *row = row_at(waits, place_of(waits, function, waiter), reason);
	row->slots += slots;
	if (json_is_integer(producer))
		add_cause(row, other ? json_integer_value(other) : function, json_integer_value(producer), slots);
}

static void add_stalls(struct waits *waits, const json_t *rows)
{
	size_t index;
	json_t *row, *count;
	const char *name;
	json_array_foreach((json_t *)rows, index, row)
	{
		struct hd_strbuf place = {0};
		run_slots_place(row, &place);
		json_object_foreach(json_object_get(row, "stalls"), name, count)
		{
			if (is_lost(hd_stall_named(name)))
				row_at(waits, hd_strbuf_text(&place), hd_stall_named(name))->slots +=
					json_number_value(count);
		}
		hd_strbuf_release(&place);
	}
}

/* What no line has. */
static void add_rest(struct waits *waits)
{
	double sums[HD_STALL_COUNT] = {0};
	const json_t *stalls = get(get(waits->stats, "total"), "stalls");
	for (uint32_t i = 0; i < waits->rows.len; i++)
		sums[waits->rows.data[i].reason] += waits->rows.data[i].slots;
	for (unsigned reason = 0; reason < HD_STALL_COUNT; reason++) {
		double slots = json_number_value(get(stalls, hd_stall_name[reason]));
		if (reason != HD_STALL_idle)
			waits->all += slots;
		if (!is_lost(reason))
			continue;
		waits->lost += slots;
		if (slots > sums[reason])
			row_at(waits, NULL, reason)->slots += slots - sums[reason];
	}
}

static int by_slots(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	int order = strcmp(a->place ? a->place : "", b->place ? b->place : "");
	return order ? order : (int)a->reason - (int)b->reason;
}

static int by_cause(const void *left, const void *right)
{
	const struct cause *a = left, *b = right;
	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void compute(struct waits *waits)
{
	size_t index, n;
	json_t *of, *wait;
	const json_t *slots = get(waits->stats, "slots");
	find_places(waits);
	json_array_foreach(json_object_get(waits->run, "waits"), index, of)
	{
		json_array_foreach(json_object_get(of, "rows"), n, wait)
			add_wait(waits, json_integer_value(get(of, "function")), wait);
	}
	add_stalls(waits, get(slots, "instructions") ? get(waits->run, "elsewhere") : get(slots, "lines"));
	add_rest(waits);
	if (waits->rows.len)
		qsort(waits->rows.data, waits->rows.len, sizeof *waits->rows.data, by_slots);
	for (uint32_t i = 0; i < waits->rows.len; i++)
		if (waits->rows.data[i].causes.len)
			qsort(waits->rows.data[i].causes.data, waits->rows.data[i].causes.len, sizeof(struct cause),
			      by_cause);
}

/* ------------------------------------------------------------------ output */

static const json_t *function_of(const struct waits *waits, const struct cause *cause)
{
	return json_array_get(get(waits->data, "functions"), (size_t)cause->function);
}

/* The instruction's text; NULL: what the caller brought. */
static const char *instruction_of(const struct waits *waits, const struct cause *cause)
{
	const json_t *texts = get(get(function_of(waits, cause), "code"), "text");
	return cause->at < 0 ? NULL : json_string_value(json_array_get(texts, (size_t)cause->at));
}

static int print_json(const struct waits *waits, const char *path)
{
	json_t *rows = json_array();
	for (uint32_t i = 0; i < waits->rows.len; i++) {
		const struct row *row = &waits->rows.data[i];
		json_t *causes = json_array(),
		       *json = json_pack("{s:o,s:s,s:f}", "place", row->place ? hd_json_text(row->place) : json_null(),
					 "reason", hd_stall_name[row->reason], "slots", row->slots);
		for (uint32_t n = 0; n < row->causes.len; n++) {
			const struct cause *cause = &row->causes.data[n];
			const char *text = instruction_of(waits, cause),
				   *place = place_of(waits, cause->function, cause->at);
			json_array_append_new(causes,
					      json_pack("{s:o,s:o,s:o,s:f}", "function",
							hd_json_text(text_of(function_of(waits, cause), "name")),
							"instruction", text ? hd_json_text(text) : json_null(), "place",
							place ? hd_json_text(place) : json_null(), "slots",
							cause->slots));
		}
		const char *line = row->place ? json_string_value(get(get(waits->run, "texts"), row->place)) : NULL;
		if (line)
			json_object_set_new(json, "text", hd_json_text(line));
		json_object_set_new(json, "for", causes);
		json_array_append_new(rows, json);
	}
	return cmd_print_json(json_pack("{s:o,s:o,s:o,s:f,s:f,s:o}", "file", hd_json_text(path), "policy",
					hd_json_text(text_of(waits->stats, "policy")), "gpu",
					hd_json_text(text_of(waits->stats, "gpu")), "slots", waits->all, "lost",
					waits->lost, "rows", rows));
}

/* Causes of one line, of which unrolled loops have many: the one with most slots stands for them. */
struct group {
	const struct cause *first;
	const char *place;
	double slots;
	unsigned others;
};
typedef HD_VEC(struct group) group_list;

static int by_group(const void *left, const void *right)
{
	const struct group *a = left, *b = right;
	return a->slots != b->slots ? (a->slots > b->slots ? -1 : 1) : by_cause(a->first, b->first);
}

static void find_groups(const struct waits *waits, const struct row *row, group_list *groups)
{
	for (uint32_t i = 0; i < row->causes.len; i++) {
		const struct cause *cause = &row->causes.data[i];
		const char *place = place_of(waits, cause->function, cause->at);
		uint32_t at = 0;
		while (place && at < groups->len && (!groups->data[at].place || strcmp(groups->data[at].place, place)))
			at++;
		if (!place || at == groups->len) {
			hd_vec_push(groups, (struct group){cause, place, cause->slots, 0});
			continue;
		}
		groups->data[at].slots += cause->slots;
		groups->data[at].others++;
	}
	if (groups->len)
		qsort(groups->data, groups->len, sizeof *groups->data, by_group);
}

static void print_group(const struct waits *waits, const struct row *row, const struct group *group)
{
	const char *text = instruction_of(waits, group->first);
	const char *function = text_of(function_of(waits, group->first), "demangled");
	printf("%14.0f %6.1f  %12s  ", group->slots, 100 * group->slots / waits->all, "");
	if (!text) {
		printf("  for what the caller of %s brought\n", function);
		return;
	}
	printf("  for %s  %s", text, group->place ? group->place : function);
	if (group->others)
		printf(" (and %u more there)", group->others);
	printf("%s\n", row->reason == HD_STALL_unit ? ", in the unit" : "");
}

static void print_causes(const struct waits *waits, const struct row *row)
{
	group_list groups = {0};
	find_groups(waits, row, &groups);
	for (uint32_t i = 0; i < groups.len && i < MOST_CAUSES; i++)
		print_group(waits, row, &groups.data[i]);
	if (groups.len > MOST_CAUSES)
		printf("%14s %6s  %12s    and %u more\n", "", "", "", groups.len - MOST_CAUSES);
	hd_vec_release(&groups);
}

static void print_text(const struct waits *waits, const char *path, uint32_t limit)
{
	double rest = 0;
	bool code = json_array_size(get(waits->data, "functions")) > 0;
	printf("%s on %s: %.0f of %.0f issue slots with a warp were lost (%s)\n", text_of(waits->stats, "policy"),
	       text_of(waits->stats, "gpu"), waits->lost, waits->all, path);
	if (!code)
		printf("Give the program in front of the statistics for the instructions that were waited for.\n");
	else if (!get(get(waits->stats, "slots"), "instructions"))
		printf("Run with --by-instruction for the instructions that were waited for.\n");
	printf("\n%14s %6s  %-12s  %s\n", "slots lost", "%", "reason", "where");
	for (uint32_t i = 0; i < waits->rows.len; i++) {
		const struct row *row = &waits->rows.data[i];
		if (i >= limit) {
			rest += row->slots;
			continue;
		}
		const char *line = row->place ? text_of(get(waits->run, "texts"), row->place) : "";
		printf("%14.0f %6.1f  %-12s  %s%s%.*s\n", row->slots, 100 * row->slots / waits->all,
		       hd_stall_name[row->reason], row->place ? row->place : "no line known", *line ? "  " : "",
		       MOST_TEXT, line);
		print_causes(waits, row);
	}
	if (waits->rows.len > limit)
		printf("%14.0f %6.1f  %-12s  %u more\n", rest, 100 * rest / waits->all, "", waits->rows.len - limit);
	printf("%14.0f %6.1f  %-12s\n", waits->lost, 100 * waits->lost / waits->all, "sum");
}

int explain_waits(const json_t *data, size_t nth, const char *path, const json_t *run, uint32_t limit, bool json)
{
	struct waits waits = {.data = data,
			      .run = json_array_get(get(data, "runs"), nth),
			      .stats = run,
			      .names = json_object(),
			      .places = json_array(),
			      .index = json_object()};
	int status = CMD_OK;
	compute(&waits);
	if (json)
		status = print_json(&waits, path);
	else
		print_text(&waits, path, limit);
	for (uint32_t i = 0; i < waits.rows.len; i++)
		hd_vec_release(&waits.rows.data[i].causes);
	hd_vec_release(&waits.rows);
	json_decref(waits.names);
	json_decref(waits.places);
	json_decref(waits.index);
	return status;
}
