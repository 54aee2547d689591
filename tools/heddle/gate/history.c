/*
 * The history file, and the page that draws it: for each kernel a chart of each figure over the commits. What never
 * changed is folded away.
 *
 * Cost: linear in the file for each figure that is drawn.
 */
#include "tools/heddle/gate/history.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/metadata/json.h"
#include "lib/text.h"

enum { WIDTH = 320, HEIGHT = 84, MARGIN = 6 };

/* What git prints on standard output; its messages are dropped. False: it could not be run or failed. */
static bool ask_git(char *const *words, struct hd_strbuf *out)
{
	int ends[2], status = -1;
	pid_t child;
	char bytes[256];
	posix_spawn_file_actions_t files;
	if (pipe2(ends, O_CLOEXEC))
		return false;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&files, ends[1], 1);
	posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	int error = posix_spawnp(&child, words[0], &files, NULL, words, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	for (ssize_t got = 1; !error && got;) {
		got = read(ends[0], bytes, sizeof(bytes));
		if (got > 0)
			hd_strbuf_append_bytes(out, bytes, (size_t)got);
		else if (got < 0 && errno != EINTR)
			break;
	}
	close(ends[0]);
	if (error)
		return false;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* The history itself may be in the tree: what a check writes there is no change of what it measures. */
static bool is_modified(char *folder, const struct gate_root *root, const char *path, struct hd_arena *arena)
{
	const char *history = gate_root_file(root, path, arena);
	bool inside = !gate_root_absolute(root, history, arena);
	char *but = (char *)hd_arena_printf(arena, ":(exclude,literal)%s", history);
	char *words[] = {"git", "--no-optional-locks", "-C", folder, "status", "--porcelain", "-uno", "--",
			 ":/",	inside ? but : NULL,   NULL};
	struct hd_strbuf out = {0};
	bool modified = ask_git(words, &out) && out.len > 0;
	hd_strbuf_release(&out);
	return modified;
}

const char *gate_history_commit(const struct gate_root *root, const char *path, struct hd_arena *arena)
{
	char *folder = root->path[0] ? root->path : "/";
	char *words[] = {"git", "-C", folder, "rev-parse", "--short=12", "HEAD", NULL};
	struct hd_strbuf out = {0};
	const char *commit = NULL;
	if (ask_git(words, &out) && out.len > 1)
		commit = hd_arena_printf(arena, "%.*s%s", (int)strcspn(hd_strbuf_text(&out), "\n"),
					 hd_strbuf_text(&out), is_modified(folder, root, path, arena) ? "+" : "");
	hd_strbuf_release(&out);
	return commit;
}

/* ------------------------------------------------------------------ the file */

static int read_records(const char *path, json_t *records, struct hd_diag *diag)
{
	char *text = NULL;
	size_t size = 0;
	uint32_t number = 0;
	int status = 0;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return 0;
	if (hd_text_read(path, &text, &size, diag) != 0)
		return -1;
	char *rest = text;
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
	free(text);
	return status;
}

/* "scale(float*) on a100"; of a run also the policy, of NVIDIA's code its architecture. */
static const char *short_name(const struct gate_baseline *baseline, const struct gate_base_entry *entry)
{
	if (entry->of_run)
		return hd_arena_printf(baseline->arena, "%s on %s, %s", entry->kernel, entry->gpu, entry->flags);
	if (entry->subject->unit->cubin)
		return hd_arena_printf(baseline->arena, "%s on %s [%s]", entry->kernel, entry->gpu,
				       entry->subject->unit->metadata.target);
	return hd_arena_printf(baseline->arena, "%s on %s", entry->kernel, entry->gpu);
}

/* Whether entries of one short name have other flags or another toolchain than entry `at`. Entries are in order. */
static void compare_builds(const struct gate_baseline *baseline, const char *const *names, uint32_t at, bool *flags,
			   bool *toolchain)
{
	const struct gate_base_entry *all = baseline->now.data, *own = &all[at];
	uint32_t from = at, to = at + 1;
	*flags = *toolchain = false;
	while (from > 0 && strcmp(all[from - 1].kernel, own->kernel) == 0 && strcmp(all[from - 1].gpu, own->gpu) == 0)
		from--;
	for (; to < baseline->now.len; to++)
		if (strcmp(all[to].kernel, own->kernel) != 0 || strcmp(all[to].gpu, own->gpu) != 0)
			break;
	for (uint32_t i = from; i < to; i++) {
		if (strcmp(names[i], names[at]) != 0)
			continue;
		*flags |= strcmp(all[i].flags, own->flags) != 0;
		*toolchain |= strcmp(all[i].toolchain, own->toolchain) != 0;
	}
}

/* The short name, with what tells builds apart where there are several. */
static const char *entry_name(const struct gate_baseline *baseline, const char *const *names, uint32_t at)
{
	const struct gate_base_entry *entry = &baseline->now.data[at];
	bool flags, toolchain;
	compare_builds(baseline, names, at, &flags, &toolchain);
	return hd_arena_printf(baseline->arena, "%s%s%s%s%s", names[at], flags ? ", " : "", flags ? entry->flags : "",
			       toolchain ? ", " : "", toolchain ? entry->toolchain : "");
}

/* Takes over the value. A key in an encoding of its own is cleaned; none takes the place of another. */
static int set_clean(json_t *object, const char *key, json_t *value, struct hd_arena *arena)
{
	json_t *clean = hd_json_text(key);
	const char *text = json_string_value(clean), *free_key = text;
	for (unsigned n = 2; text && json_object_get(object, free_key); n++)
		free_key = hd_arena_printf(arena, "%s (%u)", text, n);
	int status = json_object_set_new(object, free_key, value);
	json_decref(clean);
	return status;
}

static json_t *figures_json(const struct gate_base_entry *entry, struct hd_arena *arena, int *status)
{
	json_t *figures = json_object();
	if (!entry->of_run)
		*status |= json_object_set_new(figures, "registers", json_integer(entry->registers));
	for (uint32_t f = 0; f < entry->figures.len; f++)
		*status |= set_clean(figures, entry->figures.data[f].label,
				     gate_value_json(&entry->figures.data[f].value), arena);
	return figures;
}

/* NULL with the error reported. */
static json_t *record_of(const char *path, const char *commit, const struct gate_baseline *baseline,
			 struct hd_diag *diag)
{
	json_t *record = json_object(), *kernels = json_object();
	HD_VEC(const char *) names = {0};
	int status = json_object_set_new(record, "commit", hd_json_text(commit));
	status |= json_object_set_new(record, "kernels", kernels);
	for (uint32_t i = 0; i < baseline->now.len; i++)
		hd_vec_push(&names, short_name(baseline, &baseline->now.data[i]));
	for (uint32_t i = 0; i < baseline->now.len; i++) {
		json_t *figures = figures_json(&baseline->now.data[i], baseline->arena, &status);
		status |= set_clean(kernels, entry_name(baseline, names.data, i), figures, baseline->arena);
	}
	hd_vec_release(&names);
	if (status == 0)
		return record;
	json_decref(record);
	hd_error(diag, (struct hd_loc){path, 0, 0}, "the figures cannot be written as JSON");
	return NULL;
}

int gate_history_add(const char *path, const char *commit, const struct gate_baseline *baseline, json_t **records,
		     struct hd_diag *diag)
{
	*records = json_array();
	if (read_records(path, *records, diag) != 0)
		return -1;
	struct hd_strbuf text = {0};
	json_t *added = record_of(path, commit, baseline, diag);
	bool known = false;
	if (!added)
		return -1;
	const char *written = json_string_value(json_object_get(added, "commit"));
	for (size_t i = 0; i < json_array_size(*records) && !known; i++) {
		const char *name = json_string_value(json_object_get(json_array_get(*records, i), "commit"));
		known = strcmp(name, written) == 0;
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
