/*
 * The history file, and the page that draws it: for each kernel a chart of each figure over the commits. What never
 * changed is folded away.
 *
 * Cost: linear in the file for each figure that is drawn.
 */
#include "tools/heddle/gate/history.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/metadata/json.h"

enum { WIDTH = 320, HEIGHT = 84, MARGIN = 6 };

const char *gate_history_commit(const struct gate_root *root, struct hd_arena *arena)
{
	char line[64] = "";
	if (strchr(root->path, '\''))
		return NULL;
	FILE *git = popen(hd_arena_printf(arena, "git -C '%s' rev-parse --short=12 HEAD 2>/dev/null", root->path), "r");
	if (!git)
		return NULL;
	if (!fgets(line, sizeof(line), git))
		line[0] = '\0';
	pclose(git);
	line[strcspn(line, "\n")] = '\0';
	return line[0] ? hd_arena_strdup(arena, line) : NULL;
}

/* ------------------------------------------------------------------ the file */

static int read_records(const char *path, json_t *records, struct hd_diag *diag)
{
	uint8_t *bytes = NULL;
	size_t size = 0;
	uint32_t number = 0;
	int status = 0;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (hd_read_file(path, &bytes, &size, diag) != 0)
		return -1;
	char *rest = (char *)bytes;
	for (char *line; status == 0 && (line = strsep(&rest, "\n"));) {
		json_error_t error;
		json_t *record = line[0] ? json_loads(line, JSON_REJECT_DUPLICATES, &error) : NULL;
		number++;
		if (!line[0])
			continue;
		if (!json_is_string(json_object_get(record, "commit")) ||
		    !json_is_object(json_object_get(record, "kernels"))) {
			status = hd_error(diag, (struct hd_loc){path, number, 0},
					  "not a history: a line is an object with commit and kernels");
			json_decref(record);
		} else {
			json_array_append_new(records, record);
		}
	}
	free(bytes);
	return status;
}

/* "scale(float*) on a100", with what tells several entries of it apart. */
static char *entry_name(const struct gate_base_entry *entry)
{
	struct hd_strbuf name = {0};
	hd_strbuf_printf(&name, "%s on %s", entry->kernel, entry->gpu);
	if (entry->of_run)
		hd_strbuf_printf(&name, ", %s", entry->flags);
	else if (entry->subject->unit->cubin)
		hd_strbuf_printf(&name, " [%s]", entry->subject->unit->metadata.target);
	return hd_strbuf_detach(&name);
}

static json_t *record_of(const char *commit, const struct gate_baseline *baseline)
{
	json_t *record = json_object(), *kernels = json_object();
	json_object_set_new(record, "commit", hd_json_text(commit));
	json_object_set_new(record, "kernels", kernels);
	for (uint32_t i = 0; i < baseline->now.len; i++) {
		const struct gate_base_entry *entry = &baseline->now.data[i];
		char *name = entry_name(entry);
		json_t *figures = json_object();
		if (!entry->of_run)
			json_object_set_new(figures, "registers", json_integer(entry->registers));
		for (uint32_t f = 0; f < entry->figures.len; f++)
			json_object_set_new(figures, entry->figures.data[f].label,
					    gate_value_json(&entry->figures.data[f].value));
		json_object_set_new(kernels, name, figures);
		free(name);
	}
	return record;
}

int gate_history_add(const char *path, const char *commit, const struct gate_baseline *baseline, json_t **records,
		     struct hd_diag *diag)
{
	*records = json_array();
	if (read_records(path, *records, diag) != 0)
		return -1;
	struct hd_strbuf text = {0};
	json_t *added = record_of(commit, baseline);
	bool known = false;
	for (size_t i = 0; i < json_array_size(*records) && !known; i++) {
		const char *name = json_string_value(json_object_get(json_array_get(*records, i), "commit"));
		known = strcmp(name, commit) == 0;
		if (known)
			json_array_set(*records, i, added);
	}
	if (!known)
		json_array_append(*records, added);
	json_decref(added);
	for (size_t i = 0; i < json_array_size(*records); i++) {
		char *line = json_dumps(json_array_get(*records, i), JSON_COMPACT);
		hd_strbuf_printf(&text, "%s\n", line ? line : "");
		free(line);
	}
	int status = hd_write_file(path, hd_strbuf_text(&text), text.len, diag);
	hd_strbuf_release(&text);
	return status;
}

/* ------------------------------------------------------------------ the page */

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>heddle check: history</title>\n"
	"<style>\n"
	":root{color-scheme:light dark;--line:#2a6fdb;--worse:#c62828;--soft:#8885}\n"
	"@media(prefers-color-scheme:dark){:root{--line:#7fb0ff;--worse:#ff8a80}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem}\n"
	"h2{font-size:1.05rem;overflow-wrap:anywhere;margin:2rem 0 .5rem}\n"
	".charts{display:flex;flex-wrap:wrap;gap:1rem}\n"
	"figure{margin:0;padding:.6rem .8rem;border:1px solid var(--soft);border-radius:8px;width:320px;max-width:100%;"
	"box-sizing:content-box}\n"
	"figcaption{display:flex;justify-content:space-between;font-size:.85rem;gap:.5rem}\n"
	"svg{width:100%;height:auto;display:block}\n"
	"polyline{fill:none;stroke:var(--line);stroke-width:2}circle{fill:var(--line)}\n"
	"small{opacity:.7}summary{cursor:pointer}\n"
	"</style></head><body>\n";

static void append_html(struct hd_strbuf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("<>&\"'", *text))
			hd_strbuf_printf(out, "&#%d;", *text);
		else
			hd_strbuf_append_bytes(out, text, 1);
	}
}

