/*
 * heddle explain: which lines and stall reasons carry the difference in cycles between two runs, and of one run what
 * its warps waited for (explain_waits.h).
 *
 * The cycles of a kernel are its issue slots with a warp, divided by the schedulers that have a warp at a time, on
 * average. So a difference has two parts that add up to it exactly: the slots that each line lost or used for each
 * reason more or less, at the mean of both runs' cycles per slot; and the schedulers that were busy at a time. Each
 * kernel is compared by itself: a slot is more time in one that fills few SMs. The statistics say of a function that
 * kernels call which kernel's warps had its slots. Slots of which they do not say so (those of older versions) are a
 * row for each reason, as are those without a line. Lines of two builds are compared by their text (lines.h). Where
 * kernels ran at the same time, their cycles do not add up to the run's, and the run is compared as one. The page of
 * `heddle report` computes the same (tools/heddle/page/script/compare.js).
 *
 * Cost: O(rows log rows).
 */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/stats.h"
#include "lib/arena.h"
#include "lib/metadata/json.h"
#include "lib/vec.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/explain_waits.h"
#include "tools/heddle/lines.h"
#include "tools/heddle/report/report.h"
#include "tools/heddle/run/slots.h"
#include "tools/heddle/source_line.h"

enum { MOST_TEXT = 60 /* bytes of a line */, OPT_JSON = 256 };

struct side {
	const char *path, *policy; /* as given: with the policy; policy NULL: any */
	json_t *document;
	const json_t *run;
	double cycles, slots; /* slots: with a warp */
	double mhz;	      /* of the cores */
};

struct row {
	const char *place;
	unsigned reason; /* HD_STALL_COUNT: none, the schedulers that are busy */
	double cycles[2], change;
};

/* A kernel, or a whole run. Stalls are those without the idle ones. */
struct part {
	const char *name; /* NULL: the run */
	double cycles[2], slots[2];
	double stalls[2][HD_STALL_COUNT + 1];
	double per_slot; /* cycles, the mean of both runs */
};

