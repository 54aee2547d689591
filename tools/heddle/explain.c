/*
 * heddle explain: which lines and stall reasons carry the difference in cycles between two runs.
 *
 * A run's cycles are its issue slots with a warp, divided by the schedulers that have a warp at a time, on average. So
 * a difference has two parts that add up to it exactly: the slots that each line lost or used for each reason more or
 * less, at the mean of both runs' cycles per slot; and the schedulers that were busy at a time. The page of `heddle
 * report` computes the same (tools/heddle/page/script/compare.js).
 *
 * Cost: O(rows log rows).
 */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/stats.h"
#include "lib/arena.h"
#include "lib/metadata/json.h"
#include "lib/vec.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/run/slots.h"

enum { MOST_FILES = 2, OPT_JSON = 256 };

struct side {
	const char *path, *policy; /* policy NULL: any */
	json_t *document;
	const json_t *run;
	double cycles, slots; /* slots: with a warp */
	double mhz;	      /* of the cores */
};

struct row {
	const char *place; /* owned by the index */
	unsigned reason;   /* HD_STALL_COUNT: none, the schedulers that are busy */
	double slots[2], cycles[2], change;
};

struct explain {
	const char *files[MOST_FILES];
	unsigned file_count;
	uint32_t limit;
	bool json;
	struct side sides[2];
	HD_VEC(struct row) rows;
	json_t *index; /* "reason place": index of the row */
};

/* ------------------------------------------------------------------ the two runs */

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* The run `nth` of those of this policy in the document. */
static const json_t *run_of(const json_t *document, const char *policy, unsigned nth)
{
	const json_t *runs = json_object_get(document, "runs");
	if (!runs)
		return nth == 0 && (!policy || strcmp(text_of(document, "policy"), policy) == 0) ? document : NULL;
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *run = json_array_get(runs, i);
		if (json_is_object(run) && (!policy || strcmp(text_of(run, "policy"), policy) == 0) && nth-- == 0)
			return run;
	}
	return NULL;
}

/* FILE or FILE:POLICY. */
static int load(struct side *side, const char *argument)
{
	json_error_t error;
	const char *colon = strrchr(argument, ':');
	side->document = json_load_file(argument, 0, &error);
	if (!side->document && colon) {
		char *path = hd_xstrndup(argument, (size_t)(colon - argument));
		side->document = json_load_file(path, 0, &error);
		free(path);
		side->policy = colon + 1;
	}
	side->path = argument;
	return side->document ? 0 : cmd_error("%s: %s", argument, error.text);
}

static int find_run(struct side *side, unsigned nth)
{
	side->run = run_of(side->document, side->policy, nth);
	const json_t *total = json_object_get(side->run, "total");
	if (!side->run)
		return cmd_error("%s: no such run (give FILE, or FILE:POLICY)", side->path);
	side->cycles = json_number_value(json_object_get(total, "cycles"));
	side->mhz = json_number_value(json_object_get(json_object_get(side->run, "config"), "core_mhz"));
	const char *name;
	json_t *count;
	json_object_foreach(json_object_get(total, "stalls"), name, count)
	{
		if (hd_stall_named(name) != HD_STALL_idle)
			side->slots += json_number_value(count);
	}
	return side->cycles > 0 && side->slots > 0
		       ? 0
		       : cmd_error("%s: the run has no cycles (it was functional, or launched nothing)", side->path);
}

/* ------------------------------------------------------------------ rows */

static void add(struct explain *explain, unsigned which, const char *place, unsigned reason, double slots)
{
	struct hd_strbuf key = {0};
	hd_strbuf_printf(&key, "%u %s", reason, place);
	const json_t *known = json_object_get(explain->index, hd_strbuf_text(&key));
	uint32_t at = known ? (uint32_t)json_integer_value(known) : explain->rows.len;
	if (!known) {
		json_object_set_new(explain->index, hd_strbuf_text(&key), json_integer(at));
		hd_vec_push(&explain->rows, (struct row){.place = hd_xstrdup(place), .reason = reason});
	}
	explain->rows.data[at].slots[which] += slots;
	hd_strbuf_release(&key);
}

