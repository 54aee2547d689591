/*
 * Comparisons as JUnit XML: a suite for each GPU, one for what holds on every GPU, and one for inputs that could not be
 * read; a test case for each comparison, named by the kernel and the limit.
 */
#include <string.h>

#include "tools/heddle/gate/report.h"

unsigned gate_xml_character(const unsigned char *at)
{
	unsigned len = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : (at[0] & 0xf0) == 0xe0 ? 3 : 4;
	if (len == 1)
		return at[0] >= 0x20 || strchr("\t\n\r", at[0]) ? 1 : 0;
	if (at[0] < 0xc2 || at[0] > 0xf4)
		return 0;
	for (unsigned i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, U+FFFE, U+FFFF and what lies beyond Unicode. */
	bool bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
		   (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe) || (at[0] == 0xf0 && at[1] < 0x90) ||
		   (at[0] == 0xf4 && at[1] >= 0x90);
	return bad ? 0 : len;
}

/* For attributes and content alike. */
static void append_xml(struct hd_strbuf *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		unsigned len = gate_xml_character(at);
		if (!len)
			hd_strbuf_append(out, "?");
		else if (len == 1 && strchr("&<>\"'\t\n\r", *at))
			hd_strbuf_printf(out, "&#%u;", *at);
		else
			hd_strbuf_append_bytes(out, at, len);
		at += len ? len : 1;
	}
}

static void append_attribute(struct hd_strbuf *out, const char *name, const char *value)
{
	hd_strbuf_printf(out, " %s=\"", name);
	append_xml(out, value);
	hd_strbuf_append(out, "\"");
}

static void append_failure(struct hd_strbuf *out, const struct gate_finding *finding)
{
	hd_strbuf_append(out, "      <failure");
	append_attribute(out, "type", finding->rule->id);
	append_attribute(out, "message", finding->message);
	hd_strbuf_append(out, ">");
	if (finding->place.file) {
		append_xml(out, finding->place.file);
		hd_strbuf_printf(out, ":%u: ", finding->place.line);
	}
	append_xml(out, finding->message);
	for (uint32_t n = 0; n < finding->notes.len; n++) {
		const struct gate_note *note = &finding->notes.data[n];
		hd_strbuf_append(out, "\n");
		if (note->place.file) {
			append_xml(out, note->place.file);
			hd_strbuf_printf(out, ":%u: ", note->place.line);
		}
		append_xml(out, note->text);
	}
	hd_strbuf_append(out, "</failure>\n");
}

/* What the case fails for; NULL: it passes. */
static const struct gate_finding *failure_of(const struct gate_report *report, const struct gate_case *test)
{
	const struct gate_finding *finding = test->finding < 0 ? NULL : &report->findings.data[test->finding];
	return finding && !finding->told_only ? finding : NULL;
}

static void append_case(const struct gate_report *report, const struct gate_case *test, struct hd_strbuf *out)
{
	const struct gate_finding *finding = failure_of(report, test);
	hd_strbuf_append(out, "    <testcase");
	append_attribute(out, "classname", test->subject);
	append_attribute(out, "name", test->name);
	if (finding && finding->place.file) {
		append_attribute(out, "file", finding->place.file);
		hd_strbuf_printf(out, " line=\"%u\"", finding->place.line);
	}
	hd_strbuf_append(out, finding ? ">\n" : "/>\n");
	if (finding) {
		append_failure(out, finding);
		hd_strbuf_append(out, "    </testcase>\n");
	}
}

/* `gpu` -1: what holds for every GPU. */
static bool belongs(const struct gate_case *test, int gpu)
{
	return gpu < 0 ? test->every_gpu : !test->every_gpu && test->gpus >> gpu & 1;
}

static void append_suite(const struct gate_report *report, int gpu, struct hd_strbuf *out)
{
	unsigned tests = 0, failures = 0;
	for (uint32_t i = 0; i < report->cases.len; i++) {
		tests += belongs(&report->cases.data[i], gpu);
		failures += belongs(&report->cases.data[i], gpu) && failure_of(report, &report->cases.data[i]);
	}
	if (!tests)
		return;
	hd_strbuf_append(out, "  <testsuite");
	append_attribute(out, "name", gpu < 0 ? "every GPU" : report->gpus->config[gpu].name);
	hd_strbuf_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"0\" skipped=\"0\">\n", tests, failures);
	for (uint32_t i = 0; i < report->cases.len; i++)
		if (belongs(&report->cases.data[i], gpu))
			append_case(report, &report->cases.data[i], out);
	hd_strbuf_append(out, "  </testsuite>\n");
}

static void append_troubles(const struct gate_report *report, struct hd_strbuf *out)
{
	if (!report->troubles.len)
		return;
	hd_strbuf_printf(out, "  <testsuite name=\"inputs\" tests=\"%u\" failures=\"0\" errors=\"%u\" skipped=\"0\">\n",
			 report->troubles.len, report->troubles.len);
	for (uint32_t i = 0; i < report->troubles.len; i++) {
		const struct gate_trouble *trouble = &report->troubles.data[i];
		hd_strbuf_append(out, "    <testcase");
		append_attribute(out, "classname", trouble->loc.file ? trouble->loc.file : "input");
		append_attribute(out, "name", trouble->message);
		hd_strbuf_append(out, ">\n      <error");
		append_attribute(out, "message", trouble->message);
		hd_strbuf_append(out, "/>\n    </testcase>\n");
	}
	hd_strbuf_append(out, "  </testsuite>\n");
}

void gate_write_junit(const struct gate_report *report, struct hd_strbuf *out)
{
	hd_strbuf_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"heddle check\">\n");
	for (int gpu = -1; gpu < (int)report->gpus->count; gpu++)
		append_suite(report, gpu, out);
	append_troubles(report, out);
	hd_strbuf_append(out, "</testsuites>\n");
}