struct explain {
	HD_VEC(const char *) files;    /* as given */
	HD_VEC(const char *) programs; /* of these, what are no statistics */
	unsigned side_count;	       /* files with statistics */
	uint32_t limit;
	bool json, unpriced; /* unpriced: slots of the run have no kernel */
	struct side sides[2];
	HD_VEC(struct row) rows;
	HD_VEC(struct part) parts;
	json_t *index;	  /* "reason place": index of the row */
	json_t *lines[2]; /* names of lines that were compared by their text (lines.h) */
	json_t *texts;	  /* of source lines, by name of the place; B's where it has the line */
	json_t *names;	  /* of kernels: index of the part */
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

/* FILE or FILE:POLICY. Both may have colons: the longest name that is a file's counts. */
static int load(struct side *side, const char *argument)
{
	json_error_t error, of_part;
	side->path = argument;
	side->document = json_load_file(argument, 0, &error);
	for (size_t at = strlen(argument); !side->document && at-- > 0;) {
		if (argument[at] != ':')
			continue;
		char *path = hd_xstrndup(argument, at);
		side->document = json_load_file(path, 0, &of_part);
		side->policy = argument + at + 1;
		if (!side->document && access(path, R_OK) == 0)
			error = of_part;
		free(path);
	}
	return side->document ? 0 : cmd_error("%s: %s", argument, error.text);
}

/* Whether the file is none of statistics: what does not begin as a JSON object, or metadata. */
static bool is_program(const char *path)
{
	FILE *file = fopen(path, "r");
	int first = ' ';
	if (!file)
		return false;
	while (first == ' ' || first == '\t' || first == '\n' || first == '\r')
		first = getc(file);
	fclose(file);
	if (first != '{')
		return first != EOF;
	json_t *document = json_load_file(path, 0, NULL);
	bool other = json_is_object(document) && !json_object_get(document, "total") &&
		     !json_object_get(document, "runs") && json_object_get(document, "functions");
	json_decref(document);
	return other;
}

static int load_files(struct explain *explain)
{
	for (uint32_t i = 0; i < explain->files.len; i++) {
		const char *file = explain->files.data[i];
		if (is_program(file)) {
			hd_vec_push(&explain->programs, file);
			continue;
		}
		if (explain->side_count == 2)
			return cmd_error("two runs are compared, %s is a third", file);
		if (load(&explain->sides[explain->side_count++], file) != 0)
			return CMD_ERROR;
	}
	if (!explain->side_count)
		return cmd_error("no statistics given");
	if (explain->side_count == 2 && explain->programs.len)
		return cmd_error("a program is for one run alone, and two are given: %s", explain->programs.data[0]);
	return CMD_OK;
}

/* A reason of `stalls` that this version does not know; NULL: none. */
static const char *unknown_reason(const json_t *stalls)
{
	const char *name;
	json_t *count;
	json_object_foreach((json_t *)stalls, name, count)
	{
		if (hd_stall_named(name) == HD_STALL_COUNT)
			return name;
	}
	return NULL;
}

static const char *unknown_in_rows(const json_t *rows)
{
	const char *unknown = NULL;
	for (size_t i = 0; !unknown && i < json_array_size(rows); i++)
		unknown = unknown_reason(json_object_get(json_array_get(rows, i), "stalls"));
	return unknown;
}

static const char *unknown_in_run(const json_t *run)
{
	const json_t *slots = json_object_get(run, "slots");
	const char *unknown = unknown_reason(json_object_get(json_object_get(run, "total"), "stalls"));
	if (!unknown)
		unknown = unknown_in_rows(json_object_get(run, "launches"));
	if (!unknown)
		unknown = unknown_in_rows(json_object_get(slots, "lines"));
	return unknown ? unknown : unknown_in_rows(json_object_get(slots, "instructions"));
}

static int find_run(struct side *side, unsigned nth)
{
	side->run = run_of(side->document, side->policy, nth);
	const json_t *total = json_object_get(side->run, "total");
	if (!side->run)
		return cmd_error("%s: no such run (give FILE, or FILE:POLICY)", side->path);
	const char *unknown = unknown_in_run(side->run);
	if (unknown)
		return cmd_error("%s: the stall reason '%s' is none of this version's", side->path, unknown);
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

/* ------------------------------------------------------------------ kernels */

static struct part *part_named(struct explain *explain, const char *name)
{
	const json_t *known = json_object_get(explain->names, name);
	if (!known) {
		json_object_set_new(explain->names, name, json_integer(explain->parts.len));
		hd_vec_push(&explain->parts, (struct part){.name = name});
		return &explain->parts.data[explain->parts.len - 1];
	}
	return &explain->parts.data[json_integer_value(known)];
}

static void add_stalls(struct part *part, unsigned which, const json_t *from)
{
	const char *name;
	json_t *count;
	json_object_foreach(json_object_get(from, "stalls"), name, count)
	{
		unsigned reason = hd_stall_named(name);
		if (reason == HD_STALL_idle)
			continue;
		part->stalls[which][reason] += json_number_value(count);
		part->slots[which] += json_number_value(count);
	}
	part->cycles[which] += json_number_value(json_object_get(from, "cycles"));
}

/* Whether the parts' cycles and slots add up to the run's. */
static bool adds_up(const struct explain *explain, unsigned which)
{
	struct part whole = {0}, sum = {0};
	bool same = true;
	add_stalls(&whole, which, json_object_get(explain->sides[which].run, "total"));
	for (uint32_t i = 0; i < explain->parts.len; i++) {
		sum.cycles[which] += explain->parts.data[i].cycles[which];
		for (unsigned reason = 0; reason <= HD_STALL_COUNT; reason++)
			sum.stalls[which][reason] += explain->parts.data[i].stalls[which][reason];
	}
	for (unsigned reason = 0; reason <= HD_STALL_COUNT; reason++)
		same &= fabs(whole.stalls[which][reason] - sum.stalls[which][reason]) < 0.5;
	return same && fabs(whole.cycles[which] - sum.cycles[which]) < 0.5;
}

/* What a row of the statistics has of one kernel; `kernel` NULL: not known. */
typedef void piece_fn(struct explain *explain, unsigned which, const char *place, const char *kernel,
		      const json_t *stalls);

static void keep_text(struct explain *explain, const char *place, const json_t *sources, const json_t *row)
{
	char line[32];
	struct hd_strbuf shown = {0};
	snprintf(line, sizeof line, "%lld", (long long)json_integer_value(json_object_get(row, "line")));
	const json_t *lines = json_object_get(json_object_get(sources, text_of(row, "file")), "lines");
	const char *text = json_string_value(json_object_get(lines, line));
	if (!text)
		return;
	source_line_show(&shown, text, SOURCE_LINE_MOST);
	json_object_set_new(explain->texts, place, hd_json_text(hd_strbuf_text(&shown)));
	hd_strbuf_release(&shown);
}

static void name_place(const struct explain *explain, unsigned which, const json_t *row, struct hd_strbuf *out)
{
	json_int_t line = json_integer_value(json_object_get(row, "line"));
	if (!json_object_get(row, "file") || !lines_name(explain->lines[which], text_of(row, "file"), line, out))
		run_slots_place(row, out);
}

/* Lines, where the statistics have them, or instructions. */
static void each_piece(struct explain *explain, unsigned which, piece_fn *visit)
{
	const json_t *slots = json_object_get(explain->sides[which].run, "slots"),
		     *rows = json_object_get(slots, "lines"), *names = json_object_get(slots, "kernels");
	const char *kernel;
	json_t *stalls;
	if (!rows)
		rows = json_object_get(slots, "instructions");
	for (size_t i = 0; i < json_array_size(rows); i++) {
		const json_t *row = json_array_get(rows, i), *kernels = json_object_get(row, "kernels");
		struct hd_strbuf place = {0};
		name_place(explain, which, row, &place);
		const char *name = hd_strbuf_text(&place);
		keep_text(explain, name, json_object_get(slots, "sources"), row);
		json_object_foreach((json_t *)kernels, kernel, stalls) visit(explain, which, name, kernel, stalls);
		if (!kernels)
			visit(explain, which, name, json_string_value(json_object_get(names, text_of(row, "function"))),
			      json_object_get(row, "stalls"));
		hd_strbuf_release(&place);
	}
}

/* The kernels of both runs; where they do not add up to the runs, each run as a whole. */
static void find_parts(struct explain *explain)
{
	explain->names = json_object();
	for (unsigned which = 0; which < 2; which++) {
		const json_t *launches = json_object_get(explain->sides[which].run, "launches");
		for (size_t i = 0; i < json_array_size(launches); i++) {
			const json_t *launch = json_array_get(launches, i);
			add_stalls(part_named(explain, text_of(launch, "kernel")), which, launch);
		}
	}
	if (!adds_up(explain, 0) || !adds_up(explain, 1)) {
		struct part whole = {0};
		json_object_clear(explain->names);
		for (unsigned which = 0; which < 2; which++)
			add_stalls(&whole, which, json_object_get(explain->sides[which].run, "total"));
		explain->parts.len = 0;
		hd_vec_push(&explain->parts, whole);
	}
	for (uint32_t i = 0; i < explain->parts.len; i++) {
		struct part *part = &explain->parts.data[i];
		unsigned runs = (part->slots[0] > 0) + (part->slots[1] > 0);
		for (unsigned which = 0; which < 2; which++)
			part->per_slot += part->slots[which] > 0 ? part->cycles[which] / part->slots[which] / runs : 0;
	}
}

/* ------------------------------------------------------------------ rows */

static void add(struct explain *explain, unsigned which, const char *place, unsigned reason, double cycles)
{
	struct hd_strbuf key = {0};
	hd_strbuf_printf(&key, "%u %s", reason, place);
	const json_t *known = json_object_get(explain->index, hd_strbuf_text(&key));
	uint32_t at = known ? (uint32_t)json_integer_value(known) : explain->rows.len;
	if (!known) {
		json_object_set_new(explain->index, hd_strbuf_text(&key), json_integer(at));
		hd_vec_push(&explain->rows, (struct row){.place = hd_xstrdup(place), .reason = reason});
	}
	explain->rows.data[at].cycles[which] += cycles;
	hd_strbuf_release(&key);
}

static const struct part *part_of(const struct explain *explain, const char *kernel)
{
	const json_t *known = kernel ? json_object_get(explain->names, kernel) : NULL;
	bool whole = explain->parts.len == 1 && !explain->parts.data[0].name;
	return whole ? explain->parts.data : known ? &explain->parts.data[json_integer_value(known)] : NULL;
}

static void add_piece(struct explain *explain, unsigned which, const char *place, const char *kernel,
		      const json_t *stalls)
{
	const struct part *part = part_of(explain, kernel);
	const char *name;
	json_t *count;
	explain->unpriced |= !part;
	json_object_foreach((json_t *)stalls, name, count)
	{
		unsigned reason = hd_stall_named(name);
		if (part && reason < HD_STALL_COUNT && reason != HD_STALL_idle)
			add(explain, which, place, reason, json_number_value(count) * part->per_slot);
	}
}

/* By line where the statistics have that, and by reason alone what is left. */
static void add_run(struct explain *explain, unsigned which)
{
	double sums[HD_STALL_COUNT + 1] = {0};
	explain->unpriced = false;
	each_piece(explain, which, add_piece);
	for (uint32_t i = 0; i < explain->rows.len; i++)
		sums[explain->rows.data[i].reason] += explain->rows.data[i].cycles[which];
	for (unsigned reason = 0; reason < HD_STALL_COUNT; reason++) {
		double rest = -sums[reason];
		for (uint32_t i = 0; i < explain->parts.len; i++)
			rest += explain->parts.data[i].stalls[which][reason] * explain->parts.data[i].per_slot;
		if (fabs(rest) > 1e-6)
			add(explain, which,
			    explain->unpriced ? "functions, which kernel called them is not known" : "no line known",
			    reason, rest);
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

static int by_kernel_change(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	double changes[2] = {fabs(a->cycles[1] - a->cycles[0]), fabs(b->cycles[1] - b->cycles[0])};
	if (changes[0] != changes[1])
		return changes[0] > changes[1] ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What the schedulers that are busy at a time carry, kernel by kernel. */
static void add_busy(struct explain *explain)
{
	for (uint32_t i = 0; i < explain->parts.len; i++) {
		const struct part *part = &explain->parts.data[i];
		struct row row = {.reason = HD_STALL_COUNT};
		struct hd_strbuf text = {0};
		double busy[2] = {0};
		for (unsigned which = 0; which < 2; which++) {
			row.cycles[which] = part->cycles[which] - part->slots[which] * part->per_slot;
			busy[which] = part->cycles[which] > 0 ? part->slots[which] / part->cycles[which] : 0;
		}
		hd_strbuf_printf(&text, "schedulers with a warp at a time: %.1f in A, %.1f in B", busy[0], busy[1]);
		if (explain->parts.len > 1)
			hd_strbuf_printf(&text, " (%s)", part->name);
		row.place = hd_strbuf_detach(&text);
		hd_vec_push(&explain->rows, row);
	}
}

static void compute(struct explain *explain)
{
	const json_t *const slots[2] = {json_object_get(explain->sides[0].run, "slots"),
					json_object_get(explain->sides[1].run, "slots")};
	explain->texts = json_object();
	json_t *matches = lines_match(slots);
	lines_names(matches, explain->lines);
	json_decref(matches);
	find_parts(explain);
	add_run(explain, 0);
	add_run(explain, 1);
	add_busy(explain);
	for (uint32_t i = 0; i < explain->rows.len; i++)
		explain->rows.data[i].change = explain->rows.data[i].cycles[1] - explain->rows.data[i].cycles[0];
	qsort(explain->rows.data, explain->rows.len, sizeof(*explain->rows.data), by_change);
	if (explain->parts.len > 1)
		qsort(explain->parts.data, explain->parts.len, sizeof(*explain->parts.data), by_kernel_change);
}

static const char *reason_name(const struct row *row)
{
	return row->reason < HD_STALL_COUNT ? hd_stall_name[row->reason] : "-";
}

/* ------------------------------------------------------------------ output */

static int print_json(const struct explain *explain)
{
	json_t *object = json_object(), *rows = json_array(), *kernels = json_array();
	for (unsigned which = 0; which < 2; which++) {
		const struct side *side = &explain->sides[which];
		json_object_set_new(object, which ? "b" : "a",
				    json_pack("{s:o,s:o,s:o,s:f}", "file", hd_json_text(side->path), "policy",
					      hd_json_text(text_of(side->run, "policy")), "gpu",
					      hd_json_text(text_of(side->run, "gpu")), "cycles", side->cycles));
	}
	for (uint32_t i = 0; i < explain->rows.len; i++) {
		const struct row *row = &explain->rows.data[i];
		json_t *json =
			json_pack("{s:o,s:s,s:f,s:f,s:f}", "place", hd_json_text(row->place), "reason",
				  reason_name(row), "a", row->cycles[0], "b", row->cycles[1], "change", row->change);
		if (json_object_get(explain->texts, row->place))
			json_object_set(json, "text", json_object_get(explain->texts, row->place));
		json_array_append_new(rows, json);
	}
	json_object_set_new(object, "rows", rows);
	for (uint32_t i = 0; i < explain->parts.len; i++) {
		const struct part *part = &explain->parts.data[i];
		if (part->name)
			json_array_append_new(kernels,
					      json_pack("{s:o,s:f,s:f,s:f}", "kernel", hd_json_text(part->name), "a",
							part->cycles[0], "b", part->cycles[1], "change",
							part->cycles[1] - part->cycles[0]));
	}
	json_object_set_new(object, "kernels", kernels);
	return cmd_print_json(object);
}

/* `cycles` NULL: the row is a difference alone. */
static void print_row(double change, double whole, const double cycles[2], const char *reason, const char *place)
{
	char share[16] = "", each[2][32] = {"", ""};
	if (whole != 0)
		snprintf(share, sizeof share, "%.1f", 100 * change / whole);
	for (unsigned which = 0; cycles && which < 2; which++)
		snprintf(each[which], sizeof each[which], "%.0f", cycles[which]);
	struct hd_strbuf where = {0};
	source_line_show(&where, place, SIZE_MAX);
	printf("%+14.0f %8s %14s %14s  %s%s%s\n", change, share, each[0], each[1], reason, *reason ? "  " : "",
	       hd_strbuf_text(&where));
	hd_strbuf_release(&where);
}

static void print_kernels(const struct explain *explain, double whole)
{
	const struct part *parts = explain->parts.data;
	printf("%14s %8s %14s %14s  %s\n", "cycles", "%", "A", "B", "kernel");
	for (uint32_t i = 0; i < explain->parts.len && i < explain->limit; i++)
		print_row(parts[i].cycles[1] - parts[i].cycles[0], whole, parts[i].cycles, "", parts[i].name);
	if (explain->parts.len > explain->limit)
		printf("%14s %u more\n", "", explain->parts.len - explain->limit);
	printf("\n");
}

static void print_side(const struct explain *explain, unsigned which)
{
	const struct side *side = &explain->sides[which];
	struct hd_strbuf policy = {0}, gpu = {0};
	source_line_show(&policy, text_of(side->run, "policy"), SIZE_MAX);
	source_line_show(&gpu, text_of(side->run, "gpu"), SIZE_MAX);
	printf("%s: %s on %s, %.0f cycles (%s)\n", which ? "B" : "A", hd_strbuf_text(&policy), hd_strbuf_text(&gpu),
	       side->cycles, side->path);
	hd_strbuf_release(&policy);
	hd_strbuf_release(&gpu);
}

static void print_text(const struct explain *explain)
{
	const struct side *a = &explain->sides[0], *b = &explain->sides[1];
	double whole = b->cycles - a->cycles, rest[2] = {0}, sum[2] = {0};
	uint32_t shown = 0, others = 0;
	for (unsigned which = 0; which < 2; which++)
		print_side(explain, which);
	double faster = a->cycles / b->cycles;
	printf("B takes %+.0f cycles", whole);
	if (a->mhz > 0 && b->mhz > 0 && a->mhz != b->mhz) {
		faster *= b->mhz / a->mhz;
		printf(" at another clock, %.3f us for %.3f us", b->cycles / b->mhz, a->cycles / a->mhz);
	}
	printf(", %.3f times as fast as A\n\n", faster);
	if (explain->parts.len > 1)
		print_kernels(explain, whole);
	printf("%14s %8s %14s %14s  %-12s  %s\n", "cycles", "%", "A", "B", "reason", "where");
	for (uint32_t i = 0; i < explain->rows.len; i++) {
		const struct row *row = &explain->rows.data[i];
		sum[0] += row->cycles[0];
		sum[1] += row->cycles[1];
		if (shown < explain->limit && row->change != 0) {
			const char *text = text_of(explain->texts, row->place);
			char reason[16];
			struct hd_strbuf where = {0};
			snprintf(reason, sizeof reason, "%-12s", reason_name(row));
			hd_strbuf_printf(&where, "%s%s", row->place, *text ? "  " : "");
			source_line_show(&where, text, MOST_TEXT);
			print_row(row->change, whole, row->reason < HD_STALL_COUNT ? row->cycles : NULL, reason,
				  hd_strbuf_text(&where));
			hd_strbuf_release(&where);
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
	case ARGP_KEY_ARG: hd_vec_push(&explain->files, arg); break;
	case ARGP_KEY_END:
		if (!explain->files.len)
			argp_error(state, "no statistics given");
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* The run's number in its document. */
static size_t number_of(const struct side *side)
{
	const json_t *runs = json_object_get(side->document, "runs");
	for (size_t i = 0; i < json_array_size(runs); i++)
		if (json_array_get(runs, i) == side->run)
			return i;
	return 0;
}

/* One run. */
static int run_waits(struct explain *explain)
{
	struct side *side = &explain->sides[0];
	if (find_run(side, 0) != 0)
		return CMD_ERROR;
	size_t length = side->policy ? (size_t)(side->policy - side->path) - 1 : strlen(side->path);
	char *path = hd_xstrndup(side->path, length);
	hd_vec_push(&explain->programs, path);
	json_t *data = report_data(explain->programs.data, explain->programs.len);
	int status = data ? explain_waits(data, number_of(side), side->path, side->run, explain->limit, explain->json)
			  : CMD_ERROR;
	json_decref(data);
	free(path);
	return status;
}

/* One file without a policy and a program: its first run, of each policy, and the second, if it has one. */
static int run_explain(struct explain *explain)
{
	if (load_files(explain) != 0)
		return CMD_ERROR;
	bool one = explain->side_count == 1;
	struct side *sides = explain->sides;
	if (one && (sides[0].policy || explain->programs.len || !run_of(sides[0].document, NULL, 1)))
		return run_waits(explain);
	if (one)
		sides[1] = (struct side){.path = sides[0].path, .document = json_incref(sides[0].document)};
	for (unsigned which = 0; which < 2; which++)
		if (find_run(&sides[which], one ? which : 0) != 0)
			return CMD_ERROR;
	explain->index = json_object();
	compute(explain);
	if (explain->json)
		return print_json(explain);
	print_text(explain);
	return CMD_OK;
}

int cmd_explain(int argc, char **argv)
{
	static const struct argp_option options[] = {{"limit", 'n', "N", 0,
						      "print the N largest rows (default 20); the others are one line",
						      0},
						     {"json", OPT_JSON, NULL, 0, "print all rows as JSON", 0},
						     {0}};
	static const char doc[] =
		"Says which source lines and stall reasons carry the difference in cycles between two runs, or what "
		"the warps of one run waited for.\v"
		"A and B are statistics of `heddle run --by-line --stats FILE`, for example of two commits, policies "
		"or "
		"GPUs. FILE:POLICY chooses a run of a file with several; of one FILE with several, its first two runs "
		"are compared. The rows add up to the difference. A row is what a line lost or used for one reason: an "
		"issue slot counts as a cycle divided by the schedulers that have a warp at a time. How many these are "
		"is a row of its own. Kernels are compared one by one, if they did not run at the same time. Without "
		"--by-line there is one row for each reason.\n\n"
		"Of one run the lines and reasons of lost issue slots are printed, most slots first. With counts by "
		"instruction (heddle run --by-instruction) and PROGRAM, which is what has run or its objects, also the "
		"instructions that were waited for.";
	static const char forms[] = "A B\nFILE\n[PROGRAM...] FILE[:POLICY]";
	static const struct argp argp = {options, parse_option, forms, doc, NULL, NULL, NULL};
	struct explain explain = {.limit = 20};
	cmd_parse(&argp, argc, argv, 0, &explain);
	int status = run_explain(&explain);
	for (uint32_t i = 0; i < explain.rows.len; i++)
		free((char *)explain.rows.data[i].place);
	hd_vec_release(&explain.files);
	hd_vec_release(&explain.programs);
	hd_vec_release(&explain.rows);
	hd_vec_release(&explain.parts);
	json_decref(explain.index);
	json_decref(explain.texts);
	json_decref(explain.lines[0]);
	json_decref(explain.lines[1]);
	json_decref(explain.names);
	json_decref(explain.sides[0].document);
	json_decref(explain.sides[1].document);
	return status;
}