/* By line where the statistics have that, and by reason alone what is left. */
static void add_run(struct explain *explain, unsigned which)
{
	const struct side *side = &explain->sides[which];
	const json_t *slots = json_object_get(side->run, "slots"), *rows = json_object_get(slots, "lines");
	double counted[HD_STALL_COUNT + 1] = {0};
	const char *name;
	json_t *count;
	if (!rows)
		rows = json_object_get(slots, "instructions");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i);
		struct hd_strbuf place = {0};
		run_slots_place(row, &place);
		json_object_foreach(json_object_get(row, "stalls"), name, count)
		{
			add(explain, which, hd_strbuf_text(&place), hd_stall_named(name), json_number_value(count));
			counted[hd_stall_named(name)] += json_number_value(count);
		}
		hd_strbuf_release(&place);
	}
	json_object_foreach(json_object_get(json_object_get(side->run, "total"), "stalls"), name, count)
	{
		unsigned reason = hd_stall_named(name);
		double rest = json_number_value(count) - counted[reason];
		if (reason != HD_STALL_idle && rest != 0)
			add(explain, which, "no line known", reason, rest);
	}
}

static int by_change(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	if (fabs(a->change) != fabs(b->change))
		return fabs(a->change) > fabs(b->change) ? -1 : 1;
	int order = strcmp(a->place, b->place);
	return order ? order : (int)a->reason - (int)b->reason;
}

static void compute(struct explain *explain)
{
	const struct side *a = &explain->sides[0], *b = &explain->sides[1];
	double per_slot = (a->cycles / a->slots + b->cycles / b->slots) / 2;
	for (uint32_t i = 0; i < explain->rows.len; i++)
		for (unsigned which = 0; which < 2; which++)
			explain->rows.data[i].cycles[which] = explain->rows.data[i].slots[which] * per_slot;
	char text[96];
	snprintf(text, sizeof text, "schedulers with a warp at a time: %.1f in A, %.1f in B", a->slots / a->cycles,
		 b->slots / b->cycles);
	hd_vec_push(&explain->rows,
		    (struct row){.place = hd_xstrdup(text),
				 .reason = HD_STALL_COUNT,
				 .cycles = {a->cycles - a->slots * per_slot, b->cycles - b->slots * per_slot}});
	for (uint32_t i = 0; i < explain->rows.len; i++)
		explain->rows.data[i].change = explain->rows.data[i].cycles[1] - explain->rows.data[i].cycles[0];
	qsort(explain->rows.data, explain->rows.len, sizeof(*explain->rows.data), by_change);
}

static const char *reason_name(const struct row *row)
{
	return row->reason < HD_STALL_COUNT ? hd_stall_name[row->reason] : "-";
}

/* ------------------------------------------------------------------ output */

static int print_json(const struct explain *explain)
{
	json_t *object = json_object(), *rows = json_array();
	for (unsigned which = 0; which < 2; which++) {
		const struct side *side = &explain->sides[which];
		json_object_set_new(object, which ? "b" : "a",
				    json_pack("{s:s,s:s,s:s,s:f}", "file", side->path, "policy",
					      text_of(side->run, "policy"), "gpu", text_of(side->run, "gpu"), "cycles",
					      side->cycles));
	}
	for (uint32_t i = 0; i < explain->rows.len; i++) {
		const struct row *row = &explain->rows.data[i];
		json_t *json =
			json_pack("{s:o,s:s,s:f,s:f,s:f}", "place", hd_json_text(row->place), "reason",
				  reason_name(row), "a", row->cycles[0], "b", row->cycles[1], "change", row->change);
		json_array_append_new(rows, json);
	}
	json_object_set_new(object, "rows", rows);
	return cmd_print_json(object);
}

static void print_row(double change, double whole, const double cycles[2], const char *reason, const char *place)
{
	char share[16] = "";
	if (whole != 0)
		snprintf(share, sizeof share, "%.1f", 100 * change / whole);
	printf("%+14.0f %8s %14.0f %14.0f  %-12s %s\n", change, share, cycles[0], cycles[1], reason, place);
}

