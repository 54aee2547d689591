/*
 * Findings as a picture: a row each, with a bar for what was (the baseline's figure, or the limit) and one for what is.
 * For pull-request comments, which show pictures and no scripts.
 */
#include <stdio.h>
#include <string.h>

#include "tools/heddle/gate/report.h"

enum { WIDTH = 900, ROW = 52, TOP = 44, BARS = 520, LONGEST = 250, MOST_TEXT = 68 };

static void append_xml(struct hd_strbuf *out, const char *text, size_t most)
{
	size_t shown = 0;
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		unsigned len = gate_xml_character(at);
		/* Letters of several bytes count once. */
		if (++shown > most) {
			hd_strbuf_append(out, "\xe2\x80\xa6");
			return;
		}
		if (!len)
			hd_strbuf_append(out, "?");
		else if (strchr("<>&\"'", *at))
			hd_strbuf_printf(out, "&#%u;", *at);
		else
			hd_strbuf_append_bytes(out, at, len);
		at += len ? len : 1;
	}
}

static void append_bar(struct hd_strbuf *out, unsigned y, const char *kind, const struct gate_value *value,
		       double longest, const char *text)
{
	double part = longest > 0 ? value->number / longest : 0;
	unsigned width = (unsigned)(LONGEST * (part > 0 ? part : 0)) + 1;
	hd_strbuf_printf(out,
			 "<rect class=\"%s\" x=\"%d\" y=\"%u\" width=\"%u\" height=\"14\" rx=\"2\"/>"
			 "<text class=\"n\" x=\"%u\" y=\"%u\">",
			 kind, BARS, y, width, BARS + width + 6, y + 12);
	append_xml(out, text, 28);
	hd_strbuf_append(out, "</text>\n");
}

static void append_row(const struct gate_report *report, const struct gate_finding *finding, unsigned y,
		       struct hd_strbuf *out)
{
	const struct gate_metric *metric = finding->metric ? gate_metric_named(finding->metric) : NULL;
	hd_strbuf_printf(out, "<text x=\"12\" y=\"%u\">", y + 14);
	append_xml(out, finding->subject ? finding->subject : "", MOST_TEXT);
	hd_strbuf_printf(out, "</text><text class=\"s\" x=\"12\" y=\"%u\">", y + 32);
	if (finding->compared)
		append_xml(out, finding->metric, MOST_TEXT);
	else
		append_xml(out, finding->message, 120);
	hd_strbuf_append(out, "</text>\n");
	if (!finding->compared)
		return;
	struct gate_metric plain = {.name = finding->metric, .unit = ""};
	const struct gate_metric *shown = metric ? metric : &plain;
	double longest = finding->value.number > finding->limit.number ? finding->value.number : finding->limit.number;
	append_bar(out, y, "a", &finding->limit, longest, gate_value_text(shown, &finding->limit, report->arena));
	append_bar(out, y + 18, finding->told_only ? "c" : "b", &finding->value, longest,
		   gate_value_text(shown, &finding->value, report->arena));
}

void gate_write_svg(const struct gate_report *report, struct hd_strbuf *out)
{
	unsigned height = TOP + ROW * report->findings.len + 8;
	hd_strbuf_printf(out,
			 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n"
			 "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.s,.n{font-size:12px;fill:#59636e}"
			 ".a{fill:#afb8c1}.b{fill:#cf222e}.c{fill:#1a7f37}.p{fill:#fff}"
			 "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.s,.n{fill:#9198a1}.a{fill:#57606a}"
			 ".b{fill:#f85149}.c{fill:#3fb950}.p{fill:#0d1117}}</style>\n"
			 "<rect class=\"p\" width=\"100%%\" height=\"100%%\" rx=\"6\"/>\n"
			 "<text x=\"12\" y=\"26\" font-weight=\"600\">heddle check: %u finding%s</text>"
			 "<text class=\"s\" x=\"%d\" y=\"26\">above: allowed or before; below: now</text>\n",
			 WIDTH, height, WIDTH, height, gate_report_failures(report),
			 gate_report_failures(report) == 1 ? "" : "s", BARS);
	for (uint32_t i = 0; i < report->findings.len; i++)
		append_row(report, &report->findings.data[i], TOP + ROW * i, out);
	hd_strbuf_append(out, "</svg>\n");
}