/* A figure in each record, NAN where it is no number or not there. */
struct series {
	double *values;
	size_t count;
	double least, most, first, last;
	bool any, changes;
};

static const json_t *figures_of(const json_t *record, const char *kernel)
{
	return json_object_get(json_object_get(record, "kernels"), kernel);
}

static struct series series_of(const json_t *records, const char *kernel, const char *label)
{
	struct series series = {.count = json_array_size(records)};
	series.values = hd_xcalloc(series.count + 1, sizeof(double));
	bool states = false;
	for (size_t i = 0; i < series.count; i++) {
		const json_t *value = json_object_get(figures_of(json_array_get(records, i), kernel), label);
		series.values[i] = json_is_number(value) ? json_number_value(value) : (double)NAN;
		states |= value && !json_is_number(value);
		if (isnan(series.values[i]))
			continue;
		double number = series.values[i];
		series.changes |= series.any && number != series.last;
		series.least = series.any ? fmin(series.least, number) : number;
		series.most = series.any ? fmax(series.most, number) : number;
		series.first = series.any ? series.first : number;
		series.last = number;
		series.any = true;
	}
	series.changes |= states && series.any;
	return series;
}

static double x_of(const struct series *series, size_t at)
{
	return MARGIN + (WIDTH - 2.0 * MARGIN) * (series->count > 1 ? (double)at / (double)(series->count - 1) : 0.5);
}

static double y_of(const struct series *series, double value)
{
	double range = series->most - series->least;
	return HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * (range > 0 ? (value - series->least) / range : 0.5);
}

static void draw_line(const struct series *series, struct hd_strbuf *out)
{
	bool open = false;
	for (size_t i = 0; i <= series->count; i++) {
		bool known = i < series->count && !isnan(series->values[i]);
		if (known)
			hd_strbuf_printf(out, "%s%.1f,%.1f", open ? " " : "<polyline points=\"", x_of(series, i),
					 y_of(series, series->values[i]));
		else if (open)
			hd_strbuf_append(out, "\"/>");
		open = known;
	}
}

static void draw(const json_t *records, const struct series *series, const char *label, struct hd_strbuf *out)
{
	hd_strbuf_append(out, "<figure><figcaption><span>");
	append_html(out, label);
	hd_strbuf_printf(out, "</span><b>%g</b></figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
			 series->last, WIDTH, HEIGHT);
	append_html(out, label);
	hd_strbuf_printf(out, " from %g to %g\">", series->first, series->last);
	draw_line(series, out);
	for (size_t i = 0; i < series->count; i++) {
		if (isnan(series->values[i]))
			continue;
		hd_strbuf_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>", x_of(series, i),
				 y_of(series, series->values[i]));
		append_html(out, json_string_value(json_object_get(json_array_get(records, i), "commit")));
		hd_strbuf_printf(out, ": %g</title></circle>", series->values[i]);
	}
	hd_strbuf_printf(out, "</svg><small>%g to %g</small></figure>\n", series->least, series->most);
}

/* The charts of a kernel's figures that changed, or of those that did not; how many. */
static unsigned draw_figures(const json_t *records, const char *kernel, bool changed, struct hd_strbuf *out)
{
	const json_t *figures = NULL;
	const char *label;
	json_t *value;
	unsigned drawn = 0;
	for (size_t i = json_array_size(records); i-- && !figures;)
		figures = figures_of(json_array_get(records, i), kernel);
	json_object_foreach((json_t *)figures, label, value)
	{
		struct series series = series_of(records, kernel, label);
		if (series.any && series.changes == changed) {
			draw(records, &series, label, out);
			drawn++;
		}
		free(series.values);
	}
	return drawn;
}

static void draw_kernel(const json_t *records, const char *kernel, struct hd_strbuf *out)
{
	struct hd_strbuf still = {0};
	hd_strbuf_append(out, "<section><h2>");
	append_html(out, kernel);
	hd_strbuf_append(out, "</h2><div class=\"charts\">\n");
	draw_figures(records, kernel, true, out);
	hd_strbuf_append(out, "</div>");
	unsigned count = draw_figures(records, kernel, false, &still);
	if (count)
		hd_strbuf_printf(
			out, "<details><summary>%u without a change</summary><div class=\"charts\">%s</div></details>",
			count, hd_strbuf_text(&still));
	hd_strbuf_append(out, "</section>\n");
	hd_strbuf_release(&still);
}

void gate_write_history(const struct gate_report *report, struct hd_strbuf *out)
{
	const json_t *records = report->history;
	size_t count = json_array_size(records);
	json_t *seen = json_object();
	hd_strbuf_append(out, head);
	hd_strbuf_append(out, "<h1>Figures over commits</h1>\n<p>");
	for (size_t i = 0; count && i < count; i += count > 1 ? count - 1 : 1) {
		append_html(out, i ? " to " : "");
		append_html(out, json_string_value(json_object_get(json_array_get(records, i), "commit")));
	}
	hd_strbuf_printf(out, ", %zu commit%s. A point's title names its commit.</p>\n", count, count == 1 ? "" : "s");
	/* The newest first, then kernels that are gone. */
	for (size_t i = count; i--;) {
		const char *kernel;
		json_t *figures;
		json_object_foreach(json_object_get(json_array_get(records, i), "kernels"), kernel, figures)
		{
			if (json_object_get(seen, kernel))
				continue;
			json_object_set_new(seen, kernel, json_true());
			draw_kernel(records, kernel, out);
		}
	}
	json_decref(seen);
	hd_strbuf_append(out, "</body></html>\n");
}