static void print_text(const struct explain *explain)
{
	const struct side *a = &explain->sides[0], *b = &explain->sides[1];
	double whole = b->cycles - a->cycles, rest[2] = {0}, sum[2] = {0};
	uint32_t shown = 0, others = 0;
	for (unsigned which = 0; which < 2; which++)
		printf("%s: %s on %s, %.0f cycles (%s)\n", which ? "B" : "A",
		       text_of(explain->sides[which].run, "policy"), text_of(explain->sides[which].run, "gpu"),
		       explain->sides[which].cycles, explain->sides[which].path);
	double faster = a->cycles / b->cycles;
	printf("B takes %+.0f cycles", whole);
	if (a->mhz > 0 && b->mhz > 0 && a->mhz != b->mhz) {
		faster *= b->mhz / a->mhz;
		printf(" at another clock, %.3f us for %.3f us", b->cycles / b->mhz, a->cycles / a->mhz);
	}
	printf(", %.3f times as fast as A\n\n%14s %8s %14s %14s  %-12s %s\n", faster, "cycles", "%", "A", "B", "reason",
	       "where");
	for (uint32_t i = 0; i < explain->rows.len; i++) {
		const struct row *row = &explain->rows.data[i];
		sum[0] += row->cycles[0];
		sum[1] += row->cycles[1];
		if (shown < explain->limit && row->change != 0) {
			print_row(row->change, whole, row->cycles, reason_name(row), row->place);
			shown++;
			continue;
		}
		rest[0] += row->cycles[0];
		rest[1] += row->cycles[1];
		others++;
	}
	char text[48];
	snprintf(text, sizeof text, "%u more", others);
	if (others)
		print_row(rest[1] - rest[0], whole, rest, "", text);
	print_row(sum[1] - sum[0], whole, sum, "", "sum");
}

/* ------------------------------------------------------------------ command line */

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct explain *explain = state->input;
	switch (key) {
	case 'n': explain->limit = cmd_parse_count(state, "--limit", arg, 1, 1000000); break;
	case OPT_JSON: explain->json = true; break;
	case ARGP_KEY_ARG:
		if (explain->file_count == MOST_FILES)
			argp_error(state, "two runs are compared, %s is a third", arg);
		explain->files[explain->file_count++] = arg;
		break;
	case ARGP_KEY_END:
		if (!explain->file_count)
			argp_error(state, "no statistics given");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* One file: its first run, of each policy, and the second. */
static int run_explain(struct explain *explain)
{
	bool one = explain->file_count == 1;
	for (unsigned which = 0; which < 2; which++)
		if (load(&explain->sides[which], explain->files[one ? 0 : which]) != 0 ||
		    find_run(&explain->sides[which], one ? which : 0) != 0)
			return CMD_ERROR;
	explain->index = json_object();
	add_run(explain, 0);
	add_run(explain, 1);
	compute(explain);
	if (explain->json)
		return print_json(explain);
	print_text(explain);
	return CMD_OK;
}

int cmd_explain(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{"limit", 'n', "N", 0, "print the N largest differences (default 20); the others are one line", 0},
		{"json", OPT_JSON, NULL, 0, "print all differences as JSON", 0},
		{0}};
	static const char doc[] =
		"Says which source lines and stall reasons carry the difference in cycles between two runs.\v"
		"A and B are statistics of `heddle run --by-line --stats FILE`, for example of two commits, policies "
		"or "
		"GPUs. FILE:POLICY chooses a run of a file with several; of one FILE alone, its first two runs are "
		"compared. The rows add up to the difference. A row is what a line lost or used for one reason: an "
		"issue "
		"slot counts as a cycle divided by the schedulers that have a warp at a time. How many these are is a "
		"row "
		"of its own. Without --by-line there is one row for each reason.";
	static const struct argp argp = {options, parse_option, "A [B]", doc, NULL, NULL, NULL};
	struct explain explain = {.limit = 20};
	cmd_parse(&argp, argc, argv, 0, &explain);
	int status = run_explain(&explain);
	for (uint32_t i = 0; i < explain.rows.len; i++)
		free((char *)explain.rows.data[i].place);
	hd_vec_release(&explain.rows);
	json_decref(explain.index);
	json_decref(explain.sides[0].document);
	json_decref(explain.sides[1].document);
	return status;
}
