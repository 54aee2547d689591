/*
 * Findings as annotations of GitHub Actions, and as a Markdown step summary.
 */
#include <stdio.h>
#include <string.h>

#include "tools/heddle/gate/report.h"
#include "tools/heddle/page/page.h"

/* ------------------------------------------------------------------ annotations */

/* Workflow commands end at the line's end and split their properties at commas and colons. */
static void append_escaped(struct hd_strbuf *out, const char *text, const char *special)
{
	for (const char *at = text; *at; at++) {
		if (strchr(special, *at))
			hd_strbuf_printf(out, "%%%02X", (unsigned char)*at);
		else
			hd_strbuf_append_bytes(out, at, 1);
	}
}

#define DATA "%\r\n"
#define PROPERTY DATA ":,"

static void begin_annotation(struct hd_strbuf *out, const char *kind, const char *file, uint32_t line,
			     const char *title)
{
	hd_strbuf_printf(out, "::%s ", kind);
	if (file) {
		hd_strbuf_append(out, "file=");
		append_escaped(out, file, PROPERTY);
		hd_strbuf_printf(out, ",line=%u,", line ? line : 1);
	}
	hd_strbuf_append(out, "title=");
	append_escaped(out, title, PROPERTY);
	hd_strbuf_append(out, "::");
}

static void append_place(struct hd_strbuf *out, struct gate_place place)
{
	append_escaped(out, place.file, DATA);
	hd_strbuf_printf(out, ":%u: ", place.line);
}

void gate_write_github(const struct gate_report *report, struct hd_strbuf *out)
{
	for (uint32_t i = 0; i < report->findings.len; i++) {
		const struct gate_finding *finding = &report->findings.data[i];
		struct gate_place anchor = gate_finding_anchor(report, finding);
		begin_annotation(out, finding->told_only ? "notice" : "error", anchor.file, anchor.line,
				 finding->rule->id);
		if (finding->place.file && !gate_report_in_repository(report, finding->place))
			append_place(out, finding->place);
		if (finding->subject) {
			append_escaped(out, finding->subject, DATA);
			hd_strbuf_append(out, ": ");
		}
		append_escaped(out, finding->message, DATA);
		for (uint32_t n = 0; n < finding->notes.len; n++) {
			const struct gate_note *note = &finding->notes.data[n];
			hd_strbuf_append(out, "%0A");
			if (note->place.file)
				append_place(out, note->place);
			append_escaped(out, note->text, DATA);
		}
		hd_strbuf_append(out, "\n");
	}
	for (uint32_t i = 0; i < report->troubles.len; i++) {
		const struct gate_trouble *trouble = &report->troubles.data[i];
		struct gate_place place = {0};
		if (trouble->loc.file)
			place = gate_place_in(report, trouble->loc.file, trouble->loc.line);
		begin_annotation(out, "error", gate_report_in_repository(report, place) ? place.file : NULL, place.line,
				 "heddle check");
		if (place.file && !gate_report_in_repository(report, place))
			append_place(out, place);
		append_escaped(out, trouble->message, DATA);
		hd_strbuf_append(out, "\n");
	}
}

/* ------------------------------------------------------------------ Markdown */

static void append_cell(struct hd_strbuf *out, const char *text, bool code)
{
	hd_strbuf_append(out, code && text[0] ? " <code>" : " ");
	page_append_markdown(out, text);
	hd_strbuf_append(out, code && text[0] ? "</code> |" : " |");
}

/* The message, and below it in the same cell the notes. */
static void append_finding(const struct gate_report *report, const struct gate_finding *finding, struct hd_strbuf *out)
{
	hd_strbuf_append(out, " ");
	page_append_markdown(out, finding->message);
	for (uint32_t n = 0; n < finding->notes.len; n++) {
		const struct gate_note *note = &finding->notes.data[n];
		hd_strbuf_append(out, "<br>");
		if (note->place.file) {
			hd_strbuf_append(out, "<code>");
			page_append_markdown(out, hd_arena_printf(report->arena, "%s:%u", note->place.file,
								  note->place.line));
			hd_strbuf_append(out, "</code> ");
		}
		page_append_markdown(out, note->text);
	}
	hd_strbuf_append(out, " |");
}

static void append_row(const struct gate_report *report, const struct gate_finding *finding, struct hd_strbuf *out)
{
	const char *place = finding->place.file
				    ? hd_arena_printf(report->arena, "%s:%u", finding->place.file, finding->place.line)
				    : "";
	hd_strbuf_append(out, "|");
	append_cell(out, finding->subject ? finding->subject : "", true);
	append_finding(report, finding, out);
	append_cell(out, finding->every_gpu ? "all" : gate_gpu_names(report, finding->gpus, false), false);
	append_cell(out, place, true);
	append_cell(out, finding->rule->id, true);
	hd_strbuf_append(out, "\n");
}

void gate_write_markdown(const struct gate_report *report, struct hd_strbuf *out)
{
	bool good = !gate_report_failures(report) && !report->troubles.len;
	hd_strbuf_printf(out, "## heddle check: %s\n\n", good ? "passed" : "failed");
	hd_strbuf_printf(out, "%u kernels and %u functions, ", report->kernels, report->functions);
	if (report->runs)
		hd_strbuf_printf(out, "%u kernels of runs, ", report->runs);
	hd_strbuf_printf(out, "%u comparisons, GPUs: %s.\n", report->cases.len,
			 gate_gpu_names(report, report->used_gpus, false));
	for (uint32_t i = 0; i < report->builds.len; i++) {
		const struct gate_build *build = &report->builds.data[i];
		hd_strbuf_printf(out, "\nCompared with entries of another build, %s: ", build->what);
		page_append_markdown(out, build->old);
		hd_strbuf_append(out, " to ");
		page_append_markdown(out, build->now);
		hd_strbuf_append(out, ".\n");
	}
	if (report->findings.len)
		hd_strbuf_append(out, "\n| Kernel | Finding | GPUs | Place | Rule |\n|---|---|---|---|---|\n");
	for (uint32_t i = 0; i < report->findings.len; i++)
		append_row(report, &report->findings.data[i], out);
	if (report->troubles.len)
		hd_strbuf_append(out, "\nErrors:\n\n");
	for (uint32_t i = 0; i < report->troubles.len; i++) {
		const struct gate_trouble *trouble = &report->troubles.data[i];
		hd_strbuf_append(out, "- ");
		if (trouble->loc.file) {
			page_append_markdown(out, trouble->loc.file);
			hd_strbuf_printf(out, ":%u: ", trouble->loc.line);
		}
		page_append_markdown(out, trouble->message);
		hd_strbuf_append(out, "\n");
	}
}
